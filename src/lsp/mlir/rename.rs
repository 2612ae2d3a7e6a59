//! The names of values, put into a text that was printed with others.

use terrace_ir::text::places::{Places, Span, ValuePlace};

/// A printed text with the names of another text that means the same; `None` where they do not have the same
/// values, or group results otherwise.
pub fn with_names_of(names: &Places, printed: &str, places: &Places) -> Option<String> {
    let (from, to) = (in_order(names)?, in_order(places)?);
    if from.len() != to.len() {
        return None;
    }
    let mut changes: Vec<(Span, &str)> = Vec::new();
    let mut before: Option<(Span, Span)> = None;
    for (a, b) in from.iter().zip(&to) {
        let definitions = (a.definition?, b.definition?);
        // Results of one name go on being of one.
        let grouped = before.map(|(x, y)| (x == definitions.0, y == definitions.1));
        if a.number != b.number || grouped.is_some_and(|(x, y)| x != y) {
            return None;
        }
        before = Some(definitions);
        let spans = b.uses.iter().copied().chain([definitions.1]);
        changes.extend(spans.map(|s| (s, a.name.as_str())));
    }
    changes.sort();
    changes.dedup();
    let mut out = String::with_capacity(printed.len());
    let mut at = 0;
    for (span, name) in changes {
        // Two names for one place: some syntax is not what it seems.
        let between = printed.get(at..span.start as usize)?;
        out.push_str(between);
        out.push_str(name);
        at = span.end as usize;
    }
    out.push_str(printed.get(at..)?);
    Some(out)
}

/// Values in the order of their definitions; `None` if one has none.
fn in_order(p: &Places) -> Option<Vec<&ValuePlace>> {
    let mut all: Vec<&ValuePlace> = p.values.iter().collect();
    if all.iter().any(|v| v.definition.is_none()) {
        return None;
    }
    all.sort_by_key(|v| (v.definition, v.number));
    Some(all)
}
