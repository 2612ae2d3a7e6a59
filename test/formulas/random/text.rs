//! Random models as they are written, in a layout.

use super::make::names;
use super::model::{Along, Condition, Formula, Model, SIZES, Sign, Statement, Sub};
use std::fmt::Write;
use terrace_lit::random::Random;

/// What arguments of macros are called.
const ARGUMENTS: [&str; 3] = ["p", "q", "r"];

/// Where an array's elements lie: dimensions from the outermost, and bands of each.
#[derive(Debug, Clone)]
pub struct Layout {
    pub order: Vec<usize>,
    pub bands: Vec<i64>,
}

impl Layout {
    pub fn random(r: &mut Random, rank: usize, same: Option<usize>) -> Layout {
        let mut order: Vec<usize> = (0..rank).filter(|d| Some(*d) != same).collect();
        r.shuffle(&mut order);
        let bands = (0..rank).map(|_| *r.pick(&[1, 1, 2, 3]));
        Layout {
            order,
            bands: bands.collect(),
        }
    }

    /// Sizes in memory, and the place of an element.
    pub fn places(&self, counts: &[i64], at: &[i64]) -> (Vec<usize>, usize) {
        let (mut shape, mut place) = (Vec::new(), 0);
        for d in &self.order {
            let (n, count, at) = (self.bands[*d], counts[*d], at[*d]);
            let parts = match n {
                1 => vec![(count, at)],
                n => vec![(n, at % n), ((count + n - 1) / n, at / n)],
            };
            for (size, x) in parts {
                place = place * size + x;
                shape.push(size as usize);
            }
        }
        (shape, place as usize)
    }
}

/// How a formula is written: the names of its indices, and what else there is a choice of.
struct Writer<'w> {
    indices: &'w [&'static str],
    r: Random,
}

impl Writer<'_> {
    fn sub(&self, s: &Sub) -> String {
        let mut t = String::new();
        let mut add = |n: i64, name: &str| {
            if n == 0 {
                return;
            }
            let sign = match (t.is_empty(), n < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let _ = match (n.abs(), name) {
                (n, "") => write!(t, "{sign}{n}"),
                (1, name) => write!(t, "{sign}{name}"),
                (n, name) => write!(t, "{sign}{n}*{name}"),
            };
        };
        if s.factor != 0 {
            add(s.factor, self.indices[s.axis]);
        }
        add(s.times, SIZES[s.param]);
        add(s.constant, "");
        if t.is_empty() { "0".to_string() } else { t }
    }

    fn subs(&self, all: &[Sub]) -> String {
        let all: Vec<String> = all.iter().map(|s| self.sub(s)).collect();
        all.join(", ")
    }

    fn condition(&mut self, c: &Condition) -> String {
        let in_words = self.r.one_in(3);
        match c {
            Condition::Compare(op, x, y) => {
                let (x, y) = (self.formula(x), self.formula(y));
                match (*op, self.r.one_in(2)) {
                    ("==", true) => format!("Eq({x}, {y})"),
                    ("!=", true) => format!("Ne({x}, {y})"),
                    (op, _) => format!("({x} {op} {y})"),
                }
            }
            Condition::And(both) => {
                let (x, y) = (self.condition(&both[0]), self.condition(&both[1]));
                format!("({x} {} {y})", if in_words { "and" } else { "&" })
            }
            Condition::Or(both) => {
                let (x, y) = (self.condition(&both[0]), self.condition(&both[1]));
                format!("({x} {} {y})", if in_words { "or" } else { "|" })
            }
            Condition::Not(c) => {
                let c = self.condition(c);
                if in_words {
                    format!("(not {c})")
                } else {
                    format!("~{c}")
                }
            }
        }
    }

    fn formula(&mut self, f: &Formula) -> String {
        let mut list = |all: &[Formula]| -> String {
            let all: Vec<String> = all.iter().map(|x| self.formula(x)).collect();
            all.join(", ")
        };
        match f {
            Formula::Number(n) => format!("({n:?})"),
            Formula::Parameter => "h".to_string(),
            Formula::Index(s) => format!("({})", self.sub(s)),
            Formula::Read(a, s) => format!("A{a}[{}]", self.subs(s)),
            Formula::Macro(m, s) => match self.r.one_in(2) {
                true => format!("Q{m}({})", self.subs(s)),
                false => format!("Q{m}[{}]", self.subs(s)),
            },
            Formula::Temporary(t) => format!("t{t}"),
            Formula::Op(op, both) => {
                let (x, y) = (self.formula(&both[0]), self.formula(&both[1]));
                format!("({x} {op} {y})")
            }
            Formula::Power(x, n) => {
                let x = self.formula(x);
                format!("({x}){}{n}", if self.r.one_in(2) { "^" } else { "**" })
            }
            Formula::Call(name, all) => format!("{name}({})", list(all)),
            Formula::Extern(both) => format!("blend({})", list(both.as_ref())),
            Formula::BySign(all) => format!("ifsign({})", list(all.as_ref())),
            Formula::Group(x) => format!("_grp({})", list(&[(**x).clone()])),
            Formula::If(c, both) => {
                let (x, y) = (self.formula(&both[0]), self.formula(&both[1]));
                let c = self.condition(c);
                match self.r.below(3) {
                    0 => format!("if({c}, {x}, {y})"),
                    1 => format!("(if {c} then {x} else {y})"),
                    _ => format!("Piecewise(({x}, {c}), ({y}, True))"),
                }
            }
        }
    }

    fn statement(&mut self, s: &Statement) -> String {
        let all: Vec<String> = s.targets.iter().map(|a| format!("A{a}")).collect();
        let mut has_place = false;
        let mut along = Vec::new();
        for (d, a) in s.along.iter().enumerate() {
            along.push(match a {
                Along::Place(p) => {
                    has_place = true;
                    self.sub(p)
                }
                Along::Axis { skip, step, down } => {
                    let mut t = self.indices[d].to_string();
                    if *skip != [0, 0] || self.r.one_in(4) {
                        let _ = write!(t, " skip {} {}", skip[0], skip[1]);
                    }
                    if *step > 1 {
                        let _ = write!(t, " step {step}");
                    }
                    if *down {
                        t += " down";
                    } else if self.r.one_in(4) {
                        t += " up";
                    }
                    t
                }
            });
        }
        let word = if has_place { "edge" } else { "compute" };
        let mut t = format!("{word} {}({})", all.join(", "), along.join(", "));
        for (word, those) in [("carried", &s.carried), ("parallel", &s.parallel)] {
            if !those.is_empty() {
                let names: Vec<&str> = those.iter().map(|d| self.indices[*d]).collect();
                let _ = write!(t, " {word} {}", names.join(" "));
            }
        }
        for (n, w) in s.with.iter().enumerate() {
            let word = if n == 0 { "\n  with" } else { ";" };
            let w = self.formula(w);
            let _ = write!(t, "{word} t{n} = {w}");
        }
        if s.targets.len() == 1 && self.r.one_in(2) {
            let v = self.formula(&s.values[0]);
            let _ = write!(t, "\n  = {v}");
        } else {
            for (a, v) in s.targets.iter().zip(&s.values) {
                let v = self.formula(v);
                let _ = write!(t, "\n  A{a} = {v}");
            }
        }
        t
    }
}

/// A model's text.
pub fn text(m: &Model, layouts: &[Layout], seed: u64) -> String {
    let sizes = SIZES[..m.rank].join(", ");
    let precision = if m.double { "f64" } else { "f32" };
    let strict = if m.strict { " strict" } else { "" };
    let mut t = format!("model m({sizes}: index; h: real) precision {precision}{strict}\n");
    for (a, (array, l)) in m.arrays.iter().zip(layouts).enumerate() {
        let dims = (0..m.rank).map(|d| {
            let r = array.ranges[d];
            let by = if r.by > 1 {
                format!(" by {}", r.by)
            } else {
                String::new()
            };
            format!(
                "{}: {}..{}+{}{by}",
                names(m.rank)[d],
                r.low,
                SIZES[d],
                r.more
            )
        });
        let dims: Vec<String> = dims.collect();
        let _ = write!(t, "array A{a}({})", dims.join(", "));
        for (d, bands) in l.bands.iter().enumerate() {
            if *bands > 1 && array.same != Some(d) {
                let _ = write!(t, " bands {} {bands}", names(m.rank)[d]);
            }
        }
        if let Some(d) = array.same {
            let _ = write!(t, " same {}", names(m.rank)[d]);
        }
        let order: Vec<&str> = l.order.iter().map(|d| names(m.rank)[*d]).collect();
        if !order.is_empty() {
            let _ = write!(t, ", order {}", order.join(" "));
        }
        t += match array.sign {
            Sign::Any => "\n",
            Sign::Positive => ", positive\n",
            Sign::Nonnegative => ", nonnegative\n",
        };
    }
    if m.has_extern {
        t += "extern blend(x, y)\n";
    }
    let mut w = Writer {
        indices: &ARGUMENTS[..m.rank],
        r: Random(seed),
    };
    for (n, f) in m.macros.iter().enumerate() {
        let f = w.formula(f);
        let _ = writeln!(t, "macro Q{n}({}) = {f}", ARGUMENTS[..m.rank].join(", "));
    }
    w.indices = names(m.rank);
    for s in &m.statements {
        t += &w.statement(s);
        t += "\n";
    }
    t
}
