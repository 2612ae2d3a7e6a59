//! `affine.if`.

use super::compose::compose_set;
use super::scope::verify_operands;
use super::syntax::{at_name, parse_dims_and_symbols, parse_set, set_of};
use super::yield_op::YieldOp;
use terrace_ir::affine::IntegerSet;
use terrace_ir::constraint::{ANY, SET_ATTR};
use terrace_ir::opdef::{Fold, Verified};
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, OpState, Type, Value, op};

op! {
    /// Runs its first region where a point lies in an integer set, else the second,
    /// which may be absent where there are no results.
    IfOp = "affine.if" {
        operands: [operands: ANY.variadic()],
        results: [results: ANY.variadic()],
        attrs: [condition: SET_ATTR],
        regions: [thenRegion: OneBlock, elseRegion: Any],
        traits: RECURSIVE_EFFECTS | RECURSIVELY_SPECULATABLE | SINGLE_BLOCK | NO_REGION_ARGUMENTS,
        implicit_terminator: "affine.yield",
        custom: (parse, print),
        verify: verify,
        fold: fold,
        canonicalize: canonicalize,
    }
}

/// Fills a region and gives what it yields.
pub type Fill<'f> = &'f mut dyn FnMut(&mut Builder) -> Vec<Value>;

impl IfOp {
    /// The condition: that the operands lie in this set.
    pub fn set(self, ctx: &Context) -> &IntegerSet {
        set_of(ctx, self.op(), "condition")
    }

    /// Dimensions first, then symbols.
    pub fn operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx)
    }

    /// What runs where the condition holds.
    pub fn then_block(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// What runs elsewhere; `None` if there is no `else`.
    pub fn else_block(self, ctx: &Context) -> Option<Block> {
        self.op().region(ctx, 1).entry(ctx)
    }

    /// Replace the condition; operands are dimensions first, then symbols.
    pub fn set_condition(self, ctx: &Context, set: IntegerSet, operands: &[Value]) {
        self.op().set_attr(ctx, "condition", ctx.set_attr(set));
        self.op().set_operands(ctx, operands);
    }

    /// A condition; the closures fill the regions and give what they yield. Without
    /// `otherwise` there is no else region, and there can be no results.
    pub fn build(
        b: &mut Builder,
        set: IntegerSet,
        operands: &[Value],
        results: &[Type],
        then: impl FnOnce(&mut Builder) -> Vec<Value>,
        otherwise: Option<Fill<'_>>,
    ) -> IfOp {
        let set = b.ctx.set_attr(set);
        let mut s = b
            .state::<IfOp>()
            .operands(operands)
            .results(results)
            .regions(2);
        s.set_attr(b.ctx, "condition", set);
        let op = b.create(s);
        let block = op.region(b.ctx, 0).add_block(b.ctx, &[]);
        b.with_point(InsertPoint::End(block), |b| {
            let v = then(b);
            b.op::<YieldOp>(&v, &[], &[]);
        });
        if let Some(f) = otherwise {
            let block = op.region(b.ctx, 1).add_block(b.ctx, &[]);
            b.with_point(InsertPoint::End(block), |b| {
                let v = f(b);
                b.op::<YieldOp>(&v, &[], &[]);
            });
        }
        IfOp::wrap(op)
    }
}

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let set = parse_set(p)?;
    let (operands, dims) = parse_dims_and_symbols(p)?;
    if set.num_dims() as usize != dims {
        return Err(at_name(
            p,
            state,
            "dim operand count and integer set dim count must match",
        ));
    }
    if set.num_inputs() != operands.len() {
        let m = "symbol operand count and integer set symbol count must match";
        return Err(at_name(p, state, m));
    }
    state.operands = operands;
    let set = p.ctx.set_attr(set);
    state.set_attr(p.ctx, "condition", set);
    state.result_types = p.parse_optional_arrow_types()?;
    let then = p.parse_region(&[], false)?;
    state.regions.push(Some(then));
    if p.eat_keyword("else") {
        let otherwise = p.parse_region(&[], false)?;
        state.regions.push(Some(otherwise));
    }
    p.parse_optional_attr_dict(state)
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write(" ");
    if let Some(a) = op.attr(ctx, "condition") {
        p.attr(a);
    }
    p.dims_and_symbols(
        &op.operands(ctx),
        set_of(ctx, op, "condition").num_dims() as usize,
    );
    p.optional_arrow_types(&op.result_types(ctx));
    p.write(" ");
    let yields = op.num_results(ctx) > 0;
    p.region(op.region(ctx, 0), false, yields);
    let otherwise = op.region(ctx, 1);
    if !otherwise.is_empty(ctx) {
        p.write(" else ");
        p.region(otherwise, false, yields);
    }
    p.attr_dict(op, &["condition"], false);
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let set = set_of(ctx, op, "condition");
    let operands = op.operands(ctx);
    if operands.len() != set.num_inputs() {
        return Err(
            "operand count and condition integer set dimension and symbol count must match".into(),
        );
    }
    verify_operands(ctx, op, &operands, set.num_dims())?;
    // The regions of a condition with results both give them.
    if op.num_results(ctx) > 0 && op.num_regions(ctx) == 2 && op.region(ctx, 1).is_empty(ctx) {
        return Err("expected an else region because the condition has results".into());
    }
    Ok(())
}

fn fold(ctx: &Context, op: Op, _: &[Option<terrace_ir::Attr>]) -> Fold {
    let this = IfOp::wrap(op);
    let operands = op.operands(ctx);
    let (set, new) = compose_set(ctx, this.set(ctx), &operands);
    if set == *this.set(ctx) && new == operands {
        return Fold::No;
    }
    this.set_condition(ctx, set, &new);
    Fold::InPlace
}

fn canonicalize(set: &mut PatternSet) {
    set.add::<IfOp>(drop_empty_else);
    set.add::<IfOp>(take_known_branch);
}

/// An else region that only ends is none.
fn drop_empty_else(rw: &mut Rewriter, op: Op) -> bool {
    let Some(block) = IfOp::wrap(op).else_block(rw.ctx) else {
        return false;
    };
    if op.num_results(rw.ctx) > 0 || block.first_op(rw.ctx) != block.last_op(rw.ctx) {
        return false;
    }
    rw.erase_block(block);
    rw.modified(op);
    true
}

/// A condition that always or never holds gives way to the region it chooses.
fn take_known_branch(rw: &mut Rewriter, op: Op) -> bool {
    let this = IfOp::wrap(op);
    let set = this.set(rw.ctx);
    let chosen = if set.is_canonical_empty() {
        match this.else_block(rw.ctx) {
            Some(b) => b,
            None if op.num_results(rw.ctx) == 0 => {
                rw.erase(op);
                return true;
            }
            None => return false,
        }
    } else if *set == IntegerSet::universe(set.num_dims(), set.num_symbols()) {
        this.then_block(rw.ctx)
    } else {
        return false;
    };
    let Some(end) = chosen.terminator(rw.ctx) else {
        return false;
    };
    rw.inline_block_before(chosen, op, &[]);
    let values = end.operands(rw.ctx);
    rw.replace_op(op, &values);
    rw.erase(end);
    true
}
