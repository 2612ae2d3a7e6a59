//! What is known of the thing under the mouse.

use std::fmt::Write as _;
use terrace_ir::constraint::Arity;
use terrace_ir::opdef::{OpDef, Traits, ValueDef, traits as t};
use terrace_ir::text::places::Span;

use super::super::text::Snapshot;
use super::names::value_group;
use super::{Analysis, Part, token_end, word_start};

impl Analysis {
    /// As Markdown, and the bytes that it is about.
    pub fn hover(&self, _: &Snapshot, offset: u32) -> Option<(String, (u32, u32))> {
        let (part, at) = self.part_at(offset)?;
        let (text, span) = part.hover(at)?;
        Some((text, (span.start + part.start, span.end + part.start)))
    }
}

impl Part {
    fn hover(&self, at: u32) -> Option<(String, Span)> {
        if let Some(found) = self.value(at) {
            return Some(found);
        }
        let p = &self.places;
        let here = |uses: &[Span], definition: Option<Span>| {
            let mut all = uses.iter().copied().chain(definition);
            all.find(|s| s.touches(at))
        };
        for a in &p.aliases {
            if let Some(span) = here(&a.uses, a.definition) {
                let value = self.spelling(a.value);
                return Some((code(&format!("{} = {value}", a.name)), span));
            }
        }
        for b in &p.blocks {
            if let Some(span) = here(&b.uses, b.definition) {
                let label = b.definition?;
                let line = self.text[label.start as usize..].lines().next()?;
                let n = b.uses.len();
                let s = if n == 1 { "" } else { "es" };
                let text = format!("{}\n{n} branch{s} to it", code(line.trim_end()));
                return Some((text, span));
            }
        }
        if let Some(i) = p.symbols.iter().position(|s| s.span.touches(at)) {
            let op = self.symbol_target(i)?;
            return Some((code(&self.head(op)), p.symbols[i].span));
        }
        let op = p.op_at(at)?;
        let place = &p.ops[op];
        if place.name.touches(at)
            && let Some(def) = place.def
        {
            return Some((of_op(def), place.name));
        }
        self.attribute(place.def, at)
    }

    fn value(&self, at: u32) -> Option<(String, Span)> {
        let p = &self.places;
        let value = p.value_at(at)?;
        let v = &p.values[value];
        let mut spans = v.uses.iter().copied().chain(v.definition);
        let span = spans
            .find(|s| s.touches(at))
            .unwrap_or(Span { start: at, end: at });
        let in_use = v.definition.is_none_or(|d| !d.touches(at));
        let group = match in_use {
            true => vec![value],
            false => value_group(p, value),
        };
        let mut lines = Vec::new();
        for i in &group {
            let v = &p.values[*i];
            let number = match group.len() > 1 || v.number > 0 {
                true => format!("#{}", v.number),
                false => String::new(),
            };
            let ty = v.ty.map(|ty| self.ctx.type_text(ty));
            let ty = ty.unwrap_or("of unknown type: its op is broken".to_string());
            lines.push(format!("{}{number} : {ty}", v.name));
        }
        let mut out = code(&lines.join("\n"));
        match (v.definition, v.op.map(|o| &p.ops[o])) {
            (None, _) => out.push_str("\nnothing of this name is defined where it is seen here"),
            (Some(d), Some(op)) => {
                let name = self.spelling(op.name);
                let what = match d.start < op.name.start {
                    true => "result of",
                    false => "argument in",
                };
                let _ = write!(out, "\n{what} `{name}`");
            }
            (Some(_), None) => {}
        }
        Some((out, span))
    }

    /// The first line of an op, without its region.
    pub(super) fn head(&self, op: usize) -> String {
        let op = &self.places.ops[op];
        let text = self.spelling(op.span);
        let line = text.lines().next().unwrap_or("");
        line.trim_end().trim_end_matches('{').trim_end().to_string()
    }

    fn attribute(&self, def: Option<&'static OpDef>, at: u32) -> Option<(String, Span)> {
        let start = word_start(&self.text, at);
        let span = Span {
            start,
            end: token_end(&self.text, start),
        };
        let word = self.spelling(span);
        // Words of an op's own syntax may be called as its attributes are.
        if let Some(a) = self.ctx.op_attr(word) {
            let text = format!("`{word}`: {}\n\n{}", a.value.summary, doc(a.doc));
            return Some((text, span));
        }
        let a = def?.attr_def(word)?;
        let optional = if a.constraint.optional {
            ", may be absent"
        } else {
            ""
        };
        let of = def?.name;
        Some((
            format!("`{word}` of `{of}`: {}{optional}", a.constraint.summary),
            span,
        ))
    }
}

fn code(text: &str) -> String {
    format!("```mlir\n{text}\n```")
}

/// Documentation comments without the space behind `///`.
pub(super) fn doc(text: &str) -> String {
    let lines = text.lines().map(|l| l.strip_prefix(' ').unwrap_or(l));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_string()
}

/// The documentation of an op: what it does, and what its declaration says.
pub(super) fn of_op(def: &OpDef) -> String {
    let mut out = format!("**{}**\n\n{}\n", def.name, doc(def.doc));
    values("operands", def.operands, &mut out);
    values("results", def.results, &mut out);
    if !def.attrs.is_empty() {
        out.push_str("\nattributes\n");
        for a in def.attrs {
            let optional = if a.constraint.optional {
                ", may be absent"
            } else {
                ""
            };
            let _ = writeln!(out, "- `{}`: {}{optional}", a.name, a.constraint.summary);
        }
    }
    if !def.regions.is_empty() {
        let names: Vec<String> = def
            .regions
            .iter()
            .map(|r| format!("`{}`", r.name))
            .collect();
        let _ = writeln!(out, "\nregions: {}", names.join(", "));
    }
    let named = trait_names(def.traits);
    if !named.is_empty() {
        let _ = writeln!(out, "\ntraits: {}", named.join(", "));
    }
    out
}

fn values(what: &str, all: &[ValueDef], out: &mut String) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{what}");
    for v in all {
        let many = match v.constraint.arity {
            Arity::One => "",
            Arity::Optional => ", may be absent",
            Arity::Variadic => ", any number",
        };
        let _ = writeln!(out, "- `{}`: {}{many}", v.name, v.constraint.summary);
    }
}

/// The traits of an op in words.
fn trait_names(all: Traits) -> Vec<&'static str> {
    let names = [
        (t::NO_EFFECT, "no memory effect"),
        (t::SPECULATABLE, "may be speculated"),
        (t::RECURSIVE_EFFECTS, "effects of its nested ops"),
        (
            t::RECURSIVELY_SPECULATABLE,
            "may be speculated if its nested ops may",
        ),
        (t::TERMINATOR, "terminator"),
        (t::RETURN_LIKE, "returns to the op around"),
        (t::COMMUTATIVE, "commutative"),
        (t::CONSTANT_LIKE, "constant"),
        (t::ISOLATED, "isolated from above"),
        (t::SYMBOL, "symbol"),
        (t::SYMBOL_TABLE, "symbol table"),
        (
            t::SAME_OPERANDS_AND_RESULT_TYPE,
            "operands and results have one type",
        ),
        (
            t::SAME_OPERANDS_AND_RESULT_SHAPE,
            "operands and results have one shape",
        ),
        (
            t::SAME_OPERANDS_AND_RESULT_ELEMENT_TYPE,
            "operands and results have one element type",
        ),
        (t::SAME_TYPE_OPERANDS, "operands have one type"),
        (t::SAME_OPERANDS_SHAPE, "operands have one shape"),
        (
            t::SAME_OPERANDS_ELEMENT_TYPE,
            "operands have one element type",
        ),
        (t::ELEMENTWISE, "element by element"),
        (t::SINGLE_BLOCK, "regions of one block"),
        (t::NO_TERMINATOR, "blocks need no terminator"),
        (t::AFFINE_SCOPE, "scope of affine symbols"),
        (
            t::ALLOCATION_SCOPE,
            "frees what is allocated on the stack in it",
        ),
        (t::LOOP_LIKE, "loop"),
        (
            t::GRAPH_REGION,
            "values may be used before they are defined",
        ),
        (t::IDEMPOTENT, "idempotent"),
        (t::INVOLUTION, "involution"),
        (t::FUNCTION_LIKE, "function"),
    ];
    let has = names.iter().filter(|(bit, _)| all & bit == *bit);
    has.map(|(_, name)| *name).collect()
}
