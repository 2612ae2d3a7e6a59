//! Patterns of `vector.extract`.

use super::*;
use crate::vector::elements::{ExtractOp, FromElementsOp, InsertOp};
use crate::vector::shape::{ShapeCastOp, ShuffleOp, TransposeOp};
use crate::vector::slice::{ExtractStridedSliceOp, InsertStridedSliceOp};
use terrace_ir::rewrite::PatternSet;
use terrace_ir::types::DYNAMIC;

pub(crate) fn extract(p: &mut PatternSet) {
    p.add::<ExtractOp>(of_nothing);
    p.add::<ExtractOp>(of_constant);
    p.add::<ExtractOp>(of_broadcast);
    p.add::<ExtractOp>(of_transpose);
    p.add::<ExtractOp>(of_shape_cast);
    p.add::<ExtractOp>(of_shuffle);
    p.add::<ExtractOp>(of_slice);
    p.add::<ExtractOp>(of_insert);
    p.add::<ExtractOp>(of_elements);
    p.add::<ExtractOp>(of_inserted_slice);
    p.add::<ExtractOp>(super::masks::extracted);
}

/// A position: constants, and a value where one is [`DYNAMIC`].
struct At {
    constants: Vec<i64>,
    values: Vec<Option<Value>>,
}

impl At {
    fn of(ctx: &Context, op: Op) -> At {
        let constants = ints(ctx, op, "static_position");
        let mut values = op.operands(ctx).into_iter().skip(1);
        let value = |c: &i64| if *c == DYNAMIC { values.next() } else { None };
        let values = constants.iter().map(value).collect();
        At { constants, values }
    }

    /// The position with these of its parts, each by its number, or 0 for `None`.
    fn parts(&self, which: impl IntoIterator<Item = Option<usize>>) -> At {
        let (mut constants, mut values) = (Vec::new(), Vec::new());
        for k in which {
            constants.push(k.map_or(0, |k| self.constants[k]));
            values.push(k.and_then(|k| self.values[k]));
        }
        At { constants, values }
    }

    fn is_known(&self) -> bool {
        self.constants.iter().all(|c| *c >= 0)
    }

    /// What stands in a vector here, of this type.
    fn extract(&self, rw: &mut Rewriter, from: Value, ty: Type) -> Value {
        let mut operands = vec![from];
        operands.extend(self.values.iter().flatten());
        let at = rw.ctx.i64_array(&self.constants);
        rw.value::<ExtractOp>(&operands, ty, &[("static_position", at)])
    }
}

/// The op that made the source, if it is of kind `K`, the position, and the result's type.
fn around<K: OpKind>(ctx: &Context, op: Op) -> Option<(Op, At, Type)> {
    let def = made_by::<K>(ctx, op.operand(ctx, 0))?;
    Some((def, At::of(ctx, op), op.result(ctx, 0).ty(ctx)))
}

/// Of poison, and where no element is.
fn of_nothing(rw: &mut Rewriter, op: Op) -> bool {
    let none = ints(rw.ctx, op, "static_position").contains(&-1);
    (none && replace_with_poison(rw, op)) || of_poison(rw, op)
}

fn of_constant(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (source, r) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let at = At::of(ctx, op);
    let found = || {
        let a = ctx.constant_of(source)?;
        let splat = matches!(
            a.data(ctx),
            AttrData::Dense {
                data: DenseData::Raw { splat: true, .. },
                ..
            }
        );
        let dims = dims_of(ctx, source.ty(ctx));
        let all = Elements::of(ctx, source)?;
        // Of a splat all elements are the same, wherever they are.
        let at = match splat {
            true => vec![0; at.constants.len()],
            false if at.is_known() => at.constants,
            false => return None,
        };
        let which = in_box(dims, &at, &vec![1; at.len()])?;
        let part = all.chosen(which)?;
        match r.is_vector(ctx) {
            true => part.attr(ctx, r),
            false => number(ctx, &part.bytes, r),
        }
    };
    let Some(value) = found() else { return false };
    replace_with_constant(rw, op, value)
}

/// One element as an attribute.
fn number(ctx: &Context, bytes: &[u8], ty: Type) -> Option<Attr> {
    let mut wide = [0u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    if let Some(kind) = ty.float_kind(ctx) {
        let value = terrace_ir::num::Float::from_bits(kind, u128::from(bits));
        return Some(ctx.attr(AttrData::Float { ty, value }));
    }
    let width = match ty.is_index(ctx) {
        true => 64,
        false => ty.int_width(ctx)?,
    };
    if width == 0 || width > 64 {
        return None;
    }
    let up = 64 - width;
    // An `i1` that is set is 1 as an attribute too.
    let value = match width {
        1 => (bits & 1) as i64,
        _ => (bits << up) as i64 >> up,
    };
    Some(ctx.int_attr(ty, value))
}

/// Dimensions that a broadcast put in front are none of the source's, and where it stretched one
/// the only element is meant.
fn of_broadcast(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<BroadcastOp>(rw.ctx, op) else {
        return false;
    };
    let source = def.operand(rw.ctx, 0);
    of_prepended(rw, op, source, (at, r), def.result(rw.ctx, 0).ty(rw.ctx))
}

/// Part of what is `source` with dimensions in front, or stretched where they were 1.
fn of_prepended(
    rw: &mut Rewriter,
    op: Op,
    source: Value,
    (at, r): (At, Type),
    whole: Type,
) -> bool {
    let ctx = &*rw.ctx;
    if at.constants.contains(&-1) {
        return false;
    }
    let from = source.ty(ctx);
    let dims = dims_of(ctx, whole).to_vec();
    let own = dims_of(ctx, from).to_vec();
    let lead = dims.len() - own.len();
    if at.constants.len() <= lead {
        if !r.is_vector(ctx) && from.is_vector(ctx) {
            let v = at.parts([]).extract(rw, source, r);
            return replace(rw, op, v);
        }
        if !broadcasts(ctx, from, r) {
            return false;
        }
        let v = broadcast_to(rw, source, r);
        return replace(rw, op, v);
    }
    let n = at.constants.len() - lead;
    let stretched = |i: usize| own[i] == 1 && dims[lead + i] != 1;
    if (n..own.len()).any(stretched) {
        return false;
    }
    let at = at.parts((0..n).map(|i| (!stretched(i)).then_some(lead + i)));
    let v = at.extract(rw, source, r);
    replace(rw, op, v)
}

/// Where the dimensions that are left are in their order, the others' positions are reordered.
fn of_transpose(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<TransposeOp>(rw.ctx, op) else {
        return false;
    };
    let order = ints(rw.ctx, def, "permutation");
    let n = at.constants.len();
    if order
        .iter()
        .enumerate()
        .skip(n)
        .any(|(i, p)| i as i64 != *p)
    {
        return false;
    }
    let place = |k: usize| order.iter().position(|p| *p == k as i64);
    let source = def.operand(rw.ctx, 0);
    let v = at.parts((0..n).map(place)).extract(rw, source, r);
    replace(rw, op, v)
}

fn of_shape_cast(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<ShapeCastOp>(rw.ctx, op) else {
        return false;
    };
    let ctx = &*rw.ctx;
    let (source, whole) = (def.operand(ctx, 0), def.result(ctx, 0).ty(ctx));
    let (from, dims) = (
        dims_of(ctx, source.ty(ctx)).to_vec(),
        dims_of(ctx, whole).to_vec(),
    );
    // Dimensions of 1 in front are as those that a broadcast puts there.
    let lead = dims.len().saturating_sub(from.len());
    if dims.len() > from.len() && dims[..lead].iter().all(|d| *d == 1) && dims[lead..] == from {
        return of_prepended(rw, op, source, (at, r), whole);
    }
    let flags = [source.ty(ctx), whole]
        .iter()
        .any(|t| scalable(ctx, *t).contains(&true));
    let left = dims_of(ctx, r).to_vec();
    let (Some(part), Some(all)) = (product(&left), product(&from)) else {
        return false;
    };
    if flags || !at.is_known() || part == 0 {
        return false;
    }
    if part == all && r.is_vector(ctx) {
        let v = match source.ty(ctx) == r {
            true => source,
            false => rw.value::<ShapeCastOp>(&[source], r, &[]),
        };
        return replace(rw, op, v);
    }
    // The part is one of the source's parts, if its last dimensions are the same.
    let Some(n) = from
        .len()
        .checked_sub(left.len())
        .filter(|n| from[*n..] == left)
    else {
        return false;
    };
    let place = (at.constants.iter().zip(&dims)).fold(0, |p, (i, d)| p * d + i);
    let (mut rest, mut found) = (place, vec![0; n]);
    for k in (0..n).rev() {
        found[k] = rest % from[k];
        rest /= from[k];
    }
    let v = ExtractOp::build(rw, source, &found);
    replace(rw, op, v)
}

fn of_shuffle(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<ShuffleOp>(rw.ctx, op) else {
        return false;
    };
    let ctx = &*rw.ctx;
    let mask = ints(ctx, def, "mask");
    let first = dims_of(ctx, def.operand(ctx, 0).ty(ctx));
    let (true, [n], Some(i)) = (at.is_known(), first, at.constants.first()) else {
        return false;
    };
    let Some(chosen) = usize::try_from(*i).ok().and_then(|i| mask.get(i)).copied() else {
        return false;
    };
    if chosen < 0 {
        return replace_with_poison(rw, op);
    }
    let (from, place) = match chosen < *n {
        true => (def.operand(ctx, 0), chosen),
        false => (def.operand(ctx, 1), chosen - n),
    };
    let mut at = at;
    at.constants[0] = place;
    let v = at.extract(rw, from, r);
    replace(rw, op, v)
}

fn of_slice(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<ExtractStridedSliceOp>(rw.ctx, op) else {
        return false;
    };
    let ctx = &*rw.ctx;
    let source = def.operand(ctx, 0);
    let (dims, kept) = (
        dims_of(ctx, source.ty(ctx)),
        dims_of(ctx, def.result(ctx, 0).ty(ctx)),
    );
    let n = at.constants.len();
    if !at.is_known() || dims[n..] != kept[n..] {
        return false;
    }
    let mut at = at;
    for (i, offset) in at.constants.iter_mut().zip(ints(ctx, def, "offsets")) {
        *i += offset;
    }
    let v = at.extract(rw, source, r);
    replace(rw, op, v)
}

/// Some of the elements that a vector was made of.
fn of_elements(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<FromElementsOp>(rw.ctx, op) else {
        return false;
    };
    let ctx = &*rw.ctx;
    let dims = dims_of(ctx, def.result(ctx, 0).ty(ctx));
    let n = at.constants.len();
    let which = in_box(dims, &at.constants, &vec![1; n]).filter(|_| at.is_known());
    let all = def.operands(ctx);
    let some = which.and_then(|w| w.into_iter().map(|i| all.get(i).copied()).collect());
    let Some(some): Option<Vec<Value>> = some else {
        return false;
    };
    if !r.is_vector(ctx) {
        return false;
    }
    let v = rw.value::<FromElementsOp>(&some, r, &[]);
    replace(rw, op, v)
}

/// Part of what was inserted.
fn of_insert(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<InsertOp>(rw.ctx, op) else {
        return false;
    };
    let into = At::of(rw.ctx, def).constants;
    let n = into.len();
    if !at.is_known() || into.contains(&-1) || into.contains(&DYNAMIC) {
        return false;
    }
    if n >= at.constants.len() || at.constants[..n] != into {
        return false;
    }
    let value = def.operand(rw.ctx, 0);
    let v = at
        .parts((n..at.constants.len()).map(Some))
        .extract(rw, value, r);
    replace(rw, op, v)
}

/// Part of what was inserted as a box, or of what is beside it.
fn of_inserted_slice(rw: &mut Rewriter, op: Op) -> bool {
    let Some((def, at, r)) = around::<InsertStridedSliceOp>(rw.ctx, op) else {
        return false;
    };
    let ctx = &*rw.ctx;
    let (value, dest) = (def.operand(ctx, 0), def.operand(ctx, 1));
    let (own, dims) = (dims_of(ctx, value.ty(ctx)), dims_of(ctx, dest.ty(ctx)));
    let offsets = ints(ctx, def, "offsets");
    let (lead, n) = (dims.len() - own.len(), at.constants.len());
    if !at.is_known() || offsets.len() != dims.len() {
        return false;
    }
    let size = |k: usize| if k < lead { 1 } else { own[k - lead] };
    let inside = |k: usize| (offsets[k]..offsets[k] + size(k)).contains(&at.constants[k]);
    if !(0..n).all(inside) {
        let v = at.extract(rw, dest, r);
        return replace(rw, op, v);
    }
    if n < lead || (n..dims.len()).any(|k| size(k) != dims[k]) {
        return false;
    }
    let mut at = at;
    for (i, offset) in at.constants.iter_mut().zip(&offsets).skip(lead) {
        *i -= offset;
    }
    if n == lead {
        return value.ty(rw.ctx) == r && replace(rw, op, value);
    }
    let v = at.parts((lead..n).map(Some)).extract(rw, value, r);
    replace(rw, op, v)
}
