//! The first or last iterations of a loop apart from the others.
//!
//! ```text
//! affine.for %i = 0 to %n {         affine.for %i = 0 to min(%n, 1) {
//!   body(%i)                   =>     body(%i)
//! }                                 }
//!                                   affine.for %i = 1 to %n {
//!                                     body(%i)
//!                                   }
//! ```
//!
//! The order of the iterations stays as it is, so that this is always legal. The loop
//! over the iterations taken off gets the suffix `_peeled`, the other keeps its name.

use super::domain::{Bounds, steps};
use super::frame::Frame;
use super::split::cut;
use super::{Refusal, names};
use crate::analysis::bounds::{constant_trip_count, trip_count_divisor};
use terrace_dialects::affine::ForOp;
use terrace_ir::affine::AffineExpr;
use terrace_ir::{Context, OpKind};

/// A loop in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peeled {
    /// The loop that keeps the name.
    pub rest: ForOp,
    /// The iterations taken off.
    pub peeled: ForOp,
}

/// Take off the first `n` iterations.
///
/// # Errors
///
/// Where nothing would be peeled or nothing left, and where the loop starts at a
/// maximum.
pub fn peel_front(ctx: &mut Context, l: ForOp, n: u64) -> Result<Peeled, Refusal> {
    let p = Peel::new(ctx, l, n, "first", false)?;
    let span = p.span(ctx, n)?;
    let at = p.start.clone() + span;
    let start = vec![at.clone()];
    let (peeled, rest) = cut(ctx, l, &p.frame, at, start);
    names::rename(ctx, peeled, "_peeled");
    Ok(Peeled { rest, peeled })
}

/// Take off the last `n` iterations.
///
/// # Errors
///
/// Where nothing would be peeled or nothing left, and where the loop starts at a
/// maximum or ends at a minimum.
pub fn peel_back(ctx: &mut Context, l: ForOp, n: u64) -> Result<Peeled, Refusal> {
    let p = Peel::new(ctx, l, n, "last", true)?;
    let span = p.span(ctx, n)?;
    let at = match p.step {
        1 => p.end.clone() - span,
        _ => p.start.clone() + p.trips() * p.step - span,
    };
    Ok(p.peel_from(ctx, at))
}

/// Take off the last iterations that make up no `factor`; `None`, with nothing
/// changed, where it is known that there are none.
///
/// # Errors
///
/// Where the factor is 0 or nothing would be left, and where the loop starts at a
/// maximum or ends at a minimum.
pub fn peel_remainder(ctx: &mut Context, l: ForOp, factor: u64) -> Result<Option<Peeled>, Refusal> {
    if factor > 0 && trip_count_divisor(ctx, l).is_multiple_of(factor) {
        return Ok(None);
    }
    let p = Peel::new(ctx, l, factor, "last", true)?;
    p.span(ctx, factor)?;
    let factor = i64::try_from(factor).unwrap_or(i64::MAX);
    let whole = p.trips().floor_div(factor) * factor;
    let at = p.start.clone() + whole * p.step;
    Ok(Some(p.peel_from(ctx, at)))
}

/// A loop whose first iteration, and last where asked, is an affine function.
struct Peel {
    l: ForOp,
    frame: Frame,
    start: AffineExpr,
    end: AffineExpr,
    step: i64,
}

impl Peel {
    fn new(ctx: &Context, l: ForOp, n: u64, which: &str, to_end: bool) -> Result<Peel, Refusal> {
        let at = l.op().loc(ctx);
        let name = names::describe(ctx, l);
        if n == 0 {
            let m = format!("0 iterations of {name} are none to peel, expected at least 1");
            return Err(Refusal::new(at, m));
        }
        let step = steps(ctx, &[l])?[0];
        if let Some(trips) = constant_trip_count(ctx, l).filter(|t| *t <= n) {
            let m = format!(
                "{name} has {trips} iterations, so that nothing would be left without the {which} {n}"
            );
            return Err(Refusal::new(at, m));
        }
        let mut frame = Frame::new(&[l.iv(ctx)]);
        let bounds = Bounds::of(ctx, &mut frame, &[l]);
        let [start] = &bounds.lower[0][..] else {
            let m =
                format!("{name} starts at a maximum, so that its {which} iterations are not known");
            return Err(Refusal::new(at, m));
        };
        let ends = &bounds.upper[0];
        if to_end && ends.len() != 1 {
            let m =
                format!("{name} ends at a minimum, so that its {which} iterations are not known");
            return Err(Refusal::new(at, m));
        }
        Ok(Peel {
            l,
            frame,
            start: start.clone(),
            end: ends[0].clone(),
            step,
        })
    }

    /// By how much the variable grows in `n` iterations.
    fn span(&self, ctx: &Context, n: u64) -> Result<i64, Refusal> {
        let span = i64::try_from(n).ok().and_then(|n| n.checked_mul(self.step));
        span.ok_or_else(|| {
            let m = format!(
                "{n} iterations with a step of {} do not fit in 64 bits",
                self.step
            );
            Refusal::new(self.l.op().loc(ctx), m)
        })
    }

    /// The number of iterations; not positive where there are none.
    fn trips(&self) -> AffineExpr {
        (self.end.clone() - self.start.clone()).ceil_div(self.step)
    }

    fn peel_from(self, ctx: &mut Context, at: AffineExpr) -> Peeled {
        let start = vec![self.start, at.clone()];
        let (rest, peeled) = cut(ctx, self.l, &self.frame, at, start);
        names::rename(ctx, peeled, "_peeled");
        Peeled { rest, peeled }
    }
}
