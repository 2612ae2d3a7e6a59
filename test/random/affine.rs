//! Affine expressions whose range is known.

use super::rng::Rng;

/// An operand of a map: a name and the values that it takes.
#[derive(Clone)]
pub struct Operand {
    pub name: String,
    pub low: i64,
    pub high: i64,
    pub symbol: bool,
}

#[derive(Clone, Copy)]
enum Wrap {
    Floor(i64),
    Ceil(i64),
    Mod(i64),
}

/// `(sum of coefficient * operand + constant) wrapped + after`.
#[derive(Clone)]
pub struct Expr {
    terms: Vec<(i64, Operand)>,
    constant: i64,
    wrap: Option<Wrap>,
    after: i64,
}

impl Expr {
    pub fn constant(c: i64) -> Expr {
        Expr {
            terms: Vec::new(),
            constant: c,
            wrap: None,
            after: 0,
        }
    }

    pub fn of(o: &Operand) -> Expr {
        Expr {
            terms: vec![(1, o.clone())],
            ..Expr::constant(0)
        }
    }

    /// Up to three operands with small coefficients.
    pub fn random(rng: &mut Rng, operands: &[Operand]) -> Expr {
        let mut e = Expr::constant(rng.between(-3, 3));
        if operands.is_empty() {
            return e;
        }
        for _ in 0..rng.below(3) + 1 {
            let o = rng.pick(operands).clone();
            let coefficients = [1, 1, 1, 1, -1, 2, 3, -2];
            if !e.terms.iter().any(|(_, t)| t.name == o.name) {
                e.terms.push((*rng.pick(&coefficients), o));
            }
        }
        if rng.chance(15) {
            let c = rng.between(1, 5);
            e.wrap = Some(*rng.pick(&[Wrap::Floor(c), Wrap::Ceil(c), Wrap::Mod(c)]));
        }
        e
    }

    /// The least and the greatest value.
    pub fn range(&self) -> (i64, i64) {
        let (mut low, mut high) = (self.constant, self.constant);
        for (c, o) in &self.terms {
            let (a, b) = (c * o.low, c * o.high);
            low += a.min(b);
            high += a.max(b);
        }
        let (low, high) = match self.wrap {
            None => (low, high),
            Some(Wrap::Floor(c)) => (low.div_euclid(c), high.div_euclid(c)),
            Some(Wrap::Ceil(c)) => (-(-low).div_euclid(c), -(-high).div_euclid(c)),
            Some(Wrap::Mod(c)) => (0, c - 1),
        };
        (low + self.after, high + self.after)
    }

    /// Changed so that every value is one of [0, extent).
    pub fn fit(mut self, rng: &mut Rng, extent: i64) -> Expr {
        let (low, high) = self.range();
        if high - low < extent {
            self.after += rng.between(-low, extent - 1 - high);
            return self;
        }
        if self.wrap.is_some() {
            self.wrap = None;
            self.after = 0;
        }
        self.constant += self.after;
        self.after = 0;
        self.wrap = Some(Wrap::Mod(extent));
        self
    }

    pub fn plus(mut self, c: i64) -> Expr {
        self.after += c;
        self
    }

    /// As text, the operands named by `name`.
    pub fn text(&self, name: &mut dyn FnMut(&Operand) -> String) -> String {
        let mut s = String::new();
        for (c, o) in &self.terms {
            let n = name(o);
            match c {
                1 => s.push_str(&format!(" + {n}")),
                c => s.push_str(&format!(" + {n} * {c}")),
            }
        }
        let mut sum = s.trim_start_matches(" + ").to_string();
        if self.constant != 0 || sum.is_empty() {
            sum = match sum.is_empty() {
                true => self.constant.to_string(),
                false => format!("{sum} + {}", self.constant),
            };
        }
        let wrapped = match self.wrap {
            None => sum,
            Some(Wrap::Floor(c)) => format!("({sum}) floordiv {c}"),
            Some(Wrap::Ceil(c)) => format!("({sum}) ceildiv {c}"),
            Some(Wrap::Mod(c)) => format!("({sum}) mod {c}"),
        };
        match self.after {
            0 => wrapped,
            a => format!("{wrapped} + {a}"),
        }
    }
}

/// Operands of a map or set as `(d0, d1)[s0]` and as `(%i, %j)[%n]`, gathered while
/// its expressions are printed.
#[derive(Default)]
pub struct Names {
    dims: Vec<String>,
    symbols: Vec<String>,
}

impl Names {
    pub fn name(&mut self, o: &Operand) -> String {
        let (list, letter) = if o.symbol {
            (&mut self.symbols, 's')
        } else {
            (&mut self.dims, 'd')
        };
        let i = list.iter().position(|n| *n == o.name).unwrap_or_else(|| {
            list.push(o.name.clone());
            list.len() - 1
        });
        format!("{letter}{i}")
    }

    pub fn formal(&self) -> String {
        let list = |n: usize, c| {
            (0..n)
                .map(|i| format!("{c}{i}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let symbols = match self.symbols.len() {
            0 => String::new(),
            n => format!("[{}]", list(n, 's')),
        };
        format!("({}){symbols}", list(self.dims.len(), 'd'))
    }

    pub fn actual(&self) -> String {
        let symbols = match self.symbols.is_empty() {
            true => String::new(),
            false => format!("[{}]", self.symbols.join(", ")),
        };
        format!("({}){symbols}", self.dims.join(", "))
    }
}
