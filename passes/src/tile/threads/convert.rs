//! Tiles that change threads, by a buffer of the block.

use super::Unable;
use super::access::{extract, from_elements};
use super::body::Body;
use super::place::scaled;
use super::registers::{Registers, coordinates};
use crate::analysis::memref_region::element_bytes;
use crate::loops::build::index::{add, add_constant, constant};
use terrace_dialects::{arith, gpu, memref, vector};
use terrace_ir::{Builder, Context, Op, Type, Value};
use terrace_layout::{Layout, Memory, Resource, Swizzle, choose_swizzle};

/// Bytes that a buffer may have.
const MAX_BYTES: i64 = 48 * 1024;

/// How the buffer between two layouts lies.
fn swizzle(ctx: &Context, op: Op, from: &Layout, to: &Layout) -> Result<(Swizzle, i64), Unable> {
    let elem = op.operand(ctx, 0).ty(ctx).element_or_self(ctx);
    let bytes = element_bytes(ctx, elem).unwrap_or(8);
    let chosen = choose_swizzle(from, to, bytes, MAX_BYTES)
        .map_err(|e| Unable::new(op, format!("changes threads by no buffer that fits: {e}")))?;
    Ok((chosen, bytes))
}

/// The type of the buffer that a conversion needs.
///
/// # Errors
///
/// None fits.
pub(super) fn buffer(ctx: &Context, op: Op, from: &Layout, to: &Layout) -> Result<Type, Unable> {
    let (chosen, bytes) = swizzle(ctx, op, from, to)?;
    let elem = op.operand(ctx, 0).ty(ctx).element_or_self(ctx);
    Ok(gpu::workgroup_memref(ctx, &[chosen.bytes / bytes], elem))
}

impl Body<'_> {
    pub(super) fn convert(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let (from, to) = (op.operand(b.ctx, 0), op.result(b.ctx, 0));
        let value = self.registers(b, op, from)?;
        let layout = self.layouts.of(b.ctx, op)?;
        let Registers::Each(own, held) = &value else {
            self.tiles.insert(to, value);
            return Ok(());
        };
        if held.is_same_as(&layout) {
            self.tiles.insert(to, value);
            return Ok(());
        }
        let (chosen, bytes) = swizzle(b.ctx, op, held, &layout)?;
        let buffer = self.buffer_of(op)?;
        let elem = from.ty(b.ctx).element_or_self(b.ctx);
        if self.in_loop || !self.used.insert(buffer) {
            // Others may still read what was there before.
            gpu::BarrierOp::build(b);
        }
        let place = self.place(b, held);
        let first = self.offset(b, &chosen.memory, &place);
        let width = chosen.write_vector.max(1) as usize;
        for i in (0..held.size(Resource::Reg)).step_by(width) {
            let at = self.swizzled(b, &chosen.memory, first, &coordinates(held, i));
            match width {
                1 => {
                    memref::StoreOp::build(b, own[i], buffer, &[at]);
                }
                n => {
                    let v = from_elements(b, &own[i..i + n]);
                    let op = vector::StoreOp::build(b, v, buffer, &[at]);
                    op.set_attr(b.ctx, "alignment", b.ctx.i64_attr(n as i64 * bytes));
                }
            }
        }
        gpu::BarrierOp::build(b);
        self.hazards.clear();
        let place = self.place(b, &layout);
        let first = self.offset(b, &chosen.memory, &place);
        let width = chosen.read_vector.max(1) as usize;
        let mut all = Vec::new();
        for i in (0..layout.size(Resource::Reg)).step_by(width) {
            let at = self.swizzled(b, &chosen.memory, first, &coordinates(&layout, i));
            if width == 1 {
                all.push(memref::LoadOp::build(b, buffer, &[at]));
                continue;
            }
            let ty = b.ctx.vector(&[width as i64], elem);
            let v = vector::LoadOp::build(b, ty, buffer, &[at]);
            if let Some(op) = v.def_op() {
                op.set_attr(b.ctx, "alignment", b.ctx.i64_attr(width as i64 * bytes));
            }
            all.extend((0..width).map(|k| extract(b, v, k)));
        }
        self.tiles.insert(to, Registers::Each(all, layout));
        Ok(())
    }

    /// The offset of the thread's place, before the swizzle.
    fn offset(&self, b: &mut Builder, memory: &Memory, place: &[Value]) -> Value {
        let mut sum = constant(b, 0);
        for (v, pitch) in place.iter().zip(memory.pitch()) {
            let part = scaled(b, *v, *pitch);
            sum = add(b, sum, part);
        }
        sum
    }

    /// The offset of an element of the thread.
    fn swizzled(&self, b: &mut Builder, memory: &Memory, first: Value, at: &[i64]) -> Value {
        let by: i64 = at.iter().zip(memory.pitch()).map(|(c, p)| c * p).sum();
        let offset = add_constant(b, first, by);
        let Some(x) = memory.xor() else {
            return offset;
        };
        let index = b.ctx.index();
        let down = constant(b, i64::from(x.base + x.shift));
        let high = b.value::<arith::ShRUIOp>(&[offset, down], index, &[]);
        let mask = constant(b, (1 << x.bits) - 1);
        let high = b.value::<arith::AndIOp>(&[high, mask], index, &[]);
        let up = constant(b, i64::from(x.base));
        let high = b.value::<arith::ShLIOp>(&[high, up], index, &[]);
        b.value::<arith::XOrIOp>(&[offset, high], index, &[])
    }
}
