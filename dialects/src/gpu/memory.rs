//! Memory of the device and of the host as the device sees it.

use super::syntax::{parse_async, print_async, token_of};
use super::types::TOKEN;
use terrace_ir::constraint::{
    ANY, ANY_MEMREF, I32, INDEX, MEMREF, TypeConstraint, UNIT_ATTR, UNRANKED_MEMREF,
};
use terrace_ir::opdef::{Effect, EffectKind, Fold, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, OpState, Type, TypeData, Value, op};

const DYNAMIC_BYTES: TypeConstraint = TypeConstraint::new(
    "1D memref of 8-bit signless integer values",
    |c, t| matches!(t.data(c), TypeData::MemRef { shape, elem, .. } if shape.len() == 1 && *elem == c.int(8)),
);

op! {
    /// Waits for the ops that gave the tokens, or with `async` gives a token for all
    /// of them.
    WaitOp = "gpu.wait" {
        operands: [asyncDependencies: TOKEN.variadic()],
        results: [asyncToken: TOKEN.optional()],
        custom: (parse_wait, print_wait),
        canonicalize: super::canonicalize::wait,
    }

    /// Allocates a buffer that the device can use; `host_shared` where the host is to
    /// use it as well.
    AllocOp = "gpu.alloc" {
        operands: [
            asyncDependencies: TOKEN.variadic(),
            dynamicSizes: INDEX.variadic(),
            symbolOperands: INDEX.variadic(),
        ],
        results: [memref: MEMREF, asyncToken: TOKEN.optional()],
        attrs: [hostShared: UNIT_ATTR],
        traits: ATTR_SIZED_OPERANDS,
        custom: (parse_alloc, print_alloc),
        verify: verify_alloc,
        canonicalize: super::canonicalize::alloc,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Alloc, on: Some(op.result(ctx, 0)) }],
        result_names: |_, _| vec![Some("memref".into()), Some("asyncToken".into())],
    }

    /// Frees what `gpu.alloc` gave.
    DeallocOp = "gpu.dealloc" {
        operands: [asyncDependencies: TOKEN.variadic(), memref: ANY_MEMREF],
        results: [asyncToken: TOKEN.optional()],
        custom: (parse_one, print_one),
        effects: |ctx, op| on_groups(ctx, op, &[("memref", EffectKind::Free)]),
    }

    /// Copies all of `src` to `dst`; the two may lie on host or device.
    MemcpyOp = "gpu.memcpy" {
        operands: [asyncDependencies: TOKEN.variadic(), dst: ANY_MEMREF, src: ANY_MEMREF],
        results: [asyncToken: TOKEN.optional()],
        custom: (parse_two, print_two),
        verify: verify_memcpy,
        fold: |ctx, op, _| fold_casts(ctx, op),
        effects: |ctx, op| on_groups(ctx, op, &[("dst", EffectKind::Write), ("src", EffectKind::Read)]),
        canonicalize: super::canonicalize::memcpy,
    }

    /// Sets every element of `dst` to `value`.
    MemsetOp = "gpu.memset" {
        operands: [asyncDependencies: TOKEN.variadic(), dst: ANY_MEMREF, value: ANY],
        results: [asyncToken: TOKEN.optional()],
        custom: (parse_two, print_two),
        verify: verify_memset,
        fold: |ctx, op, _| fold_casts(ctx, op),
        effects: |ctx, op| on_groups(ctx, op, &[("dst", EffectKind::Write)]),
    }

    /// Makes host memory accessible to the device.
    HostRegisterOp = "gpu.host_register" {
        operands: [value: UNRANKED_MEMREF],
        format: "$value attr-dict `:` type($value)",
    }

    /// Ends what `gpu.host_register` began.
    HostUnregisterOp = "gpu.host_unregister" {
        operands: [value: UNRANKED_MEMREF],
        format: "$value attr-dict `:` type($value)",
    }

    /// Makes the device with this number the one that later ops mean.
    SetDefaultDeviceOp = "gpu.set_default_device" {
        operands: [devIndex: I32],
        format: "attr-dict $devIndex",
        effects: |_, _| vec![Effect { kind: EffectKind::Write, on: None }],
    }

    /// The shared memory of a block whose size the launch gave.
    DynamicSharedMemoryOp = "gpu.dynamic_shared_memory" {
        results: [resultMemref: DYNAMIC_BYTES],
        traits: PURE,
        format: "attr-dict `:` type($resultMemref)",
        verify: verify_dynamic_shared_memory,
    }
}

impl AllocOp {
    /// The memory allocated.
    pub fn memref(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    /// Sizes of the dimensions that are `?`, in order.
    pub fn dynamic_sizes(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "dynamicSizes")
    }

    /// A synchronous allocation of memref type `ty`.
    pub fn build(b: &mut Builder, ty: Type, dynamic_sizes: &[Value]) -> Value {
        let groups = b.ctx.i32_array(&[0, dynamic_sizes.len() as i32, 0]);
        b.value::<AllocOp>(dynamic_sizes, ty, &[("operandSegmentSizes", groups)])
    }
}

impl DeallocOp {
    /// The memory freed.
    pub fn memref(self, ctx: &Context) -> Value {
        let n = self.op().num_operands(ctx);
        self.op().operand(ctx, n - 1)
    }

    /// Free memory that [`AllocOp`] allocated, synchronously.
    pub fn build(b: &mut Builder, memref: Value) -> Op {
        b.op::<DeallocOp>(&[memref], &[], &[])
    }
}

impl MemcpyOp {
    /// What is written.
    pub fn dst(self, ctx: &Context) -> Value {
        let n = self.op().num_operands(ctx);
        self.op().operand(ctx, n - 2)
    }

    /// What is read.
    pub fn src(self, ctx: &Context) -> Value {
        let n = self.op().num_operands(ctx);
        self.op().operand(ctx, n - 1)
    }

    /// Copy a memref to one of the same shape, synchronously.
    pub fn build(b: &mut Builder, dst: Value, src: Value) -> Op {
        b.op::<MemcpyOp>(&[dst, src], &[], &[])
    }
}

impl MemsetOp {
    /// Of a buffer whose elements have the value's type.
    pub fn build(b: &mut Builder, dst: Value, value: Value) -> Op {
        b.op::<MemsetOp>(&[dst, value], &[], &[])
    }

    /// What is written.
    pub fn dst(self, ctx: &Context) -> Value {
        let n = self.op().num_operands(ctx);
        self.op().operand(ctx, n - 2)
    }

    /// What each element becomes.
    pub fn value(self, ctx: &Context) -> Value {
        let n = self.op().num_operands(ctx);
        self.op().operand(ctx, n - 1)
    }
}

impl WaitOp {
    /// The token of the op; `None` if it is synchronous.
    pub fn async_token(self, ctx: &Context) -> Option<Value> {
        token_of(ctx, self.op())
    }
}

fn on_groups(ctx: &Context, op: Op, groups: &[(&str, EffectKind)]) -> Vec<Effect> {
    let on = |name: &str| op.operand_group(ctx, name).first().copied();
    groups
        .iter()
        .map(|(name, kind)| Effect {
            kind: *kind,
            on: on(name),
        })
        .collect()
}

// ---- syntax ----

fn parse_wait(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, _) = parse_async(p, state)?;
    state.result_types.extend(token);
    p.parse_optional_attr_dict(state)
}

fn print_wait(p: &mut Printer, op: Op) {
    print_async(p, op);
    p.attr_dict(op, &[], false);
}

/// `host_shared (%sizes)[%symbols] {attrs} : type`.
fn parse_alloc(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, deps) = parse_async(p, state)?;
    if p.eat_keyword("host_shared") {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, "hostShared", unit);
    }
    let sizes = p.parse_delimited_operands(T::LParen, T::RParen)?;
    let symbols = if p.at(T::LSquare) {
        p.parse_delimited_operands(T::LSquare, T::RSquare)?
    } else {
        Vec::new()
    };
    p.parse_optional_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    let index = p.ctx.index();
    for list in [&sizes, &symbols] {
        let v = p.resolve_all(list, index)?;
        state.operands.extend(v);
    }
    state.result_types.push(ty);
    state.result_types.extend(token);
    let groups = p
        .ctx
        .i32_array(&[deps, sizes.len() as i32, symbols.len() as i32]);
    state.set_attr(p.ctx, "operandSegmentSizes", groups);
    Ok(())
}

fn print_alloc(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    print_async(p, op);
    if op.attr(ctx, "hostShared").is_some() {
        p.write(" host_shared");
    }
    p.write(" (");
    p.values(&op.operand_group(ctx, "dynamicSizes"));
    p.write(")");
    let symbols = op.operand_group(ctx, "symbolOperands");
    if !symbols.is_empty() {
        p.write("[");
        p.values(&symbols);
        p.write("]");
    }
    p.attr_dict(op, &["operandSegmentSizes", "hostShared"], false);
    p.write(" : ");
    p.ty(op.result(ctx, 0).ty(ctx));
}

/// `%memref {attrs} : type`.
fn parse_one(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, _) = parse_async(p, state)?;
    state.result_types.extend(token);
    let o = p.parse_operand()?;
    p.parse_optional_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    let v = p.resolve(o, ty)?;
    state.operands.push(v);
    Ok(())
}

fn print_one(p: &mut Printer, op: Op) {
    print_async(p, op);
    p.write(" ");
    let v = DeallocOp::wrap(op).memref(p.ctx);
    p.value(v);
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(v.ty(p.ctx));
}

/// `%a, %b : type, type {attrs}`.
fn parse_two(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, _) = parse_async(p, state)?;
    state.result_types.extend(token);
    let a = p.parse_operand()?;
    p.expect(T::Comma)?;
    let b = p.parse_operand()?;
    let ta = p.parse_colon_type()?;
    p.expect(T::Comma)?;
    let tb = p.parse_type()?;
    p.parse_optional_attr_dict(state)?;
    let (a, b) = (p.resolve(a, ta)?, p.resolve(b, tb)?);
    state.operands.extend([a, b]);
    Ok(())
}

fn print_two(p: &mut Printer, op: Op) {
    print_async(p, op);
    p.write(" ");
    let n = op.num_operands(p.ctx);
    let two = [op.operand(p.ctx, n - 2), op.operand(p.ctx, n - 1)];
    p.values(&two);
    p.write(" : ");
    p.types(&[two[0].ty(p.ctx), two[1].ty(p.ctx)]);
    p.attr_dict(op, &[], false);
}

// ---- verification and folding ----

fn verify_alloc(ctx: &Context, op: Op) -> Verified {
    let a = AllocOp::wrap(op);
    let ty = a.memref(ctx).ty(ctx);
    let dynamic = ty
        .shape(ctx)
        .unwrap_or(&[])
        .iter()
        .filter(|d| **d == DYNAMIC)
        .count();
    let sizes = a.dynamic_sizes(ctx).len();
    if sizes != dynamic {
        return Err(
            format!("incorrect number of dynamic sizes, has {sizes}, expected {dynamic}").into(),
        );
    }
    let symbols = crate::memref::layout::num_symbols(ctx, ty);
    if op.operand_group(ctx, "symbolOperands").len() != symbols {
        return Err("symbol operand count does not equal memref symbol count".into());
    }
    Ok(())
}

/// Whether two shapes can be those of one buffer.
pub(crate) fn compatible_shapes(ctx: &Context, a: Type, b: Type) -> bool {
    match (a.shape(ctx), b.shape(ctx)) {
        (Some(a), Some(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(x, y)| *x == DYNAMIC || *y == DYNAMIC || x == y)
        }
        _ => true,
    }
}

fn verify_memcpy(ctx: &Context, op: Op) -> Verified {
    let c = MemcpyOp::wrap(op);
    let (dst, src) = (c.dst(ctx).ty(ctx), c.src(ctx).ty(ctx));
    if dst.element(ctx) != src.element(ctx) {
        return Err("arguments have incompatible element type".into());
    }
    if !compatible_shapes(ctx, dst, src) {
        return Err("arguments have incompatible shape".into());
    }
    Ok(())
}

fn verify_memset(ctx: &Context, op: Op) -> Verified {
    let m = MemsetOp::wrap(op);
    if m.dst(ctx).ty(ctx).element(ctx) != Some(m.value(ctx).ty(ctx).element_or_self(ctx)) {
        return Err("failed to verify that all of {dst, value} have same element type".into());
    }
    Ok(())
}

fn verify_dynamic_shared_memory(ctx: &Context, op: Op) -> Verified {
    let t = op.result(ctx, 0).ty(ctx);
    let Some((_, space)) = t.memref_parts(ctx) else {
        return Ok(());
    };
    if !super::enums::is_workgroup_space(ctx, space) {
        return Err("address space must be address_space<workgroup>".into());
    }
    if t.shape(ctx) != Some(&[DYNAMIC]) {
        return Err(
            "result memref type must be memref<?xi8, #gpu.address_space<workgroup>>".into(),
        );
    }
    Ok(())
}

/// Look through casts of the memrefs: what is touched is the same.
fn fold_casts(ctx: &Context, op: Op) -> Fold {
    let mut changed = false;
    for (i, v) in op.operands(ctx).into_iter().enumerate() {
        let Some(cast) = v.def_op().filter(|d| d.name(ctx) == "memref.cast") else {
            continue;
        };
        let source = cast.operand(ctx, 0);
        if source.ty(ctx).is_memref(ctx) {
            op.set_operand(ctx, i, source);
            changed = true;
        }
    }
    if changed { Fold::InPlace } else { Fold::No }
}
