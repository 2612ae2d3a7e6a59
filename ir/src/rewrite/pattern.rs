//! Rewrite patterns and sets of them.

use super::Rewriter;
use crate::context::Context;
use crate::op::Op;
use crate::opdef::OpKind;
use rustc_hash::FxHashMap;

/// One local rewrite.
pub trait Pattern {
    /// The name of the ops it applies to; `None` for any op.
    fn root(&self) -> Option<&'static str>;

    /// Of patterns that match, that of the greatest benefit is tried first; among
    /// equals the one added first.
    fn benefit(&self) -> u16 {
        1
    }

    /// A short name, for reports.
    fn name(&self) -> &str {
        self.root().unwrap_or("any")
    }

    /// Rewrite `op` where the pattern matches. True where anything changed; a
    /// pattern that returns false must have changed nothing.
    fn rewrite(&self, rw: &mut Rewriter, op: Op) -> bool;
}

struct FnPattern<F> {
    root: Option<&'static str>,
    benefit: u16,
    f: F,
}

impl<F: Fn(&mut Rewriter, Op) -> bool> Pattern for FnPattern<F> {
    fn root(&self) -> Option<&'static str> {
        self.root
    }
    fn benefit(&self) -> u16 {
        self.benefit
    }
    fn rewrite(&self, rw: &mut Rewriter, op: Op) -> bool {
        (self.f)(rw, op)
    }
}

/// Patterns to apply together.
#[derive(Default)]
pub struct PatternSet {
    patterns: Vec<Box<dyn Pattern>>,
}

impl PatternSet {
    /// A set without patterns.
    pub fn new() -> Self {
        Self::default()
    }

    /// The canonicalisation patterns of all registered ops.
    pub fn canonicalization(ctx: &Context) -> Self {
        let mut set = PatternSet::new();
        for dialect in ctx.dialects() {
            for op in dialect.ops {
                if let Some(f) = op.canonicalize {
                    f(&mut set);
                }
            }
        }
        set
    }

    /// Add a rewrite of ops of kind `K`, with benefit 1.
    pub fn add<K: OpKind>(&mut self, f: impl Fn(&mut Rewriter, Op) -> bool + 'static) {
        self.add_with_benefit::<K>(1, f);
    }

    pub(crate) fn add_with_benefit<K: OpKind>(
        &mut self,
        benefit: u16,
        f: impl Fn(&mut Rewriter, Op) -> bool + 'static,
    ) {
        self.insert(FnPattern {
            root: Some(K::DEF.name),
            benefit,
            f,
        });
    }

    /// Add a pattern.
    pub fn insert(&mut self, p: impl Pattern + 'static) {
        self.patterns.push(Box::new(p));
    }

    /// How many patterns there are.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    pub(super) fn by_root(&self) -> ByRoot<'_> {
        let mut roots: FxHashMap<&'static str, Vec<&dyn Pattern>> = FxHashMap::default();
        for p in &self.patterns {
            if let Some(r) = p.root() {
                roots.entry(r).or_default();
            }
        }
        let sorted = |wanted: Option<&str>| {
            let mut v: Vec<&dyn Pattern> = self
                .patterns
                .iter()
                .map(|p| &**p)
                .filter(|p| p.root().is_none() || p.root() == wanted)
                .collect();
            v.sort_by_key(|p| std::cmp::Reverse(p.benefit()));
            v
        };
        for (root, list) in &mut roots {
            *list = sorted(Some(root));
        }
        ByRoot {
            roots,
            any: sorted(None),
        }
    }
}

/// The patterns to try on an op, by its name, in order.
pub(super) struct ByRoot<'p> {
    roots: FxHashMap<&'static str, Vec<&'p dyn Pattern>>,
    any: Vec<&'p dyn Pattern>,
}

impl<'p> ByRoot<'p> {
    pub fn of(&self, name: &str) -> &[&'p dyn Pattern] {
        self.roots.get(name).unwrap_or(&self.any)
    }
}
