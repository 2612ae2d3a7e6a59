//! Line markers: which line of which file the compiler thinks it reads, and text that
//! does not disturb it.
//!
//! Text of our own stands on lines with the flag of system headers, which keeps the
//! compiler's warnings about style away from it, and belongs to the line of the source
//! that it was made for.

use std::fmt::Write as _;

/// The markers of a preprocessed text, to be looked up by offset.
#[derive(Debug)]
pub struct Markers<'a> {
    text: &'a str,
    starts: Vec<usize>,
    markers: Vec<Marker<'a>>,
}

#[derive(Debug)]
struct Marker<'a> {
    /// The index of the marker's line.
    index: usize,
    /// Of the line after it.
    line: u64,
    /// With its quotes; empty if none was named yet.
    file: &'a str,
    /// ` 3` or ` 3 4`: the flags that describe the lines behind.
    flags: &'a str,
}

impl<'a> Markers<'a> {
    pub fn new(text: &'a str) -> Markers<'a> {
        let mut markers: Vec<Marker> = Vec::new();
        let mut starts = Vec::new();
        let mut at = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            starts.push(at);
            at += line.len();
            if let Some((number, file, flags)) = parse(line.trim_end()) {
                let before = markers.last().map_or("", |m| m.file);
                markers.push(Marker {
                    index,
                    line: number,
                    file: if file.is_empty() { before } else { file },
                    flags,
                });
            }
        }
        if starts.is_empty() || text.ends_with('\n') {
            starts.push(at);
        }
        Markers {
            text,
            starts,
            markers,
        }
    }

    fn index(&self, at: usize) -> usize {
        self.starts.partition_point(|&s| s <= at).max(1) - 1
    }

    /// The marker that gives line `index` its place, in the compiler's syntax, for text
    /// that continues that line, or for text of ours.
    fn marker(&self, index: usize, own: bool) -> String {
        let after = self.markers.partition_point(|m| m.index < index);
        let (line, file, flags) = match after.checked_sub(1).map(|i| &self.markers[i]) {
            Some(m) => (
                m.line.saturating_add((index - m.index - 1) as u64),
                m.file,
                m.flags,
            ),
            None => (index as u64 + 1, "", ""),
        };
        let file = if file.is_empty() { "\"\"" } else { file };
        format!("# {line} {file}{}", if own { " 3" } else { flags })
    }

    /// `code` in place of whole lines `start..end`, without the last line end, such as
    /// a directive has.
    pub fn instead_of(&self, start: usize, end: usize, code: &str) -> String {
        let mut out = String::new();
        let index = self.index(start);
        if start != self.starts[index] {
            out.push('\n');
        }
        let own = self.marker(index, true);
        let _ = write!(out, "{own}\n{code}\n");
        let next = self.index(end) + 1;
        out.push_str(&self.marker(next, false));
        if self.starts.get(next).is_none() {
            out.push('\n');
        }
        out
    }

    /// `code` within the line at `at`; what follows keeps its line and column.
    pub fn within(&self, at: usize, code: &str) -> String {
        let index = self.index(at);
        let start = self.starts[index];
        let mut out = String::new();
        if at != start {
            out.push('\n');
        }
        let own = self.marker(index, true);
        let _ = write!(out, "{own}\n{code}\n{}\n", self.marker(index, false));
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.lines().next().is_none_or(|l| l.trim().is_empty()) {
            return out;
        }
        // A tab is as wide as the compiler thinks, so it stays one.
        let before = self.text.get(start..at).unwrap_or_default();
        out.extend(before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }));
        out
    }

    /// Where declarations of our own can go: the first line that is no marker.
    pub fn head(&self) -> usize {
        let text = |i: usize| {
            let end = self.starts.get(i + 1).copied();
            &self.text[self.starts[i]..end.unwrap_or(self.text.len())]
        };
        let real = |i: &usize| {
            let line = text(*i).trim();
            !line.is_empty() && parse(line).is_none()
        };
        let found = (0..self.starts.len()).find(real);
        found.map_or(self.text.len(), |i| self.starts[i])
    }
}

/// What takes the place of a directive that leaves nothing: its line ends.
pub fn blank(text: &str) -> String {
    text.chars().filter(|c| *c == '\n').collect()
}

/// Line, file with its quotes, and descriptive flags of a line marker.
fn parse(line: &str) -> Option<(u64, &str, &str)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits)?.parse().ok()?;
    let rest = rest[digits..].trim_start();
    if rest.is_empty() {
        return Some((number, "", ""));
    }
    let mut escaped = false;
    let close = rest.bytes().enumerate().skip(1).find(|&(_, b)| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    });
    let end = close.filter(|_| rest.starts_with('"'))?.0 + 1;
    let flags = rest[end..].find('3').map_or("", |i| &rest[end + i - 1..]);
    Some((number, &rest[..end], flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# 1 \"a.c\"\nint x;\n\n#pragma acc wait\nint y;\n\
                        # 7 \"h \\\"q\\\".h\" 1 3 4\nint z; int u;\n";

    #[test]
    fn places_before_and_after() {
        let m = Markers::new(TEXT);
        let start = TEXT.find("#pragma").unwrap();
        let end = start + "#pragma acc wait".len();
        assert_eq!(
            m.instead_of(start, end, "f();"),
            "# 3 \"a.c\" 3\nf();\n# 4 \"a.c\""
        );
        let at = TEXT.find("int u").unwrap();
        assert_eq!(
            m.within(at, "g();"),
            "\n# 7 \"h \\\"q\\\".h\" 3\ng();\n# 7 \"h \\\"q\\\".h\" 3 4\n       "
        );
        assert_eq!(m.head(), TEXT.find("int x").unwrap());
    }

    #[test]
    fn a_directive_over_several_lines_and_at_the_end() {
        let text = "# 5 \"a.c\"\n#pragma acc \\\n wait";
        let m = Markers::new(text);
        assert_eq!(
            m.instead_of(10, text.len(), "f();"),
            "# 5 \"a.c\" 3\nf();\n# 7 \"a.c\"\n"
        );
        assert_eq!(blank(&text[10..]), "\n");
    }

    #[test]
    fn texts_without_markers() {
        let m = Markers::new("int x;");
        assert_eq!(m.within(6, "c"), "\n# 1 \"\" 3\nc\n# 1 \"\"\n");
        assert_eq!(m.within(4, "c"), "\n# 1 \"\" 3\nc\n# 1 \"\"\n    ");
        assert_eq!(m.head(), 0);
        assert_eq!(Markers::new("").head(), 0);
        assert_eq!(Markers::new("# 1 \"a\"\n\n").head(), 9);
    }

    #[test]
    fn tabs_stay() {
        let m = Markers::new("\tx");
        assert!(m.within(1, "c").ends_with("\n\t"));
    }
}
