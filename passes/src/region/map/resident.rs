//! Numbers that lie in device memory.
//!
//! A number that a kernel computes and something behind it uses has a buffer of one
//! element. Kernels read it there. For the host there is a fetch right behind the
//! kernel, which goes away again where only kernels use the number, also through
//! arithmetic: kernels compute that themselves.

use super::Mapper;
use super::walk::{floats, in_launch};
use crate::analysis::captured::captured;
use crate::analysis::memory::{base, is_view};
use crate::loops::sequentialize::sequentialize;
use rustc_hash::FxHashSet;
use terrace_dialects::{arith, gpu, memref, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Op, OpKind, Value, symbols};

/// The copy of a number to the host: memory there, the copy, the number.
pub(super) struct Fetch {
    room: Value,
    copy: Op,
    load: Op,
}

impl Mapper<'_> {
    /// Put those of `values`, computed directly in the launch's body, that are used
    /// outside into device memory.
    pub(super) fn hand_out(&mut self, launch: gpu::LaunchOp, values: &[Value]) {
        for v in values {
            let outside = |m: &Self| {
                let users = v.users(m.ctx);
                users.iter().any(|u| !launch.op().is_ancestor_of(m.ctx, *u))
            };
            if !outside(self) {
                continue;
            }
            let ty = v.ty(self.ctx);
            let Some(def) = v.def_op() else { continue };
            if !(ty.is_int_or_index(self.ctx) || ty.is_float(self.ctx)) {
                let m = format!(
                    "hands on '{}', which only the device knows; numbers can be handed on",
                    self.ctx.type_text(ty)
                );
                self.fail(def, &m);
                continue;
            }
            let buffer = self.number(ty);
            let mut b = Builder::after(self.ctx, def);
            let zero = arith::constant_index(&mut b, 0);
            memref::StoreOp::build(&mut b, *v, buffer, &[zero]);
            let fetched = self.fetch(launch.op(), buffer);
            let ctx = &*self.ctx;
            v.replace_uses_if(ctx, fetched, |u| !launch.op().is_ancestor_of(ctx, u.op));
        }
    }

    /// Whether an op of the host reads the one element of an array of the region's own that the
    /// launch before it has written, and nothing else uses, as the sum of a reduction.
    pub(super) fn is_result(&self, op: Op) -> bool {
        let ctx = &*self.ctx;
        let room = match op.isa::<memref::LoadOp>(ctx) {
            true => op.operand(ctx, 0),
            false => return false,
        };
        if room.ty(ctx).shape(ctx) != Some(&[1]) || !self.owned.contains(&room) {
            return false;
        }
        let mut others = room.users(ctx);
        others.retain(|u| *u != op);
        let launch = others
            .first()
            .and_then(|u| u.parent_of::<gpu::LaunchOp>(ctx));
        launch.is_some_and(|l| {
            others.iter().all(|u| l.op().is_ancestor_of(ctx, *u))
                && std::iter::successors(op.prev(ctx), |o| o.prev(ctx)).any(|o| o == l.op())
        })
    }

    /// Such an op: kernels read the element where it is.
    pub(super) fn result_of_launch(&mut self, load: Op) {
        let room = load.operand(self.ctx, 0);
        let Some(before) = load.prev(self.ctx) else {
            return;
        };
        let v = self.fetch(before, room);
        load.replace(self.ctx, &[v]);
    }

    /// A buffer of one element of type `ty` on the device.
    pub(super) fn number(&mut self, ty: terrace_ir::Type) -> Value {
        let one = self.ctx.memref(&[1], ty);
        self.owned_buffer(one)
    }

    /// The number in `buffer` as the host sees it behind `after`.
    pub(super) fn fetch(&mut self, after: Op, buffer: Value) -> Value {
        let ty = buffer.ty(self.ctx);
        let loc = after.loc(self.ctx);
        let mut b = Builder::at_start(self.ctx, self.entry, loc);
        let room = memref::AllocaOp::build(&mut b, ty, &[]);
        let zero = arith::constant_index(&mut b, 0);
        let mut b = Builder::after(self.ctx, after);
        let copy = gpu::MemcpyOp::build(&mut b, room, buffer);
        let v = memref::LoadOp::build(&mut b, room, &[zero]);
        if let (Some(load), Some(alloca)) = (v.def_op(), room.def_op()) {
            self.made.extend([alloca, copy, load]);
            self.fetches.push(Fetch { room, copy, load });
        }
        self.resident.insert(v, buffer);
        self.tainted.insert(v);
        v
    }

    /// What every launch needs when its body is there: numbers of the device are read
    /// from it, arrays of a thread are its own, loops run in one thread.
    pub(super) fn complete(&mut self, launch: gpu::LaunchOp) {
        self.take_in(launch);
        self.take_globals(launch);
        for op in launch.op().post_order(self.ctx) {
            if let Some(p) = op.cast::<scf::ParallelOp>(self.ctx) {
                sequentialize(self.ctx, p);
            }
        }
        self.private_arrays(launch);
    }

    /// Read the numbers that lie on the device, and compute what depends on them, at
    /// the start of the launch's body.
    fn take_in(&mut self, launch: gpu::LaunchOp) {
        let entry = launch.body(self.ctx);
        let wanted: Vec<Value> = captured(self.ctx, launch.op())
            .into_iter()
            .filter(|v| self.tainted.contains(v))
            .collect();
        if wanted.is_empty() {
            return;
        }
        // The ops to copy, each behind what it uses.
        let mut order: Vec<Value> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Value, bool)> = wanted.iter().rev().map(|v| (*v, false)).collect();
        while let Some((v, ready)) = stack.pop() {
            if ready {
                order.push(v);
                continue;
            }
            if !self.tainted.contains(&v) || !seen.insert(v) {
                continue;
            }
            stack.push((v, true));
            if self.resident.contains_key(&v) {
                continue;
            }
            if let Some(op) = v.def_op().filter(|o| floats(self.ctx, *o)) {
                for o in op.operands(self.ctx).into_iter().rev() {
                    stack.push((o, false));
                }
            }
        }
        let mut map = IrMapping::new();
        let mut b = Builder::at_start(self.ctx, entry, launch.op().loc(self.ctx));
        let zero = arith::constant_index(&mut b, 0);
        for v in order {
            if map.get(v).is_some() {
                continue;
            }
            if let Some(buffer) = self.resident.get(&v) {
                let inside = memref::LoadOp::build(&mut b, *buffer, &[zero]);
                map.map(v, inside);
            } else if let Some(op) = v.def_op().filter(|o| floats(b.ctx, *o)) {
                let copy = clone_op(b.ctx, op, &mut map);
                b.insert(copy);
            }
        }
        for v in wanted {
            let Some(inside) = map.get(v) else { continue };
            let (ctx, root) = (&*self.ctx, launch.op());
            v.replace_uses_if(ctx, inside, |u| {
                u.op != root && root.is_ancestor_of(ctx, u.op)
            });
        }
    }

    /// Tables of constants are had from the kernel's own module.
    fn take_globals(&mut self, launch: gpu::LaunchOp) {
        let entry = launch.body(self.ctx);
        let mut asked: FxHashSet<Op> = FxHashSet::default();
        let captured = captured(self.ctx, launch.op());
        let inside = launch.op().pre_order(self.ctx);
        let outside = captured.iter().filter_map(|v| base(self.ctx, *v).def_op());
        for op in outside.chain(inside).collect::<Vec<_>>() {
            if op.name(self.ctx) != memref::GetGlobalOp::NAME || !asked.insert(op) {
                continue;
            }
            let global = op
                .attr(self.ctx, "name")
                .and_then(|a| symbols::lookup(self.ctx, op, a));
            if global.is_none_or(|g| g.attr(self.ctx, "constant").is_none()) {
                self.fail(op, "names memory of the host that may change; pass the array to the function of the region");
            }
        }
        // Views of a table go with it.
        let mut map = IrMapping::new();
        let mut b = Builder::at_start(self.ctx, entry, launch.op().loc(self.ctx));
        for v in captured {
            let mut chain = Vec::new();
            let mut at = v;
            while let Some(op) = at.def_op().filter(|o| is_view(b.ctx, *o)) {
                chain.push(op);
                at = op.operand(b.ctx, 0);
            }
            let Some(table) = at
                .def_op()
                .filter(|o| o.name(b.ctx) == memref::GetGlobalOp::NAME)
            else {
                continue;
            };
            chain.push(table);
            for op in chain.into_iter().rev() {
                if map.get(op.result(b.ctx, 0)).is_none() {
                    let copy = clone_op(b.ctx, op, &mut map);
                    b.insert(copy);
                }
            }
            let Some(inside) = map.get(v) else { continue };
            let (ctx, root) = (&*b.ctx, launch.op());
            v.replace_uses_if(ctx, inside, |u| {
                u.op != root && root.is_ancestor_of(ctx, u.op)
            });
        }
    }

    /// Drop host computations that only kernels needed, and the fetches then unused.
    pub(super) fn drop_unused(&mut self) {
        let mut host = Vec::new();
        for op in self.function.pre_order(self.ctx) {
            if floats(self.ctx, op) && !in_launch(self.ctx, op) {
                host.push(op);
            }
        }
        for op in host.into_iter().rev() {
            if !op.has_uses(self.ctx) {
                op.erase(self.ctx);
            }
        }
        for f in std::mem::take(&mut self.fetches) {
            if f.load.has_uses(self.ctx) {
                continue;
            }
            f.load.erase(self.ctx);
            f.copy.erase(self.ctx);
            if let Some(op) = f.room.def_op() {
                op.erase(self.ctx);
            }
        }
    }
}
