//! What launches are checked for before they run: alignment of arrays, and sizes where
//! indices have 32 bits.

use super::folder::{Folder, text};
use std::process::{Command, Output};

/// A program on the emulator, which says what it launches.
fn program(f: &Folder, name: &str, args: &[&str]) -> Output {
    let mut c = Command::new(f.0.join(name));
    c.args(args);
    f.run_with(
        c,
        &[("TERRACE_TARGET", "emulator"), ("TERRACE_NOTIFY", "1")],
    )
}

/// Sums of four neighbours, of an array that begins `argv[1]` bytes behind memory.
const QUADS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 256
void quads(int n, const float *restrict a, float *restrict s) {
#pragma acc parallel loop present(a[0:4*n], s[0:n])
  for (int i = 0; i < n; i++)
    s[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];
}
int main(int argc, char **argv) {
  int off = atoi(argv[1]);
  char *mem = calloc(1, 16 * N + 64);
  float *s = malloc(4 * N), t = 0;
  for (int i = 0; i < 4 * N; i++) memcpy(mem + off + 4 * i, &(float){i % 7}, 4);
#pragma acc data copyin(mem[0:16*N+64]) copyout(s[0:N])
  quads(N, (float *)(mem + off), s);
  for (int i = 0; i < N; i++) t += s[i] * (i % 3 + 1);
  printf("%g\n", t);
}
"#;

#[test]
fn misaligned_arrays_run_without_wide_accesses_or_are_refused() {
    let f = Folder::new(&[("quads.c", QUADS)]);
    let made = f.terrace(&["quads.c", "-o", "made", "--terrace-keep=kept"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let ptx = std::fs::read_to_string(f.0.join("kept/0-quads.quads.region0.ptx")).unwrap();
    let (wide, narrow) = ptx
        .split_once(".entry quads_region0_kernel0_unaligned(")
        .unwrap();
    assert!(
        wide.contains(".align 16 ") && wide.contains(".v4.f32"),
        "{ptx}"
    );
    assert!(
        narrow.contains(".align 4 ") && !narrow.contains(".v4.f32"),
        "{ptx}"
    );
    let run = |off: &str| {
        let out = program(&f, "made", &[off]);
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    for (off, kernel) in [
        ("0", "quads_region0_kernel0,"),
        ("32", "quads_region0_kernel0,"),
        // a + 1 and a + 3.
        ("4", "quads_region0_kernel0_unaligned,"),
        ("12", "quads_region0_kernel0_unaligned,"),
    ] {
        let (code, out, said) = run(off);
        assert_eq!((code, out.as_str()), (Some(0), "6126\n"), "{off}: {said}");
        assert!(said.contains(&format!("kernel {kernel}")), "{off}: {said}");
    }
    let (code, _, said) = run("6");
    assert_eq!(code, Some(1));
    assert!(
        said.contains("quads.c:7:3: ")
            && said.contains("error: a is at address 0x")
            && said.contains(
                " of the device, 2 bytes past a multiple of 4; kernel quads_region0_kernel0 \
                 takes it to be aligned to 4 bytes"
            ),
        "{said}"
    );
}

const INDICES: &str = r#"#include <stdio.h>
#include <stdlib.h>
void shift(long n, long from, double *restrict a) {
#pragma acc parallel loop copy(a[0:n])
  for (long i = from; i < from + n; i++)
    a[i - from] = 2 * a[i - from] + (double)(i % 7);
}
int first(long n, long m, char a[n][m]) {
#pragma acc parallel loop copy(a[0:2][0:m])
  for (long i = 0; i < 2; i++) a[i][3] = 1 + a[i][3];
  return a[0][3] + a[1][3];
}
int main(int argc, char **argv) {
  double a[100], t = 0;
  for (int i = 0; i < 100; i++) a[i] = i;
  shift(100, atol(argv[1]), a);
  for (int i = 0; i < 100; i++) t += a[i];
  char *p = calloc(2, 4096);
  printf("%g %d\n", t, first(atol(argv[2]), 4096, (char (*)[4096])p));
}
"#;

#[test]
fn indices_of_32_bits_are_checked() {
    let f = Folder::new(&[("x.c", INDICES)]);
    for bits in ["32", "64"] {
        let width = format!("--index-bitwidth={bits}");
        let made = f.terrace(&["x.c", "-o", bits, &width]);
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    let run = |bits: &str, from: &str, n: &str| {
        let out = program(&f, bits, &[from, n]);
        let said = text(&out.stderr);
        match out.status.code() {
            Some(0) => text(&out.stdout),
            _ => said.lines().last().unwrap_or_default().to_string() + "\n",
        }
    };
    let sums = "10205 2\n";
    assert_eq!(run("32", "5", "2"), sums);
    assert_eq!(run("64", "5", "2"), sums);
    let end = "but its kernel was compiled with --index-bitwidth=32; expected at most \
               2147483647, or --index-bitwidth=64\n";
    assert_eq!(run("64", "3000000000", "2"), "10203 2\n");
    assert_eq!(
        run("32", "3000000000", "2"),
        format!("x.c:5:3: error: from is 3000000000, {end}")
    );
    assert_eq!(run("64", "5", "3000000"), sums);
    assert_eq!(
        run("32", "5", "3000000"),
        format!("x.c:10:3: error: the extent in elements of a is 12288004096, {end}")
    );
}

/// A stencil to and fro, of sizes and steps that the run is told.
const STEPS: &str = r#"#include <stdio.h>
#include <stdlib.h>
void steps(int n, int t, double *restrict a, double *restrict b) {
#pragma scop
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.25 * (a[i - 1] + 2 * a[i] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = 0.25 * (b[i - 1] + 2 * b[i] + b[i + 1]);
  }
#pragma endscop
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), t = atoi(argv[2]);
  double *a = malloc(8 * n), *b = calloc(8, n), sum = 0;
  for (int i = 0; i < n; i++) a[i] = i % 7 + i % 13;
  steps(n, t, a, b);
  for (int i = 0; i < n; i++) sum += a[i] * (i % 5 + 1);
  printf("%.17g\n", sum);
}
"#;

/// One block for few elements, many for more, launches for a single step.
#[test]
fn loops_around_launches_are_one_kernel_where_steps_are_small() {
    let f = Folder::new(&[("steps.c", STEPS)]);
    let made = f.terrace(&["steps.c", "-o", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for (n, t, blocks) in [
        ("300", "20", "grid 1x1x1, block 1024x1x1"),
        ("6001", "20", "grid 8x1x1, block 512x1x1"),
        ("6001", "1", "grid 24x1x1, block 256x1x1"),
    ] {
        let out = program(&f, "made", &[n, t]);
        let said = text(&out.stderr);
        assert!(out.status.success() && said.contains(blocks), "{said}");
        let mut c = Command::new(f.0.join("made"));
        c.args([n, t]);
        let host = f.run_with(c, &[("TERRACE_TARGET", "host")]);
        assert_eq!(text(&out.stdout), text(&host.stdout), "{n} {t}");
    }
}
