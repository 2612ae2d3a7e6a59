//! Which maps of a region are parts of one object by their names: `s[0:1]`, `s->b` and
//! `s->n`. That they share memory tells nothing of other names.

use super::super::lvalue::Path;
use super::super::maps::{OBJECT, OBJECTS};

/// Objects of which a region has several parts: the paths that lead to them.
pub struct Objects(Vec<Path>);

impl Objects {
    /// Of the objects that maps hold.
    pub fn of(parts: &[Path]) -> Objects {
        let mut all: Vec<Path> = Vec::new();
        for (i, p) in parts.iter().enumerate() {
            let within = |o: &Path| o != p && p.is_part_of(o, false);
            let several = (parts.iter().enumerate()).any(|(k, o)| k != i && o.is_part_of(p, false));
            if several && !parts.iter().any(within) && !all.contains(p) {
                all.push(p.clone());
            }
        }
        all.truncate(OBJECTS);
        Objects(all)
    }

    /// What says in the flags of a map of which object it is.
    pub fn flag(&self, part: Option<&Path>) -> u32 {
        let is_of = |p: &Path| self.0.iter().zip(1..).find(|(o, _)| p.is_part_of(o, false));
        part.and_then(is_of)
            .map_or(0, |(_, n): (_, u32)| n << OBJECT)
    }
}
