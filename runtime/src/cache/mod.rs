//! Compiled kernels on disk, so that a driver compiles a text once.
//!
//! An entry is one file, named by a hash of everything that the code depends on
//! ([`Key`]): the text, the architecture, the driver, the options. It says what it
//! holds, for `terrace cache`, and ends in a checksum ([`entry`]).
//!
//! Several processes use a folder at once without locks. An entry is written beside and
//! renamed, so a reader finds all of it or nothing; two writers of one entry write the
//! same; an entry that another process removes while it is read stays readable. What
//! does not check out (cut off, changed, of another version) is treated as absent and
//! written anew. Whatever goes wrong with the folder, programs run without it.
//!
//! When the entries are larger than the limit, those that were used longest ago go. The
//! time of the last use is the file's modification time, since reading a file does not
//! mark it on most systems; the time it was made is inside.
//!
//! No device is touched here: [`crate::cuda`] brings the bytes.

pub mod entry;
pub mod settings;
mod sha256;
mod store;

#[cfg(test)]
mod tests;

use crate::notice::say;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

pub use entry::Contents;
pub use settings::Settings;
pub use sha256::sha256;

/// Grows with every change of what entries mean; part of each key.
const VERSION: &str = "terrace kernels 1";

/// What compiled code depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// As in `sm_90`.
    pub architecture: String,
    /// The driver that compiles.
    pub driver: String,
    /// How it is told to.
    pub options: String,
    hash: [u8; 32],
}

impl Key {
    /// The key of a text under these circumstances.
    pub fn new(text: &str, architecture: &str, driver: &str, options: &str) -> Key {
        let line = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
        let (architecture, driver, options) = (line(architecture), line(driver), line(options));
        let mut bytes = Vec::with_capacity(text.len() + 256);
        for part in [VERSION, &architecture, &driver, &options, text] {
            // With its length, so that no two lists of parts are the same bytes.
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part.as_bytes());
        }
        Key {
            hash: sha256(&bytes),
            architecture,
            driver,
            options,
        }
    }

    /// The hash in 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        self.hash.iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// What went wrong with the folder or a file of it.
#[derive(Debug)]
pub struct CacheError {
    /// What was being done, as in `write`.
    pub operation: &'static str,
    pub path: PathBuf,
    pub error: io::Error,
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operation, path) = (self.operation, self.path.display());
        write!(f, "cannot {operation} {path}: {}", self.error)
    }
}

impl std::error::Error for CacheError {}

/// An entry as `terrace cache` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub path: PathBuf,
    /// Of the whole file.
    pub bytes: u64,
    /// Seconds since it was used last.
    pub unused_for: u64,
    /// What it says of itself; none if it does not check out.
    pub contents: Option<Contents>,
}

/// A folder of compiled kernels.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Bytes of all entries together.
    limit: u64,
    notify: bool,
    said: AtomicBool,
}

impl Cache {
    /// A folder, which is made when something is first written, and how many bytes it
    /// may hold.
    pub fn new(folder: PathBuf, limit: u64) -> Cache {
        Cache {
            folder,
            limit,
            notify: false,
            said: AtomicBool::new(false),
        }
    }

    /// As the environment says (see [`Settings`]); none where it says that there is to
    /// be none, or where no folder is known. `notify` has the first failure said on
    /// standard error.
    ///
    /// # Errors
    /// A setting that is none.
    pub fn from_environment(notify: bool) -> Result<Option<Cache>, String> {
        let settings = Settings::read(|name| std::env::var_os(name))?;
        Ok(settings.cache().map(|c| Cache { notify, ..c }))
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The code of a key if it is there and whole, which counts as a use of it.
    pub fn load(&self, key: &Key) -> Option<Vec<u8>> {
        match store::load(&self.folder, key) {
            Ok(code) => code,
            Err(e) => {
                self.say(&e);
                None
            }
        }
    }

    /// Keeps code for a key, with the names of its kernels, and lets go of what was used
    /// longest ago where there is too much. Returns whether it is kept: a failure is
    /// said, if failures are to be, and changes nothing for the caller.
    pub fn save(&self, key: &Key, kernels: &[String], code: &[u8]) -> bool {
        match store::save(&self.folder, self.limit, key, kernels, code) {
            Ok(kept) => kept,
            Err(e) => {
                self.say(&e);
                false
            }
        }
    }

    /// Lets go of an entry, as one whose code turns out to be of no use.
    pub fn remove(&self, key: &Key) {
        if let Err(e) = store::remove(&store::path(&self.folder, key)) {
            self.say(&e);
        }
    }

    /// All entries, the one used last first.
    ///
    /// # Errors
    /// The folder cannot be read; one that is not there is empty.
    pub fn list(&self) -> Result<Vec<Listed>, CacheError> {
        store::list(&self.folder)
    }

    /// Removes all entries and what interrupted writers left, and nothing else that may
    /// be in the folder. Returns the number of files and of bytes.
    ///
    /// # Errors
    /// The folder cannot be read, or a file not be removed.
    pub fn clear(&self) -> Result<(usize, u64), CacheError> {
        store::clear(&self.folder)
    }

    fn say(&self, error: &CacheError) {
        if self.notify && !self.said.swap(true, Ordering::Relaxed) {
            say!("terrace: going on without the kernel cache: {error}");
        }
    }
}
