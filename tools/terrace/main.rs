//! `terrace`: compile and run programs.

mod cache;
mod calibrate;
mod cc;
mod commands;
mod compile;
mod completions;
mod doctor;
mod explain;
mod instruments;
mod manual;
mod mappings;
mod model;
mod numerics;
mod run;
mod tune;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use terrace::opt::Outcome;

/// Compile affine loop programs for CPUs and NVIDIA GPUs, and run them.
#[derive(Parser)]
#[command(name = "terrace", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile a program and run it
    Run(run::Args),
    /// Compile a program and print or write what it becomes
    Compile(compile::Args),
    /// Compile C as the system's C compiler does, with regions for GPUs and threads
    Cc(cc::Args),
    /// Measure mappings of a program's loops to the GPU at hand, and keep the fastest
    Tune(tune::Args),
    /// Say what becomes of each loop of a C file, and why
    Explain(explain::Args),
    /// Show or clear the cache of compiled kernels
    Cache(cache::Args),
    /// Measure the GPU at hand: bandwidths, latencies, rates
    Calibrate(calibrate::Args),
    /// Say what of this machine terrace can use, and what each lack costs
    Doctor(doctor::Args),
    /// Print what a shell needs to complete the command lines of our tools
    Completions(completions::Args),
    /// Write the pages of the manual, for packages
    #[command(hide = true)]
    Manual(manual::Args),
    /// Measure mappings of loops to a GPU, for work on the cost model
    #[command(hide = true)]
    Mappings(mappings::Args),
}

fn main() {
    terrace_support::unfinished::install();
    terrace::progress::on_terminal();
    // The words behind `cc` are a C compiler's: `--help` and `--version` too.
    let args: Vec<OsString> = std::env::args_os().collect();
    match &args[..] {
        [name, rest @ ..] if terrace::c::driver::is_driver_name(name) => {
            std::process::exit(cc::run(rest));
        }
        [_, cc, rest @ ..] if cc == "cc" => std::process::exit(cc::run(rest)),
        _ => {}
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // A wrong command line.
        Err(e) if e.use_stderr() => e.exit(),
        Err(help) => {
            let shown = Outcome {
                stdout: help.render().to_string(),
                ..Outcome::default()
            };
            shown.write_and_exit()
        }
    };
    let outcome = match cli.command {
        Command::Run(a) => run::main(a),
        Command::Compile(a) => compile::main(a),
        Command::Cc(a) => std::process::exit(cc::main(a)),
        Command::Tune(a) => tune::main(a),
        Command::Explain(a) => explain::main(a),
        Command::Cache(a) => cache::main(a),
        Command::Calibrate(a) => calibrate::main(a),
        Command::Doctor(a) => doctor::main(a),
        Command::Completions(a) => completions::main(a),
        Command::Manual(a) => manual::main(a),
        Command::Mappings(a) => mappings::main(a),
    };
    outcome.write_and_exit();
}
