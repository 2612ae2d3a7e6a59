//! Running programs: on the CPU, on a GPU, or in the reference interpreter.
//!
//! `options` and `source` are what was asked for, `entry` and `bind` the function and its
//! arguments. `executor` runs a pipeline over the program, and `cpu`, `gpu` and `interp` make
//! executors of it. `session` is what host code calls while it runs on a GPU, `streams` the
//! streams behind tokens and queues. `schedule` prints schedules and does them again, and `tuned`
//! finds those that `terrace tune` kept. `typed` calls functions with slices, `object` makes
//! object files. `emit`, `annotate` and `dumps` show programs
//! instead of running them, and `report` says what happened.

mod annotate;
pub mod bind;
pub(crate) mod cpu;
mod dumps;
mod emit;
pub mod entry;
pub mod executor;
mod foreign;
pub(crate) mod formula;
pub(crate) mod gpu;
pub mod interp;
#[cfg(feature = "c")]
pub mod main_of_c;
pub(crate) mod numerics;
pub mod object;
pub mod options;
mod ranges;
mod report;
pub(crate) mod schedule;
pub(crate) mod session;
pub mod source;
#[cfg(feature = "c")]
mod source_c;
mod streams;
mod strided;
pub(crate) mod tuned;
pub mod typed;
#[cfg(feature = "ndarray")]
mod typed_views;

pub(crate) use emit::{
    finish as finish_ptx, join as join_ptx, show as show_dumps, takes_schedules,
};
pub use gpu::emulated;
pub(crate) use gpu::{
    Trial, arch_of, chosen as chosen_device, open_device, trial, with_candidates,
};

use crate::dialects::memref::layout::has_identity_layout;
use crate::ir::diag::{DiagLoc, Diagnostic, NoSources, Renderer, SourceFile, SourceMap};
use crate::ir::pass::write_atomically;
use crate::opt::Outcome;
use crate::passes::transform::memref_plain_arguments;
use crate::progress::step;
use crate::runtime::check::{Comparison, compare};
use crate::runtime::dtype::DType;
use crate::runtime::npy;
use bind::Value;
use entry::Entry;
use executor::{Executor, Program};
use options::{RunOptions, Target};
use report::Report;
use source::ProgramText;
use std::path::Path;

/// Why nothing could run: the exit code, and what to say.
#[derive(Debug)]
pub enum RunError {
    /// The program is wrong, or went wrong. Exit code 1.
    Program(Vec<Diagnostic>),
    /// The command line is wrong. Exit code 2.
    Usage(Vec<String>),
    /// There is no such device here. Exit code 3.
    NoDevice(String),
}

impl RunError {
    /// What a tool does about it: the exit code, and the message for standard error.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            code: match self {
                RunError::Program(_) => 1,
                RunError::Usage(_) => 2,
                RunError::NoDevice(_) => 3,
            },
            stderr: format!("error: {self}\n"),
            ..Outcome::default()
        }
    }
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<String> = match self {
            RunError::Program(ds) => {
                let no_source = NoSources;
                vec![
                    Renderer::new(&no_source)
                        .render_all(ds)
                        .trim_end()
                        .to_string(),
                ]
            }
            RunError::Usage(ms) => ms.clone(),
            RunError::NoDevice(m) => vec![m.clone()],
        };
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for RunError {}

/// Make a program ready to be called: for embedding. `options` say the target and the
/// entry function.
///
/// # Errors
///
/// What in the program cannot be compiled for the target, or that there is no device.
pub fn compile(program: Program, options: &RunOptions) -> Result<Box<dyn Executor>, RunError> {
    let entry = program.callable(options.entry.as_deref())?;
    make(program, &entry, options)
}

impl From<Vec<Diagnostic>> for RunError {
    fn from(d: Vec<Diagnostic>) -> Self {
        RunError::Program(d)
    }
}

/// Run a program and report on standard output.
pub fn run(source: &ProgramText, options: &RunOptions) -> Outcome {
    crate::with_stack(|| {
        let mut out = Outcome::default();
        match run_inner(source, options) {
            Ok((report, passed)) => {
                out.stdout = report;
                out.code = i32::from(!passed);
            }
            Err(e) => fail_beside(&mut out, source, options, e),
        }
        out.stderr.insert_str(0, &options.instruments.take());
        out
    })
}

#[cfg(feature = "c")]
/// Print a form of what `terrace compile` makes of a program: of C what `terrace cc` makes.
pub fn compiled(source: &ProgramText, form: options::Emit, options: &RunOptions) -> Outcome {
    match source.language {
        source::Language::Mlir | source::Language::Formulas => emit(source, form, options),
        source::Language::C => crate::c::emit::emit(source, form, options),
    }
}

/// Print a form of a program as `terrace run` runs it.
pub fn emit(source: &ProgramText, form: options::Emit, options: &RunOptions) -> Outcome {
    crate::with_stack(|| {
        let mut out = Outcome::default();
        let _compiling = step(|| format!("compiling {}", source.name));
        match emit::emit(source, form, options) {
            Ok((s, said)) => {
                out.stdout = s;
                out.stderr = said;
            }
            Err(e) => fail_beside(&mut out, source, options, e),
        }
        out.stderr.insert_str(0, &options.instruments.take());
        out
    })
}

/// Write an object file of a program and what callers in other languages need. The files are called
/// as `stem`, or as the program's file in the current folder, with other endings.
pub fn write_object(
    source: &ProgramText,
    parts: &[object::Part],
    stem: Option<&str>,
    options: &RunOptions,
) -> Outcome {
    crate::with_stack(|| {
        let mut out = Outcome::default();
        let _compiling = step(|| format!("compiling {}", source.name));
        match object::object(source, options) {
            Ok(made) => {
                let name = Path::new(&source.name).file_stem();
                let name = name.map_or("program".into(), |n| n.to_string_lossy());
                let stem = stem.unwrap_or(&name);
                for p in parts {
                    let path = format!("{stem}{}", p.ending());
                    if let Err(e) = write_atomically(path.as_ref(), made.part(*p)) {
                        out.code = 1;
                        out.stderr += &format!("cannot open output file '{path}': {e}\n");
                    }
                }
            }
            Err(e) => fail_beside(&mut out, source, options, e),
        }
        out.stderr.insert_str(0, &options.instruments.take());
        out
    })
}

/// Put an error into an outcome, also one that is about the schedule beside a program.
fn fail_beside(out: &mut Outcome, source: &ProgramText, options: &RunOptions, e: RunError) {
    match (&options.schedule, &e) {
        (Some(s), RunError::Program(ds)) => {
            let mut files = SourceMap::new();
            for (name, text) in [(&source.name, &source.text), (&s.name, &s.text)] {
                if let Ok(file) = SourceFile::new(name.as_str(), text.as_str()) {
                    files.add(file);
                }
            }
            out.code = 1;
            out.stderr.push_str(&Renderer::new(&files).render_all(ds));
        }
        _ => fail(out, source, e),
    }
}

/// Put an error into an outcome.
pub(crate) fn fail(out: &mut Outcome, source: &ProgramText, e: RunError) {
    match e {
        RunError::Program(ds) => {
            out.code = 1;
            out.stderr.push_str(&source.render(&ds));
        }
        RunError::Usage(ms) => {
            out.code = 2;
            for m in ms {
                out.stderr.push_str(&format!("error: {m}\n"));
            }
        }
        RunError::NoDevice(m) => {
            out.code = 3;
            out.stderr.push_str(&format!("error: {m}\n"));
        }
    }
}

/// Diagnostics with their source lines.
fn render(file_name: &str, text: &str, ds: &[Diagnostic]) -> String {
    match SourceFile::new(file_name, text) {
        Ok(file) => Renderer::new(&file).render_all(ds),
        Err(_) => ds
            .iter()
            .map(|d| format!("error: {}\n", d.message))
            .collect(),
    }
}

/// Diagnostics with the source lines of several files, by their names.
fn render_all(files: &[(&String, &String)], ds: &[Diagnostic]) -> String {
    let mut sources = SourceMap::new();
    for (name, text) in files {
        if let Ok(file) = SourceFile::new(name.as_str(), text.as_str()) {
            sources.add(file);
        }
    }
    Renderer::new(&sources).render_all(ds)
}

/// The arguments of a call, from the command line and the program.
pub(crate) fn arguments(entry: &Entry, o: &RunOptions) -> Result<Vec<Value>, RunError> {
    let values = bind::bind(entry, &o.args, &o.sizes).map_err(RunError::Usage)?;
    bind::check_dims(entry, &values).map_err(|m| RunError::Usage(vec![m]))?;
    Ok(values)
}

pub(crate) fn copy(values: &[Value]) -> Result<Vec<Value>, RunError> {
    let v: Result<Vec<Value>, String> = values.iter().map(Value::try_clone).collect();
    v.map_err(|m| RunError::Program(vec![Diagnostic::error(DiagLoc::Unknown, m)]))
}

/// The report, and whether verification (if asked for) passed.
fn run_inner(source: &ProgramText, o: &RunOptions) -> Result<(String, bool), RunError> {
    if let (Some(number), Target::Cpu | Target::Interp) = (o.device, o.target) {
        return Err(RunError::Usage(vec![format!(
            "--device {number} is for --target gpu or emulator; found --target {}",
            o.target.name()
        )]));
    }
    if o.schedule.is_some() {
        emit::takes_schedules(source)?;
        emit::schedules_run_on(o.target)?;
    }
    emit::model_chooses_on(o.target, o)?;
    let compiling = step(|| format!("compiling {}", source.name));
    let mut program = o.instruments.time("Parser", || source.program())?;
    show_passes(&mut program, source, o, o.target);
    let entry = program.callable(o.entry.as_deref())?;
    let initial = arguments(&entry, o)?;
    let outs = outputs(&entry, o)?;
    let flops = match &entry.flops {
        Some(f) => Some(
            formula::evaluate(f, &bind::formula_names(&entry, &initial))
                .map_err(|m| RunError::Usage(vec![m]))?,
        ),
        None => None,
    };
    let mut known = o.clone();
    known.known_sizes = schedule::sizes_of_values(&initial);
    // Functions of C may write to the terminal themselves.
    let is_silent = cpu::c_functions(&program, &o.libraries).is_empty();
    let mut executor = make(program, &entry, &known)?;
    drop(compiling);
    let mut report = Report::new(&source.name, &entry, executor.place(), flops);
    if let Some(note) = executor.note() {
        report.head(note);
    }
    let mut last = None;
    let repeat = o.repeat.max(1);
    let running = is_silent.then(|| step(|| format!("running @{}", entry.name)));
    for number in 1..=repeat {
        let mut args = copy(&initial)?;
        let _call =
            (is_silent && repeat > 1).then(|| step(|| format!("call {number} of {repeat}")));
        let start = std::time::Instant::now();
        let results = executor.call(&mut args)?;
        report.add_call(start.elapsed(), executor.take_profile());
        last = Some((args, results));
    }
    drop(running);
    let Some((args, results)) = last else {
        return Ok((report.text(), true));
    };
    report.add_values(&args, &results);
    let mut passed = true;
    if o.verify {
        let _verifying = step(|| format!("verifying @{} by the interpreter", entry.name));
        let mut reference = copy(&initial)?;
        let again = source.program()?;
        let mut interp =
            interp::InterpExecutor::new(again, entry.clone()).with_libraries(&o.libraries);
        let expected = interp.call(&mut reference)?;
        passed = verify_values(
            &mut report,
            &entry,
            (&args, &results),
            (&reference, &expected),
            o.numerics.approximates() && matches!(o.target, Target::Gpu | Target::Emulator),
        );
    }
    for (place, path) in outs {
        let value = match place {
            Place::Parameter(i) => &args[i],
            Place::Result(i) => &results[i],
        };
        if let Value::Array(b) = value {
            npy::write(&path, b).map_err(|e| RunError::Usage(vec![e.to_string()]))?;
        }
    }
    Ok((report.text(), passed))
}

/// Show the passes that make a program ready for a target, if that is asked for.
fn show_passes(program: &mut Program, source: &ProgramText, o: &RunOptions, target: Target) {
    let about = format!("{} for {}", source.name, target.name());
    program.show(&o.instruments, about);
}

/// Where a value of a call stands.
#[derive(Clone, Copy)]
enum Place {
    Parameter(usize),
    Result(usize),
}

/// The arrays to write: those of parameters, and those of results, called `result0` and so on.
fn outputs(entry: &Entry, o: &RunOptions) -> Result<Vec<(Place, std::path::PathBuf)>, RunError> {
    let mut out = Vec::new();
    let mut errors = Vec::new();
    for s in &o.outs {
        let found = bind::position(entry, &s.key).map(Place::Parameter);
        let place = found.or_else(|e| bind::result(entry, &s.key).map(Place::Result).ok_or(e));
        let kind = |p: Place| match p {
            Place::Parameter(i) => &entry.params[i].kind,
            Place::Result(i) => &entry.results[i],
        };
        match place {
            Ok(p) if matches!(kind(p), entry::ParamKind::Array { .. }) => {
                out.push((p, s.path.clone()));
            }
            Ok(Place::Parameter(i)) => errors.push(format!(
                "--out {}: the parameter is no array",
                entry.params[i].name
            )),
            Ok(Place::Result(i)) => errors.push(format!("--out result{i}: the result is no array")),
            Err(e) => errors.push(e),
        }
    }
    if errors.is_empty() {
        Ok(out)
    } else {
        Err(RunError::Usage(errors))
    }
}

/// How far results of this type may be from the interpreter's: both round every
/// operation the same way, but sums may be taken in another order.
/// Approximations of the machine are of single precision only.
fn tolerance(d: DType, approximates: bool) -> f64 {
    match d {
        DType::F64 => 1e-10,
        DType::F32 if approximates => 1e-3,
        DType::F32 => 1e-4,
        DType::F16 | DType::BF16 => 5e-2,
        _ => 0.0,
    }
}

fn verify_values(
    report: &mut Report,
    entry: &Entry,
    now: (&[Value], &[Value]),
    reference: (&[Value], &[Value]),
    approximates: bool,
) -> bool {
    let found = differences(entry, now, reference, approximates);
    for w in &found.wrong {
        report.line(format!("verify   {w}"));
    }
    let passed = found.wrong.is_empty();
    let verdict = if passed { "passed" } else { "FAILED" };
    report.line(format!(
        "verify   {verdict} against the interpreter, largest relative error {:.2e}",
        found.largest
    ));
    passed
}

/// How results differ from others.
pub(crate) struct Differences {
    /// What is further off than it may be, in words.
    pub wrong: Vec<String>,
    /// The largest relative error.
    pub largest: f64,
}

/// Compares the arrays and results of a call with those of another one.
pub(crate) fn differences(
    entry: &Entry,
    (args, results): (&[Value], &[Value]),
    (reference, expected): (&[Value], &[Value]),
    approximates: bool,
) -> Differences {
    let mut wrong = Vec::new();
    let mut largest = 0.0f64;
    let names = entry.params.iter().map(|p| p.name.clone());
    let arguments = names.zip(args.iter().zip(reference));
    let given = (0..).map(|i| format!("result {i}"));
    let given = given.zip(results.iter().zip(expected));
    for (name, pair) in arguments.chain(given) {
        match pair {
            (Value::Array(a), Value::Array(r)) => {
                let c: Comparison = match compare(a, r) {
                    Ok(c) => c,
                    Err(e) => {
                        wrong.push(format!("{name}: {e}"));
                        continue;
                    }
                };
                largest = largest.max(c.max_rel.min(c.scaled_error()));
                if !c.within(tolerance(a.dtype(), approximates)) {
                    wrong.push(format!("{name}: {c}"));
                }
            }
            (Value::Scalar(a), Value::Scalar(r)) => {
                let (x, y) = (a.as_f64(), r.as_f64());
                let same = a.bits() == r.bits() || (x.is_nan() && y.is_nan());
                let error = match same {
                    true => 0.0,
                    false => (x - y).abs() / x.abs().max(y.abs()),
                };
                largest = largest.max(error);
                // NaN on one side makes the error NaN, which is too far.
                if error.is_nan() || error > tolerance(a.dtype(), approximates) {
                    wrong.push(format!("{name}: {x} instead of {y}"));
                }
            }
            _ => wrong.push(format!(
                "{name}: an array on one side, a number on the other"
            )),
        }
    }
    Differences { wrong, largest }
}

/// Lets the arrays that functions are called with lie in row-major order, as arguments do. The
/// interpreter takes programs as they are.
///
/// # Errors
///
/// What the pass reports.
fn plain_arguments(program: &mut Program, target: Target) -> Result<(), RunError> {
    let ctx = &program.ctx;
    let layouts = entry::public_functions(ctx, program.module)
        .iter()
        .any(|f| (f.inputs(ctx).iter()).any(|t| t.is_memref(ctx) && !has_identity_layout(ctx, *t)));
    if target != Target::Interp && layouts {
        let pass = memref_plain_arguments::INFO.name;
        program.run_pipeline(&format!("builtin.module({pass})"))?;
    }
    Ok(())
}

/// The program made ready for its target, with what calls it.
///
/// # Errors
///
/// What the passes or the code generator report, or that there is no such device.
pub fn make(
    mut program: Program,
    entry: &Entry,
    o: &RunOptions,
) -> Result<Box<dyn Executor>, RunError> {
    plain_arguments(&mut program, o.target)?;
    let entry = &entry.of(&program)?;
    if let (Some(true), Target::Gpu | Target::Emulator | Target::Interp) =
        (o.cores.flush_subnormals, o.target)
    {
        return Err(RunError::Usage(vec![format!(
            "subnormal numbers are flushed (--flush-subnormals) by --target cpu; found --target \
             {}; in kernels --ftz=true does it",
            o.target.name()
        )]));
    }
    o.cores.start()?;
    cpu::has_c_functions(&program, &o.libraries)?;
    let ranges = ranges::Ranges::of(&program, entry);
    let executor: Box<dyn Executor> = match o.target {
        Target::Interp => {
            let executor = interp::InterpExecutor::new(program, entry.clone());
            Box::new(executor.with_libraries(&o.libraries))
        }
        Target::Cpu => cpu::executor(program, entry, o)?,
        Target::Gpu | Target::Emulator => gpu::executor(program, entry, o)?,
    };
    Ok(ranges.explain(executor))
}
