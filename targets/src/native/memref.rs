//! Memory: allocation, element access, copies, globals.

use super::abi::{Desc, MemTy, Part, Repr, Scalar, int_type};
use super::arith::mask;
use super::atomic;
use super::cast::Extension;
use super::float::{half_bits, half_value};
use super::globals::GlobalPlace;
use super::lower::{Lower, R};
use super::scf::Range;
use super::trap::Trap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use terrace_dialects::{memref, scf};
use terrace_ir::opdef::traits;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, Value};

/// Allocations are aligned to this at least.
const ALIGN: i64 = 64;

/// An alloca of more bytes lies on the heap.
const STACK_LIMIT: i64 = 16 << 10;

/// All allocas of a function on the stack take no more than this.
const FRAME_LIMIT: u32 = 256 << 10;

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    match name {
        "load" => {
            let d = l.mem(op.operand(ctx, 0))?;
            let indices = &op.operands(ctx)[1..];
            l.check_bounds(op, &d, indices)?;
            let (base, at) = l.address(&d, indices)?;
            if let Some(extension) = super::cast::only_extended(ctx, op, d.elem) {
                let v = load_extended(l, &extension, base, at);
                l.bind_one(extension.op, v);
                l.made.insert(extension.op);
                return Ok(());
            }
            let v = load(l, d.elem, base, at)?;
            l.bind_one(op, v);
            Ok(())
        }
        "store" => {
            let operands = op.operands(ctx);
            let v = l.one(operands[0])?;
            let d = l.mem(operands[1])?;
            l.check_bounds(op, &d, &operands[2..])?;
            let (base, at) = l.address(&d, &operands[2..])?;
            store(l, d.elem, v, base, at)
        }
        "alloc" => {
            let (ty, sizes) = sizes_of(l, op, op.result(ctx, 0), &groups(ctx, op))?;
            let bytes = bytes(l, op, &ty, &sizes)?;
            let align = l.i64(alignment(ctx, op)?);
            let ptr = heap_alloc(l, bytes, align)?;
            fail_if_null(l, ptr, op)?;
            bind_new(l, op.result(ctx, 0), &ty, ptr, sizes)
        }
        "alloca" => alloca(l, op),
        "dealloc" => {
            let d = l.mem(op.operand(ctx, 0))?;
            heap_free(l, op, d.ptr)
        }
        "realloc" => realloc(l, op),
        "copy" => copy(l, op, op.operand(ctx, 0), op.operand(ctx, 1)),
        "get_global" => get_global(l, op),
        "prefetch" => Ok(()),
        "alloca_scope" => super::scf::execute_region(l, op),
        "atomic_rmw" => atomic::atomic_rmw(l, op),
        "generic_atomic_rmw" => atomic::generic_atomic_rmw(l, op),
        _ => Err(super::check::advice(op.name(ctx))),
    }
}

/// New memory on the heap.
fn heap_alloc(l: &mut Lower, bytes: ir::Value, align: ir::Value) -> R<ir::Value> {
    if !l.s.own_heap {
        return l.helper1("terrace_alloc", &[bytes, align], types::I64);
    }
    let shared = l.shared();
    l.helper1("terrace_heap_alloc", &[shared, bytes, align], types::I64)
}

/// Frees the memory at `ptr`, which is that of the first operand of `op`.
fn heap_free(l: &mut Lower, op: Op, ptr: ir::Value) -> R {
    if !l.s.own_heap {
        l.helper("terrace_free", &[ptr], None)?;
        return Ok(());
    }
    let shared = l.shared();
    let last = super::shared::is_last_use(l.ctx, op, op.operand(l.ctx, 0));
    let last = l.iconst(types::I32, i64::from(last));
    let status = l.helper1("terrace_heap_free", &[shared, ptr, last], types::I32)?;
    l.trap_if(status, Trap::Free, op)
}

/// The operands by `operandSegmentSizes`; all in one group where it is absent.
pub(super) fn groups(ctx: &Context, op: Op) -> Vec<Vec<Value>> {
    let operands = op.operands(ctx);
    let sizes = op
        .attr(ctx, "operandSegmentSizes")
        .and_then(|a| a.as_i64_array(ctx));
    let Some(sizes) = sizes else {
        return vec![operands];
    };
    let mut rest = operands.into_iter();
    sizes
        .iter()
        .map(|n| {
            rest.by_ref()
                .take(usize::try_from(*n).unwrap_or(0))
                .collect()
        })
        .collect()
}

// ---- elements ----

pub(super) fn load(l: &mut Lower, elem: Scalar, base: ir::Value, at: i32) -> R<ir::Value> {
    let flags = MemFlagsData::trusted();
    match elem {
        Scalar::Int(bits) => {
            let v = l.b.ins().load(int_type(bits), flags, base, at);
            Ok(mask(l, v, bits))
        }
        Scalar::F64 => Ok(l.b.ins().load(types::F64, flags, base, at)),
        Scalar::F32 => Ok(l.b.ins().load(types::F32, flags, base, at)),
        Scalar::F16 | Scalar::BF16 => {
            let bits = l.b.ins().load(types::I16, flags, base, at);
            half_value(l, bits, elem)
        }
    }
}

/// A load and what extends it are one instruction.
fn load_extended(l: &mut Lower, e: &Extension, base: ir::Value, at: i32) -> ir::Value {
    let flags = MemFlagsData::trusted();
    let ty = int_type(e.to);
    match (e.from, e.signed) {
        (8, true) => l.b.ins().sload8(ty, flags, base, at),
        (8, false) => l.b.ins().uload8(ty, flags, base, at),
        (16, true) => l.b.ins().sload16(ty, flags, base, at),
        (16, false) => l.b.ins().uload16(ty, flags, base, at),
        (_, true) => l.b.ins().sload32(flags, base, at),
        (_, false) => l.b.ins().uload32(flags, base, at),
    }
}

pub(super) fn store(l: &mut Lower, elem: Scalar, v: ir::Value, base: ir::Value, at: i32) -> R {
    let v = match elem.is_half() {
        true => half_bits(l, v, elem)?,
        false => v,
    };
    l.b.ins().store(MemFlagsData::trusted(), v, base, at);
    Ok(())
}

// ---- allocation ----

/// The sizes of a new memref: those of its type and the operands in their order.
pub(super) fn sizes_of(
    l: &Lower,
    op: Op,
    result: Value,
    groups: &[Vec<Value>],
) -> R<(MemTy, Vec<Part>)> {
    let ty = l.mem_ty(result)?;
    let open = ty.shape.iter().filter(|d| **d == DYNAMIC).count();
    let mut given = groups
        .iter()
        .find(|g| g.len() == open && (open == 0 || g[0].ty(l.ctx).is_index(l.ctx)))
        .cloned()
        .unwrap_or_default()
        .into_iter();
    let mut sizes = Vec::new();
    for d in &ty.shape {
        sizes.push(match *d {
            DYNAMIC => match given.next() {
                Some(v) => l.index_part(v)?,
                None => return Err(format!("has too few sizes for '{}'", op.name(l.ctx))),
            },
            d => Part::Const(d),
        });
    }
    if !ty.contiguous && (open > 0 || ty.strides.contains(&DYNAMIC) || ty.offset == DYNAMIC) {
        return Err(
            "allocates a memref with a layout whose sizes or strides are dynamic; \
                    allocate it row-major and take a view"
                .into(),
        );
    }
    Ok((ty, sizes))
}

/// The bytes an allocation takes; fails at `op` where a size is negative or all are
/// too large.
pub(super) fn bytes(l: &mut Lower, op: Op, ty: &MemTy, sizes: &[Part]) -> R<ir::Value> {
    let elem = i64::from(ty.elem.bytes());
    if !ty.contiguous {
        // Up to the element furthest from the start; none may lie before it.
        let reach = |forwards: bool| {
            let mut far = ty.shape.iter().zip(&ty.strides);
            far.try_fold(ty.offset, |sum, (n, s)| match (*s > 0) == forwards {
                true => sum.checked_add((n - 1).max(0).checked_mul(*s)?),
                false => Some(sum),
            })
        };
        if reach(false).is_none_or(|first| first < 0) {
            return Err("allocates a memref with elements before its start".into());
        }
        let last = reach(true);
        let total = last.and_then(|x| x.checked_add(1)?.checked_mul(elem));
        return match total {
            Some(b) if b >= 0 => Ok(l.i64(b)),
            _ => Err("is too large to allocate".into()),
        };
    }
    let mut known = Some(elem);
    let mut open = Vec::new();
    for s in sizes {
        match s {
            Part::Const(c) if *c < 0 => return Err(format!("has the negative size {c}")),
            Part::Const(c) => known = known.and_then(|k| k.checked_mul(*c)),
            Part::Val(v) => open.push(*v),
        }
    }
    let Some(known) = known else {
        return Err("is too large to allocate".into());
    };
    let mut total = l.i64(known);
    for v in open {
        // As unsigned numbers: a negative size is a very large one.
        let high = l.b.ins().umulhi(total, v);
        total = l.b.ins().imul(total, v);
        let limit = l.i64(i64::MIN);
        let sum = l.b.ins().bor(total, v);
        let large = l.b.ins().band(sum, limit);
        let bad = l.b.ins().bor(high, large);
        let zero = l.i64(0);
        let bad = l.b.ins().icmp(IntCC::NotEqual, bad, zero);
        l.trap_if(bad, Trap::BadSize, op)?;
    }
    Ok(total)
}

pub(super) fn fail_if_null(l: &mut Lower, ptr: ir::Value, op: Op) -> R {
    let zero = l.i64(0);
    let null = l.b.ins().icmp(IntCC::Equal, ptr, zero);
    l.trap_if(null, Trap::OutOfMemory, op)
}

fn alignment(ctx: &Context, op: Op) -> R<i64> {
    match op.int_attr(ctx, "alignment") {
        None => Ok(ALIGN),
        Some(a) if a > 0 && a.count_ones() == 1 && a <= 1 << 20 => Ok(a.max(ALIGN)),
        Some(a) => Err(format!(
            "asks for an alignment of {a}; it must be a power of two of at most 1048576"
        )),
    }
}

/// Bind `result` to new memory at `ptr`.
pub(super) fn bind_new(
    l: &mut Lower,
    result: Value,
    ty: &MemTy,
    ptr: ir::Value,
    sizes: Vec<Part>,
) -> R {
    let strides = row_major(l, &sizes);
    let d = Desc {
        elem: ty.elem,
        ptr,
        offset: Part::Const(0),
        sizes,
        strides,
    };
    l.bind_mem(result, d)
}

/// The strides of a row-major array without gaps.
pub(super) fn row_major(l: &mut Lower, sizes: &[Part]) -> Vec<Part> {
    let mut strides = vec![Part::Const(1); sizes.len()];
    for i in (1..sizes.len()).rev() {
        strides[i - 1] = l.mul(strides[i], sizes[i]);
    }
    strides
}

/// Whether an alloca has to lie on the heap: its size is not known or large, or it
/// runs many times before it is freed.
fn is_heap_alloca(ctx: &Context, op: Op) -> bool {
    let ty = op.result(ctx, 0).ty(ctx);
    let Ok(Repr::Mem(m)) = Repr::of(ctx, ty) else {
        return false;
    };
    let bytes = ty
        .num_elements(ctx)
        .and_then(|n| n.checked_mul(i64::from(m.elem.bytes())));
    if bytes.is_none_or(|b| b > STACK_LIMIT) {
        return true;
    }
    let mut o = op;
    while let Some(p) = o.parent(ctx) {
        let entry = o.block(ctx).is_some_and(|b| b.is_entry(ctx));
        if p.name(ctx) == scf::WhileOp::NAME || !entry {
            return true;
        }
        if is_scope(ctx, p) {
            break;
        }
        o = p;
    }
    false
}

fn is_scope(ctx: &Context, op: Op) -> bool {
    op.def(ctx).is_some_and(|d| d.has(traits::ALLOCATION_SCOPE))
        || op.name(ctx) == scf::ParallelOp::NAME
}

/// Whether memory on the heap is to be freed at the end of each run of `block`, the
/// body of an allocation scope.
pub(super) fn has_dynamic_alloca(ctx: &Context, block: Block) -> bool {
    let mut next = block.first_op(ctx);
    while let Some(op) = next {
        next = op.next(ctx);
        if op.name(ctx) == memref::AllocaOp::NAME && is_heap_alloca(ctx, op) {
            return true;
        }
        if !is_scope(ctx, op) {
            for r in op.regions(ctx) {
                if r.blocks(ctx)
                    .into_iter()
                    .any(|b| has_dynamic_alloca(ctx, b))
                {
                    return true;
                }
            }
        }
    }
    false
}

fn alloca(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let result = op.result(ctx, 0);
    let (ty, sizes) = sizes_of(l, op, result, &groups(ctx, op))?;
    let align = alignment(ctx, op)?;
    let ptr = if is_heap_alloca(ctx, op) || align > ALIGN || !ty.contiguous {
        let bytes = bytes(l, op, &ty, &sizes)?;
        let align = l.i64(align);
        let head = l.alloca_head();
        let ptr = l.helper1("terrace_alloca", &[head, bytes, align], types::I64)?;
        fail_if_null(l, ptr, op)?;
        ptr
    } else {
        let n = result.ty(ctx).num_elements(ctx).unwrap_or(0);
        // At most STACK_LIMIT, by the test above.
        let bytes = (n * i64::from(ty.elem.bytes())).max(1) as u32;
        l.alloca_bytes += bytes;
        if l.alloca_bytes > FRAME_LIMIT {
            return Err(format!(
                "takes the stack of its function beyond {} KiB; use memref.alloc",
                FRAME_LIMIT >> 10
            ));
        }
        let slot = l.slot(bytes, 6);
        l.slot_addr(slot)
    };
    bind_new(l, result, &ty, ptr, sizes)
}

fn realloc(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let d = l.mem(op.operand(ctx, 0))?;
    let result = op.result(ctx, 0);
    let (ty, sizes) = sizes_of(l, op, result, &[op.operands(ctx)[1..].to_vec()])?;
    let size = Part::Const(i64::from(ty.elem.bytes()));
    let new = bytes(l, op, &ty, &sizes)?;
    let old = l.mul(d.sizes[0], size);
    let old = l.part(old);
    let align = l.i64(alignment(ctx, op)?);
    let ptr = heap_alloc(l, new, align)?;
    fail_if_null(l, ptr, op)?;
    let less = l.b.ins().icmp(IntCC::UnsignedLessThan, old, new);
    let kept = l.b.ins().select(less, old, new);
    l.helper1("memmove", &[ptr, d.ptr, kept], types::I64)?;
    heap_free(l, op, d.ptr)?;
    bind_new(l, result, &ty, ptr, sizes)
}

fn get_global(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let name = op
        .attr(ctx, "name")
        .and_then(|a| a.as_flat_symbol(ctx))
        .unwrap_or("");
    let Some(place) = l.s.globals.place(name) else {
        return Err(format!("names '@{name}', which is not a global here"));
    };
    let result = op.result(ctx, 0);
    let ty = l.mem_ty(result)?;
    let sizes = ty.shape.iter().map(|d| Part::Const(*d)).collect();
    let ptr = match place {
        GlobalPlace::Address(a) => l.i64(a as i64),
        GlobalPlace::Data(id) => {
            let data = l.s.code.declare_data_in_func(id, l.b.func);
            l.b.ins().symbol_value(types::I64, data)
        }
    };
    bind_new(l, result, &ty, ptr, sizes)
}

// ---- copies ----

/// The bytes of all elements of a memref without gaps.
pub(super) fn all_bytes(l: &mut Lower, d: &Desc) -> ir::Value {
    let mut n = Part::Const(i64::from(d.elem.bytes()));
    for s in &d.sizes {
        n = l.mul(n, *s);
    }
    l.part(n)
}

fn copy(l: &mut Lower, op: Op, from: Value, to: Value) -> R {
    let (a, b) = (l.mem(from)?, l.mem(to)?);
    if a.rank() != b.rank() {
        return Err("copies between memrefs of different rank".into());
    }
    if l.s.options.bounds_checks {
        for (x, y) in a.sizes.iter().zip(&b.sizes) {
            check_sizes(l, op, *x, *y)?;
        }
    }
    if l.mem_ty(from)?.contiguous && l.mem_ty(to)?.contiguous {
        let (src, dst) = (l.start(&a)?, l.start(&b)?);
        let n = all_bytes(l, &a);
        l.helper1("memmove", &[dst, src, n], types::I64)?;
        return Ok(());
    }
    let (src, dst) = (l.start(&a)?, l.start(&b)?);
    copy_dims(l, &a, &b, 0, src, dst)
}

/// Fail at `op`, a cast, where two numbers differ.
pub(super) fn check_equal(l: &mut Lower, op: Op, a: Part, b: Part) -> R {
    fail_if_other(l, op, (a, b), Trap::Mismatch)
}

/// Fail at `op`, a copy, where two sizes differ.
pub(super) fn check_sizes(l: &mut Lower, op: Op, a: Part, b: Part) -> R {
    fail_if_other(l, op, (a, b), Trap::CopySizes)
}

fn fail_if_other(l: &mut Lower, op: Op, (a, b): (Part, Part), trap: Trap) -> R {
    if a == b {
        return Ok(());
    }
    let (a, b) = (l.part(a), l.part(b));
    let bad = l.b.ins().icmp(IntCC::NotEqual, a, b);
    l.trap_if(bad, trap, op)
}

/// Copy the elements of dimensions `k` and up, whose first lie at `src` and `dst`.
fn copy_dims(l: &mut Lower, a: &Desc, b: &Desc, k: usize, src: ir::Value, dst: ir::Value) -> R {
    if k == a.rank() {
        let ty = ir::Type::int(a.elem.bytes() as u16 * 8).unwrap_or(types::I8);
        let v = l.b.ins().load(ty, MemFlagsData::trusted(), src, 0);
        l.b.ins().store(MemFlagsData::trusted(), v, dst, 0);
        return Ok(());
    }
    let size = Part::Const(i64::from(a.elem.bytes()));
    let (sa, sb) = (l.mul(a.strides[k], size), l.mul(b.strides[k], size));
    let range = Range {
        lower: l.i64(0),
        upper: l.part(a.sizes[k]),
        step: l.i64(1),
        step_const: Some(1),
        signed: true,
        from_zero: false,
    };
    l.for_loop(range, &[src, dst], &mut |l, _, p| {
        copy_dims(l, a, b, k + 1, p[0], p[1])?;
        let (sa, sb) = (l.part(sa), l.part(sb));
        Ok(vec![l.b.ins().iadd(p[0], sa), l.b.ins().iadd(p[1], sb)])
    })?;
    Ok(())
}
