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
//! Each lane computes what its iteration did, so that results are the same in all bits.
//! Values of several widths have one number of lanes, in as many registers as they need. Elements
//! that are run through backwards, and numbers that stand in turn, are loaded together and put in
//! order; a load or store that moves by another distance is made lane by lane. Where a condition
//! differs between lanes, a way of it is gone where one of them takes it. Sums are
//! made by all lanes where their order makes no difference or `reassociate` allows another one;
//! else the terms are vectors, whose lanes are added one after the other. `narrow` takes integers
//! of fewer bits where those do, and `choose` says how many lanes there are, and whether it pays.
//!
//! With `outer` it takes the loops around innermost ones that cannot run in vectors, and makes
//! lanes of their iterations: what each carries along the loop inside becomes vectors.
//!
//! ```text
//! affine.for %i = 0 to %n {                  affine.for %i = 0 to %n floordiv 2 * 2 step 2 {
//!   affine.for %k iter_args(%x = %a)   =>      affine.for %k iter_args(%x = %as) -> vector<2xf64>
//! ```

mod choose;
mod forms;
mod narrow;
mod saturate;

use crate::analysis::lockstep::run_in_lockstep;
use crate::analysis::parallel::memory_obstacle;
use crate::analysis::reduction::{self, Reduction};
use crate::loops::promote::{Kept, promote};
use crate::loops::vectorize::{self, vectorize};
use choose::Registers;
use terrace_dialects::affine::ForOp;
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_dialects::func;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-vectorize-innermost",
    title: "AffineVectorizeInnermost",
    summary: "Let innermost affine loops run in vectors of a few registers",
    description: "Vectorizes affine.for ops without loops inside whose iterations are independent, by as many lanes as one to four registers have of their elements; the iterations left over follow in a loop as it was.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new("bytes", OptionKind::UInt, "16", "Bytes of a register"),
        OptionInfo::new("registers", OptionKind::UInt, "16", "Registers of a core"),
        OptionInfo::flag("reassociate", "Compute sums of floats in any order, too"),
        OptionInfo::flag(
            "checked",
            "Take only accesses that are within their arrays for sure, and mark them so",
        ),
        OptionInfo::flag(
            "outer",
            "Take loops around innermost ones that cannot run in vectors, and no others",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that run in vectors",
    )],
    make: |o| {
        Ok(Box::new(Vectorize {
            registers: Registers {
                bytes: o.uint("bytes"),
                count: o.uint("registers"),
            },
            reassociate: o.bool("reassociate"),
            outer: o.bool("outer"),
            checked: o.bool("checked"),
        }))
    },
};

struct Vectorize {
    registers: Registers,
    reassociate: bool,
    outer: bool,
    checked: bool,
}

impl Pass for Vectorize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = op.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        if self.outer {
            for l in around(ctx, &loops) {
                if self.outer(ctx, l) {
                    ctx.count("num-loops", 1);
                }
            }
            return Ok(());
        }
        for l in loops {
            let few = l.op().attr(ctx, LOOP_LEFT_OVER).is_some();
            if few || self.lanes(ctx, l, true).is_none() {
                continue;
            }
            // Narrower integers pay in lanes only, and make more of them.
            narrow::narrow(ctx, l);
            if let Some(lanes) = self.lanes(ctx, l, true)
                && vectorize(ctx, l, lanes, self.options()).is_ok()
            {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

/// Whether `l`, an innermost loop, runs in vectors of the usual length as it stands.
pub(crate) fn runs_in_vectors(ctx: &Context, l: ForOp) -> bool {
    let usual = Vectorize {
        registers: Registers {
            bytes: 16,
            count: 16,
        },
        reassociate: false,
        outer: false,
        checked: false,
    };
    let innermost = l.op().find_all::<ForOp>(ctx).len() == 1;
    innermost && usual.lanes(ctx, l, false).is_some()
}

/// The loops around these, each once, those that are closer first.
fn around(ctx: &Context, loops: &[ForOp]) -> Vec<ForOp> {
    let parent = |l: &ForOp| l.op().parent(ctx)?.cast::<ForOp>(ctx);
    let mut found: Vec<ForOp> = Vec::new();
    let mut level: Vec<ForOp> = loops.iter().filter_map(parent).collect();
    while !level.is_empty() {
        for l in &level {
            if !found.contains(l) {
                found.push(*l);
            }
        }
        level = level.iter().filter_map(parent).collect();
    }
    found
}

impl Vectorize {
    fn options(&self) -> vectorize::Options {
        vectorize::Options {
            reductions: true,
            for_registers: true,
            checked: self.checked,
            in_order: !self.reassociate,
        }
    }

    /// How many iterations a vector has; nothing where the loop is not to be vectorised. Sums that
    /// depend on the order are left out unless `in_order` is set, where lanes are added one by one.
    fn lanes(&self, ctx: &Context, l: ForOp, in_order: bool) -> Option<u64> {
        if l.step(ctx) != 1 {
            return None;
        }
        let in_order = in_order && !self.reassociate;
        let lanes = choose::lanes(ctx, l, self.registers, in_order)?;
        let may = self.may_carry(ctx, l, in_order) && run_in_lockstep(ctx, l);
        may.then_some(lanes)
    }

    /// Lets iterations of `l`, a loop around innermost ones, run side by side, where those cannot
    /// run in vectors themselves: what each carries from iteration to iteration becomes vectors.
    fn outer(&self, ctx: &mut Context, l: ForOp) -> bool {
        let mut inside: Vec<ForOp> = l.op().find_all::<ForOp>(ctx);
        inside.retain(|i| i.op().find_all::<ForOp>(ctx).len() == 1);
        if inside.iter().any(|i| self.lanes(ctx, *i, false).is_some())
            || !self.may_carry(ctx, l, false)
            || choose::lanes(ctx, l, self.registers, false).is_none()
            || memory_obstacle(ctx, l).is_some()
            || self.would_run_inside(ctx, l)
        {
            return false;
        }
        for i in inside {
            // There is nothing to do where no element stays in a register.
            let _ = promote(ctx, i, None, Kept::WhereSure);
        }
        // Narrower integers pay in lanes only, and make more of them.
        if choose::lanes(ctx, l, self.registers, false).is_none() {
            return false;
        }
        narrow::narrow(ctx, l);
        choose::lanes(ctx, l, self.registers, false)
            .is_some_and(|lanes| vectorize(ctx, l, lanes, self.options()).is_ok())
    }

    /// Whether an innermost loop in `l` runs in vectors once the elements that it makes sums in are in
    /// registers: sums of integers do, in any order.
    fn would_run_inside(&self, ctx: &mut Context, l: ForOp) -> bool {
        let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
        copy.insert_after(ctx, l.op());
        let mut inside: Vec<ForOp> = copy.find_all::<ForOp>(ctx);
        inside.retain(|i| i.op().find_all::<ForOp>(ctx).len() == 1);
        for i in inside {
            let _ = promote(ctx, i, None, Kept::WhereSure);
        }
        let mut inside: Vec<ForOp> = copy.find_all::<ForOp>(ctx);
        inside.retain(|i| i.op().find_all::<ForOp>(ctx).len() == 1);
        let runs = inside.iter().any(|i| self.lanes(ctx, *i, false).is_some());
        copy.erase(ctx);
        runs
    }

    /// Whether the loop carries only values that lanes may contribute to, each its own or, with
    /// `in_order`, one after the other.
    fn may_carry(&self, ctx: &Context, l: ForOp, in_order: bool) -> bool {
        if l.op().num_results(ctx) == 0 {
            return true;
        }
        let free = |r: &Reduction| in_order || self.reassociate || !r.is_ordered(ctx);
        reduction::all_of(ctx, l).is_some_and(|all| all.iter().all(free))
    }
}
