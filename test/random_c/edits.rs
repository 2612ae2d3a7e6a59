//! Programs made smaller, a step at a time.

use super::expr::{Expr, Kind, Part};
use super::file::File;
use super::stmt::{Directed, Head, Stmt};

/// Looks for the edit of a number, and does it.
struct Edits {
    left: usize,
    done: bool,
}

impl Edits {
    /// Whether this is the one.
    fn hit(&mut self) -> bool {
        if self.done {
            return false;
        }
        if self.left == 0 {
            self.done = true;
            return true;
        }
        self.left -= 1;
        false
    }
}

/// The file after its edit of this number; nothing if there are not so many.
pub fn edited(file: &File, number: usize) -> Option<File> {
    let mut f = file.clone();
    let mut e = Edits {
        left: number,
        done: false,
    };
    e.file(&mut f);
    e.done.then_some(f)
}

impl Edits {
    fn file(&mut self, f: &mut File) {
        if f.functions.len() > 1 {
            for n in (0..f.functions.len()).rev() {
                if self.hit() {
                    f.functions.remove(n);
                    return;
                }
            }
        }
        if f.auto && self.hit() {
            f.auto = false;
        }
        for (_, function) in &mut f.functions {
            if function.calls.len() > 1 {
                for n in 0..function.calls.len() {
                    if self.hit() {
                        function.calls.remove(n);
                        return;
                    }
                }
            }
            for n in (0..function.prints.len()).rev() {
                if self.hit() {
                    function.prints.remove(n);
                    return;
                }
            }
            self.list(&mut function.body);
            if self.done {
                return;
            }
        }
        for h in &mut f.helpers {
            self.list(&mut h.body);
            if self.done {
                return;
            }
        }
        for (_, function) in &mut f.functions {
            self.values(&mut function.body, false);
        }
        for h in &mut f.helpers {
            self.values(&mut h.body, false);
        }
    }

    /// Statements taken out, and ones in place of what they stand in.
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for n in (0..stmts.len()).rev() {
            // Without a line of `enter data` or `update` alone a scalar is no longer shared,
            // or a copy is old: another program, not a smaller one.
            if !matches!(stmts[n], Stmt::First(..) | Stmt::Line(_)) && self.hit() {
                stmts.remove(n);
                return;
            }
        }
        for n in 0..stmts.len() {
            if self.unwrap(stmts, n) {
                return;
            }
            match &mut stmts[n] {
                Stmt::If(_, a, b) => {
                    self.list(a);
                    self.list(b);
                }
                Stmt::Loop(l) => self.list(&mut l.body),
                Stmt::Switch(_, cases) => {
                    for i in (0..cases.len()).rev() {
                        if cases.len() > 1 && self.hit() {
                            cases.remove(i);
                            return;
                        }
                    }
                    for c in cases {
                        self.list(&mut c.body);
                    }
                }
                Stmt::Block(b) => self.list(b),
                Stmt::Directed(d) => self.directed(d),
                _ => {}
            }
            if self.done {
                return;
            }
        }
    }

    fn unwrap(&mut self, stmts: &mut Vec<Stmt>, n: usize) -> bool {
        let bodies: Vec<Vec<Stmt>> = match &stmts[n] {
            Stmt::If(_, a, b) => vec![a.clone(), b.clone()],
            Stmt::Block(b) => vec![b.clone()],
            Stmt::Switch(_, cases) => cases.iter().map(|c| c.body.clone()).collect(),
            Stmt::Loop(l) if !matches!(l.head, Head::For(..)) => vec![l.body.clone()],
            _ => vec![],
        };
        for b in bodies {
            if !b.is_empty() && self.hit() {
                stmts.splice(n..=n, b);
                return true;
            }
        }
        false
    }

    fn directed(&mut self, d: &mut Directed) {
        for b in &mut d.before {
            for n in (0..b.clauses.len()).rev() {
                if b.clauses[n].1 && self.hit() {
                    b.clauses.remove(n);
                    return;
                }
            }
        }
        self.list(&mut d.body);
    }

    /// Expressions made smaller.
    fn values(&mut self, stmts: &mut [Stmt], asserted: bool) {
        for s in stmts {
            match s {
                Stmt::Eval(e) => self.inside(e, asserted),
                Stmt::Assign(l, _, r) | Stmt::First(l, r) => {
                    self.inside(l, asserted);
                    self.value(r, asserted);
                }
                Stmt::Update(l, _, v) => {
                    self.inside(l, asserted);
                    // A sum stays exact only with the numbers that it was made for.
                    if !l.ty.is_float() {
                        self.value(v, asserted);
                    }
                }
                Stmt::Step(l, _) => self.inside(l, asserted),
                Stmt::Declare(_, e) => self.value(e, asserted),
                Stmt::If(c, a, b) => {
                    self.value(c, asserted);
                    self.values(a, asserted);
                    self.values(b, asserted);
                }
                Stmt::Loop(l) => {
                    match &mut l.head {
                        Head::For(_, a, _, b, _) if !asserted => {
                            self.value(a, asserted);
                            self.value(b, asserted);
                        }
                        Head::For(..) => {}
                        // What ends the loop stays in its test.
                        Head::While(e) | Head::DoWhile(e) => self.inside(e, asserted),
                    }
                    self.values(&mut l.body, asserted);
                }
                Stmt::Switch(e, cases) => {
                    self.value(e, asserted);
                    for c in cases {
                        self.values(&mut c.body, asserted);
                    }
                }
                Stmt::Block(b) => self.values(b, asserted),
                Stmt::Directed(d) => {
                    let asserted = d.asserted || asserted;
                    self.values(&mut d.body, asserted);
                }
                Stmt::Line(_) => {}
            }
            if self.done {
                return;
            }
        }
    }

    fn value(&mut self, e: &mut Expr, asserted: bool) {
        if !matches!(e.kind, Kind::Literal(_)) {
            let address = matches!(e.kind, Kind::Unary("&", _));
            let struct_copy = matches!(&e.kind, Kind::Place(_)) && e.lo == 0 && e.hi == 0;
            if !address && !struct_copy {
                for v in [0, 1] {
                    if self.hit() {
                        *e = Expr::number(v);
                        return;
                    }
                }
            }
            let children: Vec<Expr> = match &mut e.kind {
                Kind::Unary("&", _) | Kind::Place(_) => vec![],
                Kind::Call(..) => vec![],
                _ => e.children().into_iter().map(|c| c.clone()).collect(),
            };
            for c in children {
                if self.hit() {
                    *e = c;
                    return;
                }
            }
        }
        self.inside(e, asserted);
    }

    fn inside(&mut self, e: &mut Expr, asserted: bool) {
        match &mut e.kind {
            Kind::Unary("&", place) => self.inside(place, asserted),
            Kind::Place(parts) => {
                if asserted {
                    return;
                }
                for p in parts {
                    if let Part::Subscript(s) = p {
                        self.value(s, asserted);
                    }
                }
            }
            _ => {
                for c in e.children() {
                    self.value(c, asserted);
                }
            }
        }
    }
}
