//! What must hold of any file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use terrace::c::translate::{TranslateOptions, translate};
use terrace::with_stack;

const NAME: &str = "mutated.c";
/// A file that takes longer is a mistake somewhere.
const LONG: Duration = Duration::from_secs(20);

/// What is wrong with what becomes of `text`.
pub fn check(text: &str, with_cc: bool) -> Result<(), String> {
    let marked = format!("# 1 \"{NAME}\"\n{text}");
    let options = TranslateOptions {
        file: NAME.into(),
        gpu: true,
        notes: true,
        ..TranslateOptions::default()
    };
    let start = Instant::now();
    let attempt = || catch_unwind(AssertUnwindSafe(|| translate(marked.clone(), &options)));
    let Ok(made) = with_stack(attempt) else {
        return Err("terrace panicked".into());
    };
    let took = start.elapsed();
    if took > LONG {
        return Err(format!("took {took:?}"));
    }
    let said = match &made {
        Err(e) => &e.text,
        Ok(Some(t)) => &t.messages,
        Ok(None) => "",
    };
    places(said, text.lines().count().max(1))?;
    if made.is_err() && !said.contains("error: ") {
        return Err(format!("refused without an error: {said}"));
    }
    // Nothing here, or no C: the compiler gets the text itself.
    let Ok(Some(made)) = &made else {
        return Ok(());
    };
    if !with_cc {
        return Ok(());
    }
    let (before, after) = (accepts(&marked), accepts(&made.text));
    if let (Ok(()), Err(why)) = (&before, &after) {
        return Err(format!(
            "cc took it, and not what was made of it: {why}\n{}",
            made.text
        ));
    }
    if let (Err(why), Ok(())) = (&before, &after) {
        return Err(format!(
            "cc does not take it, but what was made of it: {why}"
        ));
    }
    Ok(())
}

/// Each diagnostic is about a place in the file.
fn places(said: &str, lines: usize) -> Result<(), String> {
    for line in said.lines() {
        let kinds = ["error: ", "warning: ", "remark: "];
        let Some(end) = kinds.iter().filter_map(|k| line.find(k)).min() else {
            continue;
        };
        // Lines of the source are shown indented.
        if line.starts_with(' ') {
            continue;
        }
        let place = line[..end].trim_end().trim_end_matches(':');
        let mut parts = place.rsplitn(3, ':');
        let (column, row, file) = (parts.next(), parts.next(), parts.next());
        let number = |s: Option<&str>| s.and_then(|s| s.parse::<usize>().ok());
        let (Some(column), Some(row), Some(NAME)) = (number(column), number(row), file) else {
            return Err(format!("no place: {line}"));
        };
        // A file may end too early: the place is its end then.
        if row == 0 || row > lines + 1 || column == 0 {
            return Err(format!("a place outside the file: {line}"));
        }
        if line.contains("a fault of terrace's own") {
            return Err(line.into());
        }
    }
    Ok(())
}

/// Whether the system's compiler takes a preprocessed text, or what it says.
fn accepts(text: &str) -> Result<(), String> {
    let mut words = Command::new(std::env::var("CC").unwrap_or("cc".into()));
    words.args(["-fsyntax-only", "-w", "-x", "cpp-output", "-"]);
    words.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = words.spawn().expect("a C compiler");
    let mut input = child.stdin.take().expect("a pipe");
    // One that stops reading early has said why.
    let _ = std::io::Write::write_all(&mut input, text.as_bytes());
    drop(input);
    let out = child.wait_with_output().expect("the compiler ends");
    match out.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}
