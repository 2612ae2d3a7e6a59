//! Explanations as a page: the source, and beside its lines what is to say about them.
//! All in one file, for light and dark screens.

use std::fmt::Write as _;

use super::sentences::{self, Mark, Remark};
use super::{Explanation, file_of, line_of};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --soft: #6a7078;
  --line: #d9dde2; --code: #f6f7f9; --good: #1a7f37; --plain: #57606a; --attention: #b35900; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e9; --paper: #16181b;
  --soft: #949ba4; --line: #33383f; --code: #1d2024; --good: #4ac26b; --plain: #9da5ae;
  --attention: #f0a04b; } }
body { margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: var(--ink);
  background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
td { vertical-align: top; padding: 0 .6rem; }
td.n { text-align: right; color: var(--soft); user-select: none; width: 3rem; }
td.n a { color: inherit; text-decoration: none; }
td.c { background: var(--code); white-space: pre; tab-size: 8; width: 50%; }
td.n, td.c, code { font: 13px/1.5 ui-monospace, monospace; }
tr.noted td { border-top: 1px solid var(--line); padding-top: .2rem; padding-bottom: .2rem; }
tr:target td.c { outline: 2px solid var(--attention); }
p.s { margin: 0; padding-left: .6rem; border-left: 3px solid var(--plain); }
p.good { border-color: var(--good); } p.attention { border-color: var(--attention); }
ul { margin: 0 0 .2rem; padding-left: 2rem; color: var(--soft); } li a { color: inherit; }
.key span { border-left: 3px solid var(--plain); padding: 0 .6rem; }
.key .good { border-color: var(--good); } .key .attention { border-color: var(--attention); }
";

/// The page.
pub fn html(e: &Explanation) -> String {
    let mut out = String::new();
    let title = escape(&e.file);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"key\"><span class=\"good\">runs in parallel</span> <span>runs in order, or \
         for your information</span> <span class=\"attention\">worth a look</span></p>\n"
    );
    let remarks: Vec<Remark> = e.functions.iter().flat_map(sentences::function).collect();
    let mut here: Vec<&Remark> = Vec::new();
    let mut elsewhere: Vec<&Remark> = Vec::new();
    for r in &remarks {
        match file_of(&r.place) == e.file {
            true => here.push(r),
            false => elsewhere.push(r),
        }
    }
    let lines = e.sources.lines(&e.file);
    out.push_str("<div class=\"scroll\">\n<table>\n");
    for (i, line) in lines.iter().enumerate() {
        let n = i as u32 + 1;
        let of_line: Vec<&&Remark> = here.iter().filter(|r| line_of(&r.place) == n).collect();
        let class = if of_line.is_empty() {
            ""
        } else {
            " class=\"noted\""
        };
        let _ = write!(
            out,
            "<tr{class} id=\"L{n}\"><td class=\"n\"><a href=\"#L{n}\">{n}</a></td><td \
             class=\"c\">{}</td><td>",
            escape(line)
        );
        for r in of_line {
            sentences(e, r, &mut out);
        }
        out.push_str("</td></tr>\n");
    }
    out.push_str("</table>\n</div>\n");
    let unseen = |r: &&&Remark| line_of(&r.place) as usize > lines.len();
    elsewhere.extend(here.iter().filter(unseen));
    if !elsewhere.is_empty() {
        out.push_str("<h2>In other files</h2>\n");
        for r in elsewhere {
            let place = sentences::place_text("", &r.place);
            let source = e.sources.line(file_of(&r.place), line_of(&r.place));
            let _ = writeln!(
                out,
                "<p>{}: <code>{}</code></p>",
                escape(&place),
                escape(source.unwrap_or_default().trim())
            );
            sentences(e, r, &mut out);
        }
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn sentences(e: &Explanation, r: &Remark, out: &mut String) {
    for s in &r.sentences {
        let class = match s.mark {
            Mark::Good => "s good",
            Mark::Plain => "s",
            Mark::Attention => "s attention",
        };
        let _ = write!(out, "<p class=\"{class}\">{}</p>", escape(&s.text));
        let places: Vec<_> = s
            .places
            .iter()
            .filter(|(p, text)| line_of(p) > 0 || !text.is_empty())
            .collect();
        if places.is_empty() {
            continue;
        }
        out.push_str("<ul>");
        for (place, text) in places {
            let at = escape(&sentences::place_text(&e.file, place));
            let at = match file_of(place) == e.file {
                true => format!("<a href=\"#L{}\">{at}</a>", line_of(place)),
                false => at,
            };
            let parts: Vec<String> = [at, escape(text)]
                .into_iter()
                .filter(|p| !p.is_empty())
                .collect();
            let _ = write!(out, "<li>{}</li>", parts.join(": "));
        }
        out.push_str("</ul>");
    }
}

/// Text in HTML and SVG.
pub(super) fn escape(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in either, not even as a reference.
            c if c.is_control() && c != '\t' && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
