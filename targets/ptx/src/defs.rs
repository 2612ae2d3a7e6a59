//! Where registers are written.

use super::cfg::{Cfg, Point, points};
use super::ids::{InstId, Reg};
use super::inst::Inst;
use super::module::Func;
use rustc_hash::FxHashMap;

/// For each register, its one definition, if it has exactly one and that one
/// is unguarded. Such a register behaves as in SSA form: in code where every
/// use is defined, the definition dominates the uses.
#[derive(Clone, Debug)]
pub struct Defs {
    single: Vec<Option<(Point, InstId)>>,
    counts: Vec<u32>,
    args: Vec<bool>,
    /// Of registers written several times: the first two places.
    several: FxHashMap<Reg, [(Point, InstId); 2]>,
}

impl Defs {
    /// Collects them. Arguments of a device function count as written.
    pub fn new(func: &Func) -> Defs {
        let n = func.regs.len();
        let mut defs = Defs {
            single: vec![None; n],
            counts: vec![0; n],
            args: vec![false; n],
            several: FxHashMap::default(),
        };
        // The first definition, guarded or not.
        let mut first = vec![None; n];
        for arg in &func.args {
            if let Some(count) = defs.counts.get_mut(arg.index()) {
                *count += 1;
                defs.args[arg.index()] = true;
            }
        }
        for (point, id) in points(func) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            inst.for_each_def(|reg| {
                if let Some(count) = defs.counts.get_mut(reg.index()) {
                    *count += 1;
                    let first = &mut first[reg.index()];
                    if *count == 1 {
                        *first = Some((point, id));
                    } else if let (2, Some(first)) = (*count, *first) {
                        defs.several.insert(reg, [first, (point, id)]);
                    }
                    defs.single[reg.index()] =
                        (*count == 1 && inst.guard.is_none()).then_some((point, id));
                }
            });
        }
        defs
    }

    /// The place of the register's one unguarded definition.
    pub fn single(&self, reg: Reg) -> Option<(Point, InstId)> {
        self.single.get(reg.index()).copied().flatten()
    }

    /// The places of the register's two definitions, if it has exactly two, in
    /// the order of the layout.
    pub fn pair(&self, reg: Reg) -> Option<[(Point, InstId); 2]> {
        let two = self.counts.get(reg.index()) == Some(&2);
        self.several.get(&reg).filter(|_| two).copied()
    }

    /// The instruction of the register's one unguarded definition.
    pub fn inst<'f>(&self, func: &'f Func, reg: Reg) -> Option<&'f Inst> {
        func.insts.get(self.single(reg)?.1)
    }

    /// Whether the register never changes once it has a value: written once,
    /// unguarded, or an argument that is never written.
    pub fn is_stable(&self, reg: Reg) -> bool {
        self.single(reg).is_some()
            || self.args.get(reg.index()) == Some(&true) && self.counts[reg.index()] == 1
    }

    /// Whether the value at `use_at` of a stable register is that of its
    /// definition: the definition comes before on every path.
    pub fn reaches(&self, cfg: &Cfg, reg: Reg, use_at: Point) -> bool {
        match self.single(reg) {
            Some((def, _)) if def.block == use_at.block => def.index < use_at.index,
            Some((def, _)) => cfg.dominates(def.block, use_at.block),
            None => false,
        }
    }
}
