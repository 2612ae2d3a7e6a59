//! Formatting: a text is printed as `terrace-opt` prints it, with its names and comments.

use lsp_types::TextEdit;
use terrace_ir::diag::Severity;
use terrace_ir::text::parser::{Source, parse, parse_with_places};
use terrace_ir::text::places::Places;
use terrace_ir::text::printer::{PrintOptions, print};

use super::super::text::Snapshot;
use super::{Analysis, Part, comments, rename};
use crate::dialects::{self, builtin};
use crate::ir::{Context, Op};

impl Analysis {
    /// The edit that formats the text; none where it is formatted already.
    ///
    /// # Errors
    ///
    /// A text with errors is left as it is, and so is one whose comments or meaning would change.
    pub fn format(&self, snapshot: &Snapshot) -> Result<Vec<TextEdit>, String> {
        let wrong =
            |d: &&lsp_types::Diagnostic| d.severity == Some(lsp_types::DiagnosticSeverity::ERROR);
        if let Some(d) = self.diagnostics.iter().find(wrong) {
            let line = d.range.start.line + 1;
            return Err(format!(
                "a text with errors is not formatted: line {line}: {}",
                d.message
            ));
        }
        let text = &*snapshot.text;
        let mut made = String::with_capacity(text.len());
        let mut at = 0;
        for part in &self.parts {
            // The marker between parts.
            made.push_str(&text[at..part.start as usize]);
            at = part.end() as usize;
            let formatted = part.format()?;
            // Parts begin behind a marker, on its line.
            if part.start > 0 {
                made.push('\n');
                if part
                    .text
                    .trim_start_matches([' ', '\t', '\r'])
                    .starts_with("\n\n")
                {
                    made.push('\n');
                }
            }
            made.push_str(&formatted);
            if part.text.ends_with("\n\n") && at < text.len() {
                made.push('\n');
            }
        }
        made.push_str(&text[at..]);
        Ok(edit(snapshot, &made))
    }
}

/// An edit of the lines that differ.
fn edit(snapshot: &Snapshot, made: &str) -> Vec<TextEdit> {
    let text = &*snapshot.text;
    if text == made {
        return Vec::new();
    }
    let before: Vec<&str> = text.split_inclusive('\n').collect();
    let after: Vec<&str> = made.split_inclusive('\n').collect();
    let least = before.len().min(after.len());
    let first = (0..least).take_while(|i| before[*i] == after[*i]).count();
    let from_end = |i: &usize| before[before.len() - 1 - i] == after[after.len() - 1 - i];
    let last = (0..least - first).take_while(from_end).count();
    let range = snapshot.range(
        snapshot.line_start(first as u32),
        snapshot.line_start((before.len() - last) as u32),
    );
    vec![TextEdit::new(
        range,
        after[first..after.len() - last].concat(),
    )]
}

impl Part {
    fn context(&self) -> Context {
        let mut ctx = dialects::context();
        ctx.config.allow_unregistered = self.ctx.config.allow_unregistered;
        ctx
    }

    fn format(&self) -> Result<String, String> {
        if self.places.ops.is_empty() && self.places.aliases.is_empty() {
            // Comments alone, or nothing.
            let text = self.text.trim();
            return Ok(match text.is_empty() {
                true => String::new(),
                false => format!("{text}\n"),
            });
        }
        if self.places.has_locations {
            let m = "the locations that it has, `loc(...)`, would be lost";
            return Err(m.to_string());
        }
        let source = Source::new("text", &self.text);
        let mut ctx = self.context();
        ctx.config.keep_names = true;
        ctx.config.keep_group_names = true;
        let module = parse(&mut ctx, &source).ok_or("the text has errors")?;
        let options = PrintOptions {
            names_from_locations: true,
            ..PrintOptions::default()
        };
        let mut printed = print(&ctx, module, &options);
        if !self.has_module() {
            printed = without_module(&printed);
        }
        let printed = comments::without_those_of_printer(&printed);
        let (printed, places) = self.with_own_names(printed)?;
        let printed = (printed.as_str(), &places);
        let made = comments::put((&self.text, &self.places), printed)?;
        // What was put in must not have changed what is there.
        self.checked(&made)?;
        if comments::of(&made).len() != comments::of(&self.text).len() {
            return Err("a comment would be lost".to_string());
        }
        Ok(made)
    }

    /// The printed text with the names of values as they are written, where that can be, and its places.
    fn with_own_names(&self, printed: String) -> Result<(String, Places), String> {
        let places = self.checked(&printed)?;
        let renamed = rename::with_names_of(&self.places, &printed, &places);
        match renamed.map(|text| (self.checked(&text), text)) {
            Some((Ok(places), text)) => Ok((text, places)),
            _ => Ok((printed, places)),
        }
    }

    /// Whether the text has its module written out.
    fn has_module(&self) -> bool {
        let top: Vec<_> = self
            .places
            .ops
            .iter()
            .filter(|o| o.parent.is_none())
            .collect();
        let named = |name: &str| name == builtin::ModuleOp::NAME;
        top.len() == 1 && top[0].def.is_some_and(|d| named(d.name))
    }

    /// The places of a text that has to mean the same.
    fn checked(&self, printed: &str) -> Result<Places, String> {
        let generic = PrintOptions {
            generic: true,
            ..PrintOptions::default()
        };
        let mut before = self.context();
        let module = parse(&mut before, &Source::new("text", &self.text));
        let mut after = self.context();
        let (again, places) = parse_with_places(&mut after, &Source::new("text", printed));
        let (Some(module), Some(again)) = (module, again) else {
            let said = after.take_diagnostics();
            let first = said.iter().find(|d| d.severity == Severity::Error);
            let why = first.map_or(String::new(), |d| format!(": {}", d.message));
            return Err(format!("what is printed cannot be read again{why}"));
        };
        drop_defaults(&mut before, module);
        drop_defaults(&mut after, again);
        match print(&before, module, &generic) == print(&after, again, &generic) {
            true => Ok(places),
            false => Err("what is printed would mean something else".to_string()),
        }
    }
}

/// Takes attributes away that are what their absence means: the printer leaves them out.
fn drop_defaults(ctx: &mut Context, module: Op) {
    let mut found: Vec<(Op, &'static str)> = Vec::new();
    module.walk(ctx, &mut |op| {
        for a in op.def(ctx).iter().flat_map(|d| d.attrs) {
            let default = a.constraint.default.map(|f| f(ctx));
            if default.is_some() && op.attr(ctx, a.name) == default {
                found.push((op, a.name));
            }
        }
    });
    for (op, name) in found {
        op.remove_attr(ctx, name);
    }
}

/// What is printed inside a module that the text does not write out.
fn without_module(printed: &str) -> String {
    let mut out = String::with_capacity(printed.len());
    let mut inside = false;
    for line in printed.lines() {
        match (inside, line) {
            (false, _) if line.starts_with("module") && line.ends_with('{') => inside = true,
            (true, "}") => inside = false,
            (true, _) => {
                out.push_str(line.strip_prefix("  ").unwrap_or(line));
                out.push('\n');
            }
            (false, _) => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}
