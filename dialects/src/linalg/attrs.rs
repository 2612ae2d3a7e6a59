//! The enumerations of the dialect, and constraints on attributes.

use crate::enums;
use terrace_ir::constraint::{AttrConstraint, AttrSyntax, EnumDef, dialect_enum_attr};
use terrace_ir::opdef::ParamDef;

const fn def(
    name: &'static str,
    mnemonic: &'static str,
    cases: &'static [(&'static str, i64)],
) -> EnumDef {
    enums::of("linalg", name, mnemonic, cases)
}

/// What a loop around elements is: `#linalg.iterator_type<parallel>`.
pub static ITERATOR: EnumDef = def(
    "::mlir::utils::IteratorType",
    "iterator_type",
    &[("parallel", 0), ("reduction", 1), ("window", 2)],
);

/// Whether integers are read with a sign: `#linalg.type_fn<cast_signed>`.
pub static TYPE_FN: EnumDef = def(
    "::mlir::linalg::TypeFn",
    "type_fn",
    &[("cast_signed", 0), ("cast_unsigned", 1)],
);

pub(super) static ATTRS: &[ParamDef] = &[
    ParamDef {
        mnemonic: "iterator_type",
        parse: |p| enums::parse_angle(p, &ITERATOR),
        print: |p, a| enums::print_angle(p, &ITERATOR, a),
    },
    ParamDef {
        mnemonic: "type_fn",
        parse: |p| enums::parse_angle(p, &TYPE_FN),
        print: |p, a| enums::print_angle(p, &TYPE_FN, a),
    },
];

pub(super) const ITERATORS_ATTR: AttrConstraint =
    AttrConstraint::new("Iterator type should be an enum.", |c, a| {
        a.as_array(c)
            .is_some_and(|v| v.iter().all(|x| ITERATOR.value(c, *x).is_some()))
    });

pub(super) const MAPS_ATTR: AttrConstraint =
    AttrConstraint::new("AffineMap array attribute", |c, a| {
        a.as_array(c)
            .is_some_and(|v| v.iter().all(|x| x.as_map(c).is_some()))
    });

pub(super) const TYPE_FN_ATTR: AttrConstraint = dialect_enum_attr(
    "allowed 32-bit signless integer cases: 0, 1",
    |c, a| TYPE_FN.value(c, a).is_some(),
    "linalg",
    "type_fn",
)
.optional();

pub(super) const DIM_ATTR: AttrConstraint = AttrConstraint::new(
    "64-bit signless integer attribute whose minimum value is 0",
    |c, a| a.typed(c) == Some(c.i64()) && a.as_i64(c).is_some_and(|v| v >= 0),
)
.syntax(AttrSyntax::Typed(|c| c.i64()));
