//! Another shape of blocks for a product, which is taken where it costs less: what the shapes
//! are, and what blocks of each were measured to cost.

use super::plan::{LARGE, M16, NARROW, SMALL, Tiling, Unit, Wanted, of_size};
use super::shape::Contraction;
use terrace_ir::Context;
use terrace_ir::num::FloatKind;
use terrace_machine::{by_name, newest_for};

/// A plan that is taken where it costs less, and what the first and this one cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instead {
    pub plan: Tiling,
    pub costs: [Cost; 2],
}

impl Instead {
    /// In words: `blocks of 64 x 96 where these take less time`.
    pub(crate) fn words(&self) -> String {
        let [rows, columns] = self.plan.block;
        format!("blocks of {rows} x {columns} where these take less time")
    }
}

/// What blocks of a shape take, beside those of another, for the same k.
///
/// A product takes as long as the multiprocessor with the most blocks. Large blocks load
/// less for each product; small ones leave less of the machine idle at the end and at the
/// edges, and where a multiprocessor runs several, one adds up while another begins or
/// stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    pub multiprocessors: i64,
    /// Blocks that one multiprocessor needs to be busy: fewer take as long.
    pub least: i64,
    /// Blocks by which some multiprocessors are behind others in the end.
    pub more: i64,
    /// Time of a block where there are that many, in some unit.
    pub time: i64,
}

impl Cost {
    /// Time of so many blocks.
    pub(super) fn of(&self, blocks: i64) -> i64 {
        let all = blocks.max(0).saturating_add(self.multiprocessors - 1);
        let blocks = (all / self.multiprocessors).max(self.least);
        (blocks + self.more).saturating_mul(self.time)
    }
}

/// The plan with narrow blocks, or small ones, for machines where they were measured, and
/// what both cost.
pub(super) fn instead(
    ctx: &Context,
    x: &Contraction,
    plan: &Tiling,
    wanted: Wanted,
) -> Option<Instead> {
    let side_by_side = !x.batch.is_empty();
    let is_large = plan.block[0] == LARGE;
    if !is_large || !(side_by_side || can_be_narrow(plan, wanted)) {
        return None;
    }
    let machine = by_name(&newest_for(wanted.sm)?).ok()?;
    // Blocks have more or less to do, or nothing, and where k ends at the row or column some
    // of it is done element by element: the fewer the elements, the less of that.
    let ragged = x.slope().is_some();
    let more = i64::from(ragged || !x.inside.is_empty());
    let cost = |p: &Tiling, [least, time]: [i64; 2]| Cost {
        multiprocessors: i64::from(machine.sms).max(1),
        least,
        more,
        time: p.block[0] * p.block[1] * time,
    };
    // Of factors that both lie along the tile narrow blocks copy lines of 96: covariance took
    // 1.63 ms for 1.50 at 4096, 0.63 for 0.58 at 2600 x 3000.
    let columns = x.products.iter().flatten().all(|f| !f.along_k);
    if columns && !ragged && x.products.len() == 1 && !side_by_side {
        return None;
    }
    let (other, its) = match (ragged, x.products.len()) {
        _ if !can_be_narrow(plan, wanted) => {
            let cost = match plan.unit {
                Unit::Matrix(_) if x.element.float_kind(ctx) == Some(FloatKind::F64) => SMALL_COST,
                Unit::Matrix(_) => SMALL_FRAGMENTS_COST,
                Unit::Registers(_) => SMALL_REGISTERS_COST,
            };
            (of_size(ctx, x, wanted, true).ok()?, cost)
        }
        (_, 2..) => (small(plan), SMALL_PAIR_COST),
        (true, _) => (small(plan), SMALL_COST),
        // Many matrices are multiples of 64.
        _ if side_by_side => (brief(plan), BRIEF_COST),
        _ => (narrow(x, plan), NARROW_COST),
    };
    Some(Instead {
        costs: [cost(plan, LARGE_COST), cost(&other, its)],
        plan: other,
    })
}

/// Blocks that keep a multiprocessor busy, and time of an element in hundredths of what it
/// takes in a large block. Measured on an H200, n x n x n in ms, large and narrow: 1536
/// 0.325 and 0.223, 2048 0.384 and 0.440, 3072 1.37 and 1.24, 4096 2.80 both. Of narrow
/// blocks, and small ones, a multiprocessor has room for three. Triangles, large and small:
/// symm at 2048 0.65 and 0.53, at 4096 3.50 and 3.39, trmm 0.317 and 0.256, 1.61 and 1.69.
/// Of two products the large ones lack registers: syr2k 0.907 and 0.426, 3.70 and 3.25.
/// 1024 products of 128 x 128 x 128 side by side: 0.173 and 0.250.
const LARGE_COST: [i64; 2] = [1, 100];
const NARROW_COST: [i64; 2] = [2, 103];
const SMALL_COST: [i64; 2] = [2, 110];
const SMALL_PAIR_COST: [i64; 2] = [2, 95];
const BRIEF_COST: [i64; 2] = [2, 145];
/// For products side by side. A thread with 4 x 4 elements loads twice as much for each product
/// as one with 8 x 8: scores of attention took 1.00 ms for 0.70. Of tf32, whose small blocks
/// took 0.63 ms for 0.58 there, with k of 64, and of 16 bits it is an estimate: copies of small
/// blocks are of single elements, more for each instruction of the matrix units.
const SMALL_REGISTERS_COST: [i64; 2] = [2, 150];
const SMALL_FRAGMENTS_COST: [i64; 2] = [2, 200];

/// Whether a product of that plan may have narrow blocks: of f64, on machines with as much
/// workgroup memory as where these were measured.
pub(super) fn can_be_narrow(plan: &Tiling, wanted: Wanted) -> bool {
    plan.unit == Unit::Matrix(M16) && !plan.tf32 && matches!(wanted.sm, 90 | 100 | 103)
}

/// Blocks of 64 x 64.
fn small(large: &Tiling) -> Tiling {
    Tiling {
        block: [SMALL, SMALL],
        warps: [2, 2],
        vectors: false,
        stages: 3,
        ..*large
    }
}

/// Blocks of 64 x 64 for matrices side by side. With half the workgroup memory a multiprocessor
/// has more of them under way, each of which has little to do between its begin and its end:
/// matrices of 64 x 64 took 0.417 ms for 0.516, where triangles took up to 1.14 times as long.
fn brief(large: &Tiling) -> Tiling {
    Tiling {
        depth: 8,
        stages: 4,
        ..small(large)
    }
}

/// Blocks of 64 rows and fewer columns than the larger shape has. Those of a triangle are copied
/// element by element: 16 bytes at once took syrk at 4096 from 1.48 to 1.53 ms, and at 2600 x
/// 2000 from 0.36 to 0.39, where gemm at 1536 went from 0.193 to 0.176.
pub(super) fn narrow(x: &Contraction, large: &Tiling) -> Tiling {
    Tiling {
        block: [SMALL, NARROW],
        warps: [2, 2],
        vectors: x.inside.is_empty(),
        stages: 3,
        ..*large
    }
}
