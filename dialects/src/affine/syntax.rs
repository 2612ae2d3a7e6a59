//! Pieces of syntax that several affine ops share.

use std::sync::LazyLock;
use terrace_ir::affine::{AffineMap, IntegerSet};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Failed, OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpState, Type, Value};

/// The map attribute `name` of `op`; the empty map where it is missing.
pub(super) fn map_of<'c>(ctx: &'c Context, op: Op, name: &str) -> &'c AffineMap {
    static EMPTY: LazyLock<AffineMap> = LazyLock::new(AffineMap::empty);
    op.attr(ctx, name)
        .and_then(|a| a.as_map(ctx))
        .unwrap_or(&EMPTY)
}

/// The set attribute `name` of `op`; a set of everything where it is missing.
pub(super) fn set_of<'c>(ctx: &'c Context, op: Op, name: &str) -> &'c IntegerSet {
    static UNIVERSE: LazyLock<IntegerSet> = LazyLock::new(|| IntegerSet::universe(0, 0));
    op.attr(ctx, name)
        .and_then(|a| a.as_set(ctx))
        .unwrap_or(&UNIVERSE)
}

/// Report an error at the name of the op being parsed.
pub(super) fn at_name(p: &mut OpParser, state: &OpState, message: &str) -> Failed {
    p.ctx.error(state.loc, message);
    Failed
}

/// An affine map attribute.
pub(super) fn parse_map(p: &mut OpParser) -> PResult<AffineMap> {
    let pos = p.pos();
    let a = p.parse_attr()?;
    match a.as_map(p.ctx) {
        Some(m) => Ok(m.clone()),
        None => Err(p.error(pos, "invalid kind of attribute specified")),
    }
}

/// An integer set attribute.
pub(super) fn parse_set(p: &mut OpParser) -> PResult<IntegerSet> {
    let pos = p.pos();
    let a = p.parse_attr()?;
    match a.as_set(p.ctx) {
        Some(m) => Ok(m.clone()),
        None => Err(p.error(pos, "invalid kind of attribute specified")),
    }
}

/// `(%a, %b)[%n]`: the values, and how many of them are dimensions.
pub(super) fn parse_dims_and_symbols(p: &mut OpParser) -> PResult<(Vec<Value>, usize)> {
    let (dims, symbols) = p.parse_dim_and_symbol_operands()?;
    let index = p.ctx.index();
    let mut values = p.resolve_all(&dims, index)?;
    values.extend(p.resolve_all(&symbols, index)?);
    Ok((values, dims.len()))
}

/// `: memref<...>`.
pub(super) fn parse_memref_type(p: &mut OpParser) -> PResult<(Type, Type)> {
    p.expect(T::Colon)?;
    parse_bare_memref_type(p)
}

/// A memref type and its element type.
pub(super) fn parse_bare_memref_type(p: &mut OpParser) -> PResult<(Type, Type)> {
    let pos = p.pos();
    let ty = p.parse_type()?;
    match super::scope::memref_element(p.ctx, ty) {
        Some(elem) => Ok((ty, elem)),
        None => Err(p.error(pos, "invalid kind of type specified")),
    }
}

/// `[%i + 1, symbol(%n)]`.
pub(super) fn print_subscripts(p: &mut Printer, map: &AffineMap, operands: &[Value]) {
    p.write("[");
    p.map_of_operands(map, operands);
    p.write("]");
}
