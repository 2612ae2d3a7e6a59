//! Random C functions without undefined behaviour, but for signed overflow, which the
//! compiler is told to wrap.

use super::rng::Rng;
use std::fmt::Write as _;

const TYPES: [&str; 12] = [
    "int",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "double",
    "float",
    "_Bool",
];

struct Function {
    rng: Rng,
    out: String,
    indent: usize,
    /// Scalars that may be read and written, with their types.
    vars: Vec<(String, &'static str)>,
    /// Counters in scope: read only.
    counters: Vec<String>,
    arrays: Vec<(String, &'static str)>,
    /// How many names were made.
    names: usize,
    /// Loops around.
    loops: usize,
    returns: &'static str,
}

/// The function of a seed, with an empty line behind it.
pub fn function(seed: u64) -> String {
    let mut f = Function {
        rng: Rng::new(seed ^ 0xc0de_0000),
        out: String::new(),
        indent: 1,
        vars: Vec::new(),
        counters: Vec::new(),
        arrays: Vec::new(),
        names: 0,
        loops: 0,
        returns: "int",
    };
    f.returns = f.ty();
    let mut params = Vec::new();
    for i in 0..1 + f.rng.below(3) {
        let ty = f.ty();
        params.push(format!("{ty} p{i}"));
        f.vars.push((format!("p{i}"), ty));
    }
    for i in 0..f.rng.below(3) {
        let ty = f.ty();
        params.push(format!("{ty} *a{i}"));
        f.arrays.push((format!("a{i}"), ty));
    }
    for _ in 0..1 + f.rng.below(3) {
        f.local();
    }
    for _ in 0..2 + f.rng.below(4) {
        f.statement(3);
    }
    let ty = f.returns;
    let value = f.converted(2, ty);
    format!(
        "{ty} random_{seed}({}) {{\n{}  return {value};\n}}\n\n",
        params.join(", "),
        f.out
    )
}

impl Function {
    fn ty(&mut self) -> &'static str {
        TYPES[self.rng.below(TYPES.len())]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.indent));
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn local(&mut self) {
        let (ty, name) = (self.ty(), self.name("v"));
        if self.rng.chance(20) {
            let first = self.converted(1, ty);
            self.line(&format!("{ty} {name}[64] = {{{first}}};"));
            self.arrays.push((name, ty));
            return;
        }
        let value = self.converted(2, ty);
        self.line(&format!("{ty} {name} = {value};"));
        self.vars.push((name, ty));
    }

    fn block(&mut self, depth: usize) {
        let (vars, arrays) = (self.vars.len(), self.arrays.len());
        self.indent += 1;
        for _ in 0..1 + self.rng.below(3) {
            self.statement(depth);
        }
        self.indent -= 1;
        self.vars.truncate(vars);
        self.arrays.truncate(arrays);
    }

    fn statement(&mut self, depth: usize) {
        let choice = match depth {
            0 => self.rng.below(5),
            _ => self.rng.below(12),
        };
        match choice {
            0 | 1 => self.assignment(),
            2 => self.store(),
            3 if self.rng.chance(50) => self.local(),
            3 => {
                let (name, _) = self.variable();
                let op = *self.rng.pick(&["++", "--"]);
                self.line(&format!("{name}{op};"));
            }
            4 if self.loops > 0 && self.rng.chance(40) => {
                let c = self.condition(1);
                let way = *self.rng.pick(&["break", "continue"]);
                self.line(&format!("if ({c}) {way};"));
            }
            4 if self.rng.chance(15) => {
                let c = self.condition(1);
                let ty = self.returns;
                let v = self.converted(1, ty);
                self.line(&format!("if ({c}) return {v};"));
            }
            4 => self.assignment(),
            5 | 6 => {
                let c = self.condition(2);
                self.line(&format!("if ({c}) {{"));
                self.block(depth - 1);
                if self.rng.chance(50) {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            7..=9 => self.counted(depth),
            10 => {
                // Ends: the counter is out of reach of the body.
                let fuel = self.name("f");
                let n = self.rng.below(9);
                self.line(&format!("int {fuel} = {n};"));
                let c = self.condition(1);
                self.loops += 1;
                if self.rng.chance(50) {
                    self.line(&format!("while ({fuel}-- > 0 && ({c})) {{"));
                    self.block(depth - 1);
                    self.line("}");
                } else {
                    self.line("do {");
                    self.block(depth - 1);
                    self.line(&format!("}} while (--{fuel} > 0 && ({c}));"));
                }
                self.loops -= 1;
            }
            _ => self.switch(depth),
        }
    }

    fn counted(&mut self, depth: usize) {
        let i = self.name("i");
        let ty = *self
            .rng
            .pick(&["int", "int", "int", "long", "unsigned", "unsigned long"]);
        let (low, high) = (self.bound(3), self.bound(7));
        let step = 1 + self.rng.below(3);
        let head = match (self.rng.chance(70), step) {
            (true, 1) => format!("for ({ty} {i} = {low}; {i} < {high}; {i}++) {{"),
            (true, s) => format!("for ({ty} {i} = {low}; {i} <= {high}; {i} += {s}) {{"),
            (false, 1) => format!("for ({ty} {i} = {high}; {i} > 0; {i}--) {{"),
            (false, s) => format!("for (long {i} = {high}; {i} >= {low}; {i} -= {s}) {{"),
        };
        self.line(&head);
        self.loops += 1;
        self.counters.push(i);
        self.block(depth - 1);
        self.counters.pop();
        self.loops -= 1;
        self.line("}");
    }

    /// A bound of a loop: from 0 to `most`.
    fn bound(&mut self, most: usize) -> String {
        match self.rng.below(3) {
            0 if !self.counters.is_empty() => {
                let k = self.rng.below(self.counters.len());
                format!("(int)({} % {})", self.counters[k], most + 1)
            }
            0 | 1 => {
                let v = self.integer(0);
                format!("(int)({v} & {most})")
            }
            _ => self.rng.below(most + 1).to_string(),
        }
    }

    fn switch(&mut self, depth: usize) {
        let v = self.integer(1);
        self.line(&format!("switch ({v} & 3) {{"));
        for k in 0..1 + self.rng.below(4) {
            self.line(&format!("case {k}:"));
            self.line("{");
            self.block(depth - 1);
            self.line("}");
            if self.rng.chance(60) {
                self.line("break;");
            }
        }
        if self.rng.chance(50) {
            self.line("default:");
            self.line("{");
            self.block(depth - 1);
            self.line("}");
        }
        self.line("}");
    }

    fn variable(&mut self) -> (String, &'static str) {
        self.rng.pick(&self.vars).clone()
    }

    fn assignment(&mut self) {
        let (name, ty) = self.variable();
        let is_float = ty == "double" || ty == "float";
        if self.rng.chance(40) {
            let v = self.converted(2, ty);
            self.line(&format!("{name} = {v};"));
        } else if is_float {
            let op = *self.rng.pick(&["+=", "-=", "*="]);
            let v = self.expr(2).0;
            self.line(&format!("{name} {op} {v};"));
        } else {
            let op = *self.rng.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
            let v = self.integer(2);
            self.line(&format!("{name} {op} {v};"));
        }
    }

    fn store(&mut self) {
        if self.arrays.is_empty() {
            return self.assignment();
        }
        let (name, ty) = self.rng.pick(&self.arrays).clone();
        let at = self.subscript();
        if self.rng.chance(60) || ty == "_Bool" || ty == "float" || ty == "double" {
            let v = self.converted(2, ty);
            self.line(&format!("{name}[{at}] = {v};"));
        } else {
            let op = *self.rng.pick(&["+=", "-=", "^="]);
            let v = self.integer(1);
            self.line(&format!("{name}[{at}] {op} {v};"));
        }
    }

    /// A number from 0 to 63; counters are less than 16.
    fn subscript(&mut self) -> String {
        if self.counters.is_empty() || self.rng.chance(30) {
            let v = self.integer(1);
            return format!("({v}) & 63");
        }
        let (a, b) = (
            self.rng.pick(&self.counters).clone(),
            self.rng.pick(&self.counters).clone(),
        );
        match self.rng.below(5) {
            0 => a,
            1 => format!("{a} + {b} + {}", self.rng.below(9)),
            2 => format!("{a} * 3 + {}", self.rng.below(9)),
            3 => format!("{a} / 2 + {b} % 3"),
            _ => format!("20 - {a} + {b}"),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(5) {
            0 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = *self.rng.pick(&["&&", "||"]);
                format!("({a}) {op} ({b})")
            }
            1 => self.expr(1).0,
            _ => {
                let (a, b) = (self.expr(1).0, self.expr(1).0);
                let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("{a} {op} {b}")
            }
        }
    }

    /// An expression that a variable of the type can be given.
    fn converted(&mut self, depth: usize, ty: &str) -> String {
        match ty {
            "double" | "float" => self.expr(depth).0,
            _ => self.integer(depth),
        }
    }

    /// An expression of integer type.
    fn integer(&mut self, depth: usize) -> String {
        let (e, float) = self.expr(depth);
        match float {
            // What is out of range or a NaN would be undefined.
            true => format!("(int)({e} > -1000 && {e} < 1000 ? {e} : 5)"),
            false => e,
        }
    }

    /// An expression and whether it is of floating type.
    fn expr(&mut self, depth: usize) -> (String, bool) {
        if depth == 0 || self.rng.chance(20) {
            return self.leaf();
        }
        let n = depth - 1;
        match self.rng.below(12) {
            0..=3 => {
                let ((a, x), (b, y)) = (self.expr(n), self.expr(n));
                let op = *self.rng.pick(&["+", "-", "*"]);
                (format!("({a} {op} {b})"), x || y)
            }
            4 => {
                let (a, b) = (self.integer(n), self.integer(n));
                let op = *self.rng.pick(&["&", "|", "^"]);
                (format!("({a} {op} {b})"), false)
            }
            5 => {
                let (a, b) = (self.integer(n), self.integer(n));
                let op = *self.rng.pick(&["/", "%"]);
                (format!("({a} {op} (({b} & 7) + 1))"), false)
            }
            6 => {
                let (a, b) = (self.integer(n), self.integer(n));
                let op = *self.rng.pick(&["<<", ">>"]);
                // Shifting a negative number left is not defined.
                let a = if op == "<<" {
                    format!("(unsigned){a}")
                } else {
                    a
                };
                (format!("({a} {op} ({b} & 15))"), false)
            }
            7 => {
                let (a, float) = self.expr(n);
                let op = match float {
                    true => "-",
                    false => *self.rng.pick(&["-", "~", "!"]),
                };
                (format!("({op} {a})"), float && op == "-")
            }
            8 => {
                let ty = self.ty();
                let is_float = ty == "double" || ty == "float";
                let a = self.converted(n, ty);
                (format!("({ty})({a})"), is_float)
            }
            9 => {
                let c = self.condition(n.min(1));
                let ((a, x), (b, y)) = (self.expr(n), self.expr(n));
                (format!("({c} ? {a} : {b})"), x || y)
            }
            10 => {
                let c = self.condition(n.min(1));
                // An int, whatever is compared.
                (format!("!!({c})"), false)
            }
            _ => {
                let (a, float) = self.expr(n);
                match float {
                    true => (format!("({a} / 3)"), true),
                    false => (format!("({a} * 5)"), false),
                }
            }
        }
    }

    fn leaf(&mut self) -> (String, bool) {
        match self.rng.below(6) {
            0 => {
                let n = *self.rng.pick(&[
                    "0",
                    "1",
                    "2",
                    "7",
                    "255",
                    "-3",
                    "1000",
                    "3u",
                    "-1L",
                    "0x7fffffff",
                ]);
                (n.to_string(), false)
            }
            1 => (
                self.rng.pick(&["0.5", "-2.25", "3.0f", "1e3"]).to_string(),
                true,
            ),
            2 if !self.counters.is_empty() => (self.rng.pick(&self.counters).clone(), false),
            3 if !self.arrays.is_empty() => {
                let (name, ty) = self.rng.pick(&self.arrays).clone();
                let at = match self.counters.is_empty() {
                    true => self.rng.below(64).to_string(),
                    false => {
                        let c = self.rng.pick(&self.counters).clone();
                        format!("{c} + {}", self.rng.below(9))
                    }
                };
                (format!("{name}[{at}]"), ty == "double" || ty == "float")
            }
            _ if self.vars.is_empty() => ("4".to_string(), false),
            _ => {
                let (name, ty) = self.variable();
                (name, ty == "double" || ty == "float")
            }
        }
    }
}
