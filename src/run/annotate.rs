//! Source lines between the lines of PTX.
//!
//! What a `.loc` line points to is put above it as a comment, each time the line of the
//! source changes:
//!
//! ```text
//!     // scale.mlir:4: %x = affine.load %a[%i] : memref<?xf32>
//!     .loc 1 4 10
//!     ld.global.f32 %f1, [%rd5];
//! ```

use std::collections::HashMap;

/// The text with the lines of its sources, which `read` gives by the names that stand in
/// `.file` lines. Of a source that cannot be read only places are shown.
pub(super) fn annotate(ptx: &str, mut read: impl FnMut(&str) -> Option<String>) -> String {
    let mut files: HashMap<u32, (String, Vec<String>)> = HashMap::new();
    for line in ptx.lines() {
        if let Some((number, name)) = file_line(line) {
            let text = read(&name).unwrap_or_default();
            let lines = text.lines().map(|l| l.trim().to_string()).collect();
            files.insert(number, (name, lines));
        }
    }
    let mut out = String::with_capacity(ptx.len() * 2);
    let mut last = None;
    for line in ptx.lines() {
        if line.starts_with('}') {
            last = None;
        }
        if let Some((file, number)) = loc_line(line)
            && last != Some((file, number))
        {
            last = Some((file, number));
            if let Some((name, lines)) = files.get(&file) {
                let at = (number as usize).checked_sub(1);
                let text = at.and_then(|at| lines.get(at)).map_or("", |l| l.as_str());
                let comment = format!("\t// {name}:{number}: {text}");
                out.push_str(comment.trim_end_matches([' ', ':']));
                out.push('\n');
            }
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The number and the name of a `.file 1 "name"` line.
fn file_line(line: &str) -> Option<(u32, String)> {
    let rest = line.strip_prefix(".file ")?;
    let (number, name) = rest.split_once(' ')?;
    let quoted = name.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut name = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        name.push(if c == '\\' { chars.next()? } else { c });
    }
    Some((number.parse().ok()?, name))
}

/// The file's number and the line of a `.loc 1 12 3` line.
fn loc_line(line: &str) -> Option<(u32, u32)> {
    let rest = line.trim_start().strip_prefix(".loc ")?;
    let mut words = rest.split_whitespace();
    let file = words.next()?.parse().ok()?;
    Some((file, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::annotate;

    #[test]
    fn a_line_is_shown_once_per_change() {
        let ptx = ".file 1 \"a\\\"b.c\"\n.file 2 \"gone.c\"\n.entry k\n{\n\
                   \t.loc 1 2 3\n\tadd;\n\t.loc 1 2 9\n\tmul;\n\t.loc 1 1 1\n\tadd;\n\
                   \t.loc 2 7 1\n\tsub;\n\t.loc 1 9 1\n\tret;\n}\n.entry l\n{\n\t.loc 1 9 1\n\tret;\n}\n";
        let text = annotate(ptx, |name| {
            (name == "a\"b.c").then(|| "first;\n  second; // x\n".to_string())
        });
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                ".file 1 \"a\\\"b.c\"",
                ".file 2 \"gone.c\"",
                ".entry k",
                "{",
                "// a\"b.c:2: second; // x",
                ".loc 1 2 3",
                "add;",
                ".loc 1 2 9",
                "mul;",
                "// a\"b.c:1: first;",
                ".loc 1 1 1",
                "add;",
                "// gone.c:7",
                ".loc 2 7 1",
                "sub;",
                "// a\"b.c:9",
                ".loc 1 9 1",
                "ret;",
                "}",
                ".entry l",
                "{",
                "// a\"b.c:9",
                ".loc 1 9 1",
                "ret;",
                "}"
            ]
        );
    }
}
