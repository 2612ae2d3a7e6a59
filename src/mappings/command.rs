//! `terrace mappings`.

use super::compare::{self, Compared};
use super::generate::{Mapper, with_loops};
use super::kernel::{Kernel, Size};
use super::measure::{Effort, measure};
use super::model;
use super::{plot, read_kernels, space, table};
use crate::calibrate::choice::named;
use crate::ir::pass::write_atomically;
use crate::opt::Outcome;
use crate::run::options::{Model, Target};
use crate::run::{RunError, open_device};
use crate::targets::machine::by_name;
use std::path::PathBuf;

/// What to measure, and on what.
#[derive(Debug, Clone)]
pub struct MeasureOptions {
    /// A folder of kernels, or one.
    pub path: PathBuf,
    /// The names of kernels to measure; all where none is named.
    pub kernels: Vec<String>,
    /// A GPU, or the emulator.
    pub target: Target,
    /// The number of the device, from 0; what `TERRACE_DEVICE` says, else 0, where none is given.
    pub device: Option<usize>,
    /// Which of their sizes the kernels have.
    pub size: Size,
    /// Timed launches of each mapping, of which the median counts. One that is not timed comes
    /// first, and a slow mapping has only one.
    pub launches: usize,
    /// Measure every so manieth mapping only, from the first one on; 1 for all.
    pub every: usize,
}

/// Measures mappings; the table.
pub fn run_measure(o: &MeasureOptions) -> Outcome {
    let device = match open_device(o.target, o.device) {
        Ok(d) => d,
        Err(e) => return e.outcome(),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let effort = Effort {
        launches: o.launches,
        every: o.every,
        threads,
    };
    let measured = crate::with_stack(|| {
        let kernels = chosen(&o.path, &o.kernels, o.size)?;
        measure(&device, &kernels, effort)
    });
    match measured {
        Ok(m) => {
            let mut said = m.notes;
            said.extend(m.refused.iter().map(|r| format!("not launched: {r}")));
            said.extend(m.wrong.iter().map(|w| format!("error: {w}")));
            Outcome {
                code: i32::from(!m.wrong.is_empty()),
                stdout: format!("# {}\n{}", device.info().name, table::write(&m.rows)),
                stderr: said.into_iter().map(|l| l + "\n").collect(),
            }
        }
        Err(m) => RunError::Usage(vec![m]).outcome(),
    }
}

/// One mapping of a kernel: the loops, and the PTX.
pub fn run_show(path: &std::path::Path, point: usize, arch: &str) -> Outcome {
    let shown = crate::with_stack(|| {
        let kernels = chosen(path, &[], Size::Full)?;
        let kernel = &kernels[0];
        let all = space::mappings(kernel.parallel.len(), kernel.serial.len());
        let n = all.len();
        let m = all
            .get(point)
            .ok_or_else(|| format!("there is no point {point}: there are {n}, from 0"))?;
        let program = with_loops(kernel, &m.order, &m.tiles)?;
        let loops = program.text();
        let made = Mapper::new(kernel, program, arch)?.make(m.block, &kernel.name)?;
        Ok(format!(
            "// {}, tiles {}, block {}, grid {:?}\n{loops}\n{}",
            m.permutation(&kernel.parallel),
            m.tiles,
            m.block_text(),
            made.grid,
            made.ptx
        ))
    });
    match shown {
        Ok(stdout) => Outcome {
            stdout,
            ..Outcome::default()
        },
        Err(m) => RunError::Usage(vec![m]).outcome(),
    }
}

/// What to compare.
#[derive(Debug, Clone)]
pub struct CompareOptions {
    /// A table that was measured.
    pub table: PathBuf,
    /// The folder of its kernels, or one of them.
    pub path: PathBuf,
    /// The names of kernels to compare; all where none is named.
    pub kernels: Vec<String>,
    /// The architecture whose built-in description is taken, such as `sm_90`.
    pub arch: String,
    /// A file with another description, in place of the built-in one.
    pub machine: Option<PathBuf>,
    /// What predicts the times.
    pub model: Model,
    /// Where to write a drawing.
    pub plot: Option<PathBuf>,
    /// Where to write every point as CSV.
    pub points: Option<PathBuf>,
}

/// Holds predictions against a table; a table of that, in Markdown.
pub fn run_compare(o: &CompareOptions) -> Outcome {
    match crate::with_stack(|| compared(o)) {
        Ok(all) => {
            let drawing = o.plot.iter().map(|f| (f, plot::svg(&all)));
            let points = o.points.iter().map(|f| (f, compare::points(&all)));
            for (file, text) in drawing.chain(points) {
                if let Err(e) = write_atomically(file, &text) {
                    let m = format!("cannot write '{}': {e}", file.display());
                    return RunError::Usage(vec![m]).outcome();
                }
            }
            Outcome {
                stdout: compare::table(&all),
                ..Outcome::default()
            }
        }
        Err(m) => RunError::Usage(vec![m]).outcome(),
    }
}

fn compared(o: &CompareOptions) -> Result<Vec<Compared>, String> {
    let shown = o.table.display();
    let text =
        std::fs::read_to_string(&o.table).map_err(|e| format!("cannot read '{shown}': {e}"))?;
    let rows = table::read(&text).map_err(|e| format!("{shown}:{e}"))?;
    let machine = match &o.machine {
        Some(file) => named(file)?,
        None => *by_name(&o.arch)?,
    };
    let kernels = chosen(&o.path, &o.kernels, Size::Full)?;
    compare::compare(&kernels, &rows, |kernel, all| {
        model::predict(kernel, all, &machine, o.model)
    })
}

/// The kernels in a place, or those of them that are named.
pub(super) fn chosen(
    path: &std::path::Path,
    names: &[String],
    size: Size,
) -> Result<Vec<Kernel>, String> {
    let mut kernels = read_kernels(path, size)?;
    for n in names {
        if !kernels.iter().any(|k| k.name == *n) {
            let all: Vec<String> = kernels.into_iter().map(|k| k.name).collect();
            return Err(format!(
                "there is no kernel '{n}'; there is {}",
                all.join(", ")
            ));
        }
    }
    if !names.is_empty() {
        kernels.retain(|k| names.contains(&k.name));
    }
    match kernels.is_empty() {
        true => Err(format!("there is no kernel in '{}'", path.display())),
        false => Ok(kernels),
    }
}
