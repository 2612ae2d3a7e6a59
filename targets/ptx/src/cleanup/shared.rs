//! What several simplifications look up about a function, made once and kept
//! for as long as it holds.

use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::module::Func;

/// The control-flow graph and the definitions of one function. Whoever changes
/// the function says what no longer holds; changing operands, or an instruction
/// for another that writes the same registers under the same guard, leaves both
/// as they are.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    cfg: Option<Cfg>,
    defs: Option<Defs>,
}

impl Shared {
    /// The graph.
    pub fn cfg(&mut self, func: &Func) -> &Cfg {
        self.cfg.get_or_insert_with(|| Cfg::new(func))
    }

    /// The definitions.
    pub fn defs(&mut self, func: &Func) -> &Defs {
        self.defs.get_or_insert_with(|| Defs::new(func))
    }

    /// Both.
    pub fn both(&mut self, func: &Func) -> (&Cfg, &Defs) {
        let cfg = self.cfg.get_or_insert_with(|| Cfg::new(func));
        (cfg, self.defs.get_or_insert_with(|| Defs::new(func)))
    }

    /// Blocks, their order, or branches have changed.
    pub fn blocks_changed(&mut self) {
        *self = Shared::default();
    }

    /// Instructions other than branches have come, gone or moved.
    pub fn instructions_changed(&mut self) {
        self.defs = None;
    }
}
