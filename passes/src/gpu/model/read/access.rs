//! Arrays, their sizes, and accesses of them.

use super::{Read, Reader, Refusal, Unknown, names, overflow};
use crate::analysis::memory::{argument_has, base};
use crate::analysis::memref_region::element_bytes;
use crate::gpu::model::nest::{Affine, Array, Reference, Space};
use terrace_dialects::attributes::LLVM_NOALIAS;
use terrace_dialects::gpu::is_workgroup_space;
use terrace_dialects::memref::layout::{row_major_strides, strides_and_offset};
use terrace_dialects::memref::{AllocOp, AllocaOp, ReinterpretCastOp};
use terrace_dialects::offsets::Mixed;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Op, TypeData, Value};

/// The size of an outermost dimension of which nothing is known
/// ([`super::Options::endless`]).
const ENDLESS: i64 = 1 << 32;

impl Reader<'_> {
    pub(super) fn sizes_of(&self, op: Op, memref: Value, endless: bool) -> Read<Vec<i64>> {
        let shape = memref.ty(self.ctx).shape(self.ctx).map(<[i64]>::to_vec);
        let mut shape = shape.unwrap_or_default();
        let names = names(self.ctx, memref);
        let mut values = self.given_sizes(memref).into_iter();
        for (d, size) in shape.iter_mut().enumerate() {
            if *size == DYNAMIC {
                let keys: Vec<String> = names.iter().map(|n| format!("{n}.{d}")).collect();
                let wanted = values.next().flatten();
                let given = self.given(&keys).filter(|n| *n >= 0);
                let known = || {
                    let n = self.value(op, wanted?, 0).ok()?;
                    n.is_constant().then_some(n.constant.max(0))
                };
                let endless = (endless && d == 0).then_some(ENDLESS);
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

    /// The values that the dynamic dimensions of an array are as long as: those that it was
    /// allocated with, or that a view of rows has. How many rows such a view has follows from
    /// the memory that it is of.
    fn given_sizes(&self, memref: Value) -> Vec<Option<Value>> {
        let ctx = self.ctx;
        let Some(op) = memref.def_op() else {
            return Vec::new();
        };
        if let Some(cast) = op.cast::<ReinterpretCastOp>(ctx) {
            let sizes = cast.slice(ctx).map(|s| s.sizes).unwrap_or_default();
            let of = |(d, m): (usize, &Mixed)| match m {
                Mixed::Static(_) => None,
                Mixed::Value(v) => Some((d > 0).then_some(*v)),
            };
            return sizes.iter().enumerate().filter_map(of).collect();
        }
        match op.name(ctx) {
            AllocOp::NAME | AllocaOp::NAME => op.operands(ctx).into_iter().map(Some).collect(),
            _ => Vec::new(),
        }
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
        let sizes = self.sizes_of(op, memref, self.options.endless)?;
        let element = ty.element(ctx).and_then(|t| element_bytes(ctx, t));
        let bytes = element.filter(|b| (1..=4096).contains(b));
        let bytes = bytes.ok_or_else(|| not("an array has elements of unknown size"))?;
        let layout = strides_and_offset(ctx, ty);
        let layout = layout.ok_or_else(|| not("the layout of an array is not strided"))?;
        let plain = matches!(ty.data(ctx), TypeData::MemRef { layout: None, .. });
        let rows = memref
            .def_op()
            .and_then(|o| o.cast::<ReinterpretCastOp>(ctx));
        let rows = rows.filter(|c| c.is_row_major(ctx));
        let strides = match (plain, rows, layout.strides.last()) {
            (true, ..) => row_major_strides(&sizes),
            // Of records, which are as far apart as the last dimension says.
            (_, Some(_), Some(unit)) => {
                let strides = row_major_strides(&sizes).into_iter();
                strides.map(|s| s.saturating_mul(*unit)).collect()
            }
            _ => layout.strides,
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
            unaliased: argument_has(ctx, memory, LLVM_NOALIAS),
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
                .is_some_and(|o| o.name(self.ctx) == AllocaOp::NAME)
        };
        own(base(self.ctx, memref))
    }

    pub(super) fn access(
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
}
