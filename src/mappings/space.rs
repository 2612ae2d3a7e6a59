//! The grid of choices.

use crate::passes::gpu::map::policy::permutations;
use std::fmt;

/// How the iterations that a thread does lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Next to each other.
    Blocked,
    /// As far apart as there are threads along the loop.
    Cyclic,
    /// Next to each other, in loops inside the serial ones.
    Inside,
}

/// How many iterations of each parallel loop a thread does one after another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tiles {
    /// For each parallel loop, from the outside in as the program has them.
    pub sizes: Vec<u64>,
    pub kind: Kind,
}

impl fmt::Display for Tiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes.iter().map(u64::to_string).collect();
        let kind = match self.kind {
            Kind::Blocked => "",
            Kind::Cyclic => " cyclic",
            Kind::Inside => " inside",
        };
        write!(f, "{}{kind}", sizes.join("."))
    }
}

/// A mapping: a point of the grid.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// The parallel loops, by their places in the program; the last runs along x, the one
    /// before it along y, then z.
    pub order: Vec<usize>,
    pub tiles: Tiles,
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
}

impl Mapping {
    /// `j.i`: the loops from that along the last dimension to that along x.
    pub fn permutation(&self, loops: &[String]) -> String {
        let name = |k: &usize| loops.get(*k).map_or("?", String::as_str);
        self.order.iter().map(name).collect::<Vec<_>>().join(".")
    }

    /// `32x8x1`.
    pub fn block_text(&self) -> String {
        self.block.map(|n| n.to_string()).join("x")
    }
}

const BLOCKS_1: &[u32] = &[
    256, 32, 64, 96, 128, 160, 192, 224, 288, 320, 384, 448, 512, 576, 640, 768, 832, 896, 1024,
];

const BLOCKS_2: &[[u32; 2]] = &[
    [32, 8],
    [1, 256],
    [2, 64],
    [4, 64],
    [8, 8],
    [8, 32],
    [16, 4],
    [16, 16],
    [16, 64],
    [32, 1],
    [32, 4],
    [32, 32],
    [64, 1],
    [64, 4],
    [128, 2],
    [256, 1],
    [256, 4],
    [1024, 1],
];

const BLOCKS_3: &[[u32; 3]] = &[
    [32, 4, 2],
    [256, 1, 1],
    [128, 2, 1],
    [64, 4, 1],
    [32, 8, 1],
    [16, 4, 4],
    [8, 8, 4],
    [4, 8, 8],
    [32, 8, 4],
];

/// The mappings of a kernel with so many parallel loops (1 to 3) and serial ones in the
/// perfect nest. The first is the loops as they stand in blocks of 256 threads; those with
/// the same loops stand together.
pub fn mappings(parallel: usize, serial: usize) -> Vec<Mapping> {
    let blocks: Vec<[u32; 3]> = match parallel {
        1 => BLOCKS_1.iter().map(|x| [*x, 1, 1]).collect(),
        2 => BLOCKS_2.iter().map(|[x, y]| [*x, *y, 1]).collect(),
        _ => BLOCKS_3.to_vec(),
    };
    let mut out = Vec::new();
    for order in permutations(parallel) {
        for tiles in tiles(parallel, serial) {
            out.extend(blocks.iter().map(|block| Mapping {
                order: order.clone(),
                tiles: tiles.clone(),
                block: *block,
            }));
        }
    }
    out
}

fn tiles(parallel: usize, serial: usize) -> Vec<Tiles> {
    use Kind::{Blocked, Cyclic, Inside};
    let choices: &[(&[u64], Kind)] = match (parallel, serial) {
        (1, 0) => &[
            (&[1], Blocked),
            (&[2], Blocked),
            (&[4], Blocked),
            (&[8], Blocked),
            (&[16], Blocked),
            (&[32], Blocked),
            (&[2], Cyclic),
            (&[4], Cyclic),
            (&[8], Cyclic),
            (&[16], Cyclic),
            (&[32], Cyclic),
        ],
        (1, _) => &[
            (&[1], Blocked),
            (&[2], Blocked),
            (&[4], Blocked),
            (&[8], Blocked),
            (&[16], Blocked),
            (&[2], Cyclic),
            (&[4], Cyclic),
            (&[8], Cyclic),
            (&[16], Cyclic),
            (&[2], Inside),
            (&[4], Inside),
        ],
        (2, 0) => &[
            (&[1, 1], Blocked),
            (&[4, 1], Blocked),
            (&[1, 4], Blocked),
            (&[2, 2], Blocked),
            (&[4, 1], Cyclic),
            (&[1, 4], Cyclic),
        ],
        (2, _) => &[
            (&[1, 1], Blocked),
            (&[4, 1], Blocked),
            (&[1, 4], Blocked),
            (&[2, 2], Blocked),
            (&[4, 1], Inside),
            (&[2, 2], Inside),
        ],
        _ => &[
            (&[1, 1, 1], Blocked),
            (&[4, 1, 1], Blocked),
            (&[1, 4, 1], Blocked),
            (&[1, 1, 4], Cyclic),
        ],
    };
    let make = |(sizes, kind): &(&[u64], Kind)| Tiles {
        sizes: sizes.to_vec(),
        kind: *kind,
    };
    choices.iter().map(make).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_grid_has_two_hundred_points() {
        for (parallel, serial) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0)] {
            let all = mappings(parallel, serial);
            let distinct: HashSet<&Mapping> = all.iter().collect();
            assert!(all.len() >= 200 && distinct.len() == all.len());
            assert!(all[0].order.is_sorted() && all[0].tiles.sizes.iter().all(|s| *s == 1));
            assert!(all.iter().all(|m| m.block.iter().product::<u32>() <= 1024));
        }
    }

    #[test]
    fn permutations_are_all_of_them() {
        assert_eq!(permutations(2), [[0, 1], [1, 0]]);
        let three: HashSet<Vec<usize>> = permutations(3).into_iter().collect();
        assert_eq!(three.len(), 6);
    }

    #[test]
    fn a_mapping_as_text() {
        let m = &mappings(3, 0)[9 * 3];
        let loops = ["i", "j", "k"].map(String::from);
        assert_eq!(m.permutation(&loops), "i.j.k");
        assert_eq!(
            (m.tiles.to_string(), m.block_text()),
            ("1.1.4 cyclic".into(), "32x4x2".into())
        );
    }
}
