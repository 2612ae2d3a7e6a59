//! The bits of [`Traits`].

use super::Traits;

/// No memory effect and no undefined behaviour: may be moved, merged, dropped.
pub const PURE: Traits = NO_EFFECT | SPECULATABLE;
/// No memory effect.
pub const NO_EFFECT: Traits = 1 << 0;
/// May run where the program would not have run it.
pub const SPECULATABLE: Traits = 1 << 1;
/// Effects and speculatability are those of the nested ops.
pub const RECURSIVE_EFFECTS: Traits = 1 << 2;
/// Speculatable if all nested ops are.
pub const RECURSIVELY_SPECULATABLE: Traits = 1 << 3;
/// Must be the last op of its block.
pub const TERMINATOR: Traits = 1 << 4;
/// A terminator that hands its operands to the op around.
pub const RETURN_LIKE: Traits = 1 << 5;
/// The order of the operands does not matter.
pub const COMMUTATIVE: Traits = 1 << 6;
/// Has a `value` attribute that is its result.
pub const CONSTANT_LIKE: Traits = 1 << 7;
/// Regions see no value from outside.
pub const ISOLATED: Traits = 1 << 8;
/// Has a `sym_name` that others refer to.
pub const SYMBOL: Traits = 1 << 9;
/// Holds symbols, whose names are distinct in it.
pub const SYMBOL_TABLE: Traits = 1 << 10;
/// All operands and results have one type.
pub const SAME_OPERANDS_AND_RESULT_TYPE: Traits = 1 << 11;
/// All operands and results have one shape.
pub const SAME_OPERANDS_AND_RESULT_SHAPE: Traits = 1 << 12;
/// All operands and results have one element type.
pub const SAME_OPERANDS_AND_RESULT_ELEMENT_TYPE: Traits = 1 << 13;
/// All operands have one type.
pub const SAME_TYPE_OPERANDS: Traits = 1 << 14;
/// All operands have one shape.
pub const SAME_OPERANDS_SHAPE: Traits = 1 << 15;
/// All operands have one element type.
pub const SAME_OPERANDS_ELEMENT_TYPE: Traits = 1 << 16;
/// Applies element by element to vectors and tensors.
pub const ELEMENTWISE: Traits = 1 << 17;
/// No region has more than one block.
pub const SINGLE_BLOCK: Traits = 1 << 18;
/// Its blocks need no terminator.
pub const NO_TERMINATOR: Traits = 1 << 19;
/// A new scope for affine symbols.
pub const AFFINE_SCOPE: Traits = 1 << 20;
/// Stack memory allocated inside is freed at its end.
pub const ALLOCATION_SCOPE: Traits = 1 << 21;
/// Runs its region any number of times.
pub const LOOP_LIKE: Traits = 1 << 22;
/// Values in its regions need not be defined before they are used.
pub const GRAPH_REGION: Traits = 1 << 23;
/// The entry blocks of its regions have no arguments.
pub const NO_REGION_ARGUMENTS: Traits = 1 << 24;
/// Applied to its own result, it gives the same: `f(f(x)) = f(x)`.
pub const IDEMPOTENT: Traits = 1 << 25;
/// Applied to its own result, it gives the operand: `f(f(x)) = x`.
pub const INVOLUTION: Traits = 1 << 26;
/// `operandSegmentSizes` says how many operands each group has.
pub const ATTR_SIZED_OPERANDS: Traits = 1 << 27;
/// `resultSegmentSizes` says how many results each group has.
pub const ATTR_SIZED_RESULTS: Traits = 1 << 28;
/// A function: symbol, `function_type`, one region (maybe empty).
pub const FUNCTION_LIKE: Traits = 1 << 29;
