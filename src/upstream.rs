//! Upstream's parser and passes, by the program `terrace-mlir`, which needs LLVM and is built apart
//! (the folder `mlir/`). Modules go there and come back as text with their locations.

mod pass;

pub use pass::INFO;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable of the environment that names the program.
pub const VARIABLE: &str = "TERRACE_MLIR";

/// What the program is called where no variable names it.
const NAME: &str = "terrace-mlir";

/// Whether a file is MLIR's bytecode, which only upstream reads.
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ML\xefR")
}

/// What is done to a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task<'t> {
    /// It is read and verified.
    Read,
    /// It is read and verified, and comes back in the generic form, which ops that are not here
    /// have, too.
    ReadGeneric,
    /// It is brought down to what terrace has, and comes back in the generic form: what nothing here
    /// knows may stand where it does not matter.
    Lower,
    /// These passes run, as `mlir-opt --pass-pipeline` takes them.
    Run(&'t str),
}

/// Where a module comes from.
#[derive(Debug, Clone, Copy)]
pub enum Input<'i> {
    /// A file, text or bytecode.
    File(&'i str),
    /// These bytes, text or bytecode.
    Bytes(&'i [u8]),
}

/// The program that does it.
#[derive(Debug, Clone)]
pub struct Bridge {
    program: PathBuf,
}

impl Bridge {
    /// The program that `TERRACE_MLIR` names, or that stands beside this one or in `PATH`.
    ///
    /// # Errors
    ///
    /// That there is none, and how it is built.
    pub fn find() -> Result<Bridge, String> {
        if let Some(named) = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
            let program = PathBuf::from(named);
            return match program.is_file() {
                true => Ok(Bridge { program }),
                false => Err(format!(
                    "{VARIABLE} names '{}', which is no file; expected the program {NAME}",
                    program.display()
                )),
            };
        }
        let beside = std::env::current_exe().ok();
        let beside = beside.as_deref().and_then(Path::parent).map(Path::to_owned);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = beside.into_iter().chain(std::env::split_paths(&path));
        let found = folders.map(|f| f.join(NAME)).find(|p| p.is_file());
        found.map(|program| Bridge { program }).ok_or_else(|| {
            format!(
                "there is no {NAME}, which calls upstream's parser and passes. With LLVM and MLIR 22 \
                 'cargo build --release --manifest-path mlir/Cargo.toml' builds it; {VARIABLE} names \
                 it, or it stands in PATH"
            )
        })
    }

    /// Where the program is.
    pub fn path(&self) -> &Path {
        &self.program
    }

    /// The module that a task makes of one, as text with locations.
    ///
    /// # Errors
    ///
    /// What upstream says of the module or the passes, in lines.
    pub fn text(&self, input: Input<'_>, task: Task<'_>) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        match task {
            Task::Read => {}
            Task::ReadGeneric => {
                command.arg("--generic");
            }
            Task::Lower => {
                command.args(["--lower", "--generic"]);
            }
            Task::Run(pipeline) => {
                command.arg(format!("--pipeline={pipeline}"));
            }
        }
        command.arg(match input {
            // A name that begins with a dash is that of a file here.
            Input::File(path) if path.starts_with('-') => format!("./{path}"),
            Input::File(path) => path.to_string(),
            Input::Bytes(_) => "-".to_string(),
        });
        let failed = |e: std::io::Error| format!("cannot run '{}': {e}", self.program.display());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let stdin = child.stdin.take();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        // All three at once: either side may fill a pipe while it waits for another.
        std::thread::scope(|s| {
            if let (Some(mut to), Input::Bytes(bytes)) = (stdin, input) {
                s.spawn(move || {
                    // A program that ends early says why.
                    let _ = to.write_all(bytes);
                });
            }
            let heard = s.spawn(|| stderr.map_or(Ok(0), |mut e| e.read_to_end(&mut err)));
            let read = stdout.map_or(Ok(0), |mut o| o.read_to_end(&mut out));
            let heard = heard.join().unwrap_or(Ok(0));
            read.and(heard).map(|_| ())
        })
        .map_err(failed)?;
        let status = child.wait().map_err(failed)?;
        if !status.success() {
            let said = String::from_utf8_lossy(&err).trim_end().to_string();
            return Err(match said.is_empty() {
                true => format!("'{}' ended with {status}", self.program.display()),
                false => said,
            });
        }
        String::from_utf8(out).map_err(|e| format!("the text that upstream prints: {e}"))
    }
}
