//! What the accesses of a nest ask of the caches and of memory.

use super::footprint::{Extents, Level, brought};
use super::joined::{Joined, joined};
use super::moves;
use super::nest::{Mapping, Nest, Reference, Space};
use super::requests::{Counts, count};
use terrace_machine::{Machine, Occupancy};

/// What a load costs the L2 cache for each line and for each sector of it, in times of a
/// sector of whole lines. Measured on an H200: 272 sectors/ns of whole lines (calibrate), 117
/// where each is of another line (a transpose that loads columns, as a whole).
pub(super) const LOAD_OF_LINE: f64 = 1.4;
pub(super) const LOAD_OF_SECTOR: f64 = 0.65;

/// The same of stores: 51 sectors/ns where each is of another line (a transpose that stores
/// columns, as a whole).
pub(super) const STORE_OF_LINE: f64 = 4.5;
pub(super) const STORE_OF_SECTOR: f64 = 0.5;

/// What the accesses of a nest cost.
pub(super) struct Traffic {
    /// In the order of the nest's references.
    pub references: Vec<Counts>,
    /// In the same order, how each access is made, and the part of its loads that are made.
    pub joined: Vec<Joined>,
    pub shares: Vec<f64>,
    pub l2_sectors: f64,
    /// What these cost the L2 cache, in times of a sector of whole lines.
    pub l2_times: f64,
    pub memory_bytes: f64,
    /// For each array the share of loaded sectors that the L1 cache lacks, and of those
    /// that the L2 cache lacks.
    pub misses: Vec<(f64, f64)>,
}

/// The counts of all accesses; of those that ask for the same, as a load and a store of an
/// element, once.
fn counted(nest: &Nest, mapping: &Mapping, m: &Machine) -> Vec<Counts> {
    let mut counted: Vec<Counts> = Vec::new();
    let of = |r: &Reference| nest.arrays.get(r.array).map(|a| a.space);
    for r in &nest.references {
        let same = |o: &Reference| {
            o.address == r.address
                && (o.bytes, of(o)) == (r.bytes, of(r))
                && (&o.loops, &o.guards) == (&r.loops, &r.guards)
        };
        let before = nest.references[..counted.len()].iter().position(same);
        let counts = before.map(|i| counted[i]);
        counted.push(counts.unwrap_or_else(|| count(nest, mapping, r, m)));
    }
    counted
}

/// What a mapped nest asks for. `trips` are those along the axes, `grid` the grid and the
/// bytes of shared memory of a block.
pub(super) fn traffic(
    nest: &Nest,
    mapping: &Mapping,
    m: &Machine,
    occupancy: &Occupancy,
    trips: [i64; 3],
    (grid, shared): ([u64; 3], f64),
) -> Traffic {
    let sector = f64::from(m.sector_bytes);
    let line = f64::from(m.line_bytes);
    let all = || nest.references.iter();
    let joined: Vec<Joined> = all().map(|r| joined(nest, r, &mapping.axes)).collect();
    let share = |r| moves::share(nest, r, &mapping.axes);
    let shares: Vec<f64> = all().map(share).collect();
    let counted = counted(nest, mapping, m);
    let made = |(counts, share): (&Counts, &f64)| {
        let mut made = Counts::ZERO;
        made.add(counts, *share);
        made.exact &= *share == 1.0;
        made
    };
    let references: Vec<Counts> = counted.iter().zip(&shares).map(made).collect();
    let typical = nest.typical_trips();
    // Serial loops from the inside out.
    let mut serial: Vec<usize> = Vec::new();
    for r in &nest.references {
        for (i, l) in r.loops.iter().enumerate() {
            if !mapping.axes.contains(l) && !serial.contains(l) {
                // Behind the last of those around it.
                let outer = r.loops[..i]
                    .iter()
                    .filter_map(|o| serial.iter().position(|s| s == o));
                let at = outer.max().map_or(0, |p| p + 1);
                serial.insert(at, *l);
            }
        }
    }
    serial.reverse();
    let still: Extents = vec![1.0; nest.loops.len()];
    let level = |l: usize| Level {
        l,
        before: 1.0,
        after: typical[l].max(1.0),
    };
    let levels: Vec<Level> = serial.iter().map(|l| level(*l)).collect();
    // A block on its multiprocessor, with the share of the cache that it has.
    let mut block = still.clone();
    let mut parts = 1.0;
    for (d, l) in mapping.axes.iter().enumerate() {
        let b = f64::from(mapping.block[d]);
        block[*l] = b.min(trips[d] as f64);
        parts *= trips[d] as f64 / block[*l].max(1.0);
    }
    let blocks = grid.iter().map(|n| *n as f64).product::<f64>();
    let resident = (blocks / f64::from(m.sms.max(1))).ceil();
    let resident = resident.clamp(1.0, f64::from(occupancy.blocks_per_sm.max(1)));
    let l1 = (f64::from(m.l1_bytes) - shared * resident).max(0.0) / resident;
    // The blocks that run at once: first along x, then y, then z.
    let mut wave = still;
    let mut left = (f64::from(m.sms) * f64::from(occupancy.blocks_per_sm)).max(1.0);
    let mut around = Vec::new();
    for (d, l) in mapping.axes.iter().enumerate() {
        let here = left.min(grid[d] as f64).max(1.0);
        let together = (here * f64::from(mapping.block[d])).min(trips[d] as f64);
        wave[*l] = together.max(1.0);
        left = (left / here).max(1.0);
        around.push(Level {
            l: *l,
            before: together.max(1.0),
            after: (trips[d] as f64).max(1.0),
        });
    }
    let mut out_of_wave: Vec<Level> = serial.iter().map(|l| level(*l)).collect();
    out_of_wave.extend(around);
    let (mut l2_sectors, mut l2_times) = (0.0, 0.0);
    let mut memory_bytes = 0.0;
    let mut misses = Vec::new();
    for (i, a) in nest.arrays.iter().enumerate() {
        let of = |writes: bool| -> f64 {
            let mine = nest.references.iter().zip(&references);
            mine.filter(|(r, _)| r.array == i && r.writes == writes)
                .map(|(_, c)| c.sectors)
                .sum()
        };
        if a.space == Space::Shared {
            misses.push((0.0, 0.0));
            continue;
        }
        let (loaded, stored) = (of(false), of(true));
        let mut from_l2 = 0.0;
        if loaded > 0.0 {
            from_l2 = brought(nest, i, Some(false), &block, &levels, l1, sector) * parts;
            from_l2 = from_l2.min(loaded);
            let lines = brought(nest, i, Some(false), &block, &levels, l1, line) * parts;
            let asked = nest.references.iter().zip(&references);
            let asked: f64 = (asked.filter(|(r, _)| r.array == i && !r.writes))
                .map(|(_, c)| c.lines)
                .sum();
            let lines = lines.min(asked).min(from_l2);
            l2_times += lines * LOAD_OF_LINE + from_l2 * LOAD_OF_SECTOR;
        }
        for ((r, c), how) in nest.references.iter().zip(&references).zip(&joined) {
            if r.array == i && r.writes {
                let together = how.elements as f64;
                let of_line = c.lines / together * STORE_OF_LINE;
                l2_times += of_line + c.sectors / together * STORE_OF_SECTOR;
            }
        }
        let capacity = m.l2_bytes as f64;
        let all = |writes| brought(nest, i, Some(writes), &wave, &out_of_wave, capacity, sector);
        let read = if loaded > 0.0 {
            all(false).min(from_l2)
        } else {
            0.0
        };
        let written = if stored > 0.0 {
            all(true).min(stored)
        } else {
            0.0
        };
        l2_sectors += from_l2 + stored;
        memory_bytes += (read + written) * sector;
        misses.push((
            from_l2 / loaded.max(1.0),
            if from_l2 > 0.0 { read / from_l2 } else { 0.0 },
        ));
    }
    Traffic {
        references,
        joined,
        shares,
        l2_sectors,
        l2_times,
        memory_bytes,
        misses,
    }
}
