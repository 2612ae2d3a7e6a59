//! Functions and other symbols: whole, their bodies, arguments and results.

use super::{Pick, backwards, operands, regions, results, stand_in};
use crate::ir::opdef::{Traits, traits};
use crate::ir::symbols::{self, Visibility};
use crate::ir::{Attr, Context, Op};

fn has(ctx: &Context, op: Op, what: Traits) -> bool {
    op.def(ctx).is_some_and(|d| d.has(what))
}

/// What has a name, with the ops that refer to it.
pub fn remove_symbols(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        if !ctx.is_alive(op) || !has(ctx, op, traits::SYMBOL) || !pick.wants() {
            continue;
        }
        let users = symbols::symbol_uses(ctx, op, module);
        let outside = users.iter().map(|u| u.op);
        let outside: Vec<Op> = outside.filter(|u| !op.is_ancestor_of(ctx, *u)).collect();
        let mut all = true;
        for user in outside {
            // One op may refer to a symbol twice.
            all &= !ctx.is_alive(user) || stand_in::replace(ctx, user, stand_in::any);
        }
        if all {
            op.erase(ctx);
        }
    }
}

/// Functions become declarations.
pub fn remove_bodies(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        if has(ctx, op, traits::FUNCTION_LIKE) && !op.region(ctx, 0).is_empty(ctx) && pick.wants() {
            regions::clear(ctx, op.region(ctx, 0));
            symbols::set_visibility(ctx, op, Visibility::Private);
        }
    }
}

/// Arguments, here and where the function is called. Inside, another argument or a
/// constant stands in.
pub fn remove_arguments(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for function in functions(ctx, module) {
        let (inputs, _) = signature(ctx, function);
        for i in (0..inputs).rev() {
            if pick.wants() {
                remove_argument(ctx, module, function, i);
            }
        }
    }
}

fn remove_argument(ctx: &mut Context, module: Op, function: Op, i: usize) {
    if let Some(entry) = function.region(ctx, 0).entry(ctx) {
        let argument = entry.arg(ctx, i);
        let ty = argument.ty(ctx);
        if argument.has_uses(ctx)
            && let Some(first) = entry.first_op(ctx)
        {
            let other = entry.args(ctx).into_iter();
            let other = other
                .enumerate()
                .find(|(n, v)| *n != i && v.ty(ctx) == ty)
                .map(|(_, v)| v);
            let Some(v) = other.or_else(|| stand_in::constant(ctx, first, ty, 0)) else {
                return;
            };
            argument.replace_all_uses(ctx, v);
        }
        entry.erase_arg(ctx, i);
    }
    for call in callers(ctx, module, function) {
        if let Some(at) = first_argument(ctx, call) {
            operands::erase(ctx, call, at + i);
        }
    }
    set_signature(ctx, function, Some(i), None);
}

/// Results, here and where the function is called.
pub fn remove_results(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for function in functions(ctx, module) {
        let (_, count) = signature(ctx, function);
        for i in (0..count).rev() {
            if pick.wants() {
                remove_result(ctx, module, function, i);
            }
        }
    }
}

fn remove_result(ctx: &mut Context, module: Op, function: Op, i: usize) {
    for block in function.region(ctx, 0).blocks(ctx) {
        if let Some(end) = block.terminator(ctx)
            && end.num_successors(ctx) == 0
            && i < end.num_operands(ctx)
        {
            operands::erase(ctx, end, i);
        }
    }
    for call in callers(ctx, module, function) {
        if i < call.num_results(ctx) {
            results::without(ctx, call, i);
        }
    }
    set_signature(ctx, function, None, Some(i));
}

fn functions(ctx: &Context, module: Op) -> Vec<Op> {
    let all = backwards(ctx, module);
    all.filter(|op| has(ctx, *op, traits::FUNCTION_LIKE))
        .collect()
}

/// The numbers of arguments and results.
fn signature(ctx: &Context, function: Op) -> (usize, usize) {
    let ty = function.attr(ctx, "function_type");
    let parts = ty.and_then(|a| a.as_type(ctx)?.function_parts(ctx));
    parts.map_or((0, 0), |(a, r)| (a.len(), r.len()))
}

/// The type without an argument or a result, and the attributes that belong to it.
fn set_signature(ctx: &mut Context, function: Op, argument: Option<usize>, result: Option<usize>) {
    let ty = function.attr(ctx, "function_type");
    if let Some((a, r)) = ty.and_then(|t| t.as_type(ctx)?.function_parts(ctx)) {
        let ty = ctx.function_type(&but(a, argument), &but(r, result));
        function.set_attr(ctx, "function_type", ctx.type_attr(ty));
    }
    for (name, gone) in [("arg_attrs", argument), ("res_attrs", result)] {
        if let Some(list) = function.attr(ctx, name).and_then(|a| a.as_array(ctx)) {
            let list: Vec<Attr> = but(list, gone);
            function.set_attr(ctx, name, ctx.array_attr(list));
        }
    }
}

fn but<T: Copy>(all: &[T], gone: Option<usize>) -> Vec<T> {
    let kept = all.iter().enumerate().filter(|(i, _)| Some(*i) != gone);
    kept.map(|(_, t)| *t).collect()
}

/// The ops that call the function, or launch it.
fn callers(ctx: &Context, module: Op, function: Op) -> Vec<Op> {
    let uses = symbols::symbol_uses(ctx, function, module);
    let mut ops: Vec<Op> = uses.into_iter().map(|u| u.op).collect();
    ops.dedup();
    ops
}

/// Where the operands begin that are a call's arguments.
fn first_argument(ctx: &Context, call: Op) -> Option<usize> {
    const GROUPS: [&str; 2] = ["operands", "kernelOperands"];
    let def = call.def(ctx)?;
    let g = def.operands.iter().position(|o| GROUPS.contains(&o.name))?;
    Some(def.operand_range(ctx, call, g)?.start)
}
