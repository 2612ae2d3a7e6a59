//! Right sides read old values, but along carried indices.
//!
//! A statement's points are computed by loops: the carried indices outside, in their directions, then the
//! others. An element that is read at one point and written at another
//!
//! - at the same place of all carried indices is old: the statement's values are kept in temporary arrays
//!   and stored behind the inner loops ([`keeps`]);
//! - at an earlier place of the carried indices is new, and at a later place it is old: that is the order of the loops.
//!
//! Along a `parallel` index nothing may be handed on.

use crate::domain::Points;
use crate::index::shown;
use crate::model::{Element, Model, Statement};
use crate::parser::error;
use terrace_ir::diag::{Diagnostic, SourceFile};

/// The elements that a statement reads of arrays it computes, each with the target that writes the array.
fn reads(s: &Statement) -> Vec<(&Element, &Element)> {
    let mut loads = Vec::new();
    for v in &s.with {
        v.loads(&mut loads);
    }
    for t in &s.targets {
        t.value.loads(&mut loads);
    }
    let mut found = Vec::new();
    for read in loads {
        let written = s.targets.iter().find(|t| t.element.array == read.array);
        if let Some(t) = written {
            found.push((read, &t.element));
        }
    }
    found
}

/// Points of which the first reads what the second writes.
fn pairs<'s>(model: &Model, s: &'s Statement, read: &Element, written: &Element) -> Points<'s> {
    let mut p = Points::new(model.indices.len(), &s.axes);
    for (r, w) in read.subscripts.iter().zip(&written.subscripts) {
        p.equal(r, w);
    }
    p
}

/// Whether the values of a statement have to be kept until all of its points with the same carried indices
/// are computed. Where that is not known they are.
pub fn keeps(model: &Model, s: &Statement) -> bool {
    reads(s).into_iter().any(|(read, written)| {
        let free = (0..s.axes.len()).filter(|a| !s.carried.contains(a));
        free.into_iter().any(|axis| {
            [false, true].into_iter().any(|turned| {
                let mut p = pairs(model, s, read, written);
                for c in &s.carried {
                    p.apart(*c, 0, true, false);
                }
                p.apart(axis, 1, false, turned);
                !matches!(p.least(), Ok(None))
            })
        })
    })
}

/// What is handed on along parallel indices.
pub(crate) fn check(file: &SourceFile, model: &Model, s: &Statement) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    for axis in &s.parallel {
        'reads: for (read, written) in reads(s) {
            for carried in &s.carried {
                for (turned, other) in [(false, false), (false, true), (true, false), (true, true)]
                {
                    let mut p = pairs(model, s, read, written);
                    p.apart(*carried, 1, false, other);
                    p.apart(*axis, 1, false, turned);
                    let Ok(Some((params, reads, writes))) = p.least() else {
                        continue;
                    };
                    let name = &s.axes[*axis].name;
                    let array = &model.arrays[read.array].name.text;
                    let m = format!(
                        "`{name}` is not parallel: this element of `{array}` is read at one `{name}` and computed at another"
                    );
                    let here = shown(model, &s.axes, &params, &reads);
                    let there = shown(model, &s.axes, &params, &writes);
                    let d = error(file, read.span, m)
                        .with_note(
                            file.location(read.span.start),
                            format!("it is read here, {here}"),
                        )
                        .with_note(
                            file.location(written.span.start),
                            format!("it is computed here, {there}"),
                        );
                    said.push(d);
                    continue 'reads;
                }
            }
        }
    }
    said
}
