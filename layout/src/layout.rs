//! The layout itself: a shape, and digits for each resource.

use crate::{Coords, Digit, LayoutError, Place, Resource};

/// The largest number of elements of a tile, and of places of a layout.
///
/// It is far above what a block can hold, so that enumeration always ends soon.
pub(crate) const LIMIT: i64 = 1 << 26;

/// The largest number of points of the box that holds all elements reached.
const BOX_LIMIT: i64 = 1 << 40;

/// The largest rank. Products of two boxes then fit in 128 bits.
const RANK_LIMIT: usize = 16;

/// Which thread and register holds which element of a tile.
///
/// Equality by `==` compares the digits as they are written. Use
/// [`Layout::is_same_as`] to compare what is held where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Coords,
    /// By [`Resource::number`].
    digits: [Vec<Digit>; 5],
}

impl Layout {
    /// The layout of a tile of this shape with these digits.
    ///
    /// The digits of one resource are in the order given, the fastest first. A resource
    /// without digits has one place. Elements may be reached that lie outside the shape.
    ///
    /// # Errors
    ///
    /// Extents and radices must be at least 1, and steps must have the rank of the shape.
    /// There are limits to the rank, the elements, the places, and the numbers reached.
    pub fn new(
        shape: &[i64],
        digits: impl IntoIterator<Item = (Resource, Digit)>,
    ) -> Result<Layout, LayoutError> {
        let mut out = Layout {
            shape: Coords::from_slice(shape),
            digits: Default::default(),
        };
        for (resource, digit) in digits {
            out.digits[resource.number()].push(digit);
        }
        out.check()?;
        Ok(out)
    }

    fn check(&self) -> Result<(), LayoutError> {
        let rank = self.rank();
        let too_large = |what, limit| LayoutError::TooLarge { what, limit };
        if rank > RANK_LIMIT {
            return Err(too_large("the rank", RANK_LIMIT as i64));
        }
        if let Some(axis) = self.shape.iter().position(|e| *e < 1) {
            let extent = self.shape[axis];
            return Err(LayoutError::Extent { axis, extent });
        }
        product(self.shape.iter().copied(), LIMIT)
            .ok_or(too_large("the number of elements", LIMIT))?;
        for (resource, digit) in self.digits_with_resource() {
            let radix = digit.radix;
            if radix < 1 {
                return Err(LayoutError::Radix { resource, radix });
            }
            if digit.step.len() != rank {
                let step = digit.step.clone();
                return Err(LayoutError::Rank {
                    resource,
                    step,
                    rank,
                });
            }
        }
        let radices = self.digits_with_resource().map(|(_, d)| d.radix);
        product(radices, LIMIT).ok_or(too_large("the number of places", LIMIT))?;
        let reached = (0..rank).map(|axis| self.checked_reach(axis));
        let extents = reached.map(|r| r.and_then(|(low, high)| (high - low).checked_add(1)));
        let extents: Option<Vec<i64>> = extents.collect();
        (extents.and_then(|e| product(e.into_iter(), BOX_LIMIT)))
            .map(|_| ())
            .ok_or(too_large("the box of the elements reached", BOX_LIMIT))
    }

    /// Replaces the digits of each resource by others that mean no more than these.
    pub(crate) fn map_digits(&mut self, f: impl Fn(Resource, Vec<Digit>) -> Vec<Digit>) {
        for resource in Resource::ALL {
            let digits = &mut self.digits[resource.number()];
            *digits = f(resource, std::mem::take(digits));
        }
    }

    /// The least and the greatest coordinate reached along a dimension.
    fn checked_reach(&self, axis: usize) -> Option<(i64, i64)> {
        let mut out = (0i64, 0i64);
        for (_, digit) in self.digits_with_resource() {
            let far = digit.step[axis].checked_mul(digit.radix - 1)?;
            out.0 = out.0.checked_add(far.min(0))?;
            out.1 = out.1.checked_add(far.max(0))?;
        }
        (out.1.checked_sub(out.0)? <= BOX_LIMIT).then_some(out)
    }

    /// The least and the greatest coordinate reached along a dimension.
    pub(crate) fn reach(&self, axis: usize) -> (i64, i64) {
        // Construction has refused what overflows.
        self.checked_reach(axis).unwrap_or((0, 0))
    }

    /// The extents of the tile.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The number of dimensions of the tile.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements of the tile.
    pub fn volume(&self) -> i64 {
        self.shape.iter().product()
    }

    /// The digits of a resource, the fastest first.
    pub fn digits(&self, resource: Resource) -> &[Digit] {
        &self.digits[resource.number()]
    }

    /// All digits, resource by resource.
    pub fn digits_with_resource(&self) -> impl Iterator<Item = (Resource, &Digit)> + Clone {
        (Resource::ALL.into_iter()).flat_map(|r| self.digits(r).iter().map(move |d| (r, d)))
    }

    /// The number of places in a resource, which is the product of its radices.
    pub fn size(&self, resource: Resource) -> usize {
        self.digits(resource)
            .iter()
            .map(|d| d.radix as usize)
            .product()
    }

    /// The number of all places.
    pub fn places(&self) -> usize {
        Resource::ALL.into_iter().map(|r| self.size(r)).product()
    }

    /// What the index in one resource adds to the element's coordinates.
    ///
    /// The index counts modulo the size of the resource. So a layout without lanes gives
    /// every lane the same elements.
    pub fn part(&self, resource: Resource, index: usize) -> Coords {
        let mut out = Coords::from_elem(0, self.rank());
        let mut rest = index;
        for digit in self.digits(resource) {
            let radix = digit.radix as usize;
            let value = (rest % radix) as i64;
            rest /= radix;
            for (o, s) in out.iter_mut().zip(&digit.step) {
                *o += value * s;
            }
        }
        out
    }

    /// The element that is held at a place.
    ///
    /// Each index counts modulo the size of its resource.
    pub fn element(&self, place: &Place) -> Coords {
        let mut out = Coords::from_elem(0, self.rank());
        for resource in Resource::ALL {
            let part = self.part(resource, place.at(resource));
            for (o, p) in out.iter_mut().zip(&part) {
                *o += p;
            }
        }
        out
    }

    /// Whether coordinates name an element of the tile.
    pub fn contains(&self, element: &[i64]) -> bool {
        element.len() == self.rank()
            && (element.iter().zip(&self.shape)).all(|(c, e)| (0..*e).contains(c))
    }

    /// Whether all places hold elements of the tile.
    pub fn stays_inside(&self) -> bool {
        (0..self.rank()).all(|axis| {
            let (low, high) = self.reach(axis);
            low >= 0 && high < self.shape[axis]
        })
    }
}

/// The product of numbers that are at least 1, if it is within the limit.
pub(crate) fn product(mut numbers: impl Iterator<Item = i64>, limit: i64) -> Option<i64> {
    numbers.try_fold(1i64, |all, n| {
        all.checked_mul(n).filter(|product| *product <= limit)
    })
}
