//! Vectors put together from others, reduced, and masks: no memory involved.

use super::lower::{Lower, Res};
use super::value::{Idx, Val};
use crate::ptx::{Cmp, Reg, Ty};
use terrace_dialects::vector::KIND;
use terrace_ir::Op;

impl Lower<'_> {
    /// One of the ops here; none for others.
    pub fn vector_shape(&mut self, op: Op, name: &str) -> Option<Res<()>> {
        Some(match name {
            "reduction" => self.reduction_of_lanes(op),
            "from_elements" => self.vector_of_elements(op),
            "to_elements" => self.elements_of_vector(op),
            "transpose" => self.transpose_vector(op),
            "shuffle" => self.shuffle_vectors(op),
            "create_mask" | "constant_mask" => self.mask(op),
            _ => return None,
        })
    }

    /// In the order of the lanes, from the accumulator on.
    fn reduction_of_lanes(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let source = op.operand(ctx, 0);
        let how = op
            .attr(ctx, "kind")
            .and_then(|a| KIND.value(ctx, a))
            .and_then(|v| KIND.keyword(v))
            .ok_or("has no kind")?;
        let kind = self.kind(source)?;
        let lanes = self.lanes(source)?;
        let mut rest = lanes.iter().copied();
        let mut sum = match op.num_operands(ctx) {
            1 => rest.next().ok_or("reduces nothing")?,
            _ => self.scalar(op.operand(ctx, 1))?,
        };
        for lane in rest {
            sum = self.combined(&how, kind, sum, lane)?;
        }
        self.define_reg(op, sum)
    }

    fn vector_of_elements(&mut self, op: Op) -> Res<()> {
        let elements = op.operands(self.ctx);
        let lanes: Res<Vec<Reg>> = elements.into_iter().map(|v| self.scalar(v)).collect();
        self.define_lanes(op, 0, lanes?);
        Ok(())
    }

    fn elements_of_vector(&mut self, op: Op) -> Res<()> {
        let lanes = self.lanes(op.operand(self.ctx, 0))?;
        self.define_all(op, lanes.iter().map(|r| Val::Scalar(*r)).collect())
    }

    fn transpose_vector(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let source = op.operand(ctx, 0);
        let (lanes, from) = (self.lanes(source)?, self.shape(source.ty(ctx)));
        let to = self.shape(op.result(ctx, 0).ty(ctx));
        let permutation = op
            .attr(ctx, "permutation")
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default();
        let mut moved = Vec::with_capacity(lanes.len());
        for lane in 0..lanes.len() {
            let mut rest = lane;
            let mut index = vec![0; from.len()];
            for (n, d) in to.iter().zip(&permutation).rev() {
                let d = usize::try_from(*d).ok().and_then(|d| index.get_mut(d));
                *d.ok_or("has a permutation that is none")? = rest % (*n).max(1);
                rest /= (*n).max(1);
            }
            let at = index.iter().zip(&from).fold(0, |at, (i, n)| at * n + i);
            moved.push(*lanes.get(at).ok_or("has a permutation that is none")?);
        }
        self.define_lanes(op, 0, moved);
        Ok(())
    }

    /// Parts of two vectors along their first dimension.
    fn shuffle_vectors(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let first = self.shape(a.ty(ctx)).first().copied().unwrap_or(1).max(1);
        let lanes = [&self.lanes(a)?[..], &self.lanes(b)?[..]].concat();
        let part = self.lanes(a)?.len() / first;
        let order = op
            .attr(ctx, "mask")
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default();
        let mut moved = Vec::new();
        for i in order {
            // Poison may be anything.
            let start = usize::try_from(i).unwrap_or(0) * part;
            let lanes = lanes.get(start..start + part);
            moved.extend_from_slice(lanes.ok_or("takes lanes that are not there")?);
        }
        self.define_lanes(op, 0, moved);
        Ok(())
    }

    /// Lanes whose place in every dimension is below a number.
    fn mask(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let shape = self.shape(op.result(ctx, 0).ty(ctx));
        let sizes = match op.attr(ctx, "mask_dim_sizes") {
            Some(a) => (a.as_i64_array(ctx).unwrap_or_default().into_iter())
                .map(Idx::Const)
                .collect(),
            None => self.idxs(&op.operands(ctx))?,
        };
        // One predicate for each place of each dimension.
        let mut below: Vec<Vec<Reg>> = Vec::new();
        for (n, size) in shape.iter().zip(&sizes) {
            let size = self.in_register(*size);
            let places = 0..*n as i64;
            below.push(
                places
                    .map(|i| self.b.setp(Cmp::Gt, Ty::S64, size, i))
                    .collect(),
            );
        }
        let mut lanes = Vec::new();
        for lane in 0..shape.iter().product() {
            let mut rest: usize = lane;
            let mut on: Option<Reg> = None;
            for places in below.iter().rev() {
                let here = places[rest % places.len().max(1)];
                rest /= places.len().max(1);
                on = Some(match on {
                    Some(other) => self.b.and(Ty::Pred, other, here),
                    None => here,
                });
            }
            lanes.push(on.ok_or("has no dimensions")?);
        }
        self.define_lanes(op, 0, lanes);
        Ok(())
    }
}
