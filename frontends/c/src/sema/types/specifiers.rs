//! Declaration specifiers: storage, qualifiers, and the type before the declarators
//! (C11 6.7.1 to 6.7.5).

use lang_c::ast::{
    AlignmentSpecifier, DeclarationSpecifier, Extension, FunctionSpecifier, SpecifierQualifier,
    StorageClassSpecifier, TS18661FloatFormat, TS18661FloatType, TypeName, TypeOf, TypeQualifier,
    TypeSpecifier,
};
use lang_c::span::Node;

use super::attributes::Attrs;
use super::{QType, Quals};
use crate::dialect::Dialect;
use crate::hir::Span;
use crate::sema::Sema;
use crate::sema::report::error_type;
use crate::sema::scope::Entity;
use crate::types::{Rank, Type};

/// One specifier, of declarations and of type names alike.
pub(in crate::sema) enum Spec<'x> {
    Storage(&'x StorageClassSpecifier),
    Type(&'x Node<TypeSpecifier>),
    Qualifier(&'x TypeQualifier),
    Function(&'x FunctionSpecifier),
    Align(&'x AlignmentSpecifier),
    Extension(&'x [Node<Extension>]),
}

impl<'x> Spec<'x> {
    pub fn of_declaration(spec: &'x Node<DeclarationSpecifier>) -> Spec<'x> {
        match &spec.node {
            DeclarationSpecifier::StorageClass(s) => Spec::Storage(&s.node),
            DeclarationSpecifier::TypeSpecifier(t) => Spec::Type(t),
            DeclarationSpecifier::TypeQualifier(q) => Spec::Qualifier(&q.node),
            DeclarationSpecifier::Function(f) => Spec::Function(&f.node),
            DeclarationSpecifier::Alignment(a) => Spec::Align(&a.node),
            DeclarationSpecifier::Extension(e) => Spec::Extension(e),
        }
    }

    pub fn of_type_name(spec: &'x Node<SpecifierQualifier>) -> Spec<'x> {
        match &spec.node {
            SpecifierQualifier::TypeSpecifier(t) => Spec::Type(t),
            SpecifierQualifier::TypeQualifier(q) => Spec::Qualifier(&q.node),
            SpecifierQualifier::Extension(e) => Spec::Extension(e),
        }
    }
}

/// What the specifiers of a declaration say.
#[derive(Debug)]
pub(in crate::sema) struct Specs {
    pub ty: QType,
    pub is_typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_inline: bool,
    pub thread_local: bool,
    pub attrs: Attrs,
}

/// The words that make an arithmetic type, counted.
#[derive(Default)]
struct Words {
    void: bool,
    boolean: bool,
    char: bool,
    short: bool,
    int: bool,
    long: u8,
    float: bool,
    double: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
    /// A type that is not made of words: a typedef, a record.
    whole: Option<QType>,
}

impl Sema<'_> {
    pub(in crate::sema) fn specifiers(&mut self, list: &[Spec]) -> Specs {
        let mut words = Words::default();
        let mut quals = Quals::default();
        let mut specs = Specs {
            ty: QType::plain(Type::INT),
            is_typedef: false,
            is_extern: false,
            is_static: false,
            is_inline: false,
            thread_local: false,
            attrs: Attrs::default(),
        };
        let mut atomic = false;
        // Attributes behind a record's braces are the record's: they come first.
        for spec in list {
            if let Spec::Extension(e) = spec {
                let attrs = self.attributes(e);
                specs.attrs = std::mem::take(&mut specs.attrs).and(attrs);
            }
        }
        for spec in list {
            match spec {
                Spec::Storage(s) => match s {
                    StorageClassSpecifier::Typedef => specs.is_typedef = true,
                    StorageClassSpecifier::Extern => specs.is_extern = true,
                    StorageClassSpecifier::Static => specs.is_static = true,
                    StorageClassSpecifier::ThreadLocal => specs.thread_local = true,
                    StorageClassSpecifier::Auto | StorageClassSpecifier::Register => {}
                },
                Spec::Function(f) => {
                    specs.is_inline |= matches!(f, FunctionSpecifier::Inline);
                }
                Spec::Qualifier(q) => {
                    atomic |= matches!(q, TypeQualifier::Atomic);
                    quals = quals.and(qualifier(q));
                }
                Spec::Align(a) => {
                    let align = match a {
                        AlignmentSpecifier::Type(t) => {
                            let ty = self.type_name(t);
                            Some(self.align_of(&ty.ty))
                        }
                        AlignmentSpecifier::Constant(e) => self.constant_u64(e),
                    };
                    specs.attrs.align = specs.attrs.align.max(align);
                }
                Spec::Extension(_) => {}
                Spec::Type(t) => self.type_specifier(t, &mut words, &specs.attrs),
            }
        }
        let mut ty = words.finish(self.source.dialect());
        ty.ty = specs.attrs.apply(ty.ty);
        if atomic {
            ty.ty = self.atomic(&ty.ty);
        }
        specs.ty = ty.qualified(quals);
        specs
    }

    fn text_begins(&self, at: Span, word: &str) -> bool {
        let rest = self.source.text().get(at.start as usize..);
        rest.is_some_and(|r| r.starts_with(word))
    }

    fn atomic(&self, ty: &Type) -> Type {
        Type::Other(format!("_Atomic {}", self.spell(ty)).into())
    }

    fn type_specifier(&mut self, t: &Node<TypeSpecifier>, words: &mut Words, attrs: &Attrs) {
        match &t.node {
            TypeSpecifier::Void => words.void = true,
            TypeSpecifier::Char => words.char = true,
            TypeSpecifier::Short => words.short = true,
            TypeSpecifier::Int => words.int = true,
            // The parser's words for it are `long double`.
            TypeSpecifier::Long if self.text_begins(self.span(t.span), "__auto_type") => {
                words.whole = Some(QType::plain(Type::Other(AUTO_TYPE.into())));
            }
            TypeSpecifier::Long => words.long = words.long.saturating_add(1),
            TypeSpecifier::Float => words.float = true,
            TypeSpecifier::Double => words.double = true,
            TypeSpecifier::Signed => words.signed = true,
            TypeSpecifier::Unsigned => words.unsigned = true,
            TypeSpecifier::Bool => words.boolean = true,
            TypeSpecifier::Complex => words.complex = true,
            TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(name);
                words.whole = Some(QType::plain(self.atomic(&ty.ty)));
            }
            TypeSpecifier::Struct(s) => {
                let index = self.record_specifier(s, attrs);
                words.whole = Some(QType::plain(Type::Record(index)));
            }
            TypeSpecifier::Enum(e) => {
                words.whole = Some(QType::plain(self.enum_specifier(e)));
            }
            TypeSpecifier::TypedefName(name) => {
                words.whole = Some(self.typedef_name(&name.node.name, self.span(name.span)));
            }
            TypeSpecifier::TypeOf(of) => {
                words.whole = Some(match &of.node {
                    TypeOf::Type(name) => self.type_name(name),
                    TypeOf::Expression(e) => {
                        let operand = self.unevaluated(|s| s.expr(e));
                        QType {
                            ty: operand.expr.ty,
                            quals: operand.quals,
                        }
                    }
                });
            }
            TypeSpecifier::TS18661Float(f) => {
                // The parser has other words for types that it does not know.
                let ty = match self.text(self.span(t.span)).as_str() {
                    "__int128" | "__int128_t" => Type::Other("__int128".into()),
                    "__uint128_t" => Type::Other("unsigned __int128".into()),
                    "__float80" => Type::Other("long double".into()),
                    _ => extended_float(f),
                };
                words.whole = Some(QType::plain(ty));
            }
        }
    }

    fn typedef_name(&mut self, name: &str, at: Span) -> QType {
        if let Some(Entity::Typedef(ty)) = self.scopes.lookup(name) {
            return ty.clone();
        }
        let other = match name {
            "__int128" | "__int128_t" => "__int128",
            "__uint128_t" => "unsigned __int128",
            "__builtin_va_list" => "va_list",
            "__float128" => "_Float128",
            _ => {
                self.error(at, format!("`{name}` is not a type here"));
                return QType::plain(error_type());
            }
        };
        QType::plain(Type::Other(other.into()))
    }

    /// `(type)`, `sizeof(type)`.
    pub(in crate::sema) fn type_name(&mut self, name: &Node<TypeName>) -> QType {
        let list: Vec<Spec> = name
            .node
            .specifiers
            .iter()
            .map(Spec::of_type_name)
            .collect();
        let specs = self.specifiers(&list);
        match &name.node.declarator {
            Some(d) => self.declarator(specs.ty, d).ty,
            None => specs.ty,
        }
    }
}

/// The type that a variable has from its initialiser (a GNU extension).
pub(in crate::sema) const AUTO_TYPE: &str = "__auto_type";

pub(super) fn qualifier(q: &TypeQualifier) -> Quals {
    Quals {
        constant: matches!(q, TypeQualifier::Const),
        volatile: matches!(q, TypeQualifier::Volatile),
        restrict: matches!(q, TypeQualifier::Restrict),
    }
}

fn extended_float(f: &TS18661FloatType) -> Type {
    match (&f.format, f.width) {
        (TS18661FloatFormat::BinaryInterchange, 32) => Type::FLOAT,
        (TS18661FloatFormat::BinaryInterchange, 64) => Type::DOUBLE,
        (TS18661FloatFormat::BinaryExtended, 32) => Type::DOUBLE,
        (TS18661FloatFormat::BinaryInterchange, w) => Type::Other(format!("_Float{w}").into()),
        (TS18661FloatFormat::BinaryExtended, w) => Type::Other(format!("_Float{w}x").into()),
        (_, w) => Type::Other(format!("_Decimal{w}").into()),
    }
}

impl Words {
    /// The type the words make (C11 6.7.2p2); `int` where there is none.
    fn finish(self, dialect: &Dialect) -> QType {
        if let Some(whole) = self.whole {
            if self.unsigned && matches!(&whole.ty, Type::Other(n) if &**n == "__int128") {
                return QType::plain(Type::Other("unsigned __int128".into()));
            }
            return whole;
        }
        let signed = !self.unsigned;
        let ty = if self.void {
            Type::Void
        } else if self.boolean {
            Type::Bool
        } else if self.complex {
            Type::Other(
                match (self.float, self.long) {
                    (true, _) => "_Complex float",
                    (_, 0) => "_Complex double",
                    _ => "_Complex long double",
                }
                .into(),
            )
        } else if self.float {
            Type::FLOAT
        } else if self.double && self.long > 0 {
            Type::Other("long double".into())
        } else if self.double {
            Type::DOUBLE
        } else if self.char {
            // Plain char differs from the type that has its sign only in _Generic.
            match self.signed || self.unsigned {
                true => Type::int(8, signed, Rank::Char),
                false => dialect.char(),
            }
        } else if self.short {
            Type::int(16, signed, Rank::Short)
        } else {
            match self.long {
                0 => Type::int(32, signed, Rank::Int),
                1 => Type::int(64, signed, Rank::Long),
                _ => Type::int(64, signed, Rank::LongLong),
            }
        };
        QType::plain(ty)
    }
}
