//! `terrace calibrate`: measures the machine at hand.
//!
//! Kernels written in MLIR ([`kernels`]) are compiled by terrace itself and timed through
//! the runtime's device ([`bench`]); each figure is the median of several launches
//! ([`measure`]). They are shown beside the built-in description ([`report`]).

pub mod bench;
pub mod kernels;
pub mod measure;
pub mod report;

use crate::opt::Outcome;
use crate::run::options::Target;
use crate::run::{RunError, open_device};
use crate::targets::machine::by_name;
use bench::{Bench, said};
use measure::Effort;

/// What to measure.
#[derive(Debug, Clone)]
pub struct CalibrateOptions {
    /// A GPU, or the emulator to see that all of it works.
    pub target: Target,
    pub device: Option<usize>,
}

/// Measures, and gives the table.
pub fn calibrate(o: &CalibrateOptions) -> Outcome {
    match crate::with_stack(|| run(o)) {
        Ok(stdout) => Outcome {
            stdout,
            ..Outcome::default()
        },
        Err(e) => Outcome {
            code: match e {
                RunError::Program(_) => 1,
                RunError::Usage(_) => 2,
                RunError::NoDevice(_) => 3,
            },
            stderr: format!("error: {e}\n"),
            ..Outcome::default()
        },
    }
}

fn run(o: &CalibrateOptions) -> Result<String, RunError> {
    let device = open_device(o.target, o.device)?;
    let effort = match o.target {
        Target::Emulator => Effort::tiny(),
        _ => Effort::of(device.info(), device.memory().map_err(said)?.free),
    };
    let bench = Bench::new(&device, effort.repetitions)?;
    let figures = measure::measure(&bench, &effort)?;
    Ok(report::table(
        &device.info().name,
        &figures,
        by_name(&bench.arch).ok(),
    ))
}
