//! Loops and conditions of random programs.

use super::affine::{Expr, Names, Operand};
use super::generate::{Generator, MAX_TRIPS, NUMBERS, Ty};
use super::program::Stmt;

impl Generator {
    /// A bound with its range; `lower` ones are maxima where they are lists.
    pub(super) fn bound(&mut self, lower: bool, from: i64) -> (String, i64, i64) {
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

    pub(super) fn affine_for(&mut self, out: &mut Vec<Stmt>) {
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

    pub(super) fn yields(&mut self, op: &str, carried: &[(Ty, String)], body: &mut Vec<Stmt>) {
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
    pub(super) fn results(
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

    pub(super) fn conditional(&mut self, affine: bool, out: &mut Vec<Stmt>) {
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
    pub(super) fn parallel(&mut self, out: &mut Vec<Stmt>) {
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
}
