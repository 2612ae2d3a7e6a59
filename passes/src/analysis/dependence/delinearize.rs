//! Linearised subscripts taken apart: `A[i * n + j]` as `A[i][j]`.
//!
//! A subscript that multiplies loop variables by parameters is no linear form. Where
//! it is a sum `s1 * x1 + ... + x0` whose strides divide one another, and the bounds
//! of the loops show `0 <= x0 < s1`, `0 <= x1 < s2 / s1` and so on, two of them are
//! equal exactly where their parts are (V. Maslov, "Delinearization: an efficient way
//! to break multiloop dependence equations", 1992; strides as monomials of parameters:
//! T. Grosser et al., "Optimistic Delinearization of Parametrically Sized Arrays",
//! 2015, but proved here instead of checked when the program runs).

use rustc_hash::FxHashMap;
use terrace_ir::{Context, Value};
use terrace_presburger::{Conjunct, Int, Space};

use super::linear::{Linear, add_system};
use super::params::Params;
use super::poly::{Monomial, Poly};
use super::sites::Element;
use super::{AccessSite, Program, Reason};

/// Takes the subscripts of each one-dimensional memref apart where some of them are
/// not linear. What cannot be taken apart stays as it is.
pub(crate) fn delinearize(ctx: &Context, program: &mut Program) {
    let mut groups: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
    let mut order = Vec::new();
    for (i, s) in program.sites.iter().enumerate() {
        let one = s.raw.as_ref().is_some_and(|r| r.subscripts.len() == 1);
        if let (Some(m), true) = (s.memref, one) {
            let group = groups.entry(m).or_default();
            if group.is_empty() {
                order.push(m);
            }
            group.push(i);
        }
    }
    for m in order {
        let group = &groups[&m];
        if group.iter().all(|i| program.sites[*i].element.is_ok()) {
            continue;
        }
        let polys: Vec<&Poly> = group
            .iter()
            .filter_map(|i| program.sites[*i].raw.as_ref()?.subscripts.first())
            .collect();
        let Some(strides) = by_parameters(&polys) else {
            continue;
        };
        for i in group {
            let site = &program.sites[*i];
            let loc = site.op.loc(ctx);
            match split(&mut program.params, site, &strides, Rows::Any) {
                Some(element) => program.sites[*i].element = Ok(element),
                None if site.element.is_err() => {
                    let message = "the subscript multiplies a loop variable by a parameter, and \
                                   the bounds do not show that the rest of it stays below that";
                    program.sites[*i].element = Err(Reason::new(loc, message));
                }
                None => {}
            }
        }
    }
}

/// What a row of an array is long: a product of parameters times a positive number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stride {
    pub product: Monomial,
    pub times: Int,
}

impl Stride {
    fn one() -> Stride {
        Stride {
            product: Vec::new(),
            times: Int::ONE,
        }
    }

    fn is_number(&self) -> bool {
        self.product.is_empty()
    }

    /// How often `smaller` goes into it; `None` where it does not.
    pub fn over(&self, smaller: &Stride) -> Option<Stride> {
        Some(Stride {
            product: quotient(&self.product, &smaller.product)?,
            times: (self.times.is_multiple_of(&smaller.times))
                .then(|| self.times.div_floor(&smaller.times))?,
        })
    }

    fn poly(&self) -> Poly {
        let mut p = Poly::default();
        p.add_term(None, self.product.clone(), &self.times);
        p
    }
}

/// The products of parameters that loop variables are multiplied by, the smallest
/// first. `None` where one does not divide the next.
pub(super) fn by_parameters(polys: &[&Poly]) -> Option<Vec<Stride>> {
    let found = polys
        .iter()
        .flat_map(|p| p.terms())
        .filter(|(f, m, _)| f.is_some() && !m.is_empty())
        .map(|(_, m, _)| Stride {
            product: m.clone(),
            times: Int::ONE,
        });
    chain(found.collect())
}

/// The numbers that loop variables are multiplied by where a subscript has a variable for
/// the rows and another one within a row. `None` where one does not divide the next.
pub(super) fn by_numbers(polys: &[&Poly]) -> Option<Vec<Stride>> {
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
        product: Vec::new(),
        times,
    });
    chain(strides.collect())
}

/// The strides, each once, the smallest first, if each divides the next.
fn chain(mut found: Vec<Stride>) -> Option<Vec<Stride>> {
    found.sort_by(|a, b| (a.product.len(), a).cmp(&(b.product.len(), b)));
    found.dedup();
    let chain = found.windows(2).all(|w| w[1].over(&w[0]).is_some());
    (chain && !found.is_empty()).then_some(found)
}

/// `a / b`, where `b` divides `a`.
fn quotient(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut rest = a.clone();
    for factor in b {
        let i = rest.iter().position(|f| f == factor)?;
        rest.remove(i);
    }
    Some(rest)
}

/// How many elements the rows of an array may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Any,
    /// One at least.
    NotEmpty,
}

/// The parts of a subscript, the outermost first, if they are within their sizes.
pub(super) fn split(
    params: &mut Params,
    site: &AccessSite,
    strides: &[Stride],
    rows: Rows,
) -> Option<Element> {
    let raw = site.raw.as_ref()?;
    let poly = raw.subscripts.first()?;
    // `n` in `A[n - 1 - j]` may belong to the row or to the column: each stride is
    // tried both ways.
    for kept in 0..1_u32 << strides.len().min(4) {
        let Some(parts) = parts(params, poly, strides, kept) else {
            continue;
        };
        if within(params, site, &parts, strides, rows) {
            return Some(Element {
                system: raw.system.clone(),
                subscripts: parts,
                spread: raw.spread,
            });
        }
    }
    None
}

/// The quotients by the strides, the largest first, and what remains. Bit `k` of
/// `kept`: terms without a loop variable are not divided by stride `k`.
fn parts(params: &mut Params, poly: &Poly, strides: &[Stride], kept: u32) -> Option<Vec<Linear>> {
    let mut rest = poly.clone();
    let mut parts = Vec::new();
    for (k, stride) in strides.iter().enumerate().rev() {
        let kept = kept & (1 << k.min(31)) != 0;
        let (part, below) = match stride.is_number() {
            true => by_number(&rest, &stride.times, kept),
            false => by_product(&rest, &stride.product, kept),
        };
        parts.push(part.linear(params)?);
        rest = below;
    }
    parts.push(rest.linear(params)?);
    Some(parts)
}

/// What of a polynomial is a multiple of a product of parameters, and the rest.
fn by_product(poly: &Poly, product: &Monomial, kept: bool) -> (Poly, Poly) {
    let (mut part, mut below) = (Poly::default(), Poly::default());
    for (f, m, c) in poly.terms() {
        match quotient(m, product).filter(|_| f.is_some() || !kept) {
            Some(q) => part.add_term(f, q, c),
            None => below.add_term(f, m.clone(), c),
        }
    }
    (part, below)
}

/// The same of a number. The constant's quotient is the nearest one, since neighbours lie on
/// both sides; with `kept` it is rounded down.
fn by_number(poly: &Poly, times: &Int, kept: bool) -> (Poly, Poly) {
    let (mut part, mut below) = (Poly::default(), Poly::default());
    for (f, m, c) in poly.terms() {
        if c.is_multiple_of(times) {
            part.add_term(f, m.clone(), &c.div_floor(times));
        } else if f.is_none() && m.is_empty() {
            let half = times.div_floor(&Int::from(2_i64));
            let from = if kept { c.clone() } else { c + &half };
            let q = from.div_floor(times);
            below.add_term(None, Vec::new(), &(c - &(&q * times)));
            part.add_term(None, Vec::new(), &q);
        } else {
            below.add_term(f, m.clone(), c);
        }
    }
    (part, below)
}

/// Whether all parts but the outermost are from 0 to below their sizes in every
/// iteration.
fn within(
    params: &mut Params,
    site: &AccessSite,
    parts: &[Linear],
    strides: &[Stride],
    rows: Rows,
) -> bool {
    // Part 0 is the outermost; the last has the first stride as its size.
    let mut below = Stride::one();
    let inner = parts.iter().skip(1).rev();
    for (part, stride) in inner.zip(strides) {
        let size = stride.over(&below).and_then(|s| s.poly().linear(params));
        let Some(size) = size else {
            return false;
        };
        let outside = [part.negated().plus_constant(-1), part.minus(&size)];
        let least = (rows == Rows::NotEmpty).then(|| size.plus_constant(-1));
        if !outside
            .iter()
            .all(|form| never(params, site, form, least.as_ref()))
        {
            return false;
        }
        below.clone_from(stride);
    }
    true
}

/// Whether the form is negative in every iteration of the site, given that `least` is not.
fn never(params: &Params, site: &AccessSite, form: &Linear, least: Option<&Linear>) -> bool {
    let Some(raw) = &site.raw else {
        return false;
    };
    let dims = params.len();
    site.domain.pieces.iter().all(|piece| {
        let mut c = Conjunct::universe(Space::set(dims, site.domain.depth()));
        add_system(&mut c, params.facts(), dims);
        add_system(&mut c, piece, dims);
        let at = add_system(&mut c, &raw.system, dims);
        let row = at.row(form, c.row_len() - 1);
        c.add_inequality(&row, form.constant.clone());
        if let Some(least) = least {
            let row = at.row(least, c.row_len() - 1);
            c.add_inequality(&row, least.constant.clone());
        }
        products_are_natural(&mut c, params);
        c.is_empty() == Ok(true)
    })
}

/// A product of parameters none of which is ever negative is not negative.
fn products_are_natural(c: &mut Conjunct, params: &Params) {
    for (i, p) in params.list().iter().enumerate() {
        let super::Param::Product(m) = p else {
            continue;
        };
        if !m.iter().all(|f| params.is_natural(*f)) {
            continue;
        }
        let mut row = vec![Int::ZERO; params.len()];
        row[i] = Int::ONE;
        c.add_inequality(&row, Int::ZERO);
    }
}
