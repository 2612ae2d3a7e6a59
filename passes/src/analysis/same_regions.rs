//! Whether ops compute the same.

use rustc_hash::FxHashMap;
use terrace_ir::{Context, Op, Region, Value};

/// Whether two ops have regions that compute the same: block by block and op by op,
/// values matched as they are defined.
pub fn same_regions(ctx: &Context, a: Op, b: Op) -> bool {
    let (ra, rb) = (a.regions(ctx), b.regions(ctx));
    ra.len() == rb.len() && {
        let mut map = FxHashMap::default();
        ra.into_iter()
            .zip(rb)
            .all(|(x, y)| same_region(ctx, x, y, &mut map))
    }
}

fn same_region(ctx: &Context, a: Region, b: Region, map: &mut FxHashMap<Value, Value>) -> bool {
    let (ba, bb) = (a.blocks(ctx), b.blocks(ctx));
    if ba.len() != bb.len() {
        return false;
    }
    for (x, y) in ba.iter().zip(&bb) {
        if x.arg_types(ctx) != y.arg_types(ctx) {
            return false;
        }
        map.extend(x.args(ctx).into_iter().zip(y.args(ctx)));
    }
    ba.iter().zip(&bb).all(|(x, y)| {
        let (ox, oy) = (x.ops(ctx), y.ops(ctx));
        ox.len() == oy.len()
            && ox.into_iter().zip(oy).all(|(p, q)| {
                let operands = p.operands(ctx);
                let same = p.name(ctx) == q.name(ctx)
                    && p.attrs(ctx) == q.attrs(ctx)
                    && p.result_types(ctx) == q.result_types(ctx)
                    && operands.len() == q.num_operands(ctx)
                    && operands
                        .iter()
                        .zip(q.operands(ctx))
                        .all(|(v, w)| map.get(v).copied().unwrap_or(*v) == w)
                    && p.num_successors(ctx) == q.num_successors(ctx)
                    && p.successors(ctx)
                        .iter()
                        .zip(q.successors(ctx))
                        .all(|(s, t)| {
                            ba.iter().position(|b| b == s) == bb.iter().position(|b| *b == t)
                        });
                map.extend(p.results(ctx).into_iter().zip(q.results(ctx)));
                let (rp, rq) = (p.regions(ctx), q.regions(ctx));
                same && rp.len() == rq.len()
                    && rp
                        .into_iter()
                        .zip(rq)
                        .all(|(s, t)| same_region(ctx, s, t, map))
            })
    })
}
