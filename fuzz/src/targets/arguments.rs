//! `--arg` and `--out` of `terrace run`: a line each.

use terrace::runtime::argspec::{ArgSpec, ArgValue, OutSpec};
use terrace::runtime::dtype::DType;

const TYPES: [DType; 6] = [
    DType::I1,
    DType::I32,
    DType::U64,
    DType::BF16,
    DType::F64,
    DType::Index,
];

/// Elements up to which an array is made.
const MAX_ELEMENTS: usize = 1 << 12;

/// # Panics
///
/// Where a value that is taken does not become what it says.
pub fn check(data: &[u8]) {
    for line in String::from_utf8_lossy(data).lines().take(64) {
        let _ = OutSpec::parse(line).map_err(|e| e.to_string());
        match ArgSpec::parse(line) {
            Ok(spec) => value(&spec.value),
            Err(e) => assert!(!e.to_string().is_empty(), "no reason for {line:?}"),
        }
    }
}

fn value(v: &ArgValue) {
    let small = match v {
        ArgValue::Number(_) => true,
        ArgValue::Fill { shape: None, .. } => true,
        ArgValue::Fill { shape: Some(s), .. } => {
            let n = s.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
            // One too large for any memory is refused, and costs nothing.
            n.is_none_or(|n| n <= MAX_ELEMENTS)
        }
        // Which files there are is not the text's doing.
        ArgValue::File(_) => false,
    };
    if !small {
        return;
    }
    for d in TYPES {
        if let Ok(s) = v.to_scalar(d) {
            assert_eq!(s.dtype(), d);
        }
        for declared in [&[][..], &[Some(3)], &[None, Some(4)], &[None, None]] {
            if let Ok(b) = v.to_buffer(d, declared, 1) {
                assert_eq!((b.dtype(), b.shape().len()), (d, declared.len()));
            }
        }
    }
}
