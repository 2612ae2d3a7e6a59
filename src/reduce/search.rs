//! Delta debugging: chunks of places first, then single ones, until nothing more goes.
//!
//! After Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002:
//! each edit is tried at all of its places, then at halves of them, at quarters, down to
//! single ones; what the test says yes to is gone on from. When all edits have been through
//! and one has changed something, all begin again.
//!
//! Candidates have an order, and the first that the test says yes to is taken. Several
//! are tested at a time, in the hope that those before are refused; so what is found is
//! the same however many processes there are.

use super::candidate::{Module, Reader};
use super::command::Test;
use super::edits::{ALL, Edit};
use crate::progress::step;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Called with what was found, whenever that is smaller than before.
pub type OnSmaller<'f> = &'f mut dyn FnMut(&Module, &Edit, &Counts) -> Result<(), String>;

/// How much has been done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Candidates that the command saw, without those that came to nothing because one
    /// before them was taken.
    pub tests: usize,
    pub taken: usize,
}

pub struct Search<'s> {
    pub reader: Reader,
    pub test: &'s Test,
    /// Where candidates lie, a folder for each process.
    pub folder: &'s Path,
    /// What the file of a candidate is called.
    pub file_name: &'s str,
    pub jobs: usize,
    pub max_tests: Option<usize>,
    pub counts: Counts,
    /// Texts that the test has said no to.
    pub refused: HashSet<Arc<str>>,
}

/// What became of a candidate.
enum Outcome {
    /// The edit does nothing there, or nothing valid and smaller, or what was refused before.
    Nothing,
    Refused(Arc<str>),
    Taken(Module),
}

impl Search<'_> {
    /// Makes a module smaller until nothing more goes, or as many tests have been run as
    /// may be.
    ///
    /// # Errors
    ///
    /// The command cannot be run, or what `found` says.
    pub fn run(&mut self, mut module: Module, found: OnSmaller) -> Result<Module, String> {
        loop {
            let before = self.counts.taken;
            for edit in ALL {
                module = self.one_edit(module, edit, found)?;
            }
            if self.counts.taken == before || self.tests_left() == 0 {
                return Ok(module);
            }
        }
    }

    fn tests_left(&self) -> usize {
        self.max_tests
            .map_or(usize::MAX, |max| max.saturating_sub(self.counts.tests))
    }

    fn one_edit(
        &mut self,
        mut module: Module,
        edit: &Edit,
        found: OnSmaller,
    ) -> Result<Module, String> {
        let mut places = self.reader.places(&module, edit);
        let mut chunk = places;
        while chunk > 0 {
            let mut from = 0;
            while from < places && self.tests_left() > 0 {
                let chunks: Vec<Range<usize>> = (from..places)
                    .step_by(chunk)
                    .take(self.tests_left())
                    .map(|i| i..(i + chunk).min(places))
                    .collect();
                let Some((at, smaller)) = self.first(&module, edit, &chunks)? else {
                    from = chunks.last().map_or(places, |c| c.end);
                    continue;
                };
                module = smaller;
                self.counts.taken += 1;
                found(&module, edit, &self.counts)?;
                // What comes before has not changed, and was refused.
                from = chunks[at].start;
                places = self.reader.places(&module, edit);
            }
            chunk = (chunk / 2).min(places);
        }
        Ok(module)
    }

    /// The first candidate that the test says yes to.
    fn first(
        &mut self,
        of: &Module,
        edit: &Edit,
        chunks: &[Range<usize>],
    ) -> Result<Option<(usize, Module)>, String> {
        let _step = step(|| {
            let (bytes, tests) = (of.text.len(), self.counts.tests);
            format!("{bytes} bytes after {tests} tests, fewer {}", edit.name)
        });
        let next = AtomicUsize::new(0);
        let best = AtomicUsize::new(usize::MAX);
        let outcomes: Mutex<Vec<(usize, Result<Outcome, String>)>> = Mutex::default();
        let this = &*self;
        let work = |job: usize| {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= chunks.len() || i > best.load(Ordering::Relaxed) {
                    return;
                }
                let beaten = || best.load(Ordering::Relaxed) < i;
                let outcome = this.try_one(of, edit, chunks[i].clone(), job, &beaten);
                if matches!(outcome, Ok(Outcome::Taken(_)) | Err(_)) {
                    best.fetch_min(i, Ordering::Relaxed);
                }
                let mut all = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
                all.push((i, outcome));
            }
        };
        std::thread::scope(|scope| {
            let work = &work;
            for job in 1..self.jobs.min(chunks.len()) {
                // With fewer threads than were asked for it only takes longer.
                let _ = std::thread::Builder::new()
                    .stack_size(crate::STACK)
                    .spawn_scoped(scope, move || work(job));
            }
            work(0);
        });
        let mut outcomes = outcomes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        outcomes.sort_by_key(|(i, _)| *i);
        for (i, outcome) in outcomes {
            match outcome? {
                Outcome::Nothing => {}
                Outcome::Refused(text) => {
                    // Two candidates of one batch may be the same.
                    self.counts.tests += usize::from(self.refused.insert(text));
                }
                Outcome::Taken(module) => {
                    self.counts.tests += 1;
                    return Ok(Some((i, module)));
                }
            }
        }
        Ok(None)
    }

    fn try_one(
        &self,
        of: &Module,
        edit: &Edit,
        places: Range<usize>,
        job: usize,
        beaten: &dyn Fn() -> bool,
    ) -> Result<Outcome, String> {
        let Some(module) = self.reader.edited(of, edit, places) else {
            return Ok(Outcome::Nothing);
        };
        if self.refused.contains(&module.text) {
            return Ok(Outcome::Nothing);
        }
        let file = self.file(job, &module.text)?;
        let verdict = self.test.run(&file, None, beaten);
        match verdict
            .map_err(|e| format!("the test cannot be run: {e}"))?
            .is_yes()
        {
            true => Ok(Outcome::Taken(module)),
            false => Ok(Outcome::Refused(module.text)),
        }
    }

    /// The file with a text for the command.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn file(&self, job: usize, text: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(job.to_string());
        let file = folder.join(self.file_name);
        // What it is in is removed where a signal ends the process, and must not come back.
        let made = match std::fs::create_dir(&folder) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        };
        let written = made.and_then(|()| std::fs::write(&file, text));
        written.map_err(|e| format!("cannot write '{}': {e}", file.display()))?;
        Ok(file)
    }
}
