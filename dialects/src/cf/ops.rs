//! `cf.assert`, `cf.br`, `cf.cond_br`.

use super::canonicalize;
use terrace_ir::constraint::{ANY, DENSE_I32, I1, STRING_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value, op};

op! {
    /// Ends the program with a message where a condition does not hold.
    AssertOp = "cf.assert" {
        operands: [arg: I1],
        attrs: [msg: STRING_ATTR],
        format: "$arg `,` $msg attr-dict",
        effects: |_, _| vec![Effect { kind: EffectKind::Write, on: None }],
        canonicalize: canonicalize::assert_patterns,
    }

    /// Continues at another block of the region, handing it values for its arguments.
    BranchOp = "cf.br" {
        operands: [destOperands: ANY.variadic()],
        successors: [dest],
        traits: PURE | TERMINATOR,
        format: "$dest (`(` $destOperands^ `:` type($destOperands) `)`)? attr-dict",
        successor_operands: |ctx, op, _| 0..op.num_operands(ctx),
        canonicalize: canonicalize::branch_patterns,
    }

    /// Continues at one of two blocks, as a condition says. The weights, where given,
    /// are relative frequencies of the two ways.
    CondBranchOp = "cf.cond_br" {
        operands: [condition: I1, trueDestOperands: ANY.variadic(), falseDestOperands: ANY.variadic()],
        attrs: [branch_weights: DENSE_I32.optional()],
        successors: [trueDest, falseDest],
        traits: PURE | TERMINATOR | ATTR_SIZED_OPERANDS,
        format: "$condition (`weights` `(` $branch_weights^ `)`)? `,` $trueDest (`(` $trueDestOperands^ `:` type($trueDestOperands) `)`)? `,` $falseDest (`(` $falseDestOperands^ `:` type($falseDestOperands) `)`)? attr-dict",
        verify: verify_weights,
        successor_operands: |ctx, op, i| {
            CondBranchOp::DEF.operand_range(ctx, op, i + 1).unwrap_or(0..0)
        },
        canonicalize: canonicalize::cond_branch_patterns,
    }
}

impl BranchOp {
    /// Go to `dest`, whose arguments are `operands`.
    pub fn build(b: &mut Builder, dest: Block, operands: &[Value]) -> BranchOp {
        let s = b.state::<BranchOp>().operands(operands).successors(&[dest]);
        BranchOp::wrap(b.create(s))
    }

    /// Where it goes.
    pub fn dest(self, ctx: &Context) -> Block {
        self.op().successor(ctx, 0)
    }

    /// The values handed to the destination.
    pub fn operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx)
    }
}

impl CondBranchOp {
    /// Go to one of two blocks, each with values for its arguments.
    pub fn build(
        b: &mut Builder,
        condition: Value,
        on_true: (Block, &[Value]),
        on_false: (Block, &[Value]),
    ) -> CondBranchOp {
        let sizes = b
            .ctx
            .i32_array(&[1, on_true.1.len() as i32, on_false.1.len() as i32]);
        let s = b
            .state::<CondBranchOp>()
            .operands(&[condition])
            .operands(on_true.1)
            .operands(on_false.1)
            .attr(b.ctx, "operandSegmentSizes", sizes)
            .successors(&[on_true.0, on_false.0]);
        CondBranchOp::wrap(b.create(s))
    }

    /// The `i1` that decides.
    pub fn condition(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Where it goes if the condition holds.
    pub fn true_dest(self, ctx: &Context) -> Block {
        self.op().successor(ctx, 0)
    }

    /// Where it goes if the condition does not hold.
    pub fn false_dest(self, ctx: &Context) -> Block {
        self.op().successor(ctx, 1)
    }

    /// Values for the arguments of the first block.
    pub fn true_operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "trueDestOperands")
    }

    /// Values for the arguments of the second block.
    pub fn false_operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "falseDestOperands")
    }
}

fn verify_weights(ctx: &Context, op: Op) -> Verified {
    let weights = op
        .attr(ctx, "branch_weights")
        .and_then(|a| a.as_i64_array(ctx));
    let Some(weights) = weights else {
        return Ok(());
    };
    if weights.len() != op.num_successors(ctx) {
        return Err(format!(
            "expects number of branch weights to match number of successors: {} vs {}",
            weights.len(),
            op.num_successors(ctx)
        )
        .into());
    }
    if weights.iter().all(|w| *w == 0) {
        return Err("branch weights cannot all be zero".into());
    }
    Ok(())
}
