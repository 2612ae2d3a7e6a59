//! Attributes.

use super::Printer;
use crate::attr::{Attr, AttrData};
use crate::context::Str;
use crate::loc::Loc;
use crate::num::{Float, Int};
use crate::types::{Signedness, Type, TypeData};
use std::fmt::Write as _;

/// Whether a name can stand without quotes.
pub(super) fn is_bare(s: &str) -> bool {
    let b = s.as_bytes();
    b.first()
        .is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_')
        && b.iter()
            .all(|c| c.is_ascii_alphanumeric() || b"_$.".contains(c))
}

impl<'c> Printer<'c> {
    /// An attribute in full.
    pub fn attr(&mut self, a: Attr) {
        self.attr_typed(a, Elide::Never);
    }

    /// An attribute of a registered dialect without its name: what its declaration
    /// prints.
    pub fn attr_params(&mut self, a: Attr) {
        let ctx = self.ctx;
        let AttrData::Dialect {
            dialect,
            mnemonic,
            params,
        } = a.data(ctx)
        else {
            return self.attr(a);
        };
        let dialect = ctx.dialect(dialect);
        match dialect.and_then(|d| d.attrs.iter().find(|x| x.mnemonic == *mnemonic)) {
            Some(def) => (def.print)(self, params),
            None => self.attr(a),
        }
    }

    /// An attribute whose type is clear from elsewhere.
    pub fn attr_without_type(&mut self, a: Attr) {
        self.attr_typed(a, Elide::Always);
    }

    /// Attributes with commas between them.
    pub fn attrs(&mut self, v: &[Attr]) {
        self.list(v, |p, a| p.attr(a));
    }

    /// Print the alias of an attribute, or note that it wants one.
    fn alias(&mut self, a: Attr) -> bool {
        if let Some(name) = self.aliases.get(&a) {
            self.out.push_str(name);
            return true;
        }
        if let Some(w) = &mut self.wanted
            && !w.contains(&a)
        {
            w.push(a);
        }
        false
    }

    pub(super) fn attr_typed(&mut self, a: Attr, elide: Elide) {
        let ctx = self.ctx;
        match a.data(ctx) {
            AttrData::Unit => self.write("unit"),
            AttrData::Integer { ty, value } => {
                if *ty == ctx.i1() {
                    self.write(if value.is_zero() { "false" } else { "true" });
                    return;
                }
                self.int(*ty, value);
                if elide == Elide::Never || (elide == Elide::Default && *ty != ctx.i64()) {
                    self.write(" : ");
                    self.ty(*ty);
                }
            }
            AttrData::Float { ty, value } => {
                self.float(value);
                if elide == Elide::Never || (elide == Elide::Default && *ty != ctx.f64()) {
                    self.write(" : ");
                    self.ty(*ty);
                }
            }
            AttrData::String { value, ty } => {
                self.quoted(value);
                if let (Some(t), true) = (ty, elide != Elide::Always) {
                    self.write(" : ");
                    self.ty(*t);
                }
            }
            AttrData::Type(t) => self.ty(*t),
            AttrData::Array(v) => {
                self.write("[");
                self.list(v, |p, a| p.attr_typed(a, Elide::Default));
                self.write("]");
            }
            AttrData::Dict(v) => self.dict(v),
            AttrData::SymbolRef(path) => {
                for (i, s) in path.iter().enumerate() {
                    if i > 0 {
                        self.write("::");
                    }
                    let s = ctx.str(*s);
                    self.symbol(s);
                }
            }
            AttrData::AffineMap(m) => {
                if !self.alias(a) {
                    let _ = write!(self.out, "affine_map<{m}>");
                }
            }
            AttrData::IntegerSet(s) => {
                if !self.alias(a) {
                    let _ = write!(self.out, "affine_set<{s}>");
                }
            }
            AttrData::Dense { ty, data } => {
                self.dense(*ty, data);
                self.type_suffix(*ty, elide);
            }
            AttrData::DenseArray { elem, .. } => self.dense_array(*elem, a),
            AttrData::DenseResource { ty, key } => {
                self.dense_resource(ctx.str(*key));
                self.type_suffix(*ty, elide);
            }
            AttrData::Sparse {
                ty,
                indices,
                values,
            } => {
                self.sparse(*indices, *values);
                self.type_suffix(*ty, elide);
            }
            AttrData::Strided { strides, offset } => self.strided(strides, *offset),
            AttrData::Loc(_) => self.loc(Loc::Attr(a)),
            AttrData::Distinct { id, value } => {
                let _ = write!(self.out, "distinct[{id}]<");
                if !matches!(value.data(ctx), AttrData::Unit) {
                    self.attr(*value);
                }
                self.write(">");
            }
            AttrData::Dialect {
                dialect,
                mnemonic,
                params,
            } => {
                let dot = self.out.len() + 1 + dialect.len();
                let _ = write!(self.out, "#{dialect}.{mnemonic}");
                let body = self.out.len();
                let def = ctx
                    .dialect(dialect)
                    .and_then(|d| d.attrs.iter().find(|x| x.mnemonic == *mnemonic));
                if let Some(d) = def {
                    (d.print)(self, params);
                }
                // A body that is not in angle brackets itself takes the long form,
                // `#dialect<mnemonic body>`.
                if self.out.as_bytes().get(body) == Some(&b' ') {
                    self.out.replace_range(dot..dot + 1, "<");
                    self.out.push('>');
                }
            }
            AttrData::Opaque { dialect, body, ty } => {
                self.opaque('#', dialect, body);
                if let Some(t) = ty {
                    self.write(" : ");
                    self.ty(*t);
                }
            }
        }
    }

    fn dense_array(&mut self, elem: Type, a: Attr) {
        self.write("array<");
        self.ty(elem);
        let before = self.out.len();
        self.write(": ");
        let filled = self.out.len();
        self.dense_array_elements(a);
        if self.out.len() == filled {
            self.out.truncate(before);
        }
        self.write(">");
    }

    fn sparse(&mut self, indices: Attr, values: Attr) {
        let ctx = self.ctx;
        self.write("sparse<");
        let count = indices
            .typed(ctx)
            .and_then(|t| t.num_elements(ctx))
            .unwrap_or(0);
        if count > 0 {
            self.dense_body(indices);
            self.write(", ");
            self.dense_body(values);
        }
        self.write(">");
    }

    fn dense_resource(&mut self, key: &str) {
        self.used_resources.push(key.to_string());
        self.write("dense_resource<");
        if is_bare(key) {
            self.write(key);
        } else {
            self.quoted(key.as_bytes());
        }
        self.write(">");
    }

    fn strided(&mut self, strides: &[i64], offset: i64) {
        self.write("strided<[");
        self.list(strides, |p, s| p.dim(s));
        self.write("]");
        if offset != 0 {
            self.write(", offset: ");
            self.dim(offset);
        }
        self.write(">");
    }

    fn type_suffix(&mut self, ty: Type, elide: Elide) {
        if elide != Elide::Always {
            self.write(" : ");
            self.ty(ty);
        }
    }

    pub(super) fn opaque(&mut self, sigil: char, dialect: &str, body: &str) {
        let _ = write!(self.out, "{sigil}{dialect}");
        if is_pretty(body) {
            let _ = write!(self.out, ".{body}");
        } else {
            let _ = write!(self.out, "<{body}>");
        }
    }

    /// An integer of type `ty`: unsigned types print unsigned, all others signed.
    pub fn int(&mut self, ty: Type, value: &Int) {
        let unsigned = matches!(
            ty.data(self.ctx),
            TypeData::Integer {
                sign: Signedness::Unsigned,
                ..
            }
        );
        let s = if unsigned {
            value.to_string_unsigned()
        } else {
            value.to_string_signed()
        };
        self.out.push_str(&s);
    }

    /// A float without its type, in a form that reads back the same.
    pub fn float(&mut self, value: &Float) {
        let _ = write!(self.out, "{value}");
    }

    /// A string in quotes, with escapes.
    pub fn quoted(&mut self, s: &[u8]) {
        self.out.push('"');
        self.escape(s);
        self.out.push('"');
    }

    pub(super) fn escape(&mut self, s: &[u8]) {
        crate::text::literal::escape_into(&mut self.out, s);
    }

    /// `@name`, in quotes where needed.
    pub fn symbol(&mut self, name: &str) {
        self.out.push('@');
        if is_bare(name) {
            self.out.push_str(name);
        } else {
            self.quoted(name.as_bytes());
        }
    }

    /// `{a = 1, b}`.
    pub fn dict(&mut self, entries: &[(Str, Attr)]) {
        let ctx = self.ctx;
        self.out.push('{');
        self.list(entries, |p, (k, a)| {
            let name = ctx.str(k);
            if is_bare(name) {
                p.out.push_str(name);
            } else {
                p.quoted(name.as_bytes());
            }
            if !matches!(a.data(ctx), AttrData::Unit) {
                p.out.push_str(" = ");
                p.attr(a);
            }
        });
        self.out.push('}');
    }
}

/// When the type of a typed attribute is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elide {
    Never,
    /// Where it is the type that a literal has by itself.
    Default,
    Always,
}

/// Whether an opaque body can be printed as `.name` or `.name<...>`.
fn is_pretty(body: &str) -> bool {
    let b = body.as_bytes();
    if !b.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let end = b
        .iter()
        .position(|c| !(c.is_ascii_alphanumeric() || *c == b'.' || *c == b'_'))
        .unwrap_or(b.len());
    if end == b.len() {
        return true;
    }
    if b[end] != b'<' || b[b.len() - 1] != b'>' {
        return false;
    }
    // The bracket that opens here must be the one that the last byte closes.
    let text = &body[end..];
    let Ok(mut lexer) = crate::text::Lexer::new(text) else {
        return false;
    };
    let first = lexer.lex();
    matches!(lexer.lex_body(first), Ok(r) if r.end as usize == text.len())
}
