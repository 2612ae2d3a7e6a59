//! Parts of arrays in clauses, and what clauses need of their variables (2.7).

use super::levels::value;
use super::{Rules, variable};
use crate::directive::{ClauseKind, DataKind, Dim, Directive, Section};
use crate::types::{Extent, Type};

impl Rules<'_> {
    pub(super) fn sections(&mut self, d: &Directive) {
        self.reduced_types(d);
        for c in &d.clauses {
            let vars: &[Section] = match &c.kind {
                ClauseKind::Data { vars, .. }
                | ClauseKind::Private(vars)
                | ClauseKind::Firstprivate(vars)
                | ClauseKind::Reduction { vars, .. } => vars,
                _ => continue,
            };
            for s in vars {
                self.section(s);
            }
            if let ClauseKind::Data {
                kind: DataKind::Deviceptr,
                vars,
            } = &c.kind
            {
                for s in vars {
                    self.device_pointer(s);
                }
            }
        }
    }

    /// Numbers of a section that are known: no length is negative, and what is in an array whose
    /// size is known does not reach past it.
    fn section(&mut self, s: &Section) {
        let Some(base) = &s.base.expr else { return };
        let mut ty = &base.ty;
        for dim in &s.dims {
            let (of, size) = match ty {
                Type::Array(a) => match a.len {
                    Extent::Const(n) => (&a.of, Some(i128::from(n))),
                    _ => (&a.of, None),
                },
                Type::Pointer(p) => (&p.to, None),
                _ => return,
            };
            if !self.dim(s, dim, size, matches!(ty, Type::Array(_))) {
                return;
            }
            ty = of;
        }
    }

    /// One dimension; false after an error.
    fn dim(&mut self, s: &Section, dim: &Dim, size: Option<i128>, array: bool) -> bool {
        let name = s.base.text.trim();
        let start = dim.start.as_ref().and_then(value);
        let length = dim.length.as_ref().and_then(value);
        if let (Some(n), Some(arg)) = (length.filter(|n| *n < 0), &dim.length) {
            let message = format!("a section has no negative length, and this is {n}");
            self.error(arg.span, message);
            return false;
        }
        if let (Some(n), Some(arg), true) = (start.filter(|n| *n < 0), &dim.start, array) {
            let message = format!("the elements of `{name}` are counted from 0, and this is {n}");
            self.error(arg.span, message);
            return false;
        }
        let first = match &dim.start {
            None => Some(0),
            Some(_) => start,
        };
        let count = match (&dim.length, dim.single) {
            (_, true) => Some(1),
            (None, _) => Some(0),
            (Some(_), _) => length,
        };
        if let (Some(first), Some(count), Some(size)) = (first, count, size)
            && first + count > size
        {
            let (end, size) = (first + count - 1, size - 1);
            let message = format!(
                "this section of `{name}` reaches to element {end}, and the last one is {size}"
            );
            self.error(s.span, message);
            return false;
        }
        true
    }

    /// `deviceptr` says that a pointer's value is an address of the device (2.7.4).
    fn device_pointer(&mut self, s: &Section) {
        let Some(v) = variable(s) else { return };
        let var = self.unit.var(v);
        if !var.ty.is_pointer() {
            let ty = crate::types::spell(&self.unit.records, &var.ty);
            let message = format!("`deviceptr` is for pointers, and `{}` is `{ty}`", var.name);
            self.error(s.span, message);
        } else if !s.dims.is_empty() {
            let message = format!(
                "`deviceptr` takes the pointer alone, `{}`: there is nothing to copy",
                var.name
            );
            self.error(s.span, message);
        }
    }
}
