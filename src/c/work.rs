//! Whether a region that was found does so little in a call that the C statement is done before
//! the call would have begun.
//!
//! ```text
//! for (j = 1; j < m - 1; j++) c[j] = a[j] / 9;   =>   ((double)(m)-1.0-1.0)*8.0
//! ```
//!
//! The number stands in front of all else, so that it only reads variables, and members of records that
//! are variables or that the first loop's head goes to by a pointer. It is computed in
//! `double`, in which nothing overflows. The program compares calls by it, too. It counts operations as the text has them, but for what
//! is the same in all iterations of a loop. A bound by the counter of a loop around counts as the
//! widest that it gets. Of loops whose bounds the region computes otherwise it says nothing.

use std::cell::RefCell;
use std::collections::HashSet;

use terrace_c::hir::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, Unit, VarId};
use terrace_c::lower::step_of;
use terrace_c::region::Region;
use terrace_c::types::Type;

use crate::c::visit::{changed, children, declared, expressions, heads, parts};

/// Operations that a core does in the time of a call, times what its own code gains.
pub(in crate::c) const SHORT: f64 = 4096.0;
/// Operations in the time of a division, and of a call of a function.
const DIVISION: f64 = 4.0;
const CALL: f64 = 16.0;
/// The longest test.
const MAX_TEXT: usize = 400;

/// The operations of a call of a region, in C, where they can be counted.
pub(in crate::c) fn work(unit: &Unit, region: &Region) -> Option<String> {
    let body = &unit.functions.get(region.function)?.body;
    work_of(unit, &statements(body, region))
}

fn work_of(unit: &Unit, all: &[&Stmt]) -> Option<String> {
    let mut counter = Counter::of(unit, all);
    counter.reads_members(all);
    let mut sum = Work::default();
    for s in all {
        sum = sum.plus(counter.statement(s, &counter.own)?);
    }
    let sum = sum.text();
    (sum.len() <= MAX_TEXT).then_some(sum)
}

/// The operations of a statement that surely is done before a region would have been called.
pub(in crate::c) fn short(unit: &Unit, s: &Stmt) -> Option<f64> {
    let work = work_of(unit, &[s])?.parse().ok();
    work.filter(|n| *n < SHORT)
}

/// The statements of a region, which may be several in a row.
pub(in crate::c) fn statements<'u>(body: &'u Stmt, region: &Region) -> Vec<&'u Stmt> {
    let (mut found, mut next) = (Vec::new(), vec![body]);
    while let Some(s) = next.pop() {
        if region.span.start <= s.span.start && s.span.end <= region.span.end {
            found.push(s);
        } else if s.span.start < region.span.end && region.span.start < s.span.end {
            next.extend(children(s));
        }
    }
    found
}

/// The variables that a statement declares or changes.
fn own_of(s: &Stmt, own: &mut HashSet<VarId>) {
    let mut all = Vec::new();
    declared(s, &mut all);
    own.extend(all);
    expressions(s, |e| own.extend(changed(e).and_then(variable)));
}

/// A number of operations: a number, and terms in C.
#[derive(Default)]
struct Work {
    number: f64,
    texts: Vec<String>,
}

impl Work {
    fn plus(mut self, other: Work) -> Work {
        self.number += other.number;
        self.texts.extend(other.texts);
        self
    }

    /// The sum in C. It is made in front of each call of a region, so that it is short.
    fn text(self) -> String {
        let mut all = self.texts;
        if all.is_empty() || self.number != 0.0 {
            all.push(format!("{:?}", self.number));
        }
        all.join(" + ")
    }

    /// As often as C says.
    fn times(self, trips: Trips) -> Work {
        match trips {
            Trips::Number(n) => Work {
                number: self.number * n,
                texts: self
                    .texts
                    .iter()
                    .map(|t| format!("{n:?} * ({t})"))
                    .collect(),
            },
            Trips::Text(n) => {
                let text = format!("({n}) * ({})", self.text());
                Work {
                    number: 0.0,
                    texts: vec![text],
                }
            }
        }
    }
}

/// How often a loop runs.
enum Trips {
    Number(f64),
    Text(String),
}

/// How often a loop runs, and between which numbers its counter stays, in C.
struct Counted {
    trips: Trips,
    counter: VarId,
    range: Option<[String; 2]>,
}

pub(in crate::c) struct Counter<'u> {
    unit: &'u Unit,
    /// What the region declares or changes.
    own: HashSet<VarId>,
    /// Where the number is only an estimate: pointers that the statements surely go by, to records whose
    /// members may be read in front of them.
    by_pointers: Option<HashSet<VarId>>,
    /// The counters of the loops around, with the least and the greatest number that each may be.
    counters: RefCell<Vec<(VarId, [String; 2])>>,
}

/// Which end of a range is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Greatest,
}

impl End {
    fn other(self) -> End {
        match self {
            End::Least => End::Greatest,
            End::Greatest => End::Least,
        }
    }
}

impl<'u> Counter<'u> {
    /// Of a region's statements.
    pub fn of(unit: &'u Unit, all: &[&Stmt]) -> Counter<'u> {
        let mut own = HashSet::default();
        for s in all {
            own_of(s, &mut own);
        }
        Counter {
            unit,
            own,
            by_pointers: None,
            counters: RefCell::default(),
        }
    }

    /// Allows members of records, which the region itself may change.
    fn reads_members(&mut self, all: &[&Stmt]) {
        let mut pointers = HashSet::new();
        if let Some(StmtKind::For { init, cond, .. }) = all.first().map(|s| &s.kind) {
            let init = init.iter().flat_map(|s| heads(s));
            for e in init.chain(cond) {
                self.pointers_in(e, &mut pointers);
            }
        }
        self.by_pointers = Some(pointers);
    }

    /// The pointers that computing an expression surely goes by.
    fn pointers_in(&self, e: &Expr, found: &mut HashSet<VarId>) {
        // The rest of these may not be computed.
        let sure = match &e.kind {
            ExprKind::Logical { lhs, .. } => vec![&**lhs],
            ExprKind::Conditional { cond, .. } => vec![&**cond],
            ExprKind::AddressOf(_) => return,
            ExprKind::Deref(p) => {
                found.extend(pointer(p).filter(|v| !self.own.contains(v)));
                parts(e)
            }
            _ => parts(e),
        };
        for part in sure {
            self.pointers_in(part, found);
        }
    }

    /// A member of a record that may be read in front of the statements.
    fn member(&self, base: &Expr, field: usize) -> Option<String> {
        let pointers = self.by_pointers.as_ref()?;
        let name = |v: VarId| &self.unit.var(v).name;
        let object = match &base.kind {
            ExprKind::Var(v) if !self.own.contains(v) => name(*v).clone(),
            ExprKind::Deref(p) => {
                let v = pointer(p).filter(|v| pointers.contains(v))?;
                format!("(*{})", name(v))
            }
            ExprKind::Member { base, field } => self.member(base, *field)?,
            _ => return None,
        };
        let Type::Record(record) = &base.ty else {
            return None;
        };
        let fields = self.unit.records.get(*record)?.fields.as_ref()?;
        let field = fields.get(field).filter(|f| !f.name.is_empty())?;
        Some(format!("{object}.{}", field.name))
    }

    /// Whether an expression only reads what the region leaves alone.
    pub fn is_fixed(&self, e: &Expr) -> bool {
        self.text(e, End::Least).is_some()
    }

    /// Whether this is a step of the variable by one.
    pub fn counts_by_one(&self, step: &Expr, counter: VarId) -> bool {
        step_of(step, &literal) == Some((counter, 1))
    }

    /// The work of a statement in a loop that changes some variables.
    fn statement(&self, s: &Stmt, varies: &HashSet<VarId>) -> Option<Work> {
        if heads(s).into_iter().any(|e| self.calls_loops(e)) {
            return None;
        }
        let own = heads(s).into_iter().map(|e| operations(e, varies));
        let own: f64 = own.map(|(n, _)| n).sum();
        let own = Work {
            number: own,
            texts: Vec::new(),
        };
        match &s.kind {
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let counted = self.counted(init.as_deref()?, cond.as_ref()?, step.as_ref()?)?;
                let mut varies = HashSet::new();
                own_of(s, &mut varies);
                // A body that changes the counter itself may do it anyhow.
                let mut inside = HashSet::new();
                own_of(body, &mut inside);
                let range = counted.range.filter(|_| !inside.contains(&counted.counter));
                let around = self.counters.borrow().len();
                self.counters
                    .borrow_mut()
                    .extend(range.map(|r| (counted.counter, r)));
                let work = self.statement(body, &varies);
                self.counters.borrow_mut().truncate(around);
                // The counter is compared and counted on, which is not much.
                Some(work?.times(counted.trips))
            }
            StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::Switch { .. } => None,
            _ => children(s)
                .into_iter()
                .try_fold(own, |sum, c| Some(sum.plus(self.statement(c, varies)?))),
        }
    }

    /// Whether an expression calls functions that have loops.
    fn calls_loops(&self, e: &Expr) -> bool {
        let called = match &e.kind {
            ExprKind::Call { function, .. } => {
                let mut all = self.unit.functions.iter();
                all.find(|f| f.name == *function)
            }
            _ => None,
        };
        called.is_some_and(|f| has_loops(&f.body))
            || parts(e).into_iter().any(|e| self.calls_loops(e))
    }

    /// Of a loop that counts from one bound to another.
    fn counted(&self, init: &Stmt, cond: &Expr, step: &Expr) -> Option<Counted> {
        let (counter, first) = first_value(init)?;
        let (stepped, by) = step_of(step, &literal).filter(|s| s.1 != 0)?;
        if stepped != counter {
            return None;
        }
        let by = by as f64;
        let ExprKind::Binary { op, lhs, rhs } = &cond.kind else {
            return None;
        };
        let end = match (
            variable(lhs) == Some(counter),
            variable(rhs) == Some(counter),
        ) {
            (true, false) => rhs,
            (false, true) => lhs,
            _ => return None,
        };
        use BinaryOp::{Ge, Gt, Le, Lt, Ne};
        if !matches!(op, Lt | Le | Gt | Ge | Ne) {
            return None;
        }
        let (low, high) = match by > 0.0 {
            true => (first, &**end),
            false => (&**end, first),
        };
        let ends = (self.text(low, End::Least), self.text(high, End::Greatest));
        let trips = if let (ExprKind::Int(low), ExprKind::Int(high)) =
            (&uncast(low).kind, &uncast(high).kind)
        {
            Trips::Number(((high - low) as f64 / by.abs()).max(0.0))
        } else {
            let (low, high) = (ends.0.as_ref()?, ends.1.as_ref()?);
            let span = match &low[..] {
                "0.0" => format!("({high})"),
                _ => format!("({high}) - ({low})"),
            };
            Trips::Text(match by.abs() == 1.0 {
                true => span,
                false => format!("({span}) / {:?}", by.abs()),
            })
        };
        Some(Counted {
            trips,
            counter,
            range: ends.0.zip(ends.1).map(|(low, high)| [low, high]),
        })
    }

    /// The value of an expression that only reads what the region leaves alone, as a `double`, or
    /// the least or greatest that it is by the counters of the loops around.
    fn text(&self, e: &Expr, end: End) -> Option<String> {
        match &e.kind {
            ExprKind::Int(n) => Some(format!("{:?}", *n as f64)),
            ExprKind::Var(v) if self.own.contains(v) => {
                let counters = self.counters.borrow();
                let (_, [least, greatest]) = counters.iter().rev().find(|c| c.0 == *v)?;
                Some(match end {
                    End::Least => least.clone(),
                    End::Greatest => greatest.clone(),
                })
            }
            ExprKind::Var(v) => {
                let var = self.unit.var(*v);
                var.ty.is_integer().then(|| format!("(double){}", var.name))
            }
            ExprKind::Member { base, field } if e.ty.is_integer() => {
                Some(format!("(double){}", self.member(base, *field)?))
            }
            ExprKind::Cast(x) if e.ty.is_integer() => self.text(x, end),
            ExprKind::Neg(x) => Some(format!("-({})", self.text(x, end.other())?)),
            ExprKind::Binary { op, lhs, rhs } => {
                let symbol = match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => op.symbol(),
                    // Another number may be 0 where the loop does not come to it.
                    BinaryOp::Div if matches!(uncast(rhs).kind, ExprKind::Int(n) if n != 0) => "/",
                    _ => return None,
                };
                // A product of what moves with counters may be the greatest anywhere.
                let fixed = |e: &Expr| self.text(e, End::Least) == self.text(e, End::Greatest);
                let moves = matches!(op, BinaryOp::Mul | BinaryOp::Div);
                if moves && !(fixed(lhs) && fixed(rhs)) {
                    return None;
                }
                let right = match op {
                    BinaryOp::Sub => end.other(),
                    _ => end,
                };
                Some(format!(
                    "({}) {symbol} ({})",
                    self.text(lhs, end)?,
                    self.text(rhs, right)?
                ))
            }
            _ => None,
        }
    }
}

fn has_loops(s: &Stmt) -> bool {
    use StmtKind::{DoWhile, For, While};
    matches!(s.kind, For { .. } | While { .. } | DoWhile { .. })
        || children(s).into_iter().any(has_loops)
}

fn literal(e: &Expr) -> Option<i64> {
    match uncast(e).kind {
        ExprKind::Int(n) => i64::try_from(n).ok(),
        _ => None,
    }
}

pub(in crate::c) fn uncast(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Cast(x) => uncast(x),
        _ => e,
    }
}

pub(in crate::c) fn variable(e: &Expr) -> Option<VarId> {
    match uncast(e).kind {
        ExprKind::Var(v) => Some(v),
        _ => None,
    }
}

/// The pointer that is gone by as it is: behind a cast it would point to something else.
fn pointer(e: &Expr) -> Option<VarId> {
    match e.kind {
        ExprKind::Var(v) => Some(v),
        _ => None,
    }
}

/// What a loop counts with, and where it begins.
pub(in crate::c) fn first_value(init: &Stmt) -> Option<(VarId, &Expr)> {
    match &init.kind {
        StmtKind::Expr(e) => match &e.kind {
            ExprKind::Assign { target, value } => Some((variable(target)?, value)),
            _ => None,
        },
        StmtKind::Decl(vars) => match &vars[..] {
            [(v, Some(terrace_c::hir::Init::Expr(e)))] => Some((*v, e)),
            _ => None,
        },
        _ => None,
    }
}

/// The operations of an expression in a loop that changes some variables, and whether they are
/// others in each iteration. What is not is computed in front of the loop.
fn operations(e: &Expr, varies: &HashSet<VarId>) -> (f64, bool) {
    let (own, mut other) = match &e.kind {
        ExprKind::Binary {
            op: BinaryOp::Div | BinaryOp::Rem,
            ..
        } => (DIVISION, false),
        ExprKind::Call { .. } => (CALL, true),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Cast(_) | ExprKind::Decay(_) => {
            (0.0, false)
        }
        ExprKind::Var(v) => (0.0, varies.contains(v)),
        ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. } => {
            (1.0, true)
        }
        _ => (1.0, false),
    };
    let mut sum = own;
    for part in parts(e) {
        let (n, differs) = operations(part, varies);
        sum += n;
        other |= differs;
    }
    match other {
        true => (sum, true),
        false => (0.0, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The work of the last statement of a function.
    fn of(text: &str) -> Option<String> {
        let (unit, _) = terrace_c::read(text.to_string()).unwrap();
        let body = &unit.functions[0].body;
        let all = children(body);
        work_of(&unit, &[all.last().copied().unwrap()])
    }

    const RECORD: &str = "struct image { int w, h; float *p; };\n";

    #[test]
    fn bounds_may_be_members_of_records_that_the_first_head_goes_to() {
        let work = of(&format!(
            "{RECORD}void f(struct image *x) {{
               for (int i = 0; i < x->h; i++)
                 for (int j = 0; j < x->w; j++) x->p[i * x->w + j] = 1;
             }}"
        ));
        let work = work.unwrap();
        assert!(
            work.contains("(double)(*x).h") && work.contains("(double)(*x).w"),
            "{work}"
        );
        let by_value = of(&format!(
            "{RECORD}void f(struct image x, struct image *k) {{
               for (int i = 0; i < x.h * k->h; i++) x.p[i] = k->w;
             }}"
        ));
        let by_value = by_value.unwrap();
        assert!(
            by_value.contains("(double)x.h") && by_value.contains("(double)(*k).h"),
            "{by_value}"
        );
    }

    #[test]
    fn a_record_that_may_not_be_there_is_not_read() {
        let inside = of(&format!(
            "{RECORD}void f(struct image *x, struct image *k) {{
               for (int i = 0; i < x->h; i++)
                 for (int j = 0; j < k->w; j++) x->p[i] += j;
             }}"
        ));
        assert_eq!(inside, None);
        let perhaps = of(&format!(
            "{RECORD}void f(struct image *k, int n) {{
               for (int i = 0; i < (n > 0 ? k->h : 0); i++)
                 for (int j = 0; j < k->w; j++) k->p[i] += j;
             }}"
        ));
        assert_eq!(perhaps, None);
    }

    #[test]
    fn a_pointer_to_something_else_is_not_gone_by() {
        let cast = of(&format!(
            "{RECORD}void f(void *q, float *p) {{
               for (int i = 0; i < ((struct image *)q)->h; i++) p[i] = 1;
             }}"
        ));
        assert_eq!(cast, None);
    }
}
