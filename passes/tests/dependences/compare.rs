//! What the analysis says against what happened.

use std::collections::{HashMap, HashSet};
use std::fmt;

use terrace_ir::text::parser::{Source, parse};
use terrace_ir::verify::verify;
use terrace_ir::{Context, Op, Value};
use terrace_passes::analysis::dependence::{
    Carrier, Dependence, Dependences, Options, Param, Poly, dependences,
};
use terrace_presburger::{Conjunct, Int};

use super::execute::{Event, Executor};
use super::generate::Program;

/// How much has been compared.
#[derive(Default)]
pub struct Tally {
    pub programs: usize,
    pub dependences: usize,
    pub exact: usize,
    pub pairs: usize,
    pub refused: usize,
    pub direct: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} programs, {} dependences, {} of them exact, {} pairs of iterations in them, {} others refused, {} value-based pairs",
            self.programs, self.dependences, self.exact, self.pairs, self.refused, self.direct
        )
    }
}

type Pair = (Vec<i64>, Vec<i64>);
/// Source, sink, level.
type Key = (Op, Op, usize);

pub fn check(p: &Program, tally: &mut Tally) -> Result<(), String> {
    let mut ctx = Context::new();
    terrace_dialects::register_all(&mut ctx);
    let module = parse(&mut ctx, &Source::new("random.mlir", &p.text));
    let module = module.filter(|m| verify(&ctx, *m));
    let Some(module) = module else {
        return Err(format!("invalid program: {:?}", ctx.take_diagnostics()));
    };
    let function = module.body(&ctx, 0).first_op(&ctx).ok_or("no function")?;
    let body = function.body(&ctx, 0);
    let mut run = Executor::new(&ctx);
    let args = body.args(&ctx);
    run.values.insert(args[0], p.sizes[0]);
    run.values.insert(args[1], p.sizes[1]);
    run.new_object(args[2]);
    run.new_object(args[3]);
    run.block(body);
    let found = dependences(&ctx, function, &Options::default());
    tally.programs += 1;
    let values = |v: Value| run.values.get(&v).copied();
    let params = param_values(&found, &values)?;
    domains(&found, &run, &params)?;
    memory(&found, &run, &params, tally)?;
    values_only(&ctx, &found, &run, &params, tally)
}

/// The parameters' values in this run.
fn param_values(
    found: &Dependences,
    values: &dyn Fn(Value) -> Option<i64>,
) -> Result<Vec<i64>, String> {
    fn poly(p: &Poly, known: &[i64]) -> Result<i64, String> {
        let mut sum = 0;
        for (factor, monomial, c) in p.terms() {
            if factor.is_some() {
                return Err("a loop variable in a parameter".into());
            }
            let product: i64 = monomial.iter().map(|m| known[*m as usize]).product();
            sum += c.to_i64().ok_or("a large number")? * product;
        }
        Ok(sum)
    }
    let mut known = Vec::new();
    for p in found.program.params.list() {
        let v = match p {
            Param::Value(v) => values(*v).ok_or("a parameter that is not known")?,
            Param::Product(m) => m.iter().map(|i| known[*i as usize]).product(),
            Param::Quotient(a, b) => poly(a, &known)?.div_euclid(poly(b, &known)?),
            Param::Size(..) => return Err("there are no dynamic sizes".into()),
        };
        known.push(v);
    }
    Ok(known)
}

fn point(parts: &[&[i64]]) -> Vec<Int> {
    parts.concat().into_iter().map(Int::from).collect()
}

fn holds(pieces: &[Conjunct], at: &[Int]) -> bool {
    pieces
        .iter()
        .any(|p| plain_rows_hold(p, at) && p.contains(at).expect("small systems"))
}

/// Whether the constraints without locals hold: most points fail one of them, and
/// this is fast.
fn plain_rows_hold(p: &Conjunct, at: &[Int]) -> bool {
    let value = |row: &[Int]| {
        let (constant, columns) = row.split_last()?;
        if columns[at.len()..].iter().any(|c| !c.is_zero()) {
            return None;
        }
        let mut sum = constant.clone();
        for (c, x) in columns.iter().zip(at) {
            sum.add_product(c, x);
        }
        Some(sum)
    };
    p.equalities()
        .iter()
        .all(|r| value(r).is_none_or(|v| v.is_zero()))
        && p.inequalities()
            .iter()
            .all(|r| value(r).is_none_or(|v| !v.is_negative()))
}

/// Every op runs in exactly the iterations of its domain.
fn domains(found: &Dependences, run: &Executor, params: &[i64]) -> Result<(), String> {
    for s in &found.program.sites {
        let ran: HashSet<&Vec<i64>> = run.ran.get(&s.op).into_iter().flatten().collect();
        let pieces = s.domain.conjuncts(&found.program.params);
        for at in &ran {
            if !holds(&pieces, &point(&[params, at])) {
                return Err(format!("the domain of access {} lacks {at:?}", s.position));
            }
        }
        if s.domain.inexact.is_some() {
            continue;
        }
        let mut at = vec![-3; s.domain.depth()];
        loop {
            if !ran.contains(&at) && holds(&pieces, &point(&[params, &at])) {
                return Err(format!("the domain of access {} holds {at:?}", s.position));
            }
            let Some(i) = at.iter().rposition(|x| *x < 7) else {
                break;
            };
            at[i] += 1;
            at[i + 1..].fill(-3);
        }
    }
    Ok(())
}

/// The pairs of accesses to a common element, one of them writing, in order.
///
/// `direct`: only those to some common element that no access between the two writes.
fn conflicts(found: &Dependences, trace: &[Event], direct: bool) -> HashMap<Key, HashSet<Pair>> {
    let depth_of: HashMap<Op, &Vec<_>> = found
        .program
        .sites
        .iter()
        .map(|s| (s.op, &s.domain.loops))
        .collect();
    let mut pairs: HashMap<Key, HashSet<Pair>> = HashMap::new();
    for (i, b) in trace.iter().enumerate() {
        for (j, a) in trace[..i].iter().enumerate() {
            let between = || trace[j + 1..i].iter().filter(|w| direct && w.writes);
            let meets = a
                .elements
                .iter()
                .any(|e| b.elements.contains(e) && !between().any(|w| w.elements.contains(e)));
            if !meets || !(a.writes || b.writes) {
                continue;
            }
            let (x, y) = (depth_of[&a.op], depth_of[&b.op]);
            let common = x.iter().zip(y).take_while(|(p, q)| p == q).count();
            let level = (0..common)
                .find(|l| a.iteration[*l] != b.iteration[*l])
                .unwrap_or(common);
            let pair = (a.iteration.clone(), b.iteration.clone());
            pairs
                .entry((a.op, b.op, level + 1))
                .or_default()
                .insert(pair);
        }
    }
    pairs
}

fn memory(
    found: &Dependences,
    run: &Executor,
    params: &[i64],
    tally: &mut Tally,
) -> Result<(), String> {
    let mut real = conflicts(found, &run.trace, false);
    for d in &found.all {
        let level = d.level().ok_or("an opaque carrier")?;
        let key = (d.source_op, d.sink_op, level);
        let real = real.remove(&key).unwrap_or_default();
        tally.dependences += 1;
        tally.exact += usize::from(d.is_exact());
        let name = || format!("{} -> {} at level {level}", d.source, d.sink);
        for (a, b) in &real {
            tally.pairs += 1;
            if !holds(d.pieces(), &point(&[params, a, b])) {
                return Err(format!("{} lacks {a:?} -> {b:?}", name()));
            }
        }
        distances(d, &real, params.is_empty()).map_err(|e| format!("{}: {e}", name()))?;
        if !d.is_exact() {
            continue;
        }
        let (from, to) = (&run.ran.get(&d.source_op), &run.ran.get(&d.sink_op));
        for a in from.iter().flat_map(|v| v.iter()) {
            for b in to.iter().flat_map(|v| v.iter()) {
                let pair = (a.clone(), b.clone());
                if real.contains(&pair) {
                    continue;
                }
                tally.refused += 1;
                if holds(d.pieces(), &point(&[params, a, b])) {
                    return Err(format!("{} holds {a:?} -> {b:?}", name()));
                }
            }
        }
        if params.is_empty() && real.is_empty() {
            return Err(format!("{} is exact and empty", name()));
        }
    }
    match real.iter().next() {
        None => Ok(()),
        Some(((a, b, level), pairs)) => {
            let position = |op: &Op| {
                let sites = &found.program.sites;
                sites.iter().position(|s| s.op == *op).unwrap_or(usize::MAX)
            };
            Err(format!(
                "missed {} -> {} at level {level}: {pairs:?}",
                position(a),
                position(b)
            ))
        }
    }
}

/// Value-based dependences: none is missed, and where all is known none is left that
/// another write comes between.
fn values_only(
    ctx: &Context,
    found: &Dependences,
    run: &Executor,
    params: &[i64],
    tally: &mut Tally,
) -> Result<(), String> {
    let mut real = conflicts(found, &run.trace, true);
    let sites = &found.program.sites;
    let all_known = found.all.iter().all(Dependence::is_exact);
    let single = |i: usize| sites[i].element.as_ref().is_ok_and(|e| e.is_single());
    for d in found.value_based(ctx) {
        let level = d.level().ok_or("an opaque carrier")?;
        let real = real.remove(&(d.source_op, d.sink_op, level));
        let real = real.unwrap_or_default();
        let name = || format!("value-based {} -> {} at level {level}", d.source, d.sink);
        if let Some((a, b)) = real
            .iter()
            .find(|(a, b)| !holds(d.pieces(), &point(&[params, a, b])))
        {
            return Err(format!("{} lacks {a:?} -> {b:?}", name()));
        }
        if !all_known || !d.is_exact() || !(single(d.source) || single(d.sink)) {
            continue;
        }
        distances(&d, &real, params.is_empty()).map_err(|e| format!("{}: {e}", name()))?;
        tally.direct += real.len();
        let (from, to) = (&run.ran.get(&d.source_op), &run.ran.get(&d.sink_op));
        for a in from.iter().flat_map(|v| v.iter()) {
            for b in to.iter().flat_map(|v| v.iter()) {
                let pair = (a.clone(), b.clone());
                if !real.contains(&pair) && holds(d.pieces(), &point(&[params, a, b])) {
                    return Err(format!("{} holds {a:?} -> {b:?}", name()));
                }
            }
        }
    }
    match real.values().next() {
        None => Ok(()),
        Some(pairs) => Err(format!("a value-based dependence is missed: {pairs:?}")),
    }
}

/// The distances are between the bounds given, and reach them where nothing is left
/// open by parameters or doubt.
fn distances(d: &Dependence, real: &HashSet<Pair>, closed: bool) -> Result<(), String> {
    for (i, e) in d.distance.iter().enumerate() {
        let all = real.iter().map(|(a, b)| Int::from(b[i] - a[i]));
        let (low, high) = (all.clone().min(), all.max());
        let (Some(low), Some(high)) = (low, high) else {
            continue;
        };
        let below = e.min.as_ref().is_some_and(|m| low < *m);
        let above = e.max.as_ref().is_some_and(|m| high > *m);
        let loose =
            closed && d.is_exact() && (e.min != Some(low.clone()) || e.max != Some(high.clone()));
        if below || above || loose {
            return Err(format!(
                "the distance along loop {i} is {low}..{high}, not {:?}",
                e
            ));
        }
    }
    if let Carrier::Loop(i) = d.carrier
        && d.distance[i].min.as_ref().is_none_or(|m| !m.is_positive())
    {
        return Err("the carrying loop does not advance".into());
    }
    Ok(())
}
