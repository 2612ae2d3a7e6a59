//! Restriction by a set of part of the columns, and columns that leave or change
//! their kind.

use std::ops::Range;

use crate::relation::Relation;
use crate::space::Space;

impl Relation {
    /// The pairs whose input is in the set.
    ///
    /// # Panics
    ///
    /// If the set is not one of inputs of this relation.
    pub fn intersect_domain(&self, set: &Relation) -> Relation {
        assert_eq!(
            set.space,
            Space::set(self.space.params, self.space.inputs),
            "a domain of another space"
        );
        let to: Vec<Option<usize>> = (0..set.space.columns()).map(Some).collect();
        self.intersect_lifted(set, &to)
    }

    /// The pairs whose output is in the set.
    ///
    /// # Panics
    ///
    /// If the set is not one of outputs of this relation.
    pub fn intersect_range(&self, set: &Relation) -> Relation {
        assert_eq!(
            set.space,
            Space::set(self.space.params, self.space.outputs),
            "a range of another space"
        );
        let to: Vec<Option<usize>> = self
            .space
            .param_columns()
            .chain(self.space.output_columns())
            .map(Some)
            .collect();
        self.intersect_lifted(set, &to)
    }

    /// The pairs for those values of the parameters that are in the set, which has no
    /// dimensions.
    ///
    /// # Panics
    ///
    /// If the set has dimensions or other parameters.
    pub fn intersect_params(&self, set: &Relation) -> Relation {
        assert_eq!(
            set.space,
            Space::set(self.space.params, 0),
            "not a set of parameters only"
        );
        let to: Vec<Option<usize>> = (0..self.space.params).map(Some).collect();
        self.intersect_lifted(set, &to)
    }

    fn intersect_lifted(&self, set: &Relation, to: &[Option<usize>]) -> Relation {
        let space = self.space;
        let lifted = set.map_pieces(space, |piece| piece.respace(space, to));
        self.intersect(&lifted)
    }

    /// The points that remain when these columns are taken out of the space: those
    /// for which the columns have some integer values.
    ///
    /// # Panics
    ///
    /// If there are no such columns.
    pub fn project_out(&self, columns: Range<usize>) -> Relation {
        assert!(columns.end <= self.space.columns(), "no such columns");
        let mut next = 0;
        let mut to = Vec::with_capacity(self.space.columns());
        for column in 0..self.space.columns() {
            if columns.contains(&column) {
                to.push(None);
            } else {
                to.push(Some(next));
                next += 1;
            }
        }
        let kept = |part: Range<usize>| part.filter(|c| !columns.contains(c)).count();
        let space = Space {
            params: kept(self.space.param_columns()),
            inputs: kept(self.space.input_columns()),
            outputs: kept(self.space.output_columns()),
        };
        self.map_pieces(space, |piece| piece.respace(space, &to))
    }

    /// The same points with all inputs and outputs before `column` made parameters,
    /// in their order. What an outer loop fixes is a parameter of the inner ones.
    ///
    /// # Panics
    ///
    /// If there is no such column, or it is a parameter.
    pub fn dims_before_to_params(&self, column: usize) -> Relation {
        let Space {
            params,
            inputs,
            outputs,
        } = self.space;
        assert!(
            column >= params && column <= self.space.columns(),
            "not the column of a dimension"
        );
        let inputs_moved = (column - params).min(inputs);
        let outputs_moved = column - params - inputs_moved;
        self.with_kinds(Space {
            params: column,
            inputs: inputs - inputs_moved,
            outputs: outputs - outputs_moved,
        })
    }

    /// The same points with these dimensions, given by columns, made parameters: they
    /// follow the parameters there are, in the order given.
    ///
    /// # Panics
    ///
    /// If a column is not one of a dimension, or is given twice.
    pub fn dims_to_params(&self, columns: &[usize]) -> Relation {
        let mut to = vec![None; self.space.columns()];
        let mut space = self.space;
        for column in self.space.param_columns() {
            to[column] = Some(column);
        }
        for &column in columns {
            assert!(
                self.space.dim_columns().contains(&column) && to[column].is_none(),
                "not the column of a dimension, or it is given twice"
            );
            to[column] = Some(space.params);
            space.params += 1;
            if self.space.input_columns().contains(&column) {
                space.inputs -= 1;
            } else {
                space.outputs -= 1;
            }
        }
        let mut next = space.params;
        for place in &mut to {
            if place.is_none() {
                *place = Some(next);
                next += 1;
            }
        }
        self.map_pieces(space, |piece| piece.respace(space, &to))
    }

    /// A map as the set of its inputs followed by its outputs.
    pub fn wrap(&self) -> Relation {
        let Space {
            params,
            inputs,
            outputs,
        } = self.space;
        self.with_kinds(Space::set(params, inputs + outputs))
    }

    /// The same columns in the same order, read as those of another space.
    pub(crate) fn with_kinds(&self, space: Space) -> Relation {
        debug_assert_eq!(space.columns(), self.space.columns());
        let mut result = self.clone();
        result.space = space;
        for piece in &mut result.pieces {
            piece.space = space;
        }
        result
    }

    /// The same points in a space with more parameters, which are not constrained and
    /// follow the others.
    pub fn add_params(&self, more: usize) -> Relation {
        let mut space = self.space;
        space.params += more;
        let to: Vec<Option<usize>> = self
            .space
            .param_columns()
            .chain(space.dim_columns())
            .map(Some)
            .collect();
        self.map_pieces(space, |piece| piece.respace(space, &to))
    }

    /// The pairs of a point of `self` and one of `other`: inputs of both, outputs of
    /// both.
    ///
    /// # Panics
    ///
    /// If their parameters differ.
    pub fn product(&self, other: &Relation) -> Relation {
        assert_eq!(
            self.space.params, other.space.params,
            "a product of other parameters"
        );
        let space = Space {
            params: self.space.params,
            inputs: self.space.inputs + other.space.inputs,
            outputs: self.space.outputs + other.space.outputs,
        };
        let first_input = space.params;
        let first_output = space.params + space.inputs;
        let a_to: Vec<Option<usize>> = space
            .param_columns()
            .chain(first_input..first_input + self.space.inputs)
            .chain(first_output..first_output + self.space.outputs)
            .map(Some)
            .collect();
        let b_to: Vec<Option<usize>> = space
            .param_columns()
            .chain(first_input + self.space.inputs..first_output)
            .chain(first_output + self.space.outputs..space.columns())
            .map(Some)
            .collect();
        self.map_pieces(space, |piece| piece.respace(space, &a_to))
            .intersect(&other.map_pieces(space, |piece| piece.respace(space, &b_to)))
    }
}
