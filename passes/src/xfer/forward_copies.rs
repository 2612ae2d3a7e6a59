//! `xfer-forward-copies`: a copy between two buffers of a device is left out where one of
//! them can serve for both.
//!
//! ```text
//! gpu.launch ... { reads %A_d, writes %T_d }      gpu.launch ... { reads %A_d, writes %T_d }
//! xfer.copy %T_d to %A_d                      =>
//! gpu.launch ... { reads and writes %A_d }        gpu.launch ... { reads and writes %T_d }
//! xfer.copy %A_d to %A                            xfer.copy %T_d to %A
//! ```
//!
//! # When it is legal
//!
//! Both buffers are allocated and freed once, in the block of the copy, have the same type and
//! surely the same sizes, and nothing is asynchronous in the function. They are known under their
//! own names and those of views only: each use is a copy, a launch, the op that frees, or asks for a
//! size, so that no function and no branch has another name for them. Each use
//! lies in an op of that block, and these ops run one after the other, each as often as the
//! copy: a use comes before the copy, or after it.
//!
//! Behind the copy the buffers hold the same. Let `S` be the one copied from, `D` the other. From there on ops
//! of the block are followed in order, with what is inside of them:
//!
//! | what an op does | legal when | afterwards |
//! | --- | --- | --- |
//! | reads one | it holds what is newest | |
//! | writes one, and does not touch the other | it holds what is newest | the other is old |
//! | is a copy of all of one to the other, directly in the block | the first holds what is newest | both hold it |
//! | writes one, and uses the other | never | |
//!
//! So whoever uses either finds what was written last in either, which is what one buffer for
//! both holds: `S` takes the place of `D` in all ops behind the copy, and copies between the two
//! are left out. By induction over the ops, each reads from `S` what it read before. A buffer
//! that is old may be freed, but not used again. What comes before the copy stays as
//! it is. `S` is freed where the later of the two was; `D` where it was, or not made if nothing
//! uses it any more.
//!
//! A view of `D` that is used behind the copy gets a twin, the same view of `S`. Since the
//! types are the same, so is that of the view.
//!
//! For buffers, behind `xfer-lower-mirrors`. A check behind it (`xfer-check`) sees to the order
//! of what is asynchronous then.

use super::optimize::is_asynchronous;
use crate::analysis::memory::is_view;
use crate::analysis::sizes::same_sizes;
use rustc_hash::FxHashMap;
use terrace_dialects::func;
use terrace_dialects::{gpu, memref, xfer};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Block, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-forward-copies",
    title: "XferForwardCopies",
    summary: "Leave out copies between device buffers where one can serve for both",
    description: "Where a buffer is copied to another as a whole, in straight-line code, and from then on no op needs what the two differ in, the first takes the place of the second.",
    statistics: &[StatisticInfo::new(
        "num-copies",
        "Number of copies that were left out",
    )],
    anchor: Some(func::FuncOp::NAME),
    make: |_| Ok(Box::new(ForwardCopies)),
    ..PassInfo::EMPTY
};

struct ForwardCopies;

impl Pass for ForwardCopies {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        if is_asynchronous(ctx, function) {
            return Ok(());
        }
        let mut left_out = 0;
        // With one gone, another may be between the same two buffers.
        while let Some(found) =
            (function.find_all::<xfer::CopyOp>(ctx).into_iter()).find_map(|c| Forwarded::of(ctx, c))
        {
            left_out += found.copies.len() as u64;
            found.apply(ctx);
        }
        ctx.count("num-copies", left_out);
        Ok(())
    }
}

/// What an op does to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Write,
    Free,
    /// Asks for a size, or where rows begin.
    Look,
}

/// A use of a buffer, maybe by a view of it.
#[derive(Debug, Clone, Copy)]
struct Use {
    op: Op,
    index: usize,
    way: Way,
    /// The op of the block that it lies in.
    top: Op,
}

/// A buffer that a block allocates and frees, with all its uses.
struct Buffer {
    value: Value,
    alloc: Op,
    free: Op,
    uses: Vec<Use>,
}

impl Buffer {
    /// The buffer `value`; `None` where not all is known of it.
    fn of(ctx: &Context, value: Value, block: Block) -> Option<Buffer> {
        let alloc = value.def_op().filter(|o| o.isa::<xfer::AllocOp>(ctx))?;
        if alloc.block(ctx) != Some(block) {
            return None;
        }
        let uses = uses(ctx, value, block)?;
        let mut frees = uses.iter().filter(|u| u.way == Way::Free);
        let free = frees.next()?.op;
        let once = frees.next().is_none() && free.block(ctx) == Some(block);
        once.then_some(Buffer {
            value,
            alloc,
            free,
            uses,
        })
    }

    /// What is done to it in an op of the block: whether it is read, and written.
    fn done_in(&self, top: Op) -> (bool, bool) {
        let does = |way| self.uses.iter().any(|u| u.top == top && u.way == way);
        (does(Way::Read), does(Way::Write))
    }
}

/// The uses of a memref and its views in ops of a block.
fn uses(ctx: &Context, v: Value, block: Block) -> Option<Vec<Use>> {
    let mut out = Vec::new();
    for u in v.uses(ctx) {
        let top = u.op.ancestor_in(ctx, block)?;
        if is_view(ctx, u.op) && u.index == 0 {
            for view in u.op.results(ctx) {
                out.extend(uses(ctx, view, block)?);
            }
            continue;
        }
        for way in ways(ctx, u.op, u.index)? {
            out.push(Use {
                op: u.op,
                index: u.index,
                way,
                top,
            });
        }
    }
    Some(out)
}

/// What an op does to its operand; `None` where that is not known, or it gives it another name.
fn ways(ctx: &Context, op: Op, index: usize) -> Option<Vec<Way>> {
    if op.isa::<xfer::FreeOp>(ctx) {
        return Some(vec![Way::Free]);
    }
    if op.isa::<memref::DimOp>(ctx) || op.isa::<gpu::RowsAlignedOp>(ctx) {
        return Some(vec![Way::Look]);
    }
    if op.isa::<xfer::CopyOp>(ctx) {
        return match index {
            0 => Some(vec![Way::Read]),
            1 => Some(vec![Way::Write]),
            _ => None,
        };
    }
    if op.isa::<gpu::LaunchFuncOp>(ctx) {
        return Some(vec![Way::Read, Way::Write]);
    }
    op.parent_of::<gpu::LaunchOp>(ctx)?;
    // Another name would be a result, or go on to where this block ends.
    let v = op.operand(ctx, index);
    let named = op.results(ctx).iter().any(|r| r.ty(ctx).is_memref(ctx));
    let ends = op.def(ctx).is_none_or(|d| d.is_terminator());
    if named || ends || op.num_regions(ctx) > 0 {
        return None;
    }
    let mut out = Vec::new();
    for effect in own_effects(ctx, op)? {
        let on_it = effect.on.is_none_or(|on| on == v);
        match effect.kind {
            _ if !on_it => {}
            EffectKind::Read => out.push(Way::Read),
            EffectKind::Write => out.push(Way::Write),
            EffectKind::Alloc | EffectKind::Free => return None,
        }
    }
    // That it is handed to an op which does nothing to it, as a value to be stored, is not
    // to be understood.
    (!out.is_empty()).then_some(out)
}

/// A copy that can be left out.
struct Forwarded {
    from: Buffer,
    to: Buffer,
    copy: Op,
    /// This one, and others between the two.
    copies: Vec<Op>,
}

impl Forwarded {
    fn of(ctx: &Context, copy: xfer::CopyOp) -> Option<Forwarded> {
        let (op, src, dst) = (copy.op(), copy.src(ctx), copy.dst(ctx));
        let block = op.block(ctx)?;
        if src == dst || src.ty(ctx) != dst.ty(ctx) || !same_sizes(ctx, src, dst) {
            return None;
        }
        let from = Buffer::of(ctx, src, block)?;
        let to = Buffer::of(ctx, dst, block)?;
        if !op.is_before(ctx, from.free) || !op.is_before(ctx, to.free) {
            return None;
        }
        let copies = follow(ctx, op, &from, &to)?;
        Some(Forwarded {
            from,
            to,
            copy: op,
            copies,
        })
    }

    fn apply(self, ctx: &mut Context) {
        let Forwarded { from, to, copy, .. } = self;
        let mut twins = FxHashMap::from_iter([(to.value, from.value)]);
        for u in &to.uses {
            if u.way == Way::Free || !copy.is_before(ctx, u.top) || self.copies.contains(&u.op) {
                continue;
            }
            let v = u.op.operand(ctx, u.index);
            let twin = twin(ctx, v, from.alloc, &mut twins);
            u.op.set_operand(ctx, u.index, twin);
        }
        if from.free.is_before(ctx, to.free) {
            from.free.move_after(ctx, to.free);
        }
        for copy in self.copies {
            copy.erase(ctx);
        }
        drop_idle_views(ctx, to.value);
        if to.value.users(ctx) == [to.free] {
            to.free.erase(ctx);
            to.alloc.erase(ctx);
        }
    }
}

/// Which of two buffers is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Old {
    Neither,
    From,
    To,
}

/// Follows what is done to two buffers behind a copy from the one to the other; the copies
/// between them, which do nothing if they are one. `None` where they cannot be.
fn follow(ctx: &Context, copy: Op, from: &Buffer, to: &Buffer) -> Option<Vec<Op>> {
    let mut copies = vec![copy];
    let mut old = Old::Neither;
    let mut at = copy;
    while let Some(op) = at.next(ctx) {
        at = op;
        let ((reads, writes), (reads_to, writes_to)) = (from.done_in(op), to.done_in(op));
        let (uses, uses_to) = (reads || writes, reads_to || writes_to);
        if let Some(c) = op.cast::<xfer::CopyOp>(ctx) {
            let ends = (c.src(ctx), c.dst(ctx));
            let newest = match ends {
                e if e == (from.value, to.value) => Some(old != Old::From),
                e if e == (to.value, from.value) => Some(old != Old::To),
                _ => None,
            };
            if let Some(newest) = newest {
                newest.then_some(())?;
                copies.push(op);
                old = Old::Neither;
                continue;
            }
        }
        let mixed = uses && writes_to || uses_to && writes;
        if mixed || uses && old == Old::From || uses_to && old == Old::To {
            return None;
        }
        match (writes, writes_to) {
            (true, _) => old = Old::To,
            (_, true) => old = Old::From,
            _ => {}
        }
    }
    Some(copies)
}

/// The part of the buffer of `alloc` that belongs to the view `v` of another.
fn twin(ctx: &mut Context, v: Value, alloc: Op, twins: &mut FxHashMap<Value, Value>) -> Value {
    if let Some(known) = twins.get(&v) {
        return *known;
    }
    let Some(view) = v.def_op().filter(|o| is_view(ctx, *o)) else {
        return v;
    };
    let source = view.operand(ctx, 0);
    let source = twin(ctx, source, alloc, twins);
    let mut map = IrMapping::default();
    map.map(view.operand(ctx, 0), source);
    let made = clone_op(ctx, view, &mut map);
    // The view may stand in front of the other buffer; what it takes besides stands in
    // front of the view.
    match view.block(ctx) == alloc.block(ctx) && view.is_before(ctx, alloc) {
        true => {
            let after = source.def_op().unwrap_or(alloc);
            made.insert_after(ctx, after);
        }
        false => made.insert_after(ctx, view),
    }
    let new = made.result(ctx, v.index(ctx));
    twins.insert(v, new);
    new
}

/// Takes out views that nobody uses any more.
fn drop_idle_views(ctx: &mut Context, v: Value) {
    for user in v.users(ctx) {
        if !is_view(ctx, user) {
            continue;
        }
        for r in user.results(ctx) {
            drop_idle_views(ctx, r);
        }
        if !user.has_uses(ctx) {
            user.erase(ctx);
        }
    }
}
