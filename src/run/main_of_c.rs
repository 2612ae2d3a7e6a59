//! A whole program in C: `main`, compiled as `terrace cc` does it and run with its arguments.

use crate::c::driver::temporary::Folder;
use crate::opt::Outcome;
use crate::run::options::{RunOptions, Target};
use crate::run::source::{Language, ProgramText};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

/// Whether a program is C with a `main` to run, of which nothing else is asked than that.
pub fn is_whole(source: &ProgramText, o: &RunOptions) -> bool {
    let plain = o.args.is_empty() && o.sizes.is_empty() && o.outs.is_empty();
    let main = o
        .entry
        .as_deref()
        .is_none_or(|e| e.trim_start_matches('@') == "main");
    let one = o.repeat <= 1 && !o.verify && o.schedule.is_none();
    source.language == Language::C
        && plain
        && main
        && one
        && source.unit().is_ok_and(|u| u.function("main").is_some())
}

/// Compiles a file by the driver that `terrace` is, and runs what it makes. Standard streams are
/// this process's, the status is the program's.
pub fn run_main(terrace: &Path, file: &str, o: &RunOptions, words: &Words) -> Outcome {
    let failed = |code: i32, stderr: String| Outcome {
        code,
        stderr,
        ..Outcome::default()
    };
    let target = match o.target {
        Target::Interp => {
            let m = "error: --target interp calls a function, as --entry names it; found a program \
                     whose main is to run, expected --target cpu, gpu or emulator\n";
            return failed(2, m.to_string());
        }
        target => target.name(),
    };
    let folder = match Folder::new(None) {
        Ok(f) => f,
        Err(e) => return failed(1, e.said()),
    };
    let program = folder.file("main");
    let mut compile = Command::new(terrace);
    compile.args(["cc", "-O2"]).args(&words.compiler).arg(file);
    compile.arg("-o").arg(&program).arg("-lm");
    match compile.status() {
        Ok(status) if status.success() => {}
        Ok(status) => return failed(code_of(status), String::new()),
        Err(e) => {
            return failed(
                1,
                format!("error: cannot run '{}': {e}\n", terrace.display()),
            );
        }
    }
    let mut run = Command::new(&program);
    run.args(&words.program).env("TERRACE_TARGET", target);
    let numbers = [
        ("TERRACE_DEVICE", o.device),
        ("TERRACE_NUM_THREADS", o.cores.threads),
        ("TERRACE_PIN_THREADS", o.cores.pin.map(usize::from)),
        (
            "TERRACE_FLUSH_SUBNORMALS",
            o.cores.flush_subnormals.map(usize::from),
        ),
    ];
    for (name, value) in numbers {
        if let Some(n) = value {
            run.env(name, n.to_string());
        }
    }
    match run.status() {
        Ok(status) => failed(code_of(status), String::new()),
        Err(e) => failed(
            1,
            format!("error: cannot run the program of '{file}': {e}\n"),
        ),
    }
}

/// Words of a command line that are for others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// The C compiler's.
    pub compiler: Vec<String>,
    /// The program's own.
    pub program: Vec<String>,
}

impl Words {
    /// The program's words stand behind its name, and behind a second `--` of the compiler's, where
    /// they may begin with a dash.
    pub fn new(before: &[String], mut compiler: Vec<String>) -> Words {
        let mut program = before.to_vec();
        if let Some(at) = compiler.iter().position(|w| w == "--") {
            program.extend(compiler.split_off(at).into_iter().skip(1));
        }
        Words { compiler, program }
    }
}

/// An exit status as a shell tells of it.
fn code_of(status: std::process::ExitStatus) -> i32 {
    let code = status.code().or(status.signal().map(|s| 128 + s));
    code.unwrap_or(1)
}
