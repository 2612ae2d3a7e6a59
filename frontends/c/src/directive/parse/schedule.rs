//! The brackets of `terrace schedule(...)`.

use super::text::{Part, Text, list, nearest};
use crate::directive::Arg;
use crate::directive::schedule::{
    LoopName, Numbers, STEPS, Schedule, Step, StepArgument, StepForm,
};
use crate::lex::TokenKind;

/// What may stand there alone.
const ALONE: [&str; 3] = ["auto", "none", "pluto"];

/// Reads a schedule; `None` after an error.
pub(super) fn schedule(text: &mut Text, inside: Part) -> Option<Schedule> {
    if text.kind(inside.first) == Some(TokenKind::Str) {
        return file(text, inside).map(Schedule::File);
    }
    let parts = text.split(inside, ",");
    let mut steps = Vec::new();
    let mut fine = true;
    for part in &parts {
        let word = text.word(part.first);
        if ALONE.contains(&word) {
            if parts.len() > 1 {
                let message = format!("`{word}` stands alone: it says what becomes of all loops");
                text.error(text.span_of(part.first), message);
                return None;
            }
            return alone(text, *part);
        }
        match step(text, *part) {
            Some(s) => steps.push(s),
            None => fine = false,
        }
    }
    fine.then_some(Schedule::Steps(steps))
}

fn file(text: &mut Text, inside: Part) -> Option<Arg> {
    let mut arg = text.arg(inside);
    if inside.last > inside.first + 1 {
        let found = text.found(inside.first + 1);
        let message = format!("found {found} behind a file's name, expected `)`");
        text.error(text.span_of(inside.first + 1), message);
        return None;
    }
    arg.text = arg.text.trim_matches('"').to_owned();
    if arg.text.is_empty() {
        text.error(arg.span, "found `\"\"`, expected the name of a file");
        return None;
    }
    Some(arg)
}

/// `auto`, `none`, `pluto` and `pluto(32)`.
fn alone(text: &mut Text, part: Part) -> Option<Schedule> {
    let word = text.word(part.first);
    if word == "pluto" && text.word(part.first + 1) == "(" {
        let numbers = text.inside(part.first + 1);
        if ends(text, part, part.first + 1) && !numbers.is_empty() {
            let arg = text.arg(numbers);
            return Some(Schedule::Pluto(Some(StepArgument { arg, value: None })));
        }
        let message = "`pluto` takes the size of tiles: `pluto` or `pluto(32)`";
        text.error(text.span_of(part.first), message);
        return None;
    }
    if part.last > part.first + 1 {
        let found = text.found(part.first + 1);
        let message = format!("found {found} behind `{word}`, expected `)`");
        text.error(text.span_of(part.first + 1), message);
        return None;
    }
    Some(match word {
        "auto" => Schedule::Auto,
        "none" => Schedule::None,
        _ => Schedule::Pluto(None),
    })
}

/// Whether the bracket that opens at `open` closes the part.
fn ends(text: &Text, part: Part, open: usize) -> bool {
    text.partner(open) == Some(part.last.saturating_sub(1))
}

fn step(text: &mut Text, part: Part) -> Option<Step> {
    let word = text.word(part.first);
    let spellings = || STEPS.iter().map(|s| s.spelling).chain(ALONE);
    let Some(form) = STEPS
        .iter()
        .find(|s| s.spelling == word && !part.is_empty())
    else {
        let found = match part.is_empty() {
            true => text.found(part.first),
            false => format!("`{word}`"),
        };
        let guess = match nearest(word, spellings()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => {
                let all: Vec<&str> = spellings().collect();
                format!(": {}, or the name of a file in quotes", list(&all, "or"))
            }
        };
        text.error(
            text.span_of(part.first),
            format!("found {found}, expected a step of a schedule{guess}"),
        );
        return None;
    };
    let open = part.first + 1;
    if part.last <= open || text.word(open) != "(" || !ends(text, part, open) {
        let at = match text.partner(open) {
            Some(close) if text.word(open) == "(" && part.last > open => close + 1,
            _ => open,
        };
        let found = text.found(at);
        let expected = match at == open {
            true => format!("`{}`", form.example),
            false => "`,` or `)`".to_owned(),
        };
        let message = format!("found {found} behind `{word}`, expected {expected}");
        text.error(text.span_of(at), message);
        return None;
    }
    let inside = text.inside(open);
    let halves = text.split(inside, ":");
    let loops = loops(text, form, halves.first().copied().unwrap_or(inside))?;
    let numbers = match halves[..] {
        [_] => Vec::new(),
        [_, numbers] => {
            let mut all = Vec::new();
            for p in text.split(numbers, ",") {
                if p.is_empty() {
                    let found = text.found(p.first);
                    let message = format!("found {found} in `{word}`, expected a number");
                    text.error(text.span_of(p.first), message);
                    return None;
                }
                let arg = text.arg(p);
                all.push(StepArgument { arg, value: None });
            }
            all
        }
        _ => {
            let message = format!(
                "found a second `:` in `{word}`, expected `{}`",
                form.example
            );
            text.error(text.span_of(halves[2].first - 1), message);
            return None;
        }
    };
    if let Some(wanted) = miscounted(form, loops.len(), numbers.len()) {
        let message = format!("`{word}` takes {wanted}: `{}`", form.example);
        text.error(text.span(part), message);
        return None;
    }
    Some(Step {
        word: form.word,
        span: text.span_of(part.first),
        text: text.arg(part).text,
        loops,
        numbers,
    })
}

/// `i`, `i#2`, with commas between.
fn loops(text: &mut Text, form: &StepForm, part: Part) -> Option<Vec<LoopName>> {
    let mut found = Vec::new();
    for p in text.split(part, ",") {
        let name = text.word(p.first);
        let is_name = !p.is_empty() && text.kind(p.first) == Some(TokenKind::Word);
        let number = match p.last.saturating_sub(p.first) {
            1 => Some(None),
            3 if text.word(p.first + 1) == "#" => {
                let n = text.word(p.first + 2).parse::<u32>().ok();
                n.filter(|n| *n > 0).map(Some)
            }
            _ => None,
        };
        let (true, Some(number)) = (is_name, number) else {
            let at = p.first + usize::from(is_name);
            let found = text.found(at);
            let message = format!(
                "found {found} in `{}`, expected a loop by its counter, such as `i`, or `i#2` for \
                 the second over `i`",
                form.spelling
            );
            text.error(text.span_of(at), message);
            return None;
        };
        found.push(LoopName {
            name: name.to_owned(),
            number,
            span: text.span(p),
        });
    }
    Some(found)
}

/// What a step takes, where that is something else than what it has.
fn miscounted(form: &StepForm, loops: usize, numbers: usize) -> Option<String> {
    let (least, most) = form.loops;
    let fits = match form.numbers {
        Numbers::None => numbers == 0,
        Numbers::One => numbers == 1,
        Numbers::MayOne => numbers <= 1,
        Numbers::PerLoop => numbers == loops,
        Numbers::Some => numbers >= 1,
    };
    if fits && (least..=most).contains(&loops) {
        return None;
    }
    let of_loops = match (least, most) {
        (1, 1) => "one loop".to_owned(),
        (2, 2) => "two loops".to_owned(),
        (1, _) => "loops".to_owned(),
        (n, _) => format!("{n} loops or more"),
    };
    Some(match form.numbers {
        Numbers::None => of_loops,
        Numbers::One => format!("{of_loops} and a number"),
        Numbers::MayOne => format!("{of_loops} and, if not all of it, a number"),
        Numbers::PerLoop => format!("{of_loops} and a number for each"),
        Numbers::Some => format!("{of_loops} and numbers"),
    })
}
