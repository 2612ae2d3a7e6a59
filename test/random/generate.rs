//! Random programs of affine loops. They run to an end, stay within their arrays and
//! divide by no zero, by construction.

use super::access::Array;
use super::affine::{Expr, Names, Operand};
use super::program::{Program, Stmt};
use super::rng::Rng;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ty {
    I1,
    I32,
    I64,
    Index,
    F32,
    F64,
}

pub(super) const DATA: [Ty; 4] = [Ty::F64, Ty::F32, Ty::I32, Ty::I64];
pub(super) const NUMBERS: [Ty; 5] = [Ty::F64, Ty::F32, Ty::I32, Ty::I64, Ty::Index];

impl Ty {
    pub fn text(self) -> &'static str {
        match self {
            Ty::I1 => "i1",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::Index => "index",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }
}

/// Iterations of one nest, all loops together.
pub(super) const MAX_TRIPS: i64 = 400;

pub struct Generator {
    pub(super) rng: Rng,
    pub(super) names: usize,
    pub(super) values: Vec<(String, Ty)>,
    pub(super) operands: Vec<Operand>,
    pub(super) arrays: Vec<Array>,
    /// The array that a parallel loop writes: it may not read it, nor write another.
    pub(super) owned: Option<String>,
    pub(super) in_parallel: bool,
    pub(super) trips: i64,
    pub(super) budget: usize,
    pub(super) has_helper: bool,
}

/// What is in scope, to go back to at the end of a block.
pub(super) struct Scope(usize, usize, usize, i64);

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            rng: Rng::new(seed),
            names: 0,
            values: Vec::new(),
            operands: Vec::new(),
            arrays: Vec::new(),
            owned: None,
            in_parallel: false,
            trips: 1,
            budget: 0,
            has_helper: false,
        }
    }

    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("%{prefix}{}", self.names)
    }

    pub(super) fn define(&mut self, ty: Ty, text: &str, out: &mut Vec<Stmt>) -> String {
        let name = self.fresh("v");
        out.push(Stmt::Line(format!("{name} = {text}")));
        self.values.push((name.clone(), ty));
        name
    }

    pub(super) fn enter(&self) -> Scope {
        Scope(
            self.values.len(),
            self.operands.len(),
            self.arrays.len(),
            self.trips,
        )
    }

    pub(super) fn leave(&mut self, s: &Scope) {
        self.values.truncate(s.0);
        self.operands.truncate(s.1);
        self.arrays.truncate(s.2);
        self.trips = s.3;
    }

    pub(super) fn constant(&mut self, ty: Ty, out: &mut Vec<Stmt>) -> String {
        let v = match ty {
            Ty::I1 => ["true", "false"][self.rng.below(2)].to_string(),
            t if t.is_float() => {
                format!("{:?} : {}", self.rng.between(-8, 8) as f64 / 4.0, t.text())
            }
            t => {
                let wide = [i64::from(i32::MIN), i64::from(i32::MAX), 123_456_789];
                let v = match (t, self.rng.chance(8)) {
                    (Ty::I32 | Ty::I64, true) => *self.rng.pick(&wide),
                    _ => self.rng.between(-9, 9),
                };
                format!("{v} : {}", t.text())
            }
        };
        self.define(ty, &format!("arith.constant {v}"), out)
    }

    /// A value of a type: mostly one that there is, sooner a late one.
    pub(super) fn value(&mut self, ty: Ty, out: &mut Vec<Stmt>) -> String {
        let of_type: Vec<String> = self
            .values
            .iter()
            .filter(|v| v.1 == ty)
            .map(|v| v.0.clone())
            .collect();
        if of_type.is_empty() || self.rng.chance(10) {
            return match ty {
                Ty::I1 => self.condition(out),
                _ => self.constant(ty, out),
            };
        }
        let from = if self.rng.chance(60) {
            of_type.len().saturating_sub(4)
        } else {
            0
        };
        self.rng.pick(&of_type[from..]).clone()
    }

    pub(super) fn block(&mut self, out: &mut Vec<Stmt>) {
        for _ in 0..self.rng.below(4) + 1 {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            let deep = self.trips > MAX_TRIPS / 2;
            match self.rng.below(100) {
                0..24 if !deep => self.affine_for(out),
                24..30 => self.conditional(true, out),
                30..34 => self.conditional(false, out),
                34..37 => self.parallel(out),
                37..60 => self.load(out),
                60..66 => self.store(out),
                66..70 => self.apply(out),
                70..73 if self.has_helper => {
                    let (a, b) = (self.value(Ty::F64, out), self.value(Ty::I32, out));
                    let call = format!("func.call @helper({a}, {b}) : (f64, i32) -> f64");
                    self.define(Ty::F64, &call, out);
                }
                _ => self.operation(out),
            }
        }
    }

    /// A number computed by a map, which is itself an operand of later maps.
    pub(super) fn apply(&mut self, out: &mut Vec<Stmt>) {
        let operands = self.operands.clone();
        let e = Expr::random(&mut self.rng, &operands);
        let (low, high) = e.range();
        let mut names = Names::default();
        let text = e.text(&mut |o| names.name(o));
        let map = format!(
            "affine_map<{} -> ({text})>{}",
            names.formal(),
            names.actual()
        );
        let name = self.define(Ty::Index, &format!("affine.apply {map}"), out);
        self.operands.push(Operand {
            name,
            low,
            high,
            symbol: false,
        });
    }

    pub(super) fn helper(&mut self) -> String {
        let mut body = Vec::new();
        self.values = vec![("%a".into(), Ty::F64), ("%b".into(), Ty::I32)];
        for _ in 0..4 {
            self.operation(&mut body);
        }
        let r = self.value(Ty::F64, &mut body);
        self.values.clear();
        body.push(Stmt::Line(format!("return {r} : f64")));
        let head = "func.func private @helper(%a: f64, %b: i32) -> f64 {\n".to_string();
        Program {
            head,
            body,
            tail: "}\n".into(),
        }
        .text()
    }

    /// A whole program.
    pub fn program(mut self) -> Program {
        let mut head = String::new();
        if self.rng.chance(20) {
            self.has_helper = true;
            head = self.helper();
        }
        let mut params = Vec::new();
        for (n, ty) in [
            ("%n", Ty::Index),
            ("%m", Ty::Index),
            ("%s", Ty::F64),
            ("%k", Ty::I32),
        ] {
            let v = self.rng.between(1, 7);
            let init = if ty.is_float() {
                format!("{v}.5")
            } else {
                v.to_string()
            };
            params.push(format!("{n}: {} {{terrace.init = \"{init}\"}}", ty.text()));
            self.values.push((n.into(), ty));
            if ty == Ty::Index {
                self.operands.push(Operand {
                    name: n.into(),
                    low: v,
                    high: v,
                    symbol: true,
                });
            }
        }
        for i in 0..self.rng.below(3) + 2 {
            let a = self.array(format!("%A{i}"), true);
            let shape: Vec<String> = a.extents.iter().map(i64::to_string).collect();
            let shape = if shape.is_empty() {
                "".into()
            } else {
                format!(":{}:{i}", shape.join("x"))
            };
            let init = format!("random{shape}");
            params.push(format!(
                "{}: {} {{terrace.init = \"{init}\"}}",
                a.name, a.memref
            ));
            self.arrays.push(a);
        }
        let mut body = Vec::new();
        let given = self.arrays.clone();
        if let Some(a) = given.iter().find(|a| a.memref.contains('?')) {
            let d = a.memref[7..].split('x').position(|e| e == "?").unwrap_or(0);
            let at = self.define(Ty::Index, &format!("arith.constant {d} : index"), &mut body);
            let text = format!("memref.dim {}, {at} : {}", a.name, a.memref);
            let name = self.define(Ty::Index, &text, &mut body);
            let n = a.extents[d];
            self.operands.push(Operand {
                name,
                low: n,
                high: n,
                symbol: true,
            });
        }
        let mut local = None;
        if self.rng.chance(25) {
            let a = self.array("%local".into(), false);
            body.push(Stmt::Line(format!(
                "{} = memref.alloc() : {}",
                a.name, a.memref
            )));
            self.fill(&a, &mut body);
            local = Some(a.clone());
            self.arrays.push(a);
        }
        for _ in 0..self.rng.below(3) + 1 {
            self.budget = 14;
            self.trips = 1;
            self.affine_for(&mut body);
            self.block(&mut body);
        }
        if let Some(a) = local {
            body.push(Stmt::Line(format!(
                "memref.dealloc {} : {}",
                a.name, a.memref
            )));
        }
        let results: Vec<Ty> = (0..self.rng.below(3))
            .map(|_| *self.rng.pick(&NUMBERS))
            .collect();
        let types: Vec<&str> = results.iter().map(|t| t.text()).collect();
        let mut tail = "return".to_string();
        if !types.is_empty() {
            let values: Vec<String> = results.iter().map(|t| self.value(*t, &mut body)).collect();
            tail = format!("return {} : {}", values.join(", "), types.join(", "));
        }
        head.push_str(&format!(
            "func.func @main(\n    {}\n) -> ({}) {{\n",
            params.join(",\n    "),
            types.join(", ")
        ));
        Program {
            head,
            body,
            tail: format!("  {tail}\n}}\n"),
        }
    }
}
