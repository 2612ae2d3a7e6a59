//! How a matrix product is divided: the policy, apart from what makes kernels of it.
//!
//! Measured shapes, not searched ones. A block of 128 x 128 elements loads 256 elements
//! for each 16384 products; eight warps with 64 x 32 elements of 8 bytes each keep 128
//! registers a thread in sums, which leaves room for the factors without spilling.
//! Measured on an H200 at 3072 x 3072 x 3072 in `f64`: 43.6 TFLOP/s by steps of 8 along k,
//! 38.0 by steps of 16, 36.7 by steps of 4.

use super::shape::Contraction;
use terrace_ir::Context;
use terrace_ir::num::FloatKind;

/// What multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `mma.sync` with products of this shape: rows, columns, depth.
    Matrix([i64; 3]),
    /// Each thread a tile of rows and columns with `fma`.
    Registers([i64; 2]),
}

/// What kernels of products are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The compute capability of the machine: 90 of sm_90.
    pub sm: u32,
    /// Factors of `f32` may be rounded to the 11 significant bits of `tf32`, which the
    /// matrix units multiply.
    pub tf32: bool,
}

/// How the elements of a product go to blocks, warps and threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub unit: Unit,
    /// Whether the unit rounds factors of `f32` to `tf32`.
    pub tf32: bool,
    /// Rows and columns of a block.
    pub block: [i64; 2],
    /// Warps of a block along rows and columns.
    pub warps: [i64; 2],
    /// How much of k is in workgroup memory at a time.
    pub depth: i64,
    /// Slabs of that depth in workgroup memory: one is read, the others are under way.
    pub stages: i64,
    /// Rows of blocks that run together, so that they share columns in the second-level cache.
    pub group: i64,
}

impl Plan {
    pub fn threads(&self) -> i64 {
        32 * self.warps[0] * self.warps[1]
    }

    /// In words: `blocks of 128 x 128, 16 of k at a time, matrix units`.
    pub fn words(&self) -> String {
        format!(
            "matrix product, blocks of {} x {}, {} of k at a time, {}",
            self.block[0],
            self.block[1],
            self.depth,
            match self.unit {
                Unit::Matrix(_) if self.tf32 => "matrix units in tf32".to_string(),
                Unit::Matrix(_) => "matrix units".to_string(),
                Unit::Registers([m, n]) => format!("{m} x {n} in registers of a thread"),
            }
        )
    }
}

/// The plan with another shape: rows and columns of a block, depth and stages, each 0 where
/// it stays as `choose` has it.
///
/// # Errors
///
/// Which shapes there are.
pub fn shaped(
    ctx: &Context,
    x: &Contraction,
    wanted: Wanted,
    shape: [i64; 4],
) -> Result<Plan, String> {
    let chosen = choose(ctx, x, wanted)?;
    let [rows, columns, depth, stages] = shape;
    let mut plan = match (rows, columns) {
        (0, 0) => chosen,
        (LARGE, LARGE) => of_size(ctx, x, wanted, false)?,
        (SMALL, SMALL) => of_size(ctx, x, wanted, true)?,
        _ => {
            return Err(format!(
                "blocks are {SMALL} x {SMALL} or {LARGE} x {LARGE}, not {rows} x {columns}"
            ));
        }
    };
    let room = plan.depth * plan.stages;
    if depth > 0 {
        plan.depth = depth;
    }
    if stages > 0 {
        plan.stages = stages;
    }
    if ![8, 16].contains(&plan.depth) {
        return Err(format!("a depth is 8 or 16, not {}", plan.depth));
    }
    if plan.stages < 2 || plan.depth * plan.stages > room {
        let (depth, stages) = (plan.depth, plan.stages);
        return Err(format!(
            "at least 2 stages are needed, and {stages} of depth {depth} take more workgroup \
             memory than a block has: {room} of the sum fit in all"
        ));
    }
    Ok(plan)
}

/// Elements of a block of the smaller shape, in each direction.
const SMALL: i64 = 64;
/// And of the larger.
const LARGE: i64 = 128;

/// Blocks of the larger shape that a large machine should at least get.
const FEW_BLOCKS: i64 = 100;

/// The plan for a product on a machine.
///
/// # Errors
///
/// Why there is none.
pub fn choose(ctx: &Context, x: &Contraction, wanted: Wanted) -> Result<Plan, String> {
    of_size(ctx, x, wanted, is_small(x))
}

fn of_size(ctx: &Context, x: &Contraction, wanted: Wanted, small: bool) -> Result<Plan, String> {
    let Wanted { sm, tf32 } = wanted;
    if sm < 80 {
        return Err("copies in the background need sm_80".into());
    }
    match x.element.float_kind(ctx) {
        Some(FloatKind::F64) if small => Ok(Plan {
            block: [SMALL, SMALL],
            warps: [2, 2],
            ..doubles(sm)
        }),
        Some(FloatKind::F64) => Ok(doubles(sm)),
        Some(FloatKind::F32) if tf32 && small => Ok(Plan {
            block: [SMALL, SMALL],
            warps: [2, 2],
            ..rounded_singles(sm)
        }),
        Some(FloatKind::F32) if tf32 => Ok(rounded_singles(sm)),
        Some(FloatKind::F32) if small => Ok(Plan {
            unit: Unit::Registers([4, 4]),
            block: [SMALL, SMALL],
            ..singles()
        }),
        Some(FloatKind::F32) => Ok(singles()),
        _ => Err(format!(
            "sums are '{}'; f32 and f64 have kernels",
            ctx.type_text(x.element)
        )),
    }
}

/// Whether blocks of the larger shape would leave most of a machine idle, as far as
/// sizes are known.
fn is_small(x: &Contraction) -> bool {
    match (count_rows(x), x.cols.length()) {
        (Some(m), Some(n)) => {
            let blocks = |n: i64| (n.max(0) / 128).saturating_add(1);
            blocks(m).saturating_mul(blocks(n)) < FEW_BLOCKS
        }
        _ => false,
    }
}

/// How many rows there are, where that is known.
fn count_rows(x: &Contraction) -> Option<i64> {
    let outer = match &x.outer {
        Some(o) => o.range.length()?,
        None => 1,
    };
    Some(outer.max(0).saturating_mul(x.rows.length()?.max(0)))
}

fn doubles(sm: u32) -> Plan {
    Plan {
        unit: Unit::Matrix(match sm {
            90.. => [16, 8, 8],
            _ => [8, 8, 4],
        }),
        tf32: false,
        block: [128, 128],
        warps: [2, 4],
        depth: 16,
        // What a block may have of workgroup memory: 227, 163 or 99 KB.
        stages: match sm {
            90 | 100 | 103 => 4,
            80 | 87 => 3,
            _ => 2,
        },
        group: 8,
    }
}

/// Products of `f32` rounded to `tf32`: the fragments are those of `f64` in half the bytes.
/// Each is rounded where it is read, and that takes longer than to multiply: so a warp has 64 x 64
/// elements, for which it rounds a fragment for each product, where 64 x 32 take 1.5.
fn rounded_singles(sm: u32) -> Plan {
    Plan {
        unit: Unit::Matrix([16, 8, 8]),
        tf32: true,
        warps: [2, 2],
        ..doubles(sm)
    }
}

fn singles() -> Plan {
    Plan {
        unit: Unit::Registers([8, 8]),
        tf32: false,
        block: [128, 128],
        warps: [4, 2],
        depth: 16,
        stages: 3,
        group: 8,
    }
}
