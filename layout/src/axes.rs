//! Dimensions of a tile that go, come, and change places.

use crate::{Coords, Digit, Layout, LayoutError, Resource};

/// A digit along one dimension that is still to come: resource, radix, and step.
pub type HeldAlong = (Resource, i64, i64);

impl Layout {
    /// What a reduction along a dimension leaves.
    ///
    /// Threads that held elements along the dimension hold copies of the result. Registers
    /// that did so are folded into one, so their digits vanish.
    ///
    /// # Errors
    ///
    /// There must be such a dimension.
    pub fn drop_axis(&self, axis: usize) -> Result<Layout, LayoutError> {
        self.check_axis(axis, self.rank())?;
        let digits = self.digits_with_resource().filter_map(|(resource, digit)| {
            let mut out = digit.clone();
            let along = out.step.remove(axis);
            let folded = resource == Resource::Reg && along != 0 && out.is_copies();
            (!folded).then_some((resource, out))
        });
        let digits: Vec<_> = digits.collect();
        let mut shape = Coords::from_slice(self.shape());
        shape.remove(axis);
        Layout::new(&shape, digits)
    }

    /// The layout with a new dimension in front of dimension `axis`, or behind the last.
    ///
    /// Each thread holds all elements along it, in its slowest registers.
    ///
    /// # Errors
    ///
    /// `axis` must not be above the rank, and the result must not be too large.
    pub fn broadcast(&self, axis: usize, extent: i64) -> Result<Layout, LayoutError> {
        self.broadcast_over(axis, extent, &[(Resource::Reg, extent, 1)])
    }

    /// The layout with a new dimension, which these digits spread.
    ///
    /// A digit takes the place of copies of its resource where there are enough of them.
    /// Otherwise, and in registers, it comes behind the digits of its resource.
    ///
    /// # Errors
    ///
    /// As [`Layout::broadcast`].
    pub fn broadcast_over(
        &self,
        axis: usize,
        extent: i64,
        held: &[HeldAlong],
    ) -> Result<Layout, LayoutError> {
        let rank = self.rank();
        self.check_axis(axis, rank + 1)?;
        let mut shape = Coords::from_slice(self.shape());
        shape.insert(axis, extent);
        let mut digits: Vec<(Resource, Digit)> = (self.digits_with_resource())
            .map(|(resource, digit)| {
                let mut out = digit.clone();
                out.step.insert(axis, 0);
                (resource, out)
            })
            .collect();
        for &(resource, radix, step) in held {
            let new = Digit::along(radix, axis, step, rank + 1);
            let is_enough = |(r, d): &(Resource, Digit)| {
                *r == resource && d.is_copies() && radix > 1 && d.radix % radix == 0
            };
            let found = digits.iter().position(is_enough);
            match found.filter(|_| resource != Resource::Reg) {
                Some(at) if digits[at].1.radix == radix => digits[at].1 = new,
                Some(at) => {
                    digits[at].1.radix /= radix;
                    digits.insert(at, (resource, new));
                }
                None => digits.push((resource, new)),
            }
        }
        Layout::new(&shape, digits)
    }

    /// The layout whose dimension `n` is dimension `order[n]` of this one.
    ///
    /// # Errors
    ///
    /// `order` must name each dimension once.
    pub fn transpose(&self, order: &[usize]) -> Result<Layout, LayoutError> {
        check_permutation(order, self.rank())?;
        let permuted = |c: &[i64]| -> Coords { order.iter().map(|from| c[*from]).collect() };
        let digits = self.digits_with_resource().map(|(resource, digit)| {
            let step = permuted(&digit.step);
            (resource, Digit { step, ..*digit })
        });
        Layout::new(&permuted(self.shape()), digits)
    }

    pub(crate) fn check_axis(&self, axis: usize, rank: usize) -> Result<(), LayoutError> {
        match axis < rank {
            true => Ok(()),
            false => Err(LayoutError::Axis { axis, rank }),
        }
    }
}

/// Whether a list names each dimension once.
pub(crate) fn check_permutation(order: &[usize], rank: usize) -> Result<(), LayoutError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    match sorted.into_iter().eq(0..rank) {
        true => Ok(()),
        false => Err(LayoutError::Permutation {
            order: order.to_vec(),
            rank,
        }),
    }
}
