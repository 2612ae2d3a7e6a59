//! Boxes of an array, with bounds that are sums of values.

use crate::analysis::linear::Linear;
use terrace_ir::types::DYNAMIC;

/// Bounds of one dimension: from the least of some sums up to below the greatest of
/// others, cut to the array.
#[derive(Debug, Clone)]
pub struct Side {
    pub low: Vec<Linear>,
    pub high: Vec<Linear>,
}

/// A part of an array.
#[derive(Debug, Clone)]
pub enum Region {
    Nothing,
    /// A side for each dimension.
    Box(Vec<Side>),
    All,
}

/// Sums of a bound; what needs more is all of the dimension's array.
const SUMS: usize = 4;

/// Adds a bound to a list, of which the least counts, or the greatest.
fn add(list: &mut Vec<Linear>, new: &Linear, least: bool) {
    let sign = if least { 1 } else { -1 };
    for old in list.iter_mut() {
        if let Some(d) = new.distance(old) {
            if d * sign < 0 {
                *old = new.clone();
            }
            return;
        }
    }
    list.push(new.clone());
}

impl Region {
    /// Becomes the least box around this and another one.
    pub fn join(&mut self, other: &Region) {
        match (&mut *self, other) {
            (_, Region::Nothing) | (Region::All, _) => {}
            (_, Region::All) => *self = Region::All,
            (Region::Nothing, b) => *self = b.clone(),
            (Region::Box(a), Region::Box(b)) => {
                for (a, b) in a.iter_mut().zip(b) {
                    b.low.iter().for_each(|l| add(&mut a.low, l, true));
                    b.high.iter().for_each(|h| add(&mut a.high, h, false));
                    if a.low.len() > SUMS || a.high.len() > SUMS {
                        *self = Region::All;
                        return;
                    }
                }
            }
        }
    }

    /// Whether all of `other` is surely in it, both cut to an array of this shape.
    pub fn covers(&self, other: &Region, shape: &[i64]) -> bool {
        match (self, other) {
            (Region::All, _) | (_, Region::Nothing) => true,
            (Region::Box(a), Region::Box(b)) => a.iter().zip(b).zip(shape).all(|((a, b), n)| {
                let low = |x: &Linear| {
                    a.low.iter().any(|y| x.distance(y).is_some_and(|d| d >= 0)) || starts_at_zero(a)
                };
                let high = |x: &Linear| {
                    a.high.iter().any(|y| x.distance(y).is_some_and(|d| d <= 0)) || ends_at(a, *n)
                };
                b.low.iter().all(low) && b.high.iter().all(high)
            }),
            _ => false,
        }
    }

    pub fn same(&self, other: &Region, shape: &[i64]) -> bool {
        self.covers(other, shape) && other.covers(self, shape)
    }

    /// All of the array, where it surely is that.
    pub fn normal(self, shape: &[i64]) -> Region {
        match &self {
            Region::Box(sides)
                if sides
                    .iter()
                    .zip(shape)
                    .all(|(s, n)| starts_at_zero(s) && ends_at(s, *n)) =>
            {
                Region::All
            }
            _ => self,
        }
    }

    /// The number of elements, of an array of this shape, where constants tell it.
    pub fn elements(&self, shape: &[i64]) -> Option<u64> {
        let count = |n: i64| u64::try_from(n).ok();
        let sizes: Option<Vec<u64>> = match self {
            Region::Nothing => return Some(0),
            Region::All => shape.iter().map(|n| count(*n)).collect(),
            Region::Box(sides) => sides
                .iter()
                .zip(shape)
                .map(|(s, n)| {
                    let (low, high) = s.constants(*n)?;
                    count(high - low)
                })
                .collect(),
        };
        sizes?.into_iter().try_fold(1u64, u64::checked_mul)
    }
}

fn starts_at_zero(s: &Side) -> bool {
    s.low
        .iter()
        .any(|l| l.as_constant().is_some_and(|c| c <= 0))
}

fn ends_at(s: &Side, size: i64) -> bool {
    let reaches = |c: i64| c == i64::MAX || size != DYNAMIC && c >= size;
    s.high.iter().any(|h| h.as_constant().is_some_and(reaches))
}

impl Side {
    /// Both ends, cut to a dimension of this size, where they are constants.
    pub fn constants(&self, size: i64) -> Option<(i64, i64)> {
        let all = |list: &[Linear]| -> Option<Vec<i64>> {
            list.iter().map(Linear::as_constant).collect()
        };
        if size == DYNAMIC {
            return None;
        }
        let low = all(&self.low)?.into_iter().min()?.clamp(0, size);
        let high = all(&self.high)?.into_iter().max()?.clamp(low, size);
        Some((low, high))
    }
}
