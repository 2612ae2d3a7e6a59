//! What tests that change files at random share: numbers from the environment, and an
//! end to the process where a file takes for ever, since a thread cannot be stopped.

use std::sync::Mutex;
use std::time::{Duration, Instant};

pub fn environment(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v.parse().expect("a number in the environment"),
        Err(_) => default,
    }
}

/// What is looked at now: its seed, text and start.
static CURRENT: Mutex<Option<(u64, String, Instant)>> = Mutex::new(None);

pub fn set_current(now: Option<(u64, String, Instant)>) {
    *CURRENT.lock().expect("no panic holds it") = now;
}

/// Ends the process where a file takes longer than `longest`.
pub fn watch(longest: Duration) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = CURRENT.lock().expect("no panic holds it");
            if let Some((seed, text, start)) = &*now
                && start.elapsed() > longest
            {
                eprintln!("seed {seed} takes more than {longest:?}:\n{text}");
                std::process::exit(1);
            }
        }
    });
}
