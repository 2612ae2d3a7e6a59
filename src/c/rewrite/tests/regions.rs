use terrace_c::directive::{ClauseKind, DataKind, DirectiveKind};
use terrace_c::hir::{StmtKind, Storage};
use terrace_c::region::Size;
use terrace_c::types::{Rank, Type};

use super::super::rewrite_with_notes;
use super::build::{Build, array_of, compiles, rewrite, without_preamble};
use crate::c::host::Around;
use crate::c::plan::{ArrayExtent, Pays};

const TEXT: &str = "# 1 \"a.c\"\n\
void f(double *a, double *b, int n, float *out)\n\
{\n\
\x20\x20int i; float s = 0; register short k = 3;\n\
#pragma acc kernels copyin(a[0:n]) async(2)\n\
\x20\x20for (i = 0; i < n; i++) { b[i] = a[i] * k; s += (float)b[i]; }\n\
\x20\x20*out = s; i = k;\n\
}\n";

fn build() -> Build {
    let mut b = Build::new(TEXT);
    b.var("a", Type::pointer_to(Type::DOUBLE), Storage::Param);
    b.var("b", Type::pointer_to(Type::DOUBLE), Storage::Param);
    b.var("n", Type::INT, Storage::Param);
    b.var("i", Type::INT, Storage::Local);
    b.var("s", Type::FLOAT, Storage::Local);
    let short = Type::int(16, true, Rank::Short);
    b.var("k", short, Storage::Local);
    b
}

#[test]
fn a_region_with_every_kind_of_argument() {
    let mut b = build();
    let clauses = vec![
        b.data(DataKind::Copyin, &["a[0:n]"]),
        ClauseKind::Async(Some(b.word("2"))),
    ];
    let d = b.compute("#pragma acc kernels", clauses);
    let s = b.stmt("for", "; }", StmtKind::Empty, &[d]);
    let captures = vec![
        b.array("a", vec![Size::Unknown], false),
        b.array("b", vec![Size::Unknown], true),
        b.scalar("n", true, false),
        b.scalar("i", false, true),
        b.scalar("s", true, true),
        b.scalar("k", true, false),
    ];
    let plan = b.plan(Some(d), s.span, captures, vec![3, 4]);
    b.function("void f", vec![s]);
    let text = rewrite(&b.unit, &[plan]).unwrap();
    compiles(&text);
    let body = without_preamble(&text);
    let parts = [
        "# 1 \"a.c\" 3\n# 1 \"a.c\"\nvoid f(",
        "register short k = 3;\n# 4 \"a.c\" 3\n{ int __terrace_t1 = terrace_target(&terrace_R); ",
        "struct __terrace_map __terrace_m1[2]; if (__terrace_t1) { __terrace_word \
         __terrace_w1[16]; long __terrace_q1 = (long)(2); ",
        "long __terrace_m1l0 = 0, __terrace_m1h0 = 0, __terrace_m1s0 = 0, __terrace_m1e0 = 0; ",
        "__terrace_w1[4] = (__terrace_word)(unsigned int)(n); __terrace_w1[5] = 0; \
         __terrace_w1[6] = __terrace_from_f32(s); __terrace_w1[7] = \
         (__terrace_word)(unsigned short)(k); ",
        "if (terrace_R_extents(__terrace_w1)) { if (__terrace_t1 == 2) __terrace_f1 = 1; \
         __terrace_t1 = 0; } else { \
         __terrace_hull(&__terrace_m1l0, &__terrace_m1h0, &__terrace_w1[10]); \
         __terrace_hull(&__terrace_m1s0, &__terrace_m1e0, &__terrace_w1[14]); ",
        "__terrace_set(&__terrace_m1[0], (a), 0, (long)(n) * (long)sizeof((a)[0]), \
         __terrace_copyin, 0, \"a\"); ",
        "__terrace_set(&__terrace_m1[1], (b), __terrace_m1l0 * (long)sizeof((b)[0]), \
         (__terrace_m1h0 - __terrace_m1l0) * (long)sizeof((b)[0]), __terrace_copy, 3, \"b\"); \
         if (__terrace_t1 == 2) __terrace_loose(&__terrace_m1[1], (b), (long)sizeof((b)[0]), \
         __terrace_m1l0, __terrace_m1h0, __terrace_m1s0, __terrace_m1e0); ",
        "if (__terrace_t1 == 2 && terrace_strays(__terrace_m1, 2)) { if (__terrace_t1 == 2) \
         __terrace_f1 = 1; __terrace_t1 = 0; } else { ",
        "if (__terrace_t1 == 2) terrace_data_enter(__terrace_m1, 2, __terrace_q1, \"a.c\", 4); ",
        "__terrace_w1[0] = __terrace_at(&__terrace_m1[0], &(a)[0]); __terrace_w1[1] = \
         __terrace_size(&__terrace_m1[0], &(a)[0], sizeof((a)[0])); ",
        "terrace_run(&terrace_R, __terrace_t1, __terrace_w1, __terrace_q1); i = \
         (int)(__terrace_w1[8]); s = __terrace_to_f32(__terrace_w1[9]); ",
        "if (__terrace_t1 == 2) terrace_data_exit(__terrace_m1, 2, __terrace_q1, \"a.c\", 4); } } }",
        " if (__builtin_expect(!__terrace_t1, 1)) { if (__terrace_f1) terrace_host_begin(0, \"a.c\", 4);\n# 5 \"a.c\"\n  for (i = 0;",
        "s += (float)b[i]; }",
        "} if (__terrace_f1) terrace_host_end(); }",
        "  *out = s; i = k;\n}\n",
    ];
    let mut rest = &body[..];
    for part in parts {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("no {part} in {rest}"));
        rest = &rest[at..];
    }
    assert_eq!(text.matches("b[i] = a[i] * k").count(), 1);
}

#[test]
fn code_that_needs_different_memory_looks_first() {
    let mut b = build();
    let s = b.stmt("for", "; }", StmtKind::Empty, &[]);
    let mut changed = b.scalar("s", true, true);
    changed.addressed = true;
    let captures = vec![
        b.array("a", vec![Size::Unknown], false),
        b.array("b", vec![Size::Unknown], true),
        changed,
    ];
    let mut plan = b.plan(None, s.span, captures, vec![2]);
    plan.check_alias = true;
    b.function("void f", vec![s]);
    // The pragma of nobody is blanked.
    let text = rewrite(&b.unit, &[plan]).unwrap();
    compiles(&text);
    assert!(
        text.contains("k = 3;\n\n  \n# 5 \"a.c\" 3\n{ double __terrace_n1 = 0.0; int __terrace_t1"),
        "{text}"
    );
    assert!(text.contains(
        "if (terrace_overlap(__terrace_m1, 3)) { if (__terrace_t1 == 2) __terrace_f1 = 1; \
         __terrace_t1 = 0; } else {"
    ));
    assert!(
        text.contains("\n# 5 \"a.c\" 3\n} if (__terrace_f1) terrace_host_end(); }\n# 5 \"a.c\"\n")
    );
    // The first line's text keeps its column.
    assert!(text.contains("# 5 \"a.c\"\n  for (i = 0;"), "{text}");
}

#[test]
fn data_around_says_what_a_region_uses() {
    let text = "# 1 \"a.c\"\n\
double t[10][20]; int flag;\n\
void f(double *a, int n)\n\
{\n\
#pragma acc data copy(a[1:n-1],t) copyin(flag) if(n > 3)\n\
\x20\x20{\n\
#pragma acc kernels if(flag) self(n < 2)\n\
\x20\x20\x20\x20{ a[1] = t[0][0] + flag; flag = 2; }\n\
\x20\x20}\n\
}\n";
    let mut b = Build::new(text);
    b.var("a", Type::pointer_to(Type::DOUBLE), Storage::Param);
    b.var("n", Type::INT, Storage::Param);
    b.var("flag", Type::INT, Storage::Global);
    let row = array_of(Type::DOUBLE, 20);
    b.var("t", array_of(row, 10), Storage::Global);
    let clauses = vec![
        b.data(DataKind::Copy, &["a[1:n-1]", "t"]),
        b.data(DataKind::Copyin, &["flag"]),
        ClauseKind::If(b.word("n > 3")),
    ];
    let data = b.directive("#pragma acc data", DirectiveKind::Data, clauses);
    let clauses = vec![
        ClauseKind::If(b.word("flag")),
        ClauseKind::SelfCondition(Some(b.word("n < 2"))),
    ];
    let compute = b.compute("#pragma acc kernels", clauses);
    let inner = b.stmt("{ a[1]", "= 2; }", StmtKind::Block(Vec::new()), &[compute]);
    let captures = vec![
        b.array("a", vec![Size::Unknown], true),
        b.array("t", vec![Size::Const(10), Size::Const(20)], false),
        b.scalar("flag", true, true),
    ];
    let plan = b.plan(Some(compute), inner.span, captures, vec![2]);
    let outer = b.stmt("  {\n#", "\n  }", StmtKind::Block(vec![inner]), &[data]);
    b.function("void f", vec![outer]);
    let out = rewrite_with_notes(&b.unit, &[plan], &[], Around::default()).unwrap();
    compiles(&out.text);
    for part in [
        "# 4 \"a.c\" 3\n{ struct __terrace_map __terrace_m1[3]; int __terrace_d1; long \
         __terrace_q1; __terrace_set(&__terrace_m1[0], (a), (long)(1) * (long)sizeof((a)[0]), \
         (long)(n-1) * (long)sizeof((a)[0]), __terrace_copy, 0, \"a\"); \
         __terrace_set(&__terrace_m1[1], &(t), 0, (long)sizeof(t), __terrace_copy, 0, \"t\"); ",
        "__terrace_d1 = (n > 3) && terrace_on_device(); __terrace_q1 = -1; if (__terrace_d1) \
         terrace_data_enter(__terrace_m1, 3, __terrace_q1, \"a.c\", 4);\n# 5 \"a.c\"\n  {\n",
        "int __terrace_t2 = (flag) ? ((n < 2) ? 0 : terrace_target(&terrace_R)) : 0;",
        "__terrace_same(&__terrace_m2[0], &__terrace_m1[0], __terrace_copy, 3); \
         __terrace_same(&__terrace_m2[1], &__terrace_m1[1], __terrace_copyin, 2);",
        "int __terrace_p2_0 = __terrace_t2 == 2 && terrace_deviceptr((void \
         *)(__terrace_word)&(flag)) != (void *)(__terrace_word)&(flag); __typeof__(flag) \
         __terrace_o2_0 = flag;",
        "__terrace_set(&__terrace_v2[0], &(flag), 0, (long)sizeof(flag), \
         __terrace_update_host, 0, \"flag\"); if (__terrace_p2_0) \
         __terrace_move(&__terrace_v2[0], __terrace_update_host, __terrace_q2, \"a.c\", 6);",
        "(__terrace_word)(unsigned int)(flag); if (__terrace_p2_0) __builtin_memcpy((void \
         *)(__terrace_word)&(flag), &__terrace_o2_0, sizeof(__terrace_o2_0));",
        "flag = (int)(__terrace_w2[4]); if (__terrace_p2_0) __terrace_move(&__terrace_v2[0], \
         __terrace_update_device, __terrace_q2, \"a.c\", 6); if (__terrace_p2_0) __builtin_memcpy(",
        "\n  }\n# 8 \"a.c\" 3\nif (__terrace_d1) terrace_data_exit(__terrace_m1, 3, \
         __terrace_q1, \"a.c\", 4); }\n# 8 \"a.c\"\n\n}\n",
    ] {
        assert!(out.text.contains(part), "no {part} in {}", out.text);
    }
    assert!(!out.text.contains("terrace_R_extents"));
    let notes: Vec<String> = out.arrays[0]
        .iter()
        .map(|a| format!("{} {} {}: {}", a.movement.name(), a.name, a.bytes, a.why))
        .collect();
    assert_eq!(
        notes,
        [
            "present a : it is in the copy clause of a data directive around",
            "present t : it is in the copy clause of a data directive around"
        ]
    );
}

#[test]
fn a_region_without_code_stays_as_it_is() {
    for at_home in [true, false] {
        let mut b = build();
        let d = b.compute("#pragma acc kernels", Vec::new());
        let s = b.stmt("for", "; }", StmtKind::Empty, &[d]);
        let captures = vec![b.array("a", vec![Size::Unknown], true)];
        let mut plan = b.plan(Some(d), s.span, captures, Vec::new());
        plan.gpu = false;
        plan.cpu = false;
        plan.at_home = at_home;
        b.function("void f", vec![s]);
        let text = rewrite(&b.unit, &[plan]).unwrap();
        if !at_home {
            // Where a device has the data the statement finds it.
            compiles(&text);
            let begin = "{ int __terrace_h1 = 1; if (__terrace_h1) terrace_host_begin(";
            let end = "if (__terrace_h1) terrace_host_end(); }";
            let at = |what: &str| text.find(what).unwrap();
            assert!(at(begin) < at("  for (i = 0") && at("  for (i = 0") < at(end));
            continue;
        }
        let start = TEXT.find("#pragma").unwrap();
        let end = start + TEXT[start..].find('\n').unwrap();
        assert_eq!(text, format!("{}{}", &TEXT[..start], &TEXT[end..]));
    }
}

#[test]
fn a_region_that_nobody_asked_for_declines_where_the_extent_is_unknown() {
    for alias in [false, true] {
        let mut b = build();
        let s = b.stmt("for", "; }", StmtKind::Empty, &[]);
        let captures = vec![b.array("a", vec![Size::Unknown], true)];
        let mut plan = b.plan(None, s.span, captures, Vec::new());
        plan.extents[0] = ArrayExtent::Unknown("its subscripts come from memory".to_string());
        plan.check_alias = alias;
        b.function("void f", vec![s]);
        let out = rewrite_with_notes(&b.unit, &[plan], &[], Around::default()).unwrap();
        compiles(&out.text);
        let declined = out.declined[0].clone().unwrap();
        assert_eq!(
            declined.text,
            "it is not known how much of a the region may touch: its subscripts come from memory"
        );
        // Code for the CPU does not need it, unless addresses have to be compared.
        assert_eq!(
            out.text
                .contains("if (__terrace_t1 == 2) __terrace_t1 = 0;"),
            !alias
        );
        assert_eq!(out.text.contains("terrace_run(&terrace_R"), !alias);
    }
}

/// What the call asks of a kernels construct with these clauses.
fn asked(clauses: impl FnOnce(&Build) -> Vec<ClauseKind>) -> bool {
    let mut b = build();
    let clauses = clauses(&b);
    let d = b.compute("#pragma acc kernels", clauses);
    let s = b.stmt("for", "; }", StmtKind::Empty, &[d]);
    let captures = vec![
        b.array("a", vec![Size::Unknown], false),
        b.array("b", vec![Size::Unknown], true),
    ];
    let mut plan = b.plan(Some(d), s.span, captures, vec![]);
    plan.pays = Some(Pays {
        known: 2,
        asked: true,
    });
    b.function("void f", vec![s]);
    let text = rewrite(&b.unit, &[plan]).unwrap();
    compiles(&text);
    let body = without_preamble(&text);
    let pays = "if (__terrace_t1 == 2 && !terrace_pays(&terrace_R, 6, terrace_R_estimate, __terrace_w1, 4, \
                __terrace_m1, 2)) __terrace_t1 = 0; else {";
    assert_eq!(
        body.contains(pays),
        body.contains("terrace_could(&terrace_R)"),
        "{body}"
    );
    assert!(
        body.contains(pays) || body.contains("terrace_target(&terrace_R)"),
        "{body}"
    );
    body.contains(pays)
}

#[test]
fn a_region_may_stay_only_where_its_clauses_let_the_host_see_the_same() {
    assert!(asked(|_| vec![]));
    assert!(asked(|b| vec![b.data(DataKind::Copyin, &["a[0:n]"])]));
    assert!(asked(|b| vec![
        b.data(DataKind::Copy, &["a[0:n]", "b[0:n]"])
    ]));
    assert!(asked(|b| vec![b.data(DataKind::Copyout, &["b[0:n]"])]));
    // The host's b would change.
    assert!(!asked(|b| vec![b.data(DataKind::Copyin, &["b[0:n]"])]));
    assert!(!asked(|b| vec![b.data(DataKind::Create, &["b[0:n]"])]));
    // An error where they are not there.
    assert!(!asked(|b| vec![b.data(DataKind::Present, &["a[0:n]"])]));
    assert!(!asked(|b| vec![b.data(DataKind::Deviceptr, &["a"])]));
    assert!(!asked(|b| vec![ClauseKind::Async(Some(b.word("2")))]));
}
