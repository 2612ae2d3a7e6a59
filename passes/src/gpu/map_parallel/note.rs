//! What is said of the launches of a nest.

use super::Mapper;
use super::accesses::{Access, strides};
use super::band::{Band, Level};
use super::nest::Axes;
use super::words::{apart, name_of, words};
use crate::analysis::reduction::of_region;
use crate::gpu::launch_note::{
    AccessNote, Kind, LaunchNote, MappedLoop, MappedTo, ReductionNote, Rows,
};
use crate::gpu::sectors::{Axis, sectors};
use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_dialects::attributes::GPU_ROWS;
use terrace_dialects::gpu;
use terrace_ir::diag::DiagLoc;
use terrace_ir::{Context, OpKind};

/// The notes of a band's accesses, made while the counters are still there: `lanes` are
/// the levels that threads are numbered along, x first, and how many threads.
pub(super) fn access_notes(
    ctx: &Context,
    band: &Band,
    accesses: &[Access],
    lanes: &[(usize, i64)],
) -> Vec<AccessNote> {
    let mut out: Vec<AccessNote> = Vec::new();
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
        let together = |(n, stride): &Axis| match stride {
            Some(s) if s % a.joined == 0 => Some((*n, Some(s / a.joined))),
            Some(_) => None,
            None => Some((*n, None)),
        };
        let (sectors, ideal) = match axes.iter().map(together).collect::<Option<Vec<Axis>>>() {
            Some(axes) => sectors(&axes, a.element_bytes * a.joined),
            None => sectors(&axes, a.element_bytes),
        };
        let place = ctx.diag_loc(a.op.loc(ctx));
        // Of a tile that is full and one that is cut off, the former says what there is to say.
        let again = |n: &AccessNote| {
            place != DiagLoc::Unknown
                && (&n.place, &n.array, n.writes) == (&place, &array, a.writes)
        };
        if out.iter().any(again) {
            continue;
        }
        let stride = along(x);
        let iv = band.levels.get(x).map(|l| l.iv);
        out.push(AccessNote {
            text: format!("{array}{at}"),
            array,
            place,
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

/// What a reduction does, in a word, and whether its order shows.
fn operation(ctx: &Context, band: &Band) -> Vec<ReductionNote> {
    let Some(reduce) = band.reduce else {
        return Vec::new();
    };
    let names: Vec<String> = band
        .root
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

/// Iterations of a loop that a thread does, where they are several, and the remark that says so.
fn rows(ctx: &Context, band: &Band) -> (Option<Rows>, Option<String>) {
    let Some(iterations) = band.root.int_attr(ctx, GPU_ROWS) else {
        return (None, None);
    };
    // The loop whose steps are no single iterations.
    let mut levels = band.levels.iter().enumerate();
    let level = levels.find(|(_, l)| ctx.constant_int(l.step) != Some(1));
    let where_many = level.is_some_and(|(_, l)| ctx.constant_int(l.step).is_none());
    let name = level.map_or("", |(_, l)| &l.name);
    let unless = match level.is_some() && !where_many {
        true => "",
        false => ", where there are enough of them",
    };
    let text = format!(
        "each thread runs {iterations} iterations of {name} at once{unless}, and loads once what \
         they share"
    );
    let rows = level.map(|(level, _)| Rows {
        level,
        iterations,
        where_many,
    });
    (rows, Some(text))
}

impl Mapper<'_> {
    /// The note of a nest whose loops run along `axes`.
    pub(super) fn nest_note(
        &self,
        band: &Band,
        axes: &Axes,
        accesses: Vec<AccessNote>,
        grid: [String; 3],
    ) -> LaunchNote {
        let axis = |level: usize| {
            let d = axes.levels.iter().position(|a| a.contains(&level));
            MappedTo::Axis(d.unwrap_or(2) as u8)
        };
        let (rows, remark) = rows(self.ctx, band);
        LaunchNote {
            loops: loops(self.ctx, band, axis),
            grid,
            fixed: self.clauses.gangs.is_some(),
            rows,
            accesses,
            remarks: remark.into_iter().collect(),
            ..LaunchNote::default()
        }
    }

    /// The note of the first launch of a reduction with blocks of so many threads, where notes
    /// are wanted.
    pub(super) fn reduction_note(&self, band: &Band, threads: i64) -> Option<LaunchNote> {
        // Threads are numbered along all loops, the last one fastest.
        let count = |l: &Level| self.ctx.constant_int(l.trips).unwrap_or(threads);
        let levels = band.levels.iter().enumerate().rev();
        let lanes: Vec<(usize, i64)> = levels.map(|(i, l)| (i, count(l))).collect();
        self.options.notes.then(|| LaunchNote {
            kind: Kind::Reduction,
            loops: loops(self.ctx, band, |_| MappedTo::Axis(0)),
            accesses: access_notes(self.ctx, band, &strides(self.ctx, band), &lanes),
            reductions: operation(self.ctx, band),
            ..LaunchNote::default()
        })
    }

    /// The note of a launch that combines what others have left, where notes are wanted.
    pub(super) fn combination_note(&self, words: &str) -> Option<LaunchNote> {
        self.options.notes.then(|| LaunchNote {
            kind: Kind::Combination,
            remarks: vec![words.into()],
            ..LaunchNote::default()
        })
    }

    /// Leaves a note, if there is one, on its launch.
    pub(super) fn leave(&self, launch: gpu::LaunchOp, note: Option<LaunchNote>) {
        if let Some(note) = note {
            note.put(self.ctx, launch.op());
        }
    }
}

/// What is said of a launch whose blocks get their shape when the program runs.
pub(super) const FITTED: &str =
    "where loops turn out to be short, blocks have another shape and no more threads";

/// What is said of the launch that ends a reduction.
pub(super) const LAST: &str = "combines the partial results of the blocks, in their order";
