//! Functions of single precision as the lowering to PTX has them
//! (`targets/src/gpu_to_ptx/singles.rs`), on the emulator: over the whole range of
//! singles, one in 4093, and all special ones, against the C library in double
//! precision. The bounds are those of docs/math.md on the emulator, whose `2^x` is exact
//! to half a unit; that of a GPU may be off by up to two.

#[allow(dead_code)]
#[path = "nvcc_kernels/run.rs"]
mod run;

use run::{Arg, Data, compiled_text};
use terrace::dialects::math::function;
use terrace::targets::ptx::optimize::Level;

const BLOCKS: usize = 4096;
const COUNT: usize = BLOCKS * 256;

fn numbers() -> Vec<f32> {
    let mut v: Vec<f32> = (0..COUNT as u32)
        .map(|i| f32::from_bits(i.wrapping_mul(4093)))
        .collect();
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        f32::from_bits(1),
        f32::from_bits(0x8000_0001),
        f32::from_bits(0x007f_ffff),
        88.72,
        88.73,
        -87.33,
        -103.97,
        -104.0,
        4.0,
        -4.0,
    ];
    v[..special.len()].copy_from_slice(&special);
    // Densely where the functions are used most.
    for (i, x) in v[special.len()..COUNT / 4].iter_mut().enumerate() {
        *x = (i as f32 / (COUNT / 4) as f32 - 0.5) * 210.0;
    }
    for (i, x) in v[COUNT / 4..COUNT / 2].iter_mut().enumerate() {
        *x = i as f32 / (COUNT / 4) as f32 * 8.0 - 4.0;
    }
    v
}

/// The distance of `got` from the exact value, in units of the last place there.
fn error(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if rounded.is_nan() || rounded.is_infinite() || rounded == 0.0 {
        let same = got == rounded || (got.is_nan() && rounded.is_nan());
        let sign = rounded != 0.0 || got.is_sign_negative() == rounded.is_sign_negative();
        // The largest finite number beside infinity is off by one.
        let next = f64::from(rounded).is_infinite() && got.abs() == f32::MAX;
        return match (same && sign, next || got.abs() == f32::from_bits(1)) {
            (true, _) => 0.0,
            (false, true) => 1.0,
            _ => f64::INFINITY,
        };
    }
    let exponent = want.abs().log2().floor().max(-126.0);
    (f64::from(got) - want).abs() / 2f64.powf(exponent - 23.0)
}

/// The bound of a function on the emulator, in docs/math.md.
fn bound(op: &str) -> f64 {
    let page = include_str!("../docs/math.md");
    let table = page.split("| on the emulator | on an H200 |").nth(1);
    let quoted = format!("`{}`", op.trim_start_matches("math."));
    let rows = table.unwrap_or_default().lines();
    let found = rows
        .map(|l| l.split('|').map(str::trim).collect())
        .find(|r: &Vec<&str>| r.len() == 5 && r[1].split(", ").any(|n| n == quoted));
    let number = found.and_then(|r| r[2].parse().ok());
    number.unwrap_or_else(|| panic!("docs/math.md has no bound for {op}"))
}

#[track_caller]
fn check(op: &str) {
    let bound = bound(op);
    let text = format!(
        "gpu.module @m {{
  gpu.func @k(%x: memref<{COUNT}xf32>, %y: memref<{COUNT}xf32>)
      kernel attributes {{known_block_size = array<i32: 256, 1, 1>}} {{
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<{COUNT}xf32>
    %w = {op} %v : f32
    memref.store %w, %y[%i] : memref<{COUNT}xf32>
    gpu.return
  }}
}}"
    );
    let library = function(op).expect("a function of one float").f64;
    let xs = numbers();
    let args = [
        Arg::Buffer(Data::F32(xs.clone()), vec![COUNT]),
        Arg::Unwritten(4 * COUNT, vec![COUNT]),
    ];
    let binary = compiled_text("m.mlir", &text, Level::Default);
    let after = run::run(&binary, [BLOCKS as u32, 1, 1], [256, 1, 1], &args);
    let got = Data::F32(Vec::new()).numbers(&after[1]);
    let mut worst = (0.0, 0.0);
    for (x, got) in xs.iter().zip(got) {
        let want = library(f64::from(*x));
        let e = error(got as f32, want);
        if e > worst.0 {
            worst = (e, *x);
        }
        assert!(
            e <= bound,
            "{op}({x:e}) is {got:e} instead of {want:e}: {e:.2} ulp"
        );
    }
    println!("{op}: at most {:.3} ulp, at {:e}", worst.0, worst.1);
}

macro_rules! functions {
    ($($name:ident: $op:literal;)*) => { $(
        #[test]
        fn $name() {
            check($op);
        }
    )* };
}

functions! {
    exp: "math.exp";
    exp2: "math.exp2";
    log: "math.log";
    log2: "math.log2";
    rsqrt: "math.rsqrt";
    erf: "math.erf";
}
