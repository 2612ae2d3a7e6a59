//! A small dialect and helpers for the tests of this crate.

use crate::attr::Attr;
use crate::builder::Builder;
use crate::constraint::*;
use crate::context::Context;
use crate::diag::{DiagLoc, Severity};
use crate::op::Op;
use crate::opdef::{DialectDef, Effect, EffectKind, Fold, Invalid, OpKind, Verified};
use crate::rewrite::PatternSet;
use crate::text::parser::{Source, parse};
use crate::types::Type;

const TYPED_ATTR: AttrConstraint =
    AttrConstraint::new("TypedAttr instance", |c, a| a.typed(c).is_some());

crate::op! {
    Module = "builtin.module" {
        attrs: [sym_name: SYMBOL_NAME.optional()],
        regions: [body: OneBlock],
        traits: ISOLATED | SYMBOL | SYMBOL_TABLE | NO_TERMINATOR | SINGLE_BLOCK | AFFINE_SCOPE
            | GRAPH_REGION,
    }
    Func = "t.func" {
        attrs: [sym_name: SYMBOL_NAME, function_type: FUNCTION_TYPE_ATTR],
        regions: [body: Any],
        traits: ISOLATED | SYMBOL | FUNCTION_LIKE | AFFINE_SCOPE,
    }
    Return = "t.return" {
        operands: [operands: ANY.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        parents: ["t.func"],
    }
    Const = "t.const" {
        attrs: [value: TYPED_ATTR],
        results: [result: ANY],
        traits: PURE | CONSTANT_LIKE,
        same_type: [[value, result]],
    }
    Add = "t.add" {
        operands: [lhs: SIGNLESS_INT_LIKE, rhs: SIGNLESS_INT_LIKE],
        results: [result: SIGNLESS_INT_LIKE],
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE,
        fold: fold_add,
    }
    Double = "t.double" {
        operands: [x: SIGNLESS_INT_LIKE],
        results: [result: SIGNLESS_INT_LIKE],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE,
        canonicalize: double_patterns,
    }
    Neg = "t.neg" {
        operands: [x: ANY],
        results: [result: ANY],
        traits: PURE | INVOLUTION,
    }
    Abs = "t.abs" {
        operands: [x: ANY],
        results: [result: ANY],
        traits: PURE | IDEMPOTENT,
    }
    Elem = "t.elem" {
        operands: [x: ANY.variadic()],
        results: [result: ANY.variadic()],
        traits: PURE | ELEMENTWISE,
    }
    UseOp = "t.use" { operands: [x: ANY.variadic()] }
    One = "t.one" { operands: [x: INDEX], attrs: [flag: UNIT_ATTR, n: I32_ATTR] }
    Two = "t.two" { operands: [x: INDEX, y: INDEX, z: INDEX.variadic()] }
    Maybe = "t.maybe" { operands: [x: INDEX.optional()] }
    Groups = "t.groups" {
        operands: [a: INDEX.variadic(), b: I32.variadic()],
        traits: ATTR_SIZED_OPERANDS,
    }
    Same = "t.same" { operands: [a: ANY, b: ANY], same_type: [[a, b]] }
    Load = "t.load" {
        operands: [memref: MEMREF],
        results: [result: ANY],
        effects: |c, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(c, 0)) }],
    }
    Store = "t.store" {
        operands: [value: ANY, memref: MEMREF],
        effects: |c, op| vec![Effect { kind: EffectKind::Write, on: Some(op.operand(c, 1)) }],
    }
    Alloc = "t.alloc" {
        results: [memref: MEMREF],
        effects: |c, op| vec![Effect { kind: EffectKind::Alloc, on: Some(op.result(c, 0)) }],
    }
    Br = "t.br" {
        operands: [args: ANY.variadic()],
        successors: [dest],
        traits: PURE | TERMINATOR,
        successor_operands: |c, op, _| 0..op.num_operands(c),
    }
    CondBr = "t.cond_br" {
        operands: [cond: I1, a: ANY.variadic(), b: ANY.variadic()],
        successors: [yes, no],
        traits: PURE | TERMINATOR | ATTR_SIZED_OPERANDS,
        successor_operands: |c, op, i| match op.def(c) {
            Some(d) => d.operand_range(c, op, i + 1).unwrap_or(0..0),
            None => 0..0,
        },
    }
    Loop = "t.loop" {
        regions: [body: AtMostOneBlock],
        results: [out: ANY.variadic()],
        traits: SINGLE_BLOCK | RECURSIVE_EFFECTS | RECURSIVELY_SPECULATABLE,
        implicit_terminator: "t.yield",
    }
    Yield = "t.yield" {
        operands: [x: ANY.variadic()],
        traits: PURE | TERMINATOR,
        parents: ["t.loop", "t.noargs"],
    }
    NoArgs = "t.noargs" {
        regions: [body: Any],
        traits: NO_REGION_ARGUMENTS | NO_TERMINATOR,
    }
    Graph = "t.graph" {
        regions: [body: Any],
        traits: GRAPH_REGION | NO_TERMINATOR,
    }
    Call = "t.call" {
        operands: [args: ANY.variadic()],
        attrs: [callee: FLAT_SYMBOL_REF],
        results: [results: ANY.variadic()],
        verify_symbols: verify_call,
    }
    Checked = "t.checked" {
        operands: [x: INDEX],
        verify: |c, op| match op.attr(c, "bad") {
            Some(_) => Err("is marked bad".into()),
            None => Ok(()),
        },
    }
}

fn fold_add(ctx: &Context, op: Op, c: &[Option<Attr>]) -> Fold {
    let ty = op.result(ctx, 0).ty(ctx);
    match (
        c[0].and_then(|a| a.as_i64(ctx)),
        c[1].and_then(|a| a.as_i64(ctx)),
    ) {
        (_, Some(0)) => Fold::value(op.operand(ctx, 0)),
        (Some(a), Some(b)) => Fold::attr(ctx.int_attr(ty, a.wrapping_add(b))),
        _ => Fold::No,
    }
}

fn double_patterns(set: &mut PatternSet) {
    set.add::<Double>(|rw, op| {
        let (x, ty) = (op.operand(rw.ctx, 0), op.result(rw.ctx, 0).ty(rw.ctx));
        let sum = rw.value::<Add>(&[x, x], ty, &[]);
        rw.replace_op(op, &[sum]);
        true
    });
}

fn verify_call(ctx: &Context, op: Op) -> Verified {
    let Some(callee) = op.attr(ctx, "callee") else {
        return Ok(());
    };
    match crate::symbols::lookup(ctx, op, callee) {
        Some(f) if f.isa::<Func>(ctx) => Ok(()),
        _ => Err(Invalid::plain(format!(
            "{} does not reference a valid function",
            ctx.attr_text(callee)
        ))),
    }
}

fn materialize(b: &mut Builder, value: Attr, ty: Type) -> Option<Op> {
    Some(b.op::<Const>(&[], &[ty], &[("value", value)]))
}

fn check_dialect_attr(_: &Context, _: Op, name: &str, _: Attr) -> Verified {
    match name {
        "t.good" => Ok(()),
        other => Err(format!("has unknown attribute '{other}'").into()),
    }
}

static BUILTIN: DialectDef = DialectDef {
    name: "builtin",
    ops: &[Module::DEF],
    ..DialectDef::EMPTY
};

static T: DialectDef = DialectDef {
    name: "t",
    ops: &[
        Func::DEF,
        Return::DEF,
        Const::DEF,
        Add::DEF,
        Double::DEF,
        Neg::DEF,
        Abs::DEF,
        Elem::DEF,
        UseOp::DEF,
        One::DEF,
        Two::DEF,
        Maybe::DEF,
        Groups::DEF,
        Same::DEF,
        Load::DEF,
        Store::DEF,
        Alloc::DEF,
        Br::DEF,
        CondBr::DEF,
        Loop::DEF,
        Yield::DEF,
        NoArgs::DEF,
        Graph::DEF,
        Call::DEF,
        Checked::DEF,
    ],
    materialize: Some(materialize),
    verify_op_attr: Some(check_dialect_attr),
    ..DialectDef::EMPTY
};

/// A context with the test dialect, in which other ops are errors.
pub fn context() -> Context {
    let mut ctx = Context::new();
    ctx.register(&BUILTIN);
    ctx.register(&T);
    ctx
}

/// Parse a module of the test dialect; its diagnostics are part of a failure.
pub fn module(ctx: &mut Context, text: &str) -> Op {
    match parse(ctx, &Source::new("test.mlir", text)) {
        Some(op) => op,
        None => panic!("does not parse: {:#?}", ctx.take_diagnostics()),
    }
}

/// A function `@f` of no arguments around `body`, in the generic form.
pub(crate) fn in_func(body: &str) -> String {
    format!(
        "\"t.func\"() <{{sym_name = \"f\", function_type = () -> ()}}> ({{\n{body}\n}}) : () -> ()"
    )
}

/// Errors and their notes, as `LINE: message` and `note LINE: message`.
pub fn errors(ctx: &Context) -> Vec<String> {
    let at = |l: &DiagLoc| match l {
        DiagLoc::Pos { line, .. } => line.to_string(),
        _ => "?".to_string(),
    };
    let mut out = Vec::new();
    for d in ctx.take_diagnostics() {
        if d.severity == Severity::Error {
            out.push(format!("{}: {}", at(&d.loc), d.message));
            out.extend(d.notes.iter().map(|(l, m)| format!("note {}: {m}", at(l))));
        }
    }
    out
}

/// The first op of this name in `root`.
pub fn find(ctx: &Context, root: Op, name: &str) -> Op {
    match root
        .pre_order(ctx)
        .into_iter()
        .find(|o| o.name(ctx) == name)
    {
        Some(op) => op,
        None => panic!("no '{name}'"),
    }
}
