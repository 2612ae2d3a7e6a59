//! Whether a program means the same with a slice of one loop nest put into another.
//!
//! Each iteration `t` of the loops around the slice runs the iterations `S(t)` of the
//! source, before the rest of the destination's iteration. What has to hold:
//!
//! * what the destination reads is complete: every iteration of the source that writes
//!   an element which `t` reads is in `S(t)`;
//! * nothing comes too late: no element that `S(t)` touches has been touched before, by
//!   an earlier iteration of the destination, where one of the two writes;
//! * running parts of the source again does no harm. Either nothing is run twice, and
//!   what depends on each other in the source keeps its order. Or what `S(t)` writes
//!   does not depend on what was there before, and `S(t)` has all or none of the
//!   writes of an element.
//!
//! All conditions are that some system of constraints has no solution, decided by
//! [`super::constraints`]: a slice may be called illegal that is not, never the reverse.

use super::constraints::{Bound, Row, SliceBound, System};
use super::pair::{
    Pair, comes_before, common_loops, may_overlap, pair, reads_and_writes, relation, scoped_ivs,
};
use super::slice::{Slice, outside};
use crate::analysis::captured::is_inside;
use terrace_dialects::affine::{Access, AccessKind, ForOp, YieldOp, scope};
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};
use terrace_ir::effects::{is_memory_effect_free, own_effects};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, OpKind, Value};

/// What is asked about.
pub struct Fusion<'a> {
    pub source: ForOp,
    pub destination: ForOp,
    pub slice: &'a Slice,
    /// Whether the source is erased afterwards.
    pub removed: bool,
}

/// How running parts of the source again is harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// Each part computes the same, whatever was there before.
    Pure,
    /// Nothing is run twice, and the order is kept.
    Once,
}

/// What the ops of the source besides accesses allow.
#[derive(PartialEq, Eq)]
enum Effects {
    None,
    /// There are ops of unknown dialects, which must not be run more often.
    Unregistered,
    Other,
}

impl Fusion<'_> {
    /// How the fusion is legal; `None` where it is not known to be.
    pub fn check(&self, ctx: &Context) -> Option<Repetition> {
        let source = reads_and_writes(ctx, self.source.op());
        let destination = reads_and_writes(ctx, self.destination.op());
        let effects = effects_of(ctx, self.source.op());
        if effects == Effects::Other || self.cuts_carried_values(ctx) {
            return None;
        }
        for x in &source {
            for y in &destination {
                if !self.keeps_order(ctx, x, y)? {
                    return None;
                }
            }
        }
        if effects == Effects::None && self.is_pure(ctx, &source) {
            return Some(Repetition::Pure);
        }
        (self.removed && self.is_once(ctx, &source)).then_some(Repetition::Once)
    }

    /// Whether a loop that hands values from iteration to iteration would lose some of
    /// them.
    fn cuts_carried_values(&self, ctx: &Context) -> bool {
        let mut sliced = self.slice.ivs.iter().zip(&self.slice.bounds);
        sliced.any(|(v, bound)| {
            let Some(l) = scope::for_of_iv(ctx, *v) else {
                return true;
            };
            if l.op().num_results(ctx) == 0 {
                return false;
            }
            let constant = |m: &AffineMap| m.single_constant();
            bound.both().is_some_and(|(lower, upper)| {
                constant(lower).is_none()
                    || constant(lower) != l.constant_lower(ctx)
                    || constant(upper).is_none()
                    || constant(upper) != l.constant_upper(ctx)
            })
        })
    }

    /// Whether a read of the source comes before everything that the slice writes to the
    /// same memref, and never reads what the source has written: it can go on reading the
    /// memref itself, should the writes go elsewhere and the source be erased.
    pub fn reads_old(&self, ctx: &Context, read: &Access) -> bool {
        let all = reads_and_writes(ctx, self.source.op());
        let written = |a: &&Access| a.kind == AccessKind::Write && a.memref == read.memref;
        let Some(first) = all.iter().find(written) else {
            return true;
        };
        let Some(counts) = self.slice.trip_counts(ctx) else {
            return false;
        };
        // The slice's write, or the outermost loop around it that is left.
        let around = ForOp::enclosing(ctx, first.op).into_iter().rev();
        let mut left = around.filter(|l| {
            self.source.op().is_ancestor_of(ctx, l.op())
                && counts.iter().all(|(c, n)| c != l || *n != 1)
        });
        let place = left.next().map_or(first.op, |l| l.op());
        let (_, common) = self.around(ctx);
        self.removed
            && !place.is_ancestor_of(ctx, read.op)
            && comes_before(ctx, read.op, place)
            && all.iter().filter(written).all(|w| {
                let depth = common_loops(ctx, w.op, read.op) + 1;
                (common + 1..=depth).all(|d| !pair(ctx, w, read, d, false).may_depend())
            })
    }

    /// Whether elements that the destination reads by `read` are all written by the parts
    /// of the source run right before, as far as one write shows: it has the same
    /// subscripts, its loop variables being what the slice lets them be.
    pub fn writes_what_is_read(&self, ctx: &Context, write: &Access, read: &Access) -> bool {
        let (w, r) = (write.composed(ctx), read.composed(ctx));
        let mut dims: Vec<AffineExpr> = Vec::new();
        let mut operands: Vec<Value> = Vec::new();
        let column = |operands: &mut Vec<Value>, v: Value| {
            let at = operands.iter().position(|x| *x == v).unwrap_or_else(|| {
                operands.push(v);
                operands.len() - 1
            });
            AffineExpr::dim(u32::try_from(at).unwrap_or(u32::MAX))
        };
        // All in terms of dimensions, one for each value.
        let given: Vec<_> = self
            .slice
            .operands
            .iter()
            .map(|v| column(&mut operands, *v))
            .collect();
        for v in &w.operands {
            let at = self.slice.ivs.iter().position(|x| x == v);
            let value = match at.map(|i| &self.slice.bounds[i]) {
                None if is_inside(ctx, self.source.op(), *v) => return false,
                None => column(&mut operands, *v),
                Some(bound) => {
                    let (Some(e), Some((map, _))) = (bound.single(), bound.both()) else {
                        return false;
                    };
                    let n = (map.num_dims() as usize).min(given.len());
                    e.replace_dims_and_symbols(&given[..n], &given[n..])
                }
            };
            dims.push(value);
        }
        let of = |m: &AffineMap, values: &[AffineExpr]| {
            let n = (m.num_dims() as usize).min(values.len());
            let all = m.results().iter();
            all.map(|e| e.replace_dims_and_symbols(&values[..n], &values[n..]))
                .collect::<Vec<_>>()
        };
        let theirs: Vec<_> = r
            .operands
            .iter()
            .map(|v| column(&mut operands, *v))
            .collect();
        let (a, b) = (of(&w.map, &dims), of(&r.map, &theirs));
        let count = u32::try_from(operands.len()).unwrap_or(u32::MAX);
        a.len() == b.len()
            && a.iter().zip(&b).all(|(x, y)| {
                let gap = x.clone() - y.clone();
                simplify_affine_expr(&gap, count, 0).as_constant() == Some(0)
            })
    }

    /// Whether what a read of the source reads has been written in the same iteration,
    /// if the source writes it at all.
    pub fn reads_own_writes(&self, ctx: &Context, read: &Access) -> bool {
        let all = reads_and_writes(ctx, self.source.op());
        let written = |a: &&Access| a.kind == AccessKind::Write && same_memory(ctx, a, read);
        let mut writes = all.iter().filter(written).peekable();
        writes.peek().is_none()
            || writes.any(|w| {
                let holds = |op: Op| {
                    w.op.block(ctx)
                        .and_then(|b| op.ancestor_in(ctx, b))
                        .is_some_and(|o| w.op != o && w.op.is_before(ctx, o))
                };
                w.memref == read.memref
                    && w.vector.is_none()
                    && holds(read.op)
                    && w.composed(ctx) == read.composed(ctx)
            })
    }

    /// The loops around the slice: their number, and those of them that are around both
    /// nests.
    fn around(&self, ctx: &Context) -> (Vec<Value>, usize) {
        let t = scoped_ivs(ctx, self.slice.before);
        let common = scoped_ivs(ctx, self.source.op()).len();
        (t, common)
    }

    /// Whether two accesses of source and destination still see each other as before.
    fn keeps_order(&self, ctx: &Context, x: &Access, y: &Access) -> Option<bool> {
        let writes = [x, y].map(|a| a.kind == AccessKind::Write);
        if !(writes[0] || writes[1]) || !same_memory(ctx, x, y) {
            return Some(true);
        }
        if x.memref != y.memref || x.vector.is_some() || y.vector.is_some() {
            return None;
        }
        let mut set = relation(ctx, x, y)?;
        let (t, common) = self.around(ctx);
        let n = scoped_ivs(ctx, x.op).len();
        for i in 0..common {
            equal(&mut set, i, n + i);
        }
        if writes[0] && !writes[1] {
            // Everything that writes what is read is there.
            let shared = common_loops(ctx, self.slice.before, y.op);
            if shared < t.len() {
                // The read is around the slice, and comes before it or after it.
                return Some(set.has_no_points());
            }
            let mut set = set;
            let all = self.outside(ctx, &mut set, 0, x.op, n)?;
            return Some(all.iter().all(System::has_no_points));
        }
        // What is touched in iteration t' of the destination, and only later, in
        // iteration t, by the slice.
        let m = scoped_ivs(ctx, y.op).len();
        let mut set = set.product(&self.destination_loops(ctx)?)?;
        for i in 0..common {
            equal(&mut set, i, n + m + i);
        }
        self.inside(ctx, &mut set, 0, x.op, n + m)?;
        let shared = common_loops(ctx, self.slice.before, y.op);
        for level in common..shared {
            let mut late = set.clone();
            for i in common..level {
                equal(&mut late, n + i, n + m + i);
            }
            less(&mut late, n + level, n + m + level);
            if !late.has_no_points() {
                return Some(false);
            }
        }
        if shared < t.len() && !comes_before(ctx, self.slice.before, y.op) {
            // In the same iteration the destination's access comes first.
            for i in common..shared {
                equal(&mut set, n + i, n + m + i);
            }
            return Some(set.has_no_points());
        }
        Some(true)
    }

    /// The iterations of the loops around the slice.
    fn destination_loops(&self, ctx: &Context) -> Option<System> {
        let (t, _) = self.around(ctx);
        let mut set = System::over(&t, &[]);
        for v in &t {
            set.add_loop(ctx, scope::for_of_iv(ctx, *v)?)?;
        }
        (set.num_dims() == t.len()).then_some(set)
    }

    /// The columns of the sliced variables for an op of the source whose loops begin at
    /// `from`, with their bounds; loops that are not around the op have none.
    fn sliced(&self, ctx: &Context, op: Op, from: usize) -> (Slice, Vec<usize>) {
        let ivs = scoped_ivs(ctx, op);
        let mut slice = self.slice.clone();
        let mut columns = Vec::new();
        let mut bounds = Vec::new();
        for (v, bound) in self.slice.ivs.iter().zip(&self.slice.bounds) {
            if let Some(i) = ivs.iter().position(|x| x == v) {
                columns.push(from + i);
                bounds.push(bound.clone());
            }
        }
        slice.bounds = bounds;
        (slice, columns)
    }

    /// The column of a value that the slice's bounds depend on, where the loops around
    /// the slice begin at `t`.
    fn operand(&self, ctx: &Context, set: &mut System, t: usize) -> Option<Vec<(Value, usize)>> {
        let (around, _) = self.around(ctx);
        let mut all = Vec::new();
        for v in &self.slice.operands {
            match around.iter().position(|x| x == v) {
                Some(i) => all.push((*v, t + i)),
                None => {
                    set.add_symbol(ctx, *v)?;
                    all.push((*v, set.find_symbol(*v)?));
                }
            }
        }
        Some(all)
    }

    /// One system for each way in which an iteration of `op`, whose loops begin at `from`,
    /// is not in the slice of the iteration that begins at `t`.
    fn outside(
        &self,
        ctx: &Context,
        set: &mut System,
        from: usize,
        op: Op,
        t: usize,
    ) -> Option<Vec<System>> {
        let operands = self.operand(ctx, set, t)?;
        let (slice, columns) = self.sliced(ctx, op, from);
        outside(&slice, set, &columns, |v| {
            operands.iter().find(|(x, _)| *x == v).map(|(_, c)| *c)
        })
    }

    /// Demand that an iteration of `op` is in the slice.
    fn inside(&self, ctx: &Context, set: &mut System, from: usize, op: Op, t: usize) -> Option<()> {
        let operands = self.operand(ctx, set, t)?;
        let columns_of: Vec<usize> = operands.iter().map(|(_, c)| *c).collect();
        let (slice, columns) = self.sliced(ctx, op, from);
        for (bound, column) in slice.bounds.iter().zip(columns) {
            let SliceBound {
                lower: Some(lower),
                upper: Some(upper),
            } = bound
            else {
                continue;
            };
            for (kind, map) in [(Bound::Lower, lower), (Bound::Upper, upper)] {
                for mut row in set.rows(map, &columns_of)? {
                    let width = set.num_columns();
                    match kind {
                        Bound::Lower => {
                            row.iter_mut().for_each(|c| *c = -*c);
                            row[column] += 1;
                        }
                        _ => {
                            row[column] -= 1;
                            row[width] -= 1;
                        }
                    }
                    set.add_inequality(row);
                }
            }
        }
        Some(())
    }

    /// Whether each part of the source computes the same, whatever was there before, and
    /// has all or none of the writes of an element.
    fn is_pure(&self, ctx: &Context, source: &[Access]) -> bool {
        let reads = source.iter().filter(|a| a.kind == AccessKind::Read);
        if !reads.clone().all(|r| self.reads_own_writes(ctx, r)) {
            return false;
        }
        let writes: Vec<&Access> = source
            .iter()
            .filter(|a| a.kind == AccessKind::Write)
            .collect();
        writes.iter().all(|x| {
            writes
                .iter()
                .all(|y| !same_memory(ctx, x, y) || self.are_together(ctx, x, y).unwrap_or(false))
        })
    }

    /// Whether two writes of one element are both in a part of the source, or neither.
    fn are_together(&self, ctx: &Context, x: &Access, y: &Access) -> Option<bool> {
        if x.memref != y.memref || x.vector.is_some() || y.vector.is_some() {
            return None;
        }
        let (_, common) = self.around(ctx);
        let (n, m) = (scoped_ivs(ctx, x.op).len(), scoped_ivs(ctx, y.op).len());
        let mut set = relation(ctx, x, y)?.product(&self.destination_loops(ctx)?)?;
        for i in 0..common {
            equal(&mut set, i, n + i);
            equal(&mut set, i, n + m + i);
        }
        self.inside(ctx, &mut set, 0, x.op, n + m)?;
        let all = self.outside(ctx, &mut set, n, y.op, n + m)?;
        Some(all.iter().all(System::has_no_points))
    }

    /// Whether no iteration of the source is in two parts, and parts come in the order
    /// that dependences within the source demand.
    fn is_once(&self, ctx: &Context, source: &[Access]) -> bool {
        source
            .iter()
            .all(|a| self.is_in_one_part(ctx, a) == Some(true))
            && source.iter().all(|x| {
                source
                    .iter()
                    .all(|y| self.parts_in_order(ctx, x, y) == Some(true))
            })
    }

    fn is_in_one_part(&self, ctx: &Context, a: &Access) -> Option<bool> {
        let (t, common) = self.around(ctx);
        let n = scoped_ivs(ctx, a.op).len();
        let loops = self.destination_loops(ctx)?;
        let mut set = relation(ctx, a, a)?;
        for i in 0..n {
            equal(&mut set, i, n + i);
        }
        let mut set = set.product(&loops)?.product(&loops)?;
        let (first, second) = (2 * n, 2 * n + t.len());
        for i in 0..common {
            equal(&mut set, i, first + i);
            equal(&mut set, i, second + i);
        }
        self.inside(ctx, &mut set, 0, a.op, first)?;
        self.inside(ctx, &mut set, 0, a.op, second)?;
        Some(never_less(&set, first, second, common, t.len()))
    }

    /// Whether `x` before `y` in the source stays so.
    fn parts_in_order(&self, ctx: &Context, x: &Access, y: &Access) -> Option<bool> {
        let writes = x.kind == AccessKind::Write || y.kind == AccessKind::Write;
        if !writes || !same_memory(ctx, x, y) {
            return Some(true);
        }
        if x.memref != y.memref {
            return None;
        }
        let (t, common) = self.around(ctx);
        let (n, m) = (scoped_ivs(ctx, x.op).len(), scoped_ivs(ctx, y.op).len());
        let depth = common_loops(ctx, x.op, y.op) + 1;
        for d in common + 1..=depth {
            let set = match pair(ctx, x, y, d, false) {
                Pair::Independent => continue,
                Pair::Unknown => return None,
                Pair::Dependent(set) => *set,
            };
            let loops = self.destination_loops(ctx)?;
            let mut set = set.product(&loops)?.product(&loops)?;
            let (first, second) = (n + m, n + m + t.len());
            for i in 0..common {
                equal(&mut set, i, first + i);
                equal(&mut set, i, second + i);
            }
            self.inside(ctx, &mut set, 0, x.op, first)?;
            self.inside(ctx, &mut set, n, y.op, second)?;
            if !never_less(&set, second, first, common, t.len()) {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// Whether the variables from column `a` on are never lexicographically less than those
/// from `b` on; the first `skip` of `count` are equal.
fn never_less(set: &System, a: usize, b: usize, skip: usize, count: usize) -> bool {
    (skip..count).all(|level| {
        let mut s = set.clone();
        for i in skip..level {
            equal(&mut s, a + i, b + i);
        }
        less(&mut s, a + level, b + level);
        s.has_no_points()
    })
}

fn equal(set: &mut System, a: usize, b: usize) {
    let mut row: Row = vec![0; set.num_columns() + 1];
    row[a] += 1;
    row[b] -= 1;
    set.add_equality(row);
}

/// Demand that column `a` is less than column `b`.
fn less(set: &mut System, a: usize, b: usize) {
    let width = set.num_columns();
    let mut row: Row = vec![0; width + 1];
    row[a] -= 1;
    row[b] += 1;
    row[width] = -1;
    set.add_inequality(row);
}

fn same_memory(ctx: &Context, a: &Access, b: &Access) -> bool {
    may_overlap(ctx, a.memref, b.memref)
}

/// What a nest does besides accesses.
fn effects_of(ctx: &Context, root: Op) -> Effects {
    let mut found = Effects::None;
    for op in root.pre_order(ctx) {
        if op.isa::<ForOp>(ctx) || op.isa::<YieldOp>(ctx) || Access::of(ctx, op).is_some() {
            continue;
        }
        if is_memory_effect_free(ctx, op) {
            continue;
        }
        match own_effects(ctx, op) {
            Some(e) if e.iter().all(|e| e.kind == EffectKind::Alloc) => {}
            None if op.def(ctx).is_none() && op.num_regions(ctx) == 0 => {
                found = Effects::Unregistered;
            }
            _ => return Effects::Other,
        }
    }
    found
}
