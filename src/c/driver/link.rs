//! What a program with regions is linked with.

use super::command_line::{Arg, CommandLine, Language, Mode};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The environment variable that names the runtime's archive.
pub const RUNTIME: &str = "TERRACE_RUNTIME";

/// The archive's name where it is installed.
const ARCHIVE: &str = "libterrace_runtime.a";

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

/// The words that link the runtime in, where something calls it.
///
/// # Errors
///
/// Where the archive cannot be found: what to do.
pub fn runtime_words(command: &CommandLine) -> Result<Vec<OsString>, String> {
    if !may_link(command) {
        return Ok(Vec::new());
    }
    let archive = find_archive()?;
    let mut words: Vec<OsString> = vec!["-Wl,--push-state,--as-needed".into(), archive.into()];
    // What Rust's standard library needs of the system.
    words.extend(["-lpthread", "-ldl", "-lm", "-lrt"].map(OsString::from));
    let is_static = command.has_option("-static") || command.has_option("-static-pie");
    words.push(if is_static { "-lgcc_eh" } else { "-lgcc_s" }.into());
    words.push("-Wl,--pop-state".into());
    Ok(words)
}

fn find_archive() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(RUNTIME).filter(|p| !p.is_empty()) {
        let path = PathBuf::from(path);
        return match path.is_file() {
            true => Ok(path),
            false => Err(format!(
                "error: {RUNTIME} names '{}', where there is no file\n",
                path.display()
            )),
        };
    }
    let own = std::env::current_exe().and_then(std::fs::canonicalize);
    let own = own.unwrap_or_default();
    let folder = own.parent().unwrap_or(Path::new("/"));
    let mut places = vec![folder.join(ARCHIVE)];
    places.extend(built(&folder.join("deps")));
    for lib in ["../lib", "../lib/terrace"] {
        places.push(folder.join(lib).join(ARCHIVE));
    }
    let age = |p: &PathBuf| modified(p).map(|t| (t, p.clone()));
    // Beside each other lie those of several builds; the newest belongs to this one.
    let newest = places.iter().filter_map(age).max_by_key(|(t, _)| *t);
    newest.map(|(_, p)| p).ok_or_else(|| {
        format!(
            "error: there is no {ARCHIVE} beside {} nor in ../lib; name it in the environment \
             variable {RUNTIME}\n",
            own.display()
        )
    })
}

fn modified(path: &Path) -> Option<SystemTime> {
    let m = std::fs::metadata(path).ok()?;
    m.modified().ok()
}

/// Archives as cargo leaves them, with a hash in the name.
fn built(deps: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(deps) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|e| e.path());
    names
        .filter(|p| {
            let name = p.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libterrace_runtime") && name.ends_with(".a")
        })
        .collect()
}
