//! What a nest is made of, and whether a block can do it on tiles.

use super::MatchFailure;
use super::conditions::is_condition;
use super::policy::{adjacency, busiest};
use super::protect::divides;
use super::stream::extremum;
use crate::analysis::linear::Linear;
use crate::analysis::parallel::memory_obstacle;
use crate::analysis::reduction::{Reduction, all_of};
use crate::gpu::combine::travels;
use crate::gpu::map::band::band_of;
use terrace_dialects::affine::{self, Access, ForOp, ParallelOp};
use terrace_dialects::arith;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::effects::is_pure;
use terrace_ir::opdef::traits;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// Elements of the longest access.
pub(super) const LONGEST: i64 = 4;

/// One bound of a loop: a map and its operands. A loop begins at its only result, and ends at the
/// least of its results.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub map: AffineMap,
    pub operands: Vec<Value>,
}

impl Side {
    pub fn as_constant(&self) -> Option<i64> {
        self.map.single_constant()
    }
}

/// A loop from a number up to, but without, another, in steps of one.
#[derive(Debug, Clone)]
pub(super) struct Level {
    pub iv: Value,
    pub lower: Side,
    pub upper: Side,
}

impl Level {
    /// The number of iterations, where it is known.
    pub fn extent(&self) -> Option<i64> {
        let (a, b) = (self.lower.as_constant()?, self.upper.as_constant()?);
        Some((b - a).max(0))
    }
}

/// A loop inside of an iteration of the parallel ones, with those that it holds and nothing else.
#[derive(Debug, Clone)]
pub(super) struct Inner {
    pub op: Op,
    /// The loops, from the outside in.
    pub levels: Vec<Level>,
    /// What an iteration of all of them does.
    pub body: Block,
    /// What stands for the carried values in `body`.
    pub carried: Vec<Value>,
    /// What an iteration hands on.
    pub yielded: Vec<Value>,
    pub combines: Combines,
}

/// How the iterations of a loop depend on each other.
#[derive(Debug, Clone)]
pub(super) enum Combines {
    /// By a sum or extremum for each result; not at all where there is none.
    Each(Vec<Reduction>),
    /// By the first or the last iteration whose value is beyond all others, and what comes with it.
    Chosen(Selection),
}

/// The choice of an iteration: `if (x > top) { top = x; place = i; }`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selection {
    /// The comparison.
    pub compare: Op,
    /// Which carried value is compared.
    pub value: usize,
    /// Whether the carried value is the first operand of the comparison.
    pub carried_first: bool,
    /// Whether the greatest is looked for.
    pub greatest: bool,
    /// Whether of equal ones the first is chosen; the last otherwise.
    pub first: bool,
}

impl Inner {
    /// The innermost loop.
    pub fn level(&self) -> &Level {
        &self.levels[self.levels.len() - 1]
    }

    /// Lets the loop along which most accesses are adjacent be the innermost: sums and extrema go
    /// over the iterations in any order. Only the counters change places.
    fn put_adjacent_last(&mut self, ctx: &Context, accesses: &[Access]) {
        let bounds = |l: &Level| [&l.lower.operands[..], &l.upper.operands].concat();
        let free = |v: &Value| !self.levels.iter().any(|l| l.iv == *v);
        let apart = self.levels.iter().all(|l| bounds(l).iter().all(free));
        if self.levels.len() < 2 || !apart || matches!(self.combines, Combines::Chosen(_)) {
            return;
        }
        let own = |a: &&Access| self.op.is_ancestor_of(ctx, a.op);
        let levels: Vec<&Level> = self.levels.iter().collect();
        let own = busiest(ctx, accesses.iter().filter(own).collect(), &levels);
        let counts: Vec<i64> = (self.levels.iter())
            .map(|l| adjacency(ctx, &own, l))
            .collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        if let Some(at) = counts.iter().rposition(|n| *n == most)
            && counts.last() != Some(&most)
        {
            let level = self.levels.remove(at);
            self.levels.push(level);
        }
    }

    /// The sums and extrema; none where an iteration is chosen.
    pub fn reductions(&self) -> &[Reduction] {
        match &self.combines {
            Combines::Each(all) => all,
            Combines::Chosen(_) => &[],
        }
    }
}

/// A nest of parallel loops whose iterations hold straight code and loops without loops in them.
#[derive(Debug, Clone)]
pub(super) struct Nest {
    pub root: ParallelOp,
    /// The parallel loops, from the outside in.
    pub levels: Vec<Level>,
    /// Ops between the parallel loops, which only compute.
    pub between: Vec<Op>,
    /// What an iteration does.
    pub body: Block,
    pub inner: Vec<Inner>,
    /// All accesses, in the order of the text.
    pub accesses: Vec<Access>,
}

impl Nest {
    /// Reads a nest. With `any_order` sums of floats may be made in any order.
    ///
    /// # Errors
    ///
    /// What in it no block can do on tiles.
    pub fn read(ctx: &Context, root: ParallelOp, any_order: bool) -> Result<Nest, MatchFailure> {
        let band = band_of(ctx, root);
        let mut levels = Vec::new();
        let mut between = Vec::new();
        for (i, p) in band.iter().enumerate() {
            levels.extend(levels_of_parallel(ctx, *p)?);
            if i + 1 < band.len() {
                let inner = band[i + 1].op();
                let ops = p.body(ctx).ops(ctx);
                between.extend(ops[..ops.len() - 1].iter().filter(|o| **o != inner));
            }
        }
        let Some(last) = band.last() else {
            return Err(MatchFailure::new(root.op(), "has no loops"));
        };
        let body = last.body(ctx);
        let mut inner = Vec::new();
        for op in statements(ctx, body) {
            if let Some(l) = inner_of(ctx, op, any_order)? {
                for o in statements(ctx, l.body) {
                    check(ctx, o)?;
                }
                inner.push(l);
            } else {
                check(ctx, op)?;
            }
        }
        let accesses = Access::all(ctx, root.op());
        for l in &mut inner {
            l.put_adjacent_last(ctx, &accesses);
        }
        Ok(Nest {
            root,
            levels,
            between,
            body,
            inner,
            accesses,
        })
    }

    /// Whether a value is there before the nest.
    pub fn is_outside(&self, ctx: &Context, v: Value) -> bool {
        let root = self.root.op();
        let owner = v.def_op().or_else(|| v.arg_block()?.parent_op(ctx));
        owner.is_none_or(|o| o != root && !root.is_ancestor_of(ctx, o))
    }

    /// Where rows begin: in front of the first iteration of all loops inside, at a multiple of the
    /// longest access.
    pub fn first_of_rows(&self) -> i64 {
        let all = self.inner.iter();
        let first = all.filter_map(|l| l.level().lower.as_constant()).min();
        let first = first.unwrap_or(0);
        first - first % LONGEST
    }

    /// Whether the loop inside comes behind something that stores.
    pub fn stores_before(&self, ctx: &Context, l: &Inner) -> bool {
        (statements(ctx, self.body).into_iter())
            .take_while(|o| *o != l.op)
            .flat_map(|o| o.pre_order(ctx))
            .any(|o| o.isa::<affine::StoreOp>(ctx))
    }

    /// Iterations of the parallel loops, where they are known.
    pub fn iterations(&self) -> Option<i64> {
        self.levels.iter().map(Level::extent).product()
    }

    /// Whether a loop inside ends at numbers that differ between iterations of the parallel loops.
    pub fn is_ragged(&self, ctx: &Context, l: &Inner) -> bool {
        let ends = l.levels.iter().flat_map(|x| &x.upper.operands);
        ends.into_iter().any(|v| !self.is_outside(ctx, *v))
    }

    /// The inner loop that holds `op`.
    pub fn inner_around(&self, ctx: &Context, op: Op) -> Option<&Inner> {
        self.inner.iter().find(|l| l.op.is_ancestor_of(ctx, op))
    }
}

/// The ops of a block without its terminator.
pub(super) fn statements(ctx: &Context, block: Block) -> Vec<Op> {
    let mut ops = block.ops(ctx);
    ops.pop();
    ops
}

/// Whether `op` is an access or something that computes elements, which is all that tiles do.
fn check(ctx: &Context, op: Op) -> Result<(), MatchFailure> {
    let refuse = |why: &'static str| Err(MatchFailure::new(op, why));
    if let Some(access) = Access::of(ctx, op) {
        let strides = strides_and_offset(ctx, access.memref.ty(ctx));
        let side_by_side = strides.is_some_and(|s| s.strides.last().is_none_or(|s| *s == 1));
        return match side_by_side {
            true => Ok(()),
            false => refuse("goes through an array whose last axis does not lie in one piece"),
        };
    }
    let scalar = |v: &Value| {
        let ty = v.ty(ctx);
        ty.is_int_or_index(ctx) || ty.is_float(ctx)
    };
    if !op.results(ctx).iter().all(scalar) {
        return refuse("computes something that is no number");
    }
    if is_condition(ctx, op) {
        let blocks = op.blocks(ctx).into_iter();
        return (blocks.flat_map(|b| statements(ctx, b))).try_for_each(|o| check(ctx, o));
    }
    if op.num_regions(ctx) > 0 {
        return refuse("is a loop of its own");
    }
    if !is_pure(ctx, op) && !divides(ctx, op) {
        return refuse("touches memory in another way than by affine subscripts");
    }
    let simple = op.has_trait(ctx, traits::ELEMENTWISE)
        || op.isa::<affine::ApplyOp>(ctx)
        || op.isa::<arith::ConstantOp>(ctx)
        || op.operands(ctx).is_empty();
    match simple {
        true => Ok(()),
        false => refuse("is not done element by element"),
    }
}

fn levels_of_parallel(ctx: &Context, p: ParallelOp) -> Result<Vec<Level>, MatchFailure> {
    let refuse = |why: &'static str| MatchFailure::new(p.op(), why);
    if p.op().num_results(ctx) > 0 {
        return Err(refuse("combines something over its iterations"));
    }
    if p.steps(ctx).iter().any(|s| *s != 1) {
        return Err(refuse("has steps other than one"));
    }
    let ivs = p.ivs(ctx);
    let level = |i: usize| Level {
        iv: ivs[i],
        lower: Side {
            map: p.lower_map_of(ctx, i),
            operands: p.lower_operands(ctx),
        },
        upper: Side {
            map: p.upper_map_of(ctx, i),
            operands: p.upper_operands(ctx),
        },
    };
    let all: Vec<Level> = (0..ivs.len()).map(level).collect();
    match all.iter().all(|l| l.lower.map.num_results() == 1) {
        true => Ok(all),
        false => Err(refuse("begins at the greatest of several numbers")),
    }
}

fn inner_of(ctx: &Context, op: Op, any_order: bool) -> Result<Option<Inner>, MatchFailure> {
    let refuse = |why: &'static str| Err(MatchFailure::new(op, why));
    if let Some(p) = op.cast::<ParallelOp>(ctx) {
        return Ok(Some(Inner {
            op,
            levels: levels_of_parallel(ctx, p)?,
            body: p.body(ctx),
            carried: Vec::new(),
            yielded: Vec::new(),
            combines: Combines::Each(Vec::new()),
        }));
    }
    let Some(mut l) = op.cast::<ForOp>(ctx) else {
        return Ok(None);
    };
    let mut levels = vec![level_of_for(ctx, l)?];
    while let Some(inner) = only_loop(ctx, l) {
        l = inner;
        levels.push(level_of_for(ctx, l)?);
    }
    let travels = |v: &Value| travels(ctx, v.ty(ctx));
    if !op.results(ctx).iter().all(travels) {
        return refuse("combines values of a type that does not go from lane to lane");
    }
    let combines = match all_of(ctx, l) {
        Some(all) if !any_order && all.iter().any(|r| r.is_ordered(ctx)) => {
            return refuse("sums floats, and no flag lets sums be made in another order");
        }
        Some(all) => Combines::Each(all),
        None => match selection_of(ctx, l) {
            // What combines nothing would be chosen, too, where it is as good as the first value.
            Some(s) if !s.first && !begins_beyond(ctx, op, &s) => {
                return refuse(
                    "chooses the last of equal elements, and may begin with one of them",
                );
            }
            Some(s) => Combines::Chosen(s),
            None => return refuse("hands something on that is no sum and no extremum"),
        },
    };
    Ok(Some(Inner {
        op,
        levels,
        body: l.body(ctx),
        carried: l.iter_args(ctx),
        yielded: l.yielded(ctx),
        combines,
    }))
}

fn level_of_for(ctx: &Context, l: ForOp) -> Result<Level, MatchFailure> {
    let refuse = |why: &'static str| Err(MatchFailure::new(l.op(), why));
    if l.step(ctx) != 1 {
        return refuse("has steps other than one");
    }
    if memory_obstacle(ctx, l).is_some() {
        return refuse("has iterations that depend on each other through memory");
    }
    let side = |map: &AffineMap, operands: Vec<Value>| Side {
        map: map.clone(),
        operands,
    };
    let level = Level {
        iv: l.iv(ctx),
        lower: side(l.lower_map(ctx), l.lower_operands(ctx)),
        upper: side(l.upper_map(ctx), l.upper_operands(ctx)),
    };
    if level.lower.map.num_results() != 1 {
        return refuse("begins at the greatest of several numbers");
    }
    Ok(level)
}

/// The loop that is all that `l` holds, and that carries what `l` carries.
fn only_loop(ctx: &Context, l: ForOp) -> Option<ForOp> {
    let ops = statements(ctx, l.body(ctx));
    let [op] = ops[..] else { return None };
    let inner = op.cast::<ForOp>(ctx)?;
    let handed_on = inner.inits(ctx) == l.iter_args(ctx) && l.yielded(ctx) == op.results(ctx);
    handed_on.then_some(inner)
}

/// Whether a loop combines values and stores nothing.
pub(super) fn combines(ctx: &Context, l: ForOp) -> bool {
    let mut inner = l;
    while let Some(next) = only_loop(ctx, inner) {
        inner = next;
    }
    let stores = (l.op().pre_order(ctx).iter()).any(|o| o.isa::<affine::StoreOp>(ctx));
    let carries = !l.iter_args(ctx).is_empty();
    carries && !stores && (all_of(ctx, inner).is_some() || selection_of(ctx, inner).is_some())
}

/// Whether a choice begins with a number that is known, and not the one that all others beat.
fn begins_beyond(ctx: &Context, op: Op, s: &Selection) -> bool {
    let (init, ty) = (
        ForOp::wrap(op).inits(ctx)[s.value],
        op.result_types(ctx)[s.value],
    );
    let known = init.def_op().and_then(|o| o.cast::<arith::ConstantOp>(ctx));
    let least = extremum(ctx, s, ty).identity(ctx, ty);
    known.is_some_and(|c| c.op().attr(ctx, "value") != least)
}

/// The choice that the iterations of `l` make, where that is all that they carry.
fn selection_of(ctx: &Context, l: ForOp) -> Option<Selection> {
    let (carried, yielded) = (l.iter_args(ctx), l.yielded(ctx));
    let mut condition = None;
    for (c, y) in carried.iter().zip(&yielded) {
        let select = y.def_op().filter(|o| o.isa::<arith::SelectOp>(ctx))?;
        let v = select.operands(ctx);
        let same = *condition.get_or_insert(v[0]) == v[0];
        if !same || v[2] != *c || v[1] == *c || select.block(ctx) != Some(l.body(ctx)) {
            return None;
        }
    }
    let compare = condition?.def_op()?;
    let (value, carried_first) = (carried.iter().enumerate()).find_map(|(i, c)| {
        let v = compare.operands(ctx);
        let chosen = yielded[i].def_op()?.operand(ctx, 1);
        match v[..] {
            [x, y] if x == *c && y == chosen => Some((i, true)),
            [x, y] if x == chosen && y == *c => Some((i, false)),
            _ => None,
        }
    })?;
    // Nothing else may look at what is carried.
    for (i, c) in carried.iter().enumerate() {
        let uses = 1 + usize::from(i == value);
        if c.users(ctx).len() != uses || !yielded[i].has_one_use(ctx) {
            return None;
        }
    }
    let (greater, beyond) = if compare.isa::<arith::CmpFOp>(ctx) {
        match arith::CmpFOp::wrap(compare).predicate(ctx)? {
            arith::CmpFPredicate::Ogt => (true, true),
            arith::CmpFPredicate::Olt => (false, true),
            arith::CmpFPredicate::Oge => (true, false),
            arith::CmpFPredicate::Ole => (false, false),
            _ => return None,
        }
    } else if compare.isa::<arith::CmpIOp>(ctx) {
        match arith::CmpIOp::wrap(compare).predicate(ctx)? {
            arith::CmpIPredicate::Sgt => (true, true),
            arith::CmpIPredicate::Slt => (false, true),
            arith::CmpIPredicate::Sge => (true, false),
            arith::CmpIPredicate::Sle => (false, false),
            _ => return None,
        }
    } else {
        return None;
    };
    Some(Selection {
        compare,
        value,
        carried_first,
        greatest: greater != carried_first,
        // A new value that is not beyond the carried one is compared with `>=` from the other side.
        first: beyond,
    })
}

/// How far a subscript moves with `iv`: none where it does not do so evenly.
pub(in crate::tile) fn coefficient(m: &ValueMap<Value>, result: usize, iv: Value) -> Option<i64> {
    let forms = Linear::of_map(&m.map.sub_map(&[result]), &m.operands)?;
    Some(forms.first()?.coefficient(iv))
}
