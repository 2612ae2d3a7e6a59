//! Regions of several blocks: branches, switches and assertions.

use super::lower::{Lower, R};
use super::scf::args;
use super::trap::Trap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder};
use cranelift_frontend::Switch;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::cf::{CondBranchOp, SwitchOp};
use terrace_dialects::{cf, func};
use terrace_dialects::{memref, scf};
use terrace_ir::{Block, Context, Op, OpKind, Region, Value};

/// `cf.assert`; the branches end blocks and are handled by [`region`].
pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    if name != "assert" {
        return Err("is a branch in the middle of a block".into());
    }
    let cond = l.one(op.operand(l.ctx, 0))?;
    let zero = l.zero(ir::types::I8);
    let bad = l.b.ins().icmp(IntCC::Equal, cond, zero);
    l.trap_if(bad, Trap::Assert, op)
}

/// The blocks that can be reached, each after one of its predecessors and all blocks
/// that dominate it.
fn reverse_post_order(ctx: &Context, entry: Block) -> Vec<Block> {
    let mut seen = FxHashSet::from_iter([entry]);
    let mut stack = vec![(entry, entry.successors(ctx), 0usize)];
    let mut out = Vec::new();
    while let Some((block, successors, next)) = stack.last_mut() {
        let (block, successor) = (*block, successors.get(*next).copied());
        *next += 1;
        match successor {
            Some(s) if seen.insert(s) => stack.push((s, s.successors(ctx), 0)),
            Some(_) => {}
            None => {
                out.push(block);
                stack.pop();
            }
        }
    }
    out.reverse();
    out
}

/// Lower a region whose entry block has no arguments or has them bound. What it yields
/// goes to `yields`; `func.return` leaves the function.
pub(super) fn region(l: &mut Lower, region: Region, yields: Option<ir::Block>) -> R {
    let ctx = l.ctx;
    let Some(entry) = region.entry(ctx) else {
        return Err("has an empty region".into());
    };
    let order = reverse_post_order(ctx, entry);
    let mut blocks = FxHashMap::default();
    for b in &order[1..] {
        let types = l.flat_types(&b.args(ctx))?;
        let (block, params) = l.block_with(&types);
        blocks.insert(*b, (block, params));
    }
    for b in &order {
        if let Some((block, params)) = blocks.get(b).cloned() {
            l.new_block();
            l.b.switch_to_block(block);
            l.bind_flat(&b.args(ctx), &params)?;
        }
        let end = l.block_body(*b)?;
        if let Err(m) = terminator(l, end, &blocks, yields) {
            l.report(end, m);
            l.ret();
        }
    }
    Ok(())
}

type Blocks = FxHashMap<Block, (ir::Block, Vec<ir::Value>)>;

fn terminator(l: &mut Lower, op: Op, blocks: &Blocks, yields: Option<ir::Block>) -> R {
    let ctx = l.ctx;
    let target = |b: Block| match blocks.get(&b) {
        Some((t, _)) => Ok(*t),
        None => Err("branches to the entry block of its region".to_string()),
    };
    match op.name(ctx) {
        func::ReturnOp::NAME => super::func::ret(l, op),
        scf::YieldOp::NAME | memref::AllocaScopeReturnOp::NAME => {
            let Some(to) = yields else {
                return Err("yields where nothing takes the values".into());
            };
            let vs = l.flat_all(&op.operands(ctx))?;
            l.b.ins().jump(to, &args(&vs));
            Ok(())
        }
        cf::BranchOp::NAME => {
            let vs = l.flat_all(&op.operands(ctx))?;
            l.b.ins().jump(target(op.successor(ctx, 0))?, &args(&vs));
            Ok(())
        }
        CondBranchOp::NAME => {
            let c = CondBranchOp::wrap(op);
            let cond = l.one(c.condition(ctx))?;
            let yes = args(&l.flat_all(&c.true_operands(ctx))?);
            let no = args(&l.flat_all(&c.false_operands(ctx))?);
            let (t, f) = (target(c.true_dest(ctx))?, target(c.false_dest(ctx))?);
            l.b.ins().brif(cond, t, &yes, f, &no);
            Ok(())
        }
        SwitchOp::NAME => {
            let s = SwitchOp::wrap(op);
            let flag = l.one(s.flag(ctx))?;
            // Cases have operands, which a jump table has not: a block for each.
            let mut arms: Vec<(ir::Block, Block, Vec<Value>)> = Vec::new();
            let mut switch = Switch::new();
            for c in s.cases(ctx) {
                let Some(value) = c.value.to_u128() else {
                    return Err("has a case value of more than 128 bits".into());
                };
                if !switch.entries().contains_key(&value) {
                    let b = l.b.create_block();
                    switch.set_entry(value, b);
                    arms.push((b, c.dest, c.operands));
                }
            }
            let default = l.b.create_block();
            arms.push((default, s.default_dest(ctx), s.default_operands(ctx)));
            if arms.len() == 1 {
                l.b.ins().jump(default, &[]);
            } else {
                switch.emit(&mut l.b, flag, default);
            }
            for (b, dest, operands) in arms {
                l.b.switch_to_block(b);
                let vs = l.flat_all(&operands)?;
                l.b.ins().jump(target(dest)?, &args(&vs));
            }
            Ok(())
        }
        name => Err(super::check::advice(name)),
    }
}
