//! What `terrace explain` finds out of a file, kept with the version that it is about.

use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Uri};
use terrace_ir::diag::DiagLoc;
use terrace_passes::region::notes::{Construct, LoopNote, RegionNotes};
use terrace_passes::region::sentences::{Mark, Sentence, same_line};

use super::super::said;
use super::super::text::Snapshot;
use super::commands;
use crate::c::translate::Unsaved;
use crate::explain::command::{ExplainOptions, explained};
use crate::explain::sentences::{self, Remark};
use crate::explain::{FunctionNotes, line_of};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Explained {
    /// The document.
    pub uri: Uri,
    /// Its version at that time.
    pub version: i32,
    /// What was looked at.
    pub revision: u64,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// Its functions.
    pub functions: Vec<FunctionNotes>,
    /// Loops that are in no region, and what would become of them if they were, with the regions; where they
    /// were looked at.
    pub outside: Option<Vec<RegionNotes>>,
    /// Whether these were looked at, or are going to be.
    pub looks_outside: bool,
}

impl Explained {
    /// Compiles the regions of a file whose preprocessed text is given.
    pub fn of(snapshot: &Snapshot, preprocessed: &str) -> Explained {
        let mut made = Explained {
            uri: snapshot.uri.clone(),
            version: snapshot.version,
            revision: snapshot.revision,
            diagnostics: Vec::new(),
            functions: Vec::new(),
            // With `auto` they are regions, where they can be.
            outside: snapshot.settings.auto.then(Vec::new),
            looks_outside: snapshot.settings.auto,
        };
        let options = options(snapshot);
        let (functions, said) = explain(snapshot, preprocessed, &options);
        made.functions = functions;
        made.diagnostics = said;
        made
    }

    /// Whether there are loops that no directive is about.
    pub fn has_loops_outside(&self) -> bool {
        self.functions.iter().any(|f| !f.host_loops.is_empty())
    }

    /// Whether a line has a loop that no directive is about, and that was not looked at so far.
    pub fn is_unseen(&self, snapshot: &Snapshot, line: u32) -> bool {
        let mut loops = self.functions.iter().flat_map(|f| &f.host_loops);
        self.outside.is_none() && loops.any(|l| self.line(snapshot, &l.place) == Some(line))
    }

    /// Looks at the loops that no directive is about, as `terrace cc --auto` does.
    pub fn look_outside(&mut self, snapshot: &Snapshot, preprocessed: &str) {
        let options = ExplainOptions {
            auto: true,
            short: true,
            ..options(snapshot)
        };
        let (functions, _) = explain(snapshot, preprocessed, &options);
        let regions = functions.into_iter().flat_map(|f| f.regions);
        // `scop` makes such regions too: what is in one that is known already is not outside.
        let known = |l: &LoopNote| {
            let mut own = self.regions().flat_map(|r| &r.loops);
            own.any(|o| same_line(&o.place, &l.place))
        };
        let new = |r: &RegionNotes| r.construct == Construct::Auto && !r.loops.iter().any(known);
        let found: Vec<RegionNotes> = regions.filter(new).collect();
        self.outside = Some(found);
    }

    /// The line of a place in this document as it is now, from 0.
    pub fn line(&self, snapshot: &Snapshot, place: &DiagLoc) -> Option<u32> {
        let DiagLoc::Pos { file, line, .. } = place else {
            return None;
        };
        if **file != *snapshot.name() {
            return None;
        }
        snapshot.line_now(self.version, line.checked_sub(1)?)
    }

    /// All regions that directives ask for.
    pub fn regions(&self) -> impl Iterator<Item = &RegionNotes> {
        self.functions.iter().flat_map(|f| &f.regions)
    }

    /// All that is to say, line by line.
    pub fn said(&self) -> Vec<Remark> {
        self.functions
            .iter()
            .flat_map(sentences::function)
            .collect()
    }

    /// A loop that is in no region, and the region that could be made there.
    pub fn outside_at(&self, snapshot: &Snapshot, line: u32) -> Option<(&LoopNote, &RegionNotes)> {
        self.outside.iter().flatten().find_map(|r| {
            let here = |l: &&LoopNote| self.line(snapshot, &l.place) == Some(line);
            Some((r.loops.iter().find(here)?, r))
        })
    }

    /// Remarks as diagnostics: what costs time as information, the rest as hints. Of a loop in no region
    /// there is nothing to remark, unless it copies.
    pub fn remarks(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        for f in &self.functions {
            for r in sentences::function(f) {
                let Some(line) = self.line(snapshot, &r.place) else {
                    continue;
                };
                let of_host = |l: &crate::explain::HostLoop| same_line(&l.place, &r.place);
                let no_news = f.host_loops.iter().any(of_host);
                // Nobody asked for functions without regions to become anything.
                let stays = |s: &Sentence| f.regions.is_empty() && s.text.starts_with("stays C: ");
                for s in r.sentences.iter().filter(|s| !stays(s)) {
                    if s.mark == Mark::Attention {
                        let severity = DiagnosticSeverity::INFORMATION;
                        out.push(self.remark(snapshot, line, severity, s.text.clone(), s));
                    }
                }
                let rest: Vec<&Sentence> = (r.sentences.iter())
                    .filter(|s| s.mark != Mark::Attention && !no_news)
                    .collect();
                let Some(first) = rest.first() else {
                    continue;
                };
                let text: Vec<&str> = rest.iter().map(|s| s.text.as_str()).collect();
                let hint = DiagnosticSeverity::HINT;
                out.push(self.remark(snapshot, line, hint, text.join("\n"), first));
            }
        }
        out
    }

    fn remark(
        &self,
        snapshot: &Snapshot,
        line: u32,
        severity: DiagnosticSeverity,
        message: String,
        sentence: &Sentence,
    ) -> Diagnostic {
        let places = sentence.places.iter().filter_map(|(place, text)| {
            let mut location = said::location(snapshot, place)?;
            if let Some(line) = self.line(snapshot, place) {
                location.range = snapshot.line_range(line);
            }
            let message = match text.is_empty() {
                true => format!("line {}", line_of(place)),
                false => text.clone(),
            };
            Some(DiagnosticRelatedInformation { location, message })
        });
        let related: Vec<DiagnosticRelatedInformation> = places.collect();
        Diagnostic {
            range: snapshot.line_range(line),
            severity: Some(severity),
            source: Some(said::SOURCE.to_string()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        }
    }
}

fn options(snapshot: &Snapshot) -> ExplainOptions {
    let settings = &snapshot.settings;
    ExplainOptions {
        file: snapshot.name(),
        // What is wrong with them was said when the text was read.
        flags: commands::flags(snapshot).unwrap_or_default(),
        arch: settings.arch.clone(),
        auto: settings.auto,
        sizes: settings.sizes.clone(),
        ..ExplainOptions::default()
    }
}

fn explain(
    snapshot: &Snapshot,
    preprocessed: &str,
    options: &ExplainOptions,
) -> (Vec<FunctionNotes>, Vec<Diagnostic>) {
    let unsaved = Unsaved::one(snapshot.name(), snapshot.text.clone());
    let end_of = |at| said::word_end(&snapshot.text, at);
    match explained(options, preprocessed.to_string(), unsaved) {
        Ok(Some(t)) => {
            let found = said::all(snapshot, &t.diagnostics, &end_of);
            let functions = t.explanation.map_or(Vec::new(), |e| e.functions);
            (functions, found)
        }
        Ok(None) => (Vec::new(), Vec::new()),
        // Of a setting there is no place.
        Err(e) if e.diagnostics.is_empty() => {
            let wrong = said::without_place(e.text.trim_end().to_string());
            (Vec::new(), vec![wrong])
        }
        Err(e) => (Vec::new(), said::all(snapshot, &e.diagnostics, &end_of)),
    }
}
