//! `scf.parallel`, `scf.reduce`, `scf.reduce.return`.

use super::edges::{terminator_of, types_of};
use super::parallel_canonicalize;
use super::syntax::parse_ivs;
use terrace_ir::constraint::{ANY, INDEX};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Value, op};

op! {
    /// A loop nest whose iterations may run in any order or at once. Each result is
    /// reduced from an initial value and what the iterations contribute.
    ParallelOp = "scf.parallel" {
        operands: [
            lowerBound: INDEX.variadic(),
            upperBound: INDEX.variadic(),
            step: INDEX.variadic(),
            initVals: ANY.variadic(),
        ],
        results: [results: ANY.variadic()],
        regions: [region: OneBlock],
        traits: RECURSIVE_EFFECTS | LOOP_LIKE | SINGLE_BLOCK | ALLOCATION_SCOPE | ATTR_SIZED_OPERANDS,
        implicit_terminator: "scf.reduce",
        custom: (parse, print),
        verify: verify_parallel,
        canonicalize: parallel_canonicalize::patterns,
    }

    /// Ends the body of `scf.parallel`: for each operand a region that combines two
    /// values of its type into one. The combination must be associative and
    /// commutative, since its order is not defined.
    ReduceOp = "scf.reduce" {
        operands: [operands: ANY.variadic()],
        regions: [reductions: Variadic],
        traits: RECURSIVE_EFFECTS | TERMINATOR,
        parents: ["scf.parallel"],
        custom: (parse_reduce, print_reduce),
        verify: verify_reduce_count,
        verify_regions: verify_reduce,
    }

    /// Ends a reduction with the combined value.
    ReduceReturnOp = "scf.reduce.return" {
        operands: [result: ANY],
        traits: PURE | TERMINATOR,
        parents: ["scf.reduce"],
        format: "$result attr-dict `:` type($result)",
        verify: verify_reduce_return,
    }
}

impl ParallelOp {
    /// The number of loops in the nest.
    pub fn num_loops(self, ctx: &Context) -> usize {
        self.steps(ctx).len()
    }

    /// First value of each counter.
    pub fn lower_bounds(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "lowerBound")
    }

    /// What each counter does not reach.
    pub fn upper_bounds(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "upperBound")
    }

    /// What each counter moves on by.
    pub fn steps(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "step")
    }

    /// What each reduction starts from.
    pub fn init_vals(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "initVals")
    }

    /// The only block of the loop.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The counters, arguments of the body.
    pub fn induction_vars(self, ctx: &Context) -> Vec<Value> {
        self.body(ctx).args(ctx)
    }

    /// The terminator of the body, where it is there.
    pub fn reduce_op(self, ctx: &Context) -> Option<ReduceOp> {
        self.body(ctx).last_op(ctx)?.cast(ctx)
    }

    /// A loop nest with a body that has its induction variables and no terminator.
    /// The three bounds lists have one length.
    pub fn build(
        b: &mut Builder,
        lower: &[Value],
        upper: &[Value],
        steps: &[Value],
        inits: &[Value],
    ) -> (ParallelOp, Block) {
        let n = steps.len() as i32;
        let sizes = b.ctx.i32_array(&[n, n, n, inits.len() as i32]);
        let types = types_of(b.ctx, inits);
        let s = b
            .state::<ParallelOp>()
            .operands(lower)
            .operands(upper)
            .operands(steps)
            .operands(inits)
            .results(&types)
            .attr(b.ctx, "operandSegmentSizes", sizes)
            .regions(1);
        let op = b.create(s);
        let index = b.ctx.index();
        let body = op
            .region(b.ctx, 0)
            .add_block(b.ctx, &vec![index; steps.len()]);
        (ParallelOp::wrap(op), body)
    }
}

impl ReduceOp {
    /// A reduction of these values, with one block of two arguments for each.
    pub fn build(b: &mut Builder, operands: &[Value]) -> (ReduceOp, Vec<Block>) {
        let s = b
            .state::<ReduceOp>()
            .operands(operands)
            .regions(operands.len());
        let op = b.create(s);
        let mut blocks = Vec::new();
        for (i, v) in operands.iter().enumerate() {
            let ty = v.ty(b.ctx);
            blocks.push(op.region(b.ctx, i).add_block(b.ctx, &[ty, ty]));
        }
        (ReduceOp::wrap(op), blocks)
    }
}

fn verify_parallel(ctx: &Context, op: Op) -> Verified {
    let p = ParallelOp::wrap(op);
    let steps = p.steps(ctx);
    if steps.is_empty() {
        return Err("needs at least one tuple element for lowerBound, upperBound and step".into());
    }
    let (lower, upper) = (p.lower_bounds(ctx).len(), p.upper_bounds(ctx).len());
    if lower != steps.len() || upper != steps.len() {
        return Err(format!(
            "expects as many lower bounds and upper bounds as steps, got {lower}, {upper} and {}",
            steps.len()
        )
        .into());
    }
    if steps
        .iter()
        .any(|s| ctx.constant_int(*s).is_some_and(|c| c <= 0))
    {
        return Err("constant step operand must be positive".into());
    }
    let args = p.induction_vars(ctx);
    if args.len() != steps.len() {
        return Err(format!(
            "expects the same number of induction variables: {} as bound and step values: {}",
            args.len(),
            steps.len()
        )
        .into());
    }
    if args.iter().any(|a| !a.ty(ctx).is_index(ctx)) {
        return Err("expects arguments for the induction variable to be of index type".into());
    }
    let reduce = terminator_of::<ReduceOp>(
        ctx,
        op.region(ctx, 0),
        "expects body to terminate with 'scf.reduce'",
    )?;
    let (results, reductions) = (op.result_types(ctx), reduce.op().num_regions(ctx));
    if results.len() != reductions {
        return Err(format!(
            "expects number of results: {} to be the same as number of reductions: {reductions}",
            results.len()
        )
        .into());
    }
    let inits = p.init_vals(ctx).len();
    if results.len() != inits {
        return Err(format!(
            "expects number of results: {} to be the same as number of initial values: {inits}",
            results.len()
        )
        .into());
    }
    let operands = reduce.op().operand_types(ctx);
    if operands.len() != inits {
        // The verifier of scf.reduce says so.
        return Ok(());
    }
    for (i, (r, o)) in results.iter().zip(operands).enumerate() {
        if *r != o {
            let message = format!(
                "'scf.reduce' op expects type of {i}-th reduction operand: '{}' to be the same \
                 as the {i}-th result type: '{}'",
                ctx.type_text(o),
                ctx.type_text(*r)
            );
            return Err(Invalid::plain(message).at(reduce.op().loc(ctx)));
        }
    }
    Ok(())
}

fn verify_reduce_count(ctx: &Context, op: Op) -> Verified {
    let (regions, operands) = (op.num_regions(ctx), op.num_operands(ctx));
    if regions != operands {
        return Err(format!(
            "expects number of reduction regions: {regions} to be the same as number of \
             reduction operands: {operands}"
        )
        .into());
    }
    Ok(())
}

fn verify_reduce(ctx: &Context, op: Op) -> Verified {
    let (regions, operands) = (op.regions(ctx), op.operand_types(ctx));
    for (i, (region, ty)) in regions.iter().zip(operands).enumerate() {
        let Some(block) = region.entry(ctx).filter(|_| region.has_one_block(ctx)) else {
            return Err(format!(
                "region #{i} ('reductions') failed to verify constraint: region with 1 blocks"
            )
            .into());
        };
        if block.is_empty(ctx) {
            return Err(format!("{i}-th reduction has an empty body").into());
        }
        if block.arg_types(ctx) != [ty, ty] {
            return Err(format!(
                "expected two block arguments with type '{}' in the {i}-th reduction region",
                ctx.type_text(ty)
            )
            .into());
        }
        if !block
            .last_op(ctx)
            .is_some_and(|t| t.isa::<ReduceReturnOp>(ctx))
        {
            return Err(
                "reduction bodies must be terminated with an 'scf.reduce.return' op".into(),
            );
        }
    }
    Ok(())
}

fn verify_reduce_return(ctx: &Context, op: Op) -> Verified {
    let Some(block) = op.block(ctx).filter(|b| b.num_args(ctx) > 0) else {
        return Ok(());
    };
    let want = block.arg(ctx, 0).ty(ctx);
    if op.operand(ctx, 0).ty(ctx) != want {
        return Err(format!(
            "must have type '{}' (the type of the reduction inputs)",
            ctx.type_text(want)
        )
        .into());
    }
    Ok(())
}

/// `(%i) = (%lb) to (%ub) step (%s) [init (%x)] [-> t] {...}`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let start = p.pos();
    let index = p.ctx.index();
    let ivs = parse_ivs(p, index)?;
    p.expect(T::Equal)?;
    for word in ["", "to", "step"] {
        if !word.is_empty() {
            p.expect_keyword(word)?;
        }
        let pos = p.pos();
        let operands = p.parse_delimited_operands(T::LParen, T::RParen)?;
        if operands.len() != ivs.len() {
            let m = format!("custom op 'scf.parallel' expected {} operands", ivs.len());
            return Err(p.error(pos, m));
        }
        let values = p.resolve_all(&operands, index)?;
        state.operands.extend(values);
    }
    let mut inits: Vec<UnresolvedOperand> = Vec::new();
    if p.eat_keyword("init") {
        inits = p.parse_delimited_operands(T::LParen, T::RParen)?;
    }
    state.result_types = p.parse_optional_arrow_types()?;
    let body = p.parse_region(&ivs, false)?;
    state.regions.push(Some(body));
    let n = ivs.len() as i32;
    let sizes = p.ctx.i32_array(&[n, n, n, inits.len() as i32]);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    p.parse_optional_attr_dict(state)?;
    if inits.len() != state.result_types.len() {
        let m = format!(
            "custom op 'scf.parallel' number of operands and types do not match: got {} \
             operands and {} types",
            inits.len(),
            state.result_types.len()
        );
        return Err(p.error(start, m));
    }
    let types = state.result_types.clone();
    let inits = p.resolve_operands(&inits, &types, start)?;
    state.operands.extend(inits);
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let o = ParallelOp::wrap(op);
    let lists = [
        (" (", o.induction_vars(ctx)),
        (" = (", o.lower_bounds(ctx)),
        (" to (", o.upper_bounds(ctx)),
        (" step (", o.steps(ctx)),
    ];
    for (word, values) in &lists {
        p.write(word);
        p.values(values);
        p.write(")");
    }
    let inits = o.init_vals(ctx);
    if !inits.is_empty() {
        p.write(" init (");
        p.values(&inits);
        p.write(")");
    }
    p.optional_arrow_types(&op.result_types(ctx));
    p.write(" ");
    p.region(op.region(ctx, 0), false, true);
    p.attr_dict(op, &["operandSegmentSizes"], false);
}

/// `[(%a, %b : t, u)] { ... }, { ... }`.
fn parse_reduce(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    if p.at(T::LParen) {
        state.operands = p.parse_successor_args()?;
    }
    if let Some(first) = p.parse_optional_region(&[], false)? {
        state.regions.push(Some(first));
        while p.eat(T::Comma) {
            let next = p.parse_region(&[], false)?;
            state.regions.push(Some(next));
        }
    }
    p.parse_optional_attr_dict(state)
}

fn print_reduce(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let operands = op.operands(ctx);
    if !operands.is_empty() {
        p.write("(");
        p.values(&operands);
        p.write(" : ");
        p.types(&op.operand_types(ctx));
        p.write(")");
    }
    // Upstream's format leaves a space here also where no region follows.
    p.write(" ");
    p.list(&op.regions(ctx), |p, r| p.region(r, true, true));
    p.attr_dict(op, &[], false);
}
