//! Initialisers and the lengths of arrays.

use crate::sema::testing::{errors, printed};

fn check(cases: &[(&str, &str)]) {
    let declarations = "struct P { int x, y; }; struct Q { struct P p[2]; char s[4]; double d; }; \
        struct A { int a; union { int u; float v; }; struct { int b, c; }; }; union U { int i; \
        double d; };";
    for (text, tree) in cases {
        let all = printed(&format!("{declarations}\n{text}\n"));
        assert_eq!(all.trim_end(), *tree, "{text}");
    }
}

#[test]
fn lists_fill_objects() {
    check(&[
        ("int a[3] = {1, 2};", "a: int [3] = {0: 1, 1: 2};"),
        ("int a[] = {1, 2, 3};", "a: int [3] = {0: 1, 1: 2, 2: 3};"),
        ("double a[2] = {1};", "a: double [2] = {0: (double)1};"),
        (
            "int a[2][2] = {{1}, {2, 3}};",
            "a: int [2][2] = {0: {0: 1}, 1: {0: 2, 1: 3}};",
        ),
        (
            "int a[2][2] = {1, 2, 3};",
            "a: int [2][2] = {0: {0: 1, 1: 2}, 1: {0: 3}};",
        ),
        (
            "int a[][2] = {1, 2, 3};",
            "a: int [2][2] = {0: {0: 1, 1: 2}, 1: {0: 3}};",
        ),
        (
            "int a[1000][1000] = {0};",
            "a: int [1000][1000] = {0: {0: 0}};",
        ),
        ("int a = {3};", "a: int = 3;"),
        ("struct P p = {1, 2};", "p: struct P = {0: 1, 1: 2};"),
        (
            "struct P p[] = {{1, 2}, 3, 4};",
            "p: struct P [2] = {0: {0: 1, 1: 2}, 1: {0: 3, 1: 4}};",
        ),
        (
            "struct Q q = {1, 2, 3, 4, \"abc\", 5};",
            "q: struct Q = {0: {0: {0: 1, 1: 2}, 1: {0: 3, 1: 4}}, 1: \"abc\", 2: (double)5};",
        ),
        (
            "struct A a = {1, 2, 3, 4};",
            "a: struct A = {0: 1, 1: {0: 2}, 2: {0: 3, 1: 4}};",
        ),
        ("union U u = {3};", "u: union U = {0: 3};"),
        ("struct P p = {};", "p: struct P = {};"),
    ]);
}

#[test]
fn designators_lead_anywhere() {
    check(&[
        (
            "int a[] = {[5] = 1, 2, [1] = 3};",
            "a: int [7] = {1: 3, 5: 1, 6: 2};",
        ),
        (
            "int a[] = {[0 ... 2] = 7, 8};",
            "a: int [4] = {0: 7, 1: 7, 2: 7, 3: 8};",
        ),
        ("struct P p = {.y = 1};", "p: struct P = {1: 1};"),
        ("struct P p = {y: 1, x: 2};", "p: struct P = {0: 2, 1: 1};"),
        (
            "struct Q q = {.p[1].y = 1, \"a\"};",
            "q: struct Q = {0: {1: {1: 1}}, 1: \"a\"};",
        ),
        (
            "struct Q q = {.p[0] = {1, 2}, .p[0].y = 3};",
            "q: struct Q = {0: {0: {0: 1, 1: 3}}};",
        ),
        (
            "struct A a = {.v = 1, 2, 3};",
            "a: struct A = {1: {1: (float)1}, 2: {0: 2, 1: 3}};",
        ),
        ("struct A a = {.c = 1};", "a: struct A = {2: {1: 1}};"),
        ("union U u = {.d = 1};", "u: union U = {1: (double)1};"),
        (
            "union U u = {.i = 1, .d = 2};",
            "u: union U = {1: (double)2};",
        ),
        (
            "struct P p[3] = {[1].y = 2, 3, 4};",
            "p: struct P [3] = {1: {1: 2}, 2: {0: 3, 1: 4}};",
        ),
    ]);
}

#[test]
fn strings_are_arrays() {
    check(&[
        ("char s[] = \"abc\";", "s: char [4] = \"abc\";"),
        ("char s[] = {\"abc\"};", "s: char [4] = \"abc\";"),
        ("char s[2] = \"ab\";", "s: char [2] = \"ab\";"),
        (
            "char s[][3] = {\"ab\", \"c\"};",
            "s: char [2][3] = {0: \"ab\", 1: \"c\"};",
        ),
        (
            "const char *s[] = {\"ab\", 0};",
            "s: const char * [2] = {0: decay(\"ab\"), 1: (const char *)0};",
        ),
        (
            "unsigned char s[] = \"\\xff\\0\";",
            "s: unsigned char [3] = \"\\xff\\x00\";",
        ),
    ]);
}

#[test]
fn records_by_value() {
    let text = "struct P { int x, y; }; struct P g(void); \
        void f(void) { struct P p = g(), a[2] = {p, 1, 2}; }";
    let tree = "void f() {\n  p: struct P = g(), a: struct P [2] = {0: p, 1: {0: 1, 1: 2}};\n}\n";
    assert_eq!(printed(text), tree);
}

#[test]
fn wrong_initialisers() {
    let mut wrong = String::new();
    for (text, error) in [
        (
            "int a[2] = {[2] = 1};",
            "1:14: the array has no element 2: its length is 2",
        ),
        (
            "int a[2] = 3;",
            "1:12: an array is initialised by a list in braces",
        ),
        (
            "struct P { int x; } p = {.z = 1};",
            "1:26: `struct P` has no member `z`",
        ),
        (
            "int a[2] = {1, 2, 3};",
            "1:19: there are more values than `int [2]` has parts",
        ),
        (
            "int i = {.x = 1};",
            "1:10: `int` has no parts to be designated",
        ),
        (
            "int a[4] = {[3 ... 1] = 1};",
            "1:13: this range of elements is empty: 3 to 1",
        ),
        (
            "struct P p = {1};",
            "1:14: `struct P` is not defined, so it has no initialiser",
        ),
        (
            "int *p = 1.5;",
            "1:10: this initialiser needs `int *`, and this is `double`",
        ),
        (
            "int n; int a[3] = {[n] = 1};",
            "1:21: a designated index has to be a constant",
        ),
    ] {
        let found = errors(text);
        if found != [error] {
            wrong += &format!("{text}\n  expected {error:?}\n  found {found:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
