//! One function of a file: its parameters, variables, regions, and calls of it.

use super::expr::Expr;
use super::regions::Construct;
use super::scope::{Class, Gen, Object, Step};
use super::stmt::{Stmt, Text};
use super::types::Ty;

/// A function, and the lists of arguments it is called with.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<String>,
    pub calls: Vec<Vec<String>>,
    pub body: Vec<Stmt>,
    /// Text at the end that prints what is in variables of the function.
    pub prints: Vec<String>,
}

impl Function {
    pub fn text(&self) -> String {
        let mut t = Text::default();
        t.line(&format!(
            "void {}({}) {{",
            self.name,
            self.params.join(", ")
        ));
        t.block(&self.body);
        for p in &self.prints {
            t.line(&format!("  {p}"));
        }
        t.line("}");
        t.text
    }
}

/// Statements that go through all numbers of an object.
pub fn each(path: &[Step], what: &dyn Fn(&str) -> String) -> String {
    let (mut loops, mut place) = (String::new(), String::new());
    let mut n = 0;
    for s in path {
        match s {
            Step::Text(t) => place.push_str(t),
            Step::Dim(d) => {
                loops.push_str(&format!("for (int x{n} = 0; x{n} < {d}; x{n}++) "));
                place.push_str(&format!("[x{n}]"));
                n += 1;
            }
        }
    }
    format!("{loops}{}", what(&place))
}

/// A statement that gives all numbers of an object values.
pub fn fill(o: &Object, values: &str) -> String {
    let ty = o.ty;
    each(&o.path, &|place| {
        if ty.is_float() {
            format!("{place} = next_float();")
        } else if values.is_empty() {
            format!("{place} = ({})next_integer({});", ty.name(), ty.bits())
        } else {
            format!("{place} = {values};")
        }
    })
}

/// A statement that takes all numbers of an object into account.
pub fn look(o: &Object) -> String {
    let float = o.ty.is_float();
    each(&o.path, &|place| {
        if float {
            format!("see_float({place});")
        } else {
            format!("see_integer((long){place});")
        }
    })
}

/// What the regions of a function are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Loops without directives, for `--auto`.
    Auto,
    Scop,
    Offload,
    Kernels,
    Serial,
    Parallel,
    Data,
}

use Kind::*;

/// The kinds with their names, and how many of twenty functions are of each.
pub const KINDS: [(Kind, &str, usize); 7] = [
    (Auto, "auto", 4),
    (Scop, "scop", 4),
    (Offload, "offload", 1),
    (Kernels, "kernels", 3),
    (Serial, "serial", 1),
    (Parallel, "parallel", 4),
    (Data, "data", 3),
];

impl Gen {
    /// A function of this number, in the scope of the file's globals, of one of these kinds.
    pub fn function(&mut self, number: usize, globals: &[usize], kinds: &[Kind]) -> Function {
        let name = format!("f{number}");
        let all = self.objects.clone();
        let mark_bases = self.bases.len();
        let bases = self.bases.clone();
        // Some of the globals are what it is about.
        let mut visible: Vec<usize> = globals.to_vec();
        while visible.len() > 7 {
            let n = self.rng.below(visible.len());
            visible.remove(n);
        }
        self.objects.retain(|o| visible.contains(&o.base));
        self.roles.clear();
        self.fresh = 0;
        self.budget = 14;
        self.trips = 1;
        self.loops = 0;
        let weighted: Vec<Kind> = KINDS
            .iter()
            .filter(|(k, ..)| kinds.contains(k))
            .flat_map(|(k, _, n)| vec![*k; *n])
            .collect();
        let kind = *self.rng.pick(&weighted);
        let plain = kind == Auto;
        if !matches!(kind, Auto | Scop) {
            // Directives would have to say where rows behind pointers are.
            let bases = &self.bases;
            self.objects
                .retain(|o| !bases[o.base].name.starts_with("table"));
        }
        self.reordered = !matches!(kind, Auto | Scop | Offload);
        self.effects = true;
        let mut f = Function {
            name,
            params: vec![],
            calls: vec![vec![]],
            body: vec![],
            prints: vec![],
        };
        if self.rng.chance(35) {
            f.calls.push(vec![]);
        }
        self.parameters(&mut f, &all);
        self.locals(&mut f);
        let segments = if plain { 1 } else { 1 + self.rng.below(2) };
        for _ in 0..segments {
            if self.rng.chance(20) {
                self.statement(&mut f.body);
            }
            let made = match kind {
                Auto => {
                    let mut loops = Vec::new();
                    self.any_loop(&mut loops);
                    self.any_loop(&mut loops);
                    loops
                }
                Scop => self.region(Construct::Scop),
                Offload => self.region(Construct::Offload),
                Kernels => self.region(Construct::Kernels),
                Serial => self.region(Construct::Serial),
                Parallel => self.parallel(),
                Data => self.data_region(),
            };
            f.body.extend(made);
        }
        self.objects = all;
        self.bases.truncate(mark_bases);
        self.bases = bases;
        f
    }

    fn parameters(&mut self, f: &mut Function, all: &[Object]) {
        for n in ["n", "m", "k"].iter().take(1 + self.rng.below(3)) {
            let ty = *self.rng.pick(&[
                Ty::Int,
                Ty::Int,
                Ty::Int,
                Ty::Long,
                Ty::UInt,
                Ty::ULong,
                Ty::Short,
                Ty::UChar,
            ]);
            f.params.push(format!("{} {n}", ty.name()));
            let (mut lo, mut hi) = (i64::MAX, i64::MIN);
            for c in &mut f.calls {
                let v = match *n {
                    "k" if ty.signed() => self.rng.between(-6, 20),
                    "k" => self.rng.between(0, 200),
                    _ => self.rng.between(1, 10),
                };
                (lo, hi) = (lo.min(v), hi.max(v));
                c.push(v.to_string());
            }
            let o = self.scalar(n, ty, true);
            (self.objects[o].lo, self.objects[o].hi) = (lo.into(), hi.into());
        }
        // Pointers to one-dimensional globals, or into them.
        let flat: Vec<Object> = all
            .iter()
            .filter(|o| o.path.len() == 2 && !o.fixed && matches!(o.path[1], Step::Dim(64)))
            .cloned()
            .collect();
        let mut taken: Vec<usize> = Vec::new();
        for q in 0..self.rng.below(4) {
            let o = self.rng.pick(&flat).clone();
            let name = format!("q{q}");
            let again = taken.contains(&o.base);
            if again && self.reordered {
                continue;
            }
            taken.push(o.base);
            let mut least = 64;
            for c in &mut f.calls {
                let offset = match self.rng.below(3) {
                    0 => *self.rng.pick(&[1, 3, 8, 20, 33]),
                    _ => 0,
                };
                least = least.min(64 - offset);
                let global = &self.bases[o.base].name;
                c.push(if offset == 0 {
                    global.clone()
                } else {
                    format!("&{global}[{offset}]")
                });
            }
            // In a function with directives that promise or move something the global itself
            // is not used beside the pointer.
            let hidden = self.reordered || self.rng.chance(50);
            if hidden {
                self.objects.retain(|x| x.base != o.base);
            }
            // There are then no aliases at all.
            let restrict = self.reordered && self.rng.chance(30);
            let word = if restrict { "restrict " } else { "" };
            f.params.push(format!("{} *{word}{name}", o.ty.name()));
            let class = self.bases[o.base].class;
            let base = self.base(&name, "", false, class);
            self.bases[base].pointer = true;
            self.bases[base].group = o.base;
            self.bases[base].clause = format!("{name}[0:{least}]");
            self.objects.push(Object {
                base,
                path: vec![Step::Text(name), Step::Dim(least)],
                ..o.clone()
            });
        }
        self.struct_parameter(f, all);
    }

    /// A pointer to a global struct.
    fn struct_parameter(&mut self, f: &mut Function, all: &[Object]) {
        let structs: Vec<&Object> = all
            .iter()
            .filter(|o| self.bases[o.base].ty.starts_with("struct") && self.bases[o.base].scalar)
            .collect();
        if structs.is_empty() || !self.rng.chance(15) {
            return;
        }
        let global = structs[0].base;
        let g = self.bases[global].clone();
        let Some((_, ways)) = self.structs.iter().find(|(n, _)| *n == g.ty).cloned() else {
            return;
        };
        for c in &mut f.calls {
            c.push(format!("&{}", g.name));
        }
        f.params.push(format!("{} *ps", g.ty));
        self.objects.retain(|o| o.base != global);
        let front = [Step::Text("ps->".into())];
        let ways: Vec<_> = ways
            .into_iter()
            .map(|(mut w, t)| {
                if let Some(Step::Text(s)) = w.first_mut() {
                    *s = s.trim_start_matches('.').into();
                }
                (w, t)
            })
            .collect();
        let base = self.struct_base("ps", &g.ty, &front, &ways);
        self.bases[base].class = g.class;
        self.bases[base].pointer = true;
        self.bases[base].clause = "ps[0:1]".into();
    }

    fn locals(&mut self, f: &mut Function) {
        for r in 0..1 + self.rng.below(3) {
            let name = format!("r{r}");
            let ty = self.any_type();
            let first = Expr::number(self.rng.between(-3, 9).into());
            f.body
                .push(Stmt::Declare(format!("{} {name}", ty.name()), first));
            let o = self.scalar(&name, ty, false);
            let base = self.objects[o].base;
            self.bases[base].class = *self.rng.pick(&[Class::Sum, Class::Sum, Class::Result]);
            let look = look(&self.objects[o]);
            f.prints
                .push(format!("{look} seen(\"{}\", \"{name}\");", f.name));
        }
        if self.rng.chance(30) {
            let name = "v".to_string();
            let ty = self.any_type();
            let n = self
                .objects
                .iter()
                .find(|o| o.scalar() && o.fixed && self.bases[o.base].name == "n" && o.lo >= 1);
            let Some(n) = n else { return };
            let (least, more) = (n.lo, self.rng.between(0, 5));
            let variable = self.rng.chance(60);
            let size = if variable {
                format!("n + {more}")
            } else {
                "12".into()
            };
            let d = if variable {
                least + i128::from(more)
            } else {
                12
            };
            let base = self.base(&name, "", false, Class::Result);
            let two = self.rng.chance(40);
            let second = if two { "[6]" } else { "" };
            f.body
                .push(Stmt::Line(format!("{} {name}[{size}]{second};", ty.name())));
            let mut path = vec![Step::Text(name.clone()), Step::Dim(d)];
            if two {
                path.push(Step::Dim(6));
            }
            let o = Object::of(base, path, ty);
            f.body.push(Stmt::Line(fill(&o, "")));
            f.prints
                .push(format!("{} seen(\"{}\", \"{name}\");", look(&o), f.name));
            self.objects.push(o);
        }
    }
}
