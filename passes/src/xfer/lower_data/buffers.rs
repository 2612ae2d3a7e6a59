//! Launches that name an array of the host get its buffer: that of the data region they
//! stand in, or the one that the table has or gets for the launch.

use super::super::arrays::{for_each_effect, is_exposed};
use super::super::insert::{host_memrefs, launches};
use super::super::summary::Summaries;
use super::calls::Calls;
use super::plan::{ClauseForms, is_named, is_same};
use crate::analysis::memory::{base, is_root, is_view};
use terrace_dialects::memref::MemorySpaceCastOp;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::xfer::{Clause, DataOp, EnterDataOp, ExitDataOp, PresentOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Builder, Context, Op, Value};

/// Launches in data regions use the regions' buffers. What cannot.
pub fn of_regions(ctx: &mut Context, function: Op) -> Vec<(Op, String)> {
    let mut errors = Vec::new();
    if function.find_all::<DataOp>(ctx).is_empty() {
        return errors;
    }
    for launch in launches(ctx, function) {
        for v in host_memrefs(ctx, launch) {
            let Some((array, buffer)) = region_with(ctx, launch, v) else {
                continue;
            };
            match view_of(ctx, launch, v, array, buffer) {
                Some(alias) => {
                    v.replace_uses_if(ctx, alias, |u| launch.is_ancestor_of(ctx, u.op));
                }
                None => errors.push((launch, unfit(ctx, v))),
            }
        }
    }
    errors
}

fn unfit(ctx: &Context, v: Value) -> String {
    format!(
        "uses '{}' by the name of the host's array, whose layout its buffer does not have; use the buffer, the argument of the data region",
        ctx.type_text(v.ty(ctx))
    )
}

/// The innermost region around a launch with an array that `v` is, or is a view of, and
/// the array's buffer.
fn region_with(ctx: &Context, launch: Op, v: Value) -> Option<(Value, Value)> {
    let mut chain = vec![v];
    let mut at = v;
    while let Some(op) = at.def_op().filter(|o| is_view(ctx, *o)) {
        at = op.operand(ctx, 0);
        chain.push(at);
    }
    let mut around = launch.parent(ctx);
    while let Some(o) = around {
        if let Some(r) = o.cast::<DataOp>(ctx) {
            let list = r.clauses(ctx).into_iter().zip(r.buffers(ctx));
            for ((array, clause), buffer) in list {
                let names = |c: &Value| is_same(ctx, *c, array);
                if clause != Clause::DevicePtr
                    && let Some(found) = chain.iter().find(|c| names(c))
                {
                    return Some((*found, buffer));
                }
            }
        }
        around = o.parent(ctx);
    }
    None
}

/// In front of `at`, what `v`, a view of `array`, is of the array's buffer, in the type of
/// `v`. `None` where the array has a layout that a buffer has not.
fn view_of(ctx: &mut Context, at: Op, v: Value, array: Value, buffer: Value) -> Option<Value> {
    if v == array {
        let ty = v.ty(ctx);
        let mut b = Builder::before(ctx, at);
        let same_shape = buffer.ty(b.ctx).shape(b.ctx) == ty.shape(b.ctx);
        if !has_identity_layout(b.ctx, ty) || !same_shape {
            return None;
        }
        return Some(b.value::<MemorySpaceCastOp>(&[buffer], ty, &[]));
    }
    let op = v.def_op().filter(|o| is_view(ctx, *o))?;
    let source = view_of(ctx, at, op.operand(ctx, 0), array, buffer)?;
    let mut map = IrMapping::default();
    map.map(op.operand(ctx, 0), source);
    let copy = clone_op(ctx, op, &mut map);
    copy.insert_before(ctx, at);
    Some(copy.result(ctx, v.index(ctx)))
}

/// What launches use of the host although it may be present goes by the table: its buffer
/// there, or, of what is absent, one for the launch alone. What cannot.
pub fn by_table(
    ctx: &mut Context,
    function: Op,
    plan: &ClauseForms,
    calls: &Calls,
) -> Vec<(Op, String)> {
    let mut errors = Vec::new();
    for launch in launches(ctx, function) {
        let mut arrays: Vec<(Value, Vec<Value>)> = Vec::new();
        for v in host_memrefs(ctx, launch) {
            let root = base(ctx, v);
            let may_be_present = calls.may_be_present(function)
                && (!is_root(ctx, root) || is_exposed(ctx, root))
                || is_named(ctx, function, root)
                || plan.in_table(ctx, launch, root);
            if !may_be_present {
                continue;
            }
            let whole = is_root(ctx, root) && has_identity_layout(ctx, root.ty(ctx));
            let array = if whole { root } else { v };
            match arrays.iter_mut().find(|a| is_same(ctx, a.0, array)) {
                Some(a) => a.1.push(v),
                None => arrays.push((array, vec![v])),
            }
        }
        if arrays.is_empty() {
            continue;
        }
        if launch.num_results(ctx) > 0 {
            let why = "is asynchronous: what it uses may be on the device, which is told around launches that are waited for";
            errors.push((launch, why.to_string()));
            continue;
        }
        let clauses: Vec<(Value, Clause)> = arrays
            .iter()
            .map(|(a, views)| match is_written(ctx, launch, views) {
                true => (*a, Clause::Copy),
                false => (*a, Clause::CopyIn),
            })
            .collect();
        let mut b = Builder::before(ctx, launch);
        EnterDataOp::build_structured(&mut b, &clauses);
        for (array, views) in arrays {
            let mut b = Builder::before(ctx, launch);
            let buffer = PresentOp::build(&mut b, array, false);
            for v in views {
                // A second mention of a global is the same array.
                let of = chain_end(ctx, v, array);
                match view_of(ctx, launch, v, of, buffer) {
                    Some(alias) => {
                        v.replace_uses_if(ctx, alias, |u| launch.is_ancestor_of(ctx, u.op));
                    }
                    None => errors.push((launch, unfit(ctx, v))),
                }
            }
        }
        let mut b = Builder::after(ctx, launch);
        ExitDataOp::build_structured(&mut b, &clauses);
    }
    errors
}

/// The memref in the chain of views of `v` that is `array`.
fn chain_end(ctx: &Context, v: Value, array: Value) -> Value {
    let mut at = v;
    while !is_same(ctx, at, array)
        && let Some(op) = at.def_op().filter(|o| is_view(ctx, *o))
    {
        at = op.operand(ctx, 0);
    }
    at
}

/// Whether a launch may write one of these memrefs.
fn is_written(ctx: &Context, launch: Op, views: &[Value]) -> bool {
    let mut summaries = Summaries::default();
    let bases: Vec<Value> = views.iter().map(|v| base(ctx, *v)).collect();
    let mut written = false;
    for op in launch.pre_order(ctx) {
        for_each_effect(ctx, &mut summaries, op, &mut |kind, on, _| {
            written |= kind == EffectKind::Write
                && on.is_none_or(|v| {
                    let b = base(ctx, v);
                    bases.contains(&b) || !is_root(ctx, b)
                });
        });
    }
    written
}
