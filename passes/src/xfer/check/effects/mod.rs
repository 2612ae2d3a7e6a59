//! What one op does to the arrays of a function: a list of actions, in order.
//!
//! | file | what |
//! | --- | --- |
//! | `memory` | uses of memory, on the host and in kernels |
//! | `mirrors` | ops about an array and its mirror |
//! | `copies` | copies, of which arrays they are |
//! | `calls` | what functions use, and do to pairs that they are handed |

mod calls;
mod copies;
mod memory;
mod mirrors;

use super::pairs::Pair;
use super::parts::{ALL, Boxes, Parts};
use super::state::Action;
use super::uses::Summaries;
use crate::analysis::memory::base;
use terrace_dialects::xfer::Side;
use terrace_dialects::{func, memref, xfer};
use terrace_ir::{Context, Op, Value};

pub(super) use self::memory::is_own;

/// One thing that an op does.
#[derive(Debug, Clone)]
pub(super) enum Effect {
    /// To the pair of this number; `at` is the op inside that does it. Where it is not
    /// `surely` this pair, the array and the mirror exist if it is.
    Act {
        pair: usize,
        action: Action,
        at: Op,
        surely: bool,
        /// The parts of the array that it is done to.
        parts: Parts,
    },
    /// A mistake whatever came before.
    Bad {
        array: Value,
        message: String,
        at: Op,
    },
}

pub(super) struct Effects<'a> {
    pub ctx: &'a Context,
    pub pairs: &'a [Pair],
    pub summaries: &'a mut Summaries,
    pub boxes: &'a mut Boxes,
    /// What only the run can tell of the table of present arrays is taken to be right.
    pub trust_table: bool,
}

/// Whether an op is about the table of present arrays.
pub(super) fn is_data_op(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        xfer::DataOp::NAME
            | xfer::EnterDataOp::NAME
            | xfer::ExitDataOp::NAME
            | xfer::UpdateOp::NAME
            | xfer::PresentOp::NAME
            | xfer::IsPresentOp::NAME
    )
}

impl Effects<'_> {
    /// What `op` does, with all that is in it, as one step.
    pub(crate) fn of(&mut self, op: Op) -> Vec<Effect> {
        let ctx = self.ctx;
        let mut out = Vec::new();
        if op.dialect(ctx) == "xfer" {
            self.xfer(op, &mut out);
            return out;
        }
        match op.name(ctx) {
            func::ReturnOp::NAME => self.returns(op, &mut out),
            memref::AllocOp::NAME | memref::AllocaOp::NAME => self.allocates(op, &mut out),
            func::CallOp::NAME => self.calls(op, &mut out),
            _ => {
                self.moves_inside(op, &mut out);
                if !out.is_empty() {
                    return out;
                }
                let mut uses = Vec::new();
                self.summaries.all_uses(ctx, op, Side::Host, &mut uses);
                for u in &uses {
                    self.apply(op, u, &mut out);
                }
                self.cut(&mut out);
                self.again_if_mixed(&mut out);
            }
        }
        out
    }

    /// Whoever called sees the arguments, the globals and what is returned.
    fn returns(&self, op: Op, out: &mut Vec<Effect>) {
        for (i, p) in self.pairs.iter().enumerate() {
            if p.handed.is_some() {
                self.act(i, Action::Leave, op, out);
                continue;
            }
            let mut returned = op.operands(self.ctx).into_iter().filter(|v| {
                v.ty(self.ctx).is_memref(self.ctx) && p.may_be_array(self.ctx, base(self.ctx, *v))
            });
            if p.outlives || returned.next().is_some() {
                self.act(i, Action::Return, op, out);
            }
        }
    }

    /// In a loop each iteration allocates another array.
    fn allocates(&self, op: Op, out: &mut Vec<Effect>) {
        for (i, p) in self.pairs.iter().enumerate() {
            if p.base.def_op() == Some(op) {
                let action = match p.is_shared {
                    true => Action::AllocAgain,
                    false => Action::Alloc,
                };
                self.act(i, action, op, out);
            }
        }
    }

    /// Ops that move an array or tell of it have an order, which the inside of an op that
    /// counts as one step has not.
    fn moves_inside(&self, op: Op, out: &mut Vec<Effect>) {
        for block in op.blocks(self.ctx) {
            for o in block.ops(self.ctx) {
                let waits = matches!(o.name(self.ctx), xfer::AllocOp::NAME | xfer::WaitOp::NAME);
                if o.dialect(self.ctx) == "xfer" && !waits {
                    let message = format!(
                        "cannot be checked inside a '{}', where its place in the order is not known",
                        op.name(self.ctx)
                    );
                    self.bad(o.operand(self.ctx, 0), message, o, out);
                }
                self.moves_inside(o, out);
            }
        }
    }

    /// Leaves of what loads and stores do what they do to parts that they may touch.
    fn cut(&mut self, out: &mut [Effect]) {
        for d in out.iter_mut() {
            if let Effect::Act {
                pair,
                action: Action::Read(_) | Action::Write(_),
                at,
                parts,
                ..
            } = d
            {
                let of = &self.pairs[*pair];
                *parts = self.boxes.touched(self.ctx, of, *pair, *at, self.summaries);
            }
        }
    }

    /// Where one op uses an array on both sides, in an order that is not known, all uses
    /// are taken to come after each other.
    fn again_if_mixed(&self, out: &mut Vec<Effect>) {
        let side = |d: &Effect| match d {
            Effect::Act {
                pair,
                action: Action::Read(s) | Action::Write(s),
                ..
            } => Some((*pair, *s)),
            Effect::Act {
                pair,
                action: Action::WriteElsewhere,
                ..
            } => Some((*pair, Side::Host)),
            _ => None,
        };
        let used: Vec<(usize, Side)> = out.iter().filter_map(side).collect();
        let mixed = |(p, s): &(usize, Side)| used.contains(&(*p, s.other()));
        let again: Vec<Effect> = out
            .iter()
            .filter(|d| side(d).is_some_and(|k| mixed(&k)))
            .cloned()
            .collect();
        out.extend(again);
    }

    fn act(&self, pair: usize, action: Action, at: Op, out: &mut Vec<Effect>) {
        self.may_act(pair, action, at, true, out);
    }

    fn may_act(&self, pair: usize, action: Action, at: Op, surely: bool, out: &mut Vec<Effect>) {
        out.push(Effect::Act {
            pair,
            action,
            at,
            surely,
            parts: ALL,
        });
    }

    /// To some parts of an array.
    fn act_on(&self, pair: usize, action: Action, at: Op, parts: Parts, out: &mut Vec<Effect>) {
        let surely = true;
        out.push(Effect::Act {
            pair,
            action,
            at,
            surely,
            parts,
        });
    }

    fn bad(&self, array: Value, message: String, at: Op, out: &mut Vec<Effect>) {
        out.push(Effect::Bad { array, message, at });
    }
}
