//! Operations, regions and blocks.

use super::Printer;
use super::names::Base;
use crate::attr::Attr;
use crate::block::{Block, Region};
use crate::constraint::Arity;
use crate::context::Context;
use crate::context::Str;
use crate::op::Op;
use crate::opdef::{OpDef, RegionKind, Syntax};
use crate::types::Type;
use crate::value::Value;
use std::fmt::Write as _;

impl<'c> Printer<'c> {
    /// One op with its results, in the form the options ask for.
    pub(super) fn op(&mut self, op: Op) {
        let ctx = self.ctx;
        let n = op.num_results(ctx);
        if n > 0 {
            self.result_groups(op, n);
            self.out.push_str(" = ");
        }
        self.inline_op(op);
    }

    /// One op without its results, in the line that is being written.
    pub fn inline_op(&mut self, op: Op) {
        let ctx = self.ctx;
        let frame = (op.num_regions(ctx) > 0 && !self.options.skip_regions)
            .then(|| self.names.enter_op(ctx, op));
        match op.def(ctx) {
            Some(def) if !self.options.generic && has_declared_counts(ctx, op, def) => {
                match def.syntax {
                    Syntax::Generic => self.generic_op(op),
                    Syntax::Format(_) => {
                        self.op_name(def.name);
                        self.default_dialects
                            .push(def.default_dialect.unwrap_or(""));
                        crate::text::format::print(self, def, op);
                        self.default_dialects.pop();
                    }
                    Syntax::Custom { print, .. } => {
                        self.op_name(def.name);
                        self.default_dialects
                            .push(def.default_dialect.unwrap_or(""));
                        print(self, op);
                        self.default_dialects.pop();
                    }
                }
            }
            _ => self.generic_op(op),
        }
        if let Some(f) = frame {
            self.names.leave_op(f);
        }
        if self.options.debug_info {
            self.out.push(' ');
            self.loc(op.loc(ctx));
        }
    }

    /// `%a:2, %b`: each name with the number of results it stands for.
    fn result_groups(&mut self, op: Op, n: usize) {
        let ctx = self.ctx;
        let mut start = 0;
        while start < n {
            let inside = |p: &Self, i: usize| {
                let part = p.names.value(op.result(ctx, i)).and_then(|n| n.part);
                part.is_some_and(|k| k > 0)
            };
            let end = (start + 1..n).find(|i| !inside(self, *i)).unwrap_or(n);
            if start > 0 {
                self.out.push_str(", ");
            }
            self.value_base(op.result(ctx, start));
            if end - start > 1 {
                let _ = write!(self.out, ":{}", end - start);
            }
            start = end;
        }
    }

    fn op_name(&mut self, name: &'static str) {
        let default = self.default_dialects.last().copied().unwrap_or("");
        let short = name
            .strip_prefix(default)
            .and_then(|r| r.strip_prefix('.'))
            .filter(|r| !default.is_empty() && !r.contains('.'));
        self.out.push_str(short.unwrap_or(name));
    }

    /// The generic form, without results.
    pub(crate) fn generic_op(&mut self, op: Op) {
        let ctx = self.ctx;
        self.out.push('"');
        let name = op.name(ctx).to_string();
        self.escape(name.as_bytes());
        self.out.push_str("\"(");
        let operands = op.operands(ctx);
        self.values(&operands);
        self.out.push(')');
        let successors = op.successors(ctx);
        if !successors.is_empty() {
            self.out.push('[');
            self.list(&successors, |p, b| p.block_name(b));
            self.out.push(']');
        }
        let def = op.def(ctx);
        let attrs = op.attrs(ctx);
        let (inherent, other): (Vec<_>, Vec<_>) = attrs
            .into_iter()
            .partition(|(k, _)| def.is_some_and(|d| d.is_inherent(ctx.str(*k))));
        let properties = op.payload(ctx).and_then(|p| p.properties);
        if !inherent.is_empty() {
            self.out.push_str(" <");
            self.dict(&inherent);
            self.out.push('>');
        } else if let Some(a) = properties {
            self.out.push_str(" <");
            self.attr(a);
            self.out.push('>');
        }
        let regions = op.regions(ctx);
        if !regions.is_empty() {
            self.out.push_str(" (");
            // Inside generic text no dialect prefix may be left out.
            self.default_dialects.push("");
            self.list(&regions, |p, r| p.region(r, true, true));
            self.default_dialects.pop();
            self.out.push(')');
        }
        if !other.is_empty() {
            self.out.push(' ');
            self.dict(&other);
        }
        self.out.push_str(" : ");
        let (i, o) = (op.operand_types(ctx), op.result_types(ctx));
        self.signature(&i, &o);
    }

    // ---- values and blocks ----

    fn value_base(&mut self, v: Value) {
        self.out.push('%');
        match self.names.value(v).map(|n| n.base.clone()) {
            Some(Base::Number(n)) => {
                let _ = write!(self.out, "{n}");
            }
            Some(Base::Text(t)) => self.out.push_str(&t),
            None => {
                self.out.pop();
                self.out.push_str("<<UNKNOWN SSA VALUE>>");
            }
        }
    }

    /// The name of a value, `%0` or `%0#1`.
    pub fn value(&mut self, v: Value) {
        self.value_base(v);
        if let Some(part) = self.names.value(v).and_then(|n| n.part) {
            let _ = write!(self.out, "#{part}");
        }
    }

    /// Names of values with commas between them.
    pub fn values(&mut self, vs: &[Value]) {
        self.list(vs, |p, v| p.value(v));
    }

    /// The text of a value's name, for printing through `fmt::Write`.
    pub(crate) fn value_text(&self, v: Value) -> String {
        match self.names.value(v) {
            Some(n) => {
                let base = match &n.base {
                    Base::Number(n) => n.to_string(),
                    Base::Text(t) => t.to_string(),
                };
                match n.part {
                    Some(p) => format!("%{base}#{p}"),
                    None => format!("%{base}"),
                }
            }
            None => "<<UNKNOWN SSA VALUE>>".to_string(),
        }
    }

    pub(crate) fn block_name(&mut self, b: Block) {
        match self.names.block(b) {
            Some(n) => {
                let _ = write!(self.out, "^bb{n}");
            }
            None => self.out.push_str("^INVALIDBLOCK"),
        }
    }

    /// A successor with the operands it is handed: `^bb1(%a, %b : t, t)`.
    pub fn successor(&mut self, b: Block, operands: &[Value]) {
        self.block_name(b);
        if operands.is_empty() {
            return;
        }
        self.out.push('(');
        self.values(operands);
        self.out.push_str(" : ");
        let types: Vec<Type> = operands.iter().map(|v| v.ty(self.ctx)).collect();
        self.types(&types);
        self.out.push(')');
    }

    /// `%a: t`, with the location when locations are printed.
    pub fn argument(&mut self, v: Value) {
        self.value(v);
        self.out.push_str(": ");
        self.ty(v.ty(self.ctx));
        self.argument_loc(v);
    }

    /// The location of a block argument, if locations are printed.
    pub fn argument_loc(&mut self, v: Value) {
        if self.options.debug_info {
            self.out.push(' ');
            self.loc(v.loc(self.ctx));
        }
    }

    // ---- regions ----

    /// `{ ... }`. `entry_args` prints the arguments of the entry block, `terminators`
    /// the last op of each block.
    pub fn region(&mut self, r: Region, entry_args: bool, terminators: bool) {
        let ctx = self.ctx;
        if self.options.skip_regions {
            self.out.push_str("{...}");
            return;
        }
        let frame = self.names.enter_region(r);
        self.out.push('{');
        let blocks = r.blocks(ctx);
        for (i, b) in blocks.iter().enumerate() {
            let show_label = i > 0
                || (entry_args && b.num_args(ctx) > 0)
                || !b.branches(ctx).is_empty()
                || (b.is_empty(ctx) && blocks.len() > 1);
            if show_label || (i == 0 && b.is_empty(ctx) && entry_args && terminators) {
                self.newline();
                self.block_label(*b, i == 0);
            }
            self.indent += 2;
            let mut next = b.first_op(ctx);
            while let Some(op) = next {
                next = op.next(ctx);
                if next.is_none() && !terminators && op.is_terminator(ctx) {
                    break;
                }
                self.newline();
                self.op(op);
            }
            self.indent -= 2;
        }
        self.newline();
        self.out.push('}');
        self.names.leave_region(frame);
    }

    fn block_label(&mut self, b: Block, entry: bool) {
        let ctx = self.ctx;
        self.block_name(b);
        let args = b.args(ctx);
        if !args.is_empty() {
            self.out.push('(');
            self.list(&args, |p, a| p.argument(a));
            self.out.push(')');
        }
        self.out.push(':');
        let mut preds: Vec<(u32, Block)> = b
            .predecessors(ctx)
            .into_iter()
            .map(|p| (self.names.block(p).unwrap_or(0), p))
            .collect();
        preds.sort_by_key(|p| p.0);
        match preds.len() {
            0 if entry => {}
            0 => self.out.push_str("  // no predecessors"),
            1 => {
                self.out.push_str("  // pred: ");
                self.block_name(preds[0].1);
            }
            n => {
                let _ = write!(self.out, "  // {n} preds: ");
                self.list(&preds, |p, b| p.block_name(b.1));
            }
        }
    }

    // ---- attribute dictionaries ----

    /// The attributes of an op but those named, as ` {...}` or ` attributes {...}`;
    /// nothing when none is left.
    pub fn attr_dict(&mut self, op: Op, elided: &[&str], keyword: bool) {
        let ctx = self.ctx;
        let attrs: Vec<(Str, Attr)> = match op.payload(ctx) {
            None => return,
            Some(p) => p
                .attrs
                .iter()
                .filter(|(k, _)| !elided.contains(&ctx.str(*k)))
                .copied()
                .collect(),
        };
        if attrs.is_empty() {
            return;
        }
        self.out
            .push_str(if keyword { " attributes " } else { " " });
        self.dict(&attrs);
    }
}

/// Whether `op` has the operands, results and regions that its syntax counts on. Ops
/// that do not verify are printed too, in the generic form.
fn has_declared_counts(ctx: &Context, op: Op, def: &'static OpDef) -> bool {
    let fits = |defs: &[crate::opdef::ValueDef], n: usize| {
        let one = defs
            .iter()
            .filter(|d| d.constraint.arity == Arity::One)
            .count();
        n == one || (n > one && one < defs.len())
    };
    let regions = match def.regions.last() {
        Some(r) if r.kind == RegionKind::Variadic => def.regions.len() - 1,
        _ => def.regions.len(),
    };
    fits(def.operands, op.num_operands(ctx))
        && fits(def.results, op.num_results(ctx))
        && op.num_regions(ctx) >= regions
}
