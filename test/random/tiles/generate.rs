//! A random program of tiles: arrays, and statements that load, compute and store.

use super::super::rng::Rng;

/// What elements are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    F32,
    F64,
    I32,
    I64,
}

impl Elem {
    pub fn text(self) -> &'static str {
        match self {
            Elem::F32 => "f32",
            Elem::F64 => "f64",
            Elem::I32 => "i32",
            Elem::I64 => "i64",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Elem::F32 | Elem::F64)
    }

    /// A number as text.
    pub fn number(self, n: i64) -> String {
        match self.is_float() {
            true => format!("{}.5", n),
            false => n.to_string(),
        }
    }
}

/// A tile that there is, or a number: of no shape.
#[derive(Clone)]
pub struct Tile {
    pub name: String,
    pub elem: Elem,
    pub shape: Option<Vec<i64>>,
}

impl Tile {
    pub fn ty(&self) -> String {
        ty(&self.shape, self.elem.text())
    }

    pub fn is_like(&self, other: &Tile) -> bool {
        (self.elem, &self.shape) == (other.elem, &other.shape)
    }
}

/// The text of a type.
pub fn ty(shape: &Option<Vec<i64>>, elem: &str) -> String {
    match shape {
        None => elem.to_string(),
        Some(shape) => {
            let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
            format!("vector<{sizes}{elem}>")
        }
    }
}

#[derive(Clone)]
pub struct Array {
    pub name: String,
    pub elem: Elem,
    pub sizes: Vec<i64>,
}

impl Array {
    pub fn ty(&self) -> String {
        let sizes: String = self.sizes.iter().map(|n| format!("{n}x")).collect();
        format!("memref<{sizes}{}>", self.elem.text())
    }
}

/// The numbers that the arguments `%s0`, `%s1` and so on have.
pub const NUMBERS: i64 = 8;

/// So many tiles are compared besides the arrays.
const RESULTS: usize = 8;

/// A loop's variable, and its values.
#[derive(Clone)]
pub struct Counter {
    pub name: String,
    pub last: i64,
}

pub struct Gen {
    pub rng: Rng,
    body: String,
    indent: usize,
    next: usize,
    pub pool: Vec<Tile>,
    pub arrays: Vec<Array>,
    pub counters: Vec<Counter>,
    /// In a parallel loop: the array that is stored to, in the row of the loop's variable.
    pub row: Option<(usize, String)>,
}

impl Gen {
    pub fn line(&mut self, text: &str) {
        self.body.push_str(&"  ".repeat(self.indent));
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// A line that opens a region.
    pub fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    /// A line that ends one.
    pub fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }

    /// Goes into a region whose opening stands in the line before.
    pub fn indent_again(&mut self) {
        self.indent += 1;
    }

    pub fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Adds what a line computes to what there is.
    pub fn define(&mut self, elem: Elem, shape: Option<Vec<i64>>, text: &str) -> Tile {
        let name = self.name();
        self.line(&format!("{name} = {text}"));
        let tile = Tile { name, elem, shape };
        self.pool.push(tile.clone());
        tile
    }

    /// Defines an index of this value, in one of several ways.
    pub fn number(&mut self, value: i64) -> String {
        let known = (0..NUMBERS).contains(&value);
        match self.rng.below(4) {
            0 if known => {
                // Not known in the affine dialect within loops.
                let name = self.name();
                let at = self.constant(value);
                self.line(&format!(
                    "{name} = memref.load %numbers[{at}] : memref<8xindex>"
                ));
                name
            }
            1 if known => {
                let a = self.rng.between(0, value);
                let name = self.name();
                self.line(&format!(
                    "{name} = arith.addi %s{a}, %s{} : index",
                    value - a
                ));
                name
            }
            2 if known => format!("%s{value}"),
            _ => self.constant(value),
        }
    }

    pub fn constant(&mut self, value: i64) -> String {
        let name = self.name();
        self.line(&format!("{name} = arith.constant {value} : index"));
        name
    }

    /// Stores what was computed last to arrays of its own, so that it is compared.
    fn keep_results(&mut self) {
        let mut tiles = self.pool.clone();
        tiles.retain(|t| t.shape.is_some());
        for (k, tile) in tiles.iter().rev().take(RESULTS).enumerate() {
            let shape = tile.shape.clone().unwrap_or_default();
            let subscripts: Vec<String> = (0..shape.len()).map(|d| format!("d{d}")).collect();
            let array = Array {
                name: format!("%R{k}"),
                elem: tile.elem,
                sizes: [vec![1], shape].concat(),
            };
            self.line(&format!(
                "tile.store {}, {}[{}] : {}, {}",
                tile.name,
                array.name,
                [vec!["0".to_string()], subscripts].concat().join(", "),
                tile.ty(),
                array.ty()
            ));
            self.arrays.push(array);
        }
    }

    /// A shape of small sizes.
    pub fn shape(&mut self, rank: usize) -> Vec<i64> {
        (0..rank).map(|_| self.rng.between(1, 5)).collect()
    }

    /// Any tile there is.
    pub fn tile(&mut self) -> Option<Tile> {
        let tiles: Vec<Tile> = self
            .pool
            .iter()
            .filter(|t| t.shape.is_some())
            .cloned()
            .collect();
        (!tiles.is_empty()).then(|| self.rng.pick(&tiles).clone())
    }

    /// One of the type of `like`: of those there are, or a new one.
    pub fn other(&mut self, like: &Tile) -> Tile {
        let all: Vec<Tile> = self
            .pool
            .iter()
            .filter(|t| t.is_like(like))
            .cloned()
            .collect();
        if !all.is_empty() && self.rng.chance(80) {
            return self.rng.pick(&all).clone();
        }
        let number = like.elem.number(self.rng.between(-3, 4));
        let value = match &like.shape {
            None => number,
            Some(_) => format!("dense<{number}>"),
        };
        let text = format!("arith.constant {value} : {}", like.ty());
        self.define(like.elem, like.shape.clone(), &text)
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut g = Gen {
        rng: Rng::new(seed ^ 0x7111e5),
        body: String::new(),
        indent: 1,
        next: 0,
        pool: Vec::new(),
        arrays: Vec::new(),
        counters: Vec::new(),
        row: None,
    };
    let first = *g.rng.pick(&[Elem::F32, Elem::F64, Elem::I32, Elem::I64]);
    for k in 0..g.rng.between(3, 4) {
        let elem = match g.rng.chance(60) {
            true => first,
            false => *g.rng.pick(&[Elem::F32, Elem::F64, Elem::I32, Elem::I64]),
        };
        let rank = g.rng.between(1, 3);
        let sizes = (0..rank).map(|_| g.rng.between(2, 8)).collect();
        g.arrays.push(Array {
            name: format!("%A{k}"),
            elem,
            sizes,
        });
    }
    g.line("%numbers = memref.alloca() : memref<8xindex>");
    for k in 0..NUMBERS {
        let c = g.constant(k);
        g.line(&format!(
            "memref.store %s{k}, %numbers[{c}] : memref<8xindex>"
        ));
    }
    for _ in 0..g.rng.between(6, 14) {
        g.statement(0);
    }
    g.keep_results();
    let mut args: Vec<String> = (0..NUMBERS)
        .map(|k| format!("%s{k}: index {{terrace.init = \"{k}\"}}"))
        .collect();
    for (k, a) in g.arrays.iter().enumerate() {
        let sizes: Vec<String> = a.sizes.iter().map(i64::to_string).collect();
        let init = format!("random:{}:{k}", sizes.join("x"));
        args.push(format!(
            "{}: {} {{terrace.init = \"{init}\"}}",
            a.name,
            a.ty()
        ));
    }
    let (body, args) = (g.body, args.join(", "));
    format!("func.func @main({args}) {{\n{body}  return\n}}\n")
}
