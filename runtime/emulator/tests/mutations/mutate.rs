//! Small changes of a text.

use terrace_lit::random::Random;

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "64",
    "127",
    "255",
    "256",
    "1024",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "0x7fffffff",
    "0xffffffffffffffff",
    "0f00000000",
    "0f7FC00000",
    "0dFFF0000000000000",
    "1.5",
];

const TYPES: &[&str] = &[
    ".pred",
    ".b8",
    ".b16",
    ".b32",
    ".b64",
    ".u8",
    ".u16",
    ".u32",
    ".u64",
    ".s8",
    ".s16",
    ".s32",
    ".s64",
    ".f16",
    ".f16x2",
    ".bf16",
    ".f32",
    ".f64",
    ".v2",
    ".v4",
    ".global",
    ".shared",
    ".local",
    ".const",
    ".param",
    ".lo",
    ".hi",
    ".wide",
    ".rn",
    ".ftz",
    ".sat",
    ".approx",
    ".uni",
    ".nc",
    ".volatile",
    ".lt",
    ".ge",
    ".eq",
    ".neu",
];

const OPS: &[&str] = &[
    "add",
    "sub",
    "mul",
    "mul.lo",
    "mul.wide",
    "mad.lo",
    "fma.rn",
    "div",
    "div.rn",
    "rem",
    "shl",
    "shr",
    "and",
    "or",
    "xor",
    "not",
    "neg",
    "abs",
    "min",
    "max",
    "setp.lt",
    "setp.eq",
    "selp",
    "mov",
    "cvt",
    "ld.global",
    "st.global",
    "ld.shared",
    "st.shared",
    "ld.local",
    "ld.param",
    "ld.const",
    "bra",
    "ret",
    "exit",
    "trap",
    "bar.sync",
    "call",
    "brx.idx",
    "popc",
    "clz",
    "bfe",
    "bfi",
    "prmt",
    "lop3",
    "shf.l.wrap",
    "cvta.global",
    "isspacep.shared",
    "atom.global.add",
    "red.global.add",
    "membar.gl",
    "cp.async.ca.shared.global",
    "cp.async.wait_all",
    "cp.async.commit_group",
    "vote.sync.ballot",
    "shfl.sync.idx",
    "mma.sync.aligned.m16n8k8.row.col",
    "ldmatrix.sync.aligned.m8n8.x4.shared",
    "sqrt.rn",
    "rcp.rn",
    "ex2.approx",
    "fns",
];

/// Starts and ends of the words for which `is` holds.
fn words(text: &str, start: impl Fn(u8) -> bool, is: impl Fn(u8) -> bool) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let inside =
            i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || b"_$%.".contains(&bytes[i - 1]));
        if start(bytes[i]) && (bytes[i] == b'.' || !inside) {
            let from = i;
            i += 1;
            while i < bytes.len() && is(bytes[i]) {
                i += 1;
            }
            out.push((from, i));
        } else {
            i += 1;
        }
    }
    out
}

fn replace(text: &str, (from, to): (usize, usize), with: &str) -> String {
    format!("{}{with}{}", &text[..from], &text[to..])
}

/// Replaces a word of a kind by another one.
fn reword(text: &str, places: &[(usize, usize)], with: &str, rng: &mut Random) -> String {
    match places.is_empty() {
        true => text.to_string(),
        false => replace(text, *rng.pick(places), with),
    }
}

/// The text with changes: every other time one that may well leave a kernel, else up to
/// three of any kind. Lines may come from the donor.
pub fn mutated(text: &str, donor: &str, rng: &mut Random) -> String {
    if rng.below(2) == 0 {
        return gently(text, rng);
    }
    let mut out = text.to_string();
    for _ in 0..1 + rng.below(3) {
        out = once(&out, donor, rng);
    }
    out
}

/// One change within the statements of a function.
fn gently(text: &str, rng: &mut Random) -> String {
    let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    let body = text.find("ld.param").unwrap_or(0);
    let inside = |places: Vec<(usize, usize)>| -> Vec<(usize, usize)> {
        places.into_iter().filter(|p| p.0 > body).collect()
    };
    match rng.below(5) {
        0 => {
            let places = inside(words(text, |b| b.is_ascii_digit(), name));
            let small = [
                "0", "1", "2", "3", "4", "5", "7", "8", "12", "16", "20", "31", "32", "64",
            ];
            reword(text, &places, rng.pick::<&str>(&small), rng)
        }
        // A register for another of its kind.
        1 | 2 => {
            let places = inside(words(text, |b| b == b'%', name));
            if places.is_empty() {
                return text.to_string();
            }
            let (from, to) = *rng.pick(&places);
            let kind = |(from, to): (usize, usize)| {
                text[from..to].trim_end_matches(|c: char| c.is_ascii_digit())
            };
            let alike: Vec<(usize, usize)> = places
                .iter()
                .copied()
                .filter(|p| kind(*p) == kind((from, to)))
                .collect();
            reword(text, &alike, &text[from..to], rng)
        }
        3 => {
            let ops = ["add", "sub", "and", "or", "xor", "min", "max"];
            let types = [".s32", ".u32", ".b32", ".s64", ".u64", ".b64"];
            let places: Vec<(usize, usize)> = inside(words(text, |b| b.is_ascii_lowercase(), name))
                .into_iter()
                .filter(|(from, to)| {
                    ops.contains(&&text[*from..*to])
                        && types.contains(&text.get(*to..to + 4).unwrap_or(""))
                })
                .collect();
            reword(
                text,
                &places,
                rng.pick::<&str>(&["add", "sub", "min", "max"]),
                rng,
            )
        }
        _ => {
            let mut lines: Vec<&str> = text.split('\n').collect();
            let first = text[..body].matches('\n').count();
            let at = first + rng.below(lines.len() - first);
            if at + 1 < lines.len() {
                lines.swap(at, at + 1);
            }
            lines.join("\n")
        }
    }
}

fn once(text: &str, donor: &str, rng: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    match rng.below(16) {
        0 => {
            lines.remove(rng.below(lines.len()));
        }
        1 => {
            let at = rng.below(lines.len());
            lines.insert(at, lines[at]);
        }
        2 => {
            let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
            lines.swap(a, b);
        }
        // Neighbours, which often mean something the other way round.
        3 => {
            let a = rng.below(lines.len().max(2) - 1);
            if a + 1 < lines.len() {
                lines.swap(a, a + 1);
            }
        }
        4 => {
            let line = lines[rng.below(lines.len())];
            lines.insert(rng.below(lines.len()), line);
        }
        5 => {
            let other: Vec<&str> = donor.split('\n').collect();
            let at = rng.below(lines.len());
            lines.insert(at, *rng.pick(&other));
        }
        6..=8 => {
            let places = words(text, |b| b.is_ascii_digit(), name);
            return reword(text, &places, rng.pick::<&str>(NUMBERS), rng);
        }
        9 => {
            let places = words(text, |b| b == b'.', name);
            return reword(text, &places, rng.pick::<&str>(TYPES), rng);
        }
        // One register for another.
        10 | 11 => {
            let places = words(text, |b| b == b'%', name);
            if places.is_empty() {
                return text.to_string();
            }
            let (from, to) = *rng.pick(&places);
            return reword(text, &places, &text[from..to], rng);
        }
        // One label or name for another.
        12 => {
            let places = words(
                text,
                |b| b == b'$' || b == b'_' || b.is_ascii_alphabetic(),
                name,
            );
            if places.is_empty() {
                return text.to_string();
            }
            let (from, to) = *rng.pick(&places);
            return reword(text, &places, &text[from..to], rng);
        }
        13 => {
            let places = words(text, |b| b.is_ascii_lowercase(), |b| name(b) || b == b'.');
            return reword(text, &places, rng.pick::<&str>(OPS), rng);
        }
        14 => {
            let at = rng.below(text.len());
            let (from, to) = (
                floor(text, at),
                floor(text, (at + 1 + rng.below(3)).min(text.len())),
            );
            return replace(text, (from, to), "");
        }
        _ => {
            let at = floor(text, rng.below(text.len()));
            return replace(
                text,
                (at, at),
                rng.pick::<&str>(&[
                    "{", "}", "(", ")", "[", "]", ";", ",", ":", "@", "!", "|", "\"", "/*", "<",
                    ">", "+", "-",
                ]),
            );
        }
    }
    lines.join("\n")
}

/// The start of the character at a byte.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The lines that differ, up to where both agree again from the end.
pub fn difference(a: &str, b: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('\n').collect(), b.split('\n').collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let most = a.len().min(b.len()) - start;
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take(most)
        .take_while(|(x, y)| x == y)
        .count();
    let show = |sign: &str, lines: &[&str]| -> String {
        let shown = lines.iter().take(40);
        shown.map(|l| format!("{sign}{l}\n")).collect()
    };
    format!(
        "line {}:\n{}{}",
        start + 1,
        show("-", &a[start..a.len() - end]),
        show("+", &b[start..b.len() - end])
    )
}
