//! What a program with regions is linked with.

use super::command_line::{Arg, CommandLine, Language, Mode};
use super::runtime::{Place, Runtime, archive};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Whether a linked file must get the runtime: an object file or archive among the
/// inputs calls it.
pub fn needs_runtime(command: &CommandLine) -> bool {
    if command.mode != Mode::Link || !may_link(command) {
        return false;
    }
    let dirs: Vec<PathBuf> = command
        .values("-L")
        .into_iter()
        .map(PathBuf::from)
        .collect();
    command.args.iter().any(|a| match a {
        Arg::Input { path, language, .. } => *language == Language::Other && calls_runtime(path),
        Arg::Option { words, .. } => {
            let name = words
                .iter()
                .map(|w| w.to_string_lossy())
                .collect::<String>();
            name.strip_prefix("-l").is_some_and(|n| {
                dirs.iter()
                    .any(|d| calls_runtime(&d.join(format!("lib{n}.a"))))
            })
        }
    })
}

/// Whether the linker makes something that can be run or loaded.
fn may_link(command: &CommandLine) -> bool {
    !["-r", "-nostdlib", "-nodefaultlibs", "-nolibc"]
        .iter()
        .any(|o| command.has_option(o))
}

/// Whether an object file or archive names functions of the runtime.
fn calls_runtime(path: &Path) -> bool {
    let object = path
        .extension()
        .is_some_and(|e| e == "o" || e == "a" || e == "lo");
    let Ok(bytes) = (if object {
        std::fs::read(path)
    } else {
        return false;
    }) else {
        return false;
    };
    // Names in symbol tables stand behind the zero of the one before.
    let mut rest = &bytes[..];
    while let Some(at) = rest.iter().position(|b| *b == 0) {
        rest = &rest[at + 1..];
        if rest.starts_with(b"terrace_") || rest.starts_with(b"acc_") {
            return true;
        }
    }
    false
}

/// The words that link the runtime in, where something calls it, and the archive that they name.
///
/// # Errors
///
/// Where the archive cannot be found: what to do.
pub fn runtime_words(
    command: &CommandLine,
    carried: Option<&Runtime>,
) -> Result<(Vec<OsString>, Option<Place>), String> {
    if !may_link(command) {
        return Ok((Vec::new(), None));
    }
    let archive = archive(carried)?;
    let file = archive.path().into();
    let mut words: Vec<OsString> = vec!["-Wl,--push-state,--as-needed".into(), file];
    // What Rust's standard library needs of the system.
    words.extend(["-lpthread", "-ldl", "-lm", "-lrt"].map(OsString::from));
    let is_static = command.has_option("-static") || command.has_option("-static-pie");
    words.push(if is_static { "-lgcc_eh" } else { "-lgcc_s" }.into());
    words.push("-Wl,--pop-state".into());
    Ok((words, Some(archive)))
}
