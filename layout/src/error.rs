//! What may be wrong with a layout, or with what is asked of one.

use crate::{Coords, Resource};
use std::fmt;

/// Why a layout cannot be made, or a question about layouts has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// A dimension has an extent below 1.
    Extent {
        /// The dimension.
        axis: usize,
        /// Its extent.
        extent: i64,
    },
    /// A digit has a radix below 1.
    Radix {
        /// The resource of the digit.
        resource: Resource,
        /// The radix.
        radix: i64,
    },
    /// A step has more or fewer coordinates than the shape.
    Rank {
        /// The resource of the digit.
        resource: Resource,
        /// The step.
        step: Coords,
        /// The rank of the shape.
        rank: usize,
    },
    /// A number is above what layouts are made for.
    TooLarge {
        /// What has that many.
        what: &'static str,
        /// The largest number that is allowed.
        limit: i64,
    },
    /// There is no such dimension.
    Axis {
        /// The dimension that was named.
        axis: usize,
        /// The number of dimensions.
        rank: usize,
    },
    /// A list does not name each dimension once.
    Permutation {
        /// The list.
        order: Vec<usize>,
        /// The number of dimensions.
        rank: usize,
    },
    /// Elements cannot be spread evenly.
    Indivisible {
        /// What is spread.
        what: &'static str,
        /// How many there are of it.
        number: i64,
        /// What it is spread over.
        over: &'static str,
        /// How many there are of that.
        parts: i64,
    },
    /// Two layouts are of tiles of different shapes.
    Shapes {
        /// The shape of the first.
        from: Coords,
        /// The shape of the second.
        to: Coords,
    },
    /// An element that is needed is held nowhere, or not in the same block.
    NotHeld {
        /// The element.
        element: Coords,
    },
    /// A layout of memory is not well formed.
    Memory {
        /// What would be right.
        wanted: &'static str,
    },
    /// The elements of an access do not lie side by side, or are not aligned.
    Access {
        /// The bytes of the access.
        bytes: i64,
    },
}

/// A list with brackets.
pub(crate) struct List<'a, T>(pub &'a [T], pub [char; 2], pub &'static str);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let List(items, [open, close], between) = self;
        write!(f, "{open}")?;
        for (n, item) in items.iter().enumerate() {
            let before = if n > 0 { between } else { "" };
            write!(f, "{before}{item}")?;
        }
        write!(f, "{close}")
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::Extent { axis, extent } => {
                write!(
                    f,
                    "dimension {axis} has extent {extent}; it must be at least 1"
                )
            }
            LayoutError::Radix { resource, radix } => {
                write!(
                    f,
                    "a digit of `{resource}` has radix {radix}; it must be at least 1"
                )
            }
            LayoutError::Rank {
                resource,
                step,
                rank,
            } => write!(
                f,
                "the step {} of `{resource}` must have {rank} coordinates, as the shape has",
                List(step, ['(', ')'], ",")
            ),
            LayoutError::TooLarge { what, limit } => {
                write!(f, "{what} must not be more than {limit}")
            }
            LayoutError::Axis { axis, rank } => {
                write!(f, "there is no dimension {axis} among {rank}")
            }
            LayoutError::Permutation { order, rank } => write!(
                f,
                "{} must name each of {rank} dimensions once",
                List(order, ['[', ']'], ", ")
            ),
            LayoutError::Indivisible {
                what,
                number,
                over,
                parts,
            } => write!(
                f,
                "{number} {what} cannot be spread evenly over {parts} {over}"
            ),
            LayoutError::Shapes { from, to } => write!(
                f,
                "a tile of shape {} is not one of shape {}",
                List(from, ['[', ']'], ", "),
                List(to, ['[', ']'], ", ")
            ),
            LayoutError::NotHeld { element } => write!(
                f,
                "the element {} is not held in the block that needs it",
                List(element, ['(', ')'], ",")
            ),
            LayoutError::Memory { wanted } => write!(f, "in a layout of memory, {wanted}"),
            LayoutError::Access { bytes } => write!(
                f,
                "the elements of an access of {bytes} bytes must be adjacent and aligned"
            ),
        }
    }
}

impl std::error::Error for LayoutError {}
