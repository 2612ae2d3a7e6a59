//! Small changes of MLIR text.

use super::rng::Rng;

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "16",
    "31",
    "32",
    "33",
    "64",
    "1023",
    "1024",
    "1025",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "0.0",
    "1.0e300",
];

const TYPES: &[&str] = &[
    "i1", "i4", "i8", "i16", "i32", "i64", "i128", "index", "f16", "bf16", "f32", "f64", "f80",
    "tf32", "none",
];

/// One of the programs, changed in one to three places.
pub fn program(programs: &[String], seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let donor = rng.pick(programs);
    let mut text = rng.pick(programs).clone();
    for _ in 0..1 + rng.below(3) {
        text = once(&text, donor, &mut rng);
    }
    text
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.%@#$!^".contains(c)
}

/// Starts and ends of the words for which `wanted` holds, comments left out.
fn words(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or("");
        let mut from = None;
        for (i, c) in code.char_indices().chain([(code.len(), ' ')]) {
            match (is_word(c), from) {
                (true, None) => from = Some(i),
                (false, Some(start)) => {
                    if wanted(&code[start..i]) {
                        out.push((at + start, at + i));
                    }
                    from = None;
                }
                _ => {}
            }
        }
        at += line.len();
    }
    out
}

fn replaced(text: &str, (from, to): (usize, usize), with: &str) -> String {
    format!("{}{with}{}", &text[..from], &text[to..])
}

/// A word of a kind becomes another one of the text.
fn swapped(text: &str, rng: &mut Rng, wanted: impl Fn(&str) -> bool) -> String {
    let places = words(text, wanted);
    if places.is_empty() {
        return text.to_string();
    }
    let (from, to) = *rng.pick(&places);
    replaced(text, *rng.pick(&places), &text[from..to])
}

fn reworded(text: &str, rng: &mut Rng, with: &str, wanted: impl Fn(&str) -> bool) -> String {
    match words(text, wanted) {
        places if places.is_empty() => text.to_string(),
        places => replaced(text, *rng.pick(&places), with),
    }
}

fn once(text: &str, donor: &str, rng: &mut Rng) -> String {
    let starts = |w: &str, c: char| w.starts_with(c);
    let number = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
    let op = |w: &str| w.starts_with(|c: char| c.is_ascii_lowercase()) && w.contains('.');
    let mut lines: Vec<&str> = text.split('\n').collect();
    let place = rng.below(lines.len());
    match rng.below(12) {
        0 => drop(lines.remove(place)),
        1 => lines.insert(place, lines[place]),
        2 => {
            let other = rng.below(lines.len());
            lines.swap(place, other);
        }
        3 if place + 1 < lines.len() => lines.swap(place, place + 1),
        4 => {
            let other: Vec<&str> = donor.split('\n').collect();
            let line = *rng.pick(&other[..]);
            lines.insert(place, line);
        }
        5 | 6 => return swapped(text, rng, |w| starts(w, '%')),
        7 => {
            let with = *rng.pick(NUMBERS);
            return reworded(text, rng, with, number);
        }
        8 => return swapped(text, rng, number),
        9 => return swapped(text, rng, op),
        10 => {
            let with = *rng.pick(TYPES);
            return reworded(text, rng, with, |w| TYPES.contains(&w));
        }
        // A type everywhere, so that the program stays right.
        _ => {
            let (from, to) = (*rng.pick(TYPES), *rng.pick(TYPES));
            let mut out = text.to_string();
            for p in words(text, |w| w == from).into_iter().rev() {
                out = replaced(&out, p, to);
            }
            return out;
        }
    }
    lines.join("\n")
}
