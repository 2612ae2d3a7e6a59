//! The console examples of the documentation, run; its sentences, measured (`sentences.rs`); its
//! links, followed (`links.rs`). What is declared in the source is listed in `docs/reference`:
//! ops (`ops.rs`), passes (`passes.rs`) and options of the tools (`tools.rs`).
//!
//! In a page, a fenced block ```` ```mlir NAME ```` or ```` ```c NAME ```` is a file of that
//! name, and a block ```` ```console ```` is what a terminal shows: lines after `$ ` are
//! commands, of our tools or programs that they made (`./x`), behind variables of the
//! environment (`A=b`); the lines behind one are all that it prints, errors behind the rest. A line `...` stands
//! for any lines. Commands are run in an empty folder with the page's files, in which
//! `examples` is the project's.

#[path = "docs/links.rs"]
mod links;
#[path = "docs/ops.rs"]
mod ops;
#[path = "docs/passes.rs"]
mod passes;
#[path = "docs/sentences.rs"]
mod sentences;
#[path = "docs/tools.rs"]
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Fence {
    /// The line of the page after which it begins, from 1.
    line: usize,
    info: String,
    body: Vec<String>,
}

fn fences(text: &str) -> Vec<Fence> {
    let mut all = Vec::new();
    let mut open: Option<Fence> = None;
    for (i, l) in text.lines().enumerate() {
        match (l.strip_prefix("```"), open.take()) {
            (Some(_), Some(f)) => all.push(f),
            (Some(info), None) => {
                open = Some(Fence {
                    line: i + 1,
                    info: info.trim().to_string(),
                    body: Vec::new(),
                });
            }
            (None, Some(mut f)) => {
                f.body.push(l.to_string());
                open = Some(f);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is never closed");
    all
}

fn binary(name: &str) -> &'static str {
    match name {
        "terrace" => env!("CARGO_BIN_EXE_terrace"),
        "terrace-opt" => env!("CARGO_BIN_EXE_terrace-opt"),
        other => panic!("the documentation runs '{other}', which is none of our tools"),
    }
}

/// The words of a command; those in single quotes may have blanks.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is one").push(c),
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

fn run(folder: &Path, command: &str) -> Vec<String> {
    let words = words(command);
    let is_setting = |w: &&String| w.split_once('=').is_some_and(|(n, _)| !n.starts_with('-'));
    let settings: Vec<(&str, &str)> = words
        .iter()
        .take_while(is_setting)
        .filter_map(|w| w.split_once('='))
        .collect();
    let (tool, arguments) = words[settings.len()..].split_first().expect("a command");
    let program = match tool.strip_prefix("./") {
        Some(made) => folder.join(made),
        None => PathBuf::from(binary(tool)),
    };
    let out = Command::new(program)
        .args(arguments)
        .env("TERRACE_CACHE_DIR", folder.join("cache"))
        .envs(settings)
        .current_dir(folder)
        .output()
        .expect("our tool runs");
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    text.lines().map(|l| l.trim_end().to_string()).collect()
}

/// Whether lines are as shown, `...` standing for any number of them.
fn fits(have: &[String], want: &[String]) -> bool {
    match want.split_first() {
        None => have.is_empty(),
        Some((w, rest)) if w.trim() == "..." => (0..=have.len()).any(|n| fits(&have[n..], rest)),
        Some((w, rest)) => {
            have.first().is_some_and(|h| h == w.trim_end()) && fits(&have[1..], rest)
        }
    }
}

fn check(page: &Path) {
    let name = page
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("docs")
        .join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder of the last run goes");
    }
    fs::create_dir_all(&folder).expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::os::unix::fs::symlink(root.join("examples"), folder.join("examples")).expect("a link");
    let text = fs::read_to_string(page).expect("the page");
    let mut wrong = Vec::new();
    for f in fences(&text) {
        let file = f.info.strip_prefix("mlir ").or(f.info.strip_prefix("c "));
        if let Some(file) = file {
            fs::write(folder.join(file.trim()), f.body.join("\n") + "\n").expect("a file");
        } else if f.info == "console" {
            let mut rest = &f.body[..];
            while let Some((command, behind)) = rest.split_first() {
                let end = behind
                    .iter()
                    .position(|l| l.starts_with("$ "))
                    .unwrap_or(behind.len());
                let (want, next) = behind.split_at(end);
                rest = next;
                let command = command
                    .strip_prefix("$ ")
                    .expect("a block begins with a command");
                let have = run(&folder, command);
                if !fits(&have, want) {
                    wrong.push(format!(
                        "{}:{}: $ {command}\n{}\n",
                        page.display(),
                        f.line,
                        have.join("\n")
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "printed otherwise than shown:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn schedules() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schedules.md"));
}

#[test]
fn explain() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/explain.md"));
}

#[test]
fn c_programs() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/c.md"));
}

#[test]
fn emulator() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/emulator.md"));
}

#[test]
fn gpu() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gpu.md"));
}

#[test]
fn gpu_mapping() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gpu-mapping.md"));
}

#[test]
fn transfers() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/transfers.md"));
}

#[test]
fn pipelines() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pipelines.md"));
}

#[test]
fn cost_model() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cost-model.md"));
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
