//! Explanations as text: for a terminal, and in the shape of `-Minfo`.

use std::fmt::Write as _;

use super::sentences::{self, Remark};
use super::{Explanation, file_of, line_of};

/// With the lines of the source quoted.
pub fn text(e: &Explanation) -> String {
    let mut out = String::new();
    for f in &e.functions {
        let remarks = sentences::function(f);
        if remarks.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{}:{}: {}", e.file, line_of(&f.place), f.name);
        for r in &remarks {
            out.push('\n');
            one(e, r, &mut out);
        }
    }
    if out.is_empty() {
        let _ = writeln!(out, "{}: no loops", e.file);
    }
    out
}

/// The column in which what is said begins.
const INDENT: &str = "        ";

fn one(e: &Explanation, r: &Remark, out: &mut String) {
    let (file, line) = (file_of(&r.place), line_of(&r.place));
    let source = e.sources.line(file, line).unwrap_or_default();
    // In a header, or where `#line` says so.
    if file != e.file && !file.is_empty() {
        let _ = writeln!(out, "  in {file}");
    }
    let _ = writeln!(
        out,
        "{}",
        format!("{line:>6}  {}", source.trim_end()).trim_end()
    );
    // A line that was quoted already is known.
    let mut quoted = vec![(file.to_string(), line)];
    for s in &r.sentences {
        let mark = match s.mark {
            sentences::Mark::Attention => "! ",
            _ => "- ",
        };
        let _ = writeln!(out, "{INDENT}{mark}{}", s.text);
        for (place, what) in &s.places {
            let at = sentences::place_text(&e.file, place);
            let parts: Vec<&str> = [at.as_str(), what.as_str()]
                .into_iter()
                .filter(|p| !p.is_empty())
                .collect();
            if parts.is_empty() {
                continue;
            }
            let _ = writeln!(out, "{INDENT}    {}", parts.join(": "));
            let line = (file_of(place).to_string(), line_of(place));
            if !quoted.contains(&line) {
                if let Some(q) = e.sources.line(&line.0, line.1) {
                    let _ = writeln!(out, "{INDENT}        {}", q.trim());
                }
                quoted.push(line);
            }
        }
    }
}

/// As compilers do with `-Minfo`: a function's name, then line by line what was done.
pub fn info(e: &Explanation) -> String {
    let mut out = String::new();
    for f in &e.functions {
        let remarks = sentences::function(f);
        // Loops of which nothing was asked are no news at compile time, unless they copy.
        let news = |r: &&Remark| {
            let line = line_of(&r.place);
            let attention = r
                .sentences
                .iter()
                .any(|s| s.mark == sentences::Mark::Attention);
            attention || !f.host_loops.iter().any(|l| line_of(&l.place) == line)
        };
        let remarks: Vec<&Remark> = remarks.iter().filter(news).collect();
        if remarks.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}: {}:", e.file, f.name);
        for r in remarks {
            for (i, s) in r.sentences.iter().enumerate() {
                let head = match i {
                    0 => format!("{:>7}, ", line_of(&r.place)),
                    _ => " ".repeat(9),
                };
                let _ = writeln!(out, "{head}{}", s.text);
                for (place, what) in &s.places {
                    let at = sentences::place_text(&e.file, place);
                    let parts: Vec<&str> = [at.as_str(), what.as_str()]
                        .into_iter()
                        .filter(|p| !p.is_empty())
                        .collect();
                    if !parts.is_empty() {
                        let _ = writeln!(out, "{}{}", " ".repeat(13), parts.join(": "));
                    }
                }
            }
        }
    }
    out
}
