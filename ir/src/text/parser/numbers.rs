//! Numbers.

use super::{PResult, Parser};
use crate::num::Int;
use crate::text::token::TokenKind as T;

impl<'a> Parser<'a> {
    /// A signed decimal or hexadecimal integer that fits an `i64`.
    pub fn parse_i64(&mut self) -> PResult<i64> {
        match self.parse_optional_i64()? {
            Some(v) => Ok(v),
            None => Err(self.error_here("expected integer value")),
        }
    }

    /// An integer with or without a sign; `None` if none comes next.
    pub fn parse_optional_i64(&mut self) -> PResult<Option<i64>> {
        let pos = self.pos();
        let negative = self.at(T::Minus);
        if !negative && !self.at(T::Integer) {
            return Ok(None);
        }
        if negative {
            self.advance();
        }
        if !self.at(T::Integer) {
            return Err(self.expected("expected integer value"));
        }
        let t = self.advance();
        let text = self.text(t);
        let value = match text.strip_prefix("0x") {
            Some(h) => u64::from_str_radix(h, 16).ok().map(i128::from),
            None => text.parse::<u64>().ok().map(i128::from),
        };
        let value = value.and_then(|v| i64::try_from(if negative { -v } else { v }).ok());
        match value {
            Some(v) => Ok(Some(v)),
            None => Err(self.error(pos, "integer value too large")),
        }
    }

    /// An unsigned integer token's value as an `Int` of `width` bits, negated if asked.
    pub(super) fn int_literal(
        &mut self,
        text: &str,
        negative: bool,
        width: u32,
        signed_only: bool,
        pos: u32,
    ) -> PResult<Int> {
        let signed_text;
        let text = if negative {
            signed_text = format!("-{text}");
            &signed_text
        } else {
            text
        };
        match Int::parse(width, text, signed_only) {
            Ok(v) => Ok(v),
            Err(_) => Err(self.error(pos, "integer constant out of range for attribute")),
        }
    }
}
