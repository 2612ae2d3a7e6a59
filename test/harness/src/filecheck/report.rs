//! Messages as FileCheck prints them.

/// Which of the two texts a message points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Checks,
    Input,
}

/// The messages so far.
pub(super) struct Report<'a> {
    /// Name and text of the check file and of the input.
    texts: [(&'a str, &'a str); 2],
    /// The messages, each with its line and a caret.
    pub out: String,
}

impl<'a> Report<'a> {
    pub fn new(checks: (&'a str, &'a str), input: (&'a str, &'a str)) -> Self {
        Report {
            texts: [checks, input],
            out: String::new(),
        }
    }

    pub fn error(&mut self, side: Side, offset: usize, message: &str) {
        self.say(side, offset, "error", message);
    }

    pub fn note(&mut self, side: Side, offset: usize, message: &str) {
        self.say(side, offset, "note", message);
    }

    fn say(&mut self, side: Side, offset: usize, kind: &str, message: &str) {
        let (name, text) = self.texts[usize::from(side == Side::Input)];
        let before = &text[..offset.min(text.len())];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let number = before.matches('\n').count() + 1;
        let line = text[start..].lines().next().unwrap_or("");
        let column = before[start..].chars().count();
        self.out += &format!(
            "{name}:{number}:{}: {kind}: {message}\n{line}\n{}^\n",
            column + 1,
            " ".repeat(column)
        );
    }
}
