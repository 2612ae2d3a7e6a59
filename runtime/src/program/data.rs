//! What data clauses do: memory on the device for host memory, copies, and counts.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::abi::{
    ALWAYS_IN, ALWAYS_OUT, DYNAMIC, FINALIZE, Kind, LOOSE, Map, RESIDENT, ROWS, SourcePlace,
};
use super::acc::prof::{self, About, Event};
use super::fault::attributed;
use super::loose::{is_own, served, serving};
use super::placed::PlacedBlock;
use super::present::{Entry, Presence};
use super::queue::SYNC;
use super::rows::expand;
use super::sections::{Contents, Union, contents, unions};
use super::{Runtime, State};
use crate::device::{DeviceError, DevicePtr, StreamId};

impl Runtime {
    /// Enters data: each section is on the device afterwards, and `device` of each map
    /// says where. With a queue the copies may still be on their way.
    ///
    /// # Errors
    /// A section of which only a part is present, one that must be present and is not,
    /// no memory, or what the device says; with the place.
    pub fn enter(&self, maps: &mut [Map], queue: i64, place: &SourcePlace) -> Result<(), String> {
        self.work("enter data", queue, place, |work| {
            let mut all = expand(maps);
            if let Cow::Owned(all) = &mut all {
                work.enter_resident(all, false)?;
                work.enter(all)?;
                work.attach(all)?;
                for map in maps.iter_mut().filter(|m| !m.is(ROWS)) {
                    let found = all
                        .iter()
                        .find(|a| a.host == map.host && a.bytes == map.bytes && a.name == map.name);
                    map.device = found.map_or(map.host, |a| a.device);
                }
                return Ok(());
            }
            work.enter_resident(maps, true)?;
            work.enter(maps)?;
            work.attach(maps)
        })
    }

    /// Exits data that was entered: counts it down, and what nobody needs any more is
    /// copied out where the clause says so, and leaves the device after the work that
    /// is queued.
    ///
    /// # Errors
    /// What the device says, with the place.
    pub fn exit(&self, maps: &[Map], queue: i64, place: &SourcePlace) -> Result<(), String> {
        self.work("exit data", queue, place, |work| {
            let maps = &*expand(maps);
            work.leave_resident(maps);
            work.detach(maps)?;
            work.exit(maps)
        })
    }

    /// Copies sections that are present between host and device.
    ///
    /// # Errors
    /// A section that is not present, unless `if_present`; what the device says.
    pub fn update(
        &self,
        maps: &[Map],
        queue: i64,
        if_present: bool,
        place: &SourcePlace,
    ) -> Result<(), String> {
        self.work("update", queue, place, |work| {
            work.update(&expand(maps), if_present)
        })
    }

    /// Where a host address is on the device.
    pub fn device_address(&self, host: u64) -> Option<u64> {
        let state = self.state();
        state.table.containing(host, 0).map(|e| e.translate(host))
    }

    /// The address that `use_device` gives a variable.
    ///
    /// # Errors
    /// It is not present, unless `if_present`, which takes the host's.
    pub fn use_device(
        &self,
        host: u64,
        if_present: bool,
        name: &str,
        place: &SourcePlace,
    ) -> Result<u64, String> {
        match self.device_address(host) {
            Some(device) => Ok(device),
            None if if_present => Ok(host),
            None => Err(format!(
                "{place}: error: `{name}` is not on the device, and use_device asks for its \
                 address there; `if_present` would take the host's"
            )),
        }
    }

    /// Whether some of this memory is on the device.
    pub fn touches(&self, host: u64, bytes: u64) -> bool {
        let found = self.state().table.find(host, bytes);
        !matches!(found, Presence::Absent)
    }

    pub(super) fn work<T>(
        &self,
        what: &str,
        queue: i64,
        place: &SourcePlace,
        f: impl FnOnce(&mut Work) -> Result<T, String>,
    ) -> Result<T, String> {
        let (events, construct) = prof::of_data(what);
        let _told = prof::span(events, construct, place);
        let _span = self.report.host(what, place);
        let mut state = self.state();
        let stream = state
            .queues
            .stream(&*self.device, queue)
            .map_err(|e| format!("{place}: error: {e}"))?;
        let mut work = Work {
            runtime: self,
            state: &mut state,
            stream,
            place,
            copied: false,
        };
        let made = f(&mut work)?;
        if work.copied && queue == SYNC {
            work.wait()?;
        }
        Ok(made)
    }
}

/// One data directive at work.
pub(super) struct Work<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) state: &'a mut State,
    pub(super) stream: StreamId,
    pub(super) place: &'a SourcePlace,
    /// Whether a copy, or zeros, were queued.
    pub(super) copied: bool,
}

impl Work<'_> {
    pub(super) fn error<T>(&self, text: impl std::fmt::Display) -> Result<T, String> {
        Err(format!("{}: error: {text}", self.place))
    }

    pub(super) fn wait(&mut self) -> Result<(), String> {
        let device = &*self.runtime.device;
        match self.state.queues.wait(device, self.stream) {
            Ok(()) => Ok(()),
            Err(e) => self.refused("", e),
        }
    }

    /// What the device says of something that it was asked for; a fault of a launch before
    /// is that launch's.
    pub(super) fn refused<T>(&self, what: &str, e: DeviceError) -> Result<T, String> {
        match attributed(&self.state.queues, &e) {
            Some(text) => Err(text),
            None => self.error(format_args!("{what}{e}")),
        }
    }

    fn enter(&mut self, maps: &mut [Map]) -> Result<(), String> {
        let unions = unions(maps, &self.state.table);
        // Rows of an array of pointers are many, and named once.
        let few = maps.len() <= 64;
        let contents: Vec<Contents> = maps
            .iter()
            .map(|m| match few {
                true => contents(m, maps),
                false => Contents::of(m),
            })
            .collect();
        for (i, map) in maps.iter_mut().enumerate() {
            if map.is(RESIDENT) {
                continue;
            }
            let kind = map.kind().or_else(|e| self.error(e))?;
            match kind {
                Kind::DevicePtr => {
                    map.device = map.host;
                    continue;
                }
                Kind::Attach => continue,
                Kind::FirstPrivate => {
                    self.private_copy(map)?;
                    continue;
                }
                Kind::Delete | Kind::Detach | Kind::UpdateHost | Kind::UpdateDevice => {
                    return self.error(format!("`{}` cannot enter data", kind.name()));
                }
                _ => {}
            }
            let (start, end) = map.range();
            if start == 0 || map.bytes == 0 {
                // Nothing is used of it; inside of something present it still has an
                // address.
                let inside = self.state.table.containing(start, 0);
                let device = inside
                    .filter(|_| start != 0)
                    .map_or(0, |e| e.translate(start));
                map.device = device as *mut _;
                continue;
            }
            if is_own(map, &self.state.table) {
                self.enter_loose(map)?;
                continue;
            }
            let at = match self.state.table.find(start, map.bytes) {
                Presence::Inside(at) => {
                    let device = self.state.table.get(at).map(|e| e.translate(start));
                    if let (true, true, Some(to)) = (map.is(ALWAYS_IN), kind.copies_in(), device) {
                        self.copy_in(&map.name(), start, to, map.bytes)?;
                    }
                    at
                }
                Presence::Partly(parts) => self.partly(map, kind, &parts)?,
                Presence::Absent if kind == Kind::NoCreate => {
                    map.device = map.host;
                    continue;
                }
                Presence::Absent if kind == Kind::Present => {
                    return self.error(format!(
                        "`{}` ({} bytes at {start:#x}) is not on the device, but must be: a data \
                         directive that copies or creates it has to come before",
                        map.name(),
                        map.bytes
                    ));
                }
                Presence::Absent => {
                    let union = unions.get(i).copied().flatten().unwrap_or(Union {
                        start,
                        end,
                        contents: contents.get(i).copied().unwrap_or(Contents::of(map)),
                    });
                    self.create(map, union)?;
                    union.start
                }
            };
            let Some(entry) = self.state.table.get_mut(at) else {
                continue;
            };
            match map.is(DYNAMIC) {
                true => entry.dynamic += 1,
                false => entry.structured += 1,
            }
            map.device = entry.translate(start) as *mut _;
        }
        Ok(())
    }

    /// Of a section only some bytes are present. What the analysis asked for may reach
    /// beyond what the program uses, and an entry that it meets serves; a user's clause is
    /// wrong then.
    fn partly(&self, map: &Map, kind: Kind, parts: &[u64]) -> Result<u64, String> {
        if let Some(one) = serving(map, &self.state.table, parts) {
            return Ok(one);
        }
        let (start, end) = map.range();
        let mut text = format!(
            "{}({}): its {} bytes at {start:#x}..{end:#x} are on the device only in part:",
            kind.name(),
            map.name(),
            map.bytes
        );
        for entry in parts.iter().filter_map(|at| self.state.table.get(*at)) {
            text.push_str(&format!(
                "\n  `{}`, {} bytes at {:#x}..{:#x}, is since {}",
                entry.name,
                entry.bytes,
                entry.start,
                entry.end(),
                entry.place
            ));
        }
        text.push_str("\n  use the same section there and here, or one that contains this one");
        self.error(text)
    }

    /// Makes an entry that nobody counts yet.
    fn create(&mut self, map: &Map, section: Union) -> Result<(), String> {
        let bytes = section.end - section.start;
        let PlacedBlock { start, ptr } = self.place_block(&map.name(), section.start, bytes)?;
        self.state.table.insert(Entry {
            start: section.start,
            bytes,
            device: ptr,
            block: start,
            structured: 0,
            dynamic: 0,
            owned: true,
            users: Vec::new(),
            name: map.name().into_owned(),
            place: self.place.clone(),
        });
        self.tell(
            [Event::Alloc, Event::Create],
            &map.name(),
            (bytes, section.start, ptr),
        );
        match section.contents {
            Contents::Undefined => Ok(()),
            Contents::Zeros => self.clear(&map.name(), DevicePtr(ptr), bytes),
            Contents::Host => self.copy_in(&map.name(), section.start, ptr, bytes),
        }
    }

    fn exit(&mut self, maps: &[Map]) -> Result<(), String> {
        // Sections of one directive may share an entry: count all down first, and copy
        // each out before the entry goes.
        let mut unused: BTreeSet<u64> = BTreeSet::new();
        let mut maps = self.exit_loose(maps)?;
        maps.retain(|m| !m.is(RESIDENT));
        for &map in &maps {
            let kind = map.kind().or_else(|e| self.error(e))?;
            let held = match kind {
                Kind::Copy | Kind::CopyIn | Kind::CopyOut | Kind::Create | Kind::Present => true,
                // Not there at the beginning: not held.
                Kind::NoCreate => map.device.is_null() || map.device != map.host,
                Kind::Delete => true,
                Kind::DevicePtr | Kind::Detach | Kind::Attach => false,
                Kind::FirstPrivate => {
                    self.free(map.device as u64)?;
                    false
                }
                Kind::UpdateHost | Kind::UpdateDevice => {
                    return self.error(format!("`{}` cannot exit data", kind.name()));
                }
            };
            let (start, _) = map.range();
            if !held || start == 0 || map.bytes == 0 {
                continue;
            }
            let at = match (self.entry_of(map), self.state.table.find(start, map.bytes)) {
                (Some(at), _) => at,
                (None, Presence::Partly(parts)) => self.partly(map, kind, &parts)?,
                // Not present (any more): nothing to do (2.7.8, 2.7.11).
                (None, _) => continue,
            };
            let Some(entry) = self.state.table.get_mut(at) else {
                continue;
            };
            match map.is(DYNAMIC) || map.is(FINALIZE) {
                true if map.is(FINALIZE) => entry.dynamic = 0,
                true => entry.dynamic = entry.dynamic.saturating_sub(1),
                false => entry.structured = entry.structured.saturating_sub(1),
            }
            if self.stream != StreamId::MAIN {
                entry.used(self.state.queues.now(self.stream));
            }
            if entry.is_unused() {
                unused.insert(at);
            }
        }
        for map in maps {
            if !map.kind().is_ok_and(Kind::copies_out) {
                continue;
            }
            let (start, end) = map.range();
            let below = unused.range(..end).rev();
            let mut below = below.filter_map(|at| self.state.table.get(*at));
            let entry = match map.is(LOOSE) {
                // What else it meets is other arrays'.
                true => self.entry_of(map).filter(|at| unused.contains(at)),
                false => below.next().map(|e| e.start),
            };
            let entry = entry.and_then(|at| self.state.table.get(at));
            let stays = || match map.is(ALWAYS_OUT) {
                true => self.state.table.get(self.entry_of(map)?),
                false => None,
            };
            let Some(entry) = entry.filter(|e| start < e.end()).or_else(stays) else {
                continue;
            };
            let (from, to) = (start.max(entry.start), end.min(entry.end()));
            let device = entry.translate(from);
            let users = entry.users.clone();
            self.await_users(&users)?;
            self.copy_out(&map.name(), from, device, to - from)?;
        }
        for at in unused {
            self.remove(at)?;
        }
        Ok(())
    }

    /// The entry that a section is in, or, of one of the analysis, meets.
    fn entry_of(&self, map: &Map) -> Option<u64> {
        match self.state.table.find(map.range().0, map.bytes) {
            Presence::Inside(at) => Some(at),
            Presence::Partly(parts) => served(map, &self.state.table, &parts),
            _ => None,
        }
    }

    /// Tells tools of a section: its name, bytes, and addresses on host and device.
    fn tell(&self, events: [Event; 2], name: &str, (bytes, host, device): (u64, u64, u64)) {
        for event in events {
            prof::queued(event, self.place, About::Data(name, bytes, host, device));
        }
    }

    fn remove(&mut self, at: u64) -> Result<(), String> {
        let Some(entry) = self.state.table.remove(at) else {
            return Ok(());
        };
        for (pointer, _) in self.state.attached.inside(entry.start, entry.end()) {
            self.state.attached.remove(pointer);
        }
        let section = (entry.bytes, entry.start, entry.device);
        self.tell([Event::Delete, Event::Free], &entry.name, section);
        self.free(entry.block)
    }

    fn update(&mut self, maps: &[Map], if_present: bool) -> Result<(), String> {
        for map in maps {
            let kind = map.kind().or_else(|e| self.error(e))?;
            if !matches!(kind, Kind::UpdateHost | Kind::UpdateDevice) {
                return self.error(format!("`{}` is no update", kind.name()));
            }
            let (mut start, mut end) = map.range();
            if start == 0 || map.bytes == 0 {
                continue;
            }
            let device = match self.state.table.find(start, map.bytes) {
                Presence::Inside(at) => self.state.table.get(at).map(|e| e.translate(start)),
                Presence::Absent if if_present => None,
                Presence::Partly(parts)
                    if map.is(LOOSE) && serving(map, &self.state.table, &parts).is_none() =>
                {
                    None
                }
                Presence::Partly(parts) => {
                    let at = self.partly(map, kind, &parts)?;
                    self.state.table.get(at).map(|e| {
                        (start, end) = (start.max(e.start), end.min(e.end()));
                        e.translate(start)
                    })
                }
                Presence::Absent => {
                    return self.error(format!(
                        "{}({}): {} bytes at {start:#x} are not on the device; `if_present` \
                         would leave them alone",
                        kind.name(),
                        map.name(),
                        map.bytes
                    ));
                }
            };
            let Some(device) = device else {
                continue;
            };
            match kind {
                Kind::UpdateHost => self.copy_out(&map.name(), start, device, end - start)?,
                _ => self.copy_in(&map.name(), start, device, end - start)?,
            }
        }
        Ok(())
    }
}
