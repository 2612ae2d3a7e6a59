//! What random models are made of.

/// Indices of arrays, by dimension, and the parameters that they go to.
pub const INDICES: [&str; 3] = ["i", "k", "l"];
pub const SIZES: [&str; 3] = ["N", "M", "L"];

/// The indices of one dimension of an array: from `low` to the parameter and `more`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub low: i64,
    pub more: i64,
    pub by: i64,
}

impl Range {
    /// How many indices there are where the parameter is `size`.
    pub fn count(self, size: i64) -> i64 {
        (size + self.more - self.low).div_euclid(self.by) + 1
    }

    /// The place of an index among those that there are.
    pub fn place(self, size: i64, index: i64) -> Option<i64> {
        let far = index - self.low;
        let there = far >= 0 && index <= size + self.more && far % self.by == 0;
        there.then(|| far / self.by)
    }
}

/// What is known of the signs of an array that is never computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sign {
    Any,
    Positive,
    Nonnegative,
}

#[derive(Debug, Clone)]
pub struct Array {
    pub ranges: Vec<Range>,
    /// A dimension along which all elements are one.
    pub same: Option<usize>,
    pub sign: Sign,
}

impl Array {
    /// How many elements there are along each dimension that counts.
    pub fn counts(&self, sizes: &[i64]) -> Vec<i64> {
        let count = |d: usize| match self.same == Some(d) {
            true => 1,
            false => self.ranges[d].count(sizes[d]),
        };
        (0..self.ranges.len()).map(count).collect()
    }

    /// The place of an element, by dimensions, where it is there.
    pub fn places(&self, sizes: &[i64], index: &[i64]) -> Option<Vec<i64>> {
        let place = |d: usize| {
            let p = self.ranges[d].place(sizes[d], index[d])?;
            Some(if self.same == Some(d) { 0 } else { p })
        };
        (0..self.ranges.len()).map(place).collect()
    }
}

/// `factor * index + times * parameter + constant`.
#[derive(Debug, Clone, Default)]
pub struct Sub {
    /// The index, by its number.
    pub axis: usize,
    pub factor: i64,
    /// The parameter, by its number.
    pub param: usize,
    pub times: i64,
    pub constant: i64,
}

impl Sub {
    pub fn value(&self, at: &[i64], sizes: &[i64]) -> i64 {
        let index = if self.factor == 0 { 0 } else { at[self.axis] };
        self.factor * index + self.times * sizes[self.param] + self.constant
    }
}

#[derive(Debug, Clone)]
pub enum Formula {
    Number(f64),
    Parameter,
    /// An index as a number.
    Index(Sub),
    Read(usize, Vec<Sub>),
    /// A macro, with what its arguments are.
    Macro(usize, Vec<Sub>),
    Temporary(usize),
    Op(char, Box<[Formula; 2]>),
    Power(Box<Formula>, u32),
    /// `Abs`, `sqrt`, `min`, `max`, `sign`.
    Call(&'static str, Vec<Formula>),
    /// The function of C.
    Extern(Box<[Formula; 2]>),
    BySign(Box<[Formula; 4]>),
    If(Box<Condition>, Box<[Formula; 2]>),
    Group(Box<Formula>),
}

#[derive(Debug, Clone)]
pub enum Condition {
    Compare(&'static str, Formula, Formula),
    And(Box<[Condition; 2]>),
    Or(Box<[Condition; 2]>),
    Not(Box<Condition>),
}

/// What a statement does along a dimension of its first array.
#[derive(Debug, Clone)]
pub enum Along {
    Place(Sub),
    Axis {
        skip: [i64; 2],
        step: i64,
        down: bool,
    },
}

#[derive(Debug, Clone)]
pub struct Statement {
    pub targets: Vec<usize>,
    pub along: Vec<Along>,
    /// Dimensions, the outermost first.
    pub carried: Vec<usize>,
    pub parallel: Vec<usize>,
    pub with: Vec<Formula>,
    pub values: Vec<Formula>,
}

#[derive(Debug, Clone)]
pub struct Model {
    pub rank: usize,
    pub double: bool,
    pub strict: bool,
    pub arrays: Vec<Array>,
    /// Formulas over as many arguments as there are dimensions.
    pub macros: Vec<Formula>,
    pub has_extern: bool,
    pub statements: Vec<Statement>,
}

impl Model {
    /// The indices of a statement along a dimension, in its order.
    pub fn points(&self, s: &Statement, d: usize, sizes: &[i64]) -> Vec<i64> {
        let r = self.arrays[s.targets[0]].ranges[d];
        match &s.along[d] {
            Along::Place(p) => vec![p.value(&[], sizes)],
            Along::Axis { skip, step, down } => {
                let (first, end) = (skip[0], r.count(sizes[d]) - skip[1]);
                let places = (first..end).step_by(*step as usize);
                let mut all: Vec<i64> = places.map(|p| r.low + p * r.by).collect();
                if *down {
                    all.reverse();
                }
                all
            }
        }
    }

    /// All points of a statement, in an order in which those that carry come after each other.
    pub fn all_points(&self, s: &Statement, sizes: &[i64]) -> Vec<Vec<i64>> {
        let mut order = s.carried.clone();
        order.extend((0..self.rank).filter(|d| !s.carried.contains(d)));
        let mut all = vec![vec![0; self.rank]];
        for d in order {
            let along = self.points(s, d, sizes);
            let at = |p: &Vec<i64>, x: i64| {
                let mut p = p.clone();
                p[d] = x;
                p
            };
            let more = |p: &Vec<i64>| along.iter().map(|x| at(p, *x)).collect::<Vec<_>>();
            all = all.iter().flat_map(more).collect();
        }
        all
    }
}
