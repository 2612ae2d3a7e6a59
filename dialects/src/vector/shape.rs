//! Ops that change a vector's shape or order: broadcast, casts, transpose, shuffles.

use super::types::{
    ANY_RANK, FIXED_ANY_RANK, RANK_1, RANKED, SCALABLE_RANK_1, STATIC_MEMREF, STEPS, dim_text,
    element_bits, same_element, scalable, scalable_at, shape, vector_type,
};
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{ANY, DENSE_I64, I64_ATTR, INDEX, MEMREF};
use terrace_ir::opdef::{Fold, Verified};
use terrace_ir::{Attr, AttrData, Builder, Context, DenseData, Op, Type, Value, op};

op! {
    /// A vector all of whose elements, or all of whose leading slices, are the
    /// source; dimensions of size 1 of the source are stretched.
    BroadcastOp = "vector.broadcast" {
        operands: [source: ANY],
        results: [vector: ANY_RANK],
        traits: PURE,
        format: "$source attr-dict `:` type($source) `to` type($vector)",
        verify: verify_broadcast,
        fold: fold_broadcast,
        canonicalize: super::canonicalize::broadcast,
    }

    /// The same elements in the same order, under another shape.
    ShapeCastOp = "vector.shape_cast" {
        operands: [source: ANY_RANK],
        results: [result: ANY_RANK],
        traits: PURE,
        format: "$source attr-dict `:` type($source) `to` type($result)",
        verify: verify_shape_cast,
        fold: fold_shape_cast,
        canonicalize: super::canonicalize::shape_cast,
    }

    /// The same bits as elements of another type.
    BitCastOp = "vector.bitcast" {
        operands: [source: ANY_RANK],
        results: [result: ANY_RANK],
        traits: PURE,
        format: "$source attr-dict `:` type($source) `to` type($result)",
        verify: verify_bitcast,
        fold: fold_bitcast,
    }

    /// Dimension `i` of the result is dimension `permutation[i]` of the source.
    TransposeOp = "vector.transpose" {
        operands: [vector: ANY_RANK],
        results: [result: ANY_RANK],
        attrs: [permutation: DENSE_I64],
        traits: PURE,
        format: "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)",
        verify: verify_transpose,
        fold: fold_transpose,
        canonicalize: super::canonicalize::transpose,
    }

    /// Slices of two vectors along the first dimension, chosen by number; -1 chooses
    /// none.
    ShuffleOp = "vector.shuffle" {
        operands: [v1: FIXED_ANY_RANK, v2: FIXED_ANY_RANK],
        results: [vector: RANKED],
        attrs: [mask: DENSE_I64],
        traits: PURE,
        format: "operands $mask attr-dict `:` type(operands)",
        infer: infer_shuffle,
        verify: verify_shuffle,
        fold: fold_shuffle,
        canonicalize: super::canonicalize::shuffle,
    }

    /// Elements of two vectors in turn, along the last dimension.
    InterleaveOp = "vector.interleave" {
        operands: [lhs: ANY_RANK, rhs: ANY_RANK],
        results: [result: RANKED],
        traits: PURE,
        same_type: [[lhs, rhs]],
        format: "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)",
        verify: verify_interleave,
    }

    /// The elements with even and with odd number along the last dimension.
    DeinterleaveOp = "vector.deinterleave" {
        operands: [source: RANKED],
        results: [res1: RANKED, res2: RANKED],
        traits: PURE,
        same_type: [[res1, res2]],
        format: "$source attr-dict `:` type($source) `->` type($res1)",
        verify: verify_deinterleave,
        result_names: |_, _| vec![Some("res1".into()), Some("res2".into())],
    }

    /// The indices 0, 1, 2, ...
    StepOp = "vector.step" {
        results: [result: STEPS],
        traits: PURE,
        format: "attr-dict `:` type($result)",
        canonicalize: super::canonicalize::step,
    }

    /// How many times as long as written a scalable dimension is.
    VectorScaleOp = "vector.vscale" {
        results: [res: INDEX],
        traits: PURE,
        format: "attr-dict",
        result_names: |_, _| vec![Some("vscale".into())],
    }

    /// A memref of scalars as a memref of one vector.
    TypeCastOp = "vector.type_cast" {
        operands: [memref: STATIC_MEMREF],
        results: [result: MEMREF],
        traits: PURE,
        format: "$memref attr-dict `:` type($memref) `to` type($result)",
        verify: verify_type_cast,
    }

    /// A scalable vector with a part replaced.
    ScalableInsertOp = "vector.scalable.insert" {
        operands: [valueToStore: RANK_1, dest: SCALABLE_RANK_1],
        results: [result: SCALABLE_RANK_1],
        attrs: [pos: I64_ATTR],
        traits: PURE,
        same_type: [[dest, result]],
        format: "$valueToStore `,` $dest `[` $pos `]` attr-dict `:` type($valueToStore) `into` type($dest)",
        verify: |ctx, op| verify_scalable(ctx, op, op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx), "{valueToStore, dest}", "source"),
    }

    /// A part of a scalable vector.
    ScalableExtractOp = "vector.scalable.extract" {
        operands: [source: SCALABLE_RANK_1],
        results: [result: RANK_1],
        attrs: [pos: I64_ATTR],
        traits: PURE,
        format: "$source `[` $pos `]` attr-dict `:` type($result) `from` type($source)",
        verify: |ctx, op| verify_scalable(ctx, op, op.result(ctx, 0).ty(ctx), op.operand(ctx, 0).ty(ctx), "{source, result}", "result"),
    }
}

impl BroadcastOp {
    /// A vector of type `ty` that repeats a scalar or a smaller vector.
    pub fn build(b: &mut Builder, source: Value, ty: Type) -> Value {
        b.value::<BroadcastOp>(&[source], ty, &[])
    }
}

impl ShuffleOp {
    /// For each lane of the result, its number among the lanes of both vectors one after the
    /// other; -1 where it may be anything.
    pub fn order(self, ctx: &Context) -> Vec<i64> {
        use terrace_ir::OpKind;
        mask_of(self.op().attr(ctx, "mask"), ctx)
    }

    /// The lanes `order` of two vectors of one dimension and of one type.
    pub fn build(b: &mut Builder, first: Value, second: Value, order: &[i64]) -> Value {
        let element = first.ty(b.ctx).element_or_self(b.ctx);
        let ty = b.ctx.vector(&[order.len() as i64], element);
        let mask = b.ctx.i64_array(order);
        b.value::<ShuffleOp>(&[first, second], ty, &[("mask", mask)])
    }
}

impl TransposeOp {
    /// Which dimension of the source stands at each place.
    pub fn permutation(self, ctx: &Context) -> Vec<i64> {
        use terrace_ir::OpKind;
        self.op()
            .attr(ctx, "permutation")
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default()
    }
}

fn source_and_result(ctx: &Context, op: Op) -> (Type, Type) {
    (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx))
}

// ---- broadcast ----

fn verify_broadcast(ctx: &Context, op: Op) -> Verified {
    let (s, d) = source_and_result(ctx, op);
    same_element(ctx, s, d, "source operand and result")?;
    if Some(s) == d.element(ctx) {
        return Ok(());
    }
    if !s.is_vector(ctx) {
        return Err("source type is not a vector".into());
    }
    let (a, b) = (shape(ctx, s), shape(ctx, d));
    let Some(lead) = b.len().checked_sub(a.len()) else {
        return Err("source rank higher than destination rank".into());
    };
    for (i, (&from, &to)) in a.iter().zip(&b[lead..]).enumerate() {
        let (fs, ts) = (scalable_at(ctx, s, i), scalable_at(ctx, d, lead + i));
        let bad = (from != 1 && from != to)
            || (from == 1 && fs && to != 1)
            || (fs != ts && (from != 1 || fs));
        if bad {
            return Err(format!(
                "dimension mismatch ({} vs. {})",
                dim_text(from, fs),
                dim_text(to, ts)
            )
            .into());
        }
    }
    Ok(())
}

/// A splat of the type `ty` whose elements are the constant `a`, where it has a form.
pub(super) fn splat(ctx: &Context, a: Attr, ty: Type) -> Option<Attr> {
    let bytes: Box<[u8]> = match a.data(ctx) {
        AttrData::Dense {
            data: DenseData::Raw { splat: true, bytes },
            ..
        } => bytes.clone(),
        AttrData::Integer { ty: t, .. } => {
            let bits = if t.is_index(ctx) {
                64
            } else {
                t.int_width(ctx)?
            };
            let n = (bits as usize).div_ceil(8).max(1);
            if n > 8 {
                return None;
            }
            let v = a.as_i64(ctx)?;
            v.to_le_bytes()[..n].into()
        }
        AttrData::Float { value, .. } => {
            let n = (value.kind().width() as usize).div_ceil(8);
            value.to_bits().to_le_bytes().get(..n)?.into()
        }
        _ => return None,
    };
    Some(ctx.attr(AttrData::Dense {
        ty,
        data: DenseData::Raw { splat: true, bytes },
    }))
}

fn fold_broadcast(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    let (s, d) = source_and_result(ctx, op);
    if s == d {
        return Fold::value(op.operand(ctx, 0));
    }
    // Upstream makes no constants of types that have no number of elements.
    if scalable(ctx, d).contains(&true) && !s.is_vector(ctx) && operands[0].is_none() {
        return Fold::No;
    }
    Fold::maybe(operands[0].and_then(|a| splat(ctx, a, d)))
}

// ---- casts ----

fn verify_shape_cast(ctx: &Context, op: Op) -> Verified {
    let (s, d) = source_and_result(ctx, op);
    if s.element(ctx) != d.element(ctx) {
        return Err("has different source and result element types".into());
    }
    let (a, b) = (
        s.num_elements(ctx).unwrap_or(-1),
        d.num_elements(ctx).unwrap_or(-1),
    );
    if a != b {
        return Err(
            format!("has different number of elements at source ({a}) and result ({b})").into(),
        );
    }
    let count = |t| scalable(ctx, t).iter().filter(|s| **s).count();
    let (a, b) = (count(s), count(d));
    if a != b {
        return Err(format!(
            "has different number of scalable dims at source ({a}) and result ({b})"
        )
        .into());
    }
    Ok(())
}

fn fold_shape_cast(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    let (s, d) = source_and_result(ctx, op);
    let source = op.operand(ctx, 0);
    if s == d {
        return Fold::value(source);
    }
    if let Some(def) = source.def_op().filter(|o| o.isa::<ShapeCastOp>(ctx)) {
        let first = def.operand(ctx, 0);
        if first.ty(ctx) == d {
            return Fold::value(first);
        }
        op.set_operand(ctx, 0, first);
        return Fold::InPlace;
    }
    match operands[0].map(|a| a.data(ctx)) {
        Some(AttrData::Dense { data, .. }) => Fold::attr(ctx.attr(AttrData::Dense {
            ty: d,
            data: data.clone(),
        })),
        _ => Fold::No,
    }
}

fn verify_bitcast(ctx: &Context, op: Op) -> Verified {
    let (s, d) = source_and_result(ctx, op);
    let (a, b) = (shape(ctx, s), shape(ctx, d));
    if a.len() != b.len() {
        return Err("failed to verify that all of {source, result} have same rank".into());
    }
    for (i, (x, y)) in a.iter().zip(b).enumerate().take(a.len().saturating_sub(1)) {
        if x != y {
            return Err(format!("dimension size mismatch at: {i}").into());
        }
    }
    let bits = |t: Type| element_bits(ctx, t.element_or_self(ctx)).unwrap_or(0);
    match (a.last(), b.last()) {
        (Some(x), Some(y)) => {
            if bits(s).checked_mul(*x) != bits(d).checked_mul(*y) {
                return Err("source/result bitwidth of the minor 1-D vectors must be equal".into());
            }
        }
        _ if bits(s) != bits(d) => {
            return Err(
                "source/result bitwidth of the 0-D vector element types must be equal".into(),
            );
        }
        _ => {}
    }
    Ok(())
}

fn fold_bitcast(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let (s, d) = source_and_result(ctx, op);
    let source = op.operand(ctx, 0);
    if s == d {
        return Fold::value(source);
    }
    if let Some(def) = source.def_op().filter(|o| o.isa::<BitCastOp>(ctx)) {
        let first = def.operand(ctx, 0);
        if first.ty(ctx) == d {
            return Fold::value(first);
        }
        op.set_operand(ctx, 0, first);
        return Fold::InPlace;
    }
    Fold::No
}

fn verify_type_cast(ctx: &Context, op: Op) -> Verified {
    let (s, d) = source_and_result(ctx, op);
    if !crate::memref::layout::has_identity_layout(ctx, s) {
        return Err("expects operand to be a memref with identity layout".into());
    }
    if !crate::memref::layout::has_identity_layout(ctx, d) {
        return Err("expects result to be a memref with identity layout".into());
    }
    let space = |t: Type| t.memref_parts(ctx).and_then(|p| p.1);
    if space(s) != space(d) {
        return Err("expects result in same memory space".into());
    }
    let scalar = |t: Type| t.element_or_self(ctx).element_or_self(ctx);
    let text = || format!("'{}'", ctx.type_text(d));
    if scalar(s) != scalar(d) {
        return Err(format!(
            "expects result and operand with same underlying scalar type: {}",
            text()
        )
        .into());
    }
    let all = |t: Type| {
        [
            t.shape(ctx).unwrap_or(&[]),
            shape(ctx, t.element_or_self(ctx)),
        ]
        .concat()
    };
    if all(s) != all(d) {
        return Err(format!(
            "expects concatenated result and operand shapes to be equal: {}",
            text()
        )
        .into());
    }
    Ok(())
}

// ---- transpose ----

fn verify_transpose(ctx: &Context, op: Op) -> Verified {
    let (s, d) = source_and_result(ctx, op);
    same_element(ctx, s, d, "operand and result")?;
    let (a, b) = (shape(ctx, s), shape(ctx, d));
    let rank = b.len();
    if a.len() != rank {
        return Err(format!("vector result rank mismatch: {rank}").into());
    }
    let perm = op
        .attr(ctx, "permutation")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    if perm.len() != rank {
        return Err(format!("transposition length mismatch: {}", perm.len()).into());
    }
    let mut seen = vec![false; rank];
    for (i, p) in perm.iter().enumerate() {
        let Some(at) = usize::try_from(*p).ok().filter(|p| *p < rank) else {
            return Err(format!("transposition index out of range: {p}").into());
        };
        if std::mem::replace(&mut seen[at], true) {
            return Err(format!("duplicate position index: {p}").into());
        }
        if b[i] != a[at] {
            return Err(format!("dimension size mismatch at: {p}").into());
        }
    }
    Ok(())
}

fn fold_transpose(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    let (_, d) = source_and_result(ctx, op);
    if let Some(a) = operands[0]
        && matches!(
            a.data(ctx),
            AttrData::Dense {
                data: DenseData::Raw { splat: true, .. },
                ..
            }
        )
    {
        return Fold::maybe(splat(ctx, a, d));
    }
    let perm = op
        .attr(ctx, "permutation")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    // Dimensions of size 1 do not count where they go.
    if perm.iter().enumerate().all(|(i, p)| i as i64 == *p) && op.operand(ctx, 0).ty(ctx) == d {
        return Fold::value(op.operand(ctx, 0));
    }
    Fold::No
}

// ---- shuffles ----

fn mask_of(a: Option<Attr>, ctx: &Context) -> Vec<i64> {
    a.and_then(|a| a.as_i64_array(ctx)).unwrap_or_default()
}

fn infer_shuffle(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let Some(t) = s
        .operands
        .first()
        .map(|v| v.ty(ctx))
        .filter(|t| t.is_vector(ctx))
    else {
        return Err("operand #0 must be fixed-length vector of any type values".into());
    };
    let n = mask_of(s.get_attr(ctx, "mask"), ctx).len() as i64;
    if n == 0 {
        return Err("invalid mask length".into());
    }
    let mut dims = vec![n];
    dims.extend(shape(ctx, t).iter().skip(1));
    Ok(vec![ctx.vector(&dims, t.element_or_self(ctx))])
}

fn verify_shuffle(ctx: &Context, op: Op) -> Verified {
    let r = op.result(ctx, 0).ty(ctx);
    let (t1, t2) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    same_element(ctx, t1, r, "first operand v1 and result")?;
    same_element(ctx, t2, r, "second operand v2 and result")?;
    let (r, a, b) = (shape(ctx, r), shape(ctx, t1), shape(ctx, t2));
    let zero = a.is_empty() && b.is_empty() && r.len() == 1;
    if !zero && (a.len() != r.len() || b.len() != r.len()) {
        return Err("rank mismatch".into());
    }
    for i in 1..a.len() {
        if r[i] != a[i] || a[i] != b[i] {
            return Err("dimension mismatch".into());
        }
    }
    let mask = mask_of(op.attr(ctx, "mask"), ctx);
    if mask.is_empty() {
        return Err("invalid mask length".into());
    }
    if r.first().copied() != Some(mask.len() as i64) {
        return Err("mask length mismatch".into());
    }
    let n = a
        .first()
        .unwrap_or(&1)
        .saturating_add(*b.first().unwrap_or(&1));
    for (i, m) in mask.iter().enumerate() {
        if *m < -1 || *m >= n {
            return Err(format!("mask index #{} out of range", i + 1).into());
        }
    }
    Ok(())
}

/// A shuffle that gives all of one source is that source.
fn fold_shuffle(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let mask = mask_of(op.attr(ctx, "mask"), ctx);
    let (v1, v2) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let Some(n1) = shape(ctx, v1.ty(ctx)).first().copied() else {
        return Fold::No;
    };
    let Some(n2) = shape(ctx, v2.ty(ctx)).first().copied() else {
        return Fold::No;
    };
    let counts = |from: i64, n: i64| {
        mask.len() as i64 == n && mask.iter().zip(from..).all(|(m, want)| *m == want)
    };
    if counts(0, n1) {
        Fold::value(v1)
    } else if counts(n1, n2) {
        Fold::value(v2)
    } else {
        Fold::No
    }
}

fn verify_interleave(ctx: &Context, op: Op) -> Verified {
    let (s, d) = source_and_result(ctx, op);
    let mut dims = shape(ctx, s).to_vec();
    let mut flags = scalable(ctx, s);
    match dims.last_mut() {
        Some(n) => *n = n.saturating_mul(2),
        None => {
            dims.push(2);
            flags.push(false);
        }
    }
    if vector_type(ctx, &dims, s.element_or_self(ctx), &flags) != d {
        return Err(
            "failed to verify that type of 'result' is double the width of the inputs".into(),
        );
    }
    Ok(())
}

fn verify_deinterleave(ctx: &Context, op: Op) -> Verified {
    let (s, d) = source_and_result(ctx, op);
    let mut dims = shape(ctx, s).to_vec();
    let Some(last) = dims.last_mut() else {
        return Ok(());
    };
    if *last % 2 != 0 {
        return Err("failed to verify that the trailing dimension of the source vector has an even number of elements".into());
    }
    *last /= 2;
    if vector_type(ctx, &dims, s.element_or_self(ctx), &scalable(ctx, s)) != d {
        return Err("failed to verify that the trailing dimension of the results is half the width of source trailing dimension".into());
    }
    Ok(())
}

fn verify_scalable(
    ctx: &Context,
    op: Op,
    part: Type,
    whole: Type,
    names: &str,
    which: &str,
) -> Verified {
    if part.element(ctx) != whole.element(ctx) {
        return Err(format!("failed to verify that all of {names} have same element type").into());
    }
    let n = shape(ctx, part).first().copied().unwrap_or(1).max(1);
    if op.int_attr(ctx, "pos").unwrap_or(0) % n != 0 {
        return Err(
            format!("failed to verify that position is a multiple of the {which} length.").into(),
        );
    }
    Ok(())
}
