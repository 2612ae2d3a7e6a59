//! `terrace tune`.

use super::run::{arg_spec, size};
use crate::model::ModelFlags;
use crate::numerics::GpuFlags;
use std::time::Duration;
use terrace::opt::Outcome;
use terrace::progress;
use terrace::run::options::{RunOptions, Target};
use terrace::run::source::read_program;
use terrace::runtime::argspec::ArgSpec;
use terrace::tune::{TuneOptions, tune};

/// Exit codes: 0 ok, 1 the program is wrong or results differ, 2 the command line is wrong,
/// 3 the device is not available on this machine.
#[derive(clap::Args)]
pub struct Args {
    /// The program, C, formulas or MLIR text; - for standard input, as MLIR
    file: String,
    /// The function to call; the first public one by default
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where to measure: gpu, or emulator, which counts instructions and sectors instead
    #[arg(long, default_value = "gpu", value_parser = Target::parse)]
    target: Target,
    /// The number of the GPU, from 0; else what TERRACE_DEVICE says
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// An argument, as for terrace run
    #[arg(long = "arg", value_name = "K=VALUE", value_parser = arg_spec)]
    args: Vec<ArgSpec>,
    /// The size of a named dimension, in place of the program's own default
    #[arg(long = "size", value_name = "DIM=N", value_parser = size)]
    sizes: Vec<(String, usize)>,
    /// Mappings of each nest of loops, the best by the cost model
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    candidates: u16,
    /// Timed runs of each, after one that is not; of each launch the least time counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,
    /// Measure for so long, and take the fastest of what was tried by then; a run that has
    /// begun is finished
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0, value_parser = seconds)]
    budget: f64,
    /// Compare results with the reference interpreter, not with the first run
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    gpu: GpuFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    c: super::compile::CFlags,
}

/// Seconds, up to a year.
fn seconds(s: &str) -> Result<f64, String> {
    match s.parse::<f64>() {
        Ok(n) if (0.0..=31_536_000.0).contains(&n) => Ok(n),
        _ => Err(format!("found `{s}`, expected seconds from 0 to 31536000")),
    }
}

pub fn main(a: Args) -> Outcome {
    let source = match read_program(&a.file, &mut std::io::stdin(), &a.c.words()) {
        Ok(p) => p,
        Err(outcome) => return outcome,
    };
    let mut run = RunOptions {
        target: a.target,
        entry: a.entry,
        args: a.args,
        sizes: a.sizes,
        device: a.device,
        verify: a.verify,
        ..RunOptions::default()
    };
    a.gpu.tell(&mut run);
    a.model.tell(&mut run);
    tune(
        &source,
        &TuneOptions {
            run,
            candidates: a.candidates.into(),
            repeat: a.repeat.into(),
            budget: Duration::from_secs_f64(a.budget),
            say: |line| {
                // A line for each mapping, for a person who waits.
                if progress::is_shown() {
                    progress::say(line);
                }
            },
        },
    )
}
