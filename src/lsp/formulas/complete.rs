//! What may stand where one types, and what the words of the language mean.

use lsp_types::{CompletionItem, CompletionItemKind};

use super::super::text::Snapshot;
use super::Analysis;
use super::names::Kind;

/// Words of the language.
const WORDS: [(&str, &str); 20] = [
    ("model", "the head: name, parameters, precision"),
    ("array", "an array by its indices, both ends included"),
    ("macro", "what a name with arguments stands for"),
    (
        "extern",
        "a function of C, of numbers of the model's precision",
    ),
    ("compute", "all elements of an array, by a formula"),
    (
        "edge",
        "another word for `compute`, for places in the stead of indices",
    ),
    ("precision", "`f32` or `f64`"),
    ("strict", "formulas are computed as they are written"),
    ("order", "the order in memory, the outermost index first"),
    (
        "bands",
        "elements along an index alternate between so many bands",
    ),
    ("same", "all elements along an index are one"),
    ("positive", "a promise about all elements"),
    ("nonnegative", "a promise about all elements"),
    ("by", "an array has only each n-th index"),
    ("skip", "elements left out in front and behind"),
    ("step", "each n-th element"),
    ("up", "from the first element to the last"),
    ("down", "from the last element to the first"),
    ("carried", "along this index new values are read"),
    (
        "parallel",
        "a claim that is checked: nothing is handed on along this index",
    ),
];

/// Functions, and words of formulas.
const FUNCTIONS: [(&str, &str); 26] = [
    ("sqrt", "the square root"),
    ("exp", "the exponential function"),
    ("log", "the natural logarithm"),
    ("sin", "the sine"),
    ("cos", "the cosine"),
    ("tan", "the tangent"),
    ("asin", "the inverse sine"),
    ("acos", "the inverse cosine"),
    ("atan", "the inverse tangent"),
    ("atan2", "the angle of a point, `atan2(y, x)`"),
    ("sinh", "the hyperbolic sine"),
    ("cosh", "the hyperbolic cosine"),
    ("tanh", "the hyperbolic tangent"),
    ("abs", "the amount; also `Abs`"),
    ("floor", "the whole number below"),
    ("ceil", "the whole number above; also `ceiling`"),
    ("min", "the least of two and more; also `Min`"),
    ("max", "the greatest of two and more; also `Max`"),
    ("sign", "-1, 0 or 1; also `signum`"),
    (
        "ifsign",
        "`ifsign(x, a, b, c)`: `a` where `x` is below nought, `b` at nought, `c` above",
    ),
    (
        "if",
        "`if(x < y, a, b)`: both are computed, and one is taken",
    ),
    (
        "Piecewise",
        "values with their conditions, as SymPy prints them",
    ),
    ("_grp", "`_grp(x)`: computed as it is written"),
    ("with", "temporaries of a point, which later ones may use"),
    ("%pi", "the circle's number"),
    ("%e", "Euler's number"),
];

/// What is known of a word of the language.
pub fn known(word: &str) -> Option<String> {
    let all = WORDS.iter().chain(&FUNCTIONS);
    let (name, text) = all.into_iter().find(|(name, _)| *name == word)?;
    Some(format!("`{name}`: {text}"))
}

impl Analysis {
    /// Names that are known at a byte, functions and words.
    pub fn completions(&self, snapshot: &Snapshot, offset: u32) -> Vec<CompletionItem> {
        let line = snapshot.line(snapshot.line_of(offset));
        let column = (offset - snapshot.line_start(snapshot.line_of(offset))) as usize;
        let before = line.get(..column).unwrap_or("");
        if before.contains('#') || before.contains("//") {
            return Vec::new();
        }
        let item = |label: &str, kind, detail: &str| CompletionItem {
            label: label.to_string(),
            kind: Some(kind),
            detail: Some(detail.to_string()),
            ..CompletionItem::default()
        };
        let mut out: Vec<CompletionItem> = Vec::new();
        for e in &self.names.all {
            // What is typed may lie behind the statement as it was read.
            let known = e
                .scope
                .is_none_or(|s| s.start <= offset && self.in_item(s.end, offset));
            if known && e.kind != Kind::Model && !out.iter().any(|o| o.label == e.name) {
                let kind = match e.kind {
                    Kind::Array => CompletionItemKind::FIELD,
                    Kind::Macro | Kind::Extern => CompletionItemKind::FUNCTION,
                    _ => CompletionItemKind::VARIABLE,
                };
                out.push(item(&e.name, kind, e.kind.words()));
            }
        }
        out.extend(FUNCTIONS.map(|(n, text)| item(n, CompletionItemKind::FUNCTION, text)));
        out.extend(WORDS.map(|(n, text)| item(n, CompletionItemKind::KEYWORD, text)));
        out
    }

    /// Whether a byte is in the item that ends at `end`, or behind it and in front of the next one.
    fn in_item(&self, end: u32, offset: u32) -> bool {
        use terrace_formulas::ast::Item;
        if offset <= end {
            return true;
        }
        let starts = self.tree.items.iter().map(|i| match i {
            Item::Array(a) => a.name.span.start,
            Item::Macro(m) => m.name.span.start,
            Item::Extern(e) => e.name.span.start,
            Item::Compute(c) => c.span.start,
        });
        !starts.into_iter().any(|s| end <= s && s <= offset)
    }
}
