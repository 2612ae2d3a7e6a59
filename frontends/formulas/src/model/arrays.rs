//! Declarations of arrays.

use super::Checker;
use super::value::Scope;
use crate::ast;
use crate::layout::{Array, Dim, Sign};

impl Checker<'_> {
    pub(super) fn array(&mut self, a: &ast::Array) -> Option<Array> {
        let mut dims: Vec<Dim> = Vec::new();
        let before = self.said.len();
        for d in &a.dims {
            if dims.iter().any(|e| e.name.text == d.name.text) {
                let m = format!("`{}` has two indices `{}`", a.name.text, d.name.text);
                self.fail::<()>(d.name.span, m);
            }
            let scope = Scope::default();
            let (low, high) = (self.form(&d.low, &scope), self.form(&d.high, &scope));
            if let (Some(low), Some(high)) = (low, high) {
                dims.push(Dim {
                    name: d.name.clone(),
                    low,
                    high,
                    by: d.by,
                    bands: 1,
                    same: false,
                });
            }
        }
        if self.said.len() > before {
            return None;
        }
        let place = |c: &mut Self, dims: &[Dim], name: &ast::Name| {
            let found = dims.iter().position(|d| d.name.text == name.text);
            found.or_else(|| {
                let all: Vec<String> = dims.iter().map(|d| format!("`{}`", d.name.text)).collect();
                let m = format!(
                    "`{}` is no index of `{}`, which has {}",
                    name.text,
                    a.name.text,
                    all.join(", ")
                );
                c.fail(name.span, m)
            })
        };
        for (name, n) in &a.bands {
            if let Some(d) = place(self, &dims, name) {
                dims[d].bands = *n;
            }
        }
        for name in &a.same {
            if let Some(d) = place(self, &dims, name) {
                dims[d].same = true;
            }
        }
        let mut order = Vec::new();
        for name in &a.order {
            let Some(d) = place(self, &dims, name) else {
                continue;
            };
            if order.contains(&d) || dims[d].same {
                let why = if dims[d].same {
                    "has no place in memory"
                } else {
                    "is named twice"
                };
                let m = format!("`{}` {why}; `order` names each other index once", name.text);
                self.fail::<()>(name.span, m);
            }
            order.push(d);
        }
        let there: Vec<usize> = (0..dims.len()).filter(|d| !dims[*d].same).collect();
        if a.order.is_empty() {
            order = there;
        } else if order.len() < there.len() {
            let left: Vec<String> = (there.iter().filter(|d| !order.contains(d)))
                .map(|d| format!("`{}`", dims[*d].name.text))
                .collect();
            let m = format!("`order` leaves out {}", left.join(", "));
            self.fail::<()>(a.order[0].span, m);
        }
        if order.is_empty() {
            let m = format!("`{}` has no index that counts in memory", a.name.text);
            self.fail::<()>(a.name.span, m);
        }
        let sign = match (a.positive, a.nonnegative) {
            (true, _) => Sign::Positive,
            (_, true) => Sign::Nonnegative,
            _ => Sign::Any,
        };
        (self.said.len() == before).then(|| Array {
            name: a.name.clone(),
            dims,
            order,
            sign,
        })
    }
}
