//! Reductions into memory by way of copies in shared memory.

use super::folder::{Folder, text};

/// Sizes of parameters are no promises, and a pointer may stand within its array: what the
/// copies do not have is updated in the array.
const BEYOND: &str = r#"#include <stdio.h>
#define N 150001
static int a[N];
static int h[200], g[150];
static double w[90];

static void counts(int n, const int *restrict a, int h[restrict 100], int *restrict g,
                   double w[restrict 30][2]) {
#pragma acc parallel loop copyin(a[0:n]) copy(h[0:200]) copy(g[-50:150]) copy(w[0:45][0:2])
  for (int i = 0; i < n; i++) {
#pragma acc atomic update
    h[a[i]]++;
#pragma acc atomic update
    g[a[i] % 150 - 50] += 2;
    if (a[i] % 3 == 0) {
#pragma acc atomic update
      w[a[i] % 45][i % 2] += 0.5;
    }
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = (int)(i * 7919L % 200);
  counts(N, a, h, g + 50, (double(*)[2])w);
  long sums[3] = {0, 0, 0};
  for (int k = 0; k < 200; k++)
    sums[0] += (long)(k + 1) * h[k];
  for (int k = 0; k < 150; k++)
    sums[1] += (long)(k + 1) * g[k];
  for (int k = 0; k < 90; k++)
    sums[2] += (long)((k + 1) * w[k] * 2);
  printf("%ld %ld %ld\n", sums[0], sums[1], sums[2]);
  return 0;
}
"#;

#[test]
fn elements_beyond_the_sizes_of_an_array_are_updated_too() {
    let f = Folder::new(&[("beyond.c", BEYOND)]);
    let gcc = f.gcc(&["-w", "-O1", "beyond.c", "-o", "expected"]);
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    let made = f.terrace(&["-O1", "-w", "beyond.c", "-o", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let settings = [("TERRACE_TARGET", "emulator"), ("TERRACE_PROFILE", "1")];
    let out = f.program("made", &settings);
    let told = text(&out.stderr);
    assert_eq!(text(&out.stdout), expected, "{told}");
    // Blocks with copies have this shape, and no others.
    assert!(told.contains("512x1x1"), "{told}");
}
