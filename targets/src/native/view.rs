//! Memref ops that touch no memory: views, casts and questions, as arithmetic on
//! descriptors.

use super::abi::{Desc, Part, Val};
use super::lower::{Lower, R};
use super::memref::{check_equal, groups, row_major};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use terrace_dialects::memref::SubViewOp;
use terrace_dialects::memref::layout::Groups;
use terrace_ir::affine::AffineExpr;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Op, OpKind, Value};

pub(super) fn is_view(name: &str) -> bool {
    matches!(
        name,
        "assume_alignment"
            | "cast"
            | "collapse_shape"
            | "dim"
            | "distinct_objects"
            | "expand_shape"
            | "extract_aligned_pointer_as_index"
            | "extract_strided_metadata"
            | "memory_space_cast"
            | "rank"
            | "reinterpret_cast"
            | "reshape"
            | "subview"
            | "transpose"
            | "view"
    )
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    if name == "distinct_objects" {
        for (v, r) in op.operands(ctx).into_iter().zip(op.results(ctx)) {
            let d = l.mem(v)?;
            l.bind_mem(r, (*d).clone())?;
        }
        return Ok(());
    }
    let d = l.mem(op.operand(ctx, 0))?;
    match name {
        "cast" => cast(l, op, &d),
        "memory_space_cast" => l.bind_mem(op.result(ctx, 0), (*d).clone()),
        "assume_alignment" => match op.num_results(ctx) {
            0 => Ok(()),
            _ => l.bind_mem(op.result(ctx, 0), (*d).clone()),
        },
        "dim" => dim(l, op, &d),
        "rank" => {
            let v = l.i64(d.rank() as i64);
            l.bind_one(op, v);
            Ok(())
        }
        "extract_aligned_pointer_as_index" => {
            l.bind_one(op, d.ptr);
            Ok(())
        }
        "extract_strided_metadata" => metadata(l, op, &d),
        "subview" => subview(l, op, &d),
        "reinterpret_cast" => reinterpret_cast(l, op, &d),
        "collapse_shape" => collapse(l, op, &d),
        "expand_shape" => expand(l, op, &d),
        "transpose" => transpose(l, op, &d),
        "view" => view(l, op, &d),
        "reshape" => reshape(l, op, &d),
        _ => Err(super::check::advice(op.name(ctx))),
    }
}

fn cast(l: &mut Lower, op: Op, d: &Desc) -> R {
    let result = op.result(l.ctx, 0);
    let ty = l.mem_ty(result)?;
    if l.s.options.bounds_checks {
        let want = std::iter::once(ty.offset).chain(ty.shape).chain(ty.strides);
        let have: Vec<Part> = std::iter::once(d.offset)
            .chain(d.sizes.iter().copied())
            .chain(d.strides.iter().copied())
            .collect();
        for (h, w) in have.into_iter().zip(want) {
            if w != DYNAMIC {
                check_equal(l, op, h, Part::Const(w))?;
            }
        }
    }
    l.bind_mem(result, d.clone())
}

fn dim(l: &mut Lower, op: Op, d: &Desc) -> R {
    let index = op.operand(l.ctx, 1);
    if let Some(i) = l.ctx.constant_int(index) {
        let Some(p) = usize::try_from(i).ok().and_then(|i| d.sizes.get(i)) else {
            return Err(format!(
                "asks for dimension {i} of a memref of rank {}",
                d.rank()
            ));
        };
        let v = l.part(*p);
        l.bind_one(op, v);
        return Ok(());
    }
    let i = l.one(index)?;
    l.check_index(op, i, d.rank() as i64)?;
    let mut v = l.i64(0);
    for (k, size) in d.sizes.iter().enumerate() {
        let k = l.i64(k as i64);
        let is = l.b.ins().icmp(IntCC::Equal, i, k);
        let size = l.part(*size);
        v = l.b.ins().select(is, size, v);
    }
    l.bind_one(op, v);
    Ok(())
}

fn metadata(l: &mut Lower, op: Op, d: &Desc) -> R {
    let results = op.results(l.ctx);
    let base = Desc {
        elem: d.elem,
        ptr: d.ptr,
        offset: Part::Const(0),
        sizes: vec![],
        strides: vec![],
    };
    l.bind_mem(results[0], base)?;
    let parts = std::iter::once(&d.offset).chain(&d.sizes).chain(&d.strides);
    for (p, r) in parts.zip(&results[1..]) {
        let v = l.part(*p);
        l.bind(*r, Val::One(v));
    }
    Ok(())
}

/// Numbers of which the static ones are in attribute `name` and the others `given`.
fn mixed(l: &Lower, op: Op, name: &str, given: &[Value]) -> R<Vec<Part>> {
    let known = op
        .attr(l.ctx, name)
        .and_then(|a| a.as_i64_array(l.ctx))
        .ok_or_else(|| format!("needs the attribute '{name}'"))?;
    let mut given = given.iter();
    known
        .into_iter()
        .map(|k| match k {
            DYNAMIC => match given.next() {
                Some(v) => l.index_part(*v),
                None => Err(format!("has too few values for '{name}'")),
            },
            k => Ok(Part::Const(k)),
        })
        .collect()
}

/// Offsets, sizes and strides of a view.
fn offsets_sizes_strides(l: &Lower, op: Op) -> R<[Vec<Part>; 3]> {
    let g = groups(l.ctx, op);
    let group = |i: usize| g.get(i).map(Vec::as_slice).unwrap_or(&[]);
    Ok([
        mixed(l, op, "static_offsets", group(1))?,
        mixed(l, op, "static_sizes", group(2))?,
        mixed(l, op, "static_strides", group(3))?,
    ])
}

fn subview(l: &mut Lower, op: Op, d: &Desc) -> R {
    let [offsets, sizes, steps] = offsets_sizes_strides(l, op)?;
    if [offsets.len(), sizes.len(), steps.len()] != [d.rank(); 3] {
        return Err("has not one offset, size and stride for each dimension".into());
    }
    l.check_subview(op, d, [&offsets, &sizes, &steps])?;
    let mut offset = d.offset;
    let mut strides = Vec::new();
    for k in 0..d.rank() {
        let skip = l.mul(offsets[k], d.strides[k]);
        offset = l.add(offset, skip);
        strides.push(l.mul(steps[k], d.strides[k]));
    }
    let Some(dropped) = SubViewOp::wrap(op).dropped_dims(l.ctx) else {
        return Err("has a result whose shape does not follow from the sizes".into());
    };
    let kept: Vec<usize> = (0..d.rank()).filter(|k| !dropped[*k]).collect();
    let v = Desc {
        elem: d.elem,
        ptr: d.ptr,
        offset,
        sizes: kept.iter().map(|k| sizes[*k]).collect(),
        strides: kept.iter().map(|k| strides[*k]).collect(),
    };
    l.bind_mem(op.result(l.ctx, 0), v)
}

fn reinterpret_cast(l: &mut Lower, op: Op, d: &Desc) -> R {
    let [offsets, sizes, strides] = offsets_sizes_strides(l, op)?;
    let v = Desc {
        elem: d.elem,
        ptr: d.ptr,
        offset: offsets.first().copied().unwrap_or(Part::Const(0)),
        sizes,
        strides,
    };
    l.check_within(op, op.operand(l.ctx, 0), &v)?;
    l.bind_mem(op.result(l.ctx, 0), v)
}

fn groups_of(l: &Lower, op: Op) -> R<Groups> {
    terrace_dialects::memref::groups(l.ctx, op)
        .ok_or_else(|| "needs the attribute 'reassociation'".to_string())
}

fn collapse(l: &mut Lower, op: Op, d: &Desc) -> R {
    let (mut sizes, mut strides) = (Vec::new(), Vec::new());
    for group in groups_of(l, op)? {
        if group.iter().any(|k| *k >= d.rank()) {
            return Err("names a dimension that the source does not have".into());
        }
        let mut size = Part::Const(1);
        for k in &group {
            size = l.mul(size, d.sizes[*k]);
        }
        if l.s.options.bounds_checks {
            // Rows that have gaps or overlap are no single row.
            for pair in group.windows(2) {
                let (outer, inner) = (pair[0], pair[1]);
                if d.sizes[outer] != Part::Const(1) {
                    let row = l.mul(d.sizes[inner], d.strides[inner]);
                    check_equal(l, op, d.strides[outer], row)?;
                }
            }
        }
        sizes.push(size);
        // A dimension of one element has a stride that nothing uses.
        let stride = group
            .iter()
            .rev()
            .find(|k| d.sizes[**k] != Part::Const(1))
            .or(group.last())
            .map_or(Part::Const(1), |k| d.strides[*k]);
        strides.push(stride);
    }
    let v = Desc {
        sizes,
        strides,
        ..d.clone()
    };
    l.bind_mem(op.result(l.ctx, 0), v)
}

fn expand(l: &mut Lower, op: Op, d: &Desc) -> R {
    let sizes = mixed(l, op, "static_output_shape", &op.operands(l.ctx)[1..])?;
    let mut strides = vec![Part::Const(1); sizes.len()];
    for (source, group) in groups_of(l, op)?.into_iter().enumerate() {
        let Some(mut stride) = d.strides.get(source).copied() else {
            return Err("has more groups than the source has dimensions".into());
        };
        for k in group.into_iter().rev() {
            if k >= sizes.len() {
                return Err("names a dimension that the result does not have".into());
            }
            strides[k] = stride;
            stride = l.mul(stride, sizes[k]);
        }
    }
    let v = Desc {
        sizes,
        strides,
        ..d.clone()
    };
    // What the view has must lie in its own source: between its ends there may be gaps.
    l.check_within(op, op.operand(l.ctx, 0), &v)?;
    l.bind_mem(op.result(l.ctx, 0), v)
}

fn transpose(l: &mut Lower, op: Op, d: &Desc) -> R {
    let map = op
        .attr(l.ctx, "permutation")
        .and_then(|a| a.as_map(l.ctx))
        .ok_or("needs the attribute 'permutation'")?;
    let (mut sizes, mut strides) = (Vec::new(), Vec::new());
    for e in map.results() {
        let AffineExpr::Dim(k) = e else {
            return Err("needs a permutation of its dimensions".into());
        };
        let k = *k as usize;
        if k >= d.rank() {
            return Err("names a dimension that the source does not have".into());
        }
        sizes.push(d.sizes[k]);
        strides.push(d.strides[k]);
    }
    let v = Desc {
        sizes,
        strides,
        ..d.clone()
    };
    l.bind_mem(op.result(l.ctx, 0), v)
}

/// `memref.view`: bytes as an array of another type.
fn view(l: &mut Lower, op: Op, d: &Desc) -> R {
    let operands = op.operands(l.ctx);
    let start = l.start(d)?;
    let shift = l.index_part(operands[1])?;
    let ptr = l.add(Part::Val(start), shift);
    let result = op.result(l.ctx, 0);
    let (ty, sizes) = super::memref::sizes_of(l, op, result, &[operands[2..].to_vec()])?;
    if l.s.options.bounds_checks {
        let bytes = super::memref::bytes(l, op, &ty, &sizes)?;
        let size = [Part::Val(bytes)];
        l.check_subview(op, d, [&[shift], &size, &[Part::Const(1)]])?;
    }
    let ptr = l.part(ptr);
    super::memref::bind_new(l, result, &ty, ptr, sizes)
}

/// `memref.reshape`: the sizes lie in memory.
fn reshape(l: &mut Lower, op: Op, d: &Desc) -> R {
    let result = op.result(l.ctx, 0);
    let ty = l.mem_ty(result)?;
    let shape = l.mem(op.operand(l.ctx, 1))?;
    if l.s.options.bounds_checks
        && let (true, Some(n)) = (ty.shape.contains(&DYNAMIC), shape.sizes.first().copied())
    {
        check_equal(l, op, n, Part::Const(ty.shape.len() as i64))?;
    }
    let start = l.start(&shape)?;
    let mut sizes = Vec::new();
    for (k, known) in ty.shape.iter().enumerate() {
        sizes.push(match *known {
            DYNAMIC => {
                let at = k as i32 * shape.elem.bytes() as i32;
                let flags = MemFlagsData::trusted();
                let v = l.b.ins().load(shape.elem.clif(), flags, start, at);
                let v = match shape.elem.bytes() {
                    8 => v,
                    n if n < 8 => l.b.ins().sextend(types::I64, v),
                    _ => l.b.ins().ireduce(types::I64, v),
                };
                Part::Val(v)
            }
            c => Part::Const(c),
        });
    }
    let strides = row_major(l, &sizes);
    let v = Desc {
        sizes,
        strides,
        ..d.clone()
    };
    l.check_within(op, op.operand(l.ctx, 0), &v)?;
    l.bind_mem(result, v)
}
