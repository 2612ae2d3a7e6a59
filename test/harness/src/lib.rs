//! Runs a test file by the commands that stand in it, as LLVM's `lit` does.
//!
//! A test file is an input (`.mlir`, `.c`) with comment lines that say how to
//! run it and what must come out:
//!
//! ```text
//! // RUN: terrace-opt %s -canonicalize | FileCheck %s
//! // CHECK: return %arg0
//! ```
//!
//! - [`script`] reads the directives: `RUN:`, `DEFINE:`, `REDEFINE:`,
//!   `REQUIRES:`, `UNSUPPORTED:`.
//! - [`shell`] parses a RUN line and runs its commands one after another.
//! - [`tool`] is what a command may be: a process, or a function of this one.
//! - [`filecheck`] is FileCheck inside the test process.
//! - [`random`] has the numbers of tests that make their inputs.
//!
//! There is no `XFAIL`: a test either holds or is not there. A file without a
//! RUN line, with an unknown feature or with an unknown substitution fails.

#![warn(missing_docs)]

mod builtin;
pub mod feature;
pub mod filecheck;
pub mod random;
pub mod script;
pub mod shell;
mod split_file;
pub mod tool;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use feature::Features;
use script::{Directive, Script};
use tool::Tool;

/// What the tests of one run share: the tools, the features, the limits.
pub struct Suite {
    /// Tools by the name under which RUN lines call them. A name that is not
    /// here is looked up among the built-in commands, then in PATH.
    pub tools: BTreeMap<String, Arc<dyn Tool>>,
    /// What this machine has, for `REQUIRES:` and `UNSUPPORTED:`.
    pub features: Features,
    /// Substitutions beside the usual ones, without the percent sign and the
    /// braces: `("ptxas", "/opt/bin/ptxas")` makes `%{ptxas}`.
    pub substitutions: Vec<(String, String)>,
    /// Where `%t` files go. Each test has its own folder below it.
    pub scratch: PathBuf,
    /// Longest time one command may take.
    pub timeout: Duration,
    /// Features without which a test that asks for them fails instead of being skipped.
    pub required: Vec<String>,
}

/// How a test ended, when it did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every RUN line succeeded.
    Passed,
    /// The machine lacks something; the text says what.
    Skipped(String),
}

/// Why a test failed, as text for a person.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// Test runners print errors by `Debug`; escaped newlines would be unreadable.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl Suite {
    /// A suite without tools of its own, with a limit of 60 s a command. What
    /// [`feature::REQUIRE`] names is required.
    pub fn new(scratch: PathBuf, features: Features) -> Self {
        Suite {
            tools: BTreeMap::new(),
            features,
            substitutions: Vec::new(),
            scratch,
            timeout: Duration::from_secs(60),
            required: feature::required(),
        }
    }

    /// Registers a tool under the name by which RUN lines call it.
    pub fn tool(mut self, name: &str, tool: Arc<dyn Tool>) -> Self {
        self.tools.insert(name.to_string(), tool);
        self
    }

    /// Runs one test file; on failure the error holds the whole report.
    pub fn run_file(&self, file: &Path) -> Result<Outcome, Failure> {
        let file =
            std::path::absolute(file).map_err(|e| Failure(format!("{}: {e}", file.display())))?;
        let bytes =
            std::fs::read(&file).map_err(|e| Failure(format!("{}: {e}", file.display())))?;
        let text = String::from_utf8_lossy(&bytes);
        let script = Script::parse(&text)
            .map_err(|(line, m)| Failure(format!("{}:{line}: error: {m}", file.display())))?;
        if let Some(reason) = self.reason_to_skip(&file, &script)? {
            return Ok(Outcome::Skipped(reason));
        }
        self.run_script(&file, &script)?;
        Ok(Outcome::Passed)
    }

    fn reason_to_skip(&self, file: &Path, script: &Script) -> Result<Option<String>, Failure> {
        for (line, directive) in &script.directives {
            let (text, wanted, word) = match directive {
                Directive::Requires(text) => (text, true, "requires"),
                Directive::Unsupported(text) => (text, false, "unsupported with"),
                _ => continue,
            };
            // `REQUIRES: a, b` wants every one; `UNSUPPORTED: a, b` any one.
            for part in text.split(',').map(str::trim) {
                let holds = self
                    .features
                    .evaluate(part)
                    .map_err(|m| Failure(format!("{}:{line}: error: {m}", file.display())))?;
                if holds != wanted {
                    if wanted && let Some(missing) = self.required_by(part) {
                        return Err(Failure(format!(
                            "{}:{line}: error: it requires {part}; {} names {missing}, and it \
                             was not found",
                            file.display(),
                            feature::REQUIRE
                        )));
                    }
                    return Ok(Some(format!("{word} {part}")));
                }
            }
        }
        Ok(None)
    }

    /// A required feature that is not here, where an expression would hold with all that
    /// is required.
    fn required_by(&self, expression: &str) -> Option<&str> {
        let names = || self.required.iter().map(String::as_str);
        let all = names().fold(self.features.clone(), |all, name| all.with(name, true));
        let missing = names().find(|name| !self.features.has(name))?;
        (all.evaluate(expression) == Ok(true)).then_some(missing)
    }

    fn run_script(&self, file: &Path, script: &Script) -> Result<(), Failure> {
        let io = |e: std::io::Error| Failure(format!("{}: {e}", file.display()));
        let folder = self.scratch.join(scratch_name(file));
        // Leftovers of an earlier run must not make a test pass.
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(io)?;
        }
        std::fs::create_dir_all(&folder).map_err(io)?;
        let parent = file.parent().unwrap_or(Path::new(".")).to_path_buf();
        let mut table = script::Substitutions::new();
        for (name, value) in [
            ("s", file.to_path_buf()),
            ("S", parent),
            ("t", folder.join("tmp")),
            ("T", folder.clone()),
        ] {
            table.set(name, &shell::quote(&value.to_string_lossy()));
        }
        for (name, value) in &self.substitutions {
            table.set(name, value);
        }
        let mut session = shell::Session::new(self, folder);
        for (line, directive) in &script.directives {
            let at = |m: String| Failure(format!("{}:{line}: error: {m}", file.display()));
            match directive {
                Directive::Define(name, value) => table.define(name, value).map_err(at)?,
                Directive::Redefine(name, value) => table.redefine(name, value).map_err(at)?,
                Directive::Run(text) => {
                    let expanded = table.expand(text).map_err(at)?;
                    session
                        .run_line(&expanded)
                        .map_err(|why| at(format!("RUN line failed\n  RUN: {expanded}\n{why}")))?;
                }
                Directive::Requires(_) | Directive::Unsupported(_) => {}
            }
        }
        Ok(())
    }
}

/// A folder name that no other test file shares: the end of the path, made
/// harmless, and a hash of the whole path.
fn scratch_name(file: &Path) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    file.hash(&mut hasher);
    let stem: String = file
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '.' || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    format!("{stem}-{:016x}", hasher.finish())
}
