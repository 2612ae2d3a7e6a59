//! The kernel: a thread an iteration, loops in tiles that are copied ahead.

use super::plan::{Item, Load, ReductionKernel, Tiled, Way, body};
use super::policy::{COPIERS, THREADS, UNROLL};
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::{gpu, memref, nvgpu, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, InsertPoint, OpKind, Type, Value};

/// Fill the body of a launch of blocks of `BLOCK` threads whose buffers are
/// [`shared`](super::shared). `trips` of the parallel loop, at least as many as a block has
/// threads. The loop's own body stays as it is.
pub(crate) fn emit(b: &mut Builder, plan: &ReductionKernel, launch: gpu::LaunchOp, trips: Value) {
    let index = b.ctx.index();
    let (bid, tid) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
    let threads = arith::constant_index(b, THREADS);
    let own = b.value::<arith::MulIOp>(&[bid, threads], index, &[]);
    // The last block begins earlier where it would have too few iterations, and leaves what
    // they store to the block that has them too.
    let latest = b.value::<arith::SubIOp>(&[trips, threads], index, &[]);
    let first = b.value::<arith::MinSIOp>(&[own, latest], index, &[]);
    let lane = b.value::<arith::RemUIOp>(&[tid, threads], index, &[]);
    let k = b.value::<arith::AddIOp>(&[first, lane], index, &[]);
    let owned = arith::CmpIOp::build(b, CmpIPredicate::Sge, k, own);
    let works = arith::CmpIOp::build(b, CmpIPredicate::Slt, tid, threads);
    let copies = arith::CmpIOp::build(b, CmpIPredicate::Sge, tid, threads);
    let ty = b.ctx.i1();
    let active = b.value::<arith::AndIOp>(&[works, owned], ty, &[]);
    let copier = b.value::<arith::SubIOp>(&[tid, threads], index, &[]);
    let warp = b.value::<arith::DivUIOp>(&[copier, threads], index, &[]);
    let mut kernel = Kernel {
        plan,
        index,
        lane,
        works,
        copies,
        copier,
        warp,
        first,
        active,
        buffers: launch.workgroup_attributions(b.ctx),
        map: IrMapping::new(),
    };
    let i = kernel.iteration(b, lane);
    kernel.map.map(plan.iv, i);
    let mut tiled_before = false;
    for item in &plan.items {
        match item {
            Item::Pure(op) => {
                let copy = clone_op(b.ctx, *op, &mut kernel.map);
                b.insert(copy);
            }
            Item::Guarded(ops, out) => {
                let mut inside = kernel.map.clone();
                let values = guarded(b, active, &types(b, out), |b| {
                    for op in ops {
                        let copy = clone_op(b.ctx, *op, &mut inside);
                        b.insert(copy);
                    }
                    out.iter().map(|v| inside.value(*v)).collect()
                });
                kernel.map.map_all(out, &values);
            }
            Item::Loop(k) => {
                let l = &plan.loops[*k];
                let values = kernel.tiled(b, l, tiled_before);
                let results = l.op.op().results(b.ctx);
                kernel.map.map_all(&results, &values);
                tiled_before = true;
            }
        }
    }
}

fn types(b: &Builder, values: &[Value]) -> Vec<Type> {
    values.iter().map(|v| v.ty(b.ctx)).collect()
}

/// `scf.if`, with zeros where the condition is false.
fn guarded(
    b: &mut Builder,
    condition: Value,
    types: &[Type],
    f: impl FnOnce(&mut Builder) -> Vec<Value>,
) -> Vec<Value> {
    let (op, then, other) = scf::IfOp::build(b, condition, types, !types.is_empty());
    b.with_point(InsertPoint::End(then), |b| {
        let values = f(b);
        scf::YieldOp::build(b, &values);
    });
    if let Some(other) = other {
        b.with_point(InsertPoint::End(other), |b| {
            let mut zeros: Vec<Value> = Vec::new();
            for a in types
                .iter()
                .map(|t| b.ctx.zero_attr(*t))
                .collect::<Vec<_>>()
            {
                zeros.extend(a.map(|a| arith::constant(b, a)));
            }
            scf::YieldOp::build(b, &zeros);
        });
    }
    op.op().results(b.ctx)
}

fn create_group(b: &mut Builder) -> Value {
    let token = nvgpu::token(b.ctx);
    b.value::<nvgpu::DeviceAsyncCreateGroupOp>(&[], token, &[])
}

struct Kernel<'p> {
    plan: &'p ReductionKernel,
    index: Type,
    /// The thread's number in its warp.
    lane: Value,
    /// Whether the thread is one of those with an iteration, or of those that copy.
    works: Value,
    copies: Value,
    /// The number of the thread, and of its warp, among those that copy.
    copier: Value,
    warp: Value,
    /// The number of the block's first iteration.
    first: Value,
    /// Whether the thread's iteration is this block's.
    active: Value,
    buffers: Vec<Value>,
    /// What stands for the values of the parallel loop's body.
    map: IrMapping,
}

/// What a tiled loop has all along.
struct Frame<'l> {
    l: &'l Tiled,
    /// The number of tiles, the last of which begins at iteration `latest` and so may have
    /// some that the one before it has too.
    tiles: Value,
    latest: Value,
    columns: Value,
}

/// What iterations hand on: the loop's carried values, then the elements in registers.
type Carried = Vec<Value>;

impl Kernel<'_> {
    fn add(&self, b: &mut Builder, x: Value, y: Value) -> Value {
        match (b.ctx.constant_int(x), b.ctx.constant_int(y)) {
            (Some(0), _) => y,
            (_, Some(0)) => x,
            _ => b.value::<arith::AddIOp>(&[x, y], self.index, &[]),
        }
    }

    /// The counter of the block's `r`th iteration.
    fn iteration(&self, b: &mut Builder, r: Value) -> Value {
        let k = b.value::<arith::AddIOp>(&[self.first, r], self.index, &[]);
        self.add(b, self.plan.lower, k)
    }

    /// A loop in tiles; gives its results. One that fills no tile is done as it was.
    fn tiled(&self, b: &mut Builder, l: &Tiled, tiled_before: bool) -> Vec<Value> {
        let inits: Vec<Value> = l.op.init_args(b.ctx);
        let inits: Vec<Value> = inits.iter().map(|v| self.map.value(*v)).collect();
        let length = b.value::<arith::SubIOp>(&[l.upper, l.lower], self.index, &[]);
        let width = arith::constant_index(b, self.plan.columns);
        let enough = arith::CmpIOp::build(b, CmpIPredicate::Sge, length, width);
        let types = types(b, &inits);
        let (op, then, other) = scf::IfOp::build(b, enough, &types, true);
        b.with_point(InsertPoint::End(then), |b| {
            let out = self.in_tiles(b, l, (length, width), &inits, tiled_before);
            scf::YieldOp::build(b, &out);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                let out = guarded(b, self.active, &types, |b| self.plain(b, l, length, &inits));
                scf::YieldOp::build(b, &out);
            });
        }
        op.op().results(b.ctx)
    }

    /// The loop as it is, counted from 0, so that a counter that only some threads move is
    /// no copy of a bound that all agree on.
    fn plain(&self, b: &mut Builder, l: &Tiled, length: Value, inits: &[Value]) -> Vec<Value> {
        let zero = arith::constant_index(b, 0);
        let one = arith::constant_index(b, 1);
        let op = scf::ForOp::build_with(b, (zero, length, one), inits, |b, c, carried| {
            let mut map = self.map.clone();
            let args = l.op.iter_args(b.ctx);
            map.map_all(&args, carried);
            let j = self.add(b, l.lower, c);
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
        (length, width): (Value, Value),
        inits: &[Value],
        tiled_before: bool,
    ) -> Vec<Value> {
        let index = self.index;
        let (stages, columns) = (self.plan.stages, self.plan.columns);
        let zero = arith::constant_index(b, 0);
        let one = arith::constant_index(b, 1);
        let full = b.value::<arith::DivUIOp>(&[length, width], index, &[]);
        let rest = b.value::<arith::RemUIOp>(&[length, width], index, &[]);
        let more = arith::constant_index(b, columns - 1);
        let tiles = b.value::<arith::AddIOp>(&[length, more], index, &[]);
        let tiles = b.value::<arith::DivUIOp>(&[tiles, width], index, &[]);
        let latest = b.value::<arith::SubIOp>(&[length, width], index, &[]);
        let f = Frame {
            l,
            tiles,
            latest,
            columns: width,
        };
        if tiled_before {
            // The buffers may be in use yet.
            gpu::BarrierOp::build(b);
        }
        // All but one of the buffers are filled ahead. An empty group in front of theirs is
        // there for its token, which all who wait can see.
        let ahead = arith::constant_index(b, stages - 1);
        let group = create_group(b);
        guarded(b, self.copies, &[], |b| {
            scf::ForOp::build_with(b, (zero, ahead, one), &[], |b, s, _| {
                self.begin(b, &f, s, s);
                Vec::new()
            });
            Vec::new()
        });

        let mut carried: Carried = inits.to_vec();
        carried.extend(self.take(b, l));
        carried.push(zero);
        let main = scf::ForOp::build_with(b, (zero, full, one), &carried, |b, t, carried| {
            let (slot, state) = match carried.split_last() {
                Some((slot, state)) => (*slot, state.to_vec()),
                None => (zero, Vec::new()),
            };
            self.wait(b, group);
            // The tile before this one is no longer read: its buffer is the next to fill.
            let top = arith::constant_index(b, stages - 1);
            let at_start = arith::CmpIOp::build(b, CmpIPredicate::Eq, slot, zero);
            let before = b.value::<arith::SubIOp>(&[slot, one], index, &[]);
            let free = arith::SelectOp::build(b, at_start, top, before);
            let next = b.value::<arith::AddIOp>(&[t, ahead], index, &[]);
            guarded(b, self.copies, &[], |b| {
                self.begin(b, &f, free, next);
                Vec::new()
            });
            let mut out = self.working(b, &state, |b| {
                let start = b.value::<arith::MulIOp>(&[t, width], index, &[]);
                let unroll = arith::constant_index(b, UNROLL);
                scf::ForOp::build_with(b, (zero, width, unroll), &state, |b, c, state| {
                    let mut state = state.to_vec();
                    for u in 0..UNROLL {
                        let u = arith::constant_index(b, u);
                        let c = self.add(b, c, u);
                        state = self.step(b, &f, slot, start, c, state);
                    }
                    state
                })
            });
            let at_top = arith::CmpIOp::build(b, CmpIPredicate::Eq, slot, top);
            let after = b.value::<arith::AddIOp>(&[slot, one], index, &[]);
            out.push(arith::SelectOp::build(b, at_top, zero, after));
            out
        });
        let mut carried = main.op().results(b.ctx);
        let slot = carried.pop().unwrap_or(zero);

        // What is left of the last tile.
        let some = arith::CmpIOp::build(b, CmpIPredicate::Ne, rest, zero);
        let kinds = types(b, &carried);
        let (op, then, other) = scf::IfOp::build(b, some, &kinds, !kinds.is_empty());
        b.with_point(InsertPoint::End(then), |b| {
            self.wait(b, group);
            let out = self.working(b, &carried, |b| {
                let skip = b.value::<arith::SubIOp>(&[width, rest], index, &[]);
                scf::ForOp::build_with(b, (skip, width, one), &carried, |b, c, state| {
                    self.step(b, &f, slot, latest, c, state.to_vec())
                })
            });
            scf::YieldOp::build(b, &out);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                scf::YieldOp::build(b, &carried);
            });
        }
        if !kinds.is_empty() {
            carried = op.op().results(b.ctx);
        }
        let kept = carried.split_off(inits.len());
        self.give_back(b, l, &kept);
        carried
    }

    /// A loop of the threads with an iteration; in others what they carry stays.
    fn working(
        &self,
        b: &mut Builder,
        carried: &[Value],
        f: impl FnOnce(&mut Builder) -> scf::ForOp,
    ) -> Carried {
        let types = types(b, carried);
        let (op, then, other) = scf::IfOp::build(b, self.works, &types, !types.is_empty());
        b.with_point(InsertPoint::End(then), |b| {
            let out = f(b).op().results(b.ctx);
            scf::YieldOp::build(b, &out);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                scf::YieldOp::build(b, carried);
            });
        }
        op.op().results(b.ctx)
    }

    /// Load what stays in registers.
    fn take(&self, b: &mut Builder, l: &Tiled) -> Vec<Value> {
        if l.kept.is_empty() {
            return Vec::new();
        }
        let types: Vec<Type> = l.kept.iter().map(|k| k.ty).collect();
        guarded(b, self.active, &types, |b| {
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
    fn give_back(&self, b: &mut Builder, l: &Tiled, values: &[Value]) {
        if !l.kept.iter().any(|k| k.written) {
            return;
        }
        guarded(b, self.active, &[], |b| {
            for (k, v) in l.kept.iter().zip(values).filter(|(k, _)| k.written) {
                let at: Vec<Value> = k.at.iter().map(|v| self.map.value(*v)).collect();
                memref::StoreOp::build(b, *v, self.map.value(k.memref), &at);
            }
            Vec::new()
        });
    }

    /// Wait for the oldest tile that is under way, of all threads, and for the threads
    /// that still read the one before it.
    fn wait(&self, b: &mut Builder, group: Value) {
        let groups = b.ctx.int_attr(b.ctx.i32(), self.plan.stages - 2);
        guarded(b, self.copies, &[], |b| {
            b.op::<nvgpu::DeviceAsyncWaitOp>(&[group], &[], &[("numGroups", groups)]);
            Vec::new()
        });
        gpu::BarrierOp::build(b);
    }

    /// Begin the copies of a tile, if there is such a one, and put them into a group.
    fn begin(&self, b: &mut Builder, f: &Frame, slot: Value, tile: Value) {
        let some = arith::CmpIOp::build(b, CmpIPredicate::Slt, tile, f.tiles);
        guarded(b, some, &[], |b| {
            let start = b.value::<arith::MulIOp>(&[tile, f.columns], self.index, &[]);
            let start = b.value::<arith::MinSIOp>(&[start, f.latest], self.index, &[]);
            let start = self.add(b, f.l.lower, start);
            for load in &f.l.loads {
                self.copy(b, f, load, slot, start);
            }
            Vec::new()
        });
        create_group(b);
    }

    /// Copy a tile's part of an array: the warps that copy share its rows, of arrays along
    /// columns its columns.
    fn copy(&self, b: &mut Builder, f: &Frame, load: &Load, slot: Value, start: Value) {
        let zero = arith::constant_index(b, 0);
        let by = arith::constant_index(b, UNROLL);
        let warps = COPIERS / THREADS;
        let own_i = self.map.value(self.plan.iv);
        match load.way {
            Way::Vector => {
                for o in (0..self.plan.columns).step_by(COPIERS as usize) {
                    let o = arith::constant_index(b, o);
                    let c = self.add(b, self.copier, o);
                    let inside = arith::CmpIOp::build(b, CmpIPredicate::Slt, c, f.columns);
                    guarded(b, inside, &[], |b| {
                        let j = self.add(b, start, c);
                        self.copy_one(b, f, load, (own_i, j), &[slot, c]);
                        Vec::new()
                    });
                }
            }
            Way::Columns => {
                let share = arith::constant_index(b, self.plan.columns / warps);
                let from = b.value::<arith::MulIOp>(&[self.warp, share], self.index, &[]);
                scf::ForOp::build_with(b, (zero, share, by), &[], |b, c, _| {
                    let c = self.add(b, from, c);
                    for u in 0..UNROLL {
                        let u = arith::constant_index(b, u);
                        let c = self.add(b, c, u);
                        let j = self.add(b, start, c);
                        self.copy_one(b, f, load, (own_i, j), &[slot, c, self.lane]);
                    }
                    Vec::new()
                });
            }
            Way::Rows => {
                let share = arith::constant_index(b, THREADS / warps);
                let from = b.value::<arith::MulIOp>(&[self.warp, share], self.index, &[]);
                let at: Vec<(Value, Value)> = (0..self.plan.columns)
                    .step_by(THREADS as usize)
                    .map(|o| {
                        let o = arith::constant_index(b, o);
                        let c = self.add(b, self.lane, o);
                        (c, self.add(b, start, c))
                    })
                    .collect();
                scf::ForOp::build_with(b, (zero, share, by), &[], |b, r, _| {
                    let r = self.add(b, from, r);
                    for u in 0..UNROLL {
                        let u = arith::constant_index(b, u);
                        let r = self.add(b, r, u);
                        let i = self.iteration(b, r);
                        for (c, j) in &at {
                            self.copy_one(b, f, load, (i, *j), &[slot, r, *c]);
                        }
                    }
                    Vec::new()
                });
            }
        }
    }

    fn copy_one(
        &self,
        b: &mut Builder,
        f: &Frame,
        load: &Load,
        (i, j): (Value, Value),
        to: &[Value],
    ) {
        let mut map = IrMapping::new();
        map.map(self.plan.iv, i);
        map.map(f.l.op.induction_var(b.ctx), j);
        for op in &load.slice {
            let copy = clone_op(b.ctx, *op, &mut map);
            b.insert(copy);
        }
        let mut operands = vec![self.buffers[load.tile]];
        operands.extend_from_slice(to);
        operands.push(load.memref);
        operands.extend(load.at.iter().map(|v| map.value(*v)));
        let groups = [1, to.len() as i32, 1, load.at.len() as i32, 0];
        let token = nvgpu::token(b.ctx);
        let state = b
            .state::<nvgpu::DeviceAsyncCopyOp>()
            .operands(&operands)
            .results(&[token])
            .attr(b.ctx, "dstElements", b.ctx.index_attr(1))
            .attr(b.ctx, "operandSegmentSizes", b.ctx.i32_array(&groups));
        b.create(state);
    }

    /// One iteration: column `c` of the tile in `slot`, whose first is iteration `start`.
    fn step(
        &self,
        b: &mut Builder,
        f: &Frame,
        slot: Value,
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
        let j = self.add(b, l.lower, j);
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
