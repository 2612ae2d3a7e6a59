//! What is known of the values inside a nest of loops, as forms over numbers from outside.

use super::Wants;
use super::form::Form;
use crate::analysis::captured::is_inside;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{
    AddIOp, AndIOp, CmpIOp, CmpIPredicate, MaxSIOp, MinSIOp, MulIOp, SubIOp,
};
use terrace_dialects::memref::{AllocOp, DimOp};
use terrace_dialects::scf::{ForOp, IfOp, ParallelOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Value};

/// How deep expressions are followed.
const MAX_DEPTH: u32 = 12;
/// How many ways of bounding a form are tried.
const MAX_WAYS: usize = 6;
/// How many conditions on outer counters are taken from that an inner loop runs.
const MAX_DERIVED: usize = 16;

/// What a number in a form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    /// The counter of a loop of the nest.
    Counter(Value),
    /// A value from outside the nest.
    Value(Value),
    /// A size that the type of an array from outside leaves open.
    Size(Value, usize),
}

pub struct CheckedNest {
    root: Op,
    numbers: Vec<Number>,
    ids: FxHashMap<Number, usize>,
    /// The counters of the loops around the access that is looked at.
    counters: Vec<Value>,
}

/// A counter with forms that it is not below and not above.
struct Range {
    counter: usize,
    lowest: Vec<Form>,
    highest: Vec<Form>,
}

impl CheckedNest {
    pub fn new(_: &Context, root: Op) -> CheckedNest {
        CheckedNest {
            root,
            numbers: Vec::new(),
            ids: FxHashMap::default(),
            counters: Vec::new(),
        }
    }

    /// What a number is.
    pub fn number(&self, id: usize) -> Number {
        self.numbers[id]
    }

    fn id(&mut self, number: Number) -> usize {
        let next = self.numbers.len();
        let id = *self.ids.entry(number).or_insert(next);
        if id == next {
            self.numbers.push(number);
        }
        id
    }

    fn is_counter(&self, id: usize) -> bool {
        matches!(self.numbers[id], Number::Counter(_))
    }

    /// Whether a value is there before the nest begins.
    fn is_outside(&self, ctx: &Context, v: Value) -> bool {
        !is_inside(ctx, self.root, v)
    }

    /// A value as a form over counters and numbers from outside.
    fn form(&mut self, ctx: &Context, v: Value, depth: u32) -> Option<Form> {
        if let Some(c) = ctx.constant_int(v) {
            return Form::constant(c);
        }
        if !v.ty(ctx).is_index(ctx) || depth == 0 {
            return None;
        }
        if self.counters.contains(&v) {
            return Some(Form::of(self.id(Number::Counter(v))));
        }
        let sum = self.sum(ctx, v, depth);
        if sum.is_some() {
            return sum;
        }
        self.is_outside(ctx, v)
            .then(|| Form::of(self.id(Number::Value(v))))
    }

    /// A value that an op computes from others, or that is the size of an array.
    fn sum(&mut self, ctx: &Context, v: Value, depth: u32) -> Option<Form> {
        let op = v.def_op()?;
        if let Some(dim) = op.cast::<DimOp>(ctx) {
            let k = usize::try_from(ctx.constant_int(dim.index(ctx))?).ok()?;
            return self.size(ctx, dim.source(ctx), k, depth - 1);
        }
        let product = op.isa::<MulIOp>(ctx);
        let sign = match op {
            _ if op.isa::<AddIOp>(ctx) => 1,
            _ if op.isa::<SubIOp>(ctx) => -1,
            _ if product => 0,
            _ => return None,
        };
        let a = self.form(ctx, op.operand(ctx, 0), depth - 1)?;
        let b = self.form(ctx, op.operand(ctx, 1), depth - 1)?;
        if !product {
            return a.plus(sign, &b);
        }
        match (a.known(), b.known()) {
            (Some(c), _) => b.times(c),
            (_, Some(c)) => a.times(c),
            _ => None,
        }
    }

    /// The size of an array in a dimension.
    fn size(&mut self, ctx: &Context, array: Value, k: usize, depth: u32) -> Option<Form> {
        let shape = array.ty(ctx).shape(ctx)?;
        let size = *shape.get(k)?;
        if size != DYNAMIC {
            return Form::constant(size);
        }
        let nth = shape[..k].iter().filter(|d| **d == DYNAMIC).count();
        if !self.is_outside(ctx, array) {
            return None;
        }
        let made = array.def_op().and_then(|o| o.cast::<AllocOp>(ctx));
        if let Some(made) = made
            && depth > 0
            && let Some(given) = made.dynamic_sizes(ctx).get(nth)
        {
            return self.form(ctx, *given, depth);
        }
        Some(Form::of(self.id(Number::Size(array, k))))
    }

    /// What has to hold for `access` to be within `array` whenever it happens; none where
    /// that cannot be said.
    pub fn wants(
        &mut self,
        ctx: &Context,
        access: Op,
        array: Value,
        subscripts: &[Value],
    ) -> Option<Wants> {
        let (ranges, conditions) = self.surroundings(ctx, access);
        let mut any = Vec::new();
        let mut guarded = false;
        for (k, subscript) in subscripts.iter().enumerate() {
            let at = self.form(ctx, *subscript, MAX_DEPTH)?;
            let size = self.size(ctx, array, k, MAX_DEPTH)?;
            let room = size.plus(-1, &at)?.plus(1, &Form::constant(-1)?)?;
            guarded |= !self.is_plain(&at) || !self.is_plain(&size);
            for least in [at, room] {
                let mut ways = Vec::new();
                self.least(&least, &ranges, &mut ways, &mut guarded);
                if ways.iter().any(|w| w.known().is_some_and(|c| c >= 0)) {
                    continue;
                }
                ways.retain(|w| w.known().is_none());
                if ways.is_empty() {
                    return None;
                }
                any.push(ways);
            }
        }
        guarded |= conditions;
        Some(Wants {
            access,
            any,
            guarded,
        })
    }

    /// The ranges of the counters around an op, the innermost first, as its conditions
    /// have them too; whether some form in them is not plain.
    fn surroundings(&mut self, ctx: &Context, access: Op) -> (Vec<Range>, bool) {
        let mut around = Vec::new();
        let mut inner = access;
        while let Some(outer) = inner.parent(ctx).filter(|_| inner != self.root) {
            around.push((outer, inner));
            inner = outer;
        }
        self.counters.clear();
        for (op, _) in &around {
            if let Some(f) = op.cast::<ForOp>(ctx) {
                if !f.is_unsigned(ctx) {
                    self.counters.push(f.induction_var(ctx));
                }
            } else if let Some(p) = op.cast::<ParallelOp>(ctx) {
                self.counters.extend(p.induction_vars(ctx));
            }
        }
        let mut odd = false;
        // From the outermost inwards: a bound is a sum of counters further out, and must not
        // wrap.
        let mut ranges: Vec<Range> = Vec::new();
        for (op, _) in around.iter().rev() {
            let mut loops = Vec::new();
            if let Some(f) = op.cast::<ForOp>(ctx) {
                if !f.is_unsigned(ctx) {
                    let bounds = (f.lower_bound(ctx), f.upper_bound(ctx), f.step(ctx));
                    loops.push(self.range(ctx, f.induction_var(ctx), bounds));
                }
            } else if let Some(p) = op.cast::<ParallelOp>(ctx) {
                let ivs = p.induction_vars(ctx);
                let bounds = p.lower_bounds(ctx).into_iter().zip(p.upper_bounds(ctx));
                for ((iv, (l, u)), s) in ivs.into_iter().zip(bounds).zip(p.steps(ctx)) {
                    loops.push(self.range(ctx, iv, (l, u, s)));
                }
            }
            for mut range in loops {
                let mut fits = |f: &Form| self.is_bounded(f, &ranges, &mut odd);
                range.lowest.retain(&mut fits);
                range.highest.retain(&mut fits);
                ranges.insert(0, range);
            }
        }
        let mut known: Vec<Form> = Vec::new();
        for (op, from) in around {
            if let Some(i) = op.cast::<IfOp>(ctx) {
                let then = from.block(ctx) == Some(i.then_block(ctx));
                let at = (&ranges[..], &mut odd);
                self.condition(ctx, (i.condition(ctx), then), at, MAX_DEPTH, &mut known);
            }
        }
        // What is known of a counter bounds it; that an inner loop runs is a condition too.
        for range in &mut ranges {
            let (mine, others) = known
                .into_iter()
                .partition(|f: &Form| f.factor(range.counter) != 0);
            known = others;
            for f in mine {
                let factor = f.factor(range.counter);
                let rest = f.plus(-factor, &Form::of(range.counter));
                match (factor, rest) {
                    (1, Some(rest)) => range.lowest.extend(rest.times(-1)),
                    (-1, Some(rest)) => range.highest.push(rest),
                    _ => {}
                }
            }
            let mut derived = 0;
            for l in &range.lowest {
                for h in &range.highest {
                    let runs = h.plus(-1, l);
                    if let Some(f) = runs.filter(|f| f.known().is_none())
                        && derived < MAX_DERIVED
                    {
                        derived += 1;
                        known.push(f);
                    }
                }
            }
        }
        let all = ranges
            .iter()
            .flat_map(|r| r.lowest.iter().chain(&r.highest));
        odd |= all.into_iter().any(|f| !self.is_plain(f));
        (ranges, odd)
    }

    /// Whether the sum that a form stands for is surely the number that the program
    /// computes: it has ends, which are forms of limited size.
    fn is_bounded(&self, form: &Form, ranges: &[Range], guarded: &mut bool) -> bool {
        let Some(negated) = form.times(-1) else {
            return false;
        };
        [form, &negated].into_iter().all(|f| {
            let (mut ways, mut odd) = (Vec::new(), false);
            self.least(f, ranges, &mut ways, &mut odd);
            // Turned over, a plain form is as plain as before.
            *guarded |= ways.iter().any(|w| {
                let plain = |w: Option<Form>| w.is_some_and(|w| self.is_plain(&w));
                !plain(Some(w.clone())) && !plain(w.times(-1))
            });
            !ways.is_empty()
        })
    }

    /// The range of a counter from the bounds of its loop.
    fn range(
        &mut self,
        ctx: &Context,
        counter: Value,
        (lower, upper, step): (Value, Value, Value),
    ) -> Range {
        let mut lowest = Vec::new();
        let mut highest = Vec::new();
        self.alternatives::<MaxSIOp>(ctx, lower, MAX_DEPTH, &mut lowest);
        self.alternatives::<MinSIOp>(ctx, upper, MAX_DEPTH, &mut highest);
        let step = ctx.constant_int(step).filter(|s| *s > 0).unwrap_or(1);
        let start = match &lowest[..] {
            [only] => Some(only.clone()),
            _ => None,
        };
        let last = |end: &Form| {
            // Where the distance is a multiple of the step the last one is a step before
            // the end; otherwise it is before the end.
            let back = match start.as_ref().and_then(|s| end.plus(-1, s)) {
                Some(far) if far.terms.iter().all(|(_, f)| f % step == 0) => {
                    // The distance and this have the same remainder.
                    match far.constant.rem_euclid(step) {
                        0 => step,
                        rest => rest,
                    }
                }
                _ => 1,
            };
            end.plus(1, &Form::constant(-back)?)
        };
        let highest = highest.iter().filter_map(last).collect();
        Range {
            counter: self.id(Number::Counter(counter)),
            lowest,
            highest,
        }
    }

    /// The forms of which a bound is the greatest (`K` being a maximum) or the least; some
    /// may be missing.
    fn alternatives<K: OpKind>(
        &mut self,
        ctx: &Context,
        v: Value,
        depth: u32,
        out: &mut Vec<Form>,
    ) {
        if depth == 0 || out.len() >= MAX_WAYS {
            return;
        }
        match v.def_op().filter(|o| o.isa::<K>(ctx)) {
            Some(op) => {
                for operand in op.operands(ctx) {
                    self.alternatives::<K>(ctx, operand, depth - 1, out);
                }
                // Computed outside, it is a number as any other as well.
                if self.is_outside(ctx, v) {
                    out.push(Form::of(self.id(Number::Value(v))));
                }
            }
            None => out.extend(self.form(ctx, v, depth)),
        }
    }

    /// Forms that are not negative where `condition` is `holds`.
    fn condition(
        &mut self,
        ctx: &Context,
        (condition, holds): (Value, bool),
        (ranges, odd): (&[Range], &mut bool),
        depth: u32,
        out: &mut Vec<Form>,
    ) {
        let Some(op) = condition.def_op().filter(|_| depth > 0) else {
            return;
        };
        if op.isa::<AndIOp>(ctx) && holds {
            for operand in op.operands(ctx) {
                self.condition(ctx, (operand, true), (ranges, &mut *odd), depth - 1, out);
            }
            return;
        }
        let Some(compare) = op.cast::<CmpIOp>(ctx) else {
            return;
        };
        let a = self.form(ctx, op.operand(ctx, 0), depth - 1);
        let b = self.form(ctx, op.operand(ctx, 1), depth - 1);
        let (Some(a), Some(b), Some(p)) = (a, b, compare.predicate(ctx)) else {
            return;
        };
        if ![&a, &b]
            .into_iter()
            .all(|f| self.is_bounded(f, ranges, odd))
        {
            return;
        }
        use CmpIPredicate::*;
        // `greater - less - gap` is not negative.
        let mut push = |greater: &Form, less: &Form, gap: i64| {
            let gap = Form::constant(-gap);
            out.extend(gap.and_then(|g| greater.plus(-1, less)?.plus(1, &g)));
        };
        match (p, holds) {
            (Slt, true) | (Sge, false) => push(&b, &a, 1),
            (Sle, true) | (Sgt, false) => push(&b, &a, 0),
            (Sgt, true) | (Sle, false) => push(&a, &b, 1),
            (Sge, true) | (Slt, false) => push(&a, &b, 0),
            (Eq, true) | (Ne, false) => {
                push(&a, &b, 0);
                push(&b, &a, 0);
            }
            _ => {}
        }
    }

    /// Forms over numbers from outside that `form` is not below; each is one way to say so.
    fn least(&self, form: &Form, ranges: &[Range], out: &mut Vec<Form>, guarded: &mut bool) {
        if out.len() >= MAX_WAYS {
            return;
        }
        let Some((range, outer)) = ranges.split_first() else {
            if form.terms.iter().all(|(n, _)| !self.is_counter(*n)) && !out.contains(form) {
                *guarded |= !self.is_plain(form);
                out.push(form.clone());
            }
            return;
        };
        let factor = form.factor(range.counter);
        if factor == 0 {
            return self.least(form, outer, out, guarded);
        }
        let ends = match factor > 0 {
            true => &range.lowest,
            false => &range.highest,
        };
        for end in ends {
            let without = form.plus(-factor, &Form::of(range.counter));
            let at_end = without.and_then(|f| f.plus(factor, end));
            if let Some(f) = at_end {
                self.least(&f, outer, out, guarded);
            }
        }
    }

    /// Whether a form has at most one number from outside, as it is. Its sums then wrap
    /// only for sizes that no array has.
    fn is_plain(&self, form: &Form) -> bool {
        let mut outside = form.terms.iter().filter(|(n, _)| !self.is_counter(*n));
        let first = outside.next();
        first.is_none_or(|(_, f)| *f == 1) && outside.next().is_none()
    }

    /// All numbers from outside that some form may have.
    pub fn outside(&self) -> impl Iterator<Item = Number> + '_ {
        let all = self.numbers.iter().copied();
        all.filter(|n| !matches!(n, Number::Counter(_)))
    }
}
