//! `split-file INPUT FOLDER`: one test file that holds several.
//!
//! A line `//--- name` (or with another comment mark before the dashes)
//! starts the part of that name; what stands before the first is dropped.

use std::path::Path;

/// The parts of `text` with their names. Each part keeps its line numbers
/// relative to its own first line.
pub fn parts(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(name) = header(line) {
            if name.split('/').any(|p| p == ".." || p.is_empty()) {
                return Err(format!("'{name}' is no name for a part"));
            }
            if parts.iter().any(|(n, _)| n == name) {
                return Err(format!("'{name}' is there twice"));
            }
            parts.push((name.to_string(), String::new()));
        } else if let Some((_, body)) = parts.last_mut() {
            body.push_str(line);
        }
    }
    if parts.is_empty() {
        return Err("no '//--- name' line".to_string());
    }
    Ok(parts)
}

fn header(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let at = line.find("--- ")?;
    let mark = &line[..at];
    let name = line[at + 4..].trim();
    let comment = matches!(mark, "//" | "#" | ";" | "");
    (comment && !name.is_empty()).then_some(name)
}

/// Writes the parts of `input` into `folder`.
pub fn split(input: &Path, folder: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(input).map_err(|e| format!("{}: {e}", input.display()))?;
    for (name, body) in parts(&text)? {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, body))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn parts_by_headers() {
        let got = parts("x\n//--- a.mlir\n1\n2\n#--- d/b.c\n3\n").unwrap();
        assert_eq!(
            got,
            [
                ("a.mlir".into(), "1\n2\n".into()),
                ("d/b.c".into(), "3\n".into())
            ]
        );
        assert!(parts("nothing").is_err());
        assert!(parts("//--- ../x\n").is_err());
        assert!(parts("//--- a\n//--- a\n").is_err());
    }
}
