//! Several devices seen as one, for programs that use more than one: each address tells
//! which device is meant.
//!
//! A stream is one of each device. It stays one queue: before it goes on with work on
//! another device, its work on the one before is waited for. A kernel runs where its arrays
//! are. Copies from one device to another go through the host.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::rows::{Rows, one_by_one};
use super::{
    AllocTable, Device, DeviceError, DeviceInfo, DevicePtr, EventId, KernelArg, KernelId,
    KernelInfo, LaunchConfig, MemoryInfo, ModuleId, StreamId, copy_between,
};
use crate::profile::Direction;

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

/// A stream of each device.
struct Lane {
    streams: Vec<StreamId>,
    /// The device that it worked on last.
    last: Option<usize>,
}

/// An event of each device.
#[derive(Clone)]
struct Event {
    events: Vec<EventId>,
    /// The device that its stream had worked on when it was recorded.
    at: Option<usize>,
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

    /// Makes `index` the device that a stream works on, behind its work on others; the
    /// device's stream.
    fn turn(&self, stream: StreamId, index: usize) -> Result<StreamId, DeviceError> {
        let mut state = self.state();
        let lane = state
            .streams
            .get_mut(&stream.0)
            .ok_or_else(|| bad_stream(stream))?;
        if let Some(before) = lane.last.filter(|l| *l != index) {
            self.device(before).synchronize(lane.streams[before])?;
        }
        lane.last = Some(index);
        Ok(lane.streams[index])
    }

    fn lane(&self, stream: StreamId) -> Result<Vec<StreamId>, DeviceError> {
        let state = self.state();
        let lane = state
            .streams
            .get(&stream.0)
            .ok_or_else(|| bad_stream(stream))?;
        Ok(lane.streams.clone())
    }

    fn event(&self, event: EventId) -> Result<Event, DeviceError> {
        let found = self.state().events.get(&event.0).cloned();
        found.ok_or_else(|| bad_event(event))
    }

    fn note(&self, ptr: DevicePtr, bytes: usize, index: usize) {
        let mut state = self.state();
        state.allocations.insert(ptr, bytes);
        state.owners.insert(ptr.0, index);
    }

    /// The device that a launch's arrays are on; none where there are none.
    fn place(&self, args: &[KernelArg]) -> Result<Option<usize>, String> {
        let state = self.state();
        let mut found: Option<(usize, usize)> = None;
        for (i, arg) in args.iter().enumerate() {
            let Ok(word) = arg.bytes().try_into() else {
                continue;
            };
            let Some(owner) = state.owner(DevicePtr(u64::from_ne_bytes(word))) else {
                continue;
            };
            match found {
                Some((other, first)) if other != owner => {
                    let number = |d: usize| self.devices[d].0;
                    return Err(format!(
                        "argument {first} is memory of device {}, argument {i} of device {}; a \
                         kernel runs on one device, so one has to be copied there first",
                        number(other),
                        number(owner)
                    ));
                }
                Some(_) => {}
                None => found = Some((owner, i)),
            }
        }
        Ok(found.map(|f| f.0))
    }
}

fn bad_stream(stream: StreamId) -> DeviceError {
    DeviceError::BadHandle {
        what: "stream",
        id: stream.0,
    }
}

fn bad_event(event: EventId) -> DeviceError {
    DeviceError::BadHandle {
        what: "event",
        id: event.0,
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

impl Device for Several {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn looks_at_accesses(&self) -> bool {
        self.devices.iter().any(|(_, d)| d.looks_at_accesses())
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        self.device(0).memory()
    }

    fn allocated(&self) -> (usize, usize) {
        self.state().allocations.totals()
    }

    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let ptr = self.device(0).alloc(bytes)?;
        self.note(ptr, bytes, 0);
        Ok(ptr)
    }

    fn alloc_on(&self, number: u32, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let found = self.numbers.get(&number).copied();
        let index = found.ok_or_else(|| DeviceError::Invalid {
            operation: format!("allocate {bytes} bytes on device {number}"),
            problem: "the program was not started with it".to_string(),
        })?;
        let ptr = self.device(index).alloc(bytes)?;
        self.note(ptr, bytes, index);
        Ok(ptr)
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let owner = {
            let mut state = self.state();
            let owner = state.owners.remove(&ptr.0);
            state.allocations.remove(ptr);
            owner
        };
        self.device(owner.unwrap_or(0)).free(ptr)
    }

    fn alloc_host(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        self.device(0).alloc_host(bytes)
    }

    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { self.device(0).free_host(ptr) }
    }

    fn copy_h2d(&self, dst: DevicePtr, src: &[u8]) -> Result<(), DeviceError> {
        let index = self.owner(dst);
        self.turn(StreamId::MAIN, index)?;
        self.device(index).copy_h2d(dst, src)
    }

    fn copy_d2h(&self, dst: &mut [u8], src: DevicePtr) -> Result<(), DeviceError> {
        let index = self.owner(src);
        self.turn(StreamId::MAIN, index)?;
        self.device(index).copy_d2h(dst, src)
    }

    unsafe fn copy_h2d_async(
        &self,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let index = self.owner(dst);
        let stream = self.turn(stream, index)?;
        // SAFETY: the caller's promise.
        unsafe { self.device(index).copy_h2d_async(dst, src, bytes, stream) }
    }

    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let index = self.owner(src);
        let stream = self.turn(stream, index)?;
        // SAFETY: the caller's promise.
        unsafe { self.device(index).copy_d2h_async(dst, src, bytes, stream) }
    }

    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let (to, from) = {
            let operation = || format!("copy {bytes} bytes between devices");
            let state = self.state();
            state.allocations.check(dst, bytes, operation)?;
            state.allocations.check(src, bytes, operation)?;
            (state.owner(dst).unwrap_or(0), state.owner(src).unwrap_or(0))
        };
        if to == from {
            let stream = self.turn(stream, to)?;
            return self.device(to).copy_d2d(dst, src, bytes, stream);
        }
        let from_stream = self.turn(stream, from)?;
        let to_stream = self.lane(stream)?[to];
        let source = (self.device(from), src, from_stream);
        copy_between((self.device(to), dst, to_stream), source, bytes)
    }

    unsafe fn copy_rows(
        &self,
        way: Direction,
        dst: u64,
        src: u64,
        rows: &Rows,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let (to, from) = (self.owner(DevicePtr(dst)), self.owner(DevicePtr(src)));
        let index = match way {
            Direction::HostToDevice => to,
            Direction::DeviceToHost => from,
            _ if to == from => to,
            // SAFETY: the caller's promise.
            _ => return unsafe { one_by_one(self, way, dst, src, rows, stream) },
        };
        let stream = self.turn(stream, index)?;
        // SAFETY: the caller's promise.
        unsafe { self.device(index).copy_rows(way, dst, src, rows, stream) }
    }

    fn memset(
        &self,
        dst: DevicePtr,
        pattern: &[u8],
        count: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let index = self.owner(dst);
        let stream = self.turn(stream, index)?;
        self.device(index).memset(dst, pattern, count, stream)
    }

    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        if let Some(id) = self.state().by_text.get(ptx) {
            return Ok(ModuleId(*id));
        }
        let modules = self.devices.iter().map(|(_, d)| d.load_module(ptx));
        let modules = modules.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        if let Some(id) = state.by_text.get(ptx) {
            // Another thread was faster; the devices have it once.
            return Ok(ModuleId(*id));
        }
        let id = state.fresh();
        state.modules.insert(id, modules);
        state.by_text.insert(ptx.into(), id);
        Ok(ModuleId(id))
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        let modules = self.state().modules.get(&module.0).cloned();
        let modules = modules.ok_or(DeviceError::BadHandle {
            what: "module",
            id: module.0,
        })?;
        let kernels = modules.iter().zip(&self.devices);
        let kernels = kernels.map(|(m, (_, d))| d.kernel(*m, name));
        let kernels = kernels.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        if let Some((id, _)) = state.kernels.iter().find(|(_, k)| **k == kernels) {
            return Ok(KernelId(*id));
        }
        let id = state.fresh();
        state.kernels.insert(id, kernels);
        Ok(KernelId(id))
    }

    fn kernel_info(&self, kernel: KernelId) -> Result<KernelInfo, DeviceError> {
        let first = self.state().kernels.get(&kernel.0).map(|k| k[0]);
        let first = first.ok_or(DeviceError::BadHandle {
            what: "kernel",
            id: kernel.0,
        })?;
        self.device(0).kernel_info(first)
    }

    unsafe fn launch(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        let found = self.state().kernels.get(&kernel.0).cloned();
        let found = found.ok_or(DeviceError::BadHandle {
            what: "kernel",
            id: kernel.0,
        })?;
        let index = match self.place(args) {
            Ok(index) => index.unwrap_or(0),
            Err(problem) => {
                return Err(DeviceError::Launch {
                    kernel: self.kernel_info(kernel)?.name,
                    problem,
                });
            }
        };
        let config = LaunchConfig {
            stream: self.turn(config.stream, index)?,
            ..*config
        };
        // SAFETY: the caller's promise; the kernel is the same on each device.
        unsafe { self.device(index).launch(found[index], &config, args) }
    }

    fn create_stream(&self) -> Result<StreamId, DeviceError> {
        let streams = self.devices.iter().map(|(_, d)| d.create_stream());
        let streams = streams.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        let id = state.fresh();
        let lane = Lane {
            streams,
            last: None,
        };
        state.streams.insert(id, lane);
        Ok(StreamId(id))
    }

    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        let main = stream == StreamId::MAIN;
        let removed = match main {
            true => None,
            false => self.state().streams.remove(&stream.0),
        };
        let lane = removed.ok_or_else(|| bad_stream(stream))?;
        let all = lane.streams.iter().zip(&self.devices);
        // All are destroyed, whatever the first says.
        let results: Vec<_> = all.map(|(s, (_, d))| d.destroy_stream(*s)).collect();
        results.into_iter().collect()
    }

    fn synchronize(&self, stream: StreamId) -> Result<(), DeviceError> {
        let lane = self.lane(stream)?;
        let mut all = lane.iter().zip(&self.devices);
        all.try_for_each(|(s, (_, d))| d.synchronize(*s))
    }

    fn is_idle(&self, stream: StreamId) -> Result<bool, DeviceError> {
        let lane = self.lane(stream)?;
        for (stream, (_, device)) in lane.iter().zip(&self.devices) {
            if !device.is_idle(*stream)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        self.devices
            .iter()
            .try_for_each(|(_, d)| d.synchronize_all())
    }

    fn create_event(&self) -> Result<EventId, DeviceError> {
        let events = self.devices.iter().map(|(_, d)| d.create_event());
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        let id = state.fresh();
        state.events.insert(id, Event { events, at: None });
        Ok(EventId(id))
    }

    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError> {
        let removed = self.state().events.remove(&event.0);
        let removed = removed.ok_or_else(|| bad_event(event))?;
        let mut all = removed.events.iter().zip(&self.devices);
        all.try_for_each(|(e, (_, d))| d.destroy_event(*e))
    }

    fn record_event(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        let found = self.event(event)?;
        let lane = self.lane(stream)?;
        // On each device, so that times can be taken on whichever works next.
        for (i, (_, device)) in self.devices.iter().enumerate() {
            device.record_event(found.events[i], lane[i])?;
        }
        let mut state = self.state();
        let at = state.streams.get(&stream.0).and_then(|l| l.last);
        if let Some(event) = state.events.get_mut(&event.0) {
            event.at = Some(at.unwrap_or(0));
        }
        Ok(())
    }

    fn wait_event(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        let found = self.event(event)?;
        let mut state = self.state();
        let lane = state
            .streams
            .get_mut(&stream.0)
            .ok_or_else(|| bad_stream(stream))?;
        // One that was never recorded is nothing to wait for.
        let Some(at) = found.at else {
            return Ok(());
        };
        if lane.last.is_some_and(|l| l != at) {
            // The devices do not know each other's events.
            return self.device(at).synchronize_event(found.events[at]);
        }
        lane.last = Some(at);
        self.device(at)
            .wait_event(lane.streams[at], found.events[at])
    }

    fn elapsed_us(&self, start: EventId, end: EventId) -> Result<f64, DeviceError> {
        let (start, end) = (self.event(start)?, self.event(end)?);
        let at = end.at.unwrap_or(0);
        self.device(at).elapsed_us(start.events[at], end.events[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::{EmulatorDevice, Settings};

    fn two() -> Several {
        let device = |n: usize| -> Arc<dyn Device> {
            Arc::new(EmulatorDevice::numbered(n, Settings::default()))
        };
        Several::new(vec![(0, device(0)), (3, device(3))]).unwrap()
    }

    const PTX: &str = "\
.version 6.4
.target sm_70
.address_size 64
.visible .entry copy(.param .u64 pa, .param .u64 pb)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [pb];
    ld.global.u32 %r1, [%rd1];
    st.global.u32 [%rd2], %r1;
    ret;
}
";

    #[test]
    fn addresses_say_which_device_is_meant() {
        let several = two();
        assert_eq!(several.info().name, "2 x the emulator (sm_90)");
        let a = several.alloc(64).unwrap();
        let b = several.alloc_on(3, 64).unwrap();
        let c = several.alloc_on(3, 64).unwrap();
        assert_eq!(several.device(1).allocated(), (2, 128));
        several.copy_h2d(a, &[5; 64]).unwrap();
        several.copy_d2d(b, a, 64, StreamId::MAIN).unwrap();
        let module = several.load_module(PTX).unwrap();
        let kernel = several.kernel(module, "copy").unwrap();
        let config = LaunchConfig {
            grid: [1; 3],
            block: [1; 3],
            shared_bytes: 0,
            stream: StreamId::MAIN,
        };
        // SAFETY: the parameters are two words in device memory.
        let launch = |x: DevicePtr, y: DevicePtr| unsafe {
            several.launch(kernel, &config, &[x.into(), y.into()])
        };
        launch(b, c).unwrap();
        let mut got = [0; 4];
        several.copy_d2h(&mut got, c).unwrap();
        assert_eq!(got, [5; 4]);
        let error = launch(a, c).unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot launch kernel `copy`: argument 0 is memory of device 0, argument 1 of device \
             3; a kernel runs on one device, so one has to be copied there first"
        );
        let error = several.alloc_on(1, 8).unwrap_err().to_string();
        assert!(
            error.contains("device 1: the program was not started with it"),
            "{error}"
        );
        for ptr in [a, b, c] {
            several.free(ptr).unwrap();
        }
        assert_eq!(several.allocated(), (0, 0));
        assert!(Several::new(Vec::new()).is_err());
    }

    #[test]
    fn a_device_may_have_two_numbers() {
        let device: Arc<dyn Device> = Arc::new(EmulatorDevice::new(Settings::default()));
        let several = Several::new(vec![(0, Arc::clone(&device)), (1, device)]).unwrap();
        assert_eq!(several.info().name, "the emulator (sm_90)");
        let (a, b) = (several.alloc(64).unwrap(), several.alloc_on(1, 64).unwrap());
        several.copy_h2d(a, &[7; 64]).unwrap();
        several.copy_d2d(b, a, 64, StreamId::MAIN).unwrap();
        assert_eq!(several.place(&[a.into(), b.into()]), Ok(Some(0)));
        several.free(a).unwrap();
        several.free(b).unwrap();
    }
}
