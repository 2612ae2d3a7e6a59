//! What the C compiler says while it preprocesses.

use lsp_types::{Diagnostic, DiagnosticSeverity};
use terrace_ir::diag::DiagLoc;

use super::super::said;
use super::super::text::Snapshot;

/// The messages `file:line:column: error: text` of a compiler. What is said of other files is shown at the
/// top, with its place.
pub fn messages(snapshot: &Snapshot, said: &str) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut plain = Vec::new();
    for line in said.lines() {
        match message(line) {
            Some((place, severity, text)) => {
                let at = snapshot.offset_of(&place);
                let range = at.map(|at| {
                    let end = said::word_end(&snapshot.text, at);
                    snapshot.range(at, end)
                });
                let elsewhere = match (range, &place) {
                    (None, DiagLoc::Pos { file, line, .. }) => format!("{file}:{line}: "),
                    _ => String::new(),
                };
                out.push(Diagnostic {
                    range: range.unwrap_or_default(),
                    severity: Some(severity),
                    source: Some("cc".to_string()),
                    message: format!("{elsewhere}{text}"),
                    ..Diagnostic::default()
                });
            }
            None => plain.push(line),
        }
    }
    // A compiler that cannot be run, or takes no such flag.
    if out.is_empty() && !plain.is_empty() {
        out.push(Diagnostic {
            severity: Some(DiagnosticSeverity::ERROR),
            source: Some("cc".to_string()),
            message: plain.join("\n"),
            ..Diagnostic::default()
        });
    }
    out
}

fn message(line: &str) -> Option<(DiagLoc, DiagnosticSeverity, &str)> {
    let kinds = [
        (": fatal error: ", DiagnosticSeverity::ERROR),
        (": error: ", DiagnosticSeverity::ERROR),
        (": warning: ", DiagnosticSeverity::WARNING),
    ];
    let found = kinds.iter().find_map(|(words, severity)| {
        let (place, text) = line.split_once(words)?;
        Some((place, *severity, text))
    });
    let (place, severity, text) = found?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let place = DiagLoc::pos(file, line.parse().ok()?, column.parse().ok()?);
    Some((place, severity, text))
}
