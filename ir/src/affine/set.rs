//! Integer sets: the points at which affine constraints hold.

use rustc_hash::FxHashMap;

use super::constraints::{Emptiness, FourierMotzkinLimits, LinearSystem};
use super::expr::AffineExpr;
use super::flatten::{FlattenError, Flattener, LinearRow};
use super::query::gcd;
use super::simplify::simplify_affine_expr;

/// `expr == 0` or `expr >= 0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    /// What is compared with 0.
    pub expr: AffineExpr,
    /// Whether `expr` must be 0 rather than at least 0.
    pub is_eq: bool,
}

/// `(d0, ...)[s0, ...] : (constraint, ...)`; no constraints hold everywhere.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IntegerSet {
    num_dims: u32,
    num_symbols: u32,
    constraints: Vec<Constraint>,
}

impl IntegerSet {
    /// A set of given constraints. Positions are not checked against the
    /// numbers of dimensions and symbols.
    pub fn new(num_dims: u32, num_symbols: u32, constraints: Vec<Constraint>) -> Self {
        IntegerSet {
            num_dims,
            num_symbols,
            constraints,
        }
    }

    /// The canonical empty set: `1 == 0`.
    pub(crate) fn empty_set(num_dims: u32, num_symbols: u32) -> Self {
        let never = Constraint {
            expr: AffineExpr::Constant(1),
            is_eq: true,
        };
        IntegerSet::new(num_dims, num_symbols, vec![never])
    }

    /// The canonical universe: `0 == 0`.
    pub fn universe(num_dims: u32, num_symbols: u32) -> Self {
        let always = Constraint {
            expr: AffineExpr::Constant(0),
            is_eq: true,
        };
        IntegerSet::new(num_dims, num_symbols, vec![always])
    }

    /// How many dimensions the points of the set have.
    pub fn num_dims(&self) -> u32 {
        self.num_dims
    }

    /// How many symbols the set depends on.
    pub fn num_symbols(&self) -> u32 {
        self.num_symbols
    }

    /// Dimensions and symbols together.
    pub fn num_inputs(&self) -> usize {
        self.num_dims as usize + self.num_symbols as usize
    }

    /// All of which hold for each point of the set.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Whether this is the set that `IntegerSet::empty_set` gives.
    pub fn is_canonical_empty(&self) -> bool {
        *self == IntegerSet::empty_set(self.num_dims, self.num_symbols)
    }

    /// Whether a point is in the set. `None` if a constraint has no value
    /// there and no other one excludes the point.
    pub fn contains(&self, dims: &[i64], symbols: &[i64]) -> Option<bool> {
        let mut known = true;
        for constraint in &self.constraints {
            match constraint.expr.eval(dims, symbols) {
                Some(value) if constraint.is_eq && value != 0 => return Some(false),
                Some(value) if value < 0 => return Some(false),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(true)
    }

    /// Replaces inputs in every constraint; the new set has the given numbers
    /// of inputs.
    pub fn replace_dims_and_symbols(
        &self,
        dims: &[AffineExpr],
        symbols: &[AffineExpr],
        num_dims: u32,
        num_symbols: u32,
    ) -> Self {
        self.map_exprs(num_dims, num_symbols, |expr| {
            expr.replace_dims_and_symbols(dims, symbols)
        })
    }

    fn map_exprs(
        &self,
        num_dims: u32,
        num_symbols: u32,
        mut change: impl FnMut(&AffineExpr) -> AffineExpr,
    ) -> Self {
        let constraints = self
            .constraints
            .iter()
            .map(|c| Constraint {
                expr: change(&c.expr),
                is_eq: c.is_eq,
            })
            .collect();
        IntegerSet::new(num_dims, num_symbols, constraints)
    }

    /// The constraints as rows, with the locals they need.
    fn rows(&self) -> Result<(Flattener, Vec<(LinearRow, bool)>), FlattenError> {
        let mut flattener = Flattener::new(self.num_dims, self.num_symbols);
        let mut rows = Vec::with_capacity(self.constraints.len());
        for constraint in &self.constraints {
            rows.push((flattener.flatten(&constraint.expr)?, constraint.is_eq));
        }
        Ok((flattener, rows))
    }

    /// The set as a system over the columns dimensions, symbols, locals, with
    /// the constraints that define the locals. A local that stands for
    /// something not affine is free in it, so the system may admit more points
    /// than the set.
    ///
    /// # Errors
    ///
    /// If a constraint has no linear form.
    pub fn to_linear_system(&self) -> Result<LinearSystem, FlattenError> {
        let (flattener, rows) = self.rows()?;
        let mut system = LinearSystem::from_flattener(&flattener);
        for (row, is_eq) in &rows {
            if *is_eq {
                system.add_equality(&row.coefficients, row.constant);
            } else {
                system.add_inequality(&row.coefficients, row.constant);
            }
        }
        Ok(system)
    }

    /// Whether the set is known to have no points. `false` says nothing.
    pub fn is_empty(&self) -> bool {
        self.constraints.iter().any(|c| match c.expr.as_constant() {
            Some(value) => value < 0 || (c.is_eq && value != 0),
            None => false,
        }) || self.to_linear_system().is_ok_and(|system| {
            system.emptiness(FourierMotzkinLimits::default()) == Emptiness::Empty
        })
    }

    /// The same set with simplified constraints, equalities first: divided by
    /// common factors, constants of inequalities tightened to integers, those
    /// that always hold or that a parallel one implies removed. A set known to
    /// be empty becomes the canonical empty one, a set without constraints the
    /// canonical universe.
    ///
    /// As MLIR's `simplifyIntegerSet`, except that MLIR adds the definitions of
    /// the locals behind `floordiv` and `mod` as constraints and drops the
    /// constraints of semi-affine sets, and this does neither.
    pub fn simplify(&self) -> Self {
        let Ok((flattener, rows)) = self.rows() else {
            return self.map_exprs(self.num_dims, self.num_symbols, |expr| {
                simplify_affine_expr(expr, self.num_dims, self.num_symbols)
            });
        };
        if self.is_empty() {
            return IntegerSet::empty_set(self.num_dims, self.num_symbols);
        }
        let mut equalities = Vec::new();
        let mut inequalities: Vec<Option<LinearRow>> = Vec::new();
        let mut tightest: FxHashMap<Vec<i64>, usize> = FxHashMap::default();
        for (mut row, is_eq) in rows {
            normalize(&mut row, is_eq);
            if is_eq {
                if row.coefficients.is_empty() && row.constant == 0 {
                    continue;
                }
                equalities.push(row);
                continue;
            }
            if row.coefficients.is_empty() && row.constant >= 0 {
                continue;
            }
            let index = inequalities.len();
            match tightest.get_mut(&row.coefficients) {
                None => {
                    tightest.insert(row.coefficients.clone(), index);
                }
                Some(known) => {
                    let slot = inequalities.get_mut(*known);
                    if let Some(slot) = slot {
                        if slot
                            .as_ref()
                            .is_some_and(|other| other.constant <= row.constant)
                        {
                            continue;
                        }
                        *slot = None;
                    }
                    *known = index;
                }
            }
            inequalities.push(Some(row));
        }
        let constraint = |row: &LinearRow, is_eq| Constraint {
            expr: flattener.expr_of(row),
            is_eq,
        };
        let mut constraints: Vec<Constraint> =
            equalities.iter().map(|row| constraint(row, true)).collect();
        constraints.extend(
            inequalities
                .iter()
                .flatten()
                .map(|row| constraint(row, false)),
        );
        if constraints.is_empty() {
            return IntegerSet::universe(self.num_dims, self.num_symbols);
        }
        IntegerSet::new(self.num_dims, self.num_symbols, constraints)
    }
}

/// Divides a row by the common factor of its coefficients, rounding the
/// constant of an inequality down; cuts trailing zeros.
fn normalize(row: &mut LinearRow, is_eq: bool) {
    while row.coefficients.last() == Some(&0) {
        row.coefficients.pop();
    }
    let mut common = 0;
    for value in &row.coefficients {
        match value.checked_abs() {
            Some(value) => common = gcd(common, value),
            None => return,
        }
    }
    if common <= 1 || (is_eq && row.constant % common != 0) {
        return;
    }
    for value in &mut row.coefficients {
        *value /= common;
    }
    row.constant = row.constant.div_euclid(common);
}
