//! How far directives leave the order of a region's loops to the compiler.
//!
//! Without directives on loops the author left all to it. With some, loops may stand in
//! another order if each keeps what is said of it: those that are shared out (`gang`,
//! `vector`, `independent`) stay parallel, those with `seq` run in order. Numbers and
//! tiles are about the loops as they stand.

use terrace_ir::{Context, Op};

use super::notes::{Because, Construct, Verdict};
use super::verdict::Decision;
use crate::analysis::directive::{LoopClauses, Region};

/// What may be done to the order of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// Anything that is legal.
    Full,
    /// What leaves parallel loops parallel, and those in order in order.
    Directed,
    None,
}

/// What the construct and the directives on its loops allow.
pub(crate) fn freedom(ctx: &Context, region: Region, decisions: &[Decision]) -> Freedom {
    let clauses = |d: &Decision| LoopClauses::of(ctx, d.l.op());
    let is_directed = decisions.iter().any(|d| clauses(d).is_some());
    match region.construct {
        Construct::Serial => Freedom::None,
        Construct::Auto | Construct::Kernels if !is_directed => Freedom::Full,
        // Without a directive on a loop all gangs do the same.
        Construct::Parallel if !is_directed => Freedom::None,
        // What `scop` chooses and a directive says do not meet.
        Construct::Auto => Freedom::None,
        _ => {
            let keeps = |d: &Decision| clauses(d).is_none_or(|c| stays(d, &c));
            match decisions.iter().all(keeps) {
                true => Freedom::Directed,
                false => Freedom::None,
            }
        }
    }
}

/// Whether what is said of a loop can hold in another order.
fn stays(d: &Decision, c: &LoopClauses) -> bool {
    // What is private lives in an iteration, and goes where that does. A sum is a dependence,
    // which any order keeps.
    let plain = [
        "independent",
        "seq",
        "auto",
        "gang",
        "worker",
        "vector",
        "private",
        "reduction",
    ];
    let known = |w: &String| plain.contains(&w.as_str()) || w.starts_with("collapse");
    // Proved, so that the dependences say of any order whether it is legal.
    let proved = d.note.verdict == Verdict::Parallel(Because::Analysis)
        && d.atomic.is_empty()
        && d.private.is_empty()
        && d.accumulations.is_empty();
    let sums = c.reduction && d.atomic.is_empty() && d.private.is_empty();
    d.note.asked.is_none() && c.words.iter().all(known) && (c.seq || proved || sums)
}

/// Whether a loop has to run in order, because a directive says so.
pub(crate) fn runs_in_order(ctx: &Context, op: Op) -> bool {
    LoopClauses::of(ctx, op).is_some_and(|c| c.seq)
}
