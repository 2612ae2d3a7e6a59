//! Statements: their points, what they read and what they write.

use super::value::Scope;
use super::{Checker, Element, Statement, Target};
use crate::affine::{Form, Var};
use crate::ast::{Compute, ExprKind, Name};
use crate::domain::Axis;
use crate::{index, race};

impl Checker<'_> {
    pub(super) fn statement(&mut self, s: &Compute) -> Option<Statement> {
        let before = self.said.len();
        let first = self.target(&s.targets[0])?;
        let rank = self.model.arrays[first].dims.len();
        if s.along.len() != rank {
            let m = format!(
                "`{}` has {rank} indices, and {} are given",
                s.targets[0].text,
                s.along.len()
            );
            return self.fail(s.span, m);
        }
        // An index that is no parameter is an axis; all else is a place.
        let mut axes: Vec<Axis> = Vec::new();
        let mut scope = Scope::default();
        for (a, k) in s.along.iter().zip(0..) {
            let ExprKind::Name(name) = &a.what.kind else {
                continue;
            };
            if self.model.indices.contains(name) {
                continue;
            }
            if axes.iter().any(|x| x.name == *name) {
                let m = format!("the statement has two indices `{name}`");
                self.fail::<()>(a.what.span, m);
                continue;
            }
            let d = &self.model.arrays[first].dims[k];
            let ends = a.skip.0.checked_mul(d.by).zip(a.skip.1.checked_mul(d.by));
            let range = ends.and_then(|(front, behind)| {
                let low = d.low.plus(&Form::number(front), 1)?;
                Some((low, d.high.plus(&Form::number(behind), -1)?))
            });
            let step = a.step.checked_mul(d.by);
            let (Some((low, high)), Some(step)) = (range, step) else {
                return self.fail(a.what.span, "what is skipped here is too much");
            };
            scope
                .indices
                .push((name.clone(), Form::var(Var::Axis(axes.len()))));
            axes.push(Axis {
                name: name.clone(),
                first: low,
                last: high,
                step,
                down: a.down,
            });
        }
        let places: Vec<Option<Form>> = (s.along.iter())
            .map(|a| self.form(&a.what, &scope))
            .collect();
        let places: Vec<Form> = places.into_iter().collect::<Option<_>>()?;
        let mut elements = Vec::new();
        for name in &s.targets {
            elements.push(self.written(name, first, &places)?);
        }
        let carried = self.axes(&s.carried, &axes);
        let parallel = self.axes(&s.parallel, &axes);
        if let Some(both) = parallel.iter().find(|a| carried.contains(a)) {
            let m = format!(
                "`{}` is carried, so its points wait for each other",
                axes[*both].name
            );
            self.fail::<()>(s.span, m);
        }
        let mut with = Vec::new();
        for (name, e) in &s.with {
            let value = self.value(e, &scope);
            if scope.temporaries.contains(&name.text) {
                let m = format!("the temporary `{}` is defined twice", name.text);
                self.fail::<()>(name.span, m);
            }
            scope.temporaries.push(name.text.clone());
            with.push(value.unwrap_or(super::Value::Number(0.0)));
        }
        // A formula for no target is not one of a name that is unknown, too.
        let strange = |name: &Name| s.targets.iter().all(|t| t.text != name.text);
        let strangers = s.values.iter().filter(|v| strange(&v.0));
        (scope.temporaries).extend(strangers.map(|v| v.0.text.clone()));
        let mut targets = Vec::new();
        for (name, element) in s.targets.iter().zip(elements) {
            let mut those = s.values.iter().filter(|v| v.0.text == name.text);
            let Some((_, e)) = those.next() else {
                let m = format!("`{}` is computed here, and has no formula", name.text);
                self.fail::<()>(name.span, m);
                continue;
            };
            if let Some((again, _)) = those.next() {
                self.fail::<()>(again.span, format!("`{}` has two formulas", name.text));
            }
            if let Some(value) = self.value(e, &scope) {
                targets.push(Target { element, value });
            }
        }
        for (name, _) in &s.values {
            if strange(name) {
                let all: Vec<String> = s.targets.iter().map(|t| format!("`{}`", t.text)).collect();
                let mut m = format!(
                    "`{}` is not computed here; the statement computes {}",
                    name.text,
                    all.join(", ")
                );
                if !s.with.is_empty() {
                    m += ". Between temporaries there is `;`";
                }
                self.fail::<()>(name.span, m);
            }
        }
        if self.said.len() > before {
            return None;
        }
        let made = Statement {
            axes,
            carried,
            parallel,
            with,
            targets,
            span: s.span,
        };
        self.said
            .extend(index::check(self.file, &self.model, &made));
        self.said.extend(race::check(self.file, &self.model, &made));
        (self.said.len() == before).then_some(made)
    }

    /// The place of an array that is computed.
    fn target(&mut self, name: &Name) -> Option<usize> {
        let all = &self.model.arrays;
        if let Some(found) = all.iter().position(|a| a.name.text == name.text) {
            return Some(found);
        }
        let names: Vec<&str> = all.iter().map(|a| a.name.text.as_str()).collect();
        let m = match super::nearest(&name.text, names) {
            Some(meant) => format!("there is no array `{}`; there is `{meant}`", name.text),
            None => format!("there is no array `{}`; `array` declares one", name.text),
        };
        self.fail(name.span, m)
    }

    /// The element of an array that is computed at a point.
    fn written(&mut self, name: &Name, first: usize, places: &[Form]) -> Option<Element> {
        let array = self.target(name)?;
        let (a, b) = (&self.model.arrays[array], &self.model.arrays[first]);
        let alike = a.dims.len() == b.dims.len()
            && (a.dims.iter().zip(&b.dims))
                .all(|(x, y)| (&x.low, &x.high, x.by) == (&y.low, &y.high, y.by));
        if !alike {
            let m = format!(
                "`{}` and `{}` have other indices; a statement computes arrays of one range",
                a.name.text, b.name.text
            );
            return self.fail(name.span, m);
        }
        if let Some(d) = a.dims.iter().find(|d| d.same) {
            let m = format!(
                "all elements of `{}` along `{}` are one, which cannot be computed for each",
                a.name.text, d.name.text
            );
            return self.fail(name.span, m);
        }
        Some(Element {
            array,
            subscripts: places.to_vec(),
            span: name.span,
        })
    }

    /// The axes of these names.
    fn axes(&mut self, names: &[Name], axes: &[Axis]) -> Vec<usize> {
        let mut found = Vec::new();
        for name in names {
            match axes.iter().position(|a| a.name == name.text) {
                Some(a) if !found.contains(&a) => found.push(a),
                Some(_) => {}
                None => {
                    let all: Vec<String> = axes.iter().map(|a| format!("`{}`", a.name)).collect();
                    let m = format!(
                        "`{}` is no index of the statement, which has {}",
                        name.text,
                        all.join(", ")
                    );
                    self.fail::<()>(name.span, m);
                }
            }
        }
        found
    }
}
