//! What programs of terrace are compiled and linked with: headers, and the archive of the runtime.
//!
//! The tools carry both, so that an installed tool is one file that may lie anywhere. Compilers and linkers
//! read files, though. So they are unpacked beside the compiled kernels, each into a folder that is named for
//! its contents, and are used there by later runs. Where there is no such folder they are unpacked for one run.

use super::temporary::Folder;
use crate::runtime::cache::Settings;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use terrace_support::unfinished::Unfinished;

/// The environment variable that names the runtime's archive.
pub const VARIABLE: &str = "TERRACE_RUNTIME";
/// The environment variable that names the folder of the headers.
pub const INCLUDE: &str = "TERRACE_INCLUDE";

/// The archive's name where it is installed.
pub const ARCHIVE: &str = "libterrace_runtime.a";

const HEADERS: [(&str, &[u8]); 3] = [
    (
        "openacc.h",
        include_bytes!("../../../runtime/include/openacc.h"),
    ),
    (
        "acc_prof.h",
        include_bytes!("../../../runtime/include/acc_prof.h"),
    ),
    (
        "terrace.h",
        include_bytes!("../../../runtime/include/terrace.h"),
    ),
];

/// What the folders' names begin with, for archives and for headers.
const KINDS: [&str; 2] = ["lib-", "include-"];

/// A folder that no run has used for so long is one of an older terrace.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);
/// How often a use is noted.
const NOTED: Duration = Duration::from_secs(24 * 3600);

/// The archive of the runtime, as a tool carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runtime {
    /// The archive.
    pub bytes: &'static [u8],
    /// A name for it, that archives with other bytes do not have.
    pub name: &'static str,
}

/// Where a file or folder is, and as long as this value lives.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    /// That it was named by a variable.
    named: bool,
    /// For one run only.
    folder: Option<Folder>,
}

impl Place {
    fn named(path: PathBuf) -> Place {
        Place {
            path,
            named: true,
            folder: None,
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is gone when this value is.
    pub fn is_temporary(&self) -> bool {
        self.folder.is_some()
    }

    /// Where it is, in words.
    pub fn said(&self) -> String {
        let path = self.path.display();
        match (self.named, &self.folder) {
            (true, _) => format!("which the environment names: {path}"),
            (false, None) => format!("unpacked to {path}"),
            (false, Some(_)) => "unpacked for each run, since there is no cache".to_string(),
        }
    }
}

/// The archive that the environment names, or else the one that the tool carries.
///
/// # Errors
///
/// There is none, or it cannot be written: what to do.
pub fn archive(carried: Option<&Runtime>) -> Result<Place, String> {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|p| !p.is_empty()) {
        let path = PathBuf::from(path);
        return match path.is_file() {
            true => Ok(Place::named(path)),
            false => Err(format!(
                "error: {VARIABLE} names '{}', where there is no file\n",
                path.display()
            )),
        };
    }
    let Some(runtime) = carried else {
        return Err(format!(
            "error: this program does not carry {ARCHIVE}, which terrace does; name the archive in \
             the environment variable {VARIABLE}\n"
        ));
    };
    let place = unpacked(
        &format!("{}{}", KINDS[0], runtime.name),
        &[(ARCHIVE, runtime.bytes)],
    )?;
    Ok(Place {
        path: place.path.join(ARCHIVE),
        ..place
    })
}

/// The folder of the headers: the one that the environment names, or else of those that terrace carries.
///
/// # Errors
///
/// They cannot be written.
pub fn headers() -> Result<Place, String> {
    let named = std::env::var_os(INCLUDE).map(PathBuf::from);
    if let Some(path) = named.filter(|p| p.join(HEADERS[0].0).is_file()) {
        return Ok(Place::named(path));
    }
    let mut hash = DefaultHasher::new();
    for (name, bytes) in HEADERS {
        hash.write(name.as_bytes());
        hash.write(bytes);
    }
    unpacked(&format!("{}{:016x}", KINDS[1], hash.finish()), &HEADERS)
}

/// A folder with these files, in that of compiled kernels, or for one run.
fn unpacked(name: &str, files: &[(&str, &[u8])]) -> Result<Place, String> {
    let settings = Settings::read(|name| std::env::var_os(name));
    let cache = settings.ok().filter(|s| s.on).and_then(|s| s.folder);
    // A folder that is relative is another one in another working directory.
    let cache = cache.and_then(|f| std::path::absolute(f).ok());
    if let Some(path) = cache.and_then(|cache| kept(&cache, name, files)) {
        return Ok(Place {
            path,
            named: false,
            folder: None,
        });
    }
    let folder = Folder::new(None).map_err(|f| f.message)?;
    for (name, bytes) in files {
        folder.write(name, bytes).map_err(|f| f.message)?;
    }
    Ok(Place {
        path: folder.file(""),
        named: false,
        folder: Some(folder),
    })
}

/// The folder in the cache, made where it is not there or holds something else. None where it cannot be.
fn kept(cache: &Path, name: &str, files: &[(&str, &[u8])]) -> Option<PathBuf> {
    let folder = cache.join(name);
    let is_same = |(name, bytes): &(&str, &[u8])| {
        std::fs::read(folder.join(name)).is_ok_and(|found| found == *bytes)
    };
    if files.iter().all(is_same) {
        note_use(&folder);
        return Some(folder);
    }
    remove(cache, Some(UNUSED));
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
    builder.create(&folder).ok()?;
    for (name, bytes) in files {
        write(&folder, name, bytes).ok()?;
    }
    Some(folder)
}

/// Writes a file that another process may be reading or writing.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let beside = folder.join(format!("{name}.{}.tmp", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let (mut file, _unfinished) = Unfinished::file(&beside, &options)?;
    let written = std::io::Write::write_all(&mut file, bytes)
        .and_then(|()| std::fs::rename(&beside, folder.join(name)));
    if written.is_err() {
        // The first error is the one that counts.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn note_use(folder: &Path) {
    if age(folder).is_some_and(|a| a > NOTED)
        && let Ok(f) = std::fs::File::open(folder)
    {
        // Where the time cannot be set, the folder is made anew once it is old.
        let _ = f.set_modified(SystemTime::now());
    }
}

fn age(path: &Path) -> Option<Duration> {
    let modified = std::fs::metadata(path).ok()?.modified().ok()?;
    SystemTime::now().duration_since(modified).ok()
}

/// Removes what was unpacked into a cache and has not been used for so long. How many folders that
/// were, and how many bytes.
pub fn remove(cache: &Path, unused: Option<Duration>) -> (usize, u64) {
    let (mut folders, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(cache).into_iter().flatten().flatten() {
        let path = entry.path();
        let old = unused.is_none_or(|least| age(&path).is_some_and(|a| a > least));
        if !is_ours(&entry.file_name().to_string_lossy()) || !path.is_dir() || !old {
            continue;
        }
        let files = std::fs::read_dir(&path).into_iter().flatten().flatten();
        let sizes: u64 = files.filter_map(|f| Some(f.metadata().ok()?.len())).sum();
        if std::fs::remove_dir_all(&path).is_ok() {
            folders += 1;
            bytes += sizes;
        }
    }
    (folders, bytes)
}

/// Whether a folder's name is one that is made here.
fn is_ours(name: &str) -> bool {
    let digits = KINDS.iter().find_map(|k| name.strip_prefix(k));
    digits.is_some_and(|d| d.len() >= 16 && d.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The word by which the compiler finds a folder of headers.
pub fn include_words(folder: &Place) -> [OsString; 2] {
    ["-isystem".into(), folder.path().into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("terrace-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn files_are_unpacked_once_and_mended() {
        let cache = folder("unpacked");
        let files: [(&str, &[u8]); 2] = [("a", b"one"), ("b", b"two")];
        let made = kept(&cache, "lib-0123456789abcdef", &files).unwrap();
        assert_eq!(std::fs::read(made.join("a")).unwrap(), b"one");
        let before = std::fs::metadata(made.join("a"))
            .unwrap()
            .modified()
            .unwrap();
        assert_eq!(
            kept(&cache, "lib-0123456789abcdef", &files),
            Some(made.clone())
        );
        assert_eq!(
            std::fs::metadata(made.join("a"))
                .unwrap()
                .modified()
                .unwrap(),
            before
        );
        std::fs::write(made.join("b"), "cut").unwrap();
        kept(&cache, "lib-0123456789abcdef", &files).unwrap();
        assert_eq!(std::fs::read(made.join("b")).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(&made).unwrap().count(), 2);
        std::fs::remove_dir_all(&cache).unwrap();
    }

    #[test]
    fn a_place_that_cannot_be_written_is_none() {
        let cache = folder("not-a-folder");
        std::fs::write(&cache, "a file").unwrap();
        assert_eq!(kept(&cache, "lib-0123456789abcdef", &[("a", b"one")]), None);
        std::fs::remove_file(&cache).unwrap();
    }

    #[test]
    fn what_is_old_goes_and_what_is_not_ours_stays() {
        let cache = folder("old");
        for name in [
            "lib-0123456789abcdef",
            "include-0123456789abcdef",
            "lib-x",
            "other",
        ] {
            std::fs::create_dir_all(cache.join(name)).unwrap();
            std::fs::write(cache.join(name).join("f"), "12345").unwrap();
        }
        let long_ago = SystemTime::now() - 2 * UNUSED;
        let old = std::fs::File::open(cache.join("lib-0123456789abcdef")).unwrap();
        old.set_modified(long_ago).unwrap();
        assert_eq!(remove(&cache, Some(UNUSED)), (1, 5));
        assert_eq!(remove(&cache, None), (1, 5));
        let mut left: Vec<_> = std::fs::read_dir(&cache)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["lib-x", "other"]);
        std::fs::remove_dir_all(&cache).unwrap();
    }

    #[test]
    fn a_use_is_noted() {
        let cache = folder("noted");
        let made = kept(&cache, "lib-0123456789abcdef", &[("a", b"one")]).unwrap();
        let f = std::fs::File::open(&made).unwrap();
        f.set_modified(SystemTime::now() - 2 * NOTED).unwrap();
        kept(&cache, "lib-0123456789abcdef", &[("a", b"one")]).unwrap();
        assert!(age(&made).unwrap() < NOTED);
        std::fs::remove_dir_all(&cache).unwrap();
    }
}
