//! `-verify-diagnostics`: diagnostics against expectations in comments.
//!
//! An expectation ends its line and looks like one of
//!
//! ```text
//! // expected-error {{part of the message}}
//! // expected-warning@+2 {{on the line two below}}
//! // expected-note@above {{on the next line above that has no expectation}}
//! // expected-remark@unknown {{without a place in a file}}
//! // expected-error-re@below {{matches {{[0-9]+}} by a regular expression}}
//! ```
//!
//! Each diagnostic and each of its notes must meet an expectation of its kind
//! on its line, and each expectation must be met, by one or more. The regular
//! expressions are POSIX extended ones. The reports have MLIR's wording.

use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::{DiagLoc, Diagnostic, Severity, SourceFile, SourceProvider, ere};

/// What is held against the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VerifyLevel {
    /// Diagnostics nobody expected, and expectations not met.
    #[default]
    All,
    /// Expectations not met.
    OnlyExpected,
}

impl FromStr for VerifyLevel {
    type Err = String;

    /// `all` or `only-expected`; nothing is `all`.
    fn from_str(value: &str) -> Result<Self, String> {
        match value {
            "" | "all" => Ok(VerifyLevel::All),
            "only-expected" => Ok(VerifyLevel::OnlyExpected),
            _ => Err(format!(
                "unknown verification level '{value}', expected 'all' or 'only-expected'"
            )),
        }
    }
}

static EXPECTATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"expected-(error|note|remark|warning)(-re)? *(?:@([+-][0-9]+|above|below|unknown))? *\{\{(.*)\}\}$",
    )
    .expect("the pattern is constant and tested")
});

/// One expectation.
#[derive(Debug)]
struct Expected {
    severity: Severity,
    /// The line a diagnostic must be on; not asked for unknown places.
    line: i64,
    /// Where the expectation itself stands.
    loc: DiagLoc,
    text: String,
    /// Of an expectation with `-re`.
    regex: Option<Regex>,
    met: bool,
}

impl Expected {
    fn matches(&self, message: &str) -> bool {
        match &self.regex {
            Some(regex) => regex.is_match(message),
            None => message.contains(&self.text),
        }
    }

    /// An error at the expectation.
    fn report(&self, message: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.loc.clone(), message);
        diagnostic.underline = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        diagnostic
    }
}

/// Literal text with `{{regex}}` pieces, as one expression.
fn piecewise_regex(text: &str) -> Result<Regex, String> {
    let mut pattern = String::from("(?s)");
    let mut rest = text;
    while let Some((literal, tail)) = rest.split_once("{{") {
        pattern.push_str(&regex::escape(literal));
        let (piece, tail) = tail
            .split_once("}}")
            .ok_or("found start of regex with no end '}}'")?;
        let piece = ere::translate(piece).map_err(|e| format!("invalid regex: {e}"))?;
        pattern.push('(');
        pattern.push_str(&piece);
        pattern.push(')');
        rest = tail;
    }
    pattern.push_str(&regex::escape(rest));
    // What is left to fail is a limit on the size of the compiled expression.
    Regex::new(&pattern).map_err(|e| format!("invalid regex: {e}"))
}

/// Holds diagnostics against the expectations in one or more files.
///
/// One verifier serves all the chunks of a split file: positions are those of
/// the whole file.
pub struct Verifier<'a> {
    sources: &'a dyn SourceProvider,
    level: VerifyLevel,
    files: Vec<(Arc<str>, Vec<Expected>)>,
    unknown: Vec<Expected>,
    reports: Vec<Diagnostic>,
}

impl<'a> Verifier<'a> {
    /// Reads the expectations in `main`. Those in other files are read from
    /// `sources` when a diagnostic points there.
    pub fn new(main: &SourceFile, sources: &'a dyn SourceProvider, level: VerifyLevel) -> Self {
        let mut verifier = Verifier {
            sources,
            level,
            files: Vec::new(),
            unknown: Vec::new(),
            reports: Vec::new(),
        };
        verifier.read(main);
        verifier
    }

    fn read(&mut self, file: &SourceFile) {
        let lines: Vec<&str> = file.text().split('\n').collect();
        let mut all: Vec<Expected> = Vec::new();
        let mut last_plain_line = 1;
        // Of `@below`, until a line without an expectation comes.
        let mut waiting = Vec::new();
        let mut offset = 0;
        for (index, line) in lines.iter().enumerate() {
            let line_number = index as i64 + 1;
            let line_offset = offset;
            offset += line.len() + 1;
            let trimmed = line.trim_end_matches([' ', '\t', '\x0b', '\x0c', '\r']);
            let captures = trimmed
                .contains("expected-")
                .then(|| EXPECTATION.captures(trimmed))
                .flatten();
            let Some(captures) = captures else {
                for i in waiting.drain(..) {
                    let below: &mut Expected = &mut all[i];
                    below.line = line_number;
                }
                last_plain_line = line_number;
                continue;
            };
            let group = |i| captures.get(i).map_or("", |m: regex::Match<'_>| m.as_str());
            let column = captures.get(0).map_or(0, |m| m.start());
            let mut expected = Expected {
                severity: match group(1) {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    "remark" => Severity::Remark,
                    _ => Severity::Note,
                },
                line: line_number,
                loc: file.location((line_offset + column) as u32),
                text: group(4).to_owned(),
                regex: None,
                met: false,
            };
            if !group(2).is_empty() {
                match piecewise_regex(&expected.text) {
                    Ok(regex) => expected.regex = Some(regex),
                    Err(message) => {
                        self.reports.push(expected.report(message));
                        continue;
                    }
                }
            }
            match group(3) {
                "" => {}
                "above" => expected.line = last_plain_line,
                "below" => {
                    // If no such line comes, the file's last.
                    expected.line = lines.len() as i64;
                    waiting.push(all.len());
                }
                "unknown" => {
                    expected.loc = DiagLoc::Unknown;
                    self.unknown.push(expected);
                    continue;
                }
                // A distance that does not fit is beyond every file.
                distance => {
                    let distance = distance.parse().unwrap_or(i64::MAX);
                    expected.line = line_number.saturating_add(distance);
                }
            }
            all.push(expected);
        }
        self.files.push((file.name().clone(), all));
    }

    /// Holds a diagnostic and its notes against the expectations.
    pub fn process(&mut self, diagnostic: &Diagnostic) {
        self.check(&diagnostic.loc, &diagnostic.message, diagnostic.severity);
        for (loc, message) in &diagnostic.notes {
            self.check(loc, message, Severity::Note);
        }
    }

    fn check(&mut self, loc: &DiagLoc, message: &str, severity: Severity) {
        let (candidates, line) = match loc {
            DiagLoc::Pos { file, line, .. } => {
                let known = self.files.iter().position(|(name, _)| name == file);
                let index = known.unwrap_or_else(|| {
                    let sources = self.sources;
                    match sources.source(file) {
                        Some(source) => self.read(source),
                        None => self.files.push((file.clone(), Vec::new())),
                    }
                    self.files.len() - 1
                });
                (&mut self.files[index].1, Some(i64::from(*line)))
            }
            DiagLoc::Unknown | DiagLoc::Other(_) => (&mut self.unknown, None),
        };
        let mut near_miss = None;
        for expected in candidates {
            if line.is_some_and(|line| line != expected.line) || !expected.matches(message) {
                continue;
            }
            if expected.severity == severity {
                expected.met = true;
                return;
            }
            near_miss = Some((expected.loc.clone(), expected.severity));
        }
        if self.level == VerifyLevel::OnlyExpected {
            return;
        }
        self.reports.push(match near_miss {
            Some((loc, wanted)) => Diagnostic::error(
                loc,
                format!("'{severity}' diagnostic emitted when expecting a '{wanted}'"),
            ),
            None => Diagnostic::error(loc.clone(), format!("unexpected {severity}: {message}")),
        });
    }

    /// What is wrong, in the order it was found, the expectations not met at
    /// the end. Nothing means that the input passed.
    #[must_use]
    pub fn finish(mut self) -> Vec<Diagnostic> {
        let all = self.files.iter().flat_map(|(_, all)| all);
        for expected in all.chain(&self.unknown).filter(|e| !e.met) {
            self.reports.push(expected.report(format!(
                "expected {} \"{}\" was not produced",
                expected.severity, expected.text
            )));
        }
        self.reports
    }
}
