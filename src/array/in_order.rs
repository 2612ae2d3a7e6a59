//! Floats that a device combines at places in the order of the elements, in parallel.
//!
//! Elements are sorted by their places, which keeps the order of those with equal ones. Then each
//! element of the array goes through those that have its place, which lie side by side. That gives
//! the bits of a loop over the elements.

use super::arrays::Array;
use super::context::Context;
use super::error::ArrayError;
use terrace_dsl::program::Assigned;
use terrace_dsl::{
    Complex, Element, ElementType, Expr, Fold, Graph, Number, RealNumber, Scatter, Within, bf16,
    constant, f16, index, iterate, iterate_over, parameter,
};

/// An expression of this type.
fn typed<T: Element>(graph: &Graph) -> Result<Expr<T>, ArrayError> {
    let wrong = || {
        ArrayError::Compile(
            "a fault of terrace's own: an expression has another type than its array".into(),
        )
    };
    Expr::from_graph(graph).ok_or_else(wrong)
}

/// Two elements as one, rounded as memory rounds it.
fn folded<T: RealNumber>(fold: Fold, so_far: Expr<T>, value: Expr<T>) -> Expr<T> {
    let both = match fold {
        Fold::Product => so_far * value,
        Fold::Min => so_far.min(value),
        Fold::Max => so_far.max(value),
        Fold::Sum | Fold::All | Fold::Any => so_far + value,
    };
    match T::TYPE.is_half() {
        true => both.cast(),
        false => both,
    }
}

impl Context {
    /// Combines floats at places, which an expression computes that no longer depends on what the
    /// array held. Places beside the array are left out.
    ///
    /// # Errors
    ///
    /// As [`Array::set`].
    pub(super) fn combine_in_order(&self, a: &Assigned) -> Result<(), ArrayError> {
        match a.ty {
            ElementType::F16 => self.combined::<f16>(a, folded),
            ElementType::BF16 => self.combined::<bf16>(a, folded),
            ElementType::F32 => self.combined::<f32>(a, folded),
            ElementType::F64 => self.combined::<f64>(a, folded),
            // Of these there are sums alone.
            ElementType::ComplexF32 => self.combined::<Complex<f32>>(a, |_, l, r| l + r),
            ElementType::ComplexF64 => self.combined::<Complex<f64>>(a, |_, l, r| l + r),
            // Of these any order gives the same.
            _ => Err(ArrayError::Compile(format!(
                "a fault of terrace's own: {} needs no order",
                a.ty
            ))),
        }
    }

    fn combined<T: Number>(
        &self,
        a: &Assigned,
        f: fn(Fold, Expr<T>, Expr<T>) -> Expr<T>,
    ) -> Result<(), ArrayError> {
        let Some(p) = &a.place else { return Ok(()) };
        let Scatter::Fold(fold) = p.scatter else {
            return Ok(());
        };
        let (sizes, size) = (a.iterated()?, a.target.count() as i64);
        let n = sizes.iter().product::<usize>();
        if n == 0 || size == 0 {
            return Ok(());
        }
        let place: Expr<i64> = typed(&p.graph)?;
        let mut counts = place.ge(constant(0)) & place.lt(size);
        if let Some(when) = &p.when {
            counts = counts & typed::<bool>(when)?;
        }
        let (values, places) = (self.zeros::<T>(&sizes)?, self.zeros::<i64>(&sizes)?);
        // What goes nowhere comes behind all others.
        let place = counts.select(place, size);
        self.assign((values.to(typed::<T>(&a.graph)?), places.to(place)))?;
        let (values, places) = (values.reshaped(&[n]), places.reshaped(&[n]));
        let order = self.argsort(&places)?;
        places.set(places.gather(&order))?;
        let begin = |of: &Expr<i64>| {
            // The first of the sorted places that is not less.
            let steps = u64::from(n.ilog2()) + 1;
            let ends = [parameter(0), parameter(n as i64)];
            let [found, _] = iterate(steps, ends, |[from, to]| {
                let at = (&from + &to) >> constant(1);
                let less = places.gather(&at).lt(of);
                let open = from.lt(&to);
                [
                    (&open & &less).select(&at + constant(1), &from),
                    (open & !less).select(&at, &to),
                ]
            });
            found
        };
        let (from, to) = (begin(&index(0)), begin(&(index(0) + constant(1))));
        let target = Array::<T>::new(self, a.target.clone());
        let [all] = iterate_over(from, to, [&target], |k, [so_far]| {
            [f(fold, so_far, values.gather(order.gather(k)))]
        });
        target.set(all)
    }

    /// Whether a place that counts is beside its array: the first such element.
    ///
    /// # Errors
    ///
    /// As [`Array::set`].
    pub(super) fn beside(&self, a: &Assigned) -> Result<Option<usize>, ArrayError> {
        let Some(p) = &a.place else { return Ok(None) };
        let sizes = a.iterated()?;
        let place: Expr<i64> = typed(&p.graph)?;
        let size = a.target.count() as i64;
        if p.within == Within::Sure {
            return Ok(None);
        }
        let mut wrong = place.lt(constant(0)) | place.ge(size);
        if let Some(when) = &p.when {
            wrong = wrong & typed::<bool>(when)?;
        }
        let mut number = constant(0);
        for (axis, size) in sizes.iter().enumerate() {
            number = number * *size as i64 + index(axis);
        }
        // The expression may be a number for all elements.
        let shape = self.zeros::<bool>(&sizes)?;
        let none = i64::MAX;
        let first = (wrong | &shape).select(number, none);
        let first = self.reduce(super::min(first))?;
        Ok((first != none).then_some(first as usize))
    }
}
