//! Accesses: which tiles are loaded and stored, and which are there already.

use super::conditions::arith_and;
use super::memory::Key;
use super::policy::element_bytes;
use super::subscripts::{Subscripts, subscripts};
use super::translate::{Held, Translate};
use crate::loops::build::index::constant;
use crate::lower::expand::expand_expr;
use terrace_dialects::affine::{Access, AccessKind};
use terrace_dialects::arith;
use terrace_dialects::attributes::TILE_LAYOUT;
use terrace_dialects::tile::{self, TileAccess};
use terrace_dialects::{memref, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};
use terrace_layout::Resource;

impl Translate<'_> {
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

    pub(super) fn load(&mut self, b: &mut Builder, a: &Access) -> Option<()> {
        let mut key = self.key(b.ctx, a)?;
        let result = a.op.result(b.ctx, 0);
        let from = self.from(&key.subscripts.axes);
        if let Some(value) = self.memory.find(&key, from) {
            let axes = key.subscripts.axes;
            self.values.insert(result, Held { value, axes });
            return Some(());
        }
        let around = self.when.clone();
        if let Some(m) = &around.mask {
            match self.is_made_anyway(b.ctx, a) {
                true => self.when.mask = None,
                // Elements that differ in nothing but their masks are loaded one by one.
                false => key.subscripts = key.subscripts.along(&m.axes),
            }
        }
        let axes = key.subscripts.axes.clone();
        if self.row_open.is_some_and(|(axis, _)| !axes.contains(&axis)) {
            // The loop may have no iteration, and then it loads nothing.
            let (_, runs) = self.row_open?;
            self.when.guard = Some(match self.when.guard {
                Some(g) => arith_and(b, g, runs),
                None => runs,
            });
        }
        let value = match axes.is_empty() {
            true => {
                let at = indices(b, &key.subscripts)?;
                load_where(b, self.when.guard, key.memref, &at)?
            }
            false => self.load_tile(b, a, &key)?,
        };
        let from = match axes.is_empty() {
            true => 0,
            false => self.widest(b.ctx, a).min(from),
        };
        let always = self.when.is_always();
        self.when = around;
        match always {
            true => self.memory.loaded(b.ctx, key, value, from),
            false => self.memory.read(b.ctx, key.memref),
        }
        self.values.insert(result, Held { value, axes });
        Some(())
    }

    /// Whether the element of `a`, which is under a condition, is loaded in any case.
    fn is_made_anyway(&self, ctx: &Context, a: &Access) -> bool {
        let own = self.nest.inner_around(ctx, a.op);
        let body = own.map_or(self.nest.body, |l| l.body);
        let m = a.composed(ctx);
        (self.nest.accesses.iter()).any(|x| {
            let n = x.composed(ctx);
            let same = x.memref == a.memref && n.map == m.map && n.operands == m.operands;
            let same = same && x.kind == AccessKind::Read;
            // What stands in front of the loop is not in its body, but is made, too.
            let block = x.op.block(ctx);
            same && (block == Some(body) || block == Some(self.nest.body))
        })
    }

    /// Where the elements begin that loops load at the subscripts of `a`: those of a loop that
    /// comes later may come with this one's.
    fn widest(&self, ctx: &Context, a: &Access) -> i64 {
        let Some(own) = self.nest.inner_around(ctx, a.op) else {
            return i64::MAX;
        };
        if self.tiling.row.is_none() {
            return i64::MAX;
        }
        let m = a.composed(ctx);
        let same = |x: &&Access| {
            let n = x.composed(ctx);
            let other = self.nest.inner_around(ctx, x.op);
            let with = |v: &Value| match other {
                Some(l) if l.level().iv == *v => own.level().iv,
                _ => *v,
            };
            x.kind == AccessKind::Read
                && x.memref == a.memref
                && other.is_some()
                && n.map == m.map
                && n.operands.iter().map(with).eq(m.operands.iter().copied())
        };
        // What stands under a condition is not loaded for sure.
        let sure = |x: &&Access| {
            let around = self.nest.inner_around(ctx, x.op);
            around.is_some_and(|l| x.op.block(ctx) == Some(l.body))
        };
        let all = self.nest.accesses.iter().filter(sure).filter(same);
        let begins = all.filter_map(|x| {
            self.nest
                .inner_around(ctx, x.op)?
                .level()
                .lower
                .as_constant()
        });
        begins
            .min()
            .map_or(i64::MAX, |n| n - self.nest.first_of_rows())
    }

    fn access(&mut self, b: &mut Builder, a: &Access, key: &Key) -> Option<TileAccess> {
        let s = &key.subscripts;
        let mut bounds = self.bounds(&s.axes);
        let (mut alignment, mut granule) = (0, 0);
        let wide = (self.fastest(s))
            .filter(|d| self.tiling.is_checked(s.axes[*d]) && s.is_adjacent(*d))
            .filter(|d| s.begins_at_multiples(*d, self.tiling.vector, &self.multiples));
        if wide.is_some() {
            alignment = self.tiling.vector * element_bytes(b.ctx, a);
            granule = self.tiling.vector;
        }
        // The mask of an iteration says nothing of elements in front of the first one.
        if a.kind == AccessKind::Read && self.when.mask.is_none() {
            let widest = self.widest(b.ctx, a);
            for (x, bound) in s.axes.iter().zip(&mut bounds) {
                if Some(*x) == self.row_axis() && widest < self.axes[*x].from {
                    bound.lower = (widest > 0).then(|| constant(b, widest));
                }
            }
        }
        if let (Some(guard), Some(first)) = (self.when.guard, bounds.first_mut()) {
            // Where the condition does not hold no element exists.
            let end = match first.upper {
                Some(v) => v,
                None => constant(b, self.axes[s.axes[0]].size),
            };
            let (none, index) = (constant(b, 0), b.ctx.index());
            first.upper = Some(b.value::<arith::SelectOp>(&[guard, end, none], index, &[]));
            if self.fastest(s) == Some(0) {
                (alignment, granule) = (0, 0);
            }
        }
        if let Some(d) = self.fastest(s)
            && let Some(lower) = bounds[d].lower
        {
            let least = self.axes[s.axes[d]].least;
            match b.ctx.constant_int(lower) {
                Some(n) if n % self.tiling.vector == 0 => {}
                // The row's first elements are there, too, where its subscript is not negative
                // then: what is read too much nobody uses.
                None if a.kind == AccessKind::Read
                    && offset(s, d).is_some_and(|c| c + least >= 0) =>
                {
                    bounds[d].lower = None;
                }
                _ => (alignment, granule) = (0, 0),
            }
        }
        let mask = match self.when.mask.clone() {
            Some(m) => Some(self.spread(b, &m, &s.axes)?),
            None => None,
        };
        Some(TileAccess {
            memref: key.memref,
            map: s.map.clone(),
            operands: s.operands.clone(),
            bounds,
            mask,
            alignment,
            granule,
        })
    }

    fn row_axis(&self) -> Option<usize> {
        let tiled = self.tiling.sizes.iter().filter(|n| **n > 1).count();
        self.tiling.row.map(|_| tiled)
    }

    /// The dimension along which memory is adjacent.
    fn fastest(&self, s: &Subscripts) -> Option<usize> {
        let last = s.map.results().len().checked_sub(1)?;
        (0..s.axes.len()).find(|d| {
            let only = AffineMap::new(
                s.map.num_dims(),
                s.map.num_symbols(),
                vec![s.map.results()[last].clone()],
            );
            only.is_function_of_dim(*d as u32)
        })
    }

    fn load_tile(&mut self, b: &mut Builder, a: &Access, key: &Key) -> Option<Value> {
        let access = self.access(b, a, key)?;
        let axes = &key.subscripts.axes;
        let elem = a.memref.ty(b.ctx).element(b.ctx)?;
        let ty = b.ctx.vector(&self.shape(axes), elem);
        let some = access.mask.is_some() || access.bounds.iter().any(|x| !x.is_none());
        let pad = match some {
            true => Some(zero(b, elem)?),
            false => None,
        };
        let value = tile::LoadOp::build(b, ty, &access, pad);
        // The mask is held by the threads that go on with the tile, so these load it.
        let turned = access.mask.is_none() && self.is_turned(&key.subscripts);
        let Some(other) = self.tiling.other.clone().filter(|_| turned) else {
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
        let fast = (layout.digits(Resource::Lane).iter())
            .find_map(|d| d.step.iter().position(|n| *n != 0));
        s.axes.len() > 1 && self.fastest(s).map(|d| s.axes[d]) != fast
    }

    pub(super) fn store(&mut self, b: &mut Builder, a: &Access) -> Option<()> {
        let key = self.key(b.ctx, a)?;
        let axes = key.subscripts.axes.clone();
        let given = self.data(b, a.stored(b.ctx)?)?;
        if !given.axes.iter().all(|x| axes.contains(x)) {
            return None;
        }
        if !(self.when.mask.iter()).all(|m| m.axes.iter().all(|x| axes.contains(x))) {
            return None;
        }
        let from = self.from(&axes);
        let value = self.spread(b, &given, &axes)?;
        let (op, mask) = match axes.is_empty() {
            true => {
                let at = indices(b, &key.subscripts)?;
                (
                    store_where(b, self.when.guard, value, key.memref, &at),
                    None,
                )
            }
            false => {
                let access = self.access(b, a, &key)?;
                let op = tile::StoreOp::build(b, value, &access);
                self.mark_op(b, op, &axes);
                (op, access.mask)
            }
        };
        if self.when.guard.is_some() {
            self.memory.forget();
            return Some(());
        }
        if let Some(mask) = mask {
            // The others are what they were.
            let old = self.memory.find(&key, from);
            let new = old.map(|old| arith::SelectOp::build(b, mask, value, old));
            self.memory.stored_in_part(b.ctx, &key, new, from);
        } else if let Some(old) = self.memory.stored(b.ctx, key, value, from, op) {
            old.erase(b.ctx);
        }
        Some(())
    }
}

/// Stores an element where the condition holds.
fn store_where(
    b: &mut Builder,
    condition: Option<Value>,
    value: Value,
    memref: Value,
    at: &[Value],
) -> Op {
    let Some(condition) = condition else {
        return memref::StoreOp::build(b, value, memref, at);
    };
    let (op, then, _) = scf::IfOp::build(b, condition, &[], false);
    b.with_point(InsertPoint::End(then), |b| {
        memref::StoreOp::build(b, value, memref, at);
        scf::YieldOp::build(b, &[]);
    });
    op.op()
}

/// The element, or a zero where the condition does not hold.
fn load_where(
    b: &mut Builder,
    condition: Option<Value>,
    memref: Value,
    at: &[Value],
) -> Option<Value> {
    let Some(condition) = condition else {
        return Some(memref::LoadOp::build(b, memref, at));
    };
    let elem = memref.ty(b.ctx).element_or_self(b.ctx);
    let (op, then, other) = scf::IfOp::build(b, condition, &[elem], true);
    b.with_point(InsertPoint::End(then), |b| {
        let v = memref::LoadOp::build(b, memref, at);
        scf::YieldOp::build(b, &[v]);
    });
    b.with_point(InsertPoint::End(other?), |b| {
        let v = zero(b, elem)?;
        scf::YieldOp::build(b, &[v]);
        Some(())
    })?;
    Some(op.op().result(b.ctx, 0))
}

/// What the last subscript adds to a counter and the coordinate along dimension `d`, where it is
/// nothing but their sum and a number.
fn offset(s: &Subscripts, d: usize) -> Option<i64> {
    let last = s.map.results().last()?;
    let zero = vec![0; s.axes.len()];
    let used = |i: u32| {
        let only = AffineMap::new(s.map.num_dims(), s.map.num_symbols(), vec![last.clone()]);
        only.is_function_of_symbol(i)
    };
    let symbols: Vec<u32> = (0..s.operands.len() as u32).filter(|i| used(*i)).collect();
    let own = AffineExpr::dim(d as u32);
    let at = s
        .map
        .eval(&zero, &vec![0; s.operands.len()])?
        .last()
        .copied()?;
    let sum = match symbols[..] {
        [] => own + at,
        [i] => own + AffineExpr::symbol(i) + at,
        _ => return None,
    };
    (AffineMap::new(s.map.num_dims(), s.map.num_symbols(), vec![sum])
        .simplify()
        .results()
        .last()
        == Some(last))
    .then_some(at)
}

/// The subscripts of what all elements share.
fn indices(b: &mut Builder, s: &Subscripts) -> Option<Vec<Value>> {
    let all = s.map.results().iter();
    all.map(|e| expand_expr(b, e, &[], &s.operands).ok())
        .collect()
}

fn zero(b: &mut Builder, elem: Type) -> Option<Value> {
    let zero = b.ctx.zero_attr(elem)?;
    Some(b.value::<arith::ConstantOp>(&[], elem, &[("value", zero)]))
}
