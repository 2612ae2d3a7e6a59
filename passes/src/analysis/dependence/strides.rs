//! What the rows of an array of one dimension are long, as its subscripts tell: `n + 2` of
//! `A[i * (n + 2) + j]`, `3 * n` of `A[(i * n + j) * 3 + c]`.

use std::collections::BTreeMap;
use terrace_presburger::Int;

use super::poly::{Factor, Monomial, Poly};

/// What a row is long: a polynomial of parameters whose leading coefficient is positive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stride {
    pub size: Poly,
}

impl Stride {
    pub fn one() -> Stride {
        Stride {
            size: Poly::constant(1_i64),
        }
    }

    /// The number that it is, if it is one.
    pub fn number(&self) -> Option<Int> {
        self.size.as_constant()
    }

    /// How often `smaller` goes into it; `None` where that is no whole number for all parameters.
    pub fn over(&self, smaller: &Stride) -> Option<Stride> {
        let (size, rest) = divide(&self.size, &smaller.size);
        rest.is_zero().then_some(Stride { size })
    }

    fn degree(&self) -> usize {
        self.size
            .terms()
            .map(|(_, m, _)| m.len())
            .max()
            .unwrap_or(0)
    }
}

/// The strides that the subscripts may have, the smallest first in each, by what loop variables are
/// multiplied by: each product of parameters, all that one variable is multiplied by, and that
/// without common factors of its numbers.
pub(super) fn of_parameters(polys: &[&Poly]) -> Vec<Vec<Stride>> {
    let products = || {
        let all = polys.iter().flat_map(|p| p.terms());
        all.filter(|(f, m, _)| f.is_some() && !m.is_empty())
            .map(|(_, m, _)| {
                let mut size = Poly::default();
                size.add_term(None, m.clone(), &Int::ONE);
                Stride { size }
            })
    };
    let whole = || {
        let all = polys.iter().flat_map(|p| coefficients(p));
        all.filter(|c| c.as_constant().is_none()).map(positive)
    };
    let primitive = || {
        whole().map(|s| Stride {
            size: without_content(&s.size),
        })
    };
    let all = [
        chain(products().collect()),
        chain(whole().collect()),
        chain(primitive().collect()),
    ];
    let mut found: Vec<Vec<Stride>> = Vec::new();
    for strides in all.into_iter().flatten() {
        if !found.contains(&strides) {
            found.push(strides);
        }
    }
    found
}

/// The numbers that loop variables are multiplied by where a subscript has a variable for
/// the rows and another one within a row. `None` where one does not divide the next.
pub(super) fn of_numbers(polys: &[&Poly]) -> Option<Vec<Stride>> {
    let factors = |p: &Poly| {
        let own = p.terms().filter(|(f, m, _)| f.is_some() && m.is_empty());
        own.map(|(_, _, c)| c.abs()).collect::<Vec<_>>()
    };
    let of_two = |p: &Poly| {
        let all = factors(p);
        all.iter().any(|c| *c != all[0])
    };
    if !polys.iter().any(|p| of_two(p)) {
        return None;
    }
    let found = polys.iter().flat_map(|p| factors(p));
    let strides = found.filter(|c| !c.is_one()).map(|times| Stride {
        size: Poly::constant(times),
    });
    chain(strides.collect())
}

/// The strides, each once, the smallest first, if each divides the next.
fn chain(mut found: Vec<Stride>) -> Option<Vec<Stride>> {
    found.sort_by(|a, b| (a.degree(), a).cmp(&(b.degree(), b)));
    found.dedup();
    let chain = found.windows(2).all(|w| w[1].over(&w[0]).is_some());
    (chain && !found.is_empty()).then_some(found)
}

/// What each loop variable is multiplied by.
fn coefficients(p: &Poly) -> Vec<Poly> {
    let mut all: BTreeMap<Factor, Poly> = BTreeMap::new();
    for (f, m, c) in p.terms().filter(|(f, _, _)| f.is_some()) {
        all.entry(f).or_default().add_term(None, m.clone(), c);
    }
    all.into_values().collect()
}

fn positive(size: Poly) -> Stride {
    let negative = leading(&size).is_some_and(|(_, c)| c < Int::ZERO);
    Stride {
        size: match negative {
            true => Poly::default().plus(-1, &size),
            false => size,
        },
    }
}

/// The polynomial without what divides all of its coefficients.
fn without_content(p: &Poly) -> Poly {
    let content = p.terms().fold(Int::ZERO, |g, (_, _, c)| g.gcd(c));
    let mut out = Poly::default();
    for (f, m, c) in p.terms() {
        out.add_term(f, m.clone(), &c.div_floor(&content));
    }
    out
}

/// The term of the highest degree, of several the last by number of parameters.
fn leading(p: &Poly) -> Option<(Monomial, Int)> {
    let terms = p.terms().filter(|(f, _, _)| f.is_none());
    let (_, m, c) = terms.max_by_key(|(_, m, _)| (m.len(), (*m).clone()))?;
    Some((m.clone(), c.clone()))
}

/// The quotient and the rest of a division by a polynomial of parameters alone. No term of the rest is a
/// multiple of the divisor's leading one.
pub(super) fn divide(p: &Poly, by: &Poly) -> (Poly, Poly) {
    let (mut quotient, mut rest, mut open) = (Poly::default(), Poly::default(), p.clone());
    let Some((monomial, coefficient)) = leading(by) else {
        return (quotient, open);
    };
    // The order is one of monomials, so that what is subtracted in turn is smaller.
    let largest = |p: &Poly| {
        let term = p
            .terms()
            .max_by_key(|(f, m, _)| (m.len(), (*m).clone(), *f));
        term.map(|(f, m, c)| (f, m.clone(), c.clone()))
    };
    while let Some((f, m, c)) = largest(&open) {
        let mut term = Poly::default();
        match without(&m, &monomial).filter(|_| c.is_multiple_of(&coefficient)) {
            Some(q) => {
                term.add_term(f, q, &c.div_floor(&coefficient));
                quotient = quotient.plus(1, &term);
                match term.times(by) {
                    Some(product) => open = open.plus(-1, &product),
                    // Of a degree that polynomials do not have.
                    None => return (Poly::default(), p.clone()),
                }
            }
            None => {
                term.add_term(f, m, &c);
                rest = rest.plus(1, &term);
                open = open.plus(-1, &term);
            }
        }
    }
    (quotient, rest)
}

/// `a / b`, where `b` divides `a`.
fn without(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut rest = a.clone();
    for factor in b {
        let i = rest.iter().position(|f| f == factor)?;
        rest.remove(i);
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::super::linear::Var;
    use super::*;

    fn n() -> Poly {
        Poly::var(Var::Param(0))
    }

    fn m() -> Poly {
        Poly::var(Var::Param(1))
    }

    fn i() -> Poly {
        Poly::var(Var::Dim(0))
    }

    fn j() -> Poly {
        Poly::var(Var::Dim(1))
    }

    #[test]
    fn rows_with_an_edge() {
        let rows = n().plus(2, &Poly::constant(1_i64));
        let planes = m().plus(2, &Poly::constant(1_i64)).times(&rows).unwrap();
        let subscript = i().times(&planes).unwrap();
        let subscript = subscript.plus(1, &j().times(&rows).unwrap());
        let found = of_parameters(&[&subscript]);
        let sizes = |s: &[Stride]| s.iter().map(|s| s.size.clone()).collect::<Vec<_>>();
        assert!(
            found
                .iter()
                .any(|s| sizes(s) == [rows.clone(), planes.clone()])
        );
        let strides = [Stride { size: planes }, Stride { size: rows }];
        let of_planes = strides[0].over(&strides[1]).map(|s| s.size);
        assert_eq!(of_planes, Some(m().plus(2, &Poly::constant(1_i64))));
        assert_eq!(strides[1].over(&strides[0]), None);
    }

    #[test]
    fn what_is_divided_comes_back() {
        let by = n().plus(3, &m()).plus(-5, &Poly::constant(1_i64));
        let p = i().times(&n()).unwrap().times(&m()).unwrap();
        let p = p.plus(7, &n().times(&n()).unwrap()).plus(-2, &j());
        let (q, r) = divide(&p, &by);
        assert_eq!(q.times(&by).unwrap().plus(1, &r), p);
        assert_eq!(divide(&p.times(&by).unwrap(), &by), (p, Poly::default()));
    }
}
