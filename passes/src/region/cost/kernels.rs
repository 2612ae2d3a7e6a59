//! What kernels cost that are no nests as they stand.

use super::note::{AccessCost, CostNote, KernelCost, TileNote};
use super::{accesses, noted, wants};
use crate::gpu::model::ahead::{self, Tiles};
use crate::gpu::model::product::{self, Note};
use crate::gpu::model::{Model, Nest};
use crate::region::notes::KernelNote;
use terrace_machine::Machine;

/// Why the table has nothing to say.
const NO_TABLE: &str = "the table of classes is of threads that load from memory themselves";

/// A nest whose tiles are copied ahead.
pub(super) fn ahead(nest: &Nest, tiles: &Tiles, machine: &Machine, model: Model) -> KernelCost {
    if model == Model::Table {
        return KernelCost::Unknown(NO_TABLE.into());
    }
    match ahead::predict(nest, tiles, machine) {
        Ok(cost) => {
            let name = |l: &usize| nest.loops.get(*l).map(|l| l.name.clone());
            KernelCost::Of(Box::new(CostNote {
                axes: nest.parallel.iter().filter_map(name).collect(),
                accesses: accesses(nest, &cost),
                estimated: nest.notes.clone(),
                ..noted(&cost, machine)
            }))
        }
        Err(why) => KernelCost::Unknown(why),
    }
}

/// A matrix product.
pub(super) fn product(
    note: &Note,
    k: &KernelNote,
    sizes: &[(String, i64)],
    machine: &Machine,
    model: Model,
) -> KernelCost {
    if model == Model::Table {
        return KernelCost::Unknown(NO_TABLE.into());
    }
    let p = match note.numbers(sizes) {
        Ok(p) => p,
        Err(names) => return wants(names).unwrap_or_default(),
    };
    let cost = match product::predict(&p, machine) {
        Ok(cost) => cost,
        Err(why) => return KernelCost::Unknown(why),
    };
    let r = &p.result;
    let of_factors = p
        .factors
        .iter()
        .map(|f| (&f.array, &f.text, false, f.bytes));
    let reads = r.read_before || r.read_behind;
    let of_result = [false, true].into_iter().filter(|writes| *writes || reads);
    let of_result = of_result.map(|writes| (&r.array, &r.text, writes, r.bytes));
    let accesses = of_factors.chain(of_result).zip(&cost.references);
    let accesses = accesses.map(|((array, text, writes, bytes), c)| AccessCost {
        array: array.clone(),
        text: text.clone(),
        place: k.place.clone(),
        writes,
        requests: c.requests,
        sectors: c.sectors,
        lines: c.lines,
        bytes: c.lanes * bytes as f64,
        exact: c.exact,
        table_lines: None,
    });
    let [rows, cols, depth] = note.names.clone();
    KernelCost::Of(Box::new(CostNote {
        accesses: accesses.collect(),
        tile: Some(TileNote {
            rows,
            cols,
            depth,
            size: p.tile,
            tiles: p.tiles(),
            slab: p.depth,
            slabs: p.stages,
        }),
        not_run: p.other.filter(|o| !o.is_run).map(|o| o.tile),
        ..noted(&cost, machine)
    }))
}
