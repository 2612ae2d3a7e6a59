//! `affine.parallel`: declaration, accessors, builder and fold.

use super::compose::compose;
use super::dense::{i32_elements, i32_tensor};
use super::parallel_syntax::{parse, print, verify};
use super::syntax::map_of;
use super::yield_op::YieldOp;
use terrace_ir::affine::AffineMap;
use terrace_ir::constraint::{ANY, AttrConstraint, INDEX, MAP_ATTR};
use terrace_ir::opdef::Fold;
use terrace_ir::{Attr, Block, Builder, Context, InsertPoint, Op, OpKind, Type, Value, op};

const GROUPS: AttrConstraint =
    AttrConstraint::new("32-bit signless integer elements attribute", |c, a| {
        i32_elements(c, a).is_some()
    });
const STEPS: AttrConstraint = AttrConstraint::new("64-bit integer array attribute", |c, a| {
    a.as_array(c).is_some_and(|v| {
        v.iter()
            .all(|s| s.typed(c) == Some(c.i64()) && s.as_i64(c).is_some())
    })
});
const REDUCTIONS: AttrConstraint = AttrConstraint::new("Reduction ops", |c, a| {
    a.as_array(c).is_some_and(|v| {
        v.iter()
            .all(|k| crate::arith::ATOMIC_RMW_KIND.value(c, *k).is_some())
    })
});

op! {
    /// A rectangular band of loops whose iterations may run in any order or at once.
    /// Each loop has a group of lower bounds, of which the greatest counts, and one of
    /// upper bounds, of which the least does. What the body yields is combined over
    /// all iterations by one reduction per result.
    ParallelOp = "affine.parallel" {
        operands: [mapOperands: INDEX.variadic()],
        results: [results: ANY.variadic()],
        attrs: [
            reductions: REDUCTIONS,
            lowerBoundsMap: MAP_ATTR,
            lowerBoundsGroups: GROUPS,
            upperBoundsMap: MAP_ATTR,
            upperBoundsGroups: GROUPS,
            steps: STEPS,
        ],
        regions: [region: OneBlock],
        traits: RECURSIVE_EFFECTS | RECURSIVELY_SPECULATABLE | LOOP_LIKE | ALLOCATION_SCOPE
            | SINGLE_BLOCK,
        implicit_terminator: "affine.yield",
        custom: (parse, print),
        verify: verify,
        fold: fold,
    }
}

impl ParallelOp {
    /// How many loops the band has.
    pub fn num_loops(self, ctx: &Context) -> usize {
        self.steps(ctx).len()
    }

    /// The lower bounds of all loops, one group after the other.
    pub fn lower_map(self, ctx: &Context) -> &AffineMap {
        map_of(ctx, self.op(), "lowerBoundsMap")
    }

    /// The upper bounds of all loops, one group after the other.
    pub fn upper_map(self, ctx: &Context) -> &AffineMap {
        map_of(ctx, self.op(), "upperBoundsMap")
    }

    /// How many lower bounds each loop has.
    pub fn lower_groups(self, ctx: &Context) -> Vec<usize> {
        groups(ctx, self.op(), "lowerBoundsGroups")
    }

    /// How many upper bounds each loop has.
    pub fn upper_groups(self, ctx: &Context) -> Vec<usize> {
        groups(ctx, self.op(), "upperBoundsGroups")
    }

    /// The lower bounds of loop `i`: the greatest result of this map over
    /// [`Self::lower_operands`].
    pub fn lower_map_of(self, ctx: &Context, i: usize) -> AffineMap {
        group(self.lower_map(ctx), &self.lower_groups(ctx), i)
    }

    /// The upper bounds of loop `i`: the least result of this map over
    /// [`Self::upper_operands`].
    pub fn upper_map_of(self, ctx: &Context, i: usize) -> AffineMap {
        group(self.upper_map(ctx), &self.upper_groups(ctx), i)
    }

    /// Operands of the lower bounds' map, dimensions first, then symbols.
    pub fn lower_operands(self, ctx: &Context) -> Vec<Value> {
        let mut v = self.op().operands(ctx);
        v.truncate(self.lower_map(ctx).num_inputs());
        v
    }

    /// Operands of the upper bounds' map, dimensions first, then symbols.
    pub fn upper_operands(self, ctx: &Context) -> Vec<Value> {
        self.op()
            .operands(ctx)
            .into_iter()
            .skip(self.lower_map(ctx).num_inputs())
            .collect()
    }

    /// One positive step for each dimension.
    pub fn steps(self, ctx: &Context) -> Vec<i64> {
        let list = self
            .op()
            .attr(ctx, "steps")
            .and_then(|a| a.as_array(ctx))
            .unwrap_or(&[]);
        list.iter().map(|s| s.as_i64(ctx).unwrap_or(0)).collect()
    }

    /// The reduction of each result, as a value of `arith`'s `ATOMIC_RMW_KIND`.
    pub fn reductions(self, ctx: &Context) -> Vec<i64> {
        let list = self
            .op()
            .attr(ctx, "reductions")
            .and_then(|a| a.as_array(ctx))
            .unwrap_or(&[]);
        list.iter().filter_map(|k| k.as_i64(ctx)).collect()
    }

    /// The only block of the loop.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The induction variables, the outermost loop's first.
    pub fn ivs(self, ctx: &Context) -> Vec<Value> {
        self.body(ctx).args(ctx)
    }

    /// Whether some loop has several lower or several upper bounds.
    pub fn has_min_max_bounds(self, ctx: &Context) -> bool {
        let n = self.num_loops(ctx);
        self.lower_map(ctx).num_results() != n || self.upper_map(ctx).num_results() != n
    }

    /// Upper minus lower bound of each loop, where all are constants and single.
    pub fn constant_ranges(self, ctx: &Context) -> Option<Vec<i64>> {
        if self.has_min_max_bounds(ctx) {
            return None;
        }
        let lower = self.lower_map(ctx).constant_results()?;
        let upper = self.upper_map(ctx).constant_results()?;
        upper
            .iter()
            .zip(&lower)
            .map(|(u, l)| u.checked_sub(*l))
            .collect()
    }

    /// Replace the lower bounds; the groups stay.
    pub fn set_lower(self, ctx: &Context, map: AffineMap, operands: &[Value]) {
        let upper = self.upper_operands(ctx);
        self.op().set_attr(ctx, "lowerBoundsMap", ctx.map_attr(map));
        self.op().set_operands(ctx, &[operands, &upper].concat());
    }

    /// Replace the upper bounds; the groups stay.
    pub fn set_upper(self, ctx: &Context, map: AffineMap, operands: &[Value]) {
        let lower = self.lower_operands(ctx);
        self.op().set_attr(ctx, "upperBoundsMap", ctx.map_attr(map));
        self.op().set_operands(ctx, &[&lower, operands].concat());
    }

    /// Replace all bounds: a map, its operands, and how many of its results each loop has.
    pub fn set_bounds(
        self,
        ctx: &Context,
        lower: (AffineMap, &[Value], &[usize]),
        upper: (AffineMap, &[Value], &[usize]),
    ) {
        let sizes = |groups: &[usize]| {
            let size = |n: &usize| i32::try_from(*n).unwrap_or(i32::MAX);
            let sizes: Vec<i32> = groups.iter().map(size).collect();
            i32_tensor(ctx, &sizes)
        };
        let op = self.op();
        op.set_attr(ctx, "lowerBoundsGroups", sizes(lower.2));
        op.set_attr(ctx, "upperBoundsGroups", sizes(upper.2));
        op.set_attr(ctx, "lowerBoundsMap", ctx.map_attr(lower.0));
        op.set_attr(ctx, "upperBoundsMap", ctx.map_attr(upper.0));
        op.set_operands(ctx, &[lower.1, upper.1].concat());
    }

    /// Replace the steps, one for each dimension.
    pub fn set_steps(self, ctx: &Context, steps: &[i64]) {
        self.op().set_attr(ctx, "steps", i64_list(ctx, steps));
    }

    /// A band; `lower` and `upper` have one map per loop, all of one list's maps over
    /// the same operands. `body` gets the induction variables and gives what to
    /// reduce, by `reductions` (of `arith`'s `ATOMIC_RMW_KIND`) into `results`.
    pub fn build(
        b: &mut Builder,
        lower: (&[AffineMap], &[Value]),
        upper: (&[AffineMap], &[Value]),
        steps: &[i64],
        reductions: &[i64],
        results: &[Type],
        body: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
    ) -> ParallelOp {
        let flat = |maps: &[AffineMap]| {
            let (d, s) = maps
                .first()
                .map_or((0, 0), |m| (m.num_dims(), m.num_symbols()));
            let all = maps
                .iter()
                .flat_map(|m| m.results().iter().cloned())
                .collect();
            AffineMap::new(d, s, all)
        };
        let sizes = |maps: &[AffineMap]| -> Vec<i32> {
            maps.iter()
                .map(|m| i32::try_from(m.num_results()).unwrap_or(i32::MAX))
                .collect()
        };
        let attrs = [
            ("reductions", i64_list(b.ctx, reductions)),
            ("lowerBoundsMap", b.ctx.map_attr(flat(lower.0))),
            ("lowerBoundsGroups", i32_tensor(b.ctx, &sizes(lower.0))),
            ("upperBoundsMap", b.ctx.map_attr(flat(upper.0))),
            ("upperBoundsGroups", i32_tensor(b.ctx, &sizes(upper.0))),
            ("steps", i64_list(b.ctx, steps)),
        ];
        let mut s = b.state::<ParallelOp>().results(results).regions(1);
        s.operands = [lower.1, upper.1].concat();
        for (k, a) in attrs {
            s.set_attr(b.ctx, k, a);
        }
        let op = b.create(s);
        let index = b.ctx.index();
        let block = op
            .region(b.ctx, 0)
            .add_block(b.ctx, &vec![index; steps.len()]);
        block.set_loc(b.ctx, b.loc);
        let ivs = block.args(b.ctx);
        b.with_point(InsertPoint::End(block), |b| {
            let v = body(b, &ivs);
            b.op::<YieldOp>(&v, &[], &[]);
        });
        ParallelOp::wrap(op)
    }
}

/// `[1 : i64, ...]`.
pub(super) fn i64_list(ctx: &Context, values: &[i64]) -> Attr {
    ctx.array_attr(values.iter().map(|v| ctx.i64_attr(*v)).collect())
}

pub(super) fn groups(ctx: &Context, op: Op, name: &str) -> Vec<usize> {
    let list = op
        .attr(ctx, name)
        .and_then(|a| i32_elements(ctx, a))
        .unwrap_or_default();
    list.into_iter()
        .map(|n| usize::try_from(n).unwrap_or(0))
        .collect()
}

/// The results of group `i` of a map.
fn group(map: &AffineMap, sizes: &[usize], i: usize) -> AffineMap {
    let start: usize = sizes.iter().take(i).sum();
    let n = sizes.get(i).copied().unwrap_or(0);
    let results = map.results().iter().skip(start).take(n).cloned().collect();
    AffineMap::new(map.num_dims(), map.num_symbols(), results)
}

fn fold(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let this = ParallelOp::wrap(op);
    let (lower, upper) = (this.lower_operands(ctx), this.upper_operands(ctx));
    let new_lower = compose(ctx, this.lower_map(ctx), &lower);
    let new_upper = compose(ctx, this.upper_map(ctx), &upper);
    let mut changed = false;
    if new_lower.map != *this.lower_map(ctx) || new_lower.operands != lower {
        // The upper operands are found behind the lower ones, so set both at once.
        this.op()
            .set_attr(ctx, "lowerBoundsMap", ctx.map_attr(new_lower.map));
        this.op()
            .set_operands(ctx, &[new_lower.operands.clone(), upper.clone()].concat());
        changed = true;
    }
    if new_upper.map != *this.upper_map(ctx) || new_upper.operands != upper {
        this.set_upper(ctx, new_upper.map, &new_upper.operands);
        changed = true;
    }
    if changed { Fold::InPlace } else { Fold::No }
}
