//! What the loops around an instance do not yet ensure.
//!
//! Bounds come from shadows, which may hold more points than the projections they stand
//! for. So every constraint of the statement is asked for again, innermost, and those
//! that do not follow become conditions. An existentially quantified variable is
//! replaced by its value where it has one: from an equality (then something must be a
//! multiple), or as the floor of a quotient. Else its lower bounds are compared with its
//! upper ones: an integer lies between `l / a` and `u / b` if and only if
//! `l ceildiv a <= u floordiv b`.

use super::ScanError;
use super::expr::{columns, small, value};
use super::part::{Part, echelon};
use super::system::{System, length, negated};
use terrace_ir::affine::{AffineExpr, Constraint};
use terrace_presburger::{Int, Row};

/// The conditions under which the point that the loops are at is an instance of `part`,
/// given what is known there.
pub(super) fn missing(
    params: usize,
    part: &Part,
    known: &System,
) -> Result<Vec<Constraint>, ScanError> {
    let first = part.full.columns() - part.locals;
    let mut g = Guards {
        meaning: columns(params, first - params),
        known: known.clone(),
        equalities: part.full.equalities.clone(),
        inequalities: part.full.inequalities.clone(),
        open: (first..first + part.locals).collect(),
        conditions: Vec::new(),
    };
    for _ in 0..part.locals {
        g.known.add_column();
        g.meaning.push(AffineExpr::constant(0));
    }
    // Other integers in place of the quantified ones, so that each equality settles one.
    let width = first + part.locals;
    let split = g.equalities.len();
    let mut rows = g.equalities;
    rows.append(&mut g.inequalities);
    echelon(&mut rows, split, first, width);
    g.inequalities = rows.split_off(split);
    g.equalities = rows;
    while !g.open.is_empty() {
        if !(g.by_equality()? || g.by_floor()? || g.by_bounds()?) {
            return Err(ScanError::Quantifier {
                statement: part.statement,
            });
        }
    }
    g.plain()?;
    Ok(g.conditions)
}

struct Guards {
    meaning: Vec<AffineExpr>,
    known: System,
    equalities: Vec<Row>,
    inequalities: Vec<Row>,
    /// The columns of quantified variables that have no value yet.
    open: Vec<usize>,
    conditions: Vec<Constraint>,
}

impl Guards {
    /// The one open variable that a row mentions.
    fn only(&self, row: &Row) -> Option<usize> {
        let mut mentioned = self.open.iter().filter(|&&e| !row[e].is_zero());
        let e = mentioned.next()?;
        mentioned.next().is_none().then_some(*e)
    }

    fn close(&mut self, e: usize, value: AffineExpr) {
        self.meaning[e] = value;
        self.open.retain(|&other| other != e);
    }

    fn demand(&mut self, expr: AffineExpr, is_eq: bool) {
        self.conditions.push(Constraint { expr, is_eq });
    }

    /// `a * e + f == 0`: e is the quotient, and f a multiple of a.
    fn by_equality(&mut self) -> Result<bool, ScanError> {
        let rows = self.equalities.iter().enumerate();
        let Some((at, e)) = rows
            .filter_map(|(i, row)| Some((i, self.only(row)?)))
            .next()
        else {
            return Ok(false);
        };
        let row = self.equalities.remove(at);
        let modulus = row[e].abs();
        let mut rest = match row[e].is_positive() {
            true => negated(&row),
            false => row.clone(),
        };
        rest[e] = Int::ZERO;
        let numerator = value(&rest, &self.meaning)?;
        let m = small(&modulus)?;
        if !self.known.implies_congruence(&rest, &modulus) {
            self.demand(numerator.clone().modulo(m), true);
        }
        self.known.add_equality(row);
        self.close(e, numerator.floor_div(m));
        Ok(true)
    }

    /// `0 <= f - m * e <= m - 1`: e is `f floordiv m`.
    fn by_floor(&mut self) -> Result<bool, ScanError> {
        for i in 0..self.inequalities.len() {
            let low = &self.inequalities[i];
            let Some(e) = self.only(low).filter(|&e| low[e].is_negative()) else {
                continue;
            };
            let m = -&low[e];
            let mut high = negated(low);
            let last = high.len() - 1;
            high[last] = &(&high[last] + &m) - &Int::ONE;
            let Some(j) = self.inequalities.iter().position(|row| *row == high) else {
                continue;
            };
            let mut rest = low.clone();
            rest[e] = Int::ZERO;
            let quotient = value(&rest, &self.meaning)?.floor_div(small(&m)?);
            for at in [i.max(j), i.min(j)] {
                let row = self.inequalities.remove(at);
                self.known.add_inequality(row);
            }
            self.close(e, quotient);
            return Ok(true);
        }
        Ok(false)
    }

    /// Some integer lies between all lower and all upper bounds.
    fn by_bounds(&mut self) -> Result<bool, ScanError> {
        let alone = |e: usize| {
            let mentions = |row: &&Row| !row[e].is_zero();
            !self.equalities.iter().any(|row| !row[e].is_zero())
                && (self.inequalities.iter().filter(mentions)).all(|row| self.only(row).is_some())
        };
        let Some(e) = self.open.iter().copied().find(|&e| alone(e)) else {
            return Ok(false);
        };
        let all = std::mem::take(&mut self.inequalities);
        let (with, without): (Vec<Row>, Vec<Row>) =
            all.into_iter().partition(|row| !row[e].is_zero());
        self.inequalities = without;
        let (lower, upper): (Vec<Row>, Vec<Row>) =
            with.into_iter().partition(|row| row[e].is_positive());
        for low in &lower {
            for high in &upper {
                self.between(e, low, high)?;
            }
        }
        self.close(e, AffineExpr::constant(0));
        Ok(true)
    }

    fn between(&mut self, e: usize, low: &Row, high: &Row) -> Result<(), ScanError> {
        // q, the least integer that the lower bound allows, in the column of e.
        let mut with = self.known.clone();
        with.add_inequality(low.clone());
        let mut least = negated(low);
        let last = least.len() - 1;
        least[last] = &(&least[last] + &low[e]) - &Int::ONE;
        with.add_inequality(least);
        if with.implies(high) {
            return Ok(());
        }
        let part = |row: &Row| {
            let mut row = row.clone();
            row[e] = Int::ZERO;
            row
        };
        let least = value(&negated(&part(low)), &self.meaning)?.ceil_div(small(&low[e])?);
        let most = value(&part(high), &self.meaning)?.floor_div(small(&-&high[e])?);
        self.demand(most - least, false);
        Ok(())
    }

    /// Rows that mention only what has a value.
    fn plain(&mut self) -> Result<(), ScanError> {
        for row in std::mem::take(&mut self.equalities) {
            if !self.known.implies_zero(&row) {
                let expr = value(&row, &self.meaning)?;
                self.demand(expr, true);
                self.known.add_equality(row);
            }
        }
        let mut inequalities = std::mem::take(&mut self.inequalities);
        inequalities.sort_by_key(length);
        for row in inequalities {
            if !self.known.implies(&row) {
                let expr = value(&row, &self.meaning)?;
                self.demand(expr, false);
                self.known.add_inequality(row);
            }
        }
        Ok(())
    }
}
