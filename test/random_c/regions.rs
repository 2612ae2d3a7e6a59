//! Statements under directives.
//!
//! Directives that say that iterations are independent stand only before loops of which
//! that is so: each iteration writes elements of its own, or updates what all of them
//! update by one operation, atomically or as a reduction. What a directive makes private
//! is behind it what it was before, in the build without directives by assignments.

use super::expr::{Expr, Kind, Part};
use super::loops::Header;
use super::scope::{Gen, Role};
use super::stmt::{Directed, Directive, Head, Loop, Stmt, Text};

/// What stands in for a choice of OpenACC's compute constructs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Construct {
    Scop,
    Offload,
    Kernels,
    Serial,
}

/// Whether the text of some statements has this name in it.
pub fn mentions(stmts: &[Stmt], name: &str) -> bool {
    let mut t = Text::default();
    t.block(stmts);
    words(&t.text).any(|w| w == name)
}

pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

impl Gen {
    /// A region of a kind that leaves the order of its loops to the compiler.
    pub fn region(&mut self, construct: Construct) -> Vec<Stmt> {
        let old = (self.effects, self.can_break, self.can_continue);
        let roles = self.roles.clone();
        (self.can_break, self.can_continue, self.in_region) = (false, false, true);
        self.effects = construct != Construct::Serial && self.effects;
        let mut directive = Directive::new(match construct {
            Construct::Scop => "scop",
            Construct::Offload => "terrace offload",
            Construct::Kernels => "acc kernels",
            Construct::Serial => "acc serial",
        });
        let mut kept = Vec::new();
        if construct == Construct::Serial {
            self.serial_scalars(&mut directive, &mut kept);
        }
        let mark = self.enter();
        let mut body = Vec::new();
        let several = construct != Construct::Offload;
        if several && self.rng.chance(25) {
            self.assign_private(&kept, &directive, &mut body);
            self.statement(&mut body);
        } else {
            self.assign_private(&kept, &directive, &mut body);
        }
        self.any_loop(&mut body);
        if several && self.rng.chance(40) {
            self.any_loop(&mut body);
        }
        self.leave(mark);
        (self.effects, self.can_break, self.can_continue) = old;
        (self.roles, self.in_region) = (roles, false);
        let acc = matches!(construct, Construct::Kernels | Construct::Serial);
        if acc {
            self.data_clauses(&mut directive, &body);
        }
        if acc && self.rng.chance(6) {
            directive.clauses.push(("async(1) wait".into(), true));
        }
        let asynchronous = directive.clauses.iter().any(|c| c.0.starts_with("async"));
        let scop = construct == Construct::Scop;
        let mut out = vec![Stmt::Directed(Directed {
            before: vec![directive],
            body,
            braces: !scop,
            after: scop.then(|| "#pragma endscop".into()),
            kept,
            asserted: construct == Construct::Serial,
        })];
        if asynchronous {
            out.push(Stmt::Line("#pragma acc wait".into()));
        }
        out
    }

    /// Which scalars of the host a `serial` construct shares, and which it has of its own.
    fn serial_scalars(&mut self, directive: &mut Directive, kept: &mut Vec<[String; 3]>) {
        for base in 0..self.bases.len() {
            if !self.changeable_scalar(base) {
                continue;
            }
            let b = self.bases[base].clone();
            let copy = self.name("kept");
            let keep = [b.ty.clone(), b.name.clone(), copy];
            match self.rng.below(6) {
                0..=1 => *directive = directive.clone().with(format!("copy({})", b.name)),
                2 => {
                    *directive = directive.clone().with(format!("firstprivate({})", b.name));
                    kept.push(keep);
                }
                3 => kept.push(keep),
                4 => {
                    *directive = directive.clone().with(format!("private({})", b.name));
                    kept.push(keep);
                }
                _ => {
                    self.roles.insert(base, Role::Read);
                }
            }
        }
    }

    /// A scalar variable, not a struct, that is in scope and may be changed, and not in a data
    /// region, where it is shared.
    fn changeable_scalar(&self, base: usize) -> bool {
        let b = &self.bases[base];
        let seen = self
            .objects
            .iter()
            .any(|o| o.base == base && !o.fixed && o.scalar());
        b.scalar && seen && !b.ty.starts_with("struct") && !self.roles.contains_key(&base)
    }

    /// Private variables begin with a value.
    fn assign_private(&mut self, kept: &[[String; 3]], d: &Directive, body: &mut Vec<Stmt>) {
        for [_, name, _] in kept {
            if !d
                .clauses
                .iter()
                .any(|(c, _)| *c == format!("private({name})"))
            {
                continue;
            }
            let o = self.object_named(name);
            let place = self.place(o);
            let literal = Expr::number(self.rng.between(0, 9).into());
            body.push(Stmt::First(place, literal));
        }
    }

    fn object_named(&self, name: &str) -> usize {
        let is = |o: &super::scope::Object| self.bases[o.base].name == name;
        self.objects.iter().position(is).expect("it is in scope")
    }

    /// `copy` and `copyin` of what is used, for arrays behind pointers and some others.
    fn data_clauses(&mut self, directive: &mut Directive, body: &[Stmt]) {
        let written = written(body);
        let mut seen: Vec<usize> = self.objects.iter().map(|o| o.base).collect();
        seen.dedup();
        for base in seen {
            let b = self.bases[base].clone();
            let held = matches!(self.roles.get(&base), Some(Role::Hidden));
            if self.present.contains(&base)
                && !directive.text.contains("kernels")
                && mentions(body, &b.name)
            {
                let word = *self.rng.pick(&["present", "copy"]);
                let clause = format!("{word}({})", b.name);
                directive.clauses.push((clause, false));
                continue;
            }
            if b.scalar && !b.ty.starts_with("struct") || held || !mentions(body, &b.name) {
                continue;
            }
            if !b.pointer && self.rng.chance(70) {
                continue;
            }
            let word = if !written.contains(&b.name) && self.rng.chance(50) {
                "copyin"
            } else {
                "copy"
            };
            directive
                .clauses
                .push((format!("{word}({})", b.clause), !b.pointer));
        }
    }

    /// Loops that a directive says are independent.
    pub fn parallel(&mut self) -> Vec<Stmt> {
        let (mut i, mut j) = (self.header(true), None);
        if self.rng.chance(45) {
            j = Some(self.header(true));
        }
        let roles = self.roles.clone();
        let old = (self.effects, self.can_break, self.can_continue, self.trips);
        (self.effects, self.can_break, self.can_continue) = (false, false, true);
        self.in_region = true;
        let kernels = self.rng.chance(25);
        let mut on_loop = Vec::new();
        let mut reductions = Vec::new();
        let mut kept = Vec::new();
        let mut private = Vec::new();
        let mut out = Vec::new();
        self.scalar_roles(
            kernels,
            &mut on_loop,
            &mut reductions,
            &mut kept,
            &mut private,
            &mut out,
        );
        let mark = self.enter();
        let ci = self.counter(&i.name, i.ty, i.inside.0, i.inside.1);
        let mut counters = vec![ci];
        if let Some(j) = &j {
            counters.push(self.counter(&j.name, j.ty, j.inside.0, j.inside.1));
        }
        self.local_from = Some(self.bases.len());
        self.trips = i.trips.max(1) * j.as_ref().map_or(1, |j| j.trips.max(1));
        self.loops += counters.len();
        let mut atomics = Vec::new();
        self.array_roles(&counters, &mut atomics);
        let mut body = Vec::new();
        for p in &private {
            let place = self.place(*p);
            let ty = place.ty;
            let v = self.value(ty, super::scope::Class::Local, 1);
            body.push(Stmt::First(place, v));
            let base = self.objects[*p].base;
            self.roles.insert(base, Role::Free);
        }
        if self.rng.chance(25) {
            let inner = self.inner_reduction();
            body.extend(inner);
        }
        for _ in 0..1 + self.rng.below(4) {
            self.statement(&mut body);
        }
        for (o, op) in reductions {
            let n = 1 + self.rng.below(2);
            for _ in 0..n {
                let at = self.reduction(o, op);
                body.push(at);
            }
        }
        for (o, op) in atomics {
            let update = self.atomic(o, op);
            body.push(update);
        }
        self.loops -= counters.len();
        self.local_from = None;
        self.leave(mark);
        self.roles = roles;
        (self.effects, self.can_break, self.can_continue, self.trips) = old;
        self.in_region = false;
        // A counter declared outside is private.
        if self.rng.chance(15) {
            let name = i.name.clone();
            let first = Expr::number(self.rng.between(0, 9).into());
            out.push(Stmt::Declare(format!("{} {name}", i.ty.name()), first));
            let copy = self.name("kept");
            kept.push([i.ty.name().into(), name.clone(), copy]);
            self.counter(&name, i.ty, 0, 9);
            let last = self.objects.len() - 1;
            self.objects[last].counter = false;
        } else {
            i.head[0] = format!("{} {}", i.ty.name(), i.head[0]);
        }
        if let Some(j) = &mut j {
            j.head[0] = format!("{} {}", j.ty.name(), j.head[0]);
        }
        self.directed_loops(i, j, body, on_loop, kept, kernels, &mut out);
        out
    }

    /// The loops with the directives around them.
    #[allow(clippy::too_many_arguments)]
    fn directed_loops(
        &mut self,
        i: Header,
        j: Option<Header>,
        body: Vec<Stmt>,
        on_loop: Vec<(String, bool)>,
        kept: Vec<[String; 3]>,
        kernels: bool,
        out: &mut Vec<Stmt>,
    ) {
        // A loop for vectors is in no other one.
        let is_vector = format!("{body:?}").contains("acc loop vector");
        let mut outer = Vec::new();
        let nest = |h: Header, body: Vec<Stmt>| {
            let [a, b, c] = h.head;
            Stmt::Loop(Loop {
                head: Head::For(a, h.from, b, h.to, c),
                body,
            })
        };
        // Bounds of a loop inside know nothing of the counter outside, as both are made before.
        let body = match j {
            Some(j) => {
                let inner = nest(j, body);
                let reduction = on_loop.iter().any(|(c, _)| !c.starts_with("copy"));
                if reduction || self.rng.chance(60) {
                    outer.push(("collapse(2)".to_string(), false));
                    vec![inner]
                } else {
                    outer.push(("gang".to_string(), true));
                    let d = match *self.rng.pick(&["acc loop vector", "acc loop"]) {
                        _ if is_vector => "acc loop",
                        d => d,
                    };
                    let d = Directive::new(d);
                    vec![Stmt::Directed(Directed {
                        before: vec![if kernels {
                            d.with("independent".into())
                        } else {
                            d
                        }],
                        body: vec![inner],
                        asserted: true,
                        ..Directed::default()
                    })]
                }
            }
            None => body,
        };
        if outer.is_empty() && self.rng.chance(30) {
            let word = *self
                .rng
                .pick(&["gang", "gang vector", "vector", "gang worker"]);
            let word = match word {
                "gang vector" | "vector" if is_vector => "gang",
                _ => word,
            };
            outer.push((word.to_string(), true));
        }
        let whole = nest(i, body);
        let mut construct = Directive::new(if kernels {
            "acc kernels"
        } else {
            "acc parallel"
        });
        let whole = vec![whole];
        self.data_clauses(&mut construct, &whole);
        // Each gang does the whole of a loop that is for vectors alone.
        let shared_out = !outer.iter().any(|(c, _)| c == "vector");
        if !kernels && shared_out && self.rng.chance(20) {
            let n = self.rng.between(1, 4);
            construct.clauses.push((format!("num_gangs({n})"), true));
        }
        if !kernels && self.rng.chance(20) {
            let n = *self.rng.pick(&[1, 8, 32, 64]);
            construct
                .clauses
                .push((format!("vector_length({n})"), true));
        }
        if kernels {
            outer.insert(0, ("independent".into(), false));
        }
        outer.extend(on_loop);
        let apart = self.rng.chance(25);
        let made = if apart {
            let mut d = Directive::new("acc loop");
            // What is private to the loop is named there, what is copied on the construct.
            let (data, rest): (Vec<_>, Vec<_>) = outer
                .into_iter()
                .partition(|(c, _)| c.starts_with("copy") || c.starts_with("firstprivate"));
            construct.clauses.extend(data);
            d.clauses = rest;
            Directed {
                before: vec![construct],
                body: vec![Stmt::Directed(Directed {
                    before: vec![d],
                    body: whole,
                    asserted: true,
                    ..Directed::default()
                })],
                braces: true,
                kept,
                asserted: true,
                ..Directed::default()
            }
        } else {
            construct.text.push_str(" loop");
            construct.clauses.extend(outer);
            Directed {
                before: vec![construct],
                body: whole,
                kept,
                asserted: true,
                ..Directed::default()
            }
        };
        out.push(Stmt::Directed(made));
    }

    /// Which scalars are reduced, private, or only read.
    fn scalar_roles(
        &mut self,
        kernels: bool,
        clauses: &mut Vec<(String, bool)>,
        reductions: &mut Vec<(usize, &'static str)>,
        kept: &mut Vec<[String; 3]>,
        private: &mut Vec<usize>,
        before: &mut Vec<Stmt>,
    ) {
        for base in 0..self.bases.len() {
            if !self.changeable_scalar(base) {
                continue;
            }
            let b = self.bases[base].clone();
            let o = self.object_named(&b.name);
            let exact = b.class == super::scope::Class::Sum;
            match self.rng.below(7) {
                0..=1 if exact || !self.objects[o].ty.is_float() => {
                    let op = self.reduction_operator(self.objects[o].ty);
                    // The construct's own copy of what is reduced comes back.
                    clauses.push((format!("reduction({op}:{})", b.name), false));
                    if self.rng.chance(20) {
                        clauses.push((format!("copy({})", b.name), true));
                    }
                    reductions.push((o, op));
                    // What is joined with the old value is nought or one afterwards, even where
                    // nothing is.
                    if matches!(op, "&&" | "||") {
                        let place = self.place(o);
                        let truth = Expr::binary("!=", place.clone(), Expr::number(0));
                        before.push(Stmt::First(place, truth.expect("compared")));
                    }
                    self.roles.insert(base, Role::Reduce);
                }
                2 => {
                    clauses.push((format!("private({})", b.name), false));
                    let copy = self.name("kept");
                    kept.push([b.ty.clone(), b.name.clone(), copy]);
                    self.roles.insert(base, Role::Hidden);
                    private.push(o);
                }
                3 if !kernels => {
                    clauses.push((format!("firstprivate({})", b.name), true));
                    self.roles.insert(base, Role::Read);
                }
                _ => {
                    self.roles.insert(base, Role::Read);
                }
            }
        }
        // What is private must be assigned before it is read: until then it is not.
        for p in private.iter() {
            let base = self.objects[*p].base;
            self.roles.insert(base, Role::Hidden);
        }
    }
}

/// Names of what statements change.
pub fn written(stmts: &[Stmt]) -> std::collections::BTreeSet<String> {
    let mut out = std::collections::BTreeSet::new();
    for s in stmts {
        written_by(s, &mut out);
    }
    out
}

fn head(e: &Expr, out: &mut std::collections::BTreeSet<String>) {
    if let Kind::Place(parts) = &e.kind {
        for p in parts {
            if let Part::Text(t) = p
                && let Some(w) = words(t).find(|w| !w.is_empty())
            {
                out.insert(w.into());
                return;
            }
        }
    }
}

fn addresses(e: &Expr, out: &mut std::collections::BTreeSet<String>) {
    let mut e = e.clone();
    if let Kind::Unary("&", inner) = &e.kind {
        head(inner, out);
    }
    for c in e.children() {
        addresses(c, out);
    }
}

fn written_by(s: &Stmt, out: &mut std::collections::BTreeSet<String>) {
    match s {
        Stmt::Assign(l, _, r) => {
            head(l, out);
            if words(&r.text()).any(|w| w.starts_with("effect")) {
                out.extend(["hits", "count"].map(String::from));
            }
        }
        Stmt::Step(l, _) | Stmt::First(l, _) | Stmt::Update(l, ..) => head(l, out),
        Stmt::Eval(e) => {
            addresses(e, out);
            // Functions with effects change these.
            out.extend(["hits", "count"].map(String::from));
        }
        Stmt::If(_, a, b) => out.extend(written(a).into_iter().chain(written(b))),
        Stmt::Loop(l) => out.extend(written(&l.body)),
        Stmt::Switch(_, cases) => {
            for c in cases {
                out.extend(written(&c.body));
            }
        }
        Stmt::Block(b) => out.extend(written(b)),
        Stmt::Directed(d) => out.extend(written(&d.body)),
        Stmt::Declare(..) | Stmt::Line(_) => {}
    }
}
