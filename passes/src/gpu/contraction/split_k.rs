//! Whether k is divided, and how far: the policy.

use super::plan::{HALVES, LARGE, Tiling, Unit, Wanted, sizes};
use super::shape::Contraction;
use terrace_machine::{by_name, newest_for};

/// How much of k a part of a product has where k is divided, and into how many parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SplitK {
    /// Blocks of all parts together, at most.
    pub blocks: i64,
    /// The least that a part has of k.
    pub least: i64,
}

/// How k may be divided: where sums may be reordered, and of k all elements have the same. The
/// program divides it where there are few blocks, as many as keep each multiprocessor busy at
/// most (see `instead::Cost`), and parts are long enough. `None` where they never are.
pub(crate) fn split_k(x: &Contraction, plan: &Tiling, wanted: Wanted) -> Option<SplitK> {
    let may = wanted.reassociate || x.reassociates;
    if !may || x.slope().is_some() || x.outer.is_some() {
        return None;
    }
    let machine = by_name(&newest_for(wanted.sm)?).ok()?;
    let busy = if plan.block[0] == LARGE { 1 } else { 2 };
    let parts = SplitK {
        blocks: i64::from(machine.sms).max(1) * busy,
        least: match plan.unit {
            Unit::Matrix(HALVES) => MIN_OF_HALVES,
            Unit::Matrix(_) if plan.tf32 => MIN_OF_TF32,
            _ => MIN_PART,
        },
    };
    let depth = x.depth.length();
    if depth.is_some_and(|n| n / parts.least < 2) {
        return None;
    }
    let tiles = |n: i64, size: i64| n / size + i64::from(n % size > 0);
    if let (Some([m, n]), Some(products)) = (sizes(x), x.side_by_side()) {
        let all = tiles(m, plan.block[0]).saturating_mul(tiles(n, plan.block[1]));
        if all.saturating_mul(products) > parts.blocks / 2 {
            return None;
        }
    }
    Some(parts)
}

/// The least of k in a part. A block stores its sums and another launch loads them: of `f64`
/// 262 KB for 128 x 128 elements, which at the bandwidth of an H200's memory, as much as one of
/// 132 multiprocessors has of it, take as long as 110 of k at the rate of its matrix units, of
/// `f32` half of both, of `tf32` as long as 410, of 16 bits as long as 830. A part has about five
/// times that. Computed from rates, not measured.
const MIN_PART: i64 = 512;
const MIN_OF_TF32: i64 = 2048;
const MIN_OF_HALVES: i64 = 4096;
