//! What launches touch, and which of them must wait for others.

use super::find::{launches, used};
use crate::analysis::memory::{base, may_be_same};
use crate::gpu::match_failure::{MatchFailure, no_match};
use terrace_dialects::gpu;
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, OpKind, Value};

/// An array that a launch reads or writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Touched {
    array: Value,
    writes: bool,
    /// Whether the launch is one thread.
    single: bool,
}

/// The arrays that a launch touches.
///
/// # Errors
///
/// The op of which it is not known.
pub(super) fn touched(ctx: &Context, l: gpu::LaunchOp) -> Result<Vec<Touched>, MatchFailure> {
    let single = used(ctx, l) == [false; 3];
    let mut all = Vec::new();
    for op in l.op().pre_order(ctx).into_iter().skip(1) {
        let unknown = || {
            let name = op.name(ctx);
            no_match(op, format!("what '{name}' touches is not known"))
        };
        let Some(effects) = own_effects(ctx, op) else {
            return unknown();
        };
        for e in effects {
            let Some(on) = e.on else { return unknown() };
            let t = Touched {
                array: base(ctx, on),
                writes: e.kind != EffectKind::Read,
                single,
            };
            if !all.contains(&t) {
                all.push(t);
            }
        }
    }
    Ok(all)
}

/// What may have been touched since the last barrier.
#[derive(Debug, Default, Clone)]
pub(super) struct Pending(Vec<Touched>);

impl Pending {
    /// Before a launch: whether it must wait.
    pub fn must_wait(&self, ctx: &Context, next: &[Touched]) -> bool {
        self.0.iter().any(|before| {
            next.iter().any(|now| {
                (before.writes || now.writes)
                    && !(before.single && now.single)
                    && may_be_same(ctx, before.array, now.array)
            })
        })
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn add(&mut self, more: &[Touched]) {
        for t in more {
            if !self.0.contains(t) {
                self.0.push(*t);
            }
        }
    }

    /// What either of two ways leaves.
    pub fn join(&mut self, other: &Pending) {
        self.add(&other.0);
    }

    /// At the beginning of an iteration of `op`: the one before may have touched all that
    /// the loop does.
    pub fn enter(&mut self, ctx: &Context, op: Op) {
        for l in launches(ctx, op) {
            if let Ok(all) = touched(ctx, l) {
                self.add(&all);
            }
        }
    }
}
