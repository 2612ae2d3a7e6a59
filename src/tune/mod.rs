//! `terrace tune`: which of the mappings that the cost model thinks best is the fastest.
//!
//! `gpu-map` leaves the candidates of each nest on the steps of the schedule that it writes
//! (`plan`). The program runs with its real arguments under schedules that ask for one or
//! another of them, its results are held against those of the first, and the times of its
//! kernels told apart by nest (`bench`). The fastest of each nest together make the
//! schedule that is kept for the program, the sizes and the device
//! ([`crate::run`]'s `tuned`); `terrace run` and `terrace compile` take it from there.

mod bench;
mod budget;
mod choose;
mod plan;
mod report;

use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::opt::Outcome;
use crate::progress::step;
use crate::run::options::{RunOptions, Target};
use crate::run::schedule::sizes_of_values;
use crate::run::source::ProgramText;
use crate::run::{self, RunError, arguments, tuned};
use bench::Bench;
use budget::Budget;
use choose::choose;
use plan::TuningPlan;
use std::time::Duration;

/// What to try, and on what.
#[derive(Debug, Clone)]
pub struct TuneOptions {
    /// Target, entry, arguments and sizes; its schedule is not looked at.
    pub run: RunOptions,
    /// Mappings of a nest, the one that the model chooses among them.
    pub candidates: usize,
    /// Timed runs of each, after one that is not.
    pub repeat: usize,
    /// How long to measure; what has begun is finished.
    pub budget: Duration,
    /// Gets a line of progress for each mapping.
    pub say: fn(&str),
}

/// Tries the candidates of a program, keeps the fastest schedule, and gives a table.
pub fn tune(source: &ProgramText, o: &TuneOptions) -> Outcome {
    crate::with_stack(|| {
        let mut out = Outcome::default();
        let _step = step(|| format!("tuning {}", source.name));
        match tuned_program(source, o) {
            Ok((text, right)) => {
                out.stdout = text;
                out.code = i32::from(!right);
            }
            Err(e) => run::fail(&mut out, source, e),
        }
        out
    })
}

/// The table, and whether all results were right.
fn tuned_program(source: &ProgramText, o: &TuneOptions) -> Result<(String, bool), RunError> {
    if !matches!(o.run.target, Target::Gpu | Target::Emulator) {
        return Err(RunError::Usage(vec![format!(
            "mappings are measured on a GPU: found --target {}, expected gpu or emulator",
            o.run.target.name()
        )]));
    }
    let program = source.program()?;
    let entry = program.callable(o.run.entry.as_deref())?;
    let initial = arguments(&entry, &o.run)?;
    let known = RunOptions {
        schedule: None,
        known_sizes: sizes_of_values(&initial),
        ..o.run.clone()
    };
    let mut budget = Budget::new(o.budget, o.say);
    if o.run.verify {
        budget.say("the interpreter computes what results should be");
    }
    let mut bench = Bench::new(source, &entry, initial, &known, o.repeat)?;
    let on = (&*bench.device_name(), bench.arch());
    let plan = TuningPlan::new(source.program()?, &known, on, o.candidates)?;
    if plan.nests.is_empty() {
        let m = "no nest of loops of this program is mapped to threads by the cost model: there \
                 is nothing to tune";
        let at = program.ctx.diag_loc(program.module.loc(&program.ctx));
        let at = match at {
            DiagLoc::Pos { .. } => at,
            _ => DiagLoc::Unknown,
        };
        return Err(RunError::Program(vec![Diagnostic::error(at, m)]));
    }
    let limit = budget.limit();
    budget.say(&format!(
        "{} nests of {}, at most {} mappings of each, for {limit} seconds",
        plan.nests.len(),
        source.name,
        plan.most()
    ));
    let found = choose(&plan, &mut bench, &mut budget)?;
    let said = report::summary(&found, &bench);
    let schedule = plan.schedule(&found.picks);
    let device = bench.device_name();
    let kept = tuned::keep(
        &program,
        &entry,
        &known,
        bench.arch(),
        &device,
        (&said, &schedule),
    )
    .map_err(|m| RunError::Usage(vec![m]))?;
    let about = tuned::about(&entry, &known);
    let text = report::table(source, &about, &plan, &found, &bench, (kept, &limit));
    Ok((text, found.wrong.is_empty()))
}
