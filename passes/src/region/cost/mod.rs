//! What kernels of regions cost by the model ([`crate::gpu::model`]).
//!
//! Nests are read while they are affine and get numbers ([`Nests::read`]). Mapping lowers
//! them and makes kernels of them, of which the notes say the number and which loops run
//! along x, y and z ([`Origin`]); then the model is asked ([`Nests::tell`]).

mod kernels;
pub mod note;

use super::notes::{KernelNote, MappedTo};
use crate::gpu::launch_note::Rows;
use crate::gpu::model::ahead::Tiles;
use crate::gpu::model::pass::outermost;
use crate::gpu::model::{
    Cost, Mapping, Model, Nest, Options, TileKind, predict, product, read, table,
};
use crate::gpu::thread_coarsening::MIN_THREADS;
use note::{AccessCost, CostNote, KernelCost, TermNote};
use terrace_dialects::attributes::GPU_NEST;
use terrace_ir::{Context, Op, OpKind};
use terrace_machine::Machine;

/// What a kernel was made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// Nothing that somebody would ask the cost of: one thread, or the end of a reduction.
    #[default]
    Other,
    /// The nest with this number.
    Nest {
        /// Its place in [`Nests`].
        number: usize,
        /// Iterations that a thread does, where they are several.
        rows: Option<Rows>,
    },
    /// The same, by tiles that are copied ahead.
    Ahead {
        /// Its place in [`Nests`].
        number: usize,
        /// What a block computes at a time.
        tiles: Tiles,
    },
    /// A matrix product.
    Product(Box<product::Note>),
    /// Something that the model does not know: why, as a clause.
    Unknown(&'static str),
}

/// The nests of a function as the model has them, by their numbers.
#[derive(Debug)]
pub struct Nests {
    all: Vec<Result<Nest, String>>,
    /// What is known of arguments and dimensions.
    sizes: Vec<(String, i64)>,
}

impl Nests {
    /// Reads the nests of `function`, which is affine still, and numbers them. `sizes` are
    /// what is known of arguments and dimensions, as [`Options::sizes`] has them.
    pub fn read(ctx: &mut Context, function: Op, sizes: &[(String, i64)]) -> Nests {
        let options = Options {
            sizes: sizes.to_vec(),
            as_written: false,
            // Whatever it is, what it stands for is asked for.
            assume: Some(1024),
            endless: true,
        };
        let mut all = Vec::new();
        for p in outermost(ctx, function) {
            let number = ctx.i64_attr(all.len() as i64);
            p.op().set_attr(ctx, GPU_NEST, number);
            all.push(read(ctx, p, &options).map_err(|r| r.message));
        }
        Nests {
            all,
            sizes: options.sizes,
        }
    }

    /// Completes the notes of kernels.
    pub fn tell(&self, kernels: &mut [KernelNote], machine: &Machine, model: Model) {
        for k in kernels {
            k.cost = match &k.origin {
                Origin::Other => KernelCost::NotAsked,
                Origin::Unknown(why) => KernelCost::Unknown((*why).to_string()),
                Origin::Nest { number, rows } => self.of(*number, |nest| {
                    known(nest).unwrap_or_else(|| of_nest(nest, k, *rows, machine, model))
                }),
                Origin::Ahead { number, tiles } => self.of(*number, |nest| {
                    known(nest).unwrap_or_else(|| kernels::ahead(nest, tiles, machine, model))
                }),
                Origin::Product(note) => kernels::product(note, k, &self.sizes, machine, model),
            };
        }
    }

    fn of(&self, number: usize, cost: impl Fn(&Nest) -> KernelCost) -> KernelCost {
        match self.all.get(number) {
            Some(Ok(nest)) => cost(nest),
            Some(Err(why)) => KernelCost::Unknown(why.clone()),
            None => KernelCost::Unknown("its loops are not affine".into()),
        }
    }
}

/// What has to be known first.
fn known(nest: &Nest) -> Option<KernelCost> {
    wants(nest.assumed.clone())
}

/// That values of these names are wanted, if there are some.
fn wants(names: Vec<String>) -> Option<KernelCost> {
    match names.iter().any(String::is_empty) {
        _ if names.is_empty() => None,
        true => Some(KernelCost::Unknown(
            "it depends on a number that has no name".into(),
        )),
        false => Some(KernelCost::Wants(names)),
    }
}

fn of_nest(
    nest: &Nest,
    k: &KernelNote,
    rows: Option<Rows>,
    machine: &Machine,
    model: Model,
) -> KernelCost {
    match mapped(nest, k, rows).and_then(|(nest, mapping)| cost(&nest, &mapping, machine, model)) {
        Ok(mut cost) => {
            cost.rows = rows
                .filter(|r| several(nest, *r) > 1)
                .and_then(|r| Some((k.loops.get(r.level)?.variable.clone(), r.iterations)));
            KernelCost::Of(Box::new(cost))
        }
        Err(why) => KernelCost::Unknown(why),
    }
}

/// The iterations that a thread does of a loop, where the sizes are known.
fn several(nest: &Nest, rows: Rows) -> i64 {
    let least: i64 = MIN_THREADS.parse().unwrap_or(i64::MAX);
    let trips = nest.loops.get(rows.level).and_then(|l| l.constant_trips());
    let many = trips.is_some_and(|n| n >= rows.iterations.saturating_mul(least));
    match rows.where_many && !many {
        true => 1,
        false => rows.iterations,
    }
}

/// The nest as a kernel runs it.
fn mapped(nest: &Nest, k: &KernelNote, rows: Option<Rows>) -> Result<(Nest, Mapping), String> {
    let mut nest = nest.clone();
    let mut along: [Vec<usize>; 3] = Default::default();
    for (level, l) in k.loops.iter().enumerate() {
        let MappedTo::Axis(axis) = l.to else { continue };
        let same = nest.parallel.get(level) == Some(&level)
            && (l.variable.is_empty() || nest.loops[level].name == l.variable);
        if !same {
            let m = "its loops depend on one another or are not as the model reads them";
            return Err(m.into());
        }
        along[usize::from(axis.min(2))].push(level);
    }
    if along.iter().any(|a| a.len() > 1) {
        return Err("several loops run along one axis, which the model does not know".into());
    }
    if let Some(r) = rows {
        let l = nest.parallel.get(r.level).copied().unwrap_or(usize::MAX);
        let iterations = several(&nest, r);
        nest.tile(l, iterations, TileKind::Inside)?;
    }
    let axes = along.into_iter().flatten().collect();
    let block = k.block;
    Ok((nest, Mapping { axes, block }))
}

fn cost(
    nest: &Nest,
    mapping: &Mapping,
    machine: &Machine,
    model: Model,
) -> Result<CostNote, String> {
    let cost = predict(nest, mapping, machine)?;
    let by_table = model == Model::Table;
    let mut note = noted(&cost, machine);
    note.axes = (mapping.axes.iter())
        .map(|l| nest.loops[*l].name.clone())
        .collect();
    note.accesses = accesses(nest, &cost);
    note.estimated = nest.notes.clone();
    if by_table {
        let blocks: f64 = cost.grid.iter().map(|n| *n as f64).product();
        let threads = blocks * f64::from(mapping.threads());
        note.table_lines = Some(table::cost(nest, mapping, machine) * threads);
        for (a, r) in note.accesses.iter_mut().zip(&nest.references) {
            a.table_lines = Some(table::lines_of(nest, mapping, r, machine));
        }
    }
    Ok(note)
}

/// What the accesses of a nest ask for.
fn accesses(nest: &Nest, cost: &Cost) -> Vec<AccessCost> {
    let all = nest.references.iter().zip(&cost.references);
    all.map(|(r, c)| AccessCost {
        array: nest.arrays[r.array].name.clone(),
        text: r.text.clone(),
        place: r.place.clone(),
        writes: r.writes,
        requests: c.requests,
        sectors: c.sectors,
        lines: c.lines,
        bytes: c.lanes * r.bytes as f64,
        exact: c.exact,
        table_lines: None,
    })
    .collect()
}

/// A cost without what it is of.
fn noted(cost: &Cost, machine: &Machine) -> CostNote {
    let binding = cost.binding().map(|t| t.kind);
    CostNote {
        arch: machine.arch.to_string(),
        part: machine.part.to_string(),
        block: cost.block,
        grid: cost.grid,
        launches: cost.launches,
        us: cost.us(),
        exact: cost.is_exact(),
        registers: cost.registers,
        warps_per_sm: cost.occupancy.warps_per_sm,
        waves: cost.waves,
        l2_sectors: cost.l2_sectors,
        memory_bytes: cost.memory_bytes,
        terms: (cost.terms.iter())
            .map(|t| TermNote {
                name: t.kind.name(),
                us: t.us,
                what: t.what.clone(),
                binds: Some(t.kind) == binding,
            })
            .collect(),
        ..CostNote::default()
    }
}
