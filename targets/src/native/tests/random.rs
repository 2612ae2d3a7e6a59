//! Random straight-line programs against the same arithmetic in Rust.

use super::{NativeArg, NativeOptions, OptLevel, compiled_with, int, results};

/// A linear congruential generator: the same programs in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    /// Often near the ends of the range and zero.
    fn value(&mut self, bits: u32) -> i128 {
        let raw = i128::from(self.next() << 40 ^ self.next() << 20 ^ self.next());
        let v = match self.below(4) {
            0 => raw,
            1 => (1i128 << (bits - 1)) - 2 + i128::from(self.next() % 4),
            2 => i128::from(self.next() % 9) - 4,
            _ => raw >> self.below(30),
        };
        wrap(v, bits)
    }
}

/// The low bits of `v` as a signed number.
fn wrap(v: i128, bits: u32) -> i128 {
    v << (128 - bits) >> (128 - bits)
}

fn unsigned(v: i128, bits: u32) -> i128 {
    v & ((1i128 << bits) - 1)
}

const OPS: [&str; 18] = [
    "addi",
    "subi",
    "muli",
    "andi",
    "ori",
    "xori",
    "maxsi",
    "minsi",
    "maxui",
    "minui",
    "shli",
    "shrsi",
    "shrui",
    "divsi",
    "remsi",
    "divui",
    "remui",
    "floordivsi",
];

/// What an op gives, in numbers wide enough not to overflow; `None` where it is not
/// defined.
fn eval(op: &str, a: i128, b: i128, bits: u32) -> Option<i128> {
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    let v = match op {
        "addi" => a + b,
        "subi" => a - b,
        "muli" => a * b,
        "andi" => a & b,
        "ori" => a | b,
        "xori" => a ^ b,
        "maxsi" => a.max(b),
        "minsi" => a.min(b),
        "maxui" => ua.max(ub),
        "minui" => ua.min(ub),
        "shli" if ub < i128::from(bits) => ua << ub,
        "shrsi" if ub < i128::from(bits) => a >> ub,
        "shrui" if ub < i128::from(bits) => ua >> ub,
        "divsi" if b != 0 => a / b,
        "remsi" if b != 0 => a % b,
        "divui" if b != 0 => ua / ub,
        "remui" if b != 0 => ua % ub,
        "floordivsi" if b != 0 => {
            let (q, r) = (a / b, a % b);
            if r != 0 && (r < 0) != (b < 0) {
                q - 1
            } else {
                q
            }
        }
        _ => return None,
    };
    Some(wrap(v, bits))
}

#[test]
fn integer_programs() {
    let mut rng = Random(42);
    for round in 0..60 {
        let bits = [1, 3, 8, 13, 16, 27, 32, 50, 63, 64][rng.below(10)];
        let ty = format!("i{bits}");
        let inputs: Vec<i128> = (0..4).map(|_| rng.value(bits)).collect();
        let mut values = inputs.clone();
        let mut text = format!("func.func @f(%v0: {ty}, %v1: {ty}, %v2: {ty}, %v3: {ty}) -> (");
        let mut body = String::new();
        while values.len() < 30 {
            let n = values.len();
            let op = OPS[rng.below(OPS.len())];
            let (i, mut j) = (rng.below(n), rng.below(n));
            // A constant now and then, for what is done with known divisors.
            if rng.below(3) == 0 && n < 29 {
                let c = rng.value(bits);
                let c = if bits == 1 { c & 1 } else { c };
                body += &format!(
                    "  %v{n} = arith.constant {} : {ty}\n",
                    match (bits, c) {
                        (1, 0) => "0".to_string(),
                        (1, _) => "1".to_string(),
                        _ => c.to_string(),
                    }
                );
                values.push(wrap(c, bits));
                j = n;
            }
            let n = values.len();
            if let Some(v) = eval(op, values[i], values[j], bits) {
                body += &format!("  %v{n} = arith.{op} %v{i}, %v{j} : {ty}\n");
                values.push(v);
            }
        }
        let all: Vec<String> = (0..values.len()).map(|i| format!("%v{i}")).collect();
        let tys = vec![ty.as_str(); values.len()].join(", ");
        text += &format!("{tys}) {{\n{body}  return {} : {tys}\n}}\n", all.join(", "));
        let opt_level = if round % 2 == 0 {
            OptLevel::None
        } else {
            OptLevel::Speed
        };
        let options = NativeOptions {
            opt_level,
            ..NativeOptions::default()
        };
        let (_, m) = compiled_with(&text, &options, &[]);
        let args: Vec<NativeArg> = inputs.iter().map(|v| int(*v)).collect();
        let have = results(&m, "f", &args);
        // An i1 comes back as 0 or 1.
        let want: Vec<NativeArg> = values
            .iter()
            .map(|v| int(if bits == 1 { v & 1 } else { *v }))
            .collect();
        assert_eq!(have, want, "{text}");
    }
}

#[test]
fn float_programs() {
    let mut rng = Random(7);
    for _ in 0..20 {
        let inputs: Vec<f64> = (0..4)
            .map(|_| (rng.next() as f64 - 1e9) / (1u64 << rng.below(40)) as f64)
            .collect();
        let mut values = inputs.clone();
        let mut body = String::new();
        while values.len() < 30 {
            let n = values.len();
            let (i, j) = (rng.below(n), rng.below(n));
            let (a, b) = (values[i], values[j]);
            let (op, v) = match rng.below(5) {
                0 => ("addf", a + b),
                1 => ("subf", a - b),
                2 => ("mulf", a * b),
                3 => ("divf", a / b),
                _ => ("maxnumf", a.max(b)),
            };
            body += &format!("  %v{n} = arith.{op} %v{i}, %v{j} : f64\n");
            values.push(v);
        }
        let all: Vec<String> = (0..values.len()).map(|i| format!("%v{i}")).collect();
        let tys = vec!["f64"; values.len()].join(", ");
        let text = format!(
            "func.func @f(%v0: f64, %v1: f64, %v2: f64, %v3: f64) -> ({tys}) {{\n{body}  return {} : {tys}\n}}\n",
            all.join(", ")
        );
        let (_, m) = compiled_with(&text, &NativeOptions::default(), &[]);
        let args: Vec<NativeArg> = inputs.iter().map(|v| NativeArg::Float(*v)).collect();
        for (i, (have, want)) in results(&m, "f", &args).iter().zip(&values).enumerate() {
            let want = NativeArg::Float(*want);
            assert!(
                super::same(have, &want),
                "%v{i} is {have:?}, not {want:?} in\n{text}"
            );
        }
    }
}
