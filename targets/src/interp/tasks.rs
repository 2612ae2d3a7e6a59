//! Asynchronous ops: which may still run, and what each comes after.
//!
//! An asynchronous op may run at any time between its start and the wait for it. The
//! interpreter runs it when it starts, which is one of these times, and remembers which
//! elements it touched. An access that conflicts with one of an op that may still run,
//! and that does not come after that op by tokens, queues and waits, is an error: on a
//! machine the two could happen in either order. So a run without an error has the
//! results of every order that is possible.

use super::error::{Fault, Run};
use super::memory::{Memory, Space};
use super::memref::{BufferId, MemRef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;
use terrace_ir::Op;

/// Asynchronous ops by number, with all that those come after: what a token stands for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tasks(Option<Rc<Vec<u64>>>);

impl Tasks {
    fn list(&self) -> &[u64] {
        self.0.as_ref().map_or(&[], |v| v.as_slice())
    }

    fn contains(&self, task: u64) -> bool {
        self.list().binary_search(&task).is_ok()
    }
}

/// The op that runs.
#[derive(Debug)]
struct Current {
    task: u64,
    after: Tasks,
}

/// All asynchronous ops of a run.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    last: u64,
    /// Started, and the host has not waited for it.
    pending: BTreeMap<u64, (Op, String)>,
    /// What each queue was given.
    queues: FxHashMap<i64, Tasks>,
    current: Option<Current>,
    /// Buffers that remember accesses.
    marked: Vec<BufferId>,
}

/// Who touched the elements of a buffer, by granule.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    writer: Vec<u64>,
    readers: Vec<SmallVec<[u64; 2]>>,
}

impl Schedule {
    /// Whether accesses have to be looked at.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.current.is_some() || !self.pending.is_empty()
    }

    /// Whether `task` may still run when what is running now does.
    fn is_unordered(&self, task: u64) -> bool {
        if task == 0 || !self.pending.contains_key(&task) {
            return false;
        }
        let current = self.current.as_ref();
        current.is_none_or(|c| c.task != task && !c.after.contains(task))
    }

    /// What comes after all of these, without what is done.
    pub fn together<'a>(&self, sets: impl IntoIterator<Item = &'a Tasks>) -> Tasks {
        let mut all: Vec<u64> = Vec::new();
        for s in sets {
            all.extend(s.list().iter().filter(|t| self.pending.contains_key(t)));
        }
        all.sort_unstable();
        all.dedup();
        Tasks((!all.is_empty()).then(|| Rc::new(all)))
    }

    /// What a queue was given so far.
    pub fn queue(&self, number: i64) -> Tasks {
        self.queues.get(&number).cloned().unwrap_or_default()
    }

    /// All that may still run.
    pub fn all(&self) -> Tasks {
        let all: Vec<u64> = self.pending.keys().copied().collect();
        Tasks((!all.is_empty()).then(|| Rc::new(all)))
    }

    /// What is put on a queue from now on comes after `tasks`.
    pub fn put(&mut self, number: i64, tasks: &Tasks) {
        let all = self.together([&self.queue(number), tasks]);
        self.queues.insert(number, all);
    }

    /// An asynchronous op starts, after others.
    pub fn begin(&mut self, op: Op, name: &str, after: Tasks) {
        self.last += 1;
        self.pending.insert(self.last, (op, name.to_string()));
        self.current = Some(Current {
            task: self.last,
            after,
        });
    }

    /// What the token of the op that started last stands for. The host goes on.
    pub fn end(&mut self) -> Tasks {
        let Some(c) = self.current.take() else {
            return Tasks::default();
        };
        let mut all = c.after.list().to_vec();
        all.push(c.task);
        Tasks(Some(Rc::new(all)))
    }

    /// After an error nothing runs.
    pub fn reset(&mut self) {
        self.current = None;
    }

    fn fault(&self, here: &str, task: u64, there: &str) -> Fault {
        let (op, name) = match self.pending.get(&task) {
            Some((op, name)) => (Some(*op), name.as_str()),
            None => (None, "an op"),
        };
        let advice = match self.current {
            Some(_) => "order the two by a token or a queue",
            None => "wait for its token or its queue before",
        };
        Fault::new(format!(
            "{here} an element that '{name}' may still be {there}; {advice}"
        ))
        .note(op, &format!("the '{name}' that may still run started here"))
    }
}

impl Memory {
    /// The host waits: these, and what they come after, are done.
    pub(super) fn wait_for(&mut self, tasks: &Tasks) {
        for t in tasks.list() {
            self.schedule.pending.remove(t);
        }
        if self.schedule.pending.is_empty() {
            self.schedule.queues.clear();
            for id in std::mem::take(&mut self.schedule.marked) {
                self.buffer_mut(id).marks = None;
            }
        }
    }

    /// Bytes `start..end` of a buffer are read or written by what runs now.
    #[cold]
    pub(super) fn touch(&mut self, id: BufferId, start: usize, end: usize, write: bool) -> Run<()> {
        let b = self.buffer(id);
        if matches!(b.space, Space::Workgroup { .. } | Space::Private { .. }) {
            return Ok(());
        }
        let granules = start / b.granule..end.div_ceil(b.granule);
        self.check_order(
            id,
            granules.clone(),
            write,
            if write { "writes" } else { "reads" },
        )?;
        let Some((task, after)) = self
            .schedule
            .current
            .as_ref()
            .map(|c| (c.task, c.after.clone()))
        else {
            return Ok(());
        };
        let b = self.buffer_mut(id);
        let (mut marks, new) = match b.marks.take() {
            Some(m) => (m, false),
            None => {
                let n = b.written.len();
                let marks = Marks {
                    writer: vec![0; n],
                    readers: vec![SmallVec::new(); n],
                };
                (Box::new(marks), true)
            }
        };
        for g in granules {
            let (Some(writer), Some(readers)) = (marks.writer.get_mut(g), marks.readers.get_mut(g))
            else {
                continue;
            };
            if write {
                // All that was here before comes before this.
                *writer = task;
                readers.clear();
            } else if readers.last() != Some(&task) {
                readers.retain(|r| !after.contains(*r));
                readers.push(task);
            }
        }
        self.buffer_mut(id).marks = Some(marks);
        if new {
            self.schedule.marked.push(id);
        }
        Ok(())
    }

    /// Refuses an access that an op which may still run conflicts with.
    fn check_order(
        &self,
        id: BufferId,
        granules: std::ops::Range<usize>,
        write: bool,
        here: &str,
    ) -> Run<()> {
        let Some(marks) = &self.buffer(id).marks else {
            return Ok(());
        };
        for g in granules {
            if let Some(w) = marks.writer.get(g)
                && self.schedule.is_unordered(*w)
            {
                return Err(self.schedule.fault(here, *w, "writing"));
            }
            let readers = marks.readers.get(g).filter(|_| write);
            let reader = readers.and_then(|r| r.iter().find(|r| self.schedule.is_unordered(**r)));
            if let Some(r) = reader {
                return Err(self.schedule.fault(here, *r, "reading"));
            }
        }
        Ok(())
    }

    /// The element of `m` at a position is touched by what runs now.
    #[cold]
    pub(super) fn touch_element(&mut self, m: &MemRef, position: i64, write: bool) -> Run<()> {
        let (start, end) = Self::range(self.buffer(m.buffer), m, position)?;
        self.touch(m.buffer, start, end, write)
    }

    /// Refuses to end a buffer that an op which may still run uses.
    pub(super) fn check_unused(&self, id: BufferId) -> Run<()> {
        let all = 0..self.buffer(id).written.len();
        self.check_order(id, all, true, "frees")
    }

    /// What may still run and touches memory that whoever called sees: the op, what it
    /// is called, and what it does.
    pub(super) fn unfinished(&self) -> Option<(Op, String, &'static str)> {
        for id in &self.schedule.marked {
            let b = self.buffer(*id);
            let seen = b.is_argument() || matches!(b.space, Space::Host | Space::Shared);
            let Some(marks) = b.marks.as_ref().filter(|_| seen) else {
                continue;
            };
            let readers = marks.readers.iter().flatten().map(|t| (t, "reading"));
            let writers = marks.writer.iter().map(|t| (t, "writing"));
            for (t, what) in writers.chain(readers) {
                if let Some((op, name)) = self.schedule.pending.get(t) {
                    return Some((*op, name.clone(), what));
                }
            }
        }
        None
    }
}
