//! What threads do together: shuffles, reductions, broadcasts.

use super::enums::{
    ALL_REDUCE, ALL_REDUCE_ATTR, BROADCAST, BROADCAST_ATTR, SHUFFLE_MODE, SHUFFLE_MODE_ATTR,
};
use super::launch::LaunchOp;
use super::sync::YieldOp;
use super::types::{INT_OR_FLOAT, INT_OR_FLOAT_OR_VECTOR};
use terrace_ir::constraint::{ANY, AttrConstraint, AttrSyntax, I1, I32, I32_ATTR, UNIT_ATTR};
use terrace_ir::opdef::{Fold, Invalid, Verified};
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, OpState, Type, TypeData, Value, op};

fn i32_of(c: &Context, a: Attr) -> Option<i64> {
    a.as_i64(c).filter(|_| a.typed(c) == Some(c.i32()))
}

const POWER_OF_TWO: AttrConstraint = AttrConstraint::new(
    "32-bit signless integer attribute whose value is a power of two > 0",
    |c, a| i32_of(c, a).is_some_and(is_power_of_two),
)
.syntax(AttrSyntax::Typed(|c| c.i32()));

const NOT_NEGATIVE: AttrConstraint = AttrConstraint::new(
    "32-bit signless integer attribute whose minimum value is 0",
    |c, a| i32_of(c, a).is_some_and(|v| v >= 0),
)
.syntax(AttrSyntax::Typed(|c| c.i32()));

fn is_power_of_two(v: i64) -> bool {
    v > 0 && v.count_ones() == 1
}

op! {
    /// Each lane reads the value of another lane of its subgroup: that at distance
    /// `offset` up or down, at its own id xor `offset`, or at `offset` itself, among
    /// groups of `width` lanes. `valid` says whether there was such a lane.
    ShuffleOp = "gpu.shuffle" {
        operands: [value: INT_OR_FLOAT_OR_VECTOR, offset: I32, width: I32],
        results: [shuffleResult: INT_OR_FLOAT_OR_VECTOR, valid: I1],
        attrs: [mode: SHUFFLE_MODE_ATTR],
        traits: PURE,
        same_type: [[value, shuffleResult]],
        format: "$mode $value `,` $offset `,` $width attr-dict `:` type($value)",
        result_names: |_, _| vec![Some("shuffleResult".into()), Some("valid".into())],
    }

    /// Each lane reads the value of the lane `offset` further on, around groups of
    /// `width` lanes. `valid` says whether the lane is in such a group.
    RotateOp = "gpu.rotate" {
        operands: [value: INT_OR_FLOAT_OR_VECTOR],
        results: [rotateResult: INT_OR_FLOAT_OR_VECTOR, valid: I1],
        attrs: [offset: NOT_NEGATIVE, width: POWER_OF_TWO],
        traits: PURE,
        same_type: [[value, rotateResult]],
        format: "$value `,` $offset `,` $width attr-dict `:` type($value)",
        verify: verify_rotate,
        result_names: |_, _| vec![Some("rotateResult".into()), Some("valid".into())],
    }

    /// Combines the values of all threads of a block, and gives the result to all:
    /// by a named operation, or by the body, which gets two values and yields one.
    /// `uniform` says that all threads of the block come here.
    AllReduceOp = "gpu.all_reduce" {
        operands: [value: INT_OR_FLOAT],
        results: [result: INT_OR_FLOAT],
        attrs: [op: ALL_REDUCE_ATTR.optional(), uniform: UNIT_ATTR],
        regions: [body: Any],
        traits: SAME_OPERANDS_AND_RESULT_TYPE | ISOLATED,
        custom: (parse_all_reduce, print_all_reduce),
        verify_regions: verify_all_reduce,
        fold: |ctx, op, _| fold_uniform(ctx, op),
    }

    /// Combines the values of the lanes of a subgroup, or of clusters of
    /// `cluster_size` lanes that lie `cluster_stride` apart.
    SubgroupReduceOp = "gpu.subgroup_reduce" {
        operands: [value: INT_OR_FLOAT_OR_VECTOR],
        results: [result: INT_OR_FLOAT_OR_VECTOR],
        attrs: [
            op: ALL_REDUCE_ATTR,
            uniform: UNIT_ATTR,
            cluster_size: I32_ATTR.optional(),
            cluster_stride: I32_ATTR.default(|c| c.int_attr(c.i32(), 1)),
        ],
        traits: SAME_OPERANDS_AND_RESULT_TYPE,
        format: "$op $value (`uniform` $uniform^)? (`cluster` `(` `size` `=` $cluster_size^ (`,` `stride` `=` $cluster_stride^)? `)`)? attr-dict `:` functional-type(operands, results)",
        verify: verify_subgroup_reduce,
        fold: fold_subgroup_reduce,
    }

    /// Gives the value of one lane to all lanes of the subgroup: of the first active
    /// one, or of the one with number `lane`.
    SubgroupBroadcastOp = "gpu.subgroup_broadcast" {
        operands: [src: ANY, lane: I32.optional()],
        results: [result: ANY],
        attrs: [broadcast_type: BROADCAST_ATTR],
        traits: NO_EFFECT | ELEMENTWISE,
        same_type: [[src, result]],
        format: "$src `,` $broadcast_type ($lane^)? attr-dict `:` type($result)",
        verify: verify_broadcast,
        fold: fold_broadcast,
    }
}

impl ShuffleOp {
    /// The keyword of the mode: `xor`, `up`, `down` or `idx`.
    pub fn mode(self, ctx: &Context) -> Option<String> {
        let v = SHUFFLE_MODE.value(ctx, self.op().attr(ctx, "mode")?)?;
        SHUFFLE_MODE.keyword(v)
    }

    /// The shuffled value; `mode` is a keyword of [`SHUFFLE_MODE`].
    pub fn build(b: &mut Builder, mode: &str, value: Value, offset: Value, width: Value) -> Op {
        let (ty, i1) = (value.ty(b.ctx), b.ctx.i1());
        let mode = SHUFFLE_MODE.attr(b.ctx, SHUFFLE_MODE.parse(mode).unwrap_or(0));
        b.op::<ShuffleOp>(&[value, offset, width], &[ty, i1], &[("mode", mode)])
    }
}

/// The keyword of a reduction's operation, where it is named.
fn reduction(ctx: &Context, op: Op) -> Option<String> {
    ALL_REDUCE.keyword(ALL_REDUCE.value(ctx, op.attr(ctx, "op")?)?)
}

impl AllReduceOp {
    /// The keyword of the operation; `None` where the body says it.
    pub fn operation(self, ctx: &Context) -> Option<String> {
        reduction(ctx, self.op())
    }
}

impl SubgroupReduceOp {
    /// The keyword of the operation.
    pub fn operation(self, ctx: &Context) -> Option<String> {
        reduction(ctx, self.op())
    }
}

// ---- gpu.all_reduce ----

fn parse_all_reduce(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    if let Some(word) = p.parse_optional_keyword() {
        let Some(v) = ALL_REDUCE.parse(word) else {
            return Err(p.op_error(p.pos(), "invalid op kind"));
        };
        let a = ALL_REDUCE.attr(p.ctx, v);
        state.set_attr(p.ctx, "op", a);
    }
    let value = p.parse_operand()?;
    if p.eat_keyword("uniform") {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, "uniform", unit);
    }
    let body = p.parse_region(&[], true)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)?;
    p.expect(terrace_ir::text::TokenKind::Colon)?;
    let pos = p.pos();
    let (inputs, results) = p.parse_signature()?;
    state
        .operands
        .extend(p.resolve_operands(&[value], &inputs, pos)?);
    state.result_types = results;
    Ok(())
}

fn print_all_reduce(p: &mut Printer, op: Op) {
    if let Some(a) = op.attr(p.ctx, "op") {
        p.write(" ");
        p.attr_params(a);
    }
    p.write(" ");
    p.value(op.operand(p.ctx, 0));
    if op.attr(p.ctx, "uniform").is_some() {
        p.write(" uniform");
    }
    p.write(" ");
    p.region(op.region(p.ctx, 0), true, true);
    p.attr_dict(op, &["op", "uniform"], false);
    p.write(" : ");
    p.signature(&op.operand_types(p.ctx), &op.result_types(p.ctx));
}

fn check_kind(ctx: &Context, op: Op, elem: Type) -> Verified {
    let Some(kind) = reduction(ctx, op) else {
        return Ok(());
    };
    let ok = match kind.as_str() {
        "minnumf" | "maxnumf" | "minimumf" | "maximumf" => elem.is_float(ctx),
        "add" | "mul" => true,
        _ => elem.is_int(ctx),
    };
    if ok {
        return Ok(());
    }
    let ty = ctx.type_text(op.result(ctx, 0).ty(ctx));
    Err(Invalid::plain(format!(
        "`{kind}` reduction operation is not compatible with type '{ty}'"
    )))
}

fn verify_all_reduce(ctx: &Context, op: Op) -> Verified {
    let body = op.region(ctx, 0);
    let ty = op.result(ctx, 0).ty(ctx);
    if body.is_empty(ctx) != op.attr(ctx, "op").is_some() {
        return Err(Invalid::plain(
            "expected either an op attribute or a non-empty body",
        ));
    }
    let Some(entry) = body.entry(ctx) else {
        return check_kind(ctx, op, ty);
    };
    let args = entry.arg_types(ctx);
    if args.len() != 2 {
        return Err(Invalid::plain("expected two region arguments"));
    }
    if args.iter().any(|t| *t != ty) {
        return Err(Invalid::plain("incorrect region argument type"));
    }
    let mut yields = 0;
    for b in body.blocks(ctx) {
        let Some(y) = b.last_op(ctx).filter(|o| o.isa::<YieldOp>(ctx)) else {
            continue;
        };
        if y.num_operands(ctx) != 1 {
            return Err(Invalid::plain("expected one gpu.yield operand"));
        }
        if y.operand(ctx, 0).ty(ctx) != ty {
            return Err(Invalid::plain("incorrect gpu.yield type"));
        }
        yields += 1;
    }
    if yields == 0 {
        return Err(Invalid::plain("expected gpu.yield op in region"));
    }
    Ok(())
}

/// In the entry block of a launch all threads come by.
fn fold_uniform(ctx: &Context, op: Op) -> Fold {
    let entry = op
        .parent(ctx)
        .filter(|p| p.isa::<LaunchOp>(ctx))
        .and_then(|p| p.region(ctx, 0).entry(ctx));
    if op.attr(ctx, "uniform").is_some() || entry.is_none() || op.block(ctx) != entry {
        return Fold::No;
    }
    op.set_attr(ctx, "uniform", ctx.unit());
    Fold::InPlace
}

// ---- the others ----

fn verify_subgroup_reduce(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    if let TypeData::Vector { scalable, .. } = ty.data(ctx)
        && scalable.contains(&true)
    {
        return Err("is not compatible with scalable vector types".into());
    }
    check_kind(ctx, op, ty.element_or_self(ctx))?;
    let size = op.int_attr(ctx, "cluster_size");
    if let Some(size) = size
        && !is_power_of_two(size)
    {
        return Err(format!("cluster size {size} is not a power of two").into());
    }
    let stride = op.int_attr(ctx, "cluster_stride").unwrap_or(1);
    if stride != 1 && size.is_none() {
        return Err("cluster stride can only be specified if cluster size is specified".into());
    }
    if !is_power_of_two(stride) {
        return Err(format!("cluster stride {stride} is not a power of two").into());
    }
    Ok(())
}

fn fold_subgroup_reduce(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    if op.int_attr(ctx, "cluster_size") == Some(1) {
        return Fold::value(op.operand(ctx, 0));
    }
    fold_uniform(ctx, op)
}

fn verify_rotate(ctx: &Context, op: Op) -> Verified {
    let width = op.int_attr(ctx, "width").unwrap_or(0);
    if op.int_attr(ctx, "offset").unwrap_or(0) >= width {
        return Err(format!("offset must be in the range [0, {width})").into());
    }
    Ok(())
}

fn verify_broadcast(ctx: &Context, op: Op) -> Verified {
    let specific = op
        .attr(ctx, "broadcast_type")
        .and_then(|a| BROADCAST.value(ctx, a))
        == Some(1);
    match (specific, op.operand_group(ctx, "lane").is_empty()) {
        (false, false) => Err("lane can only be specified for `specific_lane` broadcast".into()),
        (true, true) => Err("lane must be specified for `specific_lane` broadcast".into()),
        _ => Ok(()),
    }
}

/// What is the same on all lanes need not be broadcast again.
fn fold_broadcast(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let src = op.operand(ctx, 0);
    match src.def_op() {
        Some(d) if d.isa::<SubgroupBroadcastOp>(ctx) => Fold::value(src),
        _ => Fold::No,
    }
}
