//! A kernel and the functions that it calls to one run of code.

use super::code::{Act, Code, Guard, Inst, NO_ROW, R, Shuffle, Vote};
use super::memory;
use super::module::{Kernel, Parameter};
use super::{pure, pure_move};
use crate::count::Class;
use crate::finding::Site;
use crate::value::int::low;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use terrace_ptx::form::{self, Form, Kind};
use terrace_ptx::modifiers::{ShflMode, ToSpace, VoteMode};
use terrace_ptx::module::Func;
use terrace_ptx::parse::Parsed;
use terrace_ptx::{
    Base, BlockId, FuncId, Inst as PtxInst, InstId, Op, Operand, Reg, Space, Special, Sym, Ty,
};

/// Where generic addresses of shared memory begin.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000;
/// Where generic addresses of local memory begin.
pub(crate) const LOCAL_WINDOW: u64 = 0x0110_0000_0000;
/// Where generic addresses of parameters begin.
pub(crate) const PARAM_WINDOW: u64 = 0x0120_0000_0000;
/// Bytes of each window.
pub(crate) const WINDOW: u64 = 0x0010_0000_0000;

/// Line, column and message.
type Error = (u32, u32, String);

/// Lowers the kernel `id`. `addresses` are those of the module's variables.
pub(super) fn kernel(
    parsed: &Parsed,
    id: FuncId,
    addresses: &[u64],
    text: &str,
) -> Result<Kernel, Vec<Error>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut lower = Lower {
        parsed,
        addresses,
        lines,
        functions: Vec::new(),
        insts: Vec::new(),
        sites: Vec::new(),
        constants: Vec::new(),
        constant_rows: FxHashMap::default(),
        specials: Vec::new(),
        registers: 0,
        static_shared: 0,
        shared: BTreeMap::new(),
        local: 0,
        locals: BTreeMap::new(),
        params: Vec::new(),
        granule_shift: 2,
        has_fences: false,
        line: 0,
        errors: Vec::new(),
    };
    lower.collect(id, &mut Vec::new());
    lower.layout_memory();
    lower.layout_params(&parsed.module.funcs[id]);
    lower.registers = lower.functions.iter().map(|f| f.rows).sum();
    let mut entries = BTreeMap::new();
    for i in 0..lower.functions.len() {
        let at = lower.insts.len() as u32;
        entries.insert(lower.functions[i].id, at);
        lower.function(i);
    }
    lower.link(&entries);
    if !lower.errors.is_empty() {
        return Err(lower.errors);
    }
    let func = &parsed.module.funcs[id];
    Ok(Kernel {
        name: func.name.clone(),
        parameters: lower.params,
        parameter_bytes: u32::try_from(func.param_bytes()).unwrap_or(u32::MAX),
        bounds: func.bounds,
        static_shared: lower.static_shared,
        local: lower.local,
        code: Code {
            insts: lower.insts,
            sites: lower.sites,
            registers: lower.registers,
            constants: lower.constants,
            specials: lower.specials,
            has_fences: lower.has_fences,
            granule_shift: lower.granule_shift,
        },
    })
}

/// A function that takes part.
struct Function {
    id: FuncId,
    /// Row of its first register, and how many rows it has.
    first: u32,
    rows: u32,
    /// The row that holds where to return to.
    return_to: R,
}

pub(super) struct Lower<'a> {
    parsed: &'a Parsed,
    addresses: &'a [u64],
    lines: Vec<&'a str>,
    functions: Vec<Function>,
    insts: Vec<Inst>,
    sites: Vec<Site>,
    constants: Vec<u64>,
    constant_rows: FxHashMap<u64, u32>,
    specials: Vec<Special>,
    registers: u32,
    static_shared: u32,
    /// Offsets of shared variables: of the module (no function) by position, and
    /// of functions.
    shared: BTreeMap<(Option<FuncId>, u32), u64>,
    local: u32,
    locals: BTreeMap<(FuncId, u32), u64>,
    params: Vec<Parameter>,
    pub(super) granule_shift: u32,
    pub(super) has_fences: bool,
    /// Of the instruction that is lowered.
    line: u32,
    errors: Vec<Error>,
}

/// Marks rows of constants and special registers until their number is known:
/// registers come first.
const CONSTANT: R = 1 << 30;
const SPECIAL: R = 1 << 31;

impl Lower<'_> {
    pub(super) fn error<T>(&mut self, message: impl Into<String>) -> Option<T> {
        self.errors.push((self.line, 0, message.into()));
        None
    }

    /// The functions that are called from one, it first.
    fn collect(&mut self, id: FuncId, path: &mut Vec<FuncId>) {
        let func = &self.parsed.module.funcs[id];
        if path.contains(&id) {
            let message = format!("`{}` calls itself; recursion is not supported", func.name);
            self.errors.push((self.first_line(id), 0, message));
            return;
        }
        if func.layout.is_empty() {
            let message = format!("`{}` is called and has no body here", func.name);
            self.errors.push((self.first_line(id), 0, message));
            return;
        }
        path.push(id);
        if self.functions.iter().all(|f| f.id != id) {
            let first = self.functions.last().map_or(0, |f| f.first + f.rows);
            let rows = func.regs.len() as u32 + 1;
            self.functions.push(Function {
                id,
                first,
                rows,
                return_to: if path.len() == 1 { NO_ROW } else { first + rows - 1 },
            });
        }
        for inst in func.insts_in_layout() {
            for operand in &inst.operands {
                if let Operand::Func(callee) = operand {
                    self.collect(*callee, path);
                }
            }
        }
        path.pop();
    }

    fn first_line(&self, id: FuncId) -> u32 {
        let lines = self.parsed.lines.get(id.index());
        lines.and_then(|l| l.iter().copied().find(|l| *l > 0)).unwrap_or(1)
    }

    /// Places shared and local variables: sized ones in order, then the shared
    /// array whose size the launch gives.
    fn layout_memory(&mut self) {
        let module = &self.parsed.module;
        let used: Vec<FuncId> = self.functions.iter().map(|f| f.id).collect();
        let of_module = module.vars.iter().enumerate().map(|(i, v)| (None, i, v));
        let of_functions = used.iter().flat_map(|id| {
            let vars = module.funcs[*id].vars.iter().enumerate();
            vars.map(|(i, v)| (Some(*id), i, v))
        });
        let all: Vec<_> = of_module.chain(of_functions).collect();
        let (mut shared, mut local) = (0u64, 0u64);
        for sized in [true, false] {
            for (func, i, var) in &all {
                if var.len.is_some() != sized {
                    continue;
                }
                let end = match var.space {
                    Space::Shared => &mut shared,
                    Space::Local => &mut local,
                    _ => continue,
                };
                *end = end.next_multiple_of(u64::from(var.alignment()));
                match (var.space, func) {
                    (Space::Local, Some(func)) => {
                        self.locals.insert((*func, *i as u32), *end);
                    }
                    _ => {
                        self.shared.insert((*func, *i as u32), *end);
                    }
                }
                *end = end.saturating_add(var.bytes());
            }
        }
        for (name, bytes) in [("shared", shared), ("local", local)] {
            if bytes > 1 << 24 {
                let message = format!("{bytes} bytes of {name} memory; no GPU has so many");
                self.errors.push((1, 0, message));
            }
        }
        self.static_shared = u32::try_from(shared).unwrap_or(u32::MAX);
        // Each thread's part begins aligned.
        self.local = u32::try_from(local.next_multiple_of(16)).unwrap_or(u32::MAX);
    }

    fn layout_params(&mut self, func: &Func) {
        let mut at = 0u64;
        for param in &func.params {
            at = at.next_multiple_of(u64::from(param.alignment().max(1)));
            self.params.push(Parameter {
                name: param.name.clone(),
                offset: u32::try_from(at).unwrap_or(u32::MAX),
                bytes: u32::try_from(param.bytes()).unwrap_or(u32::MAX),
            });
            at += param.bytes();
        }
    }

    fn function(&mut self, index: usize) {
        let id = self.functions[index].id;
        let func = &self.parsed.module.funcs[id];
        let mut starts: FxHashMap<BlockId, u32> = FxHashMap::default();
        let first = self.insts.len();
        for (at, block) in func.layout.iter().enumerate() {
            starts.insert(*block, self.insts.len() as u32);
            let next = func.layout.get(at + 1);
            for inst_id in &func.blocks[*block].insts {
                let inst = &func.insts[*inst_id];
                // What the text leaves out.
                let falls = inst.ends_block() && inst.branch_target().as_ref() == next && next.is_some();
                if !falls {
                    self.inst(index, func, *inst_id, inst);
                }
            }
        }
        // Branches held their blocks; now they get positions.
        for at in first..self.insts.len() {
            if let Act::Branch { target } = &mut self.insts[at].act {
                *target = starts[&BlockId::from_index(*target)];
            }
        }
        for start in starts.values() {
            if let Some(inst) = self.insts.get_mut(*start as usize) {
                inst.joins = true;
            }
        }
    }

    /// Calls held their functions; rows of constants and special registers get
    /// their places after the registers.
    fn link(&mut self, entries: &BTreeMap<FuncId, u32>) {
        let (registers, constants) = (self.registers, self.constants.len() as u32);
        let place = |row: &mut R| {
            if *row == NO_ROW {
            } else if *row & SPECIAL != 0 {
                *row = registers + constants + (*row & !SPECIAL);
            } else if *row & CONSTANT != 0 {
                *row = registers + (*row & !CONSTANT);
            }
        };
        for inst in &mut self.insts {
            if let Act::Call { target, .. } = &mut inst.act {
                let id = FuncId::from_index(*target);
                *target = entries.get(&id).copied().unwrap_or(0);
            }
            for_each_row(&mut inst.act, place);
        }
    }

    fn inst(&mut self, function: usize, func: &Func, id: InstId, inst: &PtxInst) {
        let function_id = self.functions[function].id;
        self.line = self.parsed.lines[function_id.index()]
            .get(id.index())
            .copied()
            .unwrap_or(0);
        let scope = Scope {
            function,
            id: function_id,
            func,
            inst,
        };
        let Some(form) = form::find(inst) else {
            let _: Option<()> = self.error("no such instruction in the table");
            return;
        };
        let Some((act, class)) = self.act(&scope, form) else {
            return;
        };
        let mut reads = SmallVec::new();
        inst.for_each_use(|reg| reads.push(self.row(&scope, reg)));
        let guard = inst.guard.map(|g| Guard {
            row: self.row(&scope, g.reg),
            negated: g.negated,
        });
        let result = match &act {
            Act::Call { .. } => self.call_result(&scope),
            _ => None,
        };
        self.push(&scope, act, class, guard, reads);
        if let Some(result) = result {
            self.push(&scope, result, Class::Move, guard, SmallVec::new());
        }
    }

    fn push(
        &mut self,
        scope: &Scope<'_>,
        act: Act,
        class: Class,
        guard: Option<Guard>,
        reads: SmallVec<[R; 4]>,
    ) {
        self.insts.push(Inst {
            act,
            guard,
            class,
            joins: false,
            reads,
        });
        let loc = scope.inst.loc;
        let file = usize::from(loc.file).checked_sub(1);
        let file = file.and_then(|i| self.parsed.module.files.get(i));
        let text = self.lines.get((self.line as usize).wrapping_sub(1));
        self.sites.push(Site {
            function: scope.func.name.clone(),
            ptx_line: self.line,
            text: text.map_or(String::new(), |t| t.trim().trim_end_matches(';').to_string()),
            file: file.cloned().unwrap_or_default(),
            line: if file.is_some() { loc.line } else { 0 },
            column: loc.column,
        });
    }

    /// After a call, the callee's result goes where the caller wants it.
    fn call_result(&mut self, scope: &Scope<'_>) -> Option<Act> {
        let (Operand::Vec(results), Operand::Func(callee)) =
            (scope.inst.operands.first()?, scope.inst.operands.get(1)?)
        else {
            return None;
        };
        let to = self.row(scope, *results.first()?);
        let func = &self.parsed.module.funcs[*callee];
        let Some(result) = func.result else {
            return self.error(format!("`{}` has no result", func.name));
        };
        let from = self.callee_row(*callee, result)?;
        Some(Act::Pure {
            f: pure::un(|a| a),
            to,
            from: [from; 3],
        })
    }

    fn callee_row(&self, callee: FuncId, reg: Reg) -> Option<R> {
        let function = self.functions.iter().find(|f| f.id == callee)?;
        Some(function.first + reg.index() as u32)
    }

    pub(super) fn row(&self, scope: &Scope<'_>, reg: Reg) -> R {
        self.functions[scope.function].first + reg.index() as u32
    }

    pub(super) fn constant(&mut self, value: u64) -> R {
        let next = self.constants.len() as u32;
        let row = *self.constant_rows.entry(value).or_insert(next);
        if row == next {
            self.constants.push(value);
        }
        CONSTANT | row
    }

    fn special(&mut self, special: Special) -> R {
        let at = self.specials.iter().position(|s| *s == special);
        let at = at.unwrap_or_else(|| {
            self.specials.push(special);
            self.specials.len() - 1
        });
        SPECIAL | at as u32
    }

    /// The row of a source operand.
    pub(super) fn source(&mut self, scope: &Scope<'_>, operand: &Operand, kind: Kind) -> Option<R> {
        let ty = match kind {
            Kind::Use(t) | Kind::UseAny(t) | Kind::UseVec(t) => {
                form::resolve(t, &scope.inst.tys)
            }
            Kind::UsePred => Ty::Pred,
            _ => Ty::None,
        };
        Some(match operand {
            Operand::Reg(reg) | Operand::Not(reg) => self.row(scope, *reg),
            Operand::Imm(v) => match ty.bits() {
                0 => self.constant(*v as u64),
                bits => self.constant(low(*v as u64, bits)),
            },
            Operand::F32(bits) if ty == Ty::F64 => {
                self.constant(f64::from(f32::from_bits(*bits)).to_bits())
            }
            Operand::F32(bits) => self.constant(u64::from(*bits)),
            Operand::F64(bits) if ty.bits() == 32 => {
                self.constant(u64::from((f64::from_bits(*bits) as f32).to_bits()))
            }
            Operand::F64(bits) => self.constant(*bits),
            Operand::Special(special) => self.special(*special),
            Operand::Sym(sym) => {
                let address = self.address_of(scope, *sym)?;
                self.constant(low(address, ty.bits().max(32)))
            }
            _ => return self.error("an operand that is no value"),
        })
    }

    /// The address of a symbol in its own space.
    pub(super) fn address_of(&mut self, scope: &Scope<'_>, sym: Sym) -> Option<u64> {
        let found = match sym {
            Sym::Param(i) => self.params.get(i as usize).map(|p| u64::from(p.offset)),
            Sym::Global(i) => match self.shared.get(&(None, i)) {
                Some(offset) => Some(*offset),
                None => self.addresses.get(i as usize).copied(),
            },
            Sym::Local(i) => {
                let shared = self.shared.get(&(Some(scope.id), i)).copied();
                shared.or_else(|| self.locals.get(&(scope.id, i)).copied())
            }
        };
        match found {
            Some(address) => Some(address),
            None => self.error("a variable in a space that it cannot have here"),
        }
    }

    /// The space of a symbol, where an instruction leaves it open.
    pub(super) fn space_of(&self, scope: &Scope<'_>, sym: Sym) -> Option<Space> {
        match sym {
            Sym::Param(_) => Some(Space::Param),
            _ => terrace_ptx::module::var_of(&self.parsed.module, scope.func, sym).map(|v| v.space),
        }
    }

    fn act(&mut self, scope: &Scope<'_>, form: &Form) -> Option<(Act, Class)> {
        let inst = scope.inst;
        let operands = &inst.operands;
        let class = pure::class(inst);
        Some(match inst.op {
            Op::Ld | Op::St | Op::Atom | Op::Red => return memory::lower(self, scope, form),
            Op::Prefetch => (Act::Nothing, Class::Load),
            Op::Mov if matches!(operands.as_slice(), [_, Operand::Vec(_)]) => {
                let [Operand::Reg(to), Operand::Vec(parts)] = operands.as_slice() else {
                    return self.error("operands that do not fit");
                };
                let bits = inst.ty().bits() / parts.len().max(1) as u32;
                let parts = parts.iter().map(|r| self.row(scope, *r)).collect();
                let to = self.row(scope, *to);
                (Act::Pack { to, parts, bits }, class)
            }
            Op::Mov if matches!(operands.as_slice(), [Operand::Vec(_), _]) => {
                let [Operand::Vec(parts), Operand::Reg(from)] = operands.as_slice() else {
                    return self.error("operands that do not fit");
                };
                let bits = inst.ty().bits() / parts.len().max(1) as u32;
                let to = parts.iter().map(|r| self.row(scope, *r)).collect();
                let from = self.row(scope, *from);
                (Act::Unpack { to, from, bits }, class)
            }
            Op::Mov if matches!(operands.get(1), Some(Operand::Special(s)) if is_clock(*s)) => {
                let (to, _) = self.results(scope)?;
                (Act::Clock { to }, class)
            }
            Op::Cvta => (self.window(scope)?, class),
            Op::Setp => {
                let from = self.sources(scope, form)?;
                let (to, other) = self.results(scope)?;
                let negated = matches!(operands.get(3), Some(Operand::Not(_)));
                match pure_move::compare(inst, negated) {
                    Some(f) => (Act::Compare { f, to, other, from }, class),
                    None => return self.error("no such comparison"),
                }
            }
            Op::Bfi => {
                let from = self.bfi_sources(scope, form)?;
                let (to, _) = self.results(scope)?;
                let f = pure::insert_field(inst.ty().bits());
                (Act::Pure { f, to, from }, class)
            }
            Op::Shfl => (self.shuffle(scope, form)?, Class::Synchronize),
            Op::Vote => {
                let (to, _) = self.results(scope)?;
                let mode = match inst.mods.vote {
                    VoteMode::Any => Vote::Any,
                    VoteMode::Uni => Vote::Uniform,
                    VoteMode::Ballot => Vote::Ballot,
                    _ => Vote::All,
                };
                let negated = matches!(operands.get(1), Some(Operand::Not(_)));
                let [value, members, _] = self.sources(scope, form)?;
                let act = Act::Vote {
                    mode,
                    to,
                    value,
                    negated,
                    members,
                };
                (act, Class::Synchronize)
            }
            Op::Activemask => {
                let (to, _) = self.results(scope)?;
                (Act::ActiveMask { to }, Class::Synchronize)
            }
            Op::BarSync => {
                let Some(id) = operands.first().and_then(Operand::as_imm) else {
                    return self.error("the barrier's number must be a constant");
                };
                let threads = match (operands.get(1), form.operands.get(1)) {
                    (Some(operand), Some(kind)) => self.source(scope, operand, *kind)?,
                    _ => NO_ROW,
                };
                let id = (id & 15) as u32;
                (Act::Barrier { id, threads }, Class::Synchronize)
            }
            Op::BarWarpSync => {
                let members = self.source(scope, operands.first()?, *form.operands.first()?)?;
                (Act::WarpBarrier { members }, Class::Synchronize)
            }
            Op::Membar | Op::Fence => {
                self.has_fences = true;
                (Act::Fence, Class::Synchronize)
            }
            Op::Bra => match inst.branch_target() {
                Some(block) => {
                    let target = block.index() as u32;
                    (Act::Branch { target }, Class::Control)
                }
                None => return self.error("a branch without a label"),
            },
            Op::Ret => {
                let return_to = self.functions[scope.function].return_to;
                let act = match return_to {
                    NO_ROW => Act::Exit,
                    return_to => Act::Return { return_to },
                };
                (act, Class::Control)
            }
            Op::Exit => (Act::Exit, Class::Control),
            Op::Trap => (Act::Trap, Class::Control),
            Op::Call => (self.call(scope)?, Class::Control),
            _ => {
                let (to, _) = self.results(scope)?;
                let register_bits = match operands.first() {
                    Some(Operand::Reg(reg)) => scope.func.reg_ty(*reg).map_or(64, |t| t.bits()),
                    _ => 64,
                };
                let from = self.sources(scope, form)?;
                match pure::build(inst, register_bits) {
                    Some(f) => (Act::Pure { f, to, from }, class),
                    None => return self.error("this form of the instruction is not supported"),
                }
            }
        })
    }

    /// The rows of up to three sources; those that are left out read the first.
    fn sources(&mut self, scope: &Scope<'_>, form: &Form) -> Option<[R; 3]> {
        let skip = usize::from(scope.inst.op.has_dest());
        let mut rows = [NO_ROW; 3];
        let pairs = scope.inst.operands.iter().zip(form.operands).skip(skip);
        let mut n = 0;
        for (operand, kind) in pairs {
            let row = self.source(scope, operand, *kind)?;
            match rows.get_mut(n) {
                Some(slot) => *slot = row,
                None => return self.error("too many operands"),
            }
            n += 1;
        }
        let first = if n == 0 { self.constant(0) } else { rows[0] };
        for row in &mut rows[n..] {
            *row = first;
        }
        Some(rows)
    }

    /// `bfi` with a position and a length that are constants: both in one row.
    fn bfi_sources(&mut self, scope: &Scope<'_>, form: &Form) -> Option<[R; 3]> {
        let operands = &scope.inst.operands;
        let field = |i: usize| operands.get(i).and_then(Operand::as_imm);
        let (Some(pos), Some(len)) = (field(3), field(4)) else {
            return self.error("`bfi` with a position or length that is no constant is not supported");
        };
        let a = self.source(scope, operands.get(1)?, *form.operands.get(1)?)?;
        let into = self.source(scope, operands.get(2)?, *form.operands.get(2)?)?;
        let both = self.constant((pos & 255) as u64 | ((len & 255) as u64) << 8);
        Some([a, into, both])
    }

    /// The rows of the result and of a second one.
    fn results(&mut self, scope: &Scope<'_>) -> Option<(R, R)> {
        match scope.inst.operands.first() {
            Some(Operand::Reg(to)) => Some((self.row(scope, *to), NO_ROW)),
            Some(Operand::Pair(to, other)) => {
                Some((self.row(scope, *to), self.row(scope, *other)))
            }
            _ => self.error("an instruction without a result register"),
        }
    }

    /// `cvta`: shared, local and parameter memory lie in windows of the generic
    /// addresses; global and constant addresses are generic ones.
    fn window(&mut self, scope: &Scope<'_>) -> Option<Act> {
        let inst = scope.inst;
        let window = match inst.mods.space {
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
            _ => 0,
        };
        let (to, _) = self.results(scope)?;
        let Some(Operand::Reg(from)) = inst.operands.get(1) else {
            return self.error("`cvta` of something that is no register");
        };
        let from = self.row(scope, *from);
        let f = match inst.mods.to {
            ToSpace::On => pure::un(move |a| a.wrapping_sub(window)),
            ToSpace::Off => pure::un(move |a| a.wrapping_add(window)),
        };
        Some(Act::Pure {
            f,
            to,
            from: [from; 3],
        })
    }

    fn shuffle(&mut self, scope: &Scope<'_>, form: &Form) -> Option<Act> {
        let (to, in_range) = self.results(scope)?;
        let mut rows = SmallVec::<[R; 4]>::new();
        for (operand, kind) in scope.inst.operands.iter().zip(form.operands).skip(1) {
            rows.push(self.source(scope, operand, *kind)?);
        }
        let [value, lane, clamp, members] = rows[..] else {
            return self.error("a shuffle takes four sources");
        };
        let mode = match scope.inst.mods.shfl {
            ShflMode::Up => Shuffle::Up,
            ShflMode::Down => Shuffle::Down,
            ShflMode::Bfly => Shuffle::Butterfly,
            _ => Shuffle::Index,
        };
        Some(Act::Shuffle {
            mode,
            to,
            in_range,
            value,
            lane,
            clamp,
            members,
        })
    }

    fn call(&mut self, scope: &Scope<'_>) -> Option<Act> {
        let [Operand::Vec(_), Operand::Func(callee), Operand::Vec(arguments)] =
            scope.inst.operands.as_slice()
        else {
            return self.error("a call of something that is no function");
        };
        let func = &self.parsed.module.funcs[*callee];
        if func.args.len() != arguments.len() {
            return self.error(format!(
                "`{}` takes {} arguments, found {}",
                func.name,
                func.args.len(),
                arguments.len()
            ));
        }
        let mut copies = SmallVec::new();
        for (argument, parameter) in arguments.iter().zip(&func.args) {
            let parameter = self.callee_row(*callee, *parameter)?;
            copies.push((self.row(scope, *argument), parameter));
        }
        let function = self.functions.iter().find(|f| f.id == *callee)?;
        Some(Act::Call {
            target: callee.index() as u32,
            arguments: copies,
            return_to: function.return_to,
        })
    }

    /// The row and offset of an address.
    pub(super) fn base(&mut self, scope: &Scope<'_>, base: Base) -> Option<R> {
        match base {
            Base::Reg(reg) => Some(self.row(scope, reg)),
            Base::Sym(sym) => {
                let address = self.address_of(scope, sym)?;
                Some(self.constant(address))
            }
        }
    }
}

/// The instruction that is lowered and where it stands.
pub(super) struct Scope<'a> {
    function: usize,
    id: FuncId,
    pub func: &'a Func,
    pub inst: &'a PtxInst,
}

const fn is_clock(special: Special) -> bool {
    matches!(
        special,
        Special::Clock | Special::Clock64 | Special::GlobalTimer
    )
}

fn for_each_row(act: &mut Act, f: impl Fn(&mut R)) {
    match act {
        Act::Pure { to, from, .. } => {
            f(to);
            from.iter_mut().for_each(&f);
        }
        Act::Compare {
            to, other, from, ..
        } => {
            f(to);
            f(other);
            from.iter_mut().for_each(&f);
        }
        Act::Pack { to, parts, .. } => {
            f(to);
            parts.iter_mut().for_each(&f);
        }
        Act::Unpack { to, from, .. } => {
            to.iter_mut().for_each(&f);
            f(from);
        }
        Act::Load(access) | Act::Store(access) => {
            f(&mut access.base);
            access.data.iter_mut().for_each(&f);
        }
        Act::Atomic {
            access,
            to,
            operands,
            ..
        } => {
            f(&mut access.base);
            f(to);
            operands.iter_mut().for_each(&f);
        }
        Act::Shuffle {
            to,
            in_range,
            value,
            lane,
            clamp,
            members,
            ..
        } => [to, in_range, value, lane, clamp, members].into_iter().for_each(f),
        Act::Vote {
            to, value, members, ..
        } => [to, value, members].into_iter().for_each(f),
        Act::ActiveMask { to } | Act::Clock { to } => f(to),
        Act::Barrier { threads, .. } => f(threads),
        Act::WarpBarrier { members } => f(members),
        Act::Call { arguments, .. } => {
            for (from, to) in arguments {
                f(from);
                f(to);
            }
        }
        Act::Return { .. }
        | Act::Fence
        | Act::Branch { .. }
        | Act::Exit
        | Act::Trap
        | Act::Nothing => {}
    }
}
