//! `gpu.launch` and `gpu.terminator`: a kernel where it is launched.

use super::syntax::{
    num_workgroup, parse_async, parse_attributions, print_async, print_attributions, token_of,
    verify_attributions,
};
use super::types::TOKEN;
use terrace_ir::constraint::{FLAT_SYMBOL_REF, I32, INDEX};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Type, Value, op};

op! {
    /// Runs its body once for each thread of a grid of blocks. The body's arguments
    /// are the block's and the thread's index, the sizes of the grid and of a block,
    /// then, where clusters are given, the cluster's index and size, then buffers in
    /// memory of the block and of the thread. The body may use values from outside.
    LaunchOp = "gpu.launch" {
        operands: [
            asyncDependencies: TOKEN.variadic(),
            gridSizeX: INDEX, gridSizeY: INDEX, gridSizeZ: INDEX,
            blockSizeX: INDEX, blockSizeY: INDEX, blockSizeZ: INDEX,
            clusterSizeX: INDEX.optional(),
            clusterSizeY: INDEX.optional(),
            clusterSizeZ: INDEX.optional(),
            dynamicSharedMemorySize: I32.optional(),
        ],
        results: [asyncToken: TOKEN.optional()],
        attrs: [module: FLAT_SYMBOL_REF.optional(), function: FLAT_SYMBOL_REF.optional()],
        regions: [body: Any],
        traits: AFFINE_SCOPE | ALLOCATION_SCOPE | ATTR_SIZED_OPERANDS | RECURSIVE_EFFECTS,
        custom: (parse, print),
        verify: verify,
        verify_regions: verify_regions,
        canonicalize: super::canonicalize::launch,
    }

    /// The end of a launch's body, for the thread that comes to it.
    TerminatorOp = "gpu.terminator" {
        traits: PURE | TERMINATOR,
        parents: ["gpu.launch"],
        format: "attr-dict",
    }
}

/// Where the body's arguments of each kind begin.
const BLOCK_IDS: usize = 0;
const THREAD_IDS: usize = 3;
const GRID_SIZE: usize = 6;
const BLOCK_SIZE: usize = 9;
const CLUSTER_IDS: usize = 12;
const CLUSTER_SIZE: usize = 15;

impl LaunchOp {
    /// The operands that give the number of blocks along x, y, z.
    pub fn grid_size(self, ctx: &Context) -> [Value; 3] {
        self.sizes(ctx, 0)
    }

    /// The operands that give the number of threads of a block along x, y, z.
    pub fn block_size(self, ctx: &Context) -> [Value; 3] {
        self.sizes(ctx, 3)
    }

    /// The operands that give the number of blocks of a cluster along x, y, z.
    pub fn cluster_size(self, ctx: &Context) -> Option<[Value; 3]> {
        self.has_clusters(ctx).then(|| self.sizes(ctx, 6))
    }

    fn sizes(self, ctx: &Context, from: usize) -> [Value; 3] {
        let start = self.async_dependencies(ctx).len() + from;
        std::array::from_fn(|i| self.op().operand(ctx, start + i))
    }

    /// Whether blocks are grouped in clusters.
    pub fn has_clusters(self, ctx: &Context) -> bool {
        let present = |n| !self.op().operand_group(ctx, n).is_empty();
        present("clusterSizeX") && present("clusterSizeY") && present("clusterSizeZ")
    }

    /// Tokens of what must end before the launch begins.
    pub fn async_dependencies(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "asyncDependencies")
    }

    /// The token of the launch; `None` if it is synchronous.
    pub fn async_token(self, ctx: &Context) -> Option<Value> {
        token_of(ctx, self.op())
    }

    /// Bytes of shared memory sized at the launch.
    pub fn dynamic_shared_memory(self, ctx: &Context) -> Option<Value> {
        self.op()
            .operand_group(ctx, "dynamicSharedMemorySize")
            .first()
            .copied()
    }

    /// The entry block of the body.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The body's arguments for the block's index.
    pub fn block_ids(self, ctx: &Context) -> [Value; 3] {
        self.args_from(ctx, BLOCK_IDS)
    }

    /// The body's arguments for the thread's index in its block.
    pub fn thread_ids(self, ctx: &Context) -> [Value; 3] {
        self.args_from(ctx, THREAD_IDS)
    }

    /// The body's arguments for the number of blocks.
    pub fn grid_size_args(self, ctx: &Context) -> [Value; 3] {
        self.args_from(ctx, GRID_SIZE)
    }

    /// The body's arguments for the number of threads of a block.
    pub fn block_size_args(self, ctx: &Context) -> [Value; 3] {
        self.args_from(ctx, BLOCK_SIZE)
    }

    /// The body's arguments for the cluster's index; `None` without clusters.
    pub fn cluster_ids(self, ctx: &Context) -> Option<[Value; 3]> {
        self.has_clusters(ctx)
            .then(|| self.args_from(ctx, CLUSTER_IDS))
    }

    pub(crate) fn cluster_size_args(self, ctx: &Context) -> Option<[Value; 3]> {
        self.has_clusters(ctx)
            .then(|| self.args_from(ctx, CLUSTER_SIZE))
    }

    fn args_from(self, ctx: &Context, from: usize) -> [Value; 3] {
        let b = self.body(ctx);
        std::array::from_fn(|i| b.arg(ctx, from + i))
    }

    /// How many arguments of the body come before the buffers.
    pub(crate) fn num_config_args(self, ctx: &Context) -> usize {
        if self.has_clusters(ctx) { 18 } else { 12 }
    }

    fn buffers(self, ctx: &Context) -> Vec<Value> {
        let n = self.num_config_args(ctx);
        let entry = self.op().region(ctx, 0).entry(ctx);
        entry
            .map(|b| b.args(ctx))
            .unwrap_or_default()
            .into_iter()
            .skip(n)
            .collect()
    }

    /// The buffers shared by a block.
    pub fn workgroup_attributions(self, ctx: &Context) -> Vec<Value> {
        let mut v = self.buffers(ctx);
        v.truncate(num_workgroup(ctx, self.op()));
        v
    }

    /// The buffers of each thread.
    pub fn private_attributions(self, ctx: &Context) -> Vec<Value> {
        self.buffers(ctx)
            .into_iter()
            .skip(num_workgroup(ctx, self.op()))
            .collect()
    }

    /// As [`Self::build`] without buffers, with `bytes` (`i32`) of shared memory.
    pub fn build_dynamic(
        b: &mut Builder,
        grid: [Value; 3],
        block: [Value; 3],
        bytes: Value,
    ) -> (LaunchOp, Block) {
        let none = b.ctx.i64_attr(0);
        let sizes = b.ctx.i32_array(&[0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1]);
        let s = b
            .state::<LaunchOp>()
            .operands(&grid)
            .operands(&block)
            .operands(&[bytes])
            .regions(1)
            .attr(b.ctx, "workgroup_attributions", none)
            .attr(b.ctx, "operandSegmentSizes", sizes);
        let op = b.create(s);
        let index = b.ctx.index();
        let entry = op.region(b.ctx, 0).add_block(b.ctx, &[index; 12]);
        (LaunchOp::wrap(op), entry)
    }

    /// A synchronous launch whose body has its arguments and nothing else; the body
    /// needs a [`TerminatorOp`] at its end.
    pub fn build(
        b: &mut Builder,
        grid: [Value; 3],
        block: [Value; 3],
        workgroup: &[Type],
        private: &[Type],
    ) -> (LaunchOp, Block) {
        let n = b.ctx.i64_attr(workgroup.len() as i64);
        let sizes = b.ctx.i32_array(&[0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
        let s = b
            .state::<LaunchOp>()
            .operands(&grid)
            .operands(&block)
            .regions(1)
            .attr(b.ctx, "workgroup_attributions", n)
            .attr(b.ctx, "operandSegmentSizes", sizes);
        let op = b.create(s);
        let index = b.ctx.index();
        let args = [&[index; 12][..], workgroup, private].concat();
        let entry = op.region(b.ctx, 0).add_block(b.ctx, &args);
        (LaunchOp::wrap(op), entry)
    }
}

// ---- syntax ----

/// `(%i, %j, %k) in (%ni = %a, %nj = %b, %nk = %c)`: ids, sizes inside, operands.
struct Assignment<'a> {
    ids: Vec<UnresolvedOperand<'a>>,
    sizes: Vec<UnresolvedOperand<'a>>,
    operands: Vec<UnresolvedOperand<'a>>,
}

fn parse_assignment<'a>(p: &mut OpParser<'a>) -> PResult<Assignment<'a>> {
    let pos = p.pos();
    let ids = p.parse_delimited_operands(T::LParen, T::RParen)?;
    if ids.len() != 3 {
        return Err(p.op_error(
            pos,
            format!("expected 3 ids, for x, y and z, but got {}", ids.len()),
        ));
    }
    p.expect_keyword("in")?;
    p.expect(T::LParen)?;
    let (mut sizes, mut operands) = (Vec::new(), Vec::new());
    for i in 0..3 {
        if i > 0 {
            p.expect(T::Comma)?;
        }
        sizes.push(p.parse_operand()?);
        p.expect(T::Equal)?;
        operands.push(p.parse_operand()?);
    }
    p.expect(T::RParen)?;
    Ok(Assignment {
        ids,
        sizes,
        operands,
    })
}

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, deps) = parse_async(p, state)?;
    state.result_types.extend(token);
    let cluster = if p.eat_keyword("clusters") {
        Some(parse_assignment(p)?)
    } else {
        None
    };
    p.expect_keyword("blocks")?;
    let grid = parse_assignment(p)?;
    p.expect_keyword("threads")?;
    let block = parse_assignment(p)?;
    let index = p.ctx.index();
    for a in [&grid, &block].into_iter().chain(&cluster) {
        let v = p.resolve_all(&a.operands, index)?;
        state.operands.extend(v);
    }
    let mut args: Vec<Argument> = [&grid.ids, &block.ids, &grid.sizes, &block.sizes]
        .into_iter()
        .chain(cluster.iter().flat_map(|c| [&c.ids, &c.sizes]))
        .flatten()
        .map(|n| Argument::new(*n, index))
        .collect();
    if let Some(bad) = args.iter().filter_map(|a| a.name).find(|n| n.number != 0) {
        return Err(p.op_error(bad.pos, "argument name can't have a number"));
    }
    let dynamic = p.eat_keyword("dynamic_shared_memory_size");
    if dynamic {
        let o = p.parse_operand()?;
        let ty = p.ctx.i32();
        let v = p.resolve(o, ty)?;
        state.operands.push(v);
    }
    for name in ["module", "function"] {
        if p.eat_keyword(name) {
            p.expect(T::LParen)?;
            let a = p.parse_symbol_attr()?;
            p.expect(T::RParen)?;
            state.set_attr(p.ctx, name, a);
        }
    }
    let n = parse_attributions(p, "workgroup", false, &mut args)?;
    let n = p.ctx.i64_attr(n as i64);
    state.set_attr(p.ctx, "workgroup_attributions", n);
    parse_attributions(p, "private", false, &mut args)?;
    let body = p.parse_region(&args, false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)?;
    let c = i32::from(cluster.is_some());
    let sizes = p
        .ctx
        .i32_array(&[deps, 1, 1, 1, 1, 1, 1, c, c, c, i32::from(dynamic)]);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    Ok(())
}

fn print_assignment(
    p: &mut Printer,
    keyword: &str,
    ids: [Value; 3],
    sizes: [Value; 3],
    operands: [Value; 3],
) {
    p.fmt(format_args!(" {keyword}("));
    p.values(&ids);
    p.write(") in (");
    let pairs: Vec<(Value, Value)> = sizes.into_iter().zip(operands).collect();
    p.list(&pairs, |p, (s, o)| {
        p.value(s);
        p.write(" = ");
        p.value(o);
    });
    p.write(")");
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let l = LaunchOp::wrap(op);
    // Ops that are not valid may lack what the custom form shows.
    let args = op.region(ctx, 0).entry(ctx).map_or(0, |b| b.num_args(ctx));
    if args < l.num_config_args(ctx) {
        p.region(op.region(ctx, 0), true, true);
        return;
    }
    if l.async_token(ctx).is_some() {
        print_async(p, op);
    }
    if let (Some(ids), Some(sizes), Some(operands)) = (
        l.cluster_ids(ctx),
        l.cluster_size_args(ctx),
        l.cluster_size(ctx),
    ) {
        print_assignment(p, "clusters", ids, sizes, operands);
    }
    print_assignment(
        p,
        "blocks",
        l.block_ids(ctx),
        l.grid_size_args(ctx),
        l.grid_size(ctx),
    );
    print_assignment(
        p,
        "threads",
        l.thread_ids(ctx),
        l.block_size_args(ctx),
        l.block_size(ctx),
    );
    if let Some(v) = l.dynamic_shared_memory(ctx) {
        p.write(" dynamic_shared_memory_size ");
        p.value(v);
    }
    for name in ["module", "function"] {
        if let Some(a) = op.attr(ctx, name) {
            p.fmt(format_args!(" {name}("));
            p.attr(a);
            p.write(")");
        }
    }
    print_attributions(p, "workgroup", &l.workgroup_attributions(ctx), &[]);
    print_attributions(p, "private", &l.private_attributions(ctx), &[]);
    p.write(" ");
    p.region(op.region(ctx, 0), false, true);
    p.attr_dict(
        op,
        &[
            "operandSegmentSizes",
            "workgroup_attributions",
            "module",
            "function",
        ],
        false,
    );
}

// ---- verification ----

fn verify(ctx: &Context, op: Op) -> Verified {
    let some = ["clusterSizeX", "clusterSizeY", "clusterSizeZ"]
        .into_iter()
        .any(|n| !op.operand_group(ctx, n).is_empty());
    if some && !LaunchOp::wrap(op).has_clusters(ctx) {
        return Err("cluster size must be all present".into());
    }
    // The body is needed by everything that looks at the launch.
    let Some(entry) = op.region(ctx, 0).entry(ctx) else {
        return Ok(());
    };
    let l = LaunchOp::wrap(op);
    let config = l.num_config_args(ctx);
    if entry.num_args(ctx) < config.saturating_add(num_workgroup(ctx, op)) {
        return Err("unexpected number of region arguments".into());
    }
    Ok(())
}

fn verify_regions(ctx: &Context, op: Op) -> Verified {
    let l = LaunchOp::wrap(op);
    verify_attributions(ctx, &l.workgroup_attributions(ctx), 2)?;
    verify_attributions(ctx, &l.private_attributions(ctx), 3)?;
    for b in op.region(ctx, 0).blocks(ctx) {
        let Some(last) = b.last_op(ctx) else { continue };
        if last.num_successors(ctx) == 0 && !last.isa::<TerminatorOp>(ctx) {
            let m = "expected 'gpu.terminator' or a terminator with successors";
            return Err(Invalid::plain(m)
                .at(last.loc(ctx))
                .note(op.loc(ctx), "in 'gpu.launch' body region"));
        }
    }
    Ok(())
}
