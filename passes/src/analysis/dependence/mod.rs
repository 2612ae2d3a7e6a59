//! Data dependences of affine programs, exactly.
//!
//! A dependence is a pair of iterations of two accesses, the first of which comes
//! before the second, that touch the same element. All pairs of two accesses are a
//! relation of integer tuples, which is kept as it is (no direction vectors in its
//! place): P. Feautrier, "Dataflow analysis of array and scalar references", 1991;
//! W. Pugh, "The Omega test", 1991. The parts:
//!
//! * [`Domain`]: which iterations run an op, from loops, steps, bounds and conditions;
//! * [`AccessSite`]: which element an access touches, through `affine.apply`,
//!   arithmetic on indices, views, and linearised subscripts (`delinearize`, and `shape` for
//!   those who rewrite them); of a kernel only which arrays (`kernel`);
//! * [`dependences`]: for each pair of accesses and each loop around both, the
//!   iterations that depend on each other with that loop carrying it, and once more
//!   for those in the same iteration of all loops around both.
//!
//! Every answer is one of three: there is none; there is, exactly these iterations;
//! or there may be, at most these, and [`Dependence::doubt`] says why.

mod carried;
mod certain;
mod conditions;
mod delinearize;
mod distance;
mod domain;
mod kernel;
mod linear;
mod object;
mod pairs;
mod params;
mod point;
mod poly;
mod presume;
mod privatize;
mod reductions;
mod same;
mod shape;
mod sites;
mod strides;
mod value_based;
mod values;
pub mod words;
mod written;

use std::rc::Rc;

use rustc_hash::FxHashMap;
use terrace_dialects::arith::AtomicRmwKind;
use terrace_ir::{Context, Op, Value};
use terrace_presburger::{Conjunct, Relation, Space};

pub(crate) use carried::CarriedValue;
pub(crate) use conditions::{Comparison, implied};
pub(crate) use distance::Extent;
pub(crate) use domain::{Domain, LoopDim};
pub(crate) use object::allocated;
pub use params::{Param, Params};
pub use poly::Poly;
pub(crate) use presume::{Presumed, is_unsigned, presume, presume_positive, presumptions};
pub(crate) use privatize::Private;
pub(crate) use reductions::MemoryReduction;
pub(crate) use same::same_element;
pub(crate) use shape::{Delinearized, Size, delinearized};
pub(crate) use sites::AccessSite;
pub(crate) use values::Reason;

/// What to look for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Dependences between two reads too.
    pub input: bool,
    /// Take the end of an allocation's life for a write to all of it.
    pub frees: bool,
    /// Two memref arguments of a function may be the same memory. MLIR's own analyses,
    /// and this one by default, take them to be different.
    pub arguments_alias: bool,
    /// An op of an unknown dialect touches no memory but that of its operands. As
    /// MLIR's analyses; only tests have such ops.
    pub trust_unregistered: bool,
    /// Compute [`Dependence::distance`].
    pub distances: bool,
    /// Count the iterations of `scf.for` too, as far as its bounds and step are known;
    /// else it is an op whose iterations are not counted.
    pub scf_loops: bool,
}

impl Options {
    /// How regions are seen: iterations of `scf.for` are counted too.
    pub(crate) fn of_regions() -> Options {
        Options {
            scf_loops: true,
            ..Options::default()
        }
    }

    /// Of regions, for questions about iterations and subscripts alone.
    pub(crate) fn of_iterations() -> Options {
        Options {
            frees: false,
            distances: false,
            ..Options::of_regions()
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            input: false,
            frees: true,
            arguments_alias: false,
            trust_unregistered: false,
            distances: true,
            scf_loops: false,
        }
    }
}

/// The accesses of a program and the values their subscripts and loops depend on.
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) root: Op,
    /// The values that do not change, by number.
    pub params: Params,
    /// In the order of the text; of one op the reads before the writes.
    pub sites: Vec<AccessSite>,
    pub(crate) options: Options,
    /// The iterations of the bodies of `affine.for` and counted `scf.for` ops.
    bodies: FxHashMap<Op, Rc<Domain>>,
}

impl Program {
    /// Whether the iterations of a loop are counted: without that nothing is said about
    /// what it carries.
    pub(crate) fn counts(&self, l: Op) -> bool {
        self.bodies.contains_key(&l)
    }

    /// The relations that [`dependences`] asks whether they are empty, in the notation
    /// of integer-set libraries, a line each.
    pub(crate) fn questions(&self, ctx: &Context) -> String {
        let mut text = String::new();
        for r in pairs::questions(ctx, self) {
            text.push_str(&r.to_string());
            text.push('\n');
        }
        text
    }
}

/// What each of the two accesses does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A write, then a read.
    Flow,
    /// A read, then a write.
    Anti,
    /// A write, then a write.
    Output,
    /// A read, then a read.
    Input,
}

impl Kind {
    /// The word that remarks and notes say.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Flow => "flow",
            Kind::Anti => "anti",
            Kind::Output => "output",
            Kind::Input => "input",
        }
    }
}

/// What brings the second access after the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// A loop around both, by its place in [`Dependence::loops`]: it is in a later
    /// iteration, all loops before it in the same.
    Loop(usize),
    /// All loops around both are in the same iteration: the order of the text does.
    Independent,
    /// An op around both whose iterations are not counted.
    Opaque(Op),
}

/// The iterations of two accesses that depend on each other, with one carrier.
#[derive(Debug, Clone)]
pub struct Dependence {
    /// Which of the two accesses write.
    pub kind: Kind,
    /// Numbers of [`Program::sites`].
    pub source: usize,
    /// The number of the access that comes second.
    pub sink: usize,
    /// The op of the first access.
    pub source_op: Op,
    /// The op of the second access.
    pub sink_op: Op,
    /// The memory; `None` where one of the two may touch any.
    pub memref: Option<Value>,
    /// The loops around both accesses, the outermost first.
    pub loops: Vec<LoopDim>,
    /// What brings the second access after the first.
    pub carrier: Carrier,
    /// For each common loop, how far the second access is ahead of the first, in
    /// units of the loop variable. Empty if not asked for.
    pub distance: Vec<Extent>,
    /// Why there may be fewer iterations than these, or none.
    pub doubt: Option<Reason>,
    /// The carrying loop only brings the updates of a reduction into an order, which
    /// does not matter but for the rounding of floats.
    pub reduction: Option<AtomicRmwKind>,
    space: Space,
    pieces: Vec<Conjunct>,
}

impl Dependence {
    /// Parameters of the program, loops around the source, loops around the sink.
    pub(crate) fn space(&self) -> Space {
        self.space
    }

    /// The conjunctions whose union is the relation.
    pub fn pieces(&self) -> &[Conjunct] {
        &self.pieces
    }

    /// From iterations of the source to iterations of the sink.
    pub fn relation(&self) -> Relation {
        Relation::from_pieces(self.space, self.pieces.clone())
    }

    /// Whether these are all the iterations and nothing else.
    pub fn is_exact(&self) -> bool {
        self.doubt.is_none()
    }

    /// From 1 for the outermost common loop; one more than there are common loops
    /// where no loop carries it. `None` for [`Carrier::Opaque`].
    pub fn level(&self) -> Option<usize> {
        match self.carrier {
            Carrier::Loop(i) => Some(i + 1),
            Carrier::Independent => Some(self.loops.len() + 1),
            Carrier::Opaque(_) => None,
        }
    }

    /// The loop that carries it.
    pub fn carrying_loop(&self) -> Option<LoopDim> {
        match self.carrier {
            Carrier::Loop(i) => self.loops.get(i).copied(),
            _ => None,
        }
    }
}

/// The dependences of a program.
#[derive(Debug, Clone)]
pub struct Dependences {
    /// The accesses that these are between.
    pub program: Program,
    /// Those through memory, ordered by source and then by sink. A pair of accesses has one for
    /// each carrier, and pairs of loads have them only with [`Options::input`].
    pub all: Vec<Dependence>,
    /// Values that loops carry in SSA form.
    pub carried: Vec<CarriedValue>,
    /// Updates of memory that are reductions of some loop, or would be.
    pub reductions: Vec<MemoryReduction>,
}

impl Dependences {
    pub(crate) fn source(&self, d: &Dependence) -> &AccessSite {
        &self.program.sites[d.source]
    }

    pub(crate) fn sink(&self, d: &Dependence) -> &AccessSite {
        &self.program.sites[d.sink]
    }

    /// Those through memory that the loop of this variable carries.
    pub(crate) fn carried_by(&self, iv: Value) -> impl Iterator<Item = &Dependence> {
        self.all
            .iter()
            .filter(move |d| d.carrying_loop().is_some_and(|l| l.iv == iv))
    }
}

/// All dependences between accesses in `root`: a function, a loop, or any op that runs
/// what is in it. Loops around the root do not count as loops; their variables are
/// parameters.
pub fn dependences(ctx: &Context, root: Op, options: &Options) -> Dependences {
    let program = Program::of(ctx, root, options);
    let mut all = pairs::all(ctx, &program);
    let carried = carried::find(ctx, &program);
    let reductions = reductions::find(ctx, &program, &mut all);
    Dependences {
        program,
        all,
        carried,
        reductions,
    }
}

/// The dependences through memory between accesses in `root` of which `wanted` says so,
/// source and sink; `None` where there are more than `most` accesses.
pub(crate) fn dependences_between(
    ctx: &Context,
    root: Op,
    options: &Options,
    most: usize,
    wanted: &dyn Fn(&AccessSite, &AccessSite) -> bool,
) -> Option<Dependences> {
    let program = Program::of(ctx, root, options);
    if program.sites.len() > most {
        return None;
    }
    let all = pairs::between(ctx, &program, wanted);
    Some(Dependences {
        program,
        all,
        carried: Vec::new(),
        reductions: Vec::new(),
    })
}

/// A dependence through memory that loop `l` (an `affine.for`, or the first variable
/// of an `affine.parallel`) carries or may carry: the first found. Without one, the
/// iterations of the loop may run in any order as far as memory is concerned.
pub(crate) fn first_carried(ctx: &Context, l: Op) -> Option<(Program, Dependence)> {
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let program = Program::of(ctx, l, &options);
    let found = pairs::first_carried(ctx, &program)?;
    Some((program, found))
}
