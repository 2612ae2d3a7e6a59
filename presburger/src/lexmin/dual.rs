//! The lexicographic dual simplex method, with constants that depend on symbols.
//!
//! P. Feautrier, "Parametric integer programming", RAIRO Recherche opérationnelle
//! 22(3), 1988. All variables are at least zero and have an order. Each column, read
//! down the rows of the ordered variables, is lexicographically positive, and stays so:
//! a row whose constant is negative is exchanged with the column that is
//! lexicographically least after division by the row's entry. When no constant is
//! negative, they are the lexicographic minimum over the rationals.

use crate::num::{Budget, Num, Stop};
use crate::simplex::matrix::{Matrix, add_fraction, normalise};

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableauPosition {
    Row(usize),
    Column(usize),
}

/// The rows are: denominator, constant, the coefficients of the symbols, then one
/// entry for each column.
#[derive(Clone, Debug)]
pub(crate) struct DualTableau<N> {
    pub matrix: Matrix<N>,
    /// Where the ordered variables are.
    places: Vec<TableauPosition>,
    /// The ordered variable in a row or column, if it is one.
    in_row: Vec<Option<usize>>,
    in_column: Vec<Option<usize>>,
    /// The row is to be exactly zero.
    exact: Vec<bool>,
    /// How many symbols there are, and so where the columns begin.
    symbols: usize,
}

/// What became of a row that was made non-negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Done,
    /// No column can make it greater.
    Stuck,
}

impl<N: Num> DualTableau<N> {
    pub fn new(vars: usize, symbols: usize) -> DualTableau<N> {
        DualTableau {
            matrix: Matrix::new(1 + symbols + vars, 2 * vars),
            places: (0..vars).map(TableauPosition::Column).collect(),
            in_row: Vec::new(),
            in_column: (0..vars).map(Some).collect(),
            exact: Vec::new(),
            symbols,
        }
    }

    pub fn len(&self) -> usize {
        self.matrix.rows.len()
    }

    /// The denominator, the constant and the symbols' coefficients of a row.
    pub fn constants(&self, at: usize) -> &[N] {
        &self.matrix.rows.row(at)[..self.first()]
    }

    /// The row of an ordered variable; a variable without one is zero.
    pub fn row_of(&self, var: usize) -> Option<usize> {
        match self.places[var] {
            TableauPosition::Row(at) => Some(at),
            TableauPosition::Column(_) => None,
        }
    }

    pub fn is_exact(&self, at: usize) -> bool {
        self.exact[at]
    }

    fn first(&self) -> usize {
        2 + self.symbols
    }

    /// Adds a row for `form` over the ordered variables, with the constant and the
    /// symbols' coefficients; `exact` where it is to be zero, else it is to be zero or
    /// more.
    pub fn push(&mut self, form: &[N], constants: &[N], exact: bool) -> Result<(), Stop> {
        let first = self.first();
        let mut row = vec![N::zero(); self.matrix.rows.width()];
        row[0] = N::from_i64(1);
        row[1..first].clone_from_slice(constants);
        for (var, factor) in form.iter().enumerate() {
            if factor.is_zero() {
                continue;
            }
            match self.places[var] {
                TableauPosition::Column(column) => {
                    let denominator = row[0].clone();
                    row[first + column].add_product(factor, &denominator)?;
                }
                TableauPosition::Row(other) => {
                    add_fraction(&mut row, factor, self.matrix.rows.row(other))?;
                }
            }
        }
        normalise(&mut row)?;
        self.push_raw(&row, exact);
        Ok(())
    }

    fn push_raw(&mut self, row: &[N], exact: bool) {
        self.matrix.rows.push(row);
        self.in_row.push(None);
        self.exact.push(exact);
    }

    /// One more symbol, with the coefficient 0 everywhere.
    pub fn push_symbol(&mut self) {
        let at = self.first();
        self.matrix.rows.insert_column(at);
        self.symbols += 1;
    }

    /// Turns the sign of a row that is to be zero.
    pub fn negate(&mut self, at: usize) -> Result<(), Stop> {
        for entry in &mut self.matrix.rows.row_mut(at)[1..] {
            *entry = entry.neg()?;
        }
        Ok(())
    }

    /// Replaces a row that is to be zero by two that are to be zero or more.
    pub fn split_exact(&mut self, at: usize) -> Result<(), Stop> {
        self.exact[at] = false;
        let row = self.matrix.rows.row(at).to_vec();
        self.push_raw(&row, false);
        self.negate(self.len() - 1)
    }

    /// Whether a column can make the row greater.
    pub fn can_grow(&self, at: usize) -> bool {
        self.matrix.rows.row(at)[self.first()..]
            .iter()
            .any(|entry| entry.signum() > 0)
    }

    /// Makes a row whose constant is negative (or zero) zero, at the least
    /// lexicographic cost.
    pub fn raise(&mut self, at: usize, budget: &mut Budget) -> Result<Step, Stop> {
        let Some(column) = self.cheapest(at)? else {
            return Ok(Step::Stuck);
        };
        let first = self.first();
        self.matrix.pivot(at, first + column, budget)?;
        let (entering, leaving) = (self.in_column[column], self.in_row[at]);
        self.in_column[column] = leaving;
        self.in_row[at] = entering;
        if let Some(var) = entering {
            self.places[var] = TableauPosition::Row(at);
        }
        if let Some(var) = leaving {
            self.places[var] = TableauPosition::Column(column);
        }
        if std::mem::replace(&mut self.exact[at], false) {
            // What now stands in the column is zero for good.
            for row in self.matrix.rows.iter_mut() {
                row[first + column] = N::zero();
            }
        }
        // Rows of slack variables that entered say nothing but that they are not
        // negative, like all others.
        Ok(Step::Done)
    }

    /// The column with a positive entry in row `at` that is lexicographically least,
    /// divided by that entry.
    fn cheapest(&self, at: usize) -> Result<Option<usize>, Stop> {
        let row = &self.matrix.rows.row(at)[self.first()..];
        let mut best: Option<usize> = None;
        for (column, entry) in row.iter().enumerate() {
            if entry.signum() <= 0 {
                continue;
            }
            best = match best {
                Some(old) if !self.cheaper(column, entry, old, &row[old])? => Some(old),
                _ => Some(column),
            };
        }
        Ok(best)
    }

    /// Whether column a divided by `by_a` is lexicographically less than column b
    /// divided by `by_b`.
    fn cheaper(&self, a: usize, by_a: &N, b: usize, by_b: &N) -> Result<bool, Stop> {
        let first = self.first();
        for place in &self.places {
            match *place {
                TableauPosition::Column(column) if column == a => return Ok(false),
                TableauPosition::Column(column) if column == b => return Ok(true),
                TableauPosition::Column(_) => {}
                TableauPosition::Row(at) => {
                    let row = self.matrix.rows.row(at);
                    let (x, y) = (&row[first + a], &row[first + b]);
                    if x.is_zero() && y.is_zero() {
                        continue;
                    }
                    let (left, right) = (x.mul(by_b)?, y.mul(by_a)?);
                    if left != right {
                        return Ok(left < right);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Adds the cut that row `at` implies if its variable is to be an integer: the
    /// fractional parts of the columns must make up for that of the constant. The
    /// latter is `offset . (1, symbols) / d` minus `d` times the symbol `quotient`,
    /// which is the integral part of that. Gives the row of the cut, which is zero or
    /// negative now.
    pub fn push_cut(
        &mut self,
        at: usize,
        offset: &[N],
        quotient: Option<usize>,
    ) -> Result<usize, Stop> {
        let first = self.first();
        let source = self.matrix.rows.row(at).to_vec();
        let denominator = source[0].clone();
        let mut cut = vec![N::zero(); source.len()];
        for (entry, part) in cut[1..first].iter_mut().zip(offset) {
            *entry = part.neg()?;
        }
        if let Some(symbol) = quotient {
            cut[2 + symbol] = denominator.clone();
        }
        for (entry, part) in cut[first..].iter_mut().zip(&source[first..]) {
            *entry = part.mod_floor(&denominator)?;
        }
        cut[0] = denominator;
        normalise(&mut cut)?;
        self.push_raw(&cut, false);
        Ok(self.len() - 1)
    }

    /// Takes the last row, a cut that is zero for all symbols there are, away again,
    /// and from row `at`, which then has no fractional part.
    pub fn absorb_cut(&mut self, at: usize) -> Result<(), Stop> {
        let cut = self.matrix.rows.row(self.len() - 1).to_vec();
        self.matrix.rows.truncate(self.len() - 1);
        self.in_row.pop();
        self.exact.pop();
        let row = self.matrix.rows.row_mut(at);
        add_fraction(row, &N::from_i64(-1), &cut)?;
        normalise(row)
    }

    /// Removes rows that say nothing any more: no ordered variable's, and neither
    /// constant nor column can make them negative.
    pub fn drop_settled(&mut self) {
        let mut at = 0;
        while at < self.len() {
            let row = self.matrix.rows.row(at);
            let settled = self.in_row[at].is_none()
                && !self.exact[at]
                && row[2..].iter().all(Num::is_zero)
                && row[1].signum() >= 0;
            if !settled {
                at += 1;
                continue;
            }
            self.matrix.rows.swap_remove(at);
            self.in_row.swap_remove(at);
            self.exact.swap_remove(at);
            if let Some(Some(var)) = self.in_row.get(at) {
                self.places[*var] = TableauPosition::Row(at);
            }
        }
    }
}
