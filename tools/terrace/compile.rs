//! `terrace compile`.

use terrace::opt::Outcome;
use terrace::run::options::{Emit, RunOptions, Target};

#[derive(clap::Args)]
pub struct Args {
    /// The program, as MLIR text or C; - for MLIR on standard input
    file: String,
    /// What to print: mlir, ptx, clif or asm
    #[arg(long, value_name = "FORM", value_parser = Emit::parse)]
    emit: Emit,
    /// The target whose code is made: cpu or gpu (by default what the form needs)
    #[arg(long, value_parser = Target::parse)]
    target: Option<Target>,
    /// The GPU architecture to emit PTX for
    #[arg(long, default_value = "sm_90")]
    arch: String,
    /// Write here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Options for the C compiler's preprocessor, of a C file
    #[arg(last = true)]
    cc: Vec<String>,
}

pub fn main(a: Args) -> Outcome {
    if terrace::c::mlir::is_c(&a.file) && a.emit == Emit::Mlir {
        let outcome = terrace::c::mlir::module_text(&a.file, &a.cc);
        return match a.output {
            Some(path) if outcome.code == 0 => outcome.redirect(&path),
            _ => outcome,
        };
    }
    let (name, text) = match terrace::run::read_program(&a.file, &mut std::io::stdin()) {
        Ok(p) => p,
        Err(outcome) => return outcome,
    };
    let default = if a.emit == Emit::Ptx {
        Target::Gpu
    } else {
        Target::Cpu
    };
    let options = RunOptions {
        target: a.target.unwrap_or(default),
        arch: a.arch,
        ..RunOptions::default()
    };
    let outcome = terrace::run::emit(&name, &text, a.emit, &options);
    match a.output {
        Some(path) if outcome.code == 0 => outcome.redirect(&path),
        _ => outcome,
    }
}
