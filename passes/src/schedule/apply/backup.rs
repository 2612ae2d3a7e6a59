//! A function as it was before a step.

use crate::loops::take_over::take_over;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op};

/// A copy of a function, to go back to. Must be either dropped or restored, since the
/// copy stands in the context's storage.
pub(super) struct Backup {
    function: Op,
    copy: Op,
}

impl Backup {
    pub(super) fn of(ctx: &mut Context, function: Op) -> Backup {
        let copy = clone_op(ctx, function, &mut IrMapping::new());
        Backup { function, copy }
    }

    /// The step was done: the copy is not needed.
    pub(super) fn discard(self, ctx: &mut Context) {
        self.copy.erase(ctx);
    }

    /// Put the copy in place of what the function has become. All ops in it are
    /// others then.
    pub(super) fn restore(self, ctx: &mut Context) {
        take_over(ctx, self.function, self.copy);
        let attrs = self.copy.attrs(ctx);
        self.function.set_attrs(ctx, &attrs);
        self.copy.erase(ctx);
    }
}
