//! Whether the iterations of a loop may run at once: of steps whose result has no marks to
//! read, since one op of it does the work of several iterations.

use super::constraints::rank;
use super::rows;
use super::units::array;
use super::violation::Violation;
use crate::analysis::dependence::{Kind, Options, dependences};
use terrace_dialects::affine::ForOp;
use terrace_ir::{Context, OpKind};

/// What is between iterations of `l`, if anything is: the clearest dependence that it
/// carries. Values carried in SSA form are not looked at.
pub fn carried(ctx: &Context, l: ForOp) -> Option<Violation> {
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let found = dependences(ctx, l.op(), &options);
    let iv = l.iv(ctx);
    let d = found
        .all
        .iter()
        .filter(|d| d.kind != Kind::Input)
        .filter(|d| d.level().is_none() || d.carrying_loop().is_some_and(|c| c.iv == iv))
        .min_by_key(|d| (d.doubt.is_some(), rank(d.kind)))?;
    let name = d.memref.map_or("memory".to_string(), |m| array(ctx, m));
    let m = format!(
        "iterations would run at once that the {} dependence on {name} puts in order",
        d.kind.name()
    );
    let (first, inputs) = (d.space().params, d.space().inputs);
    let example = d
        .pieces()
        .iter()
        .find_map(|c| rows::example(c).ok().flatten());
    let iteration = |at: usize| match example.as_ref().and_then(|p| p.get(at)) {
        Some(v) => format!(" in iteration {v}"),
        None => String::new(),
    };
    Some(
        Violation::new(m)
            .note(
                d.source_op.loc(ctx),
                format!("from here{}", iteration(first)),
            )
            .note(
                d.sink_op.loc(ctx),
                format!("to here{}", iteration(first + inputs)),
            )
            .because(d.doubt.as_ref()),
    )
}
