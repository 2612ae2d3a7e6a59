//! Loops over the whole points of a polyhedron, in a given order of its variables.
//!
//! Each loop gets as bounds what the conditions say of its variable and those of the
//! loops outside of it; for that the variables inside are eliminated one by one
//! (C. Ancourt, F. Irigoin, "Scanning Polyhedra with DO Loops", 1991). Every
//! condition is a bound of the innermost loop it speaks of, so that the loops run over
//! the points and no others; that a bound made by elimination is only tight over the
//! rationals costs empty iterations of outer loops and nothing else. Conditions with
//! divisions of variables that are no bound of any loop in the new order are tested
//! in the innermost body instead.

use super::domain::{depends_on, depends_on_first};
use super::frame::Frame;
use super::inequalities::{Inequality, definition};
use terrace_ir::affine::{AffineExpr, FlattenError, Flattener, LinearRow};

/// Which bound of a loop a condition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Lower,
    Upper,
}

/// A condition on the points.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    /// At least zero at every point.
    pub expr: AffineExpr,
    /// The variable of which it is a bound, and that bound: inclusive if lower,
    /// exclusive if upper.
    pub bound: Option<(usize, Side, AffineExpr)>,
}

impl Condition {
    /// That variable `k` is at least `e`.
    pub(crate) fn lower(k: usize, e: AffineExpr) -> Condition {
        Condition {
            expr: super::domain::dim(k) - e.clone(),
            bound: Some((k, Side::Lower, e)),
        }
    }

    /// That variable `k` is less than `e`.
    pub(crate) fn upper(k: usize, e: AffineExpr) -> Condition {
        Condition {
            expr: e.clone() - super::domain::dim(k) - 1,
            bound: Some((k, Side::Upper, e)),
        }
    }
}

/// The points: their variables are the first dimensions of a frame.
pub(crate) struct Points<'a> {
    pub frame: &'a Frame,
    pub variables: usize,
    pub conditions: Vec<Condition>,
    /// Not negative wherever the loops stand; does not depend on the variables.
    pub known: Vec<AffineExpr>,
    /// The variables whose lower bounds have to stay as they are, since they count
    /// from there by a step.
    pub fixed: Vec<bool>,
}

/// The bounds of one loop: of the lower ones the greatest counts, of the upper ones,
/// which are exclusive, the least.
#[derive(Debug, Clone, Default)]
pub(crate) struct Level {
    pub lower: Vec<AffineExpr>,
    pub upper: Vec<AffineExpr>,
}

#[derive(Debug, Clone)]
pub(crate) struct Scan {
    /// By place in the order, from the outside in.
    pub levels: Vec<Level>,
    /// What is left to test in the innermost body: each is at least zero at a point.
    pub guards: Vec<AffineExpr>,
}

impl Scan {
    /// Loops that do not run.
    fn empty(depth: usize) -> Scan {
        let level = Level {
            lower: vec![AffineExpr::constant(0)],
            upper: vec![AffineExpr::constant(0)],
        };
        Scan {
            levels: vec![level; depth],
            guards: Vec::new(),
        }
    }
}

/// Why there are no such loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unscannable {
    Flatten(FlattenError),
    /// More inequalities than anyone wants to see in a bound.
    TooMany,
    /// Nothing affine bounds this variable.
    Unbounded(usize),
}

/// How many inequalities elimination may make.
const MAX_ROWS: usize = 300;

struct Row {
    row: Inequality,
    /// The condition that it is, unless made by elimination.
    condition: Option<usize>,
}

struct Scanner<'a> {
    points: &'a Points<'a>,
    /// The variables, from the outside in.
    order: &'a [usize],
    /// The columns that are divisions of variables.
    divisions: Vec<usize>,
    rows: Vec<Row>,
    known: Vec<Inequality>,
    /// What defines the divisions of variables.
    definitions: Vec<Inequality>,
    /// Conditions with divisions of variables.
    curved: Vec<(usize, Inequality)>,
}

/// The loops over `points`, `order` naming the variables from the outside in.
///
/// # Errors
///
/// See [`Unscannable`].
pub(crate) fn scan(points: &Points, order: &[usize]) -> Result<Scan, Unscannable> {
    let n = points.variables;
    let mut f = Flattener::new(points.frame.num_dims(), points.frame.num_symbols());
    let mut flat = |e: &AffineExpr| f.flatten(e).map_err(Unscannable::Flatten);
    let conditions: Vec<LinearRow> = points
        .conditions
        .iter()
        .map(|c| flat(&c.expr))
        .collect::<Result<_, _>>()?;
    // Nothing is lost where one of these is too large.
    let known: Vec<LinearRow> = points.known.iter().filter_map(|e| flat(e).ok()).collect();

    let columns = f.num_inputs() + f.locals().len();
    let divisions: Vec<usize> = (f.num_inputs()..columns)
        .filter(|c| depends_on_first(&f.locals()[c - f.num_inputs()].expr, n))
        .collect();
    let mut s = Scanner {
        points,
        order,
        divisions,
        rows: Vec::new(),
        known: known.iter().map(|r| Inequality::new(r, columns)).collect(),
        definitions: Vec::new(),
        curved: Vec::new(),
    };
    for (i, local) in f.locals().iter().enumerate() {
        let Some(d) = &local.division else { continue };
        let column = f.num_inputs() + i;
        let pair = definition(&d.dividend, d.divisor, column, columns);
        let into = match s.divisions.contains(&column) {
            true => &mut s.definitions,
            false => &mut s.known,
        };
        into.extend(pair.into_iter().flatten());
    }
    for (i, row) in conditions.into_iter().enumerate() {
        let row = without_divisions(row, &s.divisions, &f);
        let row = Inequality::new(&row, columns);
        if s.divisions.iter().any(|c| row.at(*c) != 0) {
            s.curved.push((i, row));
        } else {
            s.rows.push(Row {
                row,
                condition: Some(i),
            });
        }
    }
    s.relax_curved()?;
    s.run(&f)
}

/// The same condition without divisions of variables, where it has one with a
/// coefficient of 1 or -1: with `q = a floordiv c`, `m + q >= 0` is `a + c * m >= 0`,
/// and `m - q >= 0` is `c * m + c - 1 - a >= 0`.
fn without_divisions(row: LinearRow, divisions: &[usize], f: &Flattener) -> LinearRow {
    let mut row = row;
    for _ in 0..divisions.len() {
        let present: Vec<usize> = divisions
            .iter()
            .copied()
            .filter(|c| row.coefficient(*c) != 0)
            .collect();
        let [column] = present[..] else { break };
        let sign = row.coefficient(column);
        let Some(d) = f.locals()[column - f.num_inputs()].division.as_ref() else {
            break;
        };
        if sign.abs() != 1 {
            break;
        }
        let Some(next) = multiplied_out(&row, column, sign, &d.dividend, d.divisor) else {
            break;
        };
        row = next;
    }
    row
}

fn multiplied_out(
    row: &LinearRow,
    column: usize,
    sign: i64,
    dividend: &LinearRow,
    divisor: i64,
) -> Option<LinearRow> {
    let n = row.coefficients.len().max(dividend.coefficients.len());
    let mut coefficients = Vec::with_capacity(n);
    for c in 0..n {
        let own = if c == column { 0 } else { row.coefficient(c) };
        let own = own.checked_mul(divisor)?;
        coefficients.push(own.checked_add(dividend.coefficient(c).checked_mul(sign)?)?);
    }
    let mut constant = row.constant.checked_mul(divisor)?;
    constant = constant.checked_add(dividend.constant.checked_mul(sign)?)?;
    if sign < 0 {
        constant = constant.checked_add(divisor - 1)?;
    }
    Some(LinearRow {
        coefficients,
        constant,
    })
}

impl Scanner<'_> {
    /// The place of a variable in the order.
    fn place(&self, variable: usize) -> usize {
        self.order
            .iter()
            .position(|v| *v == variable)
            .unwrap_or(usize::MAX)
    }

    /// The variable of a row whose loop is the innermost.
    fn innermost(&self, row: &Inequality) -> Option<usize> {
        self.order.iter().rev().copied().find(|v| row.at(*v) != 0)
    }

    /// Whether condition `i` is, as it is written, a bound of its variable also in
    /// the new order.
    fn stays_bound(&self, i: usize) -> bool {
        let Some((k, _, bound)) = &self.points.conditions[i].bound else {
            return false;
        };
        let place = self.place(*k);
        (0..self.points.variables).all(|v| !depends_on(bound, v) || self.place(v) < place)
    }

    /// Add what conditions with divisions imply of the variables alone.
    fn relax_curved(&mut self) -> Result<(), Unscannable> {
        let mut rows: Vec<Inequality> = self.curved.iter().map(|c| c.1.clone()).collect();
        if rows.is_empty() {
            return Ok(());
        }
        rows.extend(self.definitions.iter().cloned());
        for column in self.divisions.clone().into_iter().rev() {
            rows = eliminate(rows, column)?;
        }
        for row in rows {
            self.add(row);
        }
        Ok(())
    }

    /// Add a row made by elimination, unless it says nothing or may not be a bound.
    fn add(&mut self, row: Inequality) {
        let Some(v) = self.innermost(&row) else {
            return;
        };
        let counted = self.points.fixed[v] && row.at(v) > 0;
        if !counted && !self.rows.iter().any(|r| r.row == row) {
            self.rows.push(Row {
                row,
                condition: None,
            });
        }
    }

    fn run(mut self, f: &Flattener) -> Result<Scan, Unscannable> {
        let mut levels = Vec::new();
        for v in self.order.iter().rev().copied() {
            if self.is_empty() {
                return Ok(Scan::empty(self.order.len()));
            }
            let mut gone = self.superfluous(v, false).into_iter();
            self.rows.retain(|_| !gone.next().unwrap_or(false));
            // What only divisions make superfluous is needed to bound the loops
            // outside, since those are eliminated without them.
            let hidden = match self.curved.is_empty() {
                true => vec![false; self.rows.len()],
                false => self.superfluous(v, true),
            };
            levels.push(self.level(v, f, &hidden)?);
            let (with, without): (Vec<Row>, Vec<Row>) = std::mem::take(&mut self.rows)
                .into_iter()
                .partition(|r| r.row.at(v) != 0);
            self.rows = without;
            for low in with.iter().filter(|r| r.row.at(v) > 0) {
                for up in with.iter().filter(|r| r.row.at(v) < 0) {
                    if let Some(row) = low.row.eliminate(&up.row, v) {
                        self.add(row);
                    }
                    if self.rows.len() > MAX_ROWS {
                        return Err(Unscannable::TooMany);
                    }
                }
            }
        }
        levels.reverse();
        let guards = self
            .curved
            .iter()
            .filter(|(i, _)| !self.stays_bound(*i))
            .map(|(i, _)| self.points.conditions[*i].expr.clone())
            .collect();
        Ok(Scan { levels, guards })
    }

    /// Which rows are bounds of `v` that others make superfluous, `curved` bounds that
    /// are kept as written among them where asked.
    fn superfluous(&self, v: usize, with_curved: bool) -> Vec<bool> {
        // What elimination made goes first, then what was a bound of another loop.
        let rank = |r: &Row| match r.condition {
            None => 0,
            Some(i) => match &self.points.conditions[i].bound {
                Some((k, _, _)) if *k == v => 2,
                _ => 1,
            },
        };
        let mut candidates: Vec<(u32, usize)> = self
            .rows
            .iter()
            .enumerate()
            .filter(|(_, r)| r.row.at(v) != 0 && !(self.points.fixed[v] && r.row.at(v) > 0))
            .map(|(i, r)| (rank(r), i))
            .collect();
        candidates.sort_by_key(|(rank, i)| (*rank, usize::MAX - i));
        let curved = if with_curved {
            self.curved_bounds(v)
        } else {
            Vec::new()
        };
        let mut gone = vec![false; self.rows.len()];
        for (_, i) in candidates {
            let row = &self.rows[i].row;
            let same_side =
                |(own, r): (bool, &Inequality)| own && r.at(v).signum() == row.at(v).signum();
            let others = || {
                self.rows
                    .iter()
                    .enumerate()
                    .filter(|(j, _)| *j != i && !gone[*j])
                    .map(|(_, r)| (true, &r.row))
                    .chain(curved.iter().copied())
            };
            let definitions = with_curved.then_some(&self.definitions);
            let context = self.known.iter().chain(definitions.into_iter().flatten());
            if others().any(same_side) && row.follows_from(others().map(|o| o.1).chain(context)) {
                gone[i] = true;
            }
        }
        gone
    }

    /// The bounds with divisions of the loops around `v` and of `v` itself, for which
    /// there is a "yes".
    fn curved_bounds(&self, v: usize) -> Vec<(bool, &Inequality)> {
        let mut bounds = Vec::new();
        for (i, row) in self.curved.iter().filter(|c| self.stays_bound(c.0)) {
            if let Some((k, _, _)) = &self.points.conditions[*i].bound
                && self.place(*k) <= self.place(v)
            {
                bounds.push((*k == v, row));
            }
        }
        bounds
    }

    /// Whether it can be shown that there is no point. Then every bound is superfluous,
    /// and none may be left.
    fn is_empty(&self) -> bool {
        let rows = self.rows.iter().map(|r| &r.row);
        let columns = rows.clone().map(|r| r.coefficients.len()).max();
        let never = Inequality::never(columns.unwrap_or(0));
        never.follows_from(rows.chain(&self.known))
    }

    fn shown<'s>(&'s self, hidden: &'s [bool]) -> impl Iterator<Item = &'s Row> {
        let pairs = self.rows.iter().zip(hidden);
        pairs.filter(|(_, hidden)| !**hidden).map(|(r, _)| r)
    }

    /// The bounds of `v` that the rows are which are not `hidden`.
    fn level(&self, v: usize, f: &Flattener, hidden: &[bool]) -> Result<Level, Unscannable> {
        let mut level = Level::default();
        let mut add = |side: Side, e: AffineExpr| {
            let list = match side {
                Side::Lower => &mut level.lower,
                Side::Upper => &mut level.upper,
            };
            if !list.contains(&e) {
                list.push(e);
            }
        };
        let own = |i: usize| match &self.points.conditions[i].bound {
            Some((k, side, e)) if *k == v => Some((*side, e)),
            _ => None,
        };
        // As written, in the order written.
        for i in 0..self.points.conditions.len() {
            let Some((side, e)) = own(i) else { continue };
            let is_left = self
                .shown(hidden)
                .any(|r| r.condition == Some(i) && self.innermost(&r.row) == Some(v));
            let counted = self.points.fixed[v] && side == Side::Lower;
            let is_curved = self.curved.iter().any(|c| c.0 == i) && self.stays_bound(i);
            if counted || is_curved || (is_left && self.stays_bound(i)) {
                add(side, e.clone());
            }
        }
        for r in self.shown(hidden).filter(|r| r.row.at(v) != 0) {
            if r.condition
                .is_some_and(|i| own(i).is_some() && self.stays_bound(i))
            {
                continue;
            }
            let c = r.row.at(v);
            let rest = f.expr_of(&r.row.without(v));
            if c > 0 {
                // c * v + rest >= 0
                add(Side::Lower, (-rest).ceil_div(c));
            } else {
                // v <= rest floordiv -c
                add(Side::Upper, (rest + 1).ceil_div(c.saturating_neg()));
            }
        }
        if level.lower.is_empty() || level.upper.is_empty() {
            return Err(Unscannable::Unbounded(v));
        }
        Ok(level)
    }
}

/// Eliminate a column.
fn eliminate(rows: Vec<Inequality>, column: usize) -> Result<Vec<Inequality>, Unscannable> {
    let (with, mut rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r.at(column) != 0);
    for low in with.iter().filter(|r| r.at(column) > 0) {
        for up in with.iter().filter(|r| r.at(column) < 0) {
            if let Some(row) = low.eliminate(up, column)
                && !rest.contains(&row)
            {
                rest.push(row);
            }
            if rest.len() > MAX_ROWS {
                return Err(Unscannable::TooMany);
            }
        }
    }
    Ok(rest)
}
