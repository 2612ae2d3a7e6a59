//! Programs of two files: host code with regions in it, and functions that nobody sees.
//!
//! All numbers are integers below a thousand, so that every order of adding gives the same.
//! Arrays have [`LEN`] elements. A pointer of a program leads to at least [`PART`] of them.

use std::fmt::Write as _;

use super::rng::Rng;

const LEN: usize = 24;
const PART: usize = 12;

/// What is not seen by the file with the regions.
pub const OTHER: &str = r#"
extern int gc[24];
static int *kept;
void ext_change(int *p, int n) { for (int i = 0; i < n; i++) p[i] = (p[i] * 3 + i) % 997; }
int ext_sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s = (s + p[i]) % 997; return s; }
void ext_keep(int *p) { kept = p; }
int ext_peek(int i) { return kept ? kept[i] : gc[i]; }
void ext_poke(int i, int v) { if (kept) kept[i] = v; else gc[i] = v; }
void ext_call(void (*f)(int *, int), int *p, int n) { f(p, n); gc[n % 24] += p[0]; gc[n % 24] %= 997; }
"#;

const HEAD: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void ext_change(int *p, int n);
int ext_sum(const int *p, int n);
void ext_keep(int *p);
int ext_peek(int i);
void ext_poke(int i, int v);
void ext_call(void (*f)(int *, int), int *p, int n);
struct rec { int n; int x[24]; int *p; };
static int ga[24], gb[24];
int gc[24];
static int *gp = gb;
static struct rec gs;
static int steps_done;
static int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s = (s + (i + 1) * p[i]) % 997;
  return s;
}
static void put(int *p, int i, int v) { p[i] = v % 997; }
static int *middle(int *p) { return p + 6; }
static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
"#;

/// How a region is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Acc,
    Scop,
    /// Not at all: `--auto` looks.
    Auto,
}

/// One function on its way.
pub struct Maker<'a> {
    rng: &'a mut Rng,
    form: Form,
    out: String,
    depth: usize,
    /// Expressions of pointers to at least [`PART`] elements.
    pointers: Vec<String>,
    /// Pointer variables that may be given another value.
    variables: Vec<String>,
    /// Integers that may be read.
    numbers: Vec<String>,
    /// Functions with regions that may be called.
    callable: Vec<&'static str>,
    loops: usize,
    names: usize,
    labelled: bool,
    in_main: bool,
    /// The function returns a number.
    gives: bool,
}

impl Maker<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn pointer(&mut self) -> String {
        self.rng.pick(&self.pointers).clone()
    }

    fn number(&mut self) -> String {
        match self.rng.chance(40) {
            true => self.rng.pick(&self.numbers).clone(),
            false => self.rng.below(PART).to_string(),
        }
    }

    /// An index below [`PART`].
    fn index(&mut self) -> String {
        match self.rng.chance(50) {
            true => self.rng.below(PART).to_string(),
            false => format!("({} & 7)", self.number()),
        }
    }

    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn region(&mut self) {
        let (p, mut q) = (self.pointer(), self.pointer());
        // A directive's word that iterations are independent has to be true.
        if p.contains("ga") && q.contains("ga") {
            q.clone_from(&p);
        }
        let n = self.rng.between(PART as i64 / 2, PART as i64);
        let from = self.rng.below(3);
        let head = match self.form {
            Form::Acc if self.rng.chance(30) => "#pragma acc kernels",
            Form::Acc => "#pragma acc parallel loop",
            Form::Scop => "#pragma scop",
            Form::Auto => "",
        };
        let braces = self.rng.chance(30) && self.form != Form::Scop;
        if braces {
            self.line("{");
        }
        if !head.is_empty() {
            self.line(head);
        }
        let k = self.rng.between(2, 9);
        let text = match self.rng.below(6) {
            0 => format!("{p}[i] = ({q}[i] * {k} + {p}[i]) % 997;"),
            1 => format!("{p}[i] = i * {k} % 997;"),
            2 => format!("{p}[i] = ({p}[i] + {k}) % 997;"),
            3 => format!("if ({q}[i] > {k}00) {p}[i] = {q}[i] - {k};"),
            4 => format!("{p}[i] = ({p}[i] * {k} + {}) % 997;", self.number()),
            _ => format!("{p}[i] = ({q}[i] + i) % 997;"),
        };
        self.line(&format!("for (int i = {from}; i < {n}; i++) {text}"));
        if head == "#pragma scop" {
            self.line("#pragma endscop");
        }
        if braces {
            self.line("}");
        }
    }

    fn host(&mut self) {
        let (p, q, i, n) = (self.pointer(), self.pointer(), self.index(), self.number());
        // In front of what nobody sees all comes back, so that much of it leaves little to try.
        const SEEN: [usize; 9] = [0, 1, 2, 3, 4, 10, 11, 12, 13];
        let kind = match self.rng.chance(75) {
            true => *self.rng.pick(&SEEN),
            false => self.rng.below(16),
        };
        let text = match kind {
            0 => format!("{p}[{i}] = ({q}[{i}] + {n}) % 997;"),
            1 => format!("printf(\"%d\\n\", {p}[{i}]);"),
            2 => format!("printf(\"%d\\n\", sum({p}, {PART}));"),
            3 => format!("put({p}, {i}, {n} * 3 + {q}[{i}]);"),
            4 => format!("for (int h = 0; h < {PART}; h += 3) {p}[h] = ({p}[h] + {q}[h]) % 997;"),
            5 => format!("ext_change({p}, {PART});"),
            6 => format!("steps_done = (steps_done + ext_sum({p}, {PART})) % 997;"),
            7 => match self.in_main && !p.starts_with('b') {
                true => format!("ext_keep({p});"),
                false => format!("ext_poke({i}, 3);"),
            },
            8 => format!("printf(\"%d %d\\n\", ext_peek({i}), {p}[{i}]);"),
            9 => format!("ext_poke({i}, {n});"),
            10 => format!("memcpy({p}, {q}, 4 * sizeof(int));")
                .replace(&format!("memcpy({p}, {p},"), &format!("memmove({p}, {p},")),
            11 => format!("memset({p}, 0, 3 * sizeof *{p});"),
            12 => format!("steps_done = sum({p}, 5) > 100 * {n} ? sum({q}, 4) : {p}[{i}];"),
            13 => format!("gs.n = gs.x[{i}] + {p}[{i}];"),
            14 => format!("ext_call(outer, {p}, {PART});"),
            _ => format!("*({p} + {i}) += 1;"),
        };
        // The parts may meet.
        let text = text.replace("memcpy(", "memmove(");
        let text = match text.contains("outer") && !self.callable.contains(&"outer") {
            true => format!("put({p}, {i}, {n});"),
            false => text,
        };
        self.line(&text);
    }

    fn call(&mut self) {
        let (p, q) = (self.pointer(), self.pointer());
        if self.callable.is_empty() {
            return self.region();
        }
        let f = *self.rng.pick(&self.callable);
        let i = self.index();
        let text = match (f, self.rng.below(5)) {
            ("result", 0) => format!("if (result({p}, {q}) > 500) {p}[{i}] = 7;"),
            ("result", 1) => format!("steps_done = result({p}, {q}) + result({q}, {p});"),
            ("result", 2) => format!("{q}[{i}] = result({p}, {q}) + {q}[1];"),
            ("result", 3) => format!("steps_done = result({p}, {q});"),
            ("result", _) => format!("printf(\"%d\\n\", result({p}, {q}) + {p}[0]);"),
            (f, 0) => format!("{f}({p}, sum({q}, 3) % 5 + 6);"),
            (f, _) => format!("{f}({p}, {PART});"),
        };
        self.line(&text);
    }

    fn pointers_change(&mut self) {
        if self.variables.is_empty() {
            return self.host();
        }
        let v = self.rng.pick(&self.variables).clone();
        let w = self.rng.pick(&self.variables).clone();
        let all = ["ga", "gb", "gc", "gs.x", "ga + 12", "gb + 5", "middle(gc)"];
        let to = self.rng.pick(&all).to_string();
        let text = match self.rng.below(5) {
            0 => format!("swap(&{v}, &{w});"),
            1 | 2 => format!("{{ int *t = {v}; {v} = {w}; {w} = t; }}"),
            4 if self.in_main => format!("gs.p = {v};"),
            _ => format!("{v} = {to};"),
        };
        self.line(&text);
    }

    fn block(&mut self, count: usize) {
        self.depth += 1;
        for _ in 0..count {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        let deep = self.depth > 3;
        match self.rng.below(if deep { 9 } else { 15 }) {
            0..=3 => self.region(),
            4..=6 => self.host(),
            7 => self.call(),
            8 => self.pointers_change(),
            9 | 10 => {
                let t = self.name("t");
                let n = self.rng.between(0, 4);
                self.line(&format!("for (int {t} = 0; {t} < {n}; {t}++) {{"));
                self.numbers.push(t);
                self.loops += 1;
                let count = self.rng.between(1, 4) as usize;
                self.block(count);
                if self.rng.chance(30) {
                    let (p, i, k) = (self.pointer(), self.index(), self.number());
                    let word = *self.rng.pick(&["break", "continue"]);
                    self.line(&format!("  if ({p}[{i}] > 10 * {k}) {word};"));
                    self.block(1);
                }
                self.loops -= 1;
                self.numbers.pop();
                self.line("}");
            }
            11 => {
                // Until it converges.
                let (p, w) = (self.pointer(), self.name("w"));
                self.line(&format!("int {w} = 0;"));
                let (i, q) = (self.index(), self.pointer());
                let test = match self.rng.below(3) {
                    0 => format!("sum({p}, 4) != {}", self.rng.below(900)),
                    1 => format!("{p}[{i}] + {q}[{i}] > 100"),
                    _ => format!("ext_sum({p}, 3) > 50"),
                };
                self.line(&format!("while ({test} && {w}++ < 3) {{"));
                let count = self.rng.between(1, 3) as usize;
                self.block(count);
                self.line("}");
            }
            12 => {
                let (p, i, k) = (self.pointer(), self.index(), self.number());
                self.line(&format!("if ({p}[{i}] % 4 > {k} % 3) {{"));
                self.block(2);
                if self.rng.chance(50) {
                    self.line("} else {");
                    self.block(2);
                }
                self.line("}");
            }
            13 => {
                let (p, i) = (self.pointer(), self.index());
                let text = match self.rng.below(4) {
                    0 if self.labelled => format!("if ({p}[{i}] == 13) goto out;"),
                    1 if self.gives => format!("if ({p}[{i}] % 16 == 5) return {p}[{i}];"),
                    1 if !self.in_main => format!("if ({p}[{i}] % 16 == 5) return;"),
                    2 => format!("if ({p}[{i}] == 996) exit({p}[{i}] % 7);"),
                    _ => format!(
                        "switch ({p}[{i}] % 3) {{ case 0: {p}[1] = 4; case 1: put({p}, 2, 5); break; default: {p}[3] = 6; }}"
                    ),
                };
                self.line(&text);
            }
            _ => {
                let name = self.name("b");
                self.line("{");
                self.line(&format!("  int {name}[{LEN}] = {{3, 1, 4}};"));
                self.pointers.push(name);
                self.block(2);
                self.pointers.pop();
                self.line("}");
            }
        }
    }
}

fn function(
    rng: &mut Rng,
    form: Form,
    head: &str,
    result: &str,
    callable: &[&'static str],
    count: usize,
) -> String {
    let globals = ["ga", "gb", "gc", "gp", "gs.x", "(ga + 8)"].map(String::from);
    let mut pointers = globals.to_vec();
    // What a function is handed may be gone before a variable of the file is.
    let mut variables = Vec::new();
    for p in ["a", "b"] {
        if head.contains(&format!("int *{p}")) {
            pointers.extend([p.to_string(), p.to_string()]);
            variables.push(p.to_string());
        }
    }
    let mut m = Maker {
        rng,
        form,
        out: String::new(),
        depth: 0,
        pointers,
        variables,
        numbers: vec!["steps_done".to_string(), "gs.n".to_string()],
        callable: callable.to_vec(),
        loops: 0,
        names: 0,
        labelled: false,
        in_main: false,
        gives: !result.is_empty(),
    };
    m.line(&format!("{head} {{"));
    m.block(count);
    if !result.is_empty() {
        m.line(&format!("  return {result};"));
    }
    m.line("}");
    m.out
}

/// The file with the regions.
pub fn generate(rng: &mut Rng) -> (String, Form) {
    let form = *rng.pick(&[Form::Acc, Form::Acc, Form::Scop, Form::Auto]);
    let mut out = HEAD.to_string();
    out.push_str("static void inner(int *a, int n);\nvoid outer(int *a, int n);\n");
    out.push_str(&function(
        rng,
        form,
        "static int result(int *a, int *b)",
        "(a[0] + b[1]) % 997",
        &[],
        3,
    ));
    out.push_str(&function(
        rng,
        form,
        "static int step(int *a, int *b)",
        "sum(b, 7)",
        &["result"],
        4,
    ));
    for head in [
        "static void inner(int *a, int n)",
        "void outer(int *a, int n)",
    ] {
        out.push_str(&function(rng, form, head, "", &["result"], 2));
    }
    out.push_str(&main(rng, form));
    (out, form)
}

fn main(rng: &mut Rng, form: Form) -> String {
    let mut m = Maker {
        rng,
        form,
        out: String::new(),
        depth: 0,
        pointers: [
            "ga", "gb", "gc", "gp", "gs.x", "la", "ha", "hb", "p", "q", "vla", "ls.x", "ls.p",
        ]
        .map(String::from)
        .to_vec(),
        variables: ["gp", "p", "q", "ha", "hb"].map(String::from).to_vec(),
        numbers: vec!["steps_done".to_string(), "gs.n".to_string()],
        callable: vec!["result", "inner", "outer"],
        loops: 0,
        names: 0,
        labelled: false,
        in_main: true,
        gives: false,
    };
    m.labelled = m.rng.chance(20);
    m.line("int main(int argc, char **argv) {");
    m.line("  int n = 24 + (argc > 5);");
    m.line("  int la[24], vla[n];");
    m.line("  struct rec ls = {0};");
    m.line("  int *ha = malloc(24 * sizeof(int)), *hb = malloc(24 * sizeof *hb), *first = ha, *second = hb;");
    m.line("  int *p = la, *q = ha;");
    m.line("  ls.p = hb;");
    m.line("  for (int i = 0; i < 24; i++) {");
    m.line(
        "    ga[i] = i * 7 % 31; gb[i] = i * 5 % 29; gc[i] = i; gs.x[i] = 3 * i; ls.x[i] = 40 - i;",
    );
    m.line("    la[i] = 2 * i; vla[i] = i * i; ha[i] = 100 - i; hb[i] = 17 * i % 13;");
    m.line("  }");
    let count = m.rng.between(5, 10) as usize;
    m.block(count);
    if m.rng.chance(40) {
        // Memory that was freed comes back as another array.
        m.line("  free(first);");
        m.line("  first = malloc(24 * sizeof(int));");
        m.line("  for (int i = 0; i < 24; i++) first[i] = i;");
        m.line("  ha = p = q = gp = ls.p = first; ext_keep(first); if (hb != second) hb = second;");
        m.block(3);
    }
    if m.labelled {
        m.line("out:");
    }
    m.line("  printf(\"%d %d %d %d %d %d\\n\", sum(ga, 24), sum(gb, 24), sum(gc, 24), sum(gs.x, 24), sum(la, 24), sum(vla, 24));");
    m.line(
        "  printf(\"%d %d %d %d\\n\", sum(first, 24), sum(second, 24), sum(ls.x, 24), steps_done);",
    );
    m.line("  (void)argv;");
    m.line("  return 0;");
    m.line("}");
    m.out
}
