//! Which op of the host part goes where.

use super::Mapper;
use crate::gpu::map_parallel::refusal;
use crate::xfer::fragments::group::Group;
use terrace_dialects::{gpu, memref, scf, xfer};
use terrace_ir::effects::is_memory_effect_free;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// What becomes of an op of the host part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A parallel loop of which no launch could be made.
    Parallel,
    /// Stays on the host for the launches in it.
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
    if op.is_terminator(ctx) || op.dialect(ctx) == "gpu" {
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

impl Mapper<'_> {
    /// Bring the function into the form that the walk knows.
    pub(super) fn prepare(&mut self) {
        for f in self.function.find_all::<scf::ForallOp>(self.ctx) {
            if !in_launch(self.ctx, f.op()) {
                self.fail(f.op(), "has shared outputs, which only tensors are");
            }
        }
        // What is said about the contents of arrays is for copies, which whoever calls makes.
        for d in self.function.find_all::<xfer::DiscardOp>(self.ctx) {
            d.op().erase(self.ctx);
        }
        self.carried_numbers();
    }

    /// Map the ops of a block that stays on the host.
    pub(super) fn host_block(&mut self, block: Block) {
        let mut group = Group::default();
        for op in block.ops(self.ctx) {
            if self.made.contains(&op) {
                continue;
            }
            match kind(self.ctx, op) {
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
                Kind::Device if self.is_result(op) => {
                    self.flush(&mut group);
                    self.result_of_launch(op);
                }
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
                    let p = op.cast::<scf::ParallelOp>(self.ctx);
                    let why = p.and_then(|p| refusal(self.ctx, p));
                    let unmapped = "is no launch; map-parallel-to-gpu in front makes one of it";
                    self.fail(op, why.as_deref().unwrap_or(unmapped));
                }
                Kind::Container => {
                    self.flush(&mut group);
                    if !op.dialect(self.ctx).eq("scf") {
                        self.fail(op, "holds parallel loops, which cannot be offloaded from it; scf loops and conditions may hold them");
                        continue;
                    }
                    for b in op.blocks(self.ctx) {
                        self.host_block(b);
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
    pub(super) fn given(&mut self, launch: gpu::LaunchOp) {
        self.complete(launch);
        self.tell_given(launch);
    }

    fn uses_tainted(&self, op: Op) -> bool {
        op.pre_order(self.ctx)
            .iter()
            .flat_map(|o| o.operands(self.ctx))
            .any(|v| self.tainted.contains(&v))
    }
}

/// Whether a launch is around `op`.
pub(super) fn in_launch(ctx: &Context, op: Op) -> bool {
    op.isa::<gpu::LaunchOp>(ctx) || op.parent_of::<gpu::LaunchOp>(ctx).is_some()
}
