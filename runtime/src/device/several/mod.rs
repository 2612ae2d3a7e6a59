//! Several devices seen as one, for programs that use more than one: each address tells
//! which device is meant.
//!
//! A stream is one of each device. It stays one queue: before it goes on with work on
//! another device, its work on the one before is waited for. A kernel runs where its arrays
//! are. Copies from one device to another go through the host.
//!
//! | file | what |
//! | --- | --- |
//! | `operations` | what is asked of them as of one |
//! | `streams` | streams and events, one of each device |
//! | `kernels` | modules and kernels on each device, and where a launch runs |

mod kernels;
mod operations;
mod streams;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{AllocTable, Device, DeviceError, DeviceInfo, DevicePtr, KernelId, ModuleId, StreamId};
use streams::{Event, Lane};

/// The devices.
pub struct Several {
    info: DeviceInfo,
    /// Each once, with the first number that the program has for it.
    devices: Vec<(u32, Arc<dyn Device>)>,
    /// Which of them is meant by a number.
    numbers: HashMap<u32, usize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    /// Of all devices; addresses differ between them.
    allocations: AllocTable,
    owners: HashMap<u64, usize>,
    streams: HashMap<u64, Lane>,
    events: HashMap<u64, Event>,
    modules: HashMap<u64, Vec<ModuleId>>,
    by_text: HashMap<Box<str>, u64>,
    kernels: HashMap<u64, Vec<KernelId>>,
}

impl State {
    fn fresh(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The device whose memory an address is in.
    fn owner(&self, ptr: DevicePtr) -> Option<usize> {
        let start = self.allocations.start_of(ptr)?;
        self.owners.get(&start.0).copied()
    }
}

impl Several {
    /// These devices with the program's numbers for them, of which 0 comes first. One
    /// device may have several numbers.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] without a device.
    pub fn new(all: Vec<(u32, Arc<dyn Device>)>) -> Result<Several, DeviceError> {
        let mut devices: Vec<(u32, Arc<dyn Device>)> = Vec::new();
        let mut numbers = HashMap::new();
        for (number, device) in all {
            let known = devices.iter().position(|(_, d)| Arc::ptr_eq(d, &device));
            numbers.insert(number, known.unwrap_or(devices.len()));
            if known.is_none() {
                devices.push((number, device));
            }
        }
        let Some((_, first)) = devices.first() else {
            return Err(DeviceError::Invalid {
                operation: "use several devices".to_string(),
                problem: "there is none".to_string(),
            });
        };
        let mut info = first.info().clone();
        let mut names: Vec<String> = Vec::new();
        for (_, device) in &devices {
            let other = device.info();
            info.compute_capability = info.compute_capability.min(other.compute_capability);
            names.push(other.name.clone());
        }
        names.dedup();
        info.name = match &names[..] {
            [one] if devices.len() > 1 => format!("{} x {one}", devices.len()),
            all => all.join(" and "),
        };
        let main = Lane {
            streams: vec![StreamId::MAIN; devices.len()],
            last: None,
        };
        let state = State {
            streams: [(StreamId::MAIN.0, main)].into(),
            ..State::default()
        };
        Ok(Several {
            info,
            devices,
            numbers,
            state: Mutex::new(state),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every update is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn device(&self, index: usize) -> &dyn Device {
        &*self.devices[index].1
    }

    /// The device that an address is on; the first where it is on none, which says so.
    fn owner(&self, ptr: DevicePtr) -> usize {
        self.state().owner(ptr).unwrap_or(0)
    }

    fn note(&self, ptr: DevicePtr, bytes: usize, index: usize) {
        let mut state = self.state();
        state.allocations.insert(ptr, bytes);
        state.owners.insert(ptr.0, index);
    }
}

impl Drop for Several {
    fn drop(&mut self) {
        let state = std::mem::take(&mut *self.state());
        // They fail only after a fault, which was reported where it was noticed.
        for (index, (_, device)) in self.devices.iter().enumerate() {
            for lane in state.streams.values() {
                if lane.streams[index] != StreamId::MAIN {
                    let _ = device.destroy_stream(lane.streams[index]);
                }
            }
            for event in state.events.values() {
                let _ = device.destroy_event(event.events[index]);
            }
        }
    }
}
