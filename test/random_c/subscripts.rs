//! Random subscripts that are surely in their dimension.

use super::expr::Expr;
use super::scope::Gen;

impl Gen {
    /// A subscript below `d`.
    pub fn subscript(&mut self, d: i128) -> Expr {
        let readable = self.readable();
        let counters: Vec<usize> = readable
            .iter()
            .copied()
            .filter(|o| self.objects[*o].counter && !self.objects[*o].ty.is_float())
            .collect();
        for _ in 0..4 {
            let choice = self.rng.below(20);
            let made = match choice {
                0..=8 if !counters.is_empty() => {
                    let c = *self.rng.pick(&counters);
                    self.affine(c, d)
                }
                9..=10 if counters.len() > 1 => {
                    let a = *self.rng.pick(&counters);
                    let b = *self.rng.pick(&counters);
                    let (a, b) = (self.place(a), self.place(b));
                    let scale = Expr::number(*self.rng.pick(&[1, 2, 3, 8, 10]));
                    Expr::binary("*", a, scale).and_then(|a| Expr::binary("+", a, b))
                }
                11 => {
                    // An array of subscripts, whose numbers are known.
                    let small = |o: &usize| {
                        let o = &self.objects[*o];
                        o.fixed && !o.scalar() && !o.ty.is_float() && o.lo >= 0 && o.hi < d
                    };
                    let arrays: Vec<usize> = readable.iter().copied().filter(small).collect();
                    if arrays.is_empty() {
                        None
                    } else {
                        let a = *self.rng.pick(&arrays);
                        let dims = self.objects[a].dims();
                        let simple = dims.iter().all(|d| *d >= 2) && self.loops < 6;
                        simple.then(|| self.simple_place(a))
                    }
                }
                12..=13 => {
                    let e = self.integer(1);
                    self.masked(e, d)
                }
                14 => {
                    let scalars: Vec<usize> = readable
                        .iter()
                        .copied()
                        .filter(|o| {
                            let o = &self.objects[*o];
                            o.scalar() && !o.ty.is_float() && !o.counter
                        })
                        .collect();
                    if scalars.is_empty() {
                        None
                    } else {
                        let o = *self.rng.pick(&scalars);
                        let e = self.place(o);
                        if e.lo >= 0 && e.hi < d {
                            Some(e)
                        } else {
                            self.masked(e, d)
                        }
                    }
                }
                15 if !counters.is_empty() => {
                    let c = *self.rng.pick(&counters);
                    let e = self.place(c);
                    let k = Expr::number(self.rng.between(1, 7).into());
                    let op = *self.rng.pick(&["^", "/", ">>", "%", "&", "|"]);
                    Expr::binary(op, e, k)
                }
                16 => self.guarded(0).and_then(|(test, restore)| {
                    let within = self.objects[restore.0].clone();
                    let mut e = self.place(restore.0);
                    (e.lo, e.hi) = (within.lo, within.hi);
                    restore.undo(self);
                    let k = Expr::number((e.hi - d + 1).max(e.lo.min(0)).max(0));
                    let inside = Expr::binary("-", e, k)?;
                    Some(Expr::condition(test, inside, Expr::number(0)))
                }),
                _ => Some(Expr::number(self.rng.below(d as usize) as i128)),
            };
            if let Some(e) = made
                && !e.ty.is_float()
                && e.lo >= 0
                && e.hi < d
            {
                return e;
            }
        }
        Expr::number(self.rng.below(d as usize) as i128)
    }

    /// An element whose subscripts are counters or numbers.
    pub fn simple_place(&mut self, object: usize) -> Expr {
        let counters: Vec<usize> = self
            .readable()
            .into_iter()
            .filter(|o| self.objects[*o].counter)
            .collect();
        let o = self.objects[object].clone();
        let mut parts = Vec::new();
        for s in &o.path {
            parts.push(match s {
                super::scope::Step::Text(t) => super::expr::Part::Text(t.clone()),
                super::scope::Step::Dim(d) => {
                    let sub = if counters.is_empty() {
                        None
                    } else {
                        let c = *self.rng.pick(&counters);
                        self.affine(c, *d)
                    };
                    let other = Expr::number(self.rng.below(*d as usize) as i128);
                    super::expr::Part::Subscript(sub.unwrap_or(other))
                }
            });
        }
        Expr::new(super::expr::Kind::Place(parts), o.ty, o.lo, o.hi)
    }

    /// `scale * counter + offset` below `d`.
    pub fn affine(&mut self, counter: usize, d: i128) -> Option<Expr> {
        let e = self.place(counter);
        let (lo, hi) = (e.lo, e.hi);
        if hi - lo >= d || hi > 1 << 20 || lo < -(1 << 20) {
            return None;
        }
        let ty = e.ty.promoted();
        if self.rng.chance(15) && hi < d && lo >= 0 {
            // From the other end.
            return Expr::binary("-", Expr::number(d - 1), e);
        }
        let scale = if self.rng.chance(20) {
            i128::from(self.rng.between(2, 4))
        } else {
            1
        };
        let scale = if (hi - lo) * scale >= d { 1 } else { scale };
        let (least, most) = (-lo * scale, d - 1 - hi * scale);
        let near = |v: i128| v.clamp(-(1 << 20), 1 << 20) as i64;
        let k = if least <= 0 && most >= 0 && self.rng.chance(60) {
            0
        } else {
            i128::from(self.rng.between(near(least), near(most.min(least + 12))))
        };
        let scaled = if scale == 1 {
            e
        } else {
            Expr::binary("*", Expr::number(scale), e)?
        };
        match k {
            0 => Some(scaled),
            k if k > 0 => Expr::binary("+", scaled, Expr::number(k)),
            k if ty.signed() || lo * scale + k >= 0 => Expr::binary("-", scaled, Expr::number(-k)),
            _ => None,
        }
    }

    /// Any integer made a subscript below `d`.
    fn masked(&mut self, e: Expr, d: i128) -> Option<Expr> {
        let power = d & (d - 1) == 0;
        match self.rng.below(4) {
            0 if power => Expr::binary("&", e, Expr::number(d - 1)),
            0 | 1 => {
                let u = e.ty.promoted().unsigned();
                Expr::binary("%", e.cast(u), Expr::number(d))
            }
            2 => {
                let r = Expr::binary("%", e, Expr::number(d))?;
                let r = Expr::binary("+", r, Expr::number(d))?;
                Expr::binary("%", r, Expr::number(d))
            }
            _ => {
                let mut m = 1;
                while m * 2 <= d {
                    m *= 2;
                }
                Expr::binary("&", e, Expr::number(m - 1))
            }
        }
    }
}
