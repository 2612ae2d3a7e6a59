//! Which loop each handle stands for.

use crate::analysis::loop_names;
use crate::analysis::loop_names::loop_name;
use rustc_hash::FxHashMap;
use terrace_ir::{Context, Op, Value};

/// A loop that a handle stands for, or stood for.
struct Handle {
    op: Op,
    /// What the loop was called when the handle was made.
    name: String,
    /// The step after which the loop was no more.
    gone: Option<Op>,
}

/// The handles of a schedule that is being applied.
#[derive(Default)]
pub(super) struct Handles(FxHashMap<Value, Handle>);

/// A handle whose loop is no more.
pub(super) struct Gone {
    /// What it was called.
    pub(super) name: String,
    /// The step that did away with it.
    pub(super) by: Option<Op>,
}

impl Handles {
    /// Let the handle `v` stand for the loop `op`.
    pub(super) fn bind(&mut self, ctx: &Context, v: Value, op: Op) {
        let name = loop_name(ctx, op);
        self.0.insert(
            v,
            Handle {
                op,
                name,
                gone: None,
            },
        );
    }

    /// The loop of a handle.
    ///
    /// # Errors
    ///
    /// It is no more.
    pub(super) fn get(&self, v: Value) -> Result<Op, Gone> {
        match self.0.get(&v) {
            Some(h) if h.gone.is_none() => Ok(h.op),
            Some(h) => Err(Gone {
                name: h.name.clone(),
                by: h.gone,
            }),
            None => Err(Gone {
                name: "loop".to_string(),
                by: None,
            }),
        }
    }

    /// Let the handles of a loop that was made anew stand for the new one.
    pub(super) fn replace(&mut self, old: Op, new: Op) {
        for h in self.0.values_mut().filter(|h| h.op == old) {
            h.op = new;
        }
    }

    /// After `step`: mark the handles of loops that are no longer in `function`.
    pub(super) fn sweep(&mut self, ctx: &Context, function: Op, step: Op) {
        for h in self.0.values_mut().filter(|h| h.gone.is_none()) {
            let there = ctx.is_alive(h.op)
                && loop_names::is_loop(ctx, h.op)
                && function.is_ancestor_of(ctx, h.op);
            if !there {
                h.gone = Some(step);
            }
        }
    }
}
