//! What is said about copies.

use terrace_c::directive::DataKind;
use terrace_c::hir::{Stmt, StmtKind, Unit, VarId};
use terrace_ir::diag::DiagLoc;
use terrace_passes::region::notes::{ArrayNote, CopyKind, CopyNote, Movement, Reason, Remedy};
use terrace_passes::region::sentences::{list, loop_name};

use super::Use;
use super::loops::{Loop, changes, return_in};
use super::touch::{Alias, Array, What, may_touch, may_write};
use crate::c::rewrite::clause_name;
use crate::explain::line_of;

pub fn held_by_construct(place: &DiagLoc, kind: DataKind) -> String {
    format!(
        "held by the data construct at line {} ({})",
        line_of(place),
        clause_name(kind)
    )
}

pub fn held_by_directive(place: &DiagLoc, declare: bool) -> String {
    let what = if declare { "declare" } else { "enter data" };
    format!(
        "copied only where `{what}` at line {} has not put it on the device",
        line_of(place)
    )
}

pub fn declared_inside(name: &str) -> String {
    format!("each iteration has a new {name}")
}

/// What stands against keeping an array on the device while this is done on the host.
pub fn against(unit: &Unit, aliases: &[Alias], array: &Array, what: &What) -> Option<String> {
    let name = |a: &Array| unit.var(a.var).name.clone();
    let own = name(array);
    // Whether an access is to the array, by its name or another.
    let same = |a: &Array| -> Option<String> {
        if a.meets(array) {
            return Some(own.clone());
        }
        let between = |p: &Array, q: &Array| {
            let named = aliases.iter().find(|x| x.pointer == p.var && x.to.meets(q));
            named.map(|x| line_of(&unit.source.loc(x.span.start as usize)))
        };
        let line = between(a, array).or_else(|| between(array, a))?;
        Some(format!(
            "{}, which may be {own} since line {line},",
            name(a)
        ))
    };
    Some(match what {
        What::Reads(a) => format!("the host reads {}", same(a)?.trim_end_matches(',')),
        What::Writes(a) => format!("the host writes {}", same(a)?.trim_end_matches(',')),
        What::Passes(a, f, i) => {
            let does = match may_write(unit, f, *i) {
                true => "write",
                false => "read",
            };
            format!("{} is given to {f}, which may {does} it", same(a)?)
        }
        What::Moves(a) if a.meets(array) => {
            format!(
                "{own} points elsewhere from here on; a data construct would have to name all arrays that it points to"
            )
        }
        What::Moves(_) => return None,
        What::Calls(f) => format!("the host {}", may_touch(unit, f, array.var)?),
        What::Unknown(why) => format!("there is {why}, which may use {own}"),
    })
}

/// Copies that have to be made in each iteration.
pub fn needed(unit: &Unit, note: &ArrayNote, l: &Loop, reasons: Vec<Reason>) -> CopyNote {
    let place = unit.source.loc(l.span.start as usize);
    let times = match l.trips {
        Some(n) => format!(", {n} times"),
        None => String::new(),
    };
    CopyNote {
        arrays: vec![note.name.clone()],
        kind: CopyKind::Needed,
        text: format!(
            "{} is copied in each iteration of {} at line {}{times}, and not once around it",
            note.name,
            loop_name(&l.variable),
            line_of(&place)
        ),
        around: place,
        times: l.trips,
        reasons,
        remedy: None,
    }
}

/// An array as a clause in front of `at` names it, and whether its size has to be filled
/// in.
fn section(unit: &Unit, at: &Stmt, u: &Use) -> (String, bool) {
    let name = &u.note.name;
    if !u.note.section.is_empty() && stays(unit, at, &u.note.section) {
        return (u.note.section.clone(), false);
    }
    match u.is_pointer {
        true => (format!("{name}[0:SIZE]"), true),
        false => (name.clone(), false),
    }
}

/// Whether the variables in a text have the same values in front of a statement as in it.
fn stays(unit: &Unit, at: &Stmt, text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
    let named = unit.vars.iter().enumerate();
    let mut named = named.filter(|(_, v)| words.contains(&v.name.as_str()));
    named.all(|(i, v)| {
        let inside = at.span.start <= v.span.start && v.span.end <= at.span.end;
        let pointer = v.ty.is_pointer();
        !inside && (pointer || !changes(at, VarId(i as u32)))
    })
}

/// The data directive in front of `at` for these uses, and the arrays that need a size.
fn directive(unit: &Unit, at: &Stmt, uses: &[&Use]) -> (String, Vec<String>) {
    let mut arrays: Vec<(&Array, Movement, String)> = Vec::new();
    let mut sizes: Vec<String> = Vec::new();
    for u in uses {
        let (mut text, mut open) = section(unit, at, u);
        if let Some((_, movement, before)) = arrays.iter_mut().find(|(a, ..)| **a == u.array) {
            if *movement != once(u) {
                *movement = Movement::Both;
            }
            if *before != text {
                // The larger of both, whichever that is.
                text = format!("{}[0:SIZE]", u.note.name);
                open = true;
                *before = text;
            }
        } else {
            arrays.push((&u.array, once(u), text));
        }
        if open && !sizes.contains(&u.note.name) {
            sizes.push(u.note.name.clone());
        }
    }
    let mut words = String::from("#pragma acc data");
    for movement in [Movement::Both, Movement::In, Movement::Out] {
        let of: Vec<&str> = arrays
            .iter()
            .filter(|(_, m, _)| *m == movement)
            .map(|(.., text)| text.as_str())
            .collect();
        if !of.is_empty() {
            words.push_str(&format!(" {}({})", movement.name(), of.join(", ")));
        }
    }
    (words, sizes)
}

/// The arrays by name, each once.
fn names(uses: &[&Use]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for u in uses {
        if !out.contains(&u.note.name) {
            out.push(u.note.name.clone());
        }
    }
    out
}

/// How an array moves where a construct around holds it: other statements in there may
/// need what it was.
fn once(u: &Use) -> Movement {
    match u.note.overwritten {
        true => Movement::Both,
        false => u.note.movement,
    }
}

/// Bytes that a use copies each time.
fn bytes(u: &Use) -> Option<u64> {
    let once: u64 = u.note.bytes.parse().ok()?;
    match u.note.movement {
        Movement::Both => once.checked_mul(2),
        _ => Some(once),
    }
}

/// Bytes now, and with one construct for all: each array as often as it moves at most.
fn totals(uses: &[&Use]) -> Option<(u64, u64)> {
    let mut now: u64 = 0;
    let mut once: Vec<(&Array, u64)> = Vec::new();
    for u in uses {
        let n = bytes(u)?;
        now = now.checked_add(n.checked_mul(u.times?)?)?;
        let n = match u.note.overwritten {
            true => n.checked_mul(2)?,
            false => n,
        };
        match once.iter_mut().find(|(a, _)| **a == u.array) {
            Some((_, most)) => *most = (*most).max(n),
            None => once.push((&u.array, n)),
        }
    }
    Some((now, once.iter().map(|(_, n)| n).sum()))
}

fn saving(uses: &[&Use]) -> String {
    match totals(uses) {
        Some((now, then)) if now > then => {
            format!(": {} instead of {}", amount(then), amount(now))
        }
        _ => String::new(),
    }
}

/// Bytes in at most five digits.
fn amount(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let (mut n, mut unit) = (bytes, 0);
    while n >= 10_000 && unit + 1 < units.len() {
        n = n / 1000 + u64::from(n % 1000 >= 500);
        unit += 1;
    }
    format!("{n} {}", units[unit])
}

fn sizes_to_fill(sizes: &[String]) -> String {
    match sizes.is_empty() {
        true => String::new(),
        false => format!(" (SIZE: the number of elements of {})", list(sizes)),
    }
}

/// Where a directive has to stand to be in front of a statement and of its own directives.
fn front(unit: &Unit, s: &Stmt) -> DiagLoc {
    let own = s.directives.iter().map(|d| unit.directive(*d).span.start);
    let first = own.chain([s.span.start]).min().unwrap_or(s.span.start);
    unit.source.loc(first as usize)
}

/// A data construct around a loop.
pub fn around_loop(unit: &Unit, s: &Stmt, l: &Loop, uses: &[&Use]) -> CopyNote {
    let arrays = names(uses);
    let (words, sizes) = directive(unit, s, uses);
    let each = match l.trips {
        Some(n) => format!("in each of its {n} iterations"),
        None => "in each iteration".to_string(),
    };
    let is = if arrays.len() == 1 { "is" } else { "are" };
    let it = if arrays.len() == 1 { "it" } else { "them" };
    let mut text = format!(
        "{} {is} copied {each}, though nothing in the loop needs {it} on the host; ",
        list(&arrays)
    );
    let back = return_in(s).map(|span| unit.source.loc(span.start as usize));
    match &back {
        None => text.push_str(&format!(
            "`{words}` in front of the loop{} would copy {it} once{}",
            sizes_to_fill(&sizes),
            saving(uses)
        )),
        // A data construct must not be left by a jump.
        Some(place) => text.push_str(&format!(
            "`#pragma acc enter data` in front of it, and `exit data` behind it and before the \
             return at line {}, would copy {it} once{}",
            line_of(place),
            saving(uses)
        )),
    }
    let remedy = back.is_none().then(|| Remedy {
        directive: words,
        before: front(unit, s),
        through: None,
        sizes,
    });
    CopyNote {
        arrays,
        kind: CopyKind::Avoidable,
        around: unit.source.loc(s.span.start as usize),
        times: l.trips,
        text,
        reasons: Vec::new(),
        remedy,
    }
}

/// A data construct around regions that follow one another.
pub fn around_regions(unit: &Unit, run: &[Stmt], times: usize, uses: &[&Use]) -> Option<CopyNote> {
    let (first, last) = run.first().zip(run.last())?;
    // A name that is declared among them would be unknown behind the braces.
    let in_braces = !run.iter().any(|s| matches!(s.kind, StmtKind::Decl(..)));
    let arrays = names(uses);
    let (words, sizes) = directive(unit, first, uses);
    let place = |at: u32| unit.source.loc(at as usize);
    let it = if arrays.len() == 1 { "it" } else { "them" };
    Some(CopyNote {
        kind: CopyKind::Avoidable,
        around: place(first.span.start),
        times: Some(times as u64),
        text: format!(
            "`{words}` around lines {} to {}{} would copy {} once instead of {times} times, as \
             nothing in between needs {it} on the host{}",
            line_of(&place(first.span.start)),
            line_of(&place(last.span.end.saturating_sub(1))),
            sizes_to_fill(&sizes),
            list(&arrays),
            saving(uses)
        ),
        arrays,
        reasons: Vec::new(),
        remedy: in_braces.then(|| Remedy {
            directive: words,
            before: front(unit, first),
            through: Some(place(last.span.end.saturating_sub(1))),
            sizes,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts() {
        assert_eq!(amount(0), "0 bytes");
        assert_eq!(amount(9_999), "9999 bytes");
        assert_eq!(amount(60_000), "60 kB");
        assert_eq!(amount(25_165_824), "25 MB");
        assert_eq!(amount(3_355_443_200), "3355 MB");
        assert_eq!(amount(u64::MAX), "18446744 TB");
    }
}
