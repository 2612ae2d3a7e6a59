//! Like terms become one, what cancels goes, and factors that several terms have are taken out.
//!
//! ```text
//! x*a + x*b - y + y    =>    x*(a + b)
//! ```

use super::graph::{Chain, Graph, Id, Kind, Term, power_ops, times};
use super::rebuild::{bits_of, put};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use terrace_dialects::arith::fastmath;
use terrace_ir::Context;

/// What cancelling needs: no operand is infinite or a NaN, and the sign of nought does not count.
const CANCELS: i64 = fastmath::NNAN | fastmath::NINF | fastmath::NSZ;

/// Terms of sums that are dissolved in others, at most.
const MOST_DISSOLVED: usize = 64;

/// The chain with its terms merged and factors taken out.
pub fn factor(ctx: &Context, graph: &mut Graph, chain: Chain, uses: &[u32]) -> Id {
    match chain.kind {
        Kind::Product => product(ctx, graph, chain),
        Kind::Sum => sum(ctx, graph, chain, uses, 0),
    }
}

/// Operations of a product, a division as four.
fn work(c: &Chain) -> u32 {
    let power = |t: &Term| power_ops(t.n.unsigned_abs()) + 1;
    let powers: u32 = c.terms.iter().filter(|t| t.n != 0).map(power).sum();
    powers + u32::from(c.number.is_some()) + if c.divides() { 4 } else { 0 }
}

/// The product with powers of one node as one term.
fn with_powers(c: &Chain) -> Chain {
    let mut powers: BTreeMap<Id, i32> = BTreeMap::new();
    for t in &c.terms {
        let n = powers.entry(t.node).or_default();
        *n = n.saturating_add(t.n);
    }
    let terms = powers.into_iter().filter(|(_, n)| *n != 0);
    Chain {
        terms: terms.map(|(node, n)| Term { node, n }).collect(),
        ..c.clone()
    }
}

/// The product with the factors of others that it has in their place, where fewer operations are left.
/// Others may use those too, and compute them all the same.
///
/// ```text
/// c*c/p,  p = 2*c    =>    c/2
/// ```
fn without_products(ctx: &Context, graph: &Graph, mut c: Chain) -> Chain {
    if !c.has(CANCELS | fastmath::ARCP) || c.terms.len() > MOST_DISSOLVED {
        return c;
    }
    let bits = bits_of(ctx, &c);
    let mut now = work(&with_powers(&c));
    'again: loop {
        for k in 0..c.terms.len() {
            let t = c.terms[k];
            let Some(p) = graph
                .product(t.node)
                .filter(|p| p.has(CANCELS | fastmath::ARCP))
            else {
                continue;
            };
            let scale = match p.number {
                None => c.number,
                Some(n) => match times(bits, c.number, n.powi(t.n)) {
                    Some(n) => Some(n).filter(|n| *n != 1.0),
                    None => continue,
                },
            };
            let mut open = c.clone();
            open.flags &= p.flags;
            open.number = scale;
            open.terms.remove(k);
            let inside = p.terms.iter().map(|u| Term {
                n: u.n.saturating_mul(t.n),
                ..*u
            });
            open.terms.extend(inside);
            let then = work(&with_powers(&open));
            if then < now {
                (c, now) = (open, then);
                continue 'again;
            }
        }
        return c;
    }
}

/// Powers of one node become one.
fn product(ctx: &Context, graph: &mut Graph, c: Chain) -> Id {
    let mut c = without_products(ctx, graph, c);
    c.sort();
    if c.has(CANCELS | fastmath::ARCP) {
        let mut powers: BTreeMap<Id, i64> = BTreeMap::new();
        for t in &c.terms {
            *powers.entry(t.node).or_default() += i64::from(t.n);
        }
        let merged: Option<Vec<Term>> = (powers.into_iter())
            .filter(|(_, n)| *n != 0)
            .map(|(node, n)| {
                Some(Term {
                    node,
                    n: i32::try_from(n).ok()?,
                })
            })
            .collect();
        if let Some(terms) = merged {
            c.terms = terms;
        }
    }
    // Nought times what is finite.
    if c.number == Some(0.0) && c.has(CANCELS) {
        c.terms.clear();
    }
    if c.terms.is_empty() && c.number.is_none() {
        c.number = Some(1.0);
    }
    graph.intern(c)
}

/// A factor that several terms may have: a node, with whether it divides, or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Factor {
    Node(Id, bool),
    Number(u64),
}

/// A term of a sum, taken apart.
#[derive(Debug, Clone)]
struct Part {
    /// What the term is multiplied with; its sign is the term's.
    scale: f64,
    factors: Vec<Term>,
    flags: i64,
    /// Nothing but this sum uses the product.
    own: bool,
    /// The term itself, while nothing of it has changed.
    whole: Option<Term>,
}

fn sum(ctx: &Context, graph: &mut Graph, c: Chain, uses: &[u32], level: u32) -> Id {
    let c = dissolved(ctx, graph, c, uses);
    let parts = merged(ctx, graph, &c, uses);
    let mut out = c.empty_like();
    out.number = c.number;
    // Taking out a factor turns signs of nought around.
    let parts = match c.has(fastmath::NSZ) && level < 64 {
        true => take_out(ctx, graph, &mut out, parts, uses, level),
        false => parts,
    };
    for p in parts {
        let (node, sign) = whole(graph, &c, p);
        let t = Term { node, n: sign };
        put(ctx, graph, &mut out, t, false);
    }
    if out.terms.is_empty() && out.number.is_none() {
        out.number = Some(0.0);
    }
    leading(graph, out)
}

/// The terms of a sum taken apart, like ones as one.
fn merged(ctx: &Context, graph: &Graph, c: &Chain, uses: &[u32]) -> Vec<Part> {
    let mut terms = c.terms.clone();
    terms.sort_unstable();
    let mut here: FxHashMap<Id, u32> = FxHashMap::default();
    for t in &terms {
        *here.entry(t.node).or_default() += 1;
    }
    let mut parts: Vec<Part> = Vec::with_capacity(c.terms.len());
    for t in terms {
        // Whether nothing but this sum uses the term.
        let all = uses.get(t.node.index());
        let own = all.is_none_or(|all| *all <= here[&t.node]);
        parts.push(part(graph, c, t, own));
    }
    merge(ctx, c, parts)
}

/// The sum with the terms of others that it has in their place, where so much cancels that fewer are left.
/// Others may use those too, and compute them all the same.
///
/// ```text
/// s - b,  s = a + b    =>    a
/// ```
fn dissolved(ctx: &Context, graph: &Graph, mut c: Chain, uses: &[u32]) -> Chain {
    let count = |c: &Chain| {
        let number = usize::from(c.number.is_some_and(|n| n != 0.0));
        merged(ctx, graph, c, uses).len() + number
    };
    if !c.has(CANCELS) || c.terms.len() > MOST_DISSOLVED {
        return c;
    }
    let mut now = count(&c);
    loop {
        // The one with which most cancels; of equal ones the one that was made last, which has the others in it.
        let mut best: Option<(usize, Reverse<Id>, Chain)> = None;
        for k in 0..c.terms.len() {
            let t = c.terms[k];
            let inner = graph.chain(t.node).filter(|s| {
                s.kind == Kind::Sum && s.has(CANCELS) && s.terms.len() <= MOST_DISSOLVED
            });
            let Some(s) = inner else { continue };
            let number = c.number.unwrap_or(0.0) + f64::from(t.n) * s.number.unwrap_or(0.0);
            if !number.is_finite() {
                continue;
            }
            let mut open = c.clone();
            open.flags &= s.flags;
            open.number = Some(number).filter(|n| *n != 0.0);
            open.terms.remove(k);
            let inside = s.terms.iter().map(|u| Term { n: u.n * t.n, ..*u });
            open.terms.extend(inside);
            let key = (count(&open), Reverse(t.node));
            if key.0 < now && best.as_ref().is_none_or(|b| key < (b.0, b.1)) {
                best = Some((key.0, key.1, open));
            }
        }
        match best {
            Some((then, _, open)) => (c, now) = (open, then),
            None => return c,
        }
    }
}

/// Makes the first term of a sum positive, so that a sum and its negative are found to be one.
fn leading(graph: &mut Graph, mut c: Chain) -> Id {
    c.terms.sort_unstable();
    let alone = c.terms.len() == 1 && c.number.is_none();
    let negative = c.terms.first().is_some_and(|t| t.n < 0);
    if alone || !negative || !c.has(fastmath::NSZ) {
        return graph.intern(c);
    }
    for t in &mut c.terms {
        t.n = -t.n;
    }
    c.number = c.number.map(|n| -n);
    let mut negated = Chain::new(Kind::Product, c.ty, c.flags);
    let node = graph.intern(c);
    negated.number = Some(-1.0);
    negated.terms = vec![Term { node, n: 1 }];
    graph.intern(negated)
}

fn part(graph: &Graph, c: &Chain, t: Term, own: bool) -> Part {
    let sign = f64::from(t.n);
    match graph.product(t.node).filter(|_| own) {
        Some(p) => Part {
            scale: sign * p.number.unwrap_or(1.0),
            factors: p.terms.clone(),
            flags: p.flags & c.flags,
            own,
            whole: Some(t),
        },
        None => Part {
            scale: sign,
            factors: vec![Term { node: t.node, n: 1 }],
            flags: c.flags,
            own,
            whole: Some(t),
        },
    }
}

/// Terms that differ in their numbers only become one.
fn merge(ctx: &Context, c: &Chain, parts: Vec<Part>) -> Vec<Part> {
    let bits = bits_of(ctx, c);
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    let mut at: FxHashMap<Vec<Term>, Vec<usize>> = FxHashMap::default();
    for p in parts {
        let places = at.entry(p.factors.clone()).or_default();
        let found = places.iter().copied().find(|k| {
            let q = &out[*k];
            let alike = (q.scale < 0.0) == (p.scale < 0.0) || c.has(CANCELS);
            let sum = q.scale + p.scale;
            alike && (sum == 0.0 || times(bits, None, sum).is_some())
        });
        match found {
            Some(k) => {
                let q = &mut out[k];
                q.scale += p.scale;
                q.flags &= p.flags;
                q.whole = None;
                // It is a product that stands here alone, whatever else uses the term.
                q.own = true;
            }
            None => {
                places.push(out.len());
                out.push(p);
            }
        }
    }
    out.retain(|p| p.scale != 0.0);
    out
}

/// What a part is as a node, and its sign in the sum.
fn whole(graph: &mut Graph, c: &Chain, p: Part) -> (Id, i32) {
    if let Some(t) = p.whole {
        return (t.node, t.n);
    }
    let mut product = Chain::new(Kind::Product, c.ty, p.flags);
    product.number = Some(p.scale.abs()).filter(|n| *n != 1.0);
    product.terms = p.factors;
    let sign = if p.scale < 0.0 { -1 } else { 1 };
    (graph.intern(product), sign)
}

/// What a factor saves with `count` terms: a multiplication each but for one, or a division.
fn gain(f: Factor, count: usize) -> usize {
    let each = match f {
        Factor::Node(_, true) => 4,
        _ => 1,
    };
    each * count.saturating_sub(1)
}

fn factors(p: &Part) -> Vec<Factor> {
    let number = Some(p.scale.abs()).filter(|n| *n != 1.0);
    let all = p.factors.len() + usize::from(number.is_some());
    if !p.own || all < 2 {
        return Vec::new();
    }
    let mut found: Vec<Factor> = (p.factors.iter())
        .map(|t| Factor::Node(t.node, t.n < 0))
        .collect();
    found.extend(number.map(|n| Factor::Number(n.to_bits())));
    found
}

/// Takes factors out as long as that saves something, and puts what comes of it into `out`. Returns
/// the parts that are left.
fn take_out(
    ctx: &Context,
    graph: &mut Graph,
    out: &mut Chain,
    parts: Vec<Part>,
    uses: &[u32],
    level: u32,
) -> Vec<Part> {
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    let mut having: FxHashMap<Factor, Vec<usize>> = FxHashMap::default();
    for (k, p) in parts.iter().enumerate() {
        for f in p.iter().flat_map(factors) {
            having.entry(f).or_default().push(k);
        }
    }
    // The greatest gain first; of equal ones the factor that is known last, so that what stays inside
    // can move out of loops.
    let rank = |graph: &Graph, f: Factor| match f {
        Factor::Node(id, _) => graph.depth(id),
        Factor::Number(_) => 0,
    };
    let mut heap: BinaryHeap<(usize, u32, Reverse<Factor>)> = BinaryHeap::new();
    for (f, at) in &having {
        if at.len() > 1 {
            heap.push((gain(*f, at.len()), rank(graph, *f), Reverse(*f)));
        }
    }
    while let Some((said, depth, Reverse(f))) = heap.pop() {
        let at: Vec<usize> = (having.get(&f).into_iter().flatten().copied())
            .filter(|k| parts[*k].is_some())
            .collect();
        let now = gain(f, at.len());
        if now < said {
            if now > 0 {
                having.insert(f, at);
                heap.push((now, depth, Reverse(f)));
            }
            continue;
        }
        let taken: Vec<Part> = at.iter().filter_map(|k| parts[*k].take()).collect();
        let flags = taken.iter().fold(out.flags, |f, p| f & p.flags);
        let mut product = Chain::new(Kind::Product, out.ty, flags);
        let mut inner = Chain::new(Kind::Sum, out.ty, flags);
        let power = power_of(f, &taken);
        match (f, power) {
            (Factor::Node(node, _), n) => product.terms.push(Term { node, n }),
            (Factor::Number(bits), _) => product.number = Some(f64::from_bits(bits)),
        }
        for mut p in taken {
            p.whole = None;
            match f {
                Factor::Number(_) => p.scale = p.scale.signum(),
                Factor::Node(node, _) => {
                    for t in p.factors.iter_mut().filter(|t| t.node == node) {
                        if (t.n < 0) == (power < 0) {
                            t.n -= power;
                        }
                    }
                    p.factors.retain(|t| t.n != 0);
                }
            }
            if p.factors.is_empty() {
                inner.number = Some(inner.number.unwrap_or(0.0) + p.scale);
                continue;
            }
            let (node, n) = whole(graph, &inner, p);
            put(ctx, graph, &mut inner, Term { node, n }, false);
        }
        let inner = sum(ctx, graph, inner, uses, level + 1);
        put(ctx, graph, &mut product, Term { node: inner, n: 1 }, true);
        let node = graph.intern(product);
        put(ctx, graph, out, Term { node, n: 1 }, false);
    }
    parts.into_iter().flatten().collect()
}

/// The exponent that all these terms have of a factor.
fn power_of(f: Factor, parts: &[Part]) -> i32 {
    let Factor::Node(node, divides) = f else {
        return 1;
    };
    let powers = parts.iter().filter_map(|p| {
        let t = p
            .factors
            .iter()
            .find(|t| t.node == node && (t.n < 0) == divides)?;
        Some(t.n)
    });
    match divides {
        true => powers.max().unwrap_or(-1),
        false => powers.min().unwrap_or(1),
    }
}
