//! The system's C compiler: which it is, and running it.

use std::ffi::{OsStr, OsString};
use std::io::{Error, ErrorKind, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use terrace_support::unfinished::Unfinished;

use super::command_line::CommandLine;
#[cfg(feature = "lsp")]
use super::runtime::headers;
use super::runtime::include_words;
use terrace_c::preprocess::{DEFINITIONS, EXPANDS, as_text, expand_directives, openacc_flag};

/// The environment variable that names the compiler, with options if need be.
pub const HOST_CC: &str = "TERRACE_HOST_CC";

/// A compiler and the options that always go to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    program: OsString,
    options: Vec<OsString>,
}

impl Host {
    /// `$TERRACE_HOST_CC`, or else `$CC`, unless that is terrace; then the first of `cc`,
    /// `gcc` and `clang` that is installed and not terrace.
    pub fn find() -> Host {
        let own = std::env::current_exe().and_then(std::fs::canonicalize).ok();
        let own = own.as_deref();
        let set = |name: &str| std::env::var_os(name).and_then(|v| from_words(&v));
        set(HOST_CC)
            .or_else(|| set("CC"))
            .filter(|h| !h.is_terrace(own))
            .or_else(|| {
                let usual = ["cc", "gcc", "clang"].map(|n| from_words(OsStr::new(n)));
                usual
                    .into_iter()
                    .flatten()
                    .find(|h| search(&h.program).is_some_and(|p| !is_self(&p, own)))
            })
            .unwrap_or(Host {
                program: "cc".into(),
                options: Vec::new(),
            })
    }

    /// The program, as it was named.
    pub fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// Where the program is, if it is anywhere.
    pub fn path(&self) -> Option<PathBuf> {
        search(&self.program).filter(|p| p.is_file())
    }

    /// The option with which the preprocessor knows of directives.
    pub fn openacc(&self) -> &'static str {
        openacc_flag(&self.program.to_string_lossy())
    }

    /// Whether one of the words is terrace, as in `CC="ccache terrace cc"`.
    fn is_terrace(&self, own: Option<&Path>) -> bool {
        let named = |w: &OsString| {
            let name = Path::new(w).file_name().and_then(OsStr::to_str);
            matches!(name, Some("terrace" | "terrace-cc"))
        };
        named(&self.program)
            || self.options.iter().any(named)
            || search(&self.program).is_some_and(|p| is_self(&p, own))
    }

    /// A run with these arguments, standard streams shared with this process.
    fn command(&self, args: &[OsString]) -> Command {
        let mut c = Command::new(&self.program);
        c.args(&self.options).args(args);
        c
    }

    /// Become the compiler. Returns only if that fails.
    pub fn exec(&self, args: &[OsString]) -> String {
        let error = self.command(args).exec();
        self.cannot_run(&error)
    }

    /// Run and wait.
    ///
    /// # Errors
    ///
    /// Where the compiler cannot be run, or fails.
    pub fn run(&self, args: &[OsString]) -> Result<(), Failed> {
        let child = Unfinished::process(&mut self.command(args));
        let (mut child, _unfinished) = child.map_err(|e| Failed::own(self.cannot_run(&e)))?;
        let status = child.wait();
        let status = status.map_err(|e| Failed::own(self.cannot_run(&e)))?;
        Failed::check(status)
    }

    /// Run and take what it writes to its standard output and standard error.
    ///
    /// # Errors
    ///
    /// As [`Host::run`].
    pub fn output(&self, args: &[OsString]) -> Result<(Vec<u8>, Vec<u8>), Failed> {
        self.output_of(args, None)
    }

    /// The same, with a text for its standard input.
    fn output_of(
        &self,
        args: &[OsString],
        input: Option<&str>,
    ) -> Result<(Vec<u8>, Vec<u8>), Failed> {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let child = Unfinished::process(&mut command);
        let (mut child, _unfinished) = child.map_err(|e| Failed::own(self.cannot_run(&e)))?;
        // Written beside the reading below: pipes hold less than a file. A compiler that fails reads
        // no more of it, and says itself why.
        let writer = input.zip(child.stdin.take()).map(|(text, mut pipe)| {
            let text = text.to_string();
            std::thread::spawn(move || pipe.write_all(text.as_bytes()))
        });
        let out = child.wait_with_output();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        let out = out.map_err(|e| Failed::own(self.cannot_run(&e)))?;
        Failed::check(out.status).map_err(|f| Failed {
            said: String::from_utf8_lossy(&out.stderr).into_owned(),
            ..f
        })?;
        Ok((out.stdout, out.stderr))
    }

    /// A file behind the preprocessor, which knows that there may be directives.
    ///
    /// # Errors
    ///
    /// As [`Host::run`], with what the compiler said.
    pub fn preprocessed(&self, path: &str, flags: &[String]) -> Result<String, Failed> {
        let acc = self.openacc();
        let mut words: Vec<OsString> = vec!["-E".into(), DEFINITIONS.into(), acc.into()];
        let flags: Vec<OsString> = flags.iter().map(OsString::from).collect();
        // What is wrong with the flags is said where they are translated, or by the compiler.
        let command = CommandLine::parse(&flags).unwrap_or_default();
        let headers = super::openacc_h(&command, [Path::new(path)])?;
        words.extend(headers.iter().flat_map(include_words));
        words.extend(flags);
        words.push(path.into());
        let (text, _) = self.output(&words)?;
        Ok(expand_directives(as_text(text), acc != EXPANDS))
    }

    /// A file as an editor has it, behind the preprocessor. Headers are as they are on the disk. What the
    /// compiler warned of is the second text.
    ///
    /// # Errors
    ///
    /// As [`Host::run`], with what the compiler said.
    #[cfg(feature = "lsp")]
    pub fn preprocessed_buffer(
        &self,
        path: &Path,
        text: &str,
        flags: &[OsString],
    ) -> Result<(String, String), Failed> {
        let acc = self.openacc();
        let mut words: Vec<OsString> = vec!["-E".into(), DEFINITIONS.into(), acc.into()];
        let headers = text.contains("openacc.h").then(headers).transpose();
        let headers = headers.map_err(Failed::own)?;
        words.extend(headers.iter().flat_map(include_words));
        // A text that is no file has no folder.
        if let Some(folder) = path.parent().filter(|f| f.is_absolute()) {
            words.extend(["-iquote".into(), folder.into()]);
        }
        words.extend(flags.iter().cloned());
        words.extend(["-x".into(), "c".into(), "-".into()]);
        let name = path.to_string_lossy();
        let named = |said: String| said.replace("<stdin>", &name);
        let (made, said) = self.output_of(&words, Some(text)).map_err(|f| Failed {
            said: named(f.said),
            ..f
        })?;
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        let lines = as_text(made);
        let lines = lines.split_inclusive('\n').map(|line| {
            match line.starts_with("# ") && line.contains("\"<stdin>\"") {
                true => line.replace("<stdin>", &quoted).into(),
                false => std::borrow::Cow::Borrowed(line),
            }
        });
        let text = expand_directives(lines.collect(), acc != EXPANDS);
        Ok((text, named(String::from_utf8_lossy(&said).into_owned())))
    }

    /// Whether a run with these arguments succeeds; it is not heard.
    pub fn accepts(&self, args: &[OsString]) -> bool {
        self.output(args).is_ok()
    }

    fn cannot_run(&self, error: &Error) -> String {
        let name = self.program.to_string_lossy();
        match error.kind() {
            ErrorKind::NotFound => format!(
                "error: there is no C compiler '{name}'; name one in the environment variable {HOST_CC}\n"
            ),
            _ => format!("error: cannot run the C compiler '{name}': {error}\n"),
        }
    }
}

/// Why a step did not work out: the exit status to end with, and what to say that the
/// compiler has not said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub code: i32,
    pub message: String,
    /// What the compiler said where it was not heard.
    said: String,
}

impl Failed {
    /// A failure of terrace's own.
    pub fn own(message: impl Into<String>) -> Failed {
        Failed {
            code: 1,
            message: message.into(),
            said: String::new(),
        }
    }

    /// A failure of which everything has been said.
    pub fn silent(code: i32) -> Failed {
        Failed {
            code,
            message: String::new(),
            said: String::new(),
        }
    }

    /// All there is to say.
    pub fn said(&self) -> String {
        format!("{}{}", self.said, self.message)
    }

    fn check(status: ExitStatus) -> Result<(), Failed> {
        if status.success() {
            return Ok(());
        }
        // As a shell tells of a process that a signal ended.
        let code = status.code().or(status.signal().map(|s| 128 + s));
        Err(Failed::silent(code.unwrap_or(1)))
    }
}

fn from_words(text: &OsStr) -> Option<Host> {
    let text = text.to_string_lossy();
    let mut words = text.split_whitespace().map(OsString::from);
    Some(Host {
        program: words.next()?,
        options: words.collect(),
    })
}

/// Where a program is found, as `execvp` looks.
fn search(program: &OsStr) -> Option<PathBuf> {
    if program.to_string_lossy().contains('/') {
        return Some(PathBuf::from(program));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|d| d.join(program))
        .find(|p| p.is_file())
}

fn is_self(path: &Path, own: Option<&Path>) -> bool {
    own.is_some() && std::fs::canonicalize(path).ok().as_deref() == own
}
