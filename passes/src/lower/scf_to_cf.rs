//! `convert-scf-to-cf`: structured control flow becomes branches between blocks.
//!
//! Always legal. Parallel loops and those over a space of points become sequential ones first.
//!
//! ```text
//! scf.for %i = %l to %u step %s {           cf.br ^bb1(%l : index)
//!   body(%i)                              ^bb1(%i: index):
//! }                                   =>    %c = arith.cmpi slt, %i, %u : index
//!                                           cf.cond_br %c, ^bb2, ^bb3
//!                                         ^bb2:
//!                                           body(%i)
//!                                           %n = arith.addi %i, %s : index
//!                                           cf.br ^bb1(%n : index)
//!                                         ^bb3:
//! ```

use crate::loops::sequentialize::{forall_to_parallel, sequentialize};
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::{cf, scf};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult,
};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Region, Value};

pub static INFO: PassInfo = PassInfo {
    name: "convert-scf-to-cf",
    title: "SCFToControlFlowPass",
    summary: "Convert SCF dialect to ControlFlow dialect, replacing structured control flow with a CFG",
    description: "Turns loops, conditions and switches of the scf dialect into blocks and branches.",
    options: &[OptionInfo::new(
        "allow-pattern-rollback",
        OptionKind::Bool,
        "true",
        "Accepted for mlir-opt's sake; nothing here is ever rolled back",
    )],
    make: |_| Ok(Box::new(ScfToCf)),
    ..PassInfo::EMPTY
};

struct ScfToCf;

impl Pass for ScfToCf {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        let mut failed = false;
        for f in root.find_all::<scf::ForallOp>(ctx) {
            if forall_to_parallel(ctx, f).is_none() {
                f.op().error(
                    ctx,
                    "with shared outputs cannot be lowered to branches; bufferize it first",
                );
                failed = true;
            }
        }
        for p in root.post_order(ctx) {
            if let Some(p) = p.cast::<scf::ParallelOp>(ctx) {
                sequentialize(ctx, p);
            }
        }
        // Inner ops first: their blocks then move with the regions around them.
        for op in root.post_order(ctx) {
            match op.name(ctx) {
                scf::ForOp::NAME => lower_for(ctx, op),
                scf::IfOp::NAME => lower_if(ctx, op),
                scf::WhileOp::NAME => lower_while(ctx, op),
                scf::ExecuteRegionOp::NAME => lower_execute_region(ctx, op),
                scf::IndexSwitchOp::NAME => lower_switch(ctx, op),
                _ => {}
            }
        }
        if failed { Err(PassFailed) } else { Ok(()) }
    }
}

/// Cut the block of `op` in two: what stands before, and a new block of what stands
/// behind. `op` itself stays at the end of the first.
fn split_behind(ctx: &mut Context, op: Op) -> Option<(Block, Block)> {
    let before = op.block(ctx)?;
    let rest = match op.next(ctx) {
        Some(next) => before.split_before(ctx, next),
        None => {
            let b = Block::new(ctx, &[]);
            b.insert_after(ctx, before);
            b
        }
    };
    Some((before, rest))
}

/// Move all blocks of `r` in front of `before`; the first and the last.
fn inline(ctx: &Context, r: Region, before: Block) -> Option<(Block, Block)> {
    let blocks = r.blocks(ctx);
    for b in &blocks {
        b.unlink(ctx);
        b.insert_before(ctx, before);
    }
    Some((*blocks.first()?, *blocks.last()?))
}

fn branch(b: &mut Builder, to: Block, operands: &[Value]) {
    cf::BranchOp::build(b, to, operands);
}

/// Replace the terminator of `block` by a branch to `to` with its operands.
fn end_in_branch(ctx: &mut Context, block: Block, to: Block, front: &[Value]) {
    let Some(end) = block.last_op(ctx) else {
        return;
    };
    let operands = [front, &end.operands(ctx)].concat();
    let mut b = Builder::before(ctx, end);
    branch(&mut b, to, &operands);
    end.erase(ctx);
}

fn lower_for(ctx: &mut Context, op: Op) {
    let f = scf::ForOp::wrap(op);
    let (lower, upper, step) = (f.lower_bound(ctx), f.upper_bound(ctx), f.step(ctx));
    let (inits, unsigned) = (f.init_args(ctx), f.is_unsigned(ctx));
    let Some((before, end)) = split_behind(ctx, op) else {
        return;
    };
    let loc = op.loc(ctx);
    // The body's first block, with its arguments, becomes the test; its ops move on.
    let condition = f.body(ctx);
    let body = Block::new(ctx, &[]);
    body.insert_after(ctx, condition);
    body.append_ops_of(ctx, condition);
    let Some((_, last)) = inline(ctx, op.region(ctx, 0), end) else {
        return;
    };
    let iv = condition.arg(ctx, 0);
    if let Some(y) = last.last_op(ctx) {
        let mut b = Builder::before(ctx, y);
        let ty = iv.ty(b.ctx);
        let next = b.value::<arith::AddIOp>(&[iv, step], ty, &[]);
        end_in_branch(ctx, last, condition, &[next]);
    }
    let mut b = Builder::at_end(ctx, condition, loc);
    let p = if unsigned {
        CmpIPredicate::Ult
    } else {
        CmpIPredicate::Slt
    };
    let more = arith::CmpIOp::build(&mut b, p, iv, upper);
    cf::CondBranchOp::build(&mut b, more, (body, &[]), (end, &[]));
    let carried = condition.args(ctx)[1..].to_vec();
    op.replace(ctx, &carried);
    let mut b = Builder::at_end(ctx, before, loc);
    branch(&mut b, condition, &[&[lower][..], &inits].concat());
}

fn lower_if(ctx: &mut Context, op: Op) {
    let i = scf::IfOp::wrap(op);
    let condition = i.condition(ctx);
    let types = op.result_types(ctx);
    let loc = op.loc(ctx);
    let Some((before, rest)) = split_behind(ctx, op) else {
        return;
    };
    let mut after = rest;
    if !types.is_empty() {
        after = Block::new(ctx, &types);
        after.insert_before(ctx, rest);
        let mut b = Builder::at_end(ctx, after, loc);
        branch(&mut b, rest, &[]);
    }
    let mut targets = [after; 2];
    for (k, target) in targets.iter_mut().enumerate() {
        if let Some((first, last)) = inline(ctx, op.region(ctx, k), after) {
            end_in_branch(ctx, last, after, &[]);
            *target = first;
        }
    }
    let results = after.args(ctx);
    op.replace(ctx, if types.is_empty() { &[] } else { &results });
    let mut b = Builder::at_end(ctx, before, loc);
    cf::CondBranchOp::build(&mut b, condition, (targets[0], &[]), (targets[1], &[]));
}

fn lower_while(ctx: &mut Context, op: Op) {
    let loc = op.loc(ctx);
    let inits = op.operands(ctx);
    // A body that only hands on what it gets is no block of its own.
    let only_forwards = {
        let body = op.region(ctx, 1).blocks(ctx);
        matches!(body[..], [b] if matches!(b.ops(ctx)[..], [y] if y.operands(ctx) == b.args(ctx)))
    };
    let Some((before, rest)) = split_behind(ctx, op) else {
        return;
    };
    let Some((test, test_end)) = inline(ctx, op.region(ctx, 0), rest) else {
        return;
    };
    let again = if only_forwards {
        test
    } else {
        let Some((body, body_end)) = inline(ctx, op.region(ctx, 1), rest) else {
            return;
        };
        end_in_branch(ctx, body_end, test, &[]);
        body
    };
    let Some(end) = test_end.last_op(ctx) else {
        return;
    };
    let operands = end.operands(ctx);
    let (condition, passed) = (operands[0], operands[1..].to_vec());
    let mut b = Builder::before(ctx, end);
    cf::CondBranchOp::build(&mut b, condition, (again, &passed), (rest, &[]));
    end.erase(ctx);
    op.replace(ctx, &passed);
    let mut b = Builder::at_end(ctx, before, loc);
    branch(&mut b, test, &inits);
}

fn lower_execute_region(ctx: &mut Context, op: Op) {
    let loc = op.loc(ctx);
    let Some((before, rest)) = split_behind(ctx, op) else {
        return;
    };
    let yields: Vec<Op> = op
        .region(ctx, 0)
        .blocks(ctx)
        .into_iter()
        .filter_map(|b| b.last_op(ctx))
        .filter(|o| o.isa::<scf::YieldOp>(ctx))
        .collect();
    let mut results = Vec::new();
    for t in op.result_types(ctx) {
        results.push(rest.add_arg(ctx, t));
    }
    let Some((first, _)) = inline(ctx, op.region(ctx, 0), rest) else {
        return;
    };
    for y in yields {
        if let Some(b) = y.block(ctx) {
            end_in_branch(ctx, b, rest, &[]);
        }
    }
    op.replace(ctx, &results);
    let mut b = Builder::at_end(ctx, before, loc);
    branch(&mut b, first, &[]);
}

fn lower_switch(ctx: &mut Context, op: Op) {
    let s = scf::IndexSwitchOp::wrap(op);
    let loc = op.loc(ctx);
    let (arg, cases) = (s.arg(ctx), s.cases(ctx));
    let Some((before, rest)) = split_behind(ctx, op) else {
        return;
    };
    let mut results = Vec::new();
    for t in op.result_types(ctx) {
        results.push(rest.add_arg(ctx, t));
    }
    let mut targets = Vec::new();
    for r in op.regions(ctx) {
        let Some((first, last)) = inline(ctx, r, rest) else {
            return;
        };
        end_in_branch(ctx, last, rest, &[]);
        targets.push(first);
    }
    op.replace(ctx, &results);
    // Region 0 is the default. Compared one by one, so that cases beyond 32 bits and
    // the default keep their meaning.
    let mut at = before;
    for (case, target) in cases.iter().zip(&targets[1..]) {
        let next = Block::new(ctx, &[]);
        next.insert_after(ctx, at);
        let mut b = Builder::new(ctx, InsertPoint::End(at), loc);
        let value = arith::constant_index(&mut b, *case);
        let hit = arith::CmpIOp::build(&mut b, CmpIPredicate::Eq, arg, value);
        cf::CondBranchOp::build(&mut b, hit, (*target, &[]), (next, &[]));
        at = next;
    }
    let mut b = Builder::at_end(ctx, at, loc);
    branch(&mut b, targets[0], &[]);
}
