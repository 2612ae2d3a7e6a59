//! Programs of OpenACC that other compilers take as well: what a directive leaves out, devices of
//! others, and functions beside the directives.

use super::folder::{Folder, text};

/// Compiles a program, runs it on each target, and compares what it prints.
fn prints(c: &str, expected: &str) -> String {
    let f = Folder::new(&[("t.c", c)]);
    let out = f.terrace(&["-O1", "t.c", "-o", "t", "-lm"]);
    let said = text(&out.stderr);
    assert!(out.status.success(), "{said}");
    for target in ["host", "cpu", "emulator"] {
        let ran = f.program("t", &[("TERRACE_TARGET", target)]);
        assert_eq!(
            text(&ran.stdout),
            expected,
            "{target}: {}",
            text(&ran.stderr)
        );
        assert!(ran.status.success(), "{target}: {}", text(&ran.stderr));
    }
    said
}

#[test]
fn a_bare_routine_is_seq_and_bare_data_is_nothing() {
    let said = prints(
        "#include <stdio.h>\n#pragma acc routine\nstatic int twice(int n) { return 2 * n; }\nint main(void) {\n  int a[4];\n#pragma acc data\n#pragma acc parallel loop copyout(a)\n  for (int i = 0; i < 4; i++) a[i] = twice(i);\n  printf(\"%d %d\\n\", a[1], a[3]);\n  return 0;\n}\n",
        "2 6\n",
    );
    assert!(
        said.starts_with("t.c:6:13: warning: `acc data` needs one of the clauses"),
        "{said}"
    );
    assert_eq!(said.matches("warning").count(), 1, "{said}");
}

#[test]
fn copyin_and_copyout_of_a_variable_are_copy() {
    let said = prints(
        "#include <stdio.h>\nint main(void) {\n  double t = 3;\n  int a[4] = {1, 2, 3, 4};\n#pragma acc parallel loop copyin(t) copyout(t) reduction(+ : t)\n  for (int i = 0; i < 10; i++) t += 1;\n#pragma acc parallel loop copyout(a[0:4]) copyin(a[0:4])\n  for (int i = 0; i < 4; i++) a[i] += 1;\n  printf(\"%g %d %d\\n\", t, a[0], a[3]);\n  return 0;\n}\n",
        "13 2 5\n",
    );
    assert!(
        said.contains("`t` stands in `copyin` and again in `copyout`; they count as one"),
        "{said}"
    );
}

#[test]
fn clauses_for_devices_of_others_are_left_alone() {
    let said = prints(
        "#include <openacc.h>\n#include <stdio.h>\nint main(void) {\n  int a[9];\n#pragma acc parallel loop copyout(a) device_type(radeon) num_gangs(3) vector_length(64) device_type(host, multicore) num_gangs(2)\n  for (int i = 0; i < 9; i++) a[i] = i;\n  printf(\"%d %d\\n\", a[8], acc_get_num_devices(acc_device_radeon));\n  return 0;\n}\n",
        "8 0\n",
    );
    assert_eq!(said, "");
}

#[test]
fn a_directive_that_is_not_known_is_told_where_there_is_no_other() {
    let f = Folder::new(&[(
        "t.c",
        "void f(int *a) {\n#pragma acc paralel loop copy(a[0:4])\n  for (int i = 0; i < 4; i++) a[i] = 0;\n}\n",
    )]);
    let out = f.terrace(&["-c", "t.c"]);
    assert!(out.status.success());
    let said = text(&out.stderr);
    assert!(
        said.starts_with(
            "t.c:2:13: warning: `paralel` is not a directive of `acc`, and the line is ignored; \
             did you mean `acc parallel`?\n"
        ),
        "{said}"
    );
}

#[test]
fn a_program_may_have_a_tool_of_its_own() {
    let f = Folder::new(&[(
        "t.c",
        "#include <acc_prof.h>\n#include <stdio.h>\nstatic int constructs;\nstatic void begin(acc_prof_info *p, acc_event_info *e, acc_api_info *a) {\n  constructs += p->event_type == acc_ev_compute_construct_start;\n}\nvoid acc_register_library(acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func look) {\n  reg(acc_ev_compute_construct_start, begin, acc_reg);\n}\nint main(void) {\n  int a[4];\n  for (int t = 0; t < 3; t++) {\n#pragma acc parallel loop copyout(a)\n    for (int i = 0; i < 4; i++) a[i] = i;\n    printf(\"%d \", a[t]);\n  }\n  printf(\"%d %d\\n\", constructs, a[3]);\n  return 0;\n}\n",
    )]);
    let out = f.terrace(&["-O1", "t.c", "-o", "t"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for (target, expected) in [("emulator", "0 1 2 3 3\n"), ("host", "0 1 2 0 3\n")] {
        let ran = f.program("t", &[("TERRACE_TARGET", target)]);
        assert_eq!(text(&ran.stdout), expected, "{target}");
    }
}
