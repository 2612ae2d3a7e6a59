//! `gpu.barrier`, `gpu.grid_barrier`, `gpu.load_acquire`, `gpu.store_release`, `gpu.load_relaxed`, `gpu.store_relaxed`,
//! `gpu.printf`, `gpu.note_work`, `gpu.yield`.

use super::types::INT_OR_FLOAT;
use terrace_ir::constraint::{ANY, I32, I64, INDEX, MEMREF, STRING_ATTR, TypeConstraint};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::{Builder, Context, Op, Type, Value, op};

const PRINTABLE: TypeConstraint =
    TypeConstraint::new("integer or index or floating-point", |c, t| {
        (INDEX.check)(c, t) || (INT_OR_FLOAT.check)(c, t) || t.is_int(c)
    });

const F64: TypeConstraint =
    TypeConstraint::exactly("64-bit float", |c, t| t == c.f64(), |c| c.f64());

op! {
    /// No thread of a block goes on before all have come here, and each then sees
    /// what the others wrote before.
    BarrierOp = "gpu.barrier" {
        format: "attr-dict",
        canonicalize: super::canonicalize::barrier,
    }

    /// No thread of the grid goes on before all have come here, and each then sees what the
    /// others wrote before. `counter` is one `i32` of device memory that is zero when the kernel
    /// begins and that nothing else touches.
    ///
    /// Blocks that wait for each other must all be running, so a launch of a kernel with
    /// this op is cooperative: it runs no more blocks along x than the device has room for at a
    /// time, however many its grid has, and `gpu.grid_dim` says how many these are.
    GridBarrierOp = "gpu.grid_barrier" {
        operands: [counter: MEMREF],
        format: "$counter attr-dict `:` type($counter)",
        verify: verify_grid_barrier,
    }

    /// Loads an `i32` of device memory. Where it is what a `gpu.store_release` of another block stored,
    /// the thread sees from here on whatever was written in front of that. A kernel that waits for
    /// such a word must wait for blocks alone that have begun: those that took a lower number from a
    /// counter.
    LoadAcquireOp = "gpu.load_acquire" {
        operands: [memref: MEMREF, indices: INDEX.variadic()],
        results: [result: I32],
        format: "$memref `[` $indices `]` attr-dict `:` type($memref)",
        verify: |ctx, op| verify_word(ctx, op, 0, ctx.i32()),
    }

    /// Stores an `i32` to device memory, for `gpu.load_acquire` of other blocks. What the thread wrote
    /// before, and what its block wrote in front of its last barrier, is there for them then.
    StoreReleaseOp = "gpu.store_release" {
        operands: [value: I32, memref: MEMREF, indices: INDEX.variadic()],
        format: "$value `,` $memref `[` $indices `]` attr-dict `:` type($memref)",
        verify: |ctx, op| verify_word(ctx, op, 1, ctx.i32()),
    }

    /// Loads an `i64` of device memory that another block may be storing by `gpu.store_relaxed`:
    /// all of it, or nothing. It says nothing of other memory, and costs no more than a load. Who waits
    /// for such a word must wait for blocks alone that have begun, as with `gpu.load_acquire`.
    LoadRelaxedOp = "gpu.load_relaxed" {
        operands: [memref: MEMREF, indices: INDEX.variadic()],
        results: [result: I64],
        format: "$memref `[` $indices `]` attr-dict `:` type($memref)",
        verify: |ctx, op| verify_word(ctx, op, 0, ctx.i64()),
    }

    /// Stores an `i64` to device memory, for `gpu.load_relaxed` of other blocks.
    StoreRelaxedOp = "gpu.store_relaxed" {
        operands: [value: I64, memref: MEMREF, indices: INDEX.variadic()],
        format: "$value `,` $memref `[` $indices `]` attr-dict `:` type($memref)",
        verify: |ctx, op| verify_word(ctx, op, 1, ctx.i64()),
    }

    /// Prints from the device, in the format language of C.
    PrintfOp = "gpu.printf" {
        operands: [args: PRINTABLE.variadic()],
        attrs: [format: STRING_ATTR],
        format: "$format attr-dict (`,` $args^ `:` type($args))?",
        effects: |_, _| vec![Effect { kind: EffectKind::Write, on: None }],
    }

    /// In a kernel: what a launch of it does as the program has it written, of values that the
    /// host knows. The arithmetic on floats of at most 32 bits, that on floats of 64, and the
    /// bytes that memory must at least move; NaN is not known. `gpu-count-work` takes it out.
    NoteWorkOp = "gpu.note_work" {
        operands: [flops32: F64, flops64: F64, bytes: F64],
        format: "$flops32 `,` $flops64 `,` $bytes attr-dict",
        // Nothing that a program can see, but not to be left out either.
        effects: |_, _| vec![Effect { kind: EffectKind::Alloc, on: None }],
    }

    /// The values of a region of a `gpu` op.
    YieldOp = "gpu.yield" {
        operands: [values: ANY.variadic()],
        traits: PURE | RETURN_LIKE | TERMINATOR,
        format: "attr-dict ($values^ `:` type($values))?",
    }
}

impl BarrierOp {
    /// All threads of the block wait for each other.
    pub fn build(b: &mut Builder) -> Op {
        b.op::<BarrierOp>(&[], &[], &[])
    }
}

impl GridBarrierOp {
    /// `counter` is a `memref<1xi32>` of device memory.
    pub fn build(b: &mut Builder, counter: Value) -> Op {
        b.op::<GridBarrierOp>(&[counter], &[], &[])
    }
}

impl LoadAcquireOp {
    /// The word of an array at these subscripts.
    pub fn build(b: &mut Builder, memref: Value, at: &[Value]) -> Value {
        let ty = b.ctx.i32();
        b.value::<LoadAcquireOp>(&[&[memref], at].concat(), ty, &[])
    }
}

impl StoreReleaseOp {
    /// Stores `value` to an array at these subscripts.
    pub fn build(b: &mut Builder, value: Value, memref: Value, at: &[Value]) -> Op {
        b.op::<StoreReleaseOp>(&[&[value, memref], at].concat(), &[], &[])
    }
}

impl LoadRelaxedOp {
    /// The word of an array at these subscripts.
    pub fn build(b: &mut Builder, memref: Value, at: &[Value]) -> Value {
        let ty = b.ctx.i64();
        b.value::<LoadRelaxedOp>(&[&[memref], at].concat(), ty, &[])
    }
}

impl StoreRelaxedOp {
    /// Stores `value` to an array at these subscripts.
    pub fn build(b: &mut Builder, value: Value, memref: Value, at: &[Value]) -> Op {
        b.op::<StoreRelaxedOp>(&[&[value, memref], at].concat(), &[], &[])
    }
}

/// The array, the `memref`-th operand, has words of this type, and a subscript for each dimension follows.
fn verify_word(ctx: &Context, op: Op, memref: usize, word: Type) -> Verified {
    let ty = op.operand(ctx, memref).ty(ctx);
    let given = op.num_operands(ctx) - memref - 1;
    if ty.element_or_self(ctx) != word {
        return Err(format!(
            "expected an array of {}, but got {}",
            ctx.type_text(word),
            ctx.type_text(ty)
        )
        .into());
    }
    match ty.rank(ctx) {
        Some(rank) if rank != given => {
            Err(format!("expected {rank} subscripts, but got {given}").into())
        }
        _ => Ok(()),
    }
}

fn verify_grid_barrier(ctx: &Context, op: Op) -> Verified {
    let ty = op.operand(ctx, 0).ty(ctx);
    let counter = ctx.memref(&[1], ctx.i32());
    if ty != counter {
        return Err(format!(
            "expected a counter of type {}, but got {}",
            ctx.type_text(counter),
            ctx.type_text(ty)
        )
        .into());
    }
    Ok(())
}

impl NoteWorkOp {
    /// Flops of at most 32 bits, of 64, and bytes.
    pub fn build(b: &mut Builder, numbers: [Value; 3]) -> Op {
        b.op::<NoteWorkOp>(&numbers, &[], &[])
    }
}
