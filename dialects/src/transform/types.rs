//! Handles: what the values of a script stand for.

use terrace_ir::constraint::TypeConstraint;
use terrace_ir::opdef::ParamDef;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, Context, Type, TypeData};

pub(super) static TYPES: &[ParamDef] = &[
    plain("any_op"),
    plain("any_value"),
    plain("any_param"),
    ParamDef {
        mnemonic: "op",
        parse: parse_parameter,
        print: print_parameter,
    },
    ParamDef {
        mnemonic: "param",
        parse: parse_parameter,
        print: print_parameter,
    },
];

const fn plain(mnemonic: &'static str) -> ParamDef {
    ParamDef {
        mnemonic,
        parse: |_| Ok(Vec::new()),
        print: |_, _| {},
    }
}

/// `<"op.name">` or `<type>`.
fn parse_parameter(p: &mut OpParser) -> PResult<Vec<Attr>> {
    p.expect(T::Less)?;
    let a = p.parse_attr()?;
    p.expect(T::Greater)?;
    Ok(vec![a])
}

fn print_parameter(p: &mut Printer, params: &[Attr]) {
    p.write("<");
    p.list(params, |p, a| p.attr(a));
    p.write(">");
}

fn is(ctx: &Context, t: Type, mnemonics: &[&str]) -> bool {
    matches!(t.data(ctx), TypeData::Dialect { dialect: "transform", mnemonic, .. }
        if mnemonics.contains(mnemonic))
}

/// A handle to ops.
pub(super) const HANDLE: TypeConstraint =
    TypeConstraint::new("TransformHandleTypeInterface instance", |c, t| {
        is(c, t, &["any_op", "op"])
    });

/// A handle to values.
pub(super) const VALUE_HANDLE: TypeConstraint =
    TypeConstraint::new("TransformValueHandleTypeInterface instance", |c, t| {
        is(c, t, &["any_value"])
    });

/// A handle to anything, or a parameter.
pub(super) const ANY_HANDLE: TypeConstraint =
    TypeConstraint::new("transform 'param' type or any handle type", |c, t| {
        is(c, t, &["any_op", "op", "any_value", "any_param", "param"])
    });
