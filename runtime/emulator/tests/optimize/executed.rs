//! How many instructions threads execute: kernels as lowering makes them, what
//! the optimiser makes of them, and what nvcc -O3 makes of the same kernels
//! in CUDA (`benches/gpu/nvcc/kernels`, at their small sizes). Instructions of
//! PTX are not those of the machine, but what loops and addresses cost beside
//! the work is much the same in both.

use super::{Change, changed, floats};
use terrace_emulator::{Config, Launch, Memory, Module, launch};

/// A parameter of a kernel.
#[derive(Clone)]
enum Param {
    Buffer(Vec<u8>),
    Number(u64),
}

use Param::{Buffer, Number};

/// A kernel: how it is launched, its parameters as terrace lays them out, and
/// which of those CUDA's version has.
struct Work {
    name: &'static str,
    lowered: &'static str,
    nvcc: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    params: Vec<Param>,
    in_cuda: Vec<usize>,
    /// Most instructions for each hundred of nvcc's.
    most: u64,
}

/// Instructions of threads, and the buffers afterwards.
fn run(work: &Work, text: &str, params: &[Param]) -> (u64, Vec<Vec<u8>>) {
    let memory = Memory::new(1 << 30);
    let module = Module::load(&memory, text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = module.kernel(work.name).expect("a kernel");
    assert_eq!(kernel.parameters.len(), params.len(), "{}", work.name);
    let mut bytes = vec![0; kernel.parameter_bytes as usize];
    let mut buffers = Vec::new();
    for (param, place) in params.iter().zip(&kernel.parameters) {
        let value = match param {
            Number(n) => *n,
            Buffer(contents) => {
                let at = memory.alloc(contents.len() as u64).unwrap();
                memory.write(at, contents).unwrap();
                buffers.push((at, contents.len()));
                at
            }
        };
        let (at, n) = (place.offset as usize, place.bytes as usize);
        bytes[at..at + n].copy_from_slice(&value.to_le_bytes()[..n]);
    }
    let run = Launch {
        kernel,
        config: Config {
            grid: work.grid,
            block: work.block,
            shared_bytes: 0,
        },
        params: &bytes,
    };
    let outcome = launch(&memory, &run, &Default::default()).unwrap();
    assert!(
        outcome.completed && outcome.findings.is_empty(),
        "{}\n{text}",
        super::common::listing(&outcome)
    );
    let read = |(at, n)| {
        let mut out = vec![0; n];
        memory.read(at, &mut out).unwrap();
        out
    };
    (
        outcome.counts.threads(),
        buffers.into_iter().map(read).collect(),
    )
}

fn check(work: &Work) {
    let all: Vec<Param> = work.params.clone();
    let of = |i: &usize| all[*i].clone();
    let in_cuda: Vec<Param> = work.in_cuda.iter().map(of).collect();
    let (before, first) = run(work, work.lowered, &all);
    let (after, second) = run(work, &changed(work.lowered, Change::All), &all);
    let (nvcc, _) = run(work, work.nvcc, &in_cuda);
    println!("| {} | {before} | {after} | {nvcc} |", work.name);
    assert_eq!(first, second, "{}: bit for bit", work.name);
    assert!(
        after * 100 <= nvcc * work.most,
        "{}: {after} instructions of threads, nvcc {nvcc}",
        work.name
    );
}

macro_rules! texts {
    ($name:literal) => {
        (
            include_str!(concat!("../Inputs/executed/", $name, ".lowered.ptx")),
            include_str!(concat!("../Inputs/executed/", $name, ".nvcc.ptx")),
        )
    };
}

/// A memref of two dimensions: pointer, sizes, stride.
fn matrix(contents: Vec<u8>, rows: u64, columns: u64) -> [Param; 4] {
    [
        Buffer(contents),
        Number(rows),
        Number(columns),
        Number(columns),
    ]
}

fn doubles(n: usize) -> Vec<u8> {
    (0..n)
        .flat_map(|i| ((i * 7 % 31) as f64 / 8.0).to_le_bytes())
        .collect()
}

#[test]
fn a_plain_product() {
    let (lowered, nvcc) = texts!("gemm_naive");
    let (m, n, k) = (24u64, 64u64, 50u64);
    let at = |x: u64, y: u64, seed| floats((x * y) as usize, seed);
    let mut params = vec![Number(m), Number(n), Number(k)];
    params.extend(matrix(at(m, k, 1), m, k));
    params.extend(matrix(at(k, n, 2), k, n));
    params.extend(matrix(vec![0; (m * n * 4) as usize], m, n));
    check(&Work {
        name: "gemm_naive",
        lowered,
        nvcc,
        grid: [2, 3, 1],
        block: [32, 8, 1],
        params,
        in_cuda: vec![0, 1, 2, 3, 7, 11],
        most: 105,
    });
}

#[test]
fn a_product_through_tiles() {
    let (lowered, nvcc) = texts!("gemm_tiled");
    let params = [1, 2].map(|seed| Buffer(floats(64 * 64, seed)));
    check(&Work {
        name: "gemm_tiled",
        lowered,
        nvcc,
        grid: [2, 2, 1],
        block: [32, 32, 1],
        params: params
            .into_iter()
            .chain([Buffer(vec![0; 64 * 64 * 4])])
            .collect(),
        in_cuda: vec![0, 1, 2],
        most: 80,
    });
}

#[test]
fn a_product_in_registers() {
    let (lowered, nvcc) = texts!("gemm_block");
    let params = [1, 2].map(|seed| Buffer(floats(128 * 128, seed)));
    check(&Work {
        name: "gemm_block",
        lowered,
        nvcc,
        grid: [1, 1, 1],
        block: [256, 1, 1],
        params: params
            .into_iter()
            .chain([Buffer(vec![0; 128 * 128 * 4])])
            .collect(),
        in_cuda: vec![0, 1, 2],
        most: 107,
    });
}

#[test]
fn five_points() {
    let (lowered, nvcc) = texts!("jacobi2d");
    let n = 66u64;
    let mut params = vec![Number(n)];
    params.extend(matrix(doubles(66 * 66), n, n));
    params.extend(matrix(doubles(66 * 66), n, n));
    check(&Work {
        name: "jacobi2d",
        lowered,
        nvcc,
        grid: [2, 8, 1],
        block: [32, 8, 1],
        params,
        in_cuda: vec![0, 1, 5],
        most: 130,
    });
}

#[test]
fn bodies_through_a_tile() {
    let (lowered, nvcc) = texts!("nbody");
    let n = 512u64;
    let size = n * 4;
    check(&Work {
        name: "nbody",
        lowered,
        nvcc,
        grid: [2, 1, 1],
        block: [256, 1, 1],
        params: vec![
            Number(n),
            Buffer(floats(size as usize, 3)),
            Number(size),
            Buffer(vec![0; size as usize * 4]),
            Number(size),
        ],
        in_cuda: vec![0, 1, 3],
        most: 125,
    });
}
