//! Random nests of affine loops with statements at every depth, for schedules: bounds
//! that are triangles, minima and parameters, guards, several statements that touch
//! the same arrays, sums in memory and in carried values. They stay within their
//! arrays by construction.

use super::affine::{Expr, Names, Operand};
use super::program::{Program, Stmt};
use super::rng::Rng;

/// A loop of the program, as schedules find it.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The name of its induction variable.
    pub iv: String,
    /// Loops that are perfectly nested from this one on, itself counted, by their
    /// places in the list of all.
    pub band: Vec<usize>,
    /// The loops in it.
    pub inside: Vec<usize>,
    /// The loop right behind it in the same body.
    pub next: Option<usize>,
    /// The statements directly in it.
    pub statements: usize,
}

/// A random program and its loops, outer before inner, in the order of the text.
pub struct Nests {
    pub program: Program,
    pub loops: Vec<Loop>,
}

#[derive(Clone)]
struct Array {
    name: String,
    extents: Vec<i64>,
    float: bool,
}

impl Array {
    fn element(&self) -> &'static str {
        if self.float { "f64" } else { "i64" }
    }

    fn memref(&self) -> String {
        let extents: String = self.extents.iter().map(|e| format!("{e}x")).collect();
        format!("memref<{extents}{}>", self.element())
    }
}

/// Iterations of one nest, all loops together.
const MAX_TRIPS: i64 = 400;

struct Builder {
    rng: Rng,
    names: usize,
    operands: Vec<Operand>,
    arrays: Vec<Array>,
    loops: Vec<Loop>,
    depth: usize,
    trips: i64,
    /// Statements still to be made.
    budget: usize,
}

/// The program of a seed.
pub fn nests(seed: u64) -> Nests {
    let mut b = Builder {
        rng: Rng::new(seed),
        names: 0,
        operands: Vec::new(),
        arrays: Vec::new(),
        loops: Vec::new(),
        depth: 0,
        trips: 1,
        budget: 5,
    };
    let mut params = Vec::new();
    for n in ["%n", "%m"] {
        let v = match b.rng.chance(85) {
            true => b.rng.between(4, 7),
            false => b.rng.between(0, 2),
        };
        params.push(format!("{n}: index {{terrace.init = \"{v}\"}}"));
        b.operands.push(Operand {
            name: n.into(),
            low: v,
            high: v,
            symbol: true,
        });
    }
    for i in 0..b.rng.below(2) + 1 {
        let rank = *b.rng.pick(&[1, 1, 2, 2, 2, 0]);
        let a = Array {
            name: format!("%A{i}"),
            extents: (0..rank).map(|_| b.rng.between(7, 12)).collect(),
            float: b.rng.chance(20),
        };
        let sizes: Vec<String> = a.extents.iter().map(i64::to_string).collect();
        let init = match sizes.is_empty() {
            true => "random".to_string(),
            false => format!("random:{}:{i}", sizes.join("x")),
        };
        params.push(format!(
            "{}: {} {{terrace.init = \"{init}\"}}",
            a.name,
            a.memref()
        ));
        b.arrays.push(a);
    }
    let mut body = Vec::new();
    let mut siblings = Vec::new();
    for _ in 0..b.rng.below(2) + 1 {
        siblings.extend(b.affine_for(&mut body));
    }
    b.link(&siblings);
    let head = format!("func.func @main(\n    {}\n) {{\n", params.join(",\n    "));
    Nests {
        program: Program {
            head,
            body,
            tail: "  return\n}\n".into(),
        },
        loops: b.loops,
    }
}

impl Builder {
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("%{prefix}{}", self.names)
    }

    fn link(&mut self, siblings: &[usize]) {
        for pair in siblings.windows(2) {
            self.loops[pair[0]].next = Some(pair[1]);
        }
    }

    /// An expression as text of an affine map.
    fn map(e: &[Expr]) -> String {
        let mut names = Names::default();
        let results: Vec<String> = e.iter().map(|e| e.text(&mut |o| names.name(o))).collect();
        format!(
            "affine_map<{} -> ({})>{}",
            names.formal(),
            results.join(", "),
            names.actual()
        )
    }

    /// A bound: a number, a variable or parameter with something added, or any affine
    /// expression. Lower ones are mostly less than upper ones.
    fn bound(&mut self, lower: bool) -> Expr {
        let operands = self.operands.clone();
        let variables: Vec<Operand> = operands.iter().filter(|o| !o.symbol).cloned().collect();
        let parameters: Vec<Operand> = operands.iter().filter(|o| o.symbol).cloned().collect();
        let roll = self.rng.below(20);
        match (lower, roll) {
            (true, 0..10) => Expr::constant(self.rng.between(0, 1)),
            (false, 0..6) => Expr::constant(self.rng.between(4, 8)),
            (false, 6..12) => {
                let o = self.rng.pick(&parameters).clone();
                Expr::of(&o).plus(self.rng.between(-1, 1))
            }
            (_, 0..18) if !variables.is_empty() => {
                let o = self.rng.pick(&variables).clone();
                let more = if lower { (0, 1) } else { (2, 5) };
                Expr::of(&o).plus(self.rng.between(more.0, more.1))
            }
            _ => Expr::random(&mut self.rng, &operands),
        }
    }

    /// A loop, and its place among all; none where it would run too often.
    fn affine_for(&mut self, out: &mut Vec<Stmt>) -> Option<usize> {
        let mut lower = vec![self.bound(true)];
        let mut upper = vec![self.bound(false)];
        if self.rng.chance(8) {
            lower.push(self.bound(true));
        }
        if self.rng.chance(15) {
            upper.push(self.bound(false));
        }
        let low = lower.iter().map(|e| e.range().0).max().unwrap_or(0);
        let high = upper.iter().map(|e| e.range().1).min().unwrap_or(0);
        let step = match self.rng.chance(92) {
            true => 1,
            false => self.rng.between(2, 3),
        };
        let trips = (high - low).max(1);
        if self.trips * trips > MAX_TRIPS || trips > 20 {
            return None;
        }
        let number = self.loops.len();
        let iv = format!("i{number}");
        let operand = Operand {
            name: format!("%{iv}"),
            low,
            high: low.max(high - 1),
            symbol: false,
        };
        self.loops.push(Loop {
            iv: iv.clone(),
            band: Vec::new(),
            inside: Vec::new(),
            next: None,
            statements: 0,
        });
        let mut head = format!(
            "affine.for %{iv} = max {} to min {}",
            Self::map(&lower),
            Self::map(&upper)
        );
        if step > 1 {
            head.push_str(&format!(" step {step}"));
        }
        self.operands.push(operand);
        self.depth += 1;
        let before = self.trips;
        self.trips *= trips;
        let mut body = Vec::new();
        let carried = self.rng.chance(10);
        if carried {
            self.carried(&mut head, &mut body, out);
            self.loops[number].statements = 1;
        } else {
            self.body(number, &mut body);
        }
        self.trips = before;
        self.depth -= 1;
        self.operands.pop();
        if !carried {
            out.push(Stmt::Block {
                head,
                body,
                other: None,
            });
        }
        self.loops[number].inside = (number + 1..self.loops.len()).collect();
        let only = self.loops[number].band.pop();
        let mut band = vec![number];
        if let Some(inner) = only {
            band.extend(self.loops[inner].band.clone());
        }
        self.loops[number].band = band;
        Some(number)
    }

    /// What a loop holds: another loop and nothing else, or this and that.
    fn body(&mut self, number: usize, out: &mut Vec<Stmt>) {
        if self.depth < 3
            && self.rng.chance(55)
            && let Some(inner) = self.affine_for(out)
        {
            // For the caller, which makes the band of it.
            let alone = out.len() == 1;
            self.loops[number].band = if alone { vec![inner] } else { Vec::new() };
            return;
        }
        let mut siblings = Vec::new();
        for _ in 0..(self.rng.below(3) + 1).min(self.budget.max(1)) {
            match self.rng.below(10) {
                0..3 if self.depth < 3 && self.budget > 1 => siblings.extend(self.affine_for(out)),
                3 => self.guarded(out),
                _ => self.statement(out),
            }
        }
        self.link(&siblings);
        self.loops[number].statements = out.len();
    }

    fn guarded(&mut self, out: &mut Vec<Stmt>) {
        let e = self.bound(false);
        let mut names = Names::default();
        let first = e.text(&mut |o| names.name(o));
        let operands = self.operands.clone();
        let others: Vec<&Operand> = operands.iter().filter(|o| !o.symbol).collect();
        let o = (*self.rng.pick(&others)).clone();
        let second = names.name(&o);
        let head = format!(
            "affine.if affine_set<{} : ({first} - {second} >= 0)>{}",
            names.formal(),
            names.actual()
        );
        let mut body = Vec::new();
        self.statement(&mut body);
        let mut other = Vec::new();
        if self.rng.chance(30) {
            self.statement(&mut other);
        }
        out.push(Stmt::Block {
            head,
            body,
            other: (!other.is_empty()).then_some(other),
        });
    }

    /// An element of an array: its subscripts and type.
    fn element(&mut self, a: &Array) -> String {
        let operands = self.operands.clone();
        let subscripts: Vec<Expr> = a
            .extents
            .iter()
            .map(|n| {
                let ivs: Vec<Operand> = operands.iter().filter(|o| !o.symbol).cloned().collect();
                let e = match self.rng.chance(80) && !ivs.is_empty() {
                    true => {
                        let o = self.rng.pick(&ivs).clone();
                        Expr::of(&o).plus(self.rng.between(-1, 1))
                    }
                    false => Expr::random(&mut self.rng, &operands),
                };
                // Most fit as they are, which keeps them simple.
                match e.range() {
                    (low, high) if low >= 0 && high < *n => e,
                    _ => e.fit(&mut self.rng, *n),
                }
            })
            .collect();
        let plain: Vec<String> = subscripts
            .iter()
            .map(|e| e.text(&mut |o| o.name.clone()))
            .collect();
        format!("{}[{}] : {}", a.name, plain.join(", "), a.memref())
    }

    /// Something computed from elements and variables, and its value.
    fn value(&mut self, float: bool, out: &mut Vec<Stmt>) -> String {
        let arrays: Vec<Array> = self
            .arrays
            .iter()
            .filter(|a| a.float == float)
            .cloned()
            .collect();
        let v = self.fresh("v");
        if !arrays.is_empty() && self.rng.chance(80) {
            let a = self.rng.pick(&arrays).clone();
            let at = self.element(&a);
            out.push(Stmt::Line(format!("{v} = affine.load {at}")));
            return v;
        }
        let operands = self.operands.clone();
        let o = self.rng.pick(&operands).clone();
        let integer = if float { self.fresh("v") } else { v.clone() };
        out.push(Stmt::Line(format!(
            "{integer} = arith.index_cast {} : index to i64",
            o.name
        )));
        if float {
            out.push(Stmt::Line(format!(
                "{v} = arith.sitofp {integer} : i64 to f64"
            )));
        }
        v
    }

    fn combined(&mut self, float: bool, a: &str, b: &str, out: &mut Vec<Stmt>) -> String {
        let op = *match float {
            true => self.rng.pick(&["addf", "subf", "mulf"]),
            false => self.rng.pick(&["addi", "subi", "muli", "xori"]),
        };
        let ty = if float { "f64" } else { "i64" };
        let v = self.fresh("v");
        out.push(Stmt::Line(format!("{v} = arith.{op} {a}, {b} : {ty}")));
        v
    }

    /// An element stored, made of one or two others; often of its old value.
    fn statement(&mut self, out: &mut Vec<Stmt>) {
        self.budget = self.budget.saturating_sub(1);
        let arrays = self.arrays.clone();
        let a = self.rng.pick(&arrays).clone();
        let at = self.element(&a);
        let mut v = self.value(a.float, out);
        if self.rng.chance(60) {
            let w = self.value(a.float, out);
            v = self.combined(a.float, &v, &w, out);
        }
        if self.rng.chance(40) {
            let old = self.fresh("v");
            out.push(Stmt::Line(format!("{old} = affine.load {at}")));
            v = self.combined(a.float, &old, &v, out);
        }
        out.push(Stmt::Line(format!("affine.store {v}, {at}")));
    }

    /// A loop that carries a number, stored behind it.
    fn carried(&mut self, head: &mut String, body: &mut Vec<Stmt>, out: &mut Vec<Stmt>) {
        let a = self.arrays[0].clone();
        let ty = a.element();
        let (init, arg, result) = (self.fresh("c"), self.fresh("r"), self.fresh("x"));
        let zero = if a.float { "0.0" } else { "0" };
        out.push(Stmt::Line(format!("{init} = arith.constant {zero} : {ty}")));
        head.push_str(&format!(" iter_args({arg} = {init}) -> ({ty})"));
        let v = self.value(a.float, body);
        let v = self.combined(a.float, &arg, &v, body);
        body.push(Stmt::Line(format!("affine.yield {v} : {ty}")));
        out.push(Stmt::Block {
            head: format!("{result} = {head}"),
            body: std::mem::take(body),
            other: None,
        });
        let inner = self.operands.pop();
        let at = self.element(&a);
        self.operands.extend(inner);
        out.push(Stmt::Line(format!("affine.store {result}, {at}")));
    }
}
