//! Neighbouring loops as a list of statements: what can be put in another order.
//!
//! A statement is a run of ops of one block that belong together: a store, with the
//! loads and the arithmetic that its value comes from. What cannot be taken apart is
//! one statement too, with the loops in it: a loop that carries values, a loop that
//! uses a value computed in front of it, an op with regions of another dialect.

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::affine::{ForOp, IfOp, ParallelOp, YieldOp};
use terrace_ir::effects::{effects, is_memory_effect_free, is_pure, own_effects};
use terrace_ir::{Block, Context, Op, Value};

use super::Refusal;
use crate::analysis::loop_names::{ivs, loop_name};

/// A statement and the loops around it.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Its ops, of one block, in order. Pure ops that several statements need are in
    /// each of them.
    pub ops: Vec<Op>,
    /// The loops around it that are part of the scop, from the outside in, by their
    /// variables; a parallel band counts once for each of its variables.
    pub ivs: Vec<Value>,
}

/// A static control part: ops that follow each other in one block, as statements in
/// textual order.
#[derive(Debug, Clone)]
pub struct Scop {
    /// The first op, a loop.
    pub first: Op,
    pub statements: Vec<Statement>,
}

impl Scop {
    /// The statements of the ops from `first` to `last`, which are in one block.
    ///
    /// # Errors
    ///
    /// If they are not, if something there has effects that are not known, or if a
    /// value computed there is used behind.
    pub fn between(ctx: &Context, first: Op, last: Op) -> Result<Scop, Refusal> {
        let Some(block) = first.block(ctx).filter(|b| last.block(ctx) == Some(*b)) else {
            return Err(apart(ctx, first, last));
        };
        let ops = block.ops(ctx);
        let at = |op| ops.iter().position(|o| *o == op);
        let range = match (at(first), at(last)) {
            (Some(a), Some(b)) if a <= b => &ops[a..=b],
            _ => return Err(apart(ctx, first, last)),
        };
        let mut bound = FxHashSet::default();
        for op in range {
            if effects(ctx, *op).is_none() {
                // The one inside that says nothing, not the loops around it.
                let silent = op.post_order(ctx).into_iter();
                let silent = silent
                    .rev()
                    .filter(|o| own_effects(ctx, *o).is_none())
                    .last();
                let silent = silent.unwrap_or(*op);
                let m = format!("the effects of '{}' are not known", silent.name(ctx));
                return Err(Refusal::new(silent.loc(ctx), m));
            }
            // What comes from memory moves, and with it what is computed from it.
            let mut uses_bound = !is_pure(ctx, *op);
            op.walk(ctx, &mut |o| {
                let defs = o.operands(ctx).into_iter().filter_map(|v| v.def_op());
                uses_bound |= defs.into_iter().any(|d| bound.contains(&d));
            });
            if !uses_bound {
                continue;
            }
            bound.insert(*op);
            let inside = |user: &Op| {
                let top = user.ancestor_in(ctx, block);
                top.is_some_and(|t| range.contains(&t))
            };
            for user in op.results(ctx).iter().flat_map(|r| r.users(ctx)) {
                if !inside(&user) {
                    let m = "a value computed between the loops is used behind them";
                    return Err(Refusal::new(op.loc(ctx), m).note(user.loc(ctx), "used here"));
                }
            }
        }
        let mut statements = Vec::new();
        collect(ctx, range, &[], &mut statements);
        Ok(Scop { first, statements })
    }

    /// The statement that an op is part of.
    pub fn statement_of(&self, ctx: &Context, op: Op) -> Option<usize> {
        let holds = |s: &Statement| s.ops.iter().any(|o| o.is_ancestor_of(ctx, op));
        self.statements.iter().position(holds)
    }
}

fn apart(ctx: &Context, first: Op, last: Op) -> Refusal {
    let m = format!(
        "the {} does not come before the {} in the same block",
        loop_name(ctx, first),
        loop_name(ctx, last)
    );
    Refusal::new(first.loc(ctx), m)
}

/// The blocks to go into, if `op` is a loop or a condition that only says which
/// iterations run.
fn bodies(ctx: &Context, op: Op) -> Option<Vec<Block>> {
    if op.num_results(ctx) > 0 {
        return None;
    }
    if let Some(l) = op.cast::<ForOp>(ctx) {
        return Some(vec![l.body(ctx)]);
    }
    if let Some(p) = op.cast::<ParallelOp>(ctx) {
        return Some(vec![p.body(ctx)]);
    }
    let i = op.cast::<IfOp>(ctx)?;
    Some(
        [Some(i.then_block(ctx)), i.else_block(ctx)]
            .into_iter()
            .flatten()
            .collect(),
    )
}

fn collect(ctx: &Context, ops: &[Op], around: &[Value], out: &mut Vec<Statement>) {
    let parts = Parts::of(ctx, ops);
    let mut done = FxHashSet::default();
    for (i, op) in ops.iter().enumerate() {
        if op.isa::<YieldOp>(ctx) || parts.free[i] {
            continue;
        }
        let part = parts.part[i];
        if let Some(bodies) = bodies(ctx, *op).filter(|_| parts.is_alone(i)) {
            let inner = [around, &ivs(ctx, *op)].concat();
            for b in bodies {
                collect(ctx, &b.ops(ctx), &inner, out);
            }
        } else if done.insert(part) {
            let members = parts.members(ctx, ops, part);
            if members.iter().all(|o| is_memory_effect_free(ctx, *o)) {
                continue;
            }
            out.push(Statement {
                ops: members,
                ivs: around.to_vec(),
            });
        }
    }
}

/// Which ops of a block belong together.
struct Parts {
    /// For each op the first op of its part.
    part: Vec<usize>,
    /// Ops that may be repeated wherever they are needed.
    free: Vec<bool>,
    place: FxHashMap<Op, usize>,
}

impl Parts {
    fn of(ctx: &Context, ops: &[Op]) -> Parts {
        let place: FxHashMap<Op, usize> = ops.iter().enumerate().map(|(i, o)| (*o, i)).collect();
        let mut parts = Parts {
            part: (0..ops.len()).collect(),
            free: vec![false; ops.len()],
            place,
        };
        for (i, op) in ops.iter().enumerate() {
            let used = parts.used(ctx, *op);
            if is_pure(ctx, *op) && used.iter().all(|u| parts.free[*u]) {
                parts.free[i] = true;
                continue;
            }
            for u in used
                .into_iter()
                .filter(|u| !parts.free[*u])
                .collect::<Vec<_>>()
            {
                parts.join(u, i);
            }
        }
        parts
    }

    /// The ops of this block whose results `op`, or what is in it, uses.
    fn used(&self, ctx: &Context, op: Op) -> Vec<usize> {
        let mut used = Vec::new();
        op.walk(ctx, &mut |o| {
            let defs = o.operands(ctx).into_iter().filter_map(|v| v.def_op());
            used.extend(defs.filter_map(|d| self.place.get(&d).copied()));
        });
        used.sort_unstable();
        used.dedup();
        used
    }

    /// Makes one part of the ops from `a` to `b`, of which `b` is the last that is in a
    /// part already, so that each part is a run of ops.
    fn join(&mut self, a: usize, b: usize) {
        let kept = |i: &usize| !self.free[*i];
        let first = (a..=b)
            .filter(kept)
            .map(|i| self.part[i])
            .min()
            .unwrap_or(a);
        for i in first..=b {
            if !self.free[i] {
                self.part[i] = first;
            }
        }
    }

    fn is_alone(&self, i: usize) -> bool {
        let same = |(j, p): (usize, &usize)| *p == self.part[i] && j != i && !self.free[j];
        !self.part.iter().enumerate().any(same)
    }

    /// The ops of a part, and the free ones that they need.
    fn members(&self, ctx: &Context, ops: &[Op], part: usize) -> Vec<Op> {
        let mut wanted: Vec<usize> = (0..ops.len())
            .filter(|i| self.part[*i] == part && !self.free[*i])
            .collect();
        let mut next = 0;
        while next < wanted.len() {
            for u in self.used(ctx, ops[wanted[next]]) {
                if !wanted.contains(&u) {
                    wanted.push(u);
                }
            }
            next += 1;
        }
        wanted.sort_unstable();
        wanted.into_iter().map(|i| ops[i]).collect()
    }
}
