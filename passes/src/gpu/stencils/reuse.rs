//! Which elements neighbouring iterations have in common.

use super::nest::{Access, GridNest, Level};
use super::polynomial::Polynomial;
use rustc_hash::FxHashSet;
use terrace_ir::Value;

/// An element of an array, as iterations of one loop name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Element {
    memref: Value,
    subscripts: Vec<Polynomial>,
}

impl Access {
    /// The element that the iteration `k` after this one touches; `None` where that is not
    /// known.
    pub fn element(&self, along: &Level, k: i64) -> Option<Element> {
        if self.hidden.contains(&along.iv) {
            return None;
        }
        let later = |s: &Polynomial| s.plus(k, &s.growth(along.name)?);
        let subscripts: Option<Vec<Polynomial>> = self.subscripts.iter().map(later).collect();
        Some(Element {
            memref: self.memref,
            subscripts: subscripts?,
        })
    }

    /// Whether neighbouring iterations touch neighbouring elements, or the same.
    pub fn is_dense(&self, along: &Level) -> Option<Dense> {
        if self.hidden.contains(&along.iv) {
            return None;
        }
        let growth: Option<Vec<Polynomial>> = (self.subscripts.iter())
            .map(|s| s.growth(along.name))
            .collect();
        let growth = growth?;
        let (last, rest) = growth.split_last()?;
        match rest.iter().all(Polynomial::is_zero) {
            true if last.as_constant() == Some(1) => Some(Dense::Next),
            true if last.is_zero() => Some(Dense::Same),
            _ => None,
        }
    }
}

/// See [`Access::is_dense`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dense {
    Next,
    Same,
}

/// What the loads of some iterations come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loads {
    pub count: usize,
    /// Registers of 32 bits that hold all of it.
    pub registers: u32,
}

impl GridNest {
    /// The loads of `rows` iterations of a loop at once, each element once.
    pub fn loads(&self, along: &Level, rows: i64) -> Loads {
        let mut seen: FxHashSet<Element> = FxHashSet::default();
        let mut out = Loads {
            count: 0,
            registers: 0,
        };
        for a in self.accesses.iter().filter(|a| !a.writes) {
            for k in 0..rows {
                if a.element(along, k).is_none_or(|e| seen.insert(e)) {
                    out.count += 1;
                    out.registers += a.bits.div_ceil(32).max(1);
                }
            }
        }
        out
    }
}
