//! How a function says in C what it uses.

use terrace_c::hir::{Span, Unit, VarId};
use terrace_c::types::{Extent, Type};

use super::classes::Class;
use super::effects::{Item, Place};

/// The name of a function's note.
const NOTE: &str = "__terrace_note";

/// What begins a function.
pub fn begin() -> String {
    format!(
        "int {NOTE} __attribute__((__cleanup__(__terrace_ends))) = \
         terrace_tracks ? terrace_host_begins(&{NOTE}) : 0;"
    )
}

/// Behind a declaration: these live as long as the function.
pub fn holds(names: &[&str], at: u32) -> String {
    let each = names
        .iter()
        .map(|n| format!("terrace_host_holds(&{NOTE}, (void *)&{n}, (long)sizeof({n}))"));
    let each = each.collect::<Vec<_>>().join(", ");
    declaration(&format!("(void)(terrace_tracks && ({each}, 0))"), at)
}

/// An expression as a declaration, which may stand where only declarations may.
pub fn declaration(said: &str, at: u32) -> String {
    format!("int __terrace_said{at} __attribute__((__unused__)) = ({said}, 0);")
}

/// Everything has to be given up.
pub fn all() -> String {
    "(void)(terrace_tracks && (terrace_host_uses_all(), 0))".to_string()
}

/// What is used; empty if nothing. `numbers` are those of the classes that one may meet.
pub fn uses(
    unit: &Unit,
    items: &[Item],
    numbers: impl Fn(Class) -> Vec<usize>,
    follows: bool,
) -> String {
    let mut each: Vec<String> = Vec::new();
    let mut of_class: Vec<(usize, bool)> = Vec::new();
    for item in items {
        let how = u32::from(item.writes);
        let named = match &item.place {
            Place::Exactly(span) => Some(unit.text(*span).trim()).filter(|t| is_balanced(t)),
            Place::Variable(v) => name(unit, *v),
            _ => None,
        };
        let freed = match &item.place {
            Place::Freed(span) => Some(unit.text(*span).trim()).filter(|t| is_balanced(t)),
            _ => None,
        };
        if let Some(pointer) = freed {
            each.push(format!("terrace_host_frees((void *)({pointer}))"));
        } else if let Some(lvalue) = named {
            each.push(format!(
                "terrace_host_uses((const void *)&({lvalue}), (long)sizeof({lvalue}), {how})"
            ));
        } else {
            for n in numbers(item.class) {
                match of_class.iter_mut().find(|(m, _)| *m == n) {
                    Some((_, writes)) => *writes |= item.writes,
                    None => of_class.push((n, item.writes)),
                }
            }
        }
    }
    for (n, writes) in of_class {
        let how = u32::from(writes);
        each.push(format!("terrace_host_uses_class({n}, {how})"));
    }
    each.dedup();
    let mut out = String::new();
    if !each.is_empty() {
        out = format!("(void)(terrace_resident && ({}, 0))", each.join(", "));
    }
    if follows {
        out.push_str(if out.is_empty() { "" } else { ", " });
        out.push_str("(void)(terrace_tracks && (terrace_host_follows(), 0))");
    }
    out
}

/// A variable whose size is known.
fn name(unit: &Unit, v: VarId) -> Option<&str> {
    let var = unit.var(v);
    let sized = !matches!(&var.ty, Type::Array(a) if a.len == Extent::Unknown);
    (sized && !var.name.is_empty()).then_some(&*var.name)
}

/// Whether each bracket of a text has its other.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            // Quotes may hold anything.
            '"' | '\'' => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !text.is_empty()
}

/// Whether a span is all that stands between the brackets or semicolons around it.
pub fn stands_alone(unit: &Unit, span: Span) -> bool {
    let all = unit.source.text();
    let (before, behind) = (all.get(..span.start as usize), all.get(span.end as usize..));
    let last = before.and_then(|t| t.trim_end().chars().last());
    let next = behind.and_then(|t| t.trim_start().chars().next());
    matches!(last, Some('(' | ';')) && matches!(next, Some(')' | ';'))
}

#[cfg(test)]
mod tests {
    use super::is_balanced;

    #[test]
    fn brackets() {
        assert!(is_balanced("a[i * (n + 1)]"));
        assert!(!is_balanced("a) + (b"));
        assert!(!is_balanced("a[i"));
        assert!(!is_balanced(""));
    }
}
