//! What becomes of an object that a region reads and changes: every kind of object under
//! every kind of construct and clause, with data around it or not. Each case is a small
//! function; what it must find is computed here from OpenACC's rules (3.1, 2.5.13, 2.5.14,
//! 2.6.2, 2.7), once for a device with memory of its own and once for one that shares the
//! host's, where data clauses copy nothing.

use std::fmt::Write;

use super::folder::{Folder, text};

/// An object: how it is declared, named in clauses, and accessed.
struct Kind {
    name: &'static str,
    /// At file scope.
    file: &'static str,
    /// In the function.
    local: &'static str,
    /// The function's parameters, and what it is called with.
    params: (&'static str, &'static str),
    clause: &'static str,
    access: &'static str,
    /// A scalar variable: each gang's own under `parallel` where nothing names it.
    scalar: bool,
    /// Gangs may have copies of it.
    private: bool,
}

const fn kind(name: &'static str, clause: &'static str, access: &'static str) -> Kind {
    Kind {
        name,
        file: "",
        local: "",
        params: ("void", ""),
        clause,
        access,
        scalar: false,
        private: false,
    }
}

fn kinds() -> Vec<Kind> {
    let scalar = |name| Kind {
        scalar: true,
        private: true,
        ..kind(name, "x", "x")
    };
    vec![
        Kind {
            local: "int x;",
            ..scalar("local")
        },
        Kind {
            file: "int x;",
            ..scalar("global")
        },
        Kind {
            file: "static int x;",
            ..scalar("file_static")
        },
        Kind {
            local: "static int x;",
            ..scalar("local_static")
        },
        Kind {
            params: ("int x", "0"),
            ..scalar("parameter")
        },
        Kind {
            local: "int a[4] = {0};",
            private: true,
            ..kind("array", "a", "a[2]")
        },
        Kind {
            local: "struct S s = {0};",
            private: true,
            ..kind("member", "s", "s.n")
        },
        Kind {
            file: "struct S s;",
            private: true,
            ..kind("global_member", "s", "s.n")
        },
        Kind {
            local: "struct W w = {0};",
            private: true,
            ..kind("nested_member", "w", "w.s.n")
        },
        Kind {
            local: "struct S t[3] = {{0}};",
            ..kind("member_of_element", "t", "t[1].n")
        },
        Kind {
            local: "struct S s = {0}, *p = &s;",
            ..kind("member_behind", "p[0:1]", "p->n")
        },
        Kind {
            local: "int y = 0, *q = &y;",
            ..kind("behind", "q[0:1]", "*q")
        },
    ]
}

const CONSTRUCTS: &[&str] = &[
    "parallel",
    "serial",
    "kernels",
    "parallel loop",
    "kernels loop",
];
const CLAUSES: &[&str] = &[
    "",
    "private",
    "firstprivate",
    "copy",
    "copyin",
    "copyout",
    "create",
    "present",
];
const AROUND: &[&str] = &["", "data copy", "data create", "enter data", "declare"];

/// The host's value before data, and between data and the region; the region's.
const OLD: i32 = 3;
const HOST: i32 = 5;
const NEW: i32 = 7;

/// What is found; `None` where nothing is said.
#[derive(Clone, Copy, PartialEq)]
struct Found {
    /// By the region.
    read: Option<i32>,
    /// By the host behind the region, and behind the data.
    behind: i32,
    end: Option<i32>,
}

/// Whether a case means something.
fn is_case(k: &Kind, construct: &str, clause: &str, around: &str) -> bool {
    let own = matches!(clause, "private" | "firstprivate");
    let placed = around != "declare" || k.file.contains("int x;") && !k.file.contains("static");
    // OpenACC has `firstprivate` on neither `kernels` nor its loops, and `private` on loops.
    let has = match clause {
        "firstprivate" => !construct.starts_with("kernels"),
        "private" => construct != "kernels",
        _ => true,
    };
    // A gang's own value of what is on the device as well is left alone here.
    placed
        && has
        && (k.private || !own)
        && (clause != "present" || !around.is_empty())
        && (!own || around.is_empty())
}

fn expected(k: &Kind, construct: &str, clause: &str, around: &str, separate: bool) -> Found {
    let kernels = construct.starts_with("kernels");
    let named = matches!(around, "data copy" | "data create" | "declare");
    let shared = match clause {
        "private" | "firstprivate" => false,
        "" => !k.scalar || kernels || named,
        _ => true,
    };
    let unknown = matches!(clause, "private" | "copyout" | "create");
    if !separate {
        let value = if shared { NEW } else { HOST };
        return Found {
            read: (!unknown).then_some(HOST),
            behind: value,
            end: Some(value),
        };
    }
    let present = !around.is_empty();
    // What the device had, before the region.
    let device = (around != "data create").then_some(OLD);
    let back = around == "data copy" || around == "enter data" || around == "declare";
    let ends = |device: Option<i32>| if back { device } else { Some(HOST) };
    match (shared, present) {
        (false, _) => Found {
            read: (!unknown).then_some(HOST),
            behind: HOST,
            end: if present { ends(device) } else { Some(HOST) },
        },
        (true, true) => Found {
            read: device,
            behind: HOST,
            end: ends(Some(NEW)),
        },
        (true, false) => {
            let back = matches!(clause, "" | "copy" | "copyout");
            let value = if back { NEW } else { HOST };
            Found {
                read: (!unknown).then_some(HOST),
                behind: value,
                end: Some(value),
            }
        }
    }
}

/// A case as a function, and its call.
fn case(n: usize, k: &Kind, construct: &str, clause: &str, around: &str) -> (String, String) {
    let name = format!("{} / {construct} / {clause} / {around}", k.name);
    let (x, named) = (k.access, k.clause);
    let unique = |s: &str| match k.file {
        "" => s.to_string(),
        _ => s
            .replace("x", &format!("x{n}"))
            .replace("s.", &format!("s{n}.")),
    };
    let (x, named) = match k.file {
        "" => (x.to_string(), named.to_string()),
        _ => (unique(x), format!("{named}{n}")),
    };
    let mut out = match k.file {
        "" => String::new(),
        file => {
            file.replace(" x;", &format!(" x{n};"))
                .replace(" s;", &format!(" s{n};"))
                + "\n"
        }
    };
    if around == "declare" {
        let _ = writeln!(out, "#pragma acc declare create({named})");
    }
    let _ = writeln!(
        out,
        "static void f{n}({}) {{\n  {}\n  int r = 0, behind;",
        k.params.0, k.local
    );
    let _ = writeln!(out, "  {x} = {OLD};");
    match around {
        "data copy" | "data create" => {
            let _ = writeln!(out, "#pragma acc {around}({named})\n  {{");
        }
        "enter data" => {
            let _ = writeln!(out, "#pragma acc enter data copyin({named})");
        }
        "declare" => {
            let _ = writeln!(out, "#pragma acc update device({named})");
        }
        _ => {}
    }
    let _ = writeln!(out, "  {x} = {HOST};");
    let own = match clause {
        "" => String::new(),
        c => format!(" {c}({named})"),
    };
    let _ = writeln!(out, "#pragma acc {construct}{own} copyout(r)");
    if construct.ends_with("loop") {
        out.push_str("  for (int i = 0; i < 1; i++)\n");
    }
    let found = |separate| expected(k, construct, clause, around, separate);
    let (s, h) = (found(true), found(false));
    // What nobody has written is not to be read.
    let read = match s.read {
        Some(_) => format!("r = {x};"),
        None => String::new(),
    };
    let _ = writeln!(out, "  {{ {read} {x} = {NEW}; }}\n  behind = {x};");
    match around {
        "data copy" | "data create" => out.push_str("  }\n"),
        "enter data" => {
            let _ = writeln!(out, "#pragma acc exit data copyout({named})");
        }
        "declare" => {
            let _ = writeln!(out, "#pragma acc update self({named})");
        }
        _ => {}
    }
    let value = |v: Option<i32>| v.map_or("ANY".to_string(), |v| v.to_string());
    let both = |a: Option<i32>, b: Option<i32>| format!("separate ? {} : {}", value(a), value(b));
    let _ = writeln!(
        out,
        "  check(\"{name}: read\", r, {});\n  check(\"{name}: behind\", behind, {});\n  \
         check(\"{name}: end\", {x}, {});\n}}",
        both(s.read, s.read.and(h.read)),
        both(Some(s.behind), Some(h.behind)),
        both(s.end, h.end),
    );
    (out, format!("  f{n}({});\n", k.params.1))
}

const HEAD: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ANY -99
struct S { double d; int n; int a[3]; };
struct W { int k; struct S s; };
static int separate, failures;
static void check(const char *name, int found, int expected) {
  if (expected != ANY && found != expected) {
    printf(\"%s: %d instead of %d\\n\", name, found, expected);
    failures++;
  }
}
";

const MAIN: &str = "int main(void) {
  const char *target = getenv(\"TERRACE_TARGET\");
  separate = !strcmp(target, \"emulator\") || !strcmp(target, \"gpu\");
";

/// Programs whose scalars, members of records, reductions of a construct, and gangs went
/// wrong: what they print, where the device has memory of its own and where it shares the
/// host's.
const PROGRAMS: &[(&str, &str, &str, &str)] = &[
    (
        "scalars",
        include_str!("Inputs/sharing/scalars.c"),
        include_str!("Inputs/sharing/scalars.separate.txt"),
        include_str!("Inputs/sharing/scalars.shared.txt"),
    ),
    (
        "members",
        include_str!("Inputs/sharing/members.c"),
        include_str!("Inputs/sharing/members.separate.txt"),
        include_str!("Inputs/sharing/members.shared.txt"),
    ),
    (
        "gangs",
        include_str!("Inputs/sharing/gangs.c"),
        include_str!("Inputs/sharing/gangs.separate.txt"),
        include_str!("Inputs/sharing/gangs.shared.txt"),
    ),
];

#[test]
fn scalars_members_and_gangs() {
    for (name, source, separate, shared) in PROGRAMS {
        let f = Folder::new(&[("program.c", source)]);
        let out = f.terrace(&["-w", "-O1", "program.c", "-o", "program"]);
        assert!(out.status.success(), "{name}: {}", text(&out.stderr));
        for (target, expected) in [("cpu", shared), ("emulator", separate)] {
            let out = f.program("program", &[("TERRACE_TARGET", target)]);
            let said = text(&out.stdout) + &text(&out.stderr);
            assert_eq!(&said, expected, "{name} on {target}");
        }
    }
}

/// Runs every `step`th case; with TERRACE_SHARING every one.
#[test]
fn objects_are_where_the_clauses_say() {
    let step = match std::env::var("TERRACE_SHARING") {
        Ok(_) => 1,
        Err(_) => 7,
    };
    let mut n = 0;
    for k in kinds() {
        let (mut functions, mut calls) = (HEAD.to_string(), MAIN.to_string());
        for (construct, clause, around) in CONSTRUCTS.iter().flat_map(|c| {
            CLAUSES
                .iter()
                .flat_map(move |d| AROUND.iter().map(move |a| (c, d, a)))
        }) {
            if !is_case(&k, construct, clause, around) {
                continue;
            }
            n += 1;
            if n % step == 0 {
                let (f, c) = case(n, &k, construct, clause, around);
                functions.push_str(&f);
                calls.push_str(&c);
            }
        }
        calls.push_str("  printf(\"%d failures\\n\", failures);\n  return failures != 0;\n}\n");
        let f = Folder::new(&[("cases.c", &(functions + &calls))]);
        let out = f.terrace(&["-w", "-O1", "cases.c", "-o", "cases"]);
        assert!(out.status.success(), "{}: {}", k.name, text(&out.stderr));
        for target in ["cpu", "emulator"] {
            let out = f.program("cases", &[("TERRACE_TARGET", target)]);
            let said = text(&out.stdout) + &text(&out.stderr);
            assert_eq!(said, "0 failures\n", "{} on {target}", k.name);
        }
    }
    assert!(n > 900, "{n} cases");
}
