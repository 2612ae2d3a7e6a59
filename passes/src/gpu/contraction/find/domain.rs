//! Which rows, columns and numbers k there are.

use super::axes::Axes;
use super::{MatchFailure, Statements, no_match, no_match_at_all};
use crate::analysis::linear::Linear;
use crate::gpu::contraction::shape::{Contraction, Factor, Outer, Range};
use terrace_dialects::affine::ForOp;
use terrace_dialects::affine::compose::compose;
use terrace_ir::{OpKind, Value};

/// The elements of a product, and the numbers k that are added up for each.
pub(super) struct Domain {
    pub rows: Range,
    pub cols: Range,
    /// Forms in row and column that are not negative for the elements.
    pub inside: Vec<Linear>,
    /// One end may have the row or the column in it.
    pub depth: Range,
}

impl Statements<'_> {
    /// The bounds of a loop with step 1.
    pub(super) fn bounds(&self, l: ForOp) -> Result<Range, MatchFailure> {
        let ctx = self.ctx;
        let composed = |map, operands: &[Value]| {
            let m = compose(ctx, map, operands);
            let found = Linear::of_map(&m.map, &m.operands)?;
            <[Linear; 1]>::try_from(found).ok().map(|[l]| l)
        };
        let lo = composed(l.lower_map(ctx), &l.lower_operands(ctx));
        let hi = composed(l.upper_map(ctx), &l.upper_operands(ctx));
        match (lo, hi) {
            (Some(lo), Some(hi)) if l.step(ctx) == 1 => Ok(Range { lo, hi }),
            (Some(_), Some(_)) => no_match(l.op(), "counts in other steps than 1"),
            _ => no_match(l.op(), "has bounds that are not one linear form each"),
        }
    }

    /// Rows, columns and depth, and what limits them together.
    pub(super) fn domain(&self, axes: &Axes, k_loop: ForOp) -> Result<Domain, MatchFailure> {
        let ctx = self.ctx;
        let (row, col, k) = (axes.row.iv(ctx), axes.col.iv(ctx), k_loop.iv(ctx));
        let mut depth = self.bounds(k_loop)?;
        let (mut rows, mut cols) = (self.bounds(axes.row)?, self.bounds(axes.col)?);
        for (range, v, l) in [(&mut rows, row, axes.row), (&mut cols, col, axes.col)] {
            if range.lo.coefficient(k) != 0 || range.hi.coefficient(k) != 0 {
                let turned = turn(range, v, &depth, k);
                let Some((range_now, depth_now)) = turned else {
                    return no_match(
                        l.op(),
                        "has bounds of the number summed over that cannot be turned round",
                    );
                };
                (*range, depth) = (range_now, depth_now);
            }
        }
        let ends = [&depth.lo, &depth.hi];
        let dependent = |v: Value| ends.iter().filter(|l| l.coefficient(v) != 0).count();
        if dependent(row) + dependent(col) > 1 {
            return no_match(
                k_loop.op(),
                "sums over a range of which more than one end differs from element to element",
            );
        }
        let (rows, cols, inside) = self.rectangle(axes, rows, cols)?;
        Ok(Domain {
            rows,
            cols,
            inside,
            depth,
        })
    }

    /// The outer counter of rows.
    pub(super) fn outer(&self, axes: &Axes) -> Result<Option<Outer>, MatchFailure> {
        let Some(l) = axes.outer else {
            return Ok(None);
        };
        Ok(Some(Outer {
            counter: l.iv(self.ctx),
            range: self.bounds(l)?,
        }))
    }

    /// The counters of products side by side.
    pub(super) fn batch(&self, axes: &Axes) -> Result<Vec<Outer>, MatchFailure> {
        let all = axes.batch.iter().map(|l| {
            Ok(Outer {
                counter: l.iv(self.ctx),
                range: self.bounds(*l)?,
            })
        });
        all.collect()
    }

    /// Whether products side by side all have the same elements and numbers k, and there is
    /// one for all numbers of all counters.
    pub(super) fn check_batch(&self, x: &Contraction) -> Result<(), MatchFailure> {
        let counters: Vec<Value> = x.batch.iter().map(|o| o.counter).collect();
        let free = |l: &Linear, of: &[Value]| of.iter().all(|v| l.coefficient(*v) == 0);
        let own = [&x.rows, &x.cols, &x.depth];
        let own = own.into_iter().flat_map(|r| [&r.lo, &r.hi]);
        let mut own = own.chain(&x.inside);
        if !own.all(|l| free(l, &counters)) {
            let m = "is one of several products side by side that differ in size";
            return no_match(x.store, m);
        }
        let all = [&counters[..], &[x.row, x.col, x.k]].concat();
        let mut ends = x.batch.iter().flat_map(|o| [&o.range.lo, &o.range.hi]);
        if !ends.all(|l| free(l, &all)) {
            let m = "is one of several products side by side, not for all numbers of each counter";
            return no_match(x.store, m);
        }
        Ok(())
    }

    /// Whether bounds and subscripts are in terms of the counters and of what is computed
    /// outside of the nest.
    pub(super) fn check_known(&self, x: &Contraction) -> Result<(), MatchFailure> {
        let around: Vec<&Outer> = x.outer.iter().chain(&x.batch).collect();
        let mut forms = [&x.rows, &x.cols, &x.depth]
            .into_iter()
            .chain(around.iter().map(|o| &o.range))
            .flat_map(|r| [&r.lo, &r.hi])
            .chain(&x.inside)
            .chain(&x.c.at)
            .chain(x.products.iter().flatten().flat_map(|f| &f.element.at));
        let is_counter =
            |v| [x.row, x.col, x.k].contains(&v) || around.iter().any(|o| o.counter == v);
        let known = |v| is_counter(v) || self.is_outside(v);
        match forms.all(|l| l.terms.iter().all(|t| known(t.0))) {
            true => Ok(()),
            false => no_match_at_all(self.root, "has bounds or subscripts that the nest computes"),
        }
    }

    /// Whether rows by two counters, if they are, are all pairs of both, the elements a
    /// rectangle, only the first factor has the outer one, and there are kernels for them:
    /// of elements of 16 bits there are none.
    pub(super) fn is_rectangle(&self, x: &Contraction) -> bool {
        let Some(outer) = &x.outer else {
            return true;
        };
        let free = |r: &Range, v: Value| r.lo.coefficient(v) == 0 && r.hi.coefficient(v) == 0;
        let fixed = [&x.rows, &x.cols, &x.depth]
            .iter()
            .all(|r| free(r, outer.counter))
            && [x.row, x.col, x.k].iter().all(|v| free(&outer.range, *v))
            && x.inside.is_empty()
            && x.slope().is_none();
        let has = |f: &Factor| {
            f.element
                .at
                .iter()
                .filter(|l| l.coefficient(outer.counter) != 0)
                .count()
        };
        let own_place = |f: &Factor| {
            has(f) == 1
                && f.element.at.iter().any(|l| {
                    l.coefficient(outer.counter) == 1
                        && l.coefficient(x.row) == 0
                        && l.coefficient(x.k) == 0
                })
        };
        let wide = |f: &Factor| {
            let kind = f.loaded.ty(self.ctx).float_kind(self.ctx);
            kind.is_none_or(|k| k.width() > 16)
        };
        let of_rows = |[a, b]: &[Factor; 2]| own_place(a) && has(b) == 0 && wide(a) && wide(b);
        fixed && x.products.iter().all(of_rows)
    }

    /// The rectangle around rows and columns, and what limits them together.
    fn rectangle(
        &self,
        axes: &Axes,
        rows: Range,
        cols: Range,
    ) -> Result<(Range, Range, Vec<Linear>), MatchFailure> {
        let ctx = self.ctx;
        let (row, col) = (axes.row.iv(ctx), axes.col.iv(ctx));
        let mut inside = Vec::new();
        let fixed = |r: &Range, v: Value| r.lo.coefficient(v) == 0 && r.hi.coefficient(v) == 0;
        let mut hull = |inner: &Range, v: Value, outer: &Range, w: Value| {
            inside.push(Linear::value(v).minus(&inner.lo)?);
            inside.push(inner.hi.minus(&Linear::value(v))?.plus(-1)?);
            Some(Range {
                lo: outer.extreme(&inner.lo, w, true)?,
                hi: outer.extreme(&inner.hi, w, false)?,
            })
        };
        let (found_rows, found_cols) = match (fixed(&rows, col), fixed(&cols, row)) {
            (true, true) => (Some(rows), Some(cols)),
            (true, false) => {
                let h = hull(&cols, col, &rows, row);
                (Some(rows), h)
            }
            (false, true) => {
                let h = hull(&rows, row, &cols, col);
                (h, Some(cols))
            }
            (false, false) => (None, None),
        };
        match (found_rows, found_cols) {
            (Some(r), Some(c)) => Ok((r, c, inside)),
            _ => no_match(axes.row.op(), "has bounds out of range"),
        }
    }
}

/// The range of `v`, one end of which is `k` and more, as one without, and the range of k
/// with `v` in it: of `0 <= k < n, 0 <= v < k` that is `0 <= v < n - 1, v + 1 <= k < n`.
/// `None` where k had another end than that as well.
fn turn(range: &Range, v: Value, depth: &Range, k: Value) -> Option<(Range, Range)> {
    let at_least_0 = |l: &Linear| l.as_constant().is_some_and(|c| c >= 0);
    match (range.lo.coefficient(k), range.hi.coefficient(k)) {
        (0, 1) => {
            let rest = range.hi.minus(&Linear::value(k))?;
            let after = |v: &Linear| v.minus(&rest)?.plus(1);
            if !at_least_0(&after(&range.lo)?.minus(&depth.lo)?) {
                return None;
            }
            let rows = Range {
                lo: range.lo.clone(),
                hi: depth.hi.plus(-1)?.add(&rest)?,
            };
            let depth = Range {
                lo: after(&Linear::value(v))?,
                hi: depth.hi.clone(),
            };
            Some((rows, depth))
        }
        (1, 0) => {
            let rest = range.lo.minus(&Linear::value(k))?;
            // Up to k = v - rest.
            let end = |v: &Linear| v.minus(&rest)?.plus(1);
            if !at_least_0(&depth.hi.minus(&end(&range.hi.plus(-1)?)?)?) {
                return None;
            }
            let rows = Range {
                lo: depth.lo.add(&rest)?,
                hi: range.hi.clone(),
            };
            let depth = Range {
                lo: depth.lo.clone(),
                hi: end(&Linear::value(v))?,
            };
            Some((rows, depth))
        }
        _ => None,
    }
}
