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
