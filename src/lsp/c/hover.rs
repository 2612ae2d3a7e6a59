//! What is shown where the mouse is over a loop or a directive.

use lsp_types::Position;
use std::fmt::Write as _;
use std::sync::Arc;
use terrace_ir::diag::DiagLoc;
use terrace_passes::region::cost::note::{CostNote, KernelCost};
use terrace_passes::region::notes::{KernelNote, RegionNotes};
use terrace_passes::region::sentences::{Mark, Sentence, details, verdict};

use super::super::text::Snapshot;
use super::{Analysis, Explained};
use crate::explain::sentences::place_text;

impl Analysis {
    /// What has to be looked at for the loop in a line: the file as it was explained, if it is this version.
    pub fn unseen(&self, snapshot: &Snapshot, at: Position) -> Option<(Arc<str>, Explained)> {
        let (text, explained) = (self.preprocessed.as_ref()?, self.explained.as_ref()?);
        let line = behind_directives(snapshot, at.line);
        let current = explained.revision == snapshot.revision && !explained.looks_outside;
        let unseen = current && explained.is_unseen(snapshot, line);
        unseen.then(|| (text.clone(), (**explained).clone()))
    }

    /// All that is known of the loop or directive in a line, as Markdown, and the bytes that it is about.
    pub fn hover(&self, snapshot: &Snapshot, offset: u32) -> Option<(String, (u32, u32))> {
        let explained = self.explained.as_ref()?;
        let here = snapshot.line_of(offset);
        let line = behind_directives(snapshot, here);
        let mut said: Vec<Sentence> = Vec::new();
        for r in explained.said() {
            if explained.line(snapshot, &r.place) == Some(line) {
                said.extend(r.sentences);
            }
        }
        let kernels = kernels_at(explained, snapshot, line);
        // What a kernel costs is shown below, in a shape that suits an editor.
        let of_costs: Vec<Sentence> = (kernels.iter())
            .filter_map(|k| crate::explain::cost::sentence(k))
            .collect();
        said.retain(|s| !of_costs.contains(s));
        if explained.is_unseen(snapshot, line) {
            let text = "its iterations are being looked at";
            said.push(Sentence::new(Mark::Plain, text));
        }
        if let Some((l, region)) = explained.outside_at(snapshot, line) {
            said.extend(verdict(l));
            said.extend(details(l, false));
            if let Some(why) = &region.declined {
                let text = format!("as a region it would stay on the host: {}", why.text);
                said.push(Sentence::new(Mark::Plain, text));
            }
        }
        if said.is_empty() && kernels.is_empty() {
            return None;
        }
        let mut out = String::new();
        for s in &said {
            sentence(snapshot, explained, s, &mut out);
        }
        for k in kernels {
            cost(k, &mut out);
        }
        let start = snapshot.line_start(here);
        let text = snapshot.line(here);
        let indent = (text.len() - text.trim_start().len()) as u32;
        Some((out, (start + indent, start + text.trim_end().len() as u32)))
    }
}

/// The line that a directive is about, for a line with one.
pub fn behind_directives(snapshot: &Snapshot, line: u32) -> u32 {
    let mut at = line;
    let mut in_directive = false;
    while at < snapshot.num_lines() {
        let text = snapshot.line(at).trim();
        if !in_directive && !text.starts_with("#pragma") {
            return at;
        }
        in_directive = text.ends_with('\\');
        at += 1;
    }
    line
}

/// The kernels that run the loop in a line, or that are of the region that begins there.
fn kernels_at<'e>(e: &'e Explained, snapshot: &Snapshot, line: u32) -> Vec<&'e KernelNote> {
    let here = |place: &DiagLoc| e.line(snapshot, place) == Some(line);
    let of = |r: &'e RegionNotes| {
        let begins = here(&r.place);
        (r.kernels.iter()).filter(move |k| begins || k.loops.iter().any(|l| here(&l.place)))
    };
    let on_device = e.regions().filter(|r| r.declined.is_none());
    on_device.flat_map(of).collect()
}

fn sentence(snapshot: &Snapshot, e: &Explained, s: &Sentence, out: &mut String) {
    let strong = match s.mark {
        Mark::Attention => "**",
        _ => "",
    };
    let _ = writeln!(out, "- {strong}{}{strong}", plain(&s.text));
    for (place, text) in &s.places {
        let now = e.line(snapshot, place);
        let at = match now {
            Some(line) => format!("line {}", line + 1),
            None => place_text(&snapshot.name(), place),
        };
        let quoted = now
            .map(|l| snapshot.line(l).trim())
            .filter(|t| !t.is_empty());
        let quoted = quoted.map(|t| format!("`` {t} ``"));
        let parts = [at, plain(text), quoted.unwrap_or_default()];
        let parts: Vec<&str> = parts
            .iter()
            .map(String::as_str)
            .filter(|p| !p.is_empty())
            .collect();
        if !parts.is_empty() {
            let _ = writeln!(out, "  - {}", parts.join(": "));
        }
    }
}

/// The predicted time of a kernel, and the bytes that it moves.
fn cost(k: &KernelNote, out: &mut String) {
    match &k.cost {
        KernelCost::NotAsked => {}
        KernelCost::Of(c) => of_model(k, c, out),
        KernelCost::Wants(names) => {
            let _ = writeln!(
                out,
                "- {}: its time depends on {}: the setting `terrace.sizes` gives values",
                plain(&k.name),
                names.join(", ")
            );
        }
        KernelCost::Unknown(why) => {
            let _ = writeln!(
                out,
                "- {}: no estimate of its time: {}",
                plain(&k.name),
                plain(why)
            );
        }
    }
}

fn of_model(k: &KernelNote, c: &CostNote, out: &mut String) {
    let binds = c
        .binding()
        .map_or(String::new(), |t| format!(", {} binds", t.name));
    let _ = writeln!(
        out,
        "- {}: **{:.3} us** a launch on {} ({}){binds}; {:.0} bytes to and from memory",
        plain(&k.name),
        c.us,
        c.arch,
        c.part,
        c.memory_bytes
    );
    if !c.axes.is_empty() {
        let axes = c.axes.iter().zip(["x", "y", "z"]);
        let axes: Vec<String> = axes.map(|(l, a)| format!("{l} along {a}")).collect();
        let [x, y, z] = c.block;
        let _ = writeln!(
            out,
            "  - {}: blocks of {x} x {y} x {z} threads",
            axes.join(", ")
        );
    }
    for t in &c.terms {
        let what = if t.binds { " (binds)" } else { "" };
        let _ = writeln!(
            out,
            "  - {}: {:.3} us, {}{what}",
            t.name,
            t.us,
            plain(&t.what)
        );
    }
    if !c.exact || !c.estimated.is_empty() {
        let _ = writeln!(out, "  - counts are in part estimates");
    }
}

/// Text that Markdown shows as it is.
fn plain(text: &str) -> String {
    // What stands in backticks is code there too.
    let mut out = String::with_capacity(text.len());
    let mut code = false;
    for c in text.chars() {
        code ^= c == '`';
        if !code && matches!(c, '*' | '_' | '<' | '[' | ']' | '#' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
