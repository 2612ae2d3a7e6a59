//! What is shown of passes while they run: the IR around them, and their times.
//!
//! `terrace-opt`, `terrace run`, `terrace compile` and `terrace cc` have these options. The
//! latter three run several pipelines, over forms of a program or of its regions, so that
//! the head of each dump says what it is of:
//!
//! ```text
//! // -----// IR Dump After CSE (cse) of t.mlir for cpu ('func.func' operation: @f) //----- //
//! ```
//!
//! The text is kept until the tool asks for it ([`Instruments::take`]) and shows it on standard
//! error, in front of what else it has to say.

use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::pass::{
    IrPrinting, IrTree, PassFilter, PassInfo, PassManager, PassOutput, PassRegistry, ReportStyle,
    Timer, timing_report,
};
use crate::ir::text::printer::PrintOptions;
use crate::ir::{Context, Op};
use crate::opt::args::closest;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstrumentOptions {
    /// Print the IR in front of these passes, by names that [`pass_name`] takes.
    pub before: Vec<String>,
    /// Print the IR behind these passes, named in the same way.
    pub after: Vec<String>,
    /// Print the IR in front of every pass, named or not.
    pub before_all: bool,
    /// Print the IR behind every pass, named or not.
    pub after_all: bool,
    /// After a pass, only if it changed the IR.
    pub after_change: bool,
    /// After a pass, only if it failed.
    pub after_failure: bool,
    /// The whole module, not only what the pass runs on.
    pub module_scope: bool,
    /// Print the IR into files of this folder, and not where other text goes.
    pub tree: Option<String>,
    /// Report the time of each pass.
    pub timing: bool,
    /// Passes that do not run, to see what a program becomes without them.
    pub left_out: Vec<String>,
}

impl InstrumentOptions {
    /// The printing of the IR, under heads that say what it is `of`.
    pub(crate) fn printing(&self, of: &str, options: PrintOptions) -> IrPrinting {
        let filter = |all: bool, names: &[String]| match (all, names) {
            (true, _) => PassFilter::All,
            (false, []) => PassFilter::None,
            (false, names) => PassFilter::Named(names.to_vec()),
        };
        // "Only after a change" by itself means after every pass.
        let every = self.after_all || (self.after_change && self.after.is_empty());
        IrPrinting {
            before: filter(self.before_all, &self.before),
            after: filter(every, &self.after),
            only_after_change: self.after_change,
            only_after_failure: self.after_failure,
            module_scope: self.module_scope,
            of: of.to_string(),
            options,
            tree: self.tree.as_ref().map(IrTree::new),
        }
    }
}

/// The name of a pass of `registry` to print the IR around.
///
/// # Errors
///
/// What it is instead, with the nearest name.
pub fn pass_name(registry: &PassRegistry, name: &str) -> Result<String, String> {
    if registry.pass(name).is_some() {
        return Ok(name.to_string());
    }
    let close = closest(name, registry.passes().map(|p| p.name));
    let hint = match (registry.pipeline(name), close) {
        (Some(_), _) => "it is a pipeline: name one of its passes. ".to_string(),
        (None, Some(c)) => format!("did you mean '{c}'? "),
        (None, None) => String::new(),
    };
    Err(format!(
        "found '{name}', which is no pass; {hint}terrace-opt --list-passes lists all passes"
    ))
}

/// Runs passes and keeps what is to be shown of them. Clones keep it in the same place;
/// the default shows nothing.
#[derive(Debug, Clone, Default)]
pub struct Instruments(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    options: InstrumentOptions,
    start: Instant,
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    text: String,
    timers: Vec<Timer>,
    /// Passes by name.
    ran: BTreeSet<&'static str>,
    /// From the start to the end of what was timed last.
    total: Duration,
}

impl Instruments {
    /// Shows what `options` ask for. The time that a report calls the total begins here.
    pub fn new(options: InstrumentOptions) -> Instruments {
        let wanted = options != InstrumentOptions::default();
        Instruments(wanted.then(|| {
            Arc::new(Shared {
                options,
                start: Instant::now(),
                record: Mutex::default(),
            })
        }))
    }

    /// Whether there is anything to show.
    pub(crate) fn are_on(&self) -> bool {
        self.0.is_some()
    }

    /// Run a pipeline, given as the text that `--pass-pipeline` takes, over a module that is
    /// `of` something.
    ///
    /// # Errors
    ///
    /// What the passes report; an unknown pipeline is an error too.
    pub fn run(
        &self,
        of: &str,
        ctx: &mut Context,
        module: Op,
        pipeline: &str,
        verify_each: bool,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut pm = PassManager::parse(crate::pass_registry(), pipeline)
            .map_err(|m| vec![Diagnostic::error(DiagLoc::Unknown, m.trim_end())])?;
        pm.verify_each = verify_each;
        if let Some(s) = &self.0 {
            pm.root.leave_out(&s.options.left_out);
            pm.printing = s.options.printing(of, PrintOptions::default());
        }
        let mut out = Output::default();
        let result = pm.run(ctx, module, &mut out);
        if let Some(s) = &self.0 {
            s.keep(of, out.0, Timer::of_passes(&pm), pm.root.passes());
        }
        result.map_err(|_| ctx.take_diagnostics())
    }

    /// Do what a pass does by a call of its own function, which tells more than the pass.
    ///
    /// # Errors
    ///
    /// Those of the call.
    pub fn call<T, E>(
        &self,
        of: &str,
        ctx: &mut Context,
        (pass, op): (&'static PassInfo, Op),
        call: impl FnOnce(&mut Context) -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(s) = &self.0 else {
            return call(ctx);
        };
        let printing = s.options.printing(of, PrintOptions::default());
        let mut out = Output::default();
        let mut timer = Timer::new(pass.title, Duration::ZERO);
        let result = printing.around(ctx, (pass, op), &mut out, |ctx| {
            let start = Instant::now();
            let result = call(ctx);
            timer.time = start.elapsed();
            result
        });
        s.keep(of, out.0, vec![timer], vec![pass]);
        result
    }

    /// Time a step that is no pass.
    pub fn time<T>(&self, name: &str, step: impl FnOnce() -> T) -> T {
        let Some(s) = &self.0 else {
            return step();
        };
        let start = Instant::now();
        let result = step();
        let elapsed = start.elapsed();
        let mut record = s.record();
        match record.timers.iter_mut().find(|t| t.name == name) {
            Some(t) => t.time += elapsed,
            None => record.timers.push(Timer::new(name, elapsed)),
        }
        record.total = s.start.elapsed();
        result
    }

    /// Everything there is to show so far, which is then forgotten: the IR, passes that were
    /// named and did not run, and the times.
    pub fn take(&self) -> String {
        let Some(s) = &self.0 else {
            return String::new();
        };
        let record = std::mem::take(&mut *s.record());
        let mut text = record.text;
        let named: BTreeSet<&String> = s.options.before.iter().chain(&s.options.after).collect();
        for name in named.iter().filter(|n| !record.ran.contains(n.as_str())) {
            text.push_str(&format!(
                "note: the pass '{name}' did not run: there is nothing to print around it\n"
            ));
        }
        if s.options.timing {
            text.push_str(&timing_report(
                &record.timers,
                ReportStyle::Tree,
                record.total,
            ));
        }
        text
    }
}

impl Shared {
    /// What was shown before a panic counts too.
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, of: &str, text: String, timers: Vec<Timer>, ran: Vec<&'static PassInfo>) {
        let mut record = self.record();
        record.text.push_str(&text);
        record.ran.extend(ran.iter().map(|p| p.name));
        let name = format!("Passes of {of}");
        if record.timers.last().is_none_or(|t| t.name != name) {
            record.timers.push(Timer::new(name, Duration::ZERO));
        }
        if let Some(all) = record.timers.last_mut() {
            all.time += timers.iter().map(|t| t.time).sum::<Duration>();
            all.inner.extend(timers);
        }
        record.total = self.start.elapsed();
    }
}

/// Keeps what is shown. No pass of these pipelines writes a file.
#[derive(Default)]
struct Output(String);

impl PassOutput for Output {
    fn show(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn save(&mut self, _: &Path, _: &str) -> Result<(), String> {
        Err("a fault of terrace's own: nothing is written here".into())
    }
}
