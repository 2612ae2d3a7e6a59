//! Scopes and what names mean in them (C11 6.2.1, 6.2.3).

use rustc_hash::FxHashMap;

use super::types::QType;
use crate::hir::VarId;
use crate::types::Type;

/// What an ordinary identifier names.
#[derive(Debug, Clone)]
pub(super) enum Entity {
    Var(VarId),
    Typedef(QType),
    Enumerator { value: i128, ty: Type },
    Function,
}

/// What a tag names.
#[derive(Debug, Clone)]
pub(super) enum Tag {
    Record(usize),
    Enum(Type),
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<String, Entity>,
    tags: FxHashMap<String, Tag>,
}

/// The scopes that are open, the file's first.
pub(super) struct Scopes {
    open: Vec<Scope>,
}

impl Scopes {
    pub fn new() -> Scopes {
        Scopes {
            open: vec![Scope::default()],
        }
    }

    pub fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    /// Leaves the innermost scope; the file's stays.
    pub fn leave(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    pub fn lookup(&self, name: &str) -> Option<&Entity> {
        self.open.iter().rev().find_map(|s| s.names.get(name))
    }

    /// In the innermost scope only.
    pub fn here(&self, name: &str) -> Option<&Entity> {
        self.open.last().and_then(|s| s.names.get(name))
    }

    /// In the file's scope only.
    pub fn in_file(&self, name: &str) -> Option<&Entity> {
        self.open.first().and_then(|s| s.names.get(name))
    }

    pub fn declare(&mut self, name: &str, entity: Entity) {
        if let Some(scope) = self.open.last_mut() {
            scope.names.insert(name.to_owned(), entity);
        }
    }

    pub fn declare_in_file(&mut self, name: &str, entity: Entity) {
        if let Some(scope) = self.open.first_mut() {
            scope.names.insert(name.to_owned(), entity);
        }
    }

    pub fn tag(&self, name: &str) -> Option<&Tag> {
        self.open.iter().rev().find_map(|s| s.tags.get(name))
    }

    pub fn tag_here(&self, name: &str) -> Option<&Tag> {
        self.open.last().and_then(|s| s.tags.get(name))
    }

    pub fn declare_tag(&mut self, name: &str, tag: Tag) {
        if let Some(scope) = self.open.last_mut() {
            scope.tags.insert(name.to_owned(), tag);
        }
    }

    /// Every name that is visible, for directives and for suggestions.
    pub fn visible(&self) -> impl Iterator<Item = (&str, &Entity)> {
        self.open
            .iter()
            .rev()
            .flat_map(|s| s.names.iter().map(|(n, e)| (n.as_str(), e)))
    }
}
