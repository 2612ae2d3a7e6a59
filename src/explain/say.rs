//! Notes as sentences: short ones, in the names of the source.

use terrace_ir::diag::DiagLoc;
use terrace_passes::offload::notes::{
    AccessNote, ArrayNote, Because, DependenceKind, DependenceNote, KernelNote, LoopNote, MappedTo,
    Movement, Reason, ReductionNote, RegionNotes, Verdict,
};

use super::{FunctionNotes, HostLoop, file_of, line_of, same_line};

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
    pub mark: Mark,
    pub text: String,
    /// Each with what is there.
    pub places: Vec<(DiagLoc, String)>,
}

/// Everything to say about one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub place: DiagLoc,
    pub sentences: Vec<Sentence>,
}

impl Sentence {
    fn new(mark: Mark, text: impl Into<String>) -> Sentence {
        Sentence {
            mark,
            text: text.into(),
            places: Vec::new(),
        }
    }
}

/// All remarks about a function, in the order of the source; those about one line are
/// one.
pub fn function(f: &FunctionNotes) -> Vec<Remark> {
    let mut all: Vec<(u8, Remark)> = Vec::new();
    for k in &f.kept {
        let text = format!("stays C: it has {}", k.text);
        all.push((
            0,
            remark(&k.place, vec![Sentence::new(Mark::Attention, text)]),
        ));
    }
    for r in &f.regions {
        all.push((1, remark(&r.place, region(r))));
        for l in &r.loops {
            all.push((2, remark(&l.place, of_loop(l, r))));
        }
    }
    for l in &f.host_loops {
        all.push((2, remark(&l.place, vec![host_loop(l)])));
    }
    all.sort_by(|(a, x), (b, y)| {
        let file = file_of(&x.place).cmp(file_of(&y.place));
        file.then(line_of(&x.place).cmp(&line_of(&y.place)))
            .then(a.cmp(b))
    });
    let mut merged: Vec<Remark> = Vec::new();
    for (_, r) in all {
        match merged.last_mut() {
            Some(last) if same_line(&last.place, &r.place) => {
                last.sentences.extend(r.sentences);
            }
            _ => merged.push(r),
        }
    }
    merged
}

fn remark(place: &DiagLoc, sentences: Vec<Sentence>) -> Remark {
    Remark {
        place: place.clone(),
        sentences,
    }
}

fn loop_name(variable: &str) -> String {
    match variable {
        "" => "the loop".to_string(),
        v => format!("the loop over {v}"),
    }
}

fn host_loop(l: &HostLoop) -> Sentence {
    let text = format!(
        "{} runs on the host: it is in no region",
        loop_name(&l.variable)
    );
    Sentence::new(Mark::Plain, text)
}

/// The most dependences and reasons that are shown of a loop.
const MOST: usize = 3;

fn of_loop(l: &LoopNote, r: &RegionNotes) -> Vec<Sentence> {
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
            for (i, d) in all.iter().take(MOST).enumerate() {
                let start = match i {
                    0 => format!("{name} runs in order: "),
                    _ => "also, ".to_string(),
                };
                out.push(dependence(&start, d));
            }
            out.extend(and_more(all.len(), "dependence"));
            if all.is_empty() {
                let text = format!("{name} runs in order");
                out.push(Sentence::new(Mark::Plain, text));
            }
        }
        Verdict::Unknown(reasons) => {
            let mut first = Sentence::new(
                Mark::Attention,
                format!("{name} runs in order, because it is not known to be parallel"),
            );
            for r in reasons.iter().take(MOST) {
                first.places.push((r.place.clone(), r.text.clone()));
            }
            out.push(first);
            out.extend(and_more(reasons.len(), "reason"));
        }
    }
    for k in &r.kernels {
        for m in k
            .loops
            .iter()
            .filter(|m| m.variable == l.variable && same_line(&m.place, &l.place))
        {
            out.extend(mapped(&k.name, m.to));
        }
    }
    out.extend(l.reductions.iter().map(reduction));
    if !l.privatised.is_empty() {
        let text = format!("each iteration has its own {}", list(&l.privatised));
        out.push(Sentence::new(Mark::Good, text));
    }
    if !l.clauses.is_empty() {
        let in_order = matches!(l.verdict, Verdict::Sequential(_) | Verdict::Unknown(_));
        let what = match in_order && !l.clauses.iter().any(|c| c == "auto") {
            true => "the directive asks for",
            false => "the directive was followed",
        };
        let text = format!("{what}: {}", l.clauses.join(" "));
        out.push(Sentence::new(Mark::Plain, text));
    }
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
    let rest = all.checked_sub(MOST).filter(|n| *n > 0)?;
    let s = if rest == 1 { "" } else { "s" };
    Some(Sentence::new(
        Mark::Plain,
        format!("and {rest} more {what}{s}"),
    ))
}

fn mapped(kernel: &str, to: MappedTo) -> Option<Sentence> {
    let axis = |a: u8| ["x", "y", "z"][usize::from(a.min(2))];
    let text = match to {
        MappedTo::Axis(a) => format!("its iterations are threads along {} of {kernel}", axis(a)),
        MappedTo::Blocks(a) => format!("its iterations are blocks along {} of {kernel}", axis(a)),
        MappedTo::Threads(a) => format!(
            "its iterations are the threads of a block along {} of {kernel}",
            axis(a)
        ),
        MappedTo::Sequential => format!("every thread of {kernel} runs all of it"),
    };
    Some(Sentence::new(Mark::Plain, text))
}

fn dependence(start: &str, d: &DependenceNote) -> Sentence {
    let meaning = match d.meaning.is_empty() {
        false => d.meaning.clone(),
        true => {
            let what = match d.kind {
                DependenceKind::Flow => "is written and later read",
                DependenceKind::Anti => "is read and later written",
                DependenceKind::Output => "is written more than once",
                DependenceKind::Scalar => "is taken from the iteration before",
            };
            format!("{} {what}", d.array)
        }
    };
    let later = match d.distance.as_str() {
        "" => String::new(),
        far => format!(", {far} later"),
    };
    Sentence {
        mark: Mark::Plain,
        text: format!("{start}{meaning}"),
        places: vec![
            (d.from.place.clone(), d.from.text.clone()),
            (d.to.place.clone(), format!("{}{later}", d.to.text)),
        ],
    }
}

fn reduction(r: &ReductionNote) -> Sentence {
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

fn region(r: &RegionNotes) -> Vec<Sentence> {
    let mut out = Vec::new();
    if let Some(why) = &r.declined {
        let mut s = Sentence::new(
            Mark::Attention,
            format!("this region stays on the host: {}", why.text),
        );
        if !same_line(&why.place, &r.place) && line_of(&why.place) > 0 {
            s.places.push((why.place.clone(), String::new()));
        }
        out.push(s);
    } else {
        let count = match r.kernels.len() {
            0 => "no kernel".to_string(),
            1 => "1 kernel".to_string(),
            n => format!("{n} kernels"),
        };
        let mark = match r.kernels.is_empty() {
            true => Mark::Plain,
            false => Mark::Good,
        };
        out.push(Sentence::new(
            mark,
            format!(
                "a region begins here ({}), with {count}",
                r.construct.name()
            ),
        ));
    }
    if let Some(why) = &r.stays {
        let text = format!(
            "stays on the host where its data is not on the device already: {why}; \
             TERRACE_TARGET=gpu runs it there"
        );
        out.push(Sentence::new(Mark::Attention, text));
    }
    if let Some(s) = &r.schedule {
        out.push(Sentence::new(Mark::Plain, format!("schedule: {s}")));
    }
    for k in &r.kernels {
        kernel(k, r, &mut out);
    }
    if r.declined.is_none() {
        out.extend(r.arrays.iter().map(array));
    }
    if !r.assumed_distinct.is_empty() {
        let pairs: Vec<String> = r
            .assumed_distinct
            .iter()
            .map(|(a, b)| format!("{a} and {b}"))
            .collect();
        out.push(Sentence::new(
            Mark::Plain,
            format!(
                "these are taken to be different memory: {}",
                pairs.join(", ")
            ),
        ));
    }
    out
}

fn kernel(k: &KernelNote, region: &RegionNotes, out: &mut Vec<Sentence>) {
    let [x, y, z] = k.block;
    let block = match (y, z) {
        (..=1, ..=1) => format!("{x}"),
        (_, ..=1) => format!("{x} x {y}"),
        _ => format!("{x} x {y} x {z}"),
    };
    let one = |s: &String| matches!(s.as_str(), "" | "1");
    let grid: Vec<&str> = match (one(&k.grid[1]), one(&k.grid[2])) {
        (true, true) => vec![&k.grid[0]],
        (_, true) => vec![&k.grid[0], &k.grid[1]],
        _ => k.grid.iter().map(String::as_str).collect(),
    };
    let mut text = format!("kernel {}: blocks of {block} threads", k.name);
    if !grid[0].is_empty() {
        text.push_str(&format!(", {} of them", grid.join(" x ")));
    }
    out.push(Sentence::new(Mark::Good, text));
    let mut costs = Vec::new();
    if let Some(n) = k.registers {
        costs.push(format!("{n} registers a thread"));
    }
    if let Some(n) = k.shared_bytes.filter(|n| *n > 0) {
        costs.push(format!("{n} bytes of shared memory a block"));
    }
    if let Some(n) = k.local_bytes.filter(|n| *n > 0) {
        costs.push(format!("{n} bytes of local memory a thread"));
    }
    if let Some(n) = k.occupancy {
        costs.push(format!("{n:.0} % occupancy"));
    }
    if !costs.is_empty() {
        let mark = match k.occupancy {
            Some(n) if n < 50.0 => Mark::Attention,
            _ => Mark::Plain,
        };
        out.push(Sentence::new(
            mark,
            format!("{}: {}", k.name, costs.join(", ")),
        ));
    }
    // Those of loops are said there.
    let of_loops: Vec<&ReductionNote> = region.loops.iter().flat_map(|l| &l.reductions).collect();
    let news = |r: &&ReductionNote| {
        let told = of_loops.iter().any(|l| l.variable == r.variable);
        !told && !r.variable.is_empty()
    };
    out.extend(k.reductions.iter().filter(news).map(reduction));
    out.extend(k.accesses.iter().filter_map(access));
    for r in &k.remarks {
        out.push(Sentence::new(Mark::Plain, format!("{}: {r}", k.name)));
    }
}

/// Of an access that the threads of a warp do not make at neighbouring places.
fn access(a: &AccessNote) -> Option<Sentence> {
    let ideal = match (a.sectors, a.ideal) {
        (Some(sectors), Some(ideal)) => sectors <= ideal,
        _ => matches!(a.stride, Some(-1..=1)),
    };
    if ideal {
        return None;
    }
    let verb = if a.writes { "write" } else { "read" };
    let stride = match a.stride {
        Some(n) => format!(
            "neighbouring threads are {} elements apart",
            n.unsigned_abs()
        ),
        None => "it varies how far neighbouring threads are apart".to_string(),
    };
    let sectors = match (a.sectors, a.ideal) {
        (Some(s), Some(i)) => format!("; a warp moves {s} sectors of 32 bytes where {i} would do"),
        (Some(s), None) => format!("; a warp moves {s} sectors of 32 bytes"),
        _ => String::new(),
    };
    Some(Sentence {
        mark: Mark::Attention,
        text: format!("the {verb} of {}: {stride}{sectors}", a.text),
        places: vec![(a.place.clone(), String::new())],
    })
}

fn array(a: &ArrayNote) -> Sentence {
    let movement = match a.movement {
        Movement::In => "is copied to the device before",
        Movement::Out => "is copied back after",
        Movement::Both => "is copied to the device before and back after",
        Movement::Create => "gets room on the device and is not copied",
        Movement::Present => "is on the device already and is not copied",
    };
    let bytes = match a.bytes.as_str() {
        "" => String::new(),
        b if b == a.name => String::new(),
        b if b.bytes().all(|c| c.is_ascii_digit()) => format!(" ({b} bytes)"),
        b => format!(" ({b})"),
    };
    let why = match a.why.as_str() {
        "" => String::new(),
        why => format!(": {why}"),
    };
    Sentence::new(Mark::Plain, format!("{}{bytes} {movement}{why}", a.name))
}

fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// A reason with its place, as one text, relative to a file.
pub fn place_text(file: &str, place: &DiagLoc) -> String {
    match place {
        DiagLoc::Pos { file: f, line, .. } if &**f == file => format!("line {line}"),
        DiagLoc::Pos { file: f, line, .. } => format!("{f} line {line}"),
        _ => String::new(),
    }
}

/// The reasons why parts of a function are C, for those who have no place to show.
pub fn reasons(kept: &[Reason]) -> Vec<String> {
    kept.iter().map(|k| k.text.clone()).collect()
}
