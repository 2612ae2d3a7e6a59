//! Locations.

use super::{PResult, Parser};
use crate::attr::{Attr, AttrData};
use crate::block::Block;
use crate::loc::{Loc, LocData};
use crate::op::Op;
use crate::text::token::TokenKind as T;

/// What gets a location that is an alias defined later.
pub(super) enum LocTarget {
    Op(Op),
    Arg(Block, usize),
}

/// A location as parsed: ready, or an alias to look up at the end of the file.
pub(super) enum ParsedLoc<'a> {
    Ready(Loc),
    Alias(&'a str, u32),
}

impl<'a> Parser<'a> {
    /// `loc(...)` behind an op or argument, if it is there.
    pub(super) fn parse_optional_trailing_loc(&mut self) -> PResult<Option<ParsedLoc<'a>>> {
        if !self.eat_keyword("loc") {
            return Ok(None);
        }
        self.note_place(|places| places.has_locations = true);
        self.expect_msg(T::LParen, "expected '(' in location")?;
        if self.at(T::HashIdentifier) && !self.spelling().contains('.') {
            let t = self.advance();
            let name = &self.text(t)[1..];
            self.expect_msg(T::RParen, "expected ')' in location")?;
            return match self.attr_aliases.get(name).copied() {
                Some(a) => {
                    let a = self.use_alias(a, t.start)?;
                    let l = self.loc_of_attr(a, t.start)?;
                    Ok(Some(ParsedLoc::Ready(l)))
                }
                None => {
                    let spelling = self.text(t);
                    self.note_place(|places| places.use_alias(spelling, t.start));
                    Ok(Some(ParsedLoc::Alias(name, t.start)))
                }
            };
        }
        let l = self.parse_loc_instance()?;
        self.expect_msg(T::RParen, "expected ')' in location")?;
        Ok(Some(ParsedLoc::Ready(l)))
    }

    fn loc_of_attr(&mut self, a: Attr, pos: u32) -> PResult<Loc> {
        match a.data(self.ctx) {
            AttrData::Loc(d) => {
                let d = d.clone();
                Ok(Loc::from_data(self.ctx, d))
            }
            _ => {
                let text = self.ctx.attr_text(a);
                Err(self.error(pos, format!("expected location, but found '{text}'")))
            }
        }
    }

    /// The place of a value that has no location of its own, with the value's name
    /// where names are kept.
    pub(super) fn loc_of_value(&mut self, name: &str, pos: u32) -> Loc {
        let loc = self.loc(pos);
        match self.kept_name(name) {
            Some(n) => loc.named(self.ctx, n),
            None => loc,
        }
    }

    /// Let the location of an op without one of its own name its results.
    pub(super) fn name_result(&mut self, op: Op, name: &str) {
        let loc = op.loc(self.ctx);
        if let (Some(n), Loc::File { .. }) = (self.kept_name(name), loc) {
            op.set_loc(self.ctx, loc.named(self.ctx, n));
        }
    }

    fn kept_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let n = name.strip_prefix('%').unwrap_or(name);
        (self.ctx.config.keep_names && n.starts_with(|c: char| !c.is_ascii_digit())).then_some(n)
    }

    pub(super) fn apply_loc(&mut self, target: LocTarget, loc: ParsedLoc<'a>) {
        match (target, loc) {
            (LocTarget::Op(op), ParsedLoc::Ready(l)) => op.set_loc(self.ctx, l),
            (LocTarget::Arg(b, i), ParsedLoc::Ready(l)) => b.set_arg_loc(self.ctx, i, l),
            (t, ParsedLoc::Alias(name, pos)) => self.deferred_locs.push((t, name, pos)),
        }
    }

    /// Look up the location aliases that were used before they were defined.
    pub(super) fn resolve_deferred_locs(&mut self) -> PResult<()> {
        for (target, name, pos) in std::mem::take(&mut self.deferred_locs) {
            let Some(a) = self.attr_aliases.get(name).copied() else {
                return Err(self.error(
                    pos,
                    format!("operation location alias was never defined: '{name}'"),
                ));
            };
            let a = self.use_alias(a, pos)?;
            let l = self.loc_of_attr(a, pos)?;
            self.apply_loc(target, ParsedLoc::Ready(l));
        }
        Ok(())
    }

    /// `loc(...)` as an attribute.
    pub(super) fn parse_loc_attr(&mut self) -> PResult<Attr> {
        self.expect_keyword("loc")?;
        self.expect_msg(T::LParen, "expected '(' in inline location")?;
        let l = self.parse_loc_instance()?;
        self.expect_msg(T::RParen, "expected ')' in inline location")?;
        Ok(self.ctx.attr(AttrData::Loc(l.data(self.ctx))))
    }

    fn parse_loc_instance(&mut self) -> PResult<Loc> {
        self.nodes += 1;
        self.nested(|p| match p.kind() {
            T::HashIdentifier => {
                let pos = p.pos();
                let a = p.parse_attr()?;
                p.loc_of_attr(a, pos)
            }
            T::String => p.parse_name_or_file_loc(),
            T::BareIdentifier => match p.spelling() {
                "unknown" => {
                    p.advance();
                    Ok(Loc::Unknown)
                }
                "callsite" => p.parse_callsite(),
                "fused" => p.parse_fused(),
                _ => Err(p.expected("expected location instance")),
            },
            _ => Err(p.expected("expected location instance")),
        })
    }

    fn parse_callsite(&mut self) -> PResult<Loc> {
        self.advance();
        self.expect_msg(T::LParen, "expected '(' in callsite location")?;
        let callee = self.parse_loc_instance()?;
        if !self.eat_keyword("at") {
            return Err(self.expected("expected 'at' in callsite location"));
        }
        let caller = self.parse_loc_instance()?;
        self.expect_msg(T::RParen, "expected ')' in callsite location")?;
        Ok(Loc::from_data(
            self.ctx,
            LocData::CallSite { callee, caller },
        ))
    }

    fn parse_fused(&mut self) -> PResult<Loc> {
        self.advance();
        let mut metadata = None;
        if self.eat(T::Less) {
            metadata = Some(self.parse_attr()?);
            self.expect_msg(T::Greater, "expected '>' after fused location metadata")?;
        }
        let mut locs = Vec::new();
        if !self.at(T::LSquare) {
            return Err(self.expected("expected '[' in fused location"));
        }
        self.parse_list_in(T::LSquare, T::RSquare, " in fused location", |p| {
            locs.push(p.parse_loc_instance()?);
            Ok(())
        })?;
        // As upstream: a fused location of one location without metadata is it.
        if metadata.is_none() && locs.len() == 1 {
            return Ok(locs[0]);
        }
        if metadata.is_none() && locs.is_empty() {
            return Ok(Loc::Unknown);
        }
        Ok(Loc::from_data(self.ctx, LocData::Fused { metadata, locs }))
    }

    /// `"file":1:2`, `"file":1:2 to 3:4`, or `"name"(child)`.
    fn parse_name_or_file_loc(&mut self) -> PResult<Loc> {
        let pos = self.pos();
        let s = self.parse_string()?;
        let Ok(s) = String::from_utf8(s) else {
            return Err(self.error(pos, "expected UTF-8 text in location"));
        };
        if !self.eat(T::Colon) {
            let mut child = Loc::Unknown;
            if self.eat(T::LParen) {
                child = self.parse_loc_instance()?;
                self.expect_msg(T::RParen, "expected ')' after child location of NameLoc")?;
            }
            let name = self.ctx.intern(&s);
            return Ok(Loc::from_data(self.ctx, LocData::Name { name, child }));
        }
        let file = self.ctx.intern_file(&s);
        let line = self.parse_loc_number("expected integer line number in FileLineColRange")?;
        let mut col = 0;
        if self.eat(T::Colon) {
            col = self.parse_loc_number("expected integer column number in FileLineColRange")?;
        }
        if !self.eat_keyword("to") {
            return Ok(Loc::File { file, line, col });
        }
        let mut end = (line, col);
        if self.at(T::Integer) {
            end.0 = self.parse_loc_number("expected integer line number in FileLineColRange")?;
        }
        if self.eat(T::Colon) {
            end.1 = self.parse_loc_number("expected integer column number in FileLineColRange")?;
        }
        if end == (line, col) {
            return Ok(Loc::File { file, line, col });
        }
        Ok(Loc::from_data(
            self.ctx,
            LocData::Range {
                file,
                start: (line, col),
                end,
            },
        ))
    }

    fn parse_loc_number(&mut self, message: &str) -> PResult<u32> {
        if !self.at(T::Integer) {
            return Err(self.expected(message));
        }
        let t = self.advance();
        match crate::text::literal::integer_u64(self.text(t)).map(u32::try_from) {
            Some(Ok(v)) => Ok(v),
            _ => Err(self.error(t.start, message)),
        }
    }
}
