//! One function: its state, and which file lowers which op.

use super::kinds::Kind;
use super::unit::Unit;
use super::value::{Idx, MemRef, Val};
use crate::ptx;
use crate::ptx::{BlockId, FuncBuilder, FuncId, Reg, RegTy, Sym, Ty, Var, module};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use terrace_ir::{Block, Context, Loc, Op, Value};

/// Nesting of regions after which lowering refuses to go deeper. Programs
/// nest tens of levels; the stack holds more than this.
const MAX_NESTING: usize = 100;

/// What can go wrong with one op, in words.
pub(super) type Res<T> = Result<T, String>;

/// Where a region that is left by an op (not by falling off its end) puts its
/// results and continues.
pub(super) struct Exit {
    pub results: Vec<Val>,
    pub to: BlockId,
}

/// The state of lowering one function.
pub(super) struct Lower<'a> {
    pub ctx: &'a Context,
    pub unit: &'a mut Unit,
    pub b: FuncBuilder<'a>,
    pub func: super::abi::Signature,
    pub values: FxHashMap<Value, Val>,
    /// Blocks of control-flow graphs, with the registers of their arguments.
    pub blocks: FxHashMap<Block, (BlockId, Vec<Val>)>,
    /// Registers that hold constants.
    pub known: FxHashMap<Reg, i64>,
    /// Powers of two that divide what indices' registers hold.
    pub divisors: FxHashMap<Reg, u64>,
    /// Which part of which wider register a register was split from.
    pub parts: FxHashMap<Reg, (Reg, usize)>,
    /// The parameters of the kernel that registers hold as addresses.
    pub pointers: FxHashMap<Reg, Sym>,
    /// The fast-math flags of the op at hand.
    pub flags: i64,
    /// What index arithmetic in 32 bits rests on.
    pub indices: super::Indices,
    pub exits: Vec<Exit>,
    pub calls: FxHashSet<FuncId>,
    pub depth: usize,
}

impl Lower<'_> {
    /// Lowers the ops of a block up to its terminator, which is returned.
    pub fn block_body(&mut self, block: Block) -> Option<Op> {
        let last = block.terminator(self.ctx);
        for op in block.ops(self.ctx) {
            if Some(op) != last {
                self.op(op);
            }
        }
        last
    }

    /// Lowers one op. What goes wrong is recorded; the op's results then get
    /// registers without values, so that the rest can be looked at too.
    pub fn op(&mut self, op: Op) {
        let outer = self.b_loc(op.loc(self.ctx));
        self.depth += 1;
        let done = if self.depth > MAX_NESTING {
            Err(format!(
                "is nested too deeply; {MAX_NESTING} levels of regions are supported"
            ))
        } else {
            self.dispatch(op)
        };
        self.depth -= 1;
        if let Err(message) = done {
            self.fail(op, &message);
        }
        self.b.set_loc(outer);
    }

    /// Records an error at an op.
    pub fn fail(&mut self, op: Op, message: &str) {
        let text = format!("'{}' op {message}", op.name(self.ctx));
        self.unit.errors.push((op.loc(self.ctx), text));
        for r in op.results(self.ctx) {
            if self.values.contains_key(&r) {
                continue;
            }
            if let Ok(v) = self.fresh(r.ty(self.ctx)) {
                self.values.insert(r, v);
            }
        }
    }

    pub(super) fn b_loc(&mut self, loc: Loc) -> ptx::Loc {
        let old = self.unit.current;
        self.unit.current = self.unit.machine_loc(self.ctx, loc);
        self.b.set_loc(self.unit.current);
        old
    }

    fn dispatch(&mut self, op: Op) -> Res<()> {
        let name = op.name(self.ctx).to_string();
        let (dialect, rest) = name.split_once('.').unwrap_or((&name, ""));
        match dialect {
            "arith" | "math" => match rest {
                "constant" => self.constant(op),
                "select" => self.select_op(op),
                _ => self.elementwise(op, &name),
            },
            "scf" => self.scf(op, rest),
            "cf" => self.cf(op, rest),
            "func" => self.func_op(op, rest),
            "gpu" => self.gpu(op, rest),
            "nvgpu" => self.nvgpu(op, rest),
            "memref" => self.memref(op, rest),
            "vector" => self.vector(op, rest),
            "builtin" if rest == "unrealized_conversion_cast" && self.is_identity(op) => {
                let v = self.val(op.operand(self.ctx, 0))?;
                self.define(op, v)
            }
            _ => Err(unsupported()),
        }
    }

    fn is_identity(&self, op: Op) -> bool {
        op.num_operands(self.ctx) == 1 && op.operand_types(self.ctx) == op.result_types(self.ctx)
    }

    fn memref(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "load" | "store" | "prefetch" | "copy" => self.access_op(op, name),
            "atomic_rmw" | "generic_atomic_rmw" => self.atomic_op(op, name),
            "get_global" => self.get_global(op),
            "alloca" => self.alloca(op),
            "alloca_scope" => self.left_region(op),
            "alloca_scope.return" => self.leave_region(op),
            _ => self.view_op(op, name),
        }
    }

    /// The registers of a value.
    pub fn val(&self, v: Value) -> Res<Val> {
        // Missing only where the op that defines it failed.
        self.values
            .get(&v)
            .cloned()
            .ok_or_else(|| "uses a value that could not be compiled".to_string())
    }

    /// The register of a scalar.
    pub fn scalar(&self, v: Value) -> Res<Reg> {
        match self.val(v)? {
            Val::Scalar(r) => Ok(r),
            _ => Err("found a vector or memref operand, expected a scalar".to_string()),
        }
    }

    /// The registers of a scalar (one) or vector.
    pub fn lanes(&self, v: Value) -> Res<Rc<[Reg]>> {
        match self.val(v)? {
            Val::Scalar(r) => Ok(Rc::from([r])),
            Val::Vector(rs) => Ok(rs),
            Val::MemRef(_) | Val::Token => {
                Err("found a memref or token operand, expected a scalar or vector".to_string())
            }
        }
    }

    /// The registers of a memref.
    pub fn memref_val(&self, v: Value) -> Res<Rc<MemRef>> {
        match self.val(v)? {
            Val::MemRef(m) => Ok(m),
            _ => Err("found a scalar operand, expected a memref".to_string()),
        }
    }

    /// An index, as a constant where it is one.
    pub fn idx(&mut self, v: Value) -> Res<Idx> {
        let r = self.scalar(v)?;
        if let Some(c) = self.known.get(&r) {
            return Ok(Idx::Const(*c));
        }
        if !self.divisors.contains_key(&r) {
            self.divisors.insert(r, self.divisor_of(v));
        }
        Ok(Idx::Reg(r))
    }

    pub fn idxs(&mut self, vs: &[Value]) -> Res<Vec<Idx>> {
        vs.iter().map(|v| self.idx(*v)).collect()
    }

    /// Gives the op's one result its registers.
    pub fn define(&mut self, op: Op, v: Val) -> Res<()> {
        self.define_all(op, vec![v])
    }

    /// Says that a register holds an index, which has 32 bits if the options
    /// say so.
    pub fn promise(&mut self, r: Reg) {
        let func = self.b.func();
        if self.unit.options.index_bitwidth == 32 && func.reg_ty(r) == Some(RegTy::B64) {
            func.promised.insert(r);
        }
    }

    pub fn define_reg(&mut self, op: Op, r: Reg) -> Res<()> {
        if op.result(self.ctx, 0).ty(self.ctx).is_index(self.ctx) {
            self.promise(r);
        }
        self.define(op, Val::Scalar(r))
    }

    pub fn define_all(&mut self, op: Op, vs: Vec<Val>) -> Res<()> {
        let results = op.results(self.ctx);
        if results.len() != vs.len() {
            return Err(format!(
                "found {} results, expected {}",
                results.len(),
                vs.len()
            ));
        }
        self.values.extend(results.into_iter().zip(vs));
        Ok(())
    }

    /// Gives the op's one result lanes: a scalar or a vector, as its type is.
    pub fn define_lanes(&mut self, op: Op, result: usize, rs: Vec<Reg>) {
        let v = op.result(self.ctx, result);
        if v.ty(self.ctx).is_index(self.ctx) {
            rs.iter().for_each(|r| self.promise(*r));
        }
        let val = match &rs[..] {
            [r] if !v.ty(self.ctx).is_vector(self.ctx) => Val::Scalar(*r),
            _ => Val::Vector(rs.into()),
        };
        self.values.insert(v, val);
    }

    /// Copies registers, all at once: a source that is also a destination is
    /// read before it is written.
    pub fn copy_all(&mut self, pairs: &[(Reg, Reg)]) {
        let written: FxHashSet<Reg> = pairs.iter().filter(|(d, s)| d != s).map(|p| p.0).collect();
        let overlap = pairs.iter().any(|(d, s)| d != s && written.contains(s));
        let mut moves = Vec::with_capacity(pairs.len());
        for &(dest, source) in pairs {
            let Some(ty) = self.b.func().reg_ty(dest) else {
                continue;
            };
            if dest == source {
                continue;
            }
            let source = if overlap {
                self.b.mov(ty.ty(), source)
            } else {
                source
            };
            moves.push((dest, ty, source));
        }
        for (dest, ty, source) in moves {
            self.b.mov_to(dest, ty.ty(), source);
        }
    }

    /// Copies values into the registers of others of the same types.
    pub fn assign(&mut self, to: &[Val], from: &[Value]) -> Res<()> {
        if to.len() != from.len() {
            return Err(format!(
                "hands on {} values, expected {}",
                from.len(),
                to.len()
            ));
        }
        let mut pairs = Vec::new();
        for (t, f) in to.iter().zip(from) {
            let f = self.val(*f)?;
            let sources = self.sources_for(t, &f)?;
            let dests = self.registers(t);
            if sources.len() != dests.len() {
                return Err("hands on a value of another type".to_string());
            }
            pairs.extend(dests.into_iter().zip(sources));
        }
        self.copy_all(&pairs);
        Ok(())
    }

    /// Fresh registers for the results of an op.
    pub fn fresh_results(&mut self, op: Op) -> Res<Vec<Val>> {
        let types = op.result_types(self.ctx);
        types.into_iter().map(|t| self.fresh(t)).collect()
    }

    /// A block that is in no place yet.
    pub fn new_block(&mut self, name: &str) -> BlockId {
        self.b.func().blocks.alloc(module::Block {
            name: Some(name.into()),
            insts: Vec::new(),
        })
    }

    /// Puts a block at the end of the text and appends to it from now on.
    pub fn enter(&mut self, block: BlockId) {
        self.b.func().layout.push(block);
        self.b.switch_to(block);
    }

    /// A variable of this function, under a name that nothing else has.
    pub fn add_var(&mut self, wanted: &str, mut var: Var) -> Reg {
        var.name = self.unit.names.take(wanted);
        let sym = self.b.func().add_var(var);
        self.b.mov(Ty::U64, sym)
    }

    /// The element kind of a scalar or vector value.
    pub fn kind(&self, v: Value) -> Res<Kind> {
        Ok(Kind::of_lanes(self.ctx, v.ty(self.ctx))?.0)
    }
}

/// What is said of an op that no file lowers.
pub(super) fn unsupported() -> String {
    "is not supported in GPU code; gpu, nvgpu, scf, cf, arith, math, memref and vector ops and func.call of functions in the same gpu.module are".to_string()
}
