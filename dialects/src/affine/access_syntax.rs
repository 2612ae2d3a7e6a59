//! Text of accesses, and what must hold of them.

use super::scope::verify_operands;
use super::syntax::{map_of, parse_memref_type, print_subscripts};
use terrace_ir::affine::AffineMap;
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpState, Value};

/// `%m[SUBSCRIPTS] {attributes} : memref-type`.
pub(super) fn parse_load(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let memref = p.parse_operand()?;
    let (map, operands) = p.parse_map_of_operands(T::LSquare, T::RSquare)?;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
    p.parse_optional_attr_dict(state)?;
    let (ty, elem) = parse_memref_type(p)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(memref, ty)?);
    state.operands.extend(p.resolve_all(&operands, index)?);
    state.result_types.push(elem);
    Ok(())
}

pub(super) fn print_load(p: &mut Printer, op: Op) {
    let operands = op.operands(p.ctx);
    p.write(" ");
    print_target(p, op, &operands);
    p.attr_dict(op, &["map"], false);
    p.write(" : ");
    p.ty(operands[0].ty(p.ctx));
}

/// `%m[SUBSCRIPTS]` where `operands` start with the memref.
pub(super) fn print_target(p: &mut Printer, op: Op, operands: &[Value]) {
    p.value(operands[0]);
    print_subscripts(p, map_of(p.ctx, op, "map"), &operands[1..]);
}

/// `%v, %m[SUBSCRIPTS] {attributes} : memref-type`.
pub(super) fn parse_store(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let value = p.parse_operand()?;
    p.expect(T::Comma)?;
    let memref = p.parse_operand()?;
    let (map, operands) = p.parse_map_of_operands(T::LSquare, T::RSquare)?;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
    p.parse_optional_attr_dict(state)?;
    let (ty, elem) = parse_memref_type(p)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(value, elem)?);
    state.operands.push(p.resolve(memref, ty)?);
    state.operands.extend(p.resolve_all(&operands, index)?);
    Ok(())
}

pub(super) fn print_store(p: &mut Printer, op: Op) {
    let operands = op.operands(p.ctx);
    p.write(" ");
    p.value(operands[0]);
    p.write(", ");
    print_target(p, op, &operands[1..]);
    p.attr_dict(op, &["map"], false);
    p.write(" : ");
    p.ty(operands[1].ty(p.ctx));
}

pub(super) fn verify_load(ctx: &Context, op: Op) -> Verified {
    let ty = op.operand(ctx, 0).ty(ctx);
    if ty.element(ctx) != Some(op.result(ctx, 0).ty(ctx)) {
        return Err("result type must match element type of memref".into());
    }
    verify_subscripts(ctx, op, 0)
}

pub(super) fn verify_store(ctx: &Context, op: Op) -> Verified {
    let ty = op.operand(ctx, 1).ty(ctx);
    if ty.element(ctx) != Some(op.operand(ctx, 0).ty(ctx)) {
        return Err("value to store must have the same type as memref element type".into());
    }
    verify_subscripts(ctx, op, 1)
}

/// Check the map and its operands, which follow the memref at `memref_index`.
pub(super) fn verify_subscripts(ctx: &Context, op: Op, memref_index: usize) -> Verified {
    let map: &AffineMap = map_of(ctx, op, "map");
    let operands = op.operands(ctx);
    let rank = operands[memref_index].ty(ctx).rank(ctx);
    if Some(map.num_results()) != rank {
        return Err("affine map num results must equal memref rank".into());
    }
    let indices = &operands[memref_index + 1..];
    if map.num_inputs() != indices.len() {
        return Err("expects as many subscripts as affine map inputs".into());
    }
    if indices.iter().any(|v| !v.ty(ctx).is_index(ctx)) {
        return Err("index to load must have 'index' type".into());
    }
    verify_operands(ctx, op, indices, map.num_dims())
}
