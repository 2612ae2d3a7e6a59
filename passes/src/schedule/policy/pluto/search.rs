//! The whole schedule: what is fused, and the bands of each part.

use super::band::{self, FoundBand, is_complete};
use super::problem::{Dependence, Problem};
use super::tree::Node;
use terrace_presburger::Row;

/// The schedule of all statements, or `None` where none was found within the budget:
/// the program then best stays as it is.
pub fn schedule(p: &Problem) -> Option<Node> {
    let members: Vec<usize> = (0..p.statements.len()).collect();
    part(p, &members, &p.dependences, &[])
}

/// The schedule of some statements inside the loops `found`.
fn part(p: &Problem, members: &[usize], active: &[Dependence], found: &[Vec<Row>]) -> Option<Node> {
    let components = components(members, active);
    let groups = fuse(p, components, active, found);
    if let [only] = &groups[..] {
        return group(p, only, active, found);
    }
    sequence(p, &groups, active, found)
}

fn sequence(
    p: &Problem,
    groups: &[Group],
    active: &[Dependence],
    found: &[Vec<Row>],
) -> Option<Node> {
    let mut parts = Vec::new();
    for g in groups {
        // What goes from one part to another is done by their order.
        let inside = among(&g.members, active);
        match group(p, g, &inside, found)? {
            Node::Sequence(nodes) => parts.extend(nodes),
            node => parts.push(node),
        }
    }
    Some(Node::Sequence(parts))
}

/// The schedule of statements that stay together as long as a hyperplane is found.
fn group(p: &Problem, g: &Group, active: &[Dependence], found: &[Vec<Row>]) -> Option<Node> {
    if is_complete(p, &g.members, found) {
        return order(&g.members, active);
    }
    let fresh;
    let band = match &g.band {
        Some(b) => Some(b),
        None => {
            fresh = band::longest(p, &g.members, active, found);
            fresh.as_ref()
        }
    };
    let Some(FoundBand { band, remaining }) = band else {
        let components = components(&g.members, active);
        if components.len() < 2 {
            return None;
        }
        let groups: Vec<Group> = components.into_iter().map(Group::new).collect();
        return sequence(p, &groups, active, found);
    };
    let mut all = found.to_vec();
    all.extend(band.rows.iter().cloned());
    let child = part(p, &g.members, remaining, &all)?;
    Some(Node::Band(band.clone(), Box::new(child)))
}

/// One after another, as the dependences and then the text have it: all loops are
/// there. `None` if the dependences run in a circle.
pub(super) fn order(members: &[usize], active: &[Dependence]) -> Option<Node> {
    let components = components(members, active);
    if components.iter().any(|c| c.len() > 1) || active.iter().any(|d| d.source == d.sink) {
        return None;
    }
    let leaves: Vec<Node> = components.iter().map(|c| Node::Leaf(c[0])).collect();
    match <[Node; 1]>::try_from(leaves) {
        Ok([leaf]) => Some(leaf),
        Err(leaves) => Some(Node::Sequence(leaves)),
    }
}

/// Statements that may become one nest.
struct Group {
    members: Vec<usize>,
    /// The band that was found while it was tried whether they should.
    band: Option<FoundBand>,
}

impl Group {
    fn new(members: Vec<usize>) -> Group {
        Group {
            members,
            band: None,
        }
    }
}

/// Joins neighbours that share data, unless the nest they make together has a
/// shorter band than one of them, or loses a parallel loop that one of them has.
fn fuse(
    p: &Problem,
    components: Vec<Vec<usize>>,
    active: &[Dependence],
    found: &[Vec<Row>],
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let several = components.len() > 1;
    for c in components {
        let mut next = Group::new(c);
        if several && !is_complete(p, &next.members, found) {
            next.band = band::longest(p, &next.members, &among(&next.members, active), found);
        }
        let joined = groups
            .last()
            .and_then(|last| join(p, last, &next, active, found));
        match joined {
            Some(both) => *groups.last_mut().expect("it was joined with") = both,
            None => groups.push(next),
        }
    }
    groups
}

fn join(
    p: &Problem,
    a: &Group,
    b: &Group,
    active: &[Dependence],
    found: &[Vec<Row>],
) -> Option<Group> {
    let members: Vec<usize> = a.members.iter().chain(&b.members).copied().collect();
    if is_complete(p, &members, found) {
        return Some(Group::new(members));
    }
    let (Some(fa), Some(fb)) = (&a.band, &b.band) else {
        return None;
    };
    if depth(p, a) != depth(p, b) || !share(p, a, b) {
        return None;
    }
    let both = band::longest(p, &members, &among(&members, active), found)?;
    let width = |f: &FoundBand| f.band.rows.len();
    let wide = width(&both) >= width(fa).max(width(fb));
    let outer = |f: &FoundBand| f.band.parallel.iter().any(|x| *x);
    let parallel = outer(&both) || !(outer(fa) || outer(fb));
    let first = |f: &FoundBand| f.band.parallel[0];
    let outermost = first(&both) || !(first(fa) || first(fb));
    (wide && parallel && outermost).then_some(Group {
        members,
        band: Some(both),
    })
}

fn depth(p: &Problem, g: &Group) -> usize {
    let dims = g.members.iter().map(|s| p.statements[*s].dims);
    dims.max().unwrap_or(0)
}

fn share(p: &Problem, a: &Group, b: &Group) -> bool {
    let arrays = |g: &Group| -> Vec<usize> {
        let all = g.members.iter().flat_map(|s| &p.statements[*s].arrays);
        all.copied().collect()
    };
    let other = arrays(b);
    arrays(a).iter().any(|x| other.contains(x))
}

/// The dependences that stay among the given statements.
pub(super) fn among(members: &[usize], active: &[Dependence]) -> Vec<Dependence> {
    let inside = |d: &&Dependence| members.contains(&d.source) && members.contains(&d.sink);
    active.iter().filter(inside).cloned().collect()
}

/// The strongly connected components of the dependences, in an order that follows
/// them and, where it is free to, the text.
pub(super) fn components(members: &[usize], active: &[Dependence]) -> Vec<Vec<usize>> {
    let n = members.len();
    let at = |s: usize| members.iter().position(|m| *m == s);
    let mut reaches = vec![vec![false; n]; n];
    for d in active {
        if let (Some(a), Some(b)) = (at(d.source), at(d.sink)) {
            reaches[a][b] = true;
        }
    }
    for via in 0..n {
        let onward = reaches[via].clone();
        for row in reaches.iter_mut().filter(|row| row[via]) {
            for (there, further) in row.iter_mut().zip(&onward) {
                *there |= further;
            }
        }
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut out = Vec::new();
    while !left.is_empty() {
        // The first in the text that waits for nothing outside its own circle.
        let ready = |&&x: &&usize| {
            left.iter()
                .all(|&y| !reaches[y][x] || reaches[x][y] || x == y)
        };
        let first = *left.iter().find(ready).expect("components have an order");
        let circle = |&y: &usize| y == first || (reaches[first][y] && reaches[y][first]);
        let (one, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|y| circle(y));
        out.push(one.into_iter().map(|i| members[i]).collect());
        left = rest;
    }
    out
}
