//! Compute constructs of OpenACC between which the host does nothing, as one region.
//!
//! ```c
//! for (int t = 0; t < n; t++) {        // one region, of the loop over t
//!   #pragma acc parallel loop          // ... becomes `acc loop independent`
//!   for (...) b[i] = a[i-1] + a[i+1];
//!   #pragma acc parallel loop
//!   for (...) a[i] = b[i];
//! }
//! ```
//!
//! A construct ends when the host goes on, and a region is what the passes see at once: two
//! constructs are two calls, whose arrays are looked up, perhaps copied, and whose loops are
//! never fused. Where the host does nothing in between but count and compute scalars of its
//! own, nobody can tell the difference, so that the as-if rule allows one region
//! (OpenACC 3.3, 1.2: what the specification says of a construct holds for what a program
//! can see).
//!
//! The region is a `kernels` construct over the statements. What the clauses of `parallel`
//! promise becomes a promise of its loop: `independent`, and `private` for the scalars that
//! each gang has of its own. A `serial` construct becomes its statements. Constructs of one
//! queue ([`queue`]) are a region of that queue. Whatever does not fit, or would not mean the
//! same, stays apart: `wait`, `if`, numbers of gangs, clauses that name the same data in
//! different ways ([`data`]) or data that may not be there ([`reached`]), scalars whose first
//! value matters ([`scalars`]).

mod data;
mod host;
mod queue;
mod reached;
mod scalars;

use super::gangs::is_shared_loop;
use super::walk;
use crate::directive::{Clause, ClauseKind, Compute, Dialect, Directive, DirectiveKind};
use crate::hir::{DirectiveId, Span, Stmt, StmtKind, Unit};

/// A construct of a group.
struct Construct<'h> {
    stmt: &'h Stmt,
    id: DirectiveId,
    construct: Compute,
}

/// Constructs that became one region.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The directive of the region.
    pub directive: DirectiveId,
    /// The region's statements.
    pub span: Span,
    /// Where the directives of its constructs stand, in order.
    pub constructs: Vec<Span>,
}

/// Statements that become one region.
struct Group {
    /// From the first statement to the last, without the directives of the first.
    span: Span,
    /// The new directive's clauses.
    clauses: Vec<Clause>,
    /// What the directives of its constructs become, by their numbers.
    rewritten: Vec<(DirectiveId, Directive)>,
    /// Directives that no statement has any more.
    dropped: Vec<DirectiveId>,
    constructs: Vec<Span>,
}

/// Joins constructs of a unit, apart from groups of which the span is in `apart`.
pub fn merge_constructs(unit: &mut Unit, apart: &[Span]) -> Vec<Merged> {
    let mut made = Vec::new();
    for f in 0..unit.functions.len() {
        let mut groups = Vec::new();
        Finder { unit, f, apart }.within(&unit.functions[f].body, &mut groups);
        for group in groups {
            made.push(apply(unit, f, group));
        }
    }
    made
}

/// Deeper nests are left as they are.
const MAX_DEPTH: u32 = 64;

struct Finder<'h> {
    unit: &'h Unit,
    f: usize,
    apart: &'h [Span],
}

impl<'h> Finder<'h> {
    /// The groups in a statement, the largest that fit.
    fn within(&self, s: &'h Stmt, out: &mut Vec<Group>) {
        self.within_to(s, out, 0);
    }

    fn within_to(&self, s: &'h Stmt, out: &mut Vec<Group>, depth: u32) {
        let is_compute = super::compute_directive(self.unit, s).is_some();
        if depth > MAX_DEPTH || is_compute {
            return;
        }
        if let StmtKind::Block(list) = &s.kind {
            return self.runs(list, out, depth);
        }
        // A loop of the host that is the whole of a `data` construct.
        if self.is_loop_of_data(s)
            && let Some(group) = self.group(std::slice::from_ref(s))
        {
            out.push(group);
            return;
        }
        walk::children(s, &mut |c| self.within_to(c, out, depth + 1));
    }

    /// The groups among statements that follow each other.
    fn runs(&self, list: &'h [Stmt], out: &mut Vec<Group>, depth: u32) {
        let mut at = 0;
        while at < list.len() {
            let mut end = at;
            while end < list.len() && self.is_item(&list[end], false) {
                end += 1;
            }
            let taken = self.longest(&list[at..end], out);
            if taken == 0 {
                self.within_to(&list[at], out, depth + 1);
            }
            at += taken.max(1);
        }
    }

    /// Makes a group of the first statements of a run, as many as fit, and says how many.
    fn longest(&self, run: &'h [Stmt], out: &mut Vec<Group>) -> usize {
        // What the host computes in front of the first construct and behind the last one is
        // none of the region's.
        if run.first().is_none_or(host::is_assignment) {
            return 0;
        }
        for n in (1..=run.len()).rev() {
            if host::is_assignment(&run[n - 1]) {
                continue;
            }
            if let Some(group) = self.group(&run[..n]) {
                out.push(group);
                return n;
            }
        }
        0
    }

    /// Whether a statement can be part of a group: a construct, a loop of the host over such
    /// statements, or what the host computes between them. What is declared `inside` a loop is
    /// of no use behind it.
    fn is_item(&self, s: &Stmt, inside: bool) -> bool {
        if self.construct(s).is_some() {
            return true;
        }
        if !s.directives.is_empty() {
            return false;
        }
        match &s.kind {
            StmtKind::Block(list) => !list.is_empty() && list.iter().all(|s| self.is_item(s, true)),
            StmtKind::For { .. } => self.is_counted(s),
            StmtKind::Decl(_) => inside && host::is_declaration(self.unit, s),
            StmtKind::Expr(_) => host::is_assignment(s) && host::is_own(self.unit, s),
            _ => false,
        }
    }

    fn is_loop_of_data(&self, s: &Stmt) -> bool {
        let is_data = |i: &DirectiveId| self.unit.directive(*i).kind == DirectiveKind::Data;
        let is_for = matches!(s.kind, StmtKind::For { .. });
        is_for && !s.directives.is_empty() && s.directives.iter().all(is_data) && self.is_counted(s)
    }

    /// Whether a statement is a loop of the host, over constructs and what may stand between.
    fn is_counted(&self, s: &Stmt) -> bool {
        let StmtKind::For { body, .. } = &s.kind else {
            return false;
        };
        let only = self.is_item(body, true) && self.has_constructs(body);
        host::is_counting(self.unit, s) && only
    }

    fn has_constructs(&self, s: &Stmt) -> bool {
        let mut all = Vec::new();
        self.constructs(s, &mut all);
        !all.is_empty()
    }

    /// The construct that a statement is, if it may be part of a group.
    fn construct<'s>(&self, s: &'s Stmt) -> Option<Construct<'s>> {
        let (id, construct) = super::compute_directive(self.unit, s)?;
        let d = self.unit.directive(id);
        let DirectiveKind::Compute { combined, .. } = d.kind else {
            return None;
        };
        let is_loop = |i: &DirectiveId| self.unit.directive(*i).kind == DirectiveKind::Loop;
        let others_are_loops = s.directives.iter().all(|i| *i == id || is_loop(i));
        let alone = s.directives.len() == 1;
        let is_for = matches!(s.kind, StmtKind::For { .. });
        let fits = match construct {
            Compute::Kernels => alone,
            // Every gang runs what is not shared among them.
            Compute::Parallel if combined => alone && is_for && is_shared_loop(d),
            Compute::Parallel => {
                let mut loops = s.directives.iter().filter(|i| is_loop(i));
                is_for && loops.any(|i| is_shared_loop(self.unit.directive(*i)))
            }
            Compute::Serial => alone && !combined,
            Compute::Auto => false,
        };
        let plain = d.dialect == Dialect::OpenAcc
            && d.clauses
                .iter()
                .all(|c| allowed(c, combined) && c.device_type.is_empty());
        (fits && plain && others_are_loops).then_some(Construct {
            stmt: s,
            id,
            construct,
        })
    }

    fn constructs<'s>(&self, s: &'s Stmt, out: &mut Vec<Construct<'s>>) {
        match self.construct(s) {
            Some(c) => out.push(c),
            None => walk::children(s, &mut |s| self.constructs(s, out)),
        }
    }

    /// The group of statements, if they mean the same as one region.
    fn group(&self, run: &[Stmt]) -> Option<Group> {
        let mut constructs = Vec::new();
        run.iter().for_each(|s| self.constructs(s, &mut constructs));
        let alone = self.construct(run.first()?).is_some() && run.len() == 1;
        if alone || constructs.is_empty() {
            return None;
        }
        let span = run.first()?.span.to(run.last()?.span);
        if self.apart.contains(&span) {
            return None;
        }
        let body = &self.unit.functions[self.f].body;
        let mut clauses = data::of(self.unit, run, &constructs)?;
        clauses.extend(queue::of(self.unit, run, &constructs)?);
        clauses.extend(reached::of(self.unit, run, &constructs)?);
        let mut group = Group {
            span,
            clauses,
            rewritten: Vec::new(),
            dropped: Vec::new(),
            constructs: Vec::new(),
        };
        for c in &constructs {
            let own = scalars::of(self.unit, body, run.last()?, c)?;
            group.constructs.push(self.unit.directive(c.id).span);
            self.rewrite(c, own, &mut group);
        }
        Some(group)
    }

    /// What the directives of a construct become.
    fn rewrite(&self, c: &Construct, own: Vec<Clause>, group: &mut Group) {
        let d = self.unit.directive(c.id);
        let combined = matches!(d.kind, DirectiveKind::Compute { combined: true, .. });
        let mut of_loop = match combined {
            true => Some(c.id),
            false => None,
        };
        let mut new = Directive {
            kind: DirectiveKind::Loop,
            ..d.clone()
        };
        new.clauses.retain(|k| !is_of_construct(&k.kind));
        group.rewritten.push((c.id, new));
        if !combined {
            group.dropped.push(c.id);
            let others = c.stmt.directives.iter();
            of_loop = others.copied().find(|i| *i != c.id);
        }
        if c.construct != Compute::Parallel {
            return;
        }
        // Every loop directive in a `parallel` construct promises independence (2.9.9).
        walk::stmts(c.stmt, &mut |s| {
            for id in &s.directives {
                let d = self.unit.directive(*id);
                let known = group.rewritten.iter().position(|r| r.0 == *id);
                if d.kind != DirectiveKind::Loop && (!combined || *id != c.id) {
                    continue;
                }
                let i = known.unwrap_or_else(|| {
                    group.rewritten.push((*id, d.clone()));
                    group.rewritten.len() - 1
                });
                let clauses = &mut group.rewritten[i].1.clauses;
                if !clauses.iter().any(|k| says_order(&k.kind)) {
                    clauses.push(clause(ClauseKind::Independent, d.span));
                }
                if of_loop == Some(*id) {
                    clauses.extend(own.iter().cloned());
                }
            }
        });
    }
}

/// Whether a construct with this clause may be part of a group.
fn allowed(c: &Clause, combined: bool) -> bool {
    match &c.kind {
        k if is_of_construct(k) => true,
        ClauseKind::Gang { .. }
        | ClauseKind::Worker(_)
        | ClauseKind::Vector(_)
        | ClauseKind::Auto
        | ClauseKind::Independent
        | ClauseKind::Collapse { .. }
        | ClauseKind::Tile(_)
        | ClauseKind::Reduction { .. }
        | ClauseKind::Private(_) => combined,
        _ => false,
    }
}

/// Whether a clause is the construct's, and none of its loop's.
fn is_of_construct(c: &ClauseKind) -> bool {
    matches!(
        c,
        ClauseKind::Data { .. } | ClauseKind::Default { .. } | ClauseKind::Async(_)
    )
}

fn says_order(c: &ClauseKind) -> bool {
    matches!(
        c,
        ClauseKind::Seq | ClauseKind::Auto | ClauseKind::Independent | ClauseKind::Host(_)
    )
}

fn clause(kind: ClauseKind, span: Span) -> Clause {
    Clause {
        kind,
        span,
        device_type: Vec::new(),
    }
}

/// Makes the group's statements one, under a directive of its own.
fn apply(unit: &mut Unit, f: usize, group: Group) -> Merged {
    let id = DirectiveId(u32::try_from(unit.directives.len()).unwrap_or(u32::MAX));
    let mut body = unit.functions[f].body.clone();
    let first = place(&mut body, &group, id);
    // Where the region's text begins: at the first pragma, or at the loop of the host.
    let start = first.map_or(group.span.start, |d| unit.directive(d).span.start);
    unit.functions[f].body = body;
    for (id, d) in group.rewritten {
        unit.directives[id.0 as usize] = d;
    }
    unit.directives.push(Directive {
        kind: DirectiveKind::Compute {
            construct: Compute::Kernels,
            combined: false,
        },
        clauses: group.clauses,
        span: Span { start, end: start },
        dialect: Dialect::OpenAcc,
    });
    Merged {
        directive: id,
        span: group.span,
        constructs: group.constructs,
    }
}

/// Puts the group's statements into a block without braces; the first directive of the first.
fn place(s: &mut Stmt, group: &Group, id: DirectiveId) -> Option<DirectiveId> {
    let is_whole = s.span == group.span && !s.directives.is_empty();
    if is_whole && matches!(s.kind, StmtKind::For { .. }) {
        s.directives.push(id);
        without(s, &group.dropped);
        return None;
    }
    let StmtKind::Block(list) = &mut s.kind else {
        let mut found = None;
        children_mut(s, &mut |c| {
            if c.span.start <= group.span.start && group.span.end <= c.span.end {
                found = place(c, group, id).or(found);
            }
        });
        return found;
    };
    let Some(first) = list.iter().position(|s| s.span.start == group.span.start) else {
        let around = list
            .iter_mut()
            .find(|c| c.span.start <= group.span.start && group.span.end <= c.span.end);
        return around.and_then(|c| place(c, group, id));
    };
    if list[first].span == group.span && !list[first].directives.is_empty() {
        return place(&mut list[first], group, id);
    }
    let last = list.iter().rposition(|s| s.span.end <= group.span.end);
    let last = last.unwrap_or(first).max(first);
    let begins = list[first].directives.first().copied();
    let mut inside: Vec<Stmt> = list.splice(first..=last, []).collect();
    inside.iter_mut().for_each(|s| without(s, &group.dropped));
    list.insert(
        first,
        Stmt {
            kind: StmtKind::Block(inside),
            span: group.span,
            directives: vec![id],
        },
    );
    begins
}

/// Takes directives from a statement and those in it.
fn without(s: &mut Stmt, dropped: &[DirectiveId]) {
    s.directives.retain(|d| !dropped.contains(d));
    children_mut(s, &mut |c| without(c, dropped));
}

fn children_mut(s: &mut Stmt, f: &mut dyn FnMut(&mut Stmt)) {
    match &mut s.kind {
        StmtKind::Block(list) => list.iter_mut().for_each(f),
        StmtKind::If {
            then, otherwise, ..
        } => {
            f(then);
            otherwise.iter_mut().for_each(|o| f(o));
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }
        | StmtKind::Label(_, body) => f(body),
        StmtKind::Switch { arms, .. } => {
            arms.iter_mut().flat_map(|a| &mut a.body).for_each(f);
        }
        _ => {}
    }
}
