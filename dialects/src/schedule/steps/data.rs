//! Steps that change where values are kept.

use super::{changes, target};
use crate::schedule::types::LOOP;
use terrace_ir::constraint::{I64_ATTR, STRING_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpKind, op};

op! {
    /// Copies the part of an array that the loop touches into a buffer before the loop,
    /// lets the loop use the buffer, and copies back what it wrote. Gives the loop.
    StageOp = "schedule.stage" {
        operands: [target: LOOP],
        results: [staged: LOOP],
        attrs: [array: STRING_ATTR, space: I64_ATTR.optional(), force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `array` $array (`space` $space^)? attr-dict",
        verify: verify_stage,
        effects: changes,
    }

    /// Keeps elements that the loop uses again and again in registers: those that are
    /// the same in all iterations, and those that a later iteration uses again. Of all
    /// arrays, or of one. Gives the loop.
    PromoteOp = "schedule.promote" {
        operands: [target: LOOP],
        results: [promoted: LOOP],
        attrs: [array: STRING_ATTR.optional(), force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target (`array` $array^)? attr-dict",
        verify: verify_array,
        effects: changes,
    }

    /// Gives each iteration of the loop an array of its own in place of one that they
    /// share: one more dimension, an entry for each iteration, or with `private` memory
    /// that is allocated in the iteration. For arrays of which an iteration reads only
    /// what it wrote before. Gives the loop.
    ExpandOp = "schedule.expand" {
        operands: [target: LOOP],
        results: [expanded: LOOP],
        attrs: [array: STRING_ATTR, private: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `array` $array (`private` $private^)? attr-dict",
        verify: verify_array,
        effects: changes,
    }
}

target!(StageOp PromoteOp ExpandOp);

impl StageOp {
    /// The name of the array in the source.
    pub fn array(self, ctx: &Context) -> &str {
        self.op().str_attr(ctx, "array").unwrap_or("")
    }

    /// The memory space of the buffer; 0 where none is given.
    pub fn space(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "space").unwrap_or(0)
    }
}

impl PromoteOp {
    /// The name of the only array whose elements are kept.
    pub fn array(self, ctx: &Context) -> Option<&str> {
        self.op().str_attr(ctx, "array")
    }
}

impl ExpandOp {
    /// The name of the array in the source.
    pub fn array(self, ctx: &Context) -> &str {
        self.op().str_attr(ctx, "array").unwrap_or("")
    }

    /// Whether each iteration allocates its own memory.
    pub fn private(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "private").is_some()
    }
}

fn verify_array(ctx: &Context, op: Op) -> Verified {
    match op.str_attr(ctx, "array") {
        Some("") => Err("has an empty name of an array".into()),
        _ => Ok(()),
    }
}

fn verify_stage(ctx: &Context, op: Op) -> Verified {
    verify_array(ctx, op)?;
    match StageOp::wrap(op).space(ctx) {
        s if s < 0 => Err(format!("has the memory space {s}, but they count from 0").into()),
        _ => Ok(()),
    }
}
