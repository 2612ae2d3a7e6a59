//! Passes and pipelines by name.

use super::{OptionInfo, ParsedOptions, PassInfo};
use std::collections::BTreeMap;

/// A name for a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct PipelineInfo {
    /// What stands for the pipeline.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What may be set, `name{option=value}`.
    pub options: &'static [OptionInfo],
    /// The pipeline's text, to stand where the name stands.
    pub expand: fn(&ParsedOptions) -> Result<String, String>,
}

/// All passes and pipelines that a tool knows.
#[derive(Debug, Clone, Default)]
pub struct PassRegistry {
    passes: BTreeMap<&'static str, &'static PassInfo>,
    pipelines: BTreeMap<&'static str, &'static PipelineInfo>,
}

impl PassRegistry {
    /// A registry that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Make a pass known. A second one of the same name takes its place.
    pub fn add(&mut self, pass: &'static PassInfo) {
        self.passes.insert(pass.name, pass);
    }

    /// Make several passes known.
    pub fn add_all(&mut self, passes: &[&'static PassInfo]) {
        passes.iter().for_each(|p| self.add(p));
    }

    /// Make a pipeline known. A second one of the same name takes its place.
    pub fn add_pipeline(&mut self, p: &'static PipelineInfo) {
        self.pipelines.insert(p.name, p);
    }

    /// The pass of this name.
    pub fn pass(&self, name: &str) -> Option<&'static PassInfo> {
        self.passes.get(name).copied()
    }

    /// The pipeline of this name.
    pub fn pipeline(&self, name: &str) -> Option<&'static PipelineInfo> {
        self.pipelines.get(name).copied()
    }

    /// All passes, by name.
    pub fn passes(&self) -> impl Iterator<Item = &'static PassInfo> + '_ {
        self.passes.values().copied()
    }

    /// All pipelines, by name.
    pub fn pipelines(&self) -> impl Iterator<Item = &'static PipelineInfo> + '_ {
        self.pipelines.values().copied()
    }
}
