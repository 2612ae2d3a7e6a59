//! Memrefs as compiled code sees them: MLIR's C interface.
//!
//! A ranked memref is a structure of the allocated pointer, the aligned pointer,
//! the offset in elements, and sizes and strides in elements, `i64` each; element
//! `(i, j)` is at `aligned + (offset + i * stride_0 + j * stride_1) * size`. Passed
//! by value it becomes that many separate arguments, in that order.

use std::fmt;

use crate::buffer::{BufferError, HostBuffer, shape_text};
use crate::dtype::DType;

/// A memref of rank `N`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemRef<const N: usize> {
    pub allocated: *mut u8,
    pub aligned: *mut u8,
    pub offset: i64,
    pub sizes: [i64; N],
    pub strides: [i64; N],
}

/// A memref of rank 0, whose structure ends after the offset.
pub type MemRef0 = MemRef<0>;

/// A memref of a rank known at run time: `descriptor` points to a [`MemRef`] of
/// that rank.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnrankedMemRef {
    pub rank: i64,
    pub descriptor: *mut u8,
}

/// Why a memref and an array do not convert into each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemRefError {
    /// The array has another rank than the memref type.
    Rank { found: Vec<usize>, expected: usize },
    /// A size or stride does not fit an `i64`, or addresses overflow.
    TooLarge,
    /// A size is negative.
    NegativeSize(i64),
    /// The words are not a descriptor: their number, for rank `n`, is `3 + 2 n`.
    Words(usize),
    /// There are elements, and the pointer to them is null.
    Null,
    /// The array cannot be allocated.
    Buffer(BufferError),
}

impl fmt::Display for MemRefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemRefError::Rank { found, expected } => write!(
                f,
                "found an array of shape {} (rank {}), expected rank {expected}",
                shape_text(found),
                found.len()
            ),
            MemRefError::TooLarge => f.write_str("sizes or strides exceed 64-bit addresses"),
            MemRefError::NegativeSize(size) => write!(f, "found a dimension of size {size}"),
            MemRefError::Words(words) => write!(
                f,
                "found {words} words as a memref, expected 3 and 2 for each dimension"
            ),
            MemRefError::Null => f.write_str("found a null pointer as a memref with elements"),
            MemRefError::Buffer(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for MemRefError {}

impl<const N: usize> MemRef<N> {
    /// The memref of a whole array. It is valid as long as the array lives, and
    /// code that writes through it must be the array's only user meanwhile.
    ///
    /// # Errors
    /// [`MemRefError::Rank`], [`MemRefError::TooLarge`].
    pub fn of(buffer: &mut HostBuffer) -> Result<MemRef<N>, MemRefError> {
        let rank = || MemRefError::Rank {
            found: buffer.shape().to_vec(),
            expected: N,
        };
        let sizes = to_words(buffer.shape())?.try_into().map_err(|_| rank())?;
        let strides = to_words(&buffer.strides())?
            .try_into()
            .map_err(|_| rank())?;
        let start = buffer.as_mut_ptr();
        Ok(MemRef {
            allocated: start,
            aligned: start,
            offset: 0,
            sizes,
            strides,
        })
    }

    /// The memref as the separate arguments of a call.
    pub fn to_words(&self) -> Vec<i64> {
        let mut words = vec![self.allocated as i64, self.aligned as i64, self.offset];
        words.extend(self.sizes);
        words.extend(self.strides);
        words
    }

    /// Copies the elements into a new array.
    ///
    /// # Errors
    /// [`MemRefError`], but for `Rank` and `Words`.
    ///
    /// # Safety
    /// Every element is readable memory of type `dtype` that nobody writes.
    pub unsafe fn to_host(&self, dtype: DType) -> Result<HostBuffer, MemRefError> {
        // SAFETY: the caller's promise.
        unsafe { gather(dtype, self.aligned, self.offset, &self.sizes, &self.strides) }
    }
}

fn to_words(values: &[usize]) -> Result<Vec<i64>, MemRefError> {
    values
        .iter()
        .map(|v| i64::try_from(*v).map_err(|_| MemRefError::TooLarge))
        .collect()
}

/// A whole array of any rank as the words of its descriptor, which are also the
/// separate arguments of a call: allocated, aligned, offset, sizes, strides. It
/// is valid as long as the array lives, and code that writes through it must be
/// the array's only user meanwhile.
///
/// # Errors
/// [`MemRefError::TooLarge`].
pub fn descriptor_words(buffer: &mut HostBuffer) -> Result<Vec<i64>, MemRefError> {
    let sizes = to_words(buffer.shape())?;
    let strides = to_words(&buffer.strides())?;
    let start = buffer.as_mut_ptr() as i64;
    let mut words = vec![start, start, 0];
    words.extend(sizes);
    words.extend(strides);
    Ok(words)
}

/// Copies the elements of a memref, given by the words of its descriptor, into a
/// new array.
///
/// # Errors
/// [`MemRefError`], but for `Rank`.
///
/// # Safety
/// Every element is readable memory of type `dtype` that nobody writes.
pub unsafe fn words_to_host(words: &[i64], dtype: DType) -> Result<HostBuffer, MemRefError> {
    let [_, aligned, offset, rest @ ..] = words else {
        return Err(MemRefError::Words(words.len()));
    };
    if rest.len() % 2 != 0 {
        return Err(MemRefError::Words(words.len()));
    }
    let (sizes, strides) = rest.split_at(rest.len() / 2);
    // SAFETY: the caller's promise.
    unsafe { gather(dtype, *aligned as *const u8, *offset, sizes, strides) }
}

/// Copies strided elements into row-major order.
///
/// # Safety
/// Every element is readable memory of type `dtype` that nobody writes.
unsafe fn gather(
    dtype: DType,
    aligned: *const u8,
    offset: i64,
    sizes: &[i64],
    strides: &[i64],
) -> Result<HostBuffer, MemRefError> {
    let shape = sizes
        .iter()
        .map(|&size| usize::try_from(size).map_err(|_| MemRefError::NegativeSize(size)))
        .collect::<Result<Vec<usize>, _>>()?;
    let mut result = HostBuffer::zeros(dtype, &shape).map_err(MemRefError::Buffer)?;
    if result.is_empty() {
        return Ok(result);
    }
    if aligned.is_null() {
        return Err(MemRefError::Null);
    }
    let size = dtype.size();
    // The least and the greatest offset bound all others, so that the loop below
    // needs no checks.
    let (mut least, mut greatest) = (i128::from(offset), i128::from(offset));
    for (&size, &stride) in sizes.iter().zip(strides) {
        let reach = (i128::from(size) - 1) * i128::from(stride);
        least = least.saturating_add(reach.min(0));
        greatest = greatest.saturating_add(reach.max(0));
    }
    let most = isize::MAX as i128 / size as i128;
    if least < -most || greatest > most {
        return Err(MemRefError::TooLarge);
    }
    let mut subscripts = vec![0i64; sizes.len()];
    let mut at = offset;
    for element in result.bytes_mut().chunks_exact_mut(size) {
        // SAFETY: an element's address, as the caller promises; in range as
        // checked above.
        let source = unsafe { aligned.offset(at as isize * size as isize) };
        // SAFETY: as above; the destination is `size` bytes of the new array.
        unsafe { std::ptr::copy_nonoverlapping(source, element.as_mut_ptr(), size) };
        for d in (0..sizes.len()).rev() {
            subscripts[d] += 1;
            // The step over the end, undone below, may leave the range.
            at = at.wrapping_add(strides[d]);
            if subscripts[d] < sizes[d] {
                break;
            }
            at = at.wrapping_sub(strides[d].wrapping_mul(sizes[d]));
            subscripts[d] = 0;
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Fill;

    #[test]
    fn layout_is_mlirs() {
        assert_eq!(size_of::<MemRef0>(), 24);
        assert_eq!(size_of::<MemRef<3>>(), 24 + 6 * 8);
        assert_eq!(std::mem::offset_of!(MemRef<2>, sizes), 24);
        assert_eq!(std::mem::offset_of!(MemRef<2>, strides), 40);
        assert_eq!(size_of::<UnrankedMemRef>(), 16);
    }

    #[test]
    fn arrays_become_descriptors_and_back() {
        let mut a = HostBuffer::filled(DType::F32, &[3, 4, 5], Fill::Iota).unwrap();
        let memref = MemRef::<3>::of(&mut a).unwrap();
        assert_eq!((memref.sizes, memref.strides), ([3, 4, 5], [20, 5, 1]));
        assert_eq!(memref.to_words(), descriptor_words(&mut a).unwrap());
        // SAFETY: the memref is of the array, which lives.
        let back = unsafe { memref.to_host(DType::F32) }.unwrap();
        assert_eq!(back.bytes(), a.bytes());
        let error = MemRef::<2>::of(&mut a).unwrap_err().to_string();
        assert_eq!(
            error,
            "found an array of shape 3x4x5 (rank 3), expected rank 2"
        );
        let mut scalar = HostBuffer::filled(DType::I16, &[], Fill::Random { seed: 1 }).unwrap();
        let words = descriptor_words(&mut scalar).unwrap();
        assert_eq!(words.len(), 3);
        // SAFETY: as above.
        let back = unsafe { words_to_host(&words, DType::I16) }.unwrap();
        assert_eq!(back.bytes(), scalar.bytes());
    }

    #[test]
    fn strided_views_are_gathered() {
        let mut a = HostBuffer::filled(DType::I32, &[4, 6], Fill::Iota).unwrap();
        let start = a.as_mut_ptr();
        // Rows 3 and 1, backwards; columns 5, 3, 1: transposed.
        let view = MemRef::<2> {
            allocated: start,
            aligned: start,
            offset: 23,
            sizes: [3, 2],
            strides: [-2, -12],
        };
        // SAFETY: all elements are of `a`.
        let copy = unsafe { view.to_host(DType::I32) }.unwrap();
        assert_eq!(copy.as_slice::<i32>().unwrap(), [23, 11, 21, 9, 19, 7]);
    }

    #[test]
    fn nonsense_is_refused() {
        let word = [0u64; 1];
        let at = word.as_ptr() as i64;
        // SAFETY: refused before any access, or without elements.
        let try_words = |words: &[i64]| unsafe { words_to_host(words, DType::F64) };
        assert_eq!(try_words(&[at, at]).unwrap_err(), MemRefError::Words(2));
        assert_eq!(
            try_words(&[at, at, 0, 1]).unwrap_err(),
            MemRefError::Words(4)
        );
        assert_eq!(try_words(&[0, 0, 0, 1, 1]).unwrap_err(), MemRefError::Null);
        assert_eq!(
            try_words(&[at, at, 0, -1, 1]).unwrap_err(),
            MemRefError::NegativeSize(-1)
        );
        assert_eq!(
            try_words(&[at, at, i64::MAX, 2, 1]).unwrap_err(),
            MemRefError::TooLarge
        );
        assert_eq!(
            try_words(&[at, at, 0, 2, i64::MIN]).unwrap_err(),
            MemRefError::TooLarge
        );
        assert!(try_words(&[0, 0, 0, 0, i64::MAX]).unwrap().is_empty());
        assert!(matches!(
            try_words(&[at, at, 0, i64::MAX, 0]),
            Err(MemRefError::Buffer(_))
        ));
    }
}
