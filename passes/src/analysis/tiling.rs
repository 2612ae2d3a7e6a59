//! Whether a band of loops may be cut into rectangular tiles.
//!
//! Tiles run one after the other, so that an iteration may come before one that it
//! came after where it is in an earlier tile along some loop. Legal therefore is a
//! band in which no dependence goes backwards along any loop: for accesses in two
//! iterations, one before the other, that touch the same element, no loop of the band
//! may be further on in the earlier of the two (M. Wolfe, "More Iteration Space
//! Tiling", 1989: such a band is fully permutable). A single loop keeps its order.

use super::conflict::Conflict;
use super::parallel::{accesses, may_conflict};
use terrace_dialects::affine::{Access, ForOp};
use terrace_ir::{Context, Op};

/// Why a band may not be tiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TilingObstacle {
    /// Two accesses that may touch the same element, the later iteration before the
    /// earlier one along some loop.
    Backward { from: Op, to: Op },
    /// An op whose effect on memory is not known or has no subscripts to reason about.
    Effect(Op),
}

/// What keeps a perfectly nested band from being tiled: the first found. Values
/// carried by loops are left aside.
///
/// Ops of unknown kinds that take no memref are taken not to touch memory, as upstream
/// does: only tests have such ops, and no target runs them.
pub fn tiling_obstacle(ctx: &Context, band: &[ForOp]) -> Option<TilingObstacle> {
    let [root, _, ..] = band else { return None };
    let harmless = |ctx: &Context, op: Op| {
        let takes_memref = op.operand_types(ctx).iter().any(|t| t.is_memref(ctx));
        !op.is_registered(ctx) && !takes_memref
    };
    let accesses = match accesses(ctx, *root, harmless) {
        Ok(a) => a,
        Err(op) => return Some(TilingObstacle::Effect(op)),
    };
    for a in &accesses {
        for b in &accesses {
            if may_conflict(ctx, a, b) && !goes_forward(ctx, band, a, b) {
                return Some(TilingObstacle::Backward {
                    from: a.op,
                    to: b.op,
                });
            }
        }
    }
    None
}

/// Whether no iteration with `a` that comes before one with `b` on the same element is
/// further on along any loop.
fn goes_forward(ctx: &Context, band: &[ForOp], a: &Access, b: &Access) -> bool {
    let impossible = |ahead: usize, behind: usize| {
        let mut c = Conflict::new(ctx, band[0], a, b)?;
        for l in &band[..ahead] {
            c.same_iteration(*l)?;
        }
        c.first_is_earlier(band[ahead], true)?;
        c.first_is_earlier(band[behind], false)?;
        Some(c.is_impossible())
    };
    (0..band.len()).all(|i| (i + 1..band.len()).all(|j| impossible(i, j) == Some(true)))
}
