//! Regions, blocks and their arguments, and going on after errors.

use super::locs::{LocTarget, ParsedLoc};
use super::{Failed, PResult, Parser, UnresolvedOperand};
use crate::attr::Attr;
use crate::block::Block;
use crate::builder::RegionHolder;
use crate::context::Str;
use crate::loc::Loc;
use crate::text::token::TokenKind as T;
use crate::types::Type;

/// An argument of a region's entry block, as op syntax declares it.
#[derive(Debug, Clone)]
pub struct Argument<'a> {
    /// The `%name`; `None` for an argument that only has a type.
    pub name: Option<UnresolvedOperand<'a>>,
    /// The type behind the name, where one is written.
    pub ty: Option<Type>,
    /// The dictionary behind the type.
    pub attrs: Vec<(Str, Attr)>,
    /// The location behind it, where one is written.
    pub loc: Option<Loc>,
    /// An alias for the location, defined later in the file.
    pub(super) loc_alias: Option<(&'a str, u32)>,
}

impl<'a> Argument<'a> {
    /// A named argument of a known type.
    pub fn new(name: UnresolvedOperand<'a>, ty: Type) -> Self {
        Argument {
            name: Some(name),
            ty: Some(ty),
            attrs: Vec::new(),
            loc: None,
            loc_alias: None,
        }
    }
}

impl<'a> Parser<'a> {
    /// `%name`, with `: type`, `{attributes}` and `loc(...)` where asked or present.
    pub fn parse_argument(&mut self, with_type: bool, with_attrs: bool) -> PResult<Argument<'a>> {
        let name = self.parse_operand()?;
        let end = name.pos + name.name.len() as u32;
        if self.last_end != end {
            return Err(self.error(end, "result number not allowed in argument list"));
        }
        let mut arg = Argument {
            name: Some(name),
            ty: None,
            attrs: Vec::new(),
            loc: None,
            loc_alias: None,
        };
        if with_type {
            self.expect_msg(T::Colon, "expected ':' and type for SSA operand")?;
            arg.ty = Some(self.parse_type()?);
        }
        if with_attrs && self.at(T::LBrace) {
            arg.attrs = self.parse_attr_dict_entries()?;
        }
        self.parse_argument_location(&mut arg)?;
        Ok(arg)
    }

    /// `loc(...)` behind an argument, if it is there.
    pub fn parse_argument_location(&mut self, arg: &mut Argument<'a>) -> PResult<()> {
        match self.parse_optional_trailing_loc()? {
            Some(ParsedLoc::Ready(l)) => arg.loc = Some(l),
            Some(ParsedLoc::Alias(n, p)) => arg.loc_alias = Some((n, p)),
            None => {}
        }
        Ok(())
    }

    /// An argument without a name, for declarations that list types only.
    pub fn unnamed_argument(ty: Type) -> Argument<'a> {
        Argument {
            name: None,
            ty: Some(ty),
            attrs: Vec::new(),
            loc: None,
            loc_alias: None,
        }
    }

    /// `{ ... }` with these entry arguments. `isolated` regions see no outer values.
    pub fn parse_region(&mut self, args: &[Argument<'a>], isolated: bool) -> PResult<RegionHolder> {
        if !self.at(T::LBrace) {
            return Err(self.expected("expected '{' to begin a region"));
        }
        self.nested(|p| {
            p.advance();
            let start = p.last_end - 1;
            p.note_place(|places| places.begin_region(start, isolated));
            p.push_value_scope(isolated);
            p.push_block_scope();
            let holder = RegionHolder::new(p.ctx);
            let r = p.parse_region_body(args, holder);
            let end = p.last_end;
            p.note_place(|places| places.end_region(end));
            let blocks = p.pop_block_scope(r.is_err());
            let values = match r {
                Ok(()) => p.pop_value_scope(isolated),
                Err(Failed) => {
                    p.drop_value_scope(isolated);
                    Err(Failed)
                }
            };
            match r.and(blocks).and(values) {
                Ok(()) => Ok(holder),
                Err(Failed) => {
                    // The broken region's ops may be used as placeholders still know
                    // them; they die with the module.
                    let region = holder.region(p.ctx);
                    p.orphans.extend(region.blocks(p.ctx));
                    Err(Failed)
                }
            }
        })
    }

    /// A region if one starts here.
    pub fn parse_optional_region(
        &mut self,
        args: &[Argument<'a>],
        isolated: bool,
    ) -> PResult<Option<RegionHolder>> {
        if self.at(T::LBrace) {
            self.parse_region(args, isolated).map(Some)
        } else {
            Ok(None)
        }
    }

    fn parse_region_body(&mut self, args: &[Argument<'a>], holder: RegionHolder) -> PResult<()> {
        let region = holder.region(self.ctx);
        let empty = self.at(T::RBrace);
        if empty && args.is_empty() {
            self.advance();
            return Ok(());
        }
        let mut failed = false;
        let labelled = self.at(T::CaretIdentifier);
        if !labelled || !args.is_empty() {
            // The entry block, written without a label or named by the op's syntax.
            let entry = region.add_block(self.ctx, &[]);
            let loc = self.loc(self.tok.start);
            entry.set_loc(self.ctx, loc);
            for (i, a) in args.iter().enumerate() {
                let Some(ty) = a.ty else { continue };
                let v = entry.add_arg(self.ctx, ty);
                if let Some(n) = a.name {
                    if let Some(used) = self.position_of(n) {
                        let m = format!("region entry argument '{}' is already in use", n.name);
                        self.error(n.pos, m);
                        self.note(used, "previously referenced here");
                        return Err(Failed);
                    }
                    let loc = a.loc.unwrap_or_else(|| self.loc_of_value(n.name, n.pos));
                    entry.set_arg_loc(self.ctx, i, loc);
                    self.define_value(n.name, 0, v, n.pos)?;
                }
                if let Some((n, p)) = a.loc_alias {
                    self.apply_loc(LocTarget::Arg(entry, i), ParsedLoc::Alias(n, p));
                }
            }
            if labelled {
                if !args.is_empty() && args.iter().any(|a| a.name.is_some()) {
                    return Err(
                        self.error_here("invalid block name in region with named arguments")
                    );
                }
                let t = self.tok;
                let name = self.text(t);
                self.advance();
                self.name_block(name, entry, t.start);
                self.parse_block_args(entry, true)?;
                self.expect_msg(T::Colon, "expected ':' after block name")?;
            }
            failed |= self.parse_block_body(entry).is_err();
        }
        while !(failed && self.ctx.config.first_error_only) && self.at(T::CaretIdentifier) {
            let t = self.advance();
            let Ok(block) = self.define_block(self.text(t), t.start) else {
                failed = true;
                self.recover(false);
                continue;
            };
            region.push_back(self.ctx, block);
            let loc = self.loc(t.start);
            block.set_loc(self.ctx, loc);
            let r = self
                .parse_block_args(block, false)
                .and_then(|()| self.expect_msg(T::Colon, "expected ':' after block name"));
            if r.is_err() {
                failed = true;
                if self.ctx.config.first_error_only {
                    break;
                }
                self.recover(false);
            }
            failed |= self.parse_block_body(block).is_err();
        }
        if failed && self.ctx.config.first_error_only {
            return Err(Failed);
        }
        if !self.eat(T::RBrace) {
            self.expected("expected '}' to end a region");
            failed = true;
        }
        if failed { Err(Failed) } else { Ok(()) }
    }

    /// `(%a: t, %b: t)` of a block label.
    fn parse_block_args(&mut self, block: Block, existing: bool) -> PResult<()> {
        let mut i = 0;
        let have = block.num_args(self.ctx);
        self.parse_optional_list(T::LParen, T::RParen, |p| {
            let a = p.parse_argument(true, false)?;
            let (Some(n), Some(ty)) = (a.name, a.ty) else {
                return Err(Failed);
            };
            let v = if existing && i < have {
                let v = block.arg(p.ctx, i);
                if v.ty(p.ctx) != ty {
                    return Err(p.error(n.pos, "argument and block argument type mismatch"));
                }
                v
            } else {
                block.add_arg(p.ctx, ty)
            };
            let loc = a.loc.unwrap_or_else(|| p.loc_of_value(n.name, n.pos));
            block.set_arg_loc(p.ctx, i, loc);
            if let Some((n, pos)) = a.loc_alias {
                p.apply_loc(LocTarget::Arg(block, i), ParsedLoc::Alias(n, pos));
            }
            i += 1;
            p.define_value(n.name, 0, v, n.pos)
        })?;
        Ok(())
    }

    /// Ops up to the end of the block. Goes on after broken ones.
    fn parse_block_body(&mut self, block: Block) -> PResult<()> {
        let mut failed = false;
        loop {
            match self.kind() {
                T::RBrace | T::CaretIdentifier => break,
                T::Eof => break,
                _ => {}
            }
            let start = self.pos();
            if self.parse_op(block).is_err() {
                failed = true;
                if self.ctx.config.first_error_only {
                    break;
                }
                if self.pos() == start {
                    self.advance();
                }
                self.recover(false);
            }
        }
        if failed { Err(Failed) } else { Ok(()) }
    }

    /// Skip to what looks like the start of an op: a token at the start of a line
    /// that can begin one, outside all brackets opened since the error, or the `}`
    /// or label that ends the block.
    pub(super) fn recover(&mut self, top: bool) {
        let mut depth = 0usize;
        loop {
            let first_on_line = {
                let gap = self
                    .lexer
                    .source()
                    .get(self.last_end as usize..self.tok.start as usize);
                gap.is_some_and(|g| g.contains('\n'))
            };
            match self.kind() {
                T::Eof => return,
                // Its closing brackets may be in what an open string swallowed.
                T::Error => depth = 0,
                T::RBrace if depth == 0 && !top => return,
                T::RBrace | T::RParen | T::RSquare => depth = depth.saturating_sub(1),
                T::LBrace | T::LParen | T::LSquare => depth += 1,
                T::CaretIdentifier if depth == 0 && first_on_line && !top => return,
                T::PercentIdentifier | T::BareIdentifier | T::String
                    if depth == 0 && first_on_line =>
                {
                    return;
                }
                T::HashIdentifier | T::ExclamationIdentifier
                    if top && depth == 0 && first_on_line =>
                {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }
}
