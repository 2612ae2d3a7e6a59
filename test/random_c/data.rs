//! Data regions: what lies on the device is used by constructs only, or by the host
//! between an `update self` and an `update device`, so that the program means the same
//! whether memory is shared or not.

use super::regions::{Construct, mentions};
use super::scope::{Gen, Role};
use super::stmt::{Directed, Directive, Stmt};

impl Gen {
    /// A `data` construct, or `enter data` and `exit data`, around several constructs.
    pub fn data_region(&mut self) -> Vec<Stmt> {
        let roles = self.roles.clone();
        let mut seen: Vec<usize> = self
            .objects
            .iter()
            .filter(|o| !o.counter)
            .map(|o| o.base)
            .collect();
        seen.dedup();
        let mut held = Vec::new();
        for b in seen {
            let base = &self.bases[b];
            let fixed = self.objects.iter().any(|o| o.base == b && o.fixed);
            if fixed && base.scalar {
                continue;
            }
            let percent = if base.scalar { 35 } else { 50 };
            if self.rng.chance(percent) {
                held.push((b, fixed));
            }
        }
        let mut clauses = Vec::new();
        for (b, fixed) in &held {
            let word = if *fixed { "copyin" } else { "copy" };
            clauses.push((format!("{word}({})", self.bases[*b].clause), false));
        }
        // The same by directives that stand alone: what they copy is there, but a scalar is
        // shared only with the constructs that name it.
        let alone = !held.is_empty() && self.rng.chance(30);
        if alone {
            let scalars = held.iter().map(|(b, _)| *b);
            self.present = scalars.filter(|b| self.bases[*b].scalar).collect();
        }
        let mark = self.enter();
        let mut body = Vec::new();
        for _ in 0..2 + self.rng.below(3) {
            match self.rng.below(10) {
                0..=1 => self.on_host(&held, &mut body),
                2..=5 => {
                    let parts = self.with_shared(&held, |g| g.region(Construct::Kernels));
                    body.extend(parts);
                }
                6..=7 => {
                    let parts = self.with_shared(&held, |g| g.region(Construct::Serial));
                    body.extend(parts);
                }
                _ => {
                    // Scalars that are shared are only read here.
                    for (b, _) in &held {
                        if self.bases[*b].scalar {
                            self.roles.insert(*b, Role::Read);
                        }
                    }
                    let parts = self.parallel();
                    body.extend(parts);
                    self.roles = roles.clone();
                }
            }
        }
        self.leave(mark);
        self.present.clear();
        self.roles = roles;
        if held.is_empty() {
            return vec![Stmt::Block(body)];
        }
        if alone {
            let (mut enter, mut exit) = (Vec::new(), Vec::new());
            for (b, fixed) in &held {
                let c = &self.bases[*b].clause;
                enter.push(format!("copyin({c})"));
                let word = if *fixed { "delete" } else { "copyout" };
                exit.push(format!("{word}({c})"));
            }
            let mut all = vec![Stmt::Line(format!(
                "#pragma acc enter data {}",
                enter.join(" ")
            ))];
            all.extend(body);
            all.push(Stmt::Line(format!(
                "#pragma acc exit data {}",
                exit.join(" ")
            )));
            return vec![Stmt::Directed(Directed {
                body: all,
                braces: true,
                asserted: true,
                ..Directed::default()
            })];
        }
        let mut d = Directive::new("acc data");
        d.clauses = clauses;
        vec![Stmt::Directed(Directed {
            before: vec![d],
            body,
            braces: true,
            asserted: true,
            ..Directed::default()
        })]
    }

    /// A construct in which the variables of the data region are shared.
    fn with_shared(
        &mut self,
        held: &[(usize, bool)],
        make: impl FnOnce(&mut Gen) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let roles = self.roles.clone();
        for (b, _) in held {
            if self.bases[*b].scalar {
                self.roles.insert(*b, Role::Free);
            }
        }
        let out = make(self);
        self.roles = roles;
        out
    }

    /// A statement of the host, with updates of what of the data region it uses.
    fn on_host(&mut self, held: &[(usize, bool)], body: &mut Vec<Stmt>) {
        let mut inside = Vec::new();
        let effects = self.effects;
        self.effects = false;
        let mark = self.enter();
        self.any_loop(&mut inside);
        self.leave(mark);
        self.effects = effects;
        let used: Vec<String> = held
            .iter()
            .map(|(b, _)| self.bases[*b].clone())
            .filter(|b| mentions(&inside, &b.name))
            .map(|b| b.clause)
            .collect();
        if !used.is_empty() {
            let word = *self.rng.pick(&["self", "host"]);
            let line = format!("#pragma acc update {word}({})", used.join(", "));
            body.push(Stmt::Line(line));
        }
        // In a block of its own, so that nothing of it is in scope behind.
        body.push(Stmt::Block(inside));
        if !used.is_empty() {
            let line = format!("#pragma acc update device({})", used.join(", "));
            body.push(Stmt::Line(line));
        }
    }
}
