//! Diagnostics and outlines as the protocol has them.

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentSymbol, Location,
    Position, Range, SymbolKind,
};
use std::path::Path;
use terrace_ir::diag::{self, DiagLoc, Severity};

use super::text::{Snapshot, uri_of};

/// What editors show beside the messages.
pub const SOURCE: &str = "terrace";

/// Diagnostics of a text. `end_of` finds where the thing ends that begins at a byte.
pub fn all(
    snapshot: &Snapshot,
    said: &[diag::Diagnostic],
    end_of: &dyn Fn(u32) -> u32,
) -> Vec<Diagnostic> {
    said.iter().map(|d| one(snapshot, d, end_of)).collect()
}

fn one(snapshot: &Snapshot, d: &diag::Diagnostic, end_of: &dyn Fn(u32) -> u32) -> Diagnostic {
    let mut related = Vec::new();
    let range = match snapshot.offset_of(&d.loc) {
        Some(start) => {
            let end = match d.underline {
                0 => end_of(start),
                n => start + n,
            };
            snapshot.range(start, end)
        }
        // In a header, or nowhere: shown at the top, with the place.
        None => {
            related.extend(information(snapshot, &d.loc, "here", end_of));
            Range::default()
        }
    };
    for at in &d.callers {
        related.extend(information(snapshot, at, "called from here", end_of));
    }
    let mut message = d.message.clone();
    for (at, text) in &d.notes {
        match information(snapshot, at, text, end_of) {
            Some(i) => related.push(i),
            None => message.push_str(&format!("\n{text}")),
        }
    }
    Diagnostic {
        range,
        severity: Some(match d.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            _ => DiagnosticSeverity::INFORMATION,
        }),
        source: Some(SOURCE.to_string()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

fn information(
    snapshot: &Snapshot,
    at: &DiagLoc,
    message: &str,
    end_of: &dyn Fn(u32) -> u32,
) -> Option<DiagnosticRelatedInformation> {
    let location = match snapshot.offset_of(at) {
        Some(start) => Location::new(snapshot.uri.clone(), snapshot.range(start, end_of(start))),
        None => elsewhere(at)?,
    };
    Some(DiagnosticRelatedInformation {
        location,
        message: message.to_string(),
    })
}

/// A place in another file. Columns of what is before ASCII's end are those of the protocol; of others
/// the text is not at hand.
fn elsewhere(at: &DiagLoc) -> Option<Location> {
    let DiagLoc::Pos { file, line, column } = at else {
        return None;
    };
    let path = std::fs::canonicalize(Path::new(&**file)).ok()?;
    let at = Position::new(line.saturating_sub(1), column.saturating_sub(1));
    Some(Location::new(uri_of(&path)?, Range::new(at, at)))
}

/// An error that no place of a text is to blame for, such as a setting.
pub fn without_place(message: String) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_string()),
        message,
        ..Diagnostic::default()
    }
}

/// A place as an address in any file.
pub fn location(snapshot: &Snapshot, at: &DiagLoc) -> Option<Location> {
    match snapshot.offset_of(at) {
        Some(start) => {
            let range = snapshot.line_range(snapshot.line_of(start));
            Some(Location::new(snapshot.uri.clone(), range))
        }
        None => elsewhere(at),
    }
}

/// Where a word ends that begins at a byte; one character of what is no word.
pub fn word_end(text: &str, start: u32) -> u32 {
    let rest = &text[(start as usize).min(text.len())..];
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let len = rest.find(|c| !word(c)).unwrap_or(rest.len());
    let one = rest
        .chars()
        .next()
        .filter(|c| *c != '\n')
        .map_or(0, char::len_utf8);
    start + len.max(one) as u32
}

/// An entry of an outline: what all of it is, and what its name is.
pub fn symbol(
    (name, detail): (&str, &str),
    kind: SymbolKind,
    range: Range,
    own: Range,
) -> DocumentSymbol {
    #[allow(deprecated)] // The struct has a field that is.
    DocumentSymbol {
        // The protocol forbids empty names.
        name: if name.is_empty() { detail } else { name }.to_string(),
        detail: Some(detail.to_string()),
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range: own,
        children: None,
    }
}
