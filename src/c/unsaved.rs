//! Files as an editor has them.

use std::collections::HashMap;
use std::sync::Arc;
use terrace_c::dialect::Dialect;
use terrace_c::source::SourceMap;

/// Texts of files that are not on the disk as they are here, by the names that line markers give them.
#[derive(Debug, Clone, Default)]
pub struct Unsaved(Arc<HashMap<String, Arc<str>>>);

impl Unsaved {
    /// One file that is open.
    pub fn one(name: impl Into<String>, text: Arc<str>) -> Unsaved {
        Unsaved(Arc::new(HashMap::from([(name.into(), text)])))
    }

    /// Preprocessed text with the way back to these files, and to the disk for others.
    pub(crate) fn source_map(&self, text: String, dialect: &Dialect) -> SourceMap {
        let files = self.0.clone();
        let load = move |name: &str| match files.get(name) {
            Some(text) => Some(text.as_bytes().to_vec()),
            None => std::fs::read(name).ok(),
        };
        SourceMap::with_loader(text, Box::new(load)).in_dialect(dialect.clone())
    }
}
