//! `affine-vectorize-innermost`: innermost loops whose iterations may run in any order run in
//! vectors of one register.
//!
//! ```text
//! affine.for %j = 0 to %n {                  affine.for %j = 0 to %n floordiv 2 * 2 step 2 {
//!   %0 = affine.load %b[%k, %j]                %0 = vector.transfer_read %b[%k, %j]
//!   %1 = arith.mulf %a, %0              =>     %1 = arith.mulf %as, %0 : vector<2xf64>
//!   affine.store %1, %c[%i, %j]                vector.transfer_write %1, %c[%i, %j]
//! }                                          }
//!                                            the rest, one iteration at a time
//! ```
//!
//! Each lane computes what its iteration did, so that results are the same in all bits. A
//! loop is taken where every access moves by one element along the last subscript, or not at
//! all, and where all values have the same width: with others lanes would have to be gathered
//! or converted. Sums, which lanes would add in another order, are taken where that makes no
//! difference or `reassociate` allows it.

use crate::analysis::linear::Linear;
use crate::analysis::parallel::memory_obstacle;
use crate::analysis::reduction::{self, Reduction};
use crate::loops::vectorize::vectorize;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, YieldOp};
use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::{arith, func, math};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind, Type};

pub static INFO: PassInfo = PassInfo {
    name: "affine-vectorize-innermost",
    title: "AffineVectorizeInnermost",
    summary: "Let innermost affine loops run in vectors of one register",
    description: "Vectorizes affine.for ops without loops inside whose iterations are independent, by as many lanes as a register has of their elements; the iterations left over follow in a loop as it was.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo {
            name: "bytes",
            kind: OptionKind::UInt,
            default: "16",
            doc: "Bytes of a register",
        },
        OptionInfo {
            name: "reassociate",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Compute sums of floats in any order, too",
        },
    ],
    statistics: &[StatisticInfo {
        name: "num-loops",
        doc: "Number of loops that run in vectors",
    }],
    make: |o| {
        Ok(Box::new(Vectorize {
            bytes: o.uint("bytes"),
            reassociate: o.bool("reassociate"),
        }))
    },
};

struct Vectorize {
    bytes: u64,
    reassociate: bool,
}

impl Pass for Vectorize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = op.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        for l in loops {
            if let Some(lanes) = self.lanes(ctx, l)
                && vectorize(ctx, l, lanes, true).is_ok()
            {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

impl Vectorize {
    /// How many iterations a vector has; nothing where the loop is not to be vectorised.
    fn lanes(&self, ctx: &Context, l: ForOp) -> Option<u64> {
        let bits = width(ctx, l)?;
        let lanes = (8 * self.bytes).checked_div(bits.into())?;
        let fits = lanes > 1 && self.may_carry(ctx, l) && memory_obstacle(ctx, l).is_none();
        fits.then_some(lanes)
    }

    /// Whether the values that the loop carries may be combined in another order.
    fn may_carry(&self, ctx: &Context, l: ForOp) -> bool {
        let carried = l.op().num_results(ctx);
        if carried == 0 {
            return true;
        }
        // A sum of floats depends on the order of its terms, a maximum does not.
        let ordered = |r: &Reduction| matches!(r.kind, K::AddF | K::MulF);
        let all = reduction::all_of(ctx, l);
        all.is_some_and(|all| self.reassociate || !all.iter().any(ordered))
    }
}

/// The width in bits of all values of a loop; nothing where there are several, where an op
/// has no form on vectors, or an access moves in another way than from one element to the
/// next.
fn width(ctx: &Context, l: ForOp) -> Option<u32> {
    let mut width = None;
    let mut moves = false;
    for op in l.body(ctx).ops(ctx) {
        if op.isa::<ApplyOp>(ctx) || op.isa::<YieldOp>(ctx) || op.isa::<arith::ConstantOp>(ctx) {
            continue;
        }
        let element = match Access::of(ctx, op) {
            Some(access) => {
                moves |= moves_along(ctx, &access, l)?;
                access.memref.ty(ctx).element(ctx)?
            }
            // A comparison is as wide as what it compares.
            None if op.isa::<arith::CmpFOp>(ctx) => op.operand(ctx, 0).ty(ctx),
            None if has_vector_form(ctx, op) => op.result(ctx, 0).ty(ctx),
            None => return None,
        };
        let bits = lane_bits(ctx, element)?;
        if *width.get_or_insert(bits) != bits {
            return None;
        }
    }
    width.filter(|_| moves)
}

/// Bits of an element that registers have lanes of.
fn lane_bits(ctx: &Context, ty: Type) -> Option<u32> {
    if ty.is_index(ctx) {
        return None;
    }
    let bits = ty.bit_width(ctx)?;
    let number = ty.is_signless_int(ctx) || (ty.is_float(ctx) && bits >= 32);
    (number && [8, 16, 32, 64].contains(&bits)).then_some(bits)
}

/// Whether an access moves by one element from one iteration to the next; nothing where it
/// moves in another way, or all iterations store to one element.
fn moves_along(ctx: &Context, access: &Access, l: ForOp) -> Option<bool> {
    let composed = access.composed(ctx);
    let forms = Linear::of_map(&composed.map, &composed.operands)?;
    let (last, others) = forms.split_last()?;
    let iv = l.iv(ctx);
    if others.iter().any(|f| f.coefficient(iv) != 0) {
        return None;
    }
    let layout = strides_and_offset(ctx, access.memref.ty(ctx))?;
    match (last.coefficient(iv), layout.strides.last()) {
        (1, Some(1)) => Some(true),
        (0, _) if access.stored(ctx).is_none() => Some(false),
        _ => None,
    }
}

/// Whether an op works on vectors as it does on scalars, and instructions do it.
fn has_vector_form(ctx: &Context, op: Op) -> bool {
    // No register has a truth value for each lane that was not compared lane by lane.
    if op.isa::<arith::SelectOp>(ctx) {
        let compared = op.operand(ctx, 0).def_op();
        return compared
            .is_some_and(|c| c.isa::<arith::CmpFOp>(ctx) && c.block(ctx) == op.block(ctx));
    }
    matches!(
        op.name(ctx),
        arith::AddFOp::NAME
            | arith::SubFOp::NAME
            | arith::MulFOp::NAME
            | arith::DivFOp::NAME
            | arith::NegFOp::NAME
            | arith::MaximumFOp::NAME
            | arith::MinimumFOp::NAME
            | arith::AddIOp::NAME
            | arith::SubIOp::NAME
            | arith::AndIOp::NAME
            | arith::OrIOp::NAME
            | arith::XOrIOp::NAME
            | math::SqrtOp::NAME
            | math::AbsFOp::NAME
    )
}
