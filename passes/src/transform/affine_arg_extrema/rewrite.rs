//! First the extrema, then their places.

use terrace_dialects::affine::scope::{is_dim, is_symbol};
use terrace_dialects::affine::{ApplyOp, ForOp, LoadOp, StoreOp};
use terrace_dialects::arith::{
    self, AtomicRmwKind as K, CeilDivSIOp, CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate,
    IndexCastOp, MaxSIOp, MinSIOp, SelectOp, SubIOp,
};
use terrace_dialects::{memref, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

use super::find::{Found, Search};
use crate::lower::expand::on_values;

/// The iterations of a chunk. Blocks of threads have enough to do with so many, and one core has them in its nearest
/// cache.
const CHUNK: i64 = 4096;

/// Loops of fewer iterations are not split.
const SHORT: u64 = 2 * CHUNK as u64;

/// The bounds of a loop: from, and to below.
type Bounds = ((AffineMap, Vec<Value>), (AffineMap, Vec<Value>));

/// What are the chunks whose extrema are found first.
#[derive(Clone, Copy)]
enum Chunks {
    /// There is one, the loop.
    One,
    /// Of so many iterations of the loop that runs from the first to below the second number.
    Strips(Value, Value),
    /// The iterations of the loop around, from this number on.
    Outer(Value),
}

/// Puts loops that find extrema and then places where the nest was.
pub(super) fn rewrite(ctx: &mut Context, found: &Found) {
    let outermost = found.nest[0];
    let mut results = outermost.op().results(ctx);
    let mut b = Builder::before(ctx, outermost.op());
    for s in &found.searches {
        let work = Work { found, s };
        for (at, v) in work.build(&mut b) {
            results[at].replace_all_uses(b.ctx, v);
        }
    }
    results.clear();
    outermost.op().erase(b.ctx);
}

/// A search that is taken apart.
struct Work<'a> {
    found: &'a Found,
    s: &'a Search,
}

impl Work<'_> {
    fn inner(&self) -> ForOp {
        self.found.nest[self.found.nest.len() - 1]
    }

    /// What is carried in the end, with its number.
    fn build(&self, b: &mut Builder) -> Vec<(usize, Value)> {
        let (chunks, count) = self.chunks(b);
        let (extremum, chunk) = match count {
            None => {
                let bounds = self.bounds(b, chunks, None);
                (self.extremum(b, chunks, None, &bounds), None)
            }
            Some(n) => {
                let each = self.each_chunk(b, chunks, n);
                let (extremum, at) = self.of_chunks(b, each, n);
                (extremum, Some((each, at)))
            }
        };
        // With chunks the place is looked for in the one that has the extremum, if there is one.
        let (at, outer, found) = match chunk {
            None => {
                let bounds = self.bounds(b, chunks, None);
                let (at, found) = self.place(b, chunks, None, &bounds, extremum);
                (at, None, found)
            }
            Some((each, (chunk, some))) => {
                let index = b.ctx.index();
                let zero = arith::constant_index(b, 0);
                let chunk = b.value::<SelectOp>(&[some, chunk, zero], index, &[]);
                let (lower, upper) = self.bounds(b, chunks, Some(chunk));
                let low = value_of(b, &lower, true);
                let high = value_of(b, &upper, false);
                let high = b.value::<SelectOp>(&[some, high, low], index, &[]);
                let one = |v| (AffineMap::symbol_identity(), vec![v]);
                let bounds = (one(low), one(high));
                let (at, found) = self.place(b, chunks, Some(chunk), &bounds, extremum);
                memref::DeallocOp::build(b, each);
                (at, Some(chunk), found)
            }
        };
        self.chosen(b, chunks, (at, outer), extremum, found)
    }

    /// The chunks, and how many there are, where there are several.
    fn chunks(&self, b: &mut Builder) -> (Chunks, Option<Value>) {
        let outer = self.found.nest[0];
        let lower = (outer.lower_map(b.ctx).clone(), outer.lower_operands(b.ctx));
        let upper = (outer.upper_map(b.ctx).clone(), outer.upper_operands(b.ctx));
        let index = b.ctx.index();
        let alone = self.found.nest.len() == 1;
        let is_short = outer.constant_trip_count(b.ctx).is_some_and(|n| n < SHORT);
        if alone && (is_short || !self.found.is_outside) {
            return (Chunks::One, None);
        }
        let (low, high) = (value_of(b, &lower, true), value_of(b, &upper, false));
        let way = b.value::<SubIOp>(&[high, low], index, &[]);
        let (chunks, count) = match alone {
            true => {
                let size = arith::constant_index(b, CHUNK);
                let n = b.value::<CeilDivSIOp>(&[way, size], index, &[]);
                (Chunks::Strips(low, high), n)
            }
            false => (Chunks::Outer(low), way),
        };
        let zero = arith::constant_index(b, 0);
        let count = b.value::<MaxSIOp>(&[count, zero], index, &[]);
        (chunks, Some(count))
    }

    /// The iterations of the inner loop, or of its part in a chunk.
    fn bounds(&self, b: &mut Builder, chunks: Chunks, chunk: Option<Value>) -> Bounds {
        let inner = self.inner();
        if let (Chunks::Strips(low, high), Some(c)) = (chunks, chunk) {
            let (d, s) = (AffineExpr::dim(0), AffineExpr::symbol);
            let left = s(1) - s(0) - d * CHUNK;
            let upper = AffineMap::new(1, 2, vec![AffineExpr::constant(CHUNK), left]);
            return (
                (AffineMap::constant(0), Vec::new()),
                (upper, vec![c, low, high]),
            );
        }
        let mut map = self.mapping(b, chunks, chunk);
        let mut here = |b: &mut Builder, all: Vec<Value>| -> Vec<Value> {
            all.into_iter()
                .map(|v| self.slice(b, v, &mut map))
                .collect()
        };
        let (lower, upper) = (inner.lower_operands(b.ctx), inner.upper_operands(b.ctx));
        let (lower, upper) = (here(b, lower), here(b, upper));
        let (low, high) = (
            inner.lower_map(b.ctx).clone(),
            inner.upper_map(b.ctx).clone(),
        );
        ((low, lower), (high, upper))
    }

    /// What stands for the loops' counters in a chunk, where its loop is at `at`.
    fn counters(
        &self,
        b: &mut Builder,
        chunks: Chunks,
        chunk: Option<Value>,
        at: Value,
    ) -> IrMapping {
        let mut map = self.mapping(b, chunks, chunk);
        let counter = match (chunks, chunk) {
            (Chunks::Strips(low, _), Some(c)) => {
                let (d, s) = (AffineExpr::dim, AffineExpr::symbol(0));
                let sum = AffineMap::new(2, 1, vec![d(0) * CHUNK + d(1) + s]);
                ApplyOp::build(b, sum, &[c, at, low])
            }
            _ => at,
        };
        map.map(self.inner().iv(b.ctx), counter);
        map
    }

    /// What stands for the outer loop's counter in a chunk.
    fn mapping(&self, b: &mut Builder, chunks: Chunks, chunk: Option<Value>) -> IrMapping {
        let mut map = IrMapping::new();
        if let (Chunks::Outer(low), Some(c)) = (chunks, chunk) {
            let sum = AffineMap::new(1, 1, vec![AffineExpr::dim(0) + AffineExpr::symbol(0)]);
            let counter = ApplyOp::build(b, sum, &[c, low]);
            map.map(self.found.nest[0].iv(b.ctx), counter);
        }
        map
    }

    /// `v`, which is computed in the nest, once more with what `map` has in place of other values.
    fn slice(&self, b: &mut Builder, v: Value, map: &mut IrMapping) -> Value {
        if let Some(new) = map.get(v) {
            return new;
        }
        let nest = self.found.nest[0].op();
        let Some(op) = v.def_op().filter(|o| nest.is_ancestor_of(b.ctx, *o)) else {
            return v;
        };
        for o in op.operands(b.ctx) {
            let new = self.slice(b, o, map);
            map.map(o, new);
        }
        // What a branch reads besides.
        for inside in op.post_order(b.ctx) {
            for o in inside.operands(b.ctx) {
                let own = o.def_op().is_some_and(|d| op.is_ancestor_of(b.ctx, d));
                if !own {
                    let new = self.slice(b, o, map);
                    map.map(o, new);
                }
            }
        }
        // A place that was found within a loop is no dimension and no symbol.
        let fits = |v: &Value| {
            let v = map.value(*v);
            let is_index = v.ty(b.ctx).is_index(b.ctx);
            !is_index || is_dim(b.ctx, v) || is_symbol(b.ctx, v)
        };
        let new = match op.operands(b.ctx).iter().all(fits) {
            true => None,
            false => on_values(b, op, map).and_then(|all| all.first().copied()),
        };
        if let Some(new) = new {
            map.map(v, new);
            return new;
        }
        let new = clone_op(b.ctx, op, map);
        b.insert(new);
        map.get(v).unwrap_or(v)
    }

    /// Which of several places is meant.
    fn nearest(&self) -> K {
        if self.s.last { K::MaxS } else { K::MinS }
    }

    /// What changes nothing when it is combined by `kind`.
    fn constant(&self, b: &mut Builder, kind: K, ty: terrace_ir::Type) -> Value {
        let zero = b.ctx.int_attr(ty, 0);
        let neutral = kind.identity(b.ctx, ty).unwrap_or(zero);
        arith::constant(b, neutral)
    }

    /// The extremum of the elements in these iterations; where there is none what changes nothing.
    fn extremum(
        &self,
        b: &mut Builder,
        chunks: Chunks,
        chunk: Option<Value>,
        (lower, upper): &Bounds,
    ) -> Value {
        let ty = self.s.element.ty(b.ctx);
        let neutral = self.start(b, ty);
        let (lower, upper) = (
            (lower.0.clone(), &lower.1[..]),
            (upper.0.clone(), &upper.1[..]),
        );
        let l = ForOp::build(b, lower, upper, 1, &[neutral], |b, iv, carried| {
            let mut map = self.counters(b, chunks, chunk, iv);
            let x = self.slice(b, self.s.element, &mut map);
            vec![self.combine(b, carried[0], x)]
        });
        l.op().result(b.ctx, 0)
    }

    /// How floats are compared where an element that is like the start need not be told from none. It takes fewer
    /// instructions than a maximum that passes over NaNs.
    fn compared(&self) -> Option<CmpFPredicate> {
        match self.s.kind {
            K::MaxNumF if !self.s.last => Some(CmpFPredicate::Ogt),
            K::MinNumF if !self.s.last => Some(CmpFPredicate::Olt),
            _ => None,
        }
    }

    /// What an extremum of no elements is.
    fn start(&self, b: &mut Builder, ty: terrace_ir::Type) -> Value {
        let kind = match (self.compared(), self.s.kind) {
            (Some(_), K::MaxNumF) => K::MaximumF,
            (Some(_), _) => K::MinimumF,
            (None, kind) => kind,
        };
        self.constant(b, kind, ty)
    }

    /// The extremum of one so far and one more.
    fn combine(&self, b: &mut Builder, so_far: Value, x: Value) -> Value {
        let ty = x.ty(b.ctx);
        let Some(p) = self.compared() else {
            return self.s.kind.combine(b, so_far, x, ty);
        };
        let greater = CmpFOp::build(b, p, x, so_far);
        // What is carried in the end comes from its place, and so does the sign of a zero: any order will do.
        if let Some(op) = greater.def_op() {
            let any = arith::fastmath::NSZ | arith::fastmath::REASSOC;
            let flags = arith::FASTMATH.attr(b.ctx, any);
            op.set_attr(b.ctx, arith::ATTR_FASTMATH, flags);
        }
        b.value::<SelectOp>(&[greater, x, so_far], ty, &[])
    }

    /// The first, or the last, place of `extremum` in these iterations, and whether there is one.
    fn place(
        &self,
        b: &mut Builder,
        chunks: Chunks,
        chunk: Option<Value>,
        (lower, upper): &Bounds,
        extremum: Value,
    ) -> (Value, Value) {
        // As many bits as places need, so that lanes of vectors can have them.
        let bits = match (chunks, chunk) {
            (Chunks::Strips(..), Some(_)) => 32,
            _ => 64,
        };
        let ty = b.ctx.int(bits);
        let none = self.constant(b, self.nearest(), ty);
        let (lower, upper) = (
            (lower.0.clone(), &lower.1[..]),
            (upper.0.clone(), &upper.1[..]),
        );
        let l = ForOp::build(b, lower, upper, 1, &[none], |b, iv, carried| {
            let mut map = self.counters(b, chunks, chunk, iv);
            let x = self.slice(b, self.s.element, &mut map);
            let at = b.value::<IndexCastOp>(&[iv], ty, &[]);
            vec![self.nearer(b, (x, extremum), (at, none), carried[0])]
        });
        let place = l.op().result(b.ctx, 0);
        let found = CmpIOp::build(b, CmpIPredicate::Ne, place, none);
        let index = b.ctx.index();
        (b.value::<IndexCastOp>(&[place], index, &[]), found)
    }

    /// `at`, if the element is the extremum, or the place before, whichever counts.
    fn nearer(
        &self,
        b: &mut Builder,
        (x, extremum): (Value, Value),
        (at, none): (Value, Value),
        before: Value,
    ) -> Value {
        let is_float = x.ty(b.ctx).is_float(b.ctx);
        let equal = match is_float {
            true => CmpFOp::build(b, CmpFPredicate::Oeq, x, extremum),
            false => CmpIOp::build(b, CmpIPredicate::Eq, x, extremum),
        };
        let ty = at.ty(b.ctx);
        let here = b.value::<SelectOp>(&[equal, at, none], ty, &[]);
        self.nearest().combine(b, before, here, ty)
    }

    /// An array with the extremum of each chunk.
    fn each_chunk(&self, b: &mut Builder, chunks: Chunks, count: Value) -> Value {
        let ty = self.s.element.ty(b.ctx);
        let ty = b.ctx.memref(&[DYNAMIC], ty);
        let each = memref::AllocOp::build(b, ty, &[count]);
        let zero = (AffineMap::constant(0), &[][..]);
        ForOp::build(
            b,
            zero,
            (AffineMap::symbol_identity(), &[count]),
            1,
            &[],
            |b, c, _| {
                let bounds = self.bounds(b, chunks, Some(c));
                let v = self.extremum(b, chunks, Some(c), &bounds);
                StoreOp::build_at(b, v, each, &[c]);
                Vec::new()
            },
        );
        each
    }

    /// The extremum of all chunks, and the first or last chunk that has it, with whether there is one.
    fn of_chunks(&self, b: &mut Builder, each: Value, count: Value) -> (Value, (Value, Value)) {
        let ty = self.s.element.ty(b.ctx);
        let neutral = self.start(b, ty);
        let zero = || (AffineMap::constant(0), &[][..]);
        let end = || AffineMap::symbol_identity();
        let extremum = ForOp::build(b, zero(), (end(), &[count]), 1, &[neutral], |b, c, v| {
            let x = LoadOp::build_at(b, each, &[c]);
            vec![self.combine(b, v[0], x)]
        });
        let extremum = extremum.op().result(b.ctx, 0);
        let i64 = b.ctx.int(64);
        let none = self.constant(b, self.nearest(), i64);
        let at = ForOp::build(b, zero(), (end(), &[count]), 1, &[none], |b, c, v| {
            let x = LoadOp::build_at(b, each, &[c]);
            let at = b.value::<IndexCastOp>(&[c], i64, &[]);
            vec![self.nearer(b, (x, extremum), (at, none), v[0])]
        });
        let at = at.op().result(b.ctx, 0);
        let found = CmpIOp::build(b, CmpIPredicate::Ne, at, none);
        let index = b.ctx.index();
        let at = b.value::<IndexCastOp>(&[at], index, &[]);
        (extremum, (at, found))
    }

    /// What is carried in the end: what is chosen at the place, where the extremum was found and takes the
    /// place of what the loop began with.
    fn chosen(
        &self,
        b: &mut Builder,
        chunks: Chunks,
        (at, chunk): (Value, Option<Value>),
        extremum: Value,
        found: Value,
    ) -> Vec<(usize, Value)> {
        let outermost = self.found.nest[0];
        let inits = outermost.inits(b.ctx);
        let so_far = self.s.cmp.operand(b.ctx, usize::from(self.s.element_first));
        let first = match self.s.extremum {
            Some(i) => inits[i],
            None => self.first_element(b, so_far, found),
        };
        let mut map = IrMapping::new();
        map.map(self.s.element, extremum);
        map.map(so_far, first);
        let cmp = clone_op(b.ctx, self.s.cmp, &mut map);
        b.insert(cmp);
        let holds = cmp.result(b.ctx, 0);
        let bit = b.ctx.int(1);
        let takes = b.value::<arith::AndIOp>(&[holds, found], bit, &[]);
        let mut all: Vec<(usize, Value)> = self.s.chosen.iter().map(|c| (c.at, c.new)).collect();
        all.extend(self.s.extremum.map(|i| (i, self.s.element)));
        let types: Vec<_> = all.iter().map(|(_, v)| v.ty(b.ctx)).collect();
        let (op, then, other) = scf::IfOp::build(b, takes, &types, true);
        let after = b.at;
        b.at = InsertPoint::End(then);
        let mut map = self.counters(b, chunks, chunk, at);
        let new: Vec<Value> = all
            .iter()
            .map(|(_, v)| self.slice(b, *v, &mut map))
            .collect();
        scf::YieldOp::build(b, &new);
        if let Some(other) = other {
            b.at = InsertPoint::End(other);
            let old: Vec<Value> = all.iter().map(|(i, _)| inits[*i]).collect();
            scf::YieldOp::build(b, &old);
        }
        b.at = after;
        let results = op.op().results(b.ctx);
        all.iter().map(|(i, _)| *i).zip(results).collect()
    }

    /// The element at the place that the loop began with, where it has an iteration and thus looks at it.
    fn first_element(&self, b: &mut Builder, so_far: Value, found: Value) -> Value {
        let ty = so_far.ty(b.ctx);
        let (op, then, other) = scf::IfOp::build(b, found, &[ty], true);
        let after = b.at;
        b.at = InsertPoint::End(then);
        let mut map = IrMapping::new();
        let (args, inits) = (
            self.inner().iter_args(b.ctx),
            self.found.nest[0].inits(b.ctx),
        );
        map.map_all(&args, &inits);
        let v = self.slice(b, so_far, &mut map);
        scf::YieldOp::build(b, &[v]);
        if let Some(other) = other {
            b.at = InsertPoint::End(other);
            let neutral = self.start(b, ty);
            scf::YieldOp::build(b, &[neutral]);
        }
        b.at = after;
        op.op().result(b.ctx, 0)
    }
}

/// A bound as a value: the greatest of lower, the least of upper ones.
fn value_of(b: &mut Builder, (map, operands): &(AffineMap, Vec<Value>), lower: bool) -> Value {
    let index = b.ctx.index();
    let mut best: Option<Value> = None;
    for i in 0..map.num_results() {
        let v = ApplyOp::build(b, map.sub_map(&[i]), operands);
        best = Some(match best {
            None => v,
            Some(o) if lower => b.value::<MaxSIOp>(&[o, v], index, &[]),
            Some(o) => b.value::<MinSIOp>(&[o, v], index, &[]),
        });
    }
    best.unwrap_or_else(|| arith::constant_index(b, 0))
}
