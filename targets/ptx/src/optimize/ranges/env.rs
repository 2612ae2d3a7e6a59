//! The ranges of the carried registers at one place.

use super::interval::Range;

/// By slot, sorted. A register without a value yet is left out, and so is one
/// that nobody reads any more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Env(Vec<(u32, Range)>);

impl Env {
    fn find(&self, slot: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |entry| entry.0)
    }

    /// The range of a register.
    pub fn get(&self, slot: u32) -> Option<Range> {
        Some(self.0[self.find(slot).ok()?].1)
    }

    /// Sets it, or forgets it.
    pub fn set(&mut self, slot: u32, value: Option<Range>) {
        match (self.find(slot), value) {
            (Ok(at), Some(value)) => self.0[at].1 = value,
            (Ok(at), None) => {
                self.0.remove(at);
            }
            (Err(at), Some(value)) => self.0.insert(at, (slot, value)),
            (Err(_), None) => {}
        }
    }

    /// Takes in what is said of a register that has a value.
    pub fn meet(&mut self, slot: u32, range: Range) {
        if let Ok(at) = self.find(slot) {
            let value = &mut self.0[at].1;
            *value = value.meet(range).unwrap_or(*value);
        }
    }

    /// Only some registers.
    pub fn restricted(&self, keep: impl Fn(u32) -> bool) -> Env {
        Env((self.0.iter().copied()).filter(|e| keep(e.0)).collect())
    }

    /// The values of either of two ways, of which one may give none.
    pub fn join(&mut self, other: Env) {
        for (slot, range) in other.0 {
            match self.find(slot) {
                Ok(at) => self.0[at].1 = self.0[at].1.join(range),
                Err(at) => self.0.insert(at, (slot, range)),
            }
        }
    }

    /// The registers of a newer state, each with what both say of it.
    pub fn lowered(&self, mut new: Env) -> Env {
        for (slot, range) in &mut new.0 {
            if let Some(old) = self.get(*slot) {
                *range = old.meet(*range).unwrap_or(*range);
            }
        }
        new
    }

    /// Slots and ranges.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Range)> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(n: i64) -> Range {
        Range::signed(32, 0, n)
    }

    #[test]
    fn registers_come_go_and_meet() {
        let mut env = Env::default();
        env.set(7, Some(to(9)));
        env.set(2, Some(to(5)));
        env.meet(7, to(4));
        env.meet(3, to(1));
        assert_eq!(env.iter().collect::<Vec<_>>(), [(2, to(5)), (7, to(4))]);
        let mut other = env.restricted(|slot| slot == 7);
        other.set(1, Some(to(3)));
        other.set(7, Some(to(8)));
        // What only one way gives stays as it is.
        let mut both = env.clone();
        both.join(other.clone());
        let all: Vec<_> = both.iter().collect();
        assert_eq!(all, [(1, to(3)), (2, to(5)), (7, to(8))]);
        // Down: the registers of the newer state, as narrow as either says.
        let lowered: Vec<_> = env.lowered(other).iter().collect();
        assert_eq!(lowered, [(1, to(3)), (7, to(4))]);
        both.set(2, None);
        assert_eq!(both.get(2), None);
        assert_eq!(both.get(1), Some(to(3)));
    }
}
