//! MLIR's text: parsed and verified at each change, all of it.
//!
//! A file of tests is parsed in its parts, which `// -----` divides, as `terrace-opt -split-input-file` does.

mod actions;
mod comments;
mod complete;
mod format;
mod hover;
mod names;
mod outline;
mod passes;
mod rename;

pub use complete::resolved;
use lsp_types::Diagnostic;
use std::sync::Arc;
use terrace_ir::Context;
use terrace_ir::diag::{self, DEFAULT_SPLIT_MARKER, DiagLoc, SourceFile, split_input};
use terrace_ir::text::parser::{Source, parse_with_places};
use terrace_ir::text::places::Places;
use terrace_ir::verify::verify;

use super::said;
use super::text::Snapshot;
use crate::dialects;

/// What is known of a text.
pub struct Analysis {
    /// What is wrong with it, or doubtful.
    pub diagnostics: Vec<Diagnostic>,
    parts: Vec<Part>,
}

/// A part of a file, with positions from its own first byte.
struct Part {
    /// Its first byte in the file.
    start: u32,
    text: Arc<str>,
    ctx: Context,
    places: Places,
}

impl Part {
    fn end(&self) -> u32 {
        self.start + self.text.len() as u32
    }
}

/// The most errors that are shown of a text.
const MOST: usize = 200;

impl Analysis {
    /// Parses and verifies.
    pub fn of(snapshot: &Snapshot) -> Analysis {
        let name = snapshot.name();
        let file = SourceFile::new(name.as_str(), &*snapshot.text);
        let file = match file {
            Ok(file) => file,
            Err(e) => {
                let wrong = diag::Diagnostic::error(DiagLoc::pos(&name, 1, 1), e.to_string());
                return Analysis {
                    diagnostics: said::all(snapshot, &[wrong], &|at| at),
                    parts: Vec::new(),
                };
            }
        };
        let split = split_input(&file, DEFAULT_SPLIT_MARKER);
        let mut found = split.warnings;
        let mut parts = Vec::new();
        let unregistered = snapshot.settings.allow_unregistered || allows_unregistered(snapshot);
        for chunk in split.chunks {
            let text = &snapshot.text[chunk.range.clone()];
            let mut ctx = dialects::context();
            ctx.config.allow_unregistered = unregistered;
            let source = Source {
                file_name: &name,
                text,
                first_line: chunk.first_line,
            };
            let (module, places) = parse_with_places(&mut ctx, &source);
            if let Some(module) = module {
                verify(&ctx, module);
            }
            let said = ctx.take_diagnostics();
            let column = chunk.range.start as u32 - snapshot.line_start(chunk.first_line - 1);
            found.extend(
                said.into_iter()
                    .map(|d| shifted(d, chunk.first_line, column)),
            );
            parts.push(Part {
                start: chunk.range.start as u32,
                text: text.into(),
                ctx,
                places,
            });
        }
        found.truncate(MOST);
        let diagnostics = said::all(snapshot, &found, &|at| token_end(&snapshot.text, at));
        Analysis { diagnostics, parts }
    }

    /// The part at a byte of the file, and the byte in it.
    fn part_at(&self, offset: u32) -> Option<(&Part, u32)> {
        let inside = |p: &&Part| p.start <= offset && offset <= p.end();
        let part = self.parts.iter().rev().find(inside)?;
        Some((part, offset - part.start))
    }
}

/// Columns of the line that a part begins in count from the part's first byte; here from the line's.
fn shifted(mut d: diag::Diagnostic, first_line: u32, by: u32) -> diag::Diagnostic {
    let shift = |at: &mut DiagLoc| {
        if let DiagLoc::Pos { line, column, .. } = at
            && *line == first_line
        {
            *column += by;
        }
    };
    shift(&mut d.loc);
    d.callers.iter_mut().for_each(shift);
    d.notes.iter_mut().for_each(|(at, _)| shift(at));
    d
}

/// Whether the commands in the head of the file let unknown ops pass.
fn allows_unregistered(snapshot: &Snapshot) -> bool {
    let head = snapshot.text.lines().take(50);
    let mut runs = head.filter(|l| l.contains("RUN:"));
    runs.any(|l| l.contains("-allow-unregistered-dialect"))
}

/// Whether a character may be in a name of MLIR's text.
fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')
}

/// Where the token ends that begins at a byte.
fn token_end(text: &str, start: u32) -> u32 {
    let rest = &text[(start as usize).min(text.len())..];
    let mut chars = rest.char_indices();
    let len = match chars.next() {
        None | Some((_, '\n')) => 0,
        Some((_, '"')) => {
            let line = rest.lines().next().unwrap_or("");
            line[1..].find('"').map_or(line.len(), |i| i + 2)
        }
        Some((_, c)) if in_word(c) || matches!(c, '%' | '@' | '^' | '#' | '!') => chars
            .find(|(_, c)| !in_word(*c))
            .map_or(rest.len(), |(i, _)| i),
        Some((_, c)) => c.len_utf8(),
    };
    start + len as u32
}

/// The start of the word that ends at a byte or goes on there, without its `%` or `@`.
fn word_start(text: &str, offset: u32) -> u32 {
    let before = &text[..(offset as usize).min(text.len())];
    let len: usize = before
        .chars()
        .rev()
        .take_while(|c| in_word(*c))
        .map(char::len_utf8)
        .sum();
    offset - len as u32
}
