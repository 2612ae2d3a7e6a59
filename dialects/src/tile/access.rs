//! Tiles from memory and back.

use super::bounds::{Bound, DIMS, bounds_attrs, bounds_of, verify_bounds};
use super::syntax::{SHOWN, parse_bounds, print_bounds};
use terrace_ir::affine::AffineMap;
use terrace_ir::constraint::{ANY, I64_ATTR, INDEX, MAP_ATTR, MEMREF, TypeConstraint};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, OpState, Type, TypeData, Value, op};

/// A vector of fixed size and any rank.
pub(super) const TILE: TypeConstraint = TypeConstraint::new(
    "tile",
    |c, t| matches!(t.data(c), TypeData::Vector { scalable, .. } if !scalable.contains(&true)),
);

op! {
    /// A tile from memory. Element `d0, d1, ...` of it is the element of the memref at the
    /// results of the map, whose dimensions are those of the tile and whose symbols are operands.
    /// Only elements within the limits, and where the mask is true, are read; `pad` stands for the
    /// others.
    ///
    /// `alignment` promises that rows begin at multiples of so many bytes: what lies at a multiple
    /// of that many bytes from the start of the tile along its fastest dimension does so in memory.
    /// `granule` promises that limits along that dimension are multiples of so many elements.
    LoadOp = "tile.load" {
        operands: [memref: MEMREF, indices: INDEX.variadic(), lowers: INDEX.variadic(), uppers: INDEX.variadic(), mask: TILE.optional(), pad: ANY.optional()],
        results: [result: TILE],
        attrs: [map: MAP_ATTR, lower_dims: DIMS, upper_dims: DIMS, alignment: I64_ATTR.optional(), granule: I64_ATTR.optional()],
        traits: ATTR_SIZED_OPERANDS,
        custom: (parse_load, print_load),
        verify: verify_load,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) }],
    }

    /// A tile to memory: the opposite of `tile.load`. What is beyond the limits, or where the mask
    /// is false, stays as it is. No two elements go to the same place.
    StoreOp = "tile.store" {
        operands: [value: TILE, memref: MEMREF, indices: INDEX.variadic(), lowers: INDEX.variadic(), uppers: INDEX.variadic(), mask: TILE.optional()],
        attrs: [map: MAP_ATTR, lower_dims: DIMS, upper_dims: DIMS, alignment: I64_ATTR.optional(), granule: I64_ATTR.optional()],
        traits: ATTR_SIZED_OPERANDS,
        custom: (parse_store, print_store),
        verify: verify_store,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Write, on: Some(op.operand(ctx, 1)) }],
    }
}

/// Where a tile lies in memory, for building an access.
#[derive(Debug, Clone)]
pub struct TileAccess {
    /// The memref touched.
    pub memref: Value,
    /// A result for each dimension of the memref, over the dimensions of the tile; its symbols
    /// are `operands`.
    pub map: AffineMap,
    /// The symbols of `map`.
    pub operands: Vec<Value>,
    /// For each dimension of the tile, which elements exist.
    pub bounds: Vec<Bound>,
    /// A tile of `i1`: elements where it is false are not touched; none where it is true everywhere.
    pub mask: Option<Value>,
    /// Bytes that rows are aligned to; 0 where nothing is known.
    pub alignment: i64,
    /// What limits along the fastest dimension are multiples of; 0 where nothing is known.
    pub granule: i64,
}

impl TileAccess {
    /// Attributes, and the operands behind the memref; `before` and `behind` are how many other
    /// operands stand on either side.
    fn parts(
        &self,
        ctx: &Context,
        before: &[i32],
        behind: &[i32],
    ) -> (Vec<(&'static str, Attr)>, Vec<Value>) {
        let (mut attrs, [lowers, uppers]) = bounds_attrs(ctx, &self.bounds);
        let own = [&self.operands, &lowers, &uppers].map(|v| v.len() as i32);
        let masks = [i32::from(self.mask.is_some())];
        let sizes = [before, &own, &masks, behind].concat();
        attrs.push(("operandSegmentSizes", ctx.i32_array(&sizes)));
        attrs.push(("map", ctx.map_attr(self.map.clone())));
        for (name, n) in [("alignment", self.alignment), ("granule", self.granule)] {
            if n > 0 {
                attrs.push((name, ctx.i64_attr(n)));
            }
        }
        let mask = self.mask.into_iter().collect();
        (
            attrs,
            [self.operands.clone(), lowers, uppers, mask].concat(),
        )
    }

    /// What `op` touches, if it is an access of this dialect.
    pub fn of(ctx: &Context, op: Op) -> Option<TileAccess> {
        let tile = match (op.cast::<LoadOp>(ctx), op.cast::<StoreOp>(ctx)) {
            (Some(l), _) => l.op().result(ctx, 0),
            (_, Some(s)) => s.value(ctx),
            _ => return None,
        };
        let number = |name| op.attr(ctx, name).and_then(|a| a.as_i64(ctx)).unwrap_or(0);
        Some(TileAccess {
            memref: *op.operand_group(ctx, "memref").first()?,
            map: op.attr(ctx, "map")?.as_map(ctx)?.clone(),
            operands: op.operand_group(ctx, "indices"),
            bounds: bounds_of(ctx, op, tile.ty(ctx).rank(ctx).unwrap_or(0)),
            mask: op.operand_group(ctx, "mask").first().copied(),
            alignment: number("alignment"),
            granule: number("granule"),
        })
    }
}

impl LoadOp {
    /// What stands for elements that are not read, where there are such.
    pub fn pad(self, ctx: &Context) -> Option<Value> {
        self.op().operand_group(ctx, "pad").first().copied()
    }

    /// Loads a tile of type `ty`; `pad` stands for elements beyond the limits of `a`, and for those
    /// that its mask leaves out.
    pub fn build(b: &mut Builder, ty: Type, a: &TileAccess, pad: Option<Value>) -> Value {
        let (attrs, more) = a.parts(b.ctx, &[1], &[i32::from(pad.is_some())]);
        let mut operands = vec![a.memref];
        operands.extend(more);
        operands.extend(pad);
        b.value::<LoadOp>(&operands, ty, &attrs)
    }
}

impl StoreOp {
    /// The tile stored.
    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Stores the elements of `value` that are within the limits of `a`, and that its mask has.
    pub fn build(b: &mut Builder, value: Value, a: &TileAccess) -> Op {
        let (attrs, more) = a.parts(b.ctx, &[1, 1], &[]);
        let mut operands = vec![value, a.memref];
        operands.extend(more);
        b.op::<StoreOp>(&operands, &[], &attrs)
    }
}

/// Gives the map as many dimensions as the tile has.
fn fit_map(p: &mut OpParser, state: &mut OpState, map: AffineMap, tile: Type) {
    let rank = tile.rank(p.ctx).unwrap_or(0) as u32;
    let rank = rank.max(map.num_dims());
    let map = AffineMap::new(rank, map.num_symbols(), map.results().to_vec());
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
}

/// The mask behind a tile's limits, before it is resolved.
fn parse_mask<'a>(p: &mut OpParser<'a>) -> PResult<Option<UnresolvedOperand<'a>>> {
    match p.eat_keyword("mask") {
        true => Ok(Some(p.parse_operand()?)),
        false => Ok(None),
    }
}

/// Adds a mask of the shape of `tile` to the operands.
fn resolve_mask<'a>(
    p: &mut OpParser<'a>,
    state: &mut OpState,
    mask: Option<UnresolvedOperand<'a>>,
    tile: Type,
) -> PResult<()> {
    if let Some(v) = mask {
        let ty = mask_type(p.ctx, tile);
        state.operands.push(p.resolve(v, ty)?);
    }
    Ok(())
}

/// The type of the mask of a tile.
fn mask_type(ctx: &Context, tile: Type) -> Type {
    ctx.vector(tile.shape(ctx).unwrap_or(&[]), ctx.i1())
}

/// `%A[%i, d0] limits [%n] mask %m pad %z {...} : memref, vector`.
fn parse_load(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let memref = p.parse_operand()?;
    let (map, indices) = p.parse_map_of_numbered(T::LSquare, T::RSquare)?;
    let bounds = parse_bounds(p, state)?;
    let mask = parse_mask(p)?;
    let pad = match p.eat_keyword("pad") {
        true => Some(p.parse_operand()?),
        false => None,
    };
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let memref_type = p.parse_type()?;
    p.expect(T::Comma)?;
    let tile = p.parse_type()?;
    fit_map(p, state, map, tile);
    let index = p.ctx.index();
    state.operands.push(p.resolve(memref, memref_type)?);
    state.operands.extend(p.resolve_all(&indices, index)?);
    let (limits, [lowers, uppers]) = bounds.resolve(p)?;
    state.operands.extend(limits);
    resolve_mask(p, state, mask, tile)?;
    if let Some(v) = pad {
        let elem = memref_type.element_or_self(p.ctx);
        state.operands.push(p.resolve(v, elem)?);
    }
    let sizes = [
        1,
        indices.len() as i32,
        lowers,
        uppers,
        i32::from(mask.is_some()),
        i32::from(pad.is_some()),
    ];
    let sizes = p.ctx.i32_array(&sizes);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    state.result_types.push(tile);
    Ok(())
}

/// `%v, %A[%i, d0] limits [%n] mask %m {...} : vector, memref`.
fn parse_store(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let value = p.parse_operand()?;
    p.expect(T::Comma)?;
    let memref = p.parse_operand()?;
    let (map, indices) = p.parse_map_of_numbered(T::LSquare, T::RSquare)?;
    let bounds = parse_bounds(p, state)?;
    let mask = parse_mask(p)?;
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let tile = p.parse_type()?;
    p.expect(T::Comma)?;
    let memref_type = p.parse_type()?;
    fit_map(p, state, map, tile);
    let index = p.ctx.index();
    state.operands.push(p.resolve(value, tile)?);
    state.operands.push(p.resolve(memref, memref_type)?);
    state.operands.extend(p.resolve_all(&indices, index)?);
    let (limits, [lowers, uppers]) = bounds.resolve(p)?;
    state.operands.extend(limits);
    resolve_mask(p, state, mask, tile)?;
    let masks = i32::from(mask.is_some());
    let sizes = [1, 1, indices.len() as i32, lowers, uppers, masks];
    let sizes = p.ctx.i32_array(&sizes);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    Ok(())
}

fn print_target(p: &mut Printer, op: Op, a: &TileAccess) {
    p.value(a.memref);
    p.write("[");
    p.map_of_numbered(&a.map, &a.operands);
    p.write("]");
    print_bounds(p, op, a.bounds.len());
    if let Some(v) = a.mask {
        p.write(" mask ");
        p.value(v);
    }
}

fn print_load(p: &mut Printer, op: Op) {
    let Some(a) = TileAccess::of(p.ctx, op) else {
        return;
    };
    p.write(" ");
    print_target(p, op, &a);
    if let Some(v) = LoadOp::wrap(op).pad(p.ctx) {
        p.write(" pad ");
        p.value(v);
    }
    p.attr_dict(op, SHOWN, false);
    p.write(" : ");
    p.types(&[a.memref.ty(p.ctx), op.result(p.ctx, 0).ty(p.ctx)]);
}

fn print_store(p: &mut Printer, op: Op) {
    let Some(a) = TileAccess::of(p.ctx, op) else {
        return;
    };
    let value = StoreOp::wrap(op).value(p.ctx);
    p.write(" ");
    p.value(value);
    p.write(", ");
    print_target(p, op, &a);
    p.attr_dict(op, SHOWN, false);
    p.write(" : ");
    p.types(&[value.ty(p.ctx), a.memref.ty(p.ctx)]);
}

fn verify_load(ctx: &Context, op: Op) -> Verified {
    let tile = op.result(ctx, 0).ty(ctx);
    verify_access(ctx, op, tile)?;
    let limited = (bounds_of(ctx, op, tile.rank(ctx).unwrap_or(0)).iter()).any(|b| !b.is_none());
    let masked = !op.operand_group(ctx, "mask").is_empty();
    match LoadOp::wrap(op).pad(ctx) {
        None if limited => Err("has limits, so it needs a pad for the elements beyond them".into()),
        None if masked => Err("has a mask, so it needs a pad where that is false".into()),
        Some(v) if tile.element(ctx) != Some(v.ty(ctx)) => {
            Err("pads with another type than that of the tile's elements".into())
        }
        _ => Ok(()),
    }
}

fn verify_store(ctx: &Context, op: Op) -> Verified {
    let tile = op.operand(ctx, 0).ty(ctx);
    verify_access(ctx, op, tile)?;
    let map = op.attr(ctx, "map").and_then(|a| a.as_map(ctx));
    let unused = |d: &u32| map.is_some_and(|m| !m.is_function_of_dim(*d));
    let shape = tile.shape(ctx).unwrap_or(&[]);
    let several = |d: &u32| shape.get(*d as usize).is_some_and(|n| *n != 1);
    match (0..shape.len() as u32).find(|d| unused(d) && several(d)) {
        Some(d) => {
            Err(format!("stores several elements to one place, since no subscript has d{d}").into())
        }
        None => Ok(()),
    }
}

fn verify_access(ctx: &Context, op: Op, tile: Type) -> Verified {
    let Some(a) = TileAccess::of(ctx, op) else {
        return Err("has no memref or no map".into());
    };
    let memref = a.memref.ty(ctx);
    let rank = tile.rank(ctx).unwrap_or(0);
    if tile.element(ctx) != memref.element(ctx) {
        return Err("tile and memref have elements of different types".into());
    }
    if Some(a.map.num_results()) != memref.rank(ctx) {
        let (n, m) = (a.map.num_results(), memref.rank(ctx).unwrap_or(0));
        return Err(format!("has {n} subscripts for a memref of rank {m}").into());
    }
    if a.map.num_dims() as usize != rank {
        let d = a.map.num_dims().saturating_sub(1);
        return Err(format!("has d{d} in a subscript, but the tile is of rank {rank}").into());
    }
    if a.map.num_symbols() as usize != a.operands.len() {
        return Err("has another number of operands than its map has symbols".into());
    }
    if a.mask.is_some_and(|v| v.ty(ctx) != mask_type(ctx, tile)) {
        return Err("has a mask that is no tile of i1 of the same shape".into());
    }
    verify_bounds(ctx, op, rank)
}
