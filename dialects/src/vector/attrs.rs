//! The enumerations of the dialect, and constraints on attributes.

use crate::enums;
use terrace_ir::constraint::{AttrConstraint, AttrSyntax, EnumDef, dialect_enum_attr};
use terrace_ir::opdef::ParamDef;
use terrace_ir::{Attr, Context, Op, Type};

const fn def(
    name: &'static str,
    mnemonic: &'static str,
    cases: &'static [(&'static str, i64)],
) -> EnumDef {
    enums::of("vector", name, mnemonic, cases)
}

/// How reductions and contractions combine: `#vector.kind<add>`.
pub static KIND: EnumDef = def(
    "::mlir::vector::CombiningKind",
    "kind",
    &[
        ("add", 0),
        ("mul", 1),
        ("minui", 2),
        ("minsi", 3),
        ("minnumf", 4),
        ("maxui", 5),
        ("maxsi", 6),
        ("maxnumf", 7),
        ("and", 8),
        ("or", 9),
        ("xor", 10),
        ("maximumf", 12),
        ("minimumf", 11),
    ],
);

/// What a dimension of a contraction is: `#vector.iterator_type<parallel>`.
pub(crate) static ITERATOR: EnumDef = def(
    "::mlir::vector::IteratorType",
    "iterator_type",
    &[("parallel", 0), ("reduction", 1)],
);

/// What `vector.print` puts behind.
pub(crate) static PUNCTUATION: EnumDef = def(
    "::mlir::vector::PrintPunctuation",
    "punctuation",
    &[
        ("no_punctuation", 0),
        ("newline", 1),
        ("comma", 2),
        ("open", 3),
        ("close", 4),
    ],
);

pub(super) static ATTRS: &[ParamDef] = &[
    ParamDef {
        mnemonic: "kind",
        parse: |p| enums::parse_angle(p, &KIND),
        print: |p, a| enums::print_angle(p, &KIND, a),
    },
    ParamDef {
        mnemonic: "iterator_type",
        parse: |p| enums::parse_angle(p, &ITERATOR),
        print: |p, a| enums::print_angle(p, &ITERATOR, a),
    },
    ParamDef {
        mnemonic: "punctuation",
        parse: |p| enums::parse_angle(p, &PUNCTUATION),
        print: |p, a| enums::print_angle(p, &PUNCTUATION, a),
    },
];

pub(super) const KIND_ATTR: AttrConstraint = dialect_enum_attr(
    "Kind of combining function for contractions and reductions",
    |c, a| KIND.value(c, a).is_some(),
    "vector",
    "kind",
);
pub(super) const PUNCTUATION_ATTR: AttrConstraint = dialect_enum_attr(
    "Punctuation for separating vectors or vector elements",
    |c, a| PUNCTUATION.value(c, a).is_some(),
    "vector",
    "punctuation",
);
pub(super) const ITERATORS_ATTR: AttrConstraint =
    AttrConstraint::new("Iterator type should be an enum.", |c, a| {
        a.as_array(c)
            .is_some_and(|v| v.iter().all(|x| ITERATOR.value(c, *x).is_some()))
    });
pub(super) const BOOLS_ATTR: AttrConstraint =
    AttrConstraint::new("1-bit boolean array attribute", |c, a| {
        a.as_array(c)
            .is_some_and(|v| v.iter().all(|x| x.as_bool(c).is_some()))
    });
pub(super) const I64S_ATTR: AttrConstraint =
    AttrConstraint::new("64-bit integer array attribute", |c, a| {
        let i64 = |x: &Attr| x.as_i64(c).is_some() && x.typed(c) == Some(c.i64());
        a.as_array(c).is_some_and(|v| v.iter().all(i64))
    });
pub(super) const ALIGNMENT: AttrConstraint = AttrConstraint::new(
    "64-bit signless integer attribute whose value is positive and whose value is a power of two > 0",
    |c, a| {
        a.typed(c) == Some(c.i64()) && a.as_i64(c).is_some_and(|v| v > 0 && v.count_ones() == 1)
    },
)
.syntax(AttrSyntax::Typed(|c| c.i64()))
.optional();

/// The keyword of an op's `kind`; `add` where it is left out.
pub(super) fn kind_of(ctx: &Context, op: Op) -> String {
    let v = op
        .attr(ctx, "kind")
        .and_then(|a| KIND.value(ctx, a))
        .unwrap_or(0);
    KIND.keyword(v).unwrap_or_default()
}

/// Whether elements of type `elem` can be combined so.
pub(super) fn supports(ctx: &Context, kind: &str, elem: Type) -> bool {
    match kind {
        "add" | "mul" => elem.is_int_or_index(ctx) || elem.is_float(ctx),
        "minnumf" | "maxnumf" | "minimumf" | "maximumf" => elem.is_float(ctx),
        _ => elem.is_int_or_index(ctx),
    }
}
