//! The jumps by which control leaves a statement.

use super::{Stmt, StmtKind};

/// Which ways out of a statement there are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Leaves {
    pub breaks: bool,
    pub continues: bool,
    pub returns: bool,
}

impl Leaves {
    pub fn any(self) -> bool {
        self.breaks || self.continues || self.returns
    }

    fn or(self, o: Leaves) -> Leaves {
        Leaves {
            breaks: self.breaks || o.breaks,
            continues: self.continues || o.continues,
            returns: self.returns || o.returns,
        }
    }

    /// Out of the statement itself: what loops and switches in it catch does not count.
    pub fn of(s: &Stmt) -> Leaves {
        let list = |l: &[Stmt]| l.iter().fold(Leaves::default(), |a, s| a.or(Leaves::of(s)));
        match &s.kind {
            StmtKind::Break => Leaves {
                breaks: true,
                ..Leaves::default()
            },
            StmtKind::Continue => Leaves {
                continues: true,
                ..Leaves::default()
            },
            StmtKind::Return(_) => Leaves {
                returns: true,
                ..Leaves::default()
            },
            StmtKind::Block(l) => list(l),
            StmtKind::Label(_, s) => Leaves::of(s),
            StmtKind::If {
                then, otherwise, ..
            } => {
                let o = otherwise
                    .as_ref()
                    .map_or(Leaves::default(), |o| Leaves::of(o));
                Leaves::of(then).or(o)
            }
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => Leaves {
                breaks: false,
                continues: false,
                ..Leaves::of(body)
            },
            StmtKind::Switch { arms, .. } => {
                let all = arms
                    .iter()
                    .fold(Leaves::default(), |a, arm| a.or(list(&arm.body)));
                Leaves {
                    breaks: false,
                    ..all
                }
            }
            _ => Leaves::default(),
        }
    }
}
