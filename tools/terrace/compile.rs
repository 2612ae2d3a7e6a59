//! `terrace compile`.

use crate::instruments::InstrumentFlags;
use crate::model::ModelFlags;
use crate::numerics::GpuFlags;
use terrace::opt::Outcome;
use terrace::run::object::Part;
use terrace::run::options::{DumpTo, Emit, RunOptions, ScheduleText, Target};
use terrace::run::source::{Language, import_program, read_program, read_schedule};

#[derive(clap::Args)]
pub struct Args {
    /// The program, C, formulas or MLIR text; - for standard input, as MLIR
    file: String,
    /// Read the program by MLIR's own parser, text or bytecode, and have MLIR's passes make loops of
    /// linalg, tensors, tosa and more; the program terrace-mlir does it
    #[arg(long)]
    mlir_import: bool,
    /// What to print: mlir, ptx, clif, asm or schedule; of C also hir. Or what to write to files, of
    /// obj, header, fortran and rust, with commas between them
    #[arg(long, value_name = "FORM", value_parser = Form::parse, required_unless_present = "print_schedule")]
    emit: Option<Form>,
    #[command(flatten)]
    schedule: ScheduleFlags,
    /// The target whose code is made: cpu or gpu (by default what the form needs)
    #[arg(long, value_parser = Target::parse)]
    target: Option<Target>,
    /// The GPU architecture to emit PTX for
    #[arg(
        long = "target-arch",
        visible_alias = "arch",
        value_name = "sm_NN",
        default_value = "sm_90",
        value_parser = super::run::arch
    )]
    arch: String,
    /// Print PTX after each pass of its optimiser that changed something, on standard
    /// error, or into files in a folder
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    dump_passes: Option<String>,
    /// Make code for the CPU that does not stop where it is out of bounds
    #[arg(long)]
    no_bounds_checks: bool,
    /// Put the lines of the source above the PTX that they became
    #[arg(long)]
    annotate: bool,
    /// Write here instead of to standard output; files have this name and .o, .h, _interface.f90, .rs
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    #[command(flatten)]
    passes: InstrumentFlags,
    #[command(flatten)]
    gpu: GpuFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    c: CFlags,
}

/// What is made of a program.
#[derive(Debug, Clone)]
enum Form {
    /// A text.
    Text(Emit),
    /// Files for programs in other languages.
    Files(Vec<Part>),
}

impl Form {
    fn parse(s: &str) -> Result<Form, String> {
        let part = |w: &str| Part::NAMES.iter().find(|(n, _)| *n == w).map(|(_, p)| *p);
        if s.split(',').any(|w| part(w).is_some()) {
            let all = s.split(',').map(|w| {
                part(w).ok_or_else(|| {
                    format!(
                        "found `{w}`, expected obj, header, fortran or rust beside others of these"
                    )
                })
            });
            return Ok(Form::Files(all.collect::<Result<_, _>>()?));
        }
        let text = Emit::parse(s).map(Form::Text);
        text.map_err(|m| m.replace(" or schedule", ", schedule, obj, header, fortran or rust"))
    }
}

/// What is done to loops on a GPU.
#[derive(clap::Args)]
pub struct ScheduleFlags {
    /// Print what is done to the loops on a GPU, as --emit schedule
    #[arg(long, conflicts_with = "emit")]
    print_schedule: bool,
    /// Do to the loops what this file says, as --print-schedule prints it
    #[arg(long, value_name = "FILE")]
    schedule: Option<String>,
    /// Do not use what terrace tune has kept for this program, these sizes and this GPU
    #[arg(long)]
    no_tuned: bool,
}

impl ScheduleFlags {
    /// Whether what was tuned is used.
    pub fn tuned(&self) -> bool {
        !self.no_tuned
    }

    /// The form to print, and the schedule read.
    pub fn read(self, emit: Option<Emit>) -> Result<(Option<Emit>, Option<ScheduleText>), Outcome> {
        let given = self.schedule.map(|path| read_schedule(&path)).transpose()?;
        Ok((
            emit.or(self.print_schedule.then_some(Emit::Schedule)),
            given,
        ))
    }
}

/// What goes to the C preprocessor.
#[derive(clap::Args)]
pub struct CFlags {
    /// Look for headers of a C program here too
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// Define a macro of a C program
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    define: Vec<String>,
    /// More options for the C preprocessor
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
}

impl CFlags {
    /// As words of the compiler's command line.
    pub fn words(&self) -> Vec<String> {
        let of = |prefix: &str, v: &[String]| -> Vec<String> {
            v.iter().map(|x| format!("{prefix}{x}")).collect()
        };
        let options = self.options.clone();
        [of("-I", &self.include), of("-D", &self.define), options].concat()
    }
}

pub fn main(a: Args) -> Outcome {
    let flags = a.c.words();
    let read = match a.mlir_import {
        true => import_program(&a.file, &mut std::io::stdin()),
        false => read_program(&a.file, &mut std::io::stdin(), &flags),
    };
    let source = match read {
        Ok(p) => p,
        Err(outcome) => return outcome,
    };
    let tuned = a.schedule.tuned();
    let (text, files) = match a.emit {
        Some(Form::Text(emit)) => (Some(emit), Vec::new()),
        Some(Form::Files(parts)) => (None, parts),
        None => (None, Vec::new()),
    };
    let (emit, schedule) = match a.schedule.read(text) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let emit = emit.unwrap_or(Emit::Schedule);
    let default = match (emit, source.language) {
        _ if !files.is_empty() => Target::Cpu,
        (Emit::Ptx | Emit::Schedule, _) => Target::Gpu,
        // As the front end has it: what no target has changed yet.
        (Emit::Mlir, Language::C | Language::Formulas) => Target::Interp,
        _ => Target::Cpu,
    };
    let mut options = RunOptions {
        target: a.target.unwrap_or(default),
        arch: a.arch,
        dump_passes: a.dump_passes.map(|dir| match dir.is_empty() {
            true => DumpTo::Shown,
            false => DumpTo::Folder(dir.into()),
        }),
        annotate: a.annotate,
        checks: super::run::checks(a.no_bounds_checks),
        schedule,
        tuned,
        ..RunOptions::default()
    };
    a.passes.tell(&mut options);
    a.gpu.tell(&mut options);
    a.model.tell(&mut options);
    if !files.is_empty() {
        return terrace::run::write_object(&source, &files, a.output.as_deref(), &options);
    }
    let outcome = terrace::run::compiled(&source, emit, &options);
    match a.output {
        Some(path) if outcome.code == 0 => outcome.redirect(&path),
        _ => outcome,
    }
}
