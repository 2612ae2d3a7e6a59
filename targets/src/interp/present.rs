//! The present table: arrays of the host with a buffer on the device, and who holds
//! them (OpenACC 3.3, 2.6.7).
//!
//! Each entry is a row of bytes of a buffer of the host, the buffer of the device for
//! it, and two counters. The two are linked as an array and its mirror are, so that
//! reading what is stale on a side is a fault here too.
//!
//! Where kernels use the memory of the host there is nothing to move: the buffer of an
//! array is the array.

use super::code::{DataClause, DataInst};
use super::error::{Fault, Run};
use super::interpreter::Interpreter;
use super::memory::{Actor, Memory, Origin, Space};
use super::memref::{BufferId, MemRef, Shape, row_major};
use super::value::Value;
use std::rc::Rc;
use terrace_dialects::xfer::Clause;
use terrace_ir::Op;

/// An array that is present.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    host: BufferId,
    /// Its bytes in the buffer of the host.
    start: usize,
    end: usize,
    /// The buffer on the device, as it was allocated.
    mirror: MemRef,
    structured: u64,
    dynamic: u64,
    /// What made it, and what that calls the array.
    by: Op,
    name: Rc<str>,
}

/// How an array lies to what is present.
enum Presence {
    /// All of it is in the entry of this index.
    Inside(usize),
    /// Some of it is in the entry of this index.
    Partly(usize),
    Absent,
}

/// Bytes of a buffer.
#[derive(Debug, Clone, Copy)]
struct Section {
    host: BufferId,
    start: usize,
    end: usize,
}

impl Section {
    fn of(m: &MemRef) -> Run<Section> {
        if m.sizes.contains(&0) {
            return Ok(Section {
                host: m.buffer,
                start: 0,
                end: 0,
            });
        }
        let rows = row_major(&m.sizes);
        let mut in_a_row = rows.iter().flatten().zip(&m.strides).zip(&m.sizes);
        if !in_a_row.all(|((row, stride), size)| row == stride || *size == 1) {
            return Err(Fault::new(format!(
                "takes row-major arrays only, but the elements of sizes {:?} are {:?} apart",
                m.sizes, m.strides
            )));
        }
        let start = m
            .offset
            .checked_mul(m.elem_size as i64)
            .and_then(|o| usize::try_from(o).ok())
            .and_then(|o| o.checked_add(m.base));
        let bytes = m
            .count()
            .and_then(|n| usize::try_from(n).ok())
            .and_then(|n| n.checked_mul(m.elem_size));
        let (start, bytes) = start
            .zip(bytes)
            .ok_or_else(|| Fault::new("the array is too large"))?;
        Ok(Section {
            host: m.buffer,
            start,
            end: start + bytes,
        })
    }

    fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Entry {
    /// The part of the buffer that is of `array`.
    fn part(&self, array: &MemRef, section: Section) -> Run<MemRef> {
        let mut part = array.clone();
        part.buffer = self.mirror.buffer;
        part.base = self.mirror.base + (section.start - self.start);
        part.offset = 0;
        part.strides =
            row_major(&array.sizes).ok_or("the number of elements does not fit 64 bits")?;
        Ok(part)
    }
}

impl Memory {
    fn find(&self, s: Section) -> Presence {
        for (i, e) in self.present.iter().enumerate() {
            if e.host == s.host && e.start < s.end && s.start < e.end {
                return match e.start <= s.start && s.end <= e.end {
                    true => Presence::Inside(i),
                    false => Presence::Partly(i),
                };
            }
        }
        Presence::Absent
    }

    /// What holds a buffer that is to be freed: the op that made it present, and what
    /// that calls it.
    pub(super) fn holder(&self, id: BufferId) -> Option<(Op, &str)> {
        let mut all = self.present.iter();
        all.find(|e| e.host == id || e.mirror.buffer == id)
            .map(|e| (e.by, &*e.name))
    }

    /// An array on the stack ends with its scope, present or not.
    pub(super) fn forget_present(&mut self, id: BufferId) {
        self.present.retain(|e| e.host != id);
    }
}

/// Refuses an array of which only some elements are present.
fn partly(c: &DataClause, s: Section, e: &Entry) -> Fault {
    Fault::new(format!(
        "{}({}): only a part of it is on the device: bytes {}..{} of the allocation are, and these are {}..{}; use the same section there and here, or one that contains this one",
        c.clause.word(),
        c.name,
        e.start,
        e.end,
        s.start,
        s.end
    ))
    .note(Some(e.by), "the part is on the device since here")
}

fn absent(c: &DataClause) -> Fault {
    Fault::new(format!(
        "{} is not on the device, but must be; 'xfer.enter_data', or an 'xfer.data' with copy, copyin, copyout or create around this, brings it there",
        c.name
    ))
}

impl Interpreter<'_> {
    pub(super) fn data_inst(
        &mut self,
        inst: &DataInst,
        op: Op,
        slots: &mut [Value],
        actor: Actor,
    ) -> Run<()> {
        if actor != Actor::Host {
            return Err("is for the host's code; a kernel uses the buffers".into());
        }
        let memref = |slots: &[Value], c: &DataClause| slots[c.array as usize].memref().cloned();
        match inst {
            DataInst::Enter { list, structured } => {
                for c in list {
                    let array = memref(slots, c)?;
                    self.enter_data(c, &array, *structured, op)?;
                    if let Some((shape, dst)) = &c.buffer {
                        let lenient = c.clause == Clause::NoCreate;
                        slots[*dst as usize] = self.buffer_of(c, &array, shape, lenient)?;
                    }
                }
            }
            DataInst::Exit {
                list,
                structured,
                finalize,
            } => {
                for c in list {
                    let array = memref(slots, c)?;
                    self.exit_data(c, &array, (*structured, *finalize), op)?;
                }
            }
            DataInst::Update { list, if_present } => {
                for c in list {
                    let array = memref(slots, c)?;
                    self.update_data(c, &array, *if_present)?;
                }
            }
            DataInst::Present { of, if_present } => {
                let array = memref(slots, of)?;
                if let Some((shape, dst)) = &of.buffer {
                    slots[*dst as usize] = self.buffer_of(of, &array, shape, *if_present)?;
                }
            }
            DataInst::IsPresent { of, dst } => {
                let s = Section::of(&*memref(slots, of)?)?;
                let is = s.is_empty() || matches!(self.memory.find(s), Presence::Inside(_));
                slots[*dst as usize] = Value::bool(is);
            }
        }
        Ok(())
    }

    fn enter_data(&mut self, c: &DataClause, array: &MemRef, structured: bool, op: Op) -> Run<()> {
        let s = self.section(c, array)?;
        if c.clause == Clause::DevicePtr || s.is_empty() {
            return Ok(());
        }
        let at = match self.memory.find(s) {
            Presence::Inside(at) => at,
            Presence::Partly(e) => return Err(partly(c, s, &self.memory.present[e])),
            Presence::Absent if c.clause == Clause::NoCreate => return Ok(()),
            Presence::Absent if c.clause == Clause::Present => return Err(absent(c)),
            Presence::Absent => {
                let shape = Shape {
                    elem: array.elem,
                    lanes: array.lanes.clone(),
                    elem_size: array.elem_size,
                    sizes: array.sizes.to_vec(),
                    layout: None,
                };
                let (space, origin) = (Space::Device, Origin::Heap);
                let mirror = match self.is_one_memory() {
                    true => {
                        let mut whole = array.clone();
                        (whole.base, whole.offset) = (s.start, 0);
                        whole
                    }
                    false => self.build(&shape, &array.sizes, &[], space, origin, Some(op))?,
                };
                if !self.is_one_memory() {
                    self.memory.link(array, &mirror, op)?;
                    if c.clause.copies_in() {
                        self.copy(array, &mirror, true, Actor::Host)?;
                    }
                }
                self.memory.present.push(Entry {
                    host: s.host,
                    start: s.start,
                    end: s.end,
                    mirror,
                    structured: 0,
                    dynamic: 0,
                    by: op,
                    name: c.name.clone(),
                });
                self.memory.present.len() - 1
            }
        };
        let e = &mut self.memory.present[at];
        match structured {
            true => e.structured += 1,
            false => e.dynamic += 1,
        }
        Ok(())
    }

    fn exit_data(
        &mut self,
        c: &DataClause,
        array: &MemRef,
        (structured, finalize): (bool, bool),
        op: Op,
    ) -> Run<()> {
        let s = self.section(c, array)?;
        if c.clause == Clause::DevicePtr || s.is_empty() {
            return Ok(());
        }
        let at = match self.memory.find(s) {
            Presence::Inside(at) => at,
            Presence::Partly(e) => return Err(partly(c, s, &self.memory.present[e])),
            Presence::Absent => return Ok(()),
        };
        let one_memory = self.is_one_memory();
        let e = &mut self.memory.present[at];
        let held = match structured {
            true => &mut e.structured,
            false => &mut e.dynamic,
        };
        if *held == 0 {
            return Ok(());
        }
        *held = if finalize { 0 } else { *held - 1 };
        if e.structured > 0 || e.dynamic > 0 {
            return Ok(());
        }
        if one_memory {
            self.memory.present.swap_remove(at);
            return Ok(());
        }
        if c.clause.copies_out() {
            let part = e.part(array, s)?;
            self.copy(&part, array, true, Actor::Host)?;
        }
        let e = self.memory.present.swap_remove(at);
        self.memory.free(&e.mirror, op, true, Actor::Host)
    }

    fn update_data(&mut self, c: &DataClause, array: &MemRef, if_present: bool) -> Run<()> {
        let s = self.section(c, array)?;
        if s.is_empty() {
            return Ok(());
        }
        let part = match self.memory.find(s) {
            Presence::Inside(at) => self.memory.present[at].part(array, s)?,
            Presence::Partly(e) => return Err(partly(c, s, &self.memory.present[e])),
            Presence::Absent if if_present => return Ok(()),
            Presence::Absent => {
                return Err(Fault::new(format!(
                    "{}({}): it is not on the device; `if_present` would leave it alone",
                    c.clause.word(),
                    c.name
                )));
            }
        };
        match c.clause {
            _ if self.is_one_memory() => Ok(()),
            Clause::UpdateHost => self.copy(&part, array, true, Actor::Host),
            _ => self.copy(array, &part, true, Actor::Host),
        }
    }

    /// The buffer of an array, of the type that `shape` is of; the array itself where it
    /// is absent and that is no mistake.
    fn buffer_of(
        &self,
        c: &DataClause,
        array: &MemRef,
        shape: &Shape,
        lenient: bool,
    ) -> Run<Value> {
        let s = self.section(c, array)?;
        let found = match s.is_empty() || c.clause == Clause::DevicePtr {
            true => array.clone(),
            false => match self.memory.find(s) {
                Presence::Inside(at) => self.memory.present[at].part(array, s)?,
                Presence::Partly(e) => return Err(partly(c, s, &self.memory.present[e])),
                Presence::Absent if lenient => array.clone(),
                Presence::Absent => return Err(absent(c)),
            },
        };
        found.check_type(shape)?;
        Ok(Value::MemRef(Rc::new(found)))
    }

    fn is_one_memory(&self) -> bool {
        self.config.unified_memory || self.config.host_memory_in_kernels
    }

    fn section(&self, c: &DataClause, array: &MemRef) -> Run<Section> {
        self.memory.check_live(array)?;
        if c.clause != Clause::DevicePtr && self.memory.space(array) == Space::Device {
            return Err(Fault::new(format!(
                "{}({}): the array lies in the memory of the device already; deviceptr is for that",
                c.clause.word(),
                c.name
            )));
        }
        Section::of(array)
    }
}
