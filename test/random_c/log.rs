//! The state of a long run: a line for each file that was tried.

use super::run::Tried;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Mutex;

pub struct Log {
    file: Mutex<File>,
    before: BTreeSet<u64>,
}

impl Log {
    /// The one that the environment names.
    pub fn from_environment() -> Option<Log> {
        let path = std::env::var_os("TERRACE_RANDOM_C_LOG")?;
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let seed = |l: &str| l.strip_prefix("seed ")?.split(':').next()?.parse().ok();
        let before = old.lines().filter_map(seed).collect();
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .unwrap_or_else(|e| panic!("{}: {e}", path.to_string_lossy()));
        Some(Log {
            file: Mutex::new(file),
            before,
        })
    }

    pub fn has(&self, seed: u64) -> bool {
        self.before.contains(&seed)
    }

    pub fn add(&self, seed: u64, t: &Tried, reports: &[String]) {
        let mut text = format!(
            "seed {seed}: {} functions run, {} with kernels, {} invalid, {} failures\n",
            t.run,
            t.launched,
            t.invalid,
            t.failures.len()
        );
        for r in reports {
            for l in r.lines() {
                text.push_str(&format!("  {l}\n"));
            }
        }
        let mut file = self.file.lock().expect("no panic");
        file.write_all(text.as_bytes()).expect("the log is written");
    }
}
