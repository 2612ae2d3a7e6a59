//! The functions that `expand-math-for-gpu` computes by arithmetic, against the C
//! library: within the bounds of docs/math.md in units in the last place, special
//! values, the same bits in kernels on the emulator, and the text that NVIDIA's
//! assembler takes.

#[path = "../benches/gpu/math/claims.rs"]
mod claims;
#[path = "../benches/gpu/math/functions.rs"]
#[allow(dead_code)]
mod functions;
#[path = "gpu_math/integer_powers.rs"]
mod integer_powers;
#[path = "../benches/gpu/math/programs.rs"]
#[allow(dead_code)]
mod programs;

use claims::CLAIMS;
use functions::{FUNCTIONS, Function, Numbers, SPECIAL_SINGLES, Tally};
use programs::{Native, kernels};

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use terrace::dialects::math::function;
use terrace::run::bind::Value as Argument;
use terrace::run::executor::Program;
use terrace::run::make;
use terrace::run::options::{RunOptions, Target};
use terrace::runtime::buffer::HostBuffer;
use terrace::runtime::dtype::{DType, Scalar};
use terrace::targets::gpu_to_ptx::{self, GpuOptions};
use terrace::targets::interp::Interpreter;
use terrace::targets::ptx::ptxas::Ptxas;

/// A function of one or two arguments, over arrays of them.
fn program(op: &str, ty: &str, the_loop: &str) -> String {
    let (op, flags) = op.split_once(' ').unwrap_or((op, ""));
    let binary = ["math.powf", "math.atan2", "arith.remf", "arith.divf"].contains(&op);
    let operands = if binary { "%a, %b" } else { "%a" };
    format!(
        "func.func @main(%x: memref<?x{ty}>, %y: memref<?x{ty}>, %r: memref<?x{ty}>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {the_loop} {{
    %a = memref.load %x[%i] : memref<?x{ty}>
    %b = memref.load %y[%i] : memref<?x{ty}>
    %v = {op} {operands} {flags} : {ty}
    memref.store %v, %r[%i] : memref<?x{ty}>
  }}
  return
}}"
    )
}

/// The kernel of a function as PTX on the emulator, for each pair; nothing may be wrong
/// with it.
fn emulated(op: &str, ty: &str, pairs: &[(f64, f64)]) -> Vec<f64> {
    let text = program(op, ty, "scf.parallel (%i) = (%c0) to (%n) step (%c1)");
    let p = Program::new("math.mlir", &text).unwrap_or_else(|d| panic!("{d:?}"));
    let entry = p.entry(Some("main")).expect("the entry");
    let options = RunOptions {
        target: Target::Emulator,
        ..RunOptions::default()
    };
    let mut run = make(p, &entry, &options).unwrap_or_else(|e| panic!("{op} on {ty}: {e}"));
    let array = |values: Vec<f64>| {
        let shape = [values.len()];
        let buffer = match ty {
            "f32" => {
                let narrow: Vec<f32> = values.iter().map(|v| *v as f32).collect();
                HostBuffer::from_slice(&shape, &narrow)
            }
            _ => HostBuffer::from_slice(&shape, &values),
        };
        Argument::Array(buffer.expect("there is memory"))
    };
    let x: Vec<f64> = pairs.iter().map(|p| p.0).collect();
    let n = Scalar::from_bits(DType::Index, pairs.len() as u64);
    let mut args = vec![
        array(x.clone()),
        array(pairs.iter().map(|p| p.1).collect()),
        array(x),
        Argument::Scalar(n),
    ];
    if let Err(d) = run.call(&mut args) {
        panic!("{op} on {ty}: {d:?}");
    }
    let Argument::Array(out) = &args[2] else {
        panic!("the results are no array");
    };
    (0..pairs.len())
        .map(|i| out.get_f64(i).expect("a result"))
        .collect()
}

const SHORT: [&str; 6] = [
    "math.erf",
    "math.exp",
    "math.exp2",
    "math.log",
    "math.log2",
    "math.rsqrt",
];

/// What the expanded IR gives, which the kernel must give to the last bit.
#[track_caller]
fn expanded(op: &str, ty: &str, pairs: &[(f64, f64)]) -> Vec<f64> {
    let kernel = emulated(op, ty, pairs);
    // Those that the lowering has in a few instructions are not expanded there.
    if ty == "f32" && SHORT.contains(&op) {
        return kernel;
    }
    let interpreted = interpreted(op, ty, pairs);
    for ((p, a), b) in pairs.iter().zip(&interpreted).zip(&kernel) {
        assert!(
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            "{op} on {ty} of {p:?}: the kernel gives {b:e}, the expanded IR {a:e}"
        );
    }
    interpreted
}

/// The expanded IR in the interpreter, for each pair.
fn interpreted(op: &str, ty: &str, pairs: &[(f64, f64)]) -> Vec<f64> {
    let bytes = if ty == "f32" { 4 } else { 8 };
    let text = program(op, ty, "scf.for %i = %c0 to %n step %c1");
    let mut p = Program::new("math.mlir", &text).unwrap_or_else(|d| panic!("{d:?}"));
    p.run_pipeline("builtin.module(expand-math-for-gpu{everywhere=true},canonicalize,cse)")
        .unwrap_or_else(|d| panic!("{d:?}"));
    assert!(!p.text().contains(op), "{op} is still there");
    let encode = |values: Vec<f64>| -> Vec<u8> {
        let one = |v: f64| match bytes {
            4 => (v as f32).to_le_bytes().to_vec(),
            _ => v.to_le_bytes().to_vec(),
        };
        values.into_iter().flat_map(one).collect()
    };
    let mut interp = Interpreter::new(&p.ctx, p.module);
    let elem = if bytes == 4 { p.ctx.f32() } else { p.ctx.f64() };
    let ty = p.ctx.memref(&[i64::MIN], elem);
    let n = pairs.len() as i64;
    let x = encode(pairs.iter().map(|p| p.0).collect());
    let y = encode(pairs.iter().map(|p| p.1).collect());
    let arrays: Vec<_> = [x.clone(), y, x]
        .iter()
        .map(|b| {
            interp
                .array(ty, &[n], b)
                .unwrap_or_else(|e| panic!("{e:?}"))
        })
        .collect();
    let mut args = arrays.clone();
    args.push(terrace::targets::interp::Value::Index(n));
    interp
        .call("main", args)
        .unwrap_or_else(|e| panic!("{op}: {e:?}"));
    let out = interp.read_array(&arrays[2]).expect("the results");
    out.bytes
        .chunks(bytes)
        .map(|c| match bytes {
            4 => f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]])),
            _ => f64::from_le_bytes(c.try_into().expect("eight bytes")),
        })
        .collect()
}

/// Distance in units in the last place; NaNs are equal.
fn ulps(a: f64, b: f64) -> u64 {
    let order = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => order(a).abs_diff(order(b)),
        _ => u64::MAX,
    }
}

const COUNT: usize = 4000;

/// Numbers in `low..high`, some of any size with the sign of each end, and special ones.
fn samples(low: f64, high: f64) -> Vec<f64> {
    let mut g = Numbers(low.to_bits() ^ high.to_bits());
    let mut v: Vec<f64> = (0..COUNT).map(|_| g.between(low, high)).collect();
    for _ in 0..COUNT / 4 {
        let any = f64::from_bits(g.bits());
        if any.is_finite() {
            v.push(any);
        }
        // Near one and near zero.
        v.push(1.0 + g.between(-1e-3, 1e-3));
        v.push(g.between(-1e-9, 1e-9));
        v.push(g.between(-3.0, 3.0));
    }
    v.extend(SPECIAL);
    v
}

const SPECIAL: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    3.0,
    1e300,
    -1e300,
    1e-310,
    -1e-310,
    5e-324,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    709.9,
    -745.2,
    1e8,
    1073741824.0,
];

/// The bounds of a function in docs/math.md: in `f64` and in `f32`.
fn bounds(name: &str) -> (f64, f64) {
    let page = include_str!("../docs/math.md");
    let quoted = format!("`{name}`");
    let rows = page.lines().map(|l| l.split('|').map(str::trim).collect());
    let row = rows
        .filter(|r: &Vec<&str>| r.len() == 5)
        .find(|r| r[1].split(", ").any(|n| n == quoted));
    let numbers = row.and_then(|r| Some((r[2].parse().ok()?, r[3].parse().ok()?)));
    numbers.unwrap_or_else(|| panic!("docs/math.md has no bounds for {name}"))
}

#[track_caller]
fn check(op: &str, low: f64, high: f64) {
    let (double, single) = bounds(op.trim_start_matches("math."));
    let bound = double as u64;
    let library = function(op).expect("a function of one float").f64;
    // The port of acosh gives numbers where there is no cosine.
    let reference = |x: f64| match op == "math.acosh" && x < 1.0 {
        true => f64::NAN,
        false => library(x),
    };
    let xs = samples(low, high);
    let pairs: Vec<(f64, f64)> = xs.iter().map(|x| (*x, 0.0)).collect();
    let mut worst = (0, 0.0);
    for (x, got) in xs.iter().zip(expanded(op, "f64", &pairs)) {
        let want = reference(*x);
        let d = ulps(got, want);
        if d > worst.0 {
            worst = (d, *x);
        }
        let zero = want == 0.0 && got == 0.0 && want.is_sign_negative() != got.is_sign_negative();
        assert!(
            d <= bound && !zero,
            "{op}({x:e}) is {got:e} instead of {want:e}: {d} ulp"
        );
    }
    println!("{op}: at most {} ulp, at {:e}", worst.0, worst.1);
    // Narrower floats are rounded once more.
    let pairs: Vec<(f64, f64)> = xs.iter().map(|x| (f64::from(*x as f32), 0.0)).collect();
    for ((x, _), got) in pairs.iter().zip(expanded(op, "f32", &pairs)) {
        let want = reference(*x) as f32;
        let same = got as f32 == want || (got.is_nan() && want.is_nan());
        let units = single.ceil() as u32;
        let near = ((got as f32).to_bits() as i32).abs_diff(want.to_bits() as i32) <= units;
        assert!(
            same || near,
            "{op}({x:e}) on f32 is {got:e} instead of {want:e}"
        );
    }
}

macro_rules! functions {
    ($($name:ident: $op:literal, $low:expr, $high:expr;)*) => { $(
        #[test]
        fn $name() {
            check($op, $low, $high);
        }
    )* };
}

functions! {
    exp: "math.exp", -750.0, 715.0;
    exp2: "math.exp2", -1080.0, 1030.0;
    expm1: "math.expm1", -45.0, 40.0;
    log: "math.log", 0.0, 1000.0;
    log2: "math.log2", 0.0, 1000.0;
    log10: "math.log10", 0.0, 1000.0;
    log1p: "math.log1p", -1.0, 100.0;
    sin: "math.sin", -100.0, 100.0;
    sin_far: "math.sin", -1e15, 1e15;
    cos: "math.cos", -100.0, 100.0;
    cos_far: "math.cos", 1e9, 1e200;
    tan: "math.tan", -100.0, 100.0;
    atan: "math.atan", -20.0, 20.0;
    asin: "math.asin", -1.0, 1.0;
    acos: "math.acos", -1.0, 1.0;
    sinh: "math.sinh", -711.0, 711.0;
    cosh: "math.cosh", -711.0, 711.0;
    tanh: "math.tanh", -22.0, 22.0;
    asinh: "math.asinh", -100.0, 100.0;
    acosh: "math.acosh", 1.0, 100.0;
    atanh: "math.atanh", -1.0, 1.0;
    cbrt: "math.cbrt", -1000.0, 1000.0;
    erf: "math.erf", -6.5, 6.5;
    erfc: "math.erfc", -6.0, 27.5;
    rsqrt: "math.rsqrt", 0.0, 1e6;
}

#[track_caller]
fn check_two(op: &str, pairs: Vec<(f64, f64)>, reference: fn(f64, f64) -> f64) {
    let bound = bounds(op.trim_start_matches("math.")).0 as u64;
    let mut pairs = pairs;
    for x in SPECIAL {
        pairs.extend(SPECIAL.map(|y| (x, y)));
    }
    let mut worst = 0;
    for ((x, y), got) in pairs.iter().zip(expanded(op, "f64", &pairs)) {
        let want = reference(*x, *y);
        let d = ulps(got, want);
        worst = worst.max(d);
        let zero = want == 0.0 && got == 0.0 && want.is_sign_negative() != got.is_sign_negative();
        assert!(
            d <= bound && !zero,
            "{op}({x:e}, {y:e}) is {got:e} instead of {want:e}: {d} ulp"
        );
    }
    println!("{op}: at most {worst} ulp");
    // In f32 special pairs are exact, and all the same bits in kernels.
    let narrow = |v: f64| f64::from(v as f32);
    let mut pairs: Vec<_> = pairs.iter().map(|p| (narrow(p.0), narrow(p.1))).collect();
    pairs.extend(
        SPECIAL_SINGLES
            .iter()
            .flat_map(|x| SPECIAL_SINGLES.map(|y| (f64::from(*x), f64::from(y)))),
    );
    let mut tally = Tally::default();
    for ((x, y), got) in pairs.iter().zip(expanded(op, "f32", &pairs)) {
        tally.single((*x, *y), got as f32, reference(*x, *y));
    }
    let f = FUNCTIONS.iter().find(|f| f.op() == op).expect("a function");
    within(f, "f32", &tally, bounds(f.name).1);
}

fn pairs(low: (f64, f64), high: (f64, f64)) -> Vec<(f64, f64)> {
    let mut g = Numbers(17);
    (0..COUNT)
        .map(|_| (g.between(low.0, high.0), g.between(low.1, high.1)))
        .collect()
}

#[test]
fn powf() {
    let mut all = pairs((0.0, -300.0), (10.0, 300.0));
    all.extend(pairs((0.9, -6000.0), (1.1, 6000.0)));
    all.extend(
        pairs((-50.0, -3.0), (50.0, 9.0))
            .iter()
            .map(|p| (p.0, p.1.round())),
    );
    check_two("math.powf", all, f64::powf);
}

#[test]
fn atan2() {
    let mut all = pairs((-3.0, -3.0), (3.0, 3.0));
    all.extend(pairs((-1e-3, -1e9), (1e-3, 1e9)));
    check_two("math.atan2", all, f64::atan2);
}

#[test]
fn remf() {
    let mut all = pairs((-1e6, -10.0), (1e6, 10.0));
    all.extend(pairs((-1e300, -1e-300), (1e300, 1e-300)));
    all.extend(pairs((-1.0, -5.0), (1.0, 5.0)));
    check_two("arith.remf", all, |x, y| x % y);
}

/// Does something for each function, on all processors.
fn over_functions(f: impl Fn(&Function) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| {
                terrace::with_stack(|| {
                    while let Some(function) = FUNCTIONS.get(next.fetch_add(1, Relaxed)) {
                        f(function);
                    }
                });
            });
        }
    });
}

fn within(f: &Function, ty: &str, t: &Tally, bound: f64) {
    let name = f.name;
    println!("{name} in {ty}: at most {} ulp, at {:?}", t.worst, t.at);
    assert!(
        t.worst <= bound,
        "{name} of {:?} in {ty} is {} ulp off",
        t.at,
        t.worst
    );
    assert_eq!(t.special, 0, "{name} of {:?} in {ty}", t.special_at);
}

/// Every 4099th float, or pairs.
#[test]
fn singles_are_within_their_bounds() {
    over_functions(|f| {
        let native = Native::new(f, "f32");
        let (xs, ys): (Vec<f32>, Vec<f32>) = if f.is_binary() {
            let mut g = Numbers(3);
            let [x, y] = f.ranges;
            (0..200_000)
                .map(|_| (g.argument(x) as f32, g.argument(y) as f32))
                .unzip()
        } else {
            let floats = (0..=u32::MAX).step_by(4099).map(f32::from_bits);
            let floats = floats.chain(SPECIAL_SINGLES);
            floats.map(|x| (x, x)).unzip()
        };
        let mut got = vec![0f32; xs.len()];
        native.run(&xs, &ys, &mut got);
        let mut tally = Tally::default();
        for ((x, y), got) in xs.iter().zip(&ys).zip(got) {
            let args = (f64::from(*x), f64::from(*y));
            tally.single(args, got, f.of(args.0, args.1));
        }
        within(f, "f32", &tally, bounds(f.name).1);
    });
}

/// Of each power of two from 2^15 on the angles closest to a multiple of pi/2, where all
/// but a few bits of the turns cancel.
#[test]
fn angles_next_to_the_axes() {
    let mut angles = Vec::new();
    for exponent in 127 + 15..255u32 {
        let of_exponent = (0..1 << 23).step_by(131);
        let mut close: Vec<(f64, f32)> = of_exponent
            .map(|m| f32::from_bits(exponent << 23 | m))
            .map(|x| {
                let (sin, cos) = f64::from(x).sin_cos();
                (sin.abs().min(cos.abs()), x)
            })
            .collect();
        close.sort_by(|a, b| a.0.total_cmp(&b.0));
        angles.extend(close.iter().take(8).flat_map(|c| [c.1, -c.1]));
    }
    // Found among all floats.
    angles.extend([4.386_558e33, -4.386_558e33]);
    for f in FUNCTIONS
        .iter()
        .filter(|f| ["sin", "cos", "tan"].contains(&f.name))
    {
        let mut got = vec![0f32; angles.len()];
        Native::new(f, "f32").run(&angles, &angles, &mut got);
        let mut tally = Tally::default();
        for (x, got) in angles.iter().zip(got) {
            let x = f64::from(*x);
            tally.single((x, x), got, f.of(x, x));
        }
        within(f, "f32", &tally, bounds(f.name).1);
    }
}

#[test]
fn doubles_are_within_their_bounds() {
    over_functions(|f| {
        let native = Native::new(f, "f64");
        let mut g = Numbers(4);
        let [x, y] = f.ranges;
        let (xs, ys): (Vec<f64>, Vec<f64>) =
            (0..200_000).map(|_| (g.argument(x), g.argument(y))).unzip();
        let mut got = vec![0f64; xs.len()];
        native.run(&xs, &ys, &mut got);
        let mut tally = Tally::default();
        for ((x, y), got) in xs.iter().zip(&ys).zip(got) {
            tally.double((*x, *y), got, f.of(*x, *y));
        }
        within(f, "f64", &tally, bounds(f.name).0);
    });
}

/// All halves, of both kinds, are rounded true values or next to the middle of two.
#[test]
fn halves_are_rounded_true_values() {
    over_functions(|f| {
        for (ty, dtype) in [("f16", DType::F16), ("bf16", DType::BF16)] {
            let native = Native::new(f, ty);
            let xs: Vec<u16> = (0..=u16::MAX).collect();
            // Pairs by chance, where there are two.
            let ys: Vec<u16> = xs.iter().map(|x| x.wrapping_mul(40503)).collect();
            let mut got = vec![0u16; xs.len()];
            native.run(&xs, &ys, &mut got);
            let value = |bits: u16| Scalar::from_bits(dtype, u64::from(bits)).as_f64();
            for ((x, y), got) in xs.iter().zip(&ys).zip(got) {
                if f.name == "copysign" && value(*y).is_nan() {
                    // The sign of a NaN is lost on the way through `value`.
                    continue;
                }
                let exact = f.of(value(*x), value(*y));
                let want = Scalar::from_f64(dtype, exact).expect("a float");
                // Next to the middle between two halves the error in `f32` decides.
                let (near, middle) = (
                    (want.as_f64() - value(got)).abs(),
                    (want.as_f64() + value(got)) / 2.0,
                );
                let between = want.bits().abs_diff(u64::from(got)) == 1
                    && (exact - middle).abs() <= 0.004 * near;
                assert!(
                    want.bits() == u64::from(got)
                        || between
                        || want.as_f64().is_nan() && value(got).is_nan(),
                    "{} of {:e}, {:e} in {ty} is {:e} instead of {:e}",
                    f.name,
                    value(*x),
                    value(*y),
                    value(got),
                    want.as_f64()
                );
            }
        }
    });
}

/// Each approximation is the instruction that docs/math.md has a bound of, which holds on
/// the emulator.
#[test]
fn approximations_are_as_stated() {
    let page = include_str!("../docs/math.md");
    for claim in CLAIMS {
        let name = claim.function;
        let f = FUNCTIONS.iter().find(|f| f.name == name);
        let f = f.unwrap_or_else(|| panic!("{name} is no function"));
        let binary = kernels(f, "f32", "sm_90", Some(claim.flags));
        assert!(
            binary.ptx.contains(claim.ptx),
            "{name} becomes {}",
            binary.ptx
        );
        let short = claim.ptx.trim_end_matches(".f32");
        let op = format!("`{}`", name.trim_start_matches("arith."));
        assert!(
            page.lines()
                .any(|l| l.starts_with('|') && l.contains(&op) && l.contains(short)),
            "docs/math.md does not say that {op} becomes {short}"
        );
        if claim.instead.is_some() {
            continue;
        }
        let mut g = Numbers(7);
        let [x, y] = f.ranges;
        let args = (0..4000).map(|_| (g.argument(x) as f32, g.argument(y) as f32));
        let mut pairs: Vec<_> = args.map(|(x, y)| (f64::from(x), f64::from(y))).collect();
        let special = SPECIAL_SINGLES.map(f64::from);
        pairs.extend(special.iter().flat_map(|x| special.map(|y| (*x, y))));
        pairs.retain(|p| (claim.holds)(p.0, p.1));
        assert!(pairs.len() > 20, "{name}, {}: {}", claim.range, pairs.len());
        let op = format!("{} fastmath<{}>", f.op(), claim.flags);
        for ((x, y), got) in pairs.iter().zip(emulated(&op, "f32", &pairs)) {
            let want = f.of(*x, *y);
            let error = claim.error(got as f32, want);
            let bound = claim.bound.map_or(f64::INFINITY, |b| b(*x, *y));
            assert!(
                // The bound of a NaN is one.
                error.is_some_and(|e| e <= bound || e == 0.0),
                "{name} of {x:e}, {y:e} is {got:e} instead of {want:e}: {error:?}, not {bound}"
            );
        }
    }
}

/// Every function on every width, in a kernel: the assembler must take it.
#[test]
fn kernels_with_all_functions_assemble() {
    let one = [
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc",
        "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "tan",
        "tanh",
    ];
    let mut body = String::new();
    for ty in ["f64", "f32", "f16"] {
        let mut last = format!("%x{ty}");
        for (i, f) in one.iter().enumerate() {
            body.push_str(&format!("      %{f}{ty} = math.{f} {last} : {ty}\n"));
            last = format!("%{f}{ty}");
            if i % 6 == 5 {
                body.push_str(&format!(
                    "      %p{i}{ty} = math.powf {last}, %x{ty} : {ty}\n"
                ));
                last = format!("%p{i}{ty}");
            }
        }
        body.push_str(&format!(
            "      %a{ty} = math.atan2 {last}, %x{ty} : {ty}\n      %r{ty} = arith.remf %a{ty}, %x{ty} : {ty}\n      %f{ty} = math.fpowi %r{ty}, %n : {ty}, i32\n      memref.store %f{ty}, %m{ty}[%t] : memref<?x{ty}>\n"
        ));
    }
    let text = format!(
        "module attributes {{gpu.container_module}} {{
  gpu.module @m {{
    gpu.func @k(%xf64: f64, %xf32: f32, %xf16: f16, %n: i32, %mf64: memref<?xf64>, %mf32: memref<?xf32>, %mf16: memref<?xf16>) kernel {{
      %t = gpu.thread_id x
{body}      gpu.return
    }}
  }}
}}"
    );
    let mut p = Program::new("math.mlir", &text).unwrap_or_else(|d| panic!("{d:?}"));
    p.run_pipeline("builtin.module(expand-math-for-gpu,canonicalize,cse)")
        .unwrap_or_else(|d| panic!("{d:?}"));
    let modules = p
        .module
        .find_all::<terrace::dialects::gpu::ModuleOp>(&p.ctx);
    let op = terrace::ir::OpKind::op(modules[0]);
    let binary = gpu_to_ptx::compile(&p.ctx, op, &GpuOptions::default());
    let binary =
        binary.unwrap_or_else(|e| panic!("{:?}", e.iter().map(|e| &e.1).collect::<Vec<_>>()));
    match Ptxas::find() {
        Some(ptxas) => {
            if let Err(e) = ptxas.assemble_unoptimised(&binary.ptx, "sm_90") {
                panic!("{e}");
            }
        }
        None => eprintln!("skipped: no ptxas; TERRACE_PTXAS names one"),
    }
}
