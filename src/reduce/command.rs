//! The command that says whether a module is interesting.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use terrace_support::unfinished::{Unfinished, kill_group};

/// A command line of the shell, and how long it may take.
#[derive(Debug, Clone)]
pub struct Test {
    pub command: String,
    pub timeout: Option<Duration>,
}

/// How a run of the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Exit(ExitStatus),
    TimedOut,
    /// Nobody wants to know any more.
    Cancelled,
}

impl Verdict {
    pub fn is_yes(self) -> bool {
        matches!(self, Verdict::Exit(s) if s.success())
    }

    /// In words.
    pub fn said(self) -> String {
        use std::os::unix::process::ExitStatusExt;
        match self {
            Verdict::Exit(s) => match (s.code(), s.signal()) {
                (Some(127), _) => "exit status 127, the shell's for a command that it does not \
                                   find"
                    .to_string(),
                (Some(code), _) => format!("exit status {code}"),
                (None, signal) => format!("it was ended by signal {}", signal.unwrap_or(0)),
            },
            Verdict::TimedOut => "it took longer than --timeout allows".to_string(),
            Verdict::Cancelled => "it was not run to its end".to_string(),
        }
    }
}

impl Test {
    /// The command line for a file: its path stands for each `{}`, or at the end.
    pub fn line(&self, file: &Path) -> String {
        let path = quoted(&file.to_string_lossy());
        if self.command.contains("{}") {
            self.command.replace("{}", &path)
        } else {
            format!("{} {path}", self.command)
        }
    }

    /// Runs the command on a file, with all that it prints in `said`, or nowhere.
    ///
    /// # Errors
    ///
    /// No process can be started.
    pub fn run(
        &self,
        file: &Path,
        said: Option<&Path>,
        cancelled: &dyn Fn() -> bool,
    ) -> std::io::Result<Verdict> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(self.line(file)).stdin(Stdio::null());
        match said {
            Some(path) => {
                let out = File::create(path)?;
                command.stderr(out.try_clone()?).stdout(out);
            }
            None => {
                command.stdout(Stdio::null()).stderr(Stdio::null());
            }
        }
        let start = Instant::now();
        let (mut child, _noted) = Unfinished::group(&mut command)?;
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Verdict::Exit(status));
            }
            let late = self.timeout.is_some_and(|t| start.elapsed() >= t);
            if late || cancelled() {
                kill_group(&child);
                child.wait()?;
                return Ok(if late {
                    Verdict::TimedOut
                } else {
                    Verdict::Cancelled
                });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}

/// One word for the shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A folder of this process's own, which goes with it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _unfinished: Unfinished,
}

impl Folder {
    /// # Errors
    ///
    /// As [`std::fs::create_dir`].
    pub fn new() -> std::io::Result<Folder> {
        let mut n = 0;
        loop {
            let name = format!("terrace-reduce-{}-{n}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match Unfinished::folder(&path) {
                // Of a process that did not clean up.
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && n < 100 => n += 1,
                Err(e) => return Err(e),
                Ok(_unfinished) => return Ok(Folder { path, _unfinished }),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody could do anything about what stays.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(command: &str, timeout: Option<u64>) -> Test {
        Test {
            command: command.to_string(),
            timeout: timeout.map(Duration::from_millis),
        }
    }

    #[test]
    fn the_path_stands_at_the_end_or_for_braces() {
        let line = |c: &str, p: &str| test(c, None).line(Path::new(p));
        assert_eq!(line("grep x", "/t/a.mlir"), "grep x /t/a.mlir");
        assert_eq!(line("cat {} | f {} -", "/t/a"), "cat /t/a | f /t/a -");
        assert_eq!(line("f", "/t/it's a"), r"f '/t/it'\''s a'");
    }

    #[test]
    fn a_timeout_ends_all_processes_of_the_test() {
        let start = Instant::now();
        let t = test("sleep 100 & sleep 100; true", Some(50));
        let verdict = t.run(Path::new("x"), None, &|| false).unwrap();
        assert_eq!(verdict, Verdict::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(50));
    }

    #[test]
    fn what_nobody_waits_for_is_ended() {
        let t = test("sleep 100", None);
        let verdict = t.run(Path::new("x"), None, &|| true).unwrap();
        assert_eq!(verdict, Verdict::Cancelled);
    }
}
