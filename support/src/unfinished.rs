//! What is to be undone where a signal ends the process: files that are half written,
//! folders of things on the way, other processes that work for this one.
//!
//! A tool calls [`install`] when it begins. What must not stay is made through
//! [`Unfinished`], and noted as long as that is so. Where SIGINT, SIGTERM or SIGHUP
//! comes, noted processes are ended and what is noted is removed; then the signal ends
//! this process as if nothing had caught it. Other threads go on until then, but nothing
//! is made any more: to make a thing and to note it is one step. Programs that never call
//! `install` only keep a list.

use std::ffi::c_int;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

unsafe extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn kill(process: c_int, number: c_int) -> c_int;
    fn raise(number: c_int) -> c_int;
    #[link_name = "write"]
    fn write_bytes(file: c_int, bytes: *const u8, count: usize) -> isize;
}

const SIGHUP: c_int = 1;
const SIGINT: c_int = 2;
const SIGKILL: c_int = 9;
const SIGTERM: c_int = 15;
/// The handlers that the system has names for, and what `signal` returns on errors.
const SIG_DFL: usize = 0;
const SIG_IGN: usize = 1;

/// How long processes may take to end before their files are removed all the same.
const PATIENCE: Duration = Duration::from_secs(2);

/// One thing to undo.
#[derive(Debug, Clone)]
enum Thing {
    /// A file, or a folder with all in it.
    Path(PathBuf),
    /// A file that another process writes: not ours to remove before it has begun.
    WrittenSince(PathBuf, SystemTime),
    /// A process.
    Process(u32),
    /// A process with all that it starts.
    Group(u32),
}

impl Thing {
    fn is_process(&self) -> bool {
        matches!(self, Thing::Process(_) | Thing::Group(_))
    }
}

/// All that is noted, by number, and whether a signal has come.
struct State {
    things: Vec<(u64, Thing)>,
    next: u64,
    ending: bool,
}

static STATE: Mutex<State> = Mutex::new(State {
    things: Vec::new(),
    next: 0,
    ending: false,
});
static GONE: Condvar = Condvar::new();
/// Where the handler writes the number of the signal; -1 before [`install`].
static PIPE: AtomicI32 = AtomicI32::new(-1);

fn state() -> MutexGuard<'static, State> {
    // What a thread that panicked left is a list like any other.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that has to be undone where a signal comes, as long as this lives. It does
/// not undo anything itself.
#[derive(Debug)]
#[must_use]
pub struct Unfinished(u64);

impl Unfinished {
    /// A file, which is opened with these options.
    ///
    /// # Errors
    ///
    /// As [`OpenOptions::open`].
    pub fn file(path: &Path, options: &OpenOptions) -> io::Result<(File, Unfinished)> {
        let thing = Thing::Path(path.to_path_buf());
        Unfinished::begin(thing, || options.open(path))
    }

    /// A folder, which is made, with all that is put into it.
    ///
    /// # Errors
    ///
    /// As [`fs::create_dir`].
    pub fn folder(path: &Path) -> io::Result<Unfinished> {
        let thing = Thing::Path(path.to_path_buf());
        let ((), noted) = Unfinished::begin(thing, || fs::create_dir(path))?;
        Ok(noted)
    }

    /// A file that another process is about to write; what was there before that
    /// begins is left alone.
    pub fn written_elsewhere(path: &Path) -> Unfinished {
        let now = SystemTime::now();
        Unfinished::note(&mut begins(), Thing::WrittenSince(path.to_path_buf(), now))
    }

    /// A process that works for this one, which is started.
    ///
    /// # Errors
    ///
    /// As [`Command::spawn`].
    pub fn process(command: &mut Command) -> io::Result<(Child, Unfinished)> {
        let mut s = begins();
        let child = command.spawn()?;
        let noted = Unfinished::note(&mut s, Thing::Process(child.id()));
        Ok((child, noted))
    }

    /// A process that works for this one, which is started as the leader of a process
    /// group: what it starts itself is ended with it.
    ///
    /// # Errors
    ///
    /// As [`Command::spawn`].
    pub fn group(command: &mut Command) -> io::Result<(Child, Unfinished)> {
        command.process_group(0);
        let mut s = begins();
        let child = command.spawn()?;
        let noted = Unfinished::note(&mut s, Thing::Group(child.id()));
        Ok((child, noted))
    }

    fn begin<T>(thing: Thing, make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Unfinished)> {
        let mut s = begins();
        let made = make()?;
        Ok((made, Unfinished::note(&mut s, thing)))
    }

    fn note(s: &mut State, thing: Thing) -> Unfinished {
        let number = s.next;
        s.next += 1;
        s.things.push((number, thing));
        Unfinished(number)
    }
}

/// The list, for something that begins. What is begun while the rest is undone would stay, so
/// that whoever asks then waits for the end of the process.
fn begins() -> MutexGuard<'static, State> {
    let mut s = state();
    while s.ending {
        s = GONE.wait(s).unwrap_or_else(PoisonError::into_inner);
    }
    s
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut s = state();
        let at = s.things.iter().position(|(number, _)| *number == self.0);
        // What is being removed has an end that its maker does not see: the process has.
        while s.ending && !at.is_some_and(|i| s.things[i].1.is_process()) {
            s = GONE.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(i) = at {
            s.things.remove(i);
        }
        GONE.notify_all();
    }
}

/// Ends a process that [`Unfinished::group`] started, with all that it has started, at once.
/// The process must not have been waited for: until then its number is its own.
pub fn kill_group(leader: &Child) {
    // SAFETY: sending a signal touches no memory of ours.
    unsafe { kill(-(leader.id() as c_int), SIGKILL) };
}

/// The handler: all that may be done here is to tell the thread that waits.
extern "C" fn caught(number: c_int) {
    let byte = number as u8;
    let file = PIPE.load(Ordering::Relaxed);
    // SAFETY: one byte of this stack is read; `write` may be called by handlers.
    unsafe { write_bytes(file, &raw const byte, 1) };
}

/// Undo what is noted where a signal ends this process. A signal that is ignored stays
/// so. Does nothing where the system has no pipe or thread left to wait with.
pub fn install() {
    let Ok((reader, writer)) = std::io::pipe() else {
        return;
    };
    let waiting = std::thread::Builder::new()
        .name("signals".into())
        .spawn(|| wait(reader));
    if waiting.is_err() {
        return;
    }
    PIPE.store(writer.as_raw_fd(), Ordering::Relaxed);
    keep_open(writer);
    for number in [SIGHUP, SIGINT, SIGTERM] {
        // SAFETY: the handler does only what handlers may, and the numbers are signals.
        unsafe {
            if signal(number, caught as *const () as usize) == SIG_IGN {
                signal(number, SIG_IGN);
            }
        }
    }
}

/// The handler writes to the pipe until the process ends.
fn keep_open(writer: PipeWriter) {
    std::mem::forget(writer);
}

fn wait(mut reader: PipeReader) {
    let mut byte = [0];
    if reader.read_exact(&mut byte).is_err() {
        return;
    }
    undo();
    let number = c_int::from(byte[0]);
    // SAFETY: the number is that of a signal that came.
    unsafe {
        signal(number, SIG_DFL);
        raise(number);
        // A signal for one thread may not end the process before this is reached.
        kill(std::process::id() as c_int, number);
    }
}

/// Ends the processes that are noted, waits for them, and removes files and folders.
fn undo() {
    let mut s = state();
    s.ending = true;
    for (_, thing) in &s.things {
        let to = match thing {
            Thing::Process(number) => *number as c_int,
            Thing::Group(leader) => -(*leader as c_int),
            _ => continue,
        };
        // SAFETY: sending a signal touches no memory of ours. The process is noted
        // until it has been waited for, so that its number is still its own.
        unsafe { kill(to, SIGTERM) };
    }
    let is_process = |(_, t): &(u64, Thing)| t.is_process();
    let waited = GONE.wait_timeout_while(s, PATIENCE, |s| s.things.iter().any(is_process));
    let (s, _) = waited.unwrap_or_else(PoisonError::into_inner);
    for (_, thing) in &s.things {
        // What cannot be removed stays; there is nobody to tell.
        match thing {
            Thing::Path(path) => remove(path),
            Thing::WrittenSince(path, begun) => {
                let changed = fs::metadata(path).and_then(|m| m.modified());
                // Clocks of files are coarser than those of processes.
                let slack = Duration::from_millis(20);
                if changed.is_ok_and(|at| at + slack >= *begun) {
                    drop(fs::remove_file(path));
                }
            }
            // What a group runs is the user's, and may not know what to do with a signal.
            // SAFETY: as above.
            Thing::Group(leader) => unsafe {
                kill(-(*leader as c_int), SIGKILL);
            },
            Thing::Process(_) => {}
        }
    }
}

/// Removes a file, or a folder with all that is in it. Other threads may put something into
/// the latter meanwhile, which is then removed too.
fn remove(path: &Path) {
    let begun = Instant::now();
    loop {
        let removed = match path.is_dir() {
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
        match removed {
            Err(e) if path.is_dir() && e.kind() != ErrorKind::PermissionDenied => {
                if begun.elapsed() > PATIENCE {
                    return;
                }
            }
            _ => return,
        }
    }
}
