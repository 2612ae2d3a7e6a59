//! What a machine has, and the expressions of `REQUIRES:` and `UNSUPPORTED:`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every feature a test may name, and whether it is here.
///
/// A name that is not in the table is an error, so that a misspelt feature
/// does not silently put a test out of use.
#[derive(Debug, Clone, Default)]
pub struct Features {
    known: BTreeMap<String, bool>,
}

impl Features {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The table with one more feature.
    pub fn with(mut self, name: &str, available: bool) -> Self {
        self.known.insert(name.to_string(), available);
        self
    }

    /// Whether a feature is known and here.
    pub fn has(&self, name: &str) -> bool {
        self.known.get(name).copied().unwrap_or(false)
    }

    /// The value of an expression of names, `!`, `&&`, `||` and parentheses.
    pub fn evaluate(&self, expression: &str) -> Result<bool, String> {
        let tokens = tokens(expression)?;
        let mut parser = Parser {
            features: self,
            tokens: &tokens,
            at: 0,
            depth: 0,
        };
        let value = parser.any()?;
        match parser.peek() {
            None => Ok(value),
            Some(t) => Err(format!(
                "unexpected '{t}' in feature expression '{expression}'"
            )),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("&&") || rest.starts_with("||") {
            2
        } else if matches!(first, '!' | '(' | ')') {
            1
        } else {
            let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '=');
            let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!(
                    "unexpected '{first}' in feature expression '{text}'"
                ));
            }
            end
        };
        out.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

struct Parser<'a> {
    features: &'a Features,
    tokens: &'a [String],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<bool, String> {
        let mut value = self.all()?;
        while self.eat("||") {
            value |= self.all()?;
        }
        Ok(value)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut value = self.one()?;
        while self.eat("&&") {
            value &= self.one()?;
        }
        Ok(value)
    }

    fn one(&mut self) -> Result<bool, String> {
        self.depth += 1;
        if self.depth > 64 {
            return Err("feature expression is nested too deep".to_string());
        }
        let value = if self.eat("!") {
            !self.one()?
        } else if self.eat("(") {
            let value = self.any()?;
            if !self.eat(")") {
                return Err("expected ')' in feature expression".to_string());
            }
            value
        } else {
            let name = self.peek().unwrap_or("").to_string();
            self.at += 1;
            *self.features.known.get(&name).ok_or_else(|| {
                let known: Vec<&str> = self.features.known.keys().map(String::as_str).collect();
                format!("unknown feature '{name}' (known: {})", known.join(", "))
            })?
        };
        self.depth -= 1;
        Ok(value)
    }
}

/// The environment variable that names, with commas between them, what a machine must
/// have: a test that lacks it fails instead of being skipped. `.ci/run` sets it, so that
/// what could not be installed does not pass for what was tested.
pub const REQUIRE: &str = "TERRACE_REQUIRE";

/// What [`REQUIRE`] names.
pub fn required() -> Vec<String> {
    let names = std::env::var(REQUIRE).unwrap_or_default();
    let names = names.split(',').map(str::trim).filter(|n| !n.is_empty());
    names.map(str::to_string).collect()
}

/// Says that a test, or a part of it, does not run since the machine lacks `feature`.
///
/// # Panics
///
/// If [`REQUIRE`] names the feature.
pub fn skip(feature: &str, what: &str) {
    assert!(
        !required().iter().any(|r| r == feature),
        "{what}: {REQUIRE} names {feature}, and it was not found"
    );
    // Past the test harness, which keeps to itself what a passing test prints. Where
    // nobody listens nothing is lost.
    let _ = writeln!(std::io::stderr(), "SKIPPED {what}: there is no {feature}");
}

/// The first of `folders` and then of PATH that holds an executable file of
/// that name.
pub fn find_program(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders
        .iter()
        .cloned()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|candidate| is_executable(candidate))
}

/// With what [`valgrind`] ends where something is wrong with how memory is used.
pub const MEMORY_ERROR: i32 = 97;

/// `valgrind`, to which a program and its arguments are still to be added, or nothing
/// where there is none, which is said as by [`skip`]. It ends with [`MEMORY_ERROR`] where
/// the program accesses memory that is not its own, or decides by memory that nobody has
/// written, also in code that the program has only made while it ran. What lies up to 4096
/// bytes beyond an allocation is nobody's.
///
/// # Panics
///
/// As [`skip`].
pub fn valgrind(what: &str) -> Option<Command> {
    let Some(program) = find_program("valgrind", &[]) else {
        skip("valgrind", what);
        return None;
    };
    let mut command = Command::new(program);
    command.args([
        "-q",
        &format!("--error-exitcode={MEMORY_ERROR}"),
        "--smc-check=all-non-file",
        "--leak-check=no",
        "--redzone-size=4096",
        "--num-callers=8",
    ]);
    Some(command)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let f = Features::new().with("a", true).with("b-c", false);
        for (text, value) in [
            ("a", true),
            ("!a", false),
            ("a && b-c", false),
            ("a || b-c", true),
            ("!(a && b-c)", true),
            ("b-c || a && a", true),
        ] {
            assert_eq!(f.evaluate(text), Ok(value), "{text}");
        }
        for text in ["", "nope", "a &&", "(a", "a a", "a & b", "!"] {
            assert!(f.evaluate(text).is_err(), "{text}");
        }
        assert!(f.evaluate(&"(".repeat(100_000)).is_err());
    }
}
