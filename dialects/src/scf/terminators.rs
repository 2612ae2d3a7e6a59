//! `scf.yield` and `scf.condition`.

use terrace_ir::constraint::{ANY, I1};
use terrace_ir::{Builder, Context, Op, OpKind, Value, op};

op! {
    /// Ends the body of a structured op and hands on its values.
    YieldOp = "scf.yield" {
        operands: [results: ANY.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        parents: ["scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while"],
        format: "attr-dict ($results^ `:` type($results))?",
    }

    /// Ends the first region of `scf.while`: whether to go on, and the values handed
    /// to the second region or, at the end, out of the loop.
    ConditionOp = "scf.condition" {
        operands: [condition: I1, args: ANY.variadic()],
        traits: PURE | TERMINATOR,
        parents: ["scf.while"],
        format: "`(` $condition `)` attr-dict ($args^ `:` type($args))?",
    }
}

impl YieldOp {
    /// End a region with values for the op around.
    pub fn build(b: &mut Builder, values: &[Value]) -> Op {
        b.op::<YieldOp>(values, &[], &[])
    }
}

impl ConditionOp {
    /// Go on with the loop while `condition` holds, with `args`.
    pub fn build(b: &mut Builder, condition: Value, args: &[Value]) -> Op {
        let s = b
            .state::<ConditionOp>()
            .operands(&[condition])
            .operands(args);
        b.create(s)
    }

    /// The `i1` that decides.
    pub fn condition(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Values for the body, or for the results after the last round.
    pub fn args(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx).split_off(1)
    }
}
