//! A page of the documentation, run.
//!
//! In a page, a fenced block ```` ```mlir NAME ```` or ```` ```c NAME ```` is a file of that
//! name, and a block ```` ```console ```` is what a terminal shows: lines after `$ ` are
//! commands, of our tools or programs that they made (`./x`), behind variables of the
//! environment (`A=b`); the lines behind one are all that it prints, errors behind the rest. A line `...` stands
//! for any lines. Commands are run in an empty folder with the page's files, in which
//! `examples` is the project's. A block that has the name of a file below [`Page::files`]
//! is that file, word for word; ```` ```rust ```` and ```` ```toml ```` blocks with names are
//! always.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A page, and what belongs to it.
pub struct Page<'p> {
    pub path: &'p Path,
    /// The folder of files that the page shows.
    pub files: &'p Path,
    pub scratch: &'p Path,
    /// Where tools are, by name.
    pub binary: &'p dyn Fn(&str) -> PathBuf,
}

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

fn run(folder: &Path, command: &str, binary: &dyn Fn(&str) -> PathBuf) -> Vec<String> {
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
        None => binary(tool),
    };
    // What a tool runs itself may be another.
    let folders = program.parent().map(Path::to_path_buf);
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.into_iter().chain(std::env::split_paths(&before));
    let path = std::env::join_paths(folders).expect("folders of programs");
    let out = Command::new(program)
        .args(arguments)
        .env("TERRACE_CACHE_DIR", folder.join("cache"))
        .env("PATH", path)
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

impl Page<'_> {
    /// Fails where a command prints otherwise than the page shows, or a file is not as
    /// it shows.
    pub fn check(&self) {
        let name = self.path.file_stem().expect("a name");
        let folder = self.scratch.join("docs").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the folder of the last run goes");
        }
        fs::create_dir_all(&folder).expect("a folder");
        let page = self.path.canonicalize().expect("the page");
        let examples = page.with_file_name("../examples");
        std::os::unix::fs::symlink(examples, folder.join("examples")).expect("a link");
        let text = fs::read_to_string(&page).expect("the page");
        let mut wrong = Vec::new();
        for f in fences(&text) {
            if f.info == "console" {
                wrong.extend(self.commands(&folder, &f));
            } else if let Some((kind, file)) = f.info.split_once(' ') {
                let shown = f.body.join("\n") + "\n";
                let real = self.files.join(file);
                if matches!(kind, "rust" | "toml") || real.exists() {
                    let have = fs::read_to_string(&real).unwrap_or_default();
                    if have != shown {
                        let at = format!("{}:{}", self.path.display(), f.line);
                        wrong.push(format!("{at}: not what {} is", real.display()));
                    }
                }
                let copy = folder.join(file);
                fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
                fs::write(copy, shown).expect("a file");
            }
        }
        assert!(
            wrong.is_empty(),
            "printed otherwise than shown:\n{}",
            wrong.join("\n")
        );
    }

    fn commands(&self, folder: &Path, block: &Fence) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut rest = &block.body[..];
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
            let have = run(folder, command, self.binary);
            if !fits(&have, want) {
                wrong.push(format!(
                    "{}:{}: $ {command}\n{}\n",
                    self.path.display(),
                    block.line,
                    have.join("\n")
                ));
            }
        }
        wrong
    }
}
