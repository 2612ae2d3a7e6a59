//! PTX text from the machine form.
//!
//! The order of modifiers and types comes from the instruction table. An
//! instruction in no form of the table is still printed, with its modifiers in
//! the order of their declaration, so that a dump of broken code can be read;
//! the checker is what refuses it.

use super::form::{self, Kind, Slot};
use super::ids::{BlockId, Reg};
use super::inst::{Inst, Loc};
use super::modifiers::{Field, Space};
use super::module::{Func, FuncKind, Init, LaunchBounds, Module, Param, Var};
use super::names::Names;
use super::op::Op;
use super::operand::{Address, Base, Operand, Sym};
use super::types::{RegTy, Ty};
use rustc_hash::FxHashSet;

/// The module as PTX text.
pub fn print(module: &Module) -> String {
    let mut insts = 0;
    for (_, f) in module.funcs.iter() {
        insts += f.inst_count();
    }
    let mut p = Printer {
        module,
        out: String::with_capacity(1024 + insts * 40),
    };
    p.module();
    p.out
}

/// One function as it stands in the module's text.
pub fn print_func(module: &Module, func: &Func) -> String {
    let mut p = Printer {
        module,
        out: String::new(),
    };
    p.func(func);
    p.out
}

/// One instruction, without indentation or line end, for messages.
pub fn print_inst(module: &Module, func: &Func, inst: &Inst) -> String {
    let names = Names::new(func);
    let mut p = Printer {
        module,
        out: String::new(),
    };
    p.inst(func, &names, inst);
    p.out
}

/// Whether a function is only declared. With braces it would be one that returns at once.
fn is_elsewhere(func: &Func) -> bool {
    func.kind == FuncKind::Device && func.layout.is_empty()
}

struct Printer<'a> {
    module: &'a Module,
    out: String,
}

impl Printer<'_> {
    fn s(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn int(&mut self, value: impl Into<i128>) {
        push_int(&mut self.out, value.into());
    }

    fn hex(&mut self, value: u64, digits: u32) {
        for i in (0..digits).rev() {
            let digit = (value >> (4 * i) & 15) as u8;
            self.out
                .push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
        }
    }

    fn module(&mut self) {
        let m = self.module;
        self.s(".version ");
        self.int(m.version.0);
        self.s(".");
        self.int(m.version.1);
        self.s("\n.target ");
        let target = m.arch.to_string();
        self.s(&target);
        self.s("\n.address_size 64\n");
        for (i, file) in m.files.iter().enumerate() {
            self.s(".file ");
            self.int(i as u64 + 1);
            self.s(" \"");
            for c in file.chars() {
                if c == '"' || c == '\\' {
                    self.s("\\");
                }
                // A line end would end the directive.
                self.out.push(if c.is_control() { '?' } else { c });
            }
            self.s("\"\n");
        }
        for var in &m.vars {
            self.s("\n");
            self.var(var, true);
        }
        // Every device function is declared ahead, so that calls may come in
        // any order.
        for (_, f) in m.funcs.iter() {
            if f.kind == FuncKind::Device {
                self.s(if is_elsewhere(f) { "\n.extern " } else { "\n" });
                self.signature(f, &Names::new(f));
                self.s(";\n");
            }
        }
        for (_, f) in m.funcs.iter().filter(|(_, f)| !is_elsewhere(f)) {
            self.s("\n");
            self.func(f);
        }
    }

    fn var(&mut self, var: &Var, module_scope: bool) {
        if var.len.is_none() {
            self.s(".extern ");
        } else if var.visible && module_scope {
            self.s(".visible ");
        }
        self.s(match var.space {
            Space::Generic => Space::Global.suffix(),
            space => space.suffix(),
        });
        self.typed_name(var);
        self.init(&var.init);
        self.s(";\n");
    }

    /// ` .align 8 .b8 name[16]`; what a call takes or gives may be no array.
    fn typed_name(&mut self, var: &Var) {
        let scalar = var.space == Space::Param && var.len == Some(1);
        if !scalar || var.align > var.ty.bytes() {
            self.s(" .align ");
            self.int(var.alignment());
        }
        self.s(" ");
        self.s(var.ty.suffix());
        self.s(" ");
        self.s(&var.name);
        if scalar {
            return;
        }
        self.s("[");
        if let Some(len) = var.len {
            self.int(len);
        }
        self.s("]");
    }

    fn init(&mut self, init: &Init) {
        if init.is_empty() {
            return;
        }
        self.s(" = {");
        for i in 0..init.len() {
            if i > 0 {
                self.s(", ");
            }
            match init {
                Init::None => {}
                Init::Ints(v) => self.int(v[i]),
                Init::F32(v) => {
                    self.s("0f");
                    self.hex(u64::from(v[i]), 8);
                }
                Init::F64(v) => {
                    self.s("0d");
                    self.hex(v[i], 16);
                }
            }
        }
        self.s("}");
    }

    fn param(&mut self, param: &Param) {
        self.s(".param ");
        if param.len.is_some() || param.align > param.ty.bytes() {
            self.s(".align ");
            self.int(param.alignment());
            self.s(" ");
        }
        self.s(param.ty.suffix());
        self.s(" ");
        if let Some((space, align)) = param.pointee {
            self.s(".ptr ");
            if space != Space::Generic {
                self.s(space.suffix());
                self.s(" ");
            }
            self.s(".align ");
            self.int(align.max(1));
            self.s(" ");
        }
        self.s(&param.name);
        if let Some(len) = param.len {
            self.s("[");
            self.int(len);
            self.s("]");
        }
    }

    fn signature(&mut self, func: &Func, names: &Names<'_>) {
        match func.kind {
            FuncKind::Kernel => {
                self.s(".visible .entry ");
                self.s(&func.name);
                self.s("(");
                for (i, param) in func.params.iter().enumerate() {
                    self.s(if i > 0 { ",\n\t" } else { "\n\t" });
                    self.param(param);
                }
                self.s(if func.params.is_empty() { ")" } else { "\n)" });
            }
            FuncKind::Device => {
                self.s(".func ");
                if let Some(result) = func.result {
                    self.s("(");
                    self.reg_decl(func, names, result);
                    self.s(") ");
                } else if !func.result_vars.is_empty() {
                    self.s("(");
                    for (i, at) in func.result_vars.iter().enumerate() {
                        self.s(if i > 0 { ", .param" } else { ".param" });
                        if let Some(var) = func.vars.get(*at as usize) {
                            self.typed_name(var);
                        }
                    }
                    self.s(") ");
                }
                self.s(&func.name);
                self.s("(");
                for (i, param) in func.params.iter().enumerate() {
                    if i > 0 {
                        self.s(", ");
                    }
                    self.param(param);
                }
                for (i, arg) in func.args.iter().enumerate() {
                    if i > 0 {
                        self.s(", ");
                    }
                    self.reg_decl(func, names, *arg);
                }
                self.s(")");
            }
        }
    }

    fn reg_decl(&mut self, func: &Func, names: &Names<'_>, reg: Reg) {
        self.s(".reg ");
        self.s(func.reg_ty(reg).unwrap_or(RegTy::B32).ty().suffix());
        self.s(" ");
        names.push_reg(&mut self.out, reg);
    }

    fn bounds(&mut self, bounds: &LaunchBounds) {
        let mut dims = |name: &str, dims: Option<[u32; 3]>| {
            if let Some([x, y, z]) = dims {
                self.out.push_str(name);
                for (i, d) in [x, y, z].into_iter().enumerate() {
                    self.out.push_str(if i > 0 { ", " } else { " " });
                    push_int(&mut self.out, i128::from(d));
                }
                self.out.push('\n');
            }
        };
        dims(".maxntid", bounds.max_threads);
        dims(".reqntid", bounds.required_threads);
        let mut number = |name: &str, n: Option<u32>| {
            if let Some(n) = n {
                self.out.push_str(name);
                push_int(&mut self.out, i128::from(n));
                self.out.push('\n');
            }
        };
        number(".minnctapersm ", bounds.min_blocks_per_sm);
        number(".maxnreg ", bounds.max_registers);
    }

    fn func(&mut self, func: &Func) {
        let names = Names::new(func);
        self.signature(func, &names);
        self.s("\n");
        self.bounds(&func.bounds);
        self.s("{\n");
        names.push_declarations(&mut self.out);
        for (at, var) in (0u32..).zip(&func.vars) {
            if !func.result_vars.contains(&at) {
                self.s("\t");
                self.var(var, false);
            }
        }
        let targets: FxHashSet<BlockId> = printed_targets(func);
        let mut loc = Loc::default();
        for (at, &block) in func.layout.iter().enumerate() {
            let next = func.layout.get(at + 1).copied();
            if targets.contains(&block) {
                names.push_label(&mut self.out, block);
                self.s(":\n");
            }
            let Some(body) = func.blocks.get(block) else {
                continue;
            };
            for &id in &body.insts {
                let Some(inst) = func.insts.get(id) else {
                    continue;
                };
                if falls_through(inst, next) {
                    continue;
                }
                if inst.loc.is_known() && inst.loc != loc {
                    loc = inst.loc;
                    self.s("\t.loc ");
                    self.int(loc.file);
                    self.s(" ");
                    self.int(loc.line);
                    self.s(" ");
                    self.int(loc.column);
                    self.s("\n");
                }
                self.s("\t");
                self.inst(func, &names, inst);
                self.s(";\n");
            }
        }
        self.s("}\n");
    }

    fn inst(&mut self, func: &Func, names: &Names<'_>, inst: &Inst) {
        if let Some(guard) = inst.guard {
            self.s(if guard.negated { "@!" } else { "@" });
            names.push_reg(&mut self.out, guard.reg);
            self.s(" ");
        }
        self.s(inst.op.name());
        let form = form::find(inst);
        match form {
            Some(form) => {
                for slot in form.slots {
                    match *slot {
                        Slot::Lit(text) => self.s(text),
                        Slot::Opt(field, _) | Slot::Req(field, _) => self.field(inst, field),
                        Slot::Ty(at, _) => {
                            let ty = inst.tys.get(usize::from(at)).copied();
                            self.s(ty.unwrap_or_default().suffix());
                        }
                    }
                }
            }
            None => {
                for &field in Field::ALL {
                    self.field(inst, field);
                }
                for ty in inst.tys {
                    self.s(ty.suffix());
                }
            }
        }
        if inst.op == Op::Call {
            return self.call(func, names, inst);
        }
        for (i, operand) in inst.operands.iter().enumerate() {
            self.s(if i == 0 { " " } else { ", " });
            let kind = form.and_then(|f| f.operands.get(i)).copied();
            self.operand(func, names, inst, operand, kind);
        }
    }

    fn field(&mut self, inst: &Inst, field: Field) {
        let value = usize::from(inst.mods.get(field));
        self.s(field.spellings().get(value).copied().unwrap_or(""));
    }

    /// `call (result), f, (a, b)`, the empty lists left out.
    fn call(&mut self, func: &Func, names: &Names<'_>, inst: &Inst) {
        let mut first = true;
        for operand in &inst.operands {
            match operand {
                Operand::Vec(list) if list.is_empty() => continue,
                Operand::Syms(list) if list.is_empty() => continue,
                Operand::Syms(list) => {
                    self.s(if first { " (" } else { ", (" });
                    self.syms(func, list);
                    self.s(")");
                }
                Operand::Vec(list) => {
                    self.s(if first { " (" } else { ", (" });
                    self.reg_list(names, list);
                    self.s(")");
                }
                other => {
                    self.s(if first { " " } else { ", " });
                    self.operand(func, names, inst, other, None);
                }
            }
            first = false;
        }
    }

    fn syms(&mut self, func: &Func, list: &[Sym]) {
        for (i, sym) in list.iter().enumerate() {
            if i > 0 {
                self.s(", ");
            }
            self.sym(func, *sym);
        }
    }

    fn reg_list(&mut self, names: &Names<'_>, list: &[Reg]) {
        for (i, reg) in list.iter().enumerate() {
            if i > 0 {
                self.s(", ");
            }
            names.push_reg(&mut self.out, *reg);
        }
    }

    fn operand(
        &mut self,
        func: &Func,
        names: &Names<'_>,
        inst: &Inst,
        operand: &Operand,
        kind: Option<Kind>,
    ) {
        match operand {
            Operand::Reg(r) => names.push_reg(&mut self.out, *r),
            Operand::Not(r) => {
                self.s("!");
                names.push_reg(&mut self.out, *r);
            }
            Operand::Imm(v) => self.imm(*v, type_of(inst, kind)),
            Operand::F32(bits) => {
                self.s("0f");
                self.hex(u64::from(*bits), 8);
            }
            Operand::F64(bits) => {
                self.s("0d");
                self.hex(*bits, 16);
            }
            Operand::Special(s) => self.s(s.name()),
            Operand::Sym(sym) => self.sym(func, *sym),
            Operand::Addr(Address { base, offset }) => {
                self.s("[");
                match base {
                    Base::Reg(r) => names.push_reg(&mut self.out, *r),
                    Base::Sym(sym) => self.sym(func, *sym),
                }
                if *offset != 0 {
                    self.s("+");
                    self.int(*offset);
                }
                self.s("]");
            }
            Operand::Label(block) => names.push_label(&mut self.out, *block),
            Operand::Func(id) => match self.module.funcs.get(*id) {
                Some(f) => self.s(&f.name),
                None => self.s("<no such function>"),
            },
            Operand::Vec(list) => {
                self.s("{");
                self.reg_list(names, list);
                self.s("}");
            }
            Operand::Syms(list) => {
                self.s("(");
                self.syms(func, list);
                self.s(")");
            }
            Operand::Pair(a, b) => {
                names.push_reg(&mut self.out, *a);
                self.s("|");
                names.push_reg(&mut self.out, *b);
            }
        }
    }

    /// Masks and other unsigned values above the signed range are printed
    /// unsigned, because PTX constants are 64 bits wide and the assembler
    /// refuses a negative one for an unsigned position.
    fn imm(&mut self, value: i64, ty: Ty) {
        let bits = ty.bits();
        if value < 0 && !ty.is_signed() && bits > 0 {
            let mask = if bits >= 64 {
                u64::MAX
            } else {
                (1 << bits) - 1
            };
            self.int(value as u64 & mask);
        } else {
            self.int(value);
        }
    }

    fn sym(&mut self, func: &Func, sym: Sym) {
        let name = match sym {
            Sym::Param(i) => func.params.get(i as usize).map(|p| p.name.as_str()),
            Sym::Global(i) => self.module.vars.get(i as usize).map(|v| v.name.as_str()),
            Sym::Local(i) => func.vars.get(i as usize).map(|v| v.name.as_str()),
        };
        self.s(name.unwrap_or("<no such symbol>"));
    }
}

fn type_of(inst: &Inst, kind: Option<Kind>) -> Ty {
    match kind {
        Some(Kind::Use(t) | Kind::UseAny(t) | Kind::UseVec(t)) => form::resolve(t, &inst.tys),
        _ => Ty::None,
    }
}

/// Whether an instruction is the jump to the block printed next, which is
/// left out.
fn falls_through(inst: &Inst, next: Option<BlockId>) -> bool {
    inst.ends_block() && inst.branch_target().is_some_and(|t| Some(t) == next)
}

/// The blocks that a printed branch names, which need a label.
fn printed_targets(func: &Func) -> FxHashSet<BlockId> {
    let mut targets = FxHashSet::default();
    for (at, block) in func.layout.iter().enumerate() {
        let next = func.layout.get(at + 1).copied();
        let Some(body) = func.blocks.get(*block) else {
            continue;
        };
        for inst in body.insts.iter().filter_map(|i| func.insts.get(*i)) {
            if let Some(target) = inst.branch_target()
                && !falls_through(inst, next)
            {
                targets.insert(target);
            }
        }
    }
    targets
}

/// Appends a decimal number.
pub(super) fn push_int(out: &mut String, value: i128) {
    let mut digits = [0u8; 40];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    // Nearly all values fit 64 bits, where division is one instruction.
    if let Ok(mut small) = u64::try_from(rest) {
        loop {
            at -= 1;
            digits[at] = b'0' + (small % 10) as u8;
            small /= 10;
            if small == 0 {
                break;
            }
        }
    } else {
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
    }
    if value < 0 {
        out.push('-');
    }
    for digit in &digits[at..] {
        out.push(char::from(*digit));
    }
}
