//! Polynomials: what subscripts and bounds are before it is known that they are linear.
//!
//! Each term is a number times a product of parameters times at most one loop variable
//! or local. `A[i * n + j]` is such a form and not linear; the products of parameters
//! alone are parameters of their own in linear forms.

use std::collections::BTreeMap;

use terrace_presburger::Int;

use super::linear::{Linear, Var};
use super::params::Params;

/// The most factors of a term.
const MAX_DEGREE: usize = 6;
/// The most terms of a polynomial.
const MAX_TERMS: usize = 256;

/// A product of parameters, by number, sorted; the empty one is 1.
pub(crate) type Monomial = Vec<u32>;

/// A loop variable or a local, or 1.
pub(crate) type Factor = Option<Var>;

/// A sum of terms, none of which is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Poly {
    terms: BTreeMap<(Factor, Monomial), Int>,
}

impl Poly {
    pub(crate) fn constant(value: impl Into<Int>) -> Poly {
        let mut p = Poly::default();
        p.add_term(None, Vec::new(), &value.into());
        p
    }

    /// A parameter, a loop variable or a local.
    pub(crate) fn var(v: Var) -> Poly {
        let mut p = Poly::default();
        match v {
            Var::Param(i) => p.add_term(None, vec![i], &Int::ONE),
            v => p.add_term(Some(v), Vec::new(), &Int::ONE),
        }
        p
    }

    /// Each term: its loop variable or local, if it has one; the parameters by which that is
    /// multiplied, by number; and its coefficient, which is not 0.
    pub fn terms(&self) -> impl Iterator<Item = (Factor, &Monomial, &Int)> {
        self.terms.iter().map(|((f, m), c)| (*f, m, c))
    }

    pub(crate) fn add_term(&mut self, factor: Factor, monomial: Monomial, coefficient: &Int) {
        if coefficient.is_zero() {
            return;
        }
        let key = (factor, monomial);
        let sum = match self.terms.get(&key) {
            Some(c) => c + coefficient,
            None => coefficient.clone(),
        };
        if sum.is_zero() {
            self.terms.remove(&key);
        } else {
            self.terms.insert(key, sum);
        }
    }

    pub(crate) fn plus(&self, factor: i64, other: &Poly) -> Poly {
        let factor = Int::from(factor);
        let mut sum = self.clone();
        for ((f, m), c) in &other.terms {
            sum.add_term(*f, m.clone(), &(c * &factor));
        }
        sum
    }

    /// The product; `None` where two loop variables meet, or the degree is too high.
    pub(crate) fn times(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly::default();
        for ((f, m), c) in &self.terms {
            for ((g, n), d) in &other.terms {
                let factor = match (f, g) {
                    (None, x) | (x, None) => *x,
                    _ => return None,
                };
                let mut monomial = [m.as_slice(), n.as_slice()].concat();
                monomial.sort_unstable();
                if monomial.len() > MAX_DEGREE || product.terms.len() > MAX_TERMS {
                    return None;
                }
                product.add_term(factor, monomial, &(c * d));
            }
        }
        Some(product)
    }

    pub(crate) fn as_constant(&self) -> Option<Int> {
        match self.terms.len() {
            0 => Some(Int::ZERO),
            1 => self.terms.get(&(None, Vec::new())).cloned(),
            _ => None,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The terms without a loop variable or local, and the others.
    pub(crate) fn symbolic_and_rest(&self) -> (Poly, Poly) {
        let (mut symbolic, mut rest) = (Poly::default(), Poly::default());
        for (f, m, c) in self.terms() {
            let to = if f.is_none() {
                &mut symbolic
            } else {
                &mut rest
            };
            to.add_term(f, m.clone(), c);
        }
        (symbolic, rest)
    }

    /// Whether neither a loop variable nor a local occurs.
    pub(crate) fn is_symbolic(&self) -> bool {
        self.terms.keys().all(|(f, _)| f.is_none())
    }

    /// The polynomial as a linear form, where no loop variable is multiplied by a
    /// parameter. Products of parameters become parameters.
    pub(crate) fn linear(&self, params: &mut Params) -> Option<Linear> {
        let mut form = Linear::default();
        for ((f, m), c) in &self.terms {
            let v = match (f, m.as_slice()) {
                (None, []) => {
                    form.constant += c;
                    continue;
                }
                (Some(v), []) => *v,
                (Some(_), _) => return None,
                (None, [one]) => Var::Param(*one),
                (None, _) => params.product(m),
            };
            let mut term = Linear::var(v);
            term.terms[0].1 = c.clone();
            form = form.plus(1, &term);
        }
        Some(form)
    }
}
