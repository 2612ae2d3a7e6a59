//! The counts of one request, from the addresses of its active lanes.
//!
//! They are the same when all addresses move by a period ([`Units::period`]), and warps whose
//! lanes lie alike to each other ask alike. So the requests of a launch are few different
//! ones, and each is counted once ([`Warps::request`]).

use super::nest::{Mapping, Space};
use super::requests::Counts;
use rustc_hash::FxHashMap;
use terrace_ir::affine::gcd;
use terrace_machine::Machine;

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// What a warp's request is cut into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    sector: i64,
    line: i64,
    banks: i64,
    bank: i64,
    /// Addresses that differ by a multiple of this give the same counts.
    pub period: i64,
}

impl Units {
    pub(crate) fn of(m: &Machine) -> Units {
        let (line, all) = (i64::from(m.line_bytes), m.shared_banks * m.bank_bytes);
        Units {
            sector: i64::from(m.sector_bytes),
            line,
            banks: i64::from(m.shared_banks),
            bank: i64::from(m.bank_bytes),
            period: lcm(line, i64::from(all)),
        }
    }
}

fn lcm(a: i64, b: i64) -> i64 {
    (a / gcd(a, b).max(1)).saturating_mul(b).clamp(1, 1 << 20)
}

/// The threads of a block in the order of warps: places along x, y, z.
pub(super) fn threads(mapping: &Mapping) -> Vec<[i64; 3]> {
    let [x, y, z] = mapping.block.map(i64::from);
    let mut out = Vec::new();
    for c in 0..z {
        for b in 0..y {
            out.extend((0..x).map(|a| [a, b, c]));
        }
    }
    out
}

/// A warp of a block.
pub(super) struct Warp {
    /// Where its threads are in the block, along x, y and z.
    pub places: Vec<[i64; 3]>,
    /// Which of [`Warps::alike`] it is, and by how many bytes it lies behind that.
    alike: usize,
    shift: i64,
}

impl Warp {
    /// The lanes of which something holds, as bits.
    pub(crate) fn lanes(&self, holds: impl Fn(&[i64; 3]) -> bool) -> u32 {
        let all = self.places.iter().enumerate();
        all.fold(0, |m, (lane, t)| m | u32::from(holds(t)) << lane)
    }
}

/// Warps whose lanes lie alike to each other.
struct Alike {
    /// Bytes from the first lane's address.
    offsets: Vec<i64>,
    /// By active lanes, and where the first lane is within a period.
    known: FxHashMap<(u32, i64), Counts>,
}

/// The warps of a block, and what one access asks for in them.
pub(super) struct Warps {
    pub all: Vec<Warp>,
    alike: Vec<Alike>,
    bytes: i64,
    space: Space,
    units: Units,
}

impl Warps {
    /// Of an access of so many bytes, which moves by so many along each axis.
    pub(crate) fn new(
        mapping: &Mapping,
        along: [i64; 3],
        (bytes, space): (i64, Space),
        units: Units,
    ) -> Warps {
        let mut out = Warps {
            all: Vec::new(),
            alike: Vec::new(),
            bytes,
            space,
            units,
        };
        for places in threads(mapping).chunks(LANES) {
            let offset = |t: &[i64; 3]| {
                (0..3).fold(0i64, |s, d| s.wrapping_add(t[d].wrapping_mul(along[d])))
            };
            let shift = offset(&places[0]);
            let offsets: Vec<i64> = (places.iter())
                .map(|t| offset(t).wrapping_sub(shift))
                .collect();
            let alike = out.alike.iter().position(|a| a.offsets == offsets);
            let alike = alike.unwrap_or_else(|| {
                out.alike.push(Alike {
                    offsets,
                    known: FxHashMap::default(),
                });
                out.alike.len() - 1
            });
            out.all.push(Warp {
                places: places.to_vec(),
                alike,
                shift,
            });
        }
        out
    }

    /// Of which kind a warp is, and where its first lane's address lies within a period,
    /// where the block's first thread has the address `base`.
    pub(crate) fn place(&self, warp: usize, base: i64) -> (usize, i64) {
        let Warp { alike, shift, .. } = self.all[warp];
        let start = base.wrapping_add(shift);
        (alike, start.rem_euclid(self.units.period))
    }

    /// What these lanes of a warp ask for where the block's first thread has the address
    /// `base`.
    pub(crate) fn request(&mut self, warp: usize, lanes: u32, base: i64) -> Counts {
        let (bytes, space, units) = (self.bytes, self.space, self.units);
        let (alike, start) = self.place(warp, base);
        let Alike { offsets, known } = &mut self.alike[alike];
        let counted = || of_request(offsets, lanes, start, bytes, space, &units);
        *known.entry((lanes, start)).or_insert_with(counted)
    }
}

/// The counts of one request: the offsets of lanes, those that are active, and what the
/// offsets are from.
fn of_request(
    offsets: &[i64],
    active: u32,
    start: i64,
    bytes: i64,
    space: Space,
    u: &Units,
) -> Counts {
    let on = |lane: &usize| active >> lane & 1 == 1;
    let lanes = (0..offsets.len()).filter(on);
    let at = lanes.map(|lane| (lane, start.wrapping_add(offsets[lane])));
    let at: Vec<(usize, i64)> = at.collect();
    if at.is_empty() {
        return Counts::ZERO;
    }
    let mut out = Counts {
        requests: 1.0,
        lanes: at.len() as f64,
        ..Counts::ZERO
    };
    match space {
        Space::Global => {
            let mut sorted: Vec<i64> = at.iter().map(|l| l.1).collect();
            sorted.sort_unstable();
            out.sectors = touched(&sorted, bytes, u.sector);
            out.lines = touched(&sorted, bytes, u.line);
        }
        Space::Shared => {
            // Lanes are served in as many groups as an access has words, at most four.
            let groups = (bytes / u.bank).clamp(1, 4);
            let together = LANES / groups as usize;
            for group in 0..groups as usize {
                let here = at.iter().filter(|(lane, _)| lane / together == group);
                let mut words: Vec<i64> = here
                    .flat_map(|(_, at)| (0..groups).map(move |w| at.div_euclid(u.bank) + w))
                    .collect();
                words.sort_unstable();
                words.dedup();
                let mut most = 0;
                let mut per_bank = vec![0u32; u.banks as usize];
                for w in &words {
                    let n = &mut per_bank[w.rem_euclid(u.banks) as usize];
                    *n += 1;
                    most = most.max(*n);
                }
                out.wavefronts += f64::from(most);
                out.conflicts += f64::from(most.saturating_sub(1));
            }
        }
    }
    out
}

/// Passes of one access of so many bytes of the lanes of a warp to shared memory.
pub(super) fn shared_passes(lanes: &[i64], bytes: i64, m: &Machine) -> f64 {
    let active = u32::MAX >> (LANES - lanes.len().clamp(1, LANES));
    of_request(lanes, active, 0, bytes, Space::Shared, &Units::of(m)).wavefronts
}

/// Different units that accesses of so many bytes touch, at addresses in ascending order.
fn touched(at: &[i64], bytes: i64, unit: i64) -> f64 {
    let (mut count, mut next) = (0, i64::MIN);
    for a in at {
        let first = a.div_euclid(unit).max(next);
        let last = a.wrapping_add(bytes - 1).div_euclid(unit);
        if last >= first {
            count += last - first + 1;
            next = last + 1;
        }
    }
    count as f64
}
