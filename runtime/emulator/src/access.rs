//! Loads, stores and atomics: bounds, alignment, what was written, who else was
//! there, and how many sectors it takes.

use crate::count::{distinct, last_byte, row_of_words, wavefronts};
use crate::decode::{
    Access, AtomicFn, LOCAL_WINDOW, NO_ROW, Ordering, PARAM_WINDOW, R, SHARED_WINDOW, Space, WINDOW,
};
use crate::finding::FindingKind;
use crate::memory::Region;
use crate::races::{Conflict, Kind, Order, Record, Touch};
use crate::step::Runner;
use crate::value::int::{low, signed};
use crate::warp::lanes;
use crate::wide::{Spread, spread};
use crate::{Row, WARP};

/// Where an address leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Window {
    /// A region of global memory, by its position.
    Global(u32),
    Shared,
    Local,
    Param,
}

/// What an access is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    Read,
    Write,
    Both,
}

impl Does {
    pub const fn verb(self) -> &'static str {
        match self {
            Does::Read => "read",
            Does::Write => "written",
            Does::Both => "updated",
        }
    }
}

impl<'a> Runner<'a> {
    pub fn load(&mut self, access: &Access, pc: u32, mask: u32) {
        let bytes = access.bytes * access.data.len() as u32;
        let addresses = self.addresses(access, mask);
        let spread = spread(&addresses, u64::from(bytes));
        self.count(access, &addresses, &spread, pc, mask);
        if access.ordering.strong {
            self.warp.note_strong_read();
        }
        if let Some(whole) = self.whole(access, &addresses, &spread, bytes, pc)
            && self.load_whole(access, &whole, pc, mask)
        {
            return;
        }
        let mut values = [[0; WARP]; 4];
        for lane in lanes(mask) {
            let Some((place, at)) = self.find(access, addresses[lane], bytes, pc, lane, Does::Read)
            else {
                continue;
            };
            if place == Window::Param {
                for (i, row) in values.iter_mut().enumerate().take(access.data.len()) {
                    let v = self
                        .context
                        .param(at + i as u64 * u64::from(access.bytes), access.bytes);
                    row[lane] = extend(v, access);
                }
                continue;
            }
            if self.copy_runs(place, at, bytes, pc, lane, Does::Read) {
                continue;
            }
            self.acquire(access, place, addresses[lane]);
            let region = self.region(place);
            let whole = access.padding
                || region.is_written(at, bytes)
                || is_word(access) && region.is_part_written(at, bytes);
            if self.context.checks.uninitialized && !whole {
                self.unwritten(place, at, bytes, pc, lane, addresses[lane]);
            }
            self.touch(place, at, bytes, Touch::Read, access.ordering, pc, lane);
            let region = self.region(place);
            for (i, row) in values.iter_mut().enumerate().take(access.data.len()) {
                let v = region.load(at + i as u64 * u64::from(access.bytes), access.bytes);
                row[lane] = extend(v, access);
            }
            // What was written may have been released since.
            self.acquire(access, place, addresses[lane]);
        }
        for (row, values) in access.data.iter().zip(&values) {
            self.warp.write(*row, values, mask);
        }
    }

    pub fn store(&mut self, access: &Access, pc: u32, mask: u32) {
        let bytes = access.bytes * access.data.len() as u32;
        let addresses = self.addresses(access, mask);
        let spread = spread(&addresses, u64::from(bytes));
        self.count(access, &addresses, &spread, pc, mask);
        if let Some(whole) = self.whole(access, &addresses, &spread, bytes, pc)
            && whole.is_writable()
        {
            self.store_whole(access, &whole, pc, mask);
            return;
        }
        if access.ordering.release {
            self.state.fence();
        }
        for lane in lanes(mask) {
            let Some((place, at)) =
                self.find(access, addresses[lane], bytes, pc, lane, Does::Write)
            else {
                continue;
            };
            if self.copy_runs(place, at, bytes, pc, lane, Does::Write) {
                continue;
            }
            let region = self.region(place);
            let mut changes = false;
            for (i, row) in access.data.iter().enumerate() {
                let at = at + i as u64 * u64::from(access.bytes);
                let v = low(self.warp.rows[*row as usize][lane], access.bytes * 8);
                changes |=
                    region.load(at, access.bytes) != v || !region.is_written(at, access.bytes);
            }
            let touch = if changes {
                Touch::Write
            } else {
                Touch::Rewrite
            };
            self.touch(place, at, bytes, touch, access.ordering, pc, lane);
            // Before: whoever reads the value must find what it stands for.
            self.release(access, place, addresses[lane]);
            let region = self.region(place);
            for (i, row) in access.data.iter().enumerate() {
                let at = at + i as u64 * u64::from(access.bytes);
                region.store(at, access.bytes, self.warp.rows[*row as usize][lane]);
            }
            region.note_written(at, bytes);
        }
    }

    pub fn atomic(
        &mut self,
        access: &Access,
        f: &AtomicFn,
        to: R,
        operands: [R; 2],
        pc: u32,
        mask: u32,
    ) {
        let addresses = self.addresses(access, mask);
        let spread = spread(&addresses, u64::from(access.bytes));
        self.count(access, &addresses, &spread, pc, mask);
        self.warp.note_strong_read();
        let mut before = [0; WARP];
        for lane in lanes(mask) {
            let found = self.find(access, addresses[lane], access.bytes, pc, lane, Does::Both);
            let Some((place, at)) = found else {
                continue;
            };
            if self.copy_runs(place, at, access.bytes, pc, lane, Does::Both) {
                continue;
            }
            let region = self.region(place);
            let whole = region.is_written(at, access.bytes)
                || is_word(access) && region.is_part_written(at, access.bytes);
            if self.context.checks.uninitialized && !whole {
                self.unwritten(place, at, access.bytes, pc, lane, addresses[lane]);
            }
            self.acquire(access, place, addresses[lane]);
            if access.ordering.release {
                self.state.fence();
            }
            self.release(access, place, addresses[lane]);
            if let Window::Global(i) = place {
                self.context.regions[i as usize].touch_sectors(at, access.bytes, false);
            }
            self.touch(
                place,
                at,
                access.bytes,
                Touch::Write,
                access.ordering,
                pc,
                lane,
            );
            let [a, b] = operands.map(|r| low(self.warp.rows[r as usize][lane], access.bytes * 8));
            let region = self.region(place);
            before[lane] = region.update(at, access.bytes, |old| f(old, a, b));
            region.note_written(at, access.bytes);
            // What was read may have been released since.
            self.acquire(access, place, addresses[lane]);
        }
        if to != NO_ROW {
            self.warp.write(to, &before, mask);
        }
    }

    pub fn addresses(&self, access: &Access, mask: u32) -> Row {
        let base = &self.warp.rows[access.base as usize];
        let mut out = [0; WARP];
        for lane in 0..WARP {
            out[lane] = base[lane].wrapping_add(access.offset as u64);
        }
        // Lanes that take no part hold anything.
        let any = out[mask.trailing_zeros().min(31) as usize];
        for (lane, address) in out.iter_mut().enumerate() {
            if mask >> lane & 1 == 0 {
                *address = any;
            }
        }
        out
    }

    /// The place of an access and the offset in it; reports it if there is none.
    pub fn find(
        &mut self,
        access: &Access,
        address: u64,
        bytes: u32,
        pc: u32,
        lane: usize,
        does: Does,
    ) -> Option<(Window, u64)> {
        if self.is_aligned(address, bytes, pc, lane, does) {
            self.locate(access, address, bytes, pc, lane, does)
        } else {
            None
        }
    }

    /// Whether an access is aligned to its size, a power of two; reports it if not.
    pub fn is_aligned(&self, address: u64, bytes: u32, pc: u32, lane: usize, does: Does) -> bool {
        if address & u64::from(bytes - 1) == 0 {
            return true;
        }
        self.note_with(FindingKind::Misaligned, pc, None, lane, |_| {
            format!(
                "{bytes} bytes {} at {address:#x}, which {bytes} does not divide",
                does.verb()
            )
        });
        false
    }

    /// The place of an access of any alignment; reports it if there is none.
    pub fn locate(
        &mut self,
        access: &Access,
        address: u64,
        bytes: u32,
        pc: u32,
        lane: usize,
        does: Does,
    ) -> Option<(Window, u64)> {
        let size = u64::from(bytes);
        let window = |start: u64| address.checked_sub(start).filter(|a| *a < WINDOW);
        let space = match access.space {
            Space::Generic if window(SHARED_WINDOW).is_some() => Space::Shared,
            Space::Generic if window(LOCAL_WINDOW).is_some() => Space::Local,
            Space::Generic if window(PARAM_WINDOW).is_some() => Space::Param,
            Space::Generic => Space::Global,
            space => space,
        };
        let at = match access.space {
            Space::Generic if space != Space::Global => address % WINDOW,
            _ => address,
        };
        let found = match space {
            Space::Global | Space::Generic => {
                return match self.global(address, size, pc) {
                    Some(region) => {
                        let at = address - self.context.regions[region as usize].region.base;
                        Some((Window::Global(region), at))
                    }
                    None if is_word(access) && bytes == access.bytes => {
                        self.word(address, pc).or_else(|| {
                            self.outside_global(address, bytes, pc, lane, does);
                            None
                        })
                    }
                    None => {
                        self.outside_global(address, bytes, pc, lane, does);
                        None
                    }
                };
            }
            Space::Shared => (Window::Shared, at, self.state.shared.bytes),
            Space::Local => (Window::Local, at, u64::from(self.context.local_bytes)),
            Space::Param => (Window::Param, at, self.context.params.len() as u64),
        };
        let (place, at, limit) = found;
        if at.checked_add(size).is_none_or(|end| end > limit) {
            let space = match place {
                Window::Shared => "shared memory",
                Window::Local => "local memory",
                _ => "parameters",
            };
            self.note_with(FindingKind::OutOfBounds, pc, None, lane, |_| {
                format!(
                    "{bytes} bytes {} at offset {at} of {limit} bytes of {space}",
                    does.verb()
                )
            });
            return None;
        }
        if place == Window::Local {
            let thread = u64::from(self.warp.index) * WARP as u64 + lane as u64;
            return Some((place, thread * limit + at));
        }
        Some((place, at))
    }

    /// Where a word begins in an allocation that ends in it.
    fn word(&mut self, address: u64, pc: u32) -> Option<(Window, u64)> {
        let i = self.global(address, 1, pc)?;
        let region = &self.context.regions[i as usize].region;
        let inside = region.contains_start_of_word(address);
        inside.then(|| (Window::Global(i), address - region.base))
    }

    /// The region that holds an access, if one does.
    pub fn global(&mut self, address: u64, bytes: u64, pc: u32) -> Option<u32> {
        let regions = &self.context.regions;
        let last = self.last_region[pc as usize];
        if let Some(live) = regions.get(last as usize)
            && live.region.contains(address, bytes)
        {
            return Some(last);
        }
        let after = regions.partition_point(|r| r.region.base <= address);
        let index = after.checked_sub(1)?;
        if !regions[index].region.contains(address, bytes) {
            return None;
        }
        self.last_region[pc as usize] = index as u32;
        Some(index as u32)
    }

    fn outside_global(&self, address: u64, bytes: u32, pc: u32, lane: usize, does: Does) {
        let regions = &self.context.regions;
        let after = regions.partition_point(|r| r.region.base <= address);
        let below = after.checked_sub(1).map(|i| &regions[i].region);
        let above = regions.get(after).map(|r| &r.region);
        self.note_with(FindingKind::OutOfBounds, pc, None, lane, |_| {
            let what = format!("{bytes} bytes {} at {address:#x}", does.verb());
            let past = |r: &Region| address - r.base;
            match (below, above) {
                _ if address < 4096 => format!("{what}, a null pointer"),
                (Some(r), _) if past(r) < 2 * r.bytes + 65536 => format!(
                    "{what}, offset {} of an allocation of {} bytes{}",
                    past(r),
                    r.bytes,
                    named(r)
                ),
                (_, Some(r)) if r.base - address < 65536 => format!(
                    "{what}, {} bytes before an allocation of {} bytes{}",
                    r.base - address,
                    r.bytes,
                    named(r)
                ),
                _ => format!("{what}, which belongs to no allocation"),
            }
        });
    }

    pub fn region(&self, place: Window) -> &Region {
        match place {
            Window::Global(i) => &self.context.regions[i as usize].region,
            Window::Local => &self.state.local,
            Window::Shared | Window::Param => &self.state.shared,
        }
    }

    pub fn unwritten(
        &self,
        place: Window,
        at: u64,
        bytes: u32,
        pc: u32,
        lane: usize,
        address: u64,
    ) {
        let region = self.region(place);
        self.note_with(FindingKind::Uninitialized, pc, None, lane, |_| match place {
            Window::Global(_) => format!(
                "{bytes} bytes read at {address:#x}, offset {at} of an allocation of {} bytes{}, \
                 which nobody wrote",
                region.bytes,
                named(region)
            ),
            Window::Local => format!("{bytes} bytes of local memory read, which the thread did not write"),
            _ => format!("{bytes} bytes read at offset {at} of shared memory, which nobody wrote"),
        });
    }

    /// Notes an access for the ordering of threads, and reports a race.
    #[allow(clippy::too_many_arguments)]
    pub fn touch(
        &self,
        place: Window,
        at: u64,
        bytes: u32,
        touch: Touch,
        ordering: Ordering,
        pc: u32,
        lane: usize,
    ) {
        let races = match place {
            Window::Global(i) => {
                let live = &self.context.regions[i as usize];
                live.touch_sectors(at, bytes, touch != Touch::Read);
                live.races.as_ref()
            }
            Window::Shared => self.state.shared_races.as_ref(),
            Window::Local | Window::Param => None,
        };
        let Some(races) = races else {
            return;
        };
        let thread = self.warp.index * WARP as u32 + lane as u32;
        let me = Record::new(self.state.number, thread, self.state.epoch, ordering.strong);
        let order = Order {
            access: ordering.kind(),
            ..self.state.order(self.warp)
        };
        if let Some(conflict) = races.touch(at, bytes, touch, me, pc, &order) {
            self.race(
                place,
                at,
                bytes,
                (touch, ordering.kind()),
                conflict,
                pc,
                lane,
            );
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub fn race(
        &self,
        place: Window,
        at: u64,
        bytes: u32,
        (touch, kind): (Touch, Kind),
        conflict: Conflict,
        pc: u32,
        lane: usize,
    ) {
        let context = self.context;
        let region = self.region(place);
        self.note_with(FindingKind::Race, pc, Some(conflict.at), lane, |_| {
            let did = match touch {
                Touch::Read => "read",
                _ => "written",
            };
            let other = if conflict.wrote { "writes" } else { "reads" };
            let why = match kind {
                Kind::ReadOnly => "although it is read as what nobody writes",
                Kind::WithinBlock | Kind::Usual => "without anything that orders them",
            };
            let memory = match place {
                Window::Global(_) => format!(
                    "offset {at} of an allocation of {} bytes{}",
                    region.bytes,
                    named(region)
                ),
                _ => format!("offset {at} of shared memory"),
            };
            let [x, y, z] = context.thread_coordinates(conflict.with.thread());
            let [bx, by, bz] = context.block_coordinates(conflict.with.block());
            let block = if conflict.with.block() == self.state.number {
                "the same block".to_string()
            } else {
                format!("block ({bx}, {by}, {bz})")
            };
            format!(
                "{bytes} bytes {did} at {memory}, which thread ({x}, {y}, {z}) of {block} {other} \
                 {why}"
            )
        });
    }

    fn count(&mut self, access: &Access, addresses: &Row, spread: &Spread, pc: u32, mask: u32) {
        let bytes = access.bytes * (access.data.len().max(1)) as u32;
        let first = addresses[mask.trailing_zeros().min(31) as usize];
        if matches!(access.space, Space::Local | Space::Param) {
            return;
        }
        let shared = self.is_shared(access, first);
        let count = &mut self.counts[pc as usize];
        if shared {
            count.shared += match spread.is_row && mask == u32::MAX && bytes >= 4 {
                true => row_of_words(bytes),
                false => wavefronts(addresses, mask, bytes),
            };
            return;
        }
        let own = LOCAL_WINDOW..PARAM_WINDOW + WINDOW;
        if access.space == Space::Generic && own.contains(&first) {
            return;
        }
        count.global.requests += 1;
        // A row of neighbours, or one place for all, has no gaps.
        let dense = spread.least == spread.most || spread.is_row && mask == u32::MAX;
        let units = |shift: u32| match dense {
            true => {
                (last_byte(spread.most, u64::from(bytes)) >> shift) - (spread.least >> shift) + 1
            }
            false => distinct(addresses, mask, u64::from(bytes), shift),
        };
        count.global.sectors += units(5);
        count.global.lines += units(7);
        count.global.bytes += u64::from(bytes) * u64::from(mask.count_ones());
    }

    /// Whether an address of an access leads to shared memory.
    pub fn is_shared(&self, access: &Access, address: u64) -> bool {
        match access.space {
            Space::Shared => true,
            Space::Generic => address
                .checked_sub(SHARED_WINDOW)
                .is_some_and(|a| a < WINDOW),
            Space::Global | Space::Local | Space::Param => false,
        }
    }

    /// Copies bytes of the local memory of each thread: from, to and how many. What
    /// was never written stays so.
    pub fn copy_local(&mut self, parts: &[(u32, u32, u32)], mask: u32) {
        let own = u64::from(self.context.local_bytes);
        let local = &self.state.local;
        for lane in lanes(mask) {
            let start = (u64::from(self.warp.index) * WARP as u64 + lane as u64) * own;
            for (from, to, bytes) in parts {
                for i in 0..u64::from(*bytes) {
                    let from = start + u64::from(*from) + i;
                    let to = start + u64::from(*to) + i;
                    local.store(to, 1, local.load(from, 1));
                    if local.is_written(from, 1) {
                        local.note_written(to, 1);
                    }
                }
            }
        }
    }

    /// A strong read learns what was released at its address.
    fn acquire(&mut self, access: &Access, place: Window, address: u64) {
        if access.ordering.strong
            && !access.ordering.within_block
            && self.context.code.has_fences
            && matches!(place, Window::Global(_))
        {
            self.context.acquire(address, &mut self.state.acquired);
        }
    }

    /// A strong write releases what a fence before it covers.
    fn release(&mut self, access: &Access, place: Window, address: u64) {
        if access.ordering.strong
            && !access.ordering.within_block
            && matches!(place, Window::Global(_))
            && let Some(fenced) = self.state.fenced
        {
            self.context
                .release(address, self.state.number, fenced, &self.state.acquired);
        }
    }
}

/// Whether an access may be of a word of which the program uses some bytes: what updates a
/// number of 8 or 16 bits in one step does so in the word around it, which may reach beyond
/// the end of an allocation, and in which nobody need have written the other bytes.
fn is_word(access: &Access) -> bool {
    access.ordering.strong && access.bytes == 4
}

pub(crate) fn extend(v: u64, access: &Access) -> u64 {
    if access.signed {
        low(signed(v, access.bytes * 8) as u64, access.register_bits)
    } else {
        v
    }
}

fn named(region: &Region) -> String {
    if region.name.is_empty() {
        String::new()
    } else {
        format!(" (`{}`)", region.name)
    }
}
