//! Which nests are faster as they are than on tiles, where that depends on sizes that the program knows
//! when it runs.

use super::find::{Combines, Inner, Level, Nest, coefficient};
use super::policy::Plan;
use super::translate::side;
use crate::loops::build::index::{add_constant, constant, max, min, mul, sub};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_ir::affine::ValueMap;
use terrace_ir::{Builder, Value};

/// Sides of tiles that are turned round, at least: narrower ones leave most threads idle.
pub(super) const MIN_SIDE: i64 = 16;
/// One of so many elements of a tile that is not turned round is there, at least.
const MIN_USED: i64 = 4;
/// Rows shorter than this are gone through by one thread each: neighbouring threads share sectors.
const SHORT_ROW: i64 = 8;
/// Rows that fill a machine where 32 of them have a block.
const MANY_ROWS: i64 = 8192;
/// Rows shorter than this are gone through by one thread each where there are many, to combine them.
const SHORT_ROWS: i64 = 256;
/// Rows up to this length are gone through by one thread each, to choose an element.
const SHORT_CHOICE: i64 = 256;
/// Rows whose lengths differ and are shorter are gone through by one thread each: a block has one.
const SHORT_RAGGED: i64 = 256;

/// Whether the nest is faster as it is, where that depends on sizes that the program knows when it
/// runs: `None` within where it never is.
pub(super) fn stays(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    ahead: bool,
) -> Option<Option<Value>> {
    let i1 = b.ctx.i1();
    let below = |b: &mut Builder, l: &Level, n: i64| -> Option<Value> {
        let length = length(b, l)?;
        let n = constant(b, n);
        Some(CmpIOp::build(b, CmpIPredicate::Slt, length, n))
    };
    Some(match plan {
        Plan::Turn(t) if !t.is_turned() => {
            let sizes = t.tiling(nest).ok()?.sizes;
            is_mostly_beyond(b, nest, &sizes, [t.store, t.load])?
        }
        Plan::Turn(t) => {
            let sides = [t.store, t.load].map(|l| &nest.levels[l]);
            let open: Vec<&Level> = sides.into_iter().filter(|l| l.extent().is_none()).collect();
            let mut any: Option<Value> = None;
            for l in open {
                let own = below(b, l, MIN_SIDE)?;
                any = Some(match any {
                    Some(x) => b.value::<arith::OrIOp>(&[x, own], i1, &[]),
                    None => own,
                });
            }
            any
        }
        Plan::Fold(f) if f.level.is_some() => None,
        Plan::Rows(r) if r.level.extent().is_none() => Some(below(b, &r.level, SHORT_ROW)?),
        Plan::Fold(f) if f.ragged => longest(b, nest, nest.inner.first()?).map(|n| {
            let limit = constant(b, SHORT_RAGGED);
            CmpIOp::build(b, CmpIPredicate::Slt, n, limit)
        }),
        Plan::Fold(_) if ahead => {
            let l = nest.inner.first()?;
            match l.combines {
                Combines::Chosen(_) => Some(below(b, l.level(), SHORT_CHOICE)?),
                Combines::Each(_) => many_short_rows(b, nest, l)?,
            }
        }
        _ => None,
    })
}

/// Whether most of a tile with these sizes along two levels is behind the ends of the loops: then the
/// other mappers leave fewer threads idle. `None` within where it surely is not.
fn is_mostly_beyond(
    b: &mut Builder,
    nest: &Nest,
    sizes: &[i64],
    sides: [usize; 2],
) -> Option<Option<Value>> {
    let all: i64 = sides.iter().map(|l| sizes[*l]).product();
    let known = |l: &usize| Some(nest.levels[*l].extent()?.min(sizes[*l]));
    let used: Option<i64> = sides.iter().map(known).product();
    if used.is_some_and(|n| n * MIN_USED >= all) {
        return Some(None);
    }
    let mut used = constant(b, MIN_USED);
    for l in sides {
        let (n, size) = (length(b, &nest.levels[l])?, constant(b, sizes[l]));
        let own = min(b, n, size);
        used = mul(b, used, own);
    }
    let all = constant(b, all);
    Some(Some(CmpIOp::build(b, CmpIPredicate::Slt, used, all)))
}

/// Iterations of a loop, at least 0.
pub(super) fn length(b: &mut Builder, l: &Level) -> Option<Value> {
    let (lower, upper) = (side(b, &l.lower)?, side(b, &l.upper)?);
    let (n, zero) = (sub(b, upper, lower), constant(b, 0));
    Some(max(b, n, zero))
}

/// Whether rows are surely short and so many that they fill the machine with a thread each.
pub(super) fn is_many_short_rows(nest: &Nest) -> bool {
    let [ref l] = nest.inner[..] else {
        return false;
    };
    row(l).is_some_and(|n| n < SHORT_ROWS) && nest.iterations().is_some_and(|n| n >= MANY_ROWS)
}

/// The number of elements of a row, where it is known.
fn row(l: &Inner) -> Option<i64> {
    l.levels.iter().map(Level::extent).product()
}

/// Whether rows are short and so many that they fill the machine with a thread each; `None` within
/// where they are not for sure.
fn many_short_rows(b: &mut Builder, nest: &Nest, l: &Inner) -> Option<Option<Value>> {
    let few = nest.iterations().is_some_and(|n| n < MANY_ROWS);
    if few || row(l).is_some_and(|n| n >= SHORT_ROWS) {
        return Some(None);
    }
    let mut row = constant(b, 1);
    for x in &l.levels {
        let n = length(b, x)?;
        row = mul(b, row, n);
    }
    let (all, many) = (side_by_side(b, nest)?, constant(b, MANY_ROWS));
    let many = CmpIOp::build(b, CmpIPredicate::Sge, all, many);
    let limit = constant(b, SHORT_ROWS);
    let short = CmpIOp::build(b, CmpIPredicate::Slt, row, limit);
    let i1 = b.ctx.i1();
    Some(Some(b.value::<arith::AndIOp>(&[many, short], i1, &[])))
}

/// No less than the iterations of a loop inside whose end differs from row to row; `None` where that
/// cannot be told in front of the nest.
fn longest(b: &mut Builder, nest: &Nest, l: &Inner) -> Option<Value> {
    let level = l.levels.first()?;
    let mut upper = level.upper.clone();
    let at = ValueMap {
        map: upper.map.clone(),
        operands: upper.operands.clone(),
    };
    let known = |x: &Level| {
        let mut operands = x.lower.operands.iter().chain(&x.upper.operands);
        operands.all(|v| nest.is_outside(b.ctx, *v))
    };
    if !nest.levels.iter().all(known) {
        return None;
    }
    for v in &mut upper.operands {
        let Some(around) = nest.levels.iter().find(|x| x.iv == *v) else {
            continue;
        };
        // The end moves one way with each of the loops around, so it is furthest at one of theirs.
        *v = match coefficient(&at, 0, *v)? {
            n if n > 0 => {
                let end = side(b, &around.upper)?;
                add_constant(b, end, -1)
            }
            _ => side(b, &around.lower)?,
        };
    }
    let (begin, end) = (side(b, &level.lower)?, side(b, &upper)?);
    Some(sub(b, end, begin))
}

/// Iterations of the parallel loops.
pub(super) fn side_by_side(b: &mut Builder, nest: &Nest) -> Option<Value> {
    let mut all = constant(b, 1);
    for l in &nest.levels {
        let n = length(b, l)?;
        all = mul(b, all, n);
    }
    Some(all)
}
