//! Ops on memrefs.

use super::State;
use super::linear::{delinearize, linearize};
use crate::interp::code::{AllocKind, CoherenceInst, MemoryInst, Num, Slot};
use crate::interp::error::{Fault, Run};
use crate::interp::ew::{self, EwOp};
use crate::interp::int::IntBin;
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::{Actor, Origin, Space};
use crate::interp::memref::{Dims, MemRef, Shape};
use crate::interp::value::Value;
use std::rc::Rc;
use terrace_dialects::xfer::Side;
use terrace_ir::Op;
use terrace_ir::types::DYNAMIC;

/// An index from a slot or the program.
pub(super) fn num(n: Num, slots: &[Value]) -> Run<i64> {
    match n {
        Num::Known(v) => Ok(v),
        Num::Slot(s) => slots[s as usize].i64(),
    }
}

pub(super) fn nums(n: &[Num], slots: &[Value]) -> Run<Dims> {
    n.iter().map(|n| num(*n, slots)).collect()
}

pub(super) fn indices(s: &[Slot], slots: &[Value]) -> Run<Dims> {
    s.iter().map(|s| slots[*s as usize].i64()).collect()
}

pub(super) fn view(m: MemRef) -> Value {
    Value::MemRef(Rc::new(m))
}

impl Interpreter<'_> {
    pub(super) fn memory_inst(
        &mut self,
        inst: &MemoryInst,
        op: Op,
        slots: &mut [Value],
        state: &mut State,
    ) -> Run<()> {
        use MemoryInst::*;
        let memref = |s: &Slot| slots[*s as usize].memref().cloned();
        let (dst, value) = match inst {
            Alloc {
                kind,
                shape,
                sizes,
                symbols,
                dst,
            } => {
                let (sizes, symbols) = (indices(sizes, slots)?, indices(symbols, slots)?);
                (*dst, self.alloc(*kind, shape, &sizes, &symbols, op, state)?)
            }
            Realloc { source, size, dst } => {
                let size = num(*size, slots)?;
                (
                    *dst,
                    self.realloc(&*memref(source)?, size, op, state.actor)?,
                )
            }
            Free { memref: m, device } => {
                let m = memref(m)?;
                return self.memory.free(&m, op, *device, state.actor);
            }
            Copy {
                source,
                target,
                anywhere,
            } => {
                let (source, target) = (memref(source)?, memref(target)?);
                return self.copy(&source, &target, *anywhere, state.actor);
            }
            Mirror { array, shape, dst } => {
                (*dst, self.mirror(&*memref(array)?, shape, op, state)?)
            }
            Data(inst) => return self.data_inst(inst, op, slots, state.actor),
            Discard { memref: m } => return self.memory.discard(&*memref(m)?),
            Coherence {
                what,
                array,
                mirror,
                sides,
            } => {
                let (array, mirror) = (memref(array)?, memref(mirror)?);
                return self.coherence(*what, &array, &mirror, sides, state.actor);
            }
            Fill {
                target,
                value,
                anywhere,
            } => {
                let (m, v) = (memref(target)?, &slots[*value as usize]);
                let actor = match anywhere {
                    true => self.owner(&m)?,
                    false => state.actor,
                };
                self.counters.stores += m.count().unwrap_or(0) as u64;
                return m.each(|i| self.memory.write(&m, m.position(i)?, v, actor));
            }
            Descriptor { source, inst, dst } => (
                *dst,
                self.descriptor(memref(source)?, inst, slots, state.actor)?,
            ),
            Metadata {
                source,
                base,
                offset,
                sizes,
                strides,
            } => {
                let m = memref(source)?;
                let numbers = sizes.iter().zip(&m.sizes);
                for (dst, n) in numbers.chain(strides.iter().zip(&m.strides)) {
                    slots[*dst as usize] = Value::Index(*n);
                }
                slots[*offset as usize] = Value::Index(m.offset);
                (*base, view(whole(&m)))
            }
            Global { op, shape, dst } => (*dst, self.global(*op, shape, state)?),
            AtomicRmw {
                combine,
                value,
                memref: m,
                indices: at,
                dst,
            } => {
                let (m, at) = (memref(m)?, indices(at, slots)?);
                let value = &slots[*value as usize];
                (*dst, self.atomic(*combine, &m, &at, value, state.actor)?)
            }
            AssumeAlignment {
                source,
                alignment,
                dst,
            } => {
                let m = memref(source)?;
                check_alignment(&m, *alignment)?;
                let Some(dst) = dst else { return Ok(()) };
                (*dst, Value::MemRef(m))
            }
            Distinct { sources, results } => {
                let ms = sources.iter().map(memref).collect::<Run<Vec<_>>>()?;
                check_distinct(&ms)?;
                for (dst, m) in results.iter().zip(ms) {
                    slots[*dst as usize] = Value::MemRef(m);
                }
                return Ok(());
            }
            Dma(dma) => return self.dma(dma, slots),
            Delinearize {
                linear,
                basis,
                outer_bound,
                dst,
            } => {
                let linear = slots[*linear as usize].i64()?;
                let parts = delinearize(linear, &nums(basis, slots)?, *outer_bound)?;
                for (dst, v) in dst.iter().zip(parts) {
                    slots[*dst as usize] = Value::Index(v);
                }
                return Ok(());
            }
            Linearize {
                indices: at,
                basis,
                disjoint,
                dst,
            } => {
                let (at, basis) = (indices(at, slots)?, nums(basis, slots)?);
                (*dst, Value::Index(linearize(&at, &basis, *disjoint)?))
            }
            HostRegister { memref: m, on } => {
                self.memory.set_shared(memref(m)?.buffer, *on);
                return Ok(());
            }
        };
        slots[dst as usize] = value;
        Ok(())
    }

    /// A heap array of another size with the elements of `m`, which is freed.
    fn realloc(&mut self, m: &MemRef, size: i64, op: Op, actor: Actor) -> Run<Value> {
        let shape = Shape {
            elem: m.elem,
            lanes: m.lanes.clone(),
            elem_size: m.elem_size,
            sizes: vec![size],
            layout: None,
        };
        let space = self.memory.space(m);
        let new = self.build(&shape, &[size], &[], space, Origin::Heap, Some(op))?;
        for i in 0..size.min(m.sizes[0]) {
            (self.memory).copy_element((m, m.position(&[i])?), (&new, i))?;
        }
        self.memory.free(m, op, space == Space::Device, actor)?;
        Ok(view(new))
    }

    fn mirror(&mut self, m: &MemRef, shape: &Shape, op: Op, state: &mut State) -> Run<Value> {
        let open = shape.sizes.iter().zip(&m.sizes);
        let sizes: Dims = open
            .filter(|(s, _)| **s == DYNAMIC)
            .map(|(_, n)| *n)
            .collect();
        let mirror = self.alloc(AllocKind::Device, shape, &sizes, &[], op, state)?;
        self.memory.link(m, mirror.memref()?, op)?;
        Ok(mirror)
    }

    /// Gives the element before the update.
    fn atomic(
        &mut self,
        combine: EwOp,
        m: &MemRef,
        at: &[i64],
        value: &Value,
        actor: Actor,
    ) -> Run<Value> {
        let old = self.load(m, at, actor)?;
        let new = match combine {
            // Assignment is the same for integers and floats.
            EwOp::Int(IntBin::Second, _) => value.clone(),
            _ => ew::combine(combine, &old, value)?,
        };
        self.store(m, at, &new, actor)?;
        Ok(old)
    }

    fn alloc(
        &mut self,
        kind: AllocKind,
        shape: &Shape,
        sizes: &[i64],
        symbols: &[i64],
        op: Op,
        state: &mut State,
    ) -> Run<Value> {
        let mut sizes = sizes.iter();
        let fill = |s: &i64| {
            if *s == DYNAMIC {
                sizes.next().copied()
            } else {
                Some(*s)
            }
        };
        let sizes: Dims = shape
            .sizes
            .iter()
            .map(fill)
            .collect::<Option<_>>()
            .ok_or("lacks a size")?;
        let space = match (kind, state.actor) {
            (AllocKind::Device, _) => Space::Device,
            (AllocKind::HostShared, _) => Space::Shared,
            (AllocKind::Pinned, _) => Space::Host,
            (_, Actor::Host) => Space::Host,
            (AllocKind::Heap, Actor::Thread { .. }) => Space::Device,
            (AllocKind::Stack, Actor::Thread { block, thread }) => Space::Private { block, thread },
        };
        let origin = match kind {
            AllocKind::Stack => Origin::Stack,
            AllocKind::Pinned => Origin::Pinned,
            _ => Origin::Heap,
        };
        let m = self.build(shape, &sizes, symbols, space, origin, Some(op))?;
        if kind == AllocKind::Stack {
            state.allocations.push(m.buffer);
        }
        Ok(view(m))
    }

    /// Someone who may use the memory of `m`.
    pub(super) fn owner(&self, m: &MemRef) -> Run<Actor> {
        self.memory.check_live(m)?;
        Ok(match self.memory.space(m) {
            Space::Host | Space::Shared => Actor::Host,
            Space::Device => Actor::Thread {
                block: 0,
                thread: 0,
            },
            Space::Workgroup { block } => Actor::Thread { block, thread: 0 },
            Space::Private { block, thread } => Actor::Thread { block, thread },
        })
    }

    /// All of `source` to `target`, as if read whole before the first is written.
    pub(in crate::interp) fn copy(
        &mut self,
        source: &MemRef,
        target: &MemRef,
        anywhere: bool,
        actor: Actor,
    ) -> Run<()> {
        if source.sizes != target.sizes {
            return Err(Fault::new(format!(
                "copies a memref of sizes {:?} to one of sizes {:?}",
                source.sizes, target.sizes
            )));
        }
        if source.elem_size != target.elem_size {
            return Err("copies between memrefs of different element types".into());
        }
        if anywhere {
            self.memory.check_live(source)?;
            self.memory.check_live(target)?;
        } else {
            self.memory.check_use(source, actor)?;
            self.memory.check_use(target, actor)?;
        }
        let n = source.count().unwrap_or(0) as u64;
        self.counters.loads += n;
        self.counters.stores += n;
        if anywhere {
            let on_device = |m| self.memory.space(m) == Space::Device;
            let way = (on_device(source), on_device(target));
            self.counters.copied(way, n * source.elem_size as u64);
            self.memory.flags_after_copy(source, target);
        }
        if source.buffer != target.buffer {
            return source.each(|i| {
                let to = target.position(i)?;
                self.memory
                    .copy_element((source, source.position(i)?), (target, to))
            });
        }
        if source == target {
            return Ok(());
        }
        let through = Shape {
            elem: source.elem,
            lanes: source.lanes.clone(),
            elem_size: source.elem_size,
            sizes: source.sizes.to_vec(),
            layout: None,
        };
        let temp = self.build(
            &through,
            &source.sizes,
            &[],
            Space::Host,
            Origin::Stack,
            None,
        )?;
        for (from, to) in [(source, &temp), (&temp, target)] {
            from.each(|i| {
                self.memory
                    .copy_element((from, from.position(i)?), (to, to.position(i)?))
            })?;
        }
        self.memory.end_scope(temp.buffer);
        Ok(())
    }
}

impl Interpreter<'_> {
    /// An op on an array and its mirror.
    fn coherence(
        &mut self,
        what: CoherenceInst,
        array: &MemRef,
        mirror: &MemRef,
        sides: &[Side],
        actor: Actor,
    ) -> Run<()> {
        self.memory.check_live(array)?;
        self.memory.check_live(mirror)?;
        for side in sides {
            match what {
                CoherenceInst::MarkWritten => self.memory.mark_written(array, mirror, *side)?,
                CoherenceInst::AssertValid => self.memory.assert_valid(array, mirror, *side)?,
                CoherenceInst::Ensure => {
                    if !self.memory.flag(array, mirror, *side)? {
                        let (from, to) = match side {
                            Side::Host => (mirror, array),
                            Side::Device => (array, mirror),
                        };
                        self.copy(from, to, true, actor)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The memref of all elements behind the base, without dimensions.
fn whole(m: &MemRef) -> MemRef {
    MemRef {
        offset: 0,
        sizes: Dims::new(),
        strides: Dims::new(),
        ..m.clone()
    }
}

fn check_alignment(m: &MemRef, alignment: i64) -> Run<()> {
    let offset = m.offset.wrapping_mul(m.elem_size as i64);
    let at = offset.wrapping_add(m.base as i64);
    match at % alignment {
        0 => Ok(()),
        _ => Err(Fault::new(format!(
            "the memref lies {at} bytes behind the start of its allocation, which is no multiple of {alignment}"
        ))),
    }
}

fn check_distinct(memrefs: &[Rc<MemRef>]) -> Run<()> {
    for (k, m) in memrefs.iter().enumerate() {
        if memrefs[..k].iter().any(|o| o.buffer == m.buffer) {
            return Err(Fault::new(format!(
                "operand {k} is in the same allocation as another one"
            )));
        }
    }
    Ok(())
}
