//! Copies of pageable memory to the host that go on while their caller does something
//! else.
//!
//! A staged copy keeps a thread busy until the last byte has arrived, and behind a kernel
//! also until that is done. Of a stream other than the main one a thread of the device's
//! own does it, with a ring of its own, so that the caller can copy in meanwhile: the link
//! carries both directions at once.
//!
//! A stream must not notice. What is asked of a stream with such copies is put behind
//! them on the list if it is of the list's kinds: further copies, events, and waits for
//! events. Everything else waits first until the list has nothing of the stream, or of
//! the event that it asks about. The list is done in order, and its thread waits for
//! nothing but work that the device was given already: it always comes to an end.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use cudarc::driver::sys;

use super::link::Link;
use super::lock;
use super::staged::Staged;
use crate::device::{DeviceError, DevicePtr, Rows};

/// Copies below this are done by their caller: to wake a thread would take too much of
/// their time.
pub(super) const MIN_APART: usize = 8 << 20;

/// What a copy moves.
pub(super) enum Shape {
    Bytes(usize),
    Rows(Rows),
}

enum Task {
    Copy {
        host: *mut u8,
        from: DevicePtr,
        shape: Shape,
    },
    Record(sys::CUevent),
    Wait(sys::CUevent),
}

/// A task on a stream.
struct Entry {
    stream: sys::CUstream,
    task: Task,
}

// SAFETY: handles of the driver may be used by any thread; the host's side of a copy is
// nobody else's until the stream was waited for.
unsafe impl Send for Entry {}

#[derive(Default)]
struct List {
    waiting: VecDeque<Entry>,
    /// How many tasks are not done, by stream.
    streams: HashMap<usize, usize>,
    /// How many records are not done, by event.
    records: HashMap<usize, usize>,
    /// What went wrong first. Nothing is done behind it.
    failed: Option<DeviceError>,
    stop: bool,
}

impl List {
    fn has(&self, stream: sys::CUstream) -> bool {
        self.streams.contains_key(&(stream as usize))
    }

    fn records(&self, event: sys::CUevent) -> bool {
        self.records.contains_key(&(event as usize))
    }

    fn add(&mut self, entry: Entry) {
        *self.streams.entry(entry.stream as usize).or_default() += 1;
        if let Task::Record(event) = entry.task {
            *self.records.entry(event as usize).or_default() += 1;
        }
        self.waiting.push_back(entry);
    }

    fn done(&mut self, stream: sys::CUstream, event: Option<sys::CUevent>) {
        less(&mut self.streams, stream as usize);
        if let Some(event) = event {
            less(&mut self.records, event as usize);
        }
    }
}

/// Counts one down.
fn less(counts: &mut HashMap<usize, usize>, key: usize) {
    if let Some(n) = counts.get_mut(&key) {
        *n -= 1;
        if *n == 0 {
            counts.remove(&key);
        }
    }
}

struct Shared {
    link: Arc<Link>,
    list: Mutex<List>,
    changed: Condvar,
    /// Tasks that are not done; not 0 after a failure either. Those who find 0 need not
    /// look at the list.
    open: AtomicUsize,
}

/// The list of a device, and its thread once there is one.
pub(super) struct Outbox {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<Option<Staged>>>>,
}

impl Outbox {
    pub fn new(link: Arc<Link>) -> Outbox {
        Outbox {
            shared: Arc::new(Shared {
                link,
                list: Mutex::default(),
                changed: Condvar::new(),
                open: AtomicUsize::new(0),
            }),
            thread: Mutex::new(None),
        }
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// The ring, if none can be started.
    pub fn start(&self, staged: Staged) -> Result<(), Staged> {
        let shared = Arc::clone(&self.shared);
        let (give, take) = std::sync::mpsc::channel::<Staged>();
        let started = std::thread::Builder::new()
            .name("terrace-copy-out".to_string())
            .spawn(move || {
                let mut staged = take.recv().ok()?;
                serve(&shared, &mut staged);
                Some(staged)
            });
        let Ok(thread) = started else {
            return Err(staged);
        };
        match give.send(staged) {
            Ok(()) => {
                *lock(&self.thread) = Some(thread);
                Ok(())
            }
            Err(back) => Err(back.0),
        }
    }

    /// Does what is on the list, ends the thread and gives its ring back.
    pub fn stop(&self) -> Option<Staged> {
        let thread = lock(&self.thread).take()?;
        lock(&self.shared.list).stop = true;
        self.shared.changed.notify_all();
        let staged = thread.join().ok().flatten();
        lock(&self.shared.list).stop = false;
        staged
    }

    fn is_empty(&self) -> bool {
        self.shared.open.load(Ordering::Acquire) == 0
    }

    /// The list, unless something on it has failed.
    fn list(&self) -> Result<MutexGuard<'_, List>, DeviceError> {
        let list = lock(&self.shared.list);
        match &list.failed {
            Some(error) => Err(error.clone()),
            None => Ok(list),
        }
    }

    /// Waits until the list is as is asked.
    fn settle(&self, is: impl Fn(&List) -> bool) -> Result<(), DeviceError> {
        if self.is_empty() {
            return Ok(());
        }
        let mut list = self.list()?;
        while !is(&list) {
            let changed = self.shared.changed.wait(list);
            list = changed.unwrap_or_else(PoisonError::into_inner);
            if let Some(error) = &list.failed {
                return Err(error.clone());
            }
        }
        Ok(())
    }

    /// Waits until nothing of a stream is on the list.
    ///
    /// # Errors
    /// The first failure of the list, here and below.
    pub fn settle_stream(&self, stream: sys::CUstream) -> Result<(), DeviceError> {
        self.settle(|l| !l.has(stream))
    }

    /// Waits until an event is recorded that was put on the list.
    pub fn settle_event(&self, event: sys::CUevent) -> Result<(), DeviceError> {
        self.settle(|l| !l.records(event))
    }

    /// Waits until the list is empty.
    pub fn settle_all(&self) -> Result<(), DeviceError> {
        self.settle(|l| l.streams.is_empty())
    }

    /// Whether something of a stream is on the list.
    pub fn has(&self, stream: sys::CUstream) -> Result<bool, DeviceError> {
        match self.is_empty() {
            true => Ok(false),
            false => Ok(self.list()?.has(stream)),
        }
    }

    fn push(&self, mut list: MutexGuard<'_, List>, stream: sys::CUstream, task: Task) {
        self.shared.open.fetch_add(1, Ordering::Release);
        list.add(Entry { stream, task });
        drop(list);
        self.shared.changed.notify_all();
    }

    /// Puts a copy on the list.
    ///
    /// # Safety
    /// Both sides have the bytes, and nobody uses the host's until the stream was waited
    /// for. The thread runs.
    pub unsafe fn copy(
        &self,
        host: *mut u8,
        from: DevicePtr,
        shape: Shape,
        stream: sys::CUstream,
    ) -> Result<(), DeviceError> {
        let list = self.list()?;
        self.push(list, stream, Task::Copy { host, from, shape });
        Ok(())
    }

    /// Puts the record of an event on the list if something of its stream is there;
    /// whether it did. If not, the list has nothing of the event.
    pub fn record(&self, event: sys::CUevent, stream: sys::CUstream) -> Result<bool, DeviceError> {
        self.behind(event, stream, Task::Record(event))
    }

    /// The same of a wait for an event.
    pub fn wait(&self, event: sys::CUevent, stream: sys::CUstream) -> Result<bool, DeviceError> {
        self.behind(event, stream, Task::Wait(event))
    }

    fn behind(
        &self,
        event: sys::CUevent,
        stream: sys::CUstream,
        task: Task,
    ) -> Result<bool, DeviceError> {
        if self.is_empty() {
            return Ok(false);
        }
        let list = self.list()?;
        if list.has(stream) {
            self.push(list, stream, task);
            return Ok(true);
        }
        drop(list);
        self.settle_event(event)?;
        Ok(false)
    }
}

/// What the thread does.
fn serve(shared: &Shared, staged: &mut Staged) {
    while let Some(Entry { stream, task }) = next(shared) {
        let (event, result) = match task {
            // SAFETY: as whoever put it on the list promised.
            Task::Copy { host, from, shape } => (None, unsafe {
                staged.copy_out(&shared.link, (host, from), &shape, stream)
            }),
            Task::Record(event) => (Some(event), record(&shared.link, event, stream)),
            Task::Wait(event) => (None, wait(&shared.link, event, stream)),
        };
        let mut list = lock(&shared.list);
        match result {
            Ok(()) => {
                list.done(stream, event);
                shared.open.fetch_sub(1, Ordering::Release);
            }
            Err(error) => {
                list.waiting.clear();
                list.streams.clear();
                list.records.clear();
                list.failed = Some(error);
                shared.open.store(1, Ordering::Release);
            }
        }
        drop(list);
        shared.changed.notify_all();
    }
}

/// The next task, once there is one; none where the list is done and no more are wanted.
fn next(shared: &Shared) -> Option<Entry> {
    let mut list = lock(&shared.list);
    loop {
        if let Some(entry) = list.waiting.pop_front() {
            return Some(entry);
        }
        if list.stop {
            return None;
        }
        let changed = shared.changed.wait(list);
        list = changed.unwrap_or_else(PoisonError::into_inner);
    }
}

fn record(link: &Link, event: sys::CUevent, stream: sys::CUstream) -> Result<(), DeviceError> {
    let driver = link.enter()?;
    // SAFETY: live handles: who destroys one settles the list before.
    let code = unsafe { (driver.event_record)(event, stream) };
    link.check_wait(code, || "record an event".to_string())
}

fn wait(link: &Link, event: sys::CUevent, stream: sys::CUstream) -> Result<(), DeviceError> {
    let driver = link.enter()?;
    // SAFETY: as above.
    let code = unsafe { (driver.stream_wait_event)(stream, event, 0) };
    link.check_wait(code, || "wait for an event".to_string())
}
