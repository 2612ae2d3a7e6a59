//! Passes, pipelines of them, and what watches them run.
//!
//! A pass is a [`PassInfo`] (name, options, statistics, all plain data) and a value
//! that implements [`Pass`]. A [`PassRegistry`] finds it by name; a pipeline is text
//! such as `builtin.module(func.func(cse,canonicalize{top-down=false}))`, parsed into
//! a [`PassManager`], which runs it. Nothing here does input or output: text goes to
//! the [`PassOutput`] that the caller gives.

mod fingerprint;
mod instrument;
mod manager;
mod options;
mod pipeline;
mod registry;
mod report;
mod reproducer;
mod run;

#[cfg(test)]
mod tests;

pub use instrument::{IrPrinting, IrTree, PassFilter, PassOutput};
pub use manager::{OpPassManager, PassManager};
pub use options::{OptionInfo, OptionKind, OptionValue, ParsedOptions};
pub use registry::{PassRegistry, PipelineInfo};
pub use report::{ReportStyle, Timer, statistics_report, timing_report};
pub use reproducer::write_atomically;

use crate::context::Context;
use crate::op::Op;
use std::ops::{Deref, DerefMut};

/// A pass did not do its work; why is among the context's diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassFailed;

/// What running a pass comes to.
pub type PassResult = Result<(), PassFailed>;

/// A transformation or analysis of one op and what is in it.
///
/// A pass may change the op it runs on and what is nested in it, and look at, but
/// not change, what is around. One value runs on many ops, one after another.
pub trait Pass {
    /// Do the work on `op`. Before it fails, the pass records an error in `ctx`.
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult;
}

/// Something that a pass counts.
#[derive(Debug, Clone, Copy)]
pub struct StatisticInfo {
    /// What reports call the counter.
    pub name: &'static str,
    /// What is counted, in a line.
    pub doc: &'static str,
}

impl StatisticInfo {
    /// A counter, and what is counted.
    pub const fn new(name: &'static str, doc: &'static str) -> StatisticInfo {
        StatisticInfo { name, doc }
    }
}

/// What there is to know about a pass without making one.
#[derive(Debug, Clone, Copy)]
pub struct PassInfo {
    /// The name in pipelines, `affine-loop-tile`.
    pub name: &'static str,
    /// The name in reports and dumps, `AffineLoopTiling`.
    pub title: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What it does, when it may, and an example: the text of its help.
    pub description: &'static str,
    /// The only op it runs on, such as `func.func`; `None` for any that is isolated.
    pub anchor: Option<&'static str>,
    /// What may be set in a pipeline, `name{option=value}`.
    pub options: &'static [OptionInfo],
    /// The counters, in the order that the pass numbers them.
    pub statistics: &'static [StatisticInfo],
    /// Makes the pass; an error says which options do not go together.
    pub make: fn(&ParsedOptions) -> Result<Box<dyn Pass>, String>,
}

impl PassInfo {
    /// A declaration with nothing in it, to fill with `..PassInfo::EMPTY`.
    pub const EMPTY: PassInfo = PassInfo {
        name: "",
        title: "",
        summary: "",
        description: "",
        anchor: None,
        options: &[],
        statistics: &[],
        make: |_| Err("a pass declaration without a constructor".to_string()),
    };
}

/// What a running pass works with: the IR context and its own counters.
pub struct PassContext<'c> {
    /// The context of the IR.
    pub ctx: &'c mut Context,
    statistics: &'static [StatisticInfo],
    counts: &'c mut [u64],
    /// What the pass has to show, until it is done.
    shown: String,
}

impl Deref for PassContext<'_> {
    type Target = Context;
    fn deref(&self) -> &Context {
        self.ctx
    }
}

impl DerefMut for PassContext<'_> {
    fn deref_mut(&mut self) -> &mut Context {
        self.ctx
    }
}

impl<'c> PassContext<'c> {
    /// A context for running a pass outside a pass manager. `counts` has one
    /// element for each of `info`'s statistics.
    pub fn new(ctx: &'c mut Context, info: &'static PassInfo, counts: &'c mut [u64]) -> Self {
        PassContext {
            ctx,
            statistics: info.statistics,
            counts,
            shown: String::new(),
        }
    }

    /// Add `n` to a declared statistic.
    pub fn count(&mut self, name: &str, n: u64) {
        let i = self.statistics.iter().position(|s| s.name == name);
        debug_assert!(i.is_some(), "the pass declares no statistic '{name}'");
        if let Some(c) = i.and_then(|i| self.counts.get_mut(i)) {
            *c = c.saturating_add(n);
        }
    }

    /// Show `text`, which ends in a newline, when the pass is done: on the
    /// [`PassOutput`] of the run.
    pub fn show(&mut self, text: &str) {
        self.shown.push_str(text);
    }

    /// What the pass has shown so far.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Record an error at `op` and fail.
    pub fn fail<T>(&mut self, op: Op, message: impl AsRef<str>) -> Result<T, PassFailed> {
        op.error(self.ctx, message);
        Err(PassFailed)
    }
}
