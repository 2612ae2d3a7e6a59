//! Runs of statements as kernels of one thread.

use super::{Mapper, terminate};
use crate::xfer::fragments::group::Member;
use terrace_dialects::arith;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, OpKind};

impl Mapper<'_> {
    /// Make a kernel of `members`, ops of one block in their order, where the last that
    /// moves stands. Copied ones in front of it come to stand behind it, since they
    /// use what moved.
    pub(super) fn serial(&mut self, mut members: Vec<Member>) {
        while members.last().is_some_and(|m| m.copied) {
            members.pop();
        }
        let Some(last) = members.last().map(|m| m.op) else {
            return;
        };
        let mut b = Builder::before(self.ctx, last);
        let one = arith::constant_index(&mut b, 1);
        let (launch, entry) = self.launch(last, [one; 3], [one; 3]);
        let loc = last.loc(self.ctx);
        let mut kept = Vec::new();
        for m in &members {
            if !m.copied {
                m.op.move_to_end(self.ctx, entry);
                continue;
            }
            let copy = clone_op(self.ctx, m.op, &mut IrMapping::new());
            entry.push_back(self.ctx, copy);
            kept.push((m.op, copy));
        }
        // Inside, the copies stand for the originals.
        for (op, copy) in &kept {
            for (old, new) in op.results(self.ctx).into_iter().zip(copy.results(self.ctx)) {
                let (ctx, root) = (&*self.ctx, launch.op());
                old.replace_uses_if(ctx, new, |u| root.is_ancestor_of(ctx, u.op));
            }
        }
        terminate(self.ctx, entry, loc);
        let mut behind = launch.op();
        for (op, _) in &kept {
            op.move_after(self.ctx, behind);
            behind = *op;
        }
        let outputs: Vec<_> = members
            .iter()
            .filter(|m| !m.copied)
            .flat_map(|m| m.op.results(self.ctx))
            .collect();
        self.hand_out(launch, &outputs);
        self.complete(launch);
        let statements: Vec<_> = members.iter().map(|m| m.op).collect();
        self.note_serial(&statements);
    }
}
