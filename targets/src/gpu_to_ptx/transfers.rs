//! `vector.transfer_read` and `vector.transfer_write` on memrefs.

use super::access::writable;
use super::lower::{Lower, Res};
use super::value::{Idx, MemRef};
use super::wide::Hints;
use crate::ptx::{Cmp, FuncBuilder, Op as Opcode, Operand, Reg, Ty};
use std::rc::Rc;
use terrace_dialects::vector::{TransferReadOp, TransferWriteOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Op, Value};

/// What is moved, and where.
struct Transfer {
    m: Rc<MemRef>,
    at: Vec<Idx>,
    /// Sizes of the vector.
    shape: Vec<usize>,
    /// The dimension of the memref that each of the vector follows; none where
    /// it repeats what lies at the index.
    dims: Vec<Option<usize>>,
    /// The dimensions of the memref whose indices must be looked at.
    checked: Vec<usize>,
    mask: Option<Rc<[Reg]>>,
}

impl Transfer {
    /// The place of a lane in each dimension of the vector.
    fn places(&self, lane: usize) -> Vec<usize> {
        let mut rest = lane;
        let mut at = vec![0; self.shape.len()];
        for (i, n) in at.iter_mut().zip(&self.shape).rev() {
            *i = rest % (*n).max(1);
            rest /= (*n).max(1);
        }
        at
    }

    /// The lane of the mask, which has the dimensions in the memref's order.
    fn masked(&self, places: &[usize]) -> usize {
        let mut order: Vec<(usize, usize)> = (self.dims.iter().enumerate())
            .filter_map(|(k, d)| d.map(|d| (d, k)))
            .collect();
        order.sort_unstable();
        order
            .iter()
            .fold(0, |n, (_, k)| n * self.shape[*k] + places[*k])
    }

    /// Whether rows of the vector are rows of the memref, all of which may be
    /// touched.
    fn is_plain(&self) -> bool {
        let lead = self.m.sizes.len().checked_sub(self.dims.len());
        let straight =
            |lead: usize| (self.dims.iter().enumerate()).all(|(k, d)| *d == Some(lead + k));
        self.checked.is_empty()
            && self.mask.is_none()
            && self.m.strides.last() == Some(&Idx::Const(1))
            && lead.is_some_and(straight)
    }
}

impl Lower<'_> {
    fn transfer(
        &mut self,
        vector: Value,
        base: Option<Value>,
        indices: &[Value],
        mask: Option<Value>,
        map: Option<&AffineMap>,
        in_bounds: &[bool],
    ) -> Res<Transfer> {
        let base = base.ok_or("lacks a memref")?;
        if !base.ty(self.ctx).is_memref(self.ctx) {
            return Err("moves part of a tensor; memrefs are supported".to_string());
        }
        let m = self.memref_val(base)?;
        if m.lanes > 1 {
            return Err(
                "moves part of a memref of vectors; memrefs of scalars are supported".into(),
            );
        }
        let shape = self.shape(vector.ty(self.ctx));
        let map = map.ok_or("lacks a permutation map")?;
        let mut dims = Vec::new();
        for e in map.results() {
            dims.push(match e {
                AffineExpr::Dim(d) => Some(*d as usize),
                AffineExpr::Constant(0) => None,
                _ => return Err("has a permutation map that is none".to_string()),
            });
        }
        let at = self.idxs(indices)?;
        let fits = dims.iter().flatten().all(|d| *d < at.len());
        if dims.len() != shape.len() || at.len() != m.sizes.len() || !fits {
            return Err("has a permutation map that does not fit its operands".to_string());
        }
        let inside = |k: usize| in_bounds.get(k).copied().unwrap_or(false);
        let checked = (dims.iter().enumerate())
            .filter_map(|(k, d)| d.filter(|_| !inside(k)))
            .collect();
        let mask = mask.map(|v| self.lanes(v)).transpose()?;
        Ok(Transfer {
            m,
            at,
            shape,
            dims,
            checked,
            mask,
        })
    }

    /// The indices of a lane, and whether it is to be moved (none: always).
    fn transferred(&mut self, t: &Transfer, lane: usize) -> Res<(Vec<Idx>, Option<Reg>)> {
        let places = t.places(lane);
        let mut here = t.at.clone();
        for (d, i) in t.dims.iter().zip(&places) {
            if let Some(d) = d {
                here[*d] = self.add_idx(here[*d], Idx::Const(*i as i64));
            }
        }
        let mut guard = match &t.mask {
            Some(mask) => {
                let on = mask.get(t.masked(&places));
                Some(*on.ok_or("has a mask of too few elements")?)
            }
            None => None,
        };
        for d in &t.checked {
            // As an unsigned number a negative index is too large.
            let (i, size) = (self.in_register(here[*d]), t.m.sizes[*d]);
            let inside = self.b.setp(Cmp::Lt, Ty::U64, i, size.operand());
            guard = Some(match guard {
                Some(other) => self.b.and(Ty::Pred, other, inside),
                None => inside,
            });
        }
        Ok((here, guard))
    }

    pub fn transfer_read(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let read = op.cast::<TransferReadOp>(ctx).ok_or("is not one")?;
        let t = self.transfer(
            op.result(ctx, 0),
            read.base(ctx),
            &read.indices(ctx),
            read.mask(ctx),
            read.permutation_map(ctx),
            &read.in_bounds(ctx),
        )?;
        if t.is_plain() {
            let lanes = self.load_rows(op, &t.m, &t.at, &t.shape)?;
            self.define_lanes(op, 0, lanes);
            return Ok(());
        }
        let padding = self.scalar(read.padding(ctx).ok_or("lacks a padding value")?)?;
        let mut lanes = Vec::new();
        for lane in 0..t.shape.iter().product() {
            let (here, guard) = self.transferred(&t, lane)?;
            let address = self.address(&t.m, &here)?;
            let Some(guard) = guard else {
                let hints = self.hints(op, &t.m, &here);
                lanes.extend(self.load_lanes(&t.m, address, 1, hints));
                continue;
            };
            let memory = t.m.elem.memory();
            let raw = self.b.reg(memory.reg());
            let outside = self.storable(t.m.elem, padding);
            self.copy_all(&[(raw, outside)]);
            let mods = FuncBuilder::cached(t.m.space, Default::default());
            self.b.guarded(guard, false, |b| {
                b.value_to(raw, Opcode::Ld, mods, &[memory], [Operand::Addr(address)]);
            });
            // The padding is a value already; what is loaded is made one.
            lanes.push(self.loaded(t.m.elem, raw));
        }
        self.define_lanes(op, 0, lanes);
        Ok(())
    }

    pub fn transfer_write(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let write = op.cast::<TransferWriteOp>(ctx).ok_or("is not one")?;
        let value = write.value(ctx);
        let t = self.transfer(
            value,
            write.base(ctx),
            &write.indices(ctx),
            write.mask(ctx),
            write.permutation_map(ctx),
            &write.in_bounds(ctx),
        )?;
        writable(&t.m)?;
        let given = self.lanes(value)?;
        if t.is_plain() {
            return self.store_rows(op, &t.m, &t.at, &t.shape, &given);
        }
        for (lane, r) in given.iter().enumerate() {
            let (here, guard) = self.transferred(&t, lane)?;
            let address = self.address(&t.m, &here)?;
            let raw = self.storable(t.m.elem, *r);
            let hints = Hints {
                align: self.alignment(&t.m, &here),
                nontemporal: false,
            };
            match guard {
                None => self.store_lanes(&t.m, address, &[*r], hints),
                Some(guard) => {
                    let (space, memory) = (t.m.space, t.m.elem.memory());
                    self.b
                        .guarded(guard, false, |b| b.st(space, memory, address, raw));
                }
            }
        }
        Ok(())
    }
}
