//! Types as the declarations write them.

mod attributes;
mod compatible;
mod declarators;
mod enums;
mod layout;
pub(super) mod pack;
mod records;
mod specifiers;

pub(super) use compatible::{compatible, same};
pub(super) use declarators::Declared;
pub(super) use declarators::{adjusted, declarator_name};
pub(super) use layout::is_variable_length;
pub(super) use specifiers::{AUTO_TYPE, Spec, Specs};

use std::rc::Rc;

use crate::types::{Pointer, Type};

/// Qualifiers (C11 6.7.3). Those of an array are its elements'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Quals {
    pub constant: bool,
    pub volatile: bool,
    pub restrict: bool,
}

impl Quals {
    pub fn and(self, other: Quals) -> Quals {
        Quals {
            constant: self.constant || other.constant,
            volatile: self.volatile || other.volatile,
            restrict: self.restrict || other.restrict,
        }
    }
}

/// A type and its qualifiers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QType {
    pub ty: Type,
    pub quals: Quals,
}

impl QType {
    pub fn plain(ty: Type) -> QType {
        QType {
            ty,
            quals: Quals::default(),
        }
    }

    /// With more qualifiers. `restrict` becomes part of a pointer's type.
    pub fn qualified(self, quals: Quals) -> QType {
        let quals = self.quals.and(quals);
        let ty = match self.ty {
            Type::Pointer(p) if quals.restrict && !p.restrict => Type::Pointer(Rc::new(Pointer {
                restrict: true,
                ..(*p).clone()
            })),
            ty => ty,
        };
        QType { ty, quals }
    }

    /// A pointer to it.
    pub fn pointer(self) -> Type {
        Type::Pointer(Rc::new(Pointer {
            to: self.ty,
            to_const: self.quals.constant,
            to_volatile: self.quals.volatile,
            restrict: false,
            declared: None,
        }))
    }
}
