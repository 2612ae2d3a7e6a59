//! Simplification that uses what is known of the inputs: ranges and divisors,
//! such as those of a loop's induction variable.
//!
//! The rules are those by which MLIR's affine ops canonicalise
//! (`simplifyExprAndOperands` and `simplifyMinOrMaxExprWithOperands` in
//! `AffineOps.cpp`), with bounds and divisors of any subexpression, not of
//! single inputs only.

use super::bounds::{Range, expr_bounds};
use super::expr::{AffineExpr, AffineOp};
use super::map::AffineMap;
use super::query::{apply, divisor_of};

/// What is known of a dimension or symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputFacts {
    /// Bounds of its value.
    pub range: Range,
    /// Every value is a multiple of it; 1 if nothing is known.
    pub divisor: i64,
}

impl Default for InputFacts {
    fn default() -> Self {
        InputFacts {
            range: Range::unbounded(),
            divisor: 1,
        }
    }
}

/// The facts of all inputs.
struct Facts<'a> {
    dims: &'a [InputFacts],
    symbols: &'a [InputFacts],
    dim_ranges: Vec<Range>,
    symbol_ranges: Vec<Range>,
}

impl<'a> Facts<'a> {
    fn new(dims: &'a [InputFacts], symbols: &'a [InputFacts]) -> Self {
        Facts {
            dims,
            symbols,
            dim_ranges: dims.iter().map(|facts| facts.range).collect(),
            symbol_ranges: symbols.iter().map(|facts| facts.range).collect(),
        }
    }

    fn bounds(&self, expr: &AffineExpr) -> Range {
        expr_bounds(expr, &self.dim_ranges, &self.symbol_ranges)
    }

    fn divisor(&self, expr: &AffineExpr) -> i64 {
        let input = |facts: &[InputFacts], position: u32| {
            facts
                .get(position as usize)
                .map_or(1, |facts| facts.divisor.saturating_abs())
        };
        let (divisor, _) = expr.fold(
            |leaf| match leaf {
                AffineExpr::Dim(position) => (input(self.dims, *position), None),
                AffineExpr::Symbol(position) => (input(self.symbols, *position), None),
                other => (other.largest_known_divisor(), other.as_constant()),
            },
            |_, op, (left, _), (right, value)| (divisor_of(op, left, right, value), None),
        );
        divisor
    }

    /// `e` as `first + rest` where `first` is a multiple of `k` and `rest` in
    /// `0..k`: the parts and `k`.
    fn split<'e>(&self, e: &'e AffineExpr) -> Option<(&'e AffineExpr, &'e AffineExpr, i64)> {
        let (lhs, rhs) = e.as_op(AffineOp::Add)?;
        [(lhs, rhs), (rhs, lhs)]
            .into_iter()
            .find_map(|(first, rest)| {
                let k = self.divisor(first);
                let bounds = self.bounds(rest);
                (k > 0 && bounds.lo? >= 0 && bounds.hi? < k).then_some((first, rest, k))
            })
    }

    /// A simpler form of `lhs op by`, a division or remainder.
    fn divide(&self, op: AffineOp, lhs: &AffineExpr, by: i64) -> Option<AffineExpr> {
        let bounds = self.bounds(lhs);
        if let (Some(lo), Some(hi)) = (bounds.lo, bounds.hi) {
            if op == AffineOp::Mod {
                if lo >= 0 && hi < by {
                    return Some(lhs.clone());
                }
            } else {
                let quotient = apply(op, lo, by)?;
                if Some(quotient) == apply(op, hi, by) {
                    return Some(AffineExpr::Constant(quotient));
                }
            }
        }
        if op == AffineOp::Mod && self.divisor(lhs) % by == 0 {
            return Some(AffineExpr::Constant(0));
        }
        let (first, rest, k) = self.split(lhs)?;
        match op {
            AffineOp::FloorDiv if by % k == 0 => Some(first.clone().floor_div(by)),
            AffineOp::Mod if k % by == 0 => {
                let rest = rest.clone();
                Some(
                    self.divide(op, &rest, by)
                        .unwrap_or_else(|| rest.modulo(by)),
                )
            }
            _ => None,
        }
    }
}

/// Simplifies divisions and remainders by constants, given facts about the
/// inputs; inputs beyond the end of the slices have none. The value is the same
/// for all inputs of which the facts hold.
pub fn simplify_with_facts(
    expr: &AffineExpr,
    dims: &[InputFacts],
    symbols: &[InputFacts],
) -> AffineExpr {
    if !expr.within_limits() {
        return expr.clone();
    }
    let facts = Facts::new(dims, symbols);
    expr.fold(AffineExpr::clone, |_, op, lhs, rhs| {
        let built = AffineExpr::binary(op, lhs, rhs);
        match built.as_binary() {
            Some((
                op @ (AffineOp::Mod | AffineOp::FloorDiv | AffineOp::CeilDiv),
                lhs,
                AffineExpr::Constant(by),
            )) if *by > 0 => facts.divide(op, lhs, *by).unwrap_or_else(|| built.clone()),
            _ => built,
        }
    })
}

/// The map, whose minimum (or maximum) of results is what matters, without
/// results that another one is never above (below). Results with one possible
/// value become constants.
pub fn prune_min_max(
    map: &AffineMap,
    dims: &[InputFacts],
    symbols: &[InputFacts],
    is_max: bool,
) -> AffineMap {
    let facts = Facts::new(dims, symbols);
    let bounds: Vec<Range> = map
        .results()
        .iter()
        .map(|result| facts.bounds(result))
        .collect();
    // Inputs that have no value at all: every result is as good as any other, and
    // one has to stay.
    if bounds
        .iter()
        .any(|b| matches!((b.lo, b.hi), (Some(lo), Some(hi)) if lo > hi))
    {
        return map.clone();
    }
    // Whether result `i` is at least as good as `j` everywhere; of two that
    // are always equal the first stays.
    let supersedes = |i: usize, j: usize| {
        let (Some(a), Some(b)) = (bounds.get(i), bounds.get(j)) else {
            return false;
        };
        let (worst, best, back) = if is_max {
            (a.lo, b.hi, b.lo)
        } else {
            (a.hi, b.lo, b.hi)
        };
        let forth = if is_max { a.hi } else { a.lo };
        let (Some(worst), Some(best)) = (worst, best) else {
            return false;
        };
        if worst == best {
            let equal = forth == Some(worst) && back == Some(best);
            return !equal || i < j;
        }
        (worst > best) == is_max
    };
    let results =
        map.results()
            .iter()
            .zip(&bounds)
            .enumerate()
            .filter_map(|(j, (result, range))| {
                if (0..bounds.len()).any(|i| i != j && supersedes(i, j)) {
                    return None;
                }
                match (range.lo, range.hi) {
                    (Some(lo), Some(hi)) if lo == hi => Some(AffineExpr::Constant(lo)),
                    _ => Some(result.clone()),
                }
            });
    AffineMap::new(map.num_dims(), map.num_symbols(), results.collect())
}
