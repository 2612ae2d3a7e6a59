//! Schedules for a device that runs kernels: loops in order on the outside, from which
//! kernels are launched, and inside them loops whose iterations run at once.
//!
//! Bands that are as deep as can be ([`super::search`]) serve caches, and often have no
//! parallel loop: of lu's three loops, none. Here the outermost loop is parallel where one
//! can be; else one runs in order that carries as much as it can, and the statements that
//! no longer wait for each other in circles go apart and have their own loops inside:
//!
//! ```text
//! for i                                     for k
//!   for j < i                                 par i > k: A[i, k] /= A[k, k]
//!     for k < j: A[i, j] -= A[i, k] A[k, j]   par i > k
//!     A[i, j] /= A[j, j]                  =>    par k < j < i: A[i, j] -= A[i, k] A[k, j]
//!   for j >= i                                par i > k
//!     for k < i: A[i, j] -= A[i, k] A[k, j]     par j >= i: A[i, j] -= A[i, k] A[k, j]
//! ```
//!
//! Where that is asked for ([`most_threads`]) the loop that runs in order may also stand
//! around a parallel one, if that makes more loops parallel:
//!
//! ```text
//! par j                                     for k
//!   for i                             =>      par i < k
//!     for k > i: B[i, j] += A B[k, j]           par j: B[i, j] += A B[k, j]
//! ```

use super::band::is_complete;
use super::hyperplane::{Aim, find};
use super::linear::rank;
use super::problem::{Dependence, Problem};
use super::search::{among, components, order};
use super::tree::{Band, Node};
use terrace_presburger::Row;

/// The schedule of all statements, or `None` where none was found within the budget.
pub fn for_kernels(p: &Problem) -> Option<Node> {
    let members: Vec<usize> = (0..p.statements.len()).collect();
    Search { p, widest: false }.part(&members, &p.dependences, &[])
}

/// The schedule with the most parallel loops around all statements, or `None` where none
/// was found within the budget.
pub fn most_threads(p: &Problem) -> Option<Node> {
    let members: Vec<usize> = (0..p.statements.len()).collect();
    Search { p, widest: true }.part(&members, &p.dependences, &[])
}

struct Search<'p> {
    p: &'p Problem,
    /// Whether an outermost parallel loop is given up for more of them inside.
    widest: bool,
}

impl Search<'_> {
    /// How many parallel loops a schedule has, as far as they are wanted.
    fn loops(&self, node: &Node) -> usize {
        match self.widest {
            true => node.grid_loops(),
            false => node.parallel_loops(),
        }
    }

    /// The schedule of some statements inside the loops `found`.
    fn part(&self, members: &[usize], active: &[Dependence], found: &[Vec<Row>]) -> Option<Node> {
        let p = self.p;
        if is_complete(p, members, found) {
            return order(members, active);
        }
        let parts = components(members, active);
        if parts.len() > 1 {
            let mut nodes = Vec::new();
            for one in parts {
                // What goes from one part to another is done by their order.
                match self.part(&one, &among(&one, active), found)? {
                    Node::Sequence(inner) => nodes.extend(inner),
                    node => nodes.push(node),
                }
            }
            return Some(Node::Sequence(nodes));
        }
        let refs: Vec<&Dependence> = active.iter().collect();
        let rows = find(p, members, &refs, found, Aim::Close)?;
        // With one loop in order all others can be parallel at best.
        let left = |s: &usize| rank_left(p, *s, found).saturating_sub(1);
        let most: usize = members.iter().map(left).sum();
        let mut best: Option<(usize, Node)> = None;
        if active.iter().all(|d| d.is_coincident(p, &rows)) {
            let node = self.inside(members, active, found, rows)?;
            let loops = self.loops(&node);
            if !self.widest || loops >= most {
                return Some(node);
            }
            best = Some((loops, node));
        }
        for aim in [Aim::Simple, Aim::Carry(1), Aim::Carry(4)] {
            // Steep wavefronts of several statements take long to find, and to scan.
            let enough = best.as_ref().is_some_and(|b| b.1.points() >= members.len());
            if aim == Aim::Carry(4) && enough && members.len() > 1 {
                break;
            }
            let Some(rows) = find(p, members, &refs, found, aim) else {
                continue;
            };
            let Some(node) = self.inside(members, active, found, rows) else {
                continue;
            };
            let loops = self.loops(&node);
            if best.as_ref().is_none_or(|b| loops > b.0) {
                best = Some((loops, node));
            }
            if loops >= most {
                break;
            }
        }
        best.map(|b| b.1)
    }

    /// A loop along a hyperplane, and what is left to be done inside it.
    fn inside(
        &self,
        members: &[usize],
        active: &[Dependence],
        found: &[Vec<Row>],
        rows: Vec<Row>,
    ) -> Option<Node> {
        let p = self.p;
        let parallel = active.iter().all(|d| d.is_coincident(p, &rows));
        let remaining: Vec<Dependence> = active
            .iter()
            .map(|d| d.face(p, &rows))
            .filter(Dependence::has_instances)
            .collect();
        let mut all = found.to_vec();
        all.push(rows.clone());
        let child = self.part(members, &remaining, &all)?;
        let band = Band {
            rows: vec![rows],
            parallel: vec![parallel],
            coincident: vec![parallel],
        };
        Some(Node::Band(band, Box::new(child)))
    }
}

/// How many loops a statement still needs.
fn rank_left(p: &Problem, s: usize, found: &[Vec<Row>]) -> usize {
    let dims = p.statements[s].dims;
    let rows: Vec<Row> = found.iter().map(|h| h[s][..dims].to_vec()).collect();
    dims - rank(&rows)
}
