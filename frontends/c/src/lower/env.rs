//! What variables hold at a place of the program: values of SSA form.

use terrace_ir::Value;

use super::form::Form;
use super::place::{LValue, Object};
use crate::hir::VarId;
use crate::types::Type;

/// A scalar that is a value of SSA form: a variable whose address is not taken, a field
/// of a local record, a captured scalar, or a flag of the lowering's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CellId(pub usize);

/// A pointer variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PointerId(pub usize);

#[derive(Debug, Clone)]
pub struct Cell {
    /// The variable that it is (part of); none for flags.
    pub root: Option<VarId>,
    /// The fields from the variable to it: record and number of the field.
    pub path: Vec<(usize, usize)>,
    /// Of arithmetic type; `None` is a flag, an i1.
    pub ty: Option<Type>,
    pub name: String,
}

#[derive(Debug, Clone)]
pub struct PointerVar {
    pub root: Option<VarId>,
    pub path: Vec<(usize, usize)>,
    pub name: String,
}

/// Where a pointer points.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Not assigned yet.
    Unset,
    /// An element of an object: arithmetic moves the last subscript.
    Known {
        object: Object,
        subscripts: Vec<Form>,
        /// An i1 that says that it is null, where that depends on the way.
        null: Option<Value>,
    },
    /// Different objects on different ways.
    Several,
}

impl Target {
    /// Of a pointer that is given a value.
    pub fn of(value: LValue) -> Target {
        Target::Known {
            object: value.object,
            subscripts: value.subscripts,
            null: value.null,
        }
    }
}

/// The values of all cells and pointers, by number. A cell that has no value yet reads
/// as zero.
#[derive(Debug, Clone, Default)]
pub struct Env {
    pub cells: Vec<Option<Value>>,
    pub pointers: Vec<Target>,
}

impl Env {
    /// Forgets cells and pointers that came after these numbers: what was declared in
    /// a block is gone behind it.
    pub fn forget(&mut self, known: (usize, usize)) {
        self.cells[known.0..].fill(None);
        self.pointers[known.1..].fill(Target::Unset);
    }
}
