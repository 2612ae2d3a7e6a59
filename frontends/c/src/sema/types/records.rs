//! Structs and unions and where their members lie (C11 6.7.2.1; System V ABI, "Data
//! Representation").

use lang_c::ast::{StructDeclaration, StructField, StructKind, StructType};
use lang_c::span::Node;

use super::attributes::Attrs;
use super::{QType, Spec};
use crate::hir::Span;
use crate::sema::Sema;
use crate::sema::report::is_error;
use crate::sema::scope::Tag;
use crate::types::{Extent, Field, Record, Type};

/// The members so far.
struct Layout {
    union: bool,
    packed: bool,
    /// The most that members are aligned to.
    pack: Option<u64>,
    fields: Vec<Field>,
    /// Where the next member may begin, in bits.
    bits: u64,
    /// In bytes.
    size: u64,
    align: u64,
}

impl Sema<'_> {
    /// The index of the record that is named or defined.
    pub(super) fn record_specifier(&mut self, s: &Node<StructType>, attrs: &Attrs) -> usize {
        let union = s.node.kind.node == StructKind::Union;
        let tag = s.node.identifier.as_ref().map(|n| n.node.name.as_str());
        let Some(declarations) = &s.node.declarations else {
            let Some(tag) = tag else {
                return self.new_record("", union);
            };
            return match self.scopes.tag(tag) {
                Some(Tag::Record(index)) => *index,
                _ => self.tagged_record(tag, union),
            };
        };
        let index = match tag.map(|t| (t, self.scopes.tag_here(t))) {
            Some((tag, Some(Tag::Record(index)))) => {
                let index = *index;
                if self.records[index].fields.is_some() {
                    let word = if union { "union" } else { "struct" };
                    let at = s
                        .node
                        .identifier
                        .as_ref()
                        .map_or(self.span(s.span), |n| self.span(n.span));
                    self.error(at, format!("`{word} {tag}` is defined for a second time"));
                    self.tagged_record(tag, union)
                } else {
                    index
                }
            }
            Some((tag, _)) => self.tagged_record(tag, union),
            None => self.new_record("", union),
        };
        let head = self.attributes_in_head(s);
        let mut layout = Layout {
            union,
            packed: attrs.packed || head.packed,
            pack: self.packs.at(self.span(s.span).end),
            fields: Vec::new(),
            bits: 0,
            size: 0,
            align: 1,
        };
        for declaration in declarations {
            if let StructDeclaration::Field(field) = &declaration.node {
                self.fields(&field.node, self.span(field.span), &mut layout);
            }
        }
        for align in [attrs.align, head.align].into_iter().flatten() {
            layout.align = layout.align.max(align);
        }
        let size = if union {
            layout.size
        } else {
            layout.bits.div_ceil(8)
        };
        let record = &mut self.records[index];
        record.size = round_up(size, layout.align);
        record.align = layout.align;
        record.fields = Some(layout.fields);
        index
    }

    fn new_record(&mut self, name: &str, union: bool) -> usize {
        self.records.push(Record {
            name: name.to_owned(),
            union,
            fields: None,
            size: 0,
            align: 1,
        });
        self.records.len() - 1
    }

    fn tagged_record(&mut self, tag: &str, union: bool) -> usize {
        let index = self.new_record(tag, union);
        self.scopes.declare_tag(tag, Tag::Record(index));
        index
    }

    /// Attributes between `struct` and the tag or the brace. The parser does not keep
    /// them, the text does.
    fn attributes_in_head(&self, s: &Node<StructType>) -> Attrs {
        let at = self.span(s.span);
        let text = self
            .source
            .text()
            .get(at.start as usize..at.end as usize)
            .unwrap_or_default();
        let head = text.split('{').next().unwrap_or_default();
        let mut attrs = Attrs::default();
        if !head.contains("__attribute") {
            return attrs;
        }
        let mut words = head
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|w| !w.is_empty())
            .peekable();
        while let Some(word) = words.next() {
            match word.trim_matches('_') {
                "packed" => attrs.packed = true,
                "aligned" => {
                    let n = words.peek().and_then(|w| w.parse::<u64>().ok());
                    attrs.align = Some(n.filter(|n| n.is_power_of_two()).unwrap_or(16));
                }
                _ => {}
            }
        }
        attrs
    }

    fn fields(&mut self, field: &StructField, at: Span, layout: &mut Layout) {
        let list: Vec<Spec> = field.specifiers.iter().map(Spec::of_type_name).collect();
        let specs = self.specifiers(&list);
        if field.declarators.is_empty() {
            // `struct { ... };` in a struct: its members are this one's.
            if matches!(specs.ty.ty, Type::Record(_)) {
                self.field(String::new(), specs.ty, &specs.attrs, at, layout);
            }
            return;
        }
        for d in &field.declarators {
            let (name, ty, attrs, at) = match &d.node.declarator {
                Some(declarator) => {
                    let declared = self.declarator(specs.ty.clone(), declarator);
                    let attrs = specs.attrs.clone().and(declared.attrs);
                    (declared.name, declared.ty, attrs, declared.span)
                }
                None => (String::new(), specs.ty.clone(), specs.attrs.clone(), at),
            };
            match &d.node.bit_width {
                Some(width) => {
                    let width = self.constant_u64(width);
                    self.bit_field(name, ty, width, at, layout);
                }
                None => self.field(name, ty, &attrs, at, layout),
            }
        }
    }

    fn field(&mut self, name: String, ty: QType, attrs: &Attrs, at: Span, layout: &mut Layout) {
        if !name.is_empty() && layout.fields.iter().any(|f| f.name == name) {
            self.error(at, format!("there are two members `{name}`"));
            return;
        }
        let size = match (&ty.ty, self.size_of(&ty.ty)) {
            (_, Some(size)) => size,
            // A flexible array member takes no room.
            (Type::Array(a), None) if matches!(a.len, Extent::Unknown) => 0,
            (other, None) => {
                if !is_error(other) {
                    let found = self.spell(other);
                    self.error(
                        at,
                        format!(
                            "the member `{name}` has the type `{found}`, whose size is not known"
                        ),
                    );
                }
                return;
            }
        };
        let packed = layout.packed || attrs.packed;
        let mut align = if packed { 1 } else { self.align_of(&ty.ty) };
        align = align.max(attrs.align.unwrap_or(1));
        align = align.min(layout.pack.unwrap_or(align));
        layout.align = layout.align.max(align);
        let offset = if layout.union {
            layout.size = layout.size.max(size);
            0
        } else {
            let offset = round_up(layout.bits.div_ceil(8), align);
            layout.bits = offset.saturating_add(size).saturating_mul(8);
            offset
        };
        layout.fields.push(Field {
            name,
            ty: ty.ty,
            offset,
            bits: None,
            is_const: ty.quals.constant,
            is_volatile: ty.quals.volatile,
        });
    }

    fn bit_field(
        &mut self,
        name: String,
        ty: QType,
        width: Option<u64>,
        at: Span,
        layout: &mut Layout,
    ) {
        let unit = self.size_of(&ty.ty).unwrap_or(4).max(1);
        let width = match width {
            Some(w) if ty.ty.is_integer() && w <= unit * 8 => w,
            Some(_) if is_error(&ty.ty) => return,
            _ => {
                let found = self.spell(&ty.ty);
                self.error(
                    at,
                    format!("a bit-field of `{found}` cannot have this width"),
                );
                return;
            }
        };
        let mut align = if layout.packed {
            1
        } else {
            self.align_of(&ty.ty)
        };
        align = align.min(layout.pack.unwrap_or(align));
        let unit_bits = unit * 8;
        if width == 0 {
            layout.bits = round_up(layout.bits, unit_bits);
            return;
        }
        let mut offset = 0;
        if layout.union {
            layout.size = layout.size.max(width.div_ceil(8));
        } else {
            // It does not cross a boundary of its type's unit.
            let last = layout.bits.saturating_add(width - 1);
            let crosses = layout.bits / unit_bits != last / unit_bits;
            if !layout.packed && layout.pack.is_none() && crosses {
                layout.bits = round_up(layout.bits, unit_bits);
            }
            offset = layout.bits / unit_bits * unit;
            layout.bits = layout.bits.saturating_add(width);
        }
        if name.is_empty() {
            return;
        }
        layout.align = layout.align.max(align);
        layout.fields.push(Field {
            name,
            ty: ty.ty,
            offset,
            bits: Some(width as u32),
            is_const: ty.quals.constant,
            is_volatile: ty.quals.volatile,
        });
    }

    /// The way to a member through anonymous ones: the field of the record, the field
    /// of that field, and so on.
    pub(in crate::sema) fn find_member(&self, record: usize, name: &str) -> Option<Vec<usize>> {
        self.find_member_at(record, name, 0)
    }

    fn find_member_at(&self, record: usize, name: &str, depth: u32) -> Option<Vec<usize>> {
        let fields = self.records.get(record)?.fields.as_ref()?;
        if let Some(i) = fields.iter().position(|f| f.name == name) {
            return Some(vec![i]);
        }
        if depth > 50 {
            return None;
        }
        fields.iter().enumerate().find_map(|(i, f)| match f.ty {
            Type::Record(inner) if f.name.is_empty() => {
                let mut path = self.find_member_at(inner, name, depth + 1)?;
                path.insert(0, i);
                Some(path)
            }
            _ => None,
        })
    }
}

fn round_up(value: u64, to: u64) -> u64 {
    value.checked_next_multiple_of(to.max(1)).unwrap_or(value)
}
