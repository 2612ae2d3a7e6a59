//! Random programs of affine loops. They run to an end, stay within their arrays and
//! divide by no zero, by construction.

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

const DATA: [Ty; 4] = [Ty::F64, Ty::F32, Ty::I32, Ty::I64];
const NUMBERS: [Ty; 5] = [Ty::F64, Ty::F32, Ty::I32, Ty::I64, Ty::Index];

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

#[derive(Clone)]
struct Array {
    name: String,
    ty: Ty,
    extents: Vec<i64>,
    memref: String,
}

/// Iterations of one nest, all loops together.
const MAX_TRIPS: i64 = 400;

pub struct Generator {
    pub(super) rng: Rng,
    names: usize,
    values: Vec<(String, Ty)>,
    operands: Vec<Operand>,
    arrays: Vec<Array>,
    /// The array that a parallel loop writes: it may not read it, nor write another.
    owned: Option<String>,
    in_parallel: bool,
    trips: i64,
    budget: usize,
    has_helper: bool,
}

/// What is in scope, to go back to at the end of a block.
struct Scope(usize, usize, usize, i64);

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

    fn enter(&self) -> Scope {
        Scope(
            self.values.len(),
            self.operands.len(),
            self.arrays.len(),
            self.trips,
        )
    }

    fn leave(&mut self, s: &Scope) {
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

    /// `[subscripts]` of an access that stays within the array.
    fn subscripts(&mut self, a: &Array, own: bool) -> String {
        let loops: Vec<Operand> = self
            .operands
            .iter()
            .filter(|o| !o.symbol)
            .cloned()
            .collect();
        let tidy = own || self.rng.chance(60);
        let mut parts = Vec::new();
        for (d, extent) in a.extents.iter().enumerate() {
            let e = if own {
                Expr::of(&loops[d])
            } else if tidy && loops.len() >= a.extents.len() {
                let o = &loops[loops.len() - a.extents.len() + d];
                let shift = self.rng.between(-1, 1);
                let e = Expr::of(o).plus(shift);
                let (low, high) = e.range();
                if low >= 0 && high < *extent {
                    e
                } else {
                    Expr::of(o).fit(&mut self.rng, *extent)
                }
            } else {
                let operands = self.operands.clone();
                let e = Expr::random(&mut self.rng, &operands);
                e.fit(&mut self.rng, *extent)
            };
            parts.push(e.text(&mut |o| {
                if o.symbol {
                    format!("symbol({})", o.name)
                } else {
                    o.name.clone()
                }
            }));
        }
        format!("[{}]", parts.join(", "))
    }

    fn readable(&mut self) -> Option<Array> {
        let owned = self.owned.clone();
        let arrays: Vec<Array> = self
            .arrays
            .iter()
            .filter(|a| Some(&a.name) != owned.as_ref())
            .cloned()
            .collect();
        if arrays.is_empty() {
            None
        } else {
            Some(self.rng.pick(&arrays).clone())
        }
    }

    fn load(&mut self, out: &mut Vec<Stmt>) {
        let Some(a) = self.readable() else { return };
        if self.rng.chance(8) {
            // A subscript that no analysis sees through.
            let mut at = Vec::new();
            for e in &a.extents {
                let v = self.value(Ty::Index, out);
                let n = self.define(Ty::Index, &format!("arith.constant {e} : index"), out);
                at.push(self.define(Ty::Index, &format!("arith.remui {v}, {n} : index"), out));
            }
            let text = format!("memref.load {}[{}] : {}", a.name, at.join(", "), a.memref);
            self.define(a.ty, &text, out);
            return;
        }
        let at = self.subscripts(&a, false);
        self.define(
            a.ty,
            &format!("affine.load {}{at} : {}", a.name, a.memref),
            out,
        );
    }

    fn store(&mut self, out: &mut Vec<Stmt>) {
        if self.in_parallel || self.arrays.is_empty() {
            return;
        }
        let a = self.rng.pick(&self.arrays.clone()).clone();
        let v = self.value(a.ty, out);
        let at = self.subscripts(&a, false);
        out.push(Stmt::Line(format!(
            "affine.store {v}, {}{at} : {}",
            a.name, a.memref
        )));
    }

    /// A bound with its range; `lower` ones are maxima where they are lists.
    fn bound(&mut self, lower: bool, from: i64) -> (String, i64, i64) {
        let far = self.rng.between(0, 7);
        let constant = if lower {
            self.rng.between(-1, 3)
        } else {
            from + far
        };
        if self.operands.is_empty() || self.rng.chance(45) {
            return (constant.to_string(), constant, constant);
        }
        let symbols: Vec<Operand> = self.operands.iter().filter(|o| o.symbol).cloned().collect();
        if !symbols.is_empty() && self.rng.chance(30) {
            let o = self.rng.pick(&symbols);
            return (o.name.clone(), o.low, o.high);
        }
        let operands = self.operands.clone();
        let mut names = Names::default();
        let mut exprs = Vec::new();
        let mut range: Option<(i64, i64)> = None;
        for _ in 0..if self.rng.chance(25) { 2 } else { 1 } {
            let e = match self.rng.chance(70) {
                true => Expr::of(self.rng.pick(&operands)),
                false => Expr::random(&mut self.rng, &operands),
            };
            let (low, high) = e.range();
            // Near the range that gives a few iterations.
            let e = match lower {
                true => e.plus(constant - low),
                false => e.plus((constant - high).clamp(-4, 4)),
            };
            let (low, high) = if lower {
                (constant, constant + high - low)
            } else {
                e.range()
            };
            range = Some(match range {
                None => (low, high),
                Some((l, h)) if lower => (l.max(low), h.max(high)),
                Some((l, h)) => (l.min(low), h.min(high)),
            });
            exprs.push(e.text(&mut |o| names.name(o)));
        }
        let (low, high) = range.unwrap_or((0, 0));
        let word = match (exprs.len(), lower) {
            (1, _) => "",
            (_, true) => "max ",
            (_, false) => "min ",
        };
        let (formal, actual) = (names.formal(), names.actual());
        let map = format!(
            "{word}affine_map<{formal} -> ({})>{actual}",
            exprs.join(", ")
        );
        (map, low, high)
    }

    fn affine_for(&mut self, out: &mut Vec<Stmt>) {
        let (lower, low, _) = self.bound(true, 0);
        let (upper, _, high) = self.bound(false, low);
        let step = if self.rng.chance(75) {
            1
        } else {
            self.rng.between(2, 3)
        };
        let trips = ((high - low).max(1) + step - 1) / step;
        if self.trips * trips > MAX_TRIPS {
            return;
        }
        let mut carried = Vec::new();
        if self.rng.chance(35) {
            for _ in 0..self.rng.below(2) + 1 {
                let ty = *self.rng.pick(&NUMBERS);
                carried.push((ty, self.value(ty, out)));
            }
        }
        let scope = self.enter();
        self.trips *= trips;
        let iv = self.fresh("i");
        let mut head = format!("affine.for {iv} = {lower} to {upper}");
        if step > 1 {
            head.push_str(&format!(" step {step}"));
        }
        self.operands.push(Operand {
            name: iv,
            low,
            high: low.max(high - 1),
            symbol: false,
        });
        let types: Vec<&str> = carried.iter().map(|c| c.0.text()).collect();
        if !carried.is_empty() {
            let mut args = Vec::new();
            for (ty, init) in &carried {
                let name = self.fresh("r");
                args.push(format!("{name} = {init}"));
                self.values.push((name, *ty));
            }
            head.push_str(&format!(
                " iter_args({}) -> ({})",
                args.join(", "),
                types.join(", ")
            ));
        }
        let mut body = Vec::new();
        self.block(&mut body);
        if self.rng.chance(if carried.is_empty() { 85 } else { 30 }) {
            self.store(&mut body);
        }
        self.yields("affine.yield", &carried, &mut body);
        self.leave(&scope);
        self.results(head, &carried, body, None, out);
    }

    fn yields(&mut self, op: &str, carried: &[(Ty, String)], body: &mut Vec<Stmt>) {
        if carried.is_empty() {
            return;
        }
        let values: Vec<String> = carried.iter().map(|c| self.value(c.0, body)).collect();
        let types: Vec<&str> = carried.iter().map(|c| c.0.text()).collect();
        body.push(Stmt::Line(format!(
            "{op} {} : {}",
            values.join(", "),
            types.join(", ")
        )));
    }

    /// A block statement with results of these types.
    fn results(
        &mut self,
        head: String,
        types: &[(Ty, String)],
        body: Vec<Stmt>,
        other: Option<Vec<Stmt>>,
        out: &mut Vec<Stmt>,
    ) {
        let name = self.fresh("x");
        let head = match types.len() {
            0 => head,
            1 => format!("{name} = {head}"),
            n => format!("{name}:{n} = {head}"),
        };
        for (i, (ty, _)) in types.iter().enumerate() {
            let v = if types.len() == 1 {
                name.clone()
            } else {
                format!("{name}#{i}")
            };
            self.values.push((v, *ty));
        }
        out.push(Stmt::Block { head, body, other });
    }

    fn conditional(&mut self, affine: bool, out: &mut Vec<Stmt>) {
        let mut head = match affine {
            true => {
                let operands = self.operands.clone();
                let mut names = Names::default();
                let mut all = Vec::new();
                for _ in 0..self.rng.below(2) + 1 {
                    let e = Expr::random(&mut self.rng, &operands);
                    let (low, high) = e.range();
                    let e = e.plus(-(low + high) / 2);
                    let sign = if self.rng.chance(80) { ">=" } else { "==" };
                    all.push(format!("{} {sign} 0", e.text(&mut |o| names.name(o))));
                }
                let set = format!("affine_set<{} : ({})>", names.formal(), all.join(", "));
                format!("affine.if {set}{}", names.actual())
            }
            false => format!("scf.if {}", self.value(Ty::I1, out)),
        };
        let mut types = Vec::new();
        if self.rng.chance(40) {
            for _ in 0..self.rng.below(2) + 1 {
                types.push((*self.rng.pick(&NUMBERS), String::new()));
            }
            let list: Vec<&str> = types.iter().map(|t| t.0.text()).collect();
            head.push_str(&format!(" -> ({})", list.join(", ")));
        }
        // `affine.if` writes `-> f64` for one result and `-> (f64, i32)` for more; both
        // take the parentheses.
        let op = if affine { "affine.yield" } else { "scf.yield" };
        let branch = |g: &mut Generator| {
            let scope = g.enter();
            let mut body = Vec::new();
            g.block(&mut body);
            if types.is_empty() {
                g.store(&mut body);
            }
            g.yields(op, &types, &mut body);
            g.leave(&scope);
            body
        };
        let body = branch(self);
        let other = (!types.is_empty() || self.rng.chance(40)).then(|| branch(self));
        self.results(head, &types, body, other, out);
    }

    /// A parallel loop over an array, each iteration writing its own element.
    fn parallel(&mut self, out: &mut Vec<Stmt>) {
        let a = self.rng.pick(&self.arrays.clone()).clone();
        let trips: i64 = a.extents.iter().product();
        if self.in_parallel || a.extents.is_empty() || self.trips * trips > MAX_TRIPS {
            return;
        }
        let scope = self.enter();
        self.trips *= trips;
        let hidden = std::mem::take(&mut self.operands);
        let ivs: Vec<String> = a.extents.iter().map(|_| self.fresh("p")).collect();
        for (iv, n) in ivs.iter().zip(&a.extents) {
            self.operands.push(Operand {
                name: iv.clone(),
                low: 0,
                high: n - 1,
                symbol: false,
            });
        }
        self.operands.extend(hidden.iter().cloned());
        self.owned = Some(a.name.clone());
        self.in_parallel = true;
        let mut body = Vec::new();
        self.block(&mut body);
        let v = self.value(a.ty, &mut body);
        let at = self.subscripts(&a, true);
        body.push(Stmt::Line(format!(
            "affine.store {v}, {}{at} : {}",
            a.name, a.memref
        )));
        self.owned = None;
        self.in_parallel = false;
        self.operands = hidden;
        self.leave(&scope);
        let zeros = vec!["0"; ivs.len()].join(", ");
        let extents: Vec<String> = a.extents.iter().map(i64::to_string).collect();
        let head = format!(
            "affine.parallel ({}) = ({zeros}) to ({})",
            ivs.join(", "),
            extents.join(", ")
        );
        out.push(Stmt::Block {
            head,
            body,
            other: None,
        });
    }

    fn block(&mut self, out: &mut Vec<Stmt>) {
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
    fn apply(&mut self, out: &mut Vec<Stmt>) {
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

    fn helper(&mut self) -> String {
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

    fn array(&mut self, name: String, may_be_open: bool) -> Array {
        let ty = *self.rng.pick(&DATA);
        let rank = *self.rng.pick(&[0, 1, 1, 1, 2, 2, 2, 3]);
        let extents: Vec<i64> = (0..rank).map(|_| self.rng.between(2, 9)).collect();
        let mut memref = "memref<".to_string();
        for e in &extents {
            match may_be_open && self.rng.chance(40) {
                true => memref.push_str("?x"),
                false => memref.push_str(&format!("{e}x")),
            }
        }
        memref.push_str(&format!("{}>", ty.text()));
        Array {
            name,
            ty,
            extents,
            memref,
        }
    }

    /// Every element of an array gets a value.
    fn fill(&mut self, a: &Array, out: &mut Vec<Stmt>) {
        let ivs: Vec<String> = a.extents.iter().map(|_| self.fresh("i")).collect();
        let v = self.value(a.ty, out);
        let store = format!(
            "affine.store {v}, {}[{}] : {}",
            a.name,
            ivs.join(", "),
            a.memref
        );
        let mut nest = Stmt::Line(store);
        for (iv, n) in ivs.iter().zip(&a.extents).rev() {
            let head = format!("affine.for {iv} = 0 to {n}");
            nest = Stmt::Block {
                head,
                body: vec![nest],
                other: None,
            };
        }
        out.push(nest);
    }
}
