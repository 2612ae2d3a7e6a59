//! Updates that are the same in any order: reductions, also of loops inside, and atomics.

use super::expr::Expr;
use super::scope::{Gen, Step};
use super::stmt::{Directed, Directive, Head, Loop, Stmt};
use super::types::Ty;

impl Gen {
    pub fn reduction_operator(&mut self, ty: Ty) -> &'static str {
        let ops: &[&'static str] = match ty {
            Ty::Bool => &["&&", "||"],
            Ty::Float | Ty::Double => &["+", "max", "min"],
            Ty::Int | Ty::Long => &["+", "max", "min", "&", "|", "^", "&&", "||"],
            _ => &["+", "*", "max", "min", "&", "|", "^", "&&", "||"],
        };
        self.rng.pick::<&str>(ops)
    }

    /// What is joined with a target of a type, so that the order does not matter.
    fn update_value(&mut self, ty: Ty, op: &str) -> Expr {
        if ty.is_float() {
            self.exact(ty)
        } else if matches!(op, "&&" | "||") {
            self.test(1)
        } else {
            let e = self.integer(2);
            match op {
                "*" => e.cast(ty),
                "+" => self.narrowed(e),
                _ => e.cast(ty),
            }
        }
    }

    /// `target = target op value` in one of its forms.
    fn update(&mut self, target: Expr, op: &'static str, simple: bool) -> Stmt {
        let ty = target.ty;
        let value = self.update_value(ty, op);
        let form: String = match op {
            "max" | "min" if ty.is_float() && self.rng.chance(50) => format!("T = f{op}(T, V);"),
            "max" | "min" => {
                let less = if op == "max" { ">" } else { "<" };
                if self.rng.chance(50) {
                    format!("if (V {less} T) T = V;")
                } else {
                    format!("T = V {less} T ? V : T;")
                }
            }
            "&&" | "||" => format!("T = T {op} V;"),
            _ => match self.rng.below(if simple { 2 } else { 3 }) {
                0 => format!("T = T {op} V;"),
                _ => format!("T {op}= V;"),
            },
        };
        Stmt::Update(target, form, value)
    }

    pub fn reduction(&mut self, o: usize, op: &'static str) -> Stmt {
        let o = self.objects[o].clone();
        let Some(Step::Text(name)) = o.path.first() else {
            unreachable!("a scalar has a name");
        };
        let target = Expr::variable(name, o.ty, o.lo, o.hi);
        let s = self.update(target, op, false);
        if self.rng.chance(40) {
            let test = self.test(1);
            Stmt::If(test, vec![s], vec![])
        } else {
            s
        }
    }

    pub fn atomic(&mut self, o: usize, op: &'static str) -> Stmt {
        let target = self.place(o);
        // Where it stands twice a function that is called in it could have given two places.
        let twice = !target.text().contains("help");
        let mut s = match twice {
            true => self.update(target.clone(), op, true),
            false => {
                let value = self.update_value(target.ty, op);
                Stmt::Update(target.clone(), format!("T {op}= V;"), value)
            }
        };
        if op == "+" && !target.ty.is_float() && target.ty != Ty::Bool && self.rng.chance(30) {
            s = Stmt::Step(target, "++");
        }
        let d = Directive::new(self.rng.pick::<&str>(&["acc atomic", "acc atomic update"]));
        let s = Stmt::Directed(Directed {
            before: vec![d],
            body: vec![s],
            asserted: true,
            ..Directed::default()
        });
        if self.rng.chance(40) {
            let test = self.test(1);
            Stmt::If(test, vec![s], vec![])
        } else {
            s
        }
    }

    /// A loop inside that a directive shares out, and that adds up.
    pub fn inner_reduction(&mut self) -> Vec<Stmt> {
        let ty = *self
            .rng
            .pick(&[Ty::Int, Ty::UInt, Ty::Long, Ty::Double, Ty::Float]);
        let op = self.reduction_operator(ty);
        let name = self.name("t");
        // Joined with a truth value, the first value is nought or one, even by no iteration.
        let most = if matches!(op, "&&" | "||") { 1 } else { 5 };
        let first = Expr::number(self.rng.between(0, most).into());
        let declared = Stmt::Declare(format!("{} {name}", ty.name()), first);
        let mut h = self.header(true);
        h.head[0] = format!("{} {}", h.ty.name(), h.head[0]);
        let mark = self.enter();
        self.counter(&h.name, h.ty, h.inside.0, h.inside.1);
        let target = Expr::variable(&name, ty, 0, 0);
        let s = self.update(target, op, false);
        self.leave(mark);
        let [a, b, c] = h.head;
        let l = Stmt::Loop(Loop {
            head: Head::For(a, h.from, b, h.to, c),
            body: vec![s],
        });
        let seq = self.rng.chance(30);
        let d = if seq {
            Directive::new("acc loop seq")
        } else {
            Directive::new("acc loop vector").with(format!("reduction({op}:{name})"))
        };
        let looped = Stmt::Directed(Directed {
            before: vec![d],
            body: vec![l],
            asserted: true,
            ..Directed::default()
        });
        let mut out = vec![declared, looped];
        let to: Vec<usize> = self
            .writable()
            .into_iter()
            .filter(|o| !self.reordered || !self.objects[*o].ty.is_float())
            .collect();
        if !to.is_empty() {
            let o = *self.rng.pick(&to);
            let place = self.place(o);
            let value = Expr::variable(&name, ty, 0, 0);
            let value = if ty.is_float() {
                self.truncated(value)
            } else {
                value
            };
            out.push(Stmt::Assign(place, "=", value));
        }
        vec![Stmt::Block(out)]
    }
}
