//! Compiling a module into memory, and the compiled module.

use super::abi::Repr;
use super::call::{Entry, words_of};
use super::code::Code;
use super::globals::Globals;
use super::lower::define;
use super::shared::Shared;
use super::trap::{Site, Sites};
use super::{NativeOptions, OptLevel, check, func, leaf, order, parallel, support};
use cranelift_codegen::CodegenResult;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, InstBuilder, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, ModuleError, ModuleReloc};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use terrace_dialects::attributes::TERRACE_C_FUNCTION;
use terrace_dialects::func::FuncOp;
use terrace_dialects::memref;
use terrace_ir::{Context, Loc, Op, OpKind};
use terrace_support::subnormals::Mode;
use terrace_x86::Level;

/// A function of the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Func {
    /// Of a function with a body, and of a symbol.
    pub id: FuncId,
    /// Where one is that is only declared.
    pub external: Option<External>,
    /// It is called as C calls functions.
    pub plain: bool,
}

/// Where a function is that the module does not define.
#[derive(Debug, Clone, Copy)]
pub(super) enum External {
    Address(usize),
    /// The linker finds it.
    Symbol,
}

/// What is known while a module is compiled.
pub(super) struct State {
    pub code: Code,
    /// Code is made by this generator, where it is another one than the module's.
    pub other_isa: Option<OwnedTargetIsa>,
    pub options: NativeOptions,
    /// Of machine code of our own, where there is any.
    pub level: Option<Level>,
    pub funcs: FxHashMap<String, Func>,
    /// Names of functions of the host that can be called.
    pub symbols: FxHashSet<String>,
    pub globals: Globals,
    pub sites: Sites,
    pub shared: Arc<Shared>,
    /// Memory comes from [`Shared`], not from what was imported in its place.
    pub own_heap: bool,
    pub kernels: Vec<(String, String)>,
    pub arrays: Vec<String>,
    pub outlines: Vec<parallel::Outline>,
    pub leaves: Vec<leaf::Leaf>,
    pub errors: Vec<(Loc, String)>,
    pub clif: String,
    pub asm: String,
}

impl State {
    /// Nothing compiled yet, for code that may call functions of these names.
    pub fn new(code: Code, options: &NativeOptions, symbols: FxHashSet<String>) -> State {
        State {
            code,
            other_isa: None,
            options: options.clone(),
            level: None,
            funcs: FxHashMap::default(),
            symbols,
            globals: Globals::default(),
            sites: Sites::default(),
            shared: Arc::new(Shared::default()),
            own_heap: options.bounds_checks,
            kernels: Vec::new(),
            arrays: Vec::new(),
            outlines: Vec::new(),
            leaves: Vec::new(),
            errors: Vec::new(),
            clif: String::new(),
            asm: String::new(),
        }
    }

    /// Does to a function what is done before its instructions are chosen.
    pub fn optimize(&self, function: &mut cranelift_codegen::Context) -> CodegenResult<()> {
        match self.options.opt_level {
            OptLevel::None => Ok(()),
            OptLevel::Speed => order::optimize(function, self.isa()),
        }
    }

    /// The machine that functions are compiled for.
    fn isa(&self) -> &dyn TargetIsa {
        self.other_isa.as_deref().unwrap_or(self.code.isa())
    }

    /// Compiles a function and puts it into the module.
    pub fn define_function(
        &mut self,
        id: FuncId,
        function: &mut cranelift_codegen::Context,
    ) -> Result<(), Box<ModuleError>> {
        let failed = |e| Box::new(ModuleError::Compilation(e));
        self.optimize(function).map_err(failed)?;
        if self.other_isa.is_none() {
            return self.code.define_function(id, function).map_err(Box::new);
        }
        let made = function.compile(self.isa(), &mut ControlPlane::default());
        made.map_err(|e| failed(e.inner))?;
        let Some(code) = function.compiled_code() else {
            return Ok(());
        };
        let align = u64::from(code.buffer.alignment);
        let relocs: Vec<ModuleReloc> = (code.buffer.relocs().iter())
            .map(|r| ModuleReloc::from_mach_reloc(r, &function.func, id))
            .collect();
        self.code
            .define_function_bytes(id, align, code.buffer.data(), &relocs)
            .map_err(Box::new)
    }

    /// The number by which callbacks know what the program calls an array.
    pub fn array_id(&mut self, words: &str) -> u32 {
        if let Some(i) = self.arrays.iter().position(|a| a == words) {
            return i as u32;
        }
        self.arrays.push(words.to_string());
        (self.arrays.len() - 1) as u32
    }

    /// The number by which the device callback knows a kernel.
    pub fn kernel_id(&mut self, module: &str, kernel: &str) -> u32 {
        let find = |k: &(String, String)| k.0 == module && k.1 == kernel;
        if let Some(i) = self.kernels.iter().position(find) {
            return i as u32;
        }
        self.kernels.push((module.into(), kernel.into()));
        (self.kernels.len() - 1) as u32
    }
}

/// A module compiled to machine code in memory.
///
/// It may be called from several threads at once; what a called function does to
/// memory it shares is the program's affair.
pub struct NativeModule {
    /// Owns the code. Only touched again when it is freed.
    jit: ManuallyDrop<Box<JITModule>>,
    pub(super) entries: FxHashMap<String, Entry>,
    pub(super) globals: Globals,
    pub(super) sites: Vec<Site>,
    /// Memory that the program allocates is known to `shared`.
    pub(super) own_heap: bool,
    pub(super) shared: Arc<Shared>,
    /// The kernels that the module launches, `(module, kernel)`, by the number that the
    /// launch callback gets.
    pub kernels: Vec<(String, String)>,
    /// What the program calls the arrays of its data ops, by the number that callbacks
    /// get.
    pub arrays: Vec<String>,
    /// The locations of ops that can fail, by the number that callbacks get.
    pub locations: Vec<Loc>,
    pub(super) subnormals: Mode,
    clif: String,
    asm: String,
}

// SAFETY: after compilation the JIT module is not read until it is dropped, the entries
// are addresses of finished code, and the rest is plain data.
unsafe impl Send for NativeModule {}
// SAFETY: as above; no method changes anything through a shared reference.
unsafe impl Sync for NativeModule {}

impl Drop for NativeModule {
    fn drop(&mut self) {
        // SAFETY: the field is not used after this. Calls borrow `self`, so none is
        // running, and no address of the code is handed out.
        unsafe { ManuallyDrop::take(&mut self.jit).free_memory() }
    }
}

impl std::fmt::Debug for NativeModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut names: Vec<&str> = self.functions();
        names.sort_unstable();
        f.debug_struct("NativeModule")
            .field("functions", &names)
            .field("kernels", &self.kernels)
            .field("arrays", &self.arrays)
            .finish_non_exhaustive()
    }
}

impl NativeModule {
    /// The names of the functions that can be called, in no particular order.
    pub fn functions(&self) -> Vec<&str> {
        self.entries.keys().map(String::as_str).collect()
    }

    /// Cranelift's IR of all functions; empty unless [`NativeOptions::listing`] was on.
    pub fn clif(&self) -> &str {
        &self.clif
    }

    /// The machine code of all functions as text; empty unless
    /// [`NativeOptions::listing`] was on.
    pub fn asm(&self) -> &str {
        &self.asm
    }

    /// Where the elements of `memref.global @name` lie, and how many bytes they are
    /// where the module defines it.
    pub fn global(&self, name: &str) -> Option<(*mut u8, Option<usize>)> {
        let (address, bytes) = self.globals.bytes(name)?;
        Some((address as *mut u8, bytes))
    }
}

/// Compile `module`, a verified `builtin.module`, to machine code.
///
/// `imports` are callbacks, external functions and external globals by name; one with
/// the name of a function this crate brings along stands in its place. All errors are
/// returned, each `'NAME' op ...` with the location of the op.
pub fn compile(
    ctx: &Context,
    module: Op,
    options: &NativeOptions,
    imports: &[(&str, *const u8)],
) -> Result<NativeModule, Vec<(Loc, String)>> {
    let errors = check::module(ctx, module);
    if !errors.is_empty() {
        return Err(errors);
    }
    let at = module.loc(ctx);
    let mut given = support::symbols();
    given.extend(imports);
    let code = Code::memory(options, &given).map_err(|m| vec![(at, m)])?;
    let symbols = given.iter().map(|(name, _)| name.to_string()).collect();
    let mut s = State::new(code, options, symbols);
    s.level = options.level;
    s.own_heap &= !imports.iter().any(|i| i.0 == "terrace_alloc");
    let entries = compile_all(ctx, module, &mut s, imports);
    let (entries, errors) = match entries {
        Ok(e) => (e, std::mem::take(&mut s.errors)),
        Err(m) => {
            s.errors.push((at, m));
            (FxHashMap::default(), std::mem::take(&mut s.errors))
        }
    };
    let Code::Memory(jit) = s.code else {
        return Err(vec![(at, "is not compiled into memory".into())]);
    };
    let made = NativeModule {
        jit: ManuallyDrop::new(jit),
        entries,
        globals: s.globals,
        locations: s.sites.list.iter().map(|s| s.loc).collect(),
        sites: s.sites.list,
        own_heap: s.own_heap,
        shared: s.shared,
        kernels: s.kernels,
        arrays: s.arrays,
        subnormals: options.subnormals,
        clif: s.clif,
        asm: s.asm,
    };
    if errors.is_empty() {
        Ok(made)
    } else {
        Err(errors)
    }
}

/// Declare and define everything; errors of ops go to the state.
fn compile_all(
    ctx: &Context,
    module: Op,
    s: &mut State,
    imports: &[(&str, *const u8)],
) -> Result<FxHashMap<String, Entry>, String> {
    let given = |name: &str| {
        let found = imports.iter().find(|i| i.0 == name);
        found.map(|i| i.1 as usize)
    };
    let bodies = define_all(ctx, module, s, given)?;
    let mut trampolines = Vec::new();
    for (op, id) in &bodies {
        trampolines.push((*op, trampoline(ctx, s, *op, *id)?));
    }
    if !s.errors.is_empty() {
        return Ok(FxHashMap::default());
    }
    let Code::Memory(jit) = &mut s.code else {
        return Ok(FxHashMap::default());
    };
    jit.finalize_definitions()
        .map_err(|e| format!("cannot place the machine code in memory: {e}"))?;
    let mut entries = FxHashMap::default();
    for (op, id) in trampolines {
        let f = FuncOp::wrap(op);
        let reprs = |tys: &[terrace_ir::Type]| -> Result<Vec<Repr>, String> {
            tys.iter().map(|t| Repr::of(ctx, *t)).collect()
        };
        let inputs = reprs(f.inputs(ctx))?;
        let entry = Entry {
            address: jit.get_finalized_function(id) as usize,
            words: inputs.iter().map(words_of).sum(),
            inputs,
            results: reprs(f.results(ctx))?,
            loc: op.loc(ctx),
        };
        entries.insert(f.name(ctx).to_string(), entry);
    }
    Ok(entries)
}

/// Declare and define the globals and functions of a module. Gives the functions that
/// have bodies; `given` tells the addresses of what is only declared, for code in
/// memory. Errors of ops go to the state.
pub(super) fn define_all(
    ctx: &Context,
    module: Op,
    s: &mut State,
    given: impl Fn(&str) -> Option<usize>,
) -> Result<Vec<(Op, FuncId)>, String> {
    let mut bodies = Vec::new();
    for op in module.body(ctx, 0).ops(ctx) {
        let result = match op.name(ctx) {
            memref::GlobalOp::NAME => {
                let name = op.symbol_name(ctx).unwrap_or("");
                s.globals.add(ctx, op, given(name), &mut s.code)
            }
            FuncOp::NAME => {
                declare(ctx, s, op, &given).map(|id| bodies.extend(id.map(|id| (op, id))))
            }
            _ => Ok(()),
        };
        if let Err(m) = result {
            let m = format!("'{}' op {m}", op.name(ctx));
            s.errors.push((op.loc(ctx), m));
        }
    }
    for (op, id) in &bodies {
        let f = FuncOp::wrap(*op);
        let sig = func::signature(ctx, s, f.inputs(ctx), f.results(ctx))?;
        let name = f.name(ctx).to_string();
        define(ctx, s, *id, (&name, *op), sig, |l, params| {
            func::body(l, *op, params)
        });
        parallel::define_outlines(ctx, s);
        leaf::define_leaves(ctx, s);
    }
    Ok(bodies)
}

/// Declare a function; gives its number if it has a body.
fn declare(
    ctx: &Context,
    s: &mut State,
    op: Op,
    given: impl Fn(&str) -> Option<usize>,
) -> Result<Option<FuncId>, String> {
    let f = FuncOp::wrap(op);
    let name = f.name(ctx).to_string();
    let defined = !f.is_declaration(ctx);
    let plain = !defined && op.attr(ctx, TERRACE_C_FUNCTION).is_some();
    let sig = match plain {
        true => func::plain_signature(ctx, s, f.inputs(ctx), f.results(ctx))?,
        false => func::signature(ctx, s, f.inputs(ctx), f.results(ctx))?,
    };
    let external = match &s.code {
        _ if defined => None,
        Code::Memory(_) => match given(&name) {
            Some(address) => Some(External::Address(address)),
            // An error only where it is called: a declaration alone does nothing.
            None => return Ok(None),
        },
        Code::Object(_) => Some(External::Symbol),
    };
    let id = match external {
        Some(External::Symbol) => s.code.declare_function(&name, Linkage::Import, &sig),
        _ => s.code.declare_anonymous_function(&sig),
    };
    let id = id.map_err(|e| format!("cannot be declared: {e}"))?;
    let f = Func {
        id,
        external,
        plain,
    };
    s.funcs.insert(name, f);
    Ok(defined.then_some(id))
}

/// A function `(args, results) -> status` that takes packed arguments and calls `id`.
fn trampoline(ctx: &Context, s: &mut State, op: Op, id: FuncId) -> Result<FuncId, String> {
    let f = FuncOp::wrap(op);
    let inputs = func::parts(ctx, f.inputs(ctx))?;
    let results = func::parts(ctx, f.results(ctx))?;
    let mut sig = s.code.make_signature();
    sig.params.extend([AbiParam::new(types::I64); 2]);
    sig.returns.push(AbiParam::new(types::I32));
    let t = s
        .code
        .declare_anonymous_function(&sig)
        .map_err(|e| format!("cannot declare a trampoline: {e}"))?;
    let name = format!("call.{}", f.name(ctx));
    define(ctx, s, t, (&name, op), sig, |l, params| {
        let mut args = func::load_words(l, &inputs, params[0]);
        if !results.is_empty() {
            args.push(params[1]);
        }
        let r = l.func_ref(id);
        let call = l.b.ins().call(r, &args);
        let status = l.b.inst_results(call)[0];
        l.check_status(status);
        l.ret();
        Ok(())
    });
    Ok(t)
}
