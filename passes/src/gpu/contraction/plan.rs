//! How a matrix product is divided: the policy, apart from what makes kernels of it.
//!
//! Measured shapes, not searched ones. A block of 128 x 128 elements loads 256 elements
//! for each 16384 products; eight warps with 64 x 32 elements of 8 bytes each keep 128
//! registers a thread in sums, which leaves room for the factors without spilling.
//! Measured on an H200 at 3072 x 3072 x 3072 in `f64`: 43.6 TFLOP/s by steps of 8 along k,
//! 38.0 by steps of 16, 36.7 by steps of 4.

use super::instead::{Cost, Instead, can_be_narrow, instead, narrow};
use super::shape::{Contraction, Factor};
use terrace_dialects::arith;
use terrace_ir::Context;
use terrace_ir::num::FloatKind;

/// What multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
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
    /// What is added up may be added in another order.
    pub reassociate: bool,
}

/// Elements of 4 bytes that a thread loads at once.
pub(crate) const WIDE: i64 = 4;

/// How the elements of a product go to blocks, warps and threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tiling {
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
    /// Whether neighbours are copied together where they are aligned, in a loop of its own.
    pub vectors: bool,
    /// Rows of blocks that run together, so that they share columns in the second-level cache.
    pub group: i64,
}

impl Tiling {
    pub(crate) fn threads(&self) -> i64 {
        32 * self.warps[0] * self.warps[1]
    }

    /// Whether matrices of so many elements use enough of as many blocks.
    fn is_filled(&self, elements: i64, blocks: i64) -> bool {
        elements.max(0).saturating_mul(100)
            >= blocks.saturating_mul(self.block[0] * self.block[1] * MIN_FILLED)
    }

    /// How far rows of a thread's sums are apart that follow one another.
    pub(crate) fn rows_apart(&self) -> Vec<i64> {
        match self.unit {
            Unit::Matrix(_) => vec![8],
            Unit::Registers([m, _]) => vec![1, self.block[0] * WIDE / m - (WIDE - 1)],
        }
    }

    /// In words: `matrix product, blocks of 128 x 128, 16 of k at a time, matrix units`.
    pub(crate) fn words(&self, x: &Contraction) -> String {
        format!(
            "{}, blocks of {} x {}, {} of k at a time, {}",
            match x.batch.is_empty() {
                true => "matrix product",
                false => "matrix products side by side",
            },
            self.block[0],
            self.block[1],
            self.depth,
            match self.unit {
                Unit::Matrix(_) if self.tf32 => "matrix units in tf32".to_string(),
                Unit::Matrix(HALVES) => "matrix units, factors of 16 bits".to_string(),
                Unit::Matrix(_) => "matrix units".to_string(),
                Unit::Registers([m, n]) => format!("{m} x {n} in registers of a thread"),
            }
        )
    }
}

/// Hundredths of a block's elements that have to be used at least for a kernel to be better than
/// loops, where many small matrices are side by side: with threads that each compute an element
/// these need no blocks, and load each element of a factor several times. Measured on an H200 in
/// `f64`, kernel and loops in ms for n x n x n with n of 32 1.44 and 0.99 (where a warp is a row),
/// of 36 0.90 and 1.62, of 48 0.57 and 1.25.
pub(crate) const MIN_FILLED: i64 = 27;

/// The plan with another shape: rows and columns of a block, depth and stages, each 0 where
/// it stays as `choose` has it.
///
/// # Errors
///
/// Which shapes there are.
pub(crate) fn shaped(
    ctx: &Context,
    x: &Contraction,
    wanted: Wanted,
    shape: [i64; 4],
) -> Result<Tiling, String> {
    let (chosen, _) = choose(ctx, x, wanted)?;
    let [rows, columns, depth, stages] = shape;
    let is_of_halves = chosen.unit == Unit::Matrix(HALVES);
    let mut plan = match (rows, columns) {
        (0, 0) => chosen,
        (LARGE, WIDER) if is_of_halves => of_size(ctx, x, wanted, false)?,
        (LARGE, LARGE) if is_of_halves => Tiling {
            block: [LARGE, LARGE],
            warps: [2, 2],
            ..of_size(ctx, x, wanted, false)?
        },
        (LARGE, LARGE) => of_size(ctx, x, wanted, false)?,
        (SMALL, SMALL) => of_size(ctx, x, wanted, true)?,
        (SMALL, NARROW) if can_be_narrow(&chosen, wanted) => narrow(x, &doubles(wanted.sm)),
        _ => {
            let others = match can_be_narrow(&chosen, wanted) {
                true => format!(", {SMALL} x {NARROW}"),
                false if is_of_halves => format!(", {LARGE} x {WIDER}"),
                false => String::new(),
            };
            return Err(format!(
                "blocks are {SMALL} x {SMALL}{others} or {LARGE} x {LARGE}, not {rows} x {columns}"
            ));
        }
    };
    let (depths, room) = room(&plan, wanted.sm);
    if depth > 0 {
        plan.depth = depth;
    }
    if stages > 0 {
        plan.stages = stages;
    }
    if !depths.contains(&plan.depth) {
        let depths: Vec<String> = depths.iter().map(i64::to_string).collect();
        let depths = depths.join(" or ");
        return Err(format!("a depth is {depths}, not {}", plan.depth));
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

/// The depths that a plan may have, and how much of k its stages may have together: a block's
/// workgroup memory has room for that.
fn room(plan: &Tiling, sm: u32) -> (&'static [i64], i64) {
    let all = plan.depth * plan.stages;
    match plan.unit {
        Unit::Matrix(HALVES) => match sm {
            90 | 100 | 103 => (&[32, 64], 192),
            _ => (&[32, 64], all),
        },
        _ if plan.tf32 => (&[8, 16, 32], all),
        _ => (&[8, 16], all),
    }
}

/// Elements of a block of the smaller shape, in each direction.
pub(super) const SMALL: i64 = 64;
/// And of the larger.
pub(crate) const LARGE: i64 = 128;
/// Columns of a block of the narrow shape.
pub(super) const NARROW: i64 = 96;
/// Columns of a block of elements of 16 bits.
const WIDER: i64 = 256;
/// Products of the matrix units of newer machines.
pub(super) const M16: [i64; 3] = [16, 8, 8];
/// And of factors of 16 bits.
pub(crate) const HALVES: [i64; 3] = [16, 8, 16];

/// Blocks of the larger shape that a large machine should at least get.
const FEW_BLOCKS: i64 = 100;

/// The plan for a product on a machine, and another that may be better, where only the
/// program knows when it runs.
///
/// # Errors
///
/// Why there is none.
pub(crate) fn choose(
    ctx: &Context,
    x: &Contraction,
    wanted: Wanted,
) -> Result<(Tiling, Option<Instead>), String> {
    let plan = of_size(ctx, x, wanted, is_small(x))?;
    let instead = instead(ctx, x, &plan, wanted);
    if let Some(i) = instead.filter(|_| is_thin(x)) {
        return Ok((i.plan, None));
    }
    let Some([m, n]) = sizes(x) else {
        return Ok((plan, instead));
    };
    let tiles = |p: &Tiling| {
        let tiles = |n: i64, size: i64| n / size + i64::from(n % size > 0);
        tiles(m, p.block[0]).saturating_mul(tiles(n, p.block[1]))
    };
    let smallest = instead.as_ref().map_or(&plan, |i| &i.plan);
    if !x.batch.is_empty() && !smallest.is_filled(m.saturating_mul(n), tiles(smallest)) {
        return Err("the matrices side by side would leave most of each block empty".into());
    }
    let (Some(instead), Some(products)) = (instead, x.side_by_side()) else {
        return Ok((plan, instead));
    };
    let of = |p: &Tiling, c: &Cost| c.of(tiles(p).saturating_mul(products));
    let [large, other] = &instead.costs;
    Ok(match of(&instead.plan, other) < of(&plan, large) {
        true => (instead.plan, None),
        false => (plan, None),
    })
}

pub(super) fn of_size(
    ctx: &Context,
    x: &Contraction,
    wanted: Wanted,
    small: bool,
) -> Result<Tiling, String> {
    let Wanted { sm, tf32, .. } = wanted;
    if sm < 80 {
        return Err("copies in the background need sm_80".into());
    }
    if has_halves(ctx, x)? {
        return Ok(match small {
            true => Tiling {
                block: [SMALL, SMALL],
                warps: [2, 2],
                ..halves(sm)
            },
            false => halves(sm),
        });
    }
    match x.element.float_kind(ctx) {
        Some(FloatKind::F64) if small => Ok(Tiling {
            block: [SMALL, SMALL],
            warps: [2, 2],
            vectors: false,
            ..doubles(sm)
        }),
        Some(FloatKind::F64) => Ok(doubles(sm)),
        Some(FloatKind::F32) if tf32 && small => Ok(Tiling {
            block: [SMALL, SMALL],
            warps: [2, 2],
            vectors: false,
            ..rounded_singles(sm)
        }),
        Some(FloatKind::F32) if tf32 => Ok(rounded_singles(sm)),
        Some(FloatKind::F32) if small => Ok(Tiling {
            unit: Unit::Registers([4, 4]),
            block: [SMALL, SMALL],
            vectors: false,
            ..singles()
        }),
        Some(FloatKind::F32) => Ok(singles()),
        _ => Err(format!(
            "sums are '{}'; f32 and f64 have kernels",
            ctx.type_text(x.element)
        )),
    }
}

/// Whether the factors are elements of 16 bits that are multiplied as they are.
///
/// # Errors
///
/// Why there is no kernel for them.
fn has_halves(ctx: &Context, x: &Contraction) -> Result<bool, String> {
    let of_16 = |f: &Factor| {
        let kind = f.loaded.ty(ctx).float_kind(ctx);
        kind.filter(|k| k.width() == 16)
    };
    let Some(kind) = x.products.iter().flatten().find_map(of_16) else {
        return Ok(false);
    };
    let plain = |f: &Factor| {
        let widened = f
            .value
            .def_op()
            .filter(|o| o.name(ctx) == arith::ExtFOp::NAME);
        of_16(f) == Some(kind) && widened.is_some_and(|o| o.operand(ctx, 0) == f.loaded)
    };
    if x.element.float_kind(ctx) != Some(FloatKind::F32) {
        return Err("factors of 16 bits have kernels where sums are f32".into());
    }
    if !x.products.iter().flatten().all(plain) {
        return Err(
            "factors of 16 bits have kernels where both are elements of one type, widened \
             and nothing else"
                .into(),
        );
    }
    Ok(true)
}

/// Whether blocks of the larger shape would leave most of a machine idle, as far as
/// sizes are known.
fn is_small(x: &Contraction) -> bool {
    match (sizes(x), x.side_by_side()) {
        (Some([m, n]), Some(products)) => {
            let blocks = |n: i64| (n / 128).saturating_add(1);
            let blocks = blocks(m).saturating_mul(blocks(n));
            blocks.saturating_mul(products) < FEW_BLOCKS
        }
        _ => false,
    }
}

/// Terms of a sum up to which a block has more to do before and behind its sums than for them: to
/// load and store an element takes as long as 110 terms at the rates of an H200's memory and
/// matrix units. Of smaller blocks a multiprocessor has several, which hide that from one another.
/// Computed, not measured.
const FEW_TERMS: i64 = 64;

/// Whether so few are added up that memory takes longer than the matrix units, in one product.
fn is_thin(x: &Contraction) -> bool {
    x.batch.is_empty() && x.depth.length().is_some_and(|n| n <= FEW_TERMS)
}

/// How many rows and columns there are, where that is known.
pub(crate) fn sizes(x: &Contraction) -> Option<[i64; 2]> {
    Some([count_rows(x)?, x.cols.length()?.max(0)])
}

/// How many rows there are, where that is known.
fn count_rows(x: &Contraction) -> Option<i64> {
    let outer = match &x.outer {
        Some(o) => o.range.length()?,
        None => 1,
    };
    Some(outer.max(0).saturating_mul(x.rows.length()?.max(0)))
}

fn doubles(sm: u32) -> Tiling {
    Tiling {
        unit: Unit::Matrix(match sm {
            90.. => M16,
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
        vectors: true,
        group: 8,
    }
}

/// Products of `f32` rounded to `tf32`: the fragments are those of `f64` in half the bytes.
/// Eight warps of 64 x 32 elements: four of 64 x 64 round fewer fragments for as many products,
/// and take longer all the same (on an H200 at 4096, with copies of single elements, 2.06 ms,
/// eight 1.71). Measured with slabs of 16 of k 1.17 ms, of 32 1.03.
fn rounded_singles(sm: u32) -> Tiling {
    Tiling {
        unit: Unit::Matrix([16, 8, 8]),
        tf32: true,
        depth: 32,
        stages: match sm {
            80 | 87 | 90 | 100 | 103 => 3,
            _ => 2,
        },
        ..doubles(sm)
    }
}

/// Factors of 16 bits. Eight warps of 64 x 64 elements: fragments for 64 x 32 would be read from
/// workgroup memory as slowly as they are multiplied. Measured on an H200 at 4096 x 4096 x 4096
/// 0.423 ms; slabs of 64, three at a time, 0.416, which takes 50 KB more; six slabs of 32 0.438,
/// blocks of 128 x 128, four warps each, 0.440.
fn halves(sm: u32) -> Tiling {
    Tiling {
        unit: Unit::Matrix(HALVES),
        tf32: false,
        block: [LARGE, WIDER],
        warps: [2, 4],
        depth: 32,
        stages: match sm {
            80 | 87 | 90 | 100 | 103 => 4,
            _ => 3,
        },
        vectors: true,
        group: 8,
    }
}

fn singles() -> Tiling {
    Tiling {
        unit: Unit::Registers([8, 8]),
        tf32: false,
        block: [128, 128],
        warps: [4, 2],
        depth: 16,
        stages: 3,
        vectors: true,
        group: 8,
    }
}
