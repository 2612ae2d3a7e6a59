//! Regions that no directive asks for: what `--auto` looks for.
//!
//! Candidates are outermost `for` statements, other loops that may count, and runs of consecutive ones with
//! assignments between them; where a run is refused its loops are tried one by one, and
//! of a loop that is refused what is in it. A candidate is taken if it can be lowered,
//! some loop of it is parallel, nothing that it calls is unknown, and for each array it
//! is known which part is touched: all of it, where it is an array object or a
//! parameter declared with its sizes, or what the function of the extents computes.
//! Whether a region that is taken pays is another matter ([`crate::c::compile`]).
//!
//! Functions that say something about data, and those with pragmas of others, which
//! may want a loop to stay where it stands, are left alone. OpenMP's are none where the
//! compiler is not told to read them.

use terrace_c::directive::{Compute, DirectiveKind};
use terrace_c::hir::{ExprKind, Function, Span, Stmt, StmtKind, Unit};
use terrace_c::lower::{RegionRequest, lower_region, may_count};
use terrace_c::region::{Region, Size};

use super::compile::fits;
use super::visit::{children, expressions};
use super::work;
use crate::ir::verify::verify;
use crate::ir::{Context, Op};
use crate::passes::region::notes::{Construct, Reason, RegionNotes};

/// What was found.
#[derive(Debug, Default)]
pub struct FoundRegions {
    pub regions: Vec<Region>,
    /// Loops that were looked at and stay on the host, and why.
    pub declined: Vec<RegionNotes>,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Sums of floats may be computed in any order.
    pub reassociate: bool,
    /// The compiler follows OpenMP's pragmas.
    pub openmp: bool,
    /// Also loops that are done before a region would have been called.
    pub short: bool,
}

/// Puts runs of loops into blocks of their own, which have no braces in the text, so
/// that each can be a region.
pub fn group(unit: &mut Unit, how: Wanted) {
    let open = |f| closed(unit, f, how).is_none();
    let wanted: Vec<bool> = unit.functions.iter().map(open).collect();
    for (f, wanted) in unit.functions.iter_mut().zip(wanted) {
        if wanted {
            group_in(&mut f.body, 0);
        }
    }
}

/// Deeper nests are left as they are.
const MAX_DEPTH: u32 = 64;

fn group_in(s: &mut Stmt, depth: u32) {
    if depth > MAX_DEPTH || !s.directives.is_empty() {
        return;
    }
    match &mut s.kind {
        StmtKind::Block(list) => {
            list.iter_mut().for_each(|s| group_in(s, depth + 1));
            let old = std::mem::take(list);
            *list = runs(old);
        }
        StmtKind::If {
            then, otherwise, ..
        } => {
            group_in(then, depth + 1);
            if let Some(o) = otherwise {
                group_in(o, depth + 1);
            }
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => group_in(body, depth + 1),
        _ => {}
    }
}

fn runs(old: Vec<Stmt>) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = Vec::new();
    let mut run: Vec<Stmt> = Vec::new();
    for s in old {
        if is_loop(&s) || (!run.is_empty() && is_assignment(&s)) {
            run.push(s);
        } else {
            close(&mut run, &mut out);
            out.push(s);
        }
    }
    close(&mut run, &mut out);
    out
}

/// Moves a run to the statements around it, as a block if it has several loops.
fn close(run: &mut Vec<Stmt>, out: &mut Vec<Stmt>) {
    let end = run.iter().rposition(is_loop).map_or(0, |i| i + 1);
    let behind = run.split_off(end);
    match (run.first(), run.last()) {
        (Some(first), Some(last)) if run.len() > 1 => {
            let span = first.span.to(last.span);
            out.push(Stmt {
                kind: StmtKind::Block(std::mem::take(run)),
                span,
                directives: Vec::new(),
            });
        }
        _ => out.append(run),
    }
    out.extend(behind);
}

fn is_loop(s: &Stmt) -> bool {
    may_count(s) && s.directives.is_empty()
}

fn is_assignment(s: &Stmt) -> bool {
    let StmtKind::Expr(e) = &s.kind else {
        return false;
    };
    let assigns = matches!(
        e.kind,
        ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. }
    );
    let mut plain = true;
    expressions(s, |e| {
        plain &= !matches!(e.kind, ExprKind::Call { .. } | ExprKind::Unsupported(_));
    });
    assigns && plain && s.directives.is_empty()
}

/// Why no regions are looked for in a function.
fn closed(unit: &Unit, f: &Function, how: Wanted) -> Option<Reason> {
    let here = |s: Span| f.span.start <= s.start && s.end <= f.span.end;
    let place = |s: Span| unit.source.loc(s.start as usize);
    if !unit.source.is_main(f.span.start as usize) {
        let text = "the function stands in a header".to_string();
        return Some(Reason::new(place(f.span), text));
    }
    let of_data = unit.directives.iter().filter(|d| here(d.span)).find(|d| {
        !matches!(
            d.kind,
            DirectiveKind::Compute { .. }
                | DirectiveKind::Scop
                | DirectiveKind::Loop
                | DirectiveKind::Target(_)
                | DirectiveKind::Host
                | DirectiveKind::Schedule(_)
        )
    });
    if let Some(d) = of_data {
        let text = "directives of the function say already what is moved".to_string();
        return Some(Reason::new(place(d.span), text));
    }
    let asked = f.directives.iter().map(|id| unit.directive(*id));
    let mut asked =
        asked.filter(|d| matches!(d.kind, DirectiveKind::Host | DirectiveKind::Target(_)));
    if let Some(d) = asked.next() {
        let text = "a directive before the function says where it runs".to_string();
        return Some(Reason::new(place(d.span), text));
    }
    let mut pragmas = unit.source.pragmas().iter().filter(|p| here(p.span));
    let foreign = pragmas.find_map(|p| {
        let first = p.text.split_whitespace().next().unwrap_or_default();
        let heard = match first {
            "acc" | "scop" | "endscop" | "terrace" => false,
            "omp" => how.openmp,
            _ => true,
        };
        heard.then_some((p, first))
    });
    foreign.map(|(p, first)| {
        let text =
            format!("the function has a `#pragma {first}`, whose loop has to stay where it stands");
        Reason::new(place(p.span), text)
    })
}

/// Finds the regions of a unit, whose runs are [`group`]ed, and adds their functions to
/// `module`. `taken` counts the regions that directives make of a function.
pub fn find(
    ctx: &mut Context,
    module: Op,
    unit: &Unit,
    taken: impl Fn(&str) -> usize,
    how: Wanted,
) -> FoundRegions {
    let mut finder = Finder {
        ctx,
        module,
        unit,
        reassociate: how.reassociate,
        short: how.short,
        function: 0,
        next: 0,
        found: FoundRegions::default(),
    };
    for (i, f) in unit.functions.iter().enumerate() {
        if let Some(why) = closed(unit, f, how) {
            finder.left_alone(f, &why);
            continue;
        }
        finder.function = i;
        finder.next = taken(&f.name);
        finder.within(&f.body, 0);
    }
    finder.found
}

struct Finder<'a> {
    ctx: &'a mut Context,
    module: Op,
    unit: &'a Unit,
    reassociate: bool,
    short: bool,
    /// The function that is looked at, and the number of its next region.
    function: usize,
    next: usize,
    found: FoundRegions,
}

impl Finder<'_> {
    /// Looks at a statement and, where it is no region, at what is in it. Whether
    /// anything was taken.
    fn within(&mut self, s: &Stmt, depth: u32) -> bool {
        if !s.directives.is_empty() || depth > MAX_DEPTH {
            return false;
        }
        let run = matches!(&s.kind, StmtKind::Block(l) if l.len() > 1 && is_loop(&l[0])
            && l.last().is_some_and(is_loop) && self.is_bare(s));
        let mut why = None;
        if (is_loop(s) || run) && !self.has_directives(s) {
            match self.candidate(s) {
                Ok(()) => return true,
                Err(notes) => why = notes,
            }
        }
        let mut any = false;
        for child in children(s) {
            any |= self.within(child, depth + 1);
        }
        // Of what was refused the largest statement says why, unless that is a run,
        // whose loops do.
        if let Some(notes) = why.filter(|_| !any && !run) {
            let inside = |n: &RegionNotes| !within(s.span, self.unit, n);
            self.found.declined.retain(inside);
            self.found.declined.push(*notes);
        }
        any
    }

    /// Says why no regions are looked for in a function, at its first loop.
    fn left_alone(&mut self, f: &Function, why: &Reason) {
        if !self.unit.source.is_main(f.span.start as usize) {
            return;
        }
        if let Some(s) = first_loop(&f.body, 0) {
            self.found.declined.push(RegionNotes {
                name: format!("{}.region", f.name),
                construct: Construct::Auto,
                place: self.unit.source.loc(s.span.start as usize),
                declined: Some(why.clone()),
                ..RegionNotes::default()
            });
        }
    }

    /// Whether a block has no braces: it was made by [`group`].
    fn is_bare(&self, s: &Stmt) -> bool {
        !self.unit.text(s.span).trim_start().starts_with('{')
    }

    fn has_directives(&self, s: &Stmt) -> bool {
        let inside = |d: &Span| s.span.start <= d.start && d.end <= s.span.end;
        self.unit.directives.iter().any(|d| inside(&d.span))
    }

    /// Takes a statement, or says why not; nothing where it cannot even be lowered and
    /// has no loop that would be worth a word.
    fn candidate(&mut self, s: &Stmt) -> Result<(), Option<Box<RegionNotes>>> {
        let f = &self.unit.functions[self.function];
        let name = format!("{}.region{}", f.name, self.next);
        let request = RegionRequest {
            name: &name,
            function: self.function,
            stmt: s,
            directive: None,
            construct: Compute::Auto,
        };
        let place = self.unit.source.loc(s.span.start as usize);
        let declined = |notes: RegionNotes| {
            Some(Box::new(RegionNotes {
                name: name.clone(),
                construct: Construct::Auto,
                place: place.clone(),
                ..notes
            }))
        };
        let because = |reason: Reason| RegionNotes {
            declined: Some(reason),
            ..RegionNotes::default()
        };
        if let Some(reason) = self.unit.source.dialect().refusal(s.span) {
            let reason = Reason::new(place.clone(), reason.to_string());
            return Err(declined(because(reason)));
        }
        if let Some(n) = work::short(self.unit, s).filter(|_| !self.short) {
            let text =
                format!("it does some {n} operations, and is done before it would be called");
            return Err(declined(because(Reason::new(place.clone(), text))));
        }
        let (op, region) = match lower_region(self.ctx, self.module, self.unit, &request) {
            Ok(made) => made,
            Err(kept) => {
                let at = self.unit.source.loc(kept.span.start as usize);
                let reason = Reason::new(at, kept.reason);
                return Err(declined(because(reason)));
            }
        };
        let before = self.ctx.take_diagnostics();
        let verified = verify(self.ctx, op);
        self.ctx.take_diagnostics();
        self.ctx.restore_diagnostics(before);
        let fitting = match verified {
            true => {
                let whole: Vec<bool> = region
                    .captures
                    .iter()
                    .map(|c| c.array().is_none_or(|a| is_whole(&a.sizes, a.is_pointer)))
                    .collect();
                fits(self.ctx, self.module, &name, &whole, self.reassociate)
            }
            false => {
                let text = "a fault of terrace's own".to_string();
                let place = place.clone();
                Err(Box::new(because(Reason { place, text })))
            }
        };
        match fitting {
            Ok(()) => {
                self.next += 1;
                self.found.regions.push(region);
                Ok(())
            }
            Err(notes) => {
                op.erase(self.ctx);
                Err(declined(*notes))
            }
        }
    }
}

/// The first loop that is under no directive.
fn first_loop(s: &Stmt, depth: u32) -> Option<&Stmt> {
    if depth > MAX_DEPTH || !s.directives.is_empty() {
        return None;
    }
    match is_loop(s) {
        true => Some(s),
        false => children(s)
            .into_iter()
            .find_map(|c| first_loop(c, depth + 1)),
    }
}

/// Whether the size of an array is known without looking at what is touched.
fn is_whole(sizes: &[Size], is_pointer: bool) -> bool {
    match sizes.first() {
        Some(Size::Const(_)) => true,
        Some(Size::Text(_)) => !is_pointer,
        _ => false,
    }
}

/// Whether the place of a note lies in a span.
fn within(span: Span, unit: &Unit, n: &RegionNotes) -> bool {
    use terrace_ir::diag::DiagLoc;
    let pos = |l: &DiagLoc| match l {
        DiagLoc::Pos { line, column, .. } => Some((*line, *column)),
        _ => None,
    };
    let start = pos(&unit.source.loc(span.start as usize));
    let end = pos(&unit.source.loc(span.end.saturating_sub(1) as usize));
    match (start, end, pos(&n.place)) {
        (Some(a), Some(b), Some(at)) => a <= at && at <= b,
        _ => false,
    }
}
