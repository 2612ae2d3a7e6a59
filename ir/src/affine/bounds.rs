//! Interval arithmetic on expressions.

use super::expr::{AffineExpr, AffineOp};
use super::flatten::flatten;
use super::query::apply;

/// The integers from `lo` to `hi`, both included; `None` where nothing is
/// known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Least value; `None` if unknown.
    pub lo: Option<i64>,
    /// Greatest value, included; `None` if unknown.
    pub hi: Option<i64>,
}

impl Range {
    /// A range of bounds that are both included; `None` for an unknown one.
    pub fn new(lo: impl Into<Option<i64>>, hi: impl Into<Option<i64>>) -> Self {
        Range {
            lo: lo.into(),
            hi: hi.into(),
        }
    }

    /// The range of one value.
    pub fn exactly(value: i64) -> Self {
        Range {
            lo: Some(value),
            hi: Some(value),
        }
    }

    /// Nothing known.
    pub fn unbounded() -> Self {
        Range::default()
    }

    fn scaled(self, by: i64) -> Self {
        let times = |bound: Option<i64>| bound.and_then(|bound| bound.checked_mul(by));
        match by {
            0 => Range::exactly(0),
            1.. => Range {
                lo: times(self.lo),
                hi: times(self.hi),
            },
            _ => Range {
                lo: times(self.hi),
                hi: times(self.lo),
            },
        }
    }

    fn plus(self, other: Range) -> Self {
        let add = |a: Option<i64>, b: Option<i64>| a?.checked_add(b?);
        Range {
            lo: add(self.lo, other.lo),
            hi: add(self.hi, other.hi),
        }
    }

    fn single(self) -> Option<i64> {
        if self.lo == self.hi { self.lo } else { None }
    }

    fn intersect(self, other: Range) -> Self {
        let both = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        Range {
            lo: both(self.lo, other.lo, i64::max),
            hi: both(self.hi, other.hi, i64::min),
        }
    }
}

/// Bounds of the value of `expr` for dimensions and symbols in the given
/// ranges; an input without a range can be anything. Valid wherever the
/// expression has a value (in particular, where a remainder is taken the
/// divisor is positive). An empty range of an input gives no meaningful
/// bounds.
pub fn expr_bounds(expr: &AffineExpr, dims: &[Range], symbols: &[Range]) -> Range {
    let input = |ranges: &[Range], position: u32| {
        ranges.get(position as usize).copied().unwrap_or_default()
    };
    let tree = expr.fold(
        |leaf| match leaf {
            AffineExpr::Dim(position) => input(dims, *position),
            AffineExpr::Symbol(position) => input(symbols, *position),
            AffineExpr::Constant(value) => Range::exactly(*value),
            AffineExpr::Binary(_) => Range::unbounded(),
        },
        |_, op, lhs, rhs| combine(op, lhs, rhs),
    );
    tree.intersect(linear_bounds(expr, dims, symbols))
}

/// Bounds from the linear form, which unlike the tree has each input once, so
/// that `d0 * 2 - d0` gets those of `d0`.
fn linear_bounds(expr: &AffineExpr, dims: &[Range], symbols: &[Range]) -> Range {
    let (Ok(num_dims), Ok(num_symbols)) = (u32::try_from(dims.len()), u32::try_from(symbols.len()))
    else {
        return Range::unbounded();
    };
    if !matches!(expr, AffineExpr::Binary(_)) {
        return Range::unbounded();
    }
    let Ok(form) = flatten(expr, num_dims, num_symbols) else {
        return Range::unbounded();
    };
    if !form.is_linear() {
        return Range::unbounded();
    }
    dims.iter()
        .chain(symbols)
        .zip(&form.row.coefficients)
        .filter(|(_, coefficient)| **coefficient != 0)
        .fold(
            Range::exactly(form.row.constant),
            |sum, (range, coefficient)| sum.plus(range.scaled(*coefficient)),
        )
}

fn combine(op: AffineOp, lhs: Range, rhs: Range) -> Range {
    match op {
        AffineOp::Add => lhs.plus(rhs),
        AffineOp::Mul => product(lhs, rhs),
        AffineOp::Mod => remainder(lhs, rhs),
        AffineOp::FloorDiv | AffineOp::CeilDiv => quotient(op, lhs, rhs),
    }
}

fn product(lhs: Range, rhs: Range) -> Range {
    if let Some(by) = rhs.single() {
        return lhs.scaled(by);
    }
    if let Some(by) = lhs.single() {
        return rhs.scaled(by);
    }
    if let Range {
        lo: Some(a),
        hi: Some(b),
    } = lhs
        && let Range {
            lo: Some(c),
            hi: Some(d),
        } = rhs
    {
        let corners = [(a, c), (a, d), (b, c), (b, d)];
        let products: Option<Vec<i64>> = corners.iter().map(|(x, y)| x.checked_mul(*y)).collect();
        return match products {
            Some(products) => Range {
                lo: products.iter().copied().min(),
                hi: products.iter().copied().max(),
            },
            None => Range::unbounded(),
        };
    }
    match (lhs.lo, rhs.lo) {
        (Some(a), Some(c)) if a >= 0 && c >= 0 => Range {
            lo: a.checked_mul(c),
            hi: None,
        },
        _ => Range::unbounded(),
    }
}

/// `lhs mod rhs`, for the positive values of `rhs`.
fn remainder(lhs: Range, rhs: Range) -> Range {
    if let (Some(by), Some(lo), Some(hi)) = (rhs.single(), lhs.lo, lhs.hi)
        && by > 0
        && lo.div_euclid(by) == hi.div_euclid(by)
    {
        return Range::new(lo.rem_euclid(by), hi.rem_euclid(by));
    }
    let below_divisor = Range {
        lo: Some(0),
        hi: rhs.hi.map(|by| by.saturating_sub(1).max(0)),
    };
    match lhs.lo {
        // A dividend that is not negative is not less than its remainder.
        Some(0..) => below_divisor.intersect(Range {
            lo: None,
            hi: lhs.hi,
        }),
        _ => below_divisor,
    }
}

/// `lhs / rhs`, for a divisor that is one constant or is positive.
fn quotient(op: AffineOp, lhs: Range, rhs: Range) -> Range {
    let divide = |value: Option<i64>, by: i64| value.and_then(|value| apply(op, value, by));
    if let Some(by) = rhs.single() {
        return match by {
            0 => Range::unbounded(),
            1.. => Range {
                lo: divide(lhs.lo, by),
                hi: divide(lhs.hi, by),
            },
            _ => Range {
                lo: divide(lhs.hi, by),
                hi: divide(lhs.lo, by),
            },
        };
    }
    let Some(least @ 1..) = rhs.lo else {
        return Range::unbounded();
    };
    // The quotient moves towards 0 as the divisor grows, so one end of the
    // range of the divisor gives each bound. An endless range ends, for a
    // dividend that is not 0, at -1, 0 or 1.
    let far = |value: i64| match rhs.hi {
        Some(most) => apply(op, value, most),
        None => apply(op, value.signum(), 2),
    };
    Range {
        lo: lhs.lo.and_then(|lo| {
            if lo >= 0 {
                far(lo)
            } else {
                apply(op, lo, least)
            }
        }),
        hi: lhs.hi.and_then(|hi| {
            if hi >= 0 {
                apply(op, hi, least)
            } else {
                far(hi)
            }
        }),
    }
}
