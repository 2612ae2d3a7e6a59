//! Notes about loops as sentences: short ones, in the names of the source.

use terrace_ir::diag::DiagLoc;

use super::notes::{Because, DependenceNote, LoopNote, ReductionNote, RegionNotes, Verdict};

/// How to take a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It runs in parallel, or on the device.
    Good,
    /// It runs in order, or on the host.
    Plain,
    /// It costs time, or is doubtful.
    Attention,
}

impl Mark {
    /// As a word for machines.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Good => "good",
            Mark::Plain => "plain",
            Mark::Attention => "attention",
        }
    }
}

/// A sentence, and places that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// What kind of sentence it is.
    pub mark: Mark,
    /// The sentence itself, without its places.
    pub text: String,
    /// Each with what is there.
    pub places: Vec<(DiagLoc, String)>,
}

impl Sentence {
    /// A sentence about no further place.
    pub fn new(mark: Mark, text: impl Into<String>) -> Sentence {
        Sentence {
            mark,
            text: text.into(),
            places: Vec::new(),
        }
    }
}

/// Whether two places are in one line. Places of one loop may be that of its keyword and
/// that of its counter.
pub fn same_line(a: &DiagLoc, b: &DiagLoc) -> bool {
    match (a, b) {
        (
            DiagLoc::Pos { file, line, .. },
            DiagLoc::Pos {
                file: file2,
                line: line2,
                ..
            },
        ) => file == file2 && line == line2,
        _ => false,
    }
}

/// A loop by its counter.
pub fn loop_name(variable: &str) -> String {
    match variable {
        "" => "the loop".to_string(),
        v => format!("the loop over {v}"),
    }
}

/// The most dependences and reasons that are shown of a loop.
pub const MAX: usize = 3;

/// In what order the iterations of a loop run, and why.
pub fn verdict(l: &LoopNote) -> Vec<Sentence> {
    let name = loop_name(&l.variable);
    let mut out = Vec::new();
    match &l.verdict {
        Verdict::Parallel(because) => {
            let why = match because {
                Because::Analysis => "",
                Because::Directive => ", because the directive says so",
            };
            out.push(Sentence::new(
                Mark::Good,
                format!("{name} is parallel{why}"),
            ));
        }
        Verdict::Directive(why) => {
            let text = format!("{name} runs in order: {why}");
            out.push(Sentence::new(Mark::Plain, text));
        }
        Verdict::Sequential(all) => {
            for (i, d) in all.iter().take(MAX).enumerate() {
                let start = match i {
                    0 => format!("{name} runs in order: "),
                    _ => "also, ".to_string(),
                };
                out.push(dependence(&start, d));
            }
            out.extend(and_more(all.len(), "dependence"));
        }
        Verdict::Unknown(reasons) => {
            let mut first = Sentence::new(
                Mark::Attention,
                format!("{name} runs in order, because it is not known to be parallel"),
            );
            for r in reasons.iter().take(MAX) {
                first.places.push((r.place.clone(), r.text.clone()));
            }
            out.push(first);
            out.extend(and_more(reasons.len(), "reason"));
        }
    }
    out
}

/// What else is known about a loop, of which each thread runs all iterations if `in_thread`.
pub fn details(l: &LoopNote, in_thread: bool) -> Vec<Sentence> {
    let mut out = Vec::new();
    out.extend(l.reductions.iter().map(reduction));
    if !l.checked.is_empty() {
        let names = list(&l.checked);
        let text = format!(
            "where {names} may be another zero or NaN by the order of the iterations, the loop \
             runs again in order"
        );
        out.push(Sentence::new(Mark::Plain, text));
    }
    if !l.privatised.is_empty() {
        let text = format!("each iteration has its own {}", list(&l.privatised));
        out.push(Sentence::new(Mark::Good, text));
    }
    if in_thread {
        let text = "each thread runs all its iterations";
        out.push(Sentence::new(Mark::Plain, text));
    }
    if !l.clauses.is_empty() {
        let in_order =
            in_thread || matches!(l.verdict, Verdict::Sequential(_) | Verdict::Unknown(_));
        let what = match in_order && !l.clauses.iter().any(|c| c == "auto") {
            true => "the directive asks for",
            false => "the directive was followed",
        };
        let text = format!("{what}: {}", l.clauses.join(" "));
        out.push(Sentence::new(Mark::Plain, text));
    }
    out
}

/// What the author should look at.
pub fn warnings(l: &LoopNote) -> Vec<Sentence> {
    let mut out = Vec::new();
    for w in &l.warnings {
        let mut s = Sentence::new(Mark::Attention, format!("look at this: {}", w.text));
        if !same_line(&w.place, &l.place) {
            s.places.push((w.place.clone(), String::new()));
        }
        out.push(s);
    }
    out
}

fn and_more(all: usize, what: &str) -> Option<Sentence> {
    let rest = all.checked_sub(MAX).filter(|n| *n > 0)?;
    let s = if rest == 1 { "" } else { "s" };
    Some(Sentence::new(
        Mark::Plain,
        format!("and {rest} more {what}{s}"),
    ))
}

/// The access that comes second, and how much later.
pub(crate) fn later(d: &DependenceNote) -> String {
    match d.distance.as_str() {
        "" => d.to.text.clone(),
        far => format!("{}, {far} later", d.to.text),
    }
}

fn dependence(start: &str, d: &DependenceNote) -> Sentence {
    let mut places = vec![(d.from.place.clone(), d.from.text.clone())];
    // One statement may be both.
    if d.to != d.from {
        places.push((d.to.place.clone(), later(d)));
    }
    Sentence {
        mark: Mark::Plain,
        text: format!("{start}{}", d.meaning),
        places,
    }
}

/// What is combined.
pub fn reduction(r: &ReductionNote) -> Sentence {
    let rounding = match r.reordered {
        true => "; its last digits may differ from those of the C program",
        false => "",
    };
    let text = format!(
        "{} is the {} of all iterations{rounding}",
        r.variable, r.operation
    );
    Sentence::new(Mark::Good, text)
}

/// What was done to the order of a region's loops.
pub fn schedule(r: &RegionNotes) -> Option<Sentence> {
    let text = r.schedule.as_ref()?;
    Some(Sentence::new(Mark::Plain, format!("schedule: {text}")))
}

/// Which arrays must not overlap.
pub fn distinct(r: &RegionNotes) -> Option<Sentence> {
    let pairs = r.assumed_distinct.iter();
    let pairs: Vec<String> = pairs.map(|(a, b)| format!("{a} and {b}")).collect();
    let text = format!(
        "these are taken to be different memory: {}",
        pairs.join(", ")
    );
    (!pairs.is_empty()).then(|| Sentence::new(Mark::Plain, text))
}

/// What has to hold of sizes.
pub fn presumed(r: &RegionNotes) -> Option<Sentence> {
    let all: Vec<String> = r.presumed.iter().map(|p| p.text.clone()).collect();
    let text = format!(
        "this is presumed, and the C statement runs where it does not hold: {}",
        list(&all)
    );
    (!all.is_empty()).then(|| Sentence::new(Mark::Plain, text))
}

/// Names as C's reader would list them: `a, b and c`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
