//! A region: a statement that was lowered to a function of its own, and what that
//! function takes from the program around it.
//!
//! The lowering makes these; whoever writes the C call of a region reads them. All C
//! text here is made of names and operators as they stand in the preprocessed text, in
//! brackets where that matters, and means the same just before the region's statement.

use crate::directive::Compute;
use crate::hir::{DirectiveId, Expr, ExprKind, Span};
use crate::types::Type;

/// A statement as the function `@name` of the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The symbol: `FUNC.regionN`, N counting the regions of a function from 0.
    pub name: String,
    /// An index into [`crate::hir::Unit::functions`].
    pub function: usize,
    /// The compute directive or `scop` it stands under; `None` if the analysis chose it.
    pub directive: Option<DirectiveId>,
    pub construct: Compute,
    /// The statement, without its directives.
    pub span: Span,
    /// The function's arguments, in order.
    pub captures: Vec<Capture>,
    /// The function's results, in order: the scalars of `captures`, by index, that get a
    /// new value.
    pub results: Vec<usize>,
}

/// An argument of a region: an object of the program around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// The scalar, the array, or the pointer to the array: a variable or a path of
    /// members from one (`a->m`, `s.n`), which has the same value throughout the region
    /// unless it is a scalar among [`Region::results`]. For an array of records this is
    /// the array or pointer of records, not the field. Of a scalar it may be a comparison of
    /// such a pointer with null, too.
    pub lvalue: Expr,
    /// Names it in C, and is the argument's `acc.name`. For a field of records the
    /// field's path follows: `b[].x`.
    pub text: String,
    /// The C type of `lvalue`.
    pub ty: Type,
    pub kind: CaptureKind,
    /// The region may use the value that the scalar or some element has before it.
    pub read: bool,
    /// The region may change it.
    pub written: bool,
    /// Of a scalar: pointers may point to it, because its address is taken or it is
    /// visible outside the function. It must not overlap an array that is written.
    pub addressed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CaptureKind {
    /// By value. `_Bool` is an i8 of 0 or 1.
    Scalar,
    Array(CapturedArray),
}

/// The text of a captured int that is no variable: 1 where the region runs on a device
/// with memory of its own, else 0.
pub const ON_DEVICE: &str = "acc_on_device()";

/// A memref argument.
#[derive(Debug, Clone, PartialEq)]
pub struct CapturedArray {
    /// An arithmetic type.
    pub element: Type,
    /// The sizes of the memref, outermost first, in elements; at least one. For records
    /// the sizes of the array of records, then those of the field where it is an array.
    pub sizes: Vec<Size>,
    /// The distance in elements between neighbours of each dimension, where the memref
    /// is not plain row-major: fields of records. All are constants.
    pub strides: Option<Vec<u64>>,
    /// C text of a pointer to the element of which all subscripts are 0, `&(b)[0].x`.
    /// Its type is a pointer to the element, possibly qualified.
    pub address: String,
    /// The lvalue is a pointer, so that the array may start before its value and ends
    /// where only the program knows. Otherwise it is an array object.
    pub is_pointer: bool,
    /// The elements are `const`: the region does not write them through this.
    pub is_const: bool,
    /// The pointer is `restrict`, or the object is one that no pointer reaches.
    pub restrict: bool,
    /// The elements are fields of records.
    pub field: Option<RecordField>,
    /// The elements are pointers, as words of 64 bits. The region only reads them.
    pub pointers: bool,
    /// Its rows lie where pointers say, so many of which are from one row's to the next one's: the
    /// outermost size is that of a table of pointers, at `address`.
    pub tables: Option<u64>,
    /// All memory: its first element is at the address 0, and where the program's
    /// elements are is read from an array of pointers, which `lvalue` is. Nothing says
    /// how it relates to other arrays.
    pub anywhere: bool,
}

/// The size of a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Size {
    /// Static in the memref's type.
    Const(u64),
    /// C text of integer type, exact: `sizeof(A)/sizeof((A)[0])`.
    Text(String),
    /// What a parameter's declarator says, `n` in `double A[n][m]`: C text whose
    /// variables may have changed since, and which the program need not keep to.
    Declared(String),
    /// Nothing says: the outermost size behind a pointer.
    Unknown,
}

/// Where a field lies in the records of an array.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordField {
    /// An index into [`crate::hir::Unit::records`].
    pub record: usize,
    /// The first record, as an expression of the source.
    pub first: String,
    /// The members from the record to the field: `.x`, `.pos.y`.
    pub path: String,
    /// Bytes from the start of the record.
    pub offset: u64,
    /// Bytes from one record to the next.
    pub record_size: u64,
}

/// A function that was left out of the module, or a statement that a directive asks to
/// offload and that cannot be lowered: it stays C.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub function: String,
    /// What cannot be translated.
    pub span: Span,
    /// In the words of the source: "a call through a pointer".
    pub reason: String,
    /// That is not only without a form: the directive, or C, does not allow it, or it is a
    /// fault of terrace's own.
    pub wrong: bool,
    /// The compute directive of the region; `None` if the whole function is left out.
    pub directive: Option<DirectiveId>,
}

impl CapturedArray {
    /// How many sizes are passed at run time, each a word of the packed call.
    pub fn dynamic_sizes(&self) -> usize {
        self.sizes
            .iter()
            .filter(|s| !matches!(s, Size::Const(_)))
            .count()
    }
}

impl Capture {
    /// Whether it is no object but what an expression over objects gives: that a pointer is
    /// not null.
    pub fn is_computed(&self) -> bool {
        matches!(self.lvalue.kind, ExprKind::Binary { .. })
    }

    /// The array, where it is one.
    pub fn array(&self) -> Option<&CapturedArray> {
        match &self.kind {
            CaptureKind::Array(a) => Some(a),
            CaptureKind::Scalar => None,
        }
    }
}
