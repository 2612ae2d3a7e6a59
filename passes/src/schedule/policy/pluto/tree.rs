//! The answer: a tree of bands and sequences.

use terrace_presburger::Row;

/// Hyperplanes that may be permuted and tiled.
#[derive(Debug, Clone)]
pub struct Band {
    /// For each hyperplane, for each statement of the problem, the coefficients of
    /// its counters and a constant. Statements outside the band have empty rows.
    pub rows: Vec<Vec<Row>>,
    /// For each hyperplane, whether its iterations may run at once with all loops
    /// outside it in order.
    pub parallel: Vec<bool>,
    /// For each hyperplane, whether no dependence at all runs along it, so that it
    /// may run at once wherever in the band it stands.
    pub coincident: Vec<bool>,
}

/// A schedule tree, after Verdoolaege, Guelton, Grosser and Cohen, "Schedule trees"
/// (IMPACT 2014).
#[derive(Debug, Clone)]
pub enum Node {
    /// Loops around all statements of the child.
    Band(Band, Box<Node>),
    /// One part after the other.
    Sequence(Vec<Node>),
    /// One statement.
    Leaf(usize),
}

impl Node {
    /// Whether some statement is in an outermost loop whose iterations may run at once.
    pub fn has_outermost_parallel(&self) -> bool {
        match self {
            Node::Leaf(_) => false,
            Node::Band(band, child) => match band.parallel.first() {
                Some(first) => *first,
                None => child.has_outermost_parallel(),
            },
            Node::Sequence(parts) => parts.iter().any(Node::has_outermost_parallel),
        }
    }

    /// For each statement 2 if the outermost loop around it may run its iterations at
    /// once, 1 if another may.
    pub fn points(&self) -> usize {
        self.points_inside(None)
    }

    /// `around`: whether the outermost loop around is parallel, and whether any is.
    fn points_inside(&self, around: Option<(bool, bool)>) -> usize {
        match self {
            Node::Leaf(_) => match around {
                Some((true, _)) => 2,
                Some((_, true)) => 1,
                _ => 0,
            },
            Node::Band(band, child) => {
                let first = band.parallel.first().copied().unwrap_or(false);
                let any = band.parallel.contains(&true);
                let (outer, other) = around.unwrap_or((first, false));
                child.points_inside(Some((outer, other || any)))
            }
            Node::Sequence(parts) => parts.iter().map(|x| x.points_inside(around)).sum(),
        }
    }

    /// The parallel loops around each statement, all added up.
    pub fn parallel_loops(&self) -> usize {
        match self {
            Node::Leaf(_) => 0,
            Node::Band(band, child) => {
                let here = band.parallel.iter().filter(|p| **p).count();
                here * child.statements().len() + child.parallel_loops()
            }
            Node::Sequence(parts) => parts.iter().map(Node::parallel_loops).sum(),
        }
    }

    /// The parallel loops around each statement that a grid of threads can have, all added
    /// up: the outermost one and those directly inside it.
    pub fn grid_loops(&self) -> usize {
        self.grid_inside(0)
    }

    /// `around`: the loops of the grid that end directly around.
    fn grid_inside(&self, around: usize) -> usize {
        match self {
            Node::Leaf(_) => around,
            Node::Band(band, child) => {
                let mut grid = around;
                for parallel in &band.parallel {
                    match (parallel, grid) {
                        (true, _) => grid += 1,
                        (false, 0) => {}
                        (false, _) => return grid * child.statements().len(),
                    }
                }
                child.grid_inside(grid)
            }
            // What stands side by side in a loop that is in the grid runs in its threads.
            Node::Sequence(parts) if around > 0 => {
                let all = parts.iter().map(|p| p.statements().len());
                around * all.sum::<usize>()
            }
            Node::Sequence(parts) => parts.iter().map(|p| p.grid_inside(0)).sum(),
        }
    }

    /// The statements below, in the order of the tree.
    pub fn statements(&self) -> Vec<usize> {
        match self {
            Node::Leaf(s) => vec![*s],
            Node::Band(_, child) => child.statements(),
            Node::Sequence(parts) => parts.iter().flat_map(Node::statements).collect(),
        }
    }

    /// The bands of the tree, from the outside in.
    #[cfg(test)]
    pub fn bands(&self) -> Vec<&Band> {
        match self {
            Node::Leaf(_) => Vec::new(),
            Node::Band(b, child) => std::iter::once(b).chain(child.bands()).collect(),
            Node::Sequence(parts) => parts.iter().flat_map(Node::bands).collect(),
        }
    }
}
