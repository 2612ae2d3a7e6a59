//! Models in formulas.

mod complete;
mod names;

use lsp_types::{Diagnostic, DocumentSymbol, SymbolKind, Uri};
use terrace_formulas::ast::{Item, Tree};
use terrace_formulas::lexer::Span;
use terrace_formulas::{parser, read};
use terrace_ir::diag::{self, DiagLoc, SourceFile};
use terrace_ir::verify::verify;

use super::answers::Occurrences;
use super::said;
use super::text::Snapshot;
use crate::dialects;
use names::{Kind, Names};

/// What is known of a text.
pub struct Analysis {
    /// What reading it said.
    read: Vec<Diagnostic>,
    /// What else is wrong with it, or with an older version.
    pub checked: Option<Checked>,
    tree: Tree,
    names: Names,
    large: bool,
}

/// What is wrong with a model that could be read: names, indices, and what statements hand on.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The document.
    pub uri: Uri,
    version: i32,
    revision: u64,
    diagnostics: Vec<Diagnostic>,
}

/// Models of more lines are checked apart from reading them, because that takes longer than a person
/// waits while typing.
const LARGE: u32 = 1500;

impl Checked {
    /// Checks a model, down to the loops that it becomes.
    pub fn of(snapshot: &Snapshot) -> Checked {
        let name = snapshot.name();
        let found = match SourceFile::new(name.as_str(), &*snapshot.text) {
            Ok(file) => {
                let mut ctx = dialects::context();
                match read(&mut ctx, &file) {
                    Ok(module) => {
                        verify(&ctx, module);
                        ctx.take_diagnostics()
                    }
                    Err(found) => found,
                }
            }
            Err(e) => vec![diag::Diagnostic::error(
                DiagLoc::pos(&name, 1, 1),
                e.to_string(),
            )],
        };
        Checked {
            uri: snapshot.uri.clone(),
            version: snapshot.version,
            revision: snapshot.revision,
            diagnostics: diagnostics(snapshot, &found),
        }
    }

    /// What still holds of a newer version: what is said of lines that were not changed.
    fn now(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        if self.revision == snapshot.revision {
            return self.diagnostics.clone();
        }
        let moved = self.diagnostics.iter().filter_map(|d| {
            let line = snapshot.line_now(self.version, d.range.start.line)?;
            let mut d = d.clone();
            let by = d.range.end.line - d.range.start.line;
            (d.range.start.line, d.range.end.line) = (line, line + by);
            // Their places may be elsewhere now.
            d.related_information = None;
            Some(d)
        });
        moved.collect()
    }
}

fn diagnostics(snapshot: &Snapshot, found: &[diag::Diagnostic]) -> Vec<Diagnostic> {
    said::all(snapshot, found, &|at| said::word_end(&snapshot.text, at))
}

impl Analysis {
    /// Reads a model, and checks it if it is not large. `before` is what is known of older versions.
    pub fn of(snapshot: &Snapshot, before: Option<Checked>) -> Analysis {
        let file = SourceFile::new(snapshot.name(), &*snapshot.text);
        // Of a text that is too large the check says so.
        let (tree, found) =
            file.map_or_else(|_| (Tree::default(), Vec::new()), |f| parser::parse(&f));
        let large = snapshot.num_lines() > LARGE;
        let checked = match found.is_empty() {
            true if !large => Some(Checked::of(snapshot)),
            _ => before,
        };
        Analysis {
            read: diagnostics(snapshot, &found),
            checked,
            names: Names::of(&tree),
            tree,
            large,
        }
    }

    /// Whether it can be checked, and was not.
    pub fn wants_check(&self) -> bool {
        self.large && self.read.is_empty()
    }

    /// What is wrong with the text.
    pub fn diagnostics(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        match (self.read.is_empty(), &self.checked) {
            (true, Some(checked)) => checked.now(snapshot),
            _ => self.read.clone(),
        }
    }

    /// All places of the name at a byte.
    pub fn occurrences(&self, offset: u32) -> Option<Occurrences> {
        let entry = self.names.at(offset)?;
        let plain = |s: &Span| (s.start, s.end);
        Some(Occurrences {
            definitions: entry.definition.iter().map(plain).collect(),
            uses: entry.uses.iter().map(plain).collect(),
        })
    }

    /// What the name at a byte stands for, as Markdown.
    pub fn hover(&self, snapshot: &Snapshot, offset: u32) -> Option<(String, (u32, u32))> {
        let text = &*snapshot.text;
        if let Some(entry) = self.names.at(offset) {
            let span = entry.touched(offset)?;
            let (first, last) = (entry.declared.start, entry.declared.end);
            let lines = snapshot.line_of(first)..=snapshot.line_of(last);
            let lines: Vec<&str> = lines.map(|l| snapshot.line(l).trim()).collect();
            let declared = lines.join("\n");
            let shown = format!(
                "```terrace-formulas\n{declared}\n```\n{}",
                entry.kind.words()
            );
            return Some((shown, (span.start, span.end)));
        }
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%');
        let before = &text[..offset as usize];
        let back: usize = before
            .chars()
            .rev()
            .take_while(|c| word(*c))
            .map(char::len_utf8)
            .sum();
        let start = offset - back as u32;
        let end = said::word_end(text, start);
        let known = complete::known(&text[start as usize..end as usize])?;
        Some((known, (start, end)))
    }

    /// The model, its parameters and arrays, macros and statements.
    pub fn symbols(&self, snapshot: &Snapshot) -> Vec<DocumentSymbol> {
        let mut all = Vec::new();
        if let Some(head) = &self.tree.head {
            let mut model = node(
                snapshot,
                &head.name.text,
                "model",
                SymbolKind::MODULE,
                head.name.span,
            );
            let parameters = head.parameters.iter().map(|(name, index)| {
                let what = if *index { "index" } else { "real" };
                node(snapshot, &name.text, what, SymbolKind::VARIABLE, name.span)
            });
            model.children = Some(parameters.collect());
            let ends = head.parameters.iter().map(|(name, _)| name.span.end);
            let end = ends.max().unwrap_or(0).max(head.name.span.end);
            model.range = snapshot.range(head.name.span.start, end);
            all.push(model);
        }
        for item in &self.tree.items {
            let entry = match item {
                Item::Array(a) => node(
                    snapshot,
                    &a.name.text,
                    "array",
                    SymbolKind::ARRAY,
                    a.name.span,
                ),
                Item::Macro(m) => node(
                    snapshot,
                    &m.name.text,
                    "macro",
                    SymbolKind::FUNCTION,
                    m.name.span,
                ),
                Item::Extern(e) => node(
                    snapshot,
                    &e.name.text,
                    "extern",
                    SymbolKind::INTERFACE,
                    e.name.span,
                ),
                Item::Compute(c) => {
                    let names: Vec<&str> = c.targets.iter().map(|t| t.text.as_str()).collect();
                    let own = c.targets.first().map_or(c.span, |t| t.span);
                    let name = names.join(", ");
                    let mut n = node(snapshot, &name, "compute", SymbolKind::OPERATOR, own);
                    n.range = snapshot.range(c.span.start.min(own.start), c.span.end.max(own.end));
                    n
                }
            };
            all.push(entry);
        }
        all
    }
}

fn node(
    snapshot: &Snapshot,
    name: &str,
    detail: &str,
    kind: SymbolKind,
    span: Span,
) -> DocumentSymbol {
    let range = snapshot.range(span.start, span.end);
    said::symbol((name, detail), kind, range, range)
}

impl Kind {
    /// What a name is, in words.
    fn words(self) -> &'static str {
        match self {
            Kind::Model => "the model",
            Kind::IndexParameter => "a parameter: an index, not negative",
            Kind::Real => "a parameter: a number",
            Kind::Array => "an array",
            Kind::Macro => "a macro",
            Kind::Extern => "a function of C",
            Kind::Index => "an index",
            Kind::Temporary => "a temporary of each point",
            Kind::Argument => "an argument",
        }
    }
}
