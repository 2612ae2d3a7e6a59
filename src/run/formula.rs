//! Arithmetic formulas such as `2*M*N*K + 3*M*N`, for operation counts.

use std::collections::BTreeMap;

/// The value of a formula of numbers, names, `+ - * /` and parentheses.
///
/// # Errors
///
/// What was found where, or the name that has no value.
pub fn evaluate(text: &str, names: &BTreeMap<String, f64>) -> Result<f64, String> {
    let mut p = Formula {
        text,
        pos: 0,
        names,
        depth: 0,
    };
    let v = p.sum()?;
    p.skip();
    match p.text[p.pos..].chars().next() {
        None => Ok(v),
        Some(c) => Err(format!(
            "in formula `{text}`: found `{c}`, expected an operator or the end"
        )),
    }
}

struct Formula<'a> {
    text: &'a str,
    pos: usize,
    names: &'a BTreeMap<String, f64>,
    depth: usize,
}

impl Formula<'_> {
    fn skip(&mut self) {
        let rest = &self.text[self.pos..];
        self.pos += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        self.skip();
        let yes = self.text[self.pos..].starts_with(c);
        if yes {
            self.pos += c.len_utf8();
        }
        yes
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut v = self.product()?;
        loop {
            if self.eat('+') {
                v += self.product()?;
            } else if self.eat('-') {
                v -= self.product()?;
            } else {
                return Ok(v);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut v = self.atom()?;
        loop {
            if self.eat('*') {
                v *= self.atom()?;
            } else if self.eat('/') {
                v /= self.atom()?;
            } else {
                return Ok(v);
            }
        }
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.eat('(') {
            self.depth += 1;
            if self.depth > 100 {
                return Err(format!("in formula `{}`: too many parentheses", self.text));
            }
            let v = self.sum()?;
            self.depth -= 1;
            return match self.eat(')') {
                true => Ok(v),
                false => Err(format!("in formula `{}`: expected `)`", self.text)),
            };
        }
        self.skip();
        let rest = &self.text[self.pos..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        self.pos += end;
        if word.is_empty() {
            let found = rest
                .chars()
                .next()
                .map_or("the end".to_string(), |c| format!("`{c}`"));
            return Err(format!(
                "in formula `{}`: found {found}, expected a number or a name",
                self.text
            ));
        }
        if let Ok(v) = word.parse::<f64>() {
            return Ok(v);
        }
        self.names.get(word).copied().ok_or_else(|| {
            let known: Vec<&str> = self.names.keys().map(String::as_str).collect();
            format!(
                "in formula `{}`: `{word}` has no value; known are {}",
                self.text,
                known.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;
    use std::collections::BTreeMap;

    fn value(s: &str) -> Result<f64, String> {
        evaluate(
            s,
            &BTreeMap::from([("M".to_string(), 3.0), ("N".to_string(), 4.0)]),
        )
    }

    #[test]
    fn arithmetic() {
        assert_eq!(value("2*M*N + 3*(M - 1)/2"), Ok(27.0));
        assert_eq!(value(" 7 "), Ok(7.0));
    }

    #[test]
    fn errors_say_what_was_found() {
        assert!(
            value("2*Q")
                .unwrap_err()
                .contains("`Q` has no value; known are M, N")
        );
        assert!(value("2*").unwrap_err().contains("found the end"));
        assert!(value("2 M").unwrap_err().contains("found `M`"));
        assert!(value("(2").unwrap_err().contains("expected `)`"));
    }
}
