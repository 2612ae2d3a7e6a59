//! Random sums, products and quotients through `arith-restructure`: what comes out must be what came in, up
//! to rounding, and must not be more to compute. Without any step the bits stay.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on.

use std::time::{Duration, Instant};
use terrace::run::bind::Value;
use terrace::run::compile;
use terrace::run::executor::Program;
use terrace::run::options::{RunOptions, Target};
use terrace::runtime::dtype::{DType, Scalar};
use terrace_lit::random::Random;

/// Programs where the environment names no number.
const COUNT: u64 = 300;
/// Arguments of each program.
const ARGUMENTS: usize = 6;

/// A number of [0, 1).
fn unit(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// A program of straight lines: its text, and what each line computes.
struct Generated {
    lines: Vec<(char, usize, usize)>,
    results: Vec<usize>,
    flags: &'static str,
}

impl Generated {
    fn new(seed: u64) -> Generated {
        let mut r = Random(seed);
        let count = 4 + r.below(28);
        let mut lines = Vec::new();
        let mut unused: Vec<usize> = Vec::new();
        for k in 0..count {
            let here = ARGUMENTS + k;
            // Mostly values that nothing has used, so that trees grow.
            let mut pick = |r: &mut Random| match r.below(3) {
                0 if !unused.is_empty() => unused.swap_remove(r.below(unused.len())),
                1 => r.below(here),
                _ => r.below(ARGUMENTS),
            };
            let op = ['+', '-', '*', '*', '/', '+', 'n'][r.below(7)];
            let x = pick(&mut r);
            let y = match op {
                // What is divided by is an argument, which is not near nought.
                '/' => r.below(ARGUMENTS),
                'n' => x,
                _ => pick(&mut r),
            };
            lines.push((op, x, y));
            unused.push(here);
        }
        let flags = ["fast", "fast", "reassoc,nsz,arcp", "reassoc", "contract"][r.below(5)];
        Generated {
            lines,
            results: unused,
            flags,
        }
    }

    fn text(&self) -> String {
        let name = |v: usize| match v < ARGUMENTS {
            true => format!("%a{v}"),
            false => format!("%v{v}"),
        };
        let args: Vec<String> = (0..ARGUMENTS).map(|k| format!("%a{k}: f64")).collect();
        let types = vec!["f64"; self.results.len()].join(", ");
        let mut text = format!("func.func @f({}) -> ({types}) {{\n", args.join(", "));
        for (k, (op, x, y)) in self.lines.iter().enumerate() {
            let op = match op {
                '+' => "arith.addf",
                '-' => "arith.subf",
                '*' => "arith.mulf",
                '/' => "arith.divf",
                _ => {
                    let (v, x, f) = (name(ARGUMENTS + k), name(*x), self.flags);
                    text += &format!("  {v} = arith.negf {x} fastmath<{f}> : f64\n");
                    continue;
                }
            };
            let (v, x, y, f) = (name(ARGUMENTS + k), name(*x), name(*y), self.flags);
            text += &format!("  {v} = {op} {x}, {y} fastmath<{f}> : f64\n");
        }
        let results: Vec<String> = self.results.iter().map(|v| name(*v)).collect();
        text + &format!("  return {} : {types}\n}}\n", results.join(", "))
    }

    /// What the results are, and how large the numbers are that an error of one rounding is of: each value
    /// comes with the sum of magnitudes that it is made of.
    fn expected(&self, args: &[f64]) -> Vec<(f64, f64)> {
        let mut all: Vec<(f64, f64)> = args.iter().map(|a| (*a, a.abs())).collect();
        for (op, x, y) in &self.lines {
            let ((x, m), (y, n)) = (all[*x], all[*y]);
            all.push(match op {
                '+' => (x + y, m + n),
                '-' => (x - y, m + n),
                '*' => (x * y, m * n),
                '/' => (x / y, m / y.abs()),
                _ => (-x, m),
            });
        }
        self.results.iter().map(|k| all[*k]).collect()
    }
}

fn run(text: &str, args: &[f64]) -> Vec<u64> {
    let program = Program::new("random.mlir", text).expect("a generated program");
    let options = RunOptions {
        target: Target::Interp,
        ..RunOptions::default()
    };
    let mut executor = compile(program, &options).expect("a program for the interpreter");
    let scalar = |v: &f64| Value::Scalar(Scalar::from_bits(DType::F64, v.to_bits()));
    let mut args: Vec<Value> = args.iter().map(scalar).collect();
    let results = executor.call(&mut args).expect("no traps");
    let results = results.iter().filter_map(Value::scalar);
    results.map(|s| s.bits()).collect()
}

fn restructured(text: &str, options: &str) -> String {
    let mut program = Program::new("random.mlir", text).expect("a generated program");
    let pipeline = format!("builtin.module(arith-restructure{{{options}}})");
    program
        .run_pipeline(&pipeline)
        .expect("the pass refuses nothing");
    assert!(terrace::ir::verify::verify(&program.ctx, program.module));
    program.text()
}

/// Operations, a division as four.
fn cost(text: &str) -> usize {
    let count = |name: &str| text.matches(name).count();
    let cheap = ["arith.addf", "arith.subf", "arith.mulf", "arith.negf"];
    cheap.into_iter().map(count).sum::<usize>() + 4 * count("arith.divf")
}

fn from_environment(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |v| v.parse().expect("a whole number"))
}

#[test]
fn random_formulas_keep_their_values() {
    let first = from_environment("TERRACE_RANDOM_SEED", 1);
    let count = from_environment("TERRACE_RANDOM_COUNT", COUNT);
    let steps = [
        "signs", "flatten", "factor", "levels", "subsets", "common", "balance",
    ];
    let (mut before, mut after) = (0, 0);
    // A product that had another one twice was shared with those that have it once.
    for seed in [11777].into_iter().chain(first..first + count) {
        let g = Generated::new(seed);
        let text = g.text();
        let mut r = Random(seed ^ 0x5555);
        let args: Vec<f64> = (0..ARGUMENTS)
            .map(|_| (0.5 + unit(&mut r)) * if r.below(2) == 0 { 1.0 } else { -1.0 })
            .collect();
        // All steps, or some of them.
        let some: Vec<String> = steps
            .iter()
            .map(|s| format!("{s}={}", seed % 3 == 0 || r.below(2) == 0))
            .collect();
        let new = restructured(&text, &some.join(" "));
        let expected = g.expected(&args);
        let got = run(&new, &args);
        assert_eq!(got.len(), expected.len(), "seed {seed}\n{text}\n{new}");
        for (bits, (value, size)) in got.iter().zip(&expected) {
            let got = f64::from_bits(*bits);
            // Each of some dozens of operations rounds once, in both forms.
            let bound = 200.0 * f64::EPSILON * size;
            assert!(
                (got - value).abs() <= bound,
                "seed {seed}: {got} for {value}, of {size}, with {some:?}\n{text}\n{new}"
            );
        }
        let all = restructured(&text, "");
        assert!(cost(&all) <= cost(&text), "seed {seed}\n{text}\n{all}");
        before += cost(&text);
        after += cost(&all);
        if g.flags == "contract" {
            assert_eq!(
                cost(&restructured(&text, "common=false")),
                cost(&text),
                "seed {seed}"
            );
        }
        let none: Vec<String> = steps.iter().map(|s| format!("{s}=false")).collect();
        let off = restructured(&text, &none.join(" "));
        let plain: Vec<u64> = expected.iter().map(|(v, _)| v.to_bits()).collect();
        assert_eq!(run(&off, &args), plain, "seed {seed}\n{text}");
    }
    assert!(
        after * 20 < before * 19,
        "{after} operations of {before} are left"
    );
}

#[test]
fn two_thousand_terms() {
    // Pairs of products with common factors, whose sum is two thousand terms long.
    let mut r = Random(7);
    let mut text = String::from("func.func @f(%m: memref<400xf64>) -> f64 {\n");
    for k in 0..400 {
        text += &format!("  %i{k} = arith.constant {k} : index\n");
        text += &format!("  %a{k} = memref.load %m[%i{k}] : memref<400xf64>\n");
    }
    text += "  %s0 = arith.mulf %a0, %a1 fastmath<fast> : f64\n";
    for k in 1..2000 {
        let (x, y) = (r.below(400), r.below(400));
        text += &format!("  %p{k} = arith.mulf %a{x}, %a{y} fastmath<fast> : f64\n");
        text += &format!(
            "  %s{k} = arith.addf %s{}, %p{k} fastmath<fast> : f64\n",
            k - 1
        );
    }
    text += "  return %s1999 : f64\n}\n";
    let start = Instant::now();
    let new = restructured(&text, "");
    let took = start.elapsed();
    assert!(
        cost(&new) < cost(&text) * 8 / 10,
        "{} of {}",
        cost(&new),
        cost(&text)
    );
    // Half a second of an optimised build; other builds may take their time.
    let limit = if cfg!(debug_assertions) { 5_000 } else { 500 };
    assert!(took < Duration::from_millis(limit), "{took:?}");
}

/// Lines in front of the loops, in the outer one, in the inner one, and in the outer one behind it.
struct Nest {
    lines: Vec<(usize, char, usize, usize)>,
    flags: &'static str,
}

/// Four arguments, an element of `%m` in the outer loop and one of `%n` in the inner one.
const INPUTS: [usize; 6] = [0, 0, 0, 0, 1, 2];
const ROWS: usize = 3;
const COLUMNS: usize = 4;

impl Nest {
    fn new(seed: u64) -> Nest {
        let mut r = Random(seed);
        let mut slots = INPUTS.to_vec();
        let mut lines = Vec::new();
        for slot in 0..4 {
            for _ in 0..2 + r.below(6) {
                let seen: Vec<usize> = (0..slots.len())
                    .filter(|v| slots[*v] <= slot && (slot < 3 || slots[*v] != 2))
                    .collect();
                // Newer values are taken more often, so that trees grow.
                let pick = |r: &mut Random| match r.below(2) {
                    0 => seen[r.below(seen.len())],
                    _ => seen[seen.len() - 1 - r.below(seen.len().min(4))],
                };
                let op = ['+', '-', '*', '/', '+'][r.below(5)];
                let y = if op == '/' { r.below(4) } else { pick(&mut r) };
                lines.push((slot, op, pick(&mut r), y));
                slots.push(slot);
            }
        }
        let flags = ["fast", "fast", "reassoc,nsz,arcp", "reassoc"][r.below(4)];
        Nest { lines, flags }
    }

    fn last(&self, slot: usize) -> usize {
        let at = self
            .lines
            .iter()
            .rposition(|l| l.0 == slot)
            .expect("each slot has lines");
        INPUTS.len() + at
    }

    fn text(&self) -> String {
        let lines = |slot: usize| -> String {
            let mut text = String::new();
            for (k, (at, op, x, y)) in self.lines.iter().enumerate().filter(|l| l.1.0 == slot) {
                let op = match op {
                    '+' => "arith.addf",
                    '-' => "arith.subf",
                    '*' => "arith.mulf",
                    _ => "arith.divf",
                };
                let (v, f) = (INPUTS.len() + k, self.flags);
                let indent = "  ".repeat(at.min(&2) + 1);
                text += &format!("{indent}%v{v} = {op} %v{x}, %v{y} fastmath<{f}> : f64\n");
            }
            text
        };
        format!(
            "func.func @f(%v0: f64, %v1: f64, %v2: f64, %v3: f64, %m: memref<{ROWS}xf64>, \
             %n: memref<{ROWS}x{COLUMNS}xf64>) {{\n{}  affine.for %i = 0 to {ROWS} {{\n    \
             %v4 = affine.load %m[%i] : memref<{ROWS}xf64>\n{}    affine.for %j = 0 to {COLUMNS} {{\n      \
             %v5 = affine.load %n[%i, %j] : memref<{ROWS}x{COLUMNS}xf64>\n{}      \
             affine.store %v{}, %n[%i, %j] : memref<{ROWS}x{COLUMNS}xf64>\n    }}\n{}    \
             affine.store %v{}, %m[%i] : memref<{ROWS}xf64>\n  }}\n  return\n}}\n",
            lines(0),
            lines(1),
            lines(2),
            self.last(2),
            lines(3),
            self.last(3),
        )
    }

    /// What the element of `%m` becomes and that of `%n`, each with the size that errors are of.
    fn expected(&self, inputs: &[f64]) -> [(f64, f64); 2] {
        let mut all: Vec<(f64, f64)> = inputs.iter().map(|a| (*a, a.abs())).collect();
        for (_, op, x, y) in &self.lines {
            let ((x, m), (y, n)) = (all[*x], all[*y]);
            all.push(match op {
                '+' => (x + y, m + n),
                '-' => (x - y, m + n),
                '*' => (x * y, m * n),
                _ => (x / y, m / y.abs()),
            });
        }
        [all[self.last(3)], all[self.last(2)]]
    }
}

#[test]
fn loops_keep_their_values() {
    let first = from_environment("TERRACE_RANDOM_SEED", 1);
    let count = from_environment("TERRACE_RANDOM_COUNT", COUNT);
    for seed in first..first + count {
        let nest = Nest::new(seed);
        let text = nest.text();
        let mut r = Random(seed ^ 0xaaaa);
        let mut number = || (0.5 + unit(&mut r)) * if r.below(2) == 0 { 1.0 } else { -1.0 };
        let args: Vec<f64> = (0..4).map(|_| number()).collect();
        let m: Vec<f64> = (0..ROWS).map(|_| number()).collect();
        let n: Vec<f64> = (0..ROWS * COLUMNS).map(|_| number()).collect();
        let steps = ["factor", "levels", "subsets", "common", "balance"];
        let mut some: Vec<String> = steps
            .iter()
            .map(|s| format!("{s}={}", seed % 3 == 0 || r.below(2) == 0))
            .collect();
        some.push(format!("iterations={}", r.below(2) == 0));
        let new = restructured(&text, &some.join(" "));
        let program = Program::new("random.mlir", &new).expect("the text of a program");
        let options = RunOptions {
            target: Target::Interp,
            ..RunOptions::default()
        };
        let mut executor = compile(program, &options).expect("a program for the interpreter");
        let mut values: Vec<Value> = args.iter().map(|a| Value::from(*a)).collect();
        values.push(Value::array(&[ROWS], &m).expect("a shape of its elements"));
        values.push(Value::array(&[ROWS, COLUMNS], &n).expect("a shape of its elements"));
        executor.call(&mut values).expect("no traps");
        let array = |k: usize| match &values[k] {
            Value::Array(a) => a.as_slice::<f64>().expect("numbers of 64 bits").to_vec(),
            Value::Scalar(_) => Vec::new(),
        };
        let (rows, elements) = (array(4), array(5));
        for (k, element) in elements.iter().enumerate() {
            let i = k / COLUMNS;
            let inputs = [&args[..], &[m[i], n[k]]].concat();
            let [row, here] = nest.expected(&inputs);
            for (got, (value, size)) in [(rows[i], row), (*element, here)] {
                let bound = 400.0 * f64::EPSILON * size;
                assert!(
                    (got - value).abs() <= bound,
                    "seed {seed}: {got} for {value}, of {size}, with {some:?}\n{text}\n{new}"
                );
            }
        }
    }
}
