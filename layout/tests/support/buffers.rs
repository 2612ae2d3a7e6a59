//! Random buffers, and what accesses to them cost, by the definition.

// Each test file uses its part of this.
#![allow(dead_code)]

use crate::support::{covering, meaning, places};
use std::collections::{BTreeMap, BTreeSet};
use terrace_layout::{Layout, Memory, Passes, Resource, Xor};
use terrace_lit::random::Random;

pub fn any_memory(rng: &mut Random, shape: &[i64]) -> Memory {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    rng.shuffle(&mut order);
    let pad = *rng.pick(&[0, 0, 1, 2, 4, 8]);
    let bits = rng.between(1, 3) as u32;
    let xor = Xor {
        bits,
        base: rng.between(0, 4) as u32,
        shift: rng.between(i64::from(bits), 6) as u32,
    };
    let xor = rng.one_in(2).then_some(xor);
    let out = Memory::padded(shape, &order, pad).unwrap();
    out.with_xor(xor)
        .unwrap()
        .with_slots(rng.between(1, 4))
        .unwrap()
}

/// The passes by the definition: for each access of each warp, part after part, the most
/// different words that one bank has to give.
pub fn counted(l: &Layout, m: &Memory, element_bytes: i64, vector: i64) -> Passes {
    let bytes = element_bytes * vector;
    let parts = (bytes / 4).max(1);
    let mut out = Passes::default();
    for place in places(l) {
        if place.lane != 0 || place.reg % vector as usize != 0 {
            continue;
        }
        let mut passes = 0;
        for part in 0..parts {
            let mut banks: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
            for lane in part * 32 / parts..(part + 1) * 32 / parts {
                let at = place.with(Resource::Lane, lane as usize % l.size(Resource::Lane));
                let element = meaning(l, &at);
                if l.contains(&element) {
                    let first = m.offset(&element) * element_bytes / 4;
                    for word in first..first + parts {
                        banks.entry(word % 32).or_default().insert(word);
                    }
                }
            }
            passes += banks.values().map(|words| words.len()).max().unwrap_or(0) as u64;
        }
        out.worst = out.worst.max(passes);
        out.total += passes;
        out.accesses += 1;
    }
    out
}

/// Whether all accesses are adjacent and aligned, by the definition.
pub fn is_access(l: &Layout, m: &Memory, vector: i64) -> bool {
    l.size(Resource::Reg).is_multiple_of(vector as usize)
        && places(l).iter().all(|place| {
            let within = place.reg % vector as usize;
            let first = place.with(Resource::Reg, place.reg - within);
            let start = m.offset(&meaning(l, &first));
            start % vector == 0 && m.offset(&meaning(l, place)) == start + within as i64
        })
}

const GPU: [Resource; 4] = [Resource::Reg, Resource::Reg, Resource::Lane, Resource::Warp];

/// A layout with 32 lanes or some divisor of them.
pub fn of_a_warp(rng: &mut Random) -> Layout {
    let shapes: [&[i64]; 8] = [
        &[64],
        &[32, 8],
        &[16, 16],
        &[16, 12],
        &[24, 8],
        &[4, 8, 8],
        &[8, 128],
        &[96],
    ];
    loop {
        let shape = *rng.pick(&shapes);
        let l = match rng.one_in(2) {
            true => covering(rng, shape, &GPU),
            false => {
                // The registers first, as an access has them.
                let fastest = rng.between(0, shape.len() as i64 - 1) as usize;
                let mut order: Vec<usize> = (0..shape.len()).collect();
                order.swap(0, fastest);
                let vector = *rng.pick(&[1, 2, 4]);
                match Layout::blocked(shape, &order, vector, 64) {
                    Ok(l) => l,
                    Err(_) => continue,
                }
            }
        };
        if 32 % l.size(Resource::Lane) == 0 {
            return l;
        }
    }
}
