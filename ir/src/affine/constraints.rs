//! Systems of linear equalities and inequalities over integers.
//!
//! Emptiness and bounds by elimination: equalities exactly (unimodular column
//! operations until a coefficient is 1), inequalities by Fourier-Motzkin. Each
//! row is divided by the common factor of its coefficients and its constant
//! rounded to an integer. Apart from that tightening the arithmetic is
//! rational, so "empty" is always right, while "not shown empty" leaves sets
//! that have rational points but no integer ones.

use rustc_hash::FxHashMap;

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
    Unknown(Unknown),
}

/// What stops an elimination.
enum Stop {
    Empty,
    Unknown(Unknown),
}

/// Coefficients, then the constant.
type Row = Vec<i128>;

/// Equalities `row == 0` and inequalities `row >= 0` over integer columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearSystem {
    columns: usize,
    equalities: Vec<Row>,
    inequalities: Vec<Row>,
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
    pub fn from_flattener(flattener: &Flattener) -> Self {
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

    /// Adds `lo <= x[column] <= hi`, either of which may be absent.
    pub fn add_bounds(&mut self, column: usize, lo: Option<i64>, hi: Option<i64>) {
        let unit = |sign: i128| (0..=column).map(move |c| if c == column { sign } else { 0 });
        if let Some(lo) = lo {
            let row = self.make_row(unit(1).collect::<Row>().into_iter(), -i128::from(lo));
            self.inequalities.push(row);
        }
        if let Some(hi) = hi {
            let row = self.make_row(unit(-1).collect::<Row>().into_iter(), hi.into());
            self.inequalities.push(row);
        }
    }

    /// Constrains a column to `(coefficients . x + constant) floordiv divisor`.
    /// A divisor that is not positive constrains nothing.
    pub fn define_division(
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

    /// Eliminates every column but `keep`.
    fn eliminate(&mut self, keep: Option<usize>, limits: FourierMotzkinLimits) -> Result<(), Stop> {
        loop {
            self.normalize()?;
            if self.eliminate_one_equality(keep)? {
                continue;
            }
            self.merge_inequalities()?;
            if self.find_implied_equality() {
                continue;
            }
            match self.cheapest_column(keep) {
                Some(column) => self.fourier_motzkin(column, limits)?,
                None => return Ok(()),
            }
        }
    }

    /// Divides every row by the common factor of its coefficients and drops
    /// those that always hold.
    fn normalize(&mut self) -> Result<(), Stop> {
        let mut failure = None;
        self.equalities.retain_mut(|row| {
            let common = common_factor(row);
            let constant = constant_of(row);
            if common == 0 {
                if constant != 0 {
                    failure = Some(Stop::Empty);
                }
                return false;
            }
            if constant % common != 0 {
                failure = Some(Stop::Empty);
            }
            divide_row(row, common);
            true
        });
        self.inequalities.retain_mut(|row| {
            let common = common_factor(row);
            if common == 0 {
                if constant_of(row) < 0 {
                    failure = Some(Stop::Empty);
                }
                return false;
            }
            divide_row(row, common);
            true
        });
        failure.map_or(Ok(()), Err)
    }

    /// Uses one equality to remove a column, or to come closer to that.
    /// Returns whether there was one.
    fn eliminate_one_equality(&mut self, keep: Option<usize>) -> Result<bool, Stop> {
        // The pivot: the smallest coefficient of all equalities.
        let mut best: Option<(i128, usize, usize)> = None;
        for (index, row) in self.equalities.iter().enumerate() {
            for (column, value) in row.iter().take(self.columns).enumerate() {
                let size = value.saturating_abs();
                if *value != 0
                    && Some(column) != keep
                    && best.is_none_or(|(least, ..)| size < least)
                {
                    best = Some((size, index, column));
                }
            }
        }
        let Some((_, index, pivot)) = best else {
            return Ok(false);
        };
        let equality = self.equalities.swap_remove(index);
        let lead = equality.get(pivot).copied().unwrap_or(0);
        // Euclid's algorithm on the columns: x[pivot] becomes
        // x[pivot]' - sum of q x[column], which takes q * lead from each other
        // coefficient. Unimodular, so integer points stay integer points.
        let mut quotients = Vec::new();
        for (column, value) in equality.iter().take(self.columns).enumerate() {
            if column != pivot && Some(column) != keep && lead.unsigned_abs() > 1 {
                let quotient = value.checked_div_euclid(lead).ok_or(OVERFLOW)?;
                if quotient != 0 {
                    quotients.push((column, quotient));
                }
            }
        }
        let others_vanish = equality
            .iter()
            .take(self.columns)
            .enumerate()
            .all(|(column, value)| column == pivot || Some(column) == keep || *value == 0);
        if lead.unsigned_abs() > 1 && !others_vanish {
            self.equalities.push(equality);
            for row in self.equalities.iter_mut().chain(&mut self.inequalities) {
                shear(row, pivot, &quotients).ok_or(OVERFLOW)?;
            }
            return Ok(true);
        }
        for row in self.equalities.iter_mut().chain(&mut self.inequalities) {
            cancel(row, &equality, pivot, lead).ok_or(OVERFLOW)?;
        }
        Ok(true)
    }

    /// Keeps, of inequalities with equal coefficients, the tightest.
    fn merge_inequalities(&mut self) -> Result<(), Stop> {
        let mut tightest: FxHashMap<Row, i128> = FxHashMap::default();
        let mut order = Vec::new();
        for row in self.inequalities.drain(..) {
            let mut row = row;
            let constant = row.pop().unwrap_or(0);
            match tightest.get_mut(&row) {
                Some(known) => *known = constant.min(*known),
                None => {
                    order.push(row.clone());
                    tightest.insert(row, constant);
                }
            }
        }
        for mut row in order {
            let constant = tightest.get(&row).copied().unwrap_or(0);
            let opposite: Row = row.iter().map(|value| value.saturating_neg()).collect();
            if let Some(other) = tightest.get(&opposite)
                && constant.checked_add(*other).is_some_and(|sum| sum < 0)
            {
                return Err(Stop::Empty);
            }
            row.push(constant);
            self.inequalities.push(row);
        }
        Ok(())
    }

    /// Turns one pair `e >= 0`, `-e >= 0` into `e == 0`.
    fn find_implied_equality(&mut self) -> bool {
        let mut seen: FxHashMap<&Row, usize> = FxHashMap::default();
        let mut pair = None;
        let negated: Vec<Row> = self
            .inequalities
            .iter()
            .map(|row| row.iter().map(|value| value.saturating_neg()).collect())
            .collect();
        for (index, row) in self.inequalities.iter().enumerate() {
            seen.insert(row, index);
        }
        for (index, row) in negated.iter().enumerate() {
            if let Some(other) = seen.get(row) {
                pair = Some((index.min(*other), index.max(*other)));
                break;
            }
        }
        let Some((first, second)) = pair else {
            return false;
        };
        self.inequalities.remove(second);
        let row = self.inequalities.remove(first);
        self.equalities.push(row);
        true
    }

    /// The column whose elimination makes the fewest rows.
    fn cheapest_column(&self, keep: Option<usize>) -> Option<usize> {
        (0..self.columns)
            .filter(|column| Some(*column) != keep)
            .filter_map(|column| {
                let (mut positive, mut negative) = (0_i64, 0_i64);
                for row in &self.inequalities {
                    match row.get(column).map_or(0, |value| value.signum()) {
                        1 => positive += 1,
                        -1 => negative += 1,
                        _ => {}
                    }
                }
                (positive + negative > 0)
                    .then_some((positive * negative - positive - negative, column))
            })
            .min()
            .map(|(_, column)| column)
    }

    /// Eliminates a column from the inequalities: each lower bound with each
    /// upper bound.
    fn fourier_motzkin(&mut self, column: usize, limits: FourierMotzkinLimits) -> Result<(), Stop> {
        let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for row in self.inequalities.drain(..) {
            match row.get(column).map_or(0, |value| value.signum()) {
                1 => lower.push(row),
                -1 => upper.push(row),
                _ => rest.push(row),
            }
        }
        if lower
            .len()
            .saturating_mul(upper.len())
            .saturating_add(rest.len())
            > limits.rows
        {
            return Err(Stop::Unknown(Unknown::TooManyRows));
        }
        for low in &lower {
            let a = low.get(column).copied().unwrap_or(0);
            for up in &upper {
                // a > 0 > b: -b * low + a * up has no such column.
                let b = up.get(column).copied().unwrap_or(0);
                rest.push(combine(low, b.checked_neg().ok_or(OVERFLOW)?, up, a).ok_or(OVERFLOW)?);
            }
        }
        self.inequalities = rest;
        Ok(())
    }
}

const OVERFLOW: Stop = Stop::Unknown(Unknown::Overflow);

fn constant_of(row: &[i128]) -> i128 {
    row.last().copied().unwrap_or(0)
}

/// The common factor of the coefficients, 0 if all are 0.
fn common_factor(row: &[i128]) -> i128 {
    let coefficients = row
        .split_last()
        .map_or(&[][..], |(_, coefficients)| coefficients);
    coefficients.iter().fold(0_i128, |a, b| {
        let (mut a, mut b) = (a, b.saturating_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// Divides by a positive common factor of the coefficients, rounding the
/// constant down.
fn divide_row(row: &mut [i128], by: i128) {
    if by <= 1 {
        return;
    }
    for value in row {
        *value = value.div_euclid(by);
    }
}

/// `a * x + b * y`. `i128::MIN` counts as overflow, so that every value in a
/// row has a negation.
fn combine(x: &[i128], a: i128, y: &[i128], b: i128) -> Option<Row> {
    x.iter()
        .zip(y)
        .map(|(x, y)| {
            let sum = a.checked_mul(*x)?.checked_add(b.checked_mul(*y)?)?;
            (sum != i128::MIN).then_some(sum)
        })
        .collect()
}

/// Takes `quotient` times the coefficient of the pivot from other columns.
fn shear(row: &mut [i128], pivot: usize, quotients: &[(usize, i128)]) -> Option<()> {
    let lead = row.get(pivot).copied()?;
    if lead == 0 {
        return Some(());
    }
    for (column, quotient) in quotients {
        let value = row.get_mut(*column)?;
        *value = value.checked_sub(quotient.checked_mul(lead)?)?;
        if *value == i128::MIN {
            return None;
        }
    }
    Some(())
}

/// Cancels the pivot column of `row` by a multiple of `equality`, whose
/// coefficient there is `lead`; `row` is only multiplied by positive numbers.
fn cancel(row: &mut Row, equality: &[i128], pivot: usize, lead: i128) -> Option<()> {
    let value = row.get(pivot).copied()?;
    if value != 0 {
        let factor = value.checked_mul(-lead.signum())?;
        *row = combine(row, lead.checked_abs()?, equality, factor)?;
    }
    Some(())
}
