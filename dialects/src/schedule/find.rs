//! `schedule.find_loop`: a handle for one loop of the program.

use super::types::LOOP;
use terrace_ir::constraint::{AttrConstraint, I64_ATTR, STRING_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::{Context, Op, OpKind, Value, op};

const NEST: AttrConstraint = AttrConstraint::new("array of integers", |c, a| {
    a.as_array(c).is_some() && a.as_i64_array(c).is_some()
});

op! {
    /// The one loop that is all that the attributes say: whose induction variable is
    /// called `iv`, which begins in source line `line`, which carries the label
    /// `label`, which stands at the place `nest`. With a loop given, it is looked for
    /// in that loop.
    FindLoopOp = "schedule.find_loop" {
        operands: [scope: LOOP.optional()],
        results: [loop_handle: LOOP],
        attrs: [
            iv: STRING_ATTR.optional(),
            line: I64_ATTR.optional(),
            label: STRING_ATTR.optional(),
            nest: NEST.optional(),
        ],
        parents: ["schedule.sequence"],
        format: "(`in` $scope^)? attr-dict `:` type($loop_handle)",
        verify: verify,
        effects: |_, _| vec![Effect { kind: EffectKind::Read, on: None }],
    }
}

impl FindLoopOp {
    /// The loop inside which to look.
    pub fn scope(self, ctx: &Context) -> Option<Value> {
        self.op().operands(ctx).first().copied()
    }

    /// The name of the induction variable.
    pub fn iv(self, ctx: &Context) -> Option<&str> {
        self.op().str_attr(ctx, "iv")
    }

    /// The line in the source that the loop's location names, from 1.
    pub fn line(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "line")
    }

    /// The loop's `schedule.label`.
    pub fn label(self, ctx: &Context) -> Option<&str> {
        self.op().str_attr(ctx, "label")
    }

    /// Its place: of the loops directly in the scope number `nest[0]`, of those
    /// directly in that one number `nest[1]`, and so on, from 0.
    pub fn nest(self, ctx: &Context) -> Option<Vec<i64>> {
        self.op().attr(ctx, "nest")?.as_i64_array(ctx)
    }

    /// What is looked for, in words, for diagnostics.
    pub fn describe(self, ctx: &Context) -> String {
        let mut parts = Vec::new();
        parts.extend(self.iv(ctx).map(|v| format!("induction variable '{v}'")));
        parts.extend(self.line(ctx).map(|l| format!("line {l}")));
        parts.extend(self.label(ctx).map(|l| format!("label '{l}'")));
        parts.extend(self.nest(ctx).map(|n| format!("place {n:?}")));
        format!("the loop with {}", parts.join(", "))
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let f = FindLoopOp::wrap(op);
    if ["iv", "line", "label", "nest"]
        .into_iter()
        .all(|n| op.attr(ctx, n).is_none())
    {
        return Err(
            "needs at least one of 'iv', 'line', 'label' and 'nest' to know the loop by".into(),
        );
    }
    if f.iv(ctx) == Some("") || f.label(ctx) == Some("") {
        return Err("has an empty name to look for".into());
    }
    if let Some(l) = f.line(ctx)
        && l < 1
    {
        return Err(format!("looks for line {l}, but lines count from 1").into());
    }
    if f.nest(ctx)
        .is_some_and(|n| n.is_empty() || n.iter().any(|i| *i < 0))
    {
        return Err("has a 'nest' that is no place: it must be a list of numbers from 0".into());
    }
    Ok(())
}
