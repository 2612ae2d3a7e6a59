//! Expressions that are computed before the kernel that reads them, into arrays of their own.
//!
//! Such an expression stands in others as an array whose memory is not there yet. Whoever is about
//! to run a kernel makes it and computes it. So what it depends on is read when the whole is
//! computed, as of any expression.

use super::context::Context;
use super::error::ArrayError;
use super::memory::Memory;
use std::panic::Location;
use std::sync::Arc;
use terrace_dsl::program::{Assigned, Binding, Program};
use terrace_dsl::{Element, Expr, View};

/// Makes memory and computes what it holds.
type Make = dyn Fn(&Context) -> Result<Arc<Memory>, ArrayError> + Send + Sync;

/// What stands for the memory of an array that is computed when it is read.
struct Apart(Box<Make>);

/// The values of an expression of one axis and `n` elements as an array.
#[track_caller]
pub(super) fn apart<T: Element>(e: &Expr<T>, n: usize) -> Expr<T> {
    let (graph, at) = (e.graph().clone(), Location::caller());
    made_apart(&[n], move |cx| {
        let memory = Arc::new(cx.memory(T::TYPE, &[n])?);
        let assigned = Assigned {
            target: View::row_major(Arc::clone(&memory) as _, &[n]),
            ty: T::TYPE,
            graph: graph.clone(),
            place: None,
            at,
        };
        let (program, binding) = Program::assign(&[assigned], None)?;
        cx.run(&program, &binding)?;
        Ok(memory)
    })
}

/// An array whose memory is made when it is read, by the context that reads it, with its elements in
/// row-major order.
#[track_caller]
pub(super) fn made_apart<T: Element>(
    sizes: &[usize],
    make: impl Fn(&Context) -> Result<Arc<Memory>, ArrayError> + Send + Sync + 'static,
) -> Expr<T> {
    let source = Arc::new(Apart(Box::new(make)));
    Expr::array(View::row_major(source, sizes))
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
                None => (apart.0)(self)?,
            };
        }
        Ok(Some(bound))
    }
}
