//! Coordinates as single numbers, so that elements are compared and summed quickly.

use crate::{Layout, Resource};
use smallvec::SmallVec;

/// A set of numbers of elements.
pub(crate) enum Keys {
    /// By number, where all are within a shape.
    Few(Vec<bool>),
    Sorted(Vec<i128>),
}

impl Keys {
    /// The set of these numbers, of which all but those in `0..volume` need a search.
    pub(crate) fn of(mut keys: Vec<i128>, volume: i64) -> Keys {
        if keys.iter().all(|k| (0..i128::from(volume)).contains(k)) {
            let mut out = vec![false; volume as usize];
            keys.iter().for_each(|k| out[*k as usize] = true);
            return Keys::Few(out);
        }
        keys.sort_unstable();
        keys.dedup();
        Keys::Sorted(keys)
    }

    pub(crate) fn contains(&self, key: i128) -> bool {
        match self {
            Keys::Few(seen) => usize::try_from(key).is_ok_and(|k| seen.get(k) == Some(&true)),
            Keys::Sorted(keys) => keys.binary_search(&key).is_ok(),
        }
    }

    /// The number of different ones.
    pub(crate) fn len(&self) -> usize {
        match self {
            Keys::Few(seen) => seen.iter().filter(|s| **s).count(),
            Keys::Sorted(keys) => keys.len(),
        }
    }
}

/// A box that holds all elements that some layouts reach, and its row-major numbering.
pub(crate) struct Frame {
    strides: SmallVec<[i128; 4]>,
}

impl Frame {
    /// The frame of these layouts, which must be of one rank, and of their shapes.
    ///
    /// No two points of the box have the same number. Ranks and boxes are limited, so
    /// that 128 bits suffice for a pair of layouts.
    pub(crate) fn of(layouts: &[&Layout]) -> Frame {
        let rank = layouts.first().map_or(0, |l| l.rank());
        let mut strides = SmallVec::from_elem(1i128, rank);
        let mut stride = 1i128;
        for axis in (0..rank).rev() {
            strides[axis] = stride;
            let reaches = layouts.iter().map(|l| (l.reach(axis), l.shape()[axis]));
            let (low, high) = reaches.fold((0, 0), |all, ((low, high), extent)| {
                (low.min(all.0), high.max(extent - 1).max(all.1))
            });
            stride *= i128::from(high - low) + 1;
        }
        Frame { strides }
    }

    /// The number of a point. Numbers add up as points do.
    pub(crate) fn key(&self, point: &[i64]) -> i128 {
        // The step of a digit of radix 1 may be anything, and is not used.
        (self.strides.iter().zip(point)).fold(0, |sum: i128, (s, c)| {
            sum.wrapping_add(s.wrapping_mul(i128::from(*c)))
        })
    }

    /// For each index in a resource, the number of what it adds.
    pub(crate) fn keys(&self, layout: &Layout, resource: Resource) -> Vec<i128> {
        let mut out = vec![0];
        out.reserve(layout.size(resource));
        for digit in layout.digits(resource) {
            let (step, below) = (self.key(&digit.step), out.len());
            for value in 1..digit.radix {
                for n in 0..below {
                    out.push(out[n] + i128::from(value) * step);
                }
            }
        }
        out
    }
}
