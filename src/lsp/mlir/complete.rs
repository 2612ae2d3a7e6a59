//! What may stand where one types: names in scope, ops, attributes, types and passes.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, TextEdit,
};

use terrace_ir::text::places::{Span, ValuePlace};

use super::super::text::Snapshot;
use super::hover::{doc, of_op};
use super::{Analysis, Part, in_word, passes};
use crate::dialects::{self, builtin};
use serde_json::json;

/// Types that are no dialect's.
const TYPES: [&str; 22] = [
    "index", "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f80", "f128", "tf32",
    "f8E4M3FN", "f8E5M2", "none", "memref<", "vector<", "tensor<", "tuple<", "complex<", "!",
];

/// Attributes that are no dialect's.
const ATTRIBUTES: [&str; 12] = [
    "affine_map<",
    "affine_set<",
    "dense<",
    "dense_resource<",
    "sparse<",
    "array<",
    "strided<",
    "unit",
    "true",
    "false",
    "loc(",
    "distinct[",
];

/// A completion, of which the text stands in place of `from..to`.
struct Offer {
    label: String,
    kind: CompletionItemKind,
    detail: Option<String>,
    doc: Option<String>,
    /// The documentation is given when it is asked for: there are many ops and passes.
    documented: bool,
}

impl Offer {
    fn new(label: impl Into<String>, kind: CompletionItemKind) -> Offer {
        Offer {
            label: label.into(),
            kind,
            detail: None,
            doc: None,
            documented: false,
        }
    }

    fn detail(mut self, text: impl Into<String>) -> Offer {
        self.detail = Some(text.into());
        self
    }

    fn documented(mut self) -> Offer {
        self.documented = true;
        self
    }

    fn doc(mut self, text: impl Into<String>) -> Offer {
        self.doc = Some(text.into());
        self
    }
}

impl Analysis {
    /// All that may stand at a byte. The client leaves what fits to what is typed.
    pub fn completions(&self, snapshot: &Snapshot, offset: u32) -> Vec<CompletionItem> {
        let text = &*snapshot.text;
        let before = &text[..offset as usize];
        let line = &before[before.rfind('\n').map_or(0, |i| i + 1)..];
        if let Some((offers, typed)) = passes::at(line) {
            return items(
                snapshot,
                offset,
                offset - typed,
                offers.into_iter().map(of_pass),
            );
        }
        if line.contains("//") && !in_string(line) {
            return Vec::new();
        }
        let word: usize = before
            .chars()
            .rev()
            .take_while(|c| in_word(*c))
            .map(char::len_utf8)
            .sum();
        let start = offset - word as u32;
        let sign = before[..start as usize].chars().next_back();
        // The parts are those of a text that may be a little older: a place in it is as good.
        let Some((part, at)) = self.part_at(start.min(self.end())) else {
            return Vec::new();
        };
        let (from, offers) = match sign {
            Some('%') => (start - 1, part.values(at)),
            Some('^') => (start - 1, part.blocks(at)),
            Some('@') => (start - 1, part.symbol_names()),
            Some('#') => (start - 1, part.attributes()),
            Some('!') => (start - 1, part.types()),
            _ if in_string(line) => return Vec::new(),
            _ => (start, part.words(at, line, word)),
        };
        items(snapshot, offset, from, offers)
    }

    fn end(&self) -> u32 {
        self.parts.last().map_or(0, Part::end)
    }
}

fn of_pass(o: passes::Offer) -> Offer {
    let offer = Offer::new(o.name, CompletionItemKind::MODULE).detail(o.summary);
    match o.description.is_empty() {
        true => offer.documented(),
        false => offer.doc(o.description),
    }
}

fn markdown(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    })
}

/// Where a completion names what it is of, so that its documentation can be asked for.
const NAME: &str = "name";

/// The completion with the documentation of its op or pass.
pub fn resolved(mut item: CompletionItem) -> CompletionItem {
    let name = item.data.as_ref().and_then(|d| d.get(NAME)?.as_str());
    let Some(name) = name else {
        return item;
    };
    let mut ops = dialects::ALL.iter().flat_map(|d| d.ops);
    let text = match ops.find(|op| op.name == name) {
        Some(op) => Some(of_op(op)),
        None => passes::description(name),
    };
    item.documentation = text.map(markdown);
    item
}

/// Whether a string is open at the end of a line.
fn in_string(line: &str) -> bool {
    let mut open = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if open => drop(chars.next()),
            '"' => open = !open,
            '/' if !open && chars.as_str().starts_with('/') => return false,
            _ => {}
        }
    }
    open
}

fn items(
    snapshot: &Snapshot,
    offset: u32,
    from: u32,
    offers: impl IntoIterator<Item = Offer>,
) -> Vec<CompletionItem> {
    let range = snapshot.range(from, offset);
    let items = offers.into_iter().map(|o| CompletionItem {
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
            range,
            o.label.clone(),
        ))),
        filter_text: Some(o.label.clone()),
        data: o.documented.then(|| json!({ NAME: o.label })),
        label: o.label,
        kind: Some(o.kind),
        detail: o.detail,
        documentation: o.doc.map(markdown),
        ..CompletionItem::default()
    });
    items.collect()
}

impl Part {
    /// Values that are seen and defined above.
    fn values(&self, at: u32) -> Vec<Offer> {
        let p = &self.places;
        let visible = p.visible_from(p.region_at(at));
        let seen = p.values.iter().filter(|v| {
            let above = v
                .definition
                .is_some_and(|d| d.end < at && !self.being_defined(v, d, at));
            above && visible.contains(&v.region)
        });
        let offers = seen.map(|v| {
            let several = p
                .values
                .iter()
                .any(|w| w.definition == v.definition && w.number > 0);
            let label = match several {
                true => format!("{}#{}", v.name, v.number),
                false => v.name.clone(),
            };
            let offer = Offer::new(label, CompletionItemKind::VARIABLE);
            match v.ty {
                Some(ty) => offer.detail(self.ctx.type_text(ty)),
                None => offer,
            }
        });
        offers.collect()
    }

    /// Whether a value is a result of the op that is being written.
    fn being_defined(&self, v: &ValuePlace, definition: Span, at: u32) -> bool {
        let op = v.op.map(|o| &self.places.ops[o]);
        let is_result = op.is_some_and(|o| definition.start <= o.span.start);
        let between = self.text.get(definition.end as usize..at as usize);
        is_result && between.is_some_and(|t| !t.contains('\n'))
    }

    fn blocks(&self, at: u32) -> Vec<Offer> {
        let region = self.places.region_at(at);
        let own = self.places.blocks.iter().filter(|b| b.region == region);
        let defined = own.filter(|b| b.definition.is_some());
        defined
            .map(|b| Offer::new(b.name.clone(), CompletionItemKind::REFERENCE))
            .collect()
    }

    fn symbol_names(&self) -> Vec<Offer> {
        let p = &self.places;
        let defined = (0..p.ops.len()).filter_map(|i| Some((i, p.ops[i].symbol?)));
        let offers = defined.map(|(i, s)| {
            let name = self.spelling(s).to_string();
            Offer::new(name, CompletionItemKind::FUNCTION).detail(self.head(i))
        });
        offers.collect()
    }

    /// Aliases that begin with a sign.
    fn aliases(&self, sign: char) -> Vec<Offer> {
        let own = self
            .places
            .aliases
            .iter()
            .filter(|a| a.name.starts_with(sign));
        let defined = own.filter(|a| a.definition.is_some());
        let offers = defined.map(|a| {
            let value = self.spelling(a.value).to_string();
            Offer::new(a.name.clone(), CompletionItemKind::CONSTANT).detail(value)
        });
        offers.collect()
    }

    fn attributes(&self) -> Vec<Offer> {
        let mut out = self.aliases('#');
        for d in self.ctx.dialects() {
            let own = d
                .attrs
                .iter()
                .map(|a| format!("#{}.{}", d.name, a.mnemonic));
            out.extend(own.map(|l| Offer::new(l, CompletionItemKind::ENUM)));
        }
        out
    }

    fn types(&self) -> Vec<Offer> {
        let mut out = self.aliases('!');
        for d in self.ctx.dialects() {
            let own = d
                .types
                .iter()
                .map(|t| format!("!{}.{}", d.name, t.mnemonic));
            out.extend(own.map(|l| Offer::new(l, CompletionItemKind::CLASS)));
        }
        out
    }

    /// Words without a sign: attributes of an op in its braces, types behind colons and arrows, and ops
    /// elsewhere.
    fn words(&self, at: u32, line: &str, word: usize) -> Vec<Offer> {
        let head = line[..line.len() - word].trim();
        if head.is_empty() || head.ends_with('=') && head.starts_with('%') {
            return self.ops();
        }
        if head.ends_with(':') || head.ends_with("->") || head.ends_with(['<', 'x']) {
            let types = TYPES
                .iter()
                .map(|t| Offer::new(*t, CompletionItemKind::CLASS));
            return types.chain(self.aliases('!')).collect();
        }
        let in_braces = head.rfind('{').is_some_and(|i| !head[i..].contains('}'));
        if in_braces {
            let op = self
                .places
                .op_at(at.saturating_sub(1))
                .map(|i| &self.places.ops[i]);
            let mut out = Vec::new();
            if head.ends_with('=') {
                let values = ATTRIBUTES
                    .iter()
                    .map(|a| Offer::new(*a, CompletionItemKind::VALUE));
                return values.chain(self.attributes()).collect();
            }
            for a in op.and_then(|o| o.def).iter().flat_map(|d| d.attrs) {
                let offer = Offer::new(a.name, CompletionItemKind::PROPERTY);
                out.push(offer.detail(a.constraint.summary));
            }
            for a in dialect_attributes(&self.ctx) {
                let offer = Offer::new(a.name, CompletionItemKind::PROPERTY);
                out.push(offer.detail(a.value.summary).doc(doc(a.doc)));
            }
            // The braces may be those of a region.
            let has_regions = op
                .and_then(|o| o.def)
                .is_some_and(|d| !d.regions.is_empty());
            if has_regions && !head.contains("attributes") {
                out.extend(self.ops());
            }
            return out;
        }
        Vec::new()
    }

    fn ops(&self) -> Vec<Offer> {
        let mut out = Vec::new();
        for d in self.ctx.dialects() {
            let offer = Offer::new(format!("{}.", d.name), CompletionItemKind::MODULE);
            out.push(offer.detail(d.doc));
            for op in d.ops {
                let first = doc(op.doc);
                let first = first.lines().next().unwrap_or("").to_string();
                let offer = Offer::new(op.name, CompletionItemKind::FUNCTION);
                out.push(offer.detail(first).documented());
            }
        }
        // This may be written without its dialect.
        let short = Offer::new("module", CompletionItemKind::FUNCTION);
        out.push(short.detail(builtin::ModuleOp::NAME));
        out
    }
}

/// Attributes that any op may have.
fn dialect_attributes(
    ctx: &terrace_ir::Context,
) -> impl Iterator<Item = &'static terrace_ir::opdef::OpAttrDef> {
    let known = crate::dialects::attributes::ALL.iter().copied();
    known.filter(|a| ctx.op_attr(a.name).is_some())
}
