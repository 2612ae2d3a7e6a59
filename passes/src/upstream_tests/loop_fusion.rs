//! `test-loop-fusion`: the parts of loop fusion on all pairs of loops of a function that
//! are equally deep, for MLIR's tests of them.
//!
//! Two options emit remarks: which pairs something between them keeps apart, and which
//! slice each loop has for each other. The third fuses the first pair that has a slice,
//! again and again; it asks for no proof, as upstream's does not.

use crate::analysis::pair::scoped_ivs;
use crate::analysis::slice::Slice;
use crate::loops::fuse_slice::fuse_slice;
use crate::transform::affine_loop_fusion::slices::{Outcome, Strategy, slice_at};
use terrace_dialects::affine::ForOp;
use terrace_dialects::func;
use terrace_ir::affine::AffineMap;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "test-loop-fusion",
    title: "TestLoopFusion",
    summary: "Tests loop fusion utility functions.",
    description: "Runs the parts of loop fusion on all pairs of loops that are equally deep.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::flag(
            "test-loop-fusion-dependence-check",
            "Enable testing of loop fusion dependence check",
        ),
        OptionInfo::flag(
            "test-loop-fusion-slice-computation",
            "Enable testing of loop fusion slice computation",
        ),
        OptionInfo::flag(
            "test-loop-fusion-utilities",
            "Enable testing of loop fusion transformation utilities",
        ),
    ],
    make: |o| {
        Ok(Box::new(Test {
            dependences: o.bool("test-loop-fusion-dependence-check"),
            slices: o.bool("test-loop-fusion-slice-computation"),
            fuse: o.bool("test-loop-fusion-utilities"),
        }))
    },
    ..PassInfo::EMPTY
};

struct Test {
    dependences: bool,
    slices: bool,
    fuse: bool,
}

impl Pass for Test {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        if self.fuse {
            while fuse_one(ctx, function) {}
            return Ok(());
        }
        let groups = by_depth(ctx, function);
        for (depth, loops) in groups.iter().enumerate() {
            for (i, a) in loops.iter().enumerate() {
                for (j, b) in loops.iter().enumerate().filter(|(j, _)| *j != i) {
                    for d in depth + 1..=groups.len() {
                        self.remark(ctx, (i, *a), (j, *b), depth, d);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Test {
    fn remark(
        &self,
        ctx: &Context,
        (i, a): (usize, ForOp),
        (j, b): (usize, ForOp),
        depth: usize,
        d: usize,
    ) {
        let outcome = slice_at(ctx, a, b, d, Strategy::Generic);
        if self.dependences && matches!(outcome, Outcome::BlockDependence) {
            a.op().remark(ctx, format!("block-level dependence preventing fusion of loop nest {i} into loop nest {j} at depth {depth}"));
        }
        let (word, slice) = match &outcome {
            Outcome::Slice(s) => ("slice", s),
            Outcome::Incorrect(s) => ("Incorrect slice", s),
            _ => return,
        };
        if self.slices {
            let text = describe(ctx, slice);
            b.op().remark(
                ctx,
                format!("{word} ( src loop: {i}, dst loop: {j}, depth: {d} : {text})"),
            );
        }
    }
}

/// Where a slice goes, and its bounds.
fn describe(ctx: &Context, s: &Slice) -> String {
    let depth = scoped_ivs(ctx, s.before).len();
    let ops = s.before.block(ctx).map(|b| b.ops(ctx)).unwrap_or_default();
    let at = ops.iter().position(|o| *o == s.before).unwrap_or(0);
    let mut text = format!("insert point: ({depth}, {at}) loop bounds: ");
    for bound in &s.bounds {
        let map = |m: &Option<AffineMap>| m.as_ref().map_or_else(String::new, ToString::to_string);
        text.push_str(&format!("[{}, {}] ", map(&bound.lower), map(&bound.upper)));
    }
    text
}

/// The loops of a function by how many loops are around them.
fn by_depth(ctx: &Context, function: Op) -> Vec<Vec<ForOp>> {
    let mut groups: Vec<Vec<ForOp>> = Vec::new();
    for l in function.find_all::<ForOp>(ctx) {
        let depth = ForOp::enclosing(ctx, l.op()).len();
        if groups.len() <= depth {
            groups.resize(depth + 1, Vec::new());
        }
        groups[depth].push(l);
    }
    groups
}

/// Fuse the first pair that has a slice; returns whether there was one.
fn fuse_one(ctx: &mut Context, function: Op) -> bool {
    let groups = by_depth(ctx, function);
    for (depth, loops) in groups.iter().enumerate() {
        for a in loops {
            for b in loops.iter().filter(|b| *b != a) {
                for d in depth + 1..=groups.len() {
                    // What has results that are used would stay, and be fused for ever.
                    if !a.op().has_uses(ctx)
                        && let Outcome::Slice(s) = slice_at(ctx, *a, *b, d, Strategy::Generic)
                    {
                        fuse_slice(ctx, *a, &s);
                        a.op().erase(ctx);
                        return true;
                    }
                }
            }
        }
    }
    false
}
