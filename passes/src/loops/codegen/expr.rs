//! Rows of coefficients as affine expressions.

use super::ScanError;
use terrace_ir::affine::AffineExpr;
use terrace_presburger::{Int, Row};

/// What each column of a row stands for.
pub(super) type Meaning = [AffineExpr];

/// The parameters as symbols, then `dims` dimensions.
pub(super) fn columns(params: usize, dims: usize) -> Vec<AffineExpr> {
    let symbols = (0..params).map(|k| AffineExpr::symbol(k as u32));
    symbols
        .chain((0..dims).map(|k| AffineExpr::dim(k as u32)))
        .collect()
}

/// The value of a row: dimensions first, as they are read.
pub(super) fn value(row: &Row, meaning: &Meaning) -> Result<AffineExpr, ScanError> {
    let constant = row.len() - 1;
    let mut sum = AffineExpr::constant(0);
    let is_symbol = |e: &AffineExpr| matches!(e, AffineExpr::Symbol(_));
    for symbols in [false, true] {
        for (a, e) in row[..constant].iter().zip(meaning) {
            if !a.is_zero() && is_symbol(e) == symbols {
                sum = sum + e.clone() * small(a)?;
            }
        }
    }
    Ok(sum + small(&row[constant])?)
}

/// A number that an affine expression can hold.
pub(super) fn small(a: &Int) -> Result<i64, ScanError> {
    // The most negative number has no opposite, which expressions form freely.
    match a.to_i64() {
        Some(v) if v != i64::MIN => Ok(v),
        _ => Err(ScanError::Overflow),
    }
}
