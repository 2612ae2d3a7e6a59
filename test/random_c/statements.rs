//! Random statements.

use super::expr::Expr;
use super::scope::{Class, Gen, Role, Step};
use super::stmt::{Case, Stmt};
use super::types::Ty;

/// Of a hundred labels of a `switch`, how many have a declaration directly behind them.
const DECL: usize = 15;
impl Gen {
    /// What is in scope now, for [`Gen::leave`].
    pub fn enter(&self) -> usize {
        self.objects.len()
    }

    pub fn leave(&mut self, mark: usize) {
        self.objects.truncate(mark);
    }

    /// Some statements with a scope of their own.
    pub fn statements(&mut self, most: usize) -> Vec<Stmt> {
        let mark = self.enter();
        let n = 1 + self.rng.below(most);
        let mut out = Vec::new();
        for _ in 0..n {
            self.statement(&mut out);
        }
        self.leave(mark);
        out
    }

    fn depth(&mut self) -> usize {
        1 + self.rng.below(3)
    }

    pub fn statement(&mut self, out: &mut Vec<Stmt>) {
        self.budget -= 1;
        let deep = self.budget > 0;
        match self.rng.below(30) {
            0..=10 => self.assignment(out),
            11..=13 => self.declaration(out),
            14..=17 if deep => self.conditional(out),
            18..=21 if deep && self.loops < 3 && self.trips < 2000 => self.any_loop(out),
            22..=23 if deep => self.switch(out),
            24 if self.can_break || self.can_continue => {
                let word = match (self.can_break, self.can_continue) {
                    (true, true) => *self.rng.pick(&["break;", "continue;"]),
                    (true, false) => "break;",
                    _ => "continue;",
                };
                let c = self.test(1);
                out.push(Stmt::If(c, vec![Stmt::Line(word.into())], vec![]));
            }
            25..=26 => self.call(out),
            27 => self.structs(out),
            28 => self.local_array(out),
            _ => self.accumulation(out),
        }
    }

    fn assignment(&mut self, out: &mut Vec<Stmt>) {
        let writable = self.writable();
        let (scalars, arrays): (Vec<usize>, Vec<usize>) =
            writable.iter().partition(|o| self.objects[**o].scalar());
        let from = if !arrays.is_empty() && (scalars.is_empty() || self.rng.chance(75)) {
            arrays
        } else {
            scalars
        };
        if from.is_empty() {
            return;
        }
        let o = *self.rng.pick(&from);
        let target = self.place(o);
        let class = self.bases[self.objects[o].base].class;
        self.assign(out, target, class);
    }

    /// `target = ..`, `target op= ..`, `target++`.
    fn assign(&mut self, out: &mut Vec<Stmt>, target: Expr, class: Class) {
        let depth = self.depth();
        let ty = target.ty;
        if ty.is_float() {
            let value = self.value(ty, class, depth);
            let op = match class {
                _ if !self.reordered => *self.rng.pick(&["=", "=", "+=", "-=", "*=", "/="]),
                Class::Sum => *self.rng.pick(&["=", "+=", "-="]),
                _ => "=",
            };
            out.push(Stmt::Assign(target, op, value));
            return;
        }
        if self.rng.chance(45) {
            let value = self.value(ty, class, depth);
            out.push(Stmt::Assign(target, "=", value));
            return;
        }
        if self.rng.chance(12) {
            let step = *self.rng.pick(&["++", "--"]);
            let safe = ty.promoted() != ty || !ty.signed() || self.rng.chance(30);
            // `--` of a _Bool is not C.
            if safe && ty != Ty::Bool {
                out.push(Stmt::Step(target, step));
                return;
            }
        }
        let ops = [
            ("+=", "+"),
            ("-=", "-"),
            ("*=", "*"),
            ("&=", "&"),
            ("|=", "|"),
            ("^=", "^"),
            ("/=", "/"),
            ("%=", "%"),
            ("<<=", "<<"),
            (">>=", ">>"),
        ];
        let (update, op) = *self.rng.pick(&ops);
        let value = self.integer(depth);
        if Expr::binary(op, target.clone(), value.clone()).is_some() {
            out.push(Stmt::Assign(target, update, value));
            return;
        }
        let unsigned = value.clone().cast(target.ty.common(value.ty).unsigned());
        if Expr::binary(op, target.clone(), unsigned.clone()).is_some() {
            out.push(Stmt::Assign(target, update, unsigned));
            return;
        }
        let whole = self.defined(op, target.clone(), value);
        out.push(Stmt::Assign(target, "=", whole));
    }

    /// Adds up small numbers, which surely fit in what few other statements change.
    fn accumulation(&mut self, out: &mut Vec<Stmt>) {
        let writable = self.writable();
        if writable.is_empty() {
            return;
        }
        let o = *self.rng.pick(&writable);
        let target = self.place(o);
        let (class, ty) = (self.bases[self.objects[o].base].class, target.ty);
        if ty.is_float() {
            return self.assign(out, target, class);
        }
        let e = self.integer(2);
        let e = self.narrowed(e);
        match self.rng.below(4) {
            0 => out.push(Stmt::Assign(target, "+=", e)),
            1 => out.push(Stmt::Assign(target, "-=", e)),
            // The smallest or greatest so far.
            2 => {
                let op = *self.rng.pick(&["<", ">", "<=", ">="]);
                let test = Expr::binary(op, e.clone(), target.clone()).expect("compared");
                out.push(Stmt::If(test, vec![Stmt::Assign(target, "=", e)], vec![]));
            }
            _ => {
                let op = *self.rng.pick(&["<", ">"]);
                let test = Expr::binary(op, e.clone(), target.clone()).expect("compared");
                let most = Expr::condition(test, e, target.clone());
                out.push(Stmt::Assign(target, "=", most));
            }
        }
    }

    fn declaration(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.any_type();
        let depth = self.depth();
        let value = self.value(ty, Class::Local, depth);
        let name = self.name("t");
        let constant = self.rng.chance(20);
        let (lo, hi) = (value.lo, value.hi);
        let known = !ty.is_float() && !value.ty.is_float() && ty.holds(lo, hi);
        let word = if constant { "const " } else { "" };
        out.push(Stmt::Declare(format!("{word}{} {name}", ty.name()), value));
        let o = self.scalar(&name, ty, constant);
        if constant && known {
            (self.objects[o].lo, self.objects[o].hi) = (lo, hi);
        }
    }

    fn conditional(&mut self, out: &mut Vec<Stmt>) {
        if self.rng.chance(35)
            && let Some((test, restore)) = self.guarded(0)
        {
            let test = if self.rng.chance(30) {
                let also = self.test(1);
                Expr::binary("&&", test, also).expect("joined")
            } else {
                test
            };
            let then = self.statements(3);
            restore.undo(self);
            let other = if self.rng.chance(25) {
                self.statements(2)
            } else {
                vec![]
            };
            out.push(Stmt::If(test, then, other));
            return;
        }
        let test = self.test(2);
        let then = self.statements(3);
        let other = if self.rng.chance(40) {
            self.statements(2)
        } else {
            vec![]
        };
        out.push(Stmt::If(test, then, other));
    }

    fn switch(&mut self, out: &mut Vec<Stmt>) {
        let on = match self.rng.below(8) {
            0 => Expr::number(self.rng.below(5) as i128),
            1 => self.integer(1),
            2 => {
                let e = self.integer(1);
                Expr::binary("%", e, Expr::number(5)).expect("not zero")
            }
            _ => {
                let e = self.integer(1);
                let mask = *self.rng.pick(&[1, 3, 7]);
                Expr::binary("&", e, Expr::number(mask)).expect("& is defined")
            }
        };
        let old = self.can_break;
        self.can_break = false;
        let n = 1 + self.rng.below(4);
        let default_at = self.rng.below(n + 2);
        let mut value = i128::from(self.rng.between(-1, 1));
        let mut cases = Vec::new();
        for i in 0..n {
            let mut labels = Vec::new();
            if i == default_at {
                labels.push(None);
            }
            if labels.is_empty() || self.rng.chance(40) {
                labels.push(Some(value));
                value += i128::from(self.rng.between(1, 2));
                if self.rng.chance(20) {
                    labels.push(Some(value));
                    value += 1;
                }
            }
            let mark = self.enter();
            let mut body = Vec::new();
            if self.rng.chance(DECL) {
                self.declaration(&mut body);
            }
            let inner = self.statements(2);
            let declares = |s: &Stmt| matches!(s, Stmt::Declare(..) | Stmt::Line(_));
            if self.rng.chance(30) || inner.iter().any(declares) {
                body.push(Stmt::Block(inner));
            } else {
                body.extend(inner);
            }
            self.leave(mark);
            match self.rng.below(10) {
                0..=5 => body.push(Stmt::Line("break;".into())),
                6 if self.can_continue => body.push(Stmt::Line("continue;".into())),
                7 => {
                    let c = self.test(1);
                    body.push(Stmt::If(c, vec![Stmt::Line("break;".into())], vec![]));
                }
                _ => {}
            }
            cases.push(Case { labels, body });
        }
        self.can_break = old;
        out.push(Stmt::Switch(on, cases));
    }

    /// A call for what it does.
    fn call(&mut self, out: &mut Vec<Stmt>) {
        if self.rng.chance(50) {
            return self.call_with_pointer(out);
        }
        if !self.effects {
            return;
        }
        let Some(e) = self.called(1, true, false) else {
            return;
        };
        let writable = self.writable();
        let integers: Vec<usize> = writable
            .into_iter()
            .filter(|o| !self.objects[*o].ty.is_float())
            .collect();
        if integers.is_empty() || self.rng.chance(40) {
            out.push(Stmt::Eval(e));
        } else {
            // The call may change what a subscript reads: one that reads nothing.
            let o = *self.rng.pick(&integers);
            let target = self.simple_place(o);
            if matches!(self.role(self.objects[o].base), Role::Free) {
                out.push(Stmt::Assign(target, "=", e));
            } else {
                out.push(Stmt::Eval(e));
            }
        }
    }

    /// A call of a function that changes some elements from one on.
    pub fn call_with_pointer(&mut self, out: &mut Vec<Stmt>) {
        let fitting: Vec<usize> = (0..self.helpers.len())
            .filter(|h| self.helpers[*h].pointer.is_some())
            .collect();
        if fitting.is_empty() {
            return;
        }
        let h = self.helpers[*self.rng.pick(&fitting)].clone();
        let (ty, span) = h.pointer.expect("that was asked for");
        let candidates: Vec<usize> = self
            .writable()
            .into_iter()
            .filter(|o| {
                let object = &self.objects[*o];
                let last = match object.path.last() {
                    Some(Step::Dim(d)) => *d >= span,
                    _ => span == 1,
                };
                // A scalar of the host cannot be changed through a pointer in a construct.
                let shared = self.in_region && self.reordered && self.bases[object.base].scalar;
                object.ty == ty && !shared && (span == 1 || (last && self.whole_rows(*o)))
            })
            .collect();
        if candidates.is_empty() {
            return;
        }
        let o = *self.rng.pick(&candidates);
        let mut place = self.place(o);
        if span > 1 {
            // The last subscript leaves room for what the function touches.
            let d = *self.objects[o].dims().last().expect("an array");
            let first = self.subscript(d - span + 1);
            if let super::expr::Kind::Place(parts) = &mut place.kind
                && let Some(super::expr::Part::Subscript(s)) = parts.last_mut()
            {
                *s = first;
            }
        }
        let address = Expr::new(
            super::expr::Kind::Unary("&", Box::new(place)),
            Ty::Long,
            0,
            0,
        );
        let mut args = vec![address];
        args.extend(self.arguments(&h.params, 1));
        out.push(Stmt::Eval(Expr::call(&h.name, args, Ty::Int)));
    }

    /// Whether the last subscript of an object may be anything.
    fn whole_rows(&self, o: usize) -> bool {
        let object = &self.objects[o];
        match self.role(object.base) {
            Role::Own(own) => own.len() < object.dims().len(),
            _ => true,
        }
    }

    /// Structs copied as a whole.
    fn structs(&mut self, out: &mut Vec<Stmt>) {
        let wholes: Vec<usize> = self
            .objects
            .iter()
            .map(|o| o.base)
            .filter(|b| self.bases[*b].ty.starts_with("struct") && self.is_free(*b))
            .collect();
        if wholes.is_empty() || self.reordered {
            return;
        }
        let a = *self.rng.pick(&wholes);
        let same: Vec<usize> = wholes
            .into_iter()
            .filter(|b| self.bases[*b].ty == self.bases[a].ty && *b != a)
            .collect();
        let copy = if same.is_empty() || self.rng.chance(40) {
            // A variable of its own.
            let Some((name, ways)) = self
                .structs
                .iter()
                .find(|(n, _)| *n == self.bases[a].ty)
                .cloned()
            else {
                return;
            };
            let new = self.name("s");
            let whole = self.whole(a);
            out.push(Stmt::Declare(format!("{name} {new}"), whole));
            self.struct_base(&new, &name, &[Step::Text(new.clone())], &ways);
            return;
        } else {
            *self.rng.pick(&same)
        };
        let (to, from) = (self.whole(a), self.whole(copy));
        out.push(Stmt::Assign(to, "=", from));
    }

    /// A struct, or an element of an array of them.
    fn whole(&mut self, base: usize) -> Expr {
        let object = self
            .objects
            .iter()
            .position(|o| o.base == base)
            .expect("a base has objects");
        let ways = self.objects[object].path.clone();
        let mut parts = Vec::new();
        for s in ways {
            match s {
                Step::Text(t) => {
                    let (head, done) = match t.find(['.', '-']) {
                        Some(at) => (t[..at].to_string(), true),
                        None => (t.clone(), false),
                    };
                    if t.contains("->") {
                        parts.push(super::expr::Part::Text(format!("(*{head})")));
                    } else if !head.is_empty() {
                        parts.push(super::expr::Part::Text(head));
                    }
                    if done {
                        break;
                    }
                }
                Step::Dim(d) => parts.push(super::expr::Part::Subscript(self.subscript(d))),
            }
        }
        Expr::new(super::expr::Kind::Place(parts), Ty::Int, 0, 0)
    }

    /// A base of a struct type with the objects in it. `front` leads to the struct.
    pub fn struct_base(
        &mut self,
        name: &str,
        ty: &str,
        front: &[Step],
        ways: &[(Vec<Step>, Ty)],
    ) -> usize {
        let scalar = front.len() == 1;
        let class = *self.rng.pick(&[Class::Input, Class::Sum, Class::Result]);
        let base = self.base(name, ty, scalar, class);
        for (way, t) in ways {
            let (lo, hi) = if t.is_float() { (0, 0) } else { t.range() };
            let mut path = front.to_vec();
            // A text that follows a text is one with it.
            for s in way {
                match (path.last_mut(), s) {
                    (Some(Step::Text(a)), Step::Text(b)) => a.push_str(b),
                    _ => path.push(s.clone()),
                }
            }
            self.objects.push(super::scope::Object {
                base,
                path,
                ty: *t,
                lo,
                hi,
                fixed: false,
                counter: false,
            });
        }
        base
    }

    /// An array in the block, filled before it is used.
    fn local_array(&mut self, out: &mut Vec<Stmt>) {
        if self.loops >= 3 || self.trips > 500 {
            return;
        }
        let d = self.rng.between(2, 6) as i128;
        let ty = self.any_type();
        let (name, c) = (self.name("b"), self.name("i"));
        out.push(Stmt::Line(format!("{} {name}[{d}];", ty.name())));
        let mark = self.enter();
        let counter = self.counter(&c, Ty::Int, 0, d - 1);
        let i = self.place(counter);
        let value = self.value(ty, Class::Local, 1);
        self.leave(mark);
        let place = Expr::new(
            super::expr::Kind::Place(vec![
                super::expr::Part::Text(name.clone()),
                super::expr::Part::Subscript(i),
            ]),
            ty,
            0,
            0,
        );
        out.push(super::loops::counted(
            &c,
            d,
            vec![Stmt::Assign(place, "=", value)],
        ));
        let base = self.base(&name, "", false, Class::Local);
        let (lo, hi) = if ty.is_float() { (0, 0) } else { ty.range() };
        self.objects.push(super::scope::Object {
            base,
            path: vec![Step::Text(name), Step::Dim(d)],
            ty,
            lo,
            hi,
            fixed: false,
            counter: false,
        });
    }
}
