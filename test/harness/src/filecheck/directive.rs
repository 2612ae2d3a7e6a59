//! Finds the check lines of a file.

use super::Options;
use super::pattern::{Pattern, Whole};

/// What a directive asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Next,
    Same,
    Not,
    Dag,
    Label,
    Empty,
    /// `CHECK-COUNT-n`
    Count(usize),
    /// The end of the input, where trailing `CHECK-NOT`s end.
    End,
}

/// One check line.
#[derive(Debug, Clone)]
pub(super) struct Directive {
    pub kind: Kind,
    /// As written, for messages: `CHECK-NEXT`.
    pub name: String,
    pub pattern: Pattern,
    /// Where the pattern starts in the check file, in bytes.
    pub offset: usize,
}

/// A positive directive with the `NOT` and `DAG` ones before it.
#[derive(Debug)]
pub(super) struct Group {
    pub before: Vec<Directive>,
    pub directive: Directive,
}

/// A mistake in the check file: a byte offset, where there is one, and what it is.
pub(super) type Mistake = (Option<usize>, String);

/// The directives of `text`, grouped.
pub(super) fn parse(text: &str, options: &Options) -> Result<Vec<Group>, Mistake> {
    let default = ["CHECK".to_string()];
    let prefixes: &[String] = if options.prefixes.is_empty() {
        &default
    } else {
        &options.prefixes
    };
    let mut seen = vec![false; prefixes.len()];
    let mut groups: Vec<Group> = Vec::new();
    let implicit = implicit(options)?;
    let mut before = implicit.clone();
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let offset = start;
        start += line.len();
        let Some(found) = find(line, prefixes, options) else {
            continue;
        };
        seen[found.prefix] = true;
        let directive = directive(line, offset, index + 1, &found, options)?;
        match directive.kind {
            Kind::Not | Kind::Dag => {
                before.push(directive);
                continue;
            }
            Kind::Next | Kind::Same | Kind::Empty if groups.is_empty() => {
                let prefix = &prefixes[found.prefix];
                let m = format!(
                    "found '{}' without previous '{prefix}: line",
                    directive.name
                );
                return Err((Some(offset + found.start), m));
            }
            Kind::Label if directive.pattern.has_variables() => {
                let m = format!(
                    "found '{}:' with variable definition or use",
                    directive.name
                );
                return Err((Some(directive.offset), m));
            }
            _ => groups.push(Group {
                before: std::mem::replace(&mut before, implicit.clone()),
                directive,
            }),
        }
    }
    if before.len() > implicit.len() || (!groups.is_empty() && !before.is_empty()) {
        let pattern =
            Pattern::parse("", 0, true, Whole::No, options).map_err(|(_, m)| (None, m))?;
        let name = "end of the input".to_string();
        let directive = Directive {
            kind: Kind::End,
            name,
            pattern,
            offset: text.len(),
        };
        groups.push(Group { before, directive });
    }
    let unused: Vec<&str> = prefixes
        .iter()
        .zip(&seen)
        .filter(|(_, s)| !**s)
        .map(|(p, _)| p.as_str())
        .collect();
    if groups.is_empty() || (!unused.is_empty() && !options.allow_unused_prefixes) {
        let list: Vec<String> = unused.iter().map(|p| format!("'{p}:'")).collect();
        let plural = if list.len() == 1 { "" } else { "es" };
        return Err((
            None,
            format!(
                "no check strings found with prefix{plural} {}",
                list.join(", ")
            ),
        ));
    }
    Ok(groups)
}

fn implicit(options: &Options) -> Result<Vec<Directive>, Mistake> {
    let make = |text: &String| {
        let pattern =
            Pattern::parse(text, 0, false, Whole::No, options).map_err(|(_, m)| (None, m))?;
        let name = format!("--implicit-check-not='{text}'");
        Ok(Directive {
            kind: Kind::Not,
            name,
            pattern,
            offset: 0,
        })
    };
    options.implicit_check_not.iter().map(make).collect()
}

struct Found {
    /// Index of the prefix.
    prefix: usize,
    /// Where the directive starts in the line, and where its text does.
    start: usize,
    body: usize,
    kind: Kind,
    literal: bool,
}

/// The first directive of a line.
fn find(line: &str, prefixes: &[String], options: &Options) -> Option<Found> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let starts_word = |at: usize| !line[..at].chars().next_back().is_some_and(word);
    let comment = options
        .comment_prefixes
        .iter()
        .flat_map(|p| {
            line.match_indices(p.as_str())
                .map(move |(at, _)| (at, at + p.len()))
        })
        .filter(|(at, end)| starts_word(*at) && line[*end..].starts_with(':'))
        .map(|(at, _)| at)
        .min()
        .unwrap_or(line.len());
    let mut best: Option<Found> = None;
    for (prefix, text) in prefixes.iter().enumerate() {
        for (start, _) in line.match_indices(text.as_str()) {
            if start > comment || !starts_word(start) {
                continue;
            }
            let Some((kind, literal, body)) = suffix(line, start + text.len()) else {
                continue;
            };
            if best.as_ref().is_none_or(|b| start < b.start) {
                best = Some(Found {
                    prefix,
                    start,
                    body,
                    kind,
                    literal,
                });
            }
            break;
        }
    }
    best
}

/// Kind, `{LITERAL}`, and where the text starts.
fn suffix(line: &str, at: usize) -> Option<(Kind, bool, usize)> {
    const KINDS: [(&str, Kind); 7] = [
        ("-NEXT", Kind::Next),
        ("-SAME", Kind::Same),
        ("-NOT", Kind::Not),
        ("-DAG", Kind::Dag),
        ("-LABEL", Kind::Label),
        ("-EMPTY", Kind::Empty),
        ("", Kind::Plain),
    ];
    let rest = &line[at..];
    let (kind, length) = if let Some(body) = rest.strip_prefix("-COUNT-") {
        let digits = body.find(|c: char| !c.is_ascii_digit())?;
        (Kind::Count(body[..digits].parse().ok()?), 7 + digits)
    } else {
        let (text, kind) = KINDS.iter().find(|(t, _)| rest.starts_with(t))?;
        (*kind, text.len())
    };
    let tail = &rest[length..];
    let (literal, tail) = match tail.strip_prefix("{LITERAL}") {
        Some(tail) => (true, tail),
        None => (false, tail),
    };
    tail.starts_with(':')
        .then(|| (kind, literal, line.len() - tail.len() + 1))
}

fn directive(
    line: &str,
    start: usize,
    number: usize,
    found: &Found,
    options: &Options,
) -> Result<Directive, Mistake> {
    let name = line[found.start..found.body - 1].to_string();
    let raw = line[found.body..].trim_end_matches('\n');
    let blanks = [' ', '\t'];
    let exact = options.match_full_lines && options.strict_whitespace;
    let text = if exact { raw } else { raw.trim_matches(blanks) };
    let offset = start
        + found.body
        + if exact {
            0
        } else {
            raw.len() - raw.trim_start_matches(blanks).len()
        };
    let at = |m: String| (Some(offset), m);
    let pattern = match found.kind {
        Kind::Empty if text.is_empty() => Pattern::empty_line(number),
        Kind::Empty => {
            return Err(at(format!(
                "found non-empty check string for empty check with prefix '{name}:'"
            )));
        }
        Kind::Count(0) => {
            return Err(at(format!(
                "invalid count in -COUNT specification on prefix '{name}' (0)"
            )));
        }
        _ if text.is_empty() => {
            return Err(at(format!(
                "found empty check string with prefix '{name}:'"
            )));
        }
        kind => {
            let whole = match (
                options.match_full_lines && kind != Kind::Not,
                options.strict_whitespace,
            ) {
                (false, _) => Whole::No,
                (true, false) => Whole::Trimmed,
                (true, true) => Whole::Exact,
            };
            Pattern::parse(text, number, found.literal, whole, options)
                .map_err(|(o, m)| (Some(offset + o), m))?
        }
    };
    Ok(Directive {
        kind: found.kind,
        name,
        pattern,
        offset,
    })
}
