//! A whole C file: globals, helper functions, functions with regions, and a `main` that
//! calls each and prints a checksum of everything.

use super::expr::{Expr, Kind, Part};
use super::function::{Function, Kind as Regions, fill, look};
use super::rng::Rng;
use super::scope::{Class, Gen, Helper, Object, Step};
use super::stmt::{Stmt, Text};
use super::types::Ty;
use std::collections::BTreeMap;

/// What is in each program beside what is made at random; it is compiled by itself, so that no
/// region calls it.
pub const SUPPORT: &str = r#"#include <math.h>
#include <stdio.h>
#include <string.h>
static unsigned state;
static unsigned long hash;
void begin(int number, int call) {
  printf("begin %d %d\n", number, call);
  fflush(stdout);
  state = 12345u + 77u * (unsigned)number + (unsigned)call;
}
static unsigned draw(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
long next_integer(int bits) {
  long v = (long)(draw() % 2001) - 1000;
  if (bits == 1) return draw() >> 4 & 1;
  if (draw() % 16 == 0) return v * 2146999;
  return draw() % 4 == 0 ? v % 8 : v;
}
double next_float(void) { return ((int)(draw() % 2001) - 1000) * 0.25; }
static void see(const void *p, int n) {
  for (int i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)p)[i]) * 1099511628211ul;
}
void see_integer(long v) { see(&v, sizeof v); }
void see_float(double v) {
  if (isnan(v)) v = 12345.678;
  if (v == 0) v = 0;
  see(&v, sizeof v);
}
void seen(const char *function, const char *name) {
  printf("%s %s %016lx\n", function, name, hash);
  hash = 1469598103934665603ul;
}
int wanted(int number, int argc, char **argv) {
  if (argc < 2 || number >= (int)strlen(argv[1])) return 1;
  return argv[1][number] != '-';
}
"#;

const FRONT: &str = "#include <math.h>
void begin(int number, int call);
long next_integer(int bits);
double next_float(void);
void see_integer(long v);
void see_float(double v);
void seen(const char *function, const char *name);
int wanted(int number, int argc, char **argv);
";

/// A declaration of the file; it is left out where nothing uses the name.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub declaration: String,
    pub objects: Vec<Object>,
    pub values: String,
}

#[derive(Clone, Debug)]
pub struct HelperText {
    pub name: String,
    pub head: String,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct File {
    pub structs: String,
    pub globals: Vec<Global>,
    pub helpers: Vec<HelperText>,
    /// Their numbers are what `begin` prints.
    pub functions: Vec<(usize, Function)>,
    pub auto: bool,
}

impl File {
    pub fn text(&self) -> String {
        let mut functions = String::new();
        for (_, f) in &self.functions {
            functions.push_str(&f.text());
        }
        let mut helpers: Vec<String> = Vec::new();
        for h in self.helpers.iter().rev() {
            let used = |t: &str| super::regions::words(t).any(|w| w == h.name);
            if !used(&functions) && !helpers.iter().any(|t| used(t)) {
                continue;
            }
            let mut t = Text::default();
            t.line(&format!("{} {{", h.head));
            t.block(&h.body);
            t.line("}");
            helpers.push(t.text);
        }
        helpers.reverse();
        let code = helpers.concat() + &functions;
        let calls = self.calls_text();
        let used = |g: &&Global| {
            let by = |t: &str| super::regions::words(t).any(|w| w == g.name);
            by(&code) || by(&calls)
        };
        let globals: Vec<&Global> = self.globals.iter().filter(used).collect();
        let mut out = String::from(FRONT);
        out.push_str(&self.structs);
        for g in &globals {
            out.push_str(&g.declaration);
            out.push('\n');
        }
        out.push_str(&code);
        out.push_str("static void fill_all(void) {\n");
        for g in &globals {
            for o in &g.objects {
                out.push_str(&format!("  {}\n", fill(o, &g.values)));
            }
        }
        out.push_str("}\nstatic void look_at_all(const char *f) {\n");
        for g in &globals {
            for o in &g.objects {
                out.push_str(&format!("  {}\n", look(o)));
            }
            out.push_str(&format!("  seen(f, \"{}\");\n", g.name));
        }
        out.push_str("}\n");
        out.push_str(&calls);
        out
    }

    fn calls_text(&self) -> String {
        let mut out = String::from("int main(int argc, char **argv) {\n");
        for (n, f) in &self.functions {
            for (c, args) in f.calls.iter().enumerate() {
                out.push_str(&format!(
                    "  if (wanted({n}, argc, argv)) {{\n    begin({n}, {c});\n    fill_all();\n    \
                     {}({});\n    look_at_all(\"{}\");\n  }}\n",
                    f.name,
                    args.join(", "),
                    f.name
                ));
            }
        }
        out.push_str("  return 0;\n}\n");
        out
    }
}

/// The file of a seed, with this many functions, which are of these kinds.
pub fn file(seed: u64, functions: usize, kinds: &[Regions]) -> File {
    let mut g = Gen {
        rng: Rng::new(seed),
        bases: vec![],
        objects: vec![],
        helpers: vec![],
        roles: BTreeMap::new(),
        local_from: None,
        reordered: false,
        effects: false,
        can_break: false,
        can_continue: false,
        loops: 0,
        trips: 1,
        fresh: 0,
        budget: 0,
        structs: vec![],
        in_region: false,
        present: Vec::new(),
    };
    let mut kinds = kinds.to_vec();
    let auto = kinds == [Regions::Auto] || kinds.contains(&Regions::Auto) && g.rng.chance(50);
    if !auto {
        kinds.retain(|k| *k != Regions::Auto);
    }
    let mut structs = g.struct_types();
    let mut globals = Vec::new();
    g.globals(&mut globals);
    if auto {
        structs.push_str(&g.tables(&mut globals));
    }
    let bases: Vec<usize> = (0..g.bases.len()).collect();
    let helpers = g.helper_functions();
    let functions = (0..functions)
        .map(|n| (n, g.function(n, &bases, &kinds)))
        .collect();
    File {
        structs,
        globals,
        helpers,
        functions,
        auto,
    }
}

impl Gen {
    fn struct_types(&mut self) -> String {
        let (c, v) = (self.any_type(), self.any_type());
        let pair = vec![
            (vec![Step::Text(".c".into())], c),
            (vec![Step::Text(".v".into())], v),
        ];
        let (n, d, a, w) = (
            self.integer_type(),
            *self.rng.pick(&[Ty::Float, Ty::Double]),
            self.any_type(),
            self.any_type(),
        );
        let text = |s: &str| Step::Text(s.into());
        let big = vec![
            (vec![text(".n")], n),
            (vec![text(".d")], d),
            (vec![text(".a"), Step::Dim(8)], a),
            (vec![text(".p.c")], c),
            (vec![text(".p.v")], v),
            (vec![text(".q"), Step::Dim(4), text(".c")], c),
            (vec![text(".q"), Step::Dim(4), text(".v")], v),
            (vec![text(".w"), Step::Dim(3), Step::Dim(2)], w),
        ];
        self.structs.push(("struct P".into(), pair));
        self.structs.push(("struct S".into(), big));
        format!(
            "struct P {{ {} c; {} v; }};\n\
             struct S {{ {} n; {} d; {} a[8]; struct P p; struct P q[4]; {} w[3][2]; }};\n",
            c.name(),
            v.name(),
            n.name(),
            d.name(),
            a.name(),
            w.name()
        )
    }

    fn globals(&mut self, out: &mut Vec<Global>) {
        let shapes: [&[i128]; 9] = [
            &[64],
            &[64],
            &[64],
            &[64],
            &[12, 20],
            &[12, 20],
            &[6, 8, 10],
            &[],
            &[],
        ];
        for (n, dims) in shapes.iter().enumerate() {
            let ty = match n {
                0 => *self.rng.pick(&[Ty::Double, Ty::Float]),
                1 => *self.rng.pick(&[Ty::Int, Ty::UInt, Ty::Long]),
                _ => self.any_type(),
            };
            self.global(&format!("g{n}"), ty, dims, out);
        }
        // Subscripts: any below 8, and each of 64 once.
        for (name, values, last) in [
            ("index", "next_integer(9) & 7", 7),
            ("perm", "(x0 * 5 + 3) % 64", 63),
        ] {
            let ty =
                *self
                    .rng
                    .pick(&[Ty::Int, Ty::UChar, Ty::Short, Ty::Long, Ty::UInt, Ty::SChar]);
            self.global(name, ty, &[64], out);
            let o = self.objects.last_mut().expect("just made");
            (o.lo, o.hi, o.fixed) = (0, last, true);
            out.last_mut().expect("just made").values = values.into();
        }
        // What functions with effects change.
        self.global("count", Ty::UInt, &[], out);
        self.global("hits", Ty::ULong, &[8], out);
        for (name, ty, dims) in [
            ("sp", "struct P", vec![]),
            ("ss", "struct S", vec![]),
            ("sa", "struct P", vec![12]),
            ("sb", "struct S", vec![5]),
        ] {
            let mut front = vec![Step::Text(name.into())];
            front.extend(dims.iter().map(|d| Step::Dim(*d)));
            let (_, ways) = self
                .structs
                .iter()
                .find(|(n, _)| n == ty)
                .cloned()
                .expect("both are declared");
            let from = self.objects.len();
            self.struct_base(name, ty, &front, &ways);
            let sizes: String = dims.iter().map(|d| format!("[{d}]")).collect();
            out.push(Global {
                name: name.into(),
                declaration: format!("{ty} {name}{sizes};"),
                objects: self.objects[from..].to_vec(),
                values: String::new(),
            });
        }
    }

    fn global(&mut self, name: &str, ty: Ty, dims: &[i128], out: &mut Vec<Global>) {
        let class = *self.rng.pick(&[Class::Input, Class::Sum, Class::Result]);
        let base = self.base(name, ty.name(), dims.is_empty(), class);
        let mut path = vec![Step::Text(name.into())];
        path.extend(dims.iter().map(|d| Step::Dim(*d)));
        let o = Object::of(base, path, ty);
        self.objects.push(o.clone());
        let sizes: String = dims.iter().map(|d| format!("[{d}]")).collect();
        let word = if self.rng.chance(50) { "static " } else { "" };
        out.push(Global {
            name: name.into(),
            declaration: format!("{word}{} {name}{sizes};", ty.name()),
            objects: vec![o],
            values: String::new(),
        });
    }

    /// Functions that others call: ones that compute, with loops and several returns, ones that
    /// change globals, and ones that write through a pointer.
    fn helper_functions(&mut self) -> Vec<HelperText> {
        let mut out = Vec::new();
        let globals = self.objects.clone();
        for n in 0..7 {
            self.objects = if n < 2 { vec![] } else { globals.clone() };
            // What computes from globals reads only what is never written.
            self.objects.retain(|o| o.fixed);
            self.reordered = true;
            self.effects = false;
            self.budget = 5;
            self.trips = 1;
            self.loops = 1;
            let (effects, pointer) = (n == 4 || n == 5, n == 6 || n == 3);
            let ret = if pointer {
                Ty::Int
            } else if n == 2 {
                *self.rng.pick(&[Ty::Float, Ty::Double])
            } else {
                self.integer_type()
            };
            let name = format!("{}{n}", if effects { "effect" } else { "help" });
            let mut params = Vec::new();
            let mut texts = Vec::new();
            let mut body = Vec::new();
            let mut span = None;
            if pointer {
                let flat = globals.iter().filter(|o| !o.fixed && o.path.len() == 2);
                let types: Vec<Ty> = flat.map(|o| o.ty).collect();
                let ty = *self.rng.pick(&types);
                let reach = *self.rng.pick(&[1, 3, 4]);
                span = Some((ty, reach));
                texts.push(format!("{} *p", ty.name()));
                let base = self.base("p", "", false, Class::Input);
                self.objects.push(Object::of(
                    base,
                    vec![Step::Text("p".into()), Step::Dim(reach)],
                    ty,
                ));
                // Sums of floats behind it could be of any class: those are exact.
                self.bases[base].class = Class::Sum;
            }
            for p in 0..1 + self.rng.below(2) {
                let ty = if n == 2 && p == 0 {
                    Ty::Double
                } else {
                    self.integer_type()
                };
                params.push(ty);
                texts.push(format!("{} a{p}", ty.name()));
                self.scalar(&format!("a{p}"), ty, true);
            }
            if self.rng.chance(60) {
                self.declare_here(&mut body);
            }
            if effects {
                self.effect(&mut body);
            }
            for _ in 0..1 + self.rng.below(2) {
                if !pointer && self.rng.chance(50) {
                    let c = self.test(1);
                    let v = self.returned(ret);
                    body.push(Stmt::If(c, vec![v], vec![]));
                }
                self.statement(&mut body);
            }
            let head = if pointer {
                format!("static void {name}({})", texts.join(", "))
            } else {
                let v = self.returned(ret);
                body.push(v);
                format!("static {} {name}({})", ret.name(), texts.join(", "))
            };
            out.push(HelperText {
                name: name.clone(),
                head,
                body,
            });
            self.helpers.push(Helper {
                name,
                ret,
                params,
                pointer: span,
                effects,
            });
        }
        self.objects = globals;
        out
    }

    fn declare_here(&mut self, body: &mut Vec<Stmt>) {
        let ty = self.integer_type();
        let v = self.integer(2);
        let name = self.name("z");
        body.push(Stmt::Declare(format!("{} {name}", ty.name()), v));
        self.scalar(&name, ty, false);
    }

    fn returned(&mut self, ty: Ty) -> Stmt {
        let v = if ty.is_float() {
            self.floating(2)
        } else {
            self.integer(2)
        };
        Stmt::Line(format!("return {};", v.bare()))
    }

    /// Updates of what helper functions change.
    fn effect(&mut self, body: &mut Vec<Stmt>) {
        let e = self.integer(1);
        let at = Expr::binary("&", e, Expr::number(7)).expect("& is defined");
        let hits = Expr::new(
            Kind::Place(vec![Part::Text("hits".into()), Part::Subscript(at)]),
            Ty::ULong,
            0,
            Ty::ULong.range().1,
        );
        let v = self.integer(2);
        let op = *self.rng.pick(&["+=", "^=", "="]);
        body.push(Stmt::Assign(hits, op, v));
        let count = Expr::variable("count", Ty::UInt, 0, Ty::UInt.range().1);
        if self.rng.chance(50) {
            body.push(Stmt::Step(count, "++"));
        } else {
            let v = self.integer(1);
            body.push(Stmt::Assign(count, "+=", v));
        }
    }
}
