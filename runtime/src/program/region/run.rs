//! A region from its begin to its end.

use std::cell::Cell;
use std::time::Instant;

use terrace_support::estimate::Work;
use terrace_support::subnormals::Mode;

use super::image::slice;
use super::running::{Running, leave};
use super::site::{describe, site};
use crate::program::Runtime;
use crate::program::abi::{Entry, Region};
use crate::program::acc::prof::{self, Construct, Event};
use crate::program::fault::attributed;
use crate::program::queue::SYNC;
use crate::program::report::Report;

const FAILED_CHECK: &str = "a check failed while this ran: a division by zero, an index out of \
                            bounds, memory that could not be had, or an assertion";

thread_local! {
    /// The region that this thread was asked about last, and what it does when it is run
    /// next.
    static EXPECTED: Cell<Option<(usize, Work)>> = const { Cell::new(None) };
}

/// Notes what the next run of a region on this thread does, for profiles.
pub(in crate::program) fn expect(region: *const Region, work: Option<Work>) {
    EXPECTED.set(work.map(|w| (region as usize, w)));
}

/// What was noted of this region.
fn expected(region: &Region) -> Option<Work> {
    let (of, work) = EXPECTED.take()?;
    (of == std::ptr::from_ref(region) as usize).then_some(work)
}

/// Runs a region's own code for this machine's cores, which treats subnormal numbers in a mode.
///
/// # Errors
/// A check of the program that failed, with its place.
///
/// # Safety
/// `words` are the arguments of this region.
pub unsafe fn run_cpu(
    region: &Region,
    (entry, mode): (Entry, Mode),
    words: *mut u64,
    report: &Report,
) -> Result<(), String> {
    // Short regions run often: nothing is made for a report that nobody reads.
    let start = report.wants_runs().then(Instant::now);
    // SAFETY: by the contract.
    let code = mode.or_current_around(|| unsafe { entry(words) });
    if code == 0 && start.is_none() {
        return Ok(());
    }
    // SAFETY: by the contract.
    let (name, place) = unsafe { describe(region) };
    if code != 0 {
        // SAFETY: by the contract.
        let place = unsafe { site(region, code, &place) };
        return Err(format!("{place}: error: {FAILED_CHECK}"));
    }
    if let Some(start) = start {
        report.ran(&name, &place, start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(())
}

impl Runtime {
    /// Runs a region on the device: its newest version that the device can run.
    ///
    /// # Errors
    /// What the device says, with the place of the op.
    ///
    /// # Safety
    /// `words` are the arguments of this region, with addresses on this device.
    pub unsafe fn run(
        &'static self,
        region: &Region,
        entry: Entry,
        words: *mut u64,
        queue: i64,
    ) -> Result<(), String> {
        // SAFETY: by the contract.
        let (name, place) = unsafe { describe(region) };
        let at = |e: String| format!("{place}: error: {e}");
        let events = (Event::ComputeConstructStart, Event::ComputeConstructEnd);
        let _told = prof::span(events, Construct::Parallel, &place);
        let _span = self.report.host(&name, &place);
        let work = expected(region);
        // SAFETY: by the contract.
        let versions = unsafe { slice(region.versions, region.num_versions) };
        let capability = self.device.info().compute_capability;
        let newest = versions.iter().rfind(|v| v.fits(capability));
        let newest = newest.and_then(|v| Some((v.gpu?, v.image)));
        let (entry, image) = newest.unwrap_or((entry, region.image));
        // SAFETY: by the contract.
        let loaded = unsafe { self.load(image) }.map_err(at)?;
        let stream = self
            .state()
            .queues
            .stream(&*self.device, queue)
            .map_err(at)?;
        let running = Running {
            runtime: self,
            loaded,
            stream,
            name: name.clone(),
            place: place.clone(),
            region,
            error: None,
            placed: Cell::new(false),
            work: Cell::new(None),
        };
        let outer = running.enter();
        // SAFETY: by the contract.
        let code = unsafe { entry(words) };
        let done = leave(outer);
        let placed = done.as_ref().is_some_and(|r| r.placed.get());
        let error = done.and_then(|r| r.error);
        if let (Some(error), true) = (&error, placed) {
            return Err(error.clone());
        }
        if code != 0 || error.is_some() {
            // SAFETY: by the contract.
            let place = unsafe { site(region, code, &place) };
            let error = error.unwrap_or_else(|| FAILED_CHECK.to_string());
            return Err(format!("{place}: error: {error}"));
        }
        self.report.worked(&name, &place, work);
        if queue == SYNC {
            let ticket = self.state().queues.told(stream);
            if let Err(e) = self.device.synchronize(stream) {
                let said = attributed(&self.state().queues, &e);
                return Err(said.unwrap_or_else(|| at(e.to_string())));
            }
            self.state().queues.done(ticket);
        }
        Ok(())
    }
}
