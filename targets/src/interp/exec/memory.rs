//! Ops on memrefs.

use super::State;
use super::linear::{delinearize, linearize};
use crate::interp::code::{AllocKind, CoherenceInst, MemoryInst, Num, Slot};
use crate::interp::error::{Fault, Run};
use crate::interp::ew;
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::{Actor, Origin, Space};
use crate::interp::memref::{Dims, MemRef, Shape, row_major};
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

fn indices(s: &[Slot], slots: &[Value]) -> Run<Dims> {
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
                let m = memref(source)?;
                let size = num(*size, slots)?;
                let layout = None;
                let (elem, lanes, elem_size) = (m.elem, m.lanes.clone(), m.elem_size);
                let shape = Shape {
                    elem,
                    lanes,
                    elem_size,
                    sizes: vec![size],
                    layout,
                };
                let space = self.memory.space(&m);
                let new = self.build(&shape, &[size], &[], space, Origin::Heap, Some(op))?;
                for i in 0..size.min(m.sizes[0]) {
                    self.memory
                        .copy_element((&m, m.position(&[i])?), (&new, i))?;
                }
                self.memory
                    .free(&m, op, space == Space::Device, state.actor)?;
                (*dst, view(new))
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
                let m = memref(array)?;
                let open = shape.sizes.iter().zip(&m.sizes);
                let sizes: Dims = open
                    .filter(|(s, _)| **s == DYNAMIC)
                    .map(|(_, n)| *n)
                    .collect();
                let kind = AllocKind::Device;
                let mirror = self.alloc(kind, shape, &sizes, &[], op, state)?;
                self.memory.link(&m, mirror.memref()?, op)?;
                (*dst, mirror)
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
                let m = memref(target)?;
                let actor = if *anywhere {
                    self.owner(&m)?
                } else {
                    state.actor
                };
                let v = slots[*value as usize].clone();
                self.counters.stores += m.count().unwrap_or(0) as u64;
                return m.each(|i| self.memory.write(&m, m.position(i)?, &v, actor));
            }
            Dim { source, index, dst } => {
                let (m, k) = (memref(source)?, slots[*index as usize].i64()?);
                let size = usize::try_from(k).ok().and_then(|k| m.sizes.get(k));
                let size = size.ok_or_else(|| {
                    Fault::new(format!(
                        "dimension {k} of a memref of rank {} does not exist",
                        m.rank()
                    ))
                })?;
                (*dst, Value::Index(*size))
            }
            Rank { source, dst } => (*dst, Value::Index(memref(source)?.rank() as i64)),
            Cast { source, shape, dst } => {
                let m = memref(source)?;
                if let Some(shape) = shape {
                    m.check_type(shape)?;
                }
                (*dst, Value::MemRef(m))
            }
            Subview {
                source,
                offsets,
                sizes,
                strides,
                dropped,
                shape,
                dst,
            } => {
                let (offsets, sizes) = (nums(offsets, slots)?, nums(sizes, slots)?);
                let m =
                    memref(source)?.subview(&offsets, &sizes, &nums(strides, slots)?, dropped)?;
                m.check_type(shape)?;
                (*dst, view(m))
            }
            Reinterpret {
                source,
                offset,
                sizes,
                strides,
                dst,
            } => {
                let mut m = MemRef::clone(&*memref(source)?);
                m.offset = num(*offset, slots)?;
                m.sizes = nums(sizes, slots)?;
                m.strides = nums(strides, slots)?;
                check_sizes(&m.sizes)?;
                (*dst, view(m))
            }
            Reshape { source, sizes, dst } => {
                let (m, shape) = (memref(source)?, memref(sizes)?);
                let mut sizes = Dims::new();
                shape.each(|i| {
                    sizes.push(
                        self.memory
                            .read(&shape, shape.position(i)?, state.actor)?
                            .i64()?,
                    );
                    Ok(())
                })?;
                check_sizes(&sizes)?;
                let mut new = MemRef::clone(&m);
                new.sizes = sizes;
                new.strides =
                    row_major(&new.sizes).ok_or("the number of elements does not fit 64 bits")?;
                if new.count() != m.count() {
                    return Err(Fault::new(format!(
                        "reshapes {:?} to {:?}, which has another number of elements",
                        m.sizes, new.sizes
                    )));
                }
                if row_major(&m.sizes).as_ref() != Some(&m.strides) {
                    return Err("reshapes a memref whose elements are not contiguous".into());
                }
                (*dst, view(new))
            }
            View {
                source,
                shift,
                sizes,
                shape,
                dst,
            } => {
                let m = memref(source)?;
                let shift = slots[*shift as usize].i64()?;
                let sizes = nums(sizes, slots)?;
                (*dst, view(byte_view(&m, shift, sizes, shape)?))
            }
            Collapse {
                source,
                groups,
                dst,
            } => (*dst, view(memref(source)?.collapse(groups)?)),
            Expand {
                source,
                groups,
                sizes,
                dst,
            } => (
                *dst,
                view(memref(source)?.expand(groups, &nums(sizes, slots)?)?),
            ),
            Transpose {
                source,
                permutation,
                dst,
            } => {
                let m = memref(source)?;
                let mut new = MemRef::clone(&m);
                for (k, d) in permutation.iter().enumerate() {
                    (new.sizes[k], new.strides[k]) = (m.sizes[*d], m.strides[*d]);
                }
                (*dst, view(new))
            }
            Metadata {
                source,
                base,
                offset,
                sizes,
                strides,
            } => {
                let m = memref(source)?;
                for (k, dst) in sizes.iter().enumerate() {
                    slots[*dst as usize] = Value::Index(m.sizes[k]);
                }
                for (k, dst) in strides.iter().enumerate() {
                    slots[*dst as usize] = Value::Index(m.strides[k]);
                }
                slots[*offset as usize] = Value::Index(m.offset);
                let mut whole = MemRef::clone(&m);
                whole.offset = 0;
                whole.sizes.clear();
                whole.strides.clear();
                (*base, view(whole))
            }
            Pointer { source, dst } => {
                let m = memref(source)?;
                // Buffers lie far apart, each at a multiple of any alignment.
                let address = (i64::from(m.buffer.0) + 1) << 40;
                (*dst, Value::Index(address + m.base as i64))
            }
            RowsAligned { source, bytes, dst } => {
                let m = memref(source)?;
                let size = m.elem_size as i64;
                let first = (m.base as i64).wrapping_add(m.offset.wrapping_mul(size));
                let last = m.strides.len().saturating_sub(1);
                let rows = m.strides[..last].iter().map(|s| s.wrapping_mul(size));
                let yes = rows.chain([first]).all(|n| n & (bytes - 1) == 0);
                (*dst, Value::bool(yes))
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
                let old = self.load(&m, &at, state.actor)?;
                let new = match combine {
                    // Assignment is the same for integers and floats.
                    ew::EwOp::Int(super::super::int::IntBin::Second, _) => {
                        slots[*value as usize].clone()
                    }
                    _ => ew::combine(*combine, &old, &slots[*value as usize])?,
                };
                self.store(&m, &at, &new, state.actor)?;
                (*dst, old)
            }
            AssumeAlignment {
                source,
                alignment,
                dst,
            } => {
                let m = memref(source)?;
                let at = m
                    .offset
                    .wrapping_mul(m.elem_size as i64)
                    .wrapping_add(m.base as i64);
                if at % alignment != 0 {
                    return Err(Fault::new(format!(
                        "the memref lies {at} bytes behind the start of its allocation, which is no multiple of {alignment}"
                    )));
                }
                let Some(dst) = dst else { return Ok(()) };
                (*dst, Value::MemRef(m))
            }
            Distinct { sources, results } => {
                let ms = sources.iter().map(memref).collect::<Run<Vec<_>>>()?;
                for (k, m) in ms.iter().enumerate() {
                    if ms[..k].iter().any(|o| o.buffer == m.buffer) {
                        return Err(Fault::new(format!(
                            "operand {k} is in the same allocation as another one"
                        )));
                    }
                }
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
                let parts = delinearize(
                    slots[*linear as usize].i64()?,
                    &nums(basis, slots)?,
                    *outer_bound,
                )?;
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
                let m = memref(m)?;
                self.memory.set_shared(m.buffer, *on);
                return Ok(());
            }
        };
        slots[dst as usize] = value;
        Ok(())
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
            if *s == terrace_ir::types::DYNAMIC {
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

fn check_sizes(sizes: &[i64]) -> Run<()> {
    match sizes.iter().position(|s| *s < 0) {
        Some(k) => Err(Fault::new(format!(
            "the size of dimension {k} is negative: {}",
            sizes[k]
        ))),
        None => Ok(()),
    }
}

/// `memref.view`: bytes from `shift` on, as a row-major array of another type.
fn byte_view(m: &MemRef, shift: i64, sizes: Dims, shape: &Shape) -> Run<MemRef> {
    check_sizes(&sizes)?;
    let strides = row_major(&sizes).ok_or("the number of elements does not fit 64 bits")?;
    let new = MemRef {
        buffer: m.buffer,
        base: 0,
        elem: shape.elem,
        lanes: shape.lanes.clone(),
        elem_size: shape.elem_size,
        offset: 0,
        sizes,
        strides,
    };
    let bytes = new
        .count()
        .and_then(|n| n.checked_mul(new.elem_size as i64));
    let end = bytes.and_then(|n| n.checked_add(shift));
    if shift < 0 || end.is_none_or(|end| end > m.sizes[0]) {
        return Err(Fault::new(format!(
            "the view reaches out of its {} bytes: shift {shift}, sizes {:?} of {} bytes each",
            m.sizes[0], new.sizes, new.elem_size
        )));
    }
    let base = (m.base as i64)
        .checked_add(m.offset)
        .and_then(|b| b.checked_add(shift));
    let base = base
        .and_then(|b| usize::try_from(b).ok())
        .ok_or("address overflow")?;
    Ok(MemRef { base, ..new })
}
