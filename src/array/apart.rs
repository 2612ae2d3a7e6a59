//! Expressions that are computed before the kernel that reads them, into arrays of their own.
//!
//! Such an expression stands in others as an array whose memory is not there yet. Whoever is about
//! to run a kernel makes it and computes it. So what it depends on is read when the whole is
//! computed, as of any expression.

use super::context::Context;
use super::error::ArrayError;
use std::panic::Location;
use std::sync::Arc;
use terrace_dsl::program::{Assigned, Binding, Program};
use terrace_dsl::{Element, ElementType, Expr, Graph, View};

/// What stands for the memory of an array that is computed when it is read.
struct Apart {
    ty: ElementType,
    sizes: Vec<usize>,
    graph: Graph,
    at: &'static Location<'static>,
}

/// The values of an expression of one axis and `n` elements as an array.
#[track_caller]
pub(super) fn apart<T: Element>(e: &Expr<T>, n: usize) -> Expr<T> {
    let source = Apart {
        ty: T::TYPE,
        sizes: vec![n],
        graph: e.graph().clone(),
        at: Location::caller(),
    };
    Expr::array(View::row_major(Arc::new(source), &[n]))
}

impl Context {
    /// A binding all of whose arrays are there: those computed apart are made here. None where
    /// there is no such array.
    ///
    /// # Errors
    ///
    /// Memory is short, or a kernel fails.
    pub(super) fn with_apart(&self, binding: &Binding) -> Result<Option<Binding>, ArrayError> {
        let is_apart = |v: &&View| v.source.is::<Apart>();
        if !binding.views.iter().any(|v| is_apart(&v)) {
            return Ok(None);
        }
        let mut bound = binding.clone();
        for (k, view) in binding.views.iter().enumerate() {
            let Some(apart) = view.source.downcast_ref::<Apart>() else {
                continue;
            };
            let earlier = binding.views[..k]
                .iter()
                .position(|v| v.memory() == view.memory());
            bound.views[k].source = match earlier {
                Some(e) => Arc::clone(&bound.views[e].source),
                None => {
                    let memory = Arc::new(self.memory(apart.ty, &apart.sizes)?);
                    let assigned = Assigned {
                        target: View::row_major(Arc::clone(&memory) as _, &apart.sizes),
                        ty: apart.ty,
                        graph: apart.graph.clone(),
                        place: None,
                        at: apart.at,
                    };
                    let (program, binding) = Program::assign(&[assigned], None)?;
                    self.run(&program, &binding)?;
                    memory
                }
            };
        }
        Ok(Some(bound))
    }
}
