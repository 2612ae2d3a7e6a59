//! Lines of descriptions, whatever they describe: `key = value`, and `#` in front of a comment.

use super::Part;
use std::fmt;

/// What is wrong with a description, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// A word of a line and the column it starts at, from 1.
pub type Word<'a> = (usize, &'a str);

/// A line: its number, its key, and the words behind `=`.
pub struct Entry<'a> {
    pub line: usize,
    pub key: Word<'a>,
    /// Where the text behind `=` starts.
    pub behind: usize,
    pub words: Vec<Word<'a>>,
}

impl Entry<'_> {
    /// An error at a column of it.
    pub fn error(&self, column: usize, message: String) -> ReadError {
        ReadError {
            line: self.line,
            column,
            message,
        }
    }

    /// Its first word as a name.
    pub fn name(&self) -> Result<Part, ReadError> {
        let (column, word) = self.words[0];
        let name = word.strip_prefix('"').and_then(|w| w.strip_suffix('"'));
        let name = name.unwrap_or(word);
        let part = Part::new(name).filter(|_| !name.contains('"'));
        part.ok_or_else(|| {
            self.error(
                column,
                "expected a name of at most 63 bytes in quotes".into(),
            )
        })
    }
}

/// The part of a line in front of `#`, which may stand in quotes.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (i, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..i],
            _ => {}
        }
    }
    line
}

/// The words of a text that starts at a column; what is in quotes is one word.
fn words(text: &str, column: usize) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    let mut start: Option<(usize, usize)> = None;
    let mut quoted = false;
    let ends = std::iter::once((text.len(), ' '));
    for (n, (i, c)) in text.char_indices().chain(ends).enumerate() {
        let space = c.is_whitespace() && (!quoted || i == text.len());
        match start {
            None if !space => start = Some((i, n)),
            Some((from, at)) if space => {
                out.push((column + at, &text[from..i]));
                start = None;
            }
            _ => {}
        }
        quoted ^= c == '"';
    }
    out
}

fn entry(number: usize, line: &str) -> Result<Option<Entry<'_>>, ReadError> {
    let text = without_comment(line);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let indent = text.chars().take_while(|c| c.is_whitespace()).count();
    let error = |column, message: String| ReadError {
        line: number,
        column,
        message,
    };
    let Some((key, value)) = text.split_once('=') else {
        let found = text.trim();
        return Err(error(
            indent + 1,
            format!("found '{found}', expected 'key = value'"),
        ));
    };
    let behind = key.chars().count() + 2;
    let words = words(value, behind);
    if words.is_empty() {
        return Err(error(
            behind,
            format!("'{}' has no value behind '='", key.trim()),
        ));
    }
    Ok(Some(Entry {
        line: number,
        key: (indent + 1, key.trim()),
        behind,
        words,
    }))
}

/// The lines of a text that say something, and what is wrong with others. Each key stands once.
pub fn entries(text: &str) -> (Vec<Entry<'_>>, Vec<ReadError>) {
    let mut errors = Vec::new();
    let mut entries: Vec<Entry> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        match entry(i + 1, line) {
            Ok(Some(e)) => match entries.iter().find(|o| o.key.1 == e.key.1) {
                Some(first) => errors.push(e.error(
                    e.key.0,
                    format!("'{}' stands in line {} already", e.key.1, first.line),
                )),
                None => entries.push(e),
            },
            Ok(None) => {}
            Err(e) => errors.push(e),
        }
    }
    (entries, errors)
}

/// The fewest changes of a byte that make one text of another (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// That a key is none of those that there are.
pub fn unknown(key: &str, keys: impl Iterator<Item = &'static str>) -> String {
    let near = keys.filter(|_| key.len() < 64);
    match near.map(|k| (distance(key, k), k)).min() {
        Some((d, k)) if d <= 4 => format!("unknown key '{key}'; is '{k}' meant?"),
        _ => format!("unknown key '{key}'"),
    }
}

/// The whole number that a word says.
pub fn whole(
    e: &Entry,
    column: usize,
    word: &str,
    least: u64,
    most: u64,
) -> Result<u64, ReadError> {
    let number = word.parse::<u64>().ok();
    number
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| {
            let wanted = match least == most {
                true => format!("{least}"),
                false => format!("a whole number from {least} to {most}"),
            };
            e.error(column, format!("found '{word}', expected {wanted}"))
        })
}
