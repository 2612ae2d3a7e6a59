//! Flattening: an expression as a linear form in dimensions, symbols and
//! local variables, one local for each division.
//!
//! `e floordiv c` is a local `q` with `c * q <= e <= c * q + c - 1`;
//! `e ceildiv c` is `(e + c - 1) floordiv c`; `e mod c` is `e - c * q`. What is
//! not affine (a product, or a division by a symbol) becomes a local without
//! a definition as a division. The same division met again is the same local.

use std::fmt;
use std::sync::Arc;

use super::expr::{AffineExpr, AffineOp, BinaryExpr};
use super::query::gcd;

/// The most dimensions and symbols together that are flattened.
const MAX_COLUMNS: usize = 1 << 16;

/// A linear form over the columns dimensions, symbols, locals, in this order,
/// plus a constant. `coefficients` may end early: the columns beyond it have
/// coefficient 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearRow {
    /// One factor for each column, without trailing zeros where it ends early.
    pub coefficients: Vec<i64>,
    /// The term without a variable.
    pub constant: i64,
}

impl LinearRow {
    /// The coefficient of a column.
    pub fn coefficient(&self, column: usize) -> i64 {
        self.coefficients.get(column).copied().unwrap_or(0)
    }

    fn column(column: usize) -> Self {
        let mut row = LinearRow::default();
        row.coefficients.resize(column, 0);
        row.coefficients.push(1);
        row
    }

    fn constant(value: i64) -> Self {
        LinearRow {
            coefficients: Vec::new(),
            constant: value,
        }
    }

    fn values(&self) -> impl Iterator<Item = i64> + '_ {
        self.coefficients.iter().copied().chain([self.constant])
    }

    /// Greatest common divisor of `start` and everything in the row.
    fn gcd(&self, start: i64) -> Option<i64> {
        let mut result = start;
        for value in self.values() {
            result = gcd(result, value.checked_abs()?);
        }
        Some(result)
    }

    fn divide_exactly(&mut self, by: i64) {
        for value in &mut self.coefficients {
            *value /= by;
        }
        self.constant /= by;
    }

    fn add_to_column(&mut self, column: usize, value: i64) -> Option<()> {
        if self.coefficients.len() <= column {
            self.coefficients.resize(column + 1, 0);
        }
        let entry = self.coefficients.get_mut(column)?;
        *entry = entry.checked_add(value)?;
        Some(())
    }

    fn add(&mut self, other: &LinearRow) -> Option<()> {
        for (column, value) in other.coefficients.iter().enumerate() {
            if *value != 0 {
                self.add_to_column(column, *value)?;
            }
        }
        self.constant = self.constant.checked_add(other.constant)?;
        Some(())
    }

    fn scale(&mut self, by: i64) -> Option<()> {
        for value in &mut self.coefficients {
            *value = value.checked_mul(by)?;
        }
        self.constant = self.constant.checked_mul(by)?;
        Some(())
    }
}

/// A local variable that is `dividend floordiv divisor`, rounded down.
/// `divisor` is at least 2; `dividend` mentions earlier locals only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// What is divided.
    pub dividend: LinearRow,
    /// What it is divided by.
    pub divisor: i64,
}

/// A local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// What the local stands for, in dimensions and symbols.
    pub expr: AffineExpr,
    /// Its definition, unless it stands for something not affine.
    pub division: Option<Division>,
}

/// An expression as a linear form with the locals it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatForm {
    /// The dimensions, whose columns come first.
    pub num_dims: u32,
    /// The symbols, whose columns follow.
    pub num_symbols: u32,
    /// What the last columns stand for.
    pub locals: Vec<Local>,
    /// The factors of all columns and the constant.
    pub row: LinearRow,
}

impl FlatForm {
    /// The factor of dimension `dim`.
    pub fn dim_coefficient(&self, dim: u32) -> i64 {
        self.row.coefficient(dim as usize)
    }

    /// The factor of symbol `symbol`.
    pub fn symbol_coefficient(&self, symbol: u32) -> i64 {
        self.row
            .coefficient(self.num_dims as usize + symbol as usize)
    }

    pub(crate) fn local_coefficient(&self, local: usize) -> i64 {
        self.row
            .coefficient(self.num_dims as usize + self.num_symbols as usize + local)
    }

    /// The term without a variable.
    pub fn constant(&self) -> i64 {
        self.row.constant
    }

    /// Whether no local occurs.
    pub fn is_linear(&self) -> bool {
        (0..self.locals.len()).all(|local| self.local_coefficient(local) == 0)
    }
}

/// Why an expression has no linear form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlattenError {
    /// A coefficient does not fit in an `i64`.
    Overflow,
    /// A division or remainder by a constant that is not positive.
    DivisorNotPositive(i64),
    /// A dimension or symbol beyond the number given.
    OutOfRange,
    /// Deeper or larger than [`super::MAX_DEPTH`] and `MAX_NODES` allow.
    TooLarge,
}

impl fmt::Display for FlattenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlattenError::Overflow => f.write_str("a coefficient does not fit in 64 bits"),
            FlattenError::DivisorNotPositive(by) => {
                write!(f, "division or remainder by {by}, which is not positive")
            }
            FlattenError::OutOfRange => {
                f.write_str("a dimension or symbol beyond those of the space")
            }
            FlattenError::TooLarge => f.write_str("the expression is too large to simplify"),
        }
    }
}

impl std::error::Error for FlattenError {}

/// Flattens expressions over one space; the locals are common to all of them.
#[derive(Clone, Debug)]
pub struct Flattener {
    num_dims: u32,
    num_symbols: u32,
    locals: Vec<Local>,
}

impl Flattener {
    /// A flattener for expressions of so many dimensions and symbols, with no locals yet.
    pub fn new(num_dims: u32, num_symbols: u32) -> Self {
        Flattener {
            num_dims,
            num_symbols,
            locals: Vec::new(),
        }
    }

    /// The locals of all expressions flattened so far.
    pub fn locals(&self) -> &[Local] {
        &self.locals
    }

    /// Columns of dimensions and symbols, that is, the first local's column.
    pub fn num_inputs(&self) -> usize {
        self.num_dims as usize + self.num_symbols as usize
    }

    /// The linear form of `expr`; may add locals.
    ///
    /// # Errors
    ///
    /// See [`FlattenError`]. Locals added before an error stay.
    pub fn flatten(&mut self, expr: &AffineExpr) -> Result<LinearRow, FlattenError> {
        if !expr.within_limits() {
            return Err(FlattenError::TooLarge);
        }
        enum Step<'a> {
            Enter(&'a AffineExpr),
            Leave(&'a Arc<BinaryExpr>),
        }
        let mut rows: Vec<LinearRow> = Vec::new();
        let mut steps = vec![Step::Enter(expr)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(AffineExpr::Binary(node)) => {
                    steps.push(Step::Leave(node));
                    steps.push(Step::Enter(node.rhs()));
                    steps.push(Step::Enter(node.lhs()));
                }
                Step::Enter(leaf) => rows.push(self.leaf(leaf)?),
                Step::Leave(node) => {
                    // Every Leave follows the two Enters that pushed rows.
                    let (Some(rhs), Some(lhs)) = (rows.pop(), rows.pop()) else {
                        return Err(FlattenError::TooLarge);
                    };
                    rows.push(self.combine(node.op(), lhs, node.rhs(), rhs)?);
                }
            }
        }
        rows.pop().ok_or(FlattenError::TooLarge)
    }

    fn leaf(&self, leaf: &AffineExpr) -> Result<LinearRow, FlattenError> {
        match leaf {
            AffineExpr::Constant(value) => Ok(LinearRow::constant(*value)),
            // A row is as long as its last column, so a space this wide would
            // cost more memory than any program is worth.
            _ if self.num_inputs() > MAX_COLUMNS => Err(FlattenError::TooLarge),
            AffineExpr::Dim(position) if *position < self.num_dims => {
                Ok(LinearRow::column(*position as usize))
            }
            AffineExpr::Symbol(position) if *position < self.num_symbols => Ok(LinearRow::column(
                self.num_dims as usize + *position as usize,
            )),
            _ => Err(FlattenError::OutOfRange),
        }
    }

    /// `lhs op rhs` of two rows; `rhs_expr` is the operand `rhs` came from,
    /// which decides whether the operator is affine.
    fn combine(
        &mut self,
        op: AffineOp,
        mut lhs: LinearRow,
        rhs_expr: &AffineExpr,
        rhs: LinearRow,
    ) -> Result<LinearRow, FlattenError> {
        if op == AffineOp::Add {
            lhs.add(&rhs).ok_or(FlattenError::Overflow)?;
            return Ok(lhs);
        }
        let Some(constant) = rhs_expr.as_constant() else {
            let expr = AffineExpr::binary(op, self.expr_of(&lhs), self.expr_of(&rhs));
            let local = self.local(Local {
                expr,
                division: None,
            });
            return Ok(LinearRow::column(local));
        };
        match op {
            AffineOp::Add | AffineOp::Mul => {
                lhs.scale(constant).ok_or(FlattenError::Overflow)?;
                Ok(lhs)
            }
            _ if constant <= 0 => Err(FlattenError::DivisorNotPositive(constant)),
            AffineOp::Mod => self.remainder(lhs, constant),
            AffineOp::FloorDiv => self.quotient(lhs, constant, false),
            AffineOp::CeilDiv => self.quotient(lhs, constant, true),
        }
    }

    fn remainder(&mut self, mut lhs: LinearRow, by: i64) -> Result<LinearRow, FlattenError> {
        if lhs.values().all(|value| value % by == 0) {
            return Ok(LinearRow::default());
        }
        let common = lhs.gcd(by).ok_or(FlattenError::Overflow)?;
        let mut dividend = lhs.clone();
        dividend.divide_exactly(common);
        let divisor = by / common;
        let expr = self.expr_of(&dividend).floor_div(divisor);
        let local = self.local(Local {
            expr,
            division: Some(Division { dividend, divisor }),
        });
        lhs.add_to_column(local, -by)
            .ok_or(FlattenError::Overflow)?;
        Ok(lhs)
    }

    fn quotient(
        &mut self,
        mut lhs: LinearRow,
        by: i64,
        ceil: bool,
    ) -> Result<LinearRow, FlattenError> {
        let common = lhs.gcd(by).ok_or(FlattenError::Overflow)?;
        lhs.divide_exactly(common);
        let divisor = by / common;
        if divisor == 1 {
            return Ok(lhs);
        }
        let numerator = self.expr_of(&lhs);
        let (expr, mut dividend) = if ceil {
            (numerator.ceil_div(divisor), lhs)
        } else {
            (numerator.floor_div(divisor), lhs)
        };
        if ceil {
            dividend.constant = dividend
                .constant
                .checked_add(divisor - 1)
                .ok_or(FlattenError::Overflow)?;
        }
        let local = self.local(Local {
            expr,
            division: Some(Division { dividend, divisor }),
        });
        Ok(LinearRow::column(local))
    }

    /// The column of the local that stands for `local.expr`, an existing one
    /// if there is one.
    fn local(&mut self, local: Local) -> usize {
        let index = match self
            .locals
            .iter()
            .position(|known| known.expr == local.expr)
        {
            Some(index) => index,
            None => {
                self.locals.push(local);
                self.locals.len() - 1
            }
        };
        self.num_inputs() + index
    }

    /// The expression of a row: dimensions, symbols, locals, constant.
    pub fn expr_of(&self, row: &LinearRow) -> AffineExpr {
        let mut sum = AffineExpr::Constant(0);
        for (column, coefficient) in row.coefficients.iter().enumerate() {
            if *coefficient != 0
                && let Some(term) = self.column_expr(column)
            {
                sum = sum + term * *coefficient;
            }
        }
        if row.constant != 0 {
            sum = sum + row.constant;
        }
        sum
    }

    /// What a column stands for; `None` beyond the last local.
    pub(crate) fn column_expr(&self, column: usize) -> Option<AffineExpr> {
        let dims = self.num_dims as usize;
        if column < dims {
            Some(AffineExpr::Dim(column as u32))
        } else if column < self.num_inputs() {
            Some(AffineExpr::Symbol((column - dims) as u32))
        } else {
            self.locals
                .get(column - self.num_inputs())
                .map(|local| local.expr.clone())
        }
    }
}

/// The linear form of one expression.
///
/// # Errors
///
/// See [`FlattenError`].
pub fn flatten(
    expr: &AffineExpr,
    num_dims: u32,
    num_symbols: u32,
) -> Result<FlatForm, FlattenError> {
    let mut flattener = Flattener::new(num_dims, num_symbols);
    let row = flattener.flatten(expr)?;
    Ok(FlatForm {
        num_dims,
        num_symbols,
        locals: flattener.locals,
        row,
    })
}
