//! `test-memref-dependence-check`: a remark for each pair of `affine.load` and
//! `affine.store` ops and each depth, as MLIR's test pass of this name.
//!
//! Accesses are numbered in the order of the text. Depth `d` up to the number of loops
//! around both asks for dependences that loop `d` carries, one more for those within
//! an iteration of all of them. The answer is `false`, `true`, or for each common loop
//! the least and the greatest distance:
//!
//! ```text
//! affine.for %i = 0 to 10 {
//!   affine.store %x, %m[%i + 3]  // dependence from 0 to 1 at depth 1 = [3, 3]
//!   %0 = affine.load %m[%i]      // dependence from 1 to 0 at depth 1 = false
//! }
//! ```
//!
//! The distances are exact, where MLIR's are those of a rational relaxation.

use rustc_hash::FxHashMap;
use terrace_dialects::affine;
use terrace_ir::opdef::traits::FUNCTION_LIKE;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Context, Op};

use crate::analysis::dependence::{Dependence, Extent, Options, dependences};

pub static INFO: PassInfo = PassInfo {
    name: "test-memref-dependence-check",
    title: "TestMemRefDependenceCheck",
    summary: "Checks dependences between all pairs of memref accesses.",
    description: "Emits, at each affine.load and affine.store, a remark for each other one and each depth: whether there is a dependence, and the least and greatest distance along each common loop.",
    make: |_| Ok(Box::new(Check)),
    ..PassInfo::EMPTY
};

struct Check;

impl Pass for Check {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut first = 0;
        let mut functions = Vec::new();
        let is_access = |ctx: &Context, o: Op| {
            matches!(o.name(ctx), affine::LoadOp::NAME | affine::StoreOp::NAME)
        };
        op.walk(ctx, &mut |o| {
            let function = o.has_trait(ctx, FUNCTION_LIKE);
            if function {
                functions.push(o);
            }
        });
        for f in functions {
            let accesses: Vec<Op> = f
                .pre_order(ctx)
                .into_iter()
                .filter(|o| is_access(ctx, *o))
                .collect();
            if !accesses.is_empty() {
                report(ctx, f, &accesses, first);
                first += accesses.len();
            }
        }
        Ok(())
    }
}

/// The remarks of one function, whose first access has number `first`.
fn report(ctx: &Context, function: Op, accesses: &[Op], first: usize) {
    let options = Options {
        frees: false,
        trust_unregistered: true,
        ..Options::default()
    };
    let found = dependences(ctx, function, &options);
    let mut by_pair: FxHashMap<(Op, Op), Vec<&Dependence>> = FxHashMap::default();
    for d in &found.all {
        let pair = (d.source_op, d.sink_op);
        by_pair.entry(pair).or_default().push(d);
    }
    let loops: FxHashMap<Op, usize> = found
        .program
        .sites
        .iter()
        .enumerate()
        .map(|(i, s)| (s.op, i))
        .collect();
    for (i, source) in accesses.iter().enumerate() {
        for (j, sink) in accesses.iter().enumerate() {
            let sites = &found.program.sites;
            let (Some(s), Some(t)) = (loops.get(source), loops.get(sink)) else {
                continue;
            };
            let both = sites[*s].domain.loops.iter().zip(&sites[*t].domain.loops);
            let common = both.take_while(|(a, b)| a == b).count();
            let pair = by_pair.get(&(*source, *sink));
            for depth in 1..=common + 1 {
                let here = pair.and_then(|p| p.iter().find(|d| d.level() == Some(depth)));
                let answer = match here {
                    None => "false".to_string(),
                    Some(d) if depth <= common => d.distance.iter().map(text).collect(),
                    Some(_) => "true".to_string(),
                };
                let (from, to) = (first + i, first + j);
                source.remark(
                    ctx,
                    format!("dependence from {from} to {to} at depth {depth} = {answer}"),
                );
            }
        }
    }
}

fn text(e: &Extent) -> String {
    let end = |v: &Option<_>, open: &str| match v {
        Some(v) => format!("{v}"),
        None => open.to_string(),
    };
    format!("[{}, {}]", end(&e.min, "-inf"), end(&e.max, "+inf"))
}
