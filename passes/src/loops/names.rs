//! What loops are called after they have changed.
//!
//! A loop is found by its label, `schedule.label`, by the name of its induction
//! variable, and by its line. The loop that carries on keeps all of them; one made
//! beside it gets a name with a suffix, so that each name still finds one loop.

use crate::analysis::loop_names::loop_name;
use terrace_dialects::affine::ForOp;
use terrace_ir::{Attr, Context, Loc, OpKind, Str};

/// Attributes that are the loop itself and not said about it.
const OWN: [&str; 4] = [
    "lowerBoundMap",
    "upperBoundMap",
    "step",
    "operandSegmentSizes",
];

/// A loop in the words of a diagnostic.
pub fn describe(ctx: &Context, l: ForOp) -> String {
    loop_name(ctx, l.op())
}

/// All that is said about a loop, for one that comes to stand in its place.
#[derive(Debug, Clone)]
pub struct Names {
    place: Loc,
    variable: Loc,
    attrs: Vec<(Str, Attr)>,
}

impl Names {
    pub fn of(ctx: &Context, l: ForOp) -> Names {
        let mut attrs = l.op().attrs(ctx);
        attrs.retain(|a| !OWN.contains(&ctx.str(a.0)));
        Names {
            place: l.op().loc(ctx),
            variable: l.iv(ctx).loc(ctx),
            attrs,
        }
    }

    /// Say it about `to`, with `suffix` behind the name of the variable and the label.
    pub fn give(&self, ctx: &Context, to: ForOp, suffix: &str) {
        to.op().set_loc(ctx, self.place);
        for (name, value) in &self.attrs {
            to.op().set_attr(ctx, ctx.str(*name), *value);
        }
        to.body(ctx).set_arg_loc(ctx, 0, self.variable);
        if !suffix.is_empty() {
            rename(ctx, to, suffix);
        }
    }
}

/// Let `to` be called all that `from` is, and carry what else was said about it.
pub fn copy(ctx: &Context, from: ForOp, to: ForOp) {
    Names::of(ctx, from).give(ctx, to, "");
}

/// As [`copy`], with `suffix` behind the name of the variable and behind the label.
pub fn derive(ctx: &Context, from: ForOp, to: ForOp, suffix: &str) {
    Names::of(ctx, from).give(ctx, to, suffix);
}

/// Put `suffix` behind the name of the variable and behind the label of `l`.
pub fn rename(ctx: &Context, l: ForOp, suffix: &str) {
    for attr in ["schedule.iv", "schedule.label"] {
        if let Some(old) = l.op().str_attr(ctx, attr) {
            let new = ctx.string_attr(&format!("{old}{suffix}"));
            l.op().set_attr(ctx, attr, new);
        }
    }
    let loc = l.iv(ctx).loc(ctx);
    if let Some(name) = loc.name(ctx) {
        let loc = loc.named(ctx, &format!("{name}{suffix}"));
        l.body(ctx).set_arg_loc(ctx, 0, loc);
    }
}
