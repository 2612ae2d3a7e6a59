//! Globals, and transfers by DMA.

use super::State;
use super::memory::view;
use crate::interp::affine::AffineCode;
use crate::interp::code::{Dma, Slot};
use crate::interp::decode::{constant_elements, is_workgroup};
use crate::interp::error::{Fault, Run};
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::{Actor, Origin, Space};
use crate::interp::memref::{Dims, MemRef, Shape, row_major};
use crate::interp::value::Value;
use std::rc::Rc;
use terrace_dialects::gpu;
use terrace_ir::{AttrData, Op, TypeData};

impl Interpreter<'_> {
    /// The memref of a global: made at its first use, in workgroup memory by each block.
    pub(super) fn global(&mut self, op: Op, shape: &Shape, state: &State) -> Run<Value> {
        let ctx = self.ctx;
        let ty = op
            .attr(ctx, "type")
            .and_then(|a| a.as_type(ctx))
            .ok_or("names what is no global")?;
        let of_device = op
            .parent(ctx)
            .is_some_and(|p| p.name(ctx) == gpu::ModuleOp::NAME);
        let block = match state.actor {
            Actor::Thread { block, .. } if is_workgroup(ctx, ty) => Some(block),
            _ => None,
        };
        let (sizes, strides) = (Dims::from(&shape.sizes[..]), row_major(&shape.sizes));
        if let Some(id) = self.globals.get(&(op, block)) {
            let m = MemRef {
                buffer: *id,
                base: 0,
                elem: shape.elem,
                lanes: shape.lanes.clone(),
                elem_size: shape.elem_size,
                offset: 0,
                sizes,
                strides: strides.ok_or("the number of elements does not fit 64 bits")?,
            };
            return Ok(view(m));
        }
        let initial = op.attr(ctx, "initial_value");
        let Some(initial) = initial else {
            return Err(Fault::new("the global is declared here but defined nowhere").at(op));
        };
        let space = match (block, of_device) {
            (Some(block), _) => Space::Workgroup { block },
            (None, true) => Space::Device,
            (None, false) => Space::Host,
        };
        let plain = Shape {
            layout: None,
            ..shape.clone()
        };
        let m = self.build(&plain, &shape.sizes, &[], space, Origin::Global, Some(op))?;
        if !matches!(initial.data(ctx), AttrData::Unit) {
            let elements = constant_elements(ctx, initial, shape.elem);
            let elements =
                elements.ok_or_else(|| Fault::new("the initial value cannot be used").at(op))?;
            let TypeData::MemRef { .. } = ty.data(ctx) else {
                return Err("names what is no global".into());
            };
            let actor = self.owner(&m)?;
            for (k, v) in elements.iter().enumerate() {
                self.memory.write(&m, k as i64, v, actor)?;
            }
        }
        if op.attr(ctx, "constant").is_some() {
            self.memory.set_read_only(m.buffer);
        }
        self.globals.insert((op, block), m.buffer);
        Ok(view(m))
    }

    pub(super) fn dma(&mut self, d: &Dma, slots: &[Value]) -> Run<()> {
        let side = |(s, at): &(Slot, Box<[AffineCode]>)| -> Run<(Rc<MemRef>, i64)> {
            let m = slots[*s as usize].memref()?.clone();
            let at = at.iter().map(|e| e.eval(slots)).collect::<Run<Dims>>()?;
            super::check_rank(&m, &at)?;
            let at = m.position(&at)?;
            Ok((m, at))
        };
        let (source, from) = side(&d.source)?;
        let (target, to) = side(&d.target)?;
        let count = slots[d.count as usize].i64()?;
        let (stride, run) = match d.strided {
            None => (1, 1),
            Some((stride, run)) => (slots[stride as usize].i64()?, slots[run as usize].i64()?),
        };
        if run <= 0 {
            return Err(Fault::new(format!(
                "a run must have a positive number of elements, but has {run}"
            )));
        }
        self.memory.check_live(&source)?;
        self.memory.check_live(&target)?;
        for k in 0..count {
            let apart = (k / run)
                .checked_mul(stride)
                .and_then(|n| n.checked_add(k % run))
                .ok_or("address overflow")?;
            let (a, b) = if d.source_is_strided {
                (apart, k)
            } else {
                (k, apart)
            };
            let add = |x: i64, y: i64| x.checked_add(y).ok_or("address overflow");
            self.memory
                .copy_element((&source, add(from, a)?), (&target, add(to, b)?))?;
        }
        self.counters.loads += count.max(0) as u64;
        self.counters.stores += count.max(0) as u64;
        Ok(())
    }
}
