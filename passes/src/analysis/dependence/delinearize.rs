//! Linearised subscripts taken apart: `A[i * n + j]` as `A[i][j]`.
//!
//! A subscript that multiplies loop variables by parameters is no linear form. Where
//! it is a sum `s1 * x1 + ... + x0` whose strides divide one another, and the bounds
//! of the loops show `0 <= x0 < s1`, `0 <= x1 < s2 / s1` and so on, two of them are
//! equal exactly where their parts are (V. Maslov, "Delinearization: an efficient way
//! to break multiloop dependence equations", 1992; strides of parameters: T. Grosser et
//! al., "Optimistic Delinearization of Parametrically Sized Arrays", 2015, but proved here
//! instead of checked when the program runs). [`strides`](super::strides) finds them.

use rustc_hash::FxHashMap;
use terrace_ir::{Context, Value};
use terrace_presburger::{Conjunct, Int, Space};

use super::linear::{Linear, Var, add_system};
use super::params::Params;
use super::poly::Poly;
use super::sites::Element;
use super::strides::{Stride, divide, of_parameters};
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
        let strides = of_parameters(&polys);
        let offset = common_offset(&polys);
        let sites: Vec<AccessSite> = group.iter().map(|i| program.sites[*i].clone()).collect();
        // All accesses are taken apart in the same way: by the strides that do for most.
        let known = |e: &[Option<Element>]| e.iter().flatten().count();
        let mut best = taken_apart(&mut program.params, &sites, &strides);
        if known(&best) < group.len() && !offset.is_zero() {
            let shifted: Vec<AccessSite> = sites.iter().map(|s| without(s, &offset)).collect();
            let other = taken_apart(&mut program.params, &shifted, &strides);
            if known(&other) == group.len() {
                best = other;
            }
        }
        for (i, element) in group.iter().zip(best) {
            let site = &program.sites[*i];
            let loc = site.op.loc(ctx);
            match element {
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

/// The elements by the strides that do for most of the accesses.
fn taken_apart(
    params: &mut Params,
    sites: &[AccessSite],
    candidates: &[Vec<Stride>],
) -> Vec<Option<Element>> {
    let known = |e: &[Option<Element>]| e.iter().flatten().count();
    let mut best: Vec<Option<Element>> = vec![None; sites.len()];
    for strides in candidates {
        let each = sites.iter();
        let found: Vec<_> = each.map(|s| split(params, s, strides, Rows::Any)).collect();
        if known(&best) < known(&found) {
            best = found;
        }
        if known(&best) == sites.len() {
            break;
        }
    }
    best
}

/// What all subscripts have in common: parameters, each times the same number, as the `k` that
/// `A[k + i * n + j]` begins with. Elements are the same with it and without.
fn common_offset(polys: &[&Poly]) -> Poly {
    let mut offset = Poly::default();
    let Some((first, rest)) = polys.split_first() else {
        return offset;
    };
    for (f, m, c) in first
        .terms()
        .filter(|(f, m, _)| f.is_none() && !m.is_empty())
    {
        let has = |p: &&Poly| p.terms().any(|t| t == (f, m, c));
        if rest.iter().all(has) {
            offset.add_term(f, m.clone(), c);
        }
    }
    offset
}

/// The access to an array that begins so far behind.
fn without(site: &AccessSite, offset: &Poly) -> AccessSite {
    let mut site = site.clone();
    if let Some(first) = site.raw.as_mut().and_then(|r| r.subscripts.first_mut()) {
        *first = first.plus(-1, offset);
    }
    site
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
    let all = parts_of(params, site, strides);
    let parts = all
        .into_iter()
        .find(|p| within(params, site, p, strides, rows))?;
    Some(Element {
        system: raw.system.clone(),
        subscripts: parts,
        spread: raw.spread,
    })
}

/// The ways to take a subscript apart by these strides, each with the outermost part first.
pub(super) fn parts_of(
    params: &mut Params,
    site: &AccessSite,
    strides: &[Stride],
) -> Vec<Vec<Linear>> {
    let raw = site.raw.as_ref();
    let Some(poly) = raw.and_then(|r| r.subscripts.first()) else {
        return Vec::new();
    };
    let mut found: Vec<Vec<Linear>> = Vec::new();
    for choice in 0..3_u32.pow(strides.len().min(4) as u32) {
        if let Some(parts) = parts(params, poly, strides, choice)
            && !found.contains(&parts)
        {
            found.push(parts);
        }
    }
    found
}

/// What becomes of the terms without a loop variable, which may belong to the row or to the column:
/// `n` in `A[n - 1 - j]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Constants {
    /// They are divided as the others are.
    Divided,
    /// All belong to the column.
    Kept,
    /// One row less than that, as in `A[(i + 1) * n + n - 1 - j]`.
    OneLess,
}

/// The quotients by the strides, the largest first, and what remains. Digit `k` of
/// `choice`, to the base of 3, says what becomes of the constants at stride `k`.
fn parts(params: &mut Params, poly: &Poly, strides: &[Stride], choice: u32) -> Option<Vec<Linear>> {
    let mut rest = poly.clone();
    let mut parts = Vec::new();
    for (k, stride) in strides.iter().enumerate().rev() {
        let constants = match choice / 3_u32.pow(k.min(3) as u32) % 3 {
            0 => Constants::Divided,
            1 => Constants::Kept,
            _ => Constants::OneLess,
        };
        let (part, below) = match stride.number() {
            Some(times) => by_number(&rest, &times, constants)?,
            None => by_parameter(&rest, stride, constants),
        };
        parts.push(part.linear(params)?);
        rest = below;
    }
    parts.push(rest.linear(params)?);
    Some(parts)
}

/// What of a polynomial is a multiple of a stride, and the rest.
fn by_parameter(poly: &Poly, stride: &Stride, constants: Constants) -> (Poly, Poly) {
    let (own, others) = poly.symbolic_and_rest();
    let (mut part, mut below) = divide(&others, &stride.size);
    match constants {
        Constants::Kept => below = below.plus(1, &own),
        Constants::Divided | Constants::OneLess => {
            let (q, r) = divide(&own, &stride.size);
            part = part.plus(1, &q);
            below = below.plus(1, &r);
        }
    }
    if constants == Constants::OneLess {
        part = part.plus(-1, &Poly::constant(1_i64));
        below = below.plus(1, &stride.size);
    }
    (part, below)
}

/// The same of a number. The constant's quotient is the nearest one, since neighbours lie on
/// both sides; kept it is rounded down.
fn by_number(poly: &Poly, times: &Int, constants: Constants) -> Option<(Poly, Poly)> {
    if constants == Constants::OneLess {
        return None;
    }
    let (mut part, mut below) = (Poly::default(), Poly::default());
    for (f, m, c) in poly.terms() {
        if c.is_multiple_of(times) {
            part.add_term(f, m.clone(), &c.div_floor(times));
        } else if f.is_none() && m.is_empty() {
            let half = times.div_floor(&Int::from(2_i64));
            let from = match constants {
                Constants::Kept => c.clone(),
                _ => c + &half,
            };
            let q = from.div_floor(times);
            below.add_term(None, Vec::new(), &(c - &(&q * times)));
            part.add_term(None, Vec::new(), &q);
        } else {
            below.add_term(f, m.clone(), c);
        }
    }
    Some((part, below))
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
    let Some(sizes) = inner_sizes(params, parts.len(), strides) else {
        return false;
    };
    let forms = inner_forms(params, parts, strides).unwrap_or_default();
    forms.iter().enumerate().all(|(i, form)| {
        let size = sizes.get(i / 2).filter(|_| rows == Rows::NotEmpty);
        let least = size.map(|s| s.plus_constant(-1));
        never(params, site, form, least.as_ref())
    })
}

/// The sizes of all parts but the outermost, the innermost first.
fn inner_sizes(params: &mut Params, parts: usize, strides: &[Stride]) -> Option<Vec<Linear>> {
    let mut below = Stride::one();
    let mut sizes = Vec::new();
    // The last part has the first stride as its size.
    for stride in strides.iter().take(parts.saturating_sub(1)) {
        sizes.push(stride.over(&below)?.size.linear(params)?);
        below.clone_from(stride);
    }
    Some(sizes)
}

/// Two forms for each part but the outermost, the innermost first, that are negative where it is at least
/// 0, and where it is below its size.
pub(super) fn inner_forms(
    params: &mut Params,
    parts: &[Linear],
    strides: &[Stride],
) -> Option<Vec<Linear>> {
    let sizes = inner_sizes(params, parts.len(), strides)?;
    let inner = parts.iter().skip(1).rev().zip(&sizes);
    let outside =
        |(part, size): (&Linear, &Linear)| [part.negated().plus_constant(-1), part.minus(size)];
    Some(inner.flat_map(outside).collect())
}

/// Whether the form is negative in every iteration of the site, given that `least` is not.
pub(super) fn never(
    params: &Params,
    site: &AccessSite,
    form: &Linear,
    least: Option<&Linear>,
) -> bool {
    let Some(raw) = &site.raw else {
        return false;
    };
    let dims = params.len();
    site.domain.pieces.iter().all(|piece| {
        let mut c = Conjunct::universe(Space::set(dims, site.domain.depth()));
        add_system(&mut c, params.facts(), dims);
        add_system(&mut c, piece, dims);
        let at = add_system(&mut c, &raw.system, dims);
        for t in &params.truncated {
            // Where the quotient is positive, so is what was divided.
            let mut not = c.clone();
            let quotient = Linear::var(Var::Param(t.quotient)).negated();
            not.add_inequality(&at.row(&quotient, c.row_len() - 1), Int::ZERO);
            if not.is_empty() == Ok(true) {
                for f in t.remainder() {
                    c.add_inequality(&at.row(&f, c.row_len() - 1), f.constant.clone());
                }
            }
        }
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
