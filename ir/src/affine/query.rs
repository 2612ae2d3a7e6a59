//! Questions about an expression: divisibility, what it mentions, its value.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;

use super::expr::{AffineExpr, AffineOp, BinaryExpr};

/// Greatest common divisor of the absolute values; `gcd(0, a) = a`. It is 1 where that is 2^63,
/// which has no place in the type.
pub fn gcd(a: i64, b: i64) -> i64 {
    let common = num_integer::gcd(a.unsigned_abs(), b.unsigned_abs());
    i64::try_from(common).unwrap_or(1)
}

/// The largest known divisor of `lhs op rhs`, from those of the operands and
/// the value of `rhs` if it is a constant.
pub(super) fn divisor_of(op: AffineOp, left: i64, right: i64, rhs: Option<i64>) -> i64 {
    match op {
        AffineOp::Add | AffineOp::Mod => gcd(left, right),
        // Each factor divides the product on its own, should theirs overflow.
        AffineOp::Mul => left.checked_mul(right).unwrap_or(left.max(right)),
        AffineOp::FloorDiv | AffineOp::CeilDiv => match rhs {
            Some(by) if by != 0 && left % by == 0 => (left / by).saturating_abs(),
            _ => 1,
        },
    }
}

/// `lhs op rhs` on numbers. `None` on overflow, for a division by zero and for
/// a remainder by a divisor that is not positive.
pub(super) fn apply(op: AffineOp, lhs: i64, rhs: i64) -> Option<i64> {
    match op {
        AffineOp::Add => lhs.checked_add(rhs),
        AffineOp::Mul => lhs.checked_mul(rhs),
        AffineOp::Mod if rhs > 0 => Some(lhs.rem_euclid(rhs)),
        AffineOp::Mod => None,
        AffineOp::FloorDiv => {
            let quotient = lhs.checked_div(rhs)?;
            let inexact = lhs % rhs != 0;
            Some(if inexact && (lhs < 0) != (rhs < 0) {
                quotient - 1
            } else {
                quotient
            })
        }
        AffineOp::CeilDiv => {
            let quotient = lhs.checked_div(rhs)?;
            let inexact = lhs % rhs != 0;
            Some(if inexact && (lhs < 0) == (rhs < 0) {
                quotient + 1
            } else {
                quotient
            })
        }
    }
}

impl AffineExpr {
    /// Whether every value of the expression is known to be a multiple of
    /// `factor`. Nothing but 0 is a multiple of 0.
    pub fn is_multiple_of(&self, factor: i64) -> bool {
        let divisor = self.largest_known_divisor();
        if factor == 0 {
            return divisor == 0;
        }
        divisor.checked_rem(factor) == Some(0)
    }

    /// Visits the nodes, operands before operators. A node that several
    /// parents share is visited once.
    pub fn walk<'a>(&'a self, mut visit: impl FnMut(&'a AffineExpr)) {
        enum Step<'a> {
            Enter(&'a AffineExpr),
            Leave(&'a AffineExpr),
        }
        let mut seen: FxHashSet<*const BinaryExpr> = FxHashSet::default();
        let mut stack: SmallVec<[Step<'a>; 16]> = SmallVec::new();
        stack.push(Step::Enter(self));
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(expr) => visit(expr),
                Step::Enter(expr) => match expr {
                    AffineExpr::Binary(node) => {
                        if Arc::strong_count(node) > 1 && !seen.insert(Arc::as_ptr(node)) {
                            continue;
                        }
                        stack.push(Step::Leave(expr));
                        stack.push(Step::Enter(node.rhs()));
                        stack.push(Step::Enter(node.lhs()));
                    }
                    leaf => visit(leaf),
                },
            }
        }
    }

    /// Whether the expression mentions the dimension `position`.
    pub fn is_function_of_dim(&self, position: u32) -> bool {
        self.mentions(&AffineExpr::Dim(position))
    }

    /// Whether the expression mentions the symbol `position`.
    pub fn is_function_of_symbol(&self, position: u32) -> bool {
        self.mentions(&AffineExpr::Symbol(position))
    }

    fn mentions(&self, leaf: &AffineExpr) -> bool {
        let mut found = false;
        self.walk(|expr| found |= expr.same_node(leaf));
        found
    }

    /// The value for given dimensions and symbols. `None` if one that is
    /// mentioned is missing, on overflow, and where a division or remainder is
    /// undefined (by zero; remainder by a negative number).
    pub fn eval(&self, dims: &[i64], symbols: &[i64]) -> Option<i64> {
        if self.depth() <= 64 && self.nodes() <= 4096 {
            return self.eval_small(dims, symbols);
        }
        self.fold(
            |leaf| eval_leaf(leaf, dims, symbols),
            |_, op, lhs, rhs| apply(op, lhs?, rhs?),
        )
    }

    /// As `eval`, recursively: the depth has been checked.
    fn eval_small(&self, dims: &[i64], symbols: &[i64]) -> Option<i64> {
        match self.as_binary() {
            None => eval_leaf(self, dims, symbols),
            Some((op, lhs, rhs)) => apply(
                op,
                lhs.eval_small(dims, symbols)?,
                rhs.eval_small(dims, symbols)?,
            ),
        }
    }

    /// The value, if the expression mentions neither dimension nor symbol and
    /// is defined.
    pub fn constant_value(&self) -> Option<i64> {
        self.eval(&[], &[])
    }
}

fn eval_leaf(leaf: &AffineExpr, dims: &[i64], symbols: &[i64]) -> Option<i64> {
    match leaf {
        AffineExpr::Dim(position) => dims.get(*position as usize).copied(),
        AffineExpr::Symbol(position) => symbols.get(*position as usize).copied(),
        AffineExpr::Constant(value) => Some(*value),
        AffineExpr::Binary(_) => None,
    }
}
