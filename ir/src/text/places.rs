//! Where things stand in a text: what an editor asks the parser for.
//!
//! [`parse_with_places`](super::parser::parse_with_places) fills a [`Places`] while it parses. It is filled as far as
//! the text makes sense, also where that is broken: editors work on texts that are not finished.
//! All offsets are bytes of the text given to the parser.

use crate::opdef::{OpDef, traits};
use crate::types::Type;

/// Bytes of the text, from the first to behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Span {
    /// Whether a byte is in it, or a cursor behind its last byte touches it.
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether all of another span is in it.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// An op.
#[derive(Debug, Clone)]
pub struct OpPlace {
    /// All of it, names of results included.
    pub span: Span,
    /// Its name, without quotes; empty where none was found.
    pub name: Span,
    /// Its declaration, if it is a known op.
    pub def: Option<&'static OpDef>,
    /// The op around it, by its place among all.
    pub parent: Option<usize>,
    /// The `@name` that it defines.
    pub symbol: Option<Span>,
}

/// A region of an op.
#[derive(Debug, Clone)]
pub struct RegionPlace {
    /// With its braces.
    pub span: Span,
    /// The op that it belongs to; `None` for the file.
    pub op: Option<usize>,
    /// The region around it.
    pub parent: Option<usize>,
    /// It sees no values from outside.
    pub isolated: bool,
}

/// A value: a result of an op, or an argument of a block.
#[derive(Debug, Clone)]
pub struct ValuePlace {
    /// With the `%`.
    pub name: String,
    /// The `N` of `%name#N`.
    pub number: u32,
    /// Where it is defined; `None` where nothing of that name was found.
    pub definition: Option<Span>,
    /// Its type; `None` where its op is broken.
    pub ty: Option<Type>,
    /// Where it is used, in order.
    pub uses: Vec<Span>,
    /// The region in which it was defined, or first used.
    pub region: usize,
    /// The op of which it is a result, or in whose region it is an argument.
    pub op: Option<usize>,
}

/// A block with a label.
#[derive(Debug, Clone)]
pub struct BlockPlace {
    /// With the `^`.
    pub name: String,
    /// The label.
    pub definition: Option<Span>,
    /// Branches that name it.
    pub uses: Vec<Span>,
    /// The region that it is in.
    pub region: usize,
}

/// An alias of an attribute or a type.
#[derive(Debug, Clone)]
pub struct AliasPlace {
    /// With the `#` or `!`.
    pub name: String,
    /// The name where it is defined; `None` where it never is.
    pub definition: Option<Span>,
    /// What it stands for, as it is written.
    pub value: Span,
    /// Where it is used, in order.
    pub uses: Vec<Span>,
}

/// A `@name`.
#[derive(Debug, Clone, Copy)]
pub struct SymbolPlace {
    /// With the `@`.
    pub span: Span,
    /// The op in which it stands.
    pub op: Option<usize>,
    /// The symbol before it, where it is a later part of `@a::@b`.
    pub within: Option<usize>,
}

/// See the [module](self).
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// All ops, each behind the one around it.
    pub ops: Vec<OpPlace>,
    /// All regions; the first is the file.
    pub regions: Vec<RegionPlace>,
    /// All values.
    pub values: Vec<ValuePlace>,
    /// All blocks with labels.
    pub blocks: Vec<BlockPlace>,
    /// All aliases.
    pub aliases: Vec<AliasPlace>,
    /// All symbols, definitions and references, in order.
    pub symbols: Vec<SymbolPlace>,
    /// The text has locations behind ops or arguments, `loc(...)`.
    pub has_locations: bool,
    open_ops: Vec<usize>,
    open_regions: Vec<usize>,
}

/// The index of a value that nobody records.
pub(crate) const NOT_RECORDED: u32 = u32::MAX;

/// What the parser tells.
impl Places {
    pub(crate) fn for_file(text: &str) -> Places {
        let mut places = Places::default();
        places.begin_region(0, true);
        places.regions[0].span.end = text.len() as u32;
        places
    }

    pub(crate) fn begin_op(&mut self, start: u32) {
        let parent = self.open_ops.last().copied();
        self.open_ops.push(self.ops.len());
        self.ops.push(OpPlace {
            span: Span { start, end: start },
            name: Span { start, end: start },
            def: None,
            parent,
            symbol: None,
        });
    }

    pub(crate) fn op_name(&mut self, name: Span, def: Option<&'static OpDef>) {
        if let Some(op) = self.open_ops.last().and_then(|i| self.ops.get_mut(*i)) {
            op.name = name;
            op.def = def;
        }
    }

    pub(crate) fn end_op(&mut self, end: u32) {
        let Some(index) = self.open_ops.pop() else {
            return;
        };
        let first = self
            .symbols
            .iter()
            .rev()
            .take_while(|s| s.op >= Some(index));
        let first = first
            .filter(|s| s.op == Some(index) && s.within.is_none())
            .last();
        let first = first.map(|s| s.span);
        let op = &mut self.ops[index];
        op.span.end = end.max(op.span.start);
        let defines = traits::SYMBOL | traits::SYMBOL_TABLE;
        if op.def.is_some_and(|d| d.traits & defines != 0) {
            op.symbol = first;
        }
    }

    pub(crate) fn begin_region(&mut self, start: u32, isolated: bool) {
        let parent = self.open_regions.last().copied();
        self.open_regions.push(self.regions.len());
        self.regions.push(RegionPlace {
            span: Span { start, end: start },
            op: self.open_ops.last().copied(),
            parent,
            isolated,
        });
    }

    pub(crate) fn end_region(&mut self, end: u32) {
        if let Some(index) = self.open_regions.pop() {
            self.regions[index].span.end = end;
        }
    }

    /// A value that is new, or `known` under this index from uses above.
    pub(crate) fn define(
        &mut self,
        known: Option<u32>,
        (name, number): (&str, u32),
        ty: Option<Type>,
        definition: Span,
    ) -> u32 {
        let known = known.and_then(|k| self.values.get_mut(k as usize).map(|v| (k, v)));
        let region = self.open_regions.last().copied().unwrap_or(0);
        let op = self.open_ops.last().copied();
        if let Some((index, value)) = known {
            value.definition = Some(definition);
            value.ty = ty;
            (value.region, value.op) = (region, op);
            return index;
        }
        self.values.push(ValuePlace {
            name: name.to_string(),
            number,
            definition: Some(definition),
            ty,
            uses: Vec::new(),
            region,
            op,
        });
        self.values.len() as u32 - 1
    }

    /// A use of a value that is not defined so far.
    pub(crate) fn use_before(
        &mut self,
        name: &str,
        number: u32,
        ty: Option<Type>,
        at: Span,
    ) -> u32 {
        self.values.push(ValuePlace {
            name: name.to_string(),
            number,
            definition: None,
            ty,
            uses: vec![at],
            region: self.open_regions.last().copied().unwrap_or(0),
            op: None,
        });
        self.values.len() as u32 - 1
    }

    pub(crate) fn use_value(&mut self, index: u32, at: Span) {
        if let Some(v) = self.values.get_mut(index as usize) {
            v.uses.push(at);
        }
    }

    fn block(&mut self, name: &str) -> &mut BlockPlace {
        let region = self.open_regions.last().copied().unwrap_or(0);
        // Those of a region stand close together.
        let found = self
            .blocks
            .iter()
            .rposition(|b| b.region == region && b.name == name);
        let index = found.unwrap_or_else(|| {
            self.blocks.push(BlockPlace {
                name: name.to_string(),
                definition: None,
                uses: Vec::new(),
                region,
            });
            self.blocks.len() - 1
        });
        &mut self.blocks[index]
    }

    pub(crate) fn define_block(&mut self, name: &str, start: u32) {
        let end = start + name.len() as u32;
        self.block(name).definition = Some(Span { start, end });
    }

    pub(crate) fn use_block(&mut self, name: &str, start: u32) {
        let end = start + name.len() as u32;
        self.block(name).uses.push(Span { start, end });
    }

    fn alias(&mut self, name: &str) -> &mut AliasPlace {
        let index = match self.aliases.iter().position(|a| a.name == name) {
            Some(index) => index,
            None => {
                self.aliases.push(AliasPlace {
                    name: name.to_string(),
                    definition: None,
                    value: Span::default(),
                    uses: Vec::new(),
                });
                self.aliases.len() - 1
            }
        };
        &mut self.aliases[index]
    }

    pub(crate) fn define_alias(&mut self, name: &str, start: u32, value: Span) {
        let end = start + name.len() as u32;
        let alias = self.alias(name);
        alias.definition = Some(Span { start, end });
        alias.value = value;
    }

    pub(crate) fn use_alias(&mut self, name: &str, start: u32) {
        let end = start + name.len() as u32;
        self.alias(name).uses.push(Span { start, end });
    }

    pub(crate) fn symbol(&mut self, span: Span, within_last: bool) {
        self.symbols.push(SymbolPlace {
            span,
            op: self.open_ops.last().copied(),
            within: within_last.then(|| self.symbols.len().saturating_sub(1)),
        });
    }
}

/// What editors ask.
impl Places {
    /// The innermost op at an offset.
    pub fn op_at(&self, offset: u32) -> Option<usize> {
        // Ops are in the order of their starts, and inner ones stand behind outer ones.
        let behind = self.ops.partition_point(|o| o.span.start <= offset);
        let mut at = behind.checked_sub(1);
        while let Some(index) = at {
            if self.ops[index].span.touches(offset) {
                return Some(index);
            }
            at = self.ops[index].parent;
        }
        None
    }

    /// The innermost region at an offset; the file where there is none.
    pub fn region_at(&self, offset: u32) -> usize {
        let inside = |r: &RegionPlace| r.span.start < offset && offset < r.span.end;
        let behind = self.regions.partition_point(|r| r.span.start < offset);
        let mut at = behind.saturating_sub(1);
        while at > 0 && !inside(&self.regions[at]) {
            at = self.regions[at].parent.unwrap_or(0);
        }
        at
    }

    /// The regions whose values are seen in a region: itself and those around it, up to one that is
    /// isolated.
    pub fn visible_from(&self, region: usize) -> Vec<usize> {
        let mut out = vec![region];
        let mut at = region;
        while let Some(r) = self.regions.get(at)
            && !r.isolated
            && let Some(parent) = r.parent
        {
            out.push(parent);
            at = parent;
        }
        out
    }

    /// The value whose definition or use an offset touches.
    pub fn value_at(&self, offset: u32) -> Option<usize> {
        let touched = |v: &ValuePlace| {
            v.definition.is_some_and(|d| d.touches(offset))
                || v.uses.iter().any(|u| u.touches(offset))
        };
        let found = self.values.iter().position(touched)?;
        // A use in a text that is broken above or below may not have found its definition.
        if self.values[found].definition.is_none() {
            return Some(self.by_name(found).unwrap_or(found));
        }
        Some(found)
    }

    /// The definition that is seen where an undefined value is used.
    fn by_name(&self, undefined: usize) -> Option<usize> {
        let value = &self.values[undefined];
        let visible = self.visible_from(value.region);
        let fits = |v: &ValuePlace| {
            v.definition.is_some() && v.name == value.name && visible.contains(&v.region)
        };
        let exact = |v: &ValuePlace| fits(v) && v.number == value.number;
        let exact = self.values.iter().position(exact);
        exact.or_else(|| self.values.iter().position(fits))
    }

    /// All uses of a value, also those for which a broken text hides the definition.
    pub fn uses_of(&self, value: usize) -> Vec<Span> {
        let mut out = self.values[value].uses.clone();
        if self.values[value].definition.is_some() {
            for (i, v) in self.values.iter().enumerate() {
                if v.definition.is_none()
                    && v.name == self.values[value].name
                    && self.by_name(i) == Some(value)
                {
                    out.extend(&v.uses);
                }
            }
        }
        out.sort();
        out
    }
}
