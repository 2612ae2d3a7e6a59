//! `affine.vector_load`, `affine.vector_store` and `affine.prefetch`.

use super::access::{Access, accessors, simplify_map};
use super::access_fold::fold_cast;
use super::access_syntax::{print_load, print_store, print_target, verify_subscripts};
use super::scope::all_affine;
use super::syntax::{at_name, map_of, parse_bare_memref_type, parse_memref_type};
use terrace_ir::affine::AffineMap;
use terrace_ir::constraint::{
    AttrConstraint, AttrSyntax, BOOL_ATTR, INDEX, MAP_ATTR, MEMREF, TypeConstraint,
};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Type, Value, op};

const RANKED_VECTOR: TypeConstraint = TypeConstraint::new("vector of any type values", |c, t| {
    t.is_vector(c) && t.rank(c).is_some_and(|r| r > 0)
});

const LOCALITY: AttrConstraint = AttrConstraint::new(
    "32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3",
    |c, a| a.typed(c) == Some(c.i32()) && a.as_i64(c).is_some_and(|v| (0..=3).contains(&v)),
)
.syntax(AttrSyntax::Typed(|c| c.i32()));

op! {
    /// Consecutive elements of a memref from the results of an affine map on, along
    /// the last dimensions, as a vector.
    VectorLoadOp = "affine.vector_load" {
        operands: [memref: MEMREF, indices: INDEX.variadic()],
        results: [result: RANKED_VECTOR],
        attrs: [map: MAP_ATTR],
        custom: (parse_vector_load, print_vector_load),
        verify: |ctx, op| verify_vector(ctx, op, 0),
        canonicalize: simplify_map::<VectorLoadOp>,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) }],
    }

    /// Stores a vector to consecutive elements of a memref from the results of an
    /// affine map on.
    VectorStoreOp = "affine.vector_store" {
        operands: [value: RANKED_VECTOR, memref: MEMREF, indices: INDEX.variadic()],
        attrs: [map: MAP_ATTR],
        custom: (parse_vector_store, print_vector_store),
        verify: |ctx, op| verify_vector(ctx, op, 1),
        canonicalize: simplify_map::<VectorStoreOp>,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Write, on: Some(op.operand(ctx, 1)) }],
    }

    /// A hint that an element of a memref will be read or written soon. Locality 3
    /// asks to keep it in all caches, 0 in none.
    PrefetchOp = "affine.prefetch" {
        operands: [memref: MEMREF, indices: INDEX.variadic()],
        attrs: [
            isWrite: BOOL_ATTR,
            localityHint: LOCALITY,
            isDataCache: BOOL_ATTR,
            map: MAP_ATTR,
        ],
        custom: (parse_prefetch, print_prefetch),
        verify: verify_prefetch,
        fold: fold_cast,
        canonicalize: simplify_map::<PrefetchOp>,
    }
}

accessors!(VectorLoadOp);
accessors!(VectorStoreOp);
accessors!(PrefetchOp);

impl VectorLoadOp {}

impl VectorStoreOp {}

/// `: memref-type, vector-type`.
fn parse_types(p: &mut OpParser) -> PResult<(Type, Type)> {
    let (memref, _) = parse_memref_type(p)?;
    p.expect(T::Comma)?;
    let pos = p.pos();
    let vector = p.parse_type()?;
    if !vector.is_vector(p.ctx) {
        return Err(p.error(pos, "invalid kind of type specified"));
    }
    Ok((memref, vector))
}

fn parse_vector_load(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let memref = p.parse_operand()?;
    let (map, operands) = p.parse_map_of_operands(T::LSquare, T::RSquare)?;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
    p.parse_optional_attr_dict(state)?;
    let (ty, vector) = parse_types(p)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(memref, ty)?);
    state.operands.extend(p.resolve_all(&operands, index)?);
    state.result_types.push(vector);
    Ok(())
}

fn print_vector_load(p: &mut Printer, op: Op) {
    print_load(p, op);
    p.write(", ");
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}

fn parse_vector_store(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let value = p.parse_operand()?;
    p.expect(T::Comma)?;
    let memref = p.parse_operand()?;
    let (map, operands) = p.parse_map_of_operands(T::LSquare, T::RSquare)?;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
    p.parse_optional_attr_dict(state)?;
    let (ty, vector) = parse_types(p)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(value, vector)?);
    state.operands.push(p.resolve(memref, ty)?);
    state.operands.extend(p.resolve_all(&operands, index)?);
    Ok(())
}

fn print_vector_store(p: &mut Printer, op: Op) {
    print_store(p, op);
    p.write(", ");
    p.ty(op.operand(p.ctx, 0).ty(p.ctx));
}

fn verify_vector(ctx: &Context, op: Op, memref_index: usize) -> Verified {
    verify_subscripts(ctx, op, memref_index)?;
    let memref = op.operand(ctx, memref_index).ty(ctx);
    let vector = if memref_index == 0 {
        op.result(ctx, 0)
    } else {
        op.operand(ctx, 0)
    };
    if memref.element(ctx) != vector.ty(ctx).element(ctx) {
        return Err("requires memref and vector types of the same elemental type".into());
    }
    Ok(())
}

/// `%m[SUBSCRIPTS], read|write, locality<N>, data|instr : memref-type`.
fn parse_prefetch(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let memref = p.parse_operand()?;
    let (map, operands) = p.parse_map_of_operands(T::LSquare, T::RSquare)?;
    p.expect(T::Comma)?;
    let access = p.parse_keyword()?;
    p.expect(T::Comma)?;
    p.expect_keyword("locality")?;
    p.expect(T::Less)?;
    let (i32, pos) = (p.ctx.i32(), p.pos());
    let hint = p.parse_attr_of(Some(i32))?;
    if hint.as_int(p.ctx).is_none() {
        return Err(p.error(pos, "invalid kind of attribute specified"));
    }
    p.expect(T::Greater)?;
    p.expect(T::Comma)?;
    let cache = p.parse_keyword()?;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
    state.set_attr(p.ctx, "localityHint", hint);
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let (ty, _) = parse_bare_memref_type(p)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(memref, ty)?);
    state.operands.extend(p.resolve_all(&operands, index)?);
    if !matches!(access, "read" | "write") {
        return Err(at_name(
            p,
            state,
            "rw specifier has to be 'read' or 'write'",
        ));
    }
    if !matches!(cache, "data" | "instr") {
        return Err(at_name(p, state, "cache type has to be 'data' or 'instr'"));
    }
    let (write, data) = (
        p.ctx.bool_attr(access == "write"),
        p.ctx.bool_attr(cache == "data"),
    );
    state.set_attr(p.ctx, "isWrite", write);
    state.set_attr(p.ctx, "isDataCache", data);
    Ok(())
}

fn print_prefetch(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let operands = op.operands(ctx);
    let flag = |name: &str| {
        op.attr(ctx, name)
            .and_then(|a| a.as_bool(ctx))
            .unwrap_or(false)
    };
    p.write(" ");
    print_target(p, op, &operands);
    p.write(if flag("isWrite") { ", write" } else { ", read" });
    p.fmt(format_args!(
        ", locality<{}>",
        op.int_attr(ctx, "localityHint").unwrap_or(0)
    ));
    p.write(if flag("isDataCache") {
        ", data"
    } else {
        ", instr"
    });
    p.attr_dict(
        op,
        &["map", "localityHint", "isDataCache", "isWrite"],
        false,
    );
    p.write(" : ");
    p.ty(operands[0].ty(ctx));
}

fn verify_prefetch(ctx: &Context, op: Op) -> Verified {
    let map = map_of(ctx, op, "map");
    let operands = op.operands(ctx);
    if Some(map.num_results()) != operands[0].ty(ctx).rank(ctx) {
        return Err("affine.prefetch affine map num results must equal memref rank".into());
    }
    if map.num_inputs() + 1 != operands.len() {
        return Err("too few operands".into());
    }
    if !all_affine(ctx, op, &operands[1..]) {
        return Err("index must be a valid dimension or symbol identifier".into());
    }
    Ok(())
}
