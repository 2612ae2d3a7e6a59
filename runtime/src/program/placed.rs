//! Device memory for sections.

use super::abi::{Map, size};
use super::data::Work;
use super::exhausted::explain;
use crate::device::{DeviceError, DevicePtr};
use crate::profile::Direction;

/// The alignment of the widest accesses of kernels.
const ALIGN: u64 = 16;

/// Device memory for a section.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedBlock {
    /// Where it begins.
    pub start: u64,
    /// Where the section does.
    pub ptr: u64,
}

impl Work<'_> {
    /// Memory for the section of `bytes` bytes from `host` on, as far past a multiple of
    /// [`ALIGN`] as that: each array in it is as aligned as on the host.
    pub(super) fn place_block(
        &mut self,
        name: &str,
        host: u64,
        bytes: u64,
    ) -> Result<PlacedBlock, String> {
        let past = host % ALIGN;
        let wanted = size(bytes.saturating_add(past));
        let mut block = self.block(wanted);
        if matches!(&block, Err(e) if !e.is_fault()) && !self.state.residents.is_empty() {
            // What stays on the device may go as well.
            self.give_up_all()?;
            block = self.block(wanted);
        }
        let device = &*self.runtime.device;
        match block {
            Ok(block) => Ok(PlacedBlock {
                start: block.0,
                ptr: block.0 + past,
            }),
            Err(e) if e.is_fault() => self.refused("", e),
            Err(e) => {
                let e = explain(self.state, device, e);
                self.error(format!("no place for `{name}` ({bytes} bytes): {e}"))
            }
        }
    }

    fn block(&mut self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let (device, state) = (&*self.runtime.device, &mut *self.state);
        state
            .blocks
            .alloc(device, &mut state.queues, bytes, self.stream)
    }

    /// Memory of the region's own that begins with the host's values, whatever is
    /// present.
    pub(super) fn private_copy(&mut self, map: &mut Map) -> Result<(), String> {
        let device = &*self.runtime.device;
        let state = &mut *self.state;
        let bytes = size(map.bytes);
        let ptr = state
            .blocks
            .alloc(device, &mut state.queues, bytes, self.stream);
        let ptr = match ptr {
            Ok(ptr) => ptr,
            Err(e) if e.is_fault() => return self.refused("", e),
            Err(e) => {
                let e = explain(self.state, device, e);
                return self.error(format!(
                    "no place for a copy of `{}` ({bytes} bytes): {e}",
                    map.name()
                ));
            }
        };
        map.device = ptr.0 as *mut _;
        match map.bytes {
            0 => Ok(()),
            n => self.copy(
                &map.name(),
                Direction::HostToDevice,
                map.host as u64,
                ptr.0,
                n,
            ),
        }
    }

    /// Gives device memory back.
    pub(super) fn free(&mut self, address: u64) -> Result<(), String> {
        let state = &mut *self.state;
        let device = &*self.runtime.device;
        let freed = state.blocks.free(device, &state.queues, DevicePtr(address));
        match freed {
            Ok(_) => Ok(()),
            Err(e) => self.refused("", e),
        }
    }
}
