//! Sentences of the pages are short: each has fewer than [`LIMIT`] words.
//!
//! Code, tables and headings are no prose. A list's item is a paragraph. Code within a
//! sentence counts as one word, and a link as its text. `docs/lab` keeps its texts as they
//! were written.

use std::fs;
use std::path::{Path, PathBuf};

const LIMIT: usize = 30;

/// The prose of a page: each paragraph with the line that it begins in, from 1.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let (mut fenced, mut open) = (false, false);
    for (i, line) in text.lines().enumerate() {
        let words = line.trim();
        if words.starts_with("```") {
            fenced = !fenced;
            open = false;
            continue;
        }
        // What is indented is code, but where a paragraph goes on.
        let code = fenced || (!open && line.starts_with("    "));
        if code || words.is_empty() || words.starts_with(['|', '#']) || words.starts_with("<!--") {
            open = false;
            continue;
        }
        match item(words) {
            Some(words) => all.push((i + 1, words.to_string())),
            None if !open => all.push((i + 1, words.to_string())),
            None => {
                let (_, last) = all.last_mut().expect("an open paragraph is there");
                last.push(' ');
                last.push_str(words);
            }
        }
        open = true;
    }
    all
}

/// The words of a line that begins an item of a list.
fn item(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < line.len() {
        return number.strip_prefix(". ");
    }
    line.strip_prefix("- ").or(line.strip_prefix("* "))
}

/// A paragraph with each piece of code as one word, and links as their texts.
fn plain(paragraph: &str) -> String {
    let mut out = String::new();
    let mut rest = paragraph;
    while let Some(at) = rest.find(['`', '(']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let is_address = from.starts_with('(') && before.ends_with(']');
        let close = if from.starts_with('`') { '`' } else { ')' };
        let end = from[1..].find(close);
        rest = match (from.starts_with('`') || is_address, end) {
            (true, Some(end)) => {
                out.push_str(if is_address { "" } else { "code" });
                &from[end + 2..]
            }
            _ => {
                out.push_str(&from[..1]);
                &from[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

fn sentences(paragraph: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    for word in plain(paragraph).split_whitespace() {
        if word.contains(char::is_alphanumeric) {
            all.last_mut().expect("one is open").push(word.to_string());
        }
        let bare = word.trim_end_matches([')', '"', '*', '_', ']']);
        if bare.ends_with(['.', '?', '!']) {
            all.push(Vec::new());
        }
    }
    all
}

/// `line: words: how it begins` of each sentence that is too long.
fn long(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (line, paragraph) in paragraphs(text) {
        for s in sentences(&paragraph) {
            if s.len() >= LIMIT {
                all.push(format!(
                    "{line}: {} words: {}...",
                    s.len(),
                    s[..8].join(" ")
                ));
            }
        }
    }
    all
}

/// The pages of `docs`, README.md and CONTRIBUTING.md.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    let docs = fs::read_dir(root.join("docs")).expect("docs/");
    pages.extend(docs.map(|e| e.expect("docs/").path()));
    pages.retain(|p| p.extension().is_some_and(|e| e == "md"));
    pages.sort();
    pages
}

#[test]
fn the_pages_have_short_sentences() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let long = long(&text).into_iter();
        wrong.extend(long.map(|l| format!("{}:{l}", page.display())));
    }
    assert!(
        wrong.is_empty(),
        "sentences of {LIMIT} words and more, found {}; make two of each:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_long_sentence_is_found() {
    let long_one = "word ".repeat(LIMIT - 1) + "end.";
    assert_eq!(long(&long_one).len(), 1);
    let text = format!("# A page\n\nShort.\n{long_one} Short.\n\n- {long_one}\n");
    let found = long(&text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("3: 30 words: word word"), "{found:?}");
    assert!(found[1].starts_with("6: "), "{found:?}");
}

#[test]
fn a_short_sentence_is_not() {
    let half = "word ".repeat(LIMIT - 3) + "end.";
    assert!(long(&half).is_empty());
    assert!(long(&format!("{half} (And {half}) {half}")).is_empty());
}

#[test]
fn code_and_tables_are_no_prose() {
    let words = "word ".repeat(LIMIT) + "end.";
    let text = format!(
        "```text\n{words}\n```\n\n    {words}\n\n| {words} |\n\nThe `{words}` is [one]({}).\n",
        words.replace(' ', "/")
    );
    assert!(long(&text).is_empty(), "{:?}", long(&text));
}

#[test]
fn a_line_that_goes_on_is_prose_wherever_it_begins() {
    let half = "word ".repeat(LIMIT / 2);
    assert_eq!(long(&format!("- {half}\n    {half} end.")).len(), 1);
}
