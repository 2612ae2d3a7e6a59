//! Arrays of random programs, and accesses that stay within them.

use super::affine::{Expr, Operand};
use super::generate::{DATA, Generator, Ty};
use super::program::Stmt;

#[derive(Clone)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) extents: Vec<i64>,
    pub(super) memref: String,
}

impl Generator {
    /// `[subscripts]` of an access that stays within the array.
    pub(super) fn subscripts(&mut self, a: &Array, own: bool) -> String {
        let loops: Vec<Operand> = self
            .operands
            .iter()
            .filter(|o| !o.symbol)
            .cloned()
            .collect();
        let tidy = own || self.rng.chance(60);
        let mut parts = Vec::new();
        for (d, extent) in a.extents.iter().enumerate() {
            let e = if own {
                Expr::of(&loops[d])
            } else if tidy && loops.len() >= a.extents.len() {
                let o = &loops[loops.len() - a.extents.len() + d];
                let shift = self.rng.between(-1, 1);
                let e = Expr::of(o).plus(shift);
                let (low, high) = e.range();
                if low >= 0 && high < *extent {
                    e
                } else {
                    Expr::of(o).fit(&mut self.rng, *extent)
                }
            } else {
                let operands = self.operands.clone();
                let e = Expr::random(&mut self.rng, &operands);
                e.fit(&mut self.rng, *extent)
            };
            parts.push(e.text(&mut |o| {
                if o.symbol {
                    format!("symbol({})", o.name)
                } else {
                    o.name.clone()
                }
            }));
        }
        format!("[{}]", parts.join(", "))
    }

    pub(super) fn readable(&mut self) -> Option<Array> {
        let owned = self.owned.clone();
        let arrays: Vec<Array> = self
            .arrays
            .iter()
            .filter(|a| Some(&a.name) != owned.as_ref())
            .cloned()
            .collect();
        if arrays.is_empty() {
            None
        } else {
            Some(self.rng.pick(&arrays).clone())
        }
    }

    pub(super) fn load(&mut self, out: &mut Vec<Stmt>) {
        let Some(a) = self.readable() else { return };
        if self.rng.chance(8) {
            // A subscript that no analysis sees through.
            let mut at = Vec::new();
            for e in &a.extents {
                let v = self.value(Ty::Index, out);
                let n = self.define(Ty::Index, &format!("arith.constant {e} : index"), out);
                at.push(self.define(Ty::Index, &format!("arith.remui {v}, {n} : index"), out));
            }
            let text = format!("memref.load {}[{}] : {}", a.name, at.join(", "), a.memref);
            self.define(a.ty, &text, out);
            return;
        }
        let at = self.subscripts(&a, false);
        self.define(
            a.ty,
            &format!("affine.load {}{at} : {}", a.name, a.memref),
            out,
        );
    }

    pub(super) fn store(&mut self, out: &mut Vec<Stmt>) {
        if self.in_parallel || self.arrays.is_empty() {
            return;
        }
        let a = self.rng.pick(&self.arrays.clone()).clone();
        let v = self.value(a.ty, out);
        let at = self.subscripts(&a, false);
        out.push(Stmt::Line(format!(
            "affine.store {v}, {}{at} : {}",
            a.name, a.memref
        )));
    }

    pub(super) fn array(&mut self, name: String, may_be_open: bool) -> Array {
        let ty = *self.rng.pick(&DATA);
        let rank = *self.rng.pick(&[0, 1, 1, 1, 2, 2, 2, 3]);
        let extents: Vec<i64> = (0..rank).map(|_| self.rng.between(2, 9)).collect();
        let mut memref = "memref<".to_string();
        for e in &extents {
            match may_be_open && self.rng.chance(40) {
                true => memref.push_str("?x"),
                false => memref.push_str(&format!("{e}x")),
            }
        }
        memref.push_str(&format!("{}>", ty.text()));
        Array {
            name,
            ty,
            extents,
            memref,
        }
    }

    /// Every element of an array gets a value.
    pub(super) fn fill(&mut self, a: &Array, out: &mut Vec<Stmt>) {
        let ivs: Vec<String> = a.extents.iter().map(|_| self.fresh("i")).collect();
        let v = self.value(a.ty, out);
        let store = format!(
            "affine.store {v}, {}[{}] : {}",
            a.name,
            ivs.join(", "),
            a.memref
        );
        let mut nest = Stmt::Line(store);
        for (iv, n) in ivs.iter().zip(&a.extents).rev() {
            let head = format!("affine.for {iv} = 0 to {n}");
            nest = Stmt::Block {
                head,
                body: vec![nest],
                other: None,
            };
        }
        out.push(nest);
    }
}
