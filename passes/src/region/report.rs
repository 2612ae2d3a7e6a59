//! Notes about loops as remarks, one for each loop: for tests and for `notes`.

use terrace_ir::diag::Diagnostic;

use super::notes::{LoopNote, RegionNotes};
use super::sentences::Sentence;
use crate::region::sentences;

/// A remark for each loop, in source order, and what is said of the region.
pub fn remarks(notes: &RegionNotes) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = notes.loops.iter().map(remark).collect();
    let region = sentences::schedule(notes)
        .into_iter()
        .chain(sentences::distinct(notes))
        .chain(sentences::presumed(notes));
    all.extend(region.map(|s| Diagnostic::remark(notes.place.clone(), s.text)));
    all
}

/// The sentences about a loop in one line, and their places below it.
fn remark(l: &LoopNote) -> Diagnostic {
    let mut sentences = sentences::verdict(l);
    sentences.extend(sentences::details(l, false));
    let texts: Vec<&str> = sentences.iter().map(|s| s.text.as_str()).collect();
    let places = |s: Sentence| s.places.into_iter().filter(|(_, text)| !text.is_empty());
    let d = Diagnostic::remark(l.place.clone(), texts.join("; "));
    let all: Vec<_> = sentences.into_iter().flat_map(places).collect();
    let warnings = l.warnings.iter().map(|w| (w.place.clone(), w.text.clone()));
    all.into_iter()
        .chain(warnings)
        .fold(d, |d, (place, text)| d.with_note(place, text))
}
