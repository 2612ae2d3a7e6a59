//! Attributes, types and locations.

use super::Printer;
use crate::affine::{AffineExpr, DimOrSym, print_expr_with};
use crate::attr::{Attr, AttrData, DenseData};
use crate::context::Str;
use crate::loc::{Loc, LocData};
use crate::num::{Float, Int};
use crate::types::{DYNAMIC, Signedness, Type, TypeData};
use crate::value::Value;
use std::fmt::Write as _;

/// Dense elements of more elements than this print as hexadecimal text.
const HEX_OVER: usize = 100;

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

    fn attr_typed(&mut self, a: Attr, elide: Elide) {
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
            AttrData::DenseArray { elem, .. } => {
                self.write("array<");
                self.ty(*elem);
                let before = self.out.len();
                self.write(": ");
                let filled = self.out.len();
                self.dense_array_elements(a);
                if self.out.len() == filled {
                    self.out.truncate(before);
                }
                self.write(">");
            }
            AttrData::DenseResource { ty, key } => {
                let key = ctx.str(*key);
                self.used_resources.push(key.to_string());
                self.write("dense_resource<");
                if is_bare(key) {
                    self.write(key);
                } else {
                    self.quoted(key.as_bytes());
                }
                self.write(">");
                self.type_suffix(*ty, elide);
            }
            AttrData::Sparse {
                ty,
                indices,
                values,
            } => {
                self.write("sparse<");
                let count = indices
                    .typed(ctx)
                    .and_then(|t| t.num_elements(ctx))
                    .unwrap_or(0);
                if count > 0 {
                    self.dense_body(*indices);
                    self.write(", ");
                    self.dense_body(*values);
                }
                self.write(">");
                self.type_suffix(*ty, elide);
            }
            AttrData::Strided { strides, offset } => {
                self.write("strided<[");
                self.list(strides, |p, s| p.dim(s));
                self.write("]");
                if *offset != 0 {
                    self.write(", offset: ");
                    self.dim(*offset);
                }
                self.write(">");
            }
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

    fn type_suffix(&mut self, ty: Type, elide: Elide) {
        if elide != Elide::Always {
            self.write(" : ");
            self.ty(ty);
        }
    }

    fn opaque(&mut self, sigil: char, dialect: &str, body: &str) {
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

    // ---- elements ----

    fn dense(&mut self, ty: Type, data: &DenseData) {
        let ctx = self.ctx;
        let count = ty.num_elements(ctx).unwrap_or(0) as usize;
        if let (Some(max), DenseData::Raw { splat: false, .. }) =
            (self.options.elide_elements_over, data)
            && count > max
        {
            self.write("dense_resource<__elided__>");
            return;
        }
        self.write("dense<");
        self.dense_data(ty, data, count);
        self.write(">");
    }

    fn dense_body(&mut self, a: Attr) {
        if let AttrData::Dense { ty, data } = a.data(self.ctx) {
            let count = ty.num_elements(self.ctx).unwrap_or(0) as usize;
            self.dense_data(*ty, data, count);
        }
    }

    fn dense_data(&mut self, ty: Type, data: &DenseData, count: usize) {
        let ctx = self.ctx;
        let elem = ty.element(ctx).unwrap_or(ty);
        let shape = ty.shape(ctx).unwrap_or(&[]);
        match data {
            DenseData::Raw { splat, bytes } => {
                let size = self.element_size(elem);
                if !*splat && count > HEX_OVER {
                    self.write("\"0x");
                    if elem == ctx.i1() {
                        // Eight to a byte, as upstream reads them.
                        for group in bytes.chunks(8) {
                            let bits = group.iter().rev().fold(0u8, |n, b| n << 1 | (b & 1));
                            let _ = write!(self.out, "{bits:02X}");
                        }
                    } else {
                        for b in bytes.iter() {
                            let _ = write!(self.out, "{b:02X}");
                        }
                    }
                    self.write("\"");
                    return;
                }
                let get = |p: &mut Self, i: usize| {
                    p.element(elem, bytes.get(i * size..(i + 1) * size).unwrap_or(&[]));
                };
                if *splat {
                    get(self, 0);
                } else {
                    self.nested_elements(shape, 0, &mut 0, &get);
                }
            }
            DenseData::Strings { splat, values } => {
                let get = |p: &mut Self, i: usize| {
                    if let Some(v) = values.get(i) {
                        p.quoted(v);
                    }
                };
                if *splat {
                    get(self, 0);
                } else {
                    self.nested_elements(shape, 0, &mut 0, &get);
                }
            }
        }
    }

    fn nested_elements(
        &mut self,
        shape: &[i64],
        depth: usize,
        next: &mut usize,
        f: &dyn Fn(&mut Self, usize),
    ) {
        let Some(n) = shape.get(depth) else {
            f(self, *next);
            *next += 1;
            return;
        };
        // An empty shape anywhere leaves nothing to print.
        if shape.contains(&0) {
            return;
        }
        self.write("[");
        for i in 0..*n {
            if i > 0 {
                self.write(", ");
            }
            self.nested_elements(shape, depth + 1, next, f);
        }
        self.write("]");
    }

    /// The bytes of one stored element.
    fn element_size(&self, elem: Type) -> usize {
        let one = |t: Type| {
            let bits = if t.is_index(self.ctx) {
                64
            } else {
                t.bit_width(self.ctx).unwrap_or(8)
            };
            (bits as usize).div_ceil(8).max(1)
        };
        match elem.data(self.ctx) {
            TypeData::Complex(t) => 2 * one(*t),
            _ => one(elem),
        }
    }

    fn element(&mut self, elem: Type, bytes: &[u8]) {
        match elem.data(self.ctx) {
            TypeData::Complex(t) => {
                let (a, b) = bytes.split_at(bytes.len() / 2);
                let t = *t;
                self.write("(");
                self.element(t, a);
                self.write(",");
                self.element(t, b);
                self.write(")");
            }
            TypeData::Float(k) => {
                let mut b = [0u8; 16];
                b[..bytes.len()].copy_from_slice(bytes);
                let v = Float::from_bits(*k, u128::from_le_bytes(b));
                self.float(&v);
            }
            TypeData::Integer { width: 1, .. } => {
                let v = bytes.first().is_some_and(|b| b & 1 != 0);
                self.write(if v { "true" } else { "false" });
            }
            TypeData::Integer { width, .. } => {
                let v = Int::from_le_bytes(*width, bytes);
                self.int(elem, &v);
            }
            _ => {
                let v = Int::from_le_bytes(64, bytes);
                self.int(elem, &v);
            }
        }
    }

    /// The elements of a dense array, without brackets.
    pub fn dense_array_elements(&mut self, a: Attr) {
        if let AttrData::DenseArray { elem, bytes } = a.data(self.ctx) {
            let size = self.element_size(*elem);
            for (i, c) in bytes.chunks_exact(size).enumerate() {
                if i > 0 {
                    self.write(", ");
                }
                self.element(*elem, c);
            }
        }
    }

    /// An integer, or `?` for [`DYNAMIC`].
    pub fn dim(&mut self, d: i64) {
        if d == DYNAMIC {
            self.write("?");
        } else {
            let _ = write!(self.out, "{d}");
        }
    }

    // ---- affine ----

    /// An affine expression over SSA operands: dimensions first, then symbols.
    pub fn affine_expr(&mut self, e: &AffineExpr, num_dims: u32, operands: &[Value]) {
        self.with_out(|p, out| {
            let _ = print_expr_with(e, out, &|kind, i, w| match kind {
                DimOrSym::Dim => w.write_str(&p.value_text(operands[i as usize])),
                DimOrSym::Sym => {
                    let v = operands[(num_dims + i) as usize];
                    write!(w, "symbol({})", p.value_text(v))
                }
            });
        });
    }

    /// The results of a map over SSA operands, separated by commas.
    pub fn map_of_operands(&mut self, m: &crate::affine::AffineMap, operands: &[Value]) {
        let results: Vec<&AffineExpr> = m.results().iter().collect();
        self.list(&results, |p, e| p.affine_expr(e, m.num_dims(), operands));
    }

    /// `(%a, %b)[%n]`: the operands of a map's dimensions and symbols.
    pub fn dims_and_symbols(&mut self, operands: &[Value], num_dims: usize) {
        let (dims, syms) = operands.split_at(num_dims.min(operands.len()));
        self.write("(");
        self.values(dims);
        self.write(")");
        if !syms.is_empty() {
            self.write("[");
            self.values(syms);
            self.write("]");
        }
    }

    // ---- types ----

    pub fn types(&mut self, v: &[Type]) {
        self.list(v, |p, t| p.ty(t));
    }

    /// `(inputs) -> results`.
    pub fn signature(&mut self, inputs: &[Type], results: &[Type]) {
        self.write("(");
        self.types(inputs);
        self.write(") -> ");
        self.function_results(results);
    }

    /// The result types of a function, in parentheses unless there is exactly one
    /// that is no function.
    pub fn function_results(&mut self, results: &[Type]) {
        let bare = results.len() == 1 && results[0].function_parts(self.ctx).is_none();
        if bare {
            self.ty(results[0]);
            return;
        }
        self.write("(");
        self.types(results);
        self.write(")");
    }

    /// ` -> types`, or nothing.
    pub fn optional_arrow_types(&mut self, results: &[Type]) {
        if !results.is_empty() {
            self.write(" -> ");
            self.function_results(results);
        }
    }

    pub fn ty(&mut self, t: Type) {
        match t.data(self.ctx) {
            TypeData::Integer { width, sign } => {
                let s = match sign {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                };
                let _ = write!(self.out, "{s}{width}");
            }
            TypeData::Index => self.write("index"),
            TypeData::Float(k) => self.write(k.name()),
            TypeData::None => self.write("none"),
            TypeData::Complex(t) => {
                self.write("complex<");
                self.ty(*t);
                self.write(">");
            }
            TypeData::Function { inputs, results } => self.signature(inputs, results),
            TypeData::Tuple(v) => {
                self.write("tuple<");
                self.types(v);
                self.write(">");
            }
            TypeData::Vector {
                shape,
                elem,
                scalable,
            } => {
                self.write("vector<");
                for (i, d) in shape.iter().enumerate() {
                    if scalable.get(i) == Some(&true) {
                        let _ = write!(self.out, "[{d}]x");
                    } else {
                        let _ = write!(self.out, "{d}x");
                    }
                }
                self.ty(*elem);
                self.write(">");
            }
            TypeData::Tensor {
                shape,
                elem,
                encoding,
            } => {
                self.write("tensor<");
                self.dims_x(shape);
                self.ty(*elem);
                if let Some(e) = encoding {
                    self.write(", ");
                    self.attr(*e);
                }
                self.write(">");
            }
            TypeData::UnrankedTensor(t) => {
                self.write("tensor<*x");
                self.ty(*t);
                self.write(">");
            }
            TypeData::MemRef {
                shape,
                elem,
                layout,
                space,
            } => {
                self.write("memref<");
                self.dims_x(shape);
                self.ty(*elem);
                if let Some(l) = layout {
                    self.write(", ");
                    self.attr(*l);
                }
                self.space(*space);
                self.write(">");
            }
            TypeData::UnrankedMemRef { elem, space } => {
                self.write("memref<*x");
                self.ty(*elem);
                self.space(*space);
                self.write(">");
            }
            TypeData::Dialect {
                dialect,
                mnemonic,
                params,
            } => {
                let _ = write!(self.out, "!{dialect}.{mnemonic}");
                let def = self
                    .ctx
                    .dialect(dialect)
                    .and_then(|d| d.types.iter().find(|x| x.mnemonic == *mnemonic));
                if let Some(d) = def {
                    (d.print)(self, params);
                }
            }
            TypeData::Opaque { dialect, body } => self.opaque('!', dialect, body),
        }
    }

    fn space(&mut self, space: Option<Attr>) {
        if let Some(s) = space {
            self.write(", ");
            self.attr_typed(s, Elide::Default);
        }
    }

    fn dims_x(&mut self, shape: &[i64]) {
        for d in shape {
            self.dim(*d);
            self.write("x");
        }
    }

    // ---- locations ----

    /// `loc(...)`.
    pub fn loc(&mut self, l: Loc) {
        self.write("loc(");
        self.loc_inner(l);
        self.write(")");
    }

    fn loc_inner(&mut self, l: Loc) {
        let ctx = self.ctx;
        match l.data(ctx) {
            LocData::Unknown => self.write("unknown"),
            LocData::File { file, line, col } => {
                let name = ctx.file_name(file).into_owned();
                self.quoted(name.as_bytes());
                let _ = write!(self.out, ":{line}:{col}");
            }
            LocData::Range { file, start, end } => {
                let name = ctx.file_name(file).into_owned();
                self.quoted(name.as_bytes());
                let _ = write!(self.out, ":{}:{} to ", start.0, start.1);
                if end.0 != start.0 {
                    let _ = write!(self.out, "{}", end.0);
                }
                let _ = write!(self.out, ":{}", end.1);
            }
            LocData::Name { name, child } => {
                let s = ctx.str(name);
                self.quoted(s.as_bytes());
                if child.data(ctx) != LocData::Unknown {
                    self.write("(");
                    self.loc_inner(child);
                    self.write(")");
                }
            }
            LocData::CallSite { callee, caller } => {
                self.write("callsite(");
                self.loc_inner(callee);
                self.write(" at ");
                self.loc_inner(caller);
                self.write(")");
            }
            LocData::Fused { metadata, locs } => {
                self.write("fused");
                if let Some(m) = metadata {
                    self.write("<");
                    self.attr(m);
                    self.write(">");
                }
                self.write("[");
                self.list(&locs, |p, l| p.loc_inner(l));
                self.write("]");
            }
        }
    }
}

/// When the type of a typed attribute is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elide {
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
