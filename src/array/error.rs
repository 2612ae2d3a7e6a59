//! What goes wrong with arrays.

use crate::array::Candidate;
use crate::run::RunError;
use crate::runtime::buffer::BufferError;
use crate::runtime::device::DeviceError;
use std::fmt;
use std::panic::Location;
use terrace_dsl::{ElementType, ExprError, sizes_text};

/// Why an array was not made, copied or computed.
#[derive(Debug, Clone)]
pub enum ArrayError {
    /// An expression means nothing; it names its line.
    Expression(ExprError),
    /// No device passes a filter; these were tried.
    NoDevice(Vec<Candidate>),
    /// A setting of the environment, or a device that cannot be opened.
    Setting(String),
    /// A slice has another number of elements than the array.
    Length {
        /// The elements of the slice.
        slice: usize,
        /// The sizes of the array.
        sizes: Vec<usize>,
    },
    /// No memory for an array, or a device that does not do as it is told.
    Device(String),
    /// No code for an expression: what the compiler says.
    Compile(String),
    /// A kernel failed while it ran.
    Kernel {
        /// The line of the operation that failed, where it is known.
        at: Option<&'static Location<'static>>,
        /// What happened.
        message: String,
    },
    /// The parts of a sparse matrix do not fit together: what was found, and what would be right.
    Sparse(String),
    /// An element was to be written to a place that its array has not. The others were written.
    Place {
        /// The line that says so.
        at: &'static Location<'static>,
        /// The number of the element in row-major order, from 0: the first of those.
        element: usize,
        /// Its place.
        place: i64,
        /// The size of the array.
        size: usize,
    },
    /// Elements that are borrowed for reading are to be written.
    Shared,
    /// Elements that were borrowed are used when they are back.
    GivenBack,
    /// The kernel that was to compute an array failed, so it holds nothing. Setting all of it
    /// makes it whole again.
    Lost(Box<ArrayError>),
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayError::Expression(e) => e.fmt(f),
            ArrayError::NoDevice(tried) => {
                f.write_str("no device passes the filter; there are: ")?;
                let names: Vec<String> = tried.iter().map(Candidate::to_string).collect();
                f.write_str(&names.join(", "))
            }
            ArrayError::Length { slice, sizes } => write!(
                f,
                "found a slice of {slice} elements for an array of shape {}; it must have {}",
                sizes_text(sizes),
                sizes.iter().product::<usize>()
            ),
            ArrayError::Setting(m)
            | ArrayError::Device(m)
            | ArrayError::Compile(m)
            | ArrayError::Sparse(m) => f.write_str(m),
            ArrayError::Kernel { at, message } => match at {
                Some(at) => {
                    let (file, line, column) = (at.file(), at.line(), at.column());
                    write!(f, "{file}:{line}:{column}: {message}")
                }
                None => f.write_str(message),
            },
            ArrayError::Place {
                at,
                element,
                place,
                size,
            } => {
                let (file, line, column) = (at.file(), at.line(), at.column());
                write!(
                    f,
                    "{file}:{line}:{column}: element {element} was to go to place {place} of an \
                     array of {size}; places are counted from 0 and there are {size}"
                )
            }
            ArrayError::Shared => f.write_str(
                "an array of elements that are borrowed for reading is written; borrow them by \
                 `with_view_mut`",
            ),
            ArrayError::GivenBack => f.write_str(
                "an array of borrowed elements is used after they went back; arrays of \
                 `with_view` live no longer than its call",
            ),
            ArrayError::Lost(e) => write!(
                f,
                "the array holds nothing, since the kernel that was to compute it failed: {e}"
            ),
        }
    }
}

impl std::error::Error for ArrayError {}

impl From<ExprError> for ArrayError {
    fn from(e: ExprError) -> Self {
        ArrayError::Expression(e)
    }
}

impl From<DeviceError> for ArrayError {
    fn from(e: DeviceError) -> Self {
        ArrayError::Device(e.to_string())
    }
}

impl From<BufferError> for ArrayError {
    fn from(e: BufferError) -> Self {
        ArrayError::Device(e.to_string())
    }
}

impl From<RunError> for ArrayError {
    fn from(e: RunError) -> Self {
        match e {
            RunError::NoDevice(m) => ArrayError::Device(m),
            RunError::Usage(m) => ArrayError::Setting(m.join("\n")),
            e => ArrayError::Compile(e.to_string()),
        }
    }
}

/// The bytes of so many elements.
///
/// # Errors
///
/// More than an address can count.
pub(super) fn bytes_of(ty: ElementType, sizes: &[usize]) -> Result<usize, ArrayError> {
    let bytes = sizes
        .iter()
        .try_fold(ty.size(), |bytes, n| bytes.checked_mul(*n));
    let fits = bytes.filter(|b| isize::try_from(*b).is_ok());
    fits.ok_or_else(|| {
        ArrayError::Device(format!(
            "an array of shape {} of {ty} has more bytes than an address can count",
            sizes_text(sizes)
        ))
    })
}
