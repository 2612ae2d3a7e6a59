//! What is said about the kernels.

use super::Mapper;
use super::accesses::{Access, sectors};
use super::band::{Band, combination};
use super::extremes::Linear;
use super::nest::Axes;
use crate::offload::notes::{AccessNote, MappedLoop, MappedTo, ReductionNote};
use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_dialects::scf;
use terrace_ir::{Context, Op, OpKind, Value};

/// What the source calls a value: the name its location gives, or the one that the
/// function's argument has.
fn name_of(ctx: &Context, v: Value) -> String {
    if let Some(block) = v.arg_block()
        && let Some(f) = block.parent_op(ctx)
    {
        let attrs = f.attr(ctx, "arg_attrs").and_then(|a| a.as_array(ctx));
        let dict = attrs
            .and_then(|a| a.get(v.index(ctx)))
            .and_then(|a| a.as_dict(ctx));
        let named = dict
            .and_then(|d| d.iter().find(|(k, _)| ctx.str(*k) == "acc.name"))
            .and_then(|(_, a)| a.as_str(ctx));
        if let Some(n) = named {
            return n.to_string();
        }
    }
    v.loc(ctx).name(ctx).unwrap_or_default().to_string()
}

/// A subscript in the names of the source; `?` where it has none.
fn subscript(ctx: &Context, v: Value) -> String {
    let mut v = v;
    while let Some(op) = v
        .def_op()
        .filter(|o| o.isa::<terrace_dialects::arith::IndexCastOp>(ctx))
    {
        v = op.operand(ctx, 0);
    }
    let Some(mut l) = Linear::of(ctx, v) else {
        return "?".into();
    };
    l.terms.sort_by_key(|t| t.1 < 0);
    let mut text = String::new();
    for (t, f) in l.terms {
        let mut t = t;
        while let Some(op) = t
            .def_op()
            .filter(|o| o.isa::<terrace_dialects::arith::IndexCastOp>(ctx))
        {
            t = op.operand(ctx, 0);
        }
        let name = name_of(ctx, t);
        if name.is_empty() {
            return "?".into();
        }
        let sign = match (text.is_empty(), f < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        if f.unsigned_abs() != 1 {
            text.push_str(&format!("{}*", f.unsigned_abs()));
        }
        text.push_str(&name);
    }
    match (text.is_empty(), l.constant) {
        (true, c) => c.to_string(),
        (false, 0) => text,
        (false, c) if c < 0 => format!("{text} - {}", c.unsigned_abs()),
        (false, c) => format!("{text} + {c}"),
    }
}

/// The notes of a band's accesses, made while the counters are still there.
pub(super) fn access_notes(
    ctx: &Context,
    accesses: &[Access],
    x: usize,
    lanes: i64,
) -> Vec<AccessNote> {
    let mut out = Vec::new();
    for a in accesses {
        let array = name_of(ctx, a.array);
        let at: String = a
            .subscripts
            .iter()
            .map(|s| format!("[{}]", subscript(ctx, *s)))
            .collect();
        let stride = a.strides.get(x).copied().flatten();
        let counts = stride.map(|s| sectors(s, a.element_bytes, lanes));
        out.push(AccessNote {
            text: format!("{array}{at}"),
            array,
            place: ctx.diag_loc(a.op.loc(ctx)),
            writes: a.writes,
            stride,
            sectors: counts.map(|c| c.0),
            ideal: counts.map(|c| c.1),
        });
    }
    out
}

/// The loops of a band as mapped.
fn loops(ctx: &Context, band: &Band, to: impl Fn(usize) -> MappedTo) -> Vec<MappedLoop> {
    band.levels
        .iter()
        .enumerate()
        .map(|(i, l)| MappedLoop {
            place: ctx.diag_loc(l.op.loc(ctx)),
            variable: l.name.clone(),
            to: to(i),
        })
        .collect()
}

/// What a reduction does, in a word, and whether its order shows.
fn operation(ctx: &Context, band: &Band) -> Vec<ReductionNote> {
    let Some(reduce) = band.reduce else {
        return Vec::new();
    };
    let names: Vec<String> = scf::ParallelOp::wrap(band.root)
        .op()
        .results(ctx)
        .iter()
        .map(|r| name_of(ctx, *r))
        .collect();
    reduce
        .regions(ctx)
        .iter()
        .zip(names)
        .map(|(r, variable)| {
            let kind = r.entry(ctx).and_then(|b| combination(ctx, b));
            let (operation, reordered) = match kind {
                Some(K::AddF) => ("sum", true),
                Some(K::AddI) => ("sum", false),
                Some(K::MulF) => ("product", true),
                Some(K::MulI) => ("product", false),
                Some(K::AndI) => ("and", false),
                Some(K::OrI) => ("or", false),
                Some(K::XOrI) => ("xor", false),
                Some(K::MaximumF | K::MaxNumF | K::MaxS | K::MaxU) => ("maximum", false),
                Some(K::MinimumF | K::MinNumF | K::MinS | K::MinU) => ("minimum", false),
                Some(K::Assign) | None => ("combination", true),
            };
            ReductionNote {
                variable,
                operation: operation.into(),
                reordered,
            }
        })
        .collect()
}

impl Mapper<'_> {
    /// Tell about the nest that was mapped last.
    pub(super) fn note_nest(
        &mut self,
        band: &Band,
        axes: &Axes,
        sizes: [i64; 3],
        accesses: Vec<AccessNote>,
    ) {
        let axis = |level: usize| {
            let d = axes.levels.iter().position(|a| a.contains(&level));
            MappedTo::Axis(d.unwrap_or(2) as u8)
        };
        let loops = loops(self.ctx, band, axis);
        if let Some(k) = self.kernels.last_mut() {
            k.loops = loops;
            k.block = sizes.map(|n| u32::try_from(n).unwrap_or(1));
            k.accesses = accesses;
        }
    }

    pub(super) fn note_reduction(&mut self, band: &Band, threads: i64, accesses: Vec<AccessNote>) {
        let loops = loops(self.ctx, band, |_| MappedTo::Axis(0));
        let reductions = operation(self.ctx, band);
        if let Some(k) = self.kernels.last_mut() {
            k.loops = loops;
            k.block = [u32::try_from(threads).unwrap_or(1), 1, 1];
            k.accesses = accesses;
            k.reductions = reductions;
        }
    }

    /// Tell about the kernel that ends a reduction.
    pub(super) fn note_second(&mut self, threads: i64) {
        if let Some(k) = self.kernels.last_mut() {
            k.block = [u32::try_from(threads).unwrap_or(1), 1, 1];
            k.remarks
                .push("combines the partial results of the blocks, in their order".into());
        }
    }

    pub(super) fn note_serial(&mut self, statements: &[Op]) {
        let loops = statements
            .iter()
            .filter(|o| matches!(o.name(self.ctx), "scf.for" | "scf.while"))
            .map(|o| MappedLoop {
                place: self.ctx.diag_loc(o.loc(self.ctx)),
                variable: o
                    .cast::<scf::ForOp>(self.ctx)
                    .map(|f| name_of(self.ctx, f.induction_var(self.ctx)))
                    .unwrap_or_default(),
                to: MappedTo::Sequential,
            })
            .collect();
        if let Some(k) = self.kernels.last_mut() {
            k.loops = loops;
            k.block = [1; 3];
            k.remarks
                .push("one thread runs these statements one after another".into());
        }
    }
}
