//! Pipelines as data: which passes run, in which order, with which options, and why each
//! stands where it stands.
//!
//! ```text
//! gpu(&GpuPipelineOptions { arch: "sm_90".into(), ..Default::default() })
//!     .through(StageName::Mapping)
//!     .to_string()                     // builtin.module(func.func(xfer-mark-dead-on-entry,...
//! ```
//!
//! Whoever needs a part of a pipeline asks for its [stages](StageName); nobody edits its text.
//! `terrace-opt` knows the same pipelines by name ([`ALL`]), and `docs/pipelines.md` is
//! written from them.

mod algebra;
mod cpu;
mod gpu;
mod loops;
mod named;
mod region;
mod stage;

pub use algebra::Algebra;
pub use cpu::{checks, cpu, inline};
pub use gpu::{FastMath, GpuPipelineOptions, gpu, mapped_kernel, nest};
pub use named::ALL;
pub use region::{
    region_accumulators, region_cpu, region_gpu, region_numbers, region_question, region_rows,
    region_scans, region_slices, region_strides, region_subscripts,
};
pub use stage::StageName;

use std::fmt;
use terrace_dialects::builtin;
use terrace_ir::pass::PassInfo;

/// A pass with its options.
#[derive(Debug, Clone)]
pub struct Step {
    /// What runs.
    pub pass: &'static PassInfo,
    /// Options that are given, in this order; the others have their defaults.
    pub options: Vec<(&'static str, String)>,
    /// Why it stands here, in a sentence.
    pub why: &'static str,
}

impl Step {
    fn new(pass: &'static PassInfo, why: &'static str) -> Step {
        Step {
            pass,
            options: Vec::new(),
            why,
        }
    }

    /// With an option, which the pass must have: a test makes every pipeline.
    fn with(mut self, option: &'static str, value: impl ToString) -> Step {
        self.options.push((option, value.to_string()));
        self
    }

    fn with_if(self, wanted: bool, option: &'static str, value: impl ToString) -> Step {
        match wanted {
            true => self.with(option, value),
            false => self,
        }
    }

    /// The op that the pass runs on where it is not the pipeline's.
    fn nested(&self) -> Option<&'static str> {
        self.pass.anchor.filter(|a| *a != MODULE)
    }
}

/// Two steps that do the same are equal, whatever the reasons given for them.
impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        self.pass.name == other.pass.name && self.options == other.options
    }
}

/// `name{option=value option=value}`.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pass.name)?;
        if self.options.is_empty() {
            return Ok(());
        }
        let options: Vec<String> = (self.options.iter())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        write!(f, "{{{}}}", options.join(" "))
    }
}

/// Steps behind one another with one purpose.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Says where it stands among the others.
    pub name: StageName,
    /// In the order in which they run.
    pub steps: Vec<Step>,
}

/// What runs over a module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pipeline {
    /// Those without steps are left out.
    pub stages: Vec<Stage>,
}

const MODULE: &str = builtin::ModuleOp::NAME;

impl Pipeline {
    /// Append a stage.
    fn stage(mut self, name: StageName, steps: impl IntoIterator<Item = Step>) -> Pipeline {
        let steps: Vec<Step> = steps.into_iter().collect();
        if !steps.is_empty() {
            self.stages.push(Stage { name, steps });
        }
        self
    }

    /// The steps up to the end of a stage. Stages have an order, so that one without steps
    /// says where to end too.
    pub fn through(&self, last: StageName) -> Pipeline {
        self.of(|s| s <= last)
    }

    /// The steps behind a stage.
    pub fn behind(&self, last: StageName) -> Pipeline {
        self.of(|s| s > last)
    }

    /// The steps from the beginning of a stage on.
    pub fn from(&self, first: StageName) -> Pipeline {
        self.of(|s| s >= first)
    }

    fn of(&self, wanted: impl Fn(StageName) -> bool) -> Pipeline {
        let all = self.stages.iter().filter(|s| wanted(s.name)).cloned();
        Pipeline {
            stages: all.collect(),
        }
    }

    #[cfg(test)]
    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.stages.iter().flat_map(|s| &s.steps)
    }

    /// Give every step of a pass an option; returns how many there are.
    pub fn set(&mut self, pass: &str, option: &'static str, value: impl ToString) -> usize {
        let steps = self.stages.iter_mut().flat_map(|s| &mut s.steps);
        let mut count = 0;
        for s in steps.filter(|s| s.pass.name == pass) {
            s.options.retain(|(name, _)| *name != option);
            s.options.push((option, value.to_string()));
            count += 1;
        }
        count
    }

    /// What stands between `builtin.module(` and `)`.
    pub fn elements(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for stage in &self.stages {
            for run in stage.steps.chunk_by(|a, b| a.nested() == b.nested()) {
                let names: Vec<String> = run.iter().map(Step::to_string).collect();
                let names = names.join(",");
                parts.push(match run.first().and_then(Step::nested) {
                    Some(op) => format!("{op}({names})"),
                    None => names,
                });
            }
        }
        parts.join(",")
    }
}

/// The text that `--pass-pipeline` takes.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MODULE}({})", self.elements())
    }
}

#[cfg(test)]
mod tests;
