//! Boxes of vectors: `vector.extract_strided_slice` and `vector.insert_strided_slice`.

use super::attrs::I64S_ATTR;
use super::types::{RANKED, same_element, scalable, scalable_at, shape, vector_type};
use terrace_ir::opdef::{Fold, Verified};
use terrace_ir::{Context, Op, op};

op! {
    /// A box of a vector: where it begins and how long it is in its leading
    /// dimensions; strides are all 1.
    ExtractStridedSliceOp = "vector.extract_strided_slice" {
        operands: [source: RANKED],
        results: [result: RANKED],
        attrs: [offsets: I64S_ATTR, sizes: I64S_ATTR, strides: I64S_ATTR],
        traits: PURE,
        format: "$source attr-dict `:` type($source) `to` type(results)",
        verify: verify_extract_slice,
        fold: |ctx, op, _| same_type_folds(ctx, op, 0),
        canonicalize: super::canonicalize::extract_strided_slice,
    }

    /// A vector with a box of it replaced.
    InsertStridedSliceOp = "vector.insert_strided_slice" {
        operands: [valueToStore: RANKED, dest: RANKED],
        results: [result: RANKED],
        attrs: [offsets: I64S_ATTR, strides: I64S_ATTR],
        traits: PURE,
        same_type: [[dest, result]],
        format: "$valueToStore `,` $dest attr-dict `:` type($valueToStore) `into` type($dest)",
        verify: verify_insert_slice,
        fold: |ctx, op, _| same_type_folds(ctx, op, 0),
        canonicalize: super::canonicalize::insert_strided_slice,
    }
}

/// A slice of the type of the whole is the whole.
fn same_type_folds(ctx: &Context, op: Op, i: usize) -> Fold {
    let v = op.operand(ctx, i);
    if v.ty(ctx) == op.result(ctx, 0).ty(ctx) {
        Fold::value(v)
    } else {
        Fold::No
    }
}

fn ints(ctx: &Context, op: Op, name: &str) -> Vec<i64> {
    op.attr(ctx, name)
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default()
}

fn within_shape(v: &[i64], dims: &[i64], name: &str, half_open: bool, min: i64) -> Verified {
    for (i, (v, d)) in v.iter().zip(dims).enumerate() {
        let max = if half_open { *d } else { d.saturating_add(1) };
        if *v < min || *v >= max {
            return Err(
                format!("expected {name} dimension {i} to be confined to [{min}, {max})").into(),
            );
        }
    }
    Ok(())
}

fn strides_of_one(v: &[i64]) -> Verified {
    if v.iter().any(|s| *s != 1) {
        return Err("expected strides to be confined to [1, 2)".into());
    }
    Ok(())
}

fn sum_within_shape(a: &[i64], b: &[i64], dims: &[i64], what: &str) -> Verified {
    for (i, ((a, b), d)) in a.iter().zip(b).zip(dims).enumerate() {
        let max = d.saturating_add(1);
        if a.checked_add(*b).is_none_or(|s| s < 0 || s >= max) {
            return Err(format!(
                "expected sum(offsets, {what}) dimension {i} to be confined to [1, {max})"
            )
            .into());
        }
    }
    Ok(())
}

fn verify_extract_slice(ctx: &Context, op: Op) -> Verified {
    let (t, r) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    same_element(ctx, t, r, "operand and result")?;
    let (offsets, sizes, strides) = (
        ints(ctx, op, "offsets"),
        ints(ctx, op, "sizes"),
        ints(ctx, op, "strides"),
    );
    if offsets.len() != sizes.len() || offsets.len() != strides.len() {
        return Err("expected offsets, sizes and strides attributes of same size".into());
    }
    let dims = shape(ctx, t);
    if offsets.len() > dims.len() {
        return Err("expected offsets attribute of rank no greater than vector rank".into());
    }
    within_shape(&offsets, dims, "offsets", true, 0)?;
    within_shape(&sizes, dims, "sizes", false, 1)?;
    strides_of_one(&strides)?;
    sum_within_shape(&offsets, &sizes, dims, "sizes")?;
    let mut want = sizes.clone();
    want.extend(&dims[sizes.len()..]);
    let want = vector_type(ctx, &want, t.element_or_self(ctx), &scalable(ctx, t));
    if r != want {
        return Err(format!("expected result type to be '{}'", ctx.type_text(want)).into());
    }
    for (i, size) in sizes.iter().enumerate() {
        if scalable_at(ctx, t, i) && dims[i] != *size {
            return Err(base_size(i, *size, dims[i]).into());
        }
    }
    Ok(())
}

fn base_size(i: usize, a: i64, b: i64) -> String {
    format!(
        "expected size at idx={i} to match the corresponding base size from the input vector ({a} vs {b})"
    )
}

fn verify_insert_slice(ctx: &Context, op: Op) -> Verified {
    let (s, d) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    same_element(ctx, s, d, "operand #0 and result")?;
    let (from, into) = (shape(ctx, s), shape(ctx, d));
    let (offsets, strides) = (ints(ctx, op, "offsets"), ints(ctx, op, "strides"));
    if offsets.len() != into.len() {
        return Err("expected offsets of same size as destination vector rank".into());
    }
    if strides.len() != from.len() {
        return Err("expected strides of same size as source vector rank".into());
    }
    let Some(lead) = into.len().checked_sub(from.len()) else {
        return Err("expected source rank to be no greater than destination rank".into());
    };
    within_shape(&offsets, into, "offsets", true, 0)?;
    strides_of_one(&strides)?;
    let mut padded = vec![0; lead];
    padded.extend(from);
    sum_within_shape(&offsets, &padded, into, "source vector shape")?;
    for (i, size) in from.iter().enumerate() {
        if scalable_at(ctx, s, i) != scalable_at(ctx, d, i + lead) {
            return Err(format!("mismatching scalable flags (at source vector idx={i})").into());
        }
        if scalable_at(ctx, s, i) && *size != into[i + lead] {
            return Err(base_size(i, *size, into[i + lead]).into());
        }
    }
    Ok(())
}
