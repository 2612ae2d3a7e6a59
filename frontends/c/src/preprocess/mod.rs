//! The C compiler's preprocessor.

mod macros;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

pub use macros::{DEFINITIONS, expand_directives};

/// A run of the preprocessor.
#[derive(Debug, Clone)]
pub struct Preprocess {
    /// The words of the command, see [`compiler`].
    pub cc: Vec<String>,
    /// Options in the user's order: `-I`, `-D`, `-O3`.
    pub flags: Vec<String>,
    pub file: PathBuf,
    /// Whether the file may have OpenACC's directives: `_OPENACC` is defined then, and
    /// macros in the directives are expanded.
    pub openacc: bool,
}

/// The preprocessor gave no text. What it had to say is on standard error already.
#[derive(Debug)]
pub enum PreprocessError {
    /// The command does not exist or cannot be run.
    Start {
        command: String,
        error: std::io::Error,
    },
    /// It failed, with this status.
    Failed(ExitStatus),
}

impl fmt::Display for PreprocessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PreprocessError::Start { command, error } => write!(
                f,
                "the C compiler `{command}` cannot be run: {error}; CC names the one to use"
            ),
            PreprocessError::Failed(status) => {
                write!(f, "the C compiler's preprocessor failed: {status}")
            }
        }
    }
}

impl std::error::Error for PreprocessError {}

/// The words of the C compiler's command: `$CC`, or `cc`.
pub fn compiler() -> Vec<String> {
    let words = std::env::var("CC").unwrap_or_default();
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    match words.is_empty() {
        true => vec!["cc".into()],
        false => words,
    }
}

/// Runs `cc -E`, and expands macros in directives that it leaves alone. The compiler's standard error is the caller's. Bytes that are not
/// UTF-8, which only string literals can have, are octal escapes in the text.
pub fn preprocess(what: &Preprocess) -> Result<String, PreprocessError> {
    let (program, words) = match what.cc.split_first() {
        Some((program, words)) => (program.as_str(), words),
        None => ("cc", &[][..]),
    };
    let mut command = Command::new(program);
    command.args(words).args(&what.flags);
    command.args(["-E", DEFINITIONS]);
    if what.openacc {
        command.arg(openacc_flag(program));
    }
    command.arg(&what.file);
    command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| PreprocessError::Start {
        command: program.to_owned(),
        error,
    })?;
    if !output.status.success() {
        return Err(PreprocessError::Failed(output.status));
    }
    let acc = openacc_flag(program) != EXPANDS;
    Ok(expand_directives(as_text(output.stdout), acc))
}

/// GCC's flag; the others have it not, or warn, or take directives for themselves.
pub fn openacc_flag(program: &str) -> &'static str {
    let name = Path::new(program).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    if name.contains("clang") || name.contains("icx") || name.contains("tcc") {
        "-D_OPENACC=201711"
    } else {
        EXPANDS
    }
}

/// With this option macros in OpenACC's directives are expanded.
pub const EXPANDS: &str = "-fopenacc";

/// The output of a preprocessor: UTF-8 as it is, other bytes as `\351`, which means the
/// same in a literal.
pub fn as_text(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(e) => e.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len() + 64);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for b in chunk.invalid() {
            text.push_str(&format!("\\{b:03o}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_than_utf8_become_escapes() {
        assert_eq!(as_text(b"\"caf\xe9\"".to_vec()), "\"caf\\351\"");
        assert_eq!(as_text("\u{e9}".into()), "\u{e9}");
    }

    #[test]
    fn a_compiler_that_is_not_there_and_a_file_that_is_not() {
        let mut what = Preprocess {
            cc: vec!["/nowhere/cc".into()],
            flags: Vec::new(),
            file: "/nowhere/a.c".into(),
            openacc: false,
        };
        let error = preprocess(&what).unwrap_err().to_string();
        assert!(
            error.starts_with("the C compiler `/nowhere/cc` cannot be run: "),
            "{error}"
        );
        what.cc = vec!["cc".into()];
        let error = preprocess(&what).unwrap_err().to_string();
        assert!(
            error.starts_with("the C compiler's preprocessor failed: "),
            "{error}"
        );
    }

    #[test]
    fn macros_in_directives_are_expanded() {
        let dir = std::env::temp_dir().join(format!("terrace-preprocess-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("a.c");
        let text = "#define N 100\n#pragma acc data copy(a[0:N])\nint x = _OPENACC;\n\
                    #pragma terrace schedule(tile(i, j: N, Q))\n";
        std::fs::write(&file, text).unwrap();
        let what = Preprocess {
            cc: vec!["cc".into()],
            flags: vec!["-DQ=1".into()],
            file,
            openacc: true,
        };
        let text = preprocess(&what).unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(text.contains("#pragma acc data copy(a[0:100])"), "{text}");
        assert!(text.contains("int x = 20"), "{text}");
        let schedule = "#pragma terrace schedule(tile(i, j: 100, 1))";
        assert!(text.contains(schedule), "{text}");
        assert!(!text.contains("#define"), "{text}");
    }

    #[test]
    fn only_gcc_has_the_flag() {
        assert_eq!(openacc_flag("/usr/bin/gcc-12"), "-fopenacc");
        assert_eq!(openacc_flag("clang-19"), "-D_OPENACC=201711");
    }
}
