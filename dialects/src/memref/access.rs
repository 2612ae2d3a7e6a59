//! Element access: `memref.load`, `memref.store`.

use super::constraints::ALIGNMENT;
use super::{effects, fold};
use terrace_ir::constraint::{ANY, BOOL_ATTR, INDEX, MEMREF};
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
}

impl LoadOp {
    /// The element of `memref` at `indices`.
    pub fn build(b: &mut Builder, memref: Value, indices: &[Value]) -> Value {
        let elem = memref.ty(b.ctx).element_or_self(b.ctx);
        let operands: Vec<Value> = [memref].iter().chain(indices).copied().collect();
        b.value::<LoadOp>(&operands, elem, &[])
    }

    pub fn memref(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

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

    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    pub fn memref(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

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
        return Err(
            "failed to verify that result type matches element type of 'memref'".into()
        );
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
            "failed to verify that type of 'value' matches element type of 'memref'".into()
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
