//! Terms that several chains have in common become a chain of their own, the largest sets first.
//!
//! ```text
//! a + b + c,  a + b + d    =>    t + c,  t + d    with  t = a + b
//! ```

use super::graph::{Chain, Graph, Id, Kind, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use terrace_dialects::arith::fastmath;
use terrace_ir::Type;

/// Pairs of chains that are compared, at most. What is beyond stays as it is.
const MAX_PAIRS: usize = 1 << 18;

/// Chains that one is compared with for each of its terms, at most: those in front of it.
const NEAREST: usize = 256;

/// What a term is called in comparisons: in products powers of a node are as many equal terms.
type Terms = Vec<Term>;

/// One of the chains, its terms by number.
struct Member {
    id: Id,
    terms: Terms,
}

/// Finds common subsets in all chains that the roots need. Returns the nodes that were made.
pub fn share(graph: &mut Graph, roots: &[Id]) -> Vec<Id> {
    let uses = graph.uses(roots);
    let mut classes: FxHashMap<(Kind, Type, i64), Vec<Member>> = FxHashMap::default();
    let mut order = Vec::new();
    for (k, n) in uses.iter().enumerate() {
        let id = Id(k as u32);
        let Some(c) = graph.chain(id).filter(|c| *n > 0 && c.terms.len() > 1) else {
            continue;
        };
        let class = (c.kind, c.ty, c.flags);
        let members = classes.entry(class).or_insert_with(|| {
            order.push(class);
            Vec::new()
        });
        members.push(Member {
            id,
            terms: c.terms.clone(),
        });
    }
    let mut made = Vec::new();
    for class in order {
        let members = classes.remove(&class).unwrap_or_default();
        let mut s = Sharing {
            graph,
            class,
            members,
            at: FxHashMap::default(),
            heap: BinaryHeap::new(),
            seen: FxHashSet::default(),
        };
        made.extend(s.run());
    }
    made
}

/// A pair of chains with a common subset: its size, and whether one chain has it with the other sign.
type Candidate = (u32, Reverse<usize>, Reverse<usize>, bool);

struct Sharing<'g> {
    graph: &'g mut Graph,
    class: (Kind, Type, i64),
    members: Vec<Member>,
    /// The chains that have a node, by their places.
    at: FxHashMap<Id, Vec<usize>>,
    heap: BinaryHeap<Candidate>,
    seen: FxHashSet<(usize, usize)>,
}

impl Sharing<'_> {
    fn run(&mut self) -> Vec<Id> {
        for k in 0..self.members.len() {
            for t in &self.members[k].terms {
                let at = self.at.entry(t.node).or_default();
                if at.last() != Some(&k) {
                    at.push(k);
                }
            }
        }
        for k in 0..self.members.len() {
            self.compare(k);
        }
        let mut made = Vec::new();
        while let Some((said, Reverse(a), Reverse(b), opposite)) = self.heap.pop() {
            let common = self.common(a, b, opposite);
            let size = self.size(&common);
            if size < 2 {
                continue;
            }
            if size < said {
                self.heap.push((size, Reverse(a), Reverse(b), opposite));
                continue;
            }
            made.extend(self.extract(common, a));
        }
        made
    }

    /// How many terms these are.
    fn size(&self, terms: &[Term]) -> u32 {
        match self.class.0 {
            Kind::Sum => terms.len() as u32,
            Kind::Product => terms.iter().map(|t| t.n.unsigned_abs()).sum(),
        }
    }

    /// Puts the pairs of chain `k` with those before it on the heap.
    fn compare(&mut self, k: usize) {
        let mut others: FxHashMap<usize, u32> = FxHashMap::default();
        for t in &self.members[k].terms {
            let all = self.at.get(&t.node).into_iter().flatten();
            for j in all.rev().filter(|j| **j < k).take(NEAREST) {
                *others.entry(*j).or_default() += t.n.unsigned_abs();
            }
        }
        let mut others: Vec<(usize, u32)> = others.into_iter().filter(|(_, n)| *n > 1).collect();
        others.sort_unstable();
        for (j, _) in others {
            if self.seen.len() >= MAX_PAIRS || !self.seen.insert((j, k)) {
                continue;
            }
            for opposite in [false, true] {
                let size = self.size(&self.common(j, k, opposite));
                if size > 1 {
                    self.heap.push((size, Reverse(j), Reverse(k), opposite));
                }
            }
        }
    }

    /// The terms of chain `a` that chain `b` has as well; where `opposite`, with the other sign.
    fn common(&self, a: usize, b: usize, opposite: bool) -> Terms {
        let (kind, _, flags) = self.class;
        if opposite && (kind == Kind::Product || flags & fastmath::NSZ == 0) {
            return Vec::new();
        }
        common(
            kind,
            &self.members[a].terms,
            &self.members[b].terms,
            opposite,
        )
    }

    /// Makes a chain of terms that at least two chains have, and puts it where they stand.
    fn extract(&mut self, common: Terms, first: usize) -> Option<Id> {
        let (kind, ty, flags) = self.class;
        let mut terms = common.clone();
        // What is divided by by all is multiplied together.
        let divides = kind == Kind::Product && terms.iter().all(|t| t.n < 0);
        if divides {
            terms.iter_mut().for_each(|t| t.n = -t.n);
        }
        let alone = self.members[first].terms == terms;
        let whole = alone && self.graph.chain(self.members[first].id)?.number.is_none();
        let mut chain = Chain::new(kind, ty, flags);
        chain.terms = terms.clone();
        let node = match whole {
            true => self.members[first].id,
            false => self.graph.intern(chain),
        };
        let rarest = common
            .iter()
            .min_by_key(|t| self.at.get(&t.node).map_or(0, Vec::len))?;
        let places = self.at.get(&rarest.node)?.clone();
        let mut member = None;
        for k in places {
            if self.members[k].id == node {
                member = Some(k);
                continue;
            }
            for opposite in [false, true] {
                if opposite && (kind == Kind::Product || flags & fastmath::NSZ == 0) {
                    continue;
                }
                if !has(&self.members[k].terms, &common, opposite, kind) {
                    continue;
                }
                let n = if opposite != divides { -1 } else { 1 };
                self.take(k, &common, opposite);
                add(&mut self.members[k].terms, kind, Term { node, n });
                self.at.entry(node).or_default().push(k);
                let (id, terms) = (self.members[k].id, self.members[k].terms.clone());
                self.graph.set_terms(id, terms);
                break;
            }
        }
        if member.is_none() {
            let k = self.members.len();
            self.members.push(Member {
                id: node,
                terms: terms.clone(),
            });
            for t in &terms {
                self.at.entry(t.node).or_default().push(k);
            }
            self.compare(k);
        }
        Some(node)
    }

    /// Takes terms out of a chain that has them.
    fn take(&mut self, k: usize, common: &[Term], opposite: bool) {
        let kind = self.class.0;
        let terms = &mut self.members[k].terms;
        for c in common {
            let n = if opposite { -c.n } else { c.n };
            let found = terms.iter().position(|t| {
                t.node == c.node
                    && match kind {
                        Kind::Sum => t.n == n,
                        Kind::Product => (t.n < 0) == (n < 0),
                    }
            });
            let Some(p) = found else {
                continue;
            };
            if kind == Kind::Product {
                terms[p].n -= n;
            }
            if kind == Kind::Sum || terms[p].n == 0 {
                terms.remove(p);
            }
            if terms.iter().all(|t| t.node != c.node)
                && let Some(at) = self.at.get_mut(&c.node)
            {
                at.retain(|j| *j != k);
            }
        }
    }
}

/// Adds a term, in products to the power that is there: comparisons count each power once.
fn add(terms: &mut Terms, kind: Kind, t: Term) {
    let power = terms
        .iter_mut()
        .find(|o| kind == Kind::Product && o.node == t.node && (o.n < 0) == (t.n < 0));
    match power {
        Some(o) => o.n = o.n.saturating_add(t.n),
        None => {
            terms.push(t);
            terms.sort_unstable();
        }
    }
}

fn common(kind: Kind, a: &[Term], b: &[Term], opposite: bool) -> Terms {
    let sign = if opposite { -1 } else { 1 };
    let mut out = Vec::new();
    match kind {
        Kind::Sum => {
            let mut left: FxHashMap<Term, u32> = FxHashMap::default();
            for t in b {
                *left.entry(*t).or_default() += 1;
            }
            for t in a {
                let wanted = Term {
                    n: t.n * sign,
                    ..*t
                };
                if let Some(n) = left.get_mut(&wanted).filter(|n| **n > 0) {
                    *n -= 1;
                    out.push(*t);
                }
            }
        }
        Kind::Product => {
            let powers: FxHashMap<(Id, bool), i32> =
                b.iter().map(|t| ((t.node, t.n < 0), t.n)).collect();
            for t in a {
                if let Some(n) = powers.get(&(t.node, t.n < 0)) {
                    let n = if t.n < 0 { t.n.max(*n) } else { t.n.min(*n) };
                    out.push(Term { node: t.node, n });
                }
            }
        }
    }
    out
}

/// Whether a chain has all terms of a set.
fn has(terms: &[Term], set: &[Term], opposite: bool, kind: Kind) -> bool {
    let found = common(kind, set, terms, opposite);
    found == set
}
