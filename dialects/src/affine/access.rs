//! Ops that access a memref through an affine map, and one view of them all.

use super::access_syntax::{
    parse_load, parse_store, print_load, print_store, verify_load, verify_store,
};
use super::compose::{compose, simplify_by_ranges};
use super::syntax::map_of;
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::constraint::{ANY, INDEX, MAP_ATTR, MEMREF};
use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::rewrite::PatternSet;
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

op! {
    /// The element of a memref at the results of an affine map.
    LoadOp = "affine.load" {
        operands: [memref: MEMREF, indices: INDEX.variadic()],
        results: [result: ANY],
        attrs: [map: MAP_ATTR],
        custom: (parse_load, print_load),
        verify: verify_load,
        fold: super::access_fold::fold_load,
        canonicalize: simplify_map::<LoadOp>,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) }],
    }

    /// Stores a value into a memref at the results of an affine map.
    StoreOp = "affine.store" {
        operands: [value: ANY, memref: MEMREF, indices: INDEX.variadic()],
        attrs: [map: MAP_ATTR],
        custom: (parse_store, print_store),
        verify: verify_store,
        fold: super::access_fold::fold_cast,
        canonicalize: simplify_map::<StoreOp>,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Write, on: Some(op.operand(ctx, 1)) }],
    }
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It loads.
    Read,
    /// It stores.
    Write,
    /// Brings memory closer and changes nothing.
    Prefetch,
}

/// Any op that touches a memref at the results of one affine map: load, store, their
/// vector forms, prefetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The op that makes the access.
    pub op: Op,
    /// What it does.
    pub kind: AccessKind,
    /// The memref touched.
    pub memref: Value,
    /// Where `memref` stands among the operands of `op`.
    pub memref_index: usize,
    /// One result per dimension of the memref.
    pub map: AffineMap,
    /// Dimensions first, then symbols.
    pub operands: Vec<Value>,
    /// The type of the vector moved; `None` for a single element. A vector covers
    /// consecutive positions along the last dimensions.
    pub vector: Option<Type>,
}

impl Access {
    /// The access that `op` is, if it is one.
    pub fn of(ctx: &Context, op: Op) -> Option<Access> {
        let (kind, memref_index) = match op.name(ctx) {
            "affine.load" | "affine.vector_load" => (AccessKind::Read, 0),
            "affine.store" | "affine.vector_store" => (AccessKind::Write, 1),
            "affine.prefetch" => (AccessKind::Prefetch, 0),
            _ => return None,
        };
        let operands = op.operands(ctx);
        let vector = match op.name(ctx) {
            "affine.vector_load" => Some(op.result(ctx, 0).ty(ctx)),
            "affine.vector_store" => Some(operands.first()?.ty(ctx)),
            _ => None,
        };
        Some(Access {
            op,
            kind,
            memref: *operands.get(memref_index)?,
            memref_index,
            map: map_of(ctx, op, "map").clone(),
            operands: operands.get(memref_index + 1..)?.to_vec(),
            vector,
        })
    }

    /// Every access inside `root`, in the order of the text.
    pub fn all(ctx: &Context, root: Op) -> Vec<Access> {
        let mut v = Vec::new();
        root.walk(ctx, &mut |op| v.extend(Access::of(ctx, op)));
        v
    }

    /// The value stored.
    pub fn stored(&self, ctx: &Context) -> Option<Value> {
        (self.kind == AccessKind::Write).then(|| self.op.operand(ctx, 0))
    }

    /// The subscripts over induction variables and symbols alone, where every
    /// operand is affine in such: each `affine.apply` is composed into the map.
    pub fn composed(&self, ctx: &Context) -> ValueMap<Value> {
        compose(ctx, &self.map, &self.operands)
    }

    /// Change the subscripts of the op.
    pub fn set_subscripts(ctx: &Context, op: Op, map: AffineMap, operands: &[Value]) {
        let Some(a) = Access::of(ctx, op) else { return };
        let mut all = op.operands(ctx);
        all.truncate(a.memref_index + 1);
        all.extend(operands);
        op.set_operands(ctx, &all);
        op.set_attr(ctx, "map", ctx.map_attr(map));
    }
}

macro_rules! accessors {
    ($t:ident) => {
        impl $t {
            /// The subscripts as a function of the operands.
            pub fn map(self, ctx: &Context) -> &AffineMap {
                map_of(ctx, self.op(), "map")
            }

            /// The operands of the map, dimensions first.
            pub fn map_operands(self, ctx: &Context) -> Vec<Value> {
                self.op().operand_group(ctx, "indices")
            }

            /// The memref accessed.
            pub fn memref(self, ctx: &Context) -> Value {
                self.op().operand_group(ctx, "memref")[0]
            }

            /// The view of this op that all accesses share.
            pub fn access(self, ctx: &Context) -> Option<Access> {
                Access::of(ctx, self.op())
            }
        }
    };
}

pub(super) use accessors;

accessors!(LoadOp);
accessors!(StoreOp);

impl LoadOp {
    /// The element loaded.
    pub fn result(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    /// A load; the memref must be ranked.
    pub fn build(b: &mut Builder, memref: Value, map: AffineMap, operands: &[Value]) -> Value {
        let ty = memref.ty(b.ctx).element_or_self(b.ctx);
        let map = b.ctx.map_attr(map);
        b.value::<LoadOp>(&[&[memref], operands].concat(), ty, &[("map", map)])
    }

    /// A load with one index value per dimension.
    pub fn build_at(b: &mut Builder, memref: Value, indices: &[Value]) -> Value {
        Self::build(b, memref, identity(indices.len()), indices)
    }
}

impl StoreOp {
    /// The element stored.
    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Store `value` at the results of `map`, whose operands are dimensions, then symbols.
    pub fn build(
        b: &mut Builder,
        value: Value,
        memref: Value,
        map: AffineMap,
        operands: &[Value],
    ) -> StoreOp {
        let map = b.ctx.map_attr(map);
        let all = [&[value, memref], operands].concat();
        StoreOp::wrap(b.op::<StoreOp>(&all, &[], &[("map", map)]))
    }

    /// A store with one index value per dimension.
    pub fn build_at(b: &mut Builder, value: Value, memref: Value, indices: &[Value]) -> StoreOp {
        Self::build(b, value, memref, identity(indices.len()), indices)
    }
}

/// The identity on `n` subscripts.
fn identity(n: usize) -> AffineMap {
    u32::try_from(n).map_or_else(|_| AffineMap::empty(), AffineMap::identity)
}

/// Compose and simplify the subscripts of an access.
pub(super) fn simplify_map<K: OpKind>(set: &mut PatternSet) {
    set.add::<K>(|rw, op| {
        let Some(a) = Access::of(rw.ctx, op) else {
            return false;
        };
        let new = a.composed(rw.ctx);
        let map = simplify_by_ranges(rw.ctx, &new.map, &new.operands);
        if map == a.map && new.operands == a.operands {
            return false;
        }
        let mut all = op.operands(rw.ctx);
        all.truncate(a.memref_index + 1);
        all.extend(new.operands);
        let map = rw.ctx.map_attr(map);
        rw.set_operands(op, &all);
        rw.set_attr(op, "map", map);
        true
    });
}
