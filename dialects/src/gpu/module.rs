//! `gpu.module`, `gpu.func`, `gpu.return`: device code.

use super::syntax::{num_workgroup, parse_attributions, print_attributions, verify_attributions};
use crate::function::{parse_signature, print_signature, set_arg_attrs, types_of};
use terrace_ir::constraint::{
    ANY, ANY_ATTR, ARRAY_ATTR, AttrConstraint, AttrSyntax, FUNCTION_TYPE_ATTR, SYMBOL_NAME,
};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, AttrData, Block, Builder, Context, Op, OpKind, OpState, Type, Value, op};

/// Targets belong to the dialects of the machines, which may be unknown here.
const TARGETS: AttrConstraint = AttrConstraint::new(
    "array of GPU target attributes with at least 1 elements",
    |c, a| {
        a.as_array(c).is_some_and(|v| {
            let target = |a: &Attr| {
                matches!(
                    a.data(c),
                    AttrData::Dialect { .. } | AttrData::Opaque { .. }
                )
            };
            !v.is_empty() && v.iter().all(target)
        })
    },
)
.optional();

pub(super) const SIZE_HINT: AttrConstraint = AttrConstraint::new(
    "i32 dense array attribute with 3 elements (if present)",
    |c, a| {
        matches!(a.data(c), AttrData::DenseArray { elem, .. } if *elem == c.i32())
            && a.as_i64_array(c).is_some_and(|v| v.len() == 3)
    },
)
.syntax(AttrSyntax::DenseArray(|c| c.i32()))
.optional();

op! {
    /// Device code that is compiled as one unit: a symbol and a table of functions.
    ModuleOp = "gpu.module" {
        attrs: [sym_name: SYMBOL_NAME, targets: TARGETS, offloadingHandler: ANY_ATTR.optional()],
        regions: [bodyRegion: OneBlock],
        traits: ISOLATED | SYMBOL | SYMBOL_TABLE | SINGLE_BLOCK | NO_TERMINATOR | GRAPH_REGION | NO_REGION_ARGUMENTS,
        custom: (parse_module, print_module),
    }

    /// A function that runs on the device. Behind its parameters, the entry block has
    /// an argument for each buffer it is given in memory shared by the block
    /// (`workgroup`) and in memory of the thread (`private`). With `kernel` it can be
    /// launched.
    FuncOp = "gpu.func" {
        attrs: [
            function_type: FUNCTION_TYPE_ATTR,
            arg_attrs: ARRAY_ATTR.optional(),
            res_attrs: ARRAY_ATTR.optional(),
            workgroup_attrib_attrs: ARRAY_ATTR.optional(),
            private_attrib_attrs: ARRAY_ATTR.optional(),
            known_block_size: SIZE_HINT,
            known_grid_size: SIZE_HINT,
            known_cluster_size: SIZE_HINT,
        ],
        regions: [body: Any],
        traits: ISOLATED | SYMBOL | AFFINE_SCOPE | ALLOCATION_SCOPE,
        parents: ["gpu.module"],
        custom: (parse_func, print_func),
        verify: verify_func,
    }

    /// The end of a device function, with the values it returns.
    ReturnOp = "gpu.return" {
        operands: [operands: ANY.variadic()],
        traits: PURE | TERMINATOR,
        parents: ["gpu.func"],
        format: "attr-dict ($operands^ `:` type($operands))?",
        verify: verify_return,
    }
}

impl ModuleOp {
    /// The symbol, without `@`; empty for a malformed op.
    pub fn name(self, ctx: &Context) -> &str {
        self.op().symbol_name(ctx).unwrap_or("")
    }

    /// A new empty module.
    pub fn build(b: &mut Builder, name: &str) -> (ModuleOp, Block) {
        let sym = b.ctx.string_attr(name);
        let s = b
            .state::<ModuleOp>()
            .regions(1)
            .attr(b.ctx, "sym_name", sym);
        let op = b.create(s);
        let body = op.region(b.ctx, 0).add_block(b.ctx, &[]);
        (ModuleOp::wrap(op), body)
    }
}

impl FuncOp {
    /// The symbol, without `@`; empty for a malformed op.
    pub fn name(self, ctx: &Context) -> &str {
        self.op().symbol_name(ctx).unwrap_or("")
    }

    /// Whether the host may launch it.
    pub fn is_kernel(self, ctx: &Context) -> bool {
        self.op()
            .attr(ctx, "gpu.kernel")
            .is_some_and(|a| matches!(a.data(ctx), AttrData::Unit))
    }

    /// Types of the parameters.
    pub fn inputs(self, ctx: &Context) -> &[Type] {
        types_of(ctx, self.op()).0
    }

    /// Types of what is returned, nothing for a kernel.
    pub fn results(self, ctx: &Context) -> &[Type] {
        types_of(ctx, self.op()).1
    }

    /// All arguments of the entry block: parameters, then buffers.
    fn entry_args(self, ctx: &Context) -> Vec<Value> {
        self.op()
            .region(ctx, 0)
            .entry(ctx)
            .map(|b| b.args(ctx))
            .unwrap_or_default()
    }

    /// The arguments of the body that are parameters, without buffers.
    pub fn parameters(self, ctx: &Context) -> Vec<Value> {
        let mut v = self.entry_args(ctx);
        v.truncate(self.inputs(ctx).len());
        v
    }

    /// The buffers shared by a block.
    pub fn workgroup_attributions(self, ctx: &Context) -> Vec<Value> {
        let n = num_workgroup(ctx, self.op());
        self.entry_args(ctx)
            .into_iter()
            .skip(self.inputs(ctx).len())
            .take(n)
            .collect()
    }

    /// The buffers of each thread.
    pub fn private_attributions(self, ctx: &Context) -> Vec<Value> {
        let n = self
            .inputs(ctx)
            .len()
            .saturating_add(num_workgroup(ctx, self.op()));
        self.entry_args(ctx).into_iter().skip(n).collect()
    }

    /// Threads per block along x, y, z, where they are known.
    pub fn known_block_size(self, ctx: &Context) -> Option<[i64; 3]> {
        self.op()
            .attr(ctx, "known_block_size")?
            .as_i64_array(ctx)?
            .try_into()
            .ok()
    }

    /// A new kernel or device function with an empty entry block, whose arguments are
    /// the inputs, then the workgroup and the private buffers.
    pub fn build(
        b: &mut Builder,
        name: &str,
        inputs: &[Type],
        results: &[Type],
        workgroup: &[Type],
        private: &[Type],
        kernel: bool,
    ) -> (FuncOp, Block) {
        let ty = b.ctx.function_type(inputs, results);
        let ty = b.ctx.type_attr(ty);
        let sym = b.ctx.string_attr(name);
        let n = b.ctx.i64_attr(workgroup.len() as i64);
        let mut s = b
            .state::<FuncOp>()
            .regions(1)
            .attr(b.ctx, "sym_name", sym)
            .attr(b.ctx, "function_type", ty)
            .attr(b.ctx, "workgroup_attributions", n);
        if kernel {
            let unit = b.ctx.unit();
            s.set_attr(b.ctx, "gpu.kernel", unit);
        }
        let op = b.create(s);
        let args = [inputs, workgroup, private].concat();
        let entry = op.region(b.ctx, 0).add_block(b.ctx, &args);
        (FuncOp::wrap(op), entry)
    }
}

// ---- gpu.module ----

fn parse_module(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let name = p.parse_symbol_name()?;
    let a = p.ctx.string_attr(&name);
    state.set_attr(p.ctx, "sym_name", a);
    if p.eat(T::Less) {
        let a = p.parse_attr()?;
        p.expect(T::Greater)?;
        state.set_attr(p.ctx, "offloadingHandler", a);
    }
    if p.at(T::LSquare) {
        let a = p.parse_attr()?;
        state.set_attr(p.ctx, "targets", a);
    }
    p.parse_optional_attr_dict_with_keyword(state)?;
    let body = p.parse_region(&[], true)?;
    let region = body.region(p.ctx);
    if region.is_empty(p.ctx) {
        region.add_block(p.ctx, &[]);
    }
    state.regions.push(Some(body));
    Ok(())
}

fn print_module(p: &mut Printer, op: Op) {
    p.write(" ");
    p.symbol(op.symbol_name(p.ctx).unwrap_or(""));
    if let Some(a) = op.attr(p.ctx, "offloadingHandler") {
        p.write("<");
        p.attr(a);
        p.write(">");
    }
    if let Some(a) = op.attr(p.ctx, "targets") {
        p.write(" ");
        p.attr(a);
    }
    p.attr_dict(op, &["sym_name", "offloadingHandler", "targets"], true);
    p.write(" ");
    p.region(op.region(p.ctx, 0), false, true);
}

// ---- gpu.func ----

fn parse_func(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let name = p.parse_symbol_name()?;
    let a = p.ctx.string_attr(&name);
    state.set_attr(p.ctx, "sym_name", a);
    let pos = p.pos();
    let signature = parse_signature(p, false)?;
    if signature.args.first().is_some_and(|a| a.name.is_none()) {
        return Err(p.op_error(pos, "gpu.func requires named arguments"));
    }
    let ty = p.ctx.function_type(&signature.inputs(), &signature.results);
    let ty = p.ctx.type_attr(ty);
    state.set_attr(p.ctx, "function_type", ty);
    set_arg_attrs(p.ctx, state, &signature);
    let mut args = signature.args;
    let n = parse_attributions(p, "workgroup", true, &mut args)?;
    let count = p.ctx.i64_attr(n as i64);
    state.set_attr(p.ctx, "workgroup_attributions", count);
    set_attribution_attrs(p, state, "workgroup_attrib_attrs", &args[args.len() - n..]);
    let n = parse_attributions(p, "private", true, &mut args)?;
    set_attribution_attrs(p, state, "private_attrib_attrs", &args[args.len() - n..]);
    if p.eat_keyword("kernel") {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, "gpu.kernel", unit);
    }
    p.parse_optional_attr_dict_with_keyword(state)?;
    let body = p.parse_region(&args, true)?;
    state.regions.push(Some(body));
    Ok(())
}

fn set_attribution_attrs(p: &OpParser, state: &mut OpState, name: &str, args: &[Argument]) {
    if args.iter().any(|a| !a.attrs.is_empty()) {
        let list = args
            .iter()
            .map(|a| p.ctx.dict_attr(a.attrs.iter().copied()))
            .collect();
        state.set_attr(p.ctx, name, p.ctx.array_attr(list));
    }
}

fn print_func(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let f = FuncOp::wrap(op);
    p.write(" ");
    p.symbol(f.name(ctx));
    print_signature(p, op, false);
    let attrs = |name| {
        op.attr(ctx, name)
            .and_then(|a| a.as_array(ctx))
            .unwrap_or(&[])
    };
    print_attributions(
        p,
        "workgroup",
        &f.workgroup_attributions(ctx),
        attrs("workgroup_attrib_attrs"),
    );
    print_attributions(
        p,
        "private",
        &f.private_attributions(ctx),
        attrs("private_attrib_attrs"),
    );
    if f.is_kernel(ctx) {
        p.write(" kernel");
    }
    const WRITTEN: [&str; 8] = [
        "sym_name",
        "workgroup_attributions",
        "gpu.kernel",
        "function_type",
        "arg_attrs",
        "res_attrs",
        "workgroup_attrib_attrs",
        "private_attrib_attrs",
    ];
    p.attr_dict(op, &WRITTEN, true);
    p.write(" ");
    p.region(op.region(ctx, 0), false, true);
}

fn verify_func(ctx: &Context, op: Op) -> Verified {
    let f = FuncOp::wrap(op);
    if f.is_kernel(ctx) && !f.results(ctx).is_empty() {
        return Err("expected void return type for kernel function".into());
    }
    let Some(entry) = op.region(ctx, 0).entry(ctx) else {
        return Err("expected body with at least one block".into());
    };
    let inputs = f.inputs(ctx);
    let wanted = inputs.len().saturating_add(num_workgroup(ctx, op));
    if entry.num_args(ctx) < wanted {
        return Err(format!("expected at least {wanted} arguments to body region").into());
    }
    for (i, want) in inputs.iter().enumerate() {
        let have = entry.arg(ctx, i).ty(ctx);
        if have != *want {
            return Err(format!(
                "expected body region argument #{i} to be of type '{}', got '{}'",
                ctx.type_text(*want),
                ctx.type_text(have)
            )
            .into());
        }
    }
    verify_attributions(ctx, &f.workgroup_attributions(ctx), 2)?;
    verify_attributions(ctx, &f.private_attributions(ctx), 3)?;
    Ok(())
}

fn verify_return(ctx: &Context, op: Op) -> Verified {
    let Some(f) = op.parent_of::<FuncOp>(ctx) else {
        return Ok(());
    };
    let results = f.results(ctx);
    if results.len() != op.num_operands(ctx) {
        return Err(
            Invalid::from(format!("expected {} result operands", results.len()))
                .note(f.op().loc(ctx), "return type declared here"),
        );
    }
    for (i, (have, want)) in op.operand_types(ctx).iter().zip(results).enumerate() {
        if have != want {
            return Err(format!(
                "unexpected type `'{}'' for operand #{i}",
                ctx.type_text(*have)
            )
            .into());
        }
    }
    Ok(())
}
