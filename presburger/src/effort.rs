//! How much work a search may be.

use std::cell::Cell;

/// What is left of the work that one search, of many questions, may take. Bounds on
/// each question do not bound their sum; this does, and as it counts work and not time
/// the answer is the same on every machine.
///
/// A step is work on one entry of a row, some nanoseconds.
#[derive(Clone, Debug)]
pub struct Effort {
    left: Cell<u64>,
}

impl Effort {
    /// So many steps.
    pub fn new(steps: u64) -> Effort {
        Effort {
            left: Cell::new(steps),
        }
    }

    /// Takes steps off; `None` where they are more than there are, and from then on.
    pub fn spend(&self, steps: usize) -> Option<()> {
        let left = u64::try_from(steps).map_or(0, |n| self.left.get().saturating_sub(n));
        self.left.set(left);
        (left > 0).then_some(())
    }

    /// The steps that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone() {
        let effort = Effort::new(10);
        assert_eq!(effort.spend(9), Some(()));
        assert_eq!((effort.spend(2), effort.left()), (None, 0));
        assert_eq!(effort.spend(0), None);
    }
}
