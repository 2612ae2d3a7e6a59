//! The folder of a cache.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use terrace_support::unfinished::Unfinished;

use super::{CacheError, Key, Listed, entry};

/// The end of an entry's name, behind 64 hexadecimal digits.
const ENDING: &str = ".kernels";
/// The end of the name of an entry that is being written.
const UNFINISHED: &str = ".unfinished";
/// An entry that is unfinished for so long has no writer any more.
const ABANDONED: Duration = Duration::from_secs(3600);
/// No module is as large; what is, is no entry.
const MAX_BYTES: u64 = 1 << 30;

/// Turns an error into one that names the operation and the path.
fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CacheError {
    let path = path.to_path_buf();
    move |error| CacheError {
        operation,
        path,
        error,
    }
}

/// The file of a key.
pub fn path(folder: &Path, key: &Key) -> PathBuf {
    folder.join(format!("{}{ENDING}", key.hex()))
}

/// Whether a file's name is one of an entry, finished or not.
fn is_ours(name: &str) -> Option<bool> {
    let (finished, rest) = match name.strip_suffix(ENDING) {
        Some(rest) => (true, rest),
        None => (false, name.strip_suffix(UNFINISHED)?.get(..64)?),
    };
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    (rest.len() == 64 && rest.bytes().all(is_hex)).then_some(finished)
}

/// The code of a key; none if it is absent or not whole.
pub fn load(folder: &Path, key: &Key) -> Result<Option<Vec<u8>>, CacheError> {
    let path = path(folder, key);
    let Some(bytes) = read(&path)? else {
        return Ok(None);
    };
    let Some((contents, code)) = entry::decode(&bytes) else {
        return Ok(None);
    };
    if contents.key != key.hex() {
        return Ok(None);
    }
    // Where the time cannot be set, entries go in the order in which they were made.
    if let Ok(file) = File::open(&path) {
        let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
    }
    Ok(Some(code.to_vec()))
}

/// All bytes of a file; none if there is no such file, or one that cannot be an entry.
fn read(path: &Path) -> Result<Option<Vec<u8>>, CacheError> {
    let file = match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed("read", path))?,
    };
    let kind = file.metadata().map_err(failed("read", path))?;
    if !kind.is_file() || kind.len() > MAX_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(failed("read", path))?;
    Ok(Some(bytes))
}

/// Writes an entry, and makes room; false if it is larger than the limit.
pub fn save(
    folder: &Path,
    limit: u64,
    key: &Key,
    kernels: &[String],
    code: &[u8],
) -> Result<bool, CacheError> {
    let made = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let bytes = entry::encode(key, kernels, made, code);
    let size = bytes.len() as u64;
    if size > limit || size > MAX_BYTES {
        return Ok(false);
    }
    make(folder)?;
    let to = path(folder, key);
    let beside = unfinished(folder, key);
    let (mut file, _unfinished) = create(&beside).map_err(failed("write", &beside))?;
    let written = file
        .write_all(&bytes)
        .map_err(failed("write", &beside))
        .and_then(|()| fs::rename(&beside, &to).map_err(failed("write", &to)));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written?;
    make_room(folder, limit, &to)?;
    Ok(true)
}

/// A name that no other thread or process uses.
fn unfinished(folder: &Path, key: &Key) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (process, n) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    // Process numbers come again, and folders are shared between machines.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |d| d.as_nanos());
    folder.join(format!("{}.{process}.{n}.{now}{UNFINISHED}", key.hex()))
}

/// The folder, for this user only: what is in it is run.
fn make(folder: &Path) -> Result<(), CacheError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed("make", folder))
}

/// A new file, for this user only.
fn create(path: &Path) -> io::Result<(File, Unfinished)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Unfinished::file(path, &options)
}

/// Removes a file; one that is gone is no error.
pub fn remove(path: &Path) -> Result<(), CacheError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other.map_err(failed("remove", path)),
    }
}

/// A file of the cache.
struct CachedFile {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
    finished: bool,
}

fn scan(folder: &Path) -> Result<Vec<CachedFile>, CacheError> {
    let files = match fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed("read", folder))?,
    };
    let mut found = Vec::new();
    for file in files {
        let file = file.map_err(failed("read", folder))?;
        let name = file.file_name();
        let Some(finished) = name.to_str().and_then(is_ours) else {
            continue;
        };
        // One that another process has removed meanwhile is not there.
        let Ok(data) = file.metadata() else {
            continue;
        };
        if data.is_file() {
            found.push(CachedFile {
                path: file.path(),
                bytes: data.len(),
                used: data.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                finished,
            });
        }
    }
    Ok(found)
}

fn since(time: SystemTime) -> Duration {
    SystemTime::now().duration_since(time).unwrap_or_default()
}

/// Removes what was used longest ago until the rest is within the limit; never `keep`.
fn make_room(folder: &Path, limit: u64, keep: &Path) -> Result<(), CacheError> {
    let mut found = scan(folder)?;
    found.sort_by_key(|f| f.used);
    let mut all = found.iter().fold(0u64, |n, f| n.saturating_add(f.bytes));
    for f in found {
        let goes = match f.finished {
            true => all > limit && f.path != keep,
            false => since(f.used) > ABANDONED,
        };
        if goes {
            remove(&f.path)?;
            all = all.saturating_sub(f.bytes);
        }
    }
    Ok(())
}

/// All entries, the one used last first.
pub fn list(folder: &Path) -> Result<Vec<Listed>, CacheError> {
    let mut found = scan(folder)?;
    found.retain(|f| f.finished);
    found.sort_by_key(|f| std::cmp::Reverse((f.used, f.path.clone())));
    let mut out = Vec::new();
    for f in found {
        let Some(bytes) = read(&f.path)? else {
            continue;
        };
        let contents = entry::decode(&bytes).map(|(contents, _)| contents);
        let named = |key: &str| {
            f.path
                .file_name()
                .is_some_and(|n| n.to_str() == Some(&format!("{key}{ENDING}")))
        };
        out.push(Listed {
            contents: contents.filter(|c| named(&c.key)),
            bytes: f.bytes,
            unused_for: since(f.used).as_secs(),
            path: f.path,
        });
    }
    Ok(out)
}

/// Removes all; the number of files and of bytes.
pub fn clear(folder: &Path) -> Result<(usize, u64), CacheError> {
    let (mut count, mut bytes) = (0, 0u64);
    for f in scan(folder)? {
        remove(&f.path)?;
        count += 1;
        bytes = bytes.saturating_add(f.bytes);
    }
    Ok((count, bytes))
}
