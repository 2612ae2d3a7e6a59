//! Comments that say which diagnostics a test expects.

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Diagnostic,
    DiagnosticSeverity, TextEdit, WorkspaceEdit,
};
use std::collections::HashMap;

use super::super::text::Snapshot;
use super::Analysis;

impl Analysis {
    /// For diagnostics in a range: a line in front that expects each, as `-verify-diagnostics` reads them.
    pub fn actions(&self, snapshot: &Snapshot, p: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let (first, last) = (p.range.start.line, p.range.end.line);
        let here = |d: &&Diagnostic| first <= d.range.end.line && d.range.start.line <= last;
        let here: Vec<&Diagnostic> = self.diagnostics.iter().filter(here).collect();
        let mut out = Vec::new();
        for d in &here {
            let title = format!("Expect this {}: {}", kind(d), first_line(&d.message));
            out.push(action(snapshot, title, &[d]));
        }
        if self.diagnostics.len() > 1 && !here.is_empty() {
            let all: Vec<&Diagnostic> = self.diagnostics.iter().collect();
            let title = format!("Expect all {} diagnostics of the file", all.len());
            out.push(action(snapshot, title, &all));
        }
        out
    }
}

fn kind(d: &Diagnostic) -> &'static str {
    match d.severity {
        Some(DiagnosticSeverity::ERROR) => "error",
        Some(DiagnosticSeverity::WARNING) => "warning",
        _ => "remark",
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

fn action(snapshot: &Snapshot, title: String, all: &[&Diagnostic]) -> CodeActionOrCommand {
    // Of several at a line, the first stands the farthest in front.
    let mut lines: Vec<(u32, Vec<String>)> = Vec::new();
    let mut add = |line: u32, kind: &str, message: &str| {
        let text = escaped(first_line(message));
        let expected = format!("expected-{kind} @below {{{{{text}}}}}");
        match lines.iter_mut().find(|(l, _)| *l == line) {
            Some((_, entry)) => entry.push(expected),
            None => lines.push((line, vec![expected])),
        }
    };
    for d in all {
        add(d.range.start.line, kind(d), &d.message);
        for r in d.related_information.iter().flatten() {
            if r.location.uri == snapshot.uri {
                add(r.location.range.start.line, "note", &r.message);
            }
        }
    }
    let edits = lines.into_iter().map(|(line, expected)| {
        let indent = snapshot.indentation(line);
        let n = expected.len();
        // Of several lines only the last stands right above.
        let text = expected.into_iter().enumerate().map(|(i, text)| {
            let above = n - i;
            let text = match above {
                1 => text,
                _ => text.replacen("@below", &format!("@+{above}"), 1),
            };
            format!("{indent}// {text}\n")
        });
        let at = snapshot.line_start(line);
        TextEdit::new(snapshot.range(at, at), text.collect())
    });
    #[allow(clippy::mutable_key_type)] // The protocol's type has addresses for keys.
    let changes = HashMap::from([(snapshot.uri.clone(), edits.collect())]);
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(all.iter().map(|d| (*d).clone()).collect()),
        edit: Some(WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    })
}

/// A message in braces, of which `}}` ends them: what stands before it suffices.
fn escaped(message: &str) -> &str {
    message.split("}}").next().unwrap_or("")
}
