//! Files on the way, and files that appear whole or not at all.

use super::host::Failed;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use terrace_support::unfinished::Unfinished;

/// A folder that is removed in the end, or kept where the user asks for it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    kept: bool,
    /// Where a signal ends the process, the folder is removed too.
    _unfinished: Option<Unfinished>,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Folder {
    /// A new folder of this process's own; `keep` is used instead if it is given.
    pub fn new(keep: Option<&Path>) -> Result<Folder, Failed> {
        let failed = |path: &Path, e: std::io::Error| {
            Failed::own(format!(
                "error: cannot make the folder '{}': {e}\n",
                path.display()
            ))
        };
        if let Some(path) = keep {
            std::fs::create_dir_all(path).map_err(|e| failed(path, e))?;
            return Ok(Folder {
                path: path.to_path_buf(),
                kept: true,
                _unfinished: None,
            });
        }
        loop {
            let n = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("terrace-cc-{}-{n}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match Unfinished::folder(&path) {
                Ok(noted) => {
                    return Ok(Folder {
                        _unfinished: Some(noted),
                        path,
                        kept: false,
                    });
                }
                // Of a process that did not clean up.
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && n < 100 => {}
                Err(e) => return Err(failed(&path, e)),
            }
        }
    }

    /// A path in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Write a file in the folder.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<PathBuf, Failed> {
        let path = self.file(name);
        std::fs::write(&path, contents).map_err(|e| cannot_write(&path, &e))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.kept {
            // Nobody could do anything about what stays.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

fn cannot_write(path: &Path, e: &std::io::Error) -> Failed {
    Failed::own(format!("error: cannot write '{}': {e}\n", path.display()))
}

/// Put the file `made` in the place of `target`: readers see the old file or the new
/// one. What is no ordinary file, such as `/dev/null`, is written to.
pub fn put(made: &Path, target: &Path) -> Result<(), Failed> {
    let failed = |e: std::io::Error| cannot_write(target, &e);
    let place = match std::fs::metadata(target) {
        Ok(m) if !m.is_file() => {
            let bytes = std::fs::read(made).map_err(failed)?;
            return std::fs::write(target, bytes).map_err(failed);
        }
        Ok(_) => std::fs::canonicalize(target).map_err(failed)?,
        Err(_) => target.to_path_buf(),
    };
    let mut name = place.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = place.with_file_name(name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let (mut file, _unfinished) = Unfinished::file(&beside, &options).map_err(failed)?;
    let copied = (|| {
        let mut from = std::fs::File::open(made)?;
        std::io::copy(&mut from, &mut file)?;
        file.set_permissions(from.metadata()?.permissions())?;
        std::fs::rename(&beside, &place)
    })();
    if copied.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&beside);
    }
    copied.map_err(failed)
}
