//! A kernel and the functions that it calls to one run of code.

use super::code::{Act, Code, Guard, Inst, NO_ROW, R};
use super::module::{Kernel, Parameter};
use super::pure;
use crate::count::Class;
use crate::finding::Site;
use crate::value::int::low;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use terrace_ptx::form::{self, Kind};
use terrace_ptx::module::Func;
use terrace_ptx::parse::Parsed;
use terrace_ptx::{
    Base, BlockId, FuncId, FuncKind, Inst as PtxInst, InstId, Operand, Reg, Space, Special, Sym, Ty,
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
        formals: BTreeMap::new(),
        params: Vec::new(),
        granule_shift: 3,
        has_fences: false,
        has_copies: false,
        has_partial_barriers: false,
        carry: NO_ROW,
        line: 0,
        errors: Vec::new(),
    };
    lower.collect(id, 1, &mut Vec::new());
    lower.layout_memory();
    lower.layout_params(&parsed.module.funcs[id]);
    // The carry flag follows the registers.
    lower.carry = lower.functions.iter().map(|f| f.rows).sum();
    lower.registers = lower.carry + 1;
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
            has_copies: lower.has_copies,
            has_partial_barriers: lower.has_partial_barriers,
            granule_shift: lower.granule_shift,
        },
    })
}

/// A function that takes part.
pub(super) struct Function {
    pub id: FuncId,
    /// Row of its first register, and how many rows it has.
    pub first: u32,
    pub rows: u32,
    /// The row that holds where to return to.
    pub return_to: R,
}

pub(super) struct Lower<'a> {
    pub(super) parsed: &'a Parsed,
    pub(super) addresses: &'a [u64],
    pub(super) lines: Vec<&'a str>,
    pub(super) functions: Vec<Function>,
    pub(super) insts: Vec<Inst>,
    pub(super) sites: Vec<Site>,
    pub(super) constants: Vec<u64>,
    pub(super) constant_rows: FxHashMap<u64, u32>,
    pub(super) specials: Vec<Special>,
    pub(super) registers: u32,
    pub(super) static_shared: u32,
    /// Offsets of shared variables: of the module (no function) by position, and
    /// of functions.
    pub(super) shared: BTreeMap<(Option<FuncId>, u32), u64>,
    pub(super) local: u32,
    pub(super) locals: BTreeMap<(FuncId, u32), u64>,
    /// Offsets in local memory of parameters of device functions.
    pub(super) formals: BTreeMap<(FuncId, u32), u64>,
    pub(super) params: Vec<Parameter>,
    pub(super) granule_shift: u32,
    pub(super) has_fences: bool,
    pub(super) has_copies: bool,
    pub(super) has_partial_barriers: bool,
    /// The row of the carry flag.
    pub(super) carry: R,
    /// Of the instruction that is lowered.
    pub(super) line: u32,
    pub(super) errors: Vec<Error>,
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
                let falls =
                    inst.ends_block() && inst.branch_target().as_ref() == next && next.is_some();
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
            inst.act.for_each_row(place);
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
        if inst.op.reads_carry() {
            reads.push(self.carry);
        }
        let guard = inst.guard.map(|g| Guard {
            row: self.row(&scope, g.reg),
            negated: g.negated,
        });
        let (mut before, mut after) = (None, None);
        if matches!(act, Act::Call { .. }) {
            (before, after) = self.handed(&scope);
            after = after.or_else(|| self.call_result(&scope));
        }
        if let Some(before) = before {
            self.push(&scope, before, Class::Move, guard, SmallVec::new());
        }
        self.push(&scope, act, class, guard, reads);
        if let Some(after) = after {
            self.push(&scope, after, Class::Move, guard, SmallVec::new());
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
            text: text.map_or(String::new(), |t| {
                t.trim().trim_end_matches(';').to_string()
            }),
            file: file.cloned().unwrap_or_default(),
            line: if file.is_some() { loc.line } else { 0 },
            column: loc.column,
        });
    }

    /// After a call, the callee's result goes where the caller wants it.
    pub(super) fn call_result(&mut self, scope: &Scope<'_>) -> Option<Act> {
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

    pub(super) fn callee_row(&self, callee: FuncId, reg: Reg) -> Option<R> {
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

    pub(super) fn special(&mut self, special: Special) -> R {
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
            Kind::Use(t) | Kind::UseAny(t) | Kind::UseVec(t) => form::resolve(t, &scope.inst.tys),
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
            Sym::Param(i) if scope.func.kind == FuncKind::Device => {
                self.formals.get(&(scope.id, i)).copied()
            }
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

    /// Whether an address in `.param` space is of what calls take or give.
    pub(super) fn is_handed_by_calls(&self, scope: &Scope<'_>, base: Base) -> bool {
        scope.func.kind == FuncKind::Device || matches!(base, Base::Sym(Sym::Local(_)))
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
    pub function: usize,
    pub id: FuncId,
    pub func: &'a Func,
    pub inst: &'a PtxInst,
}
