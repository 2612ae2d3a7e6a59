//! `affine.apply`: the value of an affine map.

use super::compose::{compose, simplify_by_ranges};
use super::scope::{affine_scope, is_valid_dim, is_valid_symbol};
use super::syntax::{at_name, map_of, parse_dims_and_symbols, parse_map};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::constraint::{INDEX, MAP_ATTR};
use terrace_ir::opdef::{Fold, Invalid, Verified};
use terrace_ir::rewrite::PatternSet;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, OpState, Value, op};

op! {
    /// The one result of an affine map at the given dimensions and symbols.
    ApplyOp = "affine.apply" {
        operands: [mapOperands: INDEX.variadic()],
        results: [result: INDEX],
        attrs: [map: MAP_ATTR],
        traits: PURE,
        custom: (parse, print),
        verify: verify,
        fold: fold,
        canonicalize: canonicalize,
    }
}

impl ApplyOp {
    /// What is computed, a map of one result.
    pub fn map(self, ctx: &Context) -> &AffineMap {
        map_of(ctx, self.op(), "map")
    }

    /// Dimensions first, then symbols.
    pub fn operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx)
    }

    /// The value of type `index`.
    pub fn result(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    /// Apply a map of one result to operands, dimensions first, then symbols.
    pub fn build(b: &mut Builder, map: AffineMap, operands: &[Value]) -> Value {
        let index = b.ctx.index();
        let map = b.ctx.map_attr(map);
        b.value::<ApplyOp>(operands, index, &[("map", map)])
    }

    /// As [`Self::build`] after composition with the maps behind the operands; a
    /// plain dimension or symbol makes no op.
    pub fn build_composed(b: &mut Builder, map: &AffineMap, operands: &[Value]) -> Value {
        let ValueMap { map, operands } = compose(b.ctx, map, operands);
        match map.results() {
            [AffineExpr::Dim(i)] => operands[*i as usize],
            [AffineExpr::Symbol(i)] => operands[(map.num_dims() + i) as usize],
            _ => ApplyOp::build(b, map, &operands),
        }
    }
}

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let map = parse_map(p)?;
    let (operands, dims) = parse_dims_and_symbols(p)?;
    p.parse_optional_attr_dict(state)?;
    if map.num_dims() as usize != dims || map.num_inputs() != operands.len() {
        return Err(at_name(p, state, "dimension or symbol index mismatch"));
    }
    state.result_types = vec![p.ctx.index(); map.num_results()];
    state.operands = operands;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    print_with_map(p, op);
}

/// ` #map(%i)[%n] {...}` for ops whose operands are all the map's.
pub(super) fn print_with_map(p: &mut Printer, op: Op) {
    p.write(" ");
    if let Some(a) = op.attr(p.ctx, "map") {
        p.attr(a);
    }
    let dims = map_of(p.ctx, op, "map").num_dims() as usize;
    p.dims_and_symbols(&op.operands(p.ctx), dims);
    p.attr_dict(op, &["map"], false);
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let map = map_of(ctx, op, "map");
    let operands = op.operands(ctx);
    if operands.len() != map.num_inputs() {
        return Err("operand count and affine map dimension and symbol count must match".into());
    }
    if map.num_results() != 1 {
        return Err("mapping must produce one value".into());
    }
    let scope = affine_scope(ctx, op);
    for v in &operands[map.num_dims() as usize..] {
        if !is_valid_symbol(ctx, *v, scope) && is_valid_dim(ctx, *v, scope) {
            return Err(Invalid::plain(
                "dimensional operand cannot be used as a symbol",
            ));
        }
    }
    Ok(())
}

/// The values of constant operands.
pub(super) fn constants(ctx: &Context, operands: &[Option<Attr>]) -> Vec<Option<i64>> {
    operands
        .iter()
        .map(|a| a.and_then(|a| a.as_i64(ctx)))
        .collect()
}

/// `map` with its constant operands put in; the numbers of inputs stay.
pub(super) fn with_constants(map: &AffineMap, values: &[Option<i64>]) -> AffineMap {
    if values.len() != map.num_inputs() || values.iter().all(Option::is_none) {
        return map.clone();
    }
    let (d, s) = values.split_at(map.num_dims() as usize);
    let put = |v: &[Option<i64>], leaf: fn(u32) -> AffineExpr| -> Vec<AffineExpr> {
        (0..)
            .zip(v)
            .map(|(i, c)| c.map_or(leaf(i), AffineExpr::Constant))
            .collect()
    };
    map.replace_dims_and_symbols(
        &put(d, AffineExpr::Dim),
        &put(s, AffineExpr::Symbol),
        map.num_dims(),
        map.num_symbols(),
    )
}

fn fold(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    let map = map_of(ctx, op, "map");
    if map.num_inputs() != operands.len() {
        return Fold::No;
    }
    match map.results() {
        [AffineExpr::Dim(i)] => Fold::value(op.operand(ctx, *i as usize)),
        [AffineExpr::Symbol(i)] => Fold::value(op.operand(ctx, (map.num_dims() + i) as usize)),
        [_] => {
            let map = with_constants(map, &constants(ctx, operands));
            Fold::maybe(map.single_constant().map(|v| ctx.index_attr(v)))
        }
        _ => Fold::No,
    }
}

fn canonicalize(set: &mut PatternSet) {
    set.add::<ApplyOp>(|rw, op| {
        let old = map_of(rw.ctx, op, "map");
        let operands = op.operands(rw.ctx);
        let new = compose(rw.ctx, old, &operands);
        let map = simplify_by_ranges(rw.ctx, &new.map, &new.operands);
        if map == *old && new.operands == operands {
            return false;
        }
        let map = rw.ctx.map_attr(map);
        rw.set_operands(op, &new.operands);
        rw.set_attr(op, "map", map);
        true
    });
}
