//! What has to hold of a function's arguments for linearised subscripts to come apart: `m <= ld` for
//! `A[i * ld + j]` with `j` below `m`.
//!
//! Nothing in the function says it, and it holds in nearly every call. Whoever calls the function can look,
//! and run something else where it does not hold (compare T. Grosser et al., "Optimistic
//! Delinearization of Parametrically Sized Arrays", 2015).

use rustc_hash::FxHashSet;
use terrace_dialects::arith::IndexCastOp;
use terrace_dialects::attributes::{ACC_PRESUMES, ACC_UNSIGNED};
use terrace_dialects::function::arg_attr;
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_ir::{Attr, Context, Op, Value};
use terrace_presburger::Int;

use super::delinearize::{Rows, inner_forms, never, parts_of, split};
use super::linear::{Linear, Var};
use super::params::{Param, Params};
use super::poly::Poly;
use super::strides::{Stride, of_parameters};
use super::{AccessSite, Options, Program};

/// The most conditions of one function.
const MAX_CONDITIONS: usize = 6;

/// A condition: the sum of products of arguments, each times a number, and a number, is not negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Presumed {
    /// The numbers of the arguments of a product, sorted, and what it is multiplied by, which is not 0.
    pub terms: Vec<(Vec<usize>, i64)>,
    pub constant: i64,
}

impl Presumed {
    /// What `acc.presumes` of a function says; nothing where it is not of its arguments.
    pub fn of(ctx: &Context, function: Op) -> Vec<Presumed> {
        let list = function.attr(ctx, ACC_PRESUMES);
        let list = list.and_then(|a| a.as_array(ctx)).unwrap_or_default();
        let args = arguments(ctx, function).len();
        list.iter()
            .filter_map(|a| Presumed::read(ctx, *a, args))
            .collect()
    }

    fn read(ctx: &Context, of: Attr, args: usize) -> Option<Presumed> {
        let mut p = Presumed {
            terms: Vec::new(),
            constant: 0,
        };
        for term in of.as_array(ctx)? {
            let numbers = term.as_i64_array(ctx)?;
            let (times, product) = numbers.split_first()?;
            let product = product
                .iter()
                .map(|i| usize::try_from(*i).ok().filter(|i| *i < args));
            let product: Vec<usize> = product.collect::<Option<_>>()?;
            match product.is_empty() {
                true => p.constant = *times,
                false => p.terms.push((product, *times)),
            }
        }
        Some(p)
    }

    /// A term is an array of a number and the arguments that it is multiplied by.
    fn attribute(&self, ctx: &Context) -> Attr {
        let term = |product: &[usize], times: i64| {
            let product = product.iter().map(|i| *i as i64);
            ctx.i64_array(&std::iter::once(times).chain(product).collect::<Vec<_>>())
        };
        let constant = (self.constant != 0).then(|| term(&[], self.constant));
        let terms = self
            .terms
            .iter()
            .map(|(product, times)| term(product, *times));
        ctx.array_attr(terms.chain(constant).collect())
    }

    /// The argument, if that is all that is in the condition, and what it is multiplied by.
    fn single(&self) -> Option<(usize, i64)> {
        match &self.terms[..] {
            [(product, times)] if product.len() == 1 => Some((product[0], *times)),
            _ => None,
        }
    }
}

/// Adds conditions to those of a function; how many are new.
pub(crate) fn presume(ctx: &mut Context, function: Op, conditions: Vec<Presumed>) -> u64 {
    let mut all = Presumed::of(ctx, function);
    let before = all.len();
    for c in conditions {
        if !all.contains(&c) {
            all.push(c);
        }
    }
    if all.len() == before {
        return 0;
    }
    let list = all.iter().map(|p| p.attribute(ctx)).collect();
    let list = ctx.array_attr(list);
    function.set_attr(ctx, ACC_PRESUMES, list);
    (all.len() - before) as u64
}

/// Presumes of arguments of a function that they are greater than zero.
pub(crate) fn presume_positive(ctx: &mut Context, function: Op, values: &[Value]) {
    let args = arguments(ctx, function);
    let of = values
        .iter()
        .filter_map(|v| args.iter().position(|a| a == v));
    let conditions = of.map(|i| Presumed {
        terms: vec![(vec![i], 1)],
        constant: -1,
    });
    presume(ctx, function, conditions.collect());
}

fn arguments(ctx: &Context, function: Op) -> Vec<Value> {
    let entry = (function.num_regions(ctx) > 0)
        .then(|| function.region(ctx, 0).entry(ctx))
        .flatten();
    entry.map(|b| b.args(ctx)).unwrap_or_default()
}

/// The argument that a value is, as another type perhaps.
fn argument(ctx: &Context, args: &[Value], v: Value) -> Option<usize> {
    let cast = v.def_op().filter(|op| op.isa::<IndexCastOp>(ctx));
    let v = cast.map_or(v, |op| op.operand(ctx, 0));
    args.iter().position(|a| *a == v)
}

/// Makes what is presumed of the arguments of the function around `root` facts.
pub(super) fn add_facts(ctx: &Context, root: Op, params: &mut Params) {
    let mut at = Some(root);
    let function = std::iter::from_fn(|| {
        let op = at?;
        at = op.parent(ctx);
        Some(op)
    })
    .find(|op| op.attr(ctx, ACC_PRESUMES).is_some());
    let Some(function) = function else { return };
    let args = arguments(ctx, function);
    for p in Presumed::of(ctx, function) {
        if let Some(form) = form_of(ctx, &args, params, &p) {
            params.facts.add_inequality(form);
        }
        // An unsigned number that is at most the greatest signed one is read as such.
        if let Some((i, -1)) = p.single()
            && p.constant <= i64::from(i32::MAX)
            && is_unsigned(ctx, function, i)
            && let natural = (Presumed {
                terms: vec![(vec![i], 1)],
                constant: 0,
            })
            && let Some(form) = form_of(ctx, &args, params, &natural)
        {
            params.facts.add_inequality(form);
        }
    }
}

/// Whether the source has an unsigned number for an argument.
pub(crate) fn is_unsigned(ctx: &Context, function: Op, argument: usize) -> bool {
    arg_attr(ctx, function, argument, ACC_UNSIGNED).is_some()
}

/// The condition over the parameters of a program, if it has all of them.
fn form_of(ctx: &Context, args: &[Value], params: &Params, p: &Presumed) -> Option<Linear> {
    let mut form = Linear::constant(p.constant);
    for (product, c) in &p.terms {
        let [i] = product[..] else { return None };
        let param = params
            .list()
            .iter()
            .position(|q| matches!(q, Param::Value(v) if argument(ctx, args, *v) == Some(i)))?;
        form = form.plus(*c, &Linear::var(Var::Param(param as u32)));
    }
    Some(form)
}

/// What has to hold so that the subscripts of arrays of one dimension in `function` come apart that do not
/// anyway, those of arrays that are written first.
pub(crate) fn presumptions(ctx: &Context, function: Op) -> Vec<Presumed> {
    // Only where subscripts are no affine maps is there anything to presume.
    let is_computed = |op: Op| {
        let of = match op.name(ctx) {
            LoadOp::NAME => op.operand(ctx, 0),
            StoreOp::NAME => op.operand(ctx, 1),
            _ => return false,
        };
        of.ty(ctx).rank(ctx) == Some(1)
    };
    if !function.post_order(ctx).into_iter().any(is_computed) {
        return Vec::new();
    }
    let mut program = Program::of(ctx, function, &Options::of_iterations());
    let args = arguments(ctx, function);
    let mut seen = FxHashSet::default();
    let mut memrefs: Vec<Value> = (program.sites.iter())
        .filter_map(|s| s.memref)
        .filter(|m| m.ty(ctx).rank(ctx) == Some(1) && seen.insert(*m))
        .collect();
    let written = |m: &Value| {
        program
            .sites
            .iter()
            .any(|s| s.memref == Some(*m) && s.writes)
    };
    memrefs.sort_by_key(|m| !written(m));
    let mut found: Vec<Presumed> = Vec::new();
    for m in memrefs {
        let Some(new) = of_array(ctx, &args, &mut program, m) else {
            continue;
        };
        if found.len() + new.len() > MAX_CONDITIONS {
            break;
        }
        for (p, form) in new {
            program.params.facts.add_inequality(form);
            found.push(p);
        }
    }
    strongest(found)
}

/// The conditions without those that another one with the same terms implies.
fn strongest(all: Vec<Presumed>) -> Vec<Presumed> {
    let mut out: Vec<Presumed> = Vec::new();
    for p in &all {
        let implied = |q: &Presumed| q.terms == p.terms && q.constant < p.constant;
        if !out.contains(p) && !all.iter().any(implied) {
            out.push(p.clone());
        }
    }
    out
}

/// The conditions of one array, where all of its accesses come apart with them, and not all without.
fn of_array(
    ctx: &Context,
    args: &[Value],
    program: &mut Program,
    memref: Value,
) -> Option<Vec<(Presumed, Linear)>> {
    let sites: Vec<AccessSite> = (program.sites.iter())
        .filter(|s| s.memref == Some(memref))
        .cloned()
        .collect();
    let polys: Vec<&Poly> = (sites.iter())
        .map(|s| s.raw.as_ref()?.subscripts.first())
        .collect::<Option<_>>()?;
    let params = &mut program.params;
    let candidates = of_parameters(&polys);
    let apart = |params: &mut Params, strides: &[Stride]| {
        sites
            .iter()
            .all(|s| split(params, s, strides, Rows::Any).is_some())
    };
    if candidates.iter().any(|strides| apart(params, strides)) {
        return None;
    }
    candidates.iter().find_map(|strides| {
        let before = params.facts.clone();
        let mut all: Vec<(Presumed, Linear)> = Vec::new();
        // Subscripts without rows do not say what these are long: they may be of the array as a
        // whole.
        let rows = |s: &&AccessSite| s.raw.as_ref().is_some_and(|r| has_rows(&r.subscripts[0]));
        for site in sites.iter().filter(rows) {
            if split(params, site, strides, Rows::Any).is_some() {
                continue;
            }
            let new = of_site(ctx, args, params, site, strides);
            for (p, form) in new.into_iter().flatten() {
                params.facts.add_inequality(form.clone());
                all.push((p, form));
            }
        }
        // What is read may lie in the row before, as `A[i * ld + j - 1]` does from 0 on.
        let of_sizes = all.iter().all(|(p, _)| p.terms.len() > 1);
        if !of_sizes && sites.iter().all(|s| !s.writes) {
            params.facts = before;
            return None;
        }
        let found = !all.is_empty() && apart(params, strides);
        params.facts = before;
        found.then_some(all)
    })
}

/// Whether a loop variable is multiplied by a parameter.
fn has_rows(p: &Poly) -> bool {
    p.terms().any(|(f, m, _)| f.is_some() && !m.is_empty())
}

/// The conditions under which an access has these strides: of the ways to take it apart the first of
/// which all are about arguments.
fn of_site(
    ctx: &Context,
    args: &[Value],
    params: &mut Params,
    site: &AccessSite,
    strides: &[Stride],
) -> Option<Vec<(Presumed, Linear)>> {
    parts_of(params, site, strides)
        .into_iter()
        .find_map(|parts| {
            let mut all = Vec::new();
            for form in inner_forms(params, &parts, strides)? {
                if never(params, site, &form, None) {
                    continue;
                }
                for piece in &site.domain.pieces {
                    let greatest = greatest(&form, &piece.inequalities)?;
                    let holds = greatest.negated().plus_constant(-1);
                    all.push((of_arguments(ctx, args, params, &holds)?, holds));
                }
            }
            Some(all)
        })
}

/// The greatest value of a form, by the bounds of the loop variables in it, those of inner loops first.
fn greatest(form: &Linear, bounds: &[Linear]) -> Option<Linear> {
    let innermost = form.terms.iter().rev().find_map(|(v, c)| match v {
        Var::Dim(_) => Some(Some((*v, c.clone()))),
        Var::Local(_) => Some(None),
        Var::Param(_) => None,
    });
    let Some(innermost) = innermost else {
        return Some(form.clone());
    };
    let (v, c) = innermost?;
    let of = |l: &Linear| l.terms.iter().find(|t| t.0 == v).map(|t| t.1.clone());
    // With `v <= e` for a positive coefficient, or `v >= e`: `c * (e - v)` is added. There are no
    // inner loops in `e`, so that one loop variable less is left.
    let wanted = if c.is_positive() { -1 } else { 1 };
    let is_outer = |b: &&Linear| {
        let mut terms = b.terms.iter();
        terms.all(|(w, _)| matches!(w, Var::Param(_)) || matches!(w, Var::Dim(_)) && *w <= v)
    };
    let bound = bounds
        .iter()
        .filter(is_outer)
        .filter(|b| of(b) == Some(Int::from(wanted as i64)))
        .min_by_key(|b| b.terms.len())?;
    let times = c.abs().to_i64()?;
    greatest(&form.plus(times, bound), bounds)
}

/// The condition that a form is not negative, if it is one about arguments that a call may well
/// fulfil: one of them has to be large enough.
fn of_arguments(ctx: &Context, args: &[Value], params: &Params, form: &Linear) -> Option<Presumed> {
    let mut terms = Vec::new();
    for (v, c) in &form.terms {
        let Var::Param(p) = v else { return None };
        let Param::Value(v) = params.list().get(*p as usize)? else {
            return None;
        };
        terms.push((vec![argument(ctx, args, *v)?], c.to_i64()?));
    }
    terms.sort_unstable();
    let single = terms.windows(2).all(|w| w[0].0 != w[1].0);
    let fulfilled = terms.iter().any(|(_, c)| *c > 0);
    (single && fulfilled).then_some(Presumed {
        terms,
        constant: form.constant.to_i64()?,
    })
}
