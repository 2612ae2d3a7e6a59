//! The enumerations of the dialect, and constraints on attributes.

use terrace_ir::Attr;
use terrace_ir::constraint::{AttrConstraint, AttrSyntax, EnumDef, EnumStorage, dialect_enum_attr};
use terrace_ir::opdef::ParamDef;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;

const fn def(
    name: &'static str,
    mnemonic: &'static str,
    cases: &'static [(&'static str, i64)],
) -> EnumDef {
    EnumDef {
        name,
        cases,
        bits: false,
        separator: "",
        storage: EnumStorage::Dialect {
            dialect: "linalg",
            mnemonic,
        },
    }
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
        parse: |p| parse(p, &ITERATOR),
        print: |p, a| print(p, &ITERATOR, a),
    },
    ParamDef {
        mnemonic: "type_fn",
        parse: |p| parse(p, &TYPE_FN),
        print: |p, a| print(p, &TYPE_FN, a),
    },
];

fn parse(p: &mut OpParser, d: &EnumDef) -> PResult<Vec<Attr>> {
    p.expect(T::Less)?;
    let pos = p.pos();
    let Some(v) = p.parse_optional_keyword().and_then(|w| d.parse(w)) else {
        let words: Vec<&str> = d.cases.iter().map(|c| c.0).collect();
        return Err(p.error(
            pos,
            format!("expected {} to be one of: {}", d.name, words.join(", ")),
        ));
    };
    p.expect(T::Greater)?;
    Ok(vec![p.ctx.i64_attr(v)])
}

fn print(p: &mut Printer, d: &EnumDef, params: &[Attr]) {
    let v = params
        .first()
        .and_then(|a| a.as_i64(p.ctx))
        .and_then(|v| d.keyword(v));
    p.fmt(format_args!("<{}>", v.unwrap_or_default()));
}

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
