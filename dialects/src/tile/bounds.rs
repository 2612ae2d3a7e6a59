//! Which elements of a tile exist: those within bounds along some of its dimensions.

use terrace_ir::constraint::{AttrConstraint, DENSE_I64};
use terrace_ir::opdef::Verified;
use terrace_ir::{Attr, Context, Op, Value};

/// Bounds of one dimension of a tile: elements exist from `lower` to, but without, `upper`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Bound {
    /// The first coordinate that exists; none for 0.
    pub lower: Option<Value>,
    /// The first coordinate that does not; none for the size of the tile.
    pub upper: Option<Value>,
}

impl Bound {
    /// Whether all coordinates exist.
    pub fn is_none(self) -> bool {
        self == Bound::default()
    }
}

/// Dimensions that a group of bounds is about.
pub(super) const DIMS: AttrConstraint = DENSE_I64;

/// Attributes that say which dimensions the operands `lowers` and `uppers` of an op bound, and
/// these operands.
pub fn bounds_attrs(
    ctx: &Context,
    bounds: &[Bound],
) -> (Vec<(&'static str, Attr)>, [Vec<Value>; 2]) {
    let side = |of: fn(&Bound) -> Option<Value>| {
        let given = bounds.iter().enumerate();
        let (dims, values): (Vec<i64>, Vec<Value>) =
            given.filter_map(|(d, b)| Some((d as i64, of(b)?))).unzip();
        (ctx.i64_array(&dims), values)
    };
    let (lower_dims, lowers) = side(|b| b.lower);
    let (upper_dims, uppers) = side(|b| b.upper);
    let attrs = vec![("lower_dims", lower_dims), ("upper_dims", upper_dims)];
    (attrs, [lowers, uppers])
}

/// The bounds of an op for each of the `rank` dimensions of its tile.
pub(super) fn bounds_of(ctx: &Context, op: Op, rank: usize) -> Vec<Bound> {
    let mut all = vec![Bound::default(); rank];
    let group = |name: &str, dims: &str| {
        let dims = op.attr(ctx, dims).and_then(|a| a.as_i64_array(ctx));
        dims.unwrap_or_default()
            .into_iter()
            .zip(op.operand_group(ctx, name))
    };
    for (d, v) in group("lowers", "lower_dims") {
        if let Some(b) = all.get_mut(d as usize) {
            b.lower = Some(v);
        }
    }
    for (d, v) in group("uppers", "upper_dims") {
        if let Some(b) = all.get_mut(d as usize) {
            b.upper = Some(v);
        }
    }
    all
}

/// Dimensions are named once, in ascending order, and the tile has them.
pub(super) fn verify_bounds(ctx: &Context, op: Op, rank: usize) -> Verified {
    for (name, dims) in [("lowers", "lower_dims"), ("uppers", "upper_dims")] {
        let dims = op.attr(ctx, dims).and_then(|a| a.as_i64_array(ctx));
        let dims = dims.unwrap_or_default();
        if dims.len() != op.operand_group(ctx, name).len() {
            return Err(format!(
                "has {} {name} for {} dimensions",
                op.operand_group(ctx, name).len(),
                dims.len()
            )
            .into());
        }
        if dims.windows(2).any(|w| w[0] >= w[1]) {
            return Err(format!("names dimensions of {name} that do not ascend").into());
        }
        if let Some(d) = dims.iter().find(|d| **d < 0 || **d >= rank as i64) {
            return Err(format!("bounds dimension {d} of a tile of rank {rank}").into());
        }
    }
    Ok(())
}
