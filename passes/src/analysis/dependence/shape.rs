//! Arrays of one dimension that a program uses as if they had several.

use rustc_hash::FxHashSet;
use terrace_dialects::memref::layout::even_stride;
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Context, Op, Value};

use super::delinearize::{Rows, split};
use super::linear::{Linear, System, Var};
use super::params::Param;
use super::poly::Poly;
use super::sites::Element;
use super::strides::{Stride, of_numbers, of_parameters};
use super::{AccessSite, Domain, Options, Program};
use crate::analysis::linear;

/// A size: a sum of products of values that are never changed and a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Size {
    pub terms: Vec<(Vec<Value>, i64)>,
}

impl Size {
    /// The values in it.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.terms.iter().flat_map(|(values, _)| values).copied()
    }
}

/// An array that all accesses use with the same number of subscripts.
#[derive(Debug)]
pub(crate) struct Delinearized {
    pub memref: Value,
    /// Of all dimensions but the first, the outermost first.
    pub sizes: Vec<Size>,
    /// Each op that accesses it once, with its subscripts over values, all of which are dimensions.
    pub accesses: Vec<(Op, ValueMap<Value>)>,
}

/// The memrefs of one dimension of which all accesses below `root` have subscripts that come
/// apart, as the `delinearize` module says; within their sizes in every iteration.
pub(crate) fn delinearized(ctx: &Context, root: Op) -> Vec<Delinearized> {
    let mut program = Program::of(ctx, root, &Options::of_iterations());
    let mut seen = FxHashSet::default();
    // What lies between elements, as other fields of records do, is the same between all of them.
    let is_row = |m: &Value| even_stride(ctx, m.ty(ctx)).is_some();
    let memrefs: Vec<Value> = (program.sites.iter())
        .filter_map(|s| s.memref)
        .filter(|m| is_row(m) && seen.insert(*m))
        .collect();
    // Any memory: such an access may be of each of them.
    if program.sites.iter().any(|s| s.memref.is_none()) {
        return Vec::new();
    }
    let of = |m| shape_of(ctx, &mut program, m);
    memrefs.into_iter().filter_map(of).collect()
}

fn shape_of(ctx: &Context, program: &mut Program, memref: Value) -> Option<Delinearized> {
    let sites: Vec<AccessSite> = (program.sites.iter())
        .filter(|s| s.memref == Some(memref))
        .cloned()
        .collect();
    let polys: Vec<&Poly> = (sites.iter())
        .map(|s| subscript(ctx, s, memref))
        .collect::<Option<_>>()?;
    let candidates = of_parameters(&polys);
    let candidates = match candidates.is_empty() {
        true => vec![of_numbers(&polys)?],
        false => candidates,
    };
    candidates
        .iter()
        .find_map(|strides| taken_apart(program, memref, &sites, strides))
}

/// The array with these strides, if all accesses have subscripts by them.
fn taken_apart(
    program: &mut Program,
    memref: Value,
    sites: &[AccessSite],
    strides: &[Stride],
) -> Option<Delinearized> {
    // `A[i * n]` is in row `i` only if rows have an element. Where they have none, the element is
    // the same one still, and reads alone may be of one element for all that dependences say.
    let rows = match sites.iter().any(|s| s.writes) {
        true => Rows::Any,
        false => Rows::NotEmpty,
    };
    let mut accesses: Vec<(Op, ValueMap<Value>)> = Vec::new();
    for site in sites {
        let element = split(&mut program.params, site, strides, rows)?;
        if accesses.last().is_some_and(|(op, _)| *op == site.op) {
            continue;
        }
        accesses.push((site.op, program.subscripts(&site.domain, &element)?));
    }
    let mut sizes = Vec::new();
    let mut below: Option<&Stride> = None;
    for s in strides {
        let size = match below {
            Some(b) => s.over(b)?,
            None => s.clone(),
        };
        sizes.insert(0, size_of(program, &size)?);
        below = Some(s);
    }
    Some(Delinearized {
        memref,
        sizes,
        accesses,
    })
}

/// The subscript of an access to one element of the memref itself, not of a view of it.
fn subscript<'s>(ctx: &Context, site: &'s AccessSite, memref: Value) -> Option<&'s Poly> {
    let raw = site.raw.as_ref()?;
    let direct = site.op.operands(ctx).contains(&memref);
    raw.subscripts.first().filter(|_| !raw.spread && direct)
}

fn size_of(program: &Program, size: &Stride) -> Option<Size> {
    let term = |(_, m, c): (_, &Vec<u32>, &terrace_presburger::Int)| {
        let values = m.iter().map(|p| program.value_of(*p));
        Some((values.collect::<Option<_>>()?, c.to_i64()?))
    };
    let terms = size.size.terms().map(term).collect::<Option<_>>()?;
    Some(Size { terms })
}

impl Program {
    /// The value that a parameter is, if it is one of the program's own.
    fn value_of(&self, param: u32) -> Option<Value> {
        match self.params.list().get(param as usize)? {
            Param::Value(v) => Some(*v),
            _ => None,
        }
    }

    /// The subscripts of an element over values of the program, whose quotients are computed anew.
    fn subscripts(&self, domain: &Domain, element: &Element) -> Option<ValueMap<Value>> {
        let mut operands = Vec::new();
        let all = element.subscripts.iter();
        let all = all.map(|form| self.expr(domain, &element.system, form, &mut operands));
        let results = all.collect::<Option<Vec<_>>>()?;
        let within = results.iter().all(AffineExpr::within_limits);
        let dims = u32::try_from(operands.len()).ok()?;
        within.then(|| ValueMap {
            map: AffineMap::new(dims, 0, results).simplify(),
            operands,
        })
    }

    fn expr(
        &self,
        domain: &Domain,
        system: &System,
        form: &Linear,
        operands: &mut Vec<Value>,
    ) -> Option<AffineExpr> {
        let mut sum = AffineExpr::constant(form.constant.to_i64()?);
        for (v, c) in &form.terms {
            let value = match v {
                Var::Dim(i) => domain.loops.get(*i as usize)?.iv,
                Var::Param(p) => self.value_of(*p)?,
                Var::Local(i) => {
                    // What is divided has no locals but those made before.
                    let (dividend, divisor) = system.division(*i)?;
                    let dividend = self.expr(domain, system, dividend, operands)?;
                    let quotient = dividend.floor_div(divisor.to_i64()?);
                    sum = sum + quotient * c.to_i64()?;
                    continue;
                }
            };
            let at = operands.iter().position(|o| *o == value);
            let at = at.unwrap_or_else(|| {
                operands.push(value);
                operands.len() - 1
            });
            sum = sum + AffineExpr::dim(u32::try_from(at).ok()?) * c.to_i64()?;
        }
        Some(sum)
    }

    /// The form over values of the program.
    pub(super) fn named(&self, domain: &Domain, form: &Linear) -> Option<linear::Linear> {
        let mut sum = linear::Linear::constant(form.constant.to_i64()?);
        for (v, c) in &form.terms {
            let v = match v {
                Var::Dim(i) => domain.loops.get(*i as usize)?.iv,
                Var::Param(p) => self.value_of(*p)?,
                Var::Local(_) => return None,
            };
            sum = sum.plus_times(&linear::Linear::value(v), c.to_i64()?)?;
        }
        Some(sum)
    }
}
