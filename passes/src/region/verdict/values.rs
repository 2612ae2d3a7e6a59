//! What the values that a loop carries say of the order of its iterations.

use super::{Against, Asked, Decision, Judge};
use crate::analysis::accumulate::accumulation;
use crate::analysis::dependence::words;
use crate::analysis::source;
use crate::region::notes::{Reason, ReductionNote};
use crate::region::parallelize::Reductions;
use crate::region::{explain, ties};

impl Judge<'_> {
    /// Values that the loop carries.
    pub(super) fn values(
        &self,
        d: &mut Decision,
        asked: Asked,
        clause: bool,
        against: &mut Against,
    ) {
        let ctx = self.ctx;
        for i in 0..d.l.iter_args(ctx).len() {
            if self.found.dead.contains(&(d.l.op(), i)) {
                d.dead.push(i);
                continue;
            }
            let Some(a) =
                accumulation(ctx, d.l, i).filter(|_| self.rules.reductions != Reductions::None)
            else {
                against.values.push(explain::carried(ctx, d.l, i));
                continue;
            };
            let name = source::carried(ctx, d.l, i);
            let operation = words::reduction(a.kind).to_string();
            let may =
                clause || asked == Asked::Independent || self.rules.reassociate || a.reassociates;
            if a.rounds() && !may {
                against
                    .rounding
                    .push(explain::rounding(ctx, d.l, &name, &operation));
                continue;
            }
            let mut a = a;
            if !may && ties::order_counts(ctx, d.l, i, a) {
                if !ties::may_run_again(ctx, d.l, i) {
                    against
                        .rounding
                        .push(explain::ties(ctx, d.l, &name, &operation, a));
                    continue;
                }
                a = ties::checked(a);
                d.note.checked.push(name.clone());
            }
            if asked == Asked::Independent && !clause {
                let text = format!(
                    "{name} is taken as a {operation} over the iterations, though no reduction \
                     clause says so"
                );
                d.note
                    .warnings
                    .push(Reason::new(d.note.place.clone(), text));
            }
            d.note.reductions.push(ReductionNote {
                variable: name,
                operation,
                reordered: a.rounds(),
            });
            d.accumulations.push((i, a));
        }
    }
}
