//! Blocks and how they end.

use super::{R, Select};
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_x86::{
    Arg, Block, Branch, Class, Condition as C, Func, Inst, Kind, Level, Mnemonic, Reg, Width,
};

/// A block with its instructions, before there are blocks between it and others.
struct Made {
    block: ir::Block,
    insts: Vec<Inst>,
    last: Inst,
    ends: Vec<(ir::Block, Vec<Reg>)>,
}

/// Which flags say that something holds.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    pub branch: Branch,
    /// The other way of it holds.
    pub inverted: bool,
}

impl Flags {
    fn of(cc: C) -> Flags {
        Flags {
            branch: Branch::If(cc),
            inverted: false,
        }
    }
}

pub(super) fn select(f: &ir::Function, level: Level) -> R<Func> {
    let mut s = Select {
        f,
        out: Func::new(level),
        level,
        regs: FxHashMap::default(),
        masks: FxHashMap::default(),
        constants: FxHashMap::default(),
        slots: FxHashMap::default(),
        uses: SecondaryMap::new(),
        writes_before: SecondaryMap::new(),
        block: None,
        writes: 0,
        made: Vec::new(),
    };
    let order = s.order();
    for b in &order {
        s.count(*b);
    }
    let mut made = Vec::new();
    for b in order.iter().rev() {
        made.push(s.one(*b)?);
    }
    made.reverse();
    s.begin(&mut made)?;
    s.assemble(made)
}

impl Select<'_> {
    /// The blocks that can be come to: in the order in which they stand, with those that seldom run
    /// behind all others.
    fn order(&self) -> Vec<ir::Block> {
        let layout = &self.f.layout;
        let mut reached = FxHashSet::default();
        let mut todo: Vec<ir::Block> = layout.entry_block().into_iter().collect();
        while let Some(b) = todo.pop() {
            if reached.insert(b)
                && let Some(last) = layout.last_inst(b)
            {
                let ends = self.f.dfg.insts[last]
                    .branch_destination(&self.f.dfg.jump_tables, &self.f.dfg.exception_tables);
                todo.extend(ends.iter().map(|e| e.block(&self.f.dfg.value_lists)));
            }
        }
        let all = || layout.blocks().filter(|b| reached.contains(b));
        let often = all().filter(|b| !layout.is_cold(*b));
        often.chain(all().filter(|b| layout.is_cold(*b))).collect()
    }

    /// Counts uses, and writes to memory.
    fn count(&mut self, block: ir::Block) {
        let mut writes = 0;
        for inst in self.f.layout.block_insts(block) {
            self.writes_before[inst] = writes;
            let opcode = self.f.dfg.insts[inst].opcode();
            writes += u32::from(opcode.can_store() || opcode.is_call());
            for v in self.f.dfg.inst_values(inst) {
                let v = self.root(v);
                self.uses[v] += 1;
            }
        }
    }

    fn one(&mut self, block: ir::Block) -> R<Made> {
        let mut insts = self.f.layout.block_insts(block).rev();
        let last = insts.next().ok_or("a block without an end")?;
        self.block = Some(block);
        self.writes = self.writes_before[last];
        let (end, ends) = self.end(last)?;
        // Each instruction's own in order, the last one's first.
        let mut pieces = vec![std::mem::take(&mut self.made)];
        for inst in insts {
            self.writes = self.writes_before[inst];
            self.inst(inst)?;
            pieces.push(std::mem::take(&mut self.made));
        }
        Ok(Made {
            block,
            insts: pieces.into_iter().rev().flatten().collect(),
            last: end,
            ends,
        })
    }

    /// The parameters of a block that are used.
    fn params(&self, block: ir::Block) -> Vec<(usize, ir::Value)> {
        let all = self.f.dfg.block_params(block).iter().copied();
        all.enumerate().filter(|(_, p)| self.uses[*p] > 0).collect()
    }

    fn target(&mut self, call: &ir::BlockCall) -> R<(ir::Block, Vec<Reg>)> {
        let block = call.block(&self.f.dfg.value_lists);
        let args: Vec<ir::BlockArg> = call.args(&self.f.dfg.value_lists).collect();
        let mut given = Vec::new();
        for (i, p) in self.params(block) {
            self.reg(p)?;
            let v = args[i].as_value().ok_or("an argument that is no value")?;
            given.push(self.reg(v)?);
        }
        Ok((block, given))
    }

    fn end(&mut self, inst: ir::Inst) -> R<(Inst, Vec<(ir::Block, Vec<Reg>)>)> {
        match self.f.dfg.insts[inst] {
            InstructionData::Jump { destination, .. } => {
                let to = self.target(&destination)?;
                Ok((Inst::new(Kind::Jump, &[]), vec![to]))
            }
            InstructionData::Brif { arg, blocks, .. } => {
                let mut ends = vec![self.target(&blocks[0])?, self.target(&blocks[1])?];
                let flags = self.flags(arg)?;
                if flags.inverted {
                    ends.swap(0, 1);
                }
                Ok((Inst::new(Kind::Branch(flags.branch), &[]), ends))
            }
            InstructionData::MultiAry {
                opcode: Opcode::Return,
                ..
            } => {
                let args = self.f.dfg.inst_args(inst);
                let [status] = args[..] else {
                    return Err("a return of other than one number".into());
                };
                let r = self.reg(status)?;
                let last = Inst::new(Kind::Return, &[Arg::Use(r, Width::D)]);
                Ok((last, Vec::new()))
            }
            data => Err(format!("{}", data.opcode())),
        }
    }

    /// Makes the flags tell whether an integer is not zero.
    pub(super) fn flags(&mut self, v: ir::Value) -> R<Flags> {
        let compared = self.def(v).map(|(_, data)| *data);
        match compared {
            Some(InstructionData::IntCompare { args, cond, .. })
                if !self.ty(args[0]).is_vector() =>
            {
                return self.compare(args, cond);
            }
            Some(InstructionData::FloatCompare { args, cond, .. })
                if !self.ty(args[0]).is_vector() =>
            {
                return self.float_compare(args, cond);
            }
            _ => {}
        }
        let w = match self.ty(v) {
            types::I8 => Width::B,
            types::I16 => Width::W,
            types::I32 => Width::D,
            types::I64 => Width::Q,
            t => return Err(format!("a branch on {t}")),
        };
        let r = self.reg(v)?;
        self.op(Mnemonic::Test, &[Arg::Use(r, w), Arg::Use(r, w)]);
        Ok(Flags::of(C::Ne))
    }

    fn compare(&mut self, [a, b]: [ir::Value; 2], cond: IntCC) -> R<Flags> {
        let w = match self.ty(a) {
            types::I8 => Width::B,
            types::I16 => Width::W,
            types::I32 => Width::D,
            types::I64 => Width::Q,
            t => return Err(format!("icmp of {t}")),
        };
        let cc = condition(cond);
        let x = self.reg(a)?;
        let immediate = self.immediate(b);
        match immediate {
            Some(0) if matches!(cond, IntCC::Equal | IntCC::NotEqual) => {
                self.op(Mnemonic::Test, &[Arg::Use(x, w), Arg::Use(x, w)]);
            }
            Some(c) => self.op(Mnemonic::Cmp, &[Arg::Use(x, w), Arg::Imm(c)]),
            None => {
                let y = self.reg(b)?;
                self.op(Mnemonic::Cmp, &[Arg::Use(x, w), Arg::Use(y, w)]);
            }
        }
        Ok(Flags::of(cc))
    }

    fn float_compare(&mut self, [a, b]: [ir::Value; 2], cond: FloatCC) -> R<Flags> {
        let mnemonic = match self.ty(a) {
            types::F64 => Mnemonic::Vucomisd,
            types::F32 => Mnemonic::Vucomiss,
            t => return Err(format!("fcmp of {t}")),
        };
        // What does not compare has the flags of less and of equal.
        let (swap, branch, inverted) = match cond {
            FloatCC::GreaterThan => (false, Branch::If(C::A), false),
            FloatCC::GreaterThanOrEqual => (false, Branch::If(C::Ae), false),
            FloatCC::LessThan => (true, Branch::If(C::A), false),
            FloatCC::LessThanOrEqual => (true, Branch::If(C::Ae), false),
            FloatCC::UnorderedOrLessThan => (false, Branch::If(C::B), false),
            FloatCC::UnorderedOrLessThanOrEqual => (false, Branch::If(C::Be), false),
            FloatCC::UnorderedOrGreaterThan => (true, Branch::If(C::B), false),
            FloatCC::UnorderedOrGreaterThanOrEqual => (true, Branch::If(C::Be), false),
            FloatCC::Unordered => (false, Branch::If(C::P), false),
            FloatCC::Ordered => (false, Branch::If(C::Np), false),
            FloatCC::NotEqual => (false, Branch::IfOrParity(C::Ne), false),
            FloatCC::Equal => (false, Branch::IfOrParity(C::Ne), true),
            FloatCC::OrderedNotEqual => (false, Branch::If(C::Ne), false),
            FloatCC::UnorderedOrEqual => (false, Branch::If(C::E), false),
        };
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let (x, y) = (self.reg(a)?, self.reg(b)?);
        self.op(mnemonic, &[Arg::Use(x, Width::X), Arg::Use(y, Width::X)]);
        Ok(Flags { branch, inverted })
    }

    /// Where the function begins, its arguments and all constants are made.
    fn begin(&mut self, made: &mut [Made]) -> R {
        let first = made.first_mut().ok_or("no blocks")?;
        let mut args = Vec::new();
        for p in self.f.dfg.block_params(first.block).to_vec() {
            if self.ty(p) != types::I64 {
                return Err(format!("an argument of {}", self.ty(p)));
            }
            let r = match self.regs.get(&p) {
                Some(r) => *r,
                None => self.int(),
            };
            args.push(Arg::Def(r, Width::Q));
        }
        if args.len() > 6 {
            return Err("more than six arguments".into());
        }
        self.push(Kind::Args, &args);
        self.make_constants()?;
        let mut all = std::mem::take(&mut self.made);
        all.append(&mut first.insts);
        first.insts = all;
        Ok(())
    }

    /// Blocks in their order, with one between a branch and a block that others lead to.
    fn assemble(mut self, made: Vec<Made>) -> R<Func> {
        let mut before: FxHashMap<ir::Block, usize> = FxHashMap::default();
        for (to, _) in made.iter().flat_map(|m| &m.ends) {
            *before.entry(*to).or_default() += 1;
        }
        let apart = |m: &Made, i: usize| {
            let (to, args) = &m.ends[i];
            m.ends.len() > 1 && (before[to] > 1 || !args.is_empty())
        };
        let mut at: FxHashMap<ir::Block, Block> = FxHashMap::default();
        let mut between: FxHashMap<(ir::Block, usize), Block> = FxHashMap::default();
        for (i, m) in made.iter().enumerate() {
            let b = self.out.block();
            at.insert(m.block, b);
            if i > 0 {
                for (_, p) in self.params(m.block) {
                    let r = self.reg(p)?;
                    self.out.add_param(b, r);
                }
            }
            for end in 0..m.ends.len() {
                if apart(m, end) {
                    between.insert((m.block, end), self.out.block());
                }
            }
        }
        for m in made {
            let mut ends = Vec::new();
            for (i, (to, args)) in m.ends.into_iter().enumerate() {
                match between.get(&(m.block, i)) {
                    Some(b) => {
                        let jump = Inst::new(Kind::Jump, &[]);
                        self.out.end(*b, jump, vec![(at[&to], args)]);
                        ends.push((*b, Vec::new()));
                    }
                    None => ends.push((at[&to], args)),
                }
            }
            let b = at[&m.block];
            for i in m.insts {
                self.out.push(b, i);
            }
            self.out.end(b, m.last, ends);
        }
        Ok(self.out)
    }

    /// One of two values, by the flags of a condition.
    pub(super) fn select(&mut self, args: [ir::Value; 3], to: Reg, w: Width) -> R {
        let [c, x, y] = args;
        let (x, y) = (self.reg(x)?, self.reg(y)?);
        let flags = self.flags(c)?;
        let (x, y) = if flags.inverted { (y, x) } else { (x, y) };
        let mut from = y;
        let ccs = match flags.branch {
            Branch::If(cc) => vec![cc],
            Branch::IfOrParity(cc) => vec![cc, C::P],
        };
        let class = to.class();
        for (i, cc) in ccs.iter().enumerate() {
            let last = i + 1 == ccs.len();
            let r = if last { to } else { self.out.reg(class) };
            let change = Arg::Change {
                from,
                to: r,
                width: w,
            };
            self.push(Kind::MoveIf(*cc), &[change, Arg::Use(x, w)]);
            from = r;
        }
        Ok(())
    }

    /// 1 where something holds, else 0.
    pub(super) fn truth(&mut self, v: ir::Value, to: Reg) -> R {
        let flags = self.flags(v)?;
        let set = |cc| match cc {
            C::A => Mnemonic::Seta,
            C::Ae => Mnemonic::Setae,
            C::B => Mnemonic::Setb,
            C::Be => Mnemonic::Setbe,
            C::E => Mnemonic::Sete,
            C::Ne => Mnemonic::Setne,
            C::G => Mnemonic::Setg,
            C::Ge => Mnemonic::Setge,
            C::L => Mnemonic::Setl,
            C::Le => Mnemonic::Setle,
            C::P => Mnemonic::Setp,
            _ => Mnemonic::Setnp,
        };
        let byte = |r| Arg::Def(r, Width::B);
        match (flags.branch, flags.inverted) {
            (Branch::If(cc), false) => self.op(set(cc), &[byte(to)]),
            (Branch::IfOrParity(_), inverted) => {
                let (a, b) = (self.out.reg(Class::Int), self.out.reg(Class::Int));
                let (first, second, both) = match inverted {
                    true => (Mnemonic::Sete, Mnemonic::Setnp, Mnemonic::And),
                    false => (Mnemonic::Setne, Mnemonic::Setp, Mnemonic::Or),
                };
                self.op(first, &[byte(a)]);
                self.op(second, &[byte(b)]);
                let change = Arg::Change {
                    from: a,
                    to,
                    width: Width::D,
                };
                self.op(both, &[change, Arg::Use(b, Width::D)]);
            }
            (Branch::If(_), true) => return Err("a comparison the other way round".into()),
        }
        Ok(())
    }
}

fn condition(cc: IntCC) -> C {
    match cc {
        IntCC::Equal => C::E,
        IntCC::NotEqual => C::Ne,
        IntCC::SignedLessThan => C::L,
        IntCC::SignedGreaterThanOrEqual => C::Ge,
        IntCC::SignedGreaterThan => C::G,
        IntCC::SignedLessThanOrEqual => C::Le,
        IntCC::UnsignedLessThan => C::B,
        IntCC::UnsignedGreaterThanOrEqual => C::Ae,
        IntCC::UnsignedGreaterThan => C::A,
        IntCC::UnsignedLessThanOrEqual => C::Be,
    }
}
