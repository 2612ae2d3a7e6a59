//! The block's code: what iterations do, on tiles.

use super::conditions::{Where, is_condition, stores};
use super::find::{Inner, Nest, Side, statements};
use super::memory::Memory;
use super::policy::Tiling;
use super::protect::forget_promises;
use super::stream::{Part, ends};
use super::subscripts::{Base, Counter};
use crate::loops::build::index::{add_constant, constant, min, sub};
use crate::lower::expand::expand_expr;
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{self, Access, AccessKind, compose::compose};
use terrace_dialects::arith::{AtomicRmwKind, CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::TILE_LAYOUT;
use terrace_dialects::tile::{self, Bound};
use terrace_dialects::vector;
use terrace_ir::builder::OpState;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, Op, OpKind, Value};
use terrace_layout::Layout;

/// What a value of an iteration is in the block.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub value: Value,
    /// The axes that it differs along; none for a number that all elements share.
    pub axes: Vec<usize>,
}

impl Held {
    /// A number that all elements share.
    pub fn scalar(value: Value) -> Held {
        let axes = Vec::new();
        Held { value, axes }
    }
}

/// A dimension of tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub size: i64,
    pub bound: Bound,
    /// Where elements begin to exist: what `bound.lower` is, as a number.
    pub from: i64,
    /// The least number that the coordinate 0 stands for, where it changes.
    pub least: i64,
}

/// Makes the code of a block.
pub(super) struct Translate<'n> {
    pub(super) nest: &'n Nest,
    pub(super) tiling: &'n Tiling,
    pub(super) counters: FxHashMap<Value, Counter>,
    pub(super) values: FxHashMap<Value, Held>,
    pub(super) axes: Vec<Axis>,
    /// Numbers that are multiples of the length of an access.
    pub(super) multiples: Vec<Value>,
    pub(super) memory: Memory,
    /// What must hold for accesses to be made.
    pub(super) when: Where,
    /// The axis of the loop that is open, and whether that loop has iterations.
    pub(super) row_open: Option<(usize, Value)>,
    /// Layouts of tiles by their axes.
    pub(super) layouts: FxHashMap<Vec<usize>, String>,
}

impl<'n> Translate<'n> {
    /// For the body of blocks whose counters are `blocks`.
    pub fn new(
        b: &mut Builder,
        nest: &'n Nest,
        tiling: &'n Tiling,
        blocks: &[Value],
    ) -> Option<Self> {
        let mut t = Translate {
            nest,
            tiling,
            counters: FxHashMap::default(),
            values: FxHashMap::default(),
            axes: Vec::new(),
            multiples: Vec::new(),
            memory: Memory::default(),
            when: Where::default(),
            row_open: None,
            layouts: FxHashMap::default(),
        };
        for ((level, size), block) in nest.levels.iter().zip(&tiling.sizes).zip(blocks) {
            if *size == 1 {
                t.counters.insert(level.iv, Counter::Scalar(*block));
                continue;
            }
            let whole = level.extent().is_some_and(|n| n % size == 0);
            let upper = match whole {
                true => None,
                false => {
                    let end = side(b, &level.upper)?;
                    Some(sub(b, end, *block))
                }
            };
            let counter = Counter::Axis {
                axis: t.axes.len(),
                base: Base::Value(*block),
            };
            t.counters.insert(level.iv, counter);
            if level
                .lower
                .as_constant()
                .is_some_and(|n| n % tiling.vector == 0)
                && size % tiling.vector == 0
            {
                t.multiples.push(*block);
            }
            let bound = Bound { lower: None, upper };
            t.axes.push(Axis {
                size: *size,
                bound,
                from: 0,
                least: 0,
            });
        }
        Some(t)
    }

    /// Writes the whole body. `None` where something cannot be done on tiles after all.
    pub fn all(&mut self, b: &mut Builder) -> Option<()> {
        for op in &self.nest.between {
            self.op(b, *op)?;
        }
        for op in statements(b.ctx, self.nest.body) {
            match self.nest.inner.iter().find(|l| l.op == op) {
                Some(l) if self.tiling.row.is_none() => {
                    let parts = self.stream(b, l, None)?;
                    self.end(b, l, &parts)?;
                }
                Some(l) => self.row(b, l)?,
                None => self.op(b, op)?,
            }
        }
        Some(())
    }

    /// Writes what comes before the loop inside, and its iterations in `part`; gives what
    /// these combine. There is one loop inside.
    pub fn part(&mut self, b: &mut Builder, part: Part) -> Option<Vec<Held>> {
        let nest = self.nest;
        let l = nest.inner.first()?;
        for op in &self.nest.between {
            self.op(b, *op)?;
        }
        for op in statements(b.ctx, nest.body) {
            if op == l.op {
                return self.stream(b, l, Some(part));
            }
            // What the loop uses is computed; what is stored, the end of the nest stores.
            if !stores(b.ctx, op) {
                self.op(b, op)?;
            }
        }
        None
    }

    /// The results of a loop whose iterations combine to `parts`.
    fn end(&mut self, b: &mut Builder, l: &Inner, parts: &[Held]) -> Option<()> {
        let (inits, results) = ends(b.ctx, l.op);
        let all = self.finish(b, l, &inits, parts)?;
        for (v, h) in results.into_iter().zip(all) {
            self.values.insert(v, h);
        }
        Some(())
    }

    /// Where a loop inside ends: a number that all elements of the block share.
    pub(super) fn end_of(&mut self, b: &mut Builder, s: &Side) -> Option<Value> {
        let mut own = s.clone();
        for v in &mut own.operands {
            *v = self
                .data(b, *v)
                .filter(|h| h.axes.is_empty())
                .map(|h| h.value)?;
        }
        side(b, &own)
    }

    // ---- loops inside ----

    /// The axis of the row, which begins at `first` and of which elements exist from `from` on.
    fn open_row(&mut self, b: &mut Builder, l: &Inner, first: i64, from: i64) -> Option<usize> {
        let size = self.tiling.row?;
        let end = side(b, &l.level().upper)?;
        let whole = b.ctx.constant_int(end).is_some_and(|n| n - first == size);
        let upper = (!whole).then(|| add_constant(b, end, -first));
        let lower = (from > 0).then(|| constant(b, from));
        let axis = self.axes.len();
        self.axes.push(Axis {
            size,
            bound: Bound { lower, upper },
            from,
            least: first,
        });
        let base = Base::Constant(first);
        self.counters
            .insert(l.level().iv, Counter::Axis { axis, base });
        Some(axis)
    }

    /// A loop whose iterations are one tile.
    fn row(&mut self, b: &mut Builder, l: &Inner) -> Option<()> {
        let first = self.nest.first_of_rows();
        let from = l.level().lower.as_constant()? - first;
        let axis = self.open_row(b, l, first, from)?;
        self.open(b, l, axis)?;
        let reductions = l.reductions();
        for op in statements(b.ctx, l.body) {
            if !reductions.iter().any(|r| r.combiner == op) {
                self.op(b, op)?;
            }
        }
        let (inits, results) = ends(b.ctx, l.op);
        for (r, (init, result)) in reductions.iter().zip(inits.into_iter().zip(results)) {
            let given = self.data(b, r.contribution)?;
            let init = self.data(b, init)?;
            let folded = self.fold(b, r.kind, &given, &init, axis)?;
            self.values.insert(result, folded);
        }
        self.row_open = None;
        self.axes.pop();
        Some(())
    }

    /// Notes that the innermost loop of `l` is open, and is the dimension `axis` of tiles.
    pub(super) fn open(&mut self, b: &mut Builder, l: &Inner, axis: usize) -> Option<()> {
        self.row_open = None;
        if l.level().extent().is_none_or(|n| n == 0) {
            let lower = side(b, &l.level().lower)?;
            let upper = self.end_of(b, &l.level().upper)?;
            let runs = CmpIOp::build(b, CmpIPredicate::Slt, lower, upper);
            self.row_open = Some((axis, runs));
        }
        Some(())
    }

    /// Folds a tile along one of its axes.
    fn fold(
        &mut self,
        b: &mut Builder,
        kind: AtomicRmwKind,
        given: &Held,
        init: &Held,
        axis: usize,
    ) -> Option<Held> {
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
        self.mark(b, value, &axes);
        Some(Held { value, axes: kept })
    }

    // ---- ops ----

    pub(super) fn op(&mut self, b: &mut Builder, op: Op) -> Option<()> {
        b.loc = op.loc(b.ctx);
        if let Some(a) = Access::of(b.ctx, op) {
            return match a.kind {
                AccessKind::Read => self.load(b, &a),
                _ => self.store(b, &a),
            };
        }
        if is_condition(b.ctx, op) {
            return self.condition(b, op);
        }
        if op.isa::<affine::ApplyOp>(b.ctx) {
            let apply = affine::ApplyOp::wrap(op);
            let m = compose(b.ctx, apply.map(b.ctx), &apply.operands(b.ctx));
            let e = m.map.result(0)?.clone();
            let held = self.expr(b, &e, m.map.num_dims() as usize, &m.operands)?;
            self.values.insert(op.result(b.ctx, 0), held);
            return Some(());
        }
        let operands: Option<Vec<Held>> = (op.operands(b.ctx).into_iter())
            .map(|v| self.data(b, v))
            .collect();
        let mut operands = operands?;
        self.protect(b, op, &mut operands)?;
        let axes = operands
            .iter()
            .fold(Vec::new(), |all, o| union(&all, &o.axes));
        if axes.is_empty() {
            let new = clone_op(b.ctx, op, &mut IrMapping::new());
            for (i, own) in operands.iter().enumerate() {
                new.set_operand(b.ctx, i, own.value);
            }
            b.insert(new);
            if !self.when.is_always() {
                forget_promises(b.ctx, new);
            }
            for (old, new) in op.results(b.ctx).into_iter().zip(new.results(b.ctx)) {
                self.values.insert(old, Held::scalar(new));
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
        forget_promises(b.ctx, new);
        for (old, value) in op.results(b.ctx).into_iter().zip(new.results(b.ctx)) {
            let axes = axes.clone();
            self.values.insert(old, Held { value, axes });
        }
        Some(())
    }

    /// What a value is here; one from outside is the same number for all.
    pub(super) fn held(&self, ctx: &Context, v: Value) -> Option<Held> {
        if let Some(h) = self.values.get(&v) {
            return Some(h.clone());
        }
        self.nest.is_outside(ctx, v).then(|| Held {
            value: v,
            axes: Vec::new(),
        })
    }

    /// The same of a value that may be an induction variable.
    pub(super) fn data(&mut self, b: &mut Builder, v: Value) -> Option<Held> {
        match self.counters.get(&v).copied() {
            Some(c) => self.counter(b, c),
            None => self.held(b.ctx, v),
        }
    }

    // ---- shapes ----

    pub(super) fn shape(&self, axes: &[usize]) -> Vec<i64> {
        axes.iter().map(|a| self.axes[*a].size).collect()
    }

    pub(super) fn bounds(&self, axes: &[usize]) -> Vec<Bound> {
        axes.iter().map(|a| self.axes[*a].bound).collect()
    }

    /// Iterations of each of the loops of `l` in a step of the block.
    pub(super) fn pieces_of(&self, l: &Inner) -> Vec<i64> {
        let mut all = self.tiling.pieces.clone();
        all.resize(l.levels.len(), 1);
        all
    }

    /// A value as a tile along `axes`, which has all of its own.
    pub(super) fn spread(&mut self, b: &mut Builder, h: &Held, axes: &[usize]) -> Option<Value> {
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
    pub(super) fn mark(&mut self, b: &mut Builder, tile: Value, axes: &[usize]) {
        if let Some(op) = tile.def_op() {
            self.mark_op(b, op, axes);
        }
    }

    /// The same of the tile that an op makes, folds or stores.
    pub(super) fn mark_op(&mut self, b: &mut Builder, op: Op, axes: &[usize]) {
        if axes.is_empty() {
            return;
        }
        let tiling = self.tiling;
        let text = self.layouts.entry(axes.to_vec()).or_insert_with(|| {
            restricted(&tiling.layout, axes).map_or_else(String::new, |l| l.to_string())
        });
        let text = b.ctx.string_attr(text);
        op.set_attr(b.ctx, TILE_LAYOUT, text);
    }
}

/// What `like` may do with its floats the op of `v` may, too.
pub(super) fn flags(b: &mut Builder, v: Value, like: Op) {
    if let (Some(op), Some(flags)) = (v.def_op(), like.attr(b.ctx, "fastmath")) {
        op.set_attr(b.ctx, "fastmath", flags);
    }
}

/// A layout without the dimensions that are not among `axes`.
fn restricted(layout: &Layout, axes: &[usize]) -> Option<Layout> {
    let mut all = layout.clone();
    for axis in (0..layout.rank()).rev().filter(|a| !axes.contains(a)) {
        all = all.drop_axis(axis).ok()?;
    }
    Some(all)
}

pub(super) fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// The number that a side of a loop is.
pub(super) fn side(b: &mut Builder, s: &Side) -> Option<Value> {
    let (dims, symbols) = s.operands.split_at(s.map.num_dims() as usize);
    let results = s.map.results().iter();
    let all: Option<Vec<Value>> = results
        .map(|e| expand_expr(b, e, dims, symbols).ok())
        .collect();
    all?.into_iter().reduce(|x, y| min(b, x, y))
}
