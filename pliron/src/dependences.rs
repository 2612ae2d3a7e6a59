//! Data dependences of a module's loops, exactly.

use crate::Module;
use crate::sets::{Int, Relation};
use pliron::context::Ptr;
use pliron::operation::Operation;
use terrace_ir as ir;
use terrace_passes::analysis::dependence::{self, Kind, Options};

/// The iterations of two accesses that touch the same element, in the order that one loop brings them
/// in.
#[derive(Debug, Clone)]
pub struct Dependence {
    /// Which of the two writes.
    pub kind: Kind,
    /// The op that comes first; `None` where a pass made it.
    pub source: Option<Ptr<Operation>>,
    /// The op that comes second.
    pub sink: Option<Ptr<Operation>>,
    /// The loops around both, the outermost first.
    pub loops: Vec<Option<Ptr<Operation>>>,
    /// From 1 for the outermost loop around both, which brings the second after the first; one more
    /// than there are loops where the order in the block does. `None` where an op does whose
    /// iterations are not counted.
    pub level: Option<usize>,
    /// For each loop around both the least and the greatest difference of its counters, where there
    /// is one.
    pub distance: Vec<(Option<Int>, Option<Int>)>,
    /// Whether these are all the iterations and nothing else.
    pub exact: bool,
    /// From iterations of the first to those of the second.
    pub iterations: Relation,
}

impl Module {
    /// The dependences through memory of a function, or of all functions.
    ///
    /// # Errors
    ///
    /// That there is no such function.
    pub fn dependences(&self, function: Option<&str>) -> Result<Vec<Dependence>, String> {
        let (ctx, module) = (&self.program.ctx, self.program.module);
        let functions = module.body(ctx, 0).ops(ctx);
        let named = |f: &ir::Op| function.is_none_or(|name| f.symbol_name(ctx) == Some(name));
        let functions: Vec<ir::Op> = functions.into_iter().filter(named).collect();
        if let (Some(name), true) = (function, functions.is_empty()) {
            return Err(format!("the module has no function @{name}"));
        }
        let found = functions.into_iter().flat_map(|f| {
            let of = dependence::dependences(ctx, f, &Options::default());
            of.all
        });
        Ok(found.map(|d| self.dependence(&d)).collect())
    }

    fn dependence(&self, d: &dependence::Dependence) -> Dependence {
        let of = |op: ir::Op| self.origins.get(&op).copied();
        Dependence {
            kind: d.kind,
            source: of(d.source_op),
            sink: of(d.sink_op),
            loops: d.loops.iter().map(|l| of(l.op)).collect(),
            level: d.level(),
            distance: (d.distance.iter())
                .map(|e| (e.min.clone(), e.max.clone()))
                .collect(),
            exact: d.is_exact(),
            iterations: d.relation(),
        }
    }
}
