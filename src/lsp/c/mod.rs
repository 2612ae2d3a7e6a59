//! C with directives.
//!
//! Each text is preprocessed by the C compiler, as the editor has it, and read; that says what is wrong
//! with it. What becomes of the loops is said by the engine of `terrace explain`, which compiles the regions:
//! the thread of [`super::slow`] does that, and what it finds is kept here until there is something newer.

mod actions;
pub mod commands;
mod explained;
mod hints;
mod hover;
mod preprocessor;

use lsp_types::{Diagnostic, DocumentSymbol, SymbolKind};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use terrace_c::hir::Unit;
use terrace_c::read_source;
use terrace_c::source::mentions_directives;

use super::said;
use super::text::Snapshot;
use crate::c::driver::command_line::CommandLine;
use crate::c::driver::host::Host;
use crate::c::driver::translation::translation;
use crate::c::translate::Unsaved;

pub use explained::Explained;

/// What is known of a text.
pub struct Analysis {
    /// What reading it said.
    read: Vec<Diagnostic>,
    /// Behind the preprocessor, where it can be explained.
    pub preprocessed: Option<Arc<str>>,
    /// What became of its loops, or of those of an older version.
    pub explained: Option<Arc<Explained>>,
    /// What was read, where that was C.
    unit: Option<Unit>,
}

impl Analysis {
    /// Reads a text. `before` is what is known of older ones.
    pub fn of(snapshot: &Snapshot, before: Option<Arc<Explained>>) -> Analysis {
        let mut made = Analysis {
            read: Vec::new(),
            preprocessed: None,
            explained: before,
            unit: None,
        };
        let flags = match commands::flags(snapshot) {
            Ok(flags) => flags,
            Err(m) => {
                made.read = vec![said::without_place(format!("terrace.flags: {m}"))];
                return made;
            }
        };
        let words = commands::for_preprocessor(&flags);
        let path = PathBuf::from(snapshot.name());
        let host = Host::find();
        let text = match host.preprocessed_buffer(&path, &snapshot.text, &words) {
            Ok((text, said)) => {
                made.read = preprocessor::messages(snapshot, &said);
                text
            }
            Err(f) => {
                made.read = preprocessor::messages(snapshot, &f.said());
                return made;
            }
        };
        let asked = mentions_directives(text.as_bytes());
        let flags: Vec<OsString> = flags.iter().map(OsString::from).collect();
        let command = CommandLine::parse(&flags).unwrap_or_default();
        let options = translation(&command, &snapshot.name(), &text);
        let unsaved = Unsaved::one(snapshot.name(), snapshot.text.clone());
        let end_of = |at| said::word_end(&snapshot.text, at);
        match read_source(unsaved.source_map(text.clone(), &options.dialect)) {
            Ok((unit, found)) => {
                made.read.extend(said::all(snapshot, &found, &end_of));
                made.unit = Some(unit);
                made.preprocessed = Some(text.into());
            }
            // Nobody asked for anything in what terrace does not understand.
            Err(e) if e.language && !asked => {}
            Err(e) => made
                .read
                .extend(said::all(snapshot, &e.diagnostics, &end_of)),
        }
        made
    }

    /// What is wrong with the text, and what became of its loops.
    pub fn diagnostics(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        let mut all = self.read.clone();
        if let Some(explained) = &self.explained {
            // Of this text it knows all that reading says, and more.
            if explained.revision == snapshot.revision && self.preprocessed.is_some() {
                all.clone_from(&explained.diagnostics);
            }
            if snapshot.settings.remarks {
                all.extend(explained.remarks(snapshot));
            }
        }
        all
    }

    /// The functions of the file.
    pub fn symbols(&self, snapshot: &Snapshot) -> Vec<DocumentSymbol> {
        let all = self
            .unit
            .as_ref()
            .map_or(Vec::new(), |u| functions(snapshot, u));
        #[allow(deprecated)] // The struct has a field that is.
        let symbols = all.into_iter().map(|(name, all, own)| DocumentSymbol {
            name,
            detail: None,
            kind: SymbolKind::FUNCTION,
            tags: None,
            deprecated: None,
            range: snapshot.range(all.0, all.1),
            selection_range: snapshot.range(own.0, own.1),
            children: None,
        });
        symbols.collect()
    }
}

/// Functions with the bytes that they have, and those of their names.
fn functions(snapshot: &Snapshot, unit: &Unit) -> Vec<(String, (u32, u32), (u32, u32))> {
    let at = |byte: u32| snapshot.offset_of(&unit.source.loc(byte as usize));
    let own = unit.functions.iter().filter_map(|f| {
        let name = at(f.name_span.start)?;
        let start = at(f.span.start)?.min(name);
        let end = at(f.span.end.saturating_sub(1))? + 1;
        let named = (name, said::word_end(&snapshot.text, name));
        Some((f.name.clone(), (start, end.max(named.1)), named))
    });
    own.collect()
}
