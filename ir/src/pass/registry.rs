//! Passes and pipelines by name.

use super::{OptionInfo, ParsedOptions, PassInfo};
use std::collections::BTreeMap;

/// A name for a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct PipelineInfo {
    pub name: &'static str,
    pub summary: &'static str,
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
    pub fn new() -> Self {
        Self::default()
    }

    /// Make a pass known. A second one of the same name takes its place.
    pub fn add(&mut self, pass: &'static PassInfo) {
        self.passes.insert(pass.name, pass);
    }

    pub fn add_all(&mut self, passes: &[&'static PassInfo]) {
        passes.iter().for_each(|p| self.add(p));
    }

    pub fn add_pipeline(&mut self, p: &'static PipelineInfo) {
        self.pipelines.insert(p.name, p);
    }

    pub fn pass(&self, name: &str) -> Option<&'static PassInfo> {
        self.passes.get(name).copied()
    }

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
