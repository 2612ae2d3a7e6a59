//! `affine.min` and `affine.max`: the least or greatest result of an affine map.

use super::ApplyOp;
use super::apply::{constants, print_with_map, with_constants};
use super::compose::{compose, simplify_by_ranges};
use super::syntax::{map_of, parse_map};
use terrace_ir::affine::{AffineExpr, AffineMap, Flattener};
use terrace_ir::constraint::{INDEX, MAP_ATTR};
use terrace_ir::opdef::{Fold, Verified};
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::{Attr, Builder, Context, Op, OpKind, OpState, Value, op};

op! {
    /// The least of the results of an affine map.
    MinOp = "affine.min" {
        operands: [operands: INDEX.variadic()],
        results: [result: INDEX],
        attrs: [map: MAP_ATTR],
        traits: PURE,
        custom: (parse, print_with_map),
        verify: verify,
        fold: |ctx, op, operands| fold(ctx, op, operands, false),
        canonicalize: canonicalize::<MinOp>,
    }

    /// The greatest of the results of an affine map.
    MaxOp = "affine.max" {
        operands: [operands: INDEX.variadic()],
        results: [result: INDEX],
        attrs: [map: MAP_ATTR],
        traits: PURE,
        custom: (parse, print_with_map),
        verify: verify,
        fold: |ctx, op, operands| fold(ctx, op, operands, true),
        canonicalize: canonicalize::<MaxOp>,
    }
}

macro_rules! accessors {
    ($t:ident) => {
        impl $t {
            /// The values of which the least or greatest is taken.
            pub fn map(self, ctx: &Context) -> &AffineMap {
                map_of(ctx, self.op(), "map")
            }

            /// Dimensions first, then symbols.
            pub fn operands(self, ctx: &Context) -> Vec<Value> {
                self.op().operands(ctx)
            }

            /// The op on operands of `map`, dimensions first, then symbols.
            pub fn build(b: &mut Builder, map: AffineMap, operands: &[Value]) -> Value {
                let index = b.ctx.index();
                let map = b.ctx.map_attr(map);
                b.value::<$t>(operands, index, &[("map", map)])
            }
        }
    };
}
accessors!(MinOp);
accessors!(MaxOp);

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let map = parse_map(p)?;
    let (dims, symbols) = p.parse_dim_and_symbol_operands()?;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, "map", map);
    p.parse_optional_attr_dict(state)?;
    let index = p.ctx.index();
    state.operands = p.resolve_all(&dims, index)?;
    state.operands.extend(p.resolve_all(&symbols, index)?);
    state.result_types.push(index);
    Ok(())
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let map = map_of(ctx, op, "map");
    if op.num_operands(ctx) != map.num_inputs() {
        return Err("operand count and affine map dimension and symbol count must match".into());
    }
    if map.num_results() == 0 {
        return Err("affine map expect at least one result".into());
    }
    Ok(())
}

fn fold(ctx: &Context, op: Op, operands: &[Option<Attr>], is_max: bool) -> Fold {
    let old = map_of(ctx, op, "map");
    let map = with_constants(old, &constants(ctx, operands));
    if let [AffineExpr::Symbol(i)] = map.results() {
        return Fold::value(op.operand(ctx, (map.num_dims() + i) as usize));
    }
    if let Some(values) = map.constant_results() {
        let best = if is_max {
            values.iter().max()
        } else {
            values.iter().min()
        };
        return Fold::maybe(best.map(|v| ctx.index_attr(*v)));
    }
    if map == *old {
        return Fold::No;
    }
    op.set_attr(ctx, "map", ctx.map_attr(map));
    Fold::InPlace
}

fn canonicalize<K: OpKind>(set: &mut PatternSet) {
    set.add::<K>(single_result);
    set.add::<K>(|rw, op| {
        let map = map_of(rw.ctx, op, "map");
        let new = map.remove_duplicate_results();
        new.num_results() != map.num_results() && set_map(rw, op, new, None)
    });
    set.add::<K>(merge_producers::<K>);
    set.add::<K>(|rw, op| {
        let old = map_of(rw.ctx, op, "map");
        let operands = op.operands(rw.ctx);
        let new = compose(rw.ctx, old, &operands);
        let map = simplify_by_ranges(rw.ctx, &new.map, &new.operands);
        let same = map == *old && new.operands == operands;
        !same && set_map(rw, op, map, Some(&new.operands))
    });
    set.add::<K>(|rw, op| match sorted_results(map_of(rw.ctx, op, "map")) {
        Some(map) => set_map(rw, op, map, None),
        None => false,
    });
}

fn set_map(rw: &mut Rewriter, op: Op, map: AffineMap, operands: Option<&[Value]>) -> bool {
    let map = rw.ctx.map_attr(map);
    if let Some(v) = operands {
        rw.set_operands(op, v);
    }
    rw.set_attr(op, "map", map);
    true
}

/// The least of one is that one.
fn single_result(rw: &mut Rewriter, op: Op) -> bool {
    let map = map_of(rw.ctx, op, "map");
    if map.num_results() != 1 {
        return false;
    }
    let map = map.clone();
    let operands = op.operands(rw.ctx);
    let v = ApplyOp::build(rw, map, &operands);
    rw.replace_op(op, &[v]);
    true
}

/// A result that is just the value of another op of the same kind gives way to the
/// results of that op's map.
fn merge_producers<K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let map = map_of(ctx, op, "map");
    let operands = op.operands(ctx);
    if operands.len() != map.num_inputs() {
        return false;
    }
    let (dims, symbols) = operands.split_at(map.num_dims() as usize);
    let (mut dims, mut symbols) = (dims.to_vec(), symbols.to_vec());
    let mut results = Vec::new();
    let mut producers = Vec::new();
    for e in map.results() {
        let v = match e {
            AffineExpr::Dim(i) => dims.get(*i as usize),
            AffineExpr::Symbol(i) => symbols.get(*i as usize),
            _ => None,
        };
        match v.and_then(|v| v.def_op()).filter(|d| d.isa::<K>(ctx)) {
            Some(p) => producers.push(p),
            None => results.push(e.clone()),
        }
    }
    if producers.is_empty() {
        return false;
    }
    for p in producers {
        let inner = map_of(ctx, p, "map");
        let values = p.operands(ctx);
        if values.len() != inner.num_inputs() {
            return false;
        }
        let shifted = inner
            .shift_dims(dims.len() as u32)
            .shift_symbols(symbols.len() as u32);
        results.extend(shifted.results().iter().cloned());
        let (d, s) = values.split_at(inner.num_dims() as usize);
        dims.extend(d);
        symbols.extend(s);
    }
    let merged = AffineMap::new(dims.len() as u32, symbols.len() as u32, results);
    dims.extend(symbols);
    set_map(rw, op, merged, Some(&dims))
}

/// The results in the order of their coefficients; `None` where they are so already
/// or are not linear.
fn sorted_results(map: &AffineMap) -> Option<AffineMap> {
    let mut rows = Vec::new();
    for e in map.results() {
        if !e.is_pure_affine() {
            return None;
        }
        let mut f = Flattener::new(map.num_dims(), map.num_symbols());
        let row = f.flatten(e).ok()?;
        if !f.locals().is_empty() {
            return None;
        }
        let mut key: Vec<i64> = (0..map.num_inputs()).map(|c| row.coefficient(c)).collect();
        key.push(row.constant);
        rows.push((key, e.clone()));
    }
    if rows.is_sorted_by(|a, b| a.0 <= b.0) {
        return None;
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let results = rows.into_iter().map(|r| r.1).collect();
    Some(AffineMap::new(map.num_dims(), map.num_symbols(), results))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_sorted_by_coefficients() {
        let (d0, d1) = (AffineExpr::dim(0), AffineExpr::dim(1));
        let map = AffineMap::new(
            2,
            0,
            vec![
                d0.clone() + d1.clone(),
                d1.clone() + 16,
                AffineExpr::constant(32),
            ],
        );
        let sorted = sorted_results(&map).map(|m| m.to_string());
        assert_eq!(
            sorted.as_deref(),
            Some("(d0, d1) -> (32, d1 + 16, d0 + d1)")
        );
    }
}
