//! `terrace mappings`.

use std::path::PathBuf;
use terrace::mappings::Size;
use terrace::mappings::command::{
    CompareOptions, MeasureOptions, run_compare, run_measure, run_show,
};
use terrace::opt::Outcome;
use terrace::run::options::{Model, Target};

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
    /// Hold a cost model's predictions against a table that was measured
    Compare(Compare),
    /// Print the loops and the PTX of one mapping
    Show {
        /// The kernel's file
        file: PathBuf,
        /// The number of the mapping, from 0
        #[arg(long, value_name = "N", default_value_t = 0)]
        point: usize,
        /// The GPU architecture
        #[arg(long = "target-arch", value_name = "sm_NN", default_value = "sm_90", value_parser = super::run::arch)]
        arch: String,
    },
}

#[derive(clap::Args)]
struct Compare {
    /// The table, as measure writes it
    table: PathBuf,
    /// The folder of its kernels, or one
    path: PathBuf,
    /// Only the kernel of this name; may be repeated
    #[arg(long = "kernel", value_name = "NAME")]
    kernels: Vec<String>,
    /// The machine's architecture
    #[arg(long = "target-arch", value_name = "sm_NN", default_value = "sm_90", value_parser = super::run::arch)]
    arch: String,
    /// A description of the machine, as calibrate writes it, in place of the built-in one
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// exact or table
    #[arg(long, value_name = "MODEL", default_value = "exact", value_parser = Model::parse)]
    cost_model: Model,
    /// Draw predicted against measured times, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Write every point, as CSV
    #[arg(long, value_name = "FILE")]
    points: Option<PathBuf>,
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
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = super::run::at_least_one)]
    launches: usize,
    /// Every Nth mapping only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = super::run::at_least_one)]
    every: usize,
    /// Write here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

pub fn main(a: Args) -> Outcome {
    match a.action {
        What::Show { file, point, arch } => run_show(&file, point, &arch),
        What::Compare(c) => run_compare(&CompareOptions {
            table: c.table,
            path: c.path,
            kernels: c.kernels,
            arch: c.arch,
            machine: c.machine,
            model: c.cost_model,
            plot: c.plot,
            points: c.points,
        }),
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
