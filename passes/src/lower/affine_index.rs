//! Lowering of `affine.delinearize_index` and `affine.linearize_index`.

use super::expand::expand_expr;
use terrace_dialects::affine;
use terrace_dialects::arith;
use terrace_ir::affine::AffineExpr;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, Value};

/// The sizes of the basis as values, static ones as constants.
fn basis(b: &mut Builder, op: Op) -> Result<Vec<Value>, String> {
    let sizes = op
        .attr(b.ctx, "static_basis")
        .and_then(|a| a.as_i64_array(b.ctx))
        .ok_or("requires attribute 'static_basis'")?;
    let mut dynamic = op.operand_group(b.ctx, "dynamic_basis").into_iter();
    let mut out = Vec::new();
    for s in sizes {
        out.push(match s {
            DYNAMIC => dynamic.next().ok_or("too few dynamic basis operands")?,
            s => arith::constant_index(b, s),
        });
    }
    Ok(out)
}

/// For each of `n` places, the product of the sizes behind it.
fn strides(b: &mut Builder, basis: &[Value], n: usize) -> Vec<Value> {
    let mut stride = arith::constant_index(b, 1);
    let mut out = vec![stride; n];
    for k in (0..n.saturating_sub(1)).rev() {
        // The basis may or may not have the size of the outermost place.
        let size = basis[basis.len() - (n - 1 - k)];
        let ty = b.ctx.index();
        stride = b.value::<arith::MulIOp>(&[stride, size], ty, &[]);
        out[k] = stride;
    }
    out
}

pub(super) fn lower(ctx: &mut Context, op: Op) -> Result<(), String> {
    if op.name(ctx) == affine::DelinearizeIndexOp::NAME {
        delinearize(ctx, op)
    } else {
        linearize(ctx, op)
    }
}

fn delinearize(ctx: &mut Context, op: Op) -> Result<(), String> {
    let n = op.num_results(ctx);
    let mut rest = op.operand(ctx, 0);
    let mut b = Builder::before(ctx, op);
    let basis = basis(&mut b, op)?;
    if basis.len() + 1 < n {
        return Err("has too small a basis for its results".into());
    }
    let strides = strides(&mut b, &basis, n);
    let (d, s) = (AffineExpr::dim(0), AffineExpr::symbol(0));
    let mut results = Vec::new();
    for (k, stride) in strides.iter().enumerate() {
        if k + 1 == n {
            results.push(rest);
            break;
        }
        results.push(expand_expr(
            &mut b,
            &d.clone().floor_div(s.clone()),
            &[rest],
            &[*stride],
        )?);
        rest = expand_expr(&mut b, &d.clone().modulo(s.clone()), &[rest], &[*stride])?;
    }
    op.replace(ctx, &results);
    Ok(())
}

fn linearize(ctx: &mut Context, op: Op) -> Result<(), String> {
    let indices = op.operand_group(ctx, "multi_index");
    let mut b = Builder::before(ctx, op);
    let basis = basis(&mut b, op)?;
    if basis.len() + 1 < indices.len() {
        return Err("has too small a basis for its indices".into());
    }
    let strides = strides(&mut b, &basis, indices.len());
    let ty = b.ctx.index();
    let mut sum: Option<Value> = None;
    for (i, s) in indices.iter().zip(strides) {
        let term = b.value::<arith::MulIOp>(&[*i, s], ty, &[]);
        sum = Some(match sum {
            None => term,
            Some(a) => b.value::<arith::AddIOp>(&[a, term], ty, &[]),
        });
    }
    let v = match sum {
        Some(v) => v,
        None => arith::constant_index(&mut b, 0),
    };
    op.replace(ctx, &[v]);
    Ok(())
}
