//! Line markers of the preprocessor: `# 12 "file.c" 1 3`.

use std::sync::Arc;

/// Where the lines of a preprocessed text come from.
pub(super) struct Lines {
    /// Offset of the first byte of every line.
    starts: Vec<usize>,
    markers: Vec<Marker>,
    files: Vec<Arc<str>>,
}

struct Marker {
    /// The line that the marker is on, from 0. The first stands before the text.
    index: Option<usize>,
    file: usize,
    /// Of the line after the marker, from 1.
    line: u32,
    system: bool,
}

impl Lines {
    pub(super) fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut lines = Lines {
            starts: vec![0],
            markers: Vec::new(),
            files: Vec::new(),
        };
        let newlines = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n');
        lines.starts.extend(newlines.map(|(i, _)| i + 1));
        for index in 0..lines.starts.len() {
            if bytes.get(lines.starts[index]) != Some(&b'#') {
                continue;
            }
            let (start, end) = lines.range(text, index);
            if let Some((line, file, system)) = marker(&text[start..end]) {
                let last = lines.markers.last().map_or(0, |m| m.file);
                let file = match file {
                    None => last,
                    Some(name) => lines.file_index(&name),
                };
                lines.markers.push(Marker {
                    index: Some(index),
                    file,
                    line,
                    system,
                });
            }
        }
        if lines.files.is_empty() {
            lines.files.push("<unknown>".into());
        }
        let before = Marker {
            index: None,
            file: 0,
            line: 1,
            system: false,
        };
        lines.markers.insert(0, before);
        lines
    }

    fn file_index(&mut self, name: &str) -> usize {
        // The last files are the likely ones: includes nest.
        match self.files.iter().rposition(|f| **f == *name) {
            Some(known) => known,
            None => {
                self.files.push(name.into());
                self.files.len() - 1
            }
        }
    }

    /// The line of a byte, from 0; the last line for offsets past the end.
    pub(super) fn index(&self, offset: usize) -> usize {
        self.starts.partition_point(|&s| s <= offset).max(1) - 1
    }

    pub(super) fn start(&self, index: usize) -> usize {
        self.starts[index]
    }

    /// The bytes of a line without its line end.
    pub(super) fn range(&self, text: &str, index: usize) -> (usize, usize) {
        let start = self.starts[index];
        let end = match self.starts.get(index + 1) {
            Some(next) => next - 1,
            None => text.len(),
        };
        (start, end)
    }

    fn marker_of(&self, index: usize) -> &Marker {
        // The marker before all text is below every index.
        let after = self
            .markers
            .partition_point(|m| m.index.is_none_or(|i| i <= index));
        &self.markers[after - 1]
    }

    pub(super) fn is_marker(&self, index: usize) -> bool {
        self.marker_of(index).index == Some(index)
    }

    /// The file, and the line from 1, that a line comes from. A marker's own is the
    /// line that it announces.
    pub(super) fn origin(&self, index: usize) -> (usize, u32) {
        let marker = self.marker_of(index);
        let after = match marker.index {
            Some(at) => index.saturating_sub(at + 1),
            None => index,
        };
        // GCC announces its built-in definitions as line 0.
        let line = marker.line.saturating_add(after as u32).max(1);
        (marker.file, line)
    }

    pub(super) fn is_system(&self, index: usize) -> bool {
        self.marker_of(index).system
    }

    pub(super) fn file(&self, file: usize) -> Arc<str> {
        self.files[file].clone()
    }

    pub(super) fn main(&self) -> usize {
        0
    }

    /// The first and last of the lines around `index` that come from its original line.
    /// The preprocessor breaks a line where a macro of a system header begins and ends,
    /// and around `_Pragma`.
    pub(super) fn group(&self, text: &str, index: usize) -> (usize, usize) {
        let origin = self.origin(index);
        let same = |i: usize| {
            if self.is_marker(i) {
                return self.origin(i).0 == origin.0 || self.is_blank(text, i);
            }
            self.origin(i) == origin || (self.is_blank(text, i) && self.origin(i).0 == origin.0)
        };
        let real = |i: usize| !self.is_marker(i) && self.origin(i) == origin;
        let (mut first, mut last) = (index, index);
        let mut i = index;
        // A long run of blank lines ends a group: what belongs together stands close.
        while i > 0 && index - i < REACH && same(i - 1) {
            i -= 1;
            if real(i) {
                first = i;
            }
        }
        let mut i = index;
        while i + 1 < self.starts.len() && i - index < REACH && same(i + 1) {
            i += 1;
            if real(i) {
                last = i;
            }
        }
        (first, last)
    }

    fn is_blank(&self, text: &str, index: usize) -> bool {
        let (start, end) = self.range(text, index);
        text[start..end].bytes().all(|b| b.is_ascii_whitespace())
    }

    /// How many original lines lie between this line and the next that has text: those
    /// that a call of a macro over several lines took.
    pub(super) fn blank_after(&self, text: &str, index: usize) -> u32 {
        let (file, line) = self.origin(index);
        let next = (index + 1..self.starts.len()).find(|&i| {
            self.is_marker(i) && self.origin(i).0 != file
                || !self.is_marker(i) && !self.is_blank(text, i)
        });
        match next {
            Some(i) if self.origin(i).0 == file => {
                self.origin(i).1.saturating_sub(line).saturating_sub(1)
            }
            _ => {
                let last = next.unwrap_or(self.starts.len());
                (last - index).saturating_sub(1) as u32
            }
        }
    }
}

/// Lines looked at on each side for parts of the same original line.
const REACH: usize = 64;

/// The parts of a line marker: line, file if there is one, whether flag 3 is set.
fn marker(text: &str) -> Option<(u32, Option<String>, bool)> {
    let rest = text.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let line: u32 = rest.get(..digits)?.parse().ok()?;
    let rest = rest[digits..].trim();
    if rest.is_empty() {
        return Some((line, None, false));
    }
    let quoted = rest.strip_prefix('"')?;
    let mut name = Vec::new();
    let mut bytes = quoted.bytes().enumerate().peekable();
    let mut end = None;
    while let Some((i, b)) = bytes.next() {
        match b {
            b'"' => {
                end = Some(i + 1);
                break;
            }
            b'\\' => {
                let mut code = None;
                while let Some(&(_, d @ b'0'..=b'7')) = bytes.peek() {
                    code = Some(code.unwrap_or(0u32) * 8 + u32::from(d - b'0'));
                    bytes.next();
                    if code > Some(31) {
                        break;
                    }
                }
                match code {
                    Some(code) => name.push(code as u8),
                    None => name.extend(bytes.next().map(|(_, b)| b)),
                }
            }
            _ => name.push(b),
        }
    }
    let flags = &quoted[end?..];
    let system = flags.split_ascii_whitespace().any(|f| f == "3");
    let name = String::from_utf8(name)
        .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Some((line, Some(name), system))
}

#[cfg(test)]
mod tests {
    use super::marker;

    #[test]
    fn the_forms_of_a_marker() {
        let file = |line, name: &str, system| Some((line, Some(name.to_string()), system));
        assert_eq!(marker("# 12 \"a.c\" 2 3 4"), file(12, "a.c", true));
        assert_eq!(marker("#line 3 \"a b.c\""), file(3, "a b.c", false));
        assert_eq!(marker("# 7"), Some((7, None, false)));
        assert_eq!(
            marker(r#"# 1 "a\\b\"c\303\251""#),
            file(1, "a\\b\"c\u{e9}", false)
        );
        assert_eq!(marker("#pragma acc loop"), None);
        assert_eq!(marker("# 1 \"open"), None);
        assert_eq!(marker("# 99999999999 \"a\""), None);
        assert_eq!(marker("# 1 \"a\\"), None);
    }
}
