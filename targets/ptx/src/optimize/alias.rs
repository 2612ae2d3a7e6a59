//! Which accesses of a function cannot touch the same byte.
//!
//! Two accesses are apart if
//! - they are in different state spaces,
//! - one is through a pointer to one object and the other is not: a sized
//!   variable against any other object, a `noalias` parameter against
//!   whatever is not derived from it,
//! - their addresses differ by a constant at least as large as the access, or
//!   by a constant modulo the strides of everything else.
//!
//! What a register points to is found by a fixed point over all values of the
//! function: a sum of a pointer and numbers points to what the pointer does.

use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{AtomOp, Half, Sem, Space};
use crate::module::Func;
use crate::op::Op;
use crate::operand::{Base, Operand, Sym};
use crate::polynomial::{Polynomial, Polynomials};
use crate::types::RegTy;
use crate::values::{Source, Value, Values};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What an address is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// No value of the function leads here yet; only in the fixed point.
    Unset,
    /// No parameter known to be a pointer, and no variable: a number, or an
    /// address that came as a number.
    Number,
    /// One parameter or variable, and numbers.
    Object(Sym),
    /// Anything.
    Unknown,
}

impl Root {
    fn join(self, other: Root) -> Root {
        match (self, other) {
            (Root::Unset, x) | (x, Root::Unset) => x,
            (a, b) if a == b => a,
            _ => Root::Unknown,
        }
    }

    /// Of a sum.
    fn plus(self, other: Root) -> Root {
        match (self, other) {
            (Root::Unset, _) | (_, Root::Unset) => Root::Unset,
            (Root::Number, x) | (x, Root::Number) => x,
            _ => Root::Unknown,
        }
    }

    /// Of something computed in a way that is not followed.
    fn mixed(self, other: Root) -> Root {
        match (self, other) {
            (Root::Unset, _) | (_, Root::Unset) => Root::Unset,
            (Root::Number, Root::Number) => Root::Number,
            _ => Root::Unknown,
        }
    }
}

/// An access of memory by an instruction, which may make several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    pub space: Space,
    pub root: Root,
    /// Of the address, the offset included, where it is understood.
    pub address: Option<Polynomial>,
    /// Bits of the address register.
    pub width: u32,
    /// Bytes moved; 0 for a prefetch.
    pub bytes: u32,
    pub reads: bool,
    pub writes: bool,
    /// Other accesses must not be moved across it: volatile, acquire, release.
    pub ordered: bool,
}

/// The accesses of a function.
#[derive(Clone, Debug)]
pub struct Aliases {
    accesses: FxHashMap<InstId, SmallVec<[Access; 1]>>,
    noalias: Vec<bool>,
    /// By number of the function's variable: whether its size is known.
    sized: Vec<bool>,
    /// Blocks in which values are made, by value.
    blocks: Vec<u32>,
    roots: Vec<Root>,
}

impl Aliases {
    /// Finds them.
    pub fn new(func: &Func) -> Aliases {
        let cfg = Cfg::new(func);
        let defs = Defs::new(func);
        let values = Values::new(func, &cfg, &defs);
        let forms = Polynomials::new(func, &cfg, &values, &crate::polynomial::never_exact);
        Aliases::with(func, &cfg, &values, &forms)
    }

    /// Finds them from analyses that exist already.
    pub fn with(func: &Func, cfg: &Cfg, values: &Values, forms: &Polynomials) -> Aliases {
        let roots = roots(func, cfg, values);
        let mut accesses = FxHashMap::default();
        for &b in &cfg.rpo {
            let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
                continue;
            };
            for &id in &body.insts {
                let Some(inst) = func.insts.get(id) else {
                    continue;
                };
                let all = accesses_of(func, values, forms, &roots, id, inst);
                if !all.is_empty() {
                    accesses.insert(id, all);
                }
            }
        }
        Aliases {
            accesses,
            noalias: (func.params.iter())
                .map(|p| p.noalias && p.pointee.is_some())
                .collect(),
            sized: func.vars.iter().map(|v| v.len.is_some()).collect(),
            blocks: (values.iter())
                .map(|v| values.block_of(v).unwrap_or(0))
                .collect(),
            roots,
        }
    }

    /// The access of an instruction that makes exactly one, in code that the
    /// entry reaches.
    pub fn access(&self, inst: InstId) -> Option<&Access> {
        match self.accesses(inst) {
            [one] => Some(one),
            _ => None,
        }
    }

    /// All accesses of an instruction.
    pub fn accesses(&self, inst: InstId) -> &[Access] {
        self.accesses.get(&inst).map_or(&[], |list| list)
    }

    /// Whether an instruction may write to memory that others see.
    pub fn writes(&self, inst: InstId) -> bool {
        self.accesses(inst).iter().any(|a| a.writes)
    }

    /// Whether an instruction may read memory.
    pub fn reads(&self, inst: InstId) -> bool {
        self.accesses(inst).iter().any(|a| a.reads)
    }

    /// Whether a value is an address in some object.
    pub fn is_object(&self, value: Value) -> bool {
        matches!(self.roots.get(value.index()), Some(Root::Object(_)))
    }

    /// Every access.
    pub fn iter(&self) -> impl Iterator<Item = (InstId, &Access)> {
        (self.accesses.iter()).flat_map(|(id, list)| list.iter().map(|a| (*id, a)))
    }

    /// Whether two accesses may touch the same byte, where none of the values
    /// that their addresses are made of is made anew in between: both in one
    /// pass through a block, or one on a way from the other that does not go
    /// round a loop.
    ///
    /// True for instructions that are no accesses.
    pub fn may_overlap(&self, a: InstId, b: InstId) -> bool {
        self.overlap(a, b, |_| true)
    }

    /// Whether two accesses may touch the same byte in whatever passes of the
    /// loops around them. `is_fixed` says of the position of a block whether
    /// values made there are the same all along: for a loop, whether the block
    /// is outside; for the function as a whole, never.
    pub fn may_ever_overlap(&self, a: InstId, b: InstId, is_fixed: impl Fn(u32) -> bool) -> bool {
        self.overlap(a, b, |value| {
            let block = self.blocks.get(value.index());
            block.is_some_and(|block| is_fixed(*block))
        })
    }

    fn overlap(&self, a: InstId, b: InstId, same: impl Fn(Value) -> bool) -> bool {
        let (a, b) = (self.accesses(a), self.accesses(b));
        if a.is_empty() || b.is_empty() {
            return true;
        }
        a.iter().any(|a| b.iter().any(|b| self.touch(a, b, &same)))
    }

    fn touch(&self, a: &Access, b: &Access, same: impl Fn(Value) -> bool) -> bool {
        if a.bytes == 0 || b.bytes == 0 || self.objects_apart(a, b) {
            return false;
        }
        match (&a.address, &b.address) {
            (Some(x), Some(y)) => !apart(x, a.bytes, y, b.bytes, a.width.min(b.width), same),
            _ => true,
        }
    }

    /// Whether what two accesses point to is never the same memory.
    fn objects_apart(&self, a: &Access, b: &Access) -> bool {
        if a.space != b.space && a.space != Space::Generic && b.space != Space::Generic {
            return true;
        }
        self.owns(a.root, b.root) || self.owns(b.root, a.root)
    }

    /// Whether what is derived from one root is reached from no other.
    fn owns(&self, root: Root, other: Root) -> bool {
        let Root::Object(sym) = root else {
            return false;
        };
        if root == other || matches!(other, Root::Unknown | Root::Unset) {
            return false;
        }
        match sym {
            Sym::Param(i) => self.noalias.get(i as usize) == Some(&true),
            // Nobody outside knows where the function's variables are.
            Sym::Local(i) => self.sized.get(i as usize) == Some(&true),
            Sym::Global(_) => matches!(other, Root::Object(Sym::Global(_) | Sym::Local(_))),
        }
    }

    /// Whether all that may write to what a root owns goes through it: of a
    /// load through a `noalias` parameter, whether no write of the function
    /// can concern it.
    pub fn is_never_written(&self, load: InstId) -> bool {
        let Some(access) = self.access(load) else {
            return false;
        };
        let Root::Object(Sym::Param(i)) = access.root else {
            return false;
        };
        self.noalias.get(i as usize) == Some(&true)
            && (self.accesses.values().flatten())
                .filter(|other| other.writes)
                .all(|other| self.objects_apart(access, other))
    }
}

/// Whether an instruction orders memory accesses, so that none may be moved
/// across it: barriers, fences, calls, ordered accesses, atomics that answer,
/// the ends of asynchronous copies.
pub fn is_fence(inst: &Inst) -> bool {
    match inst.op {
        op if op.is_block_barrier_of_any_kind() => true,
        Op::BarWarpSync | Op::Membar | Op::Fence | Op::Call => true,
        Op::CpAsyncCommit | Op::CpAsyncWait | Op::CpAsyncWaitAll => true,
        // What it answers may tell what others have written.
        Op::Atom => true,
        Op::Ld | Op::St | Op::Red => {
            !matches!(inst.mods.sem, Sem::Default | Sem::Weak | Sem::Relaxed)
        }
        _ => false,
    }
}

fn accesses_of(
    func: &Func,
    values: &Values,
    forms: &Polynomials,
    roots: &[Root],
    id: InstId,
    inst: &Inst,
) -> SmallVec<[Access; 1]> {
    let all = inst.addresses().map(|(at, address, space)| {
        let (root, width) = match address.base {
            Base::Reg(reg) => {
                let value = values.found(id, reg);
                let root = value.and_then(|v| roots.get(v.index()).copied());
                let width = func.reg_ty(reg).map_or(64, RegTy::bits);
                (root.unwrap_or(Root::Unknown), width)
            }
            Base::Sym(sym) => (Root::Object(sym), 64),
        };
        let known = Access {
            space,
            root,
            address: forms.of_address(values, id, address),
            width,
            bytes: inst.access_bytes(),
            reads: true,
            writes: true,
            ordered: is_fence(inst),
        };
        match inst.op {
            Op::Ld => Access {
                writes: false,
                ..known
            },
            Op::St => Access {
                reads: false,
                ..known
            },
            Op::Atom | Op::Red => known,
            Op::Prefetch => Access {
                reads: false,
                writes: false,
                ..known
            },
            // The copy runs on until it is waited for.
            Op::CpAsync => Access {
                reads: at != 0,
                writes: at == 0,
                bytes: 16,
                ..known
            },
            // The threads of the warp access what the addresses of others say.
            Op::Ldmatrix | Op::Stmatrix => Access {
                root: Root::Unknown,
                address: None,
                reads: inst.op == Op::Ldmatrix,
                writes: inst.op == Op::Stmatrix,
                ..known
            },
            _ => Access {
                space: Space::Generic,
                root: Root::Unknown,
                address: None,
                bytes: u32::MAX,
                ordered: true,
                ..known
            },
        }
    });
    all.collect()
}

/// Whether accesses at two addresses touch different bytes. `same` says of a
/// value whether both addresses mean the same by it.
fn apart(
    a: &Polynomial,
    a_bytes: u32,
    b: &Polynomial,
    b_bytes: u32,
    width: u32,
    same: impl Fn(Value) -> bool,
) -> bool {
    if a.sym != b.sym {
        return false;
    }
    let fixed = |p: &Polynomial| p.values().all(&same);
    if fixed(a)
        && fixed(b)
        && let Some(distance) = b.minus(a)
    {
        // `b` stands `distance` after `a`, modulo the address space.
        let distance = match width {
            32 => i64::from(distance as i32),
            _ => distance,
        };
        return distance >= i64::from(a_bytes) || distance <= -i64::from(b_bytes);
    }
    // What both have in common goes; the rest are multiples of a power of two.
    let mut modulus = 1u64 << 32;
    let mut of = |x: &Polynomial, y: &Polynomial| {
        for term in &x.terms {
            let common = y.terms.contains(term) && term.0.iter().all(|atom| same(atom.value));
            if !common {
                modulus = modulus.min(1 << term.1.trailing_zeros().min(32));
            }
        }
    };
    of(a, b);
    of(b, a);
    let distance = b.constant.wrapping_sub(a.constant) as u64 & (modulus - 1);
    let (a_bytes, b_bytes) = (u64::from(a_bytes), u64::from(b_bytes));
    distance >= a_bytes && distance + b_bytes <= modulus
}

/// What every value is derived from.
fn roots(func: &Func, cfg: &Cfg, values: &Values) -> Vec<Root> {
    let mut roots = vec![Root::Unset; values.len()];
    for value in values.iter() {
        // Arguments of a device function may be anything; what is not set is
        // not used in code that is right.
        if values.source(value) == Some(Source::Entry) {
            let is_arg = values.reg(value).is_some_and(|r| func.args.contains(&r));
            if is_arg {
                roots[value.index()] = Root::Unknown;
            }
        }
    }
    // Merges at the blocks where they are, so that what goes forward arrives in
    // one round however many there are in a row.
    let mut merges: Vec<SmallVec<[Value; 2]>> = vec![SmallVec::new(); cfg.len()];
    for value in values.iter() {
        if let Some(Source::Merge(b)) = values.source(value)
            && let Some(list) = merges.get_mut(b as usize)
        {
            list.push(value);
        }
    }
    // Whether an address may have been stored, to be loaded again.
    let mut escaped = func.args.iter().any(|_| true);
    loop {
        let mut changed = false;
        for &b in &cfg.rpo {
            for &value in &merges[b as usize] {
                let inputs = values.inputs(value).iter();
                let new = inputs.fold(roots[value.index()], |r, (_, v)| r.join(roots[v.index()]));
                changed |= std::mem::replace(&mut roots[value.index()], new) != new;
            }
            let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
                continue;
            };
            for &id in &body.insts {
                let Some(inst) = func.insts.get(id) else {
                    continue;
                };
                if !escaped && escapes(values, &roots, id, inst) {
                    escaped = true;
                    changed = true;
                }
                let result = result(func, values, &roots, escaped, id, inst);
                let guarded = inst.guard.is_some();
                inst.for_each_def(|reg| {
                    let Some(value) = values.written(id, reg) else {
                        return;
                    };
                    let before = values.found(id, reg).filter(|v| guarded && *v != value);
                    let before = before.map_or(Root::Unset, |v| roots[v.index()]);
                    let new = roots[value.index()].join(result).join(before);
                    changed |= std::mem::replace(&mut roots[value.index()], new) != new;
                });
            }
        }
        // Each value goes up at most three steps.
        if !changed {
            return roots;
        }
    }
}

fn of_reg(values: &Values, roots: &[Root], id: InstId, reg: Reg) -> Root {
    let value = values.found(id, reg);
    value.map_or(Root::Unknown, |v| roots[v.index()])
}

/// Whether an instruction puts an address where a load may find it.
fn escapes(values: &Values, roots: &[Root], id: InstId, inst: &Inst) -> bool {
    if !matches!(
        inst.op,
        Op::St | Op::Atom | Op::Red | Op::Call | Op::Stmatrix
    ) {
        return false;
    }
    let mut any = false;
    for operand in &inst.operands {
        if !matches!(operand, Operand::Addr(_)) {
            operand.for_each_reg(|reg| {
                let root = match inst.op {
                    // Results of atomics and calls stand among the operands.
                    _ if inst.op.has_dest() && inst.operands.first() == Some(operand) => {
                        Root::Number
                    }
                    _ => of_reg(values, roots, id, reg),
                };
                any |= matches!(root, Root::Object(_) | Root::Unknown);
            });
        }
    }
    any
}

/// What the result of an instruction is derived from.
fn result(
    func: &Func,
    values: &Values,
    roots: &[Root],
    escaped: bool,
    id: InstId,
    inst: &Inst,
) -> Root {
    let of = |at: usize| match inst.operands.get(at) {
        Some(Operand::Reg(reg)) => of_reg(values, roots, id, *reg),
        Some(Operand::Sym(sym)) => Root::Object(*sym),
        Some(Operand::Imm(_) | Operand::F32(_) | Operand::F64(_) | Operand::Special(_)) => {
            Root::Number
        }
        _ => Root::Unknown,
    };
    let loaded = if escaped { Root::Unknown } else { Root::Number };
    match inst.op {
        Op::Mov if matches!(inst.operands.first(), Some(Operand::Reg(_))) => {
            match inst.operands.get(1) {
                Some(Operand::Vec(_)) => rest(values, roots, id, inst),
                _ => of(1),
            }
        }
        Op::Cvta => of(1),
        Op::Cvt if inst.tys[0].is_int() && inst.tys[1].is_int() => of(1),
        Op::Add | Op::Sub if !inst.ty().is_float() => match (inst.op, of(2)) {
            (Op::Sub, Root::Object(_)) => of(1).mixed(of(2)),
            (_, second) => of(1).plus(second),
        },
        Op::Mad if inst.mods.half != Half::Hi => of(1).mixed(of(2)).plus(of(3)),
        Op::Selp => match (of(1), of(2)) {
            (Root::Unset, _) | (_, Root::Unset) => Root::Unset,
            (a, b) => a.join(b),
        },
        Op::Setp | Op::Testp | Op::Vote | Op::Activemask => Root::Number,
        Op::Shfl => of(1),
        Op::Ld if inst.mods.space == Space::Param => match inst.address() {
            Some(a) => match a.base {
                Base::Sym(Sym::Param(i)) => {
                    let param = func.params.get(i as usize);
                    let pointer = param.is_some_and(|p| p.pointee.is_some());
                    match pointer {
                        true if a.offset == 0 && inst.ty().bits() == 64 => {
                            Root::Object(Sym::Param(i))
                        }
                        true => Root::Unknown,
                        false => Root::Number,
                    }
                }
                _ => Root::Unknown,
            },
            None => Root::Unknown,
        },
        // Constant memory is laid down before the launch; what it or other
        // memory holds that is an address of something here was stored here.
        Op::Ld | Op::Ldmatrix => loaded,
        Op::Atom if inst.mods.atom != AtomOp::Default => loaded,
        Op::Call | Op::Atom => Root::Unknown,
        _ => rest(values, roots, id, inst),
    }
}

/// Of all registers read together.
fn rest(values: &Values, roots: &[Root], id: InstId, inst: &Inst) -> Root {
    let mut root = Root::Number;
    for operand in inst.sources() {
        match operand {
            Operand::Sym(sym) => root = root.mixed(Root::Object(*sym)),
            Operand::Not(_) => {}
            other => other.for_each_reg(|reg| root = root.mixed(of_reg(values, roots, id, reg))),
        }
    }
    root
}

#[cfg(test)]
mod tests;
