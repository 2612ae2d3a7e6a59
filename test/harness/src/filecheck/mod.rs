//! FileCheck in the test process: do the directives in one file describe what
//! another holds?
//!
//! The rules are those of LLVM's FileCheck, whose manual describes them. What
//! is not here: arithmetic by functions (`add(X, 1)`) in numeric blocks, and
//! numeric variables used in the line that sets them.
//!
//! - `directive`: which lines are checks, and of which kind.
//! - `pattern`, `numeric`, `posix`: one pattern, and its regular expression.
//! - `check`: the order in which patterns must match.
//! - `report`: the messages.

mod check;
mod directive;
mod numeric;
mod pattern;
mod posix;
mod report;

use std::borrow::Cow;
use std::path::Path;

use crate::tool::InProcessResult;
use check::Checker;
use pattern::Variables;
use report::{Report, Side};

/// What the options of FileCheck set, with FileCheck's defaults.
#[derive(Debug, Clone)]
pub struct Options {
    /// Check prefixes; none means `CHECK`.
    pub prefixes: Vec<String>,
    /// A line with one of these before its directive is no check.
    pub comment_prefixes: Vec<String>,
    /// Whether a prefix may have no directive.
    pub allow_unused_prefixes: bool,
    /// Whether the input may be empty.
    pub allow_empty: bool,
    /// Whether a positive pattern must match a whole line.
    pub match_full_lines: bool,
    /// Whether runs of blanks stay as they are.
    pub strict_whitespace: bool,
    /// Whether case matters not.
    pub ignore_case: bool,
    /// Whether a label ends the life of variables without a `$`.
    pub enable_var_scope: bool,
    /// Patterns that may not occur between positive matches.
    pub implicit_check_not: Vec<String>,
    /// `-DNAME=VALUE` and `-D#NAME=NUMBER`.
    pub definitions: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            prefixes: Vec::new(),
            comment_prefixes: vec!["COM".to_string(), "RUN".to_string()],
            allow_unused_prefixes: false,
            allow_empty: false,
            match_full_lines: false,
            strict_whitespace: false,
            ignore_case: false,
            enable_var_scope: false,
            implicit_check_not: Vec::new(),
            definitions: Vec::new(),
        }
    }
}

#[derive(Debug, Default)]
struct Request {
    options: Options,
    check_file: Option<String>,
    input_file: Option<String>,
}

/// The command `FileCheck ARGS`: exit status 0 where the input matches, 1
/// where it does not (the reason on standard error), 2 for a wrong call.
pub fn main(args: &[String], stdin: &[u8], folder: &Path) -> InProcessResult {
    let wrong = |m: String| {
        (
            2,
            Vec::new(),
            format!("FileCheck: error: {m}\n").into_bytes(),
        )
    };
    let request = match parse(args) {
        Ok(request) => request,
        Err(m) => return wrong(m),
    };
    let Some(check_file) = request.check_file else {
        return wrong("no check file".to_string());
    };
    let checks = match std::fs::read(folder.join(&check_file)) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(e) => return wrong(format!("{check_file}: {e}")),
    };
    let (name, input): (String, Cow<'_, [u8]>) = match &request.input_file {
        None => ("<stdin>".to_string(), Cow::Borrowed(stdin)),
        Some(file) if file == "-" => ("<stdin>".to_string(), Cow::Borrowed(stdin)),
        Some(file) => match std::fs::read(folder.join(file)) {
            Ok(bytes) => (file.clone(), Cow::Owned(bytes)),
            Err(e) => return wrong(format!("{file}: {e}")),
        },
    };
    let input = String::from_utf8_lossy(&input);
    match verify((&check_file, &checks), (&name, &input), &request.options) {
        Ok(()) => (0, Vec::new(), Vec::new()),
        Err(text) => (1, Vec::new(), text.into_bytes()),
    }
}

/// Matches `input` against the checks; each is a name and a text. The error is
/// what FileCheck would print.
pub fn verify(checks: (&str, &str), input: (&str, &str), options: &Options) -> Result<(), String> {
    let check_text = canonical(checks.1, options.strict_whitespace);
    let input_text = canonical(input.1, options.strict_whitespace);
    let mut report = Report::new((checks.0, &check_text), (input.0, &input_text));
    let groups = match directive::parse(&check_text, options) {
        Ok(groups) => groups,
        Err((Some(offset), m)) => {
            report.error(Side::Checks, offset, &m);
            return Err(report.out);
        }
        Err((None, m)) => return Err(format!("{}: error: {m}\n", checks.0)),
    };
    if input_text.is_empty() && !options.allow_empty {
        return Err(format!("FileCheck error: '{}' is empty.\n", input.0));
    }
    let variables = definitions(options)?;
    let scoped = options.enable_var_scope;
    let mut checker = Checker {
        input: &input_text,
        variables,
        scoped,
        report,
    };
    checker.run(&groups);
    if checker.report.out.is_empty() {
        Ok(())
    } else {
        Err(checker.report.out)
    }
}

fn definitions(options: &Options) -> Result<Variables, String> {
    let mut variables = Variables::default();
    for (name, value) in &options.definitions {
        match name.strip_prefix('#') {
            None => {
                variables.strings.insert(name.clone(), value.clone());
            }
            Some(name) => {
                let format = numeric::Format::default();
                let number = format
                    .parse(value)
                    .map_err(|m| format!("FileCheck: error: {m}\n"))?;
                variables.numbers.insert(name.to_string(), (number, format));
            }
        }
    }
    Ok(variables)
}

/// `text` with line ends as `\n` and, unless strict, each run of blanks as one space.
fn canonical(text: &str, strict: bool) -> String {
    let text = text.replace("\r\n", "\n");
    if strict {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        let now = matches!(c, ' ' | '\t');
        if !now {
            out.push(c);
        } else if !blank {
            out.push(' ');
        }
        blank = now;
    }
    out
}

fn parse(args: &[String]) -> Result<Request, String> {
    let mut request = Request::default();
    let options = &mut request.options;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if let Some(definition) = arg.strip_prefix("-D").filter(|d| !d.is_empty()) {
            let (name, value) = definition
                .split_once('=')
                .ok_or_else(|| format!("expected NAME=VALUE in '{arg}'"))?;
            options
                .definitions
                .push((name.to_string(), value.to_string()));
            continue;
        }
        let name = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
        let Some(name) = name.filter(|n| !n.is_empty()) else {
            if request.check_file.replace(arg.clone()).is_some() {
                return Err("more than one check file".to_string());
            }
            continue;
        };
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (name, None),
        };
        let mut value = || {
            value
                .clone()
                .or_else(|| args.next().cloned())
                .ok_or_else(|| format!("'{arg}' needs a value"))
        };
        match name {
            "check-prefix" | "check-prefixes" => options.prefixes.extend(prefixes(&value()?)?),
            "comment-prefixes" => options.comment_prefixes = prefixes(&value()?)?,
            "implicit-check-not" => options.implicit_check_not.push(value()?),
            "input-file" => request.input_file = Some(value()?),
            "match-full-lines" => options.match_full_lines = true,
            "strict-whitespace" => options.strict_whitespace = true,
            "allow-empty" => options.allow_empty = true,
            "allow-unused-prefixes" => {
                options.allow_unused_prefixes = !matches!(arg.split_once('='), Some((_, "false")))
            }
            "ignore-case" => options.ignore_case = true,
            "enable-var-scope" => options.enable_var_scope = true,
            // How much to print, which is fixed here.
            "dump-input" | "dump-input-filter" | "dump-input-context" => drop(value()?),
            "v" | "vv" | "color" => {}
            _ => return Err(format!("unknown option '{arg}'")),
        }
    }
    Ok(request)
}

fn prefixes(list: &str) -> Result<Vec<String>, String> {
    let good = |p: &str| {
        p.starts_with(|c: char| c.is_ascii_alphabetic())
            && p.chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    list.split(',')
        .map(|p| {
            if good(p) {
                Ok(p.to_string())
            } else {
                Err(format!("'{p}' is no check prefix"))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
