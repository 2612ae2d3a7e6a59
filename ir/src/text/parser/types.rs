//! Types.

use super::{PResult, Parser};
use crate::num::FloatKind;
use crate::opdef::DialectDef;
use crate::text::token::TokenKind as T;
use crate::types::{DYNAMIC, Signedness, Type, TypeData};

impl<'a> Parser<'a> {
    /// A type, function types without parentheses around their one result included.
    pub fn parse_type(&mut self) -> PResult<Type> {
        self.nodes += 1;
        if self.at(T::LParen) {
            return self.parse_function_type();
        }
        self.parse_non_function_type()
    }

    /// A type if one starts here.
    pub fn parse_optional_type(&mut self) -> PResult<Option<Type>> {
        let starts = match self.kind() {
            T::LParen | T::ExclamationIdentifier | T::IntType => true,
            T::BareIdentifier => {
                let s = self.spelling();
                matches!(
                    s,
                    "index" | "none" | "memref" | "tensor" | "vector" | "complex" | "tuple"
                ) || FloatKind::from_name(s).is_some()
            }
            _ => false,
        };
        if starts {
            self.parse_type().map(Some)
        } else {
            Ok(None)
        }
    }

    /// `:` and a type.
    pub fn parse_colon_type(&mut self) -> PResult<Type> {
        self.expect(T::Colon)?;
        self.parse_type()
    }

    /// `:` and types separated by commas.
    pub fn parse_colon_type_list(&mut self) -> PResult<Vec<Type>> {
        self.expect(T::Colon)?;
        self.parse_type_list()
    }

    /// Types separated by commas, at least one.
    pub fn parse_type_list(&mut self) -> PResult<Vec<Type>> {
        let mut v = vec![self.parse_type()?];
        while self.eat(T::Comma) {
            v.push(self.parse_type()?);
        }
        Ok(v)
    }

    /// `(t, t)`, possibly empty.
    pub(crate) fn parse_paren_type_list(&mut self) -> PResult<Vec<Type>> {
        let mut v = Vec::new();
        self.parse_list(T::LParen, T::RParen, |p| {
            v.push(p.parse_type()?);
            Ok(())
        })?;
        Ok(v)
    }

    /// `t` or `(t, t)`.
    pub fn parse_function_result_types(&mut self) -> PResult<Vec<Type>> {
        if self.at(T::LParen) {
            return self.parse_paren_type_list();
        }
        Ok(vec![self.parse_non_function_type()?])
    }

    /// `-> t` or `-> (t, t)`, or nothing.
    pub fn parse_optional_arrow_types(&mut self) -> PResult<Vec<Type>> {
        if self.eat(T::Arrow) {
            self.parse_function_result_types()
        } else {
            Ok(Vec::new())
        }
    }

    fn parse_function_type(&mut self) -> PResult<Type> {
        self.nested(|p| {
            let inputs = p.parse_paren_type_list()?;
            p.expect_msg(T::Arrow, "expected '->' in function type")?;
            let results = p.parse_function_result_types()?;
            Ok(p.ctx.ty(TypeData::Function { inputs, results }))
        })
    }

    /// A function type as its parts.
    pub fn parse_signature(&mut self) -> PResult<(Vec<Type>, Vec<Type>)> {
        let inputs = self.parse_paren_type_list()?;
        self.expect_msg(T::Arrow, "expected '->' in function type")?;
        Ok((inputs, self.parse_function_result_types()?))
    }

    fn parse_non_function_type(&mut self) -> PResult<Type> {
        match self.kind() {
            T::IntType => {
                let pos = self.pos();
                let t = self.advance();
                self.int_type(self.text(t), pos)
            }
            T::ExclamationIdentifier => self.parse_dialect_type(),
            T::BareIdentifier => {
                let s = self.spelling();
                if let Some(k) = FloatKind::from_name(s) {
                    self.advance();
                    return Ok(self.ctx.float(k));
                }
                match s {
                    "index" => {
                        self.advance();
                        Ok(self.ctx.index())
                    }
                    "none" => {
                        self.advance();
                        Ok(self.ctx.none_type())
                    }
                    "memref" => self.nested(Self::parse_memref),
                    "tensor" => self.nested(Self::parse_tensor),
                    "vector" => self.nested(Self::parse_vector),
                    "complex" => self.nested(Self::parse_complex),
                    "tuple" => self.nested(Self::parse_tuple),
                    _ => Err(self.expected("expected non-function type")),
                }
            }
            _ => Err(self.expected("expected non-function type")),
        }
    }

    fn int_type(&mut self, s: &str, pos: u32) -> PResult<Type> {
        let (sign, digits) = match s.as_bytes() {
            [b's', b'i', ..] => (Signedness::Signed, &s[2..]),
            [b'u', b'i', ..] => (Signedness::Unsigned, &s[2..]),
            _ => (Signedness::Signless, &s[1..]),
        };
        const MAX: u32 = (1 << 24) - 1;
        match digits.parse::<u32>() {
            Ok(w) if w <= MAX => Ok(match sign {
                Signedness::Signless => self.ctx.int(w),
                sign => self.ctx.ty(TypeData::Integer { width: w, sign }),
            }),
            Ok(_) => Err(self.error(pos, format!("integer bitwidth is limited to {MAX} bits"))),
            Err(_) => Err(self.error(pos, "invalid integer width")),
        }
    }

    fn parse_complex(&mut self) -> PResult<Type> {
        self.advance();
        self.expect_msg(T::Less, "expected '<' in complex type")?;
        let pos = self.pos();
        let elem = self.parse_type()?;
        if !elem.is_int(self.ctx) && !elem.is_float(self.ctx) {
            return Err(self.error(pos, "invalid element type for complex"));
        }
        self.expect_msg(T::Greater, "expected '>' in complex type")?;
        Ok(self.ctx.ty(TypeData::Complex(elem)))
    }

    fn parse_tuple(&mut self) -> PResult<Type> {
        self.advance();
        self.expect_msg(T::Less, "expected '<' in tuple type")?;
        let mut v = Vec::new();
        if !self.at(T::Greater) {
            v = self.parse_type_list()?;
        }
        self.expect_msg(T::Greater, "expected '>' in tuple type")?;
        Ok(self.ctx.ty(TypeData::Tuple(v)))
    }

    // ---- shapes ----

    /// `4x?x` before an element type: dimensions each followed by `x`.
    pub fn parse_dims(&mut self, allow_dynamic: bool, trailing_x: bool) -> PResult<Vec<i64>> {
        let mut dims = Vec::new();
        if trailing_x {
            while self.at(T::Integer) || self.at(T::Question) {
                dims.push(self.parse_dim(allow_dynamic)?);
                self.expect_x()?;
            }
            return Ok(dims);
        }
        if self.at(T::Integer) || self.at(T::Question) {
            loop {
                dims.push(self.parse_dim(allow_dynamic)?);
                if !(self.is_word() && self.spelling().starts_with('x')) {
                    break;
                }
                self.expect_x()?;
            }
        }
        Ok(dims)
    }

    fn parse_dim(&mut self, allow_dynamic: bool) -> PResult<i64> {
        let pos = self.pos();
        if self.at(T::Question) {
            if !allow_dynamic {
                return Err(self.error(pos, "expected static shape"));
            }
            self.advance_to_separator(self.tok);
            return Ok(DYNAMIC);
        }
        if !self.at(T::Integer) {
            return Err(self.expected("expected integer or '?' in dimension list"));
        }
        let t = self.lexer.split_hexadecimal(self.tok);
        let value = self.text(t).parse::<i64>();
        self.advance_to_separator(t);
        match value {
            Ok(v) => Ok(v),
            Err(_) => Err(self.error(pos, "invalid dimension")),
        }
    }

    /// Pass a dimension; an `x` behind it is a token of its own.
    fn advance_to_separator(&mut self, dim: crate::text::token::Token) {
        self.last_end = dim.end;
        self.lexer.reset(dim.end);
        self.tok = match self.lexer.lex_separator() {
            Some(x) => x,
            None => self.lexer.lex(),
        };
    }

    fn expect_x(&mut self) -> PResult<()> {
        match self.lexer.lex_after_x(self.tok) {
            Some(next) => {
                self.last_end = self.tok.start + 1;
                self.tok = next;
                Ok(())
            }
            None => Err(self.expected("expected 'x' in dimension list")),
        }
    }

    fn parse_vector(&mut self) -> PResult<Type> {
        self.advance();
        self.expect_msg(T::Less, "expected '<' in vector type")?;
        let (mut shape, mut scalable) = (Vec::new(), Vec::new());
        let mut bad = None;
        while self.at(T::Integer) || self.at(T::LSquare) || self.at(T::Question) {
            let is_scalable = self.eat(T::LSquare);
            let pos = self.pos();
            if self.at(T::Question) {
                return Err(self.error(pos, "expected static shape"));
            }
            let d = self.parse_dim(false)?;
            bad = bad.or((d <= 0).then_some(pos));
            shape.push(d);
            scalable.push(is_scalable);
            if is_scalable {
                self.expect_msg(T::RSquare, "missing ']' closing scalable dimension")?;
            }
            self.expect_x()?;
        }
        if let Some(pos) = bad {
            let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
            let sizes = sizes.join(", ");
            let m = format!("vector types must have positive constant sizes but got {sizes}");
            return Err(self.error(pos, m));
        }
        if !scalable.contains(&true) {
            scalable.clear();
        }
        let pos = self.pos();
        let elem = self.parse_type()?;
        self.expect_msg(T::Greater, "expected '>' in vector type")?;
        let ok = elem.is_int_or_index(self.ctx) || elem.is_float(self.ctx);
        if !ok {
            let text = self.ctx.type_text(elem);
            let m = format!(
                "failed to verify 'elementType': VectorElementTypeInterface instance, but got {text}"
            );
            return Err(self.error(pos, m));
        }
        Ok(self.ctx.ty(TypeData::Vector {
            shape,
            elem,
            scalable,
        }))
    }

    fn parse_tensor(&mut self) -> PResult<Type> {
        self.advance();
        self.expect_msg(T::Less, "expected '<' in tensor type")?;
        let unranked = self.eat(T::Star);
        let mut shape = Vec::new();
        if unranked {
            self.expect_x()?;
        } else {
            shape = self.parse_dims(true, true)?;
        }
        let elem_pos = self.pos();
        let elem = self.parse_type()?;
        let mut encoding = None;
        if self.eat(T::Comma) {
            encoding = Some(self.parse_attr()?);
            if unranked {
                return Err(self.error(elem_pos, "cannot apply encoding to unranked tensor"));
            }
        }
        self.expect_msg(T::Greater, "expected '>' in tensor type")?;
        if !self.valid_tensor_element(elem) {
            return Err(self.error(
                elem_pos,
                "invalid tensor element type: '".to_string() + &self.ctx.type_text(elem) + "'",
            ));
        }
        Ok(self.ctx.ty(match unranked {
            true => TypeData::UnrankedTensor(elem),
            false => TypeData::Tensor {
                shape,
                elem,
                encoding,
            },
        }))
    }

    fn valid_tensor_element(&self, t: Type) -> bool {
        !matches!(
            t.data(self.ctx),
            TypeData::Function { .. }
                | TypeData::Tuple(_)
                | TypeData::None
                | TypeData::Tensor { .. }
                | TypeData::UnrankedTensor(_)
                | TypeData::MemRef { .. }
                | TypeData::UnrankedMemRef { .. }
        )
    }

    fn parse_memref(&mut self) -> PResult<Type> {
        use crate::attr::AttrData as A;
        self.advance();
        let start = self.pos();
        self.expect_msg(T::Less, "expected '<' in memref type")?;
        let unranked = self.eat(T::Star);
        let mut shape = Vec::new();
        if unranked {
            self.expect_x()?;
        } else {
            shape = self.parse_dims(true, true)?;
        }
        let pos = self.pos();
        let elem = self.parse_type()?;
        let ok = !matches!(
            elem.data(self.ctx),
            TypeData::Function { .. }
                | TypeData::Tuple(_)
                | TypeData::None
                | TypeData::Tensor { .. }
                | TypeData::UnrankedTensor(_)
        );
        if !ok {
            return Err(self.error(pos, "invalid memref element type"));
        }
        let (mut layout, mut space) = (None, None);
        while self.eat(T::Comma) {
            let pos = self.pos();
            let a = self.parse_attr()?;
            match a.data(self.ctx) {
                A::AffineMap(_) | A::Strided { .. } => {
                    if unranked {
                        return Err(
                            self.error(pos, "cannot have affine map for unranked memref type")
                        );
                    }
                    if layout.is_some() || space.is_some() {
                        return Err(
                            self.error(pos, "expected memory space to be last in memref type")
                        );
                    }
                    layout = Some(a);
                }
                _ => {
                    if space.is_some() {
                        return Err(
                            self.error(pos, "multiple memory spaces specified in memref type")
                        );
                    }
                    space = Some(a);
                }
            }
        }
        self.expect_msg(T::Greater, "expected '>' in memref type")?;
        if unranked {
            return Ok(self.ctx.ty(TypeData::UnrankedMemRef {
                elem,
                space: self.normal_space(space),
            }));
        }
        if let Some(l) = layout {
            match l.data(self.ctx) {
                A::AffineMap(m) => {
                    if m.num_dims() as usize != shape.len() {
                        let m = format!(
                            "memref layout mismatch between rank and affine map: {} != {}",
                            shape.len(),
                            m.num_dims()
                        );
                        return Err(self.error(start, m));
                    }
                    if m.is_identity() && m.num_symbols() == 0 {
                        layout = None;
                    }
                }
                A::Strided { strides, .. } if strides.len() != shape.len() => {
                    return Err(
                        self.error(start, "expected the number of strides to match the rank")
                    );
                }
                _ => {}
            }
        }
        let space = self.normal_space(space);
        Ok(self.ctx.ty(TypeData::MemRef {
            shape,
            elem,
            layout,
            space,
        }))
    }

    /// Memory space 0 is the default one and is not stored.
    fn normal_space(&self, space: Option<crate::attr::Attr>) -> Option<crate::attr::Attr> {
        space.filter(|s| {
            !(s.as_i64(self.ctx) == Some(0) && s.typed(self.ctx) == Some(self.ctx.i64()))
        })
    }

    /// `!alias`, `!dialect.type<...>` or `!dialect<"...">`.
    fn parse_dialect_type(&mut self) -> PResult<Type> {
        let pos = self.pos();
        let t = self.advance();
        let s = &self.text(t)[1..];
        if !s.contains('.') && !self.at(T::Less) {
            return match self.type_aliases.get(s).copied() {
                Some(t) => self.use_alias(t, pos),
                None => Err(self.error(pos, format!("undefined symbol alias id '{s}'"))),
            };
        }
        let (dialect, name) = s.split_once('.').unwrap_or((s, ""));
        // A dialect without types that others have with some: those are text.
        let here = self.ctx.dialect(dialect);
        let foreign = |d: &DialectDef| d.types.is_empty() && self.ctx.foreign(dialect).is_some();
        let text = here.is_some_and(foreign);
        if let Some(d) = here.filter(|_| !text) {
            let Some(def) = d.types.iter().find(|d| d.mnemonic == name) else {
                return Err(
                    self.error(pos, format!("unknown type `{name}` in dialect `{dialect}`"))
                );
            };
            let params = self.nested(|p| (def.parse)(p))?;
            return Ok(self.ctx.ty(TypeData::Dialect {
                dialect: d.name,
                mnemonic: def.mnemonic,
                params,
            }));
        }
        let body = self.parse_opaque_body(t.start + 1 + dialect.len() as u32)?;
        if !self.ctx.config.allow_unregistered && !text {
            let m = format!(
                "`!{dialect}<\"{body}\">` type created with unregistered dialect. If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use -allow-unregistered-dialect with the MLIR opt tool used"
            );
            return Err(self.error(pos, m));
        }
        Ok(self.ctx.ty(TypeData::Opaque {
            dialect: dialect.into(),
            body: body.into(),
        }))
    }

    /// What follows the dialect name of an unregistered type or attribute, as text:
    /// `name<...>` of the pretty form `.name<...>`, else what stands in the brackets.
    pub(super) fn parse_opaque_body(&mut self, start: u32) -> PResult<String> {
        let source = self.lexer.source();
        let pretty = source.as_bytes().get(start as usize) == Some(&b'.');
        if !self.at(T::Less) {
            let end = self.last_end;
            return Ok(source[start as usize + 1..end as usize].to_string());
        }
        let less = self.tok;
        // Such bodies are balanced text, not tokens.
        match self.lexer.lex_body(less) {
            Ok(range) => {
                self.last_end = range.end;
                self.tok = self.lexer.lex();
                let from = if pretty { start + 1 } else { range.start + 1 };
                let to = if pretty { range.end } else { range.end - 1 };
                Ok(source[from as usize..to as usize].to_string())
            }
            Err(e) => Err(self.error(e.offset(), e.to_string())),
        }
    }
}
