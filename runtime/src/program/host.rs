//! Regions that run on the host although others run on a device, since there is no code for
//! them there.
//!
//! Such a region finds in the program's memory what the device has in its copies, as it would
//! on the device, and what it changes there is changed in the copies. Behind it the program's
//! memory is what it was before, as behind any region whose data stays on the device. Until
//! its end nothing of this thread goes to a device.

use std::cell::RefCell;

use super::Runtime;
use super::abi::SourcePlace;
use super::attach::POINTER;
use super::data::Work;
use super::loose::{Part, changes, readable};
use super::settings::settings;
use super::{current, queue::SYNC};
use crate::notice::say;
use crate::profile::Direction;

thread_local! {
    /// The regions of this thread that run on the host, the outermost first.
    static RUNNING: RefCell<Vec<OnHost>> = const { RefCell::new(Vec::new()) };
}

/// A region that runs on the host.
struct OnHost {
    /// The device that has data of the program.
    runtime: Option<&'static Runtime>,
    lent: Vec<Lent>,
    place: SourcePlace,
}

/// Memory of the program that holds what its copy on the device does.
#[derive(Debug)]
pub struct Lent {
    /// What the program has there.
    own: Part,
    /// What the device has, pointers as the host's.
    device: Vec<u8>,
    /// Where it is there.
    at: u64,
    name: String,
}

/// Whether a region of this thread runs on the host.
pub fn is_running() -> bool {
    RUNNING.with_borrow(|r| !r.is_empty())
}

/// Begins a region for which no device has code; one without a name has it, and whoever sent it
/// to the host has said why.
///
/// # Errors
/// What the device says.
pub fn begin(name: Option<&str>, place: SourcePlace) -> Result<(), String> {
    if let Some(name) = name.filter(|_| settings().notify && current::may_have_gpu()) {
        say!("terrace: {place}: {name} runs on the host: there is no code of it for a device");
    }
    let runtime = current::started();
    let lent = match runtime {
        Some(r) => r.lend(&place)?,
        None => Vec::new(),
    };
    RUNNING.with_borrow_mut(|r| {
        r.push(OnHost {
            runtime,
            lent,
            place,
        });
    });
    Ok(())
}

/// Ends the region that began last.
///
/// # Errors
/// What the device says.
pub fn end() -> Result<(), String> {
    let Some(region) = RUNNING.with_borrow_mut(Vec::pop) else {
        return Ok(());
    };
    match region.runtime {
        Some(r) => r.take_back(&region.lent, &region.place),
        None => Ok(()),
    }
}

impl Runtime {
    /// Puts what the device has into the program's memory.
    ///
    /// # Errors
    /// What the device says, with the place.
    pub fn lend(&self, place: &SourcePlace) -> Result<Vec<Lent>, String> {
        if self.state().table.entries().next().is_none() {
            return Ok(Vec::new());
        }
        // What is queued may change it.
        self.wait_all()?;
        self.work("lend data", SYNC, place, |work| work.lend())
    }

    /// Gives the device what the region changed, and the program its own memory back.
    ///
    /// # Errors
    /// What the device says, with the place.
    pub fn take_back(&self, lent: &[Lent], place: &SourcePlace) -> Result<(), String> {
        self.work("take back", SYNC, place, |work| {
            lent.iter().try_for_each(|l| work.take_back_lent(l))
        })
    }
}

impl Work<'_> {
    fn lend(&mut self) -> Result<Vec<Lent>, String> {
        let entries = self.state.table.entries();
        let sections: Vec<_> = entries
            .map(|e| (e.start, e.end(), e.device, e.name.clone()))
            .collect();
        let mut all = Vec::new();
        for (start, end, device, name) in sections {
            for own in readable(start, end) {
                let at = device + (own.start - start);
                let mut there = vec![0u8; own.bytes.len()];
                let (to, n) = (there.as_mut_ptr() as u64, there.len() as u64);
                self.copy(&name, Direction::DeviceToHost, to, at, n)?;
                self.wait()?;
                let part_end = own.start + n;
                for (pointer, a) in self.state.attached.inside(own.start, part_end) {
                    let first = (pointer - own.start) as usize;
                    there[first..first + POINTER as usize].copy_from_slice(&a.host.to_ne_bytes());
                }
                write(own.start, &changes(&own.bytes, &there));
                all.push(Lent {
                    own,
                    device: there,
                    at,
                    name: name.clone(),
                });
            }
        }
        Ok(all)
    }

    fn take_back_lent(&mut self, lent: &Lent) -> Result<(), String> {
        let start = lent.own.start;
        let n = lent.own.bytes.len();
        // SAFETY: the section is memory of the program that could be read when it was lent.
        let now = unsafe { std::slice::from_raw_parts(start as *const u8, n) }.to_vec();
        let changed = changes(&lent.device, &now);
        for (at, bytes) in &changed {
            let (from, n) = (bytes.as_ptr() as u64, bytes.len() as u64);
            let to = lent.at + *at as u64;
            self.copy(&lent.name, Direction::HostToDevice, from, to, n)?;
        }
        if !changed.is_empty() {
            self.wait()?;
        }
        // Attached pointers that the region changed lead to the copies of what they lead to.
        let mut stores = Vec::new();
        for (pointer, a) in self.state.attached.inside(start, start + n as u64) {
            let first = (pointer - start) as usize;
            let mut bytes = [0; POINTER as usize];
            bytes.copy_from_slice(&now[first..first + POINTER as usize]);
            let host = u64::from_ne_bytes(bytes);
            if host == a.host {
                continue;
            }
            let target = self.state.table.containing(host, 0);
            let device = target.map_or(host, |e| e.translate(host));
            stores.push((lent.at + first as u64, device));
            self.state.attached.lead(pointer, host, device);
        }
        self.store(&stores)?;
        write(start, &changes(&now, &lent.own.bytes));
        Ok(())
    }
}

/// Writes runs of bytes to the program's memory from `start` on.
fn write(start: u64, runs: &[(usize, &[u8])]) {
    for (at, bytes) in runs {
        let to = (start + *at as u64) as *mut u8;
        // SAFETY: data directives say that the section is memory of the program's; what of it
        // cannot be written the device does not change either.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }
}
