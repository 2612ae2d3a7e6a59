//! Whatever is said of C has a test: each message in the sources stands in one.
//!
//! A message is a string literal of three words or more. Of one with placeholders the
//! longest part between them has to be found, as it is, in a test: in a string of a test
//! in Rust, or in a file below `test/`.

use std::path::{Path, PathBuf};

/// Folders with the messages that are looked for.
const SOURCES: [&str; 6] = [
    "frontends/c/src",
    "frontends/dsl/src",
    "passes/src/region/map",
    "runtime/src/program",
    "src/array",
    "src/c",
];

/// Folders with tests.
const TESTS: [&str; 5] = ["frontends", "passes", "runtime", "src", "test"];

/// Files whose literals are no messages: help, names of the library's functions, C that is
/// written into the program, a device for tests, kernels in text, and a table whose rows are all tried.
const OTHER_LITERALS: [&str; 9] = [
    "driver/help.rs",
    "host/library.rs",
    "driver/flags/table.rs",
    "sema/expr/library.rs",
    "rewrite/declare.rs",
    "rewrite/preamble.rs",
    "rewrite/region/call.rs",
    "program/fake.rs",
    "array/radix.rs",
];

/// Messages that no test can bring about, and why.
const UNTESTED: [(&str, &str); 13] = [
    ("a fault of terrace's own", "something else is wrong then"),
    ("an error in the program", "stands where an error was said"),
    (
        "no thread to parse the file with: ",
        "the system has no more",
    ),
    (
        "could not start the thread of a stream",
        "the system has no more",
    ),
    ("terrace failed in a way that it should", "it does not"),
    ("the runtime panicked, which is a mistake", "it does not"),
    (
        "the function stands in a header",
        "only the file's own are shown",
    ),
    ("it runs in order", "a loop that does has a dependence"),
    ("terrace: no summary", "a panic at the end of a program"),
    ("terrace: no trace", "a panic at the end of a program"),
    (
        "is changed through a pointer or in a copied record",
        "what may change so is found before, in the statements",
    ),
    (
        "the system does not tell what can be read",
        "the systems that tests run on tell",
    ),
    (
        "this has no form for the CPU: ",
        "all of C that is translated has one",
    ),
];

#[test]
fn every_message_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    for f in TESTS.iter().flat_map(|d| files(&root.join(d))) {
        let text = std::fs::read_to_string(&f).unwrap_or_default();
        match f.extension().and_then(|e| e.to_str()) {
            Some("rs") => literals(tested(&f, &text)).for_each(|l| tests.push_str(&(l.1 + "\n"))),
            Some("c") if !f.to_string_lossy().contains("/src/") => {
                tests.push_str(&parts(&text, "{{", "}}").join("\n"));
            }
            Some("mlir") => tests.push_str(&text),
            _ => {}
        }
    }
    let tests = words(&tests);
    let mut missing = Vec::new();
    for f in SOURCES.iter().flat_map(|d| files(&root.join(d))) {
        let name = f.to_string_lossy().into_owned();
        if !name.ends_with(".rs") || OTHER_LITERALS.iter().any(|o| name.ends_with(o)) {
            continue;
        }
        let text = std::fs::read_to_string(&f).expect("a readable file");
        let production = &text[..text.len() - tested(&f, &text).len()];
        for (before, literal) in literals(production) {
            let line = words(&literal);
            let part = parts(&line, "{", "}").into_iter().max_by_key(|p| p.len());
            let part = part.unwrap_or_default();
            let excused = UNTESTED.iter().any(|(start, _)| line.contains(start));
            if is_prose(part) && !is_internal(before) && !excused && !tests.contains(part.trim()) {
                missing.push(format!("{name}: {literal:?}"));
            }
        }
    }
    assert!(missing.is_empty(), "no test names:\n{}", missing.join("\n"));
}

/// All files below a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            p if p.is_dir() => all.extend(files(&p)),
            p => all.push(p),
        }
    }
    all.sort();
    all
}

/// The part of a file that is tests.
fn tested<'a>(file: &Path, text: &'a str) -> &'a str {
    let name = file.to_string_lossy();
    if name.contains("/tests/")
        || name.contains("/test/")
        || name.ends_with("tests.rs")
        || name.ends_with("testing.rs")
    {
        return text;
    }
    let start = text.find("#[cfg(test)]\nmod ");
    let start = start.filter(|s| text[*s..].lines().nth(1).is_some_and(|l| l.ends_with('{')));
    &text[start.unwrap_or(text.len())..]
}

/// String literals of Rust, unescaped as far as it matters, each with the code before.
fn literals(code: &str) -> impl Iterator<Item = (&str, String)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &code[at..];
            let next = rest.find(['"', '/', '\''])?;
            let (before, from) = (&code[..at + next], &rest[next..]);
            let step = match from.as_bytes() {
                [b'/', b'/', ..] => from.find('\n').unwrap_or(from.len()),
                [b'\'', b'\\', ..] => 2 + from[2..].find('\'').unwrap_or(0),
                [b'\'', b'"', b'\'', ..] => 3,
                [b'"', ..] => {
                    let hashes = before.len() - before.trim_end_matches('#').len();
                    let raw = before.trim_end_matches('#').ends_with('r');
                    let end = match raw {
                        true => from[1..].find(&format!("\"{}", "#".repeat(hashes)))?,
                        false => unescaped_quote(&from[1..])?,
                    };
                    at += next + end + 2;
                    let text = &from[1..=end];
                    let text = text.replace("\\n", "\n").replace("\\\"", "\"");
                    return Some((before, text.replace("\\\n", "")));
                }
                _ => 1,
            };
            at += next + step;
        }
    })
}

fn unescaped_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|b| {
        let end = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        end
    })
}

/// What stands between placeholders.
fn parts<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let mut all = Vec::new();
    for piece in text.split(open) {
        all.push(piece.split_once(close).map_or(piece, |p| p.1));
    }
    all
}

/// With single blanks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Three words or more, and none of C's.
fn is_prose(text: &str) -> bool {
    let is_word = |w: &&str| {
        w.chars()
            .all(|c| c.is_alphabetic() || "',.:;`()".contains(c))
    };
    let code = ["__", "(long)", ");", "/*", "= schedule."];
    text.split(' ').filter(is_word).count() > 2 && !code.iter().any(|c| text.contains(c))
}

/// What no user of C sees: what panics say, what passes say of themselves, and faults.
fn is_internal(before: &str) -> bool {
    let before = before.trim_end();
    let direct = [
        "expect(",
        "unreachable!(",
        "reason =",
        "summary:",
        "description:",
        "doc:",
        ".name(",
    ];
    let count = |text: &str, c: char| text.matches(c).count();
    let is_open = |call: &str| {
        // `unwrap_or_default(` is another function than `fault(`.
        let last = before
            .match_indices(call)
            .filter(|(at, _)| !before[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
            .last();
        last.is_some_and(|(at, _)| count(&before[at..], '(') > count(&before[at..], ')'))
    };
    let calls = [
        "fault(",
        "OptionInfo::flag(",
        "OptionInfo::new(",
        "StatisticInfo::new(",
    ];
    direct.iter().any(|d| before.ends_with(d)) || calls.iter().any(|c| is_open(c))
}
