//! Names of registers, variables and labels.

use crate::ids::{BlockId, FuncId, Reg};
use crate::operand::Sym;
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Reg(Reg),
    /// `%r<n>`: the registers `%r0` to `%r(n-1)`, in a row from the first.
    Range(Reg, u32),
    Sym(Sym),
    Func(FuncId),
}

/// The scopes around a place, the module's first.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    stack: Vec<FxHashMap<&'a str, Entity>>,
    pub labels: FxHashMap<&'a str, BlockId>,
}

impl<'a> Scopes<'a> {
    pub fn new() -> Scopes<'a> {
        Scopes {
            stack: vec![FxHashMap::default()],
            labels: FxHashMap::default(),
        }
    }

    pub fn enter(&mut self) {
        self.stack.push(FxHashMap::default());
    }

    pub fn leave(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    /// How many scopes are open, the module's among them.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Adds a name to the innermost scope; false if it has it already.
    pub fn add(&mut self, name: &'a str, entity: Entity) -> bool {
        match self.stack.last_mut() {
            Some(scope) => scope.insert(name, entity).is_none(),
            None => false,
        }
    }

    /// Adds a name to the module's scope.
    pub fn add_to_module(&mut self, name: &'a str, entity: Entity) {
        if let Some(scope) = self.stack.first_mut() {
            scope.insert(name, entity);
        }
    }

    /// What a name means here. Of a register of a range, the register.
    pub fn find(&self, name: &str) -> Option<Entity> {
        let exact = self.stack.iter().rev().find_map(|s| s.get(name));
        if let Some(entity) = exact {
            return Some(*entity);
        }
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[prefix.len()..];
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        let number: u32 = digits.parse().ok()?;
        let found = self.stack.iter().rev().find_map(|s| s.get(prefix));
        match found {
            Some(Entity::Range(first, count)) if number < *count => {
                let index = first.index() as u32 + number;
                Some(Entity::Reg(Reg::from_index(index)))
            }
            _ => None,
        }
    }
}
