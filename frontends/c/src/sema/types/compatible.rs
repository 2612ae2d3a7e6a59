//! When two types are the same, and when one will do for the other (C11 6.2.7).

use crate::types::{Extent, Type};

/// The same type but for qualifiers and what a declaration said beside it: no
/// conversion stands between them.
pub(in crate::sema) fn same(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Pointer(a), Type::Pointer(b)) => same(&a.to, &b.to),
        (Type::Array(a), Type::Array(b)) => {
            let len = match (&a.len, &b.len) {
                (Extent::Const(m), Extent::Const(n)) => m == n,
                _ => true,
            };
            len && same(&a.of, &b.of)
        }
        (Type::Function(a), Type::Function(b)) => {
            same(&a.result, &b.result)
                && (a.old_style
                    || b.old_style
                    || (a.variadic == b.variadic
                        && a.params.len() == b.params.len()
                        && a.params.iter().zip(&b.params).all(|(x, y)| same(x, y))))
        }
        _ => a == b,
    }
}

/// Whether a pointer to one may be assigned to a pointer to the other without a word
/// from any compiler.
pub(in crate::sema) fn compatible(a: &Type, b: &Type) -> bool {
    matches!(a, Type::Void) || matches!(b, Type::Void) || same(a, b)
}
