//! Sums and products of any number of terms, each distinct one once.
//!
//! A node is a value of the program, or a chain: a sum of signed terms, or a product of powers.
//! Nodes refer to nodes that were made before them.

use rustc_hash::FxHashMap;
use terrace_ir::{Type, Value};

/// The number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

impl Id {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a chain does with its terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Sum,
    Product,
}

/// A node in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    pub node: Id,
    /// In a sum 1 or -1, in a product the exponent, which is not 0.
    pub n: i32,
}

/// Terms that are added or multiplied.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    pub kind: Kind,
    /// What is added besides the terms, or multiplied with.
    pub number: Option<f64>,
    pub terms: Vec<Term>,
    /// The type of the whole and of each term.
    pub ty: Type,
    /// The fast-math flags that all ops of the chain had.
    pub flags: i64,
}

impl Chain {
    /// A chain without terms.
    pub fn new(kind: Kind, ty: Type, flags: i64) -> Chain {
        Chain {
            kind,
            number: None,
            terms: Vec::new(),
            ty,
            flags,
        }
    }

    /// An empty chain of the same kind, type and flags.
    pub fn empty_like(&self) -> Chain {
        Chain::new(self.kind, self.ty, self.flags)
    }

    pub fn has(&self, flags: i64) -> bool {
        self.flags & flags == flags
    }

    /// Terms and the number.
    pub fn len(&self) -> usize {
        self.terms.len() + usize::from(self.number.is_some())
    }

    /// Whether something is divided by.
    pub fn divides(&self) -> bool {
        self.kind == Kind::Product && self.terms.iter().any(|t| t.n < 0)
    }

    /// Brings the terms into one order, with powers of one node in one term, but that what is
    /// multiplied and divided by stays apart.
    pub fn sort(&mut self) {
        self.terms.sort_unstable();
        if self.kind == Kind::Product {
            let all = std::mem::take(&mut self.terms);
            for t in all {
                match self.terms.last_mut() {
                    Some(last) if last.node == t.node && (last.n < 0) == (t.n < 0) => {
                        match last.n.checked_add(t.n) {
                            Some(n) => last.n = n,
                            None => self.terms.push(t),
                        }
                    }
                    _ => self.terms.push(t),
                }
            }
        }
    }
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum What {
    Leaf(Value),
    Chain(Chain),
}

#[derive(Debug, Clone)]
pub struct Node {
    pub what: What,
    /// How many regions below the function the deepest value is defined that it is made of.
    pub depth: u32,
}

type Key = (Kind, Option<u64>, Vec<Term>, Type, i64);

/// All nodes of a function.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    leaves: FxHashMap<Value, Id>,
    chains: FxHashMap<Key, Id>,
}

impl Graph {
    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn depth(&self, id: Id) -> u32 {
        self.node(id).depth
    }

    /// How many nodes there are; all numbers are below.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The chain that a node is.
    pub fn chain(&self, id: Id) -> Option<&Chain> {
        match &self.node(id).what {
            What::Chain(c) => Some(c),
            What::Leaf(_) => None,
        }
    }

    /// The product that a node is.
    pub fn product(&self, id: Id) -> Option<&Chain> {
        self.chain(id).filter(|c| c.kind == Kind::Product)
    }

    fn push(&mut self, what: What, depth: u32) -> Id {
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { what, depth });
        id
    }

    /// The node of a value that is defined `depth` regions below the function.
    pub fn leaf(&mut self, v: Value, depth: u32) -> Id {
        if let Some(id) = self.leaves.get(&v) {
            return *id;
        }
        let id = self.push(What::Leaf(v), depth);
        self.leaves.insert(v, id);
        id
    }

    /// The node of a chain: that of its only term, if it is nothing else.
    pub fn intern(&mut self, mut chain: Chain) -> Id {
        chain.sort();
        if let ([Term { node, n: 1 }], None) = (&chain.terms[..], chain.number) {
            return *node;
        }
        let key = (
            chain.kind,
            chain.number.map(f64::to_bits),
            chain.terms.clone(),
            chain.ty,
            chain.flags,
        );
        if let Some(id) = self.chains.get(&key) {
            return *id;
        }
        let depth = self.depth_of(&chain);
        let id = self.push(What::Chain(chain), depth);
        self.chains.insert(key, id);
        id
    }

    fn depth_of(&self, chain: &Chain) -> u32 {
        let depths = chain.terms.iter().map(|t| self.depth(t.node));
        depths.max().unwrap_or(0)
    }

    /// Puts other terms of the same value into a chain. Nodes that refer to it stay as they are.
    pub fn set_terms(&mut self, id: Id, terms: Vec<Term>) {
        if let What::Chain(c) = &mut self.nodes[id.index()].what {
            c.terms = terms;
        }
    }

    /// For each node, in how many terms of nodes that the roots need it stands; a root counts as one.
    pub fn uses(&self, roots: &[Id]) -> Vec<u32> {
        let mut uses = vec![0u32; self.len()];
        let mut open: Vec<Id> = Vec::new();
        for r in roots {
            if uses[r.index()] == 0 {
                open.push(*r);
            }
            uses[r.index()] += 1;
        }
        while let Some(id) = open.pop() {
            for t in self.chain(id).map_or(&[][..], |c| &c.terms) {
                let n = &mut uses[t.node.index()];
                if *n == 0 {
                    open.push(t.node);
                }
                *n = n.saturating_add(1);
            }
        }
        uses
    }

    /// For each node, in how many chains it stands that the roots need.
    pub fn holders(&self, roots: &[Id]) -> Vec<u32> {
        let mut holders = vec![0u32; self.len()];
        for (k, n) in self.uses(roots).into_iter().enumerate() {
            let Some(c) = self.chain(Id(k as u32)).filter(|_| n > 0) else {
                continue;
            };
            let mut nodes: Vec<Id> = c.terms.iter().map(|t| t.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            for id in nodes {
                holders[id.index()] += 1;
            }
        }
        holders
    }

    /// The node as a term of a sum, with the sign of its number in the term's.
    pub fn signed(&mut self, node: Id, sign: i32) -> Term {
        let negative = self
            .product(node)
            .filter(|p| p.number.is_some_and(|c| c < 0.0));
        let Some(p) = negative else {
            return Term { node, n: sign };
        };
        let mut p = p.clone();
        p.number = p.number.map(|c| -c).filter(|c| *c != 1.0);
        let node = self.intern(p);
        Term { node, n: -sign }
    }
}

/// Products of a whole power, by repeated squares.
pub fn power_ops(n: u32) -> u32 {
    match n {
        0 => 0,
        n => n.ilog2() + n.count_ones() - 1,
    }
}

/// The number that two of a product are together, where a float of `ty` can be trusted to hold it.
pub fn times(bits: u32, a: Option<f64>, b: f64) -> Option<f64> {
    let (least, greatest) = match bits {
        64 => (1e-290, 1e290),
        32 => (1e-30, 1e30),
        _ => return None,
    };
    let c = a.unwrap_or(1.0) * b;
    (c.abs() >= least && c.abs() <= greatest).then_some(c)
}
