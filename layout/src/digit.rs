//! One digit of a resource's index.

use crate::Coords;

/// One digit of a resource's index, and how far it moves in the tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digit {
    /// The digit counts from 0 up to this number, which it does not reach.
    pub radix: i64,
    /// The way to the next element, one coordinate for each dimension.
    pub step: Coords,
}

impl Digit {
    /// A digit with this radix and step.
    pub fn new(radix: i64, step: &[i64]) -> Digit {
        Digit {
            radix,
            step: Coords::from_slice(step),
        }
    }

    /// A digit whose values all hold the same element.
    pub fn copies(radix: i64, rank: usize) -> Digit {
        Digit {
            radix,
            step: Coords::from_elem(0, rank),
        }
    }

    /// A digit that moves along one dimension alone.
    ///
    /// The dimension must be less than the rank. If it is not, the digit holds copies.
    pub fn along(radix: i64, axis: usize, step: i64, rank: usize) -> Digit {
        let mut out = Digit::copies(radix, rank);
        if let Some(s) = out.step.get_mut(axis) {
            *s = step;
        }
        out
    }

    /// Whether all values of the digit hold the same element.
    pub fn is_copies(&self) -> bool {
        self.step.iter().all(|s| *s == 0)
    }
}
