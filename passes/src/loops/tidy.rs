//! Bounds that other bounds and the loops around make superfluous.

use super::domain::{Bounds, known_around};
use super::frame::Frame;
use super::inequalities::Inequalities;
use terrace_dialects::affine::ForOp;
use terrace_ir::Context;
use terrace_ir::affine::AffineExpr;

/// A loop's bounds with what is known around it, each as an expression that is not
/// negative in the body.
struct Inside {
    frame: Frame,
    lower: Vec<AffineExpr>,
    upper: Vec<AffineExpr>,
    linear: Inequalities,
}

impl Inside {
    /// The rows are the lower bounds, the upper bounds, and what is known.
    fn of(ctx: &Context, l: ForOp) -> Inside {
        let mut frame = Frame::new(&[l.iv(ctx)]);
        let mut bounds = Bounds::of(ctx, &mut frame, &[l]);
        let (lower, upper) = (bounds.lower.remove(0), bounds.upper.remove(0));
        let mut rows: Vec<AffineExpr> = Vec::new();
        rows.extend(lower.iter().map(|e| AffineExpr::dim(0) - e.clone()));
        rows.extend(upper.iter().map(|e| e.clone() - AffineExpr::dim(0) - 1));
        rows.extend(known_around(ctx, &mut frame, l));
        let linear = Inequalities::of(&frame, &rows);
        Inside {
            frame,
            lower,
            upper,
            linear,
        }
    }
}

/// Drop lower bounds that are never the greatest and upper ones that are never the
/// least, as far as that can be shown.
fn tidy(ctx: &Context, l: ForOp) {
    let i = Inside::of(ctx, l);
    let (n, m) = (i.lower.len(), i.upper.len());
    let mut keep = vec![true; n + m];
    // Later ones first: what was there first has the simpler form.
    for k in (0..n + m).rev() {
        let lower = k < n;
        let side = if lower { 0..n } else { n..n + m };
        let others = side.clone().filter(|j| *j != k && keep[*j]).count();
        // The start of a loop with a step must be the same number, not only stand for
        // the same iterations.
        let given = |j: usize| j != k && (j >= n + m || (keep[j] && (!lower || side.contains(&j))));
        if others > 0 && i.linear.follows(k, given) {
            keep[k] = false;
        }
    }
    let kept = |list: &[AffineExpr], from: usize| -> Vec<AffineExpr> {
        let all = list.iter().enumerate();
        all.filter(|(j, _)| keep[from + j])
            .map(|(_, e)| e.clone())
            .collect()
    };
    let (lower, upper) = (kept(&i.lower, 0), kept(&i.upper, n));
    if lower.len() < n {
        let lower = i.frame.map(ctx, lower, &[]);
        l.set_lower(ctx, lower.map, &lower.operands);
    }
    if upper.len() < m {
        let upper = i.frame.map(ctx, upper, &[]);
        l.set_upper(ctx, upper.map, &upper.operands);
    }
}

/// Constant bounds as one number; bounds that never count left out.
pub(crate) fn simplify(ctx: &Context, l: ForOp) {
    tidy(ctx, l);
    if let Some(c) = l.lower_map(ctx).constant_results()
        && let Some(c) = c.into_iter().max()
    {
        l.set_constant_lower(ctx, c);
    }
    if let Some(c) = l.upper_map(ctx).constant_results()
        && let Some(c) = c.into_iter().min()
    {
        l.set_constant_upper(ctx, c);
    }
}
