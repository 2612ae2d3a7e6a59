//! `schedule.find_loop`: the one loop that fits.

use crate::analysis::loop_names::{at_place, is_loop, iv_names, line, loop_name};
use crate::loops::Refusal;
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
    let at_place = wanted.nest(ctx).map(|n| at_place(ctx, scope, &n));
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
