//! Passes of shared memory, which serves 32 banks of 4 bytes at once.

use super::Memory;
use super::access::WIDEST;
use crate::f2::rank;
use crate::spread::LANES;
use crate::{Layout, LayoutError, Place, Resource};
use std::collections::HashMap;

const BANKS: i64 = 32;
pub(crate) const BANK_BYTES: i64 = 4;

/// The largest offset for which passes are counted.
const OFFSET_LIMIT: i64 = 1 << 48;

/// How often shared memory is asked for the accesses to a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// The passes of that access of a warp which needs the most.
    pub worst: u64,
    /// The passes of all accesses of all warps.
    pub total: u64,
    /// How many accesses all warps make.
    pub accesses: u64,
}

/// One access of a warp, as far as it does not depend on the layout.
#[derive(Clone, Copy)]
struct Width {
    element: i64,
    bytes: i64,
    vector: i64,
}

impl Width {
    /// Lanes are served in as many parts as an access has words.
    fn parts(self) -> i64 {
        (self.bytes / BANK_BYTES).max(1)
    }
}

/// The passes through shared memory in which a tile is written or read.
///
/// Each access of a lane has `vector` elements, those of its next registers. Accesses of 8
/// bytes are served for half a warp at a time, of 16 bytes for a quarter. Within such a
/// part each bank gives one word a pass, and lanes that want the same word share it.
/// Elements outside the shape are not accessed.
///
/// # Errors
///
/// An access has 1, 2, 4, 8 or 16 bytes. Its elements must be adjacent and its offset a
/// multiple of its size. The lanes of the layout must divide a warp.
pub fn bank_conflicts(
    layout: &Layout,
    memory: &Memory,
    element_bytes: i64,
    vector: i64,
) -> Result<Passes, LayoutError> {
    let bytes = element_bytes.saturating_mul(vector);
    let width = Width {
        element: element_bytes,
        bytes,
        vector,
    };
    check(layout, memory, width)?;
    if layout.stays_inside()
        && let Some(passes) = by_rank(layout, memory, width)
    {
        let accesses = (layout.places() / layout.size(Resource::Lane)) as u64 / vector as u64;
        return Ok(Passes {
            worst: passes,
            total: passes * accesses,
            accesses,
        });
    }
    Ok(by_enumeration(layout, memory, width))
}

fn check(layout: &Layout, memory: &Memory, width: Width) -> Result<(), LayoutError> {
    let Width {
        element,
        bytes,
        vector,
    } = width;
    if layout.rank() != memory.pitch().len() {
        return Err(LayoutError::Memory {
            wanted: "there must be a pitch for each dimension of the tile",
        });
    }
    let farthest = (0..layout.rank()).map(|axis| {
        let (low, high) = layout.reach(axis);
        i128::from(memory.pitch()[axis]) * i128::from(high.max(-low))
    });
    if farthest.sum::<i128>() > i128::from(OFFSET_LIMIT) {
        return Err(LayoutError::TooLarge {
            what: "the offset of an element",
            limit: OFFSET_LIMIT,
        });
    }
    let lanes = layout.size(Resource::Lane) as i64;
    if LANES % lanes != 0 {
        return Err(LayoutError::Indivisible {
            what: "lanes of a warp",
            number: LANES,
            over: "lanes of the layout",
            parts: lanes,
        });
    }
    let wrong = Err(LayoutError::Access { bytes });
    let is_size = |n: i64| (1..=WIDEST).contains(&n) && n.count_ones() == 1;
    if !is_size(element) || !is_size(bytes) {
        return wrong;
    }
    // A swizzle of lower bits would tear the elements of an access apart.
    if memory.xor().is_some_and(|xor| 1i64 << xor.base < vector) {
        return wrong;
    }
    if vector == 1 {
        return Ok(());
    }
    for resource in Resource::ALL {
        let lines = lines(layout, memory, resource);
        let together = match resource {
            Resource::Reg => vector as usize,
            _ => 1,
        };
        let adjacent = |chunk: &[i64]| {
            let line = (chunk[0]..).take(chunk.len());
            chunk[0] % vector == 0 && chunk.iter().copied().eq(line)
        };
        if !lines.len().is_multiple_of(together) || !lines.chunks(together).all(adjacent) {
            return wrong;
        }
    }
    Ok(())
}

/// For each index in a resource, what it adds to the offset before the swizzle.
fn lines(layout: &Layout, memory: &Memory, resource: Resource) -> Vec<i64> {
    let mut out = vec![0i64];
    for digit in layout.digits(resource) {
        let (step, below) = (memory.line(&digit.step), out.len());
        for value in 1..digit.radix {
            for n in 0..below {
                out.push(out[n] + step * value);
            }
        }
    }
    out
}

/// The passes of any access, where offsets are linear over bits.
///
/// The words of a part of the warp are a space of bits. All banks that are wanted are wanted
/// for as many words: two to the bits of words that the bits of banks do not tell apart.
fn by_rank(layout: &Layout, memory: &Memory, width: Width) -> Option<u64> {
    let f2 = layout.to_f2()?;
    let offsets = memory.to_f2(f2.coordinate_bits())?;
    let all = f2.matrix().then(&offsets)?;
    let word = |offset: u64| offset * width.element as u64 / BANK_BYTES as u64;
    // Of 32 lanes, the parts take the upper bits.
    let lane_bits = (LANES / width.parts()).ilog2() as usize;
    let lanes = f2.columns_of(Resource::Lane).take(lane_bits);
    let within = (0..width.parts().ilog2()).map(|bit| 1u64 << bit);
    let words: Vec<u64> = (lanes.map(|n| word(all.columns()[n])))
        .chain(within)
        .collect();
    let told_apart = rank(words.iter().map(|w| w % BANKS as u64));
    let missing = rank(words.iter().copied()) - told_apart;
    Some(width.parts() as u64 * (1 << missing))
}

/// The passes of every access, counted for each class of accesses alike.
fn by_enumeration(layout: &Layout, memory: &Memory, width: Width) -> Passes {
    let Width {
        element, vector, ..
    } = width;
    let lanes: Vec<i64> = lines(layout, memory, Resource::Lane);
    // Offsets that differ by a multiple of this are swizzled alike, and start a word alike.
    let swizzle = (memory.xor()).map_or(1, |x| 1i64 << (x.bits + x.base + x.shift));
    let period = swizzle.max(BANK_BYTES / element.min(BANK_BYTES));
    let inside = layout.stays_inside();
    let mut known: HashMap<i64, u64> = HashMap::new();
    let mut out = Passes::default();
    let [simd, reg, _, warp, block] = Resource::ALL.map(|r| {
        let step = if r == Resource::Reg {
            vector as usize
        } else {
            1
        };
        (0..layout.size(r)).step_by(step)
    });
    let starts = lines(layout, memory, Resource::Reg);
    let [simd_lines, warp_lines, block_lines] =
        [Resource::Simd, Resource::Warp, Resource::Block].map(|r| lines(layout, memory, r));
    for b in block {
        for w in warp.clone() {
            for s in simd.clone() {
                for r in reg.clone() {
                    let start = starts[r] + simd_lines[s] + warp_lines[w] + block_lines[b];
                    let count = |active: &dyn Fn(usize) -> bool| {
                        let at = |lane: usize| {
                            let line = start + lanes[lane % lanes.len()];
                            active(lane).then(|| memory.swizzled(line) * element)
                        };
                        passes(at, width)
                    };
                    let passes = if inside {
                        let class = start.rem_euclid(period);
                        *known.entry(class).or_insert_with(|| count(&|_| true))
                    } else {
                        count(&|lane| {
                            layout.contains(&layout.element(&Place {
                                simd: s,
                                reg: r,
                                lane,
                                warp: w,
                                block: b,
                            }))
                        })
                    };
                    out.worst = out.worst.max(passes);
                    out.total += passes;
                    out.accesses += 1;
                }
            }
        }
    }
    out
}

/// The passes of one access, from the address of each lane that takes part.
fn passes(address: impl Fn(usize) -> Option<i64>, width: Width) -> u64 {
    let parts = width.parts();
    let together = (LANES / parts) as usize;
    let mut out = 0;
    for part in 0..parts as usize {
        // No part wants more words than there are lanes.
        let (mut words, mut count) = ([0i64; LANES as usize], 0);
        for at in (part * together..(part + 1) * together).filter_map(&address) {
            for word in 0..parts {
                words[count] = at.div_euclid(BANK_BYTES) + word;
                count += 1;
            }
        }
        let words = &mut words[..count];
        words.sort_unstable();
        let mut wanted = [0u64; BANKS as usize];
        for (n, word) in words.iter().enumerate() {
            if n == 0 || words[n - 1] != *word {
                wanted[word.rem_euclid(BANKS) as usize] += 1;
            }
        }
        out += wanted.into_iter().max().unwrap_or(0);
    }
    out
}
