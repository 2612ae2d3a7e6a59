//! Globals: `memref.global`, `memref.get_global`.

use super::constraints::{ALIGNMENT, MEMREF_TYPE, STATIC_MEMREF};
use terrace_ir::constraint::{ANY_ATTR, FLAT_SYMBOL_REF, STRING_ATTR, SYMBOL_NAME, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{
    Attr, AttrData, Builder, Context, Op, OpKind, OpState, Type, TypeData, Value, op,
};

op! {
    /// A variable that lives as long as the program. Without `initial_value` it is
    /// declared only and defined elsewhere; with a unit one its content is undefined
    /// at first.
    GlobalOp = "memref.global" {
        attrs: [
            sym_name: SYMBOL_NAME,
            sym_visibility: STRING_ATTR.optional(),
            type: MEMREF_TYPE,
            initial_value: ANY_ATTR.optional(),
            constant: UNIT_ATTR,
            alignment: ALIGNMENT,
        ],
        traits: SYMBOL,
        custom: (parse_global, print_global),
        verify: verify_global,
    }

    /// The memref of a global.
    GetGlobalOp = "memref.get_global" {
        results: [result: STATIC_MEMREF],
        attrs: [name: FLAT_SYMBOL_REF],
        traits: PURE,
        format: "$name `:` type($result) attr-dict",
        verify_symbols: verify_get_global,
    }
}

impl GlobalOp {
    /// The symbol, without `@`; empty for a malformed op.
    pub fn name(self, ctx: &Context) -> &str {
        self.op().symbol_name(ctx).unwrap_or("")
    }

    /// The memref type of the variable.
    pub fn ty(self, ctx: &Context) -> Option<Type> {
        self.op().attr(ctx, "type")?.as_type(ctx)
    }

    /// The dense elements it starts with, where it has any.
    pub fn initial_elements(self, ctx: &Context) -> Option<Attr> {
        self.op()
            .attr(ctx, "initial_value")
            .filter(|a| is_elements(ctx, *a))
    }

    /// Whether nothing may write to it.
    pub fn is_constant(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "constant").is_some()
    }

    /// Whether it is declared here and defined elsewhere.
    pub fn is_external(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "initial_value").is_none()
    }

    /// A global of a static memref type. `initial` is absent for a declaration, a unit
    /// attribute for undefined content, elements else.
    pub fn build(
        b: &mut Builder,
        name: &str,
        ty: Type,
        initial: Option<Attr>,
        constant: bool,
    ) -> Op {
        let (name, ty, unit) = (b.ctx.string_attr(name), b.ctx.type_attr(ty), b.ctx.unit());
        let mut attrs = vec![("sym_name", name), ("type", ty)];
        attrs.extend(initial.map(|a| ("initial_value", a)));
        attrs.extend(constant.then_some(("constant", unit)));
        b.op::<GlobalOp>(&[], &[], &attrs)
    }
}

impl GetGlobalOp {
    /// Symbol of the global, without `@`; empty for a malformed op.
    pub fn name(self, ctx: &Context) -> &str {
        self.op()
            .attr(ctx, "name")
            .and_then(|a| a.as_flat_symbol(ctx))
            .unwrap_or("")
    }

    /// The global it names, where that exists.
    pub fn global(self, ctx: &Context) -> Option<GlobalOp> {
        terrace_ir::symbols::lookup_name(ctx, self.op(), self.name(ctx))?.cast::<GlobalOp>(ctx)
    }

    /// The memref of type `ty` that the global `@name` stands for.
    pub fn build(b: &mut Builder, name: &str, ty: Type) -> Value {
        let name = b.ctx.symbol_attr(name);
        b.value::<GetGlobalOp>(&[], ty, &[("name", name)])
    }
}

fn is_elements(ctx: &Context, a: Attr) -> bool {
    matches!(
        a.data(ctx),
        AttrData::Dense { .. } | AttrData::DenseResource { .. } | AttrData::Sparse { .. }
    )
}

fn is_static_memref(ctx: &Context, ty: Type) -> bool {
    matches!(ty.data(ctx), TypeData::MemRef { shape, .. } if !shape.contains(&DYNAMIC))
}

fn parse_global(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let start = p.pos();
    if let Some(v) = p.parse_optional_string() {
        let text = String::from_utf8_lossy(&v).into_owned();
        let a = p.ctx.string_attr(&text);
        state.set_attr(p.ctx, "sym_visibility", a);
    }
    if p.eat_keyword("constant") {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, "constant", unit);
    }
    let name = p.parse_symbol_name()?;
    let a = p.ctx.string_attr(&name);
    state.set_attr(p.ctx, "sym_name", a);
    p.expect(T::Colon)?;
    let ty = p.parse_type()?;
    if !is_static_memref(p.ctx, ty) {
        let m = format!(
            "type should be static shaped memref, but got '{}'",
            p.ctx.type_text(ty)
        );
        return Err(p.error(start, m));
    }
    let a = p.ctx.type_attr(ty);
    state.set_attr(p.ctx, "type", a);
    if p.eat(T::Equal) {
        let value = if p.eat_keyword("uninitialized") {
            p.ctx.unit()
        } else {
            let shape = ty.shape(p.ctx).unwrap_or(&[]).to_vec();
            let elem = ty.element_or_self(p.ctx);
            let tensor = p.ctx.ty(TypeData::Tensor {
                shape,
                elem,
                encoding: None,
            });
            let v = p.parse_attr_of(Some(tensor))?;
            if !is_elements(p.ctx, v) {
                return Err(p.error(
                    start,
                    "initial value should be a unit or elements attribute",
                ));
            }
            v
        };
        state.set_attr(p.ctx, "initial_value", value);
    }
    p.parse_optional_attr_dict(state)
}

fn print_global(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    if let Some(v) = op.attr(ctx, "sym_visibility") {
        p.write(" ");
        p.attr(v);
    }
    if op.attr(ctx, "constant").is_some() {
        p.write(" constant");
    }
    p.write(" ");
    p.symbol(op.symbol_name(ctx).unwrap_or(""));
    p.write(" : ");
    if let Some(t) = op.attr(ctx, "type").and_then(|a| a.as_type(ctx)) {
        p.ty(t);
    }
    if let Some(v) = op.attr(ctx, "initial_value") {
        p.write(" = ");
        match v.data(ctx) {
            AttrData::Unit => p.write("uninitialized"),
            _ => p.attr_without_type(v),
        }
    }
    let written = [
        "sym_visibility",
        "constant",
        "sym_name",
        "type",
        "initial_value",
    ];
    p.attr_dict(op, &written, false);
}

fn verify_global(ctx: &Context, op: Op) -> Verified {
    let Some(ty) = op.attr(ctx, "type").and_then(|a| a.as_type(ctx)) else {
        return Ok(());
    };
    if !is_static_memref(ctx, ty) {
        let m = format!(
            "type should be static shaped memref, but got '{}'",
            ctx.type_text(ty)
        );
        return Err(m.into());
    }
    let Some(init) = op.attr(ctx, "initial_value") else {
        return Ok(());
    };
    if matches!(init.data(ctx), AttrData::Unit) {
        return Ok(());
    }
    let Some(have) = init.typed(ctx).filter(|_| is_elements(ctx, init)) else {
        let m = format!(
            "initial value should be a unit or elements attribute, but got {}",
            ctx.attr_text(init)
        );
        return Err(m.into());
    };
    if have.element(ctx) != ty.element(ctx) {
        return Err(format!(
            "initial value element expected to be of type '{}', but was of type '{}'",
            ctx.type_text(ty.element_or_self(ctx)),
            ctx.type_text(have.element_or_self(ctx))
        )
        .into());
    }
    if have.shape(ctx) != ty.shape(ctx) {
        let list = |t: Type| {
            let v: Vec<String> = t
                .shape(ctx)
                .unwrap_or(&[])
                .iter()
                .map(i64::to_string)
                .collect();
            v.join(", ")
        };
        return Err(format!(
            "initial value shape expected to be {} but was {}",
            list(ty),
            list(have)
        )
        .into());
    }
    Ok(())
}

fn verify_get_global(ctx: &Context, op: Op) -> Verified {
    let Some(name) = op.attr(ctx, "name").and_then(|a| a.as_flat_symbol(ctx)) else {
        return Ok(());
    };
    let global = op.cast::<GetGlobalOp>(ctx).and_then(|g| g.global(ctx));
    let Some(want) = global.and_then(|g| g.ty(ctx)) else {
        return Err(format!("'{name}' does not reference a valid global memref").into());
    };
    let have = op.result(ctx, 0).ty(ctx);
    if have != want {
        return Err(format!(
            "result type '{}' does not match type '{}' of the global memref @{name}",
            ctx.type_text(have),
            ctx.type_text(want)
        )
        .into());
    }
    Ok(())
}
