//! Accesses of one loop, grouped by the elements they share.

use super::{MAX_DISTANCE, Refusal};
use crate::analysis::bounds::difference;
use crate::analysis::captured::is_inside;
use crate::analysis::conflict::Conflict;
use crate::analysis::memory::{base, may_be_same};
use rustc_hash::FxHashSet;
use terrace_dialects::affine::{Access, AccessKind, ForOp, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Context, OpKind, Value};

/// Accesses of the same element in every iteration, in the order of the text.
pub struct Invariant {
    pub members: Vec<Access>,
    /// The subscripts, over values from outside the loop.
    pub subscripts: ValueMap<Value>,
}

/// Accesses that stand directly in the loop, in the order of the text, each with its
/// phase: in iteration t, an access of phase k is of element t + k.
pub struct Rotating {
    pub members: Vec<(Access, i64)>,
    /// The subscripts of phase 0, over values from outside the loop and its variable.
    pub subscripts: ValueMap<Value>,
    /// Which of the operands is the variable of the loop.
    pub iv: usize,
    /// How far subscripts move from one iteration to the next.
    pub stride: Vec<i64>,
    /// The least and the greatest phase.
    pub phases: (i64, i64),
}

impl Rotating {
    /// How many loads an iteration makes less of where elements are handed on.
    pub fn loads_saved(&self) -> u64 {
        let (_, leading) = self.phases;
        let loads = self
            .members
            .iter()
            .filter(|(a, _)| a.kind == AccessKind::Read);
        let stored = self
            .members
            .iter()
            .any(|(a, k)| a.kind == AccessKind::Write && *k == leading);
        let phases: FxHashSet<i64> = loads.map(|(_, k)| *k).collect();
        let kept = u64::from(!stored && phases.contains(&leading));
        (phases.len() as u64).saturating_sub(kept)
    }
}

#[derive(Default)]
pub struct Candidates {
    pub invariant: Vec<Invariant>,
    pub rotating: Vec<Rotating>,
}

/// Subscripts and how they move; nothing where they do so otherwise than by constants.
struct Moving {
    access: Access,
    subscripts: ValueMap<Value>,
    iv: Option<usize>,
    stride: Vec<i64>,
}

impl Candidates {
    /// What may be kept in registers along `l`. Why not, for the first that may not, goes
    /// to `obstacle`.
    pub fn of(
        ctx: &Context,
        l: ForOp,
        only: Option<Value>,
        obstacle: &mut Option<Refusal>,
    ) -> Candidates {
        let all: Vec<Access> = Access::all(ctx, l.op())
            .into_iter()
            .filter(|a| a.kind != AccessKind::Prefetch)
            .collect();
        let moving: Vec<Moving> = all
            .iter()
            .filter(|a| only.is_none_or(|m| a.memref == m))
            .filter_map(|a| moving(ctx, l, a))
            .collect();
        let mut found = Candidates::default();
        let mut grouped = vec![false; moving.len()];
        for i in 0..moving.len() {
            if grouped[i] {
                continue;
            }
            let first = &moving[i];
            let mut members: Vec<(&Moving, i64)> = Vec::new();
            for (j, m) in moving.iter().enumerate().skip(i) {
                if !grouped[j]
                    && let Some(phase) = phase_of(ctx, m, first)
                {
                    grouped[j] = true;
                    members.push((m, phase));
                }
            }
            if let Err(why) = found.add(ctx, l, &all, &members) {
                obstacle.get_or_insert(why);
            }
        }
        found
    }

    fn add(
        &mut self,
        ctx: &Context,
        l: ForOp,
        all: &[Access],
        members: &[(&Moving, i64)],
    ) -> Result<(), Refusal> {
        let (first, _) = members[0];
        let body = l.body(ctx);
        let direct = members
            .iter()
            .all(|(m, _)| m.access.op.block(ctx) == Some(body));
        let stores = members
            .iter()
            .any(|(m, _)| m.access.kind == AccessKind::Write);
        let is_invariant = first.stride.iter().all(|s| *s == 0);
        if !direct && (stores || !is_invariant) {
            // A condition or a loop around it: not in every iteration once.
            return Ok(());
        }
        let lo = members.iter().map(|m| m.1).min().unwrap_or(0);
        let hi = members.iter().map(|m| m.1).max().unwrap_or(0);
        if !is_invariant && (lo == hi || hi.abs_diff(lo) > MAX_DISTANCE) {
            return Ok(());
        }
        // Others may not write the elements, nor read what is no longer in memory.
        let is_member = |a: &Access| members.iter().any(|(m, _)| m.access.op == a.op);
        for other in all.iter().filter(|a| !is_member(a)) {
            let matters = other.kind == AccessKind::Write || stores && is_invariant;
            if matters
                && members
                    .iter()
                    .any(|(m, _)| overlaps(ctx, l, &m.access, other))
            {
                let m = "cannot keep elements in registers: another access of the loop may be \
                         of the same element";
                return Err(Refusal::new(first.access.op.loc(ctx), m)
                    .note(other.op.loc(ctx), "the other access"));
            }
        }
        if is_invariant {
            self.invariant.push(Invariant {
                members: members.iter().map(|(m, _)| m.access.clone()).collect(),
                subscripts: first.subscripts.clone(),
            });
        } else {
            self.rotating.push(Rotating {
                members: members
                    .iter()
                    .map(|(m, k)| (m.access.clone(), *k))
                    .collect(),
                iv: first.iv.unwrap_or(0),
                subscripts: first.subscripts.clone(),
                stride: first.stride.clone(),
                phases: (lo, hi),
            });
        }
        Ok(())
    }
}

/// Whether two accesses may touch the same element in any iterations of the loop.
fn overlaps(ctx: &Context, l: ForOp, a: &Access, b: &Access) -> bool {
    may_be_same(ctx, base(ctx, a.memref), base(ctx, b.memref))
        && Conflict::new(ctx, l, a, b).is_none_or(|c| !c.is_impossible())
}

/// The subscripts of an access of one element, if each moves by a constant from one
/// iteration of `l` to the next and nothing else in them changes.
fn moving(ctx: &Context, l: ForOp, a: &Access) -> Option<Moving> {
    let inside = |v: Value| is_inside(ctx, l.op(), v);
    let iv = l.iv(ctx);
    if a.vector.is_some() || inside(a.memref) {
        return None;
    }
    let c = a.composed(ctx);
    if c.operands.iter().any(|v| *v != iv && inside(*v)) {
        return None;
    }
    let step = l.step(ctx);
    let next = |e: AffineExpr, p: u32| {
        let dims: Vec<AffineExpr> = (0..c.map.num_dims())
            .map(|d| AffineExpr::dim(d) + if d == p { step } else { 0 })
            .collect();
        e.replace_dims(&dims)
    };
    let place = c.operands.iter().position(|v| *v == iv);
    let stride = match place {
        None => vec![0; c.map.num_results()],
        Some(p) => {
            let p = u32::try_from(p).ok().filter(|p| *p < c.map.num_dims())?;
            let moved = c.map.results().iter();
            let moved = moved.map(|e| next(e.clone(), p) - e.clone()).collect();
            AffineMap::new(c.map.num_dims(), c.map.num_symbols(), moved)
                .simplify()
                .constant_results()?
        }
    };
    if place.is_some() && stride.iter().all(|s| *s == 0) {
        // The same in all iterations, such as %i mod 4 in steps of 4, but not before.
        return None;
    }
    Some(Moving {
        access: a.clone(),
        subscripts: c,
        iv: place,
        stride,
    })
}

/// How many iterations before `first` the access `a` is of the same element.
fn phase_of(ctx: &Context, a: &Moving, first: &Moving) -> Option<i64> {
    if a.access.memref != first.access.memref || a.stride != first.stride {
        return None;
    }
    let (x, y) = (&a.subscripts, &first.subscripts);
    let gap = difference(ctx, (&x.map, &x.operands), (&y.map, &y.operands));
    let gap = compose(ctx, &gap.map, &gap.operands)
        .map
        .constant_results()?;
    let mut phase = None;
    for (gap, stride) in gap.into_iter().zip(&a.stride) {
        if *stride == 0 {
            if gap != 0 {
                return None;
            }
            continue;
        }
        if gap.checked_rem(*stride)? != 0 {
            return None;
        }
        let k = gap.checked_div(*stride)?;
        if phase.is_some_and(|p| p != k) {
            return None;
        }
        phase = Some(k);
    }
    Some(phase.unwrap_or(0))
}
