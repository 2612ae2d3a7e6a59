//! `terrace calibrate`.

use terrace::calibrate::{CalibrateOptions, calibrate};
use terrace::opt::Outcome;
use terrace::run::options::Target;

/// Exit codes: 0 ok, 1 something went wrong, 2 the command line is wrong, 3 there is no
/// such device.
#[derive(clap::Args)]
pub struct Args {
    /// The number of the GPU, from 0; else what TERRACE_DEVICE says
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// gpu, cpu for the host's cores, or emulator to see that all of it works (its figures say
    /// nothing)
    #[arg(long, default_value = "gpu", value_parser = Target::parse)]
    target: Target,
    /// Write the description here, instead of beside the compiled kernels
    #[arg(short, long, value_name = "FILE")]
    output: Option<std::path::PathBuf>,
}

pub fn main(a: Args) -> Outcome {
    calibrate(&CalibrateOptions {
        target: a.target,
        device: a.device,
        output: a.output,
    })
}
