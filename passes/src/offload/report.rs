//! Notes about loops as remarks, a few lines each: for tests and for `notes`.

use terrace_ir::diag::Diagnostic;

use super::notes::{Because, LoopNote, RegionNotes, Verdict};

/// A remark for each loop, in source order.
pub fn remarks(notes: &RegionNotes) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = notes.loops.iter().map(remark).collect();
    if let Some(s) = &notes.schedule {
        all.push(Diagnostic::remark(notes.place.clone(), s.clone()));
    }
    if !notes.assumed_distinct.is_empty() {
        let pairs = notes.assumed_distinct.iter();
        let pairs: Vec<String> = pairs.map(|(a, b)| format!("{a} and {b}")).collect();
        let text = format!("taken to be different memory: {}", pairs.join(", "));
        all.push(Diagnostic::remark(notes.place.clone(), text));
    }
    all
}

fn remark(l: &LoopNote) -> Diagnostic {
    let name = match l.variable.as_str() {
        "" => "loop".to_string(),
        v => format!("loop over {v}"),
    };
    let mut details = Vec::new();
    let verdict = match &l.verdict {
        Verdict::Parallel(Because::Analysis) => "parallel".to_string(),
        Verdict::Parallel(Because::Directive) => "parallel, as the directive says".to_string(),
        Verdict::Directive(why) => format!("sequential: {why}"),
        Verdict::Sequential(reasons) => {
            for r in reasons.iter().take(4) {
                details.push((r.from.place.clone(), r.from.text.clone()));
                let to = format!("{}, {} later", r.to.text, r.distance);
                details.push((r.to.place.clone(), to));
            }
            let first = reasons.first().map_or("", |r| r.meaning.as_str());
            format!("sequential: {first}")
        }
        Verdict::Unknown(reasons) => {
            for r in reasons.iter().skip(1).take(4) {
                details.push((r.place.clone(), r.text.clone()));
            }
            let first = reasons.first().map_or("", |r| r.text.as_str());
            format!("sequential: not known to be parallel, {first}")
        }
    };
    let mut text = format!("{name}: {verdict}");
    for r in &l.reductions {
        text.push_str(&format!("; {} of {}", r.operation, r.variable));
    }
    for p in &l.privatised {
        text.push_str(&format!("; {p} private"));
    }
    if !l.clauses.is_empty() {
        text.push_str(&format!(" [{}]", l.clauses.join(" ")));
    }
    let mut d = Diagnostic::remark(l.place.clone(), text);
    for (place, text) in details {
        d = d.with_note(place, text);
    }
    for w in &l.warnings {
        d = d.with_note(w.place.clone(), w.text.clone());
    }
    d
}
