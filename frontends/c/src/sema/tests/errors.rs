//! Every error that analysis reports, with its place.

use crate::hir;
use crate::sema::testing::{errors, good, read};

fn check(cases: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (text, error) in cases {
        let found = errors(text);
        if found != [*error] {
            wrong += &format!("{text}\n  expected {error:?}\n  found {found:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn names() {
    check(&[
        ("int f(void) { return nn; }", "1:22: `nn` is not declared"),
        (
            "int count; int f(void) { return coutn; }",
            "1:33: `coutn` is not declared",
        ),
        (
            "int count; int f(void) { return coun; }",
            "1:33: `coun` is not declared; did you mean `count`?",
        ),
        (
            "typedef int T; int f(void) { return sizeof(T) + sizeof(S); }",
            "1:55: `S` is not declared",
        ),
        (
            "int f(void) { int x; double x; return 1; }",
            "1:29: `x` is declared here for a second time in one block (it was declared here)",
        ),
        (
            "int x; double x;",
            "1:15: `x` is declared as `double` here, and was `int` before (it was declared here)",
        ),
        (
            "int f(int); double f(int);",
            "1:20: `f` is declared as `double (int)` here, and was `int (int)` before (it was declared here)",
        ),
        (
            "int f(void) { return 1; } int f(void) { return 2; }",
            "1:31: `f` is defined for a second time (it was declared here)",
        ),
        (
            "int f(int a, int a) { return a; }",
            "1:18: there are two parameters `a`",
        ),
        (
            "int f(void) { goto out; }",
            "1:20: there is no label `out` in this function",
        ),
        (
            "int f(void) { a: a: return 1; }",
            "1:18: there are two labels `a` in this function",
        ),
        (
            "int f; typedef int f;",
            "1:20: `f` is declared here for a second time, as something else",
        ),
        (
            "int n = 1; int n; int n = 2;",
            "1:23: `n` is initialised for a second time",
        ),
        (
            "enum { A, A };",
            "1:11: `A` is declared here for a second time",
        ),
        (
            "struct S { int a; }; struct S { int b; };",
            "1:29: `struct S` is defined for a second time",
        ),
        (
            "struct S { int a; double a; };",
            "1:26: there are two members `a`",
        ),
        (
            "typedef int f; int f(void);",
            "1:20: `f` is declared here for a second time, as a function",
        ),
        (
            "int f; int f(int f) { return f; }",
            "1:12: `f` is declared here for a second time, as a function",
        ),
    ]);
    // Once is enough.
    assert_eq!(
        errors("int f(void) { return nn + nn; } int g(void) { return nn; }").len(),
        1
    );
}

#[test]
fn types() {
    check(&[
        (
            "struct S { int a; } s; int f(void) { return s; }",
            "1:45: the value this function returns needs `int`, and this is `struct S`",
        ),
        (
            "struct S { int a; } s; int f(void) { return s.b; }",
            "1:45: `struct S` has no member `b`",
        ),
        (
            "struct S { int count; } s; int f(void) { return s.cont; }",
            "1:49: `struct S` has no member `cont`; did you mean `count`?",
        ),
        (
            "struct S { int a; } *s; int f(void) { return s.a; }",
            "1:46: `.a` needs a struct, and this is `struct S *`; `->a` is the member of what a pointer points to",
        ),
        (
            "int s; int f(void) { return s->a; }",
            "1:29: `->a` needs a pointer to a struct, and this is `int`",
        ),
        (
            "struct S *s; int f(void) { return s->a; }",
            "1:35: `struct S` is declared but not defined here, so it has no `a`",
        ),
        (
            "int f(double d) { return d % 2; }",
            "1:26: `%` cannot be applied to `double` and `int`",
        ),
        (
            "int f(int *p, int *q) { return p + q != 0; }",
            "1:32: `+` cannot be applied to `int *` and `int *`",
        ),
        (
            "int f(int x) { return x[0]; }",
            "1:23: only an array or a pointer can be subscripted, and this is `int`",
        ),
        (
            "int f(int *x) { return x[0.5]; }",
            "1:26: a subscript has to be an integer, and this is `double`",
        ),
        (
            "int f(void *x) { return x[0]; }",
            "1:25: what a `void *` points to has no type, so it cannot be subscripted",
        ),
        (
            "int f(int x) { return *x; }",
            "1:23: `*` needs a pointer, and this is `int`",
        ),
        (
            "int f(int x) { return x(1); }",
            "1:23: only a function can be called, and this is `int`",
        ),
        (
            "int f(double x) { return ~x; }",
            "1:26: the operand of `~` has to be an integer, and this is `double`",
        ),
        (
            "int f(int *x) { return -x; }",
            "1:24: the operand of `-` has to be a number, and this is `int *`",
        ),
        (
            "struct S { int a; } s; int f(void) { if (s) return 1; return 0; }",
            "1:42: a condition has to be a number or a pointer, and this is `struct S`",
        ),
        (
            "struct S { int a; } s; int f(void) { return !s; }",
            "1:46: the operand of `!` has to be a number or a pointer, and this is `struct S`",
        ),
        (
            "struct S { int a; } s; void f(void) { s++; }",
            "1:39: the operand of `++` has to be a number or a pointer, and this is `struct S`",
        ),
        (
            "struct S { int a; } s; int f(int c) { return c ? s : 1; }",
            "1:46: the two values of `?:` have no common type: `struct S` and `int`",
        ),
        (
            "int *f(double d) { return (int *)d; }",
            "1:27: `double` cannot be cast to `int *`",
        ),
        (
            "int f(int *p) { switch (p) { } return 0; }",
            "1:25: a switch is over an integer, and this is `int *`",
        ),
        (
            "int x; int f(void) { return _Generic(x, double: 1); }",
            "1:29: no alternative of `_Generic` is for `int`",
        ),
        (
            "void g(void); int f(void) { return g(); }",
            "1:36: the value this function returns needs `int`, and this is `void`",
        ),
    ]);
}

#[test]
fn calls() {
    check(&[
        (
            "int g(int, int); int f(void) { return g(1); }",
            "1:39: too few arguments for `g`: 1 given, 2 needed (declared here)",
        ),
        (
            "int g(int); int f(void) { return g(1, 2); }",
            "1:34: too many arguments for `g`: 2 given, 1 needed (declared here)",
        ),
        (
            "int g(const char *, ...); int f(void) { return g(); }",
            "1:48: too few arguments for `g`: 0 given, at least 1 needed (declared here)",
        ),
        (
            "int g(int); struct S { int a; } s; int f(void) { return g(s); }",
            "1:59: argument 1 of `g` needs `int`, and this is `struct S`",
        ),
        (
            "int f(int (*g)(int)) { return g(1, 2); }",
            "1:31: too many arguments for this function: 2 given, 1 needed",
        ),
    ]);
}

#[test]
fn objects() {
    check(&[
        (
            "void f(int x) { (x + 1) = 2; }",
            "1:17: an assignment changes an object, and what stands there is a value",
        ),
        (
            "void f(void) { const int x = 1; x = 2; }",
            "1:33: an assignment cannot change `x`, which is const",
        ),
        (
            "void f(const double *x) { x[0] += 2; }",
            "1:27: an assignment cannot change `x[0]`, which is const",
        ),
        (
            "void f(void) { int a[2], b[2]; a = b; }",
            "1:32: an assignment cannot change an array as a whole, and this is `int [2]`",
        ),
        (
            "int *f(int x) { return &(x + 1); }",
            "1:24: `&` needs an object, and this is a value",
        ),
        (
            "struct S { int a : 3; } s; int *f(void) { return &s.a; }",
            "1:50: a bit-field has no address",
        ),
        (
            "struct S { int a : 3; } s; int f(void) { return sizeof s.a; }",
            "1:49: a bit-field has no size",
        ),
        (
            "struct S; int f(void) { return sizeof(struct S); }",
            "1:32: the size of `struct S` is not known here",
        ),
        (
            "struct S; void f(void) { struct S s; }",
            "1:35: `s` has the type `struct S`, whose size is not known",
        ),
        (
            "void f(void) { void x; }",
            "1:21: `x` cannot be a variable of type `void`",
        ),
        (
            "struct S; struct S *f(struct S *p) { return p + 1; }",
            "1:45: a pointer to `struct S` cannot be moved: its size is not known",
        ),
        (
            "struct T; struct S { struct T t; };",
            "1:31: the member `t` has the type `struct T`, whose size is not known",
        ),
        (
            "struct S { double d : 3; };",
            "1:19: a bit-field of `double` cannot have this width",
        ),
    ]);
}

#[test]
fn constants() {
    check(&[
        ("int a[-1];", "1:7: the length of an array is negative: -1"),
        (
            "int a[1.5];",
            "1:7: the length of an array has to be an integer, and this is `double`",
        ),
        (
            "int a[0x7fffffffffffffff];",
            "1:7: an array cannot be this long: 9223372036854775807",
        ),
        ("void a[2];", "1:7: an array cannot consist of `void`"),
        (
            "int n; enum { A = n };",
            "1:19: the value of an enumerator has to be a constant",
        ),
        (
            "int f(int n) { switch (n) { case n: ; } return 0; }",
            "1:34: the value of a case has to be a constant",
        ),
        (
            "int f(int n) { switch (n) { case 1: case 1: ; } return 0; }",
            "1:37: the switch has `case 1` already (it stands here)",
        ),
        (
            "int f(int n) { switch (n) { default: default: ; } return 0; }",
            "1:38: the switch has a `default` already (it stands here)",
        ),
        (
            "int f(int n) { case 1: return n; }",
            "1:16: `case` has to stand in a switch",
        ),
        (
            "void f(void) { break; }",
            "1:16: `break` has to stand in a loop or a switch",
        ),
        (
            "void f(void) { switch (1) { default: continue; } }",
            "1:38: `continue` has to stand in a loop",
        ),
        (
            "unsigned long x = 99999999999999999999;",
            "1:19: no integer type holds this constant: the largest is 2^64 - 1",
        ),
    ]);
}

#[test]
fn errors_do_not_hide_each_other() {
    let text = "int f(int n) {\n  int y = undeclared1 * 2 + n[3];\n  undeclared2.x = y;\n  return y;\n}\n\
        double g(double *p) {\n  return p % 2;\n}\n";
    let (unit, found) = read(text);
    assert_eq!(
        found,
        [
            "2:11: `undeclared1` is not declared",
            "2:29: only an array or a pointer can be subscripted, and this is `int`",
            "3:3: `undeclared2` is not declared",
            "7:10: `%` cannot be applied to `double *` and `int`",
        ]
    );
    assert_eq!(unit.functions.len(), 2);
}

#[test]
fn operands() {
    check(&[
        (
            "struct S { int x; } s; int f(void) { return s && 1; }",
            "1:45: an operand of `&&` has to be a number or a pointer, and this is `struct S`",
        ),
        (
            "struct S { int x; } s; int f(void) { return 1 || s; }",
            "1:50: an operand of `||` has to be a number or a pointer, and this is `struct S`",
        ),
        (
            "struct S { int x; } s; void f(int *p) { *p = s; }",
            "1:46: an assignment to this object needs `int`, and this is `struct S`",
        ),
        (
            "struct S { int x; } s; int f(void) { return __builtin_expect(s, 1); }",
            "1:62: argument 1 of `__builtin_expect` needs `long`, and this is `struct S`",
        ),
        (
            "struct S { int x; }; int f(void) { return __builtin_offsetof(struct S, x[1]); }",
            "1:43: `int` is no array",
        ),
        (
            "int f(int n) { typedef double T[][n]; return sizeof(T); }",
            "1:46: the size of `double [][*]` is not known here",
        ),
    ]);
}

#[test]
fn parameters_in_the_old_style() {
    check(&[(
        "int f(a) int a, b; { return a; }",
        "1:17: `b` is no parameter of this function",
    )]);
    let unit = good("double f(a, b) double *a; { return a[b]; } int g() { return f(0, 1.5); }");
    let call = hir::print(&unit);
    assert!(call.contains("(int)1.5"), "{call}");
    let unit = good("int f(n) { return n; } int g(double x) { return f(x); }");
    let call = hir::print(&unit);
    assert!(call.contains("f((int)x)"), "{call}");
}

#[test]
fn types_that_are_hidden() {
    check(&[(
        "typedef int T; int f(int T) { T x; return x; }",
        "1:31: `T` is not a type here",
    )]);
    good("typedef char T; int f(void) { int T = 3; return sizeof(T) + sizeof(T) * T; }");
}

/// What gcc accepts, if with a warning, is not refused.
#[test]
fn what_compilers_accept() {
    good(
        "int g(); int f(int *p, char *c, long l) { p = c; p = l; l = p; g(1, 2.0, p); h(3); \
         if (p == c || p == l) return p > c; void *v = f; v++; *(int *)v = 3; f(p, c, l); \
         return g; } void nothing(void) { return f(0, 0, 0) + 0; } int main() { return 0; } \
         int sized[sizeof(int) == 4 ? 1 : -1]; extern struct late x; struct late { int a; }; \
         void take(struct late *y) { *y = x; x.a = y - &x; } enum e; enum e { P }; enum e v = P; \
         typedef struct { int a; } anon; anon w = {1}; int k = sizeof w.a; \
         int same(int same) { return same; }",
    );
}
