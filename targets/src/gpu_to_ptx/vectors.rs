//! Vectors of fixed size, one register a lane.

use super::access::writable;
use super::lower::{Lower, Res, unsupported};
use super::value::{Idx, MemRef};
use super::wide::Hints;
use crate::ptx::{Address, Reg};
use terrace_dialects::math;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Op, Type};

impl Lower<'_> {
    pub fn vector(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "load" | "store" => self.vector_access(op, name == "load"),
            "transfer_read" => self.transfer_read(op),
            "transfer_write" => self.transfer_write(op),
            "broadcast" | "splat" => self.broadcast(op),
            "extract" => self.extract(op),
            "insert" => self.insert(op),
            "extract_strided_slice" => self.extract_slice(op),
            "insert_strided_slice" => self.insert_slice(op),
            "shape_cast" => {
                let lanes = self.lanes(op.operand(self.ctx, 0))?.to_vec();
                self.define_lanes(op, 0, lanes);
                Ok(())
            }
            "fma" => self.elementwise(op, math::FmaOp::NAME),
            _ => self.vector_shape(op, name).unwrap_or_else(|| {
                Err(format!(
                    "{}; of vector: load, store, transfer_read, transfer_write, broadcast, splat, extract, insert, extract_strided_slice, insert_strided_slice, shape_cast, transpose, shuffle, from_elements, to_elements, create_mask, constant_mask, reduction, fma",
                    unsupported()
                ))
            }),
        }
    }

    pub fn shape(&self, ty: Type) -> Vec<usize> {
        let shape = ty.shape(self.ctx).unwrap_or(&[]);
        shape
            .iter()
            .map(|n| usize::try_from(*n).unwrap_or(0))
            .collect()
    }

    /// Elements that follow each other along the innermost dimensions.
    fn vector_access(&mut self, op: Op, load: bool) -> Res<()> {
        let v = op.operands(self.ctx);
        let Some((m, at)) = v.get(usize::from(!load)..).and_then(|v| v.split_first()) else {
            return Err("has too few operands".to_string());
        };
        let m = self.memref_val(*m)?;
        let at = self.idxs(at)?;
        let vector = if load { op.result(self.ctx, 0) } else { v[0] };
        let shape = self.shape(vector.ty(self.ctx));
        if m.lanes > 1 {
            return self.element_access(op, load, &m, &at, &shape);
        }
        if shape.len() > at.len() || shape.is_empty() {
            return Err(format!(
                "moves a vector of rank {} at {} indices",
                shape.len(),
                at.len()
            ));
        }
        if load {
            let lanes = self.load_rows(op, &m, &at, &shape)?;
            self.define_lanes(op, 0, lanes);
            return Ok(());
        }
        let given = self.lanes(v[0])?;
        self.store_rows(op, &m, &at, &shape, &given)
    }

    /// Where the rows of a vector lie whose lanes follow each other in memory: the
    /// first lane of each, how many they are, the address, and what is known of it.
    fn rows(
        &mut self,
        op: Op,
        m: &MemRef,
        at: &[Idx],
        shape: &[usize],
    ) -> Res<Vec<(usize, usize, Address, Hints)>> {
        let row = match (m.strides.last(), shape.last()) {
            (Some(Idx::Const(1)), Some(n)) => (*n).max(1),
            _ => 1,
        };
        let mut all = Vec::new();
        for lane in (0..shape.iter().product()).step_by(row) {
            let here = self.moved(at, shape, lane);
            let address = self.address(m, &here)?;
            let mut hints = self.hints(op, m, &here);
            if lane > 0 {
                // The op promises nothing but where it begins.
                hints.align = self.alignment(m, &here);
            }
            all.push((lane, row, address, hints));
        }
        Ok(all)
    }

    pub fn load_rows(&mut self, op: Op, m: &MemRef, at: &[Idx], shape: &[usize]) -> Res<Vec<Reg>> {
        let mut lanes = Vec::new();
        for (_, n, address, hints) in self.rows(op, m, at, shape)? {
            lanes.extend(self.load_lanes(m, address, n, hints));
        }
        Ok(lanes)
    }

    pub fn store_rows(
        &mut self,
        op: Op,
        m: &MemRef,
        at: &[Idx],
        shape: &[usize],
        given: &[Reg],
    ) -> Res<()> {
        writable(m)?;
        for (lane, n, address, hints) in self.rows(op, m, at, shape)? {
            if let Some(part) = given.get(lane..lane + n) {
                self.store_lanes(m, address, part, hints);
            }
        }
        Ok(())
    }

    /// An element that is a vector itself.
    fn element_access(
        &mut self,
        op: Op,
        load: bool,
        m: &MemRef,
        at: &[Idx],
        shape: &[usize],
    ) -> Res<()> {
        if shape.iter().product::<usize>() != m.lanes {
            return Err(
                "moves a vector other than an element of the memref; whole elements are supported"
                    .to_string(),
            );
        }
        let address = self.address(m, at)?;
        let hints = self.hints(op, m, at);
        if load {
            let lanes = self.load_lanes(m, address, m.lanes, hints);
            self.define_lanes(op, 0, lanes);
        } else {
            let lanes = self.lanes(op.operand(self.ctx, 0))?;
            self.store_lanes(m, address, &lanes, hints);
        }
        Ok(())
    }

    /// The indices of a lane: constants go into strides times constants, so
    /// that only the offset of the address changes from lane to lane.
    fn moved(&mut self, at: &[Idx], shape: &[usize], lane: usize) -> Vec<Idx> {
        let mut here = at.to_vec();
        let mut rest = lane;
        let outer = at.len() - shape.len();
        for (d, n) in shape.iter().enumerate().rev() {
            let n = (*n).max(1);
            here[outer + d] = self.add_idx(here[outer + d], Idx::Const((rest % n) as i64));
            rest /= n;
        }
        here
    }

    /// A scalar or a vector of fewer dimensions, repeated along the others.
    fn broadcast(&mut self, op: Op) -> Res<()> {
        let source = op.operand(self.ctx, 0);
        let lanes = self.lanes(source)?;
        let to = self.shape(op.result(self.ctx, 0).ty(self.ctx));
        let from = self.shape(source.ty(self.ctx));
        let total: usize = to.iter().product();
        let missing = to
            .len()
            .checked_sub(from.len())
            .ok_or("has a source of more dimensions than its result")?;
        let mut all = Vec::with_capacity(total);
        for lane in 0..total {
            let (mut rest, mut index, mut scale) = (lane, 0, 1);
            for (d, n) in to.iter().enumerate().rev() {
                let at = rest % (*n).max(1);
                rest /= (*n).max(1);
                if d >= missing {
                    let have = from[d - missing];
                    index += if have == 1 { 0 } else { at * scale };
                    scale *= have;
                }
            }
            all.push(*lanes.get(index).ok_or("has shapes that do not fit")?);
        }
        self.define_lanes(op, 0, all);
        Ok(())
    }

    /// The first lane and the number of lanes of a constant position.
    fn position(&self, op: Op, vector: Type) -> Res<(usize, usize)> {
        let at = op
            .attr(self.ctx, "static_position")
            .and_then(|a| a.as_i64_array(self.ctx))
            .unwrap_or_default();
        let shape = self.shape(vector);
        if at.contains(&DYNAMIC) {
            return Err("has a position that is not constant; constants are supported".to_string());
        }
        let mut count: usize = shape.iter().product();
        let mut first = 0;
        for (i, n) in at.iter().zip(&shape) {
            count /= (*n).max(1);
            let i = usize::try_from(*i)
                .ok()
                .filter(|i| i < n)
                .ok_or("has a position out of bounds")?;
            first += i * count;
        }
        Ok((first, count))
    }

    /// The lanes of a box of a vector: its shape, and where it begins.
    fn slice(&self, op: Op, whole: Type, part: Type) -> Res<Vec<usize>> {
        let offsets = op
            .attr(self.ctx, "offsets")
            .and_then(|a| a.as_i64_array(self.ctx))
            .unwrap_or_default();
        let (whole, part) = (self.shape(whole), self.shape(part));
        let missing = whole
            .len()
            .checked_sub(part.len())
            .ok_or("has a part of more dimensions than the whole")?;
        let total: usize = part.iter().product();
        let mut lanes = Vec::with_capacity(total);
        for lane in 0..total {
            let (mut rest, mut at, mut scale) = (lane, 0, 1);
            for d in (0..whole.len()).rev() {
                let mut i = offsets.get(d).copied().unwrap_or(0) as usize;
                if let Some(n) = d.checked_sub(missing).map(|d| part[d].max(1)) {
                    i += rest % n;
                    rest /= n;
                }
                at += i * scale;
                scale *= whole[d];
            }
            lanes.push(at);
        }
        Ok(lanes)
    }

    fn extract_slice(&mut self, op: Op) -> Res<()> {
        let (source, result) = (op.operand(self.ctx, 0), op.result(self.ctx, 0));
        let lanes = self.lanes(source)?;
        let mut part = Vec::new();
        for at in self.slice(op, source.ty(self.ctx), result.ty(self.ctx))? {
            part.push(*lanes.get(at).ok_or("reaches out of the vector")?);
        }
        self.define_lanes(op, 0, part);
        Ok(())
    }

    fn insert_slice(&mut self, op: Op) -> Res<()> {
        let (value, dest) = (op.operand(self.ctx, 0), op.operand(self.ctx, 1));
        let part = self.lanes(value)?;
        let mut lanes = self.lanes(dest)?.to_vec();
        let places = self.slice(op, dest.ty(self.ctx), value.ty(self.ctx))?;
        for (at, r) in places.into_iter().zip(part.iter()) {
            *lanes.get_mut(at).ok_or("reaches out of the vector")? = *r;
        }
        self.define_lanes(op, 0, lanes);
        Ok(())
    }

    fn extract(&mut self, op: Op) -> Res<()> {
        let source = op.operand(self.ctx, 0);
        let (first, count) = self.position(op, source.ty(self.ctx))?;
        let lanes = self.lanes(source)?;
        let part: Vec<Reg> = lanes
            .get(first..first + count)
            .ok_or("has a position out of bounds")?
            .to_vec();
        self.define_lanes(op, 0, part);
        Ok(())
    }

    fn insert(&mut self, op: Op) -> Res<()> {
        let (value, dest) = (op.operand(self.ctx, 0), op.operand(self.ctx, 1));
        let (first, count) = self.position(op, dest.ty(self.ctx))?;
        let part = self.lanes(value)?;
        let mut lanes = self.lanes(dest)?.to_vec();
        if part.len() != count {
            return Err("inserts a value of another shape than the position".to_string());
        }
        lanes
            .get_mut(first..first + count)
            .ok_or("has a position out of bounds")?
            .copy_from_slice(&part);
        self.define_lanes(op, 0, lanes);
        Ok(())
    }
}
