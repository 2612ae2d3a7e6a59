//! `scf.while`.

use super::edges::{check_edge, terminator_of, types_of};
use super::syntax::{parse_assignments, print_assignments};
use super::{ConditionOp, YieldOp, while_canonicalize};
use terrace_ir::constraint::ANY;
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Type, Value, op};

op! {
    /// A loop of two regions. The first computes whether to go on and hands values
    /// to the second, or, at the end, out as results; the second hands values back to
    /// the first.
    WhileOp = "scf.while" {
        operands: [inits: ANY.variadic()],
        results: [results: ANY.variadic()],
        regions: [before: OneBlock, after: OneBlock],
        traits: RECURSIVE_EFFECTS | LOOP_LIKE | SINGLE_BLOCK,
        custom: (parse, print),
        verify: verify,
        verify_regions: verify_regions,
        canonicalize: while_canonicalize::patterns,
    }
}

impl WhileOp {
    /// Values that the first test begins with.
    pub fn inits(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx)
    }

    /// The block that decides whether to go on.
    pub fn before(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The block run when the loop goes on.
    pub fn after(self, ctx: &Context) -> Block {
        self.op().body(ctx, 1)
    }

    /// The terminator of [`Self::before`], where it is there.
    pub fn condition_op(self, ctx: &Context) -> Option<ConditionOp> {
        self.before(ctx).last_op(ctx)?.cast(ctx)
    }

    /// The terminator of [`Self::after`], where it is there.
    pub fn yield_op(self, ctx: &Context) -> Option<YieldOp> {
        self.after(ctx).last_op(ctx)?.cast(ctx)
    }

    /// A loop with two blocks that have their arguments and nothing else. The second
    /// one and the results take values of types `passed`.
    pub fn build(b: &mut Builder, inits: &[Value], passed: &[Type]) -> (WhileOp, Block, Block) {
        let s = b
            .state::<WhileOp>()
            .operands(inits)
            .results(passed)
            .regions(2);
        let op = b.create(s);
        let types = types_of(b.ctx, inits);
        let before = op.region(b.ctx, 0).add_block(b.ctx, &types);
        let after = op.region(b.ctx, 1).add_block(b.ctx, passed);
        (WhileOp::wrap(op), before, after)
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    terminator_of::<ConditionOp>(
        ctx,
        op.region(ctx, 0),
        "expects the 'before' region to terminate with 'scf.condition'",
    )?;
    terminator_of::<YieldOp>(
        ctx,
        op.region(ctx, 1),
        "expects the 'after' region to terminate with 'scf.yield'",
    )?;
    Ok(())
}

fn verify_regions(ctx: &Context, op: Op) -> Verified {
    let w = WhileOp::wrap(op);
    let (before, after) = (w.before(ctx).arg_types(ctx), w.after(ctx).arg_types(ctx));
    check_edge(ctx, None, "Region #0", &op.operand_types(ctx), &before)?;
    if let Some(c) = w.condition_op(ctx) {
        let passed = types_of(ctx, &c.args(ctx));
        check_edge(ctx, Some(c.op()), "Region #1", &passed, &after)?;
        check_edge(ctx, Some(c.op()), "parent", &passed, &op.result_types(ctx))?;
    }
    if let Some(y) = w.yield_op(ctx) {
        check_edge(
            ctx,
            Some(y.op()),
            "Region #0",
            &y.op().operand_types(ctx),
            &before,
        )?;
    }
    Ok(())
}

/// `(%a = %x) : (t) -> u { ... } do { ... }`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (mut args, mut inits) = (Vec::new(), Vec::new());
    if p.at(T::LParen) {
        (args, inits) = parse_assignments(p)?;
    }
    let pos = p.pos();
    p.expect(T::Colon)?;
    let (types, results) = p.parse_signature()?;
    if types.len() != inits.len() {
        let m = format!(
            "expected as many input types as operands (expected {} got {})",
            inits.len(),
            types.len()
        );
        return Err(p.error(pos, m));
    }
    state.result_types = results;
    state.operands = p.resolve_operands(&inits, &types, pos)?;
    for (a, t) in args.iter_mut().zip(&types) {
        a.ty = Some(*t);
    }
    let before = p.parse_region(&args, false)?;
    state.regions.push(Some(before));
    p.expect_keyword("do")?;
    let after = p.parse_region(&[], false)?;
    state.regions.push(Some(after));
    p.parse_optional_attr_dict_with_keyword(state)
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let w = WhileOp::wrap(op);
    print_assignments(p, " ", &w.before(ctx).args(ctx), &w.inits(ctx));
    p.write(" : ");
    p.signature(&op.operand_types(ctx), &op.result_types(ctx));
    p.write(" ");
    p.region(op.region(ctx, 0), false, true);
    p.write(" do ");
    p.region(op.region(ctx, 1), true, true);
    p.attr_dict(op, &[], true);
}
