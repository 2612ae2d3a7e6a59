//! Which op of the host part goes where.

use super::Mapper;
use super::serial::Member;
use crate::loops::sequentialize::forall_to_parallel;
use rustc_hash::FxHashSet;
use terrace_dialects::{gpu, memref, scf, xfer};
use terrace_ir::effects::is_memory_effect_free;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// What becomes of an op of the host part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A parallel loop.
    Parallel,
    /// Stays on the host for the parallel loops in it.
    Container,
    /// Touches memory, or may: runs on the device.
    Device,
    /// A number or a view, computed where it is needed.
    Float,
    /// The same with a region.
    Pure,
    /// Allocates or frees an array.
    Local,
    /// Copies a whole array.
    Copy,
    /// Ends the block, or is for the host anyway.
    Host,
}

/// Whether `op` only computes its results.
pub(super) fn floats(ctx: &Context, op: Op) -> bool {
    op.num_regions(ctx) == 0
        && op.num_successors(ctx) == 0
        && op.num_results(ctx) > 0
        && is_memory_effect_free(ctx, op)
        && !op.def(ctx).is_none_or(|d| d.is_terminator())
}

fn kind(ctx: &Context, op: Op) -> Kind {
    if op.isa::<scf::ParallelOp>(ctx) {
        return Kind::Parallel;
    }
    if op.def(ctx).is_some_and(|d| d.is_terminator()) || op.dialect(ctx) == "gpu" {
        return Kind::Host;
    }
    match op.name(ctx) {
        memref::AllocOp::NAME
        | memref::AllocaOp::NAME
        | memref::DeallocOp::NAME
        | memref::ReallocOp::NAME => {
            return Kind::Local;
        }
        memref::CopyOp::NAME => return Kind::Copy,
        _ => {}
    }
    if op.num_regions(ctx) > 0 {
        let mut parallel = false;
        op.walk(ctx, &mut |o| {
            parallel |= o.isa::<scf::ParallelOp>(ctx) || o.isa::<gpu::LaunchOp>(ctx);
        });
        return match (parallel, is_memory_effect_free(ctx, op)) {
            (true, _) => Kind::Container,
            (false, true) => Kind::Pure,
            (false, false) => Kind::Device,
        };
    }
    if floats(ctx, op) {
        Kind::Float
    } else {
        Kind::Device
    }
}

/// The deepest nesting that is mapped; what lies deeper runs in one thread.
const MAX_DEPTH: usize = 64;

impl Mapper<'_> {
    /// Bring the function into the form that the walk knows.
    pub(super) fn prepare(&mut self) {
        for f in self.function.find_all::<scf::ForallOp>(self.ctx) {
            if forall_to_parallel(self.ctx, f).is_none() {
                self.fail(f.op(), "has shared outputs, which only tensors are");
            }
        }
        // What is said about the contents of arrays is for copies, which whoever calls makes.
        for d in self.function.find_all::<xfer::DiscardOp>(self.ctx) {
            d.op().erase(self.ctx);
        }
    }

    /// Map the ops of a block that stays on the host.
    pub(super) fn host_block(&mut self, block: Block) {
        self.host_block_at(block, 0);
    }

    fn host_block_at(&mut self, block: Block, depth: usize) {
        let mut group = Group::default();
        for op in block.ops(self.ctx) {
            let mut k = kind(self.ctx, op);
            if k == Kind::Container && depth >= MAX_DEPTH {
                k = Kind::Device;
            }
            match k {
                Kind::Float => {
                    let v = op.operands(self.ctx);
                    if v.iter().any(|v| self.tainted.contains(v)) {
                        self.tainted.extend(op.results(self.ctx));
                    }
                    if v.iter().any(|v| group.defined.contains(v)) {
                        group.push(self.ctx, op, true);
                    }
                }
                Kind::Pure if !self.uses_tainted(op) => {}
                Kind::Device | Kind::Pure => {
                    group.push(self.ctx, op, false);
                    self.tainted.extend(op.results(self.ctx));
                }
                Kind::Local => {
                    // An allocation in front of the kernel does not disturb it.
                    let uses = |v: &Value| group.defined.contains(v);
                    let frees = op.num_results(self.ctx) == 0;
                    if frees || op.operands(self.ctx).iter().any(uses) {
                        self.flush(&mut group);
                    }
                    self.local_array(op);
                }
                Kind::Copy => {
                    self.flush(&mut group);
                    self.copy_array(op.cast::<memref::CopyOp>(self.ctx), op);
                }
                Kind::Parallel => {
                    self.flush(&mut group);
                    if let Some(p) = op.cast::<scf::ParallelOp>(self.ctx) {
                        self.parallel(p);
                    }
                }
                Kind::Container => {
                    self.flush(&mut group);
                    if !op.dialect(self.ctx).eq("scf") {
                        self.fail(op, "holds parallel loops, which cannot be offloaded from it; scf loops and conditions may hold them");
                        continue;
                    }
                    for b in op
                        .regions(self.ctx)
                        .iter()
                        .flat_map(|r| r.blocks(self.ctx))
                        .collect::<Vec<_>>()
                    {
                        self.host_block_at(b, depth + 1);
                    }
                }
                Kind::Host => {
                    self.flush(&mut group);
                    if let Some(l) = op.cast::<gpu::LaunchOp>(self.ctx) {
                        self.given(l);
                    }
                }
            }
        }
        self.flush(&mut group);
    }

    fn flush(&mut self, group: &mut Group) {
        let g = std::mem::take(group);
        if !g.members.is_empty() {
            self.serial(g.members);
        }
    }

    /// A launch that is there already: the mapper gives it a name and what it needs.
    fn given(&mut self, launch: gpu::LaunchOp) {
        self.complete(launch);
        self.tell_given(launch);
    }

    fn uses_tainted(&self, op: Op) -> bool {
        op.pre_order(self.ctx)
            .iter()
            .flat_map(|o| o.operands(self.ctx))
            .any(|v| self.tainted.contains(&v))
    }

    /// A parallel loop that stands in host code.
    fn parallel(&mut self, p: scf::ParallelOp) {
        let band = self.band(p);
        if band.results > 0 {
            self.reduction(band);
        } else {
            self.nest(band);
        }
    }
}

/// Statements of a block that one thread runs one after another.
#[derive(Default)]
struct Group {
    members: Vec<Member>,
    /// The results of the members.
    defined: FxHashSet<Value>,
}

impl Group {
    fn push(&mut self, ctx: &Context, op: Op, copied: bool) {
        self.members.push(Member { op, copied });
        self.defined.extend(op.results(ctx));
    }
}

/// Whether a launch is around `op`.
pub(super) fn in_launch(ctx: &Context, op: Op) -> bool {
    op.isa::<gpu::LaunchOp>(ctx) || op.parent_of::<gpu::LaunchOp>(ctx).is_some()
}
