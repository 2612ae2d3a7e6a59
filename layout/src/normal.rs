//! The normal form, in which two layouts that hold the same are equal.

use crate::{Digit, Layout, Resource};

/// Drops digits of radix 1, and joins a digit to the one before it where it goes on.
///
/// The result is the only one for what the digits mean. The first radix is the first
/// index at which the elements leave their line, and the same holds for the rest.
pub(crate) fn normal_digits(digits: &[Digit]) -> Vec<Digit> {
    let mut out: Vec<Digit> = Vec::with_capacity(digits.len());
    for digit in digits.iter().filter(|d| d.radix != 1) {
        let goes_on = |last: &Digit| {
            (last.step.iter().zip(&digit.step)).all(|(a, b)| a.checked_mul(last.radix) == Some(*b))
        };
        match out.last_mut().filter(|last| goes_on(last)) {
            Some(last) => last.radix *= digit.radix,
            None => out.push(digit.clone()),
        }
    }
    out
}

impl Layout {
    /// The same layout with the fewest digits.
    ///
    /// Digits of radix 1 are gone. A digit is joined to the one before it where its step is
    /// the radix times the step of that.
    pub fn normal_form(&self) -> Layout {
        let mut out = self.clone();
        out.map_digits(|_, digits| normal_digits(&digits));
        out
    }

    /// Whether both are of one shape, and hold the same element at each place.
    pub fn is_same_as(&self, other: &Layout) -> bool {
        self.shape() == other.shape() && Resource::ALL.into_iter().all(|r| self.agrees(other, r))
    }

    /// Whether both have as many places in a resource, which add the same.
    pub fn agrees(&self, other: &Layout, resource: Resource) -> bool {
        normal_digits(self.digits(resource)) == normal_digits(other.digits(resource))
    }
}
