//! Scalar replacement: elements of arrays that a loop uses again and again stay in
//! registers.
//!
//! - An element that is the same in all iterations is loaded before the loop, carried by
//!   it, and stored behind it: [`invariant`].
//! - An element that a later iteration, a constant number of iterations on, uses again is
//!   handed on to that iteration: [`rotate`] (Carr, Kennedy, "Scalar replacement in the
//!   presence of conditional control flow", 1994, without the conditional part).
//!
//! Only what certainly is the same element counts, and nothing else in the loop may touch
//! it. Where the loop might not run, what is put before and behind it is under a condition,
//! so that no element is touched that was not.

pub(crate) mod invariant;
pub(crate) mod rotate;

mod group;
pub(crate) mod runs;

use super::Refusal;
use crate::analysis::in_bounds::is_stored_before;
use crate::analysis::parallel::accesses;
use group::Candidates;
use terrace_dialects::affine::ForOp;
use terrace_ir::{Context, OpKind, Value};

/// How many values one array may be carried in along a loop.
pub const MAX_DISTANCE: u64 = 16;

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub struct Promoted {
    /// The loop; another one than before where it carries more values now.
    pub loop_: ForOp,
    /// Elements kept that are the same in all iterations.
    pub invariant: usize,
    /// Sets of elements handed on from iteration to iteration.
    pub rotated: usize,
}

/// What is kept in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Elements that are the same in all iterations.
    Invariant,
    /// The same, where no condition comes around it: the loop runs for sure, or the element was
    /// stored in front of it.
    WhereSure,
    /// These, and elements that a later iteration uses again, where that costs a core no more
    /// than to load them: each value handed on is moved in each iteration, so it has to take a
    /// load's place, and there are no more than so many of them.
    Cheap(u64),
    /// These, and all elements that a later iteration uses again.
    All,
}

impl Kept {
    /// With `rotate`, also what later iterations use again.
    pub fn with(rotate: bool) -> Kept {
        match rotate {
            true => Kept::All,
            false => Kept::Invariant,
        }
    }
}

/// Keep elements that `l` uses again in registers; of `only` that memref if given.
///
/// # Errors
///
/// There is nothing to keep: then the message says what is in the way.
pub fn promote(
    ctx: &mut Context,
    l: ForOp,
    only: Option<Value>,
    kept: Kept,
) -> Result<Promoted, Refusal> {
    let loc = l.op().loc(ctx);
    // What its effects are on has to be known of every op.
    if let Err(op) = accesses(ctx, l, |_, _| false) {
        let m = "cannot keep elements in registers: what an op in the loop does to memory is \
                 not known";
        let name = format!("'{}' is here", op.name(ctx));
        return Err(Refusal::new(loc, m).note(op.loc(ctx), name));
    }
    let mut done = Promoted {
        loop_: l,
        invariant: 0,
        rotated: 0,
    };
    let mut obstacle = None;
    let found = Candidates::of(ctx, l, only, &mut obstacle);
    let sure =
        kept != Kept::WhereSure || matches!(runs::Runs::of(ctx, l, 1), Some(runs::Runs::Always));
    for g in &found.invariant {
        if !sure && !is_stored_before(ctx, &g.members[0], done.loop_.op()) {
            continue;
        }
        if let Some(new) = invariant::keep(ctx, done.loop_, g) {
            done.loop_ = new;
            done.invariant += 1;
        }
    }
    let mut left = match kept {
        Kept::Invariant | Kept::WhereSure => 0,
        Kept::Cheap(most) => most,
        Kept::All => u64::MAX,
    };
    for g in &found.rotating {
        let carried = g.phases.1.abs_diff(g.phases.0);
        if carried > left || (kept != Kept::All && carried > g.loads_saved()) {
            continue;
        }
        left -= carried;
        if let Some(new) = rotate::hand_on(ctx, done.loop_, g) {
            done.loop_ = new;
            done.rotated += 1;
        }
    }
    if done.invariant + done.rotated > 0 {
        return Ok(done);
    }
    Err(obstacle.unwrap_or_else(|| {
        let m = "cannot keep elements in registers: no element is used in more than one \
                 iteration at a constant distance";
        Refusal::new(loc, m)
    }))
}
