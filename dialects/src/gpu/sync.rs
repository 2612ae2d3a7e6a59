//! `gpu.barrier`, `gpu.printf`, `gpu.note_work`, `gpu.yield`.

use super::types::INT_OR_FLOAT;
use terrace_ir::constraint::{ANY, INDEX, STRING_ATTR, TypeConstraint};
use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::{Builder, Op, Value, op};

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
    pub fn build(b: &mut Builder) -> Op {
        b.op::<BarrierOp>(&[], &[], &[])
    }
}

impl NoteWorkOp {
    /// Flops of at most 32 bits, of 64, and bytes.
    pub fn build(b: &mut Builder, numbers: [Value; 3]) -> Op {
        b.op::<NoteWorkOp>(&numbers, &[], &[])
    }
}
