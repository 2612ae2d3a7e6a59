//! What could move to the device.

use super::super::arrays::for_each_effect;
use super::super::summary::Summaries;
use super::group::{Group, Member};
use super::take_in::only_for_kernels;
use crate::analysis::loop_like::launches;
use crate::analysis::memory::{base, may_be_same};
use crate::analysis::movable::{accessed, can_move};
use crate::xfer::flow::is_sequential;
use terrace_dialects::{memref, xfer};
use terrace_ir::effects::{is_memory_effect_free, is_pure};
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::{Block, Context, Op, Value};

/// What could move, each by itself.
#[derive(Debug)]
pub(super) enum Candidate {
    /// Ops of one block, in their order, into a kernel of one thread.
    Run(Vec<Member>),
    /// A load that only kernels need, into those.
    Load(Op),
}

/// The deepest nesting that is looked into.
const MAX_DEPTH: usize = 64;

/// The candidates of a function, in the order of the text.
pub(super) fn candidates(ctx: &Context, function: Op) -> Vec<Candidate> {
    let mut f = Finder {
        ctx,
        summaries: Summaries::default(),
        found: Vec::new(),
    };
    for block in function.region(ctx, 0).blocks(ctx) {
        f.block(block, 0);
    }
    f.found
}

struct Finder<'c> {
    ctx: &'c Context,
    summaries: Summaries,
    found: Vec<Candidate>,
}

impl Finder<'_> {
    fn block(&mut self, block: Block, depth: usize) {
        let ctx = self.ctx;
        let mut group = Group::default();
        for op in block.ops(ctx) {
            if op.def(ctx).is_none_or(|d| d.has(traits::TERMINATOR)) {
                break;
            }
            if launches(ctx, op) {
                self.flush(&mut group);
                if is_sequential(ctx, op) && depth < MAX_DEPTH {
                    for b in op.blocks(ctx) {
                        self.block(b, depth + 1);
                    }
                }
                continue;
            }
            let uses_group = op
                .pre_order(ctx)
                .iter()
                .flat_map(|o| o.operands(ctx))
                .any(|v| group.defined.contains(&v));
            if is_pure(ctx, op) {
                if uses_group {
                    match can_move(ctx, op) {
                        true => group.push(ctx, op, true),
                        false => self.flush(&mut group),
                    }
                }
            } else if can_move(ctx, op) {
                group.push(ctx, op, false);
            } else if uses_group || self.disturbs(op, &group) {
                self.flush(&mut group);
            }
        }
        self.flush(&mut group);
    }

    /// Whether `op`, which stays, must not come to stand in front of the group.
    fn disturbs(&mut self, op: Op, group: &Group) -> bool {
        let ctx = self.ctx;
        if group.members.is_empty() || is_memory_effect_free(ctx, op) {
            return false;
        }
        if matches!(op.name(ctx), memref::AllocOp::NAME | memref::AllocaOp::NAME) {
            return false;
        }
        let Some(d) = op.cast::<xfer::DiscardOp>(ctx) else {
            return true;
        };
        let array = base(ctx, d.array(ctx));
        group.members.iter().any(|m| {
            m.op.pre_order(ctx)
                .into_iter()
                .any(|o| accessed(ctx, o).is_some_and(|m| may_be_same(ctx, base(ctx, m), array)))
        })
    }

    fn flush(&mut self, group: &mut Group) {
        let ctx = self.ctx;
        let mut members = std::mem::take(group).members;
        while members.last().is_some_and(|m| m.copied) {
            members.pop();
        }
        if members.is_empty() {
            return;
        }
        // Where all of it are loads for kernels, these can do them.
        let moving = || members.iter().filter(|m| !m.copied).map(|m| m.op);
        let only_loads = moving()
            .all(|o| o.isa::<memref::LoadOp>(ctx) && only_for_kernels(ctx, &mut self.summaries, o));
        match only_loads {
            true => self.found.extend(moving().map(Candidate::Load)),
            false => self.found.push(Candidate::Run(members)),
        }
    }
}

/// Whether `op`, with what is nested in it, may write the memory that `root` is.
pub(super) fn may_write(ctx: &Context, summaries: &mut Summaries, op: Op, root: Value) -> bool {
    op.pre_order(ctx).into_iter().any(|o| {
        let mut writes = false;
        for_each_effect(ctx, summaries, o, &mut |kind, on, _| {
            if kind != EffectKind::Read && kind != EffectKind::Alloc {
                writes |= on.is_none_or(|v| may_be_same(ctx, base(ctx, v), root));
            }
        });
        writes
    })
}
