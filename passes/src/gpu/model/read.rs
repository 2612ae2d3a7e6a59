//! A nest of affine loops as numbers.
//!
//! Read are `affine.parallel` and what stands in it: affine loops and conditions, accesses
//! at affine subscripts, and arithmetic. What has no constant value needs one given
//! ([`Options::sizes`]). Counters of loops around the nest, which are sequential and launch
//! it again and again, have the value in their middle.
//!
//! Accesses are counted as the compiler makes them, which `moves` knows.

use super::moves;
use super::nest::{Affine, Array, Guard, Loop, Nest, Reference, Space, Upper, Work};
use crate::analysis::memory::{argument_has, base};
use crate::analysis::region::element_bytes;
use crate::offload::source;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use terrace_dialects::affine::{self, Access, AccessKind, scope};
use terrace_dialects::gpu::is_workgroup_space;
use terrace_dialects::memref::layout::{row_major_strides, strides_and_offset};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::effects::is_pure;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, OpKind, TypeData, Value};

/// What is known beside the program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values of index arguments by name (`N`, or `arg0`), and sizes of dynamic dimensions
    /// (`A.0` for the first dimension of `A`).
    pub sizes: Vec<(String, i64)>,
    /// Count accesses as they stand, every time.
    pub as_written: bool,
    /// What values are taken to be that do not change in the nest and are not known; without
    /// it they are refused.
    pub assume: Option<i64>,
    /// Arrays whose outermost dimension has no known size are taken to be as large as what
    /// is accessed: no address depends on it.
    pub endless: bool,
}

/// Why a nest cannot be read, and where.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub op: Op,
    pub message: String,
}

/// How deep loops and conditions are followed.
const MAX_DEPTH: usize = 48;

type Read<T> = Result<T, Refusal>;

/// Reads the nest that an `affine.parallel` is the outermost loop of.
///
/// # Errors
///
/// What is not affine, has no known value, or is not understood.
pub fn read(ctx: &Context, root: affine::ParallelOp, options: &Options) -> Read<Nest> {
    let mut r = Reader {
        ctx,
        options,
        root: root.op(),
        nest: Nest {
            launches: 1.0,
            ..Nest::default()
        },
        counters: FxHashMap::default(),
        arrays: FxHashMap::default(),
        bases: Vec::new(),
        loops: Vec::new(),
        guards: Vec::new(),
        assumed: RefCell::default(),
    };
    let refuse = |message: String| Refusal {
        op: root.op(),
        message,
    };
    r.around(root.op())?;
    r.band(root)?;
    if !options.as_written {
        r.nest.optimised = true;
        moves::simplify(&mut r.nest);
    }
    for unknown in r.assumed.take() {
        if let Some(n) = options.assume {
            r.note(&format!(
                "{} is not known and taken to be {n}",
                unknown.words
            ));
        }
        r.nest.assumed.push(unknown.key);
    }
    r.nest.check().map_err(refuse)?;
    Ok(r.nest)
}

struct Reader<'a> {
    ctx: &'a Context,
    options: &'a Options,
    root: Op,
    nest: Nest,
    /// What counters of loops are, in trips.
    counters: FxHashMap<Value, Affine>,
    arrays: FxHashMap<Value, usize>,
    /// For each array the memory that it is in.
    bases: Vec<Value>,
    /// The loops around the place that is read.
    loops: Vec<usize>,
    guards: Vec<Guard>,
    /// What was not known, in the order in which it was met.
    assumed: RefCell<Vec<Unknown>>,
}

/// A value that is not known.
#[derive(Clone, PartialEq, Eq)]
struct Unknown {
    /// For people.
    words: String,
    /// As [`Options::sizes`] would have it; empty where it has no name.
    key: String,
}

/// The size of an outermost dimension of which nothing is known ([`Options::endless`]).
const ENDLESS: i64 = 1 << 32;

/// The name of a value, and the one it has by its number.
fn names(ctx: &Context, v: Value) -> Vec<String> {
    let mut out: Vec<String> = v
        .loc(ctx)
        .name(ctx)
        .map(str::to_string)
        .into_iter()
        .collect();
    if (v.def_op()).is_some_and(|o| o.name(ctx) == "memref.get_global") {
        out.insert(0, source::array(ctx, v));
    }
    if let Some(block) = v.arg_block().filter(|b| b.is_entry(ctx)) {
        if let Some(name) = argument_name(ctx, block, v) {
            out.push(name);
        }
        out.push(format!("arg{}", v.index(ctx)));
    }
    out
}

/// What the source calls an argument of a function.
fn argument_name(ctx: &Context, block: Block, v: Value) -> Option<String> {
    let attrs = block.parent_op(ctx)?.attr(ctx, "arg_attrs")?;
    let dict = attrs.as_array(ctx)?.get(v.index(ctx))?.as_dict(ctx)?;
    let named = dict.iter().find(|(k, _)| ctx.str(*k) == "acc.name")?;
    named.1.as_str(ctx).map(str::to_string)
}

fn overflow(op: Op) -> Refusal {
    Refusal {
        op,
        message: "numbers of the nest are too large".into(),
    }
}

impl Reader<'_> {
    fn given(&self, names: &[String]) -> Option<i64> {
        let mut all = self.options.sizes.iter().rev();
        all.find(|(n, _)| names.contains(n)).map(|(_, v)| *v)
    }

    /// The loops around the nest: their counters in the middle, and how many launches.
    fn around(&mut self, root: Op) -> Read<()> {
        let mut outer = Vec::new();
        let mut next = root.parent(self.ctx);
        while let Some(op) = next {
            if let Some(l) = op.cast::<affine::ForOp>(self.ctx) {
                outer.push(l);
            }
            next = op.parent(self.ctx);
        }
        for l in outer.into_iter().rev() {
            let lower = self.results(l.op(), l.lower_map(self.ctx), &l.lower_operands(self.ctx))?;
            let upper = self.results(l.op(), l.upper_map(self.ctx), &l.upper_operands(self.ctx))?;
            let lower = lower.iter().map(|a| a.constant).max().unwrap_or(0);
            let upper = upper.iter().map(|a| a.constant).min().unwrap_or(lower);
            let span = upper.saturating_sub(lower).max(0);
            let step = l.step(self.ctx).max(1);
            let trips = span / step + i64::from(span % step > 0);
            let middle = lower.saturating_add((trips / 2).saturating_mul(step));
            self.nest.launches *= trips as f64;
            self.counters
                .insert(l.iv(self.ctx), Affine::constant(middle));
        }
        Ok(())
    }

    /// The parallel loops that are mapped, and what stands in them.
    fn band(&mut self, root: affine::ParallelOp) -> Read<()> {
        let mut p = root;
        loop {
            if p.op().num_results(self.ctx) > 0 {
                return Err(Refusal {
                    op: p.op(),
                    message: "a parallel loop with results is a reduction across threads, which \
                              has no mapping here"
                        .into(),
                });
            }
            self.parallel_loops(p)?;
            let opened = self.nest.loops.len();
            self.nest.parallel = (0..opened).collect();
            let mut ops = p.body(self.ctx).ops(self.ctx);
            ops.pop();
            let inner = ops
                .pop()
                .and_then(|o| o.cast::<affine::ParallelOp>(self.ctx));
            match inner {
                Some(q) if ops.iter().all(|o| is_pure(self.ctx, *o)) && self.is_rectangular(q) => {
                    for o in ops {
                        self.op(o, 0)?;
                    }
                    p = q;
                }
                _ => break,
            }
        }
        self.block(p.body(self.ctx), 0)
    }

    /// Whether the bounds of loops are the same for all iterations of those around them.
    fn is_rectangular(&self, p: affine::ParallelOp) -> bool {
        let operands = p.op().operands(self.ctx);
        operands.iter().all(|v| match self.counters.get(v) {
            Some(a) => a.is_constant(),
            None => !scope::is_induction_var(self.ctx, *v),
        })
    }

    fn parallel_loops(&mut self, p: affine::ParallelOp) -> Read<()> {
        let ctx = self.ctx;
        let (ivs, steps) = (p.ivs(ctx), p.steps(ctx));
        let mut new = Vec::new();
        // Bounds do not depend on one another's counters.
        for (i, (iv, step)) in ivs.into_iter().zip(steps).enumerate() {
            let lower = self.results(p.op(), &p.lower_map_of(ctx, i), &p.lower_operands(ctx))?;
            let upper = self.results(p.op(), &p.upper_map_of(ctx, i), &p.upper_operands(ctx))?;
            new.push((iv, step, lower, upper));
        }
        for (iv, step, lower, upper) in new {
            self.open(p.op(), iv, step, &lower, &upper)?;
        }
        Ok(())
    }

    /// Enters a loop: from the greatest of the lower bounds to the least upper one.
    fn open(
        &mut self,
        op: Op,
        iv: Value,
        step: i64,
        lower: &[Affine],
        upper: &[Affine],
    ) -> Read<()> {
        let step = step.max(1);
        let constants = lower.iter().all(Affine::is_constant);
        let first = match constants {
            true => lower.iter().max_by_key(|a| a.constant),
            false => lower.iter().find(|a| !a.is_constant()),
        };
        let first = first.cloned().unwrap_or_default();
        let spans: Option<Vec<Upper>> = (upper.iter())
            .map(|u| {
                Some(Upper {
                    span: u.plus(&first, -1)?,
                    step,
                })
            })
            .collect();
        let l = self.nest.loops.len();
        let names = names(self.ctx, iv);
        self.nest.loops.push(Loop {
            name: names
                .first()
                .cloned()
                .unwrap_or_else(|| format!("loop {}", l + 1)),
            uppers: spans.ok_or_else(|| overflow(op))?,
        });
        let counter = first.plus(&Affine::of_loop(l, 1), step);
        let counter = counter.ok_or_else(|| overflow(op))?;
        if !constants {
            for other in lower.iter().filter(|a| **a != first) {
                let value = counter.plus(other, -1).ok_or_else(|| overflow(op))?;
                self.guards.push(Guard {
                    value,
                    equal: false,
                });
            }
            if lower.len() > 1 {
                self.note("loops with several lower bounds start at one of them");
            }
        }
        self.counters.insert(iv, counter);
        self.loops.push(l);
        Ok(())
    }

    fn note(&mut self, text: &str) {
        if !self.nest.notes.iter().any(|n| n == text) {
            self.nest.notes.push(text.to_string());
        }
    }

    fn results(&self, op: Op, map: &AffineMap, operands: &[Value]) -> Read<Vec<Affine>> {
        let values: Vec<Affine> = (operands.iter())
            .map(|v| self.value(op, *v, 0))
            .collect::<Read<_>>()?;
        let (dims, symbols) = values.split_at((map.num_dims() as usize).min(values.len()));
        let all = map
            .results()
            .iter()
            .map(|e| self.expression(op, e, dims, symbols));
        all.collect()
    }

    fn expression(
        &self,
        op: Op,
        e: &AffineExpr,
        dims: &[Affine],
        symbols: &[Affine],
    ) -> Read<Affine> {
        let not = |message: &str| Refusal {
            op,
            message: message.to_string(),
        };
        if e.depth() > 64 {
            return Err(not("an expression is nested too deeply"));
        }
        let input = |all: &[Affine], i: u32| {
            let found = all.get(i as usize).cloned();
            found.ok_or_else(|| not("an expression has no such input"))
        };
        match e {
            AffineExpr::Dim(i) => return input(dims, *i),
            AffineExpr::Symbol(i) => return input(symbols, *i),
            AffineExpr::Constant(c) => return Ok(Affine::constant(*c)),
            AffineExpr::Binary(_) => {}
        }
        let Some((operator, a, b)) = e.as_binary() else {
            return Err(not("an expression is not affine"));
        };
        let a = self.expression(op, a, dims, symbols)?;
        let b = self.expression(op, b, dims, symbols)?;
        let out = match operator {
            AffineOp::Add => a.plus(&b, 1),
            AffineOp::Mul if b.is_constant() => a.times(b.constant),
            AffineOp::Mul if a.is_constant() => b.times(a.constant),
            AffineOp::Mod | AffineOp::FloorDiv | AffineOp::CeilDiv
                if a.is_constant() && b.is_constant() && b.constant > 0 =>
            {
                let (x, y) = (a.constant, b.constant);
                Some(Affine::constant(match operator {
                    AffineOp::Mod => x.rem_euclid(y),
                    AffineOp::FloorDiv => x.div_euclid(y),
                    _ => x.div_euclid(y) + i64::from(x.rem_euclid(y) > 0),
                }))
            }
            _ => {
                return Err(not(
                    "a subscript or bound divides a counter or multiplies two; the model takes \
                     sums of multiples of counters",
                ));
            }
        };
        out.ok_or_else(|| overflow(op))
    }

    /// A value in trips of loops.
    fn value(&self, op: Op, v: Value, depth: usize) -> Read<Affine> {
        if let Some(a) = self.counters.get(&v) {
            return Ok(a.clone());
        }
        let ctx = self.ctx;
        if let Some(c) = ctx.constant_int(v) {
            return Ok(Affine::constant(c));
        }
        let names = names(ctx, v);
        if let Some(n) = self.given(&names) {
            return Ok(Affine::constant(n));
        }
        if let Some(def) = v.def_op().filter(|_| depth < MAX_DEPTH) {
            let of = |i: usize| self.value(op, def.operand(ctx, i), depth + 1);
            let out = match def.name(ctx) {
                "affine.apply" => {
                    if let Some(a) = def.cast::<affine::ApplyOp>(ctx) {
                        let operands = a.operands(ctx);
                        let values: Vec<Affine> = (operands.iter())
                            .map(|v| self.value(op, *v, depth + 1))
                            .collect::<Read<_>>()?;
                        let dims = (a.map(ctx).num_dims() as usize).min(values.len());
                        let (dims, symbols) = values.split_at(dims);
                        if let Some(e) = a.map(ctx).result(0) {
                            return self.expression(op, e, dims, symbols);
                        }
                    }
                    None
                }
                "arith.index_cast" | "arith.extsi" | "arith.trunci" => Some(of(0)?),
                "arith.addi" => of(0)?.plus(&of(1)?, 1),
                "arith.subi" => of(0)?.plus(&of(1)?, -1),
                "arith.muli" => {
                    let (a, b) = (of(0)?, of(1)?);
                    match (a.is_constant(), b.is_constant()) {
                        (_, true) => a.times(b.constant),
                        (true, _) => b.times(a.constant),
                        _ => None,
                    }
                }
                "memref.dim" => {
                    let of_memref = def.operand(ctx, 0);
                    let d = ctx.constant_int(def.operand(ctx, 1));
                    let d = d.and_then(|d| usize::try_from(d).ok());
                    let sizes = self.sizes_of(op, of_memref)?;
                    d.and_then(|d| sizes.get(d).copied()).map(Affine::constant)
                }
                _ => None,
            };
            if let Some(a) = out {
                return Ok(a);
            }
        }
        let name = names.first().cloned().unwrap_or_else(|| "a value".into());
        let unknown = Unknown {
            words: name.clone(),
            key: names.first().cloned().unwrap_or_default(),
        };
        if let Some(n) = self.assumption(v, unknown) {
            return Ok(Affine::constant(n));
        }
        Err(Refusal {
            op,
            message: match v.def_op().is_none() && !names.is_empty() {
                true => {
                    format!("the value of '{name}' is not known; give it with sizes={name}:NUMBER")
                }
                false if names.is_empty() => {
                    "a subscript or bound is no sum of multiples of counters".into()
                }
                false => format!("'{name}' is no sum of multiples of counters"),
            },
        })
    }

    /// What a value that is not known is taken to be, if one may be taken: it is none of the
    /// counters around the nest's accesses, nor computed in the nest.
    fn assumption(&self, v: Value, unknown: Unknown) -> Option<i64> {
        let n = self.options.assume?;
        let place = match v.def_op() {
            Some(op) => Some(op),
            None => v.arg_block().and_then(|b| b.parent_op(self.ctx)),
        };
        let around = place?.parent(self.ctx);
        let inside = |op: Op| op == self.root || self.root.is_ancestor_of(self.ctx, op);
        if place.is_some_and(inside) || around.is_some_and(inside) {
            return None;
        }
        let mut all = self.assumed.borrow_mut();
        if !all.contains(&unknown) {
            all.push(unknown);
        }
        Some(n)
    }

    fn sizes_of(&self, op: Op, memref: Value) -> Read<Vec<i64>> {
        let shape = memref.ty(self.ctx).shape(self.ctx).map(<[i64]>::to_vec);
        let mut shape = shape.unwrap_or_default();
        let names = names(self.ctx, memref);
        let mut allocated = self.allocated(memref).into_iter();
        for (d, size) in shape.iter_mut().enumerate() {
            if *size == DYNAMIC {
                let keys: Vec<String> = names.iter().map(|n| format!("{n}.{d}")).collect();
                let wanted = allocated.next();
                let given = self.given(&keys).filter(|n| *n >= 0);
                let known = || {
                    let n = self.value(op, wanted?, 0).ok()?;
                    n.is_constant().then_some(n.constant.max(0))
                };
                let endless = (self.options.endless && d == 0).then_some(ENDLESS);
                let unknown = || {
                    let name = names.first().map_or("an array", String::as_str);
                    let unknown = Unknown {
                        words: format!("dimension {d} of {name}"),
                        key: keys.first().cloned().unwrap_or_default(),
                    };
                    self.assumption(memref, unknown)
                };
                let found = given.or_else(known).or(endless).or_else(unknown);
                *size = found.ok_or_else(|| {
                    let key = keys.first().cloned().unwrap_or_default();
                    Refusal {
                        op,
                        message: format!(
                            "the size of dimension {d} of an array is not known; give it with \
                             sizes={key}:NUMBER"
                        ),
                    }
                })?;
            }
        }
        Ok(shape)
    }

    /// The sizes of its dynamic dimensions that an array was allocated with.
    fn allocated(&self, memref: Value) -> Vec<Value> {
        let def = memref.def_op();
        let def = def.filter(|o| matches!(o.name(self.ctx), "memref.alloc" | "memref.alloca"));
        def.map(|o| o.operands(self.ctx)).unwrap_or_default()
    }

    fn array(&mut self, op: Op, memref: Value) -> Read<usize> {
        if let Some(i) = self.arrays.get(&memref) {
            return Ok(*i);
        }
        let ctx = self.ctx;
        let not = |message: &str| Refusal {
            op,
            message: message.into(),
        };
        let ty = memref.ty(ctx);
        let sizes = self.sizes_of(op, memref)?;
        let element = ty.element(ctx).and_then(|t| element_bytes(ctx, t));
        let bytes = element.filter(|b| (1..=4096).contains(b));
        let bytes = bytes.ok_or_else(|| not("an array has elements of unknown size"))?;
        let layout = strides_and_offset(ctx, ty);
        let layout = layout.ok_or_else(|| not("the layout of an array is not strided"))?;
        let plain = matches!(ty.data(ctx), TypeData::MemRef { layout: None, .. });
        let strides = match plain {
            true => row_major_strides(&sizes),
            false => layout.strides,
        };
        if strides.contains(&DYNAMIC) || layout.offset == DYNAMIC {
            return Err(not("the strides or the offset of an array are not known"));
        }
        let strides: Option<Vec<i64>> = strides.iter().map(|s| s.checked_mul(bytes)).collect();
        let space = ty.memref_parts(ctx).and_then(|p| p.1);
        let space = match is_workgroup_space(ctx, space) {
            true => Space::Shared,
            false => Space::Global,
        };
        let i = self.nest.arrays.len();
        let memory = base(ctx, memref);
        self.nest.arrays.push(Array {
            memory: self.bases.iter().position(|b| *b == memory).unwrap_or(i),
            unaliased: argument_has(ctx, memory, "llvm.noalias"),
            name: names(ctx, memref)
                .first()
                .cloned()
                .unwrap_or_else(|| format!("array {}", i + 1)),
            space,
            element_bytes: bytes,
            sizes,
            strides: strides.ok_or_else(|| overflow(op))?,
        });
        self.bases.push(memory);
        self.arrays.insert(memref, i);
        Ok(i)
    }

    /// Memory of a thread's own is registers.
    fn is_private(&self, memref: Value) -> bool {
        let own = |v: Value| {
            v.def_op()
                .is_some_and(|o| o.name(self.ctx) == "memref.alloca")
        };
        own(base(self.ctx, memref))
    }

    fn access(
        &mut self,
        op: Op,
        memref: Value,
        subscripts: Vec<Affine>,
        writes: bool,
        elements: i64,
    ) -> Read<()> {
        if self.is_private(memref) {
            return Ok(());
        }
        let array = self.array(op, memref)?;
        let a = &self.nest.arrays[array];
        let offset = strides_and_offset(self.ctx, memref.ty(self.ctx)).map_or(0, |l| l.offset);
        let mut address = offset.checked_mul(a.element_bytes).map(Affine::constant);
        for (s, stride) in subscripts.iter().zip(&a.strides) {
            address = address.and_then(|sum| sum.plus(s, *stride));
        }
        let bytes = a.element_bytes.checked_mul(elements);
        let text: String = (subscripts.iter())
            .map(|s| format!("[{}]", self.words(s)))
            .collect();
        let reference = Reference {
            array,
            text: format!("{}{text}", a.name),
            place: self.ctx.diag_loc(op.loc(self.ctx)),
            writes,
            bytes: bytes.ok_or_else(|| overflow(op))?,
            subscripts,
            address: address.ok_or_else(|| overflow(op))?,
            loops: self.loops.clone(),
            guards: self.guards.clone(),
        };
        self.nest.references.push(reference);
        self.work().i32 += 1.0;
        Ok(())
    }

    /// A sum in the names of loops.
    fn words(&self, a: &Affine) -> String {
        let mut out = String::new();
        for (l, c) in &a.terms {
            let sign = match (out.is_empty(), *c < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            out.push_str(sign);
            if c.unsigned_abs() != 1 {
                out.push_str(&format!("{}*", c.unsigned_abs()));
            }
            out.push_str(&self.nest.loops[*l].name);
        }
        match (out.is_empty(), a.constant) {
            (true, c) => c.to_string(),
            (false, 0) => out,
            (false, c) if c < 0 => format!("{out} - {}", c.unsigned_abs()),
            (false, c) => format!("{out} + {c}"),
        }
    }

    /// The work of the place that is read.
    fn work(&mut self) -> &mut Work {
        let found = self.nest.work.iter().position(|w| w.loops == self.loops);
        let i = found.unwrap_or_else(|| {
            self.nest.work.push(Work {
                loops: self.loops.clone(),
                ..Work::default()
            });
            self.nest.work.len() - 1
        });
        &mut self.nest.work[i]
    }

    fn block(&mut self, block: Block, depth: usize) -> Read<()> {
        for op in block.ops(self.ctx) {
            self.op(op, depth)?;
        }
        Ok(())
    }

    /// What stands in some loops more than here.
    fn inside(&mut self, body: Block, loops: usize, guards: usize, depth: usize) -> Read<()> {
        // Counting, comparing and going round, for several iterations at once.
        self.work().i32 += 0.75;
        self.block(body, depth + 1)?;
        self.loops.truncate(loops);
        self.guards.truncate(guards);
        Ok(())
    }

    fn op(&mut self, op: Op, depth: usize) -> Read<()> {
        let ctx = self.ctx;
        let not = |message: &str| Refusal {
            op,
            message: message.to_string(),
        };
        if depth > MAX_DEPTH {
            return Err(not("loops and conditions are nested too deeply"));
        }
        let (loops, guards) = (self.loops.len(), self.guards.len());
        if let Some(a) = Access::of(ctx, op) {
            if a.kind == AccessKind::Prefetch {
                return Ok(());
            }
            let subscripts = self.results(op, &a.map, &a.operands)?;
            let elements = a.vector.and_then(|t| t.num_elements(ctx)).unwrap_or(1);
            return self.access(
                op,
                a.memref,
                subscripts,
                a.kind == AccessKind::Write,
                elements,
            );
        }
        if let Some(l) = op.cast::<affine::ForOp>(ctx) {
            let lower = self.results(op, l.lower_map(ctx), &l.lower_operands(ctx))?;
            let upper = self.results(op, l.upper_map(ctx), &l.upper_operands(ctx))?;
            self.open(op, l.iv(ctx), l.step(ctx), &lower, &upper)?;
            if op.num_results(ctx) > 0 {
                self.work().chain += 1.0;
            }
            return self.inside(l.body(ctx), loops, guards, depth);
        }
        if let Some(p) = op.cast::<affine::ParallelOp>(ctx) {
            self.parallel_loops(p)?;
            return self.inside(p.body(ctx), loops, guards, depth);
        }
        if let Some(c) = op.cast::<affine::IfOp>(ctx) {
            return self.condition(c, depth);
        }
        let v = op.operands(ctx);
        let element = match (op.name(ctx), &v[..]) {
            ("memref.load", [m, at @ ..]) => Some((*m, at, false)),
            ("memref.store", [_, m, at @ ..]) => Some((*m, at, true)),
            _ => None,
        };
        if let Some((memref, at, writes)) = element {
            let subscripts: Vec<Affine> = (at.iter())
                .map(|v| self.value(op, *v, 0))
                .collect::<Read<_>>()?;
            return self.access(op, memref, subscripts, writes, 1);
        }
        if op.num_regions(ctx) > 0 {
            return Err(not(
                "this is no affine loop or condition, and has no known cost",
            ));
        }
        self.operation(op);
        match is_pure(ctx, op) || op.name(ctx) == "affine.yield" || op.dialect(ctx) == "memref" {
            true => Ok(()),
            false => Err(not("what this does to memory is not known")),
        }
    }

    fn condition(&mut self, c: affine::IfOp, depth: usize) -> Read<()> {
        let ctx = self.ctx;
        let op = c.op();
        let operands = c.operands(ctx);
        let values: Vec<Affine> = (operands.iter())
            .map(|v| self.value(op, *v, 0))
            .collect::<Read<_>>()?;
        let set = c.set(ctx);
        let (dims, symbols) = values.split_at((set.num_dims() as usize).min(values.len()));
        let mut conditions = Vec::new();
        for k in set.constraints() {
            conditions.push(Guard {
                value: self.expression(op, &k.expr, dims, symbols)?,
                equal: k.is_eq,
            });
        }
        let outside = self.guards.len();
        self.guards.extend(conditions.iter().cloned());
        self.block(c.then_block(ctx), depth + 1)?;
        self.guards.truncate(outside);
        if let Some(otherwise) = c.else_block(ctx) {
            // Not (e >= 0) is -e - 1 >= 0.
            let negated = match &conditions[..] {
                [
                    Guard {
                        value,
                        equal: false,
                    },
                ] => {
                    let minus = value.times(-1);
                    minus.and_then(|m| m.plus(&Affine::constant(1), -1))
                }
                _ => None,
            };
            match negated {
                Some(value) => self.guards.push(Guard {
                    value,
                    equal: false,
                }),
                None => self.note("an else that several conditions lead to counts as always"),
            }
            self.block(otherwise, depth + 1)?;
            self.guards.truncate(outside);
        }
        Ok(())
    }

    fn operation(&mut self, op: Op) {
        let ctx = self.ctx;
        let name = op.name(ctx);
        let free = [
            "arith.constant",
            "arith.index_cast",
            "affine.apply",
            "affine.yield",
        ];
        if free.contains(&name) || op.num_results(ctx) == 0 || op.dialect(ctx) == "memref" {
            return;
        }
        let ty = op.result(ctx, 0).ty(ctx).element_or_self(ctx);
        let bits = ty.bit_width(ctx).unwrap_or(64);
        let (float, wide) = (ty.is_float(ctx), bits > 32);
        // Arithmetic that stands for one operation of the program.
        let (plain, special) = match name {
            "arith.divf" | "math.sqrt" | "math.rsqrt" => (if wide { 9.0 } else { 6.0 }, 1.0),
            n if n.starts_with("math.") && n != "math.fma" && n != "math.absf" => {
                (if wide { 20.0 } else { 8.0 }, 1.0)
            }
            _ => (1.0, 0.0),
        };
        let w = self.work();
        w.special += special;
        match (float, wide) {
            (true, true) => w.f64 += plain,
            (true, false) => w.f32 += plain,
            (false, true) => w.i32 += 2.0 * plain,
            (false, false) => w.i32 += plain,
        }
    }
}
