//! Affine forms over parameters and the positions of a statement's indices.

use std::collections::BTreeMap;
use terrace_ir::affine::AffineExpr;

/// What a form is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Var {
    /// A parameter, by its place among those that are indices.
    Param(usize),
    /// An index of the statement, by its place there.
    Axis(usize),
}

/// A sum of multiples and a constant.
#[derive(Debug, Clone, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Form {
    /// Factors that are not 0.
    pub factors: BTreeMap<Var, i64>,
    /// What is added.
    pub constant: i64,
}

impl Form {
    /// A number.
    pub fn number(n: i64) -> Form {
        Form {
            factors: BTreeMap::new(),
            constant: n,
        }
    }

    /// A variable.
    pub fn var(v: Var) -> Form {
        Form {
            factors: BTreeMap::from([(v, 1)]),
            constant: 0,
        }
    }

    /// The sum with `by` times another; `None` if a number is too large.
    pub fn plus(&self, other: &Form, by: i64) -> Option<Form> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(by)?)?;
        for (v, n) in &other.factors {
            let f = sum.factors.entry(*v).or_insert(0);
            *f = f.checked_add(n.checked_mul(by)?)?;
        }
        sum.factors.retain(|_, n| *n != 0);
        Some(sum)
    }

    /// A multiple; `None` if a number is too large.
    pub fn times(&self, by: i64) -> Option<Form> {
        Form::default().plus(self, by)
    }

    /// The number that it is.
    pub fn as_number(&self) -> Option<i64> {
        self.factors.is_empty().then_some(self.constant)
    }

    /// The factor of a variable.
    pub fn factor(&self, v: Var) -> i64 {
        self.factors.get(&v).copied().unwrap_or(0)
    }

    /// As an expression in which a parameter is a symbol and an index what `axis` says.
    pub fn expr(&self, axis: &dyn Fn(usize) -> AffineExpr) -> AffineExpr {
        let mut sum = AffineExpr::constant(self.constant);
        for (v, n) in &self.factors {
            let one = match v {
                Var::Param(p) => AffineExpr::symbol(*p as u32),
                Var::Axis(a) => axis(*a),
            };
            sum = sum + one * *n;
        }
        sum
    }
}
