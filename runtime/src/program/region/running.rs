//! What a thread runs on a device, and what fails of it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::image::{Loaded, LoadedKernel};
use super::site::site;
use crate::device::{DeviceError, StreamId};
use crate::profile::LaunchWork;
use crate::program::Runtime;
use crate::program::abi::{Region, SourcePlace};
use crate::program::failure::guard;
use crate::program::fault::{Origin, attributed};
use crate::program::report::Order;

/// What a thread runs on a device.
pub(in crate::program) struct Running {
    pub(in crate::program) runtime: &'static Runtime,
    pub(super) loaded: Arc<Loaded>,
    pub(in crate::program) stream: StreamId,
    pub(super) name: String,
    pub(in crate::program) place: SourcePlace,
    /// The region itself, for as long as it runs.
    pub(super) region: *const Region,
    pub(super) error: Option<String>,
    /// Whether the error says by itself where it comes from.
    pub(super) placed: Cell<bool>,
    /// What the next launch does.
    pub(super) work: Cell<Option<LaunchWork>>,
}

impl Running {
    /// Makes this what the thread runs, until [`leave`]; what it ran before.
    pub(super) fn enter(self) -> Option<Running> {
        RUNNING.with(|r| r.borrow_mut().replace(self))
    }

    /// Notes that something is about to be queued, until [`Running::told`].
    pub(in crate::program) fn mark(&self) -> Order {
        let mut state = self.runtime.state();
        let order = state.queues.mark(self.stream);
        state.queues.open(self.stream, order);
        order
    }

    /// The device knows of it.
    pub(in crate::program) fn told(&self, order: Order) {
        self.runtime.state().queues.close(self.stream, order);
    }

    /// What is said of an error of the device: a fault is that of a launch before, with the
    /// place of that.
    pub(in crate::program) fn say(&self, e: DeviceError) -> String {
        match attributed(&self.runtime.state().queues, &e) {
            Some(text) => {
                self.placed.set(true);
                text
            }
            None => e.to_string(),
        }
    }

    /// Where `kernel` is launched from by this op.
    pub(super) fn origin(&self, kernel: &LoadedKernel, name: &str, op: u32) -> Arc<Origin> {
        let is_it = |o: &&Arc<Origin>| o.op == op && o.kernel == name && o.region == self.name;
        if let Some(known) = kernel.origin.get().filter(is_it) {
            return Arc::clone(known);
        }
        // SAFETY: this is only made, and used, while the region's reference lives.
        let region = unsafe { &*self.region };
        let code = i32::try_from(op).map_or(0, |op| op.saturating_add(1));
        let origin = Arc::new(Origin {
            op,
            region: self.name.clone(),
            kernel: name.to_string(),
            // SAFETY: the region is as in `terrace.h`.
            place: unsafe { site(region, code, &self.place) },
        });
        // The first stays; others are made again.
        let _ = kernel.origin.set(Arc::clone(&origin));
        origin
    }
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Makes `outer` what the thread runs again; what it ran until now.
pub(super) fn leave(outer: Option<Running>) -> Option<Running> {
    RUNNING.with(|r| std::mem::replace(&mut *r.borrow_mut(), outer))
}

/// Does something for the region that runs; its failure becomes the region's. `failed`
/// where none runs or it has failed before.
pub(in crate::program) fn with<R>(failed: R, f: impl FnOnce(&Running) -> Result<R, String>) -> R {
    guard(|| {
        RUNNING.with(|r| {
            let mut running = r.borrow_mut();
            let Some(running) = running.as_mut().filter(|r| r.error.is_none()) else {
                return failed;
            };
            match f(running) {
                Ok(value) => value,
                Err(message) => {
                    running.error = Some(message);
                    failed
                }
            }
        })
    })
}

/// Statuses for native code.
pub(in crate::program) const OK: i32 = 0;
pub(in crate::program) const FAILED: i32 = 1;
