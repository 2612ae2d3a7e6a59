//! Memory: buffers of bytes that know which of them were written, who may use them,
//! and whether they still exist.

use super::coherence::Link;
use super::error::{Fault, Run};
use super::interpreter::Config;
use super::memref::{BufferId, MemRef};
use super::present;
use super::tasks::{Marks, Schedule};
use super::value::{Value, VectorValue};
use smallvec::SmallVec;
use std::rc::Rc;
use terrace_ir::Op;

/// Who may use a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// The memory of the host.
    Host,
    /// The memory of the device.
    Device,
    /// Usable by both.
    Shared,
    /// Shared by the threads of one block, numbered over all launches.
    Workgroup { block: u64 },
    /// Of one thread of a block.
    Private { block: u64, thread: u64 },
}

/// Who is accessing memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Host,
    Thread { block: u64, thread: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    /// Freed by this op.
    Freed(Option<Op>),
    /// The scope of a stack allocation ended.
    OutOfScope,
}

/// How a buffer came to be, which says who may free it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// `memref.alloc`, `gpu.alloc`, `xfer.alloc`.
    Heap,
    /// `xfer.alloc` in pinned memory of the host.
    Pinned,
    Stack,
    Global,
    /// Handed in by whoever runs the program.
    Argument,
}

/// An allocation.
#[derive(Debug, Clone)]
pub struct Buffer {
    bytes: Vec<u8>,
    /// For each granule of `bytes`, whether it was written.
    pub(super) written: Vec<bool>,
    /// For each granule, whether its twin in another memory is newer; empty for a
    /// buffer that has no link.
    pub(super) stale: Vec<bool>,
    /// The numbers of its links.
    pub(super) links: SmallVec<[u32; 2]>,
    /// Bytes of the smallest scalar that is accessed.
    pub(super) granule: usize,
    /// Which asynchronous ops touched it, where any did that may still run.
    pub(super) marks: Option<Box<Marks>>,
    pub(super) space: Space,
    state: State,
    origin: Origin,
    /// The op that made it.
    made_by: Option<Op>,
    /// A constant global.
    read_only: bool,
    /// The offset of the memref that the allocation gave; only that one can be freed.
    offset: i64,
}

impl Buffer {
    /// The content, little-endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it was handed in by whoever runs the program.
    pub(super) fn is_argument(&self) -> bool {
        self.origin == Origin::Argument
    }

    /// Whether the byte range was written or given.
    pub fn is_written(&self, start: usize, len: usize) -> bool {
        let (first, last) = (start / self.granule, (start + len).div_ceil(self.granule));
        self.written
            .get(first..last)
            .is_some_and(|w| w.iter().all(|w| *w))
    }
}

/// What an allocation asks for.
pub(super) struct Request {
    pub bytes: usize,
    pub granule: usize,
    pub space: Space,
    pub origin: Origin,
    pub made_by: Option<Op>,
    pub offset: i64,
}

/// All buffers of a run.
#[derive(Debug)]
pub struct Memory {
    buffers: Vec<Buffer>,
    /// Arrays and their mirrors.
    pub(super) links: Vec<Link>,
    pub(super) schedule: Schedule,
    /// Arrays that data regions hold on the device.
    pub(super) present: Vec<present::Entry>,
    live_bytes: usize,
    limit: usize,
    /// Host and device see each other's memory.
    unified: bool,
    /// Kernels see the host's.
    host_in_kernels: bool,
}

impl Memory {
    pub(super) fn new(config: &Config) -> Memory {
        Memory {
            buffers: Vec::new(),
            links: Vec::new(),
            schedule: Schedule::default(),
            present: Vec::new(),
            live_bytes: 0,
            limit: config.max_memory,
            unified: config.unified_memory,
            host_in_kernels: config.host_memory_in_kernels,
        }
    }

    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }

    pub(super) fn buffer_mut(&mut self, id: BufferId) -> &mut Buffer {
        &mut self.buffers[id.0 as usize]
    }

    /// Bytes in buffers that exist.
    pub fn live_bytes(&self) -> usize {
        self.live_bytes
    }

    /// Heap buffers of the program that were never freed.
    pub fn leaks(&self) -> impl Iterator<Item = (BufferId, Option<Op>)> + '_ {
        let live = |b: &Buffer| {
            matches!(b.origin, Origin::Heap | Origin::Pinned) && b.state == State::Live
        };
        self.buffers
            .iter()
            .enumerate()
            .filter(move |(_, b)| live(b))
            .map(|(i, b)| (BufferId(i as u32), b.made_by))
    }

    pub(super) fn allocate(&mut self, r: Request) -> Run<BufferId> {
        let total = self
            .live_bytes
            .checked_add(r.bytes)
            .filter(|t| *t <= self.limit);
        let Some(total) = total else {
            return Err(Fault::new(format!(
                "cannot allocate {} bytes: {} are in use and the limit is {}",
                r.bytes, self.live_bytes, self.limit
            )));
        };
        let id = u32::try_from(self.buffers.len()).map_err(|_| "too many allocations")?;
        self.live_bytes = total;
        self.buffers.push(Buffer {
            bytes: vec![0; r.bytes],
            written: vec![false; r.bytes.div_ceil(r.granule)],
            stale: Vec::new(),
            links: SmallVec::new(),
            granule: r.granule,
            marks: None,
            space: r.space,
            state: State::Live,
            origin: r.origin,
            made_by: r.made_by,
            read_only: false,
            offset: r.offset,
        });
        Ok(BufferId(id))
    }

    /// Fill a new buffer with content from outside the program.
    pub(super) fn fill(&mut self, id: BufferId, at: usize, bytes: &[u8]) {
        let b = &mut self.buffers[id.0 as usize];
        b.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        let (first, last) = (at / b.granule, (at + bytes.len()).div_ceil(b.granule));
        b.written[first..last].fill(true);
    }

    pub(super) fn set_read_only(&mut self, id: BufferId) {
        self.buffers[id.0 as usize].read_only = true;
    }

    /// `gpu.host_register` and its opposite.
    pub(super) fn set_shared(&mut self, id: BufferId, shared: bool) {
        let b = &mut self.buffers[id.0 as usize];
        match (b.space, shared) {
            (Space::Host, true) => b.space = Space::Shared,
            (Space::Shared, false) => b.space = Space::Host,
            _ => {}
        }
    }

    fn release(&mut self, id: BufferId, state: State) {
        self.unlink(id);
        let b = &mut self.buffers[id.0 as usize];
        if b.state == State::Live {
            self.live_bytes -= b.bytes.len();
            b.state = state;
            b.bytes = Vec::new();
            b.written = Vec::new();
            b.stale = Vec::new();
            b.links = SmallVec::new();
            b.marks = None;
        }
    }

    /// The end of a stack allocation's scope.
    pub(super) fn end_scope(&mut self, id: BufferId) {
        self.forget_present(id);
        self.release(id, State::OutOfScope);
    }

    /// Frees what `m` is the whole of. `device` says whether the op frees memory of the
    /// device.
    pub(super) fn free(&mut self, m: &MemRef, by: Op, device: bool, actor: Actor) -> Run<()> {
        let b = self.buffer(m.buffer);
        let refuse = |why: &str| Err(Fault::new(why.to_string()).note(b.made_by, "allocated here"));
        if let State::Freed(earlier) = b.state {
            return Err(Fault::new("the memref was freed before")
                .note(b.made_by, "allocated here")
                .note(earlier, "freed here before"));
        }
        if let Some((holder, name)) = self.holder(m.buffer) {
            let what = match b.space {
                Space::Device => "the buffer of",
                _ => "memory of",
            };
            return Err(Fault::new(format!(
                "frees {what} {name}, which is on the device until a data region or an 'xfer.exit_data' ends that"
            ))
            .note(Some(holder), "on the device since here"));
        }
        match b.origin {
            Origin::Stack => return refuse("frees a stack allocation, which ends with its scope"),
            Origin::Global => return refuse("frees a global"),
            Origin::Pinned if device => {
                self.check_unused(m.buffer)?;
                self.release(m.buffer, State::Freed(Some(by)));
                return Ok(());
            }
            Origin::Pinned => return refuse("frees pinned memory; 'xfer.free' does that"),
            Origin::Heap | Origin::Argument => {}
        }
        let on_device = matches!(b.space, Space::Device | Space::Shared);
        let on_host = matches!(b.space, Space::Host);
        if actor == Actor::Host && (device && on_host || !device && on_device) && !self.unified {
            return refuse(if device {
                "frees host memory as device memory"
            } else {
                "frees device memory as host memory"
            });
        }
        if m.base != 0 || m.offset != b.offset {
            return refuse(
                "frees part of an allocation: the memref does not start where the allocation does",
            );
        }
        self.check_unused(m.buffer)?;
        self.release(m.buffer, State::Freed(Some(by)));
        Ok(())
    }

    /// The live buffer behind `m`, where `actor` may use it.
    #[inline]
    fn usable(&self, m: &MemRef, actor: Actor) -> Run<&Buffer> {
        let b = &self.buffers[m.buffer.0 as usize];
        let allowed = match (b.space, actor) {
            (Space::Host, Actor::Host) | (Space::Shared, _) => true,
            (Space::Device, Actor::Thread { .. }) => true,
            (Space::Host, _) => self.unified || self.host_in_kernels,
            (Space::Device, _) => self.unified,
            (Space::Workgroup { block: of }, Actor::Thread { block, .. }) => of == block,
            (
                Space::Private {
                    block: b,
                    thread: t,
                },
                Actor::Thread { block, thread },
            ) => b == block && t == thread,
            (Space::Workgroup { .. } | Space::Private { .. }, Actor::Host) => false,
        };
        if allowed && b.state == State::Live {
            return Ok(b);
        }
        Err(unusable(b, actor))
    }

    /// Checks that `m` can be used at all, for ops that touch no element.
    pub(super) fn check_live(&self, m: &MemRef) -> Run<()> {
        let b = self.buffer(m.buffer);
        if b.state == State::Live {
            Ok(())
        } else {
            Err(unusable(b, Actor::Host))
        }
    }

    /// The bytes of the element at `position`.
    #[inline]
    pub(super) fn range(b: &Buffer, m: &MemRef, position: i64) -> Run<(usize, usize)> {
        let start = position
            .checked_mul(m.elem_size as i64)
            .and_then(|p| p.checked_add(m.base as i64))
            .and_then(|p| usize::try_from(p).ok());
        if let Some(start) = start
            && let Some(end) = start.checked_add(m.elem_size)
            && end <= b.bytes.len()
        {
            return Ok((start, end));
        }
        Err(Fault::new(format!(
            "element {position} lies outside of the allocation, which has {} elements",
            b.bytes.len() / m.elem_size.max(1)
        ))
        .note(b.made_by, "allocated here"))
    }

    /// The element at `position`; an element that was never written is an error.
    #[inline]
    pub(super) fn read(&mut self, m: &MemRef, position: i64, actor: Actor) -> Run<Value> {
        if self.schedule.is_busy() {
            self.touch_element(m, position, false)?;
        }
        let b = self.usable(m, actor)?;
        let (start, end) = Self::range(b, m, position)?;
        let written = if b.granule == m.elem_size {
            b.written[start / b.granule]
        } else {
            b.is_written(start, end - start)
        };
        if !written {
            return Err(
                Fault::new("reads memory that was never written").note(b.made_by, "allocated here")
            );
        }
        if !b.stale.is_empty() && !self.unified {
            self.check_fresh(m.buffer, start, end)?;
        }
        Ok(decode(m, &b.bytes[start..end]))
    }

    /// The element at `position` as a lane of a vector. The last vector of a loop may take
    /// more lanes than it uses, so one that was never written is no error, but a number
    /// that nobody expects.
    pub(super) fn read_lane(&mut self, m: &MemRef, position: i64, actor: Actor) -> Run<Value> {
        if self.schedule.is_busy() {
            self.touch_element(m, position, false)?;
        }
        let b = self.usable(m, actor)?;
        let (start, end) = Self::range(b, m, position)?;
        if b.is_written(start, end - start) {
            if !b.stale.is_empty() && !self.unified {
                self.check_fresh(m.buffer, start, end)?;
            }
            return Ok(decode(m, &b.bytes[start..end]));
        }
        Ok(decode(m, &vec![0xa5; end - start]))
    }

    #[inline]
    pub(super) fn write(&mut self, m: &MemRef, position: i64, v: &Value, actor: Actor) -> Run<()> {
        if self.schedule.is_busy() {
            self.touch_element(m, position, true)?;
        }
        let b = self.usable(m, actor)?;
        let (start, end) = Self::range(b, m, position)?;
        if b.read_only {
            return Err(Fault::new("writes to a constant global").note(b.made_by, "defined here"));
        }
        let b = &mut self.buffers[m.buffer.0 as usize];
        let out = &mut b.bytes[start..end];
        match (&m.lanes, v) {
            (None, v) => m.elem.write(v, out)?,
            (Some(_), Value::Vector(v)) => {
                for (lane, out) in v.lanes.iter().zip(out.chunks_mut(m.elem.size())) {
                    m.elem.write(lane, out)?;
                }
            }
            (Some(_), v) => return Err(super::value::wrong("a vector", v)),
        }
        if b.granule == m.elem_size {
            b.written[start / b.granule] = true;
        } else {
            b.written[start / b.granule..end.div_ceil(b.granule)].fill(true);
        }
        if !b.stale.is_empty() {
            self.outdate_twins(m.buffer, start, end);
        }
        Ok(())
    }

    /// Refuses an element that `actor` could not write.
    pub(super) fn check_element(&self, m: &MemRef, position: i64, actor: Actor) -> Run<()> {
        let b = self.usable(m, actor)?;
        Self::range(b, m, position).map(|_| ())
    }

    /// Copies the elements of `from` at one position to `to` at another, whether they
    /// were written or not, on behalf of the one who may use both.
    pub(super) fn copy_element(&mut self, from: (&MemRef, i64), to: (&MemRef, i64)) -> Run<()> {
        let ((src, at), (dst, to)) = (from, to);
        if self.schedule.is_busy() {
            self.touch_element(src, at, false)?;
            self.touch_element(dst, to, true)?;
        }
        let s = self.buffer(src.buffer);
        let (start, end) = Self::range(s, src, at)?;
        let at_source = start;
        let written = s.is_written(start, end - start);
        let bytes: smallvec::SmallVec<[u8; 16]> = s.bytes[start..end].into();
        let d = self.buffer(dst.buffer);
        let linked = !(s.stale.is_empty() && d.stale.is_empty());
        let (start, end) = Self::range(d, dst, to)?;
        if d.read_only {
            return Err(Fault::new("writes to a constant global").note(d.made_by, "defined here"));
        }
        let d = &mut self.buffers[dst.buffer.0 as usize];
        d.bytes[start..end].copy_from_slice(&bytes);
        let granules = start / d.granule..end.div_ceil(d.granule);
        d.written[granules].fill(written);
        if linked && !self.unified {
            self.copied((src.buffer, at_source), (dst.buffer, start), end - start)?;
        }
        Ok(())
    }

    /// Refuses a copy that `actor` may not make.
    pub(super) fn check_use(&self, m: &MemRef, actor: Actor) -> Run<()> {
        self.usable(m, actor).map(|_| ())
    }

    pub(super) fn space(&self, m: &MemRef) -> Space {
        self.buffer(m.buffer).space
    }
}

fn decode(m: &MemRef, bytes: &[u8]) -> Value {
    match &m.lanes {
        None => m.elem.read(bytes),
        Some(shape) => {
            let lanes = bytes
                .chunks(m.elem.size())
                .map(|b| m.elem.read(b))
                .collect();
            Value::Vector(Rc::new(VectorValue {
                shape: shape.to_vec(),
                elem: m.elem,
                lanes,
            }))
        }
    }
}

fn unusable(b: &Buffer, actor: Actor) -> Fault {
    let f = match (b.state, b.space) {
        (State::Freed(by), _) => {
            return Fault::new("uses memory after it was freed")
                .note(b.made_by, "allocated here")
                .note(by, "freed here");
        }
        (State::OutOfScope, _) => "uses a stack allocation after the end of its scope",
        (_, Space::Device) => "host code accesses memory of the device",
        (_, Space::Host | Space::Shared) => "device code accesses memory of the host",
        (_, Space::Workgroup { .. }) if actor == Actor::Host => {
            "host code accesses workgroup memory of the device"
        }
        (_, Space::Workgroup { .. }) => "a thread accesses workgroup memory of another block",
        (_, Space::Private { .. }) => "a thread accesses private memory of another thread",
    };
    Fault::new(f).note(b.made_by, "allocated here")
}
