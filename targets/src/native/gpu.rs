//! The host side of GPU programs, through callbacks.
//!
//! An op without a token is done when the next begins, but that a launch may return
//! before the kernel ends; what comes next waits for it. Tokens are numbers that the
//! runtime gives out. Of several devices the type says which memory is allocated on; later
//! the address tells.

use super::abi::{Part, Repr, Scalar, Val};
use super::arith::resize;
use super::float::half_bits;
use super::func::store_words;
use super::lower::{Lower, R};
use super::memref::{all_bytes, bind_new, bytes, check_sizes, fail_if_null, groups, sizes_of};
use super::trap::Trap;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use terrace_dialects::gpu::LaunchFuncOp;
use terrace_dialects::xfer::{CopyOp, device_number, is_device, is_pinned};
use terrace_ir::{Context, Op, OpKind, Value};

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let xfer = op.dialect(ctx) == "xfer";
    match name {
        "profiled" => {
            let yes = l.helper1("terrace_gpu_profiled", &[], types::I32)?;
            let yes = resize(l, yes, 32, 1, false);
            l.bind_one(op, yes);
            Ok(())
        }
        "note_work" => {
            let mut numbers = Vec::new();
            for v in op.operands(ctx) {
                numbers.push(l.one(v)?);
            }
            l.helper("terrace_gpu_work", &numbers, None).map(|_| ())
        }
        "wait" => wait(l, op),
        "memcpy" | "copy" => in_order(l, op, copy),
        "memset" => in_order(l, op, memset),
        "launch_func" => in_order(l, op, launch),
        "dealloc" | "free" => in_order(l, op, free),
        "alloc" if xfer && is_pinned(ctx, op.result(ctx, 0).ty(ctx)) => {
            alloc(l, op, "terrace_gpu_alloc_host")
        }
        "alloc" => {
            alloc(l, op, "terrace_gpu_alloc")?;
            if op.num_results(ctx) > 1 {
                let tokens = op.operand_group(ctx, "asyncDependencies");
                let token = join(l, op, &tokens, &[], false, None)?;
                l.bind(op.result(ctx, 1), Val::One(token));
            }
            Ok(())
        }
        _ => Err(super::check::advice(op.name(l.ctx))),
    }
}

/// Tokens that an op comes after, and its queue.
fn order(ctx: &Context, op: Op) -> (Vec<Value>, Option<Value>) {
    match op.cast::<CopyOp>(ctx) {
        Some(c) => {
            let order = c.order(ctx);
            (order.tokens, order.queue)
        }
        None => (op.operand_group(ctx, "asyncDependencies"), None),
    }
}

/// What `body` makes of an op, asynchronous where the op has a token; behind a wait
/// where it only takes tokens.
fn in_order(l: &mut Lower, op: Op, body: impl FnOnce(&mut Lower, Op) -> R) -> R {
    let (tokens, queue) = order(l.ctx, op);
    let token = op.results(l.ctx).first().copied();
    let Some(token) = token else {
        if !tokens.is_empty() {
            wait_for(l, op, &tokens, &[])?;
        }
        return body(l, op);
    };
    let (at, n) = words(l, &tokens)?;
    let on = optional(l, queue)?;
    let id = l.op_id(op)?;
    let status = l.helper1("terrace_gpu_begin", &[at, n, on, id], types::I32)?;
    fail_if_error(l, op, status)?;
    body(l, op)?;
    let done = l.helper1("terrace_gpu_token", &[id], types::I64)?;
    l.bind(token, Val::One(done));
    Ok(())
}

/// Words on the stack, and how many.
fn words(l: &mut Lower, values: &[Value]) -> R<(ir::Value, ir::Value)> {
    let mut words = Vec::new();
    for v in values {
        words.push(l.one(*v)?);
    }
    let at = on_stack(l, &words);
    Ok((at, l.iconst(types::I32, words.len() as i64)))
}

/// Where a number lies; null for none.
fn optional(l: &mut Lower, v: Option<Value>) -> R<ir::Value> {
    match v {
        Some(v) => Ok(words(l, &[v])?.0),
        None => Ok(l.i64(0)),
    }
}

fn wait_for(l: &mut Lower, op: Op, tokens: &[Value], queues: &[Value]) -> R {
    let (tokens, n) = words(l, tokens)?;
    let (queues, m) = words(l, queues)?;
    let id = l.op_id(op)?;
    let args = [tokens, n, queues, m, id];
    let status = l.helper1("terrace_gpu_wait", &args, types::I32)?;
    fail_if_error(l, op, status)
}

fn join(
    l: &mut Lower,
    op: Op,
    tokens: &[Value],
    queues: &[Value],
    all: bool,
    on: Option<Value>,
) -> R<ir::Value> {
    let (tokens, n) = words(l, tokens)?;
    let (queues, m) = words(l, queues)?;
    let all = l.iconst(types::I32, i64::from(all));
    let on = optional(l, on)?;
    let id = l.op_id(op)?;
    let args = [tokens, n, queues, m, all, on, id];
    l.helper1("terrace_gpu_join", &args, types::I64)
}

/// `xfer.wait`, and `gpu.wait`, which without tokens waits for all.
fn wait(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let tokens = op.operand_group(ctx, "asyncDependencies");
    let queues = op.operand_group(ctx, "queues");
    let all = op.attr(ctx, "all").is_some();
    if let Some(token) = op.results(ctx).first().copied() {
        let on = op.operand_group(ctx, "onQueue").first().copied();
        let done = join(l, op, &tokens, &queues, all, on)?;
        l.bind(token, Val::One(done));
        return Ok(());
    }
    if all || tokens.is_empty() && queues.is_empty() {
        let id = l.op_id(op)?;
        let status = l.helper1("terrace_gpu_sync", &[id], types::I32)?;
        return fail_if_error(l, op, status);
    }
    wait_for(l, op, &tokens, &queues)
}

pub(super) fn fail_if_error(l: &mut Lower, op: Op, status: ir::Value) -> R {
    l.trap_if(status, Trap::Device, op)
}

/// The operands that are memrefs.
fn memrefs(ctx: &Context, op: Op) -> Vec<Value> {
    let operands = op.operands(ctx).into_iter();
    operands.filter(|v| v.ty(ctx).is_memref(ctx)).collect()
}

fn alloc(l: &mut Lower, op: Op, helper: &str) -> R {
    if op.attr(l.ctx, "hostShared").is_some() {
        return Err(
            "allocates memory that host and device share, which the runtime has none of; \
             allocate on each side and copy"
                .into(),
        );
    }
    let result = op.result(l.ctx, 0);
    let (ty, sizes) = sizes_of(l, op, result, &groups(l.ctx, op))?;
    let bytes = bytes(l, op, &ty, &sizes)?;
    let id = l.op_id(op)?;
    let ptr = match device_number(l.ctx, result.ty(l.ctx)) {
        None | Some(0) => l.helper1(helper, &[bytes, id], types::I64)?,
        Some(device) => {
            let device = l.iconst(types::I32, i64::from(device));
            l.helper1("terrace_gpu_alloc_on", &[bytes, device, id], types::I64)?
        }
    };
    fail_if_null(l, ptr, op)?;
    bind_new(l, result, &ty, ptr, sizes)
}

fn free(l: &mut Lower, op: Op) -> R {
    let Some(v) = memrefs(l.ctx, op).first().copied() else {
        return Err("needs a ranked memref".into());
    };
    let d = l.mem(v)?;
    let id = l.op_id(op)?;
    let status = l.helper1("terrace_gpu_free", &[d.ptr, id], types::I32)?;
    fail_if_error(l, op, status)
}

/// Whether a memref lies on the device, where that can be told from what made it.
fn on_device(ctx: &Context, v: Value) -> Option<bool> {
    if is_device(ctx, v.ty(ctx)) {
        return Some(true);
    }
    let mut v = v;
    loop {
        let op = v.def_op()?;
        let name = op.name(ctx);
        let (dialect, rest) = name.split_once('.')?;
        match (dialect, rest) {
            ("gpu", "alloc") => return Some(true),
            ("memref", "alloc" | "alloca" | "get_global" | "realloc") => return Some(false),
            ("memref", r) if super::view::is_view(r) => v = op.operand(ctx, 0),
            _ => return None,
        }
    }
}

/// `gpu.memcpy` names the target first, `xfer.copy` the source.
fn copy(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let all = memrefs(ctx, op);
    let [first, second] = all[..] else {
        return Err("needs two ranked memrefs".into());
    };
    let by_type = op.name(ctx) == CopyOp::NAME;
    let (dst, src) = if by_type {
        (second, first)
    } else {
        (first, second)
    };
    let contiguous = l.mem_ty(dst)?.contiguous && l.mem_ty(src)?.contiguous;
    // The types of xfer's operands tell all.
    let on_device = |v| match on_device(ctx, v) {
        None if by_type => Some(false),
        known => known,
    };
    let kind = match (on_device(dst), on_device(src)) {
        (Some(true), Some(false)) => 0,
        (Some(false), Some(true)) => 1,
        (Some(true), Some(true)) => 2,
        _ => 3,
    };
    let (d, s) = (l.mem(dst)?, l.mem(src)?);
    let (to, from) = (l.start(&d)?, l.start(&s)?);
    let kind = l.iconst(types::I32, kind);
    let id = l.op_id(op)?;
    if l.s.options.bounds_checks && d.rank() == s.rank() {
        for (a, b) in d.sizes.iter().zip(&s.sizes) {
            check_sizes(l, op, *a, *b)?;
        }
    }
    let status = match contiguous {
        true => {
            let n = all_bytes(l, &s);
            let args = [to, from, n, kind, id];
            l.helper1("terrace_gpu_copy", &args, types::I32)?
        }
        false => {
            let parts = s.sizes.iter().chain(&d.strides).chain(&s.strides);
            let words: Vec<ir::Value> = parts.map(|p| l.part(*p)).collect();
            let words = on_stack(l, &words);
            let size = l.iconst(types::I32, i64::from(s.elem.bytes()));
            let rank = l.iconst(types::I32, s.rank() as i64);
            let args = [to, from, size, rank, words, kind, id];
            l.helper1("terrace_gpu_copy_strided", &args, types::I32)?
        }
    };
    fail_if_error(l, op, status)
}

/// The bits of a number of at most 64 as a word, zeros above.
pub(super) fn word(l: &mut Lower, v: ir::Value, kind: Scalar) -> R<ir::Value> {
    let flags = MemFlagsData::new();
    let bits = match kind {
        Scalar::Int(n) if n > 64 => {
            return Err("hands an integer of more than 64 bits to the device".into());
        }
        Scalar::Int(_) => v,
        Scalar::F64 => return Ok(l.b.ins().bitcast(types::I64, flags, v)),
        Scalar::F32 => l.b.ins().bitcast(types::I32, flags, v),
        Scalar::F16 | Scalar::BF16 => half_bits(l, v, kind)?,
    };
    match l.b.func.dfg.value_type(bits) {
        types::I64 => Ok(bits),
        _ => Ok(l.b.ins().uextend(types::I64, bits)),
    }
}

fn memset(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let Some(dst) = memrefs(ctx, op).first().copied() else {
        return Err("needs a ranked memref".into());
    };
    let ty = l.mem_ty(dst)?;
    if !ty.contiguous {
        return Err("sets a memref with gaps or of unknown strides".into());
    }
    // The value is the last operand.
    let value = op.operand(ctx, op.num_operands(ctx) - 1);
    let v = l.one(value)?;
    let bits = word(l, v, ty.elem)?;
    let d = l.mem(dst)?;
    let to = l.start(&d)?;
    let mut count = Part::Const(1);
    for s in &d.sizes {
        count = l.mul(count, *s);
    }
    let count = l.part(count);
    let size = l.iconst(types::I32, i64::from(ty.elem.bytes()));
    let id = l.op_id(op)?;
    let args = [to, bits, size, count, id];
    let status = l.helper1("terrace_gpu_memset", &args, types::I32)?;
    fail_if_error(l, op, status)
}

/// The words of a memref argument of a kernel: pointer, then what its type leaves
/// open of offset, sizes and strides.
fn kernel_argument(l: &mut Lower, v: Value) -> R<Vec<ir::Value>> {
    match l.repr_of(v)? {
        Repr::Scalar(kind) => {
            let x = l.one(v)?;
            Ok(vec![word(l, x, kind)?])
        }
        Repr::Mem(_) => l.flat(v),
        _ => Err("hands a kernel something other than numbers and memrefs".into()),
    }
}

fn launch(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let f = LaunchFuncOp::wrap(op);
    if f.cluster_size(ctx).is_some() {
        return Err("launches clusters, which the host side cannot yet; launch without".into());
    }
    let (Some(module), Some(kernel)) = (f.kernel_module_name(ctx), f.kernel_name(ctx)) else {
        return Err("needs the name of a kernel".into());
    };
    let kernel = l.s.kernel_id(module, kernel);
    let mut sizes = Vec::new();
    for v in f.grid_size(ctx).into_iter().chain(f.block_size(ctx)) {
        let x = l.one(v)?;
        sizes.push(match l.scalar_of(v)? {
            Scalar::Int(bits) => resize(l, x, bits, 64, true),
            _ => return Err("needs integer sizes".into()),
        });
    }
    let shared = match f.dynamic_shared_memory(ctx) {
        Some(v) => l.one(v)?,
        None => l.iconst(types::I32, 0),
    };
    let mut words = Vec::new();
    for v in f.kernel_operands(ctx) {
        words.extend(kernel_argument(l, v)?);
    }
    let grid = on_stack(l, &sizes[..3]);
    let block = on_stack(l, &sizes[3..]);
    let args = on_stack(l, &words);
    let n = l.iconst(types::I32, words.len() as i64);
    let kernel = l.iconst(types::I32, i64::from(kernel));
    let id = l.op_id(op)?;
    let args = [kernel, grid, block, shared, args, n, id];
    let status = l.helper1("terrace_gpu_launch", &args, types::I32)?;
    fail_if_error(l, op, status)
}

/// Words one after another on the stack.
fn on_stack(l: &mut Lower, words: &[ir::Value]) -> ir::Value {
    let slot = l.slot((words.len() * 8).max(8) as u32, 3);
    let at = l.slot_addr(slot);
    store_words(l, words, at);
    at
}
