//! Substitution, and the bottom-up fold that it and evaluation rest on.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::expr::{AffineExpr, AffineOp, BinaryExpr};
use super::map::AffineMap;

impl AffineExpr {
    /// Computes a value bottom-up, without recursion; a node that several
    /// parents share is computed once. `node` gets the node itself, its
    /// operator and the values of its operands.
    pub(super) fn fold<T: Clone>(
        &self,
        mut leaf: impl FnMut(&AffineExpr) -> T,
        mut node: impl FnMut(&AffineExpr, AffineOp, T, T) -> T,
    ) -> T {
        self.fold_until(|_| None, &mut leaf, &mut node)
    }

    /// As `fold`; where `stop` has a value for a node, its operands are not
    /// looked at.
    fn fold_until<T: Clone>(
        &self,
        mut stop: impl FnMut(&AffineExpr) -> Option<T>,
        leaf: &mut impl FnMut(&AffineExpr) -> T,
        node: &mut impl FnMut(&AffineExpr, AffineOp, T, T) -> T,
    ) -> T {
        enum Step<'a> {
            Enter(&'a AffineExpr),
            Leave(&'a AffineExpr, &'a Arc<BinaryExpr>),
        }
        if !matches!(self, AffineExpr::Binary(_)) {
            return stop(self).unwrap_or_else(|| leaf(self));
        }
        let mut done: FxHashMap<*const BinaryExpr, T> = FxHashMap::default();
        let mut values: Vec<T> = Vec::new();
        let mut steps = vec![Step::Enter(self)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(expr) => {
                    if let Some(value) = stop(expr) {
                        values.push(value);
                        continue;
                    }
                    let AffineExpr::Binary(inner) = expr else {
                        values.push(leaf(expr));
                        continue;
                    };
                    if let Some(value) = done.get(&Arc::as_ptr(inner)) {
                        values.push(value.clone());
                        continue;
                    }
                    steps.push(Step::Leave(expr, inner));
                    steps.push(Step::Enter(inner.rhs()));
                    steps.push(Step::Enter(inner.lhs()));
                }
                Step::Leave(expr, inner) => {
                    // Every Leave follows the two Enters that pushed values.
                    if let (Some(rhs), Some(lhs)) = (values.pop(), values.pop()) {
                        let value = node(expr, inner.op(), lhs, rhs);
                        if Arc::strong_count(inner) > 1 {
                            done.insert(Arc::as_ptr(inner), value.clone());
                        }
                        values.push(value);
                    }
                }
            }
        }
        match values.pop() {
            Some(value) => value,
            None => leaf(self),
        }
    }

    /// Rebuilds bottom-up with `stop` deciding what is replaced by what. What
    /// does not change keeps its form; what does is simplified as it is built.
    pub(super) fn rewrite(
        &self,
        stop: impl FnMut(&AffineExpr) -> Option<AffineExpr>,
    ) -> AffineExpr {
        self.fold_until(
            stop,
            &mut |leaf: &AffineExpr| leaf.clone(),
            &mut |old: &AffineExpr, op, lhs: AffineExpr, rhs: AffineExpr| match old.as_binary() {
                Some((_, l, r)) if lhs.same_node(l) && rhs.same_node(r) => old.clone(),
                _ => AffineExpr::binary(op, lhs, rhs),
            },
        )
    }

    /// Replaces dimension `i` by `dims[i]` and symbol `i` by `symbols[i]`, at
    /// once. Those beyond the end of the slices stay.
    pub fn replace_dims_and_symbols(
        &self,
        dims: &[AffineExpr],
        symbols: &[AffineExpr],
    ) -> AffineExpr {
        self.rewrite(|expr| match expr {
            AffineExpr::Dim(position) => dims.get(*position as usize).cloned(),
            AffineExpr::Symbol(position) => symbols.get(*position as usize).cloned(),
            _ => None,
        })
    }

    /// With `dims[i]` in place of dimension `i`; dimensions past the end stay.
    pub fn replace_dims(&self, dims: &[AffineExpr]) -> AffineExpr {
        self.replace_dims_and_symbols(dims, &[])
    }

    /// With `symbols[i]` in place of symbol `i`; symbols past the end stay.
    pub fn replace_symbols(&self, symbols: &[AffineExpr]) -> AffineExpr {
        self.replace_dims_and_symbols(&[], symbols)
    }

    /// Replaces every outermost subexpression found in `replacements`.
    pub fn replace(&self, replacements: &FxHashMap<AffineExpr, AffineExpr>) -> AffineExpr {
        self.rewrite(|expr| replacements.get(expr).cloned())
    }

    /// Adds `shift` to the position of every dimension from `offset` on. A
    /// position past `u32::MAX` saturates.
    pub fn shift_dims(&self, shift: u32, offset: u32) -> AffineExpr {
        self.rewrite(|expr| match expr {
            AffineExpr::Dim(position) if *position >= offset => {
                Some(AffineExpr::Dim(position.saturating_add(shift)))
            }
            _ => None,
        })
    }

    /// Adds `shift` to the position of every symbol from `offset` on. A
    /// position past `u32::MAX` saturates.
    pub fn shift_symbols(&self, shift: u32, offset: u32) -> AffineExpr {
        self.rewrite(|expr| match expr {
            AffineExpr::Symbol(position) if *position >= offset => {
                Some(AffineExpr::Symbol(position.saturating_add(shift)))
            }
            _ => None,
        })
    }

    /// The expression applied to the results of `map`: its dimension `i`
    /// becomes result `i`. Its symbols and those of the map are the same.
    pub fn compose(&self, map: &AffineMap) -> AffineExpr {
        self.replace_dims(map.results())
    }
}
