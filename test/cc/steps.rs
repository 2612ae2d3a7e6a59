//! Steps of loops that do more than count: each is done where it stands, and the loop is counted
//! all the same.

use super::folder::{Folder, text};

const STEPS: &str = r#"#include <stdio.h>
#define N 40
static int p[N];
int main(void)
{
  int i, j, k;
  long s = 0, t = 0, late = 0, early = 0, down = 0;
  for (i = 0; i < N; i++)
    p[i] = i * i % 17;
#pragma scop
  for (i = 0, j = N - 1; i < N; j = i++)
    s += p[i] * 3 - p[j];
  for (i = 0, k = 7; i < N - 5; k = ++i)
    t += p[i] * 100 + k;
  for (i = 0; i < N; i += 2, late += i)
    t += p[i];
  for (i = 0; i < N; early += i, i += 3)
    t -= p[i];
  for (i = N - 1; i > 2; i--, down += i)
    t ^= p[i];
#pragma endscop
  printf("%ld %ld %d %d %d %ld %ld %ld\n", s, t, i, j, k, late, early, down);
  unsigned char narrow = 0;
  long u = 0;
#pragma scop
  for (i = 250; i < 300; narrow = i++)
    u += narrow;
#pragma endscop
  printf("%ld %d %d\n", u, narrow, i);
  return 0;
}
"#;

#[test]
fn steps_of_loops_are_done_where_they_stand() {
    let f = Folder::new(&[("steps.c", STEPS)]);
    let gcc = f.gcc(&["-O1", "-Wno-unknown-pragmas", "steps.c", "-o", "expected"]);
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    let made = f.terrace(&["-O1", "-Minfo", "steps.c", "-o", "made"]);
    let notes = text(&made.stderr);
    assert!(made.status.success(), "{notes}");
    assert!(!notes.contains("only known when it ends"), "{notes}");
    for target in ["cpu", "emulator"] {
        let out = f.program("made", &[("TERRACE_TARGET", target)]);
        assert_eq!(text(&out.stdout), expected, "{}", text(&out.stderr));
    }
}
