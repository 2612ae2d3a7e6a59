//! Calls: what the function uses, and what it does to the pairs that it is handed.

use super::super::contract;
use super::super::pairs::{Pair, is_same, whole};
use super::super::report::array_words;
use super::super::state::{Action, Called};
use super::super::uses::{Target, Use};
use super::{Effect, Effects};
use crate::analysis::memory::base;
use terrace_dialects::func;
use terrace_dialects::xfer::Side;
use terrace_dialects::xfer::handed::handed;
use terrace_ir::{Op, OpKind};

impl Effects<'_> {
    pub(super) fn calls(&mut self, op: Op, out: &mut Vec<Effect>) {
        let mut uses = Vec::new();
        self.summaries.all_uses(self.ctx, op, Side::Host, &mut uses);
        for u in &uses {
            self.apply(op, u, out);
        }
        let handed = self.handed_over(op, &uses, out);
        // What the function does to the pairs that it is handed was found by walking it.
        out.retain(|d| match d {
            Effect::Act { pair, .. } => !handed.iter().any(|h| h.0 == *pair),
            Effect::Bad { .. } => true,
        });
        self.cut(out);
        self.again_if_mixed(out);
        for (pair, called) in handed {
            if let Some(called) = called {
                // What it was found to do it does to each part that it may touch.
                let of = &self.pairs[pair];
                let parts = self.boxes.touched(self.ctx, of, pair, op, self.summaries);
                self.act_on(pair, Action::Call(called), op, parts, out);
            }
        }
    }

    /// The pairs that a call hands over, with what the function does to them where that is
    /// known.
    fn handed_over(
        &mut self,
        op: Op,
        uses: &[Use],
        out: &mut Vec<Effect>,
    ) -> Vec<(usize, Option<Called>)> {
        let ctx = self.ctx;
        let Some(callee) = func::CallOp::wrap(op).function(ctx).map(|f| f.op()) else {
            return Vec::new();
        };
        let operands = op.operands(ctx);
        let mut found = Vec::new();
        for h in handed(ctx, callee).unwrap_or_default() {
            let (array, mirror) = (operands[h.array], operands[h.mirror]);
            let words = array_words(ctx, base(ctx, array));
            let of_array = |p: &Pair| {
                p.mirror == whole(ctx, mirror) && is_same(ctx, p.array, whole(ctx, array))
            };
            let Some(i) = self.pairs.iter().position(of_array) else {
                let message = format!(
                    "hands over {words} with a buffer that is not, as a whole, the mirror of all of it"
                );
                self.bad(array, message, op, out);
                continue;
            };
            let p = self.pairs[i];
            let again = operands.iter().enumerate().any(|(k, v)| {
                let b = base(ctx, *v);
                let param = callee.region(ctx, 0).entry(ctx).map(|e| e.arg(ctx, k));
                let used = param.is_none_or(|p| !p.users(ctx).is_empty());
                let other = k != h.array && k != h.mirror && v.ty(ctx).is_memref(ctx) && used;
                other && (p.may_be_array(ctx, b) || p.may_be_mirror(ctx, b))
            });
            let by_name = uses
                .iter()
                .any(|u| matches!(u.target, Target::Global(name) if p.may_be_global(ctx, name)));
            if again || by_name {
                let message = format!(
                    "hands over {words} and its mirror, which the function may know by another name, too; it takes them for different memory"
                );
                self.bad(array, message, op, out);
            }
            match contract::called(ctx, callee, &h, self.summaries, self.trust_table) {
                Ok(called) => found.push((i, Some(called))),
                Err(why) => {
                    let message = format!(
                        "hands over {words} and its mirror to a function that {why}; what it does to them cannot be checked"
                    );
                    self.bad(array, message, op, out);
                    found.push((i, None));
                }
            }
        }
        found
    }
}
