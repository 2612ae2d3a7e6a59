//! A number for each lane of a warp, and how to compute it from the lane.

/// A number for each lane. Lanes count modulo the length of the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaneFunction {
    table: Vec<usize>,
}

/// How to compute a number from a lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// The start, plus the sum of the lane's digits times their steps.
    Digits {
        /// The number of lane 0.
        start: i64,
        /// Radix and step of each digit of the lane, the fastest first.
        digits: Vec<(i64, i64)>,
    },
    /// The start, changed by one mask for each bit that is set in the lane.
    Xor {
        /// The number of lane 0.
        start: usize,
        /// The masks by bit of the lane, the lowest first.
        masks: Vec<usize>,
    },
}

impl LaneFunction {
    pub(crate) fn new(table: Vec<usize>) -> LaneFunction {
        LaneFunction { table }
    }

    /// The function of this table where it is known, and of something simple elsewhere.
    pub(crate) fn completed(known: &[Option<usize>]) -> LaneFunction {
        let fill = |of: &dyn Fn(usize) -> Option<usize>| {
            let values = known.iter().enumerate();
            let out = values.map(|(lane, value)| value.or_else(|| of(lane)).unwrap_or(0));
            LaneFunction::new(out.collect())
        };
        let first = known.iter().flatten().next().copied();
        let mut bits = (0..known.len().ilog2()).map(|bit| {
            let mut by_bit = [None, None];
            for (lane, value) in known.iter().enumerate() {
                let one = &mut by_bit[lane >> bit & 1];
                match (*one, value) {
                    (_, None) => {}
                    (None, Some(v)) => *one = Some(*v),
                    (Some(a), Some(v)) if a == *v => {}
                    _ => return None,
                }
            }
            Some(fill(&|lane| by_bit[lane >> bit & 1].or(first)))
        });
        let is_constant = known.iter().flatten().all(|v| Some(*v) == first);
        let by_bit = if is_constant {
            None
        } else {
            bits.find_map(|f| f)
        };
        by_bit.unwrap_or_else(|| fill(&|_| first))
    }

    /// The number of each lane.
    pub fn table(&self) -> &[usize] {
        &self.table
    }

    /// The number of a lane.
    pub fn at(&self, lane: usize) -> usize {
        self.table[lane % self.table.len()]
    }

    /// Whether each lane has its own number.
    pub fn is_own_lane(&self) -> bool {
        self.table.iter().copied().eq(0..self.table.len())
    }

    /// The number, where all lanes have the same.
    pub fn constant(&self) -> Option<usize> {
        let first = *self.table.first()?;
        self.table.iter().all(|n| *n == first).then_some(first)
    }

    /// The mask, where each lane has its own number changed by one mask.
    pub fn xor_mask(&self) -> Option<usize> {
        let mask = *self.table.first()?;
        let mut lanes = self.table.iter().enumerate();
        lanes.all(|(lane, n)| lane ^ mask == *n).then_some(mask)
    }

    /// The two numbers, and for each lane whether it has the second.
    ///
    /// There are none where lanes have more than two numbers, or all have the same.
    pub fn select(&self) -> Option<(usize, usize, Vec<bool>)> {
        let first = *self.table.first()?;
        let second = *self.table.iter().find(|n| **n != first)?;
        let both = self.table.iter().all(|n| [first, second].contains(n));
        both.then(|| {
            let which = self.table.iter().map(|n| *n == second).collect();
            (first, second, which)
        })
    }

    /// How to compute the number, if it is simple: by digits, or else by bits.
    pub fn formula(&self) -> Option<Formula> {
        self.digits().or_else(|| self.bits())
    }

    /// The first radix is the first lane that leaves the line of those before it.
    fn digits(&self) -> Option<Formula> {
        let start = *self.table.first()? as i64;
        let mut rest: Vec<i64> = self.table.iter().map(|n| *n as i64 - start).collect();
        let mut digits = Vec::new();
        while rest.len() > 1 {
            let step = rest[1];
            let radix = (0..rest.len()).find(|n| rest[*n] != *n as i64 * step);
            let radix = radix.unwrap_or(rest.len());
            let repeats = |chunk: &[i64]| {
                let line = (0..).zip(chunk);
                chunk.len() == radix && line.into_iter().all(|(n, v)| *v == chunk[0] + n * step)
            };
            if !rest.chunks(radix).all(repeats) {
                return None;
            }
            digits.push((radix as i64, step));
            rest = rest.into_iter().step_by(radix).collect();
        }
        Some(Formula::Digits { start, digits })
    }

    fn bits(&self) -> Option<Formula> {
        let n = self.table.len();
        let start = *self.table.first()?;
        if !n.is_power_of_two() {
            return None;
        }
        let masks: Vec<usize> = (0..n.ilog2())
            .map(|bit| self.table[1 << bit] ^ start)
            .collect();
        let out = Formula::Xor { start, masks };
        (0..n)
            .all(|lane| out.at(lane) == self.table[lane] as i64)
            .then_some(out)
    }
}

impl Formula {
    /// The number of a lane.
    pub fn at(&self, lane: usize) -> i64 {
        match self {
            Formula::Digits { start, digits } => {
                let mut rest = lane as i64;
                digits.iter().fold(*start, |sum, (radix, step)| {
                    let value = rest % radix;
                    rest /= radix;
                    sum + value * step
                })
            }
            Formula::Xor { start, masks } => {
                let set = masks
                    .iter()
                    .enumerate()
                    .filter(|(bit, _)| lane >> bit & 1 == 1);
                set.fold(*start, |n, (_, mask)| n ^ mask) as i64
            }
        }
    }
}
