//! What a tool is at, for a person who waits for it.
//!
//! Functions of the library note what they begin ([`step`]). Nothing is shown of it, and no text is made,
//! unless a tool asks for that ([`on_terminal`]). Then, where standard error is a terminal, a line says what
//! has taken over a second so far. It is redrawn while the work goes on, and gone when it is done, so that
//! messages and results stand as they do anywhere else.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is done sooner shows no line.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a line is drawn anew.
const AGAIN: Duration = Duration::from_millis(250);

/// To the start of the line, and nothing more on it.
const CLEAR: &str = "\r\x1b[K";

static SHOWN: AtomicBool = AtomicBool::new(false);
static STEPS: Mutex<Steps> = Mutex::new(Steps {
    open: Vec::new(),
    next: 0,
    since: None,
    drawn: false,
});
static CHANGED: Condvar = Condvar::new();

struct Steps {
    /// Those that have begun and not ended, by number, the outermost first.
    open: Vec<(u64, String)>,
    next: u64,
    /// When the outermost began.
    since: Option<Instant>,
    /// Whether a line is on the terminal.
    drawn: bool,
}

impl Steps {
    /// `compiling gemm.mlir: kernel 2 of 3, 4 s`, where it has taken long enough.
    fn line(&self, now: Instant) -> Option<String> {
        let spent = now.saturating_duration_since(self.since?);
        if self.open.is_empty() || spent < PATIENCE {
            return None;
        }
        let steps: Vec<&str> = self.open.iter().map(|s| s.1.as_str()).collect();
        Some(format!("{}, {} s", steps.join(": "), spent.as_secs()))
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            write(CLEAR);
        }
    }
}

/// Nobody misses a line that cannot be written.
fn write(text: &str) {
    let mut err = std::io::stderr();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

fn steps() -> MutexGuard<'static, Steps> {
    STEPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What has begun, as long as this value lives.
#[derive(Debug)]
#[must_use]
pub struct Step(Option<u64>);

/// Notes that something begins; `text` says what, as in `compiling gemm.mlir`. Steps that begin
/// before this one ends stand behind it in the line.
pub fn step(text: impl FnOnce() -> String) -> Step {
    if !SHOWN.load(Ordering::Relaxed) {
        return Step(None);
    }
    let text = text();
    let mut steps = steps();
    let number = steps.next;
    steps.next += 1;
    if steps.open.is_empty() {
        steps.since = Some(Instant::now());
        CHANGED.notify_all();
    }
    steps.open.push((number, text));
    Step(Some(number))
}

impl Drop for Step {
    fn drop(&mut self) {
        let Some(number) = self.0 else { return };
        let mut steps = steps();
        steps.open.retain(|s| s.0 != number);
        if steps.open.is_empty() {
            steps.since = None;
            steps.clear();
            CHANGED.notify_all();
        }
    }
}

/// Writes a line to standard error that stays, such as one of a log. It ends here.
pub fn say(line: &str) {
    let mut steps = steps();
    steps.clear();
    write(&format!("{line}\n"));
}

/// Whether the line of progress may be drawn: standard error is a terminal that can clear a line.
pub fn is_shown() -> bool {
    SHOWN.load(Ordering::Relaxed)
}

/// Shows progress from now on, where standard error is a terminal. Tools call it when they begin.
pub fn on_terminal() {
    let plain = std::env::var_os("TERM").is_none_or(|t| t.is_empty() || t == "dumb");
    if plain || !std::io::stderr().is_terminal() || SHOWN.swap(true, Ordering::Relaxed) {
        return;
    }
    let watcher = std::thread::Builder::new().name("progress".into());
    if watcher.spawn(watch).is_err() {
        // Without a thread for it there is no line.
        SHOWN.store(false, Ordering::Relaxed);
    }
}

/// Draws the line, as long as the process runs.
fn watch() {
    let mut steps = steps();
    loop {
        let now = Instant::now();
        if let Some(line) = steps.line(now) {
            let line = cut(&line, width());
            write(&format!("{CLEAR}{line}"));
            steps.drawn = true;
        }
        steps = match steps.since {
            None => CHANGED.wait(steps).unwrap_or_else(PoisonError::into_inner),
            Some(_) => {
                let waited = CHANGED.wait_timeout(steps, AGAIN);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

/// So much of a text that the cursor stays in the line.
fn cut(text: &str, width: usize) -> String {
    let printed = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    printed.take(width.saturating_sub(1)).collect()
}

/// The columns of the terminal, 80 where it does not say.
fn width() -> usize {
    #[cfg(target_os = "linux")]
    {
        use std::ffi::{c_int, c_ulong};
        unsafe extern "C" {
            fn ioctl(file: c_int, request: c_ulong, ...) -> c_int;
        }
        const WINDOW_SIZE: c_ulong = 0x5413;
        let mut size = [0u16; 4];
        // SAFETY: the system stores four numbers of 16 bits: rows, columns, and two that are not used.
        let told = unsafe { ioctl(2, WINDOW_SIZE, size.as_mut_ptr()) };
        if told == 0 && size[1] > 0 {
            return size[1].into();
        }
    }
    80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_all_steps_once_a_second_is_over() {
        let since = Instant::now();
        let mut steps = Steps {
            open: vec![(0, "compiling a.mlir".into()), (1, "kernel 2 of 3".into())],
            next: 2,
            since: Some(since),
            drawn: false,
        };
        assert_eq!(steps.line(since + Duration::from_millis(999)), None);
        let line = steps.line(since + Duration::from_millis(4100));
        assert_eq!(
            line.as_deref(),
            Some("compiling a.mlir: kernel 2 of 3, 4 s")
        );
        steps.open.clear();
        assert_eq!(steps.line(since + Duration::from_secs(9)), None);
    }

    #[test]
    fn a_line_stays_in_its_line() {
        assert_eq!(cut("compiling", 5), "comp");
        assert_eq!(cut("a\nb\x1b[K", 80), "a b [K");
        assert_eq!(cut("äöü", 3), "äö");
        assert_eq!(cut("x", 0), "");
    }

    /// In this process nobody has asked for it.
    #[test]
    fn nothing_is_made_that_is_not_shown() {
        let step = step(|| panic!("a text is made"));
        assert!(step.0.is_none());
    }
}
