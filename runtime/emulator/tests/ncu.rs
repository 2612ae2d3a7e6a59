//! Counts of memory requests against what ncu counts on a GPU, for kernels that
//! `nvcc` compiled (benches/gpu/counts).

mod common;

use common::{Device, clean};
use terrace_emulator::{Checks, Config, Launch, launch};

const N: u32 = 1024;

/// Kernel, grid, block, elements of 4 bytes that its first pointer is moved by.
const LAUNCHES: [(&str, [u32; 3], [u32; 3], u64); 12] = [
    ("unit", [64, 1, 1], [256, 1, 1], 1),
    ("strided", [64, 1, 1], [256, 1, 1], 0),
    ("broadcast", [64, 1, 1], [256, 1, 1], 0),
    ("transposed", [32, 128, 1], [32, 8, 1], 0),
    ("vectors", [64, 1, 1], [256, 1, 1], 0),
    ("stencil2d", [32, 128, 1], [32, 8, 1], 0),
    ("stencil3d", [3, 16, 16], [32, 4, 4], 0),
    ("tile_plain", [32, 32, 1], [32, 8, 1], 0),
    ("tile_padded", [32, 32, 1], [32, 8, 1], 0),
    ("shared_wide", [64, 1, 1], [256, 1, 1], 0),
    ("gathered", [64, 1, 1], [256, 1, 1], 0),
    ("records", [64, 1, 1], [256, 1, 1], 0),
];

#[test]
fn counts_are_those_of_the_profiler() {
    let device = Device::new(include_str!("Inputs/counts.ptx"));
    let bytes = 32 << 20;
    let a = device.memory.alloc(bytes).unwrap();
    device.memory.fill(a, &[0; 8], bytes / 8).unwrap();
    let b = device.memory.alloc(bytes).unwrap();
    let order: Vec<u32> = (0..N * N).map(|i| i.wrapping_mul(7919) % 100_003).collect();
    let at = device.u32s(&order);
    let measured = include_str!("Inputs/counts.txt");
    let mut wrong = Vec::new();
    for (name, grid, block, moved) in LAUNCHES {
        let kernel = device.module.kernel(name).unwrap();
        let mut params = vec![a + 4 * moved, b];
        if name == "gathered" {
            params.insert(1, at);
        }
        let params: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let run = Launch {
            kernel,
            config: Config {
                grid,
                block,
                shared_bytes: 0,
            },
            params: &params,
        };
        let outcome = launch(&device.memory, &run, &Checks::default()).unwrap();
        clean(&outcome);
        let c = outcome.counts;
        let ours = [
            c.loads.requests,
            c.loads.sectors,
            c.stores.requests,
            c.stores.sectors,
            c.shared_loads.wavefronts,
            c.shared_loads.conflicts,
            c.shared_stores.wavefronts,
            c.shared_stores.conflicts,
        ];
        let line = measured
            .lines()
            .find(|l| l.split(' ').next() == Some(name))
            .unwrap();
        let theirs: Vec<u64> = line
            .split(' ')
            .skip(1)
            .map(|n| n.parse().unwrap())
            .collect();
        if ours[..] != theirs[..] {
            wrong.push(format!("{name}: counted {ours:?}, ncu {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
