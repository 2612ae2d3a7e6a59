//! The functions that are followed, statement by statement.

use std::collections::HashMap;

use terrace_c::directive::{ClauseKind, DirectiveKind};
use terrace_c::hir::{Expr, Function, Span, Stmt, StmtKind, Storage, Unit, VarId};

use super::classes::{Class, Classes, Known};
use super::effects::{Effects, Item, Summary, Walk};
use super::{HostCode, HostRegion, RegionCode, text};
use crate::c::visit::{children, declared, expressions};

/// Says in all functions that have regions, or call functions that do, what they use.
pub fn all(
    known: &Known,
    classes: &mut Classes,
    summaries: &HashMap<&str, Summary>,
    regions: &[HostRegion],
) -> HostCode {
    let followed: Vec<(usize, &Function)> = (known.unit.functions.iter().enumerate())
        .filter(|(_, f)| summaries.get(&*f.name).is_some_and(|s| s.follows))
        .collect();
    for (_, f) in &followed {
        passing(known, classes, f);
    }
    let mut code = HostCode::default();
    let wanted = wanted(known, classes, regions, &followed, &mut code);
    if wanted.is_empty() {
        return HostCode::default();
    }
    for (index, f) in followed {
        let mut one = One {
            known,
            classes: &mut *classes,
            summaries,
            regions,
            wanted: &wanted,
            function: index,
            code: &mut code,
            broken: None,
        };
        one.function(f);
        let broken = one.broken;
        // Where a text cannot be changed nothing of the unit may be left on a device.
        if broken.is_some() {
            return HostCode::default();
        }
    }
    code
}

/// Objects of a function that may be gone while something of them is on the device.
fn passing(known: &Known, classes: &mut Classes, f: &Function) {
    let mut all = Vec::new();
    declared(&f.body, &mut all);
    let held = held(known, f);
    let params = f.params.iter().copied();
    for v in all.into_iter().chain(params) {
        let stays = known.unit.var(v).storage == Storage::LocalStatic || held.contains(&v);
        if !stays {
            classes.set_passing(v.0 as usize);
        }
    }
    expressions(&f.body, |e| {
        if let terrace_c::hir::ExprKind::Compound { var, .. } = &e.kind {
            classes.set_passing(var.0 as usize);
        }
    });
}

/// The variables that live as long as their function, and are declared on all ways through it.
fn held(known: &Known, f: &Function) -> Vec<VarId> {
    let StmtKind::Block(list) = &f.body.kind else {
        return Vec::new();
    };
    if has_label(&f.body) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for s in list.iter().filter(|s| s.directives.is_empty()) {
        if let StmtKind::Decl(vars) = &s.kind {
            let own = |v: &VarId| known.unit.var(*v).storage == Storage::Local;
            out.extend(vars.iter().map(|(v, _)| *v).filter(own));
        }
    }
    out
}

fn has_label(s: &Stmt) -> bool {
    matches!(s.kind, StmtKind::Label(..)) || children(s).into_iter().any(has_label)
}

/// The classes of which something may be left on a device, each once: the number of one is its
/// place, from 1 on. Says so of the regions.
fn wanted(
    known: &Known,
    classes: &mut Classes,
    regions: &[HostRegion],
    followed: &[(usize, &Function)],
    code: &mut HostCode,
) -> Vec<Class> {
    let mut wanted: Vec<Class> = Vec::new();
    let mut leaving = Vec::new();
    for r in regions {
        let in_followed = followed.iter().any(|(i, _)| *i == r.region.function);
        let captures = &r.region.captures;
        let anywhere = captures
            .iter()
            .filter_map(|c| c.array())
            .any(|a| a.anywhere || a.tables.is_some());
        if !r.may_leave || !in_followed || anywhere {
            continue;
        }
        let mut of = Vec::new();
        for c in captures {
            let class = c.array().filter(|a| !a.pointers).map(|_| {
                let class = match c.lvalue.ty.is_pointer() {
                    true => classes.value(known, &c.lvalue),
                    false => Some(classes.object(known, &c.lvalue)),
                };
                class.map(|c| classes.find(c))
            });
            of.push(class.flatten().filter(|c| !classes.is_passing(*c)));
        }
        leaving.push((r, of));
    }
    // Classes may have become one since they were looked up.
    for (_, of) in &mut leaving {
        for c in of.iter_mut().flatten() {
            *c = classes.find(*c);
            if !wanted.contains(c) {
                wanted.push(*c);
            }
        }
    }
    for (r, of) in leaving {
        let results = r
            .region
            .results
            .iter()
            .filter_map(|i| r.region.captures.get(*i));
        let results: Vec<Class> = results.map(|c| classes.object(known, &c.lvalue)).collect();
        let clash = results
            .into_iter()
            .any(|o| wanted.iter().any(|w| classes.may_meet(*w, o)));
        let number = |c: Class| wanted.iter().position(|w| *w == c).map(|i| i + 1);
        let classes = match clash {
            true => vec![None; of.len()],
            false => of.into_iter().map(|c| c.and_then(number)).collect(),
        };
        let entry = code.regions.entry(r.region.span).or_default();
        entry.classes = classes;
    }
    wanted
}

/// Whether a directive that is about a device stands in a statement.
pub fn has_directives(unit: &Unit, s: &Stmt) -> bool {
    let about = |id: &terrace_c::hir::DirectiveId| {
        matches!(
            unit.directive(*id).kind,
            DirectiveKind::Data
                | DirectiveKind::HostData
                | DirectiveKind::EnterData
                | DirectiveKind::ExitData
                | DirectiveKind::Update
                | DirectiveKind::Declare
                | DirectiveKind::Init
                | DirectiveKind::Shutdown
                | DirectiveKind::Set
                | DirectiveKind::Wait(_)
        )
    };
    let itself = matches!(&s.kind, StmtKind::Directive(id) if about(id));
    itself || s.directives.iter().any(about) || children(s).iter().any(|s| has_directives(unit, s))
}

/// One function.
struct One<'a, 'k> {
    known: &'a Known<'k>,
    classes: &'a mut Classes,
    summaries: &'a HashMap<&'a str, Summary>,
    regions: &'a [HostRegion<'a>],
    wanted: &'a [Class],
    function: usize,
    code: &'a mut HostCode,
    /// A place whose text cannot be changed.
    broken: Option<Span>,
}

impl One<'_, '_> {
    fn function(&mut self, f: &Function) {
        let held = held(self.known, f);
        let StmtKind::Block(list) = &f.body.kind else {
            self.broken = Some(f.span);
            return;
        };
        if !self.known.unit.text(f.body.span).starts_with('{') {
            self.broken = Some(f.body.span);
            return;
        }
        let begin = text::begin();
        self.code
            .openings
            .push((f.body.span.start + 1, false, begin));
        for s in list {
            if let StmtKind::Decl(vars) = &s.kind {
                let mine = vars
                    .iter()
                    .map(|(v, _)| *v)
                    .filter(|v| held.contains(v) && self.is_wanted(v.0 as usize));
                let names: Vec<&str> = mine.map(|v| &*self.known.unit.var(v).name).collect();
                if !names.is_empty() {
                    let code = text::holds(&names, s.span.end);
                    self.code.openings.push((s.span.end, false, code));
                }
            }
        }
        self.list(list);
    }

    fn is_wanted(&self, c: Class) -> bool {
        self.wanted.iter().any(|w| self.classes.may_meet(*w, c))
    }

    fn list(&mut self, list: &[Stmt]) {
        let mut until = 0;
        for (i, s) in list.iter().enumerate() {
            if s.span.start < until {
                continue;
            }
            let last = list.last().map_or(s.span, |l| l.span);
            if let Some(r) = self.several(s.span, s.span.to(last)) {
                let inside = list[i..].iter().take_while(|x| x.span.end <= r.end);
                let all: Vec<&Stmt> = inside.collect();
                self.region(r, &all, s.span.start, false);
                until = r.end;
                continue;
            }
            self.statement(s, false);
        }
    }

    /// The region without a directive that begins with a statement and runs on.
    fn several(&self, s: Span, range: Span) -> Option<Span> {
        let mine = self
            .regions
            .iter()
            .filter(|r| r.region.function == self.function);
        mine.map(|r| (r.region.directive, r.region.span))
            .find(|(d, r)| d.is_none() && r.start == s.start && r.end > s.end && r.end <= range.end)
            .map(|(_, r)| r)
    }

    /// A statement, `single` where it is all that an `if` or a loop has.
    fn statement(&mut self, s: &Stmt, single: bool) {
        let compute = s.directives.iter().any(|id| {
            let kind = &self.known.unit.directive(*id).kind;
            matches!(kind, DirectiveKind::Compute { .. } | DirectiveKind::Scop)
        });
        let found = self.regions.iter().any(|r| {
            let itself = r.region.function == self.function && r.region.span == s.span;
            itself && r.region.directive.is_none() && !matches!(s.kind, StmtKind::Decl(_))
        });
        let start = s
            .directives
            .iter()
            .map(|id| self.known.unit.directive(*id).span.start);
        let start = start.fold(s.span.start, u32::min);
        if compute || found {
            return self.region(s.span, &[s], start, single);
        }
        match &s.kind {
            StmtKind::Directive(id) => {
                let kind = &self.known.unit.directive(*id).kind;
                if matches!(
                    kind,
                    DirectiveKind::Init | DirectiveKind::Shutdown | DirectiveKind::Set
                ) {
                    let at = self.known.unit.directive(*id).span.start;
                    self.before(at, s, text::all(), single);
                }
            }
            StmtKind::Block(list) => {
                let braces = self.known.unit.text(s.span).starts_with('{');
                if single && !braces {
                    self.broken = Some(s.span);
                }
                if !s.directives.is_empty() {
                    self.say(s, start, single, Effects::default(), &[]);
                }
                self.list(list);
            }
            _ if !self.is_within(s) => {
                let mut inside = Vec::new();
                declared(s, &mut inside);
                let own = self.effects(|w| w.statement(s));
                self.say(s, start, single, own, &inside);
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let own = self.effects(|w| w.value(cond));
                self.say(s, start, single, own, &[]);
                self.statement(then, true);
                if let Some(o) = otherwise {
                    self.statement(o, true);
                }
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let own = self.effects(|w| init.iter().for_each(|s| w.statement(s)));
                let mut inside = Vec::new();
                init.iter().for_each(|s| declared(s, &mut inside));
                self.say(s, start, single, own, &inside);
                cond.iter().chain(step).for_each(|e| self.repeated(e));
                self.statement(body, true);
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.repeated(cond);
                self.statement(body, true);
            }
            StmtKind::Switch { value, arms } => {
                let own = self.effects(|w| w.value(value));
                self.say(s, start, single, own, &[]);
                arms.iter().for_each(|a| self.list(&a.body));
            }
            StmtKind::Label(_, inner) => self.statement(inner, true),
            // Nothing else has anything in it.
            _ => {}
        }
    }

    /// Whether something in a statement has to be looked at by itself: regions, calls of functions that
    /// say what they use, places that are jumped to, or branches in which less is used.
    fn is_within(&mut self, s: &Stmt) -> bool {
        if matches!(
            s.kind,
            StmtKind::Decl(_) | StmtKind::Expr(_) | StmtKind::Return(_)
        ) {
            return false;
        }
        let unit = self.known.unit;
        let starts = self.regions.iter().any(|r| {
            let span = r.region.span;
            r.region.function == self.function
                && s.span.start <= span.start
                && span.end <= s.span.end
        });
        let compute = |s: &Stmt| has_compute(unit, s);
        let all = self.effects(|w| w.statement(s));
        let branch = matches!(s.kind, StmtKind::If { .. });
        let used = all.unknown || !self.items(&all, &[]).is_empty();
        starts
            || compute(s)
            || all.follows > 0
            || has_directives(unit, s)
            || has_label(s)
            || branch && used
    }

    fn effects(&mut self, f: impl FnOnce(&mut Walk)) -> Effects {
        let mut walk = Walk::new(self.known, self.classes, self.summaries);
        f(&mut walk);
        walk.found
    }

    fn items(&self, effects: &Effects, inside: &[VarId]) -> Vec<Item> {
        effects.items(self.known, |c| self.is_wanted(c), inside)
    }

    /// What is to be said of effects, as an expression of C; empty if nothing.
    fn expression(&self, effects: &Effects, inside: &[VarId]) -> String {
        let follows = effects.may_follow(|c| self.is_wanted(c));
        if effects.unknown || effects.follows > 0 && !follows {
            return text::all();
        }
        let numbers = |c: Class| {
            let all = self.wanted.iter().enumerate();
            let met = all.filter(|(_, w)| self.classes.may_meet(**w, c));
            met.map(|(i, _)| i + 1).collect::<Vec<_>>()
        };
        let items = self.items(effects, inside);
        text::uses(self.known.unit, &items, numbers, follows)
    }

    /// Says in front of a statement what it uses.
    fn say(&mut self, s: &Stmt, start: u32, single: bool, own: Effects, inside: &[VarId]) {
        let mut own = own;
        let clauses = self.clauses(s);
        own.unknown |= clauses.unknown;
        let said = self.expression(&own, inside);
        let more = self.expression(&clauses, &[]);
        for said in [said, more].into_iter().filter(|t| !t.is_empty()) {
            self.before(start, s, said, single);
        }
    }

    /// What the clauses of a statement's directives are computed from.
    fn clauses(&mut self, s: &Stmt) -> Effects {
        let unit = self.known.unit;
        self.effects(|w| {
            for id in &s.directives {
                let mut all: Vec<&Expr> = Vec::new();
                for c in &unit.directive(*id).clauses {
                    // Variables of these are not read by the clause.
                    let names = matches!(
                        c.kind,
                        ClauseKind::Private(_) | ClauseKind::Reduction { .. }
                    );
                    if !names {
                        c.each_expr(&mut |e| all.push(e));
                    }
                }
                all.into_iter().for_each(|e| w.value(e));
            }
        })
    }

    fn before(&mut self, at: u32, s: &Stmt, said: String, single: bool) {
        let declares = matches!(s.kind, StmtKind::Decl(_));
        let code = match (declares, single) {
            (true, _) => text::declaration(&said, at),
            (false, true) => format!("{{ {said};"),
            (false, false) => format!("{said};"),
        };
        self.code.openings.push((at, true, code));
        if single && !declares {
            self.code.blocks.insert(std::ptr::from_ref(s));
        }
    }

    /// An expression that is computed again and again.
    fn repeated(&mut self, e: &Expr) {
        let own = self.effects(|w| w.value(e));
        let said = self.expression(&own, &[]);
        if said.is_empty() {
            return;
        }
        if !text::stands_alone(self.known.unit, e.span) {
            self.broken = Some(e.span);
            return;
        }
        self.code
            .openings
            .push((e.span.start, false, format!("{said}, (")));
        self.code.closings.push((e.span.end, ")".to_string()));
    }

    /// A region: what its call reads, and what its statement uses where it runs on the host.
    fn region(&mut self, span: Span, statements: &[&Stmt], start: u32, single: bool) {
        let Some(first) = statements.first() else {
            return;
        };
        let captures = self.regions.iter().filter(|r| r.region.span == span);
        let captures: Vec<&Expr> = captures
            .flat_map(|r| &r.region.captures)
            .filter(|c| c.array().is_none() && !c.is_computed())
            .map(|c| &c.lvalue)
            .collect();
        let has_plan = self.code.regions.contains_key(&span)
            || self.regions.iter().any(|r| r.region.span == span);
        let mut inside = Vec::new();
        statements.iter().for_each(|s| declared(s, &mut inside));
        let body = self.effects(|w| statements.iter().for_each(|s| w.statement(s)));
        let on_host = self.expression(&body, &inside);
        let own = match has_plan {
            true => self.effects(|w| captures.into_iter().for_each(|e| w.value(e))),
            false => body,
        };
        if has_plan {
            let entry: &mut RegionCode = self.code.regions.entry(span).or_default();
            entry.on_host = on_host;
        }
        self.say(first, start, single, own, &inside);
    }
}

/// Whether a construct stands in a statement.
fn has_compute(unit: &Unit, s: &Stmt) -> bool {
    let compute = s.directives.iter().any(|id| {
        matches!(
            unit.directive(*id).kind,
            DirectiveKind::Compute { .. } | DirectiveKind::Scop
        )
    });
    compute || children(s).iter().any(|s| has_compute(unit, s))
}
