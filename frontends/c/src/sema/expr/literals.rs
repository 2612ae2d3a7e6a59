//! Constants and strings (C11 6.4.4, 6.4.5).

use std::rc::Rc;

use lang_c::ast::{Constant, Float, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize};

use super::{Operand, make};
use crate::hir::{Expr, ExprKind, Span};
use crate::sema::Sema;
use crate::sema::constant::wrap;
use crate::sema::report::unsupported;
use crate::sema::types::Quals;
use crate::types::{Array, Extent, Rank, Type};

const LONG_LONG: Type = Type::int(64, true, Rank::LongLong);
const ULONG_LONG: Type = Type::int(64, false, Rank::LongLong);

impl Sema<'_> {
    pub(super) fn literal(&mut self, c: &Constant, at: Span) -> Expr {
        match c {
            Constant::Integer(i) => self.integer(i, at),
            Constant::Float(f) => self.float(f, at),
            Constant::Character(text) => self.character(text, at),
        }
    }

    fn integer(&mut self, i: &Integer, at: Span) -> Expr {
        if i.suffix.imaginary {
            return unsupported(
                "a complex constant",
                Type::Other("_Complex double".into()),
                at,
            );
        }
        let radix = match i.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        // A lone 0 is octal without digits.
        let digits = if i.number.is_empty() { "0" } else { &i.number };
        let value = match u128::from_str_radix(digits, radix) {
            Ok(v) if v <= u128::from(u64::MAX) => v as i128,
            _ => {
                self.error(
                    at,
                    "no integer type holds this constant: the largest is 2^64 - 1",
                );
                return Self::poison(at);
            }
        };
        let ty = integer_type(value, radix == 10, i.suffix.unsigned, i.suffix.size);
        make(ExprKind::Int(value), ty, at)
    }

    fn float(&mut self, f: &Float, at: Span) -> Expr {
        if f.suffix.imaginary {
            return unsupported(
                "a complex constant",
                Type::Other("_Complex double".into()),
                at,
            );
        }
        let single = match &f.suffix.format {
            FloatFormat::Float => true,
            FloatFormat::Double => self.source.dialect().single_constants,
            FloatFormat::LongDouble => {
                return unsupported(
                    "long double arithmetic",
                    Type::Other("long double".into()),
                    at,
                );
            }
            FloatFormat::TS18661Format(t) => match t.width {
                32 => true,
                64 => false,
                w => {
                    let name = format!("_Float{w}");
                    return unsupported(format!("{name} arithmetic"), Type::Other(name.into()), at);
                }
            },
        };
        let value = match f.base {
            // Read once, in the type it has: reading a double first rounds twice.
            FloatBase::Decimal if single => f.number.parse::<f32>().ok().map(f64::from),
            FloatBase::Decimal => f.number.parse::<f64>().ok(),
            FloatBase::Hexadecimal if single => hex_float(&f.number, SINGLE),
            FloatBase::Hexadecimal => hex_float(&f.number, DOUBLE),
        };
        match value {
            Some(v) => {
                let ty = if single { Type::FLOAT } else { Type::DOUBLE };
                make(ExprKind::Float(v), ty, at)
            }
            None => unsupported("a floating constant of this form", Type::DOUBLE, at),
        }
    }

    fn character(&mut self, text: &str, at: Span) -> Expr {
        let (prefix, body) = unquote(text, '\'');
        let codes = decode(body, prefix.is_empty());
        let (value, ty) = match prefix {
            "" => {
                // More than one character: gcc packs them, the last one lowest.
                let mut value: i128 = 0;
                for code in codes.iter().take(4) {
                    value = (value << 8) | i128::from(*code & 0xff);
                }
                let Type::Int(int) = (if codes.len() == 1 {
                    self.source.dialect().char()
                } else {
                    Type::INT
                }) else {
                    return Self::poison(at);
                };
                (wrap(value, int), Type::INT)
            }
            "u" => (
                codes.first().map_or(0, |c| i128::from(*c & 0xffff)),
                Type::int(16, false, Rank::Short),
            ),
            "U" => (codes.first().map_or(0, |c| i128::from(*c)), Type::UINT),
            _ => {
                let ty = self.source.dialect().wchar();
                let Type::Int(int) = ty else {
                    return Self::poison(at);
                };
                let code = codes.first().map_or(0, |c| i128::from(*c));
                (wrap(code, int), ty)
            }
        };
        make(ExprKind::Int(value), ty, at)
    }

    pub(super) fn string(&mut self, pieces: &[String], at: Span) -> Operand {
        let mut wide = None;
        let mut bytes = Vec::new();
        for piece in pieces {
            let (prefix, body) = unquote(piece, '"');
            if !prefix.is_empty() && prefix != "u8" {
                wide = Some(prefix);
            }
            bytes.extend(decode(body, true).iter().map(|c| *c as u8));
        }
        let expr = match wide {
            None => string_expr(bytes, self.source.dialect().char(), at),
            Some(prefix) => {
                let units: usize = pieces
                    .iter()
                    .map(|p| decode(unquote(p, '"').1, false).len())
                    .sum();
                let of = match prefix {
                    "u" => Type::int(16, false, Rank::Short),
                    "U" => Type::UINT,
                    _ => self.source.dialect().wchar(),
                };
                let ty = Type::Array(Rc::new(Array {
                    of,
                    len: Extent::Const(units as u64 + 1),
                }));
                unsupported("a string of wide characters", ty, at)
            }
        };
        Operand::object(expr, Quals::default())
    }
}

/// An array of `char`, whose type is given, with these bytes and a zero.
pub(super) fn string_expr(bytes: Vec<u8>, char: Type, at: Span) -> Expr {
    let ty = Type::Array(Rc::new(Array {
        of: char,
        len: Extent::Const(bytes.len() as u64 + 1),
    }));
    make(ExprKind::Str(bytes), ty, at)
}

/// The first of the types in C11 6.4.4.1p5 that holds the value.
fn integer_type(value: i128, decimal: bool, unsigned: bool, size: IntegerSize) -> Type {
    let fits = |bits: u32| value < 1 << bits;
    let candidates: [(bool, IntegerSize, u32, Type); 6] = [
        (false, IntegerSize::Int, 31, Type::INT),
        (true, IntegerSize::Int, 32, Type::UINT),
        (false, IntegerSize::Long, 63, Type::LONG),
        (true, IntegerSize::Long, 64, Type::ULONG),
        (false, IntegerSize::LongLong, 63, LONG_LONG),
        (true, IntegerSize::LongLong, 64, ULONG_LONG),
    ];
    for (is_unsigned, rank, bits, ty) in candidates {
        let allowed = if is_unsigned {
            unsigned || !decimal
        } else {
            !unsigned
        };
        if allowed && rank >= size && fits(bits) {
            return ty;
        }
    }
    // A decimal constant over 2^63 - 1: gcc takes it for unsigned long long or
    // __int128 with a warning.
    ULONG_LONG
}

/// Bits of a type's mantissa, and the weight of the last bit of its least number.
type Precision = (i64, i64);
const SINGLE: Precision = (24, -149);
const DOUBLE: Precision = (53, -1074);

/// `1.8p3` without its `0x`: the digits are exact until they are rounded once.
fn hex_float(text: &str, precision: Precision) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i64 = exponent.parse().ok()?;
    exponent = exponent.clamp(-100_000, 100_000);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut mantissa: u128 = 0;
    let mut sticky = false;
    for (i, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u128::from(c.to_digit(16)?);
        let after_point = i >= whole.len();
        if mantissa >> 120 == 0 {
            mantissa = mantissa << 4 | digit;
            exponent -= if after_point { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            exponent += if after_point { 0 } else { 4 };
        }
    }
    // A digit that was dropped still decides between halves.
    let mantissa = mantissa | u128::from(sticky);
    let value = scaled(mantissa, exponent, precision);
    // What is too large for the type.
    Some(match precision {
        SINGLE => f64::from(value as f32),
        _ => value,
    })
}

/// `mantissa * 2^exponent`, rounded once, to even.
fn scaled(mantissa: u128, exponent: i64, (width, least): Precision) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let bits = i64::from(128 - mantissa.leading_zeros());
    // The weight of the last bit that the result has; there are fewer of small numbers.
    let last = (exponent + bits - width).max(least);
    let drop = last - exponent;
    let kept = if drop <= 0 {
        mantissa << (-drop).min(127)
    } else if drop > 127 {
        0
    } else {
        let half = 1u128 << (drop - 1);
        let rest = mantissa & ((1 << drop) - 1);
        let down = mantissa >> drop;
        let up = rest > half || (rest == half && down & 1 == 1);
        down + u128::from(up)
    };
    // `kept` has at most 54 bits, so both steps are exact.
    let low = last.clamp(-1074, 2000);
    let half_way = low / 2;
    kept as f64 * 2f64.powi(half_way as i32) * 2f64.powi((low - half_way) as i32)
}

/// The prefix and the text between the quotes.
fn unquote(text: &str, quote: char) -> (&str, &str) {
    match text.split_once(quote) {
        Some((prefix, rest)) => (prefix, rest.strip_suffix(quote).unwrap_or(rest)),
        // The parser may give the text without quotes.
        None => ("", text),
    }
}

/// Characters with their escapes read; as bytes of UTF-8, or as code points.
fn decode(text: &str, bytes: bool) -> Vec<u32> {
    let mut out = Vec::new();
    let push = |out: &mut Vec<u32>, c: char| {
        if bytes {
            let mut buffer = [0; 4];
            out.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
        } else {
            out.push(c as u32);
        }
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            push(&mut out, c);
            continue;
        }
        let Some(escape) = chars.next() else { break };
        match escape {
            'n' => out.push(10),
            't' => out.push(9),
            'r' => out.push(13),
            'a' => out.push(7),
            'b' => out.push(8),
            'f' => out.push(12),
            'v' => out.push(11),
            'e' => out.push(27),
            'x' => {
                let mut value: u32 = 0;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(d);
                    chars.next();
                }
                out.push(value);
            }
            'u' | 'U' => {
                let mut value: u32 = 0;
                for _ in 0..if escape == 'u' { 4 } else { 8 } {
                    if let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                        value = value.wrapping_mul(16).wrapping_add(d);
                        chars.next();
                    }
                }
                push(&mut out, char::from_u32(value).unwrap_or('\u{fffd}'));
            }
            '0'..='7' => {
                let mut value = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) {
                        value = value * 8 + d;
                        chars.next();
                    }
                }
                out.push(value);
            }
            other => push(&mut out, other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{DOUBLE, SINGLE, hex_float};

    #[test]
    fn hex_floats_round_once() {
        for (text, value) in [
            ("1.8p3", 12.0),
            ("1p-1074", f64::from_bits(1)),
            ("1p-1075", 0.0),
            ("1.8p-1075", f64::from_bits(1)),
            ("1.fffffffffffff8p1023", f64::INFINITY),
            ("1.fffffffffffffp1023", f64::MAX),
            ("1.00000000000008p0", 1.0),
            (
                "1.000000000000080000000000000000000000000000001p0",
                1.0 + f64::EPSILON,
            ),
            ("1p5000", f64::INFINITY),
            (".8p1", 1.0),
        ] {
            assert_eq!(hex_float(text, DOUBLE), Some(value), "{text}");
        }
    }

    #[test]
    fn hex_floats_of_single_precision() {
        for (text, value) in [
            ("1.00000100000001p0", 1.0 + f64::from(f32::EPSILON)),
            ("1.000001p0", 1.0),
            ("1.fffffep127", f64::from(f32::MAX)),
            ("1.ffffffp127", f64::INFINITY),
            ("1p-149", f64::from(f32::from_bits(1))),
            ("1p-150", 0.0),
        ] {
            assert_eq!(hex_float(text, SINGLE), Some(value), "{text}");
        }
    }
}
