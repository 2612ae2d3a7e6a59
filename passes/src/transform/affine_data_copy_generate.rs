//! `affine-data-copy-generate`: the parts of memrefs that loops work on are copied into
//! buffers in a faster memory, and the loops work on the buffers.
//!
//! A block is cut into ranges: each loop by itself, and each run of other ops that
//! begins with a load or a store. A loop whose footprint is larger than the fast memory
//! (or, with `skip-non-unit-stride-loops`, whose step is not 1) is entered, all others
//! are staged as they stand. How is [`crate::loops::stage`].
//!
//! Legal for the memrefs that [`footprints`] gives; all others keep their accesses. What
//! a range may leave unwritten of a part that it writes is copied in, too.
//!
//! ```text
//! affine.for %i = 0 to 1024 step 32 {       affine.for %i = 0 to 1024 step 32 {
//!   affine.for %j = %i to %i + 32 {           %b = memref.alloc() : memref<32xf32, 1>
//!     %x = affine.load %A[%j]                 affine.for %j = %i to %i + 32 {
//!     ...                             =>        copy %A[%j] to %b[%j - %i]
//!   }                                         }
//! }                                           affine.for %j = %i to %i + 32 {
//!                                               %x = affine.load %b[%j - %i]
//!                                               ...
//! ```

use crate::analysis::memref_region::{Region, RegionOptions, ivs_around};
use crate::analysis::staging::{OpRange, footprints};
use crate::loops::single_iteration::promote_if_single_iteration;
use crate::loops::stage;
use crate::loops::stage::{Stage, StageOptions};
use terrace_dialects::affine::{Access, AccessKind, ForOp, LoadOp, StoreOp};
use terrace_dialects::func;
use terrace_ir::diag::Severity;
use terrace_ir::pass::{OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult};
use terrace_ir::rewrite::{GreedyOptions, PatternSet, apply_to_ops};
use terrace_ir::{Block, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-data-copy-generate",
    title: "AffineDataCopyGeneration",
    summary: "Generate explicit copying for affine memory operations",
    description: "Copies the parts of memrefs that loops work on into buffers in a faster memory, by loops or by DMA, and lets the loops work on the buffers.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "fast-mem-capacity",
            OptionKind::UInt,
            "18446744073709551615",
            "Set fast memory space capacity in KiB",
        ),
        OptionInfo::new(
            "fast-mem-space",
            OptionKind::UInt,
            "1",
            "Fast memory space identifier for copy generation",
        ),
        OptionInfo::flag("generate-dma", "Generate DMA instead of point-wise copy"),
        OptionInfo::new(
            "min-dma-transfer",
            OptionKind::Int,
            "1024",
            "Minimum DMA transfer size supported by the target in bytes (taken, and without effect)",
        ),
        OptionInfo::new(
            "slow-mem-space",
            OptionKind::UInt,
            "0",
            "Slow memory space identifier for copy generation",
        ),
        OptionInfo::flag(
            "skip-non-unit-stride-loops",
            "Testing purposes: avoid non-unit stride loop choice depths for copy placement",
        ),
        OptionInfo::new(
            "tag-mem-space",
            OptionKind::UInt,
            "0",
            "Tag memory space identifier for copy generation",
        ),
    ],
    make: |o| {
        Ok(Box::new(DataCopy {
            capacity: o.uint("fast-mem-capacity").saturating_mul(1024),
            slow_space: o.uint("slow-mem-space"),
            skip_strided: o.bool("skip-non-unit-stride-loops"),
            stage: StageOptions {
                space: o.uint("fast-mem-space"),
                dma: o.bool("generate-dma").then(|| o.uint("tag-mem-space")),
                hoist: true,
            },
        }))
    },
    ..PassInfo::EMPTY
};

struct DataCopy {
    /// In bytes.
    capacity: u64,
    slow_space: u64,
    skip_strided: bool,
    stage: StageOptions,
}

impl Pass for DataCopy {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut nests = Vec::new();
        let blocks = function.blocks(ctx).into_iter();
        for block in blocks.collect::<Vec<_>>() {
            self.block(ctx, block, &mut nests);
        }
        finish_copies(ctx, function, &nests);
        Ok(())
    }
}

impl DataCopy {
    fn block(&self, ctx: &mut Context, block: Block, nests: &mut Vec<Op>) {
        let mut run: Vec<Op> = Vec::new();
        for op in block.ops(ctx) {
            let is_end = op.is_terminator(ctx);
            let l = op.cast::<ForOp>(ctx);
            if l.is_some() || is_end {
                self.range(ctx, std::mem::take(&mut run), nests);
            }
            if let Some(l) = l {
                if self.is_entered(ctx, l) {
                    self.block(ctx, l.body(ctx), nests);
                } else {
                    self.range(ctx, vec![op], nests);
                }
            } else if !run.is_empty() || op.isa::<LoadOp>(ctx) || op.isa::<StoreOp>(ctx) {
                run.push(op);
            }
        }
    }

    /// Whether copies are made inside a loop rather than around it.
    fn is_entered(&self, ctx: &Context, l: ForOp) -> bool {
        if self.skip_strided {
            return l.step(ctx) != 1;
        }
        footprint_bytes(ctx, l).is_some_and(|bytes| bytes > self.capacity)
    }

    fn range(&self, ctx: &mut Context, ops: Vec<Op>, nests: &mut Vec<Op>) {
        let chosen = |ctx: &Context, memref: Value| {
            let space = memref.ty(ctx).memref_parts(ctx).and_then(|p| p.1);
            match space.and_then(|s| s.as_i64(ctx)) {
                Some(s) => u64::try_from(s) == Ok(self.slow_space),
                None => space.is_some() || self.slow_space == 0,
            }
        };
        let Some(range) = OpRange::new(ctx, ops) else {
            return;
        };
        let bytes = stage_range(ctx, &range, self.stage, chosen, nests);
        if bytes > self.capacity
            && let Some(parent) = range.block.parent_op(ctx)
        {
            let m = "total size of all copy buffers' for this block exceeds fast memory capacity";
            ctx.emit_at(Severity::Warning, parent.loc(ctx), m);
        }
    }
}

/// Stage all memrefs of a range that are chosen and can be. Returns the bytes of all
/// buffers; the loops of copies are added to `nests`.
pub(crate) fn stage_range(
    ctx: &mut Context,
    range: &OpRange,
    options: StageOptions,
    chosen: impl Fn(&Context, Value) -> bool,
    nests: &mut Vec<Op>,
) -> u64 {
    let Some(found) = footprints(ctx, range, |v| chosen(ctx, v)) else {
        return 0;
    };
    let Some(mut end) = range.ops.last().and_then(|op| op.next(ctx)) else {
        return 0;
    };
    let mut open: Vec<(usize, Stage)> = Vec::new();
    let mut bytes: u64 = 0;
    // First those that are read, then those that are only written.
    let written = found.writes.iter().filter(|i| !found.reads.contains(i));
    for i in found.reads.iter().chain(written) {
        // What cannot be staged keeps its accesses.
        if let Ok(s) = stage::begin(ctx, range, &mut end, &found.all[*i], options) {
            bytes = bytes.saturating_add(s.staged().bytes);
            open.push((*i, s));
        }
    }
    for i in &found.writes {
        if let Some(at) = open.iter().position(|(j, _)| j == i) {
            let (_, s) = open.remove(at);
            let done = s.finish(ctx, &mut end, &found.all[*i], options);
            nests.extend(done.copies);
        }
    }
    nests.extend(open.iter().flat_map(|(_, s)| s.staged().copies.clone()));
    bytes
}

/// Replace loops of one iteration in copies by their bodies, and simplify subscripts.
pub(crate) fn finish_copies(ctx: &mut Context, function: Op, nests: &[Op]) {
    let mut accesses = Vec::new();
    for nest in nests {
        for op in nest.post_order(ctx) {
            match op.cast::<ForOp>(ctx) {
                Some(l) => {
                    promote_if_single_iteration(ctx, l);
                }
                None if op.isa::<LoadOp>(ctx) || op.isa::<StoreOp>(ctx) => accesses.push(op),
                None => {}
            }
        }
    }
    let all = PatternSet::canonicalization(ctx);
    apply_to_ops(ctx, function, &accesses, &all, &GreedyOptions::default());
}

/// The bytes that a loop touches, as a function of the loops around it; `None` where
/// that is not known.
fn footprint_bytes(ctx: &Context, l: ForOp) -> Option<u64> {
    let options = RegionOptions {
        depth: ivs_around(ctx, l.op()).len(),
        within_memref: true,
        keep_divisions: false,
    };
    let mut regions: Vec<Region> = Vec::new();
    for a in Access::all(ctx, l.op()) {
        if a.kind == AccessKind::Prefetch {
            continue;
        }
        let region = Region::of(ctx, &a, options)?;
        match regions.iter_mut().find(|r| r.memref == region.memref) {
            Some(r) => r.union_box(&region)?,
            None => regions.push(region),
        }
    }
    let mut total: i64 = 0;
    for r in regions {
        total = total.checked_add(r.bytes(ctx)?)?;
    }
    u64::try_from(total).ok()
}
