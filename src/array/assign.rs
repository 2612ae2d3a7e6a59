//! Expressions that are assigned to arrays.

use super::context::Context;
use super::error::ArrayError;
use std::sync::Arc;
use terrace_dsl::node::Graph;
use terrace_dsl::program::{Assigned, Placed, Program};
use terrace_dsl::{ElementType, ExprError, Scatter, View, Within};

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
        let fault = match all.iter().any(is_looked_at) {
            true => Some(self.fault()?),
            false => None,
        };
        let result = self.assign_all(&mut all, fault.as_ref().map(|(_, view)| view));
        match fault {
            Some((memory, _)) => {
                result?;
                self.faulted(&all, memory)
            }
            None => result,
        }
    }

    fn assign_all(&self, all: &mut [Assigned], fault: Option<&View>) -> Result<(), ArrayError> {
        let host = self.first_is_host();
        // Floats that a device combines in their order at places: the others are exact.
        let mut ordered = vec![false; all.len()];
        for (a, ordered) in all.iter_mut().zip(&mut ordered) {
            if let Some(p) = &mut a.place {
                let rounds = a.ty.is_float() || a.ty.part().is_some();
                // Floats of 16 bits are not updated atomically.
                let folds = matches!(p.scatter, Scatter::Fold(_));
                *ordered = !host && folds && (p.in_order && rounds || a.ty.is_half());
                // Cores combine one element after the other: atomic updates cost them more.
                p.in_order = matches!(p.scatter, Scatter::Fold(_)) && host;
            }
        }
        let (program, binding) = Program::assign(all, fault)?;
        let conflicts = binding.conflicts(&program);
        if conflicts.is_empty() && !ordered.contains(&true) {
            return self.run(&program, &binding);
        }
        // What is written in one place is read in another, or written twice: those arrays are
        // computed aside, and copied. Of what goes to places, places and elements are.
        let (mut copies, mut aside) = (Vec::new(), Vec::new());
        let Some(sizes) = all.first().map(Assigned::iterated).transpose()? else {
            return Ok(());
        };
        for (a, ordered) in all.iter_mut().zip(&ordered) {
            let conflicting = |k: &usize| binding.views[*k].may_overlap(&a.target);
            if !ordered && !conflicts.iter().any(conflicting) {
                aside.push(a.clone());
                continue;
            }
            let mut copy = a.clone();
            copy.graph = self.aside(&mut aside, a, &sizes)?;
            if let Some(p) = &mut copy.place {
                let place = Assigned {
                    ty: ElementType::I64,
                    graph: p.graph.clone(),
                    ..a.clone()
                };
                p.graph = self.aside(&mut aside, &place, &sizes)?;
                if let Some(when) = &mut p.when {
                    let condition = Assigned {
                        ty: ElementType::Bool,
                        graph: when.clone(),
                        ..a.clone()
                    };
                    *when = self.aside(&mut aside, &condition, &sizes)?;
                }
                // What is said of a place beside the array is computed from this.
                a.clone_from(&copy);
            }
            copies.push((copy, *ordered));
        }
        let faults = |all: &[Assigned]| fault.filter(|_| all.iter().any(is_looked_at));
        let (program, binding) = Program::assign(&aside, faults(&aside))?;
        self.run(&program, &binding)?;
        let mut beside = None;
        for (copy, ordered) in copies {
            if ordered {
                beside = beside.or(self.beside(&copy)?);
                self.combine_in_order(&copy)?;
                continue;
            }
            // Each by itself, in order, so that of two that overlap the last one stays.
            let copy = [copy];
            let (program, binding) = Program::assign(&copy, faults(&copy))?;
            self.run(&program, &binding)?;
        }
        match beside {
            Some(element) => Err(self.placed_wrong(all, element)?),
            None => Ok(()),
        }
    }

    /// Adds to a list what computes an expression into an array made for it.
    fn aside(
        &self,
        all: &mut Vec<Assigned>,
        a: &Assigned,
        sizes: &[usize],
    ) -> Result<Graph, ArrayError> {
        let memory = Arc::new(self.memory(a.ty, sizes)?);
        let target = View::row_major(memory, sizes);
        all.push(Assigned {
            target: target.clone(),
            place: None,
            ..a.clone()
        });
        Ok(Graph::array(&target, a.ty, a.at))
    }
}

/// Whether it has places that may be beside the array.
fn is_looked_at(a: &Assigned) -> bool {
    let looked = |p: &Placed| p.within == Within::Nearest;
    a.place.as_ref().is_some_and(looked)
}
