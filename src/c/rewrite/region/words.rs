//! The words of a region's packed call.

use terrace_c::region::{Capture, CaptureKind, Region, Size};
use terrace_c::types::{Float, Int, Type};

/// Where the words of a region lie.
pub struct Layout {
    /// The first word of each capture.
    pub first: Vec<usize>,
    /// Behind the arguments.
    pub results: usize,
    /// All that the entry of the region uses.
    pub len: usize,
}

impl Layout {
    pub fn new(region: &Region) -> Layout {
        let mut at = 0;
        let first = region
            .captures
            .iter()
            .map(|c| {
                let here = at;
                at += match &c.kind {
                    CaptureKind::Scalar => 1,
                    CaptureKind::Array(a) => 1 + a.dynamic_sizes(),
                };
                here
            })
            .collect();
        Layout {
            first,
            results: at,
            len: at + region.results.len(),
        }
    }
}

/// The value of a scalar as a word: its bits at the low end.
pub fn pack(ty: &Type, value: &str) -> String {
    match ty {
        Type::Bool => format!("(__terrace_word)(({value}) != 0)"),
        Type::Float(Float::F32) => format!("__terrace_from_f32({value})"),
        Type::Float(Float::F64) => format!("__terrace_from_f64({value})"),
        Type::Int(i) => match i.bits {
            8 => format!("(__terrace_word)(unsigned char)({value})"),
            16 => format!("(__terrace_word)(unsigned short)({value})"),
            32 => format!("(__terrace_word)(unsigned int)({value})"),
            _ => format!("(__terrace_word)({value})"),
        },
        _ => format!("(__terrace_word)({value})"),
    }
}

/// A type of the width and sign.
pub fn int_name(i: &Int) -> &'static str {
    match (i.bits, i.signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (_, true) => "long",
        (_, false) => "unsigned long",
    }
}

/// A word as a value that can be assigned to an object of the type.
pub fn unpack(ty: &Type, word: &str) -> String {
    match ty {
        Type::Bool => format!("(({word}) & 255) != 0"),
        Type::Float(Float::F32) => format!("__terrace_to_f32({word})"),
        Type::Float(Float::F64) => format!("__terrace_to_f64({word})"),
        Type::Int(i) => format!("({})({word})", int_name(i)),
        _ => word.to_string(),
    }
}

/// The sizes that are passed, as words; `None` where only the map tells.
pub fn sizes(c: &Capture) -> Vec<Option<String>> {
    let Some(array) = c.array() else {
        return Vec::new();
    };
    let text = |s: &Size| match s {
        Size::Const(_) => None,
        Size::Text(t) | Size::Declared(t) => Some(Some(format!("(__terrace_word)(long)({t})"))),
        Size::Unknown => Some(None),
    };
    array.sizes.iter().filter_map(text).collect()
}
