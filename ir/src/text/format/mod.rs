//! Assembly formats: the custom syntax of a regular op as one string.
//!
//! The language is that of upstream's `assemblyFormat`:
//!
//! | written | means |
//! | --- | --- |
//! | `` `word` `` `` `,` `` | literal text; ` `` ` prints no space |
//! | `$name` | an operand group, attribute, region or successor of the op |
//! | `type($name)` | the types of an operand or result group |
//! | `type(operands)`, `type(results)`, `operands`, `regions`, `successors` | all of them |
//! | `functional-type(a, b)` | `(types of a) -> types of b`; `operands` and `results` too |
//! | `attr-dict`, `attr-dict-with-keyword` | attributes not written elsewhere |
//! | `( ... $anchor^ ... )?` | there when the anchor is; `( ... )? : ( ... )?` chooses |
//! | `custom<DynamicIndexList>($values, $statics)` | `[0, %a]`: numbers, and values where `$statics` has the dynamic marker |
//!
//! Types that the format leaves out come from the operand constraint where that
//! allows one type, from the op's `same_type` groups and traits, or from `infer`.

mod compile;
mod parse;
mod print;
mod resolve;

use crate::context::Context;
use crate::opdef::{OpDef, Syntax};
use compile::Compiler;

pub(super) use parse::parse;
pub use parse::parse_enum;
pub(super) use print::print;

/// A piece of a format.
#[derive(Debug, Clone)]
pub(crate) enum Element {
    Literal(String),
    /// `` ` ` ``-style empty literal: no space before the next piece.
    NoSpace,
    /// A space that is printed in any case.
    Space,
    Newline,
    Operand(usize),
    Attr(usize),
    Region(usize),
    Successor(usize),
    AllOperands,
    AllRegions,
    AllSuccessors,
    Type(TypeOf),
    FunctionalType(TypeOf, TypeOf),
    /// An operand group and the attribute of the numbers between its values.
    IndexList {
        values: usize,
        statics: usize,
    },
    AttrDict {
        keyword: bool,
    },
    Group {
        then: Vec<Element>,
        otherwise: Vec<Element>,
        anchor: Anchor,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeOf {
    Operand(usize),
    Result(usize),
    AllOperands,
    AllResults,
}

/// What decides whether an optional group is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Operand(usize),
    Attr(usize),
    Region(usize),
    Result(usize),
    Successor(usize),
    AllOperands,
    /// The group starts with a literal whose presence sets a unit attribute.
    Never,
}

/// The compiled formats of a context's ops.
#[derive(Default)]
pub(crate) struct Formats(rustc_hash::FxHashMap<&'static str, std::sync::Arc<Vec<Element>>>);

impl Context {
    pub(crate) fn format_of(&self, def: &'static OpDef) -> std::sync::Arc<Vec<Element>> {
        if let Some(f) = self.formats.borrow().0.get(def.name) {
            return f.clone();
        }
        let text = match def.syntax {
            Syntax::Format(t) => t,
            _ => "",
        };
        let elements = Compiler { def, rest: text }.all().unwrap_or_else(|e| {
            // Formats are program text: a bad one is a bug in the declaration, found
            // by the test that compiles every registered format.
            panic!("format of '{}': {e} in `{text}`", def.name)
        });
        let f = std::sync::Arc::new(elements);
        self.formats.borrow_mut().0.insert(def.name, f.clone());
        f
    }
}
