//! JSON text, written in order.

use std::fmt::Write as _;

/// Writes one value; commas and indentation are its own.
#[derive(Debug, Default)]
pub struct Writer {
    out: String,
    /// For each open object or array, whether something is in it already.
    open: Vec<bool>,
    /// A key was written, its value is next.
    after_key: bool,
}

impl Writer {
    pub fn finish(mut self) -> String {
        self.out.push('\n');
        self.out
    }

    fn next(&mut self) {
        if std::mem::take(&mut self.after_key) {
            return;
        }
        let Some(filled) = self.open.last_mut() else {
            return;
        };
        if std::mem::replace(filled, true) {
            self.out.push(',');
        }
        self.line();
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(self.open.len()));
    }

    fn bracket(&mut self, open: char, close: char, inside: impl FnOnce(&mut Writer)) {
        self.next();
        self.out.push(open);
        self.open.push(false);
        inside(self);
        if self.open.pop() == Some(true) {
            self.line();
        }
        self.out.push(close);
    }

    pub fn object(&mut self, inside: impl FnOnce(&mut Writer)) {
        self.bracket('{', '}', inside);
    }

    pub fn array(&mut self, inside: impl FnOnce(&mut Writer)) {
        self.bracket('[', ']', inside);
    }

    /// The key of the value that is written next.
    pub fn key(&mut self, key: &str) -> &mut Writer {
        self.next();
        self.quoted(key);
        self.out.push_str(": ");
        self.after_key = true;
        self
    }

    pub fn string(&mut self, s: &str) {
        self.next();
        self.quoted(s);
    }

    pub fn strings<S: AsRef<str>>(&mut self, list: impl IntoIterator<Item = S>) {
        self.array(|w| {
            for s in list {
                w.string(s.as_ref());
            }
        });
    }

    pub fn int(&mut self, n: i64) {
        self.next();
        let _ = write!(self.out, "{n}");
    }

    pub fn maybe_int(&mut self, n: Option<i64>) {
        match n {
            Some(n) => self.int(n),
            None => self.null(),
        }
    }

    /// JSON has no infinities and no NaN: null.
    pub fn float(&mut self, x: f64) {
        self.next();
        match x.is_finite() {
            true => {
                let _ = write!(self.out, "{x}");
            }
            false => self.out.push_str("null"),
        }
    }

    pub fn bool(&mut self, b: bool) {
        self.next();
        self.out.push_str(if b { "true" } else { "false" });
    }

    pub fn null(&mut self) {
        self.next();
        self.out.push_str("null");
    }

    fn quoted(&mut self, s: &str) {
        self.out.push('"');
        for c in s.chars() {
            match c {
                '"' | '\\' => self.out.extend(['\\', c]),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                c if (c as u32) < 0x20 => {
                    let _ = write!(self.out, "\\u{:04x}", c as u32);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::Writer;

    #[test]
    fn everything_that_json_has() {
        let mut w = Writer::default();
        w.object(|w| {
            w.key("a \"b\"\\").string("line\n\ttab\u{1}\u{7f} \u{e9}");
            w.key("list").array(|w| {
                w.int(-3);
                w.float(0.5);
                w.float(f64::NAN);
                w.bool(true);
                w.null();
                w.object(|_| {});
                w.array(|_| {});
            });
            w.key("n").maybe_int(None);
        });
        assert_eq!(
            w.finish(),
            "{\n  \"a \\\"b\\\"\\\\\": \"line\\n\\ttab\\u0001\u{7f} \u{e9}\",\n  \"list\": [\n    \
             -3,\n    0.5,\n    null,\n    true,\n    null,\n    {},\n    []\n  ],\n  \"n\": \
             null\n}\n"
        );
    }
}
