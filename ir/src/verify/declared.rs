//! What the declaration of an op says of its operands, results, attributes,
//! regions and successors.

use super::Verifier;
use crate::attr::{Attr, AttrData};
use crate::constraint::Arity;
use crate::context::Context;
use crate::op::Op;
use crate::opdef::{OpAttrPlace, OpDef, RegionKind, ValueDef, traits as t};

use crate::types::Type;
use std::ops::Range;

impl Verifier<'_> {
    /// Everything that can be said of `op` without looking into its regions.
    pub(super) fn check_op(&mut self, op: Op, def: Option<&'static OpDef>) {
        let ctx = self.ctx;
        let before = self.errors;
        self.check_dialect_attrs(op, def);
        if op.num_successors(ctx) > 0 {
            self.check_successor_place(op);
        }
        let Some(def) = def else { return };
        if self.stop(before) {
            return;
        }
        let (mut operands, mut results) = (
            std::mem::take(&mut self.operand_types),
            std::mem::take(&mut self.result_types),
        );
        operands.clear();
        results.clear();
        {
            let o = op.0.deref(&ctx.ir);
            operands.extend(o.operand_types(&ctx.ir).map(Type));
            results.extend(o.result_types().map(Type));
        }
        self.check_declared(op, def, &operands, &results);
        self.operand_types = operands;
        self.result_types = results;
    }

    /// Whether to leave the op at hand: an error since `before`, and one is enough.
    pub(super) fn stop(&self, before: usize) -> bool {
        self.first_only && self.errors > before
    }

    fn check_declared(&mut self, op: Op, def: &'static OpDef, operands: &[Type], results: &[Type]) {
        let before = self.errors;
        self.check_counts(op, def, operands.len(), results.len());
        // Everything below relies on the counts.
        if self.errors > before {
            return;
        }
        // In upstream's order: where the op stands and how many blocks it has come
        // before what its attributes and values are.
        self.check_structure(op, def);
        if self.stop(before) {
            return;
        }
        self.check_attrs(op, def);
        if self.stop(before) {
            return;
        }
        self.check_values(op, def, def.operands, "operand", operands);
        if self.stop(before) {
            return;
        }
        self.check_values(op, def, def.results, "result", results);
        if self.stop(before) {
            return;
        }
        for group in def.same_type {
            if !same_types(self.ctx, op, def, group, operands, results) {
                let list = group.join(", ");
                self.error(
                    op,
                    format!("failed to verify that all of {{{list}}} have same type"),
                );
            }
        }
        if self.stop(before) {
            return;
        }
        if self.errors == before
            && let Some(f) = def.verify_types
        {
            self.outcome(op, f(self.ctx, op));
        }
        if self.stop(before) {
            return;
        }
        self.check_regions(op, def);
        if self.stop(before) {
            return;
        }
        self.check_traits(op, def, operands, results);
        if self.stop(before) {
            return;
        }
        if op.num_successors(self.ctx) > 0
            && let Some(f) = def.successor_operands
        {
            self.check_branch(op, f, operands);
        }
        if self.stop(before) {
            return;
        }
        // The op's own code may rely on all that was declared.
        if self.errors == before
            && let Some(f) = def.verify
        {
            self.outcome(op, f(self.ctx, op));
        }
    }

    fn check_dialect_attrs(&mut self, op: Op, def: Option<&'static OpDef>) {
        let ctx = self.ctx;
        let Some(p) = op.payload(ctx) else { return };
        // Most ops have no attribute with a dialect's name on it.
        if !p.attrs.iter().any(|(k, _)| ctx.str(*k).contains('.')) {
            return;
        }
        let attrs = p.attrs.clone();
        drop(p);
        let before = self.errors;
        for (k, a) in attrs {
            let name = ctx.str(k);
            if def.is_some_and(|d| d.is_inherent(name)) {
                continue;
            }
            let Some((dialect, _)) = name.split_once('.') else {
                continue;
            };
            self.check_op_attr(op, name, a, OpAttrPlace::Op);
            if let Some(f) = ctx.dialect(dialect).and_then(|d| d.verify_op_attr) {
                self.outcome(op, f(ctx, op, name, a));
            }
            if self.stop(before) {
                return;
            }
        }
    }

    /// An attribute that passes talk by, where it stands and what it says.
    pub(super) fn check_op_attr(&mut self, op: Op, name: &str, a: Attr, place: OpAttrPlace) {
        let ctx = self.ctx;
        let Some(def) = ctx.op_attr(name) else { return };
        if def.place != place {
            let for_what = match def.place {
                OpAttrPlace::Op => "ops",
                OpAttrPlace::Argument => "arguments of functions",
            };
            self.error(op, format!("has '{name}', which is for {for_what}"));
        } else if !(def.value.check)(ctx, a) {
            let summary = def.value.summary;
            let found = ctx.attr_text(a);
            self.error(
                op,
                format!("attribute '{name}' must satisfy constraint: {summary}, found '{found}'"),
            );
        }
    }

    // ---- counts ----

    fn check_counts(&mut self, op: Op, def: &'static OpDef, operands: usize, results: usize) {
        let ctx = self.ctx;
        let before = self.errors;
        let regions = op.num_regions(ctx);
        let (n, more) = match def.regions.last() {
            Some(r) if r.kind == RegionKind::Variadic => (def.regions.len() - 1, true),
            _ => (def.regions.len(), false),
        };
        if regions < n || (regions > n && !more) {
            self.error(
                op,
                match (n, more) {
                    (0, false) => "requires zero regions".to_string(),
                    (1, false) => "requires one region".to_string(),
                    (n, false) => format!("expected {n} regions"),
                    (n, true) => format!("expected {n} or more regions"),
                },
            );
        }
        if self.stop(before) {
            return;
        }
        let (n, more) = group_count(def.results);
        if results < n || (results > n && !more) {
            self.error(
                op,
                match (n, more) {
                    (0, false) => "requires zero results".to_string(),
                    (1, false) => "requires one result".to_string(),
                    (n, false) => format!("expected {n} results"),
                    (n, true) => format!("expected {n} or more results"),
                },
            );
        }
        if self.stop(before) {
            return;
        }
        let successors = op.num_successors(ctx);
        let n = def.successors.iter().filter(|s| !s.variadic).count();
        let more = n < def.successors.len();
        if successors < n || (successors > n && !more) {
            self.error(
                op,
                match (n, more) {
                    (0, false) => format!("requires 0 successors but found {successors}"),
                    (1, false) => format!("requires 1 successor but found {successors}"),
                    (n, false) => format!("requires {n} successors but found {successors}"),
                    (n, true) => format!("requires at least {n} successors but found {successors}"),
                },
            );
        }
        if self.stop(before) {
            return;
        }
        let (n, more) = group_count(def.operands);
        if operands < n || (operands > n && !more) {
            self.error(
                op,
                match (n, more) {
                    (0, false) => "requires zero operands".to_string(),
                    (1, false) => "requires a single operand".to_string(),
                    (n, false) => format!("expected {n} operands, but found {operands}"),
                    (n, true) => format!("expected {n} or more operands, but found {operands}"),
                },
            );
        }
        if self.stop(before) {
            return;
        }
        if def.has(t::ATTR_SIZED_OPERANDS) {
            self.check_sizes(op, "operandSegmentSizes", "operand", def.operands, operands);
        }
        if def.has(t::ATTR_SIZED_RESULTS) && !self.stop(before) {
            self.check_sizes(op, "resultSegmentSizes", "result", def.results, results);
        }
    }

    fn check_sizes(&mut self, op: Op, name: &str, kind: &str, defs: &[ValueDef], count: usize) {
        let ctx = self.ctx;
        let sizes = op.attr(ctx, name).filter(
            |a| matches!(a.data(ctx), AttrData::DenseArray { elem, .. } if *elem == ctx.i32()),
        );
        let Some(sizes) = sizes.and_then(|a| a.as_i64_array(ctx)) else {
            return self.error(op, format!("requires dense i32 array attribute '{name}'"));
        };
        if sizes.iter().any(|s| *s < 0) {
            return self.error(
                op,
                format!("'{name}' attribute cannot have negative elements"),
            );
        }
        // At most 2^31 elements of less than 2^31 each.
        let total: i64 = sizes.iter().sum();
        if total != count as i64 {
            return self.error(
                op,
                format!(
                    "{kind} count ({count}) does not match with the total size ({total}) \
                     specified in attribute '{name}'"
                ),
            );
        }
        if sizes.len() != defs.len() {
            self.error(
                op,
                format!(
                    "'{name}' attribute for specifying {kind} segments must have {} elements, \
                     but got {}",
                    defs.len(),
                    sizes.len()
                ),
            );
        }
    }

    // ---- operands and results ----

    fn check_values(
        &mut self,
        op: Op,
        def: &'static OpDef,
        defs: &'static [ValueDef],
        kind: &str,
        types: &[Type],
    ) {
        let ctx = self.ctx;
        let before = self.errors;
        let variable = defs.iter().any(|d| d.constraint.arity != Arity::One);
        for (i, d) in defs.iter().enumerate() {
            let range: Option<Range<usize>> = match (variable, kind) {
                (false, _) => Some(i..i + 1),
                (true, "operand") => def.operand_range(ctx, op, i),
                (true, _) => def.result_range(ctx, op, i),
            };
            let Some(range) = range.filter(|r| r.end <= types.len()) else {
                // Only several groups without sizes get here.
                let n = types.len();
                return self.error(
                    op,
                    format!(
                        "{kind} count ({n}) does not fit the {} declared groups",
                        defs.len()
                    ),
                );
            };
            if d.constraint.arity == Arity::Optional && range.len() > 1 {
                let (start, n) = (range.start, range.len());
                self.error(
                    op,
                    format!(
                        "{kind} group starting at #{start} requires 0 or 1 element, but found {n}"
                    ),
                );
            }
            for n in range {
                if !(d.constraint.check)(ctx, types[n]) {
                    let many = match d.constraint.arity {
                        Arity::Variadic => "variadic of ",
                        _ => "",
                    };
                    let (summary, ty) = (d.constraint.summary, ctx.type_text(types[n]));
                    self.error(
                        op,
                        format!("{kind} #{n} must be {many}{summary}, but got '{ty}'"),
                    );
                }
                if self.stop(before) {
                    return;
                }
            }
        }
    }

    // ---- attributes ----

    fn check_attrs(&mut self, op: Op, def: &'static OpDef) {
        if def.attrs.is_empty() {
            return;
        }
        let ctx = self.ctx;
        let before = self.errors;
        for d in def.attrs {
            match op.attr(ctx, d.name) {
                None if d.constraint.optional => {}
                // An optional symbol says so itself; a required one is checked
                // together with its other rules.
                None => self.error(op, format!("requires attribute '{}'", d.name)),
                Some(a) if (d.constraint.check)(ctx, a) => {}
                Some(_) => self.error(
                    op,
                    format!(
                        "attribute '{}' failed to satisfy constraint: {}",
                        d.name, d.constraint.summary
                    ),
                ),
            }
            if self.stop(before) {
                return;
            }
        }
    }

    // ---- regions ----

    fn check_regions(&mut self, op: Op, def: &'static OpDef) {
        let ctx = self.ctx;
        for (i, d) in def.regions.iter().enumerate() {
            if matches!(d.kind, RegionKind::Any | RegionKind::Variadic) {
                continue;
            }
            let r = op.region(ctx, i);
            let (empty, one) = (r.is_empty(ctx), r.has_one_block(ctx));
            let wanted = match d.kind {
                RegionKind::OneBlock if !one => "region with 1 blocks",
                RegionKind::AtMostOneBlock if !empty && !one => "region with at most 1 blocks",
                RegionKind::NonEmpty if empty => "region with at least 1 blocks",
                _ => continue,
            };
            self.error(
                op,
                format!(
                    "region #{i} ('{}') failed to verify constraint: {wanted}",
                    d.name
                ),
            );
            if self.first_only {
                return;
            }
        }
    }
}

/// How many values the groups need, and whether there may be more.
fn group_count(defs: &[ValueDef]) -> (usize, bool) {
    let one = defs
        .iter()
        .filter(|d| d.constraint.arity == Arity::One)
        .count();
    (one, one < defs.len())
}

/// Whether all values (and typed attributes) of the named groups have one type.
fn same_types(
    ctx: &Context,
    op: Op,
    def: &'static OpDef,
    group: &[&str],
    operands: &[Type],
    results: &[Type],
) -> bool {
    let mut first: Option<Type> = None;
    let mut same = |t: Type| *first.get_or_insert(t) == t;
    for name in group {
        let at = |defs: &[ValueDef]| defs.iter().position(|d| d.name == *name);
        let types: &[Type] = if let Some(i) = at(def.operands) {
            def.operand_range(ctx, op, i)
                .and_then(|r| operands.get(r))
                .unwrap_or(&[])
        } else if let Some(i) = at(def.results) {
            def.result_range(ctx, op, i)
                .and_then(|r| results.get(r))
                .unwrap_or(&[])
        } else {
            if let Some(t) = op.attr(ctx, name).and_then(|a: Attr| a.typed(ctx))
                && !same(t)
            {
                return false;
            }
            continue;
        };
        if !types.iter().all(|t| same(*t)) {
            return false;
        }
    }
    true
}
