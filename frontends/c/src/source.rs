//! Preprocessed text and where it came from.

/// The output of the preprocessor.
#[derive(Debug)]
pub struct SourceMap {
    text: String,
}

impl SourceMap {
    /// The preprocessed text.
    pub fn text(&self) -> &str {
        &self.text
    }
}
