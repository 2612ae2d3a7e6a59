//! A function as it was before a step.

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
        self.copy.drop_all_references(ctx);
        self.copy.erase(ctx);
    }

    /// Put the copy in place of what the function has become. All ops in it are
    /// others then.
    pub(super) fn restore(self, ctx: &mut Context) {
        self.function.drop_all_references(ctx);
        for (now, then) in self
            .function
            .regions(ctx)
            .into_iter()
            .zip(self.copy.regions(ctx))
        {
            for b in now.blocks(ctx) {
                b.unlink(ctx);
                b.erase(ctx);
            }
            then.move_blocks_to(ctx, now);
        }
        let attrs = self.copy.attrs(ctx);
        self.function.set_attrs(ctx, &attrs);
        self.copy.erase(ctx);
    }
}
