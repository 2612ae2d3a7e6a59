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
        // 0 <= row + constant - by * quotient <= by - 1; a ceiling is the floor of
        // what is by - 1 more.
        let raised = match op {
            AffineOp::CeilDiv => &(&constant + &by) - &Int::ONE,
            _ => constant.clone(),
        };
        let quotient = one(self.c.add_local());
        let rest = sum(&row, &-&by, &quotient);
        self.c.add_inequality(&rest, raised.clone());
        let opposite = sum(&[], &Int::MINUS_ONE, &rest);
        self.c
            .add_inequality(&opposite, &(&by - &Int::ONE) - &raised);
        Some(match op {
            AffineOp::Mod => (rest, constant),
            _ => (quotient, Int::ZERO),
        })
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
