//! Texts from C, through the whole front end, that compilers have to take.

use std::process::Command;

use terrace_c::hir::Unit;
use terrace_c::lower::{Options, lower_unit};
use terrace_c::region::Region;
use terrace_c::source::SourceMap;
use terrace_c::{directive, parse, sema};
use terrace_ir::diag::{Diagnostic, Severity};

use super::build::{compiles_as, rewrite};
use crate::c::plan::{ArrayExtent, RegionPlan};
use crate::dialects;

fn preprocessed(c: &str) -> String {
    let dir = std::env::temp_dir().join(format!(
        "terrace-rewrite-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("t.c");
    std::fs::write(&file, c).unwrap();
    let out = Command::new("cc")
        .args(["-E", "-fopenacc", "t.c"])
        .current_dir(&dir)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap()
}

fn read(c: &str) -> Unit {
    let map = SourceMap::new(preprocessed(c));
    let ast = parse::parse(&map).unwrap();
    let (directives, said) = directive::collect(&map);
    let (unit, more) = sema::analyze(map, &ast, directives);
    let errors: Vec<Diagnostic> = said.into_iter().chain(more).collect();
    assert!(
        errors.iter().all(|d| d.severity != Severity::Error),
        "{errors:#?}"
    );
    unit
}

fn plans(unit: &Unit) -> Vec<RegionPlan> {
    let mut ctx = dialects::context();
    let lowered = lower_unit(&mut ctx, unit, &Options { regions_only: true });
    assert!(lowered.kept.is_empty(), "{:?}", lowered.kept);
    let plan = |region: Region| RegionPlan {
        symbol: region.name.replace('.', "_"),
        gpu: true,
        cpu: true,
        only_threads: false,
        trial: None,
        iterations: crate::c::plan::Iterations::All,
        extents: region
            .captures
            .iter()
            .map(|c| match c.array() {
                Some(_) => ArrayExtent::Computed,
                None => ArrayExtent::Scalar,
            })
            .collect(),
        extent_words: Vec::new(),
        extent_unsure: Vec::new(),
        overwritten: Vec::new(),
        last_result: None,
        check_alias: true,
        presumed: Vec::new(),
        coincide: Vec::new(),
        at_home: false,
        wants_gpu: false,
        names_target: false,
        pays: None,
        region,
    };
    lowered.regions.into_iter().map(plan).collect()
}

fn check(c: &str, regions: usize, modes: &[&[&str]]) -> String {
    let unit = crate::with_stack(|| {
        let unit = read(c);
        let plans = plans(&unit);
        assert_eq!(plans.len(), regions);
        rewrite(&unit, &plans).map_err(|e| format!("{e:#?}"))
    });
    let text = unit.unwrap();
    compiles_as(&text, modes);
    assert!(!text.contains("#pragma acc"), "{text}");
    text
}

const ALL: &[&[&str]] = &[
    &["-std=c89", "-pedantic-errors"],
    &["-std=c99", "-pedantic-errors", "-O2"],
    &["-std=gnu17", "-O2", "-Wdeclaration-after-statement"],
];
const NEW: &[&[&str]] = &[
    &["-std=c99", "-pedantic-errors", "-O2"],
    &["-std=gnu17", "-O2"],
];

#[test]
fn pointers_scalars_and_reductions() {
    let c = r#"
#define N 100
float dot(const float *x, float *y, int n, short k);
float dot(const float *x, float *y, int n, short k)
{
  int i;
  float s = 0;
  unsigned char flag = 0;
#pragma acc parallel loop copyin(x[0:n]) reduction(+:s) firstprivate(k)
  for (i = 0; i < n; i++) {
    y[i] = x[i] * (float)k;
    s += x[i] * y[i];
  }
#pragma acc kernels
  {
    for (i = 0; i < N; i++)
      y[i] = y[i] + 1;
    flag = 1;
  }
  if (flag)
#pragma acc serial copy(y[0:N])
    for (i = 1; i < N; i++)
      y[i] = y[i - 1] * s;
  else
    s = 1;
  return s;
}
"#;
    check(c, 3, ALL);
}

#[test]
fn arrays_of_every_kind() {
    let c = r#"
#define N 40
static double A[N][N];
double B[N], C[3][N][2];
extern double sum(int n, int m, double p[N][N], double q[][N], double (*r)[N], double *restrict s,
  double vla[n][m]);
double sum(int n, int m, double p[N][N], double q[][N], double (*r)[N], double *restrict s,
  double vla[n][m])
{
  double local[N], t[n][m], out = 0;
  const double two[2] = {2, 3};
  for (int i = 0; i < N; i++) local[i] = i;
#pragma acc kernels copyin(p[0:N][0:N]) create(t)
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        t[i][j] = vla[i][j] * two[1];
        A[i][j] = p[i][j] + q[i][j] * r[j][i] + s[i * m + j] + t[i][j] + local[j];
        C[1][i][0] = B[i];
      }
  }
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out += A[i][j] * vla[i][j];
#pragma endscop
  return out + C[0][0][1];
}
"#;
    let text = check(c, 2, NEW);
    assert!(text.contains("&(A), 0, (long)sizeof(A)"));
}

#[test]
fn records_and_members() {
    let c = r#"
struct body { double x, v[2]; int id; };
struct mesh { int n; double *a; double fixed[10]; struct { double h; } inner; };
void step(struct body *b, struct mesh *m, struct mesh s, int n);
void step(struct body *b, struct mesh *m, struct mesh s, int n)
{
  int i;
#pragma acc parallel loop
  for (i = 0; i < n; i++) {
    b[i].x = b[i].x + b[i].v[1] * s.inner.h;
  }
#pragma acc parallel loop copy(m->a[0:m->n])
  for (i = 0; i < m->n; i++)
    m->a[i] = s.fixed[i % 10] + m->fixed[0];
}
"#;
    let text = check(c, 2, ALL);
    // One map for both fields of the records.
    assert!(
        text.contains("struct __terrace_map __terrace_m1[1];"),
        "{text}"
    );
    assert!(text.contains("(m->a), 0, (long)(m->n)"), "{text}");
}

#[test]
fn data_in_all_forms() {
    let c = r#"
#define N 64
extern double g[], elsewhere[];
#pragma acc declare create(g, elsewhere)
double g[N];
extern void use(double *);
void f(double *a, double *b, int n, int cond);
void f(double *a, double *b, int n, int cond)
{
  int i;
#pragma acc enter data copyin(a[0:n]) create(b[0:n]) if(cond) async(1)
#pragma acc data present(a[0:n]) copy(b[0:n]) if(cond > 1)
  {
#pragma acc parallel loop async(cond) wait(1)
    for (i = 0; i < n; i++)
      b[i] = a[i] + g[i % N];
#pragma acc update self(b[0:n/2]) async(2)
#pragma acc wait(1, 2)
#pragma acc host_data use_device(b)
    use(b);
  }
#pragma acc update device(a[1:n-1]) if_present
#pragma acc exit data copyout(a[0:n]) delete(b[0:n]) finalize
#pragma acc wait
}
double k(int n);
double k(int n)
{
  double t[N], s = 0;
#pragma acc declare create(t)
  int i;
#pragma acc parallel loop
  for (i = 0; i < N; i++)
    t[i] = n;
#pragma acc parallel loop reduction(+:s)
  for (i = 0; i < N; i++)
    s += t[i];
  if (n > 3)
    return s;
  return 2 * s;
}
"#;
    let text = check(c, 3, ALL);
    // The declared array is known where it is used.
    assert!(text.contains("__terrace_same("), "{text}");
}

#[test]
fn lines_and_columns_stay() {
    let c = "void f(int *p, int n)\n{\n  int i;\n#pragma acc parallel loop copy(p[0:n])\n  for (i = \
             0; i < n; i++) p[i] = 1; n = x;\n}\n";
    let good = c.replace("n = x", "n = 7");
    let unit = read(&good);
    let text = rewrite(&unit, &plans(&unit))
        .unwrap()
        .replace("n = 7", "n = x");
    let dir = std::env::temp_dir().join(format!("terrace-lines-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("t.i"), text).unwrap();
    std::fs::write(dir.join("u.c"), c).unwrap();
    let said = |args: &[&str]| {
        let mut command = Command::new("cc");
        command.args(["-fsyntax-only", "-fdiagnostics-color=never"]);
        let out = command.args(args).current_dir(&dir).output().unwrap();
        let text = String::from_utf8(out.stderr).unwrap();
        let line = text
            .lines()
            .find(|l| l.contains("error"))
            .unwrap()
            .to_string();
        line.split_once(':').unwrap().1.to_string()
    };
    assert_eq!(said(&["-x", "cpp-output", "t.i"]), said(&["u.c"]));
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn directives_from_macros_and_headers() {
    let c = r#"
#define PARALLEL(c) _Pragma("acc parallel loop copy(a[0:n])") for (i = 0; i < n; i++) c
#define SIZE 10
struct s { int n; double x[SIZE]; };
static double twice(const struct s *p)
{
  double t = 0;
  int i;
#pragma acc data copyin(p[0:1]) copy(t)
  {
#pragma acc parallel loop reduction(+:t)
    for (i = 0; i < p->n; i++)
      t += p->x[i];
  }
  return 2 * t;
}
double f(double *a, int n);
double f(double *a, int n)
{
  struct s one = {SIZE, {1}};
  int i;
  PARALLEL(a[i] = i;) PARALLEL({ a[i]++; })
  switch (n) {
  case 3:
#pragma acc wait
    break;
  default:
#pragma acc parallel loop copyout(a[0:n]) \
    num_gangs(SIZE)
    for (i = 0; i < n; i++)
      a[i] = 1;
  }
  return twice(&one);
}
"#;
    check(c, 4, ALL);
}

#[test]
fn zero_is_told() {
    let c = r#"
void f(double *a, double *b, int n);
void f(double *a, double *b, int n)
{
  int i;
#pragma acc data create(zero: b[0:n])
  {
#pragma acc parallel loop copyout(zero: a[0:n])
    for (i = 0; i < n; i++)
      a[i] += b[i];
  }
#pragma acc enter data create(zero: a[0:n]) copyin(b[0:n])
}
"#;
    let text = check(c, 1, NEW);
    for part in [
        "__terrace_create, 16, \"b\"",
        "__terrace_copyout, 17, \"a\"",
        "__terrace_create, 24, \"a\"",
        "__terrace_copyin, 8, \"b\"",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn an_array_in_two_clauses_is_one() {
    let c = r#"
void f(double *a, double *b, int n);
void f(double *a, double *b, int n)
{
  int i;
#pragma acc serial loop create(zero: b[0:n]) copyout(b[0:n]) copyin(a[0:n]) copyout(a[0:n])
  for (i = 0; i < n; i++)
    b[i] += a[i];
}
"#;
    let text = check(c, 1, NEW);
    for part in [
        "__terrace_copyout, 17, \"b\"",
        "__terrace_copy, 0, \"a\"",
        "struct __terrace_map __terrace_m1[2];",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

/// Copies of the host's own stand in blocks around the statement.
#[test]
fn rows_and_copies() {
    let c = r#"
extern double g[8];
double g[8];
void f(double **a, float *p, int n);
void f(double **a, float *p, int n)
{
  int i, j, t[8];
  for (i = 0; i < 8; i++)
    t[i] = i;
#pragma acc data copyin(a[0:n][0:n])
  {
#pragma acc parallel loop collapse(2) async(1)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        a[i][j] += 1;
#pragma acc serial firstprivate(t, g, p[0:n]) wait(1)
    for (i = 0; i < 8; i++) {
      t[i] += 1;
      g[i] += t[i];
      p[i] = (float)g[i];
    }
  }
#pragma acc update self(a[0:n][0:n])
}
"#;
    let text = check(c, 2, ALL);
    assert!(text.contains("terrace_copy_of("), "{text}");
    assert!(text.contains("(__terrace_word)(long)(1L << 60)"), "{text}");
}
