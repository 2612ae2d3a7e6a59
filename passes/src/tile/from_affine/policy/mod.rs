//! Which loops are dimensions of tiles, of which sizes, and which thread holds what of them.
//!
//! | file | what becomes of a nest |
//! | --- | --- |
//! | `rows` | a row of the loops inside is a tile |
//! | `turn` | a tile is read along one loop and written along another |
//! | `fold` | the loops inside combine values |
//! | `tiling` | the tiles of a block, and which thread holds what of them |

mod fold;
mod rows;
mod tiling;
mod turn;

use super::MatchFailure;
use super::find::{Inner, LONGEST, Level, Nest, coefficient};
use crate::analysis::memref_region;
pub(super) use fold::{Fold, fold};
pub(super) use rows::Rows;
use terrace_dialects::affine::Access;
use terrace_ir::Context;
pub(super) use tiling::{Form, Tiling};
pub(super) use turn::Turn;

/// Bytes of the widest access.
const WIDEST: i64 = 16;
/// Elements so far apart, or further, share no sector.
const APART: i64 = 8;
/// Elements that are so far apart still make use of sectors together.
const NEAR: i64 = 3;
/// Words of registers that the tiles of a thread fill together, at most: with what the code
/// needs besides, two blocks of 512 threads still fit a multiprocessor.
const MAX_WORDS: i64 = 64;

/// What becomes of a nest, before sizes and alignments are told apart.
#[derive(Debug, Clone)]
pub(super) enum Plan {
    /// A row of the loops inside is a tile.
    Rows(Rows),
    /// What is adjacent in memory along one loop is so along another where it goes.
    Turn(Turn),
    /// What the loops inside combine, one value for each iteration of the parallel ones.
    Fold(Fold),
}

impl Plan {
    /// Whether each row is combined by one loop and no more.
    pub fn is_one_fold(&self, nest: &Nest) -> bool {
        let combines = |l: &Inner| !l.carried.is_empty();
        matches!(self, Plan::Rows(_)) && nest.inner.len() == 1 && nest.inner.iter().all(combines)
    }
}

/// What can be done with a nest.
///
/// # Errors
///
/// Why nothing of it is adjacent in memory as tiles need it.
pub(super) fn choose(ctx: &Context, nest: &Nest) -> Result<Plan, MatchFailure> {
    match nest.inner[..] {
        [] => turn::turn(ctx, nest).map(Plan::Turn),
        [ref l] => {
            let rows = rows::rows(ctx, nest).map(Plan::Rows);
            match l.carried.is_empty() {
                true => rows,
                false => rows.or_else(|_| fold(ctx, nest, l).map(Plan::Fold)),
            }
        }
        _ => rows::rows(ctx, nest).map(Plan::Rows),
    }
}

/// What can be done with rows that one loop combines, other than a block for each. `long`: they are
/// long for sure.
pub(super) fn one_fold(ctx: &Context, nest: &Nest, long: bool) -> Option<Plan> {
    let [ref l] = nest.inner[..] else { return None };
    let mut fold = fold(ctx, nest, l).ok()?;
    fold.long = long;
    Some(Plan::Fold(fold))
}

/// How much of what is accessed lies next to each other along a loop, by bytes of an iteration.
/// Elements that are two or more apart count by what of a sector is used.
pub(super) fn adjacency(ctx: &Context, accesses: &[&Access], level: &Level) -> i64 {
    let own = |a: &&Access| {
        let m = movement(ctx, a, level);
        match m.last {
            Some(n) if n != 0 && !m.others => element_bytes(ctx, a) * APART / n.abs().min(APART),
            _ => 0,
        }
    };
    accesses.iter().map(own).sum()
}

/// Those of the accesses that move with the most of these loops: of what they touch there is most.
pub(super) fn busiest<'a>(
    ctx: &Context,
    accesses: Vec<&'a Access>,
    levels: &[&Level],
) -> Vec<&'a Access> {
    let moves = |a: &Access| {
        let m = a.composed(ctx);
        let along =
            |l: &&&Level| (0..m.map.num_results()).any(|r| coefficient(&m, r, l.iv) != Some(0));
        levels.iter().filter(along).count()
    };
    let counts: Vec<usize> = accesses.iter().map(|a| moves(a)).collect();
    let most = counts.iter().copied().max();
    let all = accesses.into_iter().zip(counts);
    all.filter(|(_, n)| Some(*n) == most)
        .map(|(a, _)| a)
        .collect()
}

/// The bytes of an element of what is accessed.
pub(super) fn element_bytes(ctx: &Context, a: &Access) -> i64 {
    let elem = a.memref.ty(ctx).element_or_self(ctx);
    // An index, which has no width of its own, has that of addresses.
    memref_region::element_bytes(ctx, elem).unwrap_or(8)
}

/// Elements of an access where rows are aligned.
fn vector_of(bytes: i64) -> i64 {
    (WIDEST / bytes).clamp(1, LONGEST)
}

/// How far the last subscript moves with each of these loops, and whether others do.
struct Movement {
    last: Option<i64>,
    others: bool,
}

fn movement(ctx: &Context, a: &Access, level: &Level) -> Movement {
    let m = a.composed(ctx);
    let n = m.map.num_results();
    let others = (0..n.saturating_sub(1)).any(|r| coefficient(&m, r, level.iv) != Some(0));
    let last = n.checked_sub(1).and_then(|r| coefficient(&m, r, level.iv));
    Movement { last, others }
}

impl Movement {
    fn is_unit(&self) -> bool {
        self.last == Some(1) && !self.others
    }

    /// Whether neighbours lie in the same sectors, in whichever direction.
    fn is_near(&self) -> bool {
        self.last.is_some_and(|n| n != 0 && n.abs() <= NEAR) && !self.others
    }

    fn is_absent(&self) -> bool {
        self.last == Some(0) && !self.others
    }
}

/// The least power of two that is not less.
fn power(n: i64) -> i64 {
    (n.max(1) as u64).next_power_of_two() as i64
}
