//! A directive against its rules: what may stand once, what contradicts what, what is
//! missing; and the clauses that are left for the devices there are.

use super::clauses::Read;
use super::table::{CONFLICTS, Given, Rules, Word, repeats, spelling};
use super::text::{Text, list};
use crate::directive::{Arg, Clause, ClauseKind, DataKind as D, Section};

pub(super) fn check(text: &mut Text, rules: &Rules, clauses: &[Read]) {
    for (i, c) in clauses.iter().enumerate() {
        let before = &clauses[..i];
        let first = before
            .iter()
            .find(|b| b.word == c.word && b.group == c.group);
        if let Some(first) = first.filter(|_| !repeats(c.word, rules.form)) {
            let message = format!("`{}` stands here twice", spelling(c.word));
            let note = (first.clause.span, "the first is here".to_owned());
            text.error(c.clause.span, message).notes.push(note);
        }
        for b in before.iter().filter(|b| shares(b, c)) {
            let conflict = |(x, y): &&(Word, Word)| {
                (b.word, c.word) == (*x, *y) || (c.word, b.word) == (*x, *y)
            };
            if CONFLICTS.iter().any(|p| conflict(&p)) {
                let (one, other) = (spelling(b.word), spelling(c.word));
                let message = format!("`{one}` and `{other}` contradict each other");
                let note = (b.clause.span, format!("`{one}` is here"));
                text.error(c.clause.span, message).notes.push(note);
            }
        }
    }
    required(text, rules, clauses);
    variables(text, clauses);
}

/// Whether two clauses are for the same devices.
fn shares(a: &Read, b: &Read) -> bool {
    a.group == b.group
}

fn required(text: &mut Text, rules: &Rules, clauses: &[Read]) {
    if rules.one_of.is_empty() || !text.messages.is_empty() {
        return;
    }
    let given: Vec<&Read> = clauses
        .iter()
        .filter(|c| rules.one_of.contains(&c.word))
        .collect();
    let mut names: Vec<&str> = rules.one_of.iter().map(|w| spelling(*w)).collect();
    names.dedup();
    let name = rules.full_name();
    match given[..] {
        [] if rules.given == Given::AtMostOne => {}
        [] => {
            let message = match names[..] {
                [one] => format!("`{name}` needs a clause `{one}`"),
                _ => format!("`{name}` needs one of the clauses {}", list(&names, "or")),
            };
            let whole = text
                .span_of(1)
                .to(text.span_of(name.split(' ').count() - 1));
            match rules.given {
                Given::Wanted => {
                    text.warning(whole, format!("{message}; without one it does nothing"))
                }
                _ => text.error(whole, message),
            };
        }
        [first, second, ..] if rules.given == Given::AtMostOne && first.group == second.group => {
            let message = format!(
                "`{name}` takes one of {}, and both `{}` and `{}` stand here",
                list(&names, "or"),
                spelling(first.word),
                spelling(second.word)
            );
            text.error(second.clause.span, message);
        }
        _ => {}
    }
}

/// What a clause makes of its variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// The program's object, which has a copy on the device.
    Mapped,
    /// Each gang or thread has one of its own.
    Private,
    /// A private one per thread, and the program's at the end.
    Reduced,
    None,
}

fn usage(kind: &ClauseKind) -> (Use, &[Section]) {
    match kind {
        ClauseKind::Data { kind, vars } => match kind {
            D::Attach | D::Detach | D::UpdateHost | D::UpdateDevice => (Use::None, vars),
            _ => (Use::Mapped, vars),
        },
        ClauseKind::Private(vars) | ClauseKind::Firstprivate(vars) => (Use::Private, vars),
        ClauseKind::Reduction { vars, .. } => (Use::Reduced, vars),
        _ => (Use::None, &[]),
    }
}

/// A variable may be copied and reduced, and parts of it may be copied each by itself.
/// `copyout` beside a clause that brings it to the device adds its copy back, which
/// OpenACC's own tests do. Nothing else can be two things.
fn variables(text: &mut Text, clauses: &[Read]) {
    let mut seen: Vec<(Use, &Section, Word)> = Vec::new();
    for c in clauses {
        let (uses, vars) = usage(&c.clause.kind);
        if uses == Use::None {
            continue;
        }
        for v in vars {
            let clash = seen.iter().find(|(other, s, _)| {
                s.base.text == v.base.text
                    && match (uses, *other) {
                        (Use::Mapped, Use::Reduced) | (Use::Reduced, Use::Mapped) => false,
                        (Use::Mapped, Use::Mapped) => {
                            s.dims.is_empty() || v.dims.is_empty() || same_part(s, v)
                        }
                        _ => true,
                    }
            });
            if let Some((_, s, word)) = clash {
                let together = add_up(*word, c.word);
                let message = format!(
                    "`{}` stands in `{}` and again in `{}`{}",
                    v.base.text,
                    spelling(*word),
                    spelling(c.word),
                    if together { "; they count as one" } else { "" }
                );
                let note = (s.span, "it stands here before".to_owned());
                let said = match together {
                    true => text.warning(v.span, message),
                    false => text.error(v.span, message),
                };
                said.notes.push(note);
            } else {
                seen.push((uses, v, c.word));
            }
        }
    }
}

/// Whether two data clauses of one variable are one that does both.
fn add_up(a: Word, b: Word) -> bool {
    let brings = |w: Word| matches!(w, Word::Copy | Word::Copyin | Word::Create);
    a == Word::Copyout && brings(b) || b == Word::Copyout && brings(a)
}

fn same_part(a: &Section, b: &Section) -> bool {
    let text = |a: &Option<Arg>| a.as_ref().map(|a| a.text.clone());
    a.dims.len() == b.dims.len()
        && a.dims.iter().zip(&b.dims).all(|(x, y)| {
            text(&x.start) == text(&y.start)
                && text(&x.length) == text(&y.length)
                && x.single == y.single
        })
}

/// Makes one clause of two for the same part of a variable that add up: who reads a directive
/// finds each part once.
pub(super) fn added_up(mut clauses: Vec<Clause>) -> Vec<Clause> {
    let mut made = Vec::new();
    for i in 0..clauses.len() {
        let (first, rest) = clauses.split_at_mut(i + 1);
        let one = &mut first[i];
        let span = one.span;
        let ClauseKind::Data { kind, vars } = &mut one.kind else {
            continue;
        };
        for other in rest {
            let ClauseKind::Data {
                kind: other_kind,
                vars: others,
            } = &mut other.kind
            else {
                continue;
            };
            let Some(both) = both(*kind, *other_kind) else {
                continue;
            };
            vars.retain(|v| {
                let same = |o: &Section| o.base.text == v.base.text && same_part(o, v);
                let Some(at) = others.iter().position(same) else {
                    return true;
                };
                let other = others.remove(at);
                let of = |k: D, s: &Section| s.modifiers.iter().map(|m| one_way(k, m)).collect();
                let all: [Vec<String>; 2] = [of(*kind, v), of(*other_kind, &other)];
                let kept = |m: &String| {
                    both == D::Copy && m != "zero" && m != "readonly"
                        || both == D::Copyout && m != "readonly"
                };
                let modifiers = all.concat().into_iter().filter(kept).collect();
                let vars = vec![Section {
                    modifiers,
                    ..v.clone()
                }];
                made.push(Clause {
                    kind: ClauseKind::Data { kind: both, vars },
                    span,
                    device_type: Vec::new(),
                });
                false
            });
        }
    }
    clauses.extend(made);
    let empty = |c: &Clause| matches!(&c.kind, ClauseKind::Data { vars, .. } if vars.is_empty());
    clauses.retain(|c| !empty(c));
    clauses
}

/// The clause that does what two do of which one is `copyout`.
fn both(a: D, b: D) -> Option<D> {
    let other = match (a, b) {
        (D::Copyout, other) | (other, D::Copyout) => other,
        _ => return None,
    };
    match other {
        D::Copy | D::Copyin => Some(D::Copy),
        D::Create => Some(D::Copyout),
        _ => None,
    }
}

/// A modifier of a clause for one that copies both ways.
fn one_way(kind: D, modifier: &str) -> String {
    match (kind, modifier) {
        (D::Copyin, "always") => "alwaysin".to_owned(),
        (D::Copyout, "always") => "alwaysout".to_owned(),
        _ => modifier.to_owned(),
    }
}

/// Whether a name of `device_type` means an NVIDIA GPU, and how exactly.
fn nvidia(name: &str) -> Option<u8> {
    match name {
        n if n.eq_ignore_ascii_case("nvidia") => Some(2),
        "*" | "default" | "not_host" | "acc_device_nvidia" => Some(1),
        _ => None,
    }
}

/// Drops clauses for devices that terrace has no code for, and those that a clause for
/// ours replaces.
pub(super) fn for_our_devices(clauses: Vec<Read>) -> Vec<Clause> {
    let rank = |c: &Read| -> Option<u8> {
        match c.group {
            0 => Some(0),
            _ => c.clause.device_type.iter().filter_map(|n| nvidia(n)).max(),
        }
    };
    let best: Vec<(Word, u8)> = clauses
        .iter()
        .filter_map(|c| Some((c.word, rank(c)?)))
        .collect();
    clauses
        .into_iter()
        .filter(|c| c.word != Word::DeviceType)
        .filter(|c| {
            let Some(own) = rank(c) else { return false };
            !best.iter().any(|(word, r)| *word == c.word && *r > own)
        })
        .map(|c| c.clause)
        .collect()
}
