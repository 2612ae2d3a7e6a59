//! Variables and parts of arrays in a clause's brackets.

use super::text::{Part, Text, list, nearest};
use crate::directive::{Arg, Dim, Section};
use crate::lex::TokenKind;

/// `modifier: a, b[0:n], s.x`. PGI's older directives give the first and the last
/// element of a part (`bounds`), OpenACC the first and the number of elements.
/// Errors name the `clause`.
pub(super) fn sections(
    text: &mut Text,
    inside: Part,
    modifiers: &[&str],
    bounds: bool,
    clause: &str,
) -> Vec<Section> {
    let (given, inside) = leading(text, inside, modifiers, clause);
    let mut found = Vec::new();
    for part in text.split(inside, ",") {
        if let Some(section) = section(text, part, bounds, clause) {
            found.push(Section {
                modifiers: given.clone(),
                ..section
            });
        }
    }
    found
}

/// Modifiers before the first variable, and what is behind them.
fn leading(text: &mut Text, inside: Part, allowed: &[&str], clause: &str) -> (Vec<String>, Part) {
    let parts = text.split(inside, ":");
    let [before, _, ..] = parts[..] else {
        return (Vec::new(), inside);
    };
    let mut given = Vec::new();
    for part in text.split(before, ",") {
        let word = text.word(part.first);
        let one = part.last == part.first + 1;
        if one && allowed.contains(&word) {
            given.push(word.to_owned());
            continue;
        }
        let word = text.arg(part).text;
        let guess = match allowed {
            [] => format!("`{clause}` has none; parts of arrays are written `a[first:number]`"),
            _ => match nearest(&word, allowed.iter().copied()) {
                Some(n) => format!("did you mean `{n}`?"),
                None => format!("`{clause}` has {}", list(allowed, "and")),
            },
        };
        let message = format!("`{word}` is not a modifier: {guess}");
        text.error(text.span(part), message);
    }
    let rest = Part {
        first: before.last + 1,
        last: inside.last,
    };
    (given, rest)
}

/// One variable with the parts in brackets behind it.
fn section(text: &mut Text, part: Part, bounds: bool, clause: &str) -> Option<Section> {
    let kind = text.kind(part.first).filter(|_| !part.is_empty());
    let begins = match kind {
        Some(TokenKind::Word) => true,
        Some(TokenKind::Punct) => matches!(text.word(part.first), "(" | "*"),
        _ => false,
    };
    if !begins {
        let found = text.found(part.first);
        let message = format!("found {found} in `{clause}`, expected a variable");
        text.error(text.span_of(part.first), message);
        return None;
    }
    let mut base = part;
    let mut brackets = Vec::new();
    while base.last > base.first + 1 && text.word(base.last - 1) == "]" {
        let open = text.partner(base.last - 1)?;
        if open <= base.first {
            break;
        }
        brackets.push(open);
        base.last = open;
    }
    // `a b`: a comma is missing.
    let names = base.first + 1 < base.last && text.kind(base.first) == Some(TokenKind::Word);
    let second = text.kind(base.first + 1);
    if names
        && matches!(
            second,
            Some(TokenKind::Word | TokenKind::Number | TokenKind::Str)
        )
    {
        let found = text.found(base.first + 1);
        let message = format!("found {found} in `{clause}`, expected `,`, `[` or `)`");
        text.error(text.span_of(base.first + 1), message);
        return None;
    }
    let mut dims = Vec::new();
    for open in brackets.into_iter().rev() {
        dims.push(dim(text, open, bounds)?);
    }
    Some(Section {
        base: text.arg(base),
        dims,
        span: text.span(part),
        modifiers: Vec::new(),
    })
}

/// `[start:length]`.
fn dim(text: &mut Text, open: usize, bounds: bool) -> Option<Dim> {
    let inside = text.inside(open);
    let parts = text.split(inside, ":");
    let arg = |text: &Text, part: Part| (!part.is_empty()).then(|| text.arg(part));
    match parts[..] {
        [one] => {
            let start = arg(text, one);
            if start.is_none() {
                text.error(
                    text.span_of(open),
                    "`[]` has nothing in it; write `[first:number]`, or nothing for the whole \
                     array",
                );
                return None;
            }
            Some(Dim {
                start,
                length: None,
                single: true,
            })
        }
        [start, length] => {
            let (start, length) = (arg(text, start), arg(text, length));
            let length = match (bounds, length) {
                (true, Some(last)) => Some(count(start.as_ref(), last)),
                (_, length) => length,
            };
            Some(Dim {
                start,
                length,
                single: false,
            })
        }
        [_, _, third, ..] => {
            let message = match bounds {
                true => "a part of an array is `[first:last]`, and a second `:` follows",
                false => "a part of an array is `[first:number]`, and a second `:` follows",
            };
            text.error(text.span_of(third.first - 1), message);
            None
        }
        [] => None,
    }
}

/// The number of elements from `first` to `last`.
fn count(first: Option<&Arg>, last: Arg) -> Arg {
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let from = first.map_or("0", |f| f.text.as_str());
    let known = number(&last.text)
        .zip(number(from))
        .and_then(|(l, f)| l.checked_sub(f)?.checked_add(1));
    let text = match known {
        Some(n) => n.to_string(),
        None if from.trim() == "0" => format!("({}) + 1", last.text),
        None => format!("({}) - ({from}) + 1", last.text),
    };
    Arg { text, ..last }
}
