//! The loops of a band in another order, also where bounds depend on loops of the
//! band.
//!
//! ```text
//! affine.for %i = 0 to %n {               affine.for %j = 0 to %n {
//!   affine.for %j = 0 to %i + 1 {    =>     affine.for %i = %j to %n {
//!     body(%i, %j)                            body(%i, %j)
//! ```
//!
//! The iterations are the same ones, in the lexicographic order of the variables as
//! they are nested now. A loop with a step counts on from its lower bound where that
//! may stay as it is; elsewhere it comes to count its iterations from 0.

use super::domain::{Bounds, depends_on, dim, known_around, steps, unavailable};
use super::frame::Frame;
use super::nest::Band;
use super::rebuild::{NewLoop, Rebuild, refuse};
use super::scan::{Condition, Points, Scan, scan};
use super::{Refusal, names};
use terrace_dialects::affine::ForOp;
use terrace_ir::affine::{AffineExpr, Flattener};
use terrace_ir::{Context, OpKind};

/// Put the loops of a perfect band into another order: `order` lists them from the
/// outside in, by their places in `band`. Gives the new loops from the outside in.
///
/// # Errors
///
/// Where the loops are no perfect band, `order` is none of all of them, or bounds are
/// not affine enough to be solved for another variable.
pub fn permute(ctx: &mut Context, band: &[ForOp], order: &[usize]) -> Result<Vec<ForOp>, Refusal> {
    let checked = Band::new(ctx, band)?;
    check_order(ctx, band, order)?;
    let nest = NewLoops::new(ctx, &checked, order)?;
    let new = |k: &usize| NewLoop {
        variable: *k,
        origin: band[*k],
        suffix: "",
        step: nest.steps[*k],
    };
    let loops = order.iter().map(new).collect();
    let rebuild = Rebuild {
        band: &checked,
        frame: &nest.frame,
        loops,
        values: nest.values,
        scan: nest.scan,
    };
    Ok(rebuild.build(ctx))
}

fn check_order(ctx: &Context, band: &[ForOp], order: &[usize]) -> Result<(), Refusal> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted.iter().copied().eq(0..band.len()) {
        return Ok(());
    }
    let m = format!(
        "the order {order:?} is none of {} loops: it must name each of 0 to {} once",
        band.len(),
        band.len().saturating_sub(1)
    );
    Err(Refusal::new(band[0].op().loc(ctx), m))
}

/// What the new loops will be.
struct NewLoops {
    frame: Frame,
    /// The values of the old variables in terms of the new ones.
    values: Vec<AffineExpr>,
    steps: Vec<i64>,
    scan: Scan,
}

impl NewLoops {
    fn new(ctx: &Context, band: &Band, order: &[usize]) -> Result<NewLoops, Refusal> {
        let loops = &band.loops;
        let n = loops.len();
        let mut steps = steps(ctx, loops)?;
        let mut frame = Frame::new(&band.ivs(ctx));
        let bounds = Bounds::of(ctx, &mut frame, loops);
        if let Some(v) = unavailable(&frame, n, |v| band.is_available(ctx, v)) {
            let m = "a bound is computed inside the loops to be reordered from what is not affine";
            return Err(Refusal::new(v.loc(ctx), m));
        }
        let known = known_around(ctx, &mut frame, band.outermost());

        let mut values: Vec<AffineExpr> = (0..n).map(dim).collect();
        let mut conditions = Vec::new();
        let mut fixed = vec![false; n];
        for k in 0..n {
            let put_in = |e: &AffineExpr| e.replace_dims(&values);
            let lower: Vec<AffineExpr> = bounds.lower[k].iter().map(put_in).collect();
            let upper: Vec<AffineExpr> = bounds.upper[k].iter().map(put_in).collect();
            let counts = steps[k] != 1 && !keeps_start(&frame, &bounds, order, k);
            if !counts {
                fixed[k] = steps[k] != 1;
                conditions.extend(lower.into_iter().map(|e| Condition::lower(k, e)));
                conditions.extend(upper.into_iter().map(|e| Condition::upper(k, e)));
                continue;
            }
            let [start] = &lower[..] else {
                let m = format!(
                    "{} has a step of {} and starts at a maximum, so that its iterations cannot be counted inside another loop; a step of 1 can",
                    names::describe(ctx, loops[k]),
                    steps[k]
                );
                return Err(Refusal::new(loops[k].op().loc(ctx), m));
            };
            conditions.push(Condition::lower(k, AffineExpr::constant(0)));
            for e in upper {
                let trips = (e - start.clone()).ceil_div(steps[k]);
                conditions.push(Condition::upper(k, trips));
            }
            let value = start.clone() + dim(k) * steps[k];
            values[k] = value;
            steps[k] = 1;
        }
        let points = Points {
            frame: &frame,
            variables: n,
            conditions,
            known,
            fixed,
        };
        let scan = scan(&points, order).map_err(|e| refuse(ctx, loops, e))?;
        Ok(NewLoops {
            frame,
            values,
            steps,
            scan,
        })
    }
}

/// Whether loop `k` may count from where it does in the new order: its lower bounds
/// depend on loops outside of it, and no other bound becomes a lower bound of it.
fn keeps_start(frame: &Frame, bounds: &Bounds, order: &[usize], k: usize) -> bool {
    let n = order.len();
    let place = |v: usize| order.iter().position(|o| *o == v);
    let outside = |e: &AffineExpr, of: usize| {
        (0..n).all(|v| v == of || !depends_on(e, v) || place(v) < place(of))
    };
    if !bounds.lower[k].iter().all(|e| outside(e, k)) {
        return false;
    }
    let rises_with = |e: AffineExpr, sign: i64| {
        let mut f = Flattener::new(frame.num_dims(), frame.num_symbols());
        match f.flatten(&e) {
            Ok(row) => row.coefficient(k).signum() == sign || !f.locals().is_empty(),
            Err(_) => true,
        }
    };
    (0..n).filter(|m| *m != k).all(|m| {
        let moved = |e: &&AffineExpr| depends_on(e, k) && place(m) < place(k) && outside(e, k);
        // m >= e bounds k from below where e falls as k rises; m < e where it rises.
        let lower = bounds.lower[m].iter().filter(moved);
        let upper = bounds.upper[m].iter().filter(moved);
        let (mut lower, mut upper) = (lower, upper);
        !lower.any(|e| rises_with(e.clone(), -1)) && !upper.any(|e| rises_with(e.clone(), 1))
    })
}
