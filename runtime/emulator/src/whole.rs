//! Loads and stores whose lanes all lie in one place, inside and aligned: what most
//! accesses are. What is looked for is the same as lane by lane (`access`), which
//! does all the rest.

use crate::access::{Place, extend};
use crate::decode::{Access, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, Space, WINDOW};
use crate::memory::Region;
use crate::races::{Record, Touch};
use crate::step::Runner;
use crate::value::int::low;
use crate::warp::lanes;
use crate::wide::Spread;
use crate::{Row, WARP};

/// Where the lanes of an access lie.
pub(crate) struct Whole {
    place: Place,
    /// Offsets in the place. Lanes that take no part have another one's.
    at: Row,
    /// Whether they are all the same.
    uniform: bool,
    bytes: u32,
}

impl Whole {
    /// Whether it may be written.
    pub fn is_writable(&self) -> bool {
        self.place != Place::Param
    }
}

impl Runner<'_> {
    /// Where an access lies of which every lane is aligned and inside one place.
    pub fn whole(
        &mut self,
        access: &Access,
        addresses: &Row,
        spread: &Spread,
        bytes: u32,
        pc: u32,
    ) -> Option<Whole> {
        // Atomic and ordered accesses go lane by lane.
        if spread.bits & u64::from(bytes - 1) != 0 || access.ordering.strong {
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
        let (place, start, limit) = match space {
            Space::Global | Space::Generic => {
                let region = self.global(least, end - least, pc)?;
                let r = &self.context.regions[region as usize].region;
                (Place::Global(region), r.base, u64::MAX)
            }
            Space::Shared => (Place::Shared, start, self.state.shared.bytes),
            Space::Local => (
                Place::Local,
                start,
                u64::from(self.context.local_bytes),
            ),
            Space::Param => (Place::Param, start, self.context.params.len() as u64),
        };
        if end - start > limit {
            return None;
        }
        let mut at = addresses.map(|a| a.wrapping_sub(start));
        let mut uniform = spread.least == spread.most;
        if place == Place::Local {
            uniform = false;
            let first = u64::from(self.warp.index) * WARP as u64;
            let own = |lane: usize| (first + lane as u64) * limit;
            // Lanes without a thread have no memory of their own.
            let threads = u64::from(self.context.threads);
            for (lane, at) in at.iter_mut().enumerate() {
                if first + (lane as u64) < threads {
                    *at += own(lane);
                }
            }
        }
        Some(Whole {
            place,
            at,
            uniform,
            bytes,
        })
    }

    /// Loads; false, with nothing done, if memory is read that nobody wrote.
    pub fn load_whole(&mut self, access: &Access, whole: &Whole, pc: u32, mask: u32) -> bool {
        let Whole {
            place,
            at,
            uniform,
            bytes,
        } = whole;
        let each = u64::from(access.bytes);
        let n = access.data.len();
        let mut values = [[0; WARP]; 4];
        if *place == Place::Param {
            for (i, row) in values.iter_mut().enumerate().take(n) {
                let one = |at: u64| self.context.param(at + i as u64 * each, access.bytes);
                *row = if *uniform {
                    [one(at[0]); WARP]
                } else {
                    at.map(one)
                };
            }
        } else {
            let region = self.region(*place);
            let unwritten = self.context.checks.uninitialized && !region.is_all_written();
            if unwritten && !are_written(region, at, *uniform, *bytes, mask) {
                return false;
            }
            for (i, row) in values.iter_mut().enumerate().take(n) {
                let one = |at: u64| region.load(at + i as u64 * each, access.bytes);
                *row = match (uniform, access.bytes) {
                    (true, _) => [one(at[0]); WARP],
                    // With the width known the loop is a few instructions a lane.
                    (_, 4) => at.map(|at| region.load(at + i as u64 * each, 4)),
                    (_, 8) => at.map(|at| region.load(at + i as u64 * each, 8)),
                    _ => at.map(one),
                };
            }
            self.touch_read(whole, pc, mask);
        }
        for (row, values) in access.data.iter().zip(&mut values) {
            if access.signed {
                *values = values.map(|v| extend(v, access));
            }
            self.warp.write(*row, values, mask);
        }
        true
    }

    /// Notes a read by the lanes of a mask, and reports races.
    fn touch_read(&self, whole: &Whole, pc: u32, mask: u32) {
        let races = match whole.place {
            Place::Global(i) => {
                let live = &self.context.regions[i as usize];
                let mut last = u64::MAX;
                for lane in lanes(mask) {
                    // Neighbours mostly share a sector.
                    let sector = whole.at[lane] / 32;
                    if sector != last || whole.at[lane] % 32 + u64::from(whole.bytes) > 32 {
                        live.touch_sectors(whole.at[lane], whole.bytes, false);
                        last = sector;
                    }
                }
                live.races.as_ref()
            }
            Place::Shared => self.state.shared_races.as_ref(),
            Place::Local | Place::Param => None,
        };
        let Some(races) = races else {
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
        let order = self.state.order(self.warp);
        let (number, epoch) = (self.state.number, self.state.epoch);
        let first = self.warp.index * WARP as u32;
        for lane in lanes(mask) {
            let me = Record::new(number, first + lane as u32, epoch, false);
            let at = whole.at[lane];
            if let Some(conflict) = races.touch(at, whole.bytes, Touch::Read, me, pc, &order) {
                self.race(whole.place, at, whole.bytes, Touch::Read, conflict, pc, lane);
            }
        }
    }

    /// Stores, lane after lane.
    pub fn store_whole(&self, access: &Access, whole: &Whole, pc: u32, mask: u32) {
        let (each, place) = (access.bytes, whole.place);
        let region = self.region(place);
        let races = match place {
            Place::Global(i) => self.context.regions[i as usize].races.as_ref(),
            Place::Shared => self.state.shared_races.as_ref(),
            Place::Local | Place::Param => None,
        };
        let order = self.state.order(self.warp);
        let (number, epoch) = (self.state.number, self.state.epoch);
        let first = self.warp.index * WARP as u32;
        let all_written = region.is_all_written();
        for lane in lanes(mask) {
            let at = whole.at[lane];
            let mut changes = !all_written && !region.is_written(at, whole.bytes);
            for (i, row) in access.data.iter().enumerate() {
                let at = at + i as u64 * u64::from(each);
                let value = self.warp.rows[*row as usize][lane];
                changes = changes || region.load(at, each) != low(value, each * 8);
                region.store(at, each, value);
            }
            if let Place::Global(i) = place {
                self.context.regions[i as usize].touch_sectors(at, whole.bytes, true);
            }
            if let Some(races) = races {
                let touch = if changes {
                    Touch::Write
                } else {
                    Touch::Rewrite
                };
                let me = Record::new(number, first + lane as u32, epoch, false);
                if let Some(conflict) = races.touch(at, whole.bytes, touch, me, pc, &order) {
                    self.race(place, at, whole.bytes, touch, conflict, pc, lane);
                }
            }
            if !all_written {
                region.note_written(at, whole.bytes);
            }
        }
    }
}

/// Whether all bytes were written that the lanes of a mask access.
fn are_written(region: &Region, at: &Row, uniform: bool, bytes: u32, mask: u32) -> bool {
    if uniform {
        return region.is_written(at[0], bytes);
    }
    lanes(mask).fold(true, |all, lane| all & region.is_written(at[lane], bytes))
}
