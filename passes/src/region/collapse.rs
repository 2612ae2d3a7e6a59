//! Which clauses hold for which loop, where one directive is about several.

use rustc_hash::FxHashMap;
use terrace_ir::diag::Diagnostic;
use terrace_ir::{Context, Op, effects};

use crate::analysis::directive::LoopClauses;
use crate::analysis::loop_like::Loop;

/// The clauses that hold for each loop: its own, and those of a loop around that
/// collapses it.
pub(crate) fn clauses_of(
    ctx: &Context,
    loops: &[(Loop, usize)],
    diagnostics: &mut Vec<Diagnostic>,
) -> FxHashMap<Op, LoopClauses> {
    let mut clauses: FxHashMap<Op, LoopClauses> = FxHashMap::default();
    for (l, _) in loops {
        let Some(own) = LoopClauses::of(ctx, l.op()) else {
            continue;
        };
        let mut at = *l;
        for n in 1..own.collapse {
            match at.tightly_inside(ctx) {
                Ok(inner) => {
                    clauses.entry(inner.op()).or_insert_with(|| LoopClauses {
                        collapse: 1,
                        words: vec![format!("collapsed into {}", loop_words(ctx, *l))],
                        ..own.clone()
                    });
                    at = inner;
                }
                // What had no effect is gone, a loop inside as well.
                Err(between)
                    if between == at.op() && effects::is_memory_effect_free(ctx, at.op()) =>
                {
                    break;
                }
                Err(between) => {
                    diagnostics.push(not_nested(ctx, *l, own.collapse, n, at, between));
                    break;
                }
            }
        }
        clauses.insert(l.op(), own);
    }
    clauses
}

fn loop_words(ctx: &Context, l: Loop) -> String {
    match l.variable(ctx).as_str() {
        "" => "the loop".to_string(),
        v => format!("the loop over {v}"),
    }
}

fn not_nested(
    ctx: &Context,
    l: Loop,
    wanted: usize,
    found: usize,
    at: Loop,
    between: Op,
) -> Diagnostic {
    let inside = loop_words(ctx, at);
    let (place, what) = if between == at.op() {
        let what = format!("there is no loop inside {inside}");
        (at.op(), what)
    } else {
        let what = format!(
            "inside {inside} this stands beside the next loop, and every iteration would \
             have to do it once"
        );
        (between, what)
    };
    let message = format!(
        "collapse({wanted}) needs {wanted} loops directly inside one another, found {found}"
    );
    Diagnostic::error(ctx.diag_loc(l.op().loc(ctx)), message)
        .with_note(ctx.diag_loc(place.loc(ctx)), what)
}
