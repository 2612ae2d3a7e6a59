//! Slices: the iterations of one loop nest that another needs, as bounds of its loops
//! in terms of the loops of the other.
//!
//! For two accesses of the same element, the relation of their iterations is projected
//! to the loops of the one and the outer loops of the other down to the depth of the
//! slice; each loop gets the bounds that remain. The slices for several pairs are
//! united in the smallest box around them.

use super::bounds::constant_trip_count;
use super::constraints::{Bound, Row, SliceBound, System};
use super::pair::{Pair, pair, scoped_ivs};
use super::parallel::memory_obstacle;
use super::reduction;
use terrace_dialects::affine::{Access, AccessKind, ForOp, scope};
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};
use terrace_ir::{Context, Op, OpKind, Value};

/// A slice of a loop nest.
#[derive(Debug, Clone)]
pub struct Slice {
    /// The induction variables of the sliced loops, the outermost first.
    pub ivs: Vec<Value>,
    /// New bounds for each, over `operands`.
    pub bounds: Vec<SliceBound>,
    pub operands: Vec<Value>,
    /// The op of the other nest that the slice goes before.
    pub before: Op,
}

/// Why there is no slice.
#[derive(Debug, Clone)]
pub enum NoSlice {
    /// It is not known, or there are no dependences to follow.
    Unknown,
    /// It would have iterations that the nest has not.
    Incorrect(Box<Slice>),
}

/// The loop a slice treats specially: its bounds stay.
const BARRIER: &str = "slice_fusion_barrier";

/// The `affine.for` loops around an op in its analysis scope, the outermost first.
pub fn loops_around(ctx: &Context, op: Op) -> Vec<ForOp> {
    let ivs = scoped_ivs(ctx, op);
    ivs.into_iter()
        .filter_map(|v| scope::for_of_iv(ctx, v))
        .collect()
}

/// The loops around all of these ops.
pub fn common_loops_of(ctx: &Context, ops: &[Op]) -> Vec<ForOp> {
    let all: Vec<Vec<ForOp>> = ops.iter().map(|op| loops_around(ctx, *op)).collect();
    let Some((first, rest)) = all.split_first() else {
        return Vec::new();
    };
    let same = |(i, l): &(usize, &ForOp)| rest.iter().all(|r| r.get(*i) == Some(*l));
    let common = first.iter().enumerate().take_while(same);
    common.map(|(_, l)| *l).collect()
}

impl Slice {
    /// The slice of the nest around the accesses `a` that the accesses `b` of another
    /// nest need, at depth `depth` of that, counting all loops around; `backward` where
    /// `a` is the nest that comes first, and else the slice is of the nest of `b`.
    /// `common` is how many loops are around both nests.
    ///
    /// # Errors
    ///
    /// See [`NoSlice`].
    pub fn union(
        ctx: &Context,
        a: &[Access],
        b: &[Access],
        depth: usize,
        common: usize,
        backward: bool,
    ) -> Result<Slice, NoSlice> {
        let mut all: Option<System> = None;
        let mut others = Vec::new();
        for x in a {
            for y in b {
                if x.memref != y.memref {
                    continue;
                }
                let inside = if backward { y.op } else { x.op };
                if depth > loops_around(ctx, inside).len() || depth == 0 {
                    return Err(NoSlice::Unknown);
                }
                let reads = x.kind == AccessKind::Read && y.kind == AccessKind::Read;
                let set = match pair(ctx, x, y, common + 1, reads) {
                    Pair::Independent => continue,
                    Pair::Unknown => return Err(NoSlice::Unknown),
                    Pair::Dependent(set) => *set,
                };
                others.push(inside);
                let one = Slice::of_pair(ctx, x, y, set, depth, backward);
                let one = one.and_then(|s| s.as_system(ctx)).ok_or(NoSlice::Unknown)?;
                all = Some(match all {
                    None => one,
                    Some(known) => unite(ctx, known, one).ok_or(NoSlice::Unknown)?,
                });
            }
        }
        let mut all = all.ok_or(NoSlice::Unknown)?;
        let around = common_loops_of(ctx, &others);
        if depth > around.len() {
            return Err(NoSlice::Unknown);
        }
        let count = all.num_dims();
        all.loop_symbols_to_dims(ctx);
        let get = |all: &mut System| {
            let bounds = all.slice_bounds(0, count)?;
            let ivs = all.values_in(0..count)?;
            let operands = all.values_in(count..all.num_inputs())?;
            let body = around[depth - 1].body(ctx);
            let before = if backward {
                body.first_op(ctx)?
            } else {
                body.last_op(ctx)?
            };
            Some(Slice {
                ivs,
                bounds,
                operands,
                before,
            })
        };
        let slice = get(&mut all).ok_or(NoSlice::Unknown)?;
        match slice.is_valid(ctx) {
            None => Err(NoSlice::Unknown),
            Some(false) => Err(NoSlice::Incorrect(Box::new(slice))),
            Some(true) => Ok(slice),
        }
    }

    /// The slice for one pair of accesses, given where they depend on each other.
    fn of_pair(
        ctx: &Context,
        x: &Access,
        y: &Access,
        mut set: System,
        depth: usize,
        backward: bool,
    ) -> Option<Slice> {
        let (first, second) = (loops_around(ctx, x.op), loops_around(ctx, y.op));
        let (n, m) = (first.len(), second.len());
        // Parallel loops would be dimensions besides.
        if set.num_dims() != n + m {
            return None;
        }
        let (start, end) = if backward {
            (n + depth, n + m)
        } else {
            (depth, n)
        };
        set.project_out(start, end.checked_sub(start)?);
        let (offset, count) = if backward { (0, n) } else { (depth, m) };
        let ivs = set.values_in(offset..offset + count)?;
        let bounds = set.slice_bounds(offset, count)?;
        let mut operands = set.values_in(0..offset)?;
        operands.extend(set.values_in(offset + count..set.num_inputs())?);
        let (sliced, other) = if backward {
            (first, second)
        } else {
            (second, first)
        };
        let body = other.get(depth - 1)?.body(ctx);
        let before = body.first_op(ctx)?;
        let mut slice = Slice {
            ivs,
            bounds,
            operands,
            before,
        };
        slice.keep_sequential(ctx, x, y, &sliced, depth);
        Some(slice)
    }

    /// Let the loops from the first that must not be sliced on keep their bounds: for two
    /// reads a sequential one, and always one with a barrier.
    fn keep_sequential(
        &mut self,
        ctx: &Context,
        x: &Access,
        y: &Access,
        sliced: &[ForOp],
        depth: usize,
    ) {
        let reads = x.kind == AccessKind::Read && y.kind == AccessKind::Read;
        for (i, l) in sliced.iter().enumerate() {
            let sequential = reads && is_sequential(ctx, *l);
            if !sequential && l.op().attr(ctx, BARRIER).is_none() {
                continue;
            }
            let exempt = is_parallel_reduction(ctx, *l)
                && depth >= sliced.len()
                && self.is_unit(ctx)
                && self.is_maximal(ctx) == Some(true);
            if !exempt {
                for bound in self.bounds.iter_mut().skip(i) {
                    *bound = SliceBound::WHOLE;
                }
                return;
            }
        }
    }

    /// The iterations of the slice: its variables are the dimensions, operands symbols.
    pub fn as_system(&self, ctx: &Context) -> Option<System> {
        let mut set = System::over(&self.ivs, &self.operands);
        for v in &self.operands {
            if let Some(l) = scope::for_of_iv(ctx, *v) {
                set.add_loop(ctx, l)?;
            } else {
                set.add_constant_value(ctx, *v);
            }
        }
        set.add_slice(ctx, &self.ivs, &self.bounds, &self.operands)?;
        (!set.is_unknown()).then_some(set)
    }

    /// The iterations of the whole nest. `None` where they depend on symbols or strides,
    /// for which a slice is not made.
    fn source(&self, ctx: &Context) -> Option<System> {
        let mut set = System::over(&self.ivs, &[]);
        for v in &self.ivs {
            set.add_loop(ctx, scope::for_of_iv(ctx, *v)?)?;
        }
        (!set.is_unknown() && set.num_dims() == self.ivs.len()).then_some(set)
    }

    /// Whether each loop takes one iteration, which is that of a loop of the other nest,
    /// and the two loops have the same constant bounds and steps; `None` where it is
    /// otherwise.
    fn mirrors(&self, ctx: &Context) -> Option<bool> {
        for (v, bound) in self.ivs.iter().zip(&self.bounds) {
            let AffineExpr::Dim(d) = bound.single()? else {
                return None;
            };
            let other = scope::for_of_iv(ctx, *self.operands.get(*d as usize)?)?;
            let own = scope::for_of_iv(ctx, *v)?;
            let bounds = |l: ForOp| Some((l.constant_lower(ctx)?, l.constant_upper(ctx)?));
            if bounds(own)? != bounds(other)? || own.step(ctx) != other.step(ctx) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether the slice has only iterations that the nest has; `None` if not known.
    pub fn is_valid(&self, ctx: &Context) -> Option<bool> {
        if self.mirrors(ctx) == Some(true) {
            return Some(true);
        }
        let source = self.source(ctx)?;
        if source.num_symbols() > 0 || source.num_locals() > 0 {
            return None;
        }
        let slice = self.as_system(ctx)?;
        Some(contains(&source, &slice))
    }

    /// Whether the slices for all iterations of the other nest together are the whole
    /// nest; `None` if not known.
    pub fn is_maximal(&self, ctx: &Context) -> Option<bool> {
        // The same loop of the other nest for two sliced ones is the diagonal alone.
        let mut seen: Vec<&AffineExpr> = Vec::new();
        let distinct = self.bounds.iter().all(|b| {
            let fresh = b.single().is_some_and(|e| !seen.contains(&e));
            seen.extend(b.single());
            fresh
        });
        match self.mirrors(ctx) {
            Some(true) if !distinct => {}
            Some(known) => return Some(known),
            None => {}
        }
        let source = self.source(ctx)?;
        let mut slice = self.as_system(ctx)?;
        let n = self.ivs.len();
        if slice.num_dims() != n {
            return None;
        }
        // All iterations of the other nest: its loops come after the sliced ones.
        slice.loop_symbols_to_dims(ctx);
        let loops = slice.num_dims() - n;
        if !slice.project_out_exactly(n, loops) {
            return None;
        }
        let locals = slice.num_locals();
        if locals > 0 && !slice.project_out_exactly(slice.num_inputs(), locals) {
            return None;
        }
        let mut source = source;
        slice.align_symbols(&mut source)?;
        Some(contains(&slice, &source))
    }

    /// How many iterations each loop takes; `None` where that is no constant.
    pub fn trip_counts(&self, ctx: &Context) -> Option<Vec<(ForOp, u64)>> {
        let mut counts = Vec::new();
        for (v, bound) in self.ivs.iter().zip(&self.bounds) {
            let l = scope::for_of_iv(ctx, *v)?;
            let count = match bound.both() {
                None => match (l.constant_lower(ctx), l.constant_upper(ctx)) {
                    (Some(lower), Some(upper)) => u64::try_from(upper.checked_sub(lower)?).ok()?,
                    _ => constant_trip_count(ctx, l)?,
                },
                Some((lower, upper)) => span(lower, upper)?,
            };
            counts.push((l, count));
        }
        Some(counts)
    }

    /// Whether the slice is one iteration.
    pub fn is_unit(&self, ctx: &Context) -> bool {
        self.trip_counts(ctx)
            .is_some_and(|c| c.iter().all(|(_, n)| *n == 1))
    }
}

/// The constant difference of two bounds with one result each.
fn span(lower: &AffineMap, upper: &AffineMap) -> Option<u64> {
    let ([l], [u]) = (lower.results(), upper.results()) else {
        return None;
    };
    let gap = u.clone() - l.clone();
    let gap = simplify_affine_expr(&gap, lower.num_dims(), lower.num_symbols());
    u64::try_from(gap.as_constant()?).ok()
}

/// Whether `inner` is known to lie in `outer`, which has no locals and whose columns are
/// the first of those of `inner`: the dimensions, and the symbols of both alike.
fn contains(outer: &System, inner: &System) -> bool {
    if outer.num_locals() > 0 || outer.is_unknown() || inner.is_unknown() {
        return false;
    }
    let dims = outer.num_dims();
    if inner.num_dims() < dims {
        return false;
    }
    let symbols = outer.num_symbols();
    let excludes = |row: &Row, sign: i128| {
        // row >= 0 does not hold: -row - 1 >= 0.
        let mut s = inner.clone();
        let width = s.num_columns();
        let mut wide: Row = vec![0; width + 1];
        for d in 0..dims {
            wide[d] = -sign * row[d];
        }
        for k in 0..symbols {
            wide[inner.num_dims() + k] = -sign * row[dims + k];
        }
        wide[width] = -sign * row[dims + symbols] - 1;
        s.add_inequality(wide);
        s.has_no_points()
    };
    outer.inequalities().iter().all(|r| excludes(r, 1))
        && outer
            .equalities()
            .iter()
            .all(|r| excludes(r, 1) && excludes(r, -1))
}

/// The box around two slices; loops that only one of them mentions are whole in the
/// other.
fn unite(ctx: &Context, mut known: System, mut one: System) -> Option<System> {
    if known.values() != one.values() || known.num_dims() != one.num_dims() {
        let had = |s: &System| s.values()[..s.num_dims()].to_vec();
        let (a, b) = (had(&known), had(&one));
        known.align(&mut one)?;
        for (set, before) in [(&mut known, a), (&mut one, b)] {
            for v in had(set) {
                if !before.contains(&v) {
                    set.add_loop(ctx, scope::for_of_iv(ctx, v?)?)?;
                }
            }
        }
    }
    known.union_box(&one)?;
    Some(known)
}

/// Whether the iterations of a loop have to keep their order, reductions included.
fn is_sequential(ctx: &Context, l: ForOp) -> bool {
    l.op().num_results(ctx) > 0 || memory_obstacle(ctx, l).is_some()
}

/// Whether a loop carries values, all of them reductions, and nothing else.
pub fn is_parallel_reduction(ctx: &Context, l: ForOp) -> bool {
    l.op().num_results(ctx) > 0
        && reduction::all_of(ctx, l).is_some_and(|r| !r.is_empty())
        && memory_obstacle(ctx, l).is_none()
}

/// The bounds that a slice puts on loops, violated: one system for each bound, each the
/// given one with an iteration outside the slice. `columns` are those of the sliced
/// variables, and `operand` gives those of the operands.
pub fn outside(
    slice: &Slice,
    set: &System,
    columns: &[usize],
    operand: impl Fn(Value) -> Option<usize>,
) -> Option<Vec<System>> {
    let operands: Option<Vec<usize>> = slice.operands.iter().map(|v| operand(*v)).collect();
    let operands = operands?;
    let mut all = Vec::new();
    for (bound, column) in slice.bounds.iter().zip(columns) {
        let Some((lower, upper)) = bound.both() else {
            continue;
        };
        for (kind, map) in [(Bound::Lower, lower), (Bound::Upper, upper)] {
            for i in 0..map.num_results() {
                let mut s = set.clone();
                let rows = s.rows(&map.sub_map(&[i]), &operands)?;
                let mut row = rows.into_iter().next()?;
                let width = s.num_columns();
                match kind {
                    // lower - 1 - iv >= 0
                    Bound::Lower => {
                        row[*column] -= 1;
                        row[width] -= 1;
                    }
                    // iv - upper >= 0
                    _ => {
                        row.iter_mut().for_each(|c| *c = -*c);
                        row[*column] += 1;
                    }
                }
                s.add_inequality(row);
                all.push(s);
            }
        }
    }
    Some(all)
}
