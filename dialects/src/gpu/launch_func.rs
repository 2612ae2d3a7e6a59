//! `gpu.launch_func`: the launch of a kernel by name.

use super::module::{FuncOp, ModuleOp};
use super::syntax::{parse_async, print_async, token_of};
use super::types::{LAUNCH_INDEX, TOKEN};
use crate::builtin;
use terrace_ir::constraint::{ANY, I32, SYMBOL_REF};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, AttrData, Builder, Context, Op, OpKind, OpState, Value, op, symbols};

op! {
    /// Runs the kernel `@module::@function` once for each thread of a grid of blocks.
    LaunchFuncOp = "gpu.launch_func" {
        operands: [
            asyncDependencies: TOKEN.variadic(),
            gridSizeX: LAUNCH_INDEX, gridSizeY: LAUNCH_INDEX, gridSizeZ: LAUNCH_INDEX,
            blockSizeX: LAUNCH_INDEX, blockSizeY: LAUNCH_INDEX, blockSizeZ: LAUNCH_INDEX,
            clusterSizeX: LAUNCH_INDEX.optional(),
            clusterSizeY: LAUNCH_INDEX.optional(),
            clusterSizeZ: LAUNCH_INDEX.optional(),
            dynamicSharedMemorySize: I32.optional(),
            kernelOperands: ANY.variadic(),
            asyncObject: ANY.optional(),
        ],
        results: [asyncToken: TOKEN.optional()],
        attrs: [kernel: SYMBOL_REF],
        traits: ATTR_SIZED_OPERANDS,
        same_type: [[gridSizeX, gridSizeY, gridSizeZ, blockSizeX, blockSizeY, blockSizeZ]],
        custom: (parse, print),
        verify: verify,
    }
}

impl LaunchFuncOp {
    /// `@module::@function`.
    pub fn kernel(self, ctx: &Context) -> Option<Attr> {
        self.op().attr(ctx, "kernel")
    }

    /// Name of the module that holds the kernel; `None` for a malformed op.
    pub fn kernel_module_name(self, ctx: &Context) -> Option<&str> {
        self.kernel(ctx)?
            .as_symbol(ctx)?
            .first()
            .map(|s| ctx.str(*s))
    }

    /// Name of the kernel in its module; `None` for a malformed op.
    pub fn kernel_name(self, ctx: &Context) -> Option<&str> {
        self.kernel(ctx)?
            .as_symbol(ctx)?
            .last()
            .map(|s| ctx.str(*s))
    }

    /// The kernel, where it is in the program.
    pub fn kernel_func(self, ctx: &Context) -> Option<FuncOp> {
        symbols::lookup(ctx, self.op(), self.kernel(ctx)?)?.cast::<FuncOp>(ctx)
    }

    /// What is handed to the kernel's parameters.
    pub fn kernel_operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "kernelOperands")
    }

    /// The number of blocks along x, y, z.
    pub fn grid_size(self, ctx: &Context) -> [Value; 3] {
        self.sizes(ctx, 0)
    }

    /// The number of threads of a block along x, y, z.
    pub fn block_size(self, ctx: &Context) -> [Value; 3] {
        self.sizes(ctx, 3)
    }

    /// The number of blocks of a cluster along x, y, z.
    pub fn cluster_size(self, ctx: &Context) -> Option<[Value; 3]> {
        let present = |n| !self.op().operand_group(ctx, n).is_empty();
        let all = present("clusterSizeX") && present("clusterSizeY") && present("clusterSizeZ");
        all.then(|| self.sizes(ctx, 6))
    }

    fn sizes(self, ctx: &Context, from: usize) -> [Value; 3] {
        let start = self.async_dependencies(ctx).len() + from;
        std::array::from_fn(|i| self.op().operand(ctx, start + i))
    }

    /// Bytes of shared memory sized at the launch.
    pub fn dynamic_shared_memory(self, ctx: &Context) -> Option<Value> {
        self.op()
            .operand_group(ctx, "dynamicSharedMemorySize")
            .first()
            .copied()
    }

    /// Tokens of what must end before the launch begins.
    pub fn async_dependencies(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "asyncDependencies")
    }

    /// The token of the launch; `None` if it is synchronous.
    pub fn async_token(self, ctx: &Context) -> Option<Value> {
        token_of(ctx, self.op())
    }

    /// A launch of `@module::@name` after tokens, asynchronous or not.
    #[expect(clippy::too_many_arguments, reason = "a launch has as many")]
    pub fn build_in_order(
        b: &mut Builder,
        module: &str,
        name: &str,
        grid: [Value; 3],
        block: [Value; 3],
        dynamic_shared_memory: Option<Value>,
        args: &[Value],
        (tokens, is_async): (&[Value], bool),
    ) -> LaunchFuncOp {
        let path = vec![b.ctx.intern(module), b.ctx.intern(name)];
        let kernel = b.ctx.attr(AttrData::SymbolRef(path));
        let dynamic = i32::from(dynamic_shared_memory.is_some());
        let (t, n) = (tokens.len() as i32, args.len() as i32);
        let sizes = b
            .ctx
            .i32_array(&[t, 1, 1, 1, 1, 1, 1, 0, 0, 0, dynamic, n, 0]);
        let mut operands = [tokens, &grid[..], &block[..]].concat();
        operands.extend(dynamic_shared_memory);
        operands.extend(args);
        let attrs = [("kernel", kernel), ("operandSegmentSizes", sizes)];
        let token = is_async.then(|| super::async_token(b.ctx));
        LaunchFuncOp::wrap(b.op::<LaunchFuncOp>(&operands, token.as_slice(), &attrs))
    }
}

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, deps) = parse_async(p, state)?;
    state.result_types.extend(token);
    let mut object = None;
    if p.eat(T::Less) {
        let o = p.parse_operand()?;
        let ty = p.parse_colon_type()?;
        p.expect(T::Greater)?;
        object = Some(p.resolve(o, ty)?);
    }
    let pos = p.pos();
    let kernel = p.parse_attr()?;
    if kernel.as_symbol(p.ctx).is_none() {
        return Err(p.op_error(pos, "invalid kind of attribute specified"));
    }
    state.set_attr(p.ctx, "kernel", kernel);
    let mut cluster = Vec::new();
    if p.eat_keyword("clusters") {
        cluster = parse_three(p)?;
    }
    p.expect_keyword("blocks")?;
    let mut sizes = parse_three(p)?;
    p.expect_keyword("threads")?;
    sizes.extend(parse_three(p)?);
    sizes.extend(&cluster);
    let ty = if p.eat(T::Colon) {
        p.parse_type()?
    } else {
        p.ctx.index()
    };
    let v = p.resolve_all(&sizes, ty)?;
    state.operands.extend(v);
    let dynamic = p.eat_keyword("dynamic_shared_memory_size");
    if dynamic {
        let o = p.parse_operand()?;
        let ty = p.ctx.i32();
        let v = p.resolve(o, ty)?;
        state.operands.push(v);
    }
    let before = state.operands.len();
    if p.eat_keyword("args") {
        p.expect(T::LParen)?;
        if !p.eat(T::RParen) {
            loop {
                let o = p.parse_operand()?;
                let ty = p.parse_colon_type()?;
                let v = p.resolve(o, ty)?;
                state.operands.push(v);
                if !p.eat(T::Comma) {
                    break;
                }
            }
            p.expect_msg(T::RParen, "expected ')' in argument list")?;
        }
    }
    let args = (state.operands.len() - before) as i32;
    state.operands.extend(object);
    p.parse_optional_attr_dict(state)?;
    let c = i32::from(!cluster.is_empty());
    let groups = [
        deps,
        1,
        1,
        1,
        1,
        1,
        1,
        c,
        c,
        c,
        i32::from(dynamic),
        args,
        i32::from(object.is_some()),
    ];
    let groups = p.ctx.i32_array(&groups);
    state.set_attr(p.ctx, "operandSegmentSizes", groups);
    Ok(())
}

/// `in (%x, %y, %z)`.
fn parse_three<'a>(
    p: &mut OpParser<'a>,
) -> PResult<Vec<terrace_ir::text::parser::UnresolvedOperand<'a>>> {
    p.expect_keyword("in")?;
    let pos = p.pos();
    let v = p.parse_delimited_operands(T::LParen, T::RParen)?;
    if v.len() != 3 {
        return Err(p.op_error(
            pos,
            format!("expected 3 sizes, for x, y and z, but got {}", v.len()),
        ));
    }
    Ok(v)
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let l = LaunchFuncOp::wrap(op);
    print_async(p, op);
    if let Some(o) = op.operand_group(ctx, "asyncObject").first() {
        p.write(" <");
        p.value(*o);
        p.write(" : ");
        p.ty(o.ty(ctx));
        p.write(">");
    }
    p.write(" ");
    if let Some(k) = l.kernel(ctx) {
        p.attr(k);
    }
    let three = |p: &mut Printer, keyword: &str, v: [Value; 3]| {
        p.fmt(format_args!(" {keyword} in ("));
        p.values(&v);
        p.write(")");
    };
    if let Some(c) = l.cluster_size(ctx) {
        three(p, "clusters", c);
    }
    three(p, "blocks", l.grid_size(ctx));
    three(p, "threads", l.block_size(ctx));
    let ty = l.grid_size(ctx)[0].ty(ctx);
    p.write(" ");
    if !ty.is_index(ctx) {
        p.write(": ");
        p.ty(ty);
    }
    if let Some(v) = l.dynamic_shared_memory(ctx) {
        p.write(" dynamic_shared_memory_size ");
        p.value(v);
    }
    let args = l.kernel_operands(ctx);
    p.write(" ");
    if !args.is_empty() {
        p.write("args(");
        p.list(&args, |p, a| {
            p.value(a);
            p.write(" : ");
            p.ty(a.ty(ctx));
        });
        p.write(")");
    }
    p.attr_dict(op, &["operandSegmentSizes", "kernel"], false);
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let Some(module) = op.parent_of::<builtin::ModuleOp>(ctx) else {
        return Err("expected to belong to a module".into());
    };
    let marked = module.op().attr(ctx, "gpu.container_module");
    if !marked.is_some_and(|a| matches!(a.data(ctx), AttrData::Unit)) {
        return Err(
            "expected the closest surrounding module to have the 'gpu.container_module' attribute"
                .into(),
        );
    }
    if let Some([x, y, z]) = LaunchFuncOp::wrap(op).cluster_size(ctx)
        && (x.ty(ctx) != y.ty(ctx) || x.ty(ctx) != z.ty(ctx))
    {
        return Err("expects types of the cluster dimensions must be the same".into());
    }
    Ok(())
}

/// Checks the attributes `gpu.*` on ops of any dialect: size hints, and the kernels
/// that the launches of a container module name.
pub(super) fn verify_op_attr(ctx: &Context, op: Op, name: &str, attr: Attr) -> Verified {
    if matches!(
        name,
        "gpu.known_block_size" | "gpu.known_grid_size" | "gpu.known_cluster_size"
    ) {
        if !matches!(attr.data(ctx), AttrData::DenseArray { elem, .. } if *elem == ctx.i32()) {
            return Err(format!("{name} must be a dense i32 array").into());
        }
        if attr.as_i64_array(ctx).is_none_or(|v| v.len() != 3) {
            return Err(format!("{name} must contain exactly 3 elements").into());
        }
    }
    if name != "gpu.container_module" || !matches!(attr.data(ctx), AttrData::Unit) {
        return Ok(());
    }
    if !op.isa::<builtin::ModuleOp>(ctx) {
        return Err(Invalid::plain(
            "expected 'gpu.container_module' attribute to be attached to 'builtin.module'",
        ));
    }
    // Launches deeper or less deep than in functions of this module are not its own.
    let own = |l: &LaunchFuncOp| {
        l.op()
            .parent(ctx)
            .is_some_and(|f| f.parent(ctx) == Some(op))
    };
    for l in op.find_all::<LaunchFuncOp>(ctx).into_iter().filter(own) {
        if let Err(mut e) = verify_kernel(ctx, op, l) {
            e.message = format!("'gpu.launch_func' op {}", e.message);
            e.prefix = false;
            e.loc.get_or_insert(l.op().loc(ctx));
            return Err(e);
        }
    }
    Ok(())
}

fn verify_kernel(ctx: &Context, module: Op, l: LaunchFuncOp) -> Verified {
    let Some(path) = l.kernel(ctx).and_then(|a| a.as_symbol(ctx)) else {
        return Ok(());
    };
    let container = ctx.str(path[0]);
    let Some(kernels) = symbols::lookup_in(ctx, module, container) else {
        return Err(format!("kernel container '{container}' is undefined").into());
    };
    if !kernels.isa::<ModuleOp>(ctx) {
        return Err(format!("kernel module '{container}' is undefined").into());
    }
    let written = l.kernel(ctx).map(|k| ctx.attr_text(k)).unwrap_or_default();
    let Some(kernel) = symbols::lookup_path(ctx, module, path) else {
        return Err(format!("kernel function '{written}' is undefined").into());
    };
    let is_function = kernel.isa::<FuncOp>(ctx)
        || kernel
            .def(ctx)
            .is_some_and(|d| d.has(terrace_ir::opdef::traits::FUNCTION_LIKE));
    if !is_function {
        return Err(
            Invalid::from(format!("referenced kernel '{written}' is not a function"))
                .note(kernel.loc(ctx), "see the kernel definition here"),
        );
    }
    if kernel.attr(ctx, "gpu.kernel").is_none() {
        return Err("kernel function is missing the 'gpu.kernel' attribute".into());
    }
    let Some(f) = kernel.cast::<FuncOp>(ctx) else {
        return Ok(());
    };
    let (args, inputs) = (l.kernel_operands(ctx), f.inputs(ctx));
    if args.len() != inputs.len() {
        return Err(format!(
            "got {} kernel operands but expected {}",
            args.len(),
            inputs.len()
        )
        .into());
    }
    for (i, (a, want)) in args.iter().zip(inputs).enumerate() {
        if a.ty(ctx) != *want {
            return Err(format!("type of function argument {i} does not match").into());
        }
    }
    Ok(())
}
