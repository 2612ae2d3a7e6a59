//! Programs whose kernels run on the emulator of a GPU, which ends them where a kernel
//! reads what nobody copied, reaches past an array, or races.

use super::folder::{Folder, text};

#[test]
fn arrays_that_coincide_stay_on_the_device() {
    let f = Folder::new(&[("coincide.c", include_str!("Inputs/coincide.c"))]);
    assert!(
        f.gcc(&["-O2", "coincide.c", "-o", "expected"])
            .status
            .success()
    );
    let made = f.terrace(&["-O2", "coincide.c", "-o", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    for target in ["host", "cpu", "emulator"] {
        let variables = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        let out = f.program("made", &variables);
        let said = text(&out.stderr);
        assert_eq!(text(&out.stdout), expected, "on {target}: {said}");
        if target == "emulator" {
            // Of the arrays, only the result comes back, once.
            assert_eq!(said.matches("terrace: launch").count(), 6, "{said}");
            assert_eq!(said.matches("device to host").count(), 1, "{said}");
        }
    }
}

#[test]
fn arrays_that_overlap_cannot_run_beside_pointers_of_the_device() {
    let f = Folder::new(&[("overlap.c", include_str!("Inputs/overlap.c"))]);
    let made = f.terrace(&["overlap.c", "-o", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(
        f.program("made", &[("TERRACE_TARGET", "cpu")])
            .status
            .success()
    );
    let out = f.program("made", &[("TERRACE_TARGET", "emulator")]);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        text(&out.stderr),
        "terrace: arrays of a region overlap, of which one is written, so that it has to run on \
         the host; there `t` cannot be used, which is in device memory\n"
    );
}

/// What a GPU would let pass in silence.
#[test]
fn wrong_clauses_are_found() {
    let f = Folder::new(&[]);
    for (clauses, wanted) in [
        // Nothing copies what is read.
        ("create(a) copyout(b)", "uninitialised read: 8 bytes read"),
        // Half of it.
        (
            "copyin(a[0:50]) copyout(b)",
            "out-of-bounds access: 8 bytes read",
        ),
    ] {
        f.write(
            "x.c",
            &format!(
                "double a[100], b[100];\nint main(void)\n{{\n#pragma acc parallel loop {clauses}\n  for (int i = \
                 0; i < 100; i++)\n    b[i] = a[i];\n  return 0;\n}}\n"
            ),
        );
        let made = f.terrace(&["x.c", "-o", "made"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let out = f.program("made", &[("TERRACE_TARGET", "emulator")]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{clauses}: {said}");
        assert!(
            said.contains("x.c:6:") && said.contains(wanted),
            "{clauses}: {said}"
        );
    }
}

/// Memory of the device is given out as it was asked for, and what was freed is gone.
#[test]
fn memory_of_the_emulator_hides_nothing() {
    let f = Folder::new(&[]);
    for (clause, bound, wanted) in [
        ("create(a)", 100, "uninitialised read: 8 bytes read"),
        ("copyin(a)", 101, "out-of-bounds access: 8 bytes written"),
    ] {
        f.write(
            "x.c",
            &format!(
                "double a[101], b[100];\nint main(void)\n{{\n#pragma acc parallel loop copyin(a) copyout(b)\n  \
                 for (int i = 0; i < 100; i++) b[i] = a[i];\n#pragma acc parallel loop {clause} copyout(b)\n  \
                 for (int i = 0; i < {bound}; i++)\n    b[i] = a[i] + 1;\n  return 0;\n}}\n"
            ),
        );
        let made = f.terrace(&["x.c", "-o", "made"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let out = f.program("made", &[("TERRACE_TARGET", "emulator")]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{said}");
        assert!(said.contains("x.c:8:") && said.contains(wanted), "{said}");
    }
}
