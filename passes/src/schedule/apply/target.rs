//! Which schedules are applied, and to which function.

use terrace_dialects::schedule::SequenceOp;
use terrace_ir::opdef::traits;
use terrace_ir::pass::PassFailed;
use terrace_ir::{Context, Op, OpKind, symbols};

/// The schedules in `holder`, in order; with a name, only that one.
///
/// # Errors
///
/// Reported: there is none of that name.
pub(super) fn sequences_of(
    ctx: &Context,
    holder: Op,
    name: Option<&str>,
) -> Result<Vec<SequenceOp>, PassFailed> {
    let all = holder.find_all::<SequenceOp>(ctx);
    let Some(name) = name else { return Ok(all) };
    let found: Vec<_> = all
        .iter()
        .copied()
        .filter(|s| s.name(ctx) == name)
        .collect();
    if found.is_empty() {
        let names: Vec<String> = all.iter().map(|s| format!("'{}'", s.name(ctx))).collect();
        let there = match names.len() {
            0 => "no schedules".to_string(),
            _ => names.join(", "),
        };
        ctx.error(
            holder.loc(ctx),
            format!("there is no schedule '{name}'; there are {there}"),
        );
        return Err(PassFailed);
    }
    Ok(found)
}

/// The function that a schedule is for: the one it names, or else the only one.
///
/// # Errors
///
/// Reported: there is none, there are several to choose from, or it has no body.
pub(super) fn target_of(ctx: &Context, module: Op, s: SequenceOp) -> Result<Op, PassFailed> {
    let fail = |m: String| {
        s.op().error(ctx, m);
        Err(PassFailed)
    };
    if let Some(name) = s.target(ctx) {
        return match symbols::lookup_in(ctx, module, name) {
            None => fail(format!("is for '@{name}', which the module does not have")),
            Some(op) if !is_function(ctx, op) => {
                fail(format!("is for '@{name}', which is no function"))
            }
            Some(op) if !has_body(ctx, op) => fail(format!(
                "is for '@{name}', of which there is only a declaration"
            )),
            Some(op) => Ok(op),
        };
    }
    let mut functions = Vec::new();
    module.walk(ctx, &mut |op| {
        if is_function(ctx, op) && has_body(ctx, op) {
            functions.push(op);
        }
    });
    match functions[..] {
        [only] => Ok(only),
        _ => fail(format!(
            "names no function ('on @name'), and the module has {} to choose from",
            functions.len()
        )),
    }
}

fn is_function(ctx: &Context, op: Op) -> bool {
    op.has_trait(ctx, traits::FUNCTION_LIKE)
}

fn has_body(ctx: &Context, op: Op) -> bool {
    op.num_regions(ctx) > 0 && !op.region(ctx, 0).is_empty(ctx)
}
