//! How a file is compiled: by `compile_commands.json`, which build tools write, and by the settings.

use serde_json::Value;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::super::text::Snapshot;
use crate::c::driver::command_line::{CommandLine, For};

/// Flags for the C compiler: those of the build, then those of the settings.
///
/// # Errors
///
/// What is wrong with options of terrace's own among them.
pub fn flags(snapshot: &Snapshot) -> Result<Vec<String>, String> {
    let mut words: Vec<OsString> = Vec::new();
    if let Some(path) = snapshot.path() {
        words.extend(of_build(&path));
    }
    words.extend(snapshot.settings.flags.iter().map(OsString::from));
    CommandLine::parse(&words).map_err(|m| m.join("\n"))?;
    Ok(words
        .iter()
        .map(|w| w.to_string_lossy().into_owned())
        .collect())
}

/// The words of these flags that the preprocessor gets.
pub fn for_preprocessor(flags: &[String]) -> Vec<OsString> {
    let words: Vec<OsString> = flags.iter().map(OsString::from).collect();
    let command = CommandLine::parse(&words).unwrap_or_default();
    command.options(&[For::Preprocessor, For::Compiler])
}

/// What a file says of other files.
type Build = Arc<HashMap<PathBuf, Vec<OsString>>>;

/// Files that were read, with their times.
static READ: Mutex<Option<HashMap<PathBuf, (SystemTime, Build)>>> = Mutex::new(None);

fn of_build(file: &Path) -> Vec<OsString> {
    let Some(found) = database(file) else {
        return Vec::new();
    };
    let Some(time) = found.metadata().and_then(|m| m.modified()).ok() else {
        return Vec::new();
    };
    let mut read = READ.lock().unwrap_or_else(|e| e.into_inner());
    let read = read.get_or_insert_default();
    let known = read.get(&found).filter(|(t, _)| *t == time);
    let build = match known {
        Some((_, build)) => build.clone(),
        None => {
            let text = std::fs::read_to_string(&found).unwrap_or_default();
            let build: Build = Arc::new(entries(&text));
            read.insert(found, (time, build.clone()));
            build
        }
    };
    build.get(&normal(file)).cloned().unwrap_or_default()
}

/// The closest `compile_commands.json` above a file, in a folder or in `build` there.
fn database(file: &Path) -> Option<PathBuf> {
    let places = ["compile_commands.json", "build/compile_commands.json"];
    let above = file.ancestors().skip(1);
    let mut all = above.flat_map(|dir| places.map(|p| dir.join(p)));
    all.find(|p| p.is_file())
}

/// The flags of each file. An entry that is not as the format asks is passed over.
fn entries(text: &str) -> HashMap<PathBuf, Vec<OsString>> {
    let all: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let one = |e: &Value| {
        let folder = PathBuf::from(e.get("directory")?.as_str()?);
        let file = normal(&folder.join(e.get("file")?.as_str()?));
        let words: Vec<String> = match e.get("arguments").and_then(Value::as_array) {
            Some(words) => (words.iter())
                .filter_map(|w| w.as_str().map(str::to_string))
                .collect(),
            None => split(e.get("command")?.as_str()?),
        };
        // The first is the compiler.
        let words: Vec<OsString> = words.iter().skip(1).map(OsString::from).collect();
        let command = CommandLine::parse(&words).ok()?;
        let flags = command.options(&[For::Preprocessor, For::Compiler]);
        Some((file, absolute(flags, &folder)))
    };
    let all = all.as_array().map_or(&[][..], Vec::as_slice);
    all.iter().filter_map(one).collect()
}

/// Words as a shell would take them apart: quotes and backslashes.
fn split(command: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (q, Some(open)) if q == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() => out.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// Folders and headers of options, seen from the folder in which the compiler runs.
fn absolute(words: Vec<OsString>, folder: &Path) -> Vec<OsString> {
    let options = [
        "-isystem",
        "-iquote",
        "-idirafter",
        "-include",
        "-imacros",
        "-I",
    ];
    let mut out: Vec<OsString> = Vec::new();
    let mut is_path = false;
    for word in words {
        let text = word.to_string_lossy().into_owned();
        let option = options.iter().find(|o| text.starts_with(**o));
        out.push(match option {
            _ if is_path => folder.join(&text).into(),
            Some(o) if text.len() > o.len() => {
                format!("{o}{}", folder.join(&text[o.len()..]).display()).into()
            }
            _ => word,
        });
        is_path = !is_path && option.is_some_and(|o| text == **o);
    }
    out
}

/// A path without `.` and `..`, as far as names tell.
fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for c in path.components() {
        match c {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_build() {
        let text = r#"[
            {"directory": "/p/build", "file": "../src/a.c",
             "command": "cc -I ../include -DTEXT=\"a b\" -O2 -isystem/s -c -o a.o ../src/a.c"},
            {"directory": "/p", "file": "b.c", "arguments": ["cc", "-Iinc", "-std=c99", "b.c"]},
            {"directory": "/p"}
        ]"#;
        let all = entries(text);
        assert_eq!(
            all[Path::new("/p/src/a.c")],
            [
                "-I",
                "/p/build/../include",
                "-DTEXT=a b",
                "-O2",
                "-isystem/s"
            ]
        );
        assert_eq!(all[Path::new("/p/b.c")], ["-I/p/inc", "-std=c99"]);
        assert_eq!(all.len(), 2);
        assert!(entries("no JSON").is_empty());
    }
}
