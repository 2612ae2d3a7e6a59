//! The inside of a numeric block: `[[#%FORMAT,VAR: EXPRESSION]]`, each part
//! optional, the expression a sum of numbers, variables and `@LINE`.

use std::collections::BTreeMap;

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Format {
    #[default]
    Unsigned,
    Signed,
    Hex,
    UpperHex,
}

impl Format {
    /// What any number of this format looks like.
    pub fn wildcard(self) -> &'static str {
        match self {
            Format::Unsigned => "[0-9]+",
            Format::Signed => "-?[0-9]+",
            Format::Hex => "[0-9a-f]+",
            Format::UpperHex => "[0-9A-F]+",
        }
    }

    /// `value` in this format.
    pub fn print(self, value: i128) -> String {
        match self {
            Format::Unsigned | Format::Signed => value.to_string(),
            Format::Hex => format!("{value:x}"),
            Format::UpperHex => format!("{value:X}"),
        }
    }

    /// The value of a text in this format.
    pub fn parse(self, text: &str) -> Result<i128, String> {
        let radix = if matches!(self, Format::Hex | Format::UpperHex) {
            16
        } else {
            10
        };
        i128::from_str_radix(text, radix)
            .map_err(|_| format!("unable to represent numeric value '{text}'"))
    }
}

/// A parsed block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub format: Format,
    explicit: bool,
    pub defines: Option<String>,
    /// Terms with their signs.
    terms: Vec<(bool, String)>,
    /// As written.
    pub text: String,
}

impl Block {
    pub fn parse(text: &str) -> Result<Block, String> {
        let mut rest = text.trim();
        let mut format = Format::default();
        let mut explicit = false;
        if let Some(body) = rest.strip_prefix('%') {
            let (letter, tail) = match body.split_once(',') {
                Some((letter, tail)) => (letter, tail),
                None => (body, ""),
            };
            explicit = true;
            format = match letter.trim() {
                "u" => Format::Unsigned,
                "d" => Format::Signed,
                "x" => Format::Hex,
                "X" => Format::UpperHex,
                other => return Err(format!("invalid format specifier '%{other}' in expression")),
            };
            rest = tail.trim();
        }
        let mut defines = None;
        if let Some((name, tail)) = rest.split_once(':') {
            let name = name.trim();
            let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            if name.is_empty() || !name.chars().all(good) {
                return Err(format!("invalid variable name '{name}'"));
            }
            defines = Some(name.to_string());
            rest = tail.trim();
        }
        rest = rest.strip_prefix("==").unwrap_or(rest).trim();
        let mut terms = Vec::new();
        let mut negative = false;
        while !rest.is_empty() {
            let end = rest.find(['+', '-', ' ', '\t']).unwrap_or(rest.len());
            let term = &rest[..end];
            let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '$');
            if term.is_empty() || !term.chars().all(known) {
                return Err(format!("invalid operand format '{rest}'"));
            }
            terms.push((negative, term.to_string()));
            rest = rest[end..].trim_start();
            if let Some(sign) = rest.chars().next() {
                if !matches!(sign, '+' | '-') {
                    return Err(format!("unsupported operation '{sign}'"));
                }
                negative = sign == '-';
                rest = rest[1..].trim_start();
                if rest.is_empty() {
                    return Err("missing operand in expression".to_string());
                }
            }
        }
        Ok(Block {
            format,
            explicit,
            defines,
            terms,
            text: text.to_string(),
        })
    }

    /// Whether the block stands for one number and not for any.
    pub fn has_expression(&self) -> bool {
        !self.terms.is_empty()
    }

    /// The number, and the format: the block's own, or that of its variables.
    pub fn evaluate(
        &self,
        line: usize,
        numbers: &BTreeMap<String, (i128, Format)>,
    ) -> Result<(i128, Format), String> {
        let mut sum = 0i128;
        let mut format = self.format;
        for (negative, term) in &self.terms {
            let value = if term == "@LINE" {
                line as i128
            } else if let Some(hex) = term.strip_prefix("0x") {
                Format::Hex.parse(hex)?
            } else if term.starts_with(|c: char| c.is_ascii_digit()) {
                Format::Unsigned.parse(term)?
            } else {
                let (value, own) = numbers
                    .get(term)
                    .ok_or_else(|| format!("uses undefined variable(s): \"{term}\""))?;
                if !self.explicit {
                    format = *own;
                }
                *value
            };
            let next = if *negative {
                sum.checked_sub(value)
            } else {
                sum.checked_add(value)
            };
            sum = next.ok_or("overflow in a numeric expression")?;
        }
        Ok((sum, format))
    }
}
