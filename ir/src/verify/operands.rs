//! Dominance and isolation: every operand is defined where it is used.
//!
//! The walk meets the ops of a block in order and ancestors before what they hold,
//! so an op's number in the walk says whether it came before another one in their
//! block; only blocks of one region need a dominator tree.

use super::{Frame, Verifier};
use crate::context::Context;
use crate::loc::Loc;
use crate::op::Op;
use crate::opdef::{Invalid, traits as t};
use crate::value::Value;
use pliron::value::DefiningEntity;

/// Operand `index` of `op`, whose definition is not where it should be.
pub(super) struct BadOperand {
    op: Op,
    index: usize,
    /// It comes from outside the isolated op around.
    outside: bool,
}

enum Seen {
    Yes,
    No,
    /// The definition is not in any block around the use, up to the unit's op.
    NotAround,
}

impl Verifier<'_> {
    pub(super) fn check_operands(&mut self, op: Op) {
        let ctx = self.ctx;
        let Some(top) = self.frames.last() else {
            return;
        };
        let reachable = top.reachable;
        let unit = top.unit;
        let o = op.0.deref(&ctx.ir);
        for (index, v) in o.operands().enumerate() {
            let outside = match self.sees(op, v) {
                Seen::Yes => continue,
                // Code that never runs may use what it likes of its own region.
                Seen::No if !reachable => continue,
                Seen::No => false,
                Seen::NotAround => {
                    if !is_inside(ctx, self.frames[unit].op, Value(v)) {
                        let isolated = self.frames[unit].def.is_some_and(|d| d.has(t::ISOLATED));
                        if !isolated {
                            // Only the root given to verify, which may be part of
                            // something larger.
                            continue;
                        }
                        true
                    } else {
                        false
                    }
                }
            };
            self.frames[unit]
                .bad_operands
                .push(BadOperand { op, index, outside });
        }
    }

    /// Whether `op`, about to be entered in the current block, sees `v`.
    fn sees(&self, op: Op, v: pliron::value::Value) -> Seen {
        let ctx = self.ctx;
        let (def, block) = match v.defining_entity() {
            DefiningEntity::Op(d) => (Some(Op(d)), d.deref(&ctx.ir).get_parent_block()),
            DefiningEntity::Block(b) => (None, Some(b)),
        };
        let Some(block) = block.map(crate::block::Block) else {
            return Seen::NotAround;
        };
        let mut anc = op;
        let mut region = None;
        for f in self.frames.iter().rev() {
            let (Some(here), Some(r)) = (f.block, f.region) else {
                break;
            };
            if here == block {
                // A definition not yet met has no number; of two that were, the
                // earlier one has the smaller.
                let seen = match def {
                    None => true,
                    Some(d) if d == anc && d != op => false,
                    Some(_) if f.graph => true,
                    Some(d) => {
                        let n = self.numbers.get(d);
                        n != 0 && n < self.numbers.get(anc)
                    }
                };
                return if seen { Seen::Yes } else { Seen::No };
            }
            if f.several_blocks {
                let def_region = *region.get_or_insert_with(|| block.region(ctx));
                if def_region == Some(r) {
                    let seen = self.trees.get(&r).is_some_and(|t| t.dominates(block, here));
                    return if seen { Seen::Yes } else { Seen::No };
                }
            }
            anc = f.op;
            // What lies outside an isolated op is not seen.
            if self.frames.get(f.unit).is_some_and(|u| u.op == f.op) {
                break;
            }
        }
        Seen::NotAround
    }

    /// Report what [`Self::check_operands`] found in the unit of `frame`.
    pub(super) fn report_bad_operands(
        &mut self,
        frame: &Frame,
        bad: Vec<BadOperand>,
        before: usize,
    ) {
        let ctx = self.ctx;
        for b in bad.iter().filter(|b| b.outside) {
            if self.stop(before) {
                return;
            }
            let e = Invalid::from("using value defined outside the region").note(
                frame.op.loc(ctx),
                "required by region isolation constraints",
            );
            self.report(e, b.op);
        }
        for b in bad.iter().filter(|b| !b.outside) {
            if self.stop(before) {
                return;
            }
            let (loc, note) = definition_note(ctx, b.op, b.op.operand(ctx, b.index));
            let e = Invalid::plain(format!("operand #{} does not dominate this use", b.index));
            self.report(e.note(loc, note), b.op);
        }
    }
}

/// Whether `v` is defined in a region of `op`, at any depth.
fn is_inside(ctx: &Context, op: Op, v: Value) -> bool {
    v.block(ctx)
        .and_then(|b| b.parent_op(ctx))
        .is_some_and(|p| op.is_ancestor_of(ctx, p))
}

/// Says where the definition of an operand is, relative to its use.
fn definition_note(ctx: &Context, op: Op, v: Value) -> (Loc, String) {
    let (block_here, region_here) = (op.block(ctx), op.region_of(ctx));
    let Some(def) = v.def_op() else {
        let block = v.arg_block();
        let region = block.and_then(|b| b.region(ctx));
        let number = region
            .and_then(|r| r.blocks(ctx).iter().position(|b| Some(*b) == block))
            .unwrap_or(0);
        let place = match (region, region_here) {
            (r, h) if r == h => "in the same region",
            (Some(r), Some(h)) if r.contains(ctx, h) => "in a parent region",
            (Some(r), Some(h)) if h.contains(ctx, r) => "in a child region",
            _ => "neither in a parent nor in a child region",
        };
        let loc = region.map_or(Loc::Unknown, |r| r.parent_op(ctx).loc(ctx));
        let note = format!("operand defined as a block argument (block #{number} {place})");
        return (loc, note);
    };
    let place = if def.block(ctx) == block_here {
        " (op in the same block)"
    } else if def.region_of(ctx) == region_here {
        " (op in the same region)"
    } else {
        match (def.region_of(ctx), region_here) {
            (Some(d), Some(h)) if d.contains(ctx, h) => " (op in a parent region)",
            (Some(d), Some(h)) if h.contains(ctx, d) => " (op in a child region)",
            _ => " (op is neither in a parent nor in a child region)",
        }
    };
    (v.loc(ctx), format!("operand defined here{place}"))
}
