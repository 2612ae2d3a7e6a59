//! The problem that a program poses.

use terrace_ir::Context;
use terrace_presburger::{Effort, Relation, Space};

use super::problem::{MAX_STEPS, Problem, Statement};
use crate::analysis::dependence::{
    AccessSite, Carrier, Dependence, Dependences, Options, dependences,
};
use crate::loops::Refusal;
use crate::loops::scop::Scop;

/// The dependences among the statements of a scop that no loop is around.
///
/// # Errors
///
/// If a loop is around, or what depends on what cannot be told well enough.
pub fn problem_of(ctx: &Context, scop: &Scop) -> Result<Problem, Refusal> {
    let Some(root) = scop.first.parent(ctx) else {
        let m = "it is in no function whose dependences could be asked for";
        return Err(Refusal::new(scop.first.loc(ctx), m));
    };
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let all = dependences(ctx, root, &options);
    let mut arrays = Vec::new();
    let mut problem = Problem {
        params: all.program.params.len(),
        statements: scop
            .statements
            .iter()
            .map(|s| Statement {
                dims: s.ivs.len(),
                arrays: Vec::new(),
            })
            .collect(),
        dependences: Vec::new(),
        effort: Effort::new(MAX_STEPS),
    };
    let owner: Vec<Option<usize>> = all
        .program
        .sites
        .iter()
        .map(|s| scop.statement_of(ctx, s.op))
        .collect();
    for (site, statement) in all.program.sites.iter().zip(&owner) {
        let (Some(s), Some(m)) = (statement, site.memref) else {
            continue;
        };
        let number = arrays.iter().position(|a| *a == m).unwrap_or_else(|| {
            arrays.push(m);
            arrays.len() - 1
        });
        let of = &mut problem.statements[*s].arrays;
        if !of.contains(&number) {
            of.push(number);
        }
    }
    for d in &all.all {
        let (Some(s), Some(t)) = (owner[d.source], owner[d.sink]) else {
            continue;
        };
        add(ctx, &mut problem, scop, &all, d, (s, t))?;
    }
    Ok(problem)
}

fn add(
    ctx: &Context,
    problem: &mut Problem,
    scop: &Scop,
    all: &Dependences,
    d: &Dependence,
    (s, t): (usize, usize),
) -> Result<(), Refusal> {
    let (from, to) = (problem.statements[s].dims, problem.statements[t].dims);
    // What goes on within one run of a statement is its own affair.
    let inside = match d.carrier {
        Carrier::Loop(at) => at >= from,
        Carrier::Independent => true,
        Carrier::Opaque(op) => scop.statement_of(ctx, op) == Some(s),
    };
    if s == t && inside {
        return Ok(());
    }
    if let Carrier::Opaque(op) = d.carrier {
        let m = format!(
            "the iterations of '{}' are not affine, and statements in it depend on each other",
            op.name(ctx)
        );
        return Err(Refusal::new(op.loc(ctx), m));
    }
    let source = all.source(d).domain.depth();
    let sink = all.sink(d).domain.depth();
    let own = |ivs: &[terrace_ir::Value], site: &AccessSite| {
        let around = site.domain.ivs();
        around.len() >= ivs.len() && around[..ivs.len()] == *ivs
    };
    if !own(&scop.statements[s].ivs, all.source(d)) || !own(&scop.statements[t].ivs, all.sink(d)) {
        let m = "a loop is around the loops that are to be put in order";
        return Err(Refusal::new(scop.first.loc(ctx), m));
    }
    let params = problem.params;
    let pairs = Relation::from_pieces(d.space(), d.pieces().to_vec());
    let pairs = pairs
        .project_out(params + source + to..params + source + sink)
        .project_out(params + from..params + source);
    debug_assert_eq!(pairs.space(), Space::map(params, from, to));
    for piece in pairs.pieces() {
        if !problem.add_dependence(s, t, piece) {
            let m = "a dependence of it has too many corners to search a schedule";
            return Err(Refusal::new(d.sink_op.loc(ctx), m));
        }
    }
    Ok(())
}
