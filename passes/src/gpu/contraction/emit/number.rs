//! The number of a thread through workgroup memory.
//!
//! Which elements are a thread's is needed in front of the slabs, to begin the sums, and
//! behind them. Kept in registers in between, it takes those that the sums and factors
//! need; so it is computed anew behind the slabs, from a number that no compiler knows to
//! be the same.

use super::frame::Frame;
use super::units::Threads;
use crate::gpu::contraction::plan::Tiling;
use crate::loops::build::index::constant;
use terrace_dialects::{arith, gpu, memref};
use terrace_ir::{Builder, Value};

/// Where a thread's number is.
#[derive(Clone, Copy)]
pub struct Number {
    memory: Value,
    thread: Value,
}

impl Number {
    /// Bytes for the numbers of all threads.
    pub fn bytes(plan: &Tiling) -> i64 {
        4 * plan.threads()
    }

    /// Puts the thread's number behind the slabs in workgroup memory.
    pub fn keep(b: &mut Builder, frame: &Frame, memory: Value, thread: Value) -> Number {
        let i32 = b.ctx.i32();
        let ty = gpu::workgroup_memref(b.ctx, &[frame.plan.threads()], i32);
        let from = constant(b, frame.slab_bytes());
        let memory = b.value::<memref::ViewOp>(&[memory, from], ty, &[]);
        let number = b.value::<arith::IndexCastOp>(&[thread], i32, &[]);
        memref::StoreOp::build(b, number, memory, &[thread]);
        Number { memory, thread }
    }

    /// Which elements are the thread's.
    pub fn threads(self, b: &mut Builder, plan: &Tiling) -> Threads {
        let number = memref::LoadOp::build(b, self.memory, &[self.thread]);
        let index = b.ctx.index();
        let thread = b.value::<arith::IndexCastOp>(&[number], index, &[]);
        Threads::new(b, plan, thread)
    }
}
