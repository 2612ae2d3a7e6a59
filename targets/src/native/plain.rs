//! Functions of object files with C's own types: `int symbol(long long n, float h, float *a)`.
//!
//! Each puts its arguments into the words of a packed entry ([`super::PackedEntry`]) and calls
//! it. What it returns is told by a second function, `const char *message(int status)`. A call that
//! ended well returns 0, which is told by the empty text.

use super::abi::Scalar;
use super::gpu::word;
use super::lower::{Lower, R, define};
use super::module::State;
use super::trap::Site;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{DataId, FuncId, FuncOrDataId, Linkage};
use terrace_dialects::memref;
use terrace_ir::{Context, Op};

/// What a parameter of a C function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainType {
    /// `long long`, of 64 bits.
    Int64,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// The address of an array's first element.
    Pointer,
}

/// A C function over the packed entries of one function, and the one that tells its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainFunction {
    /// The name that C calls it by.
    pub symbol: String,
    /// The name of the function that tells what a result means.
    pub message: String,
    /// In the order of words.
    pub params: Vec<PlainType>,
    /// The packed entry.
    pub entry: String,
    /// The one for machines that have the instructions of x86-64-v3.
    pub entry_v3: Option<String>,
}

/// Defines the function; `op` is what messages of the code generator are about.
///
/// # Errors
///
/// Where an entry is missing or the symbol is taken.
pub(super) fn function(ctx: &Context, s: &mut State, op: Op, f: &PlainFunction) -> R {
    let entry = named(s, &f.entry)?;
    let newer = f.entry_v3.as_deref().map(|n| named(s, n)).transpose()?;
    let newer = match newer {
        Some(id) => Some((id, has_v3(s)?)),
        None => None,
    };
    let mut sig = s.code.make_signature();
    for p in &f.params {
        sig.params.push(AbiParam::new(match p {
            PlainType::Int64 | PlainType::Pointer => types::I64,
            PlainType::F32 => types::F32,
            PlainType::F64 => types::F64,
        }));
    }
    sig.returns.push(AbiParam::new(types::I32));
    let id = (s.code)
        .declare_function(&f.symbol, Linkage::Export, &sig)
        .map_err(|e| format!("cannot get the symbol '{}': {e}", f.symbol))?;
    define(ctx, s, id, (&f.symbol, op), sig, |l, given| {
        body(l, f, &given, entry, newer)
    });
    Ok(())
}

fn named(s: &State, symbol: &str) -> R<FuncId> {
    match s.code.get_name(symbol) {
        Some(FuncOrDataId::Func(id)) => Ok(id),
        _ => Err(format!("there is no entry '{symbol}'")),
    }
}

/// The runtime's function that says whether this machine has those instructions.
fn has_v3(s: &mut State) -> R<FuncId> {
    let mut sig = s.code.make_signature();
    sig.returns.push(AbiParam::new(types::I32));
    (s.code)
        .declare_function("terrace_has_v3", Linkage::Import, &sig)
        .map_err(|e| format!("cannot be declared: {e}"))
}

fn body(
    l: &mut Lower,
    f: &PlainFunction,
    given: &[ir::Value],
    entry: FuncId,
    newer: Option<(FuncId, FuncId)>,
) -> R {
    let slot = l.slot((8 * f.params.len()).max(8) as u32, 3);
    let words = l.slot_addr(slot);
    let flags = ir::MemFlagsData::trusted();
    for (k, (p, v)) in f.params.iter().zip(given).enumerate() {
        let kind = match p {
            PlainType::Int64 | PlainType::Pointer => Scalar::Int(64),
            PlainType::F32 => Scalar::F32,
            PlainType::F64 => Scalar::F64,
        };
        let v = word(l, *v, kind)?;
        l.b.ins().store(flags, v, words, 8 * k as i32);
    }
    if let Some((newer, asked)) = newer {
        let asked = l.func_ref(asked);
        let call = l.b.ins().call(asked, &[]);
        let yes = l.b.inst_results(call)[0];
        let (with, without) = (l.b.create_block(), l.b.create_block());
        l.b.ins().brif(yes, with, &[], without, &[]);
        l.b.switch_to_block(with);
        leave_with(l, newer, words);
        l.b.switch_to_block(without);
    }
    leave_with(l, entry, words);
    Ok(())
}

fn leave_with(l: &mut Lower, entry: FuncId, words: ir::Value) {
    let entry = l.func_ref(entry);
    let call = l.b.ins().call(entry, &[words]);
    let status = l.b.inst_results(call)[0];
    l.leave(status);
}

/// Defines `const char *symbol(int status)` over a table of so many texts. What is no index gives
/// the first of them.
///
/// # Errors
///
/// Where the symbol is taken.
pub(super) fn messages(
    ctx: &Context,
    s: &mut State,
    op: Op,
    symbol: &str,
    (table, texts): (DataId, usize),
) -> R {
    let mut sig = s.code.make_signature();
    sig.params.push(AbiParam::new(types::I32));
    sig.returns.push(AbiParam::new(types::I64));
    let id = (s.code)
        .declare_function(symbol, Linkage::Export, &sig)
        .map_err(|e| format!("cannot get the symbol '{symbol}': {e}"))?;
    let mut made = s.code.make_context();
    made.func.signature = sig;
    made.func.name = ir::UserFuncName::user(0, id.as_u32());
    let config = s.code.target_config();
    let mut frame = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut made.func, &mut frame);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let status = b.block_params(entry)[0];
    let there = b
        .ins()
        .icmp_imm_u(IntCC::UnsignedLessThan, status, texts as i64);
    let first = b.ins().iconst(types::I32, 0);
    let index = b.ins().select(there, status, first);
    let index = b.ins().uextend(types::I64, index);
    let offset = b.ins().ishl_imm_u(index, 3);
    let table = s.code.declare_data_in_func(table, b.func);
    let table = b.ins().symbol_value(types::I64, table);
    let at = b.ins().iadd(table, offset);
    let text = b.ins().load(types::I64, ir::MemFlagsData::trusted(), at, 0);
    b.ins().return_(&[text]);
    b.seal_all_blocks();
    b.finalize(config);
    let defined = s.define_function(id, &mut made);
    defined.map_err(|e| format!("{} cannot be compiled: {e}", op.name(ctx)))
}

/// What a packed entry says by each number that is not 0, without places.
pub(super) fn message(site: &Site) -> String {
    match (&site.message, site.name.as_str()) {
        (Some(m), _) => m.clone(),
        (None, memref::AllocOp::NAME | memref::AllocaOp::NAME) => "out of memory".to_string(),
        (None, name) => format!("'{name}' failed"),
    }
}
