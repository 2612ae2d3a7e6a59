//! Random expressions.

use super::expr::Expr;
use super::scope::{Class, Gen, Role};
use super::types::Ty;

const BITS: [&str; 3] = ["&", "|", "^"];
const COMPARE: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

impl Gen {
    pub fn integer_type(&mut self) -> Ty {
        *self.rng.pick(&super::types::INTEGERS)
    }

    pub fn any_type(&mut self) -> Ty {
        if self.rng.chance(25) {
            *self.rng.pick(&[Ty::Float, Ty::Double])
        } else {
            self.integer_type()
        }
    }

    fn literal(&mut self) -> Expr {
        let v = match self.rng.below(12) {
            0 => -1,
            1 => self.rng.between(-300, 300),
            2 => *self.rng.pick(&[127, 128, 255, 256, 32767, 65535, 65536]),
            3 => *self.rng.pick(&[2147483647, 4294967295, 2147483648]),
            4 => -self.rng.between(1, 9),
            _ => self.rng.between(0, 12),
        };
        let v = i128::from(v);
        match self.rng.below(8) {
            0 if (0..1 << 32).contains(&v) => Expr::int(v, Ty::UInt),
            1 => Expr::int(v, Ty::Long),
            2 if v >= 0 => Expr::int(v, Ty::ULong),
            _ => Expr::number(v),
        }
    }

    /// An integer from the program: a counter, a variable, an element, a number.
    fn integer_leaf(&mut self, depth: usize) -> Expr {
        let readable = self.readable();
        let of = |g: &Gen, f: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let fits = |o: &usize| !g.objects[*o].ty.is_float() && f(*o);
            readable.iter().copied().filter(fits).collect()
        };
        let choice = self.rng.below(10);
        let wanted = match choice {
            0..=2 => of(self, &|o| self.objects[o].counter),
            3..=4 => of(self, &|o| self.objects[o].scalar()),
            5..=8 if depth > 0 => of(self, &|o| !self.objects[o].scalar()),
            _ => vec![],
        };
        if wanted.is_empty() {
            return self.literal();
        }
        let o = *self.rng.pick(&wanted);
        self.place(o)
    }

    /// `a op b` with what it takes to be defined.
    pub fn defined(&mut self, op: &'static str, a: Expr, b: Expr) -> Expr {
        if let Some(e) = Expr::binary(op, a.clone(), b.clone()) {
            return e;
        }
        match op {
            "<<" | ">>" => {
                let bits: i128 = a.ty.promoted().bits().into();
                let mask = *self.rng.pick(&[3, 7, bits - 1]);
                let by = Expr::binary("&", b, Expr::number(mask)).expect("& is defined");
                let a = if op == "<<" && Expr::binary(op, a.clone(), by.clone()).is_none() {
                    let t = a.ty.promoted().unsigned();
                    a.cast(t)
                } else {
                    a
                };
                Expr::binary(op, a, by).expect("masked")
            }
            "/" | "%" => {
                // `b & 7` and one more, or an odd number that is not negative.
                let small = Expr::binary("&", b, Expr::number(7)).expect("& is defined");
                let b = Expr::binary("+", small, Expr::number(1)).expect("small");
                Expr::binary(op, a, b).expect("not zero")
            }
            _ => {
                let t = a.ty.common(b.ty);
                match self.rng.below(4) {
                    0 => {
                        let a = a.cast(t.unsigned());
                        Expr::binary(op, a, b).expect("unsigned")
                    }
                    1 if t == Ty::Int => {
                        let a = a.cast(Ty::Long);
                        Expr::binary(op, a, b).expect("products of ints fit")
                    }
                    2 => {
                        let c = Expr::number(self.rng.between(2, 999).into());
                        let by = if self.rng.chance(50) { "%" } else { "&" };
                        let a = Expr::binary(by, a, c).expect("not zero");
                        let b = self.narrowed(b);
                        Expr::binary(op, a, b).expect("small")
                    }
                    _ => {
                        let (a, b) = (self.narrowed(a), self.narrowed(b));
                        Expr::binary(op, a, b).expect("small")
                    }
                }
            }
        }
    }

    /// A value so small that a product of two fits in an `int`.
    pub fn narrowed(&mut self, e: Expr) -> Expr {
        if e.ty.is_float() {
            return self.truncated(e);
        }
        if e.lo >= -40000 && e.hi <= 40000 {
            return e;
        }
        match self.rng.below(4) {
            0 => e.cast(Ty::Short),
            1 => e.cast(Ty::UChar),
            2 => e.cast(Ty::SChar),
            _ => Expr::binary("&", e, Expr::number(255)).expect("& is defined"),
        }
    }

    /// A float as an integer, where it is not too large for one.
    pub fn truncated(&mut self, e: Expr) -> Expr {
        let bound = Expr::float("1000", Ty::Double);
        let low = Expr::binary(">", e.clone(), Expr::unary("-", bound.clone()));
        let high = Expr::binary("<", e.clone(), bound);
        let both = Expr::binary("&&", low.expect("compared"), high.expect("compared"));
        let ty = *self.rng.pick(&[Ty::Int, Ty::Int, Ty::Short, Ty::Long]);
        let mut cut = e.cast(ty);
        (cut.lo, cut.hi) = (-1000, 1000);
        let other = Expr::number(self.rng.between(-3, 7).into());
        Expr::condition(both.expect("joined"), cut, other)
    }

    pub fn integer(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.integer_leaf(0);
        }
        match self.rng.below(20) {
            0..=4 => self.integer_leaf(depth),
            5..=9 => {
                let op = *self.rng.pick(&["+", "-", "*", "+", "-", "*", "/", "%"]);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.defined(op, a, b)
            }
            10..=11 => {
                let op = *self.rng.pick(&BITS);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.defined(op, a, b)
            }
            12 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.defined(op, a, b)
            }
            13 => self.test(depth - 1),
            14..=15 => {
                let c = self.test(depth - 1);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                Expr::condition(c, a, b)
            }
            16..=17 => {
                let e = self.integer(depth - 1);
                let t = self.integer_type();
                e.cast(t)
            }
            18 => {
                let e = self.integer(depth - 1);
                match self.rng.below(3) {
                    0 if e.may_negate() => Expr::unary("-", e),
                    1 => Expr::unary("!", e),
                    _ => Expr::unary("~", e),
                }
            }
            _ => match self.rng.below(3) {
                0 => {
                    let e = self.floating(depth - 1);
                    self.truncated(e)
                }
                _ => self
                    .called(depth - 1, false, false)
                    .unwrap_or_else(|| self.integer_leaf(depth)),
            },
        }
    }

    /// A condition.
    pub fn test(&mut self, depth: usize) -> Expr {
        match self.rng.below(10) {
            0..=5 => {
                let op = *self.rng.pick(&COMPARE);
                let down = depth.saturating_sub(1);
                let a = if self.rng.chance(15) {
                    self.floating(down)
                } else {
                    self.integer(depth)
                };
                let b = if self.rng.chance(10) {
                    self.floating(down)
                } else {
                    self.integer(down)
                };
                Expr::binary(op, a, b).expect("compared")
            }
            6 if depth > 0 => {
                let op = *self.rng.pick(&["&&", "||"]);
                let (a, b) = (self.test(depth - 1), self.test(depth - 1));
                Expr::binary(op, a, b).expect("joined")
            }
            7 if depth > 0 => Expr::unary("!", self.test(depth - 1)),
            8 => match self.guarded(depth) {
                Some((test, restore)) => {
                    let inside = self.test(depth.saturating_sub(1));
                    restore.undo(self);
                    Expr::binary("&&", test, inside).expect("joined")
                }
                None => self.integer(depth),
            },
            _ => self.integer(depth),
        }
    }

    /// A test of a counter, with which its range is smaller until that is undone.
    pub fn guarded(&mut self, _depth: usize) -> Option<(Expr, Narrowed)> {
        let readable = self.readable();
        let wide = |o: &usize| {
            let o = &self.objects[*o];
            o.counter && o.hi - o.lo >= 2 && o.hi < 1000 && o.lo > -1000
        };
        let counters: Vec<usize> = readable.into_iter().filter(wide).collect();
        if counters.is_empty() {
            return None;
        }
        let c = *self.rng.pick(&counters);
        let old = (self.objects[c].lo, self.objects[c].hi);
        let at = i128::from(self.rng.between(old.0 as i64 + 1, old.1 as i64));
        let value = self.place(c);
        let at_least = self.rng.chance(50);
        let test = if at_least {
            self.objects[c].lo = at;
            match self.rng.below(2) {
                0 if old.0 >= 0 || value.ty.common(Ty::Int).signed() => {
                    Expr::binary(">=", value, Expr::number(at))
                }
                _ => Expr::binary("<", Expr::number(at - 1), value.cast(Ty::Long)),
            }
        } else {
            self.objects[c].hi = at - 1;
            Expr::binary("<", value.cast(Ty::Long), Expr::number(at))
        };
        Some((test.expect("compared"), Narrowed(c, old)))
    }

    /// A call of a function that only computes, or with effects where these are welcome.
    pub fn called(&mut self, depth: usize, effects: bool, float: bool) -> Option<Expr> {
        let fits = |h: &usize| {
            let h = &self.helpers[*h];
            h.effects == effects && h.pointer.is_none() && h.ret.is_float() == float
        };
        let fitting: Vec<usize> = (0..self.helpers.len()).filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        let h = self.helpers[*self.rng.pick(&fitting)].clone();
        let args = self.arguments(&h.params, depth);
        Some(Expr::call(&h.name, args, h.ret))
    }

    pub fn arguments(&mut self, params: &[Ty], depth: usize) -> Vec<Expr> {
        let down = depth.min(1);
        let mut args = Vec::new();
        for p in params {
            let e = if p.is_float() {
                self.exact(*p)
            } else {
                self.integer(down)
            };
            args.push(e);
        }
        args
    }

    /// A float that is a small multiple of a quarter, so that sums of it are exact.
    pub fn exact(&mut self, ty: Ty) -> Expr {
        let inputs: Vec<usize> = self
            .readable()
            .into_iter()
            .filter(|o| {
                let o = &self.objects[*o];
                o.ty.is_float() && self.reordered && self.bases[o.base].class == Class::Input
            })
            .collect();
        if !inputs.is_empty() && self.rng.chance(50) {
            let o = *self.rng.pick(&inputs);
            return self.place(o);
        }
        if self.rng.chance(15) {
            let texts: &[&str] = if ty == Ty::Float {
                &["0.25f", "1.5f", "3.0f"]
            } else {
                &["0.5", "2.25", "7.0"]
            };
            return Expr::float(self.rng.pick::<&str>(texts), ty);
        }
        let e = self.integer(1);
        let e = match self.rng.below(3) {
            _ if e.lo >= -300 && e.hi <= 300 => e,
            0 => e.cast(Ty::SChar),
            1 => e.cast(Ty::UChar),
            _ => Expr::binary("&", e, Expr::number(127)).expect("& is defined"),
        };
        e.cast(ty)
    }

    /// Floats that may be read for others.
    fn float_sources(&self, for_result: bool) -> Vec<usize> {
        let may = |o: &usize| {
            let o = &self.objects[*o];
            let class = self.bases[o.base].class;
            let fits =
                !self.reordered || class == Class::Input || (for_result && class == Class::Local);
            o.ty.is_float() && fits
        };
        self.readable().into_iter().filter(may).collect()
    }

    pub fn floating(&mut self, depth: usize) -> Expr {
        self.float_from(depth, false)
    }

    /// A float for a result, which may depend on local ones.
    pub fn float_from(&mut self, depth: usize, for_result: bool) -> Expr {
        if depth == 0 || self.rng.chance(25) {
            let from = self.float_sources(for_result);
            return match self.rng.below(5) {
                0 => {
                    let e = self.integer(depth.min(1));
                    let t = *self.rng.pick(&[Ty::Float, Ty::Double]);
                    e.cast(t)
                }
                1 => {
                    let double = self.rng.chance(60);
                    if double {
                        let t = *self.rng.pick(&["0.5", "1.0", "3.25", "0.1", "1e3", "0.0"]);
                        Expr::float(t, Ty::Double)
                    } else {
                        let t = *self.rng.pick(&["0.5f", "1.0f", "2.75f", "0.1f", "1e2f"]);
                        Expr::float(t, Ty::Float)
                    }
                }
                _ if from.is_empty() => self.exact(Ty::Double),
                _ => {
                    let o = *self.rng.pick(&from);
                    self.place(o)
                }
            };
        }
        let d = depth - 1;
        match self.rng.below(10) {
            0..=5 => {
                let op = *self.rng.pick(&["+", "-", "*", "*", "/"]);
                let a = self.float_from(d, for_result);
                let b = if self.rng.chance(25) {
                    self.integer(d)
                } else {
                    self.float_from(d, for_result)
                };
                match Expr::binary(op, a.clone(), b.clone()) {
                    Some(e) => e,
                    None => Expr::binary("+", a, b).expect("floats"),
                }
            }
            6 => {
                let e = self.float_from(d, for_result);
                Expr::unary("-", e)
            }
            7 => {
                let c = self.test(d);
                let a = self.float_from(d, for_result);
                let b = if self.rng.chance(30) {
                    self.integer(d)
                } else {
                    self.float_from(d, for_result)
                };
                Expr::condition(c, a, b)
            }
            8 => {
                let e = self.float_from(d, for_result);
                let t = *self.rng.pick(&[Ty::Float, Ty::Double]);
                e.cast(t)
            }
            _ if self.rng.chance(25) => {
                let e = self.called(d, false, true);
                e.unwrap_or_else(|| self.exact(Ty::Double))
            }
            _ => {
                let e = self.float_from(d, for_result);
                let single = e.ty == Ty::Float && self.rng.chance(60);
                let (names, ty): (&[&str], Ty) = if single {
                    (
                        &["fabsf", "floorf", "ceilf", "truncf", "fminf", "fmaxf"],
                        Ty::Float,
                    )
                } else {
                    (
                        &["fabs", "floor", "ceil", "trunc", "fmin", "fmax", "sqrt"],
                        Ty::Double,
                    )
                };
                let name = *self.rng.pick(names);
                let args = if name.contains("min") || name.contains("max") {
                    let other = self.float_from(d, for_result);
                    // Of 0 and -0 either may be the least: nought and -0 make 0.
                    let positive = |e| {
                        let nought = Expr::float("0.0", Ty::Double);
                        Expr::binary("+", e, nought).expect("floats")
                    };
                    vec![positive(e), positive(other)]
                } else if name == "sqrt" {
                    vec![Expr::call("fabs", vec![e], Ty::Double)]
                } else {
                    vec![e]
                };
                Expr::call(name, args, ty)
            }
        }
    }

    /// A value for something of this type, of a base of this class.
    pub fn value(&mut self, ty: Ty, class: Class, depth: usize) -> Expr {
        if !ty.is_float() {
            return if self.rng.chance(8) {
                let e = self.floating(depth.saturating_sub(1));
                self.truncated(e)
            } else {
                self.integer(depth)
            };
        }
        match class {
            _ if !self.reordered => {
                if self.rng.chance(20) {
                    self.integer(depth)
                } else {
                    self.floating(depth)
                }
            }
            Class::Sum | Class::Input => self.exact(ty),
            Class::Local => self.floating(depth),
            Class::Result => self.float_from(depth, true),
        }
    }

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

    /// Whether a base may be read and written as one likes.
    pub fn is_free(&self, base: usize) -> bool {
        matches!(self.role(base), Role::Free)
    }
}

/// A counter whose range was made smaller, and its range before.
pub struct Narrowed(pub usize, (i128, i128));

impl Narrowed {
    pub fn undo(&self, g: &mut Gen) {
        (g.objects[self.0].lo, g.objects[self.0].hi) = self.1;
    }
}
