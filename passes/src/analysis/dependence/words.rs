//! Dependences in the words of the source.

use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_dialects::attributes::{ACC_NAME, TERRACE_NAME};
use terrace_dialects::memref::{DeallocOp, GetGlobalOp, LoadOp, StoreOp};
use terrace_dialects::{affine, func};
use terrace_ir::{Context, Loc, Op, Value};

use super::{Carrier, Dependence, Dependences, Extent, LoopDim};
use crate::analysis::memory::base;

/// `LINE:COLUMN` of a place; `?` where there is none.
pub(crate) fn place(ctx: &Context, loc: Loc) -> String {
    match loc.file_pos(ctx) {
        Some((_, line, column)) => format!("{line}:{column}"),
        None => "?".to_string(),
    }
}

/// What the source calls memory: the name of the argument, the global, or the value.
pub(crate) fn array(ctx: &Context, memref: Option<Value>) -> String {
    let Some(memref) = memref else {
        return "memory".to_string();
    };
    let root = base(ctx, memref);
    if let Some(op) = root.def_op()
        && op.name(ctx) == GetGlobalOp::NAME
        && let Some([.., name]) = op.attr(ctx, "name").and_then(|a| a.as_symbol(ctx))
    {
        // Of several variables of one name, each has a number behind it.
        let name = ctx.str(*name);
        return match name.rsplit_once('.') {
            Some((own, n)) if n.bytes().all(|b| b.is_ascii_digit()) => own.to_string(),
            _ => name.to_string(),
        };
    }
    if let Some(name) = argument_name(ctx, root) {
        return name;
    }
    if let Some(name) = root.loc(ctx).name(ctx) {
        return name.to_string();
    }
    match root.arg_block() {
        Some(_) => format!("argument {}", root.index(ctx)),
        None => format!("memref at {}", place(ctx, root.loc(ctx))),
    }
}

/// The attribute `terrace.name` or `acc.name` of a function's argument.
fn argument_name(ctx: &Context, v: Value) -> Option<String> {
    let function = v.arg_block()?.parent_op(ctx)?;
    let list = function.attr(ctx, "arg_attrs")?;
    let of_this = list.as_array(ctx)?.get(v.index(ctx))?;
    let entries = of_this.as_dict(ctx)?;
    let (_, name) = entries
        .iter()
        .find(|(k, _)| matches!(ctx.str(*k), TERRACE_NAME | ACC_NAME))?;
    Some(name.as_str(ctx)?.to_string())
}

/// The name of a loop variable, and where its loop is: `loop 'i' at line 3`.
pub(crate) fn loop_name(ctx: &Context, l: &LoopDim) -> String {
    let mut s = String::from("loop");
    if let Some(n) = iv_name(ctx, l) {
        s.push_str(&format!(" '{n}'"));
    }
    if let Some((_, line, _)) = l.op.loc(ctx).file_pos(ctx) {
        s.push_str(&format!(" at line {line}"));
    }
    s
}

/// The name of a loop's counter; `None` where it has none.
pub fn iv_name<'c>(ctx: &'c Context, l: &LoopDim) -> Option<&'c str> {
    l.op.str_attr(ctx, "schedule.iv")
        .or_else(|| l.iv.loc(ctx).name(ctx))
}

/// What an access is called: `store`, `load`, or the name of the op.
pub(crate) fn access(ctx: &Context, op: Op) -> &str {
    match op.name(ctx) {
        affine::LoadOp::NAME | LoadOp::NAME => "load",
        affine::StoreOp::NAME | StoreOp::NAME => "store",
        affine::VectorLoadOp::NAME => "vector load",
        affine::VectorStoreOp::NAME => "vector store",
        func::CallOp::NAME => "call",
        DeallocOp::NAME => "end",
        other => other,
    }
}

/// `3`, `1..9`, `1..`, `..-1`, `*`.
pub(crate) fn distance(e: &Extent) -> String {
    match (&e.min, &e.max) {
        (Some(a), Some(b)) if a == b => a.to_string(),
        (Some(a), Some(b)) => format!("{a}..{b}"),
        (Some(a), None) => format!("{a}.."),
        (None, Some(b)) => format!("..{b}"),
        (None, None) => "*".to_string(),
    }
}

pub(crate) fn distances(d: &Dependence) -> String {
    let all: Vec<String> = d.distance.iter().map(distance).collect();
    format!("({})", all.join(", "))
}

pub(crate) fn directions(d: &Dependence) -> String {
    let all: Vec<&str> = d.distance.iter().map(|e| e.direction().symbol()).collect();
    format!("({})", all.join(", "))
}

/// What carries a dependence: a loop, the order of the text, or an op that is no
/// affine loop.
pub(crate) fn carrier(ctx: &Context, d: &Dependence) -> String {
    match d.carrier {
        Carrier::Loop(i) => d
            .loops
            .get(i)
            .map_or_else(|| "a loop".to_string(), |l| loop_name(ctx, l)),
        Carrier::Independent => "no loop".to_string(),
        Carrier::Opaque(op) => format!("'{}' at {}", op.name(ctx), place(ctx, op.loc(ctx))),
    }
}

/// The dependence as a clause: `flow dependence on 'A' from the store at 4:5 to the
/// load at 3:10, distance (1, 0), carried by loop 'i' at line 2`.
pub fn sentence(ctx: &Context, all: &Dependences, d: &Dependence) -> String {
    let (s, t) = (all.source(d), all.sink(d));
    let certainty = if d.is_exact() { "" } else { "possible " };
    let mut text = format!(
        "{certainty}{} dependence on '{}' from the {} at {} to the {} at {}",
        d.kind.name(),
        array(ctx, d.memref),
        access(ctx, s.op),
        place(ctx, s.op.loc(ctx)),
        access(ctx, t.op),
        place(ctx, t.op.loc(ctx)),
    );
    if !d.distance.is_empty() {
        text.push_str(&format!(", distance {}", distances(d)));
    }
    match d.carrier {
        Carrier::Independent => text.push_str(", within one iteration"),
        _ => text.push_str(&format!(", carried by {}", carrier(ctx, d))),
    }
    if let Some(r) = &d.doubt {
        text.push_str(&format!(" ({})", r.message));
    }
    text
}

/// What a reduction computes.
pub(crate) fn reduction(kind: K) -> &'static str {
    match kind {
        K::AddF | K::AddI => "sum",
        K::MulF | K::MulI => "product",
        K::MaximumF | K::MaxNumF | K::MaxS | K::MaxU => "maximum",
        K::MinimumF | K::MinNumF | K::MinS | K::MinU => "minimum",
        K::AndI => "and",
        K::OrI => "or",
        K::XOrI => "xor",
        _ => "reduction",
    }
}
