//! Expressions that are assigned to arrays.

use super::context::Context;
use super::error::ArrayError;
use std::sync::Arc;
use terrace_dsl::node::{Graph, Kind, Node};
use terrace_dsl::program::{Assigned, Program};
use terrace_dsl::{ExprError, View};

/// An array and what it is to hold.
#[derive(Debug, Clone)]
pub struct Assignment(pub(super) Result<Assigned, ExprError>);

/// Assignments that are done by one kernel: a tuple of up to eight, or a `Vec`.
pub trait Assignments {
    /// All of them, in order.
    fn list(self) -> Vec<Assignment>;
}

impl Assignments for Vec<Assignment> {
    fn list(self) -> Vec<Assignment> {
        self
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl Assignments for ($(tuples!(@ $name),)*) {
            fn list(self) -> Vec<Assignment> {
                #[allow(non_snake_case)]
                let ($($name,)*) = self;
                vec![$($name),*]
            }
        }
    };
    (@ $name:ident) => { Assignment };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);

impl Context {
    /// Computes several arrays of one shape in one kernel. All expressions see what the arrays
    /// held before.
    ///
    /// # Errors
    ///
    /// As [`Array::set`](super::Array::set), and where arrays have different shapes.
    pub fn assign(&self, all: impl Assignments) -> Result<(), ArrayError> {
        let all: Result<Vec<Assigned>, ExprError> = all.list().into_iter().map(|a| a.0).collect();
        let mut all = all?;
        let (program, binding) = Program::assign(&all)?;
        let conflicts = binding.conflicts(&program);
        if conflicts.is_empty() {
            return self.run(&program, &binding);
        }
        // What is written in one place is read in another, or written twice: those arrays are
        // computed aside, and copied.
        let mut copies = Vec::new();
        for a in &mut all {
            let conflicting = |k: &usize| binding.views[*k].may_overlap(&a.target);
            if !conflicts.iter().any(conflicting) {
                continue;
            }
            let memory = Arc::new(self.memory(a.ty, &a.target.sizes)?);
            let aside = View::row_major(memory, &a.target.sizes);
            let target = std::mem::replace(&mut a.target, aside.clone());
            copies.push(Assigned {
                graph: element(aside, a),
                target,
                ..a.clone()
            });
        }
        let (program, binding) = Program::assign(&all)?;
        self.run(&program, &binding)?;
        for copy in copies {
            // Each by itself, in order, so that of two that overlap the last one stays.
            let (program, binding) = Program::assign(&[copy])?;
            self.run(&program, &binding)?;
        }
        Ok(())
    }
}

/// The elements of a view as a graph.
fn element(view: View, a: &Assigned) -> Graph {
    Graph::Node(Arc::new(Node {
        sizes: Some(view.sizes.clone()),
        kind: Kind::Array(view),
        ty: a.ty,
        operands: Default::default(),
        at: a.at,
    }))
}
