//! Rows in normal form: divided by their content, each direction once.

use rustc_hash::FxHashMap;

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;

/// What a constraint turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Normal {
    /// It holds everywhere.
    Always,
    /// It holds nowhere.
    Never,
    /// It says something.
    Constraint,
}

/// The greatest common divisor of the coefficients, the constant left aside.
fn content(row: &[Int]) -> Int {
    let mut gcd = Int::ZERO;
    for coefficient in &row[..row.len() - 1] {
        if !coefficient.is_zero() {
            gcd = gcd.gcd(coefficient);
            if gcd.is_one() {
                break;
            }
        }
    }
    gcd
}

/// Divides an inequality by its content, the constant rounded down.
pub(crate) fn normalise_inequality(row: &mut Row) -> Normal {
    let gcd = content(row);
    let last = row.len() - 1;
    if gcd.is_zero() {
        return if row[last].is_negative() {
            Normal::Never
        } else {
            Normal::Always
        };
    }
    if !gcd.is_one() {
        for entry in row.iter_mut() {
            *entry = entry.div_floor(&gcd);
        }
    }
    Normal::Constraint
}

/// Divides an equality by its content and makes its first coefficient positive.
pub(crate) fn normalise_equality(row: &mut Row) -> Normal {
    let gcd = content(row);
    let last = row.len() - 1;
    if gcd.is_zero() {
        return if row[last].is_zero() {
            Normal::Always
        } else {
            Normal::Never
        };
    }
    if !row[last].is_multiple_of(&gcd) {
        return Normal::Never;
    }
    let negative = row
        .iter()
        .find(|c| !c.is_zero())
        .is_some_and(Int::is_negative);
    let divisor = if negative { -&gcd } else { gcd };
    if !divisor.is_one() {
        for entry in row.iter_mut() {
            *entry = entry.div_floor(&divisor);
        }
    }
    Normal::Constraint
}

impl Conjunct {
    /// Normalises all rows, keeps the tightest of parallel inequalities, and makes an
    /// equality of two opposite ones that touch. `None` for a contradiction.
    pub(super) fn normalise_rows(&mut self) -> Option<()> {
        let mut equalities: Vec<Row> = Vec::with_capacity(self.equalities.len());
        for mut row in std::mem::take(&mut self.equalities) {
            match normalise_equality(&mut row) {
                Normal::Never => return None,
                Normal::Always => {}
                Normal::Constraint => {
                    if !equalities.contains(&row) {
                        equalities.push(row);
                    }
                }
            }
        }
        let last = self.row_len() - 1;
        let mut kept: Vec<Option<Row>> = Vec::with_capacity(self.inequalities.len());
        let mut by_direction: FxHashMap<Vec<Int>, usize> = FxHashMap::default();
        for mut row in std::mem::take(&mut self.inequalities) {
            match normalise_inequality(&mut row) {
                Normal::Never => return None,
                Normal::Always => continue,
                Normal::Constraint => {}
            }
            let direction = row[..last].to_vec();
            if let Some(&at) = by_direction.get(&direction) {
                if let Some(other) = &mut kept[at]
                    && row[last] < other[last]
                {
                    *other = row;
                }
                continue;
            }
            by_direction.insert(direction, kept.len());
            kept.push(Some(row));
        }
        for at in 0..kept.len() {
            let Some(row) = &kept[at] else { continue };
            let opposite: Vec<Int> = row[..last].iter().map(|c| -c).collect();
            let Some(&other_at) = by_direction.get(&opposite) else {
                continue;
            };
            let Some(other) = &kept[other_at] else {
                continue;
            };
            let width = &row[last] + &other[last];
            if width.is_negative() {
                return None;
            }
            if width.is_zero() {
                let mut equality = row.clone();
                kept[at] = None;
                kept[other_at] = None;
                normalise_equality(&mut equality);
                if !equalities.contains(&equality) {
                    equalities.push(equality);
                }
            }
        }
        self.equalities = equalities;
        self.inequalities = kept.into_iter().flatten().collect();
        Some(())
    }
}
