//! The outline: functions, kernels, modules and globals, and the blocks of those that have several.

use lsp_types::{DocumentSymbol, SymbolKind};
use terrace_ir::opdef::traits;
use terrace_ir::text::places::Span;

use super::super::said;
use super::super::text::Snapshot;
use super::{Analysis, Part};
use crate::dialects::memref;

impl Analysis {
    /// All symbols, those of modules within these.
    pub fn symbols(&self, snapshot: &Snapshot) -> Vec<DocumentSymbol> {
        let each = self.parts.iter().flat_map(|p| p.symbols(snapshot));
        each.collect()
    }
}

impl Part {
    fn symbols(&self, snapshot: &Snapshot) -> Vec<DocumentSymbol> {
        let p = &self.places;
        // The closest op around that is in the outline, for each op.
        let mut owner: Vec<Option<usize>> = Vec::with_capacity(p.ops.len());
        let mut nodes: Vec<Option<DocumentSymbol>> = Vec::with_capacity(p.ops.len());
        for op in &p.ops {
            let above = op.parent.and_then(|i| match nodes[i] {
                Some(_) => Some(i),
                None => owner[i],
            });
            owner.push(above);
            let def = op.def.filter(|d| {
                d.has(traits::SYMBOL) || d.has(traits::SYMBOL_TABLE) || d.has(traits::FUNCTION_LIKE)
            });
            nodes.push(def.map(|def| {
                let name = op.symbol.unwrap_or(op.name);
                let kind = match def.name {
                    _ if def.has(traits::FUNCTION_LIKE) => SymbolKind::FUNCTION,
                    _ if def.has(traits::SYMBOL_TABLE) => SymbolKind::MODULE,
                    memref::GlobalOp::NAME => SymbolKind::VARIABLE,
                    _ => SymbolKind::OBJECT,
                };
                self.node(
                    snapshot,
                    (self.spelling(name), def.name),
                    kind,
                    op.span,
                    name,
                )
            }));
        }
        for b in p
            .blocks
            .iter()
            .filter(|b| b.name != "^bb0" || !b.uses.is_empty())
        {
            let (Some(label), Some(op)) = (b.definition, p.regions[b.region].op) else {
                continue;
            };
            let above = if nodes[op].is_some() {
                Some(op)
            } else {
                owner[op]
            };
            let end = Span {
                start: label.start,
                end: self.block_end(b.region, label),
            };
            let node = self.node(snapshot, (&b.name, "block"), SymbolKind::KEY, end, label);
            if let Some(above) = above.and_then(|i| nodes[i].as_mut()) {
                above.children.get_or_insert_default().push(node);
            }
        }
        // From the last to the first, so that each has its own before it goes to the one above.
        let mut top = Vec::new();
        for i in (0..nodes.len()).rev() {
            let Some(node) = nodes[i].take() else {
                continue;
            };
            match owner[i].and_then(|o| nodes[o].as_mut()) {
                Some(above) => above.children.get_or_insert_default().insert(0, node),
                None => top.insert(0, node),
            }
        }
        top
    }

    /// Where a block ends: at the next label of its region, or the region's end.
    fn block_end(&self, region: usize, label: Span) -> u32 {
        let p = &self.places;
        let labels = p.blocks.iter().filter(|b| b.region == region);
        let next = labels
            .filter_map(|b| b.definition)
            .filter(|d| d.start > label.start);
        let end = next.map(|d| d.start).min();
        end.unwrap_or(p.regions[region].span.end.saturating_sub(1))
            .max(label.end)
    }

    fn node(
        &self,
        snapshot: &Snapshot,
        (name, detail): (&str, &str),
        kind: SymbolKind,
        all: Span,
        own: Span,
    ) -> DocumentSymbol {
        let range = |s: Span| snapshot.range(s.start + self.start, s.end + self.start);
        let name = name.trim_start_matches('@');
        let whole = Span {
            start: all.start.min(own.start),
            end: all.end.max(own.end),
        };
        said::symbol((name, detail), kind, range(whole), range(own))
    }
}
