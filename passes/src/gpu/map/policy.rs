//! Which mapping a nest gets: the one that the cost model says is fastest.
//!
//! The space is orders of the parallel loops, shapes of blocks, and tiles that a thread does
//! (R. Allen, K. Kennedy, "Optimizing Compilers for Modern Architectures", 2001, chapters 9
//! and 11, has the transformations; the model is [`crate::gpu::model`]). It is searched
//! in three steps, since what an order costs in sectors of memory hardly depends on the
//! shape, and what a shape costs hardly on small tiles: all orders in a few shapes, the best
//! of these in all shapes, the best of these with all tiles. The mapping that nests have
//! otherwise is always among them, and is left only for one that is faster by a margin,
//! since the model is not exact.

use super::arrange::{Kind, Point};
use crate::gpu::fit_blocks::shape::for_extents;
use crate::gpu::model::{
    Cost, Mapping, Model, Nest, Reference, Space, TermKind, TileKind, predict, table,
};
use terrace_machine::Machine;

/// How much faster than the ordinary mapping another has to be by the model. With more than
/// these few hundredths, three of twenty measured kernels keep mappings that are up to a
/// third slower.
const MARGIN: f64 = 0.99;
/// The same for mappings with tiles, of which the model knows less: registers.
const MARGIN_OF_TILES: f64 = 0.97;
/// The same where threads wait: how much of it the others of a block save each other, when
/// one of them has what all read brought into the L1 cache, the model knows to about this.
/// (Seed 46 of `random_mapping.py`: two blocks of 128 threads 200 us, one of 256 148; by the
/// model 181 and 186.)
const MARGIN_OF_LATENCY: f64 = 0.95;
/// Threads of a block that fills a multiprocessor for sure. Of smaller ones it holds too few for its
/// threads, where there are so many, and of larger ones registers may let in one alone, which the
/// model does not know.
const USUAL_THREADS: std::ops::RangeInclusive<i64> = 64..=512;
/// Blocks for each multiprocessor, up to which it holds all of them however small they are. (Columns
/// of a Cholesky factorization, H200: one thread for each of 2000 rows, which wait most of the time,
/// takes 0.6 of the time in blocks of 32.)
const FEW_BLOCKS: f64 = 16.0;
/// How much faster blocks of other sizes have to be. (Seed 15 of `random_affine`, H200: 32x8x4 took
/// 1.8 times as long as 32x4x2, and 0.98 of it by the model.)
const MARGIN_OF_SIZE: f64 = 0.75;
/// And by how many microseconds: below that it is not worth while.
const MIN_GAIN_US: f64 = 0.3;
/// Values that an iteration loads in straight code, at most, for threads to do several:
/// beyond it they wait for registers, which the model does not see (Himeno's stencil, which
/// loads 32, takes twice as long; docs/lab/mappings.md).
const MAX_LOADS: usize = 16;
/// Orders that are looked at in all shapes, and shapes that are looked at with all tiles.
const ORDERS_KEPT: usize = 2;
const SHAPES_KEPT: usize = 10;
/// Mappings of small sizes that are looked at with large ones, with all tiles.
const BASES_KEPT: usize = 2;
/// Mappings of large sizes that are looked at with small ones until so many are good there.
const GOOD_KEPT: usize = 4;
/// Parallel loops whose orders are tried, at most: 24 orders.
const MAX_LOOPS: usize = 4;

/// Shapes of blocks that are tried for 1, 2 and 3 loops; the first is the ordinary one.
const BLOCKS_1: &[[i64; 3]] = &[
    [256, 1, 1],
    [32, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [512, 1, 1],
    [1024, 1, 1],
];
const BLOCKS_2: &[[i64; 3]] = &[
    [32, 8, 1],
    [8, 32, 1],
    [256, 1, 1],
    [16, 16, 1],
    [64, 4, 1],
    [128, 2, 1],
    [32, 4, 1],
    [32, 1, 1],
    [64, 1, 1],
    [8, 8, 1],
    [16, 4, 1],
    [4, 64, 1],
    [2, 64, 1],
    [32, 32, 1],
    [16, 64, 1],
    [256, 4, 1],
    [1024, 1, 1],
];
const BLOCKS_3: &[[i64; 3]] = &[
    [32, 4, 2],
    [8, 8, 4],
    [256, 1, 1],
    [128, 2, 1],
    [64, 4, 1],
    [32, 8, 1],
    [16, 4, 4],
    [4, 8, 8],
    [32, 8, 4],
];
/// So many shapes are tried with every order.
const FIRST_SHAPES: usize = 3;

/// What may be done to a nest besides another order and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct May {
    /// Threads may do several iterations: how many there are is known.
    pub tile: bool,
    /// These may be inside sequential loops that fill the nest.
    pub inside: bool,
}

/// A mapping, and what the model says of it.
#[derive(Debug, Clone)]
pub struct Costed {
    /// The mapping.
    pub point: Point,
    pub(crate) cost: Cost,
    /// Cache lines that all threads read, where the model is that of the table.
    pub lines: Option<f64>,
    /// Whether a multiprocessor holds all of its blocks at once.
    few: bool,
}

impl Costed {
    /// What the model says: microseconds, or lines.
    pub(crate) fn us(&self) -> f64 {
        self.lines.unwrap_or_else(|| self.cost.smooth_us())
    }

    /// What mappings are compared by: the same, and more for what the model does not see.
    fn judged(&self) -> f64 {
        let threads: i64 = self.point.block.iter().product();
        let usual =
            USUAL_THREADS.contains(&threads) || (self.few && threads < *USUAL_THREADS.start());
        match usual {
            true => self.us(),
            false => self.us() / MARGIN_OF_SIZE,
        }
    }
}

/// The mappings of a nest that were looked at.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The mapping that the nest has without a search: its loops in their order, one iteration
    /// a thread, and a block of 256 threads.
    pub ordinary: Costed,
    /// All, the fastest first; the ordinary one is among them.
    pub ranked: Vec<Costed>,
}

impl Ranking {
    /// Leaves out the mappings that are slower than the ordinary one with other sizes, those
    /// of `nest`, than the model can be wrong.
    ///
    /// # Errors
    ///
    /// Why the model has no time for the ordinary mapping there.
    pub(crate) fn keep_those_good_at(
        &mut self,
        nest: &Nest,
        machine: &Machine,
        model: Model,
    ) -> Result<(), String> {
        let mut search = Search::new(nest, machine, model);
        let ordinary = search.costed(self.ordinary.point.clone())?.us();
        let limit = (ordinary / MARGIN_OF_TILES).max(ordinary + MIN_GAIN_US);
        // Nobody takes the others, so it does not matter what they cost there.
        let better: Vec<Point> = self.better().map(|c| c.point.clone()).collect();
        let mut good = 0;
        self.ranked.retain(|c| {
            if !better.contains(&c.point) {
                return true;
            }
            let keep = good < GOOD_KEPT
                && search
                    .costed(c.point.clone())
                    .is_ok_and(|c| c.us() <= limit);
            good += usize::from(keep);
            keep
        });
        Ok(())
    }

    /// Those that are faster than the ordinary one by the margin, the fastest first: the
    /// first is the one to take.
    pub fn better(&self) -> impl Iterator<Item = &Costed> {
        let ordinary = self.ordinary.us();
        let binding = self.ordinary.cost.binding().map(|t| t.kind);
        self.ranked.iter().filter(move |c| {
            let tiled = c.point.tile.iter().any(|n| *n != 1);
            let margin = match (binding, tiled) {
                (Some(TermKind::Latency), _) => MARGIN_OF_LATENCY,
                (_, true) => MARGIN_OF_TILES,
                (_, false) => MARGIN,
            };
            let least = match self.ordinary.lines {
                None => MIN_GAIN_US,
                Some(_) => 0.0,
            };
            let limit = (margin * ordinary).min(ordinary - least);
            c.point != self.ordinary.point && c.judged() < limit
        })
    }
}

/// Searches the mappings of a nest.
///
/// # Errors
///
/// Why the model has no time for the ordinary mapping.
pub fn search(nest: &Nest, machine: &Machine, may: May, model: Model) -> Result<Ranking, String> {
    let count = nest.parallel.len();
    let mut search = Search::new(nest, machine, model);
    let ordinary = ordinary(count);
    let ordinary = search.costed(ordinary)?;
    search.all.push(ordinary.clone());
    let shapes = shapes(count);
    for order in orders(count) {
        for block in shapes.iter().take(FIRST_SHAPES) {
            search.add_shape(ordinary.point.with(&order, *block));
        }
    }
    for order in search.best_orders(ORDERS_KEPT) {
        for block in shapes {
            search.add_shape(ordinary.point.with(&order, *block));
        }
    }
    Ok(search.tiled_too(may, SHAPES_KEPT, ordinary))
}

/// The same among the best of `bases`, mappings without tiles that were found with other
/// sizes.
///
/// # Errors
///
/// Why the model has no time for the ordinary mapping.
pub(crate) fn search_from(
    nest: &Nest,
    machine: &Machine,
    may: May,
    model: Model,
    bases: &Ranking,
) -> Result<Ranking, String> {
    let mut search = Search::new(nest, machine, model);
    let ordinary = search.costed(bases.ordinary.point.clone())?;
    search.all.push(ordinary.clone());
    for base in bases.ranked.iter().take(BASES_KEPT) {
        search.add(base.point.clone());
    }
    Ok(search.tiled_too(may, BASES_KEPT, ordinary))
}

/// Loads that stand in the same loops, the most.
fn loads(nest: &Nest) -> usize {
    let of = |r: &&Reference| !r.writes && nest.arrays[r.array].space == Space::Global;
    let all = || nest.references.iter().filter(of);
    let most = all().map(|r| all().filter(|o| o.loops == r.loops).count());
    most.max().unwrap_or(0)
}

struct Search<'a> {
    nest: &'a Nest,
    machine: &'a Machine,
    model: Model,
    /// The nest with tiles, which many mappings have.
    tiled: Vec<((Vec<i64>, Kind), Result<Nest, String>)>,
    all: Vec<Costed>,
}

impl<'a> Search<'a> {
    fn new(nest: &'a Nest, machine: &'a Machine, model: Model) -> Search<'a> {
        Search {
            nest,
            machine,
            model,
            tiled: Vec::new(),
            all: Vec::new(),
        }
    }

    /// All that were looked at, and the best `kept` of them with tiles.
    fn tiled_too(mut self, may: May, kept: usize, ordinary: Costed) -> Ranking {
        if may.tile && loads(self.nest) <= MAX_LOADS {
            for base in self.best(kept) {
                for (tile, kind) in tiles(self.nest.parallel.len(), may.inside) {
                    self.add(Point {
                        tile,
                        kind,
                        ..base.clone()
                    });
                }
            }
        }
        let mut ranked = self.all;
        ranked.sort_by(|a, b| a.judged().total_cmp(&b.judged()));
        Ranking { ordinary, ranked }
    }

    /// Looks at one more, unless it was looked at or cannot be.
    fn add(&mut self, point: Point) {
        if self.all.iter().any(|c| c.point == point) {
            return;
        }
        if let Ok(costed) = self.costed(point) {
            self.all.push(costed);
        }
    }

    /// Looks at one more, and at the same with the shape of blocks that leaves few lanes idle.
    fn add_shape(&mut self, point: Point) {
        let along = |k: &usize| self.nest.loops[self.nest.parallel[*k]].constant_trips();
        let extents: Option<Vec<i64>> = point.order.iter().rev().map(along).collect();
        // What runs along z is several loops in one row.
        let extents = extents.filter(|e| e.len() <= 3);
        self.add(point.clone());
        if let Some(extents) = extents {
            let extents = std::array::from_fn(|d| extents.get(d).copied().unwrap_or(1));
            let block = for_extents(extents, point.block);
            self.add(Point { block, ..point });
        }
    }

    /// What the model says of a mapping.
    ///
    /// # Errors
    ///
    /// What cannot be mapped so.
    fn costed(&mut self, point: Point) -> Result<Costed, String> {
        let (machine, model, parallel) = (self.machine, self.model, &self.nest.parallel);
        let mapping = Mapping {
            // The last runs along x.
            axes: (point.order.iter().rev().take(3))
                .map(|k| parallel[*k])
                .collect(),
            block: point.block.map(|n| n.clamp(1, 1024) as u32),
        };
        let nest = match point.tile.iter().all(|n| *n == 1) {
            true => self.nest,
            false => self.tiled(&point)?,
        };
        let cost = predict(nest, &mapping, machine)?;
        let lines = match model {
            Model::Exact => None,
            Model::Table => {
                let blocks: f64 = cost.grid.iter().map(|n| *n as f64).product();
                let threads = blocks * f64::from(mapping.threads());
                Some(table::cost(nest, &mapping, machine) * threads)
            }
        };
        let blocks: f64 = cost.grid.iter().map(|n| *n as f64).product();
        let few = blocks <= FEW_BLOCKS * f64::from(machine.sms);
        Ok(Costed {
            point,
            cost,
            lines,
            few,
        })
    }

    fn tiled(&mut self, point: &Point) -> Result<&Nest, String> {
        let same = |t: &((Vec<i64>, Kind), _)| t.0.0 == point.tile && t.0.1 == point.kind;
        let place = self.tiled.iter().position(same);
        let place = place.unwrap_or_else(|| {
            let made = tiled(self.nest, &point.tile, point.kind);
            self.tiled.push(((point.tile.clone(), point.kind), made));
            self.tiled.len() - 1
        });
        self.tiled[place].1.as_ref().map_err(String::clone)
    }

    fn sorted(&self) -> Vec<&Costed> {
        let mut all: Vec<&Costed> = self.all.iter().collect();
        all.sort_by(|a, b| a.judged().total_cmp(&b.judged()));
        all
    }

    fn best(&self, n: usize) -> Vec<Point> {
        let best = self.sorted().into_iter().take(n);
        best.map(|c| c.point.clone()).collect()
    }

    fn best_orders(&self, n: usize) -> Vec<Vec<usize>> {
        let mut out: Vec<Vec<usize>> = Vec::new();
        for c in self.sorted() {
            if out.len() < n && !out.contains(&c.point.order) {
                out.push(c.point.order.clone());
            }
        }
        out
    }
}

impl Point {
    fn with(&self, order: &[usize], block: [i64; 3]) -> Point {
        Point {
            order: order.to_vec(),
            block,
            ..self.clone()
        }
    }
}

/// The mapping that `map-parallel-to-gpu` makes by itself.
pub(crate) fn ordinary(count: usize) -> Point {
    Point {
        order: (0..count).collect(),
        tile: vec![1; count],
        kind: Kind::Blocked,
        block: shapes(count)[0],
        fit: false,
    }
}

fn shapes(count: usize) -> &'static [[i64; 3]] {
    match count {
        0 | 1 => BLOCKS_1,
        2 => BLOCKS_2,
        _ => BLOCKS_3,
    }
}

fn orders(count: usize) -> Vec<Vec<usize>> {
    match count > MAX_LOOPS {
        true => vec![(0..count).collect()],
        false => permutations(count),
    }
}

/// All orders of so many, the identity first.
pub fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for first in 0..n {
        for rest in permutations(n - 1) {
            let rest = rest.into_iter().map(|k| k + usize::from(k >= first));
            out.push(std::iter::once(first).chain(rest).collect());
        }
    }
    out
}

/// Tiles that are tried: along one loop, and along the two of a pair.
fn tiles(count: usize, inside: bool) -> Vec<(Vec<i64>, Kind)> {
    let mut out = Vec::new();
    let sizes: &[i64] = match count {
        1 => &[2, 4],
        _ => &[4],
    };
    for kind in [Kind::Blocked, Kind::Cyclic, Kind::Inside] {
        if kind == Kind::Inside && !inside {
            continue;
        }
        for k in 0..count.min(3) {
            for size in sizes {
                let mut tile = vec![1; count];
                tile[k] = *size;
                out.push((tile, kind));
            }
        }
        if count == 2 && kind != Kind::Cyclic {
            out.push((vec![2, 2], kind));
        }
    }
    out
}

/// A nest of which a thread does so many iterations of each parallel loop.
///
/// # Errors
///
/// What cannot be tiled so.
fn tiled(nest: &Nest, tile: &[i64], kind: Kind) -> Result<Nest, String> {
    let mut tiled = nest.clone();
    let kind = match kind {
        Kind::Blocked => TileKind::Blocked,
        Kind::Cyclic => TileKind::Cyclic,
        Kind::Inside => TileKind::Inside,
    };
    for (k, size) in tile.iter().enumerate().filter(|(_, n)| **n > 1) {
        tiled.tile(nest.parallel[k], *size, kind)?;
    }
    Ok(tiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_all_of_them() {
        assert_eq!(permutations(2), [[0, 1], [1, 0]]);
        let three: std::collections::HashSet<Vec<usize>> = permutations(3).into_iter().collect();
        assert_eq!(three.len(), 6);
        assert_eq!(orders(5).len(), 1);
    }

    #[test]
    fn shapes_are_possible() {
        let all = [BLOCKS_1, BLOCKS_2, BLOCKS_3].concat();
        assert!(all.iter().all(|b| b.iter().product::<i64>() <= 1024));
    }
}
