//! How far the second of two dependent iterations is ahead of the first.

use terrace_presburger::{Conjunct, Extremum, Int};

/// The least and the greatest of some integers; `None`: there is no least, no
/// greatest, or it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extent {
    pub min: Option<Int>,
    pub max: Option<Int>,
}

/// On which side of the first iteration the second is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    /// Later: `<`.
    Forward,
    /// The same: `=`.
    Equal,
    /// Earlier: `>`.
    Backward,
    /// Not earlier: `<=`.
    NotBackward,
    /// Not later: `>=`.
    NotForward,
    /// Any: `*`.
    Any,
}

impl Extent {
    pub(crate) fn exactly(value: i64) -> Extent {
        Extent {
            min: Some(value.into()),
            max: Some(value.into()),
        }
    }

    /// The value, if it is always the same.
    pub fn constant(&self) -> Option<&Int> {
        match (&self.min, &self.max) {
            (Some(a), Some(b)) if a == b => Some(a),
            _ => None,
        }
    }

    pub(crate) fn direction(&self) -> Direction {
        let low = self.min.as_ref().map(Int::signum);
        let high = self.max.as_ref().map(Int::signum);
        match (low, high) {
            (Some(1..), _) => Direction::Forward,
            (_, Some(..=-1)) => Direction::Backward,
            (Some(0), Some(0)) => Direction::Equal,
            (Some(0), _) => Direction::NotBackward,
            (_, Some(0)) => Direction::NotForward,
            _ => Direction::Any,
        }
    }
}

impl Direction {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Direction::Forward => "<",
            Direction::Equal => "=",
            Direction::Backward => ">",
            Direction::NotBackward => "<=",
            Direction::NotForward => ">=",
            Direction::Any => "*",
        }
    }
}

/// The extent of `output - input` for a pair of columns, over the union of pieces.
pub(super) fn extent(pieces: &[Conjunct], input: usize, output: usize) -> Extent {
    let mut all: Option<Extent> = None;
    for p in pieces {
        let one = match fixed(p, input, output) {
            Some(value) => Extent {
                min: Some(value.clone()),
                max: Some(value),
            },
            None => solved(p, input, output),
        };
        all = Some(match all {
            None => one,
            Some(a) => Extent {
                min: a.min.zip(one.min).map(|(x, y)| x.min(y)),
                max: a.max.zip(one.max).map(|(x, y)| x.max(y)),
            },
        });
    }
    all.unwrap_or_default()
}

/// The difference where one equality says it.
fn fixed(p: &Conjunct, input: usize, output: usize) -> Option<Int> {
    p.equalities().iter().find_map(|row| {
        let (constant, columns) = row.split_last()?;
        let (a, b) = (columns.get(input)?, columns.get(output)?);
        let alone = columns.iter().filter(|c| !c.is_zero()).count() == 2;
        if !alone || a.is_zero() || *b != -a || !constant.is_multiple_of(b) {
            return None;
        }
        // b * output - b * input + constant = 0
        Some((-constant).div_floor(b))
    })
}

fn solved(p: &Conjunct, input: usize, output: usize) -> Extent {
    let mut form = vec![Int::ZERO; p.row_len()];
    form[output] = Int::ONE;
    form[input] = Int::MINUS_ONE;
    let end = |e: Result<Extremum, _>| match e {
        Ok(Extremum::At(v)) => Some(v),
        _ => None,
    };
    Extent {
        min: end(p.minimum(&form)),
        max: end(p.maximum(&form)),
    }
}
