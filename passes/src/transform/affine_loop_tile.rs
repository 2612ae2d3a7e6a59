//! `affine-loop-tile`: each perfect band of affine loops at the top of a function is cut
//! into rectangular tiles.
//!
//! Legal where no dependence goes backwards along a loop of the band (see
//! [`crate::analysis::tiling`]), no loop carries values, and no bound depends on a loop
//! of the band; other bands stay as they are.
//!
//! ```text
//! affine.for %i = 0 to 64 {           affine.for %it = 0 to 64 step 32 {
//!   affine.for %j = 0 to %n {    =>     affine.for %jt = 0 to %n step 32 {
//!     body(%i, %j)                        affine.for %i = %it to %it + 32 {
//!   }                                       affine.for %j = %jt to min(%jt + 32, %n) {
//! }                                           body(%i, %j)
//!                                     ...
//! ```

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::footprint::footprint_bytes;
use crate::analysis::tiling::tiling_obstacle;
use crate::loops::band::{carries_values, is_hyper_rectangular, perfect_band};
use crate::loops::separate::separate_full_tiles;
use crate::loops::tile_band::tile_band;
use terrace_dialects::affine::ForOp;
use terrace_dialects::func;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-tile",
    title: "AffineLoopTiling",
    summary: "Tile affine loop nests",
    description: "Cuts the perfect bands at the top of a function into tiles, of given sizes or such that a tile's data fits a cache.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "cache-size",
            OptionKind::UInt,
            "512",
            "Set size of cache to tile for in KiB",
        ),
        OptionInfo::flag("separate", "Separate full and partial tiles"),
        OptionInfo::new(
            "tile-size",
            OptionKind::UInt,
            "0",
            "Use this tile size for all loops",
        ),
        OptionInfo::new(
            "tile-sizes",
            OptionKind::UIntList,
            "",
            "List of tile sizes for each perfect nest (overridden by -tile-size)",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-tiled", "Number of bands tiled"),
        StatisticInfo::new("num-refused", "Number of bands whose order has to stay"),
    ],
    make: |o| {
        let sizes = o.uints("tile-sizes");
        if sizes.contains(&0) {
            return Err("tile-sizes has a size of 0, expected at least 1".into());
        }
        Ok(Box::new(Tile {
            cache_kib: o.uint("cache-size"),
            separate: o.bool("separate"),
            size: Some(o.uint("tile-size")).filter(|s| *s > 0),
            sizes,
        }))
    },
};

/// The size of a tile along loops for which none is given or known to be better.
const DEFAULT_SIZE: u64 = 4;

/// No tile is longer where the size is chosen here; it bounds the search for divisors.
const MAX_SIZE: u64 = 1 << 20;

struct Tile {
    cache_kib: u64,
    separate: bool,
    size: Option<u64>,
    sizes: Vec<u64>,
}

impl Pass for Tile {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let blocks = op.blocks(ctx).into_iter();
        let roots: Vec<ForOp> = blocks
            .flat_map(|b| b.ops(ctx))
            .filter_map(|o| o.cast::<ForOp>(ctx))
            .collect();
        for root in roots {
            let band = perfect_band(ctx, root);
            if carries_values(ctx, &band) || (band.len() > 1 && !is_hyper_rectangular(ctx, &band)) {
                continue;
            }
            if tiling_obstacle(ctx, &band).is_some() {
                ctx.count("num-refused", 1);
                continue;
            }
            let sizes = self.sizes_for(ctx, &band);
            let Some((_, points)) = tile_band(ctx, &band, &sizes) else {
                continue;
            };
            ctx.count("num-tiled", 1);
            if self.separate {
                separate_full_tiles(ctx, &points);
            }
        }
        Ok(())
    }
}

impl Tile {
    fn sizes_for(&self, ctx: &Context, band: &[ForOp]) -> Vec<u64> {
        if let Some(s) = self.size {
            return vec![s; band.len()];
        }
        if !self.sizes.is_empty() {
            let mut sizes = self.sizes.clone();
            sizes.resize(band.len(), DEFAULT_SIZE);
            return sizes;
        }
        if self.cache_kib == 0 {
            return vec![1; band.len()];
        }
        let Some(bytes) = footprint_bytes(ctx, band[0]) else {
            return divisors_of_trips(ctx, band, vec![DEFAULT_SIZE; band.len()]);
        };
        let excess = bytes.div_ceil(self.cache_kib.saturating_mul(1024));
        if excess <= 1 {
            return vec![1; band.len()];
        }
        divisors_of_trips(ctx, band, shares(excess, band.len()))
    }
}

/// `excess` as a product of `n` about equal sizes, rounded down; the last makes up for
/// the others. A tile shrinks with its size along each loop, as far as each element is
/// touched at one point.
fn shares(excess: u64, n: usize) -> Vec<u64> {
    let root = root(excess, n);
    let mut sizes = vec![root; n];
    let product = sizes.iter().skip(1).fold(1u64, |p, s| p.saturating_mul(*s));
    if let Some(last) = sizes.last_mut() {
        *last = (excess / product.max(1)).max(1);
    }
    sizes
}

/// The greatest `r >= 1` with `r^n <= x`.
fn root(x: u64, n: usize) -> u64 {
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    let fits = |r: u64| r.checked_pow(n).is_some_and(|p| p <= x);
    let (mut lo, mut hi) = (1u64, x.max(1));
    while lo < hi {
        let mid = lo + (hi - lo).div_ceil(2);
        if fits(mid) { lo = mid } else { hi = mid - 1 }
    }
    lo
}

/// Lower each size to a divisor of a constant trip count, so that all tiles are full.
fn divisors_of_trips(ctx: &Context, band: &[ForOp], sizes: Vec<u64>) -> Vec<u64> {
    let fit = |(l, size): (&ForOp, u64)| {
        let Some(trips) = constant_trip_count(ctx, *l).filter(|t| *t > 0) else {
            return size;
        };
        let most = if trips > 1 { size.min(trips / 2) } else { size }.min(MAX_SIZE);
        (1..=most)
            .rev()
            .find(|s| trips.is_multiple_of(*s))
            .unwrap_or(1)
    };
    band.iter().zip(sizes).map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::{root, shares};

    #[test]
    fn roots_are_rounded_down() {
        assert_eq!(root(97, 3), 4);
        assert_eq!(root(64, 3), 4);
        assert_eq!(root(63, 3), 3);
        assert_eq!(root(1, 5), 1);
        assert_eq!(root(u64::MAX, 1), u64::MAX);
        assert_eq!(root(u64::MAX, 2), u64::from(u32::MAX));
    }

    #[test]
    fn the_last_share_makes_up_for_the_others() {
        assert_eq!(shares(250, 3), [6, 6, 6]);
        assert_eq!(shares(10, 2), [3, 3]);
        assert_eq!(shares(15, 2), [3, 5]);
    }
}
