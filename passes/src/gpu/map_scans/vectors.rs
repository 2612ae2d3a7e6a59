//! How the elements of a thread lie in a tile of a scan in one pass, and loads and stores of several
//! of them at once.
//!
//! ```text
//! warp 0: lane 0  lane 1  lane 2 ...     each `vector` neighbours, one load or store of 16 bytes
//!         lane 0  lane 1  lane 2 ...     `vectors` such rows, one behind the other
//! warp 1: ...
//! ```

use super::body::{copy, subscripts};
use super::find::branches;
use super::policy::{LANES, TILE_BYTES, WARPS};
use super::shape::Scan;
use crate::analysis::linear::Linear;
use crate::gpu::aligned::{promise, rows_aligned};
use crate::loops::build::index::*;
use terrace_dialects::affine::{Access, ForOp};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate as P, IndexCastOp};
use terrace_dialects::{affine, memref, scf, vector};
use terrace_ir::clone::IrMapping;
use terrace_ir::effects::only_reads;
use terrace_ir::{Builder, Context, Op, OpKind, TypeData, Value};

/// Bytes of a load or store.
const BYTES: i64 = 16;

/// How the elements of a thread lie.
#[derive(Debug)]
pub struct Layout {
    /// Neighbours that a thread has together, and how many times as many.
    pub vector: i64,
    pub vectors: i64,
    /// Loads and stores of neighbours in iterations that follow one another, which lie together as
    /// the tile does.
    wide: Vec<Wide>,
    /// How far the element of the wide accesses lies from the counter.
    offset: i64,
    /// Conditions on the counter that hold, or do not, in all iterations from some on.
    known: Vec<Known>,
}

#[derive(Debug)]
struct Wide {
    op: Op,
    at: Element,
}

/// An element with the counter in the last subscript: its array, the other subscripts, and what is
/// added to the counter.
#[derive(Debug)]
struct Element {
    memref: Value,
    others: Vec<Linear>,
    offset: i64,
    bytes: i64,
}

impl Element {
    fn of(ctx: &Context, l: ForOp, op: Op) -> Option<Element> {
        if !matches!(op.name(ctx), affine::LoadOp::NAME | affine::StoreOp::NAME) {
            return None;
        }
        let a = Access::of(ctx, op).filter(|a| a.vector.is_none())?;
        let data = a.memref.ty(ctx).data(ctx);
        let TypeData::MemRef { layout: None, .. } = data else {
            return None;
        };
        let ty = a.memref.ty(ctx).element_or_self(ctx);
        let bits = ty.bit_width(ctx).filter(|_| !ty.is_index(ctx))?;
        let m = a.composed(ctx);
        let mut others = Linear::of_map(&m.map, &m.operands)?;
        let last = others.pop()?;
        let iv = l.iv(ctx);
        let offset = last.minus(&Linear::value(iv))?.as_constant()?;
        let fits = l.step(ctx) == 1
            && matches!(bits, 8 | 16 | 32 | 64)
            && others.iter().all(|o| o.coefficient(iv) == 0);
        fits.then_some(Element {
            memref: a.memref,
            others,
            offset,
            bytes: i64::from(bits) / 8,
        })
    }

    /// How far another element of the same row lies behind.
    fn behind(&self, other: &Element) -> Option<i64> {
        let same = self.memref == other.memref
            && self.others.len() == other.others.len()
            && (self.others.iter().zip(&other.others)).all(|(x, y)| x.equals(y));
        same.then(|| other.offset - self.offset)
    }
}

/// A condition that compares the counter with a constant.
#[derive(Debug)]
struct Known {
    op: Op,
    /// From which counter on this side of it is taken.
    least: i64,
    side: usize,
    /// The last counter for which the comparison is one of whole numbers.
    last: i64,
}

impl Known {
    fn of(ctx: &Context, l: ForOp, op: Op) -> Option<Known> {
        let compare = op.cast::<scf::IfOp>(ctx)?.condition(ctx).def_op()?;
        let compare = compare.cast::<CmpIOp>(ctx)?;
        let (x, bound) = (compare.op().operand(ctx, 0), compare.op().operand(ctx, 1));
        let c = ctx.constant_int(bound).filter(|c| *c >= 0)?;
        let cast = x.def_op().filter(|o| o.isa::<IndexCastOp>(ctx));
        let counter = cast.map_or(x, |o| o.operand(ctx, 0));
        let last = match x.ty(ctx).int_width(ctx) {
            Some(32) => i64::from(i32::MAX),
            Some(64) | None => i64::MAX,
            _ => return None,
        };
        let (side, least) = match compare.predicate(ctx)? {
            P::Sgt | P::Ugt | P::Ne => (0, c.checked_add(1)?),
            P::Sge | P::Uge => (0, c),
            P::Sle | P::Ule | P::Eq => (1, c.checked_add(1)?),
            P::Slt | P::Ult => (1, c),
        };
        (counter == l.iv(ctx)).then_some(Known {
            op,
            least,
            side,
            last,
        })
    }

    /// What is done where the condition is as it is from some iteration on.
    fn ops(&self, ctx: &Context) -> Vec<Op> {
        branches(ctx, self.op)
            .into_iter()
            .nth(self.side)
            .unwrap_or_default()
    }
}

/// Whether a scan stores to places that do not follow one another as its iterations do. In one pass these would be
/// made of what is loaded again, or of neighbours of another lane. (H200: `b[k++] = a[i]` of 30,000,001 numbers takes
/// 0.140 ms so, and 0.096 in parts.)
pub fn scatters(ctx: &Context, s: &Scan) -> bool {
    let mut found = false;
    for op in &s.rest {
        op.walk(ctx, &mut |o| {
            let writes = o.num_regions(ctx) == 0
                && o.num_results(ctx) == 0
                && o.num_operands(ctx) > 1
                && !only_reads(ctx, o);
            found |= writes && Element::of(ctx, s.l, o).is_none();
        });
    }
    found
}

impl Layout {
    pub fn of(ctx: &Context, s: &Scan) -> Layout {
        let mut found = Layout {
            vector: 1,
            vectors: 1,
            wide: Vec::new(),
            offset: 0,
            known: Vec::new(),
        };
        found.look(ctx, s, &s.slice);
        found.look(ctx, s, &s.rest);
        let all = found.wide.iter();
        let store = all.clone().find(|w| w.op.isa::<affine::StoreOp>(ctx));
        found.offset = store.or(all.clone().next()).map_or(0, |w| w.at.offset);
        let held: i64 = (s.held_types(ctx).iter())
            .map(|t| i64::from(t.bit_width(ctx).unwrap_or(64)) / 8)
            .sum();
        let widest = all.map(|w| w.at.bytes).max().unwrap_or(BYTES);
        let widest = widest.max(i64::from(s.ty.bit_width(ctx).unwrap_or(64)) / 8);
        if !s.ty.is_index(ctx) {
            found.vector = BYTES / widest;
        }
        let (vector, offset) = (found.vector, found.offset);
        let fits = |w: &Wide| vector > 1 && (w.at.offset - offset).rem_euclid(vector) == 0;
        found.wide.retain(fits);
        found.vectors = (TILE_BYTES / held.max(4) / found.vector).max(1);
        found
    }

    fn look(&mut self, ctx: &Context, s: &Scan, ops: &[Op]) {
        for op in ops {
            if let Some(at) = Element::of(ctx, s.l, *op) {
                self.wide.push(Wide { op: *op, at });
            } else if let Some(known) = Known::of(ctx, s.l, *op) {
                let inner = known.ops(ctx);
                self.known.push(known);
                self.look(ctx, s, &inner);
            }
        }
    }

    /// Elements of a thread in a tile.
    pub fn items(&self) -> i64 {
        self.vector * self.vectors
    }

    /// Elements of a tile.
    pub fn size(&self) -> i64 {
        WARPS * LANES * self.items()
    }

    /// By how many elements the first tile is shorter, so that vectors of all lie at multiples of their size;
    /// `first` is the counter of the first iteration.
    pub fn shift(&self, b: &mut Builder, first: Value) -> Value {
        let at = add_constant(b, first, self.offset);
        let (low, index) = (constant(b, self.vector - 1), b.ctx.index());
        b.value::<arith::AndIOp>(&[at, low], index, &[])
    }

    /// Whether the iterations from counter `first` to `last` may be done by [`Layout::copy`].
    pub fn fits(&self, b: &mut Builder, (first, last): (Value, Value), map: &IrMapping) -> Value {
        let mut all = arith::constant_bool(b, true);
        let mut seen: Vec<Value> = Vec::new();
        for w in &self.wide {
            if !seen.contains(&w.at.memref) {
                seen.push(w.at.memref);
                let array = map.value(w.at.memref);
                let one = rows_aligned(b, array, self.vector, w.at.bytes, false);
                all = and(b, all, one);
            }
        }
        for k in &self.known {
            let least = constant(b, k.least);
            let from = CmpIOp::build(b, P::Sge, first, least);
            all = and(b, all, from);
            if k.last < i64::MAX {
                let most = constant(b, k.last);
                let to = CmpIOp::build(b, P::Sle, last, most);
                all = and(b, all, to);
            }
        }
        all
    }

    /// Copies ops for iterations that follow one another, each with its map.
    pub fn copy(&self, b: &mut Builder, ops: &[Op], maps: &mut [IrMapping]) {
        let mut loaded: Vec<(&Wide, Vec<Value>)> = Vec::new();
        self.copy_with(b, ops, maps, &mut loaded);
    }

    fn copy_with<'l>(
        &'l self,
        b: &mut Builder,
        ops: &[Op],
        maps: &mut [IrMapping],
        loaded: &mut Vec<(&'l Wide, Vec<Value>)>,
    ) {
        for op in ops {
            let wide = self.wide.iter().find(|w| w.op == *op);
            let known = self.known.iter().find(|k| k.op == *op);
            if let Some(known) = known {
                let inner = known.ops(b.ctx);
                self.copy_with(b, &inner, maps, loaded);
                let region = op.regions(b.ctx).into_iter().nth(known.side);
                let last = region.and_then(|r| r.blocks(b.ctx).first()?.last_op(b.ctx));
                let given = last.map_or(Vec::new(), |o| o.operands(b.ctx));
                for map in maps.iter_mut() {
                    for (v, to) in op.results(b.ctx).into_iter().zip(&given) {
                        let to = map.value(*to);
                        map.map(v, to);
                    }
                }
            } else if op.isa::<affine::LoadOp>(b.ctx)
                && let Some(values) = self.load(b, *op, wide, maps, loaded)
            {
                for (map, v) in maps.iter_mut().zip(values) {
                    map.map(op.result(b.ctx, 0), v);
                }
            } else if let Some(w) = wide {
                loaded.clear();
                self.store(b, w, maps);
            } else {
                if !only_reads(b.ctx, *op) {
                    loaded.clear();
                }
                for map in maps.iter_mut() {
                    copy(b, &[*op], map);
                }
            }
        }
    }

    /// What a load gives in each iteration: by one load of all, and those beside it by a load each.
    fn load<'l>(
        &'l self,
        b: &mut Builder,
        op: Op,
        wide: Option<&'l Wide>,
        maps: &[IrMapping],
        loaded: &mut Vec<(&'l Wide, Vec<Value>)>,
    ) -> Option<Vec<Value>> {
        let at = Access::of(b.ctx, op)?;
        let own = match wide {
            Some(_) => None,
            None => self.neighbour(b.ctx, op),
        };
        let (whole, by) = match (wide, own) {
            (Some(w), _) => (w, 0),
            (None, found) => found?,
        };
        let known = loaded
            .iter()
            .find(|(w, _)| w.at.behind(&whole.at) == Some(0));
        let values = match known {
            Some((_, values)) => values.clone(),
            None => {
                let a = Access::of(b.ctx, whole.op)?;
                let at = subscripts(b, &a, &maps[0]);
                let element = whole.op.result(b.ctx, 0).ty(b.ctx);
                let ty = b.ctx.vector(&[self.vector], element);
                let v = vector::LoadOp::build(b, ty, maps[0].value(a.memref), &at);
                if let Some(load) = v.def_op() {
                    promise(b, load, self.vector * whole.at.bytes);
                }
                let values: Vec<Value> = (0..self.vector)
                    .map(|n| vector::ExtractOp::build(b, v, &[n]))
                    .collect();
                loaded.push((whole, values.clone()));
                values
            }
        };
        let one = |b: &mut Builder, map: &IrMapping| {
            let place = subscripts(b, &at, map);
            memref::LoadOp::build(b, map.value(at.memref), &place)
        };
        let all = maps.iter().enumerate().map(|(n, map)| {
            let there = usize::try_from(n as i64 + by).ok();
            there
                .and_then(|n| values.get(n).copied())
                .unwrap_or_else(|| one(b, map))
        });
        Some(all.collect())
    }

    /// A wide load whose elements one is some before or behind.
    fn neighbour(&self, ctx: &Context, op: Op) -> Option<(&Wide, i64)> {
        let (s, vector) = (Access::of(ctx, op)?, self.vector);
        self.wide.iter().find_map(|w| {
            let a = Access::of(ctx, w.op)?;
            let loads = w.op.isa::<affine::LoadOp>(ctx) && a.memref == s.memref;
            let (own, other) = (s.composed(ctx), a.composed(ctx));
            let x = Linear::of_map(&own.map, &own.operands).filter(|_| loads)?;
            let y = Linear::of_map(&other.map, &other.operands)?;
            let ((p, x), (q, y)) = (x.split_last()?, y.split_last()?);
            let same = x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.equals(y));
            let by = p.minus(q)?.as_constant().filter(|n| n.abs() < vector)?;
            same.then_some((w, by))
        })
    }

    fn store(&self, b: &mut Builder, w: &Wide, maps: &[IrMapping]) {
        let Some(a) = Access::of(b.ctx, w.op) else {
            return;
        };
        let stored = w.op.operand(b.ctx, 0);
        let values: Vec<Value> = maps.iter().map(|m| m.value(stored)).collect();
        let at = subscripts(b, &a, &maps[0]);
        let ty = b.ctx.vector(&[self.vector], stored.ty(b.ctx));
        let v = b.value::<vector::FromElementsOp>(&values, ty, &[]);
        let store = vector::StoreOp::build(b, v, maps[0].value(a.memref), &at);
        promise(b, store, self.vector * w.at.bytes);
    }
}
