//! What functions of `string.h` do to arrays in regions, and functions that call themselves as
//! often as their arguments say: nothing is said of them, as they run on the device.

use super::folder::alike;

/// Elements of each type, parts, copies that overlap, bits of other types, and records.
const MEMORY: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct point { double x, y; int k; };
static unsigned bits(float f) { unsigned u; memcpy(&u, &f, sizeof u); return u; }
static void clear(double *p, int n) { memset(p, 0, n * sizeof(double)); }
int main(void) {
  int n = 12, a[12], b[12], c[12] = {0}; double d[12], m[3][4]; short s[12]; float f[12]; unsigned u[12];
  unsigned char t[12]; long *l = malloc(n * sizeof *l); _Bool yes[12];
#pragma acc parallel copyout(a, b, d, s, f, t, yes) copyout(l[0:n]) copyout(m)
  {
    memset(a, 0, sizeof a); memset(b, -1, sizeof b); memset(s, 7, sizeof s); memset(t, 200, 12);
    memset(l, 0x81, n * sizeof *l); memset(f, 0x40, sizeof(f)); memset(m, 0, sizeof m); clear(d, n);
    memset(yes, 1, n);
  }
  for (int i = 0; i < n; i++) printf("%d %d %g %d %g %d %lx %d|", a[i], b[i], d[i], s[i], f[i], t[i], l[i], yes[i]);
  printf("%g\n", m[2][3]);
  for (int i = 0; i < n; i++) { a[i] = i; b[i] = 100 + i; f[i] = i * 0.5f; t[i] = 3 * i; }
#pragma acc parallel copyin(a) copy(b) copyout(c) 
  {
    memcpy(c, a, sizeof a);
    memcpy(c + 3, b + 1, 4 * sizeof(int));
    int *end = memmove(b + 2, b, (n - 2) * sizeof *b);
    end[0] += 1000;
    memmove(b, b + 1, sizeof(int) * (size_t)5);
    memmove(c + 8, a, 16);
  }
  for (int i = 0; i < n; i++) printf("%d %d|", c[i], b[i]);
  printf("\n");
#pragma acc parallel loop copyin(f) copyout(u)
  for (int i = 0; i < n; i++) u[i] = bits(f[i]);
  for (int i = 0; i < n; i++) printf("%x ", u[i]);
  printf("\n");
  int k = 5, r[8]; double x = 1, y = 1;
  unsigned char t2[12]; memcpy(t2, t, 12); t2[9] = 1;
  unsigned v1[3] = {1, 0x01020304, 7}, v2[3] = {1, 0x02010304, 7};
#pragma acc serial copyin(t, t2, v1, v2, a, k, x, y) copyout(r)
  {
    r[0] = memcmp(t, t2, 9); r[1] = memcmp(t, t2, 12) > 0; r[2] = memcmp(t2, t, n) < 0;
    r[3] = memcmp(v1, v2, sizeof v1) > 0; r[4] = memcmp(v1, v2, 4) == 0; r[5] = !memcmp(a, a + 1, 8);
    double v = x, w = y; r[6] = memcmp(&v, &w, sizeof v); w = 2; r[7] = memcmp(&v, &w, sizeof v) != 0;
  }
  for (int i = 0; i < 8; i++) printf("%d ", r[i]);
  struct point p[4], q[4] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, one = {9, 9, 9};
#pragma acc serial copyout(p) copyin(q) copy(one)
  {
    struct point w;
    memset(p, 0, sizeof p); memcpy(p + 1, q, 2 * sizeof *q); memcpy(&w, &q[3], sizeof w); p[3] = w; memset(&one, 0, sizeof one);
  }
  for (int i = 0; i < 4; i++) printf("%g %g %d|", p[i].x, p[i].y, p[i].k);
  printf("%g %d\n", one.x, one.k);
#pragma acc parallel loop copy(m)
  for (int i = 0; i < 3; i++) { double row[4]; for (int j = 0; j < 4; j++) row[j] = i * j; memcpy(m[i], row, sizeof row); }
#pragma acc parallel loop copy(m) 
  for (int i = 0; i < 3; i++) { double z[2]; memset(z, 0, sizeof z); if (i == 1) memcpy(&m[i][2], z, sizeof z); }
  for (int i = 0; i < 12; i++) printf("%g ", m[i / 4][i % 4]);
  double big = 1; 
#pragma acc serial copy(big)
  { for (int i = 0; i < 3; i++) { double *at = &big; big += 1; memset(at, 0, sizeof *at); big += i; } }
  printf("%g\n", big);
  return 0;
}
"#;

#[test]
fn memory_is_set_copied_moved_and_compared() {
    assert_eq!(alike(MEMORY), "");
}

/// Static variables that never change are part of the region's code.
const TABLES: &str = r#"#include <stdio.h>
int main(void) {
  int a[10];
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 10; i++) {
    static const int table[3] = {5, 6, 7};
    static const int more = 100;
    a[i] = table[i % 3] + more;
  }
  for (int i = 0; i < 10; i++) printf("%d ", a[i]);
  return 0;
}
"#;

#[test]
fn static_constants_of_a_region() {
    assert_eq!(alike(TABLES), "");
}

/// One after another, in two branches, by turns, and over the rest of an array.
const RECURSION: &str = r#"#include <stdio.h>
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
static int fib(int n) { int a, b; if (n < 2) return n; a = fib(n - 1); b = fib(n - 2); const int k = 1; return a * k + b; }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { if (n == 0) return 0; int r = even(n - 1); return r; }
static double power(double x, int n) { if (n == 0) return 1; double h = power(x, n / 2); return n % 2 ? h * h * x : h * h; }
static int sum(int *a, int n) { int here = a[0]; if (n == 1) return here; int rest = sum(a + 1, n - 1); return here + rest; }
int main(void) {
  int r[8]; double p[5]; int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma acc parallel copyout(r) copyin(a)
  { r[0] = fact(10); r[1] = fib(9); r[2] = even(10); r[3] = odd(7); r[4] = fact(1); r[5] = sum(a, 8); r[6] = 0; r[7] = even(5); }
#pragma acc parallel loop copyout(p)
  for (int i = 0; i < 5; i++) p[i] = power(i + 0.5, 13);
  for (int i = 0; i < 8; i++) printf("%d ", r[i]);
  for (int i = 0; i < 5; i++) printf("%.10g ", p[i]);
  printf("\n"); return 0; }
"#;

#[test]
fn functions_call_themselves_as_often_as_is_known() {
    assert_eq!(alike(RECURSION), "");
}

/// Regions, data regions and copies in the background of structs and arrays whose sizes
/// change: what the program uses does not grow with how often they run.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_by_regions() {
    use super::folder::{Folder, text};
    let f = Folder::new(&[("t.c", include_str!("Inputs/calls.c"))]);
    let gcc = f.gcc(&["-w", "-O1", "t.c", "-o", "expected"]);
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let made = f.terrace(&["-w", "-O1", "t.c", "-o", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for (target, times) in [("host", "100000"), ("cpu", "100000"), ("emulator", "3000")] {
        let run = |name: &str| {
            let mut c = f.command(name);
            c.arg(times);
            f.run_with(c, &[("TERRACE_TARGET", target)])
        };
        let (expected, out) = (run("expected"), run("made"));
        let said = text(&out.stderr);
        assert_eq!(
            text(&out.stdout),
            text(&expected.stdout),
            "{target}: {said}"
        );
        let more = said
            .strip_suffix(" KiB more\n")
            .and_then(|n| n.parse().ok());
        let more: i64 = more.unwrap_or_else(|| panic!("{target}: {said}"));
        // The allocator keeps some pages more or less.
        assert!(more <= 256, "{target}: {said}");
    }
}
