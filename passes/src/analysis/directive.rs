//! The directives of a region and of its loops, as the attributes `acc.region` and
//! `acc.loop` carry them.

use terrace_dialects::attributes::ACC_REGION;
use terrace_dialects::attributes::{ACC_LOOP, ACC_ORDERED};
use terrace_ir::{Attr, Context, Op, Value};

use crate::analysis::memory::argument_has;

/// What made a statement a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Construct {
    /// A `parallel` construct.
    Parallel,
    /// A `kernels` construct.
    Kernels,
    /// A `serial` construct.
    Serial,
    /// `scop`, `terrace offload`, or found by the analysis.
    #[default]
    Auto,
}

impl Construct {
    /// The word that notes and attributes say.
    pub fn name(self) -> &'static str {
        match self {
            Construct::Parallel => "parallel",
            Construct::Kernels => "kernels",
            Construct::Serial => "serial",
            Construct::Auto => "auto",
        }
    }

    pub(crate) fn parse(s: &str) -> Option<Construct> {
        Some(match s {
            "parallel" => Construct::Parallel,
            "kernels" => Construct::Kernels,
            "serial" => Construct::Serial,
            "auto" => Construct::Auto,
            _ => return None,
        })
    }
}

/// `acc.region` of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Region {
    pub construct: Construct,
    /// Arrays of different names are different memory: the source promises it, or
    /// the runtime checks.
    pub noalias: bool,
    /// An OpenACC compute construct (or PGI's): its compilers sum floats in any order.
    pub reassociates: bool,
}

/// `acc.loop` of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LoopClauses {
    pub independent: bool,
    pub seq: bool,
    pub auto: bool,
    pub reduction: bool,
    /// Loops, this one included, that the clauses hold for; at least 1.
    pub collapse: usize,
    /// The clauses in the words of the source, in a fixed order.
    pub words: Vec<String>,
    /// Blocks, threads of a block or the iterations of a tile are given as numbers.
    pub numbers: bool,
    /// Its iterations are those of workers.
    pub worker: bool,
    /// It says which iterations are those of blocks, or which those of threads: what is in the
    /// block beside them is for the block as a whole.
    pub levels: bool,
}

fn entry(ctx: &Context, dict: Attr, name: &str) -> Option<Attr> {
    let entries = dict.as_dict(ctx)?;
    entries
        .iter()
        .find(|(k, _)| ctx.str(*k) == name)
        .map(|(_, a)| *a)
}

impl Region {
    pub(crate) fn of(ctx: &Context, function: Op) -> Region {
        let Some(dict) = function.attr(ctx, ACC_REGION) else {
            return Region::default();
        };
        let construct = entry(ctx, dict, "construct").and_then(|a| a.as_str(ctx));
        Region {
            construct: construct.and_then(Construct::parse).unwrap_or_default(),
            noalias: entry(ctx, dict, "noalias").is_some(),
            reassociates: entry(ctx, dict, "source")
                .and_then(|a| a.as_str(ctx))
                .is_some_and(|s| matches!(s, "acc" | "pgi")),
        }
    }
}

/// Whether a directive's word that iterations are independent does not hold of the
/// elements of this array: an argument with `acc.ordered`. The directive counts on copies
/// of it that are not made (`reduction`, `firstprivate`).
pub fn is_ordered(ctx: &Context, memref: Value) -> bool {
    argument_has(ctx, memref, ACC_ORDERED)
}

impl LoopClauses {
    /// The clauses on a loop; `None` where it has no directive.
    pub fn of(ctx: &Context, op: Op) -> Option<LoopClauses> {
        let dict = op.attr(ctx, ACC_LOOP)?;
        let has = |name| entry(ctx, dict, name).is_some();
        let mut words = Vec::new();
        for name in ["independent", "seq", "auto"] {
            if has(name) {
                words.push(name.to_string());
            }
        }
        for name in ["gang", "worker", "vector", "collapse"] {
            let Some(a) = entry(ctx, dict, name) else {
                continue;
            };
            words.push(match a.as_i64(ctx) {
                Some(n) => format!("{name}({n})"),
                None => name.to_string(),
            });
        }
        if let Some(a) = entry(ctx, dict, "tile") {
            let sizes = a.as_i64_array(ctx).unwrap_or_default();
            let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
            words.push(format!("tile({})", sizes.join(", ")));
        }
        for name in ["private", "reduction"] {
            if has(name) {
                words.push(name.to_string());
            }
        }
        let collapse = entry(ctx, dict, "collapse").and_then(|a| a.as_i64(ctx));
        Some(LoopClauses {
            independent: has("independent"),
            seq: has("seq"),
            auto: has("auto"),
            reduction: has("reduction"),
            collapse: collapse.map_or(1, |n| usize::try_from(n).unwrap_or(1).max(1)),
            words,
            numbers: is_numbered(ctx, dict),
            worker: has("worker"),
            levels: (has("gang") != has("vector")) || (has("worker") && !has("gang")),
        })
    }
}

/// The most blocks of a grid along x (CUDA C++ Programming Guide, Technical Specifications per
/// Compute Capability).
const MAX_BLOCKS: i64 = i32::MAX as i64;

fn positive(ctx: &Context, dict: Attr, name: &str) -> Option<i64> {
    entry(ctx, dict, name)?.as_i64(ctx).filter(|n| *n > 0)
}

/// Numbers that directives give for a nest.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sizes {
    /// Blocks of the whole grid.
    pub gangs: Option<i64>,
    /// Threads of a block along y.
    pub workers: Option<i64>,
    /// Threads of a block along x.
    pub vector: Option<i64>,
}

impl Sizes {
    /// Of the construct around a region.
    pub(crate) fn of_function(ctx: &Context, function: Op) -> Sizes {
        let Some(d) = function.attr(ctx, ACC_REGION) else {
            return Sizes::default();
        };
        Sizes {
            gangs: positive(ctx, d, "num_gangs").map(|n| n.min(MAX_BLOCKS)),
            workers: positive(ctx, d, "num_workers"),
            vector: positive(ctx, d, "vector_length"),
        }
    }

    /// With what the directive on a loop says instead.
    pub(crate) fn with_loop(self, ctx: &Context, op: Op) -> Sizes {
        let Some(d) = op.attr(ctx, ACC_LOOP) else {
            return self;
        };
        Sizes {
            gangs: (positive(ctx, d, "gang").map(|n| n.min(MAX_BLOCKS))).or(self.gangs),
            workers: positive(ctx, d, "worker").or(self.workers),
            vector: positive(ctx, d, "vector").or(self.vector),
        }
    }
}

/// Whether clauses give numbers of blocks, of threads, or of a tile's iterations.
fn is_numbered(ctx: &Context, dict: Attr) -> bool {
    let number = |name| entry(ctx, dict, name).is_some_and(|a| a.as_i64(ctx).is_some());
    let numbers = ["gang", "worker", "vector"];
    let of_construct = ["num_gangs", "num_workers", "vector_length"];
    entry(ctx, dict, "tile").is_some() || numbers.into_iter().chain(of_construct).any(number)
}

/// What in or around a nest says in numbers how it is to be divided among blocks and threads,
/// so that a mapper that chooses them itself has to leave it alone: the op with the clauses.
pub(crate) fn fixed_shape(ctx: &Context, nest: Op) -> Option<Op> {
    let of_loop = |o: &Op| LoopClauses::of(ctx, *o).is_some_and(|c| c.numbers);
    let within = nest.pre_order(ctx).into_iter();
    let around = std::iter::successors(nest.parent(ctx), |o| o.parent(ctx));
    let mut all = within.chain(around);
    all.find(|o| {
        let region = o.attr(ctx, ACC_REGION);
        of_loop(o) || region.is_some_and(|dict| is_numbered(ctx, dict))
    })
}

/// Whether the author left it open how the loops of a parallel nest are divided among blocks and
/// threads: no clause gives a number of them. `gang` or `vector` alone says that iterations run side
/// by side, and OpenACC leaves it to the implementation how many gangs there are and what of the
/// machine each of them is (OpenACC 3.3, sections 2.9.2 and 2.9.4).
pub(crate) fn is_free(ctx: &Context, nest: Op) -> bool {
    fixed_shape(ctx, nest).is_none()
}

/// What in a nest of loops as written says in numbers how they are divided among blocks and threads,
/// or that they are not: the loop with the clauses.
pub(crate) fn divided(ctx: &Context, nest: Op) -> Option<Op> {
    fixed_shape(ctx, nest)
        .or_else(|| (nest.pre_order(ctx).into_iter()).find(|o| is_sequential(ctx, *o)))
}

/// Whether a loop's directive says that its iterations run one after another.
pub(crate) fn is_sequential(ctx: &Context, op: Op) -> bool {
    LoopClauses::of(ctx, op).is_some_and(|c| c.seq)
}
