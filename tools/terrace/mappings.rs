//! `terrace mappings`.

use std::path::PathBuf;
use terrace::mappings::Size;
use terrace::mappings::command::{MeasureOptions, run_measure, run_show};
use terrace::opt::Outcome;
use terrace::run::options::Target;

/// Exit codes: 0 ok, 1 results differ, 2 the command line or a kernel is wrong, 3 there is
/// no such device.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Measure all mappings of kernels, as CSV
    Measure(Measure),
    /// Print the loops and the PTX of one mapping
    Show {
        /// The kernel's file
        file: PathBuf,
        /// The number of the mapping, from 0
        #[arg(long, value_name = "N", default_value_t = 0)]
        point: usize,
        /// The GPU architecture
        #[arg(long = "target-arch", value_name = "sm_NN", default_value = "sm_90")]
        arch: String,
    },
}

#[derive(clap::Args)]
struct Measure {
    /// A folder of kernels, or one
    path: PathBuf,
    /// Only the kernel of this name; may be repeated
    #[arg(long = "kernel", value_name = "NAME")]
    kernels: Vec<String>,
    /// gpu or emulator
    #[arg(long, default_value = "gpu", value_parser = Target::parse)]
    target: Target,
    /// The number of the GPU, from 0; else what TERRACE_DEVICE says
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// The sizes for the emulator
    #[arg(long)]
    small: bool,
    /// Timed launches of each
    #[arg(long, value_name = "N", default_value_t = 5)]
    launches: usize,
    /// Every Nth mapping only
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Write here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

pub fn main(a: Args) -> Outcome {
    match a.action {
        What::Show { file, point, arch } => run_show(&file, point, &arch),
        What::Measure(m) => {
            let outcome = run_measure(&MeasureOptions {
                path: m.path,
                kernels: m.kernels,
                target: m.target,
                device: m.device,
                size: if m.small { Size::Small } else { Size::Full },
                launches: m.launches,
                every: m.every,
            });
            match m.output {
                Some(path) => outcome.redirect(&path),
                None => outcome,
            }
        }
    }
}
