//! Polynomials with integer coefficients over values of a function.

use std::collections::BTreeMap;

use terrace_ir::Value;

/// The most terms of a polynomial, and the most factors of a term.
const MAX_TERMS: usize = 64;
const MAX_DEGREE: usize = 6;

/// A product of atoms, sorted; the empty one is 1.
pub type Monomial<A = Atom> = Vec<A>;

/// What polynomials are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The variable of a loop of a nest, by its place in it.
    Variable(usize),
    /// A value that is the same in all iterations: an entry of a table.
    Fixed(usize),
}

/// A sum of terms, none of which is 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Poly<A = Atom> {
    pub terms: BTreeMap<Monomial<A>, i64>,
}

impl<A> Default for Poly<A> {
    fn default() -> Self {
        let terms = BTreeMap::new();
        Poly { terms }
    }
}

impl<A: Copy + Ord> Poly<A> {
    pub fn constant(c: i64) -> Self {
        let mut p = Poly::default();
        if c != 0 {
            p.terms.insert(Vec::new(), c);
        }
        p
    }

    pub fn atom(a: A) -> Self {
        let mut p = Poly::default();
        p.terms.insert(vec![a], 1);
        p
    }

    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// `self + factor * other`; `None` where it grows too large.
    pub fn plus(&self, factor: i64, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (m, c) in &other.terms {
            let c = c.checked_mul(factor)?;
            let entry = sum.terms.entry(m.clone()).or_insert(0);
            *entry = entry.checked_add(c)?;
            if *entry == 0 {
                sum.terms.remove(m);
            }
        }
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Poly::default();
        for (m, c) in &self.terms {
            let mut part = Poly::default();
            for (n, d) in &other.terms {
                let mut monomial = [m.as_slice(), n.as_slice()].concat();
                monomial.sort_unstable();
                if monomial.len() > MAX_DEGREE {
                    return None;
                }
                part.terms.insert(monomial, c.checked_mul(*d)?);
            }
            product = product.plus(1, &part)?;
        }
        Some(product)
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The term without atoms.
    pub fn constant_term(&self) -> i64 {
        self.terms.get(&Vec::new()).copied().unwrap_or(0)
    }

    /// By how much it grows when `a` grows by one; `None` where `a` is not linear in it.
    pub fn growth(&self, a: A) -> Option<Self> {
        self.split(a).map(|(coefficient, _)| coefficient)
    }

    /// The terms that have one of these atoms.
    pub fn with_any_of(&self, atoms: &[A]) -> Self {
        let mut p = self.clone();
        p.terms.retain(|m, _| m.iter().any(|a| atoms.contains(a)));
        p
    }

    /// `coefficient * a + rest`; `None` where `a` occurs in a power.
    pub fn split(&self, a: A) -> Option<(Self, Self)> {
        let (mut coefficient, mut rest) = (Poly::default(), Poly::default());
        for (m, c) in &self.terms {
            match m.iter().filter(|x| **x == a).count() {
                0 => {
                    rest.terms.insert(m.clone(), *c);
                }
                1 => {
                    let others = m.iter().copied().filter(|x| *x != a).collect();
                    coefficient.terms.insert(others, *c);
                }
                _ => return None,
            }
        }
        Some((coefficient, rest))
    }
}

/// The values behind [`Atom::Fixed`].
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// In the function that is built; whether each is known not to be negative.
    pub values: Vec<(Value, bool)>,
}

impl Table {
    pub fn add(&mut self, v: Value, natural: bool) -> Atom {
        let known = self.values.iter().position(|(x, _)| *x == v);
        Atom::Fixed(known.unwrap_or_else(|| {
            self.values.push((v, natural));
            self.values.len() - 1
        }))
    }

    /// The sign of a polynomial, where all its terms have one: 1, 0 or -1.
    pub fn sign(&self, p: &Poly) -> Option<i32> {
        if p.terms.is_empty() {
            return Some(0);
        }
        let natural = |a: &Atom| match a {
            Atom::Fixed(i) => self.values.get(*i).is_some_and(|(_, n)| *n),
            Atom::Variable(_) => false,
        };
        if !p.terms.keys().flatten().all(natural) {
            return None;
        }
        if p.terms.values().all(|c| *c > 0) {
            return Some(1);
        }
        p.terms.values().all(|c| *c < 0).then_some(-1)
    }
}
