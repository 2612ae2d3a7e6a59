//! Access to elements: `memref.load`, `store`, `prefetch`, `copy`.

use super::constraints::{ALIGNMENT, LOCALITY};
use super::{canonicalize, effects, fold};
use terrace_ir::constraint::{ANY, ANY_MEMREF, BOOL_ATTR, INDEX, MEMREF};
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Builder, Context, Op, OpKind, OpState, Type, Value, op};

op! {
    /// Reads one element.
    LoadOp = "memref.load" {
        operands: [memref: MEMREF, indices: INDEX.variadic()],
        results: [result: ANY],
        attrs: [nontemporal: BOOL_ATTR.default(|c| c.bool_attr(false)), alignment: ALIGNMENT],
        format: "$memref `[` $indices `]` attr-dict `:` type($memref)",
        verify: verify_load,
        infer: |ctx, s| element_of_first(ctx, s).map(|t| vec![t]),
        fold: fold::load,
        effects: effects::read_0,
    }

    /// Writes one element.
    StoreOp = "memref.store" {
        operands: [value: ANY, memref: MEMREF, indices: INDEX.variadic()],
        attrs: [nontemporal: BOOL_ATTR.default(|c| c.bool_attr(false)), alignment: ALIGNMENT],
        custom: (parse_store, print_store),
        verify: verify_store,
        fold: fold::store,
        effects: effects::write_1,
    }

    /// Asks for an element to be brought near, to be read or written soon.
    PrefetchOp = "memref.prefetch" {
        operands: [memref: MEMREF, indices: INDEX.variadic()],
        attrs: [isWrite: BOOL_ATTR, localityHint: LOCALITY, isDataCache: BOOL_ATTR],
        custom: (parse_prefetch, print_prefetch),
        verify: verify_prefetch,
        fold: fold::casts_of_operands,
        // Not a write, but it must not be dropped as dead.
        effects: effects::write_0,
    }

    /// Copies all elements of one memref to another of the same shape. The two must
    /// not overlap.
    CopyOp = "memref.copy" {
        operands: [source: ANY_MEMREF, target: ANY_MEMREF],
        traits: SAME_OPERANDS_ELEMENT_TYPE | SAME_OPERANDS_SHAPE,
        format: "$source `,` $target attr-dict `:` type($source) `to` type($target)",
        fold: fold::copy,
        canonicalize: canonicalize::copy,
        effects: effects::copy,
    }
}

impl CopyOp {
    /// Copy a memref to one of the same shape.
    pub fn build(b: &mut Builder, source: Value, target: Value) -> Op {
        b.op::<CopyOp>(&[source, target], &[], &[])
    }
}

impl LoadOp {
    /// The element of `memref` at `indices`.
    pub fn build(b: &mut Builder, memref: Value, indices: &[Value]) -> Value {
        let elem = memref.ty(b.ctx).element_or_self(b.ctx);
        let operands: Vec<Value> = [memref].iter().chain(indices).copied().collect();
        b.value::<LoadOp>(&operands, elem, &[])
    }

    /// The memref read.
    pub fn memref(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// One subscript for each dimension.
    pub fn indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx).split_off(1)
    }
}

impl StoreOp {
    /// Store `value` into `memref` at `indices`.
    pub fn build(b: &mut Builder, value: Value, memref: Value, indices: &[Value]) -> Op {
        let operands: Vec<Value> = [value, memref].iter().chain(indices).copied().collect();
        b.op::<StoreOp>(&operands, &[], &[])
    }

    /// The element stored.
    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// The memref written.
    pub fn memref(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

    /// One subscript for each dimension.
    pub fn indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx).split_off(2)
    }
}

/// The element type of the memref that is the first operand.
pub(super) fn element_of_first(ctx: &Context, s: &OpState) -> Result<Type, String> {
    s.operands
        .first()
        .filter(|v| v.ty(ctx).is_memref(ctx))
        .and_then(|v| v.ty(ctx).element(ctx))
        .ok_or_else(|| "operand #0 must be memref of any type values".to_string())
}

fn verify_load(ctx: &Context, op: Op) -> Verified {
    let memref = op.operand(ctx, 0).ty(ctx);
    if memref.element(ctx) != Some(op.result(ctx, 0).ty(ctx)) {
        return Err("failed to verify that result type matches element type of 'memref'".into());
    }
    let (rank, have) = (memref.rank(ctx).unwrap_or(0), op.num_operands(ctx) - 1);
    if rank != have {
        return Err(format!(
            "incorrect number of indices for load, expected {rank} but got {have}"
        )
        .into());
    }
    Ok(())
}

fn verify_store(ctx: &Context, op: Op) -> Verified {
    let memref = op.operand(ctx, 1).ty(ctx);
    if memref.element(ctx) != Some(op.operand(ctx, 0).ty(ctx)) {
        return Err(
            "failed to verify that type of 'value' matches element type of 'memref'".into(),
        );
    }
    if memref.rank(ctx) != Some(op.num_operands(ctx) - 2) {
        return Err("store index operand count not equal to memref rank".into());
    }
    Ok(())
}

fn parse_store(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let value = p.parse_operand()?;
    p.expect(T::Comma)?;
    let memref = p.parse_operand()?;
    let indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let ty = p.parse_type()?;
    let Some(elem) = ty.element(p.ctx).filter(|_| ty.is_memref(p.ctx)) else {
        let m = format!(
            "invalid kind of type specified: expected builtin.memref, but found '{}'",
            p.ctx.type_text(ty)
        );
        return Err(p.error(pos, m));
    };
    state.operands.push(p.resolve(value, elem)?);
    state.operands.push(p.resolve(memref, ty)?);
    let index = p.ctx.index();
    state.operands.extend(p.resolve_all(&indices, index)?);
    Ok(())
}

fn print_store(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let v = op.operands(ctx);
    p.write(" ");
    p.values(&v[..2]);
    p.write("[");
    p.values(&v[2..]);
    p.write("]");
    let usual = op.attr(ctx, "nontemporal") == Some(ctx.bool_attr(false));
    p.attr_dict(op, if usual { &["nontemporal"] } else { &[] }, false);
    p.write(" : ");
    p.ty(v[1].ty(ctx));
}

fn verify_prefetch(ctx: &Context, op: Op) -> Verified {
    if op.operand(ctx, 0).ty(ctx).rank(ctx) != Some(op.num_operands(ctx) - 1) {
        return Err("too few indices".into());
    }
    Ok(())
}

/// `%m[%i], read, locality<3>, data : type`.
fn parse_prefetch(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let start = p.pos();
    let memref = p.parse_operand()?;
    let indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.expect(T::Comma)?;
    let access = p.parse_keyword()?;
    p.expect(T::Comma)?;
    p.expect_keyword("locality")?;
    p.expect(T::Less)?;
    let i32 = p.ctx.i32();
    let hint = p.parse_attr_of(Some(i32))?;
    state.set_attr(p.ctx, "localityHint", hint);
    p.expect(T::Greater)?;
    p.expect(T::Comma)?;
    let cache = p.parse_keyword()?;
    p.parse_optional_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    state.operands.push(p.resolve(memref, ty)?);
    let index = p.ctx.index();
    state.operands.extend(p.resolve_all(&indices, index)?);
    if !matches!(access, "read" | "write") {
        return Err(p.error(start, "rw specifier has to be 'read' or 'write'"));
    }
    if !matches!(cache, "data" | "instr") {
        return Err(p.error(start, "cache type has to be 'data' or 'instr'"));
    }
    for (name, value) in [
        ("isWrite", access == "write"),
        ("isDataCache", cache == "data"),
    ] {
        let a = p.ctx.bool_attr(value);
        state.set_attr(p.ctx, name, a);
    }
    Ok(())
}

fn print_prefetch(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let v = op.operands(ctx);
    let flag = |name| op.attr(ctx, name).and_then(|a| a.as_bool(ctx)) == Some(true);
    p.write(" ");
    p.value(v[0]);
    p.write("[");
    p.values(&v[1..]);
    p.write(if flag("isWrite") {
        "], write, locality<"
    } else {
        "], read, locality<"
    });
    if let Some(a) = op.attr(ctx, "localityHint") {
        p.attr_without_type(a);
    }
    p.write(if flag("isDataCache") {
        ">, data"
    } else {
        ">, instr"
    });
    p.attr_dict(op, &["localityHint", "isWrite", "isDataCache"], false);
    p.write(" : ");
    p.ty(v[0].ty(ctx));
}
