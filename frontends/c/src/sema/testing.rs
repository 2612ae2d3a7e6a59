//! Helps the tests of this folder.

use crate::hir::Unit;
use crate::parse::parse_with;
use crate::source::SourceMap;
use terrace_ir::diag::{DiagLoc, Diagnostic};

/// Analyses a text; its diagnostics as `line:column: message`.
pub(super) fn read(text: &str) -> (Unit, Vec<String>) {
    let map = SourceMap::new(text);
    let parsed = match parse_with(&map, false) {
        Ok(parsed) => parsed,
        Err(errors) => panic!("{text}: {errors:?}"),
    };
    let (unit, diagnostics) = super::analyze(map, &parsed.unit, Vec::new());
    (unit, diagnostics.iter().map(line).collect())
}

/// Analyses a text in which nothing is wrong.
pub(super) fn good(text: &str) -> Unit {
    let (unit, diagnostics) = read(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:#?}");
    unit
}

pub(super) fn line(d: &Diagnostic) -> String {
    let at = match &d.loc {
        DiagLoc::Pos { line, column, .. } => format!("{line}:{column}"),
        other => format!("{other:?}"),
    };
    let notes: Vec<String> = d.notes.iter().map(|n| format!(" ({})", n.1)).collect();
    format!("{at}: {}{}", d.message, notes.concat())
}
