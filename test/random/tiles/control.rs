//! Loops and conditions around tiles.

use super::generate::{Counter, Gen, Tile};

/// How deep loops and conditions nest.
const DEEPEST: usize = 2;

impl Gen {
    pub fn statement(&mut self, depth: usize) {
        match self.rng.below(20) {
            0..=3 => self.load(),
            4..=10 => self.compute(),
            11..=13 => self.reduce(),
            14..=16 => self.store(),
            17 | 18 if depth < DEEPEST => match self.rng.chance(50) {
                true => self.serial(depth),
                false => self.condition(depth),
            },
            19 if depth < DEEPEST && self.row.is_none() => self.parallel(depth),
            _ => self.compute(),
        }
    }

    /// Some statements; what they define is gone behind them.
    fn block(&mut self, depth: usize) {
        for _ in 0..self.rng.between(1, 4) {
            self.statement(depth + 1);
        }
    }

    /// Tiles to hand on, one, two or none.
    fn handed(&mut self) -> Vec<Tile> {
        let mut all = Vec::new();
        for _ in 0..self.rng.below(3) {
            all.extend(self.tile());
        }
        if let (1, true) = (all.len(), self.rng.chance(40)) {
            // Two of one type may change places.
            let like = all[0].clone();
            let other = self.other(&like);
            all.push(other);
        }
        all
    }

    /// One tile for each type, of those there are.
    fn yielded(&mut self, types: &[Tile]) -> Vec<Tile> {
        types.iter().map(|t| self.other(t)).collect()
    }

    fn yield_line(&mut self, dialect: &str, values: &[Tile]) {
        if !values.is_empty() {
            let (names, types) = (names(values), types(values));
            self.line(&format!("{dialect}.yield {names} : {types}"));
        }
    }

    /// The results of an op that hands these on: the start of its line.
    fn results(&mut self, handed: &[Tile]) -> (String, Vec<Tile>) {
        let all: Vec<Tile> = (handed.iter())
            .map(|t| Tile {
                name: self.name(),
                ..t.clone()
            })
            .collect();
        let text = match all.is_empty() {
            true => String::new(),
            false => format!("{} = ", names(&all)),
        };
        (text, all)
    }

    fn serial(&mut self, depth: usize) {
        let inits = self.handed();
        let (start, results) = self.results(&inits);
        let (_, args) = self.results(&inits);
        let carried = match inits.is_empty() {
            true => String::new(),
            false => {
                let pairs = args.iter().zip(&inits);
                let pairs: Vec<String> = pairs
                    .map(|(a, i)| format!("{} = {}", a.name, i.name))
                    .collect();
                format!(" iter_args({}) -> ({})", pairs.join(", "), types(&inits))
            }
        };
        let iv = self.name();
        let trips = self.rng.between(0, 3);
        let dialect = match self.rng.chance(50) {
            true => {
                let (zero, one) = (self.constant(0), self.constant(1));
                let end = self.number(trips);
                self.open(&format!(
                    "{start}scf.for {iv} = {zero} to {end} step {one}{carried} {{"
                ));
                "scf"
            }
            false => {
                self.open(&format!(
                    "{start}affine.for {iv} = 0 to {trips}{carried} {{"
                ));
                "affine"
            }
        };
        let before = self.pool.len();
        self.pool.extend(args.clone());
        self.counters.push(Counter {
            name: iv,
            last: (trips - 1).max(0),
        });
        self.block(depth);
        let values = match &args[..] {
            [a, b] if a.is_like(b) && self.rng.chance(60) => vec![b.clone(), a.clone()],
            _ => self.yielded(&inits),
        };
        self.yield_line(dialect, &values);
        self.pool.truncate(before);
        self.counters.pop();
        self.close("}");
        self.pool.extend(results);
    }

    fn condition(&mut self, depth: usize) {
        let handed = self.handed();
        let (start, results) = self.results(&handed);
        let to = match handed.is_empty() {
            true => String::new(),
            false => format!(" -> ({})", types(&handed)),
        };
        let (a, b) = (self.rng.between(0, 7), self.rng.between(0, 7));
        let dialect = match self.rng.chance(50) {
            true => {
                let condition = self.name();
                self.line(&format!(
                    "{condition} = arith.cmpi slt, %s{a}, %s{b} : index"
                ));
                self.open(&format!("{start}scf.if {condition}{to} {{"));
                "scf"
            }
            false => {
                let to = to.replace("-> (", "-> ").replace(')', "");
                let to = if handed.len() > 1 {
                    format!(" -> ({})", types(&handed))
                } else {
                    to
                };
                self.open(&format!(
                    "{start}affine.if affine_set<(d0) : (d0 - {b} >= 0)>(%s{a}){to} {{"
                ));
                "affine"
            }
        };
        for last in [false, true] {
            let before = self.pool.len();
            self.block(depth);
            let values = self.yielded(&handed);
            self.yield_line(dialect, &values);
            self.pool.truncate(before);
            match last {
                true => self.close("}"),
                false => {
                    self.close("} else {");
                    self.indent_again();
                }
            }
        }
        self.pool.extend(results);
    }

    /// Iterations that store to rows of their own.
    fn parallel(&mut self, depth: usize) {
        let k = self.rng.below(self.arrays.len());
        let array = self.arrays[k].clone();
        let iv = self.name();
        let trips = self.rng.between(1, array.sizes[0]);
        match self.rng.chance(50) {
            true => {
                let (zero, one, end) = (self.constant(0), self.constant(1), self.number(trips));
                self.open(&format!(
                    "scf.parallel ({iv}) = ({zero}) to ({end}) step ({one}) {{"
                ));
            }
            false => self.open(&format!("affine.parallel ({iv}) = (0) to ({trips}) {{")),
        }
        let before = self.pool.len();
        self.row = Some((k, iv.clone()));
        self.counters.push(Counter {
            name: iv,
            last: trips - 1,
        });
        self.block(depth);
        self.store();
        self.counters.pop();
        self.row = None;
        self.pool.truncate(before);
        self.close("}");
    }
}

fn names(tiles: &[Tile]) -> String {
    let all: Vec<&str> = tiles.iter().map(|t| t.name.as_str()).collect();
    all.join(", ")
}

fn types(tiles: &[Tile]) -> String {
    let all: Vec<String> = tiles.iter().map(Tile::ty).collect();
    all.join(", ")
}
