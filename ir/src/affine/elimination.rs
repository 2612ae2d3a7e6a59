//! Elimination of the columns of a [`LinearSystem`]: equalities by unimodular
//! column operations and substitution, inequalities by Fourier-Motzkin.

use rustc_hash::FxHashMap;

use super::constraints::{FourierMotzkinLimits, LinearSystem, Row, Stop, Unknown, constant_of};

const OVERFLOW: Stop = Stop::Unknown(Unknown::Overflow);

impl LinearSystem {
    /// Eliminates every column but `keep`.
    pub(super) fn eliminate(
        &mut self,
        keep: Option<usize>,
        limits: FourierMotzkinLimits,
    ) -> Result<(), Stop> {
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

    /// Uses one equality to remove a column. Returns whether there was one.
    ///
    /// The steps of Euclid's algorithm are all made on that equality: its smallest
    /// coefficient falls with each. Changing over to another equality with a smaller one
    /// could go round in circles, since every step changes the others too.
    fn eliminate_one_equality(&mut self, keep: Option<usize>) -> Result<bool, Stop> {
        // The one with the smallest coefficient of all.
        let smallest = |row: &Row| {
            let others = row.iter().take(self.columns).enumerate();
            others
                .filter(|(column, value)| **value != 0 && Some(*column) != keep)
                .map(|(column, value)| (value.saturating_abs(), column))
                .min()
        };
        let sizes = self.equalities.iter().enumerate();
        let first = sizes
            .filter_map(|(index, row)| Some((smallest(row)?.0, index)))
            .min();
        let Some((_, index)) = first else {
            return Ok(false);
        };
        let mut equality = self.equalities.swap_remove(index);
        loop {
            let Some((_, pivot)) = smallest(&equality) else {
                return Ok(true);
            };
            let lead = equality.get(pivot).copied().unwrap_or(0);
            // x[pivot] becomes x[pivot]' - sum of q x[column], which takes q * lead from
            // each other coefficient. Unimodular, so integer points stay integer points.
            let mut quotients = Vec::new();
            let mut others_vanish = true;
            for (column, value) in equality.iter().take(self.columns).enumerate() {
                if column != pivot && Some(column) != keep && *value != 0 {
                    others_vanish = false;
                    let quotient = value.checked_div_euclid(lead).ok_or(OVERFLOW)?;
                    if quotient != 0 {
                        quotients.push((column, quotient));
                    }
                }
            }
            if lead.unsigned_abs() == 1 || others_vanish {
                for row in self.equalities.iter_mut().chain(&mut self.inequalities) {
                    cancel(row, &equality, pivot, lead).ok_or(OVERFLOW)?;
                }
                return Ok(true);
            }
            let rows = self.equalities.iter_mut().chain(&mut self.inequalities);
            for row in rows.chain(std::iter::once(&mut equality)) {
                shear(row, pivot, &quotients).ok_or(OVERFLOW)?;
            }
        }
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

/// The common factor of the coefficients, 0 if all are 0.
fn common_factor(row: &[i128]) -> i128 {
    let coefficients = row
        .split_last()
        .map_or(&[][..], |(_, coefficients)| coefficients);
    (coefficients.iter()).fold(0, |a, b| num_integer::gcd(a, b.saturating_abs()))
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
