//! A program as a function of affine loops.
//!
//! ```text
//! func.func @assign(%n0: index, %a0: memref<?xf64>, %a1: memref<?xf64>, %p0: f64) {
//!   affine.for %i = 0 to %n0 {
//!     %x = affine.load %a0[%i]
//!     ...
//!     affine.store %r, %a1[%i]
//! ```
//!
//! The function takes the sizes of the loops, where the outermost one begins if it is a part of a
//! longer one, then the arrays, then the numbers. Loops are written
//! in order: that they may run in any order the passes find, as of any program. Loops that write to
//! places which are computed are parallel by promise, or since updates are atomic. An op's location
//! is the number of its value, counted from 1, in the file [`FILE`]: one kernel serves many lines,
//! and who calls it knows which.

mod looped;
mod neighbour;
mod scalar;
mod store;

use crate::element::ElementType;
use crate::op::{Fold, Kept, Part, Within};
use crate::program::{Access, Folded, Layout, Op as ValueOp, Program, Slot};
use rustc_hash::FxHashMap;
use scalar::{constant, number_type};
use smallvec::SmallVec;
use terrace_dialects::affine::{ForOp, LoadOp, StoreOp};
use terrace_dialects::arith::{self, SelectOp, fastmath};
use terrace_dialects::{builtin, func, memref};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{
    AttrData, Builder, Context, InsertPoint, Loc, Op, OpKind, OpState, Type, TypeData, Value,
};

/// The file that locations of kernels name; its lines are the values of the program.
pub const FILE: &str = "expression";

/// The name of the function that is made of a program.
pub fn function_name(program: &Program) -> &'static str {
    match program.folds.is_empty() {
        true => "assign",
        false => "reduce",
    }
}

/// The program as a module of one function.
pub fn lower(ctx: &mut Context, program: &Program) -> Op {
    let module = OpState::new(builtin::ModuleOp::DEF, Loc::Unknown).regions(1);
    let module = module.create(ctx);
    let body = module.region(ctx, 0).add_block(ctx, &[]);
    let loc = ctx.file_loc(FILE, 1, 1);
    let leading = program.rank + usize::from(program.part);
    let mut inputs = vec![ctx.index(); leading];
    let arrays: Vec<Type> = program.slots.iter().map(|s| array_type(ctx, s)).collect();
    inputs.extend(&arrays);
    inputs.extend(program.parameters.iter().map(|t| number_type(ctx, *t)));
    let mut b = Builder::at_end(ctx, body, loc);
    let (_, entry) = func::FuncOp::build(&mut b, function_name(program), &inputs, &[]);
    b.at = InsertPoint::End(entry);
    let args = entry.args(b.ctx);
    let (leading, rest) = args.split_at(leading);
    let (sizes, first) = leading.split_at(program.rank);
    let (arrays, parameters) = rest.split_at(arrays.len());
    let counts = looped::counts(&mut b, program, parameters);
    let mut l = Lowering {
        program,
        first: first.first().copied(),
        around: program.loops_around(),
        counts,
        sizes,
        arrays,
        parameters,
        places: Vec::new(),
    };
    l.loops(&mut b);
    b.loc = loc;
    func::ReturnOp::build(&mut b, &[]);
    module
}

/// How an array is passed.
fn array_type(ctx: &Context, slot: &Slot) -> Type {
    let elem = memory_type(ctx, slot.ty);
    let parts = slot.ty.parts() as i64;
    let mut shape = vec![DYNAMIC; slot.rank];
    // The parts of a complex number lie side by side, along an axis of their own.
    shape.extend((parts > 1).then_some(parts));
    let layout = (slot.layout != Layout::Contiguous).then(|| {
        let mut strides = vec![parts; slot.rank];
        strides[..slot.layout.open_strides(slot.rank)].fill(DYNAMIC);
        strides.extend((parts > 1).then_some(1));
        ctx.attr(AttrData::Strided { strides, offset: 0 })
    });
    ctx.ty(TypeData::MemRef {
        shape,
        elem,
        layout,
        space: None,
    })
}

/// The type of an element in memory: a `bool` is a byte.
fn memory_type(ctx: &Context, ty: ElementType) -> Type {
    match ty {
        ElementType::Bool => ctx.int(8),
        ty => number_type(ctx, ty),
    }
}

struct Lowering<'p> {
    program: &'p Program,
    /// Where the outermost loop begins in a longer one.
    first: Option<Value>,
    /// The loops that each value is inside of.
    around: Vec<SmallVec<[u32; 2]>>,
    /// Parameters that are numbers of iterations, as such.
    counts: FxHashMap<u32, Value>,
    /// The numbers of iterations.
    sizes: &'p [Value],
    arrays: &'p [Value],
    parameters: &'p [Value],
    /// The counters of the loops around.
    places: Vec<Value>,
}

impl Lowering<'_> {
    /// The loops, from the one after those that are there.
    fn loops(&mut self, b: &mut Builder) {
        let p = self.program;
        let depth = self.places.len();
        if depth == 0 && p.rank > 0 && self.scatters() {
            self.parallel(b);
            return;
        }
        if depth < p.kept {
            let size = self.sizes[depth];
            counted(b, size, &[], |b, place, _| {
                self.places.push(place);
                self.loops(b);
                self.places.pop();
                Vec::new()
            });
            return;
        }
        if p.folds.is_empty() {
            self.stores(b);
            return;
        }
        let starts: Vec<Value> = (p.folds.iter())
            .map(|f| first(b, f.fold, p.values[f.value as usize].ty))
            .collect();
        let results = self.folds(b, &starts);
        for (f, result) in p.folds.iter().zip(results) {
            if f.keeps != Kept::Last {
                continue;
            }
            let slot = &p.slots[f.slot as usize];
            let result = to_memory(b, result, slot.ty);
            let array = self.arrays[f.slot as usize];
            let rank = self.places.len() as u32;
            let at = match self.places.is_empty() {
                true => vec![AffineExpr::constant(0)],
                false => (0..rank).map(AffineExpr::dim).collect(),
            };
            let at = AffineMap::new(rank, 0, with_part(at, f.part));
            StoreOp::build(b, result, array, at, &self.places);
        }
    }

    /// The loops that fold, which hand on what was folded so far.
    fn folds(&mut self, b: &mut Builder, so_far: &[Value]) -> Vec<Value> {
        let depth = self.places.len();
        if depth < self.program.rank {
            let size = self.sizes[depth];
            let made = counted(b, size, so_far, |b, place, carried| {
                self.places.push(place);
                let next = self.folds(b, carried);
                self.places.pop();
                next
            });
            return made;
        }
        let values = self.values(b);
        let mut all = Vec::with_capacity(so_far.len());
        for (f, so_far) in self.program.folds.iter().zip(so_far) {
            let anew = f.anew.and_then(|a| values[a as usize]);
            let mut before = *so_far;
            if let (Some(anew), Kept::Exclusive) = (anew, f.keeps) {
                let nothing = first(b, f.fold, self.program.values[f.value as usize].ty);
                before = SelectOp::build(b, anew, nothing, before);
            }
            let next = match values[f.value as usize] {
                Some(value) => self.next(b, f, (before, value), anew),
                None => before,
            };
            let kept = match f.keeps {
                Kept::Last => None,
                Kept::Inclusive => Some(next),
                Kept::Exclusive => Some(before),
            };
            if let Some(kept) = kept {
                self.store_here(b, kept, (f.slot, f.part));
            }
            all.push(next);
        }
        all
    }

    /// What was folded so far with one more element, or from that one on.
    fn next(
        &self,
        b: &mut Builder,
        f: &Folded,
        (so_far, value): (Value, Value),
        anew: Option<Value>,
    ) -> Value {
        let both = self.combine(b, f, so_far, value);
        match anew {
            // What begins anew began before the element.
            Some(anew) if f.keeps != Kept::Exclusive => {
                let alone = match f.fold {
                    Fold::All | Fold::Any => {
                        let t = so_far.ty(b.ctx);
                        b.value::<arith::ExtUIOp>(&[value], t, &[])
                    }
                    _ => value,
                };
                SelectOp::build(b, anew, alone, both)
            }
            _ => both,
        }
    }

    fn combine(&self, b: &mut Builder, f: &Folded, so_far: Value, value: Value) -> Value {
        let ty = self.program.values[f.value as usize].ty;
        let t = so_far.ty(b.ctx);
        let flags = match f.in_order {
            true => Vec::new(),
            false => vec![("fastmath", arith::FASTMATH.attr(b.ctx, fastmath::REASSOC))],
        };
        let both = [so_far, value];
        match (f.fold, ty) {
            (Fold::Sum, ty) if ty.is_float() => b.value::<arith::AddFOp>(&both, t, &flags),
            (Fold::Sum, _) => b.value::<arith::AddIOp>(&both, t, &[]),
            (Fold::Product, ty) if ty.is_float() => b.value::<arith::MulFOp>(&both, t, &flags),
            (Fold::Product, _) => b.value::<arith::MulIOp>(&both, t, &[]),
            (Fold::Min, ty) => scalar::least(b, ty, so_far, value),
            (Fold::Max, ty) => scalar::greatest(b, ty, so_far, value),
            (Fold::All | Fold::Any, _) => {
                let wide = b.value::<arith::ExtUIOp>(&[value], t, &[]);
                match f.fold {
                    Fold::All => b.value::<arith::AndIOp>(&[so_far, wide], t, &[]),
                    _ => b.value::<arith::OrIOp>(&[so_far, wide], t, &[]),
                }
            }
        }
    }

    /// All values; none of those inside of loops that are over.
    fn values(&self, b: &mut Builder) -> Vec<Option<Value>> {
        let mut values = vec![None; self.program.values.len()];
        self.inside(b, &[], &mut values);
        values
    }

    /// Computes the values that are inside of just these loops, the innermost last, where those
    /// outside are there.
    fn inside(&self, b: &mut Builder, open: &[u32], values: &mut [Option<Value>]) {
        for k in 0..values.len() {
            let around = &self.around[k];
            let here = match open.last() {
                None => around.is_empty(),
                Some(l) => around.contains(l) && around.iter().all(|a| open.contains(a)),
            };
            if !here || values[k].is_some() {
                continue;
            }
            b.loc = b.ctx.file_loc(FILE, k as u32 + 1, 1);
            let v = &self.program.values[k];
            match v.op {
                ValueOp::Loop(l) => self.looped(b, k, l, open, values),
                // What the loop gives was put in the place of its first result.
                ValueOp::Result(n) => {
                    let at = v.operands[0] as usize;
                    let last = values[at].and_then(Value::def_op);
                    values[k] = last.map(|op| op.result(b.ctx, n as usize));
                }
                ValueOp::Carried(..) | ValueOp::Counter(_) => {}
                _ => {
                    let operands: Option<Vec<_>> = (v.operands.iter())
                        .map(|o| {
                            let o = *o as usize;
                            values[o].map(|x| (x, self.program.values[o].ty))
                        })
                        .collect();
                    let made = operands.map(|operands| self.value(b, k, &operands));
                    values[k] = made;
                }
            }
        }
    }

    fn value(&self, b: &mut Builder, k: usize, operands: &[(Value, ElementType)]) -> Value {
        let v = &self.program.values[k];
        let operand = |i: usize| operands[i];
        match v.op {
            ValueOp::Load(access) => self.load(b, &self.program.accesses[access as usize]),
            ValueOp::Gather(slot, part, within) => {
                let (slot, place) = (slot as usize, operand(0).0);
                let (array, ty) = (self.arrays[slot], self.program.slots[slot].ty);
                let mut place = to_index(b, place);
                if within == Within::Nearest {
                    let zero = arith::constant_index(b, 0);
                    let count = memref::DimOp::build(b, array, zero);
                    place = neighbour::nearest(b, place, count);
                }
                let at = subscripts(b, &[place], part);
                let loaded = memref::LoadOp::build(b, array, &at);
                from_memory(b, loaded, ty)
            }
            ValueOp::Parameter(n) => self.parameters[n as usize],
            ValueOp::Index(axis) => {
                let (t, index) = (number_type(b.ctx, v.ty), b.ctx.index());
                let mut place = self.places[axis as usize];
                if let (0, Some(first)) = (axis, self.first) {
                    place = b.value::<arith::AddIOp>(&[place, first], index, &[]);
                }
                b.value::<arith::IndexCastOp>(&[place], t, &[])
            }
            ValueOp::Unary(op) => scalar::unary(b, op, operand(0).1, operand(0).0),
            ValueOp::Binary(op) => scalar::binary(b, op, operand(0).1, operand(0).0, operand(1).0),
            ValueOp::Compare(op) => {
                scalar::compare(b, op, operand(0).1, operand(0).0, operand(1).0)
            }
            ValueOp::Select => SelectOp::build(b, operand(0).0, operand(1).0, operand(2).0),
            ValueOp::MulAdd => scalar::mul_add(b, [operand(0).0, operand(1).0, operand(2).0]),
            ValueOp::Cast => scalar::cast(b, operand(0).0, operand(0).1, v.ty),
            ValueOp::Narrow(to) => scalar::narrow(b, operand(0).0, operand(0).1, to),
            ValueOp::Constant(bits) => constant(b, v.ty, bits),
            ValueOp::Reinterpret => scalar::reinterpret(b, operand(0).0, v.ty),
            ValueOp::Carried(..) | ValueOp::Counter(_) | ValueOp::Loop(_) | ValueOp::Result(_) => {
                operand(0).0
            }
        }
    }

    fn load(&self, b: &mut Builder, access: &Access) -> Value {
        let (array, ty) = {
            let slot = access.slot as usize;
            (self.arrays[slot], self.program.slots[slot].ty)
        };
        let Some((offsets, edge)) = &access.neighbour else {
            let at = match self.program.slots[access.slot as usize].rank {
                0 => &[],
                _ => &self.places[..],
            };
            let loaded = LoadOp::build(b, array, here(at.len(), access.part), at);
            return from_memory(b, loaded, ty);
        };
        self.neighbour(b, (array, ty, access.part), offsets, *edge)
    }

    /// Stores a value in the element of an array at the place that is computed.
    fn store_here(&self, b: &mut Builder, value: Value, (slot, part): (u32, Part)) {
        let slot = slot as usize;
        let value = to_memory(b, value, self.program.slots[slot].ty);
        let at = here(self.places.len(), part);
        StoreOp::build(b, value, self.arrays[slot], at, &self.places);
    }
}

/// The place that is computed, of a part of an element.
fn here(rank: usize, part: Part) -> AffineMap {
    let rank = rank as u32;
    let at = (0..rank).map(AffineExpr::dim).collect();
    AffineMap::new(rank, 0, with_part(at, part))
}

/// Subscripts of an element with that of a part of it.
fn with_part(mut at: Vec<AffineExpr>, part: Part) -> Vec<AffineExpr> {
    if part != Part::Whole {
        at.push(AffineExpr::constant(part.place() as i64));
    }
    at
}

/// The same of subscripts that are computed.
fn subscripts(b: &mut Builder, at: &[Value], part: Part) -> Vec<Value> {
    let mut at = at.to_vec();
    if part != Part::Whole {
        at.push(arith::constant_index(b, part.place() as i64));
    }
    at
}

/// A number as a subscript. One that was made of a subscript is that subscript.
fn to_index(b: &mut Builder, v: Value) -> Value {
    let index = b.ctx.index();
    if v.ty(b.ctx) == b.ctx.int(64)
        && let Some(cast) = v.def_op().filter(|op| op.isa::<arith::IndexCastOp>(b.ctx))
        && cast.operand(b.ctx, 0).ty(b.ctx) == index
    {
        return cast.operand(b.ctx, 0);
    }
    b.value::<arith::IndexCastOp>(&[v], index, &[])
}

/// A loop that counts up to `size` and hands values on.
fn counted(
    b: &mut Builder,
    size: Value,
    carried: &[Value],
    body: impl FnOnce(&mut Builder, Value, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let (from, to) = (AffineMap::constant(0), AffineMap::symbol_identity());
    let loc = b.loc;
    let made = ForOp::build(b, (from, &[]), (to, &[size]), 1, carried, body);
    b.loc = loc;
    let op = made.op();
    (0..carried.len()).map(|k| op.result(b.ctx, k)).collect()
}

/// What a fold begins with.
fn first(b: &mut Builder, fold: Fold, ty: ElementType) -> Value {
    match fold {
        Fold::All | Fold::Any => {
            let t = b.ctx.i32();
            arith::constant_int(b, i64::from(fold == Fold::All), t)
        }
        // Of no elements it is 0, whose sign is none.
        Fold::Sum => constant(b, ty, 0),
        fold => constant(b, ty, fold.identity(ty)),
    }
}

fn from_memory(b: &mut Builder, v: Value, ty: ElementType) -> Value {
    match ty {
        ElementType::Bool => scalar::is_not_zero(b, v),
        ty if ty.is_half() => scalar::wide(b, v),
        _ => v,
    }
}

fn to_memory(b: &mut Builder, v: Value, ty: ElementType) -> Value {
    let byte = b.ctx.int(8);
    match (ty, v.ty(b.ctx).int_width(b.ctx)) {
        (ElementType::Bool, Some(1)) => b.value::<arith::ExtUIOp>(&[v], byte, &[]),
        (ElementType::Bool, _) => b.value::<arith::TruncIOp>(&[v], byte, &[]),
        (ty, _) if ty.is_half() => {
            let t = number_type(b.ctx, ty);
            b.value::<arith::TruncFOp>(&[v], t, &[])
        }
        _ => v,
    }
}
