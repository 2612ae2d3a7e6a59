//! Loops and arrays in the words of the source.

use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_ir::{Context, Op, Value};

/// The induction variables of an affine loop; none where `op` is something else.
pub(crate) fn ivs(ctx: &Context, op: Op) -> Vec<Value> {
    if let Some(l) = op.cast::<ForOp>(ctx) {
        vec![l.iv(ctx)]
    } else if let Some(p) = op.cast::<ParallelOp>(ctx) {
        p.ivs(ctx)
    } else {
        Vec::new()
    }
}

/// Whether `op` is a loop that schedules are about.
pub fn is_loop(ctx: &Context, op: Op) -> bool {
    op.isa::<ForOp>(ctx) || op.isa::<ParallelOp>(ctx)
}

/// The names of a loop: its attribute `schedule.iv`, or those of its induction
/// variables.
pub fn iv_names(ctx: &Context, op: Op) -> Vec<String> {
    if let Some(n) = op.str_attr(ctx, "schedule.iv") {
        return vec![n.to_string()];
    }
    let names = ivs(ctx, op).into_iter();
    names
        .filter_map(|v| Some(v.loc(ctx).name(ctx)?.to_string()))
        .collect()
}

/// The line of the source that an op stands in.
pub(crate) fn line(ctx: &Context, op: Op) -> Option<u32> {
    let (_, line, _) = op.loc(ctx).file_pos(ctx)?;
    (line > 0).then_some(line)
}

/// A loop as messages call it: `loop 'i' at line 12`.
pub(crate) fn loop_name(ctx: &Context, op: Op) -> String {
    let mut s = String::from("loop");
    let names = iv_names(ctx, op);
    if !names.is_empty() {
        s.push_str(&format!(" '{}'", names.join(", ")));
    } else if let Some(l) = op.str_attr(ctx, "schedule.label") {
        s.push_str(&format!(" labelled '{l}'"));
    }
    if let Some(l) = line(ctx, op) {
        s.push_str(&format!(" at line {l}"));
    }
    s
}

/// The loop at a place: of the loops in no other loop inside `scope` number
/// `place[0]`, in that one number `place[1]`, and so on.
pub(crate) fn at_place(ctx: &Context, scope: Op, place: &[i64]) -> Option<Op> {
    let mut scope = scope;
    for i in place {
        scope = *outermost(ctx, scope).get(usize::try_from(*i).ok()?)?;
    }
    Some(scope)
}

/// The place of a loop in `scope`, as `nest` gives it; `None` where it is not in it.
pub fn place_of(ctx: &Context, scope: Op, l: Op) -> Option<Vec<i64>> {
    let mut place = Vec::new();
    let mut scope = scope;
    while scope != l {
        let here = outermost(ctx, scope);
        let i = here.iter().position(|o| o.is_ancestor_of(ctx, l))?;
        place.push(i64::try_from(i).ok()?);
        scope = here[i];
    }
    Some(place)
}

/// The loops inside `scope` that are in no other loop inside it.
fn outermost(ctx: &Context, scope: Op) -> Vec<Op> {
    fn go(ctx: &Context, op: Op, out: &mut Vec<Op>) {
        for b in op.blocks(ctx) {
            for o in b.ops(ctx) {
                if is_loop(ctx, o) {
                    out.push(o);
                } else {
                    go(ctx, o, out);
                }
            }
        }
    }
    let mut out = Vec::new();
    go(ctx, scope, &mut out);
    out
}
