//! Random models, on all targets and in several layouts, against what this folder computes of them by the
//! rules of the language: right sides read old values, but along carried indices.
//!
//! `TERRACE_RANDOM_COUNT` models from the seed `TERRACE_RANDOM_SEED` on.

mod evaluate;
mod make;
mod model;
mod text;

use super::folder::Folder;
use evaluate::{Elements, Number, Run, hands_on, unsure};
use model::{Model, Sign};
use terrace::ir::diag::Diagnostic;
use terrace::run::bind::Value;
use terrace::run::compile;
use terrace::run::options::{RunOptions, Target};
use terrace::run::source::ProgramText;
use terrace::runtime::dtype::{DType, Scalar};
use terrace::runtime::support::c_functions::Libraries;
use terrace_lit::random::Random;
use text::Layout;

/// Models where the environment names no number.
const COUNT: u64 = 24;
/// The number that models take.
const H: f64 = 0.375;
/// What random models may call.
const C: &str = "double blend(double x, double y) { return 0.5 * x - y; }\n";

fn from_environment(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |v| v.parse().expect("a whole number"))
}

/// The functions of C, in a library.
fn library(f: &Folder, double: bool) -> Libraries {
    let (name, text) = match double {
        true => ("double", C.to_string()),
        false => ("float", C.replace("double", "float").replace("0.5", "0.5f")),
    };
    f.write(&format!("{name}.c"), &text);
    let (source, made) = (format!("{name}.c"), format!("{name}.so"));
    let out = f.gcc(&["-shared", "-fPIC", &source, "-o", &made]);
    assert!(out.status.success(), "{out:?}");
    let mut all = Libraries::default();
    // SAFETY: the library is the one that was just made, and its function has the type that models say.
    unsafe { all.open(&f.0.join(made)) }.expect("a library");
    all
}

/// One way to run a model.
struct Case<'c> {
    model: &'c Model,
    sizes: &'c [i64],
    layouts: &'c [Layout],
    arrays: &'c [Vec<f64>],
    target: Target,
    libraries: &'c Libraries,
}

impl Case<'_> {
    fn laid(&self, shape: &[usize], elements: &[f64]) -> Value {
        match self.model.double {
            true => Value::array(shape, elements),
            false => {
                let short: Vec<f32> = elements.iter().map(|v| *v as f32).collect();
                Value::array(shape, &short)
            }
        }
        .expect("a shape of its elements")
    }

    /// Runs the model's text and gives back its arrays by their indices, or what the run stops with.
    fn run(&self, text: &str) -> Result<Vec<Vec<f64>>, String> {
        let source = ProgramText::formulas("random.tf", text);
        let said = |d: &[Diagnostic]| source.render(d);
        let program = source.program().map_err(|d| said(&d))?;
        let options = RunOptions {
            target: self.target,
            libraries: self.libraries.clone(),
            ..RunOptions::default()
        };
        let mut executor = compile(program, &options).map_err(|e| e.to_string())?;
        let index = |n: &i64| Value::Scalar(Scalar::from_bits(DType::Index, *n as u64));
        let mut args: Vec<Value> = self.sizes.iter().map(index).collect();
        args.push(match self.model.double {
            true => Value::from(H),
            false => Value::Scalar(Scalar::from_bits(
                DType::F32,
                u64::from((H as f32).to_bits()),
            )),
        });
        let first = args.len();
        for ((a, l), elements) in self.model.arrays.iter().zip(self.layouts).zip(self.arrays) {
            let counts = a.counts(self.sizes);
            let (shape, _) = l.places(&counts, &vec![0; counts.len()]);
            let mut laid = vec![0.0; shape.iter().product()];
            for (at, v) in places(&counts).iter().zip(elements) {
                laid[l.places(&counts, at).1] = *v;
            }
            args.push(self.laid(&shape, &laid));
        }
        executor.call(&mut args).map_err(|d| said(&d))?;
        let mut out = Vec::new();
        for ((a, l), v) in (self.model.arrays.iter().zip(self.layouts)).zip(&args[first..]) {
            let laid: Vec<f64> = match self.model.double {
                true => v.elements::<f64>().map(<[f64]>::to_vec),
                false => v
                    .elements::<f32>()
                    .map(|all| all.iter().map(|v| f64::from(*v)).collect()),
            }
            .expect("the model's numbers");
            let counts = a.counts(self.sizes);
            let at = |at: &Vec<i64>| laid[l.places(&counts, at).1];
            out.push(places(&counts).iter().map(at).collect());
        }
        Ok(out)
    }
}

/// All places of an array, the last dimension innermost.
fn places(counts: &[i64]) -> Vec<Vec<i64>> {
    counts.iter().fold(vec![Vec::new()], |all, n| {
        let with = |p: &Vec<i64>, x: i64| [p.as_slice(), &[x]].concat();
        all.iter()
            .flat_map(|p| (0..*n).map(move |x| with(p, x)))
            .collect()
    })
}

fn elements(r: &mut Random, sign: Sign, count: i64) -> Vec<f64> {
    let one = |r: &mut Random| match sign {
        Sign::Any => (r.below(17) as f64 - 8.0) / 8.0,
        Sign::Positive => (1 + r.below(16_u8)) as f64 / 8.0,
        Sign::Nonnegative => r.below(9) as f64 / 8.0,
    };
    (0..count).map(|_| one(r)).collect()
}

/// What a model makes of arrays; `None` where an index is not there.
fn expected(m: &Model, sizes: &[i64], arrays: &[Vec<f64>]) -> Option<Vec<Vec<Number>>> {
    let made = |(a, values): (&model::Array, &Vec<f64>)| Elements {
        counts: a.counts(sizes),
        values: values.iter().map(|v| (*v, v.abs())).collect(),
    };
    let mut run = Run {
        model: m,
        sizes,
        arrays: m.arrays.iter().zip(arrays).map(made).collect(),
        h: H,
    };
    run.run()?;
    Some(run.arrays.into_iter().map(|a| a.values).collect())
}

/// Takes claims back that were found wrong. Those that are wrong here must have been.
fn without_wrong_claims(m: &mut Model, sizes: &[i64], text: &str) {
    let Err(said) = ProgramText::formulas("random.tf", text).program() else {
        for s in &m.statements {
            for d in &s.parallel {
                assert!(
                    !hands_on(m, s, *d, sizes),
                    "index {d} hands something on\n{text}"
                );
            }
        }
        return;
    };
    let claims = |d: &Diagnostic| d.message.contains("is not parallel: ");
    assert!(said.iter().all(claims), "{said:?}\n{text}");
    for s in &mut m.statements {
        s.parallel.clear();
    }
}

fn try_model(seed: u64, libraries: &[Libraries; 2]) {
    let (mut m, design) = make::model(seed);
    let mut r = Random(seed ^ 0x1234_5678);
    let plain: Vec<Layout> = (m.arrays.iter())
        .map(|a| Layout::random(&mut r, m.rank, a.same))
        .collect();
    let first = text::text(&m, &plain, seed);
    without_wrong_claims(&mut m, &design, &first);
    let least = |d: usize| {
        let each = m.arrays.iter().map(|a| a.ranges[d].low - a.ranges[d].more);
        each.max().unwrap_or(0).max(0)
    };
    let targets = [
        Target::Interp,
        Target::Interp,
        Target::Cpu,
        Target::Cpu,
        Target::Emulator,
    ];
    for (n, target) in targets.into_iter().enumerate() {
        // Other parameters, for which some indices may not be there, every other time.
        let other = |d: usize, r: &mut Random| match r.below(4) {
            0 => least(d) + r.between(0, 3),
            _ => design[d] + r.between(0, 4),
        };
        let sizes: Vec<i64> = match n % 2 {
            0 => design.clone(),
            _ => (0..m.rank).map(|d| other(d, &mut r)).collect(),
        };
        let arrays: Vec<Vec<f64>> = (m.arrays.iter())
            .map(|a| elements(&mut r, a.sign, a.counts(&sizes).iter().product()))
            .collect();
        let layouts: Vec<Layout> = (m.arrays.iter())
            .map(|a| Layout::random(&mut r, m.rank, a.same))
            .collect();
        let text = text::text(&m, &layouts, r.bits());
        let case = Case {
            model: &m,
            sizes: &sizes,
            layouts: &layouts,
            arrays: &arrays,
            target,
            libraries: &libraries[usize::from(m.double)],
        };
        let run = format!("seed {seed}, run {n} on {target:?} with {sizes:?}");
        let expected = expected(&m, &sizes, &arrays);
        let (got, expected) = match (case.run(&text), expected) {
            (Ok(got), Some(expected)) => (got, expected),
            (Err(said), None) if said.contains("is not there") => continue,
            (Ok(_), None) => panic!("{run}: an index is not there, and nothing was said\n{text}"),
            (Err(said), _) => panic!("{run}: {said}\n{text}"),
        };
        for (a, (got, expected)) in got.iter().zip(&expected).enumerate() {
            let all = places(&m.arrays[a].counts(&sizes));
            for ((at, x), (y, magnitude)) in all.iter().zip(got).zip(expected) {
                let far = (x - y).abs() <= unsure(&m) * magnitude + 1e-30;
                assert!(
                    x == y || x.is_nan() && y.is_nan() || *magnitude == f64::INFINITY || far,
                    "{run}: element {at:?} of A{a} is {x}, expected {y}\n{text}"
                );
            }
        }
    }
}

#[test]
fn random_models_agree_in_all_layouts_and_on_all_targets() {
    let f = Folder::new(&[]);
    let libraries = [false, true].map(|double| library(&f, double));
    let first = from_environment("TERRACE_RANDOM_SEED", 1);
    for seed in first..first + from_environment("TERRACE_RANDOM_COUNT", COUNT) {
        try_model(seed, &libraries);
    }
}
