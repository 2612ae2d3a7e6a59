//! A folder to compile in, and what a command leaves there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of one test's own, removed at its end.
pub struct Folder(pub PathBuf);

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Folder {
    /// With these files.
    pub fn new(files: &[(&str, &str)]) -> Folder {
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cc-{}-{n}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        let f = Folder(path);
        for (name, text) in files {
            f.write(name, text);
        }
        f
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file is written");
    }

    /// `terrace cc` with these arguments.
    pub fn terrace<S: AsRef<OsStr>>(&self, args: &[S]) -> Output {
        let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
        c.arg("cc").args(args);
        self.run(c)
    }

    pub fn gcc<S: AsRef<OsStr>>(&self, args: &[S]) -> Output {
        let mut c = Command::new("gcc");
        c.args(args);
        self.run(c)
    }

    /// Compiles the source with gcc and with terrace, and asserts that both programs print the same,
    /// that of terrace on each target. Gives what terrace says of its regions.
    pub fn prints_what_gcc_prints(&self, source: &str) -> String {
        self.prints_what_gcc_prints_with(source, &[])
    }

    /// The same with more flags for terrace.
    pub fn prints_what_gcc_prints_with(&self, source: &str, flags: &[&str]) -> String {
        let gcc = self.gcc(&["-O1", "-w", source, "-o", "plain", "-lm"]);
        assert!(gcc.status.success(), "{}", text(&gcc.stderr));
        let expected = text(&self.program("plain", &[]).stdout);
        let all = [flags, &["-O2", "-Minfo", source, "-o", "prog", "-lm"]].concat();
        let out = self.terrace(&all);
        let said = text(&out.stderr);
        assert!(out.status.success(), "{said}");
        for target in ["host", "cpu", "emulator"] {
            let ran = self.program("prog", &[("TERRACE_TARGET", target)]);
            assert!(ran.status.success(), "{target}: {}", text(&ran.stderr));
            assert_eq!(text(&ran.stdout), expected, "{target}");
        }
        said
    }

    /// A program that was made here.
    pub fn command(&self, name: &str) -> Command {
        Command::new(self.0.join(name))
    }

    /// Runs a program that was made here.
    pub fn program(&self, name: &str, variables: &[(&str, &str)]) -> Output {
        self.run_with(self.command(name), variables)
    }

    pub fn run(&self, c: Command) -> Output {
        self.run_with(c, &[])
    }

    /// With environment variables beside or in place of those that every run has.
    pub fn run_with(&self, mut c: Command, variables: &[(&str, &str)]) -> Output {
        c.current_dir(&self.0)
            .env("TERRACE_HOST_CC", "gcc")
            .env("TMPDIR", self.temporary())
            // What is unpacked once is for all tests.
            .env(
                "TERRACE_CACHE_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc-cache"),
            )
            .env_remove("CC")
            .env("LC_ALL", "C")
            // What regions do is looked at here, however little it is.
            .env("TERRACE_RUN_SHORT", "1")
            .envs(variables.iter().copied());
        c.output().expect("the command runs")
    }

    /// Where temporary files go: beside the folder.
    fn temporary(&self) -> PathBuf {
        let path = self.0.with_extension("tmp");
        std::fs::create_dir_all(&path).expect("a folder");
        path
    }

    /// Temporary files that are still there.
    pub fn left(&self) -> Vec<String> {
        list(&self.temporary()).into_keys().collect()
    }

    /// All files, by their names.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        list(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
        let _ = std::fs::remove_dir_all(self.temporary());
    }
}

fn list(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(f) = open.pop() {
        for e in std::fs::read_dir(f).expect("a folder").flatten() {
            let path = e.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("inside");
                let name = name.to_string_lossy().into_owned();
                out.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    out
}

/// The variables that have a program run on a target. `turns` is the cores, with the C statement and the
/// region's code by turns.
pub fn on(target: &str) -> [(&'static str, &str); 2] {
    let (target, trials) = match target {
        "turns" => ("cpu", "turns"),
        _ => (target, "measure"),
    };
    [("TERRACE_TARGET", target), ("TERRACE_TRIALS", trials)]
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Builds a program that prints, in each of so many lines, a value and what it must be, and
/// asserts that they are the same on each target.
pub fn as_they_must_be(program: &str, lines: usize) {
    let f = Folder::new(&[("t.c", program)]);
    let out = f.terrace(&["-O1", "-w", "t.c", "-o", "t"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for target in ["host", "cpu", "emulator"] {
        let out = f.program("t", &[("TERRACE_TARGET", target)]);
        let (said, told) = (text(&out.stdout), text(&out.stderr));
        let wrong = |l: &str| l.split_once(' ').is_none_or(|(is, must)| is != must);
        assert!(
            !said.lines().any(wrong) && said.lines().count() == lines,
            "{target}: {said}{told}"
        );
    }
}

/// Builds a program and asserts that it prints on each target what the system's compiler makes
/// of it without OpenACC; gives what terrace says of it, the file being `t.c`.
pub fn alike(program: &str) -> String {
    let f = Folder::new(&[("t.c", program)]);
    let gcc = f.gcc(&["-w", "-O1", "t.c", "-o", "expected", "-lm"]);
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    let made = f.terrace(&["-O1", "t.c", "-o", "made", "-lm"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for target in ["host", "cpu", "emulator"] {
        let out = f.program("made", &[("TERRACE_TARGET", target)]);
        let (said, wrong) = (text(&out.stdout), text(&out.stderr));
        assert_eq!(said, expected, "{target}: {wrong}");
        assert!(out.status.success(), "{target}: {wrong}");
    }
    text(&made.stderr)
}
