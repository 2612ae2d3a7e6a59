//! A schedule tree as one map for each statement: from its counters to its time.

use super::tree::{Band, Node};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_presburger::{Int, Row};

/// What else than the tree decides.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The points of a tile along each hyperplane of a band; `None` to leave bands as
    /// they are. Bands of one hyperplane are never tiled: it would change nothing.
    pub tile: Option<i64>,
    /// Whether tiles of bands that have no parallel loop are put in wavefronts.
    pub wavefront: bool,
}

/// When the instances of each statement run: the order is that of their times.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Times {
    /// One map for each statement, all with the same number of results.
    pub times: Vec<AffineMap>,
    /// For each statement the results along which instances may run at once.
    pub parallel: Vec<Vec<usize>>,
}

/// The plan of a tree over statements of `dims[s]` counters each. `None` if a
/// coefficient does not fit in 64 bits.
pub fn plan(tree: &Node, dims: &[usize], choices: &Choices) -> Option<Times> {
    let mut p = Planner {
        dims,
        choices,
        times: vec![Vec::new(); dims.len()],
        parallel: vec![Vec::new(); dims.len()],
    };
    p.node(tree)?;
    let longest = p.times.iter().map(Vec::len).max().unwrap_or(0);
    let times = p.times.into_iter().zip(dims).map(|(mut t, d)| {
        t.resize(longest, AffineExpr::Constant(0));
        AffineMap::new(*d as u32, 0, t)
    });
    Some(Times {
        times: times.collect(),
        parallel: p.parallel,
    })
}

struct Planner<'p> {
    dims: &'p [usize],
    choices: &'p Choices,
    times: Vec<Vec<AffineExpr>>,
    parallel: Vec<Vec<usize>>,
}

impl Planner<'_> {
    fn node(&mut self, n: &Node) -> Option<()> {
        match n {
            Node::Leaf(_) => Some(()),
            Node::Sequence(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    for s in part.statements() {
                        self.times[s].push(AffineExpr::Constant(i as i64));
                    }
                    self.node(part)?;
                }
                Some(())
            }
            Node::Band(b, child) => {
                self.band(b, &child.statements())?;
                self.node(child)
            }
        }
    }

    fn band(&mut self, b: &Band, statements: &[usize]) -> Option<()> {
        let size = self.choices.tile.filter(|_| b.rows.len() > 1);
        for &s in statements {
            let points: Vec<AffineExpr> = b
                .rows
                .iter()
                .map(|h| self.expr(s, &h[s]))
                .collect::<Option<_>>()?;
            let mut parallel = b.parallel.clone();
            if let Some(size) = size {
                let mut tiles: Vec<AffineExpr> = points
                    .iter()
                    .map(|p| p.clone().floor_div(AffineExpr::Constant(size)))
                    .collect();
                let mut coincident = b.coincident.clone();
                // Along the sum of two hyperplanes every dependence that either
                // carries goes forward, which leaves none for the second.
                if self.choices.wavefront && !coincident.contains(&true) {
                    tiles[0] = tiles[0].clone() + tiles[1].clone();
                    coincident[1] = true;
                }
                self.append(s, tiles, &coincident);
                parallel.clone_from(&b.coincident);
            }
            self.append(s, points, &parallel);
        }
        Some(())
    }

    fn append(&mut self, s: usize, times: Vec<AffineExpr>, parallel: &[bool]) {
        let start = self.times[s].len();
        let at = parallel.iter().enumerate().filter(|p| *p.1);
        self.parallel[s].extend(at.map(|p| start + p.0));
        self.times[s].extend(times);
    }

    fn expr(&self, s: usize, row: &Row) -> Option<AffineExpr> {
        let dims = self.dims[s];
        let mut e = AffineExpr::Constant(row.get(dims).map_or(Some(0), Int::to_i64)?);
        let mut first = true;
        for (d, c) in row.iter().take(dims).enumerate().filter(|c| !c.1.is_zero()) {
            let c = c.to_i64()?;
            let term = AffineExpr::dim(d as u32) * c;
            let nothing_yet = first && e == AffineExpr::Constant(0);
            e = if nothing_yet { term } else { e + term };
            first = false;
        }
        Some(e)
    }
}
