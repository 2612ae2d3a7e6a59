//! What the passes on memory look up about a function, made together.

use super::alias::{Aliases, is_fence};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::InstId;
use crate::inst::Inst;
use crate::modifiers::{Cache, Sem};
use crate::module::Func;
use crate::op::Op;
use crate::polynomial::{Polynomials, never_exact};
use crate::values::Values;

/// The analyses of one state of a function; stale as soon as it changes.
pub(super) struct Facts {
    pub cfg: Cfg,
    pub defs: Defs,
    pub values: Values,
    pub forms: Polynomials,
    pub aliases: Aliases,
}

impl Facts {
    pub fn new(func: &Func) -> Facts {
        Facts::with(func, Cfg::new(func), Defs::new(func))
    }

    /// Makes what is missing.
    pub fn with(func: &Func, cfg: Cfg, defs: Defs) -> Facts {
        let values = Values::new(func, &cfg, &defs);
        let forms = Polynomials::new(func, &cfg, &values, &never_exact);
        let aliases = Aliases::with(func, &cfg, &values, &forms);
        Facts {
            cfg,
            defs,
            values,
            forms,
            aliases,
        }
    }
}

/// Whether the function has any load or store beyond those of parameters.
pub(super) fn accesses_memory(func: &Func) -> bool {
    func.insts_in_layout()
        .any(|i| matches!(i.op, Op::Ld | Op::St) && i.mods.space != crate::modifiers::Space::Param)
}

/// Whether a load or store is free to be moved, merged or left out: neither
/// ordered nor volatile.
pub(super) fn is_plain(inst: &Inst) -> bool {
    matches!(inst.op, Op::Ld | Op::St)
        && matches!(inst.mods.sem, Sem::Default | Sem::Weak)
        && inst.mods.cache != Cache::Cv
        && !is_fence(inst)
}

/// The instructions of a block, by position.
pub(super) fn insts_of<'f>(func: &'f Func, cfg: &Cfg, block: u32) -> &'f [InstId] {
    let body = (cfg.blocks.get(block as usize)).and_then(|b| func.blocks.get(*b));
    body.map_or(&[], |body| &body.insts)
}
