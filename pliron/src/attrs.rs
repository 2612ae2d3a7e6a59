//! Attributes that pliron has not, and what every attribute is in terrace.

use crate::types;
use pliron::attribute::{AttrObj, Attribute, AttributeDict, attr_cast};
use pliron::builtin::attr_interfaces::{MaterializableAttr, TypedAttrInterface};
use pliron::builtin::attributes::{
    BoolAttr, DictAttr, FPBFloatAttr, FPDoubleAttr, FPHalfAttr, FPSingleAttr, IdentifierAttr,
    IntegerAttr, OperandSegmentSizesAttr, StringAttr, TypeAttr, UnitAttr, VecAttr,
};
use pliron::builtin::ops::ConstantOp;
use pliron::builtin::types::{IntegerType, Signedness};
use pliron::combine::Parser;
use pliron::context::{Context, Ptr};
use pliron::derive::{attr_interface, attr_interface_impl, pliron_attr};
use pliron::identifier::Identifier;
use pliron::irfmt::parsers::quoted_string_parser;
use pliron::irfmt::printers::quoted;
use pliron::op::Op;
use pliron::operation::Operation;
use pliron::parsable::{IntoParseResult, Parsable, ParseResult, StateStream, StreamLocation};
use pliron::printable::{self, Printable};
use pliron::result::Result;
use pliron::r#type::{TypeHandle, Typed};
use pliron::utils::apint::APInt;
use pliron::{input_err, input_err_noloc};
use terrace_ir as ir;
use terrace_ir::affine::{AffineMap, IntegerSet};
use terrace_ir::num::{Float, FloatKind, Int};
use terrace_ir::text::parser::parse_attr;

/// An attribute that says itself what it is in terrace.
#[attr_interface]
pub trait TerraceAttr {
    /// The attribute in terrace.
    ///
    /// # Errors
    ///
    /// That it has none.
    fn to_terrace(&self, ctx: &Context, to: &ir::Context) -> Result<ir::Attr>;

    /// Every such attribute is one.
    fn verify(_attr: &dyn Attribute, _ctx: &Context) -> Result<()>
    where
        Self: Sized,
    {
        Ok(())
    }
}

/// A number of type `index`.
#[pliron_attr(name = "terrace.index", format = "$0", verifier = "succ")]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct IndexAttr(pub i64);

impl Typed for IndexAttr {
    fn get_type(&self, ctx: &Context) -> TypeHandle {
        types::IndexType::get(ctx).into()
    }
}

#[attr_interface_impl]
impl TypedAttrInterface for IndexAttr {
    fn get_type(&self, ctx: &Context) -> TypeHandle {
        types::IndexType::get(ctx).into()
    }
}

#[attr_interface_impl]
impl MaterializableAttr for IndexAttr {
    fn materialize(&self, ctx: &mut Context) -> Ptr<Operation> {
        ConstantOp::new(ctx, Box::new(self.clone())).get_operation()
    }
}

#[attr_interface_impl]
impl TerraceAttr for IndexAttr {
    fn to_terrace(&self, _: &Context, to: &ir::Context) -> Result<ir::Attr> {
        Ok(to.index_attr(self.0))
    }
}

/// An attribute whose text is MLIR's between the angle brackets, in quotes.
macro_rules! affine {
    ($(#[$doc:meta])* $name:ident($of:ty) = $id:literal, $word:literal, $like:literal,
     $of_attr:ident, $to_attr:ident) => {
        $(#[$doc])*
        #[pliron_attr(name = $id, verifier = "succ")]
        #[derive(PartialEq, Eq, Clone, Debug, Hash)]
        pub struct $name(pub $of);

        impl $name {
            /// Reads MLIR's text.
            ///
            /// # Errors
            ///
            /// What is wrong with it.
            pub fn parse_text(text: &str) -> std::result::Result<Self, String> {
                let mut reader = ir::Context::new();
                let read = parse_attr(&mut reader, &format!(concat!($word, "<{}>"), text));
                match read.and_then(|a| a.$of_attr(&reader)) {
                    Some(found) => Ok($name(found.clone())),
                    None => {
                        let said = reader.take_diagnostics().into_iter().next();
                        let said = said.map_or("it is another attribute".into(), |d| d.message);
                        Err(format!(concat!("'{}' is none like ", $like, ": {}"), text, said))
                    }
                }
            }
        }

        impl Printable for $name {
            fn fmt(
                &self,
                ctx: &Context,
                state: &printable::State,
                f: &mut std::fmt::Formatter<'_>,
            ) -> std::fmt::Result {
                quoted(&self.0.to_string()).fmt(ctx, state, f)
            }
        }

        impl Parsable for $name {
            type Arg = ();
            type Parsed = Self;

            fn parse<'a>(state: &mut StateStream<'a>, (): ()) -> ParseResult<'a, Self::Parsed> {
                let loc = state.loc();
                let (text, _) = quoted_string_parser().parse_stream(state).into_result()?;
                match Self::parse_text(&text) {
                    Ok(read) => Ok(read).into_parse_result(),
                    Err(message) => input_err!(loc, "{message}").into_parse_result(),
                }
            }
        }

        #[attr_interface_impl]
        impl TerraceAttr for $name {
            fn to_terrace(&self, _: &Context, to: &ir::Context) -> Result<ir::Attr> {
                Ok(to.$to_attr(self.0.clone()))
            }
        }
    };
}

affine! {
    /// An affine map, `"(d0)[s0] -> (d0 + s0)"`.
    AffineMapAttr(AffineMap) = "terrace.affine_map", "affine_map", "(d0)[s0] -> (d0 + s0)",
    as_map, map_attr
}

affine! {
    /// The points at which affine constraints hold, `"(d0)[s0] : (s0 - d0 - 1 >= 0)"`.
    IntegerSetAttr(IntegerSet) = "terrace.integer_set", "affine_set",
    "(d0)[s0] : (s0 - d0 - 1 >= 0)", as_set, set_attr
}

fn float(kind: FloatKind, bits: u128, to: &ir::Context) -> ir::Attr {
    to.attr(ir::AttrData::Float {
        ty: to.float(kind),
        value: Float::from_bits(kind, bits),
    })
}

/// What an attribute is in terrace.
///
/// # Errors
///
/// That it is not one of pliron's, and has not [`TerraceAttr`].
pub fn to_terrace(attr: &dyn Attribute, ctx: &Context, to: &ir::Context) -> Result<ir::Attr> {
    use pliron::utils::apfloat::Float as _;
    if let Some(a) = attr.downcast_ref::<IntegerAttr>() {
        let ty = types::to_terrace(a.get_type().into(), ctx, to)?;
        let width = a.get_type().deref(ctx).width();
        let mut bytes = vec![0; (width as usize).div_ceil(8)];
        a.value().to_u8_slice(&mut bytes);
        return Ok(to.attr(ir::AttrData::Integer {
            ty,
            value: Int::from_le_bytes(width, &bytes),
        }));
    }
    let all = |attrs: &[AttrObj]| -> Result<Vec<ir::Attr>> {
        attrs.iter().map(|a| to_terrace(&**a, ctx, to)).collect()
    };
    Ok(if let Some(a) = attr.downcast_ref::<FPDoubleAttr>() {
        float(FloatKind::F64, a.0.to_bits(), to)
    } else if let Some(a) = attr.downcast_ref::<FPSingleAttr>() {
        float(FloatKind::F32, a.0.to_bits(), to)
    } else if let Some(a) = attr.downcast_ref::<FPHalfAttr>() {
        float(FloatKind::F16, a.0.to_bits(), to)
    } else if let Some(a) = attr.downcast_ref::<FPBFloatAttr>() {
        float(FloatKind::BF16, a.0.to_bits(), to)
    } else if let Some(a) = attr.downcast_ref::<BoolAttr>() {
        to.bool_attr(a.clone().into())
    } else if let Some(a) = attr.downcast_ref::<StringAttr>() {
        to.string_attr(a.as_str())
    } else if let Some(a) = attr.downcast_ref::<IdentifierAttr>() {
        to.symbol_attr(&name_to_terrace(a.as_ref()))
    } else if let Some(a) = attr.downcast_ref::<TypeAttr>() {
        to.type_attr(types::to_terrace(Typed::get_type(a, ctx), ctx, to)?)
    } else if attr.is::<UnitAttr>() {
        to.unit()
    } else if let Some(a) = attr.downcast_ref::<VecAttr>() {
        to.array_attr(all(&a.0)?)
    } else if let Some(a) = attr.downcast_ref::<DictAttr>() {
        let entries = dictionary(&a.0, ctx, to)?;
        let entries = entries.iter().map(|(name, a)| (to.intern(name), *a));
        to.dict_attr(entries)
    } else if let Some(a) = attr.downcast_ref::<OperandSegmentSizesAttr>() {
        let sizes = a.0.iter().map(|s| i32::try_from(*s));
        match sizes.collect::<std::result::Result<Vec<i32>, _>>() {
            Ok(sizes) => to.i32_array(&sizes),
            Err(_) => return input_err_noloc!("a segment of 2^31 or more operands"),
        }
    } else if let Some(a) = attr_cast::<dyn TerraceAttr>(attr) {
        a.to_terrace(ctx, to)?
    } else {
        return input_err_noloc!(
            "the attribute {} is unknown to terrace; expected one of pliron's, or one with the \
             interface TerraceAttr",
            attr.get_attr_id()
        );
    })
}

/// What stands for a dot in a name of terrace's, which pliron's names have not.
const DOT: &str = "_dot_";

/// The name of an attribute in terrace.
pub fn name_to_terrace(name: &Identifier) -> String {
    name.to_string().replace(DOT, ".")
}

/// The name of an attribute in pliron.
///
/// # Errors
///
/// That it has other characters than letters, digits, underscores and dots.
pub fn name_from_terrace(name: &str) -> Result<Identifier> {
    Identifier::try_new(name.replace('.', DOT))
}

/// The entries of a dictionary in terrace.
///
/// # Errors
///
/// As for [`to_terrace`].
pub fn dictionary(
    dict: &AttributeDict,
    ctx: &Context,
    to: &ir::Context,
) -> Result<Vec<(String, ir::Attr)>> {
    let entry = |(name, a): (&Identifier, &AttrObj)| {
        to_terrace(&**a, ctx, to).map(|a| (name_to_terrace(name), a))
    };
    dict.0.iter().map(entry).collect()
}

/// What an attribute of terrace is in pliron.
///
/// # Errors
///
/// That pliron and this crate have none such.
pub fn from_terrace(attr: ir::Attr, from: &ir::Context, ctx: &Context) -> Result<AttrObj> {
    use pliron::utils::apfloat::{BFloat, Double, Float as _, Half, Single};
    let all = |attrs: &[ir::Attr]| -> Result<Vec<AttrObj>> {
        attrs.iter().map(|a| from_terrace(*a, from, ctx)).collect()
    };
    Ok(match attr.data(from) {
        ir::AttrData::Unit => Box::new(UnitAttr),
        ir::AttrData::Integer { ty, value } if ty.is_index(from) => match value.to_i64() {
            Some(value) => Box::new(IndexAttr(value)),
            None => return input_err_noloc!("an index of more than 64 bits"),
        },
        ir::AttrData::Integer { ty, value } => {
            let sign = match ty.data(from) {
                ir::TypeData::Integer { sign, .. } => match sign {
                    ir::types::Signedness::Signed => Signedness::Signed,
                    ir::types::Signedness::Unsigned => Signedness::Unsigned,
                    ir::types::Signedness::Signless => Signedness::Signless,
                },
                _ => Signedness::Signless,
            };
            let width = value.width();
            let ty = IntegerType::get(ctx, width, sign);
            let Some(bits) = std::num::NonZero::new(width as usize) else {
                return input_err_noloc!("an integer of no bits; pliron has none");
            };
            Box::new(IntegerAttr::new(
                ty,
                APInt::from_u8_slice(&value.to_le_bytes(), bits),
            ))
        }
        ir::AttrData::Float { ty, value } => match ty.float_kind(from) {
            Some(FloatKind::F64) => Box::new(FPDoubleAttr(Double::from_bits(value.to_bits()))),
            Some(FloatKind::F32) => Box::new(FPSingleAttr(Single::from_bits(value.to_bits()))),
            Some(FloatKind::F16) => Box::new(FPHalfAttr(Half::from_bits(value.to_bits()))),
            Some(FloatKind::BF16) => Box::new(FPBFloatAttr(BFloat::from_bits(value.to_bits()))),
            _ => return unknown(attr, from),
        },
        ir::AttrData::String { value, ty: None } => match std::str::from_utf8(value) {
            Ok(text) => Box::new(StringAttr::new(text.to_string())),
            Err(_) => return unknown(attr, from),
        },
        ir::AttrData::Type(ty) => Box::new(TypeAttr::new(types::from_terrace(*ty, from, ctx)?)),
        ir::AttrData::Array(attrs) => Box::new(VecAttr(all(attrs)?)),
        ir::AttrData::Dict(entries) => {
            let mut dict = AttributeDict::default();
            for (name, a) in entries {
                let name = name_from_terrace(from.str(*name))?;
                dict.0.insert(name, from_terrace(*a, from, ctx)?);
            }
            Box::new(DictAttr(dict))
        }
        ir::AttrData::SymbolRef(path) if path.len() == 1 => {
            Box::new(IdentifierAttr::new(name_from_terrace(from.str(path[0]))?))
        }
        ir::AttrData::DenseArray { elem, .. } if *elem == from.i32() => {
            let sizes = attr.as_i64_array(from).unwrap_or_default();
            let sizes = sizes
                .into_iter()
                .map(u32::try_from)
                .collect::<std::result::Result<_, _>>();
            match sizes {
                Ok(sizes) => Box::new(OperandSegmentSizesAttr(sizes)),
                Err(_) => return unknown(attr, from),
            }
        }
        ir::AttrData::AffineMap(map) => Box::new(AffineMapAttr(map.clone())),
        ir::AttrData::IntegerSet(set) => Box::new(IntegerSetAttr(set.clone())),
        _ => return unknown(attr, from),
    })
}

fn unknown<T>(attr: ir::Attr, from: &ir::Context) -> Result<T> {
    let text = from.attr_text(attr);
    input_err_noloc!("the attribute {text} has no form in pliron")
}
