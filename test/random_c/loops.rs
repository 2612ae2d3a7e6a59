//! Random loops of which the counters' ranges are known.

use super::expr::Expr;
use super::scope::Gen;
use super::stmt::{Head, Loop, Stmt};
use super::types::Ty;

/// `for (int c = 0; c < d; c++)`.
pub fn counted(c: &str, d: i128, body: Vec<Stmt>) -> Stmt {
    Stmt::Loop(Loop {
        head: Head::For(
            format!("int {c} = "),
            Expr::number(0),
            format!("; {c} < "),
            Expr::number(d),
            format!("; {c}++"),
        ),
        body,
    })
}

/// A loop's header, and the numbers its counter may have inside and behind it.
pub struct Header {
    pub name: String,
    pub ty: Ty,
    pub head: [String; 3],
    pub from: Expr,
    pub to: Expr,
    pub inside: (i128, i128),
    pub after: (i128, i128),
    pub trips: i128,
}

impl Gen {
    fn counter_type(&mut self) -> Ty {
        *self.rng.pick(&[
            Ty::Int,
            Ty::Int,
            Ty::Int,
            Ty::Long,
            Ty::UInt,
            Ty::ULong,
            Ty::Short,
            Ty::UShort,
            Ty::SChar,
            Ty::UChar,
        ])
    }

    /// A number from 1 on, which may be a parameter or an outer counter.
    fn bound(&mut self, most: i128) -> Expr {
        let known = |o: &usize| {
            let o = &self.objects[*o];
            o.scalar() && o.fixed && !o.ty.is_float() && o.lo >= 0 && o.hi <= most
        };
        let from: Vec<usize> = self.readable().into_iter().filter(known).collect();
        if from.is_empty() || self.rng.chance(35) {
            return Expr::number(i128::from(self.rng.between(1, most as i64)));
        }
        let o = *self.rng.pick(&from);
        let e = self.place(o);
        if self.rng.chance(15) && e.hi < most {
            return Expr::binary("+", e.clone(), Expr::number(1)).unwrap_or(e);
        }
        if self.rng.chance(10) && e.lo > 1 {
            return Expr::binary("-", e.clone(), Expr::number(1)).unwrap_or(e);
        }
        e
    }

    /// A loop's header of one of many forms. With `plain`, one that a directive may stand before.
    pub fn header(&mut self, plain: bool) -> Header {
        let ty = self.counter_type();
        let name = self.name("i");
        let most = *self.rng.pick(&[4, 6, 8, 10, 12]);
        let form = self.rng.below(if plain { 8 } else { 16 });
        let signed = ty.promoted().signed() && ty.signed();
        let (n, t) = (name.clone(), ty.name());
        let up = |g: &mut Gen, step: i128, op: &str| {
            let to = g.bound(most);
            let low = g.rng.chance(25);
            let from = if low && to.lo > 0 {
                let k = g.bound(3);
                if k.hi <= to.lo { k } else { Expr::number(1) }
            } else {
                Expr::number(0)
            };
            let last = if op == "<=" { to.hi } else { to.hi - 1 };
            let inside = (from.lo, last.max(from.lo));
            let by = match (step, g.rng.below(3)) {
                (1, 0) => format!("++{n}"),
                (1, 1) => format!("{n} += 1"),
                (1, _) => format!("{n}++"),
                _ => format!("{n} += {step}"),
            };
            Header {
                name: n.clone(),
                ty,
                head: [format!("{n} = "), format!("; {n} {op} "), format!("; {by}")],
                after: (from.lo, inside.1 + step),
                trips: (inside.1 - inside.0) / step + 1,
                from,
                to,
                inside,
            }
        };
        let down = |g: &mut Gen, step: i128| {
            let high = g.bound(most);
            let low = Expr::number(i128::from(g.rng.between(0, 2)));
            // Less than nothing would be much of an unsigned type.
            let from = if high.lo > 0 {
                Expr::binary("-", high.clone(), Expr::number(1)).unwrap_or(high)
            } else {
                high
            };
            let (from, op) = if g.rng.chance(50) {
                (from, ">=")
            } else {
                (from, ">")
            };
            let inside = (low.lo + i128::from(op == ">"), from.hi.max(low.lo + 1));
            let by = if step == 1 {
                format!("{n}--")
            } else {
                format!("{n} -= {step}")
            };
            // From below the end on there is no iteration.
            Header {
                name: n.clone(),
                ty,
                head: [format!("{n} = "), format!("; {n} {op} "), format!("; {by}")],
                after: (from.lo.min(low.lo) - step, from.hi.max(0)),
                trips: (inside.1 - inside.0) / step + 1,
                from,
                to: low,
                inside,
            }
        };
        match form {
            0..=3 => up(self, 1, "<"),
            4 => up(self, 1, "<="),
            5 => {
                let s = i128::from(self.rng.between(2, 3));
                up(self, s, "<")
            }
            6..=7 if signed => {
                let s = *self.rng.pick(&[1, 1, 2, 3]);
                down(self, s)
            }
            8 if !ty.signed() => {
                // Down to zero, at which the counter wraps.
                let from = self.bound(most);
                let (hi, max) = (from.hi - 1, ty.range().1);
                Header {
                    head: [format!("{n} = "), format!("; {n}-- > "), ";".into()],
                    name,
                    ty,
                    inside: (0, hi.max(0)),
                    after: (0, max),
                    trips: hi + 1,
                    from,
                    to: Expr::number(0),
                }
            }
            9 | 10 => {
                // In powers.
                let to = self.bound(most);
                let by = *self
                    .rng
                    .pick(&["<<= 1", "*= 2", "= X * 2", "= 2 * X + 1", "+= X"]);
                let by = by.replace('X', &n);
                Header {
                    head: [
                        format!("{n} = "),
                        format!("; {n} <= "),
                        format!("; {n} {by}"),
                    ],
                    name,
                    ty,
                    from: Expr::number(1),
                    inside: (1, to.hi.max(1)),
                    after: (1, 2 * to.hi.max(1) + 1),
                    trips: 5,
                    to,
                }
            }
            11 => {
                let from = self.bound(most);
                let by = *self.rng.pick(&["/= 2", ">>= 1", "/= 3"]);
                Header {
                    head: [
                        format!("{n} = "),
                        format!("; {n} > "),
                        format!("; {n} {by}"),
                    ],
                    name,
                    ty,
                    inside: (1, from.hi.max(1)),
                    after: (0, from.hi.max(0)),
                    trips: 4,
                    from,
                    to: Expr::number(0),
                }
            }
            12 => {
                // Until it is one number, from below on.
                let to = self.bound(most);
                let from = Expr::number(0);
                Header {
                    head: [format!("{n} = "), format!("; {n} != "), format!("; {n}++")],
                    name,
                    ty,
                    inside: (0, (to.hi - 1).max(0)),
                    after: (0, to.hi),
                    trips: to.hi,
                    from,
                    to,
                }
            }
            13 if ty == Ty::UChar || ty == Ty::SChar => {
                // Around the end of the type.
                let (lo, hi) = ty.range();
                let from = Expr::number(hi - i128::from(self.rng.between(0, 3)));
                let to = Expr::number(lo + i128::from(self.rng.between(1, 3)));
                Header {
                    head: [format!("{n} = "), format!("; {n} != "), format!("; {n}++")],
                    name,
                    ty,
                    inside: (lo, hi),
                    after: (lo, hi),
                    trips: 7,
                    from,
                    to,
                }
            }
            14 => {
                // Two tests.
                let mut h = up(self, 1, "<");
                let also = self.test(1);
                h.head[2] = format!(" && {}{}", also.text(), h.head[2]);
                h.after.0 = h.after.0.min(0);
                h
            }
            _ => {
                let _ = t;
                up(self, 1, "<")
            }
        }
    }

    /// A loop of any kind, with declarations before it where it needs some.
    pub fn any_loop(&mut self, out: &mut Vec<Stmt>) {
        let old = (self.can_break, self.can_continue, self.trips);
        self.loops += 1;
        match self.rng.below(10) {
            0 => self.while_loop(out),
            1 => self.do_loop(out),
            _ => self.for_loop(out),
        }
        self.loops -= 1;
        (self.can_break, self.can_continue, self.trips) = old;
    }

    fn for_loop(&mut self, out: &mut Vec<Stmt>) {
        let h = self.header(false);
        self.trips *= h.trips.max(1);
        (self.can_break, self.can_continue) = (true, true);
        let outside = self.rng.chance(20);
        let front = if outside {
            let v = Expr::number(self.rng.between(0, 9).into());
            out.push(Stmt::Declare(format!("{} {}", h.ty.name(), h.name), v));
            h.head[0].clone()
        } else {
            format!("{} {}", h.ty.name(), h.head[0])
        };
        let mark = self.enter();
        self.counter(&h.name, h.ty, h.inside.0, h.inside.1);
        let mut body = self.statements(4);
        if self.rng.chance(35) && self.loops < 3 && self.trips < 1000 {
            self.any_loop(&mut body);
        }
        self.leave(mark);
        let [_, middle, end] = h.head;
        out.push(Stmt::Loop(Loop {
            head: Head::For(front, h.from, middle, h.to, end),
            body,
        }));
        if outside {
            let (lo, hi) = h.ty.convert(h.after.0.min(0), h.after.1.max(9));
            let o = self.counter(&h.name, h.ty, lo, hi);
            self.objects[o].counter = false;
        }
    }

    fn while_loop(&mut self, out: &mut Vec<Stmt>) {
        let ty = *self.rng.pick(&[Ty::Int, Ty::UInt, Ty::Long, Ty::UChar]);
        let name = self.name("w");
        let start = self.bound(8);
        let (most, first) = (start.hi, start);
        self.can_break = true;
        let declared = format!("{} {name}", ty.name());
        self.trips *= most.max(1);
        if self.rng.chance(50) {
            // Down, counted where it is tested.
            out.push(Stmt::Declare(declared, first));
            self.can_continue = true;
            let mark = self.enter();
            self.counter(&name, ty, 0, (most - 1).max(0));
            let body = self.statements(4);
            self.leave(mark);
            let count = Expr::variable(&format!("{name}--"), ty, 0, most);
            let mut test = Expr::binary(">", count, Expr::number(0)).expect("compared");
            if self.rng.chance(30) {
                let also = self.test(1);
                test = Expr::binary("&&", test, also).expect("joined");
            }
            let head = Head::While(test);
            out.push(Stmt::Loop(Loop { head, body }));
        } else {
            out.push(Stmt::Declare(declared, Expr::number(0)));
            self.can_continue = false;
            let mark = self.enter();
            self.counter(&name, ty, 0, (most - 1).max(0));
            let mut body = self.statements(4);
            let by = self.test(1);
            let by = Expr::binary("+", Expr::number(1), Expr::unary("!", by)).expect("small");
            body.push(Stmt::Assign(Expr::variable(&name, ty, 0, most), "+=", by));
            self.leave(mark);
            let at = Expr::variable(&name, ty, 0, most + 2);
            let mut test = Expr::binary("<", at, first).expect("compared");
            if self.rng.chance(30) {
                let also = self.test(1);
                test = Expr::binary("&&", test, also).expect("joined");
            }
            let head = Head::While(test);
            out.push(Stmt::Loop(Loop { head, body }));
        }
        let o = self.counter(&name, ty, 0, most + 2);
        let (lo, hi) = ty.range();
        self.objects[o].counter = false;
        // Counted down it ends below zero.
        (self.objects[o].lo, self.objects[o].hi) = (lo, hi);
    }

    fn do_loop(&mut self, out: &mut Vec<Stmt>) {
        let ty = *self.rng.pick(&[Ty::Int, Ty::UInt, Ty::Short, Ty::ULong]);
        let name = self.name("w");
        let last = self.bound(6);
        let most = last.hi.max(1);
        self.trips *= most;
        (self.can_break, self.can_continue) = (true, true);
        out.push(Stmt::Declare(
            format!("{} {name}", ty.name()),
            Expr::number(0),
        ));
        let mark = self.enter();
        self.counter(&name, ty, 0, most);
        let body = self.statements(4);
        self.leave(mark);
        let count = Expr::variable(&format!("++{name}"), ty, 1, most + 1);
        let test = Expr::binary("<", count, last).expect("compared");
        out.push(Stmt::Loop(Loop {
            head: Head::DoWhile(test),
            body,
        }));
        let o = self.counter(&name, ty, 0, most + 1);
        self.objects[o].counter = false;
    }
}
