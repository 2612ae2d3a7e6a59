//! Enumerations (C11 6.7.2.2), with gcc's choice of their types.

use lang_c::ast::EnumType;
use lang_c::span::Node;

use crate::sema::Sema;
use crate::sema::scope::{Entity, Tag};
use crate::types::{Rank, Type};

impl Sema<'_> {
    pub(super) fn enum_specifier(&mut self, e: &Node<EnumType>) -> Type {
        let tag = e.node.identifier.as_ref().map(|n| n.node.name.as_str());
        if e.node.enumerators.is_empty() {
            // A use, or a declaration ahead of the definition.
            return match tag.and_then(|t| self.scopes.tag(t)) {
                Some(Tag::Enum(ty)) => ty.clone(),
                _ => Type::UINT,
            };
        }
        let mut next: i128 = 0;
        let mut values = Vec::new();
        for enumerator in &e.node.enumerators {
            if let Some(value) = &enumerator.node.expression {
                let at = self.span(value.span);
                let given = self.value(value);
                match self.fold_integer(&given) {
                    Some(v) => next = v,
                    None => self.not_constant(&given, at, "the value of an enumerator"),
                }
            }
            let name = &enumerator.node.identifier;
            let ty = if i64::try_from(next).is_ok() {
                Type::LONG
            } else {
                Type::ULONG
            };
            let ty = if i32::try_from(next).is_ok() {
                Type::INT
            } else {
                ty
            };
            let at = self.span(name.span);
            if let Some(Entity::Enumerator { .. } | Entity::Var(_) | Entity::Typedef(_)) =
                self.scopes.here(&name.node.name)
            {
                let name = &name.node.name;
                self.error(at, format!("`{name}` is declared here for a second time"));
            }
            self.scopes
                .declare(&name.node.name, Entity::Enumerator { value: next, ty });
            values.push((next, &name.node.name));
            next = next.saturating_add(1);
        }
        let low = values.iter().map(|v| v.0).min().unwrap_or(0);
        let high = values.iter().map(|v| v.0).max().unwrap_or(0);
        let short = self.source.dialect().short_enums;
        let ty = if short && low >= 0 && high <= 0xff {
            Type::int(8, false, Rank::Char)
        } else if short && low >= 0 && high <= 0xffff {
            Type::int(16, false, Rank::Short)
        } else if short && low >= -0x80 && high <= 0x7f {
            Type::int(8, true, Rank::Char)
        } else if short && low >= -0x8000 && high <= 0x7fff {
            Type::int(16, true, Rank::Short)
        } else if low >= 0 {
            if high <= i128::from(u32::MAX) {
                Type::UINT
            } else {
                Type::ULONG
            }
        } else if low >= i128::from(i32::MIN) && high <= i128::from(i32::MAX) {
            Type::INT
        } else {
            Type::LONG
        };
        // Values that do not fit an int have the type of the whole (a GNU extension).
        for (value, name) in values {
            if i32::try_from(value).is_err() {
                let ty = ty.clone();
                self.scopes.declare(name, Entity::Enumerator { value, ty });
            }
        }
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag, Tag::Enum(ty.clone()));
        }
        ty
    }
}
