//! `affine-order-strides`: the innermost loop goes from one element to the next.
//!
//! ```text
//! affine.for %i = 0 to %n {                 affine.for %j = 0 to %n {
//!   affine.for %j = 0 to %n {                 affine.for %i = 0 to %n {
//!     x[%i] += a[%j, %i] * y[%j]       =>       x[%i] += a[%j, %i] * y[%j]
//!   }                                         }
//! }                                         }
//! ```
//!
//! Of the loops around the innermost one, that one goes inwards along which accesses move by
//! the least: an element that stays costs nothing, the next one little, and any other one a
//! line of the cache (K. McKinley, S. Carr, C. Tseng, "Improving data locality with loop
//! transformations", 1996). Statements beside a loop are taken apart from it first, and values
//! that loops carry to an element become that element. A loop that was the outermost goes
//! inwards in strips, so that threads can still share it out.
//!
//! Legal where each dependence still goes forward: along the loops in their new order, the
//! first distance that is not 0 has to be positive. Each element is computed in the order in
//! which it was.

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::dependence::{Carrier, Dependence, Dependences, Options, dependences};
use crate::analysis::linear::Linear;
use crate::analysis::parallel::memory_obstacle;
use crate::loops::distribute::{distribute, independent_parts, statements};
use crate::loops::in_place;
use crate::loops::nest::band_of;
use crate::loops::permute::permute;
use crate::loops::strip_mine::strip_mine;
use crate::loops::take_over::take_over;
use terrace_dialects::affine::{Access, ForOp, ParallelOp};
use terrace_dialects::func;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-order-strides",
    title: "AffineOrderStrides",
    summary: "Let innermost affine loops go from one element to the next",
    description: "Moves loops inwards along which accesses are close together, as far as dependences allow.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "line",
            OptionKind::UInt,
            "8",
            "Numbers in a line of a cache",
        ),
        OptionInfo::new(
            "strip",
            OptionKind::UInt,
            "512",
            "Elements of a row of which some stay in the nearest cache",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-nests",
        "Number of nests in another order",
    )],
    make: |o| {
        Ok(Box::new(OrderStrides {
            line: o.uint("line"),
            strip: o.uint("strip").max(1),
        }))
    },
};

/// The part of the cost as written that another innermost loop may have.
const MUST_GAIN: f64 = 0.6;
/// A sum waits for the term before: about as long as so many elements take.
const WAIT: u64 = 4;
/// Iterations below which a loop is not worth being innermost.
const FEW: u64 = 8;

struct OrderStrides {
    /// What an access costs that moves by more than an element: the numbers of 64 bits in a line.
    line: u64,
    /// Elements of a strip of the outermost loop: some rows of that length stay in the nearest
    /// cache.
    strip: u64,
}

impl Pass for OrderStrides {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // On a copy: what comes before another order is worth nothing without it.
        let copy = clone_op(ctx, op, &mut IrMapping::new());
        copy.insert_after(ctx, op);
        in_place::values(ctx, copy);
        in_place::run(ctx, copy);
        let done = self.order(ctx, copy);
        if done > 0 {
            take_over(ctx, op, copy);
        }
        copy.erase(ctx);
        ctx.count("num-nests", done);
        Ok(())
    }
}

/// The loops around `l`, directly one in the other, from the outside in, and `l`.
fn around(ctx: &Context, l: ForOp) -> Vec<ForOp> {
    let mut all = vec![l];
    let mut at = l;
    while let Some(outer) = at.op().parent(ctx).and_then(|o| o.cast::<ForOp>(ctx)) {
        all.push(outer);
        at = outer;
    }
    all.reverse();
    all
}

impl OrderStrides {
    /// The number of nests that were put in another order.
    fn order(&self, ctx: &mut Context, function: Op) -> u64 {
        let mut inner = function.find_all::<ForOp>(ctx);
        inner.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        let mut done = 0;
        for l in inner {
            let target = self.better_innermost(ctx, l);
            done += u64::from(target.is_some_and(|t| self.bring_inwards(ctx, t, l)));
        }
        done
    }

    /// The loop around `l` that should be innermost in its place.
    fn better_innermost(&self, ctx: &Context, l: ForOp) -> Option<ForOp> {
        if l.op().num_results(ctx) > 0 {
            return None;
        }
        let loops = around(ctx, l);
        if self.lanes_fit_around(ctx, l) {
            return None;
        }
        let now = self.cost(ctx, l, l)? as f64;
        let (_, others) = loops.split_last()?;
        // Of equal ones the one closest to being it.
        let costs = others.iter().rev().filter_map(|o| {
            let runs = constant_trip_count(ctx, *o).is_none_or(|n| n >= FEW);
            Some((self.cost(ctx, l, *o).filter(|_| runs)?, *o))
        });
        let (least, best) = costs.min_by_key(|(c, _)| *c)?;
        (least as f64 <= MUST_GAIN * now).then_some(best)
    }

    /// Whether iterations of the loop directly around `l` may run side by side, as lanes of vectors
    /// that go along `l` together: they depend on nothing of each other, and no access moves far, by
    /// either loop. What `l` makes of the element of each then stays in registers.
    fn lanes_fit_around(&self, ctx: &Context, l: ForOp) -> bool {
        let Some(outer) = l.op().parent(ctx).and_then(|o| o.cast::<ForOp>(ctx)) else {
            return false;
        };
        let bounds = [l.lower_operands(ctx), l.upper_operands(ctx)].concat();
        let near = |along: ForOp| {
            let far = |a: &Access| self.cost_of(ctx, a, along).is_none_or(|c| c >= self.line);
            !Access::all(ctx, l.op()).iter().any(far)
        };
        !bounds.contains(&outer.iv(ctx))
            && near(l)
            && near(outer)
            && memory_obstacle(ctx, outer).is_none()
    }

    /// What the accesses in the body of `l` cost with `innermost` there; `None` where that cannot
    /// be told.
    fn cost(&self, ctx: &Context, l: ForOp, innermost: ForOp) -> Option<u64> {
        let all = Access::all(ctx, l.op());
        all.iter().map(|a| self.cost_of(ctx, a, innermost)).sum()
    }

    /// What one access costs with `innermost` there.
    fn cost_of(&self, ctx: &Context, a: &Access, innermost: ForOp) -> Option<u64> {
        let iv = innermost.iv(ctx);
        let composed = a.composed(ctx);
        let forms = Linear::of_map(&composed.map, &composed.operands)?;
        let layout = strides_and_offset(ctx, a.memref.ty(ctx))?;
        let stores = a.stored(ctx).is_some();
        let (last, others) = forms.split_last()?;
        let moves = |f: &Linear| f.coefficient(iv) != 0;
        Some(match (others.iter().any(moves), last.coefficient(iv)) {
            (false, 0) if stores => WAIT,
            (false, 0) => 0,
            (false, 1 | -1) if layout.strides.last() == Some(&1) => 1,
            _ => self.line,
        })
    }

    /// Makes `target`, a loop around `inner`, the innermost one of the body of `inner`; whether
    /// it was legal and done.
    fn bring_inwards(&self, ctx: &mut Context, target: ForOp, inner: ForOp) -> bool {
        let all = around(ctx, inner);
        let Some(n) = all.iter().position(|l| *l == target).map(|p| all.len() - p) else {
            return false;
        };
        // Statements beside a loop on the way are taken apart from it, the innermost first.
        for up in 1..n {
            let all = around(ctx, inner);
            let outer = all[all.len() - 1 - up];
            if band_of(ctx, outer).last() != Some(&inner) && !alone(ctx, outer, inner) {
                return false;
            }
        }
        let all = around(ctx, inner);
        let first = all.len() - n;
        let band = all[first..].to_vec();
        if band_of(ctx, band[0]) != band {
            return false;
        }
        let order: Vec<usize> = (1..n).chain([0]).collect();
        let found = dependences(ctx, band[0].op(), &Options::default());
        if !keeps_order(&found, &order) {
            return false;
        }
        // A loop of the outermost ones that is parallel goes inwards in strips only.
        let is_outermost = first == 0 && band[0].op().parent_of::<ParallelOp>(ctx).is_none();
        let parallel = found.carried_by(band[0].iv(ctx)).next().is_none();
        if is_outermost && parallel {
            let Ok((strips, strip)) = strip_mine(ctx, band[0], self.strip) else {
                return false;
            };
            let mut whole = vec![strips, strip];
            whole.extend(&band[1..]);
            let order: Vec<usize> = [0].into_iter().chain(2..=n).chain([1]).collect();
            return permute(ctx, &whole, &order).is_ok();
        }
        permute(ctx, &band, &order).is_ok()
    }
}

/// Takes what stands beside the loop around `inner` in the body of `outer` apart from it, where
/// dependences allow that.
fn alone(ctx: &mut Context, outer: ForOp, inner: ForOp) -> bool {
    if outer.op().num_results(ctx) > 0 {
        return false;
    }
    let smallest = statements(ctx, outer);
    let parts = independent_parts(ctx, outer, &smallest);
    let body = outer.body(ctx);
    let Some(top) = inner.op().ancestor_in(ctx, body) else {
        return false;
    };
    let is_alone = parts.iter().any(|p| p[..] == [top]);
    is_alone && parts.len() > 1 && distribute(ctx, outer, &parts).is_ok()
}

/// Whether all dependences go forward where the loops of a band run in this order.
fn keeps_order(found: &Dependences, order: &[usize]) -> bool {
    let known = found.program.sites.iter().all(|s| s.element.is_ok());
    known && found.all.iter().all(|d| goes_forward(d, order))
}

fn goes_forward(d: &Dependence, order: &[usize]) -> bool {
    match d.carrier {
        Carrier::Independent => return true,
        Carrier::Opaque(_) => return false,
        Carrier::Loop(_) => {}
    }
    for place in order {
        let Some(least) = d.distance.get(*place).and_then(|e| e.min.as_ref()) else {
            return false;
        };
        match least.signum() {
            0 => {}
            sign => return sign > 0,
        }
    }
    true
}
