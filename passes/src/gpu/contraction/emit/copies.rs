//! How threads bring slabs to workgroup memory: 16 bytes at once where rows are aligned,
//! else element by element; elements of 2 bytes through registers then, as no copy in the
//! background is that small.

use super::ragged;
use super::slabs::Slab;
use crate::gpu::aligned::{residue, rows_aligned};
use crate::gpu::contraction::shape::{Contraction, Slope};
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::nvgpu::{self, DeviceAsyncCopyOp};
use terrace_dialects::{memref, scf};
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

/// What a thread needs to know to copy its part of a slab.
pub struct Copy<'r> {
    pub view: Value,
    pub thread: Value,
    pub threads: i64,
    /// The counter of the factor's other dimension than k.
    pub outer: Value,
    /// Its first number in the tile, and where the matrix ends.
    pub origin: Value,
    pub end: Value,
    pub depth_end: Value,
    /// The counters of each row that the thread copies, where rows have two.
    pub rows: &'r [Vec<(Value, Value)>],
    /// How the range of k depends on the factor's other dimension, if it does.
    pub slope: Option<Slope>,
    /// Whether vectors of the factor are aligned, where it has some.
    pub wide: bool,
}

/// Elements that are loaded before the first is stored, of those that go through registers.
const LOADED: i64 = 8;

impl Slab<'_> {
    /// How many parts of so many elements each thread copies of a slab.
    fn copies_of_a_thread(&self, threads: i64, each: i64) -> i64 {
        self.width * self.depth / threads / each
    }

    /// After how many copies a thread is at the same place of a line again, and how many
    /// lines further on.
    fn period(&self, threads: i64, each: i64) -> (i64, i64) {
        let line = self.fast() / each;
        let mut copies = 1;
        while copies * threads % line != 0 {
            copies += 1;
        }
        (copies, copies * threads / line)
    }

    /// Line, and place in it, of what a thread copies, one after another. Neighbouring
    /// threads copy neighbours, and go on where all threads together end.
    fn copied(&self, b: &mut Builder, thread: Value, threads: i64, each: i64) -> Vec<[Value; 2]> {
        let (copies, lines) = self.period(threads, each);
        let first: Vec<[Value; 2]> = (0..copies)
            .map(|i| {
                let number = add_constant(b, thread, i * threads);
                let (line, place) = split(b, number, self.fast() / each);
                [line, times(b, place, each)]
            })
            .collect();
        (0..self.copies_of_a_thread(threads, each))
            .map(|i| {
                let [line, place] = first[(i % copies) as usize];
                [add_constant(b, line, i / copies * lines), place]
            })
            .collect()
    }

    /// The places in the tile of what a thread copies one by one, as some numbers and how
    /// much further on than these others are: the copies take turns among the numbers.
    pub fn copied_places(
        &self,
        b: &mut Builder,
        thread: Value,
        threads: i64,
    ) -> Vec<(Value, Vec<i64>)> {
        let (copies, lines) = self.period(threads, 1);
        let all = self.copied(b, thread, threads, 1);
        let turns = |n: i64| (n..all.len() as i64).step_by(copies as usize);
        let first = all.iter().take(copies as usize).enumerate();
        first
            .map(|(n, [line, place])| {
                let further = turns(n as i64).map(|i| i / copies * lines);
                match self.factor.along_k {
                    true => (*line, further.collect()),
                    false => (*place, further.map(|_| 0).collect()),
                }
            })
            .collect()
    }

    /// How far rows are apart that a thread copies one after another.
    pub fn rows_apart(&self, threads: i64) -> i64 {
        match self.factor.along_k {
            true => self.period(threads, 1).1,
            false => 0,
        }
    }

    /// Whether the vectors of a tile are aligned, in the kernel; nothing where they never are.
    /// `first`: of which counters the tile begins at which numbers.
    pub fn aligned(&self, b: &mut Builder, vector: i64, first: &[(Value, Value)]) -> Option<Value> {
        let element = &self.factor.element;
        let at = linear(b, element.at.last()?, first);
        // The assembler would find accesses that are not, though nothing comes to them.
        if residue(b.ctx, at, vector).is_some_and(|r| r != 0) {
            return None;
        }
        let rows = rows_aligned(b, element.memref, vector, self.element_bytes, true);
        let vector = constant(b, vector);
        let odd = rem(b, at, vector);
        let zero = constant(b, 0);
        let begins = CmpIOp::build(b, CmpIPredicate::Eq, odd, zero);
        Some(and(b, rows, begins))
    }

    /// Begins to copy the slab of k from `from` on to a stage: of this thread's part the
    /// `part`-th of `parts`.
    pub fn copy(
        &self,
        b: &mut Builder,
        x: &Contraction,
        c: &Copy,
        (stage, from): (Value, Value),
        (part, parts): (i64, i64),
    ) {
        let each = match self.vector {
            Some(n) if c.wide => n,
            _ if self.element_bytes < 4 => {
                if part == 0 {
                    self.through_registers(b, x, c, (stage, from));
                }
                return;
            }
            _ => 1,
        };
        let copied = self.copied(b, c.thread, c.threads, each);
        let count = copied.len() as i64;
        for i in count * part / parts..count * (part + 1) / parts {
            let place = self.place(b, x, c, from, copied[i as usize], i as usize);
            let read = match each {
                1 => {
                    let valid = place.valid(b, x, c);
                    let (zero, one) = (constant(b, 0), constant(b, 1));
                    SelectOp::build(b, valid, one, zero)
                }
                _ => place.count(b, c, self.factor.along_k, each),
            };
            let to = self.at(stage, place.place, place.k);
            let operands = [
                &[c.view],
                &to[..],
                &[self.factor.element.memref],
                &place.source,
                &[read],
            ];
            let sizes = [1, to.len(), 1, place.source.len(), 1].map(|n| n as i32);
            let sizes = b.ctx.i32_array(&sizes);
            let elements = b.ctx.index_attr(each);
            let mut attrs = vec![("dstElements", elements), ("operandSegmentSizes", sizes)];
            if each > 1 {
                attrs.push(("bypassL1", b.ctx.unit()));
            }
            let token = nvgpu::token(b.ctx);
            b.op::<DeviceAsyncCopyOp>(&operands.concat(), &[token], &attrs);
        }
    }

    /// Copies by loads and stores, some at a time.
    fn through_registers(
        &self,
        b: &mut Builder,
        x: &Contraction,
        c: &Copy,
        (stage, from): (Value, Value),
    ) {
        let count = self.copies_of_a_thread(c.threads, 1);
        let together = if count % LOADED == 0 { LOADED } else { 1 };
        let (zero, count) = (constant(b, 0), constant(b, count));
        let step = constant(b, together);
        scf::ForOp::build_with(b, (zero, count, step), &[], |b, first, _| {
            let loaded: Vec<_> = (0..together)
                .map(|i| {
                    let number = add_constant(b, first, i);
                    let number = times(b, number, c.threads);
                    let number = add(b, number, c.thread);
                    let (line, at) = split(b, number, self.fast());
                    let place = self.place(b, x, c, from, [line, at], usize::MAX);
                    let valid = place.valid(b, x, c);
                    let (op, then, other) = scf::IfOp::build(b, valid, &[self.element], true);
                    b.with_point(InsertPoint::End(then), |b| {
                        let array = self.factor.element.memref;
                        let v = memref::LoadOp::build(b, array, &place.source);
                        scf::YieldOp::build(b, &[v]);
                    });
                    if let Some(other) = other {
                        b.with_point(InsertPoint::End(other), |b| {
                            let none = arith::constant_float(b, 0.0, self.element);
                            scf::YieldOp::build(b, &[none]);
                        });
                    }
                    (op.op().result(b.ctx, 0), place)
                })
                .collect();
            for (v, p) in loaded {
                let to = self.at(stage, p.place, p.k);
                memref::StoreOp::build(b, v, c.view, &to);
            }
            Vec::new()
        });
    }

    /// What is copied to a place of a line: the `number`-th copy of the thread.
    fn place(
        &self,
        b: &mut Builder,
        x: &Contraction,
        c: &Copy,
        from: Value,
        [line, at]: [Value; 2],
        number: usize,
    ) -> CopyEnds {
        let (place, k) = match self.factor.along_k {
            true => (line, at),
            false => (at, line),
        };
        let outer = add(b, c.origin, place);
        let deep = add(b, from, k);
        let mut places = vec![(x.k, deep)];
        match c.rows.get(number) {
            Some(counters) => places.extend(counters),
            None => places.push((c.outer, outer)),
        }
        let source = (self.factor.element.at.iter()).map(|l| linear(b, l, &places));
        let source = source.collect();
        CopyEnds {
            place,
            k,
            outer,
            deep,
            source,
        }
    }
}

/// Where something is copied from and to.
struct CopyEnds {
    /// In the slab.
    place: Value,
    k: Value,
    /// The factor's other counter than k, and k.
    outer: Value,
    deep: Value,
    /// Subscripts of the array.
    source: Vec<Value>,
}

impl CopyEnds {
    /// Whether there is such an element.
    fn valid(&self, b: &mut Builder, x: &Contraction, c: &Copy) -> Value {
        let in_range = less(b, self.outer, c.end);
        let in_depth = less(b, self.deep, c.depth_end);
        let valid = and(b, in_range, in_depth);
        match c.slope {
            Some(slope) => {
                let own = ragged::has(b, x, slope, self.outer, self.deep);
                and(b, valid, own)
            }
            None => valid,
        }
    }

    /// How many of so many neighbours there are.
    fn count(&self, b: &mut Builder, c: &Copy, along_k: bool, each: i64) -> Value {
        let (outer, deep) = ((self.outer, c.end), (self.deep, c.depth_end));
        let (line, fast) = match along_k {
            true => (outer, deep),
            false => (deep, outer),
        };
        let left = sub(b, fast.1, fast.0);
        let (zero, all) = (constant(b, 0), constant(b, each));
        let left = min(b, left, all);
        let left = max(b, left, zero);
        let inside = less(b, line.0, line.1);
        SelectOp::build(b, inside, left, zero)
    }
}
