//! `affine-tile-registers`: sums of three loops are made in tiles that stay in registers.
//!
//! ```text
//! affine.for %i = 0 to %n {              affine.for %j = 0 to %m step 24 {
//!   affine.for %k = 0 to %l {              affine.for %i = 0 to %n step 8 {
//!     affine.for %j = 0 to %m {              8 x 24 elements of c
//!       c[%i, %j] +=                  =>     affine.for %k = 0 to %l {
//!         a[%i, %k] * b[%k, %j]                them += a[%i + .., %k] * b[%k, %j ..]
//! ```
//!
//! Taken are nests in which each loop has a role (`roles`): one along the rows and one along the
//! columns of what is stored, the latter through neighbours in memory, and one whose iterations all
//! go to one element. Something that is loaded has to be shared by rows, and something by columns,
//! since a tile pays by what its elements share. What is done with them does not matter.
//!
//! Of one element all operations keep their order, so that its bits stay as they are. Rows are
//! unrolled and jammed, columns become lanes, and the elements of a tile are carried along the sum.
//! Long sums are made in parts. What all rows use of a part is put together in front of them, so that
//! it is read from neighbouring lines of the nearest caches (`pack`); columns that are no neighbours in
//! memory, as those of a transposed factor, become lanes there, once.

mod pack;
mod roles;

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::jam::jam_obstacle;
use crate::loops::carry::{carry, set_yielded};
use crate::loops::distribute::{distribute, independent_parts, statements};
use crate::loops::permute::permute;
use crate::loops::strip_mine::strip_mine;
use crate::loops::take_over::take_over;
use crate::loops::unroll_jam::unroll_jam;
use crate::loops::vectorize::{self, vectorize};
use roles::Roles;
use terrace_dialects::affine::{ForOp, LoadOp, StoreOp, YieldOp};
use terrace_dialects::func;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-tile-registers",
    title: "AffineTileRegisters",
    summary: "Make sums of three affine loops in tiles that stay in registers",
    description: "Reorders and tiles nests of three affine.for ops that add to the elements of an array, so that a tile of it stays in registers along the sum, where what is loaded is shared by rows and by columns.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new("bytes", OptionKind::UInt, "64", "Bytes of a register"),
        OptionInfo::new("registers", OptionKind::UInt, "32", "Registers of a core"),
        OptionInfo::flag(
            "checked",
            "Take only accesses that are within their arrays for sure, and mark them so",
        ),
    ],
    statistics: &[StatisticInfo::new("num-nests", "Number of nests tiled")],
    make: |o| {
        Ok(Box::new(TileRegisters {
            bytes: o.uint("bytes"),
            registers: o.uint("registers"),
            checked: o.bool("checked"),
        }))
    },
};

/// Iterations of a sum that are made together: of a tile's columns, what they load fills a part of
/// the second cache.
const DEPTH: u64 = 256;
/// Fewer rows use what is loaded for columns too seldom for it to be put together.
const LEAST_ROWS: u64 = 32;
/// Sums of fewer iterations gain nothing.
const LEAST_DEPTH: u64 = 8;

struct TileRegisters {
    bytes: u64,
    registers: u64,
    checked: bool,
}

impl Pass for TileRegisters {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut at = 0;
        while let Some(l) = innermost(ctx, op).get(at).copied() {
            at += 1;
            if Roles::of(ctx, l).is_none() {
                continue;
            }
            // Not all that is in the way is known before.
            let copy = clone_op(ctx, op, &mut IrMapping::new());
            let made = innermost(ctx, copy)
                .get(at - 1)
                .and_then(|l| self.tile(ctx, *l));
            if made.is_some() {
                take_over(ctx, op, copy);
                ctx.count("num-nests", 1);
                at = 0;
            }
            copy.erase(ctx);
        }
        Ok(())
    }
}

/// The loops without loops inside.
fn innermost(ctx: &Context, op: Op) -> Vec<ForOp> {
    let mut loops = op.find_all::<ForOp>(ctx);
    loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
    loops
}

/// Whether two loops in `op`, whose iterations are counted by `counter`, and that make a nest that is
/// tiled where its iterations are a loop.
pub(crate) fn would_be_tiled(ctx: &Context, op: Op, counter: Value) -> bool {
    innermost(ctx, op).into_iter().any(|l| {
        let around = l.op().parent(ctx).and_then(|o| o.cast::<ForOp>(ctx));
        around.is_some_and(|m| {
            let counters = [counter, m.iv(ctx), l.iv(ctx)];
            m.op().parent(ctx) == Some(op) && roles::of_counters(ctx, l, counters).is_some()
        })
    })
}

impl TileRegisters {
    /// Rows of a tile, and registers of its columns: with what is shared and what is computed they
    /// take all registers.
    fn shape(&self) -> (u64, u64) {
        match self.registers {
            32.. => (8, 3),
            _ => (4, 2),
        }
    }

    /// Tiles the nest around an innermost loop; nothing, and it is not to be used, where that cannot
    /// be.
    fn tile(&self, ctx: &mut Context, inner: ForOp) -> Option<()> {
        let roles = Roles::of(ctx, inner)?;
        let (rows, registers) = self.shape();
        let lanes = 8 * self.bytes / u64::from(roles.bits);
        let [row, sum, col] = [roles.row, roles.sum, roles.col];
        let at_least = |l: ForOp, n: u64| constant_trip_count(ctx, l).is_none_or(|t| t >= n);
        if !at_least(row, rows) || !at_least(sum, LEAST_DEPTH) || !at_least(col, 2 * lanes) {
            return None;
        }
        let wide = if at_least(col, registers * lanes) {
            registers
        } else {
            1
        };
        let place = |l: ForOp| roles.band().iter().position(|b| *b == l);
        let [row, sum, col] = [place(row)?, place(sum)?, place(col)?];
        let band = alone(ctx, roles.band())?;
        // A part of the sum around all, for long ones.
        let depth = constant_trip_count(ctx, band[sum]).filter(|n| *n <= 2 * DEPTH);
        let many_rows = constant_trip_count(ctx, band[row]).is_none_or(|n| n >= LEAST_ROWS);
        let (around, nest) = match depth {
            None => {
                let outer = permute(ctx, &band, &[sum, col, row]).ok()?;
                let (parts, part) = strip_mine(ctx, outer[0], DEPTH).ok()?;
                let nest = permute(ctx, &[part, outer[1], outer[2]], &[1, 2, 0]).ok()?;
                (Some(parts), nest)
            }
            Some(_) => (None, permute(ctx, &band, &[col, row, sum]).ok()?),
        };
        let [col, row, sum] = nest[..] else {
            return None;
        };
        carry_element(ctx, sum)?;
        if jam_obstacle(ctx, row, rows).is_some() {
            return None;
        }
        unroll_jam(ctx, row, rows).ok()?;
        let options = vectorize::Options {
            reductions: true,
            for_registers: true,
            checked: self.checked,
            in_order: true,
        };
        let tiles = vectorize(ctx, col, wide * lanes, options).ok()?;
        if many_rows {
            let around = around.map_or(tiles.op(), |l| l.op());
            pack::pack(ctx, around, tiles, depth.unwrap_or(DEPTH));
        }
        // Columns that are left over are whole registers, mostly.
        let mut rest = tiles.op().next(ctx);
        while let Some(l) = rest.and_then(|o| o.cast::<ForOp>(ctx)) {
            rest = l.op().next(ctx);
            if wide > 1 {
                // Where not, they stay as they are.
                let _ = vectorize(ctx, l, lanes, options);
            }
        }
        Some(())
    }
}

/// Carries the element that all iterations of `l` add to. It runs at least once: it is a part of a
/// sum, or long.
fn carry_element(ctx: &mut Context, l: ForOp) -> Option<()> {
    let ops = l.body(ctx).ops(ctx);
    let store = ops.iter().find_map(|o| o.cast::<StoreOp>(ctx))?;
    let (memref, value) = (store.memref(ctx), store.value(ctx));
    let (map, operands) = (store.map(ctx).clone(), store.map_operands(ctx));
    // Of the same array there is no other load.
    let load =
        (ops.iter().filter_map(|o| o.cast::<LoadOp>(ctx))).find(|o| o.memref(ctx) == memref)?;
    let mut b = Builder::before(ctx, l.op());
    b.loc = load.op().loc(b.ctx);
    let begin = LoadOp::build(&mut b, memref, map.clone(), &operands);
    let ctx = b.ctx;
    let new = carry(ctx, l, &[begin]);
    let carried = *new.iter_args(ctx).last()?;
    load.op().replace(ctx, &[carried]);
    let loc = store.op().loc(ctx);
    store.op().erase(ctx);
    set_yielded(ctx, new, &[value]);
    let end = new.op().result(ctx, 0);
    let mut b = Builder::after(ctx, new.op());
    b.loc = loc;
    StoreOp::build(&mut b, end, memref, map, &operands);
    Some(())
}

/// The loops of a band with nothing beside one another: what else is in them becomes loops of its
/// own. Nothing where that would change what depends on what.
fn alone(ctx: &mut Context, band: [ForOp; 3]) -> Option<Vec<ForOp>> {
    let mut band = band.to_vec();
    for around in [1, 0] {
        let l = band[around];
        let inside = band[around + 1].op();
        let other = |o: &Op| *o != inside && !o.isa::<YieldOp>(ctx) && !is_pure(ctx, *o);
        if !l.body(ctx).ops(ctx).iter().any(other) {
            continue;
        }
        let parts = independent_parts(ctx, l, &statements(ctx, l));
        let own = parts.iter().position(|p| p.contains(&inside))?;
        if parts[own].len() > 1 {
            return None;
        }
        let loops = distribute(ctx, l, &parts).ok()?;
        let own = *loops.get(own)?;
        // The loops inside may be others now.
        band[around] = own;
        let mut at = own;
        for place in band.iter_mut().skip(around + 1) {
            let all = at.body(ctx).ops(ctx);
            at = all.into_iter().find_map(|o| o.cast::<ForOp>(ctx))?;
            *place = at;
        }
    }
    Some(band)
}
