//! Types: uniqued plain data behind a `Copy` handle.

use crate::attr::Attr;
use crate::context::Context;
use crate::num::FloatKind;
use crate::storage::TypeObject;
use pliron::r#type::{Type as _, TypeHandle};
use pliron::uniqued_any;

/// A handle to a uniqued type: equal types of a context have equal handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type(pub(crate) TypeHandle);

/// The size of a dimension that is known only at run time, in shapes, strides and
/// offsets. Upstream's `ShapedType::kDynamic`.
pub const DYNAMIC: i64 = i64::MIN;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signedness {
    Signless,
    Signed,
    Unsigned,
}

/// The content of a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeData {
    Integer {
        width: u32,
        sign: Signedness,
    },
    Index,
    Float(FloatKind),
    None,
    Complex(Type),
    Function {
        inputs: Vec<Type>,
        results: Vec<Type>,
    },
    Tuple(Vec<Type>),
    /// `scalable[i]` marks a dimension written `[n]`; empty when none is.
    Vector {
        shape: Vec<i64>,
        elem: Type,
        scalable: Vec<bool>,
    },
    Tensor {
        shape: Vec<i64>,
        elem: Type,
        encoding: Option<Attr>,
    },
    UnrankedTensor(Type),
    /// `layout` is absent for the identity; `space` for the default memory space.
    MemRef {
        shape: Vec<i64>,
        elem: Type,
        layout: Option<Attr>,
        space: Option<Attr>,
    },
    UnrankedMemRef {
        elem: Type,
        space: Option<Attr>,
    },
    /// A type that a registered dialect declares, `!dialect.mnemonic<params>`.
    Dialect {
        dialect: &'static str,
        mnemonic: &'static str,
        params: Vec<Attr>,
    },
    /// A type of an unregistered dialect, kept as text.
    Opaque {
        dialect: Box<str>,
        body: Box<str>,
    },
}

impl TypeData {
    pub fn int(width: u32) -> Self {
        TypeData::Integer {
            width,
            sign: Signedness::Signless,
        }
    }
}

impl Type {
    pub(crate) fn unique(ir: &pliron::context::Context, data: TypeData) -> Type {
        let key = uniqued_any::save(ir, data);
        Type(TypeObject::instantiate(TypeObject(key), ir).to_handle())
    }

    /// The content of this type.
    pub fn data(self, ctx: &Context) -> &TypeData {
        let key = self
            .0
            .deref(&ctx.ir)
            .downcast_ref::<TypeObject>()
            .map(|o| o.0);
        match key {
            Some(key) => uniqued_any::get(&ctx.ir, key),
            // Only this crate makes types, and makes them all through `unique`.
            None => unreachable!("a type that terrace did not make"),
        }
    }

    pub fn is_index(self, ctx: &Context) -> bool {
        self == ctx.index()
    }

    /// The width of a signless, signed or unsigned integer type.
    pub fn int_width(self, ctx: &Context) -> Option<u32> {
        match self.data(ctx) {
            TypeData::Integer { width, .. } => Some(*width),
            _ => None,
        }
    }

    pub fn is_signless_int(self, ctx: &Context) -> bool {
        matches!(
            self.data(ctx),
            TypeData::Integer {
                sign: Signedness::Signless,
                ..
            }
        )
    }

    pub fn is_int(self, ctx: &Context) -> bool {
        self.int_width(ctx).is_some()
    }

    pub fn is_int_or_index(self, ctx: &Context) -> bool {
        self.is_index(ctx) || self.is_int(ctx)
    }

    pub fn float_kind(self, ctx: &Context) -> Option<FloatKind> {
        match self.data(ctx) {
            TypeData::Float(k) => Some(*k),
            _ => None,
        }
    }

    pub fn is_float(self, ctx: &Context) -> bool {
        self.float_kind(ctx).is_some()
    }

    /// The bit width of an integer or float type.
    pub fn bit_width(self, ctx: &Context) -> Option<u32> {
        match self.data(ctx) {
            TypeData::Integer { width, .. } => Some(*width),
            TypeData::Float(k) => Some(k.width()),
            _ => None,
        }
    }

    /// The element type of a vector, tensor, memref or complex; the type itself else.
    pub fn element_or_self(self, ctx: &Context) -> Type {
        self.element(ctx).unwrap_or(self)
    }

    /// The element type of a shaped type (vector, tensor, memref, ranked or not).
    pub fn element(self, ctx: &Context) -> Option<Type> {
        match self.data(ctx) {
            TypeData::Vector { elem, .. }
            | TypeData::Tensor { elem, .. }
            | TypeData::UnrankedTensor(elem)
            | TypeData::MemRef { elem, .. }
            | TypeData::UnrankedMemRef { elem, .. } => Some(*elem),
            _ => None,
        }
    }

    /// The shape of a ranked shaped type; [`DYNAMIC`] marks unknown sizes.
    pub fn shape(self, ctx: &Context) -> Option<&[i64]> {
        match self.data(ctx) {
            TypeData::Vector { shape, .. }
            | TypeData::Tensor { shape, .. }
            | TypeData::MemRef { shape, .. } => Some(shape),
            _ => None,
        }
    }

    pub fn rank(self, ctx: &Context) -> Option<usize> {
        self.shape(ctx).map(<[i64]>::len)
    }

    /// The number of elements of a ranked type whose sizes are all known and whose
    /// product fits.
    pub fn num_elements(self, ctx: &Context) -> Option<i64> {
        self.shape(ctx)?.iter().try_fold(
            1i64,
            |n, &d| {
                if d == DYNAMIC { None } else { n.checked_mul(d) }
            },
        )
    }

    pub fn is_memref(self, ctx: &Context) -> bool {
        matches!(self.data(ctx), TypeData::MemRef { .. })
    }

    pub fn is_vector(self, ctx: &Context) -> bool {
        matches!(self.data(ctx), TypeData::Vector { .. })
    }

    pub fn is_tensor(self, ctx: &Context) -> bool {
        matches!(
            self.data(ctx),
            TypeData::Tensor { .. } | TypeData::UnrankedTensor(_)
        )
    }

    /// Layout and memory space of a memref; `None` for other types.
    pub fn memref_parts(self, ctx: &Context) -> Option<(Option<Attr>, Option<Attr>)> {
        match self.data(ctx) {
            TypeData::MemRef { layout, space, .. } => Some((*layout, *space)),
            TypeData::UnrankedMemRef { space, .. } => Some((None, *space)),
            _ => None,
        }
    }

    /// Inputs and results of a function type.
    pub fn function_parts(self, ctx: &Context) -> Option<(&[Type], &[Type])> {
        match self.data(ctx) {
            TypeData::Function { inputs, results } => Some((inputs, results)),
            _ => None,
        }
    }

    /// The same shaped type over another element type; a scalar becomes `elem`.
    pub fn with_element(self, ctx: &Context, elem: Type) -> Type {
        let mut data = self.data(ctx).clone();
        match &mut data {
            TypeData::Vector { elem: e, .. }
            | TypeData::Tensor { elem: e, .. }
            | TypeData::UnrankedTensor(e)
            | TypeData::MemRef { elem: e, .. }
            | TypeData::UnrankedMemRef { elem: e, .. } => *e = elem,
            _ => return elem,
        }
        ctx.ty(data)
    }
}

impl Context {
    pub fn memref(&self, shape: &[i64], elem: Type) -> Type {
        self.ty(TypeData::MemRef {
            shape: shape.to_vec(),
            elem,
            layout: None,
            space: None,
        })
    }

    pub fn vector(&self, shape: &[i64], elem: Type) -> Type {
        self.ty(TypeData::Vector {
            shape: shape.to_vec(),
            elem,
            scalable: Vec::new(),
        })
    }

    pub fn function_type(&self, inputs: &[Type], results: &[Type]) -> Type {
        self.ty(TypeData::Function {
            inputs: inputs.to_vec(),
            results: results.to_vec(),
        })
    }

    pub fn float(&self, kind: FloatKind) -> Type {
        self.ty(TypeData::Float(kind))
    }
}
