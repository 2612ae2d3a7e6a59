//! The ops that may still run at a point, each with what stands for its completion.

use super::super::trail::Trail;
use super::names::Renamed;
use super::order::{By, Handle};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use terrace_dialects::gpu;
use terrace_ir::{Context, Value};

/// An op that may still run.
#[derive(Debug, Clone)]
pub(super) struct Running {
    /// Each of these stands for the completion of all its runs so far.
    pub(super) handles: FxHashSet<Handle>,
    pub(super) trail: Trail,
}

/// The ops that may still run, by number.
#[derive(Debug, Clone, Default)]
pub(in crate::xfer::check) struct Pending(pub(super) BTreeMap<usize, Running>);

impl Pending {
    /// Adds what may run on other paths. Whether there was anything new.
    pub(crate) fn join(&mut self, other: &Pending) -> bool {
        let mut grew = false;
        for (site, theirs) in &other.0 {
            match self.0.get_mut(site) {
                None => {
                    self.0.insert(*site, theirs.clone());
                    grew = true;
                }
                Some(ours) => {
                    let before = ours.handles.len();
                    ours.handles.retain(|h| theirs.handles.contains(h));
                    grew |= ours.handles.len() < before;
                }
            }
        }
        grew
    }

    /// Whether the same is known, on whatever paths.
    pub(crate) fn is_as(&self, other: &Pending) -> bool {
        let known = |p: &Pending| p.0.keys().copied().collect::<Vec<_>>();
        let same = |(site, r): (&usize, &Running)| {
            other.0.get(site).is_some_and(|o| o.handles == r.handles)
        };
        known(self) == known(other) && self.0.iter().all(same)
    }

    /// The ops that may still run, by number, each with a path from its start.
    pub(crate) fn running(&self) -> Vec<(usize, Trail)> {
        self.0.iter().map(|(site, r)| (*site, r.trail)).collect()
    }

    /// An op counts as done.
    pub(crate) fn end(&mut self, site: usize) {
        self.0.remove(&site);
    }

    pub(crate) fn trails(&mut self) -> impl Iterator<Item = &mut Trail> {
        self.0.values_mut().map(|r| &mut r.trail)
    }

    /// The ops whose completion is that of these.
    pub(super) fn covered(&self, by: &By) -> Vec<usize> {
        let is = |r: &Running| by.all || by.handles.iter().any(|h| r.handles.contains(h));
        let covered = self.0.iter().filter(|(_, r)| is(r));
        covered.map(|(site, _)| *site).collect()
    }

    /// A value is the token of something else from now on.
    pub(super) fn forget(&mut self, token: Value) {
        for r in self.0.values_mut() {
            r.handles.remove(&Handle::Token(token));
        }
    }

    pub(super) fn add(&mut self, sites: &[usize], handles: &[Handle]) {
        for s in sites {
            if let Some(r) = self.0.get_mut(s) {
                r.handles.extend(handles);
            }
        }
    }

    /// The host waits.
    pub(crate) fn wait(&mut self, by: &By) {
        for s in self.covered(by) {
            self.0.remove(&s);
        }
    }

    /// Tokens get other names, all at once: block arguments and results of ops.
    pub(crate) fn rename(&mut self, ctx: &Context, names: &[Renamed]) {
        let token = gpu::async_token(ctx);
        let names = names.iter().filter(|(to, _)| to.ty(ctx) == token);
        let names: Vec<Renamed> = names.copied().collect();
        for r in self.0.values_mut() {
            let kept = |(to, from): &Renamed| {
                let held = from.is_some_and(|f| r.handles.contains(&Handle::Token(f)));
                (Handle::Token(*to), held)
            };
            let new: Vec<(Handle, bool)> = names.iter().map(kept).collect();
            for (h, _) in &new {
                r.handles.remove(h);
            }
            // Where two of the names are one, both hold or neither does.
            r.handles
                .extend(new.iter().filter(|(_, held)| *held).map(|(h, _)| *h));
        }
    }
}
