//! C files and pragmas with tokens dropped, doubled and exchanged: nothing panics, and
//! every message has a place inside the text.

use terrace_c::directive::collect;
use terrace_c::hir::print;
use terrace_c::lex::{Lexer, Token};
use terrace_c::lower::{Options, lower_unit};
use terrace_c::parse::parse;
use terrace_c::sema::analyze;
use terrace_c::source::SourceMap;
use terrace_ir::diag::{DiagLoc, Diagnostic};
use terrace_lit::random::Random;

const PRAGMAS: &[&str] = &[
    "#pragma acc parallel loop gang vector collapse(2) reduction(+:sum) copyin(a[0:n][0:m])",
    "#pragma acc kernels copy(x[0:n]) async(1) wait(2, 3) if(n > 100 ? a : b) default(present)",
    "#pragma acc loop worker(4) private(t, u) tile(32, *) device_type(nvidia) vector(128)",
    "#pragma acc data copyin(readonly: p->m[0:k], s.x) create(zero: w) deviceptr(d)",
    "#pragma acc enter data copyin(a[lo:hi - lo]) attach(q) async",
    "#pragma acc exit data copyout(a) delete(b[:n]) detach(q) finalize",
    "#pragma acc update self(a[0:n]) device(b) if_present",
    "#pragma acc host_data use_device(a, b) if_present",
    "#pragma acc routine(f) vector bind(\"g\") nohost",
    "#pragma acc atomic capture",
    "#pragma acc wait(devnum: 0 : queues: 1, 2) async(3)",
    "#pragma acc cache(readonly: a[i:3][j])",
    "#pragma acc region for copyin(a[0:n-1]) local(t) parallel(16) unroll(4) cache(b)",
    "#pragma acc declare create(g) link(h)",
    "#pragma terrace offload reduction(max:m) num_gangs(4, 2)",
    "#pragma terrace schedule(tile(i, j: 32, 32))",
];

const SNIPPETS: &[&str] = &[
    "typedef struct { double x, y[3]; } point;\nstatic point p[100];\n\
     double norm(int n, const point *restrict q)\n{\n  double s = 0.0;\n\
     #pragma acc parallel loop reduction(+:s) copyin(q[0:n])\n\
     for (int i = 0; i < n; i++) {\n    s += q[i].x * q[i].y[i % 3];\n  }\n  return s;\n}\n",
    "enum { N = 16, M = 2 * N };\nint table[N] = { [0] = 1, [2 ... 4] = 7, 3 };\n\
     int pick(int k) { switch (k) { case 1: return table[k]; case N: break; default: k--; }\n\
     do { k += k > 3 ? (int)2.5f : sizeof(int); } while (k < M && !(k & 1)); return k; }\n",
    "extern double sqrt(double) __attribute__((nothrow));\n\
     void sweep(int n, double a[n][n], double (*b)[n]) {\n#pragma scop\n\
     for (int i = 1; i < n - 1; i++)\n    for (int j = 1; j < n - 1; j++)\n\
     a[i][j] = sqrt(b[i][j - 1] + b[i - 1][j]) / 2;\n#pragma endscop\n}\n",
    "static inline unsigned __int128 mul(unsigned long a, unsigned long b)\n\
     { return (unsigned __int128)a * b; }\nchar *text = \"a\\\"b\" \"c\\e\";\n\
     int main(int argc, char **argv) { goto end; { int x = 'x'; (void)x; } end:\n\
     __asm__ volatile (\"\" ::: \"memory\"); return ({ int y = argc; y; }) ? 0 : 1; }\n",
];

/// What analysis has most to do with.
const TYPED: &[&str] = &[
    "struct S { int a : 3, b; union { float f; char c[4]; }; struct S *next; } s = { 1, 2, \
     .f = 3, }, t[] = { [2].b = 1, { 4, .c = \"abc\" }, [0 ... 1] = { 2 } };\n\
     int get(struct S *p, unsigned u) { return p->next->a + (s.c[u] << 2) - t[1].b * sizeof p->c; }\n",
    "int n, m; double *p, a[10][20], (*q)[20], f(double, int *), (*fp)(double); char c;\n\
     void g(int n, double b[n][n + 1]) { double v[n]; p = a[n] + 1; q = a + n; c += f(*p, &n); \
     n = p - a[0] ? c : n; fp = 0; fp(a[1][2]); v[n] = b[1][n]--, n <<= 2l; p = q == a ? p : 0; }\n",
    "enum e { A = 1, B = A << 3, C = -B % 5 }; static const unsigned long k = ~0ul / B;\n\
     typedef int row[B]; row r = { A, B, [C + 5] = 2 }; int h(enum e x) { switch (x + 1) { case A: \
     case B ... B + 3: { goto out; } default: for (row *i = &r; i; ++i) continue; } out: return !x; }\n",
    "void d(int n, double *x, double (*y)[n]) { double s = 0; int i, j;\n\
     #pragma acc data copy(x[0:n]) copyin(y[1:n - 1][0:n]) if(n > 3 && x)\n{\n\
     #pragma acc kernels loop collapse(2) private(s) tile(4, *)\n\
     for (i = 0; i < n; i++) for (j = 0; j < n; j++)\n\
     #pragma acc atomic\nx[i] += y[i][j];\n#pragma acc update host(x[i:1]) async(n * 2)\n}\n\
     #pragma scop\nfor (i = 0; i < n; i++) s += x[i];\n#pragma endscop\n}\n",
];

/// One to three changes: a token dropped, doubled, exchanged with another, replaced by
/// another, or the text cut off.
fn mutate(text: &str, random: &mut Random) -> String {
    const OTHER: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        ":",
        "*",
        "?",
        "=",
        "#",
        "\"",
        "'",
        "\\",
        "@",
        "0",
        "1e",
        "int",
        "for",
        "acc",
        "x",
        "\u{e9}",
        "\0",
        "/*",
        "//",
        "&&",
        "sizeof",
        "\n",
        "#pragma acc loop\n",
        "struct",
        "typedef",
        "...",
        "__attribute__",
        "asm",
    ];
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        let tokens: Vec<_> = Lexer::new(text.as_bytes()).collect();
        if tokens.is_empty() {
            break;
        }
        let a = tokens[random.below(tokens.len())];
        let b = tokens[random.below(tokens.len())];
        let word = |t: Token| text[t.start..t.end].to_owned();
        let (range, new) = match random.below(6) {
            0 => (a.start..a.end, String::new()),
            1 => (a.end..a.end, format!(" {}", word(a))),
            2 => (a.start..a.end, word(b)),
            3 => (a.start..a.end, OTHER[random.below(OTHER.len())].to_owned()),
            4 => (
                a.start..a.start,
                OTHER[random.below(OTHER.len())].to_owned(),
            ),
            _ => (a.start..text.len(), String::new()),
        };
        text.replace_range(range, &new);
    }
    text
}

fn check(text: &str, map: &SourceMap, diagnostics: &[Diagnostic]) {
    let lines: Vec<&str> = text.split('\n').collect();
    let inside = |loc: &DiagLoc| {
        let DiagLoc::Pos { line, column, .. } = loc else {
            return false;
        };
        lines
            .get(*line as usize - 1)
            .is_some_and(|l| *column >= 1 && *column as usize <= l.len() + 1)
    };
    for d in diagnostics {
        let places = std::iter::once(&d.loc).chain(d.notes.iter().map(|n| &n.0));
        for place in places {
            // A line marker may have come about.
            assert!(inside(place) || map.text().contains('#'), "{text}\n{d:?}");
        }
        assert!(
            matches!(d.loc, DiagLoc::Pos { line: 1.., .. }),
            "{text}\n{d:?}"
        );
        assert!(!d.message.is_empty());
    }
}

#[test]
fn pragmas() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut wrong = 0;
    for round in 0..300 {
        let text = mutate(PRAGMAS[round % PRAGMAS.len()], &mut random);
        let map = SourceMap::with_loader(text.as_str(), Box::new(|_| None));
        let (directives, diagnostics) = collect(&map);
        for d in &directives {
            assert!(text.is_char_boundary(d.span.start as usize), "{text}");
            assert!(d.span.end as usize <= text.len(), "{text}");
        }
        wrong += usize::from(!diagnostics.is_empty());
        check(&text, &map, &diagnostics);
    }
    assert!(wrong > 100, "{wrong}");
}

#[test]
fn snippets() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut wrong = 0;
    for round in 0..300 {
        let text = mutate(SNIPPETS[round % SNIPPETS.len()], &mut random);
        let file = text.clone().into_bytes();
        let map = SourceMap::with_loader(text.as_str(), Box::new(move |_| Some(file.clone())));
        let (directives, diagnostics) = collect(&map);
        check(&text, &map, &diagnostics);
        match parse(&map) {
            Err(errors) => {
                assert!(!errors.is_empty());
                wrong += 1;
                check(&text, &map, &errors);
            }
            Ok(parsed) => {
                let (unit, errors) = analyze(map, &parsed, directives);
                check(&text, &unit.source, &errors);
                print(&unit);
            }
        }
    }
    assert!(wrong > 100, "{wrong}");
}

#[test]
fn analysis() {
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let (mut wrong, mut parsed) = (0, 0);
    for round in 0..1000 {
        let text = mutate(TYPED[round % TYPED.len()], &mut random);
        let map = SourceMap::with_loader(text.as_str(), Box::new(|_| None));
        let (directives, _) = collect(&map);
        let Ok(tree) = parse(&map) else { continue };
        parsed += 1;
        let (unit, errors) = analyze(map, &tree, directives);
        check(&text, &unit.source, &errors);
        wrong += usize::from(!errors.is_empty());
        print(&unit);
    }
    assert!(parsed > 100 && wrong > 50, "{parsed} {wrong}");
}

#[test]
fn the_snippets_themselves_are_right() {
    for text in SNIPPETS.iter().chain(TYPED) {
        let map = SourceMap::with_loader(*text, Box::new(|_| None));
        let parsed = parse(&map);
        assert!(parsed.is_ok(), "{text}\n{parsed:?}");
        let (directives, _) = collect(&map);
        let (_, errors) = analyze(map, &parsed.unwrap(), directives);
        assert!(errors.is_empty(), "{text}\n{errors:?}");
    }
    for text in PRAGMAS {
        let map = SourceMap::with_loader(*text, Box::new(|_| None));
        let (directives, diagnostics) = collect(&map);
        let warned = diagnostics.iter().all(|d| d.message.contains("`devnum`"));
        assert!(directives.len() == 1 && warned, "{text}\n{diagnostics:?}");
    }
}

/// What can still be read after a mutation is lowered: to a module that verifies, with
/// what is not understood left out.
#[test]
fn lowered() {
    const FILES: [&str; 3] = [
        include_str!("../../../test/c_lowering/Inputs/arrays.c"),
        include_str!("../../../test/c_lowering/Inputs/loops.c"),
        include_str!("../../../test/c_lowering/Inputs/integers.c"),
    ];
    // A function a line.
    let lines: Vec<&str> = FILES.iter().flat_map(|f| f.lines()).collect();
    let mut random = Random(0x1357_9bdf_2468_ace1);
    let mut read = 0;
    for round in 0..4000 {
        let text = mutate(lines[round % lines.len()], &mut random);
        let map = SourceMap::with_loader(text.as_str(), Box::new(|_| None));
        let Ok(parsed) = parse(&map) else { continue };
        let (unit, _) = analyze(map, &parsed, Vec::new());
        read += 1;
        let mut ctx = terrace_dialects::context();
        let options = Options::default();
        let lowered = lower_unit(&mut ctx, &unit, &options);
        assert!(
            lowered.diagnostics.is_empty(),
            "{text}\n{:?}",
            lowered.diagnostics
        );
    }
    assert!(read > 300, "{read}");
}
