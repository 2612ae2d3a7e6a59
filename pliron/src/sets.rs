//! Integer sets and maps, exactly: those of attributes, and what is done with them.
//!
//! ```
//! use terrace_pliron::attrs::IntegerSetAttr;
//! use terrace_pliron::sets::set;
//!
//! // The even numbers below n, and those that a multiple of six is.
//! let even = IntegerSetAttr::parse_text("(i)[n] : (i >= 0, n - i - 1 >= 0, i mod 2 == 0)")?;
//! let six = IntegerSetAttr::parse_text("(i)[n] : (i >= 0, n - i - 1 >= 0, i mod 6 == 0)")?;
//! let (even, six) = (set(&even.0)?, set(&six.0)?);
//! assert_eq!(six.is_subset(&even), Ok(true));
//! assert_eq!(even.is_subset(&six), Ok(false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use terrace_presburger::{Conjunct, Int, Relation, Set, Space, Unknown};

use terrace_ir::affine::{AffineExpr, AffineMap, FlattenError, Flattener, IntegerSet, LinearRow};

/// Why an expression is in no integer set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetError {
    /// It has no linear form.
    Linear(FlattenError),
    /// It has a product of variables, or a division by one.
    SemiAffine,
}

impl std::fmt::Display for SetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SetError::Linear(e) => e.fmt(f),
            SetError::SemiAffine => f.write_str("a product of variables, or a division by one"),
        }
    }
}

impl std::error::Error for SetError {}

/// Constraints of one space, whose divisions are existentially quantified.
struct Constraints {
    flattener: Flattener,
    /// The columns of the relation that dimensions and symbols are.
    columns: Vec<usize>,
    made: Conjunct,
}

impl Constraints {
    fn new(dims: u32, symbols: u32, space: Space, first_dim: usize) -> Constraints {
        let columns = (0..dims as usize)
            .map(|d| first_dim + d)
            .chain(0..symbols as usize);
        Constraints {
            flattener: Flattener::new(dims, symbols),
            columns: columns.collect(),
            made: Conjunct::universe(space),
        }
    }

    /// A row over dimensions, symbols and locals as one over the relation's columns.
    fn row(&self, row: &LinearRow) -> Vec<Int> {
        let mut made = vec![Int::ZERO; self.made.row_len() - 1];
        for (k, c) in row.coefficients.iter().enumerate().filter(|c| *c.1 != 0) {
            made[self.columns[k]] = Int::from(*c);
        }
        made
    }

    /// The linear form of an expression, with a column for each division in it.
    fn linear(&mut self, e: &AffineExpr) -> Result<(Vec<Int>, i64), SetError> {
        let before = self.flattener.locals().len();
        let row = self.flattener.flatten(e).map_err(SetError::Linear)?;
        let locals = self.flattener.locals()[before..].to_vec();
        for local in locals {
            let column = self.made.add_local();
            self.columns.push(column);
            let division = local.division.ok_or(SetError::SemiAffine)?;
            // 0 <= dividend - divisor * local < divisor.
            let mut low = self.row(&division.dividend);
            low[column] = Int::from(-division.divisor);
            let high: Vec<Int> = low.iter().map(|c| -c).collect();
            let constant = i128::from(division.dividend.constant);
            let most = i128::from(division.divisor) - 1;
            self.made.add_inequality(&low, Int::from(constant));
            self.made.add_inequality(&high, Int::from(most - constant));
        }
        Ok((self.row(&row), row.constant))
    }
}

/// The points of an integer set; its symbols are the parameters.
///
/// # Errors
///
/// That it has a product of variables, a division by one, or numbers beyond 64 bits.
pub fn set(of: &IntegerSet) -> Result<Set, SetError> {
    let (dims, symbols) = (of.num_dims(), of.num_symbols());
    let space = Space::set(symbols as usize, dims as usize);
    let mut all = Constraints::new(dims, symbols, space, symbols as usize);
    for c in of.constraints() {
        let (row, constant) = all.linear(&c.expr)?;
        match c.is_eq {
            true => all.made.add_equality(&row, constant.into()),
            false => all.made.add_inequality(&row, constant.into()),
        }
    }
    Ok(Relation::from(all.made))
}

/// The pairs of points and what a map makes of them; its symbols are the parameters.
///
/// # Errors
///
/// As for [`set`].
pub fn relation(of: &AffineMap) -> Result<Relation, SetError> {
    let (dims, symbols) = (of.num_dims(), of.num_symbols());
    let space = Space::map(symbols as usize, dims as usize, of.num_results());
    let mut all = Constraints::new(dims, symbols, space, symbols as usize);
    for (k, e) in of.results().iter().enumerate() {
        let (mut row, constant) = all.linear(e)?;
        row[space.output_columns().start + k] = Int::from(-1_i64);
        all.made.add_equality(&row, constant.into());
    }
    Ok(Relation::from(all.made))
}
