//! What becomes of a C file with regions.

use super::compile::CompiledRegion;
use crate::explain::Explanation;
use crate::ir::diag::Diagnostic;

/// A file with regions.
#[derive(Debug, Clone, Default)]
pub struct Translated {
    /// For the system compiler, preprocessed.
    pub text: String,
    /// The code of the regions.
    pub object: Vec<u8>,
    /// Warnings and notes, ready to show.
    pub messages: String,
    /// What became of its regions.
    pub(crate) made: Vec<CompiledRegion>,
    /// All regions as the front end has them, with [`super::translate::TranslateOptions::keep`].
    pub mlir: String,
    /// With [`super::translate::TranslateOptions::notes`] and [`super::translate::TranslateOptions::explain`].
    pub(crate) explanation: Option<Explanation>,
    /// Some message is an error; only with [`super::translate::TranslateOptions::explain`].
    pub wrong: bool,
    /// Warnings, and errors as above, as data.
    pub diagnostics: Vec<Diagnostic>,
}

impl Translated {
    /// Forms on the way, by the end of a file's name, with [`super::translate::TranslateOptions::keep`].
    pub fn kept(&self) -> Vec<(String, &str)> {
        let mut out = vec![("mlir".to_string(), self.mlir.as_str())];
        for m in &self.made {
            let mut keep = |end: &str, text| out.push((format!("{}.{end}", m.function), text));
            keep("ptx", m.ptx.as_str());
            for v in &m.versions {
                keep(&format!("{}.ptx", v.arch), &v.ptx);
                keep(&format!("{}.gpu.mlir", v.arch), &v.gpu_mlir);
            }
            keep("scheduled.mlir", &m.scheduled_mlir);
            keep("cpu.mlir", &m.cpu_mlir);
            keep("gpu.mlir", &m.gpu_mlir);
        }
        out.retain(|(_, text)| !text.is_empty());
        out
    }
}
