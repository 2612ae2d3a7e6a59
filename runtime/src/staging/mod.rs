//! Copies of pageable memory through a ring of pinned memory.
//!
//! A device reads and writes only pinned memory by itself. Of other memory the driver
//! copies pieces through pinned memory of its own, on one thread, which is what limits
//! it. Here a few threads do that: the copy is cut into chunks, of which worker `w` takes
//! chunk `w` and then whichever is the next that nobody has, so that one that was late or
//! is slow does fewer. Each has slots of the ring of its own, so that while the device
//! moves one chunk the next is filled or emptied, and workers wait for nobody but the
//! device.
//!
//! What a device must do for it is [`Transport`].
//!
//! | file | what |
//! | --- | --- |
//! | `transport` | what a device does for it |
//! | `ring` | the pinned memory, the threads, and a copy divided among them |
//! | `pieces` | a copy cut into pieces that fit a slot |
//! | `worker` | the pieces of one worker, through its slots |

mod pieces;
mod ring;
mod transport;
mod worker;

#[cfg(test)]
mod tests;

pub use ring::Ring;
pub use transport::Transport;

/// Bytes of a chunk: long enough that what the driver takes for each is little, short
/// enough that a chunk is still in the caches when the device reads it.
pub const CHUNK: usize = 1 << 20;
/// Slots of each worker: one that the device works on, one that the worker does, and one
/// for when they do not take equally long.
pub const SLOTS: usize = 3;
/// More threads than this do not make memory faster than the link to a device.
pub const MAX_WORKERS: usize = 8;
/// Copies below this are left to the driver.
pub const MIN: usize = 2 << 20;
/// The ring is made once so many bytes could have gone through it: pinning memory takes
/// milliseconds, which a program with little data would not get back.
pub const WORTH: usize = 32 << 20;

/// Whether staging is wanted: `TERRACE_STAGING`, `1` where it is not set.
///
/// # Errors
/// Another value than `0` or `1`.
pub fn wanted(setting: Option<&str>) -> Result<bool, String> {
    match setting.unwrap_or_default().trim() {
        "" | "1" => Ok(true),
        "0" => Ok(false),
        other => Err(format!(
            "found TERRACE_STAGING=`{}`, expected `1` or `0`",
            other.escape_debug()
        )),
    }
}
