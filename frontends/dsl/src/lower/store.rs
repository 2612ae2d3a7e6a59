//! What is written, at the place that is computed or at places that are computed.
//!
//! ```text
//! affine.parallel (%i) = (0) to (%n) {
//!   ...
//!   scf.if %inside {
//!     memref.store %x, %a[%place]            // or memref.atomic_rmw addf
//!   } else {
//!     memref.atomic_rmw maxu %said, %fault[0]
//!   }
//! ```
//!
//! Nothing is written beside the array: the kernel says instead which element it was, and whoever
//! called it makes an error of that.

use super::{FILE, Lowering, from_memory, subscripts, to_index, to_memory};
use crate::element::ElementType;
use crate::lower::scalar;
use crate::op::{Fold, Scatter, Within};
use crate::program::{Place, Store};
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::arith::{self, AtomicRmwKind, CmpIOp, CmpIPredicate};
use terrace_dialects::memref::{self, AtomicRmwOp};
use terrace_dialects::scf;
use terrace_ir::affine::AffineMap;
use terrace_ir::{Builder, InsertPoint, Value};

impl Lowering<'_> {
    /// Whether elements go to places in any order.
    pub(super) fn scatters(&self) -> bool {
        let placed = self.program.stores.iter().any(|s| s.place.is_some());
        placed && !self.program.in_order
    }

    /// All loops as one that is parallel. Places differ by promise, or are updated atomically.
    pub(super) fn parallel(&mut self, b: &mut Builder) {
        let rank = self.sizes.len() as u32;
        let from: Vec<AffineMap> = self.sizes.iter().map(|_| AffineMap::constant(0)).collect();
        let to: Vec<AffineMap> = (0..rank)
            .map(|k| AffineMap::new(0, rank, vec![terrace_ir::affine::AffineExpr::symbol(k)]))
            .collect();
        let steps = vec![1; self.sizes.len()];
        let loc = b.loc;
        ParallelOp::build(
            b,
            (&from, &[]),
            (&to, self.sizes),
            &steps,
            &[],
            &[],
            |b, at| {
                self.places = at.to_vec();
                self.stores(b);
                self.places.clear();
                Vec::new()
            },
        );
        b.loc = loc;
    }

    /// Computes all values, and then stores what is to be stored.
    pub(super) fn stores(&mut self, b: &mut Builder) {
        let values = self.values(b);
        for s in &self.program.stores {
            let Some(made) = values[s.value as usize] else {
                continue;
            };
            b.loc = b.ctx.file_loc(FILE, s.value + 1, 1);
            match s.place {
                None => {
                    self.store_here(b, made, (s.slot, s.part));
                }
                Some(p) => {
                    let Some(place) = values[p.value as usize] else {
                        continue;
                    };
                    match p.when.and_then(|w| values[w as usize]) {
                        None => self.scatter(b, s, (place, p), made),
                        Some(when) => {
                            let (_, then, _) = scf::IfOp::build(b, when, &[], false);
                            b.with_point(InsertPoint::End(then), |b| {
                                self.scatter(b, s, (place, p), made);
                                scf::YieldOp::build(b, &[]);
                            });
                        }
                    }
                }
            }
        }
    }

    /// Writes to a place if the array has it, and else says that it has not.
    fn scatter(&self, b: &mut Builder, s: &Store, (place, p): (Value, Place), value: Value) {
        let (array, i1) = (self.arrays[s.slot as usize], b.ctx.i1());
        let place = to_index(b, place);
        if p.within == Within::Sure {
            self.combine_at(b, s, (place, p.scatter), value);
            return;
        }
        let zero = arith::constant_index(b, 0);
        let size = memref::DimOp::build(b, array, zero);
        let above = CmpIOp::build(b, CmpIPredicate::Sge, place, zero);
        let below = CmpIOp::build(b, CmpIPredicate::Slt, place, size);
        let inside = b.value::<arith::AndIOp>(&[above, below], i1, &[]);
        let (_, then, other) = scf::IfOp::build(b, inside, &[], true);
        b.with_point(InsertPoint::End(then), |b| {
            self.combine_at(b, s, (place, p.scatter), value);
            scf::YieldOp::build(b, &[]);
        });
        let Some(other) = other else { return };
        b.with_point(InsertPoint::End(other), |b| {
            self.fault(b);
            scf::YieldOp::build(b, &[]);
        });
    }

    fn combine_at(
        &self,
        b: &mut Builder,
        s: &Store,
        (place, scatter): (Value, Scatter),
        value: Value,
    ) {
        let array = self.arrays[s.slot as usize];
        let memory = self.program.slots[s.slot as usize].ty;
        let at = subscripts(b, &[place], s.part);
        let fold = match scatter {
            Scatter::Unique | Scatter::Distinct => {
                let stored = to_memory(b, value, memory);
                memref::StoreOp::build(b, stored, array, &at);
                return;
            }
            Scatter::Fold(fold) => fold,
        };
        let ty = self.program.values[s.value as usize].ty;
        let (kind, t) = (kind(fold, ty), value.ty(b.ctx));
        if self.program.in_order {
            let before = memref::LoadOp::build(b, array, &at);
            let before = from_memory(b, before, memory);
            let both = kind.combine(b, before, value, t);
            let both = to_memory(b, both, memory);
            memref::StoreOp::build(b, both, array, &at);
            return;
        }
        let kind = b.ctx.i64_attr(kind as i64);
        let operands = [&[value, array], &at[..]].concat();
        b.value::<AtomicRmwOp>(&operands, t, &[("kind", kind)]);
    }

    /// Says that the element has a place beside the array. Of several the first one is kept: its
    /// number is counted down from 2^63.
    fn fault(&self, b: &mut Builder) {
        let Some(fault) = self.program.fault else {
            return;
        };
        let mut number = scalar::constant(b, ElementType::I64, 0);
        let t = number.ty(b.ctx);
        for (place, size) in self.places.iter().zip(self.sizes) {
            let size = b.value::<arith::IndexCastOp>(&[*size], t, &[]);
            let place = b.value::<arith::IndexCastOp>(&[*place], t, &[]);
            number = b.value::<arith::MulIOp>(&[number, size], t, &[]);
            number = b.value::<arith::AddIOp>(&[number, place], t, &[]);
        }
        let last = scalar::constant(b, ElementType::U64, 1 << 63);
        let said = b.value::<arith::SubIOp>(&[last, number], t, &[]);
        let (array, zero) = (self.arrays[fault as usize], arith::constant_index(b, 0));
        let kind = b.ctx.i64_attr(AtomicRmwKind::MaxU as i64);
        b.value::<AtomicRmwOp>(&[said, array, zero], t, &[("kind", kind)]);
    }
}

/// How elements are combined.
fn kind(fold: Fold, ty: ElementType) -> AtomicRmwKind {
    match (fold, ty.is_float(), ty.is_signed()) {
        (Fold::Sum, true, _) => AtomicRmwKind::AddF,
        (Fold::Sum, false, _) => AtomicRmwKind::AddI,
        (Fold::Product, true, _) => AtomicRmwKind::MulF,
        (Fold::Product, false, _) => AtomicRmwKind::MulI,
        (Fold::Min, true, _) => AtomicRmwKind::MinNumF,
        (Fold::Min, false, true) => AtomicRmwKind::MinS,
        (Fold::Min, false, false) => AtomicRmwKind::MinU,
        (Fold::Max, true, _) => AtomicRmwKind::MaxNumF,
        (Fold::Max, false, true) => AtomicRmwKind::MaxS,
        (Fold::Max, false, false) => AtomicRmwKind::MaxU,
        (Fold::All, ..) => AtomicRmwKind::AndI,
        (Fold::Any, ..) => AtomicRmwKind::OrI,
    }
}
