//! What is refused, with the reason and the place; and what regions take.

use terrace_ir::{Context, verify};

use super::{Lowered, Options, RegionRequest, lower_region, lower_unit, new_module};
use crate::directive::Compute;
use crate::hir::{StmtKind, Unit};
use crate::region::{Region, Size};
use crate::source::SourceMap;
use crate::{directive, parse, sema};

fn unit(text: &str) -> Unit {
    let map = SourceMap::with_loader(text, Box::new(|_| None));
    let parsed = parse::parse(&map).expect("it parses");
    let (directives, said) = directive::collect(&map);
    assert!(said.is_empty(), "{said:?}");
    let (unit, said) = sema::analyze(map, &parsed, directives);
    assert!(said.is_empty(), "{said:?}");
    unit
}

fn lowered(text: &str) -> (Context, Lowered) {
    let unit = unit(text);
    let mut ctx = terrace_dialects::context();
    let l = lower_unit(&mut ctx, &unit, &Options::default());
    assert!(l.diagnostics.is_empty(), "{:?}", l.diagnostics);
    (ctx, l)
}

/// A refusal: a function `f`, the reason, the text at its place.
#[track_caller]
fn refused(text: &str, reason: &str, at: &str) {
    let unit = unit(text);
    let mut ctx = terrace_dialects::context();
    let l = lower_unit(&mut ctx, &unit, &Options::default());
    let kept = l.kept.iter().find(|k| k.function == "f");
    let k = kept.unwrap_or_else(|| panic!("nothing is refused in {text}"));
    assert_eq!(k.reason, reason);
    assert_eq!(unit.text(k.span).trim(), at);
    assert!(verify::verify(&ctx, l.module));
}

#[test]
fn statements() {
    refused(
        "int f(int n) { if (n) goto out; n++; out: return n; }",
        "a goto",
        "goto out;",
    );
    refused(
        "int printf(const char *, ...); void f(void) { printf(\"a\"); }",
        "a call of 'printf', whose arguments are not declared",
        "printf(\"a\")",
    );
}

#[test]
fn pointers() {
    refused(
        "int f(int n, int *a, int *b) { int *p = n ? a : b; return *p; }",
        "a pointer that may point to several arrays",
        "n ? a : b",
    );
    refused(
        "int f(int n, int *a, int *b) { int *p = a; if (n) p = b; return *p; }",
        "the pointer 'p' may point to several arrays",
        "p",
    );
    refused(
        "int f(int n, int *a, int *b) { for (int i = 0; i < n; i++) { int *t = a; a = b; b = t; } return *a; }",
        "the pointer 'a' may point to several arrays",
        "a",
    );
    refused(
        "int f(int **a) { return a[0][1]; }",
        "'f' has a parameter of type int * *",
        "f",
    );
    refused(
        "int f(int *a) { int *p; return *p; }",
        "the pointer 'p' has no known value here",
        "p",
    );
    refused(
        "char f(int *a) { return *(char *)a; }",
        "a pointer that is converted to a pointer to another type",
        "(char *)a",
    );
    refused(
        "int f(int *a, int *b) { return a < b; }",
        "two pointers that may point to different arrays are compared",
        "a < b",
    );
}

#[test]
fn objects() {
    refused(
        "int f(void) { union { int i; float x; } u; u.i = 1; return u.i; }",
        "'u', which is a union",
        "u",
    );
    refused(
        "struct s { int a : 3; }; int f(void) { struct s x; x.a = 1; return 1; }",
        "the bit-field 'a'",
        "x.a",
    );
    refused(
        "volatile int v; int f(void) { return v; }",
        "'v', which is volatile",
        "v",
    );
}

#[test]
fn regions_refuse() {
    refused(
        "double drand(void); void f(int n, double *a) {\n#pragma scop\nfor (int i = 0; i < n; i++) a[i] = drand();\n#pragma endscop\n}",
        "a call of 'drand', which has no device form",
        "drand()",
    );
    // Taken for one that gives an `int`.
    refused(
        "void f(int n, double *a) {\n#pragma acc kernels\nfor (int i = 0; i < n; i++) a[i] += g(i);\n}\nstatic double g(double x) { return 2 * x; }",
        "a call of 'g' before its declaration, which gives another type",
        "g(i)",
    );
    refused(
        "static int g(int n) { return n ? g(n - 1) : 0; } void f(int n, int *a) {\n#pragma acc kernels\nfor (int i = 0; i < n; i++) a[i] = g(i);\n}",
        "a call of 'g', which calls itself, so that nothing says how often",
        "g(n - 1)",
    );
    refused(
        "int f(int n, int *a) {\n#pragma acc kernels\nfor (int i = 0; i < n; i++) if (a[i]) return i;\nreturn 0; }",
        "a return out of the region",
        "return i;",
    );
    refused(
        "static int *a; void f(int n) {\n#pragma acc kernels\nfor (int i = 0; i < n; i++) *a++ = i;\n}",
        "the pointer 'a' is changed",
        "a++",
    );
    refused(
        "void f(int n, double ***a) {\n#pragma scop\nfor (int i = 0; i < n; i++) a[i][0][0] = i;\n#pragma endscop\n}",
        "'a', which leads to pointers to pointers",
        "a[i]",
    );
    refused(
        "void f(int n, double **a, double *b) {\n#pragma acc kernels\nfor (int i = 0; i < n; i++) a[i] = b;\n}",
        "a pointer in memory that is changed",
        "a[i] = b",
    );
    refused(
        "struct s { int x; }; void f(int n, struct s **a) {\n#pragma acc kernels\nfor (int i = 0; i < n; i++) a[i]->x = 0;\n}",
        "an array of pointers to elements of type struct s",
        "a[i]",
    );
}

/// The regions of a text.
fn regions(text: &str) -> Vec<Region> {
    let (ctx, l) = lowered(text);
    assert!(verify::verify(&ctx, l.module));
    l.regions
}

#[test]
fn sizes_of_captures() {
    let all = regions(
        "double g[4][5]; void f(int n, int m, double a[n][m], double *p, double (*q)[7]) {\n\
         double v[n + 1][m];\n#pragma acc kernels\n\
         for (int i = 0; i < n; i++) v[i][0] = a[i][1] + p[i] + q[i][2] + g[i][3];\n}",
    );
    let sizes: Vec<(&str, Vec<Size>)> = all[0]
        .captures
        .iter()
        .filter_map(|c| Some((c.text.as_str(), c.array()?.sizes.clone())))
        .collect();
    let text = |s: &str| Size::Text(s.to_string());
    assert_eq!(
        sizes,
        [
            (
                "a",
                vec![
                    Size::Declared("n".to_string()),
                    text("(sizeof((a)[0])?sizeof((a)[0])/sizeof((a)[0][0]):0)")
                ]
            ),
            ("p", vec![Size::Unknown]),
            ("q", vec![Size::Unknown, Size::Const(7)]),
            ("g", vec![Size::Const(4), Size::Const(5)]),
            (
                "v",
                vec![
                    text("(sizeof((v))?sizeof((v))/sizeof((v)[0]):0)"),
                    text("(sizeof((v)[0])?sizeof((v)[0])/sizeof((v)[0][0]):0)")
                ]
            ),
        ]
    );
}

#[test]
fn fields_of_records() {
    let all = regions(
        "struct p { double x; float y[2]; int t; }; void f(int n, struct p *b) {\n#pragma acc kernels\n\
         for (int i = 0; i < n; i++) b[i].y[1] = b[i].x + b[i].t;\n}",
    );
    let fields: Vec<_> = all[0]
        .captures
        .iter()
        .filter_map(|c| {
            let a = c.array()?;
            let f = a.field.as_ref()?;
            Some((
                c.text.as_str(),
                a.address.as_str(),
                f.offset,
                a.strides.clone()?,
            ))
        })
        .collect();
    assert_eq!(
        fields,
        [
            ("b[].x", "&(b)[0].x", 0, vec![3]),
            ("b[].t", "&(b)[0].t", 16, vec![6]),
            ("b[].y", "&(b)[0].y[0]", 8, vec![6, 1]),
        ]
    );
}

#[test]
fn a_scalar_is_a_result_where_it_is_read_later() {
    let all = regions(
        "int f(int n, int *a) { int i, t = 0, last, sum = 0;\n#pragma scop\n\
         for (i = 0; i < n; i++) { t = a[i]; last = t; sum += t; }\n#pragma endscop\n\
         t = 1; return last + sum + t; }",
    );
    let r = &all[0];
    let results: Vec<&str> = r
        .results
        .iter()
        .map(|i| r.captures[*i].text.as_str())
        .collect();
    assert_eq!(results, ["last", "sum"]);
}

#[test]
fn what_nests_deeply_is_left_alone() {
    let sum = "n + ".repeat(400);
    let inner = "n + ".repeat(151);
    refused(
        &format!("int f(int n) {{ return {sum}n; }}"),
        "code that nests too deeply",
        &format!("{inner}n"),
    );
}

#[test]
fn any_statement_can_be_a_region() {
    let unit = unit("void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = i; }");
    let mut ctx = terrace_dialects::context();
    let module = new_module(&mut ctx);
    let StmtKind::Block(list) = &unit.functions[0].body.kind else {
        panic!("a body is a block");
    };
    let request = RegionRequest {
        name: "f.found",
        function: 0,
        stmt: &list[0],
        directive: None,
        construct: Compute::Auto,
    };
    let (op, region) = lower_region(&mut ctx, module, &unit, &request).expect("it lowers");
    assert_eq!(op.symbol_name(&ctx), Some("f.found"));
    assert!(region.captures.iter().any(|c| c.written && c.text == "a"));
    assert!(verify::verify(&ctx, module));
}
