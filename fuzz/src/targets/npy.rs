//! Arrays in files.

use terrace::runtime::npy::{header_bytes, parse};

/// # Panics
///
/// Where an array that is read, written as a file, is read as another.
pub fn check(data: &[u8]) {
    let array = match parse(data) {
        Ok(a) => a,
        Err(e) => {
            assert!(!e.to_string().is_empty(), "no reason");
            return;
        }
    };
    // The file holds all elements: it cannot hold less than the array takes.
    assert!(array.size_in_bytes() <= data.len());
    let mut file = header_bytes(&array);
    assert_eq!(file.len() % 64, 0, "elements are not aligned");
    file.extend_from_slice(array.bytes());
    let again = parse(&file).unwrap_or_else(|e| panic!("what is written is not read: {e}"));
    assert_eq!(again.dtype(), array.dtype());
    assert_eq!(again.shape(), array.shape());
    assert_eq!(again.bytes(), array.bytes());
}
