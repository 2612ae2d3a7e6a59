//! One pattern of a check line: text, `{{regex}}`, `[[VAR]]`, `[[VAR:regex]]`,
//! `[[@LINE+1]]`, and numeric `[[#%x,VAR:]]`, `[[#VAR+1]]`.

use std::collections::BTreeMap;

use fancy_regex::Regex;

use super::Options;
use super::numeric::{self, Format};
use super::posix;

/// The variables set so far.
#[derive(Debug, Default, Clone)]
pub(super) struct Variables {
    pub strings: BTreeMap<String, String>,
    pub numbers: BTreeMap<String, (i128, Format)>,
}

impl Variables {
    /// Forgets all but the global ones, whose names start with `$`.
    pub fn clear_local(&mut self) {
        self.strings.retain(|name, _| name.starts_with('$'));
        self.numbers.retain(|name, _| name.starts_with('$'));
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Regex(String),
    Use(String),
    Define { name: String, regex: String },
    Number(numeric::Block),
}

/// What kind of lines a pattern spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// Any part of a line.
    No,
    /// The whole line, blanks at its ends aside.
    Trimmed,
    /// The whole line.
    Exact,
}

/// A parsed pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    parts: Vec<Part>,
    /// The 1-based line it stands in, for `@LINE`.
    line: usize,
    whole: Whole,
    ignore_case: bool,
    /// An empty line: matches after a line's end, before the next one's.
    empty_line: bool,
}

/// Where a pattern matched, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    pub start: usize,
    pub end: usize,
}

/// Why a pattern did not match.
#[derive(Debug)]
pub(super) enum Miss {
    /// It is not there.
    NotFound,
    /// It cannot be tried, and why.
    Invalid(String),
}

impl Pattern {
    /// The pattern of `CHECK-EMPTY`.
    pub fn empty_line(line: usize) -> Self {
        Pattern {
            parts: Vec::new(),
            line,
            whole: Whole::No,
            ignore_case: false,
            empty_line: true,
        }
    }

    /// Parses the text after a directive. An error is a byte offset in `text`
    /// and a message.
    pub fn parse(
        text: &str,
        line: usize,
        literal: bool,
        whole: Whole,
        options: &Options,
    ) -> Result<Self, (usize, String)> {
        let mut parts = Vec::new();
        let mut rest = text;
        if literal {
            parts.push(Part::Text(text.to_string()));
            rest = "";
        }
        while !rest.is_empty() {
            let offset = text.len() - rest.len();
            if let Some(body) = rest.strip_prefix("{{") {
                let end = regex_end(body).ok_or((
                    offset,
                    "found start of regex string with no end '}}'".to_string(),
                ))?;
                parts.push(Part::Regex(body[..end].to_string()));
                rest = &body[end + 2..];
            } else if let Some(body) = rest.strip_prefix("[[").filter(|_| is_block(rest)) {
                let end = block_end(body).ok_or((
                    offset,
                    "invalid substitution block, no ]] found".to_string(),
                ))?;
                parts.push(block(&body[..end], line).map_err(|m| (offset, m))?);
                rest = &body[end + 2..];
            } else {
                let next = next_special(rest);
                match parts.last_mut() {
                    Some(Part::Text(t)) => t.push_str(&rest[..next]),
                    _ => parts.push(Part::Text(rest[..next].to_string())),
                }
                rest = &rest[next..];
            }
        }
        Ok(Pattern {
            parts,
            line,
            whole,
            ignore_case: options.ignore_case,
            empty_line: false,
        })
    }

    /// Whether it uses or defines a variable.
    pub fn has_variables(&self) -> bool {
        self.parts
            .iter()
            .any(|p| !matches!(p, Part::Text(_) | Part::Regex(_)))
    }

    /// The values that the pattern would use: names and texts.
    pub fn used(&self, variables: &Variables) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for part in &self.parts {
            match part {
                Part::Use(name) => {
                    if let Some(value) = variables.strings.get(name) {
                        out.push((name.clone(), value.clone()));
                    }
                }
                Part::Number(block) if block.has_expression() => {
                    if let Ok((value, format)) = block.evaluate(self.line, &variables.numbers) {
                        out.push((block.text.clone(), format.print(value)));
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// The literal text of the pattern, to look for similar lines.
    pub fn sketch(&self, variables: &Variables) -> String {
        let part = |p: &Part| match p {
            Part::Text(t) => t.clone(),
            Part::Use(name) => variables.strings.get(name).cloned().unwrap_or_default(),
            _ => String::new(),
        };
        self.parts.iter().map(part).collect()
    }

    /// The first match in `text` at or after `from`; sets the variables that
    /// the pattern defines.
    pub fn find(&self, text: &str, from: usize, variables: &mut Variables) -> Result<Match, Miss> {
        let window = &text[from..];
        if self.empty_line {
            let bytes = window.as_bytes();
            let at = (0..bytes.len())
                .find(|i| bytes[*i] == b'\n' && bytes.get(i + 1).is_none_or(|b| *b == b'\n'));
            // The match begins after the end of the line before.
            return at
                .map(|i| Match {
                    start: from + i + 1,
                    end: from + i + 1,
                })
                .ok_or(Miss::NotFound);
        }
        if let ([Part::Text(t)], Whole::No, false) =
            (self.parts.as_slice(), self.whole, self.ignore_case)
        {
            let at = window.find(t.as_str()).ok_or(Miss::NotFound)?;
            return Ok(Match {
                start: from + at,
                end: from + at + t.len(),
            });
        }
        let source = self.regex(variables).map_err(Miss::Invalid)?;
        let regex =
            Regex::new(&source).map_err(|e| Miss::Invalid(format!("invalid regex: {e}")))?;
        let captures = regex
            .captures(window)
            .map_err(|e| Miss::Invalid(format!("the regex cannot be matched: {e}")))?
            .ok_or(Miss::NotFound)?;
        for (index, part) in self.parts.iter().enumerate() {
            let value = captures.name(&group(index)).map(|m| m.as_str());
            match (part, value) {
                (Part::Define { name, .. }, Some(value)) => {
                    variables.strings.insert(name.clone(), value.to_string());
                }
                (Part::Number(block), Some(value)) => {
                    if let Some(name) = &block.defines {
                        let number = block.format.parse(value).map_err(Miss::Invalid)?;
                        variables
                            .numbers
                            .insert(name.clone(), (number, block.format));
                    }
                }
                _ => {}
            }
        }
        let whole = captures.get(0).ok_or(Miss::NotFound)?;
        Ok(Match {
            start: from + whole.start(),
            end: from + whole.end(),
        })
    }

    fn regex(&self, variables: &Variables) -> Result<String, String> {
        let mut out = String::from(if self.ignore_case { "(?mi)" } else { "(?m)" });
        out.push_str(match self.whole {
            Whole::No => "",
            Whole::Trimmed => "^ *",
            Whole::Exact => "^",
        });
        let mut here: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Text(t) => out.push_str(&fancy_regex::escape(t)),
                Part::Regex(r) => out.push_str(&format!("(?:{})", posix::translate(r))),
                Part::Define { name, regex } => {
                    here.insert(name, index);
                    out.push_str(&format!(
                        "(?P<{}>{})",
                        group(index),
                        posix::translate(regex)
                    ));
                }
                Part::Use(name) => match (here.get(name.as_str()), variables.strings.get(name)) {
                    // Set earlier in the same line: whatever it matched there.
                    (Some(first), _) => out.push_str(&format!("(?P={})", group(*first))),
                    (None, Some(value)) => out.push_str(&fancy_regex::escape(value)),
                    (None, None) => return Err(format!("uses undefined variable(s): \"{name}\"")),
                },
                Part::Number(block) => {
                    let body = if block.has_expression() {
                        let (value, format) = block.evaluate(self.line, &variables.numbers)?;
                        fancy_regex::escape(&format.print(value)).into_owned()
                    } else {
                        block.format.wildcard().to_string()
                    };
                    out.push_str(&format!("(?P<{}>{body})", group(index)));
                }
            }
        }
        out.push_str(match self.whole {
            Whole::No => "",
            Whole::Trimmed => " *$",
            Whole::Exact => "$",
        });
        Ok(out)
    }
}

fn group(index: usize) -> String {
    format!("v{index}")
}

/// Whether `[[` starts a block and not two brackets of the IR, as in
/// `memref<2x[[1]]`: a name, `#`, `@` or `$` must follow.
fn is_block(text: &str) -> bool {
    text.as_bytes()
        .get(2)
        .is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'#' | b'@' | b'$'))
}

/// The length of the text before the next `{{` or block.
fn next_special(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    (first..text.len())
        .filter(|i| text.is_char_boundary(*i))
        .find(|i| {
            text[*i..].starts_with("{{") || text[*i..].starts_with("[[") && is_block(&text[*i..])
        })
        .unwrap_or(text.len())
}

/// Where the `}}` of a regex starts; a third brace belongs to the regex.
fn regex_end(body: &str) -> Option<usize> {
    let mut end = body.find("}}")?;
    while body[end + 1..].starts_with("}}") {
        end += 1;
    }
    Some(end)
}

/// Where the `]]` of a block starts, brackets inside its regex skipped.
fn block_end(body: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => depth += 1,
            b']' if depth == 0 && bytes.get(at + 1) == Some(&b']') => return Some(at),
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

fn block(body: &str, line: usize) -> Result<Part, String> {
    if let Some(numeric) = body.strip_prefix('#') {
        return Ok(Part::Number(numeric::Block::parse(numeric)?));
    }
    if body.starts_with('@') {
        // The old spelling of `[[#@LINE+1]]`.
        let block = numeric::Block::parse(body)?;
        let (value, format) = block.evaluate(line, &BTreeMap::new())?;
        return Ok(Part::Text(format.print(value)));
    }
    let (name, regex) = match body.split_once(':') {
        Some((name, regex)) => (name, Some(regex)),
        None => (body, None),
    };
    let tail = name.strip_prefix('$').unwrap_or(name);
    if tail.is_empty() || tail.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        return Err(format!("invalid name in string variable '{name}'"));
    }
    Ok(match regex {
        Some(regex) => Part::Define {
            name: name.to_string(),
            regex: regex.to_string(),
        },
        None => Part::Use(name.to_string()),
    })
}
