//! Values, distances and numbers of blocks in the words of the source.

use super::accesses::Access;
use crate::analysis::linear::{Linear, coefficient};
use crate::analysis::source::{self, without_casts};
use terrace_dialects::attributes::ACC_NAME;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::{arith, memref};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Value};

/// What the source calls a value: the name its location gives, or the one that the
/// function's argument has.
pub(crate) fn name_of(ctx: &Context, v: Value) -> String {
    if (v.def_op()).is_some_and(|o| o.name(ctx) == memref::GetGlobalOp::NAME) {
        return source::array(ctx, v);
    }
    if let Some(block) = v.arg_block()
        && let Some(f) = block.parent_op(ctx)
    {
        let attrs = f.attr(ctx, "arg_attrs").and_then(|a| a.as_array(ctx));
        let dict = attrs
            .and_then(|a| a.get(v.index(ctx)))
            .and_then(|a| a.as_dict(ctx));
        let named = dict
            .and_then(|d| d.iter().find(|(k, _)| ctx.str(*k) == ACC_NAME))
            .and_then(|(_, a)| a.as_str(ctx));
        if let Some(n) = named {
            return n.to_string();
        }
    }
    v.loc(ctx).name(ctx).unwrap_or_default().to_string()
}

/// A value in the names of the source: what is added up in the order of the text, or
/// as it is computed.
pub(super) fn words(ctx: &Context, v: Value) -> String {
    let v = without_casts(ctx, v);
    if v.loc(ctx).name(ctx).is_some() {
        return source::value(ctx, v);
    }
    sum(ctx, v).unwrap_or_else(|| source::value(ctx, v))
}

/// A sum of multiples of values that have names.
fn sum(ctx: &Context, v: Value) -> Option<String> {
    let mut l = Linear::of_value(ctx, v)?;
    l.terms.sort_by_key(|t| t.1 < 0);
    let mut text = String::new();
    for (t, f) in l.terms {
        let name = name_of(ctx, without_casts(ctx, t));
        if name.is_empty() {
            return None;
        }
        let sign = match (text.is_empty(), f < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        if f.unsigned_abs() != 1 {
            text.push_str(&format!("{}*", f.unsigned_abs()));
        }
        text.push_str(&name);
    }
    Some(match (text.is_empty(), l.constant) {
        (true, c) => c.to_string(),
        (false, 0) => text,
        (false, c) if c < 0 => format!("{text} - {}", c.unsigned_abs()),
        (false, c) => format!("{text} + {c}"),
    })
}

/// How far neighbouring threads are apart where that is no constant, as a clause.
pub(super) fn apart(ctx: &Context, a: &Access, iv: Value) -> Option<String> {
    let name = name_of(ctx, a.array);
    for s in &a.subscripts {
        if let Some(element) = loaded(ctx, *s, 0) {
            return Some(format!(
                "its subscript is read from memory ({element}), so that neighbouring threads may \
                 be anywhere in {name}"
            ));
        }
    }
    let strides = strides_and_offset(ctx, a.memref.ty(ctx))?.strides;
    let along: Vec<Option<i64>> = a
        .subscripts
        .iter()
        .map(|s| coefficient(ctx, *s, iv))
        .collect();
    let moves: Vec<usize> = (0..along.len()).filter(|k| along[*k] != Some(0)).collect();
    let &[k] = &moves[..] else { return None };
    let rest = along.len() - k - 1;
    let far = match along[k] {
        Some(c) if strides.get(k) == Some(&DYNAMIC) => {
            let what = ["element", "row", "plane"].get(rest).copied()?;
            match c.unsigned_abs() {
                1 => format!("a {what} of {name}"),
                n => format!("{n} {what}s of {name}"),
            }
        }
        None if rest == 0 && strides.get(k) == Some(&1) => {
            format!("{} elements", factor(ctx, a.subscripts[k], iv)?)
        }
        _ => return None,
    };
    Some(format!("neighbouring threads are {far} apart"))
}

/// The element that a subscript, or part of it, is read from.
fn loaded(ctx: &Context, v: Value, depth: u32) -> Option<String> {
    let op = v.def_op().filter(|_| depth < 8)?;
    match op.name(ctx) {
        memref::LoadOp::NAME => source::element(ctx, op),
        arith::AddIOp::NAME
        | arith::SubIOp::NAME
        | arith::MulIOp::NAME
        | arith::IndexCastOp::NAME
        | arith::ExtSIOp::NAME
        | arith::ExtUIOp::NAME
        | arith::TruncIOp::NAME => {
            let mut operands = op.operands(ctx).into_iter();
            operands.find_map(|o| loaded(ctx, o, depth + 1))
        }
        _ => None,
    }
}

/// What a counter is multiplied by in a sum, by name.
fn factor(ctx: &Context, v: Value, iv: Value) -> Option<String> {
    let terms = Linear::of_value(ctx, without_casts(ctx, v))?.terms;
    let varies = |v: Value| coefficient(ctx, v, iv) != Some(0);
    let moving: Vec<_> = terms.into_iter().filter(|t| varies(t.0)).collect();
    let &[(t, f)] = &moving[..] else { return None };
    let product = without_casts(ctx, t).def_op()?;
    if product.name(ctx) != arith::MulIOp::NAME {
        return None;
    }
    let (a, b) = (product.operand(ctx, 0), product.operand(ctx, 1));
    let (with, by) = match (varies(a), varies(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return None,
    };
    let c = coefficient(ctx, with, iv)?.checked_mul(f)?;
    let by = words(ctx, by);
    if by.contains("...") {
        return None;
    }
    let by = match by.contains(' ') {
        true => format!("({by})"),
        false => by,
    };
    Some(match c.unsigned_abs() {
        1 => by,
        n => format!("{n}*{by}"),
    })
}

/// The number of blocks along an axis as text; empty where it has no short name.
pub(crate) fn blocks(ctx: &Context, total: Value, size: i64, blocks: Value) -> String {
    if let Some(n) = ctx.constant_int(blocks) {
        return n.to_string();
    }
    // Without iterations nothing is launched.
    let is_zero = |v: Value| ctx.constant_int(v) == Some(0);
    let positive = total
        .def_op()
        .filter(|o| o.name(ctx) == arith::MaxSIOp::NAME && is_zero(o.operand(ctx, 1)));
    let total = positive.map_or(total, |o| o.operand(ctx, 0));
    let (total, size) = match ceil_divided(ctx, total) {
        Some((n, by)) => (n, size.saturating_mul(by)),
        None => (total, size),
    };
    let total = words(ctx, total);
    if let Ok(n) = total.parse::<u64>() {
        return n.div_ceil(size.unsigned_abs().max(1)).to_string();
    }
    match total.len() > 40 || total.contains("...") || total.is_empty() {
        true => String::new(),
        false if size == 1 => total,
        false if total.contains(' ') => format!("(({total}) + {}) / {size}", size - 1),
        false => format!("({total} + {}) / {size}", size - 1),
    }
}

/// A number and the constant that it is divided by, rounded up, as `lower-affine` writes it:
/// `n <= 0 ? -(-n / c) : (n - 1) / c + 1`.
fn ceil_divided(ctx: &Context, v: Value) -> Option<(Value, i64)> {
    let chosen = v.def_op().filter(|o| o.isa::<arith::SelectOp>(ctx))?;
    let above = (chosen.operand(ctx, 2).def_op()).filter(|o| o.isa::<arith::AddIOp>(ctx))?;
    let divided = (above.operand(ctx, 0).def_op()).filter(|o| o.isa::<arith::DivSIOp>(ctx))?;
    let one_less = (divided.operand(ctx, 0).def_op()).filter(|o| o.isa::<arith::SelectOp>(ctx))?;
    let less = (one_less.operand(ctx, 2).def_op()).filter(|o| o.isa::<arith::SubIOp>(ctx))?;
    let is_one = |v: Value| ctx.constant_int(v) == Some(1);
    let by = ctx
        .constant_int(divided.operand(ctx, 1))
        .filter(|c| *c > 0)?;
    let same = chosen.operand(ctx, 0) == one_less.operand(ctx, 0);
    (same && is_one(above.operand(ctx, 1)) && is_one(less.operand(ctx, 1)))
        .then(|| (less.operand(ctx, 0), by))
}

/// The number of blocks of a launch that another pass has made; empty where it is neither
/// constant nor so many iterations a block.
pub(crate) fn given_blocks(ctx: &Context, count: Value) -> String {
    let divided = count.def_op().filter(|o| o.isa::<arith::CeilDivSIOp>(ctx));
    let parts =
        divided.and_then(|o| Some((o.operand(ctx, 0), ctx.constant_int(o.operand(ctx, 1))?)));
    match parts {
        Some((total, size)) => blocks(ctx, total, size, count),
        None => ctx
            .constant_int(count)
            .map_or_else(String::new, |n| n.to_string()),
    }
}
