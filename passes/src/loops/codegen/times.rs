//! An affine map as a relation: what a schedule written in the IR means.

use super::ScanError;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_presburger::{Conjunct, Int, Relation, Row, Space};

/// The relation from a map's dimensions to its results, over `params` parameters that it
/// does not mention. Quotients and remainders become quantified variables.
///
/// # Errors
///
/// [`ScanError::Times`] if the map has symbols or is not linear.
pub(super) fn relation(
    params: usize,
    statement: usize,
    map: &AffineMap,
) -> Result<Relation, ScanError> {
    let (inputs, outputs) = (map.num_dims() as usize, map.num_results());
    let mut t = Times {
        c: Conjunct::universe(Space::map(params, inputs, outputs)),
        first: params,
        quotients: Vec::new(),
    };
    let bad = ScanError::Times { statement };
    if map.num_symbols() > 0 {
        return Err(bad);
    }
    for (k, e) in map.results().iter().enumerate() {
        if !e.within_limits() {
            return Err(bad);
        }
        let (mut row, constant) = t.form(e).ok_or(bad.clone())?;
        let at = params + inputs + k;
        row.resize(row.len().max(at + 1), Int::ZERO);
        row[at] = &row[at] - &Int::ONE;
        t.c.add_equality(&row, constant);
    }
    Ok(Relation::from(t.c))
}

struct Times {
    c: Conjunct,
    /// The column of the first dimension.
    first: usize,
    /// What has been divided, by what, and the quotient's column: two equal quotients
    /// that are one variable are known to be equal without a proof.
    quotients: Vec<(Row, Int, Int, usize)>,
}

impl Times {
    /// The coefficients of an expression, as far as they are not 0, and its constant.
    fn form(&mut self, e: &AffineExpr) -> Option<(Row, Int)> {
        let one = |at: usize| {
            let mut row = vec![Int::ZERO; at + 1];
            row[at] = Int::ONE;
            row
        };
        let (op, lhs, rhs) = match e {
            AffineExpr::Constant(v) => return Some((Vec::new(), Int::new(*v))),
            AffineExpr::Dim(d) => return Some((one(self.first + *d as usize), Int::ZERO)),
            AffineExpr::Symbol(_) => return None,
            AffineExpr::Binary(_) => e.as_binary()?,
        };
        let (row, constant) = self.form(lhs)?;
        if op == AffineOp::Add {
            let (other, more) = self.form(rhs)?;
            return Some((sum(&row, &Int::ONE, &other), &constant + &more));
        }
        let by = match rhs.as_constant() {
            Some(by) => Int::new(by),
            None if op == AffineOp::Mul => {
                let by = Int::new(lhs.as_constant()?);
                let (row, constant) = self.form(rhs)?;
                return Some((sum(&[], &by, &row), &by * &constant));
            }
            None => return None,
        };
        if op == AffineOp::Mul {
            return Some((sum(&[], &by, &row), &by * &constant));
        }
        if !by.is_positive() {
            return None;
        }
        // A ceiling is the floor of what is by - 1 more.
        let raised = match op {
            AffineOp::CeilDiv => &(&constant + &by) - &Int::ONE,
            _ => constant.clone(),
        };
        let quotient = one(self.quotient(&row, &raised, &by));
        let rest = sum(&row, &-&by, &quotient);
        Some(match op {
            AffineOp::Mod => (rest, constant),
            _ => (quotient, Int::ZERO),
        })
    }
}

impl Times {
    /// The column of `(row + constant) floordiv by`.
    fn quotient(&mut self, row: &Row, constant: &Int, by: &Int) -> usize {
        let mut row = row.clone();
        while row.last().is_some_and(Int::is_zero) {
            row.pop();
        }
        let same = |q: &&(Row, Int, Int, usize)| q.0 == row && q.1 == *constant && q.2 == *by;
        if let Some(q) = self.quotients.iter().find(same) {
            return q.3;
        }
        let column = self.c.add_local();
        let mut rest = row.clone();
        rest.resize(column, Int::ZERO);
        rest.push(-by);
        self.c.add_inequality(&rest, constant.clone());
        let opposite = sum(&[], &Int::MINUS_ONE, &rest);
        self.c
            .add_inequality(&opposite, &(by - &Int::ONE) - constant);
        self.quotients
            .push((row, constant.clone(), by.clone(), column));
        column
    }
}

/// `a + factor * b`.
fn sum(a: &[Int], factor: &Int, b: &[Int]) -> Row {
    let mut row = a.to_vec();
    row.resize(a.len().max(b.len()), Int::ZERO);
    for (x, y) in row.iter_mut().zip(b) {
        x.add_product(factor, y);
    }
    row
}
