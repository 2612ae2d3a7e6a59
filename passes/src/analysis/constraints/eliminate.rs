//! Elimination of columns: equalities by Gauss, inequalities by Fourier-Motzkin, rows
//! divided by the common factor of their coefficients (D. Bacon, S. Graham, O. Sharp,
//! "Compiler Transformations for High-Performance Computing", section 5).

use super::{Row, System};
use rustc_hash::FxHashMap;
use terrace_ir::affine::{Emptiness, FourierMotzkinLimits, LinearSystem};
use terrace_presburger::{Conjunct, Int, Space};

/// The most inequalities that an elimination may make before the system is given up.
const MAX_ROWS: usize = 4000;

/// Greatest common divisor of the absolute values; `gcd(0, a) = a`.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let common = num_integer::gcd(a.unsigned_abs(), b.unsigned_abs());
    i128::try_from(common).unwrap_or(1)
}

/// Divide all of a row, the constant included, by their common factor.
fn normalize(row: &mut Row) {
    let common = row.iter().fold(0, |g, c| gcd(g, *c));
    if common > 1 {
        for c in row {
            *c /= common;
        }
    }
}

/// Divide an inequality by the common factor of its coefficients and round the
/// constant down.
fn tighten(row: &mut Row) {
    let Some((constant, coefficients)) = row.split_last_mut() else {
        return;
    };
    let common = coefficients.iter().fold(0, |g, c| gcd(g, *c));
    if common > 1 {
        for c in coefficients {
            *c /= common;
        }
        *constant = constant.div_euclid(common);
    }
}

/// No coefficient gets this large, so that sums and negations of a few never overflow.
const LIMIT: u128 = 1 << 96;

/// `a * x + b * y`, entry by entry.
fn combine(a: i128, x: &Row, b: i128, y: &Row) -> Option<Row> {
    let entry = |x: i128, y: i128| {
        let sum = a.checked_mul(x)?.checked_add(b.checked_mul(y)?)?;
        (sum.unsigned_abs() < LIMIT).then_some(sum)
    };
    x.iter().zip(y).map(|(x, y)| entry(*x, *y)).collect()
}

impl System {
    pub(super) fn tighten_all(&mut self) {
        self.inequalities.iter_mut().for_each(tighten);
    }

    pub(super) fn normalize_all(&mut self) {
        self.equalities.iter_mut().for_each(normalize);
        self.inequalities.iter_mut().for_each(normalize);
    }

    fn give_up(&mut self) {
        self.overflow = true;
        self.clear();
    }

    /// Use an equality to take a column out of all other rows, and drop it.
    fn substitute(&mut self, pivot: usize, column: usize) {
        let by = self.equalities.remove(pivot);
        let lead = by[column];
        for row in self.equalities.iter_mut().chain(&mut self.inequalities) {
            let c = row[column];
            if c == 0 {
                continue;
            }
            let common = gcd(lead, c);
            // The row keeps its direction, so its factor is positive.
            let (keep, take) = ((lead / common).abs(), c / common * -lead.signum());
            match combine(keep, row, take, &by) {
                Some(new) => *row = new,
                None => {
                    self.overflow = true;
                    break;
                }
            }
            normalize(row);
        }
        if self.overflow {
            self.give_up();
        }
        self.tighten_all();
    }

    fn is_zero_column(&self, column: usize) -> bool {
        let mut rows = self.equalities.iter().chain(&self.inequalities);
        rows.all(|r| r[column] == 0)
    }

    /// Eliminate columns from `start` on with the help of equalities, up to the first
    /// that has none. Returns how many were.
    fn gauss(&mut self, start: usize, limit: usize) -> usize {
        self.tighten_all();
        let mut column = start;
        while column < limit {
            match self.equalities.iter().position(|r| r[column] != 0) {
                Some(pivot) => self.substitute(pivot, column),
                None if !self.is_zero_column(column) => break,
                None => {}
            }
            column += 1;
        }
        self.remove_columns(start..column);
        column - start
    }

    /// The column of a range whose elimination makes the fewest inequalities.
    fn cheapest(&self, range: std::ops::Range<usize>) -> usize {
        let cost = |c: &usize| {
            let lower = self.inequalities.iter().filter(|r| r[*c] > 0).count();
            let upper = self.inequalities.iter().filter(|r| r[*c] < 0).count();
            lower * upper
        };
        range.clone().min_by_key(cost).unwrap_or(range.start)
    }

    /// Eliminate one column, by an equality if one mentions it.
    pub fn eliminate(&mut self, column: usize) {
        if let Some(pivot) = self.equalities.iter().position(|r| r[column] != 0) {
            self.substitute(pivot, column);
            self.remove_columns(column..column + 1);
            return;
        }
        self.tighten_all();
        let all = std::mem::take(&mut self.inequalities);
        let (without, with): (Vec<Row>, Vec<Row>) = all.into_iter().partition(|r| r[column] == 0);
        let (lower, upper): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|r| r[column] > 0);
        for u in &upper {
            for l in &lower {
                let common = gcd(u[column], l[column]);
                let (by_u, by_l) = (l[column] / common, -u[column] / common);
                match combine(by_u, u, by_l, l) {
                    Some(row) => self.inequalities.push(row),
                    None => return self.forget_column(column),
                }
            }
        }
        self.inequalities.extend(without);
        self.remove_columns(column..column + 1);
        self.remove_trivial_redundancy();
        if self.inequalities.len() > MAX_ROWS {
            self.give_up();
        }
    }

    fn forget_column(&mut self, column: usize) {
        self.give_up();
        self.remove_columns(column..column + 1);
    }

    /// Eliminate `count` columns from `start` on where what remains is exactly the
    /// projection of the integer points; returns whether it is.
    pub fn project_out_exactly(&mut self, start: usize, count: usize) -> bool {
        for left in (1..=count).rev() {
            let unit = |s: &System, c: usize| -> bool {
                match s.equalities.iter().find(|r| r[c] != 0) {
                    // Only an equality that has an integer solution for every point.
                    Some(_) => s.equalities.iter().any(|r| r[c].abs() == 1),
                    None => {
                        let all = |sign: i128| {
                            let mut rows = s.inequalities.iter().map(|r| r[c] * sign);
                            rows.all(|k| k <= 1)
                        };
                        all(1) || all(-1)
                    }
                }
            };
            let Some(column) = (start..start + left).find(|c| unit(self, *c)) else {
                return false;
            };
            match self.equalities.iter().position(|r| r[column].abs() == 1) {
                Some(pivot) => {
                    self.substitute(pivot, column);
                    self.remove_columns(column..column + 1);
                }
                None => self.eliminate(column),
            }
        }
        !self.overflow
    }

    /// Eliminate `count` columns from `start` on.
    pub fn project_out(&mut self, start: usize, count: usize) {
        if count == 0 {
            return;
        }
        let mut limit = start + count;
        let mut column = start;
        while column < limit {
            limit -= self.gauss(column, limit);
            column += 1;
        }
        while limit > start {
            let column = self.cheapest(start..limit);
            self.eliminate(column);
            limit -= 1;
        }
        self.tighten_all();
        self.normalize_all();
    }

    /// Drop inequalities that always hold, that are there twice, or that another with
    /// the same coefficients implies.
    pub fn remove_trivial_redundancy(&mut self) {
        self.tighten_all();
        self.normalize_all();
        let mut kept: Vec<Option<Row>> = Vec::new();
        let mut known: FxHashMap<Row, usize> = FxHashMap::default();
        for row in std::mem::take(&mut self.inequalities) {
            let Some((constant, coefficients)) = row.split_last() else {
                continue;
            };
            if coefficients.iter().all(|c| *c == 0) && *constant >= 0 {
                continue;
            }
            let here = kept.len();
            match known.get_mut(coefficients) {
                None => {
                    known.insert(coefficients.to_vec(), here);
                }
                Some(at) => {
                    let other = kept[*at].as_ref().and_then(|r| r.last().copied());
                    if other.is_some_and(|o| o <= *constant) {
                        continue;
                    }
                    kept[*at] = None;
                    *at = here;
                }
            }
            kept.push(Some(row));
        }
        self.inequalities = kept.into_iter().flatten().collect();
    }

    /// Drop each inequality that the others imply.
    pub fn remove_redundant_inequalities(&mut self) {
        let mut at = 0;
        while at < self.inequalities.len() {
            let row = self.inequalities.remove(at);
            let negated: Option<Row> = row.iter().map(|c| c.checked_neg()).collect();
            let implied = negated.is_some_and(|mut n| {
                let Some(constant) = n.last_mut() else {
                    return false;
                };
                *constant -= 1;
                self.inequalities.insert(at, n);
                let empty = self.is_empty();
                self.inequalities.remove(at);
                empty
            });
            if !implied {
                self.inequalities.insert(at, row);
                at += 1;
            }
        }
    }

    /// Let columns that an equality gives a constant be that constant, and drop them.
    pub fn fold_constants(&mut self, start: usize, count: usize) {
        let mut column = start;
        for _ in 0..count {
            match self.equality_to_constant(column) {
                Some(row) => {
                    self.substitute(row, column);
                    self.remove_columns(column..column + 1);
                }
                None => column += 1,
            }
        }
    }

    /// The equality that gives a column a constant.
    pub(super) fn equality_to_constant(&self, column: usize) -> Option<usize> {
        self.equality_free_of(column, 0..self.num_columns())
    }

    /// The equality that gives a column, with coefficient 1 or -1, in terms of columns
    /// outside `range`.
    pub(super) fn equality_free_of(
        &self,
        column: usize,
        range: std::ops::Range<usize>,
    ) -> Option<usize> {
        self.equalities.iter().position(|row| {
            row[column].abs() == 1 && range.clone().all(|c| c == column || row[c] == 0)
        })
    }

    /// As plain rows; `None` where a coefficient does not fit in 64 bits.
    fn as_linear_system(&self) -> Option<LinearSystem> {
        let narrow = |row: &Row| -> Option<(Vec<i64>, i64)> {
            let (constant, coefficients) = row.split_last()?;
            let c: Result<Vec<i64>, _> = coefficients.iter().map(|c| i64::try_from(*c)).collect();
            Some((c.ok()?, i64::try_from(*constant).ok()?))
        };
        let mut system = LinearSystem::new(self.num_columns());
        for row in &self.equalities {
            let (c, k) = narrow(row)?;
            system.add_equality(&c, k);
        }
        for row in &self.inequalities {
            let (c, k) = narrow(row)?;
            system.add_inequality(&c, k);
        }
        Some(system)
    }

    /// Whether the system is known to have no integer solutions.
    pub fn is_empty(&self) -> bool {
        !self.overflow
            && self
                .as_linear_system()
                .is_some_and(|s| s.emptiness(FourierMotzkinLimits::default()) == Emptiness::Empty)
    }

    /// Whether the system has no integer solutions, decided exactly; not where the search
    /// is given up.
    pub fn has_no_points(&self) -> bool {
        if self.overflow {
            return false;
        }
        if self.is_empty() {
            return true;
        }
        let mut set = Conjunct::universe(Space::set(0, self.num_columns()));
        for (rows, equal) in [(&self.equalities, true), (&self.inequalities, false)] {
            for row in rows {
                let Some((constant, coefficients)) = row.split_last() else {
                    continue;
                };
                let c: Vec<Int> = coefficients.iter().map(|c| Int::from(*c)).collect();
                match equal {
                    true => set.add_equality(&c, Int::from(*constant)),
                    false => set.add_inequality(&c, Int::from(*constant)),
                }
            }
        }
        set.is_empty().unwrap_or(false)
    }

    /// Constant bounds of a column, as far as elimination finds them.
    pub fn constant_bounds(&self, column: usize) -> (Option<i64>, Option<i64>) {
        if self.overflow {
            return (None, None);
        }
        self.as_linear_system()
            .and_then(|s| {
                s.column_bounds(column, FourierMotzkinLimits::default())
                    .ok()
            })
            .unwrap_or((None, None))
    }
}
