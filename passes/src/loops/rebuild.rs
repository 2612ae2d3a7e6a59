//! A band built anew: the loops that scan its points, with its body in them.

use super::frame::Frame;
use super::nest::{Band, open};
use super::scan::{Scan, Unscannable};
use super::substitute::substitute;
use super::{Refusal, names};
use terrace_dialects::affine::{ForOp, IfOp, compose::compose_set};
use terrace_ir::affine::{AffineExpr, Constraint, IntegerSet};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// One of the new loops.
pub(crate) struct NewLoop {
    /// Its place among the first dimensions of the frame.
    pub variable: usize,
    /// The old loop that it is named after, and what its name gets besides.
    pub origin: ForOp,
    pub suffix: &'static str,
    pub step: i64,
}

/// What is to stand in place of a band.
pub(crate) struct Rebuild<'a> {
    pub band: &'a Band,
    pub frame: &'a Frame,
    /// From the outside in, as the levels of the scan.
    pub loops: Vec<NewLoop>,
    /// The old variables in terms of the new ones.
    pub values: Vec<AffineExpr>,
    pub scan: Scan,
}

impl Rebuild<'_> {
    /// Put the new loops in place of the band. Gives them from the outside in.
    pub(crate) fn build(self, ctx: &mut Context) -> Vec<ForOp> {
        self.band.hoist(ctx);
        let outermost = self.band.outermost();
        let inits = outermost.inits(ctx);
        // By their places in the frame; what stands there as long as there is none.
        let mut ivs = self.frame.operands();
        ivs.truncate(self.loops.len());
        let mut loops: Vec<ForOp> = Vec::new();
        let mut b = Builder::before(ctx, outermost.op());
        for (new, level) in self.loops.iter().zip(self.scan.levels) {
            let lower = self.frame.map(b.ctx, level.lower, &ivs);
            let upper = self.frame.map(b.ctx, level.upper, &ivs);
            let carried = loops.last().map_or(inits.clone(), |l| l.iter_args(b.ctx));
            b.loc = new.origin.op().loc(b.ctx);
            let l = open(&mut b, lower, upper, new.step, &carried);
            if new.suffix.is_empty() {
                names::copy(b.ctx, new.origin, l);
            } else {
                names::derive(b.ctx, new.origin, l, new.suffix);
            }
            if let Some(outer) = loops.last()
                && let Some(end) = outer.body(b.ctx).last_op(b.ctx)
            {
                let results = l.op().results(b.ctx);
                end.set_operands(b.ctx, &results);
            }
            ivs[new.variable] = l.iv(b.ctx);
            loops.push(l);
        }
        let ctx = b.ctx;
        let innermost = loops[loops.len() - 1];
        fill(
            ctx,
            self.band,
            self.frame,
            self.scan.guards,
            innermost,
            &ivs,
        );
        for (old, value) in self.band.ivs(ctx).into_iter().zip(self.values) {
            if let AffineExpr::Dim(k) = value {
                old.replace_all_uses(ctx, ivs[k as usize]);
            } else {
                let map = self.frame.map(ctx, vec![value], &ivs);
                let at = InsertPoint::Start(innermost.body(ctx));
                let loc = innermost.op().loc(ctx);
                substitute(ctx, old, &map, at, loc);
            }
        }
        let results = loops[0].op().results(ctx);
        outermost.op().replace(ctx, &results);
        loops
    }
}

/// Move the body of a band into the innermost of its new loops, under the guards.
fn fill(
    ctx: &mut Context,
    band: &Band,
    frame: &Frame,
    guards: Vec<AffineExpr>,
    innermost: ForOp,
    ivs: &[Value],
) {
    let carried = innermost.iter_args(ctx);
    let Some(end) = innermost.body(ctx).last_op(ctx) else {
        return;
    };
    if guards.is_empty() {
        let yielded = band.move_body(ctx, end, &carried);
        end.set_operands(ctx, &yielded);
        return;
    }
    let map = frame.map(ctx, guards, ivs);
    let constraints = map.map.results().iter();
    let constraints = constraints
        .map(|e| Constraint {
            expr: e.clone(),
            is_eq: false,
        })
        .collect();
    let set = IntegerSet::new(map.map.num_dims(), map.map.num_symbols(), constraints);
    let (set, operands) = compose_set(ctx, &set, &map.operands);
    let types: Vec<_> = carried.iter().map(|v| v.ty(ctx)).collect();
    let mut b = Builder::before(ctx, end);
    let unchanged = carried.clone();
    let mut otherwise = move |_: &mut Builder| unchanged.clone();
    let guard = IfOp::build(
        &mut b,
        set,
        &operands,
        &types,
        |_| carried.clone(),
        (!carried.is_empty()).then_some(&mut otherwise),
    );
    let ctx = b.ctx;
    if let Some(inner_end) = guard.then_block(ctx).last_op(ctx) {
        let yielded = band.move_body(ctx, inner_end, &carried);
        inner_end.set_operands(ctx, &yielded);
    }
    let results = guard.op().results(ctx);
    end.set_operands(ctx, &results);
}

/// Why there are no loops over the points of `loops`, of which the first dimensions of
/// the frame are the variables.
pub(crate) fn refuse(ctx: &Context, loops: &[ForOp], why: Unscannable) -> Refusal {
    let (at, m) = match why {
        Unscannable::Flatten(e) => (0, format!("a bound is not affine: {e}")),
        Unscannable::TooMany => (
            0,
            "the bounds in the new order are too many to be of use".to_string(),
        ),
        Unscannable::Unbounded(k) => {
            let k = k % loops.len();
            let m = format!(
                "the bounds of {} cannot be solved for the new order: they are not affine in the loops of the band",
                names::describe(ctx, loops[k])
            );
            (k, m)
        }
    };
    Refusal::new(loops[at].op().loc(ctx), m)
}
