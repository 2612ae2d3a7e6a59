//! Passes through workgroup memory, from the places of the 32 lanes of a warp.

use super::{Factor, Product, Unit};
use crate::gpu::model::lanes::shared_passes;
use terrace_machine::Machine;

/// What a block does with a slab of a pair of factors.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SlabWork {
    /// Loads of warps from workgroup memory, and their passes.
    pub loads: f64,
    pub passes: f64,
    /// Passes before the first products of a slab: of the first step along k.
    pub first: f64,
    /// Copies of warps to workgroup memory, and their passes.
    pub copies: f64,
    pub copy_passes: f64,
    /// Instructions that multiply.
    pub multiplies: f64,
    /// Elements of factors that lanes round, in instructions of warps.
    pub rounded: f64,
}

/// The work of a slab.
pub fn of_slab(p: &Product, pair: &[Factor], m: &Machine) -> SlabWork {
    let warps = (p.warps[0] * p.warps[1]) as f64;
    let mut w = SlabWork::default();
    for f in pair {
        let (loads, passes, steps) = fragments(p, f, m);
        w.loads += warps * loads;
        w.passes += warps * loads * passes;
        w.first += warps * loads * passes / steps;
        let (copies, passes) = copies(p, f, m);
        w.copies += copies;
        w.copy_passes += copies * passes;
        if matches!(p.unit, Unit::Rounded(_)) {
            w.rounded += warps * loads;
        }
    }
    let all = (p.tile[0] * p.tile[1] * p.depth) as f64;
    w.multiplies = match p.unit {
        Unit::Doubles(s) | Unit::Rounded(s) | Unit::Halves(s) => {
            all / s.iter().product::<i64>().max(1) as f64
        }
        Unit::Registers(_) => all / 32.0,
    };
    w
}

/// Loads of a warp of a factor for a slab, passes of each, and steps along k.
fn fragments(p: &Product, f: &Factor, m: &Machine) -> (f64, f64, f64) {
    let of_warp = p.tile[f.side] / p.warps[f.side].max(1);
    let at = |place: i64, k: i64| match f.k_last {
        true => (place * f.pitch + k) * f.bytes,
        false => (k * f.pitch + place) * f.bytes,
    };
    match p.unit {
        Unit::Doubles(s) | Unit::Rounded(s) => {
            let lanes: Vec<i64> = (0..32).map(|l| at(l / 4, l % 4)).collect();
            let loads = of_warp / 8 * (p.depth / 4);
            (
                loads as f64,
                shared_passes(&lanes, f.bytes, m),
                (p.depth / s[2].max(1)) as f64,
            )
        }
        // Four tiles of 8 x 8, of which each lane names a line of 16 bytes.
        Unit::Halves(s) => {
            let line = |l: i64| match f.k_last {
                true => at(l % 16, 8 * (l / 16)),
                false => at(8 * (l / 16), l % 16),
            };
            let lanes: Vec<i64> = (0..32).map(line).collect();
            let steps = p.depth / s[2].max(1);
            let loads = of_warp / 16 * steps;
            (loads as f64, shared_passes(&lanes, 16, m), steps as f64)
        }
        // A warp is 4 by 8 threads, each of which loads four neighbours.
        Unit::Registers(tile) => {
            let place = |l: i64| if f.side == 0 { l / 8 } else { l % 8 };
            let lanes: Vec<i64> = (0..32).map(|l| at(4 * place(l), 0)).collect();
            let loads = tile[f.side] / 4 * p.depth;
            (
                loads as f64,
                shared_passes(&lanes, 4 * f.bytes, m),
                p.depth as f64,
            )
        }
    }
}

/// Copies of warps for a slab of a factor, and passes of each.
fn copies(p: &Product, f: &Factor, m: &Machine) -> (f64, f64) {
    let fast = if f.along_k { p.depth } else { p.tile[f.side] };
    let to = |l: i64| {
        let number = l * f.vector;
        let (line, at) = (number / fast, number % fast);
        let (place, k) = if f.along_k { (line, at) } else { (at, line) };
        match f.k_last {
            true => (place * f.pitch + k) * f.bytes,
            false => (k * f.pitch + place) * f.bytes,
        }
    };
    let lanes: Vec<i64> = (0..32).map(to).collect();
    let all = p.tile[f.side] * p.depth / (32 * f.vector).max(1);
    (all as f64, shared_passes(&lanes, f.vector * f.bytes, m))
}
