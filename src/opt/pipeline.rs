//! The pipeline of a `terrace-opt` run, and where its text goes.

use super::args::OptArgs;
use crate::calibrate::store;
use crate::dialects::builtin;
use crate::instruments::pass_name;
use crate::ir::Context;
use crate::ir::Op;
use crate::ir::diag::SourceFile;
use crate::ir::pass::{
    ParsedOptions, PassManager, PassOutput, PassRegistry, ReportStyle, Timer, statistics_report,
    timing_report, write_atomically,
};
use crate::passes::gpu::map as gpu_map;
use crate::passes::gpu::model::choice::AT_HAND;
use crate::passes::gpu::model::pass as print_gpu_cost;
use crate::targets::machine::write;
use std::path::Path;
use std::time::Duration;

/// Time spent outside passes.
#[derive(Default)]
pub struct Phases {
    pub parse: Duration,
    pub verify: Duration,
    pub print: Duration,
}

/// The passes to run on each part of the input.
pub struct OptPipeline {
    manager: PassManager,
}

/// Collects what passes show; files go to disk whole or not at all.
struct Sink<'s>(&'s mut String);

impl PassOutput for Sink<'_> {
    fn show(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn save(&mut self, path: &Path, text: &str) -> Result<(), String> {
        write_atomically(path, text).map_err(|e| e.to_string())
    }

    fn make_folder(&mut self, path: &Path) -> Result<(), String> {
        std::fs::create_dir_all(path).map_err(|e| e.to_string())
    }
}

impl OptPipeline {
    /// The pipeline that the arguments say.
    ///
    /// # Errors
    ///
    /// The message, in upstream's words, with a newline at its end.
    pub fn new(tool: &super::Tool, a: &OptArgs) -> Result<Self, String> {
        let registry = &tool.passes;
        let mut manager = match &a.pipeline {
            Some(text) => PassManager::parse(registry, text).map_err(|mut e| {
                if !e.ends_with('\n') {
                    e.push('\n');
                }
                e
            })?,
            None => {
                let mut pm = PassManager::new(builtin::ModuleOp::NAME);
                for (name, options) in &a.passes {
                    if let Some(info) = registry.pass(name) {
                        let options = ParsedOptions::parse(info.options, options)
                            .map_err(|e| format!("{e}\n"))?;
                        pm.root
                            .add_nesting(info, options)
                            .map_err(|e| format!("{e}\n"))?;
                    } else if let Some(p) = registry.pipeline(name) {
                        let options = ParsedOptions::parse(p.options, options);
                        let text = options
                            .and_then(|o| (p.expand)(&o))
                            .map_err(|e| format!("{e}\n"))?;
                        pm.root.parse_into(registry, &text)?;
                    }
                }
                pm
            }
        };
        manager.verify_each = !a.no_verify_each;
        manager.reproducer = a.crash_reproducer.as_ref().map(Into::into);
        known_passes(registry, a).map_err(|e| format!("{}: {e}", tool.name))?;
        manager.printing = a.show.printing("", super::print_options(a));
        Ok(OptPipeline { manager })
    }

    /// The files that its passes want to have read.
    pub fn files(&self) -> Vec<String> {
        self.manager.root.files()
    }

    /// The description of the machine that calibrate measured last, where a pass asks for
    /// one and there is one.
    ///
    /// # Errors
    ///
    /// A description that is none.
    pub fn machine_at_hand(&self) -> Result<Option<SourceFile>, String> {
        let text = self.text();
        if ![print_gpu_cost::INFO.name, gpu_map::INFO.name]
            .iter()
            .any(|p| text.contains(p))
        {
            return Ok(None);
        }
        let Some(folder) = store::folder()? else {
            return Ok(None);
        };
        let found = store::newest(&folder, None)?;
        let file = found.map(|m| SourceFile::new(AT_HAND, write(&m)));
        file.transpose().map_err(|e| e.to_string())
    }

    /// Whether there is any pass.
    pub fn is_empty(&self) -> bool {
        self.manager.root.is_empty()
    }

    pub fn text(&self) -> String {
        self.manager.dump()
    }

    /// Run on one module; `shown` gets IR dumps. False where a pass failed.
    pub fn run(&mut self, ctx: &mut Context, module: Op, shown: &mut String) -> bool {
        self.manager.run(ctx, module, &mut Sink(shown)).is_ok()
    }

    /// The reports that the arguments ask for.
    pub fn reports(&self, a: &OptArgs, phases: &Phases, total: Duration) -> String {
        let mut s = String::new();
        if a.show.timing {
            let mut timers = vec![
                Timer::new("Parser", phases.parse),
                Timer::new("Verifier", phases.verify),
            ];
            timers.extend(Timer::of_passes(&self.manager));
            timers.push(Timer::new("Output", phases.print));
            s.push_str(&timing_report(&timers, ReportStyle::Tree, total));
        }
        if a.statistics {
            s.push_str(&statistics_report(&self.manager, ReportStyle::List));
        }
        s
    }
}

/// Names of passes that are printed around must be those of passes.
fn known_passes(registry: &PassRegistry, a: &OptArgs) -> Result<(), String> {
    let given = [
        ("mlir-print-ir-before", &a.show.before),
        ("mlir-print-ir-after", &a.show.after),
    ];
    for (flag, names) in given {
        for name in names {
            pass_name(registry, name).map_err(|m| format!("for the --{flag} option: {m}\n"))?;
        }
    }
    Ok(())
}
