//! What profiles are told of launches.

use terrace_ir::constraint::{I1, TypeConstraint};
use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::{Builder, Op, Value, op};

const F64: TypeConstraint =
    TypeConstraint::exactly("64-bit float", |c, t| t == c.f64(), |c| c.f64());

op! {
    /// Whether somebody wants to know what launches do: a profile does. The same all the
    /// time that a program runs.
    ProfiledOp = "xfer.profiled" {
        results: [yes: I1],
        traits: PURE,
        format: "attr-dict",
        result_names: |_, _| vec![Some("profiled".into())],
    }

    /// Says what the next launch does: the arithmetic on floats of at most 32 bits, that on
    /// floats of 64, and the bytes that memory must at least move. NaN is not known.
    NoteWorkOp = "xfer.note_work" {
        operands: [flops32: F64, flops64: F64, bytes: F64],
        format: "$flops32 `,` $flops64 `,` $bytes attr-dict",
        // Nothing that a program can see, but not to be left out either.
        effects: |_, _| vec![Effect { kind: EffectKind::Alloc, on: None }],
    }
}

impl ProfiledOp {
    /// The `i1` that says whether launches are profiled.
    pub fn build(b: &mut Builder) -> Value {
        let ty = b.ctx.i1();
        b.value::<ProfiledOp>(&[], ty, &[])
    }
}

impl NoteWorkOp {
    /// Flops of at most 32 bits, of 64, and bytes.
    pub fn build(b: &mut Builder, numbers: [Value; 3]) -> Op {
        b.op::<NoteWorkOp>(&numbers, &[], &[])
    }
}
