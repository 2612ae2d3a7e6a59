//! Layouts made for accesses: a tile spread over registers, lanes and warps.

use crate::axes::check_permutation;
use crate::{Digit, Layout, LayoutError, Resource};
use num_integer::gcd;

/// Lanes of a warp.
pub(crate) const LANES: i64 = 32;

/// A tile of which a part is spread already.
struct Spread {
    shape: Vec<i64>,
    /// How many pieces are left along each dimension.
    left: Vec<i64>,
    digits: Vec<(Resource, Digit)>,
}

impl Spread {
    fn new(shape: &[i64]) -> Result<Spread, LayoutError> {
        // Checks the extents.
        Layout::new(shape, [])?;
        Ok(Spread {
            shape: shape.to_vec(),
            left: shape.to_vec(),
            digits: Vec::new(),
        })
    }

    /// Spreads so many of the pieces left along one dimension.
    fn take(&mut self, resource: Resource, axis: usize, number: i64) {
        if number > 1 {
            let step = self.shape[axis] / self.left[axis];
            let digit = Digit::along(number, axis, step, self.shape.len());
            self.digits.push((resource, digit));
            self.left[axis] /= number;
        }
    }

    /// As [`Spread::take`], where the number need not divide what is left.
    fn take_evenly(
        &mut self,
        resource: Resource,
        axis: usize,
        number: i64,
        over: &'static str,
    ) -> Result<(), LayoutError> {
        let left = self.left[axis];
        if number < 1 || left % number != 0 {
            return Err(LayoutError::Indivisible {
                what: "elements of a row",
                number: left,
                over,
                parts: number,
            });
        }
        self.take(resource, axis, number);
        Ok(())
    }

    /// Spreads pieces over `number` places, along the dimensions in their order.
    ///
    /// Where there are fewer pieces than places, the places left hold copies.
    fn fill(
        &mut self,
        resource: Resource,
        number: i64,
        order: &[usize],
        over: &'static str,
    ) -> Result<(), LayoutError> {
        let pieces: i64 = order.iter().map(|axis| self.left[*axis]).product();
        let mut places = number;
        for axis in order {
            let common = gcd(places, self.left[*axis]);
            self.take(resource, *axis, common);
            places /= common;
        }
        if places > 1 && pieces >= number {
            return Err(LayoutError::Indivisible {
                what: "pieces of a tile",
                number: pieces,
                over,
                parts: number,
            });
        }
        if places > 1 {
            let copies = Digit::copies(places, self.shape.len());
            self.digits.push((resource, copies));
        }
        Ok(())
    }

    /// Holds what is left in registers.
    fn finish(mut self, order: &[usize]) -> Result<Layout, LayoutError> {
        for axis in order {
            self.take(Resource::Reg, *axis, self.left[*axis]);
        }
        Layout::new(&self.shape, self.digits)
    }
}

/// The warps of so many threads.
fn warps(threads: i64) -> Result<i64, LayoutError> {
    if threads < LANES || threads % LANES != 0 {
        return Err(LayoutError::Indivisible {
            what: "threads",
            number: threads,
            over: "lanes of a warp",
            parts: LANES,
        });
    }
    Ok(threads / LANES)
}

impl Layout {
    /// The layout of an access to a tile that lies in memory in this order of dimensions.
    ///
    /// `order[0]` is the dimension along which elements are adjacent. A thread holds `vector`
    /// of them in its fastest registers. Lanes and then warps follow along the order until
    /// the tile is used up, and registers hold the rest. Where the tile has fewer pieces than
    /// there are lanes or warps, the others hold copies.
    ///
    /// # Errors
    ///
    /// `order` must name each dimension once, and `threads` must be whole warps. The
    /// vectors must divide the first extent. Where there are pieces enough for all lanes
    /// or warps, they must come out even.
    pub fn blocked(
        shape: &[i64],
        order: &[usize],
        vector: i64,
        threads: i64,
    ) -> Result<Layout, LayoutError> {
        check_permutation(order, shape.len())?;
        let warps = warps(threads)?;
        let mut spread = Spread::new(shape)?;
        match order.first() {
            Some(first) => {
                spread.take_evenly(Resource::Reg, *first, vector, "elements of an access")?;
            }
            None if vector == 1 => {}
            None => return Err(LayoutError::Axis { axis: 0, rank: 0 }),
        }
        spread.fill(Resource::Lane, LANES, order, "lanes")?;
        spread.fill(Resource::Warp, warps, order, "warps")?;
        spread.finish(order)
    }

    /// The layout for reductions along one dimension, whose rows are shared by threads.
    ///
    /// A thread holds `vector` adjacent elements of a row. Then `threads_per_row` lanes share
    /// the row, or whole warps where these are more than 32. The lanes and warps left take
    /// other rows, those along the last dimension first. Registers hold the rest.
    ///
    /// # Errors
    ///
    /// There must be such a dimension, and `threads` must be whole warps. The numbers given
    /// must divide the row, and the threads of a row must divide a warp or the block.
    /// Where there are rows enough for all lanes or warps, they must come out even.
    pub fn rows(
        shape: &[i64],
        axis: usize,
        threads_per_row: i64,
        vector: i64,
        threads: i64,
    ) -> Result<Layout, LayoutError> {
        let rank = shape.len();
        if axis >= rank {
            return Err(LayoutError::Axis { axis, rank });
        }
        let warps = warps(threads)?;
        let mut spread = Spread::new(shape)?;
        let lanes_per_row = threads_per_row.clamp(1, LANES);
        let warps_per_row = (threads_per_row / LANES).max(1);
        if threads_per_row != lanes_per_row * warps_per_row
            || LANES % lanes_per_row != 0
            || warps % warps_per_row != 0
        {
            return Err(LayoutError::Indivisible {
                what: "threads",
                number: threads,
                over: "threads of a row",
                parts: threads_per_row,
            });
        }
        let others: Vec<usize> = (0..rank).rev().filter(|a| *a != axis).collect();
        spread.take_evenly(Resource::Reg, axis, vector, "elements of an access")?;
        spread.take_evenly(Resource::Lane, axis, lanes_per_row, "lanes")?;
        spread.take_evenly(Resource::Warp, axis, warps_per_row, "warps")?;
        spread.fill(Resource::Lane, LANES / lanes_per_row, &others, "lanes left")?;
        spread.fill(Resource::Warp, warps / warps_per_row, &others, "warps left")?;
        spread.take(Resource::Reg, axis, spread.left[axis]);
        spread.finish(&others)
    }
}
