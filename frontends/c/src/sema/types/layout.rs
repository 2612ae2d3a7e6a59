//! Sizes and alignments of the System V x86-64 and AArch64 ABIs.

use crate::sema::Sema;
use crate::types::{Extent, Float, Type};

impl Sema<'_> {
    /// In bytes; `None` of a type that is incomplete, or variable-length.
    /// `void` and functions have size 1, as the GNU dialect has it.
    pub(in crate::sema) fn size_of(&self, ty: &Type) -> Option<u64> {
        Some(match ty {
            Type::Void | Type::Bool | Type::Function(_) => 1,
            Type::Int(int) => u64::from(int.bits) / 8,
            Type::Float(Float::F32) => 4,
            Type::Float(Float::F64) | Type::Pointer(_) => 8,
            Type::Array(array) => match &array.len {
                Extent::Const(n) => self.size_of(&array.of)?.checked_mul(*n)?,
                Extent::Expr(_) | Extent::Unknown => return None,
            },
            Type::Record(index) => {
                let record = self.records.get(*index)?;
                record.fields.as_ref()?;
                record.size
            }
            Type::Other(name) => other_layout(name)?.0,
        })
    }

    /// In bytes, at least 1.
    pub(in crate::sema) fn align_of(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(array) => self.align_of(&array.of),
            Type::Record(index) => self.records.get(*index).map_or(1, |r| r.align.max(1)),
            Type::Other(name) => other_layout(name).map_or(1, |l| l.1),
            _ => self.size_of(ty).unwrap_or(1),
        }
    }
}

/// Whether the size is only known when the program runs.
pub(in crate::sema) fn is_variable_length(ty: &Type) -> bool {
    match ty {
        Type::Array(a) => matches!(a.len, Extent::Expr(_)) || is_variable_length(&a.of),
        _ => false,
    }
}

/// Size and alignment of a type that is not computed with, by its spelling.
fn other_layout(name: &str) -> Option<(u64, u64)> {
    if let Some(rest) = name.strip_prefix("_Atomic ") {
        return Some(match rest {
            "_Bool" | "char" | "signed char" | "unsigned char" => (1, 1),
            "short" | "unsigned short" => (2, 2),
            "int" | "unsigned int" | "float" => (4, 4),
            "long double" => (16, 16),
            _ => (8, 8),
        });
    }
    if let Some(rest) = name.strip_prefix("vector of ") {
        let bytes = rest.split(' ').next()?.parse().ok()?;
        return Some((bytes, bytes));
    }
    Some(match name {
        "long double" | "__int128" | "unsigned __int128" | "_Float128" | "_Float64x"
        | "_Decimal128" => (16, 16),
        "_Float16" => (2, 2),
        "_Decimal32" | "_Float16x" => (4, 4),
        "_Decimal64" => (8, 8),
        "_Complex float" => (8, 4),
        "_Complex double" => (16, 8),
        "_Complex long double" => (32, 16),
        "va_list" => (24, 8),
        _ => return None,
    })
}
