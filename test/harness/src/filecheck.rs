//! FileCheck in the test process, by the crate `litcheck-filecheck`.
//!
//! Runs of blanks are collapsed to one in the input and in the check file
//! before matching, unless `--strict-whitespace` is given: the crate skips
//! blanks between tokens, which is not what upstream does.

use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

use litcheck_filecheck::expr::CliVariable;
use litcheck_filecheck::litcheck::Symbol;
use litcheck_filecheck::litcheck::diagnostics::{FileName, Report, SourceLanguage, miette};
use litcheck_filecheck::{Config, Options, Test, TestFailed};
use miette::{Diagnostic, SourceCode};

use crate::tool::InProcessResult;

/// What the command line asks for.
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
    match verify((&check_file, &checks), (&name, &input), request.options) {
        Ok(()) => (0, Vec::new(), Vec::new()),
        Err(text) => (1, Vec::new(), text.into_bytes()),
    }
}

/// Matches `input` against the checks; each is a name and a text.
pub fn verify(checks: (&str, &str), input: (&str, &str), options: Options) -> Result<(), String> {
    let strict = options.strict_whitespace;
    let prepare = |text: &str| {
        if strict {
            text.replace("\r\n", "\n")
        } else {
            collapse(text)
        }
    };
    let config = Config {
        options,
        ..Config::default()
    };
    let load = |name: &str, text: String| {
        let name = FileName::from(name.to_string());
        config
            .source_manager()
            .load(SourceLanguage::Unknown, name, text)
    };
    config
        .options
        .validate()
        .map_err(|e| format!("error: {e}\n"))?;
    let texts = [(checks.0, prepare(checks.1)), (input.0, prepare(input.1))];
    let [check_file, input_file] = texts
        .each_ref()
        .map(|(name, text)| load(name, text.clone()));
    match Test::new(check_file, &config).verify(input_file) {
        Ok(_) => Ok(()),
        Err(report) => Err(explain(
            &report,
            &texts.each_ref().map(|(n, t)| (*n, t.as_str())),
        )),
    }
}

/// `text` with every run of blanks inside a line as one space. Blanks at the
/// start of a line stay, so that columns in messages are those of the file;
/// patterns do not begin there.
fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let body = line.trim_start_matches([' ', '\t']);
        out.push_str(&line[..line.len() - body.len()]);
        let mut blank = false;
        for c in body.chars() {
            let now = matches!(c, ' ' | '\t');
            if !now {
                out.push(c);
            } else if !blank {
                out.push(' ');
            }
            blank = now;
        }
        out.push('\n');
    }
    out
}

fn parse(args: &[String]) -> Result<Request, String> {
    let mut request = Request::default();
    let options = &mut request.options;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if let Some(definition) = arg.strip_prefix("-D").filter(|d| !d.is_empty()) {
            options.variables.push(CliVariable::from_str(definition)?);
            continue;
        }
        let Some(name) = arg
            .strip_prefix("--")
            .or_else(|| arg.strip_prefix('-'))
            .filter(|n| !n.is_empty())
        else {
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
            "check-prefix" | "check-prefixes" => {
                options.check_prefixes.extend(prefixes(&value()?)?)
            }
            "comment-prefixes" => options.comment_prefixes = prefixes(&value()?)?,
            "implicit-check-not" => options.implicit_check_not.push(Symbol::intern(value()?)),
            "input-file" => request.input_file = Some(value()?),
            "match-full-lines" => options.match_full_lines = true,
            "strict-whitespace" => options.strict_whitespace = true,
            "allow-empty" => options.allow_empty = true,
            "allow-unused-prefixes" => options.allow_unused_prefixes = true,
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

fn prefixes(list: &str) -> Result<Vec<Symbol>, String> {
    let good = |p: &str| {
        p.starts_with(|c: char| c.is_ascii_alphabetic())
            && p.chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    list.split(',')
        .map(|p| {
            if good(p) {
                Ok(Symbol::intern(p))
            } else {
                Err(format!("'{p}' is no check prefix"))
            }
        })
        .collect()
}

/// The texts a report speaks of, by name, as they were matched.
type Texts<'a> = [(&'a str, &'a str); 2];

/// A report as FileCheck words it: `file:line:column: error: ...`, the line,
/// and a caret below the place.
fn explain(report: &Report, texts: &Texts<'_>) -> String {
    let mut out = String::new();
    match report.downcast_ref::<TestFailed>() {
        Some(failed) if !failed.errors().is_empty() => {
            for error in failed.errors() {
                render(error, None, "error", texts, &mut out);
            }
        }
        _ => render(report.as_ref(), None, "error", texts, &mut out),
    }
    out
}

fn render(
    d: &dyn Diagnostic,
    outer: Option<&dyn SourceCode>,
    kind: &str,
    texts: &Texts<'_>,
    out: &mut String,
) {
    let source = d.source_code().or(outer);
    let message = d.to_string();
    let mut said = false;
    for label in d.labels().into_iter().flatten() {
        let text = if said {
            label.label().unwrap_or("here")
        } else {
            &message
        };
        let kind = if said { "note" } else { kind };
        match source.and_then(|s| place(s, *label.inner(), texts)) {
            Some((location, quoted)) => *out += &format!("{location}: {kind}: {text}\n{quoted}"),
            None => *out += &format!("{kind}: {text}\n"),
        }
        said = true;
    }
    if !said {
        *out += &format!("{kind}: {message}\n");
    }
    if let Some(help) = d.help() {
        *out += &format!("note: {help}\n");
    }
    for related in d.related().into_iter().flatten() {
        render(related, source, "note", texts, out);
    }
}

/// `name:line:column` of a span, and its line with carets below.
fn place(
    source: &dyn SourceCode,
    span: miette::SourceSpan,
    texts: &Texts<'_>,
) -> Option<(String, String)> {
    let found = source.read_span(&span, 0, 0).ok()?;
    let name = found.name()?;
    let text = texts.iter().find(|(n, _)| *n == name)?.1;
    let before = text.get(..span.offset())?;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let number = before.matches('\n').count() + 1;
    let line = text[start..].lines().next().unwrap_or("");
    let column = before[start..].chars().count();
    let rest = line.chars().count().saturating_sub(column).max(1);
    let width = span.len().clamp(1, rest);
    let quoted = format!("{line}\n{}^{}\n", " ".repeat(column), "~".repeat(width - 1));
    Some((format!("{name}:{number}:{}", column + 1), quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(checks: &str, input: &str, args: &[&str]) -> Result<(), String> {
        let args: Vec<String> = args.iter().map(|a| a.to_string()).collect();
        verify(
            ("t.mlir", checks),
            ("<stdin>", input),
            parse(&args).unwrap().options,
        )
    }

    #[test]
    fn right_checks_pass_and_wrong_ones_fail() {
        let input = "func @a {\n  %0 = add  %x, %y\n  return %0\n}\n";
        let good = "// CHECK-LABEL: func @a\n// CHECK: %[[R:.*]] = add   %x, %y\n// CHECK-NEXT: return %[[R]]\n// CHECK-NOT: sub\n";
        check(good, input, &[]).unwrap();
        for (from, to) in [
            ("add  ", "sub"),
            ("return %[[R]]", "return %x"),
            ("@a", "@b"),
            ("NOT: sub", "NOT: }"),
        ] {
            let bad = good.replace(from, to);
            assert_ne!(bad, good);
            assert!(check(&bad, input, &[]).is_err(), "{bad}");
        }
    }

    #[test]
    fn options_have_their_effect() {
        assert!(check("CHECK: a", "x a y\n", &[]).is_ok());
        assert!(check("CHECK: a", "x a y\n", &["--match-full-lines"]).is_err());
        assert!(check("CHECK: a b", "a  b\n", &[]).is_ok());
        assert!(check("CHECK: a b", "a  b\n", &["-strict-whitespace"]).is_err());
        assert!(check("CHECK: a", "a\nb\n", &["--implicit-check-not=b"]).is_err());
        assert!(check("CHECK: a", "a\nb\n", &["--implicit-check-not", "c"]).is_ok());
        assert!(check("CHECK: a\nX: b", "a\nb\n", &["-check-prefix=X"]).is_ok());
        assert!(check("CHECK: a\nX: c", "a\nb\n", &["-check-prefixes=CHECK,X"]).is_err());
        assert!(check("CHECK: a\n", "a\nb\n", &["-check-prefix=Y"]).is_err());
        assert!(check("CHECK: [[V]]", "a\n", &["-DV=a"]).is_ok());
        assert!(check("CHECK: [[V]]", "a\n", &["-DV=b"]).is_err());
        let words: Vec<String> = ["--nope", "x"].iter().map(|s| s.to_string()).collect();
        assert!(parse(&words).is_err());
    }

    #[test]
    fn garbage_fails() {
        assert!(check("", "a\n", &[]).is_err(), "no checks");
        assert!(check("no directive", "a\n", &[]).is_err());
        assert!(check("CHECK: a", "", &[]).is_err(), "no input");
        assert!(check("CHECK: {{[}}", "a\n", &[]).is_err(), "bad regex");
        assert!(check("CHECK: [[UNDEFINED]]", "a\n", &[]).is_err());
        assert!(check("CHECK-NEXT: a", "a\n", &[]).is_err(), "NEXT first");
        assert!(check("CHECK:", "a\n", &[]).is_err(), "an empty pattern");
    }

    #[test]
    fn a_failure_names_file_line_and_column() {
        let text = check("// x\n// CHECK: wanted\n", "found\n", &[]).unwrap_err();
        assert!(text.starts_with("t.mlir:2:11: error: "), "{text}");
        assert!(
            text.contains("\n// CHECK: wanted\n          ^~~~~~\n"),
            "{text}"
        );
    }
}
