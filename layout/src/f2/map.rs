//! A layout as a matrix, and back.

use super::BitMatrix;
use crate::{Coords, Digit, Layout, Place, Resource};
use std::ops::Range;

/// A layout as a matrix from the bits of places to the bits of coordinates.
///
/// The input has the bits of one resource after the other, in the order of
/// [`Resource::ALL`]. The output has the bits of the last dimension lowest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct F2 {
    shape: Coords,
    /// The bits of the index, by [`Resource::number`].
    inputs: [usize; 5],
    /// The bits of a coordinate, by dimension.
    outputs: Vec<usize>,
    matrix: BitMatrix,
}

/// Bits that a number up to `largest` needs.
fn bits(largest: i64) -> usize {
    (64 - largest.leading_zeros()) as usize
}

impl Layout {
    /// The layout as a matrix, if it is linear over bits.
    ///
    /// It is where all radices are powers of two, no step is negative, and no two digits
    /// set the same bit of a coordinate.
    pub fn to_f2(&self) -> Option<F2> {
        let rank = self.rank();
        let largest = |axis: usize| self.reach(axis).1.max(self.shape()[axis] - 1);
        let outputs: Vec<usize> = (0..rank).map(|axis| bits(largest(axis))).collect();
        let rows: usize = outputs.iter().sum();
        if rows > 64 {
            return None;
        }
        let mut columns = Vec::new();
        let mut used = 0u64;
        for (_, digit) in self.digits_with_resource() {
            if !digit.radix.is_positive() || digit.radix.count_ones() != 1 {
                return None;
            }
            for bit in 0..digit.radix.ilog2() {
                let mut column = 0u64;
                for (step, width) in digit.step.iter().zip(&outputs) {
                    if *step < 0 {
                        return None;
                    }
                    column = column.checked_shl(*width as u32).unwrap_or(0) | (*step as u64) << bit;
                }
                if used & column != 0 {
                    return None;
                }
                used |= column;
                columns.push(column);
            }
        }
        Some(F2 {
            shape: Coords::from_slice(self.shape()),
            inputs: Resource::ALL.map(|r| self.size(r).ilog2() as usize),
            outputs,
            matrix: BitMatrix::new(rows, columns)?,
        })
    }
}

impl F2 {
    /// The matrix.
    pub fn matrix(&self) -> &BitMatrix {
        &self.matrix
    }

    /// Which columns of the matrix belong to a resource.
    pub fn columns_of(&self, resource: Resource) -> Range<usize> {
        let n = resource.number();
        let start = self.inputs[..n].iter().sum();
        start..start + self.inputs[n]
    }

    /// The bits of each coordinate, by dimension.
    pub fn coordinate_bits(&self) -> &[usize] {
        &self.outputs
    }

    /// A place as bits. Each index counts modulo the size of its resource.
    pub fn pack(&self, place: &Place) -> u64 {
        Resource::ALL.into_iter().fold(0, |all, resource| {
            let columns = self.columns_of(resource);
            let index = place.at(resource) as u64 & ((1 << columns.len()) - 1);
            all | index << columns.start
        })
    }

    /// The coordinates that an image stands for.
    pub fn unpack(&self, mut image: u64) -> Coords {
        let mut out = Coords::from_elem(0, self.outputs.len());
        for (c, width) in out.iter_mut().zip(&self.outputs).rev() {
            // Coordinates have fewer than 63 bits.
            *c = (image & ((1 << width) - 1)) as i64;
            image = image.checked_shr(*width as u32).unwrap_or(0);
        }
        out
    }

    /// The element that is held at a place.
    pub fn element(&self, place: &Place) -> Coords {
        self.unpack(self.matrix.apply(self.pack(place)))
    }

    /// The same map with another matrix of the same size.
    pub fn with_matrix(&self, matrix: BitMatrix) -> Option<F2> {
        let same = matrix.rows() == self.matrix.rows()
            && matrix.columns().len() == self.matrix.columns().len();
        same.then(|| F2 {
            matrix,
            ..self.clone()
        })
    }

    /// The map as digits, in normal form.
    ///
    /// There are none where two columns set the same bit, as they do behind a swizzle.
    pub fn to_layout(&self) -> Option<Layout> {
        let mut used = 0u64;
        let mut digits = Vec::new();
        for resource in Resource::ALL {
            for n in self.columns_of(resource) {
                let column = self.matrix.columns()[n];
                if used & column != 0 {
                    return None;
                }
                used |= column;
                digits.push((resource, Digit::new(2, &self.unpack(column))));
            }
        }
        Some(Layout::new(&self.shape, digits).ok()?.normal_form())
    }
}
