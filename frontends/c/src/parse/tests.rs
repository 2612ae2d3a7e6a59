use super::*;
use crate::preprocess::as_text;
use terrace_ir::diag::DiagLoc;

fn map(text: &str) -> SourceMap {
    SourceMap::with_loader(text, Box::new(|_| None))
}

fn placed(loc: &DiagLoc, message: &str) -> String {
    match loc {
        DiagLoc::Pos { line, column, .. } => {
            format!("{line}:{column}: {message}")
        }
        _ => panic!("no place: {message}"),
    }
}

fn errors(text: &str) -> Vec<String> {
    match parse(&map(text)) {
        Ok(_) => panic!("it parses: {text}"),
        Err(errors) => errors.iter().map(|e| placed(&e.loc, &e.message)).collect(),
    }
}

/// The notes beside the errors in a text.
fn notes(text: &str) -> Vec<String> {
    let errors = parse(&map(text)).expect_err("an error");
    let notes = errors.iter().flat_map(|e| &e.notes);
    notes.map(|(loc, m)| placed(loc, m)).collect()
}

#[track_caller]
fn parses(text: &str) {
    if let Err(errors) = parse(&map(text)) {
        let text: String = text.chars().take(2000).collect();
        panic!("{text}\n{errors:#?}");
    }
}

#[track_caller]
fn fails(text: &str, expected: &str) {
    assert_eq!(errors(text), [expected], "{text}");
}

#[test]
fn the_masked_text_is_as_long_and_has_its_line_ends() {
    let text = "# 1 \"a.c\"\n#pragma acc loop \\\n gang\n__extension__ int\x0c x; /* \u{e9}\n */\n";
    let masked = mask::Masked::new(text);
    let copy = masked.into_text();
    assert_eq!(copy.len(), text.len());
    let ends = |s: &str| s.match_indices('\n').map(|m| m.0).collect::<Vec<_>>();
    assert_eq!(ends(&copy), ends(text));
    let words: Vec<&str> = copy.split_whitespace().collect();
    assert_eq!(words, ["__extension__", "int", "x;"]);
}

#[test]
fn what_is_common_beyond_the_standard_is_mended() {
    for text in [
        "__int128 a; unsigned __int128 b; __int128_t c; typedef __uint128_t u128; u128 d;",
        "typedef float __float80x; __float128 q = 1.0Q; _Float32x r; _Float64x s; __float80 t;",
        "extern int f(int) __asm__(\"g\") __attribute__((nothrow));",
        "extern int v __asm (\"w\"), u asm(\"x\") = 3;",
        "asm(\".globl x\"); __asm__ volatile (\"nop\");",
        "int f(int x) { asm volatile (\"a %0\" : \"=r\"(x) : \"0\"(x) : \"memory\"); return x; }",
        "int f(int x) { if (x) asm(\"nop\"); else __asm goto (\"\" : : : : l); l: return x; }",
        "int f(void) { register int x asm(\"eax\") = 1; return x; }",
        "__extension__ typedef long long ll; ll x = __extension__ 3;",
        "struct __attribute__((packed)) s { int a; } __attribute__ ((aligned (8)));",
        "struct s { char c; int x : 3 __attribute__((packed)); } __attribute__ ( (packed ) ) y;",
        "typedef float v4 __attribute__ ((__vector_size__ (16), __may_alias__)); v4 f(v4 a) \
         { return a + (v4) { 1, 2, 3, 4 }; }",
        "int f(void) { __attribute__((fallthrough)); return 0; }",
        "_Static_assert(sizeof(int) == 4); struct s { _Static_assert(1, \"x\"); int a; };",
        "int f(void) { _Static_assert(1, \"x\"); return 0; }",
        "static __inline__ int f(char *__restrict p, const char *__restrict__ q) { return *p; }",
        "__const__ int x; static __thread int y; _Thread_local int z;",
        "_Noreturn void f(void); int g(__builtin_va_list v) { return __builtin_va_arg(v, int); }",
        "int f(int a) { __typeof__(a) b = a; __auto_type c = b; typeof_unqual(c) d; return c; }",
        "int f(void) { return __builtin_types_compatible_p(int, long); }",
        "char *s = \"\\e[0m\\u00e9\\%\"; int c = '\\e';",
        "double f(_Complex double z) { return __real__ z + __imag z; }",
        "[[nodiscard]] int f(int a) { return a; }",
        "int x;;; int f(void) { return ({ int y = 1; y; }); };",
        "void f(int n, double a[n][n], double b[static 3], double (*c)[n], double d[*]);",
        "int f(int x) { switch (x) { case 1 ... 3: return 0b101; default: ; } return 0; }",
        "struct e {}; int a[] = { [0 ... 3] = 1, [4] = 2 }; struct p { int x; } p = { x: 1 };",
        "",
        ";",
        "\n#pragma once\n",
    ] {
        parses(text);
    }
}

#[test]
fn unused_functions_of_system_headers_are_left_out() {
    let text = "# 1 \"a.c\"\n# 1 \"/usr/h.h\" 1 3\n\
                extern int used(int); extern int unused(int) ; typedef int t;\n\
                extern t inpragma (t); extern struct s *keeps (void);\n\
                static inline int helper(int a) { return a; }\n\
                static inline int dead(int a) { return helper(a); }\n\
                # 2 \"a.c\" 2\nint mine(int);\n#pragma acc routine(inpragma)\n\
                int g(int x) { return used(x); }\n";
    let count = |drop| parse_with(&map(text), drop).unwrap().0.len();
    // `unused`, `dead`, and with it `helper`.
    assert_eq!(count(false), 9);
    assert_eq!(count(true), 6);
}

#[test]
fn errors_say_what_was_found_and_what_can_stand_there() {
    fails(
        "int x = 3 int y;",
        "1:11: found `int`, expected `;`, `,` or an operator",
    );
    fails(
        "int f(void) { return 1 }",
        "1:24: found `}`, expected `;`, `,` or an operator",
    );
    fails(
        "int f(void) { x = ; }",
        "1:19: found `;`, expected an expression",
    );
    fails(
        "int f(void) { if x) ; }",
        "1:19: `)` without a `(` before it",
    );
    fails(
        "foo_t x;",
        "1:1: `foo_t` is used as a type, and no typedef of that name stands before this",
    );
    fails(
        "int f(void) { foo_t x; }",
        "1:15: `foo_t` is used as a type, and no typedef of that name stands before this",
    );
    for (text, expected) in [
        (
            "int f(void) { else x; }",
            "1:15: found `else`, which cannot stand here",
        ),
        (
            "int f(void) { return 1; case }",
            "1:30: found `}`, expected an expression",
        ),
        (
            "int f(int x) { switch (x) { case : ; } }",
            "1:34: found `:`, expected an expression",
        ),
        ("int f(int, ) { }", "1:12: found `)`, expected a type"),
        (
            "int f(void) { for (;;;) ; }",
            "1:22: found `;`, expected an expression or `)`",
        ),
        (
            "int f(void) { for (;) ; }",
            "1:21: found `)`, expected an expression or `;`",
        ),
        (
            "struct s { int x };",
            "1:18: found `}`, expected `;`, `,` or `:`",
        ),
        ("enum e { 1 };", "1:10: found `1`, expected a name"),
        ("int a[3;", "1:6: `[` is not closed before the file ends"),
        ("int x = 08;", "1:9: `08` is not a number of C"),
        ("int x = 1.5.2;", "1:9: `1.5.2` is not a number of C"),
        ("typedef ;", "1:9: found `;`, expected a type"),
        ("int f(void) { if x; }", "1:18: found `x`, expected `(`"),
        (
            "int for;",
            "1:5: `for` is a keyword of C and cannot be a name",
        ),
        ("int x = 'ab", "1:9: the `'` is not closed on its line"),
        (
            "int x = \"a\" + ;",
            "1:15: found `;`, expected an expression",
        ),
        (
            "int x",
            "1:6: found the end of the file, expected `;`, `,` or `=`",
        ),
        (
            "int x = 3 +",
            "1:12: found the end of the file, expected an expression",
        ),
    ] {
        fails(text, expected);
    }
    fails(
        "int x = @;",
        "1:9: found `@`, which is not a character of C",
    );
    fails(
        "char *s = \"abc;\n",
        "1:11: the `\"` is not closed on its line",
    );
    fails(
        "main() { return 0; }",
        "1:1: `main` has no type in front of it; write `int main(...)`",
    );
    fails(
        "static f(a) int a; { return a; }",
        "1:8: `f` has no type in front of it; write `int f(...)`",
    );
}

#[test]
fn brackets_that_do_not_match() {
    fails(
        "int f(void) { return (1; }",
        "1:26: found `}` where the `(` before it is not closed yet",
    );
    fails(
        "int f(void) { {",
        "1:15: `{` is not closed before the file ends",
    );
    fails("int x; }", "1:8: `}` without a `{` before it");
    fails(
        "int a[3);",
        "1:8: found `)` where the `[` before it is not closed yet",
    );
    assert_eq!(notes("int a[3);"), ["1:6: this `[` is open"]);
    assert_eq!(
        notes("int first(void) { return 1 }"),
        ["1:5: in the function `first`"]
    );
}

#[test]
fn a_file_that_is_too_large_is_told() {
    let map = map("int x;");
    assert!(check_size(&map, 6).is_ok());
    let errors = check_size(&map, 5).expect_err("it is too large");
    assert_eq!(
        placed(&errors[0].loc, &errors[0].message),
        "1:1: the preprocessed file has more than 5 bytes, all terrace reads"
    );
}

#[test]
fn functions_may_be_defined_in_the_old_style() {
    parses("int f(a, b) int a; double b[]; { return a + b[0]; } int g() { return f(1, 0); }");
}

#[test]
fn constructs_that_are_not_read_are_named() {
    for (text, expected) in [
        (
            "void f(void) { void *p = &&l; l: ; }",
            "1:26: the address of a label, `&&l`, is an extension of GNU C that terrace does not \
             read",
        ),
        (
            "void f(void *p) { goto *p; }",
            "1:24: a jump to a computed address is an extension of GNU C that terrace does not \
             read",
        ),
        (
            "int f(int a, int b) { return a ?: b; }",
            "1:33: `?:` without its middle operand is an extension of GNU C that terrace does \
             not read; write `a ? a : b`",
        ),
        (
            "struct s { int x; }; int f(void) { return (struct s){}.x; }",
            "1:54: an empty compound literal is an extension of GNU C that terrace does not \
             read; write `{0}`",
        ),
        (
            "int f(void) { int g(int x) { return x; } return g(1); }",
            "1:28: found `{` behind `)`: a function inside a function is an extension of GNU C \
             that terrace does not read; or a `;` is missing",
        ),
        (
            "void f(void) { __label__ l; l: ; }",
            "1:16: a label's declaration, `__label__`, is an extension of GNU C that terrace \
             does not read",
        ),
        (
            "struct s { _Alignas(8) char c; };",
            "1:12: `_Alignas` on a member of a record is not read; write \
             `__attribute__((aligned(n)))` behind the member",
        ),
        (
            "int x = std::min(1, 2);",
            "1:12: found `::`, which is C++; terrace reads C",
        ),
        (
            "class A { int x; };",
            "1:1: found `class`, which seems to be C++; terrace reads C",
        ),
        (
            "int a$b;",
            "1:5: the name `a$b` has characters other than letters, digits and `_`, which \
             terrace does not read",
        ),
    ] {
        fails(text, expected);
    }
}

#[test]
fn errors_of_several_functions_are_reported_together() {
    let text = "int f(void) { return 1 }\nint g(void) { x = ; }\nint h(void) { return 0; }\n";
    assert_eq!(
        errors(text),
        [
            "1:24: found `}`, expected `;`, `,` or an operator",
            "2:19: found `;`, expected an expression"
        ]
    );
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let deep = |n: usize| format!("int x = {}1{};", "(".repeat(n), ")".repeat(n));
    parses(&deep(255));
    fails(
        &deep(300),
        "1:265: brackets are nested more than 256 deep here, which terrace does not read",
    );
    let braces = |n: usize| format!("int x[] = {}1{};", "{".repeat(n), "}".repeat(n));
    parses(&braces(255));
    assert_eq!(errors(&braces(100_000)).len(), 1);
    let levels = "more than 2000 operators or statements are nested in each other here, which \
                  terrace does not read; split the expression, or the chain of `else if` or `case`";
    for (head, part, tail) in [
        ("int x = 1", " + 1", ";"),
        ("int x = ", "- ", "1;"),
        ("int x = ", "(int)", "1;"),
        ("int x = ", "1 ? 2 : ", "3;"),
        ("int f(int x) { ", "if (x) ; else ", "; }"),
        ("int f(int x) { ", "for (;;) ", "; }"),
        ("int f(int x) { ", "do ", "; }"),
        ("int f(int x) { switch (x) { ", "case 1: ", "; } }"),
        ("int f(int x) { ", "if (x) {} else ", "; }"),
    ] {
        if !part.starts_with("do") {
            parses(&format!("{head}{}{tail}", part.repeat(900)));
        }
        let found = errors(&format!("{head}{}{tail}", part.repeat(100_000)));
        assert!(found[0].ends_with(levels), "{part}: {}", found[0]);
    }
    let types = format!("int x = {}1{};", "sizeof(int[".repeat(30), "])".repeat(30));
    assert!(errors(&types)[0].contains("`sizeof` and `typeof` are nested more than 8 deep"));
}

#[test]
fn steps_of_steps_are_an_error() {
    let nothing_behind = format!("int f(int x) {{ return {}; }}", "+".repeat(61));
    fails(
        &nothing_behind,
        "1:25: found `++` next to `++`, expected a variable, which a value that one of them \
         gives is not",
    );
    assert!(errors("int f(int x) { return x++--; }")[0].contains("found `--` next to `++`"));
    parses("int f(int x, int y) { return x++ + ++y - -1 - - --x; }");
}

#[test]
fn time_grows_with_the_text() {
    let start = std::time::Instant::now();
    parses(&format!(
        "int x = {}1{};",
        "-(".repeat(250),
        ")".repeat(250)
    ));
    parses(&format!(
        "int x = {}1{};",
        "f(1, a[".repeat(120),
        "])".repeat(120)
    ));
    parses(&format!(
        "int x = {}1{};",
        "sizeof(int[".repeat(8),
        "])".repeat(8)
    ));
    parses(&format!(
        "void f({}void{});",
        "int (*)(".repeat(100),
        ")".repeat(100)
    ));
    parses(&format!(
        "{}int x;{}",
        "struct {".repeat(200),
        "} a;".repeat(200)
    ));
    parses(&format!(
        "int x[] = {{ {} }};",
        "{1, 2, 3, 4}, ".repeat(5000)
    ));
    parses(&format!(
        "int x = {}1{};",
        "(int[(".repeat(50),
        ")])1".repeat(50)
    ));
    for text in [
        format!("int x = {}1 1{};", "(".repeat(250), ")".repeat(250)),
        format!("void f({}1{});", "int (*)(".repeat(100), ")".repeat(100)),
        format!("{}int;;x{}", "struct {".repeat(200), "} a;".repeat(200)),
        format!(
            "void f(void) {{ {} 1 1 {} }}",
            "({ ".repeat(120),
            "; })".repeat(120)
        ),
    ] {
        errors(&text);
    }
    // Seconds are for a build without optimisation; exponential time would be hours.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// The preprocessed text of a file that includes headers.
fn including(headers: &[&str], flags: &[&str], rest: &str) -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("terrace-headers-{}-{n}.c", std::process::id()));
    let lines: Vec<String> = headers
        .iter()
        .map(|h| format!("#include <{h}>\n"))
        .collect();
    std::fs::write(&file, lines.concat() + rest).unwrap();
    let mut cc = std::process::Command::new("cc");
    let out = cc.args(flags).arg("-E").arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(out.status.success());
    as_text(out.stdout)
}

#[test]
fn headers_of_the_c_library_parse() {
    for header in [
        "assert.h",
        "complex.h",
        "ctype.h",
        "errno.h",
        "fcntl.h",
        "fenv.h",
        "float.h",
        "inttypes.h",
        "limits.h",
        "locale.h",
        "malloc.h",
        "math.h",
        "pthread.h",
        "setjmp.h",
        "signal.h",
        "stdalign.h",
        "stdarg.h",
        "stdatomic.h",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "stdnoreturn.h",
        "string.h",
        "strings.h",
        "sys/mman.h",
        "sys/resource.h",
        "sys/stat.h",
        "sys/time.h",
        "sys/times.h",
        "sys/types.h",
        "tgmath.h",
        "time.h",
        "unistd.h",
        "wchar.h",
    ] {
        for flags in [
            &["-D_GNU_SOURCE", "-O2", "-D_FORTIFY_SOURCE=2"][..],
            &["-std=c99"],
        ] {
            let text = including(&[header], flags, "int after;\n");
            for drop in [false, true] {
                let map = map(&text);
                let parsed = parse_with(&map, drop).map_err(|e| format!("{header}: {e:#?}"));
                assert!(parsed.is_ok(), "{}", parsed.unwrap_err());
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_header_of_vector_intrinsics_parses() {
    let text = including(&["immintrin.h"], &["-O2", "-march=haswell"], "__m256d x;\n");
    for drop in [false, true] {
        if let Err(errors) = parse_with(&map(&text), drop) {
            panic!("{errors:#?}");
        }
    }
}

/// Brackets that were blanked counted as a word that was.
#[test]
fn an_unused_function_with_an_attribute_of_one_letter() {
    parses("# 1 \"s.h\" 1 3\nint f(int) __attribute__((a));\n# 2 \"x.c\" 2\nint x;\n");
}

/// What is read of a text, and the remarks.
fn tolerated(text: &str) -> Result<(usize, Vec<String>), usize> {
    let map = SourceMap::new(text.to_string());
    let parsed = parse_tolerant(&map);
    let words = |d: &Diagnostic| d.message.clone();
    parsed
        .map(|(unit, said)| (unit.0.len(), said.iter().map(words).collect()))
        .map_err(|errors| errors.len())
}

#[test]
fn functions_that_nobody_asks_for_may_be_anything() {
    let (n, said) = tolerated(
        "int f(int n) { static void *to[] = {&&a, &&b}; goto *to[n]; a: return 1; b: return 2; }\n\
         int g(n) int n; { return f(n) + 1; }\n\
         void h(double *a) {\n#pragma acc parallel loop\nfor (int i = 0; i < 9; i++) a[i] = g(i);\n}\n",
    )
    .unwrap();
    assert_eq!(n, 3);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("the address of a label"), "{said:?}");
    assert!(said.iter().all(|s| s.ends_with("; the function stays C")));
}

#[test]
fn functions_with_directives_must_be_read() {
    let with = |body: &str| format!("int f(int n) {{\n#pragma acc wait\n {body} }}");
    assert_eq!(tolerated(&with("goto *&&a; a: return 1;")), Err(1));
    assert_eq!(tolerated("int x = &&a;\n"), Err(1));
}
