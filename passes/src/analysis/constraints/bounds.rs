//! Bounds of a column as affine maps of other columns, and the extent between them.

use super::expr::sum;
use super::{Row, System};
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};

/// How far a dimension reaches.
#[derive(Debug, Clone)]
pub struct Extent {
    /// How many values, at most.
    pub size: i64,
    /// The first of them, over the symbols.
    pub lower: AffineMap,
}

/// Rows that bound a column.
pub(super) struct Sides {
    pub lower: Vec<usize>,
    pub upper: Vec<usize>,
    pub equal: Vec<usize>,
}

/// `u32` of a small count.
pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl System {
    /// The rows that bound a column without mentioning another of `range`.
    pub(super) fn sides(&self, column: usize, range: std::ops::Range<usize>) -> Sides {
        let free = |row: &Row| range.clone().all(|c| c == column || row[c] == 0);
        let rows = |sign: i128| -> Vec<usize> {
            let all = self.inequalities.iter().enumerate();
            all.filter(|(_, r)| r[column].signum() == sign && free(r))
                .map(|(i, _)| i)
                .collect()
        };
        let equal = self.equalities.iter().enumerate();
        Sides {
            lower: rows(1),
            upper: rows(-1),
            equal: equal
                .filter(|(_, r)| r[column] != 0 && free(r))
                .map(|(i, _)| i)
                .collect(),
        }
    }

    /// The lower (inclusive) and upper (exclusive) bounds of dimension `offset + pos` in
    /// terms of all dimensions and symbols outside the `num` dimensions from `offset` on,
    /// of which the first `dims` are dimensions of the maps. Locals must not occur.
    pub fn lower_and_upper(
        &self,
        pos: usize,
        offset: usize,
        num: usize,
        dims: usize,
    ) -> Option<(AffineMap, AffineMap)> {
        if self.overflow || self.locals > 0 {
            return None;
        }
        let column = offset + pos;
        let sides = self.sides(column, offset..offset + num);
        let others: Vec<usize> = (0..self.num_inputs())
            .filter(|c| !(offset..offset + num).contains(c))
            .collect();
        let leaves: Vec<Option<AffineExpr>> = (0..others.len())
            .map(|i| {
                Some(if i < dims {
                    AffineExpr::dim(count(i))
                } else {
                    AffineExpr::symbol(count(i - dims))
                })
            })
            .collect();
        let rest = |row: &Row, sign: i128| -> Option<AffineExpr> {
            let mut r: Row = others.iter().map(|c| sign * row[*c]).collect();
            r.push(sign * *row.last()?);
            sum(&leaves, &r)
        };
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for i in sides.lower {
            let row = &self.inequalities[i];
            let by = i64::try_from(row[column].abs()).ok()?;
            lower.push((rest(row, -1)? + by.checked_sub(1)?).floor_div(by));
        }
        for i in sides.upper {
            let row = &self.inequalities[i];
            let by = i64::try_from(row[column].abs()).ok()?;
            upper.push(rest(row, 1)?.floor_div(by) + 1);
        }
        for i in sides.equal {
            let row = &self.equalities[i];
            let by = i64::try_from(row[column].abs()).ok()?;
            let e = rest(row, -row[column].signum())?;
            upper.push(e.clone().floor_div(by) + 1);
            lower.push(e.ceil_div(by));
        }
        let symbols = others.len().checked_sub(dims)?;
        let map = |results| AffineMap::new(count(dims), count(symbols), results);
        Some((map(lower), map(upper)))
    }

    /// The extent of a dimension between two bounds over the symbols that are a constant
    /// apart, the smallest there is.
    pub fn extent(&self, column: usize) -> Option<Extent> {
        if self.overflow {
            return None;
        }
        let leaves = self.symbolic_columns();
        let symbols = count(self.num_symbols());
        let map = |e: AffineExpr| AffineMap::new(0, symbols, vec![e]);
        // All other dimensions are out of reach, and so are locals that stand for
        // nothing in terms of symbols.
        let known = |row: &Row| {
            (0..leaves.len()).all(|c| c == column || row[c] == 0 || leaves[c].is_some())
        };
        if let Some(i) = self.equality_free_of(column, 0..self.dims)
            && known(&self.equalities[i])
        {
            let row = &self.equalities[i];
            let mut r: Row = row.iter().map(|c| -row[column] * c).collect();
            r[column] = 0;
            let e = sum(&leaves, &r)?;
            return Some(Extent {
                size: 1,
                lower: map(simplify_affine_expr(&e, 0, symbols)),
            });
        }
        let sides = self.sides(column, 0..self.dims);
        let bound = |i: usize, is_lower: bool| -> Option<AffineExpr> {
            let row = &self.inequalities[i];
            let by = i64::try_from(row[column].abs()).ok()?;
            let sign = if is_lower { -1 } else { 1 };
            let mut r: Row = row.iter().map(|c| sign * c).collect();
            r[column] = 0;
            let e = sum(&leaves, &r)?;
            Some(if is_lower {
                e.ceil_div(by)
            } else {
                e.floor_div(by)
            })
        };
        let mut best: Option<(i64, AffineExpr)> = None;
        for u in &sides.upper {
            let Some(upper) = bound(*u, false) else {
                continue;
            };
            for l in &sides.lower {
                let Some(lower) = bound(*l, true) else {
                    continue;
                };
                let gap = simplify_affine_expr(&(upper.clone() - lower.clone() + 1), 0, symbols);
                let Some(size) = gap.as_constant() else {
                    continue;
                };
                let size = size.max(0);
                if best.as_ref().is_none_or(|(least, _)| size < *least) {
                    best = Some((size, lower));
                }
            }
        }
        let (size, lower) = best?;
        Some(Extent {
            size,
            lower: map(lower),
        })
    }

    /// What each column is in terms of the symbols: symbols themselves, and locals that
    /// are divisions of such.
    fn symbolic_columns(&self) -> Vec<Option<AffineExpr>> {
        let mut leaves: Vec<Option<AffineExpr>> = vec![None; self.num_columns()];
        for s in 0..self.num_symbols() {
            leaves[self.dims + s] = Some(AffineExpr::symbol(count(s)));
        }
        self.find_divisions(&mut leaves, self.num_inputs()..self.num_columns());
        leaves
    }
}
