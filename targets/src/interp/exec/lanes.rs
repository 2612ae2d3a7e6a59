//! Ops that make vectors and elements of others.

use super::memory::nums;
use crate::interp::code::{LaneInst, Slot};
use crate::interp::error::{Fault, Run};
use crate::interp::ew;
use crate::interp::memref::{Dims, each_index, out_of_bounds};
use crate::interp::value::{Elem, Value, VectorValue};
use smallvec::smallvec;
use std::rc::Rc;

pub(super) fn vector(shape: &[i64], elem: Elem, lanes: Vec<Value>) -> Value {
    Value::Vector(Rc::new(VectorValue {
        shape: shape.to_vec(),
        elem,
        lanes,
    }))
}

/// The position of an index in row-major order.
pub(super) fn flat(shape: &[i64], index: &[i64]) -> usize {
    index
        .iter()
        .zip(shape)
        .fold(0, |n, (i, size)| n * *size as usize + *i as usize)
}

pub(super) fn eval(inst: &LaneInst, slots: &[Value]) -> Run<Value> {
    use LaneInst::*;
    let slot = |s: &Slot| &slots[*s as usize];
    Ok(match inst {
        Broadcast {
            source,
            shape,
            elem,
        } => broadcast(slot(source), shape, *elem)?,
        Extract { source, position } => extract(slot(source).vector()?, &nums(position, slots)?)?,
        Insert {
            value,
            dest,
            position,
        } => insert(slot(value), slot(dest).vector()?, &nums(position, slots)?)?,
        ExtractSlice {
            source,
            offsets,
            shape,
        } => {
            let v = slot(source).vector()?;
            let mut lanes = Vec::new();
            for at in slice(&v.shape, offsets, shape)? {
                lanes.push(v.lanes.get(at).ok_or("reaches out of the vector")?.clone());
            }
            vector(shape, v.elem, lanes)
        }
        InsertSlice {
            value,
            dest,
            offsets,
        } => {
            let mut v = VectorValue::clone(slot(dest).vector()?);
            let part = slot(value).vector()?;
            let places = slice(&v.shape, offsets, &part.shape)?;
            for (at, lane) in places.into_iter().zip(&part.lanes) {
                *v.lanes.get_mut(at).ok_or("reaches out of the vector")? = lane.clone();
            }
            Value::Vector(Rc::new(v))
        }
        Reduction {
            combine,
            source,
            acc,
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
            lanes.try_fold(first, |sum, x| ew::combine(*combine, &sum, x))?
        }
        ShapeCast { source, shape } => {
            let v = slot(source).vector()?;
            vector(shape, v.elem, v.lanes.clone())
        }
        Transpose {
            source,
            permutation,
        } => transpose(slot(source).vector()?, permutation)?,
        FromElements {
            elements,
            shape,
            elem,
        } => vector(
            shape,
            *elem,
            elements.iter().map(|s| slot(s).clone()).collect(),
        ),
        Mask { sizes, shape } => {
            let sizes = nums(sizes, slots)?;
            let mut lanes = Vec::new();
            each_index(shape, |i| {
                lanes.push(Value::bool(i.iter().zip(&sizes).all(|(i, size)| i < size)));
                Ok(())
            })?;
            vector(shape, Elem::Int(1), lanes)
        }
        Shuffle { a, b, lanes } => shuffle(slot(a).vector()?, slot(b).vector()?, lanes)?,
    })
}

fn extract(v: &VectorValue, position: &[i64]) -> Run<Value> {
    let (start, len, rest) = part(v, position)?;
    Ok(match rest.is_empty() {
        true => v.lanes[start].clone(),
        false => vector(rest, v.elem, v.lanes[start..start + len].to_vec()),
    })
}

fn insert(value: &Value, dest: &VectorValue, position: &[i64]) -> Run<Value> {
    let mut v = dest.clone();
    let (start, len, _) = part(&v, position)?;
    match value {
        Value::Vector(new) if new.lanes.len() == len => {
            v.lanes[start..start + len].clone_from_slice(&new.lanes);
        }
        new if len == 1 => v.lanes[start] = new.clone(),
        _ => return Err("the inserted vector does not fit".into()),
    }
    Ok(Value::Vector(Rc::new(v)))
}

fn transpose(v: &VectorValue, permutation: &[usize]) -> Run<Value> {
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
    Ok(vector(&shape, v.elem, lanes))
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
