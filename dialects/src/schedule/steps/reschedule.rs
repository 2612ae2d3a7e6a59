//! A whole nest in another order.

use super::changes;
use crate::schedule::types::LOOP;
use terrace_ir::affine::AffineMap;
use terrace_ir::constraint::{ARRAY_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Builder, Context, Op, OpKind, Value, op};

op! {
    /// Puts all that is done between the first of the loops and the last, which are
    /// neighbours in one block, into a new order: instance `x` of statement number
    /// `s`, counted in textual order, runs at the time `times[s](x)`, and times are
    /// compared like words in a dictionary. `parallel` lists for each statement the
    /// entries of its time along which instances may run at once.
    RescheduleOp = "schedule.reschedule" {
        operands: [loops: LOOP.variadic()],
        attrs: [times: ARRAY_ATTR, parallel: ARRAY_ATTR.optional(), force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$loops `to` $times (`parallel` $parallel^)? attr-dict",
        verify: verify,
        effects: changes,
    }
}

impl RescheduleOp {
    /// The time of each statement's instances, from the loops around it.
    pub fn times(self, ctx: &Context) -> Vec<AffineMap> {
        let a = self.op().attr(ctx, "times").and_then(|a| a.as_array(ctx));
        let maps = a.unwrap_or_default().iter();
        maps.filter_map(|m| m.as_map(ctx).cloned()).collect()
    }

    /// For each statement the entries of its time that are not in order; none where
    /// none are listed.
    pub fn parallel(self, ctx: &Context) -> Vec<Vec<usize>> {
        let a = self
            .op()
            .attr(ctx, "parallel")
            .and_then(|a| a.as_array(ctx));
        let lists = a.unwrap_or_default().iter();
        let list = |l: Vec<i64>| {
            l.into_iter()
                .filter_map(|v| usize::try_from(v).ok())
                .collect()
        };
        lists
            .filter_map(|l| l.as_i64_array(ctx).map(list))
            .collect()
    }

    /// Run the statements in `loops` by `times`; `parallel` has a list for each statement.
    pub fn build(
        b: &mut Builder,
        loops: &[Value],
        times: &[AffineMap],
        parallel: &[Vec<usize>],
    ) -> RescheduleOp {
        let maps = times.iter().map(|m| b.ctx.map_attr(m.clone())).collect();
        let times = b.ctx.array_attr(maps);
        let list = |l: &Vec<usize>| {
            let all = l.iter().map(|v| b.ctx.i64_attr(*v as i64)).collect();
            b.ctx.array_attr(all)
        };
        let lists = b.ctx.array_attr(parallel.iter().map(list).collect());
        let mut attrs = vec![("times", times)];
        if parallel.iter().any(|l| !l.is_empty()) {
            attrs.push(("parallel", lists));
        }
        RescheduleOp::wrap(b.op::<RescheduleOp>(loops, &[], &attrs))
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    if op.num_operands(ctx) == 0 {
        return Err("needs the loops, at least one, that are to be put in order".into());
    }
    let a = op.attr(ctx, "times").and_then(|a| a.as_array(ctx));
    let mut length = None;
    for (i, m) in a.unwrap_or_default().iter().enumerate() {
        let Some(m) = m.as_map(ctx) else {
            return Err(format!("has a time number {i} that is no affine map").into());
        };
        if m.num_symbols() > 0 {
            return Err(format!("has the time {m}, but times are of loop variables alone").into());
        }
        let want = *length.get_or_insert(m.num_results());
        if m.num_results() != want {
            return Err(format!(
                "has times of {want} and of {} entries, which cannot be compared",
                m.num_results()
            )
            .into());
        }
    }
    let Some(length) = length else {
        return Err("needs a time for each statement".into());
    };
    let Some(lists) = op.attr(ctx, "parallel").and_then(|a| a.as_array(ctx)) else {
        return Ok(());
    };
    let times = a.unwrap_or_default().len();
    if lists.len() != times {
        return Err(format!(
            "has {times} times, but {} lists behind 'parallel'",
            lists.len()
        )
        .into());
    }
    for l in lists {
        let Some(l) = l.as_i64_array(ctx) else {
            return Err("has something behind 'parallel' that is no list of numbers".into());
        };
        let outside = |v: &&i64| usize::try_from(**v).map_or(true, |v| v >= length);
        if let Some(v) = l.iter().find(outside) {
            return Err(format!("has the entry {v} behind 'parallel', but times have {length} entries, counted from 0").into());
        }
    }
    Ok(())
}
