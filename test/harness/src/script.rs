//! The directives of a test file, and the substitutions of its RUN lines.

use std::collections::BTreeMap;

/// One directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// A command line, continuation lines joined.
    Run(String),
    /// `DEFINE: %{name} = value`.
    Define(String, String),
    /// `REDEFINE: %{name} = value`.
    Redefine(String, String),
    /// Features that must be there.
    Requires(String),
    /// Features that must not be there.
    Unsupported(String),
}

/// The directives of one file, in order, each with its 1-based line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Line and directive.
    pub directives: Vec<(usize, Directive)>,
}

const KEYWORDS: [&str; 6] = [
    "RUN:",
    "DEFINE:",
    "REDEFINE:",
    "REQUIRES:",
    "UNSUPPORTED:",
    "XFAIL:",
];

impl Script {
    /// Reads the directives of `text`. An error is a line and a message.
    pub fn parse(text: &str) -> Result<Script, (usize, String)> {
        let mut directives = Vec::new();
        // A directive whose last line ended in a backslash.
        let mut open: Option<(usize, &str, String)> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let found = keyword(line);
            if let Some((start, first, mut body)) = open.take() {
                match found {
                    Some((key, rest)) if key == first => {
                        body.push_str(rest.trim());
                        keep(number, start, first, body, &mut open, &mut directives)?;
                        continue;
                    }
                    _ => {
                        return Err((
                            start,
                            format!(
                                "the {first} line ends in a backslash, but no {first} line follows it"
                            ),
                        ));
                    }
                }
            }
            if let Some((key, rest)) = found {
                let body = rest.trim().to_string();
                keep(number, number, key, body, &mut open, &mut directives)?;
            }
        }
        if let Some((start, key, _)) = open {
            return Err((start, format!("the last {key} line ends in a backslash")));
        }
        if !directives
            .iter()
            .any(|(_, d)| matches!(d, Directive::Run(_)))
        {
            return Err((1, "the test has no RUN: line".to_string()));
        }
        Ok(Script { directives })
    }
}

/// Stores a directive, or leaves it open when a continuation must follow.
fn keep<'a>(
    _number: usize,
    start: usize,
    key: &'a str,
    mut body: String,
    open: &mut Option<(usize, &'a str, String)>,
    directives: &mut Vec<(usize, Directive)>,
) -> Result<(), (usize, String)> {
    if body.ends_with('\\') {
        body.pop();
        let kept = format!("{} ", body.trim_end());
        *open = Some((start, key, kept));
        return Ok(());
    }
    if body.is_empty() {
        return Err((start, format!("{key} has nothing after it")));
    }
    let directive = match key {
        "RUN:" => Directive::Run(body),
        "REQUIRES:" => Directive::Requires(body),
        "UNSUPPORTED:" => Directive::Unsupported(body),
        "DEFINE:" | "REDEFINE:" => {
            let (name, value) = definition(&body).ok_or_else(|| {
                (
                    start,
                    format!("expected '%{{name}} = value' after {key}, found '{body}'"),
                )
            })?;
            if key == "DEFINE:" {
                Directive::Define(name, value)
            } else {
                Directive::Redefine(name, value)
            }
        }
        _ => {
            return Err((
                start,
                "XFAIL is not supported: a test holds, or it is not there".to_string(),
            ));
        }
    };
    directives.push((start, directive));
    Ok(())
}

/// The first keyword of a line that does not continue a longer word, and what
/// stands after it.
fn keyword(line: &str) -> Option<(&'static str, &str)> {
    let mut best: Option<(usize, &'static str)> = None;
    for key in KEYWORDS {
        for (at, _) in line.match_indices(key) {
            let inside = line[..at]
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
            if !inside && best.is_none_or(|(b, _)| at < b) {
                best = Some((at, key));
            }
        }
    }
    let (at, key) = best?;
    // `COM: RUN: ...` is how a RUN line is put out of use on purpose.
    if line[..at].contains("COM:") {
        return None;
    }
    Some((key, &line[at + key.len()..]))
}

fn definition(body: &str) -> Option<(String, String)> {
    let rest = body.strip_prefix("%{")?;
    let (name, rest) = rest.split_once('}')?;
    let value = rest.trim_start().strip_prefix('=')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    Some((name.to_string(), value.trim().to_string()))
}

/// The substitutions in force at one line of a script.
///
/// Values are expanded when they are used, so a value may name a substitution
/// that is given a new value later.
#[derive(Default)]
pub struct Substitutions {
    table: BTreeMap<String, String>,
}

/// How deep a substitution may stand in the value of another.
const DEPTH: usize = 10;

impl Substitutions {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a name whatever it was before. One-letter names are also known
    /// without braces (`%s`).
    pub fn set(&mut self, name: &str, value: &str) {
        self.table.insert(name.to_string(), value.to_string());
    }

    /// `DEFINE:`; an error where the name is taken.
    pub fn define(&mut self, name: &str, value: &str) -> Result<(), String> {
        if self.table.contains_key(name) {
            return Err(format!(
                "%{{{name}}} is defined already; REDEFINE: changes it"
            ));
        }
        self.set(name, value);
        Ok(())
    }

    /// `REDEFINE:`; an error where the name is not known.
    pub fn redefine(&mut self, name: &str, value: &str) -> Result<(), String> {
        if !self.table.contains_key(name) {
            return Err(format!("%{{{name}}} is not defined; DEFINE: makes it"));
        }
        self.set(name, value);
        Ok(())
    }

    /// `text` with every substitution replaced, `%%` by one percent sign.
    pub fn expand(&self, text: &str) -> Result<String, String> {
        self.expand_at(text, 0)
    }

    fn expand_at(&self, text: &str, depth: usize) -> Result<String, String> {
        if depth > DEPTH {
            return Err(format!(
                "substitutions stand in each other more than {DEPTH} deep"
            ));
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            if let Some(braced) = after.strip_prefix('{') {
                let Some((name, tail)) = braced.split_once('}') else {
                    return Err("'%{' without a closing '}'".to_string());
                };
                let value = self
                    .table
                    .get(name)
                    .ok_or_else(|| format!("unknown substitution %{{{name}}}"))?;
                out.push_str(&self.expand_at(value, depth + 1)?);
                rest = tail;
            } else if let Some(tail) = after.strip_prefix('%') {
                out.push('%');
                rest = tail;
            } else {
                let letter = after.chars().next();
                let value = letter.and_then(|c| self.table.get(c.encode_utf8(&mut [0; 4]) as &str));
                match (letter, value) {
                    // As in lit, `%t` is replaced wherever it stands: `%t.o`, `%tmp`.
                    (Some(c), Some(value)) => {
                        out.push_str(&self.expand_at(value, depth + 1)?);
                        rest = &after[c.len_utf8()..];
                    }
                    _ => {
                        out.push('%');
                        rest = after;
                    }
                }
            }
        }
        out.push_str(rest);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Vec<String> {
        Script::parse(text)
            .unwrap()
            .directives
            .into_iter()
            .filter_map(|(_, d)| match d {
                Directive::Run(r) => Some(r),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn run_lines_join_over_backslashes() {
        assert_eq!(
            run("// RUN: a | \\\n// RUN:   b\n// RUN: c"),
            ["a | b", "c"]
        );
    }

    #[test]
    fn a_file_without_run_lines_is_an_error() {
        assert!(Script::parse("// CHECK: x\n").is_err());
        assert!(Script::parse("").is_err());
        assert!(Script::parse("// COM: RUN: x\n").is_err());
        assert!(Script::parse("// CHECK-RUN: x\n").is_err());
    }

    #[test]
    fn malformed_directives_are_errors() {
        for text in [
            "// RUN: a \\\n",
            "// RUN: a \\\n// CHECK: b\n",
            "// RUN:\n",
            "// RUN: a\n// DEFINE: x = y\n",
            "// RUN: a\n// DEFINE: %{} = y\n",
            "// RUN: a\n// XFAIL: *\n",
        ] {
            assert!(Script::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn substitutions_nest_and_are_expanded_at_use() {
        let mut t = Substitutions::new();
        t.set("s", "FILE");
        t.define("opts", "").unwrap();
        t.define("run", "tool %s %{opts}").unwrap();
        assert_eq!(
            t.expand("%{run}|x %s.y 100%% %z").unwrap(),
            "tool FILE |x FILE.y 100% %z"
        );
        t.redefine("opts", "-a").unwrap();
        assert_eq!(t.expand("%{run}").unwrap(), "tool FILE -a");
        assert!(t.define("opts", "x").is_err());
        assert!(t.redefine("nope", "x").is_err());
        assert!(t.expand("%{nope}").is_err());
        assert!(t.expand("%{open").is_err());
        t.redefine("opts", "%{run}").unwrap();
        assert!(t.expand("%{run}").is_err(), "a cycle");
    }
}
