//! Syntax errors in our words: what was found, what can stand there, and which
//! construct it is if it is one that terrace does not read.

use std::collections::HashSet;

use lang_c::driver::SyntaxError;
use terrace_ir::diag::Diagnostic;

use crate::lex::{Token, TokenKind};
use crate::source::SourceMap;

/// The diagnostic of a parse that failed. `tokens` are those of the text that was
/// parsed.
pub(super) fn syntax(map: &SourceMap, error: &SyntaxError, tokens: &[Token]) -> Diagnostic {
    let text = error.source.as_str();
    let context = Context { text, tokens };
    // The parser stops behind a word that it read and does not want.
    let next = tokens.partition_point(|t| t.end <= error.offset);
    let ended = next
        .checked_sub(1)
        .filter(|&i| tokens[i].end == error.offset && tokens[i].kind == TokenKind::Word)
        .filter(|_| tokens.get(next).is_some_and(|t| t.start > error.offset));
    let at = ended.unwrap_or(next);
    let construct = context.construct(at);
    let at = construct.as_ref().map_or(at, |c| c.0);
    let offset = tokens.get(at).map_or(text.trim_end().len(), |t| t.start);
    let found = match tokens.get(at) {
        Some(t) => format!("`{}`", shortened(map.text(), *t)),
        None => "the end of the file".to_string(),
    };
    let message = match construct {
        Some((_, construct)) => construct,
        None => match expected(&error.expected) {
            Some(expected) if ended.is_none() => format!("found {found}, expected {expected}"),
            _ => format!("found {found}, which cannot stand here"),
        },
    };
    let mut diagnostic = Diagnostic::error(map.loc(offset), message);
    diagnostic.underline = tokens.get(at).map_or(0, |t| (t.end - t.start) as u32);
    if let Some(name) = context.function(offset) {
        let place = map.loc(name.start);
        let name = map.text().get(name.start..name.end).unwrap_or_default();
        diagnostic
            .notes
            .push((place, format!("in the function `{name}`")));
    }
    diagnostic
}

/// A token's text, no longer than a line can show.
fn shortened(text: &str, token: Token) -> String {
    let word = text.get(token.start..token.end).unwrap_or("?");
    if word.chars().count() <= 40 {
        return word.to_string();
    }
    let head: String = word.chars().take(37).collect();
    format!("{head}...")
}

struct Context<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl Context<'_> {
    fn word(&self, i: usize) -> &str {
        self.tokens
            .get(i)
            .and_then(|t| self.text.get(t.start..t.end))
            .unwrap_or_default()
    }

    fn before(&self, i: usize, back: usize) -> &str {
        i.checked_sub(back).map_or("", |i| self.word(i))
    }

    fn is_name(&self, i: usize) -> bool {
        let kind = self.tokens.get(i).map(|t| t.kind);
        kind == Some(TokenKind::Word) && !is_keyword(self.word(i))
    }

    /// What is wrong at a token that the parser failed at, if it is something known: the
    /// token that it is about, and the whole message.
    fn construct(&self, i: usize) -> Option<(usize, String)> {
        if let Some(message) = self.extension(i) {
            return Some((i, message));
        }
        let here = [i, i.wrapping_sub(1)];
        let of_kind = |kind| {
            here.into_iter()
                .find(|&i| self.tokens.get(i).is_some_and(|t| t.kind == kind))
        };
        if let Some(at) = here
            .into_iter()
            .find(|&i| !plain(self.word(i)) && self.is_name(i))
        {
            let message = format!(
                "the name `{}` has characters other than letters, digits and `_`, which terrace \
                 does not read",
                self.word(at)
            );
            return Some((at, message));
        }
        if let Some(at) = of_kind(TokenKind::Unknown) {
            let message = match self.word(at).chars().next() {
                Some(quote @ ('"' | '\'')) => format!("the `{quote}` is not closed on its line"),
                _ => {
                    let odd = self.word(at).escape_debug();
                    format!("found `{odd}`, which is not a character of C")
                }
            };
            return Some((at, message));
        }
        if let Some(at) = of_kind(TokenKind::Number).filter(|&i| !is_number(self.word(i))) {
            return Some((at, format!("`{}` is not a number of C", self.word(at))));
        }
        self.name(i)
    }

    /// Constructs of GNU C and of C++.
    fn extension(&self, i: usize) -> Option<String> {
        let this = self.word(i);
        let (last, last2) = (self.before(i, 1), self.before(i, 2));
        let what = match (last2, last, this) {
            (_, "goto", "*") => "a jump to a computed address",
            (_, "__label__", _) | (_, _, "__label__") => "a label's declaration, `__label__`,",
            (_, _, "_Alignas") => {
                return Some(
                    "`_Alignas` on a member of a record is not read; write \
                     `__attribute__((aligned(n)))` behind the member"
                        .into(),
                );
            }
            (_, "?", ":") => {
                return Some(
                    "`?:` without its middle operand is an extension of GNU C that terrace does \
                     not read; write `a ? a : b`"
                        .into(),
                );
            }
            (")", "{", "}") => {
                return Some(
                    "an empty compound literal is an extension of GNU C that terrace does not \
                     read; write `{0}`"
                        .into(),
                );
            }
            (_, ")", "{") => {
                return Some(
                    "found `{` behind `)`: a function inside a function is an extension of GNU C \
                     that terrace does not read; or a `;` is missing"
                        .into(),
                );
            }
            (_, _, ":") if self.word(i + 1) == ":" => {
                return Some("found `::`, which is C++; terrace reads C".into());
            }
            (_, "&&", _) if self.is_name(i) && !self.ends_value(i.wrapping_sub(2)) => {
                &format!("the address of a label, `&&{this}`,")
            }
            (_, _, "&&") if !self.ends_value(i.wrapping_sub(1)) => {
                &format!("the address of a label, `&&{}`,", self.word(i + 1))
            }
            _ => {
                let odd = [this, last].into_iter().find(|w| {
                    matches!(
                        *w,
                        "template" | "namespace" | "class" | "using" | "operator"
                    )
                })?;
                return Some(format!(
                    "found `{odd}`, which seems to be C++; terrace reads C"
                ));
            }
        };
        Some(format!(
            "{what} is an extension of GNU C that terrace does not read"
        ))
    }

    /// Names that are no types, and keywords that are no names.
    fn name(&self, i: usize) -> Option<(usize, String)> {
        let this = self.word(i);
        let (last, last2) = (self.before(i, 1), self.before(i, 2));
        let before = i.wrapping_sub(1);
        let punct = self.tokens.get(i).map(|t| t.kind) == Some(TokenKind::Punct);
        let keyword = matches!(
            last,
            "for" | "if" | "while" | "switch" | "goto" | "case" | "sizeof"
        );
        if keyword && punct && is_type_word(last2) {
            let message = format!("`{last}` is a keyword of C and cannot be a name");
            return Some((before, message));
        }
        let not_a_type = |i: usize| {
            let message = format!(
                "`{}` is used as a type, and no typedef of that name stands before this",
                self.word(i)
            );
            Some((i, message))
        };
        // `foo_t x`: the parser took the first word for a variable.
        let begins = matches!(last2, "" | ";" | "{" | "}" | "(" | "," | ":" | ")");
        if begins && self.is_name(before) && (self.is_name(i) || this == "*") {
            return not_a_type(before);
        }
        let ends = matches!(last, "" | ";" | "}" | "static" | "extern" | "inline");
        if self.is_name(i) && self.word(i + 1) == "(" && ends && self.depth(i) == 0 {
            let message = format!("`{this}` has no type in front of it; write `int {this}(...)`");
            return Some((i, message));
        }
        if self.is_name(i) && (self.is_name(i + 1) || self.word(i + 1) == "*") {
            return not_a_type(i);
        }
        None
    }

    /// Whether a token can end a value, so that a binary operator may follow.
    fn ends_value(&self, i: usize) -> bool {
        match self.tokens.get(i) {
            Some(t) if t.kind == TokenKind::Punct => {
                matches!(self.word(i), ")" | "]" | "++" | "--")
            }
            Some(_) => self.word(i) != "return" && self.word(i) != "case",
            None => false,
        }
    }

    /// Braces open before a token.
    fn depth(&self, i: usize) -> usize {
        let mut depth = 0usize;
        for i in 0..i.min(self.tokens.len()) {
            match self.word(i) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        depth
    }

    /// The name of the function whose body an offset is in.
    fn function(&self, offset: usize) -> Option<Token> {
        let mut depth = 0usize;
        let mut parens = 0usize;
        let mut name = None;
        let mut candidate = None;
        for (i, t) in self.tokens.iter().enumerate() {
            if t.start >= offset {
                break;
            }
            match self.word(i) {
                "(" if depth == 0 => {
                    if parens == 0 && candidate.is_none() && i > 0 && self.is_name(i - 1) {
                        candidate = Some(self.tokens[i - 1]);
                    }
                    parens += 1;
                }
                ")" if depth == 0 => parens = parens.saturating_sub(1),
                "{" => {
                    if depth == 0 {
                        name = candidate.filter(|_| self.before(i, 1) == ")");
                    }
                    depth += 1;
                }
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        (name, candidate) = (None, None);
                    }
                }
                ";" if depth == 0 => candidate = None,
                _ => {}
            }
        }
        name
    }
}

fn plain(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a preprocessing number is a constant (C11 6.4.4), of any suffix.
fn is_number(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let (digits, hex): (fn(&char) -> bool, bool) = match lower.get(..2) {
        Some("0x") => (char::is_ascii_hexdigit, true),
        Some("0b") => (|c| matches!(c, '0' | '1'), false),
        _ => (char::is_ascii_digit, false),
    };
    let prefixed = hex || lower.starts_with("0b");
    let body = if prefixed { &lower[2..] } else { &lower[..] };
    let whole = body.chars().take_while(digits).count();
    let rest = &body[whole..];
    let (fraction, point, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let n = rest.chars().take_while(digits).count();
            (n, true, &rest[n..])
        }
        None => (0, false, rest),
    };
    let exponent = rest.strip_prefix(if hex { 'p' } else { 'e' });
    let (scaled, suffix) = match exponent {
        Some(rest) => {
            let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
            let n = rest.chars().take_while(char::is_ascii_digit).count();
            if n == 0 {
                return false;
            }
            (true, &rest[n..])
        }
        None => (false, rest),
    };
    let floating = point || scaled;
    let octal = !prefixed && !floating && body.starts_with('0');
    if octal && body[..whole].contains(['8', '9']) {
        return false;
    }
    whole + fraction > 0 && suffix.len() <= 5 && !suffix.contains(['.', '+', '-', '_'])
}

fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "void"
            | "*"
            | "const"
    )
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "auto"
            | "break"
            | "case"
            | "char"
            | "const"
            | "continue"
            | "default"
            | "do"
            | "double"
            | "else"
            | "enum"
            | "extern"
            | "float"
            | "for"
            | "goto"
            | "if"
            | "inline"
            | "int"
            | "long"
            | "register"
            | "restrict"
            | "return"
            | "short"
            | "signed"
            | "sizeof"
            | "static"
            | "struct"
            | "switch"
            | "typedef"
            | "union"
            | "unsigned"
            | "void"
            | "volatile"
            | "while"
            | "_Alignas"
            | "_Alignof"
            | "_Atomic"
            | "_Bool"
            | "_Complex"
            | "_Generic"
            | "_Noreturn"
            | "_Static_assert"
            | "_Thread_local"
    )
}

/// What the parser expected, as a person says it; `None` if it cannot be said shortly.
/// The parser does not tell of keywords.
fn expected(set: &HashSet<&'static str>) -> Option<String> {
    let has = |word: &str| set.contains(word);
    let mut parts: Vec<&str> = Vec::new();
    if has("!") || has("~") {
        parts.push("an expression");
    } else if has("[_a-zA-Z]") {
        parts.push("a name");
    }
    for (word, quoted) in [
        (";", "`;`"),
        (",", "`,`"),
        (")", "`)`"),
        ("]", "`]`"),
        (":", "`:`"),
    ] {
        if has(word) {
            parts.push(quoted);
        }
    }
    if has("==") {
        parts.push("an operator");
    } else if has("=") {
        parts.push("`=`");
    }
    if parts.is_empty() && has("<typedef_name>") {
        parts.push("a type");
    }
    if parts.is_empty() {
        for (word, quoted) in [("{", "`{`"), ("(", "`(`"), ("\"", "a string"), ("}", "`}`")] {
            if has(word) {
                parts.push(quoted);
            }
        }
    }
    let (last, rest) = parts.split_last()?;
    Some(match rest {
        [] => last.to_string(),
        _ => format!("{} or {last}", rest.join(", ")),
    })
}
