//! The loops that a directive names.

use super::{LoopInput, ScheduleInput};
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::{Context, Op};
use crate::passes::analysis::loop_names::{is_loop, iv_names};
use crate::passes::region::Loop;

/// How many loops a message lists.
const SHOWN: usize = 8;

/// The one loop that a step means.
///
/// # Errors
///
/// There is none or there are several, and which there are.
pub fn find(
    ctx: &Context,
    function: Op,
    input: &ScheduleInput,
    wanted: &LoopInput,
) -> Result<Op, Diagnostic> {
    let all = loops(ctx, function, input);
    let named: Vec<Op> = all
        .iter()
        .copied()
        .filter(|l| iv_names(ctx, *l).contains(&wanted.name))
        .collect();
    let name = &wanted.name;
    let number = wanted.number.map(|n| n as usize);
    match (number, &named[..]) {
        (None, [only]) => Ok(*only),
        (Some(n), _) if (1..=named.len()).contains(&n) => Ok(named[n - 1]),
        (None, [_, _, ..]) => {
            let m = format!(
                "there are {} loops over `{name}` here: write `{name}#1` for the first of them",
                named.len()
            );
            let mut d = wanted.spot.error(m);
            for (i, l) in named.iter().take(SHOWN).enumerate() {
                let at = ctx.diag_loc(l.loc(ctx));
                d.notes.push((at, format!("`{name}#{}`", i + 1)));
            }
            Err(d)
        }
        _ => Err(missing(ctx, function, input, wanted, &all, named.len())),
    }
}

fn missing(
    ctx: &Context,
    function: Op,
    input: &ScheduleInput,
    wanted: &LoopInput,
    all: &[Op],
    named: usize,
) -> Diagnostic {
    let name = &wanted.name;
    let others = Loop::all(ctx, function).into_iter().map(|(l, _)| l);
    let other = others.into_iter().find(|l| {
        !is_loop(ctx, l.op()) && l.variable(ctx) == *name && is_within(ctx, l.op(), input)
    });
    if let Some(l) = other {
        let m = format!(
            "the loop over `{name}` cannot be scheduled: its bounds are not affine, or how often \
             it runs is not known before"
        );
        let at = ctx.diag_loc(l.op().loc(ctx));
        return wanted.spot.error(m).with_note(at, "this loop");
    }
    let there = match all.len() {
        0 => "there is no loop here that a schedule could change".to_string(),
        _ => {
            let mut names: Vec<String> = Vec::new();
            for n in all.iter().flat_map(|l| iv_names(ctx, *l)) {
                let n = format!("`{n}`");
                if !names.contains(&n) {
                    names.push(n);
                }
            }
            format!("there are loops over {}", names.join(", "))
        }
    };
    let which = match (wanted.number, named) {
        (Some(n), 1..) => format!("there is no loop number {n} over `{name}` here, but {named}"),
        _ => format!("there is no loop over `{name}` here"),
    };
    let mut d = wanted.spot.error(format!("{which}: {there}"));
    for l in all.iter().take(SHOWN) {
        let names = iv_names(ctx, *l).join(", ");
        let at = ctx.diag_loc(l.loc(ctx));
        d.notes.push((at, format!("the loop over `{names}`")));
    }
    d
}

/// The loops that a directive is about, in the order of the text.
fn loops(ctx: &Context, function: Op, input: &ScheduleInput) -> Vec<Op> {
    function
        .pre_order(ctx)
        .into_iter()
        .filter(|o| is_loop(ctx, *o) && is_within(ctx, *o, input))
        .collect()
}

/// Whether a loop stands in the statement that a directive is for.
fn is_within(ctx: &Context, l: Op, input: &ScheduleInput) -> bool {
    let Some((start, end)) = &input.scope else {
        return true;
    };
    let position = |p: &DiagLoc| match p {
        DiagLoc::Pos { file, line, column } => Some((file.clone(), *line, *column)),
        _ => None,
    };
    let at = ctx.diag_loc(l.loc(ctx));
    match (position(start), position(end), position(&at)) {
        (Some(a), Some(b), Some(p)) => {
            a.0 == p.0 && (a.1, a.2) <= (p.1, p.2) && (p.1, p.2) <= (b.1, b.2)
        }
        _ => false,
    }
}
