//! `arith-restructure`: sums, products and quotients of floats are computed with fewer operations, and
//! further out of loops, where the fast-math flags of all ops that take part allow it.
//!
//! The steps, in their order. Each has an option; with all of them off nothing changes.
//!
//! | option | step | flags that all ops of a chain need |
//! | --- | --- | --- |
//! | | what is added or multiplied in several ops of one block is one chain; all other steps but `signs`, `common` and `iterations` work on chains | `reassoc`; where something is divided, `arcp`; a sum that is subtracted, `nsz` |
//! | `signs` | comparisons with nought, magnitudes and extrema by signs that are known ([`signs`]) | factors leave a comparison: `reassoc` and `nnan` on the product; a magnitude that may be of nought: `nsz` |
//! | `flatten` | chains are made and sorted | as above |
//! | `factor` | like terms become one, and factors of several terms are taken out | `nsz`; what cancels: `nnan`, `ninf` and `nsz` |
//! | `levels` | terms are grouped by the loops that they depend on, and groups move out of the others | |
//! | `subsets` | terms that several chains have in common are one chain, the largest sets first | a sum with the other sign: `nsz` |
//! | `common` | what is computed twice is computed once, where it is known first | none |
//! | `balance` | chains become trees with few levels and few divisions | |
//! | `iterations` | what the iteration before has computed is handed on ([`iterations`]) | none |
//!
//! Where the result would cost more than what was there, by operations and the loops around them, the
//! function stays as it was.
//!
//! ```text
//! %0 = arith.mulf %x, %a fastmath<fast> : f32         %0 = arith.addf %a, %b fastmath<fast> : f32
//! %1 = arith.mulf %x, %b fastmath<fast> : f32    =>   %1 = arith.mulf %0, %x fastmath<fast> : f32
//! %2 = arith.addf %0, %1 fastmath<fast> : f32
//! ```

mod cost;
mod divisions;
mod emit;
mod factor;
mod graph;
mod iterations;
mod levels;
mod negations;
mod read;
mod rebuild;
mod signs;
mod subsets;

use crate::transform::{cse, licm};
use emit::{Emitter, How};
use graph::Id;
use read::{Read, nests, ops_of, read};
use rebuild::rebuild;
use terrace_dialects::affine::ForOp;
use terrace_ir::builder::RegionHolder;
use terrace_ir::clone::{IrMapping, clone_region_into};
use terrace_ir::effects::is_trivially_dead;
use terrace_ir::opdef::traits;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op};

pub static INFO: PassInfo = PassInfo {
    name: "arith-restructure",
    title: "ArithRestructure",
    summary: "Compute sums and products of floats with fewer operations",
    description: "Where fast-math flags allow it: flattens chains of sums and products, takes out factors, cancels, splits chains by loops, shares what several have in common, and writes them as trees with few divisions.",
    options: &[
        on("signs", "Use the signs of values that are known"),
        on(
            "flatten",
            "Make chains of nested sums and products; the other steps on chains need it",
        ),
        on(
            "factor",
            "Merge like terms, cancel, and take out common factors",
        ),
        on(
            "levels",
            "Split chains by the loops that their terms depend on",
        ),
        on("subsets", "Share terms that several chains have in common"),
        on(
            "common",
            "Compute once what is computed twice, outside of loops where it can be",
        ),
        on("balance", "Write chains as flat trees with few divisions"),
        OptionInfo::flag(
            "iterations",
            "Hand on what the iteration before has computed",
        ),
        OptionInfo::flag(
            "only-chains",
            "Leave functions alone that have no chain of several operations",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-chains", "Number of chains rewritten"),
        StatisticInfo::new("num-shared", "Number of sets of terms shared by chains"),
        StatisticInfo::new("num-signs", "Number of operations simplified by signs"),
        StatisticInfo::new(
            "num-handed-on",
            "Number of values handed on to the next iteration",
        ),
    ],
    make: |o| {
        Ok(Box::new(Restructure {
            signs: o.bool("signs"),
            flatten: o.bool("flatten"),
            factor: o.bool("factor"),
            levels: o.bool("levels"),
            subsets: o.bool("subsets"),
            common: o.bool("common"),
            balance: o.bool("balance"),
            iterations: o.bool("iterations"),
            only_chains: o.bool("only-chains"),
        }))
    },
    ..PassInfo::EMPTY
};

const fn on(name: &'static str, help: &'static str) -> OptionInfo {
    OptionInfo::new(name, OptionKind::Bool, "true", help)
}

#[derive(Debug, Clone, Copy)]
struct Restructure {
    signs: bool,
    flatten: bool,
    factor: bool,
    levels: bool,
    subsets: bool,
    common: bool,
    balance: bool,
    iterations: bool,
    only_chains: bool,
}

/// What was done to a function.
#[derive(Debug, Default)]
struct Done {
    chains: u64,
    shared: u64,
    signs: u64,
    handed_on: u64,
}

impl Pass for Restructure {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        // Each function by itself, and what is in no function with the op that the pass runs on.
        let mut all = vec![root];
        all.extend(root.pre_order(ctx).into_iter().filter(|op| {
            *op != root && op.has_trait(ctx, traits::ISOLATED) && op.num_regions(ctx) > 0
        }));
        // What stands inside first: a function that stays as it was is a copy.
        for function in all.into_iter().rev() {
            let own = ops_of(ctx, function);
            let wanted = match self.only_chains {
                true => own.into_iter().any(|op| nests(ctx, op)),
                false => own.into_iter().any(|op| op.dialect(ctx) == "arith"),
            };
            if !wanted {
                continue;
            }
            let done = self.function(ctx, function);
            ctx.count("num-chains", done.chains);
            ctx.count("num-shared", done.shared);
            ctx.count("num-signs", done.signs);
            ctx.count("num-handed-on", done.handed_on);
        }
        Ok(())
    }
}

impl Restructure {
    fn function(self, ctx: &mut Context, function: Op) -> Done {
        let mut done = Done::default();
        if self.signs {
            done.signs = signs::simplify(ctx, function);
            sweep(ctx, function);
        }
        if self.common {
            cse::merge_in(ctx, function);
        }
        if self.flatten {
            let before = cost::cost(ctx, function);
            let kept = Kept::of(ctx, function);
            let (chains, shared) = self.chains(ctx, function);
            sweep(ctx, function);
            if self.factor {
                negations::absorb(ctx, function);
                sweep(ctx, function);
            }
            if self.common {
                licm::hoist_invariants(ctx, function);
                cse::merge_in(ctx, function);
            }
            if cost::cost(ctx, function) > before {
                kept.put_back(ctx, function);
            } else {
                kept.drop(ctx);
                (done.chains, done.shared) = (chains, shared);
            }
        }
        if self.common && !self.flatten {
            licm::hoist_invariants(ctx, function);
            cse::merge_in(ctx, function);
        }
        if self.iterations {
            let own = ops_of(ctx, function);
            let loops: Vec<ForOp> = own.into_iter().filter_map(|op| op.cast(ctx)).collect();
            for l in loops {
                done.handed_on += iterations::hand_on(ctx, l);
            }
            sweep(ctx, function);
        }
        done
    }

    /// Rewrites all chains of a function. Returns how many there were, and how many sets they share.
    fn chains(self, ctx: &mut Context, function: Op) -> (u64, u64) {
        let Read { mut graph, roots } = read(ctx, function, self.common);
        if roots.is_empty() {
            return (0, 0);
        }
        let (ops, mut ids): (Vec<Op>, Vec<Id>) = roots.into_iter().unzip();
        if self.factor {
            rebuild(ctx, &mut graph, &mut ids, &mut |g, c, uses| {
                factor::factor(ctx, g, c, uses)
            });
        }
        if self.levels {
            rebuild(ctx, &mut graph, &mut ids, &mut |g, c, _| {
                levels::split(g, c)
            });
        }
        let mut shared = ids.clone();
        let mut sets = 0;
        if self.subsets {
            let made = subsets::share(&mut graph, &ids);
            sets = made.len() as u64;
            shared.extend(made);
        }
        if self.balance {
            shared.extend(divisions::merge(&mut graph, &ids));
        }
        let how = How {
            hoist: self.levels,
            share: self.common,
            balance: self.balance,
        };
        let mut emitter = Emitter::new(&graph, function, how, &shared);
        let mut chains = 0;
        for (op, id) in ops.into_iter().zip(ids) {
            chains += u64::from(emitter.root(ctx, op, id).is_some());
        }
        (chains, sets)
    }
}

/// Drops ops that nothing uses any more.
fn sweep(ctx: &mut Context, function: Op) {
    for op in ops_of(ctx, function).into_iter().rev() {
        if is_trivially_dead(ctx, op) {
            op.erase(ctx);
        }
    }
}

/// The regions of a function as they were.
struct Kept(Vec<RegionHolder>);

impl Kept {
    fn of(ctx: &mut Context, function: Op) -> Kept {
        let regions = function.regions(ctx);
        let copy = |r| {
            let holder = RegionHolder::new(ctx);
            let to = holder.region(ctx);
            clone_region_into(ctx, r, to, &mut IrMapping::new());
            holder
        };
        Kept(regions.into_iter().map(copy).collect())
    }

    fn put_back(self, ctx: &mut Context, function: Op) {
        for (r, holder) in function.regions(ctx).into_iter().zip(self.0) {
            let used = RegionHolder::new(ctx);
            r.move_blocks_to(ctx, used.region(ctx));
            used.erase(ctx);
            holder.region(ctx).move_blocks_to(ctx, r);
            holder.erase(ctx);
        }
    }

    fn drop(self, ctx: &mut Context) {
        for holder in self.0 {
            holder.erase(ctx);
        }
    }
}
