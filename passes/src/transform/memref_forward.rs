//! `memref-forward`: an element that was loaded or stored is not loaded again.
//!
//! ```text
//! %0 = memref.load %a[%i]              %0 = memref.load %a[%i]
//! scf.for %j = %0 to %n {              scf.for %j = %0 to %n {
//!   %1 = memref.load %a[%i]     =>       %1 = memref.load %b[%j]
//!   %2 = memref.load %b[%j]              %2 = arith.addi %1, %0
//!   %3 = arith.addi %2, %1               memref.store %2, %b[%j]
//!   memref.store %3, %b[%j]            }
//! }
//! ```
//!
//! `affine-scalrep` does this where subscripts are affine, and knows when those differ. This one
//! takes what is left: loops whose bounds are elements of arrays, subscripts that were loaded.
//! Legal where the one access always comes before the other, with the same memref and the same
//! values as subscripts, and nothing in between, nor in another iteration of the loops that only
//! the later one is in, may write to that memory.

use crate::analysis::captured::is_inside;
use crate::analysis::memory::{base, may_be_same};
use crate::transform::licm::hoist_invariants;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::memref::{AllocOp, LoadOp, StoreOp};
use terrace_dialects::{func, scf};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "memref-forward",
    title: "MemRefForward",
    summary: "Use loaded and stored elements again in place of loading them",
    description: "Replaces memref.load ops of elements that an access before them has certainly loaded or stored, and that nothing in between may write.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new("num-loads", "Number of loads replaced")],
    make: |_| Ok(Box::new(Forward)),
    ..PassInfo::EMPTY
};

struct Forward;

impl Pass for Forward {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut replaced = 0;
        let blocks = op.blocks(ctx).into_iter();
        for block in blocks.collect::<Vec<_>>() {
            forward(ctx, block, &mut Known::default(), &mut replaced);
        }
        // What is made of an element that is loaded before a loop need not be made in it.
        hoist_invariants(ctx, op);
        ctx.count("num-loads", replaced);
        Ok(())
    }
}

/// An element whose value is known.
#[derive(Clone)]
struct Element {
    memref: Value,
    subscripts: Vec<Value>,
    value: Value,
}

#[derive(Clone, Default)]
struct Known(Vec<Element>);

/// What an op writes.
enum Writes {
    /// These, by what they are views of.
    Memrefs(Vec<Value>),
    Anything,
}

impl Known {
    fn find(&self, memref: Value, subscripts: &[Value]) -> Option<Value> {
        let same = |e: &&Element| e.memref == memref && e.subscripts == subscripts;
        self.0.iter().rev().find(same).map(|e| e.value)
    }

    fn forget(&mut self, ctx: &Context, writes: &Writes) {
        match writes {
            Writes::Anything => self.0.clear(),
            Writes::Memrefs(written) => self.0.retain(|e| {
                let own = base(ctx, e.memref);
                !written.iter().any(|w| may_be_same(ctx, *w, own))
            }),
        }
    }
}

fn forward(ctx: &mut Context, block: Block, known: &mut Known, replaced: &mut u64) {
    for op in block.ops(ctx) {
        let operands = op.operands(ctx);
        if op.isa::<LoadOp>(ctx) {
            let (memref, subscripts) = (operands[0], operands[1..].to_vec());
            match known.find(memref, &subscripts) {
                Some(value) => {
                    op.replace(ctx, &[value]);
                    *replaced += 1;
                }
                None => known.0.push(Element {
                    memref,
                    subscripts,
                    value: op.result(ctx, 0),
                }),
            }
            continue;
        }
        let regions = op.regions(ctx);
        let writes = writes(ctx, op);
        // A condition is entered with all that is known. In a loop other iterations come before.
        if !op.isa::<scf::IfOp>(ctx) {
            known.forget(ctx, &writes);
        }
        if let Some(l) = op.cast::<scf::WhileOp>(ctx) {
            known.0.extend(hoist(ctx, l, &writes));
        } else if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            load_before(ctx, l, &writes);
        }
        for r in regions {
            let blocks = r.blocks(ctx);
            for inner in &blocks {
                // Of several blocks, those before one are not known here.
                let mut known = match blocks.len() == 1 {
                    true => known.clone(),
                    false => Known::default(),
                };
                forward(ctx, *inner, &mut known, replaced);
            }
        }
        known.forget(ctx, &writes);
        // Memory that nothing is loaded from would go, and with it what is said of a program that
        // frees it twice.
        let allocated = |v: Value| base(ctx, v).def_op().is_some_and(|d| d.isa::<AllocOp>(ctx));
        if op.isa::<StoreOp>(ctx) && !allocated(operands[1]) {
            known.0.push(Element {
                memref: operands[1],
                subscripts: operands[2..].to_vec(),
                value: operands[0],
            });
        }
    }
}

/// Moves the loads of a loop's condition, which is asked at least once, before the loop, where
/// they are of the same element each time and nothing in the loop writes it.
fn hoist(ctx: &mut Context, l: scf::WhileOp, writes: &Writes) -> Vec<Element> {
    let same = invariant_loads(ctx, l.op(), l.before(ctx), writes);
    same.into_iter()
        .map(|op| {
            op.move_before(ctx, l.op());
            let operands = op.operands(ctx);
            Element {
                memref: operands[0],
                subscripts: operands[1..].to_vec(),
                value: op.result(ctx, 0),
            }
        })
        .collect()
}

/// Loads before `l` what each iteration loads alike, where the loop runs at all.
fn load_before(ctx: &mut Context, l: scf::ForOp, writes: &Writes) {
    let same = invariant_loads(ctx, l.op(), l.body(ctx), writes);
    let zeros: Option<Vec<_>> = (same.iter())
        .map(|op| ctx.zero_attr(op.result(ctx, 0).ty(ctx)))
        .collect();
    let Some(zeros) = zeros.filter(|z| !z.is_empty()) else {
        return;
    };
    let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
    let runs = ctx.constant_int(lower).zip(ctx.constant_int(upper));
    if runs.is_some_and(|(lower, upper)| lower < upper) {
        same.iter().for_each(|op| op.move_before(ctx, l.op()));
        return;
    }
    let types: Vec<_> = same.iter().map(|op| op.result(ctx, 0).ty(ctx)).collect();
    let mut b = Builder::before(ctx, l.op());
    b.loc = same[0].loc(b.ctx);
    let less = match l.is_unsigned(b.ctx) {
        true => CmpIPredicate::Ult,
        false => CmpIPredicate::Slt,
    };
    let runs = CmpIOp::build(&mut b, less, lower, upper);
    let (choice, then, other) = scf::IfOp::build(&mut b, runs, &types, true);
    let ctx = b.ctx;
    let results = choice.op().results(ctx);
    let mut loaded = Vec::new();
    for (op, result) in same.iter().zip(results) {
        let value = op.result(ctx, 0);
        value.replace_all_uses(ctx, result);
        op.move_to_end(ctx, then);
        loaded.push(value);
    }
    let loc = choice.op().loc(ctx);
    Builder::at_end(ctx, then, loc).op::<scf::YieldOp>(&loaded, &[], &[]);
    if let Some(other) = other {
        let mut b = Builder::at_end(ctx, other, loc);
        let zeros: Vec<Value> = zeros
            .into_iter()
            .map(|z| arith::constant(&mut b, z))
            .collect();
        b.op::<scf::YieldOp>(&zeros, &[], &[]);
    }
}

/// The loads that stand directly in `block`, of elements that are the same in each iteration of
/// the loop `l` and that nothing in it writes.
fn invariant_loads(ctx: &Context, l: Op, block: Block, writes: &Writes) -> Vec<Op> {
    let Writes::Memrefs(written) = writes else {
        return Vec::new();
    };
    let mut ops = block.ops(ctx);
    ops.retain(|op| {
        let operands = op.operands(ctx);
        op.isa::<LoadOp>(ctx)
            && !operands.iter().any(|v| is_inside(ctx, l, *v))
            && !written
                .iter()
                .any(|w| may_be_same(ctx, *w, base(ctx, operands[0])))
    });
    ops
}

/// What an op and what is in it write.
fn writes(ctx: &Context, op: Op) -> Writes {
    let mut written = Vec::new();
    for op in op.pre_order(ctx) {
        let Some(effects) = own_effects(ctx, op) else {
            return Writes::Anything;
        };
        for e in effects {
            match (e.kind, e.on) {
                (EffectKind::Read | EffectKind::Alloc, _) => {}
                (_, Some(v)) => written.push(base(ctx, v)),
                (_, None) => return Writes::Anything,
            }
        }
    }
    Writes::Memrefs(written)
}
