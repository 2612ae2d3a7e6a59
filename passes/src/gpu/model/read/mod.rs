//! A nest of affine loops as numbers.
//!
//! Read are `affine.parallel` and what stands in it: affine loops and conditions, accesses
//! at affine subscripts, and arithmetic. What has no constant value needs one given
//! ([`Options::sizes`]). Counters of loops around the nest, which are sequential and launch
//! it again and again, have the value in their middle.
//!
//! Accesses are counted as the compiler makes them, which `moves` knows. `loops` reads loops,
//! `body` what stands in them, `conditions` what conditions say, `access` arrays and accesses,
//! `value` subscripts and bounds.

mod access;
mod body;
mod conditions;
mod loops;
mod value;

use super::moves;
use super::nest::{Affine, Guard, Nest};
use crate::analysis::source;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use terrace_dialects::affine;
use terrace_dialects::attributes::ACC_NAME;
use terrace_dialects::memref;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// What is known beside the program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values of index arguments by name (`N`, or `arg0`), and sizes of dynamic dimensions
    /// (`A.0` for the first dimension of `A`).
    pub sizes: Vec<(String, i64)>,
    /// Count accesses as they stand, every time.
    pub as_written: bool,
    /// What values are taken to be that do not change in the nest and are not known; without
    /// it they are refused.
    pub assume: Option<i64>,
    /// Arrays whose outermost dimension has no known size are taken to be as large as what
    /// is accessed: no address depends on it.
    pub endless: bool,
}

/// Why a nest cannot be read, and where.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub op: Op,
    pub message: String,
}

/// How deep loops and conditions are followed.
const MAX_DEPTH: usize = 48;

type Read<T> = Result<T, Refusal>;

/// Reads the nest that an `affine.parallel` is the outermost loop of.
///
/// # Errors
///
/// What is not affine, has no known value, or is not understood.
pub fn read(ctx: &Context, root: affine::ParallelOp, options: &Options) -> Read<Nest> {
    let mut r = Reader {
        ctx,
        options,
        root: root.op(),
        nest: Nest {
            launches: 1.0,
            ..Nest::default()
        },
        counters: FxHashMap::default(),
        arrays: FxHashMap::default(),
        bases: Vec::new(),
        loops: Vec::new(),
        guards: Vec::new(),
        assumed: RefCell::default(),
    };
    let refuse = |message: String| Refusal {
        op: root.op(),
        message,
    };
    r.around(root.op())?;
    r.band(root)?;
    if !options.as_written {
        r.nest.optimised = true;
        moves::simplify(&mut r.nest);
    }
    for unknown in r.assumed.take() {
        if let Some(n) = options.assume {
            r.note(&format!(
                "{} is not known and taken to be {n}",
                unknown.words
            ));
        }
        r.nest.assumed.push(unknown.key);
    }
    r.nest.check().map_err(refuse)?;
    Ok(r.nest)
}

struct Reader<'a> {
    ctx: &'a Context,
    options: &'a Options,
    root: Op,
    nest: Nest,
    /// What counters of loops are, in trips.
    counters: FxHashMap<Value, Affine>,
    arrays: FxHashMap<Value, usize>,
    /// For each array the memory that it is in.
    bases: Vec<Value>,
    /// The loops around the place that is read.
    loops: Vec<usize>,
    guards: Vec<Guard>,
    /// What was not known, in the order in which it was met.
    assumed: RefCell<Vec<Unknown>>,
}

/// A value that is not known.
#[derive(Clone, PartialEq, Eq)]
struct Unknown {
    /// For people.
    words: String,
    /// As [`Options::sizes`] would have it; empty where it has no name.
    key: String,
}

/// The name of a value, and the one it has by its number; of an array with the dimensions that
/// its subscripts have, those of the array.
pub(super) fn names(ctx: &Context, v: Value) -> Vec<String> {
    let view = v
        .def_op()
        .filter(|o| o.isa::<memref::ReinterpretCastOp>(ctx));
    if let Some(view) = view {
        return names(ctx, view.operand(ctx, 0));
    }
    let mut out: Vec<String> = v
        .loc(ctx)
        .name(ctx)
        .map(str::to_string)
        .into_iter()
        .collect();
    if (v.def_op()).is_some_and(|o| o.name(ctx) == memref::GetGlobalOp::NAME) {
        out.insert(0, source::array(ctx, v));
    }
    if let Some(block) = v.arg_block().filter(|b| b.is_entry(ctx)) {
        if let Some(name) = argument_name(ctx, block, v) {
            out.push(name);
        }
        out.push(format!("arg{}", v.index(ctx)));
    }
    out
}

/// What the source calls an argument of a function.
fn argument_name(ctx: &Context, block: Block, v: Value) -> Option<String> {
    let attrs = block.parent_op(ctx)?.attr(ctx, "arg_attrs")?;
    let dict = attrs.as_array(ctx)?.get(v.index(ctx))?.as_dict(ctx)?;
    let named = dict.iter().find(|(k, _)| ctx.str(*k) == ACC_NAME)?;
    named.1.as_str(ctx).map(str::to_string)
}

fn overflow(op: Op) -> Refusal {
    Refusal {
        op,
        message: "numbers of the nest are too large".into(),
    }
}

impl Reader<'_> {
    fn note(&mut self, text: &str) {
        if !self.nest.notes.iter().any(|n| n == text) {
            self.nest.notes.push(text.to_string());
        }
    }
}
