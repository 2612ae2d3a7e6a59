//! Diagnostics as text, byte for byte as mlir-opt writes them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

use super::{DiagLoc, Diagnostic, Severity, SourceProvider};

const TAB_STOP: usize = 8;
/// Callers shown of a location in inlined code.
const CALLER_LIMIT: usize = 10;

/// Writes `file:line:col: error: message`, the source line, and a caret below
/// the place; the same for callers and notes.
#[derive(Clone, Copy)]
pub struct Renderer<'a> {
    sources: &'a dyn SourceProvider,
}

impl<'a> Renderer<'a> {
    /// Takes the source lines that it shows from `sources`.
    pub fn new(sources: &'a dyn SourceProvider) -> Self {
        Renderer { sources }
    }

    /// A diagnostic with all that belongs to it; ends in a newline.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let mut out = String::new();
        self.render_into(&mut out, diagnostic);
        out
    }

    /// Several diagnostics, one after the other.
    pub fn render_all<'d>(&self, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> String {
        let mut out = String::new();
        for diagnostic in diagnostics {
            self.render_into(&mut out, diagnostic);
        }
        out
    }

    /// As [`Renderer::render`], at the end of `out`.
    pub(crate) fn render_into(&self, out: &mut String, diagnostic: &Diagnostic) {
        let Diagnostic {
            severity,
            loc,
            message,
            underline,
            callers,
            notes,
        } = diagnostic;
        self.message(out, *severity, loc, message, *underline, true);
        for caller in callers.iter().take(CALLER_LIMIT) {
            self.message(out, Severity::Note, caller, "called from", 0, true);
        }
        // A note does not repeat the source line of the message before it.
        let mut last = callers.iter().take(CALLER_LIMIT).next_back().unwrap_or(loc);
        for (note_loc, note) in notes {
            self.message(out, Severity::Note, note_loc, note, 0, note_loc != last);
            last = note_loc;
        }
    }

    fn message(
        &self,
        out: &mut String,
        severity: Severity,
        loc: &DiagLoc,
        message: &str,
        underline: u32,
        show_source: bool,
    ) {
        // Writing to a `String` does not fail.
        let _ = match loc {
            DiagLoc::Unknown | DiagLoc::Other(_) => write!(out, "<unknown>:0: "),
            DiagLoc::Pos { file, line, column } => write!(out, "{file}:{line}:{column}: "),
        };
        out.push_str(severity.word());
        out.push_str(": ");
        if let DiagLoc::Other(loc) = loc {
            out.push_str(loc);
            out.push_str(": ");
        }
        out.push_str(message);
        out.push('\n');
        if show_source {
            self.source_line(out, loc, underline);
        }
    }

    /// The source line and the caret below it; nothing if the place is not in a
    /// text that is at hand.
    fn source_line(&self, out: &mut String, loc: &DiagLoc, underline: u32) {
        let DiagLoc::Pos { file, line, column } = loc else {
            return;
        };
        let Some(line) = self.sources.source(file).and_then(|f| f.line(*line)) else {
            return;
        };
        let Some(column) = column.checked_sub(1).map(|c| c as usize) else {
            return;
        };
        if column > line.len() {
            return;
        }
        let shown = line.split('\r').next().unwrap_or(line);
        if column > shown.len() {
            return;
        }
        let (window, column) = window(shown, column);
        let shown = &*window;
        let mut width = 0;
        for part in shown.split_inclusive('\t') {
            let text = part.strip_suffix('\t');
            out.push_str(text.unwrap_or(part));
            width += part.len();
            if text.is_some() {
                let filled = width.next_multiple_of(TAB_STOP);
                fill(out, ' ', filled + 1 - width);
                width = filled;
            }
        }
        out.push('\n');
        // Where a byte is not a column, a caret would be misplaced.
        if !shown.is_ascii() {
            return;
        }
        let end = (column + underline as usize).min(shown.len() + 1);
        let mut width = 0;
        for i in 0..end.max(column + 1) {
            let mark = match i.cmp(&column) {
                Ordering::Less => ' ',
                Ordering::Equal => '^',
                Ordering::Greater => '~',
            };
            let filled = match shown.as_bytes().get(i) {
                Some(b'\t') => (width + 1usize).next_multiple_of(TAB_STOP),
                _ => width + 1,
            };
            fill(out, mark, filled - width);
            width = filled;
        }
        out.push('\n');
    }
}

/// Of a line too long to be read, the part around `column`, and the column there.
fn window(line: &str, column: usize) -> (Cow<'_, str>, usize) {
    const MAX_LENGTH: usize = 1000;
    const AROUND: usize = 200;
    if line.len() <= MAX_LENGTH {
        return (Cow::Borrowed(line), column);
    }
    let boundary = |at: usize| (at..line.len()).find(|i| line.is_char_boundary(*i));
    let start = boundary(column.saturating_sub(AROUND)).unwrap_or(line.len());
    let end = boundary((column + AROUND).min(line.len())).unwrap_or(line.len());
    let left = if start > 0 { "..." } else { "" };
    let right = if end < line.len() { "..." } else { "" };
    // A cut at the column itself would put the caret before the text.
    let column = column.saturating_sub(start) + left.len();
    (
        Cow::Owned(format!("{left}{}{right}", &line[start..end])),
        column,
    )
}

fn fill(out: &mut String, mark: char, count: usize) {
    out.extend(std::iter::repeat_n(mark, count));
}

#[cfg(test)]
mod tests {
    use super::super::{NoSources, SourceFile};
    use super::*;

    fn at(line: u32, column: u32) -> DiagLoc {
        DiagLoc::Pos {
            file: "n.mlir".into(),
            line,
            column,
        }
    }

    fn file() -> SourceFile {
        let text = "module {\n\tfunc.func @a() { return }\n  func.func @a() { return }\n}\n";
        SourceFile::new("n.mlir", text).unwrap()
    }

    fn redefinition() -> Diagnostic {
        Diagnostic::error(at(3, 3), "redefinition of symbol named 'a'")
            .with_note(at(2, 2), "see existing symbol definition here")
    }

    #[test]
    fn as_mlir_opt_prints_it() {
        assert_eq!(
            Renderer::new(&file()).render(&redefinition()),
            "n.mlir:3:3: error: redefinition of symbol named 'a'
  func.func @a() { return }
  ^
n.mlir:2:2: note: see existing symbol definition here
        func.func @a() { return }
        ^
"
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let text = format!("{}é!{}", "a".repeat(5000), "b".repeat(5000));
        let file = SourceFile::new("n.mlir", text).unwrap();
        let d = Diagnostic::error(at(1, 4001), "here");
        let out = Renderer::new(&file).render(&d);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[1], format!("...{}...", "a".repeat(400)));
        assert_eq!(lines[2], format!("{}^", " ".repeat(203)));
        for column in [1, 4900, 5001, 5002, 5003, 5004, 10004] {
            let d = Diagnostic::error(at(1, column), "here");
            let out = Renderer::new(&file).render(&d);
            assert!(out.len() < 1000, "{column}");
        }
    }

    #[test]
    fn a_note_at_the_same_place_does_not_repeat_the_line() {
        let diagnostic =
            Diagnostic::error(at(4, 1), "e").with_note(at(4, 1), "see current operation: x");
        assert_eq!(
            Renderer::new(&file()).render(&diagnostic),
            "n.mlir:4:1: error: e\n}\n^\nn.mlir:4:1: note: see current operation: x\n"
        );
    }

    #[test]
    fn places_without_source() {
        let file = file();
        let renderer = Renderer::new(&file);
        let render = |loc| renderer.render(&Diagnostic::error(loc, "m"));
        assert_eq!(render(DiagLoc::Unknown), "<unknown>:0: error: m\n");
        assert_eq!(
            render(DiagLoc::Other("loc(\"name\")".into())),
            "<unknown>:0: error: loc(\"name\"): m\n"
        );
        assert_eq!(render(at(3, 400)), "n.mlir:3:400: error: m\n");
        assert_eq!(render(at(0, 0)), "n.mlir:0:0: error: m\n");
        assert_eq!(render(at(99, 1)), "n.mlir:99:1: error: m\n");
        assert_eq!(
            render(at(u32::MAX, u32::MAX)),
            "n.mlir:4294967295:4294967295: error: m\n"
        );
        assert_eq!(
            Renderer::new(&NoSources).render(&Diagnostic::error(at(1, 1), "m")),
            "n.mlir:1:1: error: m\n"
        );
        // The end of a line, and of the file.
        assert_eq!(render(at(4, 2)), "n.mlir:4:2: error: m\n}\n ^\n");
        assert_eq!(render(at(5, 1)), "n.mlir:5:1: error: m\n\n^\n");
    }

    #[test]
    fn callers_are_notes() {
        let mut diagnostic = Diagnostic::error(at(4, 1), "m");
        diagnostic.callers = vec![
            at(1, 3),
            DiagLoc::Pos {
                file: "q.c".into(),
                line: 7,
                column: 9,
            },
        ];
        assert_eq!(
            Renderer::new(&file()).render(&diagnostic),
            "n.mlir:4:1: error: m
}
^
n.mlir:1:3: note: called from
module {
  ^
q.c:7:9: note: called from
"
        );
    }

    #[test]
    fn tabs_carriage_returns_and_other_alphabets() {
        let file = SourceFile::new("n.mlir", "a\tb\tc\r\nx\ry\n\té\n").unwrap();
        let renderer = Renderer::new(&file);
        let body = |line, column, underline| {
            let mut diagnostic = Diagnostic::warning(at(line, column), "m");
            diagnostic.underline = underline;
            let text = renderer.render(&diagnostic);
            text.split_once('\n').unwrap().1.to_owned()
        };
        assert_eq!(body(1, 5, 0), "a       b       c\n                ^\n");
        assert_eq!(body(1, 3, 99), "a       b       c\n        ^~~~~~~~~~\n");
        assert_eq!(body(1, 2, 0), "a       b       c\n ^^^^^^^\n");
        assert_eq!(body(2, 1, 0), "x\n^\n");
        assert_eq!(body(2, 3, 0), "");
        assert_eq!(body(3, 2, 0), "        é\n");
        let eight = SourceFile::new("n.mlir", "12345678\tx").unwrap();
        assert_eq!(
            Renderer::new(&eight).render(&Diagnostic::remark(at(1, 10), "m")),
            "n.mlir:1:10: remark: m\n12345678        x\n                ^\n"
        );
    }
}
