//! Arrays with a mirror on a device: which of the two copies of an element is stale.
//!
//! `xfer.create` links a part of a buffer of the host with a buffer of a device. A write
//! to one makes the same element of the other stale; a copy between the two brings it up
//! to date. Reading a stale element, and copying one over its newer twin, are faults:
//! no run gets past a copy that was forgotten.
//!
//! Beside this truth each link has two flags, what `xfer.mark_written`, copies of the
//! whole and discards have told. `xfer.ensure` goes by them alone, as compiled code will,
//! so that a mark that is missing shows as a stale read.

use super::error::{Fault, Run};
use super::memory::{Memory, Space};
use super::memref::{BufferId, Dims, MemRef, row_major};
use smallvec::SmallVec;
use terrace_dialects::xfer::Side;
use terrace_ir::Op;

/// An array and its mirror.
#[derive(Debug, Clone)]
pub(super) struct Link {
    host: BufferId,
    /// Where the array starts in the host's buffer, in bytes.
    host_at: usize,
    device: BufferId,
    bytes: usize,
    /// The `xfer.create`.
    made_by: Op,
    valid_on_host: bool,
    valid_on_device: bool,
}

impl Link {
    /// The place in the other buffer that belongs to byte `at` of `of`.
    fn twin(&self, of: BufferId, at: usize) -> Option<(BufferId, usize)> {
        if of == self.device {
            return (at < self.bytes).then_some((self.host, at + self.host_at));
        }
        let at = at.checked_sub(self.host_at)?;
        (of == self.host && at < self.bytes).then_some((self.device, at))
    }

    fn valid(&mut self, side: Side) -> &mut bool {
        match side {
            Side::Host => &mut self.valid_on_host,
            Side::Device => &mut self.valid_on_device,
        }
    }
}

/// The first byte of a memref that is row-major, and how many it has.
fn extent(m: &MemRef) -> Run<(usize, usize)> {
    let start = m
        .offset
        .checked_mul(m.elem_size as i64)
        .and_then(|o| usize::try_from(o).ok())
        .and_then(|o| o.checked_add(m.base));
    let bytes = m
        .count()
        .and_then(|n| usize::try_from(n).ok())
        .and_then(|n| n.checked_mul(m.elem_size));
    start
        .zip(bytes)
        .ok_or_else(|| Fault::new("the array is too large"))
}

/// Whether the elements of a memref follow each other in memory.
fn is_row_major(m: &MemRef) -> bool {
    let Some(strides) = row_major(&m.sizes) else {
        return false;
    };
    let all = m.sizes.iter().zip(m.strides.iter().zip(&strides));
    m.count() == Some(0) || all.into_iter().all(|(n, (a, b))| *n == 1 || a == b)
}

impl Memory {
    /// Links `array` with the new buffer `mirror`.
    pub(super) fn link(&mut self, array: &MemRef, mirror: &MemRef, by: Op) -> Run<()> {
        let (host_at, bytes) = extent(array)?;
        let link = Link {
            host: array.buffer,
            host_at,
            device: mirror.buffer,
            bytes,
            made_by: by,
            valid_on_host: true,
            valid_on_device: false,
        };
        let number = self.links.len() as u32;
        for (id, stale) in [(array.buffer, false), (mirror.buffer, true)] {
            let b = self.buffer_mut(id);
            if b.stale.is_empty() {
                b.stale = vec![stale; b.written.len()];
            }
            b.links.push(number);
        }
        self.links.push(link);
        Ok(())
    }

    /// Forgets the links of a buffer that is freed. What its twins lack stays stale.
    pub(super) fn unlink(&mut self, id: BufferId) {
        for number in std::mem::take(&mut self.buffer_mut(id).links) {
            let link = &self.links[number as usize];
            let twin = if link.host == id {
                link.device
            } else {
                link.host
            };
            self.buffer_mut(twin).links.retain(|l| *l != number);
        }
    }

    /// The link between two memrefs that are each other's twins as a whole.
    fn link_of(&self, array: &MemRef, mirror: &MemRef) -> Run<usize> {
        let (at, bytes) = extent(array)?;
        let is = |l: &Link| {
            l.host == array.buffer
                && l.device == mirror.buffer
                && l.host_at == at
                && l.bytes == bytes
        };
        let links = &self.buffer(array.buffer).links;
        let found = links.iter().find(|l| is(&self.links[**l as usize]));
        found.map(|l| *l as usize).ok_or_else(|| {
            Fault::new("the buffer is no mirror of the array: no xfer.create made it from that")
        })
    }

    /// What a write of bytes `start..end` of a buffer does to their twins: that of a
    /// mirror to the array and from there to its other mirrors.
    #[cold]
    pub(super) fn outdate_twins(&mut self, id: BufferId, start: usize, end: usize) {
        self.set_stale((id, start), end - start, false);
        for (array, at) in self.twins(id, start) {
            self.set_stale((array, at), end - start, true);
            for (other, at) in self.twins(array, at) {
                if other != id {
                    self.set_stale((other, at), end - start, true);
                }
            }
        }
    }

    /// The places that belong to byte `at` of a buffer.
    fn twins(&self, id: BufferId, at: usize) -> SmallVec<[(BufferId, usize); 2]> {
        let links = self.buffer(id).links.iter();
        links
            .filter_map(|l| self.links[*l as usize].twin(id, at))
            .collect()
    }

    fn set_stale(&mut self, (id, at): (BufferId, usize), bytes: usize, stale: bool) {
        let b = self.buffer_mut(id);
        let granules = at / b.granule..(at + bytes).div_ceil(b.granule);
        if let Some(s) = b.stale.get_mut(granules) {
            s.fill(stale);
        }
    }

    /// Refuses to read bytes `start..end` where they are stale.
    #[cold]
    pub(super) fn check_fresh(&self, id: BufferId, start: usize, end: usize) -> Run<()> {
        if !self.is_stale(id, start, end) {
            return Ok(());
        }
        let links = &self.buffer(id).links;
        let mut newer = links.iter().rev().map(|l| &self.links[*l as usize]);
        let newer = newer.find(|l| l.twin(id, start).is_some());
        let on_host_too = newer
            .and_then(|l| l.twin(id, start))
            .is_some_and(|(h, at)| {
                self.buffer(id).space == Space::Device && self.is_stale(h, at, at + end - start)
            });
        let what = match (self.buffer(id).space, on_host_too) {
            (_, true) => {
                "it was written in another mirror of the array and not copied from there since"
            }
            (Space::Device, false) => {
                "it was written on the host and not copied to the device since"
            }
            _ => "it was written on the device and not copied to the host since",
        };
        Err(Fault::new(format!("reads a stale element: {what}")).note(
            newer.map(|l| l.made_by),
            "the array's mirror on the device was made here",
        ))
    }

    fn is_stale(&self, id: BufferId, start: usize, end: usize) -> bool {
        let b = self.buffer(id);
        let granules = start / b.granule..end.div_ceil(b.granule);
        b.stale.get(granules).is_some_and(|s| s.iter().any(|s| *s))
    }

    /// What copying bytes from one buffer to another does to what is stale.
    #[cold]
    pub(super) fn copied(
        &mut self,
        from: (BufferId, usize),
        to: (BufferId, usize),
        bytes: usize,
    ) -> Run<()> {
        let twins = self.buffer(from.0).links.iter().any(|l| {
            let link = &self.links[*l as usize];
            link.twin(from.0, from.1) == Some(to)
        });
        let stale = self.is_stale(from.0, from.1, from.1 + bytes);
        if !twins {
            if stale {
                self.check_fresh(from.0, from.1, from.1 + bytes)?;
            }
            if !self.buffer(to.0).stale.is_empty() {
                self.outdate_twins(to.0, to.1, to.1 + bytes);
            }
            return Ok(());
        }
        if stale && !self.is_stale(to.0, to.1, to.1 + bytes) {
            return Err(Fault::new(
                "copies a stale element over a newer one: what was written there last is lost",
            ));
        }
        self.set_stale(to, bytes, stale);
        Ok(())
    }

    /// Tells the flags that a whole array was copied to or from its mirror.
    pub(super) fn flags_after_copy(&mut self, source: &MemRef, target: &MemRef) {
        if !is_row_major(source) || !is_row_major(target) {
            return;
        }
        for (array, mirror) in [(source, target), (target, source)] {
            if let Ok(l) = self.link_of(array, mirror) {
                self.links[l].valid_on_host = true;
                self.links[l].valid_on_device = true;
            }
        }
    }

    /// Whether the flags say that an array is valid on a side.
    pub(super) fn flag(&mut self, array: &MemRef, mirror: &MemRef, side: Side) -> Run<bool> {
        let l = self.link_of(array, mirror)?;
        Ok(*self.links[l].valid(side))
    }

    /// `xfer.mark_written`.
    pub(super) fn mark_written(&mut self, array: &MemRef, mirror: &MemRef, on: Side) -> Run<()> {
        let l = self.link_of(array, mirror)?;
        *self.links[l].valid(on) = true;
        *self.links[l].valid(on.other()) = false;
        Ok(())
    }

    /// `xfer.assert_valid`, which looks at the elements and not at the flags.
    pub(super) fn assert_valid(&self, array: &MemRef, mirror: &MemRef, on: Side) -> Run<()> {
        let link = &self.links[self.link_of(array, mirror)?];
        let (id, at) = match on {
            Side::Host => (link.host, link.host_at),
            Side::Device => (link.device, 0),
        };
        if link.bytes > 0 && self.is_stale(id, at, at + link.bytes) {
            return Err(Fault::new(format!(
                "the array is not valid on the {} as claimed: some of it was written on the {} and not copied since",
                on.word(),
                on.other().word()
            ))
            .note(Some(link.made_by), "its mirror was made here"));
        }
        Ok(())
    }

    /// `xfer.discard`: nothing in the array or its mirrors may be read before it is
    /// written again.
    pub(super) fn discard(&mut self, m: &MemRef) -> Run<()> {
        if is_row_major(m) {
            let (start, bytes) = extent(m)?;
            return self.discard_bytes(m.buffer, start, bytes);
        }
        m.each(|i| {
            let element = MemRef {
                offset: m.position(i)?,
                sizes: Dims::new(),
                strides: Dims::new(),
                ..m.clone()
            };
            let (start, bytes) = extent(&element)?;
            self.discard_bytes(m.buffer, start, bytes)
        })
    }

    fn discard_bytes(&mut self, buffer: BufferId, start: usize, bytes: usize) -> Run<()> {
        let mut parts = vec![(buffer, start, bytes)];
        for k in 0..self.buffer(buffer).links.len() {
            let number = self.buffer(buffer).links[k] as usize;
            let link = &mut self.links[number];
            // The flags are of the whole; a part is discarded in the buffers only.
            let first = match link.device == buffer {
                true => 0,
                false => link.host_at,
            };
            if first == start && link.bytes == bytes {
                link.valid_on_host = true;
                link.valid_on_device = true;
            }
            if let Some((twin, at)) = link.twin(buffer, start) {
                let room = match twin == link.device {
                    true => link.bytes - at,
                    false => link.host_at + link.bytes - at,
                };
                parts.push((twin, at, bytes.min(room)));
            }
        }
        for (id, at, bytes) in parts {
            let b = self.buffer_mut(id);
            let granules = at / b.granule..(at + bytes).div_ceil(b.granule);
            if let Some(w) = b.written.get_mut(granules.clone()) {
                w.fill(false);
            }
            if let Some(s) = b.stale.get_mut(granules) {
                s.fill(false);
            }
        }
        Ok(())
    }

    /// The first stale element of an array that came in from outside, and what made the
    /// array's mirror: whoever called would read it.
    pub(super) fn stale_argument(&self) -> Option<(usize, Op)> {
        self.links.iter().find_map(|l| {
            let b = self.buffer(l.host);
            if !b.is_argument() {
                return None;
            }
            let first = b.stale.iter().position(|s| *s)?;
            Some((first, l.made_by))
        })
    }
}
