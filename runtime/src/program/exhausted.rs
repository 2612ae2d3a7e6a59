//! What is said when device memory runs out: how much there is, and who holds it.

use std::fmt::Write;

use super::State;
use crate::device::{Device, DeviceError};

/// So many arrays are named.
const NAMED: usize = 5;

/// The error, and, where there was no memory, what the program holds. What was kept for
/// reuse has been given back before.
pub(super) fn explain(state: &State, device: &dyn Device, error: DeviceError) -> String {
    let DeviceError::OutOfMemory {
        requested,
        free,
        total,
    } = error
    else {
        return error.to_string();
    };
    let memory = device.memory().ok();
    let error = DeviceError::OutOfMemory {
        requested,
        free: free.or(memory.map(|m| m.free)),
        total: total.or(memory.map(|m| m.total)),
    };
    let (blocks, bytes) = state.blocks.live();
    let s = if blocks == 1 { "" } else { "s" };
    let kept = state.blocks.kept_bytes();
    let mut text = format!(
        "{error}\n  this program holds {bytes} bytes there, in {blocks} block{s}, and keeps {kept} \
         for reuse"
    );
    let released = state.blocks.released();
    if released > 0 {
        let _ = write!(
            text,
            " ({released} were given back for this, and did not help)"
        );
    }
    let mut entries: Vec<_> = state.table.entries().collect();
    entries.sort_by_key(|e| std::cmp::Reverse(e.bytes));
    for e in entries.iter().take(NAMED) {
        let (name, bytes, place) = (&e.name, e.bytes, &e.place);
        let _ = write!(text, "\n  `{name}`, {bytes} bytes, is there since {place}");
    }
    if let Some(rest) = entries.get(NAMED..).filter(|r| !r.is_empty()) {
        let bytes = rest.iter().fold(0u64, |n, e| n.saturating_add(e.bytes));
        let _ = write!(text, "\n  and {} more arrays, {bytes} bytes", rest.len());
    }
    text
}
