//! Elements that are an iteration's own, of loops that are said to be independent.

use super::expr::{Expr, Kind, Part};
use super::scope::{Class, Gen, Own, Role};

impl Gen {
    /// Which arrays iterations have elements of, and which all of them update.
    pub fn array_roles(&mut self, counters: &[usize], atomics: &mut Vec<(usize, &'static str)>) {
        let last = self.local_from.expect("set by the caller");
        for base in 0..last {
            let objects: Vec<usize> = (0..self.objects.len())
                .filter(|o| self.objects[*o].base == base)
                .collect();
            let Some(first) = objects.first().copied() else {
                continue;
            };
            let o = self.objects[first].clone();
            if o.fixed || self.roles.contains_key(&base) || self.bases[base].scalar {
                continue;
            }
            let choice = self.rng.below(10);
            if choice < 5 {
                let whole_struct = self.bases[base].ty.starts_with("struct");
                if let Some(own) = self.own(&o.dims(), counters, whole_struct) {
                    self.roles.insert(base, Role::Own(own));
                }
            } else if choice < 7 {
                let o = *self.rng.pick(&objects);
                let ty = self.objects[o].ty;
                let input = ty.is_float() && self.bases[base].class != Class::Sum;
                // Atomics are of what the machine has them of.
                if input || ty.bits() < 32 {
                    continue;
                }
                let op = if ty.is_float() {
                    "+"
                } else {
                    *self.rng.pick(&["+", "+", "&", "|", "^"])
                };
                self.roles.insert(base, Role::Reduce);
                atomics.push((o, op));
            }
        }
    }

    /// Subscripts that are different in each iteration.
    fn own(&mut self, dims: &[i128], counters: &[usize], one: bool) -> Option<Vec<Own>> {
        let (i, d) = (counters[0], *dims.first()?);
        if let Some(j) = counters.get(1).copied() {
            if dims.len() > 1 && !one {
                let (a, b) = (self.injective(i, d)?, self.injective(j, dims[1])?);
                return Some(vec![Own::Exactly(a), Own::Exactly(b)]);
            }
            let (jo, io) = (self.objects[j].clone(), self.objects[i].clone());
            let width = jo.hi + 1 + i128::from(self.rng.between(0, 2));
            if jo.lo < 0 || io.lo < 0 || (io.hi + 1) * width > d {
                return None;
            }
            let within = self.injective(j, width)?;
            let row = Expr::binary("*", self.place(i), Expr::number(width))?;
            let flat = Expr::binary("+", row, within)?;
            return (flat.lo >= 0 && flat.hi < d).then(|| vec![Own::Exactly(flat)]);
        }
        if dims.len() == 1 && self.rng.chance(25) {
            let width = i128::from(self.rng.between(2, 5));
            let row = self.injective(i, d / width)?;
            return Some(vec![Own::Row(row, width)]);
        }
        Some(vec![Own::Exactly(self.injective(i, d)?)])
    }

    /// A subscript below `d` that is different for each number of a counter.
    fn injective(&mut self, c: usize, d: i128) -> Option<Expr> {
        let o = self.objects[c].clone();
        let inside = o.lo >= 0 && o.hi < d;
        let e = self.place(c);
        match self.rng.below(10) {
            0 if inside && d & (d - 1) == 0 => {
                let k = Expr::number(self.rng.below(d as usize) as i128);
                Expr::binary("^", e, k)
            }
            1 if inside => {
                let k = Expr::number(self.rng.below(d as usize) as i128);
                let sum = Expr::binary("+", e, k)?;
                Expr::binary("%", sum, Expr::number(d))
            }
            2 if inside => {
                let permutation = |p: &usize| {
                    let p = &self.objects[*p];
                    let name = &self.bases[p.base].name;
                    name.starts_with("perm") && p.dims()[0] > o.hi && p.hi < d
                };
                let all: Vec<usize> = (0..self.objects.len()).filter(permutation).collect();
                let p = *all.first()?;
                let p = self.objects[p].clone();
                let parts = vec![
                    Part::Text(self.bases[p.base].name.clone()),
                    Part::Subscript(e),
                ];
                Some(Expr::new(Kind::Place(parts), p.ty, p.lo, p.hi))
            }
            _ => {
                let e = self.affine(c, d)?;
                (e.lo >= 0 && e.hi < d).then_some(e)
            }
        }
    }
}
