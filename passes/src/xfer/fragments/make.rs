//! Runs of statements as kernels of one thread.

use super::group::Member;
use terrace_dialects::{arith, gpu, memref};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Makes a kernel of `members`, ops of one block in their order, where the last of them
/// stands. What of their results is used further on lies in arrays of one element then;
/// returns the loads from those, right behind the kernel.
pub(super) fn run(ctx: &mut Context, function: Op, members: Vec<Member>) -> Vec<Op> {
    let mut handed = Vec::new();
    let Some(last) = members.last().map(|m| m.op) else {
        return handed;
    };
    let loc = last.loc(ctx);
    let mut b = Builder::before(ctx, last);
    let one = arith::constant_index(&mut b, 1);
    let (launch, entry) = gpu::LaunchOp::build(&mut b, [one; 3], [one; 3], &[], &[]);
    let launch = launch.op();
    let mut kept = Vec::new();
    for m in &members {
        if !m.copied {
            m.op.move_to_end(ctx, entry);
            continue;
        }
        let copy = clone_op(ctx, m.op, &mut IrMapping::new());
        entry.push_back(ctx, copy);
        kept.push((m.op, copy));
    }
    for (op, copy) in &kept {
        for (old, new) in op.results(ctx).into_iter().zip(copy.results(ctx)) {
            replace_inside(ctx, launch, old, new);
        }
    }
    Builder::at_end(ctx, entry, loc).op::<gpu::TerminatorOp>(&[], &[], &[]);
    // What the host keeps uses what moved, so it stands behind the kernel.
    let mut behind = launch;
    for (op, _) in &kept {
        op.move_after(ctx, behind);
        behind = *op;
    }
    for (op, _) in kept.into_iter().rev() {
        if !op.has_uses(ctx) {
            op.erase(ctx);
        }
    }
    for m in members.iter().filter(|m| !m.copied) {
        for v in m.op.results(ctx) {
            handed.extend(hand_out(ctx, function, launch, v));
        }
    }
    handed
}

/// Uses of `old` in the launch become those of `new`.
pub(super) fn replace_inside(ctx: &Context, launch: Op, old: Value, new: Value) {
    old.replace_uses_if(ctx, new, |u| {
        u.op != launch && launch.is_ancestor_of(ctx, u.op)
    });
}

/// Puts `v`, which is computed in the launch's body, where it can be had behind it. The
/// load that gets it, if anything uses it there.
fn hand_out(ctx: &mut Context, function: Op, launch: Op, v: Value) -> Option<Op> {
    let outside = |ctx: &Context| {
        let users = v.users(ctx);
        users.iter().any(|u| !launch.is_ancestor_of(ctx, *u))
    };
    let def = v.def_op().filter(|_| outside(ctx))?;
    let ty = v.ty(ctx);
    let bit = ty == ctx.i1();
    let element = if bit { ctx.int(8) } else { ty };
    let room = {
        let entry = function.body(ctx, 0);
        let loc = def.loc(ctx);
        let memref = ctx.memref(&[], element);
        let mut b = Builder::at_start(ctx, entry, loc);
        memref::AllocaOp::build(&mut b, memref, &[])
    };
    let mut b = Builder::after(ctx, def);
    let stored = match bit {
        true => b.value::<arith::ExtUIOp>(&[v], element, &[]),
        false => v,
    };
    memref::StoreOp::build(&mut b, stored, room, &[]);
    let mut b = Builder::after(ctx, launch);
    let mut seen = memref::LoadOp::build(&mut b, room, &[]);
    let load = seen.def_op();
    if bit {
        seen = b.value::<arith::TruncIOp>(&[seen], ty, &[]);
    }
    v.replace_uses_if(ctx, seen, |u| !launch.is_ancestor_of(ctx, u.op));
    load
}
