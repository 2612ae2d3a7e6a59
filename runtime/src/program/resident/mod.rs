//! Data that stays on the device behind a region, until the program's own code needs it.
//!
//! A region's map with [`DEFER`] asks for it. The compiler sees all code that may run until the
//! data is given up, and has it say in front of each statement what that may use (`calls`).
//! Of each array that stays the runtime knows which bytes the device has, and which of these the
//! program's memory has not. So a byte goes to the device where a region may read it and the
//! device has it not, and comes back where the program may use it and has it not: never more
//! often than if each region copied for itself.
//!
//! What stays is not present in OpenACC's sense. A clause, or a region that does not
//! defer, finds the program's memory as it should be and nothing on the device.

pub mod calls;
mod frames;
mod intervals;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::ThreadId;

use super::abi::{DEFER, Kind, Map, RESIDENT, SourcePlace, size};
use super::begin::terrace_tracks;
use super::data::Work;
use super::lock;
use super::placed::PlacedBlock;
use super::present::Presence;
use super::settings::settings;
use crate::device::{DevicePtr, StreamId};
use crate::profile::Direction;
use intervals::Intervals;

/// How many arrays stay on a device behind their regions: where there is none, the program
/// need say nothing.
#[unsafe(no_mangle)]
pub static terrace_resident: AtomicI32 = AtomicI32::new(0);

/// The thread whose arrays these are. Those of another wait until there are none.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);

/// More maps than this are not looked at.
const MANY: usize = 64;

/// Memory of the program that has a copy on the device.
#[derive(Debug)]
struct Array {
    end: u64,
    block: PlacedBlock,
    /// Which bytes the device has.
    valid: Intervals,
    /// Which of them the program's memory has not.
    newer: Intervals,
    /// The number of the class of pointers that lead there.
    class: u64,
    /// How many maps of regions that run now use it.
    users: u32,
    name: String,
    place: SourcePlace,
}

/// All arrays that stay, by their first byte. No two overlap, and none meets what is present.
#[derive(Debug, Default)]
pub(crate) struct Residents(BTreeMap<u64, Array>);

impl Residents {
    /// Those that have one of these bytes, by their first bytes.
    fn meeting(&self, start: u64, end: u64) -> Vec<u64> {
        let below = self.0.range(..end).rev();
        let mut found: Vec<u64> = below
            .take_while(|(_, a)| start < a.end)
            .map(|(at, _)| *at)
            .collect();
        found.reverse();
        found
    }

    /// Whether nothing stays.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What the program is about to do with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    pub writes: bool,
    /// Nobody will read what is there.
    pub gone: bool,
}

impl Work<'_> {
    /// Sees to what stays on the device when a directive enters data: maps that may stay are
    /// entered, and marked [`RESIDENT`]. Of all others nothing is on the device afterwards.
    pub(super) fn enter_resident(&mut self, maps: &mut [Map], alone: bool) -> Result<(), String> {
        let asked = maps.iter().any(|m| m.is(DEFER));
        if !asked && self.state.residents.0.is_empty() {
            return Ok(());
        }
        let stay = match alone && asked && self.may_stay() {
            true => self.which_stay(maps),
            false => vec![false; maps.len()],
        };
        for (map, stays) in maps.iter_mut().zip(&stay) {
            map.flags &= !RESIDENT;
            if !stays {
                let (start, end) = map.range();
                self.give_up(start, end)?;
            }
        }
        let mut mine = maps.iter_mut().zip(&stay).filter(|(_, s)| **s);
        // All grow before the first is told where it is.
        for (map, _) in mine.by_ref() {
            self.grow(map)?;
            map.flags |= RESIDENT;
        }
        for map in maps.iter_mut().filter(|m| m.is(RESIDENT)) {
            self.fill(map)?;
        }
        Ok(())
    }

    /// Whether arrays of this thread may stay: it does not queue, and no other thread's do.
    fn may_stay(&mut self) -> bool {
        let never = terrace_tracks.load(Ordering::Relaxed) == 0;
        if never || settings().copy_at_regions || self.stream != StreamId::MAIN {
            return false;
        }
        let me = std::thread::current().id();
        let mut owner = lock(&OWNER);
        match *owner {
            Some(other) if other != me => {
                // The count is over all devices.
                let free = terrace_resident.load(Ordering::Acquire) == 0;
                if free {
                    *owner = Some(me);
                }
                free
            }
            _ => {
                *owner = Some(me);
                true
            }
        }
    }

    /// Which maps may stay: those that ask for it, of memory that no other clause is about.
    fn which_stay(&self, maps: &[Map]) -> Vec<bool> {
        let may = |m: &Map| {
            let copied = matches!(m.kind(), Ok(Kind::Copy | Kind::CopyIn | Kind::CopyOut));
            let there = !m.host.is_null() && m.bytes > 0;
            let absent = || self.state.table.find(m.range().0, m.bytes) == Presence::Absent;
            // It is in use on this thread's stack only while this very call lasts.
            let free = || {
                let (start, end) = m.range();
                let met = self.state.residents.meeting(start, end);
                met.iter().all(|at| self.state.residents.0[at].users == 0)
            };
            m.is(DEFER) && !m.is(super::abi::LOOSE) && copied && there && absent() && free()
        };
        let mut stay: Vec<bool> = maps.iter().map(may).collect();
        if maps.len() > MANY {
            return vec![false; maps.len()];
        }
        let meets = |a: &Map, b: &Map| {
            let ((s, e), (t, f)) = (a.range(), b.range());
            s < f && t < e
        };
        // What meets memory that does not stay cannot either.
        loop {
            let met = (0..maps.len()).find(|&i| {
                let others = maps.iter().zip(&stay).filter(|(_, s)| !**s);
                stay[i] && others.into_iter().any(|(o, _)| meets(&maps[i], o))
            });
            match met {
                Some(i) => stay[i] = false,
                None => return stay,
            }
        }
    }

    /// One array has all of a section, made of those that had parts of it.
    fn grow(&mut self, map: &Map) -> Result<(), String> {
        let (start, end) = map.range();
        let found = self.state.residents.meeting(start, end);
        let all = &mut self.state.residents.0;
        if let [at] = found[..]
            && let Some(a) = all.get_mut(&at)
            && at <= start
            && end <= a.end
        {
            a.class = map.device as u64;
            a.users += 1;
            return Ok(());
        }
        let old: Vec<(u64, Array)> = found
            .iter()
            .filter_map(|at| Some((*at, all.remove(at)?)))
            .collect();
        let first = old.first().map_or(start, |(at, _)| start.min(*at));
        let last = old.iter().map(|(_, a)| a.end).fold(end, u64::max);
        let block = self.place_block(&map.name(), first, last - first)?;
        let mut new = Array {
            end: last,
            block,
            valid: Intervals::default(),
            newer: Intervals::default(),
            class: map.device as u64,
            users: 1 + old.iter().map(|(_, a)| a.users).sum::<u32>(),
            name: map.name().into_owned(),
            place: self.place.clone(),
        };
        for (at, a) in old {
            terrace_resident.fetch_sub(1, Ordering::AcqRel);
            for (from, to) in a.valid.iter() {
                let there = DevicePtr(block.ptr + (from - first));
                let here = DevicePtr(a.block.ptr + (from - at));
                let (dev, stream) = (&*self.runtime.device, self.stream);
                let copied = dev.copy_d2d(there, here, size(to - from), stream);
                copied.or_else(|e| self.refused(&format!("`{}`: ", map.name()), e))?;
                self.copied = true;
                new.valid.add(from, to);
            }
            a.newer
                .iter()
                .for_each(|(from, to)| new.newer.add(from, to));
            self.free(a.block.start)?;
        }
        self.state.residents.0.insert(first, new);
        // Arrays of all devices are counted.
        terrace_resident.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Brings what the device has not of a section that its region may read, and says where
    /// it is.
    fn fill(&mut self, map: &mut Map) -> Result<(), String> {
        let (start, end) = map.range();
        let found = self.state.residents.meeting(start, end);
        let [at] = found[..] else {
            return self.error(format!(
                "`{}` is not on the device, a fault of terrace's own",
                map.name()
            ));
        };
        let Some(a) = self.state.residents.0.get_mut(&at) else {
            return Ok(());
        };
        a.name = map.name().into_owned();
        a.place = self.place.clone();
        let ptr = a.block.ptr;
        map.device = (ptr + (start - at)) as *mut _;
        if !map.kind().is_ok_and(Kind::copies_in) {
            return Ok(());
        }
        let missing = a.valid.missing(start, end);
        a.valid.add(start, end);
        for (from, to) in missing {
            self.copy_in(&map.name(), from, ptr + (from - at), to - from)?;
        }
        Ok(())
    }

    /// Ends the use of maps that are [`RESIDENT`]: what the region wrote is the device's alone.
    pub(super) fn leave_resident(&mut self, maps: &[Map]) {
        for map in maps.iter().filter(|m| m.is(RESIDENT)) {
            let (start, end) = map.range();
            for at in self.state.residents.meeting(start, end) {
                let Some(a) = self.state.residents.0.get_mut(&at) else {
                    continue;
                };
                a.users = a.users.saturating_sub(1);
                if map.kind().is_ok_and(Kind::copies_out) {
                    a.valid.add(start, end);
                    a.newer.add(start, end);
                }
            }
        }
    }

    /// Of these bytes nothing is on the device any more, and the program's memory has all.
    fn give_up(&mut self, start: u64, end: u64) -> Result<(), String> {
        for at in self.state.residents.meeting(start, end) {
            self.bring(at, 0, u64::MAX)?;
            self.drop_array(at)?;
        }
        Ok(())
    }

    /// The same of all bytes.
    pub(super) fn give_up_all(&mut self) -> Result<(), String> {
        self.give_up(0, u64::MAX)
    }

    /// Copies to the program's memory what it has not of these bytes of an array.
    fn bring(&mut self, at: u64, start: u64, end: u64) -> Result<(), String> {
        let Some(a) = self.state.residents.0.get_mut(&at) else {
            return Ok(());
        };
        let parts = a.newer.within(start, end);
        a.newer.remove(start, end);
        if parts.is_empty() {
            return Ok(());
        }
        let (ptr, name, place) = (a.block.ptr, a.name.clone(), a.place.clone());
        for (from, to) in parts {
            let what = (from, ptr + (from - at), to - from);
            self.copy_of(&place, &name, Direction::DeviceToHost, what)?;
        }
        Ok(())
    }

    /// Takes an array off the device, unless a region uses it now.
    fn drop_array(&mut self, at: u64) -> Result<(), String> {
        if self.state.residents.0.get(&at).is_none_or(|a| a.users > 0) {
            return Ok(());
        }
        let Some(a) = self.state.residents.0.remove(&at) else {
            return Ok(());
        };
        terrace_resident.fetch_sub(1, Ordering::AcqRel);
        if self.copied {
            self.wait()?;
        }
        self.free(a.block.start)
    }

    /// The program is about to use these bytes of an array.
    fn host_uses(&mut self, at: u64, (start, end): (u64, u64), how: Use) -> Result<(), String> {
        match how.gone {
            true => {
                if let Some(a) = self.state.residents.0.get_mut(&at) {
                    a.newer.remove(start, end);
                }
            }
            false => self.bring(at, start, end)?,
        }
        let Some(a) = self.state.residents.0.get_mut(&at) else {
            return Ok(());
        };
        if how.writes || how.gone {
            a.valid.remove(start, end);
        }
        match a.valid.is_empty() {
            true => self.drop_array(at),
            false => Ok(()),
        }
    }
}
