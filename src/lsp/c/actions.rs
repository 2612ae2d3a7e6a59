//! Directives that a person may put in: those that `terrace explain` suggests.

use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, WorkspaceEdit};
use std::collections::HashMap;
use terrace_passes::region::notes::{Remedy, Verdict};

use super::super::text::Snapshot;
use super::hover::behind_directives;
use super::{Analysis, Explained};
use crate::c::rewrite::CLAUSE_WOULD_SAY;

impl Analysis {
    /// What may be done at the lines of a range.
    pub fn actions(&self, snapshot: &Snapshot, range: Range) -> Vec<CodeActionOrCommand> {
        let Some(explained) = &self.explained else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let last = behind_directives(snapshot, range.end.line);
        let near = |line: u32| range.start.line <= line && line <= last;
        for copy in explained.functions.iter().flat_map(|f| &f.copies) {
            let at = explained.line(snapshot, &copy.around);
            let (Some(at), Some(remedy)) = (at, &copy.remedy) else {
                continue;
            };
            if !near(at) {
                continue;
            }
            if let Some(edits) = remedied(explained, snapshot, remedy) {
                let open = match remedy.sizes.is_empty() {
                    true => String::new(),
                    false => format!(
                        " (fill in SIZE: the elements of {})",
                        remedy.sizes.join(", ")
                    ),
                };
                let title = format!("Copy once: `{}`{open}", remedy.directive);
                out.push(action(snapshot, title, CodeActionKind::QUICKFIX, edits));
            }
        }
        out.extend(clauses(explained, snapshot, &near));
        out.extend(regions_for(explained, snapshot, &near));
        out
    }
}

/// A directive in front of a parallel loop that is in no region.
fn regions_for(
    explained: &Explained,
    snapshot: &Snapshot,
    near: &dyn Fn(u32) -> bool,
) -> Vec<CodeActionOrCommand> {
    let mut out = Vec::new();
    for r in explained
        .outside
        .iter()
        .flatten()
        .filter(|r| r.declined.is_none())
    {
        let outermost = r.loops.iter().filter(|l| l.depth == 0);
        for l in outermost.filter(|l| matches!(l.verdict, Verdict::Parallel(_))) {
            let Some(line) = explained.line(snapshot, &l.place).filter(|l| near(*l)) else {
                continue;
            };
            let directive = "#pragma acc kernels";
            let edits = vec![insert(snapshot, line, directive)];
            let title = format!("Run this loop on the device: `{directive}`");
            out.push(action(snapshot, title, CodeActionKind::REFACTOR, edits));
        }
    }
    out
}

/// Clauses that would say how large arrays are, at the end of the directives of regions.
fn clauses(
    explained: &Explained,
    snapshot: &Snapshot,
    near: &dyn Fn(u32) -> bool,
) -> Vec<CodeActionOrCommand> {
    let mut out = Vec::new();
    for r in explained.regions() {
        let line = explained.line(snapshot, &r.place).filter(|l| near(*l));
        let Some(directive) = line.and_then(|l| directive_of(snapshot, l)) else {
            continue;
        };
        let open = r
            .arrays
            .iter()
            .filter(|a| a.why.ends_with(CLAUSE_WOULD_SAY));
        for a in open.filter(|a| !a.section.is_empty()) {
            let clause = format!("{}({})", a.movement.name(), a.section);
            let end = snapshot.line(directive).trim_end().len() as u32;
            let at = snapshot.line_start(directive) + end;
            let edit = TextEdit::new(snapshot.range(at, at), format!(" {clause}"));
            let title = format!("Say how large {} is: `{clause}`", a.name);
            out.push(action(
                snapshot,
                title,
                CodeActionKind::QUICKFIX,
                vec![edit],
            ));
        }
    }
    out
}

/// The last line of the OpenACC directive in front of a statement.
fn directive_of(snapshot: &Snapshot, statement: u32) -> Option<u32> {
    let line = statement.checked_sub(1)?;
    let goes_on = |l: u32| snapshot.line(l).trim_end().ends_with('\\');
    let mut first = line;
    while first > 0 && goes_on(first - 1) {
        first -= 1;
    }
    let mut words = snapshot.line(first).split_whitespace();
    let is_acc = words.next() == Some("#pragma") && words.next() == Some("acc");
    is_acc.then_some(line)
}

/// The edits that put a directive in front of statements, with braces around several.
fn remedied(e: &Explained, snapshot: &Snapshot, remedy: &Remedy) -> Option<Vec<TextEdit>> {
    let before = e.line(snapshot, &remedy.before)?;
    let Some(through) = &remedy.through else {
        return Some(vec![insert(snapshot, before, &remedy.directive)]);
    };
    let through = e.line(snapshot, through)?;
    let end = snapshot.range(
        snapshot.line_start(through + 1),
        snapshot.line_start(through + 1),
    );
    let indent = snapshot.indentation(before);
    // The last line of a file may have no end.
    let newline = match through + 1 < snapshot.num_lines() {
        true => "",
        false => "\n",
    };
    Some(vec![
        insert(
            snapshot,
            before,
            &format!("{}\n{indent}{{", remedy.directive),
        ),
        TextEdit::new(end, format!("{newline}{indent}}}\n")),
    ])
}

/// A line in front of another, as far in.
fn insert(snapshot: &Snapshot, line: u32, text: &str) -> TextEdit {
    let at = snapshot.line_start(line);
    let indent = snapshot.indentation(line);
    TextEdit::new(snapshot.range(at, at), format!("{indent}{text}\n"))
}

fn action(
    snapshot: &Snapshot,
    title: String,
    kind: CodeActionKind,
    edits: Vec<TextEdit>,
) -> CodeActionOrCommand {
    #[allow(clippy::mutable_key_type)] // The protocol's type has addresses for keys.
    let changes = HashMap::from([(snapshot.uri.clone(), edits)]);
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(kind),
        edit: Some(WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    })
}
