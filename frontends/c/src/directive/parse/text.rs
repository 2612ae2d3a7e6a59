//! The words and brackets of a pragma.

use crate::directive::Arg;
use crate::hir::Span;
use crate::lex::{Lexer, Token, TokenKind};
use terrace_ir::diag::Severity;

/// Something to tell the user about a pragma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub severity: Severity,
    /// Inside the pragma.
    pub span: Span,
    pub text: String,
    pub notes: Vec<(Span, String)>,
}

/// A pragma's text behind `#pragma`, as tokens.
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    /// The offset of `text` in the file.
    start: u32,
    tokens: Vec<Token>,
    /// For each bracket the index of the other.
    partner: Vec<usize>,
    pub(super) messages: Vec<Message>,
}

/// Tokens `first..last` of a pragma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Part {
    pub(super) fn is_empty(self) -> bool {
        self.first >= self.last
    }
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str, start: u32) -> Text<'a> {
        Text {
            text,
            start,
            tokens: Lexer::new(text.as_bytes()).collect(),
            partner: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// Matches brackets. False, with an error, if they do not match.
    pub(super) fn match_brackets(&mut self) -> bool {
        let mut open: Vec<usize> = Vec::new();
        self.partner = vec![usize::MAX; self.tokens.len()];
        for i in 0..self.tokens.len() {
            let close = self.word(i);
            let opening = match close {
                "(" | "[" | "{" => {
                    open.push(i);
                    continue;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            match open.pop() {
                Some(o) if self.word(o) == opening => {
                    self.partner[i] = o;
                    self.partner[o] = i;
                }
                Some(o) => {
                    let message = format!(
                        "found `{close}` where the `{}` before it is not closed yet",
                        self.word(o)
                    );
                    let note = (self.span_of(o), "this bracket is open".to_owned());
                    self.error(self.span_of(i), message).notes.push(note);
                    return false;
                }
                None => {
                    let message = format!("found `{close}` without a `{opening}` before it");
                    self.error(self.span_of(i), message);
                    return false;
                }
            }
        }
        if let Some(o) = open.first() {
            let message = format!("`{}` is not closed before the line ends", self.word(*o));
            self.error(self.span_of(*o), message);
            return false;
        }
        true
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn word(&self, i: usize) -> &'a str {
        let at = self.tokens.get(i).map(|t| (t.start, t.end));
        at.and_then(|(s, e)| self.text.get(s..e)).unwrap_or("")
    }

    pub(super) fn kind(&self, i: usize) -> Option<TokenKind> {
        self.tokens.get(i).map(|t| t.kind)
    }

    /// The bracket that belongs to this one.
    pub(super) fn partner(&self, i: usize) -> Option<usize> {
        let partner = *self.partner.get(i)?;
        (partner != usize::MAX).then_some(partner)
    }

    /// The place of a token; behind the last one, the end of the line.
    pub(super) fn span_of(&self, i: usize) -> Span {
        match self.tokens.get(i) {
            Some(t) => Span {
                start: self.start + t.start as u32,
                end: self.start + t.end as u32,
            },
            None => {
                let end = self.start + self.text.trim_end().len() as u32;
                Span { start: end, end }
            }
        }
    }

    pub(super) fn span(&self, part: Part) -> Span {
        if part.is_empty() {
            return self.span_of(part.first);
        }
        self.span_of(part.first).to(self.span_of(part.last - 1))
    }

    /// The part as an expression, with the text as it is written.
    pub(super) fn arg(&self, part: Part) -> Arg {
        let span = self.span(part);
        let (from, to) = (span.start - self.start, span.end - self.start);
        let text = match part.is_empty() {
            true => "",
            false => self.text.get(from as usize..to as usize).unwrap_or(""),
        };
        Arg {
            text: text.to_owned(),
            span,
            expr: None,
        }
    }

    /// What is between the bracket at `open` and its partner.
    pub(super) fn inside(&self, open: usize) -> Part {
        Part {
            first: open + 1,
            last: self.partner(open).unwrap_or(self.tokens.len()),
        }
    }

    /// Cuts a part at tokens `at` that stand in no bracket. A `:` that belongs to a `?`
    /// does not cut.
    pub(super) fn split(&self, part: Part, at: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut first = part.first;
        let mut i = part.first;
        let mut questions = 0usize;
        while i < part.last {
            let word = self.word(i);
            if let Some(close) = self.partner(i).filter(|&c| c > i) {
                i = close;
            } else if word == "?" {
                questions += 1;
            } else if word == ":" && questions > 0 {
                questions -= 1;
            } else if word == at {
                parts.push(Part { first, last: i });
                first = i + 1;
            }
            i += 1;
        }
        parts.push(Part {
            first,
            last: part.last.max(first),
        });
        parts
    }

    pub(super) fn error(&mut self, span: Span, text: impl Into<String>) -> &mut Message {
        self.say(Severity::Error, span, text.into())
    }

    pub(super) fn warning(&mut self, span: Span, text: impl Into<String>) -> &mut Message {
        self.say(Severity::Warning, span, text.into())
    }

    fn say(&mut self, severity: Severity, span: Span, text: String) -> &mut Message {
        self.messages.push(Message {
            severity,
            span,
            text,
            notes: Vec::new(),
        });
        let last = self.messages.len() - 1;
        &mut self.messages[last]
    }

    /// What stands at a token, for messages.
    pub(super) fn found(&self, i: usize) -> String {
        match self.word(i) {
            "" => "the end of the line".to_owned(),
            word => format!("`{word}`"),
        }
    }
}

/// The candidate that a misspelled word is nearest to, if it is near.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.len() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|c| (distance(word, c), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Edits between two words: letters added, dropped, changed, or two exchanged
/// (Damerau and Levenshtein's optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 3 || a.len() > 64 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Names as a sentence has them: "`a`, `b` or `c`".
pub(super) fn list(names: &[&str], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words() {
        assert_eq!(nearest("colapse", ["copy", "collapse"]), Some("collapse"));
        assert_eq!(nearest("gnag", ["gang", "seq"]), Some("gang"));
        assert_eq!(nearest("banana", ["gang", "seq"]), None);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn colons_of_conditionals_do_not_cut() {
        let mut text = Text::new("a ? b : c : d(x : y)", 0);
        assert!(text.match_brackets());
        let all = Part {
            first: 0,
            last: text.len(),
        };
        assert_eq!(text.split(all, ":").len(), 2);
    }
}
