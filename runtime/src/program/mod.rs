//! What programs that `terrace cc` made call while they run: data on the device,
//! regions, queues, and the OpenACC interface.
//!
//! Compiled programs are linked with this crate as an archive; everything that they
//! call is `extern "C"` and described in `include/terrace.h` and `include/openacc.h`.
//! Behind it:
//!
//! - [`settings`]: what the environment asks for, and [`current`]: which device that is;
//! - [`present`]: which host memory has a copy on the device, as a table without a
//!   device, and [`data`]: what data clauses do to it, [`attach`] to pointers in it and
//!   [`rows`] to arrays of pointers, and `loose` to sections that may reach beyond arrays;
//!   [`resident`] keeps data on the device behind regions, and `host` lends it to regions that no device has code for;
//! - [`memory`] and [`queue`]: device memory and streams, kept for reuse, and `fault`: which
//!   launch a fault comes from;
//! - [`region`]: running a region, and the functions its native code calls back; [`trials`]: whether
//!   its code is quicker than the C statement, also within a call ([`slices`]);
//! - [`report`]: what `TERRACE_PROFILE` and `TERRACE_NOTIFY` print, on standard error, and
//!   `TERRACE_TRACE` writes;
//! - [`entry`] and [`acc`]: the C functions.
//!
//! Whatever cannot be done ends the program with a message that begins with the place
//! in the source, and exit status 1. No panic leaves an `extern "C"` function.

pub mod abi;
pub mod acc;
pub mod attach;
mod begin;
pub mod copies;
pub mod current;
pub mod data;
pub mod entry;
mod exhausted;
pub mod failure;
mod fault;
mod host;
mod loose;
pub mod memory;
pub mod pays;
mod placed;
pub mod present;
pub mod queue;
pub mod region;
pub mod report;
pub mod resident;
pub mod rows;
mod sections;
pub mod settings;
pub mod slices;
pub mod tables;
mod transfer;
pub mod trials;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::device::Device;
use attach::Attachments;
use loose::Loose;
use memory::Blocks;
use present::Table;
use queue::Queues;
use region::Loaded;
use report::{Process, Report, Trace};
use resident::Residents;

/// One opened device with everything a program has on it. Lives until the process
/// ends.
pub struct Runtime {
    pub device: Arc<dyn Device>,
    /// Its number, as `TERRACE_DEVICE` counts.
    pub ordinal: usize,
    pub report: Report,
    /// Whether each launch is waited for, so that a fault is that of the last one.
    pub waits: bool,
    state: Mutex<State>,
    /// Images by their address.
    images: Mutex<HashMap<usize, Arc<Loaded>>>,
}

/// What changes while a program runs.
pub(crate) struct State {
    pub table: Table,
    pub attached: Attachments,
    /// Loose sections of regions that have not ended, by where they are on the device.
    pub loose: HashMap<u64, Loose>,
    pub residents: Residents,
    pub blocks: Blocks,
    pub queues: Queues,
}

impl Runtime {
    /// A device on which the program has nothing yet.
    pub fn new(device: Arc<dyn Device>, ordinal: usize, report: Report) -> Runtime {
        let blocks = match device.looks_at_accesses() {
            true => Blocks::exact(),
            false => Blocks::new(device.info().total_memory / 2),
        };
        Runtime {
            device,
            ordinal,
            report,
            waits: false,
            state: Mutex::new(State {
                table: Table::default(),
                attached: Attachments::default(),
                loose: HashMap::new(),
                residents: Residents::default(),
                blocks,
                queues: Queues::default(),
            }),
            images: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds what happened here to a trace. Waits for no lock: a thread that ends the
    /// program may hold it.
    pub(crate) fn add_to(&self, trace: &mut Trace) {
        let state = self.state.try_lock();
        let process = Process {
            ordinal: self.ordinal,
            name: format!("GPU {} ({})", self.ordinal, self.device.info().name),
            streams: state.map_or_else(|_| Default::default(), |s| s.queues.names()),
        };
        self.report.add_to(trace, &process, Some(&*self.device));
    }
}

/// A lock that a panic elsewhere does not spoil: the program ends after one anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
