//! Ops are named by their types, as `arith::AddFOp::NAME`, so that a name that is wrong does
//! not compile: outside of tests and of the dialects, no text is the name of an op.

use std::collections::BTreeSet;
use std::path::Path;

/// Where programs are built and read. Dialects declare the names.
const FOLDERS: [&str; 4] = ["passes/src", "targets/src", "frontends/c/src", "src"];

/// The names of all ops.
fn names() -> BTreeSet<&'static str> {
    let dialects = terrace::dialects::ALL.iter();
    dialects.flat_map(|d| d.ops).map(|o| o.name).collect()
}

/// Whether a file is for tests alone.
fn is_test(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    file.contains("/tests/")
        || file.contains("/testing/")
        || name.ends_with("tests.rs")
        || name == "testing.rs"
}

/// The lines of a file, and the names of ops that stand there as text.
fn literals<'n>(text: &str, names: &BTreeSet<&'n str>) -> Vec<(usize, &'n str)> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.starts_with("#[cfg(test)]") {
            break;
        }
        let code = line.split("//").next().unwrap_or(line);
        let texts = code.split('"').skip(1).step_by(2);
        out.extend(texts.filter_map(|t| names.get(t)).map(|n| (i + 1, *n)));
    }
    out
}

#[test]
fn ops_are_named_by_their_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = names();
    let mut folders: Vec<_> = FOLDERS.iter().map(|f| root.join(f)).collect();
    let (mut files, mut wrong) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = path.strip_prefix(root).expect("it lies below the root");
            let file = file.to_string_lossy().replace('\\', "/");
            if !file.ends_with(".rs") || is_test(&file) {
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            for (line, name) in literals(&text, &names) {
                wrong.push(format!(
                    "{file}:{line}: \"{name}\": name the op by its type, as SomeOp::NAME"
                ));
            }
        }
    }
    assert!(files > 600, "only {files} files were looked at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_as_text_are_found() {
    let names = names();
    let found = |text| literals(text, &names).len();
    assert_eq!(found("a == \"arith.addf\" // \"arith.mulf\""), 1);
    assert_eq!(found("\"arith.addf\" | \"arith.mulf\" => f(),"), 2);
    assert_eq!(found("say(\"no arith.addf here\")"), 0);
    assert_eq!(
        found("#[cfg(test)]\nmod tests { const A: &str = \"arith.addf\"; }"),
        0
    );
}
