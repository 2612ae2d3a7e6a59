//! The simplex method over exact rationals, one constraint after the other.
//!
//! D. Detlefs, G. Nelson, J. B. Saxe, "Simplify: a theorem prover for program
//! checking", J. ACM 52(3), 2005, section 8: the variables asked about are not
//! restricted in sign, each inequality is a further variable that is, and the tableau
//! says each variable of a row through those of the columns, which are all zero at the
//! present vertex. Bland's rule keeps it from going round in circles. A snapshot is a
//! clone: the tables of loop programs are small.

use crate::num::{Budget, Num, Stop};
use crate::simplex::matrix::{Matrix, add_fraction, normalise};
use crate::simplex::ratio::Ratio;
use crate::solve::rows::Rows;

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableauPosition {
    Row(usize),
    Column(usize),
}

/// Inequalities by number, each with its multiplier.
pub(crate) type Multipliers<N> = Vec<(usize, N)>;

#[derive(Clone, Debug)]
pub(crate) struct Tableau<N> {
    /// Rows: denominator, constant, one coefficient a column.
    matrix: Matrix<N>,
    /// The free variables first, then one for each inequality.
    places: Vec<TableauPosition>,
    in_row: Vec<usize>,
    in_column: Vec<usize>,
    free: usize,
    /// Inequalities that are given up: they may be negative, like free variables.
    relaxed: Vec<usize>,
}

/// The place of the first column in a row.
const FIRST: usize = 2;

impl<N: Num> Tableau<N> {
    /// `vars` variables without constraints, all at zero.
    pub fn new(vars: usize, rows: usize) -> Tableau<N> {
        Tableau {
            matrix: Matrix::new(vars + 1, rows),
            places: (0..vars).map(TableauPosition::Column).collect(),
            in_row: Vec::with_capacity(rows),
            in_column: (0..vars).collect(),
            free: vars,
            relaxed: Vec::new(),
        }
    }

    /// Of inequalities `row . (x, 1) >= 0`; none where they exclude each other.
    pub fn of(rows: &Rows<N>, budget: &mut Budget) -> Result<Option<Tableau<N>>, Stop> {
        let mut tableau = Tableau::new(rows.width() - 1, rows.len());
        for row in rows.iter() {
            if !tableau.add_inequality(row, budget)? {
                return Ok(None);
            }
        }
        Ok(Some(tableau))
    }

    /// How many inequalities were added.
    pub fn inequalities(&self) -> usize {
        self.places.len() - self.free
    }

    /// Demands `row . (x, 1) >= 0`. False where that leaves no rational point: the
    /// tableau is of no use then.
    pub fn add_inequality(&mut self, row: &[N], budget: &mut Budget) -> Result<bool, Stop> {
        let at = self.push_row(row)?;
        self.in_row.push(self.places.len());
        self.places.push(TableauPosition::Row(at));
        self.restore(self.places.len() - 1, budget)
    }

    /// Demands `row . (x, 1) == 0`, as two inequalities, that of `row` first.
    pub fn add_equality(&mut self, row: &[N], budget: &mut Budget) -> Result<bool, Stop> {
        if !self.add_inequality(row, budget)? {
            return Ok(false);
        }
        let mut negated = Vec::with_capacity(row.len());
        for entry in row {
            negated.push(entry.neg()?);
        }
        self.add_inequality(&negated, budget)
    }

    /// The value of free variable `var` at the present vertex.
    pub fn value(&self, var: usize) -> Ratio<N> {
        self.value_of(self.places[var])
    }

    /// The value of an inequality's form at the present vertex: not negative.
    pub fn slack(&self, inequality: usize) -> Ratio<N> {
        self.value_of(self.places[self.free + inequality])
    }

    fn value_of(&self, place: TableauPosition) -> Ratio<N> {
        match place {
            TableauPosition::Column(_) => Ratio {
                numerator: N::zero(),
                denominator: N::from_i64(1),
            },
            TableauPosition::Row(at) => {
                let row = self.matrix.rows.row(at);
                Ratio {
                    numerator: row[1].clone(),
                    denominator: row[0].clone(),
                }
            }
        }
    }

    /// The present vertex, if it is an integer point.
    pub fn integer_point(&self) -> Result<Option<Vec<N>>, Stop> {
        let mut point = Vec::with_capacity(self.free);
        for var in 0..self.free {
            let value = self.value(var);
            if !value.is_integral()? {
                return Ok(None);
            }
            point.push(value.floor()?);
        }
        Ok(Some(point))
    }

    /// The greatest value of `form . (x, 1)`, none where there is no greatest; the
    /// present vertex has it then. With it the multipliers of the inequalities: the
    /// form is its maximum minus their sum weighted by these, all over the
    /// maximum's denominator. Only those that are not zero are given.
    pub fn maximum(
        &mut self,
        form: &[N],
        budget: &mut Budget,
    ) -> Result<Option<(Ratio<N>, Multipliers<N>)>, Stop> {
        let at = self.push_row(form)?;
        // The form has a row as long as this takes, and no variable.
        self.in_row.push(usize::MAX);
        let bounded = self.climb(at, budget);
        let row = self.matrix.rows.row(at);
        let maximum = Ratio {
            numerator: row[1].clone(),
            denominator: row[0].clone(),
        };
        let mut multipliers = Multipliers::new();
        if let Ok(true) = bounded {
            for (column, entry) in row[FIRST..].iter().enumerate() {
                let var = self.in_column[column];
                if !entry.is_zero() && var >= self.free {
                    multipliers.push((var - self.free, entry.neg()?));
                }
            }
        }
        self.matrix.rows.truncate(at);
        self.in_row.pop();
        Ok(bounded?.then_some((maximum, multipliers)))
    }

    /// The least value of `form . (x, 1)`, none where there is no least.
    pub fn minimum(&mut self, form: &[N], budget: &mut Budget) -> Result<Option<Ratio<N>>, Stop> {
        let mut negated = Vec::with_capacity(form.len());
        for entry in form {
            negated.push(entry.neg()?);
        }
        match self.maximum(&negated, budget)? {
            None => Ok(None),
            Some((maximum, _)) => Ok(Some(Ratio {
                numerator: maximum.numerator.neg()?,
                denominator: maximum.denominator,
            })),
        }
    }

    /// The greatest value of an inequality's own form; none where there is no
    /// greatest.
    pub fn greatest_slack(
        &mut self,
        inequality: usize,
        budget: &mut Budget,
    ) -> Result<Option<Ratio<N>>, Stop> {
        let var = self.free + inequality;
        if let TableauPosition::Column(column) = self.places[var] {
            // Into a row, by a step up along its column.
            match self.limit(column, true)? {
                None => return Ok(None),
                Some(at) => self.pivot(at, column, budget)?,
            }
        }
        let TableauPosition::Row(at) = self.places[var] else {
            unreachable!("pivoted into a row");
        };
        // Its own row never limits what makes it greater.
        let bounded = self.climb(at, budget)?;
        Ok(bounded.then(|| self.slack(inequality)))
    }

    /// Whether the variable is an inequality that must hold.
    fn is_restricted(&self, var: usize) -> bool {
        var >= self.free && var != usize::MAX && !self.relaxed.contains(&var)
    }

    /// Whether the inequality's form, which is an integer at integer points, is nowhere
    /// one or more: there it is zero.
    pub fn is_equality(&mut self, inequality: usize, budget: &mut Budget) -> Result<bool, Stop> {
        let slack = self.slack(inequality);
        if slack.numerator >= slack.denominator {
            return Ok(false);
        }
        let greatest = self.greatest_slack(inequality, budget)?;
        Ok(greatest.is_some_and(|slack| slack.numerator < slack.denominator))
    }

    /// Whether the other inequalities imply this one at all integer points: its form
    /// is an integer there, and so not negative where it is more than -1. It is given
    /// up then, so that others are not held to be implied by it.
    pub fn drop_implied(&mut self, inequality: usize, budget: &mut Budget) -> Result<bool, Stop> {
        let var = self.free + inequality;
        self.relaxed.push(var);
        if let TableauPosition::Column(column) = self.places[var] {
            // Down along its column, into a row.
            match self.limit(column, false)? {
                None => return self.keep(var, budget),
                Some(at) => self.pivot(at, column, budget)?,
            }
        }
        loop {
            let TableauPosition::Row(at) = self.places[var] else {
                unreachable!("only its own pivot would make it a column");
            };
            let row = self.matrix.rows.row(at);
            if row[1].add(&row[0])?.signum() <= 0 {
                return self.keep(var, budget);
            }
            let Some((column, up)) = self.lowering(at) else {
                return Ok(true);
            };
            match self.limit(column, up)? {
                None => return self.keep(var, budget),
                Some(limit) => self.pivot(limit, column, budget)?,
            }
        }
    }

    fn keep(&mut self, var: usize, budget: &mut Budget) -> Result<bool, Stop> {
        self.relaxed.pop();
        let feasible = self.restore(var, budget)?;
        debug_assert!(feasible, "it held before");
        Ok(false)
    }

    /// As [`Tableau::improving`], for making the row smaller.
    fn lowering(&self, at: usize) -> Option<(usize, bool)> {
        self.moving(at, -1)
    }

    /// Pivots until row `at` is as great as it can be; false where there is no end.
    fn climb(&mut self, at: usize, budget: &mut Budget) -> Result<bool, Stop> {
        while let Some((column, up)) = self.improving(at) {
            match self.limit(column, up)? {
                None => return Ok(false),
                Some(limit) => self.pivot(limit, column, budget)?,
            }
        }
        Ok(true)
    }

    /// Makes the last inequality hold, which the others need not allow.
    fn restore(&mut self, var: usize, budget: &mut Budget) -> Result<bool, Stop> {
        loop {
            let TableauPosition::Row(at) = self.places[var] else {
                return Ok(true);
            };
            if self.matrix.rows.row(at)[1].signum() >= 0 {
                return Ok(true);
            }
            let Some((column, up)) = self.improving(at) else {
                return Ok(false);
            };
            // What nothing limits can be raised until the row itself is zero.
            let limit = self.limit(column, up)?.unwrap_or(at);
            self.pivot(limit, column, budget)?;
        }
    }

    /// A column that makes row `at` greater, and whether upwards: by Bland's rule that
    /// of the variable with the smallest number.
    fn improving(&self, at: usize) -> Option<(usize, bool)> {
        self.moving(at, 1)
    }

    fn moving(&self, at: usize, direction: i32) -> Option<(usize, bool)> {
        let row = self.matrix.rows.row(at);
        let mut best: Option<(usize, usize, bool)> = None;
        for (column, entry) in row[FIRST..].iter().enumerate() {
            let sign = entry.signum() * direction;
            let var = self.in_column[column];
            if sign == 0 || (sign < 0 && self.is_restricted(var)) {
                continue;
            }
            if best.is_none_or(|(least, ..)| var < least) {
                best = Some((var, column, sign > 0));
            }
        }
        best.map(|(_, column, up)| (column, up))
    }

    /// The row of an inequality that reaches zero first when the column's variable
    /// moves. Rows that are negative now do not limit anything.
    fn limit(&self, column: usize, up: bool) -> Result<Option<usize>, Stop> {
        let mut best: Option<(usize, Ratio<N>)> = None;
        for (at, row) in self.matrix.rows.iter().enumerate() {
            let var = self.in_row[at];
            if !self.is_restricted(var) || row[1].signum() < 0 {
                continue;
            }
            let entry = &row[FIRST + column];
            if entry.signum() == 0 || (entry.signum() > 0) == up {
                continue;
            }
            let step = Ratio {
                numerator: row[1].clone(),
                denominator: entry.abs()?,
            };
            let nearer = match &best {
                None => true,
                Some((old, least)) => match step.compare(least)? {
                    std::cmp::Ordering::Less => true,
                    std::cmp::Ordering::Equal => var < self.in_row[*old],
                    std::cmp::Ordering::Greater => false,
                },
            };
            if nearer {
                best = Some((at, step));
            }
        }
        Ok(best.map(|(at, _)| at))
    }

    fn pivot(&mut self, at: usize, column: usize, budget: &mut Budget) -> Result<(), Stop> {
        self.matrix.pivot(at, FIRST + column, budget)?;
        let (entering, leaving) = (self.in_column[column], self.in_row[at]);
        self.in_column[column] = leaving;
        self.in_row[at] = entering;
        self.places[entering] = TableauPosition::Row(at);
        self.places[leaving] = TableauPosition::Column(column);
        Ok(())
    }

    /// A row for a form over the free variables, said through the columns.
    fn push_row(&mut self, form: &[N]) -> Result<usize, Stop> {
        let at = self.matrix.rows.len();
        let mut row = vec![N::zero(); self.matrix.rows.width()];
        row[0] = N::from_i64(1);
        row[1] = form[self.free].clone();
        for (var, factor) in form[..self.free].iter().enumerate() {
            if factor.is_zero() {
                continue;
            }
            match self.places[var] {
                TableauPosition::Column(column) => {
                    let denominator = row[0].clone();
                    row[FIRST + column].add_product(factor, &denominator)?;
                }
                TableauPosition::Row(other) => {
                    add_fraction(&mut row, factor, self.matrix.rows.row(other))?;
                }
            }
        }
        normalise(&mut row)?;
        self.matrix.rows.push(&row);
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tableau(rows: &[[i64; 3]]) -> Option<Tableau<i64>> {
        let mut all = Rows::new(3);
        for row in rows {
            all.push(row);
        }
        Tableau::of(&all, &mut Budget::new(1000)).unwrap()
    }

    /// G. Dantzig's kind of example: 3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18 is
    /// 36 at (2, 6), with the multipliers 0, 3/2 and 1.
    #[test]
    fn maximum_and_multipliers() {
        let rows = [[-1, 0, 4], [0, -2, 12], [-3, -2, 18], [1, 0, 0], [0, 1, 0]];
        let mut tableau = tableau(&rows).expect("feasible");
        let budget = &mut Budget::new(1000);
        let (value, mut multipliers) = tableau.maximum(&[3, 5, 0], budget).unwrap().unwrap();
        assert_eq!(value.floor().unwrap(), 36);
        assert_eq!(tableau.integer_point().unwrap(), Some(vec![2, 6]));
        multipliers.sort_unstable();
        let scaled: Vec<(usize, i64)> = multipliers
            .into_iter()
            .map(|(at, times)| (at, times * 2 / value.denominator))
            .collect();
        assert_eq!(scaled, [(1, 3), (2, 2)]);
    }

    #[test]
    fn no_rational_point_and_no_maximum() {
        assert!(tableau(&[[1, 1, -3], [-1, 0, 1], [0, -1, 1]]).is_none());
        let mut quadrant = tableau(&[[1, 0, 0], [0, 1, 0]]).expect("feasible");
        let budget = &mut Budget::new(1000);
        assert!(quadrant.maximum(&[1, -1, 0], budget).unwrap().is_none());
        assert!(quadrant.minimum(&[1, 2, 0], budget).unwrap().is_some());
    }

    #[test]
    fn implied_and_equal() {
        let rows = [[1, 0, 0], [0, 1, 0], [-1, -1, 0], [1, 1, 5]];
        let mut tableau = tableau(&rows).expect("feasible");
        let budget = &mut Budget::new(1000);
        assert!(tableau.is_equality(0, budget).unwrap());
        assert!(tableau.is_equality(2, budget).unwrap());
        assert!(!tableau.is_equality(3, budget).unwrap());
        assert!(tableau.drop_implied(3, budget).unwrap());
        assert!(!tableau.drop_implied(2, budget).unwrap());
    }
}
