//! `schedule.sequence` and `schedule.yield`: a schedule as a whole.

use super::find::FindLoopOp;
use terrace_ir::constraint::{FLAT_SYMBOL_REF, STRING_ATTR, SYMBOL_NAME};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Value, op};

op! {
    /// A schedule: steps that are done one after another to the loops of one
    /// function, `@target`, or of the function that the schedule is applied to where
    /// none is named. `stage` says which loops these are where a program goes to a GPU:
    /// `source`, as they stand in the program, or `parallel`, as they are when those that
    /// may run in parallel do.
    SequenceOp = "schedule.sequence" {
        attrs: [
            sym_name: SYMBOL_NAME,
            target: FLAT_SYMBOL_REF.optional(),
            stage: STRING_ATTR.optional(),
            sym_visibility: STRING_ATTR.optional(),
        ],
        regions: [body: OneBlock],
        traits: ISOLATED | SYMBOL | SINGLE_BLOCK | NO_REGION_ARGUMENTS,
        implicit_terminator: "schedule.yield",
        custom: (parse, print),
        verify_regions: verify,
    }

    /// The end of a schedule.
    YieldOp = "schedule.yield" {
        traits: PURE | TERMINATOR,
        parents: ["schedule.sequence"],
        format: "attr-dict",
    }
}

impl SequenceOp {
    /// The symbol, without `@`; empty for a malformed op.
    pub fn name(self, ctx: &Context) -> &str {
        self.op().symbol_name(ctx).unwrap_or("")
    }

    /// The function whose loops are meant, where one is named.
    pub fn target(self, ctx: &Context) -> Option<&str> {
        self.op().attr(ctx, "target")?.as_flat_symbol(ctx)
    }

    /// Which loops it is about, where it says so.
    pub fn stage(self, ctx: &Context) -> Option<&str> {
        self.op().str_attr(ctx, "stage")
    }

    /// The steps, in order, without the terminator.
    pub fn steps(self, ctx: &Context) -> Vec<Op> {
        let ops = self
            .op()
            .region(ctx, 0)
            .entry(ctx)
            .map(|b| b.ops(ctx))
            .unwrap_or_default();
        ops.into_iter().filter(|o| !o.isa::<YieldOp>(ctx)).collect()
    }

    /// A schedule without steps; they go before the terminator of its block.
    pub fn build(b: &mut Builder, name: &str, target: Option<&str>) -> (SequenceOp, Block) {
        let sym = b.ctx.string_attr(name);
        let mut s = b
            .state::<SequenceOp>()
            .regions(1)
            .attr(b.ctx, "sym_name", sym);
        if let Some(t) = target {
            let t = b.ctx.symbol_attr(t);
            s.set_attr(b.ctx, "target", t);
        }
        let op = b.create(s);
        let body = op.region(b.ctx, 0).add_block(b.ctx, &[]);
        let end = b.state::<YieldOp>().create(b.ctx);
        body.push_back(b.ctx, end);
        (SequenceOp::wrap(op), body)
    }
}

/// What a schedule may be about: the loops of the program, or those that are parallel
/// where they may be.
pub const STAGES: [&str; 2] = ["source", "parallel"];

/// The handles that a step uses up: all it gets, but for `schedule.find_loop`, which
/// changes no loop.
pub(crate) fn consumed_operands(ctx: &Context, step: Op) -> Vec<Value> {
    if step.isa::<FindLoopOp>(ctx) {
        Vec::new()
    } else {
        step.operands(ctx)
    }
}

/// `@name on @target attributes {...} { ... }`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let name = p.parse_symbol_name()?;
    let a = p.ctx.string_attr(&name);
    state.set_attr(p.ctx, "sym_name", a);
    if p.eat_keyword("on") {
        let t = p.parse_symbol_name()?;
        let a = p.ctx.symbol_attr(&t);
        state.set_attr(p.ctx, "target", a);
    }
    p.parse_optional_attr_dict_with_keyword(state)?;
    let body = p.parse_region(&[], true)?;
    state.regions.push(Some(body));
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    let s = SequenceOp::wrap(op);
    p.write(" ");
    p.symbol(s.name(p.ctx));
    if let Some(t) = s.target(p.ctx) {
        p.write(" on ");
        p.symbol(t);
    }
    p.attr_dict(op, &["sym_name", "target"], true);
    p.write(" ");
    p.region(op.region(p.ctx, 0), true, false);
}

/// A handle that a step has used up stands for no loop any more.
fn verify(ctx: &Context, op: Op) -> Verified {
    if let Some(stage) = op.str_attr(ctx, "stage").filter(|s| !STAGES.contains(s)) {
        return Err(format!("is for the stage '{stage}', but there are: source, parallel").into());
    }
    let Some(body) = op.region(ctx, 0).entry(ctx) else {
        return Ok(());
    };
    let ops = body.ops(ctx);
    if !ops.last().is_some_and(|o| o.isa::<YieldOp>(ctx)) {
        return Err("must end in 'schedule.yield'".into());
    }
    let mut gone: Vec<(Value, Op)> = Vec::new();
    for step in ops {
        if step.dialect(ctx) != "schedule" {
            return Err(
                Invalid::plain(format!("'{}' is no step of a schedule", step.name(ctx)))
                    .at(step.loc(ctx)),
            );
        }
        for v in step.operands(ctx) {
            if let Some((_, by)) = gone.iter().find(|g| g.0 == v) {
                let m = format!(
                    "'{}' op uses a loop handle that a step before has used up",
                    step.name(ctx)
                );
                return Err(Invalid::plain(m)
                    .at(step.loc(ctx))
                    .note(by.loc(ctx), "used up here"));
            }
        }
        gone.extend(consumed_operands(ctx, step).into_iter().map(|v| (v, step)));
    }
    Ok(())
}
