//! Elements of a tile combined with each other, and which of them exist.

use super::access::TILE;
use super::bounds::{Bound, DIMS, bounds_attrs, bounds_of, verify_bounds};
use super::syntax::{SHOWN, parse_bounds, print_bounds};
use crate::arith::{AtomicRmwKind, FASTMATH_ATTR, fastmath};
use crate::memref::RMW_KIND;
use terrace_ir::constraint::{ANY, AttrConstraint, DENSE_I64, INDEX, enum_attr};
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Builder, Context, Op, OpKind, OpState, Type, Value, op};

const KIND: AttrConstraint = enum_attr(
    "kind of a reduction, such as addf or maxs",
    |c, a| RMW_KIND.value(c, a).is_some(),
    &RMW_KIND,
);

op! {
    /// Folds the elements within the limits into `init`, along the axes, in ascending order of
    /// their coordinates. With `fastmath<reassoc>` sums and products of floats may be made in any
    /// order; the other kinds give the same in all orders.
    ReduceOp = "tile.reduce" {
        operands: [value: TILE, init: ANY, lowers: INDEX.variadic(), uppers: INDEX.variadic()],
        results: [result: ANY],
        attrs: [kind: KIND, axes: DENSE_I64, lower_dims: DIMS, upper_dims: DIMS, fastmath: FASTMATH_ATTR],
        traits: PURE | ATTR_SIZED_OPERANDS,
        same_type: [[init, result]],
        custom: (parse_reduce, print_reduce),
        verify: verify_reduce,
    }

    /// Whether each element of a tile is within the limits.
    MaskOp = "tile.mask" {
        operands: [lowers: INDEX.variadic(), uppers: INDEX.variadic()],
        results: [result: TILE],
        attrs: [lower_dims: DIMS, upper_dims: DIMS],
        traits: PURE | ATTR_SIZED_OPERANDS,
        custom: (parse_mask, print_mask),
        verify: verify_mask,
    }
}

impl ReduceOp {
    /// The tile whose elements are combined.
    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// What the fold begins with.
    pub fn init(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

    /// How elements are combined; none for a malformed op.
    pub fn kind(self, ctx: &Context) -> Option<AtomicRmwKind> {
        AtomicRmwKind::from_i64(RMW_KIND.value(ctx, self.op().attr(ctx, "kind")?)?)
    }

    /// The dimensions that go, ascending.
    pub fn axes(self, ctx: &Context) -> Vec<usize> {
        let axes = self
            .op()
            .attr(ctx, "axes")
            .and_then(|a| a.as_i64_array(ctx));
        (axes.unwrap_or_default().into_iter())
            .filter_map(|a| usize::try_from(a).ok())
            .collect()
    }

    /// Which elements take part, for each dimension of the tile.
    pub fn bounds(self, ctx: &Context) -> Vec<Bound> {
        let rank = self.value(ctx).ty(ctx).rank(ctx).unwrap_or(0);
        bounds_of(ctx, self.op(), rank)
    }

    /// Whether the order of elements may change the result, and no flag allows another one.
    pub fn is_ordered(self, ctx: &Context) -> bool {
        let sums = matches!(
            self.kind(ctx),
            Some(AtomicRmwKind::AddF | AtomicRmwKind::MulF)
        );
        sums && crate::arith::fastmath_of(ctx, self.op()) & fastmath::REASSOC == 0
    }

    /// Folds `value` into `init` along `axes`. With `any_order` a sum of floats may be made in
    /// any order.
    pub fn build(
        b: &mut Builder,
        kind: AtomicRmwKind,
        value: Value,
        init: Value,
        axes: &[i64],
        bounds: &[Bound],
        any_order: bool,
    ) -> Value {
        let (mut attrs, [lowers, uppers]) = bounds_attrs(b.ctx, bounds);
        let sizes = [1, 1, lowers.len() as i32, uppers.len() as i32];
        attrs.push(("operandSegmentSizes", b.ctx.i32_array(&sizes)));
        attrs.push(("kind", b.ctx.i64_attr(kind as i64)));
        attrs.push(("axes", b.ctx.i64_array(axes)));
        if any_order {
            let flags = crate::arith::FASTMATH.attr(b.ctx, fastmath::REASSOC);
            attrs.push(("fastmath", flags));
        }
        let operands = [vec![value, init], lowers, uppers].concat();
        let ty = init.ty(b.ctx);
        b.value::<ReduceOp>(&operands, ty, &attrs)
    }
}

impl MaskOp {
    /// Which elements are set, for each dimension of the tile.
    pub fn bounds(self, ctx: &Context) -> Vec<Bound> {
        let rank = self.op().result(ctx, 0).ty(ctx).rank(ctx).unwrap_or(0);
        bounds_of(ctx, self.op(), rank)
    }

    /// The mask of a tile of this shape.
    pub fn build(b: &mut Builder, shape: &[i64], bounds: &[Bound]) -> Value {
        let (mut attrs, [lowers, uppers]) = bounds_attrs(b.ctx, bounds);
        let sizes = b.ctx.i32_array(&[lowers.len() as i32, uppers.len() as i32]);
        attrs.push(("operandSegmentSizes", sizes));
        let ty = b.ctx.vector(shape, b.ctx.i1());
        let operands = [lowers, uppers].concat();
        b.value::<MaskOp>(&operands, ty, &attrs)
    }
}

/// `addf %v, %init axes [0] limits [%n] {...} : vector -> type`.
fn parse_reduce(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    let word = p.parse_keyword()?;
    let Some(kind) = RMW_KIND.parse(word) else {
        return Err(p.op_error(pos, format!("has '{word}', which is no kind of reduction; addf, addi, andi, maximumf, maxnumf, maxs, maxu, minimumf, minnumf, mins, minu, mulf, muli, ori and xori are")));
    };
    let kind = p.ctx.i64_attr(kind);
    state.set_attr(p.ctx, "kind", kind);
    let value = p.parse_operand()?;
    p.expect(T::Comma)?;
    let init = p.parse_operand()?;
    let mut axes = Vec::new();
    p.expect_keyword("axes")?;
    p.parse_list(T::LSquare, T::RSquare, |p| {
        axes.push(p.parse_i64()?);
        Ok(())
    })?;
    let axes = p.ctx.i64_array(&axes);
    state.set_attr(p.ctx, "axes", axes);
    let bounds = parse_bounds(p, state)?;
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let tile = p.parse_type()?;
    p.expect(T::Arrow)?;
    let result = p.parse_type()?;
    state.operands.push(p.resolve(value, tile)?);
    state.operands.push(p.resolve(init, result)?);
    let (limits, [lowers, uppers]) = bounds.resolve(p)?;
    state.operands.extend(limits);
    let sizes = p.ctx.i32_array(&[1, 1, lowers, uppers]);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    state.result_types.push(result);
    Ok(())
}

fn print_reduce(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let r = ReduceOp::wrap(op);
    p.write(" ");
    if let Some(k) = r.kind(ctx) {
        p.write(&k.keyword());
    }
    p.write(" ");
    p.values(&[r.value(ctx), r.init(ctx)]);
    p.write(" axes [");
    p.list(&r.axes(ctx), |p, a| p.fmt(format_args!("{a}")));
    p.write("]");
    print_bounds(p, op, r.bounds(ctx).len());
    let mut elided = SHOWN.to_vec();
    if crate::arith::fastmath_of(ctx, op) == 0 {
        elided.push("fastmath");
    }
    p.attr_dict(op, &elided, false);
    p.write(" : ");
    p.ty(r.value(ctx).ty(ctx));
    p.write(" -> ");
    p.ty(op.result(ctx, 0).ty(ctx));
}

/// What is left of a tile without some of its dimensions: an element where none is left.
fn without(ctx: &Context, tile: Type, axes: &[usize]) -> Option<Type> {
    let shape = tile.shape(ctx)?;
    let kept = (shape.iter().enumerate()).filter(|(d, _)| !axes.contains(d));
    let kept: Vec<i64> = kept.map(|(_, n)| *n).collect();
    let elem = tile.element(ctx)?;
    Some(match kept.is_empty() {
        true => elem,
        false => ctx.vector(&kept, elem),
    })
}

fn verify_reduce(ctx: &Context, op: Op) -> Verified {
    let r = ReduceOp::wrap(op);
    let tile = r.value(ctx).ty(ctx);
    let rank = tile.rank(ctx).unwrap_or(0);
    let axes = r.axes(ctx);
    let all = op.attr(ctx, "axes").and_then(|a| a.as_i64_array(ctx));
    if axes.is_empty() || all.is_some_and(|a| a.len() != axes.len()) {
        return Err("needs at least one axis, and none that is negative".into());
    }
    if axes.windows(2).any(|w| w[0] >= w[1]) || axes.iter().any(|a| *a >= rank) {
        return Err(
            format!("needs axes that ascend and are dimensions of a tile of rank {rank}").into(),
        );
    }
    if Some(op.result(ctx, 0).ty(ctx)) != without(ctx, tile, &axes) {
        return Err("has a result that is not the tile without its axes".into());
    }
    let elem = tile.element_or_self(ctx);
    match r.kind(ctx) {
        Some(AtomicRmwKind::Assign) | None => Err("needs a kind that combines".into()),
        Some(k) if k.identity(ctx, elem).is_none() => Err(format!(
            "has kind {}, which does not fit the tile's elements",
            k.keyword()
        )
        .into()),
        _ => verify_bounds(ctx, op, rank),
    }
}

/// `limits [%n] : vector`.
fn parse_mask(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let bounds = parse_bounds(p, state)?;
    p.parse_optional_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    let (limits, [lowers, uppers]) = bounds.resolve(p)?;
    state.operands.extend(limits);
    let sizes = p.ctx.i32_array(&[lowers, uppers]);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    state.result_types.push(ty);
    Ok(())
}

fn print_mask(p: &mut Printer, op: Op) {
    let ty = op.result(p.ctx, 0).ty(p.ctx);
    print_bounds(p, op, ty.rank(p.ctx).unwrap_or(0));
    p.attr_dict(op, SHOWN, false);
    p.write(" : ");
    p.ty(ty);
}

fn verify_mask(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    if ty.element(ctx) != Some(ctx.i1()) {
        return Err("needs elements of type i1".into());
    }
    verify_bounds(ctx, op, ty.rank(ctx).unwrap_or(0))
}
