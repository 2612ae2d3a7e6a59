//! Whether an access still touches the element that it touched in the same iteration.

use rustc_hash::FxHashMap;

use super::marks::Mark;
use super::units::Unit;
use super::violation::Violation;
use crate::analysis::bounds::difference;
use terrace_dialects::affine::Access;
use terrace_ir::{Context, Op, Value};

/// Whether the op behind a mark is the one that was marked, at the same element: its
/// old subscripts, with the operands of the mark in place of the old loop variables,
/// less those it has now come to zero.
///
/// # Errors
///
/// It is another op, or its element is another one or cannot be compared. Of ops other
/// than accesses only the name is compared.
pub(super) fn check(ctx: &Context, unit: &Unit, mark: &Mark) -> Result<(), Violation> {
    if unit.ends > 0 {
        return Ok(());
    }
    let lost = |op: Option<Op>| {
        let m = format!("the {} would be parted from its iteration", unit.what);
        let v = Violation::new(m).note(unit.loc, "this");
        Err(match op {
            Some(op) => v.note(op.loc(ctx), "this would be in its place"),
            None => v,
        })
    };
    let Some(op) = mark.op else { return lost(None) };
    let Some(old) = &unit.access else {
        return match op.name(ctx) == unit.name {
            true => Ok(()),
            false => lost(Some(op)),
        };
    };
    let Some(new) = Access::of(ctx, op) else {
        return lost(Some(op));
    };
    if new.kind != old.kind || new.memref != old.memref {
        return lost(Some(op));
    }
    let now = new.composed(ctx);
    let ivs = unit.ivs.iter().zip(&mark.iteration);
    let now_as: FxHashMap<&Value, &Value> =
        ivs.chain(unit.symbols.iter().zip(&mark.symbols)).collect();
    let place = |v: &Value| now_as.get(v).map_or(*v, |new| **new);
    let operands: Vec<Value> = old.subscripts.operands.iter().map(place).collect();
    // A value that the step computes anew elsewhere is not known to be the same.
    let alive = |v: &Value| v.def_op().is_none_or(|op| ctx.is_alive(op));
    if !operands.iter().all(alive) {
        let m = format!("the {} has a subscript that is computed again", unit.what);
        return Err(Violation::new(m).note(op.loc(ctx), "here"));
    }
    let then = &old.subscripts.map;
    let apart = difference(ctx, (then, &operands), (&now.map, &now.operands));
    let same = then.num_results() == now.map.num_results()
        && apart
            .map
            .results()
            .iter()
            .all(|e| e.as_constant() == Some(0));
    if same {
        return Ok(());
    }
    let m = format!("the {} would touch another element", unit.what);
    Err(Violation::new(m).note(op.loc(ctx), "here"))
}
