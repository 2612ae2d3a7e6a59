//! Dimensions of strided arrays, as compiled code hands them over.

use crate::device::DeviceError;

/// One dimension: how many, and how far apart in bytes on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim {
    pub count: usize,
    pub dst: i64,
    pub src: i64,
}

pub(super) fn too_large() -> DeviceError {
    DeviceError::Invalid {
        operation: "copy a strided array".to_string(),
        problem: "its sizes and strides reach further than an address can count".to_string(),
    }
}

/// The bytes of an array of these dimensions.
///
/// # Errors
/// [`DeviceError::Invalid`] where they overflow.
pub fn bytes_of(element: usize, dims: &[Dim]) -> Result<usize, DeviceError> {
    let mut all = dims.iter();
    let bytes = match all.clone().any(|d| d.count == 0) {
        true => Some(0),
        false => all.try_fold(element, |n, d| n.checked_mul(d.count)),
    };
    bytes.ok_or_else(too_large)
}

/// The dimensions of a copy as compiled code hands them over: sizes, and strides in
/// elements.
///
/// # Errors
/// [`DeviceError::Invalid`] for a negative size, and for strides beyond 64 bits in bytes.
pub fn dims_of(
    element: usize,
    sizes: &[i64],
    dst: &[i64],
    src: &[i64],
) -> Result<Vec<Dim>, DeviceError> {
    let bytes = i64::try_from(element).map_err(|_| too_large())?;
    let all = sizes.iter().zip(dst.iter().zip(src));
    all.map(|(count, (dst, src))| {
        let count = usize::try_from(*count).map_err(|_| DeviceError::Invalid {
            operation: "copy a strided array".to_string(),
            problem: format!("found a dimension of size {count}"),
        })?;
        // Strides of what has one element are never used.
        let stride = |s: i64| match count > 1 {
            true => s.checked_mul(bytes).ok_or_else(too_large),
            false => Ok(0),
        };
        Ok(Dim {
            count,
            dst: stride(*dst)?,
            src: stride(*src)?,
        })
    })
    .collect()
}
