//! Reads JSON, so that what is written can be looked at.

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn get(&self, name: &str) -> &Json {
        let Json::Object(fields) = self else {
            return &Json::Null;
        };
        let found = fields.iter().find(|(n, _)| n == name);
        found.map_or(&Json::Null, |(_, v)| v)
    }

    pub fn number(&self) -> f64 {
        match self {
            Json::Number(n) => *n,
            other => panic!("{other:?} is no number"),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Json::Text(t) => t,
            other => panic!("{other:?} is no text"),
        }
    }

    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(l) => l,
            other => panic!("{other:?} is no list"),
        }
    }
}

/// All of a text as one value (RFC 8259).
pub fn parse(text: &str) -> Result<Json, String> {
    let mut rest = text;
    let value = value(&mut rest)?;
    match rest.trim_ascii_start() {
        "" => Ok(value),
        more => Err(format!("behind the value: {more:.20}")),
    }
}

fn eat(rest: &mut &str, token: &str) -> bool {
    *rest = rest.trim_ascii_start();
    match rest.strip_prefix(token) {
        Some(r) => {
            *rest = r;
            true
        }
        None => false,
    }
}

fn expect(rest: &mut &str, token: &str) -> Result<(), String> {
    match eat(rest, token) {
        true => Ok(()),
        false => Err(format!("expected {token} before {rest:.20}")),
    }
}

fn value(rest: &mut &str) -> Result<Json, String> {
    if eat(rest, "{") {
        let mut fields = Vec::new();
        while !eat(rest, "}") {
            if !fields.is_empty() {
                expect(rest, ",")?;
            }
            expect(rest, "\"")?;
            let name = string(rest)?;
            expect(rest, ":")?;
            fields.push((name, value(rest)?));
        }
        return Ok(Json::Object(fields));
    }
    if eat(rest, "[") {
        let mut items = Vec::new();
        while !eat(rest, "]") {
            if !items.is_empty() {
                expect(rest, ",")?;
            }
            items.push(value(rest)?);
        }
        return Ok(Json::List(items));
    }
    if eat(rest, "\"") {
        return Ok(Json::Text(string(rest)?));
    }
    for (word, v) in [
        ("null", Json::Null),
        ("true", Json::Bool(true)),
        ("false", Json::Bool(false)),
    ] {
        if eat(rest, word) {
            return Ok(v);
        }
    }
    let is_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    *rest = after;
    let parsed = number.parse().map_err(|_| format!("no number: {number}"));
    parsed.map(Json::Number)
}

/// The rest of a string, behind its first quote.
fn string(rest: &mut &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                *rest = &rest[at + 1..];
                return Ok(out);
            }
            '\\' => match chars.next() {
                Some((_, c @ ('"' | '\\' | '/'))) => out.push(c),
                Some((_, 'n')) => out.push('\n'),
                Some((at, 'u')) => {
                    let digits = rest.get(at + 1..at + 5).ok_or("cut off")?;
                    let code = u32::from_str_radix(digits, 16).map_err(|e| e.to_string())?;
                    out.push(char::from_u32(code).ok_or("half of a pair")?);
                    chars.nth(3);
                }
                other => return Err(format!("{other:?} behind a backslash")),
            },
            c if c < ' ' => return Err(format!("{c:?} in a string")),
            c => out.push(c),
        }
    }
    Err("a string without end".to_string())
}
