//! What ran, for how long, and how fast: a record, and tables of it.
//!
//! | file | what |
//! | --- | --- |
//! | `event` | what can happen: runs, copies, allocations, steps |
//! | `peaks` | what launches do, and the most that a device can |
//! | `summary` | runs, copies and allocations of a record, summed |
//! | `print` | a record as tables |
//! | `table` | rows of text in columns |

mod event;
mod peaks;
mod print;
mod summary;
mod table;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use event::{Direction, Event, KernelRun};
pub(crate) use peaks::machine;
pub use peaks::{LaunchWork, Peaks};
pub use summary::{CopySummary, KernelSummary, Stats};
pub(crate) use table::Table;
pub use table::time;

/// A record of events, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    events: Vec<Event>,
    /// Of the device, where they are known.
    pub peaks: Option<Peaks>,
}

impl Profile {
    /// An empty record.
    pub fn new() -> Profile {
        Profile::default()
    }

    /// Adds an event.
    pub fn record(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Adds a step of the host.
    pub fn record_step(&mut self, name: &str, time: Duration) {
        self.record(Event::Step {
            name: name.to_string(),
            microseconds: time.as_secs_f64() * 1e6,
        });
    }

    /// Forgets all but the steps: a further call begins.
    pub fn begin_call(&mut self) {
        self.events.retain(|e| matches!(e, Event::Step { .. }));
    }

    /// The events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Adds the events of another record, as those of a further repetition.
    pub fn extend(&mut self, other: Profile) {
        self.events.extend(other.events);
        self.peaks = self.peaks.or(other.peaks);
    }
}
