//! Vector types: constraints and questions.

use terrace_ir::constraint::TypeConstraint;
use terrace_ir::{Context, Type, TypeData};

fn vector(c: &Context, t: Type) -> Option<(&[i64], Type, &[bool])> {
    match t.data(c) {
        TypeData::Vector {
            shape,
            elem,
            scalable,
        } => Some((shape, *elem, scalable)),
        _ => None,
    }
}

fn is_fixed(s: &[bool]) -> bool {
    !s.contains(&true)
}

pub(super) const ANY_RANK: TypeConstraint =
    TypeConstraint::new("vector of any type values", |c, t| t.is_vector(c));
pub(super) const RANKED: TypeConstraint =
    TypeConstraint::new("vector of any type values", |c, t| {
        vector(c, t).is_some_and(|v| !v.0.is_empty())
    });
pub(super) const FIXED_ANY_RANK: TypeConstraint =
    TypeConstraint::new("fixed-length vector of any type values", |c, t| {
        vector(c, t).is_some_and(|v| is_fixed(v.2))
    });
pub(super) const FLOATS: TypeConstraint =
    TypeConstraint::new("vector of floating-point values", |c, t| {
        vector(c, t).is_some_and(|v| v.1.is_float(c))
    });
pub(super) const MASK: TypeConstraint =
    TypeConstraint::new("vector of 1-bit signless integer values", |c, t| {
        vector(c, t).is_some_and(|v| !v.0.is_empty() && v.1 == c.i1())
    });
pub(super) const MASK_ANY_RANK: TypeConstraint =
    TypeConstraint::new("vector of 1-bit signless integer values", |c, t| {
        vector(c, t).is_some_and(|v| v.1 == c.i1())
    });
pub(super) const FIXED_MASK: TypeConstraint = TypeConstraint::new(
    "fixed-length vector of 1-bit signless integer values",
    |c, t| vector(c, t).is_some_and(|v| !v.0.is_empty() && v.1 == c.i1() && is_fixed(v.2)),
);
pub(super) const INDICES: TypeConstraint =
    TypeConstraint::new("vector of integer or index values", |c, t| {
        vector(c, t).is_some_and(|v| !v.0.is_empty() && v.1.is_int_or_index(c))
    });
pub(super) const STEPS: TypeConstraint =
    TypeConstraint::new("vector of index values of ranks 1", |c, t| {
        vector(c, t).is_some_and(|v| v.0.len() == 1 && v.1.is_index(c))
    });
pub(super) const RANK_1: TypeConstraint = TypeConstraint::new("vector of ranks 1", |c, t| {
    vector(c, t).is_some_and(|v| v.0.len() == 1)
});
pub(super) const SCALABLE_RANK_1: TypeConstraint =
    TypeConstraint::new("scalable vector of ranks 1", |c, t| {
        vector(c, t).is_some_and(|v| v.0.len() == 1 && !is_fixed(v.2))
    });
pub(super) const TENSOR_OR_MEMREF: TypeConstraint =
    TypeConstraint::new("Tensor or MemRef of any type values", |c, t| {
        t.is_tensor(c) || t.is_memref(c)
    });
pub(super) const TENSOR: TypeConstraint =
    TypeConstraint::new("ranked tensor of any type values", |c, t| {
        matches!(t.data(c), TypeData::Tensor { .. })
    });
pub(super) const STATIC_MEMREF: TypeConstraint =
    TypeConstraint::new("statically shaped memref of any type values", |c, t| {
        t.is_memref(c) && t.num_elements(c).is_some()
    });
pub(super) const PRINTABLE: TypeConstraint = TypeConstraint::new("", |c, t| {
    t.is_vector(c) || t.is_int_or_index(c) || t.is_float(c)
});

/// The shape of a vector; empty for other types.
pub(super) fn shape(c: &Context, t: Type) -> &[i64] {
    vector(c, t).map_or(&[], |v| v.0)
}

/// Whether dimension `i` is scalable.
pub(super) fn scalable_at(c: &Context, t: Type, i: usize) -> bool {
    vector(c, t).is_some_and(|v| v.2.get(i).copied().unwrap_or(false))
}

/// Which dimensions are scalable, one flag for each.
pub(super) fn scalable(c: &Context, t: Type) -> Vec<bool> {
    (0..shape(c, t).len())
        .map(|i| scalable_at(c, t, i))
        .collect()
}

/// A vector type; fixed where no flag is set.
pub(super) fn vector_type(c: &Context, shape: &[i64], elem: Type, scalable: &[bool]) -> Type {
    let scalable = if is_fixed(scalable) {
        Vec::new()
    } else {
        scalable.to_vec()
    };
    c.ty(TypeData::Vector {
        shape: shape.to_vec(),
        elem,
        scalable,
    })
}

/// Bits of an element; index counts 64, as without a data layout.
pub(super) fn element_bits(c: &Context, t: Type) -> Option<i64> {
    if t.is_index(c) {
        Some(64)
    } else {
        t.bit_width(c).map(i64::from)
    }
}

/// `[4]` for a scalable dimension, `4` for a fixed one.
pub(super) fn dim_text(size: i64, scalable: bool) -> String {
    if scalable {
        format!("[{size}]")
    } else {
        size.to_string()
    }
}

/// Fails with `failed to verify that WHAT have same element type`.
pub(super) fn same_element(c: &Context, a: Type, b: Type, what: &str) -> Result<(), String> {
    if a.element_or_self(c) == b.element_or_self(c) {
        return Ok(());
    }
    Err(format!(
        "failed to verify that {what} have same element type"
    ))
}
