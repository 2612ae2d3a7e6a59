//! Comments, which the parser passes over, put into a text that was printed.
//!
//! Ops and the ends of regions stand in the same order in a text and in what is printed of it. So a comment
//! on lines of its own goes in front of the op, or the closing brace, that it stood in front of. One behind
//! code goes behind the first line of the op that it stood in or behind.

use terrace_ir::text::places::Places;

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment<'t> {
    /// Its first byte.
    start: u32,
    /// From `//` to the end of the line, without space there.
    text: &'t str,
    /// There is nothing in front of it on its line.
    alone: bool,
    /// A blank line is in front of it.
    blank_before: bool,
}

/// All comments of a text, in order.
pub fn of(text: &str) -> Vec<Comment<'_>> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && !matches!(bytes[at], b'"' | b'\n') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
                let line = text[..at].rfind('\n').map_or(0, |i| i + 1);
                let above = text[..line].trim_end_matches([' ', '\t', '\r']);
                out.push(Comment {
                    start: at as u32,
                    text: text[at..end].trim_end(),
                    alone: text[line..at].trim().is_empty(),
                    blank_before: above.ends_with("\n\n") || above.ends_with("\n\r\n"),
                });
                at = end;
            }
            _ => at += 1,
        }
    }
    out
}

/// The places that are in both texts, in their order: starts of ops and ends of regions, as bytes, and
/// whether it is an end.
fn anchors(places: &Places) -> Vec<(u32, bool)> {
    let starts = places.ops.iter().map(|o| (o.span.start, false));
    // The first region is the file.
    let ends = places
        .regions
        .iter()
        .skip(1)
        .map(|r| (r.span.end.saturating_sub(1), true));
    let mut all: Vec<(u32, bool)> = starts.chain(ends).collect();
    all.sort_unstable();
    all
}

/// Puts the comments of a text into what was printed of it.
///
/// # Errors
///
/// Texts that do not have the same ops in the same order: a comment's place would be a guess.
pub fn put(
    comments: &[Comment],
    places: &Places,
    printed: &str,
    places_printed: &Places,
) -> Result<String, String> {
    if comments.is_empty() {
        return Ok(printed.to_string());
    }
    let (from, to) = (anchors(places), anchors(places_printed));
    let names =
        |p: &Places| -> Vec<&str> { p.ops.iter().map(|o| o.def.map_or("", |d| d.name)).collect() };
    if from.len() != to.len() || names(places) != names(places_printed) {
        return Err(
            "its comments would lose their places: what is printed has other ops".to_string(),
        );
    }
    let starts: Vec<u32> = printed
        .match_indices('\n')
        .map(|(i, _)| i as u32 + 1)
        .collect();
    let line_of = |at: u32| starts.partition_point(|s| *s <= at);
    let aliases = places.aliases.iter().filter_map(|a| a.definition);
    let first = aliases
        .map(|d| d.start)
        .chain(from.first().map(|a| a.0))
        .min();
    // What goes in front of each line, and behind it.
    let count = printed.lines().count();
    let mut front: Vec<Vec<(&Comment, bool)>> = vec![Vec::new(); count + 1];
    let mut behind: Vec<Vec<&str>> = vec![Vec::new(); count + 1];
    for c in comments {
        let next = from.partition_point(|a| a.0 < c.start);
        if first.is_none_or(|f| c.start < f) {
            // The head of the file.
            front[0].push((c, false));
        } else if c.alone {
            let (line, is_end) = to.get(next).map_or((count, false), |a| (line_of(a.0), a.1));
            front[line].push((c, is_end));
        } else {
            match next.checked_sub(1) {
                Some(before) => behind[line_of(to[before].0)].push(c.text),
                None => front[0].push((c, false)),
            }
        }
    }
    let mut out = String::with_capacity(printed.len() + 80 * comments.len());
    for (i, line) in printed.lines().chain([""]).enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        // What stands in front of a closing brace is as far in as what the braces are around.
        let in_braces = |end: bool| if end { "  " } else { "" };
        let mut above: Vec<(&str, bool, &str)> = (front[i].iter())
            .map(|(c, end)| (c.text, c.blank_before, in_braces(*end)))
            .collect();
        // One line takes one comment: further ones go above it.
        let mut own = behind[i].iter();
        let last = own.next_back();
        above.extend(own.map(|text| (*text, false, "")));
        for (text, blank, further) in above {
            if blank && !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
            out.push_str(indent);
            out.push_str(further);
            out.push_str(text);
            out.push('\n');
        }
        if i < count {
            out.push_str(line);
            if let Some(text) = last {
                out.push(' ');
                out.push_str(text);
            }
            out.push('\n');
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_and_strings_are_none() {
        let text = "// one\n\"a // b\" x // two\n\n  // three";
        let found: Vec<(&str, bool, bool)> = of(text)
            .iter()
            .map(|c| (c.text, c.alone, c.blank_before))
            .collect();
        let expected = [
            ("// one", true, false),
            ("// two", false, false),
            ("// three", true, true),
        ];
        assert_eq!(found, expected);
    }
}
