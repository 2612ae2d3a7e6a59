//! Changes of whole words, lines and parts in brackets. libFuzzer's own changes of bytes
//! make of a text mostly what the lexer refuses.

use std::sync::OnceLock;

use libfuzzer_sys::fuzzer_mutate;

/// Splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `n`; 0 where that is 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Where things go wrong.
const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "64",
    "1000",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999",
    "0x1p-1074",
    "1.5",
    "1e400",
    "-0.0",
];

/// What libFuzzer calls to change an input of `size` bytes in a buffer that holds `most`;
/// gives the new size.
pub fn mutate(target: &str, data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut r = Random(u64::from(seed));
    let text = match std::str::from_utf8(&data[..size]) {
        Ok(text) if size > 0 && r.below(5) > 0 => text,
        _ => return fuzzer_mutate(data, size, most),
    };
    let words = words(target);
    let mut parts = tokens(text);
    let mut others = parts.clone();
    for _ in 0..1 + r.below(3) {
        if parts.is_empty() {
            break;
        }
        change(&mut r, &mut parts, &mut others, words);
    }
    let new = parts.concat();
    if new.is_empty() || new.len() > most || new.as_bytes() == &data[..size] {
        return fuzzer_mutate(data, size, most);
    }
    data[..new.len()].copy_from_slice(new.as_bytes());
    new.len()
}

/// Words that inputs of the target are made of: those of the tests, and all names there are.
fn words(target: &str) -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words = super::seeds::names(target);
        for seed in super::seeds::seeds(target) {
            if let Ok(text) = std::str::from_utf8(&seed) {
                words.extend(tokens(text).into_iter().map(str::to_string));
            }
        }
        words.sort();
        words.dedup();
        words.retain(|w| !w.trim().is_empty() && w.len() < 64);
        words.push("\n".into());
        words
    })
}

fn change<'t>(r: &mut Random, t: &mut Vec<&'t str>, all: &mut Vec<&'t str>, words: &'t [String]) {
    let at = r.below(t.len());
    let word = |r: &mut Random| words.get(r.below(words.len())).map_or("0", String::as_str);
    match r.below(13) {
        0 => {
            let n = 1 + r.below(4);
            t.drain(at..(at + n).min(t.len()));
        }
        1 => {
            t.insert(at, " ");
            t.insert(at, word(r));
        }
        2 => t[at] = word(r),
        3 | 4 => {
            // One of the same kind keeps more of the text right.
            let same: Vec<&str> = all
                .iter()
                .copied()
                .filter(|o| kind(o) == kind(t[at]))
                .collect();
            if let Some(other) = same.get(r.below(same.len())) {
                t[at] = other;
            }
        }
        5 | 6 => {
            let numbers: Vec<usize> = (0..t.len())
                .filter(|i| kind(t[*i]) == Kind::Number)
                .collect();
            if let Some(i) = numbers.get(r.below(numbers.len())) {
                t[*i] = NUMBERS[r.below(NUMBERS.len())];
            }
        }
        7..=9 => lines(r, t),
        10 | 11 => groups(r, t),
        _ => {
            let other = r.below(t.len());
            t.swap(at, other);
        }
    }
}

/// Takes out, doubles, moves or exchanges lines.
fn lines(r: &mut Random, t: &mut Vec<&str>) {
    let mut lines: Vec<Vec<&str>> = t
        .split_inclusive(|t| *t == "\n")
        .map(<[&str]>::to_vec)
        .collect();
    let (a, b) = (r.below(lines.len()), r.below(lines.len()));
    match r.below(4) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(b, lines[a].clone()),
        2 => lines.swap(a, b),
        _ => {
            let line = lines.remove(a);
            lines.insert(b.min(lines.len()), line);
        }
    }
    *t = lines.concat();
}

/// Puts a part in brackets in the place of another, or takes out what it holds.
fn groups(r: &mut Random, t: &mut Vec<&str>) {
    let mut open = Vec::new();
    let mut found = Vec::new();
    for (i, word) in t.iter().enumerate() {
        match *word {
            "(" | "[" | "{" | "<" => open.push(i),
            ")" | "]" | "}" | ">" => {
                if let Some(from) = open.pop() {
                    found.push(from..i + 1);
                }
            }
            _ => {}
        }
    }
    if found.is_empty() {
        return;
    }
    let to = found[r.below(found.len())].clone();
    let alike: Vec<_> = found.iter().filter(|g| t[g.start] == t[to.start]).collect();
    let new = match r.below(4) {
        0 => vec![t[to.start], t[to.end - 1]],
        _ => t[alike[r.below(alike.len())].clone()].to_vec(),
    };
    t.splice(to, new);
}

#[derive(PartialEq, Eq)]
enum Kind {
    Space,
    Number,
    Name,
    Other,
}

fn kind(word: &str) -> Kind {
    match word.chars().next() {
        Some(c) if c.is_whitespace() => Kind::Space,
        Some(c) if c.is_ascii_digit() => Kind::Number,
        Some('%' | '@' | '^' | '#' | '!') if word.len() > 1 => Kind::Name,
        Some(c) if c.is_alphabetic() || c == '_' => Kind::Name,
        _ => Kind::Other,
    }
}

/// Words, numbers, literals, operators, ends of lines and other space: together the text.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    while let Some(c) = rest.chars().next() {
        let run = |from: usize, f: &dyn Fn(char) -> bool| {
            let found = rest[from..].find(|c| !f(c));
            found.map_or(rest.len(), |n| from + n)
        };
        let n = match c {
            '\n' => 1,
            c if c.is_whitespace() => run(0, &|c| c.is_whitespace() && c != '\n'),
            c if c.is_alphanumeric() || c == '_' => run(0, &inside),
            '%' | '@' | '^' | '#' | '!' | '.' => run(1, &inside),
            '"' => rest[1..].find(['"', '\n']).map_or(rest.len(), |n| n + 2),
            c => c.len_utf8(),
        };
        out.push(&rest[..n]);
        rest = &rest[n..];
    }
    out
}
