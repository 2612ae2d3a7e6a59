//! Conditions that differ from lane to lane, in loops that run in vectors of registers.
//!
//! ```text
//! scf.if %c {                                %any = vector.reduction <or>, %cs
//!   affine.store %x, %a[%i]          =>      scf.if %any {
//! }                                            %old = vector.transfer_read %a[%i]
//!                                              %new = arith.select %cs, %xs, %old
//!                                              vector.transfer_write %new, %a[%i]
//!                                            }
//! ```
//!
//! A way is gone where no lane takes it; else all lanes compute it, and those that do not take it
//! store what is there. A vector is stored only where the program stores to one of its elements,
//! as nobody may write to memory that holds constants. The elements have to be there in any case,
//! and no other thread may store to them in between (`nobody_else_stores`).

use super::check::Checker;
use super::emit::Emit;
use crate::analysis::dependence::{Options, dependences_between};
use crate::analysis::in_bounds::is_there;
use crate::loops::Refusal;
use terrace_dialects::affine::{Access, ParallelOp};
use terrace_dialects::arith::{AndIOp, CmpFOp, CmpIOp, OrIOp};
use terrace_dialects::scf::{self, IfOp, YieldOp};
use terrace_dialects::vector::ReductionOp;
use terrace_ir::builder::OpState;
use terrace_ir::effects::is_speculatable;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Type, Value};

/// Accesses in a nest of parallel loops beyond which nobody looks for other threads' stores.
const MAX_SITES: usize = 64;

impl Checker<'_> {
    /// Whether a condition and its ways can be done by all lanes.
    pub(super) fn check_condition(&mut self, i: IfOp) -> Result<(), Refusal> {
        let ctx = self.ctx;
        let op = i.op();
        if !self.takes_conditions() {
            return self.refuse(op, "'scf.if' does not work on vectors");
        }
        let condition = i.condition(ctx);
        let around = self.conditional;
        if self.is_shared(condition) {
            self.found.shared_conditions.insert(op);
        } else if op.num_results(ctx) > 0 {
            return self.refuse(op, "lanes take different ways to a value");
        } else if !self.is_widenable(condition) {
            return self.refuse(op, "the condition differs between lanes and is no vector");
        } else if i.else_block(ctx).is_some() && !can_invert(ctx, condition) {
            return self.refuse(
                op,
                "the condition is no comparison, so that it has no opposite",
            );
        } else {
            self.conditional = around.or(Some(i));
        }
        let ways = [Some(i.then_block(ctx)), i.else_block(ctx)];
        let checked = ways
            .into_iter()
            .flatten()
            .try_for_each(|way| self.check_block(way));
        self.conditional = around;
        checked
    }

    /// Whether what a way of a condition gives is there in vectors.
    pub(super) fn check_given(&self, give: Op) -> Result<(), Refusal> {
        let ctx = self.ctx;
        let is_lanes = |v: &Value| self.is_widenable(*v) && v.ty(ctx).int_width(ctx) != Some(1);
        match give.operands(ctx).iter().all(is_lanes) {
            true => Ok(()),
            false => self.refuse(give, "what a condition chooses is no vector"),
        }
    }

    /// Whether an op may be done by lanes whose program does not come to it.
    pub(super) fn check_conditional(&self, op: Op) -> Result<(), Refusal> {
        let ctx = self.ctx;
        let Some(condition) = self.conditional else {
            return Ok(());
        };
        let Some(access) = Access::of(ctx, op) else {
            return match is_speculatable(ctx, op) {
                true => Ok(()),
                false => {
                    let m = format!("'{}' must not run where its condition fails", op.name(ctx));
                    self.refuse(op, &m)
                }
            };
        };
        let same_in_all = |m: &Vec<Option<usize>>| m.iter().all(Option::is_none);
        if self.found.moves.get(&op).is_some_and(same_in_all) {
            // Done where a lane does it.
            return Ok(());
        }
        if !is_there(ctx, &access, condition) {
            return self.refuse(op, "the element may not be there where the condition fails");
        }
        if access.stored(ctx).is_some() {
            if self.found.by_lane.contains(&op) {
                return self.refuse(op, "lanes store one by one where a condition differs");
            }
            if !nobody_else_stores(ctx, &access) {
                let m = "another thread may store to the element where the condition fails";
                return self.refuse(op, m);
            }
        }
        Ok(())
    }
}

/// Whether no other iteration of the parallel loops around a store can store to its element, were
/// all conditions to hold.
fn nobody_else_stores(ctx: &Context, store: &Access) -> bool {
    let mut outermost = None;
    let mut around = store.op.parent(ctx);
    while let Some(op) = around {
        if op.isa::<scf::ParallelOp>(ctx) {
            return false;
        }
        if op.isa::<ParallelOp>(ctx) {
            outermost = Some(op);
        }
        around = op.parent(ctx);
    }
    let Some(root) = outermost else {
        return true;
    };
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let all = dependences_between(ctx, root, &options, MAX_SITES, &|a, b| {
        a.writes && b.writes && (a.op == store.op || b.op == store.op)
    });
    let of_thread = |iv: Value| {
        let owner = iv.arg_block().and_then(|block| block.parent_op(ctx));
        owner.is_some_and(|op| !op.isa::<ParallelOp>(ctx))
    };
    all.is_some_and(|all| {
        all.all
            .iter()
            .all(|d| d.level().is_some() && d.carrying_loop().is_none_or(|l| of_thread(l.iv)))
    })
}

/// Whether [`Emit::opposite`] knows the opposite of a condition.
fn can_invert(ctx: &Context, condition: Value) -> bool {
    let Some(op) = condition.def_op() else {
        return false;
    };
    let combines = op.isa::<AndIOp>(ctx) || op.isa::<OrIOp>(ctx);
    op.isa::<CmpIOp>(ctx)
        || op.isa::<CmpFOp>(ctx)
        || (combines && op.operands(ctx).iter().all(|v| can_invert(ctx, *v)))
}

impl Emit<'_> {
    pub(super) fn condition(&mut self, b: &mut Builder, i: IfOp) {
        let (then, other) = (i.then_block(b.ctx), i.else_block(b.ctx));
        let condition = i.condition(b.ctx);
        if self.checked.shared_conditions.contains(&i.op()) {
            let condition = self.scalars.value(condition);
            let types = i.op().result_types(b.ctx).into_iter();
            let types: Vec<Type> = types.map(|t| self.vector_of(b.ctx, t)).collect();
            let (new, new_then, new_other) = IfOp::build(b, condition, &types, other.is_some());
            self.way(b, then, new_then);
            if let (Some(other), Some(new)) = (other, new_other) {
                self.way(b, other, new);
            }
            let results = i.op().results(b.ctx).into_iter();
            self.vectors.extend(results.zip(new.op().results(b.ctx)));
            return;
        }
        let holds = self.widened(b, condition);
        self.where_any(b, holds, then);
        if let Some(other) = other {
            b.loc = i.op().loc(b.ctx);
            let fails = self.opposite(b, condition);
            self.where_any(b, fails, other);
        }
    }

    /// A way of a condition, where one of its lanes takes it.
    fn where_any(&mut self, b: &mut Builder, lanes: Value, way: Block) {
        let outer = self.lanes_that_run;
        let ty = lanes.ty(b.ctx);
        let lanes = match outer {
            Some(outer) => b.value::<AndIOp>(&[outer, lanes], ty, &[]),
            None => lanes,
        };
        let any = ReductionOp::build(b, "or", lanes, None);
        let (_, new, _) = IfOp::build(b, any, &[], false);
        self.lanes_that_run = Some(lanes);
        self.way(b, way, new);
        self.lanes_that_run = outer;
    }

    fn way(&mut self, b: &mut Builder, old: Block, new: Block) {
        b.with_point(InsertPoint::End(new), |b| {
            for op in old.ops(b.ctx) {
                match op.isa::<YieldOp>(b.ctx) {
                    true => {
                        let given = op.operands(b.ctx).into_iter();
                        let given: Vec<Value> = given.map(|v| self.widened(b, v)).collect();
                        let s = b.state::<YieldOp>().operands(&given);
                        b.create(s);
                    }
                    false => self.op(b, op),
                }
            }
        });
    }

    /// The lanes in which a condition does not hold.
    fn opposite(&mut self, b: &mut Builder, condition: Value) -> Value {
        let Some(op) = condition.def_op() else {
            return self.widened(b, condition);
        };
        let ty = self.vector_of(b.ctx, condition.ty(b.ctx));
        if op.isa::<AndIOp>(b.ctx) || op.isa::<OrIOp>(b.ctx) {
            let sides = [0, 1].map(|i| {
                let side = op.operand(b.ctx, i);
                self.opposite(b, side)
            });
            return match op.isa::<AndIOp>(b.ctx) {
                true => b.value::<OrIOp>(&sides, ty, &[]),
                false => b.value::<AndIOp>(&sides, ty, &[]),
            };
        }
        let inverted = match (op.cast::<CmpIOp>(b.ctx), op.cast::<CmpFOp>(b.ctx)) {
            (Some(c), _) => c.predicate(b.ctx).map(|p| p.inverted().attr(b.ctx)),
            (_, Some(c)) => c.predicate(b.ctx).map(|p| p.inverted().attr(b.ctx)),
            _ => None,
        };
        let operands = [0, 1].map(|i| {
            let v = op.operand(b.ctx, i);
            self.widened(b, v)
        });
        let mut s = OpState::like(b.ctx, op);
        s.operands = operands.to_vec();
        s.result_types = vec![ty];
        if let Some(p) = inverted {
            s.set_attr(b.ctx, "predicate", p);
        }
        b.create(s).result(b.ctx, 0)
    }
}
