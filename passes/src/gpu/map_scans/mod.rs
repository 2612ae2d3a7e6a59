//! `gpu-map-scans`: loops with a running value become kernels that scan.
//!
//! ```text
//! %t = affine.for %i = 0 to %n            gpu.launch {
//!     iter_args(%s = %init) {               while %tile = the next one {
//!   %x = affine.load %A[%i]                   %x = scan of A in %tile, told and kept
//!   %u = arith.addi %s, %x          =>        %s = %init + all in front of the tile before
//!   affine.store %u, %B[%i]                   %s + what was kept of that, stored to B
//!   affine.yield %u                         }
//! }                                       }
//! ```
//!
//! Legal where iterations depend on each other by the running value alone, and the op that
//! combines it with something may be done in any order: integers, the greatest and the
//! least, and sums and products of floats where the program says so. G. Blelloch, "Prefix
//! sums and their applications", 1990; D. Merrill, M. Garland, "Single-pass parallel prefix
//! scan with decoupled look-back", 2016.
//!
//! A long row is scanned by the whole machine in one pass (`once`). Where rows are many each has a block,
//! or a warp where it is short, and there is one launch. Of a recurrence of which only the last value counts, and where
//! stores are to places of their own, blocks add up parts before a second launch.
//!
//! Rows that lie side by side, columns, are scanned in one pass where they are long and not many (`chain`).
//!
//! | file | what |
//! | --- | --- |
//! | `shape` | what a scan is |
//! | `running` | what carries a value from one iteration to the next |
//! | `find` | which loops are scans, from their bodies |
//! | `linear` | those whose running value x becomes a * x + b |
//! | `choice` | those that a condition replaces |
//! | `nested` | loops that carry a value together |
//! | `segmented` | those whose value a condition starts again, as choices |
//! | `restart` | and as steps |
//! | `conditional` | those that only some iterations change |
//! | `turned` | those with the loop over rows inside |
//! | `legal` | and from dependences |
//! | `packed` | stores to places that the running value gives out |
//! | `policy` | sizes, and when it pays |
//! | `emit` | the launches, and what chooses between them and the loop |
//! | `once` | scans of long rows in one pass |
//! | `vectors` | how a thread's elements lie there, and loads of several at once |
//! | `halves` | what is done with a tile there |
//! | `front` | what comes in front of it |
//! | `words` | by what blocks tell each other |
//! | `chain` | scans of columns in one pass |
//! | `kernel` | the kernels |
//! | `state` | what is combined: one value, or a and b |
//! | `tile` | a block's tile |
//! | `columns` | a tile of rows that lie side by side |
//! | `fold` | what steps that keep their order come to |
//! | `body` | what an iteration does, in a kernel |

mod body;
mod chain;
mod choice;
mod columns;
mod conditional;
mod emit;
mod find;
mod fold;
mod front;
mod halves;
mod kernel;
mod legal;
mod linear;
mod nested;
mod once;
mod packed;
mod policy;
mod restart;
mod running;
mod segmented;
mod shape;
mod state;
mod tile;
mod turned;
mod vectors;
mod words;

use super::map::band::{band_of, in_order};
use super::map::mapper_of;
use super::match_failure::{no_match, no_match_at_all};
use crate::analysis::dependence::first_carried;
use crate::analysis::directive::{Region, fixed_shape, is_sequential};
use crate::analysis::source;
use crate::loops::parallelize::parallelize;
pub(crate) use emit::array;
use find::MatchFailure;
use legal::Obstacle;
use shape::{Combining, Scan};
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::{func, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};
use terrace_machine::Arch;

pub static INFO: PassInfo = PassInfo {
    name: "gpu-map-scans",
    title: "GpuMapScans",
    summary: "Make kernels of loops that compute prefix sums",
    description: "Finds affine.for ops with a running value that an associative op combines with something in each iteration, carried by the loop or by memory, and makes launches of them that load each element once. Where there are few elements when the program runs, the loop stays.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "arch",
            OptionKind::Str,
            "sm_80",
            "The architecture that kernels are for",
        ),
        OptionInfo::flag(
            "reassociate",
            "Sums and products of floats may be computed in any order",
        ),
        OptionInfo::new(
            "least",
            OptionKind::UInt,
            policy::MIN,
            "Elements from which on kernels are used",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each loop with a running value what was made of it or why nothing, as remarks",
        ),
        OptionInfo::flag(
            "mark-overwritten",
            "Put an xfer.discard in front of what overwrites a whole array, as xfer-mark-overwritten does of loops",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-scans",
        "Number of scans that have kernels",
    )],
    make: |o| {
        let arch: Arch = o.str("arch").parse()?;
        Ok(Box::new(MapScans {
            wanted: Wanted {
                sm: u32::from(arch.sm),
                least: i64::try_from(o.uint("least")).unwrap_or(i64::MAX),
                marks: o.bool("mark-overwritten"),
            },
            reassociate: o.bool("reassociate"),
            notes: o.bool("notes"),
        }))
    },
};

/// What kernels are for.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    sm: u32,
    /// Elements from which on there are kernels.
    least: i64,
    /// Whether it is said of arrays that nothing of them is left.
    marks: bool,
}

/// Puts launches in the place of a band of parallel loops whose iterations each hold a scan, for
/// the architecture `sm`. False, and nothing changed, where they hold something else.
pub(crate) fn map_band(ctx: &mut Context, band: &[ParallelOp], sm: u32, reassociate: bool) -> bool {
    let Some(root) = band.first().map(|p| p.op()) else {
        return false;
    };
    // A scan counts its rows by loops in order.
    let copy = clone_op(ctx, root, &mut IrMapping::new());
    copy.insert_before(ctx, root);
    let copies = copy.cast::<ParallelOp>(ctx).map(|p| band_of(ctx, p));
    let rows = in_order(ctx, &copies.unwrap_or_default());
    let inside = rows.last().and_then(|l| {
        let ops = l.body(ctx).ops(ctx);
        ops.into_iter().find_map(|o| o.cast::<ForOp>(ctx))
    });
    let found = inside.and_then(|l| scan(ctx, l, reassociate).ok());
    let Some(s) = found.filter(|s| s.rows.len() == rows.len()) else {
        if let Some(first) = rows.first() {
            first.op().erase(ctx);
        }
        return false;
    };
    let least = policy::MIN.parse().unwrap_or(i64::MAX);
    let marks = false;
    emit::emit(ctx, &s, Wanted { sm, least, marks });
    for l in rows {
        parallelize(ctx, l, &[]);
    }
    root.erase(ctx);
    true
}

struct MapScans {
    wanted: Wanted,
    reassociate: bool,
    notes: bool,
}

impl Pass for MapScans {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut made = 0;
        let reassociate = self.reassociate || Region::of(ctx, function).reassociates;
        nested::coalesce_scans(ctx, function, reassociate);
        segmented::choose_values(ctx, function, reassociate);
        conditional::take_out(ctx, function, reassociate);
        turned::put_rows_outside(ctx, function, reassociate);
        for l in function.find_all::<ForOp>(ctx) {
            match scan(ctx, l, reassociate) {
                Ok(s) => {
                    if self.notes {
                        l.op().remark(ctx, words(ctx, &s));
                    }
                    emit::emit(ctx.ctx, &s, self.wanted);
                    made += 1;
                }
                Err(why) if self.notes && why.near => {
                    let m = format!("no kernel for the scan of this loop: this {}", why.why);
                    why.op.remark(ctx, m);
                }
                Err(_) => {}
            }
        }
        ctx.count("num-scans", made);
        Ok(())
    }
}

fn words(ctx: &Context, s: &Scan) -> String {
    let what = match s.rows.len() {
        0 if s.only_last || vectors::scatters(ctx, s) => "in parts",
        0 => "in one pass",
        _ if s.side_by_side => "in one pass, rows side by side,",
        _ => "row by row, by the whole machine where rows are few,",
    };
    format!("scanned {what} where there are enough elements")
}

/// The scan of `l`, with as many of the loops around it for rows as may be.
fn scan(ctx: &Context, l: ForOp, reassociate: bool) -> Result<Scan, MatchFailure> {
    let mut s = find::find(ctx, l)?;
    if is_sequential(ctx, l.op()) {
        return no_match(
            l.op(),
            "is to run one iteration after another by its directive",
        );
    }
    if fixed_shape(ctx, l.op()).is_some() {
        return no_match(
            l.op(),
            "stands where a directive gives numbers of gangs or threads",
        );
    }
    s.reassociates |= reassociate;
    if !s.reassociates {
        let does = match &s.how {
            Combining::Op(_, v) => format!("adds {} to", source::value(ctx, *v)),
            Combining::Restart(_) => "adds something to".to_string(),
            _ => "makes a * x + b of".to_string(),
        };
        return no_match(
            s.combiner,
            format!(
                "{does} a running value of type {}, and sums and products of floats may only be computed in another order with 'fastmath<reassoc>' on the op or with '--reassociate'",
                ctx.type_text(s.ty)
            ),
        );
    }
    let around = around(ctx, l)?;
    let mut rows = around.len();
    let mut fewer = None;
    loop {
        let s = with_rows(ctx, l, rows, reassociate, &around, &mut fewer)?;
        match legal::check(ctx, &s) {
            Ok(()) if mapper_of(ctx, s.root().op()).is_some() => {
                return no_match_at_all(l.op(), "has another mapper");
            }
            Ok(()) => {
                let mut s = s;
                stays_on_host(ctx, &around[s.rows.len()..], fewer)?;
                s.side_by_side = goes_across_rows(ctx, &s);
                if s.side_by_side && s.only_last {
                    return no_match(
                        l.op(),
                        "goes along columns, which lie side by side, so that each has a thread",
                    );
                }
                linear::rows_differ(ctx, &s)?;
                return Ok(s);
            }
            Err(Obstacle::Scan(not)) => return Err(not),
            Err(Obstacle::Rows(not)) if s.rows.is_empty() => return Err(not),
            Err(Obstacle::Rows(not)) => {
                rows = s.rows.len() - 1;
                fewer = Some(not);
            }
        }
    }
}

/// A loop around the scan, and whether it is the next one out with nothing in between.
type Around = (ForOp, bool);

/// The `affine.for` ops around `l`, the innermost first.
fn around(ctx: &Context, l: ForOp) -> Result<Vec<Around>, MatchFailure> {
    let mut loops = Vec::new();
    let mut direct = true;
    let mut at = l.op();
    while let Some(parent) = at.parent(ctx) {
        match parent.name(ctx) {
            ForOp::NAME => loops.push((ForOp::wrap(parent), direct)),
            func::FuncOp::NAME => return Ok(loops),
            scf::ForOp::NAME | scf::IfOp::NAME | scf::WhileOp::NAME => direct = false,
            _ => return no_match(l.op(), format!("stands in '{}'", parent.name(ctx))),
        }
        at = parent;
    }
    Ok(loops)
}

/// The scan with up to `rows` of the loops around it for rows; `fewer` gets why not with all.
fn with_rows(
    ctx: &Context,
    l: ForOp,
    rows: usize,
    reassociate: bool,
    around: &[Around],
    fewer: &mut Option<MatchFailure>,
) -> Result<Scan, MatchFailure> {
    let mut taken = rows.min(around.iter().take_while(|a| a.1).count());
    loop {
        let mut s = find::find(ctx, l)?;
        s.reassociates |= reassociate;
        let mut added = around.iter().take(taken).enumerate();
        let stopped =
            added.find_map(|(n, (row, _))| Some((n, find::add_row(ctx, &mut s, *row).err()?)));
        if let Some((n, why)) = stopped {
            taken = n;
            *fewer = Some(why);
            continue;
        }
        match find::check_rows(ctx, &s) {
            Ok(()) => return Ok(s),
            Err(why) if taken == 0 => return Err(why),
            Err(why) => {
                taken -= 1;
                *fewer = Some(why);
            }
        }
    }
}

/// The loops around the rows must run one iteration after another: in others each
/// iteration has a thread, which is more than a scan gains. `fewer` says why they are none
/// of rows.
fn stays_on_host(
    ctx: &Context,
    around: &[Around],
    fewer: Option<MatchFailure>,
) -> Result<(), MatchFailure> {
    for (l, _) in around {
        if l.iter_args(ctx).is_empty() && first_carried(ctx, l.op()).is_none() {
            return Err(fewer.unwrap_or(MatchFailure {
                op: l.op(),
                why: "has independent iterations, and there is more between it and the scan"
                    .to_string(),
                near: true,
            }));
        }
    }
    Ok(())
}

/// Whether rows lie side by side.
fn goes_across_rows(ctx: &Context, s: &Scan) -> bool {
    let Some(row) = s.rows.last() else {
        return false;
    };
    let (mut along, mut across) = (0, 0);
    for op in s.slice.iter().chain(&s.rest) {
        let next =
            |l: ForOp| find::stride(ctx, *op, l.iv(ctx)).map(|n| n.saturating_mul(l.step(ctx)));
        along += usize::from(matches!(next(s.l), Some(1 | -1)));
        across += usize::from(matches!(next(*row), Some(1 | -1)));
    }
    across > along
}
