//! Where names are defined and used: values, blocks, aliases and symbols.

use terrace_ir::opdef::traits;
use terrace_ir::text::places::{Places, Span};

use super::super::answers::Occurrences;
use super::super::text::Snapshot;
use super::{Analysis, Part};

impl Analysis {
    /// All places of the name at a byte.
    pub fn occurrences(&self, _: &Snapshot, offset: u32) -> Option<Occurrences> {
        let (part, at) = self.part_at(offset)?;
        let (definitions, uses) = part.spans_at(at)?;
        let moved = |all: Vec<Span>| {
            let moved = all
                .into_iter()
                .map(|s| (s.start + part.start, s.end + part.start));
            moved.collect()
        };
        Some(Occurrences {
            definitions: moved(definitions),
            uses: moved(uses),
        })
    }
}

impl Part {
    fn spans_at(&self, at: u32) -> Option<(Vec<Span>, Vec<Span>)> {
        let p = &self.places;
        if let Some(i) = p.value_at(at) {
            let group = value_group(p, i);
            let mut uses: Vec<Span> = group.iter().flat_map(|i| p.uses_of(*i)).collect();
            uses.sort();
            uses.dedup();
            return Some((p.values[i].definition.into_iter().collect(), uses));
        }
        let touched = |d: Option<Span>, uses: &[Span]| {
            d.is_some_and(|d| d.touches(at)) || uses.iter().any(|u| u.touches(at))
        };
        if let Some(b) = p.blocks.iter().find(|b| touched(b.definition, &b.uses)) {
            return Some((b.definition.into_iter().collect(), b.uses.clone()));
        }
        if let Some(a) = p.aliases.iter().find(|a| touched(a.definition, &a.uses)) {
            return Some((a.definition.into_iter().collect(), a.uses.clone()));
        }
        let symbol = p.symbols.iter().position(|s| s.span.touches(at))?;
        let op = self.symbol_target(symbol)?;
        let all = 0..p.symbols.len();
        let same = all.filter(|i| self.symbol_target(*i) == Some(op));
        let same: Vec<Span> = same.map(|i| p.symbols[i].span).collect();
        let definition = p.ops[op].symbol;
        let uses = same.into_iter().filter(|s| Some(*s) != definition);
        Some((definition.into_iter().collect(), uses.collect()))
    }

    /// The op that a symbol names: the one that it defines, or the one in the closest symbol table around
    /// in which there is one of this name.
    pub(super) fn symbol_target(&self, symbol: usize) -> Option<usize> {
        let p = &self.places;
        let s = p.symbols.get(symbol)?;
        if let Some(op) = s.op
            && p.ops[op].symbol == Some(s.span)
        {
            return Some(op);
        }
        let name = self.spelling(s.span);
        if let Some(before) = s.within {
            let table = self.symbol_target(before)?;
            return self.symbol_in(Some(table), name);
        }
        let mut around = s.op;
        loop {
            let is_table =
                around.is_none_or(|o| p.ops[o].def.is_some_and(|d| d.has(traits::SYMBOL_TABLE)));
            if is_table && let Some(found) = self.symbol_in(around, name) {
                return Some(found);
            }
            around = p.ops[around?].parent;
        }
    }

    /// The op of this name among those of a symbol table.
    fn symbol_in(&self, table: Option<usize>, name: &str) -> Option<usize> {
        let p = &self.places;
        let named = |i: &usize| {
            let op = &p.ops[*i];
            op.parent == table && op.symbol.is_some_and(|s| self.spelling(s) == name)
        };
        (0..p.ops.len()).find(named)
    }

    pub(super) fn spelling(&self, s: Span) -> &str {
        self.text
            .get(s.start as usize..s.end as usize)
            .unwrap_or("")
    }
}

/// The values that one name stands for: the results of an op that has several.
pub(super) fn value_group(p: &Places, value: usize) -> Vec<usize> {
    let definition = p.values[value].definition;
    match definition {
        None => vec![value],
        Some(_) => {
            let all = 0..p.values.len();
            all.filter(|i| p.values[*i].definition == definition)
                .collect()
        }
    }
}
