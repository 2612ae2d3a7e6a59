//! The file as a whole: aliases, metadata and top-level ops.

use super::{Failed, PResult, Parser};
use crate::builder::{OpState, RegionHolder};
use crate::loc::Loc;
use crate::op::Op;
use crate::text::places::Span;
use crate::text::token::TokenKind as T;

/// What an alias stands for, and how much of it there is. Aliases may name aliases,
/// so that a short text could stand for more than any memory holds.
#[derive(Clone, Copy)]
pub(super) struct Alias<T> {
    pub value: T,
    /// Levels of nesting.
    height: usize,
    /// Types and attributes in it, counted once for every time they would be written.
    nodes: u64,
}

/// The most types and attributes that one alias may stand for.
const MAX_NODES: u64 = 1 << 20;

impl<'a> Parser<'a> {
    /// Parse the definition of an alias and measure it.
    fn define_alias<T>(
        &mut self,
        pos: u32,
        f: impl FnOnce(&mut Self) -> PResult<T>,
    ) -> PResult<Alias<T>> {
        let nodes = self.nodes;
        self.deepest = self.depth;
        let start = self.pos();
        let value = f(self);
        let value_span = Span {
            start,
            end: self.last_end,
        };
        let spelling = self.alias_spelling(pos);
        self.note_place(|places| places.define_alias(spelling, pos, value_span));
        let value = value?;
        let nodes = self.nodes.saturating_sub(nodes);
        if nodes > MAX_NODES {
            let m = format!("alias stands for more than {MAX_NODES} types and attributes");
            return Err(self.error(pos, m));
        }
        Ok(Alias {
            value,
            height: self.deepest - self.depth,
            nodes,
        })
    }

    /// What an alias used at `pos` stands for.
    pub(super) fn use_alias<T>(&mut self, alias: Alias<T>, pos: u32) -> PResult<T> {
        let spelling = self.alias_spelling(pos);
        self.note_place(|places| places.use_alias(spelling, pos));
        let max = self.ctx.config.max_nesting;
        let depth = self.depth.saturating_add(alias.height);
        if depth > max {
            let m = format!("alias nested too deeply: more than {max} levels");
            return Err(self.error(pos, m));
        }
        self.deepest = self.deepest.max(depth);
        self.nodes = self.nodes.saturating_add(alias.nodes);
        Ok(alias.value)
    }

    /// The alias that begins at `pos`, with its `#` or `!`.
    fn alias_spelling(&self, pos: u32) -> &'a str {
        if self.places.is_none() {
            return "";
        }
        let rest = self.lexer.source().get(pos as usize..).unwrap_or("");
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
        let end = rest.char_indices().skip(1).find(|(_, c)| !word(*c));
        &rest[..end.map_or(rest.len(), |(i, _)| i)]
    }

    /// All of the file, as a module.
    pub(super) fn parse_file(&mut self) -> PResult<Op> {
        let holder = RegionHolder::new(self.ctx);
        let block = holder.region(self.ctx).add_block(self.ctx, &[]);
        self.push_value_scope(true);
        let mut failed = false;
        while !self.at(T::Eof) {
            let start = self.pos();
            let r = match self.kind() {
                T::HashIdentifier => self.parse_attr_alias(),
                T::ExclamationIdentifier => self.parse_type_alias(),
                T::FileMetadataBegin => self.parse_metadata(),
                T::RBrace => Err(self.error_here("unbalanced '}': no region is open here")),
                _ => self.parse_op(block).map(|_| ()),
            };
            if r.is_err() {
                failed = true;
                if self.ctx.config.first_error_only {
                    break;
                }
                self.recover_top(start);
            }
        }
        if !failed || !self.ctx.config.first_error_only {
            failed |= self.pop_value_scope(true).is_err();
            failed |= self.resolve_deferred_locs().is_err();
        }
        self.erase_placeholders();
        if failed {
            self.discard(holder);
            return Err(Failed);
        }
        Ok(self.finish_module(holder))
    }

    /// Erase what a failed parse has made.
    fn discard(&mut self, holder: RegionHolder) {
        let mut blocks = std::mem::take(&mut self.orphans);
        blocks.extend(holder.region(self.ctx).blocks(self.ctx));
        for b in &blocks {
            for op in b.ops(self.ctx) {
                op.drop_all_references(self.ctx);
            }
        }
        for b in blocks {
            for op in b.ops(self.ctx) {
                if !op.has_uses(self.ctx) {
                    op.erase(self.ctx);
                }
            }
        }
    }

    /// The one module at top level, or a new one around what is there.
    fn finish_module(&mut self, holder: RegionHolder) -> Op {
        let block = holder.region(self.ctx).entry(self.ctx);
        let first = block.and_then(|b| b.first_op(self.ctx));
        if let Some(op) = first
            && op.name(self.ctx) == "builtin.module"
            && op.next(self.ctx).is_none()
        {
            op.unlink(self.ctx);
            holder.erase(self.ctx);
            return op;
        }
        let loc = self.loc(0);
        let mut state = match self.ctx.op_def("builtin.module") {
            Some(d) => OpState::new(d, loc),
            None => OpState::unregistered(self.ctx.intern("builtin.module"), Loc::Unknown),
        };
        state.regions.push(Some(holder));
        state.create(self.ctx)
    }

    /// `#name = attribute`.
    fn parse_attr_alias(&mut self) -> PResult<()> {
        let t = self.advance();
        let name = &self.text(t)[1..];
        if self.attr_aliases.contains_key(name) {
            return Err(self.error(
                t.start,
                format!("redefinition of attribute alias id '{name}'"),
            ));
        }
        if name.contains('.') {
            return Err(self.error(
                t.start,
                "attribute names with a '.' are reserved for dialect-defined names",
            ));
        }
        self.expect_msg(T::Equal, "expected '=' in attribute alias definition")?;
        let a = self.define_alias(t.start, Self::parse_attr)?;
        self.attr_aliases.insert(name, a);
        Ok(())
    }

    /// `!name = type`.
    fn parse_type_alias(&mut self) -> PResult<()> {
        let t = self.advance();
        let name = &self.text(t)[1..];
        if self.type_aliases.contains_key(name) {
            return Err(self.error(t.start, format!("redefinition of type alias id '{name}'")));
        }
        if name.contains('.') {
            return Err(self.error(
                t.start,
                "type names with a '.' are reserved for dialect-defined names",
            ));
        }
        self.expect_msg(T::Equal, "expected '=' in type alias definition")?;
        let ty = self.define_alias(t.start, Self::parse_type)?;
        self.type_aliases.insert(name, ty);
        Ok(())
    }

    /// `{-# ... #-}`: resources are kept by key, everything else is passed over.
    fn parse_metadata(&mut self) -> PResult<()> {
        let start = self.advance().start;
        let mut section = Vec::<(&'a str, usize)>::new();
        let mut depth = 0usize;
        let mut key: Option<String> = None;
        loop {
            match self.kind() {
                T::FileMetadataEnd => {
                    self.advance();
                    return Ok(());
                }
                T::Eof => {
                    return Err(
                        self.error(start, "unclosed file metadata dictionary: expected '#-}'")
                    );
                }
                T::LBrace => {
                    // What stood before was the name of a section.
                    key = None;
                    depth += 1;
                    self.advance();
                }
                T::RBrace => {
                    depth = depth.saturating_sub(1);
                    section.retain(|s| s.1 <= depth);
                    self.advance();
                }
                T::BareIdentifier | T::IntType => {
                    let s = self.spelling();
                    self.advance();
                    if self.at(T::Colon) && depth < 2 {
                        section.push((s, depth));
                    }
                    key = Some(s.to_string());
                }
                T::String => {
                    let raw = self.spelling();
                    let text = String::from_utf8(self.parse_string()?).ok();
                    match key.take() {
                        Some(k) if section.first().is_some_and(|s| s.0 == "dialect_resources") => {
                            self.ctx.set_resource(&k, raw);
                        }
                        _ => key = text,
                    }
                }
                T::Error => return Err(self.error_here("unexpected character in file metadata")),
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// After an error at top level: go to what looks like the next op.
    fn recover_top(&mut self, start: u32) {
        if self.pos() == start {
            self.advance();
        }
        self.recover(true);
    }
}
