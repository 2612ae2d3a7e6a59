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

    /// The statements below, in the order of the tree.
    pub fn statements(&self) -> Vec<usize> {
        match self {
            Node::Leaf(s) => vec![*s],
            Node::Band(_, child) => child.statements(),
            Node::Sequence(parts) => parts.iter().flat_map(Node::statements).collect(),
        }
    }

    /// The bands of the tree, from the outside in.
    pub fn bands(&self) -> Vec<&Band> {
        match self {
            Node::Leaf(_) => Vec::new(),
            Node::Band(b, child) => std::iter::once(b).chain(child.bands()).collect(),
            Node::Sequence(parts) => parts.iter().flat_map(Node::bands).collect(),
        }
    }
}
