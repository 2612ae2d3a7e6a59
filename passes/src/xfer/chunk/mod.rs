//! `xfer-chunk`: a large copy in, the kernel that it is for and the copy out, in pieces
//! that follow the blocks of the grid, so that a piece is computed while the next one
//! comes in and the one before goes out.
//!
//! ```text
//! xfer.copy %A to %a                        xfer.copy %A[rows 0 .. 1025] to %a[...]
//! gpu.launch blocks(%x, %y, %z)             gpu.launch blocks 0 .. 256 of %y
//!     in (.., %n = %c1024, ..) {       =>   xfer.copy %A[rows 1025 .. 2049] to %a[...]
//!   uses %a[4 * %y + %ty + {-1, 0, 1}]      gpu.launch blocks 256 .. 512 of %y
//!   writes %b[4 * %y + %ty]                 xfer.copy %b[rows 0 .. 1024] to %B[...]
//! }                                         ...
//! xfer.copy %b to %B                        xfer.copy %b[rows 3072 .. 4096] to %B[...]
//! ```
//!
//! All of it is still in order; `xfer-overlap` then lets go on at once what touches
//! different rows.
//!
//! Legal since blocks of a grid are independent: any part of them may come before any
//! other. The copies in may wait until the launch, and the copies out be made there, where
//! nothing in between uses what they move (`find`). The rows that blocks below `b` touch
//! end at a sum `k * b + ...`: so far an array must have come before these blocks run; and
//! what blocks from `b` on write begins at such a sum: what is below may go then (`rows`).
//! An array that does both goes no further than it has come. Rows that do not follow the
//! blocks stay one copy in front of all pieces, or behind.
//!
//! What the host chose by size (`choices`) is the constant of the large in the pieces,
//! loops by the size of the grid (`strides`) are taken out where the grid has a thread for each
//! element, and so is what would be done with rows that are left over (`remainders`) where
//! none are. Whether there are blocks enough, and bytes, only the run may know; then it asks,
//! and does either (`policy`, `rewrite`). What `xfer-check` cannot tell to be right is undone.
//! Nothing is done in loops: what a piece waits for could not be told from the same of
//! another iteration.

mod choices;
mod find;
mod flags;
mod policy;
mod remainders;
mod rewrite;
mod rows;
mod strides;

use super::check;
use super::optimize::is_asynchronous;
use terrace_dialects::func;
use terrace_dialects::gpu::LaunchOp;
use terrace_dialects::xfer::{CopyOp, is_pinned};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::diag::Severity;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-chunk",
    title: "XferChunk",
    summary: "Split large copies and the kernel between them into pieces that can overlap",
    description: "Where a launch's blocks go through arrays row by row, makes of the copies in front of it, the launch and the copies behind it pieces, each with the rows that its blocks use.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "chunks",
            OptionKind::UInt,
            "4",
            "Number of pieces, from 2 to 16",
        ),
        OptionInfo::new(
            "min-bytes",
            OptionKind::UInt,
            "33554432",
            "Least bytes of the copies of a launch that are split",
        ),
        OptionInfo::flag(
            "short-kernels",
            "Split also where the kernel does little for each element",
        ),
        OptionInfo::new(
            "pageable",
            OptionKind::Bool,
            "true",
            "Split also copies of host memory that is not pinned",
        ),
        OptionInfo::flag(
            "remarks",
            "Say of each launch with copies whether it was split, and if not, why",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-launches", "Number of launches split"),
        StatisticInfo::new("num-copies", "Number of copies split"),
        StatisticInfo::new(
            "num-undone",
            "Number of launches that were put back because xfer-check could not follow",
        ),
    ],
    make: |o| {
        let chunks = o.uint("chunks");
        if !(2..=16).contains(&chunks) {
            return Err(format!("found chunks={chunks}, expected 2 to 16"));
        }
        Ok(Box::new(Chunk {
            policy: policy::Policy {
                chunks: chunks as i64,
                short_kernels: o.bool("short-kernels"),
                pageable: o.bool("pageable"),
                min_bytes: i64::try_from(o.uint("min-bytes")).unwrap_or(i64::MAX),
            },
            remarks: o.bool("remarks"),
        }))
    },
};

struct Chunk {
    policy: policy::Policy,
    remarks: bool,
}

/// Launches of a function that are split, or tried: each is checked, which takes time.
const MAX: u64 = 8;

/// What became of a launch with copies around it.
enum Outcome {
    /// Split, with so many copies.
    Split(u64),
    No(&'static str),
    Undone,
}

impl Pass for Chunk {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let pinned = |c: &CopyOp| {
            [c.src(ctx), c.dst(ctx)]
                .iter()
                .any(|v| is_pinned(ctx, v.ty(ctx)))
        };
        let some = self.policy.pageable || function.find_all::<CopyOp>(ctx).iter().any(pinned);
        if !some || is_asynchronous(ctx, function) {
            return Ok(());
        }
        let mut tried = 0;
        for launch in find::launches(ctx, function) {
            if tried == MAX {
                break;
            }
            let at = launch.loc(ctx);
            let outcome = split(ctx, function, launch, self.policy);
            tried += u64::from(matches!(outcome, Some(Outcome::Split(_) | Outcome::Undone)));
            let words = match outcome {
                None => continue,
                Some(Outcome::Split(copies)) => {
                    ctx.count("num-launches", 1);
                    ctx.count("num-copies", copies);
                    format!("split into {} pieces", self.policy.chunks)
                }
                Some(Outcome::Undone) => {
                    ctx.count("num-undone", 1);
                    "not split: xfer-check could not follow the pieces".to_string()
                }
                Some(Outcome::No(why)) => format!("not split: {why}"),
            };
            if self.remarks {
                ctx.emit_at(Severity::Remark, at, words);
            }
        }
        Ok(())
    }
}

/// Splits a launch and the copies around it; `None` where there are no such copies.
fn split(ctx: &mut Context, function: Op, launch: Op, policy: policy::Policy) -> Option<Outcome> {
    let site = find::site(ctx, function, launch)?;
    // The kernel that the pieces launch.
    let kernel = clone_op(ctx, launch, &mut IrMapping::new());
    kernel.insert_before(ctx, launch);
    let kernel = LaunchOp::wrap(kernel);
    let conditions = choices::settle(ctx, kernel);
    let needs = strides::remove(ctx, function, kernel);
    remainders::remove(ctx, function, kernel);
    let plan = policy::plan(ctx, function, site, kernel, policy);
    let made = plan.and_then(|plan| {
        let copies = (plan.ins.len() + plan.outs.len()) as u64;
        Ok((copies, rewrite::split(ctx, plan, conditions, needs)?))
    });
    kernel.op().erase(ctx);
    let (copies, made) = match made {
        Ok(made) => made,
        Err(why) => return Some(Outcome::No(why)),
    };
    if check::check(ctx, function).is_err() {
        made.undo(ctx);
        return Some(Outcome::Undone);
    }
    made.keep(ctx);
    Some(Outcome::Split(copies))
}
