//! Loops in tiles: the iterations of a tile, while those behind it are copied.

use super::copies::create_group;
use super::ragged::Range;
use super::{Kernel, guarded, types};
use crate::gpu::map_reductions::plan::{Tiled, Way, body};
use crate::gpu::map_reductions::policy::UNROLL;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::clone::clone_op;
use terrace_ir::{Builder, InsertPoint, OpKind, Type, Value};

/// What a tiled loop has all along.
pub(super) struct Frame<'l> {
    pub l: &'l Tiled,
    pub range: Range,
    /// The number of tiles, the last of which begins at iteration `latest` and so may have
    /// some that the one before it has too.
    pub tiles: Value,
    pub latest: Value,
    pub columns: Value,
    pub zero: Value,
    pub one: Value,
    /// How many tiles are copied ahead of the one that is used.
    ahead: Value,
    /// An empty group in front of those of the tiles, for its token, which all who wait can
    /// see.
    group: Value,
}

/// What iterations hand on: the loop's carried values, then the elements in registers.
type Carried = Vec<Value>;

/// `scf.if`; where the condition is false what is carried stays.
fn changed_where(
    b: &mut Builder,
    condition: Value,
    carried: &[Value],
    f: impl FnOnce(&mut Builder) -> Carried,
) -> Carried {
    let types = types(b, carried);
    let (op, then, other) = scf::IfOp::build(b, condition, &types, !types.is_empty());
    b.with_point(InsertPoint::End(then), |b| {
        let out = f(b);
        scf::YieldOp::build(b, &out);
    });
    if let Some(other) = other {
        b.with_point(InsertPoint::End(other), |b| {
            scf::YieldOp::build(b, carried);
        });
    }
    op.op().results(b.ctx)
}

impl Kernel<'_> {
    /// A loop in tiles; gives its results. One that fills no tile is done as it was.
    pub(super) fn tiled(&self, b: &mut Builder, l: &Tiled, tiled_before: bool) -> Vec<Value> {
        let inits: Vec<Value> = l.op.init_args(b.ctx);
        let inits: Vec<Value> = inits.iter().map(|v| self.map.value(*v)).collect();
        let range = self.range(b, l);
        let width = arith::constant_index(b, self.plan.columns);
        let enough = arith::CmpIOp::build(b, CmpIPredicate::Sge, range.length, width);
        let types = types(b, &inits);
        let (op, then, other) = scf::IfOp::build(b, enough, &types, true);
        b.with_point(InsertPoint::End(then), |b| {
            let out = self.in_tiles(b, l, (range, width), &inits, tiled_before);
            scf::YieldOp::build(b, &out);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                let out = guarded(b, self.active, &types, |b| self.plain(b, l, &range, &inits));
                scf::YieldOp::build(b, &out);
            });
        }
        op.op().results(b.ctx)
    }

    /// The loop as it is, counted from 0, so that a counter that only some threads move is
    /// no copy of a bound that all agree on.
    fn plain(&self, b: &mut Builder, l: &Tiled, range: &Range, inits: &[Value]) -> Vec<Value> {
        let zero = arith::constant_index(b, 0);
        let one = arith::constant_index(b, 1);
        let (lower, length) = match range.ragged {
            Some(r) => {
                let length = b.value::<arith::SubIOp>(&[r.upper, r.lower], self.index, &[]);
                (r.lower, length)
            }
            None => (range.lower, range.length),
        };
        let op = scf::ForOp::build_with(b, (zero, length, one), inits, |b, c, carried| {
            let mut map = self.map.clone();
            let args = l.op.iter_args(b.ctx);
            map.map_all(&args, carried);
            let j = self.add(b, lower, c);
            map.map(l.op.induction_var(b.ctx), j);
            let mut out = Vec::new();
            for op in body(b.ctx, l).ops(b.ctx) {
                if op.isa::<scf::YieldOp>(b.ctx) {
                    out = op.operands(b.ctx).iter().map(|v| map.value(*v)).collect();
                } else {
                    let copy = clone_op(b.ctx, op, &mut map);
                    b.insert(copy);
                }
            }
            out
        });
        op.op().results(b.ctx)
    }

    fn in_tiles(
        &self,
        b: &mut Builder,
        l: &Tiled,
        (range, width): (Range, Value),
        inits: &[Value],
        tiled_before: bool,
    ) -> Vec<Value> {
        let index = self.index;
        let length = range.length;
        let zero = arith::constant_index(b, 0);
        let one = arith::constant_index(b, 1);
        let full = b.value::<arith::DivUIOp>(&[length, width], index, &[]);
        let rest = b.value::<arith::RemUIOp>(&[length, width], index, &[]);
        let more = arith::constant_index(b, self.plan.columns - 1);
        let tiles = b.value::<arith::AddIOp>(&[length, more], index, &[]);
        let tiles = b.value::<arith::DivUIOp>(&[tiles, width], index, &[]);
        let latest = b.value::<arith::SubIOp>(&[length, width], index, &[]);
        if tiled_before {
            // The buffers may be in use yet.
            gpu::BarrierOp::build(b);
        }
        let f = Frame {
            l,
            range,
            tiles,
            latest,
            columns: width,
            zero,
            one,
            ahead: arith::constant_index(b, self.plan.stages - 1),
            group: create_group(b),
        };
        self.fill_ahead(b, &f);
        let mut carried: Carried = inits.to_vec();
        carried.extend(self.take(b, &f));
        let (carried, slot) = self.full_tiles(b, &f, full, carried);
        let mut carried = self.last_tile(b, &f, (full, rest), slot, &carried);
        self.store_last_tile(b, &f);
        let kept = carried.split_off(inits.len());
        self.give_back(b, &f, &kept);
        carried
    }

    /// Begin to fill all but one of the buffers.
    fn fill_ahead(&self, b: &mut Builder, f: &Frame) {
        guarded(b, self.copies, &[], |b| {
            scf::ForOp::build_with(b, (f.zero, f.ahead, f.one), &[], |b, s, _| {
                self.begin(b, f, s, s);
                Vec::new()
            });
            Vec::new()
        });
    }

    /// The first `full` tiles; also gives the buffer of the next one.
    fn full_tiles(
        &self,
        b: &mut Builder,
        f: &Frame,
        full: Value,
        mut carried: Carried,
    ) -> (Carried, Value) {
        let (index, zero, one) = (self.index, f.zero, f.one);
        carried.push(zero);
        let main = scf::ForOp::build_with(b, (zero, full, one), &carried, |b, t, carried| {
            let (slot, state) = match carried.split_last() {
                Some((slot, state)) => (*slot, state.to_vec()),
                None => (zero, Vec::new()),
            };
            self.wait(b, f.group);
            // The tile before this one is no longer read: its buffer is the next to fill.
            let top = arith::constant_index(b, self.plan.stages - 1);
            let at_start = arith::CmpIOp::build(b, CmpIPredicate::Eq, slot, zero);
            let before = b.value::<arith::SubIOp>(&[slot, one], index, &[]);
            let free = arith::SelectOp::build(b, at_start, top, before);
            let next = b.value::<arith::AddIOp>(&[t, f.ahead], index, &[]);
            guarded(b, self.copies, &[], |b| {
                self.begin(b, f, free, next);
                if !f.l.stores.is_empty() {
                    let some = arith::CmpIOp::build(b, CmpIPredicate::Ne, t, zero);
                    guarded(b, some, &[], |b| {
                        let before = b.value::<arith::SubIOp>(&[t, one], index, &[]);
                        self.store_tile(b, f, before);
                        Vec::new()
                    });
                }
                Vec::new()
            });
            let mut out = self.full_tile(b, f, t, slot, &state);
            let at_top = arith::CmpIOp::build(b, CmpIPredicate::Eq, slot, top);
            let after = b.value::<arith::AddIOp>(&[slot, one], index, &[]);
            out.push(arith::SelectOp::build(b, at_top, zero, after));
            out
        });
        let mut carried = main.op().results(b.ctx);
        let slot = carried.pop().unwrap_or(zero);
        (carried, slot)
    }

    /// The iterations of tile `t`, by the threads that have one of the parallel loop.
    fn full_tile(
        &self,
        b: &mut Builder,
        f: &Frame,
        t: Value,
        slot: Value,
        state: &[Value],
    ) -> Carried {
        changed_where(b, self.who_works(f), state, |b| {
            let out = self.waits_in(b, f, t);
            let start = b.value::<arith::MulIOp>(&[t, f.columns], self.index, &[]);
            let Some(all) = self.all_there(b, &f.range, start) else {
                return self.all_columns(b, f, (slot, out), start, state);
            };
            let types = types(b, state);
            let (op, then, other) = scf::IfOp::build(b, all, &types, true);
            b.with_point(InsertPoint::End(then), |b| {
                let done = self.all_columns(b, f, (slot, out), start, state);
                scf::YieldOp::build(b, &done);
            });
            if let Some(other) = other {
                b.with_point(InsertPoint::End(other), |b| {
                    let columns = (f.zero, f.columns);
                    let done = self.some_columns(b, f, (slot, out), (start, columns), state);
                    scf::YieldOp::build(b, &done);
                });
            }
            op.op().results(b.ctx)
        })
    }

    fn all_columns(
        &self,
        b: &mut Builder,
        f: &Frame,
        slots: (Value, Value),
        start: Value,
        state: &[Value],
    ) -> Carried {
        let unroll = arith::constant_index(b, UNROLL);
        let bounds = (f.zero, f.columns, unroll);
        let op = scf::ForOp::build_with(b, bounds, state, |b, c, state| {
            let mut state = state.to_vec();
            for u in 0..UNROLL {
                let u = arith::constant_index(b, u);
                let c = self.add(b, c, u);
                state = self.step(b, f, slots, start, c, state);
            }
            state
        });
        op.op().results(b.ctx)
    }

    /// The thread's own of the columns between two.
    fn some_columns(
        &self,
        b: &mut Builder,
        f: &Frame,
        slots: (Value, Value),
        (start, columns): (Value, (Value, Value)),
        state: &[Value],
    ) -> Carried {
        let (from, to) = self.own_part(b, &f.range, start, columns);
        let op = scf::ForOp::build_with(b, (from, to, f.one), state, |b, c, state| {
            self.step(b, f, slots, start, c, state.to_vec())
        });
        op.op().results(b.ctx)
    }

    /// The `rest` iterations that are left of the last tile.
    fn last_tile(
        &self,
        b: &mut Builder,
        f: &Frame,
        (full, rest): (Value, Value),
        slot: Value,
        carried: &[Value],
    ) -> Carried {
        let some = arith::CmpIOp::build(b, CmpIPredicate::Ne, rest, f.zero);
        changed_where(b, some, carried, |b| {
            self.wait(b, f.group);
            if !f.l.stores.is_empty() {
                guarded(b, self.copies, &[], |b| {
                    let before = b.value::<arith::SubIOp>(&[full, f.one], self.index, &[]);
                    self.store_tile(b, f, before);
                    Vec::new()
                });
            }
            changed_where(b, self.who_works(f), carried, |b| {
                let out = self.waits_in(b, f, full);
                let skip = b.value::<arith::SubIOp>(&[f.columns, rest], self.index, &[]);
                let columns = (skip, f.columns);
                self.some_columns(b, f, (slot, out), (f.latest, columns), carried)
            })
        })
    }

    /// The threads that do the iterations: of a loop that overwrites what it loads only those whose
    /// elements are copied.
    fn who_works(&self, f: &Frame) -> Value {
        match f.l.in_place {
            true => self.active,
            false => self.works,
        }
    }

    /// Load what stays in registers.
    fn take(&self, b: &mut Builder, f: &Frame) -> Vec<Value> {
        let l = f.l;
        if l.kept.is_empty() {
            return Vec::new();
        }
        let types: Vec<Type> = l.kept.iter().map(|k| k.ty).collect();
        let some = self.has_some(b, &f.range);
        guarded(b, some, &types, |b| {
            l.kept
                .iter()
                .map(|k| {
                    let at: Vec<Value> = k.at.iter().map(|v| self.map.value(*v)).collect();
                    memref::LoadOp::build(b, self.map.value(k.memref), &at)
                })
                .collect()
        })
    }

    /// Store what changed in registers.
    fn give_back(&self, b: &mut Builder, f: &Frame, values: &[Value]) {
        let l = f.l;
        if !l.kept.iter().any(|k| k.written) {
            return;
        }
        let some = self.has_some(b, &f.range);
        guarded(b, some, &[], |b| {
            for (k, v) in l.kept.iter().zip(values).filter(|(k, _)| k.written) {
                let at: Vec<Value> = k.at.iter().map(|v| self.map.value(*v)).collect();
                memref::StoreOp::build(b, *v, self.map.value(k.memref), &at);
            }
            Vec::new()
        });
    }

    /// One iteration: column `c` of the tile in `slot`, whose first is iteration `start`.
    fn step(
        &self,
        b: &mut Builder,
        f: &Frame,
        (slot, out_slot): (Value, Value),
        start: Value,
        c: Value,
        state: Carried,
    ) -> Carried {
        let l = f.l;
        let mut map = self.map.clone();
        let args = l.op.iter_args(b.ctx);
        map.map_all(&args, &state[..args.len()]);
        let mut kept = state[args.len()..].to_vec();
        let j = b.value::<arith::AddIOp>(&[start, c], self.index, &[]);
        let j = self.add(b, f.range.lower, j);
        map.map(l.op.induction_var(b.ctx), j);
        let mut out: Carried = Vec::new();
        for op in body(b.ctx, l).ops(b.ctx) {
            if l.skipped.contains(&op) {
                continue;
            }
            if op.isa::<scf::YieldOp>(b.ctx) {
                out = op.operands(b.ctx).iter().map(|v| map.value(*v)).collect();
            } else if let Some(k) = l.kept.iter().position(|k| k.ops.contains(&op)) {
                match op.isa::<memref::StoreOp>(b.ctx) {
                    true => kept[k] = map.value(op.operand(b.ctx, 0)),
                    false => map.map(op.result(b.ctx, 0), kept[k]),
                }
            } else if let Some(store) = l.stores.iter().find(|s| s.op == op) {
                let v = map.value(op.operand(b.ctx, 0));
                let at = [out_slot, self.lane, c];
                memref::StoreOp::build(b, v, self.stored[store.tile], &at);
            } else if let Some(load) = l.loads.iter().find(|l| l.ops.contains(&op)) {
                let at = match load.way {
                    Way::Rows => vec![slot, self.lane, c],
                    Way::Columns => vec![slot, c, self.lane],
                    Way::Vector => vec![slot, c],
                };
                let v = memref::LoadOp::build(b, self.buffers[load.tile], &at);
                map.map(op.result(b.ctx, 0), v);
            } else {
                let copy = clone_op(b.ctx, op, &mut map);
                b.insert(copy);
            }
        }
        out.extend(kept);
        out
    }
}
