use terrace_c::directive::{ClauseKind, DataKind, DirectiveKind};
use terrace_c::hir::{Stmt, StmtKind, Storage};
use terrace_c::types::Type;

use super::build::{Build, array_of, compiles, rewrite, without_preamble};

/// A function whose statements are the directives of a text, in order.
fn unit(
    text: &str,
    directives: impl Fn(&mut Build) -> Vec<(DirectiveKind, Vec<ClauseKind>)>,
) -> Build {
    let mut b = Build::new(text);
    b.var("a", Type::pointer_to(Type::DOUBLE), Storage::Param);
    b.var("n", Type::INT, Storage::Param);
    b.var("x", Type::DOUBLE, Storage::Local);
    let row = array_of(Type::DOUBLE, 20);
    b.var("t", array_of(row, 10), Storage::Global);
    let spans: Vec<_> = b.unit.source.pragmas().iter().map(|p| p.span).collect();
    let mut body: Vec<Stmt> = Vec::new();
    for ((kind, clauses), span) in directives(&mut b).into_iter().zip(spans) {
        let start = b.unit.text(span).to_string();
        let id = b.directive(&start, kind, clauses);
        body.push(Stmt {
            kind: StmtKind::Directive(id),
            span,
            directives: Vec::new(),
        });
    }
    b.function("void f", body);
    b
}

fn check(b: &Build, parts: &[&str]) -> String {
    let text = rewrite(&b.unit, &[]).unwrap();
    compiles(&text);
    let body = without_preamble(&text);
    for part in parts {
        assert!(body.contains(part), "no {part} in {body}");
    }
    text
}

#[test]
fn enter_and_exit_data() {
    let text = "# 7 \"a.c\"\nvoid f(double *a, int n)\n{\n\
#pragma acc enter data copyin(a[0:n]) create(x) if(n) async\n\
#pragma acc exit data copyout(a[0:n]) finalize wait(1)\n\
}\n"
    .replace("{\n", "{ double x = n; x = x + 1;\n");
    let b = unit(&text, |b| {
        vec![
            (
                DirectiveKind::EnterData,
                vec![
                    b.data(DataKind::Copyin, &["a[0:n]"]),
                    b.data(DataKind::Create, &["x"]),
                    ClauseKind::If(b.word("n")),
                    ClauseKind::Async(None),
                ],
            ),
            (
                DirectiveKind::ExitData,
                vec![
                    b.data(DataKind::Copyout, &["a[0:n]"]),
                    ClauseKind::Finalize,
                    ClauseKind::Wait(vec![b.word("1")]),
                ],
            ),
        ]
    });
    check(
        &b,
        &[
            "# 9 \"a.c\" 3\n{ if (terrace_on_device() && (n)) { struct __terrace_map \
             __terrace_m1[2]; __terrace_set(&__terrace_m1[0], (a), 0, (long)(n) * \
             (long)sizeof((a)[0]), __terrace_copyin, 8, \"a\"); \
             __terrace_set(&__terrace_m1[1], &(x), 0, (long)sizeof(x), __terrace_create, 8, \
             \"x\"); terrace_data_enter(__terrace_m1, 2, -2, \"a.c\", 9); } }\n# 10 \"a.c\"\n",
            "# 10 \"a.c\" 3\n{ terrace_wait((long)(1)); if (terrace_on_device()) {",
            "__terrace_copyout, 12, \"a\"); terrace_data_exit(__terrace_m2, 1, -1, \"a.c\", 10);",
        ],
    );
}

#[test]
fn update_leaves_gaps_alone() {
    let text = "# 1 \"a.c\"\ndouble t[10][20];\nvoid f(int n)\n{\n\
#pragma acc update self(t[0:n][2:3]) device(t[1:n][0:20]) if_present\n}\n";
    let b = unit(text, |b| {
        vec![(
            DirectiveKind::Update,
            vec![
                b.data(DataKind::UpdateHost, &["t[0:n][2:3]"]),
                b.data(DataKind::UpdateDevice, &["t[1:n][0:20]"]),
                ClauseKind::IfPresent,
            ],
        )]
    });
    check(
        &b,
        &[
            "__terrace_set(&__terrace_m1[0], (t), (long)(1) * (long)sizeof((t)[0]), ((long)(n) \
             - 1) * (long)sizeof((t)[0]) + (long)(20) * (long)sizeof((t)[0][0]), \
             __terrace_update_device, 0, \"t\"); terrace_update(__terrace_m1, 1, -1, 1, \"a.c\", \
             4);",
            "{ long __terrace_i1[1]; for (__terrace_i1[0] = 0; __terrace_i1[0] < (long)(n); \
             __terrace_i1[0]++) { __terrace_set(&__terrace_m1[0], (t), (long)(2) * \
             (long)sizeof((t)[0][0]) + __terrace_i1[0] * (long)sizeof((t)[0]), (long)(3) * \
             (long)sizeof((t)[0][0]), __terrace_update_host, 0, \"t\"); \
             terrace_update(__terrace_m1, 1, -1, 1, \"a.c\", 4); } }",
        ],
    );
}

#[test]
fn waits_of_a_queue_leave_the_host_alone() {
    let text = "# 1 \"a.c\"\nvoid f(int n)\n{\n\
#pragma acc wait(1, n) async(2)\n\
#pragma acc wait async\n\
#pragma acc update self(x) wait(n) async(3)\n}\n";
    let text = &text.replace("{\n", "{\n  int x;\n");
    let b = unit(text, |b| {
        b.var("x", Type::INT, Storage::Local);
        vec![
            (
                DirectiveKind::Wait(vec![b.word("1"), b.word("n")]),
                vec![ClauseKind::Async(Some(b.word("2")))],
            ),
            (
                DirectiveKind::Wait(Vec::new()),
                vec![ClauseKind::Async(None)],
            ),
            (
                DirectiveKind::Update,
                vec![
                    b.data(DataKind::UpdateHost, &["x"]),
                    ClauseKind::Wait(vec![b.word("n")]),
                    ClauseKind::Async(Some(b.word("3"))),
                ],
            ),
        ]
    });
    check(
        &b,
        &[
            "{ terrace_wait_on((long)(1), (long)(2)); terrace_wait_on((long)(n), (long)(2)); }\n",
            "{ terrace_wait_all_on(-2); }\n",
            "{ terrace_wait_on((long)(n), (long)(3)); if (terrace_on_device()) {",
        ],
    );
}

#[test]
fn rows_have_maps_of_their_own() {
    let text = "# 1 \"a.c\"\nvoid f(double **p, int n)\n{\n\
#pragma acc enter data copyin(p[0:n][1:3])\n\
#pragma acc exit data copyout(p[n][0:3])\n}\n";
    let b = unit(text, |b| {
        let rows = Type::pointer_to(Type::pointer_to(Type::DOUBLE));
        b.var("p", rows, Storage::Param);
        vec![
            (
                DirectiveKind::EnterData,
                vec![b.data(DataKind::Copyin, &["p[0:n][1:3]"])],
            ),
            (
                DirectiveKind::ExitData,
                vec![b.data(DataKind::Copyout, &["p[n][0:3]"])],
            ),
        ]
    });
    check(
        &b,
        &[
            "__terrace_set(&__terrace_m1[0], (p), 0, (long)(n) * (long)sizeof((p)[0]), \
             __terrace_copyin, 8, \"p\"); __terrace_set(&__terrace_m1[1], 0, (long)(1) * \
             (long)sizeof((p)[0][0]), (long)(3) * (long)sizeof((p)[0][0]), __terrace_copyin, 40, \
             \"p\"); terrace_data_enter(__terrace_m1, 2,",
            "__terrace_set(&__terrace_m2[0], ((p)[n]), 0, (long)(3) * (long)sizeof(((p)[n])[0]), \
             __terrace_copyout, 8, \"p\"); __terrace_set(&__terrace_m2[1], &((p)[n]), 0, \
             (long)sizeof(((p)[n])), __terrace_detach, 8, \"p\");",
        ],
    );
}

#[test]
fn wait_init_and_set() {
    let text = "# 1 \"a.c\"\nvoid f(int n)\n{\n\
#pragma acc wait\n\
#pragma acc wait(1, n) if(n)\n\
#pragma acc init\n\
#pragma acc shutdown if(n)\n\
#pragma acc set device_num(n) default_async(2)\n}\n";
    let b = unit(text, |b| {
        vec![
            (DirectiveKind::Wait(Vec::new()), Vec::new()),
            (
                DirectiveKind::Wait(vec![b.word("1"), b.word("n")]),
                vec![ClauseKind::If(b.word("n"))],
            ),
            (DirectiveKind::Init, Vec::new()),
            (DirectiveKind::Shutdown, vec![ClauseKind::If(b.word("n"))]),
            (
                DirectiveKind::Set,
                vec![
                    ClauseKind::DeviceNum(b.word("n")),
                    ClauseKind::DefaultAsync(b.word("2")),
                ],
            ),
        ]
    });
    check(
        &b,
        &[
            "{ terrace_wait_all(); }\n",
            "{ if ((n)) { terrace_wait((long)(1)); terrace_wait((long)(n)); } }\n",
            "{ __terrace_init(1); }\n",
            "{ if ((n)) { __terrace_shutdown(1); } }\n",
            "{ __terrace_set_device_num((int)(n), 1); __terrace_set_default_async((int)(2)); }\n",
        ],
    );
}

#[test]
fn declare_in_a_function_is_made_of_declarations() {
    let text = "# 1 \"a.c\"\ndouble f(double *a, int n);\n\
double f(double *a, int n)\n{\n\
#pragma acc declare copy(a[0:n]) create(x)\n\
\x20\x20double y;\n  x = 1; y = x;\n  return y + a[0];\n}\n"
        .replace("{\n#", "{\n  double x;\n#");
    let mut b = Build::new(&text);
    b.var("a", Type::pointer_to(Type::DOUBLE), Storage::Param);
    b.var("n", Type::INT, Storage::Param);
    b.var("x", Type::DOUBLE, Storage::Local);
    let clauses = vec![
        b.data(DataKind::Copy, &["a[0:n]"]),
        b.data(DataKind::Create, &["x"]),
    ];
    let d = b.directive("#pragma acc declare", DirectiveKind::Declare, clauses);
    let s = b.stmt("#pragma", "create(x)", StmtKind::Directive(d), &[]);
    b.function("double f(double *a, int n)\n", vec![s]);
    check(
        &b,
        &[
            "{ 0, 2, 5, \"a.c\" }; int __terrace_d1 __attribute__((__unused__)) = \
             (__terrace_set(&__terrace_m1[0], (a), 0, (long)(n) * (long)sizeof((a)[0]), \
             __terrace_copy, 0, \"a\"), __terrace_set(",
            "terrace_on_device() ? (terrace_data_enter(__terrace_m1, 2, -1, \"a.c\", 5), \
             __terrace_s1.maps = __terrace_m1, 1) : 0);\n# 6 \"a.c\"\n  double y;\n",
        ],
    );
}

#[test]
fn declare_at_file_scope_is_a_constructor() {
    let text =
        "# 1 \"a.c\"\ndouble t[10][20];\n#pragma acc declare create(t) \\\n link(u)\nint g;\n";
    let mut b = Build::new(text);
    let row = array_of(Type::DOUBLE, 20);
    b.var("t", array_of(row, 10), Storage::Global);
    let clauses = vec![
        b.data(DataKind::Create, &["t"]),
        b.data(DataKind::Link, &["u"]),
    ];
    let d = b.directive("#pragma acc declare", DirectiveKind::Declare, clauses);
    b.unit.directives[0].span = b.unit.source.pragmas()[0].span;
    b.unit.file_directives.push(d);
    check(
        &b,
        &[
            "# 2 \"a.c\" 3\nstatic void __attribute__((__constructor__)) __terrace_declare1(void) { \
             if (terrace_on_device()) { static struct __terrace_map __terrace_m1[1]; \
             __terrace_set(&__terrace_m1[0], &(t), 0, (long)sizeof(t), __terrace_create, 0, \
             \"t\"); terrace_data_enter(__terrace_m1, 1, -1, \"a.c\", 2); } }\n# 4 \"a.c\"\nint g;",
        ],
    );
}

#[test]
fn host_data_declares_the_pointers_again() {
    let text = "# 1 \"a.c\"\nextern void use(double *, const double *);\ndouble t[10][20];\n\
void f(const double *a, int n)\n{\n\
#pragma acc host_data use_device(a, t) if(n)\n  use(t[0], a);\n}\n";
    let mut b = Build::new(text);
    b.var("a", Type::pointer_to(Type::DOUBLE), Storage::Param);
    let row = array_of(Type::DOUBLE, 20);
    b.var("t", array_of(row, 10), Storage::Global);
    let clauses = vec![
        ClauseKind::UseDevice(vec![b.section("a"), b.section("t")]),
        ClauseKind::If(b.word("n")),
    ];
    let d = b.directive("#pragma acc host_data", DirectiveKind::HostData, clauses);
    let s = b.stmt("use(t[0]", ";", StmtKind::Empty, &[d]);
    b.function("void f", vec![s]);
    check(
        &b,
        &[
            "{ void *__terrace_p1_0 = (n) ? terrace_use_device((void *)(__terrace_word)&(a)[0], \
             0, \"a\", \"a.c\", 5) : (void *)(__terrace_word)&(a)[0]; void *__terrace_p1_1 =",
            "{ __typeof__(&(a)[0]) a = (__typeof__(&(a)[0]))__terrace_p1_0;",
            "  use(t[0], a); } }\n}\n",
        ],
    );
}

#[test]
fn pragmas_of_others_and_texts_without_any_stay() {
    let text =
        "# 1 \"a.c\"\n#pragma pack(1)\nstruct s { char c; int i; };\n#pragma omp x\nint f;\n";
    let b = Build::new(text);
    assert_eq!(rewrite(&b.unit, &[]).unwrap(), text);
    let text = "# 1 \"a.c\"\nvoid f(void)\n{\n#pragma acc loop \\\n  seq\n  ;\n}\n#pragma scop\n";
    let b = Build::new(text);
    let expected = "# 1 \"a.c\"\nvoid f(void)\n{\n\n\n  ;\n}\n\n";
    assert_eq!(rewrite(&b.unit, &[]).unwrap(), expected);
}
