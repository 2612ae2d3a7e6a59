//! What data clauses move: copies between host and device, zeros, and what they wait for.

use super::abi::{SourcePlace, size};
use super::data::Work;
use super::queue::Ticket;
use super::report::Copied;
use crate::device::{DevicePtr, StreamId};
use crate::profile::Direction;

impl Work<'_> {
    /// Sets new device memory to zero.
    pub(super) fn clear(&mut self, name: &str, ptr: DevicePtr, bytes: u64) -> Result<(), String> {
        let (dev, stream, place) = (&*self.runtime.device, self.stream, self.place);
        self.state
            .queues
            .mark_as(stream, || format!("the zeros of `{name}` at {place}"));
        self.copied = true;
        match dev.memset(ptr, &[0], size(bytes), stream) {
            Ok(()) => Ok(()),
            Err(e) => self.refused(&format!("`{name}`: "), e),
        }
    }

    /// A copy that the program waits for brings what regions on queues made of the data,
    /// even if they still run. With a queue of its own the program says the order.
    pub(super) fn await_users(&mut self, users: &[Ticket]) -> Result<(), String> {
        if self.stream != StreamId::MAIN {
            return Ok(());
        }
        let device = &*self.runtime.device;
        for user in users {
            if self.state.queues.is_past(*user) {
                continue;
            }
            let joined = self.state.queues.join(device, user.stream, self.stream);
            joined.or_else(|e| self.refused("", e))?;
        }
        Ok(())
    }

    pub(super) fn copy_in(
        &mut self,
        name: &str,
        host: u64,
        device: u64,
        bytes: u64,
    ) -> Result<(), String> {
        self.copy(name, Direction::HostToDevice, host, device, bytes)?;
        // Attached pointers keep their meaning on the device.
        let attached = self.state.attached.inside(host, host + bytes);
        let stores = attached
            .iter()
            .map(|(at, a)| (device + (at - host), a.device));
        self.store(&stores.collect::<Vec<_>>())
    }

    pub(super) fn copy_out(
        &mut self,
        name: &str,
        host: u64,
        device: u64,
        bytes: u64,
    ) -> Result<(), String> {
        self.copy(name, Direction::DeviceToHost, host, device, bytes)?;
        let attached = self.state.attached.inside(host, host + bytes);
        if !attached.is_empty() {
            // And theirs on the host, once the device's are there.
            self.wait()?;
        }
        for (at, a) in attached {
            // SAFETY: the pointer lies in the section, which is memory of the program.
            unsafe { (at as *mut u64).write_unaligned(a.host) };
        }
        Ok(())
    }

    pub(super) fn copy(
        &mut self,
        name: &str,
        direction: Direction,
        host: u64,
        device: u64,
        bytes: u64,
    ) -> Result<(), String> {
        self.copy_of(self.place, name, direction, (host, device, bytes))
    }

    /// The same for data of another place.
    pub(super) fn copy_of(
        &mut self,
        place: &SourcePlace,
        name: &str,
        direction: Direction,
        (host, device, bytes): (u64, u64, u64),
    ) -> Result<(), String> {
        let n = size(bytes);
        let (dev, stream) = (&*self.runtime.device, self.stream);
        let what = Copied {
            direction,
            name,
            place,
            bytes,
        };
        let order = self
            .state
            .queues
            .mark_as(stream, || format!("the copy of `{name}` at {place}"));
        self.copied = true;
        let report = &self.runtime.report;
        let begun = report.begin_copy(dev, stream, Some(order), &what);
        // SAFETY: the section is memory of the program, which by OpenACC's rules it
        // leaves alone until the queue was waited for.
        let result = unsafe {
            match direction {
                Direction::DeviceToHost => {
                    dev.copy_d2h_async(host as *mut u8, DevicePtr(device), n, stream)
                }
                _ => dev.copy_h2d_async(DevicePtr(device), host as *const u8, n, stream),
            }
        };
        if let Err(e) = result {
            report.refused(begun);
            return self.refused(&format!("`{name}`: "), e);
        }
        report.copied(dev, begun, &what);
        Ok(())
    }
}
