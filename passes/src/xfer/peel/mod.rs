//! Loops taken apart so that no copy stays in them, a step of `xfer-optimize`.
//!
//! Where an iteration at an end of a loop does what the others do not, or the loop asks a
//! condition that does not change, paths come to a copy with the array valid and stale: it
//! would stay in the loop, with a test at run time. Taken apart, both are known. Whether
//! that helps is tried: the copies are placed with the loop taken apart, and it stays so
//! where fewer are left in loops. Code grows by at most 400 ops each time and 2000 in a
//! function.
//!
//! - `order`: what is known of conditions at the ends of loops;
//! - `rewrite`: loops taken apart, and put back.

mod order;
mod rewrite;

use self::order::{Bounds, Part};
use self::rewrite::{End, Split, hoist, peel, unswitch};
use super::arrays::{Array, Arrays};
use super::flow::{CopyPoint, Flow, is_sequential};
use super::guard;
use super::optimize::{Entry, Step, place};
use terrace_dialects::scf::{ForOp, IfOp};
use terrace_dialects::{affine, scf};
use terrace_ir::{Context, Op, OpKind, Value};

/// The most ops of a loop that is taken apart.
const BODY: usize = 400;
/// The most ops that a function may have more.
const GROWTH: usize = 2000;
/// The most ways that are tried in a function.
const TRIALS: usize = 64;

/// One way to take a loop apart.
#[derive(Debug, Clone, Copy)]
enum Way {
    Peel(ForOp, Bounds, End),
    Unswitch(ForOp, Value),
}

/// What is left to copy: in loops, each as often as loops are around it to the power of 8;
/// how often flags are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    in_loops: u64,
    asks: u64,
}

/// Takes loops of a function apart where that takes copies out of loops; how many. `ours`
/// says of which arrays the copies are placed: those were taken out.
pub(super) fn improve(
    ctx: &mut Context,
    function: Op,
    ours: &dyn Fn(&Context, &Array) -> bool,
) -> u64 {
    let (mut taken, mut grown, mut trials) = (0, 0, 0);
    let Some(mut cost) = cost_of(ctx, function, ours) else {
        return 0;
    };
    let mut way_back = true;
    while way_back && cost.in_loops > 0 {
        way_back = false;
        for way in ways(ctx, function) {
            let size = way.size(ctx);
            if size > BODY || grown + size > GROWTH || trials >= TRIALS {
                continue;
            }
            trials += 1;
            let Some(split) = way.take(ctx) else { continue };
            guard::add(ctx, function);
            match cost_of(ctx, function, ours) {
                Some(new) if new < cost => {
                    split.keep(ctx);
                    cost = new;
                    grown += size;
                    taken += 1;
                    // The loops are others now.
                    way_back = true;
                    break;
                }
                _ => split.undo(ctx),
            }
        }
    }
    taken
}

impl Way {
    fn the_loop(self) -> ForOp {
        match self {
            Way::Peel(l, ..) | Way::Unswitch(l, _) => l,
        }
    }

    fn size(self, ctx: &Context) -> usize {
        self.the_loop().op().pre_order(ctx).len()
    }

    fn take(self, ctx: &mut Context) -> Option<Split> {
        match self {
            Way::Peel(l, bounds, end) => Some(peel(ctx, l, &bounds, end)),
            Way::Unswitch(l, c) => hoist(ctx, l, c).then(|| unswitch(ctx, l, c)),
        }
    }
}

/// The ways to take loops of the host's code apart, outer loops first.
fn ways(ctx: &Context, function: Op) -> Vec<Way> {
    let mut out = Vec::new();
    for l in function.find_all::<ForOp>(ctx) {
        if !is_of_host(ctx, function, l.op()) {
            continue;
        }
        let mut conditions: Vec<Value> = Vec::new();
        for branch in l.op().find_all::<IfOp>(ctx) {
            let c = branch.condition(ctx);
            if is_of_host(ctx, l.op(), branch.op()) && !conditions.contains(&c) {
                conditions.push(c);
            }
        }
        let bounds = Bounds::of(ctx, l);
        let iv = l.induction_var(ctx);
        for (end, one, rest) in [
            (End::First, Part::First, Part::AfterFirst),
            (End::Last, Part::Last, Part::BeforeLast),
        ] {
            let Some(b) = bounds else { continue };
            let differs = |c: &Value| {
                let (x, y) = (b.decide(ctx, *c, iv, one), b.decide(ctx, *c, iv, rest));
                x.is_some() && y.is_some() && x != y
            };
            if conditions.iter().any(differs) {
                out.push(Way::Peel(l, b, end));
            }
        }
        out.extend(conditions.into_iter().map(|c| Way::Unswitch(l, c)));
    }
    out
}

/// Whether an op is code of the host that is run in order, as far as `root`.
fn is_of_host(ctx: &Context, root: Op, op: Op) -> bool {
    let mut at = op;
    while let Some(parent) = at.parent(ctx).filter(|p| *p != root) {
        if !is_sequential(ctx, parent) {
            return false;
        }
        at = parent;
    }
    true
}

fn cost_of(ctx: &Context, function: Op, ours: &dyn Fn(&Context, &Array) -> bool) -> Option<Cost> {
    let mut arrays = Arrays::of(ctx, function);
    arrays.retain(|a| ours(ctx, a));
    let flow = Flow::of(ctx, function, &mut arrays).ok()?;
    let mut cost = Cost {
        in_loops: 0,
        asks: 0,
    };
    for k in 0..arrays.list.len() {
        let entry = arrays.list[k].handed.map(|_| Entry::Open);
        for (n, steps) in place(&flow, k, entry).steps.iter().enumerate() {
            let depth = depth(ctx, function, flow.nodes[n].place);
            for s in steps {
                let asks = matches!(s, Step::Ensure(_));
                if depth > 0 {
                    cost.in_loops += 1 << (3 * depth.min(10));
                }
                cost.asks += u64::from(asks);
            }
        }
    }
    Some(cost)
}

/// How many loops are around a place.
fn depth(ctx: &Context, function: Op, place: CopyPoint) -> u32 {
    let mut at = match place {
        CopyPoint::Before(op) | CopyPoint::After(op) => op.parent(ctx),
        CopyPoint::Start(block) | CopyPoint::End(block) => block.parent_op(ctx),
        CopyPoint::Else(op) => Some(op),
    };
    let mut depth = 0;
    while let Some(op) = at.filter(|o| *o != function) {
        let is_loop = op.isa::<scf::ForOp>(ctx)
            || op.isa::<scf::WhileOp>(ctx)
            || op.isa::<affine::ForOp>(ctx);
        depth += u32::from(is_loop);
        at = op.parent(ctx);
    }
    depth
}
