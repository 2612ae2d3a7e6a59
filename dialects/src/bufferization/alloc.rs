//! `bufferization.alloc_tensor`.

use crate::tensor::TENSOR;
use terrace_ir::constraint::{ANY_ATTR, INDEX};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpState, op};

op! {
    /// A tensor with memory of its own, empty or a copy.
    AllocTensorOp = "bufferization.alloc_tensor" {
        operands: [dynamic_sizes: INDEX.variadic(), copy: TENSOR.optional(), size_hint: INDEX.optional()],
        results: [result: TENSOR],
        attrs: [memory_space: ANY_ATTR.optional()],
        traits: ATTR_SIZED_OPERANDS,
        custom: (parse, print),
        verify: verify,
    }
}

/// `(%sizes) copy(%t) size_hint=%n {attrs} : tensor`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let sizes = p.parse_delimited_operands(T::LParen, T::RParen)?;
    let mut copy = None;
    if p.eat_keyword("copy") {
        p.expect(T::LParen)?;
        copy = Some(p.parse_operand()?);
        p.expect(T::RParen)?;
    }
    let mut hint = None;
    if p.eat_keyword("size_hint") {
        p.expect(T::Equal)?;
        hint = Some(p.parse_operand()?);
    }
    p.parse_optional_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    let index = p.ctx.index();
    state.operands = p.resolve_all(&sizes, index)?;
    if let Some(c) = copy {
        state.operands.push(p.resolve(c, ty)?);
    }
    if let Some(h) = hint {
        state.operands.push(p.resolve(h, index)?);
    }
    let n = i32::try_from(sizes.len()).unwrap_or(i32::MAX);
    let one = |b: bool| i32::from(b);
    let segments = p
        .ctx
        .i32_array(&[n, one(copy.is_some()), one(hint.is_some())]);
    state.set_attr(p.ctx, "operandSegmentSizes", segments);
    state.result_types.push(ty);
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write("(");
    p.values(&op.operand_group(ctx, "dynamic_sizes"));
    p.write(")");
    if let Some(copy) = op.operand_group(ctx, "copy").first() {
        p.write(" copy(");
        p.value(*copy);
        p.write(")");
    }
    if let Some(hint) = op.operand_group(ctx, "size_hint").first() {
        p.write(" size_hint=");
        p.value(*hint);
    }
    p.attr_dict(op, &["operandSegmentSizes"], false);
    p.write(" : ");
    p.ty(op.result(ctx, 0).ty(ctx));
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let shape = op.result(ctx, 0).ty(ctx).shape(ctx).unwrap_or(&[]);
    let want = shape.iter().filter(|d| **d == DYNAMIC).count();
    let have = op.operand_group(ctx, "dynamic_sizes").len();
    let copied = !op.operand_group(ctx, "copy").is_empty();
    if copied && have > 0 {
        return Err(Invalid::from(
            "dynamic sizes not needed when copying a tensor",
        ));
    }
    if !copied && have != want {
        return Err(format!("expected {want} dynamic sizes").into());
    }
    Ok(())
}
