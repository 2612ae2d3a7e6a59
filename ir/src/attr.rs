//! Attributes: uniqued plain data behind a `Copy` handle.

use crate::affine::{AffineMap, IntegerSet};
use crate::context::{Context, Str};
use crate::loc::LocData;
use crate::num::{Float, Int};
use crate::types::{Type, TypeData};
use pliron::uniqued_any::UniquedKey;
use std::borrow::Cow;

/// A handle to a uniqued attribute: equal attributes of a context have equal handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attr(pub(crate) UniquedKey<AttrData>);

/// The elements of a dense attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DenseData {
    /// Little-endian elements, each padded to whole bytes (an `i1` takes one byte,
    /// a complex two parts in a row). A splat holds one element.
    Raw {
        /// Whether all elements are equal and only one is held.
        splat: bool,
        /// The elements in row-major order.
        bytes: Box<[u8]>,
    },
    /// Elements of a string or opaque element type. A splat holds one element.
    Strings {
        /// Whether all elements are equal and only one is held.
        splat: bool,
        /// The elements in row-major order.
        values: Vec<Box<[u8]>>,
    },
}

/// The content of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AttrData {
    /// `unit`: it is there, and that is all.
    Unit,
    /// `ty` is an integer or index type; booleans are of type `i1`.
    Integer {
        /// Integer or index type.
        ty: Type,
        /// Bits as wide as the type, 64 for index.
        value: Int,
    },
    /// `1.5 : f32`.
    Float {
        /// Float type.
        ty: Type,
        /// A number in the format of the type.
        value: Float,
    },
    /// MLIR strings are bytes; most are UTF-8.
    String {
        /// Unescaped bytes.
        value: Box<[u8]>,
        /// The type behind the string, if one is written.
        ty: Option<Type>,
    },
    /// A type as an attribute.
    Type(Type),
    /// `[...]`, of attributes of any kind.
    Array(Vec<Attr>),
    /// Sorted by name, names distinct.
    Dict(Vec<(Str, Attr)>),
    /// `@path[0]::@path[1]::...`; never empty.
    SymbolRef(Vec<Str>),
    /// `affine_map<...>`.
    AffineMap(AffineMap),
    /// `affine_set<...>`.
    IntegerSet(IntegerSet),
    /// `dense<...> : ty`.
    Dense {
        /// A vector or tensor type with a static shape.
        ty: Type,
        /// As many elements as the type has, or one splat.
        data: DenseData,
    },
    /// `array<elem: ...>`, elements little-endian in whole bytes.
    DenseArray {
        /// Integer or float type of the elements.
        elem: Type,
        /// The elements one after another.
        bytes: Box<[u8]>,
    },
    /// `dense_resource<key> : ty`, whose data stand at the end of the file.
    DenseResource {
        /// Shaped type of the data.
        ty: Type,
        /// Name of the blob; see [`Context::resource`].
        key: Str,
    },
    /// `sparse<indices, values> : ty`.
    Sparse {
        /// Shaped type of the whole.
        ty: Type,
        /// Dense attribute with one row for each value held.
        indices: Attr,
        /// Dense attribute of the elements that are not zero.
        values: Attr,
    },
    /// `strided<[...], offset: ...>`; [`crate::types::DYNAMIC`] prints as `?`.
    Strided {
        /// Elements from one index to the next, one for each dimension.
        strides: Vec<i64>,
        /// Elements before the first.
        offset: i64,
    },
    /// `loc(...)` as an attribute.
    Loc(LocData),
    /// `distinct[id]<value>`, equal to no other of its kind.
    Distinct {
        /// Number that tells it from others.
        id: u64,
        /// What it wraps.
        value: Attr,
    },
    /// An attribute that a registered dialect declares, `#dialect.mnemonic<params>`.
    Dialect {
        /// Namespace of the dialect.
        dialect: &'static str,
        /// Name within the dialect.
        mnemonic: &'static str,
        /// Parameters as the dialect's parser gave them.
        params: Vec<Attr>,
    },
    /// An attribute of an unregistered dialect, kept as text.
    Opaque {
        /// Namespace, without `#`.
        dialect: Box<str>,
        /// What stands behind the namespace.
        body: Box<str>,
        /// The type behind it, if one is written.
        ty: Option<Type>,
    },
}

impl Attr {
    /// What the handle stands for.
    pub fn data(self, ctx: &Context) -> &AttrData {
        ctx.attr_data(self)
    }

    /// The value of an integer attribute that fits an `i64`, read as signed except
    /// that an `i1` reads as 0 or 1.
    pub fn as_i64(self, ctx: &Context) -> Option<i64> {
        match self.data(ctx) {
            AttrData::Integer { ty, value } if ty.int_width(ctx) == Some(1) => {
                Some(i64::from(!value.is_zero()))
            }
            AttrData::Integer { value, .. } => value.to_i64(),
            _ => None,
        }
    }

    /// The value of an integer attribute, of any width.
    pub fn as_int(self, ctx: &Context) -> Option<&Int> {
        match self.data(ctx) {
            AttrData::Integer { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The value of an `i1` attribute.
    pub fn as_bool(self, ctx: &Context) -> Option<bool> {
        match self.data(ctx) {
            AttrData::Integer { ty, value } if *ty == ctx.i1() => Some(!value.is_zero()),
            _ => None,
        }
    }

    /// The value of a float attribute.
    pub fn as_float(self, ctx: &Context) -> Option<&Float> {
        match self.data(ctx) {
            AttrData::Float { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The text of a UTF-8 string attribute.
    pub fn as_str(self, ctx: &Context) -> Option<&str> {
        match self.data(ctx) {
            AttrData::String { value, .. } => std::str::from_utf8(value).ok(),
            _ => None,
        }
    }

    /// The text of a string attribute, with `U+FFFD` for what is not UTF-8.
    pub fn as_str_lossy(self, ctx: &Context) -> Option<Cow<'_, str>> {
        match self.data(ctx) {
            AttrData::String { value, .. } => Some(String::from_utf8_lossy(value)),
            _ => None,
        }
    }

    /// The type that a type attribute holds.
    pub fn as_type(self, ctx: &Context) -> Option<Type> {
        match self.data(ctx) {
            AttrData::Type(t) => Some(*t),
            _ => None,
        }
    }

    /// The elements of an array attribute; of no other kind of list.
    pub fn as_array(self, ctx: &Context) -> Option<&[Attr]> {
        match self.data(ctx) {
            AttrData::Array(v) => Some(v),
            _ => None,
        }
    }

    /// The entries of a dictionary, sorted by name.
    pub fn as_dict(self, ctx: &Context) -> Option<&[(Str, Attr)]> {
        match self.data(ctx) {
            AttrData::Dict(v) => Some(v),
            _ => None,
        }
    }

    /// The map of an `affine_map` attribute.
    pub fn as_map(self, ctx: &Context) -> Option<&AffineMap> {
        match self.data(ctx) {
            AttrData::AffineMap(m) => Some(m),
            _ => None,
        }
    }

    /// The set of an `affine_set` attribute.
    pub fn as_set(self, ctx: &Context) -> Option<&IntegerSet> {
        match self.data(ctx) {
            AttrData::IntegerSet(s) => Some(s),
            _ => None,
        }
    }

    /// The name of a flat symbol reference `@name`.
    pub fn as_flat_symbol(self, ctx: &Context) -> Option<&str> {
        match self.data(ctx) {
            AttrData::SymbolRef(p) if p.len() == 1 => Some(ctx.str(p[0])),
            _ => None,
        }
    }

    /// All parts of a symbol reference.
    pub fn as_symbol(self, ctx: &Context) -> Option<&[Str]> {
        match self.data(ctx) {
            AttrData::SymbolRef(p) => Some(p),
            _ => None,
        }
    }

    /// Parameters of a registered dialect attribute.
    pub fn as_dialect<'c>(
        self,
        ctx: &'c Context,
        dialect: &str,
        mnemonic: &str,
    ) -> Option<&'c [Attr]> {
        match self.data(ctx) {
            AttrData::Dialect {
                dialect: d,
                mnemonic: m,
                params,
            } if *d == dialect && *m == mnemonic => Some(params),
            _ => None,
        }
    }

    /// The elements of a `array<iN: ...>` attribute, sign-extended, or of an array
    /// of integer attributes.
    pub fn as_i64_array(self, ctx: &Context) -> Option<Vec<i64>> {
        match self.data(ctx) {
            AttrData::DenseArray { elem, bytes } => {
                let n = (elem.int_width(ctx)? as usize).div_ceil(8);
                if n > 8 || n == 0 {
                    return None;
                }
                let read = |c: &[u8]| {
                    let mut v = [if c[n - 1] & 0x80 != 0 { 0xff } else { 0 }; 8];
                    v[..n].copy_from_slice(c);
                    i64::from_le_bytes(v)
                };
                Some(bytes.chunks_exact(n).map(read).collect())
            }
            AttrData::Array(v) => v.iter().map(|a| a.as_i64(ctx)).collect(),
            _ => None,
        }
    }

    /// The elements of a `dense<...>` attribute of integers, in row-major order,
    /// sign-extended.
    pub fn as_i64_elements(self, ctx: &Context) -> Option<Vec<i64>> {
        let AttrData::Dense {
            ty,
            data: DenseData::Raw { splat, bytes },
        } = self.data(ctx)
        else {
            return None;
        };
        let elem = ty.element(ctx)?;
        let width = if elem.is_index(ctx) {
            64
        } else {
            elem.int_width(ctx)?
        };
        let size = (width as usize).div_ceil(8).max(1);
        let one = |c: &[u8]| Int::from_le_bytes(width, c).to_i64();
        let mut v: Vec<i64> = bytes.chunks_exact(size).map(one).collect::<Option<_>>()?;
        if *splat {
            // A splat may stand for more elements than there is memory.
            let n = usize::try_from(ty.num_elements(ctx)?)
                .ok()
                .filter(|n| *n <= 1 << 24)?;
            v = vec![*v.first()?; n];
        }
        Some(v)
    }

    /// The type that a typed attribute carries.
    pub fn typed(self, ctx: &Context) -> Option<Type> {
        match self.data(ctx) {
            AttrData::Integer { ty, .. }
            | AttrData::Float { ty, .. }
            | AttrData::Dense { ty, .. }
            | AttrData::DenseResource { ty, .. }
            | AttrData::Sparse { ty, .. } => Some(*ty),
            AttrData::String { ty, .. } | AttrData::Opaque { ty, .. } => *ty,
            AttrData::Unit => Some(ctx.none_type()),
            _ => None,
        }
    }
}

impl Context {
    /// An integer attribute; `value` wraps to the width of `ty` (64 bits for index).
    pub fn int_attr(&self, ty: Type, value: i64) -> Attr {
        let width = ty.int_width(self).unwrap_or(64);
        self.attr(AttrData::Integer {
            ty,
            value: Int::from_i64(width, value),
        })
    }

    /// An integer attribute of type `index`.
    pub fn index_attr(&self, value: i64) -> Attr {
        self.int_attr(self.index(), value)
    }

    /// An integer attribute of type `i64`.
    pub fn i64_attr(&self, value: i64) -> Attr {
        self.int_attr(self.i64(), value)
    }

    /// `true` or `false`, of type `i1`.
    pub fn bool_attr(&self, value: bool) -> Attr {
        self.int_attr(self.i1(), i64::from(value))
    }

    /// A float attribute of float type `ty`, rounded to nearest.
    pub fn float_attr(&self, ty: Type, value: f64) -> Attr {
        let kind = ty.float_kind(self).unwrap_or(crate::num::FloatKind::F64);
        self.attr(AttrData::Float {
            ty,
            value: Float::from_f64(kind, value),
        })
    }

    /// A string attribute without a type.
    pub fn string_attr(&self, s: &str) -> Attr {
        self.attr(AttrData::String {
            value: s.as_bytes().into(),
            ty: None,
        })
    }

    /// A type as an attribute.
    pub fn type_attr(&self, ty: Type) -> Attr {
        self.attr(AttrData::Type(ty))
    }

    /// `[...]` of these attributes.
    pub fn array_attr(&self, v: Vec<Attr>) -> Attr {
        self.attr(AttrData::Array(v))
    }

    /// A dictionary; a later entry of a name replaces an earlier one.
    pub fn dict_attr(&self, entries: impl IntoIterator<Item = (Str, Attr)>) -> Attr {
        let mut v: Vec<(Str, Attr)> = Vec::new();
        for (k, a) in entries {
            match v.binary_search_by(|e| self.str(e.0).cmp(self.str(k))) {
                Ok(i) => v[i].1 = a,
                Err(i) => v.insert(i, (k, a)),
            }
        }
        self.attr(AttrData::Dict(v))
    }

    /// The flat reference `@name`.
    pub fn symbol_attr(&self, name: &str) -> Attr {
        self.attr(AttrData::SymbolRef(vec![self.intern(name)]))
    }

    /// A map as an attribute.
    pub fn map_attr(&self, m: AffineMap) -> Attr {
        self.attr(AttrData::AffineMap(m))
    }

    /// An integer set as an attribute.
    pub fn set_attr(&self, s: IntegerSet) -> Attr {
        self.attr(AttrData::IntegerSet(s))
    }

    /// `array<i64: ...>`.
    pub fn i64_array(&self, v: &[i64]) -> Attr {
        let bytes = v.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.attr(AttrData::DenseArray {
            elem: self.i64(),
            bytes,
        })
    }

    /// `array<i32: ...>`.
    pub fn i32_array(&self, v: &[i32]) -> Attr {
        let bytes = v.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.attr(AttrData::DenseArray {
            elem: self.i32(),
            bytes,
        })
    }

    /// The attribute for the zero of an integer, index or float type, or the splat
    /// zero of a static vector or tensor of such.
    pub fn zero_attr(&self, ty: Type) -> Option<Attr> {
        match ty.data(self) {
            TypeData::Integer { .. } | TypeData::Index => Some(self.int_attr(ty, 0)),
            TypeData::Float(_) => Some(self.float_attr(ty, 0.0)),
            TypeData::Vector { elem, .. } | TypeData::Tensor { elem, .. } => {
                let bits = if elem.is_index(self) {
                    64
                } else {
                    elem.bit_width(self)?
                };
                let bytes = vec![0u8; (bits as usize).div_ceil(8).max(1)].into();
                Some(self.attr(AttrData::Dense {
                    ty,
                    data: DenseData::Raw { splat: true, bytes },
                }))
            }
            _ => None,
        }
    }
}
