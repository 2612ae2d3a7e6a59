//! Statements of a function.

use super::cursor::Parse;
use super::inst;
use super::lex::Tok;
use super::module::{Reader, space_named};
use super::operand;
use super::scope::Entity;
use crate::ids::BlockId;
use crate::inst::{Guard, Inst, Loc};
use crate::modifiers::{Cmp, Mods};
use crate::module::{Block, Func};
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most registers that one range may declare.
const MAX_REGISTERS: u64 = 1 << 20;

/// A function's body while it is read.
pub(super) struct Body<'f> {
    pub func: &'f mut Func,
    /// The block that instructions go to; none after a terminator.
    block: Option<BlockId>,
    loc: Loc,
    lines: Vec<u32>,
    /// Names of the function's variables.
    names: FxHashSet<String>,
    /// The lists of `.branchtargets`.
    tables: FxHashMap<String, Vec<BlockId>>,
}

/// Parses a body from its brace on; the line of each instruction.
pub(super) fn parse(reader: &mut Reader<'_, '_>, func: &mut Func) -> Parse<Vec<u32>> {
    reader.cursor.expect('{')?;
    let params = func.params.iter().map(|p| p.name.clone());
    let names = params.chain(func.vars.iter().map(|v| v.name.clone()));
    let mut body = Body {
        names: names.collect(),
        func,
        block: None,
        loc: Loc::default(),
        lines: Vec::new(),
        tables: FxHashMap::default(),
    };
    let mut depth = 0usize;
    loop {
        match reader.cursor.peek() {
            Tok::End => return reader.cursor.expected("`}`"),
            Tok::Punct('{') => {
                reader.cursor.next();
                reader.scopes.enter();
                depth += 1;
            }
            Tok::Punct('}') => {
                reader.cursor.next();
                if depth == 0 {
                    break;
                }
                depth -= 1;
                reader.scopes.leave();
            }
            _ => {
                let before = reader.cursor.byte();
                if body.statement(reader).is_err()
                    && !(reader.cursor.is_after(';') && reader.cursor.byte() > before)
                {
                    reader.cursor.skip_statement();
                }
            }
        }
        if reader.cursor.gave_up() {
            break;
        }
    }
    body.finish(reader)
}

/// `.loc file line column` with what inlining adds; the place.
pub(super) fn loc(reader: &mut Reader<'_, '_>) -> Parse<Loc> {
    reader.cursor.next();
    let file = reader.cursor.number("a file's number")?;
    let line = reader.cursor.number("a line")?;
    let column = reader.cursor.number("a column")?;
    while reader.cursor.eat(',') {
        match reader.cursor.word("`function_name` or `inlined_at`")? {
            "inlined_at" => {
                for _ in 0..3 {
                    reader.cursor.number("a number")?;
                }
            }
            _ => {
                reader.cursor.word("a label")?;
                if reader.cursor.eat('+') {
                    reader.cursor.number("a number")?;
                }
            }
        }
    }
    Ok(Loc {
        file: u16::try_from(file).unwrap_or(0),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u16::try_from(column).unwrap_or(u16::MAX),
    })
}

impl Body<'_> {
    fn statement<'a>(&mut self, reader: &mut Reader<'_, 'a>) -> Parse<()> {
        match reader.cursor.peek() {
            Tok::Dot("reg") => self.registers(reader),
            Tok::Dot("loc") => {
                self.loc = loc(reader)?;
                Ok(())
            }
            Tok::Dot("pragma" | "callprototype" | "calltargets") => {
                reader.cursor.skip_statement();
                Ok(())
            }
            Tok::Dot("extern") => {
                reader.cursor.next();
                Ok(())
            }
            Tok::Dot(name) => {
                match space_named(name) {
                    Some(_) => {
                        for (at, name, mut var) in reader.variables(false)? {
                            // A name may stand for another variable in another scope.
                            while !self.names.insert(var.name.clone()) {
                                var.name += &format!("_{}", self.func.vars.len());
                            }
                            let sym = self.func.add_var(var);
                            reader.declare(at, name, Entity::Sym(sym))?;
                        }
                        Ok(())
                    }
                    None => reader
                        .cursor
                        .expected("an instruction, a label or a declaration"),
                }
            }
            Tok::Word(name) if reader.cursor.ahead(1) == Tok::Punct(':') => {
                let at = reader.cursor.byte();
                reader.cursor.next();
                reader.cursor.next();
                match reader.cursor.peek() {
                    Tok::Dot("branchtargets") => self.branch_targets(reader, name),
                    // What they say of calls, the calls say as well.
                    Tok::Dot("callprototype" | "calltargets") => {
                        reader.cursor.skip_statement();
                        Ok(())
                    }
                    _ => self.label(reader, at, name),
                }
            }
            Tok::Word("brx.idx" | "brx.idx.uni") => self.indexed_branch(reader),
            Tok::Punct(';') => {
                reader.cursor.next();
                Ok(())
            }
            Tok::Word(_) | Tok::Punct('@') => {
                let line = reader.cursor.line();
                let mut inst = inst::parse(reader, self.func)?;
                inst.loc = self.loc;
                self.push(inst, line);
                Ok(())
            }
            _ => reader
                .cursor
                .expected("an instruction, a label or a declaration"),
        }
    }

    /// `.reg .b32 %r<8>, %x;`
    fn registers(&mut self, reader: &mut Reader<'_, '_>) -> Parse<()> {
        reader.cursor.next();
        let ty = reader.ty()?;
        loop {
            let at = reader.cursor.byte();
            let name = reader.cursor.word("a register's name")?;
            let entity = if reader.cursor.eat('<') {
                let count_at = reader.cursor.byte();
                let count = reader.cursor.number("a number of registers")?;
                reader.cursor.expect('>')?;
                let total = count.saturating_add(self.func.regs.len() as u64);
                if count == 0 || total > MAX_REGISTERS {
                    return reader.cursor.fail(
                        count_at,
                        format!("{count} registers; 1 to {MAX_REGISTERS} are possible"),
                    );
                }
                let first = self.func.new_reg(ty.reg());
                for _ in 1..count {
                    self.func.new_reg(ty.reg());
                }
                Entity::Range(first, count as u32)
            } else {
                Entity::Reg(self.func.new_reg(ty.reg()))
            };
            reader.declare(at, name, entity)?;
            if !reader.cursor.eat(',') {
                return reader.cursor.expect(';');
            }
        }
    }

    fn label<'a>(&mut self, reader: &mut Reader<'_, 'a>, at: usize, name: &'a str) -> Parse<()> {
        let block = label_block(reader, self.func, name);
        if self.func.layout.contains(&block) {
            return reader
                .cursor
                .fail(at, format!("the label `{name}` stands here a second time"));
        }
        if self.block.is_some() {
            self.push(jump(block), 0);
        }
        self.func.layout.push(block);
        self.block = Some(block);
        Ok(())
    }

    /// `table: .branchtargets a, b;`
    fn branch_targets<'a>(&mut self, reader: &mut Reader<'_, 'a>, name: &str) -> Parse<()> {
        reader.cursor.next();
        let mut targets = Vec::new();
        loop {
            let label = reader.cursor.word("a label")?;
            targets.push(label_block(reader, self.func, label));
            if !reader.cursor.eat(',') {
                break;
            }
        }
        self.tables.insert(name.to_string(), targets);
        reader.cursor.expect(';')
    }

    /// `brx.idx index, table;` as comparisons and branches: an index beyond the table,
    /// of which the manual says nothing, takes the last branch.
    fn indexed_branch(&mut self, reader: &mut Reader<'_, '_>) -> Parse<()> {
        let line = reader.cursor.line();
        reader.cursor.next();
        let at = reader.cursor.byte();
        let name = reader.cursor.word("a register")?;
        let index = operand::register(reader, at, name)?;
        reader.cursor.expect(',')?;
        let at = reader.cursor.byte();
        let name = reader.cursor.word("the name of a list of labels")?;
        reader.cursor.expect(';')?;
        let Some(targets) = self.tables.get(name).cloned() else {
            let message = format!(
                "`{name}` is no list of labels that stands before; right would be `{name}: .branchtargets ..;`"
            );
            return reader.cursor.fail(at, message);
        };
        let last = targets.len().saturating_sub(1);
        for (i, target) in targets.into_iter().enumerate() {
            let mut taken = jump(target);
            if i < last {
                let equal = self.func.new_reg(RegTy::Pred);
                let operands = [
                    Operand::Reg(equal),
                    Operand::Reg(index),
                    Operand::Imm(i as i64),
                ];
                let mods = Mods {
                    cmp: Cmp::Eq,
                    ..Mods::default()
                };
                let mut compare = Inst::new(Op::Setp, mods, Ty::U32, operands);
                compare.loc = self.loc;
                self.push(compare, line);
                taken.guard = Some(Guard {
                    reg: equal,
                    negated: false,
                });
            }
            taken.loc = self.loc;
            self.push(taken, line);
        }
        Ok(())
    }

    fn push(&mut self, inst: Inst, line: u32) {
        let ends = inst.ends_block();
        let block = match self.block {
            Some(block) => block,
            None => self.func.new_block(""),
        };
        let id = self.func.push(block, inst);
        self.lines.resize(id.index() + 1, 0);
        self.lines[id.index()] = line;
        self.block = (!ends).then_some(block);
    }

    /// Every label that a branch names must stand somewhere; falling out of
    /// the body returns.
    fn finish(mut self, reader: &mut Reader<'_, '_>) -> Parse<Vec<u32>> {
        let line = reader.cursor.line();
        if self.block.is_some() || self.func.layout.is_empty() {
            self.push(Inst::new(Op::Ret, Mods::default(), Ty::None, []), line);
        }
        let mut missing: Vec<&str> = reader
            .scopes
            .labels
            .iter()
            .filter(|(_, block)| !self.func.layout.contains(block))
            .map(|(name, _)| *name)
            .collect();
        missing.sort_unstable();
        let at = reader.cursor.byte();
        let name = &self.func.name;
        for label in &missing {
            let message = format!("`{name}` branches to `{label}`, which stands nowhere in it");
            // All of them are reported.
            let _ = reader.cursor.fail::<()>(at, message);
        }
        if missing.is_empty() {
            Ok(self.lines)
        } else {
            Err(super::cursor::Failed)
        }
    }
}

fn jump(to: BlockId) -> Inst {
    Inst::new(Op::Bra, Mods::default(), Ty::None, [Operand::Label(to)])
}

/// The block of a label, made if this is the label's first mention.
pub(super) fn label_block<'a>(
    reader: &mut Reader<'_, 'a>,
    func: &mut Func,
    name: &'a str,
) -> BlockId {
    *reader.scopes.labels.entry(name).or_insert_with(|| {
        func.blocks.alloc(Block {
            name: None,
            insts: Vec::new(),
        })
    })
}
