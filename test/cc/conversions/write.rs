//! One C program of many small functions, each twice: with its loop in a region, and plain.

use std::fmt::Write;

use super::model::{Kind, Operator, TYPES, Type, Value, convert};

/// Elements that a function goes through.
const MAX: usize = 40;

#[derive(Default)]
pub struct Program {
    functions: String,
    main: String,
    number: usize,
}

/// What a function computes: expressions of operands `x` and `y`, maybe after statements.
#[derive(Default)]
struct Body {
    statements: String,
    /// What each result is, and whether it is a floating-point number.
    results: Vec<String>,
}

impl Body {
    fn result(&mut self, value: &str, is_float: bool) {
        let s = self.results.len();
        let into = if is_float { 'F' } else { 'R' };
        let _ = writeln!(self.statements, "    {into}[{s}][i] = {value};");
        self.results.push(value.to_string());
    }

    /// A result of statements that change a variable of this type.
    fn changed(&mut self, ty: &Type, from: &str, statements: &str) {
        let s = self.results.len();
        let into = if ty.is_float() { 'F' } else { 'R' };
        let _ = writeln!(
            self.statements,
            "    {{ {} t = {from}; {statements} {into}[{s}][i] = t; }}",
            ty.name
        );
        self.results
            .push(format!("{} t = {from}; {statements}", ty.name));
    }
}

impl Program {
    /// Every operator of a class on two types.
    pub fn pair(&mut self, a: &Type, b: &Type, class: Operator) {
        let floats = a.is_float() || b.is_float();
        let mut body = Body::default();
        for (name, compound) in class.names(floats) {
            let is_float = floats && class != Operator::Total;
            body.result(&format!("x[i] {name} y[i]"), is_float);
            if *compound {
                body.changed(a, "x[i]", &format!("t {name}= y[i];"));
            }
        }
        match class {
            Operator::Total => {
                body.result("yes ? x[i] : y[i]", floats);
                body.result("no ? x[i] : y[i]", floats);
                body.result("1 ? x[i] : y[i]", floats);
                body.result("0 ? x[i] : y[i]", floats);
                body.result("(i & 1 ? x[i] : y[i]) < y[0]", false);
                if !floats {
                    body.result("(yes ? x[i] : y[i]) >> 1", false);
                    body.result("(1 ? x[i] : y[i]) / 3", false);
                }
            }
            Operator::Sum => body.changed(a, "x[i]", "t = y[i];"),
            _ => {}
        }
        let pairs = pairs(a, b, |x, y| class.is_defined((a.kind, x), (b.kind, y)));
        self.function(a, b, &pairs, &body);
    }

    /// Operators between `(T)x` or `k ? x : t` and `(U)y`, for every second integer type T,
    /// others for other operands.
    pub fn casts(&mut self, a: &Type, b: &Type) {
        let mut body = Body::default();
        let others = TYPES.iter().filter(|t| !t.is_float() && t.name != a.name);
        for t in others.skip((a.number() + b.number()) % 2).step_by(2) {
            let x = format!("({})x[i]", t.name);
            body.result(&format!("{x} < y[i]"), false);
            body.result(&format!("{x} >= ({})y[i]", t.name), false);
            body.result(&format!("(1 ? x[i] : ({})0) > y[i]", t.name), false);
            body.result(&format!("(yes ? x[i] : ({})0) >> 1", t.name), false);
            body.result(&format!("({x} ^ y[i]) >> 1"), false);
            body.result(&format!("({}){x} == y[i]", b.name), false);
            body.result(
                &format!("{x} / (y[i] ? y[i] > 0 ? 3 : 2 : ({})5)", b.name),
                false,
            );
            body.result(&format!("(double){x} + y[i]"), true);
        }
        let pairs = pairs(a, b, |_, _| true);
        self.function(a, b, &pairs, &body);
    }

    /// Operators with a constant operand, of every third type, and of two constants.
    pub fn constants(&mut self, a: &Type) {
        for b in TYPES.iter().skip(a.number() % 3).step_by(3) {
            let floats = a.is_float() || b.is_float();
            for class in Operator::CLASSES {
                let mut body = Body::default();
                let constants = b.values();
                let values = a.values();
                let defined = |x: Value, y: Value| class.is_defined((a.kind, x), (b.kind, y));
                // Elements for which all of the constants are operands.
                let all = |y: Value| values.iter().filter(|x| defined(**x, y)).count();
                let mut constants: Vec<Value> =
                    constants.into_iter().filter(|y| all(*y) > 0).collect();
                constants.sort_by_key(|y| std::cmp::Reverse(all(*y)));
                constants.truncate(4);
                let Some(first) = constants.first().copied() else {
                    continue;
                };
                let valid: Vec<(Value, Value)> = (values.iter())
                    .filter(|x| constants.iter().all(|y| defined(**x, *y)))
                    .map(|x| (*x, first))
                    .take(MAX)
                    .collect();
                for y in &constants {
                    let y = b.literal(*y);
                    for (name, compound) in class.names(floats) {
                        let is_float = floats && class != Operator::Total;
                        body.result(&format!("x[i] {name} {y}"), is_float);
                        if *compound {
                            body.changed(a, "x[i]", &format!("t {name}= {y};"));
                        }
                        if let Some((x, _)) = valid.get(1).or(valid.first()) {
                            let x = a.literal(*x);
                            body.result(&format!("{x} {name} {y}"), is_float);
                        }
                    }
                }
                if !valid.is_empty() {
                    self.function(a, b, &valid, &body);
                }
            }
        }
    }

    /// Unary operators, increments, conditions, conversions there and back, a switch.
    pub fn single(&mut self, a: &Type) {
        let mut body = Body::default();
        body.result("!x[i]", false);
        body.result("x[i] ? 3 : 4", false);
        body.result("+x[i]", a.is_float());
        if !a.is_float() {
            body.result("~x[i]", false);
            body.result("-(x[i] / 2)", false);
            body.result("-(x[i] > y[i])", false);
            body.result("(x[i] == y[i]) - 2 < 0", false);
            body.result("sizeof x[i] - 9 > x[i]", false);
            for t in TYPES.iter().filter(|t| t.is_float()) {
                body.result(&format!("({})x[i]", t.name), true);
                let half = format!("({})(({})x[i] / 4)", a.name, t.name);
                body.result(&half, false);
            }
            for t in TYPES.iter().filter(|t| !t.is_float()) {
                for u in TYPES.iter().filter(|u| !u.is_float()) {
                    body.result(&format!("({})({})x[i]", u.name, t.name), false);
                }
                body.result(&format!("(float)({})x[i]", t.name), true);
            }
        } else {
            body.result("-x[i]", true);
            body.result("x[i] != x[i]", false);
            body.result("(float)x[i]", true);
            body.result("(_Bool)x[i]", false);
        }
        let values = a.values();
        let all = |_: Value, _: Value| true;
        self.function(a, a, &pairs(a, a, all), &body);

        // One more and one less, and a switch, where that does not overflow.
        let mut body = Body::default();
        for change in ["t++;", "++t;", "t--;", "--t;"] {
            if !(a.is_bool() && change.contains("--")) {
                body.changed(a, "x[i]", change);
            }
        }
        body.changed(a, "x[i]", "int k = t++ > y[i]; t = k + (t > y[i]);");
        if !a.is_float() {
            let cases = "switch (x[i]) { case 0: t = 5; break; case 1: t = 6; \
                case 127: t = 1; break; case 128: t = 4; break; case 255: t = 3; break; \
                case 65535: t = 3; break; \
                case (short)-1: t = 7; case -128: t = 8; break; default: t = 9; }";
            let cases = if a.is_bool() {
                "switch (x[i]) { case 0: t = 5; break; case 1: t = 0; }"
            } else {
                cases
            };
            body.changed(a, "x[i]", cases);
        }
        let inner = values.into_iter().filter(|v| match (*v, a.kind) {
            (Value::Int(n), Kind::Int { bits, signed: true }) if bits >= 32 => {
                convert(Value::Int(n + 1), a.kind) == Some(Value::Int(n + 1))
                    && convert(Value::Int(n - 1), a.kind) == Some(Value::Int(n - 1))
            }
            _ => true,
        });
        let inner: Vec<Value> = inner.collect();
        let both: Vec<_> = (inner.iter().zip(inner.iter().rev()))
            .map(|(x, y)| (*x, *y))
            .take(MAX)
            .collect();
        self.function(a, a, &both, &body);
    }

    /// Loops whose counter has this type: up, down, by steps, to what it cannot reach, with
    /// subscripts that wrap in a narrow type.
    pub fn counters(&mut self, a: &Type) {
        let Kind::Int { bits, signed } = a.kind else {
            return;
        };
        let t = a.name;
        let mut body = Body::default();
        let mut sum = |head: &str, inside: &str| {
            body.statements += &format!("    {{ long sum = 0; {head} {{ {inside} }}\n");
            body.result("sum", false);
            body.statements += "    }\n";
        };
        for (low, high) in [("0", "10"), ("m", "n"), ("(x[i] & 3)", "((y[i] & 7) + 3)")] {
            sum(
                &format!("for ({t} k = {low}; k < {high}; k++)"),
                "sum += k * k + 1;",
            );
            sum(
                &format!("for ({t} k = {low}; k <= {high}; k += 3)"),
                "sum = sum * 3 + k;",
            );
            sum(
                &format!("for ({t} k = {high}; k > {low}; --k)"),
                "sum += sum ^ k;",
            );
            sum(
                &format!("for ({t} k = {high}; k-- > {low}; )"),
                "sum = sum * 5 + k;",
            );
            sum(
                &format!("for ({t} k = {low}; k != {high}; k++)"),
                "sum += (unsigned char)(k * 77);",
            );
            sum(
                &format!("for ({t} k = {high}; k - 2 > 1; k -= 2)"),
                "sum += k - 20 < 0u;",
            );
        }
        sum(&format!("for ({t} k = 1; k < 60; k <<= 1)"), "sum += k;");
        sum(
            &format!("{t} k = 100; while (k)"),
            "sum = 2 * sum + k; k /= 3;",
        );
        sum(
            &format!("for ({t} k = 0; k < 40; k++)"),
            &format!(
                "sum += table[({t})(k + 5) & 127] * (k + 1L) + table[(signed char)(k * 9) + 128];"
            ),
        );
        sum(
            &format!("for ({t} k = 0; k < 40; k++)"),
            "sum += table[(unsigned char)(k - 20)] + k * table[(unsigned char)(20 - k) / 2];",
        );
        if !signed || bits < 32 {
            sum(
                &format!("for ({t} k = 20; ({t})(k - 3) < 50; k -= 3)"),
                "sum += k; if (sum > 5000) break;",
            );
            sum(
                &format!("{t} k = 0; k -= 10; for (int l = 0; l < 20; l++, k++)"),
                "sum = sum * 3 + (k >> 1) + (k > 5) + k;",
            );
        }
        if bits < 32 {
            sum(
                &format!("for ({t} k = 100, l = 0; l < 100; k += 50, l++)"),
                "sum = sum * 3 + k;",
            );
            sum(
                &format!("{t} k = 0; do"),
                "sum += k * 3L; k += 8; } while (k); {",
            );
        }
        let pairs = pairs(a, a, |_, _| true);
        self.function(a, a, &pairs, &body);
    }

    fn function(&mut self, a: &Type, b: &Type, pairs: &[(Value, Value)], body: &Body) {
        if pairs.is_empty() || body.results.is_empty() {
            return;
        }
        let k = self.number;
        self.number += 1;
        let n = pairs.len();
        let list = |t: &Type, v: &mut dyn Iterator<Item = Value>| {
            v.map(|v| t.literal(v)).collect::<Vec<_>>().join(", ")
        };
        let x = list(a, &mut pairs.iter().map(|p| p.0));
        let y = list(b, &mut pairs.iter().map(|p| p.1));
        let (ta, tb) = (a.name, b.name);
        let f = &mut self.functions;
        let _ = writeln!(f, "{ta} x{k}[{n}] = {{{x}}};\n{tb} y{k}[{n}] = {{{y}}};");
        let count = body.results.len();
        let pragma = [
            "#pragma scop",
            "#pragma acc parallel loop",
            "#pragma acc kernels",
        ][k % 3];
        let end = if k.is_multiple_of(3) {
            "\n#pragma endscop"
        } else {
            ""
        };
        for (which, before, after) in [("region", pragma, end), ("plain", "", "")] {
            let _ = writeln!(
                f,
                "void {which}{k}(long R[restrict {count}][{n}], double F[restrict {count}][{n}], \
                 const {ta} *restrict x, const {tb} *restrict y, int yes, int no, int m, int n) {{\n\
                 {before}\n  for (int i = 0; i < {n}; i++) {{\n{}  }}{after}\n}}",
                body.statements
            );
        }
        let names = body.results.iter().map(|r| format!("{r:?}"));
        let names: Vec<String> = names.collect();
        let _ = writeln!(
            f,
            "void test{k}(void) {{\n  static const char *const names[] = {{{}}};\n  \
             static long R[{count}][{n}], Q[{count}][{n}];\n  \
             static double F[{count}][{n}], G[{count}][{n}];\n  \
             region{k}(R, F, x{k}, y{k}, 1, 0, 2, 9);\n  plain{k}(Q, G, x{k}, y{k}, 1, 0, 2, 9);\n  \
             compare(\"{ta}, {tb}\", names, R[0], Q[0], F[0], G[0], {count}, {n});\n}}",
            names.join(", ")
        );
        let _ = writeln!(self.main, "  test{k}();");
    }

    pub fn finish(self) -> String {
        format!(
            "{PREAMBLE}{}int main(void) {{\n  fill();\n{}{END}",
            self.functions, self.main
        )
    }
}

/// Operands that a class of operators is defined for, as many as are gone through, from all
/// over the values.
fn pairs(a: &Type, b: &Type, defined: impl Fn(Value, Value) -> bool) -> Vec<(Value, Value)> {
    let (x, y) = (a.values(), b.values());
    let all = x.iter().flat_map(|x| y.iter().map(|y| (*x, *y)));
    let all: Vec<_> = all.filter(|(x, y)| defined(*x, *y)).collect();
    // A step that has no common factor with the number of values of either type.
    let n = all.len().max(1);
    let step = (n / MAX..)
        .find(|s| s % 2 == 1 && gcd(*s, n) == 1)
        .unwrap_or(1);
    (0..all.len().min(MAX)).map(|k| all[k * step % n]).collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

const PREAMBLE: &str = r#"#include <stdio.h>
#include <string.h>
enum positive { zero, one };
static int failures;
static signed char table[256];
static void fill(void) {
  for (int i = 0; i < 256; i++) table[i] = i * 7;
}
static void compare(const char *types, const char *const *names, const long *r,
                    const long *q, const double *f, const double *g, int count, int n) {
  for (int s = 0; s < count; s++)
    for (int i = 0; i < n; i++) {
      long k = (long)s * n + i;
      int same = memcmp(&f[k], &g[k], sizeof *f) == 0 || (f[k] != f[k] && g[k] != g[k]);
      if (r[k] == q[k] && same) continue;
      if (++failures <= 20)
        printf("%s: %s, element %d: %ld %a, not %ld %a\n", types, names[s], i, r[k], f[k], q[k], g[k]);
      break;
    }
}
"#;

const END: &str = r#"  if (failures) printf("%d differ\n", failures);
  else puts("all compared");
  return failures != 0;
}
"#;
