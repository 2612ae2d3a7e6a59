//! `affine-jam-reuse`: iterations of a loop share what the loop inside loads.
//!
//! ```text
//! affine.for %k = 0 to %n {                 affine.for %k = 0 to %n step 4 {
//!   affine.for %j = 0 to %m {                 affine.for %j = 0 to %m {
//!     c[%j] += a[%k] * b[%k, %j]     =>         c[%j] += a[%k] * b[%k, %j]
//!   }                                           c[%j] += a[%k + 1] * b[%k + 1, %j]
//! }                                             ...
//!                                             }
//!                                           }
//! ```
//!
//! Done where the loop inside goes along an element that the loop around it does not move, as
//! `c[%j]` here: it is loaded and stored once then. And where the loop inside makes a sum,
//! whose terms wait for one another: sums of several iterations do not wait for each other, and other
//! chains of ops do not.
//! Nothing is computed in another order for any element. Of several loops inside all have to share
//! something.
//!
//! So many sums are made side by side as there are registers for, with all that an iteration loads:
//! the code generator puts loads in front, and a sum that it keeps in memory waits for its own
//! store in each iteration.

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::chains;
use crate::analysis::jam::jam_obstacle;
use crate::analysis::linear::Linear;
use crate::loops::unroll_jam::unroll_jam;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, YieldOp};
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_dialects::{arith, func};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind, Value};
use terrace_machine::CORES;

pub static INFO: PassInfo = PassInfo {
    name: "affine-jam-reuse",
    title: "AffineJamReuse",
    summary: "Unroll and jam loops whose iterations use the same elements",
    description: "Unrolls affine.for ops around innermost ones by 2, 3 or 4, and jams these, where iterations load or store the same elements, or each makes a sum; by 8 where each is a long chain of ops that wait for one another.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "max-ops",
            OptionKind::UInt,
            "48",
            "Ops of a jammed innermost loop, at most",
        ),
        OptionInfo::new("registers", OptionKind::UInt, "16", "Registers of a core"),
    ],
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that were unrolled and jammed",
    )],
    make: |o| {
        Ok(Box::new(JamReuse {
            max_ops: o.uint("max-ops"),
            registers: o.uint("registers"),
        }))
    },
};

/// Ops of a jammed innermost loop, at most, where nothing else is said.
const MAX_OPS: u64 = 48;

/// Chains of integers that wait for so many others are long.
const LONG: u64 = 4;

struct JamReuse {
    max_ops: u64,
    registers: u64,
}

/// The defaults of the pass's options.
impl Default for JamReuse {
    fn default() -> JamReuse {
        JamReuse {
            max_ops: MAX_OPS,
            registers: CORES.vector_registers,
        }
    }
}

impl Pass for JamReuse {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let jammed = self.jam(ctx, op, |_, _| true);
        ctx.count("num-loops", jammed);
        Ok(())
    }
}

/// Unrolls and jams loops around those in which an iteration waits for the floats that the one before
/// has made; how many. Of a trial: it tells whether a core gains from a nest that runs in order.
pub fn jam_chains(ctx: &mut Context, function: Op) -> u64 {
    JamReuse::default().jam(ctx, function, waits)
}

/// Whether an iteration waits for floats of the one before, carried or in memory.
fn waits(ctx: &Context, inner: ForOp) -> bool {
    let carried = inner
        .op()
        .result_types(ctx)
        .into_iter()
        .any(|t| t.is_float(ctx));
    let in_place = |a: &Access| {
        let composed = a.composed(ctx);
        let forms = Linear::of_map(&composed.map, &composed.operands);
        let stays = |f: &Vec<Linear>| f.iter().all(|f| f.coefficient(inner.iv(ctx)) == 0);
        is_of_float(ctx, a) && a.stored(ctx).is_some() && forms.as_ref().is_some_and(stays)
    };
    carried || Access::all(ctx, inner.op()).iter().any(in_place) || is_sequence(ctx, inner)
}

/// Whether the elements of the array are floats.
fn is_of_float(ctx: &Context, a: &Access) -> bool {
    let element = a.memref.ty(ctx).element(ctx);
    element.is_some_and(|t| t.is_float(ctx))
}

impl JamReuse {
    /// Jams loops around innermost ones that are `wanted`, where that pays; how many.
    fn jam(
        &self,
        ctx: &mut Context,
        function: Op,
        wanted: impl Fn(&Context, ForOp) -> bool,
    ) -> u64 {
        let outer = function.find_all::<ForOp>(ctx).into_iter();
        let outer: Vec<(ForOp, Vec<ForOp>)> = outer
            .filter_map(|l| Some((l, innermost_of(ctx, l)?)))
            .filter(|(_, inner)| inner.iter().any(|l| wanted(ctx, *l)))
            .collect();
        let mut jammed = 0;
        for (outer, inner) in outer {
            let mut factors = self.factors(ctx, outer, &inner).into_iter();
            jammed += u64::from(factors.any(|f| {
                jam_obstacle(ctx, outer, f).is_none() && unroll_jam(ctx, outer, f).is_ok()
            }));
        }
        jammed
    }

    /// How many iterations of `outer` pay together, the best first; none where they share nothing in
    /// one of the loops inside.
    fn factors(&self, ctx: &Context, outer: ForOp, inner: &[ForOp]) -> Vec<u64> {
        let marked = |l: ForOp| l.op().attr(ctx, LOOP_LEFT_OVER).is_some();
        let runs = |l: ForOp, n: u64| constant_trip_count(ctx, l).is_none_or(|t| t >= n);
        let is_open = |l: &ForOp| !marked(*l) && runs(*l, 8) && shares(ctx, outer, *l);
        if outer.op().num_results(ctx) > 0 || marked(outer) || !inner.iter().all(is_open) {
            return Vec::new();
        }
        // Four are enough for what is shared; long chains are hidden by more.
        let most = match inner.iter().all(|l| chains(ctx, *l) >= chains::MOST) {
            true => chains::MOST,
            false => 4,
        };
        let inner = inner.iter().map(|l| {
            let values = Values::of(ctx, outer.iv(ctx), *l);
            (size(ctx, *l), values)
        });
        let inner: Vec<(u64, Values)> = inner.collect();
        let pays = |f: &u64| {
            let fits = |(size, values): &(u64, Values)| {
                f * size <= self.max_ops && values.fit(*f, self.registers)
            };
            // Three are for sums that four have too few registers for; what else is shared by
            // four or two divides chunks and lanes.
            let useful = *f != 3 || inner.iter().any(|(_, v)| v.wants_three(self.registers));
            useful && inner.iter().all(fits) && runs(outer, *f)
        };
        let factors = [chains::MOST, 4, 3, 2].into_iter();
        factors.filter(|f| *f <= most).filter(pays).collect()
    }
}

/// Whether iterations of `outer` would be jammed because those of a loop inside wait for one another.
pub(super) fn would_jam_chains(ctx: &Context, outer: ForOp) -> bool {
    let jam = JamReuse::default();
    innermost_of(ctx, outer).is_some_and(|inner| {
        inner.iter().any(|l| waits(ctx, *l))
            && (jam.factors(ctx, outer, &inner).into_iter())
                .any(|f| jam_obstacle(ctx, outer, f).is_none())
    })
}

/// The loops in the body of a loop, if there are some and none anywhere else in it.
fn innermost_of(ctx: &Context, outer: ForOp) -> Option<Vec<ForOp>> {
    let body = outer.body(ctx).ops(ctx).into_iter();
    let inner: Vec<ForOp> = body.filter_map(|op| op.cast::<ForOp>(ctx)).collect();
    let all = outer.op().find_all::<ForOp>(ctx).len();
    (!inner.is_empty() && all == inner.len() + 1).then_some(inner)
}

/// The ops of an iteration that cost something.
fn size(ctx: &Context, l: ForOp) -> u64 {
    let ops = l.op().pre_order(ctx).into_iter().skip(1);
    let free =
        |o: &Op| o.isa::<ApplyOp>(ctx) || o.isa::<arith::ConstantOp>(ctx) || o.isa::<YieldOp>(ctx);
    ops.filter(|o| !free(o)).count() as u64
}

/// Whether three iterations of a loop over `iv` are made side by side in `inner`, since four are
/// more than so many registers hold.
pub(super) fn wants_three(ctx: &Context, iv: Value, inner: ForOp, registers: u64) -> bool {
    Values::of(ctx, iv, inner).wants_three(registers)
}

/// Floats that are in registers at once in the loop inside.
#[derive(Default)]
struct Values {
    /// Sums that an iteration of the loop around makes.
    sums: u64,
    /// What an iteration of the loop around loads for itself.
    own: u64,
    /// What all of them load.
    shared: u64,
}

impl Values {
    /// Where the loop around has the variable `outer`.
    fn of(ctx: &Context, outer: Value, inner: ForOp) -> Values {
        let results = inner.op().result_types(ctx).into_iter();
        let mut values = Values {
            sums: results.filter(|t| t.is_float(ctx)).count() as u64,
            ..Values::default()
        };
        for a in Access::all(ctx, inner.op()) {
            let composed = a.composed(ctx);
            let Some(forms) = Linear::of_map(&composed.map, &composed.operands) else {
                continue;
            };
            let moves = |iv: Value| forms.iter().any(|f| f.coefficient(iv) != 0);
            let along = moves(inner.iv(ctx));
            let counted = match (a.stored(ctx).is_some(), along, moves(outer)) {
                _ if !is_of_float(ctx, &a) => continue,
                (true, true, _) => continue,
                (true, false, _) => &mut values.sums,
                (false, true, true) => &mut values.own,
                (false, true, false) => &mut values.shared,
                // It is a sum's, or loaded in front of the loop.
                (false, false, _) => continue,
            };
            *counted += 1;
        }
        values
    }

    /// How many there are where so many iterations of the loop around run side by side.
    fn at_once(&self, factor: u64) -> u64 {
        factor * (self.sums + self.own) + self.shared
    }

    /// Whether they leave one of so many registers for what is computed.
    fn fit(&self, factor: u64, registers: u64) -> bool {
        self.sums == 0 || self.at_once(factor) < registers
    }

    fn wants_three(&self, registers: u64) -> bool {
        !self.fit(4, registers) && self.fit(3, registers)
    }
}

/// Whether iterations of `outer` use the same elements in `inner`, or each makes a sum of floats or a
/// sequence there. Sums of integers wait for nothing worth telling, and lanes make them.
fn shares(ctx: &Context, outer: ForOp, inner: ForOp) -> bool {
    let results = inner.op().result_types(ctx);
    let is_long = chains(ctx, inner) >= LONG;
    if results.iter().any(|t| t.is_float(ctx)) || is_sequence(ctx, inner) || is_long {
        return true;
    }
    let mut accesses = Access::all(ctx, inner.op()).into_iter();
    accesses.any(|a| {
        let composed = a.composed(ctx);
        let Some(forms) = Linear::of_map(&composed.map, &composed.operands) else {
            return false;
        };
        let moves = |l: ForOp| forms.iter().any(|f| f.coefficient(l.iv(ctx)) != 0);
        // What stays as it is in the loop inside is carried by it.
        let sum = !moves(inner) && a.stored(ctx).is_some() && is_of_float(ctx, &a);
        sum || (moves(inner) && !moves(outer))
    })
}

/// How many loops like `inner` hide what an iteration waits for; 0 where lanes do.
fn chains(ctx: &Context, inner: ForOp) -> u64 {
    let results = inner.op().result_types(ctx);
    match results.iter().any(|t| t.element(ctx).is_some()) {
        true => 0,
        false => chains::wanted(ctx, inner),
    }
}

/// Whether an iteration loads what the one before stored, so that it waits for it.
fn is_sequence(ctx: &Context, inner: ForOp) -> bool {
    let (iv, step) = (inner.iv(ctx), inner.step(ctx));
    let all = Access::all(ctx, inner.op()).into_iter();
    let forms = all.filter_map(|a| {
        let composed = a.composed(ctx);
        let forms = Linear::of_map(&composed.map, &composed.operands)?;
        Some((a.memref, a.stored(ctx).is_some(), forms))
    });
    let forms: Vec<_> = forms.collect();
    let before = |loaded: &Linear, stored: &Linear| {
        let apart = loaded.minus(stored);
        apart.is_some_and(|d| d.terms.is_empty() && d.constant == -step * stored.coefficient(iv))
    };
    forms.iter().filter(|f| f.1).any(|(memref, _, stored)| {
        let moves = stored.iter().any(|f| f.coefficient(iv) != 0);
        let mut loads = forms.iter().filter(|f| !f.1 && f.0 == *memref);
        moves && loads.any(|(_, _, loaded)| loaded.iter().zip(stored).all(|(l, s)| before(l, s)))
    })
}
