//! In which order asynchronous ops run: tokens, queues, and waiting for them.

use super::super::streams::DONE;
use super::{FAILED, OK, list, optional, text, with};
use crate::runtime::device::StreamId;

/// The functions for the JIT's symbol table.
pub fn imports() -> Vec<(&'static str, *const u8)> {
    vec![
        ("terrace_gpu_begin", begin as *const u8),
        ("terrace_gpu_token", token as *const u8),
        ("terrace_gpu_wait", wait as *const u8),
        ("terrace_gpu_join", join as *const u8),
        ("terrace_gpu_sync", sync as *const u8),
    ]
}

/// The copy, fill or launch that comes next is asynchronous. `queue` may be null.
extern "C" fn begin(tokens: *const u64, count: u32, queue: *const i64, op: u32) -> i32 {
    with(op, FAILED, |s| {
        // SAFETY: host code passes lists of these lengths on its stack.
        let (tokens, queue) = unsafe { (list(tokens, count), optional(queue)) };
        s.last_async = op;
        s.note_times(false).map_err(text)?;
        s.streams.begin(tokens, queue).map(|()| OK).map_err(text)
    })
}

/// The token of what was begun.
extern "C" fn token(op: u32) -> u64 {
    with(op, DONE, |s| s.streams.end().map_err(text))
}

/// The host waits.
extern "C" fn wait(
    tokens: *const u64,
    count: u32,
    queues: *const i64,
    num_queues: u32,
    op: u32,
) -> i32 {
    with(op, FAILED, |s| {
        // SAFETY: host code passes lists of these lengths on its stack.
        let (tokens, queues) = unsafe { (list(tokens, count), list(queues, num_queues)) };
        s.streams.wait(tokens, queues).map(|()| OK).map_err(text)
    })
}

/// A token for tokens and queues, or all; a queue, unless null, goes on after these.
extern "C" fn join(
    tokens: *const u64,
    count: u32,
    queues: *const i64,
    num_queues: u32,
    all: u32,
    on: *const i64,
    op: u32,
) -> u64 {
    with(op, DONE, |s| {
        // SAFETY: host code passes lists of these lengths on its stack.
        let (tokens, queues, on) =
            unsafe { (list(tokens, count), list(queues, num_queues), optional(on)) };
        let joined = s.streams.join(tokens, queues, all != 0, on);
        joined.map_err(text)
    })
}

extern "C" fn sync(op: u32) -> i32 {
    with(op, FAILED, |s| {
        s.device.synchronize(StreamId::MAIN).map_err(text)?;
        s.wait_for_all().map(|()| OK).map_err(text)
    })
}
