//! Ways out of a statement other than its end.

use terrace_c::hir::{Span, Stmt, StmtKind};

use crate::c::visit::children;

/// A jump that leaves the statement it is in, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jump {
    pub span: Span,
    pub what: String,
}

/// All jumps out of a statement, in order.
pub fn out_of(s: &Stmt) -> Vec<Jump> {
    let mut labels = Vec::new();
    collect_labels(s, &mut labels);
    let mut found = Vec::new();
    visit(s, false, false, &labels, &mut found);
    found
}

fn collect_labels<'a>(s: &'a Stmt, labels: &mut Vec<&'a str>) {
    if let StmtKind::Label(name, _) = &s.kind {
        labels.push(name);
    }
    for child in children(s) {
        collect_labels(child, labels);
    }
}

fn visit(s: &Stmt, in_loop: bool, in_switch: bool, labels: &[&str], found: &mut Vec<Jump>) {
    let what = match &s.kind {
        StmtKind::Return(_) => Some("return".to_string()),
        StmtKind::Break if !in_loop && !in_switch => Some("break".to_string()),
        StmtKind::Continue if !in_loop => Some("continue".to_string()),
        StmtKind::Goto(label) if !labels.contains(&label.as_str()) => Some(format!("goto {label}")),
        _ => None,
    };
    if let Some(what) = what {
        found.push(Jump { span: s.span, what });
    }
    let loops = matches!(
        s.kind,
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
    );
    let switch = matches!(s.kind, StmtKind::Switch { .. });
    for child in children(s) {
        visit(child, in_loop || loops, in_switch || switch, labels, found);
    }
}
