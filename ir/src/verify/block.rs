//! Terminators, branches, and the blocks they end and go to.

use super::Verifier;
use crate::block::Block;
use crate::context::Context;
use crate::loc::Loc;
use crate::op::Op;
use crate::opdef::{Invalid, traits as t};
use crate::text::printer::{PrintOptions, print};
use crate::types::Type;
use std::ops::Range;

/// Whether `b` may end without a terminator: the only block of its region, in an op
/// that says so or of which nothing is known.
fn may_lack_terminator(ctx: &Context, b: Block) -> bool {
    let Some(region) = b.region(ctx) else {
        return true;
    };
    region.has_one_block(ctx)
        && region
            .parent_op(ctx)
            .def(ctx)
            .is_none_or(|d| d.has(t::NO_TERMINATOR))
}

/// Where an error about a block as a whole is shown.
fn block_loc(ctx: &Context, b: Block) -> Option<Loc> {
    b.first_op(ctx)
        .or_else(|| b.parent_op(ctx))
        .map(|o| o.loc(ctx))
}

impl Verifier<'_> {
    pub(super) fn check_block_start(&mut self, b: Block) {
        let ctx = self.ctx;
        if !b.is_empty(ctx) || may_lack_terminator(ctx, b) {
            return;
        }
        if let (Some(loc), Some(parent)) = (block_loc(ctx, b), b.parent_op(ctx)) {
            let e = Invalid::plain("empty block: expect at least a terminator").at(loc);
            self.report(e, parent);
        }
    }

    pub(super) fn check_block_end(&mut self, b: Block) {
        let ctx = self.ctx;
        let Some(last) = b.last_op(ctx) else { return };
        if last.num_successors(ctx) > 0 {
            let region = b.region(ctx);
            if last.successors(ctx).iter().any(|s| s.region(ctx) != region) {
                self.error(last, "branching to block of a different region");
            }
        }
        if last.def(ctx).is_some_and(|d| !d.is_terminator()) && !may_lack_terminator(ctx, b) {
            let options = PrintOptions {
                generic: true,
                local_scope: true,
                ..Default::default()
            };
            let text = print(ctx, last, &options);
            let text = text.trim_end();
            self.plain(last, format!("block with no terminator, has {text}"));
        }
    }

    /// An op with successors must end its block.
    pub(super) fn check_successor_place(&mut self, op: Op) {
        if op.next(self.ctx).is_some() {
            self.plain(
                op,
                "operation with block successors must terminate its parent block",
            );
        }
    }

    /// The operands handed to each successor fit its block arguments.
    pub(super) fn check_branch(
        &mut self,
        op: Op,
        operands_of: fn(&Context, Op, usize) -> Range<usize>,
        types: &[Type],
    ) {
        let ctx = self.ctx;
        let before = self.errors;
        for s in 0..op.num_successors(ctx) {
            let dest = op.successor(ctx, s);
            let passed = types.get(operands_of(ctx, op, s)).unwrap_or(&[]);
            let (n, m) = (passed.len(), dest.num_args(ctx));
            if n != m {
                self.plain(
                    op,
                    format!("branch has {n} operands for successor #{s}, but target block has {m}"),
                );
            } else {
                for (i, ty) in passed.iter().enumerate() {
                    if dest.arg(ctx, i).ty(ctx) != *ty {
                        self.plain(
                            op,
                            format!("type mismatch for bb argument #{i} of successor #{s}"),
                        );
                        break;
                    }
                }
            }
            if self.stop(before) {
                return;
            }
        }
    }
}
