//! `func.func`, `func.return`, `func.call`, `func.call_indirect`, `func.constant`.

use crate::function::{parse_function, print_function, types_of};
use terrace_ir::constraint::{
    ANY, ARRAY_ATTR, FLAT_SYMBOL_REF, FUNCTION_TYPE_ATTR, STRING_ATTR, SYMBOL_NAME, TypeConstraint,
    UNIT_ATTR,
};
use terrace_ir::opdef::{Fold, Invalid, Verified};
use terrace_ir::rewrite::Rewriter;
use terrace_ir::{Attr, Block, Builder, Context, Op, OpKind, Type, Value, op};

const FUNCTION: TypeConstraint =
    TypeConstraint::new("function type", |c, t| t.function_parts(c).is_some());

op! {
    /// A function: a symbol with a type and, unless it is only declared, a body whose
    /// entry block's arguments are the function's.
    FuncOp = "func.func" {
        attrs: [
            sym_name: SYMBOL_NAME,
            function_type: FUNCTION_TYPE_ATTR,
            sym_visibility: STRING_ATTR.optional(),
            arg_attrs: ARRAY_ATTR.optional(),
            res_attrs: ARRAY_ATTR.optional(),
            no_inline: UNIT_ATTR,
        ],
        regions: [body: Any],
        traits: ISOLATED | SYMBOL | FUNCTION_LIKE | AFFINE_SCOPE | ALLOCATION_SCOPE,
        custom: (parse_function, print_function),
        default_dialect: "func",
    }

    /// The end of a function, with the values it returns.
    ReturnOp = "func.return" {
        operands: [operands: ANY.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        parents: ["func.func"],
        format: "attr-dict ($operands^ `:` type($operands))?",
        verify: verify_return,
    }

    /// A call of a function by name.
    CallOp = "func.call" {
        operands: [operands: ANY.variadic()],
        results: [results: ANY.variadic()],
        attrs: [callee: FLAT_SYMBOL_REF, arg_attrs: ARRAY_ATTR.optional(), res_attrs: ARRAY_ATTR.optional(), no_inline: UNIT_ATTR],
        format: "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)",
        verify_symbols: verify_call,
    }

    /// A call of a function value.
    CallIndirectOp = "func.call_indirect" {
        operands: [callee: FUNCTION, callee_operands: ANY.variadic()],
        results: [results: ANY.variadic()],
        attrs: [arg_attrs: ARRAY_ATTR.optional(), res_attrs: ARRAY_ATTR.optional()],
        custom: (parse_call_indirect, print_call_indirect),
        verify: verify_call_indirect,
        canonicalize: |set| set.add::<CallIndirectOp>(call_of_constant),
    }

    /// A function as a value.
    ConstantOp = "func.constant" {
        results: [result: FUNCTION],
        attrs: [value: FLAT_SYMBOL_REF],
        traits: PURE | CONSTANT_LIKE,
        format: "attr-dict $value `:` type(results)",
        fold: |ctx, op, _| Fold::maybe(op.attr(ctx, "value")),
        verify_symbols: verify_constant,
        result_names: |_, _| vec![Some("f".to_string())],
    }
}

impl CallOp {
    /// A call of the function called `callee`.
    pub fn build(b: &mut Builder, callee: &str, operands: &[Value], results: &[Type]) -> Op {
        let callee = b.ctx.symbol_attr(callee);
        b.op::<CallOp>(operands, results, &[("callee", callee)])
    }

    /// Name of the function called; empty for a malformed op.
    pub fn callee(self, ctx: &Context) -> &str {
        self.op()
            .attr(ctx, "callee")
            .and_then(|a| a.as_flat_symbol(ctx))
            .unwrap_or("")
    }

    /// The function called, where there is one of the name.
    pub fn function(self, ctx: &Context) -> Option<FuncOp> {
        lookup(ctx, self.op(), self.callee(ctx))
    }
}

impl ReturnOp {
    /// Return `values`, one for each result of the function.
    pub fn build(b: &mut Builder, values: &[Value]) -> Op {
        b.op::<ReturnOp>(values, &[], &[])
    }
}

impl FuncOp {
    /// A private function without a body.
    pub fn declare(b: &mut Builder, name: &str, inputs: &[Type], results: &[Type]) -> FuncOp {
        let ty = b.ctx.function_type(inputs, results);
        let ty = b.ctx.type_attr(ty);
        let (sym, private) = (b.ctx.string_attr(name), b.ctx.string_attr("private"));
        let mut s = b.state::<FuncOp>().regions(1);
        s.set_attr(b.ctx, "sym_name", sym);
        s.set_attr(b.ctx, "function_type", ty);
        s.set_attr(b.ctx, "sym_visibility", private);
        FuncOp::wrap(b.create(s))
    }

    /// The symbol, without `@`; empty for a malformed op.
    pub fn name(self, ctx: &Context) -> &str {
        self.op().symbol_name(ctx).unwrap_or("")
    }

    /// Whether there is no body.
    pub fn is_declaration(self, ctx: &Context) -> bool {
        self.op().region(ctx, 0).is_empty(ctx)
    }

    /// Types of the parameters.
    pub fn inputs(self, ctx: &Context) -> &[Type] {
        types_of(ctx, self.op()).0
    }

    /// Types of what is returned.
    pub fn results(self, ctx: &Context) -> &[Type] {
        types_of(ctx, self.op()).1
    }

    /// Whether only its own module may call it.
    pub fn is_private(self, ctx: &Context) -> bool {
        self.op().str_attr(ctx, "sym_visibility") == Some("private")
    }

    /// The entry block. Panics for a declaration.
    pub fn entry(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// A new function with an empty entry block.
    pub fn build(
        b: &mut Builder,
        name: &str,
        inputs: &[Type],
        results: &[Type],
    ) -> (FuncOp, Block) {
        let ty = b.ctx.function_type(inputs, results);
        let ty = b.ctx.type_attr(ty);
        let sym = b.ctx.string_attr(name);
        let mut s = b.state::<FuncOp>().regions(1);
        s.set_attr(b.ctx, "sym_name", sym);
        s.set_attr(b.ctx, "function_type", ty);
        let op = b.create(s);
        let entry = op.region(b.ctx, 0).add_block(b.ctx, inputs);
        (FuncOp::wrap(op), entry)
    }
}

fn verify_return(ctx: &Context, op: Op) -> Verified {
    let Some(f) = op.parent(ctx).and_then(|p| p.cast::<FuncOp>(ctx)) else {
        return Ok(());
    };
    let results = f.results(ctx);
    if op.num_operands(ctx) != results.len() {
        return Err(format!(
            "has {} operands, but enclosing function (@{}) returns {}",
            op.num_operands(ctx),
            f.name(ctx),
            results.len()
        )
        .into());
    }
    for (i, (have, want)) in op.operand_types(ctx).iter().zip(results).enumerate() {
        if have != want {
            return Err(Invalid::plain(format!(
                "type of return operand {i} ('{}') doesn't match function result type ('{}') in function @{}",
                ctx.type_text(*have),
                ctx.type_text(*want),
                f.name(ctx)
            )));
        }
    }
    Ok(())
}

/// The function that `name` means where `op` stands.
fn lookup(ctx: &Context, op: Op, name: &str) -> Option<FuncOp> {
    let f = terrace_ir::symbols::lookup_name(ctx, op, name)?;
    f.cast::<FuncOp>(ctx)
}

fn verify_call(ctx: &Context, op: Op) -> Verified {
    let Some(name) = op.attr(ctx, "callee").and_then(|a| a.as_flat_symbol(ctx)) else {
        return Err("requires a 'callee' symbol reference attribute".into());
    };
    let Some(f) = lookup(ctx, op, name) else {
        return Err(format!("'{name}' does not reference a valid function").into());
    };
    let (inputs, results) = (f.inputs(ctx), f.results(ctx));
    if op.num_operands(ctx) != inputs.len() {
        return Err("incorrect number of operands for callee".into());
    }
    for (i, (have, want)) in op.operand_types(ctx).iter().zip(inputs).enumerate() {
        if have != want {
            return Err(format!(
                "operand type mismatch: expected operand type '{}', but provided '{}' for operand number {i}",
                ctx.type_text(*want),
                ctx.type_text(*have)
            )
            .into());
        }
    }
    let have = op.result_types(ctx);
    if have.len() != results.len() {
        return Err("incorrect number of results for callee".into());
    }
    for (i, (h, w)) in have.iter().zip(results).enumerate() {
        if h != w {
            let list = |v: &[Type]| ctx.quoted_types(v);
            return Err(Invalid::from(format!("result type mismatch at index {i}"))
                .note(
                    op.loc(ctx),
                    format!("      op result types: {}", list(&have)),
                )
                .note(
                    op.loc(ctx),
                    format!("function result types: {}", list(results)),
                ));
        }
    }
    Ok(())
}

fn verify_constant(ctx: &Context, op: Op) -> Verified {
    let Some(name) = op.attr(ctx, "value").and_then(|a| a.as_flat_symbol(ctx)) else {
        return Ok(());
    };
    let Some(f) = lookup(ctx, op, name) else {
        return Err(format!("reference to undefined function '{name}'").into());
    };
    let want = ctx.function_type(f.inputs(ctx), f.results(ctx));
    if op.result(ctx, 0).ty(ctx) != want {
        return Err("reference to function with mismatched type".into());
    }
    Ok(())
}

fn verify_call_indirect(ctx: &Context, op: Op) -> Verified {
    let Some((inputs, results)) = op.operand(ctx, 0).ty(ctx).function_parts(ctx) else {
        return Ok(());
    };
    if op.operand_types(ctx)[1..] != *inputs {
        return Err("failed to verify that callee input types match argument types".into());
    }
    if op.result_types(ctx) != results {
        return Err("failed to verify that callee result types match result types".into());
    }
    Ok(())
}

/// A call of a constant function value is a call of that function.
fn call_of_constant(rw: &mut Rewriter, op: Op) -> bool {
    let operands = op.operands(rw.ctx);
    let constant = operands[0].def_op().filter(|d| d.isa::<ConstantOp>(rw.ctx));
    let Some(callee) = constant.and_then(|c| c.attr(rw.ctx, "value")) else {
        return false;
    };
    let results = op.result_types(rw.ctx);
    let call = rw.op::<CallOp>(&operands[1..], &results, &[("callee", callee)]);
    rw.replace_op_with(op, call);
    true
}

fn parse_call_indirect(
    p: &mut terrace_ir::text::parser::OpParser,
    state: &mut terrace_ir::OpState,
) -> terrace_ir::text::parser::PResult<()> {
    use terrace_ir::text::TokenKind as T;
    let callee = p.parse_operand()?;
    let args = p.parse_delimited_operands(T::LParen, T::RParen)?;
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let (inputs, results) = p.parse_signature()?;
    let ty = p.ctx.function_type(&inputs, &results);
    state.operands.push(p.resolve(callee, ty)?);
    state
        .operands
        .extend(p.resolve_operands(&args, &inputs, pos)?);
    state.result_types = results;
    Ok(())
}

fn print_call_indirect(p: &mut terrace_ir::text::printer::Printer, op: Op) {
    let v = op.operands(p.ctx);
    p.write(" ");
    p.value(v[0]);
    p.write("(");
    p.values(&v[1..]);
    p.write(")");
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(v[0].ty(p.ctx));
}

/// `func.constant` for a symbol reference of function type.
pub(super) fn materialize(b: &mut Builder, value: Attr, ty: Type) -> Option<Op> {
    value.as_flat_symbol(b.ctx)?;
    ty.function_parts(b.ctx)?;
    Some(b.op::<ConstantOp>(&[], &[ty], &[("value", value)]))
}
