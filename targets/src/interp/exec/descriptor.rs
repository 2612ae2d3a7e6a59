//! Ops on the descriptors of memrefs: views, sizes and addresses.

use super::memory::{num, nums, view};
use crate::interp::code::DescriptorInst;
use crate::interp::error::{Fault, Run};
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::Actor;
use crate::interp::memref::{Dims, MemRef, Shape, row_major};
use crate::interp::value::Value;
use std::rc::Rc;

impl Interpreter<'_> {
    pub(super) fn descriptor(
        &mut self,
        m: Rc<MemRef>,
        inst: &DescriptorInst,
        slots: &[Value],
        actor: Actor,
    ) -> Run<Value> {
        use DescriptorInst::*;
        let number = |s: u32| slots[s as usize].i64();
        let new = match inst {
            Dim { index } => return Ok(Value::Index(size(&m, number(*index)?)?)),
            Rank => return Ok(Value::Index(m.rank() as i64)),
            Pointer => return Ok(Value::Index(address(&m))),
            RowsAligned { bytes } => return Ok(Value::bool(rows_aligned(&m, *bytes))),
            Cast { shape } => {
                if let Some(shape) = shape {
                    m.check_type(shape)?;
                }
                return Ok(Value::MemRef(m));
            }
            Subview {
                offsets,
                sizes,
                strides,
                dropped,
                shape,
            } => {
                let (offsets, sizes) = (nums(offsets, slots)?, nums(sizes, slots)?);
                let new = m.subview(&offsets, &sizes, &nums(strides, slots)?, dropped)?;
                new.check_type(shape)?;
                new
            }
            Reinterpret {
                offset,
                sizes,
                strides,
            } => {
                let (offset, sizes) = (num(*offset, slots)?, nums(sizes, slots)?);
                let strides = nums(strides, slots)?;
                check_sizes(&sizes)?;
                MemRef {
                    offset,
                    sizes,
                    strides,
                    ..MemRef::clone(&m)
                }
            }
            Reshape { sizes } => {
                let sizes = self.sizes_in(slots[*sizes as usize].memref()?, actor)?;
                reshaped(&m, sizes)?
            }
            View {
                shift,
                sizes,
                shape,
            } => byte_view(&m, number(*shift)?, nums(sizes, slots)?, shape)?,
            Collapse { groups } => m.collapse(groups)?,
            Expand { groups, sizes } => m.expand(groups, &nums(sizes, slots)?)?,
            Transpose { permutation } => MemRef {
                sizes: permutation.iter().map(|d| m.sizes[*d]).collect(),
                strides: permutation.iter().map(|d| m.strides[*d]).collect(),
                ..MemRef::clone(&m)
            },
        };
        Ok(view(new))
    }

    /// The elements of a memref of sizes.
    fn sizes_in(&mut self, m: &MemRef, actor: Actor) -> Run<Dims> {
        let mut sizes = Dims::new();
        m.each(|i| {
            sizes.push(self.memory.read(m, m.position(i)?, actor)?.i64()?);
            Ok(())
        })?;
        Ok(sizes)
    }
}

fn size(m: &MemRef, k: i64) -> Run<i64> {
    let size = usize::try_from(k).ok().and_then(|k| m.sizes.get(k));
    size.copied().ok_or_else(|| {
        let rank = m.rank();
        Fault::new(format!(
            "dimension {k} of a memref of rank {rank} does not exist"
        ))
    })
}

/// Buffers lie far apart, each at a multiple of any alignment.
fn address(m: &MemRef) -> i64 {
    ((i64::from(m.buffer.0) + 1) << 40) + m.base as i64
}

fn rows_aligned(m: &MemRef, bytes: i64) -> bool {
    let size = m.elem_size as i64;
    let first = (m.base as i64).wrapping_add(m.offset.wrapping_mul(size));
    let last = m.strides.len().saturating_sub(1);
    let rows = m.strides[..last].iter().map(|s| s.wrapping_mul(size));
    rows.chain([first]).all(|n| n & (bytes - 1) == 0)
}

fn reshaped(m: &MemRef, sizes: Dims) -> Run<MemRef> {
    check_sizes(&sizes)?;
    let strides = row_major(&sizes).ok_or("the number of elements does not fit 64 bits")?;
    let new = MemRef {
        sizes,
        strides,
        ..m.clone()
    };
    if new.count() != m.count() {
        return Err(Fault::new(format!(
            "reshapes {:?} to {:?}, which has another number of elements",
            m.sizes, new.sizes
        )));
    }
    if row_major(&m.sizes).as_ref() != Some(&m.strides) {
        return Err("reshapes a memref whose elements are not contiguous".into());
    }
    Ok(new)
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
