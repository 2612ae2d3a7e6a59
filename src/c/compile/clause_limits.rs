//! Sizes that directives give for blocks and grids, against what the machine can do.
//!
//! Mapping takes the nearest size that is possible; here the author hears of it.

use crate::dialects::attributes::{ACC_LOOP, ACC_REGION};
use crate::ir::diag::Diagnostic;
use crate::ir::{Attr, Context, Op};
use crate::targets::machine::{Machine, by_name};

/// What the sizes of a construct, or of a loop in it, are called: gangs, workers, vector.
const CONSTRUCT: [&str; 3] = ["num_gangs", "num_workers", "vector_length"];
const LOOP: [&str; 3] = ["gang", "worker", "vector"];

/// Warnings about the directives of a region's `function`, before its loops are changed.
pub(super) fn warnings(ctx: &Context, function: Op, arch: &str) -> Vec<Diagnostic> {
    let Ok(machine) = by_name(arch) else {
        return Vec::new();
    };
    let mut said = Vec::new();
    let region = function.attr(ctx, ACC_REGION);
    let around = region.map_or([None; 3], |d| sizes(ctx, d, CONSTRUCT));
    let mut say = |op: Op, messages: Vec<String>| {
        let at = ctx.diag_loc(op.loc(ctx));
        said.extend((messages.into_iter()).map(|m| Diagnostic::warning(at.clone(), m)));
    };
    say(
        function,
        too_large(around, [None; 3], CONSTRUCT, machine, arch),
    );
    function.walk(ctx, &mut |op| {
        if let Some(d) = op.attr(ctx, ACC_LOOP) {
            let own = sizes(ctx, d, LOOP);
            say(op, too_large(own, around, LOOP, machine, arch));
        }
    });
    said
}

fn sizes(ctx: &Context, dict: Attr, names: [&str; 3]) -> [Option<i64>; 3] {
    let entries = dict.as_dict(ctx).unwrap_or_default();
    names.map(|name| {
        let (_, a) = entries.iter().find(|(k, _)| ctx.str(*k) == name)?;
        a.as_i64(ctx)
    })
}

/// What is wrong with a directive's own sizes; `around` has those of the construct.
fn too_large(
    own: [Option<i64>; 3],
    around: [Option<i64>; 3],
    names: [&str; 3],
    machine: &Machine,
    arch: &str,
) -> Vec<String> {
    let mut messages = Vec::new();
    let most = [
        machine.max_grid[0],
        machine.max_block[1],
        machine.max_block[0],
    ]
    .map(i64::from);
    let of = [
        "blocks in a grid",
        "threads of a block along y",
        "threads of a block along x",
    ];
    let mut possible = true;
    for i in 0..3 {
        let (Some(n), name) = (own[i], names[i]) else {
            continue;
        };
        if n < 1 {
            messages.push(format!(
                "found {name}({n}), expected at least 1; it is left out"
            ));
        } else if n > most[i] {
            let (m, of) = (most[i], of[i]);
            messages.push(format!(
                "found {name}({n}), expected at most {m}, the {of} on {arch}; {m} is taken"
            ));
        } else {
            continue;
        }
        possible = false;
    }
    let [_, workers, vector] = [0, 1, 2].map(|i| own[i].or(around[i]).filter(|n| *n >= 1));
    let threads = i64::from(machine.max_threads_per_block);
    if let (Some(w), Some(v)) = (workers, vector)
        && possible
        && own[1].or(own[2]).is_some()
        && w.checked_mul(v).is_none_or(|all| all > threads)
    {
        let fewer = (threads / v).max(1);
        messages.push(format!(
            "found {w} workers of {v} threads, expected at most {threads} threads in a block on \
             {arch}; {fewer} workers are taken"
        ));
    }
    messages
}
