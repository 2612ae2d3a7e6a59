//! What the columns of a constraint stand for.

use std::ops::Range;

/// The dimensions of a set or a map, by number.
///
/// A set has no inputs: its dimensions are its outputs. Columns of constraints come
/// in this order: parameters, inputs, outputs, then the locals of one conjunct (the
/// existentially quantified variables), then the constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Space {
    pub params: usize,
    pub inputs: usize,
    pub outputs: usize,
}

impl Space {
    /// The space of sets of `dims` dimensions.
    pub const fn set(params: usize, dims: usize) -> Space {
        Space {
            params,
            inputs: 0,
            outputs: dims,
        }
    }

    /// The space of maps.
    pub const fn map(params: usize, inputs: usize, outputs: usize) -> Space {
        Space {
            params,
            inputs,
            outputs,
        }
    }

    /// How many columns the space itself has, without locals and constant.
    pub const fn columns(self) -> usize {
        self.params + self.inputs + self.outputs
    }

    /// The columns of the parameters.
    pub fn param_columns(self) -> Range<usize> {
        0..self.params
    }

    /// The columns of the inputs.
    pub fn input_columns(self) -> Range<usize> {
        self.params..self.params + self.inputs
    }

    /// The columns of the outputs, which are a set's dimensions.
    pub fn output_columns(self) -> Range<usize> {
        self.params + self.inputs..self.columns()
    }

    /// The columns of inputs and outputs together.
    pub fn dim_columns(self) -> Range<usize> {
        self.params..self.columns()
    }
}
