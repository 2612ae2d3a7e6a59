//! Loads and stores of tiles: those of a thread's registers.

use super::Unable;
use super::body::Body;
use super::conditions::Conditions;
use super::hazards::Touch;
use super::limits::Limits;
use super::place::{is_first_holder, thread_digits};
use super::registers::{Registers, coordinates};
use crate::analysis::memref_region::element_bytes;
use crate::loops::build::index::add_constant;
use crate::lower::expand::expand_expr;
use terrace_dialects::arith;
use terrace_dialects::tile::{Bound, LoadOp, StoreOp, TileAccess};
use terrace_dialects::{memref, scf, vector};
use terrace_ir::affine::{AffineExpr, flatten};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};
use terrace_layout::{Layout, Resource};

/// The widest access in bytes.
const WIDEST: i64 = 16;

/// What an access of a tile touches, and which threads touch which of its elements.
///
/// Where several threads hold the same elements, all of them load and one stores.
pub(super) fn touch(ctx: &Context, op: Op, a: &TileAccess, layout: &Layout, threads: i64) -> Touch {
    let digits = thread_digits(layout);
    let copies = digits.iter().any(|d| d.is_copies())
        || digits.iter().map(|d| d.radix).product::<i64>() < threads;
    let map = &a.map;
    Touch {
        memref: a.memref,
        writes: op.isa::<StoreOp>(ctx),
        who: (!copies).then(|| format!("{map:?} {:?} {layout}", a.operands)),
    }
}

/// Registers that one access moves: from which one on, and how many.
pub(super) struct Group {
    pub first: usize,
    pub width: usize,
}

impl Body<'_> {
    pub(super) fn load(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let a = self.access_of(b.ctx, op)?;
        let layout = self.layouts.of(b.ctx, op)?;
        let mask = self.mask_of(b, op, &a, &layout)?;
        self.wait(b, &[touch(b.ctx, op, &a, &layout, self.threads)]);
        let elem = a.memref.ty(b.ctx).element_or_self(b.ctx);
        let pad = LoadOp::wrap(op).pad(b.ctx).map(|v| self.scalar(v));
        let place = self.place(b, &layout);
        let subscripts = Subscripts::new(b, op, &a, &place)?;
        let limits = Limits::new(b, &place, &a.bounds, &layout);
        let mut all = Vec::new();
        for g in groups(b.ctx, &a, &layout) {
            let at = coordinates(&layout, g.first);
            let inside = limits.hold(b, &at);
            let when = Conditions::new(inside, mask.as_ref(), &g);
            let values = when.guard(b, g.width, pad, |b, i, n| {
                let at = coordinates(&layout, g.first + i);
                subscripts.load(b, &a, elem, &at, n)
            })?;
            all.extend(values);
        }
        self.tiles
            .insert(op.result(b.ctx, 0), Registers::Each(all, layout));
        Ok(())
    }

    pub(super) fn store(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let a = self.access_of(b.ctx, op)?;
        let value = self.registers(b, op, StoreOp::wrap(op).value(b.ctx))?;
        // Where all elements are the same, any layout will do: that of the op.
        let layout = match value.layout() {
            Some(l) => l.clone(),
            None => self.layouts.of(b.ctx, op)?,
        };
        let mask = self.mask_of(b, op, &a, &layout)?;
        self.wait(b, &[touch(b.ctx, op, &a, &layout, self.threads)]);
        let place = self.place(b, &layout);
        let subscripts = Subscripts::new(b, op, &a, &place)?;
        let limits = Limits::new(b, &place, &a.bounds, &layout);
        let first = is_first_holder(b, &layout, self.thread, self.threads);
        let write = |b: &mut Builder| -> Result<(), Unable> {
            for g in groups(b.ctx, &a, &layout) {
                let at = coordinates(&layout, g.first);
                let own: Option<Vec<Value>> =
                    (g.first..g.first + g.width).map(|i| value.at(i)).collect();
                let own = own.ok_or_else(|| {
                    Unable::new(op, "stores a tile that has fewer registers than its layout")
                })?;
                let inside = limits.hold(b, &at);
                let when = Conditions::new(inside, mask.as_ref(), &g);
                when.guard(b, g.width, None, |b, i, n| {
                    let at = coordinates(&layout, g.first + i);
                    subscripts.store(b, &a, &at, &own[i..i + n])?;
                    Ok(Vec::new())
                })?;
            }
            Ok(())
        };
        let Some(first) = first else {
            return write(b);
        };
        let (_, then, _) = scf::IfOp::build(b, first, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            write(b)?;
            scf::YieldOp::build(b, &[]);
            Ok(())
        })
    }

    /// The access with what its operands are in the kernel.
    fn access_of(&self, ctx: &Context, op: Op) -> Result<TileAccess, Unable> {
        let mut a = TileAccess::of(ctx, op).ok_or_else(|| Unable::new(op, "is no access"))?;
        a.memref = self.scalar(a.memref);
        a.operands = a.operands.iter().map(|v| self.scalar(*v)).collect();
        a.bounds = a.bounds.iter().map(|b| self.bound(*b)).collect();
        Ok(a)
    }

    pub(super) fn bound(&self, b: Bound) -> Bound {
        Bound {
            lower: b.lower.map(|v| self.scalar(v)),
            upper: b.upper.map(|v| self.scalar(v)),
        }
    }

    pub(super) fn mask(&mut self, b: &mut Builder, op: Op, bounds: &[Bound]) -> Result<(), Unable> {
        let layout = self.layouts.of(b.ctx, op)?;
        let bounds: Vec<Bound> = bounds.iter().map(|x| self.bound(*x)).collect();
        let place = self.place(b, &layout);
        let limits = Limits::new(b, &place, &bounds, &layout);
        let all: Vec<Value> = (0..layout.size(Resource::Reg))
            .map(|i| {
                let at = coordinates(&layout, i);
                let inside = limits.hold(b, &at);
                inside.unwrap_or_else(|| arith::constant_bool(b, true))
            })
            .collect();
        self.tiles
            .insert(op.result(b.ctx, 0), Registers::Each(all, layout));
        Ok(())
    }
}

/// The dimension of the tile along which memory is adjacent, where there is one.
fn fastest(a: &TileAccess) -> Option<usize> {
    let last = a.map.results().last()?;
    let rank = a.map.num_dims() as usize;
    let coefficients = linear(last, a)?;
    let others = &a.map.results()[..a.map.num_results() - 1];
    let only = |d: usize| {
        others
            .iter()
            .all(|e| linear(e, a).is_some_and(|c| c[d] == 0))
    };
    let along: Vec<usize> = (0..rank).filter(|d| coefficients[*d] != 0).collect();
    match along[..] {
        [d] if coefficients[d] == 1 && only(d) => Some(d),
        _ => None,
    }
}

/// What an expression moves by along each dimension; `None` where it does not do so evenly.
fn linear(e: &AffineExpr, a: &TileAccess) -> Option<Vec<i64>> {
    let (rank, symbols) = (a.map.num_dims(), a.map.num_symbols());
    let form = flatten(e, rank, symbols).ok().filter(|f| f.is_linear())?;
    Some((0..rank).map(|d| form.dim_coefficient(d)).collect())
}

/// Which registers are moved together: those that are adjacent in memory, as far as what is
/// promised of alignment and bounds reaches.
fn groups(ctx: &Context, a: &TileAccess, layout: &Layout) -> Vec<Group> {
    let count = layout.size(Resource::Reg);
    let width = width(ctx, a, layout).unwrap_or(1);
    (0..count)
        .step_by(width)
        .map(|first| Group { first, width })
        .collect()
}

fn width(ctx: &Context, a: &TileAccess, layout: &Layout) -> Option<usize> {
    let d = fastest(a)?;
    let first = layout.digits(Resource::Reg).first()?;
    let adjacent = first
        .step
        .iter()
        .enumerate()
        .all(|(i, s)| *s == i64::from(i == d));
    if !adjacent {
        return None;
    }
    let elem = a.memref.ty(ctx).element_or_self(ctx);
    let bytes = element_bytes(ctx, elem).unwrap_or(8);
    let whole = |v: Option<Value>, n: i64| match v.map(|v| ctx.constant_int(v)) {
        None => true,
        Some(Some(c)) => c % n == 0,
        Some(None) => a.granule > 0 && a.granule % n == 0,
    };
    let fits = |n: &i64| {
        first.radix % n == 0
            && n * bytes <= WIDEST
            && a.alignment % (n * bytes) == 0
            && a.alignment > 0
            && whole(a.bounds[d].lower, *n)
            && whole(a.bounds[d].upper, *n)
    };
    [16, 8, 4, 2].into_iter().find(fits).map(|n| n as usize)
}

/// Subscripts of the thread's first element, and how they move with its registers.
struct Subscripts {
    /// For each subscript: its value at the thread's place and what it moves by along each
    /// dimension of the tile; `None` where it does not move evenly.
    all: Vec<(Option<(Value, Vec<i64>)>, AffineExpr)>,
    place: Vec<Value>,
    op: Op,
}

impl Subscripts {
    fn new(b: &mut Builder, op: Op, a: &TileAccess, place: &[Value]) -> Result<Subscripts, Unable> {
        let mut all = Vec::new();
        for e in a.map.results() {
            let even = match linear(e, a) {
                Some(moves) => {
                    let v =
                        expand_expr(b, e, place, &a.operands).map_err(|m| Unable::new(op, m))?;
                    Some((v, moves))
                }
                None => None,
            };
            all.push((even, e.clone()));
        }
        Ok(Subscripts {
            all,
            place: place.to_vec(),
            op,
        })
    }

    fn at(&self, b: &mut Builder, a: &TileAccess, at: &[i64]) -> Result<Vec<Value>, Unable> {
        let mut out = Vec::new();
        for (even, e) in &self.all {
            out.push(match even {
                Some((v, moves)) => {
                    let by: i64 = moves.iter().zip(at).map(|(m, c)| m * c).sum();
                    add_constant(b, *v, by)
                }
                None => {
                    let dims: Vec<Value> = (self.place.iter().zip(at))
                        .map(|(v, c)| add_constant(b, *v, *c))
                        .collect();
                    expand_expr(b, e, &dims, &a.operands).map_err(|m| Unable::new(self.op, m))?
                }
            });
        }
        Ok(out)
    }

    fn load(
        &self,
        b: &mut Builder,
        a: &TileAccess,
        elem: Type,
        at: &[i64],
        width: usize,
    ) -> Result<Vec<Value>, Unable> {
        let indices = self.at(b, a, at)?;
        if width == 1 {
            return Ok(vec![memref::LoadOp::build(b, a.memref, &indices)]);
        }
        let ty = b.ctx.vector(&[width as i64], elem);
        let v = vector::LoadOp::build(b, ty, a.memref, &indices);
        if let Some(op) = v.def_op() {
            promise(b.ctx, op, a.alignment);
        }
        Ok((0..width).map(|i| extract(b, v, i)).collect())
    }

    fn store(
        &self,
        b: &mut Builder,
        a: &TileAccess,
        at: &[i64],
        own: &[Value],
    ) -> Result<(), Unable> {
        let indices = self.at(b, a, at)?;
        if let [v] = own {
            memref::StoreOp::build(b, *v, a.memref, &indices);
            return Ok(());
        }
        let v = from_elements(b, own);
        let op = vector::StoreOp::build(b, v, a.memref, &indices);
        promise(b.ctx, op, a.alignment);
        Ok(())
    }
}

fn promise(ctx: &Context, op: Op, bytes: i64) {
    let bytes = ctx.i64_attr(bytes);
    op.set_attr(ctx, "alignment", bytes);
}

/// Element `i` of a short vector.
pub(super) fn extract(b: &mut Builder, v: Value, i: usize) -> Value {
    vector::ExtractOp::build(b, v, &[i as i64])
}

/// A short vector of these elements.
pub(super) fn from_elements(b: &mut Builder, own: &[Value]) -> Value {
    let elem = own[0].ty(b.ctx);
    let ty = b.ctx.vector(&[own.len() as i64], elem);
    b.value::<vector::FromElementsOp>(own, ty, &[])
}
