//! Entries under everything that can happen to a folder that others use too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::*;

/// A folder of a test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("terrace-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Folder(folder)
    }

    fn cache(&self) -> Cache {
        Cache::new(self.0.clone(), 1 << 30)
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.0).unwrap();
        files.map(|f| f.unwrap().path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(text: &str) -> Key {
    Key::new(text, "sm_90", "580.1", "lineinfo")
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| n.to_string()).collect()
}

/// Code that tells which text it is of, of many different bytes.
fn code(text: &str, bytes: usize) -> Vec<u8> {
    let word = sha256(text.as_bytes());
    (0..bytes).map(|i| word[i % 32] ^ (i / 32) as u8).collect()
}

#[test]
fn what_is_kept_comes_back() {
    let folder = Folder::new("back");
    let cache = folder.cache();
    let k = key(".visible .entry step() {}");
    assert_eq!(cache.load(&k), None);
    assert!(cache.list().unwrap().is_empty());
    let kept = code("step", 5000);
    assert!(cache.save(&k, &names(&["step", "init"]), &kept));
    assert_eq!(cache.load(&k), Some(kept));
    let listed = cache.list().unwrap();
    let contents = listed[0].contents.clone().unwrap();
    assert_eq!(contents.kernels, ["step", "init"]);
    assert_eq!(
        (contents.architecture.as_str(), contents.driver.as_str()),
        ("sm_90", "580.1")
    );
    assert_eq!((listed.len(), contents.bytes), (1, 5000));
    assert!(listed[0].unused_for < 60 && listed[0].bytes > 5000);
    // No code at all is code too.
    assert!(cache.save(&key("empty"), &[], &[]));
    assert_eq!(cache.load(&key("empty")), Some(Vec::new()));
}

#[test]
fn everything_that_matters_is_in_the_key() {
    let one = Key::new("text", "sm_90", "1", "a");
    let others = [
        Key::new("text ", "sm_90", "1", "a"),
        Key::new("text", "sm_80", "1", "a"),
        Key::new("text", "sm_90", "2", "a"),
        Key::new("text", "sm_90", "1", "b"),
        Key::new("atext", "sm_90", "1", ""),
    ];
    assert!(others.iter().all(|o| o.hex() != one.hex()));
    assert_eq!(one.hex(), Key::new("text", "sm_90", "1", "a").hex());
    // Text of the driver's may have line ends, which must not become fields.
    assert_eq!(
        Key::new("", "sm_90", "a\nkernels b", "").driver,
        "a kernels b"
    );
}

#[test]
fn damaged_entries_are_absent_and_written_anew() {
    let folder = Folder::new("damage");
    let cache = folder.cache();
    let (k, kept) = (key("t"), code("t", 300));
    assert!(cache.save(&k, &names(&["t"]), &kept));
    let path = folder.files().remove(0);
    let whole = fs::read(&path).unwrap();
    // Cut off anywhere; any bit flipped; more behind; nothing; another file.
    let cut = (0..whole.len()).map(|n| whole[..n].to_vec());
    let flipped = (0..whole.len()).map(|i| {
        let mut bytes = whole.clone();
        bytes[i] ^= 1 << (i % 8);
        bytes
    });
    let longer = [
        whole.iter().copied().chain([0]).collect(),
        vec![b'\n'; 5000],
    ];
    for (i, bytes) in cut.chain(flipped).chain(longer).enumerate() {
        fs::write(&path, &bytes).unwrap();
        assert_eq!(cache.load(&k), None, "damage {i}");
        assert_eq!(cache.list().unwrap()[0].contents, None, "damage {i}");
    }
    assert!(cache.save(&k, &names(&["t"]), &kept));
    assert_eq!(cache.load(&k), Some(kept.clone()));
    // A whole entry under the name of another.
    let other = key("other");
    fs::copy(&path, folder.0.join(format!("{}.kernels", other.hex()))).unwrap();
    assert_eq!(cache.load(&other), None);
    let whole = |l: &&Listed| l.contents.is_some();
    assert_eq!(cache.list().unwrap().iter().filter(whole).count(), 1);
    // A folder in its place: not an entry, cannot be replaced, does no harm.
    fs::remove_file(&path).unwrap();
    fs::create_dir_all(path.join("x")).unwrap();
    assert_eq!(cache.load(&k), None);
    assert!(!cache.save(&k, &[], &kept));
}

#[test]
fn a_folder_that_cannot_be_written() {
    let folder = Folder::new("unwritable");
    fs::create_dir_all(&folder.0).unwrap();
    let file = folder.0.join("file");
    fs::write(&file, "x").unwrap();
    // Below a file there can be no folder, for no user.
    let cache = Cache::new(file.join("cache"), 1 << 20);
    assert_eq!(cache.load(&key("t")), None);
    assert!(!cache.save(&key("t"), &[], b"code"));
    cache.remove(&key("t"));
    assert!(cache.clear().is_err() && cache.list().is_err());
    let error = cache.list().unwrap_err().to_string();
    let path = file.join("cache");
    assert!(
        error.starts_with(&format!("cannot read {}: ", path.display())),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), b"x");
}

#[test]
fn a_folder_that_may_only_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("readonly");
    let cache = folder.cache();
    assert!(cache.save(&key("a"), &[], b"a"));
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o500)).unwrap();
    // Those who may write anywhere are not stopped.
    let root = fs::write(folder.0.join("probe"), "").is_ok();
    assert_eq!(cache.save(&key("b"), &[], b"b"), root);
    assert_eq!(cache.load(&key("a")), Some(b"a".to_vec()));
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o700)).unwrap();
    let unfinished = |p: &PathBuf| p.to_string_lossy().ends_with(".unfinished");
    assert!(!folder.files().iter().any(unfinished));
}

/// Gives a file the time of a last use some seconds ago.
fn age(path: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_times(fs::FileTimes::new().set_modified(time))
        .unwrap();
}

#[test]
fn what_was_used_longest_ago_goes() {
    let folder = Folder::new("evict");
    // Room for three entries of these, not four.
    let cache = Cache::new(folder.0.clone(), 5000);
    let file = |text: &str| folder.0.join(format!("{}.kernels", key(text).hex()));
    for (text, seconds) in [("a", 300), ("b", 200), ("c", 100)] {
        assert!(cache.save(&key(text), &[], &code(text, 1200)));
        age(&file(text), seconds);
    }
    // A use makes the oldest the newest.
    assert!(cache.load(&key("a")).is_some());
    assert!(cache.save(&key("d"), &[], &code("d", 1200)));
    let there = |text: &str| file(text).exists();
    assert_eq!(["a", "b", "c", "d"].map(there), [true, false, true, true]);
    // What alone is too large is not kept, and nothing goes for it.
    assert!(!cache.save(&key("huge"), &[], &code("huge", 5000)));
    assert_eq!(cache.list().unwrap().len(), 3);
    // The order of the list is that of the last uses.
    age(&file("d"), 50);
    let keys: Vec<String> = cache
        .list()
        .unwrap()
        .into_iter()
        .map(|l| l.contents.unwrap().key)
        .collect();
    assert_eq!(keys, ["a", "d", "c"].map(|t| key(t).hex()));
}

#[test]
fn only_what_is_ours_is_removed() {
    let folder = Folder::new("clear");
    let cache = folder.cache();
    assert_eq!(cache.clear().unwrap(), (0, 0));
    assert!(cache.save(&key("a"), &[], b"a"));
    let hex = key("b").hex();
    let ours = [
        format!("{hex}.kernels"),
        format!("{hex}.1.2.3.unfinished"),
        format!("{hex}.4.5.6.unfinished"),
    ];
    let theirs = ["notes.txt", "x.kernels", &hex, "x.unfinished", "ä.kernels"];
    for name in ours.iter().map(String::as_str).chain(theirs) {
        fs::write(folder.0.join(name), "12345").unwrap();
    }
    // What somebody may still be writing stays when room is made; what nobody does goes.
    age(&folder.0.join(&ours[2]), 7200);
    assert!(cache.save(&key("c"), &[], b"c"));
    assert!(folder.0.join(&ours[1]).exists() && !folder.0.join(&ours[2]).exists());
    let (count, bytes) = cache.clear().unwrap();
    assert_eq!((count, folder.files().len()), (4, theirs.len()));
    assert!(bytes > 10);
}

#[test]
fn many_threads_at_once() {
    let folder = Folder::new("threads");
    let texts = ["a", "b", "c", "d"];
    std::thread::scope(|s| {
        for t in 0..8 {
            let cache = folder.cache();
            s.spawn(move || churn(&cache, &texts, t));
        }
    });
    let cache = folder.cache();
    for text in texts {
        assert_eq!(cache.load(&key(text)), Some(code(text, 20_000)));
    }
    assert_eq!(folder.files().len(), texts.len());
}

/// Reads, writes and removes; what is read must be whole. Writes all at its end.
fn churn(cache: &Cache, texts: &[&str], seed: usize) {
    for i in 0..40 {
        let text = texts[(i * 7 + seed) % texts.len()];
        if let Some(found) = cache.load(&key(text)) {
            assert_eq!(found, code(text, 20_000), "{text}");
            if i % 5 == seed % 5 {
                cache.remove(&key(text));
            }
        }
        assert!(cache.save(&key(text), &names(&[text]), &code(text, 20_000)));
    }
    for text in texts {
        assert!(cache.save(&key(text), &names(&[text]), &code(text, 20_000)));
    }
}

/// Set for the processes that `several_processes_at_once` starts: the folder.
const CHILD: &str = "TERRACE_TEST_CACHE_CHILD";

/// What those processes do; nothing in other runs of the tests.
#[test]
fn a_process_among_several() {
    let Some(folder) = std::env::var_os(CHILD) else {
        return;
    };
    // Small, so that entries also go.
    let cache = Cache::new(folder.into(), 50_000);
    let seed = std::process::id() as usize;
    churn(&cache, &["a", "b", "c", "d"], seed);
}

#[test]
fn several_processes_at_once() {
    let folder = Folder::new("processes");
    let tests = std::env::current_exe().unwrap();
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(&tests)
                .args(["--exact", "cache::tests::a_process_among_several"])
                .env(CHILD, &folder.0)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let cache = folder.cache();
    let listed = cache.list().unwrap();
    // Two of 20,000 bytes fit below 50,000; two processes that make room at the same
    // time may remove one each.
    assert!((1..=2).contains(&listed.len()), "{listed:?}");
    assert!(listed.iter().all(|l| l.contents.is_some()));
    assert_eq!(folder.files().len(), listed.len());
}

/// Set for the process that `what_goes_wrong_is_said_once` starts.
const SAYS: &str = "TERRACE_TEST_CACHE_SAYS";

/// What that process does; nothing in other runs of the tests.
#[test]
fn a_process_without_a_folder() {
    if std::env::var_os(SAYS).is_none() {
        return;
    }
    let cache = Cache::from_environment(true).unwrap().unwrap();
    for text in ["a", "b"] {
        assert_eq!(cache.load(&key(text)), None);
        assert!(!cache.save(&key(text), &[], b"code"));
    }
}

#[test]
fn what_goes_wrong_is_said_once() {
    let folder = Folder::new("said");
    fs::create_dir_all(&folder.0).unwrap();
    let file = folder.0.join("file");
    fs::write(&file, "x").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cache::tests::a_process_without_a_folder"])
        .arg("--nocapture")
        .env(SAYS, "1")
        .env("TERRACE_CACHE_DIR", &file)
        .env_remove("TERRACE_CACHE")
        .env_remove("TERRACE_CACHE_SIZE")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let said = "terrace: going on without the kernel cache: cannot ";
    assert_eq!(text.matches(said).count(), 1, "{text}");
}
