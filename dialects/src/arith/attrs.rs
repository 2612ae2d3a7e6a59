//! Enumerations and flags of the dialect, as attributes and as Rust values.

use terrace_ir::constraint::{
    AttrConstraint, AttrSyntax, EnumDef, EnumStorage, TypeConstraint, enum_attr,
};
use terrace_ir::num::Rounding;
use terrace_ir::opdef::ParamDef;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, AttrData, Context, Op, Type, TypeData};

/// The bits of [`FASTMATH`].
pub mod fastmath {
    /// Sums and products may be put in another order.
    pub const REASSOC: i64 = 1;
    /// No operand or result is a NaN.
    pub const NNAN: i64 = 2;
    /// No operand or result is infinite.
    pub const NINF: i64 = 4;
    /// The sign of a zero does not count.
    pub const NSZ: i64 = 8;
    /// A division may become a product with the reciprocal.
    pub const ARCP: i64 = 16;
    /// A product and a sum may become one op that rounds once.
    pub const CONTRACT: i64 = 32;
    /// Functions may be approximated.
    pub const AFN: i64 = 64;
    /// All flags together.
    pub const FAST: i64 = 127;
}

/// The bits of [`OVERFLOW`].
pub mod overflow {
    /// No overflow as signed numbers.
    pub const NSW: i64 = 1;
    pub(crate) const NUW: i64 = 2;
}

/// Flags for what may be done to float arithmetic; see [`fastmath`].
pub static FASTMATH: EnumDef = EnumDef {
    name: "fastmath",
    cases: &[
        ("none", 0),
        ("reassoc", fastmath::REASSOC),
        ("nnan", fastmath::NNAN),
        ("ninf", fastmath::NINF),
        ("nsz", fastmath::NSZ),
        ("arcp", fastmath::ARCP),
        ("contract", fastmath::CONTRACT),
        ("afn", fastmath::AFN),
        ("fast", fastmath::FAST),
    ],
    bits: true,
    separator: ",",
    storage: EnumStorage::Dialect {
        dialect: "arith",
        mnemonic: "fastmath",
    },
};

/// Flags for how integer arithmetic does not overflow; see [`overflow`].
pub static OVERFLOW: EnumDef = EnumDef {
    name: "overflow",
    cases: &[("none", 0), ("nsw", overflow::NSW), ("nuw", overflow::NUW)],
    bits: true,
    separator: ", ",
    storage: EnumStorage::Dialect {
        dialect: "arith",
        mnemonic: "overflow",
    },
};

pub(crate) static ROUNDING: EnumDef = EnumDef {
    name: "roundingmode",
    cases: &[
        ("to_nearest_even", 0),
        ("downward", 1),
        ("upward", 2),
        ("toward_zero", 3),
        ("to_nearest_away", 4),
    ],
    bits: false,
    separator: "",
    storage: EnumStorage::I32,
};

pub(crate) static CMPI: EnumDef = EnumDef {
    name: "predicate",
    cases: &[
        ("eq", 0),
        ("ne", 1),
        ("slt", 2),
        ("sle", 3),
        ("sgt", 4),
        ("sge", 5),
        ("ult", 6),
        ("ule", 7),
        ("ugt", 8),
        ("uge", 9),
    ],
    bits: false,
    separator: "",
    storage: EnumStorage::I64,
};

pub(crate) static CMPF: EnumDef = EnumDef {
    name: "predicate",
    cases: &[
        ("false", 0),
        ("oeq", 1),
        ("ogt", 2),
        ("oge", 3),
        ("olt", 4),
        ("ole", 5),
        ("one", 6),
        ("ord", 7),
        ("ueq", 8),
        ("ugt", 9),
        ("uge", 10),
        ("ult", 11),
        ("ule", 12),
        ("une", 13),
        ("uno", 14),
        ("true", 15),
    ],
    bits: false,
    separator: "",
    storage: EnumStorage::I64,
};

/// Kinds of atomic read-modify-write, for `memref.atomic_rmw`, `affine.parallel` and
/// others that reduce.
pub static ATOMIC_RMW_KIND: EnumDef = EnumDef {
    name: "kind",
    cases: &[
        ("addf", 0),
        ("addi", 1),
        ("andi", 2),
        ("assign", 3),
        ("maximumf", 4),
        ("maxnumf", 5),
        ("maxs", 6),
        ("maxu", 7),
        ("minimumf", 8),
        ("minnumf", 9),
        ("mins", 10),
        ("minu", 11),
        ("mulf", 12),
        ("muli", 13),
        ("ori", 14),
        ("xori", 15),
    ],
    bits: false,
    separator: "",
    storage: EnumStorage::I64,
};

/// `fastmath` of an op that has no flags unless it says so.
pub(crate) const FASTMATH_ATTR: AttrConstraint = OPTIONAL_FASTMATH.default(|c| FASTMATH.attr(c, 0));
/// `fastmath` of a cast, where absent and `none` are different.
pub(crate) const OPTIONAL_FASTMATH: AttrConstraint = enum_attr(
    "Floating point fast math flags",
    |c, a| FASTMATH.value(c, a).is_some(),
    &FASTMATH,
)
.optional();
pub(crate) const OVERFLOW_ATTR: AttrConstraint = enum_attr(
    "Integer overflow arith flags",
    |c, a| OVERFLOW.value(c, a).is_some(),
    &OVERFLOW,
)
.default(|c| OVERFLOW.attr(c, 0));
pub(crate) const ROUNDING_ATTR: AttrConstraint = enum_attr(
    "Floating point rounding mode",
    |c, a| ROUNDING.value(c, a).is_some(),
    &ROUNDING,
)
.optional();
pub(crate) const CMPI_ATTR: AttrConstraint = enum_attr(
    "allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
    |c, a| CMPI.value(c, a).is_some(),
    &CMPI,
);
pub(crate) const CMPF_ATTR: AttrConstraint = enum_attr(
    "allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    |c, a| CMPF.value(c, a).is_some(),
    &CMPF,
);

/// The fast-math flags of an op; none where it has no such attribute.
pub fn fastmath_of(ctx: &Context, op: Op) -> i64 {
    op.attr(ctx, "fastmath")
        .and_then(|a| FASTMATH.value(ctx, a))
        .unwrap_or(0)
}

/// The overflow flags of an op; none where it has no such attribute.
pub fn overflow_of(ctx: &Context, op: Op) -> i64 {
    op.attr(ctx, "overflowFlags")
        .and_then(|a| OVERFLOW.value(ctx, a))
        .unwrap_or(0)
}

/// The rounding mode an op names.
pub fn rounding_of(ctx: &Context, op: Op) -> Option<Rounding> {
    let v = ROUNDING.value(ctx, op.attr(ctx, "roundingmode")?)?;
    [
        Rounding::NearestEven,
        Rounding::Down,
        Rounding::Up,
        Rounding::TowardZero,
        Rounding::NearestAway,
    ]
    .get(usize::try_from(v).ok()?)
    .copied()
}

/// `<flag, flag>` behind the mnemonic of a flags attribute.
fn parse_flags(p: &mut OpParser, def: &'static EnumDef) -> PResult<Vec<Attr>> {
    p.expect(T::Less)?;
    let v = terrace_ir::text::format::parse_enum(p, def, def.name)?;
    p.expect(T::Greater)?;
    Ok(vec![p.ctx.i64_attr(v)])
}

fn print_flags(p: &mut Printer, def: &'static EnumDef, params: &[Attr]) {
    let value = params.first().and_then(|a| a.as_i64(p.ctx)).unwrap_or(0);
    p.write("<");
    p.write(&def.keyword(value).unwrap_or_default());
    p.write(">");
}

pub(super) static ATTRS: [ParamDef; 2] = [
    ParamDef {
        mnemonic: "fastmath",
        parse: |p| parse_flags(p, &FASTMATH),
        print: |p, v| print_flags(p, &FASTMATH, v),
    },
    ParamDef {
        mnemonic: "overflow",
        parse: |p| parse_flags(p, &OVERFLOW),
        print: |p, v| print_flags(p, &OVERFLOW, v),
    },
];

// ---- type constraints of casts ----

/// A scalar, vector or tensor whose element satisfies `f`.
fn like(ctx: &Context, t: Type, f: fn(&Context, Type) -> bool) -> bool {
    let container = matches!(
        t.data(ctx),
        TypeData::Vector { .. } | TypeData::Tensor { .. } | TypeData::UnrankedTensor(_)
    );
    f(ctx, if container { t.element_or_self(ctx) } else { t })
}

fn memref_of(ctx: &Context, t: Type, f: fn(&Context, Type) -> bool) -> bool {
    t.is_memref(ctx) && f(ctx, t.element_or_self(ctx))
}

fn signless(ctx: &Context, t: Type) -> bool {
    t.is_signless_int(ctx)
}
fn signless_or_index(ctx: &Context, t: Type) -> bool {
    t.is_signless_int(ctx) || t.is_index(ctx)
}
fn signless_or_float(ctx: &Context, t: Type) -> bool {
    t.is_signless_int(ctx) || t.is_float(ctx)
}

pub(crate) const FIXED_INT_LIKE: TypeConstraint =
    TypeConstraint::new("signless-fixed-width-integer-like", |c, t| {
        like(c, t, signless)
    });
pub(crate) const INDEX_CASTABLE: TypeConstraint = TypeConstraint::new(
    "signless-integer-like or memref of signless-integer",
    |c, t| like(c, t, signless_or_index) || memref_of(c, t, signless_or_index),
);
pub(crate) const BITCASTABLE: TypeConstraint = TypeConstraint::new(
    "signless-integer-or-float-like or memref of signless-integer or float",
    |c, t| like(c, t, signless_or_float) || memref_of(c, t, signless_or_float),
);

/// The value of a constant: integers, floats and elements.
pub(crate) const VALUE_ATTR: AttrConstraint = AttrConstraint::new("TypedAttr instance", |c, a| {
    super::verify::value_type(c, a).is_some()
})
.syntax(AttrSyntax::Full);

/// Whether an attribute can be the value of `arith.constant`.
pub(crate) fn is_constant_value(ctx: &Context, a: Attr) -> bool {
    matches!(
        a.data(ctx),
        AttrData::Integer { .. }
            | AttrData::Float { .. }
            | AttrData::Dense { .. }
            | AttrData::DenseResource { .. }
            | AttrData::Sparse { .. }
    )
}

/// `t` with `i1` in place of its scalar or elements: the type of a comparison.
pub(crate) fn i1_like(ctx: &Context, t: Type) -> Type {
    t.with_element(ctx, ctx.i1())
}
