//! The attributes that change a type or its layout.

use lang_c::ast::{Attribute, Expression, Extension};
use lang_c::span::Node;

use crate::sema::Sema;
use crate::types::{Rank, Type};

/// What the attributes of a declaration say.
#[derive(Debug, Clone, Default)]
pub(in crate::sema) struct Attrs {
    pub packed: bool,
    /// `aligned(n)`, in bytes; the largest.
    pub align: Option<u64>,
    /// `vector_size(n)`, in bytes.
    pub vector: Option<u64>,
    /// `mode(...)` without its underscores.
    pub mode: Option<String>,
}

impl Attrs {
    pub fn and(mut self, other: Attrs) -> Attrs {
        self.packed |= other.packed;
        self.align = self.align.max(other.align);
        self.vector = self.vector.or(other.vector);
        self.mode = self.mode.or(other.mode);
        self
    }

    /// The type that `mode` and `vector_size` make of another.
    pub fn apply(&self, ty: Type) -> Type {
        if let Some(bytes) = self.vector {
            return Type::Other(format!("vector of {bytes} bytes").into());
        }
        let Some(mode) = &self.mode else { return ty };
        match (mode.as_str(), &ty) {
            ("QI" | "byte", Type::Int(i)) => Type::int(8, i.signed, Rank::Char),
            ("HI", Type::Int(i)) => Type::int(16, i.signed, Rank::Short),
            ("SI", Type::Int(i)) => Type::int(32, i.signed, Rank::Int),
            ("DI" | "word" | "pointer", Type::Int(i)) => Type::int(64, i.signed, Rank::Long),
            ("TI", Type::Int(i)) if i.signed => Type::Other("__int128".into()),
            ("TI", Type::Int(_)) => Type::Other("unsigned __int128".into()),
            ("SF", Type::Float(_)) => Type::FLOAT,
            ("DF", Type::Float(_)) => Type::DOUBLE,
            ("TF" | "XF", Type::Float(_)) => Type::Other("long double".into()),
            _ => ty,
        }
    }
}

impl Sema<'_> {
    pub(in crate::sema) fn attributes(&mut self, extensions: &[Node<Extension>]) -> Attrs {
        let mut attrs = Attrs::default();
        for extension in extensions {
            if let Extension::Attribute(a) = &extension.node {
                self.attribute(a, &mut attrs);
            }
        }
        attrs
    }

    fn attribute(&mut self, attribute: &Attribute, attrs: &mut Attrs) {
        match attribute.name.node.trim_matches('_') {
            "packed" => attrs.packed = true,
            "aligned" => {
                // Without a number it is the largest that any type needs.
                let align = match attribute.arguments.first() {
                    Some(n) => self.constant_u64(n),
                    None => Some(16),
                };
                attrs.align = attrs.align.max(align.filter(|a| a.is_power_of_two()));
            }
            "vector_size" => {
                if let Some(n) = attribute.arguments.first() {
                    attrs.vector = self.constant_u64(n);
                }
            }
            "mode" => {
                if let Some(Expression::Identifier(name)) =
                    attribute.arguments.first().map(|a| &a.node)
                {
                    attrs.mode = Some(name.node.name.trim_matches('_').to_owned());
                }
            }
            _ => {}
        }
    }
}
