//! Bounds of some dimensions in terms of all others, as loops print them: a dimension
//! that is an expression of others is one iteration, any other has its lower and upper
//! bounds, or constant ones where these are several.

use super::System;
use super::bounds::count;
use super::expr::sum;
use super::{Row, eliminate::gcd};
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};

/// Lower (inclusive) and upper (exclusive) bound of a sliced loop; `None` where none
/// was found, which means that the loop keeps its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SliceBound {
    pub lower: Option<AffineMap>,
    pub upper: Option<AffineMap>,
}

impl SliceBound {
    /// The bounds of a loop that is not sliced.
    pub const WHOLE: SliceBound = SliceBound {
        lower: None,
        upper: None,
    };

    /// Both bounds, where both are there and have results.
    pub fn both(&self) -> Option<(&AffineMap, &AffineMap)> {
        let some = |m: &'_ Option<AffineMap>| m.as_ref().is_some_and(|m| m.num_results() > 0);
        (some(&self.lower) && some(&self.upper))
            .then_some((self.lower.as_ref()?, self.upper.as_ref()?))
    }

    /// The one value that the loop takes, if upper is lower plus one.
    pub fn single(&self) -> Option<&AffineExpr> {
        let (lower, upper) = self.both()?;
        let ([l], [u]) = (lower.results(), upper.results()) else {
            return None;
        };
        (l.clone() + 1 == *u).then_some(l)
    }
}

type Known = Vec<Option<AffineExpr>>;

impl System {
    /// The bounds of the `num` dimensions from `offset` on. The maps have the other
    /// dimensions and the symbols as inputs. `None` for an unknown system.
    pub fn slice_bounds(&mut self, offset: usize, num: usize) -> Option<Vec<SliceBound>> {
        if self.overflow {
            return None;
        }
        self.normalize_all();
        let known = self.solve(offset, num);
        let (dims, symbols) = (self.dims - num, self.num_symbols());
        let map = |e: AffineExpr| AffineMap::new(count(dims), count(symbols), vec![e]);
        let mut lean: Option<System> = None;
        let mut bounds = Vec::new();
        for pos in 0..num {
            if let Some(e) = &known[offset + pos] {
                let e = simplify_affine_expr(e, count(dims), count(symbols));
                bounds.push(SliceBound {
                    lower: Some(map(e.clone())),
                    upper: Some(map(e + 1)),
                });
                continue;
            }
            let mut bound = SliceBound::default();
            if self.locals == 0 {
                let lean = lean.get_or_insert_with(|| {
                    let mut s = self.clone();
                    s.remove_redundant_inequalities();
                    s
                });
                if let Some((lower, upper)) = lean.lower_and_upper(pos, offset, num, dims) {
                    bound.lower = Some(lower);
                    bound.upper = Some(upper);
                }
            }
            // Several bounds are a maximum or minimum, whose difference would be no
            // constant.
            let several = |m: &Option<AffineMap>| m.as_ref().is_none_or(|m| m.num_results() > 1);
            if several(&bound.lower) || several(&bound.upper) {
                let (lower, upper) = self.constant_bounds(offset + pos);
                if let (true, Some(c)) = (several(&bound.lower), lower) {
                    bound.lower = Some(map(AffineExpr::constant(c)));
                }
                if let (true, Some(c)) =
                    (several(&bound.upper), upper.and_then(|c| c.checked_add(1)))
                {
                    bound.upper = Some(map(AffineExpr::constant(c)));
                }
            }
            bounds.push(bound);
        }
        Some(bounds)
    }

    /// Each column as an expression of those outside the sliced dimensions, as far as it
    /// is one.
    fn solve(&self, offset: usize, num: usize) -> Known {
        let sliced = offset..offset + num;
        let mut known: Known = (0..self.num_columns())
            .map(|c| match c {
                c if sliced.contains(&c) => None,
                c if c < offset => Some(AffineExpr::dim(count(c))),
                c if c < self.dims => Some(AffineExpr::dim(count(c - num))),
                c if c < self.num_inputs() => Some(AffineExpr::symbol(count(c - self.dims))),
                _ => None,
            })
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for c in 0..self.num_columns() {
                if known[c].is_none() {
                    changed |= self.solve_column(c, offset, num, &mut known);
                }
            }
        }
        known
    }

    fn solve_column(&self, column: usize, offset: usize, num: usize, known: &mut Known) -> bool {
        if let (Some(lower), Some(upper)) = self.constant_bounds(column) {
            if lower == upper {
                known[column] = Some(AffineExpr::constant(lower));
                return true;
            }
            if lower == 0 && upper >= 1 && self.solve_as_mod(column, upper, offset, num, known) {
                return true;
            }
        }
        self.solve_as_division(column, known) || self.solve_by_equality(column, known)
    }

    /// `column = n mod (last + 1)`, given `0 <= column <= last` and an equality in which
    /// all but `column` and one known dimension `n` are multiples of `last + 1`.
    fn solve_as_mod(
        &self,
        column: usize,
        last: i64,
        offset: usize,
        num: usize,
        known: &mut Known,
    ) -> bool {
        let Some(divisor) = last.checked_add(1) else {
            return false;
        };
        'rows: for row in &self.equalities {
            let lead = row[column];
            if lead == 0 || row[self.num_columns()] != 0 {
                continue;
            }
            let Some(multiple) = lead.checked_mul(i128::from(divisor)) else {
                continue;
            };
            let mut quotients = Vec::new();
            let mut dividend = AffineExpr::constant(0);
            // Locals are left aside unless they do not occur.
            for c in 0..self.num_columns() {
                if c == column || row[c] == 0 {
                    continue;
                }
                if c < self.num_inputs() && row[c] % multiple == 0 {
                    quotients.push(c);
                    continue;
                }
                let (Some(e), Ok(k)) = (&known[c], i64::try_from(row[c])) else {
                    continue 'rows;
                };
                dividend = dividend + e.clone() * k;
            }
            let Ok(by) = i64::try_from(lead.abs()) else {
                continue;
            };
            let dividend = if lead > 0 { -dividend } else { dividend }.floor_div(by);
            let (dims, symbols) = (count(self.dims), count(self.num_symbols()));
            let AffineExpr::Dim(n) = simplify_affine_expr(&dividend, dims, symbols) else {
                continue;
            };
            let value = AffineExpr::dim(n);
            let n = n as usize;
            let n_column = if n < offset { n } else { n + num };
            if quotients.is_empty() {
                continue;
            }
            known[column] = Some(match self.constant_bounds(n_column) {
                (Some(l), Some(u)) if l >= 0 && u < divisor => value.clone(),
                _ => value.clone().modulo(divisor),
            });
            if let [q] = quotients[..]
                && known[q].is_none()
            {
                // lead * (column - n) + row[q] * q = 0, where row[q] is lead times the
                // divisor times some factor.
                let factor = row[q] / multiple;
                if factor.abs() == 1 {
                    let sign = i64::try_from(factor.signum()).unwrap_or(1);
                    known[q] = Some(value.floor_div(divisor) * sign);
                }
            }
            return true;
        }
        false
    }

    /// A column between two inequalities that make it a quotient of known columns.
    fn solve_as_division(&self, column: usize, known: &mut Known) -> bool {
        let Some(e) = self.division(column, known) else {
            return false;
        };
        known[column] = Some(e);
        true
    }

    /// The quotient that a column is: `divisor * column <= dividend` and
    /// `dividend <= divisor * column + divisor - 1`, or closer.
    fn division(&self, column: usize, known: &Known) -> Option<AffineExpr> {
        let sides = self.sides(column, column..column);
        let width = self.num_columns();
        for u in &sides.upper {
            let upper = &self.inequalities[*u];
            for l in &sides.lower {
                let lower = &self.inequalities[*l];
                if (0..width).any(|c| upper[c].checked_neg() != Some(lower[c])) {
                    continue;
                }
                let divisor = lower[column];
                let slack = divisor - 1 - upper[width].checked_add(lower[width])?;
                if slack < 0 || slack > divisor - 1 {
                    continue;
                }
                let mut dividend: Row = upper.clone();
                dividend[column] = 0;
                dividend[width] = dividend[width].checked_add(slack)?;
                if (0..width).any(|c| dividend[c] != 0 && known[c].is_none()) {
                    continue;
                }
                let common = dividend.iter().fold(divisor, |g, c| gcd(g, *c));
                let dividend: Row = dividend.iter().map(|c| c / common).collect();
                let by = i64::try_from(divisor / common).ok()?;
                return Some(sum(known, &dividend)?.floor_div(by));
            }
        }
        None
    }

    /// Find the columns of a range that are quotients of known ones.
    pub(super) fn find_divisions(&self, known: &mut Known, range: std::ops::Range<usize>) {
        let mut changed = true;
        while changed {
            changed = false;
            for c in range.clone() {
                if known[c].is_none() {
                    changed |= self.solve_as_division(c, known);
                }
            }
        }
    }

    /// A column that the first equality to mention it gives in terms of known ones.
    fn solve_by_equality(&self, column: usize, known: &mut Known) -> bool {
        let Some(row) = self.equalities.iter().find(|r| r[column] != 0) else {
            return false;
        };
        let mut rest = row.clone();
        rest[column] = 0;
        let lead = row[column];
        if lead > 0 {
            rest.iter_mut().for_each(|c| *c = -*c);
        }
        let (Some(e), Ok(by)) = (sum(known, &rest), i64::try_from(lead.abs())) else {
            return false;
        };
        known[column] = Some(e.floor_div(by));
        true
    }
}
