//! Blocks by name.

use super::{PResult, Parser};
use crate::block::Block;
use crate::text::token::TokenKind as T;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// The blocks of one region.
#[derive(Default)]
pub(super) struct BlockScope<'a> {
    blocks: FxHashMap<&'a str, Entry>,
}

struct Entry {
    block: Block,
    defined: bool,
    pos: u32,
}

impl<'a> Parser<'a> {
    pub(super) fn push_block_scope(&mut self) {
        self.block_scopes.push(BlockScope::default());
    }

    /// Close a region: every block named must have been defined.
    pub(super) fn pop_block_scope(&mut self, failed: bool) -> PResult<()> {
        let Some(scope) = self.block_scopes.pop() else {
            return Ok(());
        };
        let mut undefined: Vec<_> = scope
            .blocks
            .into_iter()
            .filter(|(_, e)| !e.defined)
            .collect();
        undefined.sort_by_key(|(_, e)| e.pos);
        // Where parsing stopped early, blocks further down were never seen.
        let mut bad = failed && self.ctx.config.first_error_only;
        for (_, e) in undefined {
            if !bad || !self.ctx.config.first_error_only {
                self.error(e.pos, "reference to an undefined block");
            }
            bad = true;
            for b in e.block.branches(self.ctx) {
                b.drop_all_references(self.ctx);
            }
            e.block.erase(self.ctx);
        }
        if bad { Err(super::Failed) } else { Ok(()) }
    }

    /// The block that a branch names, made where it is not there yet.
    pub(super) fn block_named(&mut self, name: &'a str, pos: u32) -> PResult<Block> {
        if let Some(e) = self.block_scopes.last().and_then(|s| s.blocks.get(name)) {
            return Ok(e.block);
        }
        if self.block_scopes.is_empty() {
            return Err(self.error(pos, "block names can only be used inside a region"));
        }
        let block = Block::new(self.ctx, &[]);
        if let Some(s) = self.block_scopes.last_mut() {
            s.blocks.insert(
                name,
                Entry {
                    block,
                    defined: false,
                    pos,
                },
            );
        }
        Ok(block)
    }

    /// The block that a label defines.
    pub(super) fn define_block(&mut self, name: &'a str, pos: u32) -> PResult<Block> {
        self.note_place(|places| places.define_block(name, pos));
        let block = self.block_named(name, pos)?;
        let mut before = None;
        if let Some(e) = self
            .block_scopes
            .last_mut()
            .and_then(|s| s.blocks.get_mut(name))
        {
            if e.defined {
                before = Some(e.pos);
            }
            e.defined = true;
            e.pos = pos;
        }
        if let Some(before) = before {
            self.error(pos, format!("redefinition of block '{name}'"));
            // Upstream has no such note, and `-verify-diagnostics` would miss none.
            if !self.ctx.config.first_error_only {
                self.note(before, "previously defined here");
            }
            return Err(super::Failed);
        }
        Ok(block)
    }

    /// Let a label stand for a block that exists already (a region's entry).
    pub(super) fn name_block(&mut self, name: &'a str, block: Block, pos: u32) {
        self.note_place(|places| places.define_block(name, pos));
        if let Some(s) = self.block_scopes.last_mut() {
            s.blocks.insert(
                name,
                Entry {
                    block,
                    defined: true,
                    pos,
                },
            );
        }
    }

    // ---- for op syntax ----

    /// A block named in the current region.
    pub fn parse_successor(&mut self) -> PResult<Block> {
        if !self.at(T::CaretIdentifier) {
            return Err(self.expected("expected block name"));
        }
        let t = self.advance();
        let name = self.text(t);
        self.note_place(|places| places.use_block(name, t.start));
        self.block_named(name, t.start)
    }

    /// `(%a, %b : t, t)` after a successor, or nothing.
    pub fn parse_successor_args(&mut self) -> PResult<Vec<Value>> {
        let mut names = Vec::new();
        if !self.eat(T::LParen) {
            return Ok(Vec::new());
        }
        if self.eat(T::RParen) {
            return Ok(Vec::new());
        }
        loop {
            names.push(self.parse_operand()?);
            if !self.eat(T::Comma) {
                break;
            }
        }
        let pos = self.pos();
        self.expect(T::Colon)?;
        let mut types = Vec::new();
        loop {
            types.push(self.parse_type()?);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::RParen)?;
        self.resolve_operands(&names, &types, pos)
    }
}
