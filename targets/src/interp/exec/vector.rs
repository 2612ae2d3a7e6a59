//! Ops on vectors, and between vectors and memory.

use super::memory::nums;
use crate::interp::code::{Slot, Transfer, VectorInst};
use crate::interp::error::{Fault, Run};
use crate::interp::ew;
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::Actor;
use crate::interp::memref::{Dims, MemRef, each_index, out_of_bounds};
use crate::interp::value::{Elem, Value, VectorValue};
use smallvec::smallvec;
use std::rc::Rc;

fn vector(shape: &[i64], elem: Elem, lanes: Vec<Value>) -> Value {
    Value::Vector(Rc::new(VectorValue {
        shape: shape.to_vec(),
        elem,
        lanes,
    }))
}

/// The position of an index in row-major order.
fn flat(shape: &[i64], index: &[i64]) -> usize {
    index
        .iter()
        .zip(shape)
        .fold(0, |n, (i, size)| n * *size as usize + *i as usize)
}

impl Interpreter<'_> {
    pub(super) fn vector_inst(
        &mut self,
        inst: &VectorInst,
        slots: &mut [Value],
        actor: Actor,
    ) -> Run<()> {
        use VectorInst::*;
        let slot = |s: &Slot| &slots[*s as usize];
        let (dst, value) = match inst {
            TransferRead {
                transfer: t,
                padding,
                dst,
            } => {
                let padding = slot(padding).clone();
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
                (*dst, vector(&t.shape, t.elem, lanes))
            }
            TransferWrite { transfer: t, value } => {
                let v = slot(value).vector()?.clone();
                let mut k = 0;
                return self.each_transferred(t, slots, |this, m, at| {
                    k += 1;
                    let Some(at) = at else { return Ok(()) };
                    this.counters.stores += 1;
                    this.memory
                        .write(m, m.position(at)?, &v.lanes[k - 1], actor)
                });
            }
            Load {
                memref,
                indices,
                shape,
                elem,
                dst,
            } => {
                let m = slot(memref).memref()?.clone();
                let at = indices
                    .iter()
                    .map(|e| e.eval(slots))
                    .collect::<Run<Dims>>()?;
                if m.lanes.is_some() {
                    (*dst, self.load(&m, &at, actor)?)
                } else {
                    let mut lanes = Vec::new();
                    self.each_in_slice(&m, &at, shape, |this, at| {
                        this.counters.loads += 1;
                        lanes.push(this.memory.read(&m, at, actor)?);
                        Ok(())
                    })?;
                    (*dst, vector(shape, *elem, lanes))
                }
            }
            Store {
                memref,
                indices,
                value,
            } => {
                let m = slot(memref).memref()?.clone();
                let at = indices
                    .iter()
                    .map(|e| e.eval(slots))
                    .collect::<Run<Dims>>()?;
                if m.lanes.is_some() {
                    return self.store(&m, &at, slot(value), actor);
                }
                let v = slot(value).vector()?.clone();
                let mut lanes = v.lanes.iter();
                return self.each_in_slice(&m, &at, &v.shape, |this, at| {
                    this.counters.stores += 1;
                    let lane = lanes.next().ok_or("the vector has too few elements")?;
                    this.memory.write(&m, at, lane, actor)
                });
            }
            MaskedLoad {
                memref,
                indices,
                mask,
                otherwise,
                dst,
            } => {
                let m = slot(memref).memref()?.clone();
                let at = indices
                    .iter()
                    .map(|s| slot(s).i64())
                    .collect::<Run<Dims>>()?;
                let (mask, otherwise) = (slot(mask).vector()?, slot(otherwise).vector()?);
                let mut v = VectorValue::clone(otherwise);
                for k in 0..v.lanes.len() {
                    if mask.lanes[k].is_true()? {
                        v.lanes[k] = self.load(&m, &along_last(&at, k), actor)?;
                    }
                }
                (*dst, Value::Vector(Rc::new(v)))
            }
            MaskedStore {
                memref,
                indices,
                mask,
                value,
            } => {
                let m = slot(memref).memref()?.clone();
                let at = indices
                    .iter()
                    .map(|s| slot(s).i64())
                    .collect::<Run<Dims>>()?;
                let (mask, v) = (slot(mask).vector()?, slot(value).vector()?);
                for (k, lane) in v.lanes.iter().enumerate() {
                    if mask.lanes[k].is_true()? {
                        self.store(&m, &along_last(&at, k), lane, actor)?;
                    }
                }
                return Ok(());
            }
            Broadcast {
                source,
                shape,
                elem,
                dst,
            } => (*dst, broadcast(slot(source), shape, *elem)?),
            Extract {
                source,
                position,
                dst,
            } => {
                let v = slot(source).vector()?;
                let (start, len, rest) = part(v, &nums(position, slots)?)?;
                let value = if rest.is_empty() {
                    v.lanes[start].clone()
                } else {
                    vector(rest, v.elem, v.lanes[start..start + len].to_vec())
                };
                (*dst, value)
            }
            Insert {
                value,
                dest,
                position,
                dst,
            } => {
                let mut v = VectorValue::clone(slot(dest).vector()?);
                let (start, len, _) = part(&v, &nums(position, slots)?)?;
                match slot(value) {
                    Value::Vector(new) if new.lanes.len() == len => {
                        v.lanes[start..start + len].clone_from_slice(&new.lanes);
                    }
                    new if len == 1 => v.lanes[start] = new.clone(),
                    _ => return Err("the inserted vector does not fit".into()),
                }
                (*dst, Value::Vector(Rc::new(v)))
            }
            ExtractSlice {
                source,
                offsets,
                shape,
                dst,
            } => {
                let v = slot(source).vector()?;
                let mut lanes = Vec::new();
                for at in slice(&v.shape, offsets, shape)? {
                    lanes.push(v.lanes.get(at).ok_or("reaches out of the vector")?.clone());
                }
                (*dst, vector(shape, v.elem, lanes))
            }
            InsertSlice {
                value,
                dest,
                offsets,
                dst,
            } => {
                let mut v = VectorValue::clone(slot(dest).vector()?);
                let part = slot(value).vector()?;
                let places = slice(&v.shape, offsets, &part.shape)?;
                for (at, lane) in places.into_iter().zip(&part.lanes) {
                    *v.lanes.get_mut(at).ok_or("reaches out of the vector")? = lane.clone();
                }
                (*dst, Value::Vector(Rc::new(v)))
            }
            Reduction {
                combine,
                source,
                acc,
                dst,
            } => {
                let v = slot(source).vector()?;
                let mut lanes = v.lanes.iter();
                // In the order of the lanes, from the accumulator on.
                let first = match acc {
                    Some(acc) => slot(acc).clone(),
                    None => lanes
                        .next()
                        .ok_or("reduces a vector without elements")?
                        .clone(),
                };
                (
                    *dst,
                    lanes.try_fold(first, |sum, x| ew::combine(*combine, &sum, x))?,
                )
            }
            ShapeCast { source, shape, dst } => {
                let v = slot(source).vector()?;
                (*dst, vector(shape, v.elem, v.lanes.clone()))
            }
            Transpose {
                source,
                permutation,
                dst,
            } => {
                let v = slot(source).vector()?;
                let shape: Vec<i64> = permutation.iter().map(|d| v.shape[*d]).collect();
                let mut lanes = Vec::new();
                each_index(&shape, |index| {
                    let mut from: Dims = smallvec![0; index.len()];
                    for (k, d) in permutation.iter().enumerate() {
                        from[*d] = index[k];
                    }
                    lanes.push(v.lanes[flat(&v.shape, &from)].clone());
                    Ok(())
                })?;
                (*dst, vector(&shape, v.elem, lanes))
            }
            FromElements {
                elements,
                shape,
                elem,
                dst,
            } => (
                *dst,
                vector(
                    shape,
                    *elem,
                    elements.iter().map(|s| slot(s).clone()).collect(),
                ),
            ),
            ToElements { source, dst } => {
                let v = slot(source).vector()?.clone();
                for (dst, lane) in dst.iter().zip(&v.lanes) {
                    slots[*dst as usize] = lane.clone();
                }
                return Ok(());
            }
            Mask { sizes, shape, dst } => {
                let sizes = nums(sizes, slots)?;
                let mut lanes = Vec::new();
                each_index(shape, |i| {
                    lanes.push(Value::bool(i.iter().zip(&sizes).all(|(i, size)| i < size)));
                    Ok(())
                })?;
                (*dst, vector(shape, Elem::Int(1), lanes))
            }
            Shuffle { a, b, lanes, dst } => {
                (*dst, shuffle(slot(a).vector()?, slot(b).vector()?, lanes)?)
            }
            TypeCast { source, lanes, dst } => {
                let mut m = MemRef::clone(slot(source).memref()?);
                m.elem_size = m.elem.size() * lanes.iter().product::<i64>() as usize;
                m.lanes = Some(lanes.clone());
                // The whole memref becomes one element, in bytes from its start.
                m.base += usize::try_from(m.offset).map_err(|_| "negative offset")? * m.elem.size();
                m.offset = 0;
                m.sizes.clear();
                m.strides.clear();
                (*dst, Value::MemRef(Rc::new(m)))
            }
        };
        slots[dst as usize] = value;
        Ok(())
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

/// A scalar, or a vector of fewer or smaller dimensions, as a vector of this shape.
fn broadcast(v: &Value, shape: &[i64], elem: Elem) -> Run<Value> {
    let Value::Vector(v) = v else {
        let count = shape.iter().product::<i64>() as usize;
        return Ok(vector(shape, elem, vec![v.clone(); count]));
    };
    let lead = shape
        .len()
        .checked_sub(v.shape.len())
        .ok_or("broadcasts to fewer dimensions")?;
    let mut lanes = Vec::new();
    each_index(shape, |i| {
        let from: Dims = v
            .shape
            .iter()
            .zip(&i[lead..])
            .map(|(size, i)| if *size == 1 { 0 } else { *i })
            .collect();
        lanes.push(v.lanes[flat(&v.shape, &from)].clone());
        Ok(())
    })?;
    Ok(vector(shape, elem, lanes))
}

/// The lanes of a box in the last dimensions of a vector that begins at `offsets`.
fn slice(whole: &[i64], offsets: &[i64], part: &[i64]) -> Run<Vec<usize>> {
    let lead = whole.len().checked_sub(part.len());
    let lead = lead.ok_or("the part has more dimensions than the vector")?;
    let mut lanes = Vec::new();
    each_index(part, |i| {
        let mut index: Dims = smallvec![0; whole.len()];
        for (k, at) in index.iter_mut().enumerate() {
            let inner = k.checked_sub(lead).map_or(0, |k| i[k]);
            *at = offsets.get(k).copied().unwrap_or(0).saturating_add(inner);
        }
        lanes.push(flat(whole, &index));
        Ok(())
    })?;
    Ok(lanes)
}

/// The elements of the part of a vector at a position: where they start, how many they
/// are, and their shape.
fn part<'v>(v: &'v VectorValue, position: &[i64]) -> Run<(usize, usize, &'v [i64])> {
    for (k, i) in position.iter().enumerate() {
        if !(0..v.shape[k]).contains(i) {
            return Err(out_of_bounds(*i, k, v.shape[k]));
        }
    }
    let (outer, rest) = v.shape.split_at(position.len());
    let len = rest.iter().product::<i64>() as usize;
    Ok((flat(outer, position) * len, len, rest))
}

/// The parts of two vectors along their first dimension, in this order.
fn shuffle(a: &VectorValue, b: &VectorValue, order: &[i64]) -> Run<Value> {
    let size = |v: &VectorValue| v.shape.first().copied().unwrap_or(1);
    let inner: &[i64] = a.shape.get(1..).unwrap_or(&[]);
    let len = inner.iter().product::<i64>() as usize;
    let mut lanes = Vec::new();
    for i in order {
        let (v, k) = if *i < size(a) {
            (a, *i)
        } else {
            (b, *i - size(a))
        };
        let start =
            usize::try_from(k).map_err(|_| Fault::new("takes an element that is poison"))? * len;
        lanes.extend_from_slice(
            v.lanes
                .get(start..start + len)
                .ok_or("takes an element that is not there")?,
        );
    }
    let shape: Vec<i64> = [order.len() as i64].iter().chain(inner).copied().collect();
    Ok(vector(&shape, a.elem, lanes))
}
