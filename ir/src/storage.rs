//! The glue to pliron: how our types, attributes and locations sit inside its
//! objects. Nothing outside this crate sees these.

use crate::attr::Attr;
use crate::context::Str;
use crate::types::TypeData;
use pliron::attribute::{AttrId, Attribute};
use pliron::common_traits::Verify;
use pliron::context::Ptr;
use pliron::op::OpObj;
use pliron::operation::Operation;
use pliron::printable::{Printable, State};
use pliron::storage_uniquer::TypeValueHash;
use pliron::uniqued_any::UniquedKey;
use smallvec::SmallVec;
use std::any::TypeId;
use std::fmt;

/// What pliron needs to make an operation of a given Rust type.
pub type OpTypeInfo = (fn(Ptr<Operation>) -> OpObj, TypeId);

/// Verification runs over whole modules in [`crate::verify`], which reports every
/// error; pliron's own per-op hook, which stops at the first, has nothing to add.
pub fn verify_declared() -> pliron::result::Result<()> {
    Ok(())
}

macro_rules! pliron_object {
    ($t:ty) => {
        impl Printable for $t {
            fn fmt(
                &self,
                _: &pliron::context::Context,
                _: &State,
                f: &mut fmt::Formatter<'_>,
            ) -> fmt::Result {
                write!(f, "{self:?}")
            }
        }
        impl Verify for $t {
            fn verify(&self, _: &pliron::context::Context) -> pliron::result::Result<()> {
                Ok(())
            }
        }
    };
}

/// The pliron type object of every terrace type: a key to the uniqued [`TypeData`].
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
pub(crate) struct TypeObject(pub UniquedKey<TypeData>);
pliron_object!(TypeObject);

impl pliron::r#type::Type for TypeObject {
    fn hash_type(&self) -> TypeValueHash {
        TypeValueHash::new(self)
    }
    fn eq_type(&self, other: &dyn pliron::r#type::Type) -> bool {
        other.downcast_ref::<Self>() == Some(self)
    }
    fn get_type_id(&self) -> pliron::r#type::TypeId {
        Self::get_type_id_static()
    }
    fn get_type_id_static() -> pliron::r#type::TypeId {
        pliron::r#type::TypeId {
            dialect: dialect_name(),
            name: pliron::ident!("type").into(),
        }
    }
    fn verify_interfaces(&self, _: &pliron::context::Context) -> pliron::result::Result<()> {
        Ok(())
    }
}

fn dialect_name() -> pliron::dialect::DialectName {
    pliron::ident!("terrace").into()
}

fn attr_id() -> AttrId {
    AttrId {
        dialect: dialect_name(),
        name: pliron::ident!("data").into(),
    }
}

macro_rules! attribute_object {
    ($t:ty) => {
        pliron_object!($t);
        impl Attribute for $t {
            fn hash_attr(&self) -> TypeValueHash {
                TypeValueHash::new(self)
            }
            fn eq_attr(&self, other: &dyn Attribute) -> bool {
                other.downcast_ref::<Self>() == Some(self)
            }
            fn get_attr_id(&self) -> AttrId {
                attr_id()
            }
            fn get_attr_id_static() -> AttrId {
                attr_id()
            }
            fn verify_interfaces(
                &self,
                _: &pliron::context::Context,
            ) -> pliron::result::Result<()> {
                Ok(())
            }
        }
    };
}

/// The payload of one operation: its attributes, sorted by name, and what only an
/// unregistered op needs. Ops without attributes carry none of it.
#[derive(Debug, Default, PartialEq, Eq, Hash, Clone)]
pub(crate) struct OpPayload {
    pub attrs: SmallVec<[(Str, Attr); 2]>,
    /// The full name of an unregistered op.
    pub name: Option<Str>,
    /// The `<{...}>` of an unregistered op.
    pub properties: Option<Attr>,
}
attribute_object!(OpPayload);

/// The locations of a block's arguments, in order.
#[derive(Debug, Default, PartialEq, Eq, Hash, Clone)]
pub(crate) struct BlockArgLocs(pub Vec<crate::loc::Loc>);
attribute_object!(BlockArgLocs);

/// A location that is not a plain file position, by its attribute.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub(crate) struct LocRef(pub Attr);
attribute_object!(LocRef);

/// The key under which [`OpPayload`] and [`BlockArgLocs`] sit in pliron's dictionaries.
pub(crate) const PAYLOAD: pliron::identifier::Identifier = pliron::ident!("a");
