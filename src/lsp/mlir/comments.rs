//! Comments, which the parser passes over, put into a text that was printed.
//!
//! Ops and the ends of regions stand in the same order in a text and in what is printed of it. So a comment
//! on lines of its own goes in front of the op, label or closing brace that it stood in front of. One behind
//! code goes behind the first line of the op that it stood in or behind.

use terrace_ir::text::places::{OpPlace, Places};

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

/// All comments of a text, in order, but for those that the printer writes behind labels.
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
                let comment = text[at..end].trim_end();
                if !is_of_printer(comment) {
                    out.push(Comment {
                        start: at as u32,
                        text: comment,
                        alone: text[line..at].trim().is_empty(),
                        blank_before: is_blank_above(&text[..line]),
                    });
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    out
}

/// Whether a text ends in a blank line, with space behind it.
fn is_blank_above(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '\t']);
    let Some(above) = text.strip_suffix('\n') else {
        return false;
    };
    above.trim_end_matches([' ', '\t', '\r']).ends_with('\n')
}

/// What stands in both texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Anchor {
    Op,
    Label,
    /// The brace that closes a region.
    End,
}

/// The ops that a text cannot leave out.
fn ops(places: &Places) -> impl Iterator<Item = &OpPlace> {
    let needed = |o: &&OpPlace| {
        let parent = o.parent.and_then(|p| places.ops[p].def);
        let implicit = parent.and_then(|d| d.implicit_terminator);
        implicit.is_none() || o.def.map(|d| d.name) != implicit
    };
    places.ops.iter().filter(needed)
}

/// The places that are in both texts, in their order.
fn anchors(places: &Places, labels: bool) -> Vec<(u32, Anchor)> {
    let ops = ops(places).map(|o| (o.span.start, Anchor::Op));
    let blocks = places.blocks.iter().filter(|_| labels);
    let blocks = blocks.filter_map(|b| Some((b.definition?.start, Anchor::Label)));
    // The first region is the file.
    let regions = places.regions.iter().skip(1);
    let ends = regions.map(|r| (r.span.end.saturating_sub(1), Anchor::End));
    let mut all: Vec<(u32, Anchor)> = ops.chain(blocks).chain(ends).collect();
    all.sort_unstable();
    all
}

/// Anchors of both texts, one for one; `None` where they differ.
fn paired(places: &Places, printed: &Places) -> Option<Vec<(u32, u32, Anchor)>> {
    let names = |p: &Places| -> Vec<&str> {
        let names = ops(p).map(|o| o.def.map_or("", |d| d.name));
        names.collect()
    };
    if names(places) != names(printed) {
        return None;
    }
    // The label of an entry block may be left out, or put in.
    [true, false].into_iter().find_map(|labels| {
        let (from, to) = (anchors(places, labels), anchors(printed, labels));
        let same = from.len() == to.len() && from.iter().zip(&to).all(|(a, b)| a.1 == b.1);
        same.then(|| from.iter().zip(&to).map(|(a, b)| (a.0, b.0, a.1)).collect())
    })
}

/// A comment that the printer writes behind labels.
fn is_of_printer(text: &str) -> bool {
    let rest = text.trim_start_matches("//").trim_start();
    let digits = rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    rest == "no predecessors" || rest.starts_with("pred: ^") || digits.starts_with("preds: ^")
}

/// A printed text without such comments.
pub fn without_those_of_printer(printed: &str) -> String {
    let mut out = String::with_capacity(printed.len());
    for line in printed.lines() {
        let label = line.trim_start().starts_with('^');
        let cut = line
            .rfind("  //")
            .filter(|i| label && is_of_printer(line[*i..].trim()));
        out.push_str(&line[..cut.unwrap_or(line.len())]);
        out.push('\n');
    }
    out
}

/// What goes with a line of the printed text.
#[derive(Debug, Clone, Default)]
struct Around<'t> {
    /// Comments above, each with whether a blank line is above it, and whether it stands at the end of a
    /// region.
    above: Vec<(&'t str, bool, bool)>,
    /// Comments behind.
    behind: Vec<&'t str>,
    /// A blank line is right above.
    blank: bool,
}

/// Puts the comments of a text, and its blank lines in front of ops, into what was printed of it.
///
/// # Errors
///
/// Texts that do not have the same ops in the same order: a comment's place would be a guess.
pub fn put(
    (text, places): (&str, &Places),
    (printed, places_printed): (&str, &Places),
) -> Result<String, String> {
    let comments = of(text);
    let Some(pairs) = paired(places, places_printed) else {
        return match comments.is_empty() {
            true => Ok(printed.to_string()),
            false => Err(
                "its comments would lose their places: what is printed has other ops".to_string(),
            ),
        };
    };
    let starts: Vec<u32> = printed
        .match_indices('\n')
        .map(|(i, _)| i as u32 + 1)
        .collect();
    let line_of = |at: u32| starts.partition_point(|s| *s <= at);
    let aliases = places
        .aliases
        .iter()
        .filter_map(|a| Some(a.definition?.start));
    let first = aliases.chain(pairs.first().map(|p| p.0)).min();
    // The last is for what stands behind all.
    let count = printed.lines().count();
    let mut lines: Vec<Around> = vec![Around::default(); count + 1];
    for c in &comments {
        let next = pairs.partition_point(|p| p.0 < c.start);
        let head = first.is_none_or(|f| c.start < f);
        match (head, c.alone, next.checked_sub(1)) {
            (false, false, Some(before)) => {
                lines[line_of(pairs[before].1)].behind.push(c.text);
            }
            (false, true, _) => {
                let at = pairs.get(next);
                let line = at.map_or(count, |p| line_of(p.1));
                let at_end = at.is_some_and(|p| p.2 == Anchor::End);
                lines[line].above.push((c.text, c.blank_before, at_end));
            }
            _ => lines[0].above.push((c.text, c.blank_before, false)),
        }
    }
    for (from, to, kind) in &pairs {
        let before = &text[..*from as usize];
        if *kind != Anchor::End && is_blank_above(before) {
            lines[line_of(*to)].blank = true;
        }
    }
    Ok(joined(printed, &lines))
}

fn joined(printed: &str, lines: &[Around]) -> String {
    let mut out = String::with_capacity(printed.len() * 2);
    let blank = |out: &mut String| {
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
    };
    let own = printed.lines().map(Some).chain([None]);
    for (line, around) in own.zip(lines) {
        let text = line.unwrap_or("");
        let indent = &text[..text.len() - text.trim_start().len()];
        // One line takes one comment: further ones go above it.
        let (further, last) = match around.behind.split_last() {
            Some((last, further)) => (further, Some(last)),
            None => (&[][..], None),
        };
        let further = further.iter().map(|text| (*text, false, false));
        for (comment, blank_before, at_end) in around.above.iter().copied().chain(further) {
            if blank_before {
                blank(&mut out);
            }
            out.push_str(indent);
            // As far in as what the braces are around.
            out.push_str(if at_end { "  " } else { "" });
            out.push_str(comment);
            out.push('\n');
        }
        if line.is_none() {
            break;
        }
        if around.blank {
            blank(&mut out);
        }
        out.push_str(text);
        if let Some(comment) = last {
            out.push(' ');
            out.push_str(comment);
        }
        out.push('\n');
    }
    out
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
