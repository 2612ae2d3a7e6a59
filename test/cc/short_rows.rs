//! Short rows and short regions.

use super::folder::{Folder, text};

const SHORT_ROWS: &str = include_str!("Inputs/short_rows.c");

#[test]
fn rows_of_all_lengths_are_those_of_c() {
    let f = Folder::new(&[("short_rows.c", SHORT_ROWS)]);
    f.prints_what_gcc_prints_with("short_rows.c", &["-ta=nvidia,multicore", "--auto"]);
}

const BLUR: &str = "
#include <stdio.h>
void blur(int n, float *restrict a, float *restrict b) {
  for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i] + a[i + 1];
}
static float a[100000], b[100000];
static void (*volatile called)(int, float *, float *) = blur;
int main(int argc, char **argv) {
  for (int i = 0; i < 100000; i++) a[i] = i % 7;
  for (int k = 0; k < 3; k++) called(argc > 1 ? 100000 : 20, a, b);
  printf(\"%g\\n\", b[10]);
  return 0;
}";

/// A found region that does little in a call is left to the C statement, which is done sooner;
/// `TERRACE_RUN_SHORT=1` runs it all the same.
#[test]
fn what_is_done_before_it_is_called_is_not_called() {
    let f = Folder::new(&[("short.c", BLUR)]);
    let out = f.terrace(&["-O2", "--auto", "short.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let ran = |arguments: &[&str], short: &str| {
        let mut c = f.command("made");
        c.args(arguments);
        let variables = [
            ("TERRACE_TARGET", "cpu"),
            ("TERRACE_PROFILE", "1"),
            ("TERRACE_RUN_SHORT", short),
        ];
        let out = f.run_with(c, &variables);
        assert_eq!(text(&out.stdout), "9\n", "{}", text(&out.stderr));
        text(&out.stderr).contains("blur.region0")
    };
    assert!(ran(&["long"], "0"));
    assert!(ran(&[], "1"));
    assert!(!ran(&[], "0"));
}

const LOOK_UP: &str = "
#include <stdio.h>
static unsigned keys[65536];
static int found[100000];
void look_up(void) {
  for (int i = 0; i < 100000; i++) {
    unsigned at = i * 2654435761u >> 16;
    int n = 1;
    while (keys[at] && keys[at] != i) {
      at = (at + 1) & 65535;
      n++;
    }
    found[i] = n;
  }
}
int main(void) {
  for (unsigned i = 1; i < 30000; i++) keys[i * 2654435761u >> 16] = i;
  look_up();
  long sum = 0;
  for (int i = 0; i < 100000; i++) sum += found[i];
  printf(\"%d\\n\", sum > 100000);
  return 0;
}";

/// A region that only threads make quicker is left to the C statement where there is one.
#[test]
fn what_only_threads_make_quicker_needs_several() {
    let f = Folder::new(&[("look_up.c", LOOK_UP)]);
    let out = f.terrace(&["-O2", "--auto", "look_up.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let ran = |threads: &str, short: &str| {
        let variables = [
            ("TERRACE_TARGET", "cpu"),
            ("TERRACE_PROFILE", "1"),
            ("TERRACE_RUN_SHORT", short),
            ("TERRACE_NUM_THREADS", threads),
        ];
        let out = f.run_with(f.command("made"), &variables);
        assert_eq!(text(&out.stdout), "1\n", "{}", text(&out.stderr));
        text(&out.stderr).contains("look_up.region0")
    };
    assert!(ran("2", "0"));
    assert!(ran("1", "1"));
    assert!(!ran("1", "0"));
}

const OFTEN: &str = "
#include <stdio.h>
void blur(int n, float *restrict a, float *restrict b) {
  for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i] + a[i + 1];
}
static float a[100000], b[100000];
static void (*volatile called)(int, float *, float *) = blur;
int main(void) {
  for (int i = 0; i < 100000; i++) a[i] = i % 7;
  for (int k = 0; k < 200; k++) called(20000, a, b);
  printf(\"%g\\n\", b[10]);
  return 0;
}";

/// The program finds out whether the statement is quicker, where both give the same bits.
#[test]
fn the_statement_is_tried_where_it_gives_the_same_bits() {
    let f = Folder::new(&[("often.c", OFTEN)]);
    let runs = |flags: &[&str], (name, value): (&str, &str)| -> u32 {
        let all = [&["-O2", "--auto", "often.c", "-o", "made"], flags].concat();
        let out = f.terrace(&all);
        assert!(out.status.success(), "{}", text(&out.stderr));
        let variables = [
            ("TERRACE_TARGET", "cpu"),
            ("TERRACE_PROFILE", "1"),
            ("TERRACE_RUN_SHORT", "0"),
            (name, value),
        ];
        let out = f.run_with(f.command("made"), &variables);
        assert_eq!(text(&out.stdout), "9\n", "{}", text(&out.stderr));
        let said = text(&out.stderr);
        let line = said.lines().find(|l| l.contains("blur.region0"));
        let words: Vec<&str> = line.map_or(vec![], |l| l.split_whitespace().collect());
        words[3].parse().unwrap()
    };
    let measured = ("TERRACE_RUN_SHORT", "0");
    assert!((4..200).contains(&runs(&[], measured)));
    assert_eq!(runs(&[], ("TERRACE_RUN_SHORT", "1")), 200);
    // The statement does not flush.
    assert_eq!(runs(&[], ("TERRACE_FLUSH_SUBNORMALS", "1")), 200);
    assert_eq!(runs(&["-ffast-math"], measured), 200);
    if cfg!(target_arch = "x86_64") {
        assert_eq!(runs(&["-mfma"], measured), 200);
        assert!((4..200).contains(&runs(&["-mfma", "-ffp-contract=off"], measured)));
    }
}
