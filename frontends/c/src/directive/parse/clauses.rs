//! Clauses and what stands in their brackets.

use super::lists::sections;
use super::table::{self, Form, Rules, Shape, Word, shape};
use super::text::{Part, Text, list, nearest};
use crate::directive::{Arg, Clause, ClauseKind, Dialect, Reduction, Section};
use crate::lex::TokenKind;

/// A clause as it was read, before the rules of its directive are applied.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) word: Word,
    pub(super) clause: Clause,
    /// Counts `device_type` clauses before it; 0 is for all devices.
    pub(super) group: usize,
}

/// The clauses from token `next` on. What cannot be read is reported and passed over.
pub(super) fn read(text: &mut Text, rules: &Rules, mut next: usize) -> Vec<Read> {
    let mut found = Vec::new();
    let mut group = 0;
    let mut devices: Vec<String> = Vec::new();
    let mut comma = true;
    while next < text.len() {
        if text.word(next) == "," && !comma {
            comma = true;
            next += 1;
            if next == text.len() {
                text.error(text.span_of(next - 1), "a clause is missing behind `,`");
            }
            continue;
        }
        comma = false;
        let at = next;
        if text.kind(at) == Some(TokenKind::Word) && text.word(at + 1) == "[" {
            next = dimension(text, at);
            continue;
        }
        let open = (text.word(at + 1) == "(").then_some(at + 1);
        next = match open {
            Some(open) => text.partner(open).unwrap_or(text.len() - 1) + 1,
            None => at + 1,
        };
        if text.kind(at) != Some(TokenKind::Word) {
            let name = rules.full_name();
            let what = text.found(at);
            text.error(
                text.span_of(at),
                format!("found {what}, expected a clause of `{name}`"),
            );
            next = text.partner(at).map_or(next, |p| p.max(at) + 1);
            continue;
        }
        let Some(word) = known(text, rules, at) else {
            continue;
        };
        let part = Part {
            first: at,
            last: next,
        };
        if word == Word::DeviceType {
            let names = device_types(text, at, open);
            let selects = matches!(rules.form, Form::Init | Form::Shutdown | Form::Set);
            if selects {
                text.warning(
                    text.span(part),
                    "`device_type` has no effect here: TERRACE_TARGET chooses the device",
                );
            } else {
                group += 1;
                devices = names;
            }
            let clause = Clause {
                kind: ClauseKind::IfPresent,
                span: text.span(part),
                device_type: Vec::new(),
            };
            found.push(Read {
                word,
                clause,
                group: 0,
            });
            continue;
        }
        if group > 0 && !table::per_device(word) {
            let message = format!(
                "`{}` cannot follow `device_type`, because it is for all devices; write it \
                 before",
                text.word(at)
            );
            text.error(text.span_of(at), message);
            continue;
        }
        if let Some(kind) = clause(text, rules, word, at, open) {
            let clause = Clause {
                kind,
                span: text.span(part),
                device_type: devices.clone(),
            };
            found.push(Read {
                word,
                clause,
                group,
            });
        }
    }
    found
}

/// Reports RoseACC's `num_gangs[0](n)`; returns the token behind it.
fn dimension(text: &mut Text, at: usize) -> usize {
    let name = text.word(at).to_owned();
    let message = format!(
        "found `[` behind `{name}`: clauses for single dimensions are RoseACC's, and OpenACC has \
         none; leave them out, or give one size for all, as in `{name}(n)`"
    );
    text.error(text.span_of(at + 1), message);
    let behind = |open: usize| text.partner(open).unwrap_or(text.len() - 1) + 1;
    let next = behind(at + 1);
    match text.word(next) {
        "(" => behind(next),
        _ => next,
    }
}

/// The clause at a word, if the directive takes it.
fn known(text: &mut Text, rules: &Rules, at: usize) -> Option<Word> {
    let spelling = text.word(at);
    let name = rules.full_name();
    let word = table::word(spelling, rules.dialect);
    if let Some(word) = word.filter(|w| rules.takes(*w)) {
        return Some(word);
    }
    let allowed = rules.spellings();
    let may = match allowed[..] {
        [] => "it takes no clauses".to_owned(),
        _ => format!("it takes {}", list(&allowed, "and")),
    };
    let known = word.is_some() || table::word(spelling, Dialect::Pgi).is_some();
    let message = match nearest(spelling, allowed.iter().copied()).filter(|_| !known) {
        Some(near) => {
            format!("`{spelling}` is not a clause of `{name}`; did you mean `{near}`?")
        }
        None if known => format!("`{spelling}` does not go with `{name}`: {may}"),
        None => format!("`{spelling}` is not a clause of `{name}`: {may}"),
    };
    text.error(text.span_of(at), message);
    None
}

/// A data clause that stands for a whole directive.
pub(super) fn data(text: &Text, word: Word, vars: Vec<Section>, part: Part) -> Option<Read> {
    Some(Read {
        word,
        clause: Clause {
            kind: ClauseKind::Data {
                kind: table::data_kind(word)?,
                vars,
            },
            span: text.span(part),
            device_type: Vec::new(),
        },
        group: 0,
    })
}

/// What a clause says; `None` after an error.
fn clause(
    text: &mut Text,
    rules: &Rules,
    word: Word,
    at: usize,
    open: Option<usize>,
) -> Option<ClauseKind> {
    let name = text.word(at);
    let inside = open.map(|o| text.inside(o));
    let pgi = rules.dialect == Dialect::Pgi;
    let example = match shape(word, rules.form) {
        Shape::Nothing => {
            // PGI's `seq(width)`.
            if let Some(open) = open.filter(|_| !(pgi && word == Word::Seq)) {
                text.error(
                    text.span_of(open),
                    format!("`{name}` takes nothing in brackets"),
                );
                return None;
            }
            return simple(word);
        }
        Shape::MayExpr => {
            let arg = match inside {
                None => None,
                Some(inside) => Some(expr(text, inside, name)?),
            };
            return Some(match word {
                Word::Async => ClauseKind::Async(arg),
                Word::ItSelf => ClauseKind::SelfCondition(arg),
                Word::Host => ClauseKind::Host(arg),
                Word::Unroll => ClauseKind::Unroll(arg),
                _ => ClauseKind::Gang {
                    num: arg,
                    dim: None,
                    size: None,
                },
            });
        }
        Shape::Expr => "n",
        Shape::Vars => "a, b[0:n]",
        Shape::Own => match word {
            Word::Gang | Word::Worker | Word::Vector | Word::Wait => "",
            Word::Collapse => "2",
            Word::Tile => "32, 4",
            Word::Reduction => "+:sum",
            Word::Default => "none",
            Word::Bind => "name",
            _ => "n",
        },
    };
    let Some(inside) = inside else {
        return without_brackets(text, word, at, example);
    };
    if shape(word, rules.form) == Shape::Vars {
        let vars = sections(text, inside, table::modifiers(word), pgi, name);
        return Some(match word {
            Word::Private => ClauseKind::Private(vars),
            Word::Firstprivate => ClauseKind::Firstprivate(vars),
            Word::UseDevice => ClauseKind::UseDevice(vars),
            // Hints: where data is cached is found without them.
            Word::CacheList => return None,
            _ => ClauseKind::Data {
                kind: table::data_kind(word)?,
                vars,
            },
        });
    }
    with_brackets(text, word, inside, name)
}

/// What a clause says that takes something in brackets, where it has none.
fn without_brackets(text: &mut Text, word: Word, at: usize, example: &str) -> Option<ClauseKind> {
    match word {
        Word::Gang => Some(ClauseKind::Gang {
            num: None,
            dim: None,
            size: None,
        }),
        Word::Worker => Some(ClauseKind::Worker(None)),
        Word::Vector => Some(ClauseKind::Vector(None)),
        Word::Wait => Some(ClauseKind::Wait(Vec::new())),
        _ => {
            let (found, name) = (text.found(at + 1), text.word(at));
            let message = format!("found {found} behind `{name}`, expected `{name}({example})`");
            text.error(text.span_of(at + 1), message);
            None
        }
    }
}

/// What a clause says by the expressions in its brackets, each clause in its own form.
fn with_brackets(text: &mut Text, word: Word, inside: Part, name: &str) -> Option<ClauseKind> {
    match word {
        Word::If => Some(ClauseKind::If(expr(text, inside, name)?)),
        Word::NumWorkers => Some(ClauseKind::NumWorkers(expr(text, inside, name)?)),
        Word::VectorLength => Some(ClauseKind::VectorLength(expr(text, inside, name)?)),
        Word::DeviceNum => Some(ClauseKind::DeviceNum(expr(text, inside, name)?)),
        Word::DefaultAsync => Some(ClauseKind::DefaultAsync(expr(text, inside, name)?)),
        Word::NumGangs => num_gangs(text, inside, name),
        Word::Gang => gang(text, inside),
        Word::Worker => Some(ClauseKind::Worker(Some(sized(text, inside, "num", name)?))),
        Word::Vector => Some(ClauseKind::Vector(Some(sized(
            text, inside, "length", name,
        )?))),
        Word::Wait => Some(ClauseKind::Wait(queues(text, inside))),
        Word::Collapse => collapse(text, inside),
        Word::Tile => tile(text, inside),
        Word::Reduction => reduction(text, inside),
        Word::Default => default(text, inside),
        Word::Bind => Some(ClauseKind::Bind(super::one_name(
            text,
            inside,
            "a function's name",
        )?)),
        _ => None,
    }
}

/// Clauses of one word.
fn simple(word: Word) -> Option<ClauseKind> {
    Some(match word {
        Word::Auto => ClauseKind::Auto,
        Word::Finalize => ClauseKind::Finalize,
        Word::IfPresent => ClauseKind::IfPresent,
        Word::Independent => ClauseKind::Independent,
        Word::Kernel => ClauseKind::Kernel,
        Word::NoHost => ClauseKind::NoHost,
        Word::Seq => ClauseKind::Seq,
        // Says that the loop fits one block, which is found without it.
        _ => return None,
    })
}

/// One expression.
fn expr(text: &mut Text, part: Part, name: &str) -> Option<Arg> {
    let parts = text.split(part, ",");
    if let [_, second, ..] = parts[..] {
        let message = format!("found `,` in `{name}`, which takes one expression");
        text.error(text.span_of(second.first - 1), message);
        return None;
    }
    filled(text, part, name)
}

fn filled(text: &mut Text, part: Part, name: &str) -> Option<Arg> {
    if part.is_empty() {
        let found = text.found(part.first);
        let message = format!("found {found} in `{name}`, expected an expression");
        text.error(text.span_of(part.first), message);
        return None;
    }
    Some(text.arg(part))
}

/// `keyword: expr`, where the keyword may be left out.
fn sized(text: &mut Text, part: Part, keyword: &str, name: &str) -> Option<Arg> {
    match text.split(part, ":")[..] {
        [_] => expr(text, part, name),
        [key, value] if text.arg(key).text == keyword => expr(text, value, name),
        _ => {
            let found = text.found(part.first);
            let message = format!("found {found} in `{name}`, expected `{keyword}:`");
            text.error(text.span_of(part.first), message);
            None
        }
    }
}

/// Three numbers at most, of 3.3; one in 3.1.
fn num_gangs(text: &mut Text, inside: Part, name: &str) -> Option<ClauseKind> {
    let parts = text.split(inside, ",");
    if let Some(fourth) = parts.get(3) {
        text.error(
            text.span(*fourth),
            "`num_gangs` takes three numbers at most",
        );
        return None;
    }
    let args: Option<Vec<Arg>> = parts.into_iter().map(|p| filled(text, p, name)).collect();
    Some(ClauseKind::NumGangs(args?))
}

/// `gang(num: 4, static: *)`. A static size of `*` is what happens anyway.
fn gang(text: &mut Text, inside: Part) -> Option<ClauseKind> {
    let (mut num, mut dim, mut size) = (None, None, None);
    for part in text.split(inside, ",") {
        let parts = text.split(part, ":");
        let (key, value) = match parts[..] {
            [value] => ("num".to_owned(), value),
            [key, value] => (text.arg(key).text, value),
            _ => (String::new(), part),
        };
        let value = filled(text, value, "gang")?;
        let place = match key.as_str() {
            "num" => &mut num,
            "dim" => &mut dim,
            "static" => &mut size,
            _ => {
                let message = format!(
                    "found {} in `gang`, expected `num:`, `dim:` or `static:`",
                    text.found(part.first)
                );
                text.error(text.span_of(part.first), message);
                return None;
            }
        };
        if place.is_some() {
            let message = format!("`gang` has two arguments `{key}:`");
            text.error(text.span(part), message);
            return None;
        }
        *place = Some(value);
    }
    Some(ClauseKind::Gang {
        num,
        dim,
        size: size.filter(|s| s.text != "*"),
    })
}

/// `wait(devnum: 0 : queues: 1, 2)`.
pub(super) fn queues(text: &mut Text, inside: Part) -> Vec<Arg> {
    let mut rest = inside;
    if text.word(rest.first) == "devnum" && text.word(rest.first + 1) == ":" {
        let parts = text.split(rest, ":");
        if let [_, number, ..] = parts[..] {
            text.warning(
                text.span(number),
                "`devnum` has no effect: a program uses one device",
            );
            rest.first = (number.last + 1).min(rest.last);
        }
    }
    if text.word(rest.first) == "queues" && text.word(rest.first + 1) == ":" {
        rest.first += 2;
    }
    let parts = text.split(rest, ",");
    let args: Option<Vec<Arg>> = parts.into_iter().map(|p| filled(text, p, "wait")).collect();
    args.unwrap_or_default()
}

fn collapse(text: &mut Text, inside: Part) -> Option<ClauseKind> {
    let mut part = inside;
    let force = text.word(part.first) == "force" && text.word(part.first + 1) == ":";
    if force {
        part.first += 2;
    }
    let count = expr(text, part, "collapse")?;
    constant(text, part, "collapse")?;
    Some(ClauseKind::Collapse { force, count })
}

/// A number above 0, or something that has names in it, which name resolution looks at.
fn constant(text: &mut Text, part: Part, name: &str) -> Option<()> {
    let word = text.word(part.first);
    let one = part.last == part.first + 1 && text.kind(part.first) == Some(TokenKind::Number);
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let negative = word == "-" && text.kind(part.first + 1) == Some(TokenKind::Number);
    if negative || one && !digits.parse::<u32>().is_ok_and(|n| n > 0) && !word.starts_with("0x") {
        let message = format!(
            "`{name}` needs a whole number above 0, and this is {}",
            text.arg(part).text
        );
        text.error(text.span(part), message);
        return None;
    }
    Some(())
}

fn tile(text: &mut Text, inside: Part) -> Option<ClauseKind> {
    let mut sizes = Vec::new();
    for part in text.split(inside, ",") {
        let arg = filled(text, part, "tile")?;
        if arg.text == "*" {
            sizes.push(None);
        } else {
            constant(text, part, "tile")?;
            sizes.push(Some(arg));
        }
    }
    Some(ClauseKind::Tile(sizes))
}

const OPERATORS: &[(&str, Reduction)] = &[
    ("+", Reduction::Add),
    ("*", Reduction::Mul),
    ("max", Reduction::Max),
    ("min", Reduction::Min),
    ("&", Reduction::BitAnd),
    ("|", Reduction::BitOr),
    ("^", Reduction::BitXor),
    ("&&", Reduction::And),
    ("||", Reduction::Or),
];

fn reduction(text: &mut Text, inside: Part) -> Option<ClauseKind> {
    let names: Vec<&str> = OPERATORS.iter().map(|o| o.0).collect();
    let mut operator = text.word(inside.first);
    let colon = text.word(inside.first + 1) == ":" && inside.first + 1 < inside.last;
    if operator == "-" && colon {
        text.warning(
            text.span_of(inside.first),
            "`reduction` has no `-`; it is read as `+`, the sum of what is added",
        );
        operator = "+";
    }
    let Some((_, op)) = OPERATORS.iter().find(|o| o.0 == operator && colon) else {
        let found = text.found(inside.first);
        let message = match colon {
            true => format!(
                "found {found} in `reduction`, expected one of {}",
                list(&names, "and")
            ),
            false => "`reduction` is written with an operator and variables: `reduction(+:sum)`"
                .to_owned(),
        };
        text.error(text.span_of(inside.first), message);
        return None;
    };
    let vars = Part {
        first: inside.first + 2,
        last: inside.last,
    };
    Some(ClauseKind::Reduction {
        op: *op,
        vars: sections(text, vars, &[], false, "reduction"),
    })
}

fn default(text: &mut Text, inside: Part) -> Option<ClauseKind> {
    let one = inside.last == inside.first + 1;
    match text.word(inside.first) {
        "none" if one => Some(ClauseKind::Default { none: true }),
        "present" if one => Some(ClauseKind::Default { none: false }),
        _ => {
            let found = text.arg(inside).text;
            let message = format!("found `{found}` in `default`, expected `none` or `present`");
            text.error(text.span(inside), message);
            None
        }
    }
}

/// The names in `device_type(...)`.
fn device_types(text: &mut Text, at: usize, open: Option<usize>) -> Vec<String> {
    let name = text.word(at);
    let Some(open) = open else {
        let found = text.found(at + 1);
        let message = format!("found {found} behind `{name}`, expected `{name}(nvidia)`");
        text.error(text.span_of(at + 1), message);
        return Vec::new();
    };
    let mut names = Vec::new();
    for part in text.split(text.inside(open), ",") {
        let word = text.word(part.first);
        let one = part.last == part.first + 1;
        if one && (word == "*" || text.kind(part.first) == Some(TokenKind::Word)) {
            names.push(word.to_owned());
        } else {
            let found = text.found(part.first);
            let message = format!("found {found} in `{name}`, expected a kind of device or `*`");
            text.error(text.span_of(part.first), message);
        }
    }
    names
}
