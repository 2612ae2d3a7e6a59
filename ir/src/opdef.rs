//! Op and dialect declarations: everything there is to know about an op, in one
//! place.
//!
//! ```text
//! op! {
//!     /// Integer addition that wraps.
//!     AddIOp = "arith.addi" {
//!         operands: [lhs: SIGNLESS_INT_LIKE, rhs: SIGNLESS_INT_LIKE],
//!         results: [result: SIGNLESS_INT_LIKE],
//!         traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE,
//!         format: "$lhs `,` $rhs attr-dict `:` type($result)",
//!         fold: fold::addi,
//!     }
//! }
//! ```

mod outcome;
pub mod traits;

pub use outcome::{Effect, EffectKind, Fold, FoldResult, Invalid, Verified};

use crate::attr::Attr;
use crate::builder::{Builder, OpState};
use crate::constraint::{Arity, AttrConstraint, TypeConstraint};
use crate::context::Context;
use crate::op::Op;
use crate::storage::OpTypeInfo;
use crate::text::parser::{OpParser, PResult};
use crate::text::printer::Printer;
use crate::types::Type;
use std::ops::Range;

/// A Rust type that stands for one kind of op; made by [`op!`](crate::op!).
pub trait OpKind: pliron::op::Op + Copy + 'static {
    /// The declaration of the kind.
    const DEF: &'static OpDef;
    /// `op` as this kind, which it must be.
    fn wrap(op: Op) -> Self;
    /// The op without its kind.
    fn op(self) -> Op;
}

/// A named operand or result group.
pub struct ValueDef {
    /// What formats and accessors call it.
    pub name: &'static str,
    /// What its types must be, and how many there are.
    pub constraint: TypeConstraint,
}

/// A named attribute of an op.
pub struct AttrDef {
    /// What formats and accessors call it.
    pub name: &'static str,
    /// What it must be.
    pub constraint: AttrConstraint,
}

/// What a region must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionKind {
    /// Any number of blocks.
    Any,
    /// Exactly one block.
    OneBlock,
    /// At most one block.
    AtMostOneBlock,
    /// At least one block.
    NonEmpty,
    /// Any number of regions; only as the last declared.
    Variadic,
}

/// A named region of an op.
pub struct RegionDef {
    /// What formats call it.
    pub name: &'static str,
    /// How many blocks it may have.
    pub kind: RegionKind,
}

/// A named successor of a terminator.
pub struct SuccessorDef {
    /// What formats call it.
    pub name: &'static str,
    /// Whether it stands for any number of blocks.
    pub variadic: bool,
}

/// How an op is written.
#[derive(Clone, Copy)]
pub enum Syntax {
    /// Only the generic form.
    Generic,
    /// An assembly format; see [`crate::text::format`].
    Format(&'static str),
    /// Functions that read and write what follows the op's name.
    Custom {
        /// Fills the state from the text.
        parse: fn(&mut OpParser, &mut OpState) -> PResult<()>,
        /// Writes what `parse` reads.
        print: fn(&mut Printer, Op),
    },
}

/// Facts about ops that need no code. A set of bits.
pub type Traits = u64;

/// The declaration of an op.
pub struct OpDef {
    /// Full name, `dialect.op`.
    pub name: &'static str,
    /// The doc comment of the declaration.
    pub doc: &'static str,
    #[doc(hidden)]
    pub type_info: fn() -> OpTypeInfo,
    /// The operand groups, in order.
    pub operands: &'static [ValueDef],
    /// The result groups, in order.
    pub results: &'static [ValueDef],
    /// The inherent attributes.
    pub attrs: &'static [AttrDef],
    /// The regions, in order.
    pub regions: &'static [RegionDef],
    /// The successors, in order.
    pub successors: &'static [SuccessorDef],
    /// Facts the verifier checks and passes rely on.
    pub traits: Traits,
    /// Groups of operands and results that have one type, by name. Lets a format
    /// leave types out, and is verified.
    pub same_type: &'static [&'static [&'static str]],
    /// The ops this one may be directly inside; empty for any.
    pub parents: &'static [&'static str],
    /// The terminator that its blocks end in, and which may be left unwritten.
    pub implicit_terminator: Option<&'static str>,
    /// How the op is written outside the generic form.
    pub syntax: Syntax,
    /// What the types must have in common beyond the constraints; runs before what
    /// the traits ask for, as upstream's predicates do.
    pub verify_types: Option<fn(&Context, Op) -> Verified>,
    /// What the op demands beyond constraints and traits; nested ops are not verified yet.
    pub verify: Option<fn(&Context, Op) -> Verified>,
    /// Runs after all nested ops verified.
    pub verify_regions: Option<fn(&Context, Op) -> Verified>,
    /// Checks references to symbols; runs once the module's symbols are known.
    pub verify_symbols: Option<fn(&Context, Op) -> Verified>,
    /// Result types from everything else; lets a format leave them out.
    pub infer: Option<fn(&Context, &OpState) -> Result<Vec<Type>, String>>,
    /// Folds with the constant value of each operand where it has one.
    pub fold: Option<fn(&Context, Op, &[Option<Attr>]) -> Fold>,
    /// Adds this op's rewrite patterns.
    pub canonicalize: Option<fn(&mut crate::rewrite::PatternSet)>,
    /// Memory effects, where the traits do not say. Without either: anything.
    pub effects: Option<fn(&Context, Op) -> Vec<Effect>>,
    /// Whether this op may run where the program would not have run it, where that
    /// depends on more than the kind of op.
    pub speculatable: Option<fn(&Context, Op) -> bool>,
    /// The operands handed to successor `i`, for ops with successors.
    pub successor_operands: Option<fn(&Context, Op, usize) -> Range<usize>>,
    /// Names for the printer: of the results, and of region `i`'s arguments.
    pub result_names: Option<fn(&Context, Op) -> Vec<Option<String>>>,
    /// Names for the printer: of the entry arguments of region `i`.
    pub arg_names: Option<fn(&Context, Op, usize) -> Vec<Option<String>>>,
    /// The dialect whose prefix may be left out inside this op's regions.
    pub default_dialect: Option<&'static str>,
}

impl std::fmt::Debug for OpDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn no_type() -> OpTypeInfo {
    unreachable!("an op declaration without a type")
}

impl OpDef {
    /// A declaration with nothing in it, for the macro to fill.
    pub const EMPTY: OpDef = OpDef {
        name: "",
        doc: "",
        type_info: no_type,
        operands: &[],
        results: &[],
        attrs: &[],
        regions: &[],
        successors: &[],
        traits: 0,
        same_type: &[],
        parents: &[],
        implicit_terminator: None,
        syntax: Syntax::Generic,
        verify_types: None,
        verify: None,
        verify_regions: None,
        verify_symbols: None,
        infer: None,
        fold: None,
        canonicalize: None,
        effects: None,
        speculatable: None,
        successor_operands: None,
        result_names: None,
        arg_names: None,
        default_dialect: None,
    };

    /// Whether all traits of the set `t` are declared.
    pub fn has(&self, t: Traits) -> bool {
        self.traits & t == t
    }

    /// Whether the op ends its block.
    pub fn is_terminator(&self) -> bool {
        self.has(traits::TERMINATOR)
    }

    /// The inherent attribute of this name.
    pub fn attr_def(&self, name: &str) -> Option<&AttrDef> {
        self.attrs.iter().find(|a| a.name == name)
    }

    /// Whether `name` belongs to the op itself rather than being attached by others.
    pub fn is_inherent(&self, name: &str) -> bool {
        self.attr_def(name).is_some()
            || (name == "operandSegmentSizes" && self.has(traits::ATTR_SIZED_OPERANDS))
            || (name == "resultSegmentSizes" && self.has(traits::ATTR_SIZED_RESULTS))
    }

    /// Where the values of operand group `i` lie; `None` for a malformed op.
    pub fn operand_range(&self, ctx: &Context, op: Op, i: usize) -> Option<Range<usize>> {
        let sizes = self
            .has(traits::ATTR_SIZED_OPERANDS)
            .then(|| op.attr(ctx, "operandSegmentSizes"))
            .flatten();
        group_range(ctx, self.operands, op.num_operands(ctx), sizes, i)
    }

    /// Where the values of result group `i` lie; `None` for a malformed op.
    pub(crate) fn result_range(&self, ctx: &Context, op: Op, i: usize) -> Option<Range<usize>> {
        let sizes = self
            .has(traits::ATTR_SIZED_RESULTS)
            .then(|| op.attr(ctx, "resultSegmentSizes"))
            .flatten();
        group_range(ctx, self.results, op.num_results(ctx), sizes, i)
    }
}

/// Groups with fixed counts take theirs; what is left belongs to the variable group,
/// or is spread by the segment sizes where there are several.
fn group_range(
    ctx: &Context,
    defs: &[ValueDef],
    total: usize,
    sizes: Option<Attr>,
    i: usize,
) -> Option<Range<usize>> {
    if let Some(sizes) = sizes {
        let sizes = sizes.as_i64_array(ctx)?;
        let mut start = 0usize;
        for s in sizes.get(..i)? {
            start = start.checked_add(usize::try_from(*s).ok()?)?;
        }
        let end = start.checked_add(usize::try_from(*sizes.get(i)?).ok()?)?;
        return (end <= total).then_some(start..end);
    }
    let fixed = defs
        .iter()
        .filter(|d| d.constraint.arity == Arity::One)
        .count();
    let variable = defs.len() - fixed;
    let spare = total.checked_sub(fixed)?;
    if variable == 0 && spare != 0 {
        return None;
    }
    // Several variable groups without sizes share evenly, as upstream's
    // SameVariadicOperandSize.
    if variable > 1 && spare % variable != 0 {
        return None;
    }
    let each = spare.checked_div(variable).unwrap_or(0);
    let size = |d: &ValueDef| {
        if d.constraint.arity == Arity::One {
            1
        } else {
            each
        }
    };
    let start: usize = defs[..i].iter().map(size).sum();
    Some(start..start + size(&defs[i]))
}

/// The declaration of an attribute or type of a dialect, `#dialect.mnemonic<...>`.
pub struct ParamDef {
    /// What stands after `#dialect.` or `!dialect.`.
    pub mnemonic: &'static str,
    /// Parses what follows the mnemonic (including `<` and `>`) into parameters.
    pub parse: fn(&mut OpParser) -> PResult<Vec<Attr>>,
    /// Prints what follows the mnemonic.
    pub print: fn(&mut Printer, &[Attr]),
}

/// What may have an attribute that is declared apart from ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpAttrPlace {
    /// An op of any dialect.
    Op,
    /// An argument of a function of any dialect.
    Argument,
}

/// An attribute by which passes talk to each other (a discardable attribute, in MLIR's words):
/// any op or argument may have it, and the verifier checks its value.
pub struct OpAttrDef {
    /// With its dialect, as `gpu.mapper`.
    pub name: &'static str,
    /// What it means, and who puts it there.
    pub doc: &'static str,
    /// What has it.
    pub place: OpAttrPlace,
    /// What its value must be.
    pub value: AttrConstraint,
}

/// The declaration of a dialect.
pub struct DialectDef {
    /// Namespace of its ops, types and attributes.
    pub name: &'static str,
    /// The doc comment of the declaration.
    pub doc: &'static str,
    /// All ops, in the order they are listed.
    pub ops: &'static [&'static OpDef],
    /// The attributes it declares.
    pub attrs: &'static [ParamDef],
    /// The types it declares.
    pub types: &'static [ParamDef],
    /// Makes an op with the given constant result, for folding.
    pub materialize: Option<fn(&mut Builder, Attr, Type) -> Option<Op>>,
    /// Checks a `dialect.name` attribute attached to an op of any dialect.
    pub verify_op_attr: Option<fn(&Context, Op, &str, Attr) -> Verified>,
}

impl DialectDef {
    /// A declaration with nothing in it, to fill with `..DialectDef::EMPTY`.
    pub const EMPTY: DialectDef = DialectDef {
        name: "",
        doc: "",
        ops: &[],
        attrs: &[],
        types: &[],
        materialize: None,
        verify_op_attr: None,
    };
}

/// The Rust type of an op, as pliron wants it. Part of [`op!`](crate::op!).
#[doc(hidden)]
#[macro_export]
macro_rules! op_type {
    ($(#[$m:meta])* $t:ident) => {
        $(#[$m])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $t(
            $crate::__private::pliron::context::Ptr<
                $crate::__private::pliron::operation::Operation,
            >,
        );
        const _: () = {
            use $crate::__private::pliron as p;
            type Ptr = p::context::Ptr<p::operation::Operation>;
            impl p::op::Op for $t {
                fn get_operation(&self) -> Ptr {
                    self.0
                }
                fn wrap_operation(op: Ptr) -> p::op::OpObj {
                    p::op::OpObj::new($t(op))
                }
                fn from_operation(op: Ptr) -> Self {
                    $t(op)
                }
                fn get_opid(&self) -> p::op::OpId {
                    <Self as p::op::Op>::get_opid_static()
                }
                fn get_opid_static() -> p::op::OpId {
                    p::op::OpId {
                        dialect: p::ident!("terrace").into(),
                        name: p::identifier::Identifier::new(stringify!($t)).into(),
                    }
                }
                fn verify_interfaces(
                    &self,
                    _: &p::context::Context,
                ) -> p::result::Result<()> {
                    $crate::__private::verify_declared()
                }
            }
            impl p::common_traits::Verify for $t {
                fn verify(&self, _: &p::context::Context) -> p::result::Result<()> {
                    $crate::__private::verify_declared()
                }
            }
            impl p::printable::Printable for $t {
                fn fmt(
                    &self,
                    _: &p::context::Context,
                    _: &p::printable::State,
                    f: &mut ::std::fmt::Formatter<'_>,
                ) -> ::std::fmt::Result {
                    f.write_str(stringify!($t))
                }
            }
        };
    };
}

/// Declare an op: `/// doc` `Name = "dialect.op" { field: value, ... }`, the fields
/// those of [`OpDef`] with lists written `[name: constraint, ...]`, `format:` for an
/// assembly format and `custom: (parse, print)` for code.
#[macro_export]
macro_rules! op {
    ($($(#[doc = $doc:literal])* $t:ident = $name:literal { $($body:tt)* })*) => {$(
        $crate::op_type! { $(#[doc = $doc])* $t }
        const _: () = {
            static DEF: $crate::opdef::OpDef = $crate::op!(@field $t, $name, concat!($($doc, "\n"),*) ; {} ; $($body)*);
            impl $t {
                /// The name in text, for `match` and comparison.
                #[allow(dead_code)]
                pub const NAME: &'static str = $name;
            }
            impl $crate::opdef::OpKind for $t {
                const DEF: &'static $crate::opdef::OpDef = &DEF;
                fn wrap(op: $crate::Op) -> Self {
                    $crate::__private::wrap(op)
                }
                fn op(self) -> $crate::Op {
                    $crate::__private::unwrap(self.0)
                }
            }
        };
    )*};
    (@field $t:ident, $name:literal, $doc:expr ; {$($acc:tt)*} ; ) => {
        $crate::opdef::OpDef {
            name: $name,
            doc: $doc,
            type_info: <$t as $crate::__private::pliron::op::Op>::get_concrete_op_info,
            $($acc)*
            ..$crate::opdef::OpDef::EMPTY
        }
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; operands: [$($v:ident : $c:expr),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* operands: &[$($crate::opdef::ValueDef { name: stringify!($v), constraint: $c }),*],} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; results: [$($v:ident : $c:expr),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* results: &[$($crate::opdef::ValueDef { name: stringify!($v), constraint: $c }),*],} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; attrs: [$($v:ident : $c:expr),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* attrs: &[$($crate::opdef::AttrDef { name: stringify!($v), constraint: $c }),*],} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; regions: [$($v:ident : $c:ident),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* regions: &[$($crate::opdef::RegionDef { name: stringify!($v), kind: $crate::opdef::RegionKind::$c }),*],} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; successors: [$($v:ident $(: $c:ident)?),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* successors: &[$($crate::opdef::SuccessorDef { name: stringify!($v), variadic: $crate::op!(@variadic $($c)?) }),*],} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; same_type: [$([$($v:ident),* $(,)?]),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* same_type: &[$(&[$(stringify!($v)),*]),*],} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; format: $f:literal $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* syntax: $crate::opdef::Syntax::Format($f),} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; custom: ($parse:expr, $print:expr) $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* syntax: $crate::opdef::Syntax::Custom { parse: $parse, print: $print },} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; traits: $e:expr $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* traits: { #[allow(unused_imports)] use $crate::opdef::traits::*; $e },} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; parents: $e:expr $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* parents: &$e,} ; $($($rest)*)?)
    };
    (@field $t:ident, $n:literal, $d:expr ; {$($acc:tt)*} ; $field:ident: $e:expr $(, $($rest:tt)*)?) => {
        $crate::op!(@field $t, $n, $d ; {$($acc)* $field: Some($e),} ; $($($rest)*)?)
    };
    (@variadic) => { false };
    (@variadic Variadic) => { true };
}
