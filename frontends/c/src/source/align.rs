//! Which token of an original line each token of the preprocessed line is, or comes
//! from.
//!
//! Tokens that were not touched are equal in both; a macro's use stands where its
//! expansion stands. The longest common subsequence of the two finds the former, words
//! counting more than punctuation, and what is left between two matches came from the
//! first macro's name that is left there.

use super::Original;
use crate::lex::{Lexer, Token, TokenKind};

/// Places of the tokens of one or more preprocessed lines.
pub(super) struct Aligned {
    /// By offset: a token's first byte and the byte after it, its original line and
    /// column, and whether it is the very token.
    tokens: Vec<Entry>,
}

struct Entry {
    start: usize,
    end: usize,
    line: u32,
    column: u32,
    exact: bool,
}

/// Work of the alignment of a line, in pairs of tokens; beyond it only the ends of the
/// line are matched.
const MAX_PAIRS: usize = 1 << 20;

/// An original line may be continued over this many.
const MAX_LINES: u32 = 1000;

struct Word<'a> {
    text: &'a [u8],
    kind: TokenKind,
    line: u32,
    column: u32,
}

impl Aligned {
    /// Aligns the tokens in `parts` of the preprocessed text with original line `line`
    /// and up to `follow` lines after it, as far as they continue it.
    pub(super) fn new(
        text: &str,
        parts: &[(usize, usize)],
        original: &Original,
        line: u32,
        follow: u32,
    ) -> Option<Aligned> {
        let (first, _) = original.line(line)?;
        if let [(start, end)] = parts {
            let (from, to) = original.line(line)?;
            let here = original.text[from..to].trim_ascii_end();
            if here == text.as_bytes()[*start..*end].trim_ascii_end() {
                let whole = Entry {
                    start: *start,
                    end: end + 1,
                    line,
                    column: 1,
                    exact: true,
                };
                return Some(Aligned {
                    tokens: vec![whole],
                });
            }
        }
        let mut last = line;
        let source = loop {
            let (_, end) = original.line(last)?;
            let mut lexer = Lexer::range(&original.text, first, end);
            let tokens: Vec<Token> = lexer.by_ref().collect();
            let spliced = original.text[..end].trim_ascii_end().ends_with(b"\\");
            let more = lexer.in_comment() || spliced || open_brackets(&original.text, &tokens);
            let limit = line.saturating_add(follow.min(MAX_LINES));
            if !more || last >= limit || original.line(last + 1).is_none() {
                break tokens;
            }
            last = if last == line {
                // Quadratic in the lines otherwise.
                continued_to(original, line, limit)
            } else {
                last + 1
            };
        };
        let source: Vec<Word> = place(original, line, &source);
        let mut tokens: Vec<Entry> = Vec::new();
        let mut seen: Vec<&[u8]> = Vec::new();
        for &(start, end) in parts {
            for t in Lexer::range(text.as_bytes(), start, end) {
                seen.push(&text.as_bytes()[t.start..t.end]);
                tokens.push(Entry {
                    start: t.start,
                    end: t.end,
                    line,
                    column: 1,
                    exact: false,
                });
            }
        }
        let mut matches = matching(&seen, &source);
        let mut used = vec![false; source.len()];
        for m in matches.iter().flatten() {
            used[*m] = true;
        }
        // A bracket behind a macro's name opens its arguments; the bracket that was
        // found equal to it is the expansion's.
        for m in &mut matches {
            let opens = |m: &usize| {
                let macro_before = |b: usize| !used[b] && source[b].kind == TokenKind::Word;
                source[*m].text == b"(" && m.checked_sub(1).is_some_and(macro_before)
            };
            *m = m.filter(|m| !opens(m));
        }
        let mut before = 0;
        for (i, entry) in tokens.iter_mut().enumerate() {
            let from = match matches[i] {
                Some(m) => {
                    before = m + 1;
                    entry.exact = true;
                    Some(m)
                }
                None => {
                    let next = matches[i..].iter().flatten().next();
                    let next = next.copied().unwrap_or(source.len());
                    origin_of(&source, &used, before, next)
                }
            };
            if let Some(word) = from.and_then(|m| source.get(m)) {
                entry.line = word.line;
                entry.column = word.column;
            }
        }
        Some(Aligned { tokens })
    }

    /// Line and column of what stands at a byte of the preprocessed text; between
    /// tokens, of the place behind the one before. `None` if there is no token.
    pub(super) fn find(&self, offset: usize) -> Option<(u32, u32)> {
        let after = self.tokens.partition_point(|t| t.start <= offset);
        let Some(token) = after.checked_sub(1).map(|i| &self.tokens[i]) else {
            return self.tokens.first().map(|t| (t.line, t.column));
        };
        let inside = if token.exact {
            offset.min(token.end) - token.start
        } else {
            0
        };
        Some((token.line, token.column + inside as u32))
    }
}

fn open_brackets(text: &[u8], tokens: &[Token]) -> bool {
    let mut depth = 0i64;
    for t in tokens {
        match &text[t.start..t.end] {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ => {}
        }
    }
    depth > 0
}

/// The last line of those that `line` may run on to, up to the one that closes its
/// brackets.
fn continued_to(original: &Original, line: u32, limit: u32) -> u32 {
    let (Some((first, _)), Some((_, end))) = (
        original.line(line),
        (line..=limit).rev().find_map(|l| original.line(l)),
    ) else {
        return line;
    };
    let mut depth = 0i64;
    let mut at = first;
    let first_end = original.line(line).map_or(first, |r| r.1);
    for t in Lexer::range(&original.text, first, end) {
        match &original.text[t.start..t.end] {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ => {}
        }
        at = t.end;
        if depth <= 0 && t.start >= first_end {
            break;
        }
    }
    let found = original.starts.partition_point(|&s| s < at) as u32;
    found.clamp(line + 1, limit)
}

/// Tokens with their lines and columns; `line` is that of the first.
fn place<'a>(original: &'a Original, line: u32, tokens: &[Token]) -> Vec<Word<'a>> {
    let mut index = line as usize - 1;
    tokens
        .iter()
        .map(|t| {
            while original
                .starts
                .get(index + 1)
                .is_some_and(|&s| s <= t.start)
            {
                index += 1;
            }
            Word {
                text: &original.text[t.start..t.end],
                kind: t.kind,
                line: index as u32 + 1,
                column: (t.start - original.starts[index]) as u32 + 1,
            }
        })
        .collect()
}

/// Where a token that is not in the original comes from: the first macro's name in the
/// gap, or the nearest before it.
fn origin_of(source: &[Word], used: &[bool], before: usize, next: usize) -> Option<usize> {
    let free = |&i: &usize| !used[i] && source[i].kind == TokenKind::Word;
    (before..next.max(before))
        .find(free)
        .or_else(|| (0..before).rev().find(free))
        .or_else(|| (next..source.len()).find(free))
        .or_else(|| before.checked_sub(1))
}

fn weight(text: &[u8], kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Punct if text.len() == 1 => 2,
        TokenKind::Punct => 3,
        _ => 6,
    }
}

/// For each token that is seen, the token of the source that it is.
fn matching(seen: &[&[u8]], source: &[Word]) -> Vec<Option<usize>> {
    let mut matches = vec![None; seen.len()];
    let (mut from, mut from_source) = (0, 0);
    while from < seen.len() && from_source < source.len() && seen[from] == source[from].text {
        matches[from] = Some(from);
        from += 1;
        from_source += 1;
    }
    let (mut to, mut to_source) = (seen.len(), source.len());
    while to > from && to_source > from_source && seen[to - 1] == source[to_source - 1].text {
        to -= 1;
        to_source -= 1;
        matches[to] = Some(to_source);
    }
    let (rows, columns) = (to - from, to_source - from_source);
    if rows == 0 || columns == 0 || rows.saturating_mul(columns) > MAX_PAIRS {
        return matches;
    }
    // best[r][c]: the weight of the best matching of the tokens from r and c on.
    let width = columns + 1;
    let mut best = vec![0u32; (rows + 1) * width];
    let gain = |r: usize, c: usize| -> Option<u32> {
        let word = &source[from_source + c];
        (seen[from + r] == word.text).then(|| weight(word.text, word.kind))
    };
    for r in (0..rows).rev() {
        for c in (0..columns).rev() {
            let skip = best[(r + 1) * width + c].max(best[r * width + c + 1]);
            let take = gain(r, c).map_or(0, |g| g + best[(r + 1) * width + c + 1]);
            best[r * width + c] = skip.max(take);
        }
    }
    let (mut r, mut c) = (0, 0);
    while r < rows && c < columns {
        let here = best[r * width + c];
        if gain(r, c).is_some_and(|g| g + best[(r + 1) * width + c + 1] == here) {
            matches[from + r] = Some(from_source + c);
            r += 1;
            c += 1;
        } else if best[r * width + c + 1] == here {
            c += 1;
        } else {
            r += 1;
        }
    }
    matches
}
