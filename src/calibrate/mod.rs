//! `terrace calibrate`: measures the machine at hand.
//!
//! Kernels written in MLIR (`kernels`) are compiled by terrace itself and timed through
//! the runtime's device (`bench`); each figure is the median of several launches
//! (`measure`). They are shown beside the built-in description, become one (`report`),
//! and are kept where later runs look for them (`store`). The host's cores are measured by loops
//! of Rust (`cores`).

pub(crate) mod bench;
pub(crate) mod choice;
pub(crate) mod cores;
pub(crate) mod kernels;
pub(crate) mod measure;
pub(crate) mod report;
pub(crate) mod store;

pub use choice::cores_in;

use crate::ir::pass::write_atomically;
use crate::opt::Outcome;
use crate::progress::step;
use crate::run::options::Target;
use crate::run::{RunError, open_device};
use crate::targets::machine::{Arch, by_name};
use bench::{Bench, said};
use measure::Effort;
use std::path::{Path, PathBuf};

/// What to measure, and where to keep it.
#[derive(Debug, Clone)]
pub struct CalibrateOptions {
    /// A GPU, or the emulator to see that all of it works, or the host's cores.
    pub target: Target,
    /// The number of the device, from 0; what `TERRACE_DEVICE` says, else 0, where none is given.
    pub device: Option<usize>,
    /// The file to write; beside the compiled kernels where none is named.
    pub output: Option<PathBuf>,
}

/// Measures, writes the description, and gives the table. What is measured on the emulator
/// is written only where a file is named, since it says nothing.
pub fn calibrate(o: &CalibrateOptions) -> Outcome {
    match crate::with_stack(|| run(o)) {
        Ok(stdout) => Outcome {
            stdout,
            ..Outcome::default()
        },
        Err(e) => e.outcome(),
    }
}

fn run(o: &CalibrateOptions) -> Result<String, RunError> {
    let usage = |m: String| RunError::Usage(vec![m]);
    if o.target == Target::Cpu {
        return host(o);
    }
    let device = open_device(o.target, o.device)?;
    let info = device.info();
    let effort = match o.target {
        Target::Emulator => Effort::tiny(),
        _ => Effort::of(info, device.memory().map_err(said)?.free),
    };
    let bench = Bench::new(&device, effort.repetitions)?;
    let _step = step(|| format!("measuring {}", info.name));
    let built_in = by_name(&bench.arch).map_err(usage)?;
    let measured = measure::measure(&bench, &effort)?;
    let mut out = report::table(info, &measured, built_in);
    let place = match (&o.output, o.target) {
        (Some(file), _) => Some(file.clone()),
        (None, Target::Emulator) => None,
        (None, _) => store::folder().map_err(usage)?.map(|folder| {
            let arch: Arch = built_in.arch;
            store::path(&folder, &info.name, arch)
        }),
    };
    match place {
        Some(file) => {
            let text = report::file(&report::described(info, built_in, &measured));
            save(&file, &text).map_err(usage)?;
            out.push_str(&format!("written to {}\n", file.display()));
        }
        None => out.push_str("not written: no file is named\n"),
    }
    Ok(out)
}

/// Measures the host's cores.
fn host(o: &CalibrateOptions) -> Result<String, RunError> {
    let usage = |m: String| RunError::Usage(vec![m]);
    if let Some(number) = o.device {
        return Err(usage(format!(
            "--device {number} is for --target gpu or emulator; found --target cpu"
        )));
    }
    let _step = step(|| "measuring the cores".to_string());
    let found = cores::measure(&cores::Effort::default()).map_err(usage)?;
    let mut out = cores::table(&found);
    let file = match &o.output {
        Some(file) => Some(file.clone()),
        None => store::folder().map_err(usage)?.map(|f| f.join(cores::FILE)),
    };
    match file {
        Some(file) => {
            let text = format!(
                "# Measured by terrace calibrate --target cpu.\n{}",
                found.write()
            );
            save(&file, &text).map_err(usage)?;
            out.push_str(&format!("written to {}\n", file.display()));
        }
        None => out.push_str("not written: no file is named\n"),
    }
    Ok(out)
}

/// Writes a file whole, its folder made where there is none.
fn save(file: &Path, text: &str) -> Result<(), String> {
    let said = |e: &dyn std::fmt::Display| format!("cannot write '{}': {e}", file.display());
    if let Some(folder) = file.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| said(&e))?;
    }
    write_atomically(file, text).map_err(|e| said(&e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::machine::RATES;

    #[test]
    fn all_of_it_works_on_the_emulator() {
        let file = std::env::temp_dir().join(format!("calibrated-{}.machine", std::process::id()));
        let outcome = calibrate(&CalibrateOptions {
            target: Target::Emulator,
            device: None,
            output: Some(file.clone()),
        });
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        let written = store::load_file(&file).unwrap().unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(written.part.starts_with("the emulator"));
        let lines = RATES
            .iter()
            .filter(|r| outcome.stdout.contains(r.key))
            .count();
        assert!(lines >= 20, "{}", outcome.stdout);
    }

    #[test]
    fn cores_have_no_number_and_the_interpreter_is_no_machine() {
        let said = |target, device| {
            let outcome = calibrate(&CalibrateOptions {
                target,
                device,
                output: None,
            });
            assert_eq!(outcome.code, 2);
            outcome.stderr
        };
        let stderr = said(Target::Cpu, Some(1));
        let expected = "--device 1 is for --target gpu or emulator; found --target cpu";
        assert!(stderr.contains(expected), "{stderr}");
        let stderr = said(Target::Interp, None);
        let expected = "found target interp, expected gpu or emulator";
        assert!(stderr.contains(expected), "{stderr}");
    }
}
