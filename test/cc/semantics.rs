//! What OpenACC's specification says, checked by programs that check themselves.

use super::folder::{Folder, text};

/// Runs on a machine with a GPU too, with `TERRACE_TARGET=gpu`.
const CHECKS: &str = include_str!("Inputs/acc_semantics.c");

/// Rows behind arrays of pointers, copies of a region's own, where code runs.
const ROWS: &str = include_str!("Inputs/acc_rows.c");

/// Clauses, modifiers, functions, and PGI's spellings.
const CLAUSES: &str = include_str!("Inputs/acc_clauses.c");

/// Counters of regions and of `enter data`, sections, members, null pointers.
const DATA: &str = include_str!("Inputs/acc_data.c");

/// Copies of a construct's own, wherever it runs.
const OWN: &str = include_str!("Inputs/acc_own.c");

/// Pointers on the device, and data that stays.
const ATTACH: &str = include_str!("Inputs/acc_attach.c");

/// Reductions of constructs.
const REDUCTIONS: &str = include_str!("Inputs/acc_construct_reductions.c");

/// No directive: only the header tells that it is OpenACC.
const CALLS: &str = r#"#include <stdlib.h>
#ifdef _OPENACC
#include <openacc.h>
#endif
int main(void)
{
  int queues[2] = {acc_async_sync, 1}, a[4] = {1, 2, 3, 4}, b[4] = {0};
  int *from = acc_copyin(a, sizeof a), *to = acc_create(b, sizeof b);
  acc_memcpy_d2d(to, from, sizeof a, 0, 0);
  acc_copyout(b, sizeof b);
  acc_delete(a, sizeof a);
  if (acc_wait_any(2, queues) != 1 || acc_wait_any(1, queues) != -1)
    return 1;
  return b[3] != 4;
}
"#;

/// Builds a program of checks, which `terrace cc` has nothing to say of but `warnings`,
/// and runs it where there is no GPU.
fn checked(source: &str, warnings: &[&str]) {
    checked_on(source, warnings, &["host", "cpu", "emulator"]);
}

fn checked_on(source: &str, warnings: &[&str], targets: &[&str]) {
    let f = Folder::new(&[("checks.c", source)]);
    let out = f.terrace(&["-O1", "checks.c", "-o", "checks", "-lm"]);
    let said = text(&out.stderr);
    let said: Vec<&str> = said.lines().filter(|l| l.contains("warning: ")).collect();
    let fits = said.iter().zip(warnings).all(|(l, w)| l.contains(w));
    assert!(fits && said.len() == warnings.len(), "{said:#?}");
    assert!(out.status.success(), "{}", text(&out.stderr));
    for &target in targets {
        let out = f.program("checks", &[("TERRACE_TARGET", target)]);
        let said = text(&out.stdout);
        let failed: Vec<&str> = said.lines().filter(|l| !l.starts_with("ok ")).collect();
        assert_eq!(failed, ["0 failures"], "{target}: {}", text(&out.stderr));
        assert!(out.status.success(), "{target}");
    }
}

#[test]
fn semantics_of_openacc() {
    // Nothing in it contradicts what a directive says.
    checked(CHECKS, &[]);
}

#[test]
fn rows_behind_pointers_and_copies_of_a_regions_own() {
    let t = "several iterations write t[j]";
    checked(ROWS, &[t]);
}

#[test]
fn clauses_functions_and_older_spellings() {
    checked(CLAUSES, &[]);
}

#[test]
fn counters_and_sections() {
    checked(DATA, &[]);
}

#[test]
fn variables_of_a_constructs_own() {
    checked(OWN, &[]);
}

#[test]
fn pointers_that_are_attached_and_data_that_is_declared() {
    checked(ATTACH, &[]);
}

#[test]
fn reductions_of_constructs() {
    checked_on(REDUCTIONS, &[], &["host", "cpu", "emulator"]);
}

#[test]
fn a_program_of_calls_alone_is_openacc() {
    let f = Folder::new(&[("calls.c", CALLS)]);
    let out = f.terrace(&["calls.c", "-o", "calls"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = f.program("calls", &[("TERRACE_TARGET", "host")]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
}
