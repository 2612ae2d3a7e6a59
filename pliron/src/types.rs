//! Types that pliron has not, and what every type is in terrace.

use pliron::builtin::type_interfaces::FunctionTypeInterface;
use pliron::builtin::types::{
    BF16Type, FP16Type, FP32Type, FP64Type, FunctionType, IntegerType, Signedness,
};
use pliron::combine::parser::char::spaces;
use pliron::combine::{Parser, between, sep_by, token};
use pliron::common_traits::Verify;
use pliron::context::Context;
use pliron::derive::{pliron_type, type_interface, type_interface_impl};
use pliron::irfmt::parsers::{int_parser, spaced, type_parser};
use pliron::parsable::{IntoParseResult, Parsable, ParseResult, StateStream};
use pliron::printable::{self, Printable};
use pliron::result::Result;
use pliron::r#type::{Type, TypeHandle, TypedHandle, type_cast};
use pliron::{input_err_noloc, verify_err_noloc};
use terrace_ir as ir;
use terrace_ir::num::FloatKind;

/// A type that says itself what it is in terrace.
#[type_interface]
pub trait TerraceType {
    /// The type in terrace.
    ///
    /// # Errors
    ///
    /// That it has none.
    fn to_terrace(&self, ctx: &Context, to: &ir::Context) -> Result<ir::Type>;

    /// Every such type is one.
    fn verify(_ty: &dyn Type, _ctx: &Context) -> Result<()>
    where
        Self: Sized,
    {
        Ok(())
    }
}

/// An integer as wide as a pointer, which counts loops and subscripts.
#[pliron_type(name = "terrace.index", format, generate_get = true, verifier = "succ")]
#[derive(Hash, PartialEq, Eq, Debug)]
pub struct IndexType;

#[type_interface_impl]
impl TerraceType for IndexType {
    fn to_terrace(&self, _: &Context, to: &ir::Context) -> Result<ir::Type> {
        Ok(to.index())
    }
}

/// An array in memory, in the order of its subscripts. It prints as `<4, ?: builtin.fp64>`.
#[pliron_type(name = "terrace.memref", generate_get = true)]
#[derive(Hash, PartialEq, Eq, Debug)]
pub struct MemrefType {
    /// The sizes; `None` for one that the program learns when it runs.
    shape: Vec<Option<u64>>,
    element: TypeHandle,
}

impl MemrefType {
    /// The sizes; `None` for one that the program learns when it runs.
    pub fn shape(&self) -> &[Option<u64>] {
        &self.shape
    }

    /// What it is an array of.
    pub fn element(&self) -> TypeHandle {
        self.element
    }
}

impl Verify for MemrefType {
    fn verify(&self, ctx: &Context) -> Result<()> {
        match self
            .shape
            .iter()
            .flatten()
            .find(|s| i64::try_from(**s).is_err())
        {
            Some(size) => verify_err_noloc!("a memref of size {size}; sizes are below 2^63"),
            None if is_number(self.element, ctx) => Ok(()),
            None => verify_err_noloc!(
                "a memref of {}; its elements are integers, floats or indices",
                self.element.disp(ctx)
            ),
        }
    }
}

/// Whether values of the type are single numbers.
fn is_number(ty: TypeHandle, ctx: &Context) -> bool {
    let ty = ty.deref(ctx);
    ty.is::<IntegerType>() || ty.is::<IndexType>() || float_kind(&*ty).is_some()
}

impl Printable for MemrefType {
    fn fmt(
        &self,
        ctx: &Context,
        _: &printable::State,
        f: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        let size = |s: &Option<u64>| s.map_or("?".to_string(), |s| s.to_string());
        let sizes: Vec<String> = self.shape.iter().map(size).collect();
        write!(f, "<{}: {}>", sizes.join(", "), self.element.disp(ctx))
    }
}

impl Parsable for MemrefType {
    type Arg = ();
    type Parsed = TypedHandle<Self>;

    fn parse<'a>(state: &mut StateStream<'a>, (): ()) -> ParseResult<'a, Self::Parsed> {
        let size = spaced(token('?').map(|_| None).or(int_parser::<u64>().map(Some)));
        let mut parser = spaces().with(between(
            token('<'),
            token('>'),
            sep_by::<Vec<Option<u64>>, _, _, _>(size, token(','))
                .skip(spaced(token(':')))
                .and(spaced(type_parser())),
        ));
        let ((shape, element), _) = parser.parse_stream(state).into_result()?;
        Ok(MemrefType::get(state.state.ctx, shape, element)).into_parse_result()
    }
}

#[type_interface_impl]
impl TerraceType for MemrefType {
    fn to_terrace(&self, ctx: &Context, to: &ir::Context) -> Result<ir::Type> {
        let mut sizes = Vec::with_capacity(self.shape.len());
        for size in &self.shape {
            match size.map(i64::try_from) {
                None => sizes.push(ir::types::DYNAMIC),
                Some(Ok(size)) => sizes.push(size),
                Some(Err(_)) => return input_err_noloc!("the sizes of a memref are below 2^63"),
            }
        }
        Ok(to.memref(&sizes, to_terrace(self.element, ctx, to)?))
    }
}

/// The format of a float type.
fn float_kind(ty: &dyn Type) -> Option<FloatKind> {
    Some(match () {
        () if ty.is::<FP64Type>() => FloatKind::F64,
        () if ty.is::<FP32Type>() => FloatKind::F32,
        () if ty.is::<FP16Type>() => FloatKind::F16,
        () if ty.is::<BF16Type>() => FloatKind::BF16,
        () => return None,
    })
}

/// What a type is in terrace.
///
/// # Errors
///
/// That it is not one of pliron's numbers or functions, and has not [`TerraceType`].
pub fn to_terrace(handle: TypeHandle, ctx: &Context, to: &ir::Context) -> Result<ir::Type> {
    let ty = handle.deref(ctx);
    if let Some(integer) = ty.downcast_ref::<IntegerType>() {
        let sign = match integer.signedness() {
            Signedness::Signed => ir::types::Signedness::Signed,
            Signedness::Unsigned => ir::types::Signedness::Unsigned,
            Signedness::Signless => ir::types::Signedness::Signless,
        };
        let width = integer.width();
        return Ok(to.ty(ir::TypeData::Integer { width, sign }));
    }
    if let Some(kind) = float_kind(&*ty) {
        return Ok(to.float(kind));
    }
    if let Some(function) = ty.downcast_ref::<FunctionType>() {
        let all = |types: Vec<TypeHandle>| -> Result<Vec<ir::Type>> {
            types.into_iter().map(|t| to_terrace(t, ctx, to)).collect()
        };
        let (inputs, results) = (all(function.arg_types())?, all(function.res_types())?);
        return Ok(to.function_type(&inputs, &results));
    }
    match type_cast::<dyn TerraceType>(&*ty) {
        Some(ty) => ty.to_terrace(ctx, to),
        None => input_err_noloc!(
            "the type {} is unknown to terrace; expected an integer, a float, terrace.index, \
             terrace.memref, or a type with the interface TerraceType",
            handle.disp(ctx)
        ),
    }
}

/// What a type of terrace is in pliron.
///
/// # Errors
///
/// That pliron and this crate have none such.
pub fn from_terrace(ty: ir::Type, from: &ir::Context, ctx: &Context) -> Result<TypeHandle> {
    Ok(match ty.data(from) {
        ir::TypeData::Integer { width, sign } => {
            let sign = match sign {
                ir::types::Signedness::Signed => Signedness::Signed,
                ir::types::Signedness::Unsigned => Signedness::Unsigned,
                ir::types::Signedness::Signless => Signedness::Signless,
            };
            IntegerType::get(ctx, *width, sign).into()
        }
        ir::TypeData::Index => IndexType::get(ctx).into(),
        ir::TypeData::Float(FloatKind::F64) => FP64Type::get(ctx).into(),
        ir::TypeData::Float(FloatKind::F32) => FP32Type::get(ctx).into(),
        ir::TypeData::Float(FloatKind::F16) => FP16Type::get(ctx).into(),
        ir::TypeData::Float(FloatKind::BF16) => BF16Type::get(ctx).into(),
        ir::TypeData::MemRef {
            shape,
            elem,
            layout: None,
            space: None,
        } => {
            let size = |s: &i64| u64::try_from(*s).ok();
            let shape = shape.iter().map(size).collect();
            MemrefType::get(ctx, shape, from_terrace(*elem, from, ctx)?).into()
        }
        ir::TypeData::Function { inputs, results } => {
            let all = |types: &[ir::Type]| -> Result<Vec<TypeHandle>> {
                types.iter().map(|t| from_terrace(*t, from, ctx)).collect()
            };
            FunctionType::get(ctx, all(inputs)?, all(results)?).into()
        }
        _ => {
            let text = from.type_text(ty);
            return input_err_noloc!("the type {text} has no form in pliron");
        }
    })
}
