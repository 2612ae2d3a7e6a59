//! What an op declaration may ask of its operands, results and attributes.
//!
//! A constraint is a predicate with the words upstream uses for it, so that
//! "operand #0 must be ..., but got ..." reads the same here as there.

use crate::attr::{Attr, AttrData};
use crate::context::Context;
use crate::types::{Type, TypeData};

/// How many values an operand or result group stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number, also none.
    Variadic,
}

/// A constraint on the type of an operand or result.
#[derive(Clone, Copy)]
pub struct TypeConstraint {
    /// Completes "must be ...".
    pub summary: &'static str,
    /// Whether a type satisfies it.
    pub check: fn(&Context, Type) -> bool,
    /// The only type that satisfies it, where there is only one.
    pub build: Option<fn(&Context) -> Type>,
    /// How many values the group has.
    pub arity: Arity,
}

impl TypeConstraint {
    /// A constraint on a group of one value.
    pub const fn new(summary: &'static str, check: fn(&Context, Type) -> bool) -> Self {
        TypeConstraint {
            summary,
            check,
            build: None,
            arity: Arity::One,
        }
    }
    /// A constraint that only the type made by `build` satisfies.
    pub const fn exactly(
        summary: &'static str,
        check: fn(&Context, Type) -> bool,
        build: fn(&Context) -> Type,
    ) -> Self {
        TypeConstraint {
            summary,
            check,
            build: Some(build),
            arity: Arity::One,
        }
    }
    /// The same for a group of any number of values.
    pub const fn variadic(mut self) -> Self {
        self.arity = Arity::Variadic;
        self
    }
    /// The same for a group of at most one value.
    pub const fn optional(mut self) -> Self {
        self.arity = Arity::Optional;
        self
    }
}

fn elem_is(ctx: &Context, t: Type, f: fn(&Context, Type) -> bool) -> bool {
    f(ctx, t)
        || match t.data(ctx) {
            TypeData::Vector { elem, .. }
            | TypeData::Tensor { elem, .. }
            | TypeData::UnrankedTensor(elem) => f(ctx, *elem),
            _ => false,
        }
}

fn signless_or_index(ctx: &Context, t: Type) -> bool {
    t.is_index(ctx) || t.is_signless_int(ctx)
}
fn is_float(ctx: &Context, t: Type) -> bool {
    t.is_float(ctx)
}
fn is_i1(ctx: &Context, t: Type) -> bool {
    t == ctx.i1()
}

/// Every type.
pub const ANY: TypeConstraint = TypeConstraint::new("any type", |_, _| true);
/// `index`.
pub const INDEX: TypeConstraint =
    TypeConstraint::exactly("index", |c, t| t.is_index(c), |c| c.index());
/// `i1`.
pub const I1: TypeConstraint = TypeConstraint::exactly("1-bit signless integer", is_i1, |c| c.i1());
/// `i32`.
pub const I32: TypeConstraint =
    TypeConstraint::exactly("32-bit signless integer", |c, t| t == c.i32(), |c| c.i32());
/// `i64`.
pub const I64: TypeConstraint =
    TypeConstraint::exactly("64-bit signless integer", |c, t| t == c.i64(), |c| c.i64());
/// An integer of any width and signedness.
pub const INT: TypeConstraint = TypeConstraint::new("integer", |c, t| t.is_int(c));
/// `iN` or `index`.
pub const SIGNLESS_INT_OR_INDEX: TypeConstraint =
    TypeConstraint::new("signless integer or index", signless_or_index);
/// Any float type.
pub const FLOAT: TypeConstraint = TypeConstraint::new("floating-point", is_float);
/// `f32`.
pub const F32: TypeConstraint =
    TypeConstraint::exactly("32-bit float", |c, t| t == c.f32(), |c| c.f32());
/// `iN` or `index`, or a vector or tensor of such.
pub const SIGNLESS_INT_LIKE: TypeConstraint =
    TypeConstraint::new("signless-integer-like", |c, t| {
        elem_is(c, t, signless_or_index)
    });
/// A float, or a vector or tensor of floats.
pub const FLOAT_LIKE: TypeConstraint =
    TypeConstraint::new("floating-point-like", |c, t| elem_is(c, t, is_float));
/// `i1`, or a vector or tensor of it.
pub const BOOL_LIKE: TypeConstraint = TypeConstraint::new("bool-like", |c, t| elem_is(c, t, is_i1));
/// A ranked memref.
pub const MEMREF: TypeConstraint =
    TypeConstraint::new("memref of any type values", |c, t| t.is_memref(c));
/// A ranked memref, in the words that upstream has for strided ones.
pub const STRIDED_MEMREF: TypeConstraint =
    TypeConstraint::new("strided memref of any type values", |c, t| t.is_memref(c));
/// A memref, ranked or not.
pub const ANY_MEMREF: TypeConstraint =
    TypeConstraint::new("ranked or unranked memref of any type values", |c, t| {
        matches!(
            t.data(c),
            TypeData::MemRef { .. } | TypeData::UnrankedMemRef { .. }
        )
    });
/// `memref<*xT>`.
pub const UNRANKED_MEMREF: TypeConstraint =
    TypeConstraint::new("unranked.memref of any type values", |c, t| {
        matches!(t.data(c), TypeData::UnrankedMemRef { .. })
    });
/// A vector, tensor or memref.
pub const SHAPED: TypeConstraint =
    TypeConstraint::new("shaped of any type values", |c, t| t.element(c).is_some());

/// The values of an enumeration attribute.
pub struct EnumDef {
    /// Name in messages, such as `arith.cmpi` predicates' "predicate".
    pub name: &'static str,
    /// Keyword and numeric value of each case, in the order upstream lists them.
    pub cases: &'static [(&'static str, i64)],
    /// Whether values are sets of cases, printed with a separator.
    pub bits: bool,
    /// What stands between the cases of a set.
    pub separator: &'static str,
    /// Which kind of attribute holds the value.
    pub storage: EnumStorage,
}

/// How the value of an enumeration is held.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EnumStorage {
    /// An integer attribute of 64 or 32 bits.
    I64,
    /// An integer attribute of 32 bits.
    I32,
    /// `#dialect.mnemonic<keyword>`, whose one parameter is the `i64` value.
    Dialect {
        /// Namespace of the dialect.
        dialect: &'static str,
        /// Name within the dialect.
        mnemonic: &'static str,
    },
    /// A string attribute of the keyword.
    Str,
}

impl EnumDef {
    /// The attribute for a numeric value.
    pub fn attr(&self, ctx: &Context, value: i64) -> Attr {
        match self.storage {
            EnumStorage::I64 => ctx.i64_attr(value),
            EnumStorage::I32 => ctx.int_attr(ctx.i32(), value),
            EnumStorage::Dialect { dialect, mnemonic } => {
                let params = vec![ctx.i64_attr(value)];
                ctx.attr(AttrData::Dialect {
                    dialect,
                    mnemonic,
                    params,
                })
            }
            EnumStorage::Str => ctx.string_attr(&self.keyword(value).unwrap_or_default()),
        }
    }

    /// The numeric value of an attribute of this enumeration.
    pub fn value(&self, ctx: &Context, a: Attr) -> Option<i64> {
        match self.storage {
            EnumStorage::I64 => a.as_i64(ctx).filter(|_| a.typed(ctx) == Some(ctx.i64())),
            EnumStorage::I32 => a.as_i64(ctx).filter(|_| a.typed(ctx) == Some(ctx.i32())),
            EnumStorage::Dialect { dialect, mnemonic } => {
                a.as_dialect(ctx, dialect, mnemonic)?.first()?.as_i64(ctx)
            }
            EnumStorage::Str => self.parse(a.as_str(ctx)?),
        }
        .filter(|v| self.keyword(*v).is_some())
    }

    /// The numeric value of one keyword.
    pub fn parse(&self, keyword: &str) -> Option<i64> {
        self.cases.iter().find(|c| c.0 == keyword).map(|c| c.1)
    }

    /// How a value is written; `None` where it is not a value of this enumeration.
    pub fn keyword(&self, value: i64) -> Option<String> {
        if let Some(c) = self.cases.iter().find(|c| c.1 == value) {
            return Some(c.0.to_string());
        }
        if !self.bits {
            return None;
        }
        let mut rest = value;
        let mut words = Vec::new();
        for (k, v) in self.cases {
            // Single bits only: groups such as `fast` are caught above.
            if v.count_ones() == 1 && rest & v != 0 {
                rest &= !v;
                words.push(*k);
            }
        }
        (rest == 0).then(|| words.join(self.separator))
    }
}

/// How an attribute is written where an assembly format mentions it.
#[derive(Clone, Copy)]
pub enum AttrSyntax {
    /// In full, with its type.
    Full,
    /// An integer or float whose type is fixed and left out.
    Typed(fn(&Context) -> Type),
    /// A bare keyword (or a set of them).
    Enum(&'static EnumDef),
    /// `@name` for a string attribute that names a symbol.
    SymbolName,
    /// A string, never followed by a type.
    Str,
    /// Present or absent; never written itself.
    Unit,
    /// The type alone.
    Type,
    /// `[1, 2]` for a dense array.
    DenseArray(fn(&Context) -> Type),
    /// What follows `#dialect.mnemonic` in full: the form of that attribute's
    /// declaration.
    Stripped {
        /// Namespace of the dialect.
        dialect: &'static str,
        /// Name within the dialect.
        mnemonic: &'static str,
    },
}

/// A constraint on an attribute.
#[derive(Clone, Copy)]
pub struct AttrConstraint {
    /// Completes "failed to satisfy constraint: ...".
    pub summary: &'static str,
    /// Whether an attribute satisfies it.
    pub check: fn(&Context, Attr) -> bool,
    /// How an assembly format writes it.
    pub syntax: AttrSyntax,
    /// Whether the attribute may be absent.
    pub optional: bool,
    /// The value an absent attribute stands for; it is not written when equal.
    pub default: Option<fn(&Context) -> Attr>,
}

impl AttrConstraint {
    /// A constraint on an attribute that must be there, written in full.
    pub const fn new(summary: &'static str, check: fn(&Context, Attr) -> bool) -> Self {
        AttrConstraint {
            summary,
            check,
            syntax: AttrSyntax::Full,
            optional: false,
            default: None,
        }
    }
    /// The same, written in another way.
    pub const fn syntax(mut self, s: AttrSyntax) -> Self {
        self.syntax = s;
        self
    }
    /// The same for an attribute that may be absent.
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }
    /// The same for an attribute that stands for a value when it is absent.
    pub const fn default(mut self, f: fn(&Context) -> Attr) -> Self {
        self.default = Some(f);
        self.optional = true;
        self
    }
}

fn int_of(ctx: &Context, a: Attr, ty: Type) -> bool {
    matches!(a.data(ctx), AttrData::Integer { ty: t, .. } if *t == ty)
}

/// Every attribute.
pub const ANY_ATTR: AttrConstraint = AttrConstraint::new("any attribute", |_, _| true);
/// `unit`, which may be absent.
pub const UNIT_ATTR: AttrConstraint =
    AttrConstraint::new("unit attribute", |c, a| matches!(a.data(c), AttrData::Unit))
        .syntax(AttrSyntax::Unit)
        .optional();
/// `true` or `false`.
pub const BOOL_ATTR: AttrConstraint =
    AttrConstraint::new("bool attribute", |c, a| a.as_bool(c).is_some())
        .syntax(AttrSyntax::Typed(|c| c.i1()));
/// An `i32`.
pub const I32_ATTR: AttrConstraint =
    AttrConstraint::new("32-bit signless integer attribute", |c, a| {
        int_of(c, a, c.i32())
    })
    .syntax(AttrSyntax::Typed(|c| c.i32()));
/// An `i64`.
pub const I64_ATTR: AttrConstraint =
    AttrConstraint::new("64-bit signless integer attribute", |c, a| {
        int_of(c, a, c.i64())
    })
    .syntax(AttrSyntax::Typed(|c| c.i64()));
/// A number of type `index`.
pub const INDEX_ATTR: AttrConstraint =
    AttrConstraint::new("index attribute", |c, a| int_of(c, a, c.index()))
        .syntax(AttrSyntax::Typed(|c| c.index()));
/// A string, written in quotes.
pub const STRING_ATTR: AttrConstraint = AttrConstraint::new("string attribute", |c, a| {
    matches!(a.data(c), AttrData::String { .. })
})
.syntax(AttrSyntax::Str);
/// The name of a symbol, written `@name`.
pub const SYMBOL_NAME: AttrConstraint = AttrConstraint::new("string attribute", |c, a| {
    matches!(a.data(c), AttrData::String { .. })
})
.syntax(AttrSyntax::SymbolName);
/// A reference to a symbol, nested or not.
pub const SYMBOL_REF: AttrConstraint = AttrConstraint::new("symbol reference attribute", |c, a| {
    a.as_symbol(c).is_some()
});
/// A reference `@name` without nesting.
pub const FLAT_SYMBOL_REF: AttrConstraint =
    AttrConstraint::new("flat symbol reference attribute", |c, a| {
        a.as_flat_symbol(c).is_some()
    });
/// A type.
pub const TYPE_ATTR: AttrConstraint =
    AttrConstraint::new("any type attribute", |c, a| a.as_type(c).is_some())
        .syntax(AttrSyntax::Type);
/// A function type.
pub const FUNCTION_TYPE_ATTR: AttrConstraint =
    AttrConstraint::new("type attribute of function type", |c, a| {
        a.as_type(c).is_some_and(|t| t.function_parts(c).is_some())
    })
    .syntax(AttrSyntax::Type);
/// `[...]`.
pub const ARRAY_ATTR: AttrConstraint =
    AttrConstraint::new("array attribute", |c, a| a.as_array(c).is_some());
/// `{...}`.
pub const DICT_ATTR: AttrConstraint =
    AttrConstraint::new("dictionary of named attribute values", |c, a| {
        a.as_dict(c).is_some()
    });
/// An affine map.
pub const MAP_ATTR: AttrConstraint =
    AttrConstraint::new("AffineMap attribute", |c, a| a.as_map(c).is_some());
/// An integer set.
pub const SET_ATTR: AttrConstraint =
    AttrConstraint::new("IntegerSet attribute", |c, a| a.as_set(c).is_some());
/// `array<i64: ...>`.
pub const DENSE_I64: AttrConstraint = AttrConstraint::new(
    "i64 dense array attribute",
    |c, a| matches!(a.data(c), AttrData::DenseArray { elem, .. } if *elem == c.i64()),
)
.syntax(AttrSyntax::DenseArray(|c| c.i64()));
/// `array<i32: ...>`.
pub const DENSE_I32: AttrConstraint = AttrConstraint::new(
    "i32 dense array attribute",
    |c, a| matches!(a.data(c), AttrData::DenseArray { elem, .. } if *elem == c.i32()),
)
.syntax(AttrSyntax::DenseArray(|c| c.i32()));

/// The constraint of an enumeration attribute of a dialect, written in the form that
/// the attribute's declaration has: ` x`, `<add>`.
pub const fn dialect_enum_attr(
    summary: &'static str,
    check: fn(&Context, Attr) -> bool,
    dialect: &'static str,
    mnemonic: &'static str,
) -> AttrConstraint {
    AttrConstraint::new(summary, check).syntax(AttrSyntax::Stripped { dialect, mnemonic })
}

/// The constraint of an enumeration attribute.
pub const fn enum_attr(
    summary: &'static str,
    check: fn(&Context, Attr) -> bool,
    def: &'static EnumDef,
) -> AttrConstraint {
    AttrConstraint::new(summary, check).syntax(AttrSyntax::Enum(def))
}
