//! The functions of math that terrace computes on GPUs, what they should give, and how
//! far off they are.

/// The C library's functions, which are within one unit in the last place of a double.
mod c {
    // SAFETY: these are the C library's, and pure functions of their numbers.
    unsafe extern "C" {
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
    }
}

/// A function of one or two floats.
#[derive(Clone, Copy)]
pub struct Function {
    /// Without its dialect where that is `math`.
    pub name: &'static str,
    pub reference: Reference,
    /// Where doubles are sampled most densely, for each argument.
    pub ranges: [(f64, f64); 2],
}

#[derive(Clone, Copy)]
pub enum Reference {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
}

impl Function {
    /// The op's full name.
    pub fn op(&self) -> String {
        match self.name.contains('.') {
            true => self.name.to_string(),
            false => format!("math.{}", self.name),
        }
    }

    pub fn of(&self, x: f64, y: f64) -> f64 {
        match self.reference {
            Reference::One(f) => f(x),
            Reference::Two(f) => f(x, y),
        }
    }

    pub fn is_binary(&self) -> bool {
        matches!(self.reference, Reference::Two(_))
    }
}

const fn one(name: &'static str, f: fn(f64) -> f64, low: f64, high: f64) -> Function {
    Function {
        name,
        reference: Reference::One(f),
        ranges: [(low, high), (0.0, 0.0)],
    }
}

const fn two(name: &'static str, f: fn(f64, f64) -> f64, x: (f64, f64), y: (f64, f64)) -> Function {
    Function {
        name,
        reference: Reference::Two(f),
        ranges: [x, y],
    }
}

/// The smaller number: a NaN is none, and of two zeros the negative one is smaller.
fn least(x: f64, y: f64) -> f64 {
    match x == y {
        true if x.is_sign_negative() => x,
        true => y,
        false => x.min(y),
    }
}

/// All of them.
pub const FUNCTIONS: [Function; 37] = [
    one("sqrt", f64::sqrt, 0.0, 1e6),
    one("rsqrt", |x| 1.0 / x.sqrt(), 0.0, 1e6),
    one("cbrt", f64::cbrt, -1000.0, 1000.0),
    one("exp", f64::exp, -750.0, 715.0),
    one("exp2", f64::exp2, -1080.0, 1030.0),
    one("expm1", f64::exp_m1, -45.0, 40.0),
    one("log", f64::ln, 0.0, 1000.0),
    one("log2", f64::log2, 0.0, 1000.0),
    one("log10", f64::log10, 0.0, 1000.0),
    one("log1p", f64::ln_1p, -1.0, 100.0),
    one("sin", f64::sin, -100.0, 100.0),
    one("cos", f64::cos, -100.0, 100.0),
    one("tan", f64::tan, -100.0, 100.0),
    one("asin", f64::asin, -1.0, 1.0),
    one("acos", f64::acos, -1.0, 1.0),
    one("atan", f64::atan, -20.0, 20.0),
    one("sinh", f64::sinh, -711.0, 711.0),
    one("cosh", f64::cosh, -711.0, 711.0),
    one("tanh", f64::tanh, -22.0, 22.0),
    one("asinh", |x| c::asinh(x), -100.0, 100.0),
    one("acosh", |x| c::acosh(x), 1.0, 100.0),
    one("atanh", |x| c::atanh(x), -1.0, 1.0),
    one("erf", |x| c::erf(x), -6.5, 6.5),
    one("erfc", |x| c::erfc(x), -6.0, 27.5),
    one("absf", f64::abs, -10.0, 10.0),
    one("floor", f64::floor, -100.0, 100.0),
    one("ceil", f64::ceil, -100.0, 100.0),
    one("trunc", f64::trunc, -100.0, 100.0),
    one("round", f64::round, -100.0, 100.0),
    one("roundeven", f64::round_ties_even, -100.0, 100.0),
    two("powf", f64::powf, (0.0, 10.0), (-300.0, 300.0)),
    two("atan2", f64::atan2, (-3.0, 3.0), (-3.0, 3.0)),
    two("copysign", f64::copysign, (-3.0, 3.0), (-3.0, 3.0)),
    two("arith.remf", |x, y| x % y, (-1e6, 1e6), (-10.0, 10.0)),
    two("arith.minnumf", least, (-3.0, 3.0), (-3.0, 3.0)),
    two(
        "arith.maxnumf",
        |x, y| -least(-x, -y),
        (-3.0, 3.0),
        (-3.0, 3.0),
    ),
    two("arith.divf", |x, y| x / y, (-1e3, 1e3), (-1e3, 1e3)),
];

/// Floats at the ends of their range, beside integers, and the special ones.
pub const SPECIAL_SINGLES: [f32; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.5,
    -0.5,
    2.5,
    -2.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    f32::from_bits(1),
    f32::from_bits(0x8000_0001),
    f32::from_bits(0x007f_ffff),
    f32::from_bits(0x3f7f_ffff),
    f32::from_bits(0xbf80_0001),
    16777215.0,
    -16777216.0,
    2147483648.0,
    4294967296.0,
    88.75,
];

/// How results differ from what they should be.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub values: u64,
    /// That are not the rounded true value.
    pub not_rounded: u64,
    /// The largest error in units in the last place, and its arguments.
    pub worst: f64,
    pub at: (f64, f64),
    /// Where one is NaN, infinite or a zero of another sign, and the other is not; and
    /// the arguments of the first.
    pub special: u64,
    pub special_at: (f64, f64),
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        if other.worst > self.worst {
            (self.worst, self.at) = (other.worst, other.at);
        }
        if self.special == 0 {
            self.special_at = other.special_at;
        }
        self.values += other.values;
        self.not_rounded += other.not_rounded;
        self.special += other.special;
    }

    /// Notes a result in `f32`, for which the true value is known far better.
    #[inline]
    pub fn single(&mut self, args: (f64, f64), got: f32, want: f64) {
        self.values += 1;
        let rounded = want as f32;
        if got.to_bits() == rounded.to_bits() || got.is_nan() && rounded.is_nan() {
            // At most half a unit: only larger errors are of interest.
            return;
        }
        let zeros = got == 0.0 && rounded == 0.0;
        if zeros || !got.is_finite() || !rounded.is_finite() {
            self.note_special(args);
            return;
        }
        self.not_rounded += 1;
        // A unit in the last place of the true value.
        let exponent = (rounded.abs().to_bits() >> 23).max(1) as i32 - 127 - 23;
        self.note((f64::from(got) - want).abs() / 2f64.powi(exponent), args);
    }

    /// Notes a result in `f64`: the distance in numbers from the reference's.
    #[inline]
    pub fn double(&mut self, args: (f64, f64), got: f64, want: f64) {
        self.values += 1;
        if got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() {
            return;
        }
        if got == 0.0 && want == 0.0 || !got.is_finite() || !want.is_finite() {
            self.note_special(args);
            return;
        }
        self.not_rounded += 1;
        let order = |x: f64| {
            let bits = x.to_bits() as i64;
            if bits < 0 { i64::MIN - bits } else { bits }
        };
        self.note(order(got).abs_diff(order(want)) as f64, args);
    }

    fn note(&mut self, error: f64, args: (f64, f64)) {
        if error > self.worst {
            (self.worst, self.at) = (error, args);
        }
    }

    fn note_special(&mut self, args: (f64, f64)) {
        if self.special == 0 {
            self.special_at = args;
        }
        self.special += 1;
    }
}

/// A generator of numbers that is the same everywhere (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// Arguments of a function: half where they are most used, the others any number,
    /// near one, near zero, and whole.
    pub fn argument(&mut self, range: (f64, f64)) -> f64 {
        match self.bits() % 8 {
            0..4 => self.between(range.0, range.1),
            4 => f64::from_bits(self.bits()),
            5 => 1.0 + self.between(-1e-3, 1e-3),
            6 => self.between(-1e-9, 1e-9),
            _ => self.between(-1000.0, 1000.0).round(),
        }
    }
}
