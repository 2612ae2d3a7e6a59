//! `scf.for`.

use super::edges::{check_edge, types_of};
use super::syntax::{parse_arrow_types, parse_assignments, print_arrow_list, print_assignments};
use super::{YieldOp, for_canonicalize};
use terrace_ir::constraint::{ANY, SIGNLESS_INT_OR_INDEX, UNIT_ATTR};
use terrace_ir::effects::nested_are_speculatable;
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Value, op};

op! {
    /// A loop over `lowerBound, lowerBound + step, ...` while that is less than
    /// `upperBound`; compared as unsigned numbers where the flag says so. Values may
    /// be carried from one iteration to the next; the last ones are the results. The
    /// step must be positive.
    ForOp = "scf.for" {
        operands: [
            lowerBound: SIGNLESS_INT_OR_INDEX,
            upperBound: SIGNLESS_INT_OR_INDEX,
            step: SIGNLESS_INT_OR_INDEX,
            initArgs: ANY.variadic(),
        ],
        results: [results: ANY.variadic()],
        attrs: [unsignedCmp: UNIT_ATTR],
        regions: [region: OneBlock],
        traits: RECURSIVE_EFFECTS | LOOP_LIKE | SINGLE_BLOCK | ALLOCATION_SCOPE,
        same_type: [[lowerBound, upperBound, step]],
        implicit_terminator: "scf.yield",
        // With a larger step the induction variable may wrap around, without end.
        speculatable: |ctx, op| {
            ctx.constant_int(ForOp::wrap(op).step(ctx)) == Some(1)
                && nested_are_speculatable(ctx, op)
        },
        custom: (parse, print),
        verify: verify,
        verify_regions: verify_regions,
        canonicalize: for_canonicalize::patterns,
    }
}

impl ForOp {
    /// The first value of the counter.
    pub fn lower_bound(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// What the counter does not reach.
    pub fn upper_bound(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

    /// What the counter grows by.
    pub fn step(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 2)
    }

    /// The bounds compare as unsigned numbers.
    pub fn is_unsigned(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "unsignedCmp").is_some()
    }

    /// The values that the carried ones start from.
    pub fn init_args(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx).split_off(3)
    }

    /// The only block of the loop.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The counter, first argument of the body.
    pub fn induction_var(self, ctx: &Context) -> Value {
        self.body(ctx).arg(ctx, 0)
    }

    /// The carried values as the body sees them.
    pub fn iter_args(self, ctx: &Context) -> Vec<Value> {
        self.body(ctx).args(ctx).split_off(1)
    }

    /// The terminator of the body. Panics in IR that does not verify.
    pub fn yield_op(self, ctx: &Context) -> Op {
        match self.body(ctx).last_op(ctx) {
            Some(y) => y,
            None => panic!("'scf.for' without a terminator"),
        }
    }

    /// The values handed to the next iteration.
    pub fn yielded(self, ctx: &Context) -> Vec<Value> {
        self.yield_op(ctx).operands(ctx)
    }

    /// The number of iterations, where constants tell it.
    pub fn trip_count(self, ctx: &Context) -> Option<u64> {
        let (lower, upper) = (self.lower_bound(ctx), self.upper_bound(ctx));
        let signed = !self.is_unsigned(ctx);
        if lower == upper {
            return Some(0);
        }
        let step = ctx.constant_int(self.step(ctx))?;
        let width = lower.ty(ctx).int_width(ctx).unwrap_or(64);
        let (from, to) = match (ctx.constant_int(lower), ctx.constant_int(upper)) {
            (Some(l), Some(u)) => (l, u),
            _ => (0, distance(ctx, lower, upper, signed)?),
        };
        constant_trip_count(from, to, step, signed, width)
    }

    /// A loop whose body holds only the induction variable and the arguments for
    /// `inits`, without a terminator.
    pub fn build(
        b: &mut Builder,
        lower: Value,
        upper: Value,
        step: Value,
        inits: &[Value],
    ) -> (ForOp, Block) {
        let types = types_of(b.ctx, inits);
        let s = b
            .state::<ForOp>()
            .operands(&[lower, upper, step])
            .operands(inits)
            .results(&types)
            .regions(1);
        let op = b.create(s);
        let mut args = vec![lower.ty(b.ctx)];
        args.extend(types);
        let body = op.region(b.ctx, 0).add_block(b.ctx, &args);
        (ForOp::wrap(op), body)
    }

    /// As [`Self::build`]; `f` fills the body, given the induction variable and the
    /// carried values, and returns what the iteration yields.
    pub fn build_with(
        b: &mut Builder,
        bounds: (Value, Value, Value),
        inits: &[Value],
        f: impl FnOnce(&mut Builder, Value, &[Value]) -> Vec<Value>,
    ) -> ForOp {
        let (op, body) = ForOp::build(b, bounds.0, bounds.1, bounds.2, inits);
        let args = body.args(b.ctx);
        b.with_point(terrace_ir::InsertPoint::End(body), |b| {
            let values = f(b, args[0], &args[1..]);
            YieldOp::build(b, &values);
        });
        op
    }
}

/// `upper - lower` where `upper` is `lower` plus a constant, without overflow.
fn distance(ctx: &Context, lower: Value, upper: Value, signed: bool) -> Option<i64> {
    let add = upper.def_op().filter(|o| o.name(ctx) == "arith.addi")?;
    // Bits of arith's overflow flags: 1 for nsw, 2 for nuw.
    let flags = add
        .attr(ctx, "overflowFlags")?
        .as_dialect(ctx, "arith", "overflow")?;
    let wanted = if signed { 1 } else { 2 };
    if flags.first()?.as_i64(ctx)? & wanted == 0 || add.operand(ctx, 0) != lower {
        return None;
    }
    ctx.constant_int(add.operand(ctx, 1))
}

/// How often a loop from `lower` to `upper` by `step` runs; all three are numbers of
/// `width` bits, sign-extended. `None` for a step that is not positive, with which a
/// loop that starts does not end.
pub fn constant_trip_count(
    lower: i64,
    upper: i64,
    step: i64,
    signed: bool,
    width: u32,
) -> Option<u64> {
    let value = |v: i64| match (signed, width) {
        // An i1 reads as 0 or 1 but is 0 or -1 as a signed number.
        (true, 1) => -i128::from(v & 1),
        (true, _) => i128::from(v),
        (false, w) if w < 64 => i128::from(v as u64 & ((1u64 << w) - 1)),
        (false, _) => i128::from(v as u64),
    };
    let (lower, upper, step) = (value(lower), value(upper), value(step));
    if lower >= upper {
        return Some(0);
    }
    if step <= 0 {
        return None;
    }
    let steps = (upper - lower).checked_add(step - 1)? / step;
    u64::try_from(steps).ok()
}

fn verify(ctx: &Context, op: Op) -> Verified {
    if op.num_operands(ctx) - 3 != op.num_results(ctx) {
        return Err("mismatch in number of loop-carried values and defined values".into());
    }
    Ok(())
}

fn verify_regions(ctx: &Context, op: Op) -> Verified {
    let f = ForOp::wrap(op);
    let args = f.body(ctx).arg_types(ctx);
    let Some((iv, carried)) = args.split_first() else {
        return Err("expected induction variable to be same type as bounds and step".into());
    };
    let inits = types_of(ctx, &f.init_args(ctx));
    let results = op.result_types(ctx);
    let yielded = match f.body(ctx).last_op(ctx) {
        Some(y) if y.isa::<YieldOp>(ctx) => y.operand_types(ctx),
        _ => carried.to_vec(),
    };
    if inits.len() != carried.len() {
        return Err(format!(
            "different number of inits and region iter_args: {} != {}",
            inits.len(),
            carried.len()
        )
        .into());
    }
    if yielded.is_empty() {
        // Upstream reports this one as an edge.
        check_edge(ctx, f.body(ctx).last_op(ctx), "Region #0", &[], carried)?;
    }
    if yielded.len() != carried.len() {
        return Err(format!(
            "different number of region iter_args and yielded values: {} != {}",
            carried.len(),
            yielded.len()
        )
        .into());
    }
    for (i, arg) in carried.iter().enumerate() {
        let pairs = [
            (&inits[i], "init", arg, "region iter_arg"),
            (arg, "region iter_arg", &yielded[i], "yielded value"),
            (arg, "region iter_arg", &results[i], "loop result"),
        ];
        for (a, what, b, other) in pairs {
            if a != b {
                return Err(format!(
                    "{i}-th {what} and {i}-th {other} have different type: '{}' != '{}'",
                    ctx.type_text(*a),
                    ctx.type_text(*b)
                )
                .into());
            }
        }
    }
    if *iv != f.lower_bound(ctx).ty(ctx) {
        return Err("expected induction variable to be same type as bounds and step".into());
    }
    Ok(())
}

/// `[unsigned] %i = %lb to %ub step %s [iter_args(%a = %x) -> (t)] [: type] {...}`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let start = p.pos();
    if p.eat_keyword("unsigned") {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, "unsignedCmp", unit);
    }
    let mut args = vec![p.parse_argument(false, false)?];
    p.expect(T::Equal)?;
    let lower = p.parse_operand()?;
    p.expect_keyword("to")?;
    let upper = p.parse_operand()?;
    p.expect_keyword("step")?;
    let step = p.parse_operand()?;
    let mut inits = Vec::new();
    if p.eat_keyword("iter_args") {
        let (carried, operands) = parse_assignments(p)?;
        args.extend(carried);
        inits = operands;
        state.result_types = parse_arrow_types(p)?;
    }
    if inits.len() != state.result_types.len() {
        return Err(p.error(
            start,
            "mismatch in number of loop-carried values and defined values",
        ));
    }
    let ty = if p.eat(T::Colon) {
        p.parse_type()?
    } else {
        p.ctx.index()
    };
    args[0].ty = Some(ty);
    for (a, t) in args[1..].iter_mut().zip(&state.result_types) {
        a.ty = Some(*t);
    }
    let body = p.parse_region(&args, false)?;
    state.regions.push(Some(body));
    // After the body, so that an operand defined in it is an error.
    for o in [lower, upper, step] {
        let v = p.resolve(o, ty)?;
        state.operands.push(v);
    }
    let types = state.result_types.clone();
    let inits = p.resolve_operands(&inits, &types, start)?;
    state.operands.extend(inits);
    p.parse_optional_attr_dict(state)
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let f = ForOp::wrap(op);
    if f.is_unsigned(ctx) {
        p.write(" unsigned");
    }
    p.write(" ");
    p.value(f.induction_var(ctx));
    for (word, v) in [
        (" = ", f.lower_bound(ctx)),
        (" to ", f.upper_bound(ctx)),
        (" step ", f.step(ctx)),
    ] {
        p.write(word);
        p.value(v);
    }
    let inits = f.init_args(ctx);
    print_assignments(p, " iter_args", &f.iter_args(ctx), &inits);
    if !inits.is_empty() {
        print_arrow_list(p, &types_of(ctx, &inits));
    }
    p.write(" ");
    let ty = f.induction_var(ctx).ty(ctx);
    if !ty.is_index(ctx) {
        p.write(" : ");
        p.ty(ty);
        p.write(" ");
    }
    p.region(op.region(ctx, 0), false, !inits.is_empty());
    p.attr_dict(op, &["unsignedCmp"], false);
}
