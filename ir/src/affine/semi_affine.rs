//! Simplification of semi-affine expressions: divisions by a symbol that
//! divides the dividend, and `(e - e mod q) mod q`.
//!
//! The rules are those of `simplifySemiAffine` in `mlir/lib/IR/AffineExpr.cpp`.
//! Like there, a division by a symbol is taken to be defined (the symbol is not
//! zero; for `mod`, positive).

use super::expr::{AffineExpr, AffineOp};
use super::flatten::{Flattener, LinearRow};
use super::simplify::simplify_with_budget;

/// What bounds the work: a check for `(e - e mod q) mod q` simplifies a sum,
/// which may again contain such checks.
pub(super) struct Budget {
    /// Nodes that may still be visited.
    pub visits: u32,
    /// How far checks may still nest.
    pub nesting: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            visits: 1 << 16,
            nesting: 4,
        }
    }
}

/// Simplifies bottom-up. `expr` must be within the limits: this recurses.
pub(super) fn simplify_semi_affine(
    expr: &AffineExpr,
    num_dims: u32,
    num_symbols: u32,
    budget: &mut Budget,
) -> AffineExpr {
    let Some((op, lhs, rhs)) = expr.as_binary() else {
        return expr.clone();
    };
    if budget.visits == 0 {
        return expr.clone();
    }
    budget.visits -= 1;
    let new_lhs = simplify_semi_affine(lhs, num_dims, num_symbols, budget);
    let new_rhs = simplify_semi_affine(rhs, num_dims, num_symbols, budget);
    if matches!(op, AffineOp::Add | AffineOp::Mul) {
        return AffineExpr::binary(op, new_lhs, new_rhs);
    }
    if op == AffineOp::Mod
        && removes_own_remainder(&new_lhs, &new_rhs, num_dims, num_symbols, budget)
    {
        return AffineExpr::Constant(0);
    }
    if let AffineExpr::Symbol(symbol) = new_rhs
        && divides(lhs, symbol, op, false)
    {
        if op == AffineOp::Mod {
            return AffineExpr::Constant(0);
        }
        if divides(&new_lhs, symbol, op, false)
            && let Some(quotient) = divide(&new_lhs, symbol, op)
        {
            return quotient;
        }
    }
    AffineExpr::binary(op, new_lhs, new_rhs)
}

/// Whether dividing `expr` by the symbol, in a division or remainder `op`, can
/// be carried out term by term. `in_product`: `expr` is a factor.
fn divides(expr: &AffineExpr, symbol: u32, op: AffineOp, in_product: bool) -> bool {
    match expr {
        AffineExpr::Constant(value) => *value == 0,
        AffineExpr::Dim(_) => false,
        AffineExpr::Symbol(position) => *position == symbol,
        AffineExpr::Binary(node) => match node.op() {
            AffineOp::Add => {
                divides(node.lhs(), symbol, op, false) && divides(node.rhs(), symbol, op, false)
            }
            // (a * s) mod (b * s) is s * (a mod b), but no division inside the
            // operands commutes with the remainder.
            AffineOp::Mod => {
                divides(node.lhs(), symbol, AffineOp::Mod, false)
                    && divides(node.rhs(), symbol, AffineOp::Mod, false)
            }
            AffineOp::Mul => {
                divides(node.lhs(), symbol, op, true) || divides(node.rhs(), symbol, op, true)
            }
            // Divisions of the same rounding commute, but not through a factor.
            AffineOp::FloorDiv | AffineOp::CeilDiv => {
                op == node.op() && !in_product && divides(node.lhs(), symbol, op, false)
            }
        },
    }
}

/// `expr` divided by the symbol. `None` where it does not go.
fn divide(expr: &AffineExpr, symbol: u32, op: AffineOp) -> Option<AffineExpr> {
    match expr {
        AffineExpr::Constant(0) => Some(AffineExpr::Constant(0)),
        AffineExpr::Symbol(position) if *position == symbol => Some(AffineExpr::Constant(1)),
        AffineExpr::Constant(_) | AffineExpr::Dim(_) | AffineExpr::Symbol(_) => None,
        AffineExpr::Binary(node) => {
            let (lhs, rhs) = (node.lhs(), node.rhs());
            match node.op() {
                inner @ (AffineOp::Add | AffineOp::Mod) => {
                    let op = if inner == AffineOp::Mod {
                        AffineOp::Mod
                    } else {
                        op
                    };
                    let lhs = divide(lhs, symbol, op)?;
                    let rhs = divide(rhs, symbol, op)?;
                    Some(AffineExpr::binary(inner, lhs, rhs))
                }
                AffineOp::Mul if divides(lhs, symbol, op, true) => {
                    Some(divide(lhs, symbol, op)? * rhs.clone())
                }
                AffineOp::Mul => Some(lhs.clone() * divide(rhs, symbol, op)?),
                inner => Some(AffineExpr::binary(
                    inner,
                    divide(lhs, symbol, inner)?,
                    rhs.clone(),
                )),
            }
        }
    }
}

/// Whether `lhs` is `e - e mod rhs`, up to the order and form of its terms, so
/// that `lhs mod rhs` is 0. Loop peeling leaves such expressions behind.
fn removes_own_remainder(
    lhs: &AffineExpr,
    rhs: &AffineExpr,
    num_dims: u32,
    num_symbols: u32,
    budget: &mut Budget,
) -> bool {
    if budget.nesting == 0 {
        return false;
    }
    let mut terms = Vec::new();
    let mut pending = vec![lhs];
    while let Some(expr) = pending.pop() {
        match expr.as_op(AffineOp::Add) {
            Some((first, second)) => pending.extend([second, first]),
            None => terms.push(expr),
        }
    }
    for (index, term) in terms.iter().enumerate() {
        let Some((remainder, AffineExpr::Constant(-1))) = term.as_op(AffineOp::Mul) else {
            continue;
        };
        let Some((dividend, by)) = remainder.as_op(AffineOp::Mod) else {
            continue;
        };
        if by != rhs {
            continue;
        }
        let mut rest = AffineExpr::Constant(0);
        for (other, term) in terms.iter().enumerate() {
            if other != index {
                rest = rest + (*term).clone();
            }
        }
        rest = rest - dividend.clone();
        budget.nesting -= 1;
        let difference = simplify_with_budget(&rest, num_dims, num_symbols, budget);
        budget.nesting += 1;
        if difference.as_constant() == Some(0) {
            return true;
        }
    }
    false
}

/// The expression of the row of a semi-affine expression: terms sorted by the
/// position of their dimension or symbol, such as `d0 + d0 * s0 + s0 + d1 * s1
/// + s1`, then the remaining locals and the constant.
pub(super) fn sorted_expr_of(
    row: &LinearRow,
    flattener: &Flattener,
    num_dims: u32,
    num_symbols: u32,
) -> AffineExpr {
    let dims = num_dims as usize;
    let inputs = flattener.num_inputs();
    // Keys as MLIR makes them: the position first; second, something that puts
    // dimensions before their products with symbols before symbols.
    let past = i64::from(num_dims.max(num_symbols));
    let mut next_symbol = past;
    let mut next_dim = -1;
    let mut terms: Vec<((u32, i64), usize)> = Vec::new();
    let mut rest = Vec::new();

    let symbol_columns = dims..inputs;
    for column in symbol_columns.filter(|column| row.coefficient(*column) != 0) {
        terms.push((((column - dims) as u32, next_symbol), column));
        next_symbol += 1;
    }
    for (index, local) in flattener.locals().iter().enumerate() {
        let column = inputs + index;
        if row.coefficient(column) == 0 {
            continue;
        }
        let key = match local.expr.as_binary() {
            Some((_, AffineExpr::Dim(dim), AffineExpr::Constant(_))) => {
                next_dim -= 1;
                (*dim, next_dim + 1)
            }
            Some((_, AffineExpr::Dim(dim), AffineExpr::Symbol(other) | AffineExpr::Dim(other))) => {
                (*dim, i64::from(*other))
            }
            Some((
                _,
                AffineExpr::Symbol(symbol),
                AffineExpr::Constant(_) | AffineExpr::Symbol(_) | AffineExpr::Dim(_),
            )) => {
                next_symbol += 1;
                (*symbol, next_symbol - 1)
            }
            _ => {
                rest.push(column);
                continue;
            }
        };
        terms.push((key, column));
    }
    for column in (0..dims).filter(|column| row.coefficient(*column) != 0) {
        terms.push(((column as u32, next_dim), column));
        next_dim -= 1;
    }
    terms.sort_by_key(|(key, _)| *key);

    let mut sum = AffineExpr::Constant(0);
    for column in terms.iter().map(|(_, column)| *column).chain(rest) {
        if let Some(term) = flattener.column_expr(column) {
            sum = sum + term * row.coefficient(column);
        }
    }
    if row.constant != 0 {
        sum = sum + row.constant;
    }
    sum
}
