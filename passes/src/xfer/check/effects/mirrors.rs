//! Ops about an array and its mirror, and about the table of present arrays.

use super::super::pairs::{is_same, whole};
use super::super::report::array_words;
use super::super::state::Action;
use super::super::uses::{FREED, Target, Use};
use super::{Effect, Effects, is_data_op};
use crate::analysis::memory::base;
use terrace_dialects::xfer::{
    AssertValidOp, CopyOp, CreateOp, DataOp, DiscardOp, EnsureOp, FreeOp, MarkWrittenOp,
    PrefetchOp, Side,
};
use terrace_ir::{Op, OpKind, Value};

impl Effects<'_> {
    pub(super) fn xfer(&mut self, op: Op, out: &mut Vec<Effect>) {
        let ctx = self.ctx;
        if op.isa::<CopyOp>(ctx) {
            return self.copies(CopyOp::wrap(op), out);
        }
        if is_data_op(ctx, op) {
            return self.table(op, out);
        }
        if let Some(c) = op.cast::<CreateOp>(ctx) {
            return self.creates(c, out);
        }
        if let Some(d) = op.cast::<DiscardOp>(ctx) {
            return self.discards(d, out);
        }
        if let Some(f) = op.cast::<FreeOp>(ctx) {
            let buffer = base(ctx, f.buffer(ctx));
            let (ways, target) = (FREED, Target::Memory(buffer));
            let at = op;
            return self.memory(op, buffer, &Use { target, ways, at }, out);
        }
        if let Some(p) = op.cast::<PrefetchOp>(ctx) {
            let ends = (p.array(ctx), p.mirror(ctx));
            self.of_a_pair(op, ends, Action::Ensure(p.side(ctx)), out);
        } else if let Some(e) = op.cast::<EnsureOp>(ctx) {
            let ends = (e.array(ctx), e.mirror(ctx));
            for s in e.sides(ctx) {
                self.of_a_pair(op, ends, Action::Ensure(*s), out);
            }
        } else if let Some(m) = op.cast::<MarkWrittenOp>(ctx) {
            let ends = (m.array(ctx), m.mirror(ctx));
            for s in m.sides(ctx) {
                self.of_a_pair(op, ends, Action::Mark(*s), out);
            }
        } else if let Some(a) = op.cast::<AssertValidOp>(ctx) {
            let ends = (a.array(ctx), a.mirror(ctx));
            for s in a.sides(ctx) {
                self.of_a_pair(op, ends, Action::Assert(*s), out);
            }
        }
    }

    /// An op of the table of present arrays, which `table` follows; for arrays with mirrors
    /// of their own it is as code of the host that uses them.
    fn table(&mut self, op: Op, out: &mut Vec<Effect>) {
        let ctx = self.ctx;
        let array = op.operand(ctx, 0);
        if op.name(ctx) == DataOp::NAME {
            let message = format!(
                "holds {} on the device; 'xfer-lower-data' makes of it what can be checked",
                array_words(ctx, array)
            );
            return self.bad(array, message, op, out);
        }
        let mut uses = Vec::new();
        self.summaries.uses(ctx, op, Side::Host, &mut uses);
        for u in &uses {
            self.apply(op, u, out);
        }
    }

    /// An op on an array and its mirror.
    fn of_a_pair(
        &self,
        op: Op,
        (array, mirror): (Value, Value),
        action: Action,
        out: &mut Vec<Effect>,
    ) {
        let ctx = self.ctx;
        let (array, mirror) = (whole(ctx, array), whole(ctx, mirror));
        let Some(i) = self.pairs.iter().position(|p| p.mirror == mirror) else {
            let message = "is about a buffer that is not, as a whole, what an 'xfer.create' of this function made; it cannot be checked";
            return self.bad(array, message.into(), op, out);
        };
        let p = &self.pairs[i];
        let asks = matches!(action, Action::Ensure(_));
        if asks && p.handed.is_some_and(|h| !h.flags) {
            let message = format!(
                "asks the flags about {}, whose mirror the function is handed without a word of 'flags'",
                array_words(ctx, p.array)
            );
            self.bad(array, message, op, out);
        }
        if !is_same(ctx, p.array, array) {
            let message = format!(
                "takes {}, but the mirror is that of {}",
                array_words(ctx, array),
                array_words(ctx, p.array)
            );
            return self.bad(array, message, op, out);
        }
        self.act(i, action, op, out);
        // A copy also uses the array for all others that it may be.
        if let Action::Ensure(side) = action {
            self.others_of_copy(i, side, op, out);
        }
    }

    fn creates(&self, c: CreateOp, out: &mut Vec<Effect>) {
        let Some(i) = self
            .pairs
            .iter()
            .position(|p| p.mirror == c.mirror(self.ctx))
        else {
            return;
        };
        let action = match self.pairs[i].mirror_is_shared {
            true => Action::CreateAgain,
            false => Action::Create,
        };
        self.act(i, action, c.op(), out);
    }

    fn discards(&mut self, d: DiscardOp, out: &mut Vec<Effect>) {
        let (ctx, v) = (self.ctx, d.array(self.ctx));
        let (all, b) = (whole(ctx, v), base(ctx, v));
        for (i, p) in self.pairs.iter().enumerate() {
            if is_same(ctx, p.array, all) || p.mirror == all {
                self.act(i, Action::Discard, d.op(), out);
            } else if p.may_be_array(ctx, b) || p.may_be_mirror(ctx, b) {
                self.act(i, Action::MayDiscard, d.op(), out);
                if let Some(parts) = self.boxes.inside(ctx, p, i, v) {
                    self.act_on(i, Action::DiscardBox, d.op(), parts, out);
                }
            }
        }
    }
}
