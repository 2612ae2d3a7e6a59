//! The order of the loops of a function on cores.
//!
//! The order that [`parallelize`](crate::passes::region::parallelize()) finds is for a device, which
//! needs many iterations that are independent. A core is better off with rows, and with loops
//! that become vectors. Both are estimated, for each nest where the function has several: of a
//! product and a sweep in place, the one may be better in another order and the other not.

use super::extract;
use crate::ir::{Context, Op};
use crate::passes::loops::alone::Alone;
use crate::passes::pipeline;
use crate::passes::region::estimate::host_seconds;
use crate::passes::region::innermost_parallel;
use crate::passes::region::parallelize::{Options, Schedule};
use crate::shown::Passes;
use crate::targets::machine::Cores;

/// The part of the time as written that another order of loops may take on a core.
const MUST_GAIN: f64 = 0.8;
/// The same where fewer statements can run in vectors.
const MUST_GAIN_WITHOUT_LANES: f64 = 0.3;
/// The same on one core, where two gain.
const MAY_LOSE: f64 = 1.2;

/// A module and the function in it that is looked at.
pub(crate) type Copy = (Op, Op);

/// How the orders of a function's loops are compared.
pub(crate) struct OrderOnCores<'a> {
    pub passes: Passes,
    pub cores: &'a Cores,
    /// How the loops were made parallel.
    pub rules: &'a Options,
    /// Whether another order than the one written was found for the function.
    pub is_found: bool,
}

impl OrderOnCores<'_> {
    /// The function with its loops made parallel in the order that was `found`, or with each of its
    /// nests in the better one of the order found for it and of one that goes along rows.
    pub fn better(&self, ctx: &mut Context, found: Copy, written: Copy) -> Copy {
        match self.is_found && self.nest_by_nest(ctx, written) {
            true => self.better_than(ctx, found, written),
            false => self.better_than_written(ctx, found, written),
        }
    }

    /// Makes the loops of each nest parallel in the better order. Nothing is done, and the answer
    /// is no, where there are not several nests that can be looked at alone.
    fn nest_by_nest(&self, ctx: &mut Context, written: Copy) -> bool {
        let ops = written.1.region(ctx, 0).entry(ctx).map(|b| b.ops(ctx));
        let mut nests = ops.unwrap_or_default();
        nests.retain(|op| op.num_regions(ctx) > 0);
        let possible = |op: &Op| Alone::is_possible(ctx, written.1, *op);
        if nests.len() < 2 || !nests.iter().all(possible) {
            return false;
        }
        // One after the other: a nest may need a number that comes out of one before, and has the new
        // one then.
        for nest in nests {
            let Some(alone) = Alone::of(ctx, written.1, nest) else {
                continue;
            };
            let name = alone.function.symbol_name(ctx).unwrap_or_default();
            let name = name.to_string();
            let copies =
                extract::alone(ctx, written.0, &name).zip(extract::alone(ctx, written.0, &name));
            alone.function.erase(ctx);
            let Some((found, nest)) = copies else {
                continue;
            };
            self.passes.parallelize(ctx, found.1, self.rules);
            let better = self.better_than_written(ctx, found, nest);
            alone.put_back(ctx, better.1);
        }
        true
    }

    /// The order that was found, or the one `written` with its rows along what is near in memory.
    fn better_than_written(&self, ctx: &mut Context, found: Copy, written: Copy) -> Copy {
        let strides = pipeline::region_strides(self.cores);
        for pipeline in [&pipeline::region_rows(), &strides] {
            if self.passes.run(ctx, written.0, pipeline).is_err() {
                return found;
            }
        }
        let rules = Options {
            schedule: Schedule::None,
            ..self.rules.clone()
        };
        self.passes.parallelize(ctx, written.1, &rules);
        self.better_than(ctx, found, written)
    }

    /// The one that was `found` where it makes more of a core than `other`, or uses more of them and
    /// loses little.
    fn better_than(&self, ctx: &mut Context, found: Copy, other: Copy) -> Copy {
        if (self.passes.run(ctx, found.0, &pipeline::region_rows())).is_err() {
            return found;
        }
        let [now, then] = [found, other].map(|c| host_seconds(ctx, c.1, self.cores));
        let (Some(now), Some(then)) = (now, then) else {
            return found;
        };
        // The estimate knows no vectors, which a loop in order inside cannot become.
        let lanes = innermost_parallel(ctx, found.1) < innermost_parallel(ctx, other.1);
        let is_better = match lanes {
            true => now.one <= MUST_GAIN_WITHOUT_LANES * then.one,
            false => {
                let on_two = now.two <= MUST_GAIN * then.two && now.one <= MAY_LOSE * then.one;
                on_two || now.one <= MUST_GAIN * then.one
            }
        };
        match is_better {
            true => found,
            false => other,
        }
    }
}
