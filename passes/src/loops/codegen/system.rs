//! Affine constraints over a fixed row of columns, with the questions that scanning asks.
//!
//! Every question is exact over the integers. Where the answer was given up it is the
//! one that is safe for scanning: a system counts as not empty, a row as not implied,
//! and code that is never reached, or a test that always holds, is the consequence.

use super::ScanError;
use terrace_presburger::{Conjunct, Extremum, Int, Row, Space};

/// What holds at a place: equalities, inequalities and congruences over columns; a row
/// has an entry for each column and the constant last.
#[derive(Clone, Debug)]
pub(super) struct System {
    columns: usize,
    pub equalities: Vec<Row>,
    pub inequalities: Vec<Row>,
    /// `row` is a multiple of the number.
    pub congruences: Vec<(Row, Int)>,
    contradictory: bool,
}

impl System {
    /// No constraint.
    pub fn new(columns: usize) -> System {
        System {
            columns,
            equalities: Vec::new(),
            inequalities: Vec::new(),
            congruences: Vec::new(),
            contradictory: false,
        }
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The same constraints with column k at `to[k]` of `width` columns. Columns
    /// without a place must not be mentioned.
    pub fn moved(&self, to: &[usize], width: usize) -> System {
        let place = |row: &Row| placed(row, to, width);
        System {
            columns: width,
            equalities: self.equalities.iter().map(place).collect(),
            inequalities: self.inequalities.iter().map(place).collect(),
            congruences: (self.congruences.iter())
                .map(|(row, modulus)| (place(row), modulus.clone()))
                .collect(),
            contradictory: self.contradictory,
        }
    }

    /// One more column, the last. Gives its position.
    pub fn add_column(&mut self) -> usize {
        let at = self.columns;
        let congruent = self.congruences.iter_mut().map(|(row, _)| row);
        let rows = self.equalities.iter_mut().chain(&mut self.inequalities);
        rows.chain(congruent)
            .for_each(|row| row.insert(at, Int::ZERO));
        self.columns += 1;
        at
    }

    /// Demands `row == 0`.
    pub fn add_equality(&mut self, mut row: Row) {
        let divisor = content(&row);
        if divisor.is_zero() {
            self.contradictory |= !row[self.columns].is_zero();
            return;
        }
        if !row[self.columns].is_multiple_of(&divisor) {
            self.contradictory = true;
            return;
        }
        if !divisor.is_one() {
            row.iter_mut().for_each(|a| *a = a.div_floor(&divisor));
        }
        if !self.equalities.contains(&row) && !self.equalities.contains(&negated(&row)) {
            self.equalities.push(row);
        }
    }

    /// Demands `row >= 0`. Two opposite rows become an equality.
    pub fn add_inequality(&mut self, mut row: Row) {
        let constant = self.columns;
        let divisor = content(&row);
        if divisor.is_zero() {
            self.contradictory |= row[constant].is_negative();
            return;
        }
        if !divisor.is_one() {
            row.iter_mut().for_each(|a| *a = a.div_floor(&divisor));
        }
        let same = |other: &Row| other[..constant] == row[..constant];
        if let Some(at) = self.inequalities.iter().position(same) {
            if row[constant] < self.inequalities[at][constant] {
                self.inequalities.remove(at);
            } else {
                return;
            }
        }
        let opposite = negated(&row);
        let facing = |other: &Row| other[..constant] == opposite[..constant];
        if let Some(at) = self.inequalities.iter().position(facing) {
            let gap = &self.inequalities[at][constant] + &row[constant];
            if gap.is_negative() {
                self.contradictory = true;
                return;
            }
            if gap.is_zero() {
                self.inequalities.remove(at);
                self.add_equality(row);
                return;
            }
        }
        self.inequalities.push(row);
    }

    /// Demands that `row` is a multiple of `modulus`.
    pub fn add_congruence(&mut self, row: Row, modulus: Int) {
        if !modulus.is_one() {
            self.congruences.push((row, modulus));
        }
    }

    /// Demands all that `other` demands.
    pub fn meet(&mut self, other: &System) {
        self.contradictory |= other.contradictory;
        for row in &other.equalities {
            self.add_equality(row.clone());
        }
        for row in &other.inequalities {
            self.add_inequality(row.clone());
        }
        for (row, modulus) in &other.congruences {
            self.add_congruence(row.clone(), modulus.clone());
        }
    }

    /// The rows, equalities as two inequalities.
    pub fn as_inequalities(&self) -> Vec<Row> {
        let both = |row: &Row| [row.clone(), negated(row)];
        let equalities = self.equalities.iter().flat_map(both);
        equalities
            .chain(self.inequalities.iter().cloned())
            .collect()
    }

    fn conjunct(&self) -> Conjunct {
        let mut c = Conjunct::universe(Space::set(0, self.columns));
        let quotients: Vec<usize> = self.congruences.iter().map(|_| c.add_local()).collect();
        for row in &self.equalities {
            c.add_equality(&row[..self.columns], row[self.columns].clone());
        }
        for row in &self.inequalities {
            c.add_inequality(&row[..self.columns], row[self.columns].clone());
        }
        for ((row, modulus), quotient) in self.congruences.iter().zip(quotients) {
            let mut coefficients = row[..self.columns].to_vec();
            coefficients.resize(quotient, Int::ZERO);
            coefficients.push(-modulus);
            c.add_equality(&coefficients, row[self.columns].clone());
        }
        c
    }

    /// Whether no integer point satisfies everything.
    pub fn is_empty(&self) -> bool {
        self.contradictory || self.conjunct().is_empty().unwrap_or(false)
    }

    /// Whether rows were added that contradict each other in plain sight.
    pub fn is_plainly_empty(&self) -> bool {
        self.contradictory
    }

    /// This with other inequalities in place of its own.
    pub fn with_inequalities(mut self, rows: Vec<Row>) -> System {
        self.inequalities = rows;
        self
    }

    /// Whether nothing satisfies this and `row >= 0`.
    pub fn excludes(&self, row: &Row) -> bool {
        let mut with = self.clone();
        with.add_inequality(row.clone());
        with.is_empty()
    }

    /// Whether nothing satisfies this and `other`.
    pub fn is_disjoint(&self, other: &System) -> bool {
        let mut both = self.clone();
        both.meet(other);
        both.is_empty()
    }

    /// As [`System::is_disjoint`] where `other` has further columns.
    pub fn is_disjoint_within(&self, other: &System) -> bool {
        let to: Vec<usize> = (0..self.columns).collect();
        self.moved(&to, other.columns).is_disjoint(other)
    }

    /// Whether `row >= 0` follows.
    pub fn implies(&self, row: &Row) -> bool {
        let constant = self.columns;
        let stronger = |r: &Row| r[..constant] == row[..constant] && r[constant] <= row[constant];
        self.inequalities.iter().any(stronger) || self.excludes(&complement(row))
    }

    /// Whether `row == 0` follows.
    pub fn implies_zero(&self, row: &Row) -> bool {
        self.equalities.contains(row) || (self.implies(row) && self.implies(&negated(row)))
    }

    /// Whether it follows that `row` is a multiple of `modulus`.
    pub fn implies_congruence(&self, row: &Row, modulus: &Int) -> bool {
        if modulus.is_one() || row.iter().all(|a| a.is_multiple_of(modulus)) {
            return true;
        }
        let mut with = self.clone();
        let mut row = row.clone();
        let quotient = with.add_column();
        row.insert(quotient, -modulus);
        // 1 <= row - modulus * quotient <= modulus - 1.
        let last = row.len() - 1;
        let mut below = row.clone();
        below[last] = &below[last] - &Int::ONE;
        let mut above = negated(&row);
        above[last] = &(&above[last] + modulus) - &Int::ONE;
        with.add_inequality(below);
        with.add_inequality(above);
        with.is_empty()
    }

    /// The least value of `row`, if there is one and it is known.
    pub fn minimum(&self, row: &Row) -> Option<Int> {
        let c = self.conjunct();
        let mut form = row[..self.columns].to_vec();
        form.resize(c.row_len() - 1, Int::ZERO);
        form.push(row[self.columns].clone());
        match c.minimum(&form) {
            Ok(Extremum::At(value)) => Some(value),
            _ => None,
        }
    }

    /// The rational shadow along a column, tightened to integers (Fourier-Motzkin): it
    /// holds all integer points of the projection, and may hold more.
    ///
    /// # Errors
    /// [`ScanError::TooLarge`] where the shadow would have more than [`MAX_ROWS`]
    /// inequalities: eliminating one column may square their number.
    pub fn eliminate(&mut self, column: usize) -> Result<(), ScanError> {
        let smallest = (0..self.equalities.len())
            .filter(|&i| !self.equalities[i][column].is_zero())
            .min_by_key(|&i| self.equalities[i][column].abs());
        let mut rest = System::new(self.columns);
        rest.contradictory = self.contradictory;
        if let Some(at) = smallest {
            let pivot = self.equalities[at].clone();
            for (i, row) in self.equalities.iter().enumerate() {
                if i != at {
                    rest.add_equality(substituted(row, column, &pivot));
                }
            }
            for row in &self.inequalities {
                rest.add_inequality(substituted(row, column, &pivot));
            }
        } else {
            rest.equalities = std::mem::take(&mut self.equalities);
            let (with, without): (Vec<Row>, Vec<Row>) = self
                .inequalities
                .drain(..)
                .partition(|row| !row[column].is_zero());
            let (lower, upper): (Vec<Row>, Vec<Row>) =
                with.into_iter().partition(|row| row[column].is_positive());
            let rows = without.len() + lower.len() * upper.len();
            if rows > MAX_ROWS {
                return Err(ScanError::TooLarge { pieces: rows });
            }
            without.into_iter().for_each(|row| rest.add_inequality(row));
            for low in &lower {
                for high in &upper {
                    rest.add_inequality(combined(&-&high[column], low, &low[column], high));
                }
            }
        }
        *self = rest;
        self.reduce();
        Ok(())
    }

    /// Drops inequalities that follow from the rest, the longest first.
    pub fn reduce(&mut self) {
        let mut at = 0;
        self.inequalities
            .sort_by_key(|row| std::cmp::Reverse(length(row)));
        while at < self.inequalities.len() {
            let row = self.inequalities.remove(at);
            if !self.implies(&row) {
                self.inequalities.insert(at, row);
                at += 1;
            }
        }
    }
}

/// Inequalities of a shadow after which it is given up: each is then held against all
/// others, and programs have tens.
const MAX_ROWS: usize = 120;

/// The row with column k at `to[k]` of `width` columns.
pub(super) fn placed(row: &Row, to: &[usize], width: usize) -> Row {
    let mut out = vec![Int::ZERO; width + 1];
    for (a, at) in row[..row.len() - 1].iter().zip(to) {
        out[*at] = a.clone();
    }
    out[width] = row[row.len() - 1].clone();
    out
}

/// How many columns a row mentions.
pub(super) fn length(row: &Row) -> usize {
    row[..row.len() - 1].iter().filter(|a| !a.is_zero()).count()
}

/// The greatest common divisor of the coefficients, without the constant.
fn content(row: &Row) -> Int {
    let coefficients = &row[..row.len() - 1];
    coefficients.iter().fold(Int::ZERO, |d, a| d.gcd(a))
}

pub(super) fn negated(row: &Row) -> Row {
    row.iter().map(|a| -a).collect()
}

/// The row that is `>= 0` where `row` is negative.
pub(super) fn complement(row: &Row) -> Row {
    let mut not = negated(row);
    let last = not.len() - 1;
    not[last] = &not[last] - &Int::ONE;
    not
}

/// `a * x + b * y`.
pub(super) fn combined(a: &Int, x: &Row, b: &Int, y: &Row) -> Row {
    let sum = |(x, y): (&Int, &Int)| {
        let mut v = Int::ZERO;
        v.add_product(a, x);
        v.add_product(b, y);
        v
    };
    x.iter().zip(y).map(sum).collect()
}

/// `row`, times a positive number, without `column`, by the equality `pivot`.
pub(super) fn substituted(row: &Row, column: usize, pivot: &Row) -> Row {
    if row[column].is_zero() {
        return row.clone();
    }
    let by = if pivot[column].is_negative() {
        row[column].clone()
    } else {
        -&row[column]
    };
    combined(&pivot[column].abs(), row, &by, pivot)
}
