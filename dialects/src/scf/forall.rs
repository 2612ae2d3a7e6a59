//! `scf.forall` and `scf.forall.in_parallel`.

use super::syntax::{
    parse_assignments, parse_index_list, parse_ivs, print_assignments, print_index_list,
};
use terrace_ir::constraint::{ANY, AttrConstraint, DENSE_I64, INDEX, TypeConstraint};
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, OpKind, OpState, TypeData, Value, op};

const RANKED_TENSOR: TypeConstraint =
    TypeConstraint::new("ranked tensor of any type values", |c, t| {
        matches!(t.data(c), TypeData::Tensor { .. })
    });
const MAPPING: AttrConstraint = AttrConstraint::new("Device Mapping array attribute", |c, a| {
    a.as_array(c).is_some()
});

op! {
    /// A block evaluated for every point of an index space, in any order or at once.
    /// Each point writes its part of the shared outputs, which are the results.
    ForallOp = "scf.forall" {
        operands: [
            dynamicLowerBound: INDEX.variadic(),
            dynamicUpperBound: INDEX.variadic(),
            dynamicStep: INDEX.variadic(),
            outputs: RANKED_TENSOR.variadic(),
        ],
        results: [results: ANY.variadic()],
        attrs: [
            staticLowerBound: DENSE_I64,
            staticUpperBound: DENSE_I64,
            staticStep: DENSE_I64,
            mapping: MAPPING.optional(),
        ],
        regions: [region: OneBlock],
        traits: RECURSIVE_EFFECTS | LOOP_LIKE | SINGLE_BLOCK | ALLOCATION_SCOPE | ATTR_SIZED_OPERANDS,
        implicit_terminator: "scf.forall.in_parallel",
        custom: (parse, print),
        verify: verify,
    }

    /// Ends the body of `scf.forall`; its region lists what each point contributes
    /// to the shared outputs.
    InParallelOp = "scf.forall.in_parallel" {
        regions: [region: OneBlock],
        traits: PURE | TERMINATOR | SINGLE_BLOCK | NO_TERMINATOR | GRAPH_REGION,
        parents: ["scf.forall"],
        custom: (parse_in_parallel, print_in_parallel),
        verify: verify_in_parallel,
    }
}

/// A bound or step of `scf.forall`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// A number.
    Constant(i64),
    /// A value of type `index`.
    Value(Value),
}

impl ForallOp {
    /// The number of dimensions.
    pub fn rank(self, ctx: &Context) -> usize {
        self.integers(ctx, "staticLowerBound").len()
    }

    /// First value of each counter.
    pub fn lower_bounds(self, ctx: &Context) -> Vec<Bound> {
        self.bounds(ctx, "dynamicLowerBound", "staticLowerBound")
    }

    /// What each counter does not reach.
    pub fn upper_bounds(self, ctx: &Context) -> Vec<Bound> {
        self.bounds(ctx, "dynamicUpperBound", "staticUpperBound")
    }

    /// What each counter moves on by.
    pub fn steps(self, ctx: &Context) -> Vec<Bound> {
        self.bounds(ctx, "dynamicStep", "staticStep")
    }

    /// Tensors that the iterations write parts of.
    pub fn outputs(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "outputs")
    }

    /// The only block of the loop.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The counters, first arguments of the body.
    pub fn induction_vars(self, ctx: &Context) -> Vec<Value> {
        let mut args = self.body(ctx).args(ctx);
        args.truncate(self.rank(ctx));
        args
    }

    /// The shared outputs as the body sees them.
    pub(crate) fn output_args(self, ctx: &Context) -> Vec<Value> {
        let args = self.body(ctx).args(ctx);
        args.get(self.rank(ctx)..).unwrap_or(&[]).to_vec()
    }

    /// All lower bounds are 0 and all steps 1.
    pub(crate) fn is_normalized(self, ctx: &Context) -> bool {
        self.integers(ctx, "staticLowerBound")
            .iter()
            .all(|v| *v == 0)
            && self.integers(ctx, "staticStep").iter().all(|v| *v == 1)
    }

    fn integers(self, ctx: &Context, name: &str) -> Vec<i64> {
        self.op()
            .attr(ctx, name)
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default()
    }

    fn bounds(self, ctx: &Context, dynamic: &str, fixed: &str) -> Vec<Bound> {
        let mut values = self.op().operand_group(ctx, dynamic).into_iter();
        let integers = self.integers(ctx, fixed).into_iter();
        integers
            .filter_map(|i| match i {
                DYNAMIC => values.next().map(Bound::Value),
                i => Some(Bound::Constant(i)),
            })
            .collect()
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let f = ForallOp::wrap(op);
    let (rank, outputs) = (f.rank(ctx), f.outputs(ctx));
    if op.num_results(ctx) != outputs.len() {
        return Err(format!(
            "produces {} results, but has only {} outputs",
            op.num_results(ctx),
            outputs.len()
        )
        .into());
    }
    let args = f.body(ctx).arg_types(ctx);
    if args.len() != rank + outputs.len() {
        return Err(format!("region expects {rank} arguments").into());
    }
    if let Some(i) = args[..rank].iter().position(|t| !t.is_index(ctx)) {
        return Err(format!("expects {i}-th block argument to be an index").into());
    }
    let mismatch = |(i, o): (usize, &Value)| (args[rank + i] != o.ty(ctx)).then_some(i);
    if let Some(i) = outputs.iter().enumerate().find_map(mismatch) {
        return Err(format!(
            "type mismatch between {i}-th output and corresponding block argument"
        )
        .into());
    }
    let mapping = op
        .attr(ctx, "mapping")
        .and_then(|a| a.as_array(ctx))
        .unwrap_or(&[]);
    let masks = mapping
        .iter()
        .filter(|a| ctx.attr_text(**a).starts_with("#gpu.mask<"))
        .count();
    if !mapping.is_empty() && mapping.len() - masks != rank {
        return Err("mapping attribute size must match op rank".into());
    }
    if masks > 1 {
        return Err("\"mapping\" supports at most one device masking attribute".into());
    }
    for (what, fixed, dynamic) in [
        ("lower bound", "staticLowerBound", "dynamicLowerBound"),
        ("upper bound", "staticUpperBound", "dynamicUpperBound"),
        ("step", "staticStep", "dynamicStep"),
    ] {
        let integers = f.integers(ctx, fixed);
        if integers.len() != rank {
            return Err(format!("expected {rank} {what} values, got {}", integers.len()).into());
        }
        let wanted = integers.iter().filter(|i| **i == DYNAMIC).count();
        if op.operand_group(ctx, dynamic).len() != wanted {
            return Err(format!("expected {wanted} dynamic {what} values").into());
        }
    }
    Ok(())
}

/// `(%i) in (%n) | (%i) = (...) to (...) step (...)`, then
/// `[shared_outs(%o = %x) -> (t)] {...}`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let index = p.ctx.index();
    let mut args = parse_ivs(p, index)?;
    let n = args.len();
    let mut sizes = Vec::new();
    let mut group = |p: &mut OpParser, state: &mut OpState, name: &str| -> PResult<()> {
        let (values, integers) = parse_index_list(p)?;
        let values = p.resolve_all(&values, index)?;
        sizes.push(values.len() as i32);
        state.operands.extend(values);
        let a = p.ctx.i64_array(&integers);
        state.set_attr(p.ctx, name, a);
        Ok(())
    };
    if p.eat_keyword("in") {
        group(p, state, "staticUpperBound")?;
        sizes = vec![0, sizes[0], 0];
        let (zeros, ones) = (p.ctx.i64_array(&vec![0; n]), p.ctx.i64_array(&vec![1; n]));
        state.set_attr(p.ctx, "staticLowerBound", zeros);
        state.set_attr(p.ctx, "staticStep", ones);
    } else {
        p.expect(T::Equal)?;
        group(p, state, "staticLowerBound")?;
        p.expect_keyword("to")?;
        group(p, state, "staticUpperBound")?;
        p.expect_keyword("step")?;
        group(p, state, "staticStep")?;
    }
    let mut outputs: Vec<UnresolvedOperand> = Vec::new();
    let pos = p.pos();
    if p.eat_keyword("shared_outs") {
        let (mut shared, operands) = parse_assignments(p)?;
        state.result_types = p.parse_optional_arrow_types()?;
        for (a, t) in shared.iter_mut().zip(&state.result_types) {
            a.ty = Some(*t);
        }
        args.extend(shared);
        outputs = operands;
    }
    let types = state.result_types.clone();
    let values = p.resolve_operands(&outputs, &types, pos)?;
    sizes.push(values.len() as i32);
    state.operands.extend(values);
    let body = p.parse_region(&args, false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)?;
    let sizes = p.ctx.i32_array(&sizes);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let f = ForallOp::wrap(op);
    let group = |p: &mut Printer, dynamic: &str, fixed: &str| {
        print_index_list(p, &op.operand_group(ctx, dynamic), &f.integers(ctx, fixed));
    };
    p.write(" (");
    p.values(&f.induction_vars(ctx));
    if f.is_normalized(ctx) {
        p.write(") in ");
        group(p, "dynamicUpperBound", "staticUpperBound");
    } else {
        p.write(") = ");
        group(p, "dynamicLowerBound", "staticLowerBound");
        p.write(" to ");
        group(p, "dynamicUpperBound", "staticUpperBound");
        p.write(" step ");
        group(p, "dynamicStep", "staticStep");
    }
    print_assignments(p, " shared_outs", &f.output_args(ctx), &f.outputs(ctx));
    p.write(" ");
    let results = op.result_types(ctx);
    if !results.is_empty() {
        p.write("-> (");
        p.types(&results);
        p.write(") ");
    }
    p.region(op.region(ctx, 0), false, !results.is_empty());
    let own = [
        "operandSegmentSizes",
        "staticLowerBound",
        "staticUpperBound",
        "staticStep",
    ];
    p.attr_dict(op, &own, false);
}

fn verify_in_parallel(ctx: &Context, op: Op) -> Verified {
    let outputs = op
        .parent_of::<ForallOp>(ctx)
        .map(|f| f.output_args(ctx))
        .unwrap_or_default();
    for o in op.body(ctx, 0).ops(ctx) {
        // The one op that upstream has for this; terrace knows it in generic form.
        if o.name(ctx) != "tensor.parallel_insert_slice" {
            return Err("expected only ParallelCombiningOpInterface ops".into());
        }
        let dest = (o.num_operands(ctx) > 1).then(|| o.operand(ctx, 1));
        if dest.is_none_or(|d| !outputs.contains(&d)) {
            let m = format!(
                "'{}' op may only insert into an output block argument",
                o.name(ctx)
            );
            return Err(terrace_ir::opdef::Invalid::plain(m).at(o.loc(ctx)));
        }
    }
    Ok(())
}

fn parse_in_parallel(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let body = p.parse_region(&[], false)?;
    state.regions.push(Some(body));
    let region = body.region(p.ctx);
    if region.is_empty(p.ctx) {
        region.add_block(p.ctx, &[]);
    }
    p.parse_optional_attr_dict(state)
}

fn print_in_parallel(p: &mut Printer, op: Op) {
    p.write(" ");
    p.region(op.region(p.ctx, 0), false, false);
    p.attr_dict(op, &[], false);
}
