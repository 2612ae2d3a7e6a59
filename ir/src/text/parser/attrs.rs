//! Attributes.

use super::{PResult, Parser};
use crate::attr::{Attr, AttrData};
use crate::builder::OpState;
use crate::context::Str;
use crate::num::Float;
use crate::opdef::DialectDef;
use crate::text::places::Span;
use crate::text::token::TokenKind as T;
use crate::types::{DYNAMIC, Type, TypeData};

impl<'a> Parser<'a> {
    /// Any attribute.
    pub fn parse_attr(&mut self) -> PResult<Attr> {
        self.parse_attr_of(None)
    }

    /// Any attribute; where it may leave its type out, the type is `ty`.
    pub fn parse_attr_of(&mut self, ty: Option<Type>) -> PResult<Attr> {
        self.nodes += 1;
        self.nested(|p| p.parse_attr_inner(ty))
    }

    fn parse_attr_inner(&mut self, ty: Option<Type>) -> PResult<Attr> {
        match self.kind() {
            T::AtIdentifier => self.parse_symbol_ref(),
            T::Float => {
                let t = self.advance();
                self.float_attr(self.text(t), false, t.start, ty)
            }
            T::Integer => self.parse_number_attr(false, ty),
            T::Minus => {
                self.advance();
                match self.kind() {
                    T::Integer => self.parse_number_attr(true, ty),
                    T::Float => {
                        let t = self.advance();
                        self.float_attr(self.text(t), true, t.start, ty)
                    }
                    _ => Err(self.expected("expected constant integer or floating point value")),
                }
            }
            T::HashIdentifier => self.parse_hash_attr(ty),
            T::LBrace => {
                let entries = self.parse_attr_dict_entries()?;
                Ok(self.ctx.dict_attr(entries))
            }
            T::LSquare => {
                let mut v = Vec::new();
                self.parse_list(T::LSquare, T::RSquare, |p| {
                    v.push(p.parse_attr()?);
                    Ok(())
                })?;
                Ok(self.ctx.array_attr(v))
            }
            T::String => {
                let value = self.parse_string()?.into_boxed_slice();
                let ty = match ty {
                    Some(t) => Some(t),
                    None if self.eat(T::Colon) => Some(self.parse_type()?),
                    None => None,
                };
                let ty = ty.filter(|t| *t != self.ctx.none_type());
                Ok(self.ctx.attr(AttrData::String { value, ty }))
            }
            T::BareIdentifier => match self.spelling() {
                "true" | "false" => {
                    let t = self.advance();
                    let v = self.text(t) == "true";
                    Ok(self.ctx.bool_attr(v))
                }
                "unit" => {
                    self.advance();
                    Ok(self.ctx.unit())
                }
                "affine_map" => {
                    self.advance();
                    self.expect(T::Less)?;
                    let m = self.parse_map_body()?;
                    self.expect(T::Greater)?;
                    Ok(self.ctx.map_attr(m))
                }
                "affine_set" => {
                    self.advance();
                    self.expect(T::Less)?;
                    let s = self.parse_set_body()?;
                    self.expect(T::Greater)?;
                    Ok(self.ctx.set_attr(s))
                }
                "dense" => self.parse_dense(ty),
                "array" => self.parse_dense_array(),
                "dense_resource" => self.parse_dense_resource(ty),
                "sparse" => self.parse_sparse(ty),
                "strided" => self.parse_strided(),
                "distinct" => self.parse_distinct(),
                "loc" => self.parse_loc_attr(),
                _ => self.parse_type_attr(),
            },
            T::LParen | T::ExclamationIdentifier | T::IntType => self.parse_type_attr(),
            _ => Err(self.expected("expected attribute value")),
        }
    }

    fn parse_type_attr(&mut self) -> PResult<Attr> {
        match self.parse_optional_type()? {
            Some(t) => Ok(self.ctx.type_attr(t)),
            None => Err(self.expected("expected attribute value")),
        }
    }

    // ---- numbers ----

    fn parse_number_attr(&mut self, negative: bool, ty: Option<Type>) -> PResult<Attr> {
        let t = self.advance();
        let text = self.text(t);
        let ty = match ty {
            Some(t) => t,
            None if self.eat(T::Colon) => self.parse_type()?,
            None => self.ctx.i64(),
        };
        if let Some(kind) = ty.float_kind(self.ctx) {
            // A hexadecimal literal is the bits of the float; a decimal one is an error.
            let Some(hex) = text.strip_prefix("0x") else {
                let m = "unexpected decimal integer literal for a floating point value";
                let failed = self.error(t.start, m);
                self.note(t.end, "add a trailing dot to make the literal a float");
                return Err(failed);
            };
            if negative {
                return Err(self.error(
                    t.start,
                    "hexadecimal float literal should not have a leading minus",
                ));
            }
            let digits = hex.trim_start_matches('0');
            let bits = if digits.is_empty() {
                Some(0)
            } else {
                u128::from_str_radix(digits, 16).ok()
            };
            let bits = bits.filter(|b| kind.width() == 128 || b >> kind.width() == 0);
            return match bits {
                Some(b) => Ok(self.ctx.attr(AttrData::Float {
                    ty,
                    value: Float::from_bits(kind, b),
                })),
                None => {
                    Err(self.error(t.start, "hexadecimal float constant out of range for type"))
                }
            };
        }
        let Some((width, signed)) = self.int_literal_type(ty) else {
            return Err(self.error(t.start, "integer literal not valid for specified type"));
        };
        let value = self.int_attr_literal(text, negative, width, signed, t.start)?;
        Ok(self.ctx.attr(AttrData::Integer { ty, value }))
    }

    /// Width of an integer or index type, and its signedness.
    fn int_literal_type(&self, ty: Type) -> Option<(u32, crate::types::Signedness)> {
        match ty.data(self.ctx) {
            TypeData::Index => Some((64, crate::types::Signedness::Signed)),
            TypeData::Integer { width, sign } => Some((*width, *sign)),
            _ => None,
        }
    }

    pub(super) fn int_attr_literal(
        &mut self,
        text: &str,
        negative: bool,
        width: u32,
        sign: crate::types::Signedness,
        pos: u32,
    ) -> PResult<crate::num::Int> {
        use crate::types::Signedness as S;
        if sign == S::Unsigned && negative {
            return Err(self.error(
                pos,
                "negative integer literal not valid for unsigned integer type",
            ));
        }
        self.int_literal(text, negative, width, sign == S::Signed, pos)
    }

    fn float_attr(
        &mut self,
        text: &str,
        negative: bool,
        pos: u32,
        ty: Option<Type>,
    ) -> PResult<Attr> {
        let ty = match ty {
            Some(t) => t,
            None if self.eat(T::Colon) => self.parse_type()?,
            None => self.ctx.f64(),
        };
        let Some(kind) = ty.float_kind(self.ctx) else {
            return Err(self.error(pos, "floating point value not valid for specified type"));
        };
        let value = self.float_literal(kind, text, negative, pos)?;
        Ok(self.ctx.attr(AttrData::Float { ty, value }))
    }

    pub(super) fn float_literal(
        &mut self,
        kind: crate::num::FloatKind,
        text: &str,
        negative: bool,
        pos: u32,
    ) -> PResult<Float> {
        // Upstream reads every decimal literal as a double first. For the formats
        // wider than that it would lose bits that it prints itself.
        let value = if kind.width() > 64 {
            Float::parse(kind, text)
        } else {
            Float::parse_through_f64(kind, text)
        };
        match value {
            Ok(v) => Ok(if negative { v.neg() } else { v }),
            Err(_) => Err(self.error(pos, "floating point value too large for attribute")),
        }
    }

    // ---- symbols ----

    /// `@a::@b::@c`.
    fn parse_symbol_ref(&mut self) -> PResult<Attr> {
        let mut path = vec![self.parse_symbol_str(false)?];
        while self.at(T::Colon) {
            // `::` is two tokens; a lone `:` begins a type.
            let save = (self.tok, self.lexer.clone(), self.last_end);
            let first = self.advance();
            if !(self.at(T::Colon) && self.tok.start == first.end) {
                (self.tok, self.lexer, self.last_end) = save;
                break;
            }
            self.advance();
            if !self.at(T::AtIdentifier) {
                return Err(self.expected("expected nested symbol reference identifier"));
            }
            path.push(self.parse_symbol_str(true)?);
        }
        Ok(self.ctx.attr(AttrData::SymbolRef(path)))
    }

    /// `nested`: it follows another one in a path.
    fn parse_symbol_str(&mut self, nested: bool) -> PResult<Str> {
        let t = self.advance();
        let span = Span {
            start: t.start,
            end: t.end,
        };
        self.note_place(|places| places.symbol(span, nested));
        match crate::text::literal::symbol_name(self.text(t)) {
            Some(s) => Ok(self.ctx.intern(&s)),
            None => Err(self.error(t.start, "symbol name is not UTF-8")),
        }
    }

    /// `@name`, as its text.
    pub fn parse_symbol_name(&mut self) -> PResult<String> {
        if !self.at(T::AtIdentifier) {
            return Err(self.expected("expected valid '@'-identifier for symbol name"));
        }
        let s = self.parse_symbol_str(false)?;
        Ok(self.ctx.str(s).to_string())
    }

    /// The name of `@name`, without `@`; `None` if no such token comes next.
    pub fn parse_optional_symbol_name(&mut self) -> PResult<Option<String>> {
        if self.at(T::AtIdentifier) {
            self.parse_symbol_name().map(Some)
        } else {
            Ok(None)
        }
    }

    /// A symbol reference attribute.
    pub fn parse_symbol_attr(&mut self) -> PResult<Attr> {
        if !self.at(T::AtIdentifier) {
            return Err(self.expected("expected symbol reference"));
        }
        self.parse_symbol_ref()
    }

    // ---- dictionaries ----

    /// `{name = value, flag, "quoted" = value}`.
    pub fn parse_attr_dict_entries(&mut self) -> PResult<Vec<(Str, Attr)>> {
        let mut v: Vec<(Str, Attr)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        self.parse_list(T::LBrace, T::RBrace, |p| {
            let pos = p.pos();
            let name = match p.kind() {
                T::String => match String::from_utf8(p.parse_string()?) {
                    Ok(s) if !s.is_empty() => s,
                    _ => return Err(p.error(pos, "expected valid attribute name")),
                },
                T::BareIdentifier | T::IntType => p.spelling_owned(),
                _ => return Err(p.expected("expected attribute name")),
            };
            let key = p.ctx.intern(&name);
            // Few names are quicker compared one by one.
            let known = match v.len() {
                0..=16 => v.iter().any(|e| e.0 == key),
                n => {
                    if n == 17 {
                        seen.extend(v.iter().map(|e| e.0));
                    }
                    !seen.insert(key)
                }
            };
            if known {
                return Err(p.error(
                    pos,
                    format!("duplicate key '{name}' in dictionary attribute"),
                ));
            }
            let value = if p.eat(T::Equal) {
                p.parse_attr()?
            } else {
                p.ctx.unit()
            };
            v.push((key, value));
            Ok(())
        })?;
        Ok(v)
    }

    fn spelling_owned(&mut self) -> String {
        let t = self.advance();
        self.text(t).to_string()
    }

    /// `{...}` into an op, if there is one. The names must be new to the op.
    pub fn parse_optional_attr_dict(&mut self, state: &mut OpState) -> PResult<()> {
        if !self.at(T::LBrace) {
            return Ok(());
        }
        let pos = self.pos();
        let entries = self.parse_attr_dict_entries()?;
        // The entries differ from each other, so only what was there can be repeated.
        let before = state.attrs.len();
        for (k, a) in entries {
            if state.attrs[..before].iter().any(|e| e.0 == k) {
                let name = self.ctx.str(k).to_string();
                return Err(self.error(pos, format!("found duplicate '{name}' attribute entry")));
            }
            state.attrs.push((k, a));
        }
        Ok(())
    }

    /// `attributes {...}` into an op, if it is there.
    pub fn parse_optional_attr_dict_with_keyword(&mut self, state: &mut OpState) -> PResult<()> {
        if !self.eat_keyword("attributes") {
            return Ok(());
        }
        if !self.at(T::LBrace) {
            return Err(self.expected("expected '{' in attribute dictionary"));
        }
        self.parse_optional_attr_dict(state)
    }

    // ---- `#...` ----

    fn parse_hash_attr(&mut self, ty: Option<Type>) -> PResult<Attr> {
        let pos = self.pos();
        let t = self.advance();
        let s = &self.text(t)[1..];
        if !s.contains('.') && !self.at(T::Less) {
            return match self.attr_aliases.get(s).copied() {
                Some(a) => self.use_alias(a, pos),
                None => Err(self.error(pos, format!("undefined symbol alias id '{s}'"))),
            };
        }
        let (dialect, name) = s.split_once('.').unwrap_or((s, ""));
        // A dialect without attributes that others have with some: those are text.
        let foreign = |d: &DialectDef| d.attrs.is_empty() && self.ctx.foreign(dialect).is_some();
        if let Some(d) = self.ctx.dialect(dialect).filter(|d| !foreign(d)) {
            // `#dialect<mnemonic body>` is the long form of `#dialect.mnemonic body`.
            let long = name.is_empty();
            let name = if long {
                self.expect(T::Less)?;
                self.parse_keyword()?
            } else {
                name
            };
            let Some(def) = d.attrs.iter().find(|d| d.mnemonic == name) else {
                return Err(self.error(
                    pos,
                    format!("unknown attribute `{name}` in dialect `{dialect}`"),
                ));
            };
            let params = (def.parse)(self)?;
            if long {
                self.expect(T::Greater)?;
            }
            let data = AttrData::Dialect {
                dialect: d.name,
                mnemonic: def.mnemonic,
                params,
            };
            return Ok(self.ctx.attr(data));
        }
        let body = self.parse_opaque_body(t.start + 1 + dialect.len() as u32)?;
        let config = &self.ctx.config;
        let allowed = config.allow_unregistered || config.allow_unregistered_attrs;
        // Attributes of a dialect that others have are what they are for others.
        if !allowed && self.ctx.foreign(dialect).is_none() {
            let m = format!(
                "`#{dialect}<\"{body}\">` attribute created with unregistered dialect. If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use -allow-unregistered-dialect with the MLIR opt tool used"
            );
            return Err(self.error(pos, m));
        }
        let ty = match ty {
            Some(t) => Some(t),
            None if self.eat(T::Colon) => Some(self.parse_type()?),
            None => None,
        };
        Ok(self.ctx.attr(AttrData::Opaque {
            dialect: dialect.into(),
            body: body.into(),
            ty,
        }))
    }

    /// The attribute `#dialect.mnemonic` of a registered dialect, its name written or
    /// left out.
    pub fn parse_attr_params(&mut self, dialect: &str, mnemonic: &str) -> PResult<Attr> {
        let found = self
            .ctx
            .dialect(dialect)
            .and_then(|d| Some((d.name, d.attrs.iter().find(|x| x.mnemonic == mnemonic)?)));
        let Some((dialect, def)) = found else {
            return Err(self.error_here(format!(
                "unknown attribute `{mnemonic}` in dialect `{dialect}`"
            )));
        };
        if self.at(T::HashIdentifier) {
            let pos = self.pos();
            let a = self.parse_attr()?;
            return match a.as_dialect(self.ctx, dialect, mnemonic) {
                Some(_) => Ok(a),
                None => Err(self.op_error(pos, "invalid kind of attribute specified")),
            };
        }
        let params = (def.parse)(self)?;
        Ok(self.ctx.attr(AttrData::Dialect {
            dialect,
            mnemonic: def.mnemonic,
            params,
        }))
    }

    // ---- the rest ----

    /// `strided<[1, ?], offset: 3>`.
    fn parse_strided(&mut self) -> PResult<Attr> {
        let pos = self.pos();
        self.advance();
        self.expect_msg(T::Less, "expected '<' after 'strided'")?;
        let mut strides = Vec::new();
        self.parse_list(T::LSquare, T::RSquare, |p| {
            let pos = p.pos();
            let v = p.parse_i64_or_dynamic()?;
            if v == 0 {
                return Err(p.error(pos, "expected non-zero integer"));
            }
            strides.push(v);
            Ok(())
        })?;
        let mut offset = 0;
        if self.eat(T::Comma) {
            if !self.eat_keyword("offset") {
                return Err(self.expected("expected 'offset' after comma"));
            }
            self.expect_msg(T::Colon, "expected ':' after 'offset'")?;
            offset = self.parse_i64_or_dynamic()?;
        }
        self.expect(T::Greater)?;
        if strides.contains(&0) {
            return Err(self.error(pos, "strides must not be zero"));
        }
        Ok(self.ctx.attr(AttrData::Strided { strides, offset }))
    }

    /// An integer or `?`.
    pub(crate) fn parse_i64_or_dynamic(&mut self) -> PResult<i64> {
        if self.eat(T::Question) {
            return Ok(DYNAMIC);
        }
        match self.parse_optional_i64()? {
            Some(v) => Ok(v),
            None => Err(self.expected("expected a 64-bit signed integer or '?'")),
        }
    }

    /// `distinct[3]<value>`.
    fn parse_distinct(&mut self) -> PResult<Attr> {
        self.advance();
        self.expect_msg(T::LSquare, "expected '[' after 'distinct'")?;
        if !self.at(T::Integer) {
            return Err(self.expected("expected distinct ID"));
        }
        let t = self.advance();
        let Some(id) = crate::text::literal::integer_u64(self.text(t)) else {
            return Err(self.error(t.start, "expected an unsigned 64-bit integer"));
        };
        self.expect_msg(T::RSquare, "expected ']' to close distinct ID")?;
        self.expect_msg(T::Less, "expected '<' after distinct ID")?;
        let value = if self.at(T::Greater) {
            self.ctx.unit()
        } else {
            self.parse_attr()?
        };
        self.expect_msg(T::Greater, "expected '>' to close distinct attribute")?;
        Ok(self.ctx.attr(AttrData::Distinct { id, value }))
    }
}
