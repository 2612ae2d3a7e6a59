//! Dense elements, dense arrays, sparse elements and resources.

use super::{Failed, PResult, Parser};
use crate::attr::{Attr, AttrData, DenseData};
use crate::num::{Float, Int};
use crate::text::token::{Token, TokenKind as T};
use crate::types::{DYNAMIC, Signedness, Type, TypeData};

/// One element as written, before its type is known.
#[derive(Clone, Copy)]
struct Literal {
    negative: bool,
    token: Token,
}

/// The elements in brackets as written.
#[derive(Default)]
struct Elements {
    shape: Option<Vec<i64>>,
    literals: Vec<Literal>,
    /// `dense<"0x...">`.
    hex: Option<Token>,
    /// Whether elements were written as `(re, im)` pairs.
    complex: bool,
}

impl<'a> Parser<'a> {
    /// `dense<...> : type`.
    pub(super) fn parse_dense(&mut self, ty: Option<Type>) -> PResult<Attr> {
        let pos = self.pos();
        self.advance();
        self.expect_msg(T::Less, "expected '<' after 'dense'")?;
        let mut e = Elements::default();
        if !self.at(T::Greater) {
            e = self.parse_elements()?;
            self.expect(T::Greater)?;
        } else {
            self.advance();
            e.shape = Some(vec![0]);
        }
        let ty = match ty {
            Some(t) => t,
            None => self.parse_elements_type()?,
        };
        self.dense_of(e, ty, pos)
    }

    fn parse_elements_type(&mut self) -> PResult<Type> {
        self.expect(T::Colon)?;
        let pos = self.pos();
        let ty = self.parse_type()?;
        let static_shape = ty.shape(self.ctx).is_some_and(|s| !s.contains(&DYNAMIC));
        let ok = ty.is_vector(self.ctx) || matches!(ty.data(self.ctx), TypeData::Tensor { .. });
        if !ok {
            return Err(self.error(pos, "elements literal must be a shaped type"));
        }
        if !static_shape {
            return Err(self.error(pos, "elements literal type must have static shape"));
        }
        Ok(ty)
    }

    fn parse_elements(&mut self) -> PResult<Elements> {
        let mut e = Elements::default();
        match self.kind() {
            T::LSquare => {
                let shape = self.parse_element_list(&mut e)?;
                e.shape = Some(shape);
            }
            T::String if self.spelling().starts_with("\"0x") => e.hex = Some(self.advance()),
            _ => self.parse_element(&mut e)?,
        }
        Ok(e)
    }

    /// `[a, b]` of elements or lists; the shape, which must be the same for all.
    fn parse_element_list(&mut self, e: &mut Elements) -> PResult<Vec<i64>> {
        self.nested(|p| {
            let pos = p.pos();
            let mut inner: Option<Vec<i64>> = None;
            let mut n = 0;
            p.parse_list(T::LSquare, T::RSquare, |p| {
                let shape = if p.at(T::LSquare) {
                    p.parse_element_list(e)?
                } else {
                    p.parse_element(e)?;
                    Vec::new()
                };
                if inner.as_ref().is_some_and(|i| *i != shape) {
                    return Err(p.error(
                        pos,
                        "tensor literal is invalid; ranks are not consistent between elements",
                    ));
                }
                inner = Some(shape);
                n += 1;
                Ok(())
            })?;
            let mut shape = vec![n];
            shape.extend(inner.unwrap_or_default());
            Ok(shape)
        })
    }

    fn parse_element(&mut self, e: &mut Elements) -> PResult<()> {
        if self.at(T::LParen) {
            e.complex = true;
            self.advance();
            self.parse_scalar(e)?;
            self.expect_msg(T::Comma, "expected ',' between complex elements")?;
            self.parse_scalar(e)?;
            return self.expect_msg(T::RParen, "expected ')' after complex elements");
        }
        self.parse_scalar(e)
    }

    fn parse_scalar(&mut self, e: &mut Elements) -> PResult<()> {
        let negative = self.eat(T::Minus);
        let ok = match self.kind() {
            T::Integer | T::Float => true,
            T::String => !negative,
            T::BareIdentifier => !negative && matches!(self.spelling(), "true" | "false"),
            _ => false,
        };
        if !ok {
            let m = if negative {
                "expected integer or floating point literal"
            } else {
                "expected element literal of primitive type"
            };
            return Err(self.expected(m));
        }
        let token = self.advance();
        e.literals.push(Literal { negative, token });
        Ok(())
    }

    fn dense_of(&mut self, e: Elements, ty: Type, pos: u32) -> PResult<Attr> {
        let Some(elem) = ty.element(self.ctx) else {
            return Err(self.error(pos, "elements literal must be a shaped type"));
        };
        let Some(count) = ty.num_elements(self.ctx) else {
            return Err(self.error(pos, "elements literal type must have static shape"));
        };
        if let Some(hex) = e.hex {
            return self.dense_of_hex(hex, ty, elem, count);
        }
        if let Some(shape) = &e.shape {
            let want = ty.shape(self.ctx).unwrap_or(&[]);
            let empty = count == 0 && e.literals.is_empty();
            if shape.as_slice() != want && !empty {
                let show = |s: &[i64]| {
                    let d: Vec<String> = s.iter().map(i64::to_string).collect();
                    d.join(", ")
                };
                let m = format!(
                    "inferred shape of elements literal ([{}]) does not match type ([{}])",
                    show(shape),
                    show(want)
                );
                return Err(self.error(pos, m));
            }
        }
        let parts = match elem.data(self.ctx) {
            TypeData::Complex(t) => {
                if !e.complex && !e.literals.is_empty() {
                    return Err(self.error(
                        pos,
                        "expected '(' in complex element: elements of a complex type are pairs",
                    ));
                }
                *t
            }
            _ if e.complex => {
                return Err(self.error(pos, "expected complex element type for a pair of elements"));
            }
            _ => elem,
        };
        let per = if parts == elem { 1 } else { 2 };
        let is_number = parts.is_int_or_index(self.ctx) || parts.is_float(self.ctx);
        if !is_number {
            let mut values = Vec::new();
            for l in &e.literals {
                if l.token.kind != T::String {
                    let m = format!("expected string token, got {}", self.text(l.token));
                    return Err(self.error(l.token.start, m));
                }
                let s = self.text(l.token);
                values.push(
                    crate::text::literal::string_bytes(s)
                        .into_owned()
                        .into_boxed_slice(),
                );
            }
            let splat =
                values.len() == 1 || !values.is_empty() && values.iter().all(|v| *v == values[0]);
            values.truncate(if splat { 1 } else { values.len() });
            return Ok(self.ctx.attr(AttrData::Dense {
                ty,
                data: DenseData::Strings { splat, values },
            }));
        }
        let mut bytes = Vec::with_capacity(e.literals.len() * 4);
        for l in &e.literals {
            self.element_bytes(*l, parts, &mut bytes)?;
        }
        let size = if e.literals.is_empty() {
            0
        } else {
            bytes.len() / e.literals.len() * per
        };
        // As upstream, equal elements are stored once.
        let splat = size > 0 && bytes.chunks_exact(size).all(|c| *c == bytes[..size]);
        if splat {
            bytes.truncate(size);
        }
        let data = DenseData::Raw {
            splat,
            bytes: bytes.into(),
        };
        Ok(self.ctx.attr(AttrData::Dense { ty, data }))
    }

    /// Append the bytes of one literal of type `ty`.
    fn element_bytes(&mut self, l: Literal, ty: Type, out: &mut Vec<u8>) -> PResult<()> {
        let pos = l.token.start;
        let text = self.text(l.token);
        if let Some(kind) = ty.float_kind(self.ctx) {
            let v = match l.token.kind {
                T::Float => self.float_literal(kind, text, l.negative, pos)?,
                T::Integer if text.starts_with("0x") && !l.negative => {
                    match Float::parse_hex(kind, text) {
                        Ok(v) => v,
                        Err(_) => {
                            return Err(
                                self.error(pos, "hexadecimal float constant out of range for type")
                            );
                        }
                    }
                }
                T::Integer if text.starts_with("0x") => {
                    return Err(self.error(
                        pos,
                        "hexadecimal float literal should not have a leading minus",
                    ));
                }
                T::Integer => {
                    let m = "unexpected decimal integer literal for a floating point value";
                    let failed = self.error(pos, m);
                    let end = pos + text.len() as u32;
                    self.note(end, "add a trailing dot to make the literal a float");
                    return Err(failed);
                }
                _ => {
                    return Err(self.error(pos, "expected floating point literal"));
                }
            };
            let n = (kind.width() as usize).div_ceil(8);
            out.extend_from_slice(&v.to_bits().to_le_bytes()[..n]);
            return Ok(());
        }
        let (width, sign) = match ty.data(self.ctx) {
            TypeData::Integer { width, sign } => (*width, *sign),
            _ => (64, Signedness::Signed),
        };
        let v = match l.token.kind {
            T::BareIdentifier if width == 1 => Int::from_bool(text == "true"),
            T::BareIdentifier => {
                return Err(self.error(pos, "expected i1 type for 'true' or 'false' values"));
            }
            T::Integer => self.int_attr_literal(text, l.negative, width, sign, pos)?,
            _ => {
                return Err(self.error(pos, "expected integer elements, but parsed floating-point"));
            }
        };
        let mut b = v.to_le_bytes();
        b.resize((width as usize).div_ceil(8).max(1), 0);
        out.extend_from_slice(&b);
        Ok(())
    }

    fn dense_of_hex(&mut self, hex: Token, ty: Type, elem: Type, count: i64) -> PResult<Attr> {
        let Some(bytes) = crate::text::literal::hex_string_bytes(self.text(hex)) else {
            return Err(self.error(
                hex.start,
                "elements hex string should have an even number of hexadecimal digits after 0x",
            ));
        };
        let (scalar, per) = match elem.data(self.ctx) {
            TypeData::Complex(t) => (*t, 2),
            _ => (elem, 1),
        };
        let bits = if scalar.is_index(self.ctx) {
            Some(64)
        } else {
            scalar.bit_width(self.ctx)
        };
        let Some(bits) = bits else {
            return Err(self.error(
                hex.start,
                "expected integer, index or floating point element type for a hex string",
            ));
        };
        let mut size = (bits as usize).div_ceil(8).max(1) * per;
        let count = usize::try_from(count).unwrap_or(0);
        let mut bytes = bytes;
        if bits == 1 && bytes.len() == count.div_ceil(8) && count > 1 {
            // Upstream packs booleans eight to a byte here.
            bytes = (0..count).map(|i| bytes[i / 8] >> (i % 8) & 1).collect();
            size = 1;
        }
        let splat = bytes.len() == size && count != 0;
        if !splat && Some(bytes.len()) != size.checked_mul(count) {
            return Err(self.error(
                hex.start,
                "elements hex data size is invalid for provided type: '".to_string()
                    + &self.ctx.type_text(ty)
                    + "'",
            ));
        }
        // Equal elements are a splat however they are written.
        let splat = splat || count > 0 && bytes.chunks_exact(size).all(|c| *c == bytes[..size]);
        if splat {
            bytes.truncate(size);
        }
        let data = DenseData::Raw {
            splat,
            bytes: bytes.into(),
        };
        Ok(self.ctx.attr(AttrData::Dense { ty, data }))
    }

    /// `array<i64: 1, 2>`.
    pub(super) fn parse_dense_array(&mut self) -> PResult<Attr> {
        self.advance();
        self.expect_msg(T::Less, "expected '<' after 'array'")?;
        let pos = self.pos();
        let elem = self.parse_type()?;
        let bits = elem.bit_width(self.ctx);
        let ok = matches!(bits, Some(1 | 8 | 16 | 32 | 64))
            && !matches!(
                elem.data(self.ctx),
                TypeData::Integer {
                    sign: Signedness::Unsigned | Signedness::Signed,
                    ..
                }
            );
        if !ok {
            let m = match bits.is_some_and(|w| w % 8 != 0) {
                true => "element type bitwidth must be a multiple of 8",
                false => "expected integer or float type of 1, 8, 16, 32 or 64 bits",
            };
            return Err(self.error(pos, m));
        }
        if self.eat(T::Greater) {
            return Ok(self.ctx.attr(AttrData::DenseArray {
                elem,
                bytes: Box::default(),
            }));
        }
        self.expect_msg(T::Colon, "expected ':' after dense array type")?;
        let mut bytes = Vec::new();
        loop {
            let b = self.parse_array_element(elem)?;
            bytes.extend(b);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect_msg(T::Greater, "expected '>' to close an array attribute")?;
        Ok(self.ctx.attr(AttrData::DenseArray {
            elem,
            bytes: bytes.into(),
        }))
    }

    fn parse_array_element(&mut self, elem: Type) -> PResult<Vec<u8>> {
        let mut e = Elements::default();
        self.parse_scalar(&mut e)?;
        let Some(l) = e.literals.first() else {
            return Err(Failed);
        };
        let mut out = Vec::new();
        self.element_bytes(*l, elem, &mut out)?;
        Ok(out)
    }

    /// `[1, 2]`, the elements of a dense array whose type the op's syntax fixes.
    pub(crate) fn parse_dense_array_elements(&mut self, elem: Type) -> PResult<Attr> {
        let mut bytes = Vec::new();
        self.parse_list(T::LSquare, T::RSquare, |p| {
            bytes.extend(p.parse_array_element(elem)?);
            Ok(())
        })?;
        Ok(self.ctx.attr(AttrData::DenseArray {
            elem,
            bytes: bytes.into(),
        }))
    }

    /// `dense_resource<key> : type`.
    pub(super) fn parse_dense_resource(&mut self, ty: Option<Type>) -> PResult<Attr> {
        let start = self.pos();
        self.advance();
        self.expect_msg(T::Less, "expected '<' after 'dense_resource'")?;
        let key = if self.at(T::String) {
            let pos = self.pos();
            match String::from_utf8(self.parse_string()?) {
                Ok(s) => s,
                Err(_) => return Err(self.error(pos, "expected UTF-8 text in resource key")),
            }
        } else {
            match self.parse_optional_keyword() {
                Some(k) => k.to_string(),
                None => return Err(self.expected("expected identifier key for 'resource' entry")),
            }
        };
        self.expect_msg(T::Greater, "expected '>'")?;
        let ty = match ty {
            Some(t) => t,
            None => self.parse_colon_type()?,
        };
        if ty.element(self.ctx).is_none() {
            return Err(self.error(start, "`dense_resource` expected a shaped type"));
        }
        let key = self.ctx.intern(&key);
        Ok(self.ctx.attr(AttrData::DenseResource { ty, key }))
    }

    /// `sparse<indices, values> : type`.
    pub(super) fn parse_sparse(&mut self, ty: Option<Type>) -> PResult<Attr> {
        let pos = self.pos();
        self.advance();
        self.expect_msg(T::Less, "expected '<' after 'sparse'")?;
        let (mut indices, mut values) = (Elements::default(), Elements::default());
        if !self.at(T::Greater) {
            indices = self.parse_elements()?;
            self.expect(T::Comma)?;
            values = self.parse_elements()?;
        }
        self.expect(T::Greater)?;
        let ty = match ty {
            Some(t) => t,
            None => self.parse_elements_type()?,
        };
        let (Some(rank), Some(elem)) = (ty.rank(self.ctx), ty.element(self.ctx)) else {
            return Err(self.error(pos, "elements literal must be a shaped type"));
        };
        // One index per dimension and value; a single pair needs no brackets.
        let n = match (&values.shape, values.literals.len()) {
            (Some(s), _) => s.first().copied().unwrap_or(0),
            (None, n) => n as i64,
        };
        let i64 = self.ctx.i64();
        let indices_ty = self.ctx.ty(TypeData::Tensor {
            shape: vec![n, rank as i64],
            elem: i64,
            encoding: None,
        });
        let values_ty = self.ctx.ty(TypeData::Tensor {
            shape: vec![n],
            elem,
            encoding: None,
        });
        if indices.literals.len() == rank
            && indices.shape.as_ref().is_none_or(|s| s.len() < 2)
            && n <= 1
        {
            indices.shape = Some(vec![1, rank as i64]);
        }
        let indices = self.dense_of(indices, indices_ty, pos)?;
        let values = self.dense_of(values, values_ty, pos)?;
        Ok(self.ctx.attr(AttrData::Sparse {
            ty,
            indices,
            values,
        }))
    }
}
