//! Which variables go to constant memory.
//!
//! Constant memory is read through a cache that serves all threads of a warp at once where
//! they read the same element, and one after another where not. So a `memref.global` that is
//! `constant` goes there if it is only ever read, at indices that are the same for all
//! threads of a warp, and if there is room: a module has 64 KiB, handed out in the order of
//! the declarations. All others stay in global memory.

use super::value::{MemRefTy, space_of};
use crate::ptx::Space;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::vector;
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::{Context, Op, OpKind, TypeData, Value};

/// Bytes that a module's variables begin at multiples of.
const ALIGNMENT: u64 = 16;

/// What reads elements, with the number of operands in front of the indices.
const READS: &[(&str, usize)] = &[(memref::LoadOp::NAME, 1), (vector::LoadOp::NAME, 1)];

/// The names of the variables of `gpu_module` that go to constant memory though nothing
/// says so, where `most` bytes are there.
pub(super) fn chosen(ctx: &Context, gpu_module: Op, most: u64) -> FxHashSet<String> {
    let globals: Vec<memref::GlobalOp> = gpu_module.find_all(ctx);
    let mut room = most;
    let mut candidates = Vec::new();
    for g in globals {
        let Some(bytes) = bytes(ctx, g) else {
            continue;
        };
        match is_constant_space(ctx, g) {
            // What the program itself puts there comes first.
            true => room = room.saturating_sub(bytes),
            false if g.is_constant(ctx) && g.initial_elements(ctx).is_some() => {
                candidates.push((g.name(ctx), bytes));
            }
            false => {}
        }
    }
    if candidates.is_empty() {
        return FxHashSet::default();
    }
    let mut uses: FxHashMap<&str, Vec<Value>> = FxHashMap::default();
    for get in gpu_module.find_all::<memref::GetGlobalOp>(ctx) {
        let of = uses.entry(get.name(ctx)).or_default();
        of.push(get.op().result(ctx, 0));
    }
    let mut uniform = Uniform {
        ctx,
        known: FxHashMap::default(),
    };
    let mut chosen = FxHashSet::default();
    for (name, bytes) in candidates {
        let views = uses.get(name).map_or(&[][..], Vec::as_slice);
        if bytes <= room && views.iter().all(|v| uniform.is_read_alike(*v)) {
            room -= bytes;
            chosen.insert(name.to_string());
        }
    }
    chosen
}

/// Bytes that a variable takes, with what comes before the next one.
fn bytes(ctx: &Context, g: memref::GlobalOp) -> Option<u64> {
    let bytes = MemRefTy::of(ctx, g.ty(ctx)?).ok()?.static_bytes()?;
    bytes.max(1).checked_next_multiple_of(ALIGNMENT)
}

fn is_constant_space(ctx: &Context, g: memref::GlobalOp) -> bool {
    let space = g.ty(ctx).and_then(|t| match t.data(ctx) {
        TypeData::MemRef { space, .. } => space_of(ctx, *space).ok()?,
        _ => None,
    });
    space == Some(Space::Const)
}

/// What is the same for all threads of a warp.
struct Uniform<'c> {
    ctx: &'c Context,
    known: FxHashMap<Value, bool>,
}

impl Uniform<'_> {
    /// Whether all that is done with a variable is to read it at indices that are the same
    /// for all threads of a warp.
    fn is_read_alike(&mut self, view: Value) -> bool {
        let ctx = self.ctx;
        view.uses(ctx).into_iter().all(|u| {
            let reads = READS.iter().find(|(name, _)| *name == u.op.name(ctx));
            reads.is_some_and(|(_, first)| {
                let operands = u.op.operands(ctx);
                operands.iter().skip(*first).all(|v| self.is_uniform(*v))
            })
        })
    }

    /// Whether nothing that a value is computed from differs from thread to thread.
    fn is_uniform(&mut self, v: Value) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![v];
        while let Some(v) = work.pop() {
            match self.known.get(&v) {
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            if !seen.insert(v) {
                continue;
            }
            match self.sources(v) {
                Some(sources) => work.extend(sources),
                None => {
                    self.known.insert(v, false);
                    return false;
                }
            }
        }
        self.known.extend(seen.into_iter().map(|v| (v, true)));
        true
    }

    /// What a value depends on; `None` if it differs by itself, or nobody knows.
    fn sources(&self, v: Value) -> Option<Vec<Value>> {
        let ctx = self.ctx;
        let Some(op) = v.def_op() else {
            return self.argument_sources(v);
        };
        let name = op.name(ctx);
        let (dialect, rest) = name.split_once('.')?;
        match (dialect, rest) {
            ("arith" | "index", _) => Some(op.operands(ctx)),
            (
                "gpu",
                "block_id" | "block_dim" | "grid_dim" | "subgroup_id" | "num_subgroups"
                | "subgroup_size" | "cluster_id" | "cluster_dim",
            ) => Some(Vec::new()),
            ("memref", "dim" | "rank") => Some(op.operands(ctx).split_off(1)),
            // The same element for all.
            ("memref", "load") => Some(op.operands(ctx).split_off(1)),
            _ => None,
        }
    }

    fn argument_sources(&self, v: Value) -> Option<Vec<Value>> {
        let ctx = self.ctx;
        let block = v.arg_block()?;
        let parent = block.parent_op(ctx)?;
        if let Some(f) = parent.cast::<gpu::FuncOp>(ctx) {
            return (f.is_kernel(ctx) && block.is_entry(ctx)).then(Vec::new);
        }
        // Threads that go round a loop together have its variable in common if they began
        // at the same number.
        let l = parent.cast::<scf::ForOp>(ctx)?;
        (v.index(ctx) == 0).then(|| vec![l.lower_bound(ctx), l.step(ctx)])
    }
}
