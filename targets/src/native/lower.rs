//! The lowering of one function: what all op groups share.
//!
//! IR values are bound to machine values as they are met; blocks are visited so that
//! definitions come before uses. An op that cannot be lowered is recorded with its
//! location and its results get zeros, so that all such ops are found in one go.

use super::abi::{Desc, Lanes, MemTy, Part, Repr, Scalar, Val, flatten, unflatten};
use super::address::Scope;
use super::module::State;
use super::trap::{self, Trap};
use super::{
    arith, cast, cf, compare, constant, data, float, func, gpu, math, memref, parallel, rows, scf,
    vector, view,
};
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{
    self, AbiParam, FuncRef, InstBuilder, MemFlagsData, Signature, StackSlot, StackSlotData,
    StackSlotKind, UserFuncName, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{FuncId, Linkage};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use terrace_ir::{Block, Context, Op, Type, Value};

/// What lowering an op gives, or the rest of the sentence `'NAME' op ...`.
pub(super) type R<T = ()> = Result<T, String>;

pub(super) struct Lower<'m, 'f> {
    pub ctx: &'m Context,
    pub s: &'m mut State,
    pub b: FunctionBuilder<'f>,
    vals: FxHashMap<Value, Val>,
    refs: FxHashMap<FuncId, FuncRef>,
    /// From the function's body inwards; see [`super::address`].
    pub scopes: Vec<Scope>,
    /// One more than the scope a machine value is defined in; 0 where not known.
    pub depth: SecondaryMap<ir::Value, u32>,
    /// Returns its parameter, a status, after cleaning up.
    exit: ir::Block,
    /// Where the results go.
    pub out: Option<ir::Value>,
    /// The head of the list of heap memory to free at the end.
    pub alloca_list: Option<StackSlot>,
    /// Bytes of stack that allocas have taken.
    pub alloca_bytes: u32,
    /// Ops whose results were bound before they are come to.
    pub made: FxHashSet<Op>,
    /// Ops that only decide a branch, and are lowered with it.
    pub put_off: FxHashSet<Op>,
    /// Truth values that are known on the way that is lowered.
    pub assumed: Vec<(Value, bool)>,
    /// Whether this is the body of a parallel loop, in which others run in sequence.
    pub in_parallel: bool,
    /// Whether this is a part of a function of the program, in which no others are made.
    pub is_part: bool,
    /// Bytes of the longest registers for vectors.
    pub register: u32,
}

/// Lower one function: `body` gets its parameters and must end with a terminator.
/// Errors go to the state; a function with errors is not defined.
pub(super) fn define(
    ctx: &Context,
    s: &mut State,
    id: FuncId,
    (name, at): (&str, Op),
    sig: Signature,
    body: impl FnOnce(&mut Lower, Vec<ir::Value>) -> R,
) {
    let Some(mut cc) = build(ctx, s, id, at, sig, Lanes::BYTES, body) else {
        return;
    };
    if s.options.listing {
        let text = cc.func.display().to_string();
        s.clif.push_str(&format!("; @{name}\n{text}\n"));
    }
    if let Err(e) = s.define_function(id, &mut cc) {
        let m = format!("'{}' op does not compile: {e:?}", at.name(ctx));
        s.errors.push((at.loc(ctx), m));
        return;
    }
    if s.options.listing
        && let Some(text) = cc.compiled_code().and_then(|c| c.vcode.as_ref())
    {
        s.asm.push_str(&format!("; @{name}\n{text}\n"));
    }
}

/// Lower one function to Cranelift's IR, with vectors in registers of up to so many bytes; nothing
/// where there are errors.
pub(super) fn build(
    ctx: &Context,
    s: &mut State,
    id: FuncId,
    at: Op,
    sig: Signature,
    register: u32,
    body: impl FnOnce(&mut Lower, Vec<ir::Value>) -> R,
) -> Option<cranelift_codegen::Context> {
    let mut cc = s.code.make_context();
    cc.func.signature = sig;
    cc.func.name = UserFuncName::user(0, id.as_u32());
    cc.set_disasm(s.options.listing);
    let config = s.code.target_config();
    let mut fctx = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut cc.func, &mut fctx);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params = b.block_params(entry).to_vec();
    let exit = b.create_block();
    b.append_block_param(exit, types::I32);
    let mut l = Lower {
        ctx,
        s,
        b,
        vals: FxHashMap::default(),
        refs: FxHashMap::default(),
        scopes: vec![Scope::root()],
        depth: SecondaryMap::new(),
        exit,
        out: None,
        alloca_list: None,
        alloca_bytes: 0,
        made: FxHashSet::default(),
        put_off: FxHashSet::default(),
        assumed: Vec::new(),
        in_parallel: false,
        is_part: false,
        register,
    };
    for p in &params {
        l.depth[*p] = 1;
    }
    if let Err(m) = body(&mut l, params) {
        l.report(at, m);
    }
    if !l.s.errors.is_empty() {
        return None;
    }
    l.finish_exit();
    let Lower { mut b, .. } = l;
    b.seal_all_blocks();
    b.finalize(config);
    Some(cc)
}

impl<'m, 'f> Lower<'m, 'f> {
    // ---- values ----

    pub fn repr(&self, ty: Type) -> R<Repr> {
        Ok(match Repr::of(self.ctx, ty)? {
            Repr::Vector(lanes) => Repr::Vector(lanes.within(self.register)),
            other => other,
        })
    }

    pub fn repr_of(&self, v: Value) -> R<Repr> {
        self.repr(v.ty(self.ctx))
    }

    /// The number type of `v`.
    pub fn scalar_of(&self, v: Value) -> R<Scalar> {
        super::abi::scalar(self.ctx, v.ty(self.ctx))
    }

    pub fn mem_ty(&self, v: Value) -> R<MemTy> {
        match self.repr_of(v)? {
            Repr::Mem(m) => Ok(m),
            _ => Err(format!(
                "needs a ranked memref, found '{}'",
                self.ctx.type_text(v.ty(self.ctx))
            )),
        }
    }

    pub fn val(&self, v: Value) -> R<Val> {
        self.vals
            .get(&v)
            .cloned()
            .ok_or_else(|| "uses a value that is not defined on every way here".to_string())
    }

    pub fn is_bound(&self, v: Value) -> bool {
        self.vals.contains_key(&v)
    }

    /// The machine value of a number.
    pub fn one(&self, v: Value) -> R<ir::Value> {
        match self.val(v)? {
            Val::One(x) => Ok(x),
            _ => Err("needs a number where a memref, vector or token stands".into()),
        }
    }

    /// The registers of a vector.
    pub fn many(&self, v: Value) -> R<Rc<[ir::Value]>> {
        match self.val(v)? {
            Val::Many(all) => Ok(all),
            _ => Err("needs a vector where something else stands".into()),
        }
    }

    /// The descriptor of a memref.
    pub fn mem(&self, v: Value) -> R<Rc<Desc>> {
        if terrace_dialects::rows::distances(self.ctx, v.ty(self.ctx)).is_some() {
            return Err("is of an array with tables of rows; --lower-rows goes to its rows".into());
        }
        match self.val(v)? {
            Val::Mem(d) => Ok(d),
            _ => Err("needs a memref where a number stands".into()),
        }
    }

    pub fn bind(&mut self, v: Value, val: Val) {
        let d = self.scopes.len() as u32;
        let mut mark = |x: ir::Value| {
            if self.depth[x] == 0 {
                self.depth[x] = d;
            }
        };
        match &val {
            Val::One(x) => mark(*x),
            Val::Many(all) => all.iter().for_each(|x| mark(*x)),
            Val::Mem(m) => {
                mark(m.ptr);
                for p in std::iter::once(&m.offset).chain(&m.sizes).chain(&m.strides) {
                    if let Part::Val(x) = p {
                        mark(*x);
                    }
                }
            }
        }
        self.vals.insert(v, val);
    }

    pub fn bind_one(&mut self, op: Op, x: ir::Value) {
        self.bind(op.result(self.ctx, 0), Val::One(x));
    }

    /// Bind the result of `op` to the registers of a vector.
    pub fn bind_many(&mut self, op: Op, all: Vec<ir::Value>) {
        self.bind(op.result(self.ctx, 0), Val::Many(all.into()));
    }

    /// Bind a memref result, with all that its type fixes as constants.
    pub fn bind_mem(&mut self, v: Value, d: Desc) -> R {
        let ty = self.mem_ty(v)?;
        self.bind(v, Val::Mem(Rc::new(d.conform(&ty))));
        Ok(())
    }

    /// The machine values of `v`.
    pub fn flat(&mut self, v: Value) -> R<Vec<ir::Value>> {
        let (repr, val) = (self.repr_of(v)?, self.val(v)?);
        Ok(flatten(&repr, &val, |c| self.b.ins().iconst(types::I64, c)))
    }

    pub fn flat_all(&mut self, vs: &[Value]) -> R<Vec<ir::Value>> {
        let mut out = Vec::new();
        for v in vs {
            out.extend(self.flat(*v)?);
        }
        Ok(out)
    }

    /// The machine types of all of `vs`.
    pub fn flat_types(&self, vs: &[Value]) -> R<Vec<ir::Type>> {
        let mut out = Vec::new();
        for v in vs {
            out.extend(self.repr_of(*v)?.parts());
        }
        Ok(out)
    }

    /// Bind `vs` to machine values as [`Self::flat_all`] gives them.
    pub fn bind_flat(&mut self, vs: &[Value], parts: &[ir::Value]) -> R {
        let mut it = parts.iter().copied();
        for v in vs {
            let repr = self.repr_of(*v)?;
            let val = unflatten(&repr, &mut it).ok_or("has too few machine values")?;
            self.bind(*v, val);
        }
        Ok(())
    }

    // ---- constants ----

    /// An integer constant, wrapped to the width of `ty`.
    pub fn iconst(&mut self, ty: ir::Type, v: i64) -> ir::Value {
        if ty == types::I128 {
            let lo = self.b.ins().iconst(types::I64, v);
            let hi = self.b.ins().iconst(types::I64, v >> 63);
            return self.b.ins().iconcat(lo, hi);
        }
        let v = match ty.bits() {
            64 => v,
            n => v & ((1 << n) - 1),
        };
        self.b.ins().iconst(ty, v)
    }

    pub fn i64(&mut self, v: i64) -> ir::Value {
        self.iconst(types::I64, v)
    }

    pub fn part(&mut self, p: Part) -> ir::Value {
        match p {
            Part::Const(c) => self.i64(c),
            Part::Val(v) => v,
        }
    }

    /// A zero of a machine type.
    pub fn zero(&mut self, ty: ir::Type) -> ir::Value {
        match ty {
            types::F32 => self.b.ins().f32const(0.0),
            types::F64 => self.b.ins().f64const(0.0),
            t if t.is_vector() => {
                let lane = self.zero(t.lane_type());
                self.b.ins().splat(t, lane)
            }
            t => self.iconst(t, 0),
        }
    }

    // ---- calls, traps ----

    /// Call a function of the host by its symbol.
    pub fn helper(
        &mut self,
        name: &str,
        args: &[ir::Value],
        result: Option<ir::Type>,
    ) -> R<Option<ir::Value>> {
        if !self.s.symbols.contains(name) {
            return Err(format!("needs the callback '{name}', which was not given"));
        }
        let mut sig = self.s.code.make_signature();
        for a in args {
            sig.params
                .push(AbiParam::new(self.b.func.dfg.value_type(*a)));
        }
        sig.returns.extend(result.map(AbiParam::new));
        let id = self
            .s
            .code
            .declare_function(name, Linkage::Import, &sig)
            .map_err(|e| format!("cannot call '{name}': {e}"))?;
        let f = self.func_ref(id);
        let call = self.b.ins().call(f, args);
        Ok(self.b.inst_results(call).first().copied())
    }

    /// [`Self::helper`] of a function that has a result.
    pub fn helper1(&mut self, name: &str, args: &[ir::Value], result: ir::Type) -> R<ir::Value> {
        self.helper(name, args, Some(result))?
            .ok_or_else(|| format!("'{name}' has no result"))
    }

    pub fn func_ref(&mut self, id: FuncId) -> FuncRef {
        if let Some(r) = self.refs.get(&id) {
            return *r;
        }
        let r = self.s.code.declare_func_in_func(id, self.b.func);
        self.refs.insert(id, r);
        r
    }

    /// Leave the function with `status` unless that is 0.
    pub fn check_status(&mut self, status: ir::Value) {
        let next = self.b.create_block();
        let exit = self.exit;
        self.b.ins().brif(status, exit, &[status.into()], next, &[]);
        self.b.switch_to_block(next);
    }

    /// Leave the function with an error at `op` where `cond` holds.
    pub fn trap_if(&mut self, cond: ir::Value, trap: Trap, op: Op) -> R {
        let site = self.s.sites.id(self.ctx, op)?;
        let (cold, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(cold);
        self.b.ins().brif(cond, cold, &[], next, &[]);
        self.b.switch_to_block(cold);
        let status = self.iconst(types::I32, i64::from(trap::status(trap, site)));
        let exit = self.exit;
        self.b.ins().jump(exit, &[status.into()]);
        self.b.switch_to_block(next);
        Ok(())
    }

    /// The number by which callbacks know `op`.
    pub fn op_id(&mut self, op: Op) -> R<ir::Value> {
        let id = self.s.sites.id(self.ctx, op)?;
        Ok(self.iconst(types::I32, i64::from(id)))
    }

    /// End the function well.
    pub fn ret(&mut self) {
        let ok = self.iconst(types::I32, 0);
        let exit = self.exit;
        self.b.ins().jump(exit, &[ok.into()]);
    }

    /// End the function with a status.
    pub fn leave(&mut self, status: ir::Value) {
        let exit = self.exit;
        self.b.ins().jump(exit, &[status.into()]);
    }

    pub fn slot(&mut self, bytes: u32, align_log2: u8) -> StackSlot {
        self.b.create_sized_stack_slot(StackSlotData::new(
            StackSlotKind::ExplicitSlot,
            bytes,
            align_log2,
        ))
    }

    pub fn slot_addr(&mut self, slot: StackSlot) -> ir::Value {
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    /// The address of the list of heap memory that is freed when the function ends.
    pub fn alloca_head(&mut self) -> ir::Value {
        let slot = match self.alloca_list {
            Some(s) => s,
            None => {
                let s = self.slot(8, 3);
                self.alloca_list = Some(s);
                if let Some(entry) = self.b.func.layout.entry_block() {
                    let mut c = FuncCursor::new(self.b.func).at_first_insertion_point(entry);
                    let zero = c.ins().iconst(types::I64, 0);
                    let addr = c.ins().stack_addr(types::I64, s, 0);
                    c.ins().store(MemFlagsData::trusted(), zero, addr, 0);
                }
                s
            }
        };
        self.slot_addr(slot)
    }

    /// Fill the block through which the function is left.
    fn finish_exit(&mut self) {
        let exit = self.exit;
        self.b.switch_to_block(exit);
        if let Some(slot) = self.alloca_list {
            let head = self.slot_addr(slot);
            let all = self.i64(0);
            // The symbol is one of ours; it is always there.
            let _ = self.helper("terrace_alloca_release", &[head, all], None);
        }
        let status = self.b.block_params(exit)[0];
        self.b.ins().return_(&[status]);
    }

    // ---- ops ----

    /// Record that `op` cannot be lowered.
    pub fn report(&mut self, op: Op, message: String) {
        let m = format!("'{}' op {message}", op.name(self.ctx));
        self.s.errors.push((op.loc(self.ctx), m));
    }

    /// Lower all ops of a block but its last, which is returned.
    pub fn block_body(&mut self, block: Block) -> R<Op> {
        let mut next = block.first_op(self.ctx);
        while let Some(op) = next {
            next = op.next(self.ctx);
            if next.is_none() {
                return Ok(op);
            }
            self.op(op);
        }
        Err("has an empty block, which needs a terminator".into())
    }

    /// Lower an op that is not a terminator.
    pub fn op(&mut self, op: Op) {
        if self.made.contains(&op) || self.put_off.contains(&op) {
            return;
        }
        if let Err(m) = self.dispatch(op) {
            self.report(op, m);
            for r in op.results(self.ctx) {
                if let Ok(repr) = self.repr_of(r) {
                    let parts: Vec<_> = repr.parts().into_iter().map(|t| self.zero(t)).collect();
                    let _ = self.bind_flat(&[r], &parts);
                }
            }
        }
    }

    fn dispatch(&mut self, op: Op) -> R {
        let ctx = self.ctx;
        let name = op.name(ctx);
        let (dialect, rest) = name.split_once('.').unwrap_or(("", name));
        match (dialect, rest) {
            ("vector" | "arith" | "math", _) if vector::has_vectors(ctx, op) => {
                vector::lower(self, op, dialect, rest)
            }
            ("arith", "constant") => constant::lower(self, op),
            ("arith", "cmpi" | "cmpf" | "select") => compare::lower(self, op, rest),
            ("arith", r) if cast::is_cast(r) => cast::lower(self, op, rest),
            ("arith", r) if float::is_float_op(r) => float::lower(self, op, rest),
            ("arith", _) => arith::lower(self, op, rest),
            ("math", _) => math::lower(self, op, rest),
            ("func", _) => func::lower(self, op, rest),
            ("scf", "parallel") => parallel::lower(self, op),
            ("scf", _) => scf::lower(self, op, rest),
            ("cf", _) => cf::lower(self, op, rest),
            ("memref", r) if view::is_view(r) => view::lower(self, op, rest),
            ("memref", _) => memref::lower(self, op, rest),
            ("rows", "row") => rows::lower(self, op),
            ("xfer", r) if data::is_data_op(r) => data::lower(self, op, rest),
            ("gpu" | "xfer", _) => gpu::lower(self, op, rest),
            ("builtin", "unrealized_conversion_cast") => cast::unrealized(self, op),
            _ => Err(super::check::advice(name)),
        }
    }
}
