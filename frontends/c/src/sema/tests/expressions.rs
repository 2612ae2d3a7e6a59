//! Expressions: conversions are written, objects stay objects.

use crate::sema::testing::{body, good};

/// Each statement, and what is printed of it.
fn check(cases: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (text, tree) in cases {
        let found = body(text);
        if found.trim_end() != *tree {
            wrong += &format!("{text}\n  expected {tree:?}\n  found {found:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn arithmetic_has_its_conversions() {
    check(&[
        ("uc = s + 1;", "uc = (unsigned char)((int)s + 1);"),
        ("u = u + s;", "u = (u + (unsigned int)(int)s);"),
        ("l = u * l;", "l = ((long)u * l);"),
        ("ul = l + ul;", "ul = ((unsigned long)l + ul);"),
        (
            "ull = ul + ll;",
            "ull = ((unsigned long long)ul + (unsigned long long)ll);",
        ),
        ("f = f + 1;", "f = (f + (float)1);"),
        ("d = f * 2;", "d = (double)(f * (float)2);"),
        ("d = i / 2;", "d = (double)(i / 2);"),
        ("i = d;", "i = (int)d;"),
        ("b = d;", "b = (_Bool)d;"),
        ("b = p;", "b = (_Bool)p;"),
        ("l = u << l;", "l = (long)(u << l);"),
        ("c = -c;", "c = (char)(-(int)c);"),
        ("u = ~uc;", "u = (unsigned int)(~(int)uc);"),
        ("i = +c;", "i = (int)c;"),
        ("i = !d;", "i = (!d);"),
        ("i = u > -1;", "i = (u > (unsigned int)(-1));"),
        ("i = d && p || !c;", "i = ((d && p) || (!c));"),
        ("d = c ? 1 : 2.0;", "d = (c ? (double)1 : 2.0);"),
        ("c = 'a';", "c = (char)97;"),
        ("i = (c, d);", "i = (int)(c , d);"),
        ("i = (char)i;", "i = (int)(char)i;"),
        ("i = (int)i;", "i = (int)i;"),
        ("(void)i;", "(void)i;"),
        ("d = 1e3f;", "d = (double)1000.0f;"),
    ]);
}

#[test]
fn assignments_compute_in_the_common_type() {
    check(&[
        ("f += d;", "f +=(double) d;"),
        ("c <<= 2;", "c <<=(int) 2;"),
        ("u >>= l;", "u >>=(unsigned int) l;"),
        ("d += i;", "d +=(double) (double)i;"),
        ("i += d;", "i +=(double) d;"),
        ("c *= u;", "c *=(unsigned int) u;"),
        ("p += i;", "p +=(int *) i;"),
        ("p -= 1l;", "p -=(int *) 1L;"),
        (
            "i = j_ = 3;".replace("j_", "u").as_str(),
            "i = (int)(u = (unsigned int)3);",
        ),
        ("i++, --d;", "(i++ , --d);"),
        ("p++;", "p++;"),
    ]);
}

#[test]
fn pointers_and_arrays() {
    check(&[
        ("a[i] = m[i][2];", "a[i] = m[i][2];"),
        ("i[a] = 1;", "a[i] = (double)1;"),
        ("p[-1] = *p;", "p[(-1)] = (*p);"),
        ("d = *a;", "d = (*decay(a));"),
        ("d = *m[1];", "d = (*decay(m[1]));"),
        ("d = *(a + i);", "d = (*(decay(a) +. i));"),
        ("d = (*(m + 1))[2];", "d = (*(decay(m) +. 1))[2];"),
        ("p = &*p;", "p = p;"),
        ("p = &p[3];", "p = (&p[3]);"),
        ("l = p - &i;", "l = (p -. (&i));"),
        ("p = p - c;", "p = (p -. (int)c);"),
        ("p = 2 + p;", "p = (p +. 2);"),
        ("i = p == 0;", "i = (p == (int *)0);"),
        ("i = (void *)0 != p;", "i = ((void *)0 != (void *)p);"),
        ("i = v == p;", "i = (v == (void *)p);"),
        ("v = i ? p : 0;", "v = (void *)(i ? p : (int *)0);"),
        ("v = i ? p : v;", "v = (i ? (void *)p : v);"),
        ("p = v;", "p = (int *)v;"),
        ("q = \"ab\\n\" \"c\";", "q = decay(\"ab\\nc\");"),
        ("c = \"abc\"[i];", "c = \"abc\"[i];"),
        ("st.y[i] = ps->x;", "st.y[i] = (double)(*ps).x;"),
        ("st = *ps;", "st = (*ps);"),
        ("i = (st = *ps).x;", "i = (st = (*ps)).x;"),
        ("ps = &st;", "ps = (&st);"),
    ]);
}

#[test]
fn calls_convert_their_arguments() {
    check(&[
        ("d = g(d, i);", "d = (double)g((int)d, (double)i);"),
        ("(g)(1, 2);", "g(1, (double)2);"),
        ("(*g)(1, 2);", "g(1, (double)2);"),
        ("unknown(f, c);", "unknown((double)f, (int)c);"),
        ("f = sqrt(f);", "f = (float)sqrt((double)f);"),
        ("i = __builtin_expect(i > 0, 1);", "i = (int)(long)(i > 0);"),
        ("d = __builtin_fabs(f);", "d = fabs((double)f);"),
        ("i = __builtin_isnan(d);", "i = __builtin_isnan(d);"),
        ("i = __builtin_isnan(f);", "i = __builtin_isnanf(f);"),
        ("d = __builtin_huge_val();", "d = inf;"),
        ("i = __builtin_popcount(u);", "i = __builtin_popcount(u);"),
    ]);
}

#[test]
fn sizes_are_constants_but_of_variable_arrays() {
    check(&[
        ("ul = sizeof a;", "ul = 32UL;"),
        ("ul = sizeof(m[0]);", "ul = 40UL;"),
        ("ul = sizeof(struct S);", "ul = 40UL;"),
        ("ul = sizeof i++;", "ul = 4UL;"),
        ("ul = __builtin_offsetof(struct S, y[2]);", "ul = 24UL;"),
        (
            "double w[i][2 * i]; ul = sizeof w;",
            "w: double [*][*] {i, (2 * i)};\n\
             ul = ((unsigned long)i * ((unsigned long)(2 * i) * 8UL));",
        ),
    ]);
}

#[test]
fn what_is_not_translated_says_why() {
    check(&[
        (
            "volatile int *vp; *vp = 1;",
            "vp: volatile int *;\n<an access to a volatile object>;",
        ),
        (
            "volatile int vi; vi = vi + 1;",
            "volatile vi: int;\nvi = (vi + 1);",
        ),
        (
            "int (*fp)(int); fp(1);",
            "fp: int (*)(int);\n<a call through a pointer>;",
        ),
        ("d = 1.0L;", "d = <long double arithmetic>;"),
        (
            "long double ld; ld = ld + 1;",
            "ld: long double;\nld = <long double arithmetic>;",
        ),
        ("i = ({ int k = 1; k; });", "i = <a statement expression>;"),
        ("v = &(struct S){1};", "v = (void *)(&(literal){0: 1});"),
        (
            "unsigned __int128 w; w++;",
            "w: unsigned __int128;\n<unsigned __int128 arithmetic>;",
        ),
        (
            "__builtin_va_list l2; __builtin_va_start(l2, i); takes(i, l2);",
            "l2: va_list;\n<a variable argument list>;\ntakes(i, <a variable argument list>);",
        ),
        ("asm(\"nop\");", "<an asm statement>;"),
        (
            "_Complex double z; z = z * 2;",
            "z: _Complex double;\nz = <_Complex double arithmetic>;",
        ),
    ]);
}

#[test]
fn types_from_expressions() {
    check(&[
        ("__typeof__(p) pp = p;", "pp: int * = p;"),
        ("__typeof__(m) mm;", "mm: double [3][5];"),
        ("__auto_type z = m[0];", "z: double * = decay(m[0]);"),
        (
            "i = _Generic(d, float: 1, double: 2, default: 3);",
            "i = 2;",
        ),
        ("i = _Generic(m[0], double *: 1, default: 2);", "i = 1;"),
    ]);
}

#[test]
fn addresses_taken_are_seen() {
    let unit = good(
        "void use(double *, int *); void f(void) { double a[4], b[4], c[4], d[2][3]; int i, j, k; \
         a[i] = b[1] + sizeof(&j); use(c, &k); use(d[1], 0); struct { int x; } s, t; \
         use(0, &s.x); t.x = *&i; }",
    );
    let taken: Vec<&str> = unit
        .vars
        .iter()
        .filter(|v| v.address_taken)
        .map(|v| v.name.as_str())
        .collect();
    assert_eq!(taken, ["c", "d", "i", "k", "s"]);
}
