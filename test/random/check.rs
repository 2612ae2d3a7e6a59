//! Runs a program every way there is and compares.

use std::panic::{AssertUnwindSafe, catch_unwind};

use terrace::ir::diag::Diagnostic;
use terrace::ir::pass::{ParsedOptions, PassManager, PassOutput};
use terrace::ir::verify::verify;
use terrace::passes::pipeline::{self, GpuPipelineOptions, Pipeline};
use terrace::run::bind::{Value, bind};
use terrace::run::executor::{Executor, Program};
use terrace::run::interp::InterpExecutor;
use terrace::run::options::{Emit, RunOptions, Target};
use terrace::run::source::ProgramText;
use terrace::run::{emit, make};
use terrace::runtime::dtype::{DType, Scalar};

use super::rng::Rng;

/// A way to run a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// Machine code.
    Cpu,
    /// Kernels as PTX text on the emulator, which must find nothing wrong with them.
    Emulator,
    /// The interpreter, after passes: name and options of each.
    Passes(Vec<(String, String)>),
    /// The interpreter, after a pipeline.
    Pipeline(Pipeline),
    /// No run: the kernels as PTX.
    Ptx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The program as generated is refused or goes wrong.
    Generated,
    PassFailed,
    /// What a pass left does not verify, or its text does not parse.
    Invalid,
    RunFailed,
    Differs,
    Panicked,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
    /// The program that ran, where it is not the one generated.
    pub lowered: Option<String>,
}

fn fail(kind: Kind, message: impl Into<String>) -> Failure {
    Failure {
        kind,
        message: message.into(),
        lowered: None,
    }
}

pub fn words(ds: &[Diagnostic]) -> String {
    let all: Vec<String> = ds
        .iter()
        .map(|d| {
            let notes: String = d.notes.iter().map(|n| format!("\n  {}", n.1)).collect();
            format!("{}{notes}", d.message)
        })
        .collect();
    all.join("\n")
}

/// Arguments after a run, and results.
pub struct Outcome {
    pub args: Vec<Value>,
    pub results: Vec<Scalar>,
}

/// The results that are numbers, which all of these programs' are.
pub fn numbers(results: &[Value]) -> Vec<Scalar> {
    results.iter().filter_map(Value::scalar).collect()
}

pub struct Silent;

impl PassOutput for Silent {
    fn show(&mut self, _: &str) {}
    fn save(&mut self, _: &std::path::Path, _: &str) -> Result<(), String> {
        Err("nothing is written".into())
    }
}

fn parse(text: &str) -> Result<Program, String> {
    Program::new("random.mlir", text).map_err(|d| words(&d))
}

/// Arguments come from `original`, since passes need not keep attributes.
pub fn interpret(original: &str, text: &str) -> Result<Outcome, Failure> {
    let first = parse(original).map_err(|m| fail(Kind::Generated, m))?;
    let entry = first
        .entry(Some("main"))
        .map_err(|m| fail(Kind::Generated, m))?;
    let mut args = bind(&entry, &[], &[]).map_err(|m| fail(Kind::Generated, m.join("\n")))?;
    let program = parse(text).map_err(|m| fail(Kind::Invalid, m))?;
    let mut run = InterpExecutor::new(program, entry);
    let results = run
        .call(&mut args)
        .map_err(|d| fail(Kind::RunFailed, words(&d)))?;
    let results = numbers(&results);
    Ok(Outcome { args, results })
}

/// What the program means: its run in the interpreter as it stands.
pub fn truth(text: &str) -> Result<Outcome, Failure> {
    guarded(|| interpret(text, text)).map_err(|f| Failure {
        kind: Kind::Generated,
        ..f
    })
}

pub fn guarded<R>(f: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|p| {
        let text = p.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or(p.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(fail(Kind::Panicked, text))
    })
}

/// Run the program this way and compare with the truth.
pub fn check(text: &str, way: &Way, truth: &Outcome) -> Result<(), Failure> {
    guarded(|| {
        let outcome = match way {
            Way::Cpu => compiled(text, Target::Cpu)?,
            Way::Emulator => compiled(text, Target::Emulator)?,
            Way::Ptx => return ptx(text),
            Way::Passes(passes) => after(text, truth, |p| passes_over(p, passes))?,
            Way::Pipeline(pipeline) => {
                after(text, truth, |p| p.run(pipeline).map_err(|d| words(&d)))?
            }
        };
        same(&outcome, truth).map_err(|m| fail(Kind::Differs, m))
    })
}

fn compiled(text: &str, target: Target) -> Result<Outcome, Failure> {
    compiled_from(text, text, target)
}

/// A program that passes made of `original`, as machine code.
pub fn native(original: &str, text: &str) -> Result<Outcome, Failure> {
    compiled_from(original, text, Target::Cpu)
}

/// Arguments come from `original`, since passes need not keep attributes.
fn compiled_from(original: &str, text: &str, target: Target) -> Result<Outcome, Failure> {
    let first = parse(original).map_err(|m| fail(Kind::Generated, m))?;
    let entry = first
        .entry(Some("main"))
        .map_err(|m| fail(Kind::Generated, m))?;
    let program = parse(text).map_err(|m| fail(Kind::Generated, m))?;
    let mut args = bind(&entry, &[], &[]).map_err(|m| fail(Kind::Generated, m.join("\n")))?;
    let options = RunOptions {
        target,
        ..RunOptions::default()
    };
    let mut run =
        make(program, &entry, &options).map_err(|e| fail(Kind::PassFailed, format!("{e:?}")))?;
    let results = run
        .call(&mut args)
        .map_err(|d| fail(Kind::RunFailed, words(&d)))?;
    let results = numbers(&results);
    Ok(Outcome { args, results })
}

/// Whether the program has a kernel.
pub fn has_kernel(text: &str) -> bool {
    let lowered = parse(text).map(|mut p| p.run(&gpu()).map(|()| p.text()));
    matches!(lowered, Ok(Ok(t)) if t.contains("gpu.launch_func"))
}

fn ptx(text: &str) -> Result<(), Failure> {
    let outcome = emit(
        &ProgramText::mlir("random.mlir", text),
        Emit::Ptx,
        &RunOptions::default(),
    );
    // A program without a parallel loop has no kernel, which is reported as misuse.
    match outcome.code {
        0 | 2 => Ok(()),
        _ => Err(fail(Kind::PassFailed, outcome.stderr)),
    }
}

fn after(
    text: &str,
    truth: &Outcome,
    f: impl FnOnce(&mut Program) -> Result<(), String>,
) -> Result<Outcome, Failure> {
    let mut program = parse(text).map_err(|m| fail(Kind::Generated, m))?;
    f(&mut program).map_err(|m| fail(Kind::PassFailed, m))?;
    let lowered = program.text();
    let with_text = |f: Failure| Failure {
        lowered: Some(lowered.clone()),
        ..f
    };
    if !verify(&program.ctx, program.module) {
        let ds = program.ctx.take_diagnostics();
        return Err(with_text(fail(Kind::Invalid, words(&ds))));
    }
    let outcome = interpret(text, &lowered).map_err(with_text)?;
    same(&outcome, truth).map_err(|m| with_text(fail(Kind::Differs, m)))?;
    Ok(outcome)
}

/// The text of a program after passes.
pub fn lowered(text: &str, passes: &[(String, String)]) -> Result<String, String> {
    let mut program = parse(text)?;
    passes_over(&mut program, passes)?;
    match verify(&program.ctx, program.module) {
        true => Ok(program.text()),
        false => Err(words(&program.ctx.take_diagnostics())),
    }
}

fn passes_over(p: &mut Program, passes: &[(String, String)]) -> Result<(), String> {
    let mut pm = PassManager::new("builtin.module");
    for (name, options) in passes {
        let info = terrace::pass_registry().pass(name).ok_or("no such pass")?;
        let options = ParsedOptions::parse(info.options, options)?;
        pm.root.add_nesting(info, options)?;
    }
    match pm.run(&mut p.ctx, p.module, &mut Silent) {
        Ok(()) => Ok(()),
        Err(_) => Err(words(&p.ctx.take_diagnostics())),
    }
}

/// NaNs are equal: which one arithmetic gives is not defined.
fn equal(d: DType, a: u64, b: u64) -> bool {
    let number = |bits| Scalar::from_bits(d, bits).as_f64();
    a == b || (terrace::run::bind::is_float(d) && number(a).is_nan() && number(b).is_nan())
}

pub fn same(a: &Outcome, b: &Outcome) -> Result<(), String> {
    for (i, (x, y)) in a.args.iter().zip(&b.args).enumerate() {
        let (Value::Array(x), Value::Array(y)) = (x, y) else {
            continue;
        };
        for n in 0..x.len() {
            let (u, v) = (x.bits(n).unwrap_or(0), y.bits(n).unwrap_or(0));
            if !equal(x.dtype(), u, v) {
                let number = |b| Scalar::from_bits(x.dtype(), b).as_f64();
                return Err(format!(
                    "argument {i} at {:?}: {} instead of {}",
                    x.subscripts(n),
                    number(u),
                    number(v)
                ));
            }
        }
    }
    if a.results.len() != b.results.len() {
        return Err(format!(
            "{} results instead of {}",
            a.results.len(),
            b.results.len()
        ));
    }
    for (i, (x, y)) in a.results.iter().zip(&b.results).enumerate() {
        if !equal(x.dtype(), x.bits(), y.bits()) {
            return Err(format!(
                "result {i}: {} instead of {}",
                x.as_f64(),
                y.as_f64()
            ));
        }
    }
    Ok(())
}

/// Passes with options besides their own defaults, where they are registered.
const WITH_OPTIONS: &[(&str, &str)] = &[
    ("affine-data-copy-generate", "skip-non-unit-stride-loops"),
    ("affine-data-copy-generate", "fast-mem-capacity=0"),
    ("affine-loop-fusion", "maximal"),
    ("affine-loop-fusion", "mode=producer maximal"),
    ("affine-loop-fusion", "mode=sibling maximal"),
    ("auto-schedule", "tile-size=0 apply"),
    ("auto-schedule", "tile-size=3 apply"),
    ("affine-parallelize", "max-nested=1"),
    ("affine-loop-tile", "tile-size=2"),
    ("affine-loop-tile", "tile-size=3 separate"),
    ("affine-loop-unroll", "unroll-factor=3"),
    ("affine-loop-unroll", "unroll-full"),
    ("affine-loop-unroll-jam", "unroll-jam-factor=2 every-nest"),
    ("affine-loop-unroll-jam", "unroll-jam-factor=3 every-nest"),
    ("affine-loop-normalize", "promote-single-iter=1"),
    ("affine-super-vectorize", "virtual-vector-size=2"),
    ("affine-super-vectorize", "virtual-vector-size=4"),
    ("affine-super-vectorize", "virtual-vector-size=4,2"),
    (
        "affine-super-vectorize",
        "virtual-vector-size=4 cleanup-loop",
    ),
    ("canonicalize", "top-down=false"),
    ("canonicalize", "region-simplify=aggressive"),
];

/// Every pass, with the options it is tried with; but not the steps to the GPU, which
/// mean something only in their order (a launch without the transfers around it uses
/// memory of the host), and which the whole pipeline runs.
fn candidates() -> Vec<(String, String)> {
    let registry = terrace::pass_registry();
    let mut all: Vec<(String, String)> = registry
        .passes()
        .map(|p| (p.name.to_string(), String::new()))
        .filter(|(n, _)| !n.contains("gpu") && !n.starts_with("test-"))
        .collect();
    all.sort();
    for &(name, options) in WITH_OPTIONS {
        let info = registry.pass(name);
        if info.is_some_and(|p| ParsedOptions::parse(p.options, options).is_ok()) {
            all.push((name.to_string(), options.to_string()));
        }
    }
    all
}

fn gpu() -> Pipeline {
    pipeline::gpu(&GpuPipelineOptions::default())
}

/// [`gpu`] with the rows of all buffers moved apart, however short.
fn padded() -> Pipeline {
    let mut all = gpu();
    for option in ["least", "least-in-loops"] {
        assert_eq!(
            all.set("xfer-pad-rows", option, 1),
            1,
            "no rows are moved apart"
        );
    }
    all
}

/// The ways in which the program of a seed is run: always the targets, a pass alone in
/// turn, and short pipelines by chance.
pub fn ways(seed: u64) -> Vec<Way> {
    let mut all = candidates();
    if let Ok(name) = std::env::var("TERRACE_RANDOM_PASS") {
        all.retain(|(n, _)| *n == name);
        return all.into_iter().map(|p| Way::Passes(vec![p])).collect();
    }
    let mut rng = Rng::new(!seed);
    let alone = all[seed as usize % all.len()].clone();
    let mut out = vec![
        Way::Cpu,
        Way::Emulator,
        Way::Pipeline(pipeline::cpu(
            pipeline::Algebra::default(),
            &terrace::targets::machine::CORES,
        )),
        Way::Pipeline(gpu()),
        Way::Pipeline(padded()),
        Way::Ptx,
        Way::Passes(vec![alone]),
    ];
    for _ in 0..2 {
        let n = rng.below(4) + 2;
        out.push(Way::Passes(
            (0..n).map(|_| rng.pick(&all).clone()).collect(),
        ));
    }
    for way in &mut out {
        if let Way::Passes(passes) = way {
            lower_first(passes);
            apply_at_once(passes);
        }
    }
    out
}

/// A schedule is for the loops as they were: what passes between take away it does not
/// find any more.
fn apply_at_once(passes: &mut Vec<(String, String)>) {
    let written = |p: &(String, String)| p.0 == "auto-schedule" && !p.1.contains("apply");
    let Some(first) = passes.iter().position(written) else {
        return;
    };
    let before = passes.len();
    let mut at = 0;
    passes.retain(|p| {
        at += 1;
        at <= first + 1 || p.0 != "apply-schedule"
    });
    if passes.len() < before {
        let apply = ("apply-schedule".to_string(), String::new());
        passes.insert(first + 1, apply);
    }
}

/// Control flow cannot be made of `scf` ops that stand in `affine` ones.
fn lower_first(passes: &mut Vec<(String, String)>) {
    let lowered = ("lower-affine".to_string(), String::new());
    if let Some(i) = passes.iter().position(|p| p.0 == "convert-scf-to-cf") {
        passes.insert(i, lowered);
    }
}
