//! Whether the elements that a statement reads are there.
//!
//! An index that is outside of its array, whatever the parameters are, at every point or at some, is an error,
//! with the least point as the example. One that is outside at some points for some parameters is checked at run
//! time, in front of the statement ([`unsure`]). Indices between those that an array has are errors where the
//! distances of a statement's points show them.

use crate::affine::{Form, Var};
use crate::domain::{Axis, Points, Which, value};
use crate::layout::Dim;
use crate::model::{Element, Model, Statement};
use crate::parser::error;
use terrace_ir::diag::{Diagnostic, SourceFile};
use terrace_presburger::Unknown;

/// The elements that a statement reads and writes.
pub fn elements(s: &Statement) -> Vec<&Element> {
    let mut all = Vec::new();
    for v in &s.with {
        v.loads(&mut all);
    }
    for t in &s.targets {
        t.value.loads(&mut all);
    }
    all.extend(s.targets.iter().map(|t| &t.element));
    all
}

/// What is wrong with the indices of a statement.
pub(crate) fn check(file: &SourceFile, model: &Model, s: &Statement) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    for e in elements(s) {
        said.extend(element(file, model, s, e));
    }
    said
}

/// Values of parameters and indices, as messages give them.
pub(crate) fn shown(model: &Model, axes: &[Axis], params: &[i64], indices: &[i64]) -> String {
    let params = model.indices.iter().cloned().zip(params.iter().copied());
    let indices = axes
        .iter()
        .map(|a| a.name.clone())
        .zip(indices.iter().copied());
    let all: Vec<String> = params
        .chain(indices)
        .map(|(n, v)| format!("{n} = {v}"))
        .collect();
    match all.is_empty() {
        true => "always".to_string(),
        false => format!("with {}", all.join(", ")),
    }
}

/// Points at which all elements of an array's range are there.
fn points<'s>(model: &Model, s: &'s Statement) -> Points<'s> {
    Points::new(model.indices.len(), &s.axes)
}

fn element(file: &SourceFile, model: &Model, s: &Statement, e: &Element) -> Option<Diagnostic> {
    let a = &model.arrays[e.array];
    for (d, x) in a.dims.iter().zip(&e.subscripts) {
        let mut inside = points(model, s);
        let above = x.plus(&d.low, -1)?;
        let below = d.high.plus(x, -1)?;
        inside.at_least(&above, Which::First, 0);
        inside.at_least(&below, Which::First, 0);
        let any = points(model, s);
        let found = (inside.least(), any.least());
        if let Some(said) = missing(file, model, s, (e, d, x), &found) {
            return Some(said);
        }
        if d.by > 1 {
            let steps = s.axes.iter().enumerate();
            let mut uneven = steps
                .filter(|(k, axis)| x.factor(Var::Axis(*k)).wrapping_mul(axis.step) % d.by != 0);
            let mut between = points(model, s);
            between.at_least(&above, Which::First, 0);
            between.at_least(&below, Which::First, 0);
            between.no_multiple(&above, d.by);
            let regular = uneven.next().is_none();
            let sure = above.factors.iter().all(|(v, n)| match v {
                Var::Param(_) => n % d.by == 0,
                Var::Axis(k) => {
                    let first = &s.axes[*k].first;
                    first
                        .factors
                        .values()
                        .all(|m| n.wrapping_mul(*m) % d.by == 0)
                }
            });
            if (!regular || sure)
                && let Ok(Some((params, indices, _))) = between.least()
            {
                let m = format!(
                    "`{}` has only each {} index `{}` from {}: {} it is {}",
                    a.name.text,
                    ordinal(d.by),
                    d.name.text,
                    value(&d.low, &params, &[]),
                    shown(model, &s.axes, &params, &indices),
                    value(x, &params, &indices)
                );
                return Some(error(file, e.span, m));
            }
        }
        let found = outside(model, s, &above, &below);
        if let Some(said) = missing(file, model, s, (e, d, x), &found) {
            return Some(said);
        }
    }
    None
}

/// What is said of an index where no point is as it should be, and one is not.
fn missing(
    file: &SourceFile,
    model: &Model,
    s: &Statement,
    (e, d, x): (&Element, &Dim, &Form),
    found: &(Found, Found),
) -> Option<Diagnostic> {
    let (Ok(None), Ok(Some((params, indices, _)))) = found else {
        return None;
    };
    let m = format!(
        "`{}` has no such index `{}`: {} it is {}, and the array goes from {} to {}",
        model.arrays[e.array].name.text,
        d.name.text,
        shown(model, &s.axes, params, indices),
        value(x, params, indices),
        value(&d.low, params, &[]),
        value(&d.high, params, &[])
    );
    Some(error(file, e.span, m))
}

type Found = Result<Option<(Vec<i64>, Vec<i64>, Vec<i64>)>, Unknown>;

/// Parameters for which a statement has points and all of them are inside, where two forms are not
/// negative, and the least point that is not.
fn outside(model: &Model, s: &Statement, above: &Form, below: &Form) -> (Found, Found) {
    let mut all = points(model, s);
    all.corners();
    all.all_at_least(above);
    all.all_at_least(below);
    let least = |form: &Form| {
        let mut p = points(model, s);
        let negative = form.times(-1)?;
        p.at_least(&negative, Which::First, 1);
        p.least().ok().flatten()
    };
    let point = [above, below].into_iter().filter_map(least).min();
    (all.least(), Ok(point))
}

fn ordinal(n: i64) -> String {
    match n {
        2 => "second".to_string(),
        3 => "third".to_string(),
        n => format!("{n}th"),
    }
}

/// What has to be checked when the program runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Unsure {
    /// The dimension of the array.
    pub dim: usize,
    /// Less than the first index is possible.
    pub low: bool,
    /// More than the last index is possible.
    pub high: bool,
    /// An index between those that there are is possible.
    pub between: bool,
}

/// What of an element's indices is not sure to be there. Where it is not known it is checked.
pub fn unsure(model: &Model, s: &Statement, e: &Element) -> Vec<Unsure> {
    let a = &model.arrays[e.array];
    let mut found = Vec::new();
    for (dim, (d, x)) in a.dims.iter().zip(&e.subscripts).enumerate() {
        let possible = |form: Option<Form>, by: Option<i64>| {
            let Some(form) = form else {
                return true;
            };
            let mut p = points(model, s);
            match by {
                Some(by) => {
                    p.at_least(&form, Which::First, 0);
                    p.no_multiple(&form, by);
                }
                None => p.at_least(&form, Which::First, 1),
            }
            !matches!(p.least(), Ok(None))
        };
        let u = Unsure {
            dim,
            low: possible(d.low.plus(x, -1), None),
            high: possible(x.plus(&d.high, -1), None),
            between: d.by > 1 && possible(x.plus(&d.low, -1), Some(d.by)),
        };
        if u.low || u.high || u.between {
            found.push(u);
        }
    }
    found
}
