//! Regions that directives ask for, but that stay on the host where a device would be
//! much slower. Which they are is decided before a device is looked for.

use super::folder::{Folder, text};

/// A chain of dependent operations, long or short, under one directive or another.
const CHAIN: &str = r#"#include <stdio.h>
#include <stdlib.h>
#ifndef DIRECTIVE
#define DIRECTIVE acc kernels copy(a[0:n])
#endif
#define PRAGMA(text) _Pragma(#text)
#define BEFORE(text) PRAGMA(text)

static void chain(int n, double *a)
{
  BEFORE(DIRECTIVE)
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] * 0.5 + a[i];
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 3000000;
  double *a = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++)
    a[i] = i % 13;
  chain(n, a);
  printf("%.17g %.17g\n", a[n / 2], a[n - 1]);
  return 0;
}
"#;

const FLAGS: &[&str] = &["-O1", "-std=c99", "chain.c"];

fn built(f: &Folder, options: &[&str]) -> String {
    let out = f.terrace(&[FLAGS, &["-o", "made"], options].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stderr)
}

#[test]
fn a_chain_stays_on_the_host_and_the_notes_say_why() {
    let f = Folder::new(&[("chain.c", CHAIN)]);
    let gcc = f.gcc(&[FLAGS, &["-Wno-unknown-pragmas", "-o", "expected"]].concat());
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    built(&f, &[]);
    let out = f.program("made", &[("TERRACE_NOTIFY", "1")]);
    assert_eq!(text(&out.stdout), expected);
    let said = text(&out.stderr);
    let line = "chain.c:12:3: chain.region0 stays on the host: estimated ";
    assert!(said.contains(line), "{said}");
    // The device has not been used before.
    assert!(said.contains(" s to start it, "), "{said}");
    // A short one loses little, and its author wants it there.
    let mut short = std::process::Command::new(f.0.join("made"));
    short.arg("100").env("TERRACE_NOTIFY", "1");
    let said = text(&f.run(short).stderr);
    assert!(said.contains("chain.region0 leaves the host"), "{said}");
}

/// Where nobody reads standard error, and the program does not end by that (SIGPIPE), the
/// notes are lost, not the results.
#[test]
fn notes_that_nobody_reads_end_nothing() {
    let f = Folder::new(&[("chain.c", CHAIN)]);
    built(&f, &[]);
    let expected = text(&f.program("made", &[]).stdout);
    let mut closed = std::process::Command::new("sh");
    closed.args([
        "-c",
        "trap '' PIPE; { sleep 0.1; ./made 2>&3 >out; } 3>&1 | true; cat out",
    ]);
    closed
        .env("TERRACE_NOTIFY", "1")
        .env("TERRACE_PROFILE", "1");
    assert_eq!(text(&f.run(closed).stdout), expected);
}

#[test]
fn constructs_and_clauses_that_say_more_are_obeyed() {
    let f = Folder::new(&[("chain.c", CHAIN)]);
    for directive in [
        "acc serial copy(a[0:n])",
        "acc parallel copy(a[0:n])",
        "acc kernels loop copy(a[0:n])",
        "acc kernels copyin(a[0:n])",
        "acc kernels copy(a[0:n]) async(1)",
    ] {
        built(&f, &[&format!("-DDIRECTIVE={directive}")]);
        let said = text(&f.program("made", &[("TERRACE_NOTIFY", "1")]).stderr);
        assert!(!said.contains("the host: estimated"), "{directive}: {said}");
    }
}

#[test]
fn notes_say_what_stays() {
    let f = Folder::new(&[("chain.c", CHAIN), ("known.c", KNOWN)]);
    // A size that is known: so is the time.
    let out = f.terrace(&["-O1", "-c", "-Minfo", "known.c"]);
    let notes = text(&out.stderr);
    let why = "stays on the host where its data is not on the device already: one thread would \
               do all of the work, estimated ";
    assert!(notes.contains(why), "{notes}");
    // With 1000 iterations it is not worth a word.
    let notes = built(&f, &["-Minfo"]);
    assert!(!notes.contains("stays on the host"), "{notes}");
}

const KNOWN: &str = r#"double a[4000000];

void chain(void)
{
#pragma acc kernels
  for (int i = 1; i < 4000000; i++)
    a[i] = a[i - 1] * a[i - 1] + a[i];
}
"#;
