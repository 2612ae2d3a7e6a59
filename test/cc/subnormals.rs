//! Code for the cores takes subnormal numbers for zero where that is asked for, on each thread,
//! and for nothing else of the program. Threads keep to cores where that is asked for.

use super::folder::{Folder, text};

/// Products that are subnormal, counted where they are not zero: in a region, and in front of and
/// behind it by code of the system's compiler, which reads the control register too.
const PRODUCTS: &str = r#"#include <stdio.h>
#include <xmmintrin.h>
#define N 1000000
static double a[N], b[N];
static float c[N];
static volatile double least = 2.2250738585072014e-308, half = 0.5;
int main(void)
{
  for (int i = 0; i < N; i++) {
    a[i] = least;
    c[i] = 1.17549435e-38f;
  }
  unsigned before = _mm_getcsr() & ~0x3fu;
  int own = least * half > 0;
#pragma scop
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 0.5;
    c[i] = c[i] * 0.5f;
  }
#pragma endscop
  own += least * half > 0;
  unsigned behind = _mm_getcsr() & ~0x3fu;
  int doubles = 0, floats = 0;
  for (int i = 0; i < N; i++) {
    doubles += b[i] != 0;
    floats += c[i] != 0;
  }
  printf("%d %d own %d same %d\n", doubles, floats, own, before == behind);
  return 0;
}
"#;

#[cfg(target_arch = "x86_64")]
#[test]
fn subnormal_numbers_are_zero_where_that_is_asked_for() {
    let f = Folder::new(&[("p.c", PRODUCTS)]);
    for (made, options) in [("strict", &[][..]), ("flushing", &["--flush-subnormals"])] {
        let built = f.terrace(&[&["-O1", "p.c", "-o", made], options].concat());
        assert!(built.status.success(), "{}", text(&built.stderr));
    }
    let said = |program: &str, threads: &str, flush: &str| {
        let out = f.program(
            program,
            &[
                ("TERRACE_TARGET", "cpu"),
                ("TERRACE_NUM_THREADS", threads),
                ("TERRACE_FLUSH_SUBNORMALS", flush),
            ],
        );
        assert_eq!(text(&out.stderr), "", "{program} {threads} {flush}");
        text(&out.stdout)
    };
    for threads in ["1", "4"] {
        let strict = "1000000 1000000 own 2 same 1\n";
        assert_eq!(said("strict", threads, "0"), strict, "{threads}");
        let flushed = "0 0 own 2 same 1\n";
        assert_eq!(said("strict", threads, "1"), flushed, "{threads}");
        assert_eq!(said("flushing", threads, ""), flushed, "{threads}");
    }
    let out = f.program(
        "strict",
        &[
            ("TERRACE_TARGET", "cpu"),
            ("TERRACE_FLUSH_SUBNORMALS", "all"),
        ],
    );
    assert_eq!(
        text(&out.stderr),
        "terrace: found TERRACE_FLUSH_SUBNORMALS=`all`, expected `1` or `0`\n"
    );
}

/// A region on several threads, and then the cores that each thread of the process may use.
const MASKS: &str = r#"#include <dirent.h>
#include <stdio.h>
#include <string.h>
#define N 4000000
static double a[N];
int main(void)
{
#pragma scop
  for (int i = 0; i < N; i++)
    a[i] = a[i] * 0.5 + 1.0;
#pragma endscop
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *task;
  while ((task = readdir(tasks))) {
    char line[256], name[64] = "";
    snprintf(line, sizeof line, "/proc/self/task/%s/status", task->d_name);
    FILE *status = task->d_name[0] == '.' ? 0 : fopen(line, "r");
    while (status && fgets(line, sizeof line, status)) {
      sscanf(line, "Name: %63s", name);
      if (strstr(line, "Cpus_allowed_list:"))
        printf("%s %s", name, line + strlen("Cpus_allowed_list:") + 1);
    }
    if (status)
      fclose(status);
  }
  return 0;
}
"#;

#[cfg(target_os = "linux")]
#[test]
fn threads_keep_to_cores_where_that_is_asked_for() {
    let f = Folder::new(&[("m.c", MASKS)]);
    let built = f.terrace(&["-O1", "m.c", "-o", "m"]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let cores = |pin: &str| {
        let out = f.program(
            "m",
            &[
                ("TERRACE_TARGET", "cpu"),
                ("TERRACE_NUM_THREADS", "2"),
                ("TERRACE_PIN_THREADS", pin),
            ],
        );
        assert!(out.status.success(), "{}", text(&out.stderr));
        let said = text(&out.stdout);
        let of = |name: &str| {
            let line = said.lines().find_map(|l| l.strip_prefix(name));
            line.unwrap_or_else(|| panic!("no thread {name} in {said}"))
                .trim()
                .to_string()
        };
        (of("m "), of("terrace-1 "))
    };
    let (own, worker) = cores("0");
    assert_eq!(own, worker);
    let (caller, worker) = cores("1");
    assert_eq!(caller, own, "the program's own thread is left alone");
    assert!(worker.parse::<u32>().is_ok(), "one core: {worker}");
}
