//! The thread for what takes longer than a person waits while typing.
//!
//! Of several texts of one document that wait, only the newest is explained. A text that is being
//! explained when a newer one comes is explained to its end: compiling cannot be stopped half way. What is
//! found then is shown for the lines that were not changed.

use lsp_server::{ErrorCode, RequestId};
use lsp_types::{MessageType, Uri};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::becomes::{self, Wanted};
use super::c;
use super::formulas;
use super::text::Snapshot;
use super::worker::{Client, Task};

/// What the thread has to do.
pub enum Job {
    /// Say what is wrong with a large model, whose formulas were only read.
    Check(Arc<Snapshot>),
    /// Say what becomes of the loops of a C file, whose preprocessed text is given.
    Explain(Arc<Snapshot>, Arc<str>),
    /// The same for the loops that are in no region, where the first job found such loops.
    ExplainOutside(Arc<Snapshot>, Arc<str>, Box<c::Explained>),
    /// Give a form of a program.
    Becomes(RequestId, Arc<Snapshot>, Wanted),
    /// A document is closed.
    Forget(Uri),
}

/// The thread, as others see it.
pub struct Slow(Sender<Job>);

impl Slow {
    /// Starts the thread. What it finds of loops goes to `tasks`.
    pub fn start(client: Client, tasks: Sender<Task>) -> Slow {
        let (jobs, inbox) = channel();
        let stack = crate::STACK;
        let thread = std::thread::Builder::new()
            .name("slow".into())
            .stack_size(stack);
        let told = client.clone();
        if let Err(e) = thread.spawn(move || work(&inbox, &client, &tasks)) {
            told.show(MessageType::ERROR, format!("cannot start a thread: {e}"));
        }
        Slow(jobs)
    }

    /// Hands a job over.
    pub fn send(&self, job: Job) {
        // The thread ends with the process.
        let _ = self.0.send(job);
    }

    /// A document is closed: what waits for it is dropped.
    pub fn forget(&self, uri: &Uri) {
        self.send(Job::Forget(uri.clone()));
    }
}

unsafe extern "C" {
    /// How much others go before the calling thread, as Linux has it: of a thread, and of those that it starts.
    safe fn nice(more: std::ffi::c_int) -> std::ffi::c_int;
}

/// What nobody waits for starts when nothing was typed for so long.
const PAUSE: Duration = Duration::from_millis(250);

/// Loops that are in no region are looked at where explaining the others took less.
const OUTSIDE: Duration = Duration::from_secs(3);

fn work(inbox: &Receiver<Job>, client: &Client, tasks: &Sender<Task>) {
    // The thread that answers goes first.
    nice(5);
    let mut waiting: VecDeque<Job> = VecDeque::new();
    loop {
        waiting.extend(inbox.try_iter());
        if waiting.is_empty() {
            match inbox.recv() {
                Ok(job) => waiting.push_back(job),
                Err(_) => return,
            }
            waiting.extend(inbox.try_iter());
        }
        while waiting.iter().all(|j| urgency(j) > 0) {
            match inbox.recv_timeout(PAUSE) {
                Ok(job) => waiting.push_back(job),
                Err(_) => break,
            }
        }
        drop_stale(&mut waiting);
        let next = (0..waiting.len()).min_by_key(|i| urgency(&waiting[*i]));
        let Some(job) = next.and_then(|i| waiting.remove(i)) else {
            continue;
        };
        match job {
            Job::Forget(_) => {}
            Job::Check(snapshot) => {
                let check = || formulas::Checked::of(&snapshot);
                if let Some(checked) = guarded(client, &snapshot, check) {
                    let _ = tasks.send(Task::Checked(Box::new(checked)));
                }
            }
            Job::Explain(snapshot, text) => {
                let start = Instant::now();
                let explain = || c::Explained::of(&snapshot, &text);
                let Some(mut explained) = guarded(client, &snapshot, explain) else {
                    continue;
                };
                let quick = start.elapsed() < OUTSIDE;
                if quick && explained.has_loops_outside() && !explained.looks_outside {
                    explained.looks_outside = true;
                    let again = Box::new(explained.clone());
                    waiting.push_back(Job::ExplainOutside(snapshot, text, again));
                }
                let _ = tasks.send(Task::Explained(Box::new(explained)));
            }
            Job::ExplainOutside(snapshot, text, mut explained) => {
                let look = || explained.look_outside(&snapshot, &text);
                if guarded(client, &snapshot, look).is_some() {
                    let _ = tasks.send(Task::Explained(explained));
                }
            }
            Job::Becomes(id, snapshot, wanted) => {
                if client.take_cancelled(&id) {
                    client.respond_cancelled(id);
                    continue;
                }
                let made = guarded(client, &snapshot, || becomes::make(&snapshot, &wanted));
                let made = made
                    .unwrap_or_else(|| Err("terrace failed in a way that it should not".into()));
                match made {
                    Ok(shown) => {
                        becomes::open(client, &snapshot, &wanted, &shown);
                        client.respond_with(id, Ok(shown.as_json()));
                    }
                    Err(m) => client.respond_with(id, Err((ErrorCode::RequestFailed, m))),
                }
            }
        }
    }
}

/// A person waits for a form; and what nobody asked for comes last.
fn urgency(j: &Job) -> u8 {
    match j {
        Job::Becomes(..) => 0,
        Job::Forget(_) | Job::Explain(..) | Job::Check(_) => 1,
        Job::ExplainOutside(..) => 2,
    }
}

/// Drops jobs about texts of which there are newer ones, or that were closed.
fn drop_stale(waiting: &mut VecDeque<Job>) {
    // Newer than all that stand before them.
    let mut newer: Vec<Uri> = Vec::new();
    let mut kept = VecDeque::with_capacity(waiting.len());
    while let Some(job) = waiting.pop_back() {
        let (about, replaces) = match &job {
            Job::Becomes(..) => (None, None),
            Job::Forget(uri) => (None, Some(uri)),
            Job::Explain(s, _) | Job::Check(s) => (Some(&s.uri), Some(&s.uri)),
            Job::ExplainOutside(s, ..) => (Some(&s.uri), None),
        };
        let stale = about.is_some_and(|uri| newer.contains(uri));
        newer.extend(replaces.cloned());
        if !stale {
            kept.push_front(job);
        }
    }
    *waiting = kept;
}

/// A defect of terrace ends a job and not the server.
fn guarded<T>(client: &Client, snapshot: &Snapshot, f: impl FnOnce() -> T) -> Option<T> {
    let made = catch_unwind(AssertUnwindSafe(f)).ok();
    if made.is_none() {
        let m = format!(
            "{}: terrace failed in a way that it should not",
            snapshot.name()
        );
        client.show(MessageType::ERROR, m);
    }
    made
}
