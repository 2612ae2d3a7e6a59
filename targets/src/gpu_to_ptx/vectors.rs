//! Vectors of fixed size, one register a lane.

use super::lower::{Lower, Res, unsupported};
use super::value::{Idx, MemRef};
use crate::ptx::Reg;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Op, Type};

impl Lower<'_> {
    pub fn vector(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "load" | "store" => self.vector_access(op, name == "load"),
            "broadcast" | "splat" => self.broadcast(op),
            "extract" => self.extract(op),
            "insert" => self.insert(op),
            "shape_cast" => {
                let lanes = self.lanes(op.operand(self.ctx, 0))?.to_vec();
                self.define_lanes(op, 0, lanes);
                Ok(())
            }
            "fma" => self.elementwise(op, "math.fma"),
            _ => Err(format!(
                "{}; of vector: load, store, broadcast, splat, extract, insert, shape_cast, fma",
                unsupported()
            )),
        }
    }

    fn shape(&self, ty: Type) -> Vec<usize> {
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
            return Err(
                "accesses a memref of vectors; memrefs of scalars are supported".to_string(),
            );
        }
        if shape.len() > at.len() || shape.is_empty() {
            return Err(format!(
                "moves a vector of rank {} at {} indices",
                shape.len(),
                at.len()
            ));
        }
        let given = if load {
            Vec::new()
        } else {
            self.lanes(v[0])?.to_vec()
        };
        let total: usize = shape.iter().product();
        let mut loaded = Vec::with_capacity(total);
        for lane in 0..total {
            let here = self.moved(&at, &shape, lane);
            let scalar = MemRef {
                lanes: 1,
                ..(*m).clone()
            };
            let address = self.address(&scalar, &here)?;
            if load {
                loaded.extend(self.load_lanes(&scalar, address, 1));
            } else if let Some(r) = given.get(lane) {
                self.store_lanes(&scalar, address, &[*r]);
            }
        }
        if load {
            self.define_lanes(op, 0, loaded);
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
