//! Which object an lvalue names, so that a clause's variable and a captured one can be
//! compared.

use terrace_c::hir::{Expr, ExprKind, Unit, VarId};
use terrace_c::types::Type;

/// A variable and the way from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    root: VarId,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Field(usize),
    Deref,
}

impl Path {
    /// `None` if the expression computes which object it is.
    pub fn of(e: &Expr) -> Option<Path> {
        let mut steps = Vec::new();
        let mut e = e;
        let root = loop {
            match &e.kind {
                ExprKind::Var(v) => break *v,
                ExprKind::Member { base, field } => {
                    steps.push(Step::Field(*field));
                    e = base;
                }
                ExprKind::Deref(p) => {
                    steps.push(Step::Deref);
                    e = p;
                }
                ExprKind::Decay(a) => e = a,
                _ => return None,
            }
        };
        steps.reverse();
        Some(Path { root, steps })
    }

    pub fn root(&self) -> VarId {
        self.root
    }

    /// The path is a variable's name alone.
    pub fn is_variable(&self) -> bool {
        self.steps.is_empty()
    }

    /// The object is part of what a pointer points to.
    pub fn is_behind(&self) -> bool {
        self.steps.contains(&Step::Deref)
    }

    /// The path to the variable's object or, if it `points`, to what it points to.
    pub fn object(&self, points: bool) -> Path {
        let mut path = self.clone();
        path.steps.extend(points.then_some(Step::Deref));
        path
    }

    /// The object is part of the object that `outer` names or, if `outer_points`, of
    /// one that it points to.
    pub fn is_part_of(&self, outer: &Path, outer_points: bool) -> bool {
        let Some(rest) = self.steps.strip_prefix(&outer.steps[..]) else {
            return false;
        };
        if self.root != outer.root {
            return false;
        }
        let rest = match rest.split_first() {
            Some((Step::Deref, rest)) if outer_points => rest,
            _ => rest,
        };
        !rest.contains(&Step::Deref)
    }
}

/// An lvalue that [`Path`] understands, as C. A pointer stands for the first element of
/// what it points to by `[0]`, so that the text can be followed by anything.
pub fn text(unit: &Unit, e: &Expr) -> Option<String> {
    Some(match &e.kind {
        ExprKind::Var(v) => unit.vars.get(v.0 as usize)?.name.clone(),
        ExprKind::Member { base, field } => {
            let Type::Record(record) = base.ty else {
                return None;
            };
            let fields = unit.records.get(record)?.fields.as_ref()?;
            let name = &fields.get(*field)?.name;
            match &base.kind {
                // A member of a member without a name is written as the outer's.
                _ if name.is_empty() => text(unit, base)?,
                ExprKind::Deref(p) => format!("{}->{name}", text(unit, p)?),
                _ => {
                    let base = text(unit, base)?;
                    // `p->` is left open where the member between has no name.
                    match base.strip_suffix("[0]") {
                        Some(pointer) => format!("{pointer}->{name}"),
                        None => format!("{base}.{name}"),
                    }
                }
            }
        }
        ExprKind::Deref(p) => format!("{}[0]", text(unit, p)?),
        ExprKind::Decay(array) => text(unit, array)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_c::hir::Span;
    use terrace_c::types::Type;

    fn e(kind: ExprKind) -> Expr {
        Expr {
            kind,
            ty: Type::INT,
            span: Span::new(0, 0),
        }
    }

    fn var(n: u32) -> Expr {
        e(ExprKind::Var(VarId(n)))
    }

    fn field(base: Expr, field: usize) -> Expr {
        e(ExprKind::Member {
            base: Box::new(base),
            field,
        })
    }

    fn deref(p: Expr) -> Expr {
        e(ExprKind::Deref(Box::new(p)))
    }

    #[test]
    fn parts_of_objects() {
        let path = |e| Path::of(&e).unwrap();
        let (s, s1) = (path(var(0)), path(field(var(0), 1)));
        assert!(s.is_variable() && !s1.is_variable());
        assert!(s1.is_part_of(&s, false));
        assert!(s.is_part_of(&s, false));
        assert!(!s.is_part_of(&s1, false));
        assert!(!s1.is_part_of(&path(var(1)), false));
        // p->f is in what p points to, and not in p.
        let arrow = path(field(deref(var(0)), 1));
        assert!(arrow.is_part_of(&s, true));
        assert!(!arrow.is_part_of(&s, false));
        // p->f->g is in neither.
        let twice = path(field(deref(field(deref(var(0)), 1)), 2));
        assert!(!twice.is_part_of(&s, true));
        assert!(twice.is_part_of(&arrow, true));
    }

    #[test]
    fn computed_objects_have_no_path() {
        let index = e(ExprKind::Index {
            base: Box::new(var(0)),
            index: Box::new(var(1)),
        });
        assert_eq!(Path::of(&index), None);
        assert_eq!(Path::of(&e(ExprKind::Int(1))), None);
        assert_eq!(
            Path::of(&e(ExprKind::Decay(Box::new(var(3))))),
            Path::of(&var(3))
        );
    }
}
