//! What the accesses of a nest ask of the caches and of memory.

use super::footprint::{Cache, Extents, Level};
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

/// A launch of a mapped nest.
pub(super) struct Launch<'a> {
    pub nest: &'a Nest,
    pub mapping: &'a Mapping,
    pub machine: &'a Machine,
    pub occupancy: &'a Occupancy,
    /// Iterations along the axes.
    pub trips: [i64; 3],
    pub grid: [u64; 3],
    /// Bytes of shared memory of a block.
    pub shared: f64,
}

impl Launch<'_> {
    /// What the launch asks for.
    pub fn traffic(&self) -> Traffic {
        let (nest, axes) = (self.nest, &self.mapping.axes);
        let all = || nest.references.iter();
        let shares: Vec<f64> = all().map(|r| moves::share(nest, r, axes)).collect();
        let made = |(counts, share): (&Counts, &f64)| {
            let mut made = Counts::ZERO;
            made.add(counts, *share);
            made.exact &= *share == 1.0;
            made
        };
        let counted = counted(nest, self.mapping, self.machine);
        let mut traffic = Traffic {
            references: counted.iter().zip(&shares).map(made).collect(),
            joined: all().map(|r| joined(nest, r, axes)).collect(),
            shares,
            l2_sectors: 0.0,
            l2_times: 0.0,
            memory_bytes: 0.0,
            misses: Vec::new(),
        };
        let serial = self.serial_levels();
        let (l1, l2) = (self.l1_of_block(&serial), self.l2_of_wave(serial));
        for array in 0..nest.arrays.len() {
            self.add_array(&mut traffic, array, &l1, &l2);
        }
        traffic
    }

    /// The serial loops from the inside out, each with as many trips as are typical.
    fn serial_levels(&self) -> Vec<Level> {
        let mut serial: Vec<usize> = Vec::new();
        for r in &self.nest.references {
            for (i, l) in r.loops.iter().enumerate() {
                if !self.mapping.axes.contains(l) && !serial.contains(l) {
                    // Behind the last of those around it.
                    let outer = r.loops[..i]
                        .iter()
                        .filter_map(|o| serial.iter().position(|s| s == o));
                    let at = outer.max().map_or(0, |p| p + 1);
                    serial.insert(at, *l);
                }
            }
        }
        let typical = self.nest.typical_trips();
        let level = |l: usize| Level {
            l,
            before: 1.0,
            after: typical[l].max(1.0),
        };
        serial.into_iter().rev().map(level).collect()
    }

    /// The L1 cache of a multiprocessor, as much of it as a resident block has.
    fn l1_of_block(&self, serial: &[Level]) -> Cache {
        let m = self.machine;
        let mut block: Extents = vec![1.0; self.nest.loops.len()];
        let mut parts = 1.0;
        for (d, l) in self.mapping.axes.iter().enumerate() {
            let b = f64::from(self.mapping.block[d]);
            block[*l] = b.min(self.trips[d] as f64);
            parts *= self.trips[d] as f64 / block[*l].max(1.0);
        }
        let blocks = self.grid.iter().map(|n| *n as f64).product::<f64>();
        let resident = (blocks / f64::from(m.sms.max(1))).ceil();
        let resident = resident.clamp(1.0, f64::from(self.occupancy.blocks_per_sm.max(1)));
        Cache {
            start: block,
            levels: serial.to_vec(),
            capacity: (f64::from(m.l1_bytes) - self.shared * resident).max(0.0) / resident,
            parts,
        }
    }

    /// The L2 cache under the blocks that run at once: first along x, then y, then z.
    fn l2_of_wave(&self, serial: Vec<Level>) -> Cache {
        let m = self.machine;
        let mut wave: Extents = vec![1.0; self.nest.loops.len()];
        let mut levels = serial;
        let mut left = (f64::from(m.sms) * f64::from(self.occupancy.blocks_per_sm)).max(1.0);
        for (d, l) in self.mapping.axes.iter().enumerate() {
            let trips = self.trips[d] as f64;
            let here = left.min(self.grid[d] as f64).max(1.0);
            let together = (here * f64::from(self.mapping.block[d])).min(trips);
            wave[*l] = together.max(1.0);
            left = (left / here).max(1.0);
            levels.push(Level {
                l: *l,
                before: together.max(1.0),
                after: trips.max(1.0),
            });
        }
        Cache {
            start: wave,
            levels,
            capacity: m.l2_bytes as f64,
            parts: 1.0,
        }
    }

    /// Adds what the accesses of an array ask for.
    fn add_array(&self, t: &mut Traffic, array: usize, l1: &Cache, l2: &Cache) {
        let nest = self.nest;
        if nest.arrays[array].space == Space::Shared {
            t.misses.push((0.0, 0.0));
            return;
        }
        let sector = f64::from(self.machine.sector_bytes);
        let line = f64::from(self.machine.line_bytes);
        let asked = |writes: bool, what: fn(&Counts) -> f64| -> f64 {
            let mine = nest.references.iter().zip(&t.references);
            mine.filter(|(r, _)| r.array == array && r.writes == writes)
                .map(|(_, c)| what(c))
                .sum()
        };
        let (loaded, stored) = (asked(false, |c| c.sectors), asked(true, |c| c.sectors));
        let (mut from_l2, mut read, mut written) = (0.0, 0.0, 0.0);
        if loaded > 0.0 {
            from_l2 = l1.brought(nest, array, false, sector).min(loaded);
            let lines = l1.brought(nest, array, false, line);
            let lines = lines.min(asked(false, |c| c.lines)).min(from_l2);
            t.l2_times += lines * LOAD_OF_LINE + from_l2 * LOAD_OF_SECTOR;
            read = l2.brought(nest, array, false, sector).min(from_l2);
        }
        for ((r, c), how) in nest.references.iter().zip(&t.references).zip(&t.joined) {
            if r.array == array && r.writes {
                let together = how.elements as f64;
                let of_line = c.lines / together * STORE_OF_LINE;
                t.l2_times += of_line + c.sectors / together * STORE_OF_SECTOR;
            }
        }
        if stored > 0.0 {
            written = l2.brought(nest, array, true, sector).min(stored);
        }
        t.l2_sectors += from_l2 + stored;
        t.memory_bytes += (read + written) * sector;
        t.misses.push((
            from_l2 / loaded.max(1.0),
            if from_l2 > 0.0 { read / from_l2 } else { 0.0 },
        ));
    }
}
