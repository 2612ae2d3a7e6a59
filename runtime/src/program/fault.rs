//! Which launch a fault of the device comes from. A device says that something went wrong
//! when it is asked for something later, whatever that is; then nothing more can be had of
//! it. What is known is which launches were not known to be done.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::abi::SourcePlace;
use super::queue::Queues;
use crate::device::DeviceError;

/// So many changes of the kernel are remembered for each stream.
const MAX: usize = 256;

/// A place in the program that launches a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Of the region's ops.
    pub op: u32,
    pub region: String,
    pub kernel: String,
    pub place: SourcePlace,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin {
            region,
            kernel,
            place,
            ..
        } = self;
        write!(f, "{place} (kernel {kernel} of {region})")
    }
}

/// Launches of one origin that follow each other on a stream.
#[derive(Debug)]
struct Run {
    origin: Arc<Origin>,
    /// Their places in the stream, both included, and their number.
    last: u64,
    count: u64,
}

/// The launches of a stream that are not known to be done.
#[derive(Debug, Default)]
pub struct InFlight {
    runs: VecDeque<Run>,
    /// Launches behind all of these, which were too many to remember, and the last of them.
    more: u64,
    last: u64,
}

impl InFlight {
    /// One more, the newest.
    pub fn add(&mut self, at: u64, origin: &Arc<Origin>) {
        if self.more > 0 {
            (self.more, self.last) = (self.more + 1, at);
            return;
        }
        let full = self.runs.len() >= MAX;
        match self.runs.back_mut() {
            Some(run) if Arc::ptr_eq(&run.origin, origin) => {
                (run.last, run.count) = (at, run.count + 1);
            }
            _ if full => (self.more, self.last) = (1, at),
            _ => self.runs.push_back(Run {
                origin: Arc::clone(origin),
                last: at,
                count: 1,
            }),
        }
    }

    /// The newest one did not come about.
    pub fn take_back(&mut self) {
        if self.more > 0 {
            self.more -= 1;
            return;
        }
        let Some(run) = self.runs.back_mut() else {
            return;
        };
        run.count -= 1;
        if run.count == 0 {
            self.runs.pop_back();
        }
    }

    /// All up to this place are done.
    pub fn done(&mut self, at: u64) {
        while self.runs.front().is_some_and(|r| r.last <= at) {
            self.runs.pop_front();
        }
        if self.last <= at {
            self.more = 0;
        }
    }

    /// The newest of those that are remembered, and its place in the stream.
    pub fn newest(&self) -> Option<(u64, &Origin)> {
        self.runs.back().map(|r| (r.last, &*r.origin))
    }

    /// The earliest first, with the numbers of their launches.
    fn origins(&self) -> impl Iterator<Item = (&Origin, u64)> {
        self.runs.iter().map(|r| (&*r.origin, r.count))
    }
}

/// What is said of a fault: the message with the place of the launch that it comes from, as
/// far as that is known. None where the error is not a fault, or no launch is out.
pub(super) fn attributed(queues: &Queues, e: &DeviceError) -> Option<String> {
    if !e.is_fault() {
        return None;
    }
    let flights: Vec<&InFlight> = queues.in_flight().collect();
    let mut earliest: Vec<(&Origin, u64)> = Vec::new();
    let mut rest: Vec<&Origin> = Vec::new();
    let mut launches = 0;
    for flight in &flights {
        launches += flight.more;
        for (i, (origin, count)) in flight.origins().enumerate() {
            launches += count;
            match i {
                0 => earliest.push((origin, count)),
                _ => rest.push(origin),
            }
        }
    }
    let (first, _) = *earliest.first()?;
    let sure = earliest.len() == 1 && rest.iter().all(|o| *o == first);
    let sure = sure && flights.iter().all(|f| f.more == 0);
    let Origin {
        region,
        kernel,
        place,
        ..
    } = first;
    if sure && launches == 1 {
        return Some(format!(
            "{place}: error: kernel {kernel} of {region}, launched here, failed: {e}"
        ));
    }
    if sure {
        return Some(format!(
            "{place}: error: kernel {kernel} of {region}, launched here, failed: {e}\n  it was \
             one of {launches} launches; TERRACE_SYNC=1 waits for each, and stops at the one"
        ));
    }
    let mut text = format!(
        "{place}: error: kernel {kernel} of {region}, launched here, or one after it, failed: \
         {e}\n  {launches} launches are not known to be done; TERRACE_SYNC=1 waits for each, and \
         names the one"
    );
    let mut others: Vec<&Origin> = earliest[1..].iter().map(|(o, _)| *o).collect();
    others.extend(rest);
    let mut said: Vec<&Origin> = vec![first];
    for other in others {
        if said.contains(&other) {
            continue;
        }
        said.push(other);
        if said.len() > 5 {
            text.push_str("\n  and others");
            break;
        }
        text.push_str(&format!("\n  or {other}"));
    }
    Some(text)
}
