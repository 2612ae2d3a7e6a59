//! Simplification by flattening and rebuilding.

use super::expr::{AffineExpr, AffineOp};
use super::flatten::Flattener;
use super::semi_affine::{Budget, simplify_semi_affine, sorted_expr_of};

/// Simplifies `expr`, over `num_dims` dimensions and `num_symbols` symbols, by
/// flattening it to a linear form with locals for divisions and writing that
/// out again: terms are collected, common factors of dividend and divisor
/// cancel, remainders that are 0 vanish. The outcome is that of MLIR's
/// `simplifyAffineExpr`.
///
/// The value is the same wherever that of `expr` is defined. An expression
/// with no linear form (see [`super::FlattenError`]) comes back as it is.
pub fn simplify_affine_expr(expr: &AffineExpr, num_dims: u32, num_symbols: u32) -> AffineExpr {
    simplify_with_budget(expr, num_dims, num_symbols, &mut Budget::default())
}

/// Whether an expression is one input, a number, or an input and a number, as most subscripts
/// are: what flattening them would write out is what they are.
fn is_simplest(expr: &AffineExpr, num_dims: u32, num_symbols: u32) -> bool {
    let is_input = |e: &AffineExpr| match e {
        AffineExpr::Dim(position) => *position < num_dims,
        AffineExpr::Symbol(position) => *position < num_symbols,
        _ => false,
    };
    match expr.as_binary() {
        Some((AffineOp::Add, input, AffineExpr::Constant(c))) => is_input(input) && *c != 0,
        Some(_) => false,
        None => is_input(expr) || expr.as_constant().is_some(),
    }
}

pub(super) fn simplify_with_budget(
    expr: &AffineExpr,
    num_dims: u32,
    num_symbols: u32,
    budget: &mut Budget,
) -> AffineExpr {
    if is_simplest(expr, num_dims, num_symbols) || !expr.within_limits() {
        return expr.clone();
    }
    let expr = if expr.is_pure_affine() {
        expr.clone()
    } else {
        simplify_semi_affine(expr, num_dims, num_symbols, budget)
    };
    let mut flattener = Flattener::new(num_dims, num_symbols);
    let Ok(row) = flattener.flatten(&expr) else {
        return expr;
    };
    let rebuilt = flattener.expr_of(&row);
    if expr.is_pure_affine() || rebuilt == expr {
        return rebuilt;
    }
    sorted_expr_of(&row, &flattener, num_dims, num_symbols)
}
