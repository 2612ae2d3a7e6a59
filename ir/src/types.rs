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

/// What the top bit of an integer type means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// `iN`: ops say how they read it.
    Signless,
    /// `siN`.
    Signed,
    /// `uiN`.
    Unsigned,
}

/// The content of a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeData {
    /// `iN`, `siN` or `uiN`.
    Integer {
        /// In bits.
        width: u32,
        /// What the top bit means.
        sign: Signedness,
    },
    /// `index`, as wide as a pointer.
    Index,
    /// A float type.
    Float(FloatKind),
    /// `none`.
    None,
    /// `complex<T>`, of this element type.
    Complex(Type),
    /// `(inputs) -> results`.
    Function {
        /// Types of the arguments.
        inputs: Vec<Type>,
        /// Types of what is returned.
        results: Vec<Type>,
    },
    /// `tuple<...>`.
    Tuple(Vec<Type>),
    /// `scalable[i]` marks a dimension written `[n]`; empty when none is.
    Vector {
        /// Sizes, outermost first.
        shape: Vec<i64>,
        /// Type of the elements.
        elem: Type,
        /// A flag for each dimension, or none at all.
        scalable: Vec<bool>,
    },
    /// `tensor<...>` of a known rank.
    Tensor {
        /// Sizes, outermost first; [`DYNAMIC`] for `?`.
        shape: Vec<i64>,
        /// Type of the elements.
        elem: Type,
        /// What stands behind the element type, if anything.
        encoding: Option<Attr>,
    },
    /// `tensor<*xT>`, of this element type.
    UnrankedTensor(Type),
    /// `layout` is absent for the identity; `space` for the default memory space.
    MemRef {
        /// Sizes, outermost first; [`DYNAMIC`] for `?`.
        shape: Vec<i64>,
        /// Type of the elements.
        elem: Type,
        /// A map or a strided layout.
        layout: Option<Attr>,
        /// A number or an attribute of a dialect.
        space: Option<Attr>,
    },
    /// `memref<*xT>`.
    UnrankedMemRef {
        /// Type of the elements.
        elem: Type,
        /// The memory space; `None` for the default.
        space: Option<Attr>,
    },
    /// A type that a registered dialect declares, `!dialect.mnemonic<params>`.
    Dialect {
        /// Namespace of the dialect.
        dialect: &'static str,
        /// Name within the dialect.
        mnemonic: &'static str,
        /// Parameters as the dialect's parser gave them.
        params: Vec<Attr>,
    },
    /// A type of an unregistered dialect, kept as text.
    Opaque {
        /// Namespace, without `!`.
        dialect: Box<str>,
        /// What stands behind the namespace.
        body: Box<str>,
    },
}

impl TypeData {
    /// The signless integer of `width` bits.
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

    /// Whether it is `index`.
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

    /// Whether it is `iN`, of any width.
    pub fn is_signless_int(self, ctx: &Context) -> bool {
        matches!(
            self.data(ctx),
            TypeData::Integer {
                sign: Signedness::Signless,
                ..
            }
        )
    }

    /// Whether it is an integer of any width and signedness; `index` is not.
    pub fn is_int(self, ctx: &Context) -> bool {
        self.int_width(ctx).is_some()
    }

    /// Whether it is an integer or `index`.
    pub fn is_int_or_index(self, ctx: &Context) -> bool {
        self.is_index(ctx) || self.is_int(ctx)
    }

    /// The format of a float type.
    pub fn float_kind(self, ctx: &Context) -> Option<FloatKind> {
        match self.data(ctx) {
            TypeData::Float(k) => Some(*k),
            _ => None,
        }
    }

    /// Whether it is a float type.
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

    /// The number of dimensions; `None` without a shape or for an unranked type.
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

    /// Whether it is a ranked memref.
    pub fn is_memref(self, ctx: &Context) -> bool {
        matches!(self.data(ctx), TypeData::MemRef { .. })
    }

    /// Whether it is a vector.
    pub fn is_vector(self, ctx: &Context) -> bool {
        matches!(self.data(ctx), TypeData::Vector { .. })
    }

    /// Whether it is a tensor, ranked or not.
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
    /// A memref with the identity layout, in the default memory space.
    pub fn memref(&self, shape: &[i64], elem: Type) -> Type {
        self.memref_in(shape, elem, None)
    }

    /// A memref with the identity layout, in a memory space; `None` is the default one.
    pub fn memref_in(&self, shape: &[i64], elem: Type, space: Option<Attr>) -> Type {
        self.ty(TypeData::MemRef {
            shape: shape.to_vec(),
            elem,
            layout: None,
            space,
        })
    }

    /// A vector of fixed sizes.
    pub fn vector(&self, shape: &[i64], elem: Type) -> Type {
        self.ty(TypeData::Vector {
            shape: shape.to_vec(),
            elem,
            scalable: Vec::new(),
        })
    }

    /// `(inputs) -> results`.
    pub fn function_type(&self, inputs: &[Type], results: &[Type]) -> Type {
        self.ty(TypeData::Function {
            inputs: inputs.to_vec(),
            results: results.to_vec(),
        })
    }

    /// The float type of this format.
    pub fn float(&self, kind: FloatKind) -> Type {
        self.ty(TypeData::Float(kind))
    }
}
