//! Arguments on the command line: `K=VALUE`.
//!
//! `K` is an argument's name (`A`, `%A`) or its index (`0`). `VALUE` is one of
//!
//! | text | means |
//! | --- | --- |
//! | `42`, `-3`, `0x10`, `1.5`, `1e-3`, `inf`, `nan`, `true` | that number |
//! | `zeros`, `zeros:4x8` | an array of zeros, of this shape |
//! | `iota`, `iota:4x8` | 0, 1, 2, ... in row-major order |
//! | `random`, `random:4x8`, `random:4x8:7`, `random::7` | uniform numbers; seed 7 |
//! | `dominant:8x8:7` | as random, the number of rows added on the diagonal |
//! | `@file.npy` | the array in that file |
//!
//! Without a shape the parameter's own static shape is used; without a seed,
//! the parameter's index, so that two arguments differ.

use std::fmt;
use std::path::PathBuf;

use crate::buffer::{BufferError, Fill, HostBuffer, shape_text};
use crate::dtype::{DType, Scalar};
use crate::npy::{self, NpyError};

/// Which argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ArgKey {
    /// By name, without `%`.
    Name(String),
    /// By position, from 0.
    Index(usize),
}

impl fmt::Display for ArgKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgKey::Name(name) => f.write_str(name),
            ArgKey::Index(index) => write!(f, "{index}"),
        }
    }
}

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Int(i128),
    Float(f64),
}

/// How an array is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillKind {
    Zeros,
    Iota,
    /// With a seed, or the argument's index as seed.
    Random(Option<u64>),
    /// As random, with the number of rows added to each element of the diagonal of a
    /// square array: a matrix that can be factored without pivoting.
    Dominant(Option<u64>),
}

/// What an argument is.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgValue {
    Number(Number),
    /// An array; without a shape, of the parameter's static one.
    Fill {
        kind: FillKind,
        shape: Option<Vec<usize>>,
    },
    /// The array in a `.npy` file.
    File(PathBuf),
}

/// One `K=VALUE`.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgSpec {
    pub key: ArgKey,
    pub value: ArgValue,
}

/// One `K=file.npy` of `--out`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutSpec {
    pub key: ArgKey,
    pub path: PathBuf,
}

/// Why an argument cannot be used.
#[derive(Debug)]
pub enum ArgError {
    /// The text is not of the form; the whole argument, and what is wrong.
    Syntax { text: String, problem: String },
    /// The value is not one for this parameter.
    Mismatch(String),
    /// The array cannot be made.
    Buffer(BufferError),
    /// The file cannot be read.
    File(NpyError),
}

impl fmt::Display for ArgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgError::Syntax { text, problem } => write!(f, "in `{text}`: {problem}"),
            ArgError::Mismatch(text) => f.write_str(text),
            ArgError::Buffer(error) => write!(f, "{error}"),
            ArgError::File(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ArgError {}

impl ArgSpec {
    /// Reads `K=VALUE`.
    ///
    /// # Errors
    /// [`ArgError::Syntax`].
    pub fn parse(text: &str) -> Result<ArgSpec, ArgError> {
        let syntax = |problem| ArgError::Syntax {
            text: text.to_string(),
            problem,
        };
        let (key, value) = split_key(text).map_err(syntax)?;
        let value = ArgValue::parse(value).map_err(syntax)?;
        Ok(ArgSpec { key, value })
    }
}

impl OutSpec {
    /// Reads `K=file.npy`; `K=@file.npy` means the same.
    ///
    /// # Errors
    /// [`ArgError::Syntax`].
    pub fn parse(text: &str) -> Result<OutSpec, ArgError> {
        let syntax = |problem| ArgError::Syntax {
            text: text.to_string(),
            problem,
        };
        let (key, value) = split_key(text).map_err(syntax)?;
        let path = value.strip_prefix('@').unwrap_or(value);
        if path.is_empty() {
            return Err(syntax(
                "found no file name after `=`, expected `K=file.npy`".to_string(),
            ));
        }
        Ok(OutSpec {
            key,
            path: PathBuf::from(path),
        })
    }
}

fn split_key(text: &str) -> Result<(ArgKey, &str), String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(
            "found no `=`, expected `K=VALUE` with the argument's name or index as K".to_string(),
        );
    };
    let key = key.trim();
    let key = key.strip_prefix('%').unwrap_or(key);
    if key.is_empty() {
        return Err("found nothing before `=`, expected the argument's name or index".to_string());
    }
    if key.bytes().all(|b| b.is_ascii_digit()) {
        let index = key
            .parse()
            .map_err(|_| format!("the index {key} is larger than any argument list"))?;
        return Ok((ArgKey::Index(index), value.trim()));
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
    if let Some(wrong) = key.chars().find(|c| !is_name(*c)) {
        return Err(format!(
            "found `{}` in the argument's name, expected letters, digits, `_`, `$`, `.` or `-`",
            wrong.escape_debug()
        ));
    }
    Ok((ArgKey::Name(key.to_string()), value.trim()))
}

impl Number {
    /// Reads an integer (decimal, `0x`, `0b`), a float, `true` or `false`.
    pub fn parse(text: &str) -> Option<Number> {
        match text {
            "true" => return Some(Number::Int(1)),
            "false" => return Some(Number::Int(0)),
            _ => {}
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let radix = [("0x", 16), ("0X", 16), ("0b", 2)];
        for (prefix, radix) in radix {
            if let Some(digits) = digits.strip_prefix(prefix) {
                // `from_str_radix` would take a second sign.
                if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
                    return None;
                }
                let magnitude = i128::from_str_radix(digits, radix).ok()?;
                return Some(Number::Int(if negative { -magnitude } else { magnitude }));
            }
        }
        if digits.starts_with(['+', '-']) {
            return None;
        }
        if let Ok(value) = text.parse::<i128>() {
            return Some(Number::Int(value));
        }
        text.parse::<f64>().ok().map(Number::Float)
    }

    /// The number as a value of `dtype`.
    ///
    /// # Errors
    /// When `dtype` cannot hold it.
    pub fn to_scalar(self, dtype: DType) -> Result<Scalar, ArgError> {
        match self {
            Number::Int(value) => Scalar::from_int(dtype, value),
            Number::Float(value) => Scalar::from_f64(dtype, value),
        }
        .map_err(|error| ArgError::Mismatch(error.to_string()))
    }
}

const EXPECTED: &str = "a number, `zeros`, `iota`, `random` or `dominant` (with `:SHAPE`, as in `random:4x8:SEED`) or `@file.npy`";

impl ArgValue {
    /// Reads the part after `=`.
    ///
    /// # Errors
    /// What was found and what would be right.
    pub fn parse(text: &str) -> Result<ArgValue, String> {
        if text.is_empty() {
            return Err(format!("found nothing after `=`, expected {EXPECTED}"));
        }
        if let Some(path) = text.strip_prefix('@') {
            if path.is_empty() {
                return Err("found no file name after `@`, expected `@file.npy`".to_string());
            }
            return Ok(ArgValue::File(PathBuf::from(path)));
        }
        let mut parts = text.split(':');
        let word = parts.next().unwrap_or_default();
        let kind = match word {
            "zeros" => FillKind::Zeros,
            "iota" => FillKind::Iota,
            "random" => FillKind::Random(None),
            "dominant" => FillKind::Dominant(None),
            _ => {
                return Number::parse(text).map(ArgValue::Number).ok_or_else(|| {
                    format!("found `{text}`{}, expected {EXPECTED}", hint(word, text))
                });
            }
        };
        let shape = match parts.next() {
            None => None,
            Some("") if matches!(kind, FillKind::Random(_) | FillKind::Dominant(_)) => None,
            Some(shape) => Some(parse_shape(shape)?),
        };
        let kind = match (kind, parts.next()) {
            (FillKind::Random(_) | FillKind::Dominant(_), Some(seed)) => {
                let seed = seed.parse().map_err(|_| {
                    format!(
                        "found `{seed}` as the seed, expected an integer of 0 to {}",
                        u64::MAX
                    )
                })?;
                match kind {
                    FillKind::Dominant(_) => FillKind::Dominant(Some(seed)),
                    _ => FillKind::Random(Some(seed)),
                }
            }
            (kind, None) => kind,
            (_, Some(extra)) => {
                return Err(format!(
                    "found `:{extra}` after the shape, but only `random` and `dominant` take a seed"
                ));
            }
        };
        if let Some(extra) = parts.next() {
            return Err(format!("found `:{extra}` after the seed, expected the end"));
        }
        Ok(ArgValue::Fill { kind, shape })
    }

    /// The value as a scalar parameter of `dtype`.
    ///
    /// # Errors
    /// When it is an array, or a number that `dtype` cannot hold. A `.npy` file
    /// of one element is accepted.
    pub fn to_scalar(&self, dtype: DType) -> Result<Scalar, ArgError> {
        match self {
            ArgValue::Number(number) => number.to_scalar(dtype),
            ArgValue::File(path) => {
                let buffer = npy::read_as(path, dtype).map_err(ArgError::File)?;
                match buffer.get(0) {
                    Some(value) if buffer.len() == 1 => Ok(value),
                    _ => Err(ArgError::Mismatch(format!(
                        "{} holds an array of shape {}, expected one {dtype}",
                        path.display(),
                        shape_text(buffer.shape())
                    ))),
                }
            }
            ArgValue::Fill { .. } => Err(ArgError::Mismatch(format!(
                "found an array, expected one number of type {dtype}"
            ))),
        }
    }

    /// The value as an array parameter: elements of `dtype`, dimensions as
    /// `declared` (`None` where the program leaves the size open), parameter
    /// number `position`, which is the seed where none was given.
    ///
    /// # Errors
    /// When it is a number, has another rank or another size where one is
    /// declared, or gives no size where none is declared; and when the array
    /// cannot be allocated or read.
    pub fn to_buffer(
        &self,
        dtype: DType,
        declared: &[Option<usize>],
        position: usize,
    ) -> Result<HostBuffer, ArgError> {
        match self {
            ArgValue::Number(_) => Err(ArgError::Mismatch(format!(
                "found a number, expected an array of {}: `zeros`, `iota`, `random` or `@file.npy`",
                declared_text(declared, dtype)
            ))),
            ArgValue::File(path) => {
                let buffer = npy::read_as(path, dtype).map_err(ArgError::File)?;
                check_shape(buffer.shape(), declared, dtype)?;
                Ok(buffer)
            }
            ArgValue::Fill { kind, shape } => {
                let shape = match shape {
                    Some(shape) => {
                        check_shape(shape, declared, dtype)?;
                        shape.clone()
                    }
                    None => static_shape(declared, dtype)?,
                };
                let fill = match kind {
                    FillKind::Zeros => Fill::Zeros,
                    FillKind::Iota => Fill::Iota,
                    FillKind::Random(seed) | FillKind::Dominant(seed) => Fill::Random {
                        seed: seed.unwrap_or(position as u64),
                    },
                };
                let mut buffer =
                    HostBuffer::filled(dtype, &shape, fill).map_err(ArgError::Buffer)?;
                if matches!(kind, FillKind::Dominant(_)) {
                    buffer.add_to_diagonal().map_err(ArgError::Buffer)?;
                }
                Ok(buffer)
            }
        }
    }
}

/// A guess at what was meant, for the commonest slips.
fn hint(word: &str, text: &str) -> String {
    let word = word.to_lowercase();
    let near = |candidate: &&&str| edit_distance(candidate, &word) <= 2;
    if let Some(candidate) = ["zeros", "iota", "random"].iter().find(near) {
        return format!(" (did you mean `{candidate}`?)");
    }
    if text.ends_with(".npy") {
        return format!(" (did you mean `@{text}`?)");
    }
    String::new()
}

/// Levenshtein's distance; long words are far from everything.
fn edit_distance(a: &str, b: &str) -> usize {
    if b.len() > 32 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// Reads `4x8`.
fn parse_shape(text: &str) -> Result<Vec<usize>, String> {
    text.split('x')
        .map(|d| {
            let digits = !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit());
            d.parse().ok().filter(|_| digits).ok_or_else(|| {
                format!("found `{text}` as the shape, expected sizes joined by `x`, as in `4x8`")
            })
        })
        .collect()
}

fn declared_text(declared: &[Option<usize>], dtype: DType) -> String {
    let mut text = String::new();
    for d in declared {
        match d {
            Some(size) => text.push_str(&format!("{size}x")),
            None => text.push_str("?x"),
        }
    }
    format!("{text}{dtype}")
}

fn static_shape(declared: &[Option<usize>], dtype: DType) -> Result<Vec<usize>, ArgError> {
    declared.iter().copied().collect::<Option<Vec<usize>>>().ok_or_else(|| {
        let example: Vec<String> = declared.iter().map(|d| d.unwrap_or(64).to_string()).collect();
        ArgError::Mismatch(format!(
            "found no shape, and the parameter {} leaves sizes open: give one, as in `random:{}`",
            declared_text(declared, dtype),
            example.join("x")
        ))
    })
}

fn check_shape(found: &[usize], declared: &[Option<usize>], dtype: DType) -> Result<(), ArgError> {
    let fits = found.len() == declared.len()
        && found
            .iter()
            .zip(declared)
            .all(|(f, d)| d.is_none_or(|d| d == *f));
    if fits {
        return Ok(());
    }
    Err(ArgError::Mismatch(format!(
        "found an array of shape {}, expected {}",
        shape_text(found),
        declared_text(declared, dtype)
    )))
}

#[cfg(test)]
mod tests;
