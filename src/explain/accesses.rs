//! Accesses of kernels as the user wrote them.

use std::collections::HashMap;

use terrace_c::hir::{Expr, ExprKind, Stmt, Unit};
use terrace_ir::diag::DiagLoc;
use terrace_passes::region::cost::note::{AccessCost, KernelCost};
use terrace_passes::region::notes::RegionNotes;

use super::{file_of, line_of};
use crate::c::visit::expressions;

/// File, line and column.
type At = (String, u32, u32);

fn at(place: &DiagLoc) -> Option<At> {
    match place {
        DiagLoc::Pos { column, .. } => Some((file_of(place).to_string(), line_of(place), *column)),
        _ => None,
    }
}

/// Gives accesses the text that stands at their place in the source, where that is one
/// access of the array. A macro's accesses all are where the macro is used: several
/// different ones of one array keep the text that the analysis made.
pub fn quote(unit: &Unit, regions: &mut [RegionNotes]) {
    let mut texts: HashMap<At, Vec<(String, String)>> = HashMap::new();
    for k in regions.iter().flat_map(|r| &r.kernels) {
        let places = k.accesses.iter().map(|a| &a.place);
        let costs = costs(&k.cost).iter().map(|a| &a.place);
        for key in places.chain(costs).filter_map(at) {
            texts.entry(key).or_default();
        }
    }
    if texts.is_empty() {
        return;
    }
    for f in &unit.functions {
        accesses(unit, &f.body, &mut texts);
    }
    for k in regions.iter_mut().flat_map(|r| &mut r.kernels) {
        let own = (k.accesses.iter_mut()).map(|a| (&a.array, &a.place, &mut a.text));
        let of_costs: &mut [AccessCost] = match &mut k.cost {
            KernelCost::Of(cost) => &mut cost.accesses,
            _ => &mut [],
        };
        let costs = (of_costs.iter_mut()).map(|a| (&a.array, &a.place, &mut a.text));
        for (array, place, text) in own.chain(costs) {
            if let Some(words) = at(place).and_then(|key| one_of(&texts[&key], array)) {
                *text = words;
            }
        }
    }
}

fn costs(cost: &KernelCost) -> &[AccessCost] {
    match cost {
        KernelCost::Of(cost) => &cost.accesses,
        _ => &[],
    }
}

fn one_of(texts: &[(String, String)], array: &str) -> Option<String> {
    // `p[].x` is a field of the elements of `p`.
    let array = array.split("[]").next().unwrap_or_default();
    let mut own = texts.iter().filter(|(name, _)| name == array);
    let (_, text) = own.next()?;
    own.all(|(_, other)| other == text).then(|| text.clone())
}

/// The element accesses of a statement by their places: the array and the whole text.
fn accesses(unit: &Unit, s: &Stmt, texts: &mut HashMap<At, Vec<(String, String)>>) {
    expressions(s, |e| {
        let element = matches!(
            e.kind,
            ExprKind::Index { .. } | ExprKind::Deref(_) | ExprKind::Member { .. }
        );
        if !element || !e.ty.is_arithmetic() {
            return;
        }
        let Some(key) = at(&unit.source.loc(e.span.start as usize)) else {
            return;
        };
        let (Some(found), Some(array)) = (texts.get_mut(&key), array(unit, e)) else {
            return;
        };
        let words: Vec<&str> = unit.text(e.span).split_whitespace().collect();
        // What stands on several lines has line markers in it.
        if !words.is_empty() && words.iter().all(|w| !w.starts_with('#')) {
            found.push((array, words.join(" ")));
        }
    });
}

/// The array that an element is of, as written: `a`, `s->a`. It is what stands before the
/// first subscript; an arrow is none.
fn array(unit: &Unit, e: &Expr) -> Option<String> {
    let mut e = e;
    let mut found = None;
    loop {
        e = match &e.kind {
            ExprKind::Index { base: p, .. }
            | ExprKind::Deref(p)
            | ExprKind::PointerAdd { pointer: p, .. } => {
                found = Some(&**p);
                p
            }
            ExprKind::Member { base, .. } => match &base.kind {
                ExprKind::Deref(p) => p,
                _ => base,
            },
            ExprKind::Decay(base) | ExprKind::Cast(base) => base,
            _ => break,
        };
    }
    let text: Vec<&str> = unit.text(found?.span).split_whitespace().collect();
    (!text.is_empty()).then(|| text.join(""))
}
