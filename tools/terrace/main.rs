//! `terrace`: compile and run programs.

mod compile;
mod run;

use clap::{Parser, Subcommand};

/// Compile affine loop programs for CPUs and NVIDIA GPUs, and run them.
#[derive(Parser)]
#[command(name = "terrace", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile a program and run it
    Run(run::Args),
    /// Compile a program and print or write what it becomes
    Compile(compile::Args),
}

fn main() {
    let outcome = match Cli::parse().command {
        Command::Run(a) => run::main(a),
        Command::Compile(a) => compile::main(a),
    };
    outcome.write_and_exit();
}
