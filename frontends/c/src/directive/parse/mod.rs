//! Pragmas as directives.
//!
//! [`table`] says which directive takes which clauses, [`clauses`] reads what stands in
//! their brackets, [`check`] compares a directive with its rules. Expressions are
//! balanced text, which name resolution reads.

mod check;
mod clauses;
mod lists;
mod schedule;
mod table;
mod text;

#[cfg(test)]
mod tests;

use super::{Arg, Atomic, Clause, Dialect, Directive, DirectiveKind, Target};
use crate::lex::TokenKind;
use crate::source::Pragma;
use clauses::Read;
use table::{ACC, Form, Rules, TERRACE};
use terrace_ir::diag::Severity;
use text::{Part, Text, list, nearest};

pub use text::Message;

/// What a pragma says.
#[derive(Debug, Default)]
pub struct Outcome {
    /// `None` for pragmas of others, unknown directives, and after errors that leave
    /// nothing to go on with.
    pub directive: Option<Directive>,
    /// Errors and warnings, in order.
    pub messages: Vec<Message>,
}

/// Reads a pragma. Those that do not begin with `acc`, `scop`, `endscop` or `terrace`
/// are somebody else's.
pub fn parse_pragma(pragma: &Pragma) -> Outcome {
    let mut text = Text::new(&pragma.text, pragma.start);
    let directive = match text.word(0) {
        "scop" => whole_line(&mut text, DirectiveKind::Scop),
        "endscop" => whole_line(&mut text, DirectiveKind::EndScop),
        "acc" => directive(&mut text, ACC),
        "terrace" => directive(&mut text, TERRACE),
        _ => return Outcome::default(),
    };
    Outcome {
        directive: directive.map(|(kind, clauses, dialect)| Directive {
            kind,
            clauses,
            span: pragma.span,
            dialect,
        }),
        messages: text.messages,
    }
}

type Parts = (DirectiveKind, Vec<Clause>, Dialect);

/// `scop` and `endscop`, which take nothing.
fn whole_line(text: &mut Text, kind: DirectiveKind) -> Option<Parts> {
    if text.len() > 1 {
        let message = format!("the text behind `{}` is ignored", text.word(0));
        text.warning(text.span_of(1), message);
    }
    Some((kind, Vec::new(), Dialect::Scop))
}

/// A directive behind `acc` or `terrace`.
fn directive(text: &mut Text, table: &'static [Rules]) -> Option<Parts> {
    let prefix = text.word(0);
    if text.len() == 1 {
        let names = names(table, &[]);
        let message = format!(
            "a directive is missing behind `{prefix}`: {}",
            list(&names, "or")
        );
        text.error(text.span_of(0), message);
        return None;
    }
    let Some((rules, next)) = find(text, table) else {
        unknown(text, table);
        return None;
    };
    if !text.match_brackets() {
        return None;
    }
    let (kind, next, first) = argument(text, rules, next)?;
    let read = clauses::read(text, rules, next);
    let mut all: Vec<Read> = first.into_iter().collect();
    all.extend(read);
    check::check(text, rules, &all);
    let clauses = check::added_up(check::for_our_devices(all));
    // A directive without what it is about would mean something else.
    let broken = text.messages.iter().any(|m| m.severity == Severity::Error);
    (!broken).then_some((kind, clauses, rules.dialect))
}

/// The rules of the directive with the most words, and the token behind it.
fn find(text: &Text, table: &'static [Rules]) -> Option<(&'static Rules, usize)> {
    let matches = |rules: &Rules| {
        let mut i = 1;
        for word in rules.name.split(' ') {
            if text.word(i) != word {
                return None;
            }
            i += 1;
        }
        Some(i)
    };
    table
        .iter()
        .filter_map(|r| Some((r, matches(r)?)))
        .max_by_key(|(_, next)| *next)
}

/// First words of directives, without those that only declare data in the old style.
fn names(table: &'static [Rules], but: &[&str]) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for rules in table {
        let name = rules.name.split(' ').next().unwrap_or_default();
        let declares = matches!(rules.form, Form::DeclareAs(_));
        if !names.contains(&name) && !but.contains(&name) && !declares {
            names.push(name);
        }
    }
    names
}

/// A directive that is not known is ignored, with a warning; one that begins like one
/// that is known is an error.
fn unknown(text: &mut Text, table: &'static [Rules]) {
    let (prefix, word) = (text.word(0), text.word(1));
    let span = text.span_of(1);
    match (prefix, word) {
        ("acc", "enter" | "exit") => {
            let message = format!("found {} behind `{word}`, expected `data`", text.found(2));
            text.error(text.span_of(2), message);
        }
        ("acc", "end") => {
            text.error(
                span,
                "`acc end` is Fortran's; in C a directive is for the statement that follows it",
            );
        }
        _ => {
            let names = names(table, &[]);
            let guess = nearest(word, names.iter().copied())
                .map(|n| format!("; did you mean `{prefix} {n}`?"))
                .unwrap_or_default();
            let found = text.found(1);
            let message =
                format!("{found} is not a directive of `{prefix}`, and the line is ignored{guess}");
            text.warning(span, message);
        }
    }
}

/// What stands directly behind a directive's name: `wait(1)`, `cache(a)`, `atomic
/// read`. Returns the token behind it, and a clause if the argument is one.
fn argument(
    text: &mut Text,
    rules: &Rules,
    next: usize,
) -> Option<(DirectiveKind, usize, Option<Read>)> {
    let open = text.word(next) == "(";
    let after = match open {
        true => text.partner(next)? + 1,
        false => next,
    };
    let name = rules.full_name();
    let inside = text.inside(next);
    let needs = |text: &mut Text, what: &str| {
        let found = text.found(next);
        text.error(
            text.span_of(next),
            format!("found {found}, expected {what}"),
        );
    };
    Some(match rules.form {
        Form::Wait => {
            let args = match open {
                true => clauses::queues(text, inside),
                false => Vec::new(),
            };
            (DirectiveKind::Wait(args), after, None)
        }
        Form::Cache => {
            if !open {
                needs(text, "variables in brackets: `acc cache(a[0:n])`");
                return None;
            }
            let vars = lists::sections(text, inside, &["readonly"], false, &name);
            (DirectiveKind::Cache(vars), after, None)
        }
        Form::DeclareAs(word) => {
            if !open {
                needs(text, &format!("variables in brackets: `{name}(a)`"));
                return None;
            }
            let vars = lists::sections(text, inside, &[], true, &name);
            let clause = clauses::data(
                text,
                word,
                vars,
                Part {
                    first: next - 1,
                    last: after,
                },
            )?;
            (DirectiveKind::Declare, after, Some(clause))
        }
        Form::Routine => {
            let function = match open {
                true => Some(one_name(text, inside, "a function's name")?),
                false => None,
            };
            (DirectiveKind::Routine(function), after, None)
        }
        Form::Atomic => {
            let (kind, after) = match text.word(next) {
                "read" => (Atomic::Read, next + 1),
                "write" => (Atomic::Write, next + 1),
                "update" => (Atomic::Update, next + 1),
                "capture" => (Atomic::Capture, next + 1),
                _ => (Atomic::Update, next),
            };
            (DirectiveKind::Atomic(kind), after, None)
        }
        Form::Target => {
            if !open {
                needs(text, "a target in brackets: `terrace target(gpu)`");
                return None;
            }
            let name = one_name(text, inside, TARGETS)?;
            if Target::parse(&name.text).is_none() {
                let guess = nearest(&name.text, ["gpu", "cpu", "host"]);
                let guess = guess.map_or(String::new(), |g| format!("; did you mean `{g}`?"));
                let message = format!("found `{}`, expected {TARGETS}{guess}", name.text);
                text.error(name.span, message);
                return None;
            }
            (DirectiveKind::Target(name), after, None)
        }
        Form::Schedule => {
            if !open || inside.is_empty() {
                needs(
                    text,
                    "a schedule's steps, or the name of its file, in brackets",
                );
                return None;
            }
            let schedule = schedule::schedule(text, inside)?;
            (DirectiveKind::Schedule(schedule), after, None)
        }
        Form::Compute {
            construct,
            combined,
        } => {
            let kind = DirectiveKind::Compute {
                construct,
                combined,
            };
            (kind, next, None)
        }
        Form::Loop => (DirectiveKind::Loop, next, None),
        Form::Data => (DirectiveKind::Data, next, None),
        Form::EnterData => (DirectiveKind::EnterData, next, None),
        Form::ExitData => (DirectiveKind::ExitData, next, None),
        Form::HostData => (DirectiveKind::HostData, next, None),
        Form::Update => (DirectiveKind::Update, next, None),
        Form::Declare => (DirectiveKind::Declare, next, None),
        Form::Init => (DirectiveKind::Init, next, None),
        Form::Shutdown => (DirectiveKind::Shutdown, next, None),
        Form::Set => (DirectiveKind::Set, next, None),
        Form::Host => (DirectiveKind::Host, next, None),
    })
}

/// What stands in the brackets of `target`.
const TARGETS: &str = "`gpu`, `cpu`, `host` or an architecture such as `sm_90`";

/// One word, or a string without its quotes.
fn one_name(text: &mut Text, part: Part, what: &str) -> Option<Arg> {
    let kind = text.kind(part.first);
    let one = part.last == part.first + 1;
    match kind {
        Some(TokenKind::Word | TokenKind::Str) if one => {
            let mut arg = text.arg(part);
            if kind == Some(TokenKind::Str) {
                arg.text = arg.text.trim_matches('"').to_owned();
            }
            Some(arg)
        }
        _ => {
            // Behind a good word the next token is the odd one.
            let good = matches!(kind, Some(TokenKind::Word | TokenKind::Str)) && !part.is_empty();
            let at = part.first + usize::from(good);
            let found = text.found(at);
            let wanted = if good { "`)`" } else { what };
            text.error(
                text.span_of(at),
                format!("found {found}, expected {wanted}"),
            );
            None
        }
    }
}
