//! `affine-loop-fusion`: loop nests that work on the same memory become one.
//!
//! A nest that writes what a later one reads is put into that, as far as each iteration
//! needs it (a [slice](crate::analysis::slice)); what only the two use becomes a small
//! buffer. Nests that read the same are put into one another where nothing depends on
//! their order. How deep is chosen by the operations that are run twice and by the
//! memory that is saved; `maximal` takes the greatest depth there is.
//!
//! Legal is what [`crate::analysis::fusion_legality`] proves.
//!
//! ```text
//! affine.for %i = 0 to 10 {             affine.for %i = 0 to 10 {
//!   affine.store %v, %t[%i]               affine.store %v, %b[0]
//! }                                       %x = affine.load %b[0]
//! affine.for %j = 0 to 10 {       =>      affine.store %x, %A[%i]
//!   %x = affine.load %t[%j]             }
//!   affine.store %x, %A[%j]
//! }
//! ```

mod cost;
mod greedy;
mod private;
mod siblings;

pub(crate) mod slices;

use greedy::{Greedy, Policy};
use private::Buffers;
use terrace_dialects::affine::ForOp;
use terrace_ir::pass::{OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Block, Op};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-fusion",
    title: "AffineLoopFusion",
    summary: "Fuse affine loop nests",
    description: "Fuses loop nests with those that produce what they read, and with those that read the same, where that is legal and saves memory.",
    anchor: None,
    options: &[
        OptionInfo::new(
            "compute-tolerance",
            OptionKind::Float,
            "0.3",
            "Fractional increase in additional computation tolerated while fusing",
        ),
        OptionInfo::new(
            "fast-mem-space",
            OptionKind::Int,
            "-1",
            "Faster memory space number to promote fusion buffers to (negative: none)",
        ),
        OptionInfo::new(
            "local-buf-threshold",
            OptionKind::UInt,
            "0",
            "Threshold size (KiB) for promoting local buffers to fast memory space",
        ),
        OptionInfo::flag("maximal", "Enables maximal loop fusion"),
        OptionInfo::new(
            "mode",
            OptionKind::Enum(&["greedy", "producer", "sibling"]),
            "greedy",
            "fusion mode to attempt",
        ),
    ],
    make: |o| {
        Ok(Box::new(Fuse {
            mode: match o.str("mode") {
                "producer" => Mode::Producer,
                "sibling" => Mode::Sibling,
                _ => Mode::Greedy,
            },
            policy: Policy {
                maximal: o.bool("maximal"),
                tolerance: o.float("compute-tolerance"),
                buffers: Buffers {
                    threshold: o.uint("local-buf-threshold").saturating_mul(1024),
                    fast_space: u64::try_from(o.int("fast-mem-space")).ok(),
                },
            },
        }))
    },
    ..PassInfo::EMPTY
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Greedy,
    Producer,
    Sibling,
}

struct Fuse {
    mode: Mode,
    policy: Policy,
}

impl Pass for Fuse {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        // Inner blocks first; those made on the way are not looked at.
        let ops = root.post_order(ctx);
        let blocks: Vec<Block> = ops
            .into_iter()
            .flat_map(|op| op.regions(ctx))
            .flat_map(|r| r.blocks(ctx))
            .collect();
        let mut gone: Vec<Block> = Vec::new();
        for block in blocks {
            if gone.contains(&block) {
                continue;
            }
            let loops = block.ops(ctx).into_iter().filter(|op| op.isa::<ForOp>(ctx));
            if loops.count() < 2 {
                continue;
            }
            let Some(mut g) = Greedy::new(ctx, block, self.policy) else {
                continue;
            };
            match self.mode {
                Mode::Producer => g.producers(ctx, usize::MAX),
                Mode::Sibling => g.siblings(ctx),
                Mode::Greedy => {
                    g.producers(ctx, 1);
                    g.siblings(ctx);
                    g.producers(ctx, usize::MAX);
                }
            }
            g.erase_unused(ctx);
            gone.extend(g.erased_blocks);
        }
        Ok(())
    }
}
