//! Loads and stores whose lanes all lie in one place, inside and aligned: what most
//! accesses are. What is looked for is the same as lane by lane (`access`), which
//! does all the rest.

use crate::access::{Window, extend};
use crate::decode::{Access, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, Space, WINDOW};
use crate::memory::Region;
use crate::races::{Kind, Order, Races, Record, Touch};
use crate::step::Runner;
use crate::value::int::low;
use crate::warp::lanes;
use crate::wide::Spread;
use crate::{Row, WARP};

/// Where the lanes of an access lie.
pub(crate) struct Whole<'r> {
    place: Window,
    addresses: &'r Row,
    /// The place begins at this address for lane 0, and so many bytes further for
    /// each next one: in local memory.
    start: u64,
    stride: u64,
    /// Whether all lanes mean the same bytes.
    uniform: bool,
    bytes: u32,
}

impl Whole<'_> {
    /// Whether it may be written.
    pub fn is_writable(&self) -> bool {
        self.place != Window::Param
    }

    /// The offset of a lane in the place.
    #[inline]
    fn at(&self, lane: usize) -> u64 {
        let own = self.stride.wrapping_mul(lane as u64);
        self.addresses[lane]
            .wrapping_sub(self.start)
            .wrapping_add(own)
    }
}

impl<'a> Runner<'a> {
    /// Where an access lies of which every lane is aligned and inside one place.
    /// Lanes that take no part have an address of one that does.
    pub fn whole<'r>(
        &mut self,
        access: &Access,
        addresses: &'r Row,
        spread: &Spread,
        bytes: u32,
        pc: u32,
    ) -> Option<Whole<'r>> {
        // Atomic and ordered accesses go lane by lane, and all while asynchronous
        // copies run.
        let alone = access.ordering.strong || self.state.copies.are_running();
        if spread.bits & u64::from(bytes - 1) != 0 || alone {
            return None;
        }
        let (least, size) = (spread.least, u64::from(bytes));
        let end = spread.most.checked_add(size)?;
        let inside = |start: u64| least >= start && end <= start + WINDOW;
        let (space, start) = match access.space {
            Space::Generic if inside(SHARED_WINDOW) => (Space::Shared, SHARED_WINDOW),
            Space::Generic if inside(LOCAL_WINDOW) => (Space::Local, LOCAL_WINDOW),
            Space::Generic if inside(PARAM_WINDOW) => (Space::Param, PARAM_WINDOW),
            Space::Generic => (Space::Global, 0),
            space => (space, 0),
        };
        let mut whole = Whole {
            place: Window::Param,
            addresses,
            start,
            stride: 0,
            uniform: least == spread.most,
            bytes,
        };
        let limit = match space {
            Space::Global | Space::Generic => {
                let region = self.global(least, end - least, pc)?;
                whole.place = Window::Global(region);
                whole.start = self.context.regions[region as usize].region.base;
                return Some(whole);
            }
            Space::Shared => {
                whole.place = Window::Shared;
                self.state.shared.bytes
            }
            Space::Local => {
                let own = u64::from(self.context.local_bytes);
                whole.place = Window::Local;
                whole.uniform = false;
                whole.stride = own;
                let before = u64::from(self.warp.index) * WARP as u64 * own;
                whole.start = start.wrapping_sub(before);
                own
            }
            Space::Param => self.context.params.len() as u64,
        };
        (end - start <= limit).then_some(whole)
    }

    /// Loads; false, with nothing done, if memory is read that nobody wrote.
    pub fn load_whole(&mut self, access: &Access, whole: &Whole<'_>, pc: u32, mask: u32) -> bool {
        let each = access.bytes;
        let offset = |i: usize| i as u64 * u64::from(each);
        if whole.place == Window::Param {
            for (i, row) in access.data.iter().enumerate() {
                let one = |lane: usize| self.context.param(whole.at(lane) + offset(i), each);
                let values = match whole.uniform {
                    true => [one(0); WARP],
                    false => std::array::from_fn(one),
                };
                self.write_loaded(access, *row, values, mask);
            }
            return true;
        }
        let region = self.region(whole.place);
        let checks = self.context.checks.uninitialized && !access.padding;
        let unwritten = checks && !region.is_all_written();
        if unwritten && !are_written(region, whole, mask) {
            return false;
        }
        self.touch_read(whole, access.ordering.kind(), pc, mask);
        for (i, row) in access.data.iter().enumerate() {
            let region = self.region(whole.place);
            let at = |lane: usize| whole.at(lane) + offset(i);
            let values = match (whole.uniform, each) {
                (true, _) => [region.load(at(0), each); WARP],
                // Lanes without a thread have no local memory.
                _ if whole.place == Window::Local => {
                    let mut values = [0; WARP];
                    for lane in lanes(mask) {
                        values[lane] = region.load(at(lane), each);
                    }
                    values
                }
                // With the width known the loop is a few instructions a lane.
                (_, 4) => std::array::from_fn(|lane| region.load(at(lane), 4)),
                (_, 8) => std::array::from_fn(|lane| region.load(at(lane), 8)),
                _ => std::array::from_fn(|lane| region.load(at(lane), each)),
            };
            self.write_loaded(access, *row, values, mask);
        }
        true
    }

    #[inline]
    fn write_loaded(&mut self, access: &Access, row: u32, values: Row, mask: u32) {
        match access.signed {
            true => {
                let values = values.map(|v| extend(v, access));
                self.warp.write(row, &values, mask);
            }
            false => self.warp.write(row, &values, mask),
        }
    }

    /// What keeps the races of a place, if they are looked for.
    fn races(&self, place: Window) -> Option<&Races> {
        match place {
            Window::Global(i) => self.context.regions[i as usize].races.as_ref(),
            Window::Shared => self.state.shared_races.as_ref(),
            Window::Local | Window::Param => None,
        }
    }

    /// Notes a read by the lanes of a mask, and reports races.
    fn touch_read(&self, whole: &Whole<'_>, kind: Kind, pc: u32, mask: u32) {
        if let Window::Global(i) = whole.place {
            let live = &self.context.regions[i as usize];
            let mut last = u64::MAX;
            for lane in lanes(mask) {
                let at = whole.at(lane);
                // Neighbours mostly share a sector, which holds accesses whole.
                if at / 32 != last {
                    live.touch_sectors(at, whole.bytes, false);
                    last = at / 32;
                }
            }
        }
        let Some(races) = self.races(whole.place) else {
            return;
        };
        // Of lanes that read the same, two say all that can be known: a third one
        // would be remembered by neither slot, and races with what one of the two
        // races with.
        let mask = if whole.uniform {
            let rest = mask & mask.wrapping_sub(1);
            mask & !(rest & rest.wrapping_sub(1))
        } else {
            mask
        };
        let order = Order {
            access: kind,
            ..self.state.order(self.warp)
        };
        for lane in lanes(mask) {
            let (at, me) = (whole.at(lane), self.record(lane));
            if let Some(conflict) = races.touch(at, whole.bytes, Touch::Read, me, pc, &order) {
                self.race(
                    whole.place,
                    at,
                    whole.bytes,
                    (Touch::Read, kind),
                    conflict,
                    pc,
                    lane,
                );
            }
        }
    }

    /// A lane's access as it is remembered.
    #[inline]
    fn record(&self, lane: usize) -> Record {
        let thread = self.warp.index * WARP as u32 + lane as u32;
        Record::new(self.state.number, thread, self.state.epoch, false)
    }

    /// Stores, lane after lane.
    pub fn store_whole(&self, access: &Access, whole: &Whole<'_>, pc: u32, mask: u32) {
        let (each, place, bytes) = (access.bytes, whole.place, whole.bytes);
        let region = self.region(place);
        let races = self.races(place);
        let order = self.state.order(self.warp);
        let all_written = region.is_all_written();
        for lane in lanes(mask) {
            let at = whole.at(lane);
            let mut changes = !all_written && !region.is_written(at, bytes);
            for (i, row) in access.data.iter().enumerate() {
                let at = at + i as u64 * u64::from(each);
                let value = self.warp.rows[*row as usize][lane];
                changes = changes || region.load(at, each) != low(value, each * 8);
                region.store(at, each, value);
            }
            if let Window::Global(i) = place {
                self.context.regions[i as usize].touch_sectors(at, bytes, true);
            }
            if let Some(races) = races {
                let touch = if changes {
                    Touch::Write
                } else {
                    Touch::Rewrite
                };
                let me = self.record(lane);
                if let Some(conflict) = races.touch(at, bytes, touch, me, pc, &order) {
                    self.race(place, at, bytes, (touch, Kind::Usual), conflict, pc, lane);
                }
            }
            if !all_written {
                region.note_written(at, bytes);
            }
        }
    }
}

/// Whether all bytes were written that the lanes of a mask access.
fn are_written(region: &Region, whole: &Whole<'_>, mask: u32) -> bool {
    let one = |lane: usize| region.is_written(whole.at(lane), whole.bytes);
    if whole.uniform {
        return one(0);
    }
    lanes(mask).fold(true, |all, lane| all & one(lane))
}
