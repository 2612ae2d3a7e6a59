//! Values and accesses in the words of the source, as far as locations and attributes
//! tell: `A[i][j - 1]`, `row[i + 1]`, `n * 2`.

use terrace_dialects::affine::{Access, ApplyOp};
use terrace_dialects::attributes::ACC_SCALAR;
use terrace_dialects::func;
use terrace_dialects::memref::{AtomicRmwOp, DimOp, GenericAtomicRmwOp, LoadOp, StoreOp};
use terrace_dialects::{affine, arith};
use terrace_ir::affine::{AffineExpr, AffineOp};
use terrace_ir::{Context, Op, Value};

use super::loop_like::Loop;
use super::reason::Reason;
use crate::analysis::dependence::words;
use crate::analysis::memory::{argument_has, base};

/// How deep expressions are followed; deeper parts are `...`.
const MAX_DEPTH: u32 = 12;

/// What the source calls an array.
pub(crate) fn array(ctx: &Context, memref: Value) -> String {
    words::array(ctx, Some(memref))
}

/// An access as text: `A[i][k]`; `None` for an op that touches no single element.
pub(crate) fn element(ctx: &Context, op: Op) -> Option<String> {
    element_at(ctx, op, MAX_DEPTH)
}

fn element_at(ctx: &Context, op: Op, depth: u32) -> Option<String> {
    let (memref, subscripts) = subscripts(ctx, op, depth)?;
    let array_of = base(ctx, memref);
    let mut text = array(ctx, array_of);
    // A scalar of the source that is in memory.
    let scalar = argument_has(ctx, array_of, ACC_SCALAR);
    for s in subscripts.into_iter().filter(|_| !scalar) {
        text.push_str(&format!("[{s}]"));
    }
    Some(text)
}

/// What an access does, where: `the write of A[i]`.
pub fn access(ctx: &Context, op: Op, writes: bool) -> Reason {
    let place = ctx.diag_loc(op.loc(ctx));
    let text = match element(ctx, op) {
        Some(e) if writes => format!("the write of {e}"),
        Some(e) => format!("the read of {e}"),
        None => format!("the {}", words::access(ctx, op)),
    };
    Reason::new(place, text)
}

/// A value as an expression of the source.
pub fn value(ctx: &Context, v: Value) -> String {
    value_at(ctx, v, MAX_DEPTH).0
}

/// The memref that an op touches one element of, and the subscripts as values.
pub(crate) fn indices(ctx: &Context, op: Op) -> Option<(Value, Vec<Value>)> {
    if let Some(a) = Access::of(ctx, op) {
        return Some((a.memref, a.operands));
    }
    let at = match op.name(ctx) {
        LoadOp::NAME | GenericAtomicRmwOp::NAME => 0,
        StoreOp::NAME | AtomicRmwOp::NAME => 1,
        _ => return None,
    };
    let operands = op.operands(ctx);
    Some((*operands.get(at)?, operands.get(at + 1..)?.to_vec()))
}

fn subscripts(ctx: &Context, op: Op, depth: u32) -> Option<(Value, Vec<String>)> {
    if let Some(a) = Access::of(ctx, op) {
        let names: Vec<Text> = a
            .operands
            .iter()
            .map(|v| value_at(ctx, *v, depth.saturating_sub(1)))
            .collect();
        let dims = a.map.num_dims() as usize;
        let texts = a.map.results().iter();
        let texts = texts.map(|e| expr(e, &names, dims, depth).0).collect();
        return Some((a.memref, texts));
    }
    let (memref, values) = indices(ctx, op)?;
    let texts = values
        .iter()
        .map(|v| value_at(ctx, *v, depth.saturating_sub(1)).0)
        .collect();
    Some((memref, texts))
}

/// Text and how strongly it binds: 0 a sum, 1 a product, 2 a name or a number.
type Text = (String, u8);

fn in_parens(t: &Text, strength: u8) -> String {
    if t.1 < strength {
        format!("({})", t.0)
    } else {
        t.0.clone()
    }
}

fn binary(op: &str, a: &Text, b: &Text) -> Text {
    match op {
        "+" => match b.0.strip_prefix('-') {
            Some(rest) if b.1 > 0 => (format!("{} - {rest}", a.0), 0),
            _ => (format!("{} + {}", a.0, b.0), 0),
        },
        "-" => (format!("{} - {}", a.0, in_parens(b, 1)), 0),
        _ => (format!("{} {op} {}", in_parens(a, 1), in_parens(b, 2)), 1),
    }
}

fn expr(e: &AffineExpr, names: &[Text], dims: usize, depth: u32) -> Text {
    let name = |i: usize| names.get(i).cloned().unwrap_or_else(|| ("?".into(), 2));
    match e {
        AffineExpr::Dim(i) => name(*i as usize),
        AffineExpr::Symbol(i) => name(dims + *i as usize),
        AffineExpr::Constant(c) => (c.to_string(), 2),
        AffineExpr::Binary(_) if depth == 0 => ("...".to_string(), 2),
        AffineExpr::Binary(node) => {
            let a = expr(node.lhs(), names, dims, depth - 1);
            if node.op() == AffineOp::Mul && *node.rhs() == AffineExpr::Constant(-1) {
                return (format!("-{}", in_parens(&a, 1)), 1);
            }
            let b = expr(node.rhs(), names, dims, depth - 1);
            match node.op() {
                AffineOp::Add => binary("+", &a, &b),
                AffineOp::Mul => binary("*", &a, &b),
                AffineOp::FloorDiv => binary("/", &a, &b),
                AffineOp::Mod => binary("%", &a, &b),
                AffineOp::CeilDiv => (format!("ceil({} / {})", a.0, in_parens(&b, 2)), 2),
            }
        }
    }
}

fn value_at(ctx: &Context, v: Value, depth: u32) -> Text {
    let whole = |s: String| (s, 2);
    if let Some(c) = ctx.constant_int(v) {
        return whole(c.to_string());
    }
    let Some(op) = v.def_op() else {
        return whole(argument(ctx, v));
    };
    if depth == 0 {
        return whole("...".into());
    }
    let operand = |i: usize| value_at(ctx, op.operand(ctx, i), depth - 1);
    // The variable of a loop that was tiled is computed from those of two others.
    let name = op.loc(ctx).name(ctx);
    if let Some(name) = name.filter(|_| v.ty(ctx).is_index(ctx))
        && (op.isa::<arith::AddIOp>(ctx) || op.isa::<ApplyOp>(ctx))
    {
        return whole(name.to_string());
    }
    match op.name(ctx) {
        arith::AddIOp::NAME | arith::AddFOp::NAME => binary("+", &operand(0), &operand(1)),
        arith::SubIOp::NAME | arith::SubFOp::NAME => binary("-", &operand(0), &operand(1)),
        arith::MulIOp::NAME | arith::MulFOp::NAME => binary("*", &operand(0), &operand(1)),
        arith::DivSIOp::NAME | arith::DivUIOp::NAME | arith::FloorDivSIOp::NAME => {
            binary("/", &operand(0), &operand(1))
        }
        arith::RemSIOp::NAME | arith::RemUIOp::NAME => binary("%", &operand(0), &operand(1)),
        arith::IndexCastOp::NAME
        | arith::IndexCastUIOp::NAME
        | arith::ExtSIOp::NAME
        | arith::ExtUIOp::NAME
        | arith::TruncIOp::NAME => operand(0),
        arith::MinSIOp::NAME | arith::MinUIOp::NAME => {
            whole(format!("min({}, {})", operand(0).0, operand(1).0))
        }
        arith::MaxSIOp::NAME | arith::MaxUIOp::NAME => {
            whole(format!("max({}, {})", operand(0).0, operand(1).0))
        }
        affine::LoadOp::NAME | LoadOp::NAME => {
            whole(element_at(ctx, op, depth - 1).unwrap_or_else(|| "...".into()))
        }
        ApplyOp::NAME => {
            let Some(apply) = op.cast::<ApplyOp>(ctx) else {
                return whole("...".into());
            };
            let map = apply.map(ctx);
            let names: Vec<Text> = (0..op.num_operands(ctx)).map(operand).collect();
            match map.result(0) {
                Some(e) => expr(e, &names, map.num_dims() as usize, depth - 1),
                None => whole("...".into()),
            }
        }
        _ => whole(match op.loc(ctx).name(ctx) {
            Some(n) => n.to_string(),
            None => "...".to_string(),
        }),
    }
}

/// The argument of a function or of a block by name.
fn argument(ctx: &Context, v: Value) -> String {
    if let Some(l) = v
        .arg_block()
        .and_then(|b| b.parent_op(ctx))
        .and_then(|o| Loop::of(ctx, o))
        && l.iv(ctx) == Some(v)
    {
        let name = l.variable(ctx);
        if !name.is_empty() {
            return name;
        }
    }
    let of_function = v.arg_block().is_none_or(|b| {
        let parent = b.parent_op(ctx);
        parent.is_none_or(|o| o.isa::<func::FuncOp>(ctx))
    });
    match of_function || v.loc(ctx).name(ctx).is_some() {
        true => words::array(ctx, Some(v)),
        // A number would be taken for an argument of the function.
        false => "...".to_string(),
    }
}

/// What a loop carries in place `i`, by name.
pub(crate) fn carried(ctx: &Context, l: Loop, i: usize) -> String {
    let named = |v: &Value| v.loc(ctx).name(ctx).map(str::to_string);
    let args = l.iter_args(ctx);
    let inits = l.inits(ctx);
    let by_arg = args.get(i).and_then(named);
    let by_init = || {
        let v = inits.get(i)?;
        match v.def_op() {
            Some(op) if ctx.constant_int(*v).is_some() || op.num_operands(ctx) > 0 => None,
            Some(_) => named(v),
            None => Some(argument(ctx, *v)),
        }
    };
    by_arg
        .or_else(by_init)
        .unwrap_or_else(|| "a variable".to_string())
}

/// Why the element that `op` touches is not known, in the words of the source.
pub(crate) fn subscript_doubt(ctx: &Context, op: Op) -> Option<Reason> {
    let (memref, values) = indices(ctx, op)?;
    let name = array(ctx, base(ctx, memref));
    for v in values {
        if let Some(what) = obscure(ctx, v, MAX_DEPTH) {
            let text = format!("the subscript {} of {name} {what}", value(ctx, v));
            return Some(Reason::new(ctx.diag_loc(op.loc(ctx)), text));
        }
    }
    None
}

/// What makes a value no affine function of loop counters.
fn obscure(ctx: &Context, v: Value, depth: u32) -> Option<String> {
    if ctx.constant_int(v).is_some() || depth == 0 {
        return None;
    }
    let Some(op) = v.def_op() else {
        let owner = v.arg_block()?.parent_op(ctx)?;
        let l = Loop::of(ctx, owner)?;
        let is_counter = l.iv(ctx) == Some(v);
        return (!is_counter).then(|| "changes from iteration to iteration".to_string());
    };
    match op.name(ctx) {
        affine::LoadOp::NAME | LoadOp::NAME => {
            let e = element(ctx, op).unwrap_or_default();
            Some(format!("is read from memory ({e})"))
        }
        func::CallOp::NAME => Some("is computed by a function".to_string()),
        arith::AddIOp::NAME
        | arith::SubIOp::NAME
        | arith::MulIOp::NAME
        | arith::IndexCastOp::NAME
        | ApplyOp::NAME
        | arith::ExtSIOp::NAME
        | arith::TruncIOp::NAME
        | arith::ExtUIOp::NAME => {
            let mut operands = op.operands(ctx).into_iter();
            operands.find_map(|o| obscure(ctx, o, depth - 1))
        }
        DimOp::NAME => None,
        _ => Some("is not affine in the loop counters".to_string()),
    }
}

/// The value that was cast to this one between integers and indices.
pub(crate) fn without_casts(ctx: &Context, mut v: Value) -> Value {
    while let Some(op) = v.def_op().filter(|o| o.isa::<arith::IndexCastOp>(ctx)) {
        v = op.operand(ctx, 0);
    }
    v
}
