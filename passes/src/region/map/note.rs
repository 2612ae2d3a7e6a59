//! What is said about the kernels.

use super::Mapper;
use super::accesses::Access;
use super::band::Band;
use super::nest::Axes;
use super::warp::{Axis, sectors};
use crate::analysis::linear::{Linear, coefficient};
use crate::analysis::reduction::of_region;
use crate::analysis::source;
use crate::gpu::model::ahead::Tiles;
use crate::gpu::model::product::Note;
use crate::region::cost::{Origin, Rows};
use crate::region::notes::{AccessNote, KernelNote, MappedLoop, MappedTo, ReductionNote};
use terrace_dialects::arith;
use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_dialects::attributes::{ACC_NAME, GPU_NEST, GPU_ROWS};
use terrace_dialects::attributes::{GPU_AHEAD, GPU_NOTE, GPU_PRODUCT};
use terrace_dialects::memref;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::{gpu, scf};
use terrace_ir::diag::DiagLoc;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Value};

impl Mapper<'_> {
    /// Names a launch that another pass has made, and notes what that pass says of it.
    pub(super) fn tell_given(&mut self, launch: gpu::LaunchOp) {
        let name = self.next_name();
        let symbol = self.ctx.symbol_attr(&name);
        launch.op().set_attr(self.ctx, "function", symbol);
        let words = launch.op().str_attr(self.ctx, GPU_NOTE).map(str::to_string);
        launch.op().remove_attr(self.ctx, GPU_NOTE);
        let product = launch.op().attr(self.ctx, GPU_PRODUCT);
        let product = product.and_then(|a| Note::read(self.ctx, a));
        launch.op().remove_attr(self.ctx, GPU_PRODUCT);
        let nest = launch.op().int_attr(self.ctx, GPU_NEST);
        let nest = nest.and_then(|n| usize::try_from(n).ok());
        let ahead = launch.op().attr(self.ctx, GPU_AHEAD);
        let ahead = ahead.and_then(|a| a.as_i64_array(self.ctx));
        launch.op().remove_attr(self.ctx, GPU_AHEAD);
        let size = |v: &Value| {
            self.ctx
                .constant_int(*v)
                .and_then(|n| u32::try_from(n).ok())
        };
        let block = launch.block_size(self.ctx).map(|v| size(&v).unwrap_or(1));
        let place = self.ctx.diag_loc(launch.op().loc(self.ctx));
        self.kernels.push(KernelNote {
            name,
            place,
            block,
            grid: launch
                .grid_size(self.ctx)
                .map(|v| given_blocks(self.ctx, v)),
            remarks: words.into_iter().collect(),
            origin: match (product, nest, ahead.as_deref()) {
                (Some(note), ..) => Origin::Product(Box::new(note)),
                (_, Some(number), Some(&[columns, stages, shared_bytes])) => Origin::Ahead {
                    number,
                    tiles: Tiles {
                        columns,
                        stages,
                        shared_bytes,
                    },
                },
                _ => Origin::Unknown(
                    "its threads work together in a way that the model does not know",
                ),
            },
            ..KernelNote::default()
        });
    }
}

/// What the source calls a value: the name its location gives, or the one that the
/// function's argument has.
fn name_of(ctx: &Context, v: Value) -> String {
    if (v.def_op()).is_some_and(|o| o.name(ctx) == memref::GetGlobalOp::NAME) {
        return source::array(ctx, v);
    }
    if let Some(block) = v.arg_block()
        && let Some(f) = block.parent_op(ctx)
    {
        let attrs = f.attr(ctx, "arg_attrs").and_then(|a| a.as_array(ctx));
        let dict = attrs
            .and_then(|a| a.get(v.index(ctx)))
            .and_then(|a| a.as_dict(ctx));
        let named = dict
            .and_then(|d| d.iter().find(|(k, _)| ctx.str(*k) == ACC_NAME))
            .and_then(|(_, a)| a.as_str(ctx));
        if let Some(n) = named {
            return n.to_string();
        }
    }
    v.loc(ctx).name(ctx).unwrap_or_default().to_string()
}

/// A value in the names of the source: what is added up in the order of the text, or
/// as it is computed.
fn words(ctx: &Context, v: Value) -> String {
    let v = without_casts(ctx, v);
    sum(ctx, v).unwrap_or_else(|| source::value(ctx, v))
}

fn without_casts(ctx: &Context, v: Value) -> Value {
    let mut v = v;
    while let Some(op) = v
        .def_op()
        .filter(|o| o.isa::<terrace_dialects::arith::IndexCastOp>(ctx))
    {
        v = op.operand(ctx, 0);
    }
    v
}

/// A sum of multiples of values that have names.
fn sum(ctx: &Context, v: Value) -> Option<String> {
    let mut l = Linear::of_value(ctx, v)?;
    l.terms.sort_by_key(|t| t.1 < 0);
    let mut text = String::new();
    for (t, f) in l.terms {
        let name = name_of(ctx, without_casts(ctx, t));
        if name.is_empty() {
            return None;
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
    Some(match (text.is_empty(), l.constant) {
        (true, c) => c.to_string(),
        (false, 0) => text,
        (false, c) if c < 0 => format!("{text} - {}", c.unsigned_abs()),
        (false, c) => format!("{text} + {c}"),
    })
}

/// How far neighbouring threads are apart where that is no constant, as a clause.
fn apart(ctx: &Context, a: &Access, iv: Value) -> Option<String> {
    let name = name_of(ctx, a.array);
    for s in &a.subscripts {
        if let Some(element) = loaded(ctx, *s, 0) {
            return Some(format!(
                "its subscript is read from memory ({element}), so that neighbouring threads may \
                 be anywhere in {name}"
            ));
        }
    }
    let strides = strides_and_offset(ctx, a.memref.ty(ctx))?.strides;
    let along: Vec<Option<i64>> = a
        .subscripts
        .iter()
        .map(|s| coefficient(ctx, *s, iv))
        .collect();
    let moves: Vec<usize> = (0..along.len()).filter(|k| along[*k] != Some(0)).collect();
    let &[k] = &moves[..] else { return None };
    let rest = along.len() - k - 1;
    let far = match along[k] {
        Some(c) if strides.get(k) == Some(&DYNAMIC) => {
            let what = ["element", "row", "plane"].get(rest).copied()?;
            match c.unsigned_abs() {
                1 => format!("a {what} of {name}"),
                n => format!("{n} {what}s of {name}"),
            }
        }
        None if rest == 0 && strides.get(k) == Some(&1) => {
            format!("{} elements", factor(ctx, a.subscripts[k], iv)?)
        }
        _ => return None,
    };
    Some(format!("neighbouring threads are {far} apart"))
}

/// The element that a subscript, or part of it, is read from.
fn loaded(ctx: &Context, v: Value, depth: u32) -> Option<String> {
    let op = v.def_op().filter(|_| depth < 8)?;
    match op.name(ctx) {
        memref::LoadOp::NAME => source::element(ctx, op),
        arith::AddIOp::NAME
        | arith::SubIOp::NAME
        | arith::MulIOp::NAME
        | arith::IndexCastOp::NAME
        | arith::ExtSIOp::NAME
        | arith::ExtUIOp::NAME
        | arith::TruncIOp::NAME => {
            let mut operands = op.operands(ctx).into_iter();
            operands.find_map(|o| loaded(ctx, o, depth + 1))
        }
        _ => None,
    }
}

/// What a counter is multiplied by in a sum, by name.
fn factor(ctx: &Context, v: Value, iv: Value) -> Option<String> {
    let terms = Linear::of_value(ctx, without_casts(ctx, v))?.terms;
    let varies = |v: Value| coefficient(ctx, v, iv) != Some(0);
    let moving: Vec<_> = terms.into_iter().filter(|t| varies(t.0)).collect();
    let &[(t, f)] = &moving[..] else { return None };
    let product = without_casts(ctx, t).def_op()?;
    if product.name(ctx) != arith::MulIOp::NAME {
        return None;
    }
    let (a, b) = (product.operand(ctx, 0), product.operand(ctx, 1));
    let (with, by) = match (varies(a), varies(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return None,
    };
    let c = coefficient(ctx, with, iv)?.checked_mul(f)?;
    let by = words(ctx, by);
    if by.contains("...") {
        return None;
    }
    let by = match by.contains(' ') {
        true => format!("({by})"),
        false => by,
    };
    Some(match c.unsigned_abs() {
        1 => by,
        n => format!("{n}*{by}"),
    })
}

/// The notes of a band's accesses, made while the counters are still there: `lanes` are
/// the levels that threads are numbered along, x first, and how many threads.
pub(super) fn access_notes(
    ctx: &Context,
    band: &Band,
    accesses: &[Access],
    lanes: &[(usize, i64)],
) -> Vec<AccessNote> {
    let mut out = Vec::new();
    let x = lanes.first().map_or(0, |l| l.0);
    for a in accesses {
        let array = name_of(ctx, a.array);
        let at: String = a
            .subscripts
            .iter()
            .map(|s| format!("[{}]", words(ctx, *s)))
            .collect();
        let along = |level: usize| a.strides.get(level).copied().flatten();
        let axes: Vec<Axis> = lanes.iter().map(|(l, n)| (*n, along(*l))).collect();
        let (sectors, ideal) = sectors(&axes, a.element_bytes);
        let stride = along(x);
        let iv = band.levels.get(x).map(|l| l.iv);
        out.push(AccessNote {
            text: format!("{array}{at}"),
            array,
            place: ctx.diag_loc(a.op.loc(ctx)),
            writes: a.writes,
            stride,
            element_bytes: u32::try_from(a.element_bytes).unwrap_or(u32::MAX),
            apart: match stride {
                Some(_) => None,
                None => iv.and_then(|iv| apart(ctx, a, iv)),
            },
            sectors: Some(sectors),
            ideal: Some(ideal),
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
            // Loops that were made one have counters with places of their own.
            place: match ctx.diag_loc(l.iv.loc(ctx)) {
                DiagLoc::Unknown => ctx.diag_loc(l.op.loc(ctx)),
                place => place,
            },
            variable: l.name.clone(),
            to: to(i),
        })
        .collect()
}

/// The number of blocks along an axis as text; empty where it has no short name.
pub(super) fn blocks(ctx: &Context, total: Value, size: i64, blocks: Value) -> String {
    if let Some(n) = ctx.constant_int(blocks) {
        return n.to_string();
    }
    // Without iterations nothing is launched.
    let is_zero = |v: Value| ctx.constant_int(v) == Some(0);
    let positive = total
        .def_op()
        .filter(|o| o.name(ctx) == arith::MaxSIOp::NAME && is_zero(o.operand(ctx, 1)));
    let total = words(ctx, positive.map_or(total, |o| o.operand(ctx, 0)));
    match total.len() > 40 || total.contains("...") || total.is_empty() {
        true => String::new(),
        false if size == 1 => total,
        false if total.contains(' ') => format!("(({total}) + {}) / {size}", size - 1),
        false => format!("({total} + {}) / {size}", size - 1),
    }
}

/// The number of blocks of a launch that another pass has made; empty where it is neither
/// constant nor so many iterations a block.
fn given_blocks(ctx: &Context, count: Value) -> String {
    let divided = count.def_op().filter(|o| o.isa::<arith::CeilDivSIOp>(ctx));
    let parts =
        divided.and_then(|o| Some((o.operand(ctx, 0), ctx.constant_int(o.operand(ctx, 1))?)));
    match parts {
        Some((total, size)) => blocks(ctx, total, size, count),
        None => ctx
            .constant_int(count)
            .map_or_else(String::new, |n| n.to_string()),
    }
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
            let kind = r.entry(ctx).and_then(|b| of_region(ctx, b));
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
        grid: [String; 3],
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
            k.grid = grid;
            k.accesses = accesses;
        }
    }

    /// Tell that threads have several iterations of a loop, where they do.
    pub(super) fn note_rows(&mut self, band: &Band) {
        let rows = band.root.attr(self.ctx, GPU_ROWS);
        let Some(rows) = rows.and_then(|a| a.as_i64(self.ctx)) else {
            return;
        };
        // The loop whose steps are no single iterations.
        let level = (band.levels.iter()).find(|l| self.ctx.constant_int(l.step) != Some(1));
        let fixed = level.is_some_and(|l| self.ctx.constant_int(l.step).is_some());
        let name = level.map_or("", |l| &l.name);
        let unless = match fixed {
            true => "",
            false => ", where there are enough of them",
        };
        let text = format!(
            "each thread runs {rows} iterations of {name} at once{unless}, and loads once what they share"
        );
        if let Some(k) = self.kernels.last_mut() {
            k.remarks.push(text);
        }
    }

    /// Tell which nest the kernel that was mapped last is of, whose number of blocks is
    /// `given` or follows from the loops.
    pub(super) fn note_origin(&mut self, band: &Band, given: bool) {
        let attr = |name: &str| band.root.int_attr(self.ctx, name);
        let number = attr(GPU_NEST).and_then(|n| usize::try_from(n).ok());
        // As in `note_rows`.
        let level = band.levels.iter().enumerate();
        let mut level = level.filter(|(_, l)| self.ctx.constant_int(l.step) != Some(1));
        let rows = attr(GPU_ROWS).zip(level.next());
        let rows = rows.map(|(iterations, (level, l))| Rows {
            level,
            iterations,
            where_many: self.ctx.constant_int(l.step).is_none(),
        });
        let origin = match number {
            None => Origin::Unknown("its loops are not affine"),
            Some(_) if given => Origin::Unknown(
                "a clause says how many blocks there are, which the model does not know",
            ),
            Some(number) => Origin::Nest { number, rows },
        };
        self.tell_origin(origin);
    }

    pub(super) fn tell_origin(&mut self, origin: Origin) {
        if let Some(k) = self.kernels.last_mut() {
            k.origin = origin;
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
            k.origin = Origin::Unknown(
                "its threads combine what they compute, which the model does not know",
            );
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
            .filter(|o| matches!(o.name(self.ctx), scf::ForOp::NAME | scf::WhileOp::NAME))
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
