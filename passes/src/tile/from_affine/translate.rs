//! The block's code: what iterations do, on tiles.

use super::find::{Inner, Nest, Side, statements};
use super::memory::{Key, Memory};
use super::policy::{Tiling, element_bytes};
use super::subscripts::{Base, Counter, Subscripts, subscripts};
use crate::loops::build::index::{add_constant, constant, sub};
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{self, Access, AccessKind, compose::compose};
use terrace_dialects::arith::{self, AtomicRmwKind};
use terrace_dialects::attributes::TILE_LAYOUT;
use terrace_dialects::tile::{self, Bound, TileAccess};
use terrace_dialects::{scf, vector};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::builder::OpState;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};
use terrace_layout::Layout;

/// What a value of an iteration is in the block.
#[derive(Debug, Clone)]
struct Held {
    value: Value,
    /// The axes that it differs along; none for a number that all elements share.
    axes: Vec<usize>,
}

/// A dimension of tiles.
#[derive(Debug, Clone, Copy)]
struct Axis {
    size: i64,
    bound: Bound,
    /// Where elements begin to exist: what `bound.lower` is, as a number.
    from: i64,
}

/// Makes the code of a block.
pub(super) struct Translate<'n> {
    nest: &'n Nest,
    tiling: &'n Tiling,
    counters: FxHashMap<Value, Counter>,
    values: FxHashMap<Value, Held>,
    axes: Vec<Axis>,
    /// Numbers that are multiples of the length of an access.
    multiples: Vec<Value>,
    memory: Memory,
    /// Layouts of tiles by their axes.
    layouts: FxHashMap<Vec<usize>, String>,
}

impl<'n> Translate<'n> {
    /// For the body of blocks whose counters are `blocks`.
    pub fn new(b: &mut Builder, nest: &'n Nest, tiling: &'n Tiling, blocks: &[Value]) -> Self {
        let mut t = Translate {
            nest,
            tiling,
            counters: FxHashMap::default(),
            values: FxHashMap::default(),
            axes: Vec::new(),
            multiples: Vec::new(),
            memory: Memory::default(),
            layouts: FxHashMap::default(),
        };
        for ((level, size), block) in nest.levels.iter().zip(&tiling.sizes).zip(blocks) {
            if *size == 1 {
                t.counters.insert(level.iv, Counter::Scalar(*block));
                continue;
            }
            let whole = level.extent().is_some_and(|n| n % size == 0);
            let upper = (!whole).then(|| {
                let end = side(b, &level.upper);
                sub(b, end, *block)
            });
            let counter = Counter::Axis {
                axis: t.axes.len(),
                base: Base::Value(*block),
            };
            t.counters.insert(level.iv, counter);
            if level.lower.as_constant().is_some_and(|n| n % tiling.vector == 0) && size % tiling.vector == 0 {
                t.multiples.push(*block);
            }
            let bound = Bound { lower: None, upper };
            t.axes.push(Axis {
                size: *size,
                bound,
                from: 0,
            });
        }
        t
    }

    /// Writes the whole body. `None` where something cannot be done on tiles after all.
    pub fn all(&mut self, b: &mut Builder) -> Option<()> {
        for op in self.nest.between.clone() {
            self.op(b, op)?;
        }
        for op in statements(b.ctx, self.nest.body) {
            let inner = self.nest.inner.iter().find(|l| l.op == op);
            match inner {
                Some(l) if self.tiling.streamed => self.pieces(b, l)?,
                Some(l) => self.row(b, l)?,
                None => self.op(b, op)?,
            }
        }
        Some(())
    }

    // ---- loops inside ----

    /// The axis of the row, which begins at `base` and of which elements exist from `from` on.
    fn open_row(&mut self, b: &mut Builder, l: &Inner, base: Base, from: i64) -> usize {
        let size = self.tiling.row.unwrap_or(1);
        let end = side(b, &l.level.upper);
        let whole = match (b.ctx.constant_int(end), base) {
            (Some(n), Base::Constant(c)) => n - c == size,
            (Some(n), Base::Value(_)) => n % size == 0,
            _ => false,
        };
        let upper = (!whole).then(|| match base {
            Base::Constant(n) => add_constant(b, end, -n),
            Base::Value(v) => sub(b, end, v),
        });
        let lower = (from > 0).then(|| constant(b, from));
        let axis = self.axes.len();
        self.axes.push(Axis {
            size,
            bound: Bound { lower, upper },
            from,
        });
        self.counters.insert(l.level.iv, Counter::Axis { axis, base });
        axis
    }

    /// A loop whose iterations are one tile.
    fn row(&mut self, b: &mut Builder, l: &Inner) -> Option<()> {
        let first = self.first();
        let from = l.level.lower.as_constant()? - first;
        let axis = self.open_row(b, l, Base::Constant(first), from);
        for op in statements(b.ctx, l.op.region(b.ctx, 0).blocks(b.ctx)[0]) {
            if !l.reductions.iter().any(|r| r.combiner == op) {
                self.op(b, op)?;
            }
        }
        for (r, (init, result)) in l.reductions.iter().zip(carried(b.ctx, l.op)) {
            let given = self.held(b.ctx, r.contribution)?;
            let init = self.held(b.ctx, init)?;
            let folded = self.fold(b, r.kind, &given, &init, axis)?;
            self.values.insert(result, folded);
        }
        self.axes.pop();
        Some(())
    }

    /// Folds a tile along one of its axes.
    fn fold(&mut self, b: &mut Builder, kind: AtomicRmwKind, given: &Held, init: &Held, axis: usize) -> Option<Held> {
        let mut axes = union(&given.axes, &init.axes);
        let kept = axes.clone();
        if !axes.contains(&axis) {
            axes.push(axis);
        }
        let kept: Vec<usize> = kept.into_iter().filter(|a| *a != axis).collect();
        let tile = self.spread(b, given, &axes)?;
        let init = self.spread(b, init, &kept)?;
        let at = axes.iter().position(|a| *a == axis)?;
        let bounds = self.bounds(&axes);
        let value = tile::ReduceOp::build(b, kind, tile, init, &[at as i64], &bounds, true);
        self.mark(b, value, &kept);
        Some(Held { value, axes: kept })
    }

    /// A loop that goes through its iterations piece by piece.
    fn pieces(&mut self, b: &mut Builder, l: &Inner) -> Option<()> {
        self.memory.forget();
        let first = self.first();
        let size = self.tiling.row?;
        let start = constant(b, first);
        let end = side(b, &l.level.upper);
        let step = constant(b, size);
        let axis = self.axes.len();
        let carried = carried(b.ctx, l.op);
        let mut inits = Vec::new();
        let mut axes: Vec<usize> = (0..axis).filter(|a| self.axes[*a].size > 1).collect();
        axes.push(axis);
        // What is summed up differs along the row, so the row's axis is there already.
        let shape: Vec<i64> = (axes.iter())
            .map(|a| self.axes.get(*a).map_or(size, |x| x.size))
            .collect();
        for r in &l.reductions {
            let ty = r.contribution.ty(b.ctx);
            let tile = b.ctx.vector(&shape, ty);
            let identity = r.kind.identity(b.ctx, tile)?;
            inits.push(b.value::<arith::ConstantOp>(&[], tile, &[("value", identity)]));
        }
        let (op, body) = scf::ForOp::build(b, start, end, step, &inits);
        let results = op.op().results(b.ctx);
        let counter = body.arg(b.ctx, 0);
        let from = l.level.lower.as_constant()? - first;
        let at = InsertPoint::End(body);
        let done = b.with_point(at, |b| {
            let lower = (from > 0).then(|| {
                // Only the first piece has elements in front of the first.
                let (lower, zero) = (constant(b, first + from), constant(b, 0));
                let less = sub(b, lower, counter);
                crate::loops::build::index::max(b, less, zero)
            });
            self.multiples.push(counter);
            self.open_row(b, l, Base::Value(counter), 0);
            if let Some(a) = self.axes.last_mut() {
                a.bound.lower = lower;
            }
            for op in statements(b.ctx, l.op.region(b.ctx, 0).blocks(b.ctx)[0]) {
                if !l.reductions.iter().any(|r| r.combiner == op) {
                    self.op(b, op)?;
                }
            }
            let mut next = Vec::new();
            for (i, r) in l.reductions.iter().enumerate() {
                let given = self.held(b.ctx, r.contribution)?;
                let new = self.spread(b, &given, &axes)?;
                let old = body.arg(b.ctx, i + 1);
                let sum = r.kind.combine(b, old, new, old.ty(b.ctx));
                self.flags(b, sum, r.combiner);
                let bounds = self.bounds(&axes);
                let exists = tile::MaskOp::build(b, &shape, &bounds);
                self.mark(b, exists, &axes);
                let ty = sum.ty(b.ctx);
                next.push(b.value::<arith::SelectOp>(&[exists, sum, old], ty, &[]));
            }
            scf::YieldOp::build(b, &next);
            Some(())
        });
        done?;
        self.axes.pop();
        self.multiples.pop();
        self.memory.forget();
        for (i, (r, (init, result))) in l.reductions.iter().zip(carried).enumerate() {
            let init = self.held(b.ctx, init)?;
            // All of the accumulators' elements take part.
            self.axes.push(Axis {
                size,
                bound: Bound::default(),
                from: 0,
            });
            let given = Held {
                value: results[i],
                axes: axes.clone(),
            };
            let folded = self.fold(b, r.kind, &given, &init, axis)?;
            self.axes.pop();
            self.values.insert(result, folded);
        }
        Some(())
    }

    fn first(&self) -> i64 {
        let least = self.nest.inner.iter().filter_map(|l| l.level.lower.as_constant()).min();
        let least = least.unwrap_or(0);
        least - least % self.tiling.vector.max(4)
    }

    // ---- ops ----

    fn op(&mut self, b: &mut Builder, op: Op) -> Option<()> {
        b.loc = op.loc(b.ctx);
        if let Some(a) = Access::of(b.ctx, op) {
            return match a.kind {
                AccessKind::Read => self.load(b, &a),
                _ => self.store(b, &a),
            };
        }
        if op.isa::<affine::ApplyOp>(b.ctx) {
            let apply = affine::ApplyOp::wrap(op);
            let m = compose(b.ctx, apply.map(b.ctx), &apply.operands(b.ctx));
            let e = m.map.result(0)?.clone();
            let held = self.expr(b, &e, &m)?;
            self.values.insert(op.result(b.ctx, 0), held);
            return Some(());
        }
        let operands: Option<Vec<Held>> = (op.operands(b.ctx).into_iter())
            .map(|v| self.data(b, v))
            .collect();
        let operands = operands?;
        let axes = operands.iter().fold(Vec::new(), |all, o| union(&all, &o.axes));
        if axes.is_empty() {
            let mut map = IrMapping::new();
            for (old, new) in op.operands(b.ctx).into_iter().zip(&operands) {
                map.map(old, new.value);
            }
            let new = clone_op(b.ctx, op, &mut map);
            b.insert(new);
            for (old, new) in op.results(b.ctx).into_iter().zip(new.results(b.ctx)) {
                self.values.insert(old, Held { value: new, axes: Vec::new() });
            }
            return Some(());
        }
        let mut s = OpState::like(b.ctx, op);
        for o in &operands {
            let v = self.spread(b, o, &axes)?;
            s.operands.push(v);
        }
        let shape = self.shape(&axes);
        s.result_types = (op.results(b.ctx).iter())
            .map(|r| b.ctx.vector(&shape, r.ty(b.ctx)))
            .collect();
        let new = b.create(s);
        for (old, value) in op.results(b.ctx).into_iter().zip(new.results(b.ctx)) {
            let axes = axes.clone();
            self.values.insert(old, Held { value, axes });
        }
        Some(())
    }

    /// What a value is here; one from outside is the same number for all.
    fn held(&self, ctx: &Context, v: Value) -> Option<Held> {
        if let Some(h) = self.values.get(&v) {
            return Some(h.clone());
        }
        let root = self.nest.root.op();
        let owner = v.def_op().or_else(|| v.arg_block()?.parent_op(ctx));
        let inside = owner.is_some_and(|o| o == root || root.is_ancestor_of(ctx, o));
        (!inside).then(|| Held {
            value: v,
            axes: Vec::new(),
        })
    }

    /// The same of a value that may be an induction variable.
    fn data(&mut self, b: &mut Builder, v: Value) -> Option<Held> {
        match self.counters.get(&v).copied() {
            Some(c) => self.counter(b, c),
            None => self.held(b.ctx, v),
        }
    }

    /// A counter as a number for each element.
    fn counter(&mut self, b: &mut Builder, c: Counter) -> Option<Held> {
        let (axis, base) = match c {
            Counter::Scalar(value) => {
                let axes = Vec::new();
                return Some(Held { value, axes });
            }
            Counter::Axis { axis, base } => (axis, base),
        };
        let (axes, index) = (vec![axis], b.ctx.index());
        let ty = b.ctx.vector(&[self.axes[axis].size], index);
        let steps = b.value::<vector::StepOp>(&[], ty, &[]);
        self.mark(b, steps, &axes);
        let value = match base {
            Base::Constant(0) => steps,
            _ => {
                let base = match base {
                    Base::Constant(n) => constant(b, n),
                    Base::Value(v) => v,
                };
                let base = Held {
                    value: base,
                    axes: Vec::new(),
                };
                let base = self.spread(b, &base, &axes)?;
                b.value::<arith::AddIOp>(&[base, steps], ty, &[])
            }
        };
        Some(Held { value, axes })
    }

    /// An affine expression over counters as a number for each element.
    fn expr(&mut self, b: &mut Builder, e: &AffineExpr, m: &ValueMap<Value>) -> Option<Held> {
        let axes = Vec::new();
        match e {
            AffineExpr::Constant(n) => {
                let value = constant(b, *n);
                Some(Held { value, axes })
            }
            AffineExpr::Dim(i) => self.data(b, *m.operands.get(*i as usize)?),
            AffineExpr::Symbol(i) => {
                let i = m.map.num_dims() as usize + *i as usize;
                self.data(b, *m.operands.get(i)?)
            }
            _ => {
                let (op, x, y) = e.as_binary()?;
                let (x, y) = (self.expr(b, x, m)?, self.expr(b, y, m)?);
                let axes = union(&x.axes, &y.axes);
                let (x, y) = (self.spread(b, &x, &axes)?, self.spread(b, &y, &axes)?);
                let ty = x.ty(b.ctx);
                let value = match op {
                    terrace_ir::affine::AffineOp::Add => b.value::<arith::AddIOp>(&[x, y], ty, &[]),
                    terrace_ir::affine::AffineOp::Mul => b.value::<arith::MulIOp>(&[x, y], ty, &[]),
                    _ => return None,
                };
                Some(Held { value, axes })
            }
        }
    }

    // ---- accesses ----

    fn key(&self, ctx: &Context, a: &Access) -> Option<Key> {
        let m = a.composed(ctx);
        let scalar = |v: Value| {
            let h = self.held(ctx, v)?;
            h.axes.is_empty().then_some(h.value)
        };
        Some(Key {
            memref: a.memref,
            subscripts: subscripts(&m, &self.counters, scalar)?,
        })
    }

    /// Where the elements of a place begin to exist: what is known along the row.
    fn from(&self, axes: &[usize]) -> i64 {
        axes.iter().map(|a| self.axes[*a].from).max().unwrap_or(0)
    }

    fn load(&mut self, b: &mut Builder, a: &Access) -> Option<()> {
        let key = self.key(b.ctx, a)?;
        let axes = key.subscripts.axes.clone();
        let from = self.from(&axes);
        let result = a.op.result(b.ctx, 0);
        if let Some(value) = self.memory.find(&key, from) {
            self.values.insert(result, Held { value, axes });
            return Some(());
        }
        let value = match axes.is_empty() {
            true => {
                let s = &key.subscripts;
                affine::LoadOp::build(b, key.memref, over_dims(&s.map), &s.operands)
            }
            false => self.load_tile(b, a, &key, &mut 0)?,
        };
        let from = match axes.is_empty() {
            true => 0,
            false => self.widest(b.ctx, a).min(from),
        };
        self.memory.loaded(b.ctx, key, value, from);
        self.values.insert(result, Held { value, axes });
        Some(())
    }

    /// Where the elements begin that loops load at the subscripts of `a`: those of a loop that
    /// comes later may come with this one's.
    fn widest(&self, ctx: &Context, a: &Access) -> i64 {
        let Some(own) = self.nest.inner_around(ctx, a.op) else {
            return i64::MAX;
        };
        if self.tiling.streamed {
            return i64::MAX;
        }
        let m = a.composed(ctx);
        let same = |x: &&Access| {
            let n = x.composed(ctx);
            let other = self.nest.inner_around(ctx, x.op);
            let with = |v: &Value| match other {
                Some(l) if l.level.iv == *v => own.level.iv,
                _ => *v,
            };
            x.kind == AccessKind::Read
                && x.memref == a.memref
                && other.is_some()
                && n.map == m.map
                && n.operands.iter().map(with).eq(m.operands.iter().copied())
        };
        let all = self.nest.accesses.iter().filter(same);
        let begins = all.filter_map(|x| self.nest.inner_around(ctx, x.op)?.level.lower.as_constant());
        begins.min().map_or(i64::MAX, |n| n - self.first())
    }

    fn access(&self, b: &mut Builder, a: &Access, key: &Key) -> TileAccess {
        let s = &key.subscripts;
        let mut bounds = self.bounds(&s.axes);
        let (mut alignment, mut granule) = (0, 0);
        if let Some(d) = self.fastest(s).filter(|_| self.tiling.vector > 1) {
            if s.begins_at_multiples(d, self.tiling.vector, &self.multiples) {
                alignment = self.tiling.vector * element_bytes(b.ctx, a);
                granule = self.tiling.vector;
            }
        }
        if a.kind == AccessKind::Read {
            let widest = self.widest(b.ctx, a);
            for (x, bound) in s.axes.iter().zip(&mut bounds) {
                if Some(*x) == self.row_axis() && widest < self.axes[*x].from {
                    bound.lower = (widest > 0).then(|| constant(b, widest));
                }
            }
        }
        TileAccess {
            memref: key.memref,
            map: s.map.clone(),
            operands: s.operands.clone(),
            bounds,
            alignment,
            granule,
        }
    }

    fn row_axis(&self) -> Option<usize> {
        let tiled = self.tiling.sizes.iter().filter(|n| **n > 1).count();
        self.tiling.row.map(|_| tiled)
    }

    /// The dimension along which memory is adjacent.
    fn fastest(&self, s: &Subscripts) -> Option<usize> {
        let last = s.map.results().len().checked_sub(1)?;
        (0..s.axes.len()).find(|d| {
            let only = AffineMap::new(s.map.num_dims(), s.map.num_symbols(), vec![s.map.results()[last].clone()]);
            only.is_function_of_dim(*d as u32)
        })
    }

    fn load_tile(&mut self, b: &mut Builder, a: &Access, key: &Key, _: &mut i64) -> Option<Value> {
        let access = self.access(b, a, key);
        let axes = &key.subscripts.axes;
        let elem = a.memref.ty(b.ctx).element(b.ctx)?;
        let ty = b.ctx.vector(&self.shape(axes), elem);
        let pad = (access.bounds.iter().any(|x| !x.is_none())).then(|| zero(b, elem));
        let value = tile::LoadOp::build(b, ty, &access, pad);
        let Some(other) = self.tiling.other.clone().filter(|_| self.is_turned(&key.subscripts)) else {
            self.mark(b, value, axes);
            return Some(value);
        };
        let text = b.ctx.string_attr(&other.to_string());
        value.def_op()?.set_attr(b.ctx, TILE_LAYOUT, text);
        let value = tile::ConvertOp::build(b, value);
        self.mark(b, value, axes);
        Some(value)
    }

    /// Whether memory is adjacent along another axis than that of the layout.
    fn is_turned(&self, s: &Subscripts) -> bool {
        let layout = &self.tiling.layout;
        let fast = (layout.digits(terrace_layout::Resource::Lane).iter())
            .find_map(|d| d.step.iter().position(|n| *n != 0));
        s.axes.len() > 1 && self.fastest(s).map(|d| s.axes[d]) != fast
    }

    fn store(&mut self, b: &mut Builder, a: &Access) -> Option<()> {
        let key = self.key(b.ctx, a)?;
        let axes = key.subscripts.axes.clone();
        let given = self.data(b, a.stored(b.ctx)?)?;
        if !given.axes.iter().all(|x| axes.contains(x)) {
            return None;
        }
        let from = self.from(&axes);
        let value = self.spread(b, &given, &axes)?;
        let op = match axes.is_empty() {
            true => {
                let s = &key.subscripts;
                let map = over_dims(&s.map);
                affine::StoreOp::build(b, value, key.memref, map, &s.operands).op()
            }
            false => {
                let access = self.access(b, a, &key);
                tile::StoreOp::build(b, value, &access)
            }
        };
        if let Some(old) = self.memory.stored(b.ctx, key, value, from, op) {
            old.erase(b.ctx);
        }
        Some(())
    }

    // ---- shapes ----

    fn shape(&self, axes: &[usize]) -> Vec<i64> {
        axes.iter().map(|a| self.axes[*a].size).collect()
    }

    fn bounds(&self, axes: &[usize]) -> Vec<Bound> {
        axes.iter().map(|a| self.axes[*a].bound).collect()
    }

    /// A value as a tile along `axes`, which has all of its own.
    fn spread(&mut self, b: &mut Builder, h: &Held, axes: &[usize]) -> Option<Value> {
        if h.axes == axes {
            return Some(h.value);
        }
        let elem = h.value.ty(b.ctx).element_or_self(b.ctx);
        let shape = self.shape(axes);
        let ty = b.ctx.vector(&shape, elem);
        let mut value = h.value;
        if !h.axes.is_empty() && !axes.ends_with(&h.axes) {
            // Dimensions of one element stand for those that the value does not differ along.
            let unit: Vec<i64> = (axes.iter().zip(&shape))
                .map(|(a, n)| if h.axes.contains(a) { *n } else { 1 })
                .collect();
            let unit = b.ctx.vector(&unit, elem);
            value = b.value::<vector::ShapeCastOp>(&[value], unit, &[]);
        }
        let value = b.value::<vector::BroadcastOp>(&[value], ty, &[]);
        if !h.axes.is_empty() {
            self.mark(b, value, axes);
        }
        Some(value)
    }

    /// Says which thread holds what of a tile.
    fn mark(&mut self, b: &mut Builder, tile: Value, axes: &[usize]) {
        if axes.is_empty() {
            return;
        }
        let tiling = self.tiling;
        let text = self.layouts.entry(axes.to_vec()).or_insert_with(|| {
            restricted(&tiling.layout, axes).map_or_else(String::new, |l| l.to_string())
        });
        let text = b.ctx.string_attr(text);
        if let Some(op) = tile.def_op() {
            op.set_attr(b.ctx, TILE_LAYOUT, text);
        }
    }

    /// What `like` may do with its floats the op of `v` may, too.
    fn flags(&self, b: &mut Builder, v: Value, like: Op) {
        if let (Some(op), Some(flags)) = (v.def_op(), like.attr(b.ctx, "fastmath")) {
            op.set_attr(b.ctx, "fastmath", flags);
        }
    }
}

/// A map without dimensions as one without symbols: not all that counts blocks may be a symbol of
/// affine ops.
fn over_dims(map: &AffineMap) -> AffineMap {
    let n = map.num_symbols();
    let dims: Vec<AffineExpr> = (0..n).map(AffineExpr::dim).collect();
    map.replace_dims_and_symbols(&[], &dims, n, 0)
}

/// A layout without the dimensions that are not among `axes`.
fn restricted(layout: &Layout, axes: &[usize]) -> Option<Layout> {
    let mut all = layout.clone();
    for axis in (0..layout.rank()).rev().filter(|a| !axes.contains(a)) {
        all = all.drop_axis(axis).ok()?;
    }
    Some(all)
}

fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Initial values and results of a loop's carried values.
fn carried(ctx: &Context, op: Op) -> Vec<(Value, Value)> {
    let Some(l) = op.cast::<affine::ForOp>(ctx) else {
        return Vec::new();
    };
    l.inits(ctx).into_iter().zip(op.results(ctx)).collect()
}

/// The number that a side of a loop is.
pub(super) fn side(b: &mut Builder, s: &Side) -> Value {
    match s.as_constant() {
        Some(n) => constant(b, n),
        None => affine::ApplyOp::build(b, s.map.clone(), &s.operands),
    }
}

fn zero(b: &mut Builder, elem: Type) -> Value {
    let attr = match elem.is_float(b.ctx) {
        true => b.ctx.float_attr(elem, 0.0),
        false => b.ctx.int_attr(elem, 0),
    };
    b.value::<arith::ConstantOp>(&[], elem, &[("value", attr)])
}
