//! Times of mappings as the cost model predicts them.

use super::generate::with_loops;
use super::kernel::Kernel;
use super::space::{Kind, Mapping, Tiles};
use crate::dialects::affine::ParallelOp;
use crate::passes::gpu::model::Model;
use crate::passes::gpu::model::{self, Nest, TileKind};
use crate::targets::machine::Machine;

/// The microseconds of each mapping of a kernel, infinite for those that the model says
/// cannot run; of the table's model, which knows no times, a number that is larger for
/// slower ones.
///
/// # Errors
///
/// A nest that the model does not understand, or mappings that are none of it.
pub fn predict(
    kernel: &Kernel,
    all: &[Mapping],
    machine: &Machine,
    which: Model,
) -> Result<Vec<f64>, String> {
    let nest = nest(kernel)?;
    let one =
        |m: &Mapping| {
            let (nest, mapping) = mapped(&nest, m)?;
            match which {
                Model::Exact => Ok(model::predict(&nest, &mapping, machine)
                    .map_or(f64::INFINITY, |c| c.smooth_us())),
                Model::Table => Ok(model::table::cost(&nest, &mapping, machine)),
            }
        };
    let said = |m: String| format!("{}: {m}", kernel.file);
    all.iter()
        .map(one)
        .collect::<Result<_, String>>()
        .map_err(said)
}

/// The kernel's loops and accesses as numbers.
///
/// # Errors
///
/// A nest that the model does not understand.
pub fn nest(kernel: &Kernel) -> Result<Nest, String> {
    let n = kernel.parallel.len();
    let as_written = Tiles {
        sizes: vec![1; n],
        kind: Kind::Blocked,
    };
    let order: Vec<usize> = (0..n).collect();
    let program = with_loops(kernel, &order, &as_written)?;
    let roots = program.module.find_all::<ParallelOp>(&program.ctx);
    let root = roots
        .first()
        .ok_or_else(|| format!("{}: there is no parallel loop", kernel.file))?;
    model::read(&program.ctx, *root, &model::Options::default())
        .map_err(|r| format!("{}: {}", kernel.file, r.message))
}

/// A mapping as the model has it.
///
/// # Errors
///
/// Loops that cannot be tiled.
pub fn mapped(nest: &Nest, m: &Mapping) -> Result<(Nest, model::Mapping), String> {
    let mut nest = nest.clone();
    let kind = match m.tiles.kind {
        Kind::Blocked => TileKind::Blocked,
        Kind::Cyclic => TileKind::Cyclic,
        Kind::Inside => TileKind::Inside,
    };
    let parallel = nest.parallel.clone();
    let place = |k: usize| {
        let found = parallel.get(k).copied();
        found.ok_or_else(|| format!("the nest has {} parallel loops", parallel.len()))
    };
    for (k, size) in m.tiles.sizes.iter().enumerate() {
        let size = i64::try_from(*size).map_err(|e| e.to_string())?;
        nest.tile(place(k)?, size, kind)?;
    }
    // The last runs along x.
    let axes: Result<Vec<usize>, String> = m.order.iter().rev().map(|k| place(*k)).collect();
    Ok((
        nest,
        model::Mapping {
            axes: axes?,
            block: m.block,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mappings::{Size, compare, read_kernels, table};
    use crate::passes::gpu::map::Point;
    use crate::passes::gpu::map::policy::{self, May};
    use crate::targets::machine::by_name;
    use std::path::Path;

    /// The figures in `docs/lab/mappings.md` (0.79 and 19 of 20) are of all points; these are
    /// of a seventh, for time, which leaves out some that are best or chosen.
    #[test]
    fn predictions_order_what_was_measured() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/gpu/mappings");
        let text = std::fs::read_to_string(folder.join("h200.csv")).unwrap();
        let mut rows = table::read(&text).unwrap();
        rows.retain(|r| r.point % 7 == 0);
        let machine = by_name("sm_90").unwrap();
        let all = crate::with_stack(|| {
            let kernels = read_kernels(&folder, Size::Full)?;
            compare::compare(&kernels, &rows, |k, m| predict(k, m, machine, Model::Exact))
        });
        let all = all.unwrap();
        assert_eq!(all.len(), 20);
        let s = compare::summary(&all);
        let shown = compare::table(&all);
        assert!(s.median_tau >= 0.78, "{shown}");
        assert!(s.within_tenth >= 16, "{shown}");
    }

    /// What `gpu-map` chooses, where the grid has it, is at most a tenth slower than the
    /// best of the grid, and hardly slower than the ordinary mapping. Of every second
    /// kernel, for time; `docs/lab/mappings.md` has all.
    #[test]
    fn the_policy_chooses_what_was_measured_fast() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/gpu/mappings");
        let text = std::fs::read_to_string(folder.join("h200.csv")).unwrap();
        let rows = table::read(&text).unwrap();
        let machine = by_name("sm_90").unwrap();
        let shown = crate::with_stack(|| -> Result<Vec<(f64, f64, String)>, String> {
            let mut out = Vec::new();
            for kernel in read_kernels(&folder, Size::Full)?.into_iter().step_by(2) {
                let measured = |p: &Point| {
                    let m = of_grid(p);
                    let (loops, tile, block) = (
                        m.permutation(&kernel.parallel),
                        m.tiles.to_string(),
                        m.block_text(),
                    );
                    let found = rows.iter().find(|r| {
                        r.kernel == kernel.name
                            && (&r.permutation, &r.tile, &r.block) == (&loops, &tile, &block)
                    });
                    found.map(|r| r.microseconds)
                };
                let may = May {
                    tile: true,
                    inside: !kernel.serial.is_empty(),
                };
                let found = policy::search(&nest(&kernel)?, machine, may, Model::Exact)?;
                let all = found.better().chain([&found.ordinary]);
                let chosen = all
                    .filter_map(|c| Some((measured(&c.point)?, &c.point)))
                    .next();
                let (us, point) = chosen.ok_or("nothing was measured")?;
                let mine = rows.iter().filter(|r| r.kernel == kernel.name);
                let best = mine.map(|r| r.microseconds).fold(f64::INFINITY, f64::min);
                let ordinary = measured(&found.ordinary.point).ok_or("no ordinary mapping")?;
                let words = format!(
                    "{}: {us} of {best}, ordinary {ordinary}, {:?}, {} tried",
                    kernel.name,
                    of_grid(point),
                    found.ranked.len()
                );
                out.push((us / best, us / ordinary, words));
            }
            Ok(out)
        })
        .unwrap();
        let text: Vec<&str> = shown.iter().map(|s| s.2.as_str()).collect();
        let text = text.join("\n");
        assert_eq!(shown.len(), 10);
        assert!(shown.iter().all(|s| s.0 <= 1.1), "{text}");
        assert!(shown.iter().all(|s| s.1 <= 1.05), "{text}");
    }

    fn of_grid(p: &Point) -> Mapping {
        Mapping {
            order: p.order.clone(),
            tiles: Tiles {
                sizes: p.tile.iter().map(|n| *n as u64).collect(),
                kind: match p.kind {
                    crate::passes::gpu::map::Kind::Blocked => Kind::Blocked,
                    crate::passes::gpu::map::Kind::Cyclic => Kind::Cyclic,
                    crate::passes::gpu::map::Kind::Inside => Kind::Inside,
                },
            },
            block: p.block.map(|n| n as u32),
        }
    }

    #[test]
    fn models_have_names() {
        assert_eq!(Model::parse("table"), Ok(Model::Table));
        assert_eq!(
            Model::parse("x").unwrap_err(),
            "found `x`, expected exact or table"
        );
    }
}
