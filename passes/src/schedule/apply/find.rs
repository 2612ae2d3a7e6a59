//! `schedule.find_loop`: the one loop that fits.

use crate::schedule::mechanics::Refusal;
use crate::schedule::words::{is_loop, iv_names, line, loop_name};
use terrace_dialects::schedule::FindLoopOp;
use terrace_ir::{Context, Op, OpKind};

/// How many loops a message lists.
const SHOWN: usize = 8;

/// The loop inside `scope` (which does not count itself) that `wanted` describes.
///
/// # Errors
///
/// No loop fits, or several do.
pub(super) fn find(ctx: &Context, wanted: FindLoopOp, scope: Op) -> Result<Op, Refusal> {
    let loops: Vec<Op> = scope
        .pre_order(ctx)
        .into_iter()
        .filter(|o| *o != scope && is_loop(ctx, *o))
        .collect();
    let at_place = wanted.nest(ctx).map(|n| at(ctx, scope, &n));
    let found: Vec<Op> = loops
        .iter()
        .copied()
        .filter(|l| fits(ctx, wanted, *l) && at_place.is_none_or(|p| p == Some(*l)))
        .collect();
    if let [only] = found[..] {
        return Ok(only);
    }
    let here = wanted.op().loc(ctx);
    let what = wanted.describe(ctx);
    let (message, list) = if found.is_empty() {
        let count = match loops.len() {
            0 => "there is none".to_string(),
            1 => "there is another one".to_string(),
            n => format!("there are {n} others"),
        };
        (format!("cannot find {what}: {count}"), &loops)
    } else {
        let m = format!(
            "cannot tell which is {what}: {} loops fit; say more of it, such as 'line', 'nest' or \
             the loop 'in' which it is",
            found.len()
        );
        (m, &found)
    };
    let mut r = Refusal::new(here, message);
    for l in list.iter().take(SHOWN) {
        r = r.note(l.loc(ctx), format!("there is {}", loop_name(ctx, *l)));
    }
    Err(r)
}

fn fits(ctx: &Context, wanted: FindLoopOp, l: Op) -> bool {
    let iv = wanted.iv(ctx);
    let label = wanted.label(ctx);
    iv.is_none_or(|n| iv_names(ctx, l).iter().any(|have| have == n))
        && wanted
            .line(ctx)
            .is_none_or(|n| line(ctx, l).is_some_and(|have| i64::from(have) == n))
        && label.is_none_or(|n| l.str_attr(ctx, "schedule.label") == Some(n))
}

/// The loop at a place: of the loops in no other loop inside `scope` number
/// `place[0]`, in that one number `place[1]`, and so on.
fn at(ctx: &Context, scope: Op, place: &[i64]) -> Option<Op> {
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
        for r in op.regions(ctx) {
            for b in r.blocks(ctx) {
                for o in b.ops(ctx) {
                    if is_loop(ctx, o) {
                        out.push(o);
                    } else {
                        go(ctx, o, out);
                    }
                }
            }
        }
    }
    let mut out = Vec::new();
    go(ctx, scope, &mut out);
    out
}
