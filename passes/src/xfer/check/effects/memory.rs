//! Uses of memory: of which arrays and mirrors they may be, and on which side.

use super::super::pairs::is_same;
use super::super::report::array_words;
use super::super::state::Action;
use super::super::uses::{
    DEVICE_READ, DEVICE_WRITE, FLAGS, FREED, HOST_READ, HOST_WRITE, Target, Use, memory_of,
};
use super::{Effect, Effects};
use crate::analysis::captured::is_in_body;
use crate::analysis::memory::base;
use terrace_dialects::xfer;
use terrace_dialects::xfer::Side;
use terrace_dialects::{gpu, memref};
use terrace_ir::{Context, Op, Value, symbols};

impl Effects<'_> {
    pub(super) fn apply(&self, op: Op, u: &Use, out: &mut Vec<Effect>) {
        match u.target {
            Target::Memory(v) => self.memory(op, v, u, out),
            Target::Global(name) => {
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.may_be_global(self.ctx, name) {
                        self.on_array(i, u, false, out);
                    }
                }
            }
            Target::Everything => {
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.is_shared {
                        let ways = u.ways & !(DEVICE_READ | DEVICE_WRITE);
                        self.on_array(i, &Use { ways, ..*u }, false, out);
                    }
                    if p.mirror_is_shared {
                        let ways = u.ways & !(HOST_READ | HOST_WRITE);
                        self.on_mirror(i, &Use { ways, ..*u }, false, out);
                    }
                }
            }
        }
    }

    pub(super) fn memory(&self, op: Op, v: Value, u: &Use, out: &mut Vec<Effect>) {
        let ctx = self.ctx;
        let inside = is_in_body(ctx, op, v);
        if inside && is_own(ctx, v) {
            return;
        }
        match memory_of(ctx, v) {
            Side::Host => {
                let mut known = false;
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.may_be_array(ctx, v) {
                        known = true;
                        self.on_array(i, u, is_same(ctx, p.base, v), out);
                    }
                }
                let used = u.ways & (DEVICE_READ | DEVICE_WRITE) != 0;
                if used && !known && !inside && !is_constant(ctx, op, v) {
                    self.on_wrong_device(v, u, out);
                }
            }
            Side::Device => {
                if u.ways & (HOST_READ | HOST_WRITE) != 0 {
                    self.on_wrong_host(v, u, out);
                }
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.may_be_mirror(ctx, v) {
                        self.on_mirror(i, u, p.mirror == v, out);
                    }
                }
            }
        }
    }

    fn on_wrong_device(&self, array: Value, u: &Use, out: &mut Vec<Effect>) {
        let message = format!(
            "uses {} on the device, but it lies in the memory of the host; kernels use mirrors",
            array_words(self.ctx, array)
        );
        self.bad(array, message, u.at, out);
    }

    fn on_wrong_host(&self, buffer: Value, u: &Use, out: &mut Vec<Effect>) {
        let mirrored = self.pairs.iter().find(|p| p.mirror == buffer);
        let message = match mirrored {
            Some(p) => format!(
                "uses the mirror of {} on the host; code of the host uses the array itself",
                array_words(self.ctx, p.array)
            ),
            None => format!(
                "uses {} on the host, but it lies in the memory of a device",
                array_words(self.ctx, buffer)
            ),
        };
        self.bad(mirrored.map_or(buffer, |p| p.array), message, u.at, out);
    }

    /// A use of what is an array, or may be.
    fn on_array(&self, i: usize, u: &Use, exactly: bool, out: &mut Vec<Effect>) {
        if u.ways & (DEVICE_READ | DEVICE_WRITE) != 0 {
            self.on_wrong_device(self.pairs[i].array, u, out);
        }
        if u.ways & HOST_READ != 0 {
            self.may_act(i, Action::Read(Side::Host), u.at, exactly, out);
        }
        if u.ways & HOST_WRITE != 0 {
            self.may_act(i, Action::Write(Side::Host), u.at, exactly, out);
        }
        if u.ways & FLAGS != 0 {
            self.may_act(i, Action::AnyFlags, u.at, exactly, out);
        }
        if u.ways & FREED != 0 && exactly {
            self.act(i, Action::FreeArray, u.at, out);
        }
    }

    /// A use of what is a mirror, or may be.
    fn on_mirror(&self, i: usize, u: &Use, exactly: bool, out: &mut Vec<Effect>) {
        if u.ways & DEVICE_READ != 0 {
            self.may_act(i, Action::Read(Side::Device), u.at, exactly, out);
        }
        if u.ways & DEVICE_WRITE != 0 {
            self.may_act(i, Action::Write(Side::Device), u.at, exactly, out);
            self.elsewhere(i, u.at, out);
        }
        if u.ways & FLAGS != 0 {
            self.may_act(i, Action::AnyFlags, u.at, exactly, out);
        }
        if u.ways & FREED != 0 && exactly {
            self.act(i, Action::Free, u.at, out);
        }
    }

    /// A write of mirror `i`, for all other mirrors of what may be the same memory.
    pub(super) fn elsewhere(&self, i: usize, at: Op, out: &mut Vec<Effect>) {
        let of = self.pairs[i];
        for (k, p) in self.pairs.iter().enumerate() {
            if k != i && p.may_be_array(self.ctx, of.base) {
                self.may_act(k, Action::WriteElsewhere, at, false, out);
            }
        }
    }
}

/// Whether a memref that has its name inside an op is memory that is made there, and is
/// none of the arrays around.
pub(in crate::xfer::check) fn is_own(ctx: &Context, v: Value) -> bool {
    match v.def_op() {
        Some(o) => matches!(
            o.name(ctx),
            memref::AllocOp::NAME
                | memref::AllocaOp::NAME
                | gpu::AllocOp::NAME
                | xfer::AllocOp::NAME
                | gpu::DynamicSharedMemoryOp::NAME
        ),
        None => {
            let around = v.arg_block().and_then(|b| b.parent_op(ctx));
            around.is_some_and(|o| o.isa::<gpu::LaunchOp>(ctx))
        }
    }
}

/// Whether a memref is a constant global, of which each kernel has its own when it is
/// outlined.
fn is_constant(ctx: &Context, op: Op, v: Value) -> bool {
    let get = base(ctx, v)
        .def_op()
        .filter(|o| o.isa::<memref::GetGlobalOp>(ctx));
    let global = get.and_then(|g| symbols::lookup(ctx, op, g.attr(ctx, "name")?));
    global
        .and_then(|g| g.cast::<memref::GlobalOp>(ctx))
        .is_some_and(|g| g.is_constant(ctx))
}
