//! The console examples of the documentation, run (`page.rs`); its sentences, measured
//! (`sentences.rs`); its links, followed (`links.rs`). What is declared in the source is listed
//! in `docs/reference`: ops (`ops.rs`), passes (`passes.rs`), options of the tools (`tools.rs`) and what of MLIR is here (`upstream.rs`).
//! The pages of the manual and the completions of shells are made, and hold what `--help` says (`manual.rs`).

#[path = "docs/links.rs"]
mod links;
#[path = "docs/manual.rs"]
mod manual;
#[path = "docs/ops.rs"]
mod ops;
#[path = "docs/page.rs"]
mod page;
#[path = "docs/passes.rs"]
mod passes;
#[path = "docs/sentences.rs"]
mod sentences;
#[path = "docs/tools.rs"]
mod tools;
#[path = "docs/upstream.rs"]
mod upstream;

use std::fs;
use std::path::Path;

fn binary(name: &str) -> &'static str {
    match name {
        "terrace" => env!("CARGO_BIN_EXE_terrace"),
        "terrace-opt" => env!("CARGO_BIN_EXE_terrace-opt"),
        "terrace-reduce" => env!("CARGO_BIN_EXE_terrace-reduce"),
        other => panic!("the documentation runs '{other}', which is none of our tools"),
    }
}

fn check(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    page::Page {
        path: &root.join("docs").join(name),
        files: root,
        scratch: Path::new(env!("CARGO_TARGET_TMPDIR")),
        binary: &|tool| binary(tool).into(),
    }
    .check();
}

#[test]
fn schedules() {
    check("schedules.md");
}

#[test]
fn explain() {
    check("explain.md");
}

#[test]
fn c_programs() {
    check("c.md");
}

#[test]
fn emulator() {
    check("emulator.md");
}

#[test]
fn gpu() {
    check("gpu.md");
}

#[test]
fn gpu_mapping() {
    check("gpu-mapping.md");
}

#[test]
fn transfers() {
    check("transfers.md");
}

#[test]
fn terrace_reduce() {
    check("terrace-reduce.md");
}

#[test]
fn pipelines() {
    check("pipelines.md");
}

#[test]
fn cost_model() {
    check("cost-model.md");
}

#[test]
fn tiles() {
    check("tiles.md");
}

/// Two versions of one paragraph, next to each other, are what a merge leaves where both
/// sides changed it.
#[test]
fn no_paragraph_stands_twice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    let docs = fs::read_dir(root.join("docs")).expect("docs/");
    pages.extend(docs.map(|e| e.expect("docs/").path()));
    let mut twice = Vec::new();
    for page in pages
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
    {
        let text = fs::read_to_string(page).expect("a page");
        let paragraphs: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('|'))
            .collect();
        for pair in paragraphs.windows(2) {
            let begin = |l: &'_ str| l.chars().take(60).collect::<String>();
            let [(_, a), (line, b)] = pair else { continue };
            if b.chars().count() >= 60 && begin(a) == begin(b) {
                twice.push(format!("{}:{}: {}...", page.display(), line + 1, begin(b)));
            }
        }
    }
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}
