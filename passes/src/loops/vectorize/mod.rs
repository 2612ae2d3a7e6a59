//! Vectorisation: iterations of loops become the lanes of vectors.
//!
//! ```text
//! affine.for %i = 0 to 128 {                affine.for %i = 0 to 128 step 4 {
//!   %0 = affine.load %a[%j, %i]               %0 = vector.transfer_read %a[%j, %i], %p
//!   %1 = arith.addf %0, %x              =>    %1 = arith.addf %0, %xs : vector<4xf32>
//!   affine.store %1, %b[%j, %i]               vector.transfer_write %1, %b[%j, %i]
//! }                                         }
//! ```
//!
//! Loops inside a vectorised loop run as they did, with vectors in place of the values
//! they carry. A value that is the same in all lanes is broadcast. An access may move
//! along one subscript only, by one element from lane to lane; others are made lane by lane, as
//! [`Strategy`] says.
//!
//! Lanes past the end of a loop compute what nobody reads: what they would store is out of
//! bounds of the memref or masked, and what they would add to a reduction is replaced by
//! its neutral element. Ops that must not run for nothing, such as divisions, are refused
//! then.
//!
//! Conditions that differ between lanes are `conditions`' matter. `check` decides, `emit` does; nothing has changed where it is refused.

mod accesses;
mod bounds;
mod check;
mod conditions;
mod emit;
pub(crate) mod gathers;
pub(crate) mod lanes;
mod reductions;
pub(crate) mod turns;

use super::Refusal;
use super::single_iteration::promote_if_single_iteration;
use super::unroll::remainders_of;
use crate::analysis::bounds::{constant_trip_count, trip_count_divisor};
use rustc_hash::FxHashMap;
use terrace_dialects::affine::ForOp;
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_ir::{AttrData, Context, Op, OpKind};

/// Which loops the dimensions of vectors run along.
#[derive(Debug, Clone)]
pub struct Strategy {
    /// The shape of the vectors.
    pub sizes: Vec<i64>,
    /// The dimension that runs along each vectorised loop.
    pub dim_of: FxHashMap<Op, usize>,
    /// Use only what registers have: of accesses along another subscript than the last, or by
    /// another distance than one element, those of `turns` take lanes in another order, and the
    /// others are made lane by lane. Conditions that all lanes share stay scalars, those that
    /// differ are asked for all lanes (`conditions`), and the variable of the loop may be used
    /// as a number. For vectors of one dimension.
    pub for_registers: bool,
    /// Take only accesses that are known to be within their arrays, and mark them so: the target
    /// checks each access, and says at which element a program went wrong.
    pub checked: bool,
    /// Add floats in the order of the iterations, where their ops do not allow another one: the
    /// terms are vectors, and the lanes are added one after the other.
    pub in_order: bool,
}

/// How [`vectorize`] may go about it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The loop may carry values that are reductions, which are made in another order then
    /// unless `in_order` is set.
    pub reductions: bool,
    /// See [`Strategy::for_registers`].
    pub for_registers: bool,
    /// See [`Strategy::checked`].
    pub checked: bool,
    /// See [`Strategy::in_order`].
    pub in_order: bool,
}

/// What pads reads past the end of a memref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// Nothing that may be used, as upstream does.
    Poison,
    /// Nothing is read there: all accesses are in bounds.
    InBounds,
}

/// Let the loops of `strategy`, `root` among them, run in vectors; `root` is replaced.
/// Whether their iterations may run in any order is for the caller to know.
///
/// # Errors
///
/// An op that cannot work on vectors, a subscript that does not move by one element from
/// lane to lane, bounds that differ between lanes, a step other than 1, or a carried value
/// that is not a reduction.
pub fn vectorize_nest(
    ctx: &mut Context,
    root: ForOp,
    strategy: &Strategy,
    padding: Padding,
) -> Result<ForOp, Refusal> {
    let checked = check::check(ctx, root, strategy, false)?;
    Ok(emit::emit(ctx, root, strategy, &checked, padding))
}

/// Let `l` run in vectors of `size` iterations; those left over go to a loop behind, which
/// stays as it was. Loops inside stay loops. Gives the vectorised loop.
///
/// # Errors
///
/// As for [`vectorize_nest`]; or `l` is known to run less often than `size`, has bounds of
/// which it cannot be told where a remainder begins, or carries values that may not be reductions.
pub fn vectorize(
    ctx: &mut Context,
    l: ForOp,
    size: u64,
    options: Options,
) -> Result<ForOp, Refusal> {
    let loc = l.op().loc(ctx);
    let refuse = |m: String| Err(Refusal::new(loc, m));
    let Some(lanes) = i64::try_from(size)
        .ok()
        .filter(|n| (1..=1 << 16).contains(n))
    else {
        return refuse(format!(
            "cannot vectorise by {size}: expected 1 to 65536 lanes"
        ));
    };
    if !options.reductions && l.op().num_results(ctx) > 0 {
        let m = "cannot vectorise: the loop carries values; as reductions they would be \
                 combined in another order";
        return refuse(m.into());
    }
    if let Some(n) = constant_trip_count(ctx, l).filter(|n| *n < size) {
        return refuse(format!(
            "cannot vectorise by {size}: the loop runs only {n} times"
        ));
    }
    let strategy = |l: ForOp| Strategy {
        sizes: vec![lanes],
        dim_of: FxHashMap::from_iter([(l.op(), 0)]),
        for_registers: options.for_registers,
        checked: options.checked,
        in_order: options.in_order,
    };
    let even = trip_count_divisor(ctx, l).is_multiple_of(size);
    let checked = check::check(ctx, l, &strategy(l), true)?;
    if !even {
        let Some(rests) = remainders_of(ctx, l, size) else {
            return refuse("cannot tell where the iterations left over begin".into());
        };
        for rest in rests {
            if options.for_registers {
                let mark = ctx.attr(AttrData::Unit);
                rest.op().set_attr(ctx, LOOP_LEFT_OVER, mark);
            }
            promote_if_single_iteration(ctx, rest);
        }
    }
    Ok(emit::emit(
        ctx,
        l,
        &strategy(l),
        &checked,
        Padding::InBounds,
    ))
}
