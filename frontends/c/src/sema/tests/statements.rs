//! Statements, functions and scopes.

use crate::hir::StmtKind;
use crate::sema::testing::{body, good, printed};

#[test]
fn switches_become_arms() {
    let tree = body(
        "switch (c) { case 1: case 2: i = 1; break; default: i = 2; case 'a' ... 'c': { i = 3; } }",
    );
    assert_eq!(
        tree,
        "switch ((int)c) {\ncase 1:\ncase 2:\n  i = 1;\n  break;\ndefault:\n  i = 2;\ncase 97:\ncase 98:\n\
         case 99:\n  {\n    i = 3;\n  }\n}\n"
    );
    let tree = body("switch (i) { case 1: while (i) { case 2: i--; } }");
    assert_eq!(tree, "<a case label inside another statement>;\n");
    let tree = body("switch (uc) case 300: i = 1;");
    assert_eq!(tree, "switch ((int)uc) {\ncase 300:\n  i = 1;\n}\n");
    let tree = body("switch (u) { case -1: i = 1; }");
    assert_eq!(tree, "switch (u) {\ncase 4294967295:\n  i = 1;\n}\n");
    // The inner switch takes its own labels.
    let tree = body("switch (i) { case 1: switch (u) { case 1: ; } }");
    assert!(
        tree.starts_with("switch (i) {\ncase 1:\n  switch (u) {\n  case 1:"),
        "{tree}"
    );
}

#[test]
fn jumps_and_labels() {
    assert_eq!(
        body(
            "again: if (i--) goto again; do i++; while (i < 3); for (;;) { if (i) break; continue; }"
        ),
        "again:\nif (i--)\n  goto again;\ndo\n  i++;\nwhile ((i < 3));\nfor (; ; ) {\n  if (i)\n    \
         break;\n  continue;\n}\n"
    );
}

#[test]
fn inner_names_hide_outer_ones() {
    let text = "int x; typedef int T; void f(int n) { x = n; for (int x = 0, n = 1; x < n; x++) \
        { double x = n; x++; } x = 1; { int T = 3; n = T; } { enum { x = 5 }; n = x; } T k = x; }";
    assert_eq!(
        printed(text),
        "x: int;\nvoid f(n: int) {\n  x = n;\n  for (x'2: int = 0, n'2: int = 1; (x'2 < n'2); x'2++) {\n    \
         x'3: double = (double)n'2;\n    x'3++;\n  }\n  x = 1;\n  {\n    T: int = 3;\n    n = T;\n  }\n  \
         {\n    ;\n    n = 5;\n  }\n  k: int = x;\n}\n"
    );
}

#[test]
fn parameters_are_adjusted() {
    let text = "typedef double row[7]; void f(int n, double a[n][n + 1], double b[], double c[restrict 5], \
        double d[static 3][4], double (*e)[n], int g(double), row r, const row cr, double *const p, \
        const double *restrict q, char **v);";
    let body = text.trim_end_matches(';').to_owned() + " { }";
    assert_eq!(
        printed(&body),
        "void f(n: int, a: double (*)[*] {n, (n + 1)}, b: double *, c: double * restrict declared [5], \
         d: double (*)[4] declared [3], e: double (*)[*] {n}, g: int (*)(double), r: double * declared [7], \
         cr: const double * declared [7], const p: double *, q: const double * restrict, v: char **) {\n}\n"
    );
    good(text);
}

#[test]
fn declarations_of_one_thing_are_one() {
    let unit = good(
        "extern int a[]; int a[5]; int a[]; static int s; static int s = 3; int use(void) \
         { extern int a[5]; extern int later; return a[0] + later; } int later = 2; \
         double g(); double g(int); double g(int x) { return x; } int h(void);",
    );
    let names: Vec<_> = unit.vars.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["a", "s", "later", "x"]);
    assert_eq!(unit.functions.len(), 2);
    let externals: Vec<_> = unit.externals.iter().map(|e| e.0.as_str()).collect();
    assert_eq!(externals, ["h"]);
}

#[test]
fn assert_is_a_statement() {
    let tree = body(
        "((void) sizeof ((i > 0) ? 1 : 0), __extension__ ({ if (i > 0) ; else unknown(1); }));",
    );
    assert_eq!(
        tree,
        "{\n  (void)4UL;\n  {\n    if ((i > 0))\n      ;\n    else\n      unknown(1);\n  }\n}\n"
    );
}

#[test]
fn deep_nesting_is_refused_without_overflow() {
    // Deeper than anyone writes, in a thread with as little stack as threads have.
    for (open, middle, close) in [
        ("-(", "1", ")"),
        ("f(", "1", ")"),
        ("(1 ? ", "2", " : 3)"),
        ("a[", "0", "]"),
        ("(int)(1 + ", "2", ")"),
    ] {
        let text = format!(
            "int a[3]; int f(int x) {{ return {}{middle}{}; }}",
            open.repeat(140),
            close.repeat(140)
        );
        good(&text);
    }
    for (open, close) in [
        ("{", "}"),
        ("if (x) { ", "}"),
        ("for (;;) ", ""),
        ("if (x) ; else ", ""),
    ] {
        let text = format!(
            "int f(int x) {{ {}; {} }}",
            open.repeat(140),
            close.repeat(140)
        );
        good(&text);
    }
    let text = format!("int f(int x) {{ {}; }}", "if (x) x--; else ".repeat(900));
    good(&text);
    let text = format!("int f(int x) {{ {}; }}", "for (;;) ".repeat(200));
    assert!(printed(&text).contains("<a statement nested too deep>"));
    for row in ["x + ".repeat(1500), "x, ".repeat(1500)] {
        let tree = printed(&format!("int f(int x) {{ return ({row} x); }}"));
        assert!(tree.contains("an expression of more than 1000 operators in a row"));
    }
    let (open, close) = ("f(".repeat(200), ")".repeat(200));
    let tree = printed(&format!("int f(int x) {{ return {open}1{close}; }}"));
    assert!(tree.contains("<an expression nested too deep>"));
    let (open, close) = ("{".repeat(140), "}".repeat(140));
    let (from, to) = ("{".repeat(20), "}".repeat(20));
    let array = format!("int a{} = {from}1{to};", "[1]".repeat(20));
    let tree = printed(&format!("void f(void) {{ {open}{array}{close} }}"));
    assert!(tree.contains("<an initialiser nested too deep>"));
    let chain: String = (1..300)
        .map(|i| format!("typedef T{} *T{i};\n", i - 1))
        .collect();
    good(&format!("typedef int T0;\n{chain}T299 x;"));
    let chain: String = (1..60)
        .map(|i| format!("typedef void T{i}(T{0} *, T{0} *);\n", i - 1))
        .collect();
    good(&format!(
        "typedef void T0(int);\n{chain}T59 *x; T59 *y; int f(void) {{ return x == y; }}"
    ));
}

#[test]
fn spans_end_with_their_text() {
    let text = "int f(int x) {\n  if (x) x = 1;\n# 7 \"x.c\"\n#pragma scop\n  for (;;) { x ++ ; }\n\
        #pragma endscop\n  return (int) x ;\n}\n";
    let unit = good(text);
    let StmtKind::Block(body) = &unit.functions[0].body.kind else {
        panic!();
    };
    let texts: Vec<_> = body.iter().map(|s| unit.text(s.span)).collect();
    assert_eq!(
        texts,
        ["if (x) x = 1;", "for (;;) { x ++ ; }", "return (int) x ;"]
    );
    let StmtKind::Return(Some(value)) = &body[2].kind else {
        panic!();
    };
    assert_eq!(unit.text(value.span), "(int) x");
}
