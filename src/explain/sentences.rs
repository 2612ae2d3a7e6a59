//! Notes as sentences: short ones, in the names of the source.

use terrace_ir::diag::DiagLoc;
use terrace_passes::region::notes::{
    AccessNote, ArrayNote, CopyKind, CopyNote, KernelNote, LoopNote, MappedTo, Movement,
    ReductionNote, RegionNotes, VersionNote,
};
use terrace_passes::region::sentences as words;
use terrace_passes::region::sentences::MAX;
pub use terrace_passes::region::sentences::{Mark, Sentence};
use words::{loop_name, reduction, same_line};

use super::{FunctionNotes, HostLoop, cost, file_of, line_of};

/// Everything to say about one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub place: DiagLoc,
    pub sentences: Vec<Sentence>,
}

/// All remarks about a function, in the order of the source; those about one line are
/// one.
pub fn function(f: &FunctionNotes) -> Vec<Remark> {
    let mut all: Vec<(u8, Remark)> = Vec::new();
    for k in &f.kept {
        let text = format!("stays C: {}", k.text);
        all.push((
            0,
            remark(&k.place, vec![Sentence::new(Mark::Attention, text)]),
        ));
    }
    for r in &f.regions {
        all.push((1, remark(&r.place, region(r))));
        for s in &r.steps {
            let said = vec![Sentence::new(Mark::Plain, s.text.clone())];
            all.push((2, remark(&s.place, said)));
        }
        for l in &r.loops {
            all.push((2, remark(&l.place, of_loop(l, r))));
        }
    }
    for l in &f.host_loops {
        all.push((2, remark(&l.place, vec![host_loop(l)])));
    }
    for c in &f.copies {
        let s = Sentence::new(Mark::Attention, c.text.clone());
        all.push((3, remark(&c.around, vec![s])));
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
                // Copies of a loop have the same to say.
                for s in r.sentences {
                    if !last.sentences.contains(&s) {
                        last.sentences.push(s);
                    }
                }
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

fn host_loop(l: &HostLoop) -> Sentence {
    let text = format!(
        "{} runs on the host: it is in no region",
        loop_name(&l.variable)
    );
    Sentence::new(Mark::Plain, text)
}

fn of_loop(l: &LoopNote, r: &RegionNotes) -> Vec<Sentence> {
    let mut out = words::verdict(l);
    for k in &r.kernels {
        for m in k
            .loops
            .iter()
            .filter(|m| m.variable == l.variable && same_line(&m.place, &l.place))
        {
            out.extend(mapped(&k.name, m.to));
        }
    }
    out.extend(words::details(l, r.is_in_each_thread(l)));
    out.extend(words::warnings(l));
    out
}

fn mapped(kernel: &str, to: MappedTo) -> Option<Sentence> {
    let axis = |a: u8| ["x", "y", "z"][usize::from(a.min(2))];
    let text = match to {
        MappedTo::Axis(a) => format!("its iterations are threads along {} of {kernel}", axis(a)),
        MappedTo::Sequential => format!("one thread of {kernel} runs all of it"),
    };
    Some(Sentence::new(Mark::Plain, text))
}

/// Which constructs became the region.
fn joined(r: &RegionNotes) -> Option<Sentence> {
    let lines: Vec<String> = r.joined.iter().map(|p| line_of(p).to_string()).collect();
    let text = match lines.as_slice() {
        [] => return None,
        [one] => format!(
            "the construct at line {one} and the loop around it are one region: the host does \
             nothing else there"
        ),
        [first @ .., last] => format!(
            "the constructs at lines {} and {last} are one region: the host does nothing between \
             them that others see",
            first.join(", ")
        ),
    };
    Some(Sentence::new(Mark::Plain, text))
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
    out.extend(joined(r));
    if let Some(why) = &r.stays {
        let text = format!(
            "stays on the host where its data is not on the device already: {why}; \
             TERRACE_TARGET=gpu runs it there"
        );
        out.push(Sentence::new(Mark::Attention, text));
    }
    if let Some(s) = &r.target {
        out.push(Sentence::new(Mark::Plain, s.clone()));
    }
    out.extend(words::schedule(r));
    for k in &r.kernels {
        kernel(k, r, &mut out);
    }
    out.extend(r.versions.iter().map(version));
    if r.declined.is_none() {
        out.extend(r.arrays.iter().map(|a| array(a, r)));
        let needed = r.copies.iter().filter(|c| c.kind == CopyKind::Needed);
        out.extend(needed.map(copied));
    }
    out.extend(words::distinct(r));
    out.extend(words::presumed(r));
    out
}

/// What newer devices run, in a line.
fn version(v: &VersionNote) -> Sentence {
    let kernels: Vec<String> = (v.kernels.iter())
        .map(|k| match k.remarks.is_empty() {
            true => k.name.clone(),
            false => format!("{} ({})", k.name, k.remarks.join("; ")),
        })
        .collect();
    let newer = match v.arch.ends_with(|c: char| c.is_ascii_digit()) {
        true => " and newer",
        false => "",
    };
    let text = format!(
        "another version for {}{newer}: {}",
        v.arch,
        kernels.join(", ")
    );
    Sentence::new(Mark::Good, text)
}

fn kernel(k: &KernelNote, region: &RegionNotes, out: &mut Vec<Sentence>) {
    let [x, y, z] = k.block;
    let block = match (y, z) {
        (..=1, ..=1) => format!("{x}"),
        (_, ..=1) => format!("{x} x {y}"),
        _ => format!("{x} x {y} x {z}"),
    };
    let one = |s: &String| s == "1";
    let grid: Vec<&str> = match (one(&k.grid[1]), one(&k.grid[2])) {
        (true, true) => vec![&k.grid[0]],
        (_, true) => vec![&k.grid[0], &k.grid[1]],
        _ => k.grid.iter().map(String::as_str).collect(),
    };
    let mut text = match threads(k) {
        1 => format!("kernel {}: one thread", k.name),
        _ => format!("kernel {}: blocks of {block} threads", k.name),
    };
    if threads(k) > 1 && !grid.iter().any(|g| g.is_empty()) {
        text.push_str(&format!(", {} of them", grid.join(" x ")));
    }
    out.push(Sentence::new(Mark::Good, text));
    out.extend(costs(k));
    // Those of loops are said there.
    let of_loops: Vec<&ReductionNote> = region.loops.iter().flat_map(|l| &l.reductions).collect();
    let news = |r: &&ReductionNote| {
        let told = of_loops.iter().any(|l| l.variable == r.variable);
        !told && !r.variable.is_empty()
    };
    out.extend(k.reductions.iter().filter(news).map(reduction));
    out.extend(accesses(&k.accesses));
    for r in &k.remarks {
        out.push(Sentence::new(Mark::Plain, format!("{}: {r}", k.name)));
    }
    out.extend(cost::sentence(k));
}

/// Threads of a block.
fn threads(k: &KernelNote) -> u64 {
    k.block.iter().map(|n| u64::from(*n)).product()
}

/// What a kernel needs of a multiprocessor, and what that leaves room for.
fn costs(k: &KernelNote) -> Option<Sentence> {
    let mut costs = Vec::new();
    match (k.registers, &k.registers_unknown) {
        (Some(n), _) => costs.push(format!("{n} registers a thread")),
        (None, Some(why)) => costs.push(format!("registers unknown: {why}")),
        // Nobody asked.
        (None, None) => return None,
    }
    match k.spill_bytes {
        Some(0) => costs.push("no spills".to_string()),
        Some(n) => costs.push(format!("{n} bytes of spills")),
        None => {}
    }
    if let Some(n) = k.local_bytes.filter(|n| *n > 0) {
        costs.push(format!("{n} bytes of local memory a thread"));
    }
    if let Some(n) = k.shared_bytes {
        costs.push(format!("{n} bytes of shared memory a block"));
    }
    let mut text = format!("{}: {}", k.name, costs.join(", "));
    let mut mark = match k.spill_bytes {
        Some(1..) => Mark::Attention,
        _ => Mark::Plain,
    };
    if let (Some(r), Some(percent)) = (&k.resident, k.occupancy) {
        if percent < 50.0 {
            mark = Mark::Attention;
        }
        let at_most = match k.registers {
            Some(_) => "",
            None => "at most ",
        };
        let of = match r.blocks < r.most {
            true => format!(" of {}", r.most),
            false => String::new(),
        };
        text.push_str(&format!(
            "; {at_most}{}{of} blocks of {} threads fit an SM of {}: occupancy {at_most}{percent:.0} %",
            r.blocks,
            threads(k),
            r.arch
        ));
        match r.limit.as_str() {
            _ if r.blocks >= r.most => {}
            "blocks" => text.push_str(", bounded by the number of blocks"),
            limit => text.push_str(&format!(", bounded by {limit}")),
        }
    }
    Some(Sentence::new(mark, text))
}

/// Of each access that a warp does not make at neighbouring places, once for all of the
/// same text in a line.
fn accesses(all: &[AccessNote]) -> Vec<Sentence> {
    let mut out = Vec::new();
    let same = |a: &AccessNote, b: &AccessNote| a.text == b.text && same_line(&a.place, &b.place);
    for (i, a) in all.iter().enumerate() {
        if all[..i].iter().any(|b| same(a, b)) {
            continue;
        }
        let alike: Vec<&AccessNote> = all.iter().filter(|b| same(a, b)).collect();
        let writes = alike.iter().filter(|b| b.writes).count();
        let verb = match (writes, alike.len() - writes) {
            (0, _) => "read",
            (_, 0) => "write",
            _ => "read and write",
        };
        out.extend(access(a, verb));
    }
    out
}

fn access(a: &AccessNote, verb: &str) -> Option<Sentence> {
    let (sectors, ideal) = (a.sectors?, a.ideal?);
    if sectors <= ideal {
        return None;
    }
    let (stride, most) = match (a.stride, &a.apart) {
        (Some(n), _) => {
            let n = n.unsigned_abs();
            let bytes = n.saturating_mul(u64::from(a.element_bytes));
            let s = if n == 1 { "" } else { "s" };
            let text = format!("neighbouring threads are {n} element{s} ({bytes} bytes) apart");
            (text, "")
        }
        (None, Some(apart)) => (apart.clone(), "up to "),
        (None, None) => (
            "it is not known how far neighbouring threads are apart".to_string(),
            "up to ",
        ),
    };
    Some(Sentence {
        mark: Mark::Attention,
        text: format!(
            "the {verb} of {}: {stride}, {most}{sectors} sectors a warp where {ideal} would do",
            a.text
        ),
        places: vec![(a.place.clone(), String::new())],
    })
}

fn array(a: &ArrayNote, region: &RegionNotes) -> Sentence {
    let held = region
        .copies
        .iter()
        .find(|c| c.kind == CopyKind::Held && c.arrays.contains(&a.name));
    let movement = match a.movement {
        Movement::In if a.stays => "is copied to the device unless it is there",
        Movement::Out if a.stays => "is copied back where the program needs it",
        Movement::Both if a.stays => {
            "is copied to the device unless it is there, and back where the program needs it"
        }
        Movement::In => "is copied to the device before",
        Movement::Out => "is copied back after",
        Movement::Both => "is copied to the device before and back after",
        Movement::Create => "gets room on the device and is not copied",
        Movement::Present => "is on the device already and is not copied",
    };
    let bytes = match a.bytes.as_str() {
        "" => None,
        b => Some(format!("{b} bytes")),
    };
    let section = Some(a.section.clone()).filter(|s| !s.is_empty());
    let parts: Vec<String> = section.into_iter().chain(bytes).collect();
    let moves = matches!(a.movement, Movement::In | Movement::Out | Movement::Both);
    let bytes = match parts.is_empty() {
        true if moves => " (the part that is used)".to_string(),
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    };
    let why = match (held, a.why.as_str()) {
        (Some(h), _) => format!(": {}", h.text),
        (None, "") => String::new(),
        (None, why) => format!(": {why}"),
    };
    Sentence::new(Mark::Plain, format!("{}{bytes} {movement}{why}", a.name))
}

/// Why an array is copied again and again.
fn copied(c: &CopyNote) -> Sentence {
    Sentence {
        mark: Mark::Plain,
        text: format!("{}:", c.text),
        places: c
            .reasons
            .iter()
            .take(MAX)
            .map(|r| (r.place.clone(), r.text.clone()))
            .collect(),
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
