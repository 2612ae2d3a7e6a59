//! Arrays in host memory.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use rayon::prelude::*;

use crate::dtype::{DType, Element, Scalar};
use crate::random;

/// Every buffer starts at a multiple of this: a cache line, and the widest
/// vector register there is.
pub const ALIGNMENT: usize = 64;

/// Bytes that one thread fills or copies at a time; smaller arrays start no others.
const PART: usize = 1 << 20;

/// What a new buffer contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// All zero.
    Zeros,
    /// Element `i` in row-major order is `i`. Integers wrap to their width;
    /// `i1` alternates 0, 1; `f16` counts modulo 2048 and `bf16` modulo 256, the
    /// ranges in which they hold every integer; `f32` rounds to nearest.
    Iota,
    /// Element `i` comes from draw `i` of [`random`]: floats are uniform in [0, 1)
    /// with as many random bits as their significand has (bf16 8, f16 11, f64 53),
    /// `f32` the `f64` of the same draw rounded to nearest, signed integers uniform in [-8, 8), unsigned ones
    /// and `index` in [0, 16), `i1` a fair coin.
    Random { seed: u64 },
}

impl Fill {
    /// Element `i` of an array of `dtype` filled this way, as bits.
    pub fn element(self, dtype: DType, i: u64) -> u64 {
        match self {
            Fill::Zeros => 0,
            Fill::Iota => match dtype {
                DType::F16 => dtype.bits_of_int(i128::from(i % 2048)),
                DType::BF16 => dtype.bits_of_int(i128::from(i % 256)),
                _ => dtype.bits_of_int(i128::from(i)),
            },
            Fill::Random { seed } => match dtype {
                DType::F64 => random::unit(seed, i, 53).to_bits(),
                DType::F32 => dtype.bits_of_f64(random::unit(seed, i, 53)),
                DType::F16 => dtype.bits_of_f64(random::unit(seed, i, 11)),
                DType::BF16 => dtype.bits_of_f64(random::unit(seed, i, 8)),
                DType::I1 => random::draw(seed, i) >> 63,
                DType::U8 | DType::U16 | DType::U32 | DType::U64 | DType::Index => {
                    random::nibble(seed, i) as u64
                }
                DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
                    dtype.bits_of_int(i128::from(random::nibble(seed, i) - 8))
                }
            },
        }
    }
}

/// Why a buffer could not be made or seen as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BufferError {
    /// A diagonal was asked of something that is no square matrix; its shape.
    NotSquare(Vec<usize>),
    /// The shape has more bytes than an address can count.
    TooLarge { shape: Vec<usize>, dtype: DType },
    /// The system has no such amount of memory.
    OutOfMemory { bytes: usize },
    /// Elements were asked of a number; its type.
    NotArray(DType),
    /// A slice of a Rust type that the elements are not.
    WrongType { found: DType, asked: &'static str },
    /// Two shapes that should be equal, or have equally many elements.
    WrongShape {
        found: Vec<usize>,
        expected: Vec<usize>,
    },
    /// Two element types that should be equal, or equally wide.
    WrongDType { found: DType, expected: DType },
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BufferError::NotSquare(shape) => write!(
                f,
                "`dominant` is for square matrices, but the shape is {}",
                shape_text(shape)
            ),
            BufferError::TooLarge { shape, dtype } => write!(
                f,
                "an array of {}x{dtype} has more bytes than memory can address",
                shape_text(shape)
            ),
            BufferError::OutOfMemory { bytes } => {
                write!(f, "out of host memory: could not allocate {bytes} bytes")
            }
            BufferError::NotArray(found) => {
                write!(f, "found a number of type {found}, which has no elements")
            }
            BufferError::WrongType { found, asked } => write!(
                f,
                "the elements are {found}, which cannot be seen as {asked}"
            ),
            BufferError::WrongShape { found, expected } => write!(
                f,
                "found an array of shape {}, expected {}",
                shape_text(found),
                shape_text(expected)
            ),
            BufferError::WrongDType { found, expected } => {
                write!(f, "found elements of type {found}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for BufferError {}

/// A shape as text: `4x8`, and `scalar` for rank 0.
pub fn shape_text(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "scalar".to_string();
    }
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    dims.join("x")
}

/// An owned row-major array in 64-byte-aligned memory.
///
/// The last dimension is contiguous. Rank 0 is one element; a dimension of 0
/// gives an array without elements (its pointer is still valid to hold).
pub struct HostBuffer {
    data: NonNull<u8>,
    layout: Layout,
    bytes: usize,
    dtype: DType,
    shape: Vec<usize>,
}

// SAFETY: the memory is owned, and shared access only reads it.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// An array of zeros.
    ///
    /// # Errors
    /// [`BufferError::TooLarge`], [`BufferError::OutOfMemory`].
    pub fn zeros(dtype: DType, shape: &[usize]) -> Result<HostBuffer, BufferError> {
        let too_large = || BufferError::TooLarge {
            shape: shape.to_vec(),
            dtype,
        };
        let elements = element_count(shape).ok_or_else(too_large)?;
        let bytes = elements.checked_mul(dtype.size()).ok_or_else(too_large)?;
        // At least one line, so that the pointer is never dangling.
        let layout =
            Layout::from_size_align(bytes.max(ALIGNMENT), ALIGNMENT).map_err(|_| too_large())?;
        // SAFETY: the layout's size is not zero.
        let data = NonNull::new(unsafe { alloc_zeroed(layout) })
            .ok_or(BufferError::OutOfMemory { bytes })?;
        Ok(HostBuffer {
            data,
            layout,
            bytes,
            dtype,
            shape: shape.to_vec(),
        })
    }

    /// An array with the given contents.
    ///
    /// # Errors
    /// As [`HostBuffer::zeros`].
    pub fn filled(dtype: DType, shape: &[usize], fill: Fill) -> Result<HostBuffer, BufferError> {
        let mut buffer = HostBuffer::zeros(dtype, shape)?;
        // New memory is zero already.
        if fill != Fill::Zeros {
            buffer.fill(fill);
        }
        Ok(buffer)
    }

    /// A copy of a slice, as an array of the given shape.
    ///
    /// # Errors
    /// [`BufferError::WrongShape`] when the shape has another number of elements.
    pub fn from_slice<T: Element>(
        shape: &[usize],
        values: &[T],
    ) -> Result<HostBuffer, BufferError> {
        if element_count(shape) != Some(values.len()) {
            return Err(BufferError::WrongShape {
                found: vec![values.len()],
                expected: shape.to_vec(),
            });
        }
        let mut buffer = HostBuffer::zeros(T::DTYPE, shape)?;
        buffer.as_mut_slice::<T>()?.copy_from_slice(values);
        Ok(buffer)
    }

    /// A copy of the array.
    ///
    /// # Errors
    /// [`BufferError::OutOfMemory`].
    pub fn try_clone(&self) -> Result<HostBuffer, BufferError> {
        let mut copy = HostBuffer::zeros(self.dtype, &self.shape)?;
        copy.each_part(|first, part| part.copy_from_slice(&self.bytes()[first..][..part.len()]));
        Ok(copy)
    }

    /// The same bytes under another element type of the same size.
    ///
    /// # Errors
    /// [`BufferError::WrongDType`] when the sizes differ.
    pub fn reinterpret(mut self, dtype: DType) -> Result<HostBuffer, BufferError> {
        if dtype.size() != self.dtype.size() {
            return Err(BufferError::WrongDType {
                found: self.dtype,
                expected: dtype,
            });
        }
        self.dtype = dtype;
        Ok(self)
    }

    /// The same elements in row-major order under another shape.
    ///
    /// # Errors
    /// [`BufferError::WrongShape`] when the number of elements differs.
    pub fn reshape(mut self, shape: &[usize]) -> Result<HostBuffer, BufferError> {
        if element_count(shape) != Some(self.len()) {
            return Err(BufferError::WrongShape {
                found: self.shape.clone(),
                expected: shape.to_vec(),
            });
        }
        self.shape = shape.to_vec();
        Ok(self)
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The size of each dimension, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes / self.dtype.size()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The number of bytes of all elements.
    pub fn size_in_bytes(&self) -> usize {
        self.bytes
    }

    /// The distance in elements between neighbours along each dimension.
    pub fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1usize; self.shape.len()];
        for d in (1..self.shape.len()).rev() {
            // A dimension of 0 makes every stride irrelevant; saturating keeps
            // shapes such as 0x(2^40)x(2^40) from overflowing.
            strides[d - 1] = strides[d].saturating_mul(self.shape[d]);
        }
        strides
    }

    /// The first byte, for code that is handed raw memory.
    pub fn as_ptr(&self) -> *const u8 {
        self.data.as_ptr()
    }

    /// The first byte, for code that is handed raw memory.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// All bytes, in memory order.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `bytes` bytes are allocated and initialised, and owned by us.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.bytes) }
    }

    /// All bytes, in memory order.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.bytes) }
    }

    /// The elements, in row-major order.
    ///
    /// # Errors
    /// [`BufferError::WrongType`] when `T` cannot stand for the element type.
    pub fn as_slice<T: Element>(&self) -> Result<&[T], BufferError> {
        self.check_type::<T>()?;
        // SAFETY: aligned to 64, initialised, `len` elements of a type that
        // `Element` promises has this size and no invalid patterns.
        Ok(unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast::<T>(), self.len()) })
    }

    /// The elements, in row-major order.
    ///
    /// # Errors
    /// [`BufferError::WrongType`] when `T` cannot stand for the element type.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], BufferError> {
        self.check_type::<T>()?;
        // SAFETY: as in `as_slice`, and the borrow is exclusive.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr().cast::<T>(), self.len()) })
    }

    fn check_type<T: Element>(&self) -> Result<(), BufferError> {
        if T::fits(self.dtype) {
            return Ok(());
        }
        Err(BufferError::WrongType {
            found: self.dtype,
            asked: std::any::type_name::<T>(),
        })
    }

    /// Overwrites every element.
    pub fn fill(&mut self, fill: Fill) {
        let dtype = self.dtype;
        if fill == Fill::Zeros {
            self.each_part(|_, part| part.fill(0));
            return;
        }
        self.set_each(|i| fill.element(dtype, i));
    }

    /// Adds the number of rows to each element of the diagonal.
    ///
    /// # Errors
    /// When this is no square matrix.
    pub fn add_to_diagonal(&mut self) -> Result<(), BufferError> {
        let [rows, columns] = self.shape[..] else {
            return Err(BufferError::NotSquare(self.shape.to_vec()));
        };
        if rows != columns {
            return Err(BufferError::NotSquare(self.shape.to_vec()));
        }
        let (dtype, size) = (self.dtype, self.dtype.size());
        for i in 0..rows {
            let at = i * (columns + 1);
            let Some(old) = self.get(at) else { continue };
            let bits = match dtype.is_float() {
                true => dtype.bits_of_f64(old.as_f64() + rows as f64),
                false => dtype.bits_of_int(old.as_int() + rows as i128),
            };
            self.bytes_mut()[at * size..][..size].copy_from_slice(&bits.to_ne_bytes()[..size]);
        }
        Ok(())
    }

    /// Overwrites every element with one value.
    ///
    /// # Errors
    /// [`BufferError::WrongDType`] when the value has another type.
    pub fn fill_with(&mut self, value: Scalar) -> Result<(), BufferError> {
        if value.dtype() != self.dtype {
            return Err(BufferError::WrongDType {
                found: value.dtype(),
                expected: self.dtype,
            });
        }
        self.set_each(|_| value.bits());
        Ok(())
    }

    /// Overwrites every element with the bits that `of` has for its number.
    fn set_each(&mut self, of: impl Fn(u64) -> u64 + Sync) {
        let size = self.dtype.size();
        self.each_part(|first, part| {
            let mut i = (first / size) as u64;
            let mut next = || {
                i += 1;
                of(i - 1)
            };
            match size {
                1 => part.iter_mut().for_each(|b| *b = next() as u8),
                2 => chunks::<2>(part).for_each(|c| *c = (next() as u16).to_ne_bytes()),
                4 => chunks::<4>(part).for_each(|c| *c = (next() as u32).to_ne_bytes()),
                _ => chunks::<8>(part).for_each(|c| *c = next().to_ne_bytes()),
            }
        });
    }

    /// Calls `body` with parts of the bytes, whole elements, and the number of their first
    /// byte; in any order, on several threads where there is much. New memory is then
    /// also made the system's on several.
    fn each_part(&mut self, body: impl Fn(usize, &mut [u8]) + Sync) {
        let bytes = self.bytes_mut();
        if bytes.len() <= PART {
            return body(0, bytes);
        }
        let parts = bytes.par_chunks_mut(PART).enumerate();
        parts.for_each(|(n, part)| body(n * PART, part));
    }

    /// Element `i` in row-major order as bits; `None` past the end.
    pub fn bits(&self, i: usize) -> Option<u64> {
        let size = self.dtype.size();
        let start = i.checked_mul(size)?;
        let element = self.bytes().get(start..start.checked_add(size)?)?;
        let mut word = [0u8; 8];
        if cfg!(target_endian = "little") {
            word[..size].copy_from_slice(element);
        } else {
            word[8 - size..].copy_from_slice(element);
        }
        Some(u64::from_ne_bytes(word))
    }

    /// Element `i` in row-major order; `None` past the end.
    pub fn get(&self, i: usize) -> Option<Scalar> {
        Some(Scalar::from_bits(self.dtype, self.bits(i)?))
    }

    /// Element `i` in row-major order as a double; `None` past the end.
    pub fn get_f64(&self, i: usize) -> Option<f64> {
        Some(self.dtype.f64_of_bits(self.bits(i)?))
    }

    /// The subscripts of element `flat` in row-major order.
    pub fn subscripts(&self, flat: usize) -> Vec<usize> {
        let mut rest = flat;
        let mut subscripts = vec![0; self.shape.len()];
        for (subscript, &size) in subscripts.iter_mut().zip(&self.shape).rev() {
            let size = size.max(1);
            *subscript = rest % size;
            rest /= size;
        }
        subscripts
    }
}

/// The number of elements of a shape; `None` when it overflows.
pub fn element_count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d))
}

/// The elements of `N` bytes in a part of an array.
fn chunks<const N: usize>(part: &mut [u8]) -> impl Iterator<Item = &mut [u8; N]> {
    part.as_chunks_mut::<N>().0.iter_mut()
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { dealloc(self.data.as_ptr(), self.layout) }
    }
}

impl fmt::Debug for HostBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "HostBuffer({} of {}",
            shape_text(&self.shape),
            self.dtype
        )?;
        let shown = self.len().min(8);
        for i in 0..shown {
            if let Some(value) = self.get(i) {
                write!(f, "{}{value}", if i == 0 { ": " } else { ", " })?;
            }
        }
        f.write_str(if self.len() > shown { ", ...)" } else { ")" })
    }
}

#[cfg(test)]
mod tests;
