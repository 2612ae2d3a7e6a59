//! Lowering of `affine.dma_start` and `affine.dma_wait` to their memref forms: each
//! map with its operands becomes the subscripts it computes.

use super::affine::map_attr;
use super::expand::expand_map;
use terrace_dialects::affine;
use terrace_dialects::memref::{DmaStartOp, DmaWaitOp};
use terrace_ir::{Builder, Context, Op, OpState, Value};

pub(super) fn lower(ctx: &mut Context, op: Op) -> Result<(), String> {
    let (to, maps): (&str, &[&str]) = match op.name(ctx) {
        affine::DmaStartOp::NAME => (DmaStartOp::NAME, &["src_map", "dst_map", "tag_map"]),
        _ => (DmaWaitOp::NAME, &["tag_map"]),
    };
    let def = ctx
        .op_def(to)
        .ok_or_else(|| format!("'{to}' is not registered"))?;
    let maps: Vec<_> = maps
        .iter()
        .map(|m| map_attr(ctx, op, m))
        .collect::<Result<_, _>>()?;
    let operands = op.operands(ctx);
    let loc = op.loc(ctx);
    let mut b = Builder::before(ctx, op);
    let mut new: Vec<Value> = Vec::new();
    let mut places = Vec::new();
    let mut at = 0;
    // Each memref is followed by the operands of its map.
    for m in &maps {
        let end = at + 1 + m.num_inputs();
        let group = operands
            .get(at..end)
            .ok_or("has too few operands for its maps")?;
        places.push((group[0], expand_map(&mut b, m, &group[1..])?));
        at = end;
    }
    // memref.dma_start has the number of elements between destination and tag.
    let mut rest = operands[at..].iter().copied();
    let last = places.len() - 1;
    for (i, (memref, indices)) in places.into_iter().enumerate() {
        if i == last && last > 0 {
            new.extend(rest.next());
        }
        new.push(memref);
        new.extend(indices);
    }
    new.extend(rest);
    b.create(OpState::new(def, loc).operands(&new));
    op.erase(ctx);
    Ok(())
}
