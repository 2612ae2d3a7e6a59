//! Compiling a module, and the compiled module.

use super::abi::Repr;
use super::call::Entry;
use super::globals::Globals;
use super::lower::define;
use super::trap::{Site, Sites};
use super::{NativeOptions, OptLevel, check, func, parallel, support};
use cranelift_codegen::ir::{AbiParam, InstBuilder, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::ManuallyDrop;
use terrace_dialects::func::FuncOp;
use terrace_ir::{Context, Loc, Op, OpKind};

/// A function of the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Func {
    /// Of a function with a body.
    pub id: FuncId,
    /// The address of one that is only declared.
    pub external: Option<usize>,
}

/// What is known while a module is compiled.
pub(super) struct State {
    pub jit: JITModule,
    pub options: NativeOptions,
    pub funcs: FxHashMap<String, Func>,
    /// Names of functions of the host that can be called.
    pub symbols: FxHashSet<String>,
    pub globals: Globals,
    pub sites: Sites,
    pub kernels: Vec<(String, String)>,
    pub outlines: Vec<parallel::Outline>,
    pub errors: Vec<(Loc, String)>,
    pub clif: String,
    pub asm: String,
}

impl State {
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
    jit: ManuallyDrop<JITModule>,
    pub(super) entries: FxHashMap<String, Entry>,
    globals: Globals,
    pub(super) sites: Vec<Site>,
    /// The kernels that the module launches, `(module, kernel)`, by the number that the
    /// launch callback gets.
    pub kernels: Vec<(String, String)>,
    /// The locations of ops that can fail, by the number that callbacks get.
    pub locations: Vec<Loc>,
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

fn builder(options: &NativeOptions) -> Result<JITBuilder, String> {
    let mut flags = settings::builder();
    let level = match options.opt_level {
        OptLevel::None => "none",
        OptLevel::Speed => "speed",
    };
    let verify = if options.verify { "true" } else { "false" };
    for (name, value) in [
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("opt_level", level),
        ("enable_verifier", verify),
        // Integers of 128 bits as arguments.
        ("enable_llvm_abi_extensions", "true"),
    ] {
        flags
            .set(name, value)
            .map_err(|e| format!("cannot set the code generator's '{name}': {e}"))?;
    }
    let isa = cranelift_native::builder()
        .map_err(|e| format!("this machine has no native code generator: {e}"))?
        .finish(settings::Flags::new(flags))
        .map_err(|e| format!("cannot make a code generator: {e}"))?;
    Ok(JITBuilder::with_isa(isa, default_libcall_names()))
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
    let mut jit = builder(options).map_err(|m| vec![(at, m)])?;
    let mut symbols = FxHashSet::default();
    for (name, address) in support::symbols().iter().chain(imports) {
        jit.symbol(*name, *address);
        symbols.insert(name.to_string());
    }
    let mut s = State {
        jit: JITModule::new(jit),
        options: options.clone(),
        funcs: FxHashMap::default(),
        symbols,
        globals: Globals::default(),
        sites: Sites::default(),
        kernels: Vec::new(),
        outlines: Vec::new(),
        errors: Vec::new(),
        clif: String::new(),
        asm: String::new(),
    };
    let entries = compile_all(ctx, module, &mut s, imports);
    let (entries, errors) = match entries {
        Ok(e) => (e, std::mem::take(&mut s.errors)),
        Err(m) => {
            s.errors.push((at, m));
            (FxHashMap::default(), std::mem::take(&mut s.errors))
        }
    };
    let made = NativeModule {
        jit: ManuallyDrop::new(s.jit),
        entries,
        globals: s.globals,
        locations: s.sites.list.iter().map(|s| s.loc).collect(),
        sites: s.sites.list,
        kernels: s.kernels,
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
    let mut bodies = Vec::new();
    for op in module.body(ctx, 0).ops(ctx) {
        let result = match op.name(ctx) {
            "memref.global" => {
                let name = op.symbol_name(ctx).unwrap_or("");
                s.globals.add(ctx, op, given(name))
            }
            "func.func" => {
                declare(ctx, s, op, given).map(|id| bodies.extend(id.map(|id| (op, id))))
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
    }
    let mut trampolines = Vec::new();
    for (op, id) in &bodies {
        trampolines.push((*op, trampoline(ctx, s, *op, *id)?));
    }
    if !s.errors.is_empty() {
        return Ok(FxHashMap::default());
    }
    s.jit
        .finalize_definitions()
        .map_err(|e| format!("cannot place the machine code in memory: {e}"))?;
    let mut entries = FxHashMap::default();
    for (op, id) in trampolines {
        let f = FuncOp::wrap(op);
        let reprs = |tys: &[terrace_ir::Type]| -> Result<Vec<Repr>, String> {
            tys.iter().map(|t| Repr::of(ctx, *t)).collect()
        };
        let entry = Entry {
            address: s.jit.get_finalized_function(id) as usize,
            inputs: reprs(f.inputs(ctx))?,
            results: reprs(f.results(ctx))?,
            loc: op.loc(ctx),
        };
        entries.insert(f.name(ctx).to_string(), entry);
    }
    Ok(entries)
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
    let sig = func::signature(ctx, s, f.inputs(ctx), f.results(ctx))?;
    let id = s
        .jit
        .declare_anonymous_function(&sig)
        .map_err(|e| format!("cannot be declared: {e}"))?;
    let external = f.is_declaration(ctx);
    let address = if external { given(&name) } else { None };
    if external && address.is_none() {
        // An error only where it is called: a declaration alone does nothing.
        return Ok(None);
    }
    let func = Func {
        id,
        external: address,
    };
    s.funcs.insert(name, func);
    Ok((!external).then_some(id))
}

/// A function `(args, results) -> status` that takes packed arguments and calls `id`.
fn trampoline(ctx: &Context, s: &mut State, op: Op, id: FuncId) -> Result<FuncId, String> {
    let f = FuncOp::wrap(op);
    let inputs = func::parts(ctx, f.inputs(ctx))?;
    let results = func::parts(ctx, f.results(ctx))?;
    let mut sig = s.jit.make_signature();
    sig.params.extend([AbiParam::new(types::I64); 2]);
    sig.returns.push(AbiParam::new(types::I32));
    let t = s
        .jit
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
