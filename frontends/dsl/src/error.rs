//! What is wrong with an expression, found where it was written.

use std::fmt;
use std::panic::Location;

/// The sizes of an array, the outermost dimension first; none for a number.
pub type Sizes = smallvec::SmallVec<[usize; 4]>;

/// Sizes as messages have them: `3 x 4`, or `a number`.
pub fn sizes_text(sizes: &[usize]) -> String {
    match sizes {
        [] => "a number".to_string(),
        s => s
            .iter()
            .map(usize::to_string)
            .collect::<Vec<_>>()
            .join(" x "),
    }
}

/// An expression that means nothing, and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct ExprError {
    /// The line of the program.
    pub at: &'static Location<'static>,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// Two operands have different shapes.
    Shapes {
        /// The operation, as `+`.
        operation: &'static str,
        /// The sizes of the operand on the left.
        left: Sizes,
        /// The sizes of the other.
        right: Sizes,
    },
    /// An expression is assigned to an array of another shape.
    Destination {
        /// The sizes of the array.
        array: Sizes,
        /// Those of the expression.
        expression: Sizes,
    },
    /// An operation needs an array, and there is none in its operand.
    NoArray {
        /// The operation, as `sum`.
        operation: &'static str,
    },
    /// An axis that the shape does not have.
    Axis {
        /// The axis that was asked for, from 0.
        axis: usize,
        /// The sizes of the array.
        sizes: Sizes,
    },
    /// A view that does not lie in its array.
    View {
        /// What was asked for, in words.
        asked: String,
        /// The sizes of the array.
        sizes: Sizes,
    },
    /// Neighbours are asked for of what is no array.
    NoNeighbours,
    /// A neighbour is told by another number of offsets than the array has axes.
    Offsets {
        /// How many there are.
        given: usize,
        /// The sizes of the array.
        sizes: Sizes,
    },
    /// Elements are gathered from an array that has several axes, or no elements.
    Gather {
        /// The sizes of the array.
        sizes: Sizes,
    },
    /// Elements are written to places in an array that has several axes.
    Scatter {
        /// The sizes of the array.
        sizes: Sizes,
    },
    /// A matrix is multiplied with an array of another length than it has columns.
    Product {
        /// The sizes of the matrix.
        matrix: [usize; 2],
        /// The sizes of the array.
        vector: Sizes,
    },
    /// What has several axes, or none, is sorted.
    Sorted {
        /// Its sizes.
        sizes: Sizes,
    },
    /// Keys of a reduction have several axes, or none.
    Keyed {
        /// Their sizes.
        sizes: Sizes,
    },
    /// A value that a loop hands on is used outside of the loop.
    Carried,
    /// An array whose elements are repeated is written.
    Repeated {
        /// The sizes of the array.
        sizes: Sizes,
    },
    /// A complex number stands where one number is needed.
    Complex,
    /// Two contexts' arrays meet in an expression.
    Contexts,
    /// An expression that is too large: of more operations than this.
    Large(usize),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Shapes {
                operation,
                left,
                right,
            } => write!(
                f,
                "the operands of `{operation}` have the shapes {} and {}; they must be equal, or \
                 one of them a number",
                sizes_text(left),
                sizes_text(right)
            ),
            Problem::Destination { array, expression } => write!(
                f,
                "an expression of shape {} is assigned to an array of shape {}; they must be \
                 equal, or the expression a number",
                sizes_text(expression),
                sizes_text(array)
            ),
            Problem::NoArray { operation } => write!(
                f,
                "`{operation}` has no array in its operand, so it is not known over how many \
                 elements it goes"
            ),
            Problem::Axis { axis, sizes } => write!(
                f,
                "axis {axis} of an array of shape {}; axes are counted from 0 and there are {}",
                sizes_text(sizes),
                sizes.len()
            ),
            Problem::View { asked, sizes } => write!(
                f,
                "{asked} does not lie in an array of shape {}",
                sizes_text(sizes)
            ),
            Problem::NoNeighbours => f.write_str(
                "neighbours are elements of an array; assign the expression to an array first",
            ),
            Problem::Offsets { given, sizes } => write!(
                f,
                "found {given} offsets for a neighbour in an array of shape {}; there is one for \
                 each axis",
                sizes_text(sizes)
            ),
            Problem::Gather { sizes } => write!(
                f,
                "elements are gathered from an array of shape {}; it must have one axis, and an \
                 element",
                sizes_text(sizes)
            ),
            Problem::Scatter { sizes } => write!(
                f,
                "elements are written to places in an array of shape {}; it must have one axis",
                sizes_text(sizes)
            ),
            Problem::Product { matrix, vector } => write!(
                f,
                "a matrix of shape {} is multiplied with an array of shape {}; it must have the \
                 shape {}",
                sizes_text(matrix),
                sizes_text(vector),
                matrix[1]
            ),
            Problem::Sorted { sizes } => write!(
                f,
                "what is sorted has the shape {}; it must have one axis",
                sizes_text(sizes)
            ),
            Problem::Keyed { sizes } => write!(
                f,
                "the keys of a reduction have the shape {}; they must have one axis",
                sizes_text(sizes)
            ),
            Problem::Carried => f.write_str(
                "a value that `iterate` hands on is used outside of the step; use what `iterate` \
                 gives instead",
            ),
            Problem::Repeated { sizes } => write!(
                f,
                "an array of shape {} is written whose elements are repeated; it can be read only",
                sizes_text(sizes)
            ),
            Problem::Complex => f.write_str(
                "a fault of terrace's own: a complex number stands where one of its parts is needed",
            ),
            Problem::Contexts => f.write_str(
                "arrays of two contexts meet in one expression; bring one of them over by \
                 `to_vec` and `vector`",
            ),
            Problem::Large(most) => write!(
                f,
                "an expression has more than {most} operations; assign a part of it to an array"
            ),
        }
    }
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        write!(
            f,
            "{}:{}:{}: {}",
            at.file(),
            at.line(),
            at.column(),
            self.problem
        )
    }
}

impl std::error::Error for ExprError {}
