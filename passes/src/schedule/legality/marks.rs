//! Reading the marks after a step.

use super::context::{Surroundings, marked};
use super::units::Unit;
use super::violation::Violation;
use crate::analysis::dependence::{LoopDim, Program, Reason};
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::schedule::InstanceOp;
use terrace_ir::{Context, Op, Value};
use terrace_presburger::Conjunct;

/// One place where iterations of a unit are run now.
pub(super) struct Mark {
    pub(super) id: usize,
    /// Its place among all marks, in the order of the text.
    pub(super) position: usize,
    /// The loops around.
    pub(super) loops: Vec<LoopDim>,
    /// For each of them, whether its iterations have no order.
    pub(super) parallel: Vec<bool>,
    /// The op that it is in front of.
    pub(super) op: Option<Op>,
    /// What stands for the old loop variables.
    pub(super) iteration: Vec<Value>,
    /// What stands for the symbols of the unit.
    pub(super) symbols: Vec<Value>,
    pub(super) context: Surroundings,
    /// From iterations of the loops around to old iterations; or why that is not
    /// known.
    pub(super) graph: Result<Vec<Conjunct>, Reason>,
}

/// All marks, in the order of the text.
///
/// # Errors
///
/// A unit has no mark any more: its op is gone.
pub(super) fn read(
    ctx: &Context,
    program: &mut Program,
    units: &[Unit],
    ops: &[Op],
) -> Result<Vec<Mark>, Violation> {
    let mut marks = Vec::new();
    for (position, op) in ops.iter().enumerate() {
        let id = op.cast::<InstanceOp>(ctx).and_then(|m| m.id(ctx));
        let Some(id) = id.filter(|id| *id < units.len()) else {
            continue;
        };
        let mut iteration = op.operands(ctx);
        let symbols = iteration.split_off(units[id].ivs.len().min(iteration.len()));
        let point = program.point(ctx, *op, &iteration);
        marks.push(Mark {
            id,
            position,
            parallel: point
                .domain
                .loops
                .iter()
                .map(|l| l.op.isa::<ParallelOp>(ctx))
                .collect(),
            loops: point.domain.loops.clone(),
            op: marked(ctx, *op),
            context: Surroundings::of(ctx, *op, program.root),
            iteration,
            symbols,
            graph: point.graph().map(simplified),
        });
    }
    for (id, u) in units.iter().enumerate() {
        if !marks.iter().any(|m| m.id == id) && !never_runs(u) {
            let m = format!("the {} would be lost", u.what);
            return Err(Violation::new(m).note(u.loc, "this would never run"));
        }
    }
    Ok(marks)
}

/// Bounds of loops over tiles come with quotients that nothing needs.
fn simplified(graph: Vec<Conjunct>) -> Vec<Conjunct> {
    let simple = |mut c: Conjunct| {
        c.simplify();
        c
    };
    graph.into_iter().map(simple).collect()
}

fn never_runs(u: &Unit) -> bool {
    u.domain.iter().all(|c| c.is_empty() == Ok(true))
}
