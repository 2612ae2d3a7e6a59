//! `test-affine-data-copy`: the mechanics of staging on the only loop nest of a
//! function, for MLIR's tests of them.
//!
//! What is staged is what the outermost loop holds. With `memref-filter`, only the first memref that the innermost loop loads is staged;
//! with `for-memref-region`, only what that first load touches of it, for
//! the loop as a whole. Functions with
//! more than one nest, or more than one innermost loop, are left alone.

use crate::analysis::memref_region::{Region, RegionOptions};
use crate::analysis::staging::{Footprint, OpRange, footprints};
use crate::loops::stage::{StageOptions, stage};
use crate::transform::affine_data_copy_generate::{finish_copies, stage_range};
use terrace_dialects::affine::{Access, ForOp, LoadOp};
use terrace_dialects::func;
use terrace_ir::pass::{OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "test-affine-data-copy",
    title: "TestAffineDataCopy",
    summary: "Tests affine data copy utility functions.",
    description: "Stages the memrefs of the only loop nest of a function.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "capacity-kib",
            OptionKind::UInt,
            "18446744073709551615",
            "Test copy generation enforcing a limit of capacity",
        ),
        OptionInfo::flag(
            "for-memref-region",
            "Test copy generation for a single memref region",
        ),
        OptionInfo::flag(
            "memref-filter",
            "Enable memref filter testing in affine data copy optimization",
        ),
    ],
    make: |o| {
        Ok(Box::new(Test {
            filter: o.bool("memref-filter"),
            one_region: o.bool("for-memref-region"),
        }))
    },
    ..PassInfo::EMPTY
};

struct Test {
    filter: bool,
    one_region: bool,
}

impl Pass for Test {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let Some((root, innermost)) = only_nest(ctx, function) else {
            return Ok(());
        };
        let body = innermost.body(ctx).ops(ctx);
        let load = body.into_iter().find(|op| op.isa::<LoadOp>(ctx));
        let load = load.and_then(|op| Access::of(ctx, op));
        let mut nest_body = root.body(ctx).ops(ctx);
        nest_body.pop();
        let ops = if self.one_region {
            vec![root.op()]
        } else {
            nest_body
        };
        let Some(range) = OpRange::new(ctx, ops) else {
            return Ok(());
        };
        let options = StageOptions {
            hoist: true,
            ..StageOptions::default()
        };
        let mut nests = Vec::new();
        if self.one_region {
            if let Some(load) = load {
                one_region(ctx, &range, &load, &mut nests);
            }
        } else if !self.filter || load.is_some() {
            let only = load.filter(|_| self.filter).map(|a| a.memref);
            let chosen = |_: &Context, v| only.is_none_or(|m| m == v);
            stage_range(ctx, &range, options, chosen, &mut nests);
        }
        finish_copies(ctx, function, &nests);
        Ok(())
    }
}

/// Stage what one load touches, where nothing in the range touches more of its memref.
fn one_region(ctx: &mut Context, range: &OpRange, load: &Access, nests: &mut Vec<Op>) {
    let options = RegionOptions {
        depth: range.depth(ctx),
        within_memref: true,
        keep_divisions: false,
    };
    let Some(all) = footprints(ctx, range, |v| v == load.memref) else {
        return;
    };
    let (Some(region), [known]) = (Region::of(ctx, load, options), &all.all[..]) else {
        return;
    };
    if known.writes || (0..region.rank()).any(|d| region.bounds(d) != known.region.bounds(d)) {
        return;
    }
    let f = Footprint {
        region,
        ..known.clone()
    };
    let Some(mut end) = range.ops.last().and_then(|op| op.next(ctx)) else {
        return;
    };
    if let Ok(s) = stage(ctx, range, &mut end, &f, StageOptions::default()) {
        nests.extend(s.copies);
    }
}

/// The outermost and the innermost loop of a function with one nest and one innermost
/// loop.
fn only_nest(ctx: &Context, function: Op) -> Option<(ForOp, ForOp)> {
    let loops = function.find_all::<ForOp>(ctx);
    let depth = |l: &ForOp| ForOp::enclosing(ctx, l.op()).len();
    let deepest = loops.iter().map(depth).max()?;
    let at = |d: usize| -> Vec<ForOp> { loops.iter().copied().filter(|l| depth(l) == d).collect() };
    match (&at(0)[..], &at(deepest)[..]) {
        ([root], [innermost]) => Some((*root, *innermost)),
        _ => None,
    }
}
