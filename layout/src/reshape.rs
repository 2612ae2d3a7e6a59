//! The same elements in the same order, under another shape.

use crate::{Coords, Digit, Layout, Resource};

impl Layout {
    /// The layout of the tile with another shape, whose elements keep their row-major order.
    ///
    /// Digits are cut where the new shape begins a new row. There is no such layout where
    /// a digit cannot be cut evenly. Nor is there one where the number of elements differs,
    /// or where elements outside the shape are held.
    pub fn reshape(&self, shape: &[i64]) -> Option<Layout> {
        let volume = crate::layout::product(shape.iter().copied(), crate::layout::LIMIT)?;
        if shape.iter().any(|e| *e < 1) || volume != self.volume() || !self.stays_inside() {
            return None;
        }
        let mut digits: Vec<(Resource, Digit)> = Vec::new();
        for (resource, digit) in self.digits_with_resource().filter(|(_, d)| d.radix > 1) {
            let step = (digit.step.iter().zip(self.shape())).fold(0, |n, (c, e)| n * e + c);
            // Such a digit goes back along some dimension, and rows end elsewhere now.
            if step < 0 {
                return None;
            }
            cut(digit.radix, step, shape, &mut |d| {
                digits.push((resource, d))
            })?;
        }
        let out = Layout::new(shape, digits).ok()?;
        // If no sum of digits leaves a dimension, no sum carries into the next one.
        out.stays_inside().then_some(out)
    }
}

/// The coordinates of the element with a number.
fn coordinates(mut number: i64, shape: &[i64]) -> Coords {
    let mut out = Coords::from_elem(0, shape.len());
    for (c, extent) in out.iter_mut().zip(shape).rev() {
        *c = number % extent;
        number /= extent;
    }
    out
}

/// Cuts a digit over numbers into digits over coordinates, from the fastest on.
fn cut(mut radix: i64, mut step: i64, shape: &[i64], out: &mut impl FnMut(Digit)) -> Option<()> {
    while radix > 1 {
        let along = coordinates(step, shape);
        let fits = |n: i64| (along.iter().zip(shape)).all(|(c, extent)| (n - 1) * c < *extent);
        let largest = (2..=radix).rev().find(|n| radix % n == 0 && fits(*n))?;
        out(Digit {
            radix: largest,
            step: along,
        });
        radix /= largest;
        step *= largest;
    }
    Some(())
}
