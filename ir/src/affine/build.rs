//! Builders that simplify as they build.
//!
//! The rules and the order of operands are those of MLIR's `AffineExpr`
//! operators (read off `mlir/lib/IR/AffineExpr.cpp`), so that an expression
//! prints here as it does there. In short: constants to the right, symbolic
//! operands to the right of those with dimensions, dimensions and symbols by
//! position, constants folded together, divisions of known multiples carried
//! out, `e - (e floordiv c) * c` turned into `e mod c`. A fold that would
//! overflow is not made.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::expr::{AffineExpr, AffineOp, MAX_DEPTH, MAX_NODES};
use super::query::apply;

/// How many simplifications may nest; past it expressions are built as they
/// stand. Bounds the stack.
const FUEL: u32 = 128;

/// Why [`AffineExpr::try_binary`] refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The expression would be deeper than [`MAX_DEPTH`].
    TooDeep {
        /// The depth it would have.
        depth: u32,
    },
    /// The expression would be larger than `MAX_NODES`.
    TooLarge {
        /// The number of nodes it would have.
        nodes: u64,
    },
    /// Neither factor is symbolic or constant.
    NonAffineProduct,
    /// The divisor depends on a dimension.
    NonAffineDivisor(AffineOp),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::TooDeep { depth } => {
                write!(
                    f,
                    "affine expression nests {depth} levels deep, at most {MAX_DEPTH} are supported"
                )
            }
            BuildError::TooLarge { nodes } => {
                write!(
                    f,
                    "affine expression has {nodes} terms, at most {MAX_NODES} are supported"
                )
            }
            BuildError::NonAffineProduct => f.write_str(
                "non-affine expression: at least one of the multiply operands has to be either \
                 a constant or symbolic",
            ),
            BuildError::NonAffineDivisor(op) => {
                let name = match op {
                    AffineOp::CeilDiv => "ceildiv",
                    AffineOp::FloorDiv => "floordiv",
                    _ => "mod",
                };
                write!(
                    f,
                    "non-affine expression: right operand of {name} has to be either a constant \
                     or symbolic"
                )
            }
        }
    }
}

impl std::error::Error for BuildError {}

impl AffineExpr {
    /// `lhs op rhs`, simplified. Neither limits nor affinity are checked: see
    /// [`AffineExpr::try_binary`].
    pub fn binary(op: AffineOp, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr {
        build(op, lhs, rhs, FUEL)
    }

    /// `lhs op rhs`, simplified, for input from outside.
    ///
    /// # Errors
    ///
    /// If the operands make a product of two expressions with dimensions or a
    /// division by one (the wording is MLIR's), or if the result would exceed
    /// [`MAX_DEPTH`] or `MAX_NODES`.
    pub fn try_binary(
        op: AffineOp,
        lhs: AffineExpr,
        rhs: AffineExpr,
    ) -> Result<AffineExpr, BuildError> {
        match op {
            AffineOp::Add => {}
            AffineOp::Mul => {
                if !lhs.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant() {
                    return Err(BuildError::NonAffineProduct);
                }
            }
            AffineOp::Mod | AffineOp::FloorDiv | AffineOp::CeilDiv => {
                if !rhs.is_symbolic_or_constant() {
                    return Err(BuildError::NonAffineDivisor(op));
                }
            }
        }
        let result = build(op, lhs, rhs, FUEL);
        if result.depth() > MAX_DEPTH {
            return Err(BuildError::TooDeep {
                depth: result.depth(),
            });
        }
        if result.nodes() > MAX_NODES {
            return Err(BuildError::TooLarge {
                nodes: result.nodes(),
            });
        }
        Ok(result)
    }

    /// `self mod by`; undefined (and kept as it is) unless `by` is positive.
    pub fn modulo(self, by: impl Into<AffineExpr>) -> AffineExpr {
        build(AffineOp::Mod, self, by.into(), FUEL)
    }

    /// `self floordiv by`, rounded down; undefined (and kept) unless `by` is positive.
    pub fn floor_div(self, by: impl Into<AffineExpr>) -> AffineExpr {
        build(AffineOp::FloorDiv, self, by.into(), FUEL)
    }

    /// `self ceildiv by`, rounded up; undefined (and kept) unless `by` is positive.
    pub fn ceil_div(self, by: impl Into<AffineExpr>) -> AffineExpr {
        build(AffineOp::CeilDiv, self, by.into(), FUEL)
    }
}

impl<T: Into<AffineExpr>> Add<T> for AffineExpr {
    type Output = AffineExpr;

    fn add(self, rhs: T) -> AffineExpr {
        build(AffineOp::Add, self, rhs.into(), FUEL)
    }
}

impl<T: Into<AffineExpr>> Mul<T> for AffineExpr {
    type Output = AffineExpr;

    fn mul(self, rhs: T) -> AffineExpr {
        build(AffineOp::Mul, self, rhs.into(), FUEL)
    }
}

impl<T: Into<AffineExpr>> Sub<T> for AffineExpr {
    type Output = AffineExpr;

    fn sub(self, rhs: T) -> AffineExpr {
        self + (-rhs.into())
    }
}

impl Neg for AffineExpr {
    type Output = AffineExpr;

    fn neg(self) -> AffineExpr {
        build(AffineOp::Mul, self, AffineExpr::Constant(-1), FUEL)
    }
}

fn build(op: AffineOp, lhs: AffineExpr, rhs: AffineExpr, fuel: u32) -> AffineExpr {
    if fuel > 0
        && let Some(simplified) = simplify(op, &lhs, &rhs, fuel - 1)
    {
        return simplified;
    }
    let (lhs, rhs) = match op {
        AffineOp::Add | AffineOp::Mul => order_commutative(lhs, rhs),
        _ => (lhs, rhs),
    };
    AffineExpr::node(op, lhs, rhs)
}

/// The order in which two leaves stand in a sum or product: by position, and
/// dimensions before symbols.
fn order_commutative(lhs: AffineExpr, rhs: AffineExpr) -> (AffineExpr, AffineExpr) {
    let swap = match (&lhs, &rhs) {
        (AffineExpr::Symbol(a), AffineExpr::Symbol(b))
        | (AffineExpr::Dim(a), AffineExpr::Dim(b)) => a > b,
        (AffineExpr::Symbol(_), AffineExpr::Dim(_)) => true,
        _ => false,
    };
    if swap { (rhs, lhs) } else { (lhs, rhs) }
}

fn simplify(op: AffineOp, lhs: &AffineExpr, rhs: &AffineExpr, fuel: u32) -> Option<AffineExpr> {
    match op {
        AffineOp::Add => simplify_add(lhs, rhs, fuel),
        AffineOp::Mul => simplify_mul(lhs, rhs, fuel),
        AffineOp::Mod => simplify_mod(lhs, rhs, fuel),
        AffineOp::FloorDiv => simplify_floor_div(lhs, rhs, fuel),
        AffineOp::CeilDiv => simplify_ceil_div(lhs, rhs),
    }
}

/// `e` as a multiple of another expression: `(e', c)` for `e' * c`, else
/// `(e, 1)`.
fn split_coefficient(expr: &AffineExpr) -> (&AffineExpr, i64) {
    match expr.as_op(AffineOp::Mul) {
        Some((base, AffineExpr::Constant(factor))) => (base, *factor),
        _ => (expr, 1),
    }
}

fn simplify_add(lhs: &AffineExpr, rhs: &AffineExpr, fuel: u32) -> Option<AffineExpr> {
    if let (AffineExpr::Constant(a), AffineExpr::Constant(b)) = (lhs, rhs) {
        return a.checked_add(*b).map(AffineExpr::Constant);
    }
    if lhs.is_constant() || (lhs.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant()) {
        return Some(build(AffineOp::Add, rhs.clone(), lhs.clone(), fuel));
    }
    if rhs.as_constant() == Some(0) {
        return Some(lhs.clone());
    }

    // (e + c1) + c2
    let left_sum = lhs.as_op(AffineOp::Add);
    if let (Some((base, AffineExpr::Constant(a))), Some(b)) = (left_sum, rhs.as_constant()) {
        let sum = a.checked_add(b)?;
        return Some(build(
            AffineOp::Add,
            base.clone(),
            AffineExpr::Constant(sum),
            fuel,
        ));
    }

    // e * c1 + e * c2
    let (left_base, left_factor) = split_coefficient(lhs);
    let (right_base, right_factor) = split_coefficient(rhs);
    if left_base == right_base
        && let Some(factor) = left_factor.checked_add(right_factor)
    {
        return Some(build(
            AffineOp::Mul,
            left_base.clone(),
            AffineExpr::Constant(factor),
            fuel,
        ));
    }

    // (e + c) + e'  ->  (e + e') + c
    if let Some((base, constant @ AffineExpr::Constant(_))) = left_sum {
        let sum = build(AffineOp::Add, base.clone(), rhs.clone(), fuel);
        return Some(build(AffineOp::Add, sum, constant.clone(), fuel));
    }

    // e - (e floordiv q) * q  ->  e mod q, for q symbolic
    let (product_lhs, product_rhs) = rhs.as_op(AffineOp::Mul)?;
    if product_rhs.as_constant() == Some(-1)
        && let Some((quotient, by)) = product_lhs.as_op(AffineOp::Mul)
    {
        let (dividend, divisor) = quotient.as_op(AffineOp::FloorDiv)?;
        if divisor == by && dividend == lhs {
            return Some(build(AffineOp::Mod, lhs.clone(), by.clone(), fuel));
        }
    }

    // e + (e floordiv c) * -c  ->  e mod c
    let (dividend, divisor) = product_lhs.as_op(AffineOp::FloorDiv)?;
    if let (Some(by), Some(factor)) = (divisor.as_constant(), product_rhs.as_constant())
        && by > 0
        && factor == -by
        && dividend == lhs
    {
        return Some(build(AffineOp::Mod, lhs.clone(), divisor.clone(), fuel));
    }

    // The same with the dividend as the last term of a sum.
    let (rest, last) = left_sum?;
    if fuel == 0 {
        return None;
    }
    let combined = simplify_add(last, rhs, fuel - 1)?;
    Some(build(AffineOp::Add, rest.clone(), combined, fuel))
}

fn simplify_mul(lhs: &AffineExpr, rhs: &AffineExpr, fuel: u32) -> Option<AffineExpr> {
    if let (AffineExpr::Constant(a), AffineExpr::Constant(b)) = (lhs, rhs) {
        return a.checked_mul(*b).map(AffineExpr::Constant);
    }
    if !lhs.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant() {
        return None;
    }
    if !rhs.is_symbolic_or_constant() || lhs.is_constant() {
        return Some(build(AffineOp::Mul, rhs.clone(), lhs.clone(), fuel));
    }
    match rhs.as_constant() {
        Some(1) => return Some(lhs.clone()),
        Some(0) => return Some(rhs.clone()),
        _ => {}
    }
    // (e * c1) * c2, and (e * c) * e'  ->  (e * e') * c
    let (base, constant) = lhs.as_op(AffineOp::Mul)?;
    let first = constant.as_constant()?;
    if let Some(second) = rhs.as_constant() {
        let product = first.checked_mul(second)?;
        return Some(build(
            AffineOp::Mul,
            base.clone(),
            AffineExpr::Constant(product),
            fuel,
        ));
    }
    let product = build(AffineOp::Mul, base.clone(), rhs.clone(), fuel);
    Some(build(AffineOp::Mul, product, constant.clone(), fuel))
}

/// `(e * c) / by` where `by` divides `c`.
fn divide_product(lhs: &AffineExpr, by: i64) -> Option<AffineExpr> {
    let (base, constant) = lhs.as_op(AffineOp::Mul)?;
    let factor = constant.as_constant()?;
    if factor.checked_rem(by)? != 0 {
        return None;
    }
    let quotient = factor.checked_div(by)?;
    Some(AffineExpr::binary(
        AffineOp::Mul,
        base.clone(),
        AffineExpr::Constant(quotient),
    ))
}

fn simplify_floor_div(lhs: &AffineExpr, rhs: &AffineExpr, fuel: u32) -> Option<AffineExpr> {
    let by = rhs.as_constant().filter(|by| *by != 0)?;
    if let Some(value) = lhs.as_constant() {
        return apply(AffineOp::FloorDiv, value, by).map(AffineExpr::Constant);
    }
    if by == 1 {
        return Some(lhs.clone());
    }
    if let Some(quotient) = divide_product(lhs, by) {
        return Some(quotient);
    }
    // A term that `by` divides leaves the dividend.
    let (first, second) = lhs.as_op(AffineOp::Add)?;
    if lhs.nodes() <= MAX_NODES && (first.is_multiple_of(by) || second.is_multiple_of(by)) {
        let first = build(AffineOp::FloorDiv, first.clone(), rhs.clone(), fuel);
        let second = build(AffineOp::FloorDiv, second.clone(), rhs.clone(), fuel);
        return Some(build(AffineOp::Add, first, second, fuel));
    }
    None
}

fn simplify_ceil_div(lhs: &AffineExpr, rhs: &AffineExpr) -> Option<AffineExpr> {
    let by = rhs.as_constant().filter(|by| *by != 0)?;
    if let Some(value) = lhs.as_constant() {
        return apply(AffineOp::CeilDiv, value, by).map(AffineExpr::Constant);
    }
    if by == 1 {
        return Some(lhs.clone());
    }
    divide_product(lhs, by)
}

fn simplify_mod(lhs: &AffineExpr, rhs: &AffineExpr, fuel: u32) -> Option<AffineExpr> {
    let by = rhs.as_constant().filter(|by| *by > 0)?;
    if let Some(value) = lhs.as_constant() {
        return apply(AffineOp::Mod, value, by).map(AffineExpr::Constant);
    }
    if lhs.is_multiple_of(by) {
        return Some(AffineExpr::Constant(0));
    }
    if let Some((first, second)) = lhs.as_op(AffineOp::Add) {
        if first.is_multiple_of(by) {
            return Some(build(AffineOp::Mod, second.clone(), rhs.clone(), fuel));
        }
        if second.is_multiple_of(by) {
            return Some(build(AffineOp::Mod, first.clone(), rhs.clone(), fuel));
        }
    }
    // (e mod a) mod b  ->  e mod b, where b divides a
    let (base, inner) = lhs.as_op(AffineOp::Mod)?;
    let inner = inner.as_constant().filter(|inner| *inner >= 1)?;
    if inner % by == 0 {
        return Some(build(AffineOp::Mod, base.clone(), rhs.clone(), fuel));
    }
    None
}
