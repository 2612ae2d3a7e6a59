//! What NVIDIA's manuals say of the errors of the approximations that `fastmath` flags
//! allow, with the ranges they say it for (the PTX ISA, and the CUDA programming guide's table
//! of intrinsic functions): the last table of docs/math.md, to be measured.

use std::f64::consts::PI;

/// What an error is measured in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Units in the last place of the true value.
    Units,
    Absolute,
    /// In proportion to the true value.
    Relative,
}

/// One statement.
pub struct Claim {
    /// As in `FUNCTIONS`.
    pub function: &'static str,
    /// Of `fastmath`, on the op.
    pub flags: &'static str,
    /// The instruction that the op becomes.
    pub ptx: &'static str,
    /// The arguments, in words and as a test.
    pub range: &'static str,
    pub holds: fn(f64, f64) -> bool,
    pub measure: Measure,
    /// The largest error that is stated; none where nothing is.
    pub bound: Option<fn(f64, f64) -> f64>,
    /// What GPUs compute, where it is not the function: the emulator keeps to the function.
    pub instead: Option<fn(f64, f64) -> f64>,
}

impl Claim {
    const fn new(
        function: &'static str,
        ptx: &'static str,
        range: &'static str,
        holds: fn(f64, f64) -> bool,
        measure: Measure,
        bound: Option<fn(f64, f64) -> f64>,
    ) -> Claim {
        Claim {
            function,
            flags: "afn",
            ptx,
            range,
            holds,
            measure,
            bound,
            instead: None,
        }
    }

    /// How far a result is off, in what the claim measures it; none where one is NaN,
    /// infinite or, in units, zero, and the other is not.
    pub fn error(&self, got: f32, want: f64) -> Option<f64> {
        let rounded = want as f32;
        let same = got.to_bits() == rounded.to_bits() || got.is_nan() && rounded.is_nan();
        if same && (!got.is_finite() || got == 0.0) {
            return Some(0.0);
        }
        if !got.is_finite() || !rounded.is_finite() {
            return None;
        }
        let distance = (f64::from(got) - want).abs();
        Some(match self.measure {
            Measure::Absolute => distance,
            Measure::Relative => distance / want.abs(),
            Measure::Units => {
                let exponent = (rounded.abs().to_bits() >> 23).max(1) as i32 - 127 - 23;
                distance / 2f64.powi(exponent)
            }
        })
    }
}

use Measure::{Absolute, Relative, Units};

const MAX_SIZE: f64 = (1u128 << 126) as f64;
const MIN_SIZE: f64 = f32::MIN_POSITIVE as f64;

const fn is_normal(x: f64) -> bool {
    x >= MIN_SIZE && x <= f32::MAX as f64
}

const fn near_one(x: f64) -> bool {
    x >= 0.5 && x <= 2.0
}

const fn half_turn(x: f64) -> bool {
    x >= -PI && x <= PI
}

/// All of them, those of one function and the same flags beside each other.
pub const CLAIMS: &[Claim] = &[
    Claim {
        flags: "arcp",
        ..Claim::new(
            "arith.divf",
            "div.full.f32",
            "all",
            |_, _| true,
            Units,
            Some(|_, _| 2.0),
        )
    },
    Claim::new(
        "arith.divf",
        "div.approx.f32",
        "divisors from 2^-126 to 2^126",
        |_, y| (MIN_SIZE..=MAX_SIZE).contains(&y.abs()),
        Units,
        Some(|_, _| 2.0),
    ),
    Claim {
        instead: Some(|x, y| if (x < 0.0) == (y < 0.0) { 0.0 } else { -0.0 }),
        ..Claim::new(
            "arith.divf",
            "div.approx.f32",
            "divisors above 2^126: zero",
            |x, y| x.is_finite() && x != 0.0 && y.abs() > MAX_SIZE && y.is_finite(),
            Absolute,
            Some(|_, _| 0.0),
        )
    },
    Claim::new(
        "sqrt",
        "sqrt.approx.f32",
        "all",
        |_, _| true,
        Relative,
        Some(|_, _| 2f64.powi(-23)),
    ),
    Claim::new(
        "rsqrt",
        "rsqrt.approx.f32",
        "all",
        |_, _| true,
        Relative,
        Some(|_, _| 2f64.powf(-22.9)),
    ),
    Claim::new(
        "exp2",
        "ex2.approx.f32",
        "all",
        |_, _| true,
        Units,
        Some(|_, _| 2.0),
    ),
    Claim::new(
        "exp",
        "ex2.approx.f32",
        "all",
        |_, _| true,
        Units,
        Some(|x, _| 2.0 + (1.173 * x).abs().floor()),
    ),
    Claim::new(
        "log2",
        "lg2.approx.f32",
        "0.5 to 2",
        |x, _| near_one(x),
        Absolute,
        Some(|_, _| 2f64.powi(-22)),
    ),
    Claim::new(
        "log2",
        "lg2.approx.f32",
        "other normal numbers",
        |x, _| is_normal(x) && !near_one(x),
        Units,
        Some(|_, _| 2.0),
    ),
    Claim::new(
        "log2",
        "lg2.approx.f32",
        "subnormal numbers",
        |x, _| x > 0.0 && x < MIN_SIZE,
        Units,
        None,
    ),
    Claim::new(
        "log",
        "lg2.approx.f32",
        "0.5 to 2",
        |x, _| near_one(x),
        Absolute,
        Some(|_, _| 2f64.powf(-21.41)),
    ),
    Claim::new(
        "log",
        "lg2.approx.f32",
        "other normal numbers",
        |x, _| is_normal(x) && !near_one(x),
        Units,
        Some(|_, _| 3.0),
    ),
    Claim::new(
        "log10",
        "lg2.approx.f32",
        "0.5 to 2",
        |x, _| near_one(x),
        Absolute,
        Some(|_, _| 2f64.powi(-24)),
    ),
    Claim::new(
        "log10",
        "lg2.approx.f32",
        "other normal numbers",
        |x, _| is_normal(x) && !near_one(x),
        Units,
        Some(|_, _| 3.0),
    ),
    Claim::new(
        "powf",
        "ex2.approx.f32",
        "0.1 to 10, to the power of -10 to 10",
        |x, y| (0.1..=10.0).contains(&x) && y.abs() <= 10.0,
        Relative,
        None,
    ),
    Claim::new(
        "sin",
        "sin.approx.f32",
        "-pi to pi",
        |x, _| half_turn(x),
        Absolute,
        Some(|_, _| 2f64.powf(-21.41)),
    ),
    Claim::new(
        "cos",
        "cos.approx.f32",
        "-pi to pi",
        |x, _| half_turn(x),
        Absolute,
        Some(|_, _| 2f64.powf(-21.19)),
    ),
    Claim::new(
        "tan",
        "div.approx.f32",
        "-1.5 to 1.5",
        |x, _| x.abs() <= 1.5,
        Relative,
        None,
    ),
    Claim::new(
        "tanh",
        "tanh.approx.f32",
        "all",
        |_, _| true,
        Relative,
        Some(|_, _| 2f64.powi(-11)),
    ),
];
