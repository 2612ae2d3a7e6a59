//! The kernels that are timed beside nvcc's (`benches/gpu/nvcc`), on the emulator: at
//! each level of the optimiser what they compute agrees with a plain loop here, at those
//! that fuse products and sums bit for bit with each other, and the emulator finds
//! nothing wrong.

#[path = "nvcc_kernels/linear_algebra.rs"]
mod linear_algebra;
#[path = "nvcc_kernels/other.rs"]
mod other;
#[path = "nvcc_kernels/run.rs"]
mod run;
#[path = "nvcc_kernels/stencils.rs"]
mod stencils;

use run::{Arg, Data, compiled, run, source};
use terrace::targets::ptx::optimize::Level;

/// What a kernel is run on, and what must come out.
struct Case {
    name: &'static str,
    grid: [usize; 3],
    block: [u32; 3],
    args: Vec<Arg>,
    /// Arguments and their contents afterwards.
    expected: Vec<(usize, Data)>,
    /// Allowed `|a - b| / max(|b|, 1)`.
    tolerance: f64,
    /// Share of the elements that may be further off.
    outliers: f64,
    /// Blocks add to memory in any order, so runs differ in the last bits.
    any_order: bool,
}

impl Case {
    fn new(name: &'static str, grid: [usize; 3], block: [u32; 3]) -> Case {
        Case {
            name,
            grid,
            block,
            args: Vec::new(),
            expected: Vec::new(),
            tolerance: 0.0,
            outliers: 0.0,
            any_order: false,
        }
    }

    fn check(&self) {
        let grid = self.grid.map(|n| u32::try_from(n).expect("a small grid"));
        let mut first: Option<Vec<Vec<u8>>> = None;
        for level in [Level::None, Level::Less, Level::Default] {
            let name = format!("{} at {level:?}", self.name);
            // Without the optimiser products and sums stay apart: another rounding.
            let apart = level == Level::None;
            let tolerance = self.tolerance.max(if apart { 1e-5 } else { 0.0 });
            let binary = compiled(self.name, level);
            let after = run(&binary, grid, self.block, &self.args);
            for (arg, want) in &self.expected {
                let found = want.numbers(&after[*arg]);
                let wanted = want.numbers(&want.bytes());
                assert_eq!(found.len(), wanted.len(), "{name}: argument {arg}");
                let wrong: Vec<usize> = (0..found.len())
                    .filter(|i| {
                        let (f, w) = (found[*i], wanted[*i]);
                        let near = (f - w).abs() <= tolerance * w.abs().max(1.0);
                        !near && f.to_bits() != w.to_bits()
                    })
                    .collect();
                let most = (self.outliers * found.len() as f64) as usize;
                if let Some(i) = wrong.first().filter(|_| wrong.len() > most) {
                    panic!(
                        "{name}: argument {arg}: {} of {} differ, the first at {i}: {} for {}\n{}",
                        wrong.len(),
                        found.len(),
                        found[*i],
                        wanted[*i],
                        binary.ptx
                    );
                }
            }
            match &first {
                _ if apart => {}
                None => first = Some(after),
                Some(f) if !self.any_order => {
                    assert!(*f == after, "{name}: other bits than at Less")
                }
                Some(_) => {}
            }
        }
    }
}

/// A generator of numbers that is the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    fn f32s(&mut self, n: usize, low: f64, high: f64) -> Vec<f32> {
        (0..n).map(|_| self.between(low, high) as f32).collect()
    }

    fn f64s(&mut self, n: usize, low: f64, high: f64) -> Vec<f64> {
        (0..n).map(|_| self.between(low, high)).collect()
    }

    fn i32s(&mut self, n: usize, low: i32, high: i32) -> Vec<i32> {
        let count = u64::from(high.abs_diff(low));
        (0..n)
            .map(|_| low + i32::try_from(self.next() % count).expect("small"))
            .collect()
    }
}

/// A buffer argument of floats.
fn f32s(v: &[f32], sizes: &[usize]) -> Arg {
    Arg::Buffer(Data::F32(v.to_vec()), sizes.to_vec())
}

fn f64s(v: &[f64], sizes: &[usize]) -> Arg {
    Arg::Buffer(Data::F64(v.to_vec()), sizes.to_vec())
}

fn i32s(v: &[i32], sizes: &[usize]) -> Arg {
    Arg::Buffer(Data::I32(v.to_vec()), sizes.to_vec())
}

/// A size as an argument.
fn int(n: usize) -> Arg {
    Arg::Int(i32::try_from(n).expect("a small size"))
}

/// The small size of a name in a kernel's text.
fn size(kernel: &str, name: &str) -> usize {
    let sizes = source(kernel).1;
    let found = sizes.iter().find(|(n, _)| n == name);
    found.unwrap_or_else(|| panic!("{kernel} has no {name}")).1
}

/// Every kernel has both texts and a test.
#[test]
fn none_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/gpu/nvcc");
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/test/nvcc_kernels");
    let read = |path: &std::path::Path| std::fs::read_to_string(path).expect("a text");
    let table = read(std::path::Path::new(&format!("{folder}/table.h")));
    let tests: String = std::fs::read_dir(here)
        .expect("the tests")
        .map(|f| read(&f.expect("a file").path()))
        .collect();
    let mut kernels = 0;
    for file in std::fs::read_dir(format!("{folder}/kernels")).expect("the kernels") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|e| e != "mlir") {
            continue;
        }
        kernels += 1;
        let name = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        assert!(path.with_extension("cu").exists(), "{name} has no CUDA C");
        assert!(
            table.contains(&format!("{{\"{name}\",")),
            "{name} is not in the table"
        );
        assert!(
            tests.contains(&format!("fn {name}()")),
            "{name} has no test"
        );
    }
    assert!(kernels >= 20, "{kernels} kernels");
}
