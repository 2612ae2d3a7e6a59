//! The `ub` dialect: values and places that a program must not come to.

use terrace_ir::constraint::{ANY, ANY_ATTR};
use terrace_ir::opdef::ParamDef;
use terrace_ir::{Attr, AttrData, Builder, Context, DialectDef, Op, OpKind, Type, op};

op! {
    /// A value that nothing may depend on.
    PoisonOp = "ub.poison" {
        results: [result: ANY],
        attrs: [value: ANY_ATTR.default(poison)],
        traits: PURE | CONSTANT_LIKE,
        format: "attr-dict (`<` $value^ `>`)? `:` type($result)",
    }

    /// The end of a block that is never reached.
    UnreachableOp = "ub.unreachable" {
        traits: TERMINATOR,
        format: "attr-dict",
    }
}

/// `#ub.poison`: poison through and through.
fn poison(ctx: &Context) -> Attr {
    ctx.attr(AttrData::Dialect {
        dialect: "ub",
        mnemonic: "poison",
        params: Vec::new(),
    })
}

/// Whether a constant is poison through and through.
pub fn is_poison(ctx: &Context, value: Attr) -> bool {
    value.as_dialect(ctx, "ub", "poison").is_some()
}

/// Makes `ub.poison` for poison.
pub fn materialize(b: &mut Builder, value: Attr, ty: Type) -> Option<Op> {
    is_poison(b.ctx, value).then(|| b.op::<PoisonOp>(&[], &[ty], &[("value", value)]))
}

/// Values that are undefined.
pub static DIALECT: DialectDef = DialectDef {
    name: "ub",
    doc: "Values and places that a program must not come to.",
    ops: &[PoisonOp::DEF, UnreachableOp::DEF],
    materialize: Some(materialize),
    attrs: &[ParamDef {
        mnemonic: "poison",
        parse: |_| Ok(Vec::new()),
        print: |_, _| {},
    }],
    ..DialectDef::EMPTY
};
