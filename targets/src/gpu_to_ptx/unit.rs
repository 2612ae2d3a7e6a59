//! The whole module: what its functions share, and the checks at the end.

use super::abi::{Promise, Signature, passed_regs};
use super::bounds::launch_bounds;
use super::constant_memory;
use super::globals::Global;
use super::launches::check_shared;
use super::lower::{Exit, Lower};
use super::names::Names;
use super::value::{MemRefTy, Val};
use super::{AnyPointers, GpuBinary, GpuOptions, KernelInfo, ParamKind, PassDump};
use crate::machine::{self, Arch, Machine};
use crate::ptx::check::Rule;
use crate::ptx::module::shared_bytes;
use crate::ptx::{
    self, Finding, Func, FuncBuilder, FuncId, FuncKind, Module, RegTy, Severity, Space, Sym, Var,
};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::func::FuncOp;
use terrace_dialects::gpu;
use terrace_dialects::memref;
use terrace_ir::{Context, Loc, Op, OpKind, Type, Value};

/// What lowering a function reads and adds to.
pub(super) struct Unit {
    pub module: Module,
    pub options: GpuOptions,
    pub errors: Vec<(Loc, String)>,
    pub names: Names,
    /// The module's name, and what modules before it declare: several may be joined.
    pub module_name: String,
    pub declared_before: FxHashSet<String>,
    pub funcs: FxHashMap<String, (FuncId, Signature)>,
    /// The variables of `memref.global`s.
    pub globals: FxHashMap<String, Global>,
    pub dynamic_shared: Option<Sym>,
    /// The position that instructions get.
    pub current: ptx::Loc,
}

/// The symbols of the kernels' modules in front of one.
fn declared_before(ctx: &Context, gpu_module: Op) -> FxHashSet<String> {
    let Some(around) = gpu_module.parent(ctx) else {
        return FxHashSet::default();
    };
    let all = around.find_all::<gpu::ModuleOp>(ctx).into_iter();
    let mut found = FxHashSet::default();
    for m in all.take_while(|m| m.op() != gpu_module) {
        let ops = (m.op().regions(ctx).into_iter())
            .flat_map(|r| r.blocks(ctx))
            .flat_map(|b| b.ops(ctx));
        found.extend(ops.filter_map(|op| op.symbol_name(ctx).map(str::to_string)));
    }
    found
}

impl Unit {
    /// What a variable or function is called in the text, which others may be joined with.
    pub fn own_name(&self, name: &str) -> String {
        match self.declared_before.contains(name) {
            true => format!("{}_{name}", self.module_name),
            false => name.to_string(),
        }
    }

    /// A location as the machine form has it; the file is added if it is new.
    pub fn machine_loc(&mut self, ctx: &Context, loc: Loc) -> ptx::Loc {
        match loc.file_pos(ctx) {
            Some((file, line, col)) => ptx::Loc {
                file: self.module.file(&ctx.file_name(file)),
                line,
                column: u16::try_from(col).unwrap_or(u16::MAX),
            },
            None => ptx::Loc::default(),
        }
    }

    fn ir_loc(&self, ctx: &Context, loc: ptx::Loc, otherwise: Loc) -> Loc {
        let file = usize::from(loc.file)
            .checked_sub(1)
            .and_then(|i| self.module.files.get(i));
        match file {
            Some(file) => ctx.file_loc(file, loc.line, u32::from(loc.column)),
            None => otherwise,
        }
    }
}

/// A function of the source on its way.
struct Source {
    op: Op,
    name: String,
    id: FuncId,
    params: Vec<ParamKind>,
    indices: Option<super::Indices>,
    calls: FxHashSet<FuncId>,
}

type Errors = Vec<(Loc, String)>;

pub(super) fn compile(
    ctx: &Context,
    gpu_module: Op,
    options: &GpuOptions,
) -> Result<GpuBinary, Errors> {
    let loc = gpu_module.loc(ctx);
    if !gpu_module.isa::<gpu::ModuleOp>(ctx) {
        let found = gpu_module.name(ctx);
        return Err(vec![(
            loc,
            format!("found '{found}', expected a gpu.module to compile for the GPU"),
        )]);
    }
    let machine = machine::by_name(&options.arch).map_err(|e| vec![(loc, e)])?;
    let arch: Arch = options.arch.parse().map_err(|e| vec![(loc, e)])?;
    let mut unit = Unit {
        module: Module::new(arch),
        options: options.clone(),
        errors: Vec::new(),
        names: Names::new(),
        module_name: gpu_module.symbol_name(ctx).unwrap_or("").to_string(),
        declared_before: declared_before(ctx, gpu_module),
        funcs: FxHashMap::default(),
        globals: FxHashMap::default(),
        dynamic_shared: None,
        current: ptx::Loc::default(),
    };
    let mut sources = declare(ctx, &mut unit, gpu_module, machine);
    for source in &mut sources {
        body(ctx, &mut unit, source);
    }
    let mut kernels = kernel_infos(ctx, &mut unit, &sources, machine);
    let launches = check_shared(ctx, gpu_module, &kernels, &options.arch);
    unit.errors.extend(launches);
    if !unit.errors.is_empty() {
        return Err(unit.errors);
    }
    let wanted = ptx::optimize::Options {
        level: options.level,
        aligned: options.also_aligned,
    };
    let mut dumps = Vec::new();
    if options.dump_passes {
        let ids: Vec<FuncId> = unit.module.funcs.iter().map(|(id, _)| id).collect();
        dumps.extend((ids.into_iter()).map(|id| pass_dump(None, &unit.module, id, 0)));
    }
    let mut dump = |pass, module: &Module, id, changes| {
        dumps.push(pass_dump(Some(pass), module, id, changes));
    };
    let dump: Option<ptx::optimize::Dump<'_>> = match options.dump_passes {
        true => Some(&mut dump),
        false => None,
    };
    let forms = ptx::optimize::run(&mut unit.module, &wanted, dump);
    for forms in &forms {
        let (aligned, any) = (
            &unit.module.funcs[forms.aligned],
            &unit.module.funcs[forms.any],
        );
        if let Some(info) = kernels.iter_mut().find(|k| k.entry == aligned.name) {
            info.alignments = alignments(aligned);
            info.any = Some(AnyPointers {
                entry: any.name.clone(),
                alignments: alignments(any),
            });
        }
    }
    if options.flush {
        for (_, func) in unit.module.funcs.iter_mut() {
            ptx::optimize::flush::flush(func);
        }
    }
    unit.module.fit_version();
    findings(ctx, &mut unit, (&sources, &forms), loc);
    if !unit.errors.is_empty() {
        return Err(unit.errors);
    }
    if !options.loc_lines {
        drop_locations(&mut unit.module);
    }
    Ok(GpuBinary {
        ptx: ptx::print(&unit.module),
        kernels,
        dumps,
    })
}

fn pass_dump(pass: Option<&'static str>, module: &Module, id: FuncId, changes: usize) -> PassDump {
    let func = &module.funcs[id];
    // Passes may use what is newer than what the module says so far.
    let mut whole = module.clone();
    whole.fit_version();
    PassDump {
        pass,
        function: func.name.clone(),
        is_kernel: func.kind == FuncKind::Kernel,
        changes,
        text: ptx::print::print_func(module, func),
        module: ptx::print(&whole),
    }
}

/// Globals and signatures. Kernels get their names first, so that nothing
/// else takes them.
fn declare(ctx: &Context, unit: &mut Unit, gpu_module: Op, machine: &Machine) -> Vec<Source> {
    let ops: Vec<Op> = gpu_module
        .blocks(ctx)
        .into_iter()
        .flat_map(|b| b.ops(ctx))
        .collect();
    let is_kernel = |op: &Op| {
        op.cast::<gpu::FuncOp>(ctx)
            .is_some_and(|f| f.is_kernel(ctx))
    };
    let room = u64::from(machine.constant_bytes);
    let constant = constant_memory::chosen(ctx, gpu_module, room);
    let (kernels, others): (Vec<Op>, Vec<Op>) = ops.into_iter().partition(is_kernel);
    let mut sources = Vec::new();
    for op in kernels.into_iter().chain(others) {
        match op.name(ctx) {
            gpu::FuncOp::NAME | FuncOp::NAME => {
                sources.extend(declare_func(ctx, unit, op, is_kernel(&op), machine))
            }
            memref::GlobalOp::NAME => {
                if let Err(message) = unit.declare_global(ctx, op, &constant) {
                    unit.errors
                        .push((op.loc(ctx), format!("'memref.global' op {message}")));
                }
            }
            name => {
                let message = format!(
                    "'{name}' op has no place in a gpu.module; gpu.func, func.func and memref.global have"
                );
                unit.errors.push((op.loc(ctx), message));
            }
        }
    }
    sources
}

fn declare_func(
    ctx: &Context,
    unit: &mut Unit,
    op: Op,
    is_kernel: bool,
    machine: &Machine,
) -> Option<Source> {
    let name = op.symbol_name(ctx).unwrap_or("").to_string();
    // A declaration; calls of it are reported where they are.
    let has_body = op.regions(ctx).first().is_some_and(|r| !r.is_empty(ctx));
    if !has_body {
        return None;
    }
    let ty = op.attr(ctx, "function_type").and_then(|a| a.as_type(ctx));
    let (inputs, results) = ty.and_then(|t| t.function_parts(ctx))?;
    let entry = match is_kernel {
        true => unit.names.take(&name),
        false => {
            let own = unit.own_name(&name);
            unit.names.take(&own)
        }
    };
    let mut func = Func::new(
        entry,
        if is_kernel {
            FuncKind::Kernel
        } else {
            FuncKind::Device
        },
    );
    let mut sig = Signature {
        kind: func.kind,
        inputs: inputs.to_vec(),
        results: results.to_vec(),
        result_regs: Vec::new(),
        block: None,
        out: None,
    };
    let mut regs = |list: &[Type], what: &str| {
        let mut all = Vec::new();
        for ty in list {
            match passed_regs(ctx, *ty) {
                Ok(r) => all.extend(r),
                Err(e) => unit
                    .errors
                    .push((op.loc(ctx), format!("{what} of '{name}': {e}"))),
            }
        }
        all
    };
    if is_kernel {
        let (bounds, errors) = launch_bounds(ctx, op, machine, unit.module.arch);
        let said = |e| (op.loc(ctx), format!("kernel '{name}': {e}"));
        unit.errors.extend(errors.into_iter().map(said));
        sig.block = known_block(ctx, op).or(bounds.required_threads);
        func.bounds = bounds;
    } else {
        for ty in regs(inputs, "a parameter") {
            func.add_arg(ty);
        }
        sig.result_regs = regs(results, "a result");
        match &sig.result_regs[..] {
            [] => {}
            [one] => func.result = Some(func.new_reg(*one)),
            _ => sig.out = Some(func.add_arg(RegTy::B64)),
        }
    }
    let id = unit.module.funcs.alloc(func);
    unit.funcs.insert(name.clone(), (id, sig));
    Some(Source {
        op,
        name,
        id,
        params: Vec::new(),
        indices: None,
        calls: FxHashSet::default(),
    })
}

fn known_block(ctx: &Context, op: Op) -> Option<[u32; 3]> {
    let sizes = op.cast::<gpu::FuncOp>(ctx)?.known_block_size(ctx)?;
    let mut block = [0; 3];
    for (to, from) in block.iter_mut().zip(sizes) {
        *to = u32::try_from(from).ok()?;
    }
    Some(block)
}

/// Lowers the body of one function.
fn body(ctx: &Context, unit: &mut Unit, source: &mut Source) {
    let op = source.op;
    let Some((id, sig)) = unit.funcs.get(&source.name).cloned() else {
        return;
    };
    // The body is built outside the module, which lowering adds to meanwhile.
    let empty = Func::new("", sig.kind);
    let mut func = std::mem::replace(&mut unit.module.funcs[id], empty);
    let args = func.args.clone();
    unit.current = ptx::Loc::default();
    let options = unit.options.clone();
    let mut lower = Lower {
        ctx,
        unit,
        b: FuncBuilder::new(&mut func),
        func: sig,
        values: FxHashMap::default(),
        blocks: FxHashMap::default(),
        known: FxHashMap::default(),
        divisors: FxHashMap::default(),
        parts: FxHashMap::default(),
        pointers: FxHashMap::default(),
        flags: 0,
        indices: Default::default(),
        exits: Vec::<Exit>::new(),
        calls: FxHashSet::default(),
        depth: 0,
    };
    lower.function(op, &args, &mut source.params);
    source.calls = std::mem::take(&mut lower.calls);
    let indices = std::mem::take(&mut lower.indices);
    source.indices = (options.index_bitwidth == 32).then_some(indices);
    unit.module.funcs[id] = func;
}

impl Lower<'_> {
    fn function(&mut self, op: Op, args: &[ptx::Reg], kinds: &mut Vec<ParamKind>) {
        let ctx = self.ctx;
        let Some(entry) = op.regions(ctx).first().and_then(|r| r.entry(ctx)) else {
            return;
        };
        let mut params = entry.args(ctx);
        let inputs = self.func.inputs.clone();
        let attributions = params.split_off(inputs.len().min(params.len()));
        if self.func.kind == FuncKind::Kernel {
            for (i, (param, ty)) in params.iter().zip(&inputs).enumerate() {
                match self.kernel_param(i, *ty, Promise::of(ctx, op, i), kinds) {
                    Ok(v) => {
                        self.values.insert(*param, v);
                    }
                    Err(e) => self.fail_value(*param, &format!("parameter {i} of the kernel: {e}")),
                }
            }
        } else {
            match self.device_params(args, &inputs) {
                Ok(vals) => self.values.extend(params.iter().copied().zip(vals)),
                Err(e) => self.unit.errors.push((op.loc(ctx), e)),
            }
        }
        let in_workgroup = match op.cast::<gpu::FuncOp>(ctx) {
            Some(f) => f.workgroup_attributions(ctx).len(),
            None => 0,
        };
        for (i, v) in attributions.into_iter().enumerate() {
            let (space, name) = match i < in_workgroup {
                true => (Space::Shared, "shared"),
                false => (Space::Local, "private"),
            };
            match self.buffer(v.ty(ctx), space, name) {
                Ok(m) => {
                    self.values.insert(v, m);
                }
                Err(e) => self.fail_value(
                    v,
                    &format!(
                        "an attribution of '{}': {e}",
                        op.symbol_name(ctx).unwrap_or("")
                    ),
                ),
            }
        }
        self.graph(op.region(ctx, 0));
        self.name_registers(op);
    }

    fn fail_value(&mut self, v: Value, message: &str) {
        self.unit
            .errors
            .push((v.loc(self.ctx), message.to_string()));
        if let Ok(fresh) = self.fresh(v.ty(self.ctx)) {
            self.values.insert(v, fresh);
        }
    }

    /// A variable of this function of a static memref type.
    pub fn buffer(&mut self, ty: Type, space: Space, name: &str) -> Result<Val, String> {
        let t = MemRefTy::of(self.ctx, ty)?;
        let bytes = t.static_bytes().ok_or_else(|| {
            format!(
                "found type '{}'; memory inside a kernel needs static sizes",
                self.ctx.type_text(ty)
            )
        })?;
        let memory = t.elem.memory();
        let len = bytes.div_ceil(u64::from(memory.bytes())).max(1);
        // Sixteen bytes, so that wide accesses are possible.
        let base = self.add_var(name, Var::array("", space, memory, len).aligned(16));
        let m = t.build(base, space, || super::value::Idx::Const(0));
        Ok(Val::MemRef(std::rc::Rc::new(m.in_buffer(16))))
    }
}

/// What the host needs to know of the kernels; checks their shared and local memory.
fn kernel_infos(
    ctx: &Context,
    unit: &mut Unit,
    sources: &[Source],
    machine: &Machine,
) -> Vec<KernelInfo> {
    let calls: FxHashMap<FuncId, &FxHashSet<FuncId>> =
        sources.iter().map(|s| (s.id, &s.calls)).collect();
    let mut infos = Vec::new();
    for s in sources {
        let func = &unit.module.funcs[s.id];
        if func.kind != FuncKind::Kernel {
            continue;
        }
        let mut reached = FxHashSet::from_iter([s.id]);
        let mut work = vec![s.id];
        let mut shared = shared_bytes(&unit.module.vars);
        let mut local = 0u64;
        while let Some(id) = work.pop() {
            local = local.saturating_add(unit.module.funcs[id].local_bytes());
            shared = shared.saturating_add(unit.module.funcs[id].static_shared_bytes());
            work.extend(
                calls
                    .get(&id)
                    .into_iter()
                    .flat_map(|c| c.iter())
                    .filter(|c| reached.insert(**c)),
            );
        }
        let most = machine.shared_per_block;
        if shared > u64::from(most) {
            let message = format!(
                "kernel '{}' needs {shared} bytes of static workgroup (shared) memory; a block on {} has {most} ({} as dynamic shared memory)",
                s.name, unit.module.arch, machine.shared_per_block_opt_in
            );
            unit.errors.push((s.op.loc(ctx), message));
        }
        let most = machine.local_per_thread;
        if local > u64::from(most) {
            let message = format!(
                "kernel '{}' needs {local} bytes of private (local) memory a thread; a thread on {} has {most}",
                s.name, unit.module.arch
            );
            unit.errors.push((s.op.loc(ctx), message));
        }
        infos.push(KernelInfo {
            name: s.name.clone(),
            entry: func.name.clone(),
            params: s.params.clone(),
            indices: s.indices.clone(),
            alignments: alignments(func),
            shared_bytes: shared,
            max_threads: func.bounds.required_threads.or(func.bounds.max_threads),
            cooperative: !s.op.find_all::<gpu::GridBarrierOp>(ctx).is_empty(),
            any: None,
        });
    }
    infos
}

/// What each parameter's pointer is a multiple of, in bytes; 1 for anything else.
fn alignments(func: &Func) -> Vec<u32> {
    (func.params.iter())
        .map(|p| p.pointee.map_or(1, |(_, align)| align.max(1)))
        .collect()
}

/// Runs the checker. What it finds is this compiler's fault, but for what only
/// it looks at: divergent barriers, the machine's limits and instructions, and
/// accesses that the program says are aligned but cannot be.
fn findings(
    ctx: &Context,
    unit: &mut Unit,
    (sources, forms): (&[Source], &[ptx::optimize::Forms]),
    module_loc: Loc,
) {
    let found: Vec<Finding> = ptx::check(&unit.module);
    for f in found {
        if f.severity != Severity::Error {
            continue;
        }
        let made = forms.iter().find(|forms| Some(forms.any) == f.func);
        let func = made.map_or(f.func, |forms| Some(forms.aligned));
        let source = sources.iter().find(|s| Some(s.id) == func);
        let loc = unit.ir_loc(ctx, f.loc, source.map_or(module_loc, |s| s.op.loc(ctx)));
        let message = match f.rule {
            Rule::DivergentBarrier | Rule::Limit | Rule::Arch | Rule::Alignment => {
                let name = source.map_or("the module", |s| s.name.as_str());
                format!("in '{name}': found {}; expected {}", f.found, f.expected)
            }
            _ => format!("internal error in the generated code: {f}"),
        };
        unit.errors.push((loc, message));
    }
}

fn drop_locations(module: &mut Module) {
    module.files.clear();
    for (_, func) in module.funcs.iter_mut() {
        for (_, inst) in func.insts.iter_mut() {
            inst.loc = ptx::Loc::default();
        }
    }
}
