//! Custom syntax of the ops that view memory.

use super::reshape::ExpandShapeOp;
use crate::offsets::{self, Parsed, SLICE_ATTRS, parse_list, print_list};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Op, OpKind, OpState};

/// `{attrs} : type to type` after everything else; sets the result type and resolves
/// `source` as the first operand.
fn finish_slice<'a>(
    p: &mut OpParser<'a>,
    state: &mut OpState,
    source: terrace_ir::text::parser::UnresolvedOperand<'a>,
    lists: [Parsed<'a>; 3],
) -> PResult<()> {
    p.parse_optional_attr_dict(state)?;
    let from = p.parse_colon_type()?;
    p.expect_keyword("to")?;
    let to = p.parse_type()?;
    state.operands.push(p.resolve(source, from)?);
    offsets::resolve_slice(p, state, 1, lists)?;
    state.result_types.push(to);
    Ok(())
}

/// One of the three lists of a slice.
fn print_slice_list(p: &mut Printer, op: Op, values: &str, statics: &str) {
    let ctx = p.ctx;
    let s = op
        .attr(ctx, statics)
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    print_list(p, &s, &op.operand_group(ctx, values));
}

fn print_types(p: &mut Printer, op: Op, to: &str) {
    p.write(" : ");
    p.ty(op.operand(p.ctx, 0).ty(p.ctx));
    p.write(to);
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}

/// `%source[offsets] [sizes] [strides]`.
pub(super) fn parse_subview(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let source = p.parse_operand()?;
    let lists = [parse_list(p)?, parse_list(p)?, parse_list(p)?];
    finish_slice(p, state, source, lists)
}

pub(super) fn print_subview(p: &mut Printer, op: Op) {
    p.write(" ");
    p.value(op.operand(p.ctx, 0));
    print_slice_list(p, op, "offsets", "static_offsets");
    p.write(" ");
    print_slice_list(p, op, "sizes", "static_sizes");
    p.write(" ");
    print_slice_list(p, op, "strides", "static_strides");
    p.attr_dict(op, &SLICE_ATTRS, false);
    print_types(p, op, " to ");
}

/// `%source to offset: [o], sizes: [...], strides: [...]`.
pub(super) fn parse_reinterpret_cast(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let source = p.parse_operand()?;
    p.expect_keyword("to")?;
    p.expect_keyword("offset")?;
    p.expect(T::Colon)?;
    let offsets = parse_list(p)?;
    p.expect(T::Comma)?;
    p.expect_keyword("sizes")?;
    p.expect(T::Colon)?;
    let sizes = parse_list(p)?;
    p.expect(T::Comma)?;
    p.expect_keyword("strides")?;
    p.expect(T::Colon)?;
    let strides = parse_list(p)?;
    finish_slice(p, state, source, [offsets, sizes, strides])
}

pub(super) fn print_reinterpret_cast(p: &mut Printer, op: Op) {
    p.write(" ");
    p.value(op.operand(p.ctx, 0));
    p.write(" to offset: ");
    print_slice_list(p, op, "offsets", "static_offsets");
    p.write(", sizes: ");
    print_slice_list(p, op, "sizes", "static_sizes");
    p.write(", strides: ");
    print_slice_list(p, op, "strides", "static_strides");
    p.attr_dict(op, &SLICE_ATTRS, false);
    print_types(p, op, " to ");
}

/// `%src [[0, 1], [2]] output_shape [2, %n, 4]`.
pub(super) fn parse_expand_shape(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let src = p.parse_operand()?;
    let groups = p.parse_attr()?;
    state.set_attr(p.ctx, "reassociation", groups);
    p.expect_keyword("output_shape")?;
    let shape = parse_list(p)?;
    let statics = p.ctx.i64_array(&shape.statics);
    state.set_attr(p.ctx, "static_output_shape", statics);
    p.parse_optional_attr_dict(state)?;
    let from = p.parse_colon_type()?;
    p.expect_keyword("into")?;
    let to = p.parse_type()?;
    state.operands.push(p.resolve(src, from)?);
    let index = p.ctx.index();
    state.operands.extend(p.resolve_all(&shape.values, index)?);
    state.result_types.push(to);
    Ok(())
}

pub(super) fn print_expand_shape(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write(" ");
    p.value(op.operand(ctx, 0));
    p.write(" ");
    if let Some(a) = op.attr(ctx, "reassociation") {
        p.attr(a);
    }
    p.write(" output_shape ");
    let name = ExpandShapeOp::DEF.attrs[1].name;
    let s = op
        .attr(ctx, name)
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    print_list(p, &s, &op.operands(ctx)[1..]);
    p.attr_dict(op, &["reassociation", name], false);
    print_types(p, op, " into ");
}

/// `%in (d0, d1) -> (d1, d0)`.
pub(super) fn parse_transpose(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let source = p.parse_operand()?;
    let map = p.parse_map_body()?;
    p.parse_optional_attr_dict(state)?;
    let from = p.parse_colon_type()?;
    p.expect_keyword("to")?;
    let to = p.parse_type()?;
    state.operands.push(p.resolve(source, from)?);
    state.result_types.push(to);
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "permutation", map);
    Ok(())
}

pub(super) fn print_transpose(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write(" ");
    p.value(op.operand(ctx, 0));
    p.write(" ");
    if let Some(m) = op.attr(ctx, "permutation").and_then(|a| a.as_map(ctx)) {
        p.fmt(format_args!("{m}"));
    }
    p.attr_dict(op, &["permutation"], false);
    print_types(p, op, " to ");
}
