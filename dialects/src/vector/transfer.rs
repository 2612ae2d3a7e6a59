//! `vector.transfer_read` and `vector.transfer_write`: vectors from and to memory or
//! tensors, with a map, a mask and bounds.

use super::attrs::BOOLS_ATTR;
use super::types::{ANY_RANK, MASK, TENSOR, element_bits, scalable_at, shape, vector_type};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::constraint::{ANY, INDEX, MAP_ATTR, TypeConstraint};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Type, TypeData, Value, op};

const SHAPED: TypeConstraint = TypeConstraint::new("shaped of any type values", |c, t| {
    t.element(c).is_some() && !t.is_vector(c)
});

op! {
    /// Reads a vector. The map says which dimension of the source each dimension of
    /// the vector runs along; a result 0 repeats. Places out of bounds, or where the
    /// mask is not set, get the padding.
    TransferReadOp = "vector.transfer_read" {
        operands: [base: SHAPED, indices: INDEX.variadic(), padding: ANY, mask: MASK.optional()],
        results: [vector: ANY_RANK],
        attrs: [permutation_map: MAP_ATTR, in_bounds: BOOLS_ATTR],
        traits: ATTR_SIZED_OPERANDS,
        custom: (parse_read, print_read),
        verify: verify_read,
        canonicalize: super::canonicalize::transfer_read,
        effects: |ctx, op| effects(ctx, op, EffectKind::Read),
        speculatable: on_values,
    }

    /// Writes a vector, but not out of bounds nor where the mask is not set.
    TransferWriteOp = "vector.transfer_write" {
        operands: [valueToStore: ANY_RANK, base: SHAPED, indices: INDEX.variadic(), mask: MASK.optional()],
        results: [result: TENSOR.optional()],
        attrs: [permutation_map: MAP_ATTR, in_bounds: BOOLS_ATTR],
        traits: ATTR_SIZED_OPERANDS,
        custom: (parse_write, print_write),
        verify: verify_write,
        canonicalize: super::canonicalize::transfer_write,
        effects: |ctx, op| effects(ctx, op, EffectKind::Write),
        speculatable: on_values,
    }
}

macro_rules! accessors {
    ($t:ident) => {
        impl $t {
            /// The memref or tensor accessed; `None` for a malformed op.
            pub fn base(self, ctx: &Context) -> Option<Value> {
                one(ctx, self.op(), "base")
            }

            /// Subscripts of the first element.
            pub fn indices(self, ctx: &Context) -> Vec<Value> {
                self.op().operand_group(ctx, "indices")
            }

            /// Which elements are transferred; `None` for all.
            pub fn mask(self, ctx: &Context) -> Option<Value> {
                one(ctx, self.op(), "mask")
            }

            /// Which dimensions of the source the vector runs along; `None` for a malformed op.
            pub fn permutation_map(self, ctx: &Context) -> Option<&AffineMap> {
                self.op().attr(ctx, "permutation_map")?.as_map(ctx)
            }

            /// For each dimension of the vector, whether it stays within the source.
            pub fn in_bounds(self, ctx: &Context) -> Vec<bool> {
                let list = self
                    .op()
                    .attr(ctx, "in_bounds")
                    .and_then(|a| a.as_array(ctx));
                list.unwrap_or(&[])
                    .iter()
                    .map(|a| a.as_bool(ctx) == Some(true))
                    .collect()
            }
        }
    };
}
accessors!(TransferReadOp);
accessors!(TransferWriteOp);

impl TransferReadOp {
    /// What stands for elements outside the source; `None` for a malformed op.
    pub fn padding(self, ctx: &Context) -> Option<Value> {
        one(ctx, self.op(), "padding")
    }
}

impl TransferWriteOp {
    /// The vector written.
    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }
}

fn one(ctx: &Context, op: Op, name: &str) -> Option<Value> {
    op.operand_group(ctx, name).first().copied()
}

fn effects(ctx: &Context, op: Op, kind: EffectKind) -> Vec<Effect> {
    let base = one(ctx, op, "base").filter(|b| b.ty(ctx).is_memref(ctx));
    base.map(|b| Effect { kind, on: Some(b) })
        .into_iter()
        .collect()
}

/// Whether it works on tensors, which are there whenever their value is.
fn on_values(ctx: &Context, op: Op) -> bool {
    one(ctx, op, "base").is_some_and(|b| !b.ty(ctx).is_memref(ctx))
}

/// The rank of the vector without that of the source's elements.
fn effective_rank(ctx: &Context, source: Type, vector: Type) -> usize {
    let inner = shape(ctx, source.element_or_self(ctx)).len();
    shape(ctx, vector).len().saturating_sub(inner)
}

/// The mask for a transfer: a flag for each element of the source that is touched.
pub fn mask_type(ctx: &Context, vector: Type, map: &AffineMap) -> Type {
    let (mut dims, mut flags) = (Vec::new(), Vec::new());
    for d in 0..map.num_dims() {
        let at = map
            .results()
            .iter()
            .position(|e| matches!(e, AffineExpr::Dim(x) if *x == d));
        if let Some(i) = at.filter(|i| *i < shape(ctx, vector).len()) {
            dims.push(shape(ctx, vector)[i]);
            flags.push(scalable_at(ctx, vector, i));
        }
    }
    if dims.is_empty() {
        dims.push(1);
        flags.push(false);
    }
    vector_type(ctx, &dims, ctx.i1(), &flags)
}

// ---- syntax ----

/// The parts behind the operands: attributes with their defaults, and the types.
fn finish_parse(
    p: &mut OpParser,
    state: &mut OpState,
    vector_first: bool,
) -> PResult<(Type, Type, AffineMap)> {
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let types = p.parse_type_list()?;
    let [first, second] = types.as_slice() else {
        return Err(p.op_error(pos, "requires two types"));
    };
    let (source, vector) = if vector_first {
        (*second, *first)
    } else {
        (*first, *second)
    };
    if vector_first && !vector.is_vector(p.ctx) {
        return Err(p.op_error(pos, "requires vector type"));
    }
    if !matches!(
        source.data(p.ctx),
        TypeData::MemRef { .. } | TypeData::Tensor { .. }
    ) {
        return Err(p.op_error(pos, "requires memref or ranked tensor type"));
    }
    if !vector.is_vector(p.ctx) {
        return Err(p.op_error(pos, "requires vector type"));
    }
    let map = match state.get_attr(p.ctx, "permutation_map") {
        Some(a) => match a.as_map(p.ctx) {
            Some(m) => m.clone(),
            None => return Err(p.op_error(pos, "permutation_map must be an affine map")),
        },
        None => {
            let (rank, wanted) = (
                source.rank(p.ctx).unwrap_or(0),
                effective_rank(p.ctx, source, vector),
            );
            let map = if rank == 0 && shape(p.ctx, vector) == [1] {
                AffineMap::constant(0)
            } else if rank < wanted {
                let m = "expected a custom permutation_map when rank(source) != rank(destination)";
                return Err(p.op_error(pos, m));
            } else {
                AffineMap::minor_identity(rank as u32, wanted as u32)
            };
            state.set_attr(p.ctx, "permutation_map", p.ctx.map_attr(map.clone()));
            map
        }
    };
    if state.get_attr(p.ctx, "in_bounds").is_none() {
        let none = vec![p.ctx.bool_attr(false); map.results().len()];
        state.set_attr(p.ctx, "in_bounds", p.ctx.array_attr(none));
    }
    Ok((source, vector, map))
}

fn resolve_mask<'a>(
    p: &mut OpParser<'a>,
    mask: Option<UnresolvedOperand<'a>>,
    source: Type,
    vector: Type,
    map: &AffineMap,
) -> PResult<Option<Value>> {
    let Some(m) = mask else { return Ok(None) };
    if source.element_or_self(p.ctx).is_vector(p.ctx) {
        return Err(p.op_error(m.pos, "does not support masks with vector element type"));
    }
    if shape(p.ctx, vector).len() != map.results().len() {
        return Err(p.op_error(
            m.pos,
            "expected the same rank for the vector and the results of the permutation map",
        ));
    }
    let ty = mask_type(p.ctx, vector, map);
    p.resolve(m, ty).map(Some)
}

/// `%source[%i, ...], %padding, %mask {attrs} : source, vector`.
fn parse_read(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let source = p.parse_operand()?;
    let indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.expect(T::Comma)?;
    let padding = p.parse_operand()?;
    let mask = if p.eat(T::Comma) {
        Some(p.parse_operand()?)
    } else {
        None
    };
    let (ts, tv, map) = finish_parse(p, state, false)?;
    let (index, elem) = (p.ctx.index(), ts.element_or_self(p.ctx));
    state.operands.push(p.resolve(source, ts)?);
    state.operands.extend(p.resolve_all(&indices, index)?);
    state.operands.push(p.resolve(padding, elem)?);
    let mask = resolve_mask(p, mask, ts, tv, &map)?;
    state.operands.extend(mask);
    let sizes = p
        .ctx
        .i32_array(&[1, indices.len() as i32, 1, i32::from(mask.is_some())]);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    state.result_types.push(tv);
    Ok(())
}

/// `%vector, %dest[%i, ...], %mask {attrs} : vector, dest`.
fn parse_write(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let vector = p.parse_operand()?;
    p.expect(T::Comma)?;
    let dest = p.parse_operand()?;
    let indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    let mask = if p.eat(T::Comma) {
        Some(p.parse_operand()?)
    } else {
        None
    };
    let (td, tv, map) = finish_parse(p, state, true)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(vector, tv)?);
    state.operands.push(p.resolve(dest, td)?);
    state.operands.extend(p.resolve_all(&indices, index)?);
    let mask = resolve_mask(p, mask, td, tv, &map)?;
    state.operands.extend(mask);
    let sizes = p
        .ctx
        .i32_array(&[1, 1, indices.len() as i32, i32::from(mask.is_some())]);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    if td.is_tensor(p.ctx) {
        state.result_types.push(td);
    }
    Ok(())
}

fn print_mask_and_attrs(p: &mut Printer, op: Op, map: Option<&AffineMap>, in_bounds: &[bool]) {
    if let Some(m) = one(p.ctx, op, "mask") {
        p.write(", ");
        p.value(m);
    }
    let mut elided = vec!["operandSegmentSizes"];
    if map.is_some_and(AffineMap::is_minor_identity) {
        elided.push("permutation_map");
    }
    if !in_bounds.contains(&true) {
        elided.push("in_bounds");
    }
    p.attr_dict(op, &elided, false);
    p.write(" : ");
}

fn print_base(p: &mut Printer, op: Op) {
    if let Some(b) = one(p.ctx, op, "base") {
        p.value(b);
    }
    p.write("[");
    p.values(&op.operand_group(p.ctx, "indices"));
    p.write("]");
}

fn print_read(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let r = TransferReadOp::wrap(op);
    p.write(" ");
    print_base(p, op);
    if let Some(v) = r.padding(ctx) {
        p.write(", ");
        p.value(v);
    }
    print_mask_and_attrs(p, op, r.permutation_map(ctx), &r.in_bounds(ctx));
    if let Some(b) = r.base(ctx) {
        p.types(&[b.ty(ctx), op.result(ctx, 0).ty(ctx)]);
    }
}

fn print_write(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let w = TransferWriteOp::wrap(op);
    p.write(" ");
    p.value(w.value(ctx));
    p.write(", ");
    print_base(p, op);
    print_mask_and_attrs(p, op, w.permutation_map(ctx), &w.in_bounds(ctx));
    if let Some(b) = w.base(ctx) {
        p.types(&[w.value(ctx).ty(ctx), b.ty(ctx)]);
    }
}

// ---- verification ----

fn verify_read(ctx: &Context, op: Op) -> Verified {
    let r = TransferReadOp::wrap(op);
    let (Some(base), Some(map), Some(padding)) =
        (r.base(ctx), r.permutation_map(ctx), r.padding(ctx))
    else {
        return Ok(());
    };
    let (ts, tv, tp) = (base.ty(ctx), op.result(ctx, 0).ty(ctx), padding.ty(ctx));
    num_indices(ctx, ts, r.indices(ctx).len())?;
    verify_transfer(ctx, op, ts, tv, map, r.mask(ctx), r.in_bounds(ctx).len())?;
    let elem = ts.element_or_self(ctx);
    if elem.is_vector(ctx) {
        if elem != tp {
            return Err("requires source element type and padding type to match.".into());
        }
    } else {
        if !tp.is_int_or_index(ctx) && !tp.is_float(ctx) {
            return Err("requires valid padding vector elemental type".into());
        }
        if tp != elem {
            return Err("requires formal padding and source of the same elemental type".into());
        }
    }
    verify_map(map)
}

fn verify_write(ctx: &Context, op: Op) -> Verified {
    let w = TransferWriteOp::wrap(op);
    let (Some(base), Some(map)) = (w.base(ctx), w.permutation_map(ctx)) else {
        return Ok(());
    };
    let ts = base.ty(ctx);
    num_indices(ctx, ts, w.indices(ctx).len())?;
    if map
        .results()
        .iter()
        .any(|e| matches!(e, AffineExpr::Constant(0)))
    {
        return Err("should not have broadcast dimensions".into());
    }
    let tv = w.value(ctx).ty(ctx);
    verify_transfer(ctx, op, ts, tv, map, w.mask(ctx), w.in_bounds(ctx).len())?;
    verify_map(map)
}

fn num_indices(ctx: &Context, source: Type, n: usize) -> Verified {
    let rank = source.rank(ctx).unwrap_or(0);
    if n != rank {
        return Err(format!("requires {rank} indices").into());
    }
    Ok(())
}

fn verify_transfer(
    ctx: &Context,
    op: Op,
    source: Type,
    vector: Type,
    map: &AffineMap,
    mask: Option<Value>,
    in_bounds: usize,
) -> Verified {
    if op.attr(ctx, "masked").is_some() {
        return Err("masked attribute has been removed. Use in_bounds instead.".into());
    }
    let Some(rank) = source.rank(ctx) else {
        return Err("requires source to be a memref or ranked tensor type".into());
    };
    let elem = source.element_or_self(ctx);
    let minor_bits = |t: Type| {
        let n = shape(ctx, t).last().copied().unwrap_or(1);
        element_bits(ctx, t.element_or_self(ctx)).and_then(|b| b.checked_mul(n))
    };
    let divides = |part: Option<i64>| match (minor_bits(vector), part) {
        (Some(v), Some(p)) => p > 0 && v % p == 0,
        _ => true,
    };
    let same_rank =
        "requires a permutation_map with result dims of the same rank as the vector type";
    if elem.is_vector(ctx) {
        if !divides(minor_bits(elem)) {
            return Err("requires the bitwidth of the minor 1-D vector to be an integral multiple of the bitwidth of the minor 1-D vector of the source".into());
        }
        let Some(offset) = shape(ctx, vector).len().checked_sub(shape(ctx, elem).len()) else {
            return Err("requires source vector element and vector result ranks to match.".into());
        };
        if map.results().len() != offset {
            return Err(same_rank.into());
        }
        if mask.is_some() {
            return Err("does not support masks with vector element type".into());
        }
    } else {
        if !divides(element_bits(ctx, elem)) {
            return Err("requires the bitwidth of the minor 1-D vector to be an integral multiple of the bitwidth of the source element type".into());
        }
        if map.results().len() != shape(ctx, vector).len() {
            return Err(same_rank.into());
        }
    }
    if map.num_symbols() != 0 {
        return Err("requires permutation_map without symbols".into());
    }
    if map.num_dims() as usize != rank {
        return Err(
            "requires a permutation_map with input dims of the same rank as the source type".into(),
        );
    }
    if let Some(m) = mask {
        let want = mask_type(ctx, vector, map);
        if m.ty(ctx) != want {
            return Err(format!(
                "inferred mask type ('{}') and mask operand type ('{}') don't match",
                ctx.type_text(want),
                ctx.type_text(m.ty(ctx))
            )
            .into());
        }
    }
    if map.results().len() != in_bounds {
        return Err(format!(
            "expects the in_bounds attr of same rank as permutation_map results: {} vs inBounds of size: {in_bounds}",
            ctx.attr_text(ctx.map_attr(map.clone()))
        )
        .into());
    }
    Ok(())
}

fn verify_map(map: &AffineMap) -> Verified {
    let mut seen = vec![false; map.num_dims() as usize];
    for e in map.results() {
        match e {
            AffineExpr::Constant(0) => {}
            AffineExpr::Dim(d) => {
                if seen
                    .get_mut(*d as usize)
                    .is_none_or(|s| std::mem::replace(s, true))
                {
                    return Err("requires a permutation_map that is a permutation (found one dim used more than once)".into());
                }
            }
            _ => {
                return Err("requires a projected permutation_map (at most one dim or the zero constant can appear in each result)".into());
            }
        }
    }
    Ok(())
}
