//! Diagnostics beside the lines of the files they are about.

use crate::ir::diag::{DiagLoc, Diagnostic, Renderer, SourceFile, SourceProvider};
use std::collections::HashMap;
use std::sync::Arc;
use terrace_c::hir::Unit;
use terrace_c::region::Region;

/// The files that diagnostics name, read from the disk.
#[derive(Debug, Default)]
struct Sources(HashMap<Arc<str>, SourceFile>);

impl SourceProvider for Sources {
    fn source(&self, name: &str) -> Option<&SourceFile> {
        self.0.get(name)
    }
}

impl Sources {
    fn add(&mut self, at: &DiagLoc) {
        let DiagLoc::Pos { file, .. } = at else {
            return;
        };
        if self.0.contains_key(file) {
            return;
        }
        // Without the file there is the place alone.
        if let Ok(bytes) = std::fs::read(&**file)
            && let Ok(source) = SourceFile::from_bytes(file.clone(), bytes)
        {
            self.0.insert(file.clone(), source);
        }
    }
}

/// Diagnostics as text, with the source line and a caret where the file can be read.
pub fn render(diagnostics: &[Diagnostic]) -> String {
    let mut sources = Sources::default();
    for d in diagnostics {
        let notes = d.notes.iter().map(|(at, _)| at);
        for at in std::iter::once(&d.loc).chain(&d.callers).chain(notes) {
            sources.add(at);
        }
    }
    Renderer::new(&sources).render_all(diagnostics)
}

/// Where a region begins.
pub fn region_place(unit: &Unit, region: &Region) -> DiagLoc {
    unit.source.loc(region.span.start as usize)
}
