//! Ops between vectors and memory.

use super::lanes::{self, flat, vector};
use super::memory::indices;
use crate::interp::code::{Transfer, VectorInst};
use crate::interp::error::Run;
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::Actor;
use crate::interp::memref::{Dims, MemRef, each_index, out_of_bounds};
use crate::interp::value::{Elem, Value, VectorValue};
use std::rc::Rc;

impl Interpreter<'_> {
    pub(super) fn vector_inst(
        &mut self,
        inst: &VectorInst,
        slots: &mut [Value],
        actor: Actor,
    ) -> Run<()> {
        use VectorInst::*;
        let (dst, value) = match inst {
            Lanes { inst, dst } => (*dst, lanes::eval(inst, slots)?),
            ToElements { source, dst } => {
                let v = slots[*source as usize].vector()?.clone();
                for (dst, lane) in dst.iter().zip(&v.lanes) {
                    slots[*dst as usize] = lane.clone();
                }
                return Ok(());
            }
            TypeCast { source, lanes, dst } => {
                let m = slots[*source as usize].memref()?;
                (*dst, Value::MemRef(Rc::new(as_vectors(m, lanes)?)))
            }
            TransferRead {
                transfer,
                padding,
                dst,
            } => {
                let padding = &slots[*padding as usize];
                (*dst, self.transfer_read(transfer, padding, slots, actor)?)
            }
            TransferWrite { transfer, value } => {
                let v = slots[*value as usize].vector()?;
                return self.transfer_write(transfer, v, slots, actor);
            }
            Load {
                memref,
                indices,
                shape,
                elem,
                dst,
            } => {
                let m = slots[*memref as usize].memref()?;
                let at: Dims = indices.iter().map(|e| e.eval(slots)).collect::<Run<_>>()?;
                (*dst, self.load_slice(m, &at, shape, *elem, actor)?)
            }
            Store {
                memref,
                indices,
                value,
            } => {
                let m = slots[*memref as usize].memref()?;
                let at: Dims = indices.iter().map(|e| e.eval(slots)).collect::<Run<_>>()?;
                return self.store_slice(m, &at, &slots[*value as usize], actor);
            }
            MaskedLoad {
                memref,
                indices: at,
                mask,
                otherwise,
                dst,
            } => {
                let (m, at) = (slots[*memref as usize].memref()?, indices(at, slots)?);
                let mask = slots[*mask as usize].vector()?;
                let mut v = VectorValue::clone(slots[*otherwise as usize].vector()?);
                for (k, lane) in v.lanes.iter_mut().enumerate() {
                    if mask.lanes[k].is_true()? {
                        *lane = self.load(m, &along_last(&at, k), actor)?;
                    }
                }
                (*dst, Value::Vector(Rc::new(v)))
            }
            MaskedStore {
                memref,
                indices: at,
                mask,
                value,
            } => {
                let (m, at) = (slots[*memref as usize].memref()?, indices(at, slots)?);
                let mask = slots[*mask as usize].vector()?;
                let v = slots[*value as usize].vector()?;
                for (k, lane) in v.lanes.iter().enumerate() {
                    if mask.lanes[k].is_true()? {
                        self.store(m, &along_last(&at, k), lane, actor)?;
                    }
                }
                return Ok(());
            }
        };
        slots[dst as usize] = value;
        Ok(())
    }

    fn transfer_read(
        &mut self,
        t: &Transfer,
        padding: &Value,
        slots: &[Value],
        actor: Actor,
    ) -> Run<Value> {
        let mut lanes = Vec::new();
        self.each_transferred(t, slots, |this, m, at| {
            lanes.push(match at {
                Some(at) => {
                    this.counters.loads += 1;
                    this.memory.read_lane(m, m.position(at)?, actor)?
                }
                None => padding.clone(),
            });
            Ok(())
        })?;
        Ok(vector(&t.shape, t.elem, lanes))
    }

    fn transfer_write(
        &mut self,
        t: &Transfer,
        v: &VectorValue,
        slots: &[Value],
        actor: Actor,
    ) -> Run<()> {
        let mut k = 0;
        self.each_transferred(t, slots, |this, m, at| {
            k += 1;
            let Some(at) = at else { return Ok(()) };
            this.counters.stores += 1;
            let lane = &v.lanes[k - 1];
            this.memory.write(m, m.position(at)?, lane, actor)
        })
    }

    fn load_slice(
        &mut self,
        m: &MemRef,
        at: &[i64],
        shape: &[i64],
        elem: Elem,
        actor: Actor,
    ) -> Run<Value> {
        if m.lanes.is_some() {
            return self.load(m, at, actor);
        }
        let mut lanes = Vec::new();
        self.each_in_slice(m, at, shape, |this, at| {
            this.counters.loads += 1;
            lanes.push(this.memory.read(m, at, actor)?);
            Ok(())
        })?;
        Ok(vector(shape, elem, lanes))
    }

    fn store_slice(&mut self, m: &MemRef, at: &[i64], value: &Value, actor: Actor) -> Run<()> {
        if m.lanes.is_some() {
            return self.store(m, at, value, actor);
        }
        let v = value.vector()?;
        let mut lanes = v.lanes.iter();
        self.each_in_slice(m, at, &v.shape, |this, at| {
            this.counters.stores += 1;
            let lane = lanes.next().ok_or("the vector has too few elements")?;
            this.memory.write(m, at, lane, actor)
        })
    }

    /// Calls `f` with the position of each element of a slice that must lie in the memref:
    /// its last dimensions are those of `shape`.
    fn each_in_slice(
        &mut self,
        m: &MemRef,
        at: &[i64],
        shape: &[i64],
        mut f: impl FnMut(&mut Self, i64) -> Run<()>,
    ) -> Run<()> {
        super::check_rank(m, at)?;
        let lead = m
            .rank()
            .checked_sub(shape.len())
            .ok_or("the vector has more dimensions than the memref")?;
        let mut index: Dims = at.into();
        for (k, start) in at.iter().enumerate() {
            let size = m.sizes[k];
            let last = start.checked_add(if k < lead { 0 } else { shape[k - lead] - 1 });
            match last {
                Some(last) if *start >= 0 && last < size => {}
                Some(last) => {
                    return Err(out_of_bounds(
                        if *start < 0 { *start } else { last },
                        k,
                        size,
                    ));
                }
                None => return Err("address overflow".into()),
            }
        }
        each_index(shape, |i| {
            for (k, i) in i.iter().enumerate() {
                index[lead + k] = at[lead + k] + i;
            }
            let position = m.position_unchecked(&index)?;
            f(self, position)
        })
    }

    /// Calls `f` for each element of a transfer's vector with its index in the memref, or
    /// `None` where it is masked off or out of bounds where that is allowed.
    fn each_transferred(
        &mut self,
        t: &Transfer,
        slots: &[Value],
        mut f: impl FnMut(&mut Self, &MemRef, Option<&[i64]>) -> Run<()>,
    ) -> Run<()> {
        let m = slots[t.memref as usize].memref()?.clone();
        if m.lanes.is_some() {
            return Err("transfers of memrefs of vectors cannot be run".into());
        }
        let at = t
            .indices
            .iter()
            .map(|s| slots[*s as usize].i64())
            .collect::<Run<Dims>>()?;
        super::check_rank(&m, &at)?;
        let mask = match t.mask {
            Some(s) => Some(slots[s as usize].vector()?.clone()),
            None => None,
        };
        // The mask has the memref's order of dimensions.
        let mut masked: Vec<usize> = (0..t.dims.len()).filter(|k| t.dims[*k].is_some()).collect();
        masked.sort_by_key(|k| t.dims[*k]);
        each_index(&t.shape, |lane| {
            if let Some(mask) = &mask {
                let i: Dims = masked.iter().map(|k| lane[*k]).collect();
                let on = mask
                    .lanes
                    .get(flat(&mask.shape, &i))
                    .ok_or("the mask has too few elements")?;
                if !on.is_true()? {
                    return f(self, &m, None);
                }
            }
            let mut index = at.clone();
            let mut outside = false;
            for (k, d) in t.dims.iter().enumerate() {
                let Some(d) = *d else { continue };
                index[d] = at[d].checked_add(lane[k]).ok_or("address overflow")?;
                outside |= !t.in_bounds[k] && !(0..m.sizes[d]).contains(&index[d]);
            }
            f(self, &m, if outside { None } else { Some(&index) })
        })
    }
}

/// `at` with the last index moved on by `k`.
fn along_last(at: &[i64], k: usize) -> Dims {
    let mut index: Dims = at.into();
    if let Some(last) = index.last_mut() {
        *last = last.saturating_add(k as i64);
    }
    index
}

/// A memref of scalars as one element that is a vector.
fn as_vectors(m: &MemRef, lanes: &Rc<[i64]>) -> Run<MemRef> {
    let offset = usize::try_from(m.offset).map_err(|_| "negative offset")?;
    Ok(MemRef {
        buffer: m.buffer,
        // In bytes from its start.
        base: m.base + offset * m.elem.size(),
        elem: m.elem,
        lanes: Some(lanes.clone()),
        elem_size: m.elem.size() * lanes.iter().product::<i64>() as usize,
        offset: 0,
        sizes: Dims::new(),
        strides: Dims::new(),
    })
}
