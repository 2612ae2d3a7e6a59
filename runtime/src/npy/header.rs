//! The header of a `.npy` file: magic, version, length, and a Python dictionary.

use std::io::Read;

use super::NpyError;
use crate::dtype::DType;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Headers of plain arrays take 60 to 200 bytes; this bounds what a damaged
/// length field can make us allocate.
const MAX_HEADER: usize = 1 << 20;
/// NumPy's own limit.
const MAX_DIMENSIONS: usize = 64;

/// What a header says.
pub(super) struct Header {
    pub dtype: DType,
    pub big_endian: bool,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads up to the first byte of the elements.
    pub fn read(source: &mut impl Read) -> Result<Header, NpyError> {
        let mut start = [0u8; 8];
        fill(source, &mut start, "the first 8 bytes")?;
        if &start[..6] != MAGIC {
            return Err(NpyError::Format(format!(
                "it begins with {:02x?}, expected {MAGIC:02x?} (\\x93NUMPY)",
                &start[..6]
            )));
        }
        let length = match (start[6], start[7]) {
            (1, 0) => {
                let mut field = [0u8; 2];
                fill(source, &mut field, "the header length")?;
                usize::from(u16::from_le_bytes(field))
            }
            (2 | 3, 0) => {
                let mut field = [0u8; 4];
                fill(source, &mut field, "the header length")?;
                u32::from_le_bytes(field) as usize
            }
            (major, minor) => {
                return Err(NpyError::Format(format!(
                    "format version {major}.{minor}, expected 1.0, 2.0 or 3.0"
                )));
            }
        };
        if length > MAX_HEADER {
            return Err(NpyError::Format(format!(
                "a header of {length} bytes, expected at most {MAX_HEADER}"
            )));
        }
        let mut text = vec![0u8; length];
        fill(source, &mut text, "the header")?;
        let text = std::str::from_utf8(&text)
            .map_err(|_| NpyError::Format("the header is not text".to_string()))?;
        parse_dictionary(text)
    }
}

fn fill(source: &mut impl Read, into: &mut [u8], what: &str) -> Result<(), NpyError> {
    source
        .read_exact(into)
        .map_err(|_| NpyError::Format(format!("it ends inside {what}")))
}

/// The type code that is written for an element type.
pub(super) fn descr(dtype: DType) -> &'static str {
    match dtype {
        DType::I1 => "|b1",
        DType::I8 => "|i1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::I64 | DType::Index => "<i8",
        DType::U8 => "|u1",
        DType::U16 | DType::BF16 => "<u2",
        DType::U32 => "<u4",
        DType::U64 => "<u8",
        DType::F16 => "<f2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
    }
}

/// Magic to padding, a multiple of 64 bytes as NumPy writes it.
pub(super) fn encode(dtype: DType, shape: &[usize]) -> Vec<u8> {
    let mut tuple = String::from("(");
    for (i, d) in shape.iter().enumerate() {
        if i > 0 {
            tuple.push_str(", ");
        }
        tuple.push_str(&d.to_string());
    }
    tuple.push_str(if shape.len() == 1 { ",)" } else { ")" });
    let dictionary = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': {tuple}, }}",
        descr(dtype)
    );
    let padded = |prefix: usize| (prefix + dictionary.len() + 1).next_multiple_of(64);
    let mut bytes = MAGIC.to_vec();
    let total = if padded(10) - 10 <= usize::from(u16::MAX) {
        bytes.extend([1, 0]);
        bytes.extend(((padded(10) - 10) as u16).to_le_bytes());
        padded(10)
    } else {
        bytes.extend([2, 0]);
        bytes.extend(((padded(12) - 12) as u32).to_le_bytes());
        padded(12)
    };
    bytes.extend(dictionary.as_bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

fn parse_dictionary(text: &str) -> Result<Header, NpyError> {
    let mut cursor = Cursor { text, at: 0 };
    let (mut kind, mut fortran_order, mut shape) = (None, None, None);
    cursor.expect('{')?;
    while !cursor.take('}') {
        let key = cursor.string("a key")?;
        cursor.expect(':')?;
        match key {
            "descr" => kind = Some(cursor.descr()?),
            "fortran_order" => fortran_order = Some(cursor.boolean()?),
            "shape" => shape = Some(cursor.tuple()?),
            other => {
                return Err(NpyError::Format(format!(
                    "the header has the key '{other}', expected 'descr', 'fortran_order', 'shape'"
                )));
            }
        }
        if !cursor.take(',') {
            cursor.expect('}')?;
            break;
        }
    }
    if !cursor.rest().is_empty() {
        return Err(cursor.expected("nothing after the closing brace"));
    }
    let missing = |key: &str| NpyError::Format(format!("the header lacks the key '{key}'"));
    let (dtype, big_endian) = kind.ok_or_else(|| missing("descr"))?;
    Ok(Header {
        dtype,
        big_endian,
        fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

/// A position in the Python literal.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// What is left, without leading blanks.
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn expected(&mut self, what: &str) -> NpyError {
        let found: String = self.rest().chars().take(20).collect();
        let found = if found.is_empty() {
            "the end".to_string()
        } else {
            format!("`{}`", found.escape_debug())
        };
        NpyError::Format(format!(
            "at byte {} of the header text: found {found}, expected {what}",
            self.at
        ))
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn expect(&mut self, c: char) -> Result<(), NpyError> {
        if self.take(c) {
            return Ok(());
        }
        Err(self.expected(&format!("`{c}`")))
    }

    /// A string literal without escapes; none of the valid ones has any.
    fn string(&mut self, what: &str) -> Result<&'a str, NpyError> {
        let rest = self.rest();
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Err(self.expected(&format!("{what} in quotes")));
        };
        let Some(length) = rest[1..].find(quote) else {
            return Err(self.expected(&format!("a closing {quote}")));
        };
        self.at += length + 2;
        Ok(&rest[1..1 + length])
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        for (word, value) in [("True", true), ("False", false)] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.expected("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>, NpyError> {
        let mut dims = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            let rest = self.rest();
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let Ok(size) = rest[..digits].parse() else {
                return Err(self.expected("a dimension's size"));
            };
            self.at += digits;
            // Python 2 wrote long integers with this suffix.
            self.take('L');
            dims.push(size);
            if dims.len() > MAX_DIMENSIONS {
                return Err(NpyError::Format(format!(
                    "more than {MAX_DIMENSIONS} dimensions"
                )));
            }
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(dims)
    }

    /// An element type code, and whether it is big endian.
    fn descr(&mut self) -> Result<(DType, bool), NpyError> {
        if self.rest().starts_with('[') {
            return Err(NpyError::Unsupported(
                "the elements are structures (a list as 'descr'), expected single numbers such as \
                 '<f8'; save one field of them"
                    .to_string(),
            ));
        }
        let code = self.string("a type code")?;
        let (order, kind) = match code.chars().next() {
            Some(order @ ('<' | '>' | '|' | '=')) => (order, &code[1..]),
            _ => ('=', code),
        };
        let big_endian = order == '>' || (order == '=' && cfg!(target_endian = "big"));
        let dtype = match kind {
            "b1" | "?" => DType::I1,
            "i1" => DType::I8,
            "i2" => DType::I16,
            "i4" => DType::I32,
            "i8" => DType::I64,
            "u1" => DType::U8,
            "u2" => DType::U16,
            "u4" => DType::U32,
            "u8" => DType::U64,
            "f2" => DType::F16,
            "f4" => DType::F32,
            "f8" => DType::F64,
            other => {
                let meaning = match other.chars().next() {
                    Some('c') => "complex numbers",
                    Some('f') => "floats of another width",
                    Some('O') => "Python objects",
                    Some('U' | 'S' | 'a') => "strings",
                    Some('M' | 'm') => "dates or times",
                    Some('V') => "raw bytes",
                    _ => "of an unknown type",
                };
                return Err(NpyError::Unsupported(format!(
                    "the elements are '{}' ({meaning}), expected b1, i1 to i8, u1 to u8, f2, f4 or f8",
                    code.escape_debug()
                )));
            }
        };
        if order == '|' && dtype.size() > 1 {
            return Err(NpyError::Format(format!(
                "type code '{code}' has no byte order, expected '<{kind}' or '>{kind}'"
            )));
        }
        Ok((dtype, big_endian))
    }
}
