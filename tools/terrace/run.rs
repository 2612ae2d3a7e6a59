//! `terrace run`.

use crate::instruments::InstrumentFlags;
use crate::model::ModelFlags;
use crate::numerics::GpuFlags;
use terrace::opt::Outcome;
use terrace::run::main_of_c::{Words, is_whole, run_main};
use terrace::run::options::{BoundsChecks, CoreOptions, Emit, RunOptions, Target};
use terrace::run::source::{import_program, read_program};
use terrace::runtime::argspec::{ArgSpec, OutSpec};
use terrace::runtime::support::c_functions::Libraries;
use terrace::targets::machine::Cores;

/// Exit codes: 0 ok, 1 the program is wrong or failed verification, 2 the command line
/// is wrong, 3 the target is not available on this machine.
#[derive(clap::Args)]
pub struct Args {
    /// The program, C, formulas or MLIR text; - for standard input, as MLIR
    file: String,
    /// Of a C program whose main is to run: its arguments; those that begin with a dash stand behind
    /// a second --
    #[arg(value_name = "ARGUMENT")]
    words: Vec<String>,
    /// Read the program by MLIR's own parser, text or bytecode, and have MLIR's passes make loops of
    /// linalg, tensors, tosa and more; the program terrace-mlir does it
    #[arg(long)]
    mlir_import: bool,
    /// The function to call; the first public one by default
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where to run: cpu, gpu, emulator or interp
    #[arg(long, default_value = "cpu", value_parser = Target::parse)]
    target: Target,
    /// An argument: a number, zeros|iota|random[:SHAPE[:SEED]], or @file.npy
    #[arg(long = "arg", value_name = "K=VALUE", value_parser = arg_spec)]
    args: Vec<ArgSpec>,
    /// The size of a named dimension, in place of the program's own default
    #[arg(long = "size", value_name = "DIM=N", value_parser = size)]
    sizes: Vec<(String, usize)>,
    /// Write an array to a file after the run
    #[arg(long = "out", value_name = "K=FILE.npy", value_parser = out_spec)]
    outs: Vec<OutSpec>,
    /// Call the function this many times, each with the same arguments
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = at_least_one)]
    repeat: usize,
    /// Compare the results with the reference interpreter
    #[arg(long)]
    verify: bool,
    /// Do not stop the program where it is out of bounds, frees memory twice or nests calls
    /// without end: it must not
    #[arg(long)]
    no_bounds_checks: bool,
    /// Take functions of C that the program calls from this library. Calls of them are not checked
    #[arg(long, value_name = "FILE.so")]
    load: Vec<std::path::PathBuf>,
    /// The number of the GPU, from 0; else what TERRACE_DEVICE says
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// How many threads loops are spread over; else what TERRACE_NUM_THREADS says, else one a core
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Keep each of these threads on one core, as TERRACE_PIN_THREADS=1
    #[arg(long)]
    pin_threads: bool,
    /// Take subnormal numbers for zero in code for the CPU, as TERRACE_FLUSH_SUBNORMALS=1
    #[arg(long)]
    flush_subnormals: bool,
    /// Make loops fast for the cores that this file describes, as calibrate --target cpu writes it
    #[arg(long, value_name = "FILE", value_parser = cores)]
    cores: Option<Box<Cores>>,
    /// Print a form of the program instead of running it: mlir, ptx, clif, asm or schedule; of C also hir
    #[arg(long, value_name = "FORM", value_parser = Emit::parse)]
    emit: Option<Emit>,
    #[command(flatten)]
    schedule: super::compile::ScheduleFlags,
    /// The GPU architecture to emit PTX for
    #[arg(
        long = "target-arch",
        visible_alias = "arch",
        value_name = "sm_NN",
        default_value = "sm_90",
        value_parser = arch
    )]
    arch: String,
    #[command(flatten)]
    passes: InstrumentFlags,
    #[command(flatten)]
    gpu: GpuFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    c: super::compile::CFlags,
}

/// What `--no-bounds-checks` asks for.
pub fn checks(no: bool) -> BoundsChecks {
    match no {
        false => BoundsChecks::default(),
        // SAFETY: nothing can know that here; the user, who wrote the option, promises it.
        true => unsafe { BoundsChecks::off() },
    }
}

pub fn arg_spec(s: &str) -> Result<ArgSpec, String> {
    ArgSpec::parse(s).map_err(|e| e.to_string())
}

fn out_spec(s: &str) -> Result<OutSpec, String> {
    OutSpec::parse(s).map_err(|e| e.to_string())
}

/// How often something is to be done.
pub fn at_least_one(s: &str) -> Result<usize, String> {
    match s.parse() {
        Ok(n) if n >= 1 => Ok(n),
        _ => Err(format!("found `{s}`, expected a whole number from 1")),
    }
}

/// The name of an architecture that there is a description of.
pub fn arch(s: &str) -> Result<String, String> {
    terrace::targets::machine::by_name(s)?;
    Ok(s.to_string())
}

/// The cores that a file describes.
fn cores(file: &str) -> Result<Box<Cores>, String> {
    terrace::calibrate::cores_in(file.as_ref()).map(Box::new)
}

pub fn size(s: &str) -> Result<(String, usize), String> {
    let (name, n) = s
        .split_once('=')
        .ok_or(format!("found `{s}`, expected DIM=N, such as N=512"))?;
    let n = n
        .parse()
        .map_err(|_| format!("found `{n}` as a size, expected a whole number"))?;
    Ok((name.to_string(), n))
}

pub fn main(a: Args) -> Outcome {
    let words = Words::new(&a.words, a.c.words());
    let flags = words.compiler.clone();
    let read = match a.mlir_import {
        true => import_program(&a.file, &mut std::io::stdin()),
        false => read_program(&a.file, &mut std::io::stdin(), &flags),
    };
    let source = match read {
        Ok(p) => p,
        Err(outcome) => return outcome,
    };
    let tuned = a.schedule.tuned();
    let (emit, schedule) = match a.schedule.read(a.emit) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let mut libraries = Libraries::default();
    for path in &a.load {
        // SAFETY: nothing can know that here; the user, who names the library, promises it.
        if let Err(m) = unsafe { libraries.open(path) } {
            return Outcome {
                code: 2,
                stderr: format!("error: --load: {m}\n"),
                ..Outcome::default()
            };
        }
    }
    let mut options = RunOptions {
        libraries,
        target: a.target,
        schedule,
        tuned,
        entry: a.entry,
        args: a.args,
        sizes: a.sizes,
        outs: a.outs,
        repeat: a.repeat,
        verify: a.verify,
        checks: checks(a.no_bounds_checks),
        device: a.device,
        cores: CoreOptions {
            threads: a.threads,
            pin: a.pin_threads.then_some(true),
            flush_subnormals: a.flush_subnormals.then_some(true),
            machine: a.cores.map_or_else(Cores::default, |c| *c),
        },
        arch: a.arch,
        ..RunOptions::default()
    };
    a.passes.tell(&mut options);
    a.gpu.tell(&mut options);
    a.model.tell(&mut options);
    if emit.is_none() && is_whole(&source, &options) {
        let terrace = std::env::current_exe().unwrap_or_else(|_| "terrace".into());
        return run_main(&terrace, &a.file, &options, &words);
    }
    if let [first, ..] = words.program.as_slice() {
        let m = format!(
            "error: found '{first}', which would be an argument of main: a function gets its \
             arguments by --arg\n"
        );
        return Outcome {
            code: 2,
            stderr: m,
            ..Outcome::default()
        };
    }
    match emit {
        Some(form) => terrace::run::emit(&source, form, &options),
        None => terrace::run::run(&source, &options),
    }
}
