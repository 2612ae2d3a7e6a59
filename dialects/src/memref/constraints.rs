//! What memref ops ask of their operands, results and attributes.

use super::layout;
use terrace_ir::constraint::{AttrConstraint, AttrSyntax, TypeConstraint};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Type, TypeData};

fn ranked(ctx: &Context, t: Type, rank: usize) -> bool {
    t.is_memref(ctx) && t.rank(ctx) == Some(rank)
}

fn signless_or_float(ctx: &Context, t: Type) -> bool {
    t.is_signless_int(ctx) || t.is_float(ctx)
}

pub(super) const MEMREF_1D: TypeConstraint =
    TypeConstraint::new("1D memref of any type values", |c, t| ranked(c, t, 1));

pub(super) const MEMREF_1D_I8: TypeConstraint =
    TypeConstraint::new("1D memref of 8-bit signless integer values", |c, t| {
        ranked(c, t, 1) && t.element(c) == Some(c.int(8))
    });

pub(super) const MEMREF_1D_INDICES: TypeConstraint =
    TypeConstraint::new("1D memref of signless integer or index values", |c, t| {
        ranked(c, t, 1)
            && t.element(c)
                .is_some_and(|e| e.is_signless_int(c) || e.is_index(c))
    });

pub(super) const STATIC_MEMREF: TypeConstraint =
    TypeConstraint::new("statically shaped memref of any type values", |c, t| {
        t.is_memref(c) && t.shape(c).is_some_and(|s| !s.contains(&DYNAMIC))
    });

pub(super) const NON_0_RANKED: TypeConstraint = TypeConstraint::new(
    "unranked.memref of any type values or non-0-ranked.memref of any type values",
    |c, t| match t.data(c) {
        TypeData::UnrankedMemRef { .. } => true,
        TypeData::MemRef { shape, .. } => !shape.is_empty(),
        _ => false,
    },
);

pub(super) const STRIDED: TypeConstraint =
    TypeConstraint::new("strided memref of any type values", layout::is_strided);

pub(super) const STRIDED_0D: TypeConstraint =
    TypeConstraint::new("strided memref of any type values of rank 0", |c, t| {
        ranked(c, t, 0) && layout::is_strided(c, t)
    });

pub(super) const ATOMIC: TypeConstraint =
    TypeConstraint::new("signless integer or floating-point", signless_or_float);

pub(super) const ATOMIC_MEMREF: TypeConstraint = TypeConstraint::new(
    "memref of signless integer or floating-point values",
    |c, t| t.is_memref(c) && t.element(c).is_some_and(|e| signless_or_float(c, e)),
);

/// An alignment: a positive power of two of type `i64`.
pub(super) const ALIGNMENT: AttrConstraint = AttrConstraint::new(
    "64-bit signless integer attribute whose value is positive and whose value is a power of two > 0",
    |c, a| {
        a.typed(c) == Some(c.i64()) && a.as_i64(c).is_some_and(|v| v > 0 && v & (v - 1) == 0)
    },
)
.syntax(AttrSyntax::Typed(|c| c.i64()))
.optional();

pub(super) const POSITIVE_I32: AttrConstraint = AttrConstraint::new(
    "32-bit signless integer attribute whose value is positive",
    |c, a| a.typed(c) == Some(c.i32()) && a.as_i64(c).is_some_and(|v| v > 0),
)
.syntax(AttrSyntax::Typed(|c| c.i32()));

pub(super) const LOCALITY: AttrConstraint = AttrConstraint::new(
    "32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3",
    |c, a| a.typed(c) == Some(c.i32()) && a.as_i64(c).is_some_and(|v| (0..=3).contains(&v)),
)
.syntax(AttrSyntax::Typed(|c| c.i32()));

pub(super) const MEMREF_TYPE: AttrConstraint =
    AttrConstraint::new("memref type attribute of any type", |c, a| {
        a.as_type(c).is_some_and(|t| t.is_memref(c))
    })
    .syntax(AttrSyntax::Type);

pub(crate) const REASSOCIATION: AttrConstraint =
    AttrConstraint::new("Array of 64-bit integer array attributes", |c, a| {
        a.as_array(c).is_some_and(|groups| {
            groups.iter().all(|g| {
                g.as_array(c)
                    .is_some_and(|v| v.iter().all(|i| i.typed(c) == Some(c.i64())))
            })
        })
    });
