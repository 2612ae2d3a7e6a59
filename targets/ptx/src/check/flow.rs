//! Block structure, and definition before use on all paths.

use super::{InstPlace, Reporter, Rule, Severity};
use crate::cfg::Cfg;
use crate::ids::Reg;
use crate::inst::Guard;
use crate::module::{Func, FuncKind};
use crate::op::Op;
use rustc_hash::FxHashSet;

pub(super) fn check(r: &mut Reporter<'_>) {
    block_ends(r);
    definitions(r);
}

fn block_ends(r: &mut Reporter<'_>) {
    let func = r.func;
    if func.layout.is_empty() {
        let expected = "an entry block that ends in ret or exit";
        r.push(Severity::Error, Rule::BlockEnd, None, "no blocks", expected);
    }
    let mut seen = FxHashSet::default();
    for &block in &func.layout {
        if !seen.insert(block) {
            let found = format!("block {} laid out twice", block.index());
            r.push(Severity::Error, Rule::BlockEnd, None, found, "each once");
        }
        let Some(body) = func.blocks.get(block) else {
            let found = format!(
                "block {} in the layout, which does not exist",
                block.index()
            );
            let expected = "a block of this function";
            r.push(Severity::Error, Rule::Missing, None, found, expected);
            continue;
        };
        let mut ended = false;
        let mut branched = false;
        for (index, &inst) in body.insts.iter().enumerate() {
            let place = InstPlace { block, index, inst };
            let Some(inst) = func.insts.get(inst) else {
                continue;
            };
            if ended {
                let found = "an instruction after the end of its block";
                r.error(Rule::BlockEnd, place, found, "no more instructions");
                break;
            }
            if branched && inst.op != Op::Bra && !inst.ends_block() {
                let found = "an instruction after a conditional branch";
                let expected = "the block's last branch, or a block of its own";
                r.error(Rule::BlockEnd, place, found, expected);
            }
            branched |= inst.op == Op::Bra;
            ended = inst.ends_block();
        }
        if !ended {
            let place = body.insts.last().map(|&inst| InstPlace {
                block,
                index: body.insts.len() - 1,
                inst,
            });
            let found = format!("no terminator at the end of block {}", block.index());
            let expected = "an unguarded bra, ret or exit";
            r.push(Severity::Error, Rule::BlockEnd, place, found, expected);
        }
    }
}

/// A set of registers as bits.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn empty(n: usize) -> Set {
        Set(vec![0; n.div_ceil(64)])
    }
    fn full(n: usize) -> Set {
        Set(vec![u64::MAX; n.div_ceil(64)])
    }
    fn insert(&mut self, reg: Reg) {
        if let Some(word) = self.0.get_mut(reg.index() / 64) {
            *word |= 1 << (reg.index() % 64);
        }
    }
    fn has(&self, reg: Reg) -> bool {
        // A register the function lacks is somebody else's finding.
        self.0
            .get(reg.index() / 64)
            .is_none_or(|word| word >> (reg.index() % 64) & 1 == 1)
    }
    fn intersect(&mut self, other: &Set) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
    }
}

/// Registers that a guarded instruction wrote, as far as that is known within
/// a block: written under p and under !p is written.
#[derive(Default)]
struct Partial(FxHashSet<(Reg, Guard)>);

impl Partial {
    /// Notes a guarded write; true if the register is now written for sure.
    fn write(&mut self, reg: Reg, guard: Guard) -> bool {
        self.0.insert((reg, guard));
        self.0.contains(&(reg, guard.inverted()))
    }

    fn has(&self, reg: Reg, guard: Option<Guard>) -> bool {
        guard.is_some_and(|g| self.0.contains(&(reg, g)))
    }

    /// A predicate got a new value: what was noted under it is void.
    fn forget(&mut self, pred: Reg) {
        if !self.0.is_empty() {
            self.0.retain(|(_, g)| g.reg != pred);
        }
    }
}

fn definitions(r: &mut Reporter<'_>) {
    let func = r.func;
    let cfg = r.cfg;
    if cfg.is_empty() {
        return;
    }
    let n = func.regs.len();
    let mut entry = Set::empty(n);
    for arg in &func.args {
        entry.insert(*arg);
    }
    // Written at the end of each block; everything, before it is visited, so
    // that loops start optimistic and only lose.
    let mut out: Vec<Set> = vec![Set::full(n); cfg.len()];
    let start = |out: &[Set], b: u32| {
        let mut set = if b == 0 { entry.clone() } else { Set::full(n) };
        for p in &cfg.preds[b as usize] {
            if cfg.is_reachable(*p) {
                set.intersect(&out[*p as usize]);
            }
        }
        set
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &b in &cfg.rpo {
            let mut set = start(&out, b);
            walk(func, cfg, b, &mut set, |_, _| {});
            if set != out[b as usize] {
                out[b as usize] = set;
                changed = true;
            }
        }
    }
    // Unreachable blocks start with everything written: they never run.
    let mut reported = FxHashSet::default();
    let mut findings = Vec::new();
    for &b in &cfg.rpo {
        let mut set = start(&out, b);
        walk(func, cfg, b, &mut set, |place, reg| {
            if reported.insert(reg) {
                findings.push((place, reg));
            }
        });
    }
    findings.sort_by_key(|(place, _)| (cfg.position(place.block), place.index));
    for (place, reg) in findings {
        let name = func.regs.get(reg).and_then(|i| i.name.as_deref());
        let what = match name {
            Some(name) => format!("register {} ({name})", reg.index()),
            None => format!("register {}", reg.index()),
        };
        r.error(
            Rule::Undefined,
            place,
            format!("a use of {what}, which is not written on every path to here"),
            "a write before the use on every path",
        );
    }
    if let (FuncKind::Device, Some(result)) = (func.kind, func.result) {
        for &b in &cfg.rpo {
            let returns = cfg.exits[b as usize] && ends_in_ret(func, cfg, b);
            if returns && !out[b as usize].has(result) {
                r.push(
                    Severity::Error,
                    Rule::Undefined,
                    None,
                    "a return without the result register written",
                    "a write of the result on every path to ret",
                );
                break;
            }
        }
    }
}

fn ends_in_ret(func: &Func, cfg: &Cfg, b: u32) -> bool {
    let last = func
        .blocks
        .get(cfg.blocks[b as usize])
        .and_then(|body| body.insts.last());
    last.and_then(|id| func.insts.get(*id))
        .is_some_and(|inst| inst.op == Op::Ret)
}

/// Adds to `set` what a block writes, and calls `undefined` on every register
/// read while not in it.
fn walk(func: &Func, cfg: &Cfg, b: u32, set: &mut Set, mut undefined: impl FnMut(InstPlace, Reg)) {
    let block = cfg.blocks[b as usize];
    let Some(body) = func.blocks.get(block) else {
        return;
    };
    let mut partial = Partial::default();
    for (index, &id) in body.insts.iter().enumerate() {
        let Some(inst) = func.insts.get(id) else {
            continue;
        };
        inst.for_each_use(|reg| {
            if !set.has(reg) && !partial.has(reg, inst.guard) {
                let place = InstPlace {
                    block,
                    index,
                    inst: id,
                };
                undefined(place, reg);
            }
        });
        inst.for_each_def(|reg| {
            match inst.guard {
                None => set.insert(reg),
                Some(guard) => {
                    if partial.write(reg, guard) {
                        set.insert(reg);
                    }
                }
            }
            partial.forget(reg);
        });
    }
}
