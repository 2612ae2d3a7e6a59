//! Options of passes: declaration, values, text.
//!
//! The text is `name=value name=value flag`. A value ends at a space outside quotes
//! and braces; one pair of either around the whole value is dropped. Lists are
//! separated by commas outside quotes and brackets, and a list given twice goes on;
//! of other options the last one counts. The path of a file may stand without a name.

use std::fmt::Write as _;

/// What the values of an option look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OptionKind {
    /// `true` or `false`; the name alone means `true`.
    Bool,
    /// A signed number.
    Int,
    /// A number that is not negative.
    UInt,
    /// A number with a fraction.
    Float,
    /// Any text.
    Str,
    /// The path of a file to read, which the tool does: see
    /// [`Context::input_file`](crate::Context::input_file). Empty for none.
    File,
    /// One of these words.
    Enum(&'static [&'static str]),
    /// Signed numbers with commas between them.
    IntList,
    /// Numbers that are not negative, with commas between them.
    UIntList,
    /// Texts with commas between them.
    StrList,
}

impl OptionKind {
    /// Whether the option takes several values.
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            OptionKind::IntList | OptionKind::UIntList | OptionKind::StrList
        )
    }

    /// What its values look like, for the help.
    pub fn values(self) -> String {
        match self {
            OptionKind::Bool => "true|false".into(),
            OptionKind::Int => "n".into(),
            OptionKind::UInt => "unsigned n".into(),
            OptionKind::Float => "number".into(),
            OptionKind::Str => "text".into(),
            OptionKind::File => "file".into(),
            OptionKind::Enum(words) => words.join("|"),
            list => format!("{},...", list.element().values()),
        }
    }

    const fn element(self) -> OptionKind {
        match self {
            OptionKind::IntList => OptionKind::Int,
            OptionKind::UIntList => OptionKind::UInt,
            OptionKind::StrList => OptionKind::Str,
            other => other,
        }
    }

    fn parse(self, text: &str) -> Result<OptionValue, String> {
        let invalid = |what: &str| format!("'{text}' value invalid for {what} argument!");
        Ok(match self {
            OptionKind::Bool => match text {
                "" | "true" | "TRUE" | "True" | "1" => OptionValue::Bool(true),
                "false" | "FALSE" | "False" | "0" => OptionValue::Bool(false),
                _ => {
                    return Err(format!(
                        "'{text}' is invalid value for boolean argument! Try 0 or 1"
                    ));
                }
            },
            _ if text.is_empty() && !matches!(self, OptionKind::Str | OptionKind::File) => {
                return Err("requires a value!".to_string());
            }
            OptionKind::Int => OptionValue::Int(parse_int(text).ok_or_else(|| invalid("long"))?),
            OptionKind::UInt => {
                let v = parse_int(text).and_then(|v| u64::try_from(v).ok());
                OptionValue::UInt(
                    v.or_else(|| text.parse().ok())
                        .ok_or_else(|| invalid("uint"))?,
                )
            }
            OptionKind::Float => {
                OptionValue::Float(text.parse().map_err(|_| invalid("floating point"))?)
            }
            OptionKind::Enum(words) if !words.contains(&text) => {
                return Err(format!("Cannot find option named '{text}'!"));
            }
            _ => OptionValue::Str(text.to_string()),
        })
    }
}

/// Decimal, or hexadecimal, octal and binary by prefix.
fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, text),
    };
    // A second sign is no digit.
    if !digits.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let of = |prefix: &[&str]| prefix.iter().find_map(|p| digits.strip_prefix(p));
    let value = if let Some(d) = of(&["0x", "0X"]) {
        i128::from_str_radix(d, 16)
    } else if let Some(d) = of(&["0b", "0B"]) {
        i128::from_str_radix(d, 2)
    } else if let Some(d) = of(&["0o"]) {
        i128::from_str_radix(d, 8)
    } else {
        digits.parse()
    }
    .ok()?;
    i64::try_from(if negative { -value } else { value }).ok()
}

/// An option of a pass.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// What stands before `=`.
    pub name: &'static str,
    /// What may stand behind `=`.
    pub kind: OptionKind,
    /// The value of an option not given, as text; empty for an empty list or string.
    pub default: &'static str,
    /// What it does, for the help.
    pub doc: &'static str,
}

impl OptionInfo {
    /// An option of a pass, as its fields say.
    pub const fn new(
        name: &'static str,
        kind: OptionKind,
        default: &'static str,
        doc: &'static str,
    ) -> OptionInfo {
        OptionInfo {
            name,
            kind,
            default,
            doc,
        }
    }

    /// A switch that is off where it is not given.
    pub const fn flag(name: &'static str, doc: &'static str) -> OptionInfo {
        OptionInfo::new(name, OptionKind::Bool, "false", doc)
    }
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// Of a switch.
    Bool(bool),
    /// Of a signed number.
    Int(i64),
    /// Of a number that is not negative.
    UInt(u64),
    /// Of a number with a fraction.
    Float(f64),
    /// Of a string or an enumeration.
    Str(String),
    /// Of an option with several values, which are of one kind.
    List(Vec<OptionValue>),
}

/// The options of one pass, each with a value.
#[derive(Debug, Clone)]
pub struct ParsedOptions {
    infos: &'static [OptionInfo],
    values: Vec<OptionValue>,
    given: Vec<bool>,
}

impl ParsedOptions {
    /// All defaults. A default that does not parse is an error of the declaration.
    pub fn defaults(infos: &'static [OptionInfo]) -> Result<Self, String> {
        let mut values = Vec::with_capacity(infos.len());
        for i in infos {
            values.push(match i.kind {
                k if k.is_list() => OptionValue::List(parse_list(k.element(), i.default)?),
                k => k.parse(i.default).map_err(|e| error_of(i.name, &e))?,
            });
        }
        Ok(ParsedOptions {
            infos,
            given: vec![false; infos.len()],
            values,
        })
    }

    /// Defaults, changed by `text`.
    pub fn parse(infos: &'static [OptionInfo], text: &str) -> Result<Self, String> {
        let mut options = Self::defaults(infos)?;
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, value, after) = next_option(rest);
            rest = after;
            let Some(i) = infos.iter().position(|i| i.name == name) else {
                // A path may stand by itself: `--apply-schedule=gemm.mlir`.
                let file = infos.iter().position(|i| i.kind == OptionKind::File);
                if let (Some(i), None) = (file, value)
                    && !options.given[i]
                {
                    options.set(i, Some(name))?;
                    continue;
                }
                return Err(format!("<Pass-Options-Parser>: no such option {name}"));
            };
            options.set(i, value).map_err(|e| error_of(name, &e))?;
        }
        Ok(options)
    }

    fn set(&mut self, i: usize, value: Option<&str>) -> Result<(), String> {
        let kind = self.infos[i].kind;
        if kind.is_list() {
            let more = parse_list(kind.element(), value.unwrap_or(""))?;
            match &mut self.values[i] {
                // What is given replaces the default once, and then adds up.
                OptionValue::List(v) if self.given[i] => v.extend(more),
                v => *v = OptionValue::List(more),
            }
        } else if value.is_none() && kind != OptionKind::Bool {
            return Err("requires a value!".to_string());
        } else {
            self.values[i] = kind.parse(value.unwrap_or(""))?;
        }
        self.given[i] = true;
        Ok(())
    }

    /// The paths given to options that name files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let named = self.infos.iter().zip(&self.values);
        named.filter_map(|(i, v)| match v {
            OptionValue::Str(path) if i.kind == OptionKind::File && !path.is_empty() => {
                Some(path.as_str())
            }
            _ => None,
        })
    }

    /// The value of an option, its default if it is not given; `None` if none is declared.
    pub fn value(&self, name: &str) -> Option<&OptionValue> {
        let i = self.infos.iter().position(|i| i.name == name);
        debug_assert!(i.is_some(), "no option '{name}' is declared");
        self.values.get(i?)
    }

    /// Whether the option was written rather than left at its default.
    pub fn is_given(&self, name: &str) -> bool {
        self.infos
            .iter()
            .position(|i| i.name == name)
            .is_some_and(|i| self.given[i])
    }

    /// Whether a switch is on.
    pub fn bool(&self, name: &str) -> bool {
        matches!(self.value(name), Some(OptionValue::Bool(true)))
    }

    /// The value of an `Int` option.
    pub fn int(&self, name: &str) -> i64 {
        match self.value(name) {
            Some(OptionValue::Int(v)) => *v,
            _ => 0,
        }
    }

    /// The value of a `UInt` option.
    pub fn uint(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(OptionValue::UInt(v)) => *v,
            _ => 0,
        }
    }

    /// The value of a `Float` option.
    pub fn float(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(OptionValue::Float(v)) => *v,
            _ => 0.0,
        }
    }

    /// The value of a `Str`, `File` or `Enum` option.
    pub fn str(&self, name: &str) -> &str {
        match self.value(name) {
            Some(OptionValue::Str(v)) => v,
            _ => "",
        }
    }

    /// The values of an `IntList` option.
    pub fn ints(&self, name: &str) -> Vec<i64> {
        self.list(name, |v| match v {
            OptionValue::Int(v) => Some(*v),
            _ => None,
        })
    }

    /// The values of a `UIntList` option.
    pub fn uints(&self, name: &str) -> Vec<u64> {
        self.list(name, |v| match v {
            OptionValue::UInt(v) => Some(*v),
            _ => None,
        })
    }

    /// The values of a `StrList` option.
    pub fn strs(&self, name: &str) -> Vec<String> {
        self.list(name, |v| match v {
            OptionValue::Str(v) => Some(v.clone()),
            _ => None,
        })
    }

    fn list<T>(&self, name: &str, of: fn(&OptionValue) -> Option<T>) -> Vec<T> {
        match self.value(name) {
            Some(OptionValue::List(v)) => v.iter().filter_map(of).collect(),
            _ => Vec::new(),
        }
    }

    /// `{name=value ...}`, all options in order of their names; nothing where there
    /// are none. Parses back to the same.
    pub fn text(&self) -> String {
        if self.infos.is_empty() {
            return String::new();
        }
        let mut all: Vec<_> = self.infos.iter().zip(&self.values).collect();
        all.sort_by_key(|(i, _)| i.name);
        let mut words = Vec::new();
        for (info, value) in all {
            words.push(match value {
                // An empty list is what an absent one is.
                OptionValue::List(v) if v.is_empty() => String::new(),
                OptionValue::List(v) => {
                    let v: Vec<String> = v.iter().map(value_text).collect();
                    format!("{}={{{}}}", info.name, v.join(","))
                }
                v => format!("{}={}", info.name, value_text(v)),
            });
        }
        format!("{{{}}}", words.join(" "))
    }
}

fn error_of(name: &str, e: &str) -> String {
    format!("for the --{name} option: {e}")
}

fn value_text(v: &OptionValue) -> String {
    let mut s = String::new();
    // Writing to a string does not fail.
    let _ = match v {
        OptionValue::Bool(v) => write!(s, "{v}"),
        OptionValue::Int(v) => write!(s, "{v}"),
        OptionValue::UInt(v) => write!(s, "{v}"),
        OptionValue::Float(v) => write!(s, "{v}"),
        OptionValue::Str(v) if value_end(v) < v.len() => write!(s, "{{{v}}}"),
        OptionValue::Str(v) => write!(s, "{v}"),
        OptionValue::List(_) => Ok(()),
    };
    s
}

/// Where the value at the start of `text` ends: at the first space outside quotes
/// and braces.
fn value_end(text: &str) -> usize {
    split_at(text, b' ', b"{", b"}")
}

/// Where the first element of a list ends: at a comma outside quotes and brackets
/// of all kinds, since an element may be a pipeline.
fn element_end(text: &str) -> usize {
    split_at(text, b',', b"{([", b"})]")
}

/// The first byte `stop` outside quotes and what is between `open` and `close`.
fn split_at(text: &str, stop: u8, open: &[u8], close: &[u8]) -> usize {
    let b = text.as_bytes();
    let (mut i, mut depth) = (0, 0usize);
    while i < b.len() {
        match b[i] {
            q @ (b'\'' | b'"') => {
                // A quote without a partner is a character like any other.
                if let Some(n) = b[i + 1..].iter().position(|c| *c == q) {
                    i += n + 1;
                }
            }
            c if open.contains(&c) => depth += 1,
            c if close.contains(&c) => depth = depth.saturating_sub(1),
            c if depth == 0 && c == stop => return i,
            _ => {}
        }
        i += 1;
    }
    b.len()
}

/// The name and value of the first option, and what follows it.
fn next_option(text: &str) -> (&str, Option<&str>, &str) {
    let end = text.find([' ', '=']).unwrap_or(text.len());
    let name = &text[..end];
    let rest = &text[end..];
    match rest.strip_prefix('=') {
        None => (name, None, rest.trim_start()),
        Some(value) => {
            let n = value_end(value);
            (name, Some(unwrapped(&value[..n])), value[n..].trim_start())
        }
    }
}

/// A value without the quotes or the braces around all of it.
fn unwrapped(value: &str) -> &str {
    let v = value.trim();
    if v.len() < 2 {
        return v;
    }
    for q in ['\'', '"'] {
        if v.starts_with(q) && v.ends_with(q) {
            return v[1..v.len() - 1].trim();
        }
    }
    // `{a},{b}` begins and ends with braces that are no pair.
    if v.starts_with('{') && v.ends_with('}') && matching_brace(v) == Some(v.len() - 1) {
        return v[1..v.len() - 1].trim();
    }
    v
}

fn matching_brace(v: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in v.bytes().enumerate() {
        match c {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
    }
    None
}

fn parse_list(kind: OptionKind, text: &str) -> Result<Vec<OptionValue>, String> {
    let mut values = Vec::new();
    if text.is_empty() {
        return Ok(values);
    }
    let mut rest = text;
    loop {
        let n = element_end(rest);
        values.push(kind.parse(unwrapped(&rest[..n]))?);
        match rest.get(n + 1..) {
            Some(r) if n < rest.len() => rest = r,
            _ => return Ok(values),
        }
    }
}
