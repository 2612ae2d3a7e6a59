//! The parts of an array that a function touches which is called: all accesses in it, and in
//! those that it calls, with what the calls give for arguments.
//!
//! What a function does to a pair was found by walking it with all of the array in one
//! state. Each element goes its own way, so that holds of each part; of one in which no
//! access can lie nothing becomes another.

use super::numbers::{System, element};
use super::pairs::{Pair, uncast};
use super::parts::{Boxes, Parts, in_array, is_whole, slab_of};
use super::uses::{DEPTH, Summaries, Target, Use};
use crate::analysis::memory::{base, is_view};
use terrace_dialects::func::CallOp;
use terrace_dialects::memref::{DimOp, LoadOp, StoreOp};
use terrace_dialects::xfer;
use terrace_dialects::xfer::Side;
use terrace_dialects::xfer::handed::handed;
use terrace_ir::{Context, Op, OpKind, Value};

/// An array whose parts are asked for, and the functions that are looked at, each of which
/// calls the next.
struct Question<'a> {
    pair: &'a Pair,
    number: usize,
    path: Vec<Op>,
}

impl Boxes {
    /// The parts of an array that a call may touch on either side; `None` where it may be
    /// any.
    pub(super) fn of_call(
        &self,
        ctx: &Context,
        (pair, number): (&Pair, usize),
        call: Op,
        summaries: &mut Summaries,
    ) -> Option<Parts> {
        let mut uses = Vec::new();
        summaries.uses(ctx, call, Side::Host, &mut uses);
        let by_another_name = |u: &Use| match u.target {
            Target::Memory(_) => false,
            Target::Global(name) => pair.may_be_global(ctx, name),
            Target::Everything => pair.is_shared || pair.mirror_is_shared,
        };
        if uses.iter().any(by_another_name) {
            return None;
        }
        let mut question = Question {
            pair,
            number,
            path: Vec::new(),
        };
        let mut parts = 0;
        for (i, v) in call.operands(ctx).into_iter().enumerate() {
            let b = base(ctx, v);
            if !v.ty(ctx).is_memref(ctx) {
                continue;
            } else if is_whole(ctx, pair, v) {
                parts |= self.of_operand(ctx, &mut question, call, i, &System::default())?;
            } else if pair.may_be_array(ctx, b) || pair.may_be_mirror(ctx, b) {
                return None;
            }
        }
        Some(parts)
    }

    /// The parts that a call touches of its operand number `at`, where `around` knows what
    /// the caller was given.
    fn of_operand(
        &self,
        ctx: &Context,
        question: &mut Question,
        call: Op,
        at: usize,
        around: &System,
    ) -> Option<Parts> {
        let callee = call.cast::<CallOp>(ctx)?.function(ctx)?.op();
        let known = callee.num_regions(ctx) == 1 && !callee.region(ctx, 0).is_empty(ctx);
        if !known || question.path.contains(&callee) || question.path.len() >= DEPTH {
            return None;
        }
        let args = callee.body(ctx, 0).args(ctx);
        let mut here = around.clone();
        for (arg, given) in args.iter().zip(call.operands(ctx)) {
            here.give(ctx, *arg, given);
        }
        here.place(ctx, call.block(ctx)?);
        question.path.push(callee);
        let parts = self.of_argument(ctx, question, callee, *args.get(at)?, &here);
        question.path.pop();
        parts
    }

    fn of_argument(
        &self,
        ctx: &Context,
        question: &mut Question,
        callee: Op,
        argument: Value,
        given: &System,
    ) -> Option<Parts> {
        let is_argument = |v: Value| uncast(ctx, v) == argument;
        let mut parts = 0;
        let mut work = vec![argument];
        while let Some(v) = work.pop() {
            for u in v.uses(ctx) {
                let op = u.op;
                if is_view(ctx, op) && u.index == 0 {
                    work.push(op.result(ctx, 0));
                    continue;
                }
                let mut system = given.clone();
                let at = match op.name(ctx) {
                    DimOp::NAME => continue,
                    // What comes of a mirror beside that which it is handed touches both.
                    xfer::CreateOp::NAME => {
                        let pairs = handed(ctx, callee).unwrap_or_default();
                        let args = callee.body(ctx, 0).args(ctx);
                        if pairs.iter().any(|h| args[h.array] == argument) {
                            return None;
                        }
                        continue;
                    }
                    LoadOp::NAME | StoreOp::NAME => {
                        let (memref, subscripts) = element(ctx, op).filter(|e| e.0 == v)?;
                        let at = subscripts.iter().map(|s| system.value(ctx, *s)).collect();
                        in_array(ctx, &is_argument, memref, at, &mut system)?
                    }
                    xfer::CopyOp::NAME => {
                        let slab = slab_of(ctx, &is_argument, v)?;
                        let rank = argument.ty(ctx).rank(ctx)?;
                        let at: Vec<_> = (0..rank).map(|d| system.index(d)).collect();
                        for inside in slab.ends(ctx, &mut system, &at)? {
                            system.at_least_zero(Some(inside));
                        }
                        at
                    }
                    CallOp::NAME if is_argument(v) => {
                        parts |= self.of_operand(ctx, question, op, u.index, given)?;
                        continue;
                    }
                    _ => return None,
                };
                system.place(ctx, op.block(ctx)?);
                parts |= self.possible(ctx, question.pair, question.number, system, at)?;
            }
        }
        Some(parts)
    }
}
