//! How many instructions of threads the emulator runs in a second of one core, on
//! kernels that `nvcc -O3` compiled (`tests/Inputs/speed.cu`).
//!
//! `cargo run --release -p terrace-emulator --example speed` prints a line for each
//! kernel: millions of thread-instructions a second of the core's own time (other
//! work on the machine does not count), with all checks, without those for races,
//! and without any. `KERNEL` as an argument runs that one alone, for a profiler.

use std::time::Instant;
use terrace_emulator::{Checks, Config, Launch, Memory, Module, launch};

struct Case {
    name: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    /// Bytes of each array.
    arrays: &'static [u64],
    n: u32,
}

const CASES: [Case; 4] = [
    Case {
        name: "gemm_naive",
        grid: [4, 32, 1],
        block: [32, 4, 1],
        arrays: &[128 * 128 * 8; 3],
        n: 128,
    },
    Case {
        name: "gemm_tiled",
        grid: [12, 12, 1],
        block: [16, 16, 1],
        arrays: &[192 * 192 * 4; 3],
        n: 192,
    },
    Case {
        name: "jacobi",
        grid: [32, 128, 1],
        block: [32, 8, 1],
        arrays: &[1024 * 1024 * 4; 2],
        n: 1024,
    },
    Case {
        name: "reduction",
        grid: [64, 1, 1],
        block: [256, 1, 1],
        arrays: &[1 << 23, 4],
        n: 1 << 21,
    },
];

/// Nanoseconds that this thread has run, where the system tells.
fn own_time(start: Instant) -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat");
    let first = text
        .ok()
        .and_then(|t| t.split(' ').next().and_then(|n| n.parse().ok()));
    first.unwrap_or_else(|| start.elapsed().as_nanos() as u64)
}

/// Thread-instructions, and nanoseconds of one launch.
fn run(case: &Case, checks: Checks) -> (u64, u64) {
    let memory = Memory::new(1 << 30);
    let text = include_str!("../tests/Inputs/speed.ptx");
    let module = Module::load(&memory, text).unwrap_or_else(|e| panic!("{e}"));
    let mut params = Vec::new();
    for bytes in case.arrays {
        let at = memory.alloc(*bytes).expect("there is memory");
        let ones = 1.0f32.to_le_bytes();
        memory.fill(at, &ones, bytes / 4).expect("it is allocated");
        params.extend(at.to_le_bytes());
    }
    params.extend(case.n.to_le_bytes());
    let start = Instant::now();
    let mut best = u64::MAX;
    let mut instructions = 0;
    for _ in 0..5 {
        let before = own_time(start);
        let run = Launch {
            kernel: module.kernel(case.name).expect("it is in the text"),
            config: Config {
                grid: case.grid,
                block: case.block,
                shared_bytes: 0,
            },
            params: &params,
        };
        let outcome = launch(&memory, &run, &checks).expect("it can be launched");
        assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
        best = best.min(own_time(start) - before);
        instructions = outcome.counts.threads();
    }
    (instructions, best)
}

fn main() {
    let all = Checks {
        threads: 1,
        ..Checks::default()
    };
    let no_races = Checks {
        races: false,
        ..all
    };
    let none = Checks {
        races: false,
        uninitialized: false,
        registers: false,
        ..all
    };
    let only = std::env::args().nth(1);
    println!(
        "{:12} {:>13} {:>12} {:>12} {:>12}",
        "kernel", "instructions", "all checks", "no races", "no checks"
    );
    for case in CASES
        .iter()
        .filter(|c| only.as_ref().is_none_or(|n| n == c.name))
    {
        let rate = |checks| {
            let (instructions, time) = run(case, checks);
            (instructions, instructions as f64 * 1e3 / time as f64)
        };
        let (instructions, a) = rate(all);
        println!(
            "{:12} {instructions:>13} {a:>12.1} {:>12.1} {:>12.1}",
            case.name,
            rate(no_races).1,
            rate(none).1
        );
    }
}
