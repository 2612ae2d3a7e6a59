//! Operations, in generic and custom form.

use super::{Failed, PResult, Parser};
use crate::block::Block;
use crate::builder::{OpState, RegionHolder};
use crate::op::Op;
use crate::opdef::{OpDef, RegionKind, Syntax, traits};
use crate::text::places::Span;
use crate::text::token::TokenKind as T;
use crate::types::Type;

/// One `%name` or `%name:3` before `=`.
#[derive(Clone, Copy)]
struct ResultName<'a> {
    name: &'a str,
    count: u32,
    pos: u32,
}

impl<'a> Parser<'a> {
    /// One op, appended to `block`.
    pub(super) fn parse_op(&mut self, block: Block) -> PResult<Op> {
        let mut results: smallvec::SmallVec<[ResultName<'a>; 2]> = smallvec::SmallVec::new();
        let start = self.pos();
        self.note_place(|places| places.begin_op(start));
        let r = self.parse_op_into(block, &mut results);
        if r.is_err() {
            for n in results {
                self.poison(n.name);
                self.note_place(|places| {
                    let end = n.pos + n.name.len() as u32;
                    let span = Span { start: n.pos, end };
                    let known = |v: &crate::text::places::ValuePlace| v.definition == Some(span);
                    if !places.values.iter().rev().take(64).any(known) {
                        places.define(None, (n.name, 0), None, span);
                    }
                });
            }
        }
        let end = self.last_end;
        self.note_place(|places| places.end_op(end));
        r
    }

    fn parse_op_into(
        &mut self,
        block: Block,
        names: &mut smallvec::SmallVec<[ResultName<'a>; 2]>,
    ) -> PResult<Op> {
        let start = self.pos();
        let mut expected = 0usize;
        if self.at(T::PercentIdentifier) {
            loop {
                if !self.at(T::PercentIdentifier) {
                    return Err(self.expected("expected valid ssa identifier"));
                }
                let t = self.advance();
                let mut n = ResultName {
                    name: self.text(t),
                    count: 1,
                    pos: t.start,
                };
                names.push(n);
                if self.eat(T::Colon) {
                    let pos = self.pos();
                    if !self.at(T::Integer) {
                        return Err(self.expected("expected integer number of results"));
                    }
                    let t = self.advance();
                    match self.text(t).parse::<u32>() {
                        Ok(c) if (1..1 << 20).contains(&c) => n.count = c,
                        _ => {
                            return Err(self
                                .error(pos, "expected named operation to have at least 1 result"));
                        }
                    }
                    if let Some(last) = names.last_mut() {
                        *last = n;
                    }
                }
                expected += n.count as usize;
                if !self.eat(T::Comma) {
                    break;
                }
            }
            self.expect_msg(T::Equal, "expected '=' after SSA name")?;
        }
        let op = match self.kind() {
            T::String => self.parse_generic_op()?,
            T::BareIdentifier => self.parse_custom_op(expected)?,
            _ => return Err(self.expected("expected operation name in quotes")),
        };
        block.push_back(self.ctx, op);
        let have = op.num_results(self.ctx);
        if expected == 0 {
            return Ok(op);
        }
        if have == 0 {
            return Err(self.error(start, "cannot name an operation with no results"));
        }
        if expected != have {
            let m = format!("operation defines {have} results but was provided {expected} to bind");
            return Err(self.error(start, m));
        }
        let mut i = 0;
        let mut failed = false;
        if let [n] = &names[..]
            && (have == 1 || self.ctx.config.keep_group_names)
        {
            self.name_result(op, n.name);
        }
        for n in names.iter() {
            for k in 0..n.count {
                let v = op.result(self.ctx, i);
                i += 1;
                failed |= self.define_value(n.name, k, v, n.pos).is_err();
            }
        }
        if failed { Err(Failed) } else { Ok(op) }
    }

    // ---- generic form ----

    fn parse_generic_op(&mut self) -> PResult<Op> {
        let pos = self.pos();
        let name = match String::from_utf8(self.parse_string()?) {
            Ok(n) => n,
            Err(_) => return Err(self.error(pos, "expected UTF-8 text in operation name")),
        };
        if name.is_empty() {
            return Err(self.error(pos, "empty operation name is invalid"));
        }
        if name.contains('\0') {
            return Err(self.error(pos, "null character not allowed in operation name"));
        }
        let loc = self.loc(pos);
        let def = self.ctx.op_def(&name);
        let quoted = Span {
            start: pos + 1,
            end: self.last_end - 1,
        };
        self.note_place(|places| places.op_name(quoted, def));
        let mut state = match def {
            Some(d) => OpState::new(d, loc),
            None => {
                self.check_unregistered(&name, pos)?;
                OpState::unregistered(self.ctx.intern(&name), loc)
            }
        };
        if self.parse_generic_rest(&mut state).is_err() {
            return Err(self.abandon(state));
        }
        self.finish_op(state)
    }

    /// Keep the regions of an op that could not be parsed until parsing ends.
    fn abandon(&mut self, state: OpState) -> Failed {
        for h in state.regions.into_iter().flatten() {
            let region = h.region(self.ctx);
            let blocks = region.blocks(self.ctx);
            self.orphans.extend(blocks);
        }
        Failed
    }

    fn check_unregistered(&mut self, name: &str, pos: u32) -> PResult<()> {
        if self.ctx.config.allow_unregistered {
            return Ok(());
        }
        let dialect = name.split('.').next().unwrap_or("");
        let m = if self.ctx.dialect(dialect).is_some() {
            format!(
                "unregistered operation '{name}' found in dialect ('{dialect}') that does not allow unknown operations"
            )
        } else {
            format!(
                "operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect with the MLIR tool used (found '{name}')"
            )
        };
        // Reported here, where the name stands, rather than by the verifier later.
        let advice = self.ctx.foreign_advice(name);
        Err(self.error(pos, m + &advice))
    }

    /// `(operands)[successors]<{properties}>({regions}) {attributes} : type`.
    fn parse_generic_rest(&mut self, state: &mut OpState) -> PResult<()> {
        if !self.at(T::LParen) {
            return Err(self.expected("expected '(' to start operand list"));
        }
        let operands = self.parse_delimited_operands(T::LParen, T::RParen)?;
        if self.at(T::LSquare) {
            let pos = self.pos();
            if state.def.is_some_and(|d| !d.is_terminator()) {
                return Err(self.error(pos, "successors in non-terminator"));
            }
            self.parse_list(T::LSquare, T::RSquare, |p| {
                let b = p.parse_successor()?;
                state.successors.push(b);
                Ok(())
            })?;
        }
        if self.at(T::Less) {
            self.advance();
            let pos = self.pos();
            if state.def.is_some() {
                if !self.at(T::LBrace) {
                    return Err(self.expected("expected '{' in properties dictionary"));
                }
                state.attrs = self.parse_attr_dict_entries()?;
                let _ = pos;
            } else {
                state.properties = Some(self.parse_attr()?);
            }
            self.expect_msg(T::Greater, "expected '>' to close properties")?;
        }
        if self.at(T::LParen) {
            let isolated = state.def.is_some_and(|d| d.has(traits::ISOLATED));
            self.parse_list_in(T::LParen, T::RParen, " to end region list", |p| {
                let r = p.parse_region(&[], isolated)?;
                state.regions.push(Some(r));
                Ok(())
            })?;
        }
        self.parse_optional_attr_dict(state)?;
        let pos = self.pos();
        self.expect_msg(T::Colon, "expected ':' followed by operation type")?;
        let type_pos = self.pos();
        if !self.at(T::LParen) && !self.at(T::ExclamationIdentifier) {
            return Err(self.error(type_pos, "expected function type"));
        }
        let ty = self.parse_type()?;
        let Some((inputs, results)) = ty.function_parts(self.ctx) else {
            return Err(self.error(type_pos, "expected function type"));
        };
        let (inputs, results): (Vec<Type>, Vec<Type>) = (inputs.to_vec(), results.to_vec());
        if inputs.len() != operands.len() {
            let plural = if operands.len() == 1 { "" } else { "s" };
            let m = format!(
                "expected {} operand type{plural} but had {}",
                operands.len(),
                inputs.len()
            );
            return Err(self.error(pos, m));
        }
        state.result_types = results;
        for (o, t) in operands.iter().zip(&inputs) {
            let v = self.resolve(*o, *t)?;
            state.operands.push(v);
        }
        Ok(())
    }

    // ---- custom form ----

    fn parse_custom_op(&mut self, num_results: usize) -> PResult<Op> {
        let pos = self.pos();
        let t = self.advance();
        let word = self.text(t);
        let name = Span {
            start: t.start,
            end: t.end,
        };
        self.note_place(|places| places.op_name(name, None));
        let default = self.default_dialects.last().copied().unwrap_or("");
        let def = match self.ctx.op_def(word) {
            Some(d) => d,
            None if default.is_empty() => return Err(self.unknown_custom(word, None, pos)),
            None => {
                let full = format!("{default}.{word}");
                match self.ctx.op_def(&full) {
                    Some(d) => d,
                    None => return Err(self.unknown_custom(word, Some(&full), pos)),
                }
            }
        };
        self.note_place(|places| places.op_name(name, Some(def)));
        let loc = self.loc(pos);
        let mut state = OpState::new(def, loc);
        self.default_dialects
            .push(def.default_dialect.unwrap_or(""));
        self.custom_ops.push(def.name);
        let r = self.parse_by_syntax(def, &mut state, num_results, pos);
        self.custom_ops.pop();
        self.default_dialects.pop();
        if r.is_err() {
            return Err(self.abandon(state));
        }
        let left_out = self.complete_regions(&mut state);
        let op = self.finish_op(state)?;
        // What the text leaves out is where the op is, also where that is written.
        for terminator in left_out {
            terminator.set_loc(self.ctx, op.loc(self.ctx));
        }
        Ok(op)
    }

    fn parse_by_syntax(
        &mut self,
        def: &'static OpDef,
        state: &mut OpState,
        num_results: usize,
        pos: u32,
    ) -> PResult<()> {
        self.num_results = num_results;
        match def.syntax {
            Syntax::Generic => {
                Err(self.error(pos, format!("'{}' has no custom assembly form", def.name)))
            }
            Syntax::Format(_) => crate::text::format::parse(self, def, state),
            Syntax::Custom { parse, .. } => parse(self, state),
        }
    }

    fn unknown_custom(&mut self, word: &str, full: Option<&str>, pos: u32) -> Failed {
        let m = match full {
            Some(f) if !word.contains('.') => {
                format!("custom op '{word}' is unknown (tried '{f}' as well)")
            }
            _ => format!("custom op '{word}' is unknown"),
        };
        let named = full.filter(|_| !word.contains('.')).unwrap_or(word);
        let advice = self.ctx.foreign_advice(named);
        self.error(pos, m + &advice)
    }

    /// The number of results that the text names for the op being parsed.
    pub fn num_named_results(&self) -> usize {
        self.num_results
    }

    /// Add what custom text may leave out: terminators, which are given back, and whole regions.
    fn complete_regions(&mut self, state: &mut OpState) -> Vec<Op> {
        let Some(def) = state.def else {
            return Vec::new();
        };
        let added = match def.implicit_terminator {
            Some(name) => self.add_implicit_terminators(state, name),
            None => Vec::new(),
        };
        if state.regions.len() < def.regions.len() {
            // Regions that the text left out are there, empty.
            let fixed = def
                .regions
                .iter()
                .filter(|r| r.kind != RegionKind::Variadic);
            let n = fixed.count().max(state.regions.len());
            state.regions.resize(n, None);
        }
        added
    }

    /// Make the op, with its location if one is written.
    fn finish_op(&mut self, mut state: OpState) -> PResult<Op> {
        self.update_operands(&mut state.operands);
        let op = state.create(self.ctx);
        if let Some(l) = self.parse_optional_trailing_loc()? {
            self.apply_loc(super::locs::LocTarget::Op(op), l);
        }
        Ok(op)
    }

    /// Add the terminator that the text may leave out, to each block without one.
    fn add_implicit_terminators(&mut self, state: &mut OpState, name: &'static str) -> Vec<Op> {
        let mut added = Vec::new();
        let Some(def) = self.ctx.op_def(name) else {
            return added;
        };
        for h in state.regions.iter().flatten() {
            let region = h.region(self.ctx);
            if region.is_empty(self.ctx) {
                region.add_block(self.ctx, &[]);
            }
            let Some(last) = region.last_block(self.ctx) else {
                continue;
            };
            let ends = last
                .last_op(self.ctx)
                .is_some_and(|op| match op.def(self.ctx) {
                    Some(d) => d.is_terminator(),
                    None => false,
                });
            if !ends {
                let mut terminator = OpState::new(def, state.loc);
                for _ in def
                    .regions
                    .iter()
                    .filter(|r| r.kind == RegionKind::OneBlock)
                {
                    let body = RegionHolder::new(self.ctx);
                    body.region(self.ctx).add_block(self.ctx, &[]);
                    terminator.regions.push(Some(body));
                }
                let op = terminator.create(self.ctx);
                last.push_back(self.ctx, op);
                added.push(op);
            }
        }
        added
    }
}
