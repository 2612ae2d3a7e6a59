//! Ops on tiles: from memory and back, folded, and which elements exist.

use super::lanes::{flat, vector};
use crate::interp::code::{Limit, Promise, Slot, TileAccess, TileInst};
use crate::interp::error::{Fault, Run};
use crate::interp::ew::{self, EwOp};
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::Actor;
use crate::interp::memref::{Dims, MemRef, each_index};
use crate::interp::value::{Elem, Value, VectorValue};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::rc::Rc;

impl Interpreter<'_> {
    pub(super) fn tile_inst(
        &mut self,
        inst: &TileInst,
        slots: &mut [Value],
        actor: Actor,
    ) -> Run<()> {
        let (dst, value) = match inst {
            TileInst::Load {
                access,
                elem,
                pad,
                dst,
            } => (*dst, self.tile_load(access, *elem, *pad, slots, actor)?),
            TileInst::Store { access, value } => {
                let v = slots[*value as usize].vector()?.clone();
                return self.tile_store(access, &v, slots, actor);
            }
            TileInst::Reduce {
                combine,
                value,
                init,
                axes,
                limits,
                dst,
            } => {
                let v = slots[*value as usize].vector()?;
                let ranges = ranges(limits, &v.shape, slots)?;
                let init = &slots[*init as usize];
                (*dst, reduce(*combine, v, init, axes, &ranges)?)
            }
            TileInst::Mask { shape, limits, dst } => {
                let ranges = ranges(limits, shape, slots)?;
                let mut lanes = Vec::new();
                each_index(shape, |at| {
                    lanes.push(Value::bool(exists(&ranges, at)));
                    Ok(())
                })?;
                (*dst, vector(shape, Elem::Int(1), lanes))
            }
        };
        slots[dst as usize] = value;
        Ok(())
    }

    fn tile_load(
        &mut self,
        access: &TileAccess,
        elem: Elem,
        pad: Option<Slot>,
        slots: &mut [Value],
        actor: Actor,
    ) -> Run<Value> {
        let pad = pad.map(|s| slots[s as usize].clone());
        let mut lanes = Vec::new();
        each_element(access, slots, |m, position| {
            lanes.push(match position {
                Some(position) => {
                    self.counters.loads += 1;
                    self.memory.read(m, position, actor)?
                }
                None => pad.clone().ok_or("leaves elements out, but has no pad")?,
            });
            Ok(())
        })?;
        Ok(vector(&access.shape, elem, lanes))
    }

    fn tile_store(
        &mut self,
        access: &TileAccess,
        v: &VectorValue,
        slots: &mut [Value],
        actor: Actor,
    ) -> Run<()> {
        let mut lanes = v.lanes.iter();
        let mut taken = FxHashSet::default();
        each_element(access, slots, |m, position| {
            let lane = lanes.next().ok_or("the tile has too few elements")?;
            let Some(position) = position else {
                return Ok(());
            };
            if !taken.insert(position) {
                return Err("stores two elements of the tile to one place".into());
            }
            self.counters.stores += 1;
            self.memory.write(m, position, lane, actor)
        })
    }
}

/// Calls `f` for each element of a tile, in the order of their coordinates, with its place in
/// memory, or with none where it is beyond the limits or left out by the mask.
fn each_element(
    access: &TileAccess,
    slots: &mut [Value],
    mut f: impl FnMut(&MemRef, Option<i64>) -> Run<()>,
) -> Run<()> {
    let m = slots[access.memref as usize].memref()?.clone();
    let ranges = ranges(&access.limits, &access.shape, slots)?;
    if let Some(promise) = access.granule {
        check_granule(promise, access.limits[promise.dim], slots)?;
    }
    let mask = access.mask.map(|s| slots[s as usize].vector().cloned());
    let mask = mask.transpose()?;
    let mut lanes = mask.iter().flat_map(|v| v.lanes.iter());
    each_index(&access.shape, |at| {
        // Without a mask none is left out.
        let has = lanes.next().map_or(Ok(true), Value::is_true)?;
        if !has || !exists(&ranges, at) {
            return f(&m, None);
        }
        for (slot, i) in access.coordinates.iter().zip(at) {
            slots[*slot as usize] = Value::Index(*i);
        }
        let index = (access.indices.iter())
            .map(|e| e.eval(slots))
            .collect::<Run<Dims>>()?;
        super::check_rank(&m, &index)?;
        let position = m.position(&index)?;
        if let Some(promise) = access.alignment {
            check_alignment(promise, &m, position, at)?;
        }
        f(&m, Some(position))
    })
}

/// The coordinates that exist along each dimension.
fn ranges(limits: &[Limit], shape: &[i64], slots: &[Value]) -> Run<Vec<Range<i64>>> {
    let number = |s: Option<Slot>| s.map(|s| slots[s as usize].i64()).transpose();
    let range = |(limit, size): (&Limit, &i64)| {
        let lower = number(limit.lower)?.unwrap_or(0);
        let upper = number(limit.upper)?.unwrap_or(*size);
        Ok(lower.max(0)..upper.min(*size))
    };
    limits.iter().zip(shape).map(range).collect()
}

fn exists(ranges: &[Range<i64>], at: &[i64]) -> bool {
    ranges.iter().zip(at).all(|(r, i)| r.contains(i))
}

fn check_granule(promise: Promise, limit: Limit, slots: &[Value]) -> Run<()> {
    for (side, slot) in [("lower", limit.lower), ("upper", limit.upper)] {
        let Some(slot) = slot else { continue };
        let n = slots[slot as usize].i64()?;
        if n % promise.multiple != 0 {
            return Err(Fault::new(format!(
                "promises limits along d{} that are multiples of {}, but the {side} one is {n}",
                promise.dim, promise.multiple
            )));
        }
    }
    Ok(())
}

/// What lies at a multiple of the promised bytes in its row of the tile does so in memory.
fn check_alignment(promise: Promise, m: &MemRef, position: i64, at: &[i64]) -> Run<()> {
    let bytes = m.elem_size as i64;
    let from_start = at[promise.dim].wrapping_mul(bytes);
    let in_memory = position.wrapping_mul(bytes).wrapping_add(m.base as i64);
    if from_start % promise.multiple == 0 && in_memory % promise.multiple != 0 {
        return Err(Fault::new(format!(
            "promises rows at multiples of {} bytes, but element {} of one lies {in_memory} bytes behind the start of its allocation",
            promise.multiple, at[promise.dim]
        )));
    }
    Ok(())
}

/// Folds the elements within the ranges into `init`, in the order of their coordinates.
fn reduce(
    combine: EwOp,
    v: &VectorValue,
    init: &Value,
    axes: &[usize],
    ranges: &[Range<i64>],
) -> Run<Value> {
    let kept: Vec<usize> = (0..v.shape.len()).filter(|d| !axes.contains(d)).collect();
    let shape: Dims = kept.iter().map(|d| v.shape[*d]).collect();
    let mut sums = match init {
        Value::Vector(init) => init.lanes.clone(),
        init => vec![init.clone()],
    };
    let mut lanes = v.lanes.iter();
    each_index(&v.shape, |at| {
        let lane = lanes.next().ok_or("the tile has too few elements")?;
        if exists(ranges, at) {
            let to: Dims = kept.iter().map(|d| at[*d]).collect();
            let sum = sums
                .get_mut(flat(&shape, &to))
                .ok_or("begins with a value of another shape")?;
            *sum = ew::combine(combine, sum, lane)?;
        }
        Ok(())
    })?;
    match (init, sums.pop()) {
        (Value::Vector(init), last) => {
            sums.extend(last);
            Ok(Value::Vector(Rc::new(VectorValue {
                lanes: sums,
                ..VectorValue::clone(init)
            })))
        }
        (_, last) => Ok(last.ok_or("begins with nothing")?),
    }
}
