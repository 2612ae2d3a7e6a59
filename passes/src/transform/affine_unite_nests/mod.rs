//! `affine-unite-nests`: two neighbouring nests of parallel loops that do the same in
//! different iterations become one.
//!
//! ```text
//! affine.parallel (%i) = (1) to (%n) {
//!   affine.parallel (%j) = (0) to (%i) {      affine.parallel (%i) = (0) to (%n) {
//!     A[%i, %j] -= B[%i] * B[%j]                affine.parallel (%j) = (0) to (%i + 1) {
//!   }                                     =>      A[%i, %j] -= B[%i] * B[%j]
//! }                                             }
//! affine.parallel (%i) = (0) to (%n) {        }
//!   A[%i, %i] -= B[%i] * B[%i]
//! }
//! ```
//!
//! Programs that name the parts of a triangle one by one (LU, Cholesky) come out of a change
//! of their loops as such nests. One nest is one launch, and the parts of a square are a square.
//!
//! Legal where no iteration of one nest depends on one of the other: then all of them may
//! run in any order. Done where the union of the iterations is again that of one nest
//! (S. Verdoolaege, "Integer Set Coalescing", IMPACT 2015), and where both nests compute
//! the same expression of the same elements, the variables of one put for those of the other.
//!
//! | file | what |
//! | --- | --- |
//! | `same` | whether two nests do the same |

mod same;

use crate::analysis::dependence::{Carrier, Options, dependences};
use crate::analysis::threads::in_a_thread;
use crate::loops::codegen;
use crate::loops::codegen::{Body, Joined, reschedule};
use same::{StoreNest, same};
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::func;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Block, Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-unite-nests",
    title: "AffineUniteNests",
    summary: "Make one nest of neighbouring parallel nests that do the same in other iterations",
    description: "Perfect nests of affine.parallel ops, with conditions, whose bodies compute one element from the same expression of others, with nothing but pure ops between them. They become one nest where neither depends on the other and all their iterations together are those of one nest.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-nests",
        "Number of nests that another took in",
    )],
    make: |_| Ok(Box::new(UniteNests)),
    ..PassInfo::EMPTY
};

struct UniteNests;

impl Pass for UniteNests {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut blocks: Vec<Block> = Vec::new();
        for p in function.find_all::<ParallelOp>(ctx) {
            let block = p.op().block(ctx).filter(|_| !in_a_thread(ctx, p.op()));
            blocks.extend(block.filter(|b| !blocks.contains(b)));
        }
        let mut united = 0;
        for block in blocks {
            while unite_first(ctx, block) {
                united += 1;
            }
        }
        ctx.count("num-nests", united);
        Ok(())
    }
}

/// Unites the first two neighbours of a block that can be; whether there were any.
fn unite_first(ctx: &mut Context, block: Block) -> bool {
    let mut before: Option<StoreNest> = None;
    for op in block.ops(ctx) {
        let Some(nest) = StoreNest::of(ctx, op) else {
            if !is_pure(ctx, op) {
                before = None;
            }
            continue;
        };
        if let Some(first) = &before
            && unite(ctx, first, &nest)
        {
            return true;
        }
        before = Some(nest);
    }
    false
}

/// Unites two neighbours, the first in the text first, if they can be.
fn unite(ctx: &mut Context, first: &StoreNest, second: &StoreNest) -> bool {
    let (of, other, to) = match (same(ctx, first, second), same(ctx, second, first)) {
        (Some(to), _) => (first, second, to),
        (None, Some(to)) => (second, first, to),
        (None, None) => return false,
    };
    if !are_independent(ctx, first.root, second.root) {
        return false;
    }
    let ivs: Vec<AffineExpr> = (0..of.ivs.len() as u32).map(AffineExpr::dim).collect();
    let body = Body {
        ops: of.body.clone(),
        ivs: of.ivs.clone(),
        times: AffineMap::new(ivs.len() as u32, 0, ivs),
        parallel: (0..of.ivs.len()).collect(),
        joined: vec![Joined {
            ops: other.body.clone(),
            ivs: other.ivs.clone(),
            to,
        }],
    };
    let options = codegen::Options {
        whole: vec![true; of.ivs.len()],
        ..codegen::Options::default()
    };
    reschedule(ctx, first.root, second.root, &[body], &options).is_ok()
}

/// Whether no iteration of one of two neighbours depends on one of the other while the
/// loops around both are in one iteration.
fn are_independent(ctx: &Context, first: Op, second: Op) -> bool {
    let Some(parent) = first.parent(ctx) else {
        return false;
    };
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let found = dependences(ctx, parent, &options);
    let between = |a: Op, b: Op| {
        (first.is_ancestor_of(ctx, a) && second.is_ancestor_of(ctx, b))
            || (second.is_ancestor_of(ctx, a) && first.is_ancestor_of(ctx, b))
    };
    !found
        .all
        .iter()
        .any(|d| between(d.source_op, d.sink_op) && !matches!(d.carrier, Carrier::Loop(_)))
}
