//! Systems of linear equalities and inequalities over integers.
//!
//! Emptiness and bounds by elimination: equalities exactly (unimodular column
//! operations until a coefficient is 1), inequalities by Fourier-Motzkin. Each
//! row is divided by the common factor of its coefficients and its constant
//! rounded to an integer. Apart from that tightening the arithmetic is
//! rational, so "empty" is always right, while "not shown empty" leaves sets
//! that have rational points but no integer ones.

use super::flatten::Flattener;

/// How much work an elimination may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourierMotzkinLimits {
    /// The most inequalities at any time.
    pub rows: usize,
}

impl Default for FourierMotzkinLimits {
    fn default() -> Self {
        FourierMotzkinLimits { rows: 2000 }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A coefficient left the range of 128 bits.
    Overflow,
    /// More inequalities than the limit.
    TooManyRows,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unknown::Overflow => "a coefficient does not fit in 128 bits",
            Unknown::TooManyRows => "elimination makes too many inequalities",
        })
    }
}

/// Whether a system has integer solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// It has none.
    Empty,
    /// It has rational solutions, as far as rounding tells; integer ones most
    /// likely.
    NotShownEmpty,
    /// The test gave up, for this reason.
    Unknown(Unknown),
}

/// What stops an elimination.
pub(super) enum Stop {
    Empty,
    Unknown(Unknown),
}

/// Coefficients, then the constant.
pub(super) type Row = Vec<i128>;

/// Equalities `row == 0` and inequalities `row >= 0` over integer columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearSystem {
    pub(super) columns: usize,
    pub(super) equalities: Vec<Row>,
    pub(super) inequalities: Vec<Row>,
}

impl LinearSystem {
    /// A system without constraints.
    pub fn new(columns: usize) -> Self {
        LinearSystem {
            columns,
            ..LinearSystem::default()
        }
    }

    /// The columns and locals of a flattener, with the constraints that define
    /// the locals that are divisions.
    pub(crate) fn from_flattener(flattener: &Flattener) -> Self {
        let inputs = flattener.num_inputs();
        let mut system = LinearSystem::new(inputs + flattener.locals().len());
        for (index, local) in flattener.locals().iter().enumerate() {
            if let Some(division) = &local.division {
                system.define_division(
                    inputs + index,
                    &division.dividend.coefficients,
                    division.dividend.constant,
                    division.divisor,
                );
            }
        }
        system
    }

    /// The number of variables.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Adds a column, without constraints, and returns its index.
    pub fn add_column(&mut self) -> usize {
        self.columns += 1;
        for row in self.equalities.iter_mut().chain(&mut self.inequalities) {
            row.insert(self.columns - 1, 0);
        }
        self.columns - 1
    }

    fn make_row(
        &mut self,
        coefficients: impl ExactSizeIterator<Item = i128>,
        constant: i128,
    ) -> Row {
        while self.columns < coefficients.len() {
            self.add_column();
        }
        let mut row: Row = coefficients.collect();
        row.resize(self.columns, 0);
        row.push(constant);
        row
    }

    /// Adds `coefficients . x + constant == 0`. Columns beyond the end of the
    /// list have coefficient 0; a longer list adds columns.
    pub fn add_equality(&mut self, coefficients: &[i64], constant: i64) {
        let row = self.make_row(coefficients.iter().map(|c| i128::from(*c)), constant.into());
        self.equalities.push(row);
    }

    /// Adds `coefficients . x + constant >= 0`; as for
    /// [`LinearSystem::add_equality`].
    pub fn add_inequality(&mut self, coefficients: &[i64], constant: i64) {
        let row = self.make_row(coefficients.iter().map(|c| i128::from(*c)), constant.into());
        self.inequalities.push(row);
    }

    /// Constrains a column to `(coefficients . x + constant) floordiv divisor`.
    /// A divisor that is not positive constrains nothing.
    pub(crate) fn define_division(
        &mut self,
        column: usize,
        coefficients: &[i64],
        constant: i64,
        divisor: i64,
    ) {
        if divisor <= 0 {
            return;
        }
        let mut lower: Row = coefficients.iter().map(|c| i128::from(*c)).collect();
        if lower.len() <= column {
            lower.resize(column + 1, 0);
        }
        if let Some(entry) = lower.get_mut(column) {
            // No overflow: both are 64 bits wide.
            *entry -= i128::from(divisor);
        }
        let upper: Row = lower.iter().map(|c| -*c).collect();
        let constant = i128::from(constant);
        let lower = self.make_row(lower.into_iter(), constant);
        let upper = self.make_row(upper.into_iter(), i128::from(divisor) - 1 - constant);
        self.inequalities.push(lower);
        self.inequalities.push(upper);
    }

    /// Whether the system has integer solutions.
    pub fn emptiness(&self, limits: FourierMotzkinLimits) -> Emptiness {
        let mut system = self.clone();
        match system.eliminate(None, limits) {
            Ok(()) => Emptiness::NotShownEmpty,
            Err(Stop::Empty) => Emptiness::Empty,
            Err(Stop::Unknown(reason)) => Emptiness::Unknown(reason),
        }
    }

    /// Constant bounds of `coefficients . x + constant`, as far as elimination
    /// finds them; not necessarily attained. A system found to be empty has
    /// none.
    ///
    /// # Errors
    ///
    /// [`Unknown`] if the elimination was given up.
    pub fn bounds(
        &self,
        coefficients: &[i64],
        constant: i64,
        limits: FourierMotzkinLimits,
    ) -> Result<(Option<i64>, Option<i64>), Unknown> {
        let mut system = self.clone();
        while system.columns < coefficients.len() {
            system.add_column();
        }
        let target = system.add_column();
        let terms = (0..target).map(|c| i128::from(coefficients.get(c).copied().unwrap_or(0)));
        let mut row: Row = terms.collect();
        row.push(-1);
        let row = system.make_row(row.into_iter(), constant.into());
        system.equalities.push(row);
        match system.eliminate(Some(target), limits) {
            Ok(()) => Ok(system.bounds_of_last_column(target)),
            Err(Stop::Empty) => Ok((None, None)),
            Err(Stop::Unknown(reason)) => Err(reason),
        }
    }

    /// Constant bounds of one column; see [`LinearSystem::bounds`].
    ///
    /// # Errors
    ///
    /// [`Unknown`] if the elimination was given up.
    pub fn column_bounds(
        &self,
        column: usize,
        limits: FourierMotzkinLimits,
    ) -> Result<(Option<i64>, Option<i64>), Unknown> {
        let mut coefficients = vec![0; column];
        coefficients.push(1);
        self.bounds(&coefficients, 0, limits)
    }

    /// Bounds of a column that is the only one left in any row.
    fn bounds_of_last_column(&self, column: usize) -> (Option<i64>, Option<i64>) {
        let (mut lo, mut hi): (Option<i128>, Option<i128>) = (None, None);
        let mut below = |bound: i128| lo = Some(lo.map_or(bound, |lo| lo.max(bound)));
        let mut above = |bound: i128| hi = Some(hi.map_or(bound, |hi| hi.min(bound)));
        // Rows are normalised: the coefficient is 1 or -1.
        for row in &self.inequalities {
            match row.get(column) {
                Some(1) => below(-constant_of(row)),
                Some(-1) => above(constant_of(row)),
                _ => {}
            }
        }
        for row in &self.equalities {
            let value = match row.get(column) {
                Some(1) => -constant_of(row),
                Some(-1) => constant_of(row),
                _ => continue,
            };
            below(value);
            above(value);
        }
        let narrow = |bound: Option<i128>| bound.and_then(|bound| i64::try_from(bound).ok());
        (narrow(lo), narrow(hi))
    }
}

/// The constant of a row.
pub(super) fn constant_of(row: &[i128]) -> i128 {
    row.last().copied().unwrap_or(0)
}
