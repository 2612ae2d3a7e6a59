//! Data regions: arrays that lie on the device for a while, by clauses (OpenACC 3.3,
//! sections 2.6, 2.7 and 2.14.4).
//!
//! The program has a table of the arrays that are present on the device. Each has a
//! buffer there and two counters: how many data regions that have not ended hold it, and
//! how many `xfer.enter_data` without their `xfer.exit_data`. A clause that finds an
//! array present counts up and copies nothing; what neither counter holds any more
//! leaves the device.
//!
//! | file | what |
//! | --- | --- |
//! | `clause` | the clauses, and which of them each op takes |
//! | `syntax` | the text of the ops |
//! | `verify` | what they must be like |
//! | `effects` | on arrays, and on the table |
//! | `access` | what they have, by name, and how they are built |

mod access;
mod clause;
mod effects;
mod syntax;
mod verify;

use self::clause::{OF_ENTER, OF_UPDATE, STRUCTURED};
use self::effects::{by_clause, on_arrays};
use self::syntax::{parse_data, parse_enter, parse_exit, parse_update, print_clauses, print_data};
use self::verify::{
    verify_array, verify_clauses, verify_data, verify_data_body, verify_exit, verify_present,
};
use super::space::{DEVICE_BUFFER, device_space, in_space};
use terrace_ir::constraint::{DENSE_I32, I1, MEMREF, UNIT_ATTR};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, Type, TypeData, Value, op};

pub use self::clause::{Clause, clauses};

op! {
    /// A region in which arrays are present on the device. Its arguments are their
    /// buffers there: those that the clauses made, or, of an array that is present, the
    /// part of its buffer.
    DataOp = "xfer.data" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32],
        regions: [body: OneBlock],
        traits: SINGLE_BLOCK,
        implicit_terminator: "xfer.end_data",
        custom: (parse_data, print_data),
        verify: verify_data,
        verify_regions: verify_data_body,
    }

    /// The end of a data region.
    EndDataOp = "xfer.end_data" {
        traits: PURE | TERMINATOR,
        parents: ["xfer.data"],
        format: "attr-dict",
    }

    /// Begins what `xfer.exit_data` ends: each array is present afterwards. With
    /// `structured` it is the beginning of a data region that was taken apart.
    EnterDataOp = "xfer.enter_data" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32, structured: UNIT_ATTR],
        custom: (parse_enter, print_clauses),
        verify: |ctx, op| verify_clauses(ctx, op, match is_structured(ctx, op) {
            true => STRUCTURED,
            false => OF_ENTER,
        }),
        effects: |ctx, op| on_arrays(ctx, op, &[EffectKind::Read], &[EffectKind::Alloc]),
    }

    /// Counts down what was entered; what nobody holds any more is copied to the host
    /// where the clause says so, and leaves the device. Nothing happens to an array that
    /// is absent. `finalize` takes back all `xfer.enter_data` of the array.
    ExitDataOp = "xfer.exit_data" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32, structured: UNIT_ATTR, finalize: UNIT_ATTR],
        custom: (parse_exit, print_clauses),
        verify: verify_exit,
        effects: |ctx, op| by_clause(ctx, op, EffectKind::Free),
    }

    /// Copies arrays that are present to the host or to the device; with `if_present`
    /// those that are absent are left alone.
    UpdateOp = "xfer.update" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32, if_present: UNIT_ATTR],
        custom: (parse_update, print_clauses),
        verify: |ctx, op| verify_clauses(ctx, op, OF_UPDATE),
        effects: |ctx, op| by_clause(ctx, op, EffectKind::Write),
    }

    /// The buffer of an array that is present. With `if_present` the array itself where
    /// it is absent, which only the host can use.
    PresentOp = "xfer.present" {
        operands: [array: MEMREF],
        results: [buffer: DEVICE_BUFFER],
        attrs: [if_present: UNIT_ATTR],
        format: "$array (`if_present` $if_present^)? attr-dict `:` type($array) `to` type($buffer)",
        verify: verify_present,
        effects: |ctx, op| on_arrays(ctx, op, &[EffectKind::Read], &[EffectKind::Read]),
        result_names: |_, _| vec![Some("device".into())],
    }

    /// Whether all of an array is present.
    IsPresentOp = "xfer.is_present" {
        operands: [array: MEMREF],
        results: [result: I1],
        format: "$array attr-dict `:` type($array)",
        verify: |ctx, op| verify_array(ctx, "looks up", op.operand(ctx, 0).ty(ctx)),
        effects: |ctx, op| on_arrays(ctx, op, &[EffectKind::Read], &[EffectKind::Read]),
        infer: |ctx, _| Ok(vec![ctx.i1()]),
    }
}

fn is_structured(ctx: &Context, op: Op) -> bool {
    op.attr(ctx, "structured").is_some()
}

/// What the program calls an array: `%A`, or `an array` where no names are kept.
pub fn array_words(ctx: &Context, array: Value) -> String {
    match array.loc(ctx).name(ctx) {
        Some(name) => format!("%{name}"),
        None => "an array".to_string(),
    }
}

/// The type of the buffer of device 0 for an array of type `ty`.
pub fn buffer_type(ctx: &Context, ty: Type) -> Type {
    let ty = in_space(ctx, ty, Some(device_space(ctx, 0)));
    match ty.data(ctx).clone() {
        TypeData::MemRef {
            shape, elem, space, ..
        } => ctx.memref_in(&shape, elem, space),
        _ => ty,
    }
}
